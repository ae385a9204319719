//! What a step reads of the state, and what it leaves there.

use indexmap::{IndexMap, IndexSet};
use stepweave_core::document::{
    Approval, Document, Foreach, Repeat, Run, Source, Step, StepKind, Wait, every,
};
use stepweave_core::rename::gives_output;
use stepweave_core::state::output_key;
use stepweave_core::validate::{files_of_request, templates_of_request};

use super::reading::Code;
use super::sources::names;

/// The keys of the state that pass through a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passing {
    /// What its own texts read, in their order; not those of the steps in it.
    pub reads: IndexSet<String>,
    /// What it gives.
    pub writes: IndexSet<String>,
    /// Whether it is given all of the state.
    pub reads_all: bool,
}

impl Passing {
    /// What passes through a step.
    pub fn of(step: &Step) -> Self {
        let mut own = Self::default();
        match &step.kind {
            StepKind::Agent(call) => {
                own.source(call.input_from.as_ref(), Code::Template);
                own.source(call.files.as_ref(), Code::Expression);
                own.reads_all = call.input_from.is_none();
                if let Some(history) = &call.history {
                    own.reads.insert(history.key.clone());
                    own.writes.insert(history.key.clone());
                }
            }
            StepKind::Function(Run::Set(set)) => {
                own.expressions(set);
                own.writes.extend(set.keys().cloned());
            }
            StepKind::Function(_) => own.reads_all = true,
            StepKind::Http(call) => {
                templates_of_request(&call.http).iter().for_each(|(_, text)| own.text(text, Code::Template));
                files_of_request(&call.http).iter().for_each(|(_, text)| own.text(text, Code::Expression));
            }
            StepKind::Condition(branch) => own.source(Some(&branch.condition), Code::Expression),
            StepKind::Switch(switch) => {
                switch.cases.iter().for_each(|case| own.source(Some(&case.when), Code::Expression));
            }
            StepKind::Foreach(each) => own.each(each),
            StepKind::Loop(repeated) => {
                let (Repeat::While(source) | Repeat::Until(source)) = &repeated.repeat;
                own.source(Some(source), Code::Expression);
            }
            StepKind::Workflow(inner) => {
                inner.with.iter().for_each(|with| own.expressions(with));
                own.reads_all = inner.with.is_none();
                own.writes.extend(inner.set.iter().flat_map(|set| set.keys().cloned()));
            }
            StepKind::Wait(Wait::Until(text)) => own.text(text, Code::Expression),
            StepKind::Approval(approval) => own.approval(approval),
            StepKind::End(exit) => exit.message.iter().for_each(|text| own.text(text, Code::Template)),
            StepKind::Wait(Wait::Ms(_)) | StepKind::Parallel(_) | StepKind::Sequence(_) => {}
        }
        if gives_output(step) {
            own.writes.insert(output_key(&step.name));
        }
        own
    }

    fn each(&mut self, each: &Foreach) {
        each.result.iter().for_each(|text| self.text(text, Code::Expression));
        let index = format!("{}_index", each.item);
        self.reads.retain(|key| *key != each.item && *key != index);
        self.source(Some(&each.items), Code::Expression);
    }

    fn approval(&mut self, approval: &Approval) {
        self.source(approval.approved.as_ref(), Code::Expression);
        // There the answer itself is called so.
        self.reads.shift_remove("output");
        approval.message.iter().for_each(|text| self.text(text, Code::Template));
    }

    fn expressions(&mut self, set: &IndexMap<String, String>) {
        set.values().for_each(|text| self.text(text, Code::Expression));
    }

    fn source(&mut self, source: Option<&Source>, code: Code) {
        if let Some(Source::Text(text)) = source {
            self.text(text, code);
        }
    }

    fn text(&mut self, text: &str, code: Code) {
        self.reads.extend(names(text, code).into_iter().map(|named| named.key));
    }
}

/// The steps that read a key by its name, in the order of the tree.
pub fn readers<'d>(document: &'d Document, key: &str) -> Vec<&'d Step> {
    every(&document.steps).filter(|step| Passing::of(step).reads.contains(key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn passing(step: Value) -> (Vec<String>, Vec<String>, bool) {
        let mut step = step;
        step["id"] = json!("s1");
        step["name"] = json!("own");
        let document = json!({ "version": 1, "name": "t", "steps": [step] });
        let document: Document = serde_json::from_value(document).unwrap();
        let Passing { reads, writes, reads_all } = Passing::of(&document.steps[0]);
        (reads.into_iter().collect(), writes.into_iter().collect(), reads_all)
    }

    #[test]
    fn each_kind_says_what_it_reads_and_gives() {
        let answer = "own_output";
        let inside =
            json!([{ "id": "s2", "type": "function", "name": "in", "run": { "set": { "deep": "low" } } }]);
        for (step, reads, writes, all) in [
            (
                json!({ "type": "agent", "agent": "a", "inputFrom": "{{ topic }} {{ steps.x.output }} {{ topic }}" }),
                &["topic", "x_output"][..],
                &[answer][..],
                false,
            ),
            (
                json!({ "type": "agent", "agent": "a", "history": { "key": "chat" } }),
                &["chat"],
                &["chat", answer],
                true,
            ),
            (
                json!({ "type": "function", "run": { "set": { "n": "a + b", "m": "1" } } }),
                &["a", "b"],
                &["n", "m"],
                false,
            ),
            (json!({ "type": "function", "run": { "code": "return {}" } }), &[], &[], true),
            (
                json!({ "type": "http", "http": { "url": "https://a.test/{{ id }}", "result": "body.x" } }),
                &["id"],
                &[answer],
                false,
            ),
            (json!({ "type": "condition", "condition": "n > 1", "steps": inside }), &["n"], &[], false),
            (
                json!({ "type": "switch", "cases": [{ "when": "n == 1", "steps": [] }, { "when": "m", "steps": [] }], "default": [] }),
                &["n", "m"],
                &[],
                false,
            ),
            (
                json!({ "type": "foreach", "items": "urls", "as": "url", "result": "url ~ url_index ~ base", "steps": inside }),
                &["base", "urls"],
                &[answer],
                false,
            ),
            (
                json!({ "type": "loop", "repeat": { "until": "done" }, "maxIterations": 2, "steps": inside }),
                &["done"],
                &[],
                false,
            ),
            (
                json!({ "type": "approval", "message": "{{ draft }}", "approved": "output.ok and strict", "steps": [] }),
                &["strict", "draft"],
                &[answer],
                false,
            ),
            (json!({ "type": "end", "end": { "message": "{{ why }}" } }), &["why"], &[], false),
            (json!({ "type": "wait", "wait": { "until": "at" } }), &["at"], &[], false),
        ] {
            let found = passing(step.clone());
            let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
            assert_eq!(found, (owned(reads), owned(writes), all), "{step}");
        }
    }

    #[test]
    fn who_reads_a_key_is_found_at_any_depth() {
        let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [
            { "id": "s1", "type": "loop", "name": "again", "repeat": { "until": "n > 3" }, "maxIterations": 5, "steps": [
                { "id": "s2", "type": "function", "name": "more", "run": { "set": { "n": "n + 1" } } } ] },
            { "id": "s3", "type": "wait", "name": "rest", "wait": { "ms": 1 } }] })).unwrap();
        let ids: Vec<&str> = readers(&document, "n").into_iter().map(|step| step.id.as_str()).collect();
        assert_eq!(ids, ["s1", "s2"]);
    }
}
