//! The workflows that the page offers to begin from.

use leptos::prelude::*;
use stepweave_core::document::Document;
use wasm_bindgen_futures::spawn_local;

use super::fetch;
use super::opening;
use crate::bridge::Bridge;
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

/// The templates that the menu has; the first one is what a first visit shows.
pub const FIRST: [Template; 5] = [
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

/// All others, which come with the files that show them.
const OTHERS: [Template; 16] = [
    Template {
        name: "Assistant that remembers",
        about: "A conversation to chat with, an agent with a tool",
        file: "assistant",
    },
    Template {
        name: "Router",
        about: "An agent sorts a message, one of three specialists answers",
        file: "router",
    },
    Template {
        name: "Guarded refunds",
        about: "A guardrail, an agent with a tool, an approval",
        file: "guarded-agent",
    },
    Template {
        name: "Answer with sources",
        about: "Chooses passages, answers from them alone, cites them",
        file: "answer-with-sources",
    },
    Template {
        name: "Extract to JSON",
        about: "Facts of a free text in a fixed schema, checked by code",
        file: "extract-details",
    },
    Template {
        name: "Meeting notes",
        about: "Summary, decisions and tasks at the same time",
        file: "meeting-notes",
    },
    Template {
        name: "Clean up a list",
        about: "Code tidies, an agent decides what rules cannot",
        file: "clean-data",
    },
    Template { name: "Newsletter", about: "For each article a sentence, then an issue", file: "newsletter" },
    Template {
        name: "Invoice check",
        about: "Reads an invoice, adds it up again, asks when in doubt",
        file: "invoice-check",
    },
    Template {
        name: "Content moderation",
        about: "Rules first, then an agent, the rest for a person",
        file: "moderate-comments",
    },
    Template {
        name: "Compare models",
        about: "Two models answer, a third judges blindly",
        file: "compare-models",
    },
    Template {
        name: "Summarise a list of pages",
        about: "For each page a request and a summary, then one message",
        file: "patterns/list-summarise",
    },
    Template {
        name: "Webhook to ticket",
        about: "Classifies what comes in, and creates a ticket or a lead",
        file: "patterns/webhook-classify",
    },
    Template {
        name: "Add up pages of an API",
        about: "Follows the pages of an API and aggregates them",
        file: "patterns/paginate-aggregate",
    },
    Template {
        name: "Approve a form",
        about: "A schema checks, a person approves, a message goes out",
        file: "patterns/form-approve",
    },
    Template {
        name: "Retry and fall back",
        about: "Asks a busy service again, then another one",
        file: "patterns/retry-fallback",
    },
];

/// Every template.
pub fn all() -> impl Iterator<Item = Template> {
    FIRST.into_iter().chain(OTHERS)
}

impl Template {
    /// Where its document is.
    pub fn address(self, bridge: &Bridge) -> String {
        bridge.template(self.file)
    }

    /// Whether its words have this, which is in lower case.
    pub fn has(self, wanted: &str) -> bool {
        format!("{} {}", self.name, self.about).to_lowercase().contains(wanted)
    }
}

/// The first one is in the page: a first visit waits for nothing else.
const FIRST_DOCUMENT: &str = include_str!("../../../examples/research-report.json");

/// What a first visit shows.
pub fn first() -> Document {
    // A test reads every template, so none is ever broken.
    serde_json::from_str(FIRST_DOCUMENT).unwrap_or_else(|_| Document::new("Untitled"))
}

/// Opens a template, which is fetched when it is chosen.
pub fn open_template(app: App, template: Template) {
    let address = app.bridge.with_value(|bridge| template.address(bridge));
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
        for template in all() {
            let file = format!("{}/../examples/{}.json", env!("CARGO_MANIFEST_DIR"), template.file);
            let text = std::fs::read_to_string(file).unwrap();
            let report = check_structure(&text);
            assert!(report.problems.is_empty(), "{}: {:?}", template.name, report.problems);
            assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), report.document.unwrap());
        }
        assert_eq!(first().name, FIRST[0].name);
    }
}
