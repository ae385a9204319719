//! Finding and replacing in every text of a workflow: names, prompts, code, expressions, notes.
//!
//! What is a text is for the grammar to say, so that ids, references and settings are left alone.

mod replace;
mod texts;

use stepweave_core::edit::Edit;
use stepweave_core::rename::Named;

pub use self::replace::{replace_all, replace_one};
pub use self::texts::texts;

/// A text of the workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Whose it is.
    pub owner: Owner,
    /// What it is, as people call it.
    pub field: String,
    /// The text.
    pub text: String,
    means: Means,
    path: Vec<Key>,
}

/// What a text is to the rest of the workflow.
#[derive(Debug, Clone, PartialEq)]
enum Means {
    /// Nothing refers to it.
    Itself,
    /// The name of a step.
    Step,
    /// The name of something else, which is the key of a map or the text of a field: a key of a state, an agent, a tool.
    Named(Named),
}

/// What a replacement does.
#[derive(Debug)]
pub struct Replaced {
    /// The change.
    pub edit: Edit,
    /// In how many more places something changed, because it is called by a name that was replaced.
    pub followed: usize,
}

/// Whose a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The workflow's own.
    Workflow,
    /// That of the step with this id.
    Step(String),
    /// That of this agent.
    Agent(String),
    /// That of this tool.
    Tool(String),
}

/// What is searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The text.
    pub text: String,
    /// Which letters count as the same.
    pub case: Case,
}

/// Which letters count as the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Case {
    /// Small and capital ones.
    #[default]
    Any,
    /// Only equal ones.
    Exact,
}

/// A place where what is searched for stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The number of the text.
    pub text: usize,
    /// Where it begins in it, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Key {
    Name(String),
    Index(usize),
}

/// Every place where it stands, in the order of the texts; in one text they do not overlap.
pub fn matches(texts: &[Text], wanted: &Wanted) -> Vec<Match> {
    let mut found = Vec::new();
    if wanted.text.is_empty() {
        return found;
    }
    let letters: Vec<char> = wanted.text.chars().flat_map(|letter| folded(letter, wanted.case)).collect();
    for (index, Text { text, .. }) in texts.iter().enumerate() {
        let mut from = 0;
        for (start, _) in text.char_indices() {
            let length = text
                .get(start..)
                .filter(|_| start >= from)
                .and_then(|rest| length(rest, &letters, wanted.case));
            if let Some(length) = length {
                from = start + length;
                found.push(Match { text: index, start, end: from });
            }
        }
    }
    found
}

fn folded(letter: char, case: Case) -> Vec<char> {
    match case {
        Case::Any => letter.to_lowercase().collect(),
        Case::Exact => vec![letter],
    }
}

/// How many bytes of the beginning of a text are what is searched for.
fn length(text: &str, letters: &[char], case: Case) -> Option<usize> {
    let mut rest = letters;
    for (at, letter) in text.char_indices() {
        if rest.is_empty() {
            return Some(at);
        }
        rest = rest.strip_prefix(folded(letter, case).as_slice())?;
    }
    rest.is_empty().then_some(text.len())
}

#[cfg(test)]
mod tests;
