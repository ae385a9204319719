//! How many executions of a step are how far, in words.

use leptos::prelude::*;

use crate::run::executions::Tally;

/// How many of the executions that were reached are done, and how many failed.
pub fn tally_of(tally: Tally) -> impl IntoView {
    let failed = (tally.failed > 0).then(|| view! { <b class="failed">{tally.failed} " failed"</b> });
    let waiting =
        (tally.suspended > 0).then(|| view! { <b class="waiting">{tally.suspended} " waiting"</b> });
    view! { <span>{tally.done} " of " {tally.all} " done"</span> {failed} {waiting} }
}
