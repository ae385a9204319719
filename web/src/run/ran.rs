//! What was run.

use std::sync::{Arc, OnceLock};

use stepweave_core::document::Document;

/// The text of the document that a run is of. What looks at the run shares one reading of it.
#[derive(Debug, Clone, Default)]
pub struct Ran(Arc<Reading>);

#[derive(Debug, Default)]
struct Reading {
    text: String,
    document: OnceLock<Option<Document>>,
}

impl Ran {
    /// What was run, which nobody has read yet.
    pub fn new(text: String) -> Self {
        Self(Arc::new(Reading { text, document: OnceLock::new() }))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The document; nothing where the text is none.
    pub fn document(&self) -> Option<&Document> {
        self.0.document.get_or_init(|| serde_json::from_str(&self.0.text).ok()).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_once_by_all_who_look() {
        let ran = Ran::new(r#"{ "version": 1, "name": "t", "steps": [] }"#.to_owned());
        let other = ran.clone();
        let (one, two) = (ran.document().unwrap(), other.document().unwrap());
        assert!(std::ptr::eq(one, two));
        assert_eq!(one.name, "t");
        assert_eq!(Ran::new("{".to_owned()).document(), None);
    }
}
