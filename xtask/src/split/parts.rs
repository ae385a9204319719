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
            "stepweave_core::template::syntax_problem",
            "<stepweave_core::template::Templates>::add",
            "stepweave_core::template::close",
            "stepweave_core::engine::walk::rendered::<stepweave_pkg::host::JsHost>",
            "stepweave_core::engine::walk::evaluated::<stepweave_pkg::host::JsHost>",
            "<stepweave_core::engine::outputs::Outputs>::with::<stepweave_pkg::host::JsHost>",
            "<stepweave_core::engine::outputs::Outputs>::joined_to",
            "<alloc::sync::Arc<stepweave_core::engine::outputs::Told>>::drop_slow",
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
