//! What a document may say that this version keeps but does not act on: its author should know.

use crate::document::Document;
use crate::problem::Problem;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    let said = [
        ("input", document.input.is_some(), "the state of a run is not checked against it"),
        ("output", document.output.is_some(), "the state of a run is not checked against it"),
        ("tools", !document.tools.is_empty(), "agents are not offered these tools"),
    ];
    for (key, present, effect) in said {
        if present {
            let message = format!("`{key}` is kept, but in this version {effect}");
            problems.push(Problem::warning(key, "not_acted_on", message, "do not rely on it yet"));
        }
    }
}
