//! How far the state of a run has come, for whoever interrupts it.

use std::cell::RefCell;
use std::rc::Rc;

use super::Host;

/// How far the state of a block of steps has come. Cloning it gives another handle to the same.
#[derive(Debug)]
pub struct Reached<V>(Rc<RefCell<Stage<V>>>);

#[derive(Debug)]
struct Stage<V> {
    /// Behind the last step of the block that ended.
    state: V,
    /// What is under way behind it.
    under_way: Vec<Reached<V>>,
    way: Way,
}

#[derive(Debug, Clone, Copy)]
enum Way {
    /// One block, whose changes are those of the block around it.
    Through,
    /// Members of a parallel, whose changes merge in their order.
    Side,
}

impl<V: Clone> Reached<V> {
    /// A block that begins with this state.
    pub fn new(state: V) -> Self {
        Self(Rc::new(RefCell::new(Stage { state, under_way: Vec::new(), way: Way::Through })))
    }

    /// The state so far: what the steps that ended have made of it.
    pub fn state<H: Host<Value = V>>(&self, host: &H) -> V {
        let stage = self.0.borrow();
        match (stage.way, stage.under_way.as_slice()) {
            (_, []) => stage.state.clone(),
            (Way::Through, [inner, ..]) => inner.state(host),
            (Way::Side, members) => {
                let changed = members.iter().map(|member| host.diff(&stage.state, &member.state(host)));
                host.merge_all(&stage.state, changed.collect())
            }
        }
    }

    /// A step of the block ended with this state.
    pub(super) fn set(&self, state: &V) {
        let mut stage = self.0.borrow_mut();
        stage.state = state.clone();
        stage.under_way.clear();
    }

    /// A block inside the next step begins with this state.
    pub(super) fn begin(&self, state: &V) -> Self {
        let inner = Self::new(state.clone());
        let mut stage = self.0.borrow_mut();
        (stage.way, stage.under_way) = (Way::Through, vec![inner.clone()]);
        inner
    }

    /// So many members of a parallel begin with this state.
    pub(super) fn begin_members(&self, state: &V, count: usize) -> Vec<Self> {
        let members: Vec<Self> = (0..count).map(|_| Self::new(state.clone())).collect();
        let mut stage = self.0.borrow_mut();
        (stage.way, stage.under_way) = (Way::Side, members.clone());
        members
    }
}

impl<V> Clone for Reached<V> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}
