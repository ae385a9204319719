//! What stands for templates and expressions where the engine is built without their language: a text that has neither
//! tags nor names in it, and nothing.

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: &'static str,
}

/// An expression: there is none.
#[derive(Debug, Clone)]
pub enum Expression {}

impl Expression {
    /// Reads nothing.
    ///
    /// # Errors
    /// Always: nothing here evaluates expressions.
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        Err(SyntaxError {
            message: format!("`{source}` is an expression, which this build of the engine does not evaluate"),
            hint: "write a function, or import from `stepweave`, which has templates and expressions",
        })
    }
}

/// A text without tags.
#[derive(Debug, Clone)]
pub struct Template(Box<str>);

impl Template {
    /// Takes a text as it is.
    ///
    /// # Errors
    /// When it has tags, which nothing here evaluates.
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        match ["{{", "{%", "{#"].into_iter().find(|tag| source.contains(tag)) {
            None => Ok(Self(source.into())),
            Some(tag) => Err(SyntaxError {
                message: format!(
                    "a text with `{tag}` is a template, which this build of the engine does not evaluate"
                ),
                hint: "write the text without it, or import from `stepweave`, which has templates and expressions",
            }),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        // The language leaves out the line break at the end of a file too.
        let text = self.0.strip_suffix('\n').unwrap_or(&self.0);
        text.strip_suffix('\r').unwrap_or(text)
    }
}
