//! The names that a template gives itself before some place in it: variables, and what a `{% for %}` goes through.

use serde_json::{Map, Value};
use stepweave_core::language::LOOP_KEYS;
use stepweave_core::letters;

use super::access::{Member, follow, whole};
use super::known::Known;

/// The names that hold at the end of this text, each with a value where one is known.
pub fn locals(before: &str, known: &Known) -> Known {
    let mut open: Vec<Known> = vec![Known::new()];
    for tag in tags(before) {
        let tag = tag.trim_matches('-').trim();
        if let Some(rest) = behind(tag, "for") {
            let (names, items) = rest.split_once(" in ").unwrap_or((rest, ""));
            let first = value_of(items, &open, known).and_then(|items| items.get(0).cloned());
            let names: Vec<&str> =
                names.split(',').map(str::trim).filter(|name| letters::is_name(name)).collect();
            let is_alone = names.len() == 1;
            let mut given: Known =
                names.into_iter().map(|name| (name.to_owned(), first.clone().filter(|_| is_alone))).collect();
            given.insert("loop".to_owned(), Some(repetition()));
            open.push(given);
        } else if behind(tag, "endfor").is_some() {
            if open.len() > 1 {
                open.pop();
            }
        } else if let Some(rest) = behind(tag, "set") {
            let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
            let (name, value) = (name.trim(), value_of(value, &open, known));
            if let (true, Some(own)) = (letters::is_name(name), open.last_mut()) {
                own.insert(name.to_owned(), value);
            }
        }
    }
    open.into_iter().flatten().collect()
}

/// The insides of the tags that are closed.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    text.split("{%").skip(1).filter_map(|rest| Some(rest.split_once("%}")?.0))
}

fn behind<'t>(tag: &'t str, word: &str) -> Option<&'t str> {
    let rest = tag.strip_prefix(word)?;
    rest.chars().next().is_none_or(char::is_whitespace).then_some(rest)
}

fn value_of(expression: &str, open: &[Known], known: &Known) -> Option<Value> {
    let way = whole(expression)?;
    let (Member::Key(name), rest) = way.split_first()? else { return None };
    let value = open.iter().rev().find_map(|own| own.get(name)).or_else(|| known.get(name))?;
    follow(value.as_ref()?, rest).cloned()
}

/// What `loop` has. Its values change with each item, so none is known.
fn repetition() -> Value {
    Value::Object(LOOP_KEYS.into_iter().map(|key| (key.to_owned(), Value::Null)).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(before: &str) -> Vec<String> {
        let known = Known::from([("xs".to_owned(), Some(json!([{ "name": "bee" }])))]);
        let local = locals(before, &known);
        local.into_iter().map(|(name, value)| format!("{name}={}", value.unwrap_or_default())).collect()
    }

    #[test]
    fn a_variable_holds_behind_its_tag_and_an_item_up_to_the_end_of_its_loop() {
        assert_eq!(names("{% set a = xs[0] %}{{ "), [r#"a={"name":"bee"}"#]);
        let inside = names("{%- for x in xs -%}{% set n = x.name %}{{ ");
        assert_eq!((inside[0].as_str(), inside[2].as_str()), (r#"x={"name":"bee"}"#, r#"n="bee""#));
        assert!(inside[1].starts_with("loop={"));
        assert_eq!(names("{% for x in xs %}{{ x }}{% endfor %}{{ "), [] as [&str; 0]);
        let pairs = names("{% for key, value in xs | items %}{{ ");
        assert_eq!(pairs[..2], ["key=null", "value=null"]);
        // A tag that is not closed yet gives nothing.
        assert_eq!(names("{% for x in "), [] as [&str; 0]);
        assert_eq!(names("{% endfor %}{% format %}{% set a.b = 1 %}{{ "), [] as [&str; 0]);
    }
}
