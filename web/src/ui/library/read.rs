//! A file of all workflows, read: what of it can be, and what is to be said of the rest.

use serde_json::Value;
use stepweave_core::document::{self, Document, nesting};
use stepweave_core::json;
use stepweave_core::problem::{Problem, Severity};
use stepweave_core::validate::check_structure;

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
    /// The names of workflows of a newer version: what this page does not know of them would be lost.
    newer: Vec<String>,
    is_newer: bool,
}

/// Reads such a file; nothing when it is none.
pub fn read(text: &str) -> Option<Read> {
    let mut file: Value = nesting::read(text)?;
    if file.get("stepweave").and_then(Value::as_str) != Some(MARK) {
        return None;
    }
    let is_newer = is_above(&file, VERSION);
    let mut read = Read { workflows: Vec::new(), unread: Vec::new(), newer: Vec::new(), is_newer };
    let Some(Value::Array(workflows)) = file.get_mut("workflows").map(Value::take) else { return Some(read) };
    for (at, value) in workflows.into_iter().enumerate() {
        let name = value.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let name = name.map_or_else(|| format!("number {}", at + 1), |name| format!("“{name}”"));
        if is_above(&value, document::VERSION) {
            read.newer.push(name);
            continue;
        }
        match Document::from_json(value.clone()) {
            Ok(document) => read.workflows.push(document),
            Err(why) => read.unread.push(Unread { name, why: reason(&value).unwrap_or(why) }),
        }
    }
    Some(read)
}

/// Whether something is of a version that is newer than this one.
fn is_above(value: &Value, known: u32) -> bool {
    value.get("version").and_then(Value::as_f64).is_some_and(|version| version > known.into())
}

/// Where a workflow is wrong, what is wrong there and what to do, as the import of it alone says it.
fn reason(workflow: &Value) -> Option<String> {
    let found = check_structure(&json::text(workflow)).problems;
    let Problem { path, message, hint, .. } =
        found.into_iter().find(|problem| problem.severity == Severity::Error)?;
    let place = if path.is_empty() { path } else { format!("{path}: ") };
    let to_do = if hint.is_empty() { hint } else { format!(": {hint}") };
    Some(format!("{place}{message}{to_do}"))
}

impl Read {
    /// What is to be said of a file besides what was added; nothing where all of it was read.
    pub fn said(&self) -> Option<String> {
        let is_newer = self.is_newer.then(|| "This file is".to_owned() + NEWER);
        let unread = (!self.unread.is_empty()).then(|| {
            let named = self.unread.iter().take(MOST_NAMED);
            let mut all: Vec<String> =
                named.map(|Unread { name, why }| format!("{name} ({})", why.trim_end_matches('.'))).collect();
            all.extend(more_than_named(self.unread.len()));
            format!("{} of the file cannot be read: {}.", self.unread.len(), all.join(", "))
        });
        let newer = (!self.newer.is_empty()).then(|| {
            let named = self.newer.iter().take(MOST_NAMED).cloned();
            let all: Vec<String> = named.chain(more_than_named(self.newer.len())).collect();
            left_out(&format!("{} of the file", all.join(", ")), self.newer.len())
        });
        let said: Vec<String> = unread.into_iter().chain(newer).chain(is_newer).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// How many of a file of this name, which is one of several, cannot be read.
    pub fn unread_of(&self, name: &str) -> Option<String> {
        (!self.unread.is_empty()).then(|| format!("{} of “{name}”", self.unread.len()))
    }

    /// That a file of this name, which is one of several, is a newer one, or what of it is.
    pub fn newer_of(&self, name: &str) -> Option<String> {
        let of_file = self.is_newer.then(|| format!("“{name}” is{NEWER}"));
        let of_workflows = (!self.newer.is_empty()).then(|| {
            let count = self.newer.len();
            let noun = if count == 1 { "workflow" } else { "workflows" };
            left_out(&format!("{count} {noun} of “{name}”"), count)
        });
        let said: Vec<String> = of_workflows.into_iter().chain(of_file).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }
}

/// How many there are besides those that are named.
fn more_than_named(count: usize) -> Option<String> {
    count.checked_sub(MOST_NAMED).filter(|more| *more > 0).map(|more| format!("{more} more"))
}

/// What is said of workflows that a newer page has made.
fn left_out(whose: &str, count: usize) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!(
        "{whose} {verb} of a newer version of the builder and left out: reload the page, then import the file again."
    )
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
        let why = |value: &Value| reason(value).unwrap();
        let first = why(&json!({ "name": 7 }));
        let second = why(&json!({ "version": 1, "name": "Bees" }));
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

    #[test]
    fn a_workflow_that_cannot_be_read_is_named_with_the_place_and_what_to_do() {
        let step = json!({ "id": "s1", "type": "wait", "name": "w", "wait": { "ms": 1 } });
        let bad = json!({ "version": 1, "name": "Bad", "steps": [step, { "id": "s2", "type": "brew", "name": "b" }] });
        let said = of(1, &[bad]).said().unwrap();
        assert!(said.starts_with("1 of the file cannot be read: “Bad” (steps[1].type: "), "{said}");
        assert!(said.contains("agent"), "{said}");
    }

    #[test]
    fn a_workflow_of_a_newer_version_is_left_out_and_said_to_be_one() {
        let good = json!({ "version": 1, "name": "a", "steps": [] });
        let all = of(1, &[good.clone(), json!({ "version": 99, "name": "Bees", "steps": [] })]);
        assert_eq!((all.workflows.len(), all.unread_of("all.json")), (1, None));
        let rest =
            "of a newer version of the builder and left out: reload the page, then import the file again.";
        assert_eq!(all.said().unwrap(), format!("“Bees” of the file is {rest}"));
        assert_eq!(all.newer_of("all.json").unwrap(), format!("1 workflow of “all.json” is {rest}"));
        let many = of(1, &vec![json!({ "version": 2 }); 4]);
        assert_eq!(
            many.said().unwrap(),
            format!("number 1, number 2, number 3, 1 more of the file are {rest}")
        );
    }
}
