//! The steps in a text from the clipboard: a workflow, a list of steps or one of them, also in the middle of an answer.

use serde_json::{Map, Value, json};
use stepweave_core::document::{Document, nesting};

/// The steps of a text as a small workflow, or what is wrong with them; nothing where the text has none.
pub fn steps_in(text: &str) -> Option<Result<Document, String>> {
    let is_whole = text.trim_start().starts_with(['{', '[']);
    let value: Option<Value> =
        nesting::read(if is_whole { text } else { fenced(text).or_else(|| within(text))? });
    let Some(value) = value else {
        // A list of a shopping basket begins like this too, and is nothing to be said of.
        let is_meant =
            text.trim_start().starts_with('{') || text.contains("\"type\":") && text.contains("\"name\":");
        return is_meant.then(|| Err(NO_STEPS.to_owned()));
    };
    let mut clip = Map::from_iter([("version".to_owned(), json!(1)), ("name".to_owned(), json!("pasted"))]);
    let mut steps = match value {
        Value::Object(mut map) if map.contains_key("steps") && !map.contains_key("type") => {
            let steps = map.remove("steps");
            clip.extend(map);
            steps.unwrap_or_default()
        }
        Value::Object(ref map) if map.contains_key("type") && map.contains_key("name") => json!([value]),
        Value::Array(ref items) if items.iter().all(|item| item.get("type").is_some()) => value,
        Value::Object(_) if is_whole => return Some(Err(NO_STEPS.to_owned())),
        _ => return None,
    };
    give_ids(&mut steps, &mut 0);
    clip.insert("steps".to_owned(), steps);
    Some(Document::from_json(Value::Object(clip)).map_err(fault))
}

/// Chats leave out what only has to differ. The ids are other ones once the steps are in a workflow.
fn give_ids(steps: &mut Value, many: &mut u32) {
    for step in steps.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        *many += 1;
        step.entry("id").or_insert_with(|| format!("pasted-{many}").into());
        let cases = step.get_mut("cases").and_then(Value::as_array_mut).into_iter().flatten();
        cases.filter_map(|case| case.get_mut("steps")).for_each(|steps| give_ids(steps, many));
        for key in ["steps", "else", "parallel", "default", "expired"] {
            step.get_mut(key).into_iter().for_each(|steps| give_ids(steps, many));
        }
    }
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

/// From the first bracket to the last one, where words stand around.
fn within(text: &str) -> Option<&str> {
    let start = text.find(['{', '['])?;
    let end = text.rfind(['}', ']'])?;
    text.get(start..=end)
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
            assert_eq!(names(&format!("Here you are: {code}\nEnjoy!")), found);
        }
        assert_eq!(names(&format!(r#"{{ "steps": [{step}] }}"#)), found);
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
            names(r#"So: { "type": "wait", "name": "rest" "wait": 1 }"#),
            Some(Err(NO_STEPS.to_owned()))
        );
        assert_eq!(
            names(r#"[{ "type": "wait", "name": "rest" }]"#),
            Some(Err("The steps that were pasted cannot be read: `wait` is missing.".to_owned()))
        );
    }

    #[test]
    fn steps_without_ids_get_some_and_others_keep_theirs() {
        let inner = r#"{ "type": "wait", "name": "b", "wait": { "ms": 1 } }"#;
        let text = format!(
            r#"{{ "type": "switch", "name": "a", "cases": [{{ "when": "x", "steps": [{inner}] }}], "default": [{inner}, {{ "id": "own", "type": "wait", "name": "c", "wait": {{ "ms": 1 }} }}] }}"#
        );
        let clip = steps_in(&text).unwrap().unwrap();
        let ids: Vec<&str> =
            stepweave_core::document::every(&clip.steps).map(|step| step.id.as_str()).collect();
        assert_eq!(ids, ["pasted-1", "pasted-2", "pasted-3", "own"]);
    }
}
