//! What is said of an evaluation that stops, and what to write instead.

use super::Evaluator;
use crate::language::budget::{Fault, FaultKind, Halt, MAX_DEPTH};
use crate::language::names::{Path, key_of, need_of};
use crate::language::tree::{Id, Node};
use crate::language::value::Value;
use crate::shape::listed;

/// Bytes of a longer advice that nobody would read.
const LONGEST_ADVICE: usize = 200;

impl Evaluator<'_> {
    pub(super) fn fault(&self, halt: Halt) -> Fault {
        let (mut span, mut instead) = (self.place, None);
        let (kind, message) = match halt {
            Halt::Undefined(id) => {
                if let Some(id) = id {
                    span = self.tree.span(id);
                    instead = self.instead_of(id);
                }
                (FaultKind::Missing, self.missing(id))
            }
            Halt::NoElse(id) => {
                span = self.tree.span(id);
                let text = self.tree.text(id);
                instead = Some(format!("{text} else ''"));
                (FaultKind::Missing, format!("`{text}` gives nothing here, as it has no `else`"))
            }
            Halt::Wrong(message) => (FaultKind::Wrong, message),
            Halt::Spent => {
                (FaultKind::Limit, "it does not end within its limit of instructions and values".to_owned())
            }
            Halt::TooLong => (FaultKind::Size, "its text is too long".to_owned()),
            Halt::TooDeep => {
                (FaultKind::Size, format!("a value is nested more than {MAX_DEPTH} levels deep"))
            }
        };
        let message = match (kind, span.line(&self.tree.source)) {
            (FaultKind::Wrong, line @ 2..) => format!("{message} (line {line})"),
            _ => message,
        };
        let instead = instead.filter(|instead| instead.len() < LONGEST_ADVICE);
        Fault { kind, message, span, instead }
    }

    /// What is written for a node that gives nothing, with what is taken of it.
    fn instead_of(&self, id: Id) -> Option<String> {
        let tree = self.tree;
        // Behind whatever else a filter would be one of its last operand.
        let (Node::Name | Node::Member(..) | Node::Item(..) | Node::Filter(..)) = tree.node(id) else {
            return None;
        };
        let user = |id| {
            let by = tree.nodes.iter().position(|node| match *node {
                Node::Binary(_, left, right) => left == id || right == id,
                _ => node.operand() == Some(id),
            });
            by.map(|by| Id(by as u32))
        };
        let (path, last) = Path::of(tree, id, user);
        Some(path.guarded(&tree.source, need_of(tree, last, user)))
    }

    /// What is said of a node that gives nothing.
    fn missing(&self, id: Option<Id>) -> String {
        let Some(id) = id else {
            return format!("something in `{}` is undefined", self.place.of(&self.tree.source));
        };
        let mut root = id;
        let mut below = id;
        let mut depth = 0;
        while let Some(operand) = self.tree.node(root).operand() {
            (below, root) = (root, operand);
            depth += 1;
        }
        let is_name = matches!(self.tree.node(root), Node::Name);
        let name = self.tree.text(root);
        let is_local = self.locals.iter().any(|(local, _)| *local == name);
        let key = match (name, key_of(self.tree, below)) {
            ("state", Some((key, _))) if below == id => key,
            _ if below == root => name,
            _ => "",
        };
        // What is behind `steps.x.output` is in what the step gave.
        let is_output = name == "steps" && depth <= 2 && self.scope.state.member(name).is_none();
        if is_name && !is_local && is_output {
            "a step that it names in `steps` has not given anything so far".to_owned()
        } else if is_name && !is_local && !key.is_empty() {
            format!("there is no `{key}` in {}; {}", self.scope.whole, self.keys())
        } else {
            format!("`{}` is undefined", self.tree.text(id))
        }
    }

    /// Which names there are, as a sentence.
    fn keys(&self) -> String {
        let keys = match &self.scope.state {
            Value::View(state) => state.keys().unwrap_or_default(),
            _ => Vec::new(),
        };
        let whole = self.scope.whole;
        match keys.is_empty() {
            true => format!("{whole} is empty"),
            false => {
                let keys = listed(keys.iter().take(12).map(String::as_str));
                format!("{whole} has {}", keys.replace(" or ", " and "))
            }
        }
    }
}
