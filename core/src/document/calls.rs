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

    /// How far a tool leads, its own call included; nothing where it is no workflow.
    pub(crate) fn depth(&self, tool: &'d str) -> Option<Depth> {
        self.known.get(&Caller::Tool(tool)).copied().flatten().filter(|depth| depth.calls > 0)
    }

    /// How deep the steps of the document are nested, with those of the tools that are called.
    pub(crate) fn levels(&self) -> usize {
        self.known.get(&Caller::Document).copied().flatten().unwrap_or_default().levels
    }

    /// The tools with what they run, those first that may call others.
    #[cfg(feature = "engine")]
    pub(crate) fn callers_first(&self) -> Vec<(&'d str, &'d super::Inner)> {
        let tools = self.document.tools.iter();
        let mut tools: Vec<_> =
            tools.filter_map(|(name, tool)| Some((name.as_str(), tool.workflow()?))).collect();
        tools.sort_by_key(|(name, _)| std::cmp::Reverse(self.depth(name).unwrap_or_default().calls));
        tools
    }

    /// Follows all ways from here, without recursion: a document says how long they are.
    fn look_at(&mut self, first: Caller<'d>) {
        let mut path = Vec::new();
        let mut next = Some(first);
        loop {
            match next.take() {
                Some(caller) => match self.known.get(&caller) {
                    Some(Some(depth)) => tell(path.last_mut(), *depth),
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
                    } else if let Some(Look { caller, mut depth, .. }) = path.pop() {
                        depth.calls += usize::from(matches!(caller, Caller::Tool(_)));
                        self.known.insert(caller, Some(depth));
                        tell(path.last_mut(), depth);
                    }
                }
            }
        }
    }

    fn looked_into(&self, caller: Caller<'d>) -> Look<'d> {
        let (open, levels) = match caller {
            Caller::Document => asked(&self.document.steps),
            Caller::Tool(name) => match self.document.tools.get(name).and_then(|tool| tool.workflow()) {
                Some(inner) => asked(&inner.steps),
                None => (Vec::new(), 0),
            },
            Caller::Agent(name) => {
                let tools = self.document.agents.get(name).into_iter().flat_map(|agent| &agent.tools);
                let is_workflow = |name: &&String| {
                    self.document.tools.get(*name).is_some_and(|tool| tool.workflow().is_some())
                };
                (tools.filter(is_workflow).map(|name| (0, Caller::Tool(name.as_str()))).collect(), 0)
            }
        };
        Look { caller, open: open.into_iter(), above: 0, depth: Depth { calls: 0, levels } }
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

/// Tells whoever may call something how far that leads.
fn tell(caller: Option<&mut Look<'_>>, depth: Depth) {
    if let Some(Look { above, depth: known, .. }) = caller.filter(|_| depth.calls > 0) {
        known.calls = known.calls.max(depth.calls);
        known.levels = known.levels.max(*above + depth.levels);
    }
}

/// The agents that steps ask, each with the levels above what it calls, and how deep the steps are nested.
fn asked(steps: &[Step]) -> (Vec<(usize, Caller<'_>)>, usize) {
    let mut asks: IndexMap<Caller<'_>, usize> = IndexMap::new();
    let mut deepest = 0;
    let mut open: Vec<(usize, &Step)> = steps.iter().map(|step| (1, step)).collect();
    while let Some((level, step)) = open.pop() {
        deepest = deepest.max(level);
        if let StepKind::Agent(call) = &step.kind {
            let known = asks.entry(Caller::Agent(&call.agent)).or_default();
            *known = (level + LEVELS_OF_A_CALL).max(*known);
        }
        open.extend(step.blocks().into_iter().flat_map(|(_, steps)| steps).map(|step| (level + 1, step)));
    }
    (asks.into_iter().map(|(agent, above)| (above, agent)).collect(), deepest)
}
