//! A text of code as its editor shows it: what its pieces are, and where something is wrong.

use serde::Serialize;
use stepweave_core::language::{Access, Expression, Read, Span, SyntaxError, Template, Word};

use super::problem::Problem;
use super::written::place_of;

/// What a field of code holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Text with expressions in `{{ }}`.
    Template,
    /// An expression alone.
    Expression,
    /// JSON.
    Json,
    /// JSON whose texts are templates, which a request sends.
    JsonTemplate,
    /// JavaScript.
    JavaScript,
}

impl Code {
    /// The word by which the editor knows it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Expression => "expression",
            Self::Json | Self::JsonTemplate => "json",
            Self::JavaScript => "javascript",
        }
    }
}

/// What is known of a text. Its positions are those of JavaScript, in units of UTF-16.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Reading {
    /// Where each piece begins and ends, and the number of its kind.
    pub words: Vec<u32>,
    /// What is wrong with it.
    pub flaws: Vec<Flaw>,
}

/// A piece of a text that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flaw {
    /// Where it begins.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// What is wrong.
    pub message: String,
    /// `error` or `warning`.
    pub severity: String,
}

/// Reads a text. Of the problem that the validator has found in it, it says where.
pub fn read(text: &str, code: Code, problem: Option<&Problem>) -> Reading {
    match code {
        Code::Template => {
            let template = Template::parse(text);
            let names = template.as_ref().map(|template| (template.reads(), template.dashed()));
            written(text, Word::of_template(text), names.map_err(Clone::clone), problem)
        }
        // A field that is left empty says nothing wrong.
        Code::Expression if text.trim().is_empty() => Reading::default(),
        Code::Expression => {
            let expression = Expression::parse(text);
            let names = expression.as_ref().map(|expression| (expression.reads(), expression.dashed()));
            written(text, Word::of_expression(text), names.map_err(Clone::clone), problem)
        }
        Code::Json => Reading { words: Vec::new(), flaws: json(text).into_iter().collect() },
        Code::JsonTemplate => {
            let inside = || problem.and_then(|problem| inside(text, problem));
            Reading { words: Vec::new(), flaws: json(text).or_else(inside).into_iter().collect() }
        }
        Code::JavaScript => Reading::default(),
    }
}

/// How many units of UTF-16 stand before a byte.
pub fn units(text: &str, byte: usize) -> u32 {
    let before = text.get(..byte).unwrap_or(text);
    u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX)
}

/// The byte behind so many units of UTF-16.
pub fn byte(text: &str, units: u32) -> usize {
    let mut left = units as usize;
    let mut letters = text.char_indices();
    let found = letters.find(|(_, letter)| {
        let is_here = left == 0;
        left = left.saturating_sub(letter.len_utf16());
        is_here
    });
    found.map_or(text.len(), |(at, _)| at)
}

fn written(
    text: &str,
    words: Vec<(Word, Span)>,
    names: Result<(Vec<Read<'_>>, Vec<Span>), SyntaxError>,
    problem: Option<&Problem>,
) -> Reading {
    let mut ruler = Ruler { text, byte: 0, units: 0 };
    let words = words
        .into_iter()
        .flat_map(|(word, span)| [ruler.at(span.start as usize), ruler.at(span.end as usize), word as u32])
        .collect();
    let flaws = match names {
        Err(fault) => vec![Flaw {
            from: units(text, fault.span.start as usize),
            to: units(text, fault.span.end as usize),
            message: match (problem.filter(|problem| is_prose(problem)), fault.hint) {
                (Some(problem), _) => format!("{}: {}", problem.message, problem.hint),
                (None, Some(hint)) => format!("{}: {hint}", fault.message),
                (None, None) => fault.message,
            },
            severity: "error".to_owned(),
        }],
        Ok((reads, dashed)) => {
            problem.map(|problem| named(text, &reads, &dashed, problem)).unwrap_or_default()
        }
    };
    Reading { words, flaws }
}

/// Whether the validator has found that a text is no attempt at an expression, which the language by itself does not say.
fn is_prose(problem: &Problem) -> bool {
    problem.code == "expression_syntax" && problem.fix.is_some()
}

/// Where the names stand that a problem is about.
fn named(text: &str, reads: &[Read<'_>], dashed: &[Span], problem: &Problem) -> Vec<Flaw> {
    let is_meant = |name: &str| problem.message.contains(&format!("`{name}`"));
    let read = reads.iter().filter(|read| match read.access {
        Access::Key(key) => is_meant(key),
        Access::Output(step) => is_meant(step) || is_meant(&format!("steps.{step}.output")),
        Access::AnyKey | Access::AnyOutput => false,
    });
    let spans =
        read.map(|read| read.span).chain(dashed.iter().copied().filter(|word| is_meant(word.of(text))));
    spans
        .map(|span| Flaw {
            from: units(text, span.start as usize),
            to: units(text, span.end as usize),
            message: format!("{}: {}", problem.message, problem.hint),
            severity: problem.severity.clone(),
        })
        .collect()
}

/// Where in what a request sends the text stands that a problem is about.
fn inside(text: &str, problem: &Problem) -> Option<Flaw> {
    let (_, path) = problem.path.split_once(".body.json")?;
    let (place, _) = place_of(text, path, "");
    Some(Flaw {
        from: units(text, place.span.start),
        to: units(text, place.span.end),
        message: format!("{}: {}", problem.message, problem.hint),
        severity: problem.severity.clone(),
    })
}

fn json(text: &str) -> Option<Flaw> {
    if text.trim().is_empty() {
        return None;
    }
    let fault = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    let (place, message) = place_of(text, "", &fault.to_string());
    let (from, to) = (units(text, place.span.start), units(text, place.span.end));
    Some(Flaw { from, to, message, severity: "error".to_owned() })
}

/// Counts the units of UTF-16 before bytes that come in their order, each letter once.
struct Ruler<'t> {
    text: &'t str,
    byte: usize,
    units: u32,
}

impl Ruler<'_> {
    fn at(&mut self, byte: usize) -> u32 {
        let between = self.text.get(self.byte..byte).unwrap_or_default();
        self.units += u32::try_from(between.encode_utf16().count()).unwrap_or_default();
        self.byte = byte.max(self.byte);
        self.units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(message: &str) -> Problem {
        let (path, hint) = (String::new(), "do this".to_owned());
        Problem {
            path,
            code: String::new(),
            message: message.to_owned(),
            hint,
            severity: "warning".to_owned(),
            fix: None,
        }
    }

    /// The piece of the text, and what is said of it.
    fn said(text: &str, code: Code, problem: Option<&Problem>) -> Vec<(String, String)> {
        let wide: Vec<u16> = text.encode_utf16().collect();
        let flaws = read(text, code, problem).flaws.into_iter();
        let piece = |flaw: &Flaw| wide.get(flaw.from as usize..flaw.to as usize).unwrap_or_default().to_vec();
        flaws.map(|flaw| (String::from_utf16(&piece(&flaw)).unwrap(), flaw.message)).collect()
    }

    #[test]
    fn positions_are_those_of_javascript() {
        assert_eq!(read("🐝 {{ größe }}", Code::Template, None).words, [3, 5, 0, 6, 11, 2, 12, 14, 0]);
        for (unit, at) in [(0, 0), (2, 4), (3, 5), (99, 6)] {
            assert_eq!(byte("🐝 b", unit), at);
        }
        assert_eq!(units("🐝 b", 5), 3);
    }

    #[test]
    fn what_cannot_be_read_is_marked_where_it_stands() {
        assert_eq!(said("🐝 {{ a ? b }}", Code::Template, None)[0].0, "?");
        assert_eq!(said("a | uper", Code::Expression, None)[0].0, "uper");
        assert_eq!(said("", Code::Expression, None), []);
        let broken = said("{\n  \"ä\": [1,\n  x]\n}", Code::Json, None);
        assert_eq!(broken, [("x".to_owned(), "expected value".to_owned())]);
        for broken in ["{\n  \"a\":\n  tru\n}", "[1,\n  tru]"] {
            assert_eq!(said(broken, Code::Json, None)[0].0, "tru");
        }
        assert_eq!(said("{ \"a\": 1 }", Code::Json, None), []);
        assert_eq!(said("{ \"a\": ", Code::Json, None).len(), 1);
    }

    #[test]
    fn a_template_that_ends_too_early_is_marked_where_it_stands_in_json() {
        let path = "steps[0].http.body.json.list[1].b".to_owned();
        let open = Problem { path, ..problem("unexpected end of input") };
        let text = "{ \"a\": \"🐝\", \"list\": [1, { \"b\": \"{{ key\" }] }";
        let marked = said(text, Code::JsonTemplate, Some(&open));
        assert_eq!(marked, [("\"{{ key\"".to_owned(), "unexpected end of input: do this".to_owned())]);
        assert_eq!(said("{ \"a\": ", Code::JsonTemplate, Some(&open)).len(), 1);
        assert_eq!(said(text, Code::JsonTemplate, None), []);
    }

    #[test]
    fn a_problem_of_the_validator_is_marked_at_its_names() {
        let unknown = problem("nothing gives `topc` before this");
        let marked = said("{{ topc }} and {{ topic }}", Code::Template, Some(&unknown));
        assert_eq!(marked, [("topc".to_owned(), "nothing gives `topc` before this: do this".to_owned())]);
        let absent = problem("there is no step `draft`");
        assert_eq!(said("steps.draft.output", Code::Expression, Some(&absent))[0].0, "draft");
        let dash = problem("`draft-one` is read as a subtraction, and not as a step");
        assert!(
            said("draft-one", Code::Expression, Some(&dash)).iter().any(|(piece, _)| piece == "draft-one")
        );
        assert_eq!(said("topic", Code::Expression, Some(&problem("must not be empty"))), []);
    }
}
