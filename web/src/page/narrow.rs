//! Windows as narrow as a phone.

use leptos::prelude::*;

/// Whether parts of the page stand below each other, as the style sheets have it, and a step's form takes the place of
/// other views.
pub fn is_narrow() -> bool {
    window().match_media("(max-width: 640px)").is_ok_and(|found| found.is_some_and(|found| found.matches()))
}
