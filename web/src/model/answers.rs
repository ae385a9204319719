//! The cases of a switch that the answers of an agent make: one for each that its schema allows.

use serde_json::Value;
use stepweave_core::document::{Case, Document, Source, Step, StepKind, Switch};
use stepweave_core::edit::{Block, Edit, find, slot_of};
use stepweave_core::json;
use stepweave_core::state::output_key;

use super::completions::{quoted, written_member, written_name};
use super::together::Trial;
use crate::layout::Place;
use crate::step::kinds::untouched_case;

/// The cases of one agent step.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    /// The step that answers.
    pub step: String,
    /// A case for each of its answers.
    pub cases: Vec<Case>,
}

/// Those of the nearest agent step before a slot that answers with one of some values.
pub fn before(document: &Document, place: &Place) -> Option<Answers> {
    earlier(document, place).into_iter().find_map(|step| of(document, step))
}

/// What the nearest step before a slot decides for a condition: the key of its answer that is a yes or no, or the first of
/// the values that it answers with.
pub fn decision_before(document: &Document, place: &Place) -> Option<Source> {
    earlier(document, place).into_iter().find_map(|step| {
        let first_of = |found: Answers| found.cases.into_iter().next().map(|case| case.when);
        yes_or_no(document, step).or_else(|| of(document, step).and_then(first_of))
    })
}

/// The steps that have run where a run comes to a slot, the nearest first, without what is in them.
pub(super) fn earlier<'d>(document: &'d Document, place: &Place) -> Vec<&'d Step> {
    let mut found = Vec::new();
    let mut next = match place {
        Place::Slot(slot) => Some(slot.clone()),
        Place::Lane(member) => {
            found.extend(find(document, member));
            slot_of(document, member)
        }
    };
    while let Some(slot) = next {
        let (steps, around) = match &slot.block {
            Block::Root => (document.steps.as_slice(), None),
            Block::Inside { step, key } => {
                let blocks = find(document, step).map(Step::blocks).unwrap_or_default();
                // What stands beside a lane does not come before it.
                let own = blocks.into_iter().find(|(own, _)| own == key && key != "parallel");
                (own.map_or(&[][..], |(_, steps)| steps), Some(step))
            }
        };
        found.extend(steps.iter().take(slot.index).rev());
        next = around.and_then(|around| slot_of(document, around));
    }
    found
}

/// Those of the nearest agent step before a switch that it has no case for.
pub fn missing(document: &Document, id: &str) -> Option<Answers> {
    let StepKind::Switch(switch) = &find(document, id)?.kind else { return None };
    let mut found = before(document, &Place::Slot(slot_of(document, id)?))?;
    found.cases.retain(|case| !switch.cases.iter().any(|own| own.when == case.when));
    (!found.cases.is_empty()).then_some(found)
}

/// An edit that brings these steps to a place, with the cases that a switch among them gets there: as it would if it were
/// made there, as long as nobody has touched the ones that it was made with.
pub fn with_cases(document: &Document, ids: &[String], edit: Edit) -> Edit {
    let may_get_some = |id: &String| find(document, id).is_none_or(is_untouched);
    if !ids.iter().any(may_get_some) {
        return edit;
    }
    let mut trial = Trial::of(document);
    if trial.make(edit.clone()).is_err() {
        return edit;
    }
    for id in ids {
        let Some(mut with) = find(&trial.document, id).filter(|step| is_untouched(step)).cloned() else {
            continue;
        };
        let (Some(found), StepKind::Switch(switch)) = (missing(&trial.document, id), &mut with.kind) else {
            continue;
        };
        add(switch, found.cases);
        // The step is there, and another one of its kind takes its place.
        let _ = trial.make(Edit::Replace { step: id.clone(), with });
    }
    trial.edit()
}

/// Whether it is a switch with the cases that it was made with.
pub(super) fn is_untouched(step: &Step) -> bool {
    matches!(&step.kind, StepKind::Switch(switch) if switch.cases == [untouched_case()])
}

/// Adds cases to a switch. One that nobody has touched since the switch was made goes.
pub fn add(switch: &mut Switch, cases: Vec<Case>) {
    switch.cases.retain(|case| *case != untouched_case());
    switch.cases.extend(cases);
}

/// The yes or no in the answer of a step, as an expression reads it. That of an approval with ways has decided already.
fn yes_or_no(document: &Document, step: &Step) -> Option<Source> {
    let member = match &step.kind {
        StepKind::Agent(call) => {
            boolean_in(document.agents.get(&call.agent)?.output.as_ref()?.json_schema()?)?
        }
        StepKind::Approval(approval) if step.blocks().is_empty() => match &approval.schema {
            Some(schema) => boolean_in(schema.json_schema()?)?,
            None => written_member("approved"),
        },
        _ => return None,
    };
    Some(Source::Text(written_name(&output_key(&step.name)) + &member))
}

/// The first key of an object that is a yes or no, as it is written behind the object; nothing is written where all of it
/// is one.
fn boolean_in(schema: &Value) -> Option<String> {
    let is_boolean = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "boolean");
    if is_boolean(schema) {
        return Some(String::new());
    }
    let mut members = schema.get("properties")?.as_object()?.iter();
    members.find(|(_, member)| is_boolean(member)).map(|(key, _)| written_member(key))
}

/// A case for each answer of an agent step; nothing when any answer will do.
fn of(document: &Document, step: &Step) -> Option<Answers> {
    let StepKind::Agent(call) = &step.kind else { return None };
    let schema = document.agents.get(&call.agent)?.output.as_ref()?.json_schema()?;
    let answer = written_name(&output_key(&step.name));
    let own = values(schema).map(|values| (answer.clone(), values));
    let members = || schema.get("properties")?.as_object();
    let (expression, values) = own.or_else(|| {
        let mut members = members()?.iter();
        members.find_map(|(key, member)| Some((answer.clone() + &written_member(key), values(member)?)))
    })?;
    let case = |value: &Value| Case {
        name: Some(value.as_str().map_or_else(|| json::text(value), str::to_owned)),
        when: Source::Text(format!(
            "{expression} == {}",
            value.as_str().map_or_else(|| json::text(value), quoted)
        )),
        steps: Vec::new(),
    };
    Some(Answers { step: step.name.clone(), cases: values.iter().map(case).collect() })
}

/// The values that a schema lists, where a switch can tell them apart.
fn values(schema: &Value) -> Option<&Vec<Value>> {
    let values = schema.get("enum")?.as_array()?;
    let is_plain = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
    ((2..=MOST).contains(&values.len()) && values.iter().all(is_plain)).then_some(values)
}

/// How many cases are made; nobody wants more lanes than a few.
const MOST: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::kinds::Kind;
    use serde_json::json;
    use stepweave_core::edit::{Slot, apply};

    fn document(output: Value) -> Document {
        let agent = |id: &str, name: &str, agent: &str| json!({ "id": id, "type": "agent", "name": name, "agent": agent });
        serde_json::from_value(json!({ "version": 1, "name": "t", "models": { "m": { "provider": "demo", "model": "demo" } },
            "agents": { "sorter": { "model": "m", "output": output }, "clerk": { "model": "m" } },
            "steps": [agent("s1", "sort it", "sorter"), agent("s2", "reply", "clerk"),
                { "id": "s3", "type": "parallel", "name": "both", "parallel": [agent("s4", "beside", "sorter"),
                    { "id": "s5", "type": "switch", "name": "way", "default": [],
                      "cases": [{ "when": "state['sort it_output'] == 'it\\'s'", "steps": [] }, { "when": "true", "steps": [] }] }] }] }))
        .unwrap()
    }

    fn summary(found: Option<Answers>) -> Option<(String, Vec<(String, String)>)> {
        let found = found?;
        let case = |case: Case| match case.when {
            Source::Text(text) => (case.name.unwrap_or_default(), text),
            Source::Handler(_) => panic!("it is a text"),
        };
        Some((found.step, found.cases.into_iter().map(case).collect()))
    }

    #[test]
    fn each_answer_of_the_agent_before_is_a_case() {
        let sorts = document(json!({ "enum": ["bill", "it's", 3] }));
        let case = |name: &str, when: &str| (name.to_owned(), when.to_owned());
        let all = vec![
            case("bill", "state['sort it_output'] == 'bill'"),
            case("it's", "state['sort it_output'] == \"it's\""),
            case("3", "state['sort it_output'] == 3"),
        ];
        let end = Place::Slot(Slot { block: Block::Root, index: 3 });
        assert_eq!(summary(before(&sorts, &end)), Some(("sort it".into(), all.clone())));
        assert_eq!(summary(before(&sorts, &Place::Lane("s4".into()))).unwrap().0, "beside");
        assert_eq!(before(&sorts, &Place::Slot(Slot { block: Block::Root, index: 0 })), None);
        // A lane's neighbour has not answered when the lane begins.
        assert_eq!(summary(missing(&sorts, "s5")), Some(("sort it".into(), all)));
        assert_eq!(missing(&sorts, "s1"), None);
    }

    #[test]
    fn an_answer_that_is_an_object_is_distinguished_by_its_first_choice() {
        let found = missing(
            &document(json!({ "type": "object", "properties": {
            "why": { "type": "string" }, "a kind": { "enum": ["a", "b"] } } })),
            "s5",
        );
        let cases = summary(found).unwrap().1;
        assert_eq!(cases[0], ("a".to_owned(), "state['sort it_output']['a kind'] == 'a'".to_owned()));
        for other in [
            json!({ "type": "string" }),
            json!({ "enum": ["one"] }),
            json!({ "enum": [["a"], "b"] }),
            json!(true),
        ] {
            assert_eq!(missing(&document(other), "s5"), None);
        }
    }

    #[test]
    fn a_switch_that_nobody_has_touched_gets_its_cases_where_it_is_moved() {
        let mut sorts = document(json!({ "enum": ["bill", "it's"] }));
        let untouched = Step { id: "s6".into(), ..Kind::Switch.blank(&sorts) };
        sorts.steps.insert(0, untouched);
        let cases = |document: &Document| match &find(document, "s6").unwrap().kind {
            StepKind::Switch(switch) => switch.cases.clone(),
            _ => panic!("it is a switch"),
        };
        let to = |index| Edit::Move { step: "s6".into(), to: Slot { block: Block::Root, index } };
        let moved = |document: &Document, index| {
            let mut after = document.clone();
            apply(&mut after, with_cases(document, &["s6".into()], to(index))).unwrap();
            after
        };
        let behind = moved(&sorts, 2);
        assert_eq!(cases(&behind).len(), 2);
        // Back again, it keeps them: they may be meant.
        assert_eq!(cases(&moved(&behind, 0)).len(), 2);
        // One that a person has touched stays as it is.
        let StepKind::Switch(switch) = &mut sorts.steps[0].kind else { panic!("it is a switch") };
        switch.cases[0].when = Source::Text("approved".into());
        assert_eq!(cases(&moved(&sorts, 2)).len(), 1);
        // What cannot be done is left to whoever does it.
        let nowhere = Edit::Remove { step: "none".into() };
        assert_eq!(with_cases(&sorts, &["none".into()], nowhere.clone()), nowhere);
    }

    #[test]
    fn cases_are_added_instead_of_the_untouched_one() {
        let mut sorts = document(json!({ "enum": ["bill", "it's"] }));
        let found = missing(&sorts, "s5").unwrap();
        let StepKind::Parallel(fork) = &mut sorts.steps[2].kind else { panic!("it is a parallel") };
        let StepKind::Switch(switch) = &mut fork.members[1].kind else { panic!("it is a switch") };
        add(switch, found.cases);
        assert_eq!(switch.cases.len(), 3);
        assert_eq!(missing(&sorts, "s5"), None);
    }
}
