//! The commands: one table, from which the keyboard, the menus, the search and the list of keys are made.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use self::chord::Pressed;
pub use self::table::COMMANDS;
use crate::page::early_keys;
use crate::page::focus::is_field;
use crate::page::state::App;

pub mod acts;
mod chord;
mod table;

/// Something that a person can do.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// What people call it.
    pub name: &'static str,
    /// More about it, and other words for it, by which it is found too.
    pub about: &'static str,
    /// Its keys; each is a chord such as `Ctrl D`.
    pub keys: &'static [&'static str],
    /// With what it stands together.
    pub group: Group,
    /// Where its keys work.
    pub reach: Reach,
    /// In which menu it is.
    pub menu: In,
    /// Its icon; empty when it has none.
    pub shape: &'static str,
    /// Whether it can be done now.
    pub when: fn(App) -> bool,
    /// Does it.
    pub act: fn(App),
}

/// Commands that stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Of the selected steps.
    Step,
    /// Containers around the selected steps.
    Wrap,
    /// Movements of the keyboard, which are of no use anywhere else.
    Go,
    /// Of the canvas.
    View,
    /// Of the workflow.
    Workflow,
    /// What is set.
    Settings,
}

/// Where a command's keys work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Everywhere, in fields too.
    Anywhere,
    /// Outside of fields.
    Page,
    /// Outside of the forms of steps, and while no button has the focus, which has its own use for them.
    Step,
    /// The browser or the outline knows them by itself.
    Listed,
}

/// In which menu a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum In {
    /// In none.
    None,
    /// That of the selected steps.
    Step,
    /// That of the canvas.
    Canvas,
    /// In both.
    Both,
}

impl Group {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Step, Self::Wrap, Self::Go, Self::View, Self::Workflow, Self::Settings];

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Step => "Steps",
            Self::Wrap => "Containers",
            Self::Go => "Moving around",
            Self::View => "View",
            Self::Workflow => "Workflow",
            Self::Settings => "Settings",
        }
    }
}

/// Listens for keys.
pub fn listen(app: App) {
    let down = window_event_listener(ev::keydown, move |event| on_key(app, &event));
    let up = window_event_listener(ev::keyup, move |event| {
        if event.code() == "Space" {
            app.pointer.space.set(false);
        }
    });
    let blur = window_event_listener(ev::blur, move |_| app.pointer.space.set(false));
    on_cleanup(move || {
        down.remove();
        up.remove();
        blur.remove();
    });
}

fn on_key(app: App, event: &ev::KeyboardEvent) {
    if event.default_prevented() {
        return;
    }
    if app.dialog.with_untracked(Option::is_some) || is_form_coming(app) {
        return early_keys::hold(app, event);
    }
    let pressed = Pressed::of(event);
    let target = target(event);
    let in_field = target.as_ref().is_some_and(is_field);
    // What is written into a field asks for nothing else, and is looked for nowhere.
    if in_field && pressed.is_character() {
        return app.has_written.set_value(true);
    }
    if pressed.is_character() && !app.single_keys.get_untracked() {
        return;
    }
    let within = |places: &str| {
        target.as_ref().is_some_and(|element| element.closest(places).ok().flatten().is_some())
    };
    let on_button = within("button, summary, a");
    // Whoever has clicked beside a field, and types, means no step.
    let in_form = within(".inspector, .panel");
    let reached = |reach| match reach {
        Reach::Anywhere => true,
        Reach::Page => !(in_field || in_form && pressed.is_character()),
        Reach::Step => !in_field && !on_button && !in_form,
        Reach::Listed => false,
    };
    // The card that has the focus is meant where no step is selected.
    let card = target.as_ref().and_then(|element| element.get_attribute("data-step"));
    let has_keys = |command: &Command| command.keys.iter().any(|chord| pressed.is(chord));
    let is_of_step = |command: &Command| matches!(command.group, Group::Step | Group::Wrap | Group::Go);
    if app.editor.selected.with_untracked(Option::is_none)
        && card.is_some()
        && COMMANDS.iter().any(|command| is_of_step(command) && has_keys(command))
    {
        app.editor.select(card);
    }
    let meant =
        COMMANDS.iter().find(|command| reached(command.reach) && has_keys(command) && (command.when)(app));
    if let Some(command) = meant {
        event.prevent_default();
        (command.act)(app);
    }
}

/// Whether a step was added whose form is to be written into, and is not there yet.
fn is_form_coming(app: App) -> bool {
    app.editor.begun.with_untracked(Option::is_some) && !untrack(|| app.chunks.views.is_settled())
}

/// Whether an event asks, in a field, for what the field is filled in for: Ctrl Enter, which makes no line in it. One
/// that is held down asks once.
pub fn is_done(event: &ev::KeyboardEvent) -> bool {
    !event.default_prevented()
        && !event.repeat()
        && !event.is_composing()
        && Pressed::of(event).is("Ctrl Enter")
        && target(event).as_ref().is_some_and(is_field)
}

/// What has the focus, also where that is inside of an element with a tree of its own.
fn target(event: &ev::KeyboardEvent) -> Option<web_sys::Element> {
    let innermost = event.composed_path().get(0).dyn_into().ok();
    innermost.or_else(|| event.target()?.dyn_into().ok())
}
