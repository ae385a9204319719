//! What is said when steps are cut that others use: nobody is asked, since they are about to be pasted elsewhere.

use stepweave_core::document::{Document, every};

use super::renaming::users_of_steps;

/// Who uses what is cut, for the person who cuts it; nothing where nobody does.
pub fn said_of_cut(document: &Document, ids: &[String]) -> Option<String> {
    let users = users_of_steps(document, ids);
    let uses = |id: &String| users.iter().any(|used| used.step.as_ref() == Some(id));
    let mut names: Vec<&str> =
        every(&document.steps).filter(|step| uses(&step.id)).map(|step| step.name.as_str()).collect();
    // What is no step has its path, as in the question before something is deleted.
    names.extend(users.iter().filter(|used| used.step.is_none()).map(|used| used.path.as_str()));
    let who = match names.as_slice() {
        [] => return None,
        [only] => format!("“{only}” uses"),
        [one, other] => format!("“{one}” and “{other}” use"),
        [first, others @ ..] => format!("“{first}” and {} others use", others.len()),
    };
    Some(format!("{who} what you cut: paste it where it runs before it is read."))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn said(readers: &[(&str, &str)], ids: &[&str]) -> Option<String> {
        let reader = |(name, reads): &(&str, &str)| -> Value {
            json!({ "id": name, "type": "function", "name": name, "run": { "set": { *name: reads, "n": reads } } })
        };
        let steps =
            json!([{ "id": "s1", "type": "http", "name": "rest", "http": { "url": "https://a.test/" } }]);
        let steps: Vec<Value> =
            steps.as_array().into_iter().flatten().cloned().chain(readers.iter().map(reader)).collect();
        let document = Document::from_json(json!({ "version": 1, "name": "t", "steps": steps })).unwrap();
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        said_of_cut(&document, &ids)
    }

    #[test]
    fn who_uses_what_is_cut_is_named_in_the_order_of_the_workflow() {
        let reads = "rest_output";
        let end = "what you cut: paste it where it runs before it is read.";
        assert_eq!(said(&[("a", "1")], &["s1"]), None);
        assert_eq!(said(&[("a", reads)], &["s1"]), Some(format!("“a” uses {end}")));
        assert_eq!(said(&[("b", reads), ("a", reads)], &["s1"]), Some(format!("“b” and “a” use {end}")));
        let many = [("c", reads), ("b", reads), ("a", reads)];
        assert_eq!(said(&many, &["s1"]), Some(format!("“c” and 2 others use {end}")));
        // Who goes along misses nothing.
        assert_eq!(said(&many, &["s1", "c", "a"]), Some(format!("“b” uses {end}")));
    }
}
