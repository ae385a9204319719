//! What has changed since a run failed.

use stepweave_core::document::{Document, Step, every};

/// What has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// The step that failed.
    Step,
    /// Something else that may be why it failed.
    Workflow,
}

impl Since {
    /// What of a document that was run is another one now, where the step of this id failed; nothing where it would fail
    /// again.
    pub fn of(ran: &Document, now: &Document, failed: Option<&str>) -> Option<Self> {
        let step = |document| failed.and_then(|id| Document::step(document, id));
        let is_other =
            |(then, now): (&Step, &Step)| !do_the_same(std::slice::from_ref(then), std::slice::from_ref(now));
        match step(ran).zip(step(now)).is_some_and(is_other) {
            true => Some(Self::Step),
            false => (!fails_as(ran, now)).then_some(Self::Workflow),
        }
    }
}

/// Whether both do the same when they run, which pays no heed to notes; where models are, and with what a run begins, is asked
/// anew by each.
pub fn runs_as(one: &Document, other: &Document) -> bool {
    one.agents == other.agents && one.tools == other.tools && do_the_same(&one.steps, &other.steps)
}

/// Whether these steps are the same but for their notes. This is asked with each change: they are copied only where notes differ.
fn do_the_same(some: &[Step], others: &[Step]) -> bool {
    let have_same_notes = || every(some).map(|step| &step.notes).eq(every(others).map(|step| &step.notes));
    some == others || (!have_same_notes() && without_notes(some) == without_notes(others))
}

fn without_notes(steps: &[Step]) -> Vec<Step> {
    let mut bare = steps.to_vec();
    let mut open: Vec<&mut Step> = bare.iter_mut().collect();
    while let Some(step) = open.pop() {
        step.notes = None;
        open.extend(step.inner_mut());
    }
    bare
}

/// The same, with all that a step may have failed for.
fn fails_as(one: &Document, other: &Document) -> bool {
    runs_as(one, other)
        && one.models == other.models
        && one.input == other.input
        && one.initial_state == other.initial_state
        && one.limits == other.limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn document(change: impl FnOnce(&mut Value)) -> Document {
        let ask = |id: &str| json!({ "id": id, "type": "agent", "name": id, "agent": "a", "inputFrom": "{{ topic }}" });
        let mut value = json!({ "version": 1, "name": "t", "models": { "m": { "provider": "demo", "model": "demo" } },
            "agents": { "a": { "model": "m" } }, "steps": [ask("s1"), ask("s2")] });
        change(&mut value);
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_failure_knows_what_has_changed_since() {
        let ran = document(|_| {});
        let since = |change: fn(&mut Value)| Since::of(&ran, &document(change), Some("s1"));
        assert_eq!(since(|_| {}), None);
        assert_eq!(since(|value| value["name"] = json!("other")), None);
        assert_eq!(since(|value| value["steps"][0]["notes"] = json!("Ask Ada.")), None);
        assert_eq!(since(|value| value["steps"][1]["notes"] = json!("Ask Ada.")), None);
        assert_eq!(since(|value| value["steps"][0]["inputFrom"] = json!("Hi")), Some(Since::Step));
        for change in [
            |value: &mut Value| value["steps"][1]["inputFrom"] = json!("Hi"),
            |value: &mut Value| value["initialState"] = json!({ "topic": "bees" }),
            |value: &mut Value| value["input"] = json!({ "properties": { "topic": {} } }),
            |value: &mut Value| value["agents"]["a"]["instructions"] = json!("Help."),
            |value: &mut Value| value["models"]["m"]["model"] = json!("other"),
            |value: &mut Value| drop(value["steps"].as_array_mut().unwrap().remove(0)),
        ] {
            assert_eq!(since(change), Some(Since::Workflow));
        }
        assert_eq!(Since::of(&ran, &ran, None), None);
    }
}
