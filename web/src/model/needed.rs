//! What a value has to be for those who read it.

use serde_json::{Value, json};
use stepweave_core::document::{Document, Step, StepKind};
use stepweave_core::language::{Access, Expression, Need, Read, Template};
use stepweave_core::rename::{Named, Place, uses};

use super::fixing::text_at;
use super::locate::step_at;
use super::preview::has_tags;
use super::shape::{Kind, with_items};

/// The schema of what stands under a key of a state: what one of its uses leaves no doubt of, or else a text.
pub fn schema_for(document: &Document, place: Place, key: &str) -> Value {
    // Texts are looked up in it by their paths: it is made once for all of them.
    let mut json = serde_json::to_value(document).unwrap_or_default();
    schema_of_key(document, &mut json, place, key)
}

fn schema_of_key(document: &Document, json: &mut Value, place: Place, key: &str) -> Value {
    let named = Named::Key { place, key: key.to_owned() };
    let mut certain = uses(document, &[named])
        .into_iter()
        .filter(|used| used.follows)
        .filter_map(|used| schema_at(document, json, &used.path, key));
    certain.next().unwrap_or_else(|| Kind::Text.schema(&Value::Null))
}

/// What the text at a path leaves no doubt of about a key that it reads.
fn schema_at(document: &Document, json: &mut Value, path: &str, key: &str) -> Option<Value> {
    let text = text_at(json, path)?;
    let mut of = |reads: Vec<Read<'_>>| {
        let mut own = reads.into_iter().filter(|read| read.access == Access::Key(key));
        own.find_map(|read| schema_of_all(document, json, path, &text, read).or_else(|| schema_of(read)))
    };
    match has_tags(&text) {
        true => Template::parse(&text).ok().and_then(|template| of(template.reads())),
        false => Expression::parse(&text).ok().and_then(|expression| of(expression.reads())),
    }
}

/// What a field takes that has a value as a whole.
fn schema_of_all(
    document: &Document,
    json: &mut Value,
    path: &str,
    text: &str,
    read: Read<'_>,
) -> Option<Value> {
    let (step, field) = step_at(document, path).filter(|_| read.value.of(text) == text.trim())?;
    match (&step.kind, field) {
        (StepKind::Foreach(each), "items") => Some(list_of(schema_of_item(document, json, step, &each.item))),
        (StepKind::Agent(_), "files") => Some(list_of(Kind::File.schema(&Value::Null))),
        _ => None,
    }
}

fn schema_of_item(document: &Document, json: &mut Value, each: &Step, item: &str) -> Value {
    schema_of_key(document, json, Place::Inside(each.id.clone()), item)
}

/// What the words around a value take.
fn schema_of(read: Read<'_>) -> Option<Value> {
    let kind = match read.need {
        _ if read.member.is_some() => Kind::Object,
        Need::List => Kind::List,
        Need::Number => Kind::Number,
        Need::Anything => return None,
    };
    Some(kind.schema(&Value::Null))
}

fn list_of(items: Value) -> Value {
    with_items(&json!({ "type": "array" }), items)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(step: Value) -> Value {
        let mut step = step;
        step["name"] = json!("own");
        let read =
            json!({ "id": "s0", "type": "function", "name": "say", "run": { "set": { "said": "x ~ ''" } } });
        let value = json!({ "version": 1, "name": "t", "steps": [read, step] });
        schema_for(&serde_json::from_value(value).unwrap(), Place::Workflow, "x")
    }

    #[test]
    fn what_a_place_takes_is_known_of_a_name_that_it_reads() {
        let (text, object) = (json!({ "type": "string" }), json!({ "type": "object", "properties": {} }));
        let (number, list) = (json!({ "type": "number" }), json!({ "type": "array", "items": text }));
        let set = |code: &str| json!({ "id": "s1", "type": "function", "run": { "set": { "y": code } } });
        let each =
            |inside: Value| json!({ "id": "s1", "type": "foreach", "items": " x ", "steps": [inside] });
        let ask = |prompt: &str| json!({ "id": "s1", "type": "agent", "agent": "a", "inputFrom": prompt });
        let shown = |prompt: &str| json!({ "id": "s2", "type": "agent", "name": "in", "agent": "a", "inputFrom": prompt });
        let file = json!({ "type": "object", "format": "file" });
        for (step, expected) in [
            (each(shown("{{ item }}")), list.clone()),
            (each(shown("{{ item.url }}")), json!({ "type": "array", "items": object })),
            (each(shown("{{ x.url }}")), list.clone()),
            (json!({ "id": "s1", "type": "foreach", "items": "x.list", "steps": [] }), object.clone()),
            (json!({ "id": "s1", "type": "foreach", "items": "[x]", "steps": [] }), text.clone()),
            (
                json!({ "id": "s1", "type": "agent", "agent": "a", "files": "x" }),
                json!({ "type": "array", "items": file }),
            ),
            (json!({ "id": "s1", "type": "condition", "condition": "x > 3", "steps": [] }), number.clone()),
            (json!({ "id": "s1", "type": "condition", "condition": "x", "steps": [] }), text.clone()),
            (json!({ "id": "s1", "type": "wait", "wait": { "until": "x" } }), text.clone()),
            (set("x + 1"), number.clone()),
            (set("100 - x"), number.clone()),
            (set("x + [1]"), list.clone()),
            (set("x == 'a'"), text.clone()),
            (set("x > y"), text.clone()),
            (ask("{{ x.name }}"), object.clone()),
            (ask("{{ x }}-1"), text.clone()),
            (ask("{% if x >= 3 %}Many{% endif %}"), number),
            (ask("{% for one in x %}{{ one }}{% endfor %}"), list),
        ] {
            assert_eq!(needed(step.clone()), expected, "{step}");
        }
    }
}
