//! Steps of one name: what one gives, the next one overwrites.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem;

use super::plan::Node;
use super::walk::Walk;
use crate::event::{Event, Spot, StepIndex};
use crate::host::Host;
use crate::state::output_key;

/// What the steps of each name have given so far, by the first step of the name.
#[derive(Default)]
pub(super) struct Namesakes(RefCell<BTreeMap<StepIndex, Given>>);

struct Given {
    /// The step that gave something last.
    last: StepIndex,
    /// The steps that were reported to overwrite another step's output.
    reported: Vec<StepIndex>,
}

impl<H: Host> Walk<'_, H> {
    /// Reports, once for each step, that its output replaces that of another step with its name.
    #[inline(never)]
    pub(super) fn look_for_overwritten(&self, node: &Node, spot: Spot, state: &H::Value, patch: &H::Value) {
        let key = output_key(&node.name);
        if self.host.member(patch, &key).is_none() {
            return;
        }
        let mut names = self.namesakes.0.borrow_mut();
        let given =
            names.entry(node.first_namesake).or_insert(Given { last: node.index, reported: Vec::new() });
        let is_other = mem::replace(&mut given.last, node.index) != node.index;
        // Items of a foreach and members of a parallel do not see what others give.
        if !is_other || given.reported.contains(&node.index) || self.host.member(state, &key).is_none() {
            return;
        }
        given.reported.push(node.index);
        let message = format!(
            "another step is called `{}` too: what it gave under `{key}` is overwritten; give every step a name of its own",
            node.name
        );
        self.host.emit(Event::Warning { spot: Some(spot), code: "output_overwritten", message });
    }
}
