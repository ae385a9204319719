//! When a step that waits for its next attempt makes it, said anew each second.

use std::time::Duration;

use leptos::prelude::*;

use crate::step::span::written;

/// How long it still waits, where it tries again at this time, in milliseconds since 1970.
#[component]
pub fn Retrying(
    /// When it tries again.
    at: f64,
) -> impl IntoView {
    let now = RwSignal::new(js_sys::Date::now());
    let tick = move || now.set(js_sys::Date::now());
    // Without a timer it says how long it was at first.
    if let Ok(timer) = set_interval_with_handle(tick, Duration::from_secs(1)) {
        on_cleanup(move || timer.clear());
    }
    view! { <span class="retrying">{move || said(at - now.get())} ": "</span> }
}

fn said(left_ms: f64) -> String {
    match (left_ms / 1000.0).ceil() {
        seconds if seconds >= 1.0 => format!("Tries again in {}", written(seconds as u64 * 1000)),
        _ => "Tries again now".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_second_is_one_and_what_is_over_is_now() {
        let all = [65_000.0, 3_999.0, 4_000.0, 1.0, 0.0, -500.0].map(said);
        let waits = ["1 min 5 s", "4 s", "4 s", "1 s"].map(|wait| format!("Tries again in {wait}"));
        let now = ["Tries again now"; 2].map(str::to_owned);
        assert_eq!(all.to_vec(), [waits.to_vec(), now.to_vec()].concat());
    }
}
