//! Items of a *For each* that are written as plain texts, such as addresses one below the other, where an expression is
//! wanted.

use stepweave_core::document::{Document, Source, StepKind};
use stepweave_core::json;

use super::form::lines_of;
use super::locate::step_at;
use super::problem::{Fix, Problem};

/// Says of each problem that is of such items what they are, and writes them as a list at a click.
pub fn tell(document: &Document, problems: &mut [Problem]) {
    for problem in problems.iter_mut().filter(|problem| problem.code == "expression_syntax") {
        let Some((step, "items")) = step_at(document, &problem.path) else { continue };
        let StepKind::Foreach(each) = &step.kind else { continue };
        let Source::Text(text) = &each.items else { continue };
        let Some(items) = texts(text) else { continue };
        "plain texts are no list yet".clone_into(&mut problem.message);
        "write them as a list, each in quotes".clone_into(&mut problem.hint);
        let many = if items.len() == 1 {
            "a list of it".to_owned()
        } else {
            format!("a list of {} texts", items.len())
        };
        problem.fix = Some(Fix { label: format!("make {many}"), text: list_of(&items) });
    }
}

/// The texts that stand one on a line, or behind commas; nothing where an expression may be meant.
fn texts(text: &str) -> Option<Vec<&str>> {
    let mut items: Vec<&str> = Vec::new();
    for line in lines_of(text) {
        // An address may have commas in it: what follows one of those begins no other item.
        let mut from = 0;
        for (at, _) in line.match_indices(',') {
            let (item, behind) = (line.get(from..at)?, line.get(at + 1..)?);
            let is_inside =
                is_address(item.trim()) && !behind.starts_with(char::is_whitespace) && !is_address(behind);
            if !is_inside {
                items.push(item);
                from = at + 1;
            }
        }
        items.push(line.get(from..)?);
    }
    items = items.into_iter().map(bare).filter(|item| !item.is_empty()).collect();
    let are_plain = !items.is_empty() && items.iter().all(|item| is_address(item) || is_plain(item));
    are_plain.then_some(items)
}

/// A text without what stands around it in a list.
fn bare(item: &str) -> &str {
    let item = item.trim().trim_start_matches(['-', '*', '•']).trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| item.strip_prefix(quote)?.strip_suffix(quote));
    quoted.unwrap_or(item)
}

fn is_address(item: &str) -> bool {
    let rest = item.strip_prefix("https://").or_else(|| item.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
}

/// Whether it has none of the signs of an expression.
fn is_plain(item: &str) -> bool {
    !item.contains(['(', ')', '[', ']', '{', '}', '|', '~', '=', '<', '>', '"', '\'', '+', '*', '%'])
}

/// As an expression has them.
fn list_of(items: &[&str]) -> String {
    let items: Vec<String> = items.iter().map(json::text).collect();
    format!("[{}]", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stepweave_core::language::Expression;
    use stepweave_core::validate::validate;

    use crate::model::access::literal;
    use crate::model::mending::Mend;

    fn told(items: &str) -> (Document, Problem) {
        let value = json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "foreach", "name": "each", "items": items, "steps": [] }] });
        let found = validate(&value.to_string()).problems;
        let mut problems: Vec<Problem> = found.into_iter().map(Problem::from).collect();
        let document = serde_json::from_value(value).unwrap();
        tell(&document, &mut problems);
        (document, problems.into_iter().find(|problem| problem.path == "steps[0].items").unwrap())
    }

    #[test]
    fn plain_texts_become_a_list_at_a_click() {
        for (items, expected) in [
            ("https://a.example, https://b.example", json!(["https://a.example", "https://b.example"])),
            ("https://a.example,https://b.example", json!(["https://a.example", "https://b.example"])),
            (
                "https://a.example/?q=1,2\n\n https://b.example",
                json!(["https://a.example/?q=1,2", "https://b.example"]),
            ),
            ("https://a.example", json!(["https://a.example"])),
            ("- New York\n- Rome", json!(["New York", "Rome"])),
            ("apples, pears, \"plums\"", json!(["apples", "pears", "plums"])),
        ] {
            let (document, problem) = told(items);
            assert_eq!(problem.message, "plain texts are no list yet", "{items}");
            assert_eq!(problem.hint, "write them as a list, each in quotes");
            let mend = Mend::all(&document, &problem).remove(0);
            let many = expected.as_array().unwrap().len();
            let title = if many == 1 {
                "Make a list of it".to_owned()
            } else {
                format!("Make a list of {many} texts")
            };
            assert_eq!(mend.title(), title);
            let written = problem.fix.unwrap().text;
            assert!(Expression::parse(&written).is_ok(), "{written}");
            assert_eq!(literal(&written), Some(expected));
        }
    }

    #[test]
    fn what_is_meant_as_an_expression_keeps_its_own_problem() {
        for items in ["topics | ", "[\"a\", ", "topics[0", "range(1, 3", "a == "] {
            assert_eq!(told(items).1.fix, None, "{items}");
        }
    }
}
