//! What the keyboard does, as a list, and what of it a person has switched off.

use leptos::prelude::*;

use super::commands::{COMMANDS, Command, Group};
use super::field::Switch;
use crate::bridge::Bridge;
use crate::page::state::app;

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
    let chord = |chord: &'static str| {
        let caps = chord.split(' ').map(|key| view! { <kbd>{key}</kbd> }).collect_view();
        view! { <span class="chord">{caps}</span> }
    };
    let row = move |command: &'static Command| {
        let about = (!command.about.is_empty()).then(|| view! { <small>{command.about}</small> });
        view! { <dt>{command.keys.iter().copied().map(chord).collect_view()}</dt> <dd>{command.name} {about}</dd> }
    };
    let section = move |group: Group| {
        let own = COMMANDS.iter().filter(move |command| command.group == group && !command.keys.is_empty());
        let rows = own.map(row).collect_view();
        view! { <h3>{group.title()}</h3> <dl class="keys">{rows}</dl> }
    };
    view! {
        <div class="modal-body">
            <Switch label="Single-key shortcuts" value=app.single_keys on_change=turn
                hint="Letters, digits and signs that stand alone below. Switched off, a key that is hit by chance or a word that is dictated does nothing." />
            {Group::ALL.map(section).into_iter().collect_view()}
            <p class="field-hint">"On a Mac, Cmd stands for Ctrl. Letters work while a step or the outline has the focus, not in fields."</p>
        </div>
    }
}
