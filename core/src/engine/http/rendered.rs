//! What a request sends: its templates over a state.

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::document::HttpAuth;
use crate::engine::flow::Flow;
use crate::engine::plan::{Content, PlannedRequest, Text};
use crate::engine::walk::Walk;
use crate::error::{Code, Error};
use crate::host::{Credential, Host, SecretHeader};
use crate::json;
use crate::language::encoded;

/// Bytes that the values of a request may have together: as many as those of one evaluation.
const MOST_SENT: u64 = 64 * 1024 * 1024;

/// The bytes of the values of a request so far.
#[derive(Default)]
pub(super) struct Sent(Cell<u64>);

impl Sent {
    fn count(&self, bytes: u64) -> Result<(), Error> {
        self.0.set(self.0.get().saturating_add(bytes));
        if self.0.get() > MOST_SENT {
            return Err(Error::new(Code::Limit, "the values of the request have more than 64 MB together")
                .with_hint("send less of them, or several requests"));
        }
        Ok(())
    }
}

/// What is sent.
#[derive(Default)]
pub(super) struct Body {
    pub(super) text: Option<String>,
    /// The fields of a form with files, which the host writes down.
    pub(super) parts: Option<Value>,
    pub(super) media_type: Option<String>,
}

impl<H: Host> Walk<'_, H> {
    /// The values of named texts: one that is null is left out, a list repeats its name.
    pub(super) async fn named_texts(
        &self,
        texts: &[(String, Text)],
        what: &str,
        sent: &Sent,
        flow: &Flow<H::Value>,
    ) -> Result<Vec<(String, String)>, Error> {
        let mut fields = Vec::with_capacity(texts.len());
        for (name, text) in texts {
            let given = self.text(text, &format!("`{name}` of the {what}"), sent, flow).await?;
            fields.extend(each(given).iter().map(|value| (name.clone(), printed(value))));
        }
        Ok(fields)
    }

    pub(super) async fn headers(
        &self,
        texts: &[(String, Text)],
        sent: &Sent,
        flow: &Flow<H::Value>,
    ) -> Result<Map<String, Value>, Error> {
        let (mut headers, mut last) = (Map::new(), None);
        for (name, value) in self.named_texts(texts, "headers", sent, flow).await? {
            if value.contains(|letter: char| letter != '\t' && letter.is_control() || letter > '\u{ff}') {
                let message = format!(
                    "the value of the header `{name}` cannot be sent: it has a line break or a character that headers do not hold"
                );
                return Err(Error::new(Code::Validation, message).with_hint(
                    "send one line of Latin characters; encode anything else, or put it into the body",
                ));
            }
            // Two spellings of one name are one header, the last one; and the values of a list are one line.
            let key = name.to_ascii_lowercase();
            let value = match (headers.get(&key).and_then(Value::as_str), last.as_ref() == Some(&name)) {
                (Some(before), true) => format!("{before}, {}", value.trim()),
                _ => value.trim().to_owned(),
            };
            headers.insert(key, value.into());
            last = Some(name);
        }
        Ok(headers)
    }

    pub(super) async fn body(
        &self,
        content: Option<&Content>,
        sent: &Sent,
        flow: &Flow<H::Value>,
    ) -> Result<Body, Error> {
        let written = |text: String, media_type: &str| Body {
            text: Some(text),
            parts: None,
            media_type: Some(media_type.to_owned()),
        };
        Ok(match content {
            None => Body::default(),
            Some(Content::Json(whole, holes)) => {
                let mut whole = whole.clone();
                for (at, text) in holes {
                    let what = format!("`body.json{}`", at.replace('/', "."));
                    let given = self.text(text, &what, sent, flow).await?;
                    if let Some(hole) = whole.pointer_mut(at) {
                        *hole = given;
                    }
                }
                match whole.is_null() {
                    true => Body::default(),
                    false => written(json::text(&whole), "application/json"),
                }
            }
            Some(Content::Form(form)) => {
                let fields = self.named_texts(form, "form", sent, flow).await?;
                let pairs =
                    fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
                written(pairs.collect::<Vec<_>>().join("&"), "application/x-www-form-urlencoded")
            }
            Some(Content::Text(template, media_type)) => {
                written(self.render(template, "`body.text`", flow, &flow.state).await?, media_type)
            }
            Some(Content::Multipart(parts)) => {
                let mut all = Vec::with_capacity(parts.len());
                for part in parts {
                    let mut fields = Map::from_iter([("name".to_owned(), part.name.as_str().into())]);
                    if let Some(media_type) = &part.media_type {
                        fields.insert("type".to_owned(), media_type.as_str().into());
                    }
                    if let Some(filename) = &part.filename {
                        let what = format!("the filename of `{}`", part.name);
                        let filename = self.render(filename, &what, flow, &flow.state).await?;
                        sent.count(filename.len() as u64)?;
                        fields.insert("filename".to_owned(), filename.into());
                    }
                    let mut given = Vec::new();
                    if let Some(text) = &part.text {
                        let text = self.text(text, &format!("the field `{}`", part.name), sent, flow).await?;
                        given.extend(each(text).iter().map(|text| ("text", printed(text).into())));
                    }
                    if let Some(file) = &part.file {
                        let what = format!("the file of `{}`", part.name);
                        let file = self.evaluate(file, &what, flow, &flow.state).await?;
                        sent.count(self.host.bytes(&file))?;
                        given.extend(each(self.json(&file)).into_iter().map(|file| ("file", file)));
                    }
                    all.extend(given.into_iter().map(|(key, value)| {
                        let mut fields = fields.clone();
                        fields.insert(key.to_owned(), value);
                        Value::Object(fields)
                    }));
                }
                Body { parts: Some(Value::Array(all)), ..Body::default() }
            }
        })
    }

    /// The secret that is sent along, by its name.
    pub(super) async fn credential(
        &self,
        request: &PlannedRequest,
        flow: &Flow<H::Value>,
    ) -> Result<Option<Credential>, Error> {
        let header = |secret: &str, header: String, prefix: &'static str| {
            Credential::Header(SecretHeader { secret: secret.to_owned(), header: header.into(), prefix })
        };
        Ok(match &request.auth {
            None => None,
            Some(HttpAuth::Bearer(secret)) => {
                Some(header(&secret.secret, "authorization".to_owned(), "Bearer "))
            }
            Some(HttpAuth::Header { name, value }) => {
                Some(header(&value.secret, name.to_ascii_lowercase(), ""))
            }
            Some(HttpAuth::Query { name, value }) => {
                Some(Credential::Query { secret: value.secret.clone(), query: name.clone() })
            }
            Some(HttpAuth::Basic { password, .. }) => {
                let user = match &request.user {
                    Some(user) => self.render(user, "`auth.basic.user`", flow, &flow.state).await?,
                    None => String::new(),
                };
                Some(Credential::Basic { secret: password.secret.clone(), user })
            }
            Some(HttpAuth::Oauth2 { token_url, client_id, client_secret, scope }) => {
                Some(Credential::Token {
                    secret: client_secret.secret.clone(),
                    token_url: token_url.clone(),
                    client_id: client_id.clone(),
                    scope: scope.clone(),
                })
            }
        })
    }

    /// The value of a text: whatever it names, where it is a single expression.
    async fn text(
        &self,
        text: &Text,
        what: &str,
        sent: &Sent,
        flow: &Flow<H::Value>,
    ) -> Result<Value, Error> {
        match text {
            Text::Template(template) => {
                let text = self.render(template, what, flow, &flow.state).await?;
                sent.count(text.len() as u64)?;
                Ok(text.into())
            }
            Text::Value(expression) => {
                let value = self.evaluate(expression, what, flow, &flow.state).await?;
                sent.count(self.host.bytes(&value))?;
                Ok(self.json(&value))
            }
        }
    }
}

/// What is sent under a name: nothing for null, and each item of a list.
fn each(given: Value) -> Vec<Value> {
    match given {
        Value::Null => Vec::new(),
        Value::Array(items) => items.into_iter().filter(|item| !item.is_null()).collect(),
        other => vec![other],
    }
}

/// A value as a text: a string as it is, all else as JSON.
pub(super) fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => json::text(other),
    }
}
