//! The keyboard's focus.

use web_sys::FocusOptions;

/// Focus without the browser's own scrolling, which would displace the world.
pub fn focus_in_place(node: &web_sys::HtmlElement) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // An element that cannot be focused stays as it is.
    let _ = node.focus_with_options(&options);
}
