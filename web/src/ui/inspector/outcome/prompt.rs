//! What an execution has sent: an agent's step its prompt, and a request to which address.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::run_of_step::Shown;
use crate::bridge::Outcome;
use crate::model::asked::{Asked, asked};
use crate::page::icon::{COPY, icon};
use crate::page::state::{App, app};
use crate::run::status::Status;
use crate::run::step_run::StepRun;
use crate::step::kinds::Kind;
use crate::ui::clipboard::copy;

/// While executions follow each other faster than this, none is looked at.
const PAUSE: Duration = Duration::from_millis(150);

/// More of a prompt is not shown.
const MOST: u32 = 50_000;

/// A longer prompt is closed until it is opened.
const SHORT: usize = 280;

/// More lines are no short prompt.
const FEW_LINES: usize = 5;

/// The prompt; nothing where there is none, or it is not known.
#[component]
pub fn Prompt(
    /// The step's id.
    id: StoredValue<String>,
    /// The execution.
    shown: Shown,
) -> impl IntoView {
    let app = app();
    let text = RwSignal::new(None::<String>);
    // A step sees its state when an attempt begins.
    let mark = Memo::new(move |_| (shown.identity(), shown.read(attempt).flatten()));
    Effect::new(move |_| {
        let now = mark.get();
        let look = move || {
            if mark.try_get_untracked().as_ref() != Some(&now) {
                return;
            }
            spawn_local(async move {
                let found = prompt(app, id, &now).await;
                // Another execution may be looked at meanwhile, and what is unfolded stays so.
                let is_news = mark.try_get_untracked() == Some(now) && text.get_untracked() != found;
                if is_news {
                    text.set(found);
                }
            });
        };
        set_timeout(look, PAUSE);
    });
    let title = move || match id.with_value(|id| app.runner.step_ran(id, Kind::of)) {
        Some(Kind::Agent) => "Prompt that was sent",
        _ => "Its address",
    };
    move || text.get().map(|text| told(title(), text))
}

/// An execution, and the attempt that has sent something, if one has.
type Mark = ((u64, Option<String>), Option<u32>);

/// The attempt: one that was left out or is pinned has sent nothing.
fn attempt(run: &StepRun) -> Option<u32> {
    (!run.pinned && run.status != Status::Skipped).then_some(run.attempt)
}

async fn prompt(app: App, id: StoredValue<String>, ((_, key), attempt): &Mark) -> Option<String> {
    attempt.as_ref()?;
    let question = question(app, &id.try_get_value()?, key.as_ref()?).await?;
    answered(app, question).await
}

/// What the step was asked, by the document that was run.
async fn question(app: App, id: &str, key: &str) -> Option<Asked> {
    let run = untrack(|| app.runner.stored())?;
    // Another run may be shown once its state is there.
    let ran = untrack(|| app.runner.ran());
    let state = app.bridge.get_value().seen(&run, key).await?;
    asked(ran.document()?, id, serde_json::from_str(&state).ok()?)
}

async fn answered(app: App, question: Asked) -> Option<String> {
    match question {
        Asked::Text(text) => Some(text),
        Asked::Workflow(workflow) => match app.bridge.get_value().evaluate(&workflow, MOST).await? {
            Outcome::Value(text) => Some(text),
            Outcome::Error(_) => None,
        },
    }
}

fn told(title: &'static str, text: String) -> impl IntoView {
    let app = app();
    let is_short = text.len() <= SHORT && text.lines().count() <= FEW_LINES;
    let first: String = text.lines().next().unwrap_or_default().chars().take(SHORT).collect();
    let copied = text.clone();
    view! {
        <details class="told sent" open=is_short>
            <summary><b>{title}</b><small>{first}</small></summary>
            <div class="told-body">
                <pre class="output" tabindex="0" aria-label=title>{text}</pre>
                <button class="text-button" type="button" on:click=move |_| copy(app, copied.clone(), "The text")>{icon(COPY)} "Copy it"</button>
            </div>
        </details>
    }
}
