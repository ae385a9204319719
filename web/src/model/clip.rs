//! Steps on their way to another place: a small workflow that has them, and the agents, models and tools that they use.
//!
//! It is an ordinary document, so whoever reads workflows reads it too. Keys of endpoints are in no document.

use indexmap::{IndexMap, IndexSet};
use stepweave_core::document::{
    Agent, Check, Document, HandlerRef, Inner, Step, StepKind, Tool, ToolChoice, ToolRun, every,
};
use stepweave_core::edit::{Edit, Slot, find, fresh_ids};
use stepweave_core::rename::rename_steps;

use super::place::{after, lane, names};
use super::settings::without_steps;
use super::together::Trial;
use crate::layout::Place;
use crate::step::face::counted;

/// Takes steps along, with what they use.
pub fn copy(document: &Document, ids: &[String]) -> Document {
    let steps: Vec<Step> = ids.iter().filter_map(|id| find(document, id).cloned()).collect();
    let name = match steps.as_slice() {
        [only] => only.name.clone(),
        many => format!("{} steps", many.len()),
    };
    let mut clip = Document { steps, ..Document::new(name) };
    let pinned = every(&clip.steps).filter_map(|step| document.pins.get_key_value(&step.id));
    clip.pins = pinned.map(|(id, output)| (id.clone(), output.clone())).collect();
    let mut agents = agents_of(&clip.steps);
    let mut next = 0;
    // The steps of tools may ask more of them.
    while let Some(id) = agents.get_index(next).cloned() {
        next += 1;
        let Some(Agent { model, fallbacks, tools, .. }) = document.agents.get(&id) else { continue };
        take(&document.agents, &mut clip.agents, &id);
        fallbacks.iter().chain([model]).for_each(|id| take(&document.models, &mut clip.models, id));
        for name in tools {
            take(&document.tools, &mut clip.tools, name);
            let inner = document.tools.get(name).and_then(Tool::workflow);
            agents.extend(inner.into_iter().flat_map(|inner| agents_of(&inner.steps)));
        }
    }
    for model in clip.models.values() {
        take(&document.prices, &mut clip.prices, &model.model);
    }
    clip
}

/// Puts the steps of a clip, or of any workflow, into a slot. Gives their new ids; nothing when it has no steps or the
/// slot is gone.
///
/// Agents, models and tools that the document has already are shared; others of the same name get a new one. What the
/// clip's state begins with is added where the document has no such key.
pub fn paste(document: &Document, mut clip: Document, place: &Place) -> Option<(Vec<String>, Edit)> {
    let before = without_steps(document);
    let mut settings = before.clone();
    let pins = std::mem::take(&mut clip.pins);
    let steps = adopt(document, &mut settings, clip);
    let taken = Document { steps: document.steps.clone(), ..settings.clone() };
    let (steps, new_ids) = rename(&taken, steps);
    settings
        .pins
        .extend(pins.into_iter().filter_map(|(id, output)| Some((new_ids.get(&id)?.clone(), output))));
    let ids: Vec<String> = steps.iter().map(|step| step.id.clone()).collect();
    ids.first()?;
    let mut trial = Trial::of(document);
    if settings != before {
        trial.make(Edit::Settings(Box::new(settings))).ok()?;
    }
    match place {
        Place::Slot(Slot { block, index }) => {
            for (index, step) in (*index..).zip(steps) {
                trial.make(Edit::Insert { slot: Slot { block: block.clone(), index }, step }).ok()?;
            }
        }
        Place::Lane(member) => {
            let (_, edit) = lane(&trial.document, member, steps)?;
            trial.make(edit).ok()?;
        }
    }
    Some((ids, trial.edit()))
}

/// Makes the steps of a workflow those of a tool, with the agents, models and tools that they use, what it begins with and,
/// where it is a schema, its input. Gives the settings with them, and what is said of it; nothing where it has no steps.
pub fn into_tool(document: &Document, tool: &str, from: &Document) -> Option<(Document, String)> {
    let ids: Vec<String> = from.steps.iter().map(|step| step.id.clone()).collect();
    ids.first()?;
    let clip = Document { pins: serde_json::Map::new(), ..copy(from, &ids) };
    let before = without_steps(document);
    let mut settings = before.clone();
    let steps = adopt(document, &mut settings, clip);
    let count = every(&steps).count();
    let (steps, _) = rename(&Document { steps: document.steps.clone(), ..settings.clone() }, steps);
    let own = settings.tools.get_mut(tool)?;
    let initial_state = from.initial_state.clone();
    own.run = Some(ToolRun::Workflow(Box::new(Inner { steps, initial_state, ..Inner::default() })));
    if let Some(Check::Schema(_)) = &from.input {
        own.input = from.input.clone();
    }
    let more = |count: usize, what: &str| (count > 0).then(|| counted(count, what));
    let with: Vec<String> = [
        more(settings.agents.len() - before.agents.len(), "agent"),
        more(settings.models.len() - before.models.len(), "model"),
        more(settings.tools.len() - before.tools.len(), "tool"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let with = if with.is_empty() { String::new() } else { format!(", with {}", with.join(", ")) };
    Some((settings, format!("Copied from “{}”: {}{with}.", from.name, counted(count, "step"))))
}

/// Copies of steps, right behind the last of them.
pub fn duplicate(document: &Document, ids: &[String]) -> Option<(Vec<String>, Edit)> {
    let place = after(document, ids.last()?)?;
    paste(document, copy(document, ids), &place)
}

fn agents_of(steps: &[Step]) -> IndexSet<String> {
    let mut found = IndexSet::new();
    for step in every(steps) {
        if let StepKind::Agent(call) = &step.kind {
            found.extend(call.agents().cloned());
        }
    }
    found
}

fn take<T: Clone>(from: &IndexMap<String, T>, to: &mut IndexMap<String, T>, id: &str) {
    if let Some(value) = from.get(id) {
        to.insert(id.to_owned(), value.clone());
    }
}

/// Takes into the settings what a clip brings along; gives its steps, which then name that.
fn adopt(document: &Document, settings: &mut Document, clip: Document) -> Vec<Step> {
    let models = merge(&mut settings.models, clip.models, |model, _| model);
    let tools = merge(&mut settings.tools, clip.tools, still_running);
    let agents = clip.agents.into_iter().map(|(id, mut agent)| {
        follow(&models, &mut agent.model);
        agent.fallbacks.iter_mut().for_each(|model| follow(&models, model));
        agent.tools.iter_mut().for_each(|tool| follow(&tools, tool));
        if let Some(ToolChoice::Named(tool)) = &mut agent.tool_choice {
            follow(&tools, tool);
        }
        (id, agent)
    });
    let agents = merge(&mut settings.agents, agents, |agent, _| agent);
    for (model, price) in clip.prices {
        settings.prices.entry(model).or_insert(price);
    }
    for (key, value) in clip.initial_state {
        settings.initial_state.entry(key).or_insert(value);
    }
    let mut ids = fresh_ids(&Document { steps: document.steps.clone(), ..settings.clone() });
    for (name, tool) in &mut settings.tools {
        let Some(inner) = tool.workflow_mut() else { continue };
        if document.tools.contains_key(name) {
            continue;
        }
        each_mut(&mut inner.steps, |step| {
            if document.step(&step.id).is_some() {
                step.id = ids.next().unwrap_or_default();
            }
            if let StepKind::Agent(call) = &mut step.kind {
                call.agents_mut().for_each(|agent| follow(&agents, agent));
            }
        });
    }
    let mut steps = clip.steps;
    each_mut(&mut steps, |step| {
        if let StepKind::Agent(call) = &mut step.kind {
            call.agents_mut().for_each(|agent| follow(&agents, agent));
        }
    });
    steps
}

/// Adds entries to a map, or finds those that are the same; gives the new names of those that have one. `renamed` makes
/// of an entry what it is under another name.
fn merge<T: PartialEq>(
    into: &mut IndexMap<String, T>,
    entries: impl IntoIterator<Item = (String, T)>,
    renamed: impl Fn(T, &str) -> T,
) -> IndexMap<String, String> {
    let mut names = IndexMap::new();
    for (id, value) in entries {
        if into.get(&id).is_none_or(|own| *own == value) {
            into.insert(id, value);
            continue;
        }
        let value = renamed(value, &id);
        let numbered = (2_usize..).map(|number| format!("{}_{number}", stem(&id)));
        let free = |name: &String| into.get(name).is_none_or(|own| *own == value);
        if let Some(name) = { numbered }.find(free) {
            into.insert(name.clone(), value);
            names.insert(id, name);
        }
    }
    names
}

fn follow(names: &IndexMap<String, String>, name: &mut String) {
    if let Some(new) = names.get(name) {
        new.clone_into(name);
    }
}

/// A tool that says no more than its name runs the function of that name, under any other name too.
fn still_running(tool: Tool, name: &str) -> Tool {
    let run = tool.run.or_else(|| Some(ToolRun::Handler(HandlerRef::new(name))));
    Tool { run, ..tool }
}

/// Gives the steps ids that are free in the document, and other names where theirs are taken. What reads one of them
/// among them reads it by its new name. Gives the new ids too, by those before.
fn rename(document: &Document, mut steps: Vec<Step>) -> (Vec<Step>, IndexMap<String, String>) {
    let mut ids = fresh_ids(document);
    let mut own = IndexSet::new();
    let mut new_ids = IndexMap::new();
    each_mut(&mut steps, |step| {
        let id = ids.next().unwrap_or_default();
        new_ids.insert(std::mem::replace(&mut step.id, id.clone()), id);
        own.insert(step.name.clone());
    });
    let mut taken = names(document);
    let (again, kept): (Vec<String>, Vec<String>) = own.into_iter().partition(|name| taken.contains(name));
    taken.extend(kept);
    let mut others = IndexMap::new();
    for name in again {
        let numbered = (2_usize..).map(|number| format!("{}_{number}", stem(&name)));
        if let Some(free) = { numbered }.find(|name| !taken.contains(name)) {
            taken.insert(free.clone());
            others.insert(name, free);
        }
    }
    let mut renamed = Document { steps, ..Document::new("") };
    rename_steps(&mut renamed, &others);
    (renamed.steps, new_ids)
}

/// A name without its number.
fn stem(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((stem, number)) if !stem.is_empty() && number.parse::<usize>().is_ok() => stem,
        _ => name,
    }
}

/// Every step with those inside it, in the order of the document.
fn each_mut(steps: &mut [Step], mut act: impl FnMut(&mut Step)) {
    let mut open: Vec<&mut Step> = steps.iter_mut().rev().collect();
    while let Some(step) = open.pop() {
        act(step);
        let mut inner: Vec<&mut Step> = step.inner_mut().collect();
        inner.reverse();
        open.extend(inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use stepweave_core::edit::{Block, apply, ids};
    use stepweave_core::validate::check_structure;

    #[test]
    fn a_tool_takes_the_steps_of_a_workflow_with_what_they_use() {
        let models = json!({ "m": { "provider": "demo", "model": "demo" } });
        let document = read(json!({ "version": 1, "name": "t", "models": models,
            "tools": { "look": { "run": { "code": "return {}" } } },
            "agents": { "a": { "model": "m", "tools": ["look"] } },
            "steps": [{ "id": "s1", "type": "agent", "name": "ask", "agent": "a" }] }));
        let input = json!({ "type": "object", "properties": { "topic": {} } });
        let from = read(
            json!({ "version": 1, "name": "Other", "models": { "m": { "provider": "groq", "model": "x" } },
            "agents": { "a": { "model": "m", "instructions": "Write." } }, "input": input, "initialState": { "n": 1 },
            "pins": { "s1": "kept" }, "steps": [
                { "id": "s1", "type": "agent", "name": "ask", "agent": "a" },
                { "id": "s2", "type": "function", "name": "end", "run": { "set": { "x": "ask_output" } } } ] }),
        );
        let (settings, said) = into_tool(&document, "look", &from).unwrap();
        assert_eq!(said, "Copied from “Other”: 2 steps, with 1 agent, 1 model.");
        let whole = Document { steps: document.steps.clone(), ..settings };
        let tool = json!(whole.tools["look"]);
        assert_eq!(tool["input"], input);
        assert_eq!(
            tool["run"]["workflow"],
            json!({ "initialState": { "n": 1 }, "steps": [
                { "id": "s2", "type": "agent", "name": "ask_2", "agent": "a_2" },
                { "id": "s3", "type": "function", "name": "end", "run": { "set": { "x": "ask_2_output" } } } ] })
        );
        assert_eq!(json!(whole.agents["a_2"]), json!({ "model": "m_2", "instructions": "Write." }));
        assert!(whole.pins.is_empty() && whole.initial_state.is_empty());
        let problems = check_structure(&serde_json::to_string(&whole).unwrap()).problems;
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(into_tool(&document, "look", &Document::new("empty")), None);
    }

    fn read(value: Value) -> Document {
        serde_json::from_value(value).unwrap()
    }

    fn document(instructions: &str) -> Document {
        read(json!({
            "version": 1, "name": "t", "initialState": { "topic": "bees" },
            "models": { "fast": { "provider": "openai", "model": "m1", "apiKey": { "secret": "OPENAI_API_KEY" } },
                        "spare": { "provider": "demo", "model": "demo" }, "unused": { "provider": "demo", "model": "x" } },
            "agents": { "writer": { "model": "fast", "fallbacks": ["spare"], "instructions": instructions,
                                    "tools": ["count"], "toolChoice": { "tool": "count" } },
                        "other": { "model": "unused" } },
            "tools": { "count": { "description": instructions }, "unused": {} },
            "prices": { "m1": { "input": 1, "output": 2 }, "x": { "input": 1, "output": 2 } },
            "steps": [
                { "id": "s1", "type": "sequence", "name": "group", "steps": [
                    { "id": "s2", "type": "agent", "name": "draft", "agent": "writer" }] },
                { "id": "s3", "type": "wait", "name": "rest", "wait": { "ms": 1 } }]
        }))
    }

    fn owned(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn keys<T>(map: &IndexMap<String, T>) -> Vec<&str> {
        map.keys().map(String::as_str).collect()
    }

    fn at(index: usize) -> Place {
        Place::Slot(Slot { block: Block::Root, index })
    }

    #[test]
    fn a_clip_has_what_its_steps_use_and_no_more() {
        let clip = copy(&document("Write."), &owned(&["s1"]));
        assert_eq!(clip.name, "group");
        assert_eq!(keys(&clip.agents), ["writer"]);
        assert_eq!(clip.models.len(), 2);
        assert!(!clip.models.contains_key("unused"));
        assert_eq!(keys(&clip.tools), ["count"]);
        assert_eq!(keys(&clip.prices), ["m1"]);
        assert!(clip.initial_state.is_empty());
        let report = check_structure(&serde_json::to_string(&clip).unwrap());
        assert_eq!(report.document, Some(clip));
    }

    #[test]
    fn what_is_pinned_goes_along() {
        let mut own = document("Write.");
        own.pins.extend([("s2".to_owned(), "Bees hum.".into()), ("s3".to_owned(), 1.into())]);
        let clip = copy(&own, &owned(&["s1"]));
        assert_eq!(json!(clip.pins), json!({ "s2": "Bees hum." }));
        let (_, edit) = paste(&own, clip, &at(0)).unwrap();
        apply(&mut own, edit).unwrap();
        assert_eq!(json!(own.pins), json!({ "s2": "Bees hum.", "s3": 1, "s5": "Bees hum." }));
        assert_eq!(find(&own, "s5").unwrap().name, "draft_2");
    }

    #[test]
    fn what_is_there_already_is_shared() {
        let mut own = document("Write.");
        let clip = copy(&own, &owned(&["s1", "s3"]));
        assert_eq!(clip.name, "2 steps");
        let before = own.clone();
        let (pasted, edit) = paste(&own, clip, &at(1)).unwrap();
        let back = apply(&mut own, edit).unwrap();
        assert_eq!(without_steps(&own), without_steps(&before));
        assert_eq!(pasted, ["s4", "s6"]);
        let all: Vec<&str> = own.steps.iter().flat_map(ids).collect();
        assert_eq!(all, ["s1", "s2", "s4", "s5", "s6", "s3"]);
        assert_eq!(find(&own, "s5").unwrap().name, "draft_2");
        apply(&mut own, back).unwrap();
        assert_eq!(own, before);
    }

    #[test]
    fn what_is_another_under_the_same_name_gets_a_new_one_and_is_shared_from_then_on() {
        let mut own = document("Mine.");
        own.models.get_mut("fast").unwrap().model = "m2".to_owned();
        let clip = copy(&document("Theirs."), &owned(&["s1"]));
        for round in 0..2 {
            let (_, edit) = paste(&own, clip.clone(), &at(0)).unwrap();
            apply(&mut own, edit).unwrap();
            assert_eq!(keys(&own.agents), ["writer", "other", "writer_2"], "round {round}");
        }
        let agent = &own.agents["writer_2"];
        assert_eq!((agent.model.as_str(), agent.tools[0].as_str()), ("fast_2", "count_2"));
        assert_eq!(agent.tool_choice, Some(ToolChoice::Named("count_2".to_owned())));
        // The function behind the tool is still the one that its old name stood for.
        assert_eq!(own.tools["count_2"].run, Some(ToolRun::Handler(HandlerRef::new("count"))));
        let StepKind::Agent(call) = &own.steps[0].blocks()[0].1[0].kind else { panic!("no agent step") };
        assert_eq!(call.agent, "writer_2");
        let report = check_structure(&serde_json::to_string(&own).unwrap());
        assert_eq!(report.document, Some(own));
    }

    #[test]
    fn a_whole_workflow_brings_the_values_that_are_missing() {
        let mut own = Document::new("empty");
        own.initial_state.insert("topic".to_owned(), "wasps".into());
        let mut clip = document("Write.");
        clip.initial_state.insert("tone".to_owned(), "calm".into());
        let (_, edit) = paste(&own, clip, &at(0)).unwrap();
        apply(&mut own, edit).unwrap();
        assert_eq!(Value::from(own.initial_state.clone()), json!({ "topic": "wasps", "tone": "calm" }));
        assert_eq!(own.steps.len(), 2);
        assert_eq!(paste(&own, Document::new("nothing"), &at(0)), None);
        assert_eq!(paste(&own, document("Write."), &at(9)), None);
    }

    #[test]
    fn copies_count_on_from_the_name_that_they_are_of() {
        let mut own = document("Write.");
        for expected in ["rest_2", "rest_3"] {
            let last = own.steps.last().unwrap().id.clone();
            let (copies, edit) = duplicate(&own, &[last]).unwrap();
            apply(&mut own, edit).unwrap();
            assert_eq!(find(&own, &copies[0]).unwrap().name, expected);
        }
    }

    #[test]
    fn copies_read_each_other_and_not_what_they_are_copies_of() {
        let mut own = read(json!({ "version": 1, "name": "t", "initialState": { "urls": [] }, "steps": [
            { "id": "s1", "type": "function", "name": "before", "run": { "set": { "lead": "1" } } },
            { "id": "s2", "type": "foreach", "name": "each", "items": "urls", "result": "page_output ~ lead", "steps": [
                { "id": "s3", "type": "http", "name": "page", "http": { "url": "https://a.test/" } },
                { "id": "s4", "type": "condition", "name": "if", "condition": "page_output", "steps": [
                    { "id": "s5", "type": "http", "name": "more", "http": { "url": "https://a.test/" } }],
                  "else": [{ "id": "s6", "type": "http", "name": "more", "http": { "url": "https://b.test/" } }] },
                { "id": "s7", "type": "function", "name": "keep", "run": { "set": { "kept": "steps.more.output ~ more_output ~ \"page_output\"" } } }] }] }));
        let (copies, edit) = duplicate(&own, &["s2".to_owned()]).unwrap();
        apply(&mut own, edit).unwrap();
        let copy = serde_json::to_value(find(&own, &copies[0]).unwrap()).unwrap();
        assert_eq!(copy["result"], "page_2_output ~ lead");
        assert_eq!(copy["steps"][1]["condition"], "page_2_output");
        // The two ways have one name, and go on having one.
        assert_eq!(copy["steps"][1]["steps"][0]["name"], "more_2");
        assert_eq!(copy["steps"][1]["else"][0]["name"], "more_2");
        let kept = "steps.more_2.output ~ more_2_output ~ \"page_output\"";
        assert_eq!(copy["steps"][2]["run"]["set"]["kept"], kept);
    }

    #[test]
    fn steps_are_pasted_into_a_lane() {
        let mut own = read(json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "parallel", "name": "p", "parallel": [
                { "id": "s2", "type": "wait", "name": "a", "wait": { "ms": 1 } }] }] }));
        let clip = copy(&document("Write."), &owned(&["s1", "s3"]));
        let (pasted, edit) = paste(&own, clip, &Place::Lane("s2".to_owned())).unwrap();
        apply(&mut own, edit).unwrap();
        let lane = &own.steps[0].blocks()[0].1[0];
        let inside: Vec<&str> = lane.blocks()[0].1.iter().map(|step| step.id.as_str()).collect();
        assert_eq!(inside[0], "s2");
        assert_eq!(inside[1..], pasted);
        let mut all = ids(&own.steps[0]);
        let many = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), many);
    }
}
