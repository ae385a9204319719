//! Keys on this device: remembered with a passphrase, unlocked once in a visit, forgotten.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::agree::go_on;
use super::field::TextField;
use crate::page::keyring::{forget, remember, unlock};
use crate::page::state::{Remembered, Sends, app};

/// Characters that a passphrase has at least.
const SHORTEST: usize = 8;

/// Whether keys are remembered, and what can be done about it.
#[component]
pub fn Remembering() -> impl IntoView {
    let app = app();
    let asks = RwSignal::new(false);
    let done = move |()| asks.set(false);
    move || {
        match (app.remembered.get(), asks.get()) {
        (Remembered::Locked | Remembered::LeftLocked, _) => view! {
            <div class="remembering">
                <p class="field-hint">"This device remembers keys. Your passphrase unlocks them for this visit."</p>
                <Unlocking on_done=|()| () />
            </div>
        }
        .into_any(),
        (_, true) => view! { <NewPassphrase on_done=done /> }.into_any(),
        (Remembered::No, false) => view! {
            <div class="remembering">
                <button class="text-button" on:click=move |_| asks.set(true)>"Remember on this device…"</button>
            </div>
        }
        .into_any(),
        (Remembered::Yes, false) => view! {
            <div class="remembering">
                <p class="field-hint">"Keys that you save are remembered on this device, encrypted with your passphrase."</p>
                <button class="text-button" on:click=move |_| asks.set(true)>"Change the passphrase…"</button>
                <button class="text-button" on:click=move |_| forget(app)>"Forget all keys"</button>
            </div>
        }
        .into_any(),
    }
    }
}

/// Asks for the keys of this device before something that needs some.
#[component]
pub fn Unlock(
    /// What needs them.
    sends: Sends,
) -> impl IntoView {
    let app = app();
    let sends = StoredValue::new(sends);
    let run = move |()| {
        app.dialog.set(None);
        go_on(app, sends.get_value());
    };
    let without = move |_| {
        app.remembered.set(Remembered::LeftLocked);
        run(());
    };
    view! {
        <div class="modal-body remembering">
            <p>"This run needs keys that this device remembers."</p>
            <Unlocking on_done=run />
        </div>
        <footer><button class="button" on:click=without>"Run without them"</button></footer>
    }
}

/// The passphrase, or none any more.
#[component]
fn Unlocking(#[prop(into)] on_done: Callback<()>) -> impl IntoView {
    let app = app();
    let (passphrase, wrong) = (RwSignal::new(String::new()), RwSignal::new(None::<String>));
    let open = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        spawn_local(async move {
            match unlock(app, &passphrase.get_untracked()).await {
                Ok(()) => on_done.run(()),
                Err(said) => drop(wrong.try_set(Some(said.to_owned()))),
            }
        });
    };
    let lose = move |_| {
        forget(app);
        app.editor
            .notice
            .set(Some("The keys are forgotten. Enter them again where they are needed.".to_owned()));
        on_done.run(());
    };
    view! {
        <form on:submit=open>
            <TextField label="Passphrase" kind="secret" value=passphrase error=wrong autofocus=true
                on_input=move |text| { wrong.set(None); passphrase.set(text); } />
            <button class="button primary" type="submit">"Unlock"</button>
            <button class="text-button" type="button" title="For a passphrase that is lost" on:click=lose>"Forget all keys"</button>
        </form>
    }
}

/// A passphrase to be chosen.
#[component]
fn NewPassphrase(#[prop(into)] on_done: Callback<()>) -> impl IntoView {
    let app = app();
    let (first, second) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let wrong = RwSignal::new(None::<String>);
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let passphrase = first.get_untracked();
        if passphrase.chars().count() < SHORTEST {
            return wrong
                .set(Some(format!("At least {SHORTEST} characters: several words are easy to remember.")));
        }
        if passphrase != second.get_untracked() {
            return wrong.set(Some("The two are not the same.".to_owned()));
        }
        spawn_local(async move {
            match remember(app, &passphrase).await {
                Ok(()) => on_done.run(()),
                Err(said) => drop(wrong.try_set(Some(said.to_owned()))),
            }
        });
    };
    let typed = move |into: RwSignal<String>| {
        move |text: String| {
            wrong.set(None);
            into.set(text);
        }
    };
    view! {
        <form class="remembering" on:submit=save>
            <TextField label="New passphrase" kind="secret" value=first error=wrong autofocus=true on_input=typed(first)
                hint="It encrypts the keys on this device, and nobody can recover it." />
            <TextField label="The same once more" kind="secret" value=second on_input=typed(second) />
            <button class="button primary" type="submit">"Remember"</button>
            <button class="text-button" type="button" on:click=move |_| on_done.run(())>"Cancel"</button>
        </form>
    }
}
