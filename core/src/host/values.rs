//! What a JSON value is to the engine: it holds and passes values on without looking inside.

use serde_json::Value;

use crate::error::Error;

/// The host's JSON values, and what is done with them.
///
/// The state and everything in it are the host's values, so that a large state costs nothing to carry.
pub trait Values {
    /// A JSON value in the host's own form; cloning it is cheap and it never changes.
    type Value: Clone + 'static;

    /// The state with the keys of the patch over it.
    fn merge(&self, state: &Self::Value, patch: &Self::Value) -> Self::Value;
    /// The state with the keys of all the patches over it, the last one on top. It takes as long as there are keys,
    /// however many patches bring them.
    fn merge_all(&self, state: &Self::Value, patches: Vec<Self::Value>) -> Self::Value;
    /// The keys of `after` whose value is not that of `before`, with their values.
    fn diff(&self, before: &Self::Value, after: &Self::Value) -> Self::Value;
    /// The keys that several of the patches have, in the order in which later ones bring them again.
    fn shared_keys(&self, patches: &[Self::Value]) -> Vec<SharedKey>;
    /// The state with what each of these later states changed in it; nothing if two of them changed the same key.
    /// A host for which many calls are slow does it in one.
    fn join(&self, state: &Self::Value, ends: &[Self::Value]) -> Option<Self::Value> {
        let patches: Vec<_> = ends.iter().map(|end| self.diff(state, end)).collect();
        self.shared_keys(&patches).is_empty().then(|| self.merge_all(state, patches))
    }
    /// What an object has under a key.
    fn member(&self, value: &Self::Value, key: &str) -> Option<Self::Value>;
    /// The value as JSON text.
    fn json_text(&self, value: &Self::Value) -> String;
    /// An object with these keys and values.
    fn object(&self, entries: Vec<(&str, Self::Value)>) -> Self::Value;
    /// A list of these values.
    fn list(&self, items: Vec<Self::Value>) -> Self::Value;
    /// How many values a list has; nothing if it is none.
    fn length(&self, value: &Self::Value) -> Option<usize>;
    /// The values of a list; nothing if it is none.
    fn items(&self, value: &Self::Value) -> Option<Vec<Self::Value>>;
    /// How many bytes the value takes as JSON text.
    fn bytes(&self, value: &Self::Value) -> u64;
    /// The violations of the plan's schema of this number: so many at most.
    ///
    /// # Errors
    /// When the schema cannot be used, or checking the value takes too much.
    fn violations(&self, schema: u32, value: &Self::Value, most: u32) -> Result<Vec<Violation>, Error>;
    /// The value with what the plan's schema of this number says for keys that are missing (`default`), where some are:
    /// for those of objects that its `properties`, `items`, `prefixItems`, `allOf` and `$ref` lead to.
    fn filled(&self, schema: u32, value: &Self::Value) -> Option<Self::Value>;
    /// The host's form of a JSON value.
    fn value_from_json(&self, json: Value) -> Self::Value;
    /// The value as templates read it.
    #[cfg(feature = "language")]
    fn template_view(&self, value: &Self::Value) -> crate::language::Value;
    /// What the host does for the language.
    #[cfg(feature = "language")]
    fn intrinsics(&self) -> crate::language::Intrinsics;
}

/// A key that a patch has and another one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedKey {
    /// The key.
    pub key: String,
    /// The index of the first patch that has it.
    pub first: usize,
    /// The index of the later patch that has it.
    pub second: usize,
}

/// One value that violates its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The path of the value, as a JSON Pointer.
    pub at: String,
    /// The keyword of the schema that it breaks.
    pub keyword: String,
    /// The path of the keyword in the schema, as a JSON Pointer.
    pub rule: String,
    /// For `required`, the key that is missing.
    pub missing: Option<String>,
}
