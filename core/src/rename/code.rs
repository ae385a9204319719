//! Names in JavaScript, which nobody here reads: what stands behind `state.`, or as a text in `state["…"]`, is a key of the state.

use indexmap::IndexMap;

use crate::language::renaming::{Change, Found};
use crate::validate::code::is_state;
use crate::{json, letters};

/// The code in which keys of the state are called otherwise. It is stuck where such a key stands elsewhere, and may mean it
/// or not.
pub(super) fn renamed(code: &str, changes: &[Change]) -> Found {
    let (mut written, mut rest, mut is_used) = (String::new(), code, false);
    let mut parameters = Parameters { code, known: IndexMap::new() };
    while let Some((at, change)) = changes
        .iter()
        .filter_map(|change| Some((next(code, rest, &change.old)?, change)))
        .min_by_key(|(at, _)| *at)
    {
        let (between, from) = rest.split_at(at);
        let new = change.new.as_deref().unwrap_or(&change.old);
        written.push_str(between);
        rest = from.get(change.old.len()..).unwrap_or_default();
        if letters::is_name(&change.old)
            && written.strip_suffix("?.").or(written.strip_suffix('.')).is_some_and(is_state)
        {
            if letters::is_name(new) {
                written.push_str(new);
            } else {
                // What is behind `?.` stays behind it.
                written.truncate(written.len() - usize::from(!written.ends_with("?.")));
                written.extend(["[", &json::text(new), "]"]);
            }
        } else if let Some((opened, after)) = in_brackets(&written, rest) {
            written.truncate(opened);
            written.push_str(&json::text(new));
            rest = after;
        } else if is_bare(&written, rest) && parameters.has(&change.old) {
            written.push_str(&change.old);
            continue;
        } else {
            return Found::Stuck;
        }
        is_used = true;
    }
    written.push_str(rest);
    if is_used { Found::Used(written) } else { Found::Nothing }
}

/// What functions in the code call what they are given, looked up once for each name.
struct Parameters<'c> {
    code: &'c str,
    known: IndexMap<String, bool>,
}

impl Parameters<'_> {
    /// Whether one of them calls it so: `list.map((item) => item.price)`.
    fn has(&mut self, name: &str) -> bool {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let code: String = self.code.split_whitespace().collect();
        let mut alone = code.match_indices(name).filter(|(at, _)| {
            code.get(at + name.len()..).unwrap_or_default().starts_with("=>")
                && !code.get(..*at).unwrap_or_default().ends_with(letters::goes_on)
        });
        let has = letters::is_name(name) && (alone.next().is_some() || code.contains(&format!("({name})=>")));
        self.known.insert(name.to_owned(), has);
        has
    }
}

/// Whether what stands between these is a name by itself, and no key of an object, member or text.
fn is_bare(before: &str, after: &str) -> bool {
    !before.trim_end().ends_with(['.', '\'', '"', '`'])
        && !after.trim_start().starts_with([':', ',', '}', '\'', '"', '`'])
}

/// Where a key stands next in the rest of some code: a name as a whole word, another one anywhere.
fn next(code: &str, rest: &str, key: &str) -> Option<usize> {
    let goes_on = |letter: Option<char>| letters::is_name(key) && letter.is_some_and(letters::goes_on);
    let passed = code.len() - rest.len();
    let is_whole = |at: &usize| {
        let (before, from) = code.split_at(passed + at);
        !goes_on(before.chars().next_back())
            && !goes_on(from.get(key.len()..).and_then(|after| after.chars().next()))
    };
    rest.match_indices(key).map(|(at, _)| at).find(is_whole).filter(|_| !key.is_empty())
}

/// The places around a key that stands as a text in `state["…"]`: where its text begins, and what comes after it.
fn in_brackets<'c>(before: &str, after: &'c str) -> Option<(usize, &'c str)> {
    let (list, quote) = ['"', '\''].iter().find_map(|quote| Some((before.strip_suffix(*quote)?, *quote)))?;
    let state = list.strip_suffix('[')?;
    let after = after.strip_prefix(quote).filter(|after| after.starts_with(']'))?;
    is_state(state.strip_suffix("?.").unwrap_or(state)).then_some((list.len(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_state_follows_and_nothing_else() {
        let change = |old: &str, new: &str| Change { old: old.to_owned(), new: Some(new.to_owned()) };
        let all = [change("each_output", "prices_output"), change("item", "price")];
        let of = |code| match renamed(code, &all) {
            Found::Nothing => "nothing".to_owned(),
            Found::Stuck => "stuck".to_owned(),
            Found::Used(code) => code,
        };
        assert_eq!(
            of("// ok\nreturn { sum: state.each_output.map((p) => p * state?.item) }"),
            "// ok\nreturn { sum: state.prices_output.map((p) => p * state?.price) }"
        );
        assert_eq!(of("return { each_outputs: state.items, a: 1 }"), "nothing");
        assert_eq!(of(""), "nothing");
        // What a function in it calls so is something else.
        assert_eq!(
            of("return { all: list.map((item) => item.price), n: list.filter(item=>item) }"),
            "nothing"
        );
        assert_eq!(
            of("return { all: list.map((item) => item.price + state.item) }"),
            "return { all: list.map((item) => item.price + state.price) }"
        );
        for stuck in [
            "return { item: state.item }",
            "const { item } = state; return item",
            "return state[`item`]",
            "return mystate['item']",
            "return list.map((item) => ({ item }))",
            "return list.map((item) => ({ item: item.n }))",
            "return list.map((myitem) => item.n)",
            "return state['item'",
            "return list['item']",
            "return mystate.item",
            "return other.state.item",
            "// item\nreturn state.item",
        ] {
            assert_eq!(of(stuck), "stuck", "{stuck}");
        }
        assert_eq!(
            of("return state['item'] + state?.[\"item\"]"),
            "return state[\"price\"] + state?.[\"price\"]"
        );
        let uses = [Change { old: "item".to_owned(), new: None }];
        assert!(
            matches!(renamed("return state.item", &uses), Found::Used(code) if code == "return state.item")
        );
    }
    #[test]
    fn a_key_that_is_no_name_stands_as_a_text() {
        let of = |code: &str, old: &str, new: &str| match renamed(
            code,
            &[Change { old: old.to_owned(), new: Some(new.to_owned()) }],
        ) {
            Found::Nothing => "nothing".to_owned(),
            Found::Stuck => "stuck".to_owned(),
            Found::Used(code) => code,
        };
        let code = "return state.kind.length + state?.kind + state['kind']";
        let odd = "return state[\"a \\\"kind\\\"\"].length + state?.[\"a \\\"kind\\\"\"] + state[\"a \\\"kind\\\"\"]";
        assert_eq!(of(code, "kind", "a \"kind\""), odd);
        let spaced = of(code, "kind", "sort of");
        assert_eq!(spaced, "return state[\"sort of\"].length + state?.[\"sort of\"] + state[\"sort of\"]");
        assert_eq!(
            of(&spaced, "sort of", "sort"),
            "return state[\"sort\"].length + state?.[\"sort\"] + state[\"sort\"]"
        );
        assert_eq!(of("return 'sort of' + state['sort of']", "sort of", "sort"), "stuck");
        assert_eq!(of("return state.sort", "sort of", "sort"), "nothing");
    }
}
