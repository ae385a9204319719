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

    /// Whether its own text leads elsewhere, whatever its values are.
    ///
    /// ```
    /// use stepweave_core::language::Template;
    /// let leads_elsewhere = |text| Template::parse(text).unwrap().leads_elsewhere();
    /// assert!(leads_elsewhere("https://a.test/users/{{ id }}/../admin"));
    /// assert!(!leads_elsewhere("https://a.test/users/..{{ id }}"));
    /// ```
    pub fn leads_elsewhere(&self) -> bool {
        let with_values = self.body.iter().map(|statement| match statement {
            Statement::Plain(span) => span.of(&self.tree.source),
            _ => "value",
        });
        leads_elsewhere(&with_values.collect::<String>())
    }
}

/// What an address begins with, up to its path.
pub fn origin_of(address: &str) -> Option<&str> {
    let authority = address.find("://")? + 3;
    let length = address.get(authority..)?.find(['/', '?', '#']);
    let end = length.map_or(address.len(), |length| authority + length);
    (end > authority).then(|| address.get(..end)).flatten()
}

/// Whether a segment of the path is `.` or `..`, however it is written: readers of addresses take those out.
///
/// ```
/// use stepweave_core::language::leads_elsewhere;
/// assert!(leads_elsewhere("https://a.test/x/.."));
/// assert!(leads_elsewhere("https://a.test/%2E%2e/x"));
/// assert!(leads_elsewhere("https://a.test/./x?q=1"));
/// assert!(leads_elsewhere("https://a.test/.%2e"));
/// assert!(leads_elsewhere("https://a.test/x\\..\\y"));
/// assert!(!leads_elsewhere("https://a.test/x/..."));
/// assert!(!leads_elsewhere("https://a.test/.well-known"));
/// assert!(!leads_elsewhere("https://a.test/x?next=../y"));
/// assert!(!leads_elsewhere("https://a.test"));
/// ```
pub fn leads_elsewhere(url: &str) -> bool {
    let after = url.find("://").map_or(0, |scheme| scheme + 3);
    let path = url.get(after..).unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
    path.split(['/', '\\']).skip(1).any(|segment| {
        let plain = segment.to_ascii_lowercase().replace("%2e", ".");
        plain == "." || plain == ".."
    })
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
