//! The key that a request takes along. The document names it; its value stays in this page's memory.

use leptos::prelude::*;
use stepweave_core::document::{HttpAuth, HttpRequest, Secret};

use super::bound::{Bound, BoundChoice, BoundText};
use super::request::part;
use crate::model::pasted_key::{PASTED_KEY, looks_like_key};
use crate::model::requests::{named_origins, secret_of};
use crate::page::state::{Key, app};
use crate::ui::field::TextField;

/// The fields.
#[component]
pub fn AuthFields(
    /// The request.
    request: Bound<HttpRequest>,
) -> impl IntoView {
    let app = app();
    let whole = request.signal();
    let way = part(
        &request,
        ".auth",
        |request| word_of(request.auth.as_ref()).to_owned(),
        |request, word: String| {
            let secret =
                secret_of(request).cloned().unwrap_or_else(|| Secret { secret: "API_KEY".to_owned() });
            request.auth = auth_of(&word, secret);
        },
    );
    let chosen = way.signal();
    let request = StoredValue::new(request);
    let name = Memo::new(move |_| {
        whole.with(|request| secret_of(request).map(|secret| secret.secret.clone())).unwrap_or_default()
    });
    let value = Signal::derive(move || {
        app.keys.with(|keys| keys.get(&name.get()).map(|key| key.value.clone())).unwrap_or_default()
    });
    let enter = move |text: String| {
        let origins = whole.with_untracked(named_origins);
        let text = text.trim().to_owned();
        app.keys.update(|keys| {
            if text.is_empty() {
                keys.shift_remove(&name.get_untracked());
            } else {
                keys.insert(name.get_untracked(), Key { value: text, origins });
            }
        });
    };
    let about = Signal::derive(move || {
        let origins = whole.with(named_origins);
        match origins.is_empty() {
            true => "A key goes only to an address that is written out.".to_owned(),
            false => format!(
                "It stays in this page's memory, in no export, and is sent to {} only.",
                origins.join(" and ")
            ),
        }
    });
    let content = move || {
        let word = chosen.get();
        if word.is_empty() {
            return ().into_any();
        }
        let request = request.get_value();
        let secret = text_of(
            &request,
            secret_path(&word),
            |auth| Some(secret_in(&mut auth.clone()).secret.clone()),
            |auth, text| {
                secret_in(auth).secret = text;
            },
        );
        let named = |label: &'static str, path: &str| {
            let bound = text_of(
                &request,
                path,
                |auth| name_in(&mut auth.clone()).cloned(),
                |auth, text| {
                    if let Some(name) = name_in(auth) {
                        *name = text;
                    }
                },
            );
            view! { <BoundText label=label bound=bound code=true /> }
        };
        let own = match word.as_str() {
            "basic" => named("User", ".auth.basic.user").into_any(),
            "header" => named("Header", ".auth.header.name").into_any(),
            "query" => named("Parameter", ".auth.query.name").into_any(),
            "oauth2" => {
                let token = text_of(
                    &request,
                    ".auth.oauth2.tokenUrl",
                    |auth| match auth {
                        HttpAuth::Oauth2 { token_url, .. } => Some(token_url.clone()),
                        _ => None,
                    },
                    |auth, text| {
                        if let HttpAuth::Oauth2 { token_url, .. } = auth {
                            *token_url = text;
                        }
                    },
                );
                let scope = text_of(
                    &request,
                    ".auth.oauth2.scope",
                    |auth| match auth {
                        HttpAuth::Oauth2 { scope, .. } => scope.clone(),
                        _ => None,
                    },
                    |auth, text| {
                        if let HttpAuth::Oauth2 { scope, .. } = auth {
                            *scope = Some(text).filter(|text| !text.is_empty());
                        }
                    },
                );
                view! {
                    <BoundText label="Where tokens are fetched" bound=token code=true placeholder="https://login.example.com/token" />
                    {named("Client id", ".auth.oauth2.clientId")}
                    <BoundText label="Scope" bound=scope code=true placeholder="none" />
                }
                .into_any()
            }
            _ => ().into_any(),
        };
        view! {
            {own}
            <div class="pair">
                <NameField bound=secret />
                <TextField label="Key" kind="secret" value=value on_input=enter placeholder="not given yet" />
            </div>
            <span class="field-hint">{about}</span>
        }
        .into_any()
    };
    view! {
        <BoundChoice label="Key" bound=way
            options=&[("", "none"), ("bearer", "as a bearer token"), ("header", "in a header"), ("query", "in the query"), ("basic", "user and password"), ("oauth2", "OAuth 2, client credentials")] />
        {content}
    }
}

/// What the document calls the key.
#[component]
fn NameField(
    /// The name.
    bound: Bound<String>,
) -> impl IntoView {
    let editor = app().editor;
    let (value, flaw) = (bound.signal(), bound.flaw());
    let refused = RwSignal::new(None::<String>);
    let enter = move |text: String| {
        let is_key = looks_like_key(&text);
        refused.set(is_key.then(|| PASTED_KEY.to_owned()));
        if !is_key {
            bound.type_in(text);
        }
    };
    view! {
        <TextField label="Name of the key" code=true value=value flaw=flaw error=refused
            on_input=enter on_leave=move |()| editor.seal() />
    }
}

/// Where the name of the secret stands.
fn secret_path(word: &str) -> &'static str {
    match word {
        "header" => ".auth.header.value.secret",
        "query" => ".auth.query.value.secret",
        "basic" => ".auth.basic.password.secret",
        "oauth2" => ".auth.oauth2.clientSecret.secret",
        _ => ".auth.bearer.secret",
    }
}

fn word_of(auth: Option<&HttpAuth>) -> &'static str {
    match auth {
        None => "",
        Some(HttpAuth::Bearer(_)) => "bearer",
        Some(HttpAuth::Header { .. }) => "header",
        Some(HttpAuth::Query { .. }) => "query",
        Some(HttpAuth::Basic { .. }) => "basic",
        Some(HttpAuth::Oauth2 { .. }) => "oauth2",
    }
}

fn auth_of(word: &str, secret: Secret) -> Option<HttpAuth> {
    Some(match word {
        "bearer" => HttpAuth::Bearer(secret),
        "header" => HttpAuth::Header { name: "x-api-key".to_owned(), value: secret },
        "query" => HttpAuth::Query { name: "key".to_owned(), value: secret },
        "basic" => HttpAuth::Basic { user: "user".to_owned(), password: secret },
        "oauth2" => HttpAuth::Oauth2 {
            token_url: String::new(),
            client_id: String::new(),
            client_secret: secret,
            scope: None,
        },
        _ => return None,
    })
}

fn secret_in(auth: &mut HttpAuth) -> &mut Secret {
    match auth {
        HttpAuth::Bearer(secret) => secret,
        HttpAuth::Basic { password, .. } => password,
        HttpAuth::Header { value, .. } | HttpAuth::Query { value, .. } => value,
        HttpAuth::Oauth2 { client_secret, .. } => client_secret,
    }
}

fn name_in(auth: &mut HttpAuth) -> Option<&mut String> {
    match auth {
        HttpAuth::Bearer(_) => None,
        HttpAuth::Basic { user, .. } => Some(user),
        HttpAuth::Header { name, .. } | HttpAuth::Query { name, .. } => Some(name),
        HttpAuth::Oauth2 { client_id, .. } => Some(client_id),
    }
}

fn text_of(
    request: &Bound<HttpRequest>,
    path: &str,
    read: fn(&HttpAuth) -> Option<String>,
    write: fn(&mut HttpAuth, String),
) -> Bound<String> {
    part(
        request,
        path,
        move |request| request.auth.as_ref().and_then(read).unwrap_or_default(),
        move |request, text| {
            if let Some(auth) = &mut request.auth {
                write(auth, text);
            }
        },
    )
}
