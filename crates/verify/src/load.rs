//! Reading programs: the choice of the front-end, by file extension or, where that says nothing, by content.
//!
//! Entry point: [`load`].

use std::path::Path;
use std::sync::Arc;

use palisade_front_c::{Assumption, COptions, Calls, Confirmation, Input, Slice, Story, translate};
use palisade_front_ts::{Dialect, read_btor2, read_horn, read_vmt};
use palisade_program::Program;
use palisade_term::TermPool;

use crate::error::Error;
use crate::hardware::Hardware;

/// The language of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// Constrained Horn clauses.
    Horn(Dialect),
    /// A VMT transition system.
    Vmt,
    /// A circuit in AIGER format.
    Aiger,
    /// A word-level circuit in BTOR2 format.
    Btor2,
}

impl Language {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Horn(_) => "horn",
            Language::Vmt => "vmt",
            Language::Aiger => "aiger",
            Language::Btor2 => "btor2",
        }
    }

    /// Is the input a system of Horn clauses?
    pub fn is_horn(self) -> bool {
        matches!(self, Language::Horn(_))
    }
}

/// A program as its front-end gave it.
pub struct Loaded {
    /// Where it comes from.
    pub language: Language,
    /// The program.
    pub program: Program,
    /// Of a C program: its calls of functions that have no body.
    pub calls: Option<Calls>,
    /// Of a C program: what the user's compiler says about its types, layouts and constants.
    pub confirmation: Option<Confirmation>,
    /// Of a circuit: the way back to its file.
    pub hardware: Option<Hardware>,
    /// Of a C program: what it was translated under.
    pub assumptions: Vec<Assumption>,
    /// Of a C program: what its edges do, statement by statement.
    pub story: Option<Story>,
    /// Of a C program: what was left out of it.
    pub sliced: Option<Slice>,
    /// Of a C program: what decides some of its runs that C or the environment leaves open.
    pub open: Option<Arc<str>>,
    /// The question is whether every run ends, rather than whether one reaches the error location.
    pub ends: bool,
}

impl Loaded {
    /// A program of which there is nothing more to say.
    fn new(language: Language, program: Program) -> Loaded {
        Loaded {
            language,
            program,
            calls: None,
            confirmation: None,
            hardware: None,
            assumptions: Vec::new(),
            story: None,
            sliced: None,
            open: None,
            ends: false,
        }
    }
}

/// What a file is, before it is read as that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    C,
    Horn,
    Vmt,
    Aiger,
    Btor2,
}

/// Reads a program; several inputs are linked together, which only C has.
pub fn load(pool: &TermPool, inputs: &[Input], c_options: &COptions) -> Result<Loaded, Error> {
    let first = inputs.first().ok_or_else(|| Error::Usage("there is no input".into()))?;
    let (name, text) = match first {
        Input::Path(path) => (path.display().to_string(), read_text(path)?),
        Input::Text(name, text) | Input::Piped(name, text) => (name.clone(), text.clone()),
        Input::Read(source) => (source.name().to_string(), source.text.to_string()),
    };
    let kind = kind_of(Path::new(&name), &text)?;
    if inputs.len() > 1 && kind != Kind::C {
        return Err(Error::Usage("only C programs consist of several files".into()));
    }
    let loaded = match kind {
        Kind::C => {
            let c = translate(pool, inputs, c_options).map_err(Error::C)?;
            if let Confirmation::Different(..) = c.confirmation {
                return Err(Error::Defect(c.confirmation.to_string()));
            }
            let (calls, confirmation) = (Some(c.calls), Some(c.confirmation));
            let (assumptions, story, sliced) = (c.assumptions, Some(c.story), c.sliced);
            let (open, ends) = (c.open, c_options.checks.termination);
            let rest = Loaded::new(Language::C, c.program);
            Loaded { calls, confirmation, assumptions, story, sliced, open, ends, ..rest }
        }
        Kind::Horn => {
            let horn = read_horn(pool, &name, &text).map_err(|e| Error::Input(e.to_string()))?;
            Loaded::new(Language::Horn(horn.map.dialect), horn.program)
        }
        Kind::Vmt => {
            let vmt = read_vmt(pool, &name, &text, None).map_err(|e| Error::Input(e.to_string()))?;
            Loaded::new(Language::Vmt, vmt.program)
        }
        Kind::Aiger => {
            let circuit = match first {
                Input::Path(path) => palisade_aig::aiger::read(&read_bytes(path)?),
                _ => palisade_aig::aiger::read(text.as_bytes()),
            };
            let circuit = circuit.map_err(|e| Error::Input(format!("{name}:{e}")))?;
            let translation = palisade_aig::program::translate(pool, &circuit, &name);
            let program = translation.program.clone();
            let hardware = Some(Hardware::Aiger(Box::new((circuit, translation))));
            Loaded { hardware, ..Loaded::new(Language::Aiger, program) }
        }
        Kind::Btor2 => {
            let btor2 = read_btor2(pool, &name, &text).map_err(|e| Error::Input(e.to_string()))?;
            let hardware = Some(Hardware::Btor2(btor2.map));
            Loaded { hardware, ..Loaded::new(Language::Btor2, btor2.program) }
        }
    };
    loaded.program.check(pool).map_err(|e| Error::Defect(e.to_string()))?;
    Ok(loaded)
}

fn kind_of(path: &Path, text: &str) -> Result<Kind, Error> {
    let code = || text.lines().map(str::trim_start).filter(|l| !l.starts_with(';'));
    let is_vmt = || code().any(|l| l.contains(":invar-property") || l.contains(":live-property"));
    match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "i" | "h") => return Ok(Kind::C),
        Some("vmt") => return Ok(Kind::Vmt),
        Some("smt2") => return Ok(if is_vmt() { Kind::Vmt } else { Kind::Horn }),
        Some("aig" | "aag") => return Ok(Kind::Aiger),
        Some("btor" | "btor2") => return Ok(Kind::Btor2),
        _ => {}
    }
    let start = code().find(|l| !l.is_empty()).unwrap_or("");
    if start.starts_with('(') {
        return Ok(if is_vmt() { Kind::Vmt } else { Kind::Horn });
    }
    if start.starts_with("aag ") || start.starts_with("aig ") {
        return Ok(Kind::Aiger);
    }
    Err(Error::Input(format!(
        "{}: cannot tell what this is; inputs are .c, .i, .smt2 (HORN), .vmt, .aig, .aag and .btor2 files",
        path.display()
    )))
}

/// The text of a file. Bytes that are not UTF-8 are read as Latin-1, so that different names stay different.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let latin1 = |bytes: Vec<u8>| bytes.into_iter().map(char::from).collect();
    Ok(String::from_utf8(read_bytes(path)?).unwrap_or_else(|e| latin1(e.into_bytes())))
}

/// The bytes of a file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|e| Error::Input(format!("cannot read {}: {e}", path.display())))
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
        assert_eq!(kind("a", "aag 1 0 0 0 0"), Some(Kind::Aiger));
        assert_eq!(kind("a", "int main() {}"), None);
    }
}
