//! Sentences of the engine in the words of the page: settings are called what their fields are called, and names stand in
//! quotes.

use super::kinds::{KIND_GROUPS, Kind};
use super::upright::upright;

/// A sentence about a step of this kind, or about none. Who writes documents reads the names of settings in it, and whoever
/// looks at the page the labels of their fields.
pub fn plain(sentence: String, kind: Option<Kind>) -> String {
    let mut written = String::with_capacity(sentence.len());
    let mut rest = sentence.as_str();
    while let Some((before, (name, behind))) =
        rest.split_once('`').and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
    {
        write_words(&mut written, before, kind);
        let may_be = is_of_setting(&written) || (is_distinct(name) && !is_of_state(&written));
        let label = match may_be && !IS_READ.iter().any(|words| behind.starts_with(words)) {
            true => label(kind, name),
            false if written.ends_with(INSIDE) => label_of_any(name),
            false => None,
        };
        written.extend(["“", label.unwrap_or(name), "”"]);
        rest = behind;
    }
    write_words(&mut written, rest, kind);
    upright(written)
}

/// What the field of a setting is called, in the form of a step of this kind or of the workflow. The setting may be named
/// by its path.
pub fn label(kind: Option<Kind>, setting: &str) -> Option<&'static str> {
    let is_path = setting.starts_with("steps[");
    let own = setting.rsplit_once("].").filter(|_| is_path).map_or(setting, |(_, own)| own);
    let own = match kind {
        Some(Kind::Http) => own.strip_prefix("http.").unwrap_or(own),
        Some(Kind::Wait) => own.strip_prefix("wait.").unwrap_or(own),
        Some(Kind::End) => own.strip_prefix("end.").unwrap_or(own),
        Some(Kind::Loop) => own.strip_prefix("repeat.").unwrap_or(own),
        Some(Kind::Function) => own.strip_prefix("run.").unwrap_or(own),
        Some(Kind::Switch) if own.starts_with("cases[") => own.rsplit_once("].").map_or(own, |(_, own)| own),
        _ => own,
    };
    // That of a row is called what all of them are.
    let own = own.rsplit_once('[').filter(|_| own.ends_with(']')).map_or(own, |(rows, _)| rows);
    let of = |labels: &[(&str, &'static str)]| {
        labels.iter().find(|(name, _)| *name == own).map(|(_, label)| *label)
    };
    let general = if is_path { of(OF_A_STEP) } else { None };
    kind.and_then(|kind| of(of_kind(kind))).or(general).or_else(|| of(OF_ALL))
}

/// The fields that no other setting or key is likely to be named like.
const OF_ALL: &[(&str, &str)] = &[
    ("initialState", "Initial state"),
    ("toolChoice", "The agent"),
    ("retryCount", "Retries"),
    ("retryPolicy", "Retries"),
    ("timeoutMs", "Time limit"),
    ("onError", "If it fails, the run"),
    ("coerce", "Convert types"),
    ("maxTurns", "Model calls for one answer"),
    ("maxTokens", "Tokens"),
    ("maxCost", "US$"),
    ("limits", "Limits of a run"),
    ("limits.maxCost", "Limits of a run › US$"),
    ("limits.maxTokens", "Limits of a run › Tokens"),
    ("limits.timeoutMs", "Limits of a run › Time"),
    ("limits.maxSteps", "Limits of a run › Steps begun"),
    ("limits.stepTimeoutMs", "Limits of a run › One attempt of a step"),
    ("limits.maxEvents", "Limits of a run › Events"),
    ("limits.firstTokenMs", "Limits of a run › Until a model begins"),
    ("limits.idleMs", "Limits of a run › While it pauses"),
    ("limits.maxStateBytes", "Limits of a run › State"),
    ("limits.maxResultBytes", "Limits of a run › One result"),
];

/// The fields of every step, where a path says that it is one of a step.
const OF_A_STEP: &[(&str, &str)] = &[
    ("name", "Name"),
    ("required", "Required"),
    ("enabled", "Enabled"),
    ("input", "Input"),
    ("output", "Output"),
    ("notes", "Notes"),
];

fn of_kind(kind: Kind) -> &'static [(&'static str, &'static str)] {
    match kind {
        Kind::Agent => &[
            ("agent", "Agent"),
            ("inputFrom", "Prompt"),
            ("files", "Files"),
            ("instructions", "Instructions"),
            ("tools", "Tools"),
            ("history", "Conversation"),
            ("history.key", "Conversation"),
            ("history.maxMessages", "Messages kept"),
            ("history.maxTokens", "Tokens kept"),
            ("history.summary", "Summed up by"),
            ("fullResponse", "Answer with details"),
        ],
        Kind::Function => &[("set", "Set"), ("code", "Code"), ("handler", "Run: function")],
        Kind::Http => &[
            ("method", "Method"),
            ("url", "Address"),
            ("query", "Query"),
            ("headers", "Headers"),
            ("body", "Body"),
            ("body.json", "JSON to send"),
            ("body.form", "Fields to send"),
            ("body.text", "Text to send"),
            ("body.type", "Its media type"),
            ("body.multipart", "Fields of the form"),
            ("auth", "Key"),
            ("origins", "Allowed addresses"),
            ("success", "Succeeded if"),
            ("response", "Read the answer as"),
            ("maxBytes", "Largest answer (bytes)"),
            ("result", "Result"),
            ("pages", "Further pages"),
            ("pages.next", "Next page"),
            ("pages.cursor.query", "Parameter of the query"),
            ("pages.cursor.value", "Its value for the next page"),
            ("pages.items", "Items of a page"),
            ("pages.max", "Pages at most"),
            ("onUnknown", "If it may have been sent already"),
        ],
        Kind::Condition => &[("condition", "Condition")],
        Kind::Parallel => {
            &[("concurrency", "How many at the same time"), ("onConflict", "If two lanes write the same key")]
        }
        Kind::Switch => &[("cases", "Cases"), ("when", "When")],
        Kind::Foreach => &[
            ("items", "Items"),
            ("as", "Each item is called"),
            ("result", "Result of each item"),
            ("concurrency", "How many at the same time"),
            ("onItemError", "If an item fails"),
        ],
        Kind::Loop => &[
            ("condition", "Condition"),
            ("while", "Condition"),
            ("until", "Condition"),
            ("repeat", "Condition"),
            ("maxIterations", "Most rounds"),
            ("onMax", "After the last round"),
        ],
        Kind::Workflow => &[("with", "Sees from outside"), ("set", "Passes on")],
        Kind::Wait => &[("until", "Until"), ("ms", "Milliseconds"), ("wait", "Wait")],
        Kind::Approval => &[
            ("message", "Message to the person"),
            ("schema", "The answer"),
            ("approved", "Counts as approved when"),
            ("expiresMs", "Expires after"),
            ("expired", "Steps if nobody answers in time"),
            ("steps", "Steps when approved"),
            ("else", "Steps when refused"),
        ],
        Kind::End => &[("message", "Message"), ("scope", "What ends"), ("status", "Ends"), ("end", "Ends")],
        Kind::Sequence => &[],
    }
}

/// What documents say, and what whoever sets it on the page does.
const SAID: &[(&str, &str)] = &[
    ("write \"onMax\": \"continue\"", "have the run go on under “After the last round”"),
    ("the tool's timeoutMs", "the “Time limit of a call” of the tool"),
    ("the agent's maxTurns", "“Model calls for one answer” of the agent"),
    (" with response: \"text\"", ": choose “text” under “Read the answer as”"),
    (": resume the run then, or raise maxBackoffMs", ": run it again then"),
    (" and resume", ", and run again"),
    ("a retryPolicy", "“Retries” under “More”"),
];

/// Words between names in backticks. Names of settings stand bare among them, too.
fn write_words(written: &mut String, words: &str, kind: Option<Kind>) {
    let mut words = words.to_owned();
    for (said, meant) in SAID {
        if words.contains(said) {
            words = words.replace(said, meant);
        }
    }
    for word in words.split_inclusive(' ') {
        let name = word.trim_end_matches([' ', ',', ';', ':', '.']);
        let found = if is_distinct(name) && is_of_setting(written) { label(kind, name) } else { None };
        match found {
            Some(label) => written.extend(["“", label, "”", word.get(name.len()..).unwrap_or_default()]),
            None => written.push_str(word),
        }
    }
}

/// Whether hardly anything but a setting has such a name.
fn is_distinct(name: &str) -> bool {
    name.contains(|letter: char| letter.is_ascii_uppercase()) || name.starts_with("limits.")
}

/// Whether a name behind these words is that of a key of the state.
fn is_of_state(before: &str) -> bool {
    let last = before.trim_end().rsplit(' ').next().unwrap_or_default();
    ["no", "gives", "reads"].contains(&last) || before.ends_with(INSIDE)
}

/// What is said of a name that a text reads, right behind it.
const IS_READ: [&str; 3] = [" is not there in every run", " has no value in the first round", " is never "];

/// How the words of a step inside begin, behind its name, where they are why the one around it stopped.
const INSIDE: &str = "”: ";

/// What the field of a setting is called in the form of the first kind that has it: of a step inside the kind is not known.
fn label_of_any(setting: &str) -> Option<&'static str> {
    KIND_GROUPS.iter().flat_map(|group| group.kinds).find_map(|kind| label(Some(*kind), setting))
}

/// Whether a name behind these words is that of a setting: keys of the state may be called the same.
fn is_of_setting(before: &str) -> bool {
    let before = before.trim_end();
    let last = before.rsplit(' ').next().unwrap_or_default();
    before.ends_with(';')
        || ["", "its", "the", "in", "at", "use", "leave", "under", "raise", "lower"].contains(&last)
}

#[cfg(test)]
mod tests {
    use stepweave_core::grammar::{STEP, STEP_KINDS};
    use stepweave_core::shape::{Field, Shape};

    use super::*;

    #[test]
    fn settings_are_called_what_their_fields_are_called() {
        for (kind, sentence, expected) in [
            (
                Kind::Agent,
                "`inputFrom` has no value: there is no `inputFrom` in the state",
                "“Prompt” has no value: there is no “inputFrom” in the state",
            ),
            (
                Kind::Http,
                "if that is right, add \"https://a.test\" to its `origins`",
                "if that is right, add \"https://a.test\" to its “Allowed addresses”",
            ),
            (
                Kind::Http,
                "check the path and its values; `success` can take this status as an answer",
                "check the path and its values; “Succeeded if” can take this status as an answer",
            ),
            (
                Kind::Http,
                "the request of `http` goes where data says, and its `origins` do not say where it may go",
                "the request of “http” goes where data says, and its “Allowed addresses” do not say where it may go",
            ),
            (Kind::Switch, "`cases[0].when` has no value", "“When” has no value"),
            (
                Kind::Foreach,
                "`items` gives the text \"a\" instead of a list",
                "“Items” gives the text \"a\" instead of a list",
            ),
            (
                Kind::Http,
                "such as https://a.test; the name of a secret goes in `auth`",
                "such as https://a.test; the name of a secret goes in “Key”",
            ),
            (
                Kind::Http,
                "check the address; or take the answer as it is with response: \"text\"",
                "check the address; or take the answer as it is: choose “text” under “Read the answer as”",
            ),
            (Kind::Http, "nothing gives `url` before this", "nothing gives “url” before this"),
            (
                Kind::Http,
                "`body` is not there in every run: what gives it may be left out",
                "“body” is not there in every run: what gives it may be left out",
            ),
            (Kind::End, "`message` has no value: ` is broken", "“Message” has no value: ` is broken"),
            (Kind::Approval, "`message` has no value", "“Message to the person” has no value"),
            (Kind::Wait, "write | default('')", "write | default('')"),
            (
                Kind::Foreach,
                "stopped by `ask`: `inputFrom` has no value: `o.x` is undefined",
                "stopped by “ask”: “Prompt” has no value: “o.x” is undefined",
            ),
            (
                Kind::Loop,
                "stopped by `each`: stopped by `page`: `url` has no value: there is no `url` in the state",
                "stopped by “each”: stopped by “page”: “Address” has no value: there is no “url” in the state",
            ),
        ] {
            assert_eq!(plain(sentence.to_owned(), Some(kind)), expected);
        }
        assert_eq!(plain("`inputFrom` is empty".to_owned(), None), "“inputFrom” is empty");
    }

    #[test]
    fn bare_names_of_settings_are_called_what_their_fields_are_called_too() {
        for (kind, sentence, expected) in [
            (
                Some(Kind::Http),
                "raise its timeoutMs, or let it do less",
                "raise its “Time limit”, or let it do less",
            ),
            (
                Some(Kind::Http),
                "try again; a retryPolicy does so by itself",
                "try again; “Retries” under “More” does so by itself",
            ),
            (
                Some(Kind::Http),
                "then run again from this step, or set its onUnknown to \"retry\" or \"skip\" and resume",
                "then run again from this step, or set its “If it may have been sent already” to \"retry\" or \"skip\", and run again",
            ),
            (
                Some(Kind::Agent),
                "a retryPolicy waits for 60 s at most: resume the run then, or raise maxBackoffMs",
                "“Retries” under “More” waits for 60 s at most: run it again then",
            ),
            (
                Some(Kind::Loop),
                "check its condition, raise maxIterations, or write \"onMax\": \"continue\"",
                "check its condition, raise “Most rounds”, or have the run go on under “After the last round”",
            ),
            (
                None,
                "raise limits.timeoutMs, or make the slow steps faster",
                "raise “Limits of a run › Time”, or make the slow steps faster",
            ),
            (
                Some(Kind::Agent),
                "what stands in `retryCount` is not valid yet",
                "what stands in “Retries” is not valid yet",
            ),
            (
                Some(Kind::Http),
                "what stands in `http.body.json` is not valid yet",
                "what stands in “JSON to send” is not valid yet",
            ),
            (
                Some(Kind::Http),
                "what stands in `http.query[2]` is not valid yet",
                "what stands in “Query” is not valid yet",
            ),
            (Some(Kind::Wait), "`steps[1].name` is empty", "“Name” is empty"),
            (Some(Kind::Switch), "`steps[0].cases[1].when` is no text", "“When” is no text"),
            (
                Some(Kind::Foreach),
                "there is no `timeoutMs` in the state",
                "there is no “timeoutMs” in the state",
            ),
            (
                Some(Kind::Http),
                "the site says: maxBytes is too large",
                "the site says: maxBytes is too large",
            ),
        ] {
            assert_eq!(plain(sentence.to_owned(), kind), expected);
        }
    }

    /// What only JSON has a field for, and what is no field: where steps stand, and what the page chooses by itself.
    const WITHOUT_FIELD: &[&str] = &[
        "id",
        "type",
        "steps",
        "else",
        "default",
        "parallel",
        "http",
        "run",
        "version",
        "pages.cursor",
        // Each way of a key has fields of its own, and its problem names the key.
        "auth.bearer",
        "auth.basic",
        "auth.header",
        "auth.query",
        "auth.oauth2",
    ];

    #[test]
    fn every_setting_of_a_step_that_an_error_can_name_has_the_label_of_its_field() {
        let mut lacking = Vec::new();
        for shape in STEP_KINDS {
            let word = shape.word;
            let kind = Kind::of_word(word);
            let own = shape.own.fields.iter().flat_map(|field| paths("", field));
            let common = STEP.fields.iter().map(|field| format!("steps[0].{}", field.key));
            lacking.extend(
                own.chain(common)
                    .filter(|path| {
                        let path = path.trim_start_matches("steps[0].");
                        let own = ["http.", "wait.", "end.", "repeat.", "run."]
                            .iter()
                            .find_map(|own| path.strip_prefix(own));
                        let is_without = |name: &str| {
                            WITHOUT_FIELD.iter().any(|one| {
                                name == *one
                                    || name.strip_prefix(one).is_some_and(|rest| rest.starts_with('.'))
                                        && one.starts_with("auth")
                            })
                        };
                        !is_without(own.unwrap_or(path)) && label(kind, &format!("steps[0].{path}")).is_none()
                    })
                    .map(|path| format!("{word}: {path}")),
            );
        }
        assert_eq!(lacking, Vec::<String>::new());
    }

    /// The names of a field and of those in it.
    fn paths(before: &str, field: &Field) -> Vec<String> {
        let own = format!("{before}{}", field.key);
        let inside = match &field.shape {
            Shape::Object(object) | Shape::OneOf(object) => object.fields,
            _ => &[],
        };
        let inside = inside.iter().flat_map(|inside| paths(&format!("{own}."), inside)).collect::<Vec<_>>();
        [own].into_iter().chain(inside).collect()
    }
}
