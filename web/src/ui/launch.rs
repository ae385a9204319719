//! From the Run button to a run: nothing broken is started, and nothing is sent where nobody agreed to.

use leptos::prelude::*;
use serde_json::{Map, Value, json};
use stepweave_core::document::{Document, Step, StepKind};

use super::check;
use super::state::{App, Dialog, Panel, document_text, origins};
use crate::model::problem::Problem;
use crate::run::board::Status;

/// Runs the workflow, or shows what is in the way.
pub fn run(app: App) {
    if app.runner.status.get_untracked() == Status::Running {
        return;
    }
    app.editor.seal();
    if app.editor.document.with_untracked(|document| document.steps.is_empty()) {
        app.editor.notice.set(Some("There is nothing to run yet: add a step first.".to_owned()));
        return;
    }
    check::check_then(app, move || go_on(app));
}

fn go_on(app: App) {
    if app.problems.with_untracked(|problems| problems.iter().any(Problem::is_error)) {
        app.panel.set(Some(Panel::Problems));
        check::focus_problems();
        return;
    }
    let agreed = app.agreed.get_untracked();
    let asked: Vec<String> = app.editor.document.with_untracked(origins);
    let open: Vec<String> = asked.into_iter().filter(|origin| !agreed.contains(origin)).collect();
    if open.is_empty() {
        start(app);
    } else {
        app.dialog.set(Some(Dialog::Agree(open)));
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
    app.bridge.with_value(|bridge| app.runner.stop(bridge));
}

fn start(app: App) {
    // Two quick clicks are checked twice but run once.
    if app.runner.status.get_untracked() == Status::Running {
        return;
    }
    let text = app.editor.document.with_untracked(document_text);
    let keys = app.keys.get_untracked();
    let secrets: Map<String, Value> = keys
        .into_iter()
        .map(|(name, key)| (name, json!({ "value": key.value, "origins": [key.origin] })))
        .collect();
    let mut options = json!({ "secrets": secrets, "allow": app.agreed.get_untracked() });
    if let Value::Object(options) = &mut options
        && app.editor.document.with_untracked(asks)
    {
        // Only with a journal can a run stop for a person and be taken up again.
        options.insert("journal".to_owned(), Value::Bool(true));
    }
    app.panel.set(Some(Panel::Run));
    app.camera.following.set(true);
    app.bridge.with_value(|bridge| app.runner.start(bridge, text, options));
}

/// Whether a run may have to wait for a person.
fn asks(document: &Document) -> bool {
    if document.tools.values().any(|tool| tool.needs_approval) {
        return true;
    }
    let mut open: Vec<&Step> = document.steps.iter().collect();
    while let Some(step) = open.pop() {
        if matches!(step.kind, StepKind::Approval(_)) {
            return true;
        }
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps));
    }
    false
}
