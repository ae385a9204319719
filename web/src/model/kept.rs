//! A JSON of the workflow that is kept as it was typed, and the version of the workflow that it was typed over: only in
//! the place of that one it takes nothing away that a person does not see.

use std::hash::{DefaultHasher, Hash, Hasher};

use stepweave_core::document::Document;
use stepweave_core::json;
use stepweave_core::validate::check_structure;

use super::change::Drafts;
use super::problem::DOCUMENT;

/// The draft that says over which version the text was typed.
pub const BASE: &str = "documentBase";

/// What becomes of a text that was typed.
#[derive(Debug, PartialEq)]
pub enum Fate {
    /// It is the workflow.
    Taken(Box<Document>),
    /// It is kept beside the workflow, with the version that it was typed over.
    Kept(String),
}

/// What tells one version of a workflow from another. A later page may reckon it in another way: then it only asks once more.
pub fn version_of(document: &Document) -> String {
    let mut hasher = DefaultHasher::new();
    // Plain data with text keys always has a JSON form.
    json::text(document).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Whether a text is kept that was typed over another version of the workflow than this one. Of a text that an older page
/// has kept nobody knows over which.
pub fn is_of_another(drafts: &Drafts, now: &Document) -> bool {
    drafts.contains_key(DOCUMENT) && drafts.get(BASE) != Some(&version_of(now))
}

/// What becomes of a text that was typed where this version was shown.
pub fn fate_of(written: &str, drafts: &Drafts, shown: Option<&Document>, now: &Document) -> Fate {
    let is_kept = drafts.contains_key(DOCUMENT);
    let is_other = if is_kept { is_of_another(drafts, now) } else { shown.is_some_and(|shown| shown != now) };
    match check_structure(written).document {
        Some(document) if !is_other || document == *now => Fate::Taken(Box::new(document)),
        _ if is_kept => Fate::Kept(drafts.get(BASE).cloned().unwrap_or_default()),
        _ => Fate::Kept(version_of(shown.unwrap_or(now))),
    }
}

#[cfg(test)]
mod tests {
    use stepweave_core::document::nesting;

    use super::*;
    use crate::model::history::History;
    use crate::model::work::{Work, snapshot};

    fn drafts(text: &str, base: Option<&Document>) -> Drafts {
        let base = base.map(|base| (BASE.to_owned(), version_of(base)));
        [(DOCUMENT.to_owned(), text.to_owned())].into_iter().chain(base).collect()
    }

    #[test]
    fn a_text_takes_the_place_of_the_version_that_it_was_typed_over_and_of_no_other() {
        let (before, now) = (Document::new("before"), Document::new("now"));
        let typed = Document::new("typed");
        let (valid, broken) = (json::text(&typed), format!("{} oops", json::text(&typed)));
        let nothing = Drafts::new();
        let taken = || Fate::Taken(Box::new(typed.clone()));
        let kept = |base: &Document| Fate::Kept(version_of(base));
        assert_eq!(fate_of(&valid, &nothing, Some(&now), &now), taken());
        assert_eq!(fate_of(&broken, &nothing, Some(&now), &now), kept(&now));
        // Changed between a letter and the pause after it.
        assert_eq!(fate_of(&valid, &nothing, Some(&before), &now), kept(&before));
        // Kept, and then changed elsewhere.
        let old = drafts(&broken, Some(&before));
        assert!(is_of_another(&old, &now) && !is_of_another(&old, &before));
        assert_eq!(fate_of(&valid, &old, None, &now), kept(&before));
        assert_eq!(fate_of(&valid, &old, None, &before), taken());
        // What says the same as the workflow takes nothing away.
        assert_eq!(fate_of(&json::text(&now), &old, None, &now), Fate::Taken(Box::new(now.clone())));
        // Once a person has chosen the text.
        assert_eq!(fate_of(&valid, &drafts(&broken, Some(&now)), None, &now), taken());
        // An older page did not say over which version.
        assert!(is_of_another(&drafts(&broken, None), &now) && !is_of_another(&nothing, &now));
        assert_eq!(fate_of(&valid, &drafts(&broken, None), None, &now), Fate::Kept(String::new()));
    }

    #[test]
    fn a_reload_changes_no_version() {
        let text = r#"{"version":1,"name":"t","initialState":{"b":1.50,"a":[null,{"z":0.1,"y":12345678901234567890}]},
            "steps":[{"id":"s1","type":"wait","name":"w","wait":{"ms":5}}]}"#;
        let document = check_structure(text).document.unwrap();
        let work = Work { drafts: drafts("{", Some(&document)), ..Work::new(document) };
        let stored =
            snapshot(&work.document, &work.drafts, &mut History::default(), &work.samples, &work.folded);
        let read: Work = nesting::read(&stored).unwrap();
        assert!(!is_of_another(&read.drafts, &read.document));
    }
}
