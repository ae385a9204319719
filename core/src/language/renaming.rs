//! A template or an expression in which names are called otherwise.

use super::names::{Access, LEVEL, Need, Read};
use super::tree::{Expression, Span, Template};
use crate::json;
use crate::letters;

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Expression,
    Template,
}

/// A name, and its new one; without a new one its uses are looked for.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub old: String,
    pub new: Option<String>,
}

/// What of a text is called otherwise.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Changes<'c> {
    pub keys: &'c [Change],
    pub output: Option<&'c Change>,
    pub held: Option<&'c Held>,
}

/// Values that have the keys as theirs: what steps give that change them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held {
    pub keys: Vec<Change>,
    /// Steps by their names: `steps.name.output.key`.
    pub by_steps: Vec<String>,
    /// The keys of whole states: `name_output.key`.
    pub by_keys: Vec<String>,
}

/// What was found in a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    /// It uses one of the names, and is this with the new one.
    Used(String),
    /// It uses one of the names, and with the new one it would say something else.
    Stuck,
}

impl Changes<'_> {
    /// Looks at a text. Whatever comes out reads the same as before, with the new names.
    pub(crate) fn of(&self, text: &str, form: Form) -> Found {
        let all = self.keys.iter().chain(self.output).chain(self.held.iter().flat_map(|held| &held.keys));
        // In quotes a name may be written with escapes.
        if !{ all }.any(|change| text.contains(&*change.old) || text.contains('\\')) {
            return Found::Nothing;
        }
        let Some((places, meant)) = read(text, form, |reads| {
            let places: Vec<_> = reads.iter().flat_map(|read| self.places(read)).collect();
            (places, reads.iter().map(|read| self.meant(read)).collect::<Vec<_>>())
        }) else {
            return Found::Nothing;
        };
        if places.is_empty() {
            return Found::Nothing;
        }
        let unchanged = Changes::default();
        let says_it = |written: &String| {
            let now = read(written, form, |reads| reads.iter().map(|read| unchanged.meant(read)).collect());
            now.as_ref() == Some(&meant)
        };
        let ways = [Spelling::Short, Spelling::Long].into_iter();
        match { ways }.map(|spelling| written(text, &places, spelling)).find(says_it) {
            Some(written) => Found::Used(written),
            None => Found::Stuck,
        }
    }

    /// Where names of a read stand that change, with what they change to.
    fn places(&self, read: &Read<'_>) -> impl Iterator<Item = Place> + use<> {
        let own = self.new_of(read).map(|change| Place::of(read.span, change));
        let member = read.member.and_then(|(_, span)| Some(Place::of(span, self.new_of_member(read)?)));
        own.into_iter().chain(member)
    }

    fn new_of(&self, read: &Read<'_>) -> Option<&Change> {
        match read.access {
            Access::Key(key) => self.keys.iter().find(|change| change.old == key),
            Access::Output(name) => self.output.filter(|change| change.old == name),
            Access::AnyKey | Access::AnyOutput => None,
        }
    }

    fn new_of_member(&self, read: &Read<'_>) -> Option<&Change> {
        let (held, (member, _)) = (self.held?, read.member?);
        let (by, name) = match read.access {
            Access::Key(key) => (&held.by_keys, key),
            Access::Output(name) => (&held.by_steps, name),
            Access::AnyKey | Access::AnyOutput => return None,
        };
        let is_held = by.iter().any(|own| own == name);
        held.keys.iter().find(|change| is_held && change.old == member)
    }

    /// What a read says once names are changed, with what holds where there is no value.
    fn meant(&self, read: &Read<'_>) -> Meant {
        let called = |old: &str, change: Option<&Change>| {
            change.and_then(|change| change.new.as_deref()).unwrap_or(old).to_owned()
        };
        let (kind, name) = match read.access {
            Access::Key(key) => ("key", called(key, self.new_of(read))),
            Access::Output(name) => ("output", called(name, self.new_of(read))),
            Access::AnyKey => ("any key", String::new()),
            Access::AnyOutput => ("any output", String::new()),
        };
        let member = read.member.map(|(member, _)| called(member, self.new_of_member(read)));
        Meant { kind, name, member, is_safe: (read.has_fallback, read.is_conditional) }
    }
}

/// What one read means.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Meant {
    kind: &'static str,
    name: String,
    member: Option<String>,
    is_safe: (bool, bool),
}

/// A name in a text, and what stands there then.
#[derive(Debug, Clone)]
struct Place {
    span: Span,
    name: String,
}

impl Place {
    fn of(span: Span, change: &Change) -> Self {
        Self { span, name: change.new.clone().unwrap_or_else(|| change.old.clone()) }
    }
}

/// The text in which each of these values has the fallback that it needs. Nothing where that would say something else.
pub(crate) fn with_fallbacks(text: &str, form: Form, values: &[(&Read<'_>, Need)]) -> Option<String> {
    let mut added = vec![Added::Nothing; text.len() + 1];
    for (value, need) in values {
        let path = value.path;
        for end in path.levels() {
            *added.get_mut(end as usize)? = Added::Level;
        }
        if let levels @ 1.. = path.levels().count() {
            *added.get_mut(path.span.start as usize)? = Added::Brackets(levels as u8);
        }
        if !value.is_caught {
            *added.get_mut(value.chain.end as usize)? = Added::Fallback(*need);
        }
    }
    let mut written = String::new();
    let mut done = 0;
    for (at, added) in added.iter().enumerate() {
        let (before, added) = match added {
            Added::Nothing => continue,
            Added::Brackets(levels) => ("", &*"(".repeat(usize::from(*levels))),
            Added::Level => ("", LEVEL),
            Added::Fallback(need) => (" | ", need.fallback()),
        };
        [text.get(done..at)?, before, added].into_iter().for_each(|part| written.push_str(part));
        done = at;
    }
    written.push_str(text.get(done..)?);
    let without = |reads: &[Read<'_>]| reads.iter().filter(|read| !read.has_fallback).count();
    let left = read(text, form, without)?.checked_sub(values.len())?;
    (read(&written, form, without)? == left).then_some(written)
}

/// What is written at a place of a text so that values may be absent.
#[derive(Clone, Copy)]
enum Added {
    Nothing,
    Brackets(u8),
    Level,
    Fallback(Need),
}

fn read<T>(text: &str, form: Form, take: impl FnOnce(&[Read<'_>]) -> T) -> Option<T> {
    match form {
        Form::Expression => Expression::parse(text).ok().map(|read| take(&read.reads())),
        Form::Template => Template::parse(text).ok().map(|read| take(&read.reads())),
    }
}

/// How a name of the state is written that stands alone.
#[derive(Clone, Copy, PartialEq)]
enum Spelling {
    /// `name`, where that is one.
    Short,
    /// `state["name"]`, which no variable of the text hides.
    Long,
}

fn written(text: &str, places: &[Place], spelling: Spelling) -> String {
    let mut places: Vec<_> = places.iter().collect();
    places.sort_by_key(|place| place.span.start);
    let mut written = String::with_capacity(text.len());
    let mut done = 0;
    for Place { span, name } in places {
        let (start, end) = (span.start as usize, span.end as usize);
        let before = text.get(..start).unwrap_or_default();
        let is_literal = span.of(text).starts_with(['"', '\'']);
        let behind_point = before.trim_end().strip_suffix('.').filter(|_| !is_literal);
        let (start, new) = match behind_point {
            _ if is_literal => (start, quoted(name)),
            Some(_) if is_word(name) => (start, name.clone()),
            Some(before) => (before.len(), format!("[{}]", quoted(name))),
            None if is_word(name) && spelling == Spelling::Short => (start, name.clone()),
            None => (start, format!("state[{}]", quoted(name))),
        };
        written.push_str(text.get(done..start).unwrap_or_default());
        written.push_str(&new);
        done = end;
    }
    written.push_str(text.get(done..).unwrap_or_default());
    written
}

/// Whether the language reads it as one name.
fn is_word(name: &str) -> bool {
    name.chars().next().is_some_and(letters::begins) && name.chars().all(letters::goes_on)
}

fn quoted(name: &str) -> String {
    json::text(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(old: &str, new: &str) -> Change {
        Change { old: old.into(), new: Some(new.into()) }
    }

    fn template(text: &str, new: &str) -> String {
        let (keys, output) = ([change("x_output", &format!("{new}_output"))], change("x", new));
        match (Changes { keys: &keys, output: Some(&output), held: None }).of(text, Form::Template) {
            Found::Used(text) => text,
            Found::Nothing => "nothing".into(),
            Found::Stuck => "stuck".into(),
        }
    }

    #[test]
    fn every_way_to_read_a_name_follows() {
        let text = "{{ x_output }} {{ state.x_output.a }} {{ state['x_output'] | upper }} {{ steps.x.output }} {{ steps[\"x\"] }} x_output";
        assert_eq!(
            template(text, "y"),
            "{{ y_output }} {{ state.y_output.a }} {{ state[\"y_output\"] | upper }} {{ steps.y.output }} {{ steps[\"y\"] }} x_output"
        );
        assert_eq!(
            template(text, "a b"),
            "{{ state[\"a b_output\"] }} {{ state[\"a b_output\"].a }} {{ state[\"a b_output\"] | upper }} {{ steps[\"a b\"].output }} {{ steps[\"a b\"] }} x_output"
        );
        assert_eq!(template("{{ state . x_output }}", "-"), "{{ state [\"-_output\"] }}");
        assert_eq!(
            template("{{ x_output ~ 'x_output' }}", "q\"\\"),
            "{{ state[\"q\\\"\\\\_output\"] ~ 'x_output' }}"
        );
        assert_eq!(template("{{ other.x_output }}", "y"), "nothing");
    }

    #[test]
    fn a_name_that_is_tested_for_follows() {
        assert_eq!(
            template("{{ 'x_output' in state and \"x\" not in steps and 'x_output' in list }}", "y"),
            "{{ \"y_output\" in state and \"y\" not in steps and 'x_output' in list }}"
        );
    }

    #[test]
    fn what_a_text_calls_so_itself_stays() {
        let own = "{% for x_output in list %}{{ x_output }}{% endfor %}";
        assert_eq!(template(own, "y"), "nothing");
        assert_eq!(
            template("{% set x_output = x_output %}{{ x_output }}", "y"),
            "{% set x_output = y_output %}{{ x_output }}"
        );
        // The new name is one of the text's own.
        assert_eq!(
            template("{% for y_output in list %}{{ y_output ~ x_output }}{% endfor %}", "y"),
            "{% for y_output in list %}{{ y_output ~ state[\"y_output\"] }}{% endfor %}"
        );
        assert_eq!(
            template(
                "{% for state in list %}{% for y_output in state %}{{ x_output }}{% endfor %}{% endfor %}",
                "y"
            ),
            "stuck"
        );
    }

    #[test]
    fn what_holds_a_key_has_it_by_its_new_name() {
        let keys = vec![change("k", "n")];
        let held = Held { keys, by_steps: vec!["s".into()], by_keys: vec!["w_output".into()] };
        let changes = Changes { held: Some(&held), ..Changes::default() };
        assert_eq!(
            changes.of("steps.s.output.k ~ w_output['k'].k ~ steps.t.output.k ~ k", Form::Expression),
            Found::Used("steps.s.output.n ~ w_output[\"n\"].k ~ steps.t.output.k ~ k".into())
        );
    }

    #[test]
    fn a_value_gets_a_fallback_where_it_can_have_one() {
        let fixed = |text: &str| {
            let read = Expression::parse(text).unwrap();
            let reads = read.reads();
            let read = reads.iter().find(|read| !read.has_fallback).unwrap();
            with_fallbacks(text, Form::Expression, &[(read, read.need)])
        };
        assert_eq!(fixed("a ~ b").as_deref(), Some("a | default('') ~ b"));
        assert_eq!(fixed("state['a b'] > 3").as_deref(), Some("state['a b'] | default(0) > 3"));
        assert_eq!(fixed("steps.x.output").as_deref(), Some("steps.x.output | default('')"));
        assert_eq!(fixed("1 + a | default(b) * 2").as_deref(), Some("1 + a | default(b) | default(0) * 2"));
        assert_eq!(
            fixed("a | default(b | default(c))").as_deref(),
            Some("a | default(b | default(c)) | default('')")
        );
        assert_eq!(
            fixed("(a if b is defined else c)").as_deref(),
            Some("(a | default('') if b is defined else c)")
        );
        assert_eq!(fixed("a.b").as_deref(), Some("(a | default({})).b | default('')"));
        assert_eq!(fixed("a.b | default('-')").as_deref(), Some("(a | default({})).b | default('-')"));
        assert_eq!(
            fixed("a.b[0]['c'] > 3").as_deref(),
            Some("(((a | default({})).b | default({}))[0] | default({}))['c'] | default(0) > 3")
        );
        assert_eq!(fixed("(a).b is defined").as_deref(), Some("((a | default({}))).b is defined"));
        assert_eq!(
            fixed("a | default(b.c)").as_deref(),
            Some("a | default((b | default({})).c) | default('')")
        );
        let text = "{{ a }}{% if b %}{{ steps.c.output[d] }}{% endif %}{{ a }}";
        let read = Template::parse(text).unwrap();
        let reads = read.reads();
        let all: Vec<_> = reads.iter().map(|read| (read, Need::Anything)).collect();
        assert_eq!(
            with_fallbacks(text, Form::Template, &all).as_deref(),
            Some(
                "{{ a | default('') }}{% if b | default('') %}{{ (steps.c.output | default({}))[d | default('')] | default('') }}{% endif %}{{ a | default('') }}"
            )
        );
    }

    #[test]
    fn words_of_the_language_are_names_in_quotes() {
        let key = [change("a", "not")];
        let changes = Changes { keys: &key, ..Changes::default() };
        assert_eq!(
            changes.of("a + state.b", Form::Expression),
            Found::Used("state[\"not\"] + state.b".into())
        );
        assert_eq!(changes.of("a +", Form::Expression), Found::Nothing);
        let key = [change("a", "state")];
        let changes = Changes { keys: &key, ..Changes::default() };
        assert_eq!(changes.of("a.b", Form::Expression), Found::Used("state[\"state\"].b".into()));
    }
}
