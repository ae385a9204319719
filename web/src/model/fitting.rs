//! A new step as its place suggests it: what the steps and values around it say already, nobody has to write again.

use serde_json::Value;
use stepweave_core::document::{
    Check, Document, Foreach, Origins, ResponseForm, Run, Source, Step, StepKind, every_of,
};
use stepweave_core::edit::{Block, Edit, Slot, find, slot_of};
use stepweave_core::state::output_key;

use super::access::literal;
use super::answers;
use super::completions::written_name;
use super::endpoints::origin_of;
use super::joining::{joined, step_before};
use super::place::put;
use super::returned::returned;
use super::together::{Trial, delete};
use crate::layout::Place;
use crate::step::free::free;
use crate::step::kinds::{Kind, untouched_case};
use crate::step::words::called;

/// A new step of a kind for a place, and the edit that puts it there.
pub fn made(kind: Kind, document: &Document, place: &Place) -> Option<(Step, Edit)> {
    let named = (kind == Kind::Agent).then(|| name_of_case(document, place)).flatten();
    let mut step = match named {
        Some(name) => kind.called(document, &name),
        None => kind.blank(document),
    };
    fit(&mut step, document, place);
    let edit = put(document, step.clone(), place)?;
    let edit = collected(document, place, &step, edit);
    Some((step, edit))
}

fn fit(step: &mut Step, document: &Document, place: &Place) {
    match &mut step.kind {
        StepKind::Switch(switch) => {
            if let Some(found) = answers::before(document, place) {
                answers::add(switch, found.cases);
            }
        }
        StepKind::Condition(branch) => {
            if let Some(decision) = answers::decision_before(document, place) {
                branch.condition = decision;
            }
        }
        StepKind::Foreach(each) => {
            let only = only_list(document, place).map(written_name);
            if let Some(list) = only.or_else(|| list_before(document, place)) {
                each.items = Source::Text(list);
            }
        }
        StepKind::Http(call) => {
            if let Some((item, origins)) = item_with_address(document, place) {
                call.http.url = format!("{{{{ {} }}}}", written_name(item));
                call.http.origins = Some(Origins::Some(origins));
            }
        }
        StepKind::Function(Run::Set(rows)) => {
            let given = given_before(document, place).unwrap_or_else(|| NEW_VALUE.to_owned());
            rows.insert(free_key(document), given);
        }
        StepKind::Approval(approval) => {
            if let (Some(message), Some(answer)) = (&mut approval.message, answer_before(document, place)) {
                message.push_str(&format!("\n\n{{{{ {answer} }}}}"));
            }
        }
        _ => {}
    }
}

/// The key of a row that nobody has named yet.
pub const NEW_KEY: &str = "key";

/// The expression of a row that nobody has written yet: an empty text.
pub const NEW_VALUE: &str = "''";

/// A key for the first row of a function that nothing has yet: who names it renames no row of another one.
fn free_key(document: &Document) -> String {
    let is_set = |key: &str| {
        let sets =
            |step: &Step| matches!(&step.kind, StepKind::Function(Run::Set(rows)) if rows.contains_key(key));
        document.initial_state.contains_key(key) || every_of(document).any(sets)
    };
    free(NEW_KEY, &is_set)
}

/// The name of the case of a switch in which a step is the first one, where a step can be called so.
fn name_of_case(document: &Document, place: &Place) -> Option<String> {
    let Place::Slot(Slot { block: Block::Inside { step, key }, index: 0 }) = place else { return None };
    let step = find(document, step)?;
    let StepKind::Switch(switch) = &step.kind else { return None };
    let at = step.blocks().iter().position(|(own, _)| own == key)?;
    let name = called(switch.cases.get(at)?)?.to_ascii_lowercase().replace([' ', '-'], "_");
    let is_plain = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= LONGEST_NAME
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    is_plain.then_some(name)
}

/// Longer names of cases are sentences.
const LONGEST_NAME: usize = 24;

/// The only list that runs begin with or are given, if the state of the workflow is seen at this place.
fn only_list<'d>(document: &'d Document, place: &Place) -> Option<&'d str> {
    if !sees_state(document, place) {
        return None;
    }
    let begun = document.initial_state.iter().filter(|(_, value)| value.is_array()).map(|(key, _)| key);
    // A key of both is one thing.
    let given = given_lists(document).filter(|key| !document.initial_state.contains_key(*key));
    let mut lists = begun.chain(given);
    let key = lists.next()?;
    lists.next().is_none().then_some(key)
}

/// The lists among what a run is given.
fn given_lists(document: &Document) -> impl Iterator<Item = &String> {
    let properties = document.input.as_ref().and_then(Check::properties);
    let is_list = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "array");
    properties.into_iter().flatten().filter(move |(_, schema)| is_list(schema)).map(|(key, _)| key)
}

/// What the step right before a place gives, where that is a list, or may be one for all that the document says.
fn list_before(document: &Document, place: &Place) -> Option<String> {
    let before = step_before(document, place)?;
    if let StepKind::Function(Run::Code(code)) = &before.kind {
        // Of several keys nobody knows which one is the list.
        let mut keys = returned(code).into_iter();
        let (Some(only), None) = (keys.next(), keys.next()) else { return None };
        return Some(only.to_owned());
    }
    let is_list = match &before.kind {
        StepKind::Http(call) => {
            matches!(call.http.response, None | Some(ResponseForm::Auto | ResponseForm::Json))
        }
        StepKind::Agent(call) => {
            let output = document.agents.get(&call.agent)?.output.as_ref()?;
            output.json_schema()?.get("type").is_some_and(|kind| kind == "array")
        }
        StepKind::Foreach(_) => true,
        _ => false,
    };
    is_list.then(|| answer_of(before))
}

/// Whether a new step has something that a person writes first: what its place has not said.
pub fn asks(step: &Step) -> bool {
    match &step.kind {
        StepKind::Agent(_) | StepKind::Http(_) | StepKind::Foreach(_) | StepKind::Loop(_) => true,
        StepKind::Function(_) | StepKind::End(_) | StepKind::Wait(_) | StepKind::Approval(_) => true,
        StepKind::Condition(branch) => branch.condition == untouched_case().when,
        StepKind::Switch(_) => answers::is_untouched(step),
        _ => false,
    }
}

/// Where a request goes whose address is a value of the initial state, or an item of one.
pub(super) fn origins_of_address(document: &Document, step: &Step, url: &str) -> Option<Vec<String>> {
    let name = url.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim();
    let place = Place::Slot(slot_of(document, &step.id)?);
    let of_item = item_with_address(document, &place).filter(|(item, _)| *item == name);
    of_item.map(|(_, origins)| origins).or_else(|| {
        let value = document.initial_state.get(name).filter(|_| sees_state(document, &place))?;
        origins_of(std::slice::from_ref(value))
    })
}

/// The item of the foreach around a place, and the origins of all items, where all of them are known to be addresses.
fn item_with_address<'d>(document: &'d Document, place: &Place) -> Option<(&'d str, Vec<String>)> {
    if !sees_state(document, place) {
        return None;
    }
    let each = around(document, place).find_map(|step| match &step.kind {
        StepKind::Foreach(each) => Some(each),
        _ => None,
    })?;
    let Source::Text(items) = &each.items else { return None };
    // A list is a value of the state, or stands there.
    let items = document.initial_state.get(items.trim()).cloned().or_else(|| literal(items))?;
    Some((each.item.as_str(), origins_of(items.as_array()?)?))
}

/// The origins of some addresses, where all of them are addresses.
fn origins_of(addresses: &[Value]) -> Option<Vec<String>> {
    let origins = addresses.iter().map(|address| origin_of(address.as_str()?));
    let mut origins = origins.collect::<Option<Vec<_>>>()?;
    origins.sort();
    origins.dedup();
    (1..=MOST_ORIGINS).contains(&origins.len()).then_some(origins)
}

/// Whoever reads longer lists of sites agrees to none of them.
const MOST_ORIGINS: usize = 10;

/// What comes out of what is right before a place, as a template reads it, where people read that.
fn answer_before(document: &Document, place: &Place) -> Option<String> {
    let agent = step_before(document, place).filter(|before| matches!(before.kind, StepKind::Agent(_)));
    agent.map(answer_of).or_else(|| joined(document, place))
}

/// What the step before a place gives, as an expression reads it: of lanes the answer of whichever came, of what an approval
/// lets through the answer that it is about, and of a foreach all its texts as one.
fn given_before(document: &Document, place: &Place) -> Option<String> {
    let Some(before) = step_before(document, place) else {
        let Place::Slot(Slot { block: Block::Inside { step, key }, index: 0 }) = place else { return None };
        return if key == "steps" { given_to(document, find(document, step)?) } else { None };
    };
    match &before.kind {
        StepKind::Foreach(each) if gives_texts(document, each) => {
            Some(format!("{} | join('\\n\\n')", answer_of(before)))
        }
        _ if gives_answer(before) => Some(answer_of(before)),
        StepKind::Approval(approval) => {
            let given = given_to(document, before)?;
            let says_approved = approval.approved.is_none()
                && approval.schema.as_ref().is_none_or(|schema| {
                    schema.properties().is_some_and(|keys| keys.contains_key("approved"))
                });
            let ends_refused =
                approval.otherwise.iter().flatten().any(|step| matches!(step.kind, StepKind::End(_)));
            if !says_approved || ends_refused {
                return Some(given);
            }
            // Behind both ways what was refused is not handed on.
            let given = if given.contains(' ') { format!("({given})") } else { given };
            Some(format!("{given} if {}.approved else 'Refused'", answer_of(before)))
        }
        _ => joined(document, place),
    }
}

/// What an approval is about.
fn given_to(document: &Document, approval: &Step) -> Option<String> {
    if !matches!(approval.kind, StepKind::Approval(_)) {
        return None;
    }
    given_before(document, &Place::Slot(slot_of(document, &approval.id)?))
}

/// Whether a foreach collects what an agent says in its own words.
fn gives_texts(document: &Document, each: &Foreach) -> bool {
    let agent = each.steps.last().and_then(|last| match &last.kind {
        StepKind::Agent(call) => document.agents.get(&call.agent),
        _ => None,
    });
    agent.is_some_and(|agent| agent.output.is_none()) && is_collecting_last(each)
}

/// The edit with which a foreach collects what its last step gives, as long as nobody has said what it collects.
fn collected(document: &Document, place: &Place, step: &Step, edit: Edit) -> Edit {
    let Place::Slot(Slot { block: Block::Inside { step: id, .. }, index }) = place else { return edit };
    let Some(StepKind::Foreach(each)) = find(document, id).map(|around| &around.kind) else { return edit };
    let is_last = *index == each.steps.len() && is_collecting_last(each);
    // What comes behind the answer is a result too, and so are the ways of a branch: then each item gives all of it.
    let adds = match &step.kind {
        StepKind::Wait(_) | StepKind::End(_) => false,
        _ => gives_answer(step) || each.result.is_some(),
    };
    if !(is_last && adds) {
        return edit;
    }
    collecting_last(document, edit, std::slice::from_ref(id))
}

/// Takes steps out for good. A foreach that collects what its last step gives collects what the one before gives then.
pub fn deleted(document: &Document, ids: &[String]) -> Edit {
    let (edit, collecting) = (delete(document, ids), collecting(document, ids));
    if collecting.is_empty() { edit } else { collecting_last(document, edit, &collecting) }
}

/// The edit after which each of these collects what its last step gives then.
fn collecting_last(document: &Document, edit: Edit, ids: &[String]) -> Edit {
    let mut trial = Trial::of(document);
    if trial.make(edit.clone()).is_err() {
        return edit;
    }
    for id in ids {
        let Some(mut with) = find(&trial.document, id).cloned() else { continue };
        if let StepKind::Foreach(each) = &mut with.kind {
            each.result = each.steps.last().filter(|last| gives_answer(last)).map(answer_of);
        }
        // The foreach is there, and another one takes its place.
        let _ = trial.make(Edit::Replace { step: id.clone(), with });
    }
    trial.edit()
}

/// Each foreach that collects what its last step gives, where that is one of these steps.
pub fn collecting(document: &Document, ids: &[String]) -> Vec<String> {
    let around = ids.iter().filter_map(|id| step_of(document, &slot_of(document, id)?.block));
    let loses_last = around.filter(|step| match &step.kind {
        StepKind::Foreach(each) => {
            !ids.contains(&step.id)
                && each.steps.last().is_some_and(|last| ids.contains(&last.id))
                && is_collecting_last(each)
        }
        _ => false,
    });
    let mut found: Vec<String> = loses_last.map(|step| step.id.clone()).collect();
    found.sort();
    found.dedup();
    found
}

/// Whether a foreach collects what its last step gives: as it does from the first one on, until somebody changes that.
fn is_collecting_last(each: &Foreach) -> bool {
    each.result == each.steps.last().map(answer_of)
}

/// Whether what a step gives is for who comes after it.
fn gives_answer(step: &Step) -> bool {
    matches!(step.kind, StepKind::Agent(_) | StepKind::Http(_))
}

/// What a step gives, as an expression reads it.
fn answer_of(step: &Step) -> String {
    written_name(&output_key(&step.name))
}

/// Whether a step at this place sees the state of the workflow: a workflow inside of it has its own.
pub(super) fn sees_state(document: &Document, place: &Place) -> bool {
    around(document, place).all(|step| !matches!(step.kind, StepKind::Workflow(_)))
}

/// The steps around a place, from the innermost on.
pub(super) fn around<'d>(document: &'d Document, place: &Place) -> impl Iterator<Item = &'d Step> {
    let first = match place {
        Place::Slot(slot) => step_of(document, &slot.block),
        Place::Lane(member) => slot_of(document, member).and_then(|slot| step_of(document, &slot.block)),
    };
    std::iter::successors(first, |step| step_of(document, &slot_of(document, &step.id)?.block))
}

fn step_of<'d>(document: &'d Document, block: &Block) -> Option<&'d Step> {
    match block {
        Block::Inside { step, .. } => find(document, step),
        Block::Root => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stepweave_core::edit::apply;
    use stepweave_core::validate::validate;

    fn document(state: Value) -> Document {
        let schema = json!({ "type": "string", "enum": ["billing", "Late Delivery", "2nd"] });
        serde_json::from_value(json!({ "version": 1, "name": "t", "initialState": state,
            "models": { "demo": { "provider": "demo", "model": "demo" } },
            "agents": { "sort": { "model": "demo", "output": schema } },
            "steps": [{ "id": "s1", "type": "agent", "name": "sort", "agent": "sort" }] }))
        .unwrap()
    }

    /// Puts steps in as a person does; what each of them brings along is for the page to add.
    fn grown(state: Value, steps: &[(Kind, &str)]) -> Document {
        let mut document = document(state);
        for (kind, place) in steps {
            let (block, index) = place.rsplit_once('/').unwrap();
            let block = match block.split_once('/') {
                Some((step, key)) => Block::Inside { step: step.to_owned(), key: key.to_owned() },
                None => Block::Root,
            };
            let place = Place::Slot(Slot { block, index: index.parse().unwrap() });
            let (step, edit) = made(*kind, &document, &place).unwrap();
            if let StepKind::Agent(call) = &step.kind {
                crate::step::agents::add(&mut document, call.agent.clone());
            }
            apply(&mut document, edit).unwrap();
        }
        document
    }

    fn read(document: &Document, id: &str) -> Value {
        serde_json::to_value(find(document, id).unwrap()).unwrap()
    }

    #[test]
    fn what_follows_a_choice_decides_by_it() {
        let document = grown(json!({}), &[(Kind::Switch, "/1"), (Kind::Condition, "/1")]);
        let cases = read(&document, "s2")["cases"].clone();
        assert_eq!(
            (&cases[1]["name"], cases[2]["when"].as_str()),
            (&json!("Late Delivery"), Some("sort_output == '2nd'"))
        );
        assert_eq!(read(&document, "s3")["condition"], "sort_output == 'billing'");
    }

    #[test]
    fn a_condition_behind_a_yes_or_no_decides_by_it() {
        let condition = |output: Value, steps: &[(Kind, &str)], id: &str| {
            let mut document = document(json!({}));
            document.agents["sort"].output = Some(Check::Schema(output));
            for (kind, place) in steps {
                let index = place.parse().unwrap();
                let (_, edit) =
                    made(*kind, &document, &Place::Slot(Slot { block: Block::Root, index })).unwrap();
                apply(&mut document, edit).unwrap();
            }
            read(&document, id)["condition"].clone()
        };
        let checked = json!({ "type": "object", "properties": {
            "why": { "type": "string" }, "kind": { "enum": ["a", "b"] }, "is allowed": { "type": "boolean" } } });
        let behind = [(Kind::Condition, "1")];
        assert_eq!(condition(checked.clone(), &behind, "s2"), "sort_output['is allowed']");
        assert_eq!(condition(json!({ "type": "boolean" }), &behind, "s2"), "sort_output");
        assert_eq!(condition(json!({ "type": "object" }), &behind, "s2"), "true");
        let farther = [(Kind::Wait, "1"), (Kind::Condition, "2")];
        assert_eq!(condition(checked.clone(), &farther, "s3"), "sort_output['is allowed']");
        // Of an approval with ways the run knows the answer already.
        let approved = [(Kind::Approval, "1"), (Kind::Condition, "2")];
        assert_eq!(condition(checked, &approved, "s3"), "sort_output['is allowed']");
        let mut asked = document(json!({}));
        let ask = json!({ "id": "s2", "type": "approval", "name": "ask" });
        asked.steps.push(serde_json::from_value(ask).unwrap());
        let place = Place::Slot(Slot { block: Block::Root, index: 2 });
        let (step, _) = made(Kind::Condition, &asked, &place).unwrap();
        assert_eq!(serde_json::to_value(&step).unwrap()["condition"], "ask_output.approved");
        assert!(!asks(&step));
    }

    #[test]
    fn an_agent_in_a_case_is_named_after_it_where_it_can_be() {
        let lane = |at: usize| format!("s2/cases[{at}].steps/0");
        let [a, b, c] = [0, 1, 2].map(lane);
        let agents = [(Kind::Switch, "/1"), (Kind::Agent, a.as_str()), (Kind::Agent, &b), (Kind::Agent, &c)];
        let more = [
            (Kind::Agent, "s2/cases[0].steps/1"),
            (Kind::Agent, "s2/default/0"),
            (Kind::Function, a.as_str()),
        ];
        let document = grown(json!({}), &[&agents[..], &more].concat());
        let names = ["s3", "s4", "s5", "s6", "s7", "s8"].map(|id| read(&document, id)["name"].clone());
        assert_eq!(names, ["billing", "late_delivery", "agent", "agent_2", "agent_3", "function"]);
        assert_eq!(read(&document, "s3")["agent"], "billing");
    }

    #[test]
    fn a_list_of_addresses_is_fetched_and_what_the_last_step_gives_is_collected() {
        let state =
            json!({ "urls": ["https://b.test/1", "https://a.test/2", "https://a.test/3"], "name": "x" });
        let each = (Kind::Foreach, "/1");
        let document = grown(
            state.clone(),
            &[each, (Kind::Http, "s2/steps/0"), (Kind::Agent, "s2/steps/1"), (Kind::Wait, "s2/steps/2")],
        );
        let foreach = read(&document, "s2");
        assert_eq!((&foreach["items"], &foreach["result"]), (&json!("urls"), &json!("agent_output")));
        // The ways of a branch give results too, and so does a function: each item gives what all of them do.
        for after in [Kind::Switch, Kind::Function, Kind::Approval] {
            let grown = grown(
                state.clone(),
                &[each, (Kind::Agent, "s2/steps/0"), (after, "s2/steps/1"), (Kind::Agent, "s2/steps/2")],
            );
            assert!(read(&grown, "s2")["result"].is_null(), "{after:?}");
        }
        let http = &foreach["steps"][0]["http"];
        assert_eq!(http, &json!({ "url": "{{ item }}", "origins": ["https://a.test", "https://b.test"] }));
        let found = validate(&serde_json::to_string(&document).unwrap()).problems;
        assert_eq!(found, []);
        let mut literal = super::tests::document(json!({}));
        literal.steps.push(Kind::Foreach.blank(&literal));
        if let StepKind::Foreach(each) = &mut literal.steps[1].kind {
            each.items = Source::Text("['https://a.test/1', \"https://c.test/2\"]".to_owned());
        }
        let slot = Slot { block: Block::Inside { step: "s2".into(), key: "steps".into() }, index: 0 };
        let (step, _) = made(Kind::Http, &literal, &Place::Slot(slot)).unwrap();
        assert_eq!(
            serde_json::to_value(step).unwrap()["http"]["origins"],
            json!(["https://a.test", "https://c.test"])
        );
        // What is put elsewhere than behind the last one changes nothing of it, and neither does what a person has said.
        let before = grown(state.clone(), &[each, (Kind::Agent, "s2/steps/0"), (Kind::Http, "s2/steps/0")]);
        assert_eq!(read(&before, "s2")["result"], "agent_output");
        let none = grown(state, &[each, (Kind::Wait, "s2/steps/0"), (Kind::Agent, "s2/steps/1")]);
        assert_eq!(read(&none, "s2").get("result"), None);
    }

    #[test]
    fn a_foreach_whose_last_step_is_deleted_collects_what_the_one_before_gives() {
        let state = json!({ "urls": ["https://a.test/"] });
        let document =
            grown(state, &[(Kind::Foreach, "/1"), (Kind::Http, "s2/steps/0"), (Kind::Agent, "s2/steps/1")]);
        let without = |ids: &[&str]| {
            let mut left = document.clone();
            let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            apply(&mut left, deleted(&document, &ids)).unwrap();
            (collecting(&document, &ids), read(&left, "s2")["result"].clone())
        };
        assert_eq!(without(&["s4"]), (vec!["s2".to_owned()], json!("request_output")));
        assert_eq!(without(&["s3", "s4"]), (vec!["s2".to_owned()], Value::Null));
        assert_eq!(without(&["s3"]), (vec![], json!("agent_output")));
        assert_eq!(collecting(&document, &["s2".to_owned(), "s4".to_owned()]), Vec::<String>::new());
    }

    #[test]
    fn what_is_not_known_is_left_to_a_person() {
        let two = grown(json!({ "a": [1], "b": [] }), &[(Kind::Foreach, "/1"), (Kind::Http, "s2/steps/0")]);
        assert_eq!(read(&two, "s2")["items"], "[1, 2, 3]");
        assert_eq!(read(&two, "s3")["http"]["url"], "https://api.example.com/");
        let numbers = grown(
            json!({ "a": ["https://a.test", 1] }),
            &[(Kind::Foreach, "/1"), (Kind::Http, "s2/steps/0")],
        );
        assert_eq!(read(&numbers, "s3")["http"].get("origins"), None);
        // The state of a workflow inside is its own.
        let inner = grown(json!({ "a": [1] }), &[(Kind::Workflow, "/1"), (Kind::Foreach, "s2/steps/0")]);
        assert_eq!(read(&inner, "s3")["items"], "[1, 2, 3]");
    }

    #[test]
    fn a_foreach_goes_through_what_the_step_before_it_may_give_as_a_list() {
        let items = |steps: &[(Kind, &str)], id: &str| read(&grown(json!({}), steps), id)["items"].clone();
        let fetched = [(Kind::Http, "/0"), (Kind::Foreach, "/1"), (Kind::Foreach, "/2")];
        assert_eq!(items(&fetched, "s3"), "request_output");
        assert_eq!(items(&fetched, "s4"), "foreach_output");
        // A word is no list, and neither is what comes beside.
        assert_eq!(items(&[(Kind::Foreach, "/1")], "s2"), "[1, 2, 3]");
        let beside =
            [(Kind::Parallel, "/1"), (Kind::Http, "s2/parallel/0"), (Kind::Foreach, "s2/parallel/1")];
        assert_eq!(items(&beside, "s4"), "[1, 2, 3]");
        let mut typed = document(json!({ "only": [1] }));
        let place = Place::Slot(Slot { block: Block::Root, index: 1 });
        let of = |document: &Document| {
            let (step, _) = made(Kind::Foreach, document, &place).unwrap();
            serde_json::to_value(step).unwrap()["items"].clone()
        };
        assert_eq!(of(&typed), "only");
        let list = json!({ "type": "array", "items": { "type": "string" } });
        let given = json!({ "properties": { "urls": list, "topic": { "type": "string" } } });
        typed.input = Some(Check::Schema(given));
        assert_eq!(of(&typed), "[1, 2, 3]");
        typed.initial_state.clear();
        assert_eq!(of(&typed), "urls");
        typed.initial_state.insert("urls".into(), json!([]));
        assert_eq!(of(&typed), "urls");
        (typed.input, typed.initial_state) = (None, Default::default());
        typed.agents["sort"].output = Some(Check::Schema(json!({ "type": "array" })));
        assert_eq!(of(&typed), "sort_output");
        typed.steps[0] = Kind::Http.blank(&typed);
        if let StepKind::Http(call) = &mut typed.steps[0].kind {
            call.http.response = Some(ResponseForm::Readable);
        }
        assert_eq!(of(&typed), "[1, 2, 3]");
    }

    #[test]
    fn a_person_is_asked_for_what_the_place_has_not_said() {
        let document = document(json!({}));
        let asked = |kind: Kind, index: usize| {
            let place = Place::Slot(Slot { block: Block::Root, index });
            asks(&made(kind, &document, &place).unwrap().0)
        };
        for kind in [
            Kind::Agent,
            Kind::Http,
            Kind::Foreach,
            Kind::Loop,
            Kind::Condition,
            Kind::Switch,
            Kind::Function,
            Kind::Wait,
            Kind::Approval,
        ] {
            assert!(asked(kind, 0), "{kind:?}");
        }
        for kind in [Kind::Condition, Kind::Switch, Kind::Parallel] {
            assert!(!asked(kind, 1), "{kind:?}");
        }
    }

    #[test]
    fn an_approval_shows_what_it_is_about() {
        let document = grown(json!({}), &[(Kind::Approval, "/1"), (Kind::Approval, "/0")]);
        assert_eq!(read(&document, "s2")["message"], "May this go on?\n\n{{ sort_output }}");
        assert_eq!(read(&document, "s3")["message"], "May this go on?");
    }

    #[test]
    fn what_joins_lanes_takes_the_answer_of_whichever_way_came() {
        let [a, b] = [0, 1].map(|at| format!("s2/cases[{at}].steps/0"));
        let lanes = [(Kind::Switch, "/1"), (Kind::Agent, a.as_str()), (Kind::Agent, &b)];
        let more = [(Kind::Approval, "/2"), (Kind::Function, "/2"), (Kind::Function, "/1")];
        let document = grown(json!({}), &[&lanes[..], &more].concat());
        let chain = "billing_output | default(late_delivery_output) | default('')";
        assert_eq!(read(&document, "s6")["run"], json!({ "set": { "key": chain } }));
        assert_eq!(read(&document, "s5")["message"], format!("May this go on?\n\n{{{{ {chain} }}}}"));
        assert_eq!(read(&document, "s7")["run"], json!({ "set": { "key_2": "sort_output" } }));
    }

    #[test]
    fn a_new_function_takes_what_the_step_before_gives() {
        let set = |document: &Document, id: &str| read(document, id)["run"]["set"]["key"].clone();
        let approved = grown(json!({}), &[(Kind::Approval, "/1"), (Kind::Function, "s2/steps/0")]);
        assert_eq!(set(&approved, "s3"), "sort_output");
        let refused = grown(json!({}), &[(Kind::Approval, "/1"), (Kind::Function, "s2/else/0")]);
        assert_eq!(set(&refused, "s3"), "''");
        let behind = grown(json!({}), &[(Kind::Approval, "/1"), (Kind::Function, "/2")]);
        assert_eq!(set(&behind, "s3"), "sort_output if approval_output.approved else 'Refused'");
        let ended = [(Kind::Approval, "/1"), (Kind::End, "s2/else/0"), (Kind::Function, "/2")];
        assert_eq!(set(&grown(json!({}), &ended), "s4"), "sort_output");
        let texts =
            grown(json!({}), &[(Kind::Foreach, "/1"), (Kind::Agent, "s2/steps/0"), (Kind::Function, "/2")]);
        assert_eq!(set(&texts, "s4"), "foreach_output | join('\\n\\n')");
        let answers =
            grown(json!({}), &[(Kind::Foreach, "/1"), (Kind::Http, "s2/steps/0"), (Kind::Function, "/2")]);
        assert_eq!(set(&answers, "s4"), "''");
    }

    #[test]
    fn a_new_function_has_a_row_to_name_whose_key_nothing_else_has() {
        let document = grown(json!({ "key_2": 1 }), &[(Kind::Function, "/1"), (Kind::Function, "/2")]);
        let rows = ["s2", "s3"].map(|id| read(&document, id)["run"]["set"].clone());
        assert_eq!(rows, [json!({ "key": "sort_output" }), json!({ "key_3": "''" })]);
        assert_eq!(validate(&serde_json::to_string(&document).unwrap()).problems, []);
    }
}
