//! The names that a source reads from the state and from the outputs of steps, with their spans.

use indexmap::IndexSet;

use super::tree::{Binary, Expression, Id, Node, Root, Span, Statement, Target, Template, Tree};
use super::vocabulary::Filter;
use crate::letters;

/// What a text reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access<'t> {
    /// This key of the state: `key`, `state.key` or `state["key"]`.
    Key(&'t str),
    /// What the step of this name gave: `steps.name` or `steps["name"]`.
    Output(&'t str),
    /// The whole state, or a key that is computed.
    AnyKey,
    /// What a step gave whose name is computed.
    AnyOutput,
}

/// A span of the source that reads something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read<'t> {
    /// What it reads.
    pub access: Access<'t>,
    /// Where the name stands.
    pub span: Span,
    /// Where all of the value stands: `steps.name.output`.
    pub value: Span,
    /// What gives nothing without it, and so what a fallback for it stands behind: `other | default(name)`, or the value.
    pub chain: Span,
    /// Whether the text says what holds where there is no value: by `default`, or by testing for it.
    pub has_fallback: bool,
    /// Whether something else in the text decides if this is read at all.
    pub is_conditional: bool,
    /// The key that is taken of the value right away, and where it stands: `title` in `key.title`.
    pub member: Option<(&'t str, Span)>,
    /// What the value, or what is taken of it, has to be for what stands beside it.
    pub need: Need,
    /// The text that the value, or what is taken of it, is compared with by `==` or `!=`, and where it stands.
    pub compared: Option<(&'t str, Span)>,
    /// The value with all that is taken of it.
    pub path: Path,
    /// Whether the text says what holds where what is taken of the value is absent.
    pub is_caught: bool,
}

/// A value with what is taken of it: `key.list[0]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// Where all of it stands.
    pub span: Span,
    /// Where each value ends of which something is taken: `key` and `key.list`. Whatever is deeper is not looked at.
    levels: [u32; 6],
}

impl Read<'_> {
    /// Whether one key is taken of the value, and nothing of that.
    pub(crate) fn takes_one(&self) -> bool {
        self.member.is_some() && self.path.levels().nth(1).is_none()
    }
}

impl Path {
    /// The path from a value on, and its last node.
    pub(super) fn of(tree: &Tree, value: Id, user: impl Fn(Id) -> Option<Id>) -> (Self, Id) {
        let (mut levels, mut last) = ([0; 6], value);
        for level in &mut levels {
            match user(last).filter(|by| matches!(tree.node(*by), Node::Member(..) | Node::Item(..))) {
                Some(by) => (*level, last) = (tree.span(last).end, by),
                None => break,
            }
        }
        (Self { span: tree.span(last), levels }, last)
    }

    /// Whether it is the value itself, of which nothing is taken.
    pub(crate) fn is_bare(&self) -> bool {
        self.levels().next().is_none()
    }

    /// Where each value ends of which something is taken.
    pub(crate) fn levels(&self) -> impl Iterator<Item = u32> {
        self.levels.into_iter().filter(|end| *end > 0)
    }

    /// How it is written where each part of it may be absent.
    pub(crate) fn guarded(self, text: &str, need: Need) -> String {
        let mut written = "(".repeat(self.levels().count());
        let mut done = self.span.start;
        for end in self.levels() {
            written.push_str(Span { start: done, end }.of(text));
            written.push_str(LEVEL);
            done = end;
        }
        written.push_str(Span { start: done, ..self.span }.of(text));
        written.push_str(" | ");
        written.push_str(need.fallback());
        written
    }
}

/// What stands behind a value of which something is taken, with a bracket before it.
pub(crate) const LEVEL: &str = " | default({}))";

/// What a place in a text takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Whatever there is, such as where a text is printed.
    Anything,
    /// A number: it is calculated with, or compared with one.
    Number,
    /// A list: it is gone through, or gets items.
    List,
}

impl Need {
    /// What stands for a value of the kind that may be absent.
    pub(crate) fn fallback(self) -> &'static str {
        match self {
            Self::Anything => "default('')",
            Self::Number => "default(0)",
            Self::List => "default([])",
        }
    }
}

/// A key of an object that is no text but a name, whose value is the key: `{ key: value }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BareKey {
    /// Where the name stands.
    pub key: Span,
    /// Where its value stands.
    pub value: Span,
}

impl Expression {
    /// What it reads, from left to right.
    ///
    /// ```
    /// use stepweave_core::language::{Access, Expression};
    /// let expression = Expression::parse("score > 3 and steps['draft'].output != ''").unwrap();
    /// let reads: Vec<_> = expression.reads().iter().map(|read| read.access).collect();
    /// assert_eq!(reads, [Access::Key("score"), Access::Output("draft")]);
    /// ```
    pub fn reads(&self) -> Vec<Read<'_>> {
        let mut reader = Reader::new(&self.tree);
        reader.expression(self.root, false);
        reader.finish()
    }

    /// The spans of subtractions that look like one name: `draft-one`.
    pub fn dashed(&self) -> Vec<Span> {
        dashed(&self.tree)
    }

    /// The keys of objects that are names, without brackets around them.
    pub fn bare_keys(&self) -> Vec<BareKey> {
        bare_keys(&self.tree)
    }
}

impl Template {
    /// What it reads, in its order.
    pub fn reads(&self) -> Vec<Read<'_>> {
        let mut reader = Reader::new(&self.tree);
        reader.statements(&self.body, false);
        reader.finish()
    }

    /// The spans of subtractions that look like one name: `draft-one`.
    pub fn dashed(&self) -> Vec<Span> {
        dashed(&self.tree)
    }

    /// The keys of objects that are names, without brackets around them.
    pub fn bare_keys(&self) -> Vec<BareKey> {
        bare_keys(&self.tree)
    }
}

struct Reader<'t> {
    tree: &'t Tree,
    /// The names that the text itself gives values.
    locals: IndexSet<&'t str>,
    found: Vec<Read<'t>>,
    tested_keys: IndexSet<&'t str>,
    tested_outputs: IndexSet<&'t str>,
}

impl<'t> Reader<'t> {
    fn new(tree: &'t Tree) -> Self {
        Self {
            tree,
            locals: IndexSet::new(),
            found: Vec::new(),
            tested_keys: IndexSet::new(),
            tested_outputs: IndexSet::new(),
        }
    }

    /// What is tested somewhere may be absent anywhere.
    fn finish(mut self) -> Vec<Read<'t>> {
        for read in &mut self.found {
            read.has_fallback |= match read.access {
                Access::Key(key) => self.tested_keys.contains(key),
                Access::Output(step) => self.tested_outputs.contains(step),
                Access::AnyKey | Access::AnyOutput => false,
            };
        }
        self.found
    }

    fn test(&mut self, access: Access<'t>) {
        match access {
            Access::Key(key) => _ = self.tested_keys.insert(key),
            Access::Output(step) => _ = self.tested_outputs.insert(step),
            Access::AnyKey | Access::AnyOutput => {}
        }
    }

    fn statements(&mut self, statements: &'t [Statement], is_conditional: bool) {
        for statement in statements {
            match statement {
                Statement::Plain(_) => {}
                Statement::Print(value) => self.expression(*value, is_conditional),
                Statement::Set(target, value) => {
                    self.expression(*value, is_conditional);
                    self.assign(target);
                }
                Statement::Capture(target, body) => {
                    self.statements(body, is_conditional);
                    self.assign(target);
                }
                Statement::If(branches, otherwise) => {
                    let mut is_later = false;
                    for (test, body) in branches {
                        self.expression(*test, is_conditional || is_later);
                        self.statements(body, true);
                        is_later = true;
                    }
                    self.statements(otherwise, true);
                }
                Statement::For(repetition) => {
                    self.expression(repetition.items, is_conditional);
                    let whole = self.tree.span(repetition.items.id);
                    if let Some(read) = self.found.last_mut().filter(|read| read.chain == whole) {
                        read.need = Need::List;
                    }
                    let outside = self.locals.len();
                    self.assign(&repetition.target);
                    if let Some(only) = repetition.only {
                        self.expression(only, true);
                    }
                    self.locals.insert("loop");
                    self.statements(&repetition.body, true);
                    self.locals.truncate(outside);
                    self.statements(&repetition.otherwise, true);
                }
            }
        }
    }

    fn assign(&mut self, target: &Target) {
        match target {
            Target::Name(span) => {
                self.locals.insert(span.of(&self.tree.source));
            }
            Target::Several(targets, _) => targets.iter().for_each(|target| self.assign(target)),
        }
    }

    fn expression(&mut self, root: Root, is_conditional: bool) {
        let tree = self.tree;
        let first = root.first.0;
        let place = |id: Id| id.0.wrapping_sub(first) as usize;
        let count = place(root.id) + 1;
        let mut users = vec![None; count];
        let mut conditional = vec![is_conditional; count];
        for id in (first..=root.id.0).map(Id) {
            let node = tree.node(id);
            if let Some(user) = node.operand().and_then(|operand| users.get_mut(place(operand))) {
                *user = Some(id);
            }
            // `default` and a choice give on what they may take, and so do some of the operators.
            let taken = match node {
                Node::Filter(_, Filter::Default, instead) => [instead.first().copied(), None],
                Node::Choice { then, otherwise, .. } => [Some(*then), *otherwise],
                Node::Binary(_, _, right) => [Some(*right), None],
                _ => [None, None],
            };
            for taken in taken.into_iter().flatten() {
                if let Some(user) = users.get_mut(place(taken)) {
                    *user = Some(id);
                }
            }
            // Each operand stands right behind the one before it. What stands behind `or` is read where that is absent or
            // false, which says nothing of whether this is there.
            let decided = match *node {
                Node::Binary(Binary::And, left, right) => vec![(left.0 + 1, right.0)],
                Node::Choice { test, then, otherwise } => {
                    let otherwise = otherwise.map_or(test, |otherwise| otherwise);
                    vec![(first_of(tree, then).0, then.0), (test.0 + 1, otherwise.0)]
                }
                _ => continue,
            };
            for id in decided.into_iter().flat_map(|(first, last)| first..=last).map(Id) {
                if let Some(conditional) = conditional.get_mut(place(id)) {
                    *conditional = true;
                }
            }
        }
        let user = |id: Id| users.get(place(id)).copied().flatten();
        // `'key' in state` tests for one name, and for no other.
        let tests = (first..=root.id.0).map(Id).filter_map(|id| self.test_of(id)).collect::<Vec<_>>();
        for (_, read) in &tests {
            self.test(read.access);
        }
        for id in (first..=root.id.0).map(Id) {
            if let Some((_, read)) = tests.iter().find(|(whole, _)| *whole == id) {
                self.found.push(*read);
                continue;
            }
            if !matches!(tree.node(id), Node::Name) || self.locals.contains(&tree.text(id)) {
                continue;
            }
            let (access, span, value) = match tree.text(id) {
                "state" => match user(id).and_then(|user| Some((user, key_of(tree, user)?))) {
                    Some((user, (key, span))) => (Access::Key(key), span, user),
                    None => (Access::AnyKey, tree.span(id), id),
                },
                "steps" => match user(id).and_then(|user| Some((user, key_of(tree, user)?))) {
                    Some((step, (name, span))) => {
                        let output = user(step).filter(|output| key_of(tree, *output).is_some());
                        (Access::Output(name), span, output.unwrap_or(step))
                    }
                    None => (Access::AnyOutput, tree.span(id), id),
                },
                key => (Access::Key(key), tree.span(id), id),
            };
            let member = user(value).and_then(|user| key_of(tree, user));
            if let Some(Node::Test(..)) = user(value).map(|user| tree.node(user)) {
                self.test(access);
            }
            // What stands there instead may be absent too, as long as a fallback comes behind it.
            let (path, mut last) = Path::of(tree, value, user);
            let compared = user(last).and_then(|by| compared_with(tree, by, last));
            let mut chain = last;
            let is_caught = loop {
                let Some(id) = user(last) else { break false };
                match *tree.node(id) {
                    Node::Test(..) => break true,
                    Node::Filter(operand, filter, _) if operand == last => break filter == Filter::Default,
                    Node::Filter(..) => chain = id,
                    Node::Choice { .. } => {}
                    Node::Binary(Binary::And | Binary::Or, _, right) if right == last => {}
                    _ => break false,
                }
                last = id;
            };
            let is_conditional = conditional.get(place(id)).copied().unwrap_or_default();
            let has_fallback = is_caught && path.is_bare();
            let need = need_of(tree, last, user);
            let (value, chain) = (tree.span(value), tree.span(chain));
            self.found.push(Read {
                access,
                span,
                value,
                chain,
                has_fallback,
                is_conditional,
                member,
                need,
                compared,
                path,
                is_caught,
            });
        }
    }

    /// The name that an `in` tests for, with the node that holds all names.
    fn test_of(&self, id: Id) -> Option<(Id, Read<'t>)> {
        let tree = self.tree;
        let Node::Binary(Binary::In | Binary::NotIn, left, whole) = *tree.node(id) else { return None };
        let Node::Text(name) = tree.node(left) else { return None };
        let all = Some(tree.text(whole))
            .filter(|all| matches!(tree.node(whole), Node::Name) && !self.locals.contains(all));
        let access = match all? {
            "state" => Access::Key(name),
            "steps" => Access::Output(name),
            _ => return None,
        };
        let value = tree.span(id);
        let read = Read {
            access,
            span: tree.span(left),
            value,
            chain: value,
            has_fallback: true,
            is_conditional: false,
            member: None,
            need: Need::Anything,
            compared: None,
            path: Path { span: value, levels: [0; 6] },
            is_caught: true,
        };
        Some((whole, read))
    }
}

/// What the place of a node takes, by what its users do with it.
pub(super) fn need_of(tree: &Tree, mut id: Id, user: impl Fn(Id) -> Option<Id>) -> Need {
    while let Some(by) = user(id) {
        let Node::Binary(operator, left, right) = *tree.node(by) else { break };
        let other = tree.node(if left == id { right } else { left });
        match (operator, other) {
            (Binary::In | Binary::NotIn | Binary::Join, _) => break,
            (Binary::And | Binary::Or, _) => {}
            (_, Node::Integer(_) | Node::Float(_)) => return Need::Number,
            (Binary::Add, Node::List(_)) => return Need::List,
            (Binary::Add, _) => {}
            _ if operator < Binary::Add => break,
            _ => return Need::Number,
        }
        id = by;
    }
    Need::Anything
}

/// The text that an operand of a comparison is compared with.
fn compared_with(tree: &Tree, by: Id, operand: Id) -> Option<(&str, Span)> {
    let Node::Binary(Binary::Equal | Binary::Unequal, left, right) = *tree.node(by) else { return None };
    let other = if left == operand { right } else { left };
    match tree.node(other) {
        Node::Text(text) => Some((text, tree.span(other))),
        _ => None,
    }
}

/// The key that a node takes of its operand, if the text says which.
pub(super) fn key_of(tree: &Tree, id: Id) -> Option<(&str, Span)> {
    match tree.node(id) {
        Node::Member(_, name) => Some((name.of(&tree.source), *name)),
        Node::Item(_, key) => match tree.node(*key) {
            Node::Text(text) => Some((text, tree.span(*key))),
            _ => None,
        },
        _ => None,
    }
}

/// The first of all nodes that a node is made of.
fn first_of(tree: &Tree, mut id: Id) -> Id {
    loop {
        let node = tree.node(id);
        let first = node.operand().or(match node {
            Node::List(items) | Node::Cycle(items) | Node::Changed(items) => items.first().copied(),
            Node::Object(entries) => entries.first().map(|(key, _)| *key),
            Node::Choice { then, .. } => Some(*then),
            _ => None,
        });
        match first {
            Some(first) => id = first,
            None => return id,
        }
    }
}

/// Words with dashes in them, and no space around those.
fn dashed(tree: &Tree) -> Vec<Span> {
    let source = &*tree.source;
    let goes_on = |letter: char| letters::goes_on(letter) || letter == '-';
    let mut found: Vec<Span> = Vec::new();
    for node in &tree.nodes {
        let Node::Binary(Binary::Subtract, left, _) = node else { continue };
        let end = tree.span(*left).end as usize;
        // A long word has many dashes.
        if found.last().is_some_and(|word| end <= word.end as usize) {
            continue;
        }
        let (before, behind) = source.split_at_checked(end).unwrap_or_default();
        let start = before.trim_end_matches(goes_on).len();
        let length = behind.find(|letter| !goes_on(letter)).unwrap_or(behind.len());
        let word = Span::new(start, end + length);
        if start < end && behind.starts_with('-') && length > 1 {
            found.push(word);
        }
    }
    found
}

fn bare_keys(tree: &Tree) -> Vec<BareKey> {
    let objects = tree.nodes.iter().filter_map(|node| match node {
        Node::Object(entries) => Some(entries),
        _ => None,
    });
    let keys = objects
        .flatten()
        .map(|(key, value)| (key, BareKey { key: tree.span(*key), value: tree.span(*value) }));
    // Who writes brackets around a name means its value.
    let is_bare = |bare: &BareKey| {
        let behind = tree.source.get(bare.key.end as usize..).unwrap_or_default();
        behind.trim_start().starts_with(':')
    };
    keys.filter(|(key, bare)| matches!(tree.node(**key), Node::Name) && is_bare(bare))
        .map(|(_, bare)| bare)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of(reads: Vec<Read<'_>>) -> Vec<String> {
        let fallback = |read: &Read<'_>| if read.has_fallback { "?" } else { "" };
        let conditional = |read: &Read<'_>| if read.is_conditional { "~" } else { "" };
        let name = |read: &Read<'_>| match read.access {
            Access::Key(key) => key.to_owned(),
            Access::Output(name) => format!("steps.{name}"),
            Access::AnyKey => "*".to_owned(),
            Access::AnyOutput => "steps.*".to_owned(),
        };
        reads.iter().map(|read| [conditional(read), &name(read), fallback(read)].concat()).collect()
    }

    fn expression(text: &str) -> Vec<String> {
        names_of(Expression::parse(text).unwrap().reads())
    }

    fn template(text: &str) -> Vec<String> {
        names_of(Template::parse(text).unwrap().reads())
    }

    #[test]
    fn an_expression_tells_what_it_reads() {
        assert_eq!(expression("a + b.c[d] * 2 | round(e)"), ["a", "b", "d", "e"]);
        assert_eq!(
            expression("state.a ~ state['any-key'] ~ state[k] ~ größe"),
            ["a", "any-key", "*", "k", "größe"]
        );
        assert_eq!(
            expression("[steps.x.output, steps['y-z'].output, steps[n]]"),
            ["steps.x", "steps.y-z", "steps.*", "n"]
        );
    }

    #[test]
    fn it_tells_what_may_be_absent() {
        assert_eq!(expression("a | default(b) ~ c.d | default('')"), ["a?", "b", "c"]);
        assert_eq!(expression("a is defined and a > b"), ["a?", "~a?", "~b"]);
        assert_eq!(expression("(a if b else c) + [d if e][0]"), ["~a", "b", "~c", "~d", "e"]);
        assert_eq!(expression("steps.x.output | default(0) + steps.y.output"), ["steps.x?", "steps.y"]);
        assert_eq!(expression("a | default(b) | default(c) | default('')"), ["a?", "b?", "c?"]);
        assert_eq!(expression("a | default(b | default(c))"), ["a?", "b?", "c"]);
        assert_eq!(expression("(a if a is defined else b) | default(c.d)"), ["~a?", "a?", "~b?", "c"]);
        assert_eq!(expression("a | default(b ~ c) | default([d]) is defined"), ["a?", "b", "c", "d"]);
        assert_eq!(expression("a if 'a' in state else b"), ["~a?", "a?", "~b"]);
        assert_eq!(
            expression("'x' not in steps or 'y' in other or k in state"),
            ["steps.x?", "other", "k", "*"]
        );
        // Behind `or` stands what is read where the rest is false, whether it is there or not.
        assert_eq!(expression("a and b or c and d"), ["a", "~b", "c", "~d"]);
        assert_eq!(expression("(a or b and c) | default('')"), ["a", "b", "~c?"]);
        assert_eq!(template("{% for state in list %}{{ 'a' in state }}{% endfor %}"), ["list"]);
    }

    #[test]
    fn it_tells_what_stands_beside_a_name() {
        let needs = |reads: Vec<Read<'_>>| reads.iter().map(|read| read.need).collect::<Vec<_>>();
        let first = |text: &str| needs(Expression::parse(text).unwrap().reads())[0];
        for text in [
            "n + 1",
            "1 + n",
            "n > 3",
            "0.5 == n",
            "n - m",
            "'-' * n",
            "n + m + 1",
            "(n or m) + 1",
            "state.n // 2",
            "n.m + 1",
        ] {
            assert_eq!(first(text), Need::Number, "{text}");
        }
        assert_eq!(first("xs + [x]"), Need::List);
        for text in ["n", "n ~ 1", "n + m", "n == 'a'", "n > m", "n in [1]", "n | length > 3"] {
            assert_eq!(first(text), Need::Anything, "{text}");
        }
        let template =
            Template::parse("{% for x in xs %}{{ n }}{% endfor %}{% for x in ys | first %}{% endfor %}");
        assert_eq!(needs(template.unwrap().reads()), [Need::List, Need::Anything, Need::Anything]);
    }

    #[test]
    fn what_a_template_names_itself_it_does_not_read() {
        let text = "{% for item in items if item.ok %}{{ loop.index }}{{ item }}{{ other }}{% else %}{{ item }}{% endfor %}";
        assert_eq!(template(text), ["items", "~other", "~item"]);
        assert_eq!(
            template("{% set a, b = pair %}{{ a }}{{ b }}{% set c %}{{ d }}{% endset %}{{ c }}"),
            ["pair", "d"]
        );
        assert_eq!(
            template("{% if a %}{{ b }}{% elif c %}{% else %}{{ d }}{% endif %}{{ e }}"),
            ["a", "~b", "~c", "~d", "e"]
        );
    }

    #[test]
    fn words_with_dashes_are_reported() {
        let words = |text: &str| {
            let read = Expression::parse(text).unwrap();
            read.dashed().iter().map(|word| word.of(text).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words("draft-one_output | upper"), ["draft-one_output"]);
        assert_eq!(words("steps.draft-one-two.output"), ["draft-one-two"]);
        assert!(words("a - b + c -d").is_empty());
    }

    #[test]
    fn keys_without_quotes_are_reported() {
        let text = "{ kind: { a: 1, 'b': 2, (c): 3, d.e: 4 }, f: [1][0:1] }";
        let read = Expression::parse(text).unwrap();
        let pieces = |bare: &BareKey| [bare.key.of(text).to_owned(), bare.value.of(text).to_owned()];
        assert_eq!(
            read.bare_keys().iter().map(pieces).collect::<Vec<_>>(),
            [["a", "1"], ["kind", "{ a: 1, 'b': 2, (c): 3, d.e: 4 }"], ["f", "[1][0:1]"]]
        );
    }
}
