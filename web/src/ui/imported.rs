//! What became of a file that another tool wrote: what is left to do first, then what is lost, then the rest.

use std::sync::Arc;

use leptos::prelude::*;

use crate::bridge::{Connection, Node, NodeState, Report};
use crate::page::icon::{DONE_SHAPE, WARNING, icon};
use crate::page::state::app;
use crate::step::upright::upright;

/// How many rows a list shows.
const MOST: usize = 500;

/// The list; a click selects the step.
#[component]
pub fn Imported(
    /// What became of each part of the file.
    report: Arc<Report>,
) -> impl IntoView {
    let app = app();
    let in_state = |state: NodeState| report.nodes.iter().filter(move |node| node.state == state);
    let lost: Vec<Connection> =
        report.connections.iter().filter(|connection| connection.lost.is_some()).cloned().collect();
    let placeholders: Vec<Node> = in_state(NodeState::Placeholder).cloned().collect();
    let parts: Vec<Node> = in_state(NodeState::Part).cloned().collect();
    let whole: Vec<Node> = in_state(NodeState::Whole).cloned().collect();
    let said = summary(&report, &placeholders, &parts, &lost);
    let notes = report.notes.clone();
    view! {
        <div class="modal-body imported">
            <p>{said}</p>
            {(!notes.is_empty()).then(|| view! { <ul class="note-list">{notes.into_iter().take(MOST).map(|note| view! { <li>{upright(note)}</li> }).collect_view()}</ul> })}
            <Nodes title="Placeholders" about="Each fails until you say what it does." nodes=placeholders open=Opened::Yes />
            <Nodes title="To look at" about="They work, and something of them is left to you." nodes=parts open=Opened::Yes />
            {(!lost.is_empty()).then(|| view! {
                <details class="entry" open>
                    <summary><b>"Connections that are lost"</b><small>{lost.len()}</small></summary>
                    <ul class="problems">{lost.iter().take(MOST).map(|connection| view! {
                        <li class="problem" data-severity="error">
                            {icon(WARNING)}
                            <span><b><bdi>{connection.from.clone()}</bdi> " → " <bdi>{connection.to.clone()}</bdi></b><small>{connection.lost.clone()}</small></span>
                        </li>
                    }).collect_view()}</ul>
                </details>
            })}
            <Nodes title="Taken over" about="" nodes=whole open=Opened::No />
        </div>
        <footer>
            <span class="field-hint">"What is left to do also stands in the notes of each step."</span>
            <span class="spring"></span>
            <button class="button primary" autofocus on:click=move |_| app.dialog.set(None)>"Show the workflow"</button>
        </footer>
    }
}

/// Whether a list is open at first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    Yes,
    No,
}

#[component]
fn Nodes(title: &'static str, about: &'static str, nodes: Vec<Node>, open: Opened) -> impl IntoView {
    let app = app();
    if nodes.is_empty() {
        return None;
    }
    let count = nodes.len();
    let row = move |node: Node| {
        let Node { name, kind, became, step, state, notes } = node;
        let shape = if state == NodeState::Whole { DONE_SHAPE } else { WARNING };
        let severity = match state {
            NodeState::Whole => "none",
            NodeState::Part => "warning",
            NodeState::Placeholder => "error",
        };
        let words = view! {
            {icon(shape)}
            <span>
                <b>{name}</b> " " <span class="kind-of">{kind}</span> " → " <bdi>{became}</bdi>
                {notes.into_iter().map(|note| view! { <small>{upright(note)}</small> }).collect_view()}
            </span>
        };
        match step {
            Some(id) => view! {
                <li><button class="problem" data-severity=severity on:click=move |_| {
                    app.dialog.set(None);
                    app.editor.choose(Some(id.clone()));
                }>{words}</button></li>
            }
            .into_any(),
            None => view! { <li class="problem" data-severity=severity>{words}</li> }.into_any(),
        }
    };
    Some(view! {
        <details class="entry" open=open == Opened::Yes>
            <summary><b>{title}</b><small>{count} " " {about}</small></summary>
            <ul class="problems">{nodes.into_iter().take(MOST).map(row).collect_view()}</ul>
        </details>
    })
}

/// All of it in a sentence.
fn summary(report: &Report, placeholders: &[Node], parts: &[Node], lost: &[Connection]) -> String {
    let nodes = report.nodes.len();
    let mut said = format!("{} of {}:", counted(nodes, "node"), report.tool);
    said.push_str(&format!(" {} taken over", nodes - placeholders.len()));
    if !parts.is_empty() {
        said.push_str(&format!(" ({} to look at)", parts.len()));
    }
    if !placeholders.is_empty() {
        said.push_str(&format!(", {}", counted(placeholders.len(), "placeholder")));
    }
    let connections = report.connections.len();
    match (connections, lost.len()) {
        (0, _) => {}
        (1, 0) => said.push_str(". Its connection is kept"),
        (all, 0) => said.push_str(&format!(". All {all} connections are kept")),
        (all, some) => said.push_str(&format!(
            ". Of {} {some} {} lost",
            counted(all, "connection"),
            if some == 1 { "is" } else { "are" }
        )),
    }
    said.push('.');
    said
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_said_in_a_sentence() {
        let node = |state| Node { state, ..Node::default() };
        let kept = Connection::default();
        let lost = Connection { lost: Some("it leads back".to_owned()), ..Connection::default() };
        let report = Report {
            tool: "n8n".to_owned(),
            nodes: vec![node(NodeState::Whole), node(NodeState::Part), node(NodeState::Placeholder)],
            connections: vec![kept.clone(), kept, lost.clone()],
            notes: Vec::new(),
        };
        let said = summary(&report, &report.nodes[2..], &report.nodes[1..2], &[lost]);
        assert_eq!(
            said,
            "3 nodes of n8n: 2 taken over (1 to look at), 1 placeholder. Of 3 connections 1 is lost."
        );
        let all = Report { connections: vec![Connection::default()], nodes: vec![Node::default()], ..report };
        assert_eq!(summary(&all, &[], &[], &[]), "1 node of n8n: 1 taken over. Its connection is kept.");
    }
}
