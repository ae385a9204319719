//! Takes the parts of the engine that only some documents need out of its wasm file.
//!
//! A part has the functions that the engine reaches through its gates alone, and the data that only these read. Which
//! they are is known exactly, since the linker tells what leads where. So the engine can meet a function that is not
//! there at a gate only, and each gate is a call through a slot of the table, which the part fills when it is
//! instantiated. Between two files functions are called as exports; no function is in two of them.
#![expect(clippy::indexing_slicing, reason = "every number is that of a function in lists made here")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::Reencode;
use wasm_encoder::{ExportKind, Module};
use wasmparser::{Parser, Payload};

use self::bound::Bound;
use self::reach::Owners;
use self::rest::Rest;

pub(crate) use self::parts::{PARTS, Part};

mod bound;
mod parts;
mod reach;
mod rest;

/// Under which name a part imports what the engine exports for it.
pub(crate) const ENGINE: &str = "e";

/// What says which features of WebAssembly a file uses.
const FEATURES: &str = "target_features";

/// The engine, ready to be taken apart.
pub(crate) struct Engine {
    wasm: Vec<u8>,
    parts: &'static [Part],
    owners: Owners,
}

/// What is wanted of the engine by its parts: what it is there, and the name of the export.
pub(crate) type Exports = BTreeMap<Wanted, String>;

/// Something that a part imports from the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wanted {
    Memory(u32),
    Table(u32),
    Global(u32),
    Function(u32),
}

impl Wanted {
    /// Its name until the exports are numbered.
    fn name(self) -> String {
        match self {
            Self::Memory(index) => format!("m{index}"),
            Self::Table(index) => format!("t{index}"),
            Self::Global(index) => format!("g{index}"),
            Self::Function(index) => format!("f{index}"),
        }
    }

    fn named(name: &str) -> Option<Self> {
        let (kind, index) = name.split_at_checked(1)?;
        let index = index.parse().ok()?;
        match kind {
            "m" => Some(Self::Memory(index)),
            "t" => Some(Self::Table(index)),
            "g" => Some(Self::Global(index)),
            "f" => Some(Self::Function(index)),
            _ => None,
        }
    }

    fn export(self) -> (ExportKind, u32) {
        match self {
            Self::Memory(index) => (ExportKind::Memory, index),
            Self::Table(index) => (ExportKind::Table, index),
            Self::Global(index) => (ExportKind::Global, index),
            Self::Function(index) => (ExportKind::Func, index),
        }
    }
}

impl Engine {
    /// Sorts out what belongs to whom. `linked` is what the linker wrote, with its relocations; `bound` is what
    /// wasm-bindgen made of it, with the names of its functions.
    pub(crate) fn new(linked: &Path, bound: &Path, parts: &'static [Part]) -> Result<Self> {
        let owners = reach::owners(&fs::read(linked)?, parts)?;
        Ok(Self { wasm: fs::read(bound)?, parts, owners })
    }

    /// Writes the file of each part into the folder.
    pub(crate) fn write_parts(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let bound = Bound::read(&self.wasm, &self.owners)?;
        bound.check()?;
        let mut files = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let file = folder.join(format!("stepweave_{}.wasm", part.name));
            fs::write(&file, bound.part(number, &self.owners)?)?;
            files.push(file);
        }
        Ok(files)
    }

    /// Writes the engine without its parts, and with what they import.
    pub(crate) fn write_rest(&self, file: &Path, exports: &Exports) -> Result<()> {
        let bound = Bound::read(&self.wasm, &self.owners)?;
        let (kept, mut module) = (bound.kept(), Module::new());
        Rest::new(&bound, &self.owners, exports, &kept)
            .parse_core_module(&mut module, Parser::new(0), &self.wasm)
            .map_err(|error| anyhow!("the engine cannot be taken apart: {error}"))?;
        Ok(fs::write(file, module.finish())?)
    }
}

/// What the parts import of the engine, numbered.
pub(crate) fn number_exports(parts: &[PathBuf]) -> Result<Exports> {
    let mut wanted = BTreeSet::new();
    for part in parts {
        for payload in Parser::new(0).parse_all(&fs::read(part)?) {
            let Payload::ImportSection(imports) = payload? else { continue };
            for import in imports.into_imports() {
                let import = import?;
                if import.module == ENGINE {
                    wanted.insert(
                        Wanted::named(import.name).with_context(|| format!("what is {}?", import.name))?,
                    );
                }
            }
        }
    }
    Ok(wanted.into_iter().enumerate().map(|(number, wanted)| (wanted, number.to_string())).collect())
}

/// The name under which the engine exports what a part imports under this one.
pub(crate) fn exported(exports: &Exports, name: &str) -> String {
    Wanted::named(name).and_then(|wanted| exports.get(&wanted)).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Wanted;

    #[test]
    fn what_is_wanted_is_known_by_its_name() {
        for wanted in [Wanted::Memory(0), Wanted::Table(1), Wanted::Global(2), Wanted::Function(345)] {
            assert_eq!(Wanted::named(&wanted.name()), Some(wanted));
        }
        assert_eq!(Wanted::named("x1"), None);
    }
}
