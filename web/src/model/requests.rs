//! The requests of a document, and where they go.

use stepweave_core::document::{Document, HttpAuth, HttpRequest, Origins, Secret, Step, StepKind, ToolRun};
use stepweave_core::language::Template;

use super::endpoints::origin_of;

/// Every request of the document: those of its steps, wherever they are, in tools too, and those that tools are.
pub fn requests(document: &Document) -> Vec<&HttpRequest> {
    let mut found: Vec<&HttpRequest> = Vec::new();
    let mut open: Vec<&Step> = document.blocks().into_iter().flat_map(|(_, steps)| steps).collect();
    while let Some(step) = open.pop() {
        if let StepKind::Http(call) = &step.kind {
            found.push(&call.http);
        }
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
    }
    let of_tools = document.tools.values().filter_map(|tool| match &tool.run {
        Some(ToolRun::Http(request)) => Some(&**request),
        _ => None,
    });
    found.extend(of_tools);
    found
}

/// The origin that its address says literally; nothing where data decides.
pub fn literal_origin(request: &HttpRequest) -> Option<String> {
    origin_of(Template::parse(&request.url).ok()?.origin()?)
}

/// Whether data decides where it goes, and it may go anywhere.
pub fn is_open(request: &HttpRequest) -> bool {
    request.origins == Some(Origins::Any) && literal_origin(request).is_none()
}

/// The origins that a request names: those that it may go to, and where its token is fetched.
pub fn named_origins(request: &HttpRequest) -> Vec<String> {
    called_origins(request).into_iter().chain(token_origin(request)).collect()
}

/// The origin of its address, and those that it may go to.
pub fn called_origins(request: &HttpRequest) -> Vec<String> {
    let listed = match &request.origins {
        Some(Origins::Some(origins)) => origins.as_slice(),
        Some(Origins::Any) | None => &[],
    };
    let said = listed.iter().filter_map(|url| origin_of(url));
    literal_origin(request).into_iter().chain(said).collect()
}

/// Where its token is fetched.
pub fn token_origin(request: &HttpRequest) -> Option<String> {
    match &request.auth {
        Some(HttpAuth::Oauth2 { token_url, .. }) => origin_of(token_url),
        _ => None,
    }
}

/// The secret that a request takes along.
pub fn secret_of(request: &HttpRequest) -> Option<&Secret> {
    request.auth.as_ref().map(|auth| match auth {
        HttpAuth::Bearer(secret) => secret,
        HttpAuth::Basic { password, .. } => password,
        HttpAuth::Header { value, .. } | HttpAuth::Query { value, .. } => value,
        HttpAuth::Oauth2 { client_secret, .. } => client_secret,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sends_to_what_its_requests_name_and_asks_for_the_rest() {
        let document = serde_json::json!({ "version": 1, "name": "t",
            "tools": { "find": { "run": { "http": { "url": "https://tool.test/find?q={{ q }}" } } } },
            "steps": [
                { "id": "s1", "type": "foreach", "name": "each", "items": "urls", "steps": [
                    { "id": "s2", "type": "http", "name": "any", "http": { "url": "{{ item }}", "origins": "any" } } ] },
                { "id": "s3", "type": "http", "name": "own", "http": { "url": "https://API.test:443/users/{{ id }}",
                    "auth": { "oauth2": { "tokenUrl": "https://token.test/t", "clientId": "c", "clientSecret": { "secret": "S" } } } } },
                { "id": "s4", "type": "http", "name": "some", "http": { "url": "{{ base }}/x", "origins": ["https://some.test"] } } ] });
        let document: Document = serde_json::from_value(document).unwrap();
        let mut found: Vec<String> = requests(&document).into_iter().flat_map(named_origins).collect();
        found.sort();
        assert_eq!(
            found,
            ["https://api.test", "https://some.test", "https://token.test", "https://tool.test"]
        );
        assert_eq!(requests(&document).into_iter().filter_map(secret_of).count(), 1);
    }
}
