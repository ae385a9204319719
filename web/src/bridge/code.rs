//! Fields of code, in whose place an editor stands once a person has focused one.

use js_sys::Promise;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
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

    /// The editor of a whole document, in the place of a text area.
    #[derive(Clone)]
    pub type DocumentField;

    /// What stands in it.
    #[wasm_bindgen(method)]
    pub fn text(this: &DocumentField) -> String;

    /// Shows another text, unless it is there.
    #[wasm_bindgen(method, js_name = show)]
    pub fn show_text(this: &DocumentField, text: &str);

    #[wasm_bindgen(method, js_name = mark)]
    fn mark_flaws(this: &DocumentField, flaws: JsValue);

    /// Selects a piece, in units of UTF-16, and scrolls to it.
    #[wasm_bindgen(method)]
    pub fn reveal(this: &DocumentField, from: u32, to: u32);

    /// Takes the focus.
    #[wasm_bindgen(method)]
    pub fn focus(this: &DocumentField);

    /// Forgets what was typed: the history of the document has it from here on.
    #[wasm_bindgen(method)]
    pub fn settle(this: &DocumentField);

    /// Ends it, before the page takes the text area away.
    #[wasm_bindgen(method, js_name = close)]
    pub fn close_text(this: &DocumentField);

    #[wasm_bindgen(method, js_name = documentField)]
    fn make_document_field(this: &Bridge, plain: &Element) -> Promise;

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
    fn evaluate_workflow(this: &Bridge, document: &str, most: u32) -> Promise;
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

impl DocumentField {
    /// Marks what is wrong with the text, in place of what was before.
    pub fn mark(&self, flaws: &[impl Serialize]) {
        // Texts and numbers always have a value.
        self.mark_flaws(flaws.serialize(&Serializer::json_compatible()).unwrap_or_default());
    }
}

impl Bridge {
    /// Makes a plain field one of code; nothing when the file for it does not come, and the field stays plain.
    pub async fn code_field(&self, plain: &Element, language: &str, port: &Port) -> Option<CodeField> {
        let Port { read, offers, entered, about } = port;
        let made = self.make_code_field(plain, language, read, offers, entered, about);
        JsFuture::from(made).await.ok().map(JsCast::unchecked_into)
    }

    /// Makes a text area the editor of a whole document; nothing when the file for it does not come, and it stays plain.
    pub async fn document_field(&self, plain: &Element) -> Option<DocumentField> {
        JsFuture::from(self.make_document_field(plain)).await.ok().map(JsCast::unchecked_into)
    }

    /// What a workflow that sends nothing makes of its values, at most so many characters of it; nothing without an answer.
    pub async fn evaluate(&self, document: &str, most: u32) -> Option<Outcome> {
        awaited(self.evaluate_workflow(document, most)).await
    }
}
