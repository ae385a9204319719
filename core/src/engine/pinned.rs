//! Steps that are not run in a trial: what they give is written in the document.

use serde_json::Value;

use super::journal::Caller;
use super::leaf::Answer;
use super::plan::{Node, NodeKind};
use super::walk::Walk;
use crate::error::Error;
use crate::event::Origin;
use crate::host::Host;
use crate::state::output_key;

impl<H: Host> Walk<'_, H> {
    /// What a pinned step gives: a function its patch, any other step its output.
    ///
    /// Nothing outside is called, so no journal has an entry of it that another run could take for the step's answer.
    ///
    /// # Errors
    /// When the step may not give this.
    pub(super) async fn pinned(
        &self,
        node: &Node,
        pin: &Value,
        caller: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Error> {
        self.pin_given(node, pin, caller).await.map_err(|error| {
            error.with(|failure| {
                // It would be the same in the next attempt.
                failure.retryable = false;
                failure.hint = "correct the pinned output of the step, or remove it".to_owned();
            })
        })
    }

    async fn pin_given(
        &self,
        node: &Node,
        pin: &Value,
        caller: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Error> {
        let given = match &node.kind {
            NodeKind::Agent(ask) => self.pinned_answer(node, ask, pin, caller).await?,
            _ => self.host.value_from_json(pin.clone()),
        };
        let answer = match node.kind {
            NodeKind::Set(_) | NodeKind::Call(_) | NodeKind::Wait(_) => Answer::new(None, Some(given)),
            _ => {
                let patch = self.host.object(vec![(&output_key(&node.name), given.clone())]);
                Answer::new(Some(given), Some(patch))
            }
        };
        self.given_out(node, Answer { origin: Origin::Pinned, ..answer }, caller).await
    }
}
