//! Reads a `curl` command as a request. Nothing is run and no file is read. Keys come apart, for no document holds them.

use indexmap::IndexMap;
use serde_json::Value;
use stepweave_core::document::{FormPart, HttpAuth, HttpBody, HttpRequest, Method, Secret};

use self::options::{Given, left_out, options};
use self::text::{decoded, encoded_user, literal, literals, unescaped};
use self::words::words;
use super::endpoints::{name_of_host, origin_of};
use super::keys::{GONE, GONE_IN_ADDRESS, Place, has_key, is_secret, without_keys};
use super::pasted_key::looks_like_key;

mod options;
#[cfg(test)]
mod tests;
mod text;
mod words;

/// What a command says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Command {
    /// The request.
    pub request: HttpRequest,
    /// The key that stood in it; none where a variable of the shell stood there.
    pub key: Option<String>,
    /// What of it was left out, in sentences.
    pub notes: Vec<String>,
}

/// Headers that whoever sends a request writes.
const OF_THE_SENDER: [&str; 12] = [
    "host",
    "connection",
    "content-length",
    "accept-encoding",
    "origin",
    "referer",
    "te",
    "transfer-encoding",
    "upgrade",
    "cookie",
    "date",
    "keep-alive",
];

/// Reads a command.
///
/// # Errors
/// With what is wrong, for the person who pasted it.
pub fn read(text: &str) -> Result<Command, String> {
    let (all, is_more) = words(text)?;
    let mut reading = Reading::default();
    let mut rest = all.into_iter();
    if rest.next().is_none_or(|program| program != "curl" && program != "curl.exe") {
        return Err("This is no curl command: it begins with “curl”.".to_owned());
    }
    while let Some(word) = rest.next().filter(|_| !reading.is_over) {
        reading.take(&word, &mut rest)?;
    }
    if is_more {
        reading.notes.push("What stands behind the command was left out.".to_owned());
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    url: Option<String>,
    method: Option<String>,
    headers: IndexMap<String, String>,
    data: Vec<String>,
    /// What goes behind the address besides.
    query: Vec<String>,
    parts: Vec<FormPart>,
    is_json: bool,
    is_query: bool,
    user: Option<(String, String)>,
    bearer: Option<String>,
    is_signed: bool,
    /// Whether what follows is another request.
    is_over: bool,
    /// Options that are left out, by what is said of them.
    left_out: IndexMap<&'static str, Vec<String>>,
    notes: Vec<String>,
}

impl Reading {
    fn take(&mut self, word: &str, rest: &mut impl Iterator<Item = String>) -> Result<(), String> {
        let found = options(word);
        if found.is_empty() {
            match self.url {
                None => self.url = Some(word.to_owned()),
                Some(_) => self.notes.push("Only its first address was taken.".to_owned()),
            }
        }
        for Given { written, name, has_value, value } in found {
            if let Some(said) = left_out(&name) {
                let names = self.left_out.entry(said).or_default();
                if !names.contains(&written) {
                    names.push(written.clone());
                }
            }
            if has_value {
                let missing = || format!("A value is missing behind {written}.");
                let value = value.or_else(|| rest.next()).ok_or_else(missing)?;
                self.option(&written, &name, value)?;
            } else {
                self.flag(&name);
            }
        }
        Ok(())
    }

    fn flag(&mut self, name: &str) {
        match name {
            "get" => self.is_query = true,
            "head" => self.method = Some("HEAD".to_owned()),
            "next" => {
                self.is_over = true;
                self.notes.push("Only its first request was taken.".to_owned());
            }
            _ => {}
        }
    }

    fn option(&mut self, written: &str, name: &str, value: String) -> Result<(), String> {
        match name {
            "request" => self.method = Some(value),
            "header" => {
                let (name, value) =
                    value.split_once(':').ok_or_else(|| format!("“{value}” is no header."))?;
                self.headers.insert(name.trim().to_lowercase(), value.trim().to_owned());
            }
            "data" | "data-ascii" | "data-binary" => self.data.push(without_file(value)?),
            "data-raw" => self.data.push(value),
            "data-urlencode" => self.data.push(encoded(&without_file(value)?)),
            "json" => {
                self.data.push(without_file(value)?);
                self.is_json = true;
            }
            "form" | "form-string" => {
                let (field, text) =
                    value.split_once('=').ok_or_else(|| format!("“{value}” is no field of a form."))?;
                // With `--form-string` an @ is a letter like any other.
                if name == "form" && text.starts_with(['@', '<']) {
                    return Err(format!(
                        "The field {field} is a file of yours, which is not read: give the step a value for it."
                    ));
                }
                self.parts.push(FormPart {
                    name: field.to_owned(),
                    text: Some(literal(text)),
                    ..FormPart::default()
                });
            }
            "user" => {
                let (user, password) = value.split_once(':').unwrap_or((&value, ""));
                self.user = Some((user.to_owned(), password.to_owned()));
            }
            "oauth2-bearer" => self.bearer = Some(value),
            // The user is then the key of the signature, and no server is sent it.
            "aws-sigv4" => self.is_signed = true,
            "user-agent" => drop(self.headers.insert("user-agent".to_owned(), value)),
            "range" => drop(self.headers.insert("range".to_owned(), format!("bytes={value}"))),
            "cookie" => self.notes.push("Its cookies were left out: requests take none along.".to_owned()),
            "url" if self.url.is_none() => self.url = Some(value),
            "url" => self.notes.push("Only its first address was taken.".to_owned()),
            "url-query" => self.query.push(match value.strip_prefix('+') {
                Some(text) => text.to_owned(),
                None => encoded(&without_file(value)?),
            }),
            "upload-file" | "config" => {
                return Err(format!("{written} reads a file of yours, which is not read here."));
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Command, String> {
        let url = self.url.take().ok_or("The command has no address.")?;
        let mut url = if url.contains("://") { url } else { format!("https://{url}") };
        url.truncate(url.find('#').unwrap_or(url.len()));
        // A user in the address is one of basic authentication.
        if let Some((scheme, after)) = url.clone().split_once("://")
            && let Some((user, host)) = after.split_once('@').filter(|(user, _)| !user.contains(['/', '?']))
        {
            let (user, password) = user.split_once(':').unwrap_or((user, ""));
            self.user.get_or_insert((user.to_owned(), password.to_owned()));
            url = format!("{scheme}://{host}");
        }
        if origin_of(&url).is_none_or(|origin| !has_port(&origin)) {
            return Err("Its address is no http(s) address.".to_owned());
        }
        let mut query = std::mem::take(&mut self.query);
        if self.is_query {
            query.append(&mut self.data);
        }
        if !query.is_empty() {
            let sign = if url.contains('?') { '&' } else { '?' };
            url = format!("{url}{sign}{}", query.join("&"));
        }
        if self.is_signed {
            self.user = None;
        }
        for (said, names) in std::mem::take(&mut self.left_out) {
            self.notes.push(format!("{said} ({}).", names.join(", ")));
        }
        let (auth, key) = self.auth(&mut url);
        let url = self.clean_address(&url);
        let body = self.body();
        let method = match self.method.take() {
            None => None,
            Some(word) => Some(
                Method::from_word(&word.to_uppercase())
                    .ok_or_else(|| format!("Requests have no method {word}."))?,
            ),
        };
        let before = self.headers.len();
        self.headers.retain(|name, _| !is_of_the_sender(name));
        if self.headers.len() < before {
            self.notes.push("Headers of the connection and cookies were left out.".to_owned());
        }
        self.clean_headers();
        let headers = self.headers.iter().map(|(name, value)| (name.clone(), literal(value))).collect();
        let request =
            HttpRequest { method, url: literal(&url), headers, body, auth, ..HttpRequest::default() };
        Ok(Command { request, key, notes: self.notes })
    }

    /// The key, out of wherever it stood.
    fn auth(&mut self, url: &mut String) -> (Option<HttpAuth>, Option<String>) {
        let name = secret_name(url);
        let said = self.headers.shift_remove("authorization");
        let bearer =
            said.as_deref().and_then(|said| after(said, "bearer ")).map(str::to_owned).or(self.bearer.take());
        if let Some(token) = bearer {
            let (secret, key) = secret(&token, &name);
            return (Some(HttpAuth::Bearer(secret)), key);
        }
        let basic = said.as_deref().and_then(|said| after(said, "basic ")).and_then(decoded);
        if let Some((user, password)) = self.user.take().or(basic) {
            // Some services take their key as the user: the workflow would store that one, and never a header's value.
            if has_key(&user) || (password.is_empty() && looks_like_key(&user)) {
                let (value, key) = secret(&format!("Basic {}", encoded_user(&user, &password)), &name);
                return (Some(HttpAuth::Header { name: "authorization".to_owned(), value }), key);
            }
            let (password, key) = secret(&password, &name);
            return (Some(HttpAuth::Basic { user: literal(&user), password }), key);
        }
        if let Some(said) = said {
            let (value, key) = secret(&said, &name);
            return (Some(HttpAuth::Header { name: "authorization".to_owned(), value }), key);
        }
        if let Some(header) = self.header_of_key()
            && let Some(said) = self.headers.shift_remove(&header)
        {
            let (value, key) = secret(&said, &name);
            return (Some(HttpAuth::Header { name: header, value }), key);
        }
        let Some((base, query)) =
            url.clone().split_once('?').map(|(base, query)| (base.to_owned(), query.to_owned()))
        else {
            return (None, None);
        };
        let mut pairs: Vec<&str> = query.split('&').collect();
        let at = |is: fn(&str, &str) -> bool| {
            pairs.iter().position(|pair| pair.split_once('=').is_some_and(|(name, value)| is(name, value)))
        };
        let Some(at) = at(|name, _| is_key(name)).or_else(|| at(|_, value| holds_key(value))) else {
            return (None, None);
        };
        let pair = pairs.remove(at);
        *url = if pairs.is_empty() { base } else { format!("{base}?{}", pairs.join("&")) };
        let (parameter, said) = pair.split_once('=').unwrap_or((pair, ""));
        let (value, key) = secret(&unescaped(said), &name);
        (Some(HttpAuth::Query { name: parameter.to_owned(), value }), key)
    }

    /// The header whose value is the key: by its name, or by what it looks like.
    fn header_of_key(&self) -> Option<String> {
        let sent = || self.headers.iter().filter(|(name, _)| !is_of_the_sender(name) && !has_key(name));
        let named = sent().find(|(name, _)| is_key(name));
        named.or_else(|| sent().find(|(_, value)| has_key(value))).map(|(name, _)| name.clone())
    }

    /// Takes every other key out of the headers.
    fn clean_headers(&mut self) {
        let is_named = |name: &String| is_key(name) || has_key(name);
        let others: Vec<String> = self.headers.keys().filter(|name| is_named(name)).cloned().collect();
        for name in others {
            self.headers.shift_remove(&name);
            let shown = without_keys(&name);
            self.notes
                .push(format!("The header {shown} holds another key and was left out: a request has one."));
        }
        for (name, value) in &mut self.headers {
            let clean = without_keys(value);
            if clean != *value {
                *value = clean;
                self.notes.push(format!("The header {name} holds another key: “{GONE}” stands in its place, for a request has one."));
            }
        }
    }

    /// The address without keys, which the workflow would store.
    fn clean_address(&mut self, url: &str) -> String {
        let (base, query) = url.split_once('?').map_or((url, None), |(base, query)| (base, Some(query)));
        let mut clean = without_keys(base).replace(GONE, GONE_IN_ADDRESS);
        if clean != base {
            self.notes.push(format!("A key stood in its address: “{GONE_IN_ADDRESS}” stands in its place, since the workflow stores the address."));
        }
        for (at, pair) in query.into_iter().flat_map(|query| query.split('&')).enumerate() {
            clean.push(if at == 0 { '?' } else { '&' });
            let (name, value) = pair.split_once('=').unwrap_or(("", pair));
            let is_named = is_key(name) && !value.is_empty() && !value.starts_with('$');
            if !is_named && !holds_key(pair) {
                clean.push_str(pair);
                continue;
            }
            let name = if holds_key(name) { GONE_IN_ADDRESS } else { name };
            clean.extend([name, "="]);
            self.notes.push(format!(
                "What stood under {name} in its query was left out: it is another key, and a request has one."
            ));
        }
        clean
    }

    /// The body, without keys: the workflow stores what is in it.
    fn body(&mut self) -> Option<HttpBody> {
        let mut emptied = Vec::new();
        let mut body = self.whole_body()?;
        let mut is_held = false;
        match &mut body {
            HttpBody::Json(json) => {
                empty_keys(json, &mut emptied);
                clean_json(json, &mut is_held);
            }
            HttpBody::Form(rows) => {
                for (name, mut text) in std::mem::take(rows) {
                    empty_key(&name, &mut text, &mut emptied);
                    clean_text(&mut text, &mut is_held);
                    let mut clean_name = name;
                    clean_text(&mut clean_name, &mut is_held);
                    rows.insert(clean_name, text);
                }
            }
            HttpBody::Multipart(parts) => {
                for FormPart { name, text, .. } in parts {
                    text.iter_mut().for_each(|text| {
                        empty_key(name, text, &mut emptied);
                        clean_text(text, &mut is_held);
                    });
                    clean_text(name, &mut is_held);
                }
            }
            HttpBody::Text { text, .. } => {
                // With the sign that a form has between two values, the first one has a name too.
                let mut whole = format!("&{text}");
                clean_text(&mut whole, &mut is_held);
                *text = whole.strip_prefix('&').unwrap_or_default().to_owned();
            }
        }
        if is_held {
            self.notes.push("A key stood in its body and was left out, since the workflow would store it: a key goes into a header or the query.".to_owned());
        }
        if !emptied.is_empty() {
            self.notes.push(format!(
                "What stood under {} in its body was left out, since the workflow would store it: a key goes into a header or the query.",
                emptied.join(", "),
            ));
        }
        Some(body)
    }

    fn whole_body(&mut self) -> Option<HttpBody> {
        if !self.parts.is_empty() {
            self.headers.shift_remove("content-type");
            return Some(HttpBody::Multipart(std::mem::take(&mut self.parts)));
        }
        if self.data.is_empty() {
            return None;
        }
        let said = self.headers.get("content-type").cloned();
        let says = |word: &str| said.as_deref().is_some_and(|said| said.to_lowercase().contains(word));
        let text = if self.is_json { self.data.concat() } else { self.data.join("&") };
        let json =
            serde_json::from_str::<Value>(&text).ok().filter(|json| json.is_object() || json.is_array());
        if let Some(json) = json.filter(|_| self.is_json || said.is_none() || says("json")) {
            if !says("json") && !self.is_json {
                self.notes.push("Its text is JSON and is sent as such.".to_owned());
            }
            self.headers.shift_remove("content-type");
            return Some(HttpBody::Json(literals(json)));
        }
        let is_form = said.is_none() || says("x-www-form-urlencoded");
        let pairs: Option<Vec<(&str, &str)>> = text.split('&').map(|pair| pair.split_once('=')).collect();
        self.headers.shift_remove("content-type");
        if let Some(pairs) = pairs.filter(|pairs| is_form && all_differ(pairs)) {
            let rows = pairs.into_iter().map(|(name, value)| (unescaped(name), literal(&unescaped(value))));
            return Some(HttpBody::Form(rows.collect()));
        }
        let media_type = said.unwrap_or_else(|| "application/x-www-form-urlencoded".to_owned());
        Some(HttpBody::Text { text: literal(&text), media_type: Some(media_type) })
    }
}

/// A value as a query has it; what is before a sign of equality is its name.
fn encoded(text: &str) -> String {
    match text.split_once('=') {
        Some(("", value)) => stepweave_core::language::encoded(value),
        Some((name, value)) => format!("{name}={}", stepweave_core::language::encoded(value)),
        None => stepweave_core::language::encoded(text),
    }
}

/// Whether what stands where the port does is one: a user and a key are no address.
fn has_port(origin: &str) -> bool {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let after_brackets = host.rsplit_once(']').map_or(host, |(_, after)| after);
    after_brackets.split_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_ok())
}

fn without_file(text: String) -> Result<String, String> {
    match text.strip_prefix('@') {
        Some(file) => Err(format!(
            "The command sends the file {file}, which is not read: paste its content in its place."
        )),
        None => Ok(text),
    }
}

/// The name of a key, and the key itself unless a variable of the shell names it.
fn secret(said: &str, name: &str) -> (Secret, Option<String>) {
    let variable = said.strip_prefix('$').map(|name| name.trim_matches(['{', '}']));
    match variable.filter(|name| Secret::is_name(name)) {
        Some(name) => (Secret { secret: name.to_owned() }, None),
        None => (Secret { secret: name.to_owned() }, Some(said.to_owned())),
    }
}

/// A name for the key of an address: `API_EXAMPLE_COM_KEY`.
fn secret_name(url: &str) -> String {
    let name = format!("{}_KEY", name_of_host(&origin_of(url).unwrap_or_default()));
    if Secret::is_name(&name) { name } else { format!("_{name}") }
}

fn is_key(name: &str) -> bool {
    is_secret(name, Place::Parameter)
}

fn is_of_the_sender(name: &str) -> bool {
    OF_THE_SENDER.contains(&name) || name.starts_with("sec-") || name.starts_with("proxy-")
}

/// Empties a text under the name of a key; a variable of the shell says nothing.
fn empty_key(name: &str, text: &mut String, emptied: &mut Vec<String>) {
    if is_secret(name, Place::Data) && !text.is_empty() && !text.starts_with('$') {
        text.clear();
        emptied.push(name.to_owned());
    }
}

fn empty_keys(json: &mut Value, emptied: &mut Vec<String>) {
    match json {
        Value::Object(map) => {
            for (name, value) in map {
                match value {
                    Value::String(text) => empty_key(name, text, emptied),
                    other => empty_keys(other, emptied),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| empty_keys(item, emptied)),
        _ => {}
    }
}

fn clean_text(text: &mut String, is_held: &mut bool) {
    let clean = without_keys(text);
    if clean != *text {
        *text = clean;
        *is_held = true;
    }
}

/// Takes keys out of texts and names, whatever they stand under.
fn clean_json(json: &mut Value, is_held: &mut bool) {
    match json {
        Value::String(text) => clean_text(text, is_held),
        Value::Object(map) => {
            for (mut name, mut value) in std::mem::take(map) {
                clean_text(&mut name, is_held);
                clean_json(&mut value, is_held);
                map.insert(name, value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| clean_json(item, is_held)),
        _ => {}
    }
}

/// Whether a piece of a query looks like a key once it is read.
fn holds_key(text: &str) -> bool {
    has_key(text) || has_key(&unescaped(text))
}

fn after<'a>(text: &'a str, beginning: &str) -> Option<&'a str> {
    let head = text.get(..beginning.len())?;
    head.eq_ignore_ascii_case(beginning).then(|| text.get(beginning.len()..).unwrap_or_default().trim())
}

fn all_differ(pairs: &[(&str, &str)]) -> bool {
    pairs.iter().enumerate().all(|(at, (name, _))| pairs.iter().take(at).all(|(other, _)| other != name))
}
