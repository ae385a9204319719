//! The filters, tests and statements that there are, and what each is for.

/// What changes a value: `value | filter`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filter {
    Trim,
    Upper,
    Lower,
    Replace,
    Split,
    Truncate,
    Length,
    First,
    Last,
    Join,
    Default,
    Round,
    Int,
    Float,
    String,
    ToJson,
    Keys,
}

/// The test in `value is test`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    Defined,
    Undefined,
    None,
    String,
    Number,
    Boolean,
    Sequence,
    Mapping,
    Containing,
}

/// Each filter, with the fewest and the most arguments that it takes.
pub(super) const FILTERS: [(&str, Filter, usize, usize); 17] = [
    ("trim", Filter::Trim, 0, 0),
    ("upper", Filter::Upper, 0, 0),
    ("lower", Filter::Lower, 0, 0),
    ("replace", Filter::Replace, 2, 2),
    ("split", Filter::Split, 1, 1),
    ("truncate", Filter::Truncate, 1, 1),
    ("length", Filter::Length, 0, 0),
    ("first", Filter::First, 0, 0),
    ("last", Filter::Last, 0, 0),
    ("join", Filter::Join, 0, 1),
    ("default", Filter::Default, 1, 1),
    ("round", Filter::Round, 0, 1),
    ("int", Filter::Int, 0, 0),
    ("float", Filter::Float, 0, 0),
    ("string", Filter::String, 0, 0),
    ("tojson", Filter::ToJson, 0, 0),
    ("keys", Filter::Keys, 0, 0),
];

/// Each test. `containing` alone takes an argument.
pub(super) const TESTS: [(&str, Test); 9] = [
    ("defined", Test::Defined),
    ("undefined", Test::Undefined),
    ("none", Test::None),
    ("string", Test::String),
    ("number", Test::Number),
    ("boolean", Test::Boolean),
    ("sequence", Test::Sequence),
    ("mapping", Test::Mapping),
    ("containing", Test::Containing),
];

/// A word of the language, for whoever offers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered {
    /// The word.
    pub name: &'static str,
    /// What is written behind it: `(from, to)`, or nothing.
    pub arguments: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// Every filter with its arguments.
///
/// ```
/// let replace = stepweave_core::language::filters().find(|filter| filter.name == "replace").unwrap();
/// assert_eq!(replace.arguments, "(from, to)");
/// ```
pub fn filters() -> impl Iterator<Item = Offered> {
    FILTERS.iter().map(|&(name, filter, ..)| {
        let (arguments, about) = filter.described();
        Offered { name, arguments, about }
    })
}

/// Every test that can stand behind `is`.
pub fn tests() -> impl Iterator<Item = Offered> {
    TESTS.iter().map(|&(name, test)| {
        let (arguments, about) = test.described();
        Offered { name, arguments, about }
    })
}

/// What `loop` has in a `{% for %}`.
pub const LOOP_KEYS: [&str; 9] =
    ["index0", "index", "length", "revindex", "revindex0", "first", "last", "depth", "depth0"];

/// The words with which a `{% … %}` can begin.
pub fn statements() -> impl Iterator<Item = Offered> {
    STATEMENTS.iter().map(|&(name, arguments, about)| Offered { name, arguments, about })
}

const STATEMENTS: [(&str, &str, &str); 10] = [
    ("if", " a", "what stands up to endif, where this is true"),
    ("elif", " b", "otherwise, where this is true"),
    ("else", "", "otherwise"),
    ("endif", "", "ends an if"),
    ("for", " item in items", "once for each item"),
    ("endfor", "", "ends a for"),
    ("set", " name = value", "a variable of this text"),
    ("endset", "", "ends a set without a value"),
    ("raw", "", "text that is printed as it stands"),
    ("endraw", "", "ends a raw"),
];

impl Filter {
    /// Its arguments, and what it makes of a value.
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::Trim => ("", "without the white space around it"),
            Self::Upper => ("", "in capital letters"),
            Self::Lower => ("", "in small letters"),
            Self::Replace => ("(from, to)", "with every from replaced by to"),
            Self::Split => ("(by)", "a list of the pieces of a text"),
            Self::Truncate => ("(length)", "its first characters"),
            Self::Length => ("", "how many characters, items or keys"),
            Self::First => ("", "the first item or character"),
            Self::Last => ("", "the last item or character"),
            Self::Join => ("(between)", "the items as one text"),
            Self::Default => ("(value)", "this value where there is none"),
            Self::Round => ("(digits)", "rounded to so many digits"),
            Self::Int => ("", "a number without its fraction"),
            Self::Float => ("", "a text as a number"),
            Self::String => ("", "as a text"),
            Self::ToJson => ("", "as JSON"),
            Self::Keys => ("", "a list of the keys of an object"),
        }
    }
}

impl Test {
    /// Its argument, and when it holds.
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::Defined => ("", "there is a value"),
            Self::Undefined => ("", "there is no value"),
            Self::None => ("", "it is none, JSON's null"),
            Self::String => ("", "it is a text"),
            Self::Number => ("", "it is a number"),
            Self::Boolean => ("", "it is true or false"),
            Self::Sequence => ("", "it is a list"),
            Self::Mapping => ("", "it is an object"),
            Self::Containing => (" 'part'", "it has this part, item or key"),
        }
    }
}

#[cfg(test)]
mod checks {
    use super::super::{Expression, Template};
    use super::*;

    #[test]
    fn what_is_offered_can_be_read() {
        for Offered { name, arguments, .. } in filters() {
            let arguments = arguments.replace("from", "'a'").replace("to", "'b'");
            assert!(Expression::parse(&format!("x | {name}{arguments}")).is_ok(), "{name}");
        }
        for Offered { name, arguments, .. } in tests() {
            assert!(Expression::parse(&format!("x is {name}{arguments}")).is_ok(), "{name}");
        }
        let all = "{% if a %}{% elif b %}{% else %}{% endif %}{% for item in items %}{% endfor %}\
            {% set name = value %}{% set name %}{% endset %}{% raw %}{% endraw %}";
        assert!(Template::parse(all).is_ok());
        for Offered { name, arguments, .. } in statements() {
            assert!(all.contains(&format!("{{% {name}{arguments} %}}")), "{name}");
        }
    }
}
