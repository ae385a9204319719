//! Names and what each has, in layers that are shared: adding some takes as long as they are many, and not as all are.

use std::rc::Rc;

/// What each of some names has. Cloning it is cheap.
#[derive(Debug, Clone)]
pub(super) struct Layers<V>(Option<Rc<Layer<V>>>);

/// What was added last, over what was there before. Each layer has at most half as many names as the one below it, so
/// that there are few of them.
#[derive(Debug)]
struct Layer<V> {
    /// Sorted by their names.
    entries: Vec<(Rc<str>, V)>,
    below: Layers<V>,
}

impl<V: Clone> Layers<V> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// What a name has.
    pub(super) fn get(&self, name: &str) -> Option<&V> {
        self.each().find_map(|layer| {
            let place = layer.entries.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
            layer.entries.get(place).map(|(_, value)| value)
        })
    }

    /// The same with others over it, which are sorted by their names.
    #[must_use]
    pub(super) fn with(&self, mut entries: Vec<(Rc<str>, V)>) -> Self {
        if entries.is_empty() {
            return self.clone();
        }
        let mut below = self.clone();
        while let Some(layer) = below.0.as_ref().filter(|layer| layer.entries.len() < 2 * entries.len()) {
            entries = merged(entries, &layer.entries);
            below = layer.below.clone();
        }
        Self(Some(Rc::new(Layer { entries, below })))
    }

    /// What was added to `before`, and perhaps what that had: what is added first comes first.
    pub(super) fn since(&self, before: &Self) -> Vec<&[(Rc<str>, V)]> {
        let is_new = |layer: &&Layer<V>| !before.each().any(|known| std::ptr::eq(known, *layer));
        let mut added: Vec<_> =
            self.each().take_while(is_new).map(|layer| layer.entries.as_slice()).collect();
        added.reverse();
        added
    }

    /// The layers, the last one first.
    fn each(&self) -> impl Iterator<Item = &Layer<V>> {
        std::iter::successors(self.0.as_deref(), |layer| layer.below.0.as_deref())
    }
}

impl<V> Default for Layers<V> {
    fn default() -> Self {
        Self(None)
    }
}

/// The entries of both, sorted as both are; the first ones count.
fn merged<V: Clone>(over: Vec<(Rc<str>, V)>, under: &[(Rc<str>, V)]) -> Vec<(Rc<str>, V)> {
    let mut all = Vec::with_capacity(over.len() + under.len());
    let mut under = under.iter().peekable();
    for entry in over {
        while let Some(lower) = under.next_if(|(name, _)| *name < entry.0) {
            all.push(lower.clone());
        }
        under.next_if(|(name, _)| *name == entry.0);
        all.push(entry);
    }
    all.extend(under.cloned());
    all
}
