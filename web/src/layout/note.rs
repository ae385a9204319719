//! Notes as papers: how much room the text of one takes, estimated without asking the browser.

use stepweave_core::document::{Document, Step};

use crate::geometry::Rect;
use crate::layout::CARD_WIDTH;

/// Whose note it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteOf {
    /// The workflow's.
    Workflow,
    /// That of the step with this id.
    Step(String),
}

/// Which notes are papers on the canvas. The others are signs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Papers {
    /// Whether all notes are.
    pub shown: bool,
    /// The one that is being written, which is a paper in any case and has more room.
    pub open: Option<NoteOf>,
}

/// The paper of a note.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paper {
    /// Where it is.
    pub rect: Rect,
    /// How many lines it has.
    pub lines: usize,
    /// Whether there is more of the text than it shows.
    pub cut: bool,
}

/// The room of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    lines: usize,
    cut: bool,
}

impl Room {
    /// How tall it is, with the space between the paper and what it belongs to.
    pub(super) fn height(self) -> f64 {
        GAP + AROUND + LINE * self.lines as f64
    }

    /// The paper below a card.
    pub(super) fn below(self, card: Rect) -> Paper {
        self.paper(Rect::new(card.x, card.bottom() + GAP, card.width, self.height() - GAP))
    }

    /// The paper above the origin.
    pub(super) fn above_all(self) -> Paper {
        self.paper(Rect::new(-WIDE / 2.0, -self.height(), WIDE, self.height() - GAP))
    }

    fn paper(self, rect: Rect) -> Paper {
        Paper { rect, lines: self.lines, cut: self.cut }
    }
}

/// From a card down to its paper, and from the workflow's paper down to the start.
const GAP: f64 = 6.0;
/// How wide the paper of the workflow is.
const WIDE: f64 = 340.0;
/// What is around the lines of a paper, and how tall one is.
const AROUND: f64 = 14.0;
const LINE: f64 = 16.0;
/// The most lines of a paper, and the fewest and the most of one that is being written.
const MOST: usize = 6;
const OPEN: (usize, usize) = (3, 14);
/// The size of the letters, and what is at the sides of a line.
const LETTER: f64 = 12.5;
const SIDES: f64 = 22.0;
/// So many letters fill every line that a paper can have; no text is read further.
const LETTERS: usize = 2000;

impl Papers {
    /// The room that the paper of a step takes; nothing without a paper.
    pub(super) fn of_step(&self, step: &Step) -> Option<Room> {
        let open = matches!(&self.open, Some(NoteOf::Step(id)) if *id == step.id);
        self.room(step.notes.as_deref(), open, CARD_WIDTH)
    }

    /// The same of the workflow.
    pub(super) fn of_workflow(&self, document: &Document) -> Option<Room> {
        self.room(document.notes.as_deref(), self.open == Some(NoteOf::Workflow), WIDE)
    }

    fn room(&self, note: Option<&str>, open: bool, width: f64) -> Option<Room> {
        let text = note.unwrap_or_default();
        if !open && (!self.shown || text.is_empty()) {
            return None;
        }
        let across = (width - SIDES) / LETTER;
        let (lines, cut) = if open {
            (lines(text, across, OPEN.1).all.clamp(OPEN.0, OPEN.1), false)
        } else {
            let written = lines(text, across, MOST).written;
            (written.min(MOST), written > MOST)
        };
        (lines > 0).then_some(Room { lines, cut })
    }
}

/// How many lines a text takes, up to one more than is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lines {
    /// With the empty ones at its end.
    all: usize,
    /// Without them: none where nothing is written.
    written: usize,
}

/// The lines of a text that are `across` times as wide as its letters are tall.
fn lines(text: &str, across: f64, most: usize) -> Lines {
    let mut found = Lines { all: 1, written: 0 };
    // How much of the line is taken by whole words, and how wide the word is that follows them.
    let (mut taken, mut word) = (0.0, 0.0);
    for letter in text.chars().take(LETTERS) {
        if found.all > most {
            break;
        }
        if letter == '\n' {
            found.all += 1;
            (taken, word) = (0.0, 0.0);
            continue;
        }
        let width = width_of(letter);
        if letter.is_whitespace() {
            taken += word + width;
            word = 0.0;
            continue;
        }
        if is_ideograph(letter) {
            taken += word;
            word = 0.0;
        }
        if taken + word + width > across {
            found.all += 1;
            // The word goes to the next line, or on there when it is longer than one.
            word = if taken > 0.0 { word } else { 0.0 };
            taken = 0.0;
        }
        word += width;
        found.written = found.all;
    }
    found
}

/// About how wide a letter is, in multiples of its height: rather more than less, since a line too many is only room.
fn width_of(letter: char) -> f64 {
    match letter {
        ' ' | '\u{a0}' => 0.32,
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '!' | '|' | '(' | ')' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.95,
        'A'..='Z' => 0.7,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' => 0.0,
        _ if letter.is_ascii() => 0.6,
        _ if is_ideograph(letter) => 1.0,
        _ => 0.7,
    }
}

/// Whether it is of a script that breaks its lines between any two letters.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{1f300}'..='\u{3fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACROSS: f64 = (CARD_WIDTH - SIDES) / LETTER;

    fn count(text: &str) -> usize {
        lines(text, ACROSS, MOST).written
    }

    #[test]
    fn a_text_takes_the_lines_that_its_words_fill() {
        assert_eq!(
            [count(""), count("  \n \n"), count("a"), count("a\nb"), count("a\n\nb\n\n")],
            [0, 0, 1, 2, 3]
        );
        // Twenty-eight letters fit, thirty do not; a word is not broken where there is room below.
        assert_eq!([count(&"o".repeat(28)), count(&"o".repeat(30))], [1, 2]);
        assert_eq!(count(&format!("{} {}", "o".repeat(20), "o".repeat(20))), 2);
        // Letters as wide as tall, of which a line has seventeen.
        assert_eq!([count(&"界".repeat(17)), count(&"界".repeat(18))], [1, 2]);
    }

    #[test]
    fn no_text_takes_more_than_it_may_and_none_is_read_to_its_end() {
        for text in
            ["o".repeat(100_000), "a ".repeat(100_000), "\n".repeat(100_000) + "x", "\u{301}".repeat(100_000)]
        {
            assert!(count(&text) <= MOST + 1);
        }
        assert_eq!(count(&"word ".repeat(100)), MOST + 1);
    }

    fn step(notes: &str) -> Step {
        let step = serde_json::json!({ "id": "s", "type": "wait", "name": "s", "wait": { "ms": 1 }, "notes": notes });
        serde_json::from_value(step).unwrap()
    }

    #[test]
    fn a_paper_is_there_for_what_is_written_and_for_what_is_being_written() {
        let room = |lines, cut| Some(Room { lines, cut });
        let shown = Papers { shown: true, open: None };
        assert_eq!(shown.of_step(&step("Ask Ada.")), room(1, false));
        assert_eq!(shown.of_step(&step(&"Ask Ada. ".repeat(90))), room(6, true));
        assert_eq!(shown.of_step(&step(" \n")), None);
        assert_eq!(Papers::default().of_step(&step("Ask Ada.")), None);
        let open = Papers { shown: false, open: Some(NoteOf::Step("s".to_owned())) };
        assert_eq!(open.of_step(&step("")), room(3, false));
        assert_eq!(open.of_step(&step(&"Ask Ada.\n".repeat(90))), room(14, false));
        assert_eq!(open.of_workflow(&Document::new("t")), None);
    }
}
