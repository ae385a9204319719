//! The key of an endpoint in its dialog: what it is called, and its value as far as the page has it.

use leptos::prelude::*;

use crate::model::endpoints::origin_of;
use crate::page::held::{Field, held, origins_of};
use crate::page::state::App;

/// The two fields until they are saved.
#[derive(Clone, Copy)]
pub(super) struct KeyForm {
    /// What the document calls it.
    pub(super) name: RwSignal<String>,
    /// The key.
    pub(super) value: RwSignal<String>,
    /// The key that the page has put there by itself.
    shown: RwSignal<String>,
}

impl KeyForm {
    /// Empty fields.
    pub(super) fn new() -> Self {
        let empty = || RwSignal::new(String::new());
        Self { name: empty(), value: empty(), shown: empty() }
    }

    /// What stands in both, without spaces around it.
    pub(super) fn texts(self) -> (String, String) {
        let trimmed = |text: RwSignal<String>| text.with_untracked(|text| text.trim().to_owned());
        (trimmed(self.name), trimmed(self.value))
    }

    /// Shows the key that the page has for this name and this address, or none.
    pub(super) fn fill(self, app: App, url: &str) {
        let known = self.known(app, url).unwrap_or_default();
        self.shown.set(known.clone());
        self.value.set(known);
    }

    /// Looks again when the name or the address has changed. What a person has typed stays, and so does a key that was
    /// shown as long as nothing else is known: who calls it otherwise or corrects the address means the same key.
    pub(super) fn look(self, app: App, url: &str) {
        let (name, value) = self.texts();
        let is_another =
            app.keys.with_untracked(|keys| keys.get(&name).is_some_and(|key| key.value != value));
        let is_empty = value.is_empty() && !self.is_emptied(app, url);
        if is_empty || (is_another && self.is_as_shown()) {
            self.fill(app, url);
        }
    }

    /// Looks again when the keys of the page have changed, as they do when they are unlocked.
    pub(super) fn follow(self, app: App, url: RwSignal<String>) {
        Effect::new(move |before: Option<()>| {
            app.keys.track();
            if before.is_some() && self.is_as_shown() {
                self.fill(app, &url.get_untracked());
            }
        });
    }

    /// Leaves the key in memory, for this origin.
    pub(super) fn save(self, app: App, origin: &str) {
        let ((name, value), shown) = (self.texts(), self.shown.get_untracked());
        let field = Field { name: &name, value: &value, shown: &shown };
        app.keys.update(|keys| field.save(keys, origin));
    }

    /// What a person should know of the key of this name at this address; follows all of it.
    pub(super) fn about(self, app: App, url: &str) -> String {
        let (name, value, shown) = (self.name.get(), self.value.get(), self.shown.get());
        let (name, value) = (name.trim(), value.trim());
        if (Field { name, value, shown: &shown }).is_emptied() {
            return "When you save, the page forgets the key of this name.".to_owned();
        }
        let origin = origin_of(url).unwrap_or_default();
        app.keys.with(|keys| match keys.get(name) {
            Some(key) if key.value != value && held(keys, name, &origin).is_none() => format!(
                "The key of this name goes to {} only. Enter the same one for it to go here too; another one takes its place.",
                key.origins.join(" and ")
            ),
            _ => String::new(),
        })
    }

    /// Where the key goes once it is saved; follows all of it.
    pub(super) fn origins(self, app: App, url: &str) -> Vec<String> {
        let (name, value) = (self.name.get(), self.value.get());
        let origin = origin_of(url);
        origin
            .map(|origin| app.keys.with(|keys| origins_of(keys, name.trim(), value.trim(), &origin)))
            .unwrap_or_default()
    }

    fn known(self, app: App, url: &str) -> Option<String> {
        let (origin, (name, _)) = (origin_of(url)?, self.texts());
        app.keys.with_untracked(|keys| held(keys, &name, &origin).map(|key| key.value.clone()))
    }

    fn is_as_shown(self) -> bool {
        self.value.with_untracked(|value| self.shown.with_untracked(|shown| value == shown))
    }

    /// Whether the person has taken out the key that there is for this name and this address.
    fn is_emptied(self, app: App, url: &str) -> bool {
        let known = self.known(app, url);
        known.is_some_and(|known| self.shown.with_untracked(|shown| *shown == known))
    }
}
