//! The pages that a search found, or that an answer cites.

use leptos::prelude::*;

use crate::run::event::Source;

/// The sources, as links where they are pages.
pub fn links(sources: Vec<Source>) -> impl IntoView {
    let one = |Source { url, title, text }: Source| {
        let name = if title.is_empty() { url.clone() } else { title };
        // A model wrote this, or a page did: nothing else is opened than a page, which learns nothing of this one.
        let is_page = ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme));
        let named = match is_page {
            true => {
                view! { <a href=url.clone() target="_blank" rel="noopener noreferrer" title=url>{name}</a> }
                    .into_any()
            }
            false => view! { <span>{name}</span> }.into_any(),
        };
        view! { <li>{named} {(!text.is_empty()).then(|| view! { <small>" " {text}</small> })}</li> }
    };
    view! { <ul class="links">{sources.into_iter().map(one).collect_view()}</ul> }
}
