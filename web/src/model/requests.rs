//! The requests of a document, and where they go.

use std::borrow::Cow;

use stepweave_core::document::{
    Document, HttpAuth, HttpRequest, McpTool, Method, Origins, Secret, Step, StepKind, ToolRun,
};
use stepweave_core::edit::find;
use stepweave_core::language::Template;

use super::endpoints::origin_of;
use super::keys::GONE_IN_ADDRESS;
use super::locate::path_of_entry;
use super::pasted_key::looks_like_key;

/// Every request of the document: those of its steps, wherever they are, in tools too, and those that tools are, which may
/// ask MCP servers.
pub fn requests(document: &Document) -> Vec<Cow<'_, HttpRequest>> {
    let mut found = Vec::new();
    let mut open: Vec<&Step> = document.blocks().into_iter().flat_map(|(_, steps)| steps).collect();
    while let Some(step) = open.pop() {
        if let StepKind::Http(call) = &step.kind {
            found.push(Cow::Borrowed(&call.http));
        }
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
    }
    let of_tools = document.tools.values().filter_map(|tool| match &tool.run {
        Some(ToolRun::Http(request)) => Some(Cow::Borrowed(&**request)),
        Some(ToolRun::Mcp(tool)) => Some(Cow::Owned(asking(tool))),
        _ => None,
    });
    found.extend(of_tools);
    found
}

/// What asks the server of a tool: where it goes, and which secret it takes along.
fn asking(tool: &McpTool) -> HttpRequest {
    HttpRequest { method: Some(Method::Post), auth: tool.auth.clone(), ..HttpRequest::to(&tool.url) }
}

/// Whether a tool of the document is that of an MCP server.
pub fn asks_servers(document: &Document) -> bool {
    document.tools.values().any(|tool| matches!(tool.run, Some(ToolRun::Mcp(_))))
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

/// The request that is kept under this key: that of a step, `http@s1`, or of a tool, by its path.
pub fn request_at<'d>(document: &'d Document, key: &str) -> Option<&'d HttpRequest> {
    if let Some(id) = key.strip_prefix("http@") {
        return match &find(document, id)?.kind {
            StepKind::Http(call) => Some(&call.http),
            _ => None,
        };
    }
    document.tools.iter().find_map(|(name, tool)| match &tool.run {
        Some(ToolRun::Http(request)) if key == key_of_tool(name) => Some(&**request),
        _ => None,
    })
}

/// The key of a tool's request.
pub fn key_of_tool(name: &str) -> String {
    format!("{}.run.http", path_of_entry("tools", name))
}

/// A name for what sends a request: the last word of its path, such as `items` of `/v1/items/{{ id }}`; nothing where its
/// address has none. A key is no word.
pub fn name_of(request: &HttpRequest) -> Option<String> {
    let literal = request.url.split_once("://").map_or("", |(_, rest)| rest).split(['?', '#']).next()?;
    let path = literal.split_once('/').map_or("", |(_, path)| path);
    let is_word = |part: &&str| {
        part.chars().next().is_some_and(|letter| letter.is_ascii_alphabetic())
            && part.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter))
            && !part.contains(GONE_IN_ADDRESS)
            && !looks_like_key(part)
    };
    let word = path.rsplit('/').find(is_word)?;
    // What an extension says is no part of the name, and names of tools and of keys in expressions have no dashes.
    let word = word.split('.').next().unwrap_or(word).replace('-', "_");
    Some(word.chars().take(MOST_OF_A_NAME).collect())
}

/// Letters of a name that an address gives.
const MOST_OF_A_NAME: usize = 40;

/// The request that this JSON says.
#[cfg(test)]
pub(super) fn read(request: serde_json::Value) -> HttpRequest {
    let step = serde_json::json!({ "id": "s1", "type": "http", "name": "n", "http": request });
    let document = serde_json::json!({ "version": 1, "name": "t", "steps": [step] });
    let document: Document = serde_json::from_value(document).unwrap();
    requests(&document)[0].clone().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sends_to_what_its_requests_name_and_asks_for_the_rest() {
        let document = serde_json::json!({ "version": 1, "name": "t",
            "tools": { "find": { "run": { "http": { "url": "https://tool.test/find?q={{ q }}" } } },
                "ask": { "run": { "mcp": { "url": "https://mcp.test/mcp", "tool": "ask", "hash": "0", "auth": { "bearer": { "secret": "M" } } } } } },
            "steps": [
                { "id": "s1", "type": "foreach", "name": "each", "items": "urls", "steps": [
                    { "id": "s2", "type": "http", "name": "any", "http": { "url": "{{ item }}", "origins": "any" } } ] },
                { "id": "s3", "type": "http", "name": "own", "http": { "url": "https://API.test:443/users/{{ id }}",
                    "auth": { "oauth2": { "tokenUrl": "https://token.test/t", "clientId": "c", "clientSecret": { "secret": "S" } } } } },
                { "id": "s4", "type": "http", "name": "some", "http": { "url": "{{ base }}/x", "origins": ["https://some.test"] } } ] });
        let document: Document = serde_json::from_value(document).unwrap();
        let mut found: Vec<String> = requests(&document).iter().flat_map(|one| named_origins(one)).collect();
        found.sort();
        assert_eq!(
            found,
            [
                "https://api.test",
                "https://mcp.test",
                "https://some.test",
                "https://token.test",
                "https://tool.test"
            ]
        );
        assert_eq!(requests(&document).iter().filter_map(|one| secret_of(one)).count(), 2);
    }

    #[test]
    fn a_request_is_found_by_its_key() {
        let document = serde_json::json!({ "version": 1, "name": "t",
            "tools": { "find": { "run": { "http": { "url": "https://tool.test/" } } }, "a.b": { "run": { "http": { "url": "https://dot.test/" } } } },
            "steps": [{ "id": "s1", "type": "http", "name": "x", "http": { "url": "https://step.test/" } }, { "id": "s2", "type": "wait", "name": "w", "wait": { "ms": 1 } }] });
        let document: Document = serde_json::from_value(document).unwrap();
        let at = |key: &str| request_at(&document, key).map(|request| request.url.as_str());
        assert_eq!(at("http@s1"), Some("https://step.test/"));
        assert_eq!(at(&key_of_tool("find")), Some("https://tool.test/"));
        assert_eq!(at(&key_of_tool("a.b")), Some("https://dot.test/"));
        assert_eq!((at("http@s2"), at("http@s3"), at("tools.none.run.http")), (None, None, None));
    }

    #[test]
    fn a_name_is_the_last_word_of_the_path() {
        for (url, expected) in [
            ("https://api.test/v1/user-items.json?q=1", Some("user_items")),
            ("https://api.test/v1/users/{{ id }}", Some("users")),
            ("https://api.test/v1/users/42", Some("users")),
            ("https://hooks.slack.com/services/a-key-was-here", Some("services")),
            ("https://api.test/bota-key-was-here", None),
            ("https://api.test/hooks/aB3dE5gH7jK9mN1pQ3sT5vW7", Some("hooks")),
            ("https://api.test/", None),
            ("https://api.test", None),
            ("{{ url }}", None),
        ] {
            assert_eq!(name_of(&HttpRequest::to(url)).as_deref(), expected, "{url}");
        }
    }
}
