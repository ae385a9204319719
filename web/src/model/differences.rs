//! What changed between two documents, as a tree: the steps of the later one, with those that went where they were.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::{Map, Value};
use stepweave_core::document::{Document, Step};

use super::readable::readable;
use super::settings::without_steps;

/// A step, or the workflow itself, that changed or has something in it that did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What people call it.
    pub name: String,
    /// How many steps it is inside of.
    pub depth: usize,
    /// What became of it.
    pub change: Change,
    /// What is another now, if the step is in both documents.
    pub fields: Vec<FieldChange>,
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is only in the later document.
    Added,
    /// It is only in the earlier one.
    Removed,
    /// It stands elsewhere, and may have changed too.
    Moved,
    /// Something of it is another.
    Changed,
    /// It is the same; something in it changed.
    Around,
}

/// A value that is another now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// Where it is in the step or the document.
    pub path: String,
    /// As it was; nothing when it was not there.
    pub before: Option<String>,
    /// As it is.
    pub after: Option<String>,
}

/// What changed from one document to another.
pub fn differences(before: &Document, after: &Document) -> Vec<Difference> {
    let mut found = Vec::new();
    let fields =
        compared(&without(&without_steps(before), &["steps"]), &without(&without_steps(after), &["steps"]));
    if !fields.is_empty() {
        let name = "Settings of the workflow".to_owned();
        found.push(Difference { name, depth: 0, change: Change::Changed, fields });
    }
    let (old, new) = (Tree::of(&before.steps), Tree::of(&after.steps));
    let mut walk = Walk { still: still(&old, &new), old, new, found };
    walk.block(&(None, "steps".to_owned()), 0);
    walk.found
}

/// The list that a step is in: the step around it and the list's key.
type Parent<'a> = (Option<&'a str>, String);

struct Tree<'a> {
    steps: HashMap<&'a str, &'a Step>,
    parents: HashMap<&'a str, Parent<'a>>,
    blocks: HashMap<Parent<'a>, Vec<&'a str>>,
}

impl<'a> Tree<'a> {
    fn of(steps: &'a [Step]) -> Self {
        let mut tree = Self { steps: HashMap::new(), parents: HashMap::new(), blocks: HashMap::new() };
        let mut open: Vec<(Parent<'a>, &'a [Step])> = vec![((None, "steps".to_owned()), steps)];
        while let Some((parent, steps)) = open.pop() {
            for step in steps {
                tree.steps.insert(&step.id, step);
                tree.parents.insert(&step.id, parent.clone());
                for (key, inner) in step.blocks() {
                    open.push(((Some(&step.id), key.into_owned()), inner));
                }
            }
            tree.blocks.insert(parent, steps.iter().map(|step| step.id.as_str()).collect());
        }
        tree
    }
}

struct Walk<'a> {
    old: Tree<'a>,
    new: Tree<'a>,
    /// The steps that stand where they stood, among their neighbours.
    still: HashSet<&'a str>,
    found: Vec<Difference>,
}

impl<'a> Walk<'a> {
    fn block(&mut self, parent: &Parent<'a>, depth: usize) {
        for id in self.new.blocks.get(parent).cloned().unwrap_or_default() {
            self.step(id, depth);
        }
        for id in self.old.blocks.get(parent).cloned().unwrap_or_default() {
            if !self.new.steps.contains_key(id) {
                self.push(id, depth, Change::Removed, Vec::new());
            }
        }
    }

    fn step(&mut self, id: &'a str, depth: usize) {
        let own = self.found.len();
        let Some(&step) = self.new.steps.get(id) else { return };
        let (change, fields) = match self.old.steps.get(id) {
            None => (Change::Added, Vec::new()),
            Some(old) => {
                let fields = compared(&own_json(old), &own_json(step));
                let moved = !self.still.contains(id);
                let change = match (moved, fields.is_empty()) {
                    (true, _) => Change::Moved,
                    (false, false) => Change::Changed,
                    (false, true) => Change::Around,
                };
                (change, fields)
            }
        };
        self.push(id, depth, change, fields);
        // Lists that only the earlier step had are looked through for what went with them.
        let mut keys: Vec<String> = step.blocks().into_iter().map(|(key, _)| key.into_owned()).collect();
        for (key, _) in self.old.steps.get(id).map(|old| old.blocks()).unwrap_or_default() {
            if !keys.iter().any(|known| *known == key) {
                keys.push(key.into_owned());
            }
        }
        for key in keys {
            self.block(&(Some(id), key), depth + 1);
        }
        if change == Change::Around && self.found.len() == own + 1 {
            self.found.truncate(own);
        }
    }

    fn push(&mut self, id: &str, depth: usize, change: Change, fields: Vec<FieldChange>) {
        let step = self.new.steps.get(id).or_else(|| self.old.steps.get(id));
        let name = step.map(|step| step.name.clone()).unwrap_or_default();
        self.found.push(Difference { name, depth, change, fields });
    }
}

/// The steps that stand in the same list as before and, of each list, in the order of before: as many as possible, so
/// that one step that went to the front does not make all others move.
fn still<'a>(old: &Tree<'a>, new: &Tree<'a>) -> HashSet<&'a str> {
    let mut still = HashSet::new();
    for (parent, ids) in &new.blocks {
        let before: HashMap<&str, usize> =
            old.blocks.get(parent).into_iter().flatten().enumerate().map(|(at, id)| (*id, at)).collect();
        let both: Vec<(&'a str, usize)> = ids.iter().filter_map(|id| Some((*id, *before.get(id)?))).collect();
        still.extend(longest_rising(&both));
    }
    still
}

/// The ids of a longest subsequence whose positions rise.
fn longest_rising<'a>(both: &[(&'a str, usize)]) -> Vec<&'a str> {
    // For each length, the end of the best subsequence so far; and for each element, what comes before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(both.len());
    let position = |index: &usize| both.get(*index).map_or(0, |(_, position)| *position);
    for (index, (_, at)) in both.iter().enumerate() {
        let length = ends.partition_point(|end| position(end) < *at);
        previous.push(length.checked_sub(1).and_then(|length| ends.get(length).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut rising = Vec::new();
    let mut next = ends.last().copied();
    while let Some(index) = next {
        rising.extend(both.get(index).map(|(id, _)| *id));
        next = previous.get(index).copied().flatten();
    }
    rising
}

/// The step without the steps inside it.
fn own_json(step: &Step) -> Value {
    let keys: Vec<_> = step.blocks().into_iter().map(|(key, _)| key).collect();
    let plain: Vec<&str> = keys.iter().map(|key| key.as_ref()).filter(|key| !key.contains('[')).collect();
    let mut value = without(step, &plain);
    // What else a step has are the cases of a switch.
    for case in value.get_mut("cases").and_then(Value::as_array_mut).into_iter().flatten() {
        case.as_object_mut().map(|case| case.shift_remove("steps"));
    }
    value
}

fn without(value: &impl Serialize, keys: &[&str]) -> Value {
    // Documents and steps are plain data with text keys, which always have a JSON form.
    let mut value = serde_json::to_value(value).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        keys.iter().for_each(|key| drop(object.shift_remove(*key)));
    }
    value
}

fn compared(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut found = Vec::new();
    compare("", Some(before), Some(after), &mut found);
    found
}

/// Objects are compared key by key; whatever else there is, as a whole.
fn compare(path: &str, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<FieldChange>) {
    if before == after {
        return;
    }
    let object = |value: Option<&Value>| value.and_then(Value::as_object).cloned();
    let both = match (object(before), object(after)) {
        (Some(before), Some(after)) => Some((before, after)),
        (Some(before), None) if after.is_none() => Some((before, Map::new())),
        (None, Some(after)) if before.is_none() => Some((Map::new(), after)),
        _ => None,
    };
    let Some((before, after)) = both else {
        let path = path.to_owned();
        return found.push(FieldChange { path, before: before.map(readable), after: after.map(readable) });
    };
    let new = after.keys().filter(|key| !before.contains_key(*key));
    for key in before.keys().chain(new) {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        compare(&path, before.get(key), after.get(key), found);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(value: &Value) -> Document {
        serde_json::from_value(value.clone()).unwrap()
    }

    fn wait(id: &str, ms: u64) -> Value {
        json!({ "id": id, "type": "wait", "name": format!("name_{id}"), "wait": { "ms": ms } })
    }

    fn summary(before: &Value, after: &Value) -> Vec<String> {
        let found = differences(&document(before), &document(after));
        let line = |found: &Difference| {
            let fields: Vec<String> = found
                .fields
                .iter()
                .map(|field| format!(" {}: {:?} -> {:?}", field.path, field.before, field.after))
                .collect();
            format!("{}{} {:?}{}", "  ".repeat(found.depth), found.name, found.change, fields.concat())
        };
        found.iter().map(line).collect()
    }

    fn of(steps: &[Value]) -> Value {
        json!({ "version": 1, "name": "w", "steps": steps })
    }

    #[test]
    fn equal_documents_have_no_differences() {
        let both = of(&[
            wait("a", 1),
            json!({ "id": "q", "type": "sequence", "name": "q", "steps": [wait("b", 2)] }),
        ]);
        assert_eq!(summary(&both, &both), [] as [&str; 0]);
    }

    #[test]
    fn what_was_added_removed_changed_and_moved_stands_where_it_is_in_the_tree() {
        let inner = |steps: &[Value]| json!({ "id": "q", "type": "sequence", "name": "q", "steps": steps });
        let before = of(&[wait("a", 1), inner(&[wait("b", 2), wait("c", 3)]), wait("d", 4)]);
        let after = of(&[wait("d", 4), wait("a", 1), inner(&[wait("b", 5), wait("e", 6)])]);
        let wanted = [
            "name_d Moved",
            "q Around",
            "  name_b Changed wait.ms: Some(\"2\") -> Some(\"5\")",
            "  name_e Added",
            "  name_c Removed",
        ];
        assert_eq!(summary(&before, &after), wanted);
    }

    #[test]
    fn a_step_that_went_into_another_one_has_moved_with_its_changes() {
        let before = of(&[wait("a", 1), json!({ "id": "q", "type": "sequence", "name": "q", "steps": [] })]);
        let after = of(&[json!({ "id": "q", "type": "sequence", "name": "q", "steps": [wait("a", 2)] })]);
        assert_eq!(
            summary(&before, &after),
            ["q Around", "  name_a Moved wait.ms: Some(\"1\") -> Some(\"2\")"]
        );
    }

    #[test]
    fn cases_of_a_switch_are_compared_without_their_steps() {
        let switch = |when: &str, steps: &[Value]| json!({ "id": "s", "type": "switch", "name": "s", "cases": [{ "when": when, "steps": steps }], "default": [] });
        let found = summary(&of(&[switch("x", &[])]), &of(&[switch("x", &[wait("a", 1)])]));
        assert_eq!(found, ["s Around", "  name_a Added"]);
        let found = summary(&of(&[switch("x", &[wait("a", 1)])]), &of(&[switch("y", &[wait("a", 1)])]));
        assert!(found.len() == 1 && found[0].starts_with("s Changed cases:"), "{found:?}");
    }

    #[test]
    fn settings_say_their_path_and_both_texts() {
        let of = |prompt: &str| {
            json!({ "version": 1, "name": "w", "steps": [],
                "models": { "m": { "provider": "demo", "model": "demo" } },
                "agents": { "writer": { "model": "m", "instructions": prompt } } })
        };
        let wanted = "Settings of the workflow Changed agents.writer.instructions: Some(\"Short.\") -> Some(\"Long.\")";
        assert_eq!(summary(&of("Short."), &of("Long.")), [wanted]);
    }
}
