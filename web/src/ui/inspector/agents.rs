//! Agents: picked by a step, and edited where they are picked.

use leptos::prelude::*;
use stepweave_core::document::{Agent, Document, Step, StepKind};

use super::super::field::{Choice, TextArea, flaw_line};
use super::super::icon::{PLUS, TRASH, icon};
use super::super::state::app;
use crate::model::agents::add;
use crate::model::editor::Editor;
use crate::model::problem::Problem;

const NEW: &str = "\u{0}new";

/// Picks the agent of a step and edits it.
#[component]
pub fn AgentPicker(
    /// The agent's id.
    #[prop(into)]
    agent: Signal<String>,
    /// What is wrong with it.
    flaw: Signal<Option<Problem>>,
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
        let id = if word == NEW { add_agent(editor) } else { word };
        on_pick.run(id);
    };
    let known =
        Memo::new(move |_| editor.document.with(|document| document.agents.contains_key(&agent.get())));
    let create = move |_| {
        let id = agent.get_untracked();
        editor.change_settings(|document| add(document, id));
    };
    view! {
        <Choice label="Agent" value=agent options=options on_pick=pick />
        {move || match known.get() {
            true => view! { {flaw_line(flaw)} <AgentFields id=agent /> }.into_any(),
            false => view! {
                <div class="failure">
                    <p>"The workflow has no agent called " <code>{agent.get()}</code> "."</p>
                    <button class="text-button" on:click=create>{icon(PLUS)} "Create it"</button>
                </div>
            }
            .into_any(),
        }}
    }
}

/// The model and instructions of an agent.
#[component]
pub fn AgentFields(
    /// The agent's id.
    id: Signal<String>,
) -> impl IntoView {
    let editor = app().editor;
    let read = move |read: fn(&Agent) -> String| {
        Signal::derive(move || {
            editor.document.with(|document| document.agents.get(&id.get()).map(read)).unwrap_or_default()
        })
    };
    let instruct = move |text: String| {
        let id = id.get_untracked();
        editor.type_into_settings(&format!("agents.{id}.instructions"), |document| {
            if let Some(agent) = document.agents.get_mut(&id) {
                agent.instructions = Some(text).filter(|text| !text.is_empty());
            }
        });
    };
    let flaws = app().flaws;
    let flaw = move |field: &'static str| {
        Signal::derive(move || {
            flaws.with(|flaws| flaws.at(None, &format!("agents.{}.{field}", id.get())).cloned())
        })
    };
    let model = read(|agent| agent.model.clone());
    let models = Signal::derive(move || {
        let mut ids: Vec<String> = editor.document.with(|document| document.models.keys().cloned().collect());
        if !ids.contains(&model.get()) {
            ids.push(model.get());
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
        ids.into_iter().map(called).collect()
    });
    let pick = move |word: String| {
        let id = id.get_untracked();
        editor.change_settings(|document| {
            if let Some(agent) = document.agents.get_mut(&id) {
                agent.model = word;
            }
        });
    };
    view! {
        <div class="nested">
            <TextArea
                label="Instructions"
                value=read(|agent| agent.instructions.clone().unwrap_or_default())
                on_input=instruct
                on_leave=move |()| editor.seal()
                rows=4
                placeholder="You are a careful researcher."
                hint="Shared by every step that asks this agent"
                flaw=flaw("instructions")
            />
            <Choice label="Model" value=model options=models on_pick=pick />
            {flaw_line(flaw("model"))}
        </div>
    }
}

/// All agents of the workflow, to be edited, added and removed.
#[component]
pub fn AgentList() -> impl IntoView {
    let editor = app().editor;
    let ids = Memo::new(move |_| {
        editor.document.with(|document| document.agents.keys().cloned().collect::<Vec<_>>())
    });
    let entry = move |id: String| {
        let users = {
            let id = id.clone();
            move || editor.document.with(|document| count_users(document, &id))
        };
        let remove = {
            let id = id.clone();
            move |_| editor.change_settings(|document| drop(document.agents.shift_remove(&id)))
        };
        let blocked = users.clone();
        let used = move || match users() {
            0 => "not used".to_owned(),
            1 => "1 step".to_owned(),
            many => format!("{many} steps"),
        };
        view! {
            <details class="entry">
                <summary>
                    <b>{id.clone()}</b>
                    <small>{used}</small>
                    <button
                        class="icon-button danger"
                        title="Remove this agent"
                        aria-label=format!("Remove agent {id}")
                        disabled=move || { blocked() > 0 }
                        on:click=remove
                    >
                        {icon(TRASH)}
                    </button>
                </summary>
                <AgentFields id=Signal::stored(id.clone()) />
            </details>
        }
    };
    view! {
        <h3>"Agents"</h3>
        <For each=move || ids.get() key=Clone::clone children=entry />
        <button class="text-button" on:click=move |_| drop(add_agent(editor))>{icon(PLUS)} "Add an agent"</button>
    }
}

/// Adds an agent under a free id and gives the id.
fn add_agent(editor: Editor) -> String {
    let id = editor.document.with_untracked(|document| {
        let numbered = (2_usize..).map(|number| format!("agent_{number}"));
        let mut ids = std::iter::once("assistant".to_owned()).chain(numbered);
        ids.find(|id| !document.agents.contains_key(id)).unwrap_or_default()
    });
    let new = id.clone();
    editor.change_settings(|document| add(document, new));
    id
}

fn count_users(document: &Document, id: &str) -> usize {
    let mut open: Vec<&Step> = document.steps.iter().collect();
    let mut count = 0;
    while let Some(step) = open.pop() {
        count += usize::from(matches!(&step.kind, StepKind::Agent(call) if call.agent == id));
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
    }
    count
}
