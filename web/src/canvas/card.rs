//! The card of a step: a readable, focusable element.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos::tachys::html::InertElement;
use wasm_bindgen::JsCast;

use super::paper::PaperOf;
use super::pointer;
use crate::geometry::{px, translate};
use crate::layout::CardBox;
use crate::layout::note::NoteOf;
use crate::page::copying::duplicate;
use crate::page::focus::focus_in_place;
use crate::page::icon::{COPY, FIT, MINUS, NOTE, PIN, TRASH, WARNING, drawn, icon, of_kind, of_status};
use crate::page::removal::remove;
use crate::page::state::{App, app};
use crate::page::tally::tally_of;
use crate::run::executions::Tally;
use crate::run::glance::Glance;
use crate::run::status::Status;
use crate::step::face::{Face, Says, counted};
use crate::step::kinds::Kind;
use crate::step::plain::plain;
use crate::step::span::Took;
use crate::tools::Target;

/// The card of the step with this id.
#[component]
pub fn Card(
    /// The step's id.
    id: String,
) -> impl IntoView {
    let app = app();
    let editor = app.editor;
    let id = StoredValue::new(id);
    let node = NodeRef::<html::Div>::new();
    // The card is looked for once in each layout.
    let laid = Memo::new(move |_| {
        let laid = |card: &CardBox| (card.kind, card.rect, card.folded, card.paper);
        editor.layout.with(|layout| id.with_value(|id| layout.card(id).map(laid)))
    });
    let rect = move || laid.get().map(|(_, rect, ..)| rect);
    let kind = Memo::new(move |_| laid.get().map_or(Kind::Sequence, |(kind, ..)| kind));
    let folded = Memo::new(move |_| laid.get()?.2);
    let paper = Memo::new(move |_| laid.get()?.3);
    let face = Memo::new(move |_| id.with_value(|id| editor.step_in(id, Face::of)).unwrap_or_default());
    let says = Memo::new(move |_| face.with(|face| face.says.clone()));
    let sign = move || face.with(|face| face.note.clone()).filter(|_| paper.with(Option::is_none));
    let all = Memo::new(move |_| {
        id.with_value(|id| {
            app.runner.step(id, |all| (all.status(), all.tally(), all.latest().map(Glance::from)))
        })
    });
    let run = Memo::new(move |_| all.with(|all| all.as_ref()?.2.clone()));
    let status = Memo::new(move |_| all.with(|all| all.as_ref().map_or(Status::Idle, |all| all.0)));
    let tally = Memo::new(move |_| all.with(|all| all.as_ref().map(|all| all.1)));
    let many = move || tally.get().filter(|tally| tally.all > 1);
    let selected =
        Memo::new(move |_| id.with_value(|id| editor.selection.with(|selection| selection.contains(id))));
    let moving = Memo::new(move |_| {
        let held = app.tool.with(|tool| tool.moving().map(str::to_owned));
        held.is_some_and(|held| id.with_value(|id| *id == held || app.moved_with(&held).contains(id)))
    });
    let problem = Memo::new(move |_| id.with_value(|id| app.problem_of(id)));
    let is_under_pointer = RwSignal::new(false);
    // Nothing that they do is possible while another tab edits.
    let has_tools = Memo::new(move |_| (is_under_pointer.get() || selected.get()) && !editor.following.get());

    Effect::new(move |ran: Option<()>| {
        let wanted = id.with_value(|id| editor.focus.with(|focus| focus.as_ref() == Some(id)));
        if let (true, Some(node)) = (wanted, node.get()) {
            // A focus has the browser lay out the page as it is at that moment: where the card has been there, that is before
            // anything else changes, and otherwise once all of it has. Whoever has the focus already is given it for nothing.
            if ran.is_some() {
                focus_in_place(&node);
            }
            queue_microtask(move || focus_in_place(&node));
        }
    });

    let press = move |event: ev::PointerEvent| {
        event.stop_propagation();
        pointer::press(app, &event, Target::Card(id.get_value()));
        if let Some(node) = node.get_untracked() {
            focus_in_place(&node);
        }
    };
    let focused = move |_: ev::FocusEvent| {
        let is_pressed = !pointer::is_idle(app);
        id.with_value(|id| {
            // A press decides for itself what it selects.
            if !is_pressed && editor.selected.with_untracked(|one| one.as_ref() != Some(id)) {
                editor.select(Some(id.clone()));
            }
        });
        // A card that the keyboard came to must be seen; one that was pressed is.
        if !is_pressed && let Some(rect) = untrack(rect) {
            app.camera.reveal(rect);
        }
    };
    let label = move || {
        let name = face.with(|face| face.name.clone());
        let pinned = if face.with(|face| face.pinned) { ", has a pinned output" } else { "" };
        let folded =
            folded.get().map_or(String::new(), |many| format!(", collapsed, {}", counted(many, "step")));
        let note =
            face.with(|face| face.note.as_ref().map_or(String::new(), |note| format!(", note: {note}")));
        match status.get() {
            Status::Idle => format!("{name}, {}{pinned}{folded}{note}", kind.get().label()),
            status => format!("{name}, {}, {}{pinned}{folded}{note}", kind.get().label(), status.said()),
        }
    };

    view! {
        <div
            class="card"
            class:selected=selected
            class:moving=moving
            class:lit=move || app.lit.with(|lit| id.with_value(|id| lit.contains(id)))
            class:folded=move || folded.get().is_some()
            class:off=move || face.with(|face| face.off)
            class:flawed=move || problem.with(Option::is_some)
            class:warned=move || problem.with(|problem| problem.as_ref().is_some_and(|problem| !problem.is_error()))
            data-step=id.get_value()
            data-kind=move || kind.get().word()
            data-status=move || status.get().word()
            tabindex="0"
            role="group"
            aria-roledescription="step"
            aria-label=label
            aria-current=move || if selected.get() { "true" } else { "false" }
            style:transform=move || {
                rect().map(|rect| translate(rect.x, rect.y)).unwrap_or_default()
            }
            style:height=move || px(rect().map_or(0.0, |rect| rect.height))
            node_ref=node
            on:pointerdown=press
            on:focus=focused
            on:pointerenter=move |_| is_under_pointer.set(true)
            on:pointerleave=move |_| is_under_pointer.set(false)
        >
            <div class="card-head">
                <span class="kind-icon">{move || icon(of_kind(kind.get()))}</span>
                <span class="card-name">{move || face.with(|face| face.name.clone())}</span>
                {move || folded.get().map(|many| view! { <span class="badge">{counted(many, "step")}</span> })}
                {move || face.with(|face| face.off).then(|| view! { <span class="badge">"off"</span> })}
                {move || face.with(|face| face.pinned).then(|| view! { <span class="card-pin" title=PINNED>{icon(PIN)}</span> })}
                {move || sign().map(|text| view! { <span class="card-pin card-note" title=text>{icon(NOTE)}</span> })}
                {move || problem.get().map(|problem| view! { <span class="card-flaw" title=problem.message>{icon(WARNING)}</span> })}
                {move || state_of(status.get(), run, many().filter(|_| kind.get().is_low()))}
            </div>
            <div class="card-body">{move || body(app, kind.get(), says.get(), run, many().filter(|_| !kind.get().is_low()))}</div>
            // Not before somebody can see them: there are three for each card, and each would have listeners of its own.
            {move || has_tools.get().then(|| view! {
                <div
                    class="card-tools"
                    style:transform=move || format!("scale({:.3})", app.camera.kept_size.get())
                    on:pointerdown=|event| event.stop_propagation()
                    on:click=move |event| {
                        id.with_value(|id| match CardTool::pressed(&event) {
                            Some(CardTool::Fold) => editor.toggle_fold(std::slice::from_ref(id)),
                            Some(CardTool::Duplicate) => duplicate(app, vec![id.clone()]),
                            Some(CardTool::Delete) => remove(app, std::slice::from_ref(id)),
                            None => {}
                        });
                    }
                >
                    {move || kind.get().is_container().then(|| {
                        let (label, shape) = if folded.get().is_some() { ("Expand", FIT) } else { ("Collapse", MINUS) };
                        CardTool::Fold.button(label, shape)
                    })}
                    {CardTool::Duplicate.button("Duplicate", COPY)}
                    {CardTool::Delete.button("Delete", TRASH)}
                </div>
            })}
            <PaperOf of=NoteOf::Step(id.get_value()) paper=paper />
        </div>
    }
}

/// What the buttons above a card do.
#[derive(Clone, Copy)]
enum CardTool {
    Fold,
    Duplicate,
    Delete,
}

impl CardTool {
    const ALL: [Self; 3] = [Self::Fold, Self::Duplicate, Self::Delete];

    /// The word that its button carries.
    fn word(self) -> &'static str {
        match self {
            Self::Fold => "fold",
            Self::Duplicate => "duplicate",
            Self::Delete => "delete",
        }
    }

    /// Its button. It is reached with the keyboard's own shortcuts, so it is not one more stop for Tab.
    fn button(self, label: &str, shape: &str) -> InertElement {
        InertElement::new(format!(
            r#"<button class="card-tool" tabindex="-1" data-tool="{}" title="{label}" aria-label="{label}">{}</button>"#,
            self.word(),
            drawn(shape),
        ))
    }

    /// The one whose button an event is about.
    fn pressed(event: &web_sys::Event) -> Option<Self> {
        let target = event.target()?.dyn_into::<web_sys::Element>().ok()?;
        // The selector is a valid one.
        let word = target.closest(".card-tool").ok()??.get_attribute("data-tool")?;
        Self::ALL.into_iter().find(|tool| tool.word() == word)
    }
}

fn state_of(status: Status, run: Memo<Option<Glance>>, many: Option<Tally>) -> Option<AnyView> {
    if status == Status::Idle {
        return None;
    }
    let took = move || {
        let ended = matches!(status, Status::Done | Status::Error);
        run.with(|run| run.as_ref().and_then(|run| run.took)).filter(|_| ended)
    };
    let again = move || {
        run.with(|run| run.as_ref().is_some_and(|run| run.status == Status::Running && run.attempt > 1))
            .then(|| view! { <span class="badge">"attempt " {run.with(|run| run.as_ref().map_or(1, |run| run.attempt))}</span> })
    };
    let shape = of_status(status);
    if let Some(tally) = many {
        return Some(
            view! {
                <span class="tally">{tally_of(tally)}</span>
                <span class="state" data-status=status.word() title=status.said()>{icon(shape)}</span>
            }
            .into_any(),
        );
    }
    Some(
        view! {
            {again}
            <span class="card-time" title=move || took().map(Took::full)>{move || took().map(Took::short)}</span>
            <span class="state" data-status=status.word() title=status.said()>{icon(shape)}</span>
        }
        .into_any(),
    )
}

fn body(app: App, kind: Kind, says: Says, run: Memo<Option<Glance>>, many: Option<Tally>) -> AnyView {
    let shown = run.with(|run| {
        let run = run.as_ref()?;
        Some((run.text.clone()?, run.status == Status::Running && !run.failed, run.failed))
    });
    let Says { lead, summary, code, detail } = says;
    if run.with(|run| run.as_ref().is_some_and(|run| run.status == Status::Suspended))
        && matches!(kind, Kind::Approval | Kind::Agent)
    {
        return view! {
            <div class="card-summary">{summary}</div>
            <div class="card-detail waiting">"Waits for your answer"</div>
        }
        .into_any();
    }
    if let Some((text, streaming, failed)) = shown.filter(|(_, _, failed)| !kind.is_container() || *failed) {
        let badge = run.with(origin_of);
        let tries_at = run.with(|run| run.as_ref()?.tries_at);
        let text = if failed || tries_at.is_some() { plain(text, Some(kind)) } else { text };
        // What tells the time comes with the views, as all does that is read of a run.
        let tries = tries_at.and_then(|at| Some((app.chunks.views.get()?.retrying)(at)));
        // How many there are says more than what they are, which the first one has shown.
        let line = match many {
            Some(tally) => Some(view! { <div class="tally">{tally_of(tally)} {badge}</div> }.into_any()),
            None if kind == Kind::Agent => Some(
                view! { <div class="card-summary with-badge"><span>{summary}</span>{run.with(calls_of)}{badge}</div> }.into_any(),
            ),
            None => None,
        };
        // What an End says begins on its card as it does before a run.
        let lead =
            (kind == Kind::End && !lead.is_empty()).then(|| view! { <span class="card-lead">{lead}</span> });
        return view! {
            {line}
            <div class="card-output" class:streaming=streaming class:failed=failed><span>{lead}{tries}{text}</span></div>
        }
        .into_any();
    }
    let detail = match many {
        Some(tally) => Some(view! { <div class="tally">{tally_of(tally)}</div> }.into_any()),
        None if detail.is_empty() => None,
        None => Some(view! { <div class="card-detail">{detail}</div> }.into_any()),
    };
    let decision =
        run.with(|run| run.as_ref().and_then(|run| run.decision)).filter(|_| kind == Kind::Condition);
    if let Some(yes) = decision {
        return view! {
            <div class="card-summary with-badge code"><span>{summary}</span><span class="badge decided">{word_of(yes)}</span></div>
            {many.map(|tally| view! { <div class="tally">{tally_of(tally)}</div> })}
        }
        .into_any();
    }
    let lead = (!lead.is_empty()).then(|| view! { <span class="card-lead">{lead}</span> });
    let lines = if detail.is_some() { "one" } else { "two" };
    view! { <div class="card-summary" class:code=code data-lines=lines>{lead}{summary}</div>{detail} }
        .into_any()
}

/// Where what a step gave comes from, unless it comes from where the workflow says.
fn origin_of(run: &Option<Glance>) -> Option<AnyView> {
    let run = run.as_ref()?;
    if run.pinned {
        let title = "The step was not run: this is its pinned output";
        return Some(view! { <span class="badge pinned" title=title>"pinned"</span> }.into_any());
    }
    run.simulated.then(|| {
        view! { <span class="badge simulated" title="Made up by the demo model">"simulated"</span> }
            .into_any()
    })
}

/// How often an agent has called tools, and which.
fn calls_of(run: &Option<Glance>) -> Option<impl IntoView + use<>> {
    let run = run.as_ref().filter(|run| run.calls > 0)?;
    let more = if run.calls > run.called.len() { ", …" } else { "" };
    let names = run.called.join(", ") + more;
    let many = counted(run.calls, "call");
    let badge = match run.failed() {
        Some((_, why)) => {
            let failed =
                if run.calls == 1 { "failed".to_owned() } else { format!("{} failed", run.failed_calls) };
            let title = format!("Called {names}. {}", plain(why, Some(Kind::Http)));
            view! { <span class="badge warned" title=title>{many} ", " {failed}</span> }.into_any()
        }
        None => view! { <span class="badge" title=format!("Called {names}")>{many}</span> }.into_any(),
    };
    Some(badge)
}

/// What the mark of a pinned step says.
const PINNED: &str = "Its output is pinned; a run that uses pinned outputs does not run it";

fn word_of(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}
