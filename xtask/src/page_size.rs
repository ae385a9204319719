//! What the builder's page loads, compressed, before it shows its first card, against the budget.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::size::gzipped_kilobytes;
use crate::workspace::Workspace;

const BUDGET: f64 = 420.0;

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
    if all > BUDGET {
        bail!("over its budget: the page up to its first card");
    }
    Ok(())
}
