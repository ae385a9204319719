//! The keys in memory, and on this device where a person wants them remembered.

use indexmap::IndexMap;
use leptos::prelude::*;
use stepweave_core::json;
use wasm_bindgen_futures::spawn_local;

use super::state::{App, Key, Remembered};
use crate::bridge::Vault;

const NOT_STORED: &str = "The keys are not remembered: this browser stores nothing for this page.";

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
                    app.editor.notice.set(Some(NOT_STORED.to_owned()));
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
    Err(NOT_STORED)
}

/// Takes the remembered keys into memory; those that are there already are newer.
pub async fn unlock(app: App, passphrase: &str) -> Result<(), &'static str> {
    let Some(text) = vault(app).unlock(passphrase).await else {
        return Err("This is not the passphrase with which the keys were stored.");
    };
    let stored: IndexMap<String, Key> = serde_json::from_str(&text).unwrap_or_default();
    app.remembered.set(Remembered::Yes);
    app.keys.update(|keys| {
        for (name, key) in stored {
            keys.entry(name).or_insert(key);
        }
    });
    Ok(())
}

/// Forgets all keys, here and in memory.
pub fn forget(app: App) {
    vault(app).forget();
    app.remembered.set(Remembered::No);
    app.keys.set(IndexMap::new());
}

fn vault(app: App) -> Vault {
    app.bridge.with_value(|bridge| bridge.vault())
}

fn written(keys: &IndexMap<String, Key>) -> String {
    // Texts by texts always have a JSON form.
    json::text(keys)
}
