//! Where the names of a text come from: the steps that give them.

use stepweave_core::document::{Document, Run, Step, StepKind, every};
use stepweave_core::language::{Access, Expression, Read, Span, Template};
use stepweave_core::state::output_key;

use super::reading::Code;
use super::returned::returned;

/// A name of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The key of the state, or of the output, that it reads.
    pub key: String,
    /// Where it stands.
    pub span: Span,
}

/// The names that a text reads, in its order.
pub fn names(text: &str, code: Code) -> Vec<Named> {
    match code {
        Code::Template => Template::parse(text).map(|text| named(text.reads())).unwrap_or_default(),
        Code::Expression => Expression::parse(text).map(|text| named(text.reads())).unwrap_or_default(),
        Code::Json | Code::JsonTemplate | Code::JavaScript => Vec::new(),
    }
}

/// The name at a byte of a text, or right before it.
pub fn name_at(text: &str, code: Code, byte: usize) -> Option<Named> {
    let is_here = |named: &Named| (named.span.start as usize..=named.span.end as usize).contains(&byte);
    names(text, code).into_iter().find(is_here)
}

/// The steps that give a key its value, in the order of the tree: those that set it, whose answer it is, or whose items.
pub fn givers<'d>(document: &'d Document, key: &str) -> Vec<&'d Step> {
    every(&document.steps).filter(|step| gives(step, key)).collect()
}

fn gives(step: &Step, key: &str) -> bool {
    match &step.kind {
        StepKind::Function(Run::Set(set)) => set.contains_key(key),
        StepKind::Function(Run::Code(code)) => returned(code).contains(&key),
        StepKind::Workflow(inner) => {
            inner.set.as_ref().is_some_and(|set| set.contains_key(key)) || output_key(&step.name) == key
        }
        StepKind::Foreach(each) => {
            each.item == key || format!("{}_index", each.item) == key || output_key(&step.name) == key
        }
        StepKind::Agent(_) | StepKind::Http(_) | StepKind::Approval(_) => output_key(&step.name) == key,
        _ => false,
    }
}

fn named(reads: Vec<Read<'_>>) -> Vec<Named> {
    let key = |read: &Read<'_>| match read.access {
        Access::Key(key) => Some(key.to_owned()),
        Access::Output(step) => Some(output_key(step)),
        Access::AnyKey | Access::AnyOutput => None,
    };
    reads.iter().filter_map(|read| Some(Named { key: key(read)?, span: read.span })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_leads_to_the_steps_that_give_it() {
        let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "function", "name": "one", "run": { "set": { "total": "1" } } },
            { "id": "s2", "type": "foreach", "name": "each", "items": "[1]", "as": "order", "steps": [
                { "id": "s3", "type": "function", "name": "two", "run": { "set": { "total": "2" } } } ] },
            { "id": "s4", "type": "approval", "name": "ask", "message": "x" },
            { "id": "s5", "type": "function", "name": "code", "run": { "code": "return { rows: [] };" } } ] }))
        .unwrap();
        let ids =
            |key: &str| givers(&document, key).into_iter().map(|step| step.id.as_str()).collect::<Vec<_>>();
        assert_eq!(ids("total"), ["s1", "s3"]);
        assert_eq!(ids("order"), ["s2"]);
        assert_eq!(ids("ask_output"), ["s4"]);
        assert_eq!(ids("rows"), ["s5"]);
        assert_eq!(ids("topic"), [] as [&str; 0]);
    }

    #[test]
    fn the_name_under_the_caret_is_found() {
        let text = "Hi {{ steps.ask.output }} and {{ total.x }}";
        let at = |byte| {
            name_at(text, Code::Template, byte).map(|named| (named.key, named.span.of(text).to_owned()))
        };
        assert_eq!(at(13), Some(("ask_output".to_owned(), "ask".to_owned())));
        assert_eq!(at(33), Some(("total".to_owned(), "total".to_owned())));
        assert_eq!(at(38), Some(("total".to_owned(), "total".to_owned())));
        assert_eq!(at(2), None);
        assert_eq!(name_at("a +", Code::Expression, 0), None);
    }
}
