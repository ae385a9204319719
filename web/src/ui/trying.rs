//! From the Try button to one request: the person is asked for what it needs, and nothing is sent where nobody agreed to.

use indexmap::IndexMap;
use leptos::prelude::*;
use serde_json::{Map, Value};
use stepweave_core::document::{Document, HttpRequest, ToolRun, every};
use stepweave_core::json;
use stepweave_core::state::output_key;
use wasm_bindgen_futures::spawn_local;

use super::field::{Switch, TextField};
use super::launch;
use super::relay::{choose, is_of_use, to_choose};
use crate::bridge::Relay;
use crate::model::known::{Known, Seen, declared, key_of_step, known_at, known_inside, needs_of};
use crate::model::requests::{named_origins, request_at, secret_of};
use crate::model::trial::Values;
use crate::page::state::{App, Dialog, Sends, app};

/// The id of the form, whose button stands below it.
const FORM: &str = "try-request";

/// What a request reads, and what is known of it.
#[derive(Clone)]
struct Need {
    /// What people call it.
    label: String,
    name: String,
    kind: NeedKind,
    value: Option<Value>,
}

#[derive(Clone, Copy, PartialEq)]
enum NeedKind {
    Key,
    Output,
}

/// Sends a request once; opens a form first for what is missing.
pub fn begin(app: App, key: String) {
    if let Some(why) = hindrance(app) {
        return app.editor.notice.set(Some(why.to_owned()));
    }
    app.editor.seal();
    let Some(request) = request_of(app, &key) else { return };
    if secret_of(&request).is_some_and(|key| launch::is_locked(app, key)) {
        return app.dialog.set(Some(Dialog::Unlock { sends: Sends::Tried(key) }));
    }
    let needs = needs(app, &key, &request);
    let asks = needs.iter().any(|need| need.value.is_none())
        || !request.method().is_safe()
        || !not_agreed(app, &request).is_empty();
    if asks {
        return ask(app, key);
    }
    let given = needs.into_iter().filter_map(|need| Some((need.kind, need.name, need.value?)));
    send(app, key, request, given.collect());
}

/// Asks for the values of a request that is tried, and whether it may be sent.
pub fn ask(app: App, key: String) {
    spawn_local(async move {
        let origins = app
            .editor
            .document
            .with_untracked(|document| request_at(document, &key).map(named_origins).unwrap_or_default());
        let offer = to_choose(app, &origins).await;
        app.dialog.set(Some(Dialog::Try { key, offer }));
    });
}

/// What a step, or a tool, can read.
pub fn known(app: App, key: &str) -> Known {
    app.editor.document.with_untracked(|document| match step_of(key) {
        Some(id) => known_of_step(app, document, id),
        None => arguments(document, key),
    })
}

/// What a step can read, with all that was seen of the workflow.
pub fn known_of_step(app: App, document: &Document, id: &str) -> Known {
    seen(app, |seen| known_at(document, seen, id))
}

/// The same behind the steps inside of it.
pub fn known_inside_step(app: App, document: &Document, id: &str) -> Known {
    seen(app, |seen| known_inside(document, seen, id))
}

/// What was seen of the workflow.
fn seen<T>(app: App, read: impl FnOnce(&Seen<'_>) -> T) -> T {
    let mut outputs = IndexMap::new();
    app.editor.document.with_untracked(|document| {
        for step in every(&document.steps) {
            let output = app.runner.step_now(&step.id, |all| all.latest().and_then(|run| run.output.clone()));
            if let Some(output) = output.flatten() {
                outputs.insert(step.id.clone(), output);
            }
        }
    });
    let last = untrack(|| {
        app.runner.read(|board| board.result.as_ref().and_then(|result| result.state.as_object().cloned()))
    });
    app.given.with_untracked(|given| {
        app.editor.samples.with_untracked(|samples| {
            read(&Seen { samples, outputs: &outputs, state: last.as_ref(), given: &given.values })
        })
    })
}

/// Asks for values, and whether it may be sent.
#[component]
pub fn Trying(
    /// What sends the request.
    key: String,
    /// The relay that it may go through instead, where nobody has chosen yet.
    offer: Option<Relay>,
) -> impl IntoView {
    let app = app();
    let Some(request) = request_of(app, &key) else { return ().into_any() };
    let needs = needs(app, &key, &request);
    let texts: Vec<RwSignal<String>> = needs
        .iter()
        .map(|need| RwSignal::new(need.value.as_ref().map(text_of).unwrap_or_default()))
        .collect();
    let tried = RwSignal::new(false);
    let origins = not_agreed(app, &request);
    let listed = origins.clone();
    let is_offered = offer.is_some();
    let through = RwSignal::new(is_of_use(std::iter::once(&request)));
    let method = request.method().word();
    let is_safe = request.method().is_safe();
    let first_missing = needs.iter().position(|need| need.value.is_none());
    let fields = needs.iter().zip(&texts).enumerate().map(|(index, (need, text))| {
        let (text, is_first) = (*text, first_missing == Some(index));
        let error = Signal::derive(move || {
            let missing = tried.get() && text.with(|text| text.trim().is_empty());
            missing.then(|| "It needs a value.".to_owned())
        });
        view! { <TextField label=need.label.clone() code=true value=text on_input=move |typed| text.set(typed) error=error autofocus=is_first /> }
    });
    let fields = fields.collect_view();
    let has_fields = !needs.is_empty();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        tried.set(true);
        if texts.iter().any(|text| text.with_untracked(|text| text.trim().is_empty())) {
            return;
        }
        let entered = needs.iter().zip(&texts);
        let entered: Vec<_> = entered
            .map(|(need, text)| (need.kind, need.name.clone(), text.with_untracked(|text| value_of(text))))
            .collect();
        app.agreed.update(|agreed| agreed.extend(origins.iter().cloned()));
        choose(app, offer.clone(), through.get_untracked());
        app.dialog.set(None);
        match hindrance(app) {
            Some(why) => app.editor.notice.set(Some(why.to_owned())),
            None => send(app, key.clone(), request.clone(), entered),
        }
    };
    view! {
        <form id=FORM class="modal-body" on:submit=submit>
            {(!is_safe).then(|| view! {
                <p class="note sends"><b>{method}</b> <span>"It is really sent, and may change something where it goes."</span></p>
            })}
            {(!listed.is_empty()).then(|| view! {
                <p>"It is sent, with the values that stand in it, to:"</p>
                <ul class="origins">{listed.into_iter().map(|origin| view! { <li><code>{origin}</code></li> }).collect_view()}</ul>
            })}
            {has_fields.then(|| view! { <p class="field-hint">"A text as it is, or JSON such as 42 or [1, 2]:"</p> })}
            {fields}
            {is_offered.then(|| view! {
                <Switch label="Requests go through the relay of this server" hint="Most sites do not let a page read their answers. Keys do not go through it." value=through
                    on_change=move |on| through.set(on) />
            })}
        </form>
        <footer>
            <button class="button" on:click=move |_| app.dialog.set(None)>"Cancel"</button>
            <button class="button primary" form=FORM autofocus=first_missing.is_none()>"Send once"</button>
        </footer>
    }
    .into_any()
}

fn send(app: App, key: String, request: HttpRequest, given: Vec<(NeedKind, String, Value)>) {
    let mut entered = Values::default();
    for (kind, name, value) in given {
        match kind {
            NeedKind::Key => drop(entered.keys.insert(name, value)),
            NeedKind::Output => drop(entered.outputs.insert(name, value)),
        }
    }
    // What is read without being named, such as all of the state, is there as far as it is known.
    let mut keys: Map<String, Value> =
        known(app, &key).into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    // What a person has said is remembered; what is known follows the document and its runs.
    let mut said = entered.clone();
    said.keys.retain(|name, value| keys.get(name) != Some(value));
    app.trials.entered.update(|all| drop(all.insert(key.clone(), said)));
    keys.extend(entered.keys);
    let values = Values { keys, outputs: entered.outputs };
    let mut options = launch::options(app, None);
    options.pins = true;
    let keep = {
        let key = key.clone();
        move |sample| app.editor.keep_sample(key.clone(), Some(sample))
    };
    app.bridge.with_value(|bridge| app.trials.send(bridge, key, request, &values, &options, keep));
}

/// Why nothing can be tried now.
fn hindrance(app: App) -> Option<&'static str> {
    if app.runner.is_busy() {
        return Some("A run is in progress. Stop it, or wait for its end first.");
    }
    if app.editor.following.get_untracked() {
        return Some("This workflow is being edited in another tab. Choose “Edit here” first.");
    }
    untrack(|| app.trials.is_sending()).then_some("A request is under way already.")
}

fn request_of(app: App, key: &str) -> Option<HttpRequest> {
    app.editor.document.with_untracked(|document| request_at(document, key).cloned())
}

fn not_agreed(app: App, request: &HttpRequest) -> Vec<String> {
    let agreed = app.agreed.get_untracked();
    named_origins(request).into_iter().filter(|origin| !agreed.contains(origin)).collect()
}

/// What a request reads: what a person has entered before, else what is known.
fn needs(app: App, key: &str, request: &HttpRequest) -> Vec<Need> {
    let known = known(app, key);
    let entered = app.trials.entered.with_untracked(|all| all.get(key).cloned()).unwrap_or_default();
    let needs = needs_of(request);
    let keys = needs.keys.into_iter().map(|name| {
        let value = entered.keys.get(&name).cloned().or_else(|| known.get(&name).cloned().flatten());
        Need { label: name.clone(), name, kind: NeedKind::Key, value }
    });
    let outputs = needs.outputs.into_iter().map(|name| {
        let output = || known.get(&output_key(&name)).cloned().flatten();
        let value = entered.outputs.get(&name).cloned().or_else(output);
        Need { label: format!("steps.{name}.output"), name, kind: NeedKind::Output, value }
    });
    keys.chain(outputs).collect()
}

/// The arguments of a tool, as its schema names them.
fn arguments(document: &Document, key: &str) -> Known {
    let is_own = |run: &Option<ToolRun>| match (run, request_at(document, key)) {
        (Some(ToolRun::Http(own)), Some(request)) => std::ptr::eq(&**own, request),
        _ => false,
    };
    let tool = document.tools.values().find(|tool| is_own(&tool.run));
    declared(tool.and_then(|tool| tool.input.as_ref()))
}

/// The step whose request has this key.
pub fn step_of(key: &str) -> Option<&str> {
    key.split_once('@').map(|(_, id)| id).filter(|id| key_of_step(id) == key)
}

fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// The text that is read as this value.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) if !text.trim().is_empty() && serde_json::from_str::<Value>(text).is_err() => {
            text.clone()
        }
        other => json::text(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_value_is_read_back_from_its_text() {
        for value in [
            json!("bees"),
            json!("42"),
            json!(42),
            json!(""),
            json!(" "),
            json!("[1"),
            json!([1, "a"]),
            json!(null),
        ] {
            assert_eq!(value_of(&text_of(&value)), value);
        }
        assert_eq!(text_of(&json!("two words")), "two words");
    }
}
