//! JSON written down in code.
//!
//! `serde_json::json!` makes each member where it stands: a serializer, an insertion, what is done when either
//! fails. Here a member is a reference in a list, and one function makes the object: the code is a third as large.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// What can stand in JSON that is written down.
pub(crate) trait Literal {
    fn to_json(&self) -> Value;
}

impl Literal for str {
    fn to_json(&self) -> Value {
        self.into()
    }
}

impl Literal for String {
    fn to_json(&self) -> Value {
        self.as_str().into()
    }
}

impl Literal for Cow<'_, str> {
    fn to_json(&self) -> Value {
        self.as_ref().into()
    }
}

impl Literal for bool {
    fn to_json(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Literal for u64 {
    fn to_json(&self) -> Value {
        (*self).into()
    }
}

impl Literal for Value {
    fn to_json(&self) -> Value {
        self.clone()
    }
}

impl Literal for Vec<Value> {
    fn to_json(&self) -> Value {
        Value::Array(self.clone())
    }
}

impl Literal for Map<String, Value> {
    fn to_json(&self) -> Value {
        Value::Object(self.clone())
    }
}

impl<T: Literal + ?Sized> Literal for &T {
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

/// An object with these members.
#[inline(never)]
pub(crate) fn object(members: &[(&str, &dyn Literal)]) -> Value {
    members.iter().map(|(key, value)| ((*key).to_owned(), value.to_json())).collect::<Map<_, _>>().into()
}

/// A list of these items.
#[inline(never)]
pub(crate) fn list(items: &[&dyn Literal]) -> Value {
    items.iter().map(|item| item.to_json()).collect()
}

/// The value that this JSON is; expressions may stand in it for values.
macro_rules! json {
    ({ $($members:tt)* }) => { $crate::literal::json!(@object [] $($members)*) };
    ([ $($items:tt)* ]) => { $crate::literal::json!(@list [] $($items)*) };
    (@object [$($done:tt)*]) => { $crate::literal::object(&[$($done)*]) };
    (@object [$($done:tt)*] $key:tt : { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::literal::json!(@object [$($done)* ($key, &$crate::literal::json!({ $($inner)* })),] $($($rest)*)?)
    };
    (@object [$($done:tt)*] $key:tt : [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::literal::json!(@object [$($done)* ($key, &$crate::literal::json!([ $($inner)* ])),] $($($rest)*)?)
    };
    (@object [$($done:tt)*] $key:tt : $value:expr $(, $($rest:tt)*)?) => {
        $crate::literal::json!(@object [$($done)* ($key, &$value),] $($($rest)*)?)
    };
    (@list [$($done:tt)*]) => { $crate::literal::list(&[$($done)*]) };
    (@list [$($done:tt)*] { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::literal::json!(@list [$($done)* &$crate::literal::json!({ $($inner)* }),] $($($rest)*)?)
    };
    (@list [$($done:tt)*] $item:expr $(, $($rest:tt)*)?) => {
        $crate::literal::json!(@list [$($done)* &$item,] $($($rest)*)?)
    };
}

pub(crate) use json;
