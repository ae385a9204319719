//! What a text says, as a tree that lies flat in a list: a node stands behind all that it is made of.
//!
//! So reading and dropping a tree needs no recursion, and whoever wants every name looks through a piece of the list.

#![cfg_attr(
    not(feature = "engine"),
    allow(dead_code, reason = "only an evaluation reads all that a tree says")
)]

use std::rc::Rc;

use super::parser::Parser;
use super::vocabulary::{Filter, Test};

/// A piece of a text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Where it begins.
    pub start: u32,
    /// Where it ends: the first byte that is not of it.
    pub end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Self {
        // A text has at most `MAX_LENGTH` bytes.
        Self { start: start as u32, end: end as u32 }
    }

    /// From the beginning of this to the end of the other.
    pub(super) fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }

    /// What of a text it is.
    pub fn of(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// The number of the line in which it begins; the first is 1.
    pub fn line(self, source: &str) -> usize {
        source.bytes().take(self.start as usize).filter(|byte| *byte == b'\n').count() + 1
    }
}

/// Why a text cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
    /// The piece that cannot be read.
    pub span: Span,
}

impl SyntaxError {
    pub(super) fn new(message: String, span: Span) -> Self {
        Self { message, hint: None, span }
    }
}

/// An expression that was read.
#[derive(Debug, Clone)]
pub struct Expression {
    pub(super) tree: Tree,
    pub(super) root: Root,
}

impl Expression {
    /// Reads an expression such as `score > 3 and topic != ''`.
    ///
    /// ```
    /// use stepweave_core::language::Expression;
    /// assert!(Expression::parse("score > 3").is_ok());
    /// assert_eq!(Expression::parse("score >").unwrap_err().message, "unexpected end of input, expected expression");
    /// assert_eq!(Expression::parse("else").unwrap_err().message, "unexpected `else`, which is a reserved word");
    /// ```
    ///
    /// # Errors
    /// When it says nothing that can be evaluated.
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        Parser::of_expression(source)?.expression_alone()
    }

    /// The text that was read.
    pub fn source(&self) -> &str {
        &self.tree.source
    }
}

/// A template that was read.
#[derive(Debug, Clone)]
pub struct Template {
    pub(super) tree: Tree,
    pub(super) body: Vec<Statement>,
}

impl Template {
    /// Reads a template such as `Hello {{ name }}`.
    ///
    /// # Errors
    /// When its tags cannot be read.
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        Parser::of_template(source)?.template()
    }

    /// The text that was read.
    pub fn source(&self) -> &str {
        &self.tree.source
    }
}

/// All expressions of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    pub(super) source: Box<str>,
    pub(super) nodes: Vec<Node>,
    pub(super) spans: Vec<Span>,
}

impl Tree {
    pub(super) fn node(&self, id: Id) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(&Node::None)
    }

    pub(super) fn span(&self, id: Id) -> Span {
        self.spans.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// What stands in the text at a node.
    pub(super) fn text(&self, id: Id) -> &str {
        self.span(id).of(&self.source)
    }

    pub(super) fn add(&mut self, node: Node, span: Span) -> Id {
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node);
        self.spans.push(span);
        id
    }
}

/// The number of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) struct Id(pub(super) u32);

/// A whole expression: all nodes from the first to its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    pub(super) first: Id,
    pub(super) id: Id,
}

/// One node of an expression. What the source has where no node is, such as the name after a point, is a span.
#[derive(Debug, Clone)]
pub(super) enum Node {
    None,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(Rc<str>),
    /// Its span is the name.
    Name,
    List(Box<[Id]>),
    Object(Box<[(Id, Id)]>),
    /// `{ operand, … }` stands leftmost of all that is written behind it, so chains are as long as they like.
    Not(Id),
    Negate(Id),
    Binary(Binary, Id, Id),
    /// Several comparisons in a row: each of its neighbours, and all of them must hold.
    Chain(Id, Box<[(Binary, Id)]>),
    Choice {
        test: Id,
        then: Id,
        otherwise: Option<Id>,
    },
    Member(Id, Span),
    Item(Id, Id),
    Slice(Id, [Option<Id>; 3]),
    Filter(Id, Filter, Box<[Id]>),
    Test(Id, Test, Option<Id>),
    /// `loop.cycle(…)`
    Cycle(Box<[Id]>),
    /// `loop.changed(…)`
    Changed(Box<[Id]>),
}

impl Node {
    /// The operand that stands leftmost: what the node does something with.
    pub(super) fn operand(&self) -> Option<Id> {
        match self {
            Node::Not(operand)
            | Node::Negate(operand)
            | Node::Binary(_, operand, _)
            | Node::Chain(operand, _)
            | Node::Member(operand, _)
            | Node::Item(operand, _)
            | Node::Slice(operand, _)
            | Node::Filter(operand, ..)
            | Node::Test(operand, ..) => Some(*operand),
            _ => None,
        }
    }
}

/// What stands between two operands; from `Add` on it makes a value of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Binary {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
    Add,
    Subtract,
    Join,
    Multiply,
    Divide,
    DivideWhole,
    Remainder,
    Power,
}

/// One node of a template.
#[derive(Debug, Clone)]
pub(super) enum Statement {
    Plain(Span),
    Print(Root),
    Set(Target, Root),
    /// `{% set name %}…{% endset %}`
    Capture(Target, Vec<Statement>),
    If(Vec<(Root, Vec<Statement>)>, Vec<Statement>),
    For(Box<For>),
}

#[derive(Debug, Clone)]
pub(super) struct For {
    pub(super) target: Target,
    pub(super) items: Root,
    pub(super) only: Option<Root>,
    pub(super) body: Vec<Statement>,
    pub(super) otherwise: Vec<Statement>,
}

/// What gets a value.
#[derive(Debug, Clone)]
pub(super) enum Target {
    Name(Span),
    /// One item for each.
    Several(Vec<Target>, Span),
}
