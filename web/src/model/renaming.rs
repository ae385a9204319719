//! Another name for something, with all its uses, as an edit of what changes.

use stepweave_core::document::{Document, Run, Step, StepKind, every, every_of};
use stepweave_core::edit::{Block, Edit, Slot, apply, slot_of};
use stepweave_core::rename::{
    Named, Place, Use, givers_of, is_given, is_given_once, is_taken, place_of, rename, uses,
};
use stepweave_core::state::output_key;

use super::agents::own_agent;
use super::settings::without_steps;
use crate::step::agents::free_id;

/// A name that is being typed: each letter begins from what was there before the first, so that a name that is another
/// one's halfway takes nothing of that along.
#[derive(Debug, Clone)]
pub struct Renaming {
    base: Document,
    named: Named,
    /// The steps that use it, and those that give the same key.
    users: Vec<String>,
    /// How many uses follow, and how many do not.
    counts: [usize; 2],
    /// The step, when its name is all that changes: a large workflow is then not read anew for each letter.
    alone: Option<Step>,
}

impl Renaming {
    /// Begins to type a name; nothing where the key is the output of a step.
    pub fn begin(document: &Document, named: Named) -> Option<Self> {
        let uses = uses(document, std::slice::from_ref(&named));
        let count = |follows: bool| uses.iter().filter(|used| used.follows == follows).count();
        let mut counts = [count(true), count(false)];
        let mut users: Vec<String> = uses.into_iter().filter_map(|used| used.step).collect();
        if let Named::Key { place, key } = &named {
            let givers = givers_of(document, place, key)?;
            // One of them is what the name is typed into.
            counts[0] += givers.len().saturating_sub(1);
            users.extend(givers.into_iter().flatten());
        }
        let alone = match &named {
            Named::Step(id) if counts == [0, 0] => {
                document.step(id).filter(|step| own_agent(document, step).is_none()).cloned()
            }
            _ => None,
        };
        Some(Self { base: document.clone(), named, users, counts, alone })
    }

    /// What makes the present document the one with this name; nothing when it cannot be called so.
    pub fn edit(&self, now: &Document, to: &str) -> Option<Edit> {
        if let Some(step) = &self.alone {
            let with = Step { name: to.to_owned(), ..step.clone() };
            return Some(Edit::Replace { step: step.id.clone(), with });
        }
        let mut target = rename(&self.base, &self.named, to)?;
        if let Named::Step(id) = &self.named {
            take_agent_along(&self.base, &mut target, id, to);
        }
        Some(between([&self.base, now, &target], &self.users))
    }

    /// What became of the uses, for the person who has typed this name; nothing where there are none and nothing else has
    /// this name.
    pub fn said(&self, to: &str) -> Option<String> {
        let from = match &self.named {
            Named::Step(id) => &self.base.step(id)?.name,
            named => named.called(),
        };
        let many = |count: usize| if count == 1 { "1 use".to_owned() } else { format!("{count} uses") };
        let [changed, left] = self.counts;
        let what = match (changed, left) {
            (0, 0) => None,
            (_, 0) => Some(format!("{} changed with it", many(changed))),
            (0, _) => Some(format!("look at {} that could not be changed", many(left))),
            _ => Some(format!("{} changed with it, look at {} that could not be", many(changed), many(left))),
        };
        let what = what.map(|what| format!("“{from}” is now “{to}”: {what}."));
        let called = match &self.named {
            Named::Step(_) => output_key(to),
            _ => to.to_owned(),
        };
        let also = (is_taken(&self.base, &self.named, to) && !self.excludes(to)).then(|| {
            format!("“{called}” was there already, and both are one now: what reads it has what was given last. Undo takes this back.")
        });
        let said: Vec<String> = what.into_iter().chain(also).collect();
        (from != to && !said.is_empty()).then(|| said.join(" "))
    }

    /// Whether all that gives this key stands on ways that a run does not take together with those of what is named.
    fn excludes(&self, to: &str) -> bool {
        let Named::Key { place, key } = &self.named else { return false };
        let ways = |key: &str| {
            let givers = givers_of(&self.base, place, key)?;
            givers.into_iter().map(|id| Some(ways_of(&self.base, &id?))).collect::<Option<Vec<_>>>()
        };
        let (Some(own), Some(others)) = (ways(key), ways(to)) else { return false };
        own.iter().all(|own| others.iter().all(|other| are_apart(own, other)))
    }
}

/// The ways that a step stands on: one for each choice around it, by the step that chooses and the key of the way.
fn ways_of(document: &Document, id: &str) -> Vec<(String, String)> {
    let mut ways = Vec::new();
    let mut at = slot_of(document, id);
    while let Some(Slot { block: Block::Inside { step, key }, .. }) = at {
        at = slot_of(document, &step);
        let around = document.step(&step).map(|step| &step.kind);
        if let Some(StepKind::Condition(_) | StepKind::Switch(_) | StepKind::Approval(_)) = around {
            ways.push((step, key));
        }
    }
    ways
}

/// Whether a run that takes some of these ways takes none of the others.
fn are_apart(own: &[(String, String)], others: &[(String, String)]) -> bool {
    own.iter().any(|(step, way)| others.iter().any(|(other, another)| step == other && way != another))
}

/// A key that is being typed. Where the text can be no key, what is written is the one from before the first letter:
/// nobody knows which of the names on the way there was meant.
#[derive(Debug, Clone, Default)]
pub struct TypedKey {
    first: Option<String>,
}

impl TypedKey {
    /// The key that is written for a text; nothing when the key is called so already.
    pub fn written(&mut self, text: &str, can_be: bool, now: &str) -> Option<String> {
        let first = self.first.get_or_insert_with(|| now.to_owned());
        let key = if can_be { text } else { first };
        (key != now).then(|| key.to_owned())
    }

    /// The field is left.
    pub fn leave(&mut self) {
        self.first = None;
    }
}

/// The agent that is a step's own has its name.
fn take_agent_along(base: &Document, target: &mut Document, id: &str, name: &str) {
    let Some(agent) = base.step(id).and_then(|step| own_agent(base, step)) else { return };
    let mut others = without_steps(target);
    others.agents.shift_remove(&agent);
    let to = free_id(&others, name);
    if let Some(renamed) = rename(target, &Named::Agent(agent), &to) {
        *target = renamed;
    }
}

/// What makes a document another one with the same steps in the same places.
pub fn difference(from: &Document, to: &Document) -> Edit {
    between([from, from, to], &[])
}

/// What makes the second of three documents the third. Whatever is not the same in the first is written again, so that
/// what takes one such edit back takes all of them back that began with the same first one.
fn between([base, now, target]: [&Document; 3], users: &[String]) -> Edit {
    let [base_settings, now_settings, settings] = [base, now, target].map(without_steps);
    let mut edits = Vec::new();
    if settings != now_settings || settings != base_settings {
        edits.push(Edit::Settings(Box::new(settings)));
    }
    steps_between([&base.steps, &now.steps, &target.steps], users, &mut edits);
    match edits.len() {
        1 => edits.remove(0),
        _ => Edit::Group(edits),
    }
}

fn steps_between([base, now, target]: [&[Step]; 3], users: &[String], edits: &mut Vec<Edit>) {
    for ((base, now), target) in base.iter().zip(now).zip(target) {
        let is_user = users.contains(&target.id);
        if base == target && now == target && !is_user {
            continue;
        }
        let hulls = [base, now, target].map(hull);
        let [base_hull, now_hull, target_hull] = &hulls;
        if is_user || base_hull != target_hull || now_hull != target_hull {
            edits.push(Edit::Replace { step: target.id.clone(), with: target.clone() });
            continue;
        }
        for (((_, base), (_, now)), (_, target)) in
            base.blocks().into_iter().zip(now.blocks()).zip(target.blocks())
        {
            steps_between([base, now, target], users, edits);
        }
    }
}

/// A step without the steps in it.
fn hull(step: &Step) -> Step {
    let mut hull = step.clone();
    hull.blocks_mut().into_iter().for_each(Vec::clear);
    hull
}

/// Who uses steps, besides these themselves and what is in them: by paths, as the validator writes them.
pub fn users_of_steps(document: &Document, ids: &[String]) -> Vec<Use> {
    let (mut names, mut gone, mut shared) = (Vec::new(), Vec::new(), Vec::new());
    for step in every(ids.iter().filter_map(|id| document.step(id))) {
        gone.push(step.id.clone());
        names.push(Named::Step(step.id.clone()));
        if let (StepKind::Function(Run::Set(set)), Some(place)) = (&step.kind, place_of(document, &step.id)) {
            for key in set.keys() {
                let named = Named::Key { place: place.clone(), key: key.clone() };
                match is_given_once(document, &place, key) {
                    true => names.push(named),
                    false => shared.push((step.id.clone(), place.clone(), key.clone(), named)),
                }
            }
        }
    }
    let mut found = uses(document, &names);
    for (step, place, key, named) in shared {
        let left = givers_of(document, &place, &key).unwrap_or_default();
        found.extend(too_early(document, &step, &left, &gone, &named));
    }
    found.retain(|used| used.step.as_ref().is_none_or(|step| !gone.contains(step)));
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found.dedup();
    found
}

/// Who reads a key behind a step that goes and before all others that give it, as in a loop that gives it at its end.
fn too_early(
    document: &Document,
    step: &str,
    givers: &[Option<String>],
    gone: &[String],
    named: &Named,
) -> Vec<Use> {
    let order: Vec<&str> = every_of(document).map(|step| step.id.as_str()).collect();
    let place = |id: &str| order.iter().position(|step| *step == id);
    // What stands in the initial state or the input is there from the beginning.
    let Some(givers) = givers.iter().map(Option::as_deref).collect::<Option<Vec<&str>>>() else {
        return Vec::new();
    };
    let left = givers.into_iter().filter(|giver| !gone.iter().any(|id| id == giver));
    let first = left.filter_map(place).min().unwrap_or(order.len());
    let from = place(step).unwrap_or_default();
    let is_early =
        |used: &Use| used.step.as_deref().and_then(place).is_some_and(|at| at > from && at <= first);
    uses(document, std::slice::from_ref(named)).into_iter().filter(is_early).collect()
}

/// Who uses a key of a state, once this has deleted it; nobody where something else gives it still.
pub fn users_of_key(document: &Document, place: &Place, key: &str, deleting: &Edit) -> Vec<Use> {
    let mut after = document.clone();
    if apply(&mut after, deleting.clone()).is_err() || is_given(&after, place, key) {
        return Vec::new();
    }
    uses(document, &[Named::Key { place: place.clone(), key: key.to_owned() }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::change::Change;
    use crate::model::history::History;
    use serde_json::{Value, json};
    use stepweave_core::document::Check;

    fn document() -> Document {
        let ask = |id: &str, name: &str, agent: &str| {
            json!({ "id": id, "type": "agent", "name": name, "agent": agent,
            "inputFrom": "{{ topic }}" })
        };
        serde_json::from_value(json!({ "version": 1, "name": "t", "initialState": { "topic": "bees" },
            "models": { "m": { "provider": "demo", "model": "demo" } },
            "agents": { "agent": { "model": "m", "instructions": "Mine." }, "both": { "model": "m" }, "wri": { "model": "m" } },
            "steps": [ask("s1", "agent", "agent"), ask("s2", "both", "both"), ask("s3", "other", "both"), ask("s4", "wri", "wri"),
                { "id": "s5", "type": "condition", "name": "is it", "condition": "agent_output != wri_output", "steps": [
                    { "id": "s6", "type": "function", "name": "keep", "run": { "set": { "kept": "agent_output" } } } ] },
                { "id": "s7", "type": "function", "name": "use", "run": { "set": { "used": "kept ~ topic" } } }] }))
        .unwrap()
    }

    fn typed(named: &Named, words: &[&str]) -> (Document, Document) {
        let (mut document, mut history) = (document(), History::default());
        let renaming = Renaming::begin(&document, named.clone()).unwrap();
        for word in words {
            let edit = renaming.edit(&document, word).unwrap();
            history.apply(&mut document, Change::Type { edit, field: "f".into(), selected: None }).unwrap();
        }
        let renamed = document.clone();
        history.apply(&mut document, Change::Undo { selected: None }).unwrap();
        (renamed, document)
    }

    fn at(document: &Document, path: &str) -> Value {
        serde_json::to_value(document).unwrap().pointer(path).cloned().unwrap_or_default()
    }

    #[test]
    fn uses_and_an_agent_of_its_own_follow_letter_by_letter_in_one_undo() {
        // Halfway another step has the name already, and so has another agent.
        let words = ["agen", "", "w", "wr", "wri", "writ", "agent", "write it"];
        let (renamed, back) = typed(&Named::Step("s1".into()), &words);
        assert_eq!(renamed.agents.keys().collect::<Vec<_>>(), ["write it", "both", "wri"]);
        assert_eq!(at(&renamed, "/steps/0/agent"), "write it");
        assert_eq!(at(&renamed, "/steps/4/condition"), "state[\"write it_output\"] != wri_output");
        assert_eq!(at(&renamed, "/steps/4/steps/0/run/set/kept"), "state[\"write it_output\"]");
        assert_eq!(back, document());
    }

    #[test]
    fn an_agent_of_several_steps_or_of_another_name_keeps_its_own() {
        for id in ["s2", "s3"] {
            let (renamed, back) = typed(&Named::Step(id.into()), &["y", "x"]);
            assert_eq!(renamed.agents, document().agents);
            assert_eq!(renamed, rename(&document(), &Named::Step(id.into()), "x").unwrap());
            assert_eq!(back, document());
        }
        assert!(renamed_at("nobody").is_none());
    }

    fn renamed_at(id: &str) -> Option<Edit> {
        Renaming::begin(&document(), Named::Step(id.into()))?.edit(&document(), "x")
    }

    #[test]
    fn a_key_takes_its_uses_along_and_whatever_else_gives_it() {
        let kept = Named::Key { place: Place::Workflow, key: "kept".into() };
        let (renamed, back) = typed(&kept, &["k", "topi", "saved"]);
        assert_eq!(at(&renamed, "/steps/5/run/set/used"), "saved ~ topic");
        assert_eq!(back, document());
        let mut twice = document();
        twice.initial_state.insert("kept".into(), Value::Null);
        twice.steps.push(
            serde_json::from_value(json!({ "id": "s9", "type": "agent", "name": "talk", "agent": "both",
            "history": { "key": "kept" } }))
            .unwrap(),
        );
        let renaming = Renaming::begin(&twice, kept.clone()).unwrap();
        let mut now = twice.clone();
        for word in ["topi", "kept", "sav", "saved"] {
            let edit = renaming.edit(&now, word).unwrap();
            apply(&mut now, edit).unwrap();
        }
        assert_eq!(at(&now, "/initialState"), json!({ "topic": "bees", "saved": null }));
        assert_eq!(at(&now, "/steps/4/steps/0/run/set"), json!({ "saved": "agent_output" }));
        assert_eq!(at(&now, "/steps/6/history/key"), "saved");
        assert_eq!(renaming.said("saved").unwrap(), "“kept” is now “saved”: 3 uses changed with it.");
        // An output has the name of its step.
        twice.steps.push(
            serde_json::from_value(json!({ "id": "s10", "type": "function", "name": "fake", "run": { "set": { "both_output": "1" } } }))
                .unwrap(),
        );
        let output = Named::Key { place: Place::Workflow, key: "both_output".into() };
        assert!(Renaming::begin(&twice, output).is_none());
    }

    #[test]
    fn a_key_whose_name_is_taken_keeps_the_one_from_before_it_was_typed() {
        let mut before = document();
        before.initial_state.insert("other".into(), Value::Null);
        let named = Named::Key { place: Place::Workflow, key: "topic".into() };
        let (mut now, mut history, mut typed) = (before.clone(), History::default(), TypedKey::default());
        let renaming = Renaming::begin(&before, named).unwrap();
        let mut write = |now: &mut Document, text: &str| {
            let can_be = !text.is_empty() && text != "other";
            let key = now.initial_state.keys().next().cloned().unwrap();
            if let Some(key) = typed.written(text, can_be, &key) {
                let edit = renaming.edit(now, &key).unwrap();
                history.apply(now, Change::Type { edit, field: "f".into(), selected: None }).unwrap();
            }
        };
        for text in ["", "o", "ot", "oth", "othe", "other"] {
            write(&mut now, text);
        }
        assert_eq!(now, before);
        write(&mut now, "others");
        assert_eq!(at(&now, "/steps/0/inputFrom"), "{{ others }}");
        assert_eq!(at(&now, "/initialState"), json!({ "others": "bees", "other": null }));
        history.apply(&mut now, Change::Undo { selected: None }).unwrap();
        assert_eq!(now, before);
        let mut typed = TypedKey::default();
        assert_eq!(typed.written("a", true, "topic").as_deref(), Some("a"));
        typed.leave();
        assert_eq!(
            (typed.written("", false, "a"), typed.written("b", true, "a").as_deref()),
            (None, Some("b"))
        );
    }

    #[test]
    fn a_name_that_something_else_has_is_said() {
        let said = |named: Named, to: &str| Renaming::begin(&document(), named)?.said(to);
        let key = |key: &str| Named::Key { place: Place::Workflow, key: key.into() };
        assert_eq!(
            said(key("kept"), "topic").unwrap(),
            "“kept” is now “topic”: 1 use changed with it. “topic” was there already, and both are one now: what reads it has what was given last. Undo takes this back."
        );
        assert_eq!(
            said(Named::Step("s2".into()), "wri").unwrap(),
            "“wri_output” was there already, and both are one now: what reads it has what was given last. Undo takes this back."
        );
        assert_eq!(said(Named::Step("s7".into()), "wri"), None);
    }

    #[test]
    fn a_name_is_not_taken_by_what_stands_on_another_way_of_the_same_choice() {
        let set = |id: &str, key: &str| json!({ "id": id, "type": "function", "name": id, "run": { "set": { (key): "''" } } });
        let said = |last: Value| {
            let approval = json!({ "id": "s1", "type": "approval", "name": "ok",
                "steps": [set("s2", "reply")], "else": [set("s3", "key")] });
            let document = json!({ "version": 1, "name": "t", "steps": [approval, last] });
            let document: Document = serde_json::from_value(document).unwrap();
            let named = Named::Key { place: Place::Workflow, key: "key".into() };
            Renaming::begin(&document, named)?.said("reply")
        };
        assert_eq!(said(set("s4", "other")), None);
        let taken = "“reply” was there already, and both are one now: what reads it has what was given last. Undo takes this back.";
        assert_eq!(said(set("s4", "reply")).as_deref(), Some(taken));
        // It is renamed along, and is on no way of its own.
        let along = "“key” is now “reply”: 1 use changed with it.";
        assert_eq!(said(set("s4", "key")), Some(format!("{along} {taken}")));
    }

    #[test]
    fn it_is_said_how_many_uses_followed() {
        let said = |named: Named, to: &str| Renaming::begin(&document(), named)?.said(to);
        let key = |key: &str| Named::Key { place: Place::Workflow, key: key.into() };
        assert_eq!(said(key("kept"), "saved").unwrap(), "“kept” is now “saved”: 1 use changed with it.");
        assert_eq!(said(key("topic"), "theme").unwrap(), "“topic” is now “theme”: 5 uses changed with it.");
        assert_eq!(said(key("topic"), "topic"), None);
        assert_eq!(said(key("used"), "x"), None);
        let step = said(Named::Step("s1".into()), "write").unwrap();
        assert_eq!(step, "“agent” is now “write”: 2 uses changed with it.");
        let mut coded = document();
        coded.steps.push(
            serde_json::from_value(json!({ "id": "s8", "type": "function", "name": "code",
            "run": { "code": "return { kept: state.kept };" } }))
            .unwrap(),
        );
        assert_eq!(
            Renaming::begin(&coded, key("kept")).unwrap().said("saved").unwrap(),
            "“kept” is now “saved”: 1 use changed with it, look at 1 use that could not be."
        );
    }

    #[test]
    fn who_uses_a_step_is_known_before_it_goes() {
        let paths = |ids: &[&str]| {
            let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            users_of_steps(&document(), &ids).into_iter().map(|used| used.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(&["s1"]), ["steps[4].condition", "steps[4].steps[0].run.set.kept"]);
        assert_eq!(paths(&["s1", "s5"]), ["steps[5].run.set.used"]);
        assert_eq!(paths(&["s7"]), [] as [&str; 0]);
    }

    #[test]
    fn who_reads_a_key_before_the_rest_of_a_loop_gives_it_again_is_known_before_it_goes() {
        let set = |id: &str, key: &str, text: &str| json!({ "id": id, "type": "function", "name": id, "run": { "set": { key: text } } });
        let document = |initial: Value| -> Document {
            serde_json::from_value(json!({ "version": 1, "name": "t", "initialState": initial, "steps": [
                { "id": "s1", "type": "loop", "name": "again", "repeat": { "while": "false" }, "maxIterations": 2, "steps": [
                    set("s2", "text", "'a'"), set("s3", "read", "text"), set("s4", "text", "text ~ 'b'"), set("s5", "more", "text") ] }] }))
            .unwrap()
        };
        let paths = |document: &Document, id: &str| {
            users_of_steps(document, &[id.to_owned()]).into_iter().map(|used| used.path).collect::<Vec<_>>()
        };
        let twice = document(json!({}));
        assert_eq!(paths(&twice, "s2"), ["steps[0].steps[1].run.set.read", "steps[0].steps[2].run.set.text"]);
        assert_eq!(paths(&twice, "s4"), [] as [&str; 0]);
        assert_eq!(paths(&document(json!({ "text": "" })), "s2"), [] as [&str; 0]);
    }

    #[test]
    fn who_uses_a_key_is_known_before_it_goes_unless_something_else_gives_it() {
        let users = |document: &Document| {
            let mut settings = without_steps(document);
            settings.initial_state.shift_remove("topic");
            let deleting = Edit::Settings(Box::new(settings));
            let found = users_of_key(document, &Place::Workflow, "topic", &deleting);
            found.into_iter().map(|used| used.path).collect::<Vec<_>>()
        };
        let mut document = document();
        assert_eq!(users(&document).len(), 5);
        document.input = Some(Check::Schema(json!({ "properties": { "topic": {} } })));
        assert_eq!(users(&document), [] as [&str; 0]);
    }
}
