//! What a request looks like: that of an `http` step, and that of a tool.

use super::agents::SECRET;
use super::{RETRY_COUNT, StepShape, TIMEOUT_MS, field};
use crate::document::{Method, OnUnknown, ResponseForm};
use crate::shape::Presence::{Beside, Optional, Required};
use crate::shape::{Keys, ObjectShape, Role, Shape};

/// An `http` step.
pub(super) const STEP: StepShape = StepShape {
    word: "http",
    own: ObjectShape {
        title: "http step",
        fields: &[
            field("http", Shape::Object(&REQUEST), Required, "the request"),
            field(
                "onUnknown",
                Shape::Choice(OnUnknown::WORDS),
                Optional,
                "what is done about a request that may have been carried out and has no answer",
            ),
            RETRY_COUNT,
            TIMEOUT_MS,
        ],
    },
};

/// A request.
pub(super) const REQUEST: ObjectShape = ObjectShape {
    title: "request",
    fields: &[
        field(
            "method",
            Shape::Choice(Method::WORDS),
            Optional,
            "what is done; `GET` when absent, `POST` with a body",
        ),
        field("url", Shape::Text(Role::Template), Required, "where it goes"),
        field("query", TEMPLATES, Optional, "a template for each parameter of the query"),
        field("headers", TEMPLATES, Optional, "a template for each header, never a key"),
        field("body", Shape::OneOf(&BODY), Optional, "what is sent"),
        field("auth", Shape::OneOf(&AUTH), Optional, "the secret that is sent along, and how"),
        field("origins", Shape::ChoiceOrNames(&["any"], Role::Plain), Optional, "where it may go"),
        field("success", Shape::Text(Role::Expression), Optional, "whether it succeeded"),
        field("response", Shape::Choice(ResponseForm::WORDS), Optional, "as what the answer's body is read"),
        field("maxBytes", Shape::Integer(1, MAX_BYTES), Optional, "bytes that the answer's body may have"),
        field("result", Shape::Text(Role::Expression), Optional, "what it gives; the body when absent"),
        field("pages", Shape::Object(&PAGES), Optional, "how further pages are requested"),
    ],
};

/// Bytes that the body of an answer may have, whatever a document says.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

const TEMPLATES: Shape = Shape::Map(Keys::Free, &Shape::Text(Role::Template));

const BODY: ObjectShape = ObjectShape {
    title: "body",
    fields: &[
        field("json", Shape::Data, Optional, "JSON whose strings are templates"),
        field("form", TEMPLATES, Optional, "a template for each field of a form"),
        field("text", Shape::Text(Role::Template), Optional, "a text"),
        field("type", Shape::Name(Role::Plain), Beside("text"), "the text's media type"),
        field("multipart", Shape::List(&PART), Optional, "the fields and files of a form"),
    ],
};

const PART: ObjectShape = ObjectShape {
    title: "field of a form",
    fields: &[
        field("name", Shape::Name(Role::Plain), Required, "the field's name"),
        field("text", Shape::Text(Role::Template), Optional, "the field's text"),
        field("file", Shape::Text(Role::Expression), Optional, "a file instead"),
        field("type", Shape::Name(Role::Plain), Optional, "its media type"),
        field("filename", Shape::Text(Role::Template), Optional, "the file's name"),
    ],
};

const AUTH: ObjectShape = ObjectShape {
    title: "auth",
    fields: &[
        field("bearer", Shape::Object(&SECRET), Optional, "a secret for the header `authorization`"),
        field("basic", Shape::Object(&BASIC), Optional, "a user and a password"),
        field("header", Shape::Object(&NAMED), Optional, "a header with a secret"),
        field("query", Shape::Object(&NAMED), Optional, "a parameter of the query with a secret"),
        field("oauth2", Shape::Object(&OAUTH2), Optional, "a token for the program's own credentials"),
    ],
};

/// A tool of an MCP server.
pub(super) const MCP_TOOL: ObjectShape = ObjectShape {
    title: "tool of an MCP server",
    fields: &[
        field("url", Shape::Name(Role::Plain), Required, "the address of the server"),
        field("tool", Shape::Name(Role::Plain), Required, "the name of the tool at the server"),
        field("hash", Shape::Name(Role::Plain), Required, "the fingerprint of the tool as it was taken in"),
        field("auth", Shape::OneOf(&MCP_AUTH), Optional, "the secret that is sent along, and how"),
        field("elicitation", Shape::Boolean, Optional, "whether the server may ask a person during a call"),
    ],
};

const MCP_AUTH: ObjectShape = ObjectShape {
    title: "auth of an MCP server",
    fields: &[
        field("bearer", Shape::Object(&SECRET), Optional, "a secret for the header `authorization`"),
        field("header", Shape::Object(&NAMED), Optional, "a header with a secret"),
    ],
};

const BASIC: ObjectShape = ObjectShape {
    title: "basic auth",
    fields: &[
        field("user", Shape::Text(Role::Template), Required, "the user"),
        field("password", Shape::Object(&SECRET), Required, "the secret that is the password"),
    ],
};

const NAMED: ObjectShape = ObjectShape {
    title: "secret of a request",
    fields: &[
        field("name", Shape::Name(Role::Plain), Required, "the name of the header or the parameter"),
        field("value", Shape::Object(&SECRET), Required, "the secret"),
    ],
};

const OAUTH2: ObjectShape = ObjectShape {
    title: "set of client credentials",
    fields: &[
        field("tokenUrl", Shape::Name(Role::Plain), Required, "where the token is fetched"),
        field("clientId", Shape::Name(Role::Plain), Required, "who fetches it"),
        field("clientSecret", Shape::Object(&SECRET), Required, "the secret for it"),
        field("scope", Shape::Text(Role::Plain), Optional, "what the token is for"),
    ],
};

const PAGES: ObjectShape = ObjectShape {
    title: "set of pages",
    fields: &[
        field("next", Shape::Text(Role::Expression), Optional, "the address of the next page, or null"),
        field("cursor", Shape::Object(&CURSOR), Optional, "what leads to the next page in the query"),
        field("items", Shape::Text(Role::Expression), Optional, "the list that a page has"),
        field("max", Shape::Integer(1, 1000), Required, "how many pages are requested at most"),
    ],
};

const CURSOR: ObjectShape = ObjectShape {
    title: "cursor",
    fields: &[
        field("query", Shape::Name(Role::Plain), Required, "the parameter's name"),
        field("value", Shape::Text(Role::Expression), Required, "its value for the next page, or null"),
    ],
};
