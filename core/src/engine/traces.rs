//! The fingerprints of a state, key by key, so that keeping them takes as long as the patches are, and not the state.

use std::rc::Rc;

use serde_json::Value;

use crate::digest::Digest;
/// The identity of a state: a fingerprint for each of its keys, and one of them all.
///
/// Equal states have equal fingerprints, however they came about. Cloning is cheap. While no journal is kept there are
/// none.
#[derive(Debug, Clone, Default)]
pub(super) struct Traces {
    top: Option<Rc<Layer>>,
    whole: Digest,
}

/// The keys that some patches wrote, over those of the patches before. Each layer has at most half as many keys as the
/// one below it, so that there are few of them.
#[derive(Debug)]
struct Layer {
    /// Sorted by their keys.
    keys: Vec<(Rc<str>, Digest)>,
    below: Option<Rc<Layer>>,
}

impl Traces {
    /// The fingerprint of the whole state.
    pub(super) fn whole(&self) -> Digest {
        self.whole
    }

    /// Those of the state with a patch over it.
    #[must_use]
    pub(super) fn with(&self, patch: &Value) -> Self {
        let keys = patch.as_object().into_iter().flatten();
        self.over(keys.map(|(key, value)| (key.as_str().into(), Digest::of(value))).collect())
    }

    /// Those of the state with another state over it.
    #[must_use]
    pub(super) fn with_all_of(&self, other: &Self) -> Self {
        if self.top.is_none() {
            return other.clone();
        }
        let mut layers: Vec<&Layer> = Vec::new();
        let mut at = other.top.as_deref();
        while let Some(layer) = at {
            layers.push(layer);
            at = layer.below.as_deref();
        }
        layers.iter().rev().fold(self.clone(), |traces, layer| traces.over(layer.keys.clone()))
    }

    fn over(&self, mut keys: Vec<(Rc<str>, Digest)>) -> Self {
        if keys.is_empty() {
            return self.clone();
        }
        keys.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut whole = self.whole;
        for (key, digest) in &keys {
            if let Some(known) = self.of(key) {
                whole = whole.less(known.with(key));
            }
            whole = whole.and(digest.with(key));
        }
        let mut below = self.top.clone();
        while let Some(layer) = below.as_ref().filter(|layer| layer.keys.len() < 2 * keys.len()) {
            keys = merged(keys, &layer.keys);
            below = layer.below.clone();
        }
        Self { top: Some(Rc::new(Layer { keys, below })), whole }
    }

    fn of(&self, key: &str) -> Option<Digest> {
        let mut at = self.top.as_deref();
        while let Some(layer) = at {
            if let Ok(place) = layer.keys.binary_search_by(|(known, _)| (**known).cmp(key)) {
                return layer.keys.get(place).map(|(_, digest)| *digest);
            }
            at = layer.below.as_deref();
        }
        None
    }
}

/// The keys of both, sorted as both are; the first ones count.
fn merged(over: Vec<(Rc<str>, Digest)>, under: &[(Rc<str>, Digest)]) -> Vec<(Rc<str>, Digest)> {
    let mut all = Vec::with_capacity(over.len() + under.len());
    let mut under = under.iter().peekable();
    for entry in over {
        while let Some(lower) = under.next_if(|(key, _)| *key < entry.0) {
            all.push(lower.clone());
        }
        under.next_if(|(key, _)| *key == entry.0);
        all.push(entry);
    }
    all.extend(under.cloned());
    all
}
