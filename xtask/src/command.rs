//! What was asked for on the command line.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use lexopt::{Arg, Parser, ValueExt};

pub(crate) const USAGE: &str = "\
Usage: cargo xtask <command>

  start [--port N]        build everything, serve the builder and print its URL
  build [pkg|web]         build the npm package, or the page (which builds the package first; the default)
  test [filter]           run every test suite, the one of that name, or those whose name contains it
  test --live [filter]    run the tests against a real llama-server, which the first call builds (about five minutes)
  check                   formatting, lints, types, the package's metadata, the committed schema and licences
  size                    what each entry of the package loads, and the page, against the budgets
  fuzz [inputs]           read so many broken answers in each wire format, and compare so many templates and
                          expressions with MiniJinja (a million unless said otherwise)
  bench engine            how fast the engine is, next to other libraries; --json FILE keeps the numbers
  bench edge              what Workers, streams, waiting runs and durable engines cost, likewise
  bench canvas            what the builder's canvas costs next to React Flow, likewise; a short run of it:
                          --sizes 100,1000,5000 --throttle 1,4 --rounds 3 are what is measured unless said otherwise
  schema                  write the JSON Schema of workflow documents into the package
  reference               write the API reference of the package and of the engine, and check its links
  licences                write the licences of what the package's wasm contains into the package

Each command sets up what it needs and reuses what is there.";

pub(crate) enum Command {
    Help,
    Start { port: Option<u16> },
    Build(BuildTarget),
    Test { scope: TestScope, filter: String },
    Check,
    Size,
    Fuzz { inputs: u32 },
    Bench { program: &'static str, json: Option<PathBuf>, options: Vec<String> },
    Schema,
    Reference,
    Licences,
}

pub(crate) enum BuildTarget {
    Package,
    Page,
    Everything,
}

pub(crate) enum TestScope {
    /// Against scripted endpoints, without network.
    Scripted,
    /// Against a real server.
    Live,
}

pub(crate) fn parse(mut arguments: Parser) -> Result<Command> {
    let mut words = Vec::new();
    let mut port = None;
    let mut json = None;
    let mut options = Vec::new();
    let mut scope = TestScope::Scripted;
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("port") => port = Some(arguments.value()?.parse()?),
            Arg::Long("json") => json = Some(arguments.value()?.into()),
            Arg::Long(name @ ("sizes" | "throttle" | "rounds")) => {
                options.push(format!("--{name}"));
                options.push(arguments.value()?.string()?);
            }
            Arg::Long("live") => scope = TestScope::Live,
            Arg::Value(word) => words.push(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(match *words.as_slice() {
        [] | ["help"] => Command::Help,
        ["start"] => Command::Start { port },
        ["build"] => Command::Build(BuildTarget::Everything),
        ["build", "pkg"] => Command::Build(BuildTarget::Package),
        ["build", "web"] => Command::Build(BuildTarget::Page),
        ["test"] => Command::Test { scope, filter: String::new() },
        ["test", filter] => Command::Test { scope, filter: filter.to_owned() },
        ["check"] => Command::Check,
        ["size"] => Command::Size,
        ["fuzz"] => Command::Fuzz { inputs: 1_000_000 },
        ["fuzz", inputs] => {
            Command::Fuzz { inputs: inputs.parse().context("fuzz takes a number of inputs")? }
        }
        ["bench", "engine"] => Command::Bench { program: "engine", json, options },
        ["bench", "edge"] => Command::Bench { program: "edge", json, options },
        ["bench", "canvas"] => Command::Bench { program: "canvas", json, options },
        ["schema"] => Command::Schema,
        ["reference"] => Command::Reference,
        ["licences"] => Command::Licences,
        _ => bail!("`{}` is not a command.\n\n{USAGE}", words.join(" ")),
    })
}
