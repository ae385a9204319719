//! Tools of an MCP server: listed on a click, chosen, and added as the server describes them now.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use leptos::ev;
use leptos::prelude::*;
use stepweave_core::document::Tool;
use wasm_bindgen_futures::spawn_local;

use super::field::{Switch, TextField};
use super::relay::{choose, is_chosen, offered};
use crate::bridge::{Bridge, McpServer, Relay};
use crate::model::endpoints::{name_of_host, origin_of};
use crate::model::pasted_key::{PASTED_KEY, looks_like_key};
use crate::model::tools::{add_all, read_all, said_of};
use crate::page::held::{enter, held};
use crate::page::icon::{LOCK, icon};
use crate::page::state::{App, app};
use crate::step::upright::upright;

/// What the dialog knows.
#[derive(Clone, Copy)]
struct Asking {
    url: RwSignal<String>,
    name: RwSignal<String>,
    key: RwSignal<String>,
    client_id: RwSignal<String>,
    /// The relay of the server that the page comes from, where nobody has chosen one yet.
    offer: Option<RwSignal<Option<Relay>>>,
    through: RwSignal<bool>,
    is_waiting: RwSignal<bool>,
    /// Whether a window is open in which the person signs in.
    is_signing_in: RwSignal<bool>,
    error: RwSignal<Option<String>>,
    found: RwSignal<Option<IndexMap<String, Tool>>>,
    chosen: RwSignal<BTreeSet<String>>,
}

impl Asking {
    fn origin(self) -> Option<String> {
        self.url.with(|url| origin_of(url.trim()))
    }

    /// A key has to be called something in the document.
    fn is_nameless(self) -> bool {
        self.name.with(|name| name.trim().is_empty()) && self.key.with(|key| !key.trim().is_empty())
    }

    /// The name is in the document, and the key must not be.
    fn is_named_by_key(self) -> bool {
        self.name.with(|name| looks_like_key(name))
    }

    /// The relay that is offered, if it is to be used.
    fn offered(self) -> Option<Relay> {
        self.offer.and_then(|offer| offer.get_untracked()).filter(|_| self.through.get_untracked())
    }
}

/// The dialog.
#[component]
pub fn McpTools(
    /// The agent that may call the tools; no agent when absent.
    agent: Option<String>,
) -> impl IntoView {
    let app = app();
    let asking = Asking {
        url: RwSignal::new(String::new()),
        name: RwSignal::new(String::new()),
        key: RwSignal::new(String::new()),
        client_id: RwSignal::new(String::new()),
        offer: (!is_chosen(app)).then(|| offered(app)),
        through: RwSignal::new(true),
        is_waiting: RwSignal::new(false),
        is_signing_in: RwSignal::new(false),
        error: RwSignal::new(None),
        found: RwSignal::new(None),
        chosen: RwSignal::new(BTreeSet::new()),
    };
    app.bridge.with_value(Bridge::prepare_sign_in);
    on_cleanup(move || app.bridge.with_value(Bridge::stop_signing_in));
    let has_found = move || asking.found.with(Option::is_some);
    let is_named = move || !asking.is_nameless() && !asking.is_named_by_key();
    let can_ask = move || asking.origin().is_some() && is_named() && !asking.is_waiting.get();
    let ask = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if untrack(can_ask) {
            list(app, asking);
        }
    };
    let label = move || match asking.chosen.with(BTreeSet::len) {
        1 => "Add 1 tool".to_owned(),
        many => format!("Add {many} tools"),
    };
    let agent = StoredValue::new(agent);
    let add = move |_| take(app, asking, agent.get_value().as_deref());
    view! {
        <form id=FORM class="modal-body" novalidate on:submit=ask>
            <Show when=has_found fallback=move || view! { <Server asking=asking /> }><Found asking=asking /></Show>
        </form>
        <footer>
            <Show when=has_found>
                <button class="button" type="button" on:click=move |_| asking.found.set(None)>"Another server"</button>
            </Show>
            <span class="spring"></span>
            <Show when=has_found fallback=move || view! {
                <button class="button primary" type="submit" form=FORM disabled=move || !can_ask()>
                    {move || if asking.is_waiting.get() { "It is asked…" } else { "List its tools" }}
                </button>
            }>
                <button class="button primary" type="button" disabled=move || asking.chosen.with(BTreeSet::is_empty) on:click=add>{label}</button>
            </Show>
        </footer>
    }
}

/// The id of the form, whose button stands below it.
const FORM: &str = "mcp-server";

/// Where the server is, and its key.
#[component]
fn Server(asking: Asking) -> impl IntoView {
    let app = app();
    let Asking { url, name, key, client_id, offer, through, error, is_signing_in, .. } = asking;
    let wrong = Signal::derive(move || {
        let is_wrong = url.with(|url| !url.trim().is_empty()) && asking.origin().is_none();
        is_wrong.then(|| "Must be an address such as https://mcp.example.com/mcp.".to_owned())
    });
    let misnamed = Signal::derive(move || match (asking.is_named_by_key(), asking.is_nameless()) {
        (true, _) => Some(PASTED_KEY.to_owned()),
        (_, true) => Some("The key needs a name.".to_owned()),
        _ => None,
    });
    let set = move |signal: RwSignal<String>| {
        move |text: String| {
            signal.set(text);
            error.set(None);
        }
    };
    view! {
        <TextField label="Address of the server" kind="url" code=true autofocus=true value=url on_input=set(url) error=wrong
            placeholder="https://mcp.example.com/mcp" hint="Nothing is sent before you press “List its tools”." />
        <div class="pair even">
            <TextField label="Name of its key (optional)" code=true value=name on_input=set(name) error=misnamed placeholder="EXAMPLE_TOKEN" hint="This is in the workflow." />
            <TextField label="The key" kind="secret" value=key on_input=set(key) hint="This is not: it stays in the page." />
        </div>
        <div class="field">
            <Show when=move || is_signing_in.get() fallback=move || view! {
                <button class="text-button" type="button" disabled=move || asking.origin().is_none() on:click=move |_| sign_in(app, asking)>
                    {icon(LOCK)} "Sign in to it instead…"
                </button>
                <span class="field-hint">"For servers that want OAuth. A window opens; what it gives stays in this page, as a key does."</span>
            }>
                <p class="field-hint" role="status">"Sign in in the window that has opened."
                    " " <button class="text-button" type="button" on:click=move |_| app.bridge.with_value(Bridge::stop_signing_in)>"Cancel"</button>
                </p>
            </Show>
            <details>
                <summary>"The server has given me a client id"</summary>
                <TextField label="Client id" code=true value=client_id on_input=set(client_id)
                    hint="Without one, the page registers itself where the server allows it." />
            </details>
        </div>
        {move || offer.and_then(|offer| offer.get()).map(|_| view! {
            <Switch label="Requests go through the relay of this server" hint="Most sites do not let a page read their answers. Keys do not go through it." value=through
                on_change=move |on| through.set(on) />
        })}
        {move || error.get().map(|why| view! { <p class="field-error" role="alert">{upright(why)}</p> })}
    }
}

/// The tools, to be chosen.
#[component]
fn Found(asking: Asking) -> impl IntoView {
    let Asking { found, chosen, .. } = asking;
    let rows = move || {
        let about =
            |(name, tool): (&String, &Tool)| (name.clone(), tool.description.clone().unwrap_or_default());
        found.with(|found| found.iter().flatten().map(about).collect::<Vec<_>>())
    };
    let row = move |(name, about): (String, String)| {
        let own = name.clone();
        let is_chosen = {
            let own = own.clone();
            move || chosen.with(|chosen| chosen.contains(&own))
        };
        let turn = move |event: ev::Event| {
            let is_on = event_target_checked(&event);
            chosen.update(|chosen| {
                if is_on {
                    chosen.insert(own.clone())
                } else {
                    chosen.remove(&own)
                };
            });
        };
        view! {
            <li>
                <label class="operation">
                    <input type="checkbox" prop:checked=is_chosen on:change=turn />
                    <span><code><b>{name}</b></code><small>{about}</small></span>
                </label>
            </li>
        }
    };
    let all = move |_| {
        chosen.set(found.with_untracked(|found| found.iter().flat_map(IndexMap::keys).cloned().collect()));
    };
    let title = move || format!("Tools of {}", asking.origin().unwrap_or_default());
    view! {
        <div class="field" role="group" aria-label="Tools">
            <span class="field-label">{title}</span>
            <ul class="operations" tabindex="-1">{move || rows().into_iter().map(row).collect_view()}</ul>
            <button class="text-button" type="button" on:click=all>"Choose all of them"</button>
        </div>
        <p class="note">
            {icon(LOCK)}
            <span>"What the server says of these tools now is written into the workflow, and models read it. A tool that it changes later is not called; each call is asked about."</span>
        </p>
    }
}

/// Signs the person in: the token is the key.
fn sign_in(app: App, asking: Asking) {
    let url = asking.url.with_untracked(|url| url.trim().to_owned());
    let Some(origin) = origin_of(&url) else { return };
    let client_id =
        Some(asking.client_id.with_untracked(|id| id.trim().to_owned())).filter(|id| !id.is_empty());
    let signing = app.bridge.with_value(|bridge| bridge.sign_in(&url, client_id));
    asking.error.set(None);
    asking.is_signing_in.set(true);
    spawn_local(async move {
        let signed = signing.await;
        // The dialog may have been closed meanwhile.
        if asking.is_signing_in.try_set(false).is_some() {
            return;
        }
        match signed {
            Ok(token) => {
                if asking.name.with_untracked(|name| name.trim().is_empty()) {
                    asking.name.set(name_for(&origin));
                }
                asking.key.set(token);
                // No key goes through a relay that is only offered.
                asking.through.set(false);
                list(app, asking);
            }
            Err(why) => asking.error.set(Some(why)),
        }
    });
}

/// What the document calls the token of a server: `MCP_EXAMPLE_COM_TOKEN`.
fn name_for(origin: &str) -> String {
    let name = name_of_host(origin);
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        format!("MCP_{name}_TOKEN")
    } else {
        format!("{name}_TOKEN")
    }
}

/// Asks the server for its tools.
fn list(app: App, asking: Asking) {
    let [url, name, key] =
        [asking.url, asking.name, asking.key].map(|text| text.get_untracked().trim().to_owned());
    let Some(origin) = origin_of(&url) else { return };
    let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let known = app.keys.with_untracked(|keys| held(keys, &name, &origin).map(|key| key.value.clone()));
    let server = McpServer {
        url,
        secret: filled(&name),
        key: filled(&key).or(known),
        relay: asking.offered().or_else(|| app.relay.get_untracked()),
    };
    asking.error.set(None);
    asking.is_waiting.set(true);
    let bridge = app.bridge.get_value();
    spawn_local(async move {
        let listed = bridge.mcp_tools(&server).await;
        // The dialog may have been closed meanwhile.
        if asking.is_waiting.try_set(false).is_some() {
            return;
        }
        match listed.map(|text| read_all(&text)) {
            Ok(Some(tools)) => {
                // What has worked is what runs use.
                if !key.is_empty() {
                    app.keys.update(|keys| enter(keys, &name, &key, &origin));
                }
                let offer = asking.offer.and_then(|offer| offer.get_untracked());
                choose(app, offer, asking.through.get_untracked());
                asking.chosen.set(BTreeSet::new());
                asking.found.set(Some(tools));
            }
            Ok(None) => asking
                .error
                .set(Some("The server describes a tool in a way that a workflow cannot hold.".to_owned())),
            Err(why) => asking.error.set(Some(why)),
        }
    });
}

/// Puts what was chosen into the workflow.
fn take(app: App, asking: Asking, agent: Option<&str>) {
    let is_chosen =
        |name: &String, _: &mut Tool| asking.chosen.with_untracked(|chosen| chosen.contains(name));
    let Some(mut tools) = asking.found.get_untracked() else { return };
    tools.retain(is_chosen);
    let mut names = Vec::new();
    app.editor.change_settings(|document| names = add_all(document, tools, agent));
    app.editor.notice.set(Some(said_of(&names)));
    app.dialog.set(None);
}
