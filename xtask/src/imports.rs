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

/// Names the imports of a wasm file by their numbers; gives the names that they had, in this order.
pub(crate) fn number(path: &Path) -> Result<Vec<String>> {
    let wasm = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (mut module, mut renamer) = (Module::new(), Renamer { names: Vec::new() });
    renamer
        .parse_core_module(&mut module, Parser::new(0), &wasm)
        .map_err(|error| anyhow!("the imports of {} cannot be renamed: {error}", path.display()))?;
    fs::write(path, module.finish()).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(renamer.names)
}

/// Writes a module anew, its imports under other names.
struct Renamer {
    names: Vec<String>,
}

impl Reencode for Renamer {
    type Error = Infallible;

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: ImportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        for import in section.into_imports() {
            let import = import?;
            let number = self.names.len().to_string();
            imports.import(import.module, &number, self.entity_type(import.ty)?);
            self.names.push(import.name.to_owned());
        }
        Ok(())
    }
}
