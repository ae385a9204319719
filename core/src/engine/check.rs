//! Values against their schemas.

use std::future::{Future, ready};

use futures_util::future::Either;
use serde_json::Value;

use super::coerce;
use super::coerce::Helped;
use super::flow::Flow;
use super::journal::Caller;
use super::leaf::Answer;
use super::plan::{Coercion, Node, NodeKind, Rule, RuleBy};
use super::walk::{Walk, apart};
use crate::error::{Code, Error, Source};
use crate::host::{Call, Entry, Host, Violation, Wants};
use crate::json;
use crate::literal::json;
use crate::shape::{cut, with_article};
use crate::state::output_key;

/// Violations in one message.
const IN_MESSAGE: usize = 5;

/// Violations that an error lists.
const LISTED: u32 = 50;

/// Characters of a rule that a message shows.
const SHOWN: usize = 200;

impl<'a, H: Host> Walk<'a, H> {
    /// The state as the step sees it, if checking it has changed it.
    pub(super) async fn taken_in(
        &self,
        node: &Node,
        flow: &Flow<H::Value>,
        caller: &Caller<'_>,
    ) -> Result<Option<Flow<H::Value>>, Error> {
        let what = format!("the input of `{}`", node.name);
        let changed =
            self.checked(node.input, &what, &flow.state, caller, ("input", Wants::CheckedKeys)).await?;
        // A schema may leave keys out that it does not know; the step sees them all the same.
        Ok(changed.map(|over| Flow {
            state: self.host.merge(&flow.state, &over),
            whole: flow.whole,
            traces: self.traced(&flow.traces, &over),
            outputs: flow.outputs.clone(),
        }))
    }

    /// What the step gives, checked and perhaps changed by that.
    pub(super) async fn given_out(
        &self,
        node: &Node,
        answer: Answer<H::Value>,
        caller: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Error> {
        let Some(value) = answer.output.as_ref().or(answer.patch.as_ref()) else { return Ok(answer) };
        let what = format!("what `{}` gave", node.name);
        let wants = if answer.output.is_some() { Wants::Checked } else { Wants::CheckedKeys };
        let mut checked = self.checked(node.output, &what, value, caller, ("output", wants)).await;
        if let (NodeKind::Http(_), Some(Rule { by: RuleBy::Function(function), coercion })) =
            (&node.kind, node.output)
            && !self.is_strict()
            && checked.as_ref().is_err_and(|error| error.source == Source::Journal)
        {
            // What was answered is not sent again: the check is, which may be another one now.
            checked = self.judged((function, wants), coercion, &what, value, caller).await.map(Some);
            let (key, fingerprint) =
                (self.key(caller, "output"), self.question_of(function, self.digest_of(value)));
            if let Some(key) = &key {
                let (fingerprints, spot) = (&fingerprint.hex(), caller.spot);
                let answer = checked.as_ref().map(|given| given.as_ref().unwrap_or(value));
                self.keep(Entry { key, spot, fingerprints, answer }).await;
            }
        }
        let changed = checked.map_err(|error| {
            // A model may do better in another call; a function would return the same.
            match node.kind {
                NodeKind::Agent(_) => error.retryable(),
                _ => error,
            }
        })?;
        let Some(changed) = changed else { return Ok(answer) };
        Ok(match answer.output {
            None => Answer { patch: Some(changed), ..answer },
            Some(_) => {
                let under_name = self.host.object(vec![(&output_key(&node.name), changed.clone())]);
                // What the step sets besides stays: a conversation, or what a generator returns.
                let patch = answer.patch.map(|patch| self.host.merge(&patch, &under_name));
                Answer { output: Some(changed), patch, ..answer }
            }
        })
    }

    /// Checks a value, if there is a rule for it; gives what it has become, if the check changes it. The call has its key
    /// and what it has to give.
    pub(super) fn checked<'f>(
        &'f self,
        rule: Option<Rule>,
        what: &'f str,
        value: &'f H::Value,
        caller: &'f Caller<'f>,
        call: (&'f str, Wants),
    ) -> impl Future<Output = Result<Option<H::Value>, Error>> {
        match rule {
            None => Either::Left(ready(Ok(None))),
            Some(rule) => Either::Right(apart(self.fits(rule, what, value, caller, call))),
        }
    }

    async fn fits(
        &self,
        Rule { by, coercion }: Rule,
        what: &str,
        value: &H::Value,
        caller: &Caller<'_>,
        (call, wants): (&str, Wants),
    ) -> Result<Option<H::Value>, Error> {
        match by {
            RuleBy::Schema(schema) => self.fitted(schema, coercion, what, value),
            RuleBy::Function(function) => {
                let question = self.question_of(function, self.digest_of(value));
                let live = Box::pin(self.judged((function, wants), coercion, what, value, caller));
                self.journaled(caller, call, question, live).await.map(Some)
            }
        }
    }

    /// What a function of the host that checks makes of a value.
    ///
    /// # Errors
    /// When the value does not fit.
    pub(super) async fn judged(
        &self,
        (function, wants): (u32, Wants),
        coercion: Coercion,
        what: &str,
        value: &H::Value,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Error> {
        let Caller { spot, attempt, .. } = *caller;
        let judge = async |value: &H::Value| {
            let call = Call { function, wants, spot, attempt, state: value, call_id: None };
            self.host.call(call).await.map(|returned| returned.value)
        };
        let judged = match judge(value).await {
            Err(error) if coercion == Coercion::On => self.converted(value, error, judge).await,
            judged => judged,
        };
        judged.map_err(|error| {
            let message = format!("{what} does not fit its schema: {}", error.message);
            error.with(|failure| {
                failure.message = message;
                failure.details.faults = Vec::new();
            })
        })
    }

    /// What a function of the host that checks says of a value once what it refused has been converted.
    async fn converted(
        &self,
        value: &H::Value,
        refused: Error,
        judge: impl AsyncFn(&H::Value) -> Result<H::Value, Error>,
    ) -> Result<H::Value, Error> {
        let mut trial = coerce::Trial::new(self.json(value), &refused);
        // The violations of the converted value; nothing while they have not been computed.
        let mut wrong = Some(refused);
        while let Some(tried) = trial.next() {
            match judge(&self.host.value_from_json(tried)).await {
                Ok(value) => return Ok(value),
                Err(error) if error.code == Code::Validation => match trial.learn(&error) {
                    Helped::All => wrong = Some(error),
                    Helped::Some => wrong = None,
                    Helped::None => {}
                },
                Err(error) => return Err(error),
            }
        }
        match wrong {
            Some(error) => Err(error),
            None => judge(&self.host.value_from_json(trial.value())).await,
        }
    }

    /// What a value that has to fit a JSON Schema has become, if the check changes it.
    ///
    /// # Errors
    /// When the value does not fit.
    pub(super) fn fitted(
        &self,
        schema: u32,
        coercion: Coercion,
        what: &str,
        value: &H::Value,
    ) -> Result<Option<H::Value>, Error> {
        let known = self.plan.schemas.get(schema as usize);
        let has_defaults = known.is_some_and(|known| known.has_defaults);
        let filled = if has_defaults { self.host.filled(schema, value) } else { None };
        let value = filled.as_ref().unwrap_or(value);
        let mut violations = self.host.violations(schema, value, LISTED)?;
        if violations.is_empty() {
            return Ok(filled);
        }
        let rules = known.map_or(&Value::Null, |known| &known.schema);
        let mut json = self.json(value);
        if coercion == Coercion::On {
            if violations.len() >= LISTED as usize {
                violations = self.host.violations(schema, value, coerce::MOST)?;
            }
            if coerce::coerce(&mut json, rules, &violations) {
                let coerced = self.host.value_from_json(json.clone());
                violations = self.host.violations(schema, &coerced, LISTED)?;
                if violations.is_empty() {
                    return Ok(Some(coerced));
                }
            }
            violations.truncate(LISTED as usize);
        }
        Err(unfit(what, coercion, rules, &json, &violations))
    }
}

/// The error that lists the violations.
fn unfit(what: &str, coercion: Coercion, schema: &Value, value: &Value, violations: &[Violation]) -> Error {
    let sentences: Vec<String> =
        violations.iter().map(|violation| sentence(violation, schema, value)).collect();
    let mut message = format!("{what} does not fit its schema: ");
    for (number, sentence) in sentences.iter().take(IN_MESSAGE).enumerate() {
        message.push_str(if number == 0 { "" } else { "; " });
        message.push_str(sentence);
    }
    if sentences.len() > IN_MESSAGE {
        message.push_str(&format!("; and {} more", sentences.len() - IN_MESSAGE));
    }
    let hint = match coercion {
        Coercion::Off => {
            "change the value, or the schema if the value is right; `coerce: true` converts texts such as \"3\""
        }
        Coercion::On | Coercion::Never => "change the value, or the schema if the value is right",
    };
    let problems = violations.iter().zip(&sentences).map(|(violation, sentence)| {
        json!({
            "path": place_of(violation),
            "code": violation.keyword,
            "message": sentence,
            "hint": hint,
            "severity": "error",
        })
    });
    let problems = problems.collect();
    Error::new(Code::Validation, message)
        .with_hint(hint)
        .with(|failure| failure.details.problems = Some(problems))
}

/// The path of a violation as people write it: `items[0].name`.
fn place_of(violation: &Violation) -> String {
    let mut place = String::new();
    let missing = violation.missing.as_deref();
    for part in violation.at.split('/').skip(1).chain(missing) {
        let part = part.replace("~1", "/").replace("~0", "~");
        match part.parse::<u32>() {
            Ok(index) => place.push_str(&format!("[{index}]")),
            Err(_) if place.is_empty() => place.push_str(&part),
            Err(_) => place.push_str(&format!(".{part}")),
        }
    }
    place
}

fn sentence(violation: &Violation, schema: &Value, value: &Value) -> String {
    let place = place_of(violation);
    let subject = if place.is_empty() { "it".to_owned() } else { format!("`{place}`") };
    let rule = schema.pointer(&violation.rule).unwrap_or(&Value::Null);
    let found = value.pointer(&violation.at).unwrap_or(&Value::Null);
    let keyword = violation.keyword.as_str();
    let known = SENTENCES.iter().find(|(word, ..)| *word == keyword);
    let (_, said, shows_rule, shows_found) = known.unwrap_or(&("", "breaks its rule: ", true, true));
    let rule = match (shows_rule, keyword) {
        (false, _) => String::new(),
        (true, "type") => words(rule),
        // Whoever compares it with what they wrote has one backslash where JSON has two.
        (true, "pattern") => cut(json::text(rule).replace("\\\\", "\\"), SHOWN),
        (true, _) => cut(json::text(rule), SHOWN),
    };
    let found = if *shows_found { format!(", but is {}", shown(found)) } else { String::new() };
    let end = match keyword {
        "minLength" | "maxLength" => " characters",
        "minItems" | "maxItems" => " items",
        _ => "",
    };
    format!("{subject} {said}{rule}{end}{found}")
}

/// By keyword: the wording, and whether the keyword's value and the actual value are appended.
const SENTENCES: &[(&str, &str, bool, bool)] = &[
    ("required", "is missing", false, false),
    ("dependentRequired", "is missing", false, false),
    ("type", "must be ", true, true),
    ("enum", "must be one of ", true, true),
    ("const", "must be ", true, true),
    ("minimum", "must be at least ", true, true),
    ("maximum", "must be at most ", true, true),
    ("exclusiveMinimum", "must be more than ", true, true),
    ("exclusiveMaximum", "must be less than ", true, true),
    ("multipleOf", "must be a multiple of ", true, true),
    ("minLength", "must have at least ", true, false),
    ("maxLength", "must have at most ", true, false),
    ("minItems", "must have at least ", true, false),
    ("maxItems", "must have at most ", true, false),
    ("pattern", "must match ", true, true),
    ("uniqueItems", "has the same item twice", false, false),
    ("anyOf", "fits none of the allowed forms", false, false),
    ("oneOf", "must fit exactly one of the allowed forms", false, false),
    ("not", "is what it must not be", false, false),
    ("additionalProperties", "is not allowed", false, false),
    ("unevaluatedProperties", "is not allowed", false, false),
    ("contains", "has no item that fits `contains`", false, false),
    ("minContains", "has fewer items that fit `contains` than ", true, false),
    ("maxContains", "has more items that fit `contains` than ", true, false),
    ("items", "is one item too many", false, false),
    ("false", "is not allowed", false, false),
];

/// A type of JSON Schema, or several, in words.
fn words(types: &Value) -> String {
    let word = |name: &Value| match name.as_str() {
        Some("integer") => "a whole number".to_owned(),
        Some("object") => "an object".to_owned(),
        Some("array") => "a list".to_owned(),
        Some("null") => "null".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some(other) => with_article(other),
        None => json::text(name),
    };
    match types {
        Value::Array(types) => types.iter().map(word).collect::<Vec<_>>().join(" or "),
        one => word(one),
    }
}

/// A value, short enough for a sentence.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => cut(json::text(other), 60),
    }
}
