//! The choice of the solver, for engines (`--solver`, `--record`) and for the checker (`--check-with`).
//!
//! The checker's native solver is another one than the engine's: it logs refutations and believes itself only when the independent proof checker accepts them.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use palisade_engines::SolverFactory;
use palisade_smt::record::Recorder;
use palisade_smt::{
    Interpolator, NativeInterpolator, NativeSolver, PipeInterpolator, PipeOptions, PipeSolver,
};
use palisade_smt::{Solver, native};
use palisade_term::TermPool;

use crate::failure::Failure;

/// Which solver to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverChoice {
    /// Palisade's own, with a seed.
    Native(u64),
    /// An SMT-LIB 2 process: its command line.
    Process(String),
}

impl SolverChoice {
    /// The same, with this seed if it is Palisade's own: processes have their own options for that.
    pub fn seeded(self, seed: u64) -> SolverChoice {
        match self {
            SolverChoice::Native(_) => SolverChoice::Native(seed),
            process @ SolverChoice::Process(_) => process,
        }
    }

    /// Reads `native` or a command line. A command that cannot be run is refused here, before anything depends on it.
    pub fn parse(text: &str, option: &str) -> Result<SolverChoice, Failure> {
        if text == "native" {
            return Ok(SolverChoice::Native(0));
        }
        let words = shell_words::split(text).map_err(|e| Failure::usage(format!("{option} {text}: {e}")))?;
        match words.first() {
            Some(program) if which(program) => Ok(SolverChoice::Process(text.into())),
            Some(program) => Err(Failure::usage(format!("{option}: there is no program `{program}`"))),
            None => Err(Failure::usage(format!("{option}: `native` or a command is needed"))),
        }
    }
}

/// Is there such a program?
fn which(program: &str) -> bool {
    let is_file = |p: &std::path::Path| p.is_file();
    if program.contains('/') {
        return is_file(program.as_ref());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| is_file(&dir.join(program)))
}

impl SolverChoice {
    /// A solver for the checker. The native one believes itself only when the independent proof checker accepts its refutation.
    pub fn checking<'p>(&self, pool: &'p TermPool) -> Box<dyn Solver + 'p> {
        match self {
            SolverChoice::Native(_) => {
                let options = native::Options { certified: true, ..native::Options::default() };
                Box::new(NativeSolver::with_options(pool, options))
            }
            SolverChoice::Process(_) => self.solver(pool),
        }
    }
}

/// A solver process. The run's own limits decide how long a query may take.
fn process<'p>(pool: &'p TermPool, command: &str) -> PipeSolver<'p> {
    let options = PipeOptions { timeout: None, ..PipeOptions::default() };
    let solver = PipeSolver::with_options(pool, command, options);
    solver.expect("the command line was checked when it was read")
}

impl SolverFactory for SolverChoice {
    fn solver<'p>(&self, pool: &'p TermPool) -> Box<dyn Solver + 'p> {
        match self {
            SolverChoice::Native(seed) => {
                let options = native::Options { seed: *seed, ..native::Options::default() };
                Box::new(NativeSolver::with_options(pool, options))
            }
            SolverChoice::Process(command) => Box::new(process(pool, command)),
        }
    }

    fn interpolator<'p>(&self, pool: &'p TermPool) -> Box<dyn Interpolator + 'p> {
        match self {
            SolverChoice::Native(_) => Box::new(NativeInterpolator::new(pool)),
            SolverChoice::Process(command) => Box::new(PipeInterpolator::new(process(pool, command))),
        }
    }
}

/// Makes the solvers of a choice, each with a script of what it was asked: `FILE.0.smt2`, `FILE.1.smt2`, ... in the order in which they were made.
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
