//! A menu that is open: what can be done, and the keys that go through it.

use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;

use super::focused;
use crate::canvas::places::pick_at;
use crate::geometry::px;
use crate::layout::Place;
use crate::page::icon::{PLUS, icon};
use crate::page::roving::Roving;
use crate::page::state::{Menu, MenuOf, app};
use crate::ui::commands::{COMMANDS, Command, Group, In};

/// An open menu.
#[component]
pub fn Opened(
    /// What it is of.
    menu: Menu,
) -> impl IntoView {
    let app = app();
    let node = NodeRef::<html::Div>::new();
    let before = StoredValue::new_local(focused());
    let roving = Roving::new();
    let close = move || {
        app.menu.set(None);
        let back = before.get_value().filter(|element| element.is_connected());
        // Whoever had the focus is on the page, so that it takes it again; what is gone is followed by the step.
        match back.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
            Some(element) if element.tag_name() != "BODY" => drop(element.focus()),
            _ => app.editor.focus.set(app.editor.selected.get_untracked()),
        }
    };
    let at = menu.at;
    Effect::new(move || {
        if let Some(node) = node.get() {
            let (width, height) = (f64::from(node.offset_width()), f64::from(node.offset_height()));
            let room = document()
                .document_element()
                .map_or((0.0, 0.0), |page| (f64::from(page.client_width()), f64::from(page.client_height())));
            let style = (*node).clone().unchecked_into::<web_sys::HtmlElement>().style();
            // An element of the page has a style, whose properties are known.
            let _ = style.set_property("left", &px(at.x.min(room.0 - width - 8.0).max(8.0)));
            let _ = style.set_property("top", &px(at.y.min(room.1 - height - 8.0).max(8.0)));
            Roving::first(&node);
        }
    });
    let on_key = move |event: ev::KeyboardEvent| {
        // No key of an open menu is one of the page.
        event.stop_propagation();
        match event.key().as_str() {
            "Escape" | "Tab" => {
                event.prevent_default();
                close();
            }
            _ if node.get_untracked().is_some_and(|node| roving.on_key(&node, &event)) => {
                event.prevent_default()
            }
            _ => {}
        }
    };
    let own = menu.clone();
    let leave = move |event: ev::FocusEvent| {
        // A menu that goes away while it has the focus is left too, and has nothing to say any more.
        let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
        let left = event.current_target().and_then(|menu| menu.dyn_into::<web_sys::Node>().ok());
        let inside = left.is_some_and(|menu| to.is_some() && menu.contains(to.as_ref()));
        if !inside && app.menu.with_untracked(|menu| menu.as_ref() == Some(&own)) {
            app.menu.set(None);
        }
    };
    let entry = move |command: &'static Command| {
        let act = move || {
            close();
            (command.act)(app);
        };
        view! { <Entry shape=command.shape name=command.name keys=command.keys.first().copied() act=act /> }
    };
    let section = move |commands: Vec<&'static Command>| {
        (!commands.is_empty()).then(|| {
            let title = commands.first().map_or("", |command| command.group.title());
            view! { <div role="group" aria-label=title>{commands.into_iter().map(entry).collect_view()}</div> }
        })
    };
    let slot = match &menu.of {
        MenuOf::Slot(place) => Some(place.clone()),
        _ => None,
    };
    let add = slot.map(|place: Place| {
        let act = move || {
            app.menu.set(None);
            pick_at(app, place.clone());
        };
        view! { <div role="group" aria-label="Slot"><Entry shape=PLUS name="Add a step here" keys=None act=act /></div> }
    });
    let shown = Group::ALL.map(|group| {
        let own = COMMANDS.iter().filter(|command| command.group == group && is_in(command, &menu.of));
        own.filter(|command| (command.when)(app)).collect::<Vec<_>>()
    });
    view! {
        <div
            class="menu picker context-menu"
            role="menu"
            aria-label=title_of(&menu.of)
            node_ref=node
            on:keydown=on_key
            on:focusout=leave
            on:pointerdown=|event| event.stop_propagation()
        >
            {add}
            {shown.map(section).into_iter().collect_view()}
        </div>
    }
}

#[component]
fn Entry(
    shape: &'static str,
    name: &'static str,
    keys: Option<&'static str>,
    act: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button class="menu-item" role="menuitem" tabindex="-1" aria-keyshortcuts=keys.map(spoken) on:click=move |_| act()>
            {icon(shape)}
            <span>{name}</span>
            {keys.map(|keys| view! { <span class="menu-keys" aria-hidden="true">{keys}</span> })}
        </button>
    }
}

/// A chord as the attribute for assistive software has it.
fn spoken(chord: &'static str) -> String {
    let word = |word| match word {
        "Ctrl" => "Control",
        "Del" => "Delete",
        "↑" => "ArrowUp",
        "↓" => "ArrowDown",
        "−" => "-",
        "+" => "Plus",
        other => other,
    };
    chord.split(' ').map(word).collect::<Vec<_>>().join("+")
}

fn is_in(command: &Command, of: &MenuOf) -> bool {
    match of {
        MenuOf::Steps => matches!(command.menu, In::Step | In::Both),
        MenuOf::Wraps => command.group == Group::Wrap && command.menu == In::Step,
        MenuOf::Canvas => matches!(command.menu, In::Canvas | In::Both),
        MenuOf::Slot(_) => command.menu == In::Canvas,
    }
}

fn title_of(of: &MenuOf) -> &'static str {
    match of {
        MenuOf::Steps => "What can be done with the selected steps",
        MenuOf::Wraps => "Wrap the selected steps in",
        MenuOf::Slot(_) => "What can be done here",
        MenuOf::Canvas => "What can be done with the workflow",
    }
}
