//! A section of the inspector that few people need.

use leptos::prelude::*;

use crate::page::focus::once_drawn;

/// A section that is closed until it is opened, or something in it is wrong. Nothing is made of its fields before: they
/// are most of a step's form, and are made anew with each selection.
#[component]
pub fn Fold(
    /// What it is called.
    title: &'static str,
    /// Whether it was opened.
    #[prop(into)]
    open: Signal<bool>,
    /// Called when a person opens or closes it.
    #[prop(into)]
    on_toggle: Callback<bool>,
    /// What is set in it, in a few words.
    said: Memo<String>,
    /// Whether something in it is wrong.
    flawed: Memo<bool>,
    children: Children,
) -> impl IntoView {
    let toggle = move |event: leptos::ev::Event| {
        // A section that a problem opened was not opened by the person.
        if flawed.get_untracked() {
            return;
        }
        let has_opened = has_opened(&event);
        if has_opened && !open.get_untracked() {
            show_whole(event_target(&event));
        }
        on_toggle.run(has_opened);
    };
    let is_open = Signal::derive(move || open.get() || flawed.get());
    view! {
        <details class="more-fields" prop:open=is_open on:toggle=toggle>
            <summary><b>{title}</b><small>{said}</small></summary>
            <div class="more-body">{once_open(is_open, children)}</div>
        </details>
    }
}

/// Brings what a person has opened into view, as far as there is room: it may be the last of a form.
fn show_whole(section: web_sys::Element) {
    // By then its fields are there.
    once_drawn(move || {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        section.scroll_into_view_with_scroll_into_view_options(&options);
    });
}

/// Whether the details that were opened or closed are open now.
pub fn has_opened(event: &leptos::ev::Event) -> bool {
    event_target::<web_sys::Element>(event).has_attribute("open")
}

/// What is inside of something, made when that is opened first. Closed again, it keeps it.
pub fn once_open(is_open: Signal<bool>, children: Children) -> impl IntoView {
    let was_open = Memo::new(move |before: Option<&bool>| before.is_some_and(|was| *was) || is_open.get());
    let children = StoredValue::new_local(Some(children));
    move || {
        let children = was_open.get().then(|| children.try_update_value(Option::take).flatten()).flatten();
        children.map(|children| children())
    }
}
