//! Ids that must be unique and names that must lead somewhere.

use std::collections::BTreeMap;

use super::walk::Mention;
use crate::problem::{Fix, Problem, Problems};
use crate::shape::{Keys, Role, Suggestions, listed};

pub(super) fn check(mentions: &[Mention<'_>], problems: &mut Problems) {
    unique_ids(mentions, problems);
    unique_names(mentions, problems);
    references(mentions, Role::AgentRef, Keys::Agents, "agent", problems);
    references(mentions, Role::ModelRef, Keys::Models, "model", problems);
    references(mentions, Role::ToolRef, Keys::Tools, "tool", problems);
}

fn unique_ids(mentions: &[Mention<'_>], problems: &mut Problems) {
    for (mention, first) in repeated(mentions, |mention| mention.role == Role::StepId) {
        problems.push(Problem::error(
            mention.path.render(),
            "duplicate_id",
            format!("the id `{}` is already taken by `{}`", mention.text, first.path.render()),
            "give every step an id of its own",
        ));
    }
}

fn unique_names(mentions: &[Mention<'_>], problems: &mut Problems) {
    for (mention, first) in repeated(mentions, |mention| mention.role == Role::StepName) {
        problems.push(Problem::warning(
            mention.path.render(),
            "duplicate_name",
            format!("another step is called `{}` too (`{}`)", mention.text, first.path.render()),
            "give every step a name of its own, so that results and answers are told apart",
        ));
    }
}

/// Mentions whose text an earlier one has, each with that earlier one.
fn repeated<'a, 'b>(
    mentions: &'a [Mention<'b>],
    wanted: impl Fn(&Mention<'_>) -> bool,
) -> Vec<(&'a Mention<'b>, &'a Mention<'b>)> {
    let mut seen: BTreeMap<&str, &Mention<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for mention in mentions.iter().filter(|mention| wanted(mention)) {
        match seen.get(mention.text) {
            Some(first) => found.push((mention, *first)),
            None => {
                seen.insert(mention.text, mention);
            }
        }
    }
    found
}

fn references(mentions: &[Mention<'_>], role: Role, keys: Keys, title: &str, problems: &mut Problems) {
    let defining: Vec<&Mention<'_>> =
        mentions.iter().filter(|mention| mention.defines == Some(keys)).collect();
    let defined = || defining.iter().map(|mention| mention.text);
    let mut suggestions = Suggestions::default();
    // One by one: collecting would link a sort for this alone.
    let mut known: BTreeMap<&str, &Mention<'_>> = BTreeMap::new();
    for mention in &defining {
        known.insert(mention.text, mention);
    }
    for mention in mentions.iter().filter(|mention| mention.role == role) {
        if !known.contains_key(mention.text) {
            let near = suggestions.nearest(mention.text, defined());
            let fix = near.map(|near| Fix { label: format!("write `{near}`"), text: near.to_owned() });
            let hint = match near {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if known.is_empty() => format!("add it under `{title}s`"),
                None => format!("use {}, or add it under `{title}s`", listed(defined().take(8))),
            };
            let message = format!("there is no {title} `{}`", mention.text);
            let problem = Problem::error(mention.path.render(), "unknown_reference", message, hint);
            problems.push(problem.with_fix(fix));
        }
    }
}
