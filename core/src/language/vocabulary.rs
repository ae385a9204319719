//! The filters and tests that there are.

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
