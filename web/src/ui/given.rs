//! Before a run: the values that its workflow wants to be given.

use leptos::prelude::*;
use serde_json::{Map, Value};
use stepweave_core::document::Document;
use stepweave_core::json;
use wasm_bindgen_futures::spawn_local;

use super::field::TextArea;
use super::filling::Filling;
use super::{chat, launch};
use crate::bridge::Outcome;
use crate::model::conversations::besides;
use crate::model::form::Form;
use crate::model::preview::beginning;
use crate::model::problem::GIVEN;
use crate::model::shape::{self, begun, followed};
use crate::page::icon::{PLAY, icon};
use crate::page::state::{App, Given, Start, Typed, app};
use crate::step::upright::upright_json;

/// The id of the form, whose button stands below it.
const FORM: &str = "given";

/// The bytes of a text that is not kept beyond a visit.
const LONG: usize = 100_000;

/// The schema of the values of the next run where a person has to be asked for them: each run is asked for, with what was
/// given last. In a chat that is so once, and for what is needed besides what is said. Besides what the workflow declares
/// there may be a schema that has more.
pub fn missing(app: App, start: &Start, more: Option<Value>) -> Option<Value> {
    app.editor.document.with_untracked(|document| {
        let schema = wanted(app, more.as_ref().or_else(|| schema_of(document))?, start);
        let is_asked = Form::of_input(&schema).is_some()
            && app.given.with_untracked(|given| match start {
                Start::Whole => given.fresh.as_ref() != Some(&schema),
                // It has what the run before it was given.
                Start::From(_) => false,
                Start::Said => {
                    let is_there = |key: &str| {
                        document.initial_state.contains_key(key) || given.values.contains_key(key)
                    };
                    let needed = schema.get("required").and_then(Value::as_array).into_iter().flatten();
                    needed.filter_map(Value::as_str).any(|key| !is_there(key))
                }
            });
        is_asked.then_some(schema)
    })
}

/// Whether a person is asked for what a run is given.
pub fn has_form(app: App) -> bool {
    missing(app, &Start::Whole, None).is_some()
}

/// What turns of a chat are given besides what is said.
pub fn besides_chat(app: App) -> Map<String, Value> {
    let filled = untrack(|| chat::filled(app));
    let mut values = app.given.with_untracked(|given| given.values.clone());
    values.retain(|key, _| !filled.contains(key));
    values
}

/// The schema of the values that a person is asked for.
fn wanted(app: App, schema: &Value, start: &Start) -> Value {
    match start {
        Start::Said => besides(schema, &untrack(|| chat::filled(app))),
        Start::Whole | Start::From(_) => schema.clone(),
    }
}

/// The values for the run that begins now; whoever asks for another one is asked again.
pub fn take(app: App) -> Map<String, Value> {
    let fresh = app.given.try_update(|given| given.fresh.take()).flatten();
    fresh.map(|_| app.given.with_untracked(|given| given.values.clone())).unwrap_or_default()
}

/// Has the next run of all be given what the last one was, as long as it asks for the same.
pub fn repeat(app: App) {
    app.given.update(|given| given.fresh.clone_from(&given.asked));
}

fn schema_of(document: &Document) -> Option<&Value> {
    document.input.as_ref()?.json_schema()
}

/// The question.
#[component]
pub fn GivenForm(
    /// The run.
    start: Start,
    /// The schema of the values.
    schema: Value,
) -> impl IntoView {
    let app = app();
    let mut known = app.editor.document.with_untracked(|document| document.initial_state.clone());
    known.extend(followed(&schema, given_last(app)));
    let Some(form) = Form::of_input(&schema) else { return ().into_any() };
    let typed = app.given.with_untracked(|given| given.typed.clone()).or_else(|| kept(app));
    let first = form.first(&known);
    // Nothing is wrong yet with what was typed since.
    let last = untrack(|| {
        app.runner.read(|board| board.result.as_ref()?.errors.first().map(|one| one.message.clone()))
    });
    let unfit = last.filter(|_| typed.is_none()).map(|said| form.unfit(&said)).unwrap_or_default();
    if !unfit.is_empty() {
        focus_first("[aria-invalid=true]");
    }
    let typed = typed.filter(|typed| typed.schema == schema && typed.texts.len() == first.len());
    let (texts, json) = typed.map_or((first.clone(), None), |typed| (typed.texts, typed.written));
    let texts = RwSignal::new(texts);
    let wrong = RwSignal::new(unfit);
    let form = StoredValue::new(form);
    // The same values as JSON, once a person has asked for that.
    let written = RwSignal::new(json);
    let unread = RwSignal::new(None::<String>);
    // A dialog is closed by a key that is soon pressed: what was typed is there when it is opened again.
    let typed_for = schema.clone();
    let asked = schema.clone();
    Effect::new(move || {
        let (texts, written) = (texts.get(), written.get());
        let is_changed = written.is_some() || texts != first;
        let typed = is_changed.then(|| Typed { schema: typed_for.clone(), texts, written });
        // A file is chosen anew: what is in it is stored only where a run that waits needs it.
        let kept = typed.as_ref().map(|typed| {
            form.with_value(|form| Typed {
                schema: typed.schema.clone(),
                texts: form.without_files(&typed.texts),
                written: typed.written.clone().filter(|_| !form.has_files()),
            })
        });
        keep(app, kept);
        app.given.update_untracked(|given| given.typed = typed);
    });
    let fill = move || form.with_value(|form| texts.with_untracked(|texts| form.answer(texts)));
    let turn = move |_| match written.get_untracked() {
        None => {
            let mut values = form.with_value(|form| texts.with_untracked(|texts| form.rough(texts)));
            if values.is_empty() {
                values = begun(&asked);
            }
            written.set(Some(upright_json(json::lines(&values))));
            focus_first("textarea");
        }
        Some(text) => match read(&text).and_then(|values| form.with_value(|form| keeps(form, values))) {
            Ok(values) => {
                texts.set(form.with_value(|form| form.first(&values)));
                wrong.set(Vec::new());
                written.set(None);
            }
            Err(said) => unread.set(Some(said)),
        },
    };
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let values = match written.get_untracked() {
            Some(text) => match read(&text) {
                Ok(values) => values,
                Err(said) => return unread.set(Some(said)),
            },
            None => match fill() {
                Ok(values) => values.as_object().cloned().unwrap_or_default(),
                Err(found) => {
                    wrong.set(found);
                    return focus_first("[aria-invalid=true]");
                }
            },
        };
        let (start, schema) = (start.clone(), schema.clone());
        spawn_local(async move {
            let why = refusal(app, &values, &start).await.unwrap_or_default();
            // The form may have been closed meanwhile.
            let Some(found) = form.try_with_value(|form| form.unfit(&why)) else { return };
            if let Some(first) = found.first() {
                if written.with_untracked(Option::is_some) {
                    return unread.set(Some(first.text.clone()));
                }
                wrong.set(found);
                return focus_first("[aria-invalid=true]");
            }
            let fresh = (start == Start::Whole).then_some(schema);
            app.given.set(Given { values, asked: fresh.clone(), fresh, typed: None });
            app.dialog.set(None);
            launch::run(app, start);
        });
    };
    view! {
        <form id=FORM class="modal-body" novalidate on:submit=send>
            {move || match written.get() {
                Some(_) => view! {
                    <TextArea label="Values of the run" code=true rows=10 value=Signal::derive(move || written.get().unwrap_or_default())
                        on_input=move |text| { unread.set(None); written.set(Some(text)); } error=unread hint="A JSON object." />
                }
                .into_any(),
                None => view! { <Filling form=form.get_value() texts=texts wrong=wrong /> }.into_any(),
            }}
        </form>
        <footer>
            <button class="text-button" type="button" on:click=turn>{move || if written.with(Option::is_some) { "As a form" } else { "As JSON" }}</button>
            <span class="spring"></span>
            <button class="button" type="button" on:click=move |_| app.dialog.set(None)>"Cancel"</button>
            <button class="button primary" type="submit" form=FORM title="Ctrl+Enter">{icon(PLAY)} "Run"</button>
        </footer>
    }
    .into_any()
}

/// Why a run could not begin with these values, as the engine says it; nothing where it could.
async fn refusal(app: App, values: &Map<String, Value>, start: &Start) -> Option<String> {
    let said = if *start == Start::Said { chat::state(app) } else { Map::new() };
    let begins = app.editor.document.with_untracked(|document| beginning(document, values, said))?;
    let bridge = app.bridge.get_value();
    match bridge.evaluate(&begins, 0).await? {
        Outcome::Value(_) => None,
        Outcome::Error(why) => Some(why),
    }
}

/// Keeps what was typed beyond this visit, or forgets it once a run has it. Who follows another tab stores nothing.
pub fn keep(app: App, typed: Option<Typed>) {
    if app.editor.following.get_untracked() {
        return;
    }
    let text = typed.map(|mut typed| {
        // All of a text is stored again with each letter.
        typed.texts.iter_mut().filter(|text| text.len() > LONG).for_each(String::clear);
        typed.written = typed.written.filter(|written| written.len() <= LONG);
        json::text(&typed)
    });
    app.editor.draft(GIVEN, text);
}

/// What was typed in an earlier visit.
fn kept(app: App) -> Option<Typed> {
    let text = app.editor.drafts.with_untracked(|drafts| drafts.get(GIVEN).cloned())?;
    serde_json::from_str(&text).ok()
}

/// What runs were given last: in this visit, or else in an earlier one whose run is shown again.
fn given_last(app: App) -> Map<String, Value> {
    let values = app.given.with_untracked(|given| given.values.clone());
    let before = if values.is_empty() { app.runner.began_with() } else { None };
    before.map_or(values, |(ran, state)| shape::given(ran.document(), state))
}

fn read(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(values)) => Ok(values),
        Ok(_) => Err("Must be an object in braces, such as { \"topic\": \"bees\" }.".to_owned()),
        Err(error) => Err(format!("This is not JSON: {error}.")),
    }
}

/// The values, where the form has a field for each.
fn keeps(form: &Form, values: Map<String, Value>) -> Result<Map<String, Value>, String> {
    match form.loses(&values) {
        None => Ok(values),
        Some(key) => {
            Err(format!("The form has no field for all of “{key}”: run it from here, or take that out."))
        }
    }
}

/// To the first such field of the form: one that has to be corrected, or the one of the JSON.
fn focus_first(which: &'static str) {
    request_animation_frame(move || {
        let selector = format!("#{FORM} {which}");
        let field = document().query_selector(&selector).ok().flatten();
        let field =
            field.and_then(|field| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(field).ok());
        // A group that is wrong has no field of its own.
        field.into_iter().for_each(|field| drop(field.focus()));
    });
}
