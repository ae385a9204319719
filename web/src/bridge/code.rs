//! Fields of code, in whose place an editor stands once a person has focused one.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Element;

use super::{Bridge, Outcome, awaited};

#[wasm_bindgen]
extern "C" {
    /// A field with its editor.
    #[derive(Clone)]
    pub type CodeField;

    /// Shows another text, unless it is there.
    #[wasm_bindgen(method)]
    pub fn show(this: &CodeField, text: &str);

    /// Looks again what is wrong with the text.
    #[wasm_bindgen(method)]
    pub fn look(this: &CodeField);

    /// Ends it, before the page takes the field away.
    #[wasm_bindgen(method)]
    pub fn close(this: &CodeField);

    #[wasm_bindgen(method, js_name = codeField)]
    fn make_code_field(
        this: &Bridge,
        plain: &Element,
        language: &str,
        read: &Closure<Read>,
        offers: &Closure<Offers>,
        entered: &Closure<Entered>,
        about: &Closure<About>,
    ) -> Promise;

    #[wasm_bindgen(method, js_name = evaluate)]
    fn evaluate_workflow(this: &Bridge, document: &str) -> Promise;
}

type Read = dyn Fn(String) -> JsValue;
type Offers = dyn Fn(String, u32) -> JsValue;
type Entered = dyn Fn(bool);
type About = dyn Fn(String, u32) -> JsValue;

/// What the editor asks about the text; it must be kept as long as the field.
#[derive(Debug)]
pub struct Port {
    read: Closure<Read>,
    offers: Closure<Offers>,
    entered: Closure<Entered>,
    about: Closure<About>,
}

impl Port {
    /// What a text is, what can be written at a position, what happens when the focus comes and goes, and what is to be
    /// said of the name at a position.
    pub fn new(
        read: impl Fn(String) -> JsValue + 'static,
        offers: impl Fn(String, u32) -> JsValue + 'static,
        entered: impl Fn(bool) + 'static,
        about: impl Fn(String, u32) -> JsValue + 'static,
    ) -> Self {
        Self {
            read: Closure::new(read),
            offers: Closure::new(offers),
            entered: Closure::new(entered),
            about: Closure::new(about),
        }
    }
}

impl Bridge {
    /// Makes a plain field one of code; nothing when the file for it does not come, and the field stays plain.
    pub async fn code_field(&self, plain: &Element, language: &str, port: &Port) -> Option<CodeField> {
        let Port { read, offers, entered, about } = port;
        let made = self.make_code_field(plain, language, read, offers, entered, about);
        JsFuture::from(made).await.ok().map(JsCast::unchecked_into)
    }

    /// The beginning of what a workflow that sends nothing makes of its values; nothing without an answer.
    pub async fn evaluate(&self, document: &str) -> Option<Outcome> {
        awaited(self.evaluate_workflow(document)).await
    }
}
