//! What can be written next, below the field that is typed into: names of the state, and members of values that were
//! seen, such as the sample answer of a request.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventInit, HtmlInputElement, HtmlTextAreaElement};

use crate::model::completions::{Language, Offer, Offers, known_of, offers};
use crate::model::known::Known;
use crate::page::state::{App, app};
use crate::ui::trying;

/// The id of the list, to which the field refers.
const LIST: &str = "completions";

/// Pixels that the list may be high.
const HEIGHT: f64 = 232.0;

/// The list; nothing is seen of it until something can be written.
#[component]
pub fn Completions() -> impl IntoView {
    let list = List {
        app: app(),
        node: NodeRef::new(),
        shown: RwSignal::new(None),
        active: RwSignal::new(None),
        field: StoredValue::new_local(None),
    };
    let typed = window_event_listener(ev::input, move |event| {
        if let Some(field) = field_of(&event) {
            list.look(&field);
        }
    });
    let pressed = window_event_listener(ev::keydown, move |event| {
        if list.takes(&event) {
            event.prevent_default();
        }
    });
    let left = window_event_listener(ev::focusout, move |_| list.close());
    on_cleanup(move || {
        typed.remove();
        pressed.remove();
        left.remove();
    });
    let option = move |(index, offer): (usize, Offer)| {
        view! {
            <div
                class="completion"
                role="option"
                id=format!("completion-{index}")
                aria-selected=move || (list.active.get() == Some(index)).to_string()
                on:click=move |_| list.write(index)
            >
                <span>{offer.label}</span>
                <small>{offer.about}</small>
            </div>
        }
    };
    let options = move || {
        let shown = list.shown.get().map(|offers| offers.offers).unwrap_or_default();
        shown.into_iter().enumerate().map(option).collect_view()
    };
    let said = move || match list.shown.with(|shown| shown.as_ref().map(|offers| offers.offers.len())) {
        Some(1) => "1 suggestion".to_owned(),
        Some(many) => format!("{many} suggestions"),
        None => String::new(),
    };
    view! {
        // A click on it leaves the focus in the field. The browser closes it on Escape and on a click elsewhere.
        <div
            id=LIST
            class="menu completions"
            role="listbox"
            aria-label="Suggestions"
            popover="auto"
            node_ref=list.node
            on:mousedown=|event| event.prevent_default()
            on:toggle=move |_| list.follow()
        >
            {options}
        </div>
        <span class="unseen" role="status">{said}</span>
    }
}

#[derive(Clone, Copy)]
struct List {
    app: App,
    node: NodeRef<html::Div>,
    shown: RwSignal<Option<Offers>>,
    /// The suggestion that Enter writes.
    active: RwSignal<Option<usize>>,
    field: StoredValue<Option<Field>, LocalStorage>,
}

impl List {
    /// Looks what can be written where the caret stands.
    fn look(self, field: &Field) {
        let found = field.before_caret().and_then(|before| self.find(field, &before));
        match found {
            Some(found) => self.open(field, found),
            None => self.close(),
        }
    }

    fn find(self, field: &Field, before: &str) -> Option<Offers> {
        let word = field.element().get_attribute("data-completes")?;
        let request = field.element().closest("[data-request]").ok().flatten();
        let key = request.and_then(|around| around.get_attribute("data-request"));
        let known = match (word.as_str(), key) {
            ("answer", Some(key)) => answer(self.app, &key),
            (_, Some(key)) => trying::known(self.app, &key),
            (_, None) => {
                let step = self.app.editor.selected.get_untracked()?;
                self.app
                    .editor
                    .document
                    .with_untracked(|document| trying::known_of_step(self.app, document, &step))
            }
        };
        let language = if word == "template" { Language::Template } else { Language::Expression };
        offers(before, language, &known)
    }

    fn open(self, field: &Field, found: Offers) {
        self.active.set(None);
        self.shown.set(Some(found));
        self.field.set_value(Some(field.clone()));
        let Some(node) = self.node.get_untracked() else { return };
        let rect = field.element().get_bounding_client_rect();
        let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
        let top = match rect.bottom() + HEIGHT > height && rect.top() > HEIGHT {
            true => format!("auto auto {}px {}px", height - rect.top() + 3.0, rect.left()),
            false => format!("{}px auto auto {}px", rect.bottom() + 3.0, rect.left()),
        };
        for (name, value) in [("inset", top), ("width", format!("{}px", rect.width()))] {
            // A style that cannot be set leaves the list where the browser puts it.
            let _ = web_sys::HtmlElement::style(&node).set_property(name, &value);
        }
        // It may be open already.
        let _ = node.show_popover();
        field.refer(&[("aria-controls", LIST), ("aria-haspopup", "listbox")]);
    }

    fn close(self) {
        if self.shown.with_untracked(Option::is_none) {
            return;
        }
        self.shown.set(None);
        self.active.set(None);
        if let Some(field) = self.field.get_value() {
            field.refer(&[]);
        }
        self.field.set_value(None);
        if let Some(node) = self.node.get_untracked() {
            // The browser may have closed it already.
            let _ = node.hide_popover();
        }
    }

    /// Closes what the browser has closed.
    fn follow(self) {
        let is_open = self.node.get_untracked().and_then(|node| node.matches(":popover-open").ok());
        if is_open == Some(false) {
            self.close();
        }
    }

    /// Whether a key is for the list.
    fn takes(self, event: &ev::KeyboardEvent) -> bool {
        let Some(field) = field_of(event) else { return false };
        let is_open = self.shown.with_untracked(Option::is_some);
        match event.key().as_str() {
            "ArrowDown" if !is_open && (event.alt_key() || field.is_empty()) => {
                self.look(&field);
                self.shown.with_untracked(Option::is_some)
            }
            " " if event.ctrl_key() => {
                self.look(&field);
                true
            }
            "ArrowDown" | "ArrowUp" if is_open => {
                self.go(event.key() == "ArrowDown");
                true
            }
            "Enter" => match self.active.get_untracked().filter(|_| is_open) {
                Some(index) => {
                    self.write(index);
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    fn go(self, is_down: bool) {
        let many = self.shown.with_untracked(|shown| shown.as_ref().map_or(0, |found| found.offers.len()));
        let next = match self.active.get_untracked() {
            None if is_down => 0,
            Some(index) if is_down => (index + 1) % many.max(1),
            None | Some(0) => many.saturating_sub(1),
            Some(index) => index - 1,
        };
        self.active.set(Some(next));
        let id = format!("completion-{next}");
        if let Some(field) = self.field.get_value() {
            field.refer(&[
                ("aria-controls", LIST),
                ("aria-haspopup", "listbox"),
                ("aria-activedescendant", &id),
            ]);
        }
        if let Some(option) = document().get_element_by_id(&id) {
            option.scroll_into_view_with_bool(false);
        }
    }

    /// Writes a suggestion where the caret stands, as if it had been typed.
    fn write(self, index: usize) {
        let offer = self.shown.with_untracked(|shown| {
            let found = shown.as_ref()?;
            Some((found.start, found.offers.get(index)?.text.clone()))
        });
        let Some(((start, text), field)) = offer.zip(self.field.get_value()) else { return };
        self.close();
        field.write(start, &text);
    }
}

/// What expressions over the answer of a request can read.
fn answer(app: App, key: &str) -> Known {
    let names = app.editor.samples.with_untracked(|samples| samples.get(key).map(|sample| sample.names()));
    match names {
        Some(names) => known_of(names),
        None => ["status", "headers", "body"].into_iter().map(|name| (name.to_owned(), None)).collect(),
    }
}

/// A field in which something can be completed.
#[derive(Clone)]
enum Field {
    Line(HtmlInputElement),
    Lines(HtmlTextAreaElement),
}

impl Field {
    fn element(&self) -> &Element {
        match self {
            Self::Line(line) => line,
            Self::Lines(lines) => lines,
        }
    }

    fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    fn text(&self) -> String {
        match self {
            Self::Line(line) => line.value(),
            Self::Lines(lines) => lines.value(),
        }
    }

    /// The text in front of the caret; nothing while a piece of it is selected.
    fn before_caret(&self) -> Option<String> {
        let (start, end) = match self {
            Self::Line(line) => (line.selection_start().ok()??, line.selection_end().ok()??),
            Self::Lines(lines) => (lines.selection_start().ok()??, lines.selection_end().ok()??),
        };
        let units: Vec<u16> = self.text().encode_utf16().take(start as usize).collect();
        (start == end).then(|| String::from_utf16(&units).ok()).flatten()
    }

    /// Replaces what stands from a byte up to the caret, and says so as typing does.
    fn write(&self, start: usize, text: &str) {
        let Some(before) = self.before_caret() else { return };
        let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or_default();
        let from = units(before.get(..start).unwrap_or_default());
        let (to, end) = (units(&before), from + units(text));
        // A field that has gone meanwhile takes nothing.
        let _ = match self {
            Self::Line(line) => {
                let written = line.set_range_text_with_start_and_end(text, from, to);
                written.and_then(|()| line.set_selection_range(end, end))
            }
            Self::Lines(lines) => {
                let written = lines.set_range_text_with_start_and_end(text, from, to);
                written.and_then(|()| lines.set_selection_range(end, end))
            }
        };
        let init = EventInit::new();
        init.set_bubbles(true);
        if let Ok(event) = Event::new_with_event_init_dict("input", &init) {
            let _ = self.element().dispatch_event(&event);
        }
    }

    /// Refers to the list, or no longer does.
    fn refer(&self, attributes: &[(&str, &str)]) {
        for name in ["aria-controls", "aria-haspopup", "aria-activedescendant"] {
            let value = attributes.iter().find(|(own, _)| *own == name);
            // Both only fail for names that are none.
            let _ = match value {
                Some((_, value)) => self.element().set_attribute(name, value),
                None => self.element().remove_attribute(name),
            };
        }
    }
}

fn field_of(event: &Event) -> Option<Field> {
    let target = event.target()?;
    let element = target.dyn_ref::<Element>()?;
    element.get_attribute("data-completes")?;
    match target.dyn_into::<HtmlTextAreaElement>() {
        Ok(lines) => Some(Field::Lines(lines)),
        Err(target) => target.dyn_into::<HtmlInputElement>().ok().map(Field::Line),
    }
}
