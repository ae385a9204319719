//! Templates and expressions in a run: over which names they are evaluated, and what becomes of what they give.

use super::flow::Flow;
use super::walk::Walk;
use crate::error::{Code, Error};
use crate::host::Host;
use crate::language::{
    DEFAULT_FUEL, Evaluated, Expression, Fault, FaultKind, Given, Scope as Names, Template,
};

impl<H: Host> Walk<'_, H> {
    /// The text of a template.
    pub(super) async fn render(
        &self,
        template: &Template,
        what: &str,
        flow: &Flow<H::Value>,
        state: &H::Value,
    ) -> Result<String, Error> {
        // Others may have used up the turn.
        self.host.pause(0).await;
        let evaluated = template.render(&self.names(flow, state));
        self.rendered_text(evaluated, what).await
    }

    /// The address of a template, in which values are encoded for their position.
    pub(super) async fn address(
        &self,
        template: &Template,
        what: &str,
        flow: &Flow<H::Value>,
        state: &H::Value,
    ) -> Result<String, Error> {
        self.host.pause(0).await;
        let evaluated = template.render_address(&self.names(flow, state));
        self.rendered_text(evaluated, what).await
    }

    async fn rendered_text(
        &self,
        Evaluated { result, fuel }: Evaluated<String>,
        what: &str,
    ) -> Result<String, Error> {
        self.host.pause(fuel).await;
        result.map_err(|fault| fault_error(&fault, what))
    }

    /// The value of an expression.
    pub(super) async fn evaluate(
        &self,
        expression: &Expression,
        what: &str,
        flow: &Flow<H::Value>,
        state: &H::Value,
    ) -> Result<H::Value, Error> {
        let given = self.given(expression, what, flow, state).await?;
        self.taken_over(given, what)
    }

    /// What a condition gives: true or false. `what` is what messages call it.
    pub(super) async fn decision(
        &self,
        condition: &Expression,
        what: &str,
        flow: &Flow<H::Value>,
    ) -> Result<bool, Error> {
        match self.given(condition, what, flow, &flow.state).await? {
            Given::Made(serde_json::Value::Bool(decision)) => Ok(decision),
            other => Err(self.undecided(what, condition.source(), &self.taken_over(other, what)?)),
        }
    }

    /// The error of a condition that gives neither true nor false.
    fn undecided(&self, what: &str, source: &str, given: &H::Value) -> Error {
        let given: String = self.host.json_text(given).chars().take(200).collect();
        Error::new(Code::Template, format!("{what} `{source}` gives {given}"))
            .with_hint("it must give true or false; compare, as in `count > 0` or `text != ''`")
    }

    /// What an expression gives: what it has made, or a value of the host.
    async fn given(
        &self,
        expression: &Expression,
        what: &str,
        flow: &Flow<H::Value>,
        state: &H::Value,
    ) -> Result<Given, Error> {
        self.host.pause(0).await;
        let Evaluated { result, fuel } = expression.evaluate(&self.names(flow, state));
        self.host.pause(fuel).await;
        result.map_err(|fault| fault_error(&fault, what))
    }

    /// What an expression gave as a value of the host. What it only names is not copied.
    fn taken_over(&self, given: Given, what: &str) -> Result<H::Value, Error> {
        match given {
            Given::Made(json) => Ok(self.host.value_from_json(json)),
            Given::Kept(view) => match view.host_value().and_then(|value| value.downcast_ref::<H::Value>()) {
                Some(value) => Ok(value.clone()),
                None => Err(Error::new(Code::Internal, format!("{what} gave a value of another host"))),
            },
        }
    }

    fn names(&self, flow: &Flow<H::Value>, state: &H::Value) -> Names {
        Names {
            state: self.host.template_view(state),
            whole: flow.whole,
            outputs: flow.outputs.view(),
            intrinsics: self.host.intrinsics(),
            fuel: self.plan.limits.template_fuel.unwrap_or(DEFAULT_FUEL),
        }
    }

    /// The patch that expressions make.
    pub(super) async fn patch(
        &self,
        set: &[(String, Expression)],
        flow: &Flow<H::Value>,
        state: &H::Value,
    ) -> Result<H::Value, Error> {
        let mut patch = Vec::with_capacity(set.len());
        let mut bytes = 0;
        for (key, expression) in set {
            let what = format!("the expression for `{key}`");
            let value = self.evaluate(expression, &what, flow, state).await?;
            bytes = self.within_state(bytes, &value)?;
            patch.push((key.as_str(), value));
        }
        Ok(self.host.object(patch))
    }
}

/// The error of a step whose template or expression gave no value.
fn fault_error(Fault { kind, message, instead, .. }: &Fault, what: &str) -> Error {
    match kind {
        FaultKind::Missing => {
            let error = Error::new(Code::Template, format!("{what} has no value: {message}"));
            let Some(instead) = instead else {
                return error
                    .with_hint("check the names, and write `| default('')` behind what may be absent");
            };
            // What a foreach goes through is a list.
            let instead = if what == "`items`" { &instead.replace("''", "[]") } else { instead };
            error.with_hint(format!("check the names; write `{instead}` for what may be absent"))
        }
        FaultKind::Wrong => Error::new(Code::Template, format!("{what} has no value: {message}")).with_hint(
            match message.starts_with("tried to use + ") && message.contains("string") {
                true => "write `~` for `+`: it joins texts with other values",
                false => "check which kinds of values it works on, and the names of filters",
            },
        ),
        FaultKind::Limit => Error::new(Code::Limit, format!("{what} was stopped: {message}"))
            .with_hint("make it do less, or raise limits.templateFuel"),
        FaultKind::Size => Error::new(Code::Limit, format!("{what} was stopped: {message}"))
            .with_hint("make less of it: this bound is the same for every workflow"),
    }
}
