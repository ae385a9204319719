//! What a document says of its requests: where they may go, and what may stand in them.

use indexmap::IndexMap;
use serde_json::Value;

use super::path::Path;
use super::requests::{fault_of_address, holds_key, is_address, is_name, is_of_connection};
use crate::document::{Document, HttpAuth, HttpBody, HttpRequest, Origins, StepKind, ToolRun};
use crate::json;
use crate::language::{Template, origin_of};
use crate::letters;
use crate::problem::{Problem, Problems};

/// Headers that only the sender of a request writes, besides those of the connection, in lower case. Those at the end make
/// another method of a `GET`, which would need no approval.
const RESERVED: [&str; 8] = [
    "accept-encoding",
    "origin",
    "referer",
    "set-cookie",
    "date",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// How the names of such headers begin.
const RESERVED_BEGINNINGS: [&str; 4] = ["proxy-", "sec-", "x-forwarded-", "access-control-"];

pub(super) fn check(document: &Document, problems: &mut Problems) {
    let own = document.blocks().into_iter();
    let mut open: Vec<_> = own.enumerate().map(|(number, (path, steps))| (path, steps, number > 0)).collect();
    while let Some((block, steps, is_of_tool)) = open.pop() {
        let from = if is_of_tool { From::StepOfTool } else { From::Step };
        for (index, step) in steps.iter().enumerate() {
            let path = format!("{block}[{index}]");
            if let StepKind::Http(call) = &step.kind {
                let whose = format!("the request of `{}`", step.name);
                Checked { request: &call.http, path: format!("{path}.http"), whose, problems }.check(from);
            }
            let inner = step.blocks().into_iter();
            open.extend(inner.map(|(key, steps)| (format!("{path}.{key}"), steps, is_of_tool)));
        }
    }
    for (name, tool) in &document.tools {
        if let Some(ToolRun::Http(request)) = &tool.run {
            let whose = format!("the request of the tool `{name}`");
            Checked { request, path: format!("tools.{name}.run.http"), whose, problems }.check(From::Tool);
        }
    }
}

/// What sends a request.
#[derive(Clone, Copy, PartialEq)]
enum From {
    Step,
    /// A step of a tool that is a workflow: a model writes what it begins with.
    StepOfTool,
    Tool,
}

struct Checked<'d, 'p> {
    request: &'d HttpRequest,
    path: String,
    whose: String,
    problems: &'p mut Problems,
}

impl Checked<'_, '_> {
    fn check(&mut self, from: From) {
        self.address(from);
        self.headers();
        self.auth();
        self.body();
        self.pages();
    }

    fn error(&mut self, key: &str, code: &'static str, fault: &str, hint: &str) {
        let path = format!("{}.{key}", self.path);
        self.problems.push(Problem::error(path, code, format!("{} {fault}", self.whose), hint));
    }

    fn address(&mut self, from: From) {
        let Ok(template) = Template::parse(&self.request.url) else { return };
        let beginning = template.beginning();
        let is_begun = template.is_literal() || !beginning.is_empty();
        let has_scheme = ["https://", "http://"].iter().any(|scheme| beginning.starts_with(scheme));
        match template.origin() {
            Some(origin) if fault_of_address(origin).is_some() => self.wrong_address(&template),
            Some(_) if beginning.contains(|letter: char| letter.is_control() || letter == '\\') => {
                self.wrong_address(&template);
            }
            None if is_begun && (!has_scheme || template.is_literal()) => self.wrong_address(&template),
            None if from == From::Tool => {
                let fault = "goes where its arguments say, which a model writes";
                let hint = "write scheme and host literally, such as https://api.example.com/{{ id }}";
                self.error("url", "missing_origins", fault, hint);
            }
            None if self.request.origins.is_none() => {
                let fault = "goes where data says, and its `origins` do not say where it may go";
                let hint = if from == From::StepOfTool {
                    "add \"origins\": [\"https://…\"]"
                } else {
                    "add \"origins\": [\"https://…\"]; or \"origins\": \"any\", if any address will do and no secret goes along"
                };
                self.error("url", "missing_origins", fault, hint);
            }
            _ => {}
        }
        if template.leads_elsewhere() {
            let fault = "has `.` or `..` as a part of its path, which leads elsewhere than it says";
            self.error("url", "wrong_address", fault, "write the path that it leads to");
        }
        match &self.request.origins {
            Some(Origins::Any) if self.request.auth.is_some() => {
                let fault = "may go anywhere, and would take a secret along";
                let hint = "name the origins that get the secret: \"origins\": [\"https://…\"]";
                self.error("origins", "wrong_origins", fault, hint);
            }
            Some(Origins::Any) if from != From::Step => {
                let fault = "may go anywhere, with what a model writes";
                self.error(
                    "origins",
                    "wrong_origins",
                    fault,
                    "name the origins: \"origins\": [\"https://…\"]",
                );
            }
            Some(Origins::Some(origins)) if origins.is_empty() => {
                self.error(
                    "origins",
                    "wrong_origins",
                    "may go nowhere",
                    "name an origin, such as https://api.example.com",
                );
            }
            Some(Origins::Some(origins)) => {
                for (index, origin) in origins.iter().enumerate() {
                    if fault_of_address(origin).is_some() || origin_of(origin) != Some(origin.as_str()) {
                        let fault = "names something else than an origin";
                        let hint = "write scheme, host and port alone, such as https://api.example.com";
                        self.error(&format!("origins[{index}]"), "wrong_origins", fault, hint);
                    }
                }
            }
            _ => {}
        }
    }

    fn wrong_address(&mut self, template: &Template) {
        let origin = origin_of(template.beginning()).unwrap_or_default();
        let fault =
            format!("has an address that {}", fault_of_address(origin).unwrap_or("is no http(s) address"));
        let hint = "write https:// or http://, the host and the path, such as https://api.example.com/users/{{ id }}; the name of a secret goes in `auth`";
        self.error("url", "wrong_address", &fault, hint);
    }

    fn headers(&mut self) {
        let mut names = IndexMap::new();
        for (name, value) in &self.request.headers {
            let key = format!("headers{}", letters::member(name));
            self.header(&key, name, value.contains(['\r', '\n', '\0']));
            let lower = name.to_ascii_lowercase();
            if holds_key(&lower) && lower != "idempotency-key" {
                let fault = format!("would hold a key in the header `{name}`");
                let hint = "name a secret instead, as in \"auth\": { \"header\": { \"name\": \"x-api-key\", \"value\": { \"secret\": \"MY_KEY\" } } }";
                self.error(&key, "key_in_document", &fault, hint);
            }
            if let Some(first) = names.insert(lower, name.clone()) {
                let fault = format!("has the header `{first}` once more as `{name}`");
                self.error(&key, "wrong_header", &fault, "write it once: capitals make no difference");
            }
        }
    }

    fn header(&mut self, key: &str, name: &str, is_broken: bool) {
        let lower = name.to_ascii_lowercase();
        let is_reserved = is_of_connection(&lower)
            || RESERVED.contains(&lower.as_str())
            || RESERVED_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning));
        if !is_name(name) || is_broken {
            let fault = format!("cannot send the header `{}`", json::escaped(name));
            self.error(
                key,
                "wrong_header",
                &fault,
                "its name takes letters, digits and `-`, its value is one line",
            );
        } else if is_reserved {
            let fault = format!("sets the header `{name}`, which belongs to the connection");
            self.error(key, "wrong_header", &fault, "leave it out: whoever sends the request writes it");
        }
    }

    fn auth(&mut self) {
        match &self.request.auth {
            Some(HttpAuth::Header { name, .. }) => self.header("auth.header.name", name, false),
            Some(HttpAuth::Oauth2 { token_url, .. }) if !is_address(token_url) => {
                let fault = "fetches its token at no http(s) address";
                let hint = "write the address literally, such as https://login.example.com/oauth/token";
                self.error("auth.oauth2.tokenUrl", "wrong_address", fault, hint);
            }
            _ => {}
        }
    }

    fn body(&mut self) {
        let Some(body) = &self.request.body else { return };
        if self.request.method().is_safe() {
            let fault = format!("is a {} and has a body", self.request.method().word());
            self.error("body", "wrong_body", &fault, "leave the body out, or write method: \"POST\"");
        }
        match body {
            HttpBody::Json(json) if has_long_path(json) => {
                let fault = format!("has a value in its body behind keys of more than {LONGEST_PATH} bytes");
                self.error("body.json", "wrong_body", &fault, "shorten the keys, or nest them less");
            }
            HttpBody::Text { media_type: Some(media_type), .. } => self.media_type("body.type", media_type),
            HttpBody::Multipart(parts) => {
                if self.request.headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) {
                    let fault = "sets the content type of a form with files, which says where its fields end";
                    self.error("headers", "wrong_header", fault, "leave `content-type` out");
                }
                for (index, part) in parts.iter().enumerate() {
                    let key = format!("body.multipart[{index}]");
                    if part.text.is_some() == part.file.is_some() {
                        let fault = format!("does not say what the field `{}` is", json::escaped(&part.name));
                        self.error(&key, "wrong_body", &fault, "write either `text` or `file`");
                    }
                    if part.name.contains(char::is_control) {
                        let fault = "has a field whose name is more than one line";
                        self.error(&format!("{key}.name"), "wrong_body", fault, "write the name in one line");
                    }
                    if let Some(media_type) = &part.media_type {
                        self.media_type(&format!("{key}.type"), media_type);
                    }
                }
            }
            _ => {}
        }
    }

    fn media_type(&mut self, key: &str, text: &str) {
        let is_one = text.split_once('/').is_some_and(|(kind, rest)| {
            let subtype = rest.split(';').next().unwrap_or_default().trim_end();
            is_name(kind) && is_name(subtype)
        });
        if !is_one || text.contains(char::is_control) {
            self.error(
                key,
                "wrong_body",
                "names no media type",
                "write one such as text/csv or application/xml",
            );
        }
    }

    fn pages(&mut self) {
        let Some(pages) = &self.request.pages else { return };
        if pages.next.is_some() == pages.cursor.is_some() {
            let fault = "does not say how its next page is found";
            self.error("pages", "wrong_pages", fault, "write either `next` or `cursor`");
        }
        if !self.request.method().is_safe() {
            let fault = format!("is a {}, of which there are no pages", self.request.method().word());
            self.error("pages", "wrong_pages", &fault, "ask for pages with GET");
        }
    }
}

/// Each text of a body is found by the keys that it stands behind, which thousands of texts may have in common.
const LONGEST_PATH: usize = 2_000;

fn has_long_path(json: &Value) -> bool {
    let mut open = vec![(0, json)];
    while let Some((length, value)) = open.pop() {
        if length > LONGEST_PATH {
            return true;
        }
        match value {
            Value::Array(list) => open.extend(list.iter().map(|inner| (length + 4, inner))),
            Value::Object(map) => open.extend(map.iter().map(|(key, inner)| (length + key.len() + 1, inner))),
            _ => {}
        }
    }
    false
}

/// The texts of a request that are evaluated before it is sent, each with its path inside the request.
pub fn templates(request: &HttpRequest) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    each_template(request, |path, text| found.push((path, text)));
    found
}

/// Goes through the same texts one by one: many of them behind the same long keys would not all have room with their paths.
pub(super) fn each_template<'d>(request: &'d HttpRequest, mut visit: impl FnMut(String, &'d str)) {
    visit("url".to_owned(), &request.url);
    members("query", &request.query, &mut visit);
    members("headers", &request.headers, &mut visit);
    match &request.body {
        Some(HttpBody::Form(form)) => members("body.form", form, &mut visit),
        Some(HttpBody::Text { text, .. }) => visit("body.text".to_owned(), text),
        Some(HttpBody::Json(json)) => {
            let mut open = vec![(Path::ROOT.key("body").key("json"), json)];
            while let Some((path, value)) = open.pop() {
                match value {
                    Value::String(text) => visit(path.render(), text),
                    Value::Array(list) => {
                        open.extend(
                            list.iter().enumerate().rev().map(|(index, inner)| (path.index(index), inner)),
                        );
                    }
                    Value::Object(map) => {
                        open.extend(map.iter().rev().map(|(key, inner)| (path.key(key), inner)));
                    }
                    _ => {}
                }
            }
        }
        Some(HttpBody::Multipart(parts)) => {
            for (index, part) in parts.iter().enumerate() {
                for (key, text) in [("text", &part.text), ("filename", &part.filename)] {
                    if let Some(text) = text {
                        visit(format!("body.multipart[{index}].{key}"), text);
                    }
                }
            }
        }
        None => {}
    }
    if let Some(HttpAuth::Basic { user, .. }) = &request.auth {
        visit("auth.basic.user".to_owned(), user);
    }
}

/// The files that a request sends: expressions, each with its path inside the request.
pub fn files(request: &HttpRequest) -> Vec<(String, &str)> {
    let Some(HttpBody::Multipart(parts)) = &request.body else { return Vec::new() };
    let files = parts.iter().enumerate().filter_map(|(index, part)| Some((index, part.file.as_deref()?)));
    files.map(|(index, file)| (format!("body.multipart[{index}].file"), file)).collect()
}

/// The expressions over the answer of a request, each with its path inside the request.
pub(super) fn of_answer(request: &HttpRequest) -> Vec<(&'static str, &str)> {
    let pages = request.pages.as_ref();
    let texts = [
        ("success", request.success.as_ref()),
        ("result", request.result.as_ref()),
        ("pages.next", pages.and_then(|pages| pages.next.as_ref())),
        ("pages.cursor.value", pages.and_then(|pages| pages.cursor.as_ref()).map(|cursor| &cursor.value)),
        ("pages.items", pages.and_then(|pages| pages.items.as_ref())),
    ];
    texts.into_iter().filter_map(|(key, text)| Some((key, text?.as_str()))).collect()
}

fn members<'d>(key: &str, map: &'d IndexMap<String, String>, visit: &mut impl FnMut(String, &'d str)) {
    map.iter().for_each(|(name, text)| visit(format!("{key}{}", letters::member(name)), text));
}
