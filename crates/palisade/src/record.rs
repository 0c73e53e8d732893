//! `--record`: the queries of the engine as SMT-LIB scripts.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use palisade_engines::SolverFactory;
use palisade_smt::record::Recorder;
use palisade_smt::{Interpolator, Solver};
use palisade_term::TermPool;
use palisade_verify::SolverChoice;

/// Makes the solvers of a choice, each with a script of what it was asked: `FILE.0.smt2`, `FILE.1.smt2`, ...
/// in the order in which they were made.
pub struct Recording<'a> {
    choice: &'a SolverChoice,
    stem: &'a Path,
    made: AtomicUsize,
    /// A script could not be written: said once.
    failed: Arc<AtomicBool>,
}

impl<'a> Recording<'a> {
    /// Scripts beside `stem`.
    pub fn new(choice: &'a SolverChoice, stem: &'a Path) -> Self {
        Recording { choice, stem, made: AtomicUsize::new(0), failed: Arc::default() }
    }

    /// The script of a solver.
    pub fn script(stem: &Path, number: usize) -> PathBuf {
        let mut name = OsString::from(stem);
        name.push(format!(".{number}.smt2"));
        name.into()
    }
}

impl SolverFactory for Recording<'_> {
    fn solver<'p>(&self, pool: &'p TermPool) -> Box<dyn Solver + 'p> {
        let path = Recording::script(self.stem, self.made.fetch_add(1, Ordering::Relaxed));
        let failed = Arc::clone(&self.failed);
        let mut begun = false;
        // Opened anew for each piece: an engine may have more solvers than a process may have open files.
        let mut append = move |text: &str| -> io::Result<()> {
            let mut options = OpenOptions::new();
            if begun {
                options.append(true)
            } else {
                options.create(true).write(true).truncate(true)
            };
            options.open(&path)?.write_all(text.as_bytes())?;
            begun = true;
            Ok(())
        };
        let sink = move |text: &str| {
            if let Err(e) = append(text)
                && !failed.swap(true, Ordering::Relaxed)
            {
                eprintln!("palisade: warning: a recorded script is incomplete: {e}");
            }
        };
        Box::new(Recorder::new(pool, self.choice.solver(pool), Box::new(sink)))
    }

    fn interpolator<'p>(&self, pool: &'p TermPool) -> Box<dyn Interpolator + 'p> {
        self.choice.interpolator(pool)
    }
}
