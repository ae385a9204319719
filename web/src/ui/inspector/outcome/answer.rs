//! The form for the answer to a waiting step. Sending it resumes the run.

use leptos::prelude::*;
use serde_json::Map;
use wasm_bindgen::JsValue;

use crate::model::form::{Form, Wrong};
use crate::page::icon::{PLAY, icon};
use crate::page::state::app;
use crate::run::event::Pending;
use crate::ui::filling::Filling;
use crate::ui::launch;

/// The question.
#[component]
pub fn Question(
    /// The approval that is requested.
    pending: Pending,
) -> impl IntoView {
    let app = app();
    let form = StoredValue::new(Form::of(pending.schema.as_ref()));
    let texts = RwSignal::new(form.with_value(|form| form.first(&Map::new())));
    let wrong = RwSignal::new(Vec::<Wrong>::new());
    let fields = form.with_value(Form::clone);
    let key = pending.key.clone();
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match form.with_value(|form| texts.with_untracked(|texts| form.answer(texts))) {
            Ok(answer) => launch::answer(app, &key, answer),
            Err(found) => wrong.set(found),
        }
    };
    let message = pending.message.filter(|text| !text.is_empty());
    let until = pending.expires_at.map(|time| {
        let time =
            String::from(js_sys::Date::new(&time.into()).to_locale_string("default", &JsValue::UNDEFINED));
        view! { <p class="field-hint">"To be answered by " {time}</p> }
    });
    view! {
        <form class="question" aria-label="Answer" on:submit=send>
            {message.map(|text| view! { <p class="question-text">{text}</p> })}
            {until}
            <Filling form=fields texts=texts wrong=wrong />
            <button class="button primary" type="submit">{icon(PLAY)} "Send and go on"</button>
        </form>
    }
}
