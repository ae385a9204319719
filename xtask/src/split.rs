//! Takes the parts of the engine that only some documents need out of its wasm file.
//!
//! A part has the functions that the engine reaches through its gates alone, and the data that only these read. Which
//! they are is known exactly, since the linker tells what leads where. So the engine can meet a function that is not
//! there at a gate only, and each gate is a call through a slot of the table, which the part fills when it is
//! instantiated. Between two files functions are called as exports; no function is in two of them.
#![expect(clippy::indexing_slicing, reason = "every number is that of a function in lists made here")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, CustomSection, DataSection, ElementSection, Elements, EntityType, ExportKind,
    ExportSection, Function, FunctionSection, ImportSection, Instruction, Module, TableSection, TypeSection,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, DataSectionReader, Element, ElementItems, ElementKind,
    ExportSectionReader, FuncType, FunctionBody, FunctionSectionReader, GlobalType, KnownCustom, MemoryType,
    Name, Operator, Parser, Payload, TableSectionReader, TableType, TypeRef, TypeSectionReader,
};

use self::reach::{Owner, Owners};

pub(crate) use self::parts::{PARTS, Part};

mod parts;
mod reach;

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

/// What wasm-bindgen made, and whose each function of it is.
struct Bound<'a> {
    wasm: &'a [u8],
    types: Vec<FuncType>,
    imported: u32,
    /// By function, the imported ones first.
    type_of: Vec<u32>,
    bodies: Vec<FunctionBody<'a>>,
    names: HashMap<u32, &'a str>,
    owner: Vec<Owner>,
    /// The slots of gates behind the end of the table, by function.
    gates: BTreeMap<u32, u32>,
    /// The table of functions: its number.
    table: u32,
    slots: Vec<(u32, u32)>,
    memories: Vec<MemoryType>,
    tables: Vec<TableType>,
    globals: Vec<GlobalType>,
    features: Option<&'a [u8]>,
}

impl<'a> Bound<'a> {
    fn read(wasm: &'a [u8], owners: &Owners) -> Result<Self> {
        let mut bound = Self {
            wasm,
            types: Vec::new(),
            imported: 0,
            type_of: Vec::new(),
            bodies: Vec::new(),
            names: HashMap::new(),
            owner: Vec::new(),
            gates: BTreeMap::new(),
            table: 0,
            slots: Vec::new(),
            memories: Vec::new(),
            tables: Vec::new(),
            globals: Vec::new(),
            features: None,
        };
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(types) => {
                    bound.types = types.into_iter_err_on_gc_types().collect::<Result<_, _>>()?;
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        let TypeRef::Func(of) = import?.ty else {
                            bail!("the engine imports more than functions")
                        };
                        bound.type_of.push(of);
                        bound.imported += 1;
                    }
                }
                Payload::FunctionSection(functions) => {
                    for of in functions {
                        bound.type_of.push(of?);
                    }
                }
                Payload::TableSection(tables) => {
                    for table in tables {
                        bound.tables.push(table?.ty);
                    }
                }
                Payload::MemorySection(memories) => {
                    bound.memories = memories.into_iter().collect::<Result<_, _>>()?
                }
                Payload::GlobalSection(globals) => {
                    for global in globals {
                        bound.globals.push(global?.ty);
                    }
                }
                Payload::ElementSection(elements) => {
                    for element in elements {
                        bound.slots.extend(slots(&element?)?);
                    }
                }
                Payload::CodeSectionEntry(body) => bound.bodies.push(body),
                Payload::CustomSection(custom) if custom.name() == FEATURES => {
                    bound.features = Some(custom.data())
                }
                Payload::CustomSection(custom) => {
                    let KnownCustom::Name(names) = custom.as_known() else { continue };
                    for part in names {
                        let Name::Function(functions) = part? else { continue };
                        for naming in functions {
                            let naming = naming?;
                            bound.names.insert(naming.index, naming.name);
                        }
                    }
                }
                _ => {}
            }
        }
        let table = bound.tables.iter().position(|table| table.element_type.is_func_ref());
        let table = table.context("the engine has no table of functions")?;
        let mut slot = u32::try_from(bound.tables[table].initial)?;
        bound.table = u32::try_from(table)?;
        for function in 0..u32::try_from(bound.type_of.len())? {
            let name = bound.names.get(&function).copied().unwrap_or_default();
            bound.owner.push(owners.functions.get(name).copied().filter(|_| function >= bound.imported));
            if owners.gates.contains_key(name) {
                bound.gates.insert(function, slot);
                slot += 1;
            }
        }
        if bound.gates.len() != owners.gates.len() {
            bail!("wasm-bindgen has left out or doubled a gate");
        }
        Ok(bound)
    }

    /// Makes sure that each part is entered through its gates only.
    fn check(&self) -> Result<()> {
        for (number, body) in self.bodies.iter().enumerate() {
            let caller = self.imported + u32::try_from(number)?;
            for called in called(body)? {
                let (from, to) = (self.owner[caller as usize], self.owner[called as usize]);
                if to.is_some() && to != from && !self.gates.contains_key(&called) {
                    let [caller, called] =
                        [caller, called].map(|function| self.names.get(&function).unwrap_or(&"?"));
                    bail!("`{caller}` calls `{called}` in a part to which it does not belong");
                }
            }
        }
        Ok(())
    }

    fn body(&self, function: u32) -> &FunctionBody<'a> {
        &self.bodies[(function - self.imported) as usize]
    }

    /// The functions that are not imported, by whose they are.
    fn of(&self, owner: Owner) -> Vec<u32> {
        (self.imported..self.type_of.len() as u32)
            .filter(|function| self.owner[*function as usize] == owner)
            .collect()
    }

    /// The functions that stay in the engine, gates among them.
    fn kept(&self) -> Vec<u32> {
        let is_kept =
            |function: &u32| self.owner[*function as usize].is_none() || self.gates.contains_key(function);
        (self.imported..self.type_of.len() as u32).filter(is_kept).collect()
    }

    /// The file of a part.
    fn part(&self, part: usize, owners: &Owners) -> Result<Vec<u8>> {
        let own = self.of(Some(part));
        let mut borrowed = BTreeSet::new();
        for function in &own {
            borrowed.extend(
                called(self.body(*function))?
                    .into_iter()
                    .filter(|called| *called >= self.imported && self.owner[*called as usize] != Some(part)),
            );
        }
        let mut numbers: HashMap<u32, u32> =
            (0..self.imported).map(|function| (function, function)).collect();
        numbers.extend(borrowed.iter().chain(&own).copied().zip(self.imported..));
        let mut writer = Writer { numbers: &numbers };
        let mut module = Module::new();
        let mut imports = ImportSection::new();
        let mut filled: BTreeMap<u32, u32> = BTreeMap::new();
        for (slot, function) in &self.slots {
            if self.owner[*function as usize] == Some(part) {
                filled.insert(*slot, numbers[function]);
            }
        }
        for (function, slot) in &self.gates {
            if self.owner[*function as usize] == Some(part) {
                filled.insert(*slot, numbers[function]);
            }
        }
        let failed = |error: reencode::Error| anyhow!("a part cannot be written: {error}");
        for payload in Parser::new(0).parse_all(self.wasm) {
            match payload? {
                Payload::TypeSection(section) => {
                    let mut types = TypeSection::new();
                    writer.parse_type_section(&mut types, section).map_err(failed)?;
                    module.section(&types);
                }
                Payload::ImportSection(section) => {
                    writer.parse_import_section(&mut imports, section).map_err(failed)?
                }
                _ => {}
            }
        }
        for (index, memory) in self.memories.iter().enumerate() {
            imports.import(
                ENGINE,
                &Wanted::Memory(index as u32).name(),
                writer.memory_type(*memory).map_err(failed)?,
            );
        }
        for (index, table) in self.tables.iter().enumerate() {
            let mut table = writer.table_type(*table).map_err(failed)?;
            // Limits that are wider fit every table.
            table.maximum = None;
            imports.import(ENGINE, &Wanted::Table(index as u32).name(), table);
        }
        for (index, global) in self.globals.iter().enumerate() {
            imports.import(
                ENGINE,
                &Wanted::Global(index as u32).name(),
                writer.global_type(*global).map_err(failed)?,
            );
        }
        for function in &borrowed {
            let of = EntityType::Function(self.type_of[*function as usize]);
            imports.import(ENGINE, &Wanted::Function(*function).name(), of);
        }
        let mut functions = FunctionSection::new();
        let mut code = CodeSection::new();
        for function in &own {
            functions.function(self.type_of[*function as usize]);
            writer.parse_function_body(&mut code, self.body(*function).clone()).map_err(failed)?;
        }
        let mut elements = ElementSection::new();
        for (slot, functions) in runs(&filled) {
            let offset = ConstExpr::i32_const(slot as i32);
            elements.active(
                (self.table != 0).then_some(self.table),
                &offset,
                Elements::Functions(functions.into()),
            );
        }
        let mut data = DataSection::new();
        for (address, bytes) in self.data_of(part, owners)? {
            data.active(0, &ConstExpr::i32_const(address as i32), bytes);
        }
        module.section(&imports).section(&functions).section(&elements).section(&code).section(&data);
        if let Some(features) = self.features {
            module.section(&CustomSection { name: FEATURES.into(), data: features.into() });
        }
        Ok(module.finish())
    }

    fn data_of(&self, part: usize, owners: &Owners) -> Result<Vec<(u32, Vec<u8>)>> {
        let mut pieces = Vec::new();
        for payload in Parser::new(0).parse_all(self.wasm) {
            let Payload::DataSection(section) = payload? else { continue };
            for segment in section {
                let segment = segment?;
                let begin = address_of(&segment.kind)?;
                for (address, length, _) in owners.data.iter().filter(|(.., of)| *of == part) {
                    let bytes = address
                        .checked_sub(begin)
                        .and_then(|at| segment.data.get(at as usize..(at + length) as usize));
                    if let Some(bytes) = bytes.filter(|bytes| bytes.iter().any(|byte| *byte != 0)) {
                        pieces.push((*address, bytes.to_vec()));
                    }
                }
            }
        }
        Ok(pieces)
    }
}

fn address_of(kind: &wasmparser::DataKind<'_>) -> Result<u32> {
    let wasmparser::DataKind::Active { offset_expr, .. } = kind else {
        bail!("data is not where it belongs")
    };
    constant(offset_expr)
}

fn constant(expression: &wasmparser::ConstExpr<'_>) -> Result<u32> {
    match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value as u32),
        _ => bail!("a place is not known before the file is instantiated"),
    }
}

/// The functions that an element puts into slots of the table.
fn slots(element: &Element<'_>) -> Result<Vec<(u32, u32)>> {
    let ElementKind::Active { offset_expr, .. } = &element.kind else { return Ok(Vec::new()) };
    let ElementItems::Functions(functions) = &element.items else {
        bail!("the table is filled in a way that is not known")
    };
    let functions = functions.clone().into_iter().collect::<Result<Vec<u32>, _>>()?;
    Ok((constant(offset_expr)?..).zip(functions).collect())
}

/// Slots that follow each other, with their functions.
fn runs(slots: &BTreeMap<u32, u32>) -> Vec<(u32, Vec<u32>)> {
    let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
    for (slot, function) in slots {
        match runs.last_mut() {
            Some((begin, functions)) if *begin + functions.len() as u32 == *slot => functions.push(*function),
            _ => runs.push((*slot, vec![*function])),
        }
    }
    runs
}

fn called(body: &FunctionBody<'_>) -> Result<BTreeSet<u32>> {
    let mut called = BTreeSet::new();
    for operator in body.get_operators_reader()? {
        if let Operator::Call { function_index }
        | Operator::ReturnCall { function_index }
        | Operator::RefFunc { function_index } = operator?
        {
            called.insert(function_index);
        }
    }
    Ok(called)
}

/// Writes functions anew, with other numbers of those that they call.
struct Writer<'a> {
    numbers: &'a HashMap<u32, u32>,
}

impl Reencode for Writer<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error> {
        Ok(self.numbers[&function])
    }
}

/// Writes the engine anew: gates become calls through the table, the rest of the parts is left out.
struct Rest<'a> {
    bound: &'a Bound<'a>,
    owners: &'a Owners,
    exports: &'a Exports,
    kept: &'a [u32],
    numbers: HashMap<u32, u32>,
}

impl<'a> Rest<'a> {
    fn new(bound: &'a Bound<'a>, owners: &'a Owners, exports: &'a Exports, kept: &'a [u32]) -> Self {
        let numbers = (0..bound.imported).chain(kept.iter().copied()).zip(0..).collect();
        Self { bound, owners, exports, kept, numbers }
    }

    /// The function that traps, behind all others.
    fn trap(&self) -> u32 {
        self.bound.imported + self.kept.len() as u32
    }

    /// A function that calls the one in this slot.
    fn gate(&self, function: u32, slot: u32) -> Function {
        let type_index = self.bound.type_of[function as usize];
        let mut gate = Function::new([]);
        for parameter in 0..self.bound.types[type_index as usize].params().len() {
            gate.instruction(&Instruction::LocalGet(parameter as u32));
        }
        gate.instruction(&Instruction::I32Const(slot as i32));
        gate.instruction(&Instruction::CallIndirect { type_index, table_index: self.bound.table });
        gate.instruction(&Instruction::End);
        gate
    }
}

impl Reencode for Rest<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error> {
        // Only slots of the table name what is not there.
        Ok(self.numbers.get(&function).copied().unwrap_or_else(|| self.trap()))
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: TypeSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        reencode::utils::parse_type_section(self, types, section)?;
        types.ty().function([], []);
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        _: FunctionSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        for function in self.kept {
            functions.function(self.bound.type_of[*function as usize]);
        }
        functions.function(self.bound.types.len() as u32);
        Ok(())
    }

    fn parse_table_section(
        &mut self,
        tables: &mut TableSection,
        _: TableSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        for (index, table) in self.bound.tables.iter().enumerate() {
            let mut table = self.table_type(*table)?;
            if index as u32 == self.bound.table {
                table.minimum += self.bound.gates.len() as u64;
                table.maximum = table.maximum.map(|most| most.max(table.minimum));
            }
            tables.table(table);
        }
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: ExportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        reencode::utils::parse_export_section(self, exports, section)?;
        for (wanted, name) in self.exports {
            let (kind, index) = wanted.export();
            let index = if kind == ExportKind::Func { self.function_index(index)? } else { index };
            exports.export(name, kind, index);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        _: CodeSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        for function in self.kept {
            match self.bound.gates.get(function) {
                Some(slot) => drop(code.function(&self.gate(*function, *slot))),
                None => self.parse_function_body(code, self.bound.body(*function).clone())?,
            }
        }
        code.function(
            Function::new([]).instruction(&Instruction::Unreachable).instruction(&Instruction::End),
        );
        Ok(())
    }

    fn parse_data_section(
        &mut self,
        data: &mut DataSection,
        section: DataSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        for segment in section {
            let segment = segment?;
            let mut bytes = segment.data.to_vec();
            let wasmparser::DataKind::Active { memory_index, offset_expr } = segment.kind else { continue };
            let begin = constant(&offset_expr).unwrap_or(u32::MAX);
            for (address, length, _) in &self.owners.data {
                let at = address.wrapping_sub(begin) as usize;
                if let Some(own) = bytes.get_mut(at..at.saturating_add(*length as usize)) {
                    own.fill(0);
                }
            }
            data.active(memory_index, &self.const_expr(offset_expr)?, bytes);
        }
        Ok(())
    }

    fn parse_custom_section(
        &mut self,
        module: &mut Module,
        section: CustomSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        if section.name() == FEATURES {
            module.section(&CustomSection { name: FEATURES.into(), data: section.data().into() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Wanted, runs};

    #[test]
    fn slots_that_follow_each_other_are_one_run() {
        let slots = [(3, 30), (4, 40), (6, 60), (7, 5)].into();
        assert_eq!(runs(&slots), [(3, vec![30, 40]), (6, vec![60, 5])]);
    }

    #[test]
    fn what_is_wanted_is_known_by_its_name() {
        for wanted in [Wanted::Memory(0), Wanted::Table(1), Wanted::Global(2), Wanted::Function(345)] {
            assert_eq!(Wanted::named(&wanted.name()), Some(wanted));
        }
        assert_eq!(Wanted::named("x1"), None);
    }
}
