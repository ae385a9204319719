//! What a condition, or a case of a switch, can decide by that nobody has written yet: the answer of the agent before it.

use serde_json::json;
use stepweave_core::document::{Check, Document, Source, Step, StepKind};
use stepweave_core::edit::{Edit, find, slot_of};
use stepweave_core::state::output_key;

use super::answers::{add, decision_before, earlier, missing};
use super::completions::written_name;
use super::settings::without_steps;
use super::together::Trial;
use crate::layout::Place;
use crate::step::kinds::untouched_case;
use crate::step::words::offered;

/// The nearest agent before a step, which answers with any text.
#[derive(Debug, Clone, PartialEq)]
pub struct Deciding {
    /// The name of its step.
    pub step: String,
    /// The words that its prompt lets it choose from; empty where it lists none.
    pub words: Vec<String>,
    agent: String,
}

impl Deciding {
    /// That of a step with a condition that is always true; nothing where a value decides, or nothing can be said of one.
    pub fn of(document: &Document, step: &Step) -> Option<Self> {
        let place = Place::Slot(slot_of(document, &step.id)?);
        let asked = is_always(step).then(|| earlier(document, &place)).into_iter().flatten();
        { asked }.find_map(|before| {
            let StepKind::Agent(call) = &before.kind else { return None };
            document.agents.get(&call.agent).filter(|agent| agent.output.is_none())?;
            let words = match &call.input_from {
                Some(Source::Text(prompt)) => offered(prompt),
                _ => Vec::new(),
            };
            Some(Self { step: before.name.clone(), words, agent: call.agent.clone() })
        })
    }

    /// What it does, for a button.
    pub fn title(&self) -> String {
        match self.words.as_slice() {
            [] => format!("Compare the answer of {}", self.step),
            words => format!("Let {} answer with one of: {}", self.step, words.join(", ")),
        }
    }

    /// Has a step decide by the answer: by each of the words, of which the answer is one from then on, or else by one that is
    /// still to be written.
    pub fn edit(&self, document: &Document, id: &str) -> Option<Edit> {
        let mut trial = Trial::of(document);
        if !self.words.is_empty() {
            let mut settings = without_steps(document);
            settings.agents.get_mut(&self.agent)?.output = Some(Check::Schema(json!({ "enum": self.words })));
            trial.make(Edit::Settings(Box::new(settings))).ok()?;
        }
        let compared = Source::Text(format!("{} == ''", written_name(&output_key(&self.step))));
        let mut with = find(&trial.document, id)?.clone();
        match &mut with.kind {
            StepKind::Switch(switch) => match missing(&trial.document, id).filter(|_| !self.words.is_empty())
            {
                Some(found) => add(switch, found.cases),
                None => {
                    switch.cases.iter_mut().find(|case| case.when == untouched_case().when)?.when = compared
                }
            },
            StepKind::Condition(branch) => {
                let place = Place::Slot(slot_of(&trial.document, id)?);
                let known = decision_before(&trial.document, &place);
                branch.condition = known.filter(|_| !self.words.is_empty()).unwrap_or(compared);
            }
            _ => return None,
        }
        trial.make(Edit::Replace { step: id.to_owned(), with }).ok()?;
        Some(trial.edit())
    }
}

/// Whether a condition of a step is always true, as it is made.
fn is_always(step: &Step) -> bool {
    let always = untouched_case().when;
    match &step.kind {
        StepKind::Switch(switch) => switch.cases.iter().any(|case| case.when == always),
        StepKind::Condition(branch) => branch.condition == always,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use stepweave_core::edit::apply;

    fn decided(prompt: &str, output: Value, step: Value) -> (Option<String>, Value) {
        let agent = match output {
            Value::Null => json!({ "model": "m" }),
            output => json!({ "model": "m", "output": output }),
        };
        let ask = json!({ "id": "s1", "type": "agent", "name": "sort", "agent": "a", "inputFrom": prompt });
        let document = json!({ "version": 1, "name": "t", "agents": { "a": agent }, "steps": [ask, step] });
        let mut document: Document = serde_json::from_value(document).unwrap();
        let found = Deciding::of(&document, &document.steps[1]);
        let edit = found.as_ref().and_then(|found| found.edit(&document, "s2"));
        apply(&mut document, edit.unwrap_or(Edit::Group(Vec::new()))).unwrap();
        (found.map(|found| found.title()), serde_json::to_value(document).unwrap())
    }

    fn switch(cases: &[&str]) -> Value {
        let cases: Vec<Value> = cases.iter().map(|when| json!({ "when": when, "steps": [] })).collect();
        json!({ "id": "s2", "type": "switch", "name": "way", "cases": cases, "default": [] })
    }

    fn conditions(document: &Value) -> Vec<&str> {
        let cases = document["steps"][1]["cases"].as_array().unwrap();
        cases.iter().map(|case| case["when"].as_str().unwrap()).collect()
    }

    #[test]
    fn a_switch_that_is_always_true_decides_by_the_words_of_the_prompt_before_it() {
        let (title, document) = decided("Is it billing, broken or other?", Value::Null, switch(&["true"]));
        assert_eq!(title.unwrap(), "Let sort answer with one of: billing, broken, other");
        assert_eq!(document["agents"]["a"]["output"], json!({ "enum": ["billing", "broken", "other"] }));
        let expected = ["sort_output == 'billing'", "sort_output == 'broken'", "sort_output == 'other'"];
        assert_eq!(conditions(&document), expected);
    }

    #[test]
    fn without_words_the_answer_is_there_to_be_compared() {
        let (title, document) = decided("Sort this.", Value::Null, switch(&["kind == 'a'", "true", "true"]));
        assert_eq!(title.unwrap(), "Compare the answer of sort");
        assert_eq!(conditions(&document), ["kind == 'a'", "sort_output == ''", "true"]);
        assert_eq!(document["agents"]["a"].get("output"), None);
    }

    #[test]
    fn a_condition_decides_by_the_first_word() {
        let when = |code: &str| json!({ "id": "s2", "type": "condition", "name": "if", "condition": code, "steps": [] });
        let (_, document) = decided("Is it good or bad?", Value::Null, when("true"));
        assert_eq!(document["steps"][1]["condition"], "sort_output == 'good'");
        let (_, document) = decided("Look at it.", Value::Null, when("true"));
        assert_eq!(document["steps"][1]["condition"], "sort_output == ''");
    }

    #[test]
    fn what_decides_already_stays() {
        assert_eq!(decided("Good or bad?", Value::Null, switch(&["kind == 'a'"])).0, None);
        assert_eq!(decided("Good or bad?", json!({ "enum": ["a", "b"] }), switch(&["true"])).0, None);
    }
}
