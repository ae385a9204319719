//! Fields that are bound to the document, and what they are put together from.

pub mod auth;
pub mod behind;
pub mod bound;
pub mod curl;
pub mod edits;
pub mod entry;
pub mod fold;
pub mod json;
pub mod key_field;
pub mod many;
pub mod pages;
pub mod parts;
pub mod pick;
pub mod request;
pub mod rows;
pub mod schema;
pub mod source;
pub mod trying;
pub mod typing;
