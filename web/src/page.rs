//! What all parts of the page share.

pub mod camera;
pub mod chat;
pub mod chunk;
pub mod copying;
pub mod division;
pub mod early_keys;
pub mod focus;
pub mod held;
pub mod icon;
pub mod keyring;
pub mod narrow;
pub mod noting;
pub mod pointer_state;
pub mod removal;
pub mod resizing;
pub mod roving;
pub mod state;
pub mod tally;
pub mod viewport;
