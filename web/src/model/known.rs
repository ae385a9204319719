//! What can be read where a step stands: the names of the state, each with a value where one is known.

use indexmap::IndexMap;
use serde_json::{Map, Value};
use stepweave_core::document::{Check, Document, HttpRequest, Inner, Run, Source, Step, StepKind, ToolRun};
use stepweave_core::edit::ids;
use stepweave_core::language::{Access, Expression, Read, Template};
use stepweave_core::state::output_key;
use stepweave_core::validate::{files_of_request, templates_of_request};

use super::access::{follow, literal, whole};
use super::returned::returned;
use super::sample::Samples;

/// Names with their values; one whose value is not known has none.
pub type Known = IndexMap<String, Option<Value>>;

/// What has been seen of a workflow.
pub struct Seen<'s> {
    /// The sample answers of its requests.
    pub samples: &'s Samples,
    /// What each step gave in the run that is shown, by its id.
    pub outputs: &'s IndexMap<String, Value>,
    /// The state at the end of that run.
    pub state: Option<&'s Map<String, Value>>,
    /// What runs were given last, over the initial state.
    pub given: &'s Map<String, Value>,
}

/// The key under which a step's sample is kept.
pub fn key_of_step(id: &str) -> String {
    format!("http@{id}")
}

/// What a step can read: the state as the steps before it leave it.
pub fn known_at(document: &Document, seen: &Seen<'_>, target: &str) -> Known {
    let mut known = Known::new();
    let holds = |steps: &[Step]| steps.iter().any(|step| ids(step).contains(&target));
    let mut steps = document.steps.as_slice();
    if holds(steps) {
        begin(document, seen.given, &mut known);
    } else {
        // The steps of a tool see what it is called with, and not the state of the workflow.
        steps = &[];
        for tool in document.tools.values() {
            if let Some(ToolRun::Workflow(inner)) = &tool.run
                && holds(&inner.steps)
            {
                known.extend(declared(tool.input.as_ref()));
                enter_workflow(inner, &mut known);
                steps = &inner.steps;
                break;
            }
        }
    }
    while let Some(around) = steps.iter().position(|step| ids(step).contains(&target)) {
        let (before, rest) = steps.split_at(around);
        before.iter().for_each(|step| give(step, document, seen, &mut known));
        let Some(step) = rest.first().filter(|step| step.id != target) else { break };
        enter(step, document, seen, &mut known);
        let blocks = step.blocks().into_iter().map(|(_, steps)| steps.as_slice());
        steps = { blocks }.find(|steps| holds(steps)).unwrap_or_default();
    }
    take_last(seen, &mut known);
    known
}

/// What an expression of a step can read that is evaluated after the steps inside of it.
pub fn known_inside(document: &Document, seen: &Seen<'_>, id: &str) -> Known {
    let mut known = known_at(document, seen, id);
    if let Some(step) = document.step(id) {
        enter(step, document, seen, &mut known);
        for (_, steps) in step.blocks() {
            steps.iter().for_each(|step| give(step, document, seen, &mut known));
        }
    }
    take_last(seen, &mut known);
    known
}

/// What the run that is shown has left is newer than what it began with.
fn take_last(seen: &Seen<'_>, known: &mut Known) {
    for (key, value) in known {
        if let Some(last) = seen.state.and_then(|state| state.get(key)) {
            *value = Some(last.clone());
        }
    }
}

/// What a request needs to be sent: keys of the state, and outputs of steps by their names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Keys without which a template fails.
    pub keys: Vec<String>,
    /// Steps, by their names.
    pub outputs: Vec<String>,
}

/// What a request needs.
pub fn needs_of(request: &HttpRequest) -> Needs {
    let mut needs = Needs::default();
    let mut take = |reads: Vec<Read<'_>>| {
        for read in reads.into_iter().filter(|read| !read.has_fallback) {
            let (list, name) = match read.access {
                Access::Key(key) => (&mut needs.keys, key),
                Access::Output(step) => (&mut needs.outputs, step),
                Access::AnyKey | Access::AnyOutput => continue,
            };
            if !list.iter().any(|own| own == name) {
                list.push(name.to_owned());
            }
        }
    };
    for (_, text) in templates_of_request(request) {
        if let Ok(template) = Template::parse(text) {
            take(template.reads());
        }
    }
    for (_, text) in files_of_request(request) {
        if let Ok(expression) = Expression::parse(text) {
            take(expression.reads());
        }
    }
    needs
}

/// What the first step finds: the initial state, and over it what a run is given.
fn begin(document: &Document, given: &Map<String, Value>, known: &mut Known) {
    known.extend(declared(document.input.as_ref()));
    known.extend(document.initial_state.iter().map(|(key, value)| (key.clone(), Some(value.clone()))));
    known.extend(given.iter().map(|(key, value)| (key.clone(), Some(value.clone()))));
}

/// What a step inside of another one finds besides.
fn enter(step: &Step, document: &Document, seen: &Seen<'_>, known: &mut Known) {
    match &step.kind {
        StepKind::Foreach(each) => {
            let first = match &each.items {
                Source::Text(text) => value_in(known, text).and_then(|items| items.get(0).cloned()),
                Source::Handler(_) => None,
            };
            known.insert(each.item.clone(), first);
            known.insert(format!("{}_index", each.item), Some(0.into()));
        }
        StepKind::Workflow(inner) => enter_workflow(inner, known),
        // Its ways begin with the answer.
        StepKind::Approval(_) => {
            known.insert(output_key(&step.name), output_of(step, document, seen));
        }
        _ => {}
    }
}

fn enter_workflow(inner: &Inner, known: &mut Known) {
    if let Some(with) = &inner.with {
        *known = with.iter().map(|(key, text)| (key.clone(), value_in(known, text))).collect();
    }
    known.extend(inner.initial_state.iter().map(|(key, value)| (key.clone(), Some(value.clone()))));
}

/// What a schema says that there is, each with the value that it has where nobody says another one.
pub fn declared(input: Option<&Check>) -> Known {
    let properties = input.and_then(Check::properties).into_iter().flatten();
    properties.map(|(name, about)| (name.clone(), about.get("default").cloned())).collect()
}

/// What a step leaves in the state.
fn give(step: &Step, document: &Document, seen: &Seen<'_>, known: &mut Known) {
    let mut open = vec![step];
    while let Some(step) = open.pop() {
        match &step.kind {
            StepKind::Function(Run::Set(set)) => {
                let pinned = document.pins.get(&step.id);
                for (key, text) in set {
                    let value =
                        pinned.and_then(|patch| patch.get(key).cloned()).or_else(|| value_in(known, text));
                    known.insert(key.clone(), value);
                }
            }
            StepKind::Function(Run::Code(code)) => {
                let pinned = document.pins.get(&step.id);
                for key in returned(code) {
                    known.insert(key.to_owned(), pinned.and_then(|patch| patch.get(key).cloned()));
                }
            }
            StepKind::Workflow(inner) if inner.set.is_some() => {
                known.extend(inner.set.iter().flatten().map(|(key, _)| (key.clone(), None)));
            }
            StepKind::Agent(_)
            | StepKind::Http(_)
            | StepKind::Approval(_)
            | StepKind::Foreach(_)
            | StepKind::Workflow(_) => {
                known.insert(output_key(&step.name), output_of(step, document, seen));
                if let StepKind::Approval(_) = &step.kind {
                    open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps).rev());
                }
            }
            _ => open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps).rev()),
        }
    }
}

/// What a step gave: what is pinned, what its request answered when it was tried, or what the shown run has of it.
pub fn output_of(step: &Step, document: &Document, seen: &Seen<'_>) -> Option<Value> {
    let tried = || match &step.kind {
        StepKind::Http(call) => seen.samples.get(&key_of_step(&step.id))?.given(&call.http),
        _ => None,
    };
    let pinned = document.pins.get(&step.id).cloned();
    pinned.or_else(tried).or_else(|| seen.outputs.get(&step.id).cloned())
}

fn value_in(known: &Known, text: &str) -> Option<Value> {
    if let Some(value) = literal(text) {
        return Some(value);
    }
    let way = whole(text)?;
    let (first, rest) = way.split_first()?;
    let super::access::Member::Key(name) = first else { return None };
    follow(known.get(name)?.as_ref()?, rest).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::requests::read;
    use crate::model::sample::Sample;
    use serde_json::json;

    fn document() -> Document {
        let get = |id: &str, name: &str, more: Value| json!({ "id": id, "type": "http", "name": name, "http": more });
        serde_json::from_value(json!({ "version": 1, "name": "t", "initialState": { "urls": ["https://a.test/x"] },
            "pins": { "s6": { "mood": "good" } },
            "steps": [
                get("s1", "first", json!({ "url": "https://a.test/", "result": "body.items" })),
                { "id": "s2", "type": "function", "name": "pick", "run": { "set": { "one": "first_output[0]", "n": "1 + 1" } } },
                { "id": "s3", "type": "foreach", "name": "each", "items": "urls", "as": "url", "steps": [
                    get("s4", "page", json!({ "url": "{{ url }}", "origins": "any" })),
                    { "id": "s5", "type": "wait", "name": "rest", "wait": { "ms": 1 } } ] },
                { "id": "s6", "type": "agent", "name": "judge", "agent": "a" },
                { "id": "s7", "type": "workflow", "name": "inner", "with": { "judged": "judge_output" }, "steps": [
                    { "id": "s8", "type": "wait", "name": "more", "wait": { "ms": 1 } } ] } ] }))
        .unwrap()
    }

    fn at(target: &str, state: Option<Value>) -> Value {
        let answer = json!({ "status": 200, "headers": {}, "body": { "items": [{ "name": "bee" }] } });
        let samples = Samples::from([(key_of_step("s1"), Sample::of(&answer, None, 1.0))]);
        let outputs = IndexMap::from([("s4".to_owned(), json!("text of a page"))]);
        let state = state.and_then(|state| state.as_object().cloned());
        let seen = Seen { samples: &samples, outputs: &outputs, state: state.as_ref(), given: &Map::new() };
        json!(known_at(&document(), &seen, target))
    }

    #[test]
    fn a_step_can_read_what_the_steps_before_it_leave() {
        let urls = json!(["https://a.test/x"]);
        assert_eq!(at("s1", None), json!({ "urls": urls }));
        let first = json!([{ "name": "bee" }]);
        let before = json!({ "urls": urls, "first_output": first, "one": { "name": "bee" }, "n": null });
        assert_eq!(at("s3", None), before);
        let mut inside = before.clone();
        inside["url"] = json!("https://a.test/x");
        inside["url_index"] = json!(0);
        assert_eq!(at("s4", None), inside);
        inside["page_output"] = json!("text of a page");
        assert_eq!(at("s5", None), inside);
        assert_eq!(at("s8", None), json!({ "judged": { "mood": "good" } }));
    }

    #[test]
    fn the_first_item_of_a_list_that_stands_in_its_foreach_is_known() {
        let wait = json!({ "id": "s2", "type": "wait", "name": "rest", "wait": { "ms": 1 } });
        let each = json!({ "id": "s1", "type": "foreach", "name": "each", "items": "['https://a.test', 'https://b.test']", "steps": [wait] });
        let document: Document =
            serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [each] })).unwrap();
        let (samples, outputs) = (Samples::new(), IndexMap::new());
        let seen = Seen { samples: &samples, outputs: &outputs, state: None, given: &Map::new() };
        let known = json!(known_at(&document, &seen, "s2"));
        assert_eq!(known, json!({ "item": "https://a.test", "item_index": 0 }));
    }

    #[test]
    fn the_ways_of_an_approval_read_its_answer() {
        let wait = json!({ "id": "s2", "type": "wait", "name": "rest", "wait": { "ms": 1 } });
        let sign = json!({ "id": "s1", "type": "approval", "name": "sign", "else": [wait] });
        let document: Document =
            serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [sign] })).unwrap();
        let (samples, outputs) = (Samples::new(), IndexMap::new());
        let answered = Map::from_iter([("sign_output".to_owned(), json!({ "approved": false }))]);
        let given = Map::new();
        let seen = |state| Seen { samples: &samples, outputs: &outputs, state, given: &given };
        assert_eq!(json!(known_at(&document, &seen(None), "s2")), json!({ "sign_output": null }));
        assert_eq!(
            json!(known_at(&document, &seen(Some(&answered)), "s2")),
            json!({ "sign_output": { "approved": false } })
        );
    }

    #[test]
    fn what_is_evaluated_after_the_steps_inside_reads_what_they_leave() {
        let (samples, outputs) = (Samples::new(), IndexMap::new());
        let seen = Seen { samples: &samples, outputs: &outputs, state: None, given: &Map::new() };
        let names = |id: &str| known_inside(&document(), &seen, id).into_keys().collect::<Vec<_>>();
        assert_eq!(names("s3"), ["urls", "first_output", "one", "n", "url", "url_index", "page_output"]);
        assert_eq!(names("s7"), ["judged"]);
        // A loop that has run has left them.
        let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "loop", "name": "again", "repeat": { "until": "count >= 3" }, "maxIterations": 3, "steps": [
                { "id": "s2", "type": "function", "name": "more", "run": { "set": { "count": "count | default(0) + 1" } } } ] } ] }))
        .unwrap();
        let left = Map::from_iter([("count".to_owned(), json!(3))]);
        let seen = Seen { state: Some(&left), ..seen };
        assert_eq!(json!(known_inside(&document, &seen, "s1")), json!({ "count": 3 }));
    }

    #[test]
    fn what_runs_and_tools_are_given_is_known() {
        let (samples, outputs) = (Samples::new(), IndexMap::new());
        let seen = Seen { samples: &samples, outputs: &outputs, state: None, given: &Map::new() };
        let wait = |id: &str| json!({ "id": id, "type": "wait", "name": id, "wait": { "ms": 1 } });
        let input = |key: &str| json!({ "type": "object", "properties": { key: { "type": "string" }, "n": { "default": 3 } } });
        let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t",
            "input": input("mail"), "initialState": { "tone": "kind", "n": 4 },
            "tools": { "look": { "input": input("word"), "run": { "workflow": {
                "initialState": { "most": 1 }, "steps": [wait("s2")] } } } },
            "steps": [wait("s1")] }))
        .unwrap();
        assert_eq!(json!(known_at(&document, &seen, "s1")), json!({ "mail": null, "n": 4, "tone": "kind" }));
        assert_eq!(json!(known_at(&document, &seen, "s2")), json!({ "word": null, "n": 3, "most": 1 }));
    }

    #[test]
    fn the_state_of_the_shown_run_says_what_values_were_last() {
        let last = at("s3", Some(json!({ "urls": [], "n": 2, "other": true })));
        assert_eq!((&last["urls"], &last["n"], last.get("other")), (&json!([]), &json!(2), None));
    }

    #[test]
    fn what_a_run_is_given_is_known_before_there_was_one() {
        let mut document = document();
        let schema = json!({ "type": "object", "properties": { "mail": { "type": "string" }, "urls": {} } });
        document.input = Some(Check::Schema(schema));
        let (samples, outputs, none) = (Samples::new(), IndexMap::new(), Map::new());
        let given = Map::from_iter([("mail".to_owned(), json!("Where is it?"))]);
        let at = |given: &Map<String, Value>, state| {
            json!(known_at(&document, &Seen { samples: &samples, outputs: &outputs, state, given }, "s1"))
        };
        let urls = json!(["https://a.test/x"]);
        assert_eq!(at(&none, None), json!({ "mail": null, "urls": urls }));
        assert_eq!(at(&given, None), json!({ "mail": "Where is it?", "urls": urls }));
        let last = Map::from_iter([("mail".to_owned(), json!("Of the run"))]);
        assert_eq!(at(&given, Some(&last))["mail"], "Of the run");
    }

    #[test]
    fn a_request_needs_what_its_templates_read() {
        let request = json!({ "url": "https://a.test/{{ id }}", "query": { "q": "{{ q | default('') }}{{ steps.first.output }}" },
            "body": { "multipart": [{ "name": "f", "file": "photo" }, { "name": "t", "text": "{{ id }}{{ word }}" }] } });
        let needs = needs_of(&read(request));
        assert_eq!(needs.keys, ["id", "word", "photo"]);
        assert_eq!(needs.outputs, ["first"]);
    }
}
