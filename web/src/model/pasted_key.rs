//! Keys that were pasted where a name belongs: a name is stored with the workflow as it is, and a key must not be.

use super::keys::has_shape_of_key;

/// What to do about one. It is not quoted, since whatever is shown may be copied.
pub const PASTED_KEY: &str = "This looks like a key, and the name is stored with the workflow. Paste the key into the field of the key instead, and give a name such as MY_KEY here.";

/// Letters and digits in a row that may be no words.
const LONG: usize = 20;

/// Whether a text that should be a name looks like a key.
pub fn looks_like_key(text: &str) -> bool {
    let text = text.trim();
    let mut runs = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    has_shape_of_key(text) || runs.any(|run| run.len() >= LONG && is_mixed(run))
}

/// Whether no word is written like that: small letters beside capitals and digits, or beside many digits.
fn is_mixed(run: &str) -> bool {
    let count = |is: fn(&char) -> bool| run.chars().filter(is).count();
    let (small, capital, digits) =
        (count(char::is_ascii_lowercase), count(char::is_ascii_uppercase), count(char::is_ascii_digit));
    small > 0 && ((capital > 0 && digits > 0) || digits > 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_services_look_like_keys() {
        for key in [
            "gsk_abcdefghijklmnop1234567890",
            " sk-proj-abcdefghijklmnopqrstuvwx ",
            "sk-1234567890abcdef",
            "AIzaSyA1234567890abcdefghijklmnopqrstuv",
            "hf_abcdefghijKLMNOPqrstuvwxYZ",
            "AKIAIOSFODNN7EXAMPLE",
            "0123456789abcdef0123456789abcdef",
            "aB3dE5gH7jK9mN1pQ3sT5vW7",
            "sk_live_aB3dE5gH7jK9mN1pQ3sT5vW7",
        ] {
            assert!(looks_like_key(key), "{key}");
        }
    }

    #[test]
    fn names_do_not() {
        for name in [
            "",
            "OPENAI_API_KEY",
            "MY_KEY",
            "hf_token",
            "Openai_Key_2_of_production_2025",
            "AZURE2024PRODUCTIONKEY20250101",
            "aVeryLongNameOfTheKeyOfMine",
            "theKeyOfMyOwnPersonalAccount",
            "API_MCP_EXAMPLE_COM_8443_TOKEN",
            "gsk_my_key",
        ] {
            assert!(!looks_like_key(name), "{name}");
        }
        assert!(!PASTED_KEY.contains("sk-"));
    }
}
