//! Templates and expressions: whether they can be read, and what they name.

pub(super) use super::reads::check as check_reads;

use super::javascript;
use super::walk::Mention;
use crate::json;
use crate::language::{Expression, SyntaxError, Template};
use crate::letters;
use crate::problem::{Problem, Problems};
use crate::shape::Role;
use crate::state::output_key;

/// Templates and expressions that cannot be read.
pub(super) fn check(mentions: &[Mention<'_>], problems: &mut Problems) {
    for mention in mentions {
        let (code, hint, read) = match mention.role {
            Role::Template => (
                "template_syntax",
                "close every `{{` with `}}` and every `{%` with `%}`",
                Template::parse(mention.text).map(drop),
            ),
            Role::Expression => (
                "expression_syntax",
                "write an expression such as `score >= 3 and topic != ''`; a text stands in quotes: `'Hello ' ~ topic`",
                Expression::parse(mention.text).map(drop),
            ),
            _ => continue,
        };
        if let Err(SyntaxError { message, hint: own, span }) = read {
            let hint =
                javascript::hint(mention.role, mention.text).or(own).unwrap_or_else(|| hint.to_owned());
            let message = match span.line(mention.text) {
                1 => message,
                line => format!("{message} (line {line})"),
            };
            problems.push(Problem::error(mention.path.render(), code, message, hint));
        } else if javascript::reads_length(mention.role, mention.text) {
            problems.push(Problem::warning(
                mention.path.render(),
                "length_as_key",
                "`.length` is a key of that name, which lists and texts do not have",
                "write `topics | length` for how many there are, and `box['length']` for a key that is called so",
            ));
        }
    }
}

/// The kinds of step that leave something under a key with their name.
const ANSWERING: [&str; 5] = ["agent", "http", "foreach", "workflow", "approval"];

/// Names of steps by which templates cannot name what the steps answered.
pub(super) fn check_names(mentions: &[Mention<'_>], problems: &mut Problems) {
    for mention in mentions {
        if mention.role == Role::StepName
            && ANSWERING.contains(&mention.kind)
            && !letters::is_name(mention.text)
        {
            let key = output_key(mention.text);
            problems.push(Problem::warning(
                mention.path.render(),
                "not_an_identifier",
                format!("templates cannot name the answer of `{}` plainly", mention.text),
                format!(
                    "write state[{}] there, or use letters, digits and `_` in the name",
                    json::text(&key)
                ),
            ));
        }
    }
}
