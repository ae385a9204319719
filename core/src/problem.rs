//! What is wrong with a document, and what to do about it.

use serde::Serialize;

/// One thing that is wrong, or looks wrong, in a document.
///
/// ```
/// let report = stepweave_core::validate::check_structure(r#"{ "version": 1, "name": "empty" }"#);
/// let problem = &report.problems[0];
/// assert_eq!((problem.path.as_str(), problem.code), ("steps", "missing_key"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where, such as `steps[2].parallel[0].inputFrom`; empty for the document itself.
    pub path: String,
    /// A stable word for the kind of problem.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// Whether the document can be run as it is.
    pub severity: Severity,
    /// What certainly ends it; nothing where somebody has to decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

/// A change that ends a problem: a text instead of the one at the problem's path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// What it does, for a button: ``write `topic` ``.
    pub label: String,
    /// The text.
    pub text: String,
}

/// Whether a problem keeps the document from being run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The document is refused.
    Error,
    /// The document runs, but hardly does what its author means.
    Warning,
}

/// The problems of a document, as many as have room: a document of 60 KB can have a million of them, or thousands that
/// each repeat a long name of it.
#[derive(Debug)]
pub(crate) struct Problems {
    kept: Vec<Problem>,
    /// How many bytes of text there is room for.
    room: usize,
    /// How many problems had none.
    more: usize,
    has_errors: bool,
}

impl Default for Problems {
    fn default() -> Self {
        Self { kept: Vec::new(), room: 4_000_000, more: 0, has_errors: false }
    }
}

impl Problems {
    pub(crate) fn push(&mut self, problem: Problem) {
        self.has_errors |= problem.severity == Severity::Error;
        let fix = problem.fix.as_ref().map_or(0, |fix| fix.label.len() + fix.text.len());
        let length = problem.path.len() + problem.message.len() + problem.hint.len() + fix;
        match self.room.checked_sub(length) {
            Some(room) if self.more == 0 => {
                self.room = room;
                self.kept.push(problem);
            }
            _ => self.more += 1,
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.has_errors
    }

    pub(crate) fn into_vec(mut self) -> Vec<Problem> {
        if self.more > 0 {
            let problem = if self.has_errors { Problem::error } else { Problem::warning };
            let message = format!("there are {} more problems", self.more);
            self.kept.push(problem("", "limit", message, "mend those before first"));
        }
        self.kept
    }
}

impl Problem {
    /// A problem that makes the document unusable.
    pub fn error(
        path: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        let (path, message, hint) = (path.into(), message.into(), hint.into());
        Self { path, code, message, hint, severity: Severity::Error, fix: None }
    }

    /// The same with what ends it, if that is known.
    #[must_use]
    pub fn with_fix(self, fix: Option<Fix>) -> Self {
        Self { fix, ..self }
    }

    /// A problem that a person should look at.
    pub fn warning(
        path: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, code, message, hint) }
    }
}
