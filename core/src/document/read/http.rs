//! Reads requests.

use indexmap::IndexMap;
use serde_json::Value;

use super::{Fields, Read, expressions, missing};
use crate::document::{
    Cursor, FormPart, HttpAuth, HttpBody, HttpRequest, McpTool, Method, OnUnknown, Origins, Pages,
    ResponseForm, Secret,
};

pub(super) fn request(value: Value) -> Read<HttpRequest> {
    let mut fields = Fields::of(value)?;
    Ok(HttpRequest {
        method: fields.maybe("method", |word| one("method", &word, Method::from_word))?,
        url: fields.text("url")?,
        query: fields.templates("query")?,
        headers: fields.templates("headers")?,
        body: fields.maybe("body", body)?,
        auth: fields.maybe("auth", auth)?,
        origins: fields.maybe("origins", origins)?,
        success: fields.maybe_text("success")?,
        response: fields.maybe("response", |word| one("response", &word, ResponseForm::from_word))?,
        max_bytes: fields.number("maxBytes")?,
        result: fields.maybe_text("result")?,
        pages: fields.maybe("pages", pages)?,
    })
}

pub(super) fn on_unknown(value: Value) -> Read<OnUnknown> {
    one("onUnknown", &value, OnUnknown::from_word)
}

impl Fields {
    fn templates(&mut self, key: &str) -> Read<IndexMap<String, String>> {
        Ok(self.maybe(key, expressions)?.unwrap_or_default())
    }

    fn secret(&mut self, key: &str) -> Read<Secret> {
        self.need(key, secret)
    }
}

fn one<T>(key: &str, value: &Value, from_word: fn(&str) -> Option<T>) -> Read<T> {
    value.as_str().and_then(from_word).ok_or_else(|| format!("{value} is no `{key}`"))
}

fn body(value: Value) -> Read<HttpBody> {
    let mut fields = Fields::of(value)?;
    if let Some(json) = fields.take("json") {
        return Ok(HttpBody::Json(json));
    }
    if let Some(form) = fields.maybe("form", expressions)? {
        return Ok(HttpBody::Form(form));
    }
    if let Some(Value::Array(parts)) = fields.take("multipart") {
        return Ok(HttpBody::Multipart(parts.into_iter().map(part).collect::<Read<_>>()?));
    }
    Ok(HttpBody::Text { text: fields.text("text")?, media_type: fields.maybe_text("type")? })
}

fn part(value: Value) -> Read<FormPart> {
    let mut fields = Fields::of(value)?;
    Ok(FormPart {
        name: fields.text("name")?,
        text: fields.maybe_text("text")?,
        file: fields.maybe_text("file")?,
        media_type: fields.maybe_text("type")?,
        filename: fields.maybe_text("filename")?,
    })
}

fn secret(value: Value) -> Read<Secret> {
    Ok(Secret { secret: Fields::of(value)?.text("secret")? })
}

fn auth(value: Value) -> Read<HttpAuth> {
    let (kind, value) = Fields::of(value)?.0.into_iter().next().ok_or_else(|| missing("bearer"))?;
    if kind == "bearer" {
        return Ok(HttpAuth::Bearer(secret(value)?));
    }
    let mut fields = Fields::of(value)?;
    Ok(match kind.as_str() {
        "basic" => HttpAuth::Basic { user: fields.text("user")?, password: fields.secret("password")? },
        "header" => HttpAuth::Header { name: fields.text("name")?, value: fields.secret("value")? },
        "query" => HttpAuth::Query { name: fields.text("name")?, value: fields.secret("value")? },
        "oauth2" => HttpAuth::Oauth2 {
            token_url: fields.text("tokenUrl")?,
            client_id: fields.text("clientId")?,
            client_secret: fields.secret("clientSecret")?,
            scope: fields.maybe_text("scope")?,
        },
        other => return Err(format!("there is no auth `{other}`")),
    })
}

/// A tool of an MCP server, which lets in by the secrets that requests take along.
pub(super) fn mcp_tool(value: Value) -> Read<McpTool> {
    let mut fields = Fields::of(value)?;
    Ok(McpTool {
        url: fields.text("url")?,
        tool: fields.text("tool")?,
        hash: fields.text("hash")?,
        auth: fields.maybe("auth", auth)?,
        elicitation: fields.is_true("elicitation"),
    })
}

fn origins(value: Value) -> Read<Origins> {
    match value {
        Value::Array(origins) => {
            let text = |origin: Value| {
                origin.as_str().map(str::to_owned).ok_or_else(|| format!("{origin} is no origin"))
            };
            Ok(Origins::Some(origins.into_iter().map(text).collect::<Read<_>>()?))
        }
        _ => Ok(Origins::Any),
    }
}

fn pages(value: Value) -> Read<Pages> {
    let mut fields = Fields::of(value)?;
    let cursor = |value| {
        let mut fields = Fields::of(value)?;
        Ok(Cursor { query: fields.text("query")?, value: fields.text("value")? })
    };
    Ok(Pages {
        next: fields.maybe_text("next")?,
        cursor: fields.maybe("cursor", cursor)?,
        items: fields.maybe_text("items")?,
        max: fields.number("max")?.ok_or_else(|| missing("max"))?,
    })
}
