//! What few agents need: the shape of the answer, how tools are called, other models, bounds.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{Agent, AgentLimits, Check, Document, ToolChoice};
use stepweave_core::rename::Place;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement};

use crate::model::shape::{Giver, Kind};
use crate::page::focus::focus_in_place;
use crate::page::icon::{PLUS, icon};
use crate::page::state::app;
use crate::ui::field::{Choice, flaw_line};
use crate::ui::inspector::fields::bound::{Bound, BoundAmount, BoundNumber};
use crate::ui::inspector::fields::entry::Entry;
use crate::ui::inspector::fields::fold::Fold;
use crate::ui::inspector::fields::pick::pick;
use crate::ui::inspector::fields::rows::PlaceOf;
use crate::ui::inspector::fields::source::CheckField;
use crate::ui::inspector::owned;

/// The fields whose problems open the section.
const FIELDS: [&str; 5] = ["output", "toolChoice", "maxTurns", "fallbacks", "limits"];
const MOST_TOKENS: u64 = (1 << 53) - 1;

/// The section, closed until it is opened.
#[component]
pub fn AgentMore(
    /// The agent's id.
    id: String,
) -> impl IntoView {
    let app = app();
    let own = StoredValue::new(id.clone());
    let said = Memo::new(move |_| {
        let id = own.get_value();
        app.editor.document.with(|document| document.agents.get(&id).map(said)).unwrap_or_default()
    });
    let path = StoredValue::new(Agent::path(&id));
    let flawed = Memo::new(move |_| {
        let at = |field| path.with_value(|path| format!("{path}.{field}"));
        app.flaws.with(|flaws| FIELDS.iter().any(|field| flaws.at(None, &at(field)).is_some()))
    });
    let output = output_of(&id);
    let answer: PlaceOf = {
        let id = id.clone();
        Arc::new(move |_: &Document| Some(Place::Answer(id.clone())))
    };
    // Another agent is another matter: its section is closed.
    let open = Signal::derive(move || own.with_value(|own| app.more_of_agent.with(|open| open == own)));
    let toggle = move |is_open| {
        if is_open != open.get_untracked() {
            app.more_of_agent.set(if is_open { own.get_value() } else { String::new() });
        }
    };
    let turns = Agent::value(
        &id,
        "maxTurns",
        |agent| agent.max_turns.map(u64::from),
        |agent, most: Option<u64>| agent.max_turns = most.and_then(|most| most.try_into().ok()),
    );
    let tokens = Agent::value(
        &id,
        "limits.maxTokens",
        |agent| agent.limits.and_then(|limits| limits.max_tokens),
        |agent, max_tokens| limit(agent, |limits| limits.max_tokens = max_tokens),
    );
    let money = Agent::value(
        &id,
        "limits.maxCost",
        |agent| agent.limits.and_then(|limits| limits.max_cost),
        |agent, max_cost| limit(agent, |limits| limits.max_cost = max_cost),
    );
    view! {
        <Fold title="More of this agent" open=open on_toggle=toggle said=said flawed=flawed>
            <CheckField label="Answer" bound=output giver=Giver::Answer place=answer hint="A JSON Schema: the answer is then a JSON value. Empty: it is a text." />
            <CallsTools id=id.clone() />
            <BoundNumber label="Model calls for one answer" bound=turns least=1 most=1000 placeholder="10"
                hint="A turn is one question to its model: another one follows when it has called tools." />
            <div class="pair even">
                <BoundNumber label="Tokens for one answer" bound=tokens least=1 most=MOST_TOKENS placeholder="no limit" />
                <BoundAmount label="US$ for one answer" bound=money placeholder="no limit" />
            </div>
            <span class="field-hint">"All turns and tries of an answer together. Checked before each call, by the price of its model."</span>
            <Fallbacks id=id />
        </Fold>
    }
}

/// Makes the answer one of some words, of which a switch makes its cases. Where something is said of the answer already, its
/// fields have that.
#[component]
pub fn AnswersWithWords(
    /// The agent's id.
    id: String,
) -> impl IntoView {
    let app = app();
    let output = StoredValue::new(output_of(&id));
    let id = StoredValue::new(id);
    let is_text = Memo::new(move |_| output.get_value().get().is_none());
    let pick = move |event: leptos::ev::MouseEvent| {
        let button: Element = event_target(&event);
        let agent = button.closest(".asked, .entry").ok().flatten();
        output.get_value().pick(Some(Check::Schema(Kind::Choice.schema(&Value::Null))));
        app.more_of_agent.set(id.get_value());
        // The words are there by then, and what is typed takes the place of the first ones.
        request_animation_frame(move || {
            let field =
                agent.and_then(|agent| agent.query_selector("textarea[aria-label=Choices]").ok().flatten());
            if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok()) {
                focus_in_place(&field);
                field.scroll_into_view();
                field.select();
            }
        });
    };
    move || {
        is_text.get().then(|| {
            view! {
                <button class="text-button" type="button" on:click=pick>{icon(PLUS)} "Answer only with words from a list"</button>
            }
        })
    }
}

fn output_of(id: &str) -> Bound<Option<Check>> {
    Agent::value(id, "output", |agent| agent.output.clone(), |agent, check| agent.output = check)
}

/// Whether the agent has to call a tool.
#[component]
fn CallsTools(id: String) -> impl IntoView {
    let choice = Agent::value(
        &id,
        "toolChoice",
        |agent| match &agent.tool_choice {
            Some(ToolChoice::Required) => "required".to_owned(),
            Some(ToolChoice::None) => "none".to_owned(),
            Some(ToolChoice::Named(name)) => format!("{NAMED}{name}"),
            Some(ToolChoice::Auto) | None => "auto".to_owned(),
        },
        |agent, word| {
            agent.tool_choice = match word.as_str() {
                "required" => Some(ToolChoice::Required),
                "none" => Some(ToolChoice::None),
                word => word.strip_prefix(NAMED).map(|name| ToolChoice::Named(name.to_owned())),
            };
        },
    );
    let tools = Agent::value(&id, "tools", |agent| agent.tools.clone(), |agent, tools| agent.tools = tools);
    let (chosen, flaw, tools) = (choice.signal(), choice.flaw(), tools.signal());
    let options = Signal::derive(move || {
        let words = [
            ("auto", "calls a tool when it likes"),
            ("required", "has to call a tool"),
            ("none", "calls none"),
        ];
        let names =
            tools.get().into_iter().map(|name| (format!("{NAMED}{name}"), format!("has to call {name}")));
        words.map(owned).into_iter().chain(names).collect()
    });
    // Without tools there is nothing to choose, unless something is wrong with what was chosen.
    let wanted =
        Memo::new(move |_| tools.with(|tools| !tools.is_empty()) || chosen.with(|word| word != "auto"));
    let choice = StoredValue::new(choice);
    move || {
        wanted.get().then(|| {
            view! {
                <Choice label="The agent" value=chosen options=options on_pick=move |word: String| choice.get_value().pick(word) />
                {flaw_line(flaw)}
            }
        })
    }
}

/// What the value of a choice begins with that is a tool's name.
const NAMED: &str = "tool ";

/// The models that are called when the agent's own fails.
#[component]
fn Fallbacks(id: String) -> impl IntoView {
    let editor = app().editor;
    let bound = Agent::value(
        &id,
        "fallbacks",
        |agent| agent.fallbacks.clone(),
        |agent, fallbacks| agent.fallbacks = fallbacks,
    );
    let own =
        Agent::value(&id, "model", |agent| agent.model.clone(), |agent, model| agent.model = model).signal();
    let (chosen, flaw) = (bound.signal(), bound.flaw());
    let others = Memo::new(move |_| {
        let own = own.get();
        let known = editor.document.with(|document| document.models.keys().cloned().collect::<Vec<_>>());
        let missing = chosen.get().into_iter().filter(|id| !known.contains(id)).collect::<Vec<_>>();
        known.into_iter().filter(|id| *id != own).chain(missing).collect::<Vec<_>>()
    });
    let bound = StoredValue::new(bound);
    let rows = move || {
        let row = |model: String| pick(bound.get_value(), model.clone(), model.into(), "".into()).into_any();
        others.get().into_iter().map(row).collect_view()
    };
    move || {
        others.with(|others| !others.is_empty()).then(|| {
            view! {
                <div class="field" role="group" aria-label="Fallbacks">
                    <span class="field-label">"If its model fails, ask"</span>
                    {rows}
                    {flaw_line(flaw)}
                </div>
            }
        })
    }
}

/// Changes what one answer may use; without any bound there are no limits.
fn limit(agent: &mut Agent, change: impl FnOnce(&mut AgentLimits)) {
    let mut limits = agent.limits.unwrap_or_default();
    change(&mut limits);
    agent.limits = Some(limits).filter(|limits| *limits != AgentLimits::default());
}

/// What is set, in a few words.
fn said(agent: &Agent) -> String {
    let mut words = Vec::new();
    words.extend(agent.output.as_ref().map(|_| "answers with JSON".to_owned()));
    words.extend(agent.max_turns.map(|most| format!("{most} turns")));
    words.extend(agent.limits.map(|_| "limits".to_owned()));
    words.extend((!agent.fallbacks.is_empty()).then(|| format!("then {}", agent.fallbacks.join(", "))));
    if words.is_empty() { "JSON answers, limits, fallbacks".to_owned() } else { words.join(" · ") }
}
