//! The workflow as a list of rows: each step, and each way that is still empty, in the order of the tree.

use indexmap::IndexMap;
use stepweave_core::document::{Document, Step, StepKind};
use stepweave_core::edit::{Block, Slot};

use crate::layout::Place;
use crate::step::kinds::Kind;
use crate::step::words::called;

/// A row of the outline.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What stands there.
    pub item: Item,
    /// 1 for the steps of the workflow itself.
    pub level: usize,
    /// Its number among the rows of the same step, from 1.
    pub position: usize,
    /// How many rows the same step has.
    pub of: usize,
    /// Which of its step's ways it is in, as people call it; empty when there is only one.
    pub way: String,
}

/// What stands in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A step.
    Step {
        /// Its id.
        id: String,
        /// What people call it.
        name: String,
        /// Its kind.
        kind: Kind,
        /// Whether it is left out of runs.
        off: bool,
    },
    /// A way without steps.
    Empty(Place),
}

impl Row {
    /// The id of its step, if it has one.
    pub fn step(&self) -> Option<&str> {
        match &self.item {
            Item::Step { id, .. } => Some(id),
            Item::Empty(_) => None,
        }
    }

    fn key(&self) -> String {
        match &self.item {
            Item::Step { id, .. } => id.clone(),
            Item::Empty(place) => place.key(),
        }
    }
}

/// The rows of a workflow, each under a key that no other row has.
pub fn rows(document: &Document) -> IndexMap<String, Row> {
    let mut rows = IndexMap::new();
    let mut open = inside(1, vec![(Block::Root, String::new(), document.steps.as_slice())]);
    while let Some((row, step)) = open.pop() {
        let level = row.level + 1;
        rows.insert(row.key(), row);
        let Some(step) = step else { continue };
        let blocks = step.blocks().into_iter().map(|(key, steps)| {
            let way = way_of(step, &key);
            (Block::Inside { step: step.id.clone(), key: key.into_owned() }, way, steps.as_slice())
        });
        open.extend(inside(level, blocks.collect()));
    }
    rows
}

/// The rows of one step, or of the workflow itself, the last one first.
fn inside(level: usize, blocks: Vec<(Block, String, &[Step])>) -> Vec<(Row, Option<&Step>)> {
    let mut found = Vec::new();
    for (block, way, steps) in blocks {
        if steps.is_empty() {
            found.push((Item::Empty(Place::Slot(Slot { block, index: 0 })), way, None));
            continue;
        }
        found.extend(steps.iter().map(|step| {
            let (id, name) = (step.id.clone(), step.name.clone());
            let item = Item::Step { id, name, kind: Kind::of(step), off: !step.enabled };
            (item, way.clone(), Some(step))
        }));
    }
    let of = found.len();
    let rows = found.into_iter().enumerate();
    rows.map(|(index, (item, way, step))| (Row { item, level, position: index + 1, of, way }, step))
        .rev()
        .collect()
}

fn way_of(step: &Step, key: &str) -> String {
    let said = match (&step.kind, key) {
        (StepKind::Approval(_), "expired") => "too late",
        (StepKind::Approval(_), "else") => "refused",
        (StepKind::Approval(_), _) => "approved",
        (StepKind::Condition(_), "else") => "no",
        (StepKind::Condition(_), _) => "yes",
        (StepKind::Switch(_), "default") => "otherwise",
        (StepKind::Switch(switch), _) => {
            let index = key.split(['[', ']']).nth(1).and_then(|index| index.parse().ok()).unwrap_or(0);
            let name = switch.cases.get(index).and_then(called);
            return name.unwrap_or_else(|| format!("case {}", index + 1));
        }
        _ => "",
    };
    said.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_the_tree_and_have_a_place_for_each_empty_way() {
        let document: Document =
            serde_json::from_value(serde_json::json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "condition", "name": "c", "condition": "x", "steps": [
                { "id": "s2", "type": "parallel", "name": "p", "parallel": [
                    { "id": "s3", "type": "wait", "name": "w", "wait": { "ms": 1 } }] }], "else": [] },
            { "id": "s4", "type": "switch", "name": "s", "cases": [{ "when": "a", "steps": [] }, { "name": "a bill", "when": "b", "steps": [] }], "default": [
                { "id": "s5", "type": "wait", "name": "v", "wait": { "ms": 1 } }] }] }))
            .unwrap();
        let found = rows(&document);
        let outline: Vec<_> = found
            .iter()
            .map(|(key, row)| (key.as_str(), row.level, row.position, row.of, row.way.as_str()))
            .collect();
        assert_eq!(
            outline,
            [
                ("s1", 1, 1, 2, ""),
                ("s2", 2, 1, 2, "yes"),
                ("s3", 3, 1, 1, ""),
                ("s1/else/0", 2, 2, 2, "no"),
                ("s4", 1, 2, 2, ""),
                ("s4/cases[0].steps/0", 2, 1, 3, "case 1"),
                ("s4/cases[1].steps/0", 2, 2, 3, "a bill"),
                ("s5", 2, 3, 3, "otherwise"),
            ]
        );
        assert_eq!(rows(&Document::new("Empty")).len(), 1);
    }
}
