//! Language models: what is asked, in the wire format that the endpoint speaks, and what it answers.

pub use self::call::{Teller, ask};
pub use self::conversation::{
    Finish, Media, MediaKind, MediaSource, Part, Reply, ToolCall, ToolResult, Turn,
};
pub use self::partial::{Partial, PartialCall};
pub(crate) use self::parts::body as neutral;
pub use self::presets::{Format, Preset, preset};
pub(crate) use self::prices::{has_price, known_price, priced};
pub use self::question::{ModelSetup, Offer, Question};
pub use self::stream::Stream;

mod call;
mod chat;
mod conversation;
mod demo;
mod partial;
mod parts;
mod patience;
mod presets;
mod prices;
mod question;
mod refusal;
mod sse;
mod stream;
