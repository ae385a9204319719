//! What leads where in a linked wasm file: functions and data, by the linker's own list of what it has put where.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail};
use rustc_demangle::demangle;
use wasmparser::{
    DataKind, ExternalKind, KnownCustom, Linking, Operator, Parser, Payload, RelocationEntry, RelocationType,
    SymbolInfo, TypeRef,
};

use super::parts::Part;

/// To whom something belongs: the engine itself (nothing), or a part by number.
pub(super) type Owner = Option<usize>;

/// Whose the functions and the data of a linked file are.
pub(super) struct Owners {
    /// By symbol. What is not here is the engine's.
    pub(super) functions: HashMap<String, usize>,
    /// The gates of the parts: symbol, part.
    pub(super) gates: BTreeMap<String, usize>,
    /// Pieces of memory that only a part reads: address, length, part.
    pub(super) data: Vec<(u32, u32, usize)>,
}

/// A function or a piece of data, by number: the functions first.
type Node = usize;

#[derive(Default)]
struct Graph {
    /// The symbols of the functions, in the order of the file.
    functions: Vec<String>,
    /// The addresses and lengths of the data, which have the numbers behind the functions.
    data: Vec<(u32, u32)>,
    leads_to: Vec<Vec<Node>>,
    roots: Vec<Node>,
}

/// Sorts out what is reached through the gates of one part only.
pub(super) fn owners(linked: &[u8], parts: &[Part]) -> Result<Owners> {
    let graph = read(linked).context("the linked file cannot be read")?;
    let gates = gates(&graph, parts)?;
    let closed =
        |open: Owner| gates.iter().filter(move |(_, part)| Some(**part) != open).map(|(gate, _)| *gate);
    let engine = graph.reached(&[], closed(None));
    let mut owners: Vec<Owner> = vec![None; graph.leads_to.len()];
    let mut is_shared = engine;
    for part in 0..parts.len() {
        let own: Vec<Node> = gates.iter().filter(|(_, of)| **of == part).map(|(gate, _)| *gate).collect();
        let reached = graph.reached(&own, closed(Some(part)));
        for node in 0..reached.len() {
            if !reached[node] || is_shared[node] {
                continue;
            }
            match owners[node] {
                None => owners[node] = Some(part),
                Some(_) => {
                    // What two parts use is the engine's, or it would be there twice.
                    owners[node] = None;
                    is_shared[node] = true;
                }
            }
        }
    }
    let mut functions: HashMap<String, usize> = HashMap::new();
    let mut engines: Vec<&str> = Vec::new();
    for (name, owner) in graph.functions.iter().zip(&owners) {
        match owner {
            Some(part) => drop(functions.insert(name.clone(), *part)),
            None => engines.push(name),
        }
    }
    if let Some(name) = engines.iter().find(|name| functions.contains_key(**name)) {
        bail!("two functions are called {}", demangle(name));
    }
    let data = owned_data(&graph, &owners[graph.functions.len()..]);
    let gates = gates.into_iter().map(|(gate, part)| (graph.functions[gate].clone(), part)).collect();
    Ok(Owners { functions, gates, data })
}

fn gates(graph: &Graph, parts: &[Part]) -> Result<BTreeMap<Node, usize>> {
    let names: Vec<String> = graph.functions.iter().map(|name| format!("{:#}", demangle(name))).collect();
    let mut found = BTreeMap::new();
    for (number, part) in parts.iter().enumerate() {
        for gate in part.gates {
            let node = names.iter().position(|name| name == gate).with_context(|| {
                format!(
                    "the gate `{gate}` of the part {} is not in the engine: was it renamed or inlined?",
                    part.name
                )
            })?;
            found.insert(node, number);
        }
    }
    Ok(found)
}

/// The pieces of memory of each part, those that touch put together.
fn owned_data(graph: &Graph, owners: &[Owner]) -> Vec<(u32, u32, usize)> {
    let mut bytes: BTreeMap<u32, Owner> = BTreeMap::new();
    for ((address, length), owner) in graph.data.iter().zip(owners) {
        for byte in *address..*address + *length {
            bytes
                .entry(byte)
                .and_modify(|known| *known = known.filter(|known| Some(*known) == *owner))
                .or_insert(*owner);
        }
    }
    let mut pieces: Vec<(u32, u32, usize)> = Vec::new();
    let mut last = None;
    for (address, owner) in bytes {
        match (owner, pieces.last_mut()) {
            // What is between them is nobody's: data is put where its alignment wants it.
            (Some(part), Some((begin, length, of)))
                if *of == part && last == Some(part) && address - *begin - *length < 8 =>
            {
                *length = address + 1 - *begin;
            }
            (Some(part), _) => pieces.push((address, 1, part)),
            (None, _) => {}
        }
        last = owner;
    }
    pieces
}

impl Graph {
    /// What is reached from the roots and these, without a way through those.
    fn reached(&self, also: &[Node], closed: impl Iterator<Item = Node>) -> Vec<bool> {
        let mut reached = vec![false; self.leads_to.len()];
        let mut shut = vec![false; self.leads_to.len()];
        closed.for_each(|node| shut[node] = true);
        let mut open: Vec<Node> = self.roots.iter().chain(also).copied().collect();
        while let Some(node) = open.pop() {
            if !shut[node] && !std::mem::replace(&mut reached[node], true) {
                open.extend(&self.leads_to[node]);
            }
        }
        reached
    }
}

/// The pieces of memory that the file fills: where their bytes stand in the file, and their address.
struct Segment {
    start: usize,
    address: u32,
}

fn read(wasm: &[u8]) -> Result<Graph> {
    let mut graph = Graph::default();
    let mut bodies = Vec::new();
    let mut segments: Vec<Segment> = Vec::new();
    let mut symbols: Vec<Option<Node>> = Vec::new();
    let mut places: Vec<(usize, usize, Node)> = Vec::new();
    let (mut code, mut data) = ((0, 0), (0, 0));
    let mut relocations: Vec<(u32, Vec<RelocationEntry>)> = Vec::new();
    let mut section = 0;
    let mut imported = 0;
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        match &payload {
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    imported += usize::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports.clone() {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        graph.roots.push(export.index as Node);
                    }
                }
            }
            Payload::StartSection { func, .. } => graph.roots.push(*func as Node),
            Payload::CodeSectionStart { range, .. } => code = (section, range.start),
            Payload::CodeSectionEntry(body) => bodies.push(body.clone()),
            Payload::DataSection(all) => {
                data = (section, all.range().start);
                for segment in all.clone() {
                    let segment = segment?;
                    let DataKind::Active { offset_expr, .. } = &segment.kind else {
                        bail!("data is not where it belongs")
                    };
                    let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
                        bail!("the address of data is not known")
                    };
                    segments.push(Segment {
                        start: segment.range.end - segment.data.len(),
                        address: value as u32,
                    });
                }
            }
            Payload::CustomSection(custom) => match custom.as_known() {
                KnownCustom::Linking(linking) => {
                    let functions = imported + bodies.len();
                    for part in linking.subsections() {
                        let Linking::SymbolTable(table) = part? else { continue };
                        graph.functions = vec![String::new(); functions];
                        for symbol in table {
                            symbols.push(noted(&symbol?, &mut graph, &segments, &mut places));
                        }
                    }
                }
                KnownCustom::Reloc(section) => {
                    relocations.push((
                        section.section_index(),
                        section.entries().into_iter().collect::<Result<_, _>>()?,
                    ));
                }
                _ => {}
            },
            _ => {}
        }
        // Functions come one by one behind the start of their section.
        section += u32::from(!matches!(
            payload,
            Payload::Version { .. } | Payload::CodeSectionEntry(_) | Payload::End(_)
        ));
    }
    if relocations.is_empty() {
        bail!("it has no relocations: is it linked with --emit-relocs?");
    }
    graph.leads_to = vec![Vec::new(); graph.functions.len() + graph.data.len()];
    let mut owners: Vec<(usize, usize, Node)> = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let node = imported + number;
        owners.push((body.range().start, body.range().end, node));
        // What the linker itself wrote has no relocations.
        for operator in body.get_operators_reader()? {
            if let Operator::Call { function_index } | Operator::ReturnCall { function_index } = operator? {
                graph.leads_to[node].push(function_index as Node);
            }
        }
    }
    places.sort_unstable();
    for (of, entries) in relocations {
        let (start, owners) = match of {
            of if of == code.0 => (code.1, &owners),
            of if of == data.0 => (data.1, &places),
            _ => continue,
        };
        for entry in entries {
            let Some(target) = target(&entry, &symbols) else { continue };
            let at = start + entry.offset as usize;
            // Data may have two names, and so two owners.
            let before = owners.partition_point(|(begin, ..)| *begin <= at);
            let around: Vec<Node> = owners[..before]
                .iter()
                .rev()
                .take(64)
                .filter(|(_, end, _)| at < *end)
                .map(|(.., node)| *node)
                .collect();
            if around.is_empty() {
                graph.roots.push(target);
            }
            around.into_iter().for_each(|node| graph.leads_to[node].push(target));
        }
    }
    Ok(graph)
}

/// Notes a symbol; gives its node, if it is one of a function or of data.
fn noted(
    symbol: &SymbolInfo<'_>,
    graph: &mut Graph,
    segments: &[Segment],
    places: &mut Vec<(usize, usize, Node)>,
) -> Option<Node> {
    match symbol {
        SymbolInfo::Func { index, name, .. } => {
            if let (Some(name), Some(known)) = (name, graph.functions.get_mut(*index as usize)) {
                *known = (*name).to_owned();
            }
            Some(*index as Node)
        }
        SymbolInfo::Data { symbol: Some(symbol), .. } => {
            let segment = segments.get(symbol.index as usize)?;
            let node = graph.functions.len() + graph.data.len();
            graph.data.push((segment.address + symbol.offset, symbol.size));
            let start = segment.start + symbol.offset as usize;
            places.push((start, start + symbol.size as usize, node));
            Some(node)
        }
        _ => None,
    }
}

/// What is named at such a place.
fn target(entry: &RelocationEntry, symbols: &[Option<Node>]) -> Option<Node> {
    match entry.ty {
        RelocationType::TypeIndexLeb | RelocationType::GlobalIndexLeb | RelocationType::TableNumberLeb => {
            None
        }
        _ => *symbols.get(entry.index as usize)?,
    }
}
