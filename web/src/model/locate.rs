//! Which step a path such as `steps[2].parallel[0].inputFrom` leads to.

use stepweave_core::document::{Document, Step};
use stepweave_core::letters;

use crate::step::kinds::Kind;

/// The innermost step on the path, and the rest of the path inside it.
pub fn step_at<'a, 'p>(document: &'a Document, path: &'p str) -> Option<(&'a Step, &'p str)> {
    let (index, rest) = indexed(path.strip_prefix("steps")?)?;
    let mut found = (document.steps.get(index)?, rest);
    while let Some(inner) = inside(found.0, found.1) {
        found = inner;
    }
    Some(found)
}

/// The kind of that step.
pub fn kind_at(document: &Document, path: &str) -> Option<Kind> {
    step_at(document, path).map(|(step, _)| Kind::of(step))
}

/// The path that leads to a step.
pub fn path_to(document: &Document, id: &str) -> Option<String> {
    let mut open: Vec<(String, &[Step])> = vec![("steps".to_owned(), &document.steps)];
    while let Some((block, steps)) = open.pop() {
        for (index, step) in steps.iter().enumerate() {
            let path = format!("{block}[{index}]");
            if step.id == id {
                return Some(path);
            }
            open.extend(
                step.blocks().into_iter().map(|(key, steps)| (format!("{path}.{key}"), steps.as_slice())),
            );
        }
    }
    None
}

/// The path of an entry of one of the document's maps, such as `agents.writer`, as the validator writes it.
pub fn path_of_entry(map: &str, id: &str) -> String {
    format!("{map}{}", letters::member(id))
}

/// One step further along the path.
fn inside<'a, 'p>(step: &'a Step, path: &'p str) -> Option<(&'a Step, &'p str)> {
    step.blocks().into_iter().find_map(|(key, steps)| {
        let (index, rest) = indexed(path.strip_prefix(key.as_ref())?)?;
        Some((steps.get(index)?, rest))
    })
}

/// Reads `[index]` off the front, and the dot behind it.
pub fn indexed(path: &str) -> Option<(usize, &str)> {
    let (digits, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((digits.parse().ok()?, rest.strip_prefix('.').unwrap_or(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        serde_json::from_value(serde_json::json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "condition", "name": "c", "condition": "x", "steps": [],
              "else": [{ "id": "s2", "type": "parallel", "name": "p", "parallel": [
                 { "id": "s3", "type": "agent", "name": "a", "agent": "writer" }] }] }] }))
        .unwrap()
    }

    #[test]
    fn an_entry_is_called_as_the_validator_calls_it() {
        for id in ["writer", "my writer", "a.b", "Straße-2", ""] {
            let document = serde_json::json!({ "version": 1, "name": "t", "steps": [], "agents": { id: { "model": 3 } } });
            let found = stepweave_core::validate::check_structure(&document.to_string()).problems;
            assert!(
                found.iter().any(|problem| problem.path == format!("{}.model", path_of_entry("agents", id))),
                "{id}: {found:?}"
            );
        }
    }

    #[test]
    fn finds_the_innermost_step() {
        let document = document();
        let at = |path| step_at(&document, path).map(|(step, rest)| (step.id.clone(), rest.to_owned()));
        assert_eq!(at("steps[0]"), Some(("s1".into(), String::new())));
        assert_eq!(at("steps[0].condition"), Some(("s1".into(), "condition".into())));
        assert_eq!(at("steps[0].else[0].parallel[0].inputFrom"), Some(("s3".into(), "inputFrom".into())));
        assert_eq!(at("steps[0].else[7].name"), Some(("s1".into(), "else[7].name".into())));
        assert_eq!(at("agents.writer.model"), None);
        assert_eq!(at("steps[9]"), None);
    }

    #[test]
    fn finds_a_step_in_a_case() {
        let document: Document =
            serde_json::from_value(serde_json::json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "switch", "name": "w", "cases": [
                { "when": "a", "steps": [] },
                { "when": "b", "steps": [{ "id": "s2", "type": "wait", "name": "p", "wait": { "ms": 1 } }] }],
              "default": [{ "id": "s3", "type": "approval", "name": "q" }] }] }))
            .unwrap();
        let at = |path| step_at(&document, path).map(|(step, rest)| (step.id.clone(), rest.to_owned()));
        assert_eq!(at("steps[0].cases[1].steps[0].wait.ms"), Some(("s2".into(), "wait.ms".into())));
        assert_eq!(at("steps[0].cases[1].when"), Some(("s1".into(), "cases[1].when".into())));
        assert_eq!(at("steps[0].default[0].message"), Some(("s3".into(), "message".into())));
        for id in ["s1", "s2", "s3"] {
            let path = path_to(&document, id).unwrap();
            assert_eq!(
                step_at(&document, &path).map(|(step, rest)| (step.id.as_str(), rest)),
                Some((id, ""))
            );
        }
        assert_eq!(path_to(&document, "s9"), None);
    }
}
