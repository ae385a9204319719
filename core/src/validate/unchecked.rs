//! What a document may say that this version keeps but does not act on: its author should know.

use crate::document::Document;
use crate::problem::Problem;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    if !document.tools.is_empty() {
        let message = "`tools` is kept, but in this version agents are not offered these tools";
        problems.push(Problem::warning("tools", "not_acted_on", message, "do not rely on it yet"));
    }
}
