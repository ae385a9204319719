//! What a document says of the tools of MCP servers.

use super::path::Path;
use super::requests::{is_address, is_name, is_of_connection};
use crate::document::{Document, HttpAuth, McpTool, ToolRun};
use crate::language::origin_of;
use crate::problem::{Problem, Problems};

pub(super) fn check(document: &Document, problems: &mut Problems) {
    for (name, tool) in &document.tools {
        if let Some(ToolRun::Mcp(tool)) = &tool.run {
            check_tool(name, tool, problems);
        }
    }
}

fn check_tool(name: &str, tool: &McpTool, problems: &mut Problems) {
    let place = Path::ROOT.key("tools").key(name).key("run").key("mcp");
    let mut error = |place: Path<'_>, code, fault: &str, hint: &str| {
        let message = format!("the tool `{name}` of an MCP server {fault}");
        problems.push(Problem::error(place.render(), code, message, hint));
    };
    if !is_address(&tool.url) || !is_closed(&tool.url) {
        error(
            place.key("url"),
            "wrong_address",
            "has no https address",
            "write the address literally, such as https://mcp.example.com/mcp; http is possible on this machine alone, and the name of a secret goes in `auth`",
        );
    }
    if !is_hash(&tool.hash) {
        error(
            place.key("hash"),
            "wrong_hash",
            "has no fingerprint that it is held to",
            "take the tool from its server with mcpToolDocuments() of stepweave/mcp, which writes it",
        );
    }
    if let Some(HttpAuth::Header { name, .. }) = &tool.auth
        && (!is_name(name) || is_of_connection(&name.to_ascii_lowercase()))
    {
        error(
            place.key("auth").key("header").key("name"),
            "wrong_header",
            "cannot send this header",
            "its name takes letters, digits and `-`, and is none of the connection's own",
        );
    }
}

/// Whether nobody on the way reads what is sent there: https, or this machine.
fn is_closed(url: &str) -> bool {
    let origin = origin_of(url).unwrap_or_default().to_ascii_lowercase();
    let Some(host) = origin.strip_prefix("http://") else { return true };
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    };
    let is_loopback = host.strip_prefix("127.").is_some_and(|rest| {
        rest.split('.').count() == 3 && rest.split('.').all(|part| part.parse::<u8>().is_ok())
    });
    host == "localhost" || host == "[::1]" || is_loopback
}

/// Whether this is a SHA-256 digest in hexadecimal digits.
fn is_hash(hash: &str) -> bool {
    hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
