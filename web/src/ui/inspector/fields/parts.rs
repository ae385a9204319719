//! The fields and files of a form that a request sends.

use leptos::prelude::*;
use stepweave_core::document::{FormPart, HttpBody, HttpRequest};

use super::bound::{Bound, BoundChoice, BoundLines, BoundText, or_empty};
use super::many::{rest_of, shown_of};
use super::request::part;
use crate::page::icon::{PLUS, TRASH, icon};
use crate::ui::code::Writes;

/// The fields and files.
#[component]
pub fn PartFields(
    /// The request.
    request: Bound<HttpRequest>,
) -> impl IntoView {
    let whole = part(&request, ".body.multipart", |request| parts_of(&request).len(), |_, _| ());
    let count = whole.signal();
    let all = StoredValue::new(part(
        &request,
        ".body.multipart",
        |request| parts_of(&request).to_vec(),
        |request, parts| {
            request.body = Some(HttpBody::Multipart(parts));
        },
    ));
    let add = move |_| {
        let mut parts = untrack(|| all.get_value().get());
        parts.push(FormPart { name: "field".to_owned(), text: Some(String::new()), ..FormPart::default() });
        all.get_value().pick(parts);
    };
    let remove = move |index: usize| {
        let mut parts = untrack(|| all.get_value().get());
        if index < parts.len() {
            parts.remove(index);
        }
        all.get_value().pick(parts);
    };
    let request = StoredValue::new(request);
    // They are identified by their index, so that typing into one does not rebuild it.
    let fields = move |index: usize| {
        let request = request.get_value();
        let name = one(&request, index, "name", |part| part.name, |part, name| part.name = name);
        let way = one(
            &request,
            index,
            "",
            |part| if part.file.is_some() { "file" } else { "text" }.to_owned(),
            |part, word: String| {
                let written = part.text.take().or(part.file.take());
                if word == "file" { part.file = written } else { part.text = written }
            },
        );
        let value = one(
            &request,
            index,
            "",
            |part| part.text.or(part.file).unwrap_or_default(),
            |part, text: String| {
                if part.file.is_some() { part.file = Some(text) } else { part.text = Some(text) }
            },
        );
        let filename = or_empty(one(
            &request,
            index,
            "filename",
            |part| part.filename,
            |part, name| part.filename = name,
        ));
        let media = or_empty(one(
            &request,
            index,
            "type",
            |part| part.media_type,
            |part, media| part.media_type = media,
        ));
        let number = index + 1;
        view! {
            <div class="nested case" role="group" aria-label=format!("Field {number}")>
                <div class="case-head">
                    <b>"Field " {number}</b>
                    <button class="icon-button danger" title="Remove this field" aria-label=format!("Remove field {number}") on:click=move |_| remove(index)>{icon(TRASH)}</button>
                </div>
                <BoundText label="Its name" bound=name code=true />
                <BoundChoice label="It is" bound=way options=&[("text", "a text: a template"), ("file", "a file: an expression")] />
                <BoundLines label="Its value" bound=value rows=1 code=true writes=Writes::Template />
                <div class="pair">
                    <BoundText label="File name" bound=filename code=true placeholder="none" />
                    <BoundText label="Media type" bound=media code=true placeholder="by its value" />
                </div>
            </div>
        }
    };
    view! {
        <div class="field" role="group" aria-label="Fields of the form">
            <For each=move || 0..shown_of(count.get()) key=|at| *at children=fields />
            {move || rest_of(count.get())}
            <button class="text-button" on:click=add>{icon(PLUS)} "Add a field"</button>
        </div>
    }
}

fn parts_of(request: &HttpRequest) -> &[FormPart] {
    match &request.body {
        Some(HttpBody::Multipart(parts)) => parts,
        _ => &[],
    }
}

fn one<T: Default + 'static>(
    request: &Bound<HttpRequest>,
    index: usize,
    key: &str,
    read: impl Fn(FormPart) -> T + Send + Sync + 'static,
    write: impl Fn(&mut FormPart, T) + Send + Sync + 'static,
) -> Bound<T> {
    let path = if key.is_empty() {
        format!(".body.multipart[{index}]")
    } else {
        format!(".body.multipart[{index}].{key}")
    };
    let read =
        move |request: HttpRequest| parts_of(&request).get(index).cloned().map(&read).unwrap_or_default();
    part(request, &path, read, move |request, value| {
        if let Some(HttpBody::Multipart(parts)) = &mut request.body
            && let Some(part) = parts.get_mut(index)
        {
            write(part, value);
        }
    })
}
