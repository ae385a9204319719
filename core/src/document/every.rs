//! Steps, and all that are inside of them.

use super::{Document, Step};

/// These steps and all inside of them in the order of the tree: each before what is in it.
///
/// ```
/// use stepweave_core::document::{Step, StepKind, every};
///
/// let inner = Step::new("s2", "inner", StepKind::Sequence(Vec::new()));
/// let outer = Step::new("s1", "outer", StepKind::Sequence(vec![inner]));
/// assert!(every([&outer]).map(|step| step.id.as_str()).eq(["s1", "s2"]));
/// ```
pub fn every<'d>(steps: impl IntoIterator<Item = &'d Step>) -> impl Iterator<Item = &'d Step> {
    let mut open: Vec<&Step> = steps.into_iter().collect();
    open.reverse();
    std::iter::from_fn(move || {
        let step = open.pop()?;
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps).rev());
        Some(step)
    })
}

/// Every step of a document, then those of its tools.
pub fn every_of(document: &Document) -> impl Iterator<Item = &Step> {
    every(document.blocks().into_iter().flat_map(|(_, steps)| steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_comes_before_what_is_in_it_and_tools_come_last() {
        let rests =
            |id: &str| serde_json::json!({ "id": id, "type": "wait", "name": id, "wait": { "ms": 1 } });
        let document: Document = serde_json::from_value(serde_json::json!({ "version": 1, "name": "t", "steps": [
            { "id": "a", "type": "condition", "name": "a", "condition": "true", "steps": [rests("b"), rests("c")], "else": [rests("d")] },
            rests("e"),
        ], "tools": { "t": { "description": "d", "run": { "workflow": { "steps": [rests("f")] } } } } }))
        .unwrap();
        let ids =
            |steps: &mut dyn Iterator<Item = &Step>| steps.map(|step| step.id.clone()).collect::<String>();
        assert_eq!(ids(&mut every(&document.steps)), "abcde");
        assert_eq!(ids(&mut every_of(&document)), "abcdef");
    }
}
