//! What is said of a name that is read.

use indexmap::IndexSet;
use serde_json::Value;

use super::Reader;
use crate::language::{Access, BareKey, Need, Read, Span};
use crate::problem::{Fix, Problem};
use crate::shape::listed;
use crate::state::{output_key, step_of_output_key};
use crate::validate::known::{Certainty, Openness, Scene};
use crate::validate::place::Place;
use crate::validate::wording::shortened;

/// Longer names are not listed: thousands of problems may list the same.
const LONGEST_LISTED: usize = 100;

impl Reader<'_, '_> {
    pub(super) fn text(
        &mut self,
        place: Place<'_>,
        reads: &[Read<'_>],
        dashed: &[Span],
        bare: &[BareKey],
        scene: &Scene,
    ) {
        let Place { text, path, .. } = place;
        let (mut reported_keys, mut reported_outputs) = (IndexSet::new(), IndexSet::new());
        let mut meant: Vec<Span> = Vec::new();
        for &word in dashed {
            if let Some((instead, what)) = self.all.dashed(text, word) {
                meant.push(word);
                let name = word.of(text);
                let message = format!("`{name}` is read as a subtraction, and not as {what}");
                let problem = Problem::warning(path, "dash_in_name", message, format!("write {instead}"));
                let fix = self.mended(place.text, || place.instead(word, &instead));
                self.problems.push(problem.with_fix(fix));
            }
        }
        let is_meant = |bare: &&BareKey| {
            let key = bare.key.of(text);
            !scene.has_key(key) || key == bare.value.of(text)
        };
        let meant_so: IndexSet<u32> = bare.iter().filter(is_meant).map(|bare| bare.key.start).collect();
        let is_bare = |span: &Span| meant_so.contains(&span.start);
        let bare: Vec<Span> = reads.iter().map(|read| read.span).filter(is_bare).collect();
        if let Some(first) = bare.first() {
            let key = first.of(text);
            let message = format!("`{key}` before a colon is read as a name, and its value is the key");
            let hint = format!("write `'{key}'` for a key that is called so, and `({key})` for the value");
            let problem = Problem::warning(path, "bare_key", message, hint);
            let fix = self.mended(text, || place.quoted(&bare));
            self.problems.push(problem.with_fix(fix));
        }
        let uncertain: Vec<(&Read<'_>, Need)> = reads
            .iter()
            .filter(|read| is_uncertain(read, scene))
            .map(|read| (read, place.need(read)))
            .collect();
        for read in reads.iter().filter(|read| !read.has_fallback) {
            let before = meant.partition_point(|word| word.start <= read.span.start);
            let is_part =
                meant.get(..before).and_then(<[_]>::last).is_some_and(|word| read.span.end <= word.end);
            let (name, reported) = match read.access {
                Access::Key(key) if key != "loop" => (key, &mut reported_keys),
                Access::Output(step) if !scene.has_key("steps") => (step, &mut reported_outputs),
                _ => continue,
            };
            if is_part || reported.contains(name) || is_bare(&read.span) {
                continue;
            }
            let problem = match read.access {
                // What ends one of them ends all of them: nobody wants only half of a text mended.
                _ if is_uncertain(read, scene) => {
                    let fix = self.mended(place.text, || place.fallbacks(&uncertain));
                    Some(uncertain_name(place, read, scene).with_fix(fix))
                }
                Access::Output(_) => self.output(name, place, read, scene),
                _ => self.key(name, place, read, scene),
            };
            if let Some(problem) = problem {
                reported.insert(name);
                self.problems.push(problem);
            } else if let Some(problem) = self.member(place, read).or_else(|| self.compared(place, read)) {
                self.problems.push(problem);
            }
        }
    }

    /// What is compared with a text that it never is, by its schema.
    fn compared(&mut self, place: Place<'_>, read: &Read<'_>) -> Option<Problem> {
        let (text, span) = read.compared?;
        let values = self.answers.values(read)?;
        if values.iter().any(|value| value == text) {
            return None;
        }
        let texts = || values.iter().filter_map(Value::as_str).filter(|text| text.len() <= LONGEST_LISTED);
        let near = self.suggestions.nearest(text, texts());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", listed(texts().take(12))),
        };
        let plain = near.filter(|near| !near.contains(['\'', '\\', '`']));
        let fix = self.mended(place.text, || place.instead(span, &format!("'{}'", plain?)));
        let message = format!("`{}` is never `{}`", read.path.span.of(place.text), shortened(text));
        Some(Problem::warning(place.path, "unknown_value", message, hint).with_fix(fix))
    }

    /// What is taken of a value whose schema has no such key, or does not require it.
    fn member(&mut self, place: Place<'_>, read: &Read<'_>) -> Option<Problem> {
        let (key, span) = read.member.filter(|_| !read.is_caught)?;
        let what = self.answers.shape(read)?;
        let value = read.value.of(place.text);
        if !what.has(key) {
            let near = self.suggestions.nearest(key, what.keys());
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if what.is_closed() => {
                    format!("it has {}", listed(what.keys().take(12)).replace(" or ", " and "))
                }
                None => return None,
            };
            let fix = self.mended(place.text, || near.and_then(|near| place.named(key, span, near)));
            let message = format!("the schema of `{value}` has no `{key}`");
            return Some(Problem::warning(place.path, "unknown_member", message, hint).with_fix(fix));
        }
        if read.is_conditional || !what.may_lack(key) {
            return None;
        }
        let message = format!("`{value}.{key}` is not there in every run: its schema does not require it");
        let hint = format!("write {}", place.defaulted_member(read));
        let fix = self.mended(place.text, || place.member_fallback(read));
        Some(Problem::warning(place.path, "uncertain_member", message, hint).with_fix(fix))
    }

    fn key(&mut self, key: &str, place: Place<'_>, read: &Read<'_>, scene: &Scene) -> Option<Problem> {
        let path = place.path;
        if scene.key(key).is_some() {
            return None;
        }
        let near = self.nearest(key, scene);
        if !self.is_reported(key, near, scene) {
            return None;
        }
        // What reads an answer of a step that was renamed means the only answer that there is.
        let only_answer = || {
            let mut answers =
                scene.keys().filter(|key| step_of_output_key(key).is_some_and(|step| step != self.own));
            let is_answer = step_of_output_key(key).is_some();
            answers.next().filter(|_| is_answer && answers.next().is_none())
        };
        let near = near.or_else(only_answer).filter(|_| !self.all.has_key(key));
        let fix = self.mended(place.text, || {
            near.and_then(|near| place.called(read, near)).or_else(|| place.fallback(read))
        });
        Some(
            match near {
                Some(near) => nothing_gives(key, path, format!("did you mean `{near}`?")),
                None => self.not_given(key, path, scene, place.defaulted(read).trim_matches('`')),
            }
            .with_fix(fix),
        )
    }

    /// What a key may mean that nothing gives.
    pub(super) fn nearest<'s>(&mut self, key: &str, scene: &'s Scene) -> Option<&'s str> {
        let own = output_key(&self.own);
        self.suggestions.nearest(key, scene.keys().filter(|name| **name != own))
    }

    /// Whether it is told that nothing gives a key here, or only what comes later.
    pub(super) fn is_reported(&self, key: &str, near: Option<&str>, scene: &Scene) -> bool {
        let is_later = self.all.has_key(key);
        let is_answer = step_of_output_key(key).is_some();
        match scene.openness {
            Openness::Closed => true,
            Openness::Lenient => near.is_some() || is_later || is_answer,
            // Answers come from steps alone.
            Openness::Open => is_answer && (near.and_then(step_of_output_key).is_some() || is_later),
        }
    }

    /// What is said of a key that is not there, and what may be written instead of it.
    pub(super) fn not_given(&self, key: &str, path: &str, scene: &Scene, instead: &str) -> Problem {
        let fallback = format!("give it in `initialState` or `input`, or write `{instead}`");
        if self.all.has_key(key) {
            let message = format!("`{key}` is not there yet: only later steps or other ways give it");
            return Problem::warning(path, "unknown_name", message, fallback);
        }
        let hint = match scene.keys().next() {
            None => format!("the state is empty here; {fallback}"),
            Some(_) => format!(
                "there is {}; {fallback}",
                listed(scene.keys().filter(|key| key.len() < LONGEST_LISTED).take(12))
                    .replace(" or ", " and "),
            ),
        };
        nothing_gives(key, path, hint)
    }

    fn fallback(&self, place: Place<'_>, read: &Read<'_>) -> Option<Fix> {
        self.mended(place.text, || place.fallback(read))
    }

    pub(super) fn mended(&self, text: &str, mend: impl FnOnce() -> Option<Fix>) -> Option<Fix> {
        self.mendable.set(self.mendable.get().checked_sub(text.len())?);
        mend()
    }

    fn output(&mut self, step: &str, place: Place<'_>, read: &Read<'_>, scene: &Scene) -> Option<Problem> {
        let path = place.path;
        if scene.output(step).is_some() {
            return None;
        }
        if self.all.has_step(step) {
            let message = format!("the step `{step}` has not run yet where its output is read");
            let hint = format!("move it up, or write {}", place.defaulted(read));
            let problem = Problem::warning(path, "unknown_step", message, hint);
            return Some(problem.with_fix(self.fallback(place, read)));
        }
        let others = self.all.steps().filter(|name| *name != self.own);
        let near = self.suggestions.nearest(step, others);
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use {}", listed(self.all.steps().take(12))),
        };
        let problem = Problem::warning(path, "unknown_step", format!("there is no step `{step}`"), hint);
        let fix = self.mended(place.text, || place.called(read, near?));
        Some(problem.with_fix(fix))
    }
}

/// Whether what gives this may be left out, and nothing in the text says what holds then.
fn is_uncertain(read: &Read<'_>, scene: &Scene) -> bool {
    let is_open = matches!(read.access, Access::Key(_)) && scene.openness == Openness::Open;
    certainty_of(read, scene).is_some_and(|certainty| certainty != Certainty::Sure)
        && !is_open
        && !read.has_fallback
        && !read.is_conditional
}

fn certainty_of(read: &Read<'_>, scene: &Scene) -> Option<Certainty> {
    match read.access {
        Access::Key(key) if key != "loop" => scene.key(key),
        Access::Output(step) if !scene.has_key("steps") => scene.output(step),
        _ => None,
    }
}

fn uncertain_name(place: Place<'_>, read: &Read<'_>, scene: &Scene) -> Problem {
    let name = read.value.of(place.text);
    let is_later = certainty_of(read, scene) == Some(Certainty::Later);
    let why = match is_later {
        true => "has no value in the first round: what gives it comes later",
        false => "is not there in every run: what gives it may be left out",
    };
    let hint = match read.access {
        Access::Key(_) if is_later => fallback(place, read),
        _ => format!("write {}, or test it with `is defined`", place.defaulted(read)),
    };
    Problem::warning(place.path, "uncertain_name", format!("`{name}` {why}"), hint)
}

pub(super) fn nothing_gives(key: &str, path: &str, hint: String) -> Problem {
    Problem::warning(path, "unknown_name", format!("nothing gives `{key}` before this"), hint)
}

fn fallback(place: Place<'_>, read: &Read<'_>) -> String {
    format!("give it in `initialState` or `input`, or write {}", place.defaulted(read))
}
