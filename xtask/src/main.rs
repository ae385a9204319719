//! Every chore of the repository: `cargo xtask help` lists them.

mod apart;
mod apt;
mod bench;
mod browser;
mod build_package;
mod build_page;
mod check;
mod chromium;
mod command;
mod firefox;
mod fuzz;
mod glue;
mod licences;
mod live;
mod node_tests;
mod order;
mod packed;
mod page_size;
mod progress;
mod reference;
mod rewrite;
mod schema;
mod setup;
mod size;
mod stamp;
mod start;
mod suites;
mod test;
mod wasm;
mod workspace;

use std::process::ExitCode;

use command::{BuildTarget, Command, TestScope};
use workspace::Workspace;

fn main() -> ExitCode {
    match command::parse(lexopt::Parser::from_env()).and_then(run) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::open()?;
    match command {
        Command::Help => {
            println!("{}", command::USAGE);
            Ok(ExitCode::SUCCESS)
        }
        Command::Start { port } => done(start::start(&workspace, port)),
        Command::Build(target) => {
            setup::for_builds(&workspace)?;
            done(match target {
                BuildTarget::Package => build_package::build(&workspace),
                BuildTarget::Page | BuildTarget::Everything => build_page::build(&workspace),
            })
        }
        Command::Test { scope: TestScope::Scripted, filter } => test::run(&workspace, &filter),
        Command::Test { scope: TestScope::Live, filter } => live::run(&workspace, &filter),
        Command::Check => check::run(&workspace),
        Command::Size => done(size::run(&workspace)),
        Command::Schema => done(schema::write(&workspace)),
        Command::Reference => done(reference::write(&workspace)),
        Command::Licences => done(licences::write(&workspace)),
        Command::Fuzz { inputs } => done(fuzz::run(&workspace, inputs)),
        Command::Bench { program, json, options } => {
            done(bench::run(&workspace, program, json.as_deref(), &options))
        }
    }
}

fn done(result: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    result.map(|()| ExitCode::SUCCESS)
}
