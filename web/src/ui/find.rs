//! Find and replace: a panel over the canvas, which shows the step of each match as it is stepped through.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use stepweave_core::document::{Document, Step, StepKind, every};
use stepweave_core::edit::find;

use crate::model::find::{
    Case, Match, Owner, Replaced, Text, Wanted, matches, replace_all, replace_one, texts,
};
use crate::page::icon::{CLOSE, DOWN, UP, icon};
use crate::page::state::{App, Dialog, app};

/// More of them are only counted.
const SHOWN: usize = 100;
/// How many characters of the text around a match are shown on each side.
const AROUND: usize = 24;

/// The panel, once somebody looks for something.
#[component]
pub fn FindPanel() -> impl IntoView {
    let app = app();
    let chunk = app.chunks.dialogs;
    Effect::new(move || {
        if app.finding.get() {
            chunk.fetch();
        }
    });
    move || {
        app.finding.get().then(|| {
            view! {
                <section class="find" aria-label="Find and replace" on:pointerdown=|event| event.stop_propagation()>
                    {chunk.show("Find and replace", |content| content(Dialog::Find))}
                </section>
            }
        })
    }
}

/// What is in the panel.
#[component]
pub fn Find() -> impl IntoView {
    let app = app();
    let wanted = RwSignal::new(Wanted::default());
    let by = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let said = RwSignal::new(None::<String>);
    let texts = Memo::new(move |_| app.editor.document.with(texts));
    let found = Memo::new(move |_| texts.with(|texts| wanted.with(|wanted| matches(texts, wanted))));
    let many = Memo::new(move |_| found.with(Vec::len));
    let own = Memo::new(move |_| at.get().min(many.get().saturating_sub(1)));
    let field = NodeRef::<html::Input>::new();
    Effect::new(move || {
        // Asked for once more, it begins from the field again.
        app.finding.track();
        if let Some(field) = field.get() {
            // The field is on the page and takes the focus.
            let _ = field.focus();
            field.select();
        }
    });
    let show = move |index: usize| {
        at.set(index);
        let one = found.with_untracked(|found| found.get(index).copied());
        one.into_iter().for_each(|one| texts.with_untracked(|texts| show_step(app, texts, one)));
    };
    let turn = move |forward: fn(usize, usize) -> usize| {
        if let Some(last) = many.get_untracked().checked_sub(1) {
            show(forward(own.get_untracked(), last));
        }
    };
    let next = move || turn(|own, last| if own == last { 0 } else { own + 1 });
    let previous = move || turn(|own, last| own.checked_sub(1).unwrap_or(last));
    let write = move |replaced: Result<Replaced, String>, many: usize| match replaced {
        Ok(Replaced { edit, followed }) => {
            app.editor.seal();
            app.editor.make(edit);
            said.set(Some(match followed {
                0 => format!("{many} replaced."),
                1 => format!("{many} replaced, and 1 use changed with it."),
                _ => format!("{many} replaced, and {followed} uses changed with it."),
            }));
        }
        Err(why) => said.set(Some(why)),
    };
    let replace_all = move || {
        let edit = app.editor.document.with_untracked(|document| {
            wanted.with_untracked(|wanted| replace_all(document, wanted, &by.get_untracked()))
        });
        write(edit, many.get_untracked());
        // The button that was pressed is for nothing then, and keeps no keyboard.
        if many.get_untracked() == 0
            && let Some(field) = field.get_untracked()
        {
            drop(field.focus());
        }
    };
    let replace_one = move || {
        let one = found.with_untracked(|found| found.get(own.get_untracked()).copied());
        if let Some(one) = one {
            let edit = app.editor.document.with_untracked(|document| {
                texts.with_untracked(|texts| replace_one(document, texts, one, &by.get_untracked()))
            });
            write(edit, 1);
            // What was replaced may hold what is searched for: the next one is behind it.
            let behind = one.start + by.with_untracked(String::len);
            let next = found.with_untracked(|found| {
                found.iter().position(|next| (next.text, next.start) >= (one.text, behind))
            });
            show(next.unwrap_or_default());
        }
    };
    let search = move |text: String| {
        said.set(None);
        wanted.update(|wanted| wanted.text = text);
        at.set(0);
        if many.get_untracked() > 0 {
            show(0);
        }
    };
    let on_find = move |event: ev::KeyboardEvent| match (event.key().as_str(), event.shift_key()) {
        ("Enter", false) => next(),
        ("Enter", true) => previous(),
        _ => {}
    };
    let on_replace = move |event: ev::KeyboardEvent| {
        if event.key() == "Enter" {
            replace_one();
        }
    };
    let close = move || {
        app.finding.set(false);
        app.editor.focus.set(app.editor.selected.get_untracked());
    };
    let on_escape = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            close();
        }
    };
    let count = move || match (wanted.with(|wanted| wanted.text.is_empty()), many.get()) {
        (true, _) => String::new(),
        // After the last one was replaced this is no news.
        (false, 0) if said.with(Option::is_some) => String::new(),
        (false, 0) => "Not found".to_owned(),
        (false, many) => format!("{} of {many}", own.get() + 1),
    };
    let none = move || many.get() == 0;
    let row = move |(index, one): (usize, Match)| {
        let (owner, field, before, own_text, after) = texts.with_untracked(|texts| {
            let text = texts.get(one.text)?;
            let owner = app.editor.document.with_untracked(|document| called(document, &text.owner));
            let (before, own, after) = around(&text.text, one);
            Some((owner, text.field.clone(), before, own, after))
        })?;
        Some(view! {
            <li>
                <button class="find-row" aria-current=move || (own.get() == index).to_string() on:click=move |_| show(index)>
                    <b>{owner}</b> <small>{field}</small>
                    <span>{before}<mark>{own_text}</mark>{after}</span>
                </button>
            </li>
        })
    };
    let shown = move || found.with(|found| found.iter().copied().take(SHOWN).enumerate().collect::<Vec<_>>());
    view! {
        <div class="find-inside" on:keydown=on_escape>
            <div class="find-line">
                <input class="input" type="text" aria-label="Find" placeholder="Find" autocomplete="off" spellcheck="false"
                    node_ref=field
                    on:input=move |event| search(event_target_value(&event))
                    on:keydown=on_find />
                <button class="icon-button" title="Match case" aria-label="Match case"
                    aria-pressed=move || (wanted.with(|wanted| wanted.case) == Case::Exact).to_string()
                    on:click=move |_| wanted.update(|wanted| wanted.case = match wanted.case {
                        Case::Any => Case::Exact,
                        Case::Exact => Case::Any,
                    })>"Aa"</button>
                <button class="icon-button" title="Previous (Shift+Enter)" aria-label="Previous match" disabled=none on:click=move |_| previous()>{icon(UP)}</button>
                <button class="icon-button" title="Next (Enter)" aria-label="Next match" disabled=none on:click=move |_| next()>{icon(DOWN)}</button>
                <button class="icon-button" title="Close (Esc)" aria-label="Close find and replace" on:click=move |_| close()>{icon(CLOSE)}</button>
            </div>
            <div class="find-line">
                <input class="input" type="text" aria-label="Replace with" placeholder="Replace with" autocomplete="off" spellcheck="false"
                    prop:value=by on:input=move |event| by.set(event_target_value(&event)) on:keydown=on_replace />
                <button class="button" disabled=none on:click=move |_| replace_one()>"Replace"</button>
                <button class="button" disabled=none on:click=move |_| replace_all()>"All"</button>
            </div>
            <p class="find-count" role="status">{move || said.get()} " " {count}</p>
            <ul class="find-rows" aria-label="Matches">{move || shown().into_iter().map(row).collect_view()}</ul>
            {move || many.get().checked_sub(SHOWN).filter(|more| *more > 0).map(|more| view! { <p class="field-hint">"and " {more} " more"</p> })}
        </div>
    }
}

/// Selects the step of a match and brings it into view. The field keeps the focus.
fn show_step(app: App, texts: &[Text], one: Match) {
    let Some(text) = texts.get(one.text) else { return };
    let step = app.editor.document.with_untracked(|document| step_of(document, &text.owner));
    let rect = step
        .as_ref()
        .and_then(|id| app.editor.layout.with_untracked(|layout| layout.card(id).map(|card| card.rect)));
    app.editor.select(step.filter(|_| rect.is_some()));
    if let Owner::Tool(name) = &text.owner {
        app.opened_tool.set(Some(name.clone()));
    }
    rect.into_iter().for_each(|rect| app.camera.reveal(rect));
}

/// The step that shows a text: its own, or the first one that asks the agent.
fn step_of(document: &Document, owner: &Owner) -> Option<String> {
    match owner {
        Owner::Step(id) => Some(id.clone()),
        Owner::Agent(agent) => {
            let asks = |step: &&Step| matches!(&step.kind, StepKind::Agent(call) if call.agent == *agent);
            every(&document.steps).find(asks).map(|step| step.id.clone())
        }
        Owner::Tool(_) | Owner::Workflow => None,
    }
}

fn called(document: &Document, owner: &Owner) -> String {
    match owner {
        Owner::Workflow => "Workflow".to_owned(),
        Owner::Step(id) => find(document, id).map(|step| step.name.clone()).unwrap_or_default(),
        Owner::Agent(name) => format!("Agent {name}"),
        Owner::Tool(name) => format!("Tool {name}"),
    }
}

/// A match with a little of the text around it, in one line.
fn around(text: &str, one: Match) -> (String, String, String) {
    let part = |range| text.get(range).unwrap_or_default();
    let line = |text: &str| text.replace(['\n', '\r', '\t'], " ");
    let before: Vec<char> = part(0..one.start).chars().rev().take(AROUND).collect();
    let after: String = part(one.end..text.len()).chars().take(AROUND).collect();
    (line(&before.into_iter().rev().collect::<String>()), line(part(one.start..one.end)), line(&after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_shown_in_one_line_with_what_is_around_it() {
        let text = format!("{}é\nbees\n{}", "x".repeat(40), "y".repeat(40));
        let start = text.find("bees").unwrap();
        let (before, own, after) = around(&text, Match { text: 0, start, end: start + 4 });
        assert_eq!(before, format!("{}é ", "x".repeat(AROUND - 2)));
        assert_eq!((own.as_str(), after), ("bees", format!(" {}", "y".repeat(AROUND - 1))));
    }
}
