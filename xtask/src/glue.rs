//! wasm-bindgen's glue as a factory: each call of `createGlue()` makes a scope of its own, for an instance of its own.
//!
//! The glue keeps its instance in a module variable, so that a module can serve one instance only. Stepweave puts a
//! fresh instance in the place of one that trapped, and so must be able to make the glue's variables anew.

use anyhow::{Result, bail};

/// The body of wasm-bindgen's `*_bg.js` as the function `createGlue`, which returns all that the module exported: what
/// the instance imports by its number among these, the rest by its name.
///
/// # Errors
/// When the glue holds a line at its top level that this cannot move into a function.
pub(crate) fn as_factory(glue: &str, imports: &[String]) -> Result<String> {
    let mut body = String::new();
    let mut names = Vec::new();
    for line in glue.lines() {
        let line = match line.strip_prefix("export ") {
            Some(declaration) => {
                names.push(declared_name(declaration)?);
                declaration
            }
            None if line.starts_with("import ") => bail!(
                "the glue has `{line}`: code in JavaScript snippets cannot be part of the factory; \
                 pass it through the port instead"
            ),
            None => line,
        };
        body.push_str(line);
        body.push('\n');
    }
    let members: Vec<String> = names
        .into_iter()
        .map(|name| match imports.iter().position(|import| import == name) {
            Some(number) => format!("{number}: {name}"),
            None => name.to_owned(),
        })
        .collect();
    let members = members.join(", ");
    Ok(format!("export function createGlue() {{\n{body}return {{ {members} }};\n}}\n"))
}

fn declared_name(declaration: &str) -> Result<&str> {
    let mut words = declaration.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    match (words.next(), words.next()) {
        (Some("function" | "const" | "let"), Some(name)) if !name.is_empty() => Ok(name),
        (Some("class"), _) => bail!(
            "the glue exports `{declaration}`: an exported class keeps its instance alive; export functions with ids"
        ),
        _ => bail!("the glue exports `{declaration}`, which is no declaration this build knows"),
    }
}

#[cfg(test)]
mod tests {
    use super::as_factory;

    #[test]
    fn moves_every_export_into_the_factory() {
        let glue = "let wasm;\nexport function __wbg_set_wasm(val) {\n    wasm = val;\n}\nexport const add = (a) => a;\n";
        let factory = as_factory(glue, &["other".to_owned(), "add".to_owned()]).unwrap();
        assert_eq!(
            factory,
            "export function createGlue() {\nlet wasm;\nfunction __wbg_set_wasm(val) {\n    wasm = val;\n}\n\
             const add = (a) => a;\nreturn { __wbg_set_wasm, 1: add };\n}\n"
        );
    }

    #[test]
    fn refuses_what_a_function_cannot_hold() {
        for line in ["import { x } from './snippets/a.js';", "export class Run {", "export * from './a.js';"]
        {
            assert!(as_factory(line, &[]).is_err(), "{line}");
        }
    }
}
