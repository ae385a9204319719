//! Sites that the address of a request is known to lead to, and that the request may not go to.

use stepweave_core::document::{Document, Origins, Step, StepKind, every};

use super::fitting::origins_of_address;
use super::locate::path_to;
use super::problem::Problem;
use super::requests::secret_of;

/// The code of such a problem.
pub const SITE_LEFT_OUT: &str = "site_left_out";

/// A problem for each request of a step that a known address leads to where it may not go.
pub fn left_out(document: &Document) -> Vec<Problem> {
    let problem = |step: &Step| {
        let left_out = sites_left_out(document, step);
        let first = left_out.first()?;
        let more = match left_out.len() {
            1 => String::new(),
            2 => " and one more site".to_owned(),
            many => format!(" and {} more sites", many - 1),
        };
        Some(Problem {
            path: format!("{}.http.url", path_to(document, &step.id)?),
            code: SITE_LEFT_OUT.to_owned(),
            message: format!(
                "a known address leads to {first}{more}, where the request of `{}` may not go",
                step.name
            ),
            hint: "allow it under “Allowed addresses”, or take the address out".to_owned(),
            severity: "warning".to_owned(),
            fix: None,
        })
    };
    every(&document.steps).filter_map(problem).collect()
}

/// The sites of the known addresses of a step's request that it may not go to.
pub fn sites_left_out(document: &Document, step: &Step) -> Vec<String> {
    let StepKind::Http(call) = &step.kind else { return Vec::new() };
    let Some(Origins::Some(allowed)) = &call.http.origins else { return Vec::new() };
    let mut known = origins_of_address(document, step, &call.http.url).unwrap_or_default();
    known.retain(|site| !allowed.contains(site));
    known
}

/// The site of a failed request that the request could be allowed, if the failure is that it may not go there. A secret
/// goes along only where the workflow itself has the address: what an answer leads to gets none by a click.
pub fn refused_site<'m>(document: &Document, step: &Step, message: &'m str) -> Option<&'m str> {
    let (site, _) = message.strip_prefix("nothing was sent to ")?.split_once(": the request may go to ")?;
    let StepKind::Http(call) = &step.kind else { return None };
    let Some(Origins::Some(allowed)) = &call.http.origins else { return None };
    let is_known = || sites_left_out(document, step).iter().any(|known| known == site);
    let may = secret_of(&call.http).is_none() || is_known();
    (may && !allowed.iter().any(|origin| origin == site)).then_some(site)
}

/// Whether a failure is that of a request whose key a relay does not get.
pub fn is_kept_from_relay(message: &str) -> bool {
    message.starts_with("nothing was sent to ") && message.ends_with(", and keys do not")
}

/// Whether the hint of a failure is that of a relay that sends nothing to its own network, which this browser may well reach.
pub fn is_inside_relay(hint: &str) -> bool {
    hint.starts_with("the relay sends to the public internet")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const A: &str = "https://a.test";
    const B: &str = "https://b.test:8080";

    fn document(http: Value) -> Document {
        serde_json::from_value(json!({ "version": 1, "name": "t",
            "initialState": { "urls": ["https://a.test/1", "https://b.test:8080/2"] },
            "steps": [{ "id": "s1", "type": "foreach", "name": "each", "items": "urls", "steps": [
                { "id": "s2", "type": "http", "name": "page", "http": http }] }] }))
        .unwrap()
    }

    fn step(document: &Document) -> &Step {
        every(&document.steps).last().unwrap()
    }

    #[test]
    fn a_known_address_of_a_site_that_is_not_allowed_is_a_problem_at_the_step() {
        let found = left_out(&document(json!({ "url": "{{ item }}", "origins": [A] })));
        assert_eq!(
            found.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>(),
            ["a known address leads to https://b.test:8080, where the request of `page` may not go"]
        );
        assert_eq!(found[0].path, "steps[0].steps[0].http.url");
        for http in [
            json!({ "url": "{{ item }}", "origins": [A, B] }),
            json!({ "url": "{{ item }}", "origins": "any" }),
            json!({ "url": "{{ item }}" }),
            json!({ "url": "{{ other }}", "origins": [A] }),
        ] {
            assert_eq!(left_out(&document(http)), []);
        }
    }

    #[test]
    fn it_is_known_that_a_relay_sends_nothing_to_its_own_network() {
        let relay = include_str!("../../../examples/relay/relay.ts");
        let said = relay.split('"').filter(|text| is_inside_relay(text)).count();
        assert_eq!(said, 1, "the relay says it in one place");
        assert!(!is_inside_relay("check the relay's address"));
    }

    #[test]
    fn a_site_that_a_run_met_can_be_allowed_but_gets_no_secret_unless_the_workflow_has_its_address() {
        let open = json!({ "url": "{{ item }}", "origins": [A] });
        let auth = json!({ "bearer": { "secret": "K" } });
        let keyed = json!({ "url": "{{ item }}", "origins": [A], "auth": auth });
        let met = |site: &str, http: &Value| {
            let document = document(http.clone());
            let message = format!("nothing was sent to {site}: the request may go to {A}");
            refused_site(&document, step(&document), &message).map(str::to_owned)
        };
        assert_eq!(met("https://c.test", &open).as_deref(), Some("https://c.test"));
        assert_eq!(met(A, &open), None);
        assert_eq!(met("https://c.test", &keyed), None);
        assert_eq!(met(B, &keyed).as_deref(), Some(B));
        let open = document(open);
        assert_eq!(refused_site(&open, step(&open), "https://a.test failed (status 500)"), None);
    }
}
