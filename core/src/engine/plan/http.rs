//! A compiled request: its templates and expressions are parsed.

use serde_json::Value;

use super::Builder;
use crate::document::{
    Cursor, FormPart, HttpAuth, HttpBody, HttpCall, HttpRequest, Method, OnUnknown, Origins, Pages,
    ResponseForm, Step,
};
use crate::language::{Expression, Template};
use crate::state::output_key;

/// An `http` step.
#[derive(Debug)]
pub(in crate::engine) struct Fetch {
    pub(in crate::engine) request: PlannedRequest,
    pub(in crate::engine) on_unknown: OnUnknown,
    pub(in crate::engine) output_key: String,
}

/// A request of a step or a tool.
#[derive(Debug)]
pub(in crate::engine) struct PlannedRequest {
    pub(in crate::engine) method: Method,
    pub(in crate::engine) url: Template,
    /// Whether the address is one value, and so is not looked into.
    pub(in crate::engine) is_all_data: bool,
    pub(in crate::engine) query: Vec<(String, Text)>,
    pub(in crate::engine) headers: Vec<(String, Text)>,
    pub(in crate::engine) body: Option<Content>,
    pub(in crate::engine) auth: Option<HttpAuth>,
    /// The user of basic authentication.
    pub(in crate::engine) user: Option<Template>,
    /// Where it may go; anywhere when absent.
    pub(in crate::engine) origins: Option<Vec<String>>,
    pub(in crate::engine) success: Option<Expression>,
    pub(in crate::engine) response: ResponseForm,
    pub(in crate::engine) max_bytes: u64,
    pub(in crate::engine) result: Option<Expression>,
    pub(in crate::engine) pages: Option<PlannedPages>,
}

/// What is said where a text is expected.
#[derive(Debug)]
pub(in crate::engine) enum Text {
    Template(Template),
    /// It is one value, which may be null.
    Value(Expression),
}

/// What is sent.
#[derive(Debug)]
pub(in crate::engine) enum Content {
    /// JSON, with what stands at these JSON pointers.
    Json(Value, Vec<(String, Text)>),
    Form(Vec<(String, Text)>),
    Text(Template, String),
    Multipart(Vec<Part>),
}

/// A field or a file of a form.
#[derive(Debug)]
pub(in crate::engine) struct Part {
    pub(in crate::engine) name: String,
    pub(in crate::engine) text: Option<Text>,
    pub(in crate::engine) file: Option<Expression>,
    pub(in crate::engine) media_type: Option<String>,
    pub(in crate::engine) filename: Option<Template>,
}

/// How further pages are requested.
#[derive(Debug)]
pub(in crate::engine) struct PlannedPages {
    pub(in crate::engine) next: Option<Expression>,
    pub(in crate::engine) cursor: Option<(String, Expression)>,
    pub(in crate::engine) items: Option<Expression>,
    pub(in crate::engine) max: u32,
}

impl Builder<'_> {
    pub(super) fn fetch(&mut self, step: &Step, call: &HttpCall) -> Result<Fetch, String> {
        Ok(Fetch {
            request: self.request(&call.http)?,
            on_unknown: call.on_unknown,
            output_key: output_key(&step.name),
        })
    }

    pub(super) fn request(&mut self, request: &HttpRequest) -> Result<PlannedRequest, String> {
        let url = self.template(&request.url)?;
        let literal = url.origin().map(str::to_owned);
        Ok(PlannedRequest {
            method: request.method(),
            is_all_data: url.only().is_some(),
            query: self.texts(request.query.iter())?,
            headers: self.texts(request.headers.iter())?,
            body: request.body.as_ref().map(|body| self.content(body)).transpose()?,
            user: match &request.auth {
                Some(HttpAuth::Basic { user, .. }) => Some(self.template(user)?),
                _ => None,
            },
            auth: request.auth.clone(),
            origins: match &request.origins {
                Some(Origins::Any) => None,
                Some(Origins::Some(named)) => {
                    Some(literal.into_iter().chain(named.iter().cloned()).collect())
                }
                None => Some(literal.into_iter().collect()),
            },
            success: self.maybe_expression(request.success.as_ref())?,
            response: request.response.unwrap_or(ResponseForm::Auto),
            max_bytes: request.max_bytes.unwrap_or(HttpRequest::DEFAULT_MAX_BYTES),
            result: self.maybe_expression(request.result.as_ref())?,
            pages: request.pages.as_ref().map(|pages| self.pages(pages)).transpose()?,
            url,
        })
    }

    fn content(&mut self, body: &HttpBody) -> Result<Content, String> {
        Ok(match body {
            HttpBody::Json(json) => {
                let mut holes = Vec::new();
                let mut open = vec![(String::new(), json)];
                while let Some((at, value)) = open.pop() {
                    match value {
                        Value::String(text) if text.contains('{') => holes.push((at, self.text(text)?)),
                        Value::Array(list) => {
                            open.extend(
                                list.iter()
                                    .enumerate()
                                    .map(|(index, inner)| (format!("{at}/{index}"), inner)),
                            );
                        }
                        Value::Object(map) => {
                            let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
                            open.extend(
                                map.iter().map(|(key, inner)| (format!("{at}/{}", escaped(key)), inner)),
                            );
                        }
                        _ => {}
                    }
                }
                Content::Json(json.clone(), holes)
            }
            HttpBody::Form(form) => Content::Form(self.texts(form.iter())?),
            HttpBody::Text { text, media_type } => {
                let media_type = media_type.as_deref().unwrap_or("text/plain;charset=utf-8");
                Content::Text(self.template(text)?, media_type.to_owned())
            }
            HttpBody::Multipart(parts) => {
                Content::Multipart(parts.iter().map(|part| self.part(part)).collect::<Result<_, _>>()?)
            }
        })
    }

    fn part(&mut self, part: &FormPart) -> Result<Part, String> {
        Ok(Part {
            name: part.name.clone(),
            text: part.text.as_ref().map(|text| self.text(text)).transpose()?,
            file: self.maybe_expression(part.file.as_ref())?,
            media_type: part.media_type.clone(),
            filename: part.filename.as_ref().map(|text| self.template(text)).transpose()?,
        })
    }

    fn pages(&mut self, pages: &Pages) -> Result<PlannedPages, String> {
        let mut cursor =
            |Cursor { query, value }: &Cursor| Ok::<_, String>((query.clone(), self.expression(value)?));
        Ok(PlannedPages {
            cursor: pages.cursor.as_ref().map(&mut cursor).transpose()?,
            next: self.maybe_expression(pages.next.as_ref())?,
            items: self.maybe_expression(pages.items.as_ref())?,
            max: pages.max,
        })
    }

    fn texts<'t>(
        &mut self,
        texts: impl Iterator<Item = (&'t String, &'t String)>,
    ) -> Result<Vec<(String, Text)>, String> {
        texts.map(|(name, text)| Ok((name.clone(), self.text(text)?))).collect()
    }

    fn text(&mut self, text: &str) -> Result<Text, String> {
        let template = self.template(text)?;
        Ok(match template.only() {
            Some(expression) => Text::Value(expression),
            None => Text::Template(template),
        })
    }

    fn maybe_expression(&mut self, source: Option<&String>) -> Result<Option<Expression>, String> {
        source.map(|source| self.expression(source)).transpose()
    }
}
