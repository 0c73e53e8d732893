//! Reading inputs: the choice of the front-end, by file extension or, where that says nothing, by content.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use palisade_front_c::{Calls, Input, translate};
use palisade_front_ts::{Dialect, read_horn, read_vmt};
use palisade_program::Program;
use palisade_smtlib::Error;
use palisade_term::TermPool;

use crate::args::FrontArgs;
use crate::failure::Failure;

/// The language of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// Constrained Horn clauses.
    Horn(Dialect),
    /// A VMT transition system.
    Vmt,
}

/// A program as its front-end gave it.
pub struct Loaded {
    /// Where it comes from.
    pub language: Language,
    /// The program.
    pub program: Program,
    /// Of a C program: its calls of functions that have no body.
    pub calls: Option<Calls>,
}

/// What a file is, before it is read as that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    C,
    Horn,
    Vmt,
    Hardware,
}

/// Reads a program.
pub fn load(pool: &TermPool, inputs: &[PathBuf], front: &FrontArgs) -> Result<Loaded, Failure> {
    let path = &inputs[0];
    let text = read_text(path)?;
    let kind = kind_of(path, &text)?;
    if inputs.len() > 1 && kind != Kind::C {
        return Err(Failure::usage("only C programs consist of several files"));
    }
    let name = path.display().to_string();
    match kind {
        Kind::C => load_c(pool, inputs, front),
        Kind::Horn => {
            let horn = read_horn(pool, &name, &text).map_err(|e| Failure::input(e.to_string()))?;
            Ok(Loaded { language: Language::Horn(horn.map.dialect), program: horn.program, calls: None })
        }
        Kind::Vmt => {
            let vmt = read_vmt(pool, &name, &text, None).map_err(|e| Failure::input(e.to_string()))?;
            Ok(Loaded { language: Language::Vmt, program: vmt.program, calls: None })
        }
        Kind::Hardware => {
            Err(Failure::input(format!("{name}: unsupported: BTOR2 and AIGER files are not read")))
        }
    }
}

fn load_c(pool: &TermPool, inputs: &[PathBuf], front: &FrontArgs) -> Result<Loaded, Failure> {
    let options = front.c_options()?;
    let files: Vec<Input> = inputs.iter().cloned().map(Input::Path).collect();
    let colour = std::io::stderr().is_terminal();
    let c = translate(pool, &files, &options).map_err(|e| Failure::input(e.render(colour)))?;
    Ok(Loaded { language: Language::C, program: c.program, calls: Some(c.calls) })
}

fn kind_of(path: &Path, text: &str) -> Result<Kind, Failure> {
    let code = || text.lines().map(str::trim_start).filter(|l| !l.starts_with(';'));
    let is_vmt = || code().any(|l| l.contains(":invar-property") || l.contains(":live-property"));
    match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "i" | "h") => return Ok(Kind::C),
        Some("vmt") => return Ok(Kind::Vmt),
        Some("smt2") => return Ok(if is_vmt() { Kind::Vmt } else { Kind::Horn }),
        Some("btor" | "btor2" | "aig" | "aag") => return Ok(Kind::Hardware),
        _ => {}
    }
    let start = code().find(|l| !l.is_empty()).unwrap_or("");
    if start.starts_with('(') {
        return Ok(if is_vmt() { Kind::Vmt } else { Kind::Horn });
    }
    if start.starts_with("aag ") || start.starts_with("aig ") {
        return Ok(Kind::Hardware);
    }
    Err(Failure::input(format!(
        "{}: cannot tell what this is; inputs are .c, .i, .smt2 (HORN) and .vmt files",
        path.display()
    )))
}

/// The text of a file. Bytes that are not UTF-8 are read as Latin-1, so that different names stay different.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes =
        std::fs::read(path).map_err(|e| Failure::input(format!("cannot read {}: {e}", path.display())))?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect()))
}

/// An error with its file.
pub fn located(path: &Path, error: &Error) -> String {
    format!("{}:{error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_end_is_chosen_by_extension_then_content() {
        let kind = |name: &str, text: &str| kind_of(Path::new(name), text).ok();
        assert_eq!(kind("a.c", ""), Some(Kind::C));
        assert_eq!(kind("a.smt2", "(set-logic HORN)"), Some(Kind::Horn));
        assert_eq!(kind("a.smt2", "(define-fun p () Bool (! x :invar-property 0))"), Some(Kind::Vmt));
        assert_eq!(kind("a.smt2", "; not :invar-property\n(set-logic HORN)"), Some(Kind::Horn));
        assert_eq!(kind("a.vmt", ""), Some(Kind::Vmt));
        assert_eq!(kind("a", "; comment\n(set-logic HORN)"), Some(Kind::Horn));
        assert_eq!(kind("a", "aag 1 0 0 0 0"), Some(Kind::Hardware));
        assert_eq!(kind("a", "int main() {}"), None);
    }
}
