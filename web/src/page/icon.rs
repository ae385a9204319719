//! The page's icons: drawn on a grid of 16, in the colour of the text around them.

use leptos::prelude::*;
use leptos::tachys::html::InertElement;

use crate::run::status::Status;
use crate::step::kinds::Kind;

/// The icon that shows a kind of step.
pub const fn of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Agent => AGENT,
        Kind::Function => FUNCTION,
        Kind::Http => REQUEST,
        Kind::Condition => CONDITION,
        Kind::Parallel => PARALLEL,
        Kind::Switch => SWITCH,
        Kind::Foreach => FOREACH,
        Kind::Loop => LOOP,
        Kind::Sequence => SEQUENCE,
        Kind::Workflow => WORKFLOW,
        Kind::Wait => WAIT,
        Kind::Approval => APPROVAL,
        Kind::End => EXIT,
    }
}

/// The icon that shows how far a step is.
pub fn of_status(status: Status) -> &'static str {
    match status {
        Status::Idle => "",
        Status::Running => RUNNING,
        Status::Done => DONE,
        Status::Error | Status::Budget => ERROR,
        Status::Skipped => SKIPPED,
        Status::Cancelled => CANCELLED,
        Status::Suspended => SUSPENDED,
    }
}

/// An icon as an element. It says nothing to a screen reader: what is next to it does.
///
/// The browser reads each shape once, and copies it from then on.
pub fn icon(shape: &'static str) -> impl IntoView {
    InertElement::new(drawn(shape))
}

/// An icon as it is written in HTML.
pub fn drawn(shape: &str) -> String {
    format!(r#"<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">{shape}</svg>"#)
}

/// The mark of Stepweave: steps that branch and meet again.
pub const LOGO: &str = r#"<circle cx="8" cy="2.6" r="1.8" fill="currentColor" stroke="none"/><circle cx="8" cy="13.4" r="1.8" fill="currentColor" stroke="none"/><path d="M8 4.4C8 7 3.5 6 3.5 8s4.5 1 4.5 3.6M8 4.4C8 7 12.5 6 12.5 8S8 9 8 11.6"/>"#;
const AGENT: &str = r#"<path d="M8 1.8l1.5 3.9a1.6 1.6 0 00.9.9L14.2 8l-3.8 1.4a1.6 1.6 0 00-.9.9L8 14.2l-1.5-3.9a1.6 1.6 0 00-.9-.9L1.8 8l3.8-1.4a1.6 1.6 0 00.9-.9z"/>"#;
const FUNCTION: &str = r#"<path d="M6.2 2.5H5.4a1.6 1.6 0 00-1.6 1.6v2.1A1.8 1.8 0 012.2 8a1.8 1.8 0 011.6 1.8v2.1a1.6 1.6 0 001.6 1.6h.8M9.8 2.5h.8a1.6 1.6 0 011.6 1.6v2.1A1.8 1.8 0 0013.8 8a1.8 1.8 0 00-1.6 1.8v2.1a1.6 1.6 0 01-1.6 1.6h-.8"/>"#;
const REQUEST: &str = r#"<circle cx="8" cy="8" r="6.2"/><path d="M1.8 8h12.4M8 1.8c2 1.8 2.8 3.9 2.8 6.2S10 12.4 8 14.2C6 12.4 5.2 10.3 5.2 8S6 3.6 8 1.8z"/>"#;
const CONDITION: &str = r#"<path d="M8 14V9.6M8 9.6L3.6 5.2V2.4M8 9.6l4.4-4.4V2.4M1.8 4.2l1.8-1.8 1.8 1.8M10.6 4.2l1.8-1.8 1.8 1.8"/>"#;
const PARALLEL: &str = r#"<path d="M3 3v10M8 3v10M13 3v10"/><path d="M1.6 11.4L3 13l1.4-1.6M6.6 11.4L8 13l1.4-1.6M11.6 11.4L13 13l1.4-1.6"/>"#;
const SEQUENCE: &str = r#"<rect x="3" y="1.8" width="10" height="4.4" rx="1.2"/><rect x="3" y="9.8" width="10" height="4.4" rx="1.2"/><path d="M8 6.2v3.6"/>"#;
const SWITCH: &str = r#"<path d="M8 1.8v12.4M8 4.6C8 7 3 6.4 3 9.4v3M8 4.6C8 7 13 6.4 13 9.4v3M1.5 10.9L3 12.4l1.5-1.5M6.5 12.7L8 14.2l1.5-1.5M11.5 10.9l1.5 1.5 1.5-1.5"/>"#;
const FOREACH: &str = r#"<path d="M6.6 3.4h7M6.6 8h7M6.6 12.6h7"/><path d="M1.8 2.2l1.8 1.2-1.8 1.2zM1.8 6.8L3.6 8 1.8 9.2zM1.8 11.4l1.8 1.2-1.8 1.2z" fill="currentColor" stroke-width="1"/>"#;
const LOOP: &str = r#"<path d="M13 3v3.2H9.8M3 13V9.8h3.2"/><path d="M12.8 6.2A5.2 5.2 0 003.4 5M3.2 9.8a5.2 5.2 0 009.4 1.2"/>"#;
const WORKFLOW: &str = r#"<rect x="1.8" y="1.8" width="12.4" height="12.4" rx="2.4"/><rect x="6" y="4.2" width="4" height="2.6" rx=".7"/><rect x="6" y="9.2" width="4" height="2.6" rx=".7"/><path d="M8 6.8v2.4"/>"#;
const WAIT: &str = r#"<circle cx="8" cy="8" r="6"/><path d="M8 4.6V8l2.3 1.5"/>"#;
const APPROVAL: &str = r#"<circle cx="6.4" cy="4.6" r="2.6"/><path d="M1.8 13.6c0-2.8 2-4.6 4.6-4.6 1 0 1.9.3 2.6.7M9.6 12.2l1.7 1.7 3-3.2"/>"#;
const EXIT: &str =
    r#"<path d="M6.4 13.4H3.6a1 1 0 01-1-1V3.6a1 1 0 011-1h2.8M10.2 11.2L13.4 8l-3.2-3.2M13.2 8H6"/>"#;
const SUSPENDED: &str = r#"<path d="M5.8 4.4v7.2M10.2 4.4v7.2"/>"#;
const RUNNING: &str = r#"<path d="M8 2.2a5.8 5.8 0 105.8 5.8" class="spin"/>"#;
/// A pin, as for a notice board.
pub const PIN: &str = r#"<path d="M5.6 2h4.8M6.4 2v4.4L4.2 9.2h7.6L9.6 6.4V2M8 9.2v4.8"/>"#;
/// A tree as lines.
pub const LIST: &str = r#"<path d="M2.4 3.4h8M5.4 8h8M5.4 12.6h6"/>"#;
/// Keys of a keyboard.
pub const KEYS: &str = r#"<rect x="1.6" y="4" width="12.8" height="8" rx="1.6"/><path d="M4.4 7h.01M7 7h.01M9.6 7h.01M12 7h.01M5 9.6h6"/>"#;
/// Once more.
pub const AGAIN: &str = r#"<path d="M3 3.2v3.4h3.4"/><path d="M3.2 6.4A5.4 5.4 0 112.6 9"/>"#;
/// All is well.
pub const DONE_SHAPE: &str = DONE;
const DONE: &str = r#"<path d="M3.4 8.4l3 3 6.2-6.6"/>"#;
const ERROR: &str = r#"<path d="M8 3.4v5.4M8 12.2v.2"/>"#;
const SKIPPED: &str = r#"<path d="M4 4l4 4-4 4M9 4l4 4-4 4"/>"#;
const CANCELLED: &str = r#"<rect x="4.6" y="4.6" width="6.8" height="6.8" rx="1.2"/>"#;
/// Start.
pub const PLAY: &str = r#"<path d="M4.6 2.9v10.2a.6.6 0 00.9.5l8.1-5.1a.6.6 0 000-1L5.5 2.4a.6.6 0 00-.9.5z" fill="currentColor"/>"#;
/// Stop.
pub const STOP: &str = r#"<rect x="3.6" y="3.6" width="8.8" height="8.8" rx="1.6" fill="currentColor"/>"#;
/// Take back.
pub const UNDO: &str = r#"<path d="M5.6 2.8L2.6 5.8l3 3M2.8 5.8h6.4a4 4 0 010 8H6"/>"#;
/// Make again.
pub const REDO: &str = r#"<path d="M10.4 2.8l3 3-3 3M13.2 5.8H6.8a4 4 0 000 8H10"/>"#;
/// Add.
pub const PLUS: &str = r#"<path d="M8 3v10M3 8h10"/>"#;
/// Less.
pub const MINUS: &str = r#"<path d="M3 8h10"/>"#;
/// Show all.
pub const FIT: &str = r#"<path d="M2.4 5.6V3.4a1 1 0 011-1h2.2M10.4 2.4h2.2a1 1 0 011 1v2.2M13.6 10.4v2.2a1 1 0 01-1 1h-2.2M5.6 13.6H3.4a1 1 0 01-1-1v-2.2"/>"#;
/// Take out.
pub const TRASH: &str = r#"<path d="M2.6 4.2h10.8M6 4.2V2.8a.8.8 0 01.8-.8h2.4a.8.8 0 01.8.8v1.4M4 4.2l.6 8.6a1.2 1.2 0 001.2 1.2h4.4a1.2 1.2 0 001.2-1.2l.6-8.6"/>"#;
/// Before its neighbour.
pub const UP: &str = r#"<path d="M8 13V3.4M4.2 7L8 3.2 11.8 7"/>"#;
/// After its neighbour.
pub const DOWN: &str = r#"<path d="M8 3v9.6M4.2 9L8 12.8 11.8 9"/>"#;
/// Make a copy.
pub const COPY: &str = r#"<rect x="5.6" y="5.6" width="8" height="8" rx="1.6"/><path d="M10.4 5.4V4a1.6 1.6 0 00-1.6-1.6H4A1.6 1.6 0 002.4 4v4.8A1.6 1.6 0 004 10.4h1.4"/>"#;
/// Away with it.
pub const CLOSE: &str = r#"<path d="M4 4l8 8M12 4l-8 8"/>"#;
/// Something is wrong.
pub const WARNING: &str =
    r#"<path d="M8 2.4L1.9 13a.6.6 0 00.5.9h11.2a.6.6 0 00.5-.9zM8 6.6v3.2M8 11.8v.1"/>"#;
/// Opens below.
pub const CHEVRON: &str = r#"<path d="M4.4 6.4L8 10l3.6-3.6"/>"#;
/// An endpoint.
pub const PLUG: &str =
    r#"<path d="M6 2v3M10 2v3M4.4 5h7.2v2.6A3.6 3.6 0 018 11.2a3.6 3.6 0 01-3.6-3.6zM8 11.2V14"/>"#;
/// A key stays here.
pub const LOCK: &str =
    r#"<rect x="3.2" y="7" width="9.6" height="6.8" rx="1.6"/><path d="M5.4 7V5a2.6 2.6 0 015.2 0v2"/>"#;
/// A file.
pub const FILE: &str = r#"<path d="M9.2 1.8H4.4A1.2 1.2 0 003.2 3v10a1.2 1.2 0 001.2 1.2h7.2a1.2 1.2 0 001.2-1.2V5.4zM9.2 1.8v3.6h3.6"/>"#;
/// A workflow to begin from.
pub const TEMPLATE: &str = r#"<rect x="2.2" y="2.2" width="11.6" height="4" rx="1.2"/><rect x="2.2" y="9.2" width="4.8" height="4.6" rx="1.2"/><rect x="9" y="9.2" width="4.8" height="4.6" rx="1.2"/>"#;
/// JSON.
pub const BRACES: &str = r#"<path d="M6 2.5H5A1.5 1.5 0 003.500 4v2.500L2.500 8l1 1.500V12A1.500 1.500 0 005 13.500h1M10 2.500h1A1.500 1.500 0 0112.500 4v2.500l1 1.500-1 1.500V12a1.500 1.500 0 01-1.500 1.500h-1"/>"#;
/// Comes in.
pub const IMPORT: &str = r#"<path d="M8 2v7.6M4.8 6.6L8 9.8l3.2-3.2M2.4 11.4v1.4a1.2 1.2 0 001.2 1.2h8.8a1.2 1.2 0 001.2-1.2v-1.4"/>"#;
/// A file that the browser stores: it comes in, as one that the page takes does.
pub const DOWNLOAD: &str = IMPORT;
/// Goes out.
pub const EXPORT: &str = r#"<path d="M8 9.8V2.2M4.8 5.2L8 2l3.2 3.2M2.4 11.4v1.4a1.2 1.2 0 001.2 1.2h8.8a1.2 1.2 0 001.2-1.2v-1.4"/>"#;
/// Settings.
pub const SLIDERS: &str = r#"<path d="M2 4.6h6M12 4.6h2M2 11.4h2M8 11.4h6"/><circle cx="10" cy="4.6" r="1.8"/><circle cx="6" cy="11.4" r="1.8"/>"#;
/// A pencil.
pub const PENCIL: &str = r#"<path d="M10.8 2.6l2.6 2.6L5.6 13l-3.2.6.6-3.2zM9.2 4.2l2.6 2.6"/>"#;
/// Beside the canvas.
pub const BESIDE: &str =
    r#"<rect x="1.8" y="2.6" width="12.4" height="10.8" rx="1.6"/><path d="M9.6 2.6v10.8"/>"#;
/// Below the canvas.
pub const BELOW: &str =
    r#"<rect x="1.8" y="2.6" width="12.4" height="10.8" rx="1.6"/><path d="M1.8 9.2h12.4"/>"#;
/// A shelf.
pub const LIBRARY: &str = r#"<path d="M3.2 2.4v11.2M6.6 2.4v11.2M9.6 3l3 10.4M1.8 13.6h12.4"/>"#;
/// A magnifying glass.
pub const SEARCH: &str = r#"<circle cx="7" cy="7" r="4.4"/><path d="M10.4 10.4L14 14"/>"#;
/// What somebody says.
pub const CHAT: &str = r#"<path d="M3 2.8h10a1.2 1.2 0 011.2 1.2v6a1.2 1.2 0 01-1.2 1.2H7.200L4 14v-2.800H3A1.2 1.2 0 011.8 10V4A1.2 1.2 0 013 2.800zM5 6h6M5 8.400h3.800"/>"#;
/// A sheet of paper with a note.
pub const NOTE: &str = r#"<path d="M3 2.6h10a.8.8 0 01.8.8v6.2l-4 4H3a.8.8 0 01-.8-.8V3.4a.8.8 0 01.8-.8zM13.6 9.6h-3a.8.8 0 00-.8.8v3M5 6h6M5 9h2.6"/>"#;
