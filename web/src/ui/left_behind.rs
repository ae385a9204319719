//! What stands in fields and is not valid yet: whoever takes the workflow along gets the values from before, and reads so.

use leptos::prelude::*;
use stepweave_core::shape::cut;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::model::drafts::unfinished_at;
use crate::model::locate::{kind_at, step_at};
use crate::model::problem::{DOCUMENT, Problem};
use crate::page::focus::once_drawn;
use crate::page::state::{App, app};
use crate::step::plain::plain;
use crate::step::upright::upright;

/// More of such a text is not shown.
const SHOWN: usize = 60;

/// A field that holds such a text.
struct Left {
    key: String,
    text: String,
    problem: Problem,
}

/// Each such field, with the way to it; nothing where there is none.
#[component]
pub fn LeftBehind() -> impl IntoView {
    let app = app();
    let left = app.editor.document.with_untracked(|document| {
        let of = |(key, text): (&String, &String)| {
            let problem = unfinished_at(document, key)?;
            Some(Left { key: key.clone(), text: text.clone(), problem })
        };
        app.editor.drafts.with_untracked(|drafts| drafts.iter().filter_map(of).collect::<Vec<_>>())
    });
    (!left.is_empty()).then(|| {
        view! {
            <div class="import-problems" role="alert">
                <h3>"Not all that you see is in it: the values from before are, where something is not valid yet."</h3>
                <ul>{left.into_iter().map(|left| view! { <Row left=left /> }).collect_view()}</ul>
            </div>
        }
    })
}

#[component]
fn Row(left: Left) -> impl IntoView {
    let app = app();
    let Left { key, text, problem } = left;
    let (step, place, kind) = app.editor.document.with_untracked(|document| {
        let found = step_at(document, &problem.path);
        let (step, name) = found.map(|(step, _)| (step.id.clone(), step.name.clone())).unzip();
        (step, name, kind_at(document, &problem.path))
    });
    let place = place.map(|name| view! { <b>{upright(name)}</b> ": " });
    // The JSON of all of it is no short text.
    let holds = (key != DOCUMENT).then(|| format!(" (“{}”)", cut(text.clone(), SHOWN)));
    let go = move |_| go_to(app, &key, step.clone());
    view! {
        <li>
            {place} {plain(problem.message, kind)} {holds} " "
            <button class="text-button" on:click=go>"Go to it"</button>
        </li>
    }
}

/// Leads to the field that holds the text of this key.
fn go_to(app: App, key: &str, step: Option<String>) {
    app.dialog.set(None);
    if key == DOCUMENT {
        return app.as_json.set(true);
    }
    app.as_json.set(false);
    app.editor.select(step);
    app.inspecting.set(true);
    // A field that a section hides is shown with it: a section opens where something in it is wrong.
    once_drawn(|| {
        let Ok(found) = document().query_selector_all(FIELDS) else { return };
        let fields = (0..found.length()).filter_map(|at| found.get(at)?.dyn_into::<HtmlElement>().ok());
        if let Some(field) = { fields }.find(|field| field.offset_parent().is_some()) {
            // A field that takes no focus is still there to be seen.
            let _ = field.focus();
        }
    });
}

/// Where something stands that is not valid, in the form that is shown.
const FIELDS: &str =
    ".inspector-body :is([aria-invalid=true], .input.wrong, .wrong .input, .wrong .code-field)";
