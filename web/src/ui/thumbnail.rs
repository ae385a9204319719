//! The small picture of a workflow.

use leptos::prelude::*;

use crate::model::picture::Picture;

/// A picture, which is empty until there is one.
#[component]
pub fn Thumbnail(
    /// The picture.
    #[prop(into)]
    picture: Signal<Picture>,
) -> impl IntoView {
    let view = move || picture.with(|picture| Some(picture.view.clone()).filter(|view| !view.is_empty()));
    view! {
        <svg class="thumbnail" viewBox=view aria-hidden="true">
            <path class="thumbnail-frames" d=move || picture.with(|picture| picture.frames.clone()) />
            <path class="thumbnail-cards" d=move || picture.with(|picture| picture.cards.clone()) />
        </svg>
    }
}
