//! Parses tokens to a tree: templates here, [expressions](expression) in a separate file.
//!
//! The nesting of a source is bounded, and chains of operators are read in loops: no source overflows the stack.

use super::lexer::{Lexer, Tag, Token};
use super::tree::{Expression, For, Node, Root, Span, Statement, SyntaxError, Target, Template, Tree};

mod expression;

/// Bytes that an expression or a tag may have.
const MAX_TAG: usize = 2000;

/// Bytes that a template may have.
const MAX_LENGTH: usize = 1024 * 1024;

/// How deep brackets may stand in brackets, and statements in statements.
const MAX_DEPTH: u32 = 100;

/// What cannot be assigned to.
pub(super) const CONSTANTS: [&str; 8] = ["true", "True", "false", "False", "none", "None", "loop", "self"];

/// The words that stand between operands, and so are no names.
pub const OPERATORS: [&str; 7] = ["and", "or", "not", "in", "is", "if", "else"];

pub(super) struct Parser<'s> {
    source: &'s str,
    lexer: Lexer<'s>,
    token: Token<'s>,
    span: Span,
    /// The token before.
    last: Span,
    /// Where the tag begins in which the token stands.
    tag: Option<u32>,
    depth: u32,
    tree: Tree,
}

impl<'s> Parser<'s> {
    pub(super) fn of_expression(source: &'s str) -> Result<Self, SyntaxError> {
        bounded("an expression", source.len(), MAX_TAG, Span::new(0, 0))?;
        Self::new(source, Lexer::of_expression(source))
    }

    pub(super) fn of_template(source: &'s str) -> Result<Self, SyntaxError> {
        bounded("a template", source.len(), MAX_LENGTH, Span::new(0, 0))?;
        Self::new(source, Lexer::of_template(source))
    }

    fn new(source: &'s str, mut lexer: Lexer<'s>) -> Result<Self, SyntaxError> {
        let (token, span) = lexer.next()?;
        let tree = Tree { source: source.into(), ..Tree::default() };
        Ok(Self { source, lexer, token, span, last: Span::default(), tag: None, depth: 0, tree })
    }

    pub(super) fn expression_alone(mut self) -> Result<Expression, SyntaxError> {
        let root = self.root()?;
        match self.token {
            Token::End => Ok(Expression { tree: self.tree, root }),
            _ => Err(self.error(format!("unexpected input after expression: {}", self.found()))),
        }
    }

    pub(super) fn template(mut self) -> Result<Template, SyntaxError> {
        let (body, _) = self.block(&[])?;
        Ok(Template { tree: self.tree, body })
    }

    // --- Tokens

    fn advance(&mut self) -> Result<(Token<'s>, Span), SyntaxError> {
        let read = (self.token, self.span);
        match read.0 {
            Token::Open(_) => self.tag = Some(read.1.start),
            Token::Close(_) => self.tag = None,
            _ => {}
        }
        self.last = read.1;
        (self.token, self.span) = self.lexer.next()?;
        if let Some(begin) = self.tag {
            bounded("an expression", (self.span.end - begin) as usize, MAX_TAG, self.span)?;
        }
        Ok(read)
    }

    /// Goes on if this token comes next.
    fn skip(&mut self, token: Token<'_>) -> Result<bool, SyntaxError> {
        let is_next = self.token == token;
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    fn skip_symbol(&mut self, symbol: &'static str) -> Result<bool, SyntaxError> {
        self.skip(Token::Symbol(symbol))
    }

    fn expect(&mut self, token: Token<'_>, name: &str) -> Result<(), SyntaxError> {
        match self.skip(token)? {
            true => Ok(()),
            false => Err(self.unexpected(name)),
        }
    }

    fn expect_symbol(&mut self, symbol: &'static str) -> Result<(), SyntaxError> {
        self.expect(Token::Symbol(symbol), &format!("`{symbol}`"))
    }

    /// The word that comes next.
    fn word(&mut self) -> Result<(&'s str, Span), SyntaxError> {
        match self.token {
            Token::Word(word) => Ok((word, self.advance()?.1)),
            _ => Err(self.unexpected("identifier")),
        }
    }

    fn error(&self, message: String) -> SyntaxError {
        SyntaxError::new(message, self.span)
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        self.error(format!("unexpected {}, expected {expected}", self.found()))
    }

    fn found(&self) -> String {
        match self.token {
            Token::End => "end of input".to_owned(),
            _ => format!("`{}`", self.span.of(self.source).chars().take(40).collect::<String>()),
        }
    }

    fn deeper(&mut self) -> Result<(), SyntaxError> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => Err(self.error(format!("it is nested more than {MAX_DEPTH} levels deep"))),
            false => Ok(()),
        }
    }

    // --- Statements

    /// Statements up to the first tag that begins with one of these words, and that word; without words to the end.
    fn block(&mut self, ends: &[&'static str]) -> Result<(Vec<Statement>, &'static str), SyntaxError> {
        self.deeper()?;
        let mut statements = Vec::new();
        let end = loop {
            match self.token {
                Token::Open(Tag::Value) => {
                    self.advance()?;
                    statements.push(Statement::Print(self.root()?));
                    self.close_value()?;
                }
                Token::Open(Tag::Statement) => {
                    self.advance()?;
                    let (word, span) = self.word()?;
                    if let Some(end) = ends.iter().find(|end| **end == word) {
                        break *end;
                    }
                    statements.push(self.statement(word, span)?);
                    self.close()?;
                }
                Token::End => match ends.last() {
                    None => break "",
                    Some(end) => return Err(self.unexpected(&format!("`{{% {end} %}}`"))),
                },
                _ => statements.push(Statement::Plain(self.advance()?.1)),
            }
        };
        self.depth -= 1;
        Ok((statements, end))
    }

    /// The braces behind a value. They are there as a rule, and what stands before them is too much.
    fn close_value(&mut self) -> Result<(), SyntaxError> {
        let is_cut_off = self.token == Token::End;
        self.expect(Token::Close(Tag::Value), "end of variable block").map_err(|mut fault| {
            let hint = "behind a value stands an operator such as `~`, `|` with a filter, or `}}`";
            fault.hint = (!is_cut_off).then(|| hint.to_owned());
            fault
        })
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        self.expect(Token::Close(Tag::Statement), "end of block")
    }

    fn statement(&mut self, word: &str, span: Span) -> Result<Statement, SyntaxError> {
        match word {
            "if" => self.condition(),
            "for" => self.repetition(),
            "set" => self.assignment(),
            _ => {
                let mut error = SyntaxError::new(format!("unknown statement `{word}`"), span);
                error.hint = Some(match word {
                    "else" | "elif" | "endif" | "endfor" | "endset" => {
                        "nothing is open here that it could belong to".to_owned()
                    }
                    _ => "there are `if`, `for`, `set` and `raw`".to_owned(),
                });
                Err(error)
            }
        }
    }

    fn condition(&mut self) -> Result<Statement, SyntaxError> {
        let mut branches = Vec::new();
        loop {
            let test = self.root_without_choice()?;
            self.close()?;
            let (body, end) = self.block(&["elif", "else", "endif"])?;
            branches.push((test, body));
            match end {
                "elif" => {}
                "else" => {
                    self.close()?;
                    return Ok(Statement::If(branches, self.block(&["endif"])?.0));
                }
                _ => return Ok(Statement::If(branches, Vec::new())),
            }
        }
    }

    fn repetition(&mut self) -> Result<Statement, SyntaxError> {
        let target = self.target()?;
        self.expect(Token::Word("in"), "in")?;
        let items = self.root_without_choice()?;
        let only = match self.skip(Token::Word("if"))? {
            true => Some(self.root()?),
            false => None,
        };
        self.close()?;
        let (body, end) = self.block(&["else", "endfor"])?;
        let otherwise = match end {
            "else" => {
                self.close()?;
                self.block(&["endfor"])?.0
            }
            _ => Vec::new(),
        };
        Ok(Statement::For(Box::new(For { target, items, only, body, otherwise })))
    }

    fn assignment(&mut self) -> Result<Statement, SyntaxError> {
        let target = self.target()?;
        if self.token == Token::Close(Tag::Statement) {
            self.close()?;
            return Ok(Statement::Capture(target, self.block(&["endset"])?.0));
        }
        self.expect(Token::Symbol("="), "assignment operator")?;
        let value = self.root()?;
        if self.token != Token::Symbol(",") {
            return Ok(Statement::Set(target, value));
        }
        let mut items = vec![value.id];
        while self.skip_symbol(",")? && self.token != Token::Close(Tag::Statement) {
            items.push(self.expression()?);
        }
        let span = self.tree.span(value.id).to(self.last);
        let id = self.tree.add(Node::List(items.into()), span);
        Ok(Statement::Set(target, Root { first: value.first, id }))
    }

    /// What gets a value: a name, or several with commas between them.
    fn target(&mut self) -> Result<Target, SyntaxError> {
        self.deeper()?;
        let begin = self.span;
        let mut targets = Vec::new();
        let mut is_list = false;
        while !matches!(self.token, Token::Symbol(")") | Token::Close(_) | Token::Word("in")) {
            if self.skip_symbol("(")? {
                targets.push(self.target()?);
                self.expect_symbol(")")?;
            } else {
                let (name, span) = self.word()?;
                if CONSTANTS.contains(&name) || OPERATORS.contains(&name) {
                    let message = format!("cannot assign to reserved variable name `{name}`");
                    return Err(SyntaxError::new(message, span));
                }
                targets.push(Target::Name(span));
            }
            if !self.skip_symbol(",")? {
                break;
            }
            is_list = true;
        }
        self.depth -= 1;
        match targets.pop() {
            Some(only) if !is_list && targets.is_empty() => Ok(only),
            Some(last) => {
                targets.push(last);
                Ok(Target::Several(targets, begin.to(self.last)))
            }
            None => Err(self.unexpected("identifier")),
        }
    }
}

fn bounded(what: &str, length: usize, most: usize, span: Span) -> Result<(), SyntaxError> {
    match length > most {
        true => Err(SyntaxError::new(format!("{what} has {length} bytes; {most} are the most"), span)),
        false => Ok(()),
    }
}
