//! What to do about a failure: the key that is missing is a button away.

use leptos::prelude::*;
use stepweave_core::document::{Document, Secret, StepKind};
use stepweave_core::edit::find;

use super::field::mend_buttons;
use super::relay::go_straight;
use crate::model::endpoints::{is_endpoint, origin_of};
use crate::model::locate::path_to;
use crate::model::mending::Mend;
use crate::model::problem::Problem;
use crate::model::requests::{named_origins, secret_of};
use crate::model::sites::{is_inside_relay, is_kept_from_relay, refused_site};
use crate::page;
use crate::page::focus::begin_at;
use crate::page::icon::{LOCK, PLUG, PLUS, icon};
use crate::page::state::{App, Dialog, EndpointField, app};
use crate::run::event::{Failure, StepRef};
use crate::step::kinds::Kind;
use crate::step::plain::plain;
use crate::step::span::measured;

/// The hint of a failure, or instead the button that leads to the key.
#[component]
pub fn Advice(
    /// What failed.
    failure: Failure,
) -> impl IntoView {
    let app = app();
    if is_kept_from_relay(&failure.message) {
        return view! {
            <p class="failure-hint">"If the relay is yours, or may know the key, turn on “Keys may go through it” where it says what requests go through."</p>
            <button class="button" on:click=move |_| app.dialog.set(Some(Dialog::Relay))>{icon(LOCK)} "Requests go through…"</button>
        }
        .into_any();
    }
    let key = app.editor.document.with_untracked(|document| key_of(app, document, &failure));
    let refused = failure.clone();
    // What the workflow does not have is the step of a trial, which sends a request.
    let kind = failure.step.as_ref().map(|step| kind_of(step).unwrap_or(Kind::Http));
    let inside = failure.hint.as_deref().is_some_and(is_inside_relay);
    // Whoever goes straight by now has done it.
    let is_through = move || inside && app.relay.with(Option::is_some);
    let straight = move || {
        let go = move |_| {
            go_straight(app);
            let said = "Requests go straight to the sites from now on. Run it again.";
            app.editor.notice.set(Some(said.to_owned()));
        };
        is_through().then(|| view! { <button class="button" on:click=go>"Go straight to the sites"</button> })
    };
    // What programs write is no help where a field is to be filled in.
    let hint = failure.hint.filter(|_| !key.as_ref().is_some_and(|key| key.state != KeyState::Given));
    let button = key.map(|Key { taken_by, name, state }| {
        let text = match (state, name, &taken_by) {
            (KeyState::Given, Some(name), _) => format!("Check the key {name}"),
            (KeyState::Missing, Some(name), _) => format!("Enter the key {name}"),
            (_, None, TakenBy::Model(model)) => format!("Give the model {model} a key"),
            (_, None, TakenBy::Request(_)) => "Give the request a key".to_owned(),
        };
        let open = move |_| match taken_by.clone() {
            TakenBy::Model(model) => {
                app.dialog.set(Some(Dialog::Endpoint { model: Some(model), field: EndpointField::Key }));
            }
            TakenBy::Request(step) => {
                app.editor.choose(Some(step));
                app.inspecting.set(true);
                begin_at(".inspector-body .secret".to_owned());
            }
        };
        view! { <button class="button" on:click=open>{icon(PLUG)} {text}</button> }
    });
    let asked = failure.retry_after_ms.map(|asked| {
        view! { <p class="failure-hint">"The endpoint asked to be left alone for " {measured(asked)} "."</p> }
    });
    let broken = failure.message.clone();
    let broken_at = failure.step.clone();
    let fixes = move || {
        let id = &broken_at.as_ref()?.id;
        let problem = app.editor.document.with(|document| {
            let is_it = |problem: &&Problem| problem.explains(document, id, &broken);
            app.problems.with(|problems| problems.iter().find(is_it).cloned())
        })?;
        let is_here = app.runner.elsewhere.with(Option::is_none);
        is_here.then(|| mend_buttons(&problem))
    };
    let site = Memo::new(move |_| app.editor.document.with(|document| site_of(app, document, &refused)));
    let allow = move || {
        let (path, mend) = site.get()?;
        let title = mend.title();
        let end = move |_| app.editor.mend(&path, &mend);
        Some(view! { <button class="button" on:click=end>{icon(PLUS)} {title}</button> })
    };
    view! {
        {asked}
        {hint.map(|hint| view! { <p class="failure-hint">{plain(hint, kind)}</p> })}
        {button}
        {allow}
        {straight}
        {fixes}
    }
    .into_any()
}

/// What went wrong, in the words of the page.
pub fn said_of(failure: &Failure) -> String {
    plain(failure.message.clone(), failure.step.as_ref().and_then(kind_of))
}

/// The kind of the step that something is about, as it was when the shown run began.
pub fn kind_of(step: &StepRef) -> Option<Kind> {
    untrack(|| app().runner.step_ran(&step.id, Kind::of))
}

/// Lets the request that failed go where it may not go, at the path of its step; nothing for any other failure, or one of
/// another workflow.
fn site_of(app: App, document: &Document, failure: &Failure) -> Option<(String, Mend)> {
    let met = failure.step.as_ref().filter(|_| failure.code == "network")?;
    let step = find(document, &met.id)
        .filter(|step| step.name == met.name && app.runner.elsewhere.with_untracked(Option::is_none))?;
    let site = refused_site(document, step, &failure.message)?;
    Some((path_to(document, &step.id)?, Mend::AllowToo(vec![site.to_owned()])))
}

/// The key that a failure is about.
struct Key {
    taken_by: TakenBy,
    /// Its name, where it has one.
    name: Option<String>,
    state: KeyState,
}

/// What takes a key along.
#[derive(Clone)]
enum TakenBy {
    /// A model, by its id.
    Model(String),
    /// The request of a step, by the id of that.
    Request(String),
}

#[derive(Clone, Copy, PartialEq)]
enum KeyState {
    /// The page has it, for the origin that the model is at.
    Given,
    /// It does not.
    Missing,
}

/// The key of the step's request, or of its models: the first that is missing, else the first one.
fn key_of(app: App, document: &Document, failure: &Failure) -> Option<Key> {
    let step = failure.step.as_ref().filter(|_| failure.code == "auth")?;
    let call = match &find(document, &step.id)?.kind {
        StepKind::Agent(call) => call,
        StepKind::Http(call) => {
            let Secret { secret } = secret_of(&call.http)?;
            let state = state_of(app, secret, &named_origins(&call.http));
            let taken_by = TakenBy::Request(step.id.clone());
            return Some(Key { taken_by, name: Some(secret.clone()), state });
        }
        _ => return None,
    };
    let agent = document.agents.get(&call.agent)?;
    let models = [&agent.model].into_iter().chain(&agent.fallbacks);
    let used = models.filter_map(|id| Some((id, document.models.get(id)?)));
    let keys = used.filter(|(_, model)| is_endpoint(model.provider)).map(|(id, model)| {
        let name = model.api_key.as_ref().map(|Secret { secret }| secret.clone());
        let origin = origin_of(model.base_url.as_deref().unwrap_or(model.provider.base_url()));
        let state = match (&name, origin) {
            (Some(name), Some(origin)) => state_of(app, name, &[origin]),
            _ => KeyState::Missing,
        };
        Key { taken_by: TakenBy::Model(id.clone()), name, state }
    });
    let mut keys: Vec<Key> = keys.collect();
    let first = keys.iter().position(|key| key.state == KeyState::Missing).unwrap_or_default();
    (first < keys.len()).then(|| keys.swap_remove(first))
}

/// Whether the page has a key of this name for all of these origins.
fn state_of(app: App, name: &str, origins: &[String]) -> KeyState {
    let is_given = |key: &page::state::Key| origins.iter().all(|origin| key.origins.contains(origin));
    match app.keys.with_untracked(|keys| keys.get(name).is_some_and(is_given)) {
        true => KeyState::Given,
        false => KeyState::Missing,
    }
}
