//! A sample answer of a request: what it gave when a person tried it, in a bounded size.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stepweave_core::document::HttpRequest;
use stepweave_core::json;

use super::access::{follow, whole};

/// The sample answers of a workflow, by what sends the request.
pub type Samples = IndexMap<String, Sample>;

/// How many samples a workflow keeps; the oldest one goes first.
const MOST: usize = 40;

/// Items that are kept of a list.
const MOST_ITEMS: usize = 10;

/// Keys that are kept of an object.
const MOST_KEYS: usize = 100;

/// Letters that are kept of a text.
const MOST_LETTERS: usize = 1000;

/// How deep values are kept.
const MOST_LEVELS: usize = 12;

/// Bytes of texts and keys that are kept of a sample.
const MOST_BYTES: usize = 24 * 1024;

/// An answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// Its status.
    pub status: u16,
    /// Its headers.
    #[serde(default)]
    pub headers: Map<String, Value>,
    /// Its body.
    #[serde(default)]
    pub body: Value,
    /// What the step gives for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
    /// Milliseconds until it was there.
    #[serde(default)]
    pub duration_ms: f64,
    /// Bytes of its body, as far as that is known.
    #[serde(default)]
    pub bytes: u64,
    /// Whether only a part of it is kept.
    #[serde(default)]
    pub is_cut: bool,
}

/// What an expression gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// The expression.
    pub by: String,
    /// What it gave.
    pub value: Value,
}

impl Sample {
    /// The answer that `{ status, headers, body }` is, with what the step gives for it.
    pub fn of(answer: &Value, given: Option<Given>, duration_ms: f64) -> Self {
        let status = answer.get("status").and_then(Value::as_u64).and_then(|status| status.try_into().ok());
        let headers = answer.get("headers").and_then(Value::as_object).cloned().unwrap_or_default();
        let body = answer.get("body").cloned().unwrap_or_default();
        let said = headers.get("content-length").and_then(Value::as_str).and_then(|text| text.parse().ok());
        let length = match &body {
            Value::Null => 0,
            Value::String(text) => text.len(),
            // A value is JSON already.
            other => json::text(other).len(),
        };
        let mut cutter = Cutter { left: MOST_BYTES, is_cut: false };
        let headers = match cutter.cut(Value::Object(headers), 0) {
            Value::Object(headers) => headers,
            _ => Map::new(),
        };
        let body = cutter.cut(body, 0);
        let given = given.map(|Given { by, value }| Given { by, value: cutter.cut(value, 0) });
        Self {
            status: status.unwrap_or_default(),
            headers,
            body,
            given,
            duration_ms,
            bytes: said.unwrap_or(length as u64),
            is_cut: cutter.is_cut,
        }
    }

    /// The names that expressions over the answer have.
    pub fn names(&self) -> Map<String, Value> {
        let headers = Value::Object(self.headers.clone());
        let names = [("status", self.status.into()), ("headers", headers), ("body", self.body.clone())];
        names.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl Sample {
    /// What a request gives for this answer; nothing where that is not known since its expression was changed.
    pub fn given(&self, request: &HttpRequest) -> Option<Value> {
        let names = Value::Object(self.names());
        let at = |text: &str| follow(&names, &whole(text)?).cloned();
        let result = request.result.as_deref().unwrap_or("body");
        let known = match &request.pages {
            // The lists of all pages are joined, and one page is here.
            Some(pages) if result == "body" => match &pages.items {
                Some(items) => at(items),
                None => Some(Value::Array(vec![self.body.clone()])),
            },
            Some(_) => None,
            None => at(result),
        };
        let kept = || self.given.as_ref().filter(|given| given.by == result).map(|given| given.value.clone());
        known.or_else(kept)
    }
}

/// Keeps a sample, or forgets it.
pub fn write_sample(samples: &mut Samples, key: String, sample: Option<Sample>) {
    samples.shift_remove(&key);
    if let Some(sample) = sample {
        samples.insert(key, sample);
        while samples.len() > MOST {
            samples.shift_remove_index(0);
        }
    }
}

/// Leaves of values what fits.
struct Cutter {
    left: usize,
    is_cut: bool,
}

impl Cutter {
    fn cut(&mut self, value: Value, level: usize) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(_) | Value::Object(_) if level >= MOST_LEVELS => {
                self.is_cut = true;
                Value::Null
            }
            Value::Array(items) => {
                let many = items.len();
                let mut kept = Vec::new();
                for item in items.into_iter().take(MOST_ITEMS) {
                    if !self.pay(4) {
                        break;
                    }
                    kept.push(self.cut(item, level + 1));
                }
                self.is_cut |= kept.len() < many;
                Value::Array(kept)
            }
            Value::Object(map) => {
                let many = map.len();
                let mut kept = Map::new();
                for (key, inner) in map.into_iter().take(MOST_KEYS) {
                    if !self.pay(key.len() + 4) {
                        break;
                    }
                    let inner = self.cut(inner, level + 1);
                    kept.insert(key, inner);
                }
                self.is_cut |= kept.len() < many;
                Value::Object(kept)
            }
            other => other,
        }
    }

    fn text(&mut self, text: String) -> String {
        let kept: String = text.chars().take(MOST_LETTERS).collect();
        let kept = if self.pay(kept.len()) { kept } else { String::new() };
        self.is_cut |= kept.len() < text.len();
        kept
    }

    fn pay(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::requests::read;
    use serde_json::json;

    #[test]
    fn an_answer_is_kept_as_it_is_when_it_is_small() {
        let answer = json!({ "status": 200, "headers": { "content-length": "17" }, "body": { "items": [1, 2], "odd key": null } });
        let sample =
            Sample::of(&answer, Some(Given { by: "body.items | length".into(), value: json!(2) }), 12.5);
        assert_eq!((sample.status, sample.bytes, sample.is_cut), (200, 17, false));
        assert_eq!(Value::Object(sample.names()), answer);
        let text = serde_json::to_string(&sample).unwrap();
        assert_eq!(serde_json::from_str::<Sample>(&text).unwrap(), sample);
    }

    #[test]
    fn what_a_request_gives_follows_its_expression() {
        let answer = json!({ "status": 200, "headers": {}, "body": { "items": [{ "n": 1 }], "total": 1 } });
        let sample = Sample::of(&answer, Some(Given { by: "body.total + 1".into(), value: json!(2) }), 1.0);
        let given = |request: Value| sample.given(&read(request));
        assert_eq!(given(json!({ "url": "x" })), answer.get("body").cloned());
        assert_eq!(given(json!({ "url": "x", "result": "body.items[0].n" })), Some(json!(1)));
        assert_eq!(given(json!({ "url": "x", "result": "body.total + 1" })), Some(json!(2)));
        assert_eq!(given(json!({ "url": "x", "result": "body.total + 2" })), None);
        let pages = json!({ "next": "body.next", "items": "body.items", "max": 3 });
        assert_eq!(given(json!({ "url": "x", "pages": pages })), Some(json!([{ "n": 1 }])));
    }

    #[test]
    fn whatever_comes_a_sample_is_small() {
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        let rows: Vec<Value> = (0..5000).map(|row| json!({ "name": "x".repeat(5000), "row": row })).collect();
        let keys: Map<String, Value> = (0..5000).map(|key| (key.to_string(), json!("y"))).collect();
        for body in
            [deep, json!(rows), Value::Object(keys), json!("z".repeat(1 << 20)), json!([[json!(rows)]])]
        {
            let sample = Sample::of(
                &json!({ "status": 200, "headers": {}, "body": body }),
                Some(Given { by: "x".into(), value: body.clone() }),
                1.0,
            );
            assert!(sample.is_cut);
            let size = serde_json::to_string(&sample).unwrap().len();
            assert!(size < 4 * MOST_BYTES, "{size}");
        }
    }

    #[test]
    fn the_oldest_sample_goes_first() {
        let mut samples = Samples::new();
        for number in 0..MOST + 2 {
            write_sample(&mut samples, number.to_string(), Some(Sample::default()));
        }
        assert_eq!((samples.len(), samples.keys().next().unwrap().as_str()), (MOST, "2"));
        write_sample(&mut samples, "5".to_owned(), None);
        assert!(!samples.contains_key("5"));
    }
}
