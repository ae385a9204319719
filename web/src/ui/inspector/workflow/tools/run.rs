//! What runs when a tool is called: code, a function of the program, a request, a workflow, or what a provider or server has.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{
    HandlerRef, HttpRequest, Inner, Provided, ProviderTool, Run, Step, StepKind, Tool, ToolRun,
};
use stepweave_core::edit::Edit;
use wasm_bindgen_futures::spawn_local;

use crate::model::clip::into_tool;
use crate::model::work::Work;
use crate::page::state::app;
use crate::step::face::counted;
use crate::ui::code::Writes;
use crate::ui::field::Choice;
use crate::ui::inspector::fields::bound::{
    Bound, BoundChoice, BoundJson, BoundLines, BoundNumber, BoundSwitch,
};
use crate::ui::inspector::fields::entry::Entry;
use crate::ui::inspector::fields::fold::Fold;
use crate::ui::inspector::fields::json::JsonShape;
use crate::ui::inspector::fields::request::RequestFields;
use crate::ui::inspector::fields::source::HandlerFields;
use crate::ui::library::called;

/// What runs when the tool is called.
#[component]
pub fn RunField(
    /// The name of the tool.
    name: String,
) -> impl IntoView {
    let first = format!("{name}.answer");
    let way = Tool::value(
        &name,
        "run",
        |tool| {
            match &tool.run {
                Some(ToolRun::Code(_)) => "code",
                Some(ToolRun::Handler(_)) => "handler",
                Some(ToolRun::Http(_)) => "http",
                Some(ToolRun::Workflow(_)) => "workflow",
                Some(ToolRun::Mcp(_)) => "mcp",
                Some(ToolRun::Provider(tool)) => tool.does.word(),
                None => "own",
            }
            .to_owned()
        },
        move |tool, word| {
            if let Some(does) = Provided::from_word(&word) {
                (tool.input, tool.needs_approval, tool.timeout_ms) = (None, None, None);
                tool.run = Some(ToolRun::Provider(ProviderTool::new(does)));
                return;
            }
            tool.run = match word.as_str() {
                "code" => Some(ToolRun::Code("return { answer: state };\n".to_owned())),
                "http" => Some(ToolRun::Http(Box::new(HttpRequest::to("https://api.example.com/")))),
                "workflow" => Some(ToolRun::Workflow(Box::new(begun(&first)))),
                "handler" => Some(ToolRun::Handler(HandlerRef::new("handler"))),
                _ => None,
            };
        },
    );
    let chosen = way.signal();
    let code = Tool::value(
        &name,
        "run.code",
        |tool| match &tool.run {
            Some(ToolRun::Code(code)) => code.clone(),
            _ => String::new(),
        },
        |tool, code| tool.run = Some(ToolRun::Code(code)),
    );
    let handler = Tool::value(
        &name,
        "run.handler",
        |tool| match &tool.run {
            Some(ToolRun::Handler(handler)) => Some(handler.clone()),
            _ => None,
        },
        |tool, handler| tool.run = handler.map(ToolRun::Handler),
    );
    let request = Tool::value(
        &name,
        "run.http",
        |tool| match &tool.run {
            Some(ToolRun::Http(request)) => HttpRequest::clone(request),
            _ => HttpRequest::default(),
        },
        |tool, request| tool.run = Some(ToolRun::Http(Box::new(request))),
    );
    let workflow = Tool::value(
        &name,
        "run.workflow",
        |tool| tool.workflow().and_then(|inner| serde_json::to_value(inner).ok()),
        |tool, value| {
            let read = value.and_then(|value| Inner::from_json(value).ok());
            tool.run = Some(ToolRun::Workflow(Box::new(read.unwrap_or_default())));
        },
    );
    let content = move || {
        match chosen.get().as_str() {
        "code" => view! {
            <BoundLines label="Code" bound=code.clone() rows=8 code=true writes=Writes::JavaScript
                hint="JavaScript: state is the input; it returns an object, which the model is told. It runs in a closed room, without network, clock or page." />
        }
        .into_any(),
        "http" => view! { <RequestFields request=request.clone() /> }.into_any(),
        "workflow" => view! { <WorkflowFields name=name.clone() bound=workflow.clone() /> }.into_any(),
        "handler" => view! { <HandlerFields label="Run".to_owned() bound=handler.clone() /> }.into_any(),
        "web_search" => view! { <SearchFields name=name.clone() /> }.into_any(),
        "mcp" => view! { <McpFields name=name.clone() /> }.into_any(),
        _ => ().into_any(),
    }
    };
    // A tool of a server has its fingerprint: nothing else becomes one by a choice.
    let way = StoredValue::new(way);
    view! {
        <Show when=move || chosen.with(|chosen| chosen != "mcp")><BoundChoice label="A call runs" bound=way.get_value()
            options=&[("code", "JavaScript"), ("http", "a request"), ("workflow", "a workflow"), ("web_search", "Web search by the provider"), ("code_execution", "Code execution by the provider"), ("handler", "a function of the program"), ("own", "the program's function of its name")] /></Show>
        {content}
    }
}

/// The steps of a tool: those of a stored workflow, or as they are written.
#[component]
fn WorkflowFields(name: String, bound: Bound<Option<Value>>) -> impl IntoView {
    let app = app();
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    let stored = RwSignal::new(Vec::<(String, String)>::new());
    let list = library.clone();
    spawn_local(async move {
        let open = app.workflow.get_untracked();
        let others =
            list.list().await.into_iter().filter(|entry| entry.deleted_at.is_none() && entry.id != open);
        let found = others.map(|entry| (entry.id.clone(), called(&entry))).collect();
        // The form may have been left meanwhile.
        let _ = stored.try_set(found);
    });
    let options = Signal::derive(move || {
        let first = (String::new(), "Choose a workflow…".to_owned());
        std::iter::once(first).chain(stored.get()).collect::<Vec<_>>()
    });
    let picked = RwSignal::new(String::new());
    let pick = move |id: String| {
        let (library, name) = (library.clone(), name.clone());
        picked.set(id.clone());
        spawn_local(async move {
            let found = library.read(&id).await;
            let found = found.and_then(|stored| Work::read(&stored.snapshot, &stored.changes).ok());
            let _ = picked.try_set(String::new());
            let copied = found.and_then(|work| {
                app.editor.document.with_untracked(|document| into_tool(document, &name, &work.document))
            });
            let said = match copied {
                Some((settings, said)) => {
                    app.editor.make(Edit::Settings(Box::new(settings)));
                    said
                }
                None => "Nothing is copied: that workflow has no steps, or cannot be read.".to_owned(),
            };
            app.editor.notice.set(Some(said));
        });
    };
    let steps = {
        let bound = bound.clone();
        Memo::new(move |_| {
            let of = |value: Value| Some(value.get("steps")?.as_array()?.len());
            bound.get().and_then(of).map(|many| counted(many, "step")).unwrap_or_default()
        })
    };
    let (flaw, draft) = (bound.flaw(), bound.draft_key());
    let flawed = Memo::new(move |_| {
        flaw.get().is_some() || app.editor.drafts.with(|drafts| drafts.contains_key(&draft))
    });
    let open = RwSignal::new(false);
    view! {
        <Show when=move || !stored.with(Vec::is_empty)>
            <Choice label="Copy the steps of" value=picked options=options on_pick=pick.clone() />
        </Show>
        <p class="field-hint">"The steps of a workflow are copied in, with the agents, models and tools that they use, what it begins with, and its input as the arguments. What is changed there later is not. They see the input of the call, and nothing of the state; what they end with is what the model is told."</p>
        <Fold title="As JSON" open=open on_toggle=move |is_open| open.set(is_open) said=steps flawed=flawed>
            <BoundJson label="Steps" bound=bound shape=JsonShape::Workflow rows=14
                hint="As they are written in a document. What set says, where it is there, is what the model is told." />
        </Fold>
    }
}

/// Which tool of which MCP server runs, and what the server may do meanwhile.
#[component]
fn McpFields(name: String) -> impl IntoView {
    let of = |tool: &Tool| match &tool.run {
        Some(ToolRun::Mcp(mcp)) => Some(mcp.clone()),
        _ => None,
    };
    let elicitation = Tool::value(
        &name,
        "run.mcp.elicitation",
        move |tool| of(tool).is_some_and(|mcp| mcp.elicitation),
        |tool, on| {
            if let Some(ToolRun::Mcp(mcp)) = &mut tool.run {
                mcp.elicitation = on;
            }
        },
    );
    let editor = app().editor;
    let shown = Memo::new(move |_| editor.document.with(|document| document.tools.get(&name).and_then(of)));
    let about = move || {
        shown.get().map(|mcp| {
            view! {
                <p class="field-hint">
                    "A call runs the tool " <code>{mcp.tool}</code> " of the MCP server " <code>{mcp.url}</code>
                    ", as it was when you added it. If the server has changed it since, it is not called: add it again."
                </p>
            }
        })
    };
    view! {
        {about}
        <BoundSwitch label="The server may ask a person" hint="In the midst of a call, as an approval does; never for a password or a key." bound=elicitation />
    }
}

/// A workflow with one step, of this id, that works as it is.
fn begun(id: &str) -> Inner {
    let set = [("answer".to_owned(), "'What the steps end with is the answer.'".to_owned())];
    let step = Step::new(id, "answer", StepKind::Function(Run::Set(set.into_iter().collect())));
    Inner { steps: vec![step], ..Inner::default() }
}

/// The bounds on a search that a provider runs.
#[component]
fn SearchFields(name: String) -> impl IntoView {
    let domains = |key: &'static str, at: fn(&mut ProviderTool) -> &mut Vec<String>| {
        Tool::value(
            &name,
            key,
            move |tool| provided(tool).map(|mut search| at(&mut search).join("\n")).unwrap_or_default(),
            move |tool, text: String| {
                if let Some(ToolRun::Provider(search)) = &mut tool.run {
                    *at(search) = text.lines().map(|line| line.trim().to_owned()).collect();
                }
            },
        )
    };
    let allowed = domains("run.allowedDomains", |search| &mut search.allowed_domains);
    let blocked = domains("run.blockedDomains", |search| &mut search.blocked_domains);
    let most = Tool::value(
        &name,
        "run.maxUses",
        |tool| provided(tool)?.max_uses.map(u64::from),
        |tool, most| {
            if let Some(ToolRun::Provider(search)) = &mut tool.run {
                search.max_uses = most.and_then(|most| u32::try_from(most).ok());
            }
        },
    );
    view! {
        <BoundLines label="Only these domains" bound=allowed rows=2 code=true placeholder="example.com"
            hint="One on each line; empty: all. OpenAI, Anthropic and OpenRouter." />
        <BoundLines label="Not these domains" bound=blocked rows=2 code=true placeholder="example.com"
            hint="One on each line. Anthropic and OpenRouter." />
        <BoundNumber label="Searches for one answer" bound=most least=1 placeholder="no limit"
            hint="Anthropic and OpenRouter." />
    }
}

pub(super) fn provided(tool: &Tool) -> Option<ProviderTool> {
    match &tool.run {
        Some(ToolRun::Provider(tool)) => Some(tool.clone()),
        _ => None,
    }
}
