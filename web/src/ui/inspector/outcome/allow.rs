//! Whether a model may call a tool: a person allows it, changes what it is called with, or refuses.

use leptos::prelude::*;
use serde_json::{Value, json};
use stepweave_core::json;

use crate::page::icon::{CLOSE, PLAY, icon};
use crate::page::state::app;
use crate::run::event::{Pending, PendingCall};
use crate::step::upright::{upright, upright_json};
use crate::ui::field::{TextArea, TextField};
use crate::ui::inspector::fields::json::{JsonShape, parse};
use crate::ui::inspector::outcome::half::HalfWritten;
use crate::ui::launch;

/// The question.
#[component]
pub fn Allowance(
    /// The approval that is requested.
    pending: Pending,
    /// The call.
    call: PendingCall,
) -> impl IntoView {
    let app = app();
    let PendingCall { name, input } = call;
    // A value is JSON already.
    let half = HalfWritten::of(app, &pending.key);
    let [first, why] = match half.texts(2).map(<[String; 2]>::try_from) {
        Some(Ok(texts)) => texts,
        _ => [upright_json(json::lines(&input)), String::new()],
    };
    let (text, reason) = (RwSignal::new(first), RwSignal::new(why));
    Effect::new(move |before: Option<()>| {
        let texts = [text.get(), reason.get()];
        before.into_iter().for_each(|()| half.keep(&texts));
    });
    let changed = Memo::new(move |_| {
        text.with(|text| parse(text, JsonShape::Any))
            .and_then(|value| value.ok_or_else(|| "Must be JSON, such as {}.".to_owned()))
    });
    let error = Signal::derive(move || changed.get().err());
    let key = StoredValue::new(pending.key);
    let message =
        pending.message.map(|text| upright(text.replace(&format!("`{name}`"), &format!("“{name}”"))));
    let answer = move |value: Value| key.with_value(|key| launch::answer(app, key, value));
    let allow = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match changed.get_untracked() {
            Ok(other) if other == input => answer(json!(true)),
            Ok(other) => answer(json!({ "approved": true, "input": other })),
            // It is reported at its field.
            Err(_) => {}
        }
    };
    let refuse = move |_| match reason.get_untracked().trim() {
        "" => answer(json!(false)),
        reason => answer(json!({ "approved": false, "reason": reason })),
    };
    view! {
        <form class="question" tabindex="-1" aria-label=format!("May {name} be called?") on:submit=allow>
            <p class="question-text">{message}</p>
            <TextArea label="It is called with" value=text on_input=move |typed| text.set(typed) error=error rows=4 code=true />
            <TextField label="If not, why" value=reason on_input=move |typed| reason.set(typed) placeholder="The model is told" />
            <div class="answers">
                <button class="button primary" type="submit">{icon(PLAY)} "Allow"</button>
                <button class="button" type="button" on:click=refuse>{icon(CLOSE)} "Refuse"</button>
            </div>
        </form>
    }
}
