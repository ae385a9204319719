//! Holds the rule that a floor of the page uses only those below it.

use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up; what stands in one row knows nothing of each other.
const FLOORS: [&[&str]; 9] = [
    &["geometry", "bridge"],
    &["step"],
    &["layout"],
    &["model"],
    &["run"],
    &["tools"],
    &["page"],
    &["canvas"],
    &["ui"],
];

#[test]
fn a_floor_uses_only_those_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut uses = 0;
    for file in sources(&root) {
        let path = file.strip_prefix(&root).unwrap();
        let own = path.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if ["lib", "floors"].contains(&own) {
            continue;
        }
        let floor = floor_of(own).unwrap_or_else(|| panic!("{own} is on no floor"));
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            assert!(!line.contains("crate::{"), "{}: one `use` for each floor", path.display());
            for used in used_in(line, path.iter().count()) {
                uses += usize::from(used != own);
                if used != own && floor_of(&used).unwrap() >= floor {
                    wrong.push(format!("{}:{} uses {used}", path.display(), number + 1));
                }
            }
        }
    }
    assert_eq!(wrong, [] as [&str; 0]);
    // Who reads no line of any file finds nothing wrong with it.
    assert!(uses > 100, "{uses}");
}

#[test]
fn what_a_line_uses_is_read_from_its_paths() {
    assert_eq!(used_in("use crate::ui::launch;", 2), ["ui"]);
    assert_eq!(used_in("use super::super::page::state::{App, app};", 2), ["page"]);
    assert_eq!(used_in("let run = super::run::of(crate::step::span::written(4)); // crate::ui", 3), ["step"]);
}

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// The modules at the top of the crate that a line names: from its root, or by way of all the modules that hold the
/// file, which are so many. Other names behind these are not those of modules.
fn used_in(line: &str, depth: usize) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    let ways = ["crate::".to_owned(), "super::".repeat(depth)];
    let behind = ways
        .iter()
        .flat_map(|way| code.match_indices(way.as_str()).map(|(at, found)| &code[at + found.len()..]));
    let name = |rest: &str| {
        rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().map(str::to_owned)
    };
    behind.filter_map(name).filter(|name| floor_of(name).is_some()).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let own = files.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs"));
    own.chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}
