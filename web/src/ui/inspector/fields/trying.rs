//! The button that sends a request once, and the sample of its answer.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::json;

use crate::model::readable::readable;
use crate::model::sample::Sample;
use crate::page::icon::{PLAY, icon};
use crate::page::state::app;
use crate::run::trials::Phase;
use crate::step::kinds::Kind;
use crate::step::plain::plain;
use crate::step::span::measured;
use crate::ui::failure::Advice;
use crate::ui::trying;

/// The button, and what came of it.
#[component]
pub fn TryFields(
    /// What sends the request.
    key: String,
) -> impl IntoView {
    let app = app();
    let key = StoredValue::new(key);
    let phase = Memo::new(move |_| {
        app.trials.last.with(|last| {
            let own = last.as_ref().filter(|trial| key.with_value(|key| trial.key == *key));
            own.map(|trial| trial.phase.clone())
        })
    });
    let sample = Memo::new(move |_| {
        app.editor.samples.with(|samples| key.with_value(|key| samples.get(key).cloned()))
    });
    let has_values = Memo::new(move |_| {
        app.trials.entered.with(|all| {
            let own = key.with_value(|key| all.get(key));
            own.is_some_and(|own| !own.keys.is_empty() || !own.outputs.is_empty())
        })
    });
    let outcome = move || {
        match phase.get() {
        Some(Phase::Sending) => view! {
            <p class="field-hint">"It is sent…" <button class="text-button" on:click=move |_| app.trials.stop()>"Stop"</button></p>
        }
        .into_any(),
        Some(Phase::Failed(failure)) => view! {
            <div class="failure">
                <p>{plain(failure.message.clone(), Some(Kind::Http))}</p>
                <Advice failure=*failure />
            </div>
        }
        .into_any(),
        Some(Phase::Answered) | None => ().into_any(),
    }
    };
    view! {
        <div class="field trying" role="group" aria-label="Try this request">
            <div class="trying-acts">
                <button class="button" title="Sends this request once and keeps its answer as a sample" disabled=move || app.trials.is_sending()
                    on:click=move |_| trying::begin(app, key.get_value())>{icon(PLAY)} "Try"</button>
                {move || has_values.get().then(|| view! {
                    <button class="text-button" on:click=move |_| trying::ask(app, key.get_value())>"Other values"</button>
                })}
            </div>
            <div role="status">{outcome}</div>
            {move || sample.get().map(|sample| view! { <SampleView key=key sample=sample /> })}
        </div>
    }
}

/// What was answered.
#[component]
fn SampleView(key: StoredValue<String>, sample: Sample) -> impl IntoView {
    let editor = app().editor;
    let Sample { status, headers, body, duration_ms, bytes, is_cut, .. } = sample;
    let is_good = (200..300).contains(&status);
    let media = headers.get("content-type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_json = !body.is_string();
    let rows = headers.into_iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| json::text(&value), str::to_owned);
        view! { <dt>{name}</dt> <dd>{value}</dd> }
    });
    let rows = rows.collect_view();
    view! {
        <div class="sample" role="group" aria-label="Sample answer">
            <p class="sample-head">
                <b class:bad=!is_good>{status}</b>
                <span>{measured(duration_ms)}</span>
                <span>{sized(bytes)}</span>
                <span class="sample-media">{media}</span>
                <button class="text-button" on:click=move |_| editor.keep_sample(key.get_value(), None)>"Forget"</button>
            </p>
            {(!is_good).then(|| view! { <p class="field-hint">"Unless “It succeeded if” says otherwise, a run fails with this status."</p> })}
            <pre class="output" class:code=is_json tabindex="0" aria-label="Its body">{readable(&body)}</pre>
            {is_cut.then(|| view! { <p class="field-hint">"Only a part of it is kept."</p> })}
            <details class="entry"><summary><b>"Headers"</b></summary><dl class="sample-headers">{rows}</dl></details>
        </div>
    }
}

/// Bytes as people say them.
fn sized(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_said_as_people_do() {
        assert_eq!([0, 999, 1234, 2_500_000].map(sized), ["0 B", "999 B", "1.2 KB", "2.5 MB"]);
    }
}
