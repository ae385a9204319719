//! The choice between words that an agent has to answer with, so that a switch behind it takes one of its ways.

use super::matter;
use crate::shape::occurrences;

/// Characters that a choice may have; what is longer is a sentence.
const MOST_CHARS: usize = 40;

/// Words that a choice may have.
const MOST_WORDS: usize = 3;

/// Characters of the input in which choices may be looked for.
const MAX_SEARCHED: usize = 2_000_000;

/// Words of one matter: who speaks of one of them may mean any other.
const MATTERS: [&str; 2] = [
    "delivery,shipp,parcel,package,arrive,courier,track",
    "billing,payment,invoice,charge,refund,price,card",
];

/// Words of what no guard lets through.
const CRUDE: &str = "bomb,kill,murder,weapon,gun,shoot,steal,hack,hurt,drug";

/// What is in choices that are for all that is none of the others.
const REST: &str = "other,none,general,unknown";

/// What an input speaks of.
pub(super) struct Meaning {
    said: String,
    /// Whether what it is about has crude words.
    is_crude: bool,
    /// How many characters may still be searched.
    left: usize,
}

impl Meaning {
    pub(super) fn of(input: &str) -> Self {
        let said = input.to_ascii_lowercase();
        let mut words = matter(&said).split(|letter: char| !letter.is_ascii_alphabetic());
        let is_crude =
            words.any(|word| CRUDE.split(',').any(|crude| word.strip_suffix('s').unwrap_or(word) == crude));
        Self { said, is_crude, left: MAX_SEARCHED }
    }

    /// Which of so many choices the input speaks of most, by its name or by other words for it. An input that names all
    /// alike, or none, means the one for all the rest, or else the first.
    pub(super) fn nth<'a>(&mut self, many: usize, choice: &dyn Fn(usize) -> &'a str) -> usize {
        let (mut meant, mut most, mut least, mut rest) = (0, 0, usize::MAX, 0);
        for nth in 0..many {
            let Some(left) = self.left.checked_sub(self.said.len()) else { return 0 };
            self.left = left;
            let choice = choice(nth).to_ascii_lowercase();
            if self.is_crude && (choice == "unsafe" || choice == "no" && self.asks_for_safe()) {
                return nth;
            }
            let count = self.count(&choice);
            least = least.min(count);
            if has(&choice, REST) {
                rest = nth;
            } else if count > most {
                (meant, most) = (nth, count);
            }
        }
        if most > least { meant } else { rest }
    }

    /// Whether it asks if something is safe, so that a no means that it is not.
    fn asks_for_safe(&self) -> bool {
        self.said.contains("safe") && !self.said.contains("unsafe")
    }

    /// How much is said of a choice: its name counts more than the other words, since two choices can be of one matter.
    fn count(&self, choice: &str) -> usize {
        if choice.is_empty() {
            return 0;
        }
        let mut count = occurrences(&self.said, choice);
        let matter = MATTERS.iter().find(|matter| has(choice, matter));
        for word in matter.copied().unwrap_or(choice).split(',') {
            count += occurrences(&self.said, word);
        }
        count
    }
}

/// Whether a text has one of these words.
pub(super) fn has(text: &str, words: &str) -> bool {
    words.split(',').any(|word| text.contains(word))
}

/// One of the words that the instructions, or else the input, offer as in "answer with one of: billing, delivery or
/// other": the one that the input speaks of. Nothing where none are offered.
pub(super) fn chosen<'a>(instructions: &'a str, input: &'a str) -> Option<&'a str> {
    let choices = offered(instructions).or_else(|| offered(input))?;
    let at = |nth: usize| choices.get(nth).copied().unwrap_or_default();
    Some(at(Meaning::of(input).nth(choices.len(), &at)))
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
        assert_eq!(chosen(instructions, "Hello"), Some("other"));
        assert_eq!(chosen("", "Is this good? Say one of these words: `yes` or `no`"), Some("yes"));
    }

    #[test]
    fn a_choice_is_meant_by_other_words_for_it_too() {
        let asked = "Sort this mail as billing, delivery, press or other:";
        for (mail, sorted) in [
            ("My Parcel has been late for a week.", "delivery"),
            ("I was charged twice. Refund me!", "billing"),
            ("Are you in the press?", "press"),
            ("Do you have a shop in Berlin? Or any other place?", "other"),
        ] {
            let choices = ["billing", "delivery", "press", "other"];
            for input in [mail.to_owned(), format!("{asked} {mail}")] {
                let nth = Meaning::of(&input).nth(choices.len(), &|nth| choices[nth]);
                assert_eq!(choices[nth], sorted, "{input}");
            }
        }
        let nth =
            |choices: &[&'static str], input| Meaning::of(input).nth(choices.len(), &|nth| choices[nth]);
        assert_eq!(nth(&["billing", "refund"], "I want a refund"), 1);
        assert_eq!(nth(&["Other question", "Late_delivery"], "My delivery is late"), 1);
        assert_eq!(nth(&["tea", "coffee"], "Milk"), 0);
        assert_eq!(nth(&[], "Milk"), 0);
    }

    #[test]
    fn crude_words_are_not_safe() {
        let nth = |choices: &[&'static str], input: &str| {
            Meaning::of(input).nth(choices.len(), &|nth| choices[nth])
        };
        let bomb = "Tell me how to build a bomb and hurt people";
        for asked in ["Is this message safe to answer? ", "Is this safe: "] {
            assert_eq!(nth(&["yes", "no"], &format!("{asked}{bomb}")), 1);
            assert_eq!(nth(&["yes", "no"], &format!("{asked}What do bees eat?")), 0);
        }
        assert_eq!(nth(&["safe", "unsafe"], bomb), 1);
        assert_eq!(nth(&["safe", "unsafe"], "Where are weapons kept?"), 1);
        assert_eq!(nth(&["safe", "unsafe"], "A skilled gunner in a bombastic hackathon"), 0);
        // What the question itself names is not what it is about.
        assert_eq!(
            nth(&["safe", "unsafe"], "Unsafe is what helps to kill. Safe or unsafe? The mail: Hello"),
            0
        );
        assert_eq!(nth(&["yes", "no"], "Is this unsafe? A bomb"), 0);
    }

    #[test]
    fn a_sentence_with_these_words_offers_nothing() {
        assert_eq!(chosen("Name one of the reasons why bees, wasps and ants live together.", "Go"), None);
        assert_eq!(chosen("You are one of us.", "Go"), None);
        assert_eq!(chosen("Pick one of: ", "Go"), None);
        assert_eq!(chosen("", ""), None);
    }
}
