//! The workflow's tools: selected by agents, edited here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;
use leptos::html::Div;
use leptos::prelude::*;
use stepweave_core::document::{Agent, Document, HttpRequest, Tool};
use stepweave_core::rename::Place;

use crate::model::problem::Problem;
use crate::model::requests::key_of_tool;
use crate::model::tools::{add, add_request};
use crate::page::focus::begin_at;
use crate::page::icon::{IMPORT, PLUG, PLUS, SLIDERS, TRASH, icon};
use crate::page::removal::{Going, delete};
use crate::page::state::{App, Dialog, OperationsFor, app};
use crate::step::face::counted;
use crate::ui::field::flaw_line;
use crate::ui::inspector::fields::bound::{BoundLines, BoundSpan, BoundSwitch, or_empty};
use crate::ui::inspector::fields::curl::CurlField;
use crate::ui::inspector::fields::entry::{Called, Entry, EntryDetails, name_field};
use crate::ui::inspector::fields::many::{MOST, first_of, rest_of};
use crate::ui::inspector::fields::pick::pick;
use crate::ui::inspector::fields::rows::PlaceOf;
use crate::ui::inspector::fields::source::CheckField;

use run::{RunField, provided};

pub mod run;

const MOST_MS: u64 = (1 << 53) - 1;

/// Picks the tools that an agent may call.
#[component]
pub fn ToolPicker(
    /// The agent's id.
    agent: String,
) -> impl IntoView {
    let app = app();
    let bound =
        Agent::value(&agent, "tools", |agent| agent.tools.clone(), |agent, tools| agent.tools = tools);
    let (chosen, flaw) = (bound.signal(), bound.flaw());
    let tools = Memo::new(move |_| app.editor.document.with(|document| offered(document, &chosen.get())));
    let bound = StoredValue::new(bound);
    let opened = opened_here(app);
    let row = move |name: String| {
        let (own, shown) = (StoredValue::new(name.clone()), name.clone());
        let called = Called::provide(name.clone());
        let about = move || {
            let of = |own: &String| tools.with(|tools| tools.get(own).cloned().unwrap_or_default());
            own.with_value(of)
        };
        let is_open = Memo::new(move |_| {
            let wanted = opened.with(|opened| own.with_value(|own| opened.as_ref() == Some(own)));
            wanted
                && app.editor.document.with(|document| own.with_value(|own| document.tools.contains_key(own)))
        });
        let edit = move |_| {
            if is_open.get_untracked() { opened.set(None) } else { open(app, &own.get_value()) }
        };
        view! {
            <div class="pick">
                {pick(bound.get_value(), name.clone(), called.into(), Signal::derive(about))}
                <button class="icon-button" title="Edit this tool" aria-label=format!("Edit tool {name}")
                    aria-expanded=move || is_open.get().to_string() on:click=edit>
                    {icon(SLIDERS)}
                </button>
            </div>
            {move || is_open.get().then(|| view! { <ToolFields name=shown.clone() /> })}
        }
    };
    let described = agent.clone();
    let describe =
        move |_| app.dialog.set(Some(Dialog::operations(OperationsFor::Tools(Some(described.clone())))));
    let serving = agent.clone();
    let ask = move |_| app.dialog.set(Some(Dialog::McpServer { agent: Some(serving.clone()) }));
    let agent = StoredValue::new(agent);
    let create = move |add: &dyn Fn(&mut Document) -> String| {
        let mut made = String::new();
        app.editor.change_settings(|document| {
            made = add(document);
            if let Some(agent) = agent.with_value(|agent| document.agents.get_mut(agent)) {
                agent.tools.push(made.clone());
            }
        });
        open_new(app, &made);
    };
    view! {
        <div class="field" role="group" aria-label="Tools that it may call">
            <span class="field-label">"Tools"</span>
            <For each=move || tools.with(|tools| tools.keys().take(MOST).cloned().collect::<Vec<_>>()) key=Clone::clone children=row />
            {move || rest_of(tools.with(IndexMap::len))}
            {flaw_line(flaw)}
            <button class="text-button" on:click=move |_| create(&add)>{icon(PLUS)} "Add a tool"</button>
            <CurlField label="New tool from curl" hint="It becomes a tool that sends this request."
                on_request=move |request: HttpRequest| create(&|document| add_request(document, request.clone())) />
            <button class="text-button" on:click=describe>{icon(IMPORT)} "From an OpenAPI description…"</button>
            <button class="text-button" on:click=ask>{icon(PLUG)} "From an MCP server…"</button>
        </div>
    }
}

/// The names and descriptions of the workflow's tools, and of those that an agent names in vain.
fn offered(document: &Document, chosen: &[String]) -> IndexMap<String, String> {
    let about = |tool: &Tool| tool.description.clone().unwrap_or_default();
    let known = document.tools.iter().map(|(name, tool)| (name.clone(), about(tool)));
    let missing = chosen.iter().filter(|name| !document.tools.contains_key(*name));
    known.chain(missing.map(|name| (name.clone(), "There is no such tool.".to_owned()))).collect()
}

/// Shows the fields of a tool: in the step that is selected, else with those of the workflow.
fn open(app: App, name: &str) {
    app.opened_tool.set(Some(name.to_owned()));
    app.inspecting.set(true);
}

/// The same for a tool that was just added, whose name is the first thing to write.
fn open_new(app: App, name: &str) {
    open(app, name);
    begin_at(fields_of(name) + " input");
}

/// The selector of a tool's fields; a name with a quote finds none.
fn fields_of(name: &str) -> String {
    format!(".inspector [data-tool='{name}']")
}

/// The tool whose fields are shown in the selected step, so that whoever works on the step stays there.
fn opened_here(app: App) -> RwSignal<Option<String>> {
    let opened = RwSignal::new(None);
    Effect::new(move || {
        let wanted = app.opened_tool.get();
        if wanted.is_some() && app.editor.selected.with_untracked(Option::is_some) {
            opened.set(wanted);
            app.opened_tool.set(None);
        }
    });
    opened
}

/// All tools of the workflow, to be edited, added and removed.
#[component]
pub fn ToolList() -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let names = Memo::new(move |_| {
        editor.document.with(|document| document.tools.keys().cloned().collect::<Vec<_>>())
    });
    let users = Memo::new(move |_| editor.document.with(users_by_tool));
    let create = move |add: &dyn Fn(&mut Document) -> String| {
        let mut made = String::new();
        editor.change_settings(|document| made = add(document));
        open_new(app, &made);
    };
    view! {
        <h3>"Tools"</h3>
        <For each=move || first_of(&names.get()) key=Clone::clone let:name><ToolEntry name=name users=users /></For>
        {move || rest_of(names.with(Vec::len))}
        <button class="text-button" on:click=move |_| create(&add)>{icon(PLUS)} "Add a tool"</button>
        <CurlField label="New tool from curl" hint="It becomes a tool that sends this request."
            on_request=move |request: HttpRequest| create(&|document| add_request(document, request.clone())) />
        <button class="text-button" on:click=move |_| app.dialog.set(Some(Dialog::operations(OperationsFor::Tools(None))))>
            {icon(IMPORT)} "From an OpenAPI description…"
        </button>
        <button class="text-button" on:click=move |_| app.dialog.set(Some(Dialog::McpServer { agent: None }))>
            {icon(PLUG)} "From an MCP server…"
        </button>
    }
}

#[component]
fn ToolEntry(
    name: String,
    /// How many agents have each tool.
    users: Memo<BTreeMap<String, usize>>,
) -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let (node, is_open) = (NodeRef::<Div>::new(), RwSignal::new(false));
    let own = name.clone();
    Effect::new(move || {
        let wanted = app.opened_tool.with(|opened| opened.as_ref() == Some(&own));
        if let (true, Some(node)) = (wanted, node.get()) {
            is_open.set(true);
            app.opened_tool.set(None);
            // By then its fields are there.
            request_animation_frame(move || reveal(&node));
        }
    });
    let used = {
        let name = name.clone();
        Signal::derive(move || {
            let users = users.with(|users| users.get(&name).copied().unwrap_or_default());
            let inner =
                |document: &Document| Some(document.tools.get(&name).and_then(Tool::workflow)?.steps.len());
            let steps = editor.document.with(inner);
            let used = if users == 0 { "not used".to_owned() } else { counted(users, "agent") };
            match steps {
                None => used,
                Some(steps) => format!("{used} · {}", counted(steps, "step")),
            }
        })
    };
    let (gone, fields) = (name.clone(), name.clone());
    view! {
        <div class="entry-row" node_ref=node>
            <EntryDetails name=name.clone() about=used path=Tool::path(&name) open=is_open>
                <ToolFields name=fields.clone() />
            </EntryDetails>
            <div class="entry-tools">
                <button class="icon-button danger" title="Remove this tool, from agents too" aria-label=format!("Remove tool {name}")
                    on:click=move |_| delete(app, Going::Entry(Tool::named(&gone)))>
                    {icon(TRASH)}
                </button>
            </div>
        </div>
    }
}

/// Scrolls the inspector, and nothing around it, so that an element is at its top.
fn reveal(element: &web_sys::Element) {
    if let Ok(Some(body)) = element.closest(".inspector-body") {
        let down = element.get_bounding_client_rect().top() - body.get_bounding_client_rect().top();
        body.set_scroll_top(body.scroll_top() + down as i32 - GAP);
    }
}

/// Pixels that are left above what is revealed.
const GAP: i32 = 12;

#[component]
fn ToolFields(name: String) -> impl IntoView {
    let description = or_empty(Tool::value(
        &name,
        "description",
        |tool| tool.description.clone(),
        |tool, text| tool.description = text,
    ));
    let input = Tool::value(&name, "input", |tool| tool.input.clone(), |tool, check| tool.input = check);
    let asks = Tool::value(&name, "needsApproval", Tool::needs_approval, |tool, on| {
        tool.needs_approval = Some(on.into())
    });
    let timeout =
        Tool::value(&name, "timeoutMs", |tool| tool.timeout_ms, |tool, most| tool.timeout_ms = most);
    // What a provider runs itself has arguments of its own, and comes past nobody here.
    let editor = app().editor;
    let is_provided = {
        let name = name.clone();
        Memo::new(move |_| {
            editor
                .document
                .with(|document| document.tools.get(&name).is_some_and(|tool| provided(tool).is_some()))
        })
    };
    let decider = {
        let name = name.clone();
        Memo::new(move |_| {
            editor.document.with(|document| {
                document.tools.get(&name)?.approval_decider().map(|handler| handler.handler.clone())
            })
        })
    };
    let place: PlaceOf = {
        let name = name.clone();
        Arc::new(move |_: &Document| Some(Place::Tool(name.clone())))
    };
    let here = StoredValue::new((input, asks, timeout, place));
    // Before the code, which reads them.
    let arguments = move || {
        let (input, _, _, place) = here.get_value();
        (!is_provided.get()).then(|| {
            view! { <CheckField label="Arguments" bound=input place=place hint="A JSON Schema: what the model has to call it with. Empty: any object." /> }
        })
    };
    let own = move || {
        let (_, asks, timeout, _) = here.get_value();
        (!is_provided.get()).then(|| {
            view! {
                <BoundSwitch label="Ask a person" hint="Each call waits until somebody allows it" bound=asks />
                {move || decider.get().map(|name| view! {
                    <p class="field-hint">"The function " <code>{name}</code> " of your program says about which calls."</p>
                })}
                <BoundSpan label="Time limit of a call (ms)" bound=timeout least=1 most=MOST_MS placeholder="none" />
            }
        })
    };
    let flaw = flaw_of(StoredValue::new(name.clone()));
    let own_name = name.clone();
    view! {
        <div class="nested" data-tool=own_name>
            {name_field::<Tool>(&name, "Letters, digits, _ and -, as models call it", flaw, follow_name)}
            <BoundLines label="What it does" bound=description rows=2 placeholder="Finds a customer by name or number."
                hint="The model reads this when it decides what to call" />
            {arguments}
            <RunField name=name />
            {own}
        </div>
    }
}

/// What belongs to a tool goes along when it is called otherwise.
fn follow_name(app: App, from: &str, to: String) {
    let before = key_of_tool(from);
    if let Some(sample) = app.editor.samples.with_untracked(|samples| samples.get(&before).cloned()) {
        app.editor.keep_sample(before, None);
        app.editor.keep_sample(key_of_tool(&to), Some(sample));
    }
    // Under another name it is another entry, which opens where this one was, unless a click has opened another tool there.
    if document().query_selector(&fields_of(from)).is_ok_and(|fields| fields.is_some()) {
        app.opened_tool.set(Some(to));
    }
}

/// What is wrong with the tool as a whole.
fn flaw_of(name: StoredValue<String>) -> Signal<Option<Problem>> {
    let flaws = app().flaws;
    let path = Tool::path(&name.get_value());
    Memo::new(move |_| flaws.with(|flaws| flaws.right_at(None, &path).cloned())).into()
}

/// How many agents have each tool that any of them has.
fn users_by_tool(document: &Document) -> BTreeMap<String, usize> {
    let mut users = BTreeMap::new();
    for agent in document.agents.values() {
        for name in agent.tools.iter().collect::<BTreeSet<_>>() {
            *users.entry(name.clone()).or_default() += 1;
        }
    }
    users
}
