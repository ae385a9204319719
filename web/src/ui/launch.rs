//! From the Run button to a run: nothing broken is started, and nothing is sent where nobody agreed to.

use leptos::prelude::*;
use serde_json::Value;

use super::check;
use crate::bridge::{RunOptions, SecretValue};
use crate::model::endpoints::origins;
use crate::model::problem::Problem;
use crate::page::state::{App, Dialog, Key, Panel, document_text};
use crate::run::status::Status;

/// Runs the workflow, or shows what is in the way. From a step on, what the steps before it gave in the shown run is
/// taken over.
pub fn run(app: App, from: Option<String>) {
    if app.runner.status.get_untracked() == Status::Running {
        return;
    }
    app.editor.seal();
    if app.editor.document.with_untracked(|document| document.steps.is_empty()) {
        app.editor.notice.set(Some("There is nothing to run yet: add a step first.".to_owned()));
        return;
    }
    check::check_then(app, move || go_on(app, from));
}

fn go_on(app: App, from: Option<String>) {
    if app.problems.with_untracked(|problems| problems.iter().any(Problem::is_error)) {
        app.panel.set(Some(Panel::Problems));
        check::focus_problems();
        return;
    }
    let agreed = app.agreed.get_untracked();
    let asked: Vec<String> = app.editor.document.with_untracked(origins);
    let open: Vec<String> = asked.into_iter().filter(|origin| !agreed.contains(origin)).collect();
    if open.is_empty() {
        start(app, from);
    } else {
        app.dialog.set(Some(Dialog::Agree { origins: open, from }));
    }
}

/// Gives a person's answer to a suspended run, which then goes on.
pub fn answer(app: App, key: &str, value: Value) {
    app.panel.set(Some(Panel::Run));
    app.camera.following.set(true);
    app.bridge.with_value(|bridge| app.runner.answer(bridge, key, value));
}

/// Stops the run.
pub fn stop(app: App) {
    app.runner.stop();
}

fn start(app: App, from: Option<String>) {
    // Two quick clicks are checked twice but run once.
    if app.runner.status.get_untracked() == Status::Running {
        return;
    }
    let text = app.editor.document.with_untracked(document_text);
    let secret = |(name, key): (String, Key)| SecretValue { name, value: key.value, origin: key.origin };
    let secrets = app.keys.get_untracked().into_iter().map(secret).collect();
    let options = RunOptions { secrets, allow: app.agreed.get_untracked(), from };
    app.panel.set(Some(Panel::Run));
    app.camera.following.set(true);
    app.bridge.with_value(|bridge| app.runner.start(bridge, text, options));
}
