//! Language models: the request, in the wire format that the endpoint speaks, and its response.

pub use self::call::{Emitter, Voice, ask};
pub use self::conversation::{Finish, Part, Reply, ToolCall, ToolResult, Turn};
pub use self::extras::{Extras, Source};
pub use self::media::{Media, MediaKind, MediaSource};
pub use self::params::params;
pub use self::partial::{Partial, PartialCall};
pub(crate) use self::parts::body as neutral;
pub use self::presets::{Format, Preset, Quirk, Sampling, preset};
pub(crate) use self::prices::{has_price, known_price, least_answer_price, priced};
pub use self::question::{ModelSetup, Most, Offer, Question};
pub(crate) use self::refusal::words_of;
pub use self::served::{ProvidedOffer, Served, Stage};
pub(crate) use self::settings::put_over;
pub use self::stream::Stream;

mod address;
mod base64;
mod call;
mod chat;
mod conversation;
mod demo;
mod extras;
mod fields;
mod gemini;
mod media;
mod message;
mod messages;
mod narrow;
mod params;
mod partial;
mod parts;
mod patience;
mod presets;
mod prices;
mod question;
mod refusal;
mod responses;
#[cfg(test)]
mod sample;
mod served;
mod settings;
mod sse;
mod stream;
mod structured;
