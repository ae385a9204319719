//! What model calls may use, checked before each of them.

use std::cell::{Cell, RefCell};

use super::journal::Caller;
use super::plan::Ask;
use super::walk::Walk;
use crate::decimal::written;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::host::Host;
use crate::models::{self, ModelSetup, Most, Reply};
pub(super) use crate::usage::tokens;
use crate::usage::{BYTES_A_TOKEN, Usage};

/// How many times what is left of a budget an answer may seem to use: how many tokens a text has is estimated.
const SURELY: usize = 4;

/// The usage of a run's model calls, and the expected usage of those in flight.
#[derive(Debug, Default)]
pub(super) struct Spent {
    used: Cell<Usage>,
    reserved: Cell<Usage>,
    /// The models that were reported to send no usage.
    silent: RefCell<Vec<String>>,
}

impl Spent {
    fn add(cell: &Cell<Usage>, more: Usage) {
        let mut sum = cell.get();
        sum += more;
        cell.set(sum);
    }
}

/// The expected usage of a call in flight; released when it ends.
pub(super) struct Reserved<'s> {
    spent: &'s Spent,
    expected: Usage,
    /// The words after which the answer is over what is left, however they are counted.
    pub(super) most: Option<Most>,
    /// Whether an answer that is over it has used up what all of the run may use, and not only what it may use itself.
    pub(super) ends_run: bool,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut reserved = self.spent.reserved.get();
        reserved.input_tokens = reserved.input_tokens.saturating_sub(self.expected.input_tokens);
        reserved.cost = Some(reserved.cost.unwrap_or_default() - self.expected.cost.unwrap_or_default());
        self.spent.reserved.set(reserved);
    }
}

impl<H: Host> Walk<'_, H> {
    /// Takes note of what a call has used.
    pub(super) fn spend(&self, usage: Usage) {
        Spent::add(&self.spent.used, usage);
    }

    /// Whether anything bounds what this answer of the agent may use.
    pub(super) fn is_limited(&self, ask: &Ask) -> bool {
        let (run, own) = (&self.plan.limits, &ask.limits);
        run.max_tokens.or(own.max_tokens).is_some() || run.max_cost.or(own.max_cost).is_some()
    }

    /// The estimated usage of a call without reported usage: its prompt, and as much of an answer as there is. Nothing
    /// when there is no budget.
    pub(super) fn estimated(
        &self,
        ask: &Ask,
        setup: &ModelSetup,
        reply: &Result<Reply, Error>,
        reserved: &Reserved<'_>,
        caller: &Caller<'_>,
    ) -> Usage {
        if !self.is_limited(ask) {
            return Usage::default();
        }
        match reply {
            Ok(reply) => {
                self.warn_silent(&setup.model.model, caller);
                let used = Usage { cost: None, ..reserved.expected };
                let used = Usage { output_tokens: tokens(reply.bytes()), ..used };
                models::priced(setup, Some(used)).unwrap_or(used)
            }
            // An endpoint that rejects a request charges nothing for it.
            Err(error) if error.after_delta => reserved.expected,
            Err(_) => Usage::default(),
        }
    }

    /// Reports once in a run that the usage of a model is estimated.
    fn warn_silent(&self, model: &str, caller: &Caller<'_>) {
        let mut silent = self.spent.silent.borrow_mut();
        if silent.iter().any(|known| known == model) {
            return;
        }
        silent.push(model.to_owned());
        let message = format!("`{model}` tells no usage: what counts for the limits is estimated");
        self.host.emit(Event::Warning { spot: Some(caller.spot), code: "usage_estimated", message });
    }

    /// Reserves the minimum usage of a prompt of so many bytes.
    ///
    /// # Errors
    /// When that is more than is left of what the run, or this answer of the agent, may use, or when nobody can
    /// know what it costs.
    pub(super) fn afford(
        &self,
        ask: &Ask,
        setup: &ModelSetup,
        bytes: usize,
        own: Usage,
    ) -> Result<Reserved<'_>, Error> {
        let expected = Usage::new(tokens(bytes), 0);
        let expected = models::priced(setup, Some(expected)).unwrap_or(expected);
        let counts_money = self.plan.limits.max_cost.or(ask.limits.max_cost).is_some();
        if counts_money && !models::has_price(setup) {
            return Err(no_price(&setup.model.model));
        }
        let mut run = self.spent.used.get();
        run += self.spent.reserved.get();
        let limits = &self.plan.limits;
        check(run, expected, limits.max_tokens, limits.max_cost, "the model calls of the run", "limits")
            .map_err(Error::ending_run)?;
        let limits = &ask.limits;
        let who = format!("the answer of the agent `{}`", ask.agent);
        check(own, expected, limits.max_tokens, limits.max_cost, &who, "the agent's limits")?;
        Spent::add(&self.spent.reserved, expected);
        let (of_run, price) = (&self.plan.limits, models::least_answer_price(setup));
        let of_run = least(left_of_tokens(of_run.max_tokens, run), left_of_cost(of_run.max_cost, run, price));
        let of_own = least(left_of_tokens(limits.max_tokens, own), left_of_cost(limits.max_cost, own, price));
        let most = least(of_run, of_own);
        Ok(Reserved { spent: &self.spent, expected, most, ends_run: of_own.is_none() || most == of_run })
    }
}

/// The words that surely use what is left of a bound on tokens.
fn left_of_tokens(most: Option<u64>, used: Usage) -> Option<Most> {
    Some(words(most?.saturating_sub(used.tokens()) as usize, "maxTokens"))
}

/// The words that surely cost what is left of a bound on money, where tokens of an answer cost any.
fn left_of_cost(most: Option<f64>, used: Usage, price: Option<f64>) -> Option<Most> {
    let price = price.filter(|price| *price > 0.0)?;
    Some(words(((most? - used.cost.unwrap_or_default()) / price) as usize, "maxCost"))
}

fn least(one: Option<Most>, other: Option<Most>) -> Option<Most> {
    match (one, other) {
        (Some(least), Some(most)) if most.bytes < least.bytes => Some(most),
        _ => one.or(other),
    }
}

fn words(tokens: usize, bound: &'static str) -> Most {
    Most { bytes: tokens.saturating_mul(SURELY * BYTES_A_TOKEN), bound }
}

/// A bound on cost that cannot be kept is worse than none: nothing is called.
fn no_price(model: &str) -> Error {
    Error::new(
        Code::Document,
        format!("maxCost cannot be kept: it is not known what the model `{model}` costs"),
    )
    .with_hint(
        "give the model a price, or the document prices with its name, in US dollars per million tokens",
    )
}

fn check(
    used: Usage,
    expected: Usage,
    max_tokens: Option<u64>,
    max_cost: Option<f64>,
    who: &str,
    whose: &str,
) -> Result<(), Error> {
    let over = |message: String, key: &str| {
        Err(Error::new(Code::Budget, message).with_hint(format!("raise {key} of {whose}, or ask for less")))
    };
    let tokens = used.tokens();
    match max_tokens {
        Some(most) if tokens.saturating_add(expected.tokens()) > most => {
            let next = expected.tokens();
            let message = format!(
                "{who} may use {most} tokens; {tokens} are used, and the next call takes about {next}"
            );
            return over(message, "maxTokens");
        }
        _ => {}
    }
    let (cost, next) = (used.cost.unwrap_or_default(), expected.cost.unwrap_or_default());
    match max_cost {
        Some(most) if cost + next > most => {
            let (most, cost, next) = (written(most), written(cost), written(next));
            let message =
                format!("{who} may cost ${most}; ${cost} is spent, and the next call takes about ${next}");
            over(message, "maxCost")
        }
        _ => Ok(()),
    }
}
