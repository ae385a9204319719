//! The keys that a person has this device remember, encrypted with a passphrase.

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::awaited;

#[wasm_bindgen]
extern "C" {
    /// The keys of this device.
    #[derive(Clone)]
    pub type Vault;

    /// `none`, `locked` or `open`.
    #[wasm_bindgen(method, getter)]
    pub fn state(this: &Vault) -> String;

    #[wasm_bindgen(method, js_name = remember)]
    fn remember_keys(this: &Vault, passphrase: &str, keys: &str) -> Promise;

    #[wasm_bindgen(method, js_name = unlock)]
    fn unlock_keys(this: &Vault, passphrase: &str, keys: &str) -> Promise;

    #[wasm_bindgen(method, js_name = update)]
    fn update_keys(this: &Vault, keys: &str) -> Promise;

    /// Forgets all of it.
    #[wasm_bindgen(method)]
    pub fn forget(this: &Vault);
}

impl Vault {
    /// Remembers these keys with a new passphrase; whether it is stored.
    pub async fn remember(&self, passphrase: &str, keys: &str) -> bool {
        awaited(self.remember_keys(passphrase, keys)).await.unwrap_or_default()
    }

    /// These keys with the remembered ones; nothing when the passphrase is another one.
    pub async fn unlock(&self, passphrase: &str, keys: &str) -> Option<String> {
        awaited::<Option<String>>(self.unlock_keys(passphrase, keys)).await.flatten()
    }

    /// Remembers what has changed in these keys, with the passphrase of this visit; whether it is stored.
    pub async fn update(&self, keys: &str) -> bool {
        awaited(self.update_keys(keys)).await.unwrap_or_default()
    }
}
