//! Every command: what menus, the list of keys, the search and the keyboard know of it.

use leptos::prelude::*;
use stepweave_core::document::Document;
use stepweave_core::edit::find;

use super::acts;
use super::{Command, Group, In, Reach};
use crate::layout::note::NoteOf;
use crate::model::place::Direction;
use crate::model::wrap::can_unwrap;
use crate::page::copying::duplicate;
use crate::page::icon::{
    AGAIN, BRACES, CHAT, CLOSE, COPY, DONE_SHAPE, DOWN, DOWNLOAD, EXPORT, FILE, FIT, IMPORT, KEYS, LIBRARY,
    LIST, MINUS, NOTE, PENCIL, PLAY, PLUG, PLUS, REDO, SEARCH, SLIDERS, STOP, TRASH, UNDO, UP, of_kind,
};
use crate::page::noting;
use crate::page::removal::remove;
use crate::page::state::{App, Dialog, Panel};
use crate::run::status::Status;
use crate::step::kinds::Kind;
use crate::ui::chat;
use crate::ui::journal;
use crate::ui::menu;
use crate::ui::opening;

/// What a command is that says nothing more.
const ANY: Command = Command {
    name: "",
    about: "",
    keys: &[],
    group: Group::Workflow,
    reach: Reach::Page,
    menu: In::None,
    shape: "",
    when: |_| true,
    act: |_| (),
};

const STEP: Command =
    Command { group: Group::Step, reach: Reach::Step, menu: In::Step, when: is_selected, ..ANY };
const WRAP: Command = Command { group: Group::Wrap, ..STEP };
const VIEW: Command = Command { group: Group::View, reach: Reach::Step, menu: In::Canvas, ..ANY };
const LOOK: Command = Command { group: Group::Settings, shape: SLIDERS, ..ANY };
const GO: Command = Command { group: Group::Go, ..ANY };

/// All commands; of several with the same keys the first one that can be done now is meant.
pub const COMMANDS: &[Command] = &[
    // A step.
    Command { name: "Edit", keys: &["Enter"], shape: PENCIL, act: acts::edit, ..STEP },
    Command {
        name: "Add a step",
        about: "After the selected one, or inside when it is empty",
        keys: &["A"],
        shape: PLUS,
        menu: In::Both,
        when: |_| true,
        act: acts::add,
        ..STEP
    },
    Command {
        name: "Keep only some items of a list",
        about: "A step that filters a list by a condition, select, where, remove",
        shape: PLUS,
        menu: In::None,
        when: |_| true,
        act: acts::keep,
        ..STEP
    },
    Command {
        name: "Read its output",
        about: "What it gave in the last run",
        keys: &["O"],
        shape: FILE,
        act: acts::read_output,
        ..STEP
    },
    Command {
        name: "Switch off",
        about: "Left out of runs, disable, deactivate",
        keys: &["D"],
        shape: CLOSE,
        when: |app| is_selected(app) && is_any_on(app),
        act: |app| app.editor.enable(&app.editor.chosen(), false),
        ..STEP
    },
    Command {
        name: "Switch on",
        about: "Taken into runs again, enable, activate",
        keys: &["D"],
        shape: CLOSE,
        when: |app| is_selected(app) && !is_any_on(app),
        act: |app| app.editor.enable(&app.editor.chosen(), true),
        ..STEP
    },
    Command {
        name: "Move up",
        keys: &["Alt ↑", "Alt ←"],
        shape: UP,
        reach: Reach::Page,
        act: |app| acts::nudge(app, Direction::Up),
        ..STEP
    },
    Command {
        name: "Move down",
        keys: &["Alt ↓", "Alt →"],
        shape: DOWN,
        reach: Reach::Page,
        act: |app| acts::nudge(app, Direction::Down),
        ..STEP
    },
    Command {
        name: "Duplicate",
        keys: &["Ctrl D"],
        shape: COPY,
        reach: Reach::Page,
        act: |app| duplicate(app, app.editor.chosen()),
        ..STEP
    },
    Command {
        name: "Add a note",
        about: "What the people who read the workflow should know of the step",
        keys: &["N"],
        shape: NOTE,
        when: |app| is_selected(app) && !is_noted(app),
        act: acts::note,
        ..STEP
    },
    Command {
        name: "Edit its note",
        about: "What the people who read the workflow should know of the step",
        keys: &["N"],
        shape: NOTE,
        when: |app| is_selected(app) && is_noted(app),
        act: acts::note,
        ..STEP
    },
    Command {
        name: "Copy",
        keys: &["Ctrl C"],
        reach: Reach::Listed,
        act: |app| acts::clipboard(app, "copy"),
        ..STEP
    },
    Command {
        name: "Cut",
        keys: &["Ctrl X"],
        reach: Reach::Listed,
        act: |app| acts::clipboard(app, "cut"),
        ..STEP
    },
    Command {
        name: "Paste",
        about: "Steps, also from another workflow; a curl command becomes a step",
        keys: &["Ctrl V"],
        reach: Reach::Listed,
        menu: In::Both,
        when: |_| true,
        act: |app| acts::clipboard(app, "paste"),
        ..STEP
    },
    Command {
        name: "Delete",
        keys: &["Del"],
        shape: TRASH,
        act: |app| remove(app, &app.editor.chosen()),
        ..STEP
    },
    // Containers.
    Command {
        name: "Wrap in…",
        about: "Offers the containers",
        keys: &["W"],
        menu: In::None,
        act: |app| menu::open_wraps(app),
        ..WRAP
    },
    Command {
        name: "Wrap in a condition",
        shape: of_kind(Kind::Condition),
        act: |app| acts::wrap(app, Kind::Condition),
        ..WRAP
    },
    Command {
        name: "Wrap in a parallel",
        shape: of_kind(Kind::Parallel),
        act: |app| acts::wrap(app, Kind::Parallel),
        ..WRAP
    },
    Command {
        name: "Wrap in a sequence",
        about: "Group, lane",
        shape: of_kind(Kind::Sequence),
        act: |app| acts::wrap(app, Kind::Sequence),
        ..WRAP
    },
    Command {
        name: "Wrap in a for each",
        about: "Repeat for every item of a list",
        shape: of_kind(Kind::Foreach),
        act: |app| acts::wrap(app, Kind::Foreach),
        ..WRAP
    },
    Command {
        name: "Wrap in a loop",
        about: "Repeat",
        shape: of_kind(Kind::Loop),
        act: |app| acts::wrap(app, Kind::Loop),
        ..WRAP
    },
    Command {
        name: "Unwrap",
        about: "Dissolve the container: its steps take its place",
        keys: &["U"],
        shape: EXPORT,
        when: |app| {
            let chosen = app.editor.chosen();
            app.editor
                .document
                .with_untracked(|document: &Document| chosen.iter().any(|id| can_unwrap(document, id)))
        },
        act: |app| app.editor.unwrap(&app.editor.chosen()),
        ..WRAP
    },
    Command {
        name: "Collapse",
        about: "Shows the container as one card, fold",
        keys: &["C"],
        shape: MINUS,
        when: |app| can_fold(app) && !is_folded(app),
        act: |app| app.editor.toggle_fold(&app.editor.chosen()),
        ..STEP
    },
    Command {
        name: "Expand",
        about: "Shows what is in the container, unfold",
        keys: &["C"],
        shape: FIT,
        when: |app| can_fold(app) && is_folded(app),
        act: |app| app.editor.toggle_fold(&app.editor.chosen()),
        ..STEP
    },
    // From step to step.
    Command { name: "The step before", keys: &["↑", "←"], act: |app| acts::go(app, Direction::Up), ..GO },
    Command {
        name: "The step after", keys: &["↓", "→"], act: |app| acts::go(app, Direction::Down), ..GO
    },
    Command {
        name: "Select the step before too",
        about: "Also Shift or Ctrl with a click, or Shift and drag a box",
        keys: &["Shift ↑", "Shift ←"],
        act: |app| acts::extend(app, Direction::Up),
        ..GO
    },
    Command {
        name: "Select the step after too",
        keys: &["Shift ↓", "Shift →"],
        act: |app| acts::extend(app, Direction::Down),
        ..GO
    },
    Command { name: "Select all", keys: &["Ctrl A"], menu: In::Canvas, act: acts::select_all, ..GO },
    Command {
        name: "Back",
        about: "From a field to its step, from a step to the workflow",
        keys: &["Esc"],
        reach: Reach::Anywhere,
        // An open menu is closed by the browser, which a handled key would keep from it.
        when: |_| document().query_selector(":popover-open").ok().flatten().is_none(),
        act: acts::escape,
        ..GO
    },
    Command {
        name: "In the outline: the step around, the first one inside",
        keys: &["←", "→"],
        reach: Reach::Listed,
        ..GO
    },
    Command {
        name: "Menu of what can be done",
        about: "Also a click with the right button, or a long touch",
        keys: &["Shift F10", "Menu"],
        act: menu::open_at_focus,
        ..GO
    },
    // The view.
    Command {
        name: "Show everything",
        about: "Zoom to fit",
        keys: &["1"],
        shape: FIT,
        act: acts::show_all,
        ..VIEW
    },
    Command {
        name: "Show the selected steps",
        about: "Zoom to selection",
        keys: &["2"],
        menu: In::Step,
        shape: FIT,
        when: is_selected,
        act: acts::show_selected,
        ..VIEW
    },
    Command {
        name: "Life size",
        about: "Zoom to 100 %",
        keys: &["0"],
        act: |app| app.camera.zoom_to_one(),
        ..VIEW
    },
    Command {
        name: "Zoom in",
        keys: &["+"],
        shape: PLUS,
        menu: In::None,
        act: |app| app.camera.zoom_middle(1.25),
        ..VIEW
    },
    Command {
        name: "Zoom out",
        keys: &["−"],
        shape: MINUS,
        menu: In::None,
        act: |app| app.camera.zoom_middle(0.8),
        ..VIEW
    },
    Command {
        name: "Outline",
        about: "Show it, or leave it",
        keys: &["L"],
        shape: LIST,
        reach: Reach::Page,
        act: acts::toggle_outline,
        ..VIEW
    },
    Command {
        name: "JSON",
        about: "The whole workflow as text, to edit it, or the canvas again; source, code",
        keys: &["J"],
        shape: BRACES,
        reach: Reach::Page,
        act: acts::toggle_json,
        ..VIEW
    },
    Command {
        name: "Minimap",
        about: "Show it where there is more than fits, or hide it",
        keys: &["M"],
        shape: FIT,
        act: |app| app.mapped.update(|shown| *shown = !*shown),
        ..VIEW
    },
    Command {
        name: "Show notes",
        about: "On papers beside what they belong to",
        keys: &["Shift N"],
        shape: NOTE,
        when: |app| !app.editor.papers.with_untracked(|papers| papers.shown),
        act: noting::turn,
        ..VIEW
    },
    Command {
        name: "Fold notes",
        about: "Hide their papers: a sign on the card is left",
        keys: &["Shift N"],
        shape: NOTE,
        when: |app| app.editor.papers.with_untracked(|papers| papers.shown),
        act: noting::turn,
        ..VIEW
    },
    Command {
        name: "Drag the view while held",
        keys: &["Space"],
        menu: In::None,
        act: |app| app.pointer.space.set(true),
        group: Group::Go,
        ..VIEW
    },
    // The workflow.
    Command {
        name: "Search commands and steps",
        about: "Also kinds of steps to add, workflows and templates",
        keys: &["Ctrl K"],
        reach: Reach::Anywhere,
        menu: In::Canvas,
        shape: SEARCH,
        act: |app| app.dialog.set(Some(Dialog::Search)),
        ..ANY
    },
    Command {
        name: "Find and replace",
        about: "In names, prompts, code and every other text",
        keys: &["Ctrl F"],
        reach: Reach::Anywhere,
        menu: In::Canvas,
        shape: SEARCH,
        act: |app| app.finding.set(true),
        ..ANY
    },
    Command {
        name: "Run",
        keys: &["Ctrl Enter"],
        reach: Reach::Anywhere,
        menu: In::Canvas,
        shape: PLAY,
        when: |app| app.runner.status.get_untracked() != Status::Running,
        act: acts::toggle_run,
        ..ANY
    },
    Command {
        name: "Stop the run",
        keys: &["Ctrl Enter"],
        reach: Reach::Anywhere,
        menu: In::Canvas,
        shape: STOP,
        when: |app| app.runner.status.get_untracked() == Status::Running,
        act: acts::toggle_run,
        ..ANY
    },
    Command {
        name: "Show the run",
        about: "Its steps and its state, and the runs before it; history",
        shape: LIST,
        act: |app| app.panel.set(Some(Panel::Run)),
        ..ANY
    },
    Command {
        name: "Download the journal of this run",
        about: "Its history as JSON, to resume or replay it in a program; without keys",
        shape: DOWNLOAD,
        when: |app| app.runner.has_journal(),
        act: journal::download,
        ..ANY
    },
    Command {
        name: "Chat",
        about: "Talk to the workflow, message, conversation",
        reach: Reach::Anywhere,
        menu: In::Canvas,
        shape: CHAT,
        when: |app| app.chat.all.with_untracked(|all| !all.is_empty()),
        act: chat::show,
        ..ANY
    },
    Command {
        name: "Undo",
        keys: &["Ctrl Z"],
        reach: Reach::Anywhere,
        menu: In::Canvas,
        shape: UNDO,
        act: acts::undo,
        ..ANY
    },
    Command {
        name: "Redo",
        keys: &["Shift Ctrl Z", "Ctrl Y"],
        reach: Reach::Anywhere,
        menu: In::Canvas,
        shape: REDO,
        act: acts::redo,
        ..ANY
    },
    Command {
        name: "All workflows",
        about: "The library: open, rename, delete",
        keys: &["Ctrl O"],
        reach: Reach::Anywhere,
        shape: LIBRARY,
        act: |app| app.dialog.set(Some(Dialog::Library)),
        ..ANY
    },
    Command { name: "New workflow", shape: PLUS, act: |app| opening::make_empty(app), ..ANY },
    Command {
        name: "Import…",
        about: "From a file, a link or pasted JSON",
        shape: IMPORT,
        act: |app| app.dialog.set(Some(Dialog::IMPORT)),
        ..ANY
    },
    Command {
        name: "Export…",
        about: "JSON, or a worker for the edge; without keys",
        shape: EXPORT,
        act: |app| app.dialog.set(Some(Dialog::Export)),
        ..ANY
    },
    Command {
        name: "Versions…",
        about: "What changed, and back to it",
        shape: AGAIN,
        act: |app| app.dialog.set(Some(Dialog::Versions)),
        ..ANY
    },
    Command {
        name: "Tests…",
        about: "What has to be true after a run",
        shape: DONE_SHAPE,
        act: |app| app.dialog.set(Some(Dialog::Tests)),
        ..ANY
    },
    Command {
        name: "Add a note to the workflow",
        about: "What the people who read it should know",
        menu: In::Canvas,
        shape: NOTE,
        when: |app| !has_note(app, &NoteOf::Workflow),
        act: |app| noting::open(app, NoteOf::Workflow),
        ..ANY
    },
    Command {
        name: "Edit the workflow’s note",
        about: "What the people who read it should know",
        menu: In::Canvas,
        shape: NOTE,
        when: |app| has_note(app, &NoteOf::Workflow),
        act: |app| noting::open(app, NoteOf::Workflow),
        ..ANY
    },
    // Settings.
    Command {
        name: "Settings of the workflow",
        about: "Name, state, limits, agents",
        group: Group::Settings,
        shape: SLIDERS,
        act: |app| {
            app.editor.select(None);
            app.inspecting.set(true);
        },
        ..ANY
    },
    Command {
        name: "Endpoints and keys",
        about: "Where models are, API keys, providers",
        group: Group::Settings,
        shape: PLUG,
        act: |app| app.dialog.set(Some(Dialog::ENDPOINTS)),
        ..ANY
    },
    Command {
        name: "What requests go through",
        about: "Relay, proxy, CORS",
        group: Group::Settings,
        shape: PLUG,
        act: |app| app.dialog.set(Some(Dialog::Relay)),
        ..ANY
    },
    Command { name: "Look: light", about: "Bright colours, theme", act: |app| look(app, "light"), ..LOOK },
    Command { name: "Look: dark", about: "Dark colours, night, theme", act: |app| look(app, "dark"), ..LOOK },
    Command {
        name: "Look: as the system",
        about: "Light or dark colours, theme",
        act: |app| look(app, "system"),
        ..LOOK
    },
    Command {
        name: "Keyboard",
        about: "All shortcuts, and single keys on or off",
        keys: &["?"],
        group: Group::Settings,
        shape: KEYS,
        act: |app| app.dialog.set(Some(Dialog::Keys)),
        ..ANY
    },
];

fn look(app: App, look: &str) {
    app.bridge.with_value(|bridge| bridge.turn_look(Some(look)));
}

fn can_fold(app: App) -> bool {
    !app.editor.containers(&app.editor.chosen()).is_empty()
}

/// Whether all containers that are selected are folded.
fn is_folded(app: App) -> bool {
    let containers = app.editor.containers(&app.editor.chosen());
    app.editor.folded.with_untracked(|folded| containers.iter().all(|id| folded.contains(id)))
}

fn is_selected(app: App) -> bool {
    app.editor.selection.with_untracked(|selection| !selection.is_empty())
}

/// Whether the step that was selected last has a note.
fn is_noted(app: App) -> bool {
    app.editor.selected.get_untracked().is_some_and(|id| has_note(app, &NoteOf::Step(id)))
}

fn has_note(app: App, of: &NoteOf) -> bool {
    app.editor.document.with_untracked(|document| noting::text_of(document, of)).is_some()
}

fn is_any_on(app: App) -> bool {
    let chosen = app.editor.chosen();
    app.editor.document.with_untracked(|document| {
        chosen.iter().any(|id| find(document, id).is_some_and(|step| step.enabled))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_name_of_its_own_and_keys_that_are_spelt_one_way() {
        let mut names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert!(all > 30 && names.len() == all && !names.contains(&""), "{names:?}");
        for chord in COMMANDS.iter().flat_map(|command| command.keys) {
            let words: Vec<&str> = chord.split(' ').collect();
            let (key, held) = words.split_last().unwrap();
            assert!(held.iter().all(|word| ["Shift", "Ctrl", "Alt"].contains(word)), "{chord}");
            assert!(key.chars().count() == 1 || "Enter Del Esc Space F10 Menu".contains(key), "{chord}");
        }
    }

    #[test]
    fn what_writes_a_character_in_a_field_is_no_command_there() {
        let anywhere = COMMANDS.iter().filter(|command| command.reach == Reach::Anywhere);
        for chord in anywhere.flat_map(|command| command.keys) {
            let held = chord.contains("Ctrl") || chord.contains("Alt");
            assert!(held || chord.chars().count() > 1, "{chord}");
        }
    }
}
