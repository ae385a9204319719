//! Random states, expressions and templates. Each text comes twice: as it is, and as MiniJinja has to be given it where
//! another answer is wanted (docs/expressions.md says where).

use serde_json::{Value, json};

use crate::dice::Dice;

/// A text, and the one that asks MiniJinja for the same.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) own: String,
    pub(crate) other: String,
}

impl Pair {
    fn same(text: impl Into<String>) -> Self {
        let own = text.into();
        Self { other: own.clone(), own }
    }

    /// The pieces of a text, one behind the other.
    fn of(pieces: &[&Pair]) -> Self {
        let join = |side: fn(&Pair) -> &str| pieces.iter().map(|piece| side(piece)).collect::<String>();
        Self { own: join(|pair| &pair.own), other: join(|pair| &pair.other) }
    }
}

/// Puts pairs and texts behind each other.
macro_rules! pair {
    ($($piece:expr),* $(,)?) => { Pair::of(&[$(&Pair::from($piece)),*]) };
}

impl From<&str> for Pair {
    fn from(text: &str) -> Self {
        Self::same(text)
    }
}

impl From<&Pair> for Pair {
    fn from(pair: &Pair) -> Self {
        pair.clone()
    }
}

const NUMBERS: [&str; 3] = ["a", "b", "f"];
const TEXTS: [&str; 4] = ["s", "t", "digits", "state['any-key']"];
const LISTS: [&str; 4] = ["xs", "ys", "names", "nothing_in_it"];
const OTHERS: [&str; 5] = ["flag", "nothing", "o", "state", "o.inner"];

pub(crate) fn state(dice: &mut Dice) -> Value {
    let text = |dice: &mut Dice| {
        *dice.one_of(&["", "a", "tea", "Zürich", "a,b,,c", " padded\n", "it's \"so\"", "你好", "x"])
    };
    let number = |dice: &mut Dice| json!(dice.below(12) as i64 - 4);
    let float = |dice: &mut Dice| json!(dice.below(10) as f64 - 2.75);
    let scalar = |dice: &mut Dice| match dice.below(6) {
        0 => Value::Null,
        1 => json!(dice.one_in(2)),
        2 => float(dice),
        3 => json!(text(dice)),
        _ => number(dice),
    };
    let list = |dice: &mut Dice| (0..dice.below(5)).map(|_| scalar(dice)).collect::<Value>();
    let names = (0..dice.below(4)).map(|_| json!(text(dice))).collect::<Value>();
    let ys = (0..dice.below(4))
        .map(|_| json!({ "n": number(dice), "s": text(dice), "v": scalar(dice) }))
        .collect::<Value>();
    json!({
        "a": number(dice), "b": number(dice), "f": float(dice), "s": text(dice), "t": text(dice),
        "digits": dice.one_of(&["12", " 3.5 ", "-1e3", "x1", "0.125"]), "any-key": text(dice),
        "xs": list(dice), "ys": ys, "names": names, "nothing_in_it": [], "flag": dice.one_in(2), "nothing": null,
        "o": { "k": scalar(dice), "n": number(dice), "inner": { "deep": list(dice), "s": text(dice) } },
    })
}

pub(crate) fn expression(dice: &mut Dice, depth: usize) -> Pair {
    if depth == 0 {
        return atom(dice);
    }
    let next = depth - 1;
    match dice.below(26) {
        0..=3 => number(dice, depth),
        4..=5 => text(dice, depth),
        6 => list(dice, depth),
        7 => {
            let operator = *dice.one_of(&[" == ", " != "]);
            pair!(&operand(dice, next), operator, &operand(dice, next))
        }
        8 => {
            let operator = *dice.one_of(&[" < ", " <= ", " > ", " >= "]);
            let side =
                |dice: &mut Dice| if dice.one_in(3) { ordered(dice) } else { number_operand(dice, next) };
            pair!(&side(dice), operator, &side(dice))
        }
        9 => pair!(
            &number_operand(dice, next),
            " < ",
            &number_operand(dice, next),
            " <= ",
            &number_operand(dice, next)
        ),
        10..=11 => {
            let operator = *dice.one_of(&[" and ", " or "]);
            pair!(&expression_without_choice(dice, next), operator, &expression_without_choice(dice, next))
        }
        12 => pair!("not ", &operand(dice, next)),
        13..=14 => pair!(
            &operand(dice, next),
            " if ",
            &expression_without_choice(dice, next),
            " else ",
            &operand(dice, next)
        ),
        15 => pair!("(", &operand(dice, next), " if ", &operand(dice, next), ")"),
        16..=17 => {
            let test = *dice.one_of(&[
                "defined",
                "undefined",
                "none",
                "string",
                "number",
                "boolean",
                "sequence",
                "mapping",
            ]);
            let is = if dice.one_in(3) { " is not " } else { " is " };
            pair!(&operand(dice, next), is, test)
        }
        18 => membership(dice, next),
        19 => {
            let entries = (0..dice.below(3)).map(|number| {
                let key = *dice.one_of(&["'k'", "'z'", "\"ö\"", "s"]);
                pair!(if number > 0 { ", " } else { "" }, key, ": ", &expression(dice, next))
            });
            let entries: Vec<Pair> = entries.collect();
            pair!("{", &Pair::of(&entries.iter().collect::<Vec<_>>()), "}")
        }
        20 => pair!(&member(dice), " | default(", &expression(dice, next), ")"),
        21 => pair!(&operand(dice, next), " | tojson"),
        22 => pair!(&operand(dice, next), " | string"),
        23 => pair!(&operand(dice, next), " | length"),
        24 => {
            let filter =
                *dice.one_of(&["first", "last", "keys", "int", "float", "trim", "round", "join('-')"]);
            pair!(&operand(dice, next), " | ", filter)
        }
        _ => pair!("(", &expression(dice, next), ")"),
    }
}

fn expression_without_choice(dice: &mut Dice, depth: usize) -> Pair {
    if dice.one_in(2) { operand(dice, depth) } else { pair!("(", &expression(dice, depth), ")") }
}

/// What binds stronger than any operator.
fn operand(dice: &mut Dice, depth: usize) -> Pair {
    match dice.below(3) {
        0 => pair!("(", &expression(dice, depth), ")"),
        1 => member(dice),
        _ => atom(dice),
    }
}

fn atom(dice: &mut Dice) -> Pair {
    match dice.below(10) {
        0..=1 => (*dice.one_of(&["0", "1", "2", "7", "0.5", "2.0", "1e2", "0x1f", "1_000", "3.75"])).into(),
        2 => (*dice.one_of(&["''", "'a'", "\"it's\"", "'tea'", "'a' 'b'", "'\\n\\u00e9'", "'12'"])).into(),
        3 => (*dice.one_of(&["true", "false", "none", "True", "None"])).into(),
        4 => (*dice.one_of(&NUMBERS)).into(),
        5 => (*dice.one_of(&TEXTS)).into(),
        6 => (*dice.one_of(&LISTS)).into(),
        7 => (*dice.one_of(&OTHERS)).into(),
        8 if dice.one_in(4) => {
            (*dice.one_of(&["absent", "o.absent", "absent.deeper", "xs[99]", "loop"])).into()
        }
        _ => member(dice),
    }
}

fn member(dice: &mut Dice) -> Pair {
    let path = [
        "o.k",
        "o['n']",
        "o.inner.deep",
        "o.inner.s",
        "ys[0].n",
        "ys[-1].s",
        "xs[1]",
        "xs.0",
        "s[0]",
        "t[-1]",
        "names[0]",
        "state.a",
        "state['s']",
        "o.absent",
        "xs[a]",
        "ys[0]['v']",
        "nothing.x",
        "absent",
    ];
    (*dice.one_of(&path)).into()
}

/// What stands in an order with anything.
fn ordered(dice: &mut Dice) -> Pair {
    (*dice.one_of(&["a", "s", "flag", "nothing", "xs", "o", "t", "f", "'a'", "names"])).into()
}

fn number(dice: &mut Dice, depth: usize) -> Pair {
    let next = depth.saturating_sub(1);
    match dice.below(12) {
        0..=5 => {
            let operator = *dice.one_of(&[" + ", " - ", " * ", " / ", " // ", " % ", "+", "-"]);
            pair!(&number_operand(dice, next), operator, &number_operand(dice, next))
        }
        6 => pair!(&number_operand(dice, next), " ** ", *dice.one_of(&["2", "0", "-1", "0.5", "b"])),
        7 => pair!("-", &number_operand(dice, next)),
        8 => pair!(&number_operand(dice, next), " | round(", *dice.one_of(&["0", "1", "2", "-1"]), ")"),
        9 => pair!("digits | ", *dice.one_of(&["int", "float"])),
        10 => pair!(*dice.one_of(&LISTS), " | length"),
        _ => pair!(&operand(dice, next), *dice.one_of(&[" + ", " * ", " - "]), &operand(dice, next)),
    }
}

fn number_operand(dice: &mut Dice, depth: usize) -> Pair {
    match dice.below(6) {
        0 if depth > 0 => pair!("(", &number(dice, depth - 1), ")"),
        1 => (*dice.one_of(&["1", "2", "10", "0.5", "0"])).into(),
        2 => (*dice.one_of(&["o.n", "ys[0].n", "xs[0]", "true"])).into(),
        _ => (*dice.one_of(&NUMBERS)).into(),
    }
}

fn text(dice: &mut Dice, depth: usize) -> Pair {
    let next = depth.saturating_sub(1);
    match dice.below(9) {
        0..=1 => {
            // What is joined prints as templates print it.
            let part = |dice: &mut Dice| {
                let operand = match dice.below(3) {
                    0 => atom(dice),
                    1 => (*dice.one_of(&TEXTS)).into(),
                    _ => pair!("(", &number(dice, next), ")"),
                };
                Pair { other: format!("({} | string)", operand.other), own: operand.own }
            };
            let mut joined = pair!(&part(dice), " ~ ", &part(dice));
            while dice.one_in(3) {
                joined = pair!(&joined, " ~ ", &part(dice));
            }
            joined
        }
        2 => pair!(
            *dice.one_of(&TEXTS),
            " | replace(",
            *dice.one_of(&["'a'", "','", "''"]),
            ", ",
            *dice.one_of(&["'b'", "''", "'--'"]),
            ")"
        ),
        3 => pair!(*dice.one_of(&TEXTS), " | truncate(", *dice.one_of(&["0", "2", "99", "a"]), ")"),
        4 => pair!(&operand(dice, next), *dice.one_of(&[" | trim", " | upper", " | lower"])),
        5 => pair!(*dice.one_of(&TEXTS), " * ", *dice.one_of(&["2", "0", "a", "f"])),
        6 => pair!(*dice.one_of(&LISTS), " | join(", *dice.one_of(&["', '", "''", "s"]), ")"),
        7 => pair!(*dice.one_of(&TEXTS), &slice(dice)),
        _ => pair!(*dice.one_of(&TEXTS), " + ", &operand(dice, next)),
    }
}

fn list(dice: &mut Dice, depth: usize) -> Pair {
    let next = depth.saturating_sub(1);
    match dice.below(6) {
        0..=1 => {
            let items: Vec<Pair> = (0..dice.below(4))
                .map(|number| pair!(if number > 0 { ", " } else { "" }, &expression(dice, next)))
                .collect();
            pair!("[", &Pair::of(&items.iter().collect::<Vec<_>>()), "]")
        }
        2 => pair!(*dice.one_of(&LISTS), &slice(dice)),
        3 => pair!(*dice.one_of(&LISTS), " + ", *dice.one_of(&LISTS)),
        4 => pair!(*dice.one_of(&LISTS), " * ", *dice.one_of(&["2", "0", "a"])),
        _ => pair!(*dice.one_of(&TEXTS), " | split(", *dice.one_of(&["','", "''", "'a'"]), ")"),
    }
}

fn slice(dice: &mut Dice) -> Pair {
    let bound = |dice: &mut Dice| *dice.one_of(&["", "", "0", "1", "2", "-1", "-3", "9", "a"]);
    let step = *dice.one_of(&["", "", ":", ":1", ":2", ":none"]);
    pair!("[", bound(dice), ":", bound(dice), step, "]")
}

fn membership(dice: &mut Dice, depth: usize) -> Pair {
    let is_in = if dice.one_in(3) { " not in " } else { " in " };
    match dice.below(4) {
        0..=1 => pair!(&operand(dice, depth), is_in, *dice.one_of(&LISTS)),
        2 => pair!(*dice.one_of(&["'a'", "s", "''", "','"]), is_in, *dice.one_of(&TEXTS)),
        _ => pair!(*dice.one_of(&["'k'", "s", "'inner'"]), is_in, *dice.one_of(&["o", "state", "nothing"])),
    }
}

pub(crate) fn template(dice: &mut Dice, depth: usize) -> Pair {
    let pieces: Vec<Pair> = (0..=dice.below(4)).map(|_| piece(dice, depth)).collect();
    Pair::of(&pieces.iter().collect::<Vec<_>>())
}

fn piece(dice: &mut Dice, depth: usize) -> Pair {
    let plain = ["Hello ", " ", "\n", "a { b } c\n", "  \n x", "é: "];
    let (open, close) = *dice.one_of(&[
        ("{% ", " %}"),
        ("{% ", " %}"),
        ("{%- ", " -%}"),
        ("{%", "%}"),
        ("{%+ ", " +%}"),
        ("{% ", " -%}"),
    ]);
    if depth == 0 {
        return match dice.below(3) {
            0 => printed(dice, 1),
            _ => (*dice.one_of(&plain)).into(),
        };
    }
    let next = depth - 1;
    match dice.below(14) {
        0..=2 => (*dice.one_of(&plain)).into(),
        3..=6 => printed(dice, 2),
        7 => {
            let otherwise = match dice.below(3) {
                0 => pair!(open, "else", close, &template(dice, next)),
                1 => pair!(open, "elif ", &condition(dice), close, &template(dice, next)),
                _ => "".into(),
            };
            pair!(
                open,
                "if ",
                &condition(dice),
                close,
                &template(dice, next),
                &otherwise,
                open,
                "endif",
                close
            )
        }
        8..=9 => {
            let only = match dice.one_in(4) {
                true => pair!(" if ", *dice.one_of(&["item", "item != 2", "not item", "item is defined"])),
                false => "".into(),
            };
            let otherwise = match dice.one_in(3) {
                true => pair!(open, "else", close, &template(dice, next)),
                false => "".into(),
            };
            let items = match dice.below(4) {
                0 => list(dice, 1),
                1 => (*dice.one_of(&["s", "o", "nothing", "a", "absent", "state.xs"])).into(),
                _ => (*dice.one_of(&LISTS)).into(),
            };
            pair!(
                open,
                "for item in ",
                &items,
                &only,
                close,
                &body(dice, next),
                &otherwise,
                open,
                "endfor",
                close
            )
        }
        10 => pair!(open, "set ", *dice.one_of(&["v", "a", "w"]), " = ", &expression(dice, 2), close),
        11 => pair!(
            open,
            "set ",
            *dice.one_of(&["v", "s"]),
            close,
            &template(dice, next),
            open,
            "endset",
            close
        ),
        12 => (*dice.one_of(&[
            "{# {{ note }} #}",
            "{#- x -#} ",
            "{% raw %}{{ a }}{% endraw %}",
            "{%- raw -%} {% if %} {%- endraw -%} ",
        ]))
        .into(),
        _ => pair!(
            open,
            "for p, q in ",
            *dice.one_of(&["[[1, 2], ['a', s]]", "ys", "[xs, xs]", "names"]),
            close,
            "{{ p }}{{ q }}",
            open,
            "endfor",
            close
        ),
    }
}

fn body(dice: &mut Dice, depth: usize) -> Pair {
    let about = [
        "{{ item }}",
        "{{ loop.index }}",
        "{{ loop.index0 }}/{{ loop.length }}",
        "{{ loop.first }}{{ loop.last }}",
        "{{ loop.revindex }} {{ loop.revindex0 }}",
        "{{ loop.cycle('a', s) }}",
        "{{ loop.changed(item) }}",
        "{{ item.n }}",
        "{% if not loop.last %}, {% endif %}",
        "{{ loop }}",
        "{{ loop.depth }}{{ loop.absent }}",
        "{% set v = item %}",
    ];
    pair!(&template(dice, depth), *dice.one_of(&about), &template(dice, depth.min(1)))
}

fn condition(dice: &mut Dice) -> Pair {
    match dice.below(3) {
        0 => (*dice.one_of(&["flag", "xs", "s", "a > 0", "absent", "nothing", "o.k", "v is defined"])).into(),
        _ => expression_without_choice(dice, 1),
    }
}

fn printed(dice: &mut Dice, depth: usize) -> Pair {
    let (open, close) =
        *dice.one_of(&[("{{ ", " }}"), ("{{ ", " }}"), ("{{", "}}"), ("{{- ", " -}}"), ("{{ ", " -}}")]);
    let expression = match dice.one_in(6) {
        true => (*dice.one_of(&["v", "w", "item", "v | default('-')"])).into(),
        false => expression(dice, depth),
    };
    pair!(open, &expression, close)
}

/// The text with something wrong in it, perhaps.
pub(crate) fn broken(dice: &mut Dice, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=dice.below(2) {
        let place = dice.below(letters.len() + 1);
        match dice.below(4) {
            0 if place < letters.len() => drop(letters.remove(place)),
            1 => letters.truncate(place),
            2 => {
                let from = dice.below(letters.len() + 1).min(place);
                let copied: Vec<char> = letters[from..place].iter().take(6).copied().collect();
                letters.splice(place..place, copied);
            }
            _ => {
                let token = *dice.one_of(&[
                    "(",
                    ")",
                    "[",
                    "]",
                    "{",
                    "}",
                    "}}",
                    "{{",
                    "%}",
                    "{%",
                    "|",
                    ".",
                    ",",
                    ":",
                    "~",
                    "=",
                    "==",
                    "'",
                    "\"",
                    " and ",
                    " not ",
                    " in ",
                    " is ",
                    " if ",
                    " else ",
                    "-",
                    "*",
                    "1",
                    "x",
                    "#}",
                    "{#",
                    "\\",
                    "?",
                    "&&",
                    "é",
                    "\u{a0}",
                    " endif ",
                    "{% endif %}",
                    "{% else %}",
                    "{% endfor %}",
                    "0x",
                    "1e",
                    "_",
                ]);
                letters.splice(place..place, token.chars());
            }
        }
    }
    letters.into_iter().collect()
}
