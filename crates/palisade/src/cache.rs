//! Results of earlier runs, by content.
//!
//! The key of a result is a hash of the automaton without names and lines of its locations, and of everything
//! else that decides the run. So an edit elsewhere in the text, or in a function that is not called, changes
//! no key. What is stored is the certificate, with locations by number. It is only a hint: it is checked like
//! any other certificate before it is believed. Of a run without an answer the reason is stored.
//!
//! Entry points: [`Cache::find`], [`Cache::store`].

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use palisade_program::Program;
use palisade_term::{Op, Term, TermPool};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What is known about a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Entry {
    /// A certificate, with locations by number.
    Certificate(String),
    /// No answer, and why.
    Unknown(String),
}

/// A folder with results.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The results in a folder; it is made when the first result is stored.
    pub fn new(folder: &Path) -> Cache {
        Cache { folder: folder.to_path_buf() }
    }

    /// The usual folder of a user.
    pub fn usual() -> Option<PathBuf> {
        let below = |variable: &str, rest: &str| {
            std::env::var_os(variable).filter(|v| !v.is_empty()).map(|v| PathBuf::from(v).join(rest))
        };
        below("XDG_CACHE_HOME", "palisade").or_else(|| below("HOME", ".cache/palisade"))
    }

    /// The result of a key.
    pub fn find<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let text = std::fs::read_to_string(self.path(key)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Keeps a result. One that cannot be written costs time later, nothing else.
    pub fn store<T: Serialize>(&self, key: &str, entry: &T) {
        let path = self.path(key);
        let Ok(text) = serde_json::to_string(entry) else { return };
        let made = path.parent().map(std::fs::create_dir_all);
        // Others may look for the same result at the same time: it appears at once or not at all.
        let draft = path.with_extension(format!("{}", std::process::id()));
        let written = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, &path));
        if made.is_none_or(|m| m.is_err()) || written.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(format!("{key}.json"))
    }
}

/// The key of a program under some words that decide the run besides.
pub fn key(pool: &TermPool, program: &Program, words: &[String]) -> String {
    let mut text = words.join("\0");
    let mut numbers: FxHashMap<Term, usize> = FxHashMap::default();
    let mut number = |text: &mut String, t: Term| {
        pool.visit([t], |s| {
            if numbers.contains_key(&s) {
                return;
            }
            let args: Vec<usize> = pool.args(s).iter().map(|a| numbers[a]).collect();
            let _ = match pool.op(s) {
                Op::Var(..) => writeln!(text, "{} {}", pool.var_display(s), pool.sort(s)),
                op => writeln!(text, "{op:?} {args:?}"),
            };
            numbers.insert(s, numbers.len());
        });
        numbers[&t]
    };
    for l in &program.locations {
        let vars: Vec<usize> = l.vars.iter().map(|&v| number(&mut text, v)).collect();
        let _ = writeln!(text, "at {vars:?}");
    }
    for e in &program.edges {
        let inputs: Vec<usize> = e.inputs.iter().map(|&v| number(&mut text, v)).collect();
        let update: Vec<usize> = e.update.iter().map(|&v| number(&mut text, v)).collect();
        let guard = number(&mut text, e.guard);
        let kind = e.origin.property.as_ref().map(std::mem::discriminant);
        let _ = writeln!(text, "{:?} {:?} {inputs:?} {guard} {update:?} {kind:?}", e.source, e.target);
    }
    let _ = writeln!(text, "{:?} {:?}", program.entry, program.error);
    palisade_report::hash::of_bytes(text.as_bytes())
}

/// The program with locations by number.
pub fn numbered(program: &Program) -> Program {
    let mut out = program.clone();
    for (i, l) in out.locations.iter_mut().enumerate() {
        l.name = format!("L{i}");
        l.position = None;
    }
    out
}
