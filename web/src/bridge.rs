//! What the page's TypeScript does for the builder: runs in a worker, storage, clipboard, files.

use js_sys::Function;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The object that the page hands in when it mounts the builder. Values cross as JSON text.
    pub type Bridge;

    /// Starts a run. `on_events` gets arrays of events, `on_end` a refusal or nothing. Gives the run's number.
    #[wasm_bindgen(method)]
    pub fn start(
        this: &Bridge,
        document: &str,
        options: &str,
        on_events: &Function,
        on_end: &Function,
    ) -> u32;

    /// Stops a run.
    #[wasm_bindgen(method)]
    pub fn cancel(this: &Bridge, run: u32);

    /// Checks a document with the engine; `on_problems` gets the array of problems.
    #[wasm_bindgen(method)]
    pub fn validate(this: &Bridge, document: &str, on_problems: &Function);

    /// Reports the status of the browser's own model: `none`, `unavailable`, `downloadable`, `downloading` or
    /// `available`.
    #[wasm_bindgen(method, js_name = onDevice)]
    pub fn on_device(this: &Bridge, on_told: &Function);

    /// Keeps a text for the next visit; `on_saved` gets whether it worked.
    #[wasm_bindgen(method)]
    pub fn save(this: &Bridge, text: &str, on_saved: &Function);

    /// Saves a text under this tab's key, then continues under a key that another tab has left. `on_kept` receives
    /// the text saved there, or nothing when another tab has it open.
    #[wasm_bindgen(method, js_name = takeOver)]
    pub fn take_over(this: &Bridge, place: &str, text: &str, on_kept: &Function);

    /// Keeps a text while the page is going away.
    #[wasm_bindgen(method, js_name = saveOnLeaving)]
    pub fn save_on_leaving(this: &Bridge, text: &str);

    /// What a person has set for the page by this name; nothing when nothing is remembered.
    #[wasm_bindgen(method)]
    pub fn preference(this: &Bridge, name: &str) -> Option<String>;

    /// Remembers what a person sets for the page by this name, if the browser stores anything.
    #[wasm_bindgen(method)]
    pub fn prefer(this: &Bridge, name: &str, value: &str);

    /// Puts a text on the clipboard; `on_done` gets whether it worked.
    #[wasm_bindgen(method)]
    pub fn copy(this: &Bridge, text: &str, on_done: &Function);

    /// Offers a text as a file.
    #[wasm_bindgen(method)]
    pub fn download(this: &Bridge, name: &str, text: &str);
}

/// A function for the bridge to call once with a text; nothing when it is called without one.
pub fn once_with_text(call: impl FnOnce(Option<String>) + 'static) -> Function {
    Closure::once_into_js(move |text: JsValue| call(text.as_string())).unchecked_into()
}

/// A function for the bridge to call once with yes or no.
pub fn once_with_answer(call: impl FnOnce(bool) + 'static) -> Function {
    Closure::once_into_js(move |answer: JsValue| call(answer.is_truthy())).unchecked_into()
}
