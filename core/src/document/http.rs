//! HTTP requests in a document: those of `http` steps and of tools.

use indexmap::IndexMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Secret;

/// The keys of an `http` step; what its request answers becomes `<name>_output`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HttpCall {
    /// The request.
    pub http: HttpRequest,
    /// What is done about a request that may have been carried out and has no answer.
    pub on_unknown: OnUnknown,
}

/// An HTTP request: a step's, or a tool's over its arguments.
///
/// ```
/// use stepweave_core::document::HttpRequest;
/// let request = HttpRequest::to("https://api.example.com/users/{{ id }}");
/// assert_eq!(serde_json::to_value(&request)?, serde_json::json!({ "url": "https://api.example.com/users/{{ id }}" }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpRequest {
    /// What is done; when absent `POST` for a request with a body, and `GET` for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// A template: where it goes. Values are encoded for their position.
    pub url: String,
    /// Templates, by the names that they have in the query.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub query: IndexMap<String, String>,
    /// Templates, by the names of their headers.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// What is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<HttpBody>,
    /// The secret that is sent along, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<HttpAuth>,
    /// Where it may go besides the origin that its address says literally.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origins: Option<Origins>,
    /// An expression over `status`, `headers` and `body`: whether it succeeded. A status from 200 to 299 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<String>,
    /// As what the body of the answer is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ResponseForm>,
    /// Bytes that the body of the answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// An expression over `status`, `headers` and `body`: what the request gives. The body when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// How further pages of the answer are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<Pages>,
}

impl HttpRequest {
    /// Bytes that the body of an answer may have where the request does not say.
    pub const DEFAULT_MAX_BYTES: u64 = 2 * 1024 * 1024;

    /// A request to this address that says nothing else.
    pub fn to(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }

    /// What is done.
    pub fn method(&self) -> Method {
        self.method.unwrap_or(if self.body.is_some() { Method::Post } else { Method::Get })
    }
}

macro_rules! words {
    ($(#[$what:meta])+ $name:ident { $($(#[$doc:meta])+ $variant:ident = $word:literal,)+ }) => {
        $(#[$what])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])+ $variant,)+
        }

        impl $name {
            /// The words that documents have for them.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The one of this word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// Its word.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }
    };
}

words! {
    /// What a request does.
    Method {
        /// It reads.
        Get = "GET",
        /// It reads the headers alone.
        Head = "HEAD",
        /// It does something, once more each time.
        Post = "POST",
        /// It puts something in place, the same each time.
        Put = "PUT",
        /// It changes something, perhaps once more each time.
        Patch = "PATCH",
        /// It removes something.
        Delete = "DELETE",
    }
}

impl Method {
    /// Whether it only reads.
    pub fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }

    /// Whether doing it twice is the same as doing it once.
    pub fn is_idempotent(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }
}

words! {
    /// As what the body of an answer is read.
    ResponseForm {
        /// As its content type says: JSON as a value, text as a text, anything else as bytes.
        Auto = "auto",
        /// As JSON, whatever its content type says.
        Json = "json",
        /// As text.
        Text = "text",
        /// As the text of a page of HTML that a person would read.
        Readable = "readable",
        /// As a file: `{ mediaType, data }`, with the bytes in base64.
        Bytes = "bytes",
    }
}

words! {
    /// What is done about a request that may have been carried out and has no answer.
    #[derive(Default)]
    OnUnknown {
        /// The step fails.
        #[default]
        Fail = "fail",
        /// It is sent once more.
        Retry = "retry",
        /// The step gives null, and the run goes on.
        Skip = "skip",
    }
}

/// What a request sends.
#[derive(Debug, Clone, PartialEq)]
pub enum HttpBody {
    /// JSON, whose strings are templates. One that is a single expression becomes the value itself.
    Json(Value),
    /// The fields of a form: a template for each.
    Form(IndexMap<String, String>),
    /// A text: a template.
    Text {
        /// The template.
        text: String,
        /// Its media type; `text/plain` when absent.
        media_type: Option<String>,
    },
    /// The fields and files of a form.
    Multipart(Vec<FormPart>),
}

impl Serialize for HttpBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(json) => serializer.collect_map([("json", json)]),
            Self::Form(form) => serializer.collect_map([("form", form)]),
            Self::Text { text, media_type: None } => serializer.collect_map([("text", text)]),
            Self::Text { text, media_type: Some(media_type) } => {
                serializer.collect_map([("text", text), ("type", media_type)])
            }
            Self::Multipart(parts) => serializer.collect_map([("multipart", parts)]),
        }
    }
}

/// A field or a file of a form.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct FormPart {
    /// The field's name.
    pub name: String,
    /// A template: the field's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// An expression for a file instead: `{ mediaType, data }`, or a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its media type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// A template: the file's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
}

/// The secret that is sent along with a request, and how.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HttpAuth {
    /// `authorization: Bearer …`
    Bearer(Secret),
    /// `authorization: Basic …`
    Basic {
        /// A template: the user.
        user: String,
        /// The password.
        password: Secret,
    },
    /// A header with the secret as its value.
    Header {
        /// The header's name.
        name: String,
        /// Its value.
        value: Secret,
    },
    /// A parameter of the query with the secret as its value.
    Query {
        /// The parameter's name.
        name: String,
        /// Its value.
        value: Secret,
    },
    /// A token that is fetched with the program's own credentials (OAuth 2.0, client credentials).
    #[serde(rename_all = "camelCase")]
    Oauth2 {
        /// Where the token is fetched.
        token_url: String,
        /// Who fetches it.
        client_id: String,
        /// The secret for it.
        client_secret: Secret,
        /// What the token is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        scope: Option<String>,
    },
}

/// Where a request may go.
#[derive(Debug, Clone, PartialEq)]
pub enum Origins {
    /// Anywhere.
    Any,
    /// To these.
    Some(Vec<String>),
}

impl Serialize for Origins {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Any => serializer.serialize_str("any"),
            Self::Some(origins) => origins.serialize(serializer),
        }
    }
}

/// How further pages of an answer are requested. The expressions are over `status`, `headers` and `body` of a page.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Pages {
    /// The address of the next page; null at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What leads to the next page in the query instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The list that a page has. The lists of all pages become the body; when absent it is a list of the bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    /// How many pages are requested at most.
    pub max: u32,
}

/// A parameter of the query that leads to the next page.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Cursor {
    /// The parameter's name.
    pub query: String,
    /// Its value for the next page; null at the end.
    pub value: String,
}
