//! The choice between words that an agent has to answer with, so that a switch behind it takes one of its ways.

use super::fingerprint;

/// Characters that a choice may have; what is longer is a sentence.
const MOST_CHARS: usize = 40;

/// Words that a choice may have.
const MOST_WORDS: usize = 3;

/// One of the words that the instructions, or else the input, offer as in "answer with one of: billing, delivery or
/// other": the one that the input speaks of, or any. Nothing where none are offered.
pub(super) fn chosen<'a>(instructions: &'a str, input: &'a str) -> Option<&'a str> {
    let choices = offered(instructions).or_else(|| offered(input))?;
    let said = input.to_ascii_lowercase();
    let is_meant = |choice: &&&str| said.contains(&choice.to_ascii_lowercase());
    let any = fingerprint("", input).checked_rem(choices.len())?;
    choices.iter().find(is_meant).or_else(|| choices.get(any)).copied()
}

fn offered(text: &str) -> Option<Vec<&str>> {
    const WORDS: &str = "one of";
    let start = text.to_ascii_lowercase().find(WORDS)? + WORDS.len();
    let sentence = text.get(start..)?.split(['.', ';', '?', '!', '\n']).next()?;
    // Before a colon stands what they are: "one of these words: …".
    let list = sentence.split_once(':').map_or(sentence, |(_, list)| list);
    let choices: Vec<&str> = list.split(',').flat_map(apart).map(bare).collect();
    let is_word = |choice: &&str| {
        let words = choice.split_whitespace().count();
        (1..=MOST_WORDS).contains(&words) && choice.chars().count() <= MOST_CHARS
    };
    (choices.len() > 1 && choices.iter().all(is_word)).then_some(choices)
}

/// What stands between two commas: a choice, or the last two.
fn apart(part: &str) -> impl Iterator<Item = &str> {
    let part = part.trim();
    part.strip_prefix("or ").unwrap_or(part).split(" or ")
}

/// The choice itself, without the marks around it.
fn bare(choice: &str) -> &str {
    choice.trim_matches(|letter: char| letter.is_whitespace() || "\"'`“”‘’*".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_chosen_that_the_input_speaks_of() {
        let instructions =
            "You sort mails. Answer with one of: billing, \"delivery\", or other. Nothing else.";
        assert_eq!(chosen(instructions, "Where is my Delivery?"), Some("delivery"));
        assert!(matches!(chosen(instructions, "Hello"), Some("billing" | "delivery" | "other")));
        assert_eq!(chosen(instructions, "Hello"), chosen(instructions, "Hello"));
        assert!(matches!(
            chosen("", "Is this good? Say one of these words: `yes` or `no`"),
            Some("yes" | "no")
        ));
    }

    #[test]
    fn a_sentence_with_these_words_offers_nothing() {
        assert_eq!(chosen("Name one of the reasons why bees, wasps and ants live together.", "Go"), None);
        assert_eq!(chosen("You are one of us.", "Go"), None);
        assert_eq!(chosen("Pick one of: ", "Go"), None);
        assert_eq!(chosen("", ""), None);
    }
}
