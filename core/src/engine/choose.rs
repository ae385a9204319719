//! Steps that take one of several ways.

use super::container::{Inside, InsideEnd};
use super::flow::Flow;
use super::plan::{Decider, Node};
use super::walk::{At, Walk};
use crate::host::Host;

impl<'a, H: Host> Walk<'a, H> {
    pub(super) async fn condition(
        &self,
        node: &'a Node,
        condition: &Decider,
        steps: &'a [Node],
        otherwise: &'a [Node],
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Inside<H::Value> {
        match self.decide(node, condition, "condition", flow, at).await {
            Err(error) => Inside::failed(flow, error),
            Ok(false) if otherwise.is_empty() => {
                let end = InsideEnd::Skipped { reason: "the condition is false" };
                Inside { flow: flow.clone(), end, exit: None }
            }
            Ok(decision) => {
                let output = Some(self.host.value_from_json(decision.into()));
                let taken = if decision { steps } else { otherwise };
                let block = at.block.begin(&flow.state);
                Inside::of(self.block(taken, flow, at.within(&block)).await, output)
            }
        }
    }

    /// Takes the first case that is true. Its number is what the step gives; `default` when none is.
    pub(super) async fn switch(
        &self,
        node: &'a Node,
        cases: &'a [(Decider, Vec<Node>)],
        default: &'a [Node],
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Inside<H::Value> {
        let mut taken = (default, "default".into());
        for (number, (when, steps)) in cases.iter().enumerate() {
            match self.decide(node, when, &format!("case{number}"), flow, at).await {
                Err(error) => return Inside::failed(flow, error),
                Ok(false) => {}
                Ok(true) => {
                    taken = (steps, number.into());
                    break;
                }
            }
        }
        let (steps, output) = taken;
        let block = at.block.begin(&flow.state);
        let passed = self.block(steps, flow, at.within(&block)).await;
        Inside::of(passed, Some(self.host.value_from_json(output)))
    }
}
