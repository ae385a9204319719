//! What a first visitor may want to know: three hints, one at a time, each gone for good once it was followed or put away.

use leptos::prelude::*;

use crate::page::icon::{CLOSE, icon};
use crate::page::state::{App, Dialog, app};
use crate::run::status::Status;

/// The name under which the browser remembers which hints are done.
const DONE: &str = "hints-done";

struct Hint {
    /// By which word it is remembered.
    word: &'static str,
    text: &'static str,
    /// Whether a person has just done it; follows what they do.
    is_followed: fn(App) -> bool,
}

const HINTS: [Hint; 3] = [
    Hint {
        word: "run",
        text: "Press Run: on the demo model it works without a key.",
        is_followed: |app| app.runner.status.get() != Status::Idle,
    },
    Hint {
        word: "edit",
        text: "Click a step to read and change what it does.",
        is_followed: |app| app.editor.selected.with(Option::is_some),
    },
    Hint {
        word: "search",
        text: "Ctrl K finds every command, step and template.",
        is_followed: |app| app.dialog.with(|dialog| matches!(dialog, Some(Dialog::Search))),
    },
];

/// Which hints are done. Beside the canvas they are followed, whatever is shown there.
#[derive(Debug, Clone, Copy)]
pub struct Hints {
    done: RwSignal<Vec<String>>,
}

impl Hints {
    /// Those that are left for this person.
    pub fn follow(app: App) -> Self {
        let stored = app.bridge.with_value(|bridge| bridge.preference(DONE)).unwrap_or_default();
        let own = Self { done: RwSignal::new(stored.split(' ').map(str::to_owned).collect()) };
        for hint in &HINTS {
            Effect::new(move || {
                if (hint.is_followed)(app) {
                    own.put_away(app, hint.word);
                }
            });
        }
        own
    }

    fn is_done(self, word: &str) -> bool {
        self.done.with(|done| done.iter().any(|own| own == word))
    }

    fn put_away(self, app: App, word: &str) {
        if untrack(|| self.is_done(word)) {
            return;
        }
        self.done.update(|done| done.push(word.to_owned()));
        let all = self.done.with_untracked(|done| done.join(" "));
        app.bridge.with_value(|bridge| bridge.prefer(DONE, all.trim()));
    }
}

/// The next hint; what always stands there when none is left.
#[component]
pub fn NextHint(
    /// Which are done.
    hints: Hints,
    children: ChildrenFn,
) -> impl IntoView {
    let app = app();
    // There is nothing to run or to click where there is no step.
    let is_empty = Memo::new(move |_| app.editor.layout.with(|layout| layout.cards.is_empty()));
    let next = Memo::new(move |_| {
        let is_left = |hint: &Hint| !hints.is_done(hint.word) && (!is_empty.get() || hint.word == "search");
        HINTS.iter().position(is_left)
    });
    move || {
        match next.get().and_then(|at| Some((at, HINTS.get(at)?))) {
        Some((at, hint)) => view! {
            <section class="hint" aria-label="Hint">
                <p>{hint.text}</p>
                <small>{format!("{} of {}", at + 1, HINTS.len())}</small>
                <button class="icon-button" title="Hide this hint" aria-label="Hide this hint" on:click=move |_| hints.put_away(app, hint.word)>{icon(CLOSE)}</button>
            </section>
        }
        .into_any(),
        None => children().into_any(),
    }
    }
}
