//! How well a name fits what a person types: a piece of it, or the beginnings of words in their order.

/// How well it fits, the more the better; nothing when a letter is missing. Every word that is typed has to fit.
pub fn fit(typed: &str, name: &str) -> Option<u32> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    typed.split_whitespace().try_fold(0, |all, word| Some(all + fit_word(&word.to_lowercase(), &name)?))
}

/// The best of all beginnings, so that an early letter takes none away from a word that fits as a whole.
fn fit_word(word: &str, name: &[char]) -> Option<u32> {
    let first = word.chars().next()?;
    let starts = name.iter().enumerate().filter(|(_, letter)| **letter == first);
    starts.filter_map(|(start, _)| fit_from(word, name, start)).max()
}

/// From a beginning of a word the letters may go on at that of a later one; from within a word they stand together.
fn fit_from(word: &str, name: &[char], start: usize) -> Option<u32> {
    let may_leap = begins_word(name, start);
    let mut score = 0;
    let mut from = start;
    for letter in word.chars() {
        let is_next = name.get(from) == Some(&letter);
        let at = match is_next {
            true => from,
            false if may_leap => {
                (from..name.len()).find(|at| name.get(*at) == Some(&letter) && begins_word(name, *at))?
            }
            false => return None,
        };
        score += 1;
        if is_next && at > start {
            score += 5;
        }
        if begins_word(name, at) {
            score += 3;
        }
        from = at + 1;
    }
    Some(if start == 0 { score + 2 } else { score })
}

fn begins_word(name: &[char], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| name.get(before)).is_none_or(|before| !before.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What fits, the best first.
    fn found<'a>(typed: &str, names: &[&'a str]) -> Vec<&'a str> {
        let mut fitting: Vec<_> = names.iter().filter_map(|name| Some((fit(typed, name)?, *name))).collect();
        fitting.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        fitting.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn letters_have_to_be_there_in_their_order() {
        assert!(fit("dup", "Duplicate").is_some() && fit("lica", "Duplicate").is_some());
        assert_eq!(fit("dx", "Duplicate"), None);
        assert_eq!(fit("pud", "Duplicate"), None);
        assert_eq!(fit("", "anything"), Some(0));
        assert_eq!(fit("  ", "anything"), Some(0));
        assert_eq!(fit("a", ""), None);
    }

    #[test]
    fn letters_that_are_scattered_over_words_fit_nothing() {
        for name in
            ["Add a note to the workflow", "Endpoints and keys", "Keyboard All shortcuts, and single keys"]
        {
            assert_eq!(fit("dark", name), None, "{name}");
        }
        assert_eq!(fit("dpl", "Duplicate"), None);
        assert!(fit("dp", "Add a deep pole").is_some() && fit("wral", "Wrap in a loop").is_some());
    }

    #[test]
    fn whole_words_and_beginnings_come_first() {
        assert_eq!(
            found("loop", &["a long pole with oops", "Wrap in a loop", "Loop"])[..2],
            ["Loop", "Wrap in a loop"]
        );
        assert_eq!(found("wl", &["swallow", "Wrap in a loop"])[0], "Wrap in a loop");
        assert_eq!(found("un", &["Run", "Undo"])[0], "Undo");
        // The first o is no beginning of what fits best.
        assert_eq!(found("out", &["o u t", "go outline"])[0], "go outline");
    }

    #[test]
    fn every_word_counts_in_any_order_and_other_scripts_too() {
        assert!(fit("loop wrap", "Wrap in a loop").is_some());
        assert_eq!(fit("loop zebra", "Wrap in a loop"), None);
        assert!(fit("straße", "Große Straße").is_some());
        assert!(fit("ÜBER", "über").is_some());
    }
}
