//! Keys that are pressed together, as text: `Shift Ctrl Z`.

use leptos::ev;
use stepweave_core::letters;

/// What is pressed. Cmd counts as Ctrl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pressed {
    ctrl: bool,
    shift: bool,
    alt: bool,
    key: String,
}

impl Pressed {
    /// What an event says.
    pub(super) fn of(event: &ev::KeyboardEvent) -> Self {
        let ctrl = event.ctrl_key() || event.meta_key();
        Self { ctrl, shift: event.shift_key(), alt: event.alt_key(), key: event.key() }
    }

    /// Whether this is what a command's keys name.
    pub(super) fn is(&self, chord: &str) -> bool {
        let mut words: Vec<&str> = chord.split(' ').collect();
        let key = words.pop().unwrap_or_default();
        let held = |name: &str| words.contains(&name);
        // Which signs need Shift is a matter of the keyboard.
        let shift = self.is_sign() || held("Shift") == self.shift;
        shift && held("Ctrl") == self.ctrl && held("Alt") == self.alt && self.name().eq_ignore_ascii_case(key)
    }

    /// Whether it writes a character and nothing else is held. Space writes none that anybody dictates.
    pub(super) fn is_character(&self) -> bool {
        !self.ctrl && !self.alt && self.key.chars().count() == 1 && self.key != " "
    }

    fn is_sign(&self) -> bool {
        self.is_character() && !self.key.chars().all(|key| key != '_' && letters::goes_on(key))
    }

    /// The key as commands name it.
    fn name(&self) -> &str {
        match self.key.as_str() {
            "ArrowUp" => "↑",
            "ArrowDown" => "↓",
            "ArrowLeft" => "←",
            "ArrowRight" => "→",
            "Delete" | "Backspace" => "Del",
            "Escape" => "Esc",
            "ContextMenu" => "Menu",
            " " => "Space",
            "=" => "+",
            "-" => "−",
            key => key,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(held: &str, key: &str) -> Pressed {
        let held = |name| held.contains(name);
        Pressed { ctrl: held('c'), shift: held('s'), alt: held('a'), key: key.to_owned() }
    }

    #[test]
    fn a_chord_is_what_is_pressed_and_nothing_more() {
        for (held, key, chord) in [
            ("c", "z", "Ctrl Z"),
            ("cs", "Z", "Shift Ctrl Z"),
            ("", "w", "W"),
            ("", "Backspace", "Del"),
            ("a", "ArrowUp", "Alt ↑"),
            ("s", "?", "?"),
            ("s", "+", "+"),
            ("", "=", "+"),
            ("", "-", "−"),
            ("", " ", "Space"),
            ("s", "F10", "Shift F10"),
        ] {
            assert!(pressed(held, key).is(chord), "{chord}");
        }
        for (held, key, chord) in [
            ("cs", "z", "Ctrl Z"),
            ("", "z", "Ctrl Z"),
            ("c", "w", "W"),
            ("s", "W", "W"),
            ("", "ArrowUp", "Alt ↑"),
            ("", "F10", "Shift F10"),
            ("c", "+", "+"),
        ] {
            assert!(!pressed(held, key).is(chord), "{chord}");
        }
    }

    #[test]
    fn characters_are_what_writes() {
        assert!(pressed("", "a").is_character() && pressed("s", "?").is_character());
        for other in [pressed("c", "a"), pressed("", " "), pressed("", "Enter"), pressed("a", "a")] {
            assert!(!other.is_character(), "{other:?}");
        }
    }
}
