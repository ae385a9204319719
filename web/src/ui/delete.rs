//! Says who uses what is to be deleted, and deletes it if that is wanted.

use leptos::prelude::*;
use stepweave_core::rename::Named;

use crate::model::locate::step_at;
use crate::page::removal::Going;
use crate::page::state::{App, app};
use crate::step::kinds::Kind;
use crate::step::plain::label;
use crate::step::upright::upright;

/// How many users are listed.
const MOST: usize = 50;

/// The question.
#[component]
pub fn Delete(
    /// What is to be deleted.
    going: Going,
) -> impl IntoView {
    let app = app();
    let said = match &going {
        Going::Steps(ids) | Going::Inside { steps: ids, .. } if ids.len() > 1 => {
            "What these steps give is used by:".to_owned()
        }
        Going::Steps(ids) | Going::Inside { steps: ids, .. } => {
            format!("“{}” is used by:", name_of(app, ids.first().map_or("", String::as_str)))
        }
        Going::Entry(Named::Agent(name) | Named::Tool(name) | Named::Model(name))
        | Going::Key { key: name, .. } => {
            format!("“{name}” is used by:")
        }
        Going::Entry(_) => String::new(),
    };
    let users = going.users(app);
    let more = users.len().saturating_sub(MOST);
    let row = move |(path, step): (String, Option<String>)| {
        let (name, field) = app.editor.document.with_untracked(|document| match step_at(document, &path) {
            Some((step, field)) => (step.name.clone(), named(Kind::of(step), field)),
            None => (path.clone(), String::new()),
        });
        let show = move |_| {
            app.dialog.set(None);
            app.editor.choose(step.clone());
            app.inspecting.set(true);
        };
        view! { <li><button class="text-button" title="Show it" on:click=show><b>{name}</b> " " <code>{field}</code></button></li> }
    };
    let delete = move |_| {
        app.dialog.set(None);
        going.delete(app);
    };
    view! {
        <div class="modal-body">
            <p>{upright(said)}</p>
            <ul class="origins users">{users.into_iter().take(MOST).map(row).collect_view()}</ul>
            {(more > 0).then(|| view! { <p>{format!("… and {more} more.")}</p> })}
            <p class="field-hint">"If you delete it anyway, these miss it, and the list of problems says where. Undo brings it back."</p>
        </div>
        <footer>
            <button class="button" autofocus on:click=move |_| app.dialog.set(None)>"Keep it"</button>
            <button class="button danger" on:click=delete>"Delete anyway"</button>
        </footer>
    }
}

/// What a field is called where the person finds it.
fn named(kind: Kind, field: &str) -> String {
    let member = field.strip_prefix("run.set").or_else(|| field.strip_prefix("set"));
    let key = member.and_then(|member| match member.strip_prefix('.') {
        Some(key) => Some(key.to_owned()),
        None => serde_json::from_str(member.strip_prefix('[')?.strip_suffix(']')?).ok(),
    });
    match key {
        Some(key) => format!("the value of {key}"),
        None => label(Some(kind), field).unwrap_or(field).to_owned(),
    }
}

fn name_of(app: App, id: &str) -> String {
    app.editor
        .document
        .with_untracked(|document| document.step(id).map(|step| step.name.clone()))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_called_as_the_form_calls_it() {
        assert_eq!(named(Kind::Agent, "inputFrom"), "Prompt");
        assert_eq!(named(Kind::Function, "run.set.story"), "the value of story");
        assert_eq!(named(Kind::Workflow, r#"set["a b"]"#), "the value of a b");
        assert_eq!(named(Kind::Function, "run.code"), "Code");
    }
}
