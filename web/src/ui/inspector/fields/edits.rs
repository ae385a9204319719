//! Fields that change the workflow: while another tab edits it, they are read and not written.

use leptos::prelude::*;

use crate::page::state::app;

/// Around the fields.
#[component]
pub fn Edits(children: Children) -> impl IntoView {
    let following = app().editor.following;
    view! { <fieldset class="edits" disabled=following>{children()}</fieldset> }
}
