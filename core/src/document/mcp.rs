//! Tools of MCP servers in a document.

use serde::Serialize;

use super::HttpAuth;

/// One tool of an MCP server. What the model reads about it stands in the document, and the server is held to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct McpTool {
    /// The address of the server, literally.
    pub url: String,
    /// The name of the tool at the server.
    pub tool: String,
    /// The fingerprint of the tool's name, description and schemas, as they were when it was taken in.
    pub hash: String,
    /// The secret that is sent along, and how: as a bearer token or in a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<HttpAuth>,
    /// Whether the server may ask a person in the midst of a call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub elicitation: bool,
}
