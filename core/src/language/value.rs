//! The values that an evaluation works with.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

/// A value. Cloning it is cheap.
#[derive(Debug, Clone)]
pub enum Value {
    /// There is none; [`Undefined::Silent`] where a text says so.
    Undefined(Undefined),
    /// `null`
    None,
    /// `true` or `false`
    Boolean(bool),
    /// A whole number; beyond 64 bits it is a [`Float`](Self::Float).
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(Rc<str>),
    /// A list that the text has made.
    List(Rc<List>),
    /// An object that the text has made.
    Object(Rc<Object>),
    /// A text, a list or an object of the host.
    View(Rc<dyn View>),
}

/// Why there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undefined {
    /// Nobody gave it: using it is an error.
    Strict,
    /// An `a if b` had no `else`: it may be joined, compared and repeated as nothing.
    Silent,
}

/// A value of the host that is read where it is: what a text does not name is never looked at.
pub trait View: fmt::Debug {
    /// Of which kind it is.
    fn shape(&self) -> Shape;
    /// The whole of a text.
    fn text(&self) -> String {
        String::new()
    }
    /// An item of a list.
    fn item(&self, _index: usize) -> Option<Value> {
        None
    }
    /// What an object has under a key.
    fn member(&self, _key: &str) -> Option<Value> {
        None
    }
    /// The keys of an object in their order, if they can be listed.
    fn keys(&self) -> Option<Vec<String>> {
        None
    }
    /// The host's own value, which an expression that does nothing with it gives as it is.
    fn host_value(&self) -> Option<&dyn Any> {
        None
    }
}

/// Of which kind a host's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A text of about so many bytes: no more, and at least a third of what copying it will make.
    Text(usize),
    /// A list of so many items.
    List(usize),
    /// An object.
    Object,
}

/// A list that a text has made.
#[derive(Debug, Default)]
pub struct List {
    pub(super) items: Vec<Value>,
    /// How deep the list nests.
    pub(super) depth: usize,
    pub(super) origin: Origin,
}

/// How a list was made: errors call what operators make by another name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Origin {
    #[default]
    Written,
    Computed,
}

/// An object that a text has made.
#[derive(Debug, Default)]
pub struct Object {
    pub(super) entries: Vec<(Rc<str>, Value)>,
    /// How deep the object nests.
    pub(super) depth: usize,
}

impl Value {
    pub(super) const UNDEFINED: Self = Self::Undefined(Undefined::Strict);

    /// The kind, as errors call it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Undefined(_) => "undefined",
            Self::None => "none",
            Self::Boolean(_) => "bool",
            Self::Integer(_) | Self::Float(_) => "number",
            Self::Text(_) => "string",
            Self::List(list) if list.origin == Origin::Computed => "iterator",
            Self::List(_) => "sequence",
            Self::Object(_) => "map",
            Self::View(view) => match view.shape() {
                Shape::Text(_) => "string",
                Shape::List(_) => "sequence",
                Shape::Object => "map",
            },
        }
    }

    pub(super) fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined(_))
    }

    pub(super) fn is_text(&self) -> bool {
        self.kind() == "string"
    }

    pub(super) fn is_object(&self) -> bool {
        self.kind() == "map"
    }

    /// How many items it has, if it is a list.
    pub(super) fn items(&self) -> Option<usize> {
        match self {
            Self::List(list) => Some(list.items.len()),
            Self::View(view) => match view.shape() {
                Shape::List(length) => Some(length),
                _ => None,
            },
            _ => None,
        }
    }

    /// An item of a list.
    pub(super) fn item(&self, index: usize) -> Option<Self> {
        match self {
            Self::List(list) => list.items.get(index).cloned(),
            Self::View(view) => view.item(index),
            _ => None,
        }
    }

    /// What an object has under a key.
    pub fn member(&self, key: &str) -> Option<Self> {
        match self {
            Self::Object(object) => {
                object.entries.iter().find(|(own, _)| &**own == key).map(|(_, value)| value.clone())
            }
            Self::View(view) => view.member(key),
            _ => None,
        }
    }

    /// How deep it nests, of what a text has made.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::List(list) => list.depth,
            Self::Object(object) => object.depth,
            _ => 0,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value.into())
    }
}
