//! What requests go through: most sites let no page read them, and a relay sends in the page's place.

use leptos::prelude::*;
use stepweave_core::document::{Document, HttpRequest};
use wasm_bindgen_futures::spawn_local;

use super::field::{Switch, TextField};
use crate::bridge::Relay;
use crate::model::endpoints::origin_of;
use crate::model::requests::{called_origins, requests, secret_of};
use crate::page::icon::{LOCK, icon};
use crate::page::state::{App, app};

/// The dialog.
#[component]
pub fn RelayDialog() -> impl IntoView {
    let app = app();
    let now = app.relay.get_untracked();
    let url = RwSignal::new(now.as_ref().map(|relay| relay.url.clone()).unwrap_or_default());
    let token = RwSignal::new(now.as_ref().map(|relay| relay.token.clone()).unwrap_or_default());
    let keys = RwSignal::new(now.is_some_and(|relay| relay.secrets));
    let tried = RwSignal::new(false);
    let offer = offered(app);
    let url_error = Signal::derive(move || {
        let wrong = tried.get() && origin_of(&url.get()).is_none();
        wrong.then(|| "Must be an address such as https://relay.example.com.".to_owned())
    });
    let token_error = Signal::derive(move || {
        let missing = tried.get() && token.with(|token| token.trim().is_empty());
        missing.then(|| "A relay takes nothing without its token.".to_owned())
    });
    let take = move |_| {
        if let Some(offer) = offer.get_untracked() {
            url.set(offer.url);
            token.set(offer.token);
        }
    };
    let save = move |_| {
        tried.set(true);
        if url_error.with_untracked(Option::is_some) || token_error.with_untracked(Option::is_some) {
            return;
        }
        app.relay_chosen.set(true);
        app.relay.set(Some(Relay {
            url: url.get_untracked().trim().to_owned(),
            token: token.get_untracked().trim().to_owned(),
            secrets: keys.get_untracked(),
        }));
        app.dialog.set(None);
    };
    let send_straight = move |_| {
        go_straight(app);
        app.dialog.set(None);
    };
    view! {
        <div class="modal-body">
            <p>"A page may read a site only if the site says so, and most sites do not. A relay sends the requests in the page's place, and follows redirects. Models are asked without it."</p>
            {move || offer.get().map(|_| view! {
                <button class="button" on:click=take>"Use the relay of this server"</button>
            })}
            <TextField label="Address of the relay" kind="url" code=true value=url on_input=move |text| url.set(text) error=url_error
                placeholder="https://relay.example.com" />
            <TextField label="Its token" kind="secret" value=token on_input=move |text| token.set(text) error=token_error />
            <Switch label="Keys may go through it" hint="Off: requests with a key fail, and nothing is sent. The relay sees what goes through it." value=keys
                on_change=move |on| keys.set(on) />
            <p class="note">
                {icon(LOCK)}
                <span>"The token stays in this page's memory and is gone when the page closes or reloads."</span>
            </p>
        </div>
        <footer>
            <button class="button" on:click=send_straight>"Go straight to the sites"</button>
            <span class="spring"></span>
            <button class="button" on:click=move |_| app.dialog.set(None)>"Cancel"</button>
            <button class="button primary" on:click=save>"Save"</button>
        </footer>
    }
}

/// The relay that a question about requests to some origins offers too: nothing once a person has said what they go
/// through, and nothing where it does not reach one of them. It is known before the question is shown, so that nobody
/// answers half of it.
pub async fn to_choose(app: App, origins: &[String]) -> Option<Relay> {
    if is_chosen(app) { None } else { app.bridge.get_value().offered_relay(origins).await }
}

/// The origins that are known of those that a workflow's requests are sent to; nothing where it sends none.
pub fn sent_to(document: &Document) -> Option<Vec<String>> {
    let all = requests(document);
    (!all.is_empty()).then(|| all.iter().flat_map(|request| called_origins(request)).collect())
}

/// Requests go through no relay from now on.
pub fn go_straight(app: App) {
    app.relay_chosen.set(true);
    app.relay.set(None);
}

/// Whether a person has said what requests go through.
pub fn is_chosen(app: App) -> bool {
    app.relay_chosen.get_untracked() || app.relay.with_untracked(Option::is_some)
}

/// Whether a relay that is only offered is of use for these requests: no key goes through it.
pub fn is_of_use<'r>(mut requests: impl Iterator<Item = &'r HttpRequest>) -> bool {
    requests.all(|request| secret_of(request).is_none())
}

/// Takes the answer to such a question: the relay, or none.
pub fn choose(app: App, offer: Option<Relay>, is_through: bool) {
    let Some(offer) = offer else { return };
    app.relay_chosen.set(true);
    if is_through {
        app.relay.set(Some(offer));
    }
}

/// The relay of the server that the page comes from, if it has one.
pub fn offered(app: App) -> RwSignal<Option<Relay>> {
    let offer = RwSignal::new(None);
    let bridge = app.bridge.get_value();
    spawn_local(async move {
        // The dialog may have been closed meanwhile.
        let _ = offer.try_set(bridge.offered_relay(&[]).await);
    });
    offer
}
