//! What a document says of the requests of its models: where they go, and with which headers.

use super::path::Path;
use crate::document::{Document, Model};
use crate::problem::{Problem, Problems};

/// What stands in the names of headers that carry keys, in lower case.
const SECRET: [&str; 7] =
    ["authorization", "api-key", "apikey", "api_key", "subscription-key", "cookie", "secret"];

/// How such names end: `x-max-tokens` is none of them.
const SECRET_ENDS: [&str; 3] = ["token", "password", "-key"];

/// Headers that are about the connection and not about the content, in lower case: the sender of the request writes
/// them. One
/// that a document could set would tell the endpoint, or a relay before it, where a request ends and whom it is for.
const OF_CONNECTION: [&str; 14] = [
    "connection",
    "content-length",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-forwarded-host",
];

/// A document must not contain a key, since people show documents to each other: the host inserts secrets at the last
/// moment, and only for the origins that they are bound to.
pub(super) fn check(document: &Document, problems: &mut Problems) {
    for (id, model) in &document.models {
        let place = Path::ROOT.key("models").key(id);
        if let Some(fault) = model.base_url.as_deref().and_then(fault_of_address) {
            let message = format!("the baseUrl of the model `{id}` {fault}");
            let hint = "write https:// or http://, the host and the path, such as https://llm.example.com/v1; the name of a secret goes in apiKey, a version in apiVersion";
            problems.push(Problem::error(place.key("baseUrl").render(), "wrong_address", message, hint));
        }
        if model
            .api_version
            .as_deref()
            .is_some_and(|version| !version.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            let message = format!("the apiVersion of the model `{id}` is no version");
            let hint =
                "write it as the provider does, such as 2023-06-01: letters, digits and signs without spaces";
            problems.push(Problem::error(place.key("apiVersion").render(), "wrong_version", message, hint));
        }
        check_headers(id, model, problems);
        // Its price and the name that people read would be those of another model.
        check_params(&format!("the model `{id}`"), &place, model.params.contains_key("model"), problems);
    }
    for (id, agent) in &document.agents {
        let place = Path::ROOT.key("agents").key(id);
        check_params(&format!("the agent `{id}`"), &place, agent.params.contains_key("model"), problems);
    }
}

fn check_headers(id: &str, model: &Model, problems: &mut Problems) {
    for (name, value) in &model.headers {
        let place = Path::ROOT.key("models").key(id).key("headers").key(name).render();
        let is_broken = value.as_str().is_some_and(|text| text.contains(['\r', '\n', '\0']));
        let lower = name.to_ascii_lowercase();
        if !is_name(name) || is_broken {
            let message = format!("`{place}` cannot be sent as a header");
            let hint = "its name takes letters, digits and `-`, its value is one line";
            problems.push(Problem::error(place, "wrong_header", message, hint));
        } else if is_of_connection(&lower) {
            let message = format!("the header `{name}` of the model `{id}` belongs to the connection");
            let hint = "leave it out: whoever sends the request writes it; where it goes is said by baseUrl";
            problems.push(Problem::error(place, "wrong_header", message, hint));
        } else if holds_key(&lower) {
            let message = format!("the header `{name}` of the model `{id}` would hold a key");
            let hint = "name a secret instead, as in \"apiKey\": { \"secret\": \"MY_KEY\" }, and give its value where a run starts";
            problems.push(Problem::error(place, "key_in_document", message, hint));
        }
    }
}

fn check_params(whose: &str, place: &Path<'_>, names_model: bool, problems: &mut Problems) {
    if names_model {
        let message = format!("the params of {whose} name another model than it has");
        let hint = "leave `model` out of the params; each model has an entry of its own in `models`";
        problems.push(Problem::error(
            place.key("params").key("model").render(),
            "wrong_param",
            message,
            hint,
        ));
    }
}

/// Why an address does not say where an endpoint is, and nothing else. Readers of addresses forgive much, each in its
/// own way: backslashes, blanks, slashes that are missing or too many. What they would have to forgive is refused.
pub(super) fn fault_of_address(address: &str) -> Option<&'static str> {
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| address.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme)));
    let rest = scheme.and_then(|scheme| address.get(scheme.len()..)).unwrap_or_default();
    let authority = rest.split('/').next().unwrap_or_default();
    if authority.contains('@') {
        Some("has a user in it")
    } else if rest.contains(['?', '#']) {
        Some("has a query or a fragment in it")
    } else if authority.is_empty()
        || address.contains(|letter: char| letter.is_control() || letter.is_whitespace() || letter == '\\')
    {
        Some("is no http(s) address")
    } else {
        None
    }
}

/// Whether this is the literal address of something that answers, perhaps with a query.
#[cfg(feature = "language")]
pub(super) fn is_address(address: &str) -> bool {
    let is_odd =
        |letter: char| letter.is_control() || letter.is_whitespace() || ['\\', '{', '#'].contains(&letter);
    let origin = crate::language::origin_of(address);
    origin.is_some_and(|origin| fault_of_address(origin).is_none()) && !address.contains(is_odd)
}

pub(super) fn holds_key(name: &str) -> bool {
    SECRET.iter().any(|part| name.contains(part)) || SECRET_ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether a header of this name, in lower case, is about the connection.
pub(super) fn is_of_connection(name: &str) -> bool {
    OF_CONNECTION.contains(&name)
}

/// Whether headers may have this name.
pub(super) fn is_name(name: &str) -> bool {
    let may_stand = |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    !name.is_empty() && name.chars().all(may_stand)
}
