//! Steps that run others again and again.

use super::container::{Inside, InsideEnd};
use super::flow::{End, Flow, Passed};
use super::plan::{LoopCondition, Node};
use super::walk::{At, STEP_WORK, Walk};
use crate::document::OnMax;
use crate::error::{Code, Error};
use crate::host::Host;

impl<'a, H: Host> Walk<'a, H> {
    /// What the step gives is how many times it ran: `{ "iterations": n }`.
    #[allow(clippy::too_many_arguments, reason = "each is a part of the loop that the plan has taken apart")]
    pub(super) async fn repeat(
        &self,
        node: &'a Node,
        condition: &'a LoopCondition,
        max: u32,
        on_max: OnMax,
        steps: &'a [Node],
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Inside<H::Value> {
        let spot = at.spot(node);
        let key = self.execution_key(spot, at.prefix);
        let mut flow = flow.clone();
        let (mut times, mut exit) = (0, None);
        let ended = loop {
            if let LoopCondition::While(decider) = condition {
                match self.decide(node, decider, &format!("while{times}"), &flow, at).await {
                    Err(error) => return Inside::failed(&flow, error),
                    Ok(false) => break true,
                    Ok(true) => {}
                }
            }
            if times == max {
                break false;
            }
            let prefix = format!("{key}#{times}/");
            let scope = self.round(spot, times, &prefix, steps);
            let block = at.block.begin(&flow.state);
            let inner = At { scope, prefix: &prefix, block: &block, limit: at.limit };
            let passed = self.block(steps, &flow, inner).await;
            match passed.end.behind(node.index) {
                End::Went => {}
                End::Ended(target) => exit = Some(target),
                end => return Inside::of(Passed { end, ..passed }, None),
            }
            flow = passed.flow;
            times += 1;
            if exit.is_some() {
                break true;
            }
            if let LoopCondition::Until(decider) = condition {
                match self.decide(node, decider, &format!("until{times}"), &flow, at).await {
                    Err(error) => return Inside::failed(&flow, error),
                    Ok(true) => break true,
                    Ok(false) => {}
                }
            }
            // A loop over nothing but expressions must let others go first, as a long row of them does.
            self.host.pause(STEP_WORK).await;
        };
        if !ended && on_max == OnMax::Error {
            let message = format!("`{}` has run {max} times and would go on", node.name);
            let hint = "check its condition, raise maxIterations, or write \"onMax\": \"continue\"";
            return Inside::failed(&flow, Error::new(Code::Limit, message).with_hint(hint));
        }
        let output = self.host.value_from_json(crate::literal::json!({ "iterations": u64::from(times) }));
        Inside { flow, end: InsideEnd::Done { output: Some(output), patch: None }, exit }
    }
}
