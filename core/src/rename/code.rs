//! Names in JavaScript, which nobody here reads: what stands behind `state.` is a key of the state.

use crate::language::renaming::{Change, Found};
use crate::letters;

/// The code in which keys of the state are called otherwise. It is stuck where a word that is such a key stands elsewhere, and
/// may mean it or not.
pub(super) fn renamed(code: &str, changes: &[Change]) -> Found {
    let (mut written, mut is_used) = (String::new(), false);
    let mut rest = code;
    while let Some(start) = rest.find(letters::goes_on) {
        let (between, from) = rest.split_at(start);
        let end = from.find(|letter| !letters::goes_on(letter)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        let change = changes.iter().find(|change| change.old == word);
        let new = change.and_then(|change| change.new.as_deref()).unwrap_or(word);
        if change.is_some() {
            let before = code.get(..code.len() - from.len()).unwrap_or_default();
            if !is_behind_state(before) || !letters::is_name(new) {
                return Found::Stuck;
            }
            is_used = true;
        }
        written.extend([between, new]);
        rest = after;
    }
    written.push_str(rest);
    if is_used { Found::Used(written) } else { Found::Nothing }
}

fn is_behind_state(before: &str) -> bool {
    let before = before.strip_suffix("?.").or_else(|| before.strip_suffix('.'));
    let before = before.and_then(|before| before.strip_suffix("state"));
    before.is_some_and(|before| {
        !before.ends_with(|letter| letters::goes_on(letter) || matches!(letter, '.' | '$'))
    })
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
        for stuck in [
            "return { item: state.item }",
            "const { item } = state; return item",
            "return state['item']",
            "return mystate.item",
            "return other.state.item",
            "// item\nreturn state.item",
        ] {
            assert_eq!(of(stuck), "stuck", "{stuck}");
        }
        let odd = [change("item", "a-b")];
        assert!(matches!(renamed("return state.item", &odd), Found::Stuck));
        let uses = [Change { old: "item".to_owned(), new: None }];
        assert!(
            matches!(renamed("return state.item", &uses), Found::Used(code) if code == "return state.item")
        );
    }
}
