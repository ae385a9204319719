//! What the page itself fetches, without a key or a cookie. It is needed after the first card only.

use std::pin::Pin;

use gloo_net::http::Request;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use web_sys::RequestCredentials;

type Fetched = Pin<Box<dyn Future<Output = Option<String>>>>;

/// The text at an address; nothing when it cannot be loaded.
pub async fn text(address: &str) -> Option<String> {
    let fetch = fetching().await.ok()?;
    fetch(address.to_owned()).await
}

#[wasm_split(dialogs, fallible, wasm_split_path = leptos::wasm_split)]
fn fetching() -> Result<fn(String) -> Fetched, SplitLoaderError> {
    Ok(|address| Box::pin(fetch(address)))
}

async fn fetch(address: String) -> Option<String> {
    let response = Request::get(&address).credentials(RequestCredentials::Omit).send().await.ok()?;
    if response.ok() { response.text().await.ok() } else { None }
}
