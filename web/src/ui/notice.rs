//! A short message that goes by itself.

use std::time::Duration;

use leptos::prelude::*;

use crate::page::state::app;
use crate::step::upright::upright;

/// A short message that goes by itself.
#[component]
pub fn Notice() -> impl IntoView {
    let notice = app().editor.notice;
    let timer = StoredValue::new(None::<TimeoutHandle>);
    Effect::new(move || {
        if let Some(timer) = timer.get_value() {
            timer.clear();
        }
        if let Some(long) = notice.with(|text| text.as_ref().map(String::len)) {
            // Nobody reads much more than 20 letters in a second.
            let stays = Duration::from_millis((long as u64 * 50).max(5_000));
            // Without a timer the message stays until the next one.
            timer.set_value(set_timeout_with_handle(move || notice.set(None), stays).ok());
        }
    });
    view! {
        <div class="notices" role="status" aria-live="polite">
            {move || notice.get().map(upright).map(|text| {
                let whole = text.clone();
                view! { <div class="notice" title=whole>{text}</div> }
            })}
        </div>
    }
}
