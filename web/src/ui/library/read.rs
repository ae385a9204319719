//! A file of all workflows, read: what of it can be, and what is to be said of the rest.

use serde_json::Value;
use stepweave_core::document::{Document, nesting};

use super::file::{MARK, VERSION};

/// How many workflows that cannot be read are named.
const MOST_NAMED: usize = 3;

/// A workflow of the file that cannot be read.
#[derive(Debug, PartialEq)]
struct Unread {
    /// Its name, or its place in the file.
    name: String,
    why: String,
}

/// What such a file has.
#[derive(Debug)]
pub struct Read {
    /// The workflows that can be read.
    pub workflows: Vec<Document>,
    unread: Vec<Unread>,
    is_newer: bool,
}

/// Reads such a file; nothing when it is none.
pub fn read(text: &str) -> Option<Read> {
    let mut file: Value = nesting::read(text)?;
    if file.get("stepweave").and_then(Value::as_str) != Some(MARK) {
        return None;
    }
    let is_newer =
        file.get("version").and_then(Value::as_f64).is_some_and(|version| version > VERSION.into());
    let mut read = Read { workflows: Vec::new(), unread: Vec::new(), is_newer };
    let Some(Value::Array(workflows)) = file.get_mut("workflows").map(Value::take) else { return Some(read) };
    for (at, value) in workflows.into_iter().enumerate() {
        let name = value.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let name = name.map_or_else(|| format!("number {}", at + 1), |name| format!("“{name}”"));
        match Document::from_json(value) {
            Ok(document) => read.workflows.push(document),
            Err(why) => read.unread.push(Unread { name, why: why.trim_end_matches('.').to_owned() }),
        }
    }
    Some(read)
}

impl Read {
    /// What is to be said of a file besides what was added; nothing where all of it was read.
    pub fn said(&self) -> Option<String> {
        let is_newer = self.is_newer.then(|| "This file is".to_owned() + NEWER);
        let unread = (!self.unread.is_empty()).then(|| {
            let named = self.unread.iter().take(MOST_NAMED);
            let mut all: Vec<String> = named.map(|Unread { name, why }| format!("{name} ({why})")).collect();
            if let Some(more) = self.unread.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
                all.push(format!("{more} more"));
            }
            format!("{} of the file cannot be read: {}.", self.unread.len(), all.join(", "))
        });
        let said: Vec<String> = unread.into_iter().chain(is_newer).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// How many of a file of this name, which is one of several, cannot be read.
    pub fn unread_of(&self, name: &str) -> Option<String> {
        (!self.unread.is_empty()).then(|| format!("{} of “{name}”", self.unread.len()))
    }

    /// That a file of this name, which is one of several, is a newer one.
    pub fn newer_of(&self, name: &str) -> Option<String> {
        self.is_newer.then(|| format!("“{name}” is{NEWER}"))
    }
}

/// What is said of a file that a newer page has exported, behind what it is called.
const NEWER: &str = " of a newer version of the builder: what only that one knows is not taken over. Reload the page, then import it again.";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(version: u32, workflows: &[Value]) -> Read {
        let file = json!({ "stepweave": "library", "version": version, "workflows": workflows });
        read(&file.to_string()).unwrap()
    }

    #[test]
    fn what_is_broken_in_a_file_of_workflows_is_named_with_its_reason() {
        let good = json!({ "version": 1, "name": "a", "steps": [] });
        let all = of(1, &[good.clone(), json!({ "name": 7 }), json!({ "version": 1, "name": "Bees" })]);
        assert_eq!(all.workflows.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["a"]);
        let why = |value: Value| Document::from_json(value).unwrap_err();
        let (first, second) = (why(json!({ "name": 7 })), why(json!({ "version": 1, "name": "Bees" })));
        let (first, second) = (first.trim_end_matches('.'), second.trim_end_matches('.'));
        assert_eq!(
            all.said().unwrap(),
            format!("2 of the file cannot be read: number 2 ({first}), “Bees” ({second}).")
        );
        assert_eq!(all.unread_of("all.json").unwrap(), "2 of “all.json”");
        let many = of(1, &vec![json!(1); 5]).said().unwrap();
        assert!(many.starts_with("5 of the file cannot be read: number 1 ("), "{many}");
        assert!(many.contains("number 3 (") && many.ends_with("), 2 more."), "{many}");
        let whole = of(1, &[good]);
        assert_eq!((whole.said(), whole.unread_of("a"), whole.newer_of("a")), (None, None, None));
        assert!(read(r#"{"version":1,"name":"a","steps":[]}"#).is_none());
        assert!(read("[").is_none());
    }

    #[test]
    fn a_file_of_a_newer_page_is_said_to_be_one() {
        let newer = of(2, &[json!({ "version": 1, "name": "a", "steps": [] })]);
        assert_eq!(newer.workflows.len(), 1);
        assert_eq!(newer.said().unwrap(), format!("This file is{NEWER}"));
        assert_eq!(newer.newer_of("all.json").unwrap(), format!("“all.json” is{NEWER}"));
    }
}
