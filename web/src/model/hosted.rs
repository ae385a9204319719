//! What changes for a workflow that runs elsewhere than in this browser.

use stepweave_core::document::{Document, Provider};

use super::endpoints::{models_in_use, parts_of};
use super::worker::{Reach, listed};

/// What whoever deploys a workflow has to know first, in sentences.
pub fn remarks(document: &Document, reach: &Reach) -> Vec<String> {
    let is_demo = |id: &String| document.models.get(id).is_some_and(|model| model.provider == Provider::Demo);
    let mut demo: Vec<&String> = models_in_use(document).filter(|id| is_demo(id)).collect();
    demo.sort();
    demo.dedup();
    let made_up = demo.iter().map(|id| {
        format!(
            "The model “{id}” makes its answers up, there as here: choose a real one for what people rely on."
        )
    });
    let local = reach.origins.iter().filter(|origin| is_local(origin)).map(|origin| {
        format!("{origin} is the machine itself on which the workflow runs: a Worker reaches nothing there.")
    });
    let readable = reach.keys.iter().filter_map(|(key, origins)| {
        let mut plain = origins.clone();
        plain.retain(|origin| origin.starts_with("http:") && !is_local(origin));
        let said = format!("{key} goes to {} as anybody on the way can read it: use https.", listed(&plain));
        (!plain.is_empty()).then_some(said)
    });
    made_up.chain(local).chain(readable).collect()
}

/// Whether an origin is the machine itself.
fn is_local(origin: &str) -> bool {
    let (_, host, _) = parts_of(origin);
    host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.") || host == "[::1]"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::endpoints::origin_of;
    use crate::model::worker::reach;

    #[test]
    fn what_a_server_or_a_worker_changes_is_said() {
        let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [],
            "models": { "own": { "provider": "ollama", "model": "m" }, "demo": { "provider": "demo", "model": "demo" }, "unused": { "provider": "demo", "model": "demo" },
                "far": { "provider": "openai", "model": "m", "baseUrl": "http://ai.example/v1", "apiKey": { "secret": "FAR_KEY" } },
                "safe": { "provider": "openai", "model": "m", "baseUrl": "https://ai.example/v1", "apiKey": { "secret": "SAFE_KEY" } } },
            "agents": { "a": { "model": "demo", "fallbacks": ["own"] }, "b": { "model": "demo" } } }))
        .unwrap();
        let said = remarks(&document, &reach(&document, origin_of).unwrap());
        assert_eq!(
            said,
            [
                "The model “demo” makes its answers up, there as here: choose a real one for what people rely on.",
                "http://localhost:11434 is the machine itself on which the workflow runs: a Worker reaches nothing there.",
                "FAR_KEY goes to http://ai.example as anybody on the way can read it: use https.",
            ]
        );
    }

    #[test]
    fn the_machine_itself_has_many_names() {
        for origin in [
            "http://localhost",
            "http://127.0.0.1:8080",
            "https://[::1]:1",
            "http://[::1]",
            "http://a.localhost:3",
        ] {
            assert!(is_local(origin), "{origin}");
        }
        for origin in ["https://localhost.example", "https://1.127.0.1", "https://ai.example:127"] {
            assert!(!is_local(origin), "{origin}");
        }
    }
}
