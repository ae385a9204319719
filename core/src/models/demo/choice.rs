//! The choice between words that an agent has to answer with, so that a switch behind it takes one of its ways.

use super::matter;

/// Characters that a choice may have; what is longer is a sentence.
const MOST_CHARS: usize = 40;

/// Words that a choice may have.
const MOST_WORDS: usize = 3;

/// Characters of the input in which choices may be looked for.
const MAX_SEARCHED: usize = 2_000_000;

/// Characters of what is asked in which choices may stand.
const MAX_ASKED: usize = 10_000;

/// How many choices are looked for in what is asked.
const MOST_OFFERED: usize = 100;

/// Words of one matter: who speaks of one of them may mean any other.
const MATTERS: [&str; 3] = [
    "delivery,shipp,parcel,package,arrive,courier,track",
    "billing,payment,invoice,charge,refund,price,my card,credit card",
    "technical,crash,error,bug,broken,login,log in,password",
];

/// Words of what no guard lets through.
const CRUDE: &str = "bomb,kill,murder,weapon,gun,shoot,steal,hack,hurt,drug,idiot,stupid";

/// The same, also where it is a part of a word, or more than one.
const VULGAR: &str = "fuck,shit,moron,asshole,shut up";

/// What is in choices for what no guard lets through.
const REFUSED: &str = "unsafe,block,refus,reject,deny,denied";

/// What a guard asks about, so that a no means that something is not let through.
const FIT: &str = "safe,allow,appropriate,acceptable,harmless";

/// What turns such a question round.
const UNFIT: &str = "unsafe,inappropriate,not allow,unacceptable";

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
        let about = matter(&said);
        let mut words = about.split(|letter: char| !letter.is_ascii_alphabetic());
        let is_crude = has(about, VULGAR)
            || words
                .any(|word| CRUDE.split(',').any(|crude| word.strip_suffix('s').unwrap_or(word) == crude));
        Self { said, is_crude, left: MAX_SEARCHED }
    }

    /// Which of so many choices the input speaks of most, by its name or by other words for it. An input that names all
    /// alike, or none, means the one for all the rest, or else the first.
    pub(super) fn nth<'a>(&mut self, many: usize, choice: &dyn Fn(usize) -> &'a str) -> usize {
        let (mut meant, mut most, mut least, mut rest) = (0, 0, usize::MAX, 0);
        let about = self.about(many, choice);
        for nth in 0..many {
            let Some(left) = self.left.checked_sub(about.len()) else { return 0 };
            self.left = left;
            let choice = choice(nth).to_ascii_lowercase();
            if self.is_crude && (has(&choice, REFUSED) || choice == "no" && self.asks_for_fit()) {
                return nth;
            }
            let count = count(&about, &choice);
            least = least.min(count);
            if has(&choice, REST) {
                rest = nth;
            } else if count > most {
                (meant, most) = (nth, count);
            }
        }
        if most > least { meant } else { rest }
    }

    /// What a choice is looked for in: where the choices stand in what is asked, they say nothing about its matter.
    fn about<'a>(&self, many: usize, choice: &dyn Fn(usize) -> &'a str) -> String {
        let matter = matter(&self.said);
        let asked = self.said.get(..self.said.len() - matter.len()).unwrap_or_default();
        let is_offered = |nth: &usize| {
            let choice = choice(*nth).to_ascii_lowercase();
            !choice.is_empty() && asked.contains(&choice)
        };
        let is_asked =
            asked.len() < MAX_ASKED && (0..many.min(MOST_OFFERED)).filter(is_offered).nth(1).is_some();
        if is_asked { matter } else { &self.said }.to_owned()
    }

    /// Whether it asks if something is fit for an answer, so that a no means that it is not.
    fn asks_for_fit(&self) -> bool {
        has(&self.said, FIT) && !has(&self.said, UNFIT)
    }
}

/// How much is said of a choice: its name counts more than the other words, since two choices can be of one matter. A yes
/// or a no is said for many reasons, and counts where nothing else is said.
fn count(said: &str, choice: &str) -> usize {
    if matches!(choice, "" | "yes" | "no") {
        return usize::from(!choice.is_empty() && said.trim() == choice);
    }
    let matter = MATTERS.iter().find(|matter| has(choice, matter));
    let words = matter.copied().unwrap_or(choice).split(',');
    beginnings(said, choice) + words.map(|word| beginnings(said, word)).sum::<usize>()
}

/// How many words of a text begin so.
fn beginnings(text: &str, part: &str) -> usize {
    let is_first = |(at, _): &(usize, &str)| {
        text.get(..*at).is_none_or(|before| !before.ends_with(|letter: char| letter.is_ascii_alphanumeric()))
    };
    text.match_indices(part).filter(is_first).count()
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
            ("My card was declined.", "billing"),
            ("Do you sell gift cards?", "other"),
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
        for insult in
            ["Fuck you", "This is bullshit, you useless morons", "worst shop ever, SHUT UP", "You asshole"]
        {
            assert_eq!(nth(&["safe", "unsafe"], insult), 1, "{insult}");
        }
        assert_eq!(nth(&["safe", "unsafe"], "The shop was shut, upstairs too"), 0);
        assert_eq!(nth(&["safe", "unsafe"], "A skilled gunner in a bombastic hackathon"), 0);
        // What the question itself names is not what it is about.
        assert_eq!(
            nth(&["safe", "unsafe"], "Unsafe is what helps to kill. Safe or unsafe? The mail: Hello"),
            0
        );
        assert_eq!(nth(&["yes", "no"], "Is this unsafe? A bomb"), 0);
    }

    #[test]
    fn a_word_of_the_question_is_no_answer() {
        let nth = |choices: &[&'static str], input: &str| {
            Meaning::of(input).nth(choices.len(), &|nth| choices[nth])
        };
        let asked = "Is this message allowed in customer support (no insults, no misuse)? Answer yes or no: ";
        assert_eq!(nth(&["yes", "no"], &format!("{asked}Where is my order 4711?")), 0);
        assert_eq!(nth(&["yes", "no"], &format!("{asked}You know nothing, idiot!")), 1);
        assert_eq!(nth(&["yes", "no"], "May it pass? No"), 0);
        assert_eq!(nth(&["yes", "no"], "No"), 1);
        assert_eq!(nth(&["ok", "bad"], "Look at this book, bad as it is"), 1);
        let asked = "Is it billing (billing is about invoices), technical or other? ";
        for (message, sorted) in
            [("The app crashes when I open it.", 1), ("I was charged twice", 0), ("Hello", 2)]
        {
            assert_eq!(
                nth(&["billing", "technical", "other"], &format!("{asked}The message: {message}")),
                sorted
            );
            let behind = format!("{message}\nWhat is it: billing, technical or other?");
            assert_eq!(nth(&["billing", "technical", "other"], &behind), sorted);
        }
        assert_eq!(nth(&["pass", "blocked"], "Does it pass? The message: how to steal"), 1);
        assert_eq!(nth(&["allowed", "refused"], "Allowed or refused: how to steal"), 1);
    }

    #[test]
    fn a_sentence_with_these_words_offers_nothing() {
        assert_eq!(chosen("Name one of the reasons why bees, wasps and ants live together.", "Go"), None);
        assert_eq!(chosen("You are one of us.", "Go"), None);
        assert_eq!(chosen("Pick one of: ", "Go"), None);
        assert_eq!(chosen("", ""), None);
    }
}
