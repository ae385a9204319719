//! Fields of code: what their editors ask, answered by the language itself.

use leptos::prelude::*;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use stepweave_core::document::{Document, Step};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

use super::preview::preview;
use super::trying;
use crate::bridge::{CodeField, Port};
use crate::model::completions::{Around, Language, Offer, about as in_few_words, known_of, offers};
use crate::model::declared::schema_of;
use crate::model::joining::joined_before;
use crate::model::known::{Known, declared};
use crate::model::problem::Problem;
use crate::model::reading::{Code, byte, read, units};
use crate::model::sources::{givers, name_at};
use crate::page::state::{App, app};

/// What a field of code holds, and what can be completed in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Text with expressions in `{{ }}`.
    Template,
    /// An expression over the state.
    Expression,
    /// An expression over the state as the steps inside of its step leave it.
    Inside,
    /// An expression over the answer of a request.
    Answer,
    /// JSON.
    Json,
    /// JSON whose texts are templates.
    JsonTemplate,
    /// JavaScript.
    JavaScript,
}

impl Writes {
    /// In which language it is written.
    pub fn code(self) -> Code {
        match self {
            Self::Template => Code::Template,
            Self::Expression | Self::Inside | Self::Answer => Code::Expression,
            Self::Json => Code::Json,
            Self::JsonTemplate => Code::JsonTemplate,
            Self::JavaScript => Code::JavaScript,
        }
    }
}

/// Puts an editor in the place of a plain field, as soon as there is one. Gives what stands below the field.
pub fn become_code(
    plain: impl Fn() -> Option<Element> + 'static,
    writes: Option<Writes>,
    value: Signal<String>,
    flaw: Signal<Option<Problem>>,
) -> AnyView {
    let Some(writes) = writes else { return ().into_any() };
    let app = app();
    let is_in = RwSignal::new(false);
    let request = StoredValue::new(None);
    let held = StoredValue::new_local(None::<(CodeField, Port)>);
    Effect::new(move |_| {
        let Some(plain) = plain() else { return };
        let around = plain.closest("[data-request]").ok().flatten();
        request.set_value(around.and_then(|around| around.get_attribute("data-request")));
        let port = port(app, writes, request.get_value(), flaw, is_in);
        let bridge = app.bridge.get_value();
        spawn_local(async move {
            let Some(field) = bridge.code_field(&plain, writes.code().word(), &port).await else { return };
            let kept = field.clone();
            if held.try_set_value(Some((kept, port))).is_some() {
                // The page has taken the field away meanwhile.
                field.close();
            }
        });
    });
    let with = move |act: &dyn Fn(&CodeField)| {
        held.with_value(|held| held.iter().for_each(|(field, _)| act(field)));
    };
    Effect::new(move |_| {
        let text = value.get();
        with(&|field| field.show(&text));
    });
    Effect::new(move |_| {
        flaw.track();
        with(&|field| field.look());
    });
    on_cleanup(move || with(&|field| field.close()));
    preview(writes, value, request, is_in)
}

fn port(
    app: App,
    writes: Writes,
    request: Option<String>,
    flaw: Signal<Option<Problem>>,
    is_in: RwSignal<bool>,
) -> Port {
    let about_request = request.clone();
    let read = move |text: String| {
        let problem = flaw.try_get_untracked().flatten();
        value(&read(&text, writes.code(), problem.as_ref()))
    };
    let offered = move |text: String, at: u32| {
        let before = text.get(..byte(&text, at)).unwrap_or_default();
        let Some(known) = known(app, writes, request.as_deref()) else { return JsValue::UNDEFINED };
        let language = match writes {
            Writes::Expression | Writes::Inside | Writes::Answer => Language::Expression,
            Writes::Template | Writes::JsonTemplate => Language::Template,
            Writes::JavaScript => Language::JavaScript,
            Writes::Json => return JsValue::UNDEFINED,
        };
        let joined = joined(app, writes, request.as_deref());
        let found = app.editor.document.with_untracked(|document| {
            let schema_of = |key: &str| schema_of(document, key);
            offers(before, language, &known, &Around { joined: joined.as_deref(), schema_of: &schema_of })
        });
        let Some(found) = found else { return JsValue::UNDEFINED };
        value(&Offered { from: units(before, found.start), offers: found.offers })
    };
    // The page may have taken the field away already.
    let entered = move |now: bool| {
        let _ = is_in.try_set(now);
        if !now {
            light(app, Vec::new());
        }
    };
    let about = move |text: String, at: u32| {
        let Some(named) = name_at(&text, writes.code(), byte(&text, at)) else {
            light(app, Vec::new());
            return JsValue::UNDEFINED;
        };
        let known = known(app, writes, about_request.as_deref()).unwrap_or_default();
        let about = app.editor.document.with_untracked(|document| {
            let givers = if writes == Writes::Answer { Vec::new() } else { givers(document, &named.key) };
            light(app, givers.iter().map(|step| step.id.clone()).collect());
            About {
                from: units(&text, named.span.start as usize),
                to: units(&text, named.span.end as usize),
                origin: match writes {
                    Writes::Answer => "from the answer".to_owned(),
                    _ => origin(document, &named.key, &givers),
                },
                value: known.get(&named.key).and_then(Option::as_ref).map(in_few_words).unwrap_or_default(),
            }
        });
        value(&about)
    };
    Port::new(read, offered, entered, about)
}

/// Where a name comes from, and its last value.
#[derive(Serialize)]
struct About {
    from: u32,
    to: u32,
    origin: String,
    value: String,
}

/// Where the value of a key comes from.
pub fn origin(document: &Document, key: &str, givers: &[&Step]) -> String {
    let names: Vec<&str> = givers.iter().map(|step| step.name.as_str()).collect();
    let is_initial = document.initial_state.contains_key(key);
    let is_given = || declared(document.input.as_ref()).contains_key(key);
    match (names.is_empty(), is_initial) {
        (true, _) if is_given() => "from the input of the workflow".to_owned(),
        (false, true) => format!("from the initial state, and {}", names.join(", ")),
        (false, false) => format!("from {}", names.join(", ")),
        (true, true) => "from the initial state".to_owned(),
        (true, false) => "nothing here gives it".to_owned(),
    }
}

/// Lights the cards of steps, unless they are lit already.
pub fn light(app: App, ids: Vec<String>) {
    if app.lit.with_untracked(|lit| *lit != ids) {
        app.lit.set(ids);
    }
}

/// What can be written, for the editor.
#[derive(Serialize)]
struct Offered {
    from: u32,
    offers: Vec<Offer>,
}

/// What can be read in a field: of the answer of its request, or of the state where its step stands.
pub fn known(app: App, writes: Writes, request: Option<&str>) -> Option<Known> {
    match (writes, request) {
        (Writes::Answer, Some(key)) => Some(answer(app, key)),
        (_, Some(key)) => Some(trying::known(app, key)),
        (_, None) => {
            let step = app.editor.selected.get_untracked()?;
            let read =
                if writes == Writes::Inside { trying::known_inside_step } else { trying::known_of_step };
            Some(app.editor.document.with_untracked(|document| read(app, document, &step)))
        }
    }
}

/// The answer of whichever of the lanes before a step came, where the field reads the state that the step begins with.
fn joined(app: App, writes: Writes, request: Option<&str>) -> Option<String> {
    if matches!(writes, Writes::Answer | Writes::Inside) {
        return None;
    }
    let selected = || app.editor.selected.get_untracked();
    let step = request.map_or_else(selected, |key| trying::step_of(key).map(str::to_owned))?;
    app.editor.document.with_untracked(|document| joined_before(document, &step))
}

/// What expressions over the answer of a request can read.
fn answer(app: App, key: &str) -> Known {
    let names = app.editor.samples.with_untracked(|samples| samples.get(key).map(|sample| sample.names()));
    match names {
        Some(names) => known_of(names),
        None => ["status", "headers", "body"].into_iter().map(|name| (name.to_owned(), None)).collect(),
    }
}

fn value(value: &impl Serialize) -> JsValue {
    // Texts and numbers always have a value.
    value.serialize(&Serializer::json_compatible()).unwrap_or_default()
}
