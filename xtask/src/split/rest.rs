//! The engine without its parts.

use std::collections::HashMap;
use std::convert::Infallible;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, CustomSection, DataSection, ExportKind, ExportSection, Function, FunctionSection,
    Instruction, Module, TableSection, TypeSection,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, DataSectionReader, ExportSectionReader, FunctionSectionReader,
    TableSectionReader, TypeSectionReader,
};

use super::bound::{Bound, constant};
use super::reach::Owners;
use super::{Exports, FEATURES};

/// Writes the engine anew: gates become calls through the table, the rest of the parts is left out.
pub(super) struct Rest<'a> {
    bound: &'a Bound<'a>,
    owners: &'a Owners,
    exports: &'a Exports,
    kept: &'a [u32],
    numbers: HashMap<u32, u32>,
}

impl<'a> Rest<'a> {
    pub(super) fn new(
        bound: &'a Bound<'a>,
        owners: &'a Owners,
        exports: &'a Exports,
        kept: &'a [u32],
    ) -> Self {
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
