//! A small workflow that evaluates one template or expression: what a person sees of it before a run.

use serde_json::{Map, Value, json};
use stepweave_core::document::Document;
use stepweave_core::json;
use stepweave_core::language::{Access, Expression, Read, Template};

use super::known::Known;
use super::reading::Code;

/// The key under which the value of an expression is given.
const GIVES: &str = "preview";

/// What a text needs and has no value, by its name.
pub type Missing = Vec<String>;

/// The workflow as JSON text: it runs no model and sends nothing. Nothing where the text cannot be read, which the
/// field says, and where it is its own value.
///
/// # Errors
/// With the names that have no value yet.
pub fn workflow_of(text: &str, code: Code, known: &Known) -> Option<Result<String, Missing>> {
    match code {
        Code::Template => {
            let template = Template::parse(text).ok()?;
            let asks = json!({ "id": "asks", "type": "approval", "name": "asks", "message": text });
            // A text without tags gives itself.
            Some(workflow(&template.reads(), known, asks)).filter(|_| has_tags(text))
        }
        Code::Expression => {
            let expression = Expression::parse(text).ok()?;
            let sets = json!({ "id": "sets", "type": "function", "name": "sets", "run": { "set": { GIVES: text } } });
            Some(workflow(&expression.reads(), known, sets))
        }
        Code::Json | Code::JsonTemplate | Code::JavaScript => None,
    }
}

/// Why a text has no value, for the person who writes it: the key is one of ours alone, and no sign of addition joins texts.
pub fn said(why: &str) -> String {
    let own = format!("the expression for `{GIVES}` has no value: ");
    let said = why.strip_prefix(own.as_str()).unwrap_or(why);
    let types = said.strip_prefix("tried to use + operator on unsupported types ");
    match types.is_some_and(|types| types.split(' ').any(|kind| kind == "string")) {
        true => format!("{said}: ~ joins texts with other values"),
        false => said.to_owned(),
    }
}

/// Whether a template has anything in it but its text.
pub fn has_tags(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// A workflow that gives a value for a schema, as the offline simulation makes it up.
pub fn example_of(schema: &Value) -> String {
    let steps = json!([
        { "id": "make", "type": "agent", "name": "make", "agent": "maker", "inputFrom": "" },
        { "id": "sets", "type": "function", "name": "sets", "run": { "set": { GIVES: "make_output" } } }
    ]);
    json::text(
        &json!({ "version": 1, "name": "Preview", "models": { "demo": { "provider": "demo", "model": "demo" } },
        "agents": { "maker": { "model": "demo", "output": schema } }, "steps": steps }),
    )
}

/// A workflow that begins as this one does with such values, and with others over them, and does nothing; nothing where this
/// one takes any.
pub fn beginning(
    document: &Document,
    values: &Map<String, Value>,
    over: Map<String, Value>,
) -> Option<String> {
    let input = document.input.as_ref().filter(|check| check.json_schema().is_some())?;
    let mut state = document.initial_state.clone();
    state.extend(values.clone());
    state.extend(over);
    let sets = json!({ "id": "sets", "type": "function", "name": "sets", "run": { "set": { GIVES: "1" } } });
    Some(json::text(
        &json!({ "version": 1, "name": "Preview", "input": input, "initialState": state, "steps": [sets] }),
    ))
}

fn workflow(reads: &[Read<'_>], known: &Known, last: Value) -> Result<String, Missing> {
    let mut state = Map::new();
    let mut steps = Vec::new();
    let mut pins = Map::new();
    let mut missing = Missing::new();
    let mut named = Vec::new();
    for read in reads {
        let (key, name) = match read.access {
            Access::Key(key) => (key.to_owned(), None),
            Access::Output(step) => (stepweave_core::state::output_key(step), Some(step)),
            Access::AnyKey | Access::AnyOutput => {
                state.extend(known.iter().filter_map(|(key, value)| Some((key.clone(), value.clone()?))));
                continue;
            }
        };
        let value = known.get(&key).cloned().flatten();
        match (value, name) {
            // It is pinned, so nothing is sent for it.
            (Some(_), Some(name)) if named.contains(&name) => {}
            (Some(value), Some(name)) => {
                let id = format!("step{}", steps.len());
                steps.push(json!({ "id": id, "type": "http", "name": name, "http": { "url": "http://pinned.invalid/" } }));
                pins.insert(id, value);
                named.push(name);
            }
            (Some(value), None) => drop(state.insert(key, value)),
            (None, _) if read.has_fallback => {}
            (None, _) if !missing.contains(&key) => missing.push(key),
            (None, _) => {}
        }
    }
    if !missing.is_empty() {
        return Err(missing);
    }
    steps.push(last);
    let workflow =
        json!({ "version": 1, "name": "Preview", "initialState": state, "pins": pins, "steps": steps });
    Ok(json::text(&workflow))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepweave_core::validate::check_structure;

    fn known() -> Known {
        let known = [("topic", Some(json!("bees"))), ("draft_output", Some(json!("A."))), ("later", None)];
        known.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    #[test]
    fn it_is_a_sound_workflow_with_what_the_text_reads() {
        for (text, code, keys, steps) in [
            ("topic | upper", Code::Expression, 1, 1),
            ("steps.draft.output ~ steps.draft.output ~ later | default('')", Code::Expression, 0, 2),
            ("{{ topic }}{% for x in state %}{{ x }}{% endfor %}", Code::Template, 2, 1),
        ] {
            let text = workflow_of(text, code, &known()).unwrap().unwrap();
            let workflow: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(workflow["initialState"].as_object().unwrap().len(), keys);
            assert_eq!(workflow["steps"].as_array().unwrap().len(), steps);
            assert_eq!(check_structure(&text).problems, []);
        }
    }

    #[test]
    fn what_has_no_value_is_named() {
        let missing = workflow_of("later + other + later", Code::Expression, &known());
        assert_eq!(missing, Some(Err(vec!["later".to_owned(), "other".to_owned()])));
        assert_eq!(workflow_of("a +", Code::Expression, &known()), None);
        assert_eq!(workflow_of("as it is", Code::Template, &known()), None);
    }

    #[test]
    fn a_fault_speaks_of_no_key_that_the_person_did_not_write() {
        let fault = |about: &str| said(&format!("the expression for `preview` has no value: {about}"));
        assert_eq!(
            fault("tried to use + operator on unsupported types string and map"),
            "tried to use + operator on unsupported types string and map: ~ joins texts with other values"
        );
        let others = "tried to use + operator on unsupported types map and number";
        assert_eq!(fault(others), others);
        assert_eq!(said("`message` has no value: x"), "`message` has no value: x");
    }
}
