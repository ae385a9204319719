//! Expressions, by the strength of their operators.

use super::super::lexer::Token;
use super::super::tree::{Binary, Id, Node, Root, Span, SyntaxError};
use super::super::unescape::unescape;
use super::super::vocabulary::{FILTERS, TESTS, Test};
use super::{OPERATORS, Parser};
use crate::shape::{listed, nearest};

/// How strongly operators hold their operands together, the weakest first.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const ADD: u8 = 5;
const JOIN: u8 = 6;
const MULTIPLY: u8 = 7;
const POWER: u8 = 8;

const INFIX: [(&str, Binary, u8); 17] = [
    ("or", Binary::Or, OR),
    ("and", Binary::And, AND),
    ("==", Binary::Equal, COMPARE),
    ("!=", Binary::Unequal, COMPARE),
    ("<", Binary::Less, COMPARE),
    ("<=", Binary::LessOrEqual, COMPARE),
    (">", Binary::Greater, COMPARE),
    (">=", Binary::GreaterOrEqual, COMPARE),
    ("in", Binary::In, COMPARE),
    ("+", Binary::Add, ADD),
    ("-", Binary::Subtract, ADD),
    ("~", Binary::Join, JOIN),
    ("*", Binary::Multiply, MULTIPLY),
    ("/", Binary::Divide, MULTIPLY),
    ("//", Binary::DivideWhole, MULTIPLY),
    ("%", Binary::Remainder, MULTIPLY),
    ("**", Binary::Power, POWER),
];

impl Parser<'_> {
    /// A whole expression.
    pub(super) fn root(&mut self) -> Result<Root, SyntaxError> {
        let first = Id(self.tree.nodes.len() as u32);
        Ok(Root { first, id: self.expression()? })
    }

    /// A whole expression behind which `if` begins something else.
    pub(super) fn root_without_choice(&mut self) -> Result<Root, SyntaxError> {
        let first = Id(self.tree.nodes.len() as u32);
        Ok(Root { first, id: self.binary(OR)? })
    }

    pub(super) fn expression(&mut self) -> Result<Id, SyntaxError> {
        self.deeper()?;
        let begin = self.span;
        let mut id = self.binary(OR)?;
        while self.skip(Token::Word("if"))? {
            let test = self.binary(OR)?;
            let otherwise = match self.skip(Token::Word("else"))? {
                true => Some(self.expression()?),
                false => None,
            };
            id = self.since(begin, Node::Choice { test, then: id, otherwise });
        }
        self.depth -= 1;
        Ok(id)
    }

    /// Operands with operators between them that are at least this strong.
    fn binary(&mut self, least: u8) -> Result<Id, SyntaxError> {
        let begin = self.span;
        let mut negations = Vec::new();
        while least <= NOT && self.token == Token::Word("not") {
            negations.push(self.advance()?.1);
        }
        let mut left = match negations.is_empty() {
            true => self.unary()?,
            false => self.binary(COMPARE)?,
        };
        while let Some(begin) = negations.pop() {
            left = self.since(begin, Node::Not(left));
        }
        while let Some((operator, level)) = self.operator().filter(|(_, level)| *level >= least) {
            if level == COMPARE {
                left = self.comparison(begin, left)?;
                continue;
            }
            self.advance()?;
            let right = self.binary(level + 1)?;
            left = self.since(begin, Node::Binary(operator, left, right));
        }
        Ok(left)
    }

    /// The operator that comes next; `not` stands for `not in`.
    fn operator(&self) -> Option<(Binary, u8)> {
        let found = match self.token {
            Token::Word("not") => return Some((Binary::NotIn, COMPARE)),
            Token::Word(text) | Token::Symbol(text) => text,
            _ => return None,
        };
        INFIX.iter().find(|(text, ..)| *text == found).map(|&(_, operator, level)| (operator, level))
    }

    fn comparison(&mut self, begin: Span, left: Id) -> Result<Id, SyntaxError> {
        let mut compared = Vec::new();
        while let Some((operator, COMPARE)) = self.operator() {
            self.advance()?;
            if operator == Binary::NotIn {
                self.expect(Token::Word("in"), "in")?;
            }
            compared.push((operator, self.binary(ADD)?));
        }
        let node = match *compared.as_slice() {
            [(operator, right)] => Node::Binary(operator, left, right),
            _ => Node::Chain(left, compared.into()),
        };
        Ok(self.since(begin, node))
    }

    /// An operand with its filters and tests, which see its sign.
    fn unary(&mut self) -> Result<Id, SyntaxError> {
        let begin = self.span;
        let mut id = self.signed()?;
        loop {
            id = match self.token {
                Token::Symbol("|") => self.filter(begin, id)?,
                Token::Word("is") => self.test(begin, id)?,
                _ => return Ok(id),
            };
        }
    }

    fn signed(&mut self) -> Result<Id, SyntaxError> {
        let mut signs = Vec::new();
        while self.token == Token::Symbol("-") {
            signs.push(self.advance()?.1);
        }
        let mut id = self.postfix()?;
        while let Some(begin) = signs.pop() {
            id = self.since(begin, Node::Negate(id));
        }
        Ok(id)
    }

    /// A node that was read from there up to here.
    fn since(&mut self, begin: Span, node: Node) -> Id {
        self.tree.add(node, begin.to(self.last))
    }

    fn filter(&mut self, begin: Span, value: Id) -> Result<Id, SyntaxError> {
        self.advance()?;
        let (name, span) = self.word()?;
        let Some(&(_, filter, least, most)) = FILTERS.iter().find(|(known, ..)| *known == name) else {
            return Err(unknown("filter", name, span, || FILTERS.iter().map(|(known, ..)| *known)));
        };
        let arguments = self.arguments()?;
        if !(least..=most).contains(&arguments.len()) {
            return Err(wrong_count("filter", name, span, most, arguments.len()));
        }
        Ok(self.since(begin, Node::Filter(value, filter, arguments.into())))
    }

    fn test(&mut self, begin: Span, value: Id) -> Result<Id, SyntaxError> {
        self.advance()?;
        let is_negated = self.skip(Token::Word("not"))?;
        let (name, span) = self.word()?;
        let Some(&(_, test)) = TESTS.iter().find(|(known, _)| *known == name) else {
            return Err(unknown("test", name, span, || TESTS.iter().map(|(known, _)| *known)));
        };
        let mut arguments = match self.token {
            Token::Symbol("(") => self.arguments()?,
            _ if test == Test::Containing => vec![self.signed()?],
            _ => Vec::new(),
        };
        let wanted = usize::from(test == Test::Containing);
        if arguments.len() != wanted {
            return Err(wrong_count("test", name, span, wanted, arguments.len()));
        }
        let id = self.since(begin, Node::Test(value, test, arguments.pop()));
        Ok(if is_negated { self.since(begin, Node::Not(id)) } else { id })
    }

    /// What stands in brackets behind a filter; nothing if there are none.
    fn arguments(&mut self) -> Result<Vec<Id>, SyntaxError> {
        match self.skip_symbol("(")? {
            true => self.items(")"),
            false => Ok(Vec::new()),
        }
    }

    /// Expressions with commas between them, up to this bracket.
    fn items(&mut self, end: &'static str) -> Result<Vec<Id>, SyntaxError> {
        let mut items = Vec::new();
        while !self.skip_symbol(end)? {
            if !items.is_empty() {
                self.expect_symbol(",")?;
                if self.skip_symbol(end)? {
                    break;
                }
            }
            items.push(self.expression()?);
        }
        Ok(items)
    }

    fn postfix(&mut self) -> Result<Id, SyntaxError> {
        let begin = self.span;
        let mut id = self.atom()?;
        loop {
            id = match self.token {
                Token::Symbol(".") => {
                    self.advance()?;
                    match self.token {
                        Token::Word(_) => {
                            let (_, name) = self.advance()?;
                            self.since(begin, Node::Member(id, name))
                        }
                        Token::Integer(index) => {
                            let (_, span) = self.advance()?;
                            let index = self.tree.add(Node::Integer(index), span);
                            self.since(begin, Node::Item(id, index))
                        }
                        _ => return Err(self.unexpected("identifier or integer")),
                    }
                }
                Token::Symbol("[") => self.subscript(begin, id)?,
                Token::Symbol("(") => self.call(begin, id)?,
                _ => return Ok(id),
            };
        }
    }

    fn subscript(&mut self, begin: Span, value: Id) -> Result<Id, SyntaxError> {
        self.advance()?;
        let mut parts = [None; 3];
        let mut colons = 0;
        for part in &mut parts {
            if !matches!(self.token, Token::Symbol(":" | "]")) {
                *part = Some(self.expression()?);
            }
            if colons == 2 || !self.skip_symbol(":")? {
                break;
            }
            colons += 1;
        }
        let key = match parts {
            [None, ..] if colons == 0 => return Err(self.error("empty subscript".to_owned())),
            [key, ..] => key.filter(|_| colons == 0),
        };
        self.expect_symbol("]")?;
        Ok(match key {
            Some(key) => self.since(begin, Node::Item(value, key)),
            None => self.since(begin, Node::Slice(value, parts)),
        })
    }

    /// Nothing can be called but two methods of `loop`.
    fn call(&mut self, begin: Span, called: Id) -> Result<Id, SyntaxError> {
        let of_loop = match *self.tree.node(called) {
            Node::Member(value, name) if self.tree.text(value) == "loop" => name.of(self.source),
            _ => "",
        };
        let make = match of_loop {
            "cycle" => Node::Cycle,
            "changed" => Node::Changed,
            _ => {
                let message =
                    format!("`{}` cannot be called: there are no functions", self.tree.text(called));
                let mut error = SyntaxError::new(message, self.tree.span(called));
                error.hint = Some("filters change values, as in `name | upper`".to_owned());
                return Err(error);
            }
        };
        self.advance()?;
        let arguments = self.items(")")?;
        if arguments.is_empty() {
            return Err(self.unexpected("expression"));
        }
        Ok(self.since(begin, make(arguments.into())))
    }

    fn atom(&mut self) -> Result<Id, SyntaxError> {
        let begin = self.span;
        let node = match self.token {
            Token::Word("true" | "True") => Node::Boolean(true),
            Token::Word("false" | "False") => Node::Boolean(false),
            Token::Word("none" | "None") => Node::None,
            Token::Word(name) if !OPERATORS.contains(&name) => Node::Name,
            Token::Integer(number) => Node::Integer(number),
            Token::Float(number) => Node::Float(number),
            Token::Text(_) => return self.texts(),
            Token::Symbol("(") => {
                self.advance()?;
                return self.brackets(begin);
            }
            Token::Symbol("[") => {
                self.advance()?;
                let items = self.items("]")?;
                return Ok(self.since(begin, Node::List(items.into())));
            }
            Token::Symbol("{") => {
                self.advance()?;
                return self.object(begin);
            }
            Token::End => return Err(self.unexpected("expression")),
            Token::Word(word) => {
                let mut error = self.error(format!("unexpected `{word}`, which is a reserved word"));
                error.hint = Some(format!("a value stands here; a key of that name is `state['{word}']`"));
                return Err(error);
            }
            _ => return Err(self.error(format!("unexpected {}", self.found()))),
        };
        self.advance()?;
        Ok(self.tree.add(node, begin))
    }

    /// Texts in quotes; several in a row are one.
    fn texts(&mut self) -> Result<Id, SyntaxError> {
        let begin = self.span;
        let mut whole = String::new();
        while let Token::Text(text) = self.token {
            match unescape(text) {
                Some(text) => whole.push_str(&text),
                None => return Err(self.error("bad string escape".to_owned())),
            }
            self.advance()?;
        }
        Ok(self.since(begin, Node::Text(whole.into())))
    }

    /// What stands in round brackets: a list if there are commas.
    fn brackets(&mut self, begin: Span) -> Result<Id, SyntaxError> {
        let mut items = Vec::new();
        if !self.skip_symbol(")")? {
            let first = self.expression()?;
            if self.skip_symbol(")")? {
                return Ok(first);
            }
            self.expect_symbol(",")?;
            items = self.items(")")?;
            items.insert(0, first);
        }
        Ok(self.since(begin, Node::List(items.into())))
    }

    fn object(&mut self, begin: Span) -> Result<Id, SyntaxError> {
        let mut entries = Vec::new();
        while !self.skip_symbol("}")? {
            if !entries.is_empty() {
                self.expect_symbol(",")?;
                if self.skip_symbol("}")? {
                    break;
                }
            }
            let key = self.expression()?;
            self.expect_symbol(":")?;
            entries.push((key, self.expression()?));
        }
        Ok(self.since(begin, Node::Object(entries.into())))
    }
}

fn unknown<'a, I: Iterator<Item = &'a str>>(
    kind: &str,
    name: &str,
    span: Span,
    known: impl Fn() -> I,
) -> SyntaxError {
    let mut error = SyntaxError::new(format!("there is no {kind} `{name}`"), span);
    error.hint = Some(match nearest(name, known()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("use {}", listed(known())),
    });
    error
}

fn wrong_count(kind: &str, name: &str, span: Span, wanted: usize, found: usize) -> SyntaxError {
    let arguments = match wanted {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        _ => format!("{wanted} arguments"),
    };
    SyntaxError::new(format!("the {kind} `{name}` takes {arguments}, but has {found}"), span)
}
