//! Where the models of a document are.

use stepweave_core::document::{Document, Model, Provider, Step, StepKind, every};

use super::requests::{named_origins, requests};

/// The origins that a run of the document sends prompts and requests to.
pub fn origins(document: &Document) -> Vec<String> {
    let real = models_in_use(document)
        .filter_map(|id| document.models.get(id))
        .filter(|model| is_endpoint(model.provider));
    let at = |model: &Model| origin_of(model.base_url.as_deref().unwrap_or(model.provider.base_url()));
    let of_requests = requests(document).into_iter().flat_map(|request| named_origins(&request));
    let mut found: Vec<String> = real.filter_map(at).chain(of_requests).collect();
    found.sort();
    found.dedup();
    found
}

/// The ids of the models that agents name, as often as they do.
pub fn models_in_use(document: &Document) -> impl Iterator<Item = &String> {
    document.agents.values().flat_map(|agent| [&agent.model].into_iter().chain(&agent.fallbacks))
}

/// Those that a run which waits for a person may send to before anybody has answered: where time answers too, all of them.
pub fn origins_at_once(document: &Document) -> Vec<String> {
    let expires =
        |step: &Step| matches!(&step.kind, StepKind::Approval(approval) if approval.expires_ms.is_some());
    if every(&document.steps).any(expires) { origins(document) } else { Vec::new() }
}

/// Whether models of this provider are called over the network.
pub fn is_endpoint(provider: Provider) -> bool {
    !matches!(provider, Provider::Demo | Provider::Custom)
}

/// The scheme, host and port of an address, as runs ask for them; nothing when it is none that can be called.
pub fn origin_of(url: &str) -> Option<String> {
    read(url, canonical)
}

/// The scheme, the host and the port of an origin, which says a port only where that is not its scheme's own.
pub fn parts_of(origin: &str) -> (&str, &str, Option<&str>) {
    let (scheme, rest) = origin.split_once("://").unwrap_or(("https", origin));
    // An address of IPv6 has colons too, in brackets.
    let ported = rest.rsplit_once(':').filter(|(_, port)| port.chars().all(|digit| digit.is_ascii_digit()));
    ported.map_or((scheme, rest, None), |(host, port)| (scheme, host, Some(port)))
}

/// The origin of an address whose scheme and host are read by this.
fn read(url: &str, canonical: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if scheme != "https" && scheme != "http" {
        return None;
    }
    // A user is sent nowhere, and what some readers take out or turn round is no address of a person's.
    let is_odd = |letter: char| letter.is_whitespace() || letter.is_control() || "@\\".contains(letter);
    let host =
        rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty() && !host.contains(is_odd))?;
    canonical(&format!("{scheme}://{host}"))
}

/// The origin that the browser itself calls: names in other letters have a plain form, `xn--…`, and numbers one of four
/// bytes. The origin that a person agrees to has to be the one that the run asks for.
#[cfg(target_arch = "wasm32")]
fn canonical(origin: &str) -> Option<String> {
    Some(web_sys::Url::new(origin).ok()?.origin()).filter(|origin| origin != "null")
}

/// Without a browser only plain names and numbers are read.
#[cfg(not(target_arch = "wasm32"))]
fn canonical(origin: &str) -> Option<String> {
    let (scheme, host) = origin.split_once("://")?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:[]".contains(letter);
    if !host.chars().all(is_plain) {
        return None;
    }
    let host = host.to_ascii_lowercase();
    let default = if scheme == "https" { ":443" } else { ":80" };
    Some(format!("{scheme}://{}", host.strip_suffix(default).unwrap_or(&host)))
}

/// The host of an origin in the letters of a secret's name: `API_EXAMPLE_COM`.
pub fn name_of_host(origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    host.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sends_to_the_places_of_all_its_models() {
        let document = serde_json::json!({ "version": 1, "name": "t", "steps": [],
            "models": {
                "own": { "provider": "anthropic", "model": "m" },
                "next": { "provider": "openai", "model": "m", "baseUrl": "http://localhost:8080/v1" },
                "demo": { "provider": "demo", "model": "demo" },
                "unused": { "provider": "groq", "model": "m" },
                "far": { "provider": "azure", "model": "m" }
            },
            "agents": { "a": { "model": "own", "fallbacks": ["next", "demo"] }, "b": { "model": "far" } } });
        let found = origins(&serde_json::from_value(document).unwrap());
        assert_eq!(found, ["http://localhost:8080", "https://api.anthropic.com"]);
    }

    #[test]
    fn a_run_that_waits_sends_nowhere_before_it_is_answered_or_time_answers() {
        let at_once = |more: serde_json::Value| {
            let mut ask = serde_json::json!({ "id": "s1", "type": "approval", "name": "ask" });
            ask.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            let document = serde_json::json!({ "version": 1, "name": "t", "steps": [ask],
                "models": { "own": { "provider": "anthropic", "model": "m" } }, "agents": { "a": { "model": "own" } } });
            origins_at_once(&serde_json::from_value(document).unwrap())
        };
        assert_eq!(at_once(serde_json::json!({})), [""; 0]);
        assert_eq!(at_once(serde_json::json!({ "expiresMs": 1000 })), ["https://api.anthropic.com"]);
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        assert_eq!(origin_of("https://API.openai.com/v1").as_deref(), Some("https://api.openai.com"));
        assert_eq!(origin_of("http://localhost:8080/v1").as_deref(), Some("http://localhost:8080"));
        assert_eq!(origin_of("https://example.com:443/").as_deref(), Some("https://example.com"));
        for wrong in [
            "localhost:8080",
            "ftp://example.com",
            "https://",
            "https://me@example.com/",
            "https://api.openai.com\\.evil.test/v1",
            "https://ev\til.test",
            "https://%65vil.test",
        ] {
            assert_eq!(origin_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_origin_is_the_one_that_the_browser_calls() {
        // As browsers read them.
        let browser = |origin: &str| match origin {
            "https://аpple.com" => Some("https://xn--pple-43d.com".to_owned()),
            "http://0x7f.1:5399" => Some("http://127.0.0.1:5399".to_owned()),
            "https://%65vil.test" => Some("https://evil.test".to_owned()),
            _ => None,
        };
        assert_eq!(read("https://аpple.com/v1", browser).as_deref(), Some("https://xn--pple-43d.com"));
        assert_eq!(read(" HTTP://0x7f.1:5399?x", browser).as_deref(), Some("http://127.0.0.1:5399"));
        assert_eq!(read("https://%65vil.test#a", browser).as_deref(), Some("https://evil.test"));
        assert_eq!(read("https://me@evil.test", |origin| Some(origin.to_owned())), None);
        assert_eq!(read("https://ev\til.test", |origin| Some(origin.to_owned())), None);
        assert_eq!(read("https://a.test\\.evil.test", |origin| Some(origin.to_owned())), None);
    }
}
