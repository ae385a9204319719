//! The names of what a wasm file imports.
//!
//! wasm-bindgen puts a hash behind each, which no packer makes smaller, and each stands in the glue as well.

use std::convert::Infallible;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{ImportSection, Module};
use wasmparser::{ImportSectionReader, Parser};

/// Gives the imports of a wasm file the names that `naming` gives for each.
pub(crate) fn rename(path: &Path, naming: impl FnMut(&str) -> String) -> Result<()> {
    let wasm = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (mut module, mut renamer) = (Module::new(), Renamer { naming });
    renamer
        .parse_core_module(&mut module, Parser::new(0), &wasm)
        .map_err(|error| anyhow!("the imports of {} cannot be renamed: {error}", path.display()))?;
    fs::write(path, module.finish()).with_context(|| format!("{} cannot be written", path.display()))
}

/// Writes a module anew, its imports under other names.
struct Renamer<N> {
    naming: N,
}

impl<N: FnMut(&str) -> String> Reencode for Renamer<N> {
    type Error = Infallible;

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: ImportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        for import in section.into_imports() {
            let import = import?;
            let name = (self.naming)(import.name);
            imports.import(import.module, &name, self.entity_type(import.ty)?);
        }
        Ok(())
    }
}
