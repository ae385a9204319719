//! Runs that earlier visits have left.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::{chat, launch};
use crate::bridge::LeftRun;
use crate::model::ago::ago;
use crate::page::state::app;
use crate::run::talk::GivenUp;
use crate::step::upright::upright;

/// Says that there are such runs, each of which can be taken up or discarded.
#[component]
pub fn Waiting() -> impl IntoView {
    let app = app();
    let chosen = RwSignal::new(String::new());
    let many = Memo::new(move |_| app.waiting.with(Vec::len));
    // The one that was chosen, or the newest.
    let shown = Memo::new(move |_| {
        app.waiting.with(|all| {
            let is_chosen = |one: &&LeftRun| chosen.with(|chosen| one.run == *chosen);
            all.iter().find(is_chosen).or(all.first()).cloned()
        })
    });
    let said = move || {
        let time = shown.with(|run| run.as_ref().map(time_of)).unwrap_or_default();
        let state = shown.with(|run| run.as_ref().map(State::of));
        match (many.get(), state) {
            (2.., _) => format!("{} runs of this workflow wait for your answer or were cut off.", many.get()),
            (_, Some(State::Waits)) => {
                format!("A run of this workflow waits for your answer. It began {time}.")
            }
            (_, Some(State::TooLate)) => {
                format!(
                    "A run of this workflow began {time}. The time for your answer is over: it goes on without one."
                )
            }
            (_, _) => {
                format!("A run of this workflow was cut off. It began {time}; what it has done is kept.")
            }
        }
    };
    let option = move |run: LeftRun| {
        let text = called(&run);
        let value = run.run.clone();
        let is_shown = move || shown.with(|shown| shown.as_ref().is_some_and(|one| one.run == run.run));
        view! { <option value=value prop:selected=is_shown>{text}</option> }
    };
    let choice = move || {
        (many.get() > 1).then(|| {
            view! {
                <select class="input" aria-label="Runs to go on with" on:change=move |event| chosen.set(event_target_value(&event))>
                    {move || app.waiting.get().into_iter().map(option).collect_view()}
                </select>
            }
        })
    };
    let goes_on = move || match shown.with(|run| run.as_ref().map(State::of)) {
        Some(State::Waits) => "Show it",
        _ => "Go on",
    };
    let go_on = move |_| shown.get_untracked().into_iter().for_each(|run| launch::take_up(app, run.run));
    let discard = move |_| {
        let Some(LeftRun { run, .. }) = shown.get_untracked() else { return };
        chat::forget(app, run.clone());
        if app.chat.kept.with_untracked(|kept| kept.open.as_ref().is_some_and(|open| open.run == run)) {
            chat::give_up(app, GivenUp::Stopped);
        }
    };
    view! {
        <div class="banner" role="status">
            <p>{said}</p>
            {choice}
            <button class="button" on:click=discard>"Discard"</button>
            <button class="button primary" on:click=go_on>{goes_on}</button>
        </div>
    }
}

/// How an earlier visit has left a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It waits for a person.
    Waits,
    /// It waited for a person until a time that is over.
    TooLate,
    CutOff,
}

impl State {
    fn of(run: &LeftRun) -> Self {
        match (run.suspended, run.until) {
            (true, Some(until)) if until as f64 <= js_sys::Date::now() => Self::TooLate,
            (true, _) => Self::Waits,
            (false, _) => Self::CutOff,
        }
    }
}

/// What a run waits for, what it is about, and when it began: two of the same minute are told apart.
fn called(run: &LeftRun) -> String {
    let began = js_sys::Date::new(&(run.at as f64).into()).to_locale_string("default", &JsValue::UNDEFINED);
    let waits_for = match (State::of(run), run.asks.as_slice()) {
        (State::CutOff, _) => "Cut off".to_owned(),
        (State::TooLate, _) => "No answer in time".to_owned(),
        (State::Waits, []) => "Waits".to_owned(),
        (State::Waits, asks) => upright(asks.join(", ")),
    };
    let about = if run.about.is_empty() {
        String::new()
    } else {
        format!(" · “{}”", upright(run.about.clone()))
    };
    format!("{waits_for}{about} · {}", String::from(began))
}

fn time_of(run: &LeftRun) -> String {
    ago(js_sys::Date::now() - run.at as f64).to_ascii_lowercase()
}
