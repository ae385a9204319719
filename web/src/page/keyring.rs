//! The keys in memory, and on this device where a person wants them remembered.

use indexmap::IndexMap;
use leptos::prelude::*;
use stepweave_core::json;
use wasm_bindgen_futures::spawn_local;

use super::state::{App, Key, Remembered};
use crate::bridge::Vault;

const NOT_STORED: &str = "The keys are not remembered: this browser stores nothing for this page.";

const FORGOTTEN: &str =
    "The keys of this device were forgotten in another tab, so they are not remembered any more.";
const LOCKED: &str = "Another tab has this device remember keys with a passphrase of its own. Unlock them with it, and yours are remembered too.";

/// Whether this device remembers keys, at the beginning of a visit.
pub fn at_first(vault: &Vault) -> Remembered {
    if vault.state() == "none" { Remembered::No } else { Remembered::Locked }
}

/// Keeps what is remembered as it is in memory.
pub fn follow(app: App) {
    Effect::new(move |before: Option<()>| {
        let keys = app.keys.with(written);
        // What is in memory at first has been read or is nothing.
        if before.is_some() && app.remembered.get_untracked() == Remembered::Yes {
            spawn_local(async move {
                let is_stored = vault(app).update(&keys).await;
                if !is_stored && app.remembered.get_untracked() == Remembered::Yes {
                    app.editor.notice.set(Some(look(app).to_owned()));
                }
            });
        }
    });
}

/// Remembers the keys with a passphrase, also in place of another one.
pub async fn remember(app: App, passphrase: &str) -> Result<(), &'static str> {
    let keys = app.keys.with_untracked(written);
    if vault(app).remember(passphrase, &keys).await {
        app.remembered.set(Remembered::Yes);
        return Ok(());
    }
    Err(look(app))
}

/// Takes the remembered keys into memory; what this visit has changed is newer.
pub async fn unlock(app: App, passphrase: &str) -> Result<(), &'static str> {
    let keys = app.keys.with_untracked(written);
    let Some(text) = vault(app).unlock(passphrase, &keys).await else {
        return Err(match vault(app).state().as_str() {
            "none" => look(app),
            _ => "This is not the passphrase with which the keys were stored.",
        });
    };
    app.remembered.set(Remembered::Yes);
    app.keys.set(serde_json::from_str(&text).unwrap_or_default());
    Ok(())
}

/// Forgets all keys, here and in memory.
pub fn forget(app: App) {
    vault(app).forget();
    app.remembered.set(Remembered::No);
    app.keys.set(IndexMap::new());
}

/// Looks what other tabs have made of the keys of this device when they could not be stored; tells why.
fn look(app: App) -> &'static str {
    let (found, why) = match vault(app).state().as_str() {
        "open" => return NOT_STORED,
        "locked" => (Remembered::Locked, LOCKED),
        // Where there was nothing before, the browser has not stored it now.
        _ if app.remembered.get_untracked() == Remembered::No => return NOT_STORED,
        _ => (Remembered::No, FORGOTTEN),
    };
    app.remembered.set(found);
    why
}

fn vault(app: App) -> Vault {
    app.bridge.with_value(|bridge| bridge.vault())
}

fn written(keys: &IndexMap<String, Key>) -> String {
    // Texts by texts always have a JSON form.
    json::text(keys)
}
