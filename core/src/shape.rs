//! The language in which the document's grammar is written down.
//!
//! One table ([`crate::grammar`]) says what a document looks like.
//! The validator walks it, and the published JSON Schema is made from it, so that the two cannot disagree.

use crate::state::step_of_output_key;

/// What a value may be.
#[derive(Debug)]
pub enum Shape {
    /// Any JSON value.
    Any,
    /// Any JSON object.
    Record,
    /// Any JSON object, of which these keys are known.
    RecordWith(&'static ObjectShape),
    /// A JSON Schema: an object or a boolean.
    Schema,
    /// A text of at least one and at most [`MAX_NAME`] characters.
    Name(Role),
    /// Any text.
    Text(Role),
    /// A whole number within these bounds.
    Integer(u64, u64),
    /// A number within these bounds.
    Number(f64, f64),
    /// `true` or `false`.
    Boolean,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// One of these texts, or an object with exactly one of these fields.
    ChoiceOr(&'static [&'static str], &'static ObjectShape),
    /// True or false, or an object with exactly one of the keys.
    BooleanOr(&'static ObjectShape),
    /// A list of names.
    Names(Role),
    /// One of these texts, or a list of names.
    ChoiceOrNames(&'static [&'static str], Role),
    /// Any JSON, whose strings are templates.
    Data,
    /// An object with these fields.
    Object(&'static ObjectShape),
    /// An object with exactly one of these fields.
    OneOf(&'static ObjectShape),
    /// A text, or an object with exactly one of these fields.
    TextOr(Role, &'static ObjectShape),
    /// An object whose keys are free and whose values are all of one shape.
    Map(Keys, &'static Shape),
    /// A list of steps.
    Steps,
    /// A list of at least one object with these fields.
    List(&'static ObjectShape),
}

/// What the keys of a map are the names of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Nothing else in the document refers to them.
    Free,
    /// Agents name them.
    Models,
    /// Agent steps name them.
    Agents,
    /// Agents name them too.
    Tools,
    /// They become keys of the state.
    State,
}

/// The meaning of a string, beyond its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Nothing that the validator looks into.
    Plain,
    /// The id of a step.
    StepId,
    /// The name of a step.
    StepName,
    /// A key of `agents`.
    AgentRef,
    /// A key of `models`.
    ModelRef,
    /// A key of `tools`.
    ToolRef,
    /// A template.
    Template,
    /// An expression.
    Expression,
    /// A key of the state.
    StateKey,
    /// The name of a secret.
    SecretName,
}

/// The fields of an object.
#[derive(Debug)]
pub struct ObjectShape {
    /// What people call such an object.
    pub title: &'static str,
    /// The keys it may have, besides those that begin with `x-`.
    pub fields: &'static [Field],
}

/// One key of an object.
#[derive(Debug)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// What its value may be.
    pub shape: Shape,
    /// Whether it must be there.
    pub presence: Presence,
    /// What it is for, in a few words. Without the feature `schema` it is set for required keys only, whose absence
    /// is a problem.
    pub purpose: &'static str,
}

/// Whether a key must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must.
    Required,
    /// It may be left out.
    Optional,
    /// Among alternatives, it is none of them and may stand beside this one.
    Beside(&'static str),
}

/// The longest name or id, in characters.
pub const MAX_NAME: usize = 200;

impl ObjectShape {
    /// The field of this key.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The fields that are alternatives of each other.
    pub fn alternatives(&self) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().filter(|field| !matches!(field.presence, Presence::Beside(_)))
    }

    /// The keys, as a person would list them.
    pub fn listed(&self) -> String {
        listed(self.alternatives().map(|field| field.key))
    }
}

/// The word with the article that it takes, if it takes one: "a tool", "an agent", "undefined".
pub fn with_article(word: &str) -> String {
    let article = match word {
        "undefined" | "none" => return word.to_owned(),
        // The words with a `u` that occur here begin like `unit`.
        word if word.starts_with(['a', 'e', 'i', 'o']) => "an ",
        _ => "a ",
    };
    [article, word].concat()
}

/// Words as a person would list them: "`a`, `b` or `c`".
pub fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    joined(&words.map(|word| format!("`{word}`")).collect::<Vec<_>>())
}

/// Apart from the iterators, of which there are many: this is in the engine once.
fn joined(words: &[String]) -> String {
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// A text, or its first characters where there are more.
pub fn cut(text: String, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// How often a part stands in a text.
pub fn occurrences(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// The word that somebody who wrote `word` probably meant.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    Suggestions::default().nearest(word, known)
}

/// How far another name is.
const FAR: usize = usize::MAX;

/// Words that somebody probably meant, for all the unknown ones of a document. Two words are compared in the product of
/// their lengths, so that thousands of words, or two of a megabyte, would take minutes: what is beyond a bound is
/// compared with nothing.
pub(crate) struct Suggestions {
    /// How many pairs of bytes may still be compared.
    left: usize,
}

impl Default for Suggestions {
    fn default() -> Self {
        Self::within(10_000_000)
    }
}

impl Suggestions {
    /// At most so many pairs of bytes are compared.
    pub(crate) fn within(left: usize) -> Self {
        Self { left }
    }

    pub(crate) fn nearest<'a>(
        &mut self,
        word: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Option<&'a str> {
        let mut best: Option<(usize, &str)> = None;
        for candidate in known {
            let distance = self.distance(word, candidate)?;
            if distance < best.map_or(FAR, |(least, _)| least) {
                best = Some((distance, candidate));
            }
        }
        best.map(|(_, meant)| meant)
    }

    /// How far a word is from one that was perhaps meant; nothing where no more are compared.
    fn distance(&mut self, word: &str, candidate: &str) -> Option<usize> {
        // What all outputs end with makes none of them like another.
        let steps = step_of_output_key(word).zip(step_of_output_key(candidate));
        let (written, meant) = steps.unwrap_or((word, candidate));
        self.left = self.left.checked_sub(written.len().saturating_mul(meant.len()).max(1))?;
        let distance = strsim::osa_distance(written, meant);
        // A third of the characters may be wrong, and the end of a word may be missing: more is another name.
        let goes_on = || meant.as_bytes().get(written.len()) == Some(&b'_');
        let is_begun = written.len() > 1 && meant.starts_with(written) && !goes_on();
        let is_near = is_begun || distance <= written.chars().count().div_ceil(3);
        Some(if is_near { distance } else { FAR })
    }
}

#[cfg(test)]
mod tests {
    use super::{Suggestions, nearest, with_article};

    #[test]
    fn a_word_has_the_article_that_it_takes() {
        let words = ["agent", "tool", "iterable", "unit", "undefined", "none"].map(with_article);
        assert_eq!(words, ["an agent", "a tool", "an iterable", "a unit", "undefined", "none"]);
    }

    #[test]
    fn a_word_is_near_by_what_is_its_own() {
        let near = |word: &str, known: &[&'static str]| nearest(word, known.iter().copied());
        assert_eq!(near("reprot_output", &["topic", "report_output"]), Some("report_output"));
        assert_eq!(near("market_output", &["risks_output", "sales_output"]), None);
        assert_eq!(near("outptu", &["output"]), Some("output"));
        assert_eq!(near("ma", &["topic", "mailing", "mail"]), Some("mail"));
        assert_eq!(near("class_output", &["classify_output"]), Some("classify_output"));
        assert_eq!(near("t", &["topic"]), None);
        assert_eq!(near("mail", &["mail_output", "mail_address"]), None);
    }

    #[test]
    fn words_are_compared_within_a_bound() {
        let (long, longer) = ("a".repeat(1_000_000), "a".repeat(1_000_001));
        assert_eq!(nearest(&long, [longer.as_str()].into_iter()), None);
        let mut suggestions = Suggestions::default();
        let known = || std::iter::repeat_n("output", 1_000_000);
        assert_eq!(suggestions.nearest("outptu", known().take(10)), Some("output"));
        assert_eq!(suggestions.nearest("outptu", known()), None);
    }
}
