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
        written.push_str(before);
        let label = match is_of_setting(&written) {
            true => label(kind, name),
            false if written.ends_with(INSIDE) => label_of_any(name),
            false => None,
        };
        written.extend(["“", label.unwrap_or(name), "”"]);
        rest = behind;
    }
    written.push_str(rest);
    upright(written)
}

/// What the field of a setting is called, in the form of a step of this kind.
pub fn label(kind: Option<Kind>, setting: &str) -> Option<&'static str> {
    Some(match (kind, setting) {
        (_, "initialState") => "Initial state",
        (_, "toolChoice") => "The agent",
        (Some(Kind::Agent), "inputFrom") => "Prompt",
        (Some(Kind::Agent), "files") => "Files",
        (Some(Kind::Agent), "instructions") => "Instructions",
        (Some(Kind::Agent), "tools") => "Tools",
        (Some(Kind::Http), "url" | "http.url") => "Address",
        (Some(Kind::Http), "origins" | "http.origins") => "Sites",
        (Some(Kind::Http), "auth" | "http.auth") => "Key",
        (Some(Kind::Http), "method" | "http.method") => "Method",
        (Some(Kind::Http), "success" | "http.success") => "Succeeded if",
        (Some(Kind::Http), "result" | "http.result") => "Result",
        (Some(Kind::Http), "body.text" | "http.body.text") => "Text to send",
        (Some(Kind::Http), "pages.items" | "http.pages.items") => "Items of a page",
        (Some(Kind::Http), "pages.next" | "http.pages.next") => "Next page",
        (Some(Kind::Http), "pages.cursor.value") => "Its value for the next page",
        (Some(Kind::Foreach), "items") => "Items",
        (Some(Kind::Foreach), "result") => "Result of each item",
        (Some(Kind::Switch), case) if case.starts_with("cases[") && case.ends_with("].when") => "When",
        (Some(Kind::Condition | Kind::Loop), "condition") => "Condition",
        (Some(Kind::Wait), "until" | "wait.until") => "Until",
        (Some(Kind::Wait), "ms" | "wait.ms") => "Milliseconds",
        (Some(Kind::Approval), "message") => "Message to the person",
        (Some(Kind::Approval), "approved") => "Counts as approved when",
        (Some(Kind::Approval), "expired") => "Steps if nobody answers in time",
        (Some(Kind::End), "message" | "end.message") => "Message",
        (Some(Kind::End), "scope" | "end.scope") => "What ends",
        _ => return None,
    })
}

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
    before.ends_with(';') || ["", "its", "the", "in", "at", "use", "leave", "under"].contains(&last)
}

#[cfg(test)]
mod tests {
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
                "if that is right, add \"https://a.test\" to its “Sites”",
            ),
            (
                Kind::Http,
                "check the path and its values; `success` can take this status as an answer",
                "check the path and its values; “Succeeded if” can take this status as an answer",
            ),
            (
                Kind::Http,
                "the request of `http` goes where data says, and its `origins` do not say where it may go",
                "the request of “http” goes where data says, and its “Sites” do not say where it may go",
            ),
            (Kind::Switch, "`cases[0].when` has no value", "“When” has no value"),
            (Kind::Foreach, "`items` gives no list", "“Items” gives no list"),
            (Kind::Http, "nothing gives `url` before this", "nothing gives “url” before this"),
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
}
