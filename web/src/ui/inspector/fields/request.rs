//! The fields of a request: of a step, or of a tool.

use indexmap::IndexMap;
use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{HttpBody, HttpRequest, Method, Origins, ResponseForm};
use wasm_bindgen_futures::spawn_local;

use super::auth::AuthFields;
use super::bound::{Bound, BoundChoice, BoundJson, BoundLines, BoundNumber, BoundText, or_empty};
use super::curl::CurlField;
use super::fold::Fold;
use super::json::JsonShape;
use super::pages::PageFields;
use super::rows::{FIELDS, HEADERS, PARAMETERS, Rows};
use super::trying::TryFields;
use crate::model::requests::literal_origin;
use crate::page::state::{App, Dialog, app};
use crate::ui::code::Writes;
use crate::ui::relay::{sent_to, to_choose};

const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// The fields.
#[component]
pub fn RequestFields(
    /// The request.
    request: Bound<HttpRequest>,
) -> impl IntoView {
    let app = app();
    let method = part(
        &request,
        ".method",
        |request| request.method.map_or("", Method::word).to_owned(),
        |request, word: String| request.method = Method::from_word(&word),
    );
    let url = part(&request, ".url", |request| request.url, |request, url| request.url = url);
    let form = part(
        &request,
        ".response",
        |request| request.response.map_or("", ResponseForm::word).to_owned(),
        |request, word: String| request.response = ResponseForm::from_word(&word),
    );
    let result =
        or_empty(part(&request, ".result", |request| request.result, |request, text| request.result = text));
    let is_offered = offers_relay(app);
    let through = move || match app.relay.with(|relay| relay.as_ref().map(|relay| relay.url.clone())) {
        Some(url) => format!("the relay at {url}"),
        None if is_offered.get() => "not chosen yet: a run offers the relay of this server".to_owned(),
        None => "no relay: they are sent straight from this page".to_owned(),
    };
    let whole = request.clone();
    let key = request.draft_key();
    view! {
        <div class="request-fields" data-request=key.clone()>
        <CurlField label="Paste a curl command" hint="It takes the place of this request."
            on_request=move |request: HttpRequest| whole.pick(request) />
        <BoundLines label="Address" bound=url rows=2 code=true writes=Writes::Template placeholder="https://api.example.com/users/{{ id }}"
            hint="A template. Values are encoded for where they stand; an address that is one value, such as {{ url }}, is taken as it is." />
        <BoundChoice label="Method" bound=method
            options=&[("", "POST with a body, else GET"), ("GET", "GET"), ("POST", "POST"), ("PUT", "PUT"), ("PATCH", "PATCH"), ("DELETE", "DELETE"), ("HEAD", "HEAD")] />
        <BoundChoice label="Read the answer as" bound=form
            options=&[("", "what its content type says"), ("json", "JSON"), ("text", "text"), ("readable", "a web page, as text to read"), ("bytes", "a file")] />
        <OriginFields request=request.clone() />
        <BodyFields request=request.clone() />
        <BoundLines label="Result" bound=result rows=1 code=true writes=Writes::Answer placeholder="body"
            hint="An expression over status, headers and body, such as body.items" />
        <div class="field" role="group" aria-label="Requests go through">
            <span class="field-label">"Requests go through"</span>
            <span class="field-hint">{through}</span>
            <button class="text-button" on:click=move |_| app.dialog.set(Some(Dialog::Relay))>"Change"</button>
        </div>
        <AuthFields request=request.clone() />
        <TryFields key=key.clone() />
        <RequestMore request=request />
        </div>
    }
}

/// Whether a run of the workflow offers a relay.
fn offers_relay(app: App) -> RwSignal<bool> {
    let is_offered = RwSignal::new(false);
    let origins = Memo::new(move |_| app.editor.document.with(sent_to));
    Effect::new(move || {
        app.relay_chosen.track();
        let asked = origins.get();
        spawn_local(async move {
            let is_there = to_choose(app, asked.as_deref().unwrap_or_default()).await.is_some();
            // The field may be gone, or be about other addresses.
            if origins.try_get_untracked() == Some(asked) {
                let _ = is_offered.try_set(is_there);
            }
        });
    });
    is_offered
}

/// A value of a request. It is written as a part of the whole request, as that is at that moment.
pub fn part<T: Default + 'static>(
    request: &Bound<HttpRequest>,
    path: &str,
    read: impl Fn(HttpRequest) -> T + Send + Sync + 'static,
    write: impl Fn(&mut HttpRequest, T) + Send + Sync + 'static,
) -> Bound<T> {
    let whole = request.clone();
    request.at(path).map(read, move |value| {
        let mut now = untrack(|| whole.get());
        write(&mut now, value);
        now
    })
}

const LISTED: &[(&str, &str)] = &[("", "where its address leads"), ("some", "these sites")];
const ANYWHERE: &[(&str, &str)] = &[
    ("", "where its address leads"),
    ("any", "any site: each new one is asked about"),
    ("some", "these sites"),
];

/// Where it may go, when its address does not say that.
#[component]
fn OriginFields(request: Bound<HttpRequest>) -> impl IntoView {
    let whole = request.signal();
    // What a tool asks for goes where its address says: a model chooses the arguments.
    let is_chosen_here = request.is_of_step();
    let needed = Memo::new(move |_| {
        whole.with(|request| {
            request.origins.is_some() || (is_chosen_here && literal_origin(request).is_none())
        })
    });
    let way = part(
        &request,
        ".origins",
        |request| {
            match request.origins {
                None => "",
                Some(Origins::Any) => "any",
                Some(Origins::Some(_)) => "some",
            }
            .to_owned()
        },
        |request, word: String| {
            request.origins = match word.as_str() {
                "any" => Some(Origins::Any),
                "some" => Some(Origins::Some(Vec::new())),
                _ => None,
            };
        },
    );
    let chosen = way.signal();
    let options = match is_chosen_here || untrack(|| way.get() == "any") {
        true => ANYWHERE,
        false => LISTED,
    };
    let list = part(
        &request,
        ".origins",
        |request| match request.origins {
            Some(Origins::Some(origins)) => origins.join("\n"),
            _ => String::new(),
        },
        |request, text: String| {
            let lines = text.lines().map(|line| line.trim_end_matches(' ').to_owned());
            request.origins = Some(Origins::Some(lines.collect()));
        },
    );
    let way = StoredValue::new(way);
    let list = StoredValue::new(list);
    move || {
        needed.get().then(|| {
            view! {
                <BoundChoice label="Allowed addresses" bound=way.get_value() options=options />
                {move || (chosen.get() == "some").then(|| view! {
                    <BoundLines label="Sites" bound=list.get_value() rows=3 code=true placeholder="https://api.example.com"
                        hint="One in each line, without a path" />
                })}
            }
        })
    }
}

type Rowed = IndexMap<String, String>;

/// What it sends.
#[component]
fn BodyFields(request: Bound<HttpRequest>) -> impl IntoView {
    let way = part(
        &request,
        ".body",
        |request| {
            match request.body {
                None => "",
                Some(HttpBody::Json(_)) => "json",
                Some(HttpBody::Form(_)) => "form",
                Some(HttpBody::Text { .. }) => "text",
                Some(HttpBody::Multipart(_)) => "multipart",
            }
            .to_owned()
        },
        |request, word: String| {
            request.body = match word.as_str() {
                "json" => Some(HttpBody::Json(empty())),
                "form" => Some(HttpBody::Form(Rowed::new())),
                "text" => Some(HttpBody::Text { text: String::new(), media_type: None }),
                "multipart" => Some(HttpBody::Multipart(Vec::new())),
                _ => None,
            };
        },
    );
    let json = part(
        &request,
        ".body.json",
        |request| match request.body {
            Some(HttpBody::Json(json)) if json != empty() => Some(json),
            _ => None,
        },
        |request, json: Option<Value>| request.body = Some(HttpBody::Json(json.unwrap_or_else(empty))),
    );
    let form = part(
        &request,
        ".body.form",
        |request| match request.body {
            Some(HttpBody::Form(rows)) => rows,
            _ => Rowed::new(),
        },
        |request, rows| request.body = Some(HttpBody::Form(rows)),
    );
    let text = part(
        &request,
        ".body.text",
        |request| match request.body {
            Some(HttpBody::Text { text, .. }) => text,
            _ => String::new(),
        },
        |request, written: String| {
            if let Some(HttpBody::Text { text, .. }) = &mut request.body {
                *text = written;
            }
        },
    );
    let media = or_empty(part(
        &request,
        ".body.type",
        |request| match request.body {
            Some(HttpBody::Text { media_type, .. }) => media_type,
            _ => None,
        },
        |request, word| {
            if let Some(HttpBody::Text { media_type, .. }) = &mut request.body {
                *media_type = word;
            }
        },
    ));
    let chosen = way.signal();
    let parts = request;
    let content = move || {
        match chosen.get().as_str() {
        "json" => view! {
            <BoundJson label="JSON to send" bound=json.clone() shape=JsonShape::Body rows=5 writes=Writes::JsonTemplate placeholder="{ \"text\": \"{{ summary }}\" }"
                hint="Its texts are templates; one that is a single value, such as \"{{ items }}\", becomes the value itself. Empty: {}" />
        }
        .into_any(),
        "form" => view! { <Rows label="Fields to send" bound=form.clone() words=FIELDS hint="Each value is a template." /> }.into_any(),
        "text" => view! {
            <BoundLines label="Text to send" bound=text.clone() rows=4 code=true writes=Writes::Template hint="A template" />
            <BoundText label="Its media type" bound=media.clone() code=true placeholder="text/plain" />
        }
        .into_any(),
        "multipart" => view! { <super::parts::PartFields request=parts.clone() /> }.into_any(),
        _ => ().into_any(),
    }
    };
    view! {
        <BoundChoice label="Body" bound=way
            options=&[("", "nothing"), ("json", "JSON"), ("form", "a form"), ("text", "text"), ("multipart", "a form with files")] />
        {content}
    }
}

/// What a request sends as JSON where nothing else is said.
fn empty() -> Value {
    Value::Object(serde_json::Map::new())
}

/// What few requests need.
#[component]
fn RequestMore(request: Bound<HttpRequest>) -> impl IntoView {
    let app = app();
    let whole = request.signal();
    let said = Memo::new(move |_| whole.with(said));
    let query = part(&request, ".query", |request| request.query, |request, rows| request.query = rows);
    let headers =
        part(&request, ".headers", |request| request.headers, |request, rows| request.headers = rows);
    let success = or_empty(part(
        &request,
        ".success",
        |request| request.success,
        |request, text| request.success = text,
    ));
    let bytes =
        part(&request, ".maxBytes", |request| request.max_bytes, |request, most| request.max_bytes = most);
    let flawed = {
        let parts = [query.flaw(), headers.flaw(), success.flaw(), bytes.flaw(), request.at(".pages").flaw()];
        Memo::new(move |_| parts.iter().any(|flaw| flaw.with(Option::is_some)))
    };
    view! {
        <Fold title="Query, headers, pages" open=app.more_of_requests on_toggle=move |is_open| app.more_of_requests.set(is_open) said=said flawed=flawed>
            <Rows label="Query" bound=query words=PARAMETERS hint="Each value is a template; one that is null is left out." />
            <Rows label="Headers" bound=headers words=HEADERS hint="Each value is a template. Keys belong into Key." />
            <BoundLines label="Succeeded if" bound=success rows=1 code=true writes=Writes::Answer placeholder="status >= 200 and status < 300"
                hint="An expression over status, headers and body" />
            <BoundNumber label="Largest answer (bytes)" bound=bytes least=1 most=MOST_BYTES placeholder="2097152" />
            <PageFields request=request />
        </Fold>
    }
}

/// What is set, in a few words.
fn said(request: &HttpRequest) -> String {
    let counted = |many: usize, one: &str| match many {
        0 => None,
        1 => Some(format!("1 {one}")),
        many => Some(format!("{many} {one}s")),
    };
    let mut words: Vec<String> = Vec::new();
    words.extend(counted(request.query.len(), "parameter"));
    words.extend(counted(request.headers.len(), "header"));
    words.extend(request.success.as_ref().map(|_| "success".to_owned()));
    words.extend(request.max_bytes.map(|most| format!("{most} bytes")));
    words.extend(request.pages.as_ref().map(|pages| format!("{} pages", pages.max)));
    if words.is_empty() { "nothing set".to_owned() } else { words.join(" · ") }
}
