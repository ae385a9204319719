//! From a crate to a small WebAssembly file with its JavaScript glue.

use std::env;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use wasm_bindgen_cli_support::Bindgen;
use xshell::cmd;

use crate::order;
use crate::progress::step;
use crate::workspace::Workspace;

const TARGET: &str = "wasm32-unknown-unknown";

/// A crate of the workspace, and how it is compiled.
pub(crate) struct Crate {
    pub(crate) package: &'static str,
    pub(crate) profile: &'static str,
    /// Which of its features are on: none but these.
    pub(crate) features: &'static [&'static str],
    /// What the linker is told besides.
    pub(crate) linker: &'static [&'static str],
    /// How it and all that it depends on are compiled besides.
    pub(crate) flags: &'static [&'static str],
}

/// Compiles a crate of the workspace; returns the file that cargo made.
pub(crate) fn compile(workspace: &Workspace, compiled: &Crate) -> Result<PathBuf> {
    let Crate { package, profile, features, linker, flags } = compiled;
    let shell = &workspace.shell;
    // The standard library is compiled with the crate, in its small form and without the texts of its panics: a tenth less.
    let std = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];
    let features = features.join(",");
    let linker = linker.iter().map(|argument| format!("-Clink-arg={argument}"));
    let linker: Vec<String> = std::iter::once("--".to_owned()).chain(linker).collect();
    let build = cmd!(
        shell,
        "cargo rustc --profile {profile} --lib --package {package} --no-default-features --features {features} --crate-type cdylib --target {TARGET} {std...}"
    )
        // The flags that do this are not stable yet; the toolchain's version is fixed, so they cannot change.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", all_flags(workspace, flags)?)
        .quiet();
    // On a terminal cargo itself shows how far it is.
    let built = if stderr().is_terminal() {
        build.args(linker).run().map_err(Into::into)
    } else {
        step(&format!("compiling {package} {features}"), || Ok(build.arg("--quiet").args(linker).run()?))
    };
    built.with_context(|| format!("{package} does not compile; the messages above say where"))?;
    let file = format!("{}.wasm", package.replace('-', "_"));
    Ok(workspace.target().join(TARGET).join(profile).join(file))
}

// Panic messages name their source file: without this, the folders of whoever built the package would be in it.
fn all_flags(workspace: &Workspace, own: &[&str]) -> Result<String> {
    let cargo_home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .context("neither CARGO_HOME nor HOME is set")?;
    let registry = cargo_home.join("registry/src");
    let sysroot = PathBuf::from(cmd!(workspace.shell, "rustc --print sysroot").quiet().read()?);
    let std = sysroot.join("lib/rustlib/src/rust");
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    // Cargo splits this list at the unit separator, so that a path may hold spaces.
    // Steps nested 256 deep around the deepest template need more than the usual megabyte of stack.
    let fixed = [
        "-Clink-arg=-zstack-size=4194304",
        // Generic functions go by what they are for.
        "-Csymbol-mangling-version=v0",
        "-Zunstable-options",
        "-Cpanic=immediate-abort",
        "-Zfmt-debug=none",
        "-Zlocation-detail=none",
    ];
    let remapped = [remap(&registry, "crates"), remap(&std, "rust"), remap(workspace.root(), "stepweave")];
    let fixed = fixed.iter().chain(own).map(|flag| (*flag).to_owned());
    let all = fixed.chain(remapped);
    Ok(all.collect::<Vec<_>>().join("\u{1f}"))
}

/// The glue that is made for a wasm file, and for whom.
pub(crate) struct Glue<'a> {
    pub(crate) name: &'a str,
    pub(crate) style: GlueStyle,
    pub(crate) folder: &'a Path,
}

pub(crate) enum GlueStyle {
    /// Functions alone; whoever uses them loads the wasm file.
    Bundler,
    /// A default export that fetches the wasm file next to it.
    Web,
}

impl Glue<'_> {
    /// Writes `<name>.js`, its types and `<name>_bg.wasm` (and, for bundlers, `<name>_bg.js`) into the folder.
    pub(crate) fn generate(&self, wasm: &Path) -> Result<()> {
        let mut bindgen = Bindgen::new();
        bindgen
            .input_path(wasm)
            .out_name(self.name)
            .typescript(true)
            .remove_name_section(true)
            .demangle(false)
            .remove_producers_section(true);
        match self.style {
            GlueStyle::Bundler => bindgen.bundler(true),
            GlueStyle::Web => bindgen.web(true).map(|bindgen| {
                // Files that are split off share the table of functions.
                bindgen.omit_default_module_path(false).keep_lld_exports(true)
            }),
        }
        .and_then(|bindgen| bindgen.generate(self.folder))
        .map_err(|error| anyhow!("wasm-bindgen refused {}: {error:#}", wasm.display()))
    }

    pub(crate) fn wasm(&self) -> PathBuf {
        self.folder.join(format!("{}_bg.wasm", self.name))
    }
}

/// Makes a wasm file smaller, in place, with these passes of wasm-opt, and what is left of it when it is packed.
pub(crate) fn shrink(workspace: &Workspace, wasm: &Path, passes: &[&str]) -> Result<()> {
    let shell = &workspace.shell;
    let wasm_opt = workspace.npm_tool("wasm-opt");
    // No feature is named: the file's own list of features says what its runtimes know, and goes last.
    cmd!(shell, "{wasm_opt} {passes...} {wasm} --strip-producers --strip-target-features -o {wasm}")
        .quiet()
        .run()
        .context("wasm-opt failed; `npm ci` installs it again if its files are damaged")?;
    order::sort_functions(wasm)
}
