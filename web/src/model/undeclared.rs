//! Names that a workflow reads and nothing gives: a run is asked for them with what it declares.

use serde_json::{Value, json};
use stepweave_core::document::{Check, Document};
use stepweave_core::rename::Place;

use super::locate::step_at;
use super::mending::{NOTHING_GIVES, asking_for, given_first};
use super::needed::schema_for;
use super::problem::Problem;
use super::sources::givers;

/// The schema of what a run is given, with a key for each of these problems that is such a name. Nothing where there is
/// none, or the workflow takes nothing else than it declares.
pub fn with_undeclared(document: &Document, problems: &[Problem]) -> Option<Value> {
    let declared = document.input.as_ref().and_then(Check::json_schema);
    let is_closed =
        declared.is_some_and(|schema| schema.get("additionalProperties") == Some(&Value::Bool(false)));
    let mut asked: Option<Value> = None;
    for (step, name) in
        problems.iter().filter(|_| !is_closed).filter_map(|problem| unknown(document, problem))
    {
        let is_asked =
            |schema: &Value| schema.pointer("/properties").is_some_and(|all| all.get(&name).is_some());
        if asked.as_ref().is_some_and(is_asked) {
            continue;
        }
        let mut own = schema_for(document, Place::Workflow, &name);
        if let Some(own) = own.as_object_mut() {
            own.insert("description".to_owned(), json!(why_asked(document, step, &name)));
        }
        let before = asked.take().map(Check::Schema).or_else(|| document.input.clone());
        asked = Some(asking_for(before.as_ref(), &name, own)?);
    }
    asked
}

/// Why a run is asked for a name that a step reads.
fn why_asked(document: &Document, step: &str, name: &str) -> String {
    match givers(document, name).into_iter().find(|giver| !giver.enabled) {
        Some(giver) => {
            let giver = &giver.name;
            format!("“{step}” reads it, and “{giver}”, which gives it, is switched off.")
        }
        None => format!("“{step}” reads it, and nothing gives it."),
    }
}

/// The step that reads such a name, and the name. One that is nearly that of something is a slip: its fix is a click away.
fn unknown<'d>(document: &'d Document, problem: &Problem) -> Option<(&'d str, String)> {
    let is_it = problem.code == "unknown_name" && problem.message.starts_with(NOTHING_GIVES);
    let (step, _) =
        step_at(document, &problem.path).filter(|_| is_it && !problem.hint.starts_with("did you mean"))?;
    Some((&step.name, given_first(document, step, problem)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepweave_core::validate::validate;

    fn asked(more: Value, steps: Value) -> Option<Value> {
        let mut value = json!({ "version": 1, "name": "t", "models": { "m": { "provider": "demo", "model": "demo" } },
            "agents": { "a": { "model": "m" } }, "steps": steps });
        value.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        // The page has a workflow checked as its own runs are, which are given nothing that is not declared.
        let mut checked = value.clone();
        let whole = checked.as_object_mut().unwrap();
        whole.entry("input").or_insert(json!({ "type": "object", "properties": {}, "required": [] }));
        let found = validate(&checked.to_string()).problems;
        let problems: Vec<Problem> = found.into_iter().map(Problem::from).collect();
        with_undeclared(&serde_json::from_value(value).unwrap(), &problems)
    }

    fn ask(prompt: &str) -> Value {
        json!({ "id": "s1", "type": "agent", "name": "ask", "agent": "a", "inputFrom": prompt })
    }

    #[test]
    fn a_run_says_which_step_is_switched_off() {
        let off = json!({ "id": "s0", "type": "agent", "name": "draft", "agent": "a", "enabled": false });
        let schema = asked(json!({}), json!([off, ask("{{ draft_output }}")])).unwrap();
        let said = schema.pointer("/properties/draft_output/description");
        assert_eq!(said, Some(&json!("“ask” reads it, and “draft”, which gives it, is switched off.")));
    }

    #[test]
    fn a_run_is_asked_for_what_nothing_gives() {
        let topic = json!({ "type": "string", "description": "“ask” reads it, and nothing gives it." });
        let closed = json!({ "type": "object", "properties": { "mail": {} }, "required": ["mail"], "additionalProperties": false });
        let open = json!({ "type": "object", "properties": { "mail": {} }, "required": ["mail"] });
        let both = json!([ask("{{ topic }} {{ topic }}"),
            { "id": "s2", "type": "foreach", "name": "each", "items": "urls", "steps": [] }]);
        let list = json!({ "type": "array", "items": { "type": "string" }, "description": "“each” reads it, and nothing gives it." });
        for (more, steps, expected) in [
            (
                json!({}),
                json!([ask("{{ topic }}")]),
                Some(json!({ "type": "object", "properties": { "topic": topic }, "required": ["topic"] })),
            ),
            (
                json!({}),
                both,
                Some(
                    json!({ "type": "object", "properties": { "topic": topic, "urls": list }, "required": ["topic", "urls"] }),
                ),
            ),
            (
                json!({ "input": open }),
                json!([ask("{{ topic }}")]),
                Some(
                    json!({ "type": "object", "properties": { "mail": {}, "topic": topic }, "required": ["mail", "topic"] }),
                ),
            ),
            (
                json!({}),
                json!([{ "id": "s1", "type": "function", "name": "ask", "run": { "code": "return { n: state.topic.trim() }" } }]),
                Some(json!({ "type": "object", "properties": { "topic": topic }, "required": ["topic"] })),
            ),
            (json!({ "input": closed }), json!([ask("{{ topic }}")]), None),
            (json!({}), json!([ask("{{ topic | default('') }}")]), None),
            (json!({ "initialState": { "topic": "" } }), json!([ask("{{ tpoic }} {{ topic }}")]), None),
            (json!({ "initialState": { "topic": "" } }), json!([ask("{{ topic }}")]), None),
            (
                json!({}),
                json!([{ "id": "s2", "type": "workflow", "name": "inner", "with": {}, "steps": [ask("{{ topic }}")] }]),
                None,
            ),
        ] {
            assert_eq!(asked(more, steps.clone()), expected, "{steps}");
        }
    }
}
