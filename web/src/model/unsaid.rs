//! Fields of a request that wait to be filled in: what is missing is said, and not how an expression begins.

use stepweave_core::document::{Document, HttpRequest, StepKind, ToolRun};

use super::locate::{path_of_entry, step_at};
use super::problem::Problem;

/// Says of each problem that is an empty way to the next page what to say there.
pub fn tell(document: &Document, problems: &mut [Problem]) {
    for problem in problems.iter_mut().filter(|problem| problem.code == "expression_syntax") {
        let Some(pages) = request_at(document, &problem.path).and_then(|request| request.pages.as_ref())
        else {
            continue;
        };
        let (text, message, hint) = if problem.path.ends_with(".pages.next") {
            let hint = "an expression such as body.next; null ends it";
            (pages.next.as_deref(), "say where the address of the next page stands", hint)
        } else if problem.path.ends_with(".pages.cursor.value") {
            let hint = "an expression such as body.nextCursor; null ends it";
            (
                pages.cursor.as_ref().map(|cursor| cursor.value.as_str()),
                "say where the value for the next page stands",
                hint,
            )
        } else {
            continue;
        };
        if text.is_some_and(|text| text.trim().is_empty()) {
            message.clone_into(&mut problem.message);
            hint.clone_into(&mut problem.hint);
        }
    }
}

/// The request that a path leads into: that of a step, or of a tool.
fn request_at<'a>(document: &'a Document, path: &str) -> Option<&'a HttpRequest> {
    if let Some((step, _)) = step_at(document, path) {
        return match &step.kind {
            StepKind::Http(call) => Some(&call.http),
            _ => None,
        };
    }
    document.tools.iter().find_map(|(id, tool)| match &tool.run {
        Some(ToolRun::Http(request)) if path.starts_with(&format!("{}.", path_of_entry("tools", id))) => {
            Some(request.as_ref())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stepweave_core::validate::validate;

    fn told(pages: serde_json::Value) -> Vec<String> {
        let http = json!({ "url": "https://a.test/", "pages": pages });
        let value = json!({ "version": 1, "name": "t",
            "tools": { "find": { "description": "d", "run": { "http": http } } },
            "steps": [{ "id": "s1", "type": "http", "name": "get", "http": http }] });
        let found = validate(&value.to_string()).problems;
        let mut problems: Vec<Problem> = found.into_iter().map(Problem::from).collect();
        tell(&serde_json::from_value(value).unwrap(), &mut problems);
        problems.retain(|problem| problem.code == "expression_syntax");
        let mut said: Vec<String> =
            problems.into_iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect();
        said.sort();
        said
    }

    #[test]
    fn an_empty_way_to_the_next_page_says_what_is_missing() {
        assert_eq!(
            told(json!({ "next": "", "max": 2 })),
            [
                "steps[0].http.pages.next: say where the address of the next page stands",
                "tools.find.run.http.pages.next: say where the address of the next page stands"
            ]
        );
        let found = told(json!({ "cursor": { "query": "c", "value": " " }, "max": 2 }));
        assert!(found[0].ends_with("say where the value for the next page stands"), "{found:?}");
        let begun = told(json!({ "next": "body.next +", "max": 2 }));
        assert!(!begun.is_empty() && !begun[0].contains("say where"), "{begun:?}");
    }
}
