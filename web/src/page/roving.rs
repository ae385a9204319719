//! How the keyboard moves in a menu: arrows, Home and End, and letters that an entry begins with.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Letters that follow each other faster than this, in milliseconds, are one word.
const PAUSE: f64 = 800.0;

/// What has been typed in an open menu.
#[derive(Debug, Clone, Copy)]
pub struct Roving {
    typed: StoredValue<(String, f64)>,
}

impl Roving {
    /// Nothing has been typed.
    pub fn new() -> Self {
        Self { typed: StoredValue::new((String::new(), 0.0)) }
    }

    /// Gives the first entry the focus.
    pub fn first(menu: &Element) {
        focus(entries(menu).first());
    }

    /// Moves the focus as the key says; whether it was such a key.
    pub fn on_key(self, menu: &Element, event: &ev::KeyboardEvent) -> bool {
        let entries = entries(menu);
        let active = document().active_element();
        let own = entries.iter().position(|entry| active.as_ref().is_some_and(|active| **entry == *active));
        let key = event.key();
        if let Some(to) = moved(entries.len(), own, &key) {
            focus(entries.get(to));
            return true;
        }
        let now = event.time_stamp();
        // A space presses the entry, but within a name.
        let is_begun = || self.typed.with_value(|(word, last)| !word.is_empty() && now - *last <= PAUSE);
        let is_letter = key.chars().count() == 1 && (key != " " || is_begun());
        if !is_letter || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let word = self.typed.try_update_value(|(word, last)| {
            if now - *last > PAUSE {
                word.clear();
            }
            word.push_str(&key.to_ascii_lowercase());
            *last = now;
            word.clone()
        });
        let labels: Vec<String> =
            entries.iter().map(|entry| entry.text_content().unwrap_or_default()).collect();
        if let Some(to) = typed(&labels, own, &word.unwrap_or_default()) {
            focus(entries.get(to));
        }
        true
    }
}

impl Default for Roving {
    fn default() -> Self {
        Self::new()
    }
}

/// Where an arrow leads, around the end.
fn moved(many: usize, own: Option<usize>, key: &str) -> Option<usize> {
    let last = many.checked_sub(1)?;
    match (key, own) {
        ("ArrowDown", Some(own)) if own < last => Some(own + 1),
        ("ArrowDown" | "Home", _) => Some(0),
        ("ArrowUp", Some(own)) if own > 0 => Some(own - 1),
        ("ArrowUp" | "End", _) => Some(last),
        _ => None,
    }
}

/// The entry that begins with what was typed, or that has a word which does. One letter leads on to the next such entry.
fn typed(labels: &[String], own: Option<usize>, word: &str) -> Option<usize> {
    let many = labels.len();
    let from = own.map_or(0, |own| if word.chars().count() == 1 { own + 1 } else { own });
    let begins = |index: &usize| {
        labels.get(*index).is_some_and(|label| label.trim().to_ascii_lowercase().starts_with(word))
    };
    let holds = |index: &usize| {
        labels.get(*index).is_some_and(|label| label.to_ascii_lowercase().contains(&format!(" {word}")))
    };
    let around = || (from..many).chain(0..from.min(many));
    around().find(begins).or_else(|| around().find(holds))
}

fn entries(menu: &Element) -> Vec<HtmlElement> {
    let Ok(found) = menu.query_selector_all(".menu-item") else { return Vec::new() };
    (0..found.length()).filter_map(|index| found.get(index)?.dyn_into().ok()).collect()
}

fn focus(entry: Option<&HtmlElement>) {
    if let Some(entry) = entry {
        // An entry of an open menu takes the focus.
        let _ = entry.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_lead_around() {
        for (own, key, to) in [
            (Some(0), "ArrowDown", Some(1)),
            (Some(2), "ArrowDown", Some(0)),
            (Some(0), "ArrowUp", Some(2)),
            (None, "ArrowDown", Some(0)),
            (None, "ArrowUp", Some(2)),
            (Some(1), "Home", Some(0)),
            (Some(1), "End", Some(2)),
            (Some(1), "Enter", None),
        ] {
            assert_eq!(moved(3, own, key), to, "{own:?} {key}");
        }
        assert_eq!(moved(0, None, "ArrowDown"), None);
    }

    #[test]
    fn letters_lead_to_what_begins_with_them_and_on() {
        let labels = ["Copy", "Cut", "Wrap in a loop", "Wrap in a condition"].map(str::to_owned);
        for (own, word, to) in [
            (None, "c", Some(0)),
            (Some(0), "c", Some(1)),
            (Some(1), "c", Some(0)),
            (Some(1), "cu", Some(1)),
            (Some(0), "l", Some(2)),
            (Some(0), "wrap in a c", Some(3)),
            (Some(0), "x", None),
        ] {
            assert_eq!(typed(&labels, own, word), to, "{own:?} {word}");
        }
    }
}
