//! Workflows inside a workflow.

use super::container::{Inside, InsideEnd};
use super::flow::{End, Flow, STATE};
use super::plan::{Isolated, Node};
use super::reached::Block;
use super::traces::Traces;
use super::walk::{At, Walk};
use crate::error::Error;
use crate::host::Host;
use crate::state::output_key;

impl<'a, H: Host> Walk<'a, H> {
    /// Runs the steps over a separate state; only what the step sets comes out.
    pub(super) async fn inner(
        &self,
        node: &Node,
        inner: &'a Isolated,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Inside<H::Value> {
        let begun = match self.begin_inner(inner, flow).await {
            Ok(begun) => begun,
            Err(error) => return Inside::failed(flow, error),
        };
        let block = Block::new();
        let passed = self.block(&inner.steps, &begun, at.within(&block)).await;
        let end = match passed.end.behind(node.index) {
            End::Stopped(stop) => InsideEnd::Stopped(stop),
            End::Suspended => InsideEnd::Suspended(None),
            End::Went | End::Ended(_) => match self.end_inner(inner, passed.flow).await {
                Ok(output) => {
                    let patch = match &inner.set {
                        Some(_) => output.clone(),
                        None => self.host.object(vec![(&output_key(&node.name), output.clone())]),
                    };
                    InsideEnd::Done { output: Some(output), patch: Some(patch) }
                }
                Err(error) => InsideEnd::Failed(error),
            },
        };
        Inside { flow: flow.clone(), end, exit: None }
    }

    /// What the steps of an inner workflow begin with over what is outside.
    pub(super) async fn begin_inner(
        &self,
        inner: &Isolated,
        flow: &Flow<H::Value>,
    ) -> Result<Flow<H::Value>, Error> {
        let initial = self.host.value_from_json(inner.initial_state.clone().into());
        let begun = self.traced(&Traces::default(), &initial);
        let (given, traces) = match &inner.with {
            None => (flow.state.clone(), begun.with_all_of(&flow.traces)),
            Some(with) => {
                let given = self.patch(with, flow, &flow.state).await?;
                let traces = self.traced(&begun, &given);
                (given, traces)
            }
        };
        let state = self.host.merge(&initial, &given);
        Ok(Flow { traces, ..Flow::over(STATE, state) })
    }

    /// What the inner workflow gives.
    pub(super) async fn end_inner(&self, inner: &Isolated, flow: Flow<H::Value>) -> Result<H::Value, Error> {
        match &inner.set {
            Some(set) => self.patch(set, &flow, &flow.state).await,
            None => Ok(flow.state),
        }
    }
}
