//! What is wrong with the document, and which field of which step each problem is about.

use std::collections::HashMap;

use serde::Deserialize;
use stepweave_core::document::{Document, every_of};

use super::locate::step_at;

/// A problem of the document, as core and the engine report it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Problem {
    /// Where in the document.
    pub path: String,
    /// A stable word for the kind of problem; empty for those of the page alone.
    #[serde(default)]
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    #[serde(default)]
    pub hint: String,
    /// `error` or `warning`.
    pub severity: String,
    /// What certainly ends it.
    #[serde(default)]
    pub fix: Option<Fix>,
}

/// A text that ends a problem, instead of the one at its path.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Fix {
    /// What it does, with names in backticks.
    pub label: String,
    /// The text.
    pub text: String,
}

impl Fix {
    /// Whether it only says what holds where there is no value.
    pub fn is_fallback(&self) -> bool {
        self.label.contains("| default(")
    }

    /// What it does, for a button.
    pub fn title(&self) -> String {
        let mut plain = self.label.replace('`', "");
        if let Some(first) = plain.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        plain
    }
}

impl Problem {
    /// What to do, in the words of the page.
    pub fn advice(&self) -> String {
        match self.code.as_str() {
            "missing_origins" if self.path.starts_with("steps") => {
                "choose under “Allowed addresses” where it may go".to_owned()
            }
            "unknown_name" | "uncertain_name" => self.hint.replace(
                "give it in `initialState` or `input`",
                "add it to the initial state or the input of the workflow",
            ),
            _ => self.hint.clone(),
        }
    }

    /// Whether it is why a run failed: at the step of this id, at the setting that the message begins with.
    pub fn explains(&self, document: &Document, id: &str, message: &str) -> bool {
        let setting = message.strip_prefix('`').and_then(|rest| rest.split_once('`'));
        let at = step_at(document, &self.path);
        setting.zip(at).is_some_and(|((setting, _), (step, field))| step.id == id && field == setting)
    }

    /// Whether the document cannot be run with it.
    pub fn is_error(&self) -> bool {
        self.severity == "error"
    }
}

/// Sorts problems as a person mends them: what keeps the workflow from running first, then in the order of the steps,
/// behind what is wrong with the workflow itself.
pub fn sort(document: &Document, problems: &mut [Problem]) {
    let places: HashMap<&str, usize> =
        every_of(document).enumerate().map(|(at, step)| (step.id.as_str(), at + 1)).collect();
    let place = |problem: &Problem| {
        step_at(document, &problem.path).and_then(|(step, _)| places.get(step.id.as_str()).copied())
    };
    problems.sort_by_cached_key(|problem| (!problem.is_error(), place(problem)));
}

impl From<stepweave_core::problem::Problem> for Problem {
    fn from(problem: stepweave_core::problem::Problem) -> Self {
        let severity = match problem.severity {
            stepweave_core::problem::Severity::Error => "error",
            stepweave_core::problem::Severity::Warning => "warning",
        };
        let (path, message, hint) = (problem.path, problem.message, problem.hint);
        let fix = problem.fix.map(|fix| Fix { label: fix.label, text: fix.text });
        let code = problem.code.to_owned();
        Self { path, code, message, hint, severity: severity.to_owned(), fix }
    }
}

/// The field of the workflow itself that may hold a draft.
pub const INITIAL_STATE: &str = "initialState";

/// The schema of what a run is given, whose fields may hold drafts too.
pub const INPUT: &str = "input";

/// The JSON of the whole workflow, which may be a draft too.
pub const DOCUMENT: &str = "document";

/// The bounds on what a run may use, whose fields may hold drafts too.
pub const LIMITS: &str = "limits";

/// What the keys of half written answers to a run begin with: they are beside the document.
pub const ANSWER: &str = "answer/";

/// What was typed for a run that has not begun, which is beside the document too.
pub const GIVEN: &str = "given";

/// The key of a draft: the text of a field that is no valid value yet. A field of the workflow itself has no step.
pub fn draft_key(step: Option<&str>, field: &str) -> String {
    match step {
        Some(step) => format!("{field}@{step}"),
        None => field.to_owned(),
    }
}

/// Those of these keys that belong to rows of the field with this key.
pub fn rows_of<'a>(keys: impl Iterator<Item = &'a String>, field: &str) -> Vec<String> {
    let of_step = field.rsplit_once('@');
    let is_row = |key: &&String| {
        let rest = key.strip_prefix(field).filter(|rest| !rest.contains('@'));
        let in_step = || of_step.and_then(|(field, step)| key.strip_prefix(field)?.strip_suffix(step));
        rest.or_else(in_step).is_some_and(|rest| rest.starts_with('['))
    };
    keys.filter(is_row).cloned().collect()
}

/// The problems by what they are about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Flaws {
    by_step: HashMap<String, Vec<(String, Problem)>>,
    of_workflow: Vec<(String, Problem)>,
}

impl Flaws {
    /// Finds the step and field that each problem is about.
    pub fn of(document: &Document, problems: &[Problem]) -> Self {
        let mut own = Self::default();
        for problem in problems {
            match step_at(document, &problem.path) {
                Some((step, field)) => {
                    let flaws = own.by_step.entry(step.id.clone()).or_default();
                    flaws.push((field.to_owned(), problem.clone()));
                }
                None => own.of_workflow.push((problem.path.clone(), problem.clone())),
            }
        }
        own
    }

    /// The worst problem of a step.
    pub fn of_step(&self, id: &str) -> Option<&Problem> {
        let flaws = self.by_step.get(id)?;
        let worst = flaws.iter().find(|(_, problem)| problem.is_error()).or(flaws.first());
        worst.map(|(_, problem)| problem)
    }

    /// The worst problem of a field, or of something inside it. A field of the workflow itself has no step.
    pub fn at(&self, step: Option<&str>, field: &str) -> Option<&Problem> {
        self.worst(step, |path| {
            path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }

    /// The worst problem of a field, but of nothing inside it.
    pub fn right_at(&self, step: Option<&str>, field: &str) -> Option<&Problem> {
        self.worst(step, |path| path == field)
    }

    fn worst(&self, step: Option<&str>, about: impl Fn(&str) -> bool) -> Option<&Problem> {
        let flaws = match step {
            Some(step) => self.by_step.get(step)?,
            None => &self.of_workflow,
        };
        let mut own = flaws.iter().filter(|(path, _)| about(path)).map(|(_, problem)| problem);
        let first = own.clone().next();
        own.find(|problem| problem.is_error()).or(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stepweave_core::validate::check_structure;

    fn document() -> Document {
        serde_json::from_value(json!({ "version": 1, "name": "t", "tools": { "a@b": {} },
            "models": { "m": { "provider": "demo", "model": "demo" } }, "steps": [
            { "id": "s1", "type": "switch", "name": "w", "default": [], "cases": [
                { "when": "a", "steps": [{ "id": "s2", "type": "wait", "name": "p", "wait": { "ms": 1 } }] }] }] }))
        .unwrap()
    }

    #[test]
    fn a_problem_is_shown_at_its_field() {
        let text = json!({ "version": 1, "name": "t", "steps": [{ "id": "s1", "type": "switch", "name": "w", "default": [],
            "cases": [{ "when": 3, "steps": [{ "id": "s2", "type": "wait", "name": "p", "wait": { "ms": -1 } }] }] }] });
        let found: Vec<Problem> =
            check_structure(&text.to_string()).problems.into_iter().map(Problem::from).collect();
        let flaws = Flaws::of(&document(), &found);
        assert!(flaws.at(Some("s1"), "cases[0].when").is_some());
        assert!(flaws.at(Some("s1"), "cases[0]").is_some());
        assert!(flaws.right_at(Some("s1"), "cases[0]").is_none());
        assert!(flaws.at(Some("s2"), "wait.ms").is_some());
        assert!(flaws.at(Some("s2"), "wai").is_none());
        assert!(flaws.of_step("s2").is_some_and(Problem::is_error));
    }

    #[test]
    fn what_keeps_the_workflow_from_running_comes_first_and_then_what_comes_first_in_it() {
        let problem = |path: &str, severity: &str| -> Problem {
            serde_json::from_value(json!({ "path": path, "message": "", "severity": severity })).unwrap()
        };
        let mut found = [
            ("steps[0]", "warning"),
            ("steps[0].cases[0].steps[0].wait", "error"),
            ("models.m", "warning"),
            ("steps[0].cases[0].when", "error"),
            ("agents.a", "error"),
            ("steps[0].name", "error"),
        ]
        .map(|(path, severity)| problem(path, severity));
        sort(&document(), &mut found);
        assert_eq!(
            found.map(|problem| problem.path),
            [
                "agents.a",
                "steps[0].cases[0].when",
                "steps[0].name",
                "steps[0].cases[0].steps[0].wait",
                "models.m",
                "steps[0]",
            ]
        );
    }

    #[test]
    fn a_problem_is_why_its_step_failed_at_its_setting() {
        let document = document();
        let path = "steps[0].cases[0].steps[0].wait.until".to_owned();
        let found = Problem::from(stepweave_core::problem::Problem::error(path, "", "no", ""));
        let said = "`wait.until` has no value: there is no `x` in the state";
        assert!(found.explains(&document, "s2", said), "{found:?}");
        assert!(!found.explains(&document, "s1", said));
        assert!(!found.explains(&document, "s2", "`wait.ms` is no number"));
    }
}
