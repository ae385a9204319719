//! Values that are said to be no lists, and that a *For each* goes through.

use serde_json::{Value, json};
use stepweave_core::document::{Check, Document, Run, Source, Step, StepKind, every};
use stepweave_core::edit::slot_of;
use stepweave_core::language::{Access, Expression};
use stepweave_core::rename::Place as State;
use stepweave_core::state::output_key;

use super::fitting::sees_state;
use super::form::lines_of;
use super::locate::path_to;
use super::needed::schema_for;
use super::problem::Problem;
use super::settings::without_steps;
use super::shape::{Kind, items, with_items};
use crate::layout::Place;

/// The code of such a problem.
pub const NO_LIST: &str = "no_list";

/// A problem for each *For each* whose items every run begins with, or is given, as something else than a list.
pub fn no_lists(document: &Document) -> Vec<Problem> {
    let problem = |step: &Step| {
        let key = begun_as_no_list(document, step)?;
        Some(Problem {
            path: format!("{}.items", path_to(document, &step.id)?),
            code: NO_LIST.to_owned(),
            message: format!("`items` goes through `{key}`, which is no list"),
            hint: "make it a list, or go through something else".to_owned(),
            severity: "warning".to_owned(),
            fix: None,
        })
    };
    every(&document.steps).filter_map(problem).collect()
}

/// The key that a *For each* goes through, if the workflow says that it is no list and no step writes another value.
pub fn begun_as_no_list(document: &Document, step: &Step) -> Option<String> {
    let StepKind::Foreach(each) = &step.kind else { return None };
    let Source::Text(items) = &each.items else { return None };
    let expression = Expression::parse(items).ok()?;
    let reads = expression.reads();
    let [read] = reads.as_slice() else { return None };
    let Access::Key(key) = read.access else { return None };
    let is_all = read.value.of(items) == items.trim();
    let is_no_list = declared(document, key).map_or_else(
        || document.initial_state.get(key).is_some_and(|value| !value.is_array() && !value.is_null()),
        |schema| !matches!(Kind::of(schema), Kind::List | Kind::Other),
    );
    let is_of_run = sees_state(document, &Place::Slot(slot_of(document, &step.id)?));
    let is_written = every(&document.steps).any(|step| may_write(step, key));
    (is_all && is_no_list && is_of_run && !is_written).then(|| key.to_owned())
}

/// The workflow's settings with this key as a list, wherever it is said to be something else: a text becomes its lines.
pub fn with_list(document: &Document, key: &str) -> Document {
    let mut settings = without_steps(document);
    if let Some(Check::Schema(schema)) = &mut settings.input
        && let Some(own) = schema.pointer_mut("/properties").and_then(|properties| properties.get_mut(key))
    {
        let needed = schema_for(document, State::Workflow, key);
        *own = with_items(&Kind::List.schema(own), items(&needed));
    }
    if let Some(value) = settings.initial_state.get_mut(key).filter(|value| !value.is_array()) {
        *value = listed(value);
    }
    settings
}

fn listed(value: &Value) -> Value {
    match value {
        Value::Null => json!([]),
        Value::String(text) => lines_of(text).collect(),
        other => json!([other]),
    }
}

fn declared<'d>(document: &'d Document, key: &str) -> Option<&'d Value> {
    document.input.as_ref()?.properties()?.get(key)
}

/// Whether a step may put a value there. What functions return is not known before they run.
fn may_write(step: &Step, key: &str) -> bool {
    match &step.kind {
        StepKind::Function(Run::Set(set)) => set.contains_key(key),
        StepKind::Function(_) => true,
        StepKind::Workflow(inner) => inner.set.as_ref().is_none_or(|set| set.contains_key(key)),
        StepKind::Foreach(each) if each.item == key => true,
        _ => output_key(&step.name) == key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepweave_core::edit::{Edit, apply};

    fn document(before: Value, items: &str, input: Value, state: Value) -> Document {
        let each = json!({ "id": "s1", "type": "foreach", "name": "each", "items": items, "steps": [] });
        let mut whole = json!({ "version": 1, "name": "t", "initialState": state, "steps": [before, each] });
        if !input.is_null() {
            whole["input"] = json!({ "type": "object", "properties": { "urls": input } });
        }
        serde_json::from_value(whole).unwrap()
    }

    fn other() -> Value {
        json!({ "id": "s0", "type": "function", "name": "other", "run": { "set": { "n": "1" } } })
    }

    #[test]
    fn what_is_said_to_be_no_list_and_gone_through_is_a_problem_that_has_a_mend() {
        let text = json!({ "type": "string", "title": "The pages" });
        for (input, state) in [
            (text.clone(), json!({})),
            (Value::Null, json!({ "urls": "https://a.test\n\n https://b.test" })),
            (text.clone(), json!({ "urls": "" })),
        ] {
            let document = document(other(), " urls ", input, state.clone());
            let found = no_lists(&document);
            assert_eq!(found[0].path, "steps[1].items");
            assert_eq!(found[0].message, "`items` goes through `urls`, which is no list");
            assert!(found[0].explains(&document, "s1", "`items` gives the text \"a\" instead of a list"));
            let settings = with_list(&document, "urls");
            let mut mended = document.clone();
            apply(&mut mended, Edit::Settings(Box::new(settings))).unwrap();
            assert_eq!(no_lists(&mended), []);
            let schema = mended.input.as_ref().and_then(Check::json_schema);
            let title = schema.and_then(|schema| schema.pointer("/properties/urls/title"));
            assert_eq!(title, text.get("title").filter(|_| document.input.is_some()));
            if state.get("urls").is_some_and(|urls| urls != "") {
                assert_eq!(mended.initial_state["urls"], json!(["https://a.test", "https://b.test"]));
            }
        }
    }

    #[test]
    fn what_may_be_a_list_is_none() {
        let text = json!({ "type": "string" });
        let set = json!({ "id": "s0", "type": "function", "name": "f", "run": { "set": { "urls": "urls | split(',')" } } });
        let code = json!({ "id": "s0", "type": "function", "name": "f", "run": { "code": "return {}" } });
        let named =
            json!({ "id": "s0", "type": "http", "name": "urls", "http": { "url": "https://a.test" } });
        for (before, items, input, state) in [
            (set, "urls", text.clone(), json!({})),
            (code, "urls", text.clone(), json!({})),
            (named, "urls_output", Value::Null, json!({ "urls_output": "" })),
            (other(), "urls | split(',')", text.clone(), json!({})),
            (other(), "more", text.clone(), json!({})),
            (other(), "urls", json!({ "type": "array" }), json!({})),
            (other(), "urls", json!({ "oneOf": [] }), json!({})),
            (other(), "urls", Value::Null, json!({ "urls": null })),
        ] {
            assert_eq!(no_lists(&document(before, items, input, state)), [], "{items}");
        }
    }
}
