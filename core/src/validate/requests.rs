//! What a document says of the requests of its models: where they go, and with which headers.

use super::path::Path;
use crate::document::Document;
use crate::problem::Problem;

/// What stands in the names of headers that carry keys, in lower case.
const SECRET: [&str; 7] =
    ["authorization", "api-key", "apikey", "api_key", "subscription-key", "cookie", "secret"];

/// How such names end: `x-max-tokens` is none of them.
const SECRET_ENDS: [&str; 3] = ["token", "password", "-key"];

/// A key has no place in a document, which people show to each other: secrets are put in by the host, at the last
/// moment, and only for the origins that they are bound to.
pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for (id, model) in &document.models {
        if model.base_url.as_deref().is_some_and(is_more_than_place) {
            let message = format!("the baseUrl of the model `{id}` has a user, a query or a fragment in it");
            let hint = "end it with the path, such as /v1; a key is named in apiKey, a version in apiVersion";
            let place = Path::ROOT.key("models").key(id).key("baseUrl").render();
            problems.push(Problem::error(place, "wrong_address", message, hint));
        }
        for (name, value) in &model.headers {
            let place = Path::ROOT.key("models").key(id).key("headers").key(name).render();
            let is_broken = value.as_str().is_some_and(|text| text.contains(['\r', '\n', '\0']));
            if !is_name(name) || is_broken {
                let message = format!("`{place}` cannot be sent as a header");
                let hint = "its name takes letters, digits and `-`, its value is one line";
                problems.push(Problem::error(place, "wrong_header", message, hint));
            } else if holds_key(&name.to_ascii_lowercase()) {
                let message = format!("the header `{name}` of the model `{id}` would hold a key");
                let hint = "name a secret instead, as in \"apiKey\": { \"secret\": \"MY_KEY\" }, and give its value where a run starts";
                problems.push(Problem::error(place, "key_in_document", message, hint));
            }
        }
    }
}

/// Whether an address says more than where its endpoint is.
fn is_more_than_place(address: &str) -> bool {
    let (_, rest) = address.split_once("://").unwrap_or(("", address));
    let host = rest.split(['/', '\\']).next().unwrap_or_default();
    host.contains('@') || rest.contains(['?', '#'])
}

fn holds_key(name: &str) -> bool {
    SECRET.iter().any(|part| name.contains(part)) || SECRET_ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether headers may have this name.
fn is_name(name: &str) -> bool {
    let may_stand = |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    !name.is_empty() && name.chars().all(may_stand)
}
