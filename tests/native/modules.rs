//! How the sources are laid out: modules of core know only those that `lib.rs` lists before them, and every file begins
//! with what it is.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// The modules that a crate's root lists, in its order.
fn listed(root: &str) -> Vec<&str> {
    let lines = root.lines().map(|line| line.trim_start_matches("pub "));
    lines.filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect()
}

/// The modules of its crate that a source names outside of comments.
fn named(source: &str) -> Vec<&str> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| line.split("crate::").skip(1));
    paths
        .map(|path| path.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap())
        .collect()
}

/// The modules that a module names and that are not listed before it.
fn upwards<'a>(order: &[&str], module: &str, source: &'a str) -> Vec<&'a str> {
    let height = |name: &str| order.iter().position(|listed| *listed == name);
    let own = height(module).unwrap_or_else(|| panic!("lib.rs does not list `{module}`"));
    // What is no module of the crate is a macro or the keyword in `pub(in crate::…)`, which names the own one.
    named(source).into_iter().filter(|name| height(name).is_some_and(|height| height > own)).collect()
}

/// The sources below a folder, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn modules_of_core_know_only_those_that_are_listed_before_them() {
    let folder = project().join("core/src");
    let root = fs::read_to_string(folder.join("lib.rs")).unwrap();
    let order = listed(&root);
    let mut wrong = Vec::new();
    for path in sources(&folder) {
        let inner = path.strip_prefix(&folder).unwrap();
        let module = inner.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        if module != "lib" {
            let source = fs::read_to_string(&path).unwrap();
            let above = upwards(&order, module, &source);
            wrong.extend(above.iter().map(|above| format!("{} names {above}", inner.display())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let height = |name| order.iter().position(|listed| *listed == name).unwrap();
    for below in ["error", "event", "host", "usage", "digest"] {
        assert!(height(below) < height("models"), "{below} is listed below models");
    }
    assert!(height("models") < height("engine"));
}

#[test]
fn a_module_that_names_a_later_one_is_found() {
    let order = listed("//! Says `mod c;`.\npub mod a;\n\n#[cfg(x)]\nmod b;\npub mod c;\n");
    assert_eq!(order, ["a", "b", "c"]);
    let source = "//! [`crate::c`]\nuse crate::a::A;\nfn f() -> crate::c::C { crate::b::g() }\n";
    assert_eq!(upwards(&order, "b", source), ["c"]);
    assert_eq!(upwards(&order, "a", source), ["c", "b"]);
    assert!(upwards(&order, "c", source).is_empty());
}

#[test]
fn every_source_begins_with_what_it_is() {
    let folders = ["core/src", "pkg/src", "tests/native", "web/src", "xtask/src"];
    let files: Vec<PathBuf> = folders.iter().flat_map(|folder| sources(&project().join(folder))).collect();
    let says = |path: &PathBuf| fs::read_to_string(path).unwrap().starts_with("//! ");
    let silent: Vec<&PathBuf> = files.iter().filter(|path| !says(path)).collect();
    assert!(silent.is_empty(), "these begin with no `//!` line: {silent:#?}");
}
