//! What an endpoint says in its own words, whatever form it gives them.

use serde_json::Value;

use crate::json;
use crate::shape::cut;

/// What the body of a refusal says.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// What a person can read.
    pub(super) text: String,
    /// The words for machines in it, and the text, all in lower case.
    pub(super) signs: String,
    /// The status in it. Gateways pass on errors of others, and streams have no separate status.
    pub(super) status: Option<u16>,
    /// The wait before the next call, as the endpoint writes it.
    pub(super) delay: Option<String>,
}

/// Characters of an endpoint's own message that are quoted.
const QUOTED: usize = 300;

/// Errors within errors that are looked into.
const DEPTH: usize = 8;

/// Keys whose texts are words for machines.
const SIGNS: [&str; 6] = ["type", "code", "status", "reason", "quotaId", "error_type"];

/// What endpoints speak of that do not take the form of an answer, or that do not say why they refuse a question;
/// separated by `|`, in lower case.
const FORM: &str = "schema|grammar|for format|requested param|format|json|structured|guided|output_config|\
    controlled generation|invalid argument|bad request|invalid request|invalid params\"|invalid api param|调用参数有误|\
    at '/' not met|provider returned error|upstream|status code";

/// How many of them say so also with the statuses of servers that fail at it, and of gateways that find nobody who does it.
const ANYWHERE: usize = 4;

impl Words {
    /// The words in the body of an answer.
    pub(super) fn of_body(body: &str) -> Self {
        match json::read(body) {
            Ok(json) => Self::of(&json),
            // A page of HTML says nothing that a person could use.
            Err(_) if body.trim_start().starts_with('<') => Self::default(),
            Err(_) => Self::plain(body),
        }
    }

    /// The words in an error that is JSON.
    pub(super) fn of(json: &Value) -> Self {
        let mut words = Self::default();
        words.collect(json, DEPTH);
        // An error of any other form is quoted as it is, if it is not empty.
        let whole = || Some(json::text(json)).filter(|whole| whole.len() > 2);
        words.text = quoted(&text_of(json, DEPTH).or_else(whole).unwrap_or_default());
        words.signs.push_str(&words.text);
        words.signs.make_ascii_lowercase();
        words
    }

    /// Whether they may be about the form that was demanded of an answer. Where that stands may be outside of the text.
    pub(super) fn may_be_of_form(&self, status: u16, body: &str) -> bool {
        let signs = match status {
            400 | 422 if self.text.is_empty() => return true,
            400 | 422 => usize::MAX,
            404 | 500 => ANYWHERE,
            _ => 0,
        };
        // Some call the whole request so.
        let body = body.to_ascii_lowercase().replace("json payload", "");
        FORM.split('|').take(signs).any(|sign| body.contains(sign))
    }

    fn plain(body: &str) -> Self {
        let text = quoted(body);
        Self { signs: text.to_ascii_lowercase(), text, ..Self::default() }
    }

    /// Takes note of what is meant for machines, wherever it stands.
    fn collect(&mut self, json: &Value, depth: usize) {
        if depth == 0 {
            return;
        }
        if let Value::Array(items) = json {
            items.iter().for_each(|item| self.collect(item, depth - 1));
        }
        for (key, value) in json.as_object().into_iter().flatten() {
            match value {
                Value::String(text) if SIGNS.contains(&key.as_str()) => {
                    self.signs.push_str(text);
                    self.signs.push('\n');
                }
                Value::String(text)
                    if key == "retryDelay" || key.eq_ignore_ascii_case("x-ratelimit-reset") =>
                {
                    self.delay.get_or_insert_with(|| text.clone());
                }
                Value::Number(number)
                    if ["code", "status", "status_code", "statusCode"].contains(&key.as_str()) =>
                {
                    let status = number.as_u64().and_then(|number| u16::try_from(number).ok());
                    self.status = self.status.or(status.filter(|status| (400..600).contains(status)));
                }
                other => self.collect(other, depth - 1),
            }
        }
    }
}

/// The sentence that a person can read.
fn text_of(error: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let message = match error {
        Value::String(text) => Some(text.clone()),
        // Several faults of a request, or an error in a list.
        Value::Array(errors) => {
            let texts: Vec<String> = errors.iter().filter_map(|error| text_of(error, depth)).collect();
            Some(texts.join("; "))
        }
        Value::Object(map) => ["error", "message", "detail", "errors", "msg"]
            .iter()
            .filter_map(|key| map.get(*key))
            .find_map(|inner| text_of(inner, depth)),
        _ => None,
    };
    let message = message.filter(|text| !text.is_empty())?;
    // OpenRouter puts the message of the underlying provider into a separate field.
    match error.pointer("/metadata/raw").and_then(Value::as_str) {
        Some(raw) => {
            let whose =
                error.pointer("/metadata/provider_name").and_then(Value::as_str).unwrap_or("provider");
            let raw =
                json::read(raw).ok().and_then(|json| text_of(&json, depth)).unwrap_or_else(|| raw.to_owned());
            Some(format!("{message} ({whose}: {raw})"))
        }
        None => Some(message),
    }
}

/// The text in one line that is not too long.
pub(super) fn quoted(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(line, QUOTED)
}
