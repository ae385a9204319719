//! Which step a path such as `steps[2].parallel[0].inputFrom` leads to.

use stepweave_core::document::{Document, Step};

/// The innermost step on the path, and the rest of the path inside it.
pub fn step_at<'a, 'p>(document: &'a Document, path: &'p str) -> Option<(&'a Step, &'p str)> {
    let mut found = None;
    let mut steps = &document.steps;
    let mut rest = path;
    while let Some((key, index, after)) = indexed(rest) {
        if found.is_none() && key != "steps" {
            break;
        }
        if let Some((step, _)) = found {
            let step: &Step = step;
            let Some((_, inner)) = step.blocks().find(|(name, _)| *name == key) else { break };
            steps = inner;
        }
        let Some(step) = steps.get(index) else { break };
        rest = after.strip_prefix('.').unwrap_or(after);
        found = Some((step, rest));
    }
    found
}

/// Reads `key[index]` off the front.
fn indexed(path: &str) -> Option<(&str, usize, &str)> {
    let (key, after) = path.split_once('[')?;
    if key.contains('.') {
        return None;
    }
    let (digits, after) = after.split_once(']')?;
    Some((key, digits.parse().ok()?, after))
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
}
