use std::collections::BTreeMap;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::event::Event;
use super::plan::Node;
use super::walk::{Inside, Passed, Stop, Walk};
use super::{Code, Error, Host, StepIndex};
use crate::document::OnConflict;

impl<'a, H: Host> Walk<'a, H> {
    /// Runs the members from the same state and merges what each changed in their declared order.
    pub(super) async fn fork(
        &self,
        step: StepIndex,
        members: &'a [Node],
        concurrency: Option<u32>,
        on_conflict: OnConflict,
        state: H::Value,
    ) -> (Inside<H::Value>, Passed<H::Value>) {
        let (ends, stop) = self.members(members, concurrency, &state).await;
        let mut writers: BTreeMap<String, &str> = BTreeMap::new();
        let mut patches = Vec::with_capacity(ends.len());
        for (member, end) in members.iter().zip(&ends) {
            let Some(end) = end else { continue };
            let patch = self.host.diff(&state, end);
            for key in self.host.keys(&patch) {
                if let Some(first) = writers.get(&key) {
                    let message = format!("`{first}` and `{}` both wrote `{key}`", member.name);
                    match on_conflict {
                        OnConflict::Warn => {
                            let message = format!("{message}; the value of `{}` stays", member.name);
                            self.host.emit(Event::Warning {
                                step: Some(step),
                                code: "write_conflict",
                                message,
                            });
                        }
                        OnConflict::Error => {
                            let error = Error::new(Code::Conflict, message)
                                .with_hint("let each member of a parallel write keys of its own");
                            return (Inside::Failed(error), Passed { state, stop: None });
                        }
                    }
                }
                writers.insert(key, &member.name);
            }
            patches.push(patch);
        }
        let merged = self.host.merge_all(&state, patches);
        (Inside::Done { output: None }, Passed { state: merged, stop })
    }

    /// The state in which each member ended, and the failure of the first declared member that failed.
    async fn members(
        &self,
        members: &'a [Node],
        concurrency: Option<u32>,
        state: &H::Value,
    ) -> (Vec<Option<H::Value>>, Option<Stop>) {
        let limit = concurrency.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        let mut waiting = members.iter().enumerate();
        let mut running = FuturesUnordered::new();
        let mut ends: Vec<Option<H::Value>> = members.iter().map(|_| None).collect();
        let mut first_stop: Option<(usize, Stop)> = None;
        loop {
            while running.len() < limit {
                let Some((place, member)) = waiting.next() else { break };
                let from = state.clone();
                running.push(async move { (place, self.step(member, from).await) });
            }
            let Some((place, passed)) = running.next().await else { break };
            if let Some(end) = ends.get_mut(place) {
                *end = Some(passed.state);
            }
            // Members finish in any order; the failure that is told does not depend on it.
            if let Some(stop) = passed.stop
                && first_stop.as_ref().is_none_or(|(earlier, _)| place < *earlier)
            {
                first_stop = Some((place, stop));
            }
        }
        (ends, first_stop.map(|(_, stop)| stop))
    }
}
