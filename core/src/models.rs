//! Language models: what is asked, in the wire format that the endpoint speaks, and what it answers.

pub use self::call::{Teller, ask};
pub use self::conversation::{
    Finish, Media, MediaKind, MediaSource, Part, Reply, ToolCall, ToolResult, Turn,
};
pub use self::params::params;
pub use self::partial::{Partial, PartialCall};
pub use self::presets::{Format, Preset, Quirk, Sampling, Structured, preset};
pub use self::question::{ModelSetup, Offer, Question};
pub use self::stream::Stream;

mod call;
mod chat;
mod conversation;
mod demo;
mod fields;
mod gemini;
mod messages;
mod params;
mod partial;
mod parts;
mod patience;
mod presets;
mod question;
mod refusal;
mod responses;
mod sse;
mod stream;
mod structured;
#[cfg(test)]
mod testing;
