//! Templates and expressions: MiniJinja, bounded.
//!
//! Undefined names are errors, every evaluation has fuel, and only the filters of [`filters`] are there.
//! Values print as JSON does, texts without quotes, and a number without a fraction prints without a point.

use minijinja::value::{Enumerator, Object, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::shape::{Role, listed};

mod filters;
mod json;

pub use filters::LetterCase;
pub use json::json_from_value;

/// Instructions that one evaluation may take when the document does not say.
pub const DEFAULT_FUEL: u64 = 200_000;

/// Bytes that one expression or tag may have: long chains of operators are read with a stack of that depth.
const MAX_TAG: usize = 2000;

/// Characters that one template may produce.
pub(crate) const MAX_OUTPUT: usize = 16 * 1024 * 1024;

/// Why a template or an expression gave no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It names what is not in the state.
    Missing(String),
    /// It does not parse, or does what cannot be done.
    Wrong(String),
    /// It used up its fuel or grew too large.
    Limit(String),
}

/// The templates of one workflow, and what they may use.
///
/// A workflow without any has none of what reads them: it is made for the first template or expression. The functions
/// that are never inlined are the only ways to it (`xtask/src/split.rs`).
#[derive(Debug)]
pub struct Templates {
    fuel: u64,
    letter_case: LetterCase,
    environment: OnceLock<Box<Environment<'static>>>,
}

impl Drop for Templates {
    fn drop(&mut self) {
        if let Some(environment) = self.environment.take() {
            close(environment);
        }
    }
}

#[inline(never)]
fn close(environment: Box<Environment<'static>>) {
    drop(environment);
}

impl Templates {
    /// An environment in which each evaluation may take this many instructions.
    pub fn new(fuel: u64, letter_case: LetterCase) -> Self {
        Self { fuel, letter_case, environment: OnceLock::new() }
    }

    fn environment(&self) -> &Environment<'static> {
        self.environment.get_or_init(|| Box::new(environment(self.fuel, self.letter_case)))
    }

    /// Keeps a template under a name.
    ///
    /// # Errors
    /// When it does not parse.
    #[inline(never)]
    pub fn add(&mut self, name: String, source: String) -> Result<(), String> {
        self.environment();
        let Some(environment) = self.environment.get_mut() else { return Ok(()) };
        environment.add_template_owned(name, source).map_err(|error| told(&error))
    }

    /// The text that the kept template gives for a state.
    ///
    /// # Errors
    /// When the template is wrong for this state or passes a limit.
    pub fn render(&self, name: &str, state: Value, outputs: Value) -> Result<String, Fault> {
        let template = self.environment().get_template(name).map_err(|error| fault(&error, None))?;
        let mut out = Bounded(Vec::new());
        match template.render_captured_to(scope(state.clone(), outputs), &mut out) {
            Ok(_) => Ok(String::from_utf8_lossy(&out.0).into_owned()),
            Err(error) => Err(fault(&error, missing(template.undeclared_variables(false), &state))),
        }
    }

    /// The value of an expression for a state.
    ///
    /// # Errors
    /// When the expression is wrong for this state or passes a limit.
    pub fn evaluate(&self, source: &str, state: Value, outputs: Value) -> Result<serde_json::Value, Fault> {
        let expression =
            self.environment().compile_expression(source).map_err(|error| fault(&error, None))?;
        let names = || missing(expression.undeclared_variables(false), &state);
        let value = expression.eval(scope(state.clone(), outputs)).map_err(|error| fault(&error, names()))?;
        if value.is_undefined() {
            return Err(Fault::Missing(names().unwrap_or_else(|| "its value is undefined".to_owned())));
        }
        json_from_value(&value).map_err(|error| fault(&error, None))
    }
}

fn environment(fuel: u64, letter_case: LetterCase) -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(fuel));
    environment.set_formatter(|out, _, value| {
        if value.is_undefined() {
            return Err(Error::from(ErrorKind::UndefinedError));
        }
        let text = json::text_from_value(value)?;
        out.write_str(&text).map_err(|_| Error::new(ErrorKind::WriteFailure, "the text is too long"))
    });
    filters::add_to(&mut environment, letter_case);
    environment
}

/// What keeps a template or an expression from being read, if anything does.
#[inline(never)]
pub fn syntax_problem(role: Role, source: &str) -> Option<String> {
    // Nothing is evaluated, so no letter changes its case.
    let unchanged = LetterCase { upper: str::to_owned, lower: str::to_owned };
    let environment = environment(DEFAULT_FUEL, unchanged);
    let length = longest_tag(role, source);
    if length > MAX_TAG {
        return Some(format!("an expression is {length} bytes long; {MAX_TAG} are the most"));
    }
    let error = match role {
        Role::Template => environment.template_from_str(source).err(),
        Role::Expression => environment.compile_expression(source).err(),
        _ => None,
    };
    error.map(|error| told(&error))
}

/// How long the longest expression or tag of a source is, in bytes.
fn longest_tag(role: Role, source: &str) -> usize {
    if role == Role::Expression {
        return source.len();
    }
    let (mut longest, mut begin, mut depth, mut quote) = (0, None, 0_usize, None);
    let mut bytes = source.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let next = bytes.peek().map(|(_, next)| *next);
        let Some(begun) = begin else {
            if byte == b'{' && matches!(next, Some(b'{' | b'%')) {
                bytes.next();
                begin = Some(at);
            }
            continue;
        };
        longest = longest.max(at - begun);
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), b'\\') => drop(bytes.next()),
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{' | b'[' | b'(') => depth += 1,
            (None, b'}' | b'%') if depth == 0 && next == Some(b'}') => begin = None,
            (None, b'}' | b']' | b')') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    longest
}

/// The names that a template can use: the keys of the state, the whole state as `state`, and what steps gave as
/// `steps`, unless the state has a key of that name.
#[derive(Debug)]
struct Scope {
    state: Value,
    outputs: Value,
}

impl Object for Scope {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        if key.as_str() == Some("state") {
            return Some(self.state.clone());
        }
        let found = self.state.get_item(key).ok().filter(|value| !value.is_undefined());
        found.or_else(|| (key.as_str() == Some("steps")).then(|| self.outputs.clone()))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

fn scope(state: Value, outputs: Value) -> Value {
    Value::from_object(Scope { state, outputs })
}

/// Of the names that a template uses, those that the state does not have, as a sentence.
fn missing(names: impl IntoIterator<Item = String>, state: &Value) -> Option<String> {
    let has = |name: &str| state.get_attr(name).is_ok_and(|value| !value.is_undefined());
    let mut absent = BTreeSet::new();
    let mut outputs_named = false;
    for name in names {
        match name.as_str() {
            "state" => {}
            "steps" => outputs_named = true,
            _ if has(&name) => {}
            _ => {
                absent.insert(name);
            }
        }
    }
    if absent.is_empty() {
        let names_outputs = outputs_named && !has("steps");
        return names_outputs
            .then(|| "a step that it names in `steps` has not given anything so far".to_owned());
    }
    let list = listed(absent.iter().map(String::as_str));
    let keys: Vec<String> = match state.kind() {
        ValueKind::Map => {
            state.try_iter().into_iter().flatten().take(12).map(|key| key.to_string()).collect()
        }
        _ => Vec::new(),
    };
    let has = match keys.is_empty() {
        true => "the state is empty".to_owned(),
        false => {
            format!("the state has {}", listed(keys.iter().map(String::as_str)).replace(" or ", " and "))
        }
    };
    Some(format!("there is no {list} in the state; {has}"))
}

fn fault(error: &Error, missing: Option<String>) -> Fault {
    match (error.kind(), missing) {
        (ErrorKind::OutOfFuel, _) => {
            Fault::Limit("it does not end within its limit of instructions and values".to_owned())
        }
        (ErrorKind::WriteFailure, _) => Fault::Limit("its text is too long".to_owned()),
        (ErrorKind::UndefinedError, missing) => Fault::Missing(missing.unwrap_or_else(|| told(error))),
        _ => Fault::Wrong(told(error)),
    }
}

fn told(error: &Error) -> String {
    let what = match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    };
    match error.line() {
        Some(line) if line > 1 => format!("{what} (line {line})"),
        _ => what,
    }
}

/// A buffer that refuses to grow without end.
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
