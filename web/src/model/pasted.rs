//! The steps in a text from the clipboard: a workflow, a list of steps or one of them, also in the middle of an answer.

use serde_json::{Value, json};
use stepweave_core::document::{Document, nesting};

/// The steps of a text as a small workflow, or what is wrong with them; nothing where the text has none.
pub fn steps_in(text: &str) -> Option<Result<Document, String>> {
    let is_whole = text.trim_start().starts_with(['{', '[']);
    let value: Option<Value> = nesting::read(if is_whole { text } else { fenced(text)? });
    let Some(value) = value else {
        // A list of a shopping basket begins like this too, and is nothing to be said of.
        return text.trim_start().starts_with('{').then(|| Err(NO_STEPS.to_owned()));
    };
    let steps = match value {
        Value::Object(ref map) if map.contains_key("steps") && map.contains_key("version") => {
            return Some(Document::from_json(value).map_err(fault));
        }
        Value::Object(ref map) if map.contains_key("type") && map.contains_key("name") => json!([value]),
        Value::Array(ref items) if items.iter().all(|item| item.get("type").is_some()) => value,
        Value::Object(_) if is_whole => return Some(Err(NO_STEPS.to_owned())),
        _ => return None,
    };
    let clip = json!({ "version": 1, "name": "pasted", "steps": steps });
    Some(Document::from_json(clip).map_err(fault))
}

const NO_STEPS: &str = "What was pasted is no workflow of the builder, and no steps of one.";

fn fault(fault: String) -> String {
    format!("The steps that were pasted cannot be read: {fault}.")
}

/// What stands in the first block of code, as chats write it.
fn fenced(text: &str) -> Option<&str> {
    let (_, behind) = text.split_once("```")?;
    let (_, code) = behind.split_once('\n')?;
    let (code, _) = code.split_once("```")?;
    code.trim_start().starts_with(['{', '[']).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<Result<Vec<String>, String>> {
        let names = |clip: Document| clip.steps.into_iter().map(|step| step.name).collect();
        steps_in(text).map(|clip| clip.map(names))
    }

    #[test]
    fn steps_are_found_alone_in_a_list_in_a_workflow_and_in_an_answer() {
        let step = r#"{ "id": "s1", "type": "wait", "name": "rest", "wait": { "ms": 1 } }"#;
        let found = Some(Ok(vec!["rest".to_owned()]));
        assert_eq!(names(step), found);
        assert_eq!(names(&format!("[{step}]")), found);
        let workflow = format!(r#"{{ "version": 1, "name": "w", "steps": [{step}] }}"#);
        assert_eq!(names(&workflow), found);
        for code in [step, &format!("[{step}]"), &workflow] {
            assert_eq!(names(&format!("Here you are:\n\n```json\n{code}\n```\nEnjoy!")), found);
        }
    }

    #[test]
    fn a_text_without_steps_is_left_alone_and_broken_steps_are_reported() {
        for text in
            ["bees", "[1, 2]", "[x]", "See ```x``` and\n```js\nlet a;\n```", "```json\n{ \"a\": 1 }\n```"]
        {
            assert_eq!(names(text), None, "{text}");
        }
        assert_eq!(names("{ \"a\": 1 }"), Some(Err(NO_STEPS.to_owned())));
        assert_eq!(names("{ \"a\""), Some(Err(NO_STEPS.to_owned())));
        assert_eq!(
            names(r#"[{ "type": "wait", "name": "rest", "wait": { "ms": 1 } }]"#),
            Some(Err("The steps that were pasted cannot be read: `id` is missing.".to_owned()))
        );
    }
}
