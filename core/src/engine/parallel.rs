//! A parallel: its members start from the same state, and what they changed merges in declared order.

use super::container::{Halt, Inside, InsideEnd};
use super::flow::{End, Flow, Passed};
use super::gather::{After, gather};
use super::plan::Node;
use super::traces::Traces;
use super::walk::{At, Walk};
use crate::document::OnConflict;
use crate::error::{Code, Error};
use crate::event::{Event, Spot};
use crate::host::{Host, SharedKey};

impl<'a, H: Host> Walk<'a, H> {
    /// Runs the members from the same state and merges what each changed in their declared order.
    pub(super) async fn parallel(
        &self,
        node: &Node,
        members: &'a [Node],
        concurrency: Option<u32>,
        on_conflict: OnConflict,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Inside<H::Value> {
        let spot = at.spot(node);
        let blocks = at.block.begin_members(&flow.state, members.len());
        let begin = |place: usize| {
            let block = blocks(place);
            async move {
                let Some(member) = members.get(place) else { return flow.clone().went() };
                let passed = self.step(member, flow, at.within(&block)).await;
                block.set(&passed.flow.state);
                passed
            }
        };
        let mut outputs = flow.outputs.clone();
        let mut states = Vec::with_capacity(members.len());
        let mut halt = Halt::default();
        // Siblings of a member that fails are not kept from running.
        let after = |passed: &Passed<H::Value>| match passed.end {
            End::Suspended => After::Waits,
            End::Went | End::Ended(_) | End::Stopped(_) => After::Next,
        };
        let pause = || self.pause_between();
        let ends = gather(members.len(), concurrency, &begin, &after, &pause).await;
        for Passed { flow: branch, end } in ends.into_iter().flatten() {
            outputs = outputs.joined(&branch.outputs, &flow.outputs);
            states.push(branch.state);
            match end {
                End::Went => {}
                End::Ended(target) => halt.exit(target),
                End::Suspended => halt.suspend(),
                End::Stopped(stop) => drop(halt.stop(stop)),
            }
        }
        let exit = halt.exit;
        let joined = match self.journal {
            None => self.host.join(&flow.state, &states),
            // The fingerprints of the state follow from those of the changes.
            Some(_) => None,
        };
        let (state, traces) = match joined {
            Some(state) => (state, flow.traces.clone()),
            None => match self.merged_in_order(spot, members, on_conflict, flow, &states) {
                Ok(merged) => merged,
                Err(error) => return Inside { flow: flow.clone(), end: halt.failed(error), exit },
            },
        };
        if let Err(error) = self.within_state(0, &state) {
            return Inside { flow: flow.clone(), end: halt.failed(error), exit };
        }
        let end = halt.end(node).unwrap_or(InsideEnd::Done { output: None, patch: None });
        Inside { flow: Flow { state, traces, outputs, ..*flow }, end, exit }
    }

    /// The state with the changes of each member, and its fingerprints. Keys that several members changed are reported.
    fn merged_in_order(
        &self,
        spot: Spot,
        members: &[Node],
        on_conflict: OnConflict,
        flow: &Flow<H::Value>,
        ends: &[H::Value],
    ) -> Result<(H::Value, Traces), Error> {
        let patches: Vec<_> = ends.iter().map(|end| self.host.diff(&flow.state, end)).collect();
        let traces = patches.iter().fold(flow.traces.clone(), |traces, patch| self.traced(&traces, patch));
        for SharedKey { key, first, second } in self.host.shared_keys(&patches) {
            let (Some(first), Some(second)) = (members.get(first), members.get(second)) else { continue };
            let message = format!("`{}` and `{}` both wrote `{key}`", first.name, second.name);
            match on_conflict {
                OnConflict::Warn => self.host.emit(Event::Warning {
                    spot: Some(spot),
                    code: "write_conflict",
                    message: format!("{message}; the value of `{}` stays", second.name),
                }),
                OnConflict::Error => {
                    return Err(Error::new(Code::Conflict, message)
                        .with_hint("let each member of a parallel write keys of its own"));
                }
            }
        }
        Ok((self.host.merge_all(&flow.state, patches), traces))
    }
}
