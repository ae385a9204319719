//! What a model costs, and what its requests say besides the conversation.

use indexmap::IndexMap;
use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{Model, Price, Rates};

use crate::model::endpoints::is_endpoint;
use crate::page::state::app;
use crate::ui::inspector::fields::bound::{Bound, BoundAmount, BoundChoice, BoundJson, BoundNumber};
use crate::ui::inspector::fields::entry::{Entry, name_field};
use crate::ui::inspector::fields::json::JsonShape;
use crate::ui::inspector::fields::rows::{HEADERS, Rows};

/// The fields of a model, besides where it is: its name, and what its requests cost and say.
#[component]
pub fn ModelFields(
    /// The model's id.
    id: String,
) -> impl IntoView {
    let editor = app().editor;
    let own = id.clone();
    let asked = Memo::new(move |_| {
        editor
            .document
            .with(|document| document.models.get(&own).is_some_and(|model| is_endpoint(model.provider)))
    });
    let id = StoredValue::new(id);
    let requests = move || asked.get().then(|| view! { <RequestFields id=id.get_value() /> });
    view! {
        <div class="nested">
            {name_field::<Model>(&id.get_value(), "Agents use it by this name", Signal::stored(None), |_, _, _| ())}
            <PriceFields id=id.get_value() />
            {requests}
        </div>
    }
}

#[component]
fn PriceFields(id: String) -> impl IntoView {
    let way = Model::value(
        &id,
        "price",
        |model| if model.price.is_some() { "own" } else { "known" }.to_owned(),
        |model, word| model.price = (word == "own").then(Price::default),
    );
    let chosen = way.signal();
    let rate = |field: &str, read: fn(&Rates) -> Option<f64>, write: fn(&mut Rates, Option<f64>)| {
        Model::value(
            &id,
            &format!("price.{field}"),
            move |model| model.price.as_ref().and_then(|price| read(&price.rates)),
            move |model, amount| {
                if let Some(price) = &mut model.price {
                    write(&mut price.rates, amount);
                }
            },
        )
    };
    let input =
        rate("input", |rates| Some(rates.input), |rates, amount| rates.input = amount.unwrap_or_default());
    let output =
        rate("output", |rates| Some(rates.output), |rates, amount| rates.output = amount.unwrap_or_default());
    let cached = rate("cachedInput", |rates| rates.cached_input, |rates, amount| rates.cached_input = amount);
    let written = rate("cacheWrite", |rates| rates.cache_write, |rates, amount| rates.cache_write = amount);
    let fields = move || {
        (chosen.get() == "own").then(|| {
            view! {
                <div class="pair even">
                    <BoundAmount label="Tokens in" bound=input.clone() needed=true />
                    <BoundAmount label="Tokens out" bound=output.clone() needed=true />
                </div>
                <BoundAmount label="Tokens in, kept by the endpoint" bound=cached.clone() placeholder="as tokens in" />
                <BoundAmount label="Tokens in, written into its cache" bound=written.clone() placeholder="as tokens in"
                    hint="All in US dollars for a million tokens. Runs tell what they cost, and limits count it." />
            }
        })
    };
    view! {
        <BoundChoice label="Price" bound=way
            options=&[("known", "the usual one, if known"), ("own", "as I say")] />
        {fields}
    }
}

#[component]
fn RequestFields(id: String) -> impl IntoView {
    let headers = Model::value(
        &id,
        "headers",
        |model| {
            let text = |(name, value): (&String, &Value)| {
                (name.clone(), value.as_str().unwrap_or_default().to_owned())
            };
            model.headers.iter().map(text).collect::<IndexMap<_, _>>()
        },
        |model, rows| model.headers = rows.into_iter().map(|(name, value)| (name, value.into())).collect(),
    );
    let params = Model::value(
        &id,
        "params",
        |model| Some(model.params.clone()).filter(|params| !params.is_empty()).map(Value::Object),
        |model, params| {
            model.params = match params {
                Some(Value::Object(params)) => params,
                _ => serde_json::Map::new(),
            };
        },
    );
    let at_once =
        count(&id, "concurrency", |model| model.concurrency, |model, most| model.concurrency = most);
    let in_a_minute = count(
        &id,
        "requestsPerMinute",
        |model| model.requests_per_minute,
        |model, most| model.requests_per_minute = most,
    );
    view! {
        <Rows label="Headers" bound=headers words=HEADERS
            hint="Sent with each request. A key has no place here: it is set in the endpoint settings." />
        <BoundJson label="Parameters" bound=params shape=JsonShape::Object rows=3 placeholder="{ \"temperature\": 0.2 }"
            hint="They go into each request as they are." />
        <div class="pair even">
            <BoundNumber label="Requests at once" bound=at_once least=1 placeholder="no limit" />
            <BoundNumber label="In a minute" bound=in_a_minute least=1 placeholder="no limit" />
        </div>
    }
}

fn count(
    id: &str,
    field: &str,
    read: fn(&Model) -> Option<u32>,
    write: fn(&mut Model, Option<u32>),
) -> Bound<Option<u64>> {
    Model::value(
        id,
        field,
        move |model| read(model).map(u64::from),
        move |model, most: Option<u64>| write(model, most.and_then(|most| most.try_into().ok())),
    )
}
