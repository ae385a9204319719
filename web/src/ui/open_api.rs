//! Operations of an OpenAPI description: read, chosen, and given the address that a person confirms.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use leptos::ev;
use leptos::prelude::*;
use stepweave_core::document::{HttpRequest, StepKind, Tool, ToolRun};
use wasm_bindgen_futures::spawn_local;

use super::dropping::{ChooseFile, text_of};
use super::field::TextField;
use crate::bridge::{ApiOperation, ApiReading, ApiTools};
use crate::model::endpoints::origin_of;
use crate::model::tools::{add_all, read_all, said_of};
use crate::page::icon::{LOCK, icon};
use crate::page::state::{App, OperationsFor, app};
use crate::step::upright::upright;

/// Rows that are shown at once. Whoever wants others searches.
const MOST_ROWS: usize = 200;

/// What the dialog knows.
#[derive(Clone, Copy)]
struct Picking {
    goal: StoredValue<OperationsFor>,
    text: RwSignal<String>,
    error: RwSignal<Option<String>>,
    reading: RwSignal<Option<ApiReading>>,
    wanted: RwSignal<String>,
    chosen: RwSignal<BTreeSet<String>>,
    server: RwSignal<String>,
    user: RwSignal<String>,
    made: RwSignal<ApiTools>,
}

impl Picking {
    /// Whether one operation is chosen, and not several.
    fn is_for_step(self) -> bool {
        self.goal.with_value(|goal| matches!(goal, OperationsFor::Step(_)))
    }

    /// The operations that the search finds.
    fn found(self) -> Vec<ApiOperation> {
        let wanted = self.wanted.with(|wanted| wanted.trim().to_lowercase());
        let has = |operation: &&ApiOperation| {
            let ApiOperation { name, method, path, about, .. } = operation;
            format!("{name} {method} {path} {about}").to_lowercase().contains(&wanted)
        };
        self.reading.with(|reading| {
            reading.iter().flat_map(|reading| &reading.operations).filter(has).cloned().collect()
        })
    }
}

/// The dialog.
#[component]
pub fn OpenApi(
    /// What they are chosen for.
    goal: OperationsFor,
    /// A description that was dropped on the page.
    dropped: Option<String>,
) -> impl IntoView {
    let app = app();
    let picking = Picking {
        goal: StoredValue::new(goal),
        text: RwSignal::new(dropped.clone().unwrap_or_default()),
        error: RwSignal::new(None),
        reading: RwSignal::new(None),
        wanted: RwSignal::new(String::new()),
        chosen: RwSignal::new(BTreeSet::new()),
        server: RwSignal::new(String::new()),
        user: RwSignal::new(String::new()),
        made: RwSignal::new(ApiTools::default()),
    };
    Effect::new(move || make(app, picking));
    let is_ready = move || {
        let tools = picking.made.with(|made| made.error.is_none() && !made.tools.is_empty());
        tools && !picking.chosen.with(BTreeSet::is_empty)
    };
    if dropped.is_some() {
        read(app, picking);
    }
    let add = move |_| take(app, picking);
    let label = move || match picking.chosen.with(BTreeSet::len) {
        _ if picking.is_for_step() => "Use this request".to_owned(),
        1 => "Add 1 tool".to_owned(),
        many => format!("Add {many} tools"),
    };
    view! {
        <div class="modal-body">
            <Show when=move || picking.reading.with(Option::is_some) fallback=move || view! { <Paste picking=picking /> }>
                <Operations picking=picking />
                <Address picking=picking />
                <Needs picking=picking />
            </Show>
        </div>
        <footer>
            <Show when=move || picking.reading.with(Option::is_some) fallback=move || view! {
                <ChooseFile accept=".json,.yaml,.yml,application/json" on_files=move |files| choose(app, picking, files) />
                <span class="spring"></span>
                <button class="button primary" disabled=move || picking.text.with(|text| text.trim().is_empty())
                    on:click=move |_| read(app, picking)>"Read it"</button>
            }>
                <button class="button" on:click=move |_| picking.reading.set(None)>"Another description"</button>
                <span class="spring"></span>
            </Show>
            <Show when=move || picking.reading.with(Option::is_some)>
                <button class="button primary" disabled=move || !is_ready() on:click=add>{label}</button>
            </Show>
        </footer>
    }
}

/// Where a description is pasted.
#[component]
fn Paste(picking: Picking) -> impl IntoView {
    view! {
        <label class="field">
            <span class="field-label">"Paste an OpenAPI description, 3.0 or 3.1, as JSON or YAML"</span>
            <textarea
                class="input code import-text"
                rows="12"
                spellcheck="false"
                autofocus
                placeholder="openapi: 3.1.0\ninfo: …\npaths: …"
                prop:value=picking.text
                on:input=move |event| {
                    picking.text.set(event_target_value(&event));
                    picking.error.set(None);
                }
            ></textarea>
            <span class="field-hint">"Nothing is fetched. Each operation that you choose becomes a request in the workflow."</span>
        </label>
        {move || picking.error.get().map(|why| view! { <p class="field-error" role="alert">{upright(why)}</p> })}
    }
}

/// The operations, to be searched and chosen.
#[component]
fn Operations(picking: Picking) -> impl IntoView {
    let found = Memo::new(move |_| picking.found());
    let title = move || {
        picking.reading.with(|reading| {
            let (title, count) = reading
                .as_ref()
                .map(|reading| (reading.title.clone(), reading.operations.len()))
                .unwrap_or_default();
            format!("{title}: {count} operations")
        })
    };
    let shown = move || found.get().into_iter().take(MOST_ROWS).collect::<Vec<_>>();
    let more = move || found.with(Vec::len).saturating_sub(MOST_ROWS);
    let has_more = move || more() > 0;
    let choose_found = move |_| {
        let names = found.get_untracked().into_iter().filter(|operation| operation.left_out.is_none());
        picking.chosen.update(|chosen| chosen.extend(names.map(|operation| operation.name)));
    };
    view! {
        <div class="field" role="group" aria-label="Operations">
            <span class="field-label">{title}</span>
            <div class="library-head">
                <input class="input" type="search" placeholder="Search by name, path or words" aria-label="Search the operations" autofocus
                    prop:value=picking.wanted on:input=move |event| picking.wanted.set(event_target_value(&event)) />
                <Show when=move || !picking.is_for_step()>
                    <button class="button" on:click=choose_found>"Choose all that are found"</button>
                    <button class="button" disabled=move || picking.chosen.with(BTreeSet::is_empty)
                        on:click=move |_| picking.chosen.set(BTreeSet::new())>"None"</button>
                </Show>
            </div>
            <ul class="operations" tabindex="-1">
                <For each=shown key=|operation| operation.name.clone() children=move |operation| view! { <Row picking=picking operation=operation /> } />
            </ul>
            <Show when=move || found.with(Vec::is_empty)><p class="field-hint">"No operation has this in it."</p></Show>
            <Show when=has_more>
                <p class="field-hint">{move || format!("{} more are found: search for them.", more())}</p>
            </Show>
        </div>
    }
}

#[component]
fn Row(picking: Picking, operation: ApiOperation) -> impl IntoView {
    let ApiOperation { name, method, path, about, left_out } = operation;
    let is_none = left_out.is_some();
    let own = name.clone();
    let is_chosen = move || picking.chosen.with(|chosen| chosen.contains(&own));
    let turn = move |event: ev::Event| {
        let is_on = event_target_checked(&event);
        picking.chosen.update(|chosen| {
            if picking.is_for_step() {
                chosen.clear();
            }
            if is_on {
                chosen.insert(name.clone())
            } else {
                chosen.remove(&name)
            };
        });
    };
    view! {
        <li>
            <label class="operation" class:none=is_none>
                <input type=if picking.is_for_step() { "radio" } else { "checkbox" } name="operation" disabled=is_none prop:checked=is_chosen on:change=turn />
                <span>
                    <code><b>{method}</b>" "{path}</code>
                    <small>{left_out.map_or(about, |why| format!("Cannot be a request: {why}"))}</small>
                </span>
            </label>
        </li>
    }
}

/// Where the requests go. The description suggests it, and a person decides.
#[component]
fn Address(picking: Picking) -> impl IntoView {
    let error = Signal::derive(move || {
        let server = picking.server.get();
        let is_wrong = !server.trim().is_empty() && origin_of(server.trim()).is_none();
        is_wrong.then(|| "Must be an address such as https://api.example.com/v1.".to_owned())
    });
    let suggested = move || {
        let servers = picking.reading.with(|reading| reading.as_ref().map(|reading| reading.servers.clone()));
        servers.unwrap_or_default().into_iter().take(5).map(|server| {
            let taken = server.clone();
            view! { <button class="text-button" on:click=move |_| picking.server.set(taken.clone())>"Use " {server}</button> }
        }).collect::<Vec<_>>()
    };
    view! {
        <TextField label="Address of the API" kind="url" code=true value=picking.server on_input=move |text| picking.server.set(text) error=error
            placeholder="https://api.example.com/v1" hint="Keys and what the model writes go there. The description only suggests it: look whether it is right." />
        <div class="suggestions">{suggested}</div>
        <Show when=move || picking.reading.with(|reading| reading.as_ref().is_some_and(|reading| reading.signs_in))>
            <TextField label="User" value=picking.user on_input=move |text| picking.user.set(text) hint="Who signs in, where that takes a user and a password. The password is a key." />
        </Show>
    }
}

/// Which keys it takes, and what is left out.
#[component]
fn Needs(picking: Picking) -> impl IntoView {
    let error = move || picking.made.with(|made| made.error.clone());
    let keys = move || {
        picking.made.with(|made| {
            made.secrets
                .iter()
                .map(|secret| (secret.name.clone(), secret.origins.join(", ")))
                .collect::<Vec<_>>()
        })
    };
    let left_out = move || {
        picking.made.with(|made| {
            let said = made.left_out.iter().map(|one| match &one.part {
                Some(part) => format!("{}: {part} {}", one.operation, one.reason),
                None => format!("{}: {}", one.operation, one.reason),
            });
            said.collect::<Vec<_>>()
        })
    };
    view! {
        {move || error().map(|why| view! { <p class="field-error" role="alert">{upright(why)}</p> })}
        <Show when=move || !keys().is_empty()>
            <p class="note">
                {icon(LOCK)}
                <span>
                    "Keys that it needs, which are asked for when it runs:"
                    {move || keys().into_iter().map(|(name, origins)| view! { <br /><code>{name}</code>" for "{origins} }).collect::<Vec<_>>()}
                </span>
            </p>
        </Show>
        <Show when=move || !left_out().is_empty()>
            <details class="entry">
                <summary><b>"Left out"</b><small>{move || left_out().len()}</small></summary>
                <ul class="left-out">{move || left_out().into_iter().map(|said| view! { <li>{said}</li> }).collect::<Vec<_>>()}</ul>
            </details>
        </Show>
    }
}

fn choose(app: App, picking: Picking, files: Vec<web_sys::File>) {
    let Some(file) = files.first() else { return };
    let reading = text_of(file);
    spawn_local(async move {
        // The dialog may have been closed meanwhile.
        match reading.await {
            Ok(text) => {
                if picking.text.try_set(text).is_none() {
                    read(app, picking);
                }
            }
            Err(why) => drop(picking.error.try_set(Some(why))),
        }
    });
}

fn read(app: App, picking: Picking) {
    let bridge = app.bridge.get_value();
    let text = picking.text.get_untracked();
    spawn_local(async move {
        let reading = bridge.described(&text).await.unwrap_or_else(|| ApiReading {
            error: Some("What reads descriptions could not be loaded: are you online?".to_owned()),
            ..ApiReading::default()
        });
        if let Some(why) = reading.error {
            return drop(picking.error.try_set(Some(why)));
        }
        let _ = picking.chosen.try_set(BTreeSet::new());
        let _ = picking.server.try_set(String::new());
        let _ = picking.reading.try_set(Some(reading));
    });
}

/// Makes the tools anew whenever something is chosen, so that what they need is seen before they are added.
fn make(app: App, picking: Picking) {
    let names: Vec<String> = picking.chosen.with(|chosen| chosen.iter().cloned().collect());
    let (server, user) = (picking.server.get().trim().to_owned(), picking.user.get());
    // What was made before goes elsewhere, or is something else.
    picking.made.set(ApiTools::default());
    if picking.reading.with(Option::is_none) || names.is_empty() || origin_of(&server).is_none() {
        return;
    }
    let bridge = app.bridge.get_value();
    let text = picking.text.get_untracked();
    spawn_local(async move {
        let made = bridge.api_tools(&text, &server, names.clone(), &user).await.unwrap_or_default();
        let is_chosen = picking.chosen.try_with_untracked(|chosen| chosen.iter().eq(&names));
        let is_there = picking.server.try_with_untracked(|now| now.trim() == server);
        let is_theirs = picking.user.try_with_untracked(|now| *now == user);
        // Something else has been chosen, or the dialog closed, while these were made.
        if [is_chosen, is_there, is_theirs] == [Some(true); 3] {
            let _ = picking.made.try_set(made);
        }
    });
}

/// Puts what was chosen into the workflow.
fn take(app: App, picking: Picking) {
    let made = picking.made.get_untracked();
    let Some(tools) = read_all(&made.tools) else { return };
    match picking.goal.get_value() {
        OperationsFor::Tools(agent) => {
            let mut names = Vec::new();
            app.editor.change_settings(|document| names = add_all(document, tools, agent.as_deref()));
            app.editor.notice.set(Some(said_of(&names)));
        }
        OperationsFor::Step(id) => {
            let Some(request) = request_from(tools) else { return };
            app.editor.change_step(&id, |step| {
                if let StepKind::Http(call) = &mut step.kind {
                    call.http = request;
                }
            });
        }
    }
    app.dialog.set(None);
}

/// The request of the only tool.
fn request_from(tools: IndexMap<String, Tool>) -> Option<HttpRequest> {
    match tools.into_values().next()?.run? {
        ToolRun::Http(request) => Some(*request),
        _ => None,
    }
}
