//! What a person is typing into a field: its text stays as it is written while it means the value, and where it becomes none,
//! the value is again the one from before, not that of its last letters which happened to be one.

use leptos::prelude::*;

/// The typing of one visit to a field of such a value.
pub struct Typing<T: 'static> {
    /// What the text means, and the text.
    typed: RwSignal<Option<(T, String)>>,
    before: StoredValue<Option<T>>,
}

// By hand, since the value itself need not be one that can be copied.
impl<T: 'static> Clone for Typing<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: 'static> Copy for Typing<T> {}

impl<T: Clone + PartialEq + Send + Sync + 'static> Typing<T> {
    /// Nothing is typed yet.
    pub fn begin() -> Self {
        Self { typed: RwSignal::new(None), before: StoredValue::new(None) }
    }

    /// The text, where it means this value; follows what is typed.
    pub fn text(self, value: &T) -> Option<String> {
        self.typed
            .with(|typed| typed.as_ref().filter(|(meant, _)| meant == value).map(|(_, text)| text.clone()))
    }

    /// The value from before; it is `now` where typing begins.
    pub fn before(self, now: impl FnOnce() -> T) -> T {
        self.before.get_value().unwrap_or_else(|| {
            let now = now();
            self.before.set_value(Some(now.clone()));
            now
        })
    }

    /// The text means this value.
    pub fn means(self, value: T, text: String) {
        self.typed.set(Some((value, text)));
    }

    /// The field is left; the text of another visit may well stay.
    pub fn leave(self) {
        // The field may be gone already.
        let _ = self.before.try_set_value(None);
    }

    /// The field is left, and shows its value from here on.
    pub fn end(self) {
        self.leave();
        let _ = self.typed.try_set(None);
    }
}
