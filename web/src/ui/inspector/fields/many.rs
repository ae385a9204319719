//! Lists of fields that a document may make as long as it likes: so many are shown, and the rest is in its JSON.

use leptos::prelude::*;

/// How many are shown. Each is a row of fields, and nobody scrolls through more.
pub const MOST: usize = 200;

/// How many of so many are shown.
pub fn shown_of(many: usize) -> usize {
    many.min(MOST)
}

/// Those that are shown.
pub fn first_of(all: &[String]) -> Vec<String> {
    all.iter().take(MOST).cloned().collect()
}

/// Where the others are.
pub fn rest_of(many: usize) -> impl IntoView {
    let rest = many - shown_of(many);
    (rest > 0)
        .then(|| view! { <p class="field-hint">"and " {rest} " more, in the JSON of the workflow (J)"</p> })
}
