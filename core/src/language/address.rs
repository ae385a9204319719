//! Templates that are addresses: where they lead, and how values stand in them.

use std::fmt::Write;

use super::tree::{Expression, Statement, Template};

impl Template {
    /// The text before the first value; all of it where there is none.
    pub fn beginning(&self) -> &str {
        match self.body.first() {
            Some(Statement::Plain(span)) => span.of(&self.tree.source),
            _ => "",
        }
    }

    /// Whether it has no values.
    pub fn is_literal(&self) -> bool {
        self.body.iter().all(|statement| matches!(statement, Statement::Plain(_)))
    }

    /// The expression that is all of it, such as `items` in `{{ items }}`.
    pub fn only(&self) -> Option<Expression> {
        match *self.body.as_slice() {
            [Statement::Print(root)] => Some(Expression { tree: self.tree.clone(), root }),
            _ => None,
        }
    }

    /// The origin to which it leads whatever its values are, such as `https://api.example.com`.
    ///
    /// ```
    /// use stepweave_core::language::Template;
    /// let origin = |text| Template::parse(text).unwrap().origin().map(str::to_owned);
    /// assert_eq!(origin("https://a.test:8443/users/{{ id }}").as_deref(), Some("https://a.test:8443"));
    /// assert_eq!(origin("https://a.test{{ path }}"), None);
    /// assert_eq!(origin("{{ url }}"), None);
    /// ```
    pub fn origin(&self) -> Option<&str> {
        let beginning = self.beginning();
        let origin = origin_of(beginning)?;
        (origin.len() < beginning.len() || self.is_literal()).then_some(origin)
    }
}

/// What an address begins with, up to its path.
pub fn origin_of(address: &str) -> Option<&str> {
    let authority = address.find("://")? + 3;
    let length = address.get(authority..)?.find(['/', '?', '#']);
    let end = length.map_or(address.len(), |length| authority + length);
    (end > authority).then(|| address.get(..end)).flatten()
}

/// A text as one value of a query, or one segment of a path: nothing in it leads elsewhere.
pub fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing into a text cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
