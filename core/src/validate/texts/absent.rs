//! What is said of templates and expressions where nothing can read them.

use super::walk::Mention;
use crate::document::Document;
use crate::language::{Expression, SyntaxError, Template};
use crate::problem::{Problem, Problems};
use crate::shape::Role;

/// Templates and expressions; a template that is a plain text is none.
pub(super) fn check(mentions: &[Mention<'_>], problems: &mut Problems) {
    for mention in mentions {
        let read = match mention.role {
            Role::Template => Template::parse(mention.text).map(drop),
            Role::Expression => Expression::parse(mention.text).map(drop),
            _ => continue,
        };
        if let Err(SyntaxError { message, hint }) = read {
            problems.push(Problem::error(mention.path.render(), "no_language", message, hint));
        }
    }
}

/// No template names what a step answered.
pub(super) fn check_names(_: &[Mention<'_>], _: &mut Problems) {}

/// No template names anything.
pub(super) fn check_reads(_: &Document, _: &mut Problems) {}
