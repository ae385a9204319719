//! Names and all their uses: what reads or calls something, and the document in which it is called otherwise.
//!
//! Uses in texts are found by the language's own tree, in the scopes in which a run evaluates them: a name that a loop,
//! a template or an inner workflow gives a value of its own is another one, and stays.

use indexmap::IndexMap;

use self::scope::{Givers, givers, placed};
use self::walk::{Names, follow};
use crate::document::{Document, Step, StepKind, ToolChoice};
use crate::edit::step_mut;
use crate::{json, state};

pub use self::scope::{Place, gives_output, place_of, root_of_key};

mod code;
mod requests;
mod scope;
mod walk;

/// Something of a document that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// The step of this id.
    Step(String),
    /// A key of a state, or of an answer.
    Key {
        /// Whose state or answer.
        place: Place,
        /// The key.
        key: String,
    },
    /// An agent, by its id.
    Agent(String),
    /// A tool, by its name.
    Tool(String),
    /// A model, by its id.
    Model(String),
}

impl Named {
    /// What it is called; of a step, its id.
    pub fn called(&self) -> &str {
        match self {
            Self::Step(name)
            | Self::Key { key: name, .. }
            | Self::Agent(name)
            | Self::Tool(name)
            | Self::Model(name) => name,
        }
    }
}

/// Where a name is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The path, as the validator writes it.
    pub path: String,
    /// The step that uses it; nothing where that is an agent or a tool.
    pub step: Option<String>,
    /// Whether a rename changes it. What JavaScript reads is known to its author alone.
    pub follows: bool,
}

/// Who uses any of these, besides what gives them.
///
/// ```
/// use stepweave_core::document::Document;
/// use stepweave_core::rename::{uses, Named};
///
/// let document: Document = serde_json::from_str(r#"{ "version": 1, "name": "t", "steps": [
///   { "id": "s1", "type": "agent", "name": "draft", "agent": "a" },
///   { "id": "s2", "type": "function", "name": "keep", "run": { "set": { "text": "draft_output" } } }
/// ] }"#)?;
/// let found = uses(&document, &[Named::Step("s1".into())]);
/// assert_eq!(found[0].path, "steps[1].run.set.text");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn uses(document: &Document, names: &[Named]) -> Vec<Use> {
    // Nothing in it is called otherwise, so one copy is enough.
    let mut copy = document.clone();
    let of_one = |named: &Named| match named {
        Named::Agent(_) | Named::Tool(_) | Named::Model(_) => call_otherwise(&mut copy, named, None),
        Named::Step(_) | Named::Key { .. } => match Names::of(document, named, None) {
            Some(names) => follow(&mut copy, &names),
            None => Vec::new(),
        },
    };
    names.iter().flat_map(of_one).collect()
}

/// The document in which it is called otherwise wherever it is used; nothing when there is no such thing.
///
/// A step shares its name with others, or a key is given by a step: then nothing else follows, since what reads that
/// name may mean the others.
///
/// ```
/// use stepweave_core::document::Document;
/// use stepweave_core::rename::{rename, Named};
///
/// let document: Document = serde_json::from_str(r#"{ "version": 1, "name": "t", "steps": [
///   { "id": "s1", "type": "agent", "name": "draft", "agent": "a" },
///   { "id": "s2", "type": "agent", "name": "check", "agent": "a", "inputFrom": "Check: {{ draft_output }}" }
/// ] }"#)?;
/// let renamed = rename(&document, &Named::Step("s1".into()), "first draft").unwrap();
/// let text = serde_json::to_string(&renamed.steps[1])?;
/// assert!(text.contains(r#"{{ state[\"first draft_output\"] }}"#), "{text}");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn rename(document: &Document, named: &Named, to: &str) -> Option<Document> {
    let mut renamed = document.clone();
    match named {
        Named::Agent(id) => {
            move_entry(&mut renamed.agents, id, to)?;
            call_otherwise(&mut renamed, named, Some(to));
        }
        Named::Tool(name) => {
            move_entry(&mut renamed.tools, name, to)?;
            call_otherwise(&mut renamed, named, Some(to));
        }
        Named::Model(id) => {
            move_entry(&mut renamed.models, id, to)?;
            call_otherwise(&mut renamed, named, Some(to));
        }
        Named::Step(id) => {
            if let Some(names) = Names::of(document, named, Some(to)) {
                follow(&mut renamed, &names);
            }
            to.clone_into(&mut step_mut(&mut renamed, id)?.name);
        }
        Named::Key { .. } => {
            follow(&mut renamed, &Names::of(document, named, Some(to))?);
        }
    }
    Some(renamed)
}

/// Gives steps other names by their present ones, with all that uses them; steps of one name stay together.
///
/// ```
/// use indexmap::IndexMap;
/// use stepweave_core::document::Document;
/// use stepweave_core::rename::rename_steps;
///
/// let mut document: Document = serde_json::from_str(r#"{ "version": 1, "name": "t", "steps": [
///   { "id": "s1", "type": "agent", "name": "draft", "agent": "a" },
///   { "id": "s2", "type": "agent", "name": "check", "agent": "a", "inputFrom": "Check: {{ draft_output }}" }
/// ] }"#)?;
/// rename_steps(&mut document, &IndexMap::from([("draft".to_owned(), "draft_2".to_owned())]));
/// assert_eq!(document.steps[0].name, "draft_2");
/// assert!(serde_json::to_string(&document.steps[1])?.contains("{{ draft_2_output }}"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn rename_steps(document: &mut Document, names: &IndexMap<String, String>) {
    let before = document.clone();
    let text = json::text(&before);
    let mut done: Vec<(&String, Place)> = Vec::new();
    for (place, step) in placed(&before) {
        let Some(to) = names.get(&step.name).filter(|to| **to != step.name) else { continue };
        // A name that stands once is that of the step: many steps are not looked for one by one.
        let is_escaped = json::text(&step.name).len() > step.name.len() + 2;
        let may_be_used = is_escaped || text.matches(step.name.as_str()).nth(1).is_some();
        if may_be_used && !done.iter().any(|(name, own)| **name == step.name && *own == place) {
            follow(document, &Names::of_step(&before, step, &place, Some(to)));
            done.push((&step.name, place));
        }
        if let Some(step) = step_mut(document, &step.id) {
            to.clone_into(&mut step.name);
        }
    }
}

/// Whether something else has this name already, so that what reads it may mean either.
pub fn is_taken(document: &Document, named: &Named, to: &str) -> bool {
    match named {
        Named::Step(id) => {
            let (Some(step), Some(place)) = (document.step(id), place_of(document, id)) else { return false };
            gives_output(step) && to != step.name && is_given(document, &place, &state::output_key(to))
        }
        Named::Key { place, key } => to != key && is_given(document, place, to),
        Named::Agent(id) => to != id && document.agents.contains_key(to),
        Named::Tool(name) => to != name && document.tools.contains_key(to),
        Named::Model(id) => to != id && document.models.contains_key(to),
    }
}

/// What gives the key and is called otherwise with it: steps by their ids, and nothing for the workflow or the tool. There
/// is no such list where a step's output has this name.
pub fn givers_of(document: &Document, place: &Place, key: &str) -> Option<Vec<Option<String>>> {
    let Givers { steps, others } = givers(document, place, key);
    steps.is_empty().then_some(others)
}

/// Whether anything gives the key.
pub fn is_given(document: &Document, place: &Place, key: &str) -> bool {
    givers(document, place, key).count() > 0
}

/// Whether one thing alone gives the key, so that whoever calls that otherwise means all its uses.
pub fn is_given_once(document: &Document, place: &Place, key: &str) -> bool {
    givers(document, place, key).count() == 1
}

/// Agents, tools and models are named by plain texts.
fn call_otherwise(document: &mut Document, named: &Named, to: Option<&str>) -> Vec<Use> {
    let mut found = Vec::new();
    let mut take = |name: &mut String, old: &str, path: String, step: Option<&str>| {
        if name == old {
            found.push(Use { path, step: step.map(str::to_owned), follows: true });
            if let Some(to) = to {
                to.clone_into(name);
            }
        }
    };
    match named {
        Named::Agent(old) => {
            let mut open: Vec<_> = blocks_mut(document);
            while let Some((block, steps)) = open.pop() {
                for (index, step) in steps.iter_mut().enumerate() {
                    let path = format!("{block}[{index}]");
                    if let StepKind::Agent(call) = &mut step.kind {
                        let paths = [format!("{path}.agent"), format!("{path}.history.summary")];
                        for (name, path) in call.agents_mut().zip(paths) {
                            take(name, old, path, Some(&step.id));
                        }
                    }
                    open.extend(inner_mut(step, &path));
                }
            }
            found.reverse();
        }
        Named::Tool(old) => {
            for (id, agent) in &mut document.agents {
                for (index, name) in agent.tools.iter_mut().enumerate() {
                    take(name, old, format!("agents.{id}.tools[{index}]"), None);
                }
                if let Some(ToolChoice::Named(name)) = &mut agent.tool_choice {
                    take(name, old, format!("agents.{id}.toolChoice"), None);
                }
            }
        }
        Named::Model(old) => {
            for (id, agent) in &mut document.agents {
                take(&mut agent.model, old, format!("agents.{id}.model"), None);
                for (index, name) in agent.fallbacks.iter_mut().enumerate() {
                    take(name, old, format!("agents.{id}.fallbacks[{index}]"), None);
                }
            }
        }
        Named::Step(_) | Named::Key { .. } => {}
    }
    found
}

/// Puts an entry under another name at its position; nothing when there is none, or the name is taken.
fn move_entry<T>(table: &mut IndexMap<String, T>, from: &str, to: &str) -> Option<()> {
    let at = table.get_index_of(from)?;
    if from != to {
        if table.contains_key(to) {
            return None;
        }
        let entry = table.shift_remove(from)?;
        table.shift_insert(at, to.to_owned(), entry);
    }
    Some(())
}

type BlockMut<'d> = (String, &'d mut Vec<Step>);

fn blocks_mut(document: &mut Document) -> Vec<BlockMut<'_>> {
    let mut blocks = vec![("steps".to_owned(), &mut document.steps)];
    for (name, tool) in &mut document.tools {
        if let Some(inner) = tool.workflow_mut() {
            blocks.push((format!("tools.{name}.run.workflow.steps"), &mut inner.steps));
        }
    }
    blocks
}

fn inner_mut<'s>(step: &'s mut Step, path: &str) -> impl Iterator<Item = BlockMut<'s>> + use<'s> {
    let keys: Vec<String> = step.blocks().iter().map(|(key, _)| format!("{path}.{key}")).collect();
    keys.into_iter().zip(step.blocks_mut())
}
