//! What a run is made with: engine, options, solvers. Each is looked up once, before anything is read.
//!
//! Solvers have three uses: the engine's queries, the questions of the transformations and their way back,
//! and the check. The checker's native solver is never the engine's: it logs its refutations and accepts
//! them only when the independent proof checker does.

use palisade_engines::{Engine, Options, SolverFactory};
use palisade_smt::{
    Interpolator, NativeInterpolator, NativeSolver, PipeInterpolator, PipeOptions, PipeSolver,
};
use palisade_smt::{Solver, native};
use palisade_term::TermPool;

use crate::error::Error;
use crate::load::Language;

/// How to verify.
pub struct Settings<'a> {
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// Its options, and those of the transformations.
    pub options: Options,
    /// Who makes the solvers.
    pub solvers: Solvers<'a>,
    /// Spend more work on a formula for every location. A proof of Horn clauses is a model of the clauses
    /// only if it defines every predicate.
    pub every_location: bool,
}

impl Settings<'_> {
    /// The settings for programs of a language, otherwise at their defaults.
    pub fn for_language(language: Language) -> Settings<'static> {
        Settings { every_location: language.is_horn(), ..Settings::default() }
    }
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings {
            engine: default_engine(),
            options: Options::new(),
            solvers: Solvers::default(),
            every_location: false,
        }
    }
}

/// The engine with this name. An error lists the names there are.
pub fn find_engine(name: &str) -> Result<Box<dyn Engine>, Error> {
    let engines = palisade_engines::all();
    let names: Vec<&str> = engines.iter().map(|e| e.name()).collect();
    let message = format!("there is no engine `{name}`; there are: {}", names.join(", "));
    engines.into_iter().find(|e| e.name() == name).ok_or(Error::Usage(message))
}

/// The engine of a user who does not name one.
pub fn default_engine() -> Box<dyn Engine> {
    find_engine("auto").expect("`auto` is an engine")
}

/// Who makes the solvers of a run.
#[derive(Clone, Copy)]
pub struct Solvers<'a> {
    /// For the engine.
    pub engine: &'a dyn SolverFactory,
    /// For the transformations and their way back.
    pub transform: &'a dyn SolverFactory,
    /// For the check.
    pub check: &'a dyn SolverFactory,
}

impl Default for Solvers<'_> {
    fn default() -> Self {
        const NATIVE: SolverChoice = SolverChoice::Native(0);
        Solvers { engine: &NATIVE, transform: &NATIVE, check: &Certified(NATIVE) }
    }
}

/// Which solver to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverChoice {
    /// Palisade's own, with a seed.
    Native(u64),
    /// An SMT-LIB 2 process: its command line.
    Process(String),
}

impl SolverChoice {
    /// Reads `native` or a command line. A command that cannot be run is refused here, before anything
    /// depends on it.
    pub fn parse(text: &str) -> Result<SolverChoice, String> {
        if text == "native" {
            return Ok(SolverChoice::Native(0));
        }
        let words = shell_words::split(text).map_err(|e| format!("{text}: {e}"))?;
        match words.first() {
            Some(program) if which(program) => Ok(SolverChoice::Process(text.into())),
            Some(program) => Err(format!("there is no program `{program}`")),
            None => Err("`native` or a command is needed".into()),
        }
    }

    /// The same, with this seed if it is Palisade's own: processes have their own options for that.
    pub fn seeded(self, seed: u64) -> SolverChoice {
        match self {
            SolverChoice::Native(_) => SolverChoice::Native(seed),
            process @ SolverChoice::Process(_) => process,
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

/// A solver process. The limits of the run decide how long a query may take.
fn process<'p>(pool: &'p TermPool, command: &str) -> PipeSolver<'p> {
    let options = PipeOptions { timeout: None, ..PipeOptions::default() };
    let solver = PipeSolver::with_options(pool, command, options);
    solver.expect("the command line was checked when it was read")
}

/// The solver of a check. The native one accepts its own refutation only when the independent proof checker
/// does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certified(pub SolverChoice);

impl SolverFactory for Certified {
    fn solver<'p>(&self, pool: &'p TermPool) -> Box<dyn Solver + 'p> {
        match &self.0 {
            SolverChoice::Native(_) => {
                let options = native::Options { certified: true, ..native::Options::default() };
                Box::new(NativeSolver::with_options(pool, options))
            }
            process @ SolverChoice::Process(_) => process.solver(pool),
        }
    }

    fn interpolator<'p>(&self, pool: &'p TermPool) -> Box<dyn Interpolator + 'p> {
        self.0.interpolator(pool)
    }
}
