use std::ops::ControlFlow;

use super::container::{Halt, Inside, InsideEnd};
use super::event::Event;
use super::flow::{End, Flow, Passed};
use super::gather::{Under, gather};
use super::plan::Node;
use super::walk::{At, Walk};
use super::{Code, Error, Host, SharedKey};
use crate::document::OnConflict;

impl<'a, H: Host> Walk<'a, H> {
    /// Runs the members from the same state and merges what each changed in their declared order.
    pub(super) async fn parallel(
        &self,
        node: &Node,
        members: &'a [Node],
        concurrency: Option<u32>,
        on_conflict: OnConflict,
        flow: Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Inside<H::Value> {
        let spot = at.spot(node);
        let (ends, halt) = self.members(members, concurrency, &flow, at).await;
        let mut writers = Vec::with_capacity(ends.len());
        let mut patches = Vec::with_capacity(ends.len());
        let (mut digest, mut outputs) = (flow.digest, flow.outputs.clone());
        for (member, end) in members.iter().zip(&ends) {
            let Some(end) = end else { continue };
            let patch = self.host.diff(&flow.state, &end.state);
            digest = self.traced(digest, &patch);
            outputs = outputs.joined(&end.outputs);
            writers.push(&member.name);
            patches.push(patch);
        }
        for SharedKey { key, first, second } in self.host.shared_keys(&patches) {
            let (Some(first), Some(second)) = (writers.get(first), writers.get(second)) else { continue };
            let message = format!("`{first}` and `{second}` both wrote `{key}`");
            match on_conflict {
                OnConflict::Warn => self.host.emit(Event::Warning {
                    spot: Some(spot),
                    code: "write_conflict",
                    message: format!("{message}; the value of `{second}` stays"),
                }),
                OnConflict::Error => {
                    let error = Error::new(Code::Conflict, message)
                        .with_hint("let each member of a parallel write keys of its own");
                    return Inside::failed(flow, error);
                }
            }
        }
        let state = self.host.merge_all(&flow.state, patches);
        let end = halt.end(node).unwrap_or(InsideEnd::Done { output: None, patch: None });
        Inside { flow: Flow { state, digest, outputs }, end }
    }

    /// What flows out of each member, and what keeps the parallel from being done.
    async fn members(
        &self,
        members: &'a [Node],
        concurrency: Option<u32>,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> (Vec<Option<Flow<H::Value>>>, Halt) {
        let mut ends: Vec<Option<Flow<H::Value>>> = members.iter().map(|_| None).collect();
        let mut halt = Halt::default();
        let blocks = at.block.begin_members(&flow.state, members.len());
        let blocks = &blocks;
        let begin = |place: usize| -> Under<'_, Passed<H::Value>> {
            Box::pin(async move {
                let (Some(member), Some(block)) = (members.get(place), blocks.get(place)) else {
                    return (place, flow.clone().went());
                };
                let passed = self.step(member, flow.clone(), at.within(block)).await;
                block.set(&passed.flow.state);
                (place, passed)
            })
        };
        gather(members.len(), concurrency, &begin, &mut |place, Passed { flow, end }| {
            if let Some(slot) = ends.get_mut(place) {
                *slot = Some(flow);
            }
            match end {
                End::Went => {}
                End::Suspended => halt.suspend(),
                End::Stopped(stop) => halt.stop(place, stop),
            }
            ControlFlow::Continue(())
        })
        .await;
        (ends, halt)
    }
}
