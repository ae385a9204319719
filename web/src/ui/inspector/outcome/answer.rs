//! The form for the answer to a waiting step. Sending it resumes the run.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::model::form::{Field, Form, Input};
use crate::page::icon::{PLAY, icon};
use crate::page::state::app;
use crate::run::event::Pending;
use crate::ui::field::{Choice, Switch, TextArea, TextField};
use crate::ui::launch;

/// The question.
#[component]
pub fn Question(
    /// The approval that is requested.
    pending: Pending,
) -> impl IntoView {
    let app = app();
    let form = StoredValue::new(Form::of(pending.schema.as_ref()));
    let texts = RwSignal::new(
        form.with_value(|form| form.fields().into_iter().map(Field::first).collect::<Vec<_>>()),
    );
    let wrong = RwSignal::new(Vec::<(usize, String)>::new());
    let fields = form.with_value(|form| {
        let fields = form.fields().into_iter().cloned().enumerate();
        fields
            .map(|(at, field)| view! { <Answer at=at field=field texts=texts wrong=wrong /> })
            .collect_view()
    });
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
            {fields}
            <button class="button primary" type="submit">{icon(PLAY)} "Send and go on"</button>
        </form>
    }
}

#[component]
fn Answer(
    at: usize,
    field: Field,
    texts: RwSignal<Vec<String>>,
    wrong: RwSignal<Vec<(usize, String)>>,
) -> impl IntoView {
    let value = Signal::derive(move || texts.with(|texts| texts.get(at).cloned().unwrap_or_default()));
    let set = move |text: String| {
        wrong.update(|wrong| wrong.retain(|(place, _)| *place != at));
        texts.update(|texts| {
            if let Some(own) = texts.get_mut(at) {
                *own = text;
            }
        });
    };
    let error = Signal::derive(move || {
        wrong.with(|wrong| wrong.iter().find(|(place, _)| *place == at).map(|(_, text)| text.clone()))
    });
    let label = if field.required { field.label } else { format!("{} (optional)", field.label) };
    let hint = Signal::stored(field.hint.clone());
    match field.input {
        Input::Text => view! { <TextArea label=label value=value on_input=set error=error hint=hint rows=2 /> }.into_any(),
        Input::Number | Input::Integer => {
            view! { <TextField label=label value=value on_input=set error=error hint=hint /> }.into_any()
        }
        Input::Boolean if !field.required => {
            let options = [("", "no answer"), ("true", "yes"), ("false", "no")];
            let options = options.map(|(value, text)| (value.to_owned(), text.to_owned())).to_vec();
            view! { <Choice label=label value=value options=Signal::stored(options) on_pick=set /> }.into_any()
        }
        Input::Boolean => {
            let on = Signal::derive(move || value.get() == "true");
            view! { <Switch label=label hint=field.hint value=on on_change=move |on: bool| set(on.to_string()) /> }
                .into_any()
        }
        Input::Choice(values) => {
            let mut options: Vec<_> = values
                .iter()
                .map(|value| (value.to_string(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
                .collect();
            if !field.required {
                options.insert(0, (String::new(), "no answer".to_owned()));
            }
            view! { <Choice label=label value=value options=Signal::stored(options) on_pick=set /> }.into_any()
        }
        Input::Json => {
            view! { <TextArea label=label value=value on_input=set error=error hint=hint rows=4 code=true placeholder="JSON" /> }
                .into_any()
        }
    }
}
