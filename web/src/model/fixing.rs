//! Ends a problem by the text that ends it.

use serde_json::Value;
use stepweave_core::document::Document;
use stepweave_core::edit::Edit;
use stepweave_core::json;

use super::renaming::difference;

/// What writes a text instead of the one at a path, as the validator writes paths; nothing where no text is there.
pub fn fixed(document: &Document, path: &str, text: &str) -> Option<Edit> {
    let mut value = serde_json::to_value(document).ok()?;
    let place = at(&mut value, path).filter(|place| place.is_string())?;
    *place = text.into();
    let target = serde_json::from_value(value).ok()?;
    Some(difference(document, &target))
}

/// The text at a path of a document as JSON, as the validator writes paths; nothing where no text is there.
pub fn text_at(document: &mut Value, path: &str) -> Option<String> {
    at(document, path)?.as_str().map(str::to_owned)
}

/// What a path leads to. Keys may have points in them: the longest one that leads on is meant.
fn at<'v>(value: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    if path.is_empty() {
        return Some(value);
    }
    match value {
        Value::Array(list) => {
            let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
            at(list.get_mut(index.parse::<usize>().ok()?)?, rest)
        }
        Value::Object(map) => {
            let mut ways: Vec<(String, &str)> =
                map.keys().filter_map(|key| Some((key.clone(), behind(path, key)?))).collect();
            ways.sort_by_key(|(key, _)| std::cmp::Reverse(key.len()));
            let (key, rest) = { ways }.into_iter().find(|(key, rest)| {
                map.get(key).is_some_and(|inner| at(&mut inner.clone(), rest).is_some())
            })?;
            at(map.get_mut(&key)?, rest)
        }
        _ => None,
    }
}

/// What of a path stands behind a key.
fn behind<'p>(path: &'p str, key: &str) -> Option<&'p str> {
    let plain = path.strip_prefix('.').unwrap_or(path).strip_prefix(key);
    let plain = plain.filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    plain.or_else(|| path.strip_prefix(&format!("[{}]", json::text(key))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stepweave_core::edit::apply;
    use stepweave_core::validate::validate;

    #[test]
    fn every_problem_that_has_a_fix_is_gone_with_it() {
        let value = json!({ "version": 1, "name": "t", "initialState": { "topic": "bees", "a-b": 1 },
            "models": { "m": { "provider": "demo", "model": "demo" } }, "agents": { "writer": { "model": "n" } },
            "tools": { "x-y": { "input": { "properties": { "word": { "type": "string" } }, "required": ["word"] },
                "run": { "http": { "url": "https://a.test/{{ wrod }}" } } } },
            "steps": [
                { "id": "s1", "type": "agent", "name": "draft", "agent": "writr", "inputFrom": "{{ tpoic }} {{ topic }}" },
                { "id": "s2", "type": "condition", "name": "if", "condition": "topic == ''", "steps": [
                    { "id": "s3", "type": "function", "name": "set", "run": { "set": { "now.is": "a-b + 1" } } },
                    { "id": "s4", "type": "agent", "name": "only", "agent": "writer", "inputFrom": "{{ steps.drft.output }}" } ] },
                { "id": "s5", "type": "function", "name": "end", "run": { "set": { "a.b": "only_output ~ 1" } } } ] });
        let mut document: Document = serde_json::from_value(value).unwrap();
        let mut count = 0;
        loop {
            let found = validate(&serde_json::to_string(&document).unwrap()).problems;
            let Some(problem) = found.iter().find(|problem| problem.fix.is_some()) else { break };
            let fix = problem.fix.clone().unwrap();
            let edit = fixed(&document, &problem.path, &fix.text).unwrap_or_else(|| panic!("{problem:?}"));
            apply(&mut document, edit).unwrap();
            let left = validate(&serde_json::to_string(&document).unwrap()).problems;
            assert!(!left.contains(problem), "{problem:?}");
            count += 1;
            assert!(count < 20, "{problem:?}");
        }
        assert_eq!(count, 7);
        let left = validate(&serde_json::to_string(&document).unwrap()).problems;
        assert!(left.iter().all(|problem| problem.code == "not_an_identifier"), "{left:?}");
        assert_eq!(fixed(&document, "steps[9].name", "x"), None);
    }
}
