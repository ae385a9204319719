//! The parts of the engine that have a file of their own, and the ways into them.

/// A part. What the engine reaches through these functions alone is in the part's file.
pub(crate) struct Part {
    /// Its name, which its file has too.
    pub(crate) name: &'static str,
    /// The functions by which the rest of the engine enters it. In Rust they are never inlined, and called only for
    /// documents of which `core/src/validate.rs` says that they need the part.
    pub(crate) gates: &'static [&'static str],
}

/// In the order of the bits of `stepweave_core::parts::Parts`.
pub(crate) const PARTS: [Part; 2] = [
    Part {
        name: "templates",
        gates: &[
            "<stepweave_core::language::tree::Expression>::parse",
            "<stepweave_core::language::tree::Expression>::evaluate",
            "<stepweave_core::language::tree::Template>::parse",
            "<stepweave_core::language::tree::Template>::render",
            "stepweave_core::validate::reads::check",
        ],
    },
    Part {
        name: "models",
        gates: &[
            "<stepweave_core::engine::plan::Builder>::ask",
            "<stepweave_core::engine::walk::Walk<stepweave_pkg::host::JsHost>>::asking",
        ],
    },
];
