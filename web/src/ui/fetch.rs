//! What the page itself fetches, without a key or a cookie. It is needed after the first card only.

use std::pin::Pin;

use gloo_net::http::{Request, Response};
use js_sys::{Reflect, Uint8Array};
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, ReferrerPolicy, RequestCredentials, RequestRedirect};

use super::dropping::MOST_BYTES;

type Fetched = Pin<Box<dyn Future<Output = Option<String>>>>;

/// The text at an address of the page's own site; nothing when it cannot be loaded.
pub async fn text(address: &str) -> Option<String> {
    let fetch = fetching().await.ok()?;
    fetch(address.to_owned()).await
}

/// The link that a text is, if it is one and nothing else.
pub fn link(text: &str) -> Option<&str> {
    let link = text.trim();
    let (scheme, _) = link.split_once("://")?;
    let is_link = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_link && !link.contains(char::is_whitespace)).then_some(link)
}

/// The text at a link.
///
/// # Errors
/// Why it cannot be had, as a person reads it.
pub async fn from_elsewhere(link: &str) -> Result<String, String> {
    if !link.starts_with("https://") && !link.starts_with("http://") {
        return Err("Only links that begin with https:// are followed: download the file and drop it here."
            .to_owned());
    }
    let insecure = link.strip_prefix("http://").is_some_and(|rest| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        !["localhost", "127.0.0.1"].contains(&name)
    });
    if insecure {
        return Err("This link is not encrypted, and so is not followed: use its https address, or download the file and drop it here.".to_owned());
    }
    let sent = Request::get(link)
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        // Whoever agreed to this address agreed to no other.
        .redirect(RequestRedirect::Manual)
        .send()
        .await;
    let Ok(response) = sent else {
        return Err("This link cannot be read from here: its site does not allow other pages to read it, or you are offline. Download the file and drop it here.".to_owned());
    };
    // A redirect that is not followed has no status.
    if response.status() == 0 {
        return Err("This link leads to another address, which is not followed: open it in a tab of its own, and use the address where it ends.".to_owned());
    }
    if !response.ok() {
        return Err(format!(
            "This link cannot be read: its site answers with the status {}.",
            response.status()
        ));
    }
    bounded(&response).await.ok_or_else(|| {
        "What is at this link is larger than 10 MB, is no text, or broke off: that is no workflow.".to_owned()
    })
}

/// The text of an answer, which is read only as far as it may be large.
async fn bounded(response: &Response) -> Option<String> {
    let reader: ReadableStreamDefaultReader = response.body()?.get_reader().dyn_into().ok()?;
    let mut bytes = Vec::new();
    loop {
        let read = JsFuture::from(reader.read()).await.ok()?;
        if Reflect::get(&read, &"done".into()).ok()?.is_truthy() {
            return String::from_utf8(bytes).ok();
        }
        let chunk: Uint8Array = Reflect::get(&read, &"value".into()).ok()?.dyn_into().ok()?;
        bytes.extend(chunk.to_vec());
        if bytes.len() as f64 > MOST_BYTES {
            drop(reader.cancel());
            return None;
        }
    }
}

#[wasm_split(dialogs, fallible, wasm_split_path = leptos::wasm_split)]
fn fetching() -> Result<fn(String) -> Fetched, SplitLoaderError> {
    Ok(|address| Box::pin(fetch(address)))
}

async fn fetch(address: String) -> Option<String> {
    let response = Request::get(&address).credentials(RequestCredentials::Omit).send().await.ok()?;
    if response.ok() { response.text().await.ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn a_text_that_is_a_link_and_nothing_else_is_one() {
        assert_eq!(link(" https://example.com/w.json\n"), Some("https://example.com/w.json"));
        assert_eq!(link("ftp://example.com/w.json"), Some("ftp://example.com/w.json"));
        for text in ["see https://example.com", "https://a.example b", "://a", "{}", ""] {
            assert_eq!(link(text), None, "{text}");
        }
    }
}
