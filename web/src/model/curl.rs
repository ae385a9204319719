//! Reads a `curl` command as a request. Nothing is run and no file is read. Keys come apart, for no document holds them.

use indexmap::IndexMap;
use serde_json::Value;
use stepweave_core::document::{FormPart, HttpAuth, HttpBody, HttpRequest, Method, Secret};

use self::text::{decoded, literal, literals, unescaped};
use self::words::words;
use super::endpoints::{name_of_host, origin_of};
use super::keys::{Place, is_secret};

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

/// Options with a value that say nothing about the request.
const IGNORED: [&str; 22] = [
    "-o",
    "--output",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--retry",
    "--retry-delay",
    "--max-redirs",
    "-w",
    "--write-out",
    "-x",
    "--proxy",
    "--cacert",
    "-E",
    "--cert",
    "--key",
    "--resolve",
    "-c",
    "--cookie-jar",
    "--limit-rate",
    "-D",
    "--dump-header",
];

/// Short options that stand alone.
const FLAGS: &str = "sSLkivfgNOnq#0346";

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
    while let Some(word) = rest.next() {
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
    parts: Vec<FormPart>,
    is_json: bool,
    is_query: bool,
    user: Option<(String, String)>,
    bearer: Option<String>,
    notes: Vec<String>,
}

impl Reading {
    fn take(&mut self, word: &str, rest: &mut impl Iterator<Item = String>) -> Result<(), String> {
        let (name, joined) = split(word);
        let mut value = || {
            joined.clone().or_else(|| rest.next()).ok_or_else(|| format!("A value is missing behind {name}."))
        };
        match name.as_str() {
            "-X" | "--request" => self.method = Some(value()?),
            "-H" | "--header" => {
                let header = value()?;
                let (name, value) =
                    header.split_once(':').ok_or_else(|| format!("“{header}” is no header."))?;
                self.headers.insert(name.trim().to_lowercase(), value.trim().to_owned());
            }
            "-d" | "--data" | "--data-ascii" | "--data-binary" => self.data.push(without_file(value()?)?),
            "--data-raw" => self.data.push(value()?),
            "--data-urlencode" => {
                let text = without_file(value()?)?;
                self.data.push(match text.split_once('=') {
                    Some((name, value)) => format!("{name}={}", stepweave_core::language::encoded(value)),
                    None => stepweave_core::language::encoded(&text),
                });
            }
            "--json" => {
                self.data.push(without_file(value()?)?);
                self.is_json = true;
            }
            "-F" | "--form" | "--form-string" => {
                let part = value()?;
                let (name, text) =
                    part.split_once('=').ok_or_else(|| format!("“{part}” is no field of a form."))?;
                // With `--form-string` an @ is a letter like any other.
                if word != "--form-string" && text.starts_with(['@', '<']) {
                    return Err(format!(
                        "The field {name} is a file of yours, which is not read: give the step a value for it."
                    ));
                }
                self.parts.push(FormPart {
                    name: name.to_owned(),
                    text: Some(literal(text)),
                    ..FormPart::default()
                });
            }
            "-u" | "--user" => {
                let user = value()?;
                let (user, password) = user.split_once(':').unwrap_or((&user, ""));
                self.user = Some((user.to_owned(), password.to_owned()));
            }
            "--oauth2-bearer" => self.bearer = Some(value()?),
            "-A" | "--user-agent" => drop(self.headers.insert("user-agent".to_owned(), value()?)),
            "-b" | "--cookie" => {
                value()?;
                self.notes.push("Its cookies were left out: requests take none along.".to_owned());
            }
            "-e" | "--referer" => drop(value()?),
            "-G" | "--get" => self.is_query = true,
            "-I" | "--head" => self.method = Some("HEAD".to_owned()),
            "--url" => self.url = Some(value()?),
            "-T" | "--upload-file" | "-K" | "--config" => {
                return Err(format!("{name} reads a file of yours, which is not read here."));
            }
            ignored if IGNORED.contains(&ignored) => drop(value()?),
            flag if flag.starts_with("--") => {}
            flag if flag.starts_with('-') && flag.len() > 1 => {
                if !flag.chars().skip(1).all(|letter| FLAGS.contains(letter)) {
                    self.notes.push(format!("The option {flag} was left out."));
                }
            }
            address if self.url.is_none() => self.url = Some(address.to_owned()),
            _ => self.notes.push("Only its first address was taken.".to_owned()),
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
        if origin_of(&url).is_none() {
            return Err("Its address is no http(s) address.".to_owned());
        }
        if self.is_query && !self.data.is_empty() {
            let sign = if url.contains('?') { '&' } else { '?' };
            url = format!("{url}{sign}{}", std::mem::take(&mut self.data).join("&"));
        }
        let (auth, key) = self.auth(&mut url);
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
        let others: Vec<String> = self.headers.keys().filter(|name| is_key(name)).cloned().collect();
        for name in others {
            self.headers.shift_remove(&name);
            self.notes
                .push(format!("The header {name} holds another key and was left out: a request has one."));
        }
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
            let (password, key) = secret(&password, &name);
            return (Some(HttpAuth::Basic { user: literal(&user), password }), key);
        }
        if let Some(said) = said {
            let (value, key) = secret(&said, &name);
            return (Some(HttpAuth::Header { name: "authorization".to_owned(), value }), key);
        }
        let in_header = self.headers.keys().find(|name| is_key(name) && !is_of_the_sender(name)).cloned();
        if let Some(header) = in_header
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
        let Some(at) =
            pairs.iter().position(|pair| pair.split_once('=').is_some_and(|(name, _)| is_key(name)))
        else {
            return (None, None);
        };
        let pair = pairs.remove(at);
        *url = if pairs.is_empty() { base } else { format!("{base}?{}", pairs.join("&")) };
        let (parameter, said) = pair.split_once('=').unwrap_or((pair, ""));
        let (value, key) = secret(&unescaped(said), &name);
        (Some(HttpAuth::Query { name: parameter.to_owned(), value }), key)
    }

    /// The body, without keys: the workflow stores what is in it.
    fn body(&mut self) -> Option<HttpBody> {
        let mut emptied = Vec::new();
        let mut body = self.whole_body()?;
        match &mut body {
            HttpBody::Json(json) => empty_keys(json, &mut emptied),
            HttpBody::Form(rows) => {
                rows.iter_mut().for_each(|(name, text)| empty_key(name, text, &mut emptied));
            }
            HttpBody::Multipart(parts) => {
                for FormPart { name, text, .. } in parts {
                    text.iter_mut().for_each(|text| empty_key(name, text, &mut emptied));
                }
            }
            HttpBody::Text { .. } => {}
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

/// An option, and the value that is written onto it: `-XPOST`, `--request=POST`.
fn split(word: &str) -> (String, Option<String>) {
    if word.starts_with("--") {
        return match word.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word.to_owned(), None),
        };
    }
    // Options without a value may stand before one that has one: `-sSLd text`.
    let mut letters = word.char_indices().skip(1).skip_while(|(_, letter)| FLAGS.contains(*letter));
    match letters.next() {
        Some((at, letter)) if word.starts_with('-') && "XHdFuAbeTKomwxEcD".contains(letter) => {
            let value = word.get(at + letter.len_utf8()..).filter(|value| !value.is_empty());
            (format!("-{letter}"), value.map(str::to_owned))
        }
        _ => (word.to_owned(), None),
    }
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

fn after<'a>(text: &'a str, beginning: &str) -> Option<&'a str> {
    let head = text.get(..beginning.len())?;
    head.eq_ignore_ascii_case(beginning).then(|| text.get(beginning.len()..).unwrap_or_default().trim())
}

fn all_differ(pairs: &[(&str, &str)]) -> bool {
    pairs.iter().enumerate().all(|(at, (name, _))| pairs.iter().take(at).all(|(other, _)| other != name))
}
