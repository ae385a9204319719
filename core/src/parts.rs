//! Parts of the engine that only some documents need, so that others run without them being there.
//!
//! Natively all of them are linked. In WebAssembly each has a file of its own, which is loaded for the first document
//! that needs it.

/// A set of such parts.
///
/// ```
/// use stepweave_core::parts::Parts;
/// assert_eq!(Parts::ALL.without(Parts::MODELS), Parts::TEMPLATES);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts(u32);

impl Parts {
    /// Templates and expressions.
    pub const TEMPLATES: Self = Self(1);
    /// What asks language models and reads their answers.
    pub const MODELS: Self = Self(2);
    /// None of them.
    pub const NONE: Self = Self(0);
    /// All of them.
    pub const ALL: Self = Self(Self::TEMPLATES.0 | Self::MODELS.0);

    /// The set with these bits: 1 for templates, 2 for models.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits of the set.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The parts of both sets.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The parts that the other set does not have.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}
