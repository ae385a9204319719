//! Paths in a document.

use std::fmt::Write;
use std::rc::Rc;

use crate::json;
use crate::letters;

/// Keys of more bytes are cut in paths, which thousands of problems may have in common.
const LONGEST_KEY: usize = 500;
const SHOWN_OF_LONGER: usize = 100;

/// A path in the document; rendered only where a problem is reported.
#[derive(Clone)]
pub(super) struct Path<'a>(Option<Rc<(Path<'a>, Segment<'a>)>>);

#[derive(Clone, Copy)]
enum Segment<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// The document itself.
    pub(super) const ROOT: Self = Self(None);

    pub(super) fn key(&self, key: &'a str) -> Self {
        Self(Some(Rc::new((self.clone(), Segment::Key(key)))))
    }

    pub(super) fn index(&self, index: usize) -> Self {
        Self(Some(Rc::new((self.clone(), Segment::Index(index)))))
    }

    pub(super) fn render(&self) -> String {
        let mut segments = Vec::new();
        let mut at = self;
        while let Some(link) = &at.0 {
            segments.push(link.1);
            at = &link.0;
        }
        let mut text = String::new();
        for segment in segments.into_iter().rev() {
            let dot = if text.is_empty() { "" } else { "." };
            // Writing into a String cannot fail.
            let _ = match segment {
                Segment::Key(key) if key.len() > LONGEST_KEY => {
                    let shown: String = key.chars().take(SHOWN_OF_LONGER).chain(['…']).collect();
                    write!(text, "[{}]", json::text(&shown))
                }
                Segment::Key(key) if letters::is_plain(key) => write!(text, "{dot}{key}"),
                Segment::Key(key) => write!(text, "[{}]", json::text(key)),
                Segment::Index(index) => write!(text, "[{index}]"),
            };
        }
        text
    }
}
