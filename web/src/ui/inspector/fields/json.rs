//! A field for JSON. What is typed is kept, also while it is no JSON yet.

use leptos::prelude::*;
use serde_json::{Value, json};
use stepweave_core::document::Inner;
use stepweave_core::json;
use stepweave_core::problem::Severity;
use stepweave_core::validate::check_structure;

use super::typing::Typing;
use crate::model::problem::{Problem, rows_of};
use crate::page::state::app;
use crate::step::upright::upright_json;
use crate::ui::code::Writes;
use crate::ui::field::TextArea;

/// What a JSON text has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonShape {
    /// An object.
    Object,
    /// A JSON Schema: an object or a boolean.
    Schema,
    /// The steps of a tool that is a workflow, with what belongs to them.
    Workflow,
    /// Anything.
    Any,
    /// What a request sends, which is an empty object where nothing else is said.
    Body,
}

/// The field.
#[component]
pub fn JsonArea(
    /// What it is, above the field.
    #[prop(into)]
    label: String,
    /// The key under which a text is kept that is no JSON yet.
    draft: String,
    /// The value; none when the field is empty.
    value: Signal<Option<Value>>,
    /// Called with each text that is valid.
    #[prop(into)]
    on_value: Callback<Option<Value>>,
    /// What it has to be.
    shape: JsonShape,
    /// What is wrong with it in the document.
    #[prop(optional, into)]
    flaw: Signal<Option<Problem>>,
    /// What to say below.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// An example, shown while it is empty.
    #[prop(optional)]
    placeholder: &'static str,
    /// How many lines are seen.
    #[prop(default = 4)]
    rows: u32,
    /// `JsonTemplate` where its texts are templates.
    #[prop(default = Writes::Json)]
    writes: Writes,
) -> impl IntoView {
    let editor = app().editor;
    let key = StoredValue::new(draft);
    // What the person typed for the present value: their spacing stays as long as it means the same.
    let typing = Typing::begin();
    let draft = move || editor.drafts.with(|drafts| key.with_value(|key| drafts.get(key).cloned()));
    let text = Signal::derive(move || {
        let shown = || value.with(|value| typing.text(value).or_else(|| value.as_ref().map(pretty)));
        draft().or_else(shown).unwrap_or_default()
    });
    let error = Signal::derive(move || draft().and_then(|text| parse(&text, shape).err()));
    let change = move |text: String| {
        let before = typing.before(|| value.get_untracked());
        let meant = match parse(&text, shape) {
            Ok(meant) => {
                editor.draft(&key.get_value(), None);
                typing.means(meant.clone(), text);
                meant
            }
            Err(_) => {
                editor.draft(&key.get_value(), Some(text));
                before
            }
        };
        if value.with_untracked(|value| *value != meant) {
            // Its rows are other ones now, whatever was half written in them.
            let rows =
                editor.drafts.with_untracked(|drafts| key.with_value(|key| rows_of(drafts.keys(), key)));
            rows.iter().for_each(|row| editor.draft(row, None));
            on_value.run(meant);
        }
    };
    let leave = move |()| {
        editor.seal();
        typing.leave();
    };
    view! {
        <TextArea label=label value=text on_input=change on_leave=leave error=error flaw=flaw
            rows=rows code=true writes=writes hint=hint placeholder=placeholder />
    }
}

/// Reads a text; nothing when it is empty.
///
/// # Errors
/// With what is wrong, for the person who typed it.
pub fn parse(text: &str, shape: JsonShape) -> Result<Option<Value>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    match json::read(text) {
        // An empty object says no more than an empty field.
        Ok(Value::Object(map)) if map.is_empty() && matches!(shape, JsonShape::Object | JsonShape::Body) => {
            Ok(None)
        }
        // What is no list of steps cannot be kept in a document.
        Ok(value @ Value::Object(_)) if shape == JsonShape::Workflow => match Inner::from_json(value.clone())
        {
            Ok(_) => Ok(Some(value)),
            Err(fault) => {
                Err(format!("These are no steps of a workflow: {}.", place_of(&value).unwrap_or(fault)))
            }
        },
        Ok(value @ Value::Object(_)) => Ok(Some(value)),
        Ok(value @ Value::Bool(_)) if shape == JsonShape::Schema => Ok(Some(value)),
        Ok(value) if matches!(shape, JsonShape::Any | JsonShape::Body) => Ok(Some(value)),
        Ok(_) => Err("Must be an object in braces, such as { \"topic\": \"bees\" }.".to_owned()),
        Err(error) => {
            let said = error.to_string();
            let (what, at) = said.split_once(" at line ").unwrap_or_default();
            let line = at.split(' ').next().unwrap_or_default();
            Err(format!("Line {line}: {what}."))
        }
    }
}

/// Where in the steps of a tool something is wrong, and what.
fn place_of(workflow: &Value) -> Option<String> {
    let whole = json!({ "version": 1, "name": "t", "steps": [], "tools": { "t": { "run": { "workflow": workflow } } } });
    let problems = check_structure(&whole.to_string()).problems;
    problems.into_iter().find_map(|problem| {
        let path = problem.path.strip_prefix("tools.t.run.workflow")?.trim_start_matches('.').to_owned();
        let name = path.rfind(']').and_then(|end| {
            let step = workflow
                .pointer(&format!("/{}", path.get(..end)?.replace(['.', '['], "/").replace("]", "")))?;
            step.get("name")?.as_str().map(|name| format!(" (the step “{name}”)"))
        });
        let place =
            if path.is_empty() { String::new() } else { format!("{path}{}: ", name.unwrap_or_default()) };
        (problem.severity == Severity::Error).then(|| format!("{place}{}: {}", problem.message, problem.hint))
    })
}

fn pretty(value: &Value) -> String {
    // A value is JSON already.
    upright_json(json::lines(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_what_it_has_to_be() {
        assert_eq!(parse(" ", JsonShape::Object), Ok(None));
        assert_eq!(parse("{}", JsonShape::Object), Ok(None));
        assert_eq!(parse("{}", JsonShape::Schema), Ok(Some(json!({}))));
        assert_eq!(parse("{}", JsonShape::Body), Ok(None));
        assert_eq!(parse("null", JsonShape::Body), Ok(Some(Value::Null)));
        assert_eq!(parse("true", JsonShape::Schema), Ok(Some(json!(true))));
        assert!(parse("true", JsonShape::Object).is_err());
        let steps = r#"{ "steps": [{ "id": "t1", "type": "wait", "name": "rest", "wait": { "ms": 1 } }] }"#;
        assert!(parse(steps, JsonShape::Workflow).is_ok_and(|value| value.is_some()));
        let fault =
            parse(r#"{ "steps": [{ "id": "t1", "name": "rest" }] }"#, JsonShape::Workflow).unwrap_err();
        assert!(
            fault.starts_with("These are no steps of a workflow: steps[0].type (the step “rest”): "),
            "{fault}"
        );
        assert_eq!(parse("[1]", JsonShape::Any), Ok(Some(json!([1]))));
        assert!(parse("{\n\"a\":", JsonShape::Any).is_err_and(|text| text.starts_with("Line 2: ")));
        let fault = parse("{\n\"a\": \"b,\n\"c\": 1 }", JsonShape::Any);
        assert_eq!(fault, Err("Line 2: a text that begins here is not closed.".to_owned()));
    }

    #[test]
    fn what_is_wrong_with_the_steps_of_a_tool_is_said_with_its_place() {
        let said = |text: &str| parse(text, JsonShape::Workflow).unwrap_err();
        let missing = said(
            r#"{ "steps": [{ "id": "t1", "type": "sequence", "name": "all", "steps": [{ "id": "t2", "name": "found" }] }] }"#,
        );
        assert!(missing.contains("steps[0].steps[0].type (the step “found”): "), "{missing}");
        let key = said(r#"{ "step": [] }"#);
        assert!(key.contains("steps"), "{key}");
    }
}
