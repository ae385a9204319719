//! The fields of a form: one for each value, lists with a row for each item, objects with a field for each key.

use leptos::ev;
use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::json;
use wasm_bindgen::JsCast;

use super::choosing::{FileField, Room};
use super::field::{Choice, Switch, TextArea, TextField, below, complained};
use crate::model::form::{Field, Form, Input, Wrong, items_of, joined, parts, rows_of};
use crate::page::icon::{CLOSE, PLUS, icon};

/// The fields.
#[component]
pub fn Filling(
    /// The form.
    form: Form,
    /// What stands in each field.
    texts: RwSignal<Vec<String>>,
    /// What is wrong with it.
    wrong: RwSignal<Vec<Wrong>>,
) -> impl IntoView {
    let forget = Callback::new(move |path: Vec<usize>| {
        wrong.update(|wrong| wrong.retain(|one| !one.path.starts_with(&path)));
    });
    let fields: Vec<Field> = form.fields().into_iter().cloned().collect();
    fields
        .into_iter()
        .enumerate()
        .map(|(at, field)| {
            let text = Signal::derive(move || texts.with(|texts| texts.get(at).cloned().unwrap_or_default()));
            let set = move |text: String| {
                texts.update(|texts| texts.get_mut(at).into_iter().for_each(|own| own.clone_from(&text)));
            };
            view! { <Fill field=field text=text on_text=set path=vec![at] wrong=wrong forget=forget /> }
        })
        .collect_view()
}

/// One field, which may be inside of another one.
#[component]
fn Fill(
    field: Field,
    text: Signal<String>,
    #[prop(into)] on_text: Callback<String>,
    path: Vec<usize>,
    wrong: RwSignal<Vec<Wrong>>,
    forget: Callback<Vec<usize>>,
) -> AnyView {
    let own = StoredValue::new(path.clone());
    let set = move |text: String| {
        forget.run(own.get_value());
        on_text.run(text);
    };
    let error = Signal::derive(move || {
        wrong.with(|wrong| {
            own.with_value(|own| wrong.iter().find(|one| one.path == *own).map(|one| one.text.clone()))
        })
    });
    let label = if field.required { field.label.clone() } else { format!("{} (optional)", field.label) };
    let hint = Signal::stored(field.hint.clone());
    // A list and a group are several fields, so what is wrong inside of them is not forgotten with every letter.
    let part = move |at: usize| {
        let value =
            Signal::derive(move || text.with(|text| parts(text).get(at).cloned().unwrap_or_default()));
        let set = move |changed: String| {
            let mut all = parts(&text.get_untracked());
            if all.len() <= at {
                all.resize(at + 1, String::new());
            }
            all.get_mut(at).into_iter().for_each(|own| own.clone_from(&changed));
            on_text.run(joined(&all));
        };
        (value, set, own.with_value(|own| own.iter().copied().chain([at]).collect::<Vec<_>>()))
    };
    match field.input {
        Input::Text => view! { <TextArea label=label value=text on_input=set error=error hint=hint rows=2 /> }.into_any(),
        Input::Number | Input::Integer => {
            view! { <TextField label=label value=text on_input=set error=error hint=hint /> }.into_any()
        }
        Input::Boolean if !field.required => {
            let options = [("", "no answer"), ("true", "yes"), ("false", "no")];
            let options = options.map(|(value, text)| (value.to_owned(), text.to_owned())).to_vec();
            view! { <Choice label=label value=text options=Signal::stored(options) on_pick=set /> }.into_any()
        }
        Input::Boolean => {
            let on = Signal::derive(move || text.get() == "true");
            view! { <Switch label=label hint=field.hint value=on on_change=move |on: bool| set(on.to_string()) /> }
                .into_any()
        }
        Input::Choice(values) => {
            let said = |value: &Value| value.as_str().map_or_else(|| json::text(value), str::to_owned);
            let mut options: Vec<_> = values.iter().map(|value| (json::text(value), said(value))).collect();
            if !field.required {
                options.insert(0, (String::new(), "no answer".to_owned()));
            }
            view! { <Choice label=label value=text options=Signal::stored(options) on_pick=set /> }.into_any()
        }
        Input::Group(fields) => {
            let fields = fields.into_iter().enumerate().map(move |(at, (_, field))| {
                let (value, set, path) = part(at);
                view! { <Fill field=field text=value on_text=set path=path wrong=wrong forget=forget /> }
            });
            view! { <Several label=label hint=hint error=error>{fields.collect_view()}</Several> }.into_any()
        }
        Input::List(item) => {
            let takes_lines = matches!(item.input, Input::Text | Input::Number | Input::Integer);
            // The first one is there to be written in. It is no item before that; of a yes or no, or a choice, it could not be
            // told apart from one.
            let is_begun = takes_lines || matches!(item.input, Input::Group(_) | Input::Json);
            let many = move || text.with(|text| parts(text).len());
            let count = Memo::new(move |_| many().max(usize::from(is_begun)));
            let change = move |change: &dyn Fn(&mut Vec<String>)| {
                let mut all = parts(&text.get_untracked());
                change(&mut all);
                set(joined(&all));
            };
            let item = StoredValue::new(*item);
            let empty = move || item.with_value(|item| item.text(None));
            let row = move |at: usize| {
                let (_, set, path) = part(at);
                let value = Signal::derive(move || text.with(|text| parts(text).into_iter().nth(at)).unwrap_or_else(empty));
                let set = move |written: String| {
                    let is_left_empty = takes_lines && written.is_empty() && untrack(many) <= 1;
                    if is_left_empty { change(&|all| all.clear()) } else { set(written) }
                };
                let field = Field { label: format!("Item {}", at + 1), ..item.get_value() };
                let paste = move |event: ev::ClipboardEvent| {
                    let pasted = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok());
                    let items = pasted.filter(|_| !event.default_prevented() && is_replaced(&event)).and_then(|pasted| match takes_lines {
                        true => items_of(&pasted),
                        false => item.with_value(|item| rows_of(&pasted, item, &value.get_untracked(), column_of(&event))),
                    });
                    if let Some(items) = items {
                        event.prevent_default();
                        change(&|all| {
                            let end = all.len().min(at + 1);
                            drop(all.splice(at.min(end)..end, items.clone()));
                        });
                    }
                };
                let enter = move |event: ev::KeyboardEvent| {
                    let is_alone = !(event.shift_key() || event.ctrl_key() || event.meta_key() || event.alt_key());
                    if event.key() == "Enter" && is_alone && !event.is_composing() && takes_lines {
                        event.prevent_default();
                        if untrack(many) == 0 {
                            return;
                        }
                        change(&|all| all.insert((at + 1).min(all.len()), empty()));
                        let here = current(&event);
                        begin_item(move || here.and_then(|here| here.next_element_sibling()));
                    }
                };
                view! {
                    <div class="filling-item" on:paste=paste on:keydown=enter>
                        <Fill field=field text=value on_text=set path=path wrong=wrong forget=forget />
                        <button class="icon-button" type="button" title="Remove" aria-label=format!("Remove item {}", at + 1) disabled=move || many() <= at
                            on:click=move |_| change(&|all| if at < all.len() { all.remove(at); })>{icon(CLOSE)}</button>
                    </div>
                }
            };
            view! {
                <Several label=label hint=hint error=error>
                    <For each=move || 0..count.get() key=|at| *at children=row />
                    <button class="text-button" type="button" on:click=move |event| {
                        // The one that is there comes first.
                        if !takes_lines || untrack(many) > 0 {
                            change(&|all| all.push(empty()));
                        }
                        let button = current(&event);
                        begin_item(move || button.and_then(|button| button.previous_element_sibling()));
                    }>{icon(PLUS)} "Add an item"</button>
                </Several>
            }
            .into_any()
        }
        Input::File => {
            view! { <FileField label=label room=Room::One text=text on_text=set error=error hint=hint /> }.into_any()
        }
        Input::Files => {
            view! { <FileField label=label room=Room::Several text=text on_text=set error=error hint=hint /> }.into_any()
        }
        Input::Json => {
            view! { <TextArea label=label value=text on_input=set error=error hint=hint rows=3 code=true placeholder="JSON" /> }
                .into_any()
        }
    }
}

/// Whether nothing of what stands in a field is left after a paste: it is empty, or all of it is selected.
fn is_replaced(paste: &ev::ClipboardEvent) -> bool {
    let field: web_sys::HtmlElement = event_target(paste);
    // A field of one line has this of one of several.
    let field = field.unchecked_ref::<web_sys::HtmlTextAreaElement>();
    let place = |at: Option<u32>| at.unwrap_or_default() as usize;
    let (start, end) = (field.selection_start().map(place), field.selection_end().map(place));
    let all = field.value().encode_utf16().count();
    start.ok().zip(end.ok()).is_some_and(|(start, end)| start == 0 && end == all)
}

/// In which field of an item of several fields something is pasted.
fn column_of(paste: &ev::ClipboardEvent) -> usize {
    let target: web_sys::Element = event_target(paste);
    let fields = current(paste).and_then(|item| item.query_selector(".nested").ok().flatten());
    let first = fields.and_then(|fields| fields.first_element_child());
    std::iter::successors(first, web_sys::Element::next_element_sibling)
        .position(|field| field.contains(Some(&target)))
        .unwrap_or_default()
}

/// The element whose event this is.
fn current(event: &web_sys::Event) -> Option<web_sys::Element> {
    event.current_target().and_then(|target| target.dyn_into().ok())
}

/// To the first field of an item that was just added.
fn begin_item(added: impl FnOnce() -> Option<web_sys::Element> + 'static) {
    // It is drawn by then.
    request_animation_frame(move || {
        let field = added()
            .and_then(|item| item.query_selector("input, textarea, select, .code-field").ok().flatten());
        let field = field.and_then(|field| field.dyn_into::<web_sys::HtmlElement>().ok());
        // What cannot be focused stays as it is.
        field.into_iter().for_each(|field| drop(field.focus()));
    });
}

/// Fields that are one value together.
#[component]
fn Several(
    label: String,
    hint: Signal<String>,
    error: Signal<Option<String>>,
    children: Children,
) -> impl IntoView {
    let name = label.clone();
    view! {
        <div class="field" role="group" aria-label=name>
            <span class="field-label">{label}</span>
            <div class="nested">{children()}</div>
            {below(move || error.get().map(complained))}
            <span class="field-hint">{hint}</span>
        </div>
    }
}
