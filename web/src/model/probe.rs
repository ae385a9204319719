//! Whether an endpoint works: the request that asks it for its models, and what its answer means.

use serde_json::{Map, Value, json};
use stepweave_core::document::Provider;

/// Bytes that a list of models may have.
const MOST_BYTES: u64 = 8 * 1024 * 1024;

/// What a test has found, line by line, and the models that there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// What was looked at.
    pub lines: Vec<Line>,
    /// The names of the endpoint's models.
    pub models: Vec<String>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// `good`, `bad`, or `open` where nobody can say.
    pub mood: &'static str,
    /// What was found.
    pub text: String,
    /// What to do; empty where nothing has to be done.
    pub advice: String,
}

/// A workflow of one request, which asks an endpoint for its models. The key is named and not in it.
pub fn question(provider: Provider, url: &str, secret: &str) -> Value {
    let named = json!({ "secret": secret });
    let (headers, auth) = match provider {
        Provider::Anthropic => (
            json!({ "anthropic-version": "2023-06-01", "anthropic-dangerous-direct-browser-access": "true" }),
            json!({ "header": { "name": "x-api-key", "value": named } }),
        ),
        Provider::Gemini => (json!({}), json!({ "header": { "name": "x-goog-api-key", "value": named } })),
        _ => (json!({}), json!({ "bearer": named })),
    };
    let mut http = Map::new();
    http.insert("url".to_owned(), literal(&format!("{}/models", url.trim().trim_end_matches('/'))).into());
    http.insert("headers".to_owned(), headers);
    http.insert("success".to_owned(), "true".into());
    http.insert("result".to_owned(), "{ 'status': status, 'body': body }".into());
    http.insert("maxBytes".to_owned(), MOST_BYTES.into());
    if !secret.is_empty() {
        http.insert("auth".to_owned(), auth);
    }
    json!({ "version": 1, "name": "test", "steps": [{ "id": "s1", "type": "http", "name": "models", "http": http }] })
}

/// What came of it: how the run ended as JSON, and the model that is wanted.
pub fn verdict(ended: &Value, model: &str, has_key: bool) -> Verdict {
    let status = ended.pointer("/state/models_output/status").and_then(Value::as_u64);
    let Some(status) = status else {
        let error = ended.pointer("/errors/0");
        let text = |key: &str| {
            error.and_then(|error| error.get(key)).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        return Verdict { lines: vec![bad(text("message"), text("hint"))], ..Verdict::default() };
    };
    let mut verdict = Verdict {
        lines: vec![good("It answers, and lets this page read its answers.")],
        ..Verdict::default()
    };
    match status {
        401 | 403 => {
            let said = if has_key { "It does not accept the key" } else { "It wants a key" };
            let advice = if has_key {
                "Copy the key again from your account there; an expired or restricted key has to be replaced."
            } else {
                "Give the key a name and paste it below."
            };
            verdict.lines.push(bad(format!("{said} ({status})."), advice.to_owned()));
        }
        200..=299 if is_text(ended) => {
            let advice = "Check the address: it is that of the model's API, and goes up to and with its version, such as https://api.example.com/v1.";
            let text = "What answers there is a web page or a text, and not the API of a model.";
            verdict.lines = vec![bad(text.to_owned(), advice.to_owned())];
        }
        200..=299 => {
            if has_key {
                verdict.lines.push(good("It accepts the key."));
            }
            verdict.models = ended.pointer("/state/models_output/body").map(models_of).unwrap_or_default();
            verdict.lines.push(about_model(&verdict.models, model.trim()));
        }
        404 | 405 => {
            let advice = "Check that the address goes up to and with its version, such as /v1. Endpoints without a list work all the same if the address is right.";
            verdict.lines.push(Line {
                mood: "open",
                text: format!("It has no list of its models there ({status})."),
                advice: advice.to_owned(),
            });
        }
        429 => {
            let advice = "Wait a moment, and look at the limits and the balance of your account there.";
            verdict.lines.push(bad("It takes no more requests for now (429).".to_owned(), advice.to_owned()));
        }
        status => {
            let advice = "Try again in a moment; if it stays so, its logs or its status page say why.";
            verdict.lines.push(bad(format!("It answers with the status {status}."), advice.to_owned()));
        }
    }
    verdict
}

/// Whether an answer is no JSON.
fn is_text(ended: &Value) -> bool {
    ended.pointer("/state/models_output/body").is_none_or(|body| body.is_string() || body.is_null())
}

/// The names of models in an answer: `data` of most endpoints, `models` of Gemini and some others.
fn models_of(body: &Value) -> Vec<String> {
    let lists = [body.get("data"), body.get("models"), Some(body)];
    let items = lists.into_iter().flatten().find_map(Value::as_array).into_iter().flatten();
    let name = |item: &Value| {
        let name = ["id", "name", "model"].into_iter().find_map(|key| item.get(key).and_then(Value::as_str));
        name.map(|name| name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    let mut names: Vec<String> = items.filter_map(name).filter(|name| name.len() <= LONGEST).collect();
    names.sort();
    names.dedup();
    names.truncate(MOST);
    names
}

/// How many models are suggested, and how long their names may be.
const MOST: usize = 1000;
const LONGEST: usize = 200;

fn about_model(models: &[String], model: &str) -> Line {
    if model.is_empty() {
        let advice = match models.len() {
            0 => "Write the name of the model to ask.".to_owned(),
            many => format!("Choose one of its {many} models: they are suggested in the field."),
        };
        return bad("The model is missing.".to_owned(), advice);
    }
    if models.is_empty() {
        let text = "It lists no models, so nobody can say whether this one is there.".to_owned();
        return Line { mood: "open", text, advice: String::new() };
    }
    if models.iter().any(|one| one == model) {
        return good(&format!("It has the model {model}."));
    }
    let near = models.iter().filter(|one| one.contains(model) || model.contains(one.as_str()));
    let near: Vec<&str> = near.take(3).map(String::as_str).collect();
    let advice = match near.as_slice() {
        [] => format!("Choose one of its {} models: they are suggested in the field.", models.len()),
        near => format!("Perhaps {}. All {} are suggested in the field.", near.join(" or "), models.len()),
    };
    bad(format!("It has no model {model}."), advice)
}

/// A text in which nothing is a tag of a template.
fn literal(text: &str) -> String {
    text.replace('{', "%7B").replace('}', "%7D")
}

fn good(text: &str) -> Line {
    Line { mood: "good", text: text.to_owned(), advice: String::new() }
}

fn bad(text: String, advice: String) -> Line {
    Line { mood: "bad", text, advice }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepweave_core::validate::validate;

    #[test]
    fn the_question_is_a_sound_workflow_for_each_provider() {
        for provider in [Provider::Openai, Provider::Anthropic, Provider::Gemini] {
            for secret in ["", "MY_KEY"] {
                let text = question(provider, " http://localhost:80/{{ x }}/v1/ ", secret).to_string();
                assert_eq!(validate(&text).problems, [], "{text}");
                assert!(text.contains("http://localhost:80/%7B%7B x %7D%7D/v1/models"), "{text}");
                assert_eq!(text.contains("MY_KEY"), secret == "MY_KEY");
            }
        }
    }

    fn moods(status: u64, body: Value, model: &str) -> Vec<&'static str> {
        let ended = json!({ "state": { "models_output": { "status": status, "body": body } } });
        verdict(&ended, model, true).lines.iter().map(|line| line.mood).collect()
    }

    #[test]
    fn each_answer_says_what_is_right_and_what_to_do() {
        let list = json!({ "data": [{ "id": "small" }, { "id": "large" }, { "id": 3 }] });
        assert_eq!(moods(200, list.clone(), "small"), ["good", "good", "good"]);
        assert_eq!(moods(200, list.clone(), "tiny"), ["good", "good", "bad"]);
        assert_eq!(moods(200, json!({ "models": [{ "name": "models/g" }] }), "g"), ["good", "good", "good"]);
        assert_eq!(moods(200, json!("<!doctype html>"), "g"), ["bad"]);
        assert_eq!(moods(200, json!({}), "g"), ["good", "good", "open"]);
        assert_eq!(moods(401, Value::Null, "g"), ["good", "bad"]);
        assert_eq!(moods(404, Value::Null, "g"), ["good", "open"]);
        assert_eq!(moods(500, Value::Null, "g"), ["good", "bad"]);
        let ended = json!({ "state": {}, "errors": [{ "message": "nothing answers", "hint": "start it" }] });
        let found = verdict(&ended, "g", true);
        assert_eq!(found.lines, [bad("nothing answers".into(), "start it".into())]);
        let near = verdict(
            &json!({ "state": { "models_output": { "status": 200, "body": list } } }),
            "small-2",
            false,
        );
        assert_eq!(near.lines[1].advice, "Perhaps small. All 2 are suggested in the field.");
        assert_eq!(near.models, ["large", "small"]);
    }

    #[test]
    fn a_model_that_is_missing_is_said_to_be_missing() {
        let found = |body: Value| {
            let ended = json!({ "state": { "models_output": { "status": 200, "body": body } } });
            verdict(&ended, " ", false).lines[1].clone()
        };
        let listed = found(json!({ "data": [{ "id": "small" }, { "id": "large" }] }));
        assert_eq!((listed.mood, listed.text.as_str()), ("bad", "The model is missing."));
        assert_eq!(listed.advice, "Choose one of its 2 models: they are suggested in the field.");
        assert_eq!(found(json!({})).advice, "Write the name of the model to ask.");
    }
}
