//! Names picked from those that there are.

use leptos::prelude::*;

use super::bound::Bound;
use crate::ui::field::Switch;

/// Whether a name is one of a list; a new one comes last. It may be called otherwise already than in the list, as while its name is typed.
pub fn pick(
    bound: Bound<Vec<String>>,
    name: String,
    called: Signal<String>,
    hint: Signal<String>,
) -> impl IntoView + use<> {
    let chosen = bound.signal();
    let own = name.clone();
    let change = move |on: bool| {
        let mut names = chosen.get_untracked();
        names.retain(|other| *other != name);
        if on {
            names.push(name.clone());
        }
        bound.pick(names);
    };
    view! {
        <Switch label=called hint=hint value=Signal::derive(move || chosen.with(|names| names.contains(&own)))
            on_change=change />
    }
}
