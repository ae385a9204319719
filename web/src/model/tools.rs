//! Tools of the document, and the agents that may call them.

use indexmap::IndexMap;
use serde_json::json;
use stepweave_core::document::{Check, Document, HttpRequest, Tool, ToolChoice, ToolRun};

use super::requests::name_of;
use crate::step::free::free;

/// Adds a tool that works as it is, and gives its name.
pub fn add(document: &mut Document) -> String {
    let name = free_name(document, "find_order");
    let input = json!({
        "type": "object",
        "properties": { "number": { "type": "string" } },
        "required": ["number"]
    });
    let code = "const orders = new Map([[\"4711\", \"It is on its way.\"]]);\n\
        return { status: orders.get(state.number) ?? \"There is no such order.\" };\n";
    let tool = Tool {
        description: Some("Finds an order by its number.".to_owned()),
        input: Some(Check::Schema(input)),
        ..running(ToolRun::Code(code.to_owned()))
    };
    document.tools.insert(name.clone(), tool);
    name
}

/// Adds a tool that sends a request, and gives its name.
pub fn add_request(document: &mut Document, request: HttpRequest) -> String {
    let name = free_name(document, name_of(&request).as_deref().unwrap_or("request"));
    let tool = running(ToolRun::Http(Box::new(request)));
    document.tools.insert(name.clone(), tool);
    name
}

/// A tool of which nothing is said but what a call of it runs.
fn running(run: ToolRun) -> Tool {
    Tool {
        description: None,
        input: None,
        run: Some(run),
        needs_approval: None,
        scopes: Vec::new(),
        timeout_ms: None,
        extensions: serde_json::Map::new(),
    }
}

fn free_name(document: &Document, base: &str) -> String {
    free(base, &|name| document.tools.contains_key(name))
}

/// Adds these tools under names that are free, and gives the names. An agent of this id may call them.
pub fn add_all(document: &mut Document, tools: IndexMap<String, Tool>, agent: Option<&str>) -> Vec<String> {
    let mut names = Vec::with_capacity(tools.len());
    for (wanted, tool) in tools {
        let numbered = (2_usize..).map(|number| {
            let end = format!("_{number}");
            // What models accept are letters of ASCII, 64 of them.
            let room = LONGEST_NAME.saturating_sub(end.len());
            format!("{}{end}", wanted.get(..room.min(wanted.len())).unwrap_or(&wanted))
        });
        let mut free = std::iter::once(wanted.clone()).chain(numbered);
        let name = free.find(|name| !document.tools.contains_key(name)).unwrap_or_default();
        document.tools.insert(name.clone(), tool);
        names.push(name);
    }
    if let Some(agent) = agent.and_then(|id| document.agents.get_mut(id)) {
        agent.tools.extend(names.iter().cloned());
    }
    names
}

/// What a person is shown when tools were added.
pub fn said_of(names: &[String]) -> String {
    match names {
        [one] => format!("The tool {one} is added."),
        _ => format!("{} tools are added.", names.len()),
    }
}

/// The tools of a document, as JSON has them.
pub fn read_all(text: &str) -> Option<IndexMap<String, Tool>> {
    let tools: serde_json::Value = serde_json::from_str(text).ok()?;
    let whole = json!({ "version": 1, "name": "", "steps": [], "tools": tools });
    Document::from_json(whole).ok().map(|document| document.tools)
}

/// Characters that the name of a tool may have.
const LONGEST_NAME: usize = 64;

/// Takes a tool out, also where agents name it.
pub fn remove(document: &mut Document, name: &str) {
    document.tools.shift_remove(name);
    for agent in document.agents.values_mut() {
        agent.tools.retain(|own| own != name);
        if agent.tool_choice == Some(ToolChoice::Named(name.to_owned())) {
            agent.tool_choice = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [],
            "models": { "m": { "provider": "demo", "model": "demo" } },
            "tools": { "search": {}, "count": {} },
            "agents": { "a": { "model": "m", "tools": ["count", "search"], "toolChoice": { "tool": "search" } } } }))
        .unwrap()
    }

    #[test]
    fn no_agent_names_a_tool_that_was_taken_out() {
        let mut document = document();
        remove(&mut document, "search");
        let agent = document.agents.get("a").unwrap();
        assert_eq!((agent.tools.as_slice(), agent.tool_choice.clone()), (&["count".to_owned()][..], None));
    }

    #[test]
    fn tools_that_are_added_take_free_names_and_belong_to_their_agent() {
        let mut document = document();
        let long = "x".repeat(64);
        let tool = document.tools.get("search").unwrap().clone();
        document.tools.insert(long.clone(), tool.clone());
        let tools = ["search", "fresh", &long].map(|name| (name.to_owned(), tool.clone()));
        let names = add_all(&mut document, IndexMap::from(tools), Some("a"));
        assert_eq!(names, ["search_2".to_owned(), "fresh".to_owned(), format!("{}_2", "x".repeat(62))]);
        assert!(document.agents.get("a").unwrap().tools.ends_with(&names));
        assert!(names.iter().all(|name| document.tools.contains_key(name)));
    }

    #[test]
    fn a_new_tool_is_sound() {
        let mut document = document();
        assert_eq!(add(&mut document), "find_order");
        assert_eq!(add(&mut document), "find_order_2");
        assert_eq!(add_request(&mut document, HttpRequest::to("https://api.test/v1/search?q=1")), "search_2");
        assert_eq!(add_request(&mut document, HttpRequest::to("https://api.test/")), "request");
        let text = serde_json::to_string(&document).unwrap();
        assert_eq!(stepweave_core::validate::check_structure(&text).problems, []);
    }
}
