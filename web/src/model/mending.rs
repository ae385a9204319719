//! What ends a problem at a click: a text that the validator proposes, or what the page knows of the workflow besides.

use serde_json::{Value, json};
use stepweave_core::document::{Check, Document, Origins, Run, Step, StepKind, every};
use stepweave_core::edit::{Edit, slot_of};
use stepweave_core::rename;

use super::fitting::{origins_of_address, sees_state};
use super::fixing::fixed;
use super::lists::{NO_LIST, begun_as_no_list, with_list};
use super::locate::step_at;
use super::needed::schema_for;
use super::problem::{Fix, Problem};
use super::requests::secret_of;
use super::settings::without_steps;
use super::shape::empty;
use super::sites::{SITE_LEFT_OUT, sites_left_out};
use super::sources::givers;
use crate::layout::Place;

/// A change that ends a problem.
#[derive(Debug, Clone, PartialEq)]
pub enum Mend {
    /// Another text instead of the one that is wrong.
    Write(Fix),
    /// Every run begins with a value of this name.
    BeginWith(String),
    /// Whoever runs the workflow is asked for a value of this name.
    AskFor(String),
    /// A request may go there.
    Allow(Origins),
    /// It may go there too.
    AllowToo(Vec<String>),
    /// A key that every run begins with, or is given, becomes a list.
    List(String),
}

impl Mend {
    /// What ends a problem of a document, the likeliest first.
    pub fn all(document: &Document, problem: &Problem) -> Vec<Self> {
        let step = step_at(document, &problem.path);
        // What only has the run go on without a value comes behind what gives it one.
        let (last, first): (Vec<Fix>, Vec<Fix>) = problem.fix.clone().into_iter().partition(Fix::is_fallback);
        let mut all: Vec<Self> = first.into_iter().map(Self::Write).collect();
        match (problem.code.as_str(), step) {
            ("unknown_name" | "uncertain_name", Some((step, place))) => {
                all.extend(in_quotes(step, place, problem).map(Self::Write));
                if let Some(name) = given_first(document, step, problem) {
                    let asks = problem.message.starts_with(NOTHING_GIVES)
                        && asking_for(document.input.as_ref(), &name, Value::Null).is_some();
                    all.extend(asks.then(|| Self::AskFor(name.clone())));
                    all.push(Self::BeginWith(name));
                }
            }
            ("missing_origins", Some((step, "http.url"))) => all.extend(allow(document, step)),
            (SITE_LEFT_OUT, Some((step, _))) => all.push(Self::AllowToo(sites_left_out(document, step))),
            (NO_LIST, Some((step, _))) => all.extend(begun_as_no_list(document, step).map(Self::List)),
            _ => {}
        }
        all.extend(last.into_iter().map(Self::Write));
        all
    }

    /// What it does, for a button.
    pub fn title(&self) -> String {
        match self {
            Self::Write(fix) => fix.title(),
            Self::BeginWith(key) => format!("Add {key} to the initial state"),
            Self::AskFor(key) => format!("Ask for {key} when running"),
            Self::List(key) => format!("Make {key} a list"),
            Self::Allow(Origins::Any) => "Ask about each new site".to_owned(),
            Self::Allow(Origins::Some(origins)) | Self::AllowToo(origins) => match origins.as_slice() {
                [only] => format!("Allow {only}"),
                many => format!("Allow the {} sites of the list", many.len()),
            },
        }
    }

    /// The change of the document, for a problem at this path.
    pub fn edit(&self, document: &Document, path: &str) -> Option<Edit> {
        match self {
            Self::Write(fix) => fixed(document, path, &fix.text),
            Self::BeginWith(key) => {
                let mut settings = without_steps(document);
                let schema = schema_for(document, rename::Place::Workflow, key);
                settings.initial_state.entry(key.clone()).or_insert(empty(&schema));
                Some(Edit::Settings(Box::new(settings)))
            }
            Self::AskFor(key) => {
                let mut settings = without_steps(document);
                let schema = schema_for(document, rename::Place::Workflow, key);
                settings.input = Some(Check::Schema(asking_for(document.input.as_ref(), key, schema)?));
                Some(Edit::Settings(Box::new(settings)))
            }
            Self::List(key) => Some(Edit::Settings(Box::new(with_list(document, key)))),
            Self::Allow(origins) => allowing(document, path, |allowed| *allowed = Some(origins.clone())),
            Self::AllowToo(more) => allowing(document, path, |allowed| {
                if let Some(Origins::Some(allowed)) = allowed {
                    allowed.extend(more.iter().cloned());
                }
            }),
        }
    }
}

/// The edit that changes where the request of the step at a path may go.
fn allowing(document: &Document, path: &str, change: impl FnOnce(&mut Option<Origins>)) -> Option<Edit> {
    let (step, _) = step_at(document, path)?;
    let mut with = step.clone();
    if let StepKind::Http(call) = &mut with.kind {
        change(&mut call.http.origins);
    }
    Some(Edit::Replace { step: step.id.clone(), with })
}

/// How the validator says that no step gives a name at all.
pub(super) const NOTHING_GIVES: &str = "nothing gives ";

/// The name that nothing has given yet where a step reads it, where a run could begin with it.
pub(super) fn given_first(document: &Document, step: &Step, problem: &Problem) -> Option<String> {
    let is_given = !problem.message.starts_with(NOTHING_GIVES);
    let name = problem.message.split('`').nth(1)?;
    let place = Place::Slot(slot_of(document, &step.id)?);
    let is_short = name.chars().count() <= LONGEST_NAME;
    let could_begin = is_short && sees_state(document, &place);
    (could_begin && (!is_given || is_read_first(document, step, name))).then(|| name.to_owned())
}

/// The text of one word that may be meant, where it is all that a key is set to and nothing is called so.
fn in_quotes(step: &Step, place: &str, problem: &Problem) -> Option<Fix> {
    let StepKind::Function(Run::Set(set)) = &step.kind else { return None };
    let word = set.get(place.strip_prefix("run.set.")?)?.trim();
    let is_unknown =
        problem.message.starts_with(NOTHING_GIVES) && problem.message.split('`').nth(1) == Some(word);
    is_unknown.then(|| Fix { label: "put it in quotes".to_owned(), text: format!("'{word}'") })
}

/// Whether a step reads a key that only it or later ones give, such as what is counted in a loop.
fn is_read_first(document: &Document, step: &Step, key: &str) -> bool {
    let givers = givers(document, key);
    let is_giver = |one: &Step| givers.first().is_some_and(|giver| giver.id == one.id);
    let first = every(&document.steps).find(|one| one.id == step.id || is_giver(one));
    !givers.is_empty() && first.is_some_and(|first| first.id == step.id)
}

/// The schema of a run's input with a key in it that has a schema; nothing where a function checks the input.
pub(super) fn asking_for(input: Option<&Check>, key: &str, own: Value) -> Option<Value> {
    let mut schema = match input {
        None => json!({ "type": "object" }),
        Some(Check::Schema(schema)) => schema.clone(),
        Some(_) => return None,
    };
    let members = schema.as_object_mut()?;
    let properties = members.entry("properties").or_insert_with(|| json!({}));
    properties.as_object_mut()?.insert(key.to_owned(), own);
    let required = members.entry("required").or_insert_with(|| json!([]));
    required.as_array_mut()?.push(key.into());
    Some(schema)
}

/// Longer names are no names for a button.
const LONGEST_NAME: usize = 40;

/// Where the request of a step may go. A secret goes nowhere but to origins that are named.
fn allow(document: &Document, step: &Step) -> Vec<Mend> {
    let StepKind::Http(call) = &step.kind else { return Vec::new() };
    let known = origins_of_address(document, step, &call.http.url).map(Origins::Some);
    let any = secret_of(&call.http).is_none().then_some(Origins::Any);
    known.into_iter().chain(any).map(Mend::Allow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepweave_core::edit::apply;
    use stepweave_core::validate::validate;

    use crate::model::sites::left_out;

    fn document(http: Value) -> Document {
        serde_json::from_value(json!({ "version": 1, "name": "t",
            "initialState": { "urls": ["https://a.test/1", "https://b.test:8080/2"], "url": "https://c.test/" },
            "steps": [
                { "id": "s1", "type": "function", "name": "set", "run": { "set": { "n": "tpoic ~ topic" } } },
                { "id": "s2", "type": "foreach", "name": "each", "items": "urls", "steps": [
                    { "id": "s3", "type": "http", "name": "page", "http": http } ] },
                { "id": "s4", "type": "workflow", "name": "inner", "with": {}, "steps": [
                    { "id": "s5", "type": "function", "name": "in", "run": { "set": { "m": "topic" } } } ] } ] }))
        .unwrap()
    }

    fn problems(document: &Document) -> Vec<Problem> {
        let found = validate(&serde_json::to_string(document).unwrap()).problems;
        found.into_iter().map(Problem::from).chain(left_out(document)).collect()
    }

    fn titles(document: &Document, code: &str) -> Vec<Vec<String>> {
        let of = |problem: &Problem| Mend::all(document, problem).iter().map(Mend::title).collect();
        problems(document).iter().filter(|problem| problem.code == code).map(of).collect()
    }

    #[test]
    fn every_mend_ends_its_problem() {
        for http in [
            json!({ "url": "{{ item }}" }),
            json!({ "url": "{{ url }}" }),
            json!({ "url": "{{ a }}" }),
            json!({ "url": "{{ item }}", "origins": ["https://a.test"] }),
        ] {
            let document = document(http);
            for problem in problems(&document) {
                for mend in Mend::all(&document, &problem) {
                    let mut mended = document.clone();
                    apply(&mut mended, mend.edit(&document, &problem.path).unwrap()).unwrap();
                    let left = problems(&mended);
                    let same = |one: &&Problem| one.path == problem.path && one.message == problem.message;
                    assert_eq!(left.iter().find(same), None, "{mend:?}");
                }
            }
        }
    }

    #[test]
    fn what_a_loop_counts_may_be_begun_with() {
        let set = |id: &str, key: &str, text: &str| json!({ "id": id, "type": "function", "name": id, "run": { "set": { key: text } } });
        let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "initialState": { "ok": true },
            "steps": [
                { "id": "s1", "type": "loop", "name": "rounds", "repeat": { "until": "n > 2" }, "maxIterations": 3,
                  "steps": [set("s2", "n", "n + 1"), set("s3", "all", "late ~ n"), set("s4", "late", "'x'")] },
                { "id": "s5", "type": "condition", "name": "if", "condition": "ok", "steps": [set("s6", "way", "'x'")] },
                set("s7", "y", "way ~ soon"), set("s8", "soon", "'x'") ] }))
        .unwrap();
        let add = |key: &str| format!("Add {key} to the initial state");
        assert_eq!(
            titles(&document, "uncertain_name"),
            [
                vec![add("n"), "Write | default(0)".to_owned()],
                vec![add("late"), "Write | default('')".to_owned()],
                vec!["Write | default('')".to_owned()],
            ]
        );
        assert_eq!(titles(&document, "unknown_name"), [[add("soon"), "Write | default('')".to_owned()]]);
        let begun = Mend::BeginWith("n".to_owned()).edit(&document, "");
        let mut mended = document.clone();
        apply(&mut mended, begun.unwrap()).unwrap();
        assert_eq!(mended.initial_state["n"], json!(0));
    }

    #[test]
    fn a_name_that_is_begun_is_offered_before_a_new_one() {
        let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t",
            "input": { "type": "object", "properties": { "mail": { "type": "string" } }, "required": ["mail"] },
            "models": { "m": { "provider": "demo", "model": "demo" } }, "agents": { "a": { "model": "m" } },
            "steps": [{ "id": "s1", "type": "agent", "name": "sort", "agent": "a", "inputFrom": "{{ ma }}" }] }))
        .unwrap();
        let expected = ["Write mail", "Ask for ma when running", "Add ma to the initial state"];
        assert_eq!(titles(&document, "unknown_name"), [expected]);
    }

    #[test]
    fn a_word_that_is_all_a_key_is_set_to_may_be_meant_as_a_text() {
        let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "input": { "type": "object", "properties": { "topic": {} } },
            "steps": [{ "id": "s1", "type": "function", "name": "f", "run": { "set": { "size": " long ", "all": "topic ~ other" } } }] }))
        .unwrap();
        let both = |name: &str| {
            [
                format!("Ask for {name} when running"),
                format!("Add {name} to the initial state"),
                "Write | default('')".to_owned(),
            ]
        };
        let of = titles(&document, "unknown_name");
        assert_eq!(of[0], [&["Put it in quotes".to_owned()][..], &both("long")].concat());
        assert_eq!(of[1], both("other"));
    }

    #[test]
    fn a_request_is_allowed_where_its_known_addresses_lead_or_everywhere_but_with_a_secret() {
        let of = |http| titles(&document(http), "missing_origins");
        assert_eq!(
            of(json!({ "url": "{{ item }}" })),
            [["Allow the 2 sites of the list", "Ask about each new site"]]
        );
        assert_eq!(of(json!({ "url": "{{url}}" })), [["Allow https://c.test", "Ask about each new site"]]);
        let with_key = json!({ "url": "{{ url }}", "auth": { "bearer": { "secret": "K" } } });
        assert_eq!(of(with_key), [["Allow https://c.test"]]);
        assert_eq!(of(json!({ "url": "{{ n }}" })), [["Ask about each new site"]]);
    }

    #[test]
    fn a_run_is_asked_for_a_name_that_nothing_gives_beside_what_it_is_asked_for_already() {
        let asked = |input: Option<Value>| {
            let mut document = document(json!({ "url": "https://a.test/" }));
            document.input = input.map(Check::Schema);
            asking_for(document.input.as_ref(), "topic", json!({ "type": "string" }))
        };
        let topic = json!({ "type": "string" });
        assert_eq!(
            asked(None),
            Some(json!({ "type": "object", "properties": { "topic": topic }, "required": ["topic"] }))
        );
        let with = json!({ "type": "object", "properties": { "a": {} }, "required": ["a"] });
        assert_eq!(
            asked(Some(with)),
            Some(
                json!({ "type": "object", "properties": { "a": {}, "topic": topic }, "required": ["a", "topic"] })
            )
        );
        assert_eq!(asked(Some(json!(true))), None);
    }

    #[test]
    fn a_name_that_a_foreach_goes_through_is_a_list_wherever_it_comes_from() {
        let document: Document = serde_json::from_value(
            json!({ "version": 1, "name": "t", "input": { "type": "object", "properties": { "topic": {} } }, "steps": [
            { "id": "s1", "type": "foreach", "name": "each", "items": "addresses", "steps": [
                { "id": "s2", "type": "function", "name": "set", "run": { "set": { "n": "item" } } } ] }] }),
        )
        .unwrap();
        let found = problems(&document).into_iter().find(|problem| problem.code == "unknown_name");
        let problem = found.unwrap();
        let [begin, ask] = ["Add", "Ask"].map(|verb| {
            Mend::all(&document, &problem).into_iter().find(|mend| mend.title().starts_with(verb)).unwrap()
        });
        let mended = |mend: &Mend| {
            let mut mended = document.clone();
            apply(&mut mended, mend.edit(&document, &problem.path).unwrap()).unwrap();
            serde_json::to_value(mended).unwrap()
        };
        assert_eq!(mended(&begin)["initialState"], json!({ "addresses": [] }));
        let list = json!({ "type": "array", "items": { "type": "string" } });
        assert_eq!(mended(&ask)["input"]["properties"], json!({ "topic": {}, "addresses": list }));
    }

    #[test]
    fn a_name_that_nothing_gives_goes_into_the_initial_state_where_that_is_seen() {
        let document = document(json!({ "url": "https://a.test/" }));
        let found = titles(&document, "unknown_name");
        // A workflow inside has a state of its own.
        assert!(found.iter().flatten().all(|title| title != "Add n to the initial state"), "{found:?}");
        let mut document = document;
        document.input = None;
        let one = problems(&document).into_iter().find(|problem| problem.path == "steps[0].run.set.n");
        if let Some(problem) = one {
            assert!(Mend::all(&document, &problem).contains(&Mend::BeginWith("tpoic".to_owned())));
        }
    }
}
