//! Texts in a run whose engine has no templates and expressions.

use super::flow::Flow;
use super::walk::Walk;
use crate::error::Error;
use crate::host::Host;
use crate::language::{Expression, Template};

impl<H: Host> Walk<'_, H> {
    /// The text of a template, which has no tags.
    pub(super) async fn render(
        &self,
        template: &Template,
        _: &str,
        _: &Flow<H::Value>,
        _: &H::Value,
    ) -> Result<String, Error> {
        Ok(template.text().to_owned())
    }

    /// The value of an expression; there is none.
    pub(super) async fn evaluate(
        &self,
        expression: &Expression,
        _: &str,
        _: &Flow<H::Value>,
        _: &H::Value,
    ) -> Result<H::Value, Error> {
        match *expression {}
    }

    /// What a condition gives; there is none.
    pub(super) async fn decision(
        &self,
        condition: &Expression,
        _: &str,
        _: &Flow<H::Value>,
    ) -> Result<bool, Error> {
        match *condition {}
    }

    /// The patch that expressions make; there are none.
    pub(super) async fn patch(
        &self,
        _: &[(String, Expression)],
        _: &Flow<H::Value>,
        _: &H::Value,
    ) -> Result<H::Value, Error> {
        Ok(self.host.object(Vec::new()))
    }
}
