//! The workflows that the page offers to begin from.

use leptos::prelude::*;
use stepweave_core::document::Document;
use wasm_bindgen_futures::spawn_local;

use super::fetch;
use super::opening;
use crate::page::state::App;

/// A workflow to begin from.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// What people call it.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    file: &'static str,
}

/// Every template; the first one is what a first visit shows.
pub const TEMPLATES: [Template; 5] = [
    Template {
        name: "Research report",
        about: "Agents, a parallel analysis, a review on demand",
        file: "research-report",
    },
    Template {
        name: "Support triage",
        about: "Functions compute, a condition decides",
        file: "support-triage",
    },
    Template {
        name: "Translate and check",
        about: "Two lanes of several steps, two at once",
        file: "translate-and-check",
    },
    Template {
        name: "Review until good",
        about: "For each topic, a loop with a check, a person decides",
        file: "review-until-good",
    },
    Template { name: "Honey orders", about: "An agent with tools answers with JSON", file: "honey-orders" },
];

/// The first one is in the page: a first visit waits for nothing else.
const FIRST: &str = include_str!("../../../examples/research-report.json");

/// What a first visit shows.
pub fn first() -> Document {
    // A test reads every template, so none is ever broken.
    serde_json::from_str(FIRST).unwrap_or_else(|_| Document::new("Untitled"))
}

/// Opens a template, which is fetched when it is chosen.
pub fn open_template(app: App, template: Template) {
    let address = app.bridge.with_value(|bridge| bridge.template(template.file));
    spawn_local(async move {
        let document = fetch::text(&address).await.and_then(|text| serde_json::from_str(&text).ok());
        match document {
            Some(document) => opening::make(app, document),
            None => app.editor.notice.set(Some(format!(
                "“{}” could not be loaded. Are you online? Your workflow is unchanged.",
                template.name
            ))),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepweave_core::validate::check_structure;

    #[test]
    fn every_template_is_sound() {
        for template in TEMPLATES {
            let file = format!("{}/../examples/{}.json", env!("CARGO_MANIFEST_DIR"), template.file);
            let text = std::fs::read_to_string(file).unwrap();
            let report = check_structure(&text);
            assert!(report.problems.is_empty(), "{}: {:?}", template.name, report.problems);
            assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), report.document.unwrap());
        }
        assert_eq!(first().name, TEMPLATES[0].name);
    }
}
