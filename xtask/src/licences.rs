//! The licences that the packages come with: their own, those of every crate that is compiled into their wasm, and those of
//! the packages that are bundled into their scripts. Vite writes those of the page's scripts when it bundles them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::cmd;

use crate::workspace::Workspace;

/// Those of the packages themselves, as they stand at the top of the repository.
const OWN: [&str; 3] = ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE"];

const NOTICES: &str = "THIRD-PARTY-LICENSES.txt";

/// A package of npm that is made here.
struct Published {
    folder: &'static str,
    /// The crate whose wasm it holds.
    made_of: &'static str,
    /// The packages of npm of which its scripts hold code, where they are listed here.
    bundled: &'static [&'static str],
    /// How its notices begin.
    head: &'static str,
}

const PUBLISHED: [Published; 2] = [
    Published { folder: "pkg", made_of: "stepweave-pkg", bundled: &BUNDLED, head: HEAD },
    Published { folder: "web", made_of: "stepweave-web", bundled: &[], head: HEAD_OF_PAGE },
];

/// Packages of npm of which the scripts of `stepweave` hold code.
const BUNDLED: [&str; 16] = [
    "@selderee/plugin-htmlparser2",
    "deepmerge-ts",
    "dom-serializer",
    "domelementtype",
    "domhandler",
    "domutils",
    "entities",
    "html-to-text",
    "htmlparser2",
    "js-yaml",
    "jsonc-parser",
    "leac",
    "parseley",
    "peberminta",
    "re2js",
    "selderee",
];

/// What `cargo metadata` calls the platform of the wasm.
const TARGET: &str = "wasm32-unknown-unknown";

/// Of licences to choose from, this one is taken: it is the shortest, and its text names the authors.
const MIT: &str = "Permission is hereby granted, free of charge";

const HEAD: &str = "\
The WebAssembly files of this package, and its scripts, contain the software below.
dist/sandbox-LICENSE.txt says what the interpreter of code steps contains.
`cargo xtask licences` writes this file.
";

const HEAD_OF_PAGE: &str = "\
The WebAssembly file of the page contains the software below.
dist/THIRD-PARTY-LICENSES.md says what its scripts contain.
`cargo xtask licences` writes this file.
";

/// The standard library is no crate of the lock file, and is compiled along.
const STANDARD_LIBRARY: &str = "The Rust standard library (MIT OR Apache-2.0)";

pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    for (file, text) in current(workspace)? {
        fs::write(workspace.path(&file), text)?;
        println!("wrote {file}");
    }
    Ok(())
}

/// Fails when a committed file is not what the repository and its dependencies say now.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    for (file, text) in current(workspace)? {
        if fs::read_to_string(workspace.path(&file)).unwrap_or_default() != text {
            bail!("{file} is not what is compiled in now; run `cargo xtask licences` and commit the file");
        }
    }
    Ok(())
}

/// The files by their places, with their texts.
fn current(workspace: &Workspace) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for package in &PUBLISHED {
        for name in OWN {
            let text =
                fs::read_to_string(workspace.path(name)).with_context(|| format!("{name} cannot be read"))?;
            files.push((format!("{}/{name}", package.folder), text));
        }
        files.push((format!("{}/{NOTICES}", package.folder), notices(workspace, package)?));
    }
    Ok(files)
}

/// Each text once, under the names of the crates that come with it.
fn notices(workspace: &Workspace, published: &Published) -> Result<String> {
    let terms = terms_of_mit(workspace)?;
    let mut crates: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let rust = format!("MIT License\n\nCopyright (c) The Rust Project Contributors\n\n{terms}");
    crates.entry(rust).or_default().insert(STANDARD_LIBRARY.to_owned());
    let bundled =
        published.bundled.iter().map(|name| bundled(workspace, name)).collect::<Result<Vec<_>>>()?;
    for package in compiled_in(workspace, published.made_of)?.into_iter().chain(bundled) {
        crates.entry(text_of(&package, &terms)?).or_default().insert(package.title());
    }
    let mut sections: Vec<(String, String)> = crates
        .into_iter()
        .map(|(text, titles)| (titles.into_iter().collect::<Vec<_>>().join("\n"), text))
        .collect();
    sections.sort();
    let rule = "-".repeat(80);
    let sections = sections.iter().map(|(titles, text)| format!("\n{rule}\n{titles}\n\n{}\n", text.trim()));
    Ok(published.head.to_owned() + &sections.collect::<String>())
}

/// The MIT license without its heading and who holds the copyright.
fn terms_of_mit(workspace: &Workspace) -> Result<String> {
    let text = fs::read_to_string(workspace.path("LICENSE-MIT"))?;
    let at = text.find(MIT).context("LICENSE-MIT does not begin as the MIT license does")?;
    Ok(text[at..].to_owned())
}

struct Package {
    name: String,
    version: String,
    licence: String,
    authors: String,
    folder: String,
}

impl Package {
    fn title(&self) -> String {
        format!("{} {} ({})", self.name, self.version, self.licence)
    }
}

/// The text under which a crate is used: the MIT license where there is a choice, else all that the crate comes with.
fn text_of(package: &Package, terms: &str) -> Result<String> {
    let mut texts = Vec::new();
    let mut names: Vec<_> = fs::read_dir(&package.folder)?.collect::<Result<Vec<_>, _>>()?;
    names.sort_by_key(fs::DirEntry::file_name);
    for file in names {
        let name = file.file_name().to_string_lossy().to_ascii_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|word| name.starts_with(word));
        if is_licence && file.file_type()?.is_file() {
            texts.push(fs::read_to_string(file.path())?.replace("\r\n", "\n"));
        }
    }
    let may_choose = package.licence.contains("MIT") && !package.licence.contains(" AND ");
    if let Some(mit) = texts.iter().find(|text| may_choose && text.contains(MIT)) {
        return Ok(mit.clone());
    }
    if !texts.is_empty() {
        return Ok(texts.join("\n\n"));
    }
    if may_choose {
        return Ok(format!("MIT License\n\nCopyright (c) {}\n\n{terms}", package.authors));
    }
    bail!("{} comes without the text of its license; look for it in its repository", package.title())
}

/// A package of npm, as it is installed.
fn bundled(workspace: &Workspace, name: &str) -> Result<Package> {
    let folder = workspace.path(&format!("node_modules/{name}"));
    let manifest: Value = serde_json::from_str(&fs::read_to_string(folder.join("package.json"))?)?;
    let text = |key: &str| manifest.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Package {
        name: text("name"),
        version: text("version"),
        licence: text("license"),
        authors: text("author"),
        folder: folder.to_string_lossy().into_owned(),
    })
}

/// The crates of others that are compiled into the wasm of a crate; none that only runs while it is compiled.
fn compiled_in(workspace: &Workspace, made_of: &str) -> Result<Vec<Package>> {
    let shell = &workspace.shell;
    let edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
    let tree = cmd!(shell, "cargo tree --locked --package {made_of} --target {TARGET} {edges...}")
        .quiet()
        .read()
        .with_context(|| format!("cargo does not tell what {made_of} depends on"))?;
    // Such as `serde v1.0.229`, and what is in brackets behind that.
    let used: BTreeSet<String> =
        tree.lines().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    let text = cmd!(shell, "cargo metadata --format-version 1 --locked --filter-platform {TARGET}")
        .quiet()
        .read()
        .context("cargo does not tell what the workspace depends on")?;
    let metadata: Value = serde_json::from_str(&text)?;
    let is_used = |package: &&Value| {
        used.contains(&format!("{} v{}", word(&package["name"]), word(&package["version"])))
    };
    // Crates of this workspace come from no registry.
    metadata
        .get("packages")
        .into_iter()
        .flat_map(list)
        .filter(|package| !package["source"].is_null())
        .filter(is_used)
        .map(read)
        .collect()
}

fn read(package: &Value) -> Result<Package> {
    let manifest = Path::new(word(&package["manifest_path"]));
    let folder = manifest.parent().context("a manifest lies in a folder")?;
    // Addresses of e-mail are no part of a name.
    let names = list(&package["authors"]).map(|author| word(author).split(" <").next().unwrap_or_default());
    Ok(Package {
        name: word(&package["name"]).to_owned(),
        version: word(&package["version"]).to_owned(),
        licence: word(&package["license"]).to_owned(),
        authors: names.collect::<Vec<_>>().join(", "),
        folder: folder.to_string_lossy().into_owned(),
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
