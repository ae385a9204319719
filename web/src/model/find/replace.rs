//! What a replacement makes of a workflow: what uses a step, a key or an agent follows its name.

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;
use stepweave_core::document::{Document, every};
use stepweave_core::edit::Edit;
use stepweave_core::json;
use stepweave_core::rename::{Named, is_taken, rename, rename_steps, root_of_key};

use super::{Key, Match, Means, Replaced, Text, Wanted, matches, texts};

/// Writes another text where this match is, as one change. What uses a step, a key or an agent follows its name.
///
/// # Errors
/// When what comes out is no workflow, in words for the person.
pub fn replace_one(document: &Document, texts: &[Text], found: Match, by: &str) -> Result<Replaced, String> {
    let whole = match texts.get(found.text) {
        Some(text @ Text { means: Means::Named(named), .. }) => {
            call_otherwise(document, named, &text.with(&[found], by))?
        }
        Some(text @ Text { means: Means::Step, .. }) => {
            let mut whole = document.clone();
            call(&mut whole, &IndexMap::from([(text.text.clone(), text.with(&[found], by))]))?;
            whole
        }
        _ => written(document, texts, &[found], by)?,
    };
    Ok(Replaced::between(document, whole, 1))
}

/// Writes another text wherever the first one stands, as one change. What uses a step, a key or an agent follows its name.
///
/// # Errors
/// When what comes out is no workflow, in words for the person.
pub fn replace_all(document: &Document, wanted: &Wanted, by: &str) -> Result<Replaced, String> {
    let before = texts(document);
    let replaced: IndexSet<usize> = matches(&before, wanted).iter().map(|found| found.text).collect();
    // Meanwhile steps and keys have names in which nothing is found, and which stand nowhere else: what reads them is no
    // text to write into.
    let taken = json::text(document);
    let letter = ('a'..='z').find(|letter| !wanted.text.to_lowercase().contains(*letter)).unwrap_or('_');
    let mut free = (1..)
        .map(|length| letter.to_string().repeat(length))
        .filter(|name| !taken.contains(name) && !by.contains(name));
    let mut whole = document.clone();
    let (mut hidden, mut steps) = (IndexMap::new(), IndexMap::new());
    for (text, name) in renamed(&whole, wanted, by) {
        if text.means == Means::Step && !hidden.contains_key(&text.text) {
            let meanwhile = free.next().unwrap_or_default();
            steps.insert(meanwhile.clone(), name);
            hidden.insert(text.text, meanwhile);
        }
    }
    rename_steps(&mut whole, &hidden);
    let mut others: Vec<(Named, String, String)> = Vec::new();
    for (text, name) in renamed(&whole, wanted, by) {
        let Text { means: Means::Named(named), .. } = text else { continue };
        let named = rooted(&whole, named);
        if !others.iter().any(|(own, ..)| *own == named) {
            let meanwhile = free.next().unwrap_or_default();
            whole = call_otherwise(&whole, &named, &meanwhile)?;
            others.push((named, meanwhile, name));
        }
    }
    let texts = texts(&whole);
    whole = written(&whole, &texts, &matches(&texts, wanted), by)?;
    call(&mut whole, &steps)?;
    for (named, meanwhile, name) in &others {
        whole = call_otherwise(&whole, &with_name(named, meanwhile), name)?;
    }
    let left = json::text(&whole);
    let others = others.into_iter().map(|(named, meanwhile, _)| (named.called().to_owned(), meanwhile));
    let names = hidden.into_iter().chain(others);
    for (old, meanwhile) in names {
        if left.contains(&meanwhile) {
            return Err(format!("Nothing was replaced, for what reads “{old}” could not be read any more."));
        }
    }
    Ok(Replaced::between(document, whole, replaced.len()))
}

/// The names of steps, keys and agents in which something is replaced, with what they become.
fn renamed(document: &Document, wanted: &Wanted, by: &str) -> Vec<(Text, String)> {
    let texts = texts(document);
    let found = matches(&texts, wanted);
    let names = texts.into_iter().enumerate().filter(|(_, text)| text.means != Means::Itself);
    let renamed = names.map(|(index, text)| {
        let own: Vec<Match> = found.iter().copied().filter(|found| found.text == index).collect();
        let name = text.with(&own, by);
        (text, name)
    });
    renamed.filter(|(text, name)| text.text != *name).collect()
}

/// Gives steps other names by their present ones, with what reads them.
fn call(document: &mut Document, names: &IndexMap<String, String>) -> Result<(), String> {
    let mut taken = names_of(document);
    taken.retain(|name| !names.contains_key(name));
    for name in names.values() {
        if name.trim().is_empty() {
            return Err("Nothing was replaced, for a step would have no name.".to_owned());
        }
        if !taken.insert(name.clone()) {
            return Err(format!("Nothing was replaced, for two steps would be called “{name}”."));
        }
    }
    rename_steps(document, names);
    Ok(())
}

/// The document in which something is called otherwise, with what uses it.
fn call_otherwise(document: &Document, named: &Named, to: &str) -> Result<Document, String> {
    let (one, two) = match named {
        Named::Agent(_) => ("an agent", "two agents"),
        Named::Tool(_) => ("a tool", "two tools"),
        _ => ("a key", "two keys"),
    };
    if to.trim().is_empty() {
        return Err(format!("Nothing was replaced, for {one} would have no name."));
    }
    if is_taken(document, named, to) {
        return Err(format!("Nothing was replaced, for {two} would be called “{to}”."));
    }
    rename(document, named, to).ok_or_else(|| {
        format!(
            "Nothing was replaced, for “{}” has its name from a step or from the language.",
            named.called()
        )
    })
}

/// A key by the outermost state that has it, so that it is renamed once.
fn rooted(document: &Document, named: Named) -> Named {
    match named {
        Named::Key { place, key } => Named::Key { place: root_of_key(document, &place, &key), key },
        other => other,
    }
}

/// The same thing under another name.
fn with_name(named: &Named, name: &str) -> Named {
    let name = name.to_owned();
    match named {
        Named::Key { place, .. } => Named::Key { place: place.clone(), key: name },
        Named::Tool(_) => Named::Tool(name),
        _ => Named::Agent(name),
    }
}

/// In how many places two forms of one document differ: a replacement keeps their order.
fn differences(before: &Value, after: &Value) -> usize {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let pairs = before.iter().zip(after);
            pairs.map(|((key, own), (to, other))| usize::from(key != to) + differences(own, other)).sum()
        }
        (Value::Array(before), Value::Array(after)) => {
            before.iter().zip(after).map(|(own, other)| differences(own, other)).sum()
        }
        _ => usize::from(before != after),
    }
}

fn names_of(document: &Document) -> IndexSet<String> {
    every(&document.steps).map(|step| step.name.clone()).collect()
}

/// The document with another text where these matches are.
fn written(document: &Document, texts: &[Text], matches: &[Match], by: &str) -> Result<Document, String> {
    let mut value = serde_json::to_value(document).map_err(|error| error.to_string())?;
    for found in matches.iter().rev() {
        // A key that stays as it is may be that of a map: at its path is what the map has there.
        let text = texts.get(found.text).filter(|text| !matches!(text.means, Means::Named(_)));
        let slot = text.and_then(|text| at(&mut value, &text.path));
        if let Some(Value::String(text)) = slot {
            put(text, found, by);
        }
    }
    serde_json::from_value(value).map_err(|error| {
        format!("Nothing was replaced, for the workflow would not be one any more: {error}.")
    })
}

/// Writes a text where a match is. Matches of one text are written from the last on, so that what stands before stays
/// where it is.
fn put(text: &mut String, found: &Match, by: &str) {
    if text.get(found.start..found.end).is_some() {
        text.replace_range(found.start..found.end, by);
    }
}

fn at<'a>(value: &'a mut Value, path: &[Key]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, key| match key {
        Key::Name(name) => value.get_mut(name),
        Key::Index(index) => value.get_mut(index),
    })
}

impl Replaced {
    /// The change to another document, in which so many texts were replaced.
    fn between(document: &Document, whole: Document, texts: usize) -> Self {
        // Documents are plain data with text keys, which always have a JSON form.
        let form = |document: &Document| serde_json::to_value(document).unwrap_or_default();
        let followed = differences(&form(document), &form(&whole)).saturating_sub(texts);
        Self { edit: Edit::Whole(Box::new(whole)), followed }
    }
}

impl Text {
    /// What it is once these matches in it are replaced.
    fn with(&self, matches: &[Match], by: &str) -> String {
        let mut text = self.text.clone();
        matches.iter().rev().for_each(|found| put(&mut text, found, by));
        text
    }
}
