//! Texts that are no valid value yet, against the document as it is now: one counts as long as the field is there that it
//! stands in, whatever way a field goes.
//!
//! Its key is the path of the field. What has which fields is for the grammar to say, and what is there for the document.

use indexmap::IndexMap;
use serde_json::{Map, Value};
use stepweave_core::document::{Document, Provided, Tool, ToolRun};
use stepweave_core::edit::find;
use stepweave_core::grammar::{DOCUMENT as WORKFLOW, STEP, STEP_KINDS};
use stepweave_core::letters::member;
use stepweave_core::shape::{Field, ObjectShape, Presence, Shape};
use stepweave_core::validate::why_not_pinned;

use super::change::Drafts;
use super::endpoints::is_endpoint;
use super::field_words::{Form, field_words, words_of_path};
use super::kept::BASE;
use super::locate::{indexed, path_of_entry, path_to};
use super::problem::{ANSWER, DOCUMENT, GIVEN, Problem};
use super::shape::Kind;
use crate::step::kinds::Kind as StepKind;

/// What the trial runs take instead of a step is kept by the step's id.
const PINS: &str = "pins.";

/// The problems that such texts are.
pub fn unfinished(document: &Document, drafts: &Drafts) -> Vec<Problem> {
    drafts.keys().filter_map(|key| unfinished_at(document, key)).collect()
}

/// The rows that such a text stands in, by the key of the text, from the outermost on: each by its own key, with how many
/// rows there are of which it is one.
pub type Rows = IndexMap<String, Vec<(String, usize)>>;

/// The texts that a document still has a field for, and the rows that they stand in. Each goes with its row, as that was
/// seen last: its place is another one once a row before it has gone. Another field that comes in the place of one has
/// nothing to do with what was written there.
pub fn settled(document: &Document, drafts: &Drafts, seen: &Rows) -> (Drafts, Rows) {
    let (mut settled, mut rows) = (Drafts::new(), Rows::new());
    for (key, text) in drafts {
        let followed = followed(document, key, seen.get(key));
        let Some((key, own)) = followed.filter(|(key, _)| is_beside(key) || path_of(document, key).is_some())
        else {
            continue;
        };
        if !own.is_empty() {
            rows.insert(key.clone(), own);
        }
        settled.insert(key, text.clone());
    }
    (settled, rows)
}

/// Whether such a text stands beside the document, as that which is the JSON of all of it, and is no field of it.
pub fn is_beside(key: &str) -> bool {
    [DOCUMENT, BASE, GIVEN].contains(&key) || key.starts_with(ANSWER)
}

/// The key of a text and the rows on the way to it, as they are now. It goes with the rows in which it was seen; nothing where
/// one of those is gone.
fn followed(
    document: &Document,
    key: &str,
    seen: Option<&Vec<(String, usize)>>,
) -> Option<(String, Vec<(String, usize)>)> {
    let (mut before, mut found) = (seen.into_iter().flatten(), Vec::new());
    let moved = walk(document, key, &mut |rows, mut at| {
        if seen.is_some() {
            let (own, many) = before.next()?;
            // One that is called otherwise is where it was.
            at = rows.keys().position(|key| key == own).or_else(|| (rows.len() == *many).then_some(at))?;
        }
        found.push((rows.keys().nth(at)?.clone(), rows.len()));
        Some(at)
    });
    let key = if seen.is_some() { moved? } else { key.to_owned() };
    Some((key, found))
}

/// Says of a row, one of these and at this place, at which place it is meant to be.
type Turn<'t> = &'t mut dyn FnMut(&Map<String, Value>, usize) -> Option<usize>;

/// The key of a text along whose path each row is where `row` says; nothing where that says of none.
fn walk(document: &Document, key: &str, row: Turn<'_>) -> Option<String> {
    let of_step = key.rsplit_once('@').and_then(|(path, id)| Some((path, find(document, id)?)));
    let Some((path, step)) = of_step else {
        return walk_object(&WORKFLOW, serde_json::to_value(document).ok().as_ref(), key, row);
    };
    let value = serde_json::to_value(step).ok()?;
    let field = path.split(['.', '[']).next().unwrap_or_default();
    let word = value.get("type")?.as_str()?;
    let own = STEP_KINDS.iter().find(|kind| kind.word == word).map(|kind| &kind.own);
    let object = own.into_iter().chain([&STEP]).find(|object| object.field(field).is_some())?;
    Some(format!("{}@{}", walk_object(object, Some(&value), path, row)?, step.id))
}

fn walk_object(object: &ObjectShape, value: Option<&Value>, path: &str, row: Turn<'_>) -> Option<String> {
    let (field, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    let shape = &object.field(field)?.shape;
    Some(format!("{field}{}", walk_value(shape, value.and_then(|value| value.get(field)), rest, row)?))
}

fn walk_value(shape: &Shape, value: Option<&Value>, path: &str, row: Turn<'_>) -> Option<String> {
    match shape {
        _ if path.is_empty() => Some(String::new()),
        Shape::Schema => walk_schema(value, path, row),
        Shape::Object(object) | Shape::OneOf(object) => {
            Some(format!(".{}", walk_object(object, value, path.strip_prefix('.')?, row)?))
        }
        Shape::Map(..) | Shape::Record if indexed(path).is_some() => {
            let (at, rest) = turned(value, path, row)?;
            Some(format!("[{at}]{rest}"))
        }
        Shape::Map(_, inner) => {
            value.and_then(Value::as_object).into_iter().flatten().find_map(|(key, value)| {
                let own = member(key);
                let rest = path.strip_prefix(own.as_str()).filter(|rest| rest.starts_with(['.', '[']))?;
                Some(format!("{own}{}", walk_value(inner, Some(value), rest, row)?))
            })
        }
        _ => Some(path.to_owned()),
    }
}

fn walk_schema(schema: Option<&Value>, path: &str, row: Turn<'_>) -> Option<String> {
    if path.is_empty() {
        return Some(String::new());
    }
    if let Some(rest) = path.strip_prefix(".items") {
        return Some(format!(".items{}", walk_schema(schema?.get("items"), rest, row)?));
    }
    let properties = schema?.get("properties");
    let (at, rest) = turned(properties, path, row)?;
    Some(format!("[{at}]{}", walk_schema(entry(properties, at), rest, row)?))
}

/// Where the row is meant to be that a path begins with, and the rest of the path.
fn turned<'p>(rows: Option<&Value>, path: &'p str, row: Turn<'_>) -> Option<(usize, &'p str)> {
    let (digits, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((row(rows?.as_object()?, digits.parse().ok()?)?, rest))
}

/// The problem that the text with this key is; nothing where it stands beside the document.
pub fn unfinished_at(document: &Document, key: &str) -> Option<Problem> {
    let error = |path: String, message: String, hint: &str| Problem {
        path,
        code: String::new(),
        message,
        hint: hint.to_owned(),
        severity: "error".to_owned(),
        fix: None,
    };
    if key == DOCUMENT {
        return Some(error(
            String::new(),
            "what was typed under JSON is no part of the workflow yet".to_owned(),
            "open JSON, then correct that text or give it up; the workflow is as it was before",
        ));
    }
    let path = path_of(document, key)?;
    if let Some(step) = path.strip_prefix(PINS) {
        // The form of the step has its field.
        return Some(error(
            format!("{}.pin", path_to(document, step)?),
            "what stands in “Pinned output” is not valid yet".to_owned(),
            "correct it under More in the inspector, or empty the field; the pin is still the one from before",
        ));
    }
    let of_step = key.split_once('@').filter(|_| path != key);
    let of_step =
        of_step.and_then(|(field, id)| Some((field, Form::Step(StepKind::of(find(document, id)?)))));
    let field = of_step.map_or_else(|| words_of_path(&path), |(field, form)| field_words(form, field));
    let message = format!("what stands in “{field}” is not valid yet");
    Some(error(path, message, "correct it in the inspector; the workflow still has the value from before"))
}

/// The path of the field whose text has this key; nothing where there is no such field.
fn path_of(document: &Document, key: &str) -> Option<String> {
    let is_there = match key.strip_prefix(PINS) {
        Some(step) => find(document, step).is_some_and(|found| {
            why_not_pinned(document, found).is_none() || document.pins.contains_key(step)
        }),
        // A document is plain data with text keys, which always has a JSON form.
        None => {
            let whole = serde_json::to_value(document).unwrap_or_default();
            is_field_of(&WORKFLOW, Some(&whole), key) && !is_left_out(document, key)
        }
    };
    if is_there {
        return Some(key.to_owned());
    }
    let (field, id) = key.split_once('@')?;
    let step = serde_json::to_value(find(document, id)?).ok()?;
    let word = step.get("type")?.as_str()?;
    let own = STEP_KINDS.iter().find(|kind| kind.word == word).map(|kind| &kind.own);
    let mut all = own.into_iter().chain([&STEP]);
    all.any(|object| is_field_of(object, Some(&step), field)).then_some(())?;
    Some(format!("{}.{field}", path_to(document, id)?))
}

/// Whether the forms leave out a field of a model or a tool, since it would say nothing there.
fn is_left_out(document: &Document, key: &str) -> bool {
    let of = |map: &str, id: &str| key.strip_prefix(path_of_entry(map, id).as_str());
    let is_of_endpoint = |rest: &str| !rest.starts_with(".price");
    let mut models = document.models.iter().filter(|(_, model)| !is_endpoint(model.provider));
    let mut tools = document.tools.iter().filter_map(|(id, tool)| Some((id, provided(tool)?)));
    let says_nothing = |rest: &str, does: Provided| does != Provided::WebSearch || !rest.starts_with(".run.");
    models.any(|(id, _)| of("models", id).is_some_and(is_of_endpoint))
        || tools.any(|(id, does)| of("tools", id).is_some_and(|rest| says_nothing(rest, does)))
}

/// What the provider of a model does as this tool.
fn provided(tool: &Tool) -> Option<Provided> {
    match &tool.run {
        Some(ToolRun::Provider(own)) => Some(own.does),
        _ => None,
    }
}

/// Whether a path leads from an object to a field.
fn is_field_of(object: &ObjectShape, value: Option<&Value>, path: &str) -> bool {
    let (field, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    let found = object.field(field);
    found.is_some_and(|found| is_field(&found.shape, value.and_then(|value| value.get(field)), rest))
}

/// Whether a path leads from a value to a field. The value may be nothing: an empty field is one too.
fn is_field(shape: &Shape, value: Option<&Value>, path: &str) -> bool {
    match shape {
        Shape::Schema => is_field_of_schema(value, path),
        _ if path.is_empty() => true,
        Shape::Object(object) => {
            // What has to say something has fields once it says that.
            let needs = |field: &Field| field.presence == Presence::Required;
            let is_shown = value.is_some() || !object.fields.iter().any(needs);
            is_shown && path.strip_prefix('.').is_some_and(|path| is_field_of(object, value, path))
        }
        Shape::OneOf(object) => path
            .strip_prefix('.')
            .is_some_and(|path| is_chosen(object, value, path) && is_field_of(object, value, path)),
        Shape::Map(_, inner) => match indexed(path) {
            Some((at, "")) => entry(value, at).is_some(),
            _ => is_field_of_member(inner, value, path),
        },
        Shape::Record => indexed(path).is_some_and(|(at, _)| entry(value, at).is_some()),
        _ => false,
    }
}

/// Whether it is the one of the alternatives that was chosen, or stands beside that.
fn is_chosen(object: &ObjectShape, value: Option<&Value>, path: &str) -> bool {
    let field = path.split(['.', '[']).next().unwrap_or_default();
    let chosen = match object.field(field).map(|field| field.presence) {
        Some(Presence::Beside(other)) => other,
        _ => field,
    };
    value.is_some_and(|value| value.get(chosen).is_some())
}

/// Whether a path leads to a field of what stands under a key.
fn is_field_of_member(inner: &Shape, value: Option<&Value>, path: &str) -> bool {
    let mut all = value.and_then(Value::as_object).into_iter().flatten();
    all.any(|(key, value)| {
        path.strip_prefix(member(key).as_str())
            .is_some_and(|rest| rest.starts_with(['.', '[']) && is_field(inner, Some(value), rest))
    })
}

/// Whether a path leads to a row of what a schema says, or is that of the schema itself.
fn is_field_of_schema(schema: Option<&Value>, path: &str) -> bool {
    if path.is_empty() {
        // A function of the program stands there instead.
        return schema.is_none_or(|schema| !schema.get("handler").is_some_and(Value::is_string));
    }
    let Some(schema) = schema else { return false };
    match (Kind::of(schema), path.strip_prefix(".items")) {
        (Kind::List, Some(rest)) => is_field_of_schema(schema.get("items"), rest),
        (Kind::Object, None) => indexed(path).is_some_and(|(at, _)| {
            let rest = path.split_once(']').map_or("", |(_, rest)| rest);
            let row = entry(schema.get("properties"), at);
            row.is_some_and(|row| rest.is_empty() || is_field_of_schema(Some(row), rest))
        }),
        _ => false,
    }
}

/// What stands at this place of an object.
fn entry(value: Option<&Value>, at: usize) -> Option<&Value> {
    value?.as_object()?.values().nth(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::problem::{Flaws, draft_key, rows_of};
    use serde_json::json;

    /// A workflow with a step of each kind that has such fields, and these steps instead of its own.
    fn document(change: impl FnOnce(&mut Value)) -> Document {
        let http = json!({ "url": "https://a.example/", "query": { "q": "1" }, "headers": { "x": "1" },
            "body": { "json": {} }, "pages": { "next": "body.next", "max": 2 } });
        let object = json!({ "type": "object", "properties": {
            "a": { "type": "string" }, "b": { "type": "object", "properties": { "c": { "type": "string" } } },
            "d": { "type": "array", "items": { "type": "object", "properties": { "e": { "type": "string" } } } } } });
        let mut whole = json!({ "version": 1, "name": "t", "initialState": { "k": 1, "l": "x" }, "input": object,
            "models": { "m": { "provider": "openai", "model": "m", "headers": { "x": "1" }, "price": { "input": 1, "output": 2 } } },
            "agents": { "a": { "model": "m", "output": object } },
            "tools": { "a@b": { "input": object, "run": { "http": http } },
                "flow": { "run": { "workflow": { "steps": [] } } }, "web": { "run": { "provider": "web_search" } } },
            "steps": [
                { "id": "s1", "type": "agent", "name": "s1", "agent": "a", "history": { "key": "chat" }, "input": object },
                { "id": "s2", "type": "http", "name": "s2", "http": http },
                { "id": "s3", "type": "wait", "name": "s3", "wait": { "ms": 1 } },
                { "id": "s4", "type": "approval", "name": "s4", "schema": object, "steps": [
                    { "id": "s5", "type": "function", "name": "s5", "run": { "set": { "x": "1", "y": "2" } } }] },
                { "id": "s6", "type": "foreach", "name": "s6", "items": "k", "concurrency": 1, "steps": [] },
                { "id": "s7", "type": "loop", "name": "s7", "repeat": { "while": "k" }, "maxIterations": 2, "steps": [] },
                { "id": "s8", "type": "workflow", "name": "s8", "with": { "k": "k" }, "set": { "l": "k" }, "steps": [] },
                { "id": "s9", "type": "parallel", "name": "s9", "parallel": [] }] });
        change(&mut whole);
        Document::from_json(whole).unwrap()
    }

    /// The keys of those whose field is gone.
    fn forlorn(document: &Document, drafts: &Drafts) -> Vec<String> {
        let (settled, _) = settled(document, drafts, &Rows::new());
        drafts.keys().filter(|key| !settled.contains_key(*key)).cloned().collect()
    }

    fn drafts(keys: &[&str]) -> Drafts {
        keys.iter().map(|key| ((*key).to_owned(), "x".to_owned())).collect()
    }

    /// The keys of what is half written in every kind of field that may be.
    const FIELDS: &[&str] = &[
        "initialState",
        "initialState[1].key",
        "initialState[0].value",
        "input",
        "input[2]",
        "input[1][0]",
        "input[2].items[0]",
        "limits.maxCost",
        "limits.maxEvents",
        "agents.a.output",
        "agents.a.output[0]",
        "agents.a.maxTurns",
        "agents.a.limits.maxTokens",
        "agents.a.limits.maxCost",
        "models.m.price.input",
        "models.m.price.cacheWrite",
        "models.m.headers[0]",
        "models.m.params",
        "models.m.concurrency",
        "models.m.requestsPerMinute",
        r#"tools["a@b"].input"#,
        r#"tools["a@b"].input[1][0]"#,
        r#"tools["a@b"].timeoutMs"#,
        r#"tools["a@b"].run.http.body.json"#,
        r#"tools["a@b"].run.http.headers[0]"#,
        "tools.flow.run.workflow",
        "tools.web.run.maxUses",
        "input@s1",
        "output@s1",
        "input[1][0]@s1",
        "history.maxMessages@s1",
        "history.maxTokens@s1",
        "retryCount@s1",
        "timeoutMs@s1",
        "http.body.json@s2",
        "http.query[0]@s2",
        "http.headers[0]@s2",
        "http.maxBytes@s2",
        "http.pages.max@s2",
        "wait.ms@s3",
        "expiresMs@s4",
        "schema[0]@s4",
        "run.set[1]@s5",
        "concurrency@s6",
        "maxIterations@s7",
        "initialState@s8",
        "with[0]@s8",
        "set[0]@s8",
        "concurrency@s9",
    ];

    #[test]
    fn a_text_that_is_no_value_yet_is_a_problem_of_its_field() {
        let document = document(|_| ());
        let found = unfinished(&document, &drafts(FIELDS));
        assert_eq!(found.len(), FIELDS.len(), "{found:?}");
        assert_eq!(forlorn(&document, &drafts(FIELDS)), [""; 0]);
        let flaws = Flaws::of(&document, &found);
        assert!(flaws.at(Some("s5"), "run.set[1]").is_some());
        assert!(
            flaws
                .at(None, "input[2]")
                .is_some_and(|flaw| flaw.message == "what stands in “Input, row 3” is not valid yet")
        );
    }

    #[test]
    fn a_text_goes_with_its_row() {
        let before = document(|_| ());
        let follows = |keys: &[&str], change: fn(&mut Value)| {
            let (_, seen) = settled(&before, &drafts(keys), &Rows::new());
            let (moved, rows) = settled(&document(change), &drafts(keys), &seen);
            assert_eq!(rows.len(), moved.len());
            moved.into_keys().collect::<Vec<_>>()
        };
        let remove = |value: &mut Value, key: &str| drop(value.as_object_mut().unwrap().shift_remove(key));
        assert_eq!(
            follows(&["initialState[1].key", "initialState[1].value", "initialState[0].key"], |whole| {
                drop(whole["initialState"].as_object_mut().unwrap().shift_remove("k"));
            }),
            ["initialState[0].key", "initialState[0].value"]
        );
        assert_eq!(
            follows(&["run.set[1]@s5", "run.set[0]@s5"], |whole| {
                whole["steps"][3]["steps"][0]["run"]["set"] = json!({ "new": "0", "x": "1", "y": "2" });
            }),
            ["run.set[2]@s5", "run.set[1]@s5"]
        );
        let without_a: fn(&mut Value) = |whole| {
            drop(whole["input"]["properties"].as_object_mut().unwrap().shift_remove("a"));
            let tool = &mut whole["tools"]["a@b"]["input"]["properties"];
            drop(tool.as_object_mut().unwrap().shift_remove("a"));
        };
        assert_eq!(
            follows(
                &[
                    "input[2].items[0]",
                    "input[1][0]",
                    "input[0]",
                    r#"tools["a@b"].input[1][0]"#,
                    "input[1][0]@s1"
                ],
                without_a
            ),
            ["input[1].items[0]", "input[0][0]", r#"tools["a@b"].input[0][0]"#, "input[1][0]@s1"]
        );
        // Under another name it is the same row.
        assert_eq!(
            follows(&["http.query[0]@s2"], |whole| whole["steps"][1]["http"]["query"] =
                json!({ "other": "1" })),
            ["http.query[0]@s2"]
        );
        let mut gone = serde_json::to_value(&before).unwrap();
        remove(&mut gone["steps"][1]["http"], "query");
        let (_, seen) = settled(&before, &drafts(&["http.query[0]@s2"]), &Rows::new());
        let now = Document::from_json(gone).unwrap();
        assert_eq!(settled(&now, &drafts(&["http.query[0]@s2"]), &seen), (Drafts::new(), Rows::new()));
    }

    #[test]
    fn what_is_beside_the_document_stays() {
        let kept = drafts(&[DOCUMENT, BASE, GIVEN, "answer/run/s4"]);
        let document = document(|_| ());
        assert_eq!(forlorn(&document, &kept), [""; 0]);
        let found = unfinished(&document, &kept);
        assert_eq!(found.len(), 1);
        assert!(found[0].path.is_empty());
    }

    #[test]
    fn a_pin_that_is_no_json_yet_is_a_problem_of_its_step() {
        let document = document(|_| ());
        let kept = drafts(&["pins.s2", "pins.s5"]);
        assert_eq!(forlorn(&document, &kept), [""; 0]);
        let found = unfinished(&document, &kept);
        assert!(found.iter().all(Problem::is_error));
        let flaws = Flaws::of(&document, &found);
        for step in ["s2", "s5"] {
            let flaw = flaws.at(Some(step), "pin").unwrap();
            assert_eq!(flaw.message, "what stands in “Pinned output” is not valid yet");
        }
        // What a person decides has no field for a pin.
        assert_eq!(forlorn(&document, &drafts(&["pins.s4"])), ["pins.s4"]);
    }

    #[test]
    fn a_text_goes_with_its_field() {
        let gone = |keys: &[&str], change: fn(&mut Value)| {
            let (document, drafts) = (document(change), drafts(keys));
            assert_eq!(forlorn(&document, &drafts), keys);
            assert_eq!(unfinished(&document, &drafts), []);
        };
        // What an older page has kept, and what there is none of.
        gone(
            &[
                "initial",
                "s2.concurrency",
                "wait.ms@s99",
                "pins.s99",
                "initialState[2].key",
                "input[3]",
                "with[1]@s8",
            ],
            |_| (),
        );
        gone(&["wait.ms@s3"], |whole| whole["steps"][2]["wait"] = json!({ "until": "k" }));
        gone(&["wait.ms@s3", "retryCount@s1", "history.maxTokens@s1"], |whole| {
            whole["steps"][2] = json!({ "id": "s3", "type": "end", "name": "s3", "end": {} });
            whole["steps"][0] = json!({ "id": "s1", "type": "sequence", "name": "s1", "steps": [] });
        });
        gone(&["history.maxTokens@s1"], |whole| {
            drop(whole["steps"][0].as_object_mut().unwrap().remove("history"))
        });
        gone(&["http.body.json@s2", "http.pages.max@s2"], |whole| {
            whole["steps"][1]["http"] = json!({ "url": "https://a.example/" });
        });
        gone(&["http.body.json@s2"], |whole| whole["steps"][1]["http"]["body"] = json!({ "form": {} }));
        gone(&["run.set[0]@s5"], |whole| whole["steps"][3]["steps"][0]["run"] = json!({ "code": "1" }));
        gone(&["input", "input[0]"], |whole| whole["input"] = json!({ "handler": "check" }));
        gone(&["input[0]", "input[1][0]"], |whole| {
            whole["input"] = json!({ "anyOf": [], "properties": { "a": {}, "b": {} } })
        });
        gone(&["models.m.price.input"], |whole| {
            drop(whole["models"]["m"].as_object_mut().unwrap().remove("price"))
        });
        gone(&["models.m.headers[0]", "models.m.params", "models.m.concurrency"], |whole| {
            whole["models"]["m"]["provider"] = "demo".into();
        });
        gone(&["agents.a.output[0]", "agents.a.maxTurns"], |whole| {
            whole["agents"] = json!({ "b": { "model": "m" } })
        });
        gone(&["tools.flow.run.workflow", "tools.flow.timeoutMs", "tools.web.run.maxUses"], |whole| {
            whole["tools"]["flow"]["run"] = json!({ "provider": "web_search" });
            whole["tools"]["web"]["run"] = json!({ "provider": "code_execution" });
        });
    }

    #[test]
    fn the_rows_of_a_field_are_known_by_their_keys() {
        let keys: Vec<String> = FIELDS.iter().map(|key| (*key).to_owned()).collect();
        assert_eq!(
            rows_of(keys.iter(), "input"),
            ["input[2]", "input[1][0]", "input[2].items[0]", "input[1][0]@s1"][..3]
        );
        assert_eq!(rows_of(keys.iter(), &draft_key(Some("s1"), "input")), ["input[1][0]@s1"]);
        assert_eq!(rows_of(keys.iter(), r#"tools["a@b"].input"#), [r#"tools["a@b"].input[1][0]"#]);
    }
}
