//! The demo model: an offline simulation, so that a workflow can be tried without a key.
//!
//! It is deterministic: the same agent and input always give the same text, the same call of a tool, and the same
//! value for a schema.

use self::choice::{chosen, has};
use self::value::{Texts, fitting};
use super::{Emitter, Finish, Offer, Part, Question, Reply, ToolCall, ToolResult, Turn};
use crate::document::ToolChoice;
use crate::event::Origin;
use crate::host::Host;
use crate::json;
use crate::letters;
use crate::usage::Usage;

mod choice;
mod value;

/// Milliseconds between two chunks of an answer, so that it can be watched.
const PACE_MS: u64 = 18;

/// Words of one chunk.
const WORDS_A_PART: usize = 3;

/// What its texts begin with, so that nobody takes them for a model's.
const LABEL: &str = "[simulated] ";

pub(super) async fn ask<H: Host>(question: &Question<'_>, emitter: &Emitter<'_, H>) -> Reply {
    let input = last_text(question.turns);
    let prompt = input.len() + question.instructions.map_or(0, str::len);
    let mut reply = Reply { origin: Origin::Simulated, ..Reply::default() };
    let length = match tool(question, input) {
        Some(tool) => {
            emitter.host.sleep(PACE_MS).await;
            let call = call(tool, input);
            let length = json::text(&call.input).len();
            reply.calls.push(call);
            reply.finish = Finish::ToolCalls;
            length
        }
        None => {
            reply.text = match question.output {
                Some(schema) => json::text(&fitting(schema, Texts::Label(LABEL), input)),
                None => {
                    let instructions = question.instructions.unwrap_or_default();
                    let composed = || compose(question.agent, instructions, input, results(question.turns));
                    chosen(instructions, input).map_or_else(composed, str::to_owned)
                }
            };
            for part in parts(&reply.text) {
                emitter.host.sleep(PACE_MS).await;
                emitter.text(&part);
            }
            reply.text.len()
        }
    };
    reply.usage = Some(Usage::new(tokens(prompt), tokens(length)));
    reply
}

/// The tool that is called: one, once, if any is offered.
fn tool<'a>(question: &Question<'a>, input: &str) -> Option<&'a Offer> {
    let has_called = question.turns.iter().any(|turn| matches!(turn, Turn::Tools(_)));
    if has_called || *question.choice == ToolChoice::None {
        return None;
    }
    let named = |tool: &&Offer| matches!(question.choice, ToolChoice::Named(name) if *name == tool.name);
    let any = fingerprint(question.agent, input).checked_rem(question.tools.len());
    question.tools.iter().find(named).or_else(|| question.tools.get(any?))
}

/// A call with arguments that fit: texts in them are what was said.
fn call(tool: &Offer, input: &str) -> ToolCall {
    let said = excerpt(matter(input), 14);
    let texts = if said.is_empty() { Texts::Label(LABEL) } else { Texts::Said(&said) };
    let input = fitting(&tool.parameters(), texts, input);
    ToolCall { id: "call_0".to_owned(), name: tool.name.clone(), input, broken: None, is_cut_off: false }
}

/// What the tools gave that were called last.
fn results(turns: &[Turn]) -> &[ToolResult] {
    match turns.iter().rev().find(|turn| matches!(turn, Turn::Tools(_))) {
        Some(Turn::Tools(results)) => results,
        _ => &[],
    }
}

/// What was said to the model last.
fn last_text(turns: &[Turn]) -> &str {
    let said = turns.iter().rev().find_map(|turn| match turn {
        Turn::User(parts) => parts.iter().find_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Media(_) => None,
        }),
        _ => None,
    });
    said.unwrap_or_default()
}

/// Endpoints count about four bytes to a token.
fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

fn compose(agent: &str, instructions: &str, input: &str, results: &[ToolResult]) -> String {
    let asked = subject(input);
    let sums_up = |text: &str| has(&text.to_ascii_lowercase(), "summar,sum up");
    let matter = matter(input);
    // What is summed up comes after what is asked, or is all that there is.
    let is_after = matter.len() < input.len();
    if results.is_empty() && (sums_up(instructions) || is_after && sums_up(asked)) {
        let first = first_sentence(matter);
        if !first.is_empty() {
            return [LABEL, &first].concat();
        }
    }
    let question = excerpt(&spoken(asked), 14);
    let usual = || ANGLES.get(fingerprint(agent, input) % ANGLES.len()).copied().unwrap_or_default();
    let (opening, topic, end) = if asks_for_reply(&question) || asks_for_reply(instructions) {
        ("Thank you for your message “", self::matter(&question), REPLY)
    } else {
        ("On “", question.as_str(), usual())
    };
    let mut text = [LABEL, opening, topic, "”: "].concat();
    for result in results {
        let outcome = if result.is_error { " failed with " } else { " gave " };
        let given = excerpt(&spoken(&result.text().replace(LABEL, "")), 14);
        text.extend(["the tool `", &result.name, "`", outcome, &given, "; "]);
    }
    text.push_str(end);
    text
}

/// A text without quotes and the signs of JSON, as it reads within a sentence and its quotes.
fn spoken(text: &str) -> String {
    let text = text.replace("\":", ": ").replace(",\"", ", ").replace("\\n", " ");
    text.chars().filter(|letter| !"{}[]\"\\“”".contains(*letter)).collect()
}

/// The beginning of a text, or of a page or a list that has it, without the tags and signs around it.
fn first_sentence(text: &str) -> String {
    let mut prose = String::new();
    // Before the first tag nothing is one.
    for piece in [">", text].concat().replace(LABEL, "").split('<') {
        prose.extend([" ", piece.split_once('>').map_or(piece, |(_, behind)| behind)]);
    }
    let prose = prose.trim_matches(['[', '"', ' ', '\n']);
    let is_end = |at: &usize| prose.get(at + 1..).is_none_or(|rest| !rest.starts_with(letters::goes_on));
    let end = prose.match_indices(['.', '!', '?']).map(|(at, _)| at).find(is_end);
    excerpt(end.and_then(|at| prose.get(..=at)).unwrap_or(prose), 30)
}

/// Whether somebody's mail is to be answered.
fn asks_for_reply(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    has(&text, "reply to") || (has(&text, "write,draft,mail") && has(&text, "reply,replies,answer"))
}

/// The question, without the simulated answers in it; where it is nothing else, what the first of those is about.
fn subject(input: &str) -> &str {
    let Some((before, answer)) = input.split_once(LABEL) else { return input };
    if !before.trim().is_empty() {
        return before;
    }
    let quoted = answer.split_once('“').and_then(|(_, rest)| rest.split_once('”'));
    quoted.map_or(answer, |(topic, _)| topic)
}

/// What a text is about, which comes after what is asked: "Reply to this mail: …".
pub(super) fn matter(text: &str) -> &str {
    text.split_once(": ").or_else(|| text.split_once(":\n")).map_or(text, |(_, matter)| matter.trim())
}

/// The end of a reply to a mail.
const REPLY: &str = "we look into it and write to you again soon. Kind regards";

const ANGLES: [&str; 4] = [
    "here the answer would weigh the main points, name one risk and propose a next step.",
    "here the answer would sum up what is known, point at a gap and say how to close it.",
    "here the answer would compare two options and say which one is better, and why.",
    "here the answer would list the facts by weight and end with a short conclusion.",
];

fn excerpt(text: &str, words: usize) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    let kept: String = all.iter().take(words).copied().collect::<Vec<_>>().join(" ");
    let kept = kept.chars().take(120).collect::<String>();
    if all.len() > words { format!("{kept} …") } else { kept }
}

/// FNV-1a, so that different questions get different answers, on every machine the same ones.
fn fingerprint(agent: &str, input: &str) -> usize {
    let hash = agent
        .bytes()
        .chain(input.bytes())
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash as usize
}

fn parts(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    words.chunks(WORDS_A_PART).map(|chunk| chunk.concat()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::Provider;
    use crate::models::sample::{SampleRequest, calling, gave};

    fn sample() -> SampleRequest {
        SampleRequest::of(Provider::Demo, "demo").weather().tool("time", json!({}))
    }

    fn called(sample: &SampleRequest) -> Option<&str> {
        let question = sample.question();
        let tool = tool(&question, last_text(question.turns));
        tool.map(|tool| tool.name.as_str())
    }

    #[test]
    fn one_tool_is_called_once() {
        let first = called(&sample()).map(str::to_owned);
        assert!(first.is_some());
        assert_eq!(called(&sample()).map(str::to_owned), first);
        let answered = [Turn::Assistant(calling("call_0", "time", json!({}))), Turn::Tools(vec![])];
        assert_eq!(called(&sample().turns(answered)), None);
        assert_eq!(called(&SampleRequest::of(Provider::Demo, "demo")), None);
    }

    #[test]
    fn the_choice_of_a_tool_is_kept_to() {
        for name in ["weather", "time"] {
            assert_eq!(called(&sample().choice(ToolChoice::Named(name.to_owned()))), Some(name));
        }
        assert!(called(&sample().choice(ToolChoice::Required)).is_some());
        assert_eq!(called(&sample().choice(ToolChoice::None)), None);
    }

    #[test]
    fn different_questions_call_different_tools() {
        let names = ["a", "b", "c", "d", "e", "f"].map(|text| {
            let sample = sample().only([Turn::text(text)]);
            called(&sample).map(str::to_owned)
        });
        assert!(names.iter().any(|name| *name != names[0]), "{names:?}");
    }

    #[test]
    fn arguments_say_what_was_said() {
        let sample = sample();
        assert_eq!(call(&sample.tools[0], "Is it  wet?").input, json!({ "city": "Is it wet?" }));
        assert_eq!(call(&sample.tools[0], "How wet is it in: Kiel?").input, json!({ "city": "Kiel?" }));
        assert_eq!(call(&sample.tools[0], "").input, json!({ "city": "[simulated] city" }));
        assert_eq!(call(&sample.tools[1], "now").input, json!({}));
    }

    #[test]
    fn an_answer_to_a_simulated_answer_is_not_about_its_words() {
        let first = compose("a", "", "Bees in winter", &[]);
        for input in [first.clone(), format!("Check this: {first}"), format!("{first} and {first}")] {
            let next = compose("b", "", &input, &[]);
            assert_eq!(next.matches("simulated").count(), 1, "{next}");
            assert_eq!(next.matches('“').count(), 1, "{next}");
        }
        assert!(compose("b", "", &first, &[]).contains("“Bees in winter”"));
        let reply = compose("b", "", "hi", &[gave("1", "ask", first.as_str().into())]);
        assert_eq!(reply.matches("simulated").count(), 1, "{reply}");
    }

    #[test]
    fn the_answer_names_what_the_tools_gave() {
        let failed = ToolResult { is_error: true, ..gave("2", "time", "no clock".into()) };
        let turns =
            [Turn::text("hi"), Turn::Tools(vec![gave("1", "weather", json!({ "sky": "grey" })), failed])];
        let text = compose("a", "", last_text(&turns), results(&turns));
        let begin = "[simulated] On “hi”: the tool `weather` gave sky: grey; \
            the tool `time` failed with no clock; here the answer would";
        assert!(text.starts_with(begin), "{text}");
    }

    #[test]
    fn what_is_quoted_reads_like_a_sentence() {
        for (input, quoted) in [
            ("Write about “bees” with [\"field\",\"dance\"]", "Write about bees with field, dance"),
            ("{\"topic\":\"bees\\nand \\\"ants\\\"\",\"many\":[1,2]}", "topic: bees and ants, many: 1,2"),
        ] {
            let text = compose("a", "", input, &[]);
            assert!(text.starts_with(&format!("[simulated] On “{quoted}”: here")), "{text}");
        }
    }

    #[test]
    fn a_summary_is_the_first_sentence_of_what_is_summed_up() {
        let page = "Bees dance to show the way. They also sleep.";
        for (instructions, input) in [
            ("", format!("Summarise this page:\n{page}")),
            ("Write a summary.", page.to_owned()),
            ("", format!("Please sum up: {page}")),
        ] {
            let summary = compose("a", instructions, &input, &[]);
            assert_eq!(summary, "[simulated] Bees dance to show the way.");
        }
        for (input, summary) in [
            (
                "Summarise: <!doctype html>\n<title>Bees</title>\n<p>Bees 2.0 dance. They sleep.",
                "Bees Bees 2.0 dance.",
            ),
            ("Sum up: [\"[simulated] Bees dance.\",\"[simulated] Ants walk.\"]", "Bees dance."),
            ("Summarise: a > b < c", "a > b c"),
        ] {
            assert_eq!(compose("a", "", input, &[]), format!("[simulated] {summary}"));
        }
        assert!(compose("a", "", "Summarise: <br>", &[]).contains("On “"));
        assert!(compose("a", "", "Summarise bees", &[]).contains("On “Summarise bees”"));
        assert!(compose("a", "Summarise.", "", &[]).contains("On “”"));
    }

    #[test]
    fn an_answer_to_a_mail_reads_like_one() {
        let reply = "[simulated] Thank you for your message “My parcel is late.”: \
            we look into it and write to you again soon. Kind regards";
        let mail = "My parcel is late.";
        for (instructions, input) in [
            ("", format!("Write a kind reply to this mail: {mail}")),
            ("", format!("Draft an answer: {mail}")),
            ("You answer mails.", mail.to_owned()),
        ] {
            assert_eq!(compose("a", instructions, &input, &[]), reply);
        }
        assert!(compose("a", "", "Reply to:\n[simulated] Hi", &[]).contains("message “Reply to:”"));
        for (instructions, input) in
            [("", "Answer this: why?"), ("Reply with one line.", "Bees"), ("", "Check this reply: no")]
        {
            assert!(!compose("a", instructions, input, &[]).contains("Thank you"), "{input}");
        }
    }
}
