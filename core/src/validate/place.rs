//! A text of a document that reads names, and what to write in it instead.

use crate::language::renaming::{Change, Changes, Form, Found, with_fallbacks};
use crate::language::{Access, Need, Read, Span};
use crate::letters;
use crate::problem::Fix;

/// A text, and where it is in the document.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub(super) text: &'t str,
    pub(super) form: Form,
    pub(super) path: &'t str,
}

impl Place<'_> {
    /// The text in which what is read has another name.
    pub(super) fn called(self, read: &Read<'_>, name: &str) -> Option<Fix> {
        let change = |old: &str| [Change { old: old.to_owned(), new: Some(name.to_owned()) }];
        let found = match read.access {
            Access::Key(key) => Changes { keys: &change(key), ..Changes::default() }.of(self.text, self.form),
            Access::Output(step) => {
                Changes { output: change(step).first(), ..Changes::default() }.of(self.text, self.form)
            }
            Access::AnyKey | Access::AnyOutput => return None,
        };
        match found {
            Found::Used(text) => Some(Fix { label: format!("write `{name}`"), text }),
            Found::Nothing | Found::Stuck => None,
        }
    }

    /// The text where only what is taken of a value may be absent.
    pub(super) fn member_fallback(self, read: &Read<'_>) -> Option<Fix> {
        if !read.takes_one() {
            return self.fallback(read);
        }
        let behind = self.need(read).fallback();
        let (before, rest) = self.text.split_at_checked(read.chain.end as usize)?;
        Some(Fix { label: format!("write `| {behind}`"), text: format!("{before} | {behind}{rest}") })
    }

    /// What is written there.
    pub(super) fn defaulted_member(self, read: &Read<'_>) -> String {
        match read.takes_one() {
            true => format!("`{} | {}`", read.path.span.of(self.text), self.need(read).fallback()),
            false => self.defaulted(read),
        }
    }

    /// The text in which a plain word has another name.
    pub(super) fn named(self, word: &str, span: Span, name: &str) -> Option<Fix> {
        let is_plain = span.of(self.text) == word && letters::is_name(name);
        let text = || {
            Some([self.text.get(..span.start as usize)?, name, self.text.get(span.end as usize..)?].concat())
        };
        Some(Fix { label: format!("write `{name}`"), text: is_plain.then(text)?? })
    }

    pub(super) fn fallback(self, read: &Read<'_>) -> Option<Fix> {
        self.fallbacks(&[(read, self.need(read))])
    }

    pub(super) fn fallbacks(self, values: &[(&Read<'_>, Need)]) -> Option<Fix> {
        let text = with_fallbacks(self.text, self.form, values)?;
        let (one, first) = values.first()?;
        if values.len() == 1 && one.value != one.path.span {
            return Some(Fix { label: format!("write {}", self.defaulted(one)), text });
        }
        let filter = match values.iter().all(|(_, need)| need == first) {
            true => first.fallback(),
            false => "default(…)",
        };
        let each = if values.len() > 1 { " behind each" } else { "" };
        Some(Fix { label: format!("write `| {filter}`{each}"), text })
    }

    /// What a value has to be, or what stands for it: the items of a foreach are a list.
    pub(super) fn need(self, read: &Read<'_>) -> Need {
        match read.need {
            Need::Anything if self.path.ends_with(".items") => Need::List,
            need => need,
        }
    }

    /// What is written where the value may be absent.
    pub(super) fn defaulted(self, read: &Read<'_>) -> String {
        format!("`{}`", read.path.guarded(self.text, self.need(read)))
    }

    /// The text in which these words stand in quotes.
    pub(super) fn quoted(self, words: &[Span]) -> Option<Fix> {
        let (mut text, mut done) = (String::new(), 0);
        for word in words {
            text.extend([self.text.get(done..word.start as usize)?, "'", word.of(self.text), "'"]);
            done = word.end as usize;
        }
        text.push_str(self.text.get(done..)?);
        let label = match words {
            [only] => format!("write `'{}'`", only.of(self.text)),
            _ => "write each key in quotes".to_owned(),
        };
        Some(Fix { label, text })
    }

    pub(super) fn instead(self, word: Span, text: &str) -> Option<Fix> {
        let text = text.trim_matches('`');
        // `steps.` stands before it already.
        let before = self.text.get(..word.start as usize)?;
        let before = before.strip_suffix("steps.").filter(|_| text.starts_with("steps[")).unwrap_or(before);
        let written = format!("{before}{text}{}", self.text.get(word.end as usize..)?);
        Some(Fix { label: format!("write `{text}`"), text: written })
    }
}
