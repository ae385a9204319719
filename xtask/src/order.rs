//! The order of the functions in a wasm file: those that are alike stand next to each other.
//!
//! Their order means nothing, but gzip remembers 32 KB only: what repeats farther apart is packed anew.
//! wasm-bindgen sorts functions by size; next to their likes they are 4 % smaller when packed. How likeness is best
//! measured is another matter for each file, and for each change of it: a few ways are tried, and the smallest file is kept.
#![expect(clippy::indexing_slicing, reason = "every number is that of a function in lists made here")]

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, Module};
use wasmparser::{CodeSectionReader, FunctionSectionReader, Parser, Payload, TypeRef};

use crate::size::gzipped;

/// How far gzip looks back.
const WINDOW: usize = 32 * 1024;

/// How likeness is measured.
#[derive(Clone, Copy)]
struct Measure {
    /// Bytes of the pieces by which functions are compared.
    piece: usize,
    /// A piece that more functions have says nothing about any of them.
    common: usize,
    /// What a function is taken to be longer than it is, so that the shortest ones are not the likest of all.
    frame: f64,
}

/// Those that were the best of some file.
const MEASURES: [Measure; 6] = [
    Measure { piece: 5, common: 100, frame: 64.0 },
    Measure { piece: 6, common: 100, frame: 48.0 },
    Measure { piece: 6, common: 100, frame: 96.0 },
    Measure { piece: 6, common: 400, frame: 96.0 },
    Measure { piece: 7, common: 100, frame: 96.0 },
    Measure { piece: 7, common: 400, frame: 48.0 },
];

/// Puts the functions of a wasm file in such an order.
pub(crate) fn sort_functions(path: &Path) -> Result<()> {
    let wasm = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (imported, bodies) = functions(&wasm).with_context(|| format!("{} is no wasm", path.display()))?;
    let mut smallest: Option<(usize, Vec<u8>)> = None;
    for measure in MEASURES {
        let sorted = sorted(&wasm, imported, &by_likeness(&bodies, measure))
            .with_context(|| format!("the functions of {} cannot be sorted", path.display()))?;
        let size = gzipped(&sorted)?;
        if smallest.as_ref().is_none_or(|(least, _)| size < *least) {
            smallest = Some((size, sorted));
        }
    }
    let (_, sorted) = smallest.context("there is a way to measure")?;
    fs::write(path, sorted).with_context(|| format!("{} cannot be written", path.display()))
}

/// The module with its functions in this order.
fn sorted(wasm: &[u8], imported: u32, order: &[usize]) -> Result<Vec<u8>> {
    let mut places = vec![0; order.len()];
    for (place, function) in order.iter().enumerate() {
        places[*function] = u32::try_from(place)?;
    }
    let mut module = Module::new();
    Sorter { imported, order, places: &places }
        .parse_core_module(&mut module, Parser::new(0), wasm)
        .map_err(|error| anyhow!("{error}"))?;
    Ok(module.finish())
}

/// How many functions are imported, and the bytes of the others.
fn functions(wasm: &[u8]) -> Result<(u32, Vec<&[u8]>)> {
    let (mut imported, mut bodies) = (0, Vec::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            _ => {}
        }
    }
    Ok((imported, bodies))
}

/// The functions by number: the largest one, and then always the one of which the most is in what gzip remembers.
fn by_likeness(bodies: &[&[u8]], measure: Measure) -> Vec<usize> {
    let pieces = shared_pieces(bodies, measure);
    let mut owners: HashMap<&[u8], Vec<(usize, f64)>> = HashMap::new();
    for (function, pieces) in pieces.iter().enumerate() {
        for (piece, times) in pieces {
            owners.entry(piece).or_default().push((function, f64::from(*times)));
        }
    }
    let mut likeness = vec![0.0; bodies.len()];
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    left.sort_by_key(|function| (Reverse(bodies[*function].len()), *function));
    let mut order = Vec::with_capacity(bodies.len());
    let mut remembered: HashMap<&[u8], u32> = HashMap::new();
    let (mut window, mut window_bytes) = (VecDeque::new(), 0);
    // The rarer a piece, the more it says.
    let count = |likeness: &mut [f64], piece: &[u8], sign: f64| {
        let owners = owners.get(piece).map_or(&[][..], Vec::as_slice);
        let weight = sign / owners.len() as f64;
        owners.iter().for_each(|(function, times)| likeness[*function] += weight * times);
    };
    while !left.is_empty() {
        let rate = |function: usize| likeness[function] / (bodies[function].len() as f64 + measure.frame);
        let best = (0..left.len()).rev().max_by(|a, b| rate(left[*a]).total_cmp(&rate(left[*b])));
        let next = left.remove(best.unwrap_or_default());
        order.push(next);
        window.push_back(next);
        window_bytes += bodies[next].len();
        for (piece, _) in &pieces[next] {
            let times = remembered.entry(piece).or_default();
            *times += 1;
            if *times == 1 {
                count(&mut likeness, piece, 1.0);
            }
        }
        while window_bytes > WINDOW && window.len() > 1 {
            let Some(forgotten) = window.pop_front() else { break };
            window_bytes -= bodies[forgotten].len();
            for (piece, _) in &pieces[forgotten] {
                let times = remembered.entry(piece).or_default();
                *times -= 1;
                if *times == 0 {
                    count(&mut likeness, piece, -1.0);
                }
            }
        }
    }
    order
}

/// The pieces of each function that some other one has too, and how often it has them.
fn shared_pieces<'a>(bodies: &[&'a [u8]], measure: Measure) -> Vec<Vec<(&'a [u8], u32)>> {
    let mut all: Vec<Vec<(&[u8], u32)>> = Vec::with_capacity(bodies.len());
    let mut functions_with: HashMap<&[u8], usize> = HashMap::new();
    for body in bodies {
        let mut sorted: Vec<&[u8]> = body.windows(measure.piece).collect();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b);
        let pieces: Vec<_> = runs.map(|run| (run[0], run.len() as u32)).collect();
        pieces.iter().for_each(|(piece, _)| *functions_with.entry(piece).or_default() += 1);
        all.push(pieces);
    }
    for pieces in &mut all {
        pieces.retain(|(piece, _)| (2..=measure.common).contains(&functions_with[piece]));
    }
    all
}

/// Writes a module anew, with its own functions in another order.
struct Sorter<'a> {
    imported: u32,
    /// Which function stands where, without those that are imported.
    order: &'a [usize],
    /// Where each function stands.
    places: &'a [u32],
}

impl Reencode for Sorter<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error> {
        Ok(match function.checked_sub(self.imported) {
            Some(own) => self.imported + self.places[own as usize],
            None => function,
        })
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        let types = section.into_iter().collect::<Result<Vec<u32>, _>>()?;
        for function in self.order {
            functions.function(self.type_index(types[*function])?);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        let bodies = section.into_iter().collect::<Result<Vec<_>, _>>()?;
        for function in self.order {
            self.parse_function_body(code, bodies[*function].clone())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{MEASURES, by_likeness};

    #[test]
    fn puts_likes_next_to_each_other() {
        let (words, numbers) = (*b"some words of one kind", *b"0123456789012345678901");
        let bodies: [&[u8]; 4] = [&words, &numbers, &words[1..], &numbers[1..]];
        for measure in MEASURES {
            assert_eq!(by_likeness(&bodies, measure), [0, 2, 1, 3]);
        }
    }
}
