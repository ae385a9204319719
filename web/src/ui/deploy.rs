//! The workflow as something that serves it: where that runs, what it needs, and how it is deployed.

use leptos::prelude::*;
use serde_json::Value;
use stepweave_core::document::{Document, StepKind, Tool, every_of};
use stepweave_core::json;
use wasm_bindgen_futures::spawn_local;

use super::field::Choice;
use crate::bridge::{Bridge, Outcome};
use crate::model::called::Called;
use crate::model::endpoints::origin_of;
use crate::model::hosted::remarks;
use crate::model::keys::has_key;
use crate::model::preview::example_of;
use crate::model::project::{self, Target, Trial, project_name};
use crate::model::worker::{self, ACCESS_TOKEN, Reach, listed, program, reach};
use crate::page::icon::{DOWNLOAD, icon};
use crate::page::state::{app, exported};

/// One thing that serves the workflow; `target` is nothing for the Worker of one file.
struct Offer {
    word: &'static str,
    target: Option<Target>,
    name: &'static str,
    about: &'static str,
    needs: &'static str,
}

/// More characters of an example are no example.
const LONGEST: u32 = 2_000;

const OFFERS: [Offer; 6] = [
    Offer {
        word: "file",
        target: None,
        name: "Cloudflare Worker of one file, which keeps no runs",
        about: "Each call is answered with the result of its run. Nobody can be asked, and a caller who hangs up ends the run.",
        needs: "You need a Cloudflare account, and Node on your machine.",
    },
    Offer {
        word: "object",
        target: Some(Target::DurableObject),
        name: "Cloudflare Worker that keeps runs (Durable Object)",
        about: "Runs are started, followed, answered and cancelled over HTTP. They wait for people and times as long as it takes, and wake by themselves.",
        needs: "You need a Cloudflare account, and Node 22 on your machine.",
    },
    Offer {
        word: "workflows",
        target: Some(Target::Workflows),
        name: "Cloudflare Workflows, for jobs in the background",
        about: "Cloudflare keeps what each step gave, and goes on after a crash. Runs are started and answered over HTTP, but nobody can watch them live.",
        needs: "You need a Cloudflare account, and Node 22 on your machine.",
    },
    Offer {
        word: "node",
        target: Some(Target::Node),
        name: "Server of your own, in Node",
        about: "Runs are files in a folder, and go on after the server was stopped.",
        needs: "You need Node 22, and a machine whose disk stays.",
    },
    Offer {
        word: "deno",
        target: Some(Target::Deno),
        name: "Server of your own, in Deno",
        about: "Runs are files in a folder, and go on after the server was stopped. The process reaches only the addresses of the workflow.",
        needs: "You need Deno 2, and a machine whose disk stays.",
    },
    Offer {
        word: "restate",
        target: Some(Target::Restate),
        name: "Services of your own on several machines, in Node with Restate",
        about: "Restate’s server keeps what each run did. When one machine ends, another goes on.",
        needs: "You need Node 22, and Restate’s server, which the project brings along.",
    },
];

/// What serves the workflow, and where its requests and keys go; or what is in the way.
#[component]
pub fn Deploy() -> impl IntoView {
    let app = app();
    let reach = match app.editor.document.with_untracked(|document| reach(document, origin_of)) {
        Ok(reach) => StoredValue::new(reach),
        Err(problems) => {
            return view! {
                <div class="import-problems" role="alert">
                    <h3>"This workflow cannot be deployed as it is."</h3>
                    <ul>{problems.into_iter().map(|problem| view! { <li>{problem}</li> }).collect_view()}</ul>
                </div>
            }
            .into_any();
        }
    };
    let first = if app.editor.document.with_untracked(needs_runs) { "object" } else { "file" };
    let chosen = RwSignal::new(first.to_owned());
    let options = OFFERS.map(|offer| (offer.word.to_owned(), offer.name.to_owned())).to_vec();
    let shown = move || {
        let offer = OFFERS.into_iter().find(|offer| chosen.with(|word| word == offer.word))?;
        let offered = match offer.target {
            None => reach.with_value(|reach| view! { <File reach=reach.clone() /> }.into_any()),
            Some(target) => reach.with_value(|reach| {
                view! { <Project reach=reach.clone() target=target word=offer.word /> }.into_any()
            }),
        };
        Some(view! { <p>{offer.about}</p> <p class="field-hint">{offer.needs}</p> {offered} })
    };
    view! {
        <Choice label="Where it runs" value=chosen options=Signal::stored(options) on_pick=move |word| chosen.set(word) />
        {shown}
        {app.editor.document.with_untracked(written_keys)}
        {app.editor.document.with_untracked(|document| reach.with_value(|reach| noted(document, reach)))}
        {reach.with_value(going)}
    }
    .into_any()
}

/// What to know before the workflow runs elsewhere.
fn noted(document: &Document, reach: &Reach) -> Option<AnyView> {
    let said = remarks(document, reach);
    let rows = || said.iter().map(|said| view! { <li>{said.clone()}</li> }).collect_view();
    (!said.is_empty())
        .then(|| view! { <ul class="origins" aria-label="Before you deploy it">{rows()}</ul> }.into_any())
}

/// What looks like a key in the workflow's own texts is in what is downloaded.
fn written_keys(document: &Document) -> Option<AnyView> {
    let own = exported(document);
    if !has_key(&json::text(&own)) {
        return None;
    }
    let found: Vec<&str> =
        every_of(&own).filter(|step| has_key(&json::text(step))).map(|step| step.name.as_str()).collect();
    let place = if found.is_empty() { "the workflow's settings".to_owned() } else { found.join(", ") };
    let said = format!(
        "Something that looks like a key stands in a text of {place}, and so in what you download. Take it out of the text, and name it as the key of the request or of the model: then the commands ask for it."
    );
    Some(view! { <p class="field-error" role="alert">{said}</p> }.into_any())
}

/// Whether a person is asked: a Worker that keeps no runs has nobody to ask.
fn needs_runs(document: &Document) -> bool {
    every_of(document).any(|step| matches!(step.kind, StepKind::Approval(_)))
        || document.tools.values().any(Tool::needs_approval)
}

/// The Worker of one file, and its commands.
#[component]
fn File(reach: Reach) -> impl IntoView {
    let app = app();
    let name = app.editor.document.with_untracked(project_name);
    let file = format!("{name}.js");
    let typed = app
        .editor
        .document
        .with_untracked(|document| worker::commands(document, &name, &file, reach.keys.keys()));
    let download = move |_| {
        let program = app.editor.document.with_untracked(|document| program(&exported(document), &reach));
        app.bridge.with_value(|bridge| bridge.download(&file, &program));
    };
    view! {
        <p>"1. Download the workflow as a worker, into an empty folder."</p>
        <button class="button" on:click=download>{icon(DOWNLOAD)} "Download the worker"</button>
        <p>"2. In that folder:"</p>
        <pre class="output code" tabindex="0" aria-label="Commands">{typed}</pre>
        <p class="field-hint">
            "Then POST a state to its address and get the result. Everyone who knows the address can: set the secret "
            {ACCESS_TOKEN} " to ask for Authorization: Bearer …"
        </p>
    }
}

/// A project, and its commands.
#[component]
fn Project(reach: Reach, target: Target, word: &'static str) -> impl IntoView {
    let app = app();
    // Projects of one workflow for several targets lie beside each other.
    let name = format!("{}-{word}", app.editor.document.with_untracked(project_name));
    let typed = project::commands(&name, target, &reach);
    let called = app.editor.document.with_untracked(Called::by);
    let to_write = (!called.is_empty()).then(|| {
        let names: Vec<&str> =
            [&called.handlers, &called.tools, &called.models].into_iter().flatten().map(String::as_str).collect();
        view! {
            <p role="note">"It calls functions that only you have. The project has a file for them, and its test fails until they are written: " {names.join(", ")}</p>
        }
    });
    let packing = RwSignal::new(false);
    let download = move |_| {
        let document = app.editor.document.with_untracked(exported);
        let (name, reach) = (name.clone(), reach.clone());
        let bridge = app.bridge.get_value();
        let given = app.given.with_untracked(|given| given.values.clone());
        packing.set(true);
        spawn_local(async move {
            let trial = Trial::of(&document, &given, async |schema| fitting(&bridge, schema).await).await;
            let files = project::files(&document, &reach, target, &trial);
            let files = files.into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
            if !bridge.download_folder(&name, files).await {
                let said = "The project could not be packed: a file of the builder did not come. Look whether you are online, then try again.";
                app.editor.notice.set(Some(said.to_owned()));
            }
            // The dialog may have been closed meanwhile.
            let _ = packing.try_set(false);
        });
    };
    view! {
        {to_write}
        <p>"1. Download the project. It has the workflow, what serves it, a test, and a README with every command."</p>
        <button class="button" disabled=packing on:click=download>{icon(DOWNLOAD)} "Download the project"</button>
        <p>"2. Where it was saved:"</p>
        <pre class="output code" tabindex="0" aria-label="Commands">{typed}</pre>
        {(target != Target::Restate).then(|| view! {
            <p class="field-hint">
                {ACCESS_TOKEN} " is a long random text of yours: callers send it as Authorization: Bearer …, and without it every call is refused."
            </p>
        })}
    }
}

/// Where requests and keys go.
fn going(reach: &Reach) -> impl IntoView + use<> {
    let keyed = reach.keys.iter().map(|(key, origins)| {
        view! { <li><code>{key.clone()}</code> " goes to " <code>{listed(origins)}</code></li> }
    });
    let keyless = reach.without_key().map(|origin| {
        view! { <li><code>{origin.clone()}</code> " is called without a key"</li> }
    });
    (!reach.origins.is_empty()).then(|| {
        view! {
            <p>"The commands ask for the keys, which are not in what you download. Each goes to these addresses only, and requests nowhere else than here:"</p>
            <ul class="origins" aria-label="Where requests go">{keyed.collect_view()}{keyless.collect_view()}</ul>
        }
    })
}

/// A value that fits a schema; nothing where none is found.
async fn fitting(bridge: &Bridge, schema: &Value) -> Option<Value> {
    match bridge.evaluate(&example_of(schema), LONGEST).await? {
        Outcome::Value(text) => serde_json::from_str(&text).ok(),
        Outcome::Error(_) => None,
    }
}
