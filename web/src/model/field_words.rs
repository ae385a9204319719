//! What the forms call the field at a path of the document, for lists that show no form.

use super::locate::indexed;
use crate::step::kinds::Kind;
use crate::step::plain::label;

/// Whose form has the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// That of the workflow.
    Workflow,
    /// That of a step of this kind.
    Step(Kind),
    /// That of an agent.
    Agent,
    /// That of a tool.
    Tool,
    /// That of a model.
    Model,
}

/// The maps of a document whose entries have forms of their own, and what one of them is.
const ENTRIES: [(&str, Form, &str); 3] =
    [("agents", Form::Agent, "Agent"), ("tools", Form::Tool, "Tool"), ("models", Form::Model, "Model")];

/// What a form calls the field at this path of what it is the form of, such as “Case 2, when”.
pub fn field_words(form: Form, path: &str) -> String {
    let (mut words, rest) = match (form, row_of_cases(path)) {
        (Form::Step(kind @ Kind::Switch), Some((at, rest))) => {
            let own = label(Some(kind), rest).map(str::to_lowercase);
            let (own, rest) = own.map_or((None, rest), |own| (Some(own), ""));
            ([Some(format!("Case {}", at + 1)), own].into_iter().flatten().collect::<Vec<_>>(), rest)
        }
        _ => labelled(form, path).map_or((Vec::new(), path), |(own, rest)| (vec![own.to_owned()], rest)),
    };
    write_inside(&mut words, rest);
    words.join(", ")
}

/// The same for a path of the workflow, which may lead to one of its agents, tools or models.
pub fn words_of_path(path: &str) -> String {
    let found = ENTRIES.iter().find_map(|(map, form, what)| {
        let (id, rest) = member(path.strip_prefix(map)?)?;
        Some((format!("{what} {id}"), field_words(*form, rest.strip_prefix('.').unwrap_or(rest))))
    });
    match found {
        Some((entry, field)) if field.is_empty() => entry,
        Some((entry, field)) => format!("{entry}, {field}"),
        None => field_words(Form::Workflow, path),
    }
}

fn row_of_cases(path: &str) -> Option<(usize, &str)> {
    indexed(path.strip_prefix("cases")?)
}

/// The label of the field that the path leads to or into, and the rest of the path.
fn labelled(form: Form, path: &str) -> Option<(&'static str, &str)> {
    let ends = path.match_indices(['.', '[']).map(|(at, _)| at).chain([path.len()]);
    let mut ends: Vec<usize> = ends.collect();
    ends.reverse();
    ends.into_iter().find_map(|end| {
        let (own, rest) = path.split_at_checked(end)?;
        // That of a row is none.
        Some((label_of(form, own).filter(|_| !own.ends_with(']'))?, rest))
    })
}

fn label_of(form: Form, path: &str) -> Option<&'static str> {
    let of = |labels: &[(&str, &'static str)]| {
        labels.iter().find(|(name, _)| *name == path).map(|(_, label)| *label)
    };
    match form {
        Form::Workflow => of(OF_WORKFLOW).or_else(|| label(None, path)),
        // What stands inside of a field is called after nothing that every step has.
        Form::Step(kind) if path.contains(['.', '[']) => label(Some(kind), path),
        Form::Step(kind) => label(Some(kind), &format!("steps[0].{path}")),
        Form::Agent => of(OF_AGENT),
        Form::Tool => of(OF_TOOL).or_else(|| label(Some(Kind::Http), path.strip_prefix("run.")?)),
        Form::Model => of(OF_MODEL),
    }
}

const OF_WORKFLOW: &[(&str, &str)] = &[
    ("name", "Name"),
    ("description", "Description"),
    ("notes", "Notes"),
    ("input", "Input"),
    ("output", "Output"),
];

const OF_AGENT: &[(&str, &str)] = &[
    ("instructions", "Instructions"),
    ("model", "Model"),
    ("tools", "Tools that it may call"),
    ("output", "Answer"),
    ("toolChoice", "The agent"),
    ("maxTurns", "Model calls for one answer"),
    ("limits.maxTokens", "Tokens for one answer"),
    ("limits.maxCost", "US$ for one answer"),
    ("fallbacks", "Fallbacks"),
];

const OF_TOOL: &[(&str, &str)] = &[
    ("description", "What it does"),
    ("input", "Arguments"),
    ("needsApproval", "Ask a person"),
    ("timeoutMs", "Time limit of a call"),
    ("run.code", "Code"),
    ("run.workflow.set", "Passes on"),
    ("run.maxUses", "Searches for one answer"),
];

const OF_MODEL: &[(&str, &str)] = &[
    ("headers", "Headers"),
    ("params", "Parameters"),
    ("concurrency", "Requests at once"),
    ("requestsPerMinute", "In a minute"),
    ("price", "Price"),
    ("price.input", "Tokens in"),
    ("price.output", "Tokens out"),
    ("price.cachedInput", "Tokens in, kept by the endpoint"),
    ("price.cacheWrite", "Tokens in, written into its cache"),
];

/// Writes what lies on the rest of a path, inside of a field: rows and items count from one, as people do.
fn write_inside(words: &mut Vec<String>, mut rest: &str) {
    let mut counted = "row";
    loop {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if let Some((at, behind)) = indexed(rest) {
            words.push(format!("{counted} {}", at + 1));
            rest = behind;
            continue;
        }
        let Some((name, behind)) = member(rest) else { return };
        rest = behind;
        counted = "item";
        match name {
            // What is in it has names of its own.
            "properties" => {}
            "enum" => counted = "choice",
            "description" => words.push("what it is".to_owned()),
            "items" => words.push("each item".to_owned()),
            name => words.push(name.to_owned()),
        }
    }
}

/// Reads a name off the front of a path, also one that stands in quotes; nothing at its end.
fn member(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let quoted = path.strip_prefix("[\"").and_then(|path| path.split_once("\"]"));
    let plain = || path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    Some(quoted.unwrap_or_else(plain)).filter(|(name, _)| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_called_what_its_form_calls_it() {
        for (form, path, words) in [
            (Form::Step(Kind::Switch), "cases[1].when", "Case 2, when"),
            (Form::Step(Kind::Switch), "cases[0].name", "Case 1, name"),
            (Form::Step(Kind::Function), "run.set.key", "Set, key"),
            (Form::Step(Kind::Function), "run.set[0]", "Set, row 1"),
            (Form::Step(Kind::Function), "run.code", "Code"),
            (Form::Step(Kind::Http), "http.url", "Address"),
            (Form::Step(Kind::Http), "http.query[2]", "Query, row 3"),
            (Form::Step(Kind::Http), "http.body.json.to[0].name", "JSON to send, to, item 1, name"),
            (Form::Step(Kind::Agent), "inputFrom", "Prompt"),
            (Form::Step(Kind::Agent), "history.key", "Conversation"),
            (Form::Step(Kind::Wait), "retryCount", "Retries"),
            (Form::Step(Kind::Approval), "schema[1]", "The answer, row 2"),
            (Form::Step(Kind::Wait), "notes", "Notes"),
            (Form::Agent, "output.enum[1]", "Answer, choice 2"),
            (Form::Agent, "output.properties.to.description", "Answer, to, what it is"),
            (Form::Tool, "run.http.url", "Address"),
            (Form::Tool, "input[1][0]", "Arguments, row 2, row 1"),
            (Form::Workflow, "initialState[0].key", "Initial state, row 1, key"),
            (Form::Workflow, "limits.maxCost", "Limits of a run › US$"),
        ] {
            assert_eq!(field_words(form, path), words, "{form:?} {path}");
        }
    }

    #[test]
    fn a_path_of_the_workflow_names_the_entry_that_it_leads_to() {
        for (path, words) in [
            ("agents.writer", "Agent writer"),
            ("agents.writer.maxTurns", "Agent writer, Model calls for one answer"),
            (r#"tools["a@b"].input[1][0]"#, "Tool a@b, Arguments, row 2, row 1"),
            (r#"tools["a@b"].run.http.query[0]"#, "Tool a@b, Query, row 1"),
            ("models.m.price.input", "Model m, Tokens in"),
            ("input[2].items[0]", "Input, row 3, each item, item 1"),
            ("agents", "agents"),
            ("[", ""),
        ] {
            assert_eq!(words_of_path(path), words, "{path}");
        }
    }
}
