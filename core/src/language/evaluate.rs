//! Trees evaluated over a state.
//!
//! Operands that stand leftmost are followed in a loop, so that only brackets make the evaluation recurse, whose depth
//! the parser has bounded.

use std::rc::Rc;

use super::budget::{Budget, Fault, Halt, Step};
use super::repetition::Loop;
use super::tree::{Binary, Expression, Id, Node, Root, Span, Template, Tree};
use super::value::{List, Object, Origin, Undefined, Value, View};

mod faults;
mod statements;

/// What names mean, and what one evaluation may take.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Its keys are names.
    pub state: Value,
    /// What has these names, as messages call it, such as `the state`.
    pub whole: &'static str,
    /// What `steps` means where the state has no such key.
    pub outputs: Value,
    /// What the host does for the language.
    pub intrinsics: Intrinsics,
    /// How much an evaluation may do; [`MAX_FUEL`](crate::grammar::MAX_FUEL) is the most.
    pub fuel: u64,
}

/// What the language takes from its host, since most hosts have it: letter case needs large tables, and a remainder long
/// division. Only what is the same everywhere: powers, whose last digit differs from engine to engine, are its own.
#[derive(Debug, Clone, Copy)]
pub struct Intrinsics {
    /// The string in upper case.
    pub upper: fn(&str) -> String,
    /// The string in lower case.
    pub lower: fn(&str) -> String,
    /// What is left of the first number when the second is taken from it as often as it goes in; it has the sign of the
    /// first.
    pub remainder: fn(f64, f64) -> f64,
}

/// The result of an evaluation.
#[derive(Debug)]
pub struct Evaluated<T> {
    /// What it gave.
    pub result: Result<T, Fault>,
    /// The fuel that it took.
    pub fuel: u64,
}

/// What an expression gives.
#[derive(Debug, Clone)]
pub enum Given {
    /// A value that the expression has made.
    Made(serde_json::Value),
    /// A value of the host, as it is.
    Kept(Rc<dyn View>),
}

impl Template {
    /// The text that the template gives.
    pub fn render(&self, scope: &Scope) -> Evaluated<String> {
        self.rendered(Evaluator::new(&self.tree, scope))
    }

    /// The address that the template gives. A value that it begins with stands there as it is; all others are encoded, so
    /// that none of them leads out of its position.
    pub fn render_address(&self, scope: &Scope) -> Evaluated<String> {
        let mut evaluator = Evaluator::new(&self.tree, scope);
        evaluator.printing = Printing::Address;
        self.rendered(evaluator)
    }

    fn rendered<'t>(&'t self, mut evaluator: Evaluator<'t>) -> Evaluated<String> {
        let done = evaluator.statements(&self.body).map(|()| std::mem::take(&mut evaluator.out));
        evaluator.finish(done)
    }
}

impl Expression {
    /// The value that the expression gives.
    pub fn evaluate(&self, scope: &Scope) -> Evaluated<Given> {
        let mut evaluator = Evaluator::new(&self.tree, scope);
        let done = evaluator.given(self.root);
        evaluator.finish(done)
    }
}

pub(super) struct Evaluator<'a> {
    pub(super) tree: &'a Tree,
    pub(super) scope: &'a Scope,
    pub(super) budget: Budget,
    /// What is being evaluated.
    place: Span,
    /// The operators that wait for the operand that stands leftmost.
    waiting: Vec<Id>,
    locals: Vec<(&'a str, Value)>,
    loops: Vec<Rc<Loop>>,
    pub(super) out: String,
    printing: Printing,
}

/// How values stand in what is rendered.
#[derive(Clone, Copy, PartialEq)]
enum Printing {
    Plain,
    Address,
}

impl<'a> Evaluator<'a> {
    fn new(tree: &'a Tree, scope: &'a Scope) -> Self {
        Self {
            tree,
            scope,
            budget: Budget::new(scope.fuel),
            place: Span::default(),
            waiting: Vec::new(),
            locals: Vec::new(),
            loops: Vec::new(),
            out: String::new(),
            printing: Printing::Plain,
        }
    }

    fn finish<T>(&self, done: Step<T>) -> Evaluated<T> {
        Evaluated { result: done.map_err(|halt| self.fault(halt)), fuel: self.budget.spent() }
    }

    fn given(&mut self, root: Root) -> Step<Given> {
        let value = self.root(root)?;
        self.not_undefined(&value, root.id)?;
        match value {
            Value::View(view) if view.host_value().is_some() => Ok(Given::Kept(view)),
            value => Ok(Given::Made(self.budget.json(&value)?)),
        }
    }

    fn root(&mut self, root: Root) -> Step<Value> {
        let value = self.value(root.id)?;
        self.place = self.tree.span(root.id);
        Ok(value)
    }

    pub(super) fn value(&mut self, id: Id) -> Step<Value> {
        let outside = self.waiting.len();
        let mut at = id;
        let mut value = loop {
            self.budget.step()?;
            let node = self.tree.node(at);
            if let Some(operand) = node.operand() {
                self.waiting.push(at);
                at = operand;
            } else if let Node::Choice { test, then, otherwise } = *node {
                match (self.holds(test)?, otherwise) {
                    (true, _) => at = then,
                    (false, Some(otherwise)) => at = otherwise,
                    (false, None) => break Value::Undefined(Undefined::Silent),
                }
            } else {
                break self.atom(at)?;
            }
        };
        while self.waiting.len() > outside
            && let Some(at) = self.waiting.pop()
        {
            value = self.apply(at, value, outside)?;
        }
        Ok(value)
    }

    fn atom(&mut self, id: Id) -> Step<Value> {
        self.place = self.tree.span(id);
        Ok(match self.tree.node(id) {
            Node::Boolean(value) => Value::Boolean(*value),
            Node::Integer(value) => Value::Integer(*value),
            Node::Float(value) => Value::Float(*value),
            Node::Text(text) => Value::Text(Rc::clone(text)),
            Node::Name => self.name(self.tree.text(id))?,
            Node::List(items) => {
                let items = self.values(items)?;
                self.place = self.tree.span(id);
                self.list(items, Origin::Written)?
            }
            Node::Object(entries) => self.object(entries, id)?,
            Node::Cycle(choices) => {
                let index = self.current_loop(id)?.index();
                let chosen = index.checked_rem(choices.len()).and_then(|index| choices.get(index));
                match chosen {
                    Some(chosen) => self.value(*chosen)?,
                    None => Value::UNDEFINED,
                }
            }
            Node::Changed(values) => {
                let state = self.current_loop(id)?;
                let values = self.values(values)?;
                let is_same = match state.last() {
                    Some(last) => self.budget.equal_items(&last, &values, 0)?,
                    None => false,
                };
                state.keep(values);
                Value::Boolean(!is_same)
            }
            _ => Value::None,
        })
    }

    fn values(&mut self, ids: &[Id]) -> Step<Vec<Value>> {
        self.budget.make_list(ids.len())?;
        ids.iter().map(|id| self.value(*id)).collect()
    }

    fn current_loop(&self, id: Id) -> Step<Rc<Loop>> {
        self.loops.last().cloned().ok_or(Halt::Undefined(Some(id)))
    }

    fn name(&mut self, name: &str) -> Step<Value> {
        // Comparing with the names of a long template takes time too.
        self.budget.touch(self.locals.len())?;
        if let Some((_, value)) = self.locals.iter().rev().find(|(local, _)| *local == name) {
            return Ok(value.clone());
        }
        Ok(match (name, self.loops.last()) {
            ("loop", Some(state)) => Value::View(Rc::clone(state) as Rc<dyn View>),
            ("state", _) => self.scope.state.clone(),
            _ => match self.scope.state.member(name) {
                Some(value) => value,
                None if name == "steps" => self.scope.outputs.clone(),
                None => Value::UNDEFINED,
            },
        })
    }

    fn object(&mut self, entries: &[(Id, Id)], id: Id) -> Step<Value> {
        let mut object = Object::default();
        for (key, value) in entries {
            let key = self.value(*key)?;
            let key: Rc<str> = match key {
                Value::Undefined(_) => return Err(Halt::Undefined(Some(id))),
                Value::Text(text) => text,
                key if key.items().is_some() || key.is_object() => {
                    return Err(Halt::Wrong(format!("{} cannot be a key", key.kind())));
                }
                key => {
                    let mut text = String::new();
                    self.budget.print(&key, &mut text)?;
                    text.into()
                }
            };
            let value = self.value(*value)?;
            self.budget.make_list(2 + object.entries.len() / 8)?;
            object.depth = object.depth.max(value.depth() + 1);
            match object.entries.iter_mut().find(|(own, _)| *own == key) {
                Some((_, old)) => *old = value,
                None => object.entries.push((key, value)),
            }
        }
        self.place = self.tree.span(id);
        self.budget.nested(object.depth)?;
        Ok(Value::Object(Rc::new(object)))
    }

    /// A list of these items, which have been paid for.
    pub(super) fn list(&mut self, items: Vec<Value>, origin: Origin) -> Step<Value> {
        let depth = items.iter().map(Value::depth).max().unwrap_or(0) + 1;
        self.budget.nested(depth)?;
        Ok(Value::List(Rc::new(List { items, depth, origin })))
    }

    /// Whether a condition holds.
    fn holds(&mut self, id: Id) -> Step<bool> {
        let value = self.value(id)?;
        self.truth(&value, id)
    }

    fn truth(&mut self, value: &Value, id: Id) -> Step<bool> {
        match value {
            Value::Undefined(Undefined::Strict) => Err(Halt::Undefined(Some(id))),
            value => self.budget.is_true(value),
        }
    }

    /// What an operator makes of the operand that stands left of it. Those that wait from `outside` on come next.
    fn apply(&mut self, id: Id, value: Value, outside: usize) -> Step<Value> {
        let tree = self.tree;
        let node = tree.node(id);
        let operand = node.operand().unwrap_or(id);
        match node {
            Node::Binary(Binary::And, _, right) => match self.truth(&value, operand)? {
                true => self.value(*right),
                false => Ok(value),
            },
            Node::Binary(Binary::Or, _, right) => match self.truth(&value, operand)? {
                true => Ok(value),
                false => self.value(*right),
            },
            Node::Binary(Binary::Join, _, right) => self.joined(&value, operand, *right, outside),
            Node::Binary(operator, _, right) => {
                let right = (self.value(*right)?, *right);
                self.place = tree.span(id);
                self.binary(*operator, (&value, operand), (&right.0, right.1))
            }
            Node::Chain(_, compared) => {
                let mut left = (value, operand);
                for (operator, right) in compared {
                    let next = (self.value(*right)?, *right);
                    self.place = tree.span(id);
                    let holds = self.binary(*operator, (&left.0, left.1), (&next.0, next.1))?;
                    if !matches!(holds, Value::Boolean(true)) {
                        return Ok(holds);
                    }
                    left = next;
                }
                Ok(Value::Boolean(true))
            }
            Node::Not(_) => Ok(Value::Boolean(!self.truth(&value, operand)?)),
            Node::Filter(_, filter, arguments) => {
                let arguments = self.values(arguments)?;
                self.place = tree.span(id);
                self.filter(*filter, value, operand, &arguments)
            }
            Node::Test(_, test, argument) => {
                let argument = argument.map(|argument| self.value(argument)).transpose()?;
                self.place = tree.span(id);
                self.budget.test(*test, &value, argument.as_ref()).map(Value::Boolean)
            }
            Node::Member(_, name) => {
                self.place = tree.span(id);
                self.not_undefined(&value, operand)?;
                Ok(value.member(name.of(&tree.source)).unwrap_or(Value::UNDEFINED))
            }
            Node::Item(_, key) => {
                let key = self.value(*key)?;
                self.place = tree.span(id);
                self.not_undefined(&value, operand)?;
                self.budget.item(&value, &key)
            }
            Node::Slice(_, bounds) => {
                let mut values = [const { None }; 3];
                for (value, bound) in values.iter_mut().zip(bounds) {
                    *value = bound.map(|bound| self.value(bound)).transpose()?;
                }
                self.place = tree.span(id);
                self.not_undefined(&value, operand)?;
                self.slice(&value, values)
            }
            Node::Negate(_) => {
                self.place = tree.span(id);
                self.not_undefined(&value, operand)?;
                super::numbers::negated(&value)
            }
            _ => Ok(value),
        }
    }

    /// Texts joined by `~`: a whole row of them is made at once.
    fn joined(&mut self, first: &Value, operand: Id, right: Id, outside: usize) -> Step<Value> {
        let mut text = String::new();
        let mut right = right;
        self.joined_to(&mut text, first, operand)?;
        loop {
            let value = self.value(right)?;
            self.joined_to(&mut text, &value, right)?;
            let follower = self.waiting.get(outside..).and_then(<[Id]>::last);
            match follower.map(|id| self.tree.node(*id)) {
                Some(Node::Binary(Binary::Join, _, following)) => right = *following,
                _ => return Ok(text.into()),
            }
            self.waiting.pop();
        }
    }

    fn joined_to(&mut self, text: &mut String, value: &Value, id: Id) -> Step<()> {
        self.place = self.tree.span(id);
        match value {
            Value::Undefined(Undefined::Silent) => Ok(()),
            Value::Undefined(_) => Err(Halt::Undefined(Some(id))),
            value => {
                let before = text.len();
                self.budget.print(value, text)?;
                self.budget.make(text.len() - before)
            }
        }
    }

    pub(super) fn not_undefined(&self, value: &Value, id: Id) -> Step<()> {
        match (value, self.tree.node(id)) {
            (Value::Undefined(Undefined::Silent), Node::Choice { otherwise: None, .. }) => {
                Err(Halt::NoElse(id))
            }
            (Value::Undefined(_), _) => Err(Halt::Undefined(Some(id))),
            _ => Ok(()),
        }
    }
}
