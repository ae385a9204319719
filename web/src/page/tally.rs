//! How many executions of a step are how far, in words.

use leptos::prelude::*;

use crate::run::executions::Tally;
use crate::run::glance::failed_calls;

/// How many of the executions that were reached are done, and how many failed.
pub fn tally_of(tally: Tally) -> impl IntoView {
    let failed = (tally.failed > 0).then(|| view! { <b class="failed">{tally.failed} " failed"</b> });
    let waiting =
        (tally.suspended > 0).then(|| view! { <b class="waiting">{tally.suspended} " waiting"</b> });
    let warned =
        (tally.failed_calls > 0).then(|| view! { <b class="waiting">{failed_calls(tally.failed_calls)}</b> });
    view! { <span>{tally.done} " of " {tally.all} " done"</span> {failed} {waiting} {warned} }
}
