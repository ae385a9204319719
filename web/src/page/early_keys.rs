//! Keys pressed after a dialog, or the form of a new step, was asked for and before it is shown: its file may still be on
//! its way. They are meant for it, and not for what has the focus until then.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDocument, KeyboardEvent, KeyboardEventInit};

use super::state::App;

/// Keeps a key until that is shown; a dialog that is shown gets its keys from the browser.
pub fn hold(app: App, event: &ev::KeyboardEvent) {
    let is_shown = || document().query_selector("dialog[open]").ok().flatten().is_some();
    if event.ctrl_key() || event.meta_key() || event.alt_key() || is_shown() {
        return;
    }
    event.prevent_default();
    match event.key().as_str() {
        "Escape" => app.dialog.set(None),
        _ => app.early_keys.update_value(|keys| keys.push(event.clone())),
    }
}

/// Forgets what was pressed for a dialog that is no longer asked for.
pub fn forget(app: App) {
    app.early_keys.set_value(Vec::new());
}

/// Gives what was pressed early to what has the focus now.
pub fn release(app: App) {
    let keys = app.early_keys.try_update_value(std::mem::take).unwrap_or_default();
    for event in keys {
        // What a field refuses, as a button does any letter, was of no use to it.
        let _ = press(&event);
    }
}

fn press(event: &KeyboardEvent) -> Option<bool> {
    let page = document().dyn_into::<HtmlDocument>().ok()?;
    let key = event.key();
    if key == "Backspace" {
        return page.exec_command("delete").ok();
    }
    if key.chars().count() == 1 {
        return page.exec_command_with_show_ui_and_value("insertText", false, &key).ok();
    }
    // An event has all that the description of one has.
    let same = event.unchecked_ref::<KeyboardEventInit>();
    let again = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", same).ok()?;
    page.active_element()?.dispatch_event(&again).ok()
}
