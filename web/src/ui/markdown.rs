//! Text that a model wrote, with its lists, tables and code.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::page::state::app;

/// Shows Markdown: as it is written until what reads it is there.
#[component]
pub fn Markdown(
    /// The text, which may still grow.
    text: Signal<String>,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let place = RwSignal::new_local(None);
    let bridge = app().bridge.get_value();
    Effect::new(move |_| {
        let Some(node) = node.get() else { return };
        let bridge = bridge.clone();
        spawn_local(async move {
            let made = bridge.markdown(&node).await;
            // The page may have taken the text away meanwhile.
            let _ = place.try_set(made);
        });
    });
    Effect::new(move |_| {
        let text = text.get();
        place.with(|place| match (place, node.get_untracked()) {
            (Some(place), _) => place.show_markdown(&text),
            (None, Some(node)) => node.set_text_content(Some(&text)),
            (None, None) => {}
        });
    });
    view! { <div class="markdown plain" node_ref=node></div> }
}
