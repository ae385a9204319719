//! The form for the answer to a waiting step. Sending it resumes the run.

use leptos::prelude::*;
use serde_json::Map;
use wasm_bindgen::JsValue;

use crate::model::endpoints::origin_of;
use crate::model::form::{Form, Wrong};
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
    let form = StoredValue::new(Form::of(pending.schema.as_ref()));
    let first = form.with_value(|form| form.first(&Map::new()));
    let half = HalfWritten::of(app, &pending.key);
    let texts = RwSignal::new(half.texts(first.len()).unwrap_or(first));
    let kept = half.clone();
    Effect::new(move |before: Option<()>| {
        texts.with(|texts| before.into_iter().for_each(|()| kept.keep(texts)));
    });
    let wrong = RwSignal::new(Vec::<Wrong>::new());
    let fields = form.with_value(Form::clone);
    let key = pending.key.clone();
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match form.with_value(|form| texts.with_untracked(|texts| form.answer(texts))) {
            Ok(answer) => {
                half.forget();
                launch::answer(app, &key, answer);
            }
            Err(found) => wrong.set(found),
        }
    };
    // What a person agrees to must not read otherwise than it is.
    let message = pending.message.filter(|text| !text.is_empty()).map(upright);
    let refuses = move || {
        let approved = form.with_value(|form| texts.with(|texts| form.says(texts, "approved")));
        (approved == Some(false)).then_some(", not approved")
    };
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
        <form class="question" aria-label="Answer" on:submit=send>
            {message.map(|text| view! { <p class="question-text">{text}</p> })}
            {opened}
            {until}
            <Filling form=fields texts=texts wrong=wrong />
            <button class="button primary" type="submit">{icon(PLAY)} <span>"Send and go on" {refuses}</span></button>
        </form>
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
