//! The workflows that the page offers to begin from.

use stepweave_core::document::Document;

/// A workflow to begin from.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// What people call it.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    text: &'static str,
}

/// Every template; the first one is what a first visit shows.
pub const TEMPLATES: [Template; 5] = [
    Template {
        name: "Research report",
        about: "Agents, a parallel analysis, a review on demand",
        text: include_str!("../../../examples/research-report.json"),
    },
    Template {
        name: "Support triage",
        about: "Functions compute, a condition decides",
        text: include_str!("../../../examples/support-triage.json"),
    },
    Template {
        name: "Translate and check",
        about: "Two lanes of several steps, two at once",
        text: include_str!("../../../examples/translate-and-check.json"),
    },
    Template {
        name: "Review until good",
        about: "For each topic, a loop with a check, a person decides",
        text: include_str!("../../../examples/review-until-good.json"),
    },
    Template {
        name: "Honey orders",
        about: "An agent with tools answers with JSON",
        text: include_str!("../../../examples/honey-orders.json"),
    },
];

impl Template {
    /// The template's document.
    pub fn document(&self) -> Document {
        // A test reads every template, so none is ever broken.
        serde_json::from_str(self.text).unwrap_or_else(|_| Document::new(self.name))
    }
}

/// What a first visit shows.
pub fn first() -> Document {
    TEMPLATES.first().map_or_else(|| Document::new("Untitled"), Template::document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepweave_core::validate::check_structure;

    #[test]
    fn every_template_is_sound() {
        for template in TEMPLATES {
            let report = check_structure(template.text);
            assert!(report.problems.is_empty(), "{}: {:?}", template.name, report.problems);
            assert_eq!(template.document(), report.document.unwrap());
        }
    }
}
