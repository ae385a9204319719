//! The fingerprints of a state, key by key, so that keeping them takes as long as the patches are, and not the state.

use std::rc::Rc;

use serde_json::Value;

use super::layers::Layers;
use crate::digest::Digest;

/// The identity of a state: a fingerprint for each of its keys, and one of them all.
///
/// Equal states have equal fingerprints, however they came about. Cloning is cheap. While no journal is kept there are
/// none.
#[derive(Debug, Clone, Default)]
pub(super) struct Traces {
    keys: Layers<Digest>,
    whole: Digest,
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
        if self.keys.is_empty() {
            return other.clone();
        }
        let layers = other.keys.since(&Layers::default());
        layers.into_iter().fold(self.clone(), |traces, keys| traces.over(keys.to_vec()))
    }

    fn over(&self, mut keys: Vec<(Rc<str>, Digest)>) -> Self {
        keys.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut whole = self.whole;
        for (key, digest) in &keys {
            if let Some(known) = self.keys.get(key) {
                whole = whole.less(known.with(key));
            }
            whole = whole.and(digest.with(key));
        }
        Self { keys: self.keys.with(keys), whole }
    }
}
