//! A section of the inspector that few people need.

use leptos::prelude::*;

/// A section that is closed until it is opened, or something in it is wrong.
#[component]
pub fn Fold(
    /// What it is called.
    title: &'static str,
    /// Whether it was opened.
    open: RwSignal<bool>,
    /// What is set in it, in a few words.
    said: Memo<String>,
    /// Whether something in it is wrong.
    flawed: Memo<bool>,
    children: Children,
) -> impl IntoView {
    let toggle = move |event: leptos::ev::Event| {
        let details: web_sys::Element = event_target(&event);
        // A section that a problem opened was not opened by the person.
        if !flawed.get_untracked() {
            open.set(details.has_attribute("open"));
        }
    };
    view! {
        <details class="more-fields" prop:open=move || open.get() || flawed.get() on:toggle=toggle>
            <summary><b>{title}</b><small>{said}</small></summary>
            <div class="more-body">{children()}</div>
        </details>
    }
}
