//! Changes of what a wasm file imports and exports, for which all of the file is written anew.

use std::convert::Infallible;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{ExportSection, ImportSection, Module};
use wasmparser::{ExportSectionReader, ImportSectionReader, Parser};

/// Takes exports that nobody calls out of a wasm file, so that what only they reach can go too.
pub(crate) fn drop_exports(path: &Path, is_unused: impl Fn(&str) -> bool) -> Result<()> {
    rewrite(path, Dropper { is_unused })
}

/// Gives the imports of a wasm file the names that `naming` gives for each. wasm-bindgen puts a hash behind each, which no
/// packer makes smaller, and each stands in the glue as well.
pub(crate) fn rename_imports(path: &Path, naming: impl FnMut(&str) -> String) -> Result<()> {
    rewrite(path, Renamer { naming })
}

fn rewrite(path: &Path, mut change: impl Reencode<Error = Infallible>) -> Result<()> {
    let wasm = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut module = Module::new();
    change
        .parse_core_module(&mut module, Parser::new(0), &wasm)
        .map_err(|error| anyhow!("{} cannot be written anew: {error}", path.display()))?;
    fs::write(path, module.finish()).with_context(|| format!("{} cannot be written", path.display()))
}

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
