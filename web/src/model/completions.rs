//! What can be written next where the caret stands in a template or an expression.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Value, json};
use stepweave_core::json;
use stepweave_core::language::{self, Offered};
use stepweave_core::letters;
use stepweave_core::state::{output_key, step_of_output_key};

use super::access::{Member, Written, is_in_string, word_at_end, written};
use super::declared;
use super::known::Known;
use super::locals::locals;

/// How many are offered at most.
const MOST: usize = 40;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Text with expressions in `{{ }}`.
    Template,
    /// An expression alone.
    Expression,
    /// JavaScript, of which only keys of the state are known.
    JavaScript,
}

/// What can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers {
    /// Where what is replaced begins, in bytes. It ends at the caret.
    pub start: usize,
    /// One or more.
    pub offers: Vec<Offer>,
}

/// One of the things that can be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// What it is called.
    pub label: String,
    /// What is written.
    pub text: String,
    /// What is written behind it, with the caret in its first quotes or brackets.
    pub arguments: &'static str,
    /// Whether it is a value that one reads as a whole: no object or list, as far as is known.
    pub whole: bool,
    /// What it is, in a few words.
    pub about: String,
}

impl Offer {
    /// A value, if there is one yet.
    fn value(label: &str, text: String, value: Option<&Value>) -> Self {
        let whole = !value.is_some_and(|value| value.is_object() || value.is_array());
        let about = value.map(about).unwrap_or_default();
        Self { label: label.to_owned(), text, arguments: "", whole, about }
    }

    /// A word of the language.
    fn word(label: String, text: &str, arguments: &'static str, about: &str) -> Self {
        Self { label, text: text.to_owned(), arguments, whole: false, about: about.to_owned() }
    }
}

/// What is known besides the values where something is written.
pub struct Around<'a> {
    /// What reads the answer of whichever of some lanes came.
    pub joined: Option<&'a str>,
    /// The schema of what stands under a key of the state.
    pub schema_of: &'a dyn Fn(&str) -> Option<&'a Value>,
}

/// What can be written behind this text; nothing where nothing is known.
pub fn offers(before: &str, language: Language, known: &Known, around: &Around<'_>) -> Option<Offers> {
    let (code, is_statement) = match language {
        Language::Expression => (before, false),
        Language::Template => in_tag(before)?,
        Language::JavaScript => (of_state(before)?, false),
    };
    if is_in_string(code) {
        return None;
    }
    if let Some(Offers { start, offers }) = words(code, is_statement) {
        return Some(Offers { start: start + before.len() - code.len(), offers });
    }
    let Written { way, begun, start } = written(code)?;
    let own = match language {
        Language::Template => locals(before, known),
        Language::Expression | Language::JavaScript => Known::new(),
    };
    let value_of = |name: &str| own.get(name).or_else(|| known.get(name));
    let all = || own.iter().chain(known.iter().filter(|(name, _)| !own.contains_key(*name)));
    let named = all().map(|(name, value)| (name, value.as_ref()));
    let (is_behind_state, way) = match way.as_slice() {
        [Member::Key(first), rest @ ..] if first == "state" && value_of(first).is_none() => (true, rest),
        way => (false, way),
    };
    let offers: Vec<Offer> = match way {
        [] if is_behind_state => offered(named, begun, written_member),
        [] => {
            // In a chain it would be one of its own.
            let is_in_chain = code.get(..start)?.trim_end().ends_with("default(");
            let joined = around.joined.filter(|joined| !is_in_chain && joined.starts_with(begun));
            let mut offers = offered(named, begun, written_name);
            offers.extend(joined.map(|joined| Offer {
                about: joined.to_owned(),
                ..Offer::value("whichever way came", joined.to_owned(), None)
            }));
            offers
        }
        [Member::Key(first), Member::Key(step), Member::Key(output), rest @ ..]
            if first == "steps" && output == "output" && known.get(&output_key(step)) == Some(&None) =>
        {
            to_come((around.schema_of)(&output_key(step))?, rest, begun)?
        }
        [Member::Key(first), way @ ..] if first == "steps" && value_of(first).is_none() => {
            return outputs(way, known, begun)
                .map(|offers| Offers { start: before.len() - code.len() + start, offers });
        }
        [Member::Key(name), rest @ ..] if value_of(name)?.is_none() => {
            to_come((around.schema_of)(name)?, rest, begun)?
        }
        [Member::Key(name), rest @ ..] => match follow_in(value_of(name)?.as_ref()?, rest)? {
            Value::Object(map) => members(map, begun),
            Value::Array(items) if begun.is_empty() && !items.is_empty() => {
                [("[0]", "the first", items.first()), ("[-1]", "the last", items.last())]
                    .into_iter()
                    // JavaScript does not count from the end.
                    .take(if language == Language::JavaScript { 1 } else { 2 })
                    .map(|(text, which, item)| {
                        let offer = Offer::value(text, text.to_owned(), item);
                        Offer { about: format!("{which}: {}", offer.about), ..offer }
                    })
                    .collect()
            }
            _ => return None,
        },
        [Member::Index(_), ..] => return None,
    };
    // What is written already needs no offer.
    let is_written = |offer: &Offer| offer.label == begun;
    if offers.is_empty() || offers.iter().all(is_written) {
        return None;
    }
    Some(Offers { start: before.len() - code.len() + start, offers })
}

/// What a piece of JavaScript ends with, where that reads the state.
fn of_state(before: &str) -> Option<&str> {
    let (other, code) = before.split_at(before.rfind("state.")?);
    let goes_on = |letter| letters::goes_on(letter) || matches!(letter, '.' | '[' | ']');
    let is_whole = !other.ends_with(|letter| letters::goes_on(letter) || matches!(letter, '.' | '$'));
    let is_in_brackets = code.rfind('[') > code.rfind(']');
    (is_whole && !is_in_brackets && code.chars().all(goes_on)).then_some(code)
}

/// The names that begin so.
fn offered<'v>(
    named: impl Iterator<Item = (&'v String, Option<&'v Value>)>,
    begun: &str,
    written: fn(&str) -> String,
) -> Vec<Offer> {
    let begun = begun.to_lowercase();
    let named = named.filter(|(name, _)| name.to_lowercase().starts_with(&begun)).take(MOST);
    named.map(|(name, value)| Offer::value(name, written(name), value)).collect()
}

/// The keys of an object that begin so.
fn members(map: &serde_json::Map<String, Value>, begun: &str) -> Vec<Offer> {
    offered(map.iter().map(|(key, value)| (key, Some(value))), begun, written_member)
}

/// The keys that begin so, of an answer that no run has given yet.
fn to_come(schema: &Value, way: &[Member], begun: &str) -> Option<Vec<Offer>> {
    let properties = declared::members(schema, way)?;
    let named = properties.iter().map(|(key, _)| (key, None));
    let said = |offer: Offer| Offer {
        about: properties.get(&offer.label).map(declared::in_words).unwrap_or_default(),
        ..offer
    };
    Some(offered(named, begun, written_member).into_iter().map(said).collect())
}

/// What `steps` has at the end of a way: the outputs that are in the state too, by the names of their steps.
fn outputs(way: &[Member], known: &Known, begun: &str) -> Option<Vec<Offer>> {
    let given = known.iter().filter_map(|(key, value)| {
        let name = step_of_output_key(key)?;
        Some((name.to_owned(), json!({ "output": value })))
    });
    let steps = Value::Object(given.collect());
    let offers = members(follow_in(&steps, way)?.as_object()?, begun);
    (!offers.is_empty()).then_some(offers)
}

/// The names of a value, each with its value.
pub fn known_of(names: serde_json::Map<String, Value>) -> Known {
    names.into_iter().map(|(name, value)| (name, Some(value))).collect::<IndexMap<_, _>>()
}

/// The value at the end of a way. Any other item of a list is like those that are known.
fn follow_in<'v>(value: &'v Value, way: &[Member]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, member| match member {
        Member::Key(key) => value.get(key),
        Member::Index(index) => {
            let items = value.as_array()?;
            let at = usize::try_from(*index).ok().and_then(|index| items.get(index));
            at.or_else(|| if *index < 0 { items.last() } else { items.first() })
        }
    })
}

/// What stands in the tag in which a template ends, and whether it is a statement; nothing outside of tags.
fn in_tag(before: &str) -> Option<(&str, bool)> {
    let open = before.rfind("{{").into_iter().chain(before.rfind("{%")).max()?;
    let inside = before.get(open..)?;
    if inside.contains("}}") || inside.contains("%}") {
        return None;
    }
    let code = inside.get(2..)?;
    Some((code.strip_prefix('-').unwrap_or(code), inside.starts_with("{%")))
}

/// The words of the language that can stand here: filters, tests, statements, and what stands between two values.
fn words(code: &str, is_statement: bool) -> Option<Offers> {
    let begun = word_at_end(code);
    let start = code.len() - begun.len();
    let before = code.get(..start)?.trim_end();
    let last = word_at_end(before);
    let behind_not = before.strip_suffix("not").map(|before| word_at_end(before.trim_end()));
    let named = |word: &Offered| format!("{}{}", word.name, word.arguments);
    let written = |word: Offered| Offer::word(named(&word), word.name, arguments(&word), word.about);
    let stated = |word: Offered| Offer::word(named(&word), word.name, "", word.about);
    let fits = |word: &Offered| word.name.starts_with(begun);
    let offers: Vec<Offer> = if before.ends_with('|') {
        language::filters().filter(fits).map(written).collect()
    } else if last == "is" || behind_not == Some("is") {
        language::tests().filter(fits).map(written).collect()
    } else if is_statement && before.is_empty() {
        language::statements().filter(fits).map(stated).collect()
    } else if !begun.is_empty() && is_value(before) {
        language::OPERATORS
            .iter()
            .filter(|word| word.starts_with(begun) && **word != begun)
            .map(|word| Offer::word((*word).to_owned(), word, "", ""))
            .collect()
    } else {
        Vec::new()
    };
    (!offers.is_empty()).then_some(Offers { start, offers })
}

/// What stands behind a filter or a test that somebody has still to say something for.
fn arguments(word: &Offered) -> &'static str {
    match word.arguments {
        // It rounds to whole numbers by itself.
        "" | "(digits)" => "",
        "(length)" => "()",
        "(from, to)" => "('', '')",
        " 'part'" => " ''",
        _ => "('')",
    }
}

/// Whether a value ends here, behind which only an operator can stand.
fn is_value(before: &str) -> bool {
    let last = word_at_end(before);
    match last.is_empty() {
        true => before.ends_with([')', ']', '}', '"', '\'']),
        false => !language::OPERATORS.contains(&last) && !["elif", "for", "set"].contains(&last),
    }
}

/// A key of the state as an expression reads it.
pub fn written_name(key: &str) -> String {
    if is_name(key) { key.to_owned() } else { format!("state[{}]", quoted(key)) }
}

/// A key of an object as an expression reads it, behind that object.
pub fn written_member(key: &str) -> String {
    if is_name(key) { format!(".{key}") } else { format!("[{}]", quoted(key)) }
}

fn is_name(key: &str) -> bool {
    let is_word = language::OPERATORS.contains(&key) || ["true", "false", "none"].contains(&key);
    letters::is_name(key) && !is_word
}

/// A text as an expression writes it.
pub fn quoted(key: &str) -> String {
    // Single quotes stand in texts of JSON too. The other strings of the language have the escapes of JSON.
    let is_plain = !key.contains(['\'', '\\']) && !key.contains(char::is_control);
    if is_plain { format!("'{key}'") } else { json::text(key) }
}

/// A value in a few words.
pub fn about(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => json::text(value),
        Value::String(text) => {
            let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = line.chars().take(28).collect();
            if short.len() < line.len() { format!("“{short}…”") } else { format!("“{short}”") }
        }
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
        Value::Object(map) => {
            let keys: Vec<&str> = map.keys().take(3).map(String::as_str).collect();
            format!("{{ {}{} }}", keys.join(", "), if map.len() > 3 { ", …" } else { "" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOTHING: Around<'static> = Around { joined: None, schema_of: &|_| None };

    fn said(before: &str, language: Language) -> Vec<String> {
        let names = json!({ "status": 200, "headers": { "content-type": "text/html" },
            "body": { "items": [{ "name": "bee", "odd key": 1, "in": 2 }], "total": 1 }, "odd-name": [] });
        let mut known = known_of(names.as_object().cloned().unwrap());
        known.insert("later_output".to_owned(), None);
        let answer = json!({ "properties": { "category": { "enum": ["bug", "praise"] }, "lines": { "type": "array",
            "items": { "properties": { "odd key": {} } } } } });
        let around = Around { joined: None, schema_of: &|key| (key == "later_output").then_some(&answer) };
        let Some(Offers { start, offers }) = offers(before, language, &known, &around) else {
            return Vec::new();
        };
        offers.iter().map(|offer| format!("{}{}", &before[..start], offer.text)).collect()
    }

    #[test]
    fn code_goes_on_with_keys_of_the_state() {
        let of = |before| said(before, Language::JavaScript);
        assert_eq!(of("return state.st"), ["return state.status"]);
        assert_eq!(
            of("(state."),
            ["status", "headers", "body", "['odd-name']", "later_output"].map(|key| {
                if key.starts_with('[') { format!("(state{key}") } else { format!("(state.{key}") }
            })
        );
        assert_eq!(of("state.body.items["), [] as [&str; 0]);
        assert_eq!(of("state.body.items."), ["state.body.items[0]"]);
        assert_eq!(of("x + state.body.items[0].na"), ["x + state.body.items[0].name"]);
        for nothing in
            ["", "return ", "status", "mystate.st", "a.state.st", "state.nobody.", "state.st + b", "state"]
        {
            assert_eq!(of(nothing), [] as [&str; 0], "{nothing}");
        }
    }

    #[test]
    fn an_expression_goes_on_with_what_is_known() {
        let of = |before| said(before, Language::Expression);
        assert_eq!(of(""), ["status", "headers", "body", "state['odd-name']", "later_output"]);
        assert_eq!(of("st"), ["status"]);
        assert_eq!(of("status > 1 and B"), ["status > 1 and body"]);
        assert_eq!(of("body."), ["body.items", "body.total"]);
        assert_eq!(of("body.to"), ["body.total"]);
        assert_eq!(of("body.items."), ["body.items[0]", "body.items[-1]"]);
        let keys = ["body.items[7].name", "body.items[7]['odd key']", "body.items[7]['in']"];
        assert_eq!(of("body.items[7]."), keys);
        assert_eq!(of("headers."), ["headers['content-type']"]);
        for nothing in [
            "status",
            "body.total.",
            "later_output.category.",
            "nobody.",
            "'body.",
            "body ",
            "'is | ",
            "body.items[0].x",
        ] {
            assert_eq!(of(nothing), [] as [&str; 0], "{nothing}");
        }
    }

    #[test]
    fn an_answer_that_is_still_to_come_has_the_keys_of_its_schema() {
        let of = |before| said(before, Language::Expression);
        assert_eq!(of("later_output."), ["later_output.category", "later_output.lines"]);
        assert_eq!(of("steps.later.output.c"), ["steps.later.output.category"]);
        assert_eq!(of("later_output.lines[0]."), ["later_output.lines[0]['odd key']"]);
        assert_eq!(said("{{ later_output.li", Language::Template), ["{{ later_output.lines"]);
    }

    #[test]
    fn a_template_does_so_inside_of_its_tags() {
        let of = |before| said(before, Language::Template);
        assert_eq!(of("See {{ body.t"), ["See {{ body.total"]);
        assert_eq!(of("{{ status }} and {%- if he"), ["{{ status }} and {%- if headers"]);
        assert_eq!(of("{{").len(), 5);
        for nothing in ["", "body.", "{{ status }} body.", "{% if a %}"] {
            assert_eq!(of(nothing), [] as [&str; 0], "{nothing}");
        }
    }

    #[test]
    fn the_state_the_outputs_and_the_names_of_a_template_itself_are_known() {
        let of = |before| said(before, Language::Expression);
        assert_eq!(of("state.b"), ["state.body"]);
        assert_eq!(of("state.odd"), ["state['odd-name']"]);
        assert_eq!(of("state.body.t"), ["state.body.total"]);
        assert_eq!(of("steps."), ["steps.later"]);
        assert_eq!(of("steps.later.o"), ["steps.later.output"]);
        let of = |before: &str| said(before, Language::Template);
        let item = "{% for thing in body.items %}{{ ";
        assert_eq!(of(&format!("{item}th")), [format!("{item}thing")]);
        assert_eq!(of(&format!("{item}thing.na")), [format!("{item}thing.name")]);
        assert_eq!(of(&format!("{item}loop.la")), [format!("{item}loop.last")]);
        assert_eq!(of("{{ loop.la"), [] as [&str; 0]);
    }

    #[test]
    fn the_answer_of_whichever_way_came_is_offered_where_a_value_begins() {
        let known = known_of(json!({ "mail": "" }).as_object().cloned().unwrap());
        let chain = "a_output | default(b_output) | default('')";
        let of = |before: &str| {
            let found = offers(
                before,
                Language::Template,
                &known,
                &Around { joined: Some(chain), schema_of: &|_| None },
            );
            let offers = found.map(|found| found.offers).unwrap_or_default();
            offers.into_iter().map(|offer| offer.label).collect::<Vec<_>>()
        };
        assert_eq!(of("{{ "), ["mail", "whichever way came"]);
        assert_eq!(of("{{ a_"), ["whichever way came"]);
        assert_eq!(of("{{ ma"), ["mail"]);
        assert_eq!(of("{{ a_output | default("), ["mail"]);
        assert_eq!(of("{{ state."), ["mail"]);
    }

    #[test]
    fn words_of_the_language_are_offered_where_they_can_stand() {
        let of = |before| said(before, Language::Expression);
        assert_eq!(
            of("body | "),
            language::filters().map(|it| format!("body | {}", it.name)).collect::<Vec<_>>()
        );
        assert_eq!(of("body|le"), ["body|length"]);
        assert_eq!(of("body is not de"), ["body is not defined"]);
        assert_eq!(
            of("body is "),
            language::tests().map(|it| format!("body is {}", it.name)).collect::<Vec<_>>()
        );
        assert_eq!(of("status a"), ["status and"]);
        assert_eq!(of("status and body['x'] o"), ["status and body['x'] or"]);
        assert_eq!(of("not bo"), ["not body"]);
        let of = |before| said(before, Language::Template);
        assert_eq!(
            of("{% e"),
            ["elif", "else", "endif", "endfor", "endset", "endraw"].map(|word| format!("{{% {word}"))
        );
        assert_eq!(of("{%- if st"), ["{%- if status"]);
        assert_eq!(of("{% for i"), [] as [&str; 0]);
        assert_eq!(of("{{ body | up"), ["{{ body | upper"]);
        assert_eq!(of("a | up"), [] as [&str; 0]);
        let known = Known::new();
        let found = offers("x | re", Language::Expression, &known, &NOTHING).unwrap();
        assert_eq!(
            (found.offers[0].label.as_str(), found.offers[0].text.as_str()),
            ("replace(from, to)", "replace")
        );
    }

    #[test]
    fn what_is_left_to_be_said_of_an_offer_is_known() {
        let first = |before: &str| {
            let known = known_of(json!({ "body": { "a": 1 }, "mail": "Hi" }).as_object().cloned().unwrap());
            let found = offers(before, Language::Template, &known, &NOTHING).unwrap();
            (found.offers[0].arguments, found.offers[0].whole)
        };
        let filters =
            ["jo", "rep", "tru", "def", "rou", "up"].map(|word| first(&format!("{{{{ x | {word}")).0);
        assert_eq!(filters, ["('')", "('', '')", "()", "('')", "", ""]);
        assert_eq!(first("{{ x is con"), (" ''", false));
        assert_eq!(first("{% els"), ("", false));
        assert_eq!(["{{ bo", "{{ body.", "{{ ma"].map(|before| first(before).1), [false, true, true]);
    }

    #[test]
    fn an_odd_key_is_quoted_as_the_language_reads_it() {
        for key in ["odd key", "it's", "a\\b", "two\nlines", "\"quoted\""] {
            let known = known_of(json!({ "body": { key: { "inner": 1 } } }).as_object().cloned().unwrap());
            let found = offers("body.", Language::Expression, &known, &NOTHING).unwrap();
            let text = format!("body{}", found.offers[0].text);
            let expression = stepweave_core::language::Expression::parse(&text);
            assert!(expression.is_ok(), "{text}");
            assert_eq!(
                super::super::access::whole(&text).unwrap().last(),
                Some(&Member::Key(key.to_owned()))
            );
        }
    }

    #[test]
    fn a_value_is_said_in_a_few_words() {
        let long = json!("a word ".repeat(20));
        for (value, expected) in [
            (json!("two\n words"), "“two words”"),
            (long, "“a word a word a word a word …”"),
            (json!([1]), "a list"),
            (json!({ "a": 1, "b": 2, "c": 3, "d": 4 }), "{ a, b, c, … }"),
            (json!(null), "null"),
        ] {
            assert_eq!(about(&value), expected);
        }
    }
}
