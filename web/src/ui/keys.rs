//! What the keyboard does, as a list.

use leptos::prelude::*;

/// Keys with what they do.
const KEYS: [(&str, &str); 16] = [
    ("Ctrl Enter", "Run, or stop"),
    ("Ctrl Z", "Undo"),
    ("Shift Ctrl Z", "Redo"),
    ("↑ ↓", "The step before or after"),
    ("← →", "In the outline: the step around, the first one inside"),
    ("Enter", "Edit the step"),
    ("A", "Add a step after it, or inside when it is empty"),
    ("O", "Read what it gave in the last run"),
    ("Alt ↑ ↓", "Move it up or down"),
    ("Ctrl D", "Duplicate it"),
    ("Del", "Delete it"),
    ("Esc", "From a field to its step, from a step to the workflow"),
    ("L", "Show or leave the outline"),
    ("+ −", "Zoom"),
    ("0 1", "Life size, show everything"),
    ("Space", "Held: drag the view"),
];

/// The list.
#[component]
pub fn Keys() -> impl IntoView {
    let row = |(keys, what): (&'static str, &'static str)| {
        let caps = keys.split(' ').map(|key| view! { <kbd>{key}</kbd> }).collect_view();
        view! { <dt>{caps}</dt> <dd>{what}</dd> }
    };
    view! {
        <div class="modal-body">
            <dl class="keys">{KEYS.map(row).collect_view()}</dl>
            <p class="field-hint">"On a Mac, Cmd stands for Ctrl. Letters work while a step or the outline has the focus, not in fields."</p>
        </div>
    }
}
