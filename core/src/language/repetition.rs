//! What `loop` is in a `{% for %}`.

use std::cell::{Cell, RefCell};

use super::value::{Shape, Value, View};
use super::vocabulary::LOOP_KEYS;

/// Where a loop is.
#[derive(Debug)]
pub(super) struct Loop {
    index: Cell<usize>,
    length: usize,
    /// What `loop.changed` was given last.
    last: RefCell<Option<Vec<Value>>>,
}

impl Loop {
    pub(super) fn new(length: usize) -> Self {
        Self { index: Cell::new(0), length, last: RefCell::new(None) }
    }

    pub(super) fn enter(&self, index: usize) {
        self.index.set(index);
    }

    pub(super) fn index(&self) -> usize {
        self.index.get()
    }

    pub(super) fn last(&self) -> Option<Vec<Value>> {
        self.last.borrow_mut().take()
    }

    pub(super) fn keep(&self, values: Vec<Value>) {
        self.last.replace(Some(values));
    }
}

impl View for Loop {
    fn shape(&self) -> Shape {
        Shape::Object
    }

    fn member(&self, key: &str) -> Option<Value> {
        let index = self.index.get();
        let left = self.length.saturating_sub(index);
        let number = match key {
            "index0" => index,
            "index" => index + 1,
            "length" => self.length,
            "revindex" => left,
            "revindex0" => left.saturating_sub(1),
            "depth" => 1,
            "depth0" => 0,
            "first" => return Some(Value::Boolean(index == 0)),
            "last" => return Some(Value::Boolean(left <= 1)),
            _ => return None,
        };
        Some(Value::Integer(number as i64))
    }

    fn keys(&self) -> Option<Vec<String>> {
        Some(LOOP_KEYS.map(str::to_owned).into())
    }
}
