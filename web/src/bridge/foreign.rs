//! What became of a file that another tool wrote.

use serde::Deserialize;

/// A file of another tool as a workflow, or why it is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Foreign {
    /// Why there is none.
    pub error: Option<String>,
    /// The workflow as JSON.
    pub document: String,
    /// What became of each part of the file.
    pub report: Report,
}

/// What became of every node and every connection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The tool that wrote the file.
    pub tool: String,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Its connections.
    pub connections: Vec<Connection>,
    /// What holds for all of it.
    pub notes: Vec<String>,
}

/// What became of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Node {
    /// Its name in the file.
    pub name: String,
    /// What kind of node it is there.
    pub kind: String,
    /// What it is now, in words.
    pub became: String,
    /// The step that it is now.
    pub step: Option<String>,
    /// How much of it is there.
    pub state: NodeState,
    /// What a person has to look at.
    pub notes: Vec<String>,
}

/// How much of a node is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    /// All of it.
    #[default]
    Whole,
    /// Something of it is left to do.
    Part,
    /// Its step fails, and says what it stood for.
    Placeholder,
}

/// What became of a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Connection {
    /// Where it begins.
    pub from: String,
    /// Where it leads.
    pub to: String,
    /// Why it is lost; nothing where it is kept.
    pub lost: Option<String>,
}
