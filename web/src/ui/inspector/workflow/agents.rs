//! Agents: picked by a step, and edited where they are picked.

use leptos::prelude::*;
use stepweave_core::document::Agent;

use super::agent_more::{AgentMore, AnswersWithWords};
use super::tools::ToolPicker;
use crate::model::agents::{names_of_users, users_by_agent};
use crate::model::editor::Editor;
use crate::model::problem::Problem;
use crate::page::focus::begin_at;
use crate::page::icon::{PLUS, TRASH, icon};
use crate::page::removal::{Going, delete};
use crate::page::state::{App, Dialog, EndpointField, app};
use crate::step::agents::{add, demo_model, free_id, free_model_id};
use crate::step::upright::upright;
use crate::ui::field::{Choice, flaw_line};
use crate::ui::inspector::fields::bound::{BoundLines, or_empty};
use crate::ui::inspector::fields::entry::{Entry, EntryDetails, name_field};
use crate::ui::inspector::fields::many::{first_of, rest_of};

const NEW: &str = "\u{0}new";

/// Picks the agent of a step and edits it.
#[component]
pub fn AgentPicker(
    /// The agent's id.
    #[prop(into)]
    agent: Signal<String>,
    /// What is wrong with it.
    flaw: Signal<Option<Problem>>,
    /// What the step is called: so a new agent of it is, too.
    #[prop(into)]
    step: Signal<String>,
    /// Called with the id that is picked.
    #[prop(into)]
    on_pick: Callback<String>,
) -> impl IntoView {
    let editor = app().editor;
    let options = Signal::derive(move || {
        let mut ids: Vec<String> = editor.document.with(|document| document.agents.keys().cloned().collect());
        if !ids.contains(&agent.get()) {
            ids.push(agent.get());
        }
        let known = ids.into_iter().map(|id| (id.clone(), id));
        known.chain([(NEW.to_owned(), "New agent…".to_owned())]).collect()
    });
    let pick = move |word: String| {
        let id = if word == NEW { add_agent(editor, &step.get_untracked()) } else { word };
        on_pick.run(id);
    };
    let known = Memo::new(move |_| {
        Some(agent.get()).filter(|id| editor.document.with(|document| document.agents.contains_key(id)))
    });
    let create = move |_| {
        let id = agent.get_untracked();
        editor.change_settings(|document| add(document, id));
    };
    view! {
        <Choice label="Answered by" value=agent options=options on_pick=pick />
        {move || match known.get() {
            Some(id) => view! { {flaw_line(flaw)} <AgentFields id=id /> }.into_any(),
            None => view! {
                <div class="failure">
                    <p>"The workflow has no agent called " <code>{agent.get()}</code> "."</p>
                    <button class="text-button" on:click=create>{icon(PLUS)} "Create it"</button>
                </div>
            }
            .into_any(),
        }}
    }
}

/// An agent's instructions, its model, its tools and what is seldom set.
#[component]
pub fn AgentFields(
    /// The agent's id.
    id: String,
) -> impl IntoView {
    let instructions = or_empty(Agent::value(
        &id,
        "instructions",
        |agent| agent.instructions.clone(),
        |agent, text| agent.instructions = text,
    ));
    let model = Agent::value(&id, "model", |agent| agent.model.clone(), |agent, model| agent.model = model);
    let (chosen, flaw) = (model.signal(), model.flaw());
    let shared = shared_by(&id);
    let own = id.clone();
    let pick = move |word: String| {
        if word == NEW { add_model(app(), &own) } else { model.pick(word) }
    };
    view! {
        <div class="nested">
            {shared}
            {name_field::<Agent>(&id, "Steps use it by this name", Signal::stored(None), stay_open)}
            <BoundLines label="Instructions" bound=instructions rows=4 placeholder="You are a careful researcher."
                hint="What it always has to know and do" />
            <Choice label="Model" value=chosen options=models(chosen) on_pick=pick />
            {flaw_line(flaw)}
            <ToolPicker agent=id.clone() />
            <AgentMore id=id />
        </div>
    }
}

/// What is seldom set stays open where it was.
fn stay_open(app: App, from: &str, to: String) {
    if app.more_of_agent.with_untracked(|open| open == from) {
        app.more_of_agent.set(to);
    }
}

/// The steps that ask an agent, where there are several: what is changed here is changed for all of them.
fn shared_by(id: &str) -> impl IntoView + use<> {
    let editor = app().editor;
    let id = id.to_owned();
    let names = Memo::new(move |_| editor.document.with(|document| names_of_users(document, &id)));
    move || {
        names.with(|names| {
            (names.len() > 1).then(|| {
                let listed = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
                let more = if names.len() > 5 { ", …" } else { "" };
                view! { <p class="field-hint shared">{upright(format!("Shared by {} steps: {listed}{more}. A change here is one for all of them.", names.len()))}</p> }
            })
        })
    }
}

/// The models that an agent can use, with the one that it uses.
fn models(chosen: Signal<String>) -> Signal<Vec<(String, String)>> {
    let editor = app().editor;
    Signal::derive(move || {
        let mut ids: Vec<String> = editor.document.with(|document| document.models.keys().cloned().collect());
        if !ids.contains(&chosen.get()) {
            ids.push(chosen.get());
        }
        let called = |id: String| {
            let name =
                editor.document.with(|document| document.models.get(&id).map(|model| model.model.clone()));
            let text = match name {
                Some(name) if name != id => format!("{id} ({name})"),
                Some(_) => id.clone(),
                None => format!("{id} (missing)"),
            };
            (id, text)
        };
        ids.into_iter().map(called).chain([(NEW.to_owned(), "New model…".to_owned())]).collect()
    })
}

/// Gives an agent a model of its own, and asks where that is.
fn add_model(app: App, agent: &str) {
    let id = app.editor.document.with_untracked(free_model_id);
    app.editor.change_settings(|document| {
        document.models.insert(id.clone(), demo_model());
        if let Some(agent) = document.agents.get_mut(agent) {
            agent.model.clone_from(&id);
        }
    });
    app.dialog.set(Some(Dialog::Endpoint { model: Some(id), field: EndpointField::Any }));
}

/// All agents of the workflow, to be edited, added and removed.
#[component]
pub fn AgentList() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let ids = Memo::new(move |_| {
        editor.document.with(|document| document.agents.keys().cloned().collect::<Vec<_>>())
    });
    let users = Memo::new(move |_| editor.document.with(users_by_agent));
    let entry = move |id: String| {
        let own = id.clone();
        let users = move || users.with(|users| users.get(&own).copied().unwrap_or_default());
        let (gone, fields) = (id.clone(), id.clone());
        let used = Signal::derive(move || match users() {
            0 => "not used".to_owned(),
            1 => "1 step".to_owned(),
            many => format!("{many} steps"),
        });
        view! {
            <div class="entry-row">
                <EntryDetails name=id.clone() about=used path=Agent::path(&id)>
                    <AgentFields id=fields.clone() />
                    <AnswersWithWords id=fields />
                </EntryDetails>
                <div class="entry-tools">
                    <button
                        class="icon-button danger"
                        title="Remove this agent"
                        aria-label=format!("Remove agent {id}")
                        on:click=move |_| delete(app, Going::Entry(Agent::named(&gone)))
                    >
                        {icon(TRASH)}
                    </button>
                </div>
            </div>
        }
    };
    // Its name is the first thing to write.
    let add = move |_| {
        let path = Agent::path(&add_agent(editor, "assistant"));
        begin_at(format!(".inspector [data-entry='{path}'] input"));
        app.renamed_entry.set(Some(path));
    };
    view! {
        <h3>"Agents"</h3>
        <For each=move || first_of(&ids.get()) key=Clone::clone children=entry />
        {move || rest_of(ids.with(Vec::len))}
        <button class="text-button" on:click=add>{icon(PLUS)} "Add an agent"</button>
    }
}

/// Adds an agent of this name, or the next one that is free, and gives its id.
fn add_agent(editor: Editor, name: &str) -> String {
    let id = editor.document.with_untracked(|document| free_id(document, name));
    let new = id.clone();
    editor.change_settings(|document| add(document, new));
    id
}
