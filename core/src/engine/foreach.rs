//! Steps that run others once for each item of a list.

use std::cell::Cell;

use super::container::{Halt, Inside, InsideEnd};
use super::flow::{End, Flow, Passed, Reach, Stop};
use super::gather::{After, gather};
use super::plan::{Decider, Each, Node};
use super::reached::Block;
use super::walk::{At, STEP_WORK, Walk};
use crate::document::OnItemError;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::host::{Host, Wants};

/// Items of a list that are looked at one by one. A host holds a handle for each, and all runs of an engine share the
/// room for handles, which ends at eight million.
const MAX_ITEMS: usize = 500_000;

/// How many characters of a value are shown that should be a list.
const SHOWN: usize = 40;

impl<'a, H: Host> Walk<'a, H> {
    pub(super) async fn foreach(
        &self,
        node: &'a Node,
        each: &'a Each,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Inside<H::Value> {
        let spot = at.spot(node);
        let items = match self.items(node, each, flow, at).await {
            Ok(items) => items,
            Err(error) => return Inside::failed(flow, error),
        };
        let survives = |stop: &Stop| {
            stop.reach == Reach::Tolerated
                && matches!(each.on_item_error, OnItemError::Null | OnItemError::Drop)
        };
        let (items, bytes) = (&items, &Cell::new(0));
        let begin = async |place: usize| {
            let Passed { flow, end } =
                self.item(node, each, (place, items.get(place)), bytes, flow, at).await;
            (flow.state, end)
        };
        let after = |(_, end): &(H::Value, End)| match end {
            // It waits for another answer: taken up, the others are found to have gone on beside it.
            End::Stopped(stop) if stop.error.is_misfit() => After::Waits,
            End::Stopped(stop) if !survives(stop) => After::Stop,
            End::Stopped(Stop { exit: Some(_), .. }) | End::Ended(_) => After::Stop,
            End::Went | End::Stopped(_) => After::Next,
            End::Suspended => After::Waits,
        };
        let pause = || self.pause_between();
        let ends = gather(items.len(), Some(each.concurrency), &begin, &after, &pause).await;
        let (mut results, mut halt) = (Vec::with_capacity(ends.len()), Halt::default());
        for (result, end) in ends.into_iter().flatten() {
            match end {
                End::Went => results.push(result),
                End::Ended(target) => {
                    results.push(result);
                    halt.exit(target);
                }
                End::Suspended => halt.suspend(),
                End::Stopped(stop) if !survives(&stop) => {
                    // Steps emit their failures themselves; the foreach emits its own when it ends.
                    if let Some(Stop { error, .. }) = halt.stop(stop).filter(|stop| stop.spot == spot) {
                        self.host.emit(Event::ItemError { spot, error });
                    }
                }
                End::Stopped(Stop { exit, .. }) => {
                    if let Some(target) = exit {
                        halt.exit(target);
                    }
                    if each.on_item_error == OnItemError::Null {
                        results.push(self.host.value_from_json(serde_json::Value::Null));
                    }
                }
            }
        }
        let exit = halt.exit;
        let end = halt.end(node).unwrap_or_else(|| {
            let output = self.host.list(results);
            let patch = self.host.object(vec![(&each.output_key, output.clone())]);
            InsideEnd::Done { output: Some(output), patch: Some(patch) }
        });
        Inside { flow: flow.clone(), end, exit }
    }

    async fn items(
        &self,
        node: &Node,
        each: &Each,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Result<Vec<H::Value>, Error> {
        let list = match &each.items {
            Decider::Expression(items) => self.evaluate(items, "`items`", flow, &flow.state).await?,
            Decider::Function(function) => {
                self.call_outside(node, *function, Wants::List, "items", flow, at).await?
            }
        };
        self.items_of(&list, 0, "`items`")?.ok_or_else(|| {
            Error::new(Code::Template, format!("`items` gives {} instead of a list", self.shown(&list)))
                .with_hint("name a list of the state, or write one, as in `[a, b]`")
        })
    }

    /// What a value is, with the beginning of it; the host takes secrets out of what is said of it.
    fn shown(&self, value: &H::Value) -> String {
        let text = self.host.json_text(value);
        let begun: String = text.chars().take(SHOWN).collect();
        let kind = match text.as_bytes().first() {
            Some(b'"') => "the text ",
            Some(b'{') => return "an object".to_owned(),
            Some(b'-' | b'0'..=b'9') => "the number ",
            _ => "",
        };
        let end = if begun.len() < text.len() { "…" } else { "" };
        format!("{kind}{begun}{end}")
    }

    /// The values of a list, if it is one and there is room for them beside those that are held already.
    ///
    /// # Errors
    /// When they are too many.
    pub(super) fn items_of(
        &self,
        list: &H::Value,
        held: usize,
        what: &str,
    ) -> Result<Option<Vec<H::Value>>, Error> {
        if self.host.length(list).is_some_and(|length| held.saturating_add(length) > MAX_ITEMS) {
            let message = format!("{what} gives more than {MAX_ITEMS} items, which are the most at once");
            return Err(Error::new(Code::Limit, message).with_hint("take fewer at a time, in several runs"));
        }
        Ok(self.host.items(list))
    }

    /// Runs the steps for one item. The state that comes out is what the item gives, whose bytes count with those that
    /// the others gave.
    async fn item(
        &self,
        node: &'a Node,
        each: &'a Each,
        (place, item): (usize, Option<&H::Value>),
        bytes: &Cell<u64>,
        flow: &Flow<H::Value>,
        at: At<'_, H::Value>,
    ) -> Passed<H::Value> {
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        let spot = at.spot(node);
        let prefix = format!("{}#{number}/", self.execution_key(spot, at.prefix));
        let scope = self.round(spot, number, &prefix, &each.steps);
        let index = self.host.value_from_json(number.into());
        let mut given = vec![(each.index_key.as_str(), index)];
        given.extend(item.map(|item| (each.item_key.as_str(), item.clone())));
        let given = self.host.object(given);
        let traces = self.traced(&flow.traces, &given);
        let state = self.host.merge(&flow.state, &given);
        let before = state.clone();
        let begun = Flow { state, traces, outputs: flow.outputs.clone(), ..*flow };
        // What an item changes stays with it until all have ended.
        let block = Block::new();
        let inner = At { scope, prefix: &prefix, block: &block, limit: at.limit };
        let mut passed = self.block(&each.steps, &begun, inner).await;
        self.host.pause(STEP_WORK).await;
        passed.end = passed.end.behind(node.index);
        if matches!(passed.end, End::Went | End::Ended(_)) {
            let reached = &passed.flow.state;
            let result = match &each.result {
                None => Ok(self.host.diff(&before, reached)),
                Some(result) => {
                    let what = format!("`result` of item {number}");
                    self.evaluate(result, &what, &passed.flow, reached).await
                }
            };
            let counted = |result: H::Value| {
                bytes.set(self.within_state(bytes.get(), &result)?);
                Ok(result)
            };
            match result.and_then(counted) {
                Ok(result) => passed.flow.state = result,
                Err(error) => {
                    let (name, reach) = (node.name.clone(), Reach::of(&error));
                    if each.on_item_error != OnItemError::Stop && reach == Reach::Tolerated {
                        self.host.emit(Event::ItemError { spot, error: error.clone() });
                    }
                    let exit = match passed.end {
                        End::Ended(target) => Some(target),
                        _ => None,
                    };
                    passed.end = End::Stopped(Stop { error, spot, name, reach, exit });
                }
            }
        }
        passed
    }
}
