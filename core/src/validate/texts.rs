//! Templates and expressions: whether they can be read, and what they name.

pub(super) use super::reads::check as check_reads;

use super::javascript;
use super::walk::Mention;
use crate::json;
use crate::language::{Expression, OPERATORS, SyntaxError, Template};
use crate::letters;
use crate::problem::{Fix, Problem, Problems};
use crate::shape::{Keys, Role};
use crate::state::output_key;

/// Bytes that the expressions of a document and the tags of its templates may have together: reading them, before a run as
/// well, holds the thread.
const MAX_READ: usize = 1_000_000;

/// Templates and expressions that cannot be read.
pub(super) fn check(mentions: &[Mention<'_>], problems: &mut Problems) {
    let mut room = MAX_READ;
    for mention in mentions {
        let length = match mention.role {
            Role::Template => length_of_tags(mention.text),
            Role::Expression => mention.text.len(),
            _ => continue,
        };
        let Some(rest) = room.checked_sub(length) else {
            let message = format!(
                "the expressions and tags up to here have more than {MAX_READ} bytes; {MAX_READ} are the most"
            );
            problems.push(Problem::error(
                mention.path.render(),
                "too_large",
                message,
                "give data to a run in its state, and compute in functions",
            ));
            return;
        };
        room = rest;
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
            let path = mention.path.render();
            let problem = match prose(mention, &path) {
                Some(text) => Problem::error(
                    path,
                    code,
                    "a text stands in quotes",
                    "put it in quotes, or write an expression such as `'Hello ' ~ topic`",
                )
                .with_fix(Some(Fix { label: "put it in quotes".to_owned(), text: quoted(text) })),
                None => Problem::error(path, code, message, hint),
            };
            problems.push(problem);
        } else if let Some([code, message, hint]) = javascript::misread(mention.role, mention.text) {
            problems.push(Problem::warning(mention.path.render(), code, message, hint));
        }
    }
}

/// How many bytes of a template are tags, with their braces but the last.
fn length_of_tags(text: &str) -> usize {
    let mut length = 0;
    let mut is_open = false;
    for byte in text.bytes() {
        is_open |= byte == b'{';
        length += usize::from(is_open);
        is_open &= byte != b'}';
    }
    length
}

/// What a function sets, where that is plain words and no attempt at an expression. In a condition, words that were put in
/// quotes would be true whatever they say.
fn prose<'m>(mention: &Mention<'m>, path: &str) -> Option<&'m str> {
    let text = mention.text.trim();
    let is_of_word =
        |letter: char| letters::goes_on(letter) || MARKS.contains(letter) || DASHES.contains(letter);
    let mut last = "";
    let are_words = text.split(GAPS).all(|word| {
        last = word;
        !word.starts_with(|first| MARKS.contains(first)) && word.chars().all(is_of_word)
    });
    let is_prose =
        are_words && text.starts_with(letters::begins) && last.len() < text.len() && text.len() <= LONGEST;
    let is_set = mention.role == Role::Expression && path.contains(".run.set");
    // Behind an operator more of an expression may be on its way.
    (is_set && is_prose && !OPERATORS.contains(&last)).then_some(text)
}

/// The longest text that is taken for plain words: more than that is a chain of operators as well.
const LONGEST: usize = 4000;

/// What stands between words.
const GAPS: [char; 2] = [' ', '\n'];

/// What stands between words too, and between no operands but for the first.
const DASHES: &str = "-–—…";

/// What stands in and behind words.
const MARKS: &str = ".,;:?!'’";

/// Words as a text of the language.
fn quoted(text: &str) -> String {
    let is_plain = !text.contains('\'') && !text.contains(char::is_control);
    if is_plain { format!("'{text}'") } else { json::text(text) }
}

/// The kinds of step that leave something under a key with their name.
const ANSWERING: [&str; 5] = ["agent", "http", "foreach", "workflow", "approval"];

/// Names that are keys of the state, and mean something else in a template.
const MEANT: [&str; 7] = ["true", "True", "false", "False", "none", "None", "state"];

/// Names of steps by which templates cannot name what the steps answered, and keys that they cannot name.
pub(super) fn check_names(mentions: &[Mention<'_>], problems: &mut Problems) {
    for mention in mentions {
        let key = mention.text;
        if (mention.role == Role::StateKey || mention.defines == Some(Keys::State))
            && (!letters::is_name(key) || OPERATORS.contains(&key) || MEANT.contains(&key))
        {
            problems.push(Problem::warning(
                mention.path.render(),
                "not_an_identifier",
                format!("templates cannot name `{key}` plainly"),
                format!(
                    "write state[{}] there, or use another name of letters, digits and `_`",
                    json::text(key)
                ),
            ));
        }
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

#[cfg(test)]
mod tests {
    use crate::validate::validate;

    #[test]
    fn words_that_a_function_sets_are_put_in_quotes() {
        let fix = |text: &str| {
            let document = serde_json::json!({ "version": 1, "name": "t", "steps": [
                { "id": "s1", "type": "function", "name": "f", "run": { "set": { "reply": text } } } ] });
            let problems = validate(&document.to_string()).problems;
            let problem = problems.into_iter().find(|problem| problem.code == "expression_syntax")?;
            assert_eq!(problem.fix.is_some(), problem.message == "a text stands in quotes", "{text}");
            Some(problem.fix?.text)
        };
        let refused = "Sorry, a person refused this answer.";
        assert_eq!(fix(refused), Some(format!("'{refused}'")));
        assert_eq!(fix(" It's too late! ").as_deref(), Some("\"It's too late!\""));
        assert_eq!(fix("Two\nlines").as_deref(), Some(r#""Two\nlines""#));
        for text in [
            &fix(refused).unwrap(),
            "\"It's too late!\"",
            "count +",
            "1 2",
            "a if b",
            "a if b else",
            &format!("{} true", "not ".repeat(5000)),
            "'a' b",
            "a [b",
        ] {
            assert_eq!(fix(text), None, "{text}");
        }
    }

    #[test]
    fn a_document_has_as_much_to_read_as_holds_the_thread_for_no_seconds() {
        let found = |text: &str, count: usize| {
            let steps: Vec<_> = (0..count).map(|number| serde_json::json!({ "id": format!("s{number}"), "type": "approval", "name": "ask", "message": text })).collect();
            let document = serde_json::json!({ "version": 1, "name": "t", "steps": steps });
            validate(&document.to_string()).problems.into_iter().find(|problem| problem.code == "too_large")
        };
        let tags = "{{1}}".repeat(100_000);
        assert_eq!(found(&tags, 2), None);
        let problem = found(&tags, 3).unwrap();
        assert_eq!(problem.path, "steps[2].message");
        assert_eq!(
            problem.message,
            "the expressions and tags up to here have more than 1000000 bytes; 1000000 are the most"
        );
        // What is no tag takes no time to read.
        assert_eq!(found(&"a word } ".repeat(100_000), 4), None);
        let long = "x".repeat(1990);
        let sets: serde_json::Map<_, _> =
            (0..600).map(|key| (format!("k{key}"), long.as_str().into())).collect();
        let document = serde_json::json!({ "version": 1, "name": "t", "steps": [
            { "id": "s", "type": "function", "name": "f", "run": { "set": sets } } ] });
        let problem = validate(&document.to_string()).problems.remove(0);
        assert_eq!((problem.code, problem.path.as_str()), ("too_large", "steps[0].run.set.k502"));
    }

    #[test]
    fn a_key_that_stands_twice_is_told() {
        let text =
            "{ \"version\": 1, \"name\": \"t\", \"steps\": [],\n \"initialState\": { \"a\": 1, \"a\": 2 } }";
        let problem = validate(text).problems.remove(0);
        assert_eq!(
            (problem.code, &*problem.message),
            ("duplicate_key", "a key stands here that its object has already at line 2 column 28")
        );
        assert_eq!(validate(&text.replace("\"a\": 2", "\"b\": 2")).problems, []);
    }

    #[test]
    fn keys_that_templates_cannot_name_are_told() {
        let document = serde_json::json!({ "version": 1, "name": "t",
            "input": { "properties": { "with space": {}, "größe": {}, "none": {} } },
            "initialState": { "1x": 1, "steps": 2, "": 3 },
            "steps": [
                { "id": "s1", "type": "foreach", "name": "each", "items": "[1]", "as": "if", "steps": [] },
                { "id": "s2", "type": "foreach", "name": "other", "items": "[1]", "as": "item_2", "steps": [] },
                { "id": "s3", "type": "function", "name": "f", "run": { "set": { "a b": "1" } } } ] });
        let found = validate(&document.to_string()).problems;
        let told: Vec<_> = found.iter().map(|problem| (&*problem.path, &*problem.message)).collect();
        assert_eq!(
            told,
            [
                ("input.properties[\"with space\"]", "templates cannot name `with space` plainly"),
                ("input.properties.none", "templates cannot name `none` plainly"),
                ("initialState.1x", "templates cannot name `1x` plainly"),
                ("initialState[\"\"]", "templates cannot name `` plainly"),
                ("steps[0].as", "templates cannot name `if` plainly"),
                ("steps[2].run.set[\"a b\"]", "templates cannot name `a b` plainly"),
            ]
        );
        assert_eq!(
            found[0].hint,
            "write state[\"with space\"] there, or use another name of letters, digits and `_`"
        );
        let forbidden = r#"{ "version": 1, "name": "t", "initialState": { "__proto__": 1 }, "steps": [
            { "id": "s1", "type": "foreach", "name": "each", "items": "[1]", "as": "__proto__", "steps": [] } ] }"#;
        let codes: Vec<_> = validate(forbidden).problems.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, ["forbidden_key", "forbidden_key"]);
    }

    #[test]
    fn words_behind_a_name_are_no_missing_brace() {
        let hint = |text: &str| {
            let document = serde_json::json!({ "version": 1, "name": "t", "steps": [
                { "id": "s1", "type": "approval", "name": "ask", "message": text } ] });
            validate(&document.to_string()).problems.remove(0).hint
        };
        assert!(hint("Sort {{ mail into }}").starts_with("behind a value stands"));
        assert!(hint("Sort {{ mail").starts_with("close every"));
        assert_eq!(hint("{{ if }}"), "a value stands here; a key of that name is `state['if']`");
    }
}
