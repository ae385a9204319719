//! The form for the answer to a waiting step. Sending it resumes the run.

use leptos::prelude::*;
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;

use crate::model::endpoints::origin_of;
use crate::model::form::{Field, Form, Wrong};
use crate::page::icon::{PLAY, icon};
use crate::page::state::app;
use crate::run::event::Pending;
use crate::step::upright::upright;
use crate::ui::filling::Filling;
use crate::ui::inspector::outcome::half::HalfWritten;
use crate::ui::launch;

/// The question.
#[component]
pub fn Question(
    /// The approval that is requested.
    pending: Pending,
) -> impl IntoView {
    let app = app();
    // Whether it is approved is said by the button that sends the answer.
    let (form, approval) = Form::of(pending.schema.as_ref()).without_boolean(APPROVED);
    let form = StoredValue::new(form);
    let first = form.with_value(|form| form.first(&Map::new()));
    let half = HalfWritten::of(app, &pending.key);
    let texts = RwSignal::new(half.texts(first.len()).unwrap_or(first));
    Effect::new(move |before: Option<()>| {
        texts.with(|texts| before.into_iter().for_each(|()| half.keep(texts)));
    });
    let wrong = RwSignal::new(Vec::<Wrong>::new());
    let fields = form.with_value(Form::clone);
    let key = pending.key.clone();
    let send = Callback::new(move |approved: Option<bool>| {
        match form.with_value(|form| texts.with_untracked(|texts| form.answer(texts))) {
            Ok(mut answer) => {
                if let (Value::Object(answer), Some(approved)) = (&mut answer, approved) {
                    answer.insert(APPROVED.to_owned(), approved.into());
                }
                launch::answer(app, &key, answer);
            }
            Err(found) => wrong.set(found),
        }
    });
    let is_decided_by_button = approval.is_some();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        // Enter in a field is no decision.
        if !is_decided_by_button {
            send.run(None);
        }
    };
    // What a person agrees to must not read otherwise than it is.
    let message = pending.message.filter(|text| !text.is_empty()).map(upright);
    let pages = message.as_deref().map(pages).unwrap_or_default();
    let opened = pages.into_iter().map(|(host, url)| {
        // A server wrote this: nothing but a click opens it, and the page learns nothing of this one.
        view! { <p><a href=url.clone() target="_blank" rel="noopener noreferrer" title=url>"Open " {host}</a></p> }
    });
    let opened = opened.collect_view();
    let until = pending.expires_at.map(|time| {
        let time =
            String::from(js_sys::Date::new(&time.into()).to_locale_string("default", &JsValue::UNDEFINED));
        view! { <p class="field-hint">"To be answered by " {time}</p> }
    });
    view! {
        <form class="question" tabindex="-1" aria-label="Answer" on:submit=submit>
            {message.map(|text| view! { <p class="question-text">{text}</p> })}
            {opened}
            {until}
            <Filling form=fields texts=texts wrong=wrong />
            {match approval {
                Some(approval) => view! { <Decision approval=approval on_decide=move |approved: bool| send.run(Some(approved)) /> }.into_any(),
                None => view! { <button class="button primary" type="submit">{icon(PLAY)} "Send and go on"</button> }.into_any(),
            }}
        </form>
    }
}

/// What says in an answer that it is a yes.
const APPROVED: &str = "approved";

/// Yes and no, which send the answer.
#[component]
fn Decision(
    /// What is decided, as the schema describes it.
    approval: Field,
    /// Called with what was decided.
    #[prop(into)]
    on_decide: Callback<bool>,
) -> impl IntoView {
    // Whoever wrote the workflow may call it anything; that it is the yes is the page's word.
    let yes = match approval.label {
        label if label == APPROVED => "Approve".to_owned(),
        label => format!("Approve: {label}"),
    };
    view! {
        {(!approval.hint.is_empty()).then(|| view! { <p class="field-hint">{approval.hint}</p> })}
        <div class="decision">
            <button class="button primary" type="button" on:click=move |_| on_decide.run(true)>{icon(PLAY)} <span>{yes}</span></button>
            <button class="button" type="button" on:click=move |_| on_decide.run(false)>"Refuse"</button>
        </div>
    }
}

/// The pages that a message asks to open, each alone in its line, with their hosts.
fn pages(message: &str) -> Vec<(String, String)> {
    let page = |line: &str| {
        let line = line.trim();
        let is_address = line.starts_with("https://") && !line.contains(char::is_whitespace);
        let origin = origin_of(line).filter(|_| is_address)?;
        Some((origin.trim_start_matches("https://").to_owned(), line.to_owned()))
    };
    message.lines().filter_map(page).collect()
}

#[cfg(test)]
mod tests {
    use super::pages;

    #[test]
    fn an_address_that_is_a_line_is_a_page_to_open() {
        let message =
            "The MCP server asks you to open a page of bank.example: pay\n\nhttps://bank.example/pay?id=1";
        let page = ("bank.example".to_owned(), "https://bank.example/pay?id=1".to_owned());
        assert_eq!(pages(message), [page]);
        for none in [
            "see https://bank.example",
            "http://bank.example/",
            "https://bank.example@evil.example/",
            "https://a b",
            "javascript:alert(1)",
        ] {
            assert_eq!(pages(none), [], "{none}");
        }
    }
}
