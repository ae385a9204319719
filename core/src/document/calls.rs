//! Which tools that are workflows lead to which: the agents in their steps may call others.

use std::vec::IntoIter;

use indexmap::IndexMap;

use super::{Document, Step, StepKind};

/// How many calls of tools that are workflows may be inside each other.
pub(crate) const MAX_TOOL_DEPTH: usize = 8;

/// Levels of steps for which a call of a tool counts: what it takes of the stack is bounded with them.
const LEVELS_OF_A_CALL: usize = 8;

/// The tools of a document that are workflows, and where they lead.
pub(crate) struct Calls<'d> {
    document: &'d Document,
    /// What is known of tools and agents; nothing of those that are being looked at.
    known: IndexMap<Caller<'d>, Option<Depth>>,
    /// Tools of which each may call the next one, and the last one the first.
    pub(crate) circle: Option<Vec<&'d str>>,
}

/// How far something leads.
#[derive(Clone, Copy, Default)]
pub(crate) struct Depth {
    /// Calls inside each other.
    pub(crate) calls: usize,
    /// Levels of steps inside each other, with those of the tools that are called.
    pub(crate) levels: usize,
    /// Whether a person is asked on the way.
    pub(crate) asks: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Caller<'d> {
    Document,
    Tool(&'d str),
    Agent(&'d str),
}

/// Something that is being looked at.
struct Look<'d> {
    caller: Caller<'d>,
    /// What it may call, each with how many levels below it.
    open: IntoIter<(usize, Caller<'d>)>,
    /// The levels above the one that is looked at now.
    above: usize,
    /// How many calls it is itself.
    own: usize,
    depth: Depth,
}

impl<'d> Calls<'d> {
    pub(crate) fn of(document: &'d Document) -> Self {
        let mut calls = Self { document, known: IndexMap::new(), circle: None };
        let tools = document.tools.keys().map(|name| Caller::Tool(name));
        for caller in tools.chain([Caller::Document]) {
            calls.look_at(caller);
        }
        calls
    }

    /// How far a tool leads, its own call included.
    pub(crate) fn depth(&self, tool: &'d str) -> Option<Depth> {
        self.known.get(&Caller::Tool(tool)).copied().flatten()
    }

    /// How deep the steps of the document are nested, with those of the tools that are called.
    pub(crate) fn levels(&self) -> usize {
        self.known.get(&Caller::Document).copied().flatten().unwrap_or_default().levels
    }

    /// The tools with what they run, those first that may call others.
    #[cfg(feature = "engine")]
    pub(crate) fn callers_first(&self) -> Vec<(&'d str, &'d super::Inner)> {
        let mut found = Vec::new();
        for calls in (1..=MAX_TOOL_DEPTH).rev() {
            for (name, tool) in &self.document.tools {
                if let Some(inner) = tool.workflow()
                    && self.depth(name).is_some_and(|depth| depth.calls == calls)
                {
                    found.push((name.as_str(), inner));
                }
            }
        }
        found
    }

    /// Follows all ways from here, without recursion: a document says how long they are.
    fn look_at(&mut self, first: Caller<'d>) {
        let mut path = Vec::new();
        let mut next = Some(first);
        loop {
            match next.take() {
                Some(caller) => match self.known.get(&caller) {
                    Some(Some(depth)) => raise(path.last_mut(), *depth),
                    Some(None) => self.note_circle(&path, caller),
                    None => {
                        self.known.insert(caller, None);
                        path.push(self.looked_into(caller));
                    }
                },
                None => {
                    let Some(look) = path.last_mut() else { return };
                    if let Some((above, called)) = look.open.next() {
                        look.above = above;
                        next = Some(called);
                    } else if let Some(Look { caller, depth, .. }) = path.pop() {
                        self.known.insert(caller, Some(depth));
                        raise(path.last_mut(), depth);
                    }
                }
            }
        }
    }

    fn looked_into(&self, caller: Caller<'d>) -> Look<'d> {
        let mut depth = Depth::default();
        let open = match caller {
            Caller::Document => callees(&self.document.steps, &mut depth),
            Caller::Tool(name) => match self.document.tools.get(name) {
                None => Vec::new(),
                Some(tool) => {
                    depth.asks = tool.needs_approval();
                    match tool.workflow() {
                        None => Vec::new(),
                        Some(inner) => {
                            depth.calls = 1;
                            callees(&inner.steps, &mut depth)
                        }
                    }
                }
            },
            Caller::Agent(name) => {
                let tools = self.document.agents.get(name).into_iter().flat_map(|agent| &agent.tools);
                tools.map(|name| (0, Caller::Tool(name.as_str()))).collect()
            }
        };
        let own = depth.calls;
        Look { caller, open: open.into_iter(), above: 0, own, depth }
    }

    fn note_circle(&mut self, path: &[Look<'d>], caller: Caller<'d>) {
        let around = path.iter().skip_while(|look| look.caller != caller);
        let tools = around.filter_map(|look| match look.caller {
            Caller::Tool(name) => Some(name),
            _ => None,
        });
        self.circle.get_or_insert_with(|| tools.collect());
    }
}

/// Raises what is known of whoever may call something by how far that leads.
fn raise(caller: Option<&mut Look<'_>>, depth: Depth) {
    if let Some(Look { above, own, depth: known, .. }) = caller {
        known.asks |= depth.asks;
        if depth.calls > 0 {
            known.calls = known.calls.max(*own + depth.calls);
            known.levels = known.levels.max(*above + depth.levels);
        }
    }
}

/// The agents that steps call, each with the levels above what it calls; notes how deep the steps are nested, and whether
/// one of them is an approval.
fn callees<'d>(steps: &'d [Step], depth: &mut Depth) -> Vec<(usize, Caller<'d>)> {
    let mut asks: IndexMap<Caller<'_>, usize> = IndexMap::new();
    let mut open: Vec<(usize, &Step)> = steps.iter().map(|step| (1, step)).collect();
    while let Some((level, step)) = open.pop() {
        depth.levels = depth.levels.max(level);
        depth.asks |= matches!(step.kind, StepKind::Approval(_));
        if let StepKind::Agent(call) = &step.kind {
            let known = asks.entry(Caller::Agent(&call.agent)).or_default();
            *known = (level + LEVELS_OF_A_CALL).max(*known);
        }
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps).map(|step| (level + 1, step)));
    }
    asks.into_iter().map(|(agent, above)| (above, agent)).collect()
}
