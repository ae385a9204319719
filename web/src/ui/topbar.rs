//! The bar at the top: the workflow's name, file menu, undo, endpoint and Run.

use leptos::prelude::*;
use leptos::{ev, html};
use stepweave_core::document::{Document, Model, Provider};

use super::chat;
use super::commands::acts;
use super::launch;
use super::notice::Notice;
use super::opening;
use super::templates::{self, Template, open_template};
use crate::model::endpoints::origin_of;
use crate::page::icon::{
    AGAIN, BRACES, CHAT, CHEVRON, DONE_SHAPE, EXPORT, FILE, IMPORT, KEYS, LIBRARY, LOGO, PIN, PLAY, PLUG,
    PLUS, REDO, SLIDERS, STOP, TEMPLATE, UNDO, WARNING, icon,
};
use crate::page::roving::Roving;
use crate::page::state::{Dialog, Panel, Saved, Start, app};
use crate::run::status::Status;
use crate::step::agents::ON_DEVICE_HANDLER;

/// The id of the button that opens the file menu.
pub const FILE_BUTTON: &str = "file-button";

/// The bar.
#[component]
pub fn Topbar() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let name = move || editor.document.with(|document| document.name.clone());
    let saved = move || match app.saved.get() {
        Saved::Yes => "Saved",
        Saved::Soon => "Saving…",
        Saved::Refused => "Not saved",
        Saved::Deleted => "Deleted in another tab",
    };
    view! {
        <header class="topbar">
            <h1 class="brand">
                <button class="brand-button" title="All workflows (Ctrl+O)" on:click=move |_| app.dialog.set(Some(Dialog::Library))>
                    <span class="logo">{icon(LOGO)}</span>
                    <span class="brand-name">"Stepweave"</span>
                </button>
            </h1>
            <FileMenu />
            <div class="title">
                <input
                    class="title-input"
                    aria-label="Name of the workflow"
                    spellcheck="false"
                    readonly=editor.following
                    prop:value=name
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        editor.type_into_settings("name", |document| document.name = text);
                    }
                    on:blur=move |_| editor.seal()
                />
                <span class="saved" role="status">{saved}</span>
                <Notice />
            </div>
            // It comes and goes while a person works: what stands at its right stays where it is under the pointer.
            <ProblemsButton />
            <div class="group">
                <button
                    class="icon-button"
                    title="Undo (Ctrl+Z)"
                    aria-label="Undo"
                    disabled=move || !editor.undoable.get() || editor.following.get()
                    on:click=move |_| acts::undo(app)
                >
                    {icon(UNDO)}
                </button>
                <button
                    class="icon-button"
                    title="Redo (Shift+Ctrl+Z)"
                    aria-label="Redo"
                    disabled=move || !editor.redoable.get() || editor.following.get()
                    on:click=move |_| acts::redo(app)
                >
                    {icon(REDO)}
                </button>
            </div>
            <button
                class="icon-button json-button"
                title="JSON (J)"
                aria-label="JSON"
                aria-pressed=move || app.as_json.get().to_string()
                on:click=move |_| acts::toggle_json(app)
            >
                {icon(BRACES)}
            </button>
            <EndpointButton />
            <PinsButton />
            <ChatButton />
            <RunButton />
        </header>
    }
}

#[component]
fn FileMenu() -> impl IntoView {
    let app = app();
    // The browser's own popover closes on Escape and on a click elsewhere.
    let template = move |template: Template| {
        let act = move || open_template(app, template);
        view! { <MenuItem shape=TEMPLATE name=template.name about=template.about act=act /> }
    };
    let (node, roving) = (NodeRef::<html::Div>::new(), Roving::new());
    // While it is open, arrows and letters are for it, wherever the focus is.
    let on_key = move |event: ev::KeyboardEvent| {
        let open = node.get_untracked().filter(|menu| menu.matches(":popover-open").unwrap_or(false));
        if open.is_some_and(|menu| roving.on_key(&menu, &event)) {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    let anew = move || opening::make_empty(app);
    let shows = move |dialog: Dialog| move || app.dialog.set(Some(dialog.clone()));
    view! {
        <button id=FILE_BUTTON class="menu-button" popovertarget="file-menu" on:keydown=on_key>{icon(FILE)} "File" {icon(CHEVRON)}</button>
        <div id="file-menu" class="menu" popover="auto" aria-label="File" node_ref=node on:keydown=on_key>
            <MenuItem shape=LIBRARY name="Workflows…" about="All that are stored here" act=shows(Dialog::Library) />
            <MenuItem shape=PLUS name="New" about="An empty workflow" act=anew />
            <hr />
            {templates::FIRST.into_iter().map(template).collect_view()}
            <MenuItem shape=TEMPLATE name="All templates…" about="With pictures, to search" act=shows(Dialog::Templates) />
            <hr />
            <MenuItem shape=AGAIN name="Versions…" about="What changed, and back to it" act=shows(Dialog::Versions) />
            <MenuItem shape=DONE_SHAPE name="Tests…" about="What has to be true after a run" act=shows(Dialog::Tests) />
            <MenuItem shape=IMPORT name="Import…" about="From a file or pasted JSON" act=shows(Dialog::IMPORT) />
            <MenuItem shape=EXPORT name="Export…" about="JSON, or a worker for the edge; without keys" act=shows(Dialog::Export) />
            <hr />
            <MenuItem shape=SLIDERS name="Look" about="Dark, light, or as the system" act=move || acts::turn_look(app) />
            <MenuItem shape=KEYS name="Keyboard…" about="All of it works without a mouse" act=shows(Dialog::Keys) />
        </div>
    }
}

/// An item of the file menu, which closes with it.
#[component]
fn MenuItem(
    /// Its icon.
    shape: &'static str,
    /// What it is called.
    #[prop(into)]
    name: String,
    /// What it is about, in a few words.
    about: &'static str,
    /// What it does.
    act: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button class="menu-item" popovertarget="file-menu" popovertargetaction="hide" on:click=move |_| act()>
            {icon(shape)}
            <span>{name}<small>{about}</small></span>
        </button>
    }
}

#[component]
fn ProblemsButton() -> impl IntoView {
    let app = app();
    // All of them, and those of them that keep the workflow from being run.
    let counts = Memo::new(move |_| {
        app.problems
            .with(|problems| (problems.len(), problems.iter().filter(|problem| problem.is_error()).count()))
    });
    let text = move || {
        let (all, errors) = counts.get();
        let many = |count: usize, what| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        match (errors, all - errors) {
            (0, warnings) => many(warnings, "warning"),
            (_, 0) => many(errors, "problem"),
            (_, warnings) => format!("{}, {}", many(errors, "problem"), many(warnings, "warning")),
        }
    };
    view! {
        <Show when=move || { counts.get().0 > 0 }>
            <button class="problems-button" class:broken=move || { counts.get().1 > 0 } on:click=move |_| app.panel.set(Some(Panel::Problems))>
                {icon(WARNING)}
                {text}
            </button>
        </Show>
    }
}

#[component]
fn EndpointButton() -> impl IntoView {
    let app = app();
    let about = Memo::new(move |_| app.editor.document.with(endpoint_of));
    view! {
        <button class="endpoint-button" title="Endpoint settings" on:click=move |_| app.dialog.set(Some(Dialog::ENDPOINTS))>
            {icon(PLUG)}
            <span>{move || about.get().0}<small>{move || about.get().1}</small></span>
        </button>
    }
}

/// What the endpoint button says: the model and where it is.
fn endpoint_of(document: &Document) -> (String, String) {
    let mut used: Vec<_> =
        document.agents.values().filter_map(|agent| document.models.get(&agent.model)).collect();
    if used.is_empty() {
        used = document.models.values().collect();
    }
    let Some(first) = used.first() else {
        let about = if document.agents.is_empty() { "none is needed" } else { "set one up" };
        return ("No model".to_owned(), about.to_owned());
    };
    let is_real = |model: &&Model| model.provider != Provider::Demo;
    if used.iter().any(|model| model != first) && used.iter().any(is_real) {
        return ("Several models".to_owned(), "see the settings".to_owned());
    }
    match first.provider {
        Provider::Demo => ("Demo model".to_owned(), "simulated, offline".to_owned()),
        Provider::Custom if first.handler.as_deref() == Some(ON_DEVICE_HANDLER) => {
            ("On device".to_owned(), "in this browser".to_owned())
        }
        Provider::Custom => (first.model.clone(), "a function".to_owned()),
        _ => {
            let url = first.base_url.as_deref().unwrap_or(first.provider.base_url());
            let origin = origin_of(url).unwrap_or_else(|| url.to_owned());
            let host = origin.split_once("://").map_or(origin.clone(), |(_, host)| host.to_owned());
            (first.model.clone(), host)
        }
    }
}

/// Whether runs use pinned outputs, where there are any.
#[component]
fn PinsButton() -> impl IntoView {
    let app = app();
    let many = Memo::new(move |_| app.editor.document.with(|document| document.pins.len()));
    let used = Memo::new(move |_| app.uses_pins());
    let turn = move |_| {
        let chosen = (app.workflow.get_untracked(), !used.get_untracked());
        app.pins.update(|pins| {
            pins.retain(|(workflow, _)| *workflow != chosen.0);
            pins.push(chosen);
        });
    };
    let title = move || match used.get() {
        true => {
            "Pins are on: runs take the pinned outputs and do not run those steps. Press to run every step."
        }
        false => "Pins are off: runs run every step. Press to take the pinned outputs.",
    };
    view! {
        <Show when=move || { many.get() > 0 }>
            <button
                class="pins-button"
                title=title
                aria-label=move || format!("Use pinned outputs: {} pinned", many.get())
                aria-pressed=move || if used.get() { "true" } else { "false" }
                on:click=turn
            >
                {icon(PIN)}
                {move || if used.get() { format!("{} pinned", many.get()) } else { "pins off".to_owned() }}
            </button>
        </Show>
    }
}

/// The way to the chat, where the workflow has a conversation.
#[component]
fn ChatButton() -> impl IntoView {
    let app = app();
    let is_open = move || app.panel.get() == Some(Panel::Chat);
    let toggle = move |_| if is_open() { app.panel.set(None) } else { chat::show(app) };
    view! {
        <Show when=move || app.chat.is_offered()>
            <button class="chat-button" title="Talk to this workflow" aria-pressed=move || is_open().to_string() on:click=toggle>
                {icon(CHAT)} <span>"Chat"</span>
            </button>
        </Show>
    }
}

#[component]
fn RunButton() -> impl IntoView {
    let app = app();
    let running = Memo::new(move |_| app.runner.status.get() == Status::Running);
    let click = move |_| {
        if running.get_untracked() {
            launch::stop(app);
        } else {
            launch::run(app, Start::Whole);
        }
    };
    view! {
        <button class="run-button" class:running=running title="Ctrl+Enter" on:click=click>
            {move || if running.get() { icon(STOP) } else { icon(PLAY) }}
            {move || if running.get() { "Stop" } else { "Run" }}
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_an_agent_needs_a_model() {
        let about = |agents: serde_json::Value| {
            let document = json!({ "version": 1, "name": "t", "agents": agents, "steps": [] });
            endpoint_of(&serde_json::from_value(document).unwrap()).1
        };
        assert_eq!(about(json!({})), "none is needed");
        assert_eq!(about(json!({ "a": { "model": "m" } })), "set one up");
    }
}
