//! Statements, which write into what is rendered.

use std::rc::Rc;

use super::{Evaluator, Printing};
use crate::language::address::encoded;
use crate::language::budget::{Halt, MAX_TEXT, Step};
use crate::language::repetition::Loop;
use crate::language::tree::{For, Id, Span, Statement, Target};
use crate::language::value::{Origin, Undefined, Value};

impl<'a> Evaluator<'a> {
    pub(super) fn statements(&mut self, statements: &'a [Statement]) -> Step<()> {
        for statement in statements {
            self.budget.step()?;
            match statement {
                Statement::Plain(span) => self.plain(*span)?,
                Statement::Print(root) => {
                    let value = self.root(*root)?;
                    self.not_undefined(&value, root.id)?;
                    self.print(&value)?;
                }
                Statement::Set(target, value) => {
                    let value = self.root(*value)?;
                    self.assign(target, value)?;
                }
                Statement::Capture(target, body) => {
                    let outside = std::mem::take(&mut self.out);
                    // It is a value, which is encoded where it is printed.
                    let printing = std::mem::replace(&mut self.printing, Printing::Plain);
                    self.statements(body)?;
                    self.printing = printing;
                    let text = std::mem::replace(&mut self.out, outside);
                    self.budget.make(text.len())?;
                    self.assign(target, text.into())?;
                }
                Statement::If(branches, otherwise) => {
                    let mut chosen = otherwise;
                    for (test, body) in branches {
                        if self.holds(test.id)? {
                            chosen = body;
                            break;
                        }
                    }
                    self.statements(chosen)?;
                }
                Statement::For(repetition) => self.repeat(repetition)?,
            }
        }
        Ok(())
    }

    fn plain(&mut self, span: Span) -> Step<()> {
        let text = span.of(&self.tree.source);
        self.place = span;
        if self.out.len() + text.len() > MAX_TEXT {
            return Err(Halt::TooLong);
        }
        self.budget.touch(text.len())?;
        self.out.push_str(text);
        Ok(())
    }

    fn print(&mut self, value: &Value) -> Step<()> {
        let before = self.out.len();
        self.budget.print(value, &mut self.out)?;
        if self.printing == Printing::Address && before > 0 {
            let encoded = encoded(&self.out.split_off(before));
            self.budget.make(encoded.len())?;
            self.out.push_str(&encoded);
        }
        Ok(())
    }

    fn repeat(&mut self, repetition: &'a For) -> Step<()> {
        let items = self.root(repetition.items)?;
        let mut items = self.iterated(items, repetition.items.id)?;
        let outside = self.locals.len();
        if let Some(only) = repetition.only {
            let mut kept = Vec::new();
            for item in (0..items.items().unwrap_or(0)).map_while(|index| items.item(index)) {
                self.locals.truncate(outside);
                self.budget.make_list(1)?;
                self.assign(&repetition.target, item.clone())?;
                if self.holds(only.id)? {
                    kept.push(item);
                }
            }
            self.locals.truncate(outside);
            items = self.list(kept, Origin::Computed)?;
        }
        let length = items.items().unwrap_or(0);
        if length == 0 {
            return self.statements(&repetition.otherwise);
        }
        let state = Rc::new(Loop::new(length));
        self.loops.push(Rc::clone(&state));
        for (index, item) in (0..length).map_while(|index| Some((index, items.item(index)?))) {
            self.budget.step()?;
            state.enter(index);
            self.locals.truncate(outside);
            self.assign(&repetition.target, item)?;
            self.statements(&repetition.body)?;
        }
        self.locals.truncate(outside);
        self.loops.pop();
        Ok(())
    }

    /// The items of a value: those of a list, the characters of a string, the keys of an object, or none.
    fn iterated(&mut self, value: Value, id: Id) -> Step<Value> {
        self.place = self.tree.span(id);
        match value {
            Value::Undefined(Undefined::Strict) => Err(Halt::Undefined(Some(id))),
            value if value.items().is_some() => Ok(value),
            value => {
                let items = self.budget.items(&value)?;
                match items {
                    Some(items) => self.list(items, Origin::Computed),
                    None => Err(Halt::Wrong(format!("{} is not iterable", value.kind()))),
                }
            }
        }
    }

    fn assign(&mut self, target: &'a Target, value: Value) -> Step<()> {
        match target {
            Target::Name(span) => {
                let name = span.of(&self.tree.source);
                self.locals.push((name, value));
                Ok(())
            }
            Target::Several(targets, span) => {
                self.place = *span;
                let items = match value.is_text() {
                    false => self.budget.items(&value)?,
                    true => None,
                };
                let Some(items) = items.filter(|_| !matches!(value, Value::None | Value::Undefined(_)))
                else {
                    return Err(Halt::Wrong("value is not iterable".to_owned()));
                };
                if items.len() != targets.len() {
                    let (expected, found) = (targets.len(), items.len());
                    let message = format!("sequence of wrong length (expected {expected}, got {found})");
                    return Err(Halt::Wrong(message));
                }
                targets.iter().zip(items).try_for_each(|(target, item)| self.assign(target, item))
            }
        }
    }
}
