//! How far the state of a run has come, for whoever interrupts it.

use std::cell::RefCell;
use std::iter;
use std::rc::Rc;

use crate::host::Host;
/// How far the state of a run has come.
#[derive(Debug)]
pub struct Reached<V> {
    begun: V,
    pub(super) block: Block<V>,
}

impl<V: Clone> Reached<V> {
    /// A run that begins with this state.
    pub fn new(state: V) -> Self {
        Self { begun: state, block: Block::new() }
    }

    /// The state so far: what the steps that ended have made of it.
    pub fn state<H: Host<Value = V>>(&self, host: &H) -> V {
        self.block.reached(host).unwrap_or_else(|| self.begun.clone())
    }
}

/// How far a block of steps has come. Cloning it gives another handle to the same.
#[derive(Debug)]
pub(super) struct Block<V> {
    /// Those that began together with this one.
    stages: Rc<[RefCell<Stage<V>>]>,
    place: usize,
}

#[derive(Debug)]
struct Stage<V> {
    /// Behind the last step of the block that ended. Before that there is none: it is as the block around it has it.
    state: Option<V>,
    under_way: UnderWay<V>,
}

/// What is running after the last step that ended.
#[derive(Debug)]
enum UnderWay<V> {
    Nothing,
    /// One block, whose changes are those of the block around it.
    Inside(Block<V>),
    /// Members of a parallel, whose changes merge in their order.
    Members(Rc<[RefCell<Stage<V>>]>),
}

impl<V: Clone> Block<V> {
    /// A block of which nothing has ended.
    pub(super) fn new() -> Self {
        Self { stages: Rc::new([RefCell::default()]), place: 0 }
    }

    /// The state behind its last step that ended.
    fn reached<H: Host<Value = V>>(&self, host: &H) -> Option<V> {
        self.stages.get(self.place)?.borrow().reached(host)
    }

    /// A step of the block ended with this state.
    pub(super) fn set(&self, state: &V) {
        self.go_on(state, UnderWay::Nothing);
    }

    /// A block inside the next step begins with this state.
    pub(super) fn begin(&self, state: &V) -> Self {
        let inside = Self::new();
        self.go_on(state, UnderWay::Inside(inside.clone()));
        inside
    }

    /// So many members of a parallel begin with this state.
    pub(super) fn begin_members(&self, state: &V, count: usize) -> impl Fn(usize) -> Self + use<V> {
        let stages: Rc<[_]> = iter::repeat_with(RefCell::default).take(count).collect();
        self.go_on(state, UnderWay::Members(Rc::clone(&stages)));
        move |place| Self { stages: Rc::clone(&stages), place }
    }

    fn go_on(&self, state: &V, under_way: UnderWay<V>) {
        if let Some(stage) = self.stages.get(self.place) {
            *stage.borrow_mut() = Stage { state: Some(state.clone()), under_way };
        }
    }
}

impl<V: Clone> Stage<V> {
    fn reached<H: Host<Value = V>>(&self, host: &H) -> Option<V> {
        match &self.under_way {
            UnderWay::Nothing => self.state.clone(),
            UnderWay::Inside(inside) => inside.reached(host).or_else(|| self.state.clone()),
            UnderWay::Members(members) => {
                let before = self.state.as_ref()?;
                let reached = members.iter().filter_map(|member| member.borrow().reached(host));
                Some(host.merge_all(before, reached.map(|after| host.diff(before, &after)).collect()))
            }
        }
    }
}

impl<V> Default for Stage<V> {
    fn default() -> Self {
        Self { state: None, under_way: UnderWay::Nothing }
    }
}

impl<V> Clone for Block<V> {
    fn clone(&self) -> Self {
        Self { stages: Rc::clone(&self.stages), place: self.place }
    }
}
