//! Texts without the keys in them, as `withoutShapes` of `ts/import/secrets` makes them: the tests of both read the same
//! cases.

use super::{Place, is_secret, length, table};

/// What stands where a key stood.
pub const GONE: &str = "(a key was here)";

/// The same in an address, which has no spaces.
pub const GONE_IN_ADDRESS: &str = "a-key-was-here";

/// What is sent in a header before a key, with the key.
const SCHEMES: [&str; 2] = ["Bearer\\s{1,}[\\w.~+/-]{20,}={0,}", "Basic\\s{1,}[A-Za-z0-9+/]{8,}={0,2}"];

/// What a key in an address has, and what two of them have with a slash between them.
const KEY: &str = "[^\\s\"'`<>{}?#\\\\]{1,}";
const WORD: &str = "[^\\s\"'`<>{}?#\\\\/]{1,}";
const WORDS: &str = "[^\\s\"'`<>{}?#\\\\/]{1,}/[^\\s\"'`<>{}?#\\\\/]{1,}";

/// Addresses whose path is the key: what says whose they are, and the key.
const ADDRESSES: [(&str, &str); 25] = [
    ("hooks.slack.com/services/", KEY),
    ("hooks.slack.com/workflows/", KEY),
    ("hooks.slack.com/triggers/", KEY),
    ("hooks.slack-gov.com/services/", KEY),
    ("hooks.slack-gov.com/workflows/", KEY),
    ("hooks.slack-gov.com/triggers/", KEY),
    ("discord.com/api/webhooks/", WORDS),
    ("discord.com/api/v\\d{1,}/webhooks/", WORDS),
    ("discordapp.com/api/webhooks/", WORDS),
    ("discordapp.com/api/v\\d{1,}/webhooks/", WORDS),
    (".webhook.office.com/webhookb2/", KEY),
    ("outlook.office.com/webhook/", KEY),
    ("outlook.office365.com/webhook/", KEY),
    ("hooks.zapier.com/hooks/catch/", KEY),
    ("hook.make.com/", KEY),
    ("hook.[\\w-]{1,20}.make.com/", KEY),
    ("hook.integromat.com/", KEY),
    ("hook.[\\w-]{1,20}.integromat.com/", KEY),
    ("maker.ifttt.com/trigger/[^\\s\"'`<>/]{1,}/with/key/", WORD),
    ("maker.ifttt.com/trigger/[^\\s\"'`<>/]{1,}/json/with/key/", WORD),
    ("open.feishu.cn/open-apis/bot/hook/", WORD),
    ("open.feishu.cn/open-apis/bot/v2/hook/", WORD),
    ("open.larksuite.com/open-apis/bot/hook/", WORD),
    ("open.larksuite.com/open-apis/bot/v2/hook/", WORD),
    ("api.telegram.org/bot", WORD),
];

/// Whether something in a text looks like a key.
pub fn has_key(text: &str) -> bool {
    without_keys(text) != text
}

/// A text without what looks like a key, whatever it stands under.
pub fn without_keys(text: &str) -> String {
    let text = replaced(text, private);
    let text = replaced(&text, shape);
    let lower = text.to_ascii_lowercase();
    let text = replaced(&text, |before, rest| address(before, rest, lower.get(before.len()..)?));
    let text = replaced(&text, user);
    replaced(&text, parameter)
}

/// What of a text stays, how long it is with what goes, and what is put there instead.
struct Found {
    kept: usize,
    length: usize,
    instead: &'static str,
}

/// A text in which everything is replaced that is found in what is left of it; what is before it is given too.
fn replaced(text: &str, find: impl Fn(&str, &str) -> Option<Found>) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    while let Some((before, rest)) = text.split_at_checked(at) {
        let Some(letter) = rest.chars().next() else { break };
        match find(before, rest) {
            Some(Found { kept, length, instead }) => {
                clean.push_str(rest.get(..kept).unwrap_or_default());
                clean.push_str(instead);
                at += length.max(letter.len_utf8());
            }
            None => {
                clean.push(letter);
                at += letter.len_utf8();
            }
        }
    }
    clean
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Whether a text ends where a word may begin.
fn ends_a_word(before: &str) -> bool {
    !before.ends_with(is_of_word)
}

/// A key of a service, or what is sent in a header before a key.
fn shape(before: &str, rest: &str) -> Option<Found> {
    let begins = (ends_a_word(before) && !before.ends_with('-'))
        || ["\\n", "\\r", "\\t"].iter().any(|escape| before.ends_with(escape));
    if !begins {
        return None;
    }
    let of_service = table().shapes.iter().find_map(|shape| length(rest, shape));
    let length = of_service.or_else(|| {
        let length = SCHEMES.iter().find_map(|shape| length(rest, shape))?;
        // A word behind “Basic” is no user with a password.
        let has_sign = || {
            rest.get(..length)
                .is_some_and(|text| text.contains(|sign: char| sign.is_ascii_digit() || sign == '='))
        };
        (rest.starts_with("Bearer") || has_sign()).then_some(length)
    })?;
    Some(Found { kept: 0, length, instead: GONE })
}

/// A private key between its lines.
fn private(_before: &str, rest: &str) -> Option<Found> {
    const END: &str = "PRIVATE KEY-----";
    let head = rest.strip_prefix("-----BEGIN ")?;
    let at = head.find(END).filter(|at| *at <= 30)?;
    let body = head.get(at + END.len()..)?;
    let is_of_key =
        |letter: char| letter.is_ascii_alphanumeric() || letter.is_whitespace() || "+/=:,\\".contains(letter);
    let length = body.find(|letter| !is_of_key(letter)).unwrap_or(body.len());
    if length < 40 {
        return None;
    }
    let behind = body.get(length..)?;
    let end = behind.strip_prefix("-----END ").and_then(|tail| tail.find(END)).filter(|at| *at <= 30);
    let tail = end.map_or(0, |at| "-----END ".len() + at + END.len());
    Some(Found { kept: 0, length: rest.len() - behind.len() + tail, instead: GONE })
}

/// A key in the path of an address. A variable of a shell is none, and neither is what stands where one was.
fn address(before: &str, rest: &str, lower: &str) -> Option<Found> {
    let of_host = || {
        let begins = |host: &str| host.starts_with('.') || ends_a_word(before);
        let mut hosts = ADDRESSES.iter().filter(|(host, _)| begins(host));
        hosts.find_map(|(host, key)| {
            let kept = length(lower, host)?;
            Some((kept, length(rest.get(kept..)?, key)?))
        })
    };
    // The file of a bot's message is behind its key too.
    let of_file = || {
        let kept = ends_a_word(before).then(|| length(lower, "api.telegram.org/file/bot")).flatten()?;
        Some((kept, length(rest.get(kept..)?, WORD)?))
    };
    let of_hook = || {
        let key = length(rest.strip_prefix("/hooks/")?, "[a-z0-9]{26}")?;
        let behind = rest.get("/hooks/".len() + key..)?;
        (!behind.starts_with(is_of_word)).then_some(("/hooks/".len(), key))
    };
    let of_bot = || Some(("/bot".len(), length(rest.strip_prefix("/bot")?, "\\d{6,}:[\\w-]{20,}")?));
    let (kept, key) = of_host().or_else(of_file).or_else(of_hook).or_else(of_bot)?;
    let is_none =
        rest.get(kept..).is_some_and(|key| key.starts_with('$') || key.starts_with(GONE_IN_ADDRESS));
    (!is_none).then_some(Found { kept, length: kept + key, instead: GONE_IN_ADDRESS })
}

/// The password of an address; or its user, when there is no password and the user looks like a key.
fn user(_before: &str, rest: &str) -> Option<Found> {
    let after = rest.strip_prefix("://")?;
    let end = after.find(|sign: char| sign.is_whitespace() || "/?#@\"'`<>{}".contains(sign))?;
    let (user, behind) = after.split_at_checked(end)?;
    if !behind.starts_with('@') {
        return None;
    }
    let kept = "://".len();
    match user.split_once(':').filter(|(_, password)| !password.is_empty()) {
        Some((name, _)) => Some(Found { kept: kept + name.len(), length: kept + end, instead: ":" }),
        None => {
            let name = user.strip_suffix(':').unwrap_or(user);
            let is_key = length(name, "[\\w-]{20,}") == Some(name.len());
            is_key.then_some(Found { kept, length: kept + end, instead: ":" })
        }
    }
}

/// A value of a query under the name of a key.
fn parameter(_before: &str, rest: &str) -> Option<Found> {
    let after = rest.strip_prefix(['?', '&'])?;
    let name = length(after, "[\\w.%-]{1,}")?;
    let value = length(after.get(name..)?.strip_prefix('=')?, "[^&#\\s\"'`<>{}\\\\]{1,}")?;
    let kept = name + 2;
    let is_variable = rest.get(kept..)?.starts_with('$');
    let is_key = !is_variable && is_secret(after.get(..name)?, Place::Parameter);
    is_key.then_some(Found { kept, length: kept + value, instead: "" })
}
