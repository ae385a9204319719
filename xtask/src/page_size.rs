//! What the builder's page loads, compressed, before it shows its first card, against the budget.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::size::gzipped_kilobytes;
use crate::workspace::Workspace;

/// 420 is what is aimed for, and 480 what is allowed; docs/benchmarks.md says what is in it.
const BUDGET: f64 = 454.0;

/// Prints the files by their kinds; fails when together they are over the budget.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let dist = workspace.path("web/dist");
    let page = dist.join("index.html");
    let text = fs::read_to_string(&page).with_context(|| format!("{} cannot be read", page.display()))?;
    // The bundler lists in the page what it needs at once; all else is loaded on use.
    let assets: BTreeSet<&str> = text.split('"').filter_map(|address| address.strip_prefix("./")).collect();
    let mut all = gzipped_kilobytes(&page)?;
    print!("\npage: html {all:.1}");
    for ending in ["js", "css", "wasm", "svg"] {
        let files = assets.iter().filter(|file| file.ends_with(&format!(".{ending}")));
        let size = files.map(|file| gzipped_kilobytes(&dist.join(file))).sum::<Result<f64>>()?;
        print!(", {ending} {size:.1}");
        all += size;
    }
    println!(", together {all:.1} KB of {BUDGET:.0}");
    println!("right after it: {:.1} KB of wasm", chunks_kilobytes(&dist.join("assets"), &assets)?);
    if all > BUDGET {
        bail!("over its budget: the page up to its first card");
    }
    Ok(())
}

/// The chunks of the page's own wasm, which the page does not list.
fn chunks_kilobytes(folder: &Path, listed: &BTreeSet<&str>) -> Result<f64> {
    let mut all = 0.0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_chunk = name.ends_with(".wasm") && (name.starts_with("split_") || name.starts_with("chunk_"));
        if is_chunk && !listed.contains(format!("assets/{name}").as_str()) {
            all += gzipped_kilobytes(&path)?;
        }
    }
    Ok(all)
}
