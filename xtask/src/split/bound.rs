//! What wasm-bindgen made of the engine, read as a whole, and the files of the parts that are made from it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;

use anyhow::{Context, Result, anyhow, bail};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, CustomSection, DataSection, ElementSection, Elements, EntityType,
    FunctionSection, ImportSection, Module, TypeSection,
};
use wasmparser::{
    Element, ElementItems, ElementKind, FuncType, FunctionBody, GlobalType, KnownCustom, MemoryType, Name,
    Operator, Parser, Payload, TableType, TypeRef,
};

use super::reach::{Owner, Owners};
use super::{ENGINE, FEATURES, Wanted};

/// What wasm-bindgen made, and whose each function of it is.
pub(super) struct Bound<'a> {
    wasm: &'a [u8],
    pub(super) types: Vec<FuncType>,
    pub(super) imported: u32,
    /// By function, the imported ones first.
    pub(super) type_of: Vec<u32>,
    bodies: Vec<FunctionBody<'a>>,
    names: HashMap<u32, &'a str>,
    owner: Vec<Owner>,
    /// The slots of gates behind the end of the table, by function.
    pub(super) gates: BTreeMap<u32, u32>,
    /// The table of functions: its number.
    pub(super) table: u32,
    slots: Vec<(u32, u32)>,
    memories: Vec<MemoryType>,
    pub(super) tables: Vec<TableType>,
    globals: Vec<GlobalType>,
    features: Option<&'a [u8]>,
}

impl<'a> Bound<'a> {
    pub(super) fn read(wasm: &'a [u8], owners: &Owners) -> Result<Self> {
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
    pub(super) fn check(&self) -> Result<()> {
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

    pub(super) fn body(&self, function: u32) -> &FunctionBody<'a> {
        &self.bodies[(function - self.imported) as usize]
    }

    /// The functions that are not imported, by whose they are.
    fn of(&self, owner: Owner) -> Vec<u32> {
        (self.imported..self.type_of.len() as u32)
            .filter(|function| self.owner[*function as usize] == owner)
            .collect()
    }

    /// The functions that stay in the engine, gates among them.
    pub(super) fn kept(&self) -> Vec<u32> {
        let is_kept =
            |function: &u32| self.owner[*function as usize].is_none() || self.gates.contains_key(function);
        (self.imported..self.type_of.len() as u32).filter(is_kept).collect()
    }

    /// The file of a part.
    pub(super) fn part(&self, part: usize, owners: &Owners) -> Result<Vec<u8>> {
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
        let gates = self.gates.iter().map(|(function, slot)| (*slot, *function));
        let filled: BTreeMap<u32, u32> = (self.slots.iter().copied().chain(gates))
            .filter(|(_, function)| self.owner[*function as usize] == Some(part))
            .map(|(slot, function)| (slot, numbers[&function]))
            .collect();
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

/// The number that is known before the file is instantiated.
pub(super) fn constant(expression: &wasmparser::ConstExpr<'_>) -> Result<u32> {
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

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn slots_that_follow_each_other_are_one_run() {
        let slots = [(3, 30), (4, 40), (6, 60), (7, 5)].into();
        assert_eq!(runs(&slots), [(3, vec![30, 40]), (6, vec![60, 5])]);
    }
}
