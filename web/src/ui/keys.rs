//! What the keyboard does, as a list, and what of it a person has switched off.

use leptos::prelude::*;

use super::field::Switch;
use crate::bridge::Bridge;
use crate::page::state::app;

/// Keys with what they do.
const KEYS: [(&str, &str); 20] = [
    ("Ctrl Enter", "Run, or stop"),
    ("Ctrl O", "All workflows"),
    ("Ctrl Z", "Undo"),
    ("Shift Ctrl Z", "Redo"),
    ("↑ ↓", "The step before or after"),
    ("Shift ↑ ↓", "Select several; also Shift or Ctrl with a click, or Shift and drag a box"),
    ("Ctrl A", "Select all"),
    ("← →", "In the outline: the step around, the first one inside"),
    ("Enter", "Edit the step"),
    ("A", "Add a step after it, or inside when it is empty"),
    ("O", "Read what it gave in the last run"),
    ("Alt ↑ ↓", "Move it up or down"),
    ("Ctrl D", "Duplicate it"),
    (
        "Ctrl C X V",
        "Copy, cut and paste steps, also from one workflow to another; a pasted curl command becomes a step",
    ),
    ("Del", "Delete it"),
    ("Esc", "From a field to its step, from a step to the workflow"),
    ("L", "Show or leave the outline"),
    ("+ −", "Zoom"),
    ("0 1", "Life size, show everything"),
    ("Space", "Held: drag the view"),
];

/// The name under which the browser remembers whether single keys are shortcuts.
const SINGLE_KEYS: &str = "single-keys";

/// Whether keys that write a character are shortcuts: they are, unless they were switched off.
pub fn are_single_keys_on(bridge: &Bridge) -> bool {
    bridge.preference(SINGLE_KEYS).as_deref() != Some("off")
}

/// The list.
#[component]
pub fn Keys() -> impl IntoView {
    let app = app();
    let turn = move |on: bool| {
        app.single_keys.set(on);
        app.bridge.with_value(|bridge| bridge.prefer(SINGLE_KEYS, if on { "on" } else { "off" }));
    };
    let row = |(keys, what): (&'static str, &'static str)| {
        let caps = keys.split(' ').map(|key| view! { <kbd>{key}</kbd> }).collect_view();
        view! { <dt>{caps}</dt> <dd>{what}</dd> }
    };
    view! {
        <div class="modal-body">
            <Switch label="Single-key shortcuts" value=app.single_keys on_change=turn
                hint="A, O, L, ?, + − and 0 1. Switched off, a key that is hit by chance or a word that is dictated does nothing." />
            <dl class="keys">{KEYS.map(row).collect_view()}</dl>
            <p class="field-hint">"On a Mac, Cmd stands for Ctrl. Letters work while a step or the outline has the focus, not in fields."</p>
        </div>
    }
}
