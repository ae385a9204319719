//! What a wasm file exports.

use std::convert::Infallible;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{ExportSection, Module};
use wasmparser::{ExportSectionReader, Parser};

/// Takes exports that nobody calls out of a wasm file, so that what only they reach can go too.
pub(crate) fn drop(path: &Path, is_unused: impl Fn(&str) -> bool) -> Result<()> {
    let wasm = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (mut module, mut dropper) = (Module::new(), Dropper { is_unused });
    dropper
        .parse_core_module(&mut module, Parser::new(0), &wasm)
        .map_err(|error| anyhow!("no export of {} can be dropped: {error}", path.display()))?;
    fs::write(path, module.finish()).with_context(|| format!("{} cannot be written", path.display()))
}

/// Writes a module anew, without some of its exports.
struct Dropper<F> {
    is_unused: F,
}

impl<F: Fn(&str) -> bool> Reencode for Dropper<F> {
    type Error = Infallible;

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: ExportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        for export in section {
            let export = export?;
            if !(self.is_unused)(export.name) {
                self.parse_export(exports, export)?;
            }
        }
        Ok(())
    }
}
