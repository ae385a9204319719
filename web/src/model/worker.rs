//! The workflow as a program of one file that serves it from the edge.

use indexmap::IndexMap;
use stepweave_core::document::Document;

const PROGRAM: &str = include_str!("worker.js");

/// The program, with the document in it. It has the names of keys, never their values.
///
/// `origin` says where a key may go: the origin of an address.
pub fn program(document: &Document, origin: impl Fn(&str) -> Option<String>) -> String {
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    // A document is plain data with text keys, which always has a JSON form; so have the names.
    let origins = serde_json::to_string(&keys(document, origin)).unwrap_or_default();
    PROGRAM.replacen("/* origins */", &origins, 1).replacen("/* document */", &text, 1)
}

/// The names of the keys that the models have, with the origins that each is sent to.
pub fn keys(document: &Document, origin: impl Fn(&str) -> Option<String>) -> IndexMap<String, Vec<String>> {
    let mut found: IndexMap<String, Vec<String>> = IndexMap::new();
    for model in document.models.values() {
        let url = model.base_url.as_deref().unwrap_or(model.provider.base_url());
        if let (Some(key), Some(origin)) = (&model.api_key, origin(url)) {
            let origins = found.entry(key.secret.clone()).or_default();
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
    }
    found
}

/// What a person types to serve the program under this name.
pub fn commands(name: &str, keys: impl Iterator<Item = String>) -> String {
    let set = keys.map(|key| format!("npx wrangler@4 secret put {key} --name {name}\n")).collect::<String>();
    format!(
        "npm install stepweave\nnpx wrangler@4 deploy {name}.js --name {name} --compatibility-date 2026-04-01 --compatibility-flag enable_request_signal\n{set}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::state::origin_of;

    #[test]
    fn the_program_has_the_document_and_the_places_of_its_keys() {
        let document: Document = serde_json::from_value(serde_json::json!({ "version": 1, "name": "/* origins */", "steps": [],
            "models": {
                "a": { "provider": "anthropic", "model": "m", "apiKey": { "secret": "OWN" } },
                "b": { "provider": "openai", "model": "m", "baseUrl": "https://ai.example/v1", "apiKey": { "secret": "OWN" } },
                "c": { "provider": "demo", "model": "demo" } } }))
        .unwrap();
        let program = program(&document, origin_of);
        assert!(program.contains(r#"origins = {"OWN":["https://api.anthropic.com","https://ai.example"]};"#));
        assert!(program.contains(r#""name": "/* origins */""#));
        let told = commands("my-flow", keys(&document, origin_of).into_keys());
        assert!(told.ends_with("npx wrangler@4 secret put OWN --name my-flow\n"));
    }
}
