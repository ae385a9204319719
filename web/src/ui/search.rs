//! The search over everything that can be done or gone to: commands, steps, kinds of steps to add, stored workflows,
//! templates.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;

use super::commands::{COMMANDS, Command, Group};
use super::library::called;
use super::opening;
use super::templates::{self, Template, open_template};
use crate::bridge::Entry;
use crate::canvas::pointer::add;
use crate::model::fuzzy::fit;
use crate::model::outline::{Item, rows};
use crate::page::icon::{LIBRARY, TEMPLATE, icon, of_kind};
use crate::page::state::{App, app};
use crate::step::kinds::{KIND_GROUPS, Kind};

/// More of them nobody reads: another letter leaves fewer.
const SHOWN: usize = 40;

/// Something that was found.
#[derive(Clone)]
struct Hit {
    what: What,
    name: String,
    about: String,
    shape: &'static str,
    keys: Option<&'static str>,
}

#[derive(Clone)]
enum What {
    Command(&'static Command),
    Add(Kind),
    Step(String),
    /// The stored workflow of this id.
    Workflow(String),
    Template(Template),
}

/// The search.
#[component]
pub fn Search() -> impl IntoView {
    let app = app();
    let all = RwSignal::new(hits(app, Vec::new()));
    let library = app.bridge.with_value(|bridge| bridge.store().library());
    spawn_local(async move {
        let stored = library.list().await;
        // The search may have been closed meanwhile.
        let _ = all.try_set(hits(app, stored));
    });
    let wanted = RwSignal::new(String::new());
    let found =
        Memo::new_with_compare(move |_| all.with(|all| wanted.with(|wanted| best(all, wanted))), |_, _| true);
    let at = RwSignal::new(0_usize);
    let choose = move |index: usize| {
        let hit = found.with_untracked(|found| found.get(index).copied());
        let hit = hit.and_then(|index| all.with_untracked(|all| all.get(index).cloned()));
        if let Some(hit) = hit {
            take(app, hit.what);
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let last = found.with_untracked(Vec::len).saturating_sub(1);
        let own = at.get_untracked();
        let to = match event.key().as_str() {
            "ArrowDown" if own == last => 0,
            "ArrowDown" => own + 1,
            "ArrowUp" => own.checked_sub(1).unwrap_or(last),
            "PageDown" => (own + 8).min(last),
            "PageUp" => own.saturating_sub(8),
            "Enter" => {
                event.prevent_default();
                return choose(own);
            }
            _ => return,
        };
        event.prevent_default();
        at.set(to);
        reveal(to);
    };
    let row = move |(position, index): (usize, usize)| {
        let hit = all.with_untracked(|all| all.get(index).cloned())?;
        let about = (!hit.about.is_empty()).then(|| view! { <small>{hit.about}</small> });
        Some(view! {
            <li
                id=format!("hit-{position}")
                class="hit"
                role="option"
                aria-selected=move || (at.get() == position).to_string()
                on:mousedown=|event| event.prevent_default()
                on:click=move |_| choose(position)
            >
                <span class="hit-icon">{icon(hit.shape)}</span>
                <span class="hit-name">{hit.name} {about}</span>
                {hit.keys.map(|keys| view! { <span class="menu-keys">{keys}</span> })}
            </li>
        })
    };
    let many = move || found.with(Vec::len);
    view! {
        <div class="modal-body search">
            <input
                class="input"
                type="text"
                role="combobox"
                aria-label="Search commands, steps, workflows and templates"
                aria-expanded="true"
                aria-controls="hits"
                aria-autocomplete="list"
                aria-activedescendant=move || (many() > 0).then(|| format!("hit-{}", at.get()))
                placeholder="A command, a step, a kind of step to add, or a workflow"
                autocomplete="off"
                spellcheck="false"
                autofocus
                prop:value=wanted
                on:input=move |event| {
                    at.set(0);
                    wanted.set(event_target_value(&event));
                }
                on:keydown=on_key
            />
            <ul id="hits" class="hits" role="listbox" aria-label="Found">
                {move || found.get().into_iter().enumerate().map(row).collect_view()}
            </ul>
            <p class="library-empty" role="status">{move || if many() == 0 { "Nothing is called this." } else { "" }}</p>
        </div>
    }
}

/// Everything that there is to find now, with what is stored.
fn hits(app: App, stored: Vec<Entry>) -> Vec<Hit> {
    let usable = |command: &&Command| command.group != Group::Go || !command.shape.is_empty();
    let commands = COMMANDS.iter().filter(usable).filter(|command| (command.when)(app)).map(|command| Hit {
        what: What::Command(command),
        name: command.name.to_owned(),
        about: command.about.to_owned(),
        shape: command.shape,
        keys: command.keys.first().copied(),
    });
    let kinds = KIND_GROUPS.iter().flat_map(|group| group.kinds).map(|kind| Hit {
        what: What::Add(*kind),
        name: format!("Add {}", kind.label()),
        about: kind.description().to_owned(),
        shape: of_kind(*kind),
        keys: None,
    });
    let templates = templates::all().map(|template| Hit {
        what: What::Template(template),
        name: format!("Template: {}", template.name),
        about: template.about.to_owned(),
        shape: TEMPLATE,
        keys: None,
    });
    let mut all: Vec<Hit> = if app.picking.with_untracked(Option::is_some) {
        kinds.chain(commands).collect()
    } else {
        commands.chain(kinds).collect()
    };
    let steps = app.editor.document.with_untracked(rows).into_values().filter_map(|row| match row.item {
        Item::Step { id, name, kind, .. } => Some(Hit {
            what: What::Step(id),
            name,
            about: format!("Go to this {}", kind.label().to_lowercase()),
            shape: of_kind(kind),
            keys: None,
        }),
        Item::Empty(_) => None,
    });
    all.extend(steps);
    all.extend(app.workflow.with_untracked(|open| workflows(stored, open)));
    all.extend(templates);
    all
}

/// The stored workflows, besides the one that is open.
fn workflows(stored: Vec<Entry>, open: &str) -> Vec<Hit> {
    let others = stored.into_iter().filter(|entry| entry.id != open && entry.deleted_at.is_none());
    let hit = |entry: Entry| Hit {
        name: format!("Open {}", called(&entry)),
        what: What::Workflow(entry.id),
        about: "A workflow that is stored in this browser".to_owned(),
        shape: LIBRARY,
        keys: None,
    };
    others.map(hit).collect()
}

/// The positions of what fits best. What is found by its name comes before what is found by what is said about it.
fn best(all: &[Hit], wanted: &str) -> Vec<usize> {
    let score = |hit: &Hit| {
        let named = fit(wanted, &hit.name).map(|score| 2 * score + 1);
        named.or_else(|| fit(wanted, &format!("{} {}", hit.name, hit.about)))
    };
    let mut found: Vec<_> =
        all.iter().enumerate().filter_map(|(index, hit)| Some((score(hit)?, index))).collect();
    found.sort_by_key(|(score, index)| (std::cmp::Reverse(*score), *index));
    found.into_iter().take(SHOWN).map(|(_, index)| index).collect()
}

fn take(app: App, what: What) {
    app.dialog.set(None);
    if !matches!(what, What::Add(_)) {
        app.picking.set(None);
    }
    match what {
        What::Command(command) => {
            app.editor.focus.set(app.editor.selected.get_untracked());
            // The card takes the focus once everything else has changed. What a command opens or goes to has it after that.
            request_animation_frame(move || (command.act)(app));
        }
        What::Add(kind) => add(app, kind),
        What::Step(id) => app.editor.choose(Some(id)),
        What::Workflow(id) => opening::enter(app, id),
        What::Template(template) => open_template(app, template),
    }
}

fn reveal(position: usize) {
    let row = document().get_element_by_id(&format!("hit-{position}"));
    if let Some(row) = row.and_then(|row| row.dyn_into::<web_sys::HtmlElement>().ok()) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        row.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(name: &str, about: &str) -> Hit {
        Hit { what: What::Step(name.into()), name: name.into(), about: about.into(), shape: "", keys: None }
    }

    #[test]
    fn names_come_before_what_is_said_about_something() {
        let all = [hit("Unwrap", "Dissolve the container"), hit("dissolve_sugar", ""), hit("Undo", "")];
        assert_eq!(best(&all, "dissolve"), [1, 0]);
        assert_eq!(best(&all, ""), [0, 1, 2]);
        assert_eq!(best(&all, "nothing like it"), [0; 0]);
        let many: Vec<Hit> = (0..100).map(|number| hit(&format!("step_{number}"), "")).collect();
        assert_eq!(best(&many, "step").len(), SHOWN);
    }

    #[test]
    fn workflows_are_found_by_their_names_besides_the_open_and_the_deleted_ones() {
        let entry = |id: &str, name: &str, deleted_at: Option<f64>| Entry {
            id: id.into(),
            name: name.into(),
            changed_at: 0.0,
            deleted_at,
            picture: None,
        };
        let stored = vec![
            entry("1", "Router", None),
            entry("2", "Bees", None),
            entry("3", "Gone", Some(1.0)),
            entry("4", " ", None),
        ];
        let found = workflows(stored, "2");
        let names: Vec<&str> = found.iter().map(|hit| hit.name.as_str()).collect();
        assert_eq!(names, ["Open Router", "Open Untitled"]);
        let mut all = found;
        all.push(hit("Template: Router", ""));
        assert_eq!(best(&all, "router"), [0, 2]);
    }
}
