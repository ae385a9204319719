//! A step that keeps some items of a list: expressions have no way to say which, so it is code.

use stepweave_core::document::{Document, Run, Source, Step, StepKind, every_of};
use stepweave_core::edit::{Edit, find, slot_of};

use super::joining::is_beside;
use crate::step::free::free;
use crate::step::kinds::Kind;

/// A new step that keeps some items of the first list that the workflow begins with.
pub fn step(document: &Document) -> Step {
    let list = document.initial_state.iter().find(|(_, value)| value.is_array()).map(|(key, _)| key.as_str());
    keeping(document, &format!("state.{}", list.unwrap_or("items"))).0
}

/// Has such a step before a foreach give it its items; and the id of that step. Nothing where code cannot read the list by
/// its name, or no step can stand before it.
pub fn before(document: &Document, id: &str) -> Option<(Edit, String)> {
    let mut each = find(document, id)?.clone();
    let StepKind::Foreach(content) = &mut each.kind else { return None };
    let slot = slot_of(document, id).filter(|slot| !is_beside(slot))?;
    let Source::Text(items) = &content.items else { return None };
    let (step, key) = keeping(document, &read_by_code(items.trim())?);
    content.items = Source::Text(key);
    let new = step.id.clone();
    let edits = vec![Edit::Insert { slot, step }, Edit::Replace { step: id.to_owned(), with: each }];
    Some((Edit::Group(edits), new))
}

/// The step, and the key that has what it keeps.
fn keeping(document: &Document, list: &str) -> (Step, String) {
    let mut step = Kind::Function.called(document, "keep");
    let gives = |step: &Step, key: &str| matches!(&step.kind, StepKind::Function(Run::Code(code)) if code.contains(key));
    let is_taken = |key: &str| {
        document.initial_state.contains_key(key) || every_of(document).any(|step| gives(step, key))
    };
    let key = free("kept", &is_taken);
    let code = format!(
        "// The items for which this is true are kept, such as item.price > 10.\nconst isKept = (item) => item !== null;\nreturn {{ {key}: {list}.filter(isKept) }};\n"
    );
    step.kind = StepKind::Function(Run::Code(code));
    (step, key)
}

/// What an expression is in JavaScript: a name and what is in it, or a list that is JSON.
fn read_by_code(items: &str) -> Option<String> {
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if items.split('.').all(is_name) && !items.starts_with("steps.") {
        return Some(if items.starts_with("state.") { items.to_owned() } else { format!("state.{items}") });
    }
    serde_json::from_str::<Vec<serde_json::Value>>(items).ok().map(|_| items.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use stepweave_core::edit::apply;

    fn kept(items: &str) -> Option<(String, Value)> {
        let each = json!({ "id": "s1", "type": "foreach", "name": "each", "items": items, "steps": [] });
        let mut document: Document = serde_json::from_value(
            json!({ "version": 1, "name": "t", "initialState": { "kept": 1 }, "steps": [each,
                { "id": "s9", "type": "function", "name": "other", "run": { "code": "return { kept_2: [] };" } }] }),
        )
        .unwrap();
        let (edit, id) = before(&document, "s1")?;
        apply(&mut document, edit).unwrap();
        let StepKind::Function(Run::Code(code)) = &document.step(&id)?.kind else { return None };
        let last = code.lines().last().unwrap_or_default().to_owned();
        Some((last, serde_json::to_value(&document.steps[1]).unwrap()["items"].clone()))
    }

    #[test]
    fn a_foreach_gets_the_items_that_are_kept_before_it() {
        let of = |list: &str| Some((format!("return {{ kept_3: {list}.filter(isKept) }};"), json!("kept_3")));
        assert_eq!(kept("orders"), of("state.orders"));
        assert_eq!(kept("state.shop.orders"), of("state.shop.orders"));
        assert_eq!(kept("[1, 2]"), of("[1, 2]"));
        for other in ["orders | default([])", "steps.get.output", "a[0]", ""] {
            assert_eq!(kept(other), None, "{other}");
        }
    }
}
