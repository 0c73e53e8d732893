//! Any SMT-LIB 2 solver process as a [`Solver`]: `z3 -in`, `cvc5 --incremental`, `yices-smt2 --incremental`,
//! `mathsat`, `opensmt`.
//!
//! It is the oracle of the differential tests and of the checker, and the way out for theories the native
//! solver lacks; it is built for trust, not for speed:
//! - every command is acknowledged (`:print-success`), so that no answer is taken for another;
//! - every model is evaluated on all asserted formulas before it is believed;
//! - a query that runs out of time ends the process, and the next query starts a new one with the same
//!   assertions;
//! - a process that dies or talks nonsense gives [`UnknownReason::Failed`] with what it said last.
//!
//! Assumptions that are not Boolean variables or their negations are named by Boolean proxies, `(assert (=>
//! proxy formula))`.
//!
//! Entry points: [`PipeSolver`], [`PipeInterpolator`].

mod interpolate;
mod process;
mod value;

use std::time::{Duration, Instant};

use palisade_smtlib::{Context, Tree, Writer};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Answer, Limits, Solver, Stats, UnknownReason};
use process::{Failure, Patience, Process};

pub use interpolate::PipeInterpolator;

/// How to talk to a solver process.
#[derive(Clone, Debug)]
pub struct PipeOptions {
    /// The logic to set; `None`: none for z3 (which then chooses by itself), `ALL` for others.
    pub logic: Option<String>,
    /// Wall time of one query, after which the process is ended. `None`: wait for ever.
    pub timeout: Option<Duration>,
    /// Does the solver understand `(get-interpolants ...)` on named assertions?
    pub interpolation: bool,
}

impl Default for PipeOptions {
    fn default() -> Self {
        PipeOptions { logic: None, timeout: Some(Duration::from_secs(60)), interpolation: false }
    }
}

/// A solver process.
pub struct PipeSolver<'p> {
    pool: &'p TermPool,
    command: Vec<String>,
    options: PipeOptions,
    limits: Limits,
    /// The asserted formulas by scope; the first scope is never popped.
    scopes: Vec<Vec<Term>>,
    session: Option<Session<'p>>,
    queries: u64,
}

/// A running process and what it knows.
struct Session<'p> {
    process: Process,
    writer: Writer<'p>,
    levels: Vec<Level>,
    declared: FxHashSet<Term>,
    /// The names of the formulas that have a proxy.
    proxies: FxHashMap<Term, String>,
    /// Acknowledgements still to come, before the next answer.
    pending: usize,
}

/// What the process was told in one scope.
#[derive(Default)]
struct Level {
    asserted: usize,
    declared: Vec<Term>,
    proxies: Vec<Term>,
}

impl<'p> PipeSolver<'p> {
    /// A solver for this command line (`z3 -in`), with default options. The process is started by the first
    /// query.
    pub fn new(pool: &'p TermPool, command: &str) -> Result<PipeSolver<'p>, String> {
        PipeSolver::with_options(pool, command, PipeOptions::default())
    }

    /// A solver for this command line. Fails when the command line is empty or its quotes do not match.
    pub fn with_options(
        pool: &'p TermPool,
        command: &str,
        options: PipeOptions,
    ) -> Result<PipeSolver<'p>, String> {
        let words =
            shell_words::split(command).map_err(|e| format!("the solver command `{command}`: {e}"))?;
        if words.is_empty() {
            return Err("the solver command is empty".into());
        }
        Ok(PipeSolver {
            pool,
            command: words,
            options,
            limits: Limits::default(),
            scopes: vec![Vec::new()],
            session: None,
            queries: 0,
        })
    }

    /// Until when the query that begins now may run. Steps count as microseconds.
    fn patience(&self) -> Patience {
        let steps = self.limits.steps.map(Duration::from_micros);
        let limit = [steps, self.options.timeout].into_iter().flatten().min();
        Patience {
            deadline: limit.and_then(|d| Instant::now().checked_add(d)),
            interrupt: self.limits.interrupt.clone(),
        }
    }

    /// Runs a query; on failure the process is ended, and the reason told.
    fn guarded<T>(
        &mut self,
        query: impl FnOnce(&mut Session<'p>, &[Vec<Term>], &Patience) -> Result<T, Failure>,
    ) -> Result<T, UnknownReason> {
        self.queries += 1;
        let patience = self.patience();
        let mut session = match self.session.take() {
            Some(session) => session,
            None => Session::start(self.pool, &self.command, &self.options, &patience).map_err(reason)?,
        };
        match query(&mut session, &self.scopes, &patience) {
            Ok(answer) => {
                self.session = Some(session);
                Ok(answer)
            }
            Err(Failure::Broken(what)) => {
                let name = &self.command[0];
                Err(UnknownReason::Failed(format!("{name}: {what}{}", session.process.last_words())))
            }
            Err(failure) => Err(reason(failure)),
        }
    }
}

fn reason(failure: Failure) -> UnknownReason {
    match failure {
        Failure::Timeout => UnknownReason::Limit,
        Failure::Interrupted => UnknownReason::Interrupted,
        Failure::Broken(what) => UnknownReason::Failed(what),
    }
}

/// An answer that is not understood.
fn nonsense(expected: &str, got: &str) -> Failure {
    let short: String = got.chars().take(300).collect();
    Failure::Broken(format!("expected {expected}, got `{short}`"))
}

impl<'p> Session<'p> {
    fn start(
        pool: &'p TermPool,
        command: &[String],
        options: &PipeOptions,
        patience: &Patience,
    ) -> Result<Session<'p>, Failure> {
        let mut session = Session {
            process: Process::spawn(command)?,
            writer: Writer::new(pool),
            levels: vec![Level::default()],
            declared: FxHashSet::default(),
            proxies: FxHashMap::default(),
            pending: 0,
        };
        match session.set_up(command, options, patience) {
            Ok(()) => Ok(session),
            Err(Failure::Broken(what)) => {
                Err(Failure::Broken(format!("{}: {what}{}", command[0], session.process.last_words())))
            }
            Err(other) => Err(other),
        }
    }

    fn set_up(
        &mut self,
        command: &[String],
        options: &PipeOptions,
        patience: &Patience,
    ) -> Result<(), Failure> {
        self.command("(set-option :print-success true)");
        self.acknowledge(patience)?;
        // Refused options show later, when what they promise does not come.
        for option in
            [":produce-models true", ":produce-unsat-assumptions true", ":produce-interpolants true"]
        {
            if !option.contains("interpolants") || options.interpolation {
                self.command(&format!("(set-option {option})"));
                self.pending -= 1;
                self.process.receive(patience)?;
            }
        }
        let is_z3 = std::path::Path::new(&command[0]).file_stem().is_some_and(|n| n == "z3");
        match &options.logic {
            Some(logic) => self.command(&format!("(set-logic {logic})")),
            None if is_z3 => {}
            None => self.command("(set-logic ALL)"),
        }
        self.acknowledge(patience)
    }

    /// Sends a command that is answered by `success`.
    fn command(&mut self, text: &str) {
        self.process.send(format!("{text}\n"));
        self.pending += 1;
    }

    /// Reads the acknowledgements of all commands sent.
    fn acknowledge(&mut self, patience: &Patience) -> Result<(), Failure> {
        while self.pending > 0 {
            let answer = self.process.receive(patience)?;
            if answer != "success" {
                return Err(nonsense("`success`", &answer));
            }
            self.pending -= 1;
        }
        Ok(())
    }

    /// Sends a command that has an answer of its own, and reads it.
    fn ask(&mut self, text: &str, patience: &Patience) -> Result<String, Failure> {
        self.process.send(format!("{text}\n"));
        self.acknowledge(patience)?;
        self.process.receive(patience)
    }

    fn declare_vars(&mut self, t: Term) {
        for v in self.writer.pool().free_vars(t) {
            if self.declared.insert(v) {
                let text = self.writer.declare(v);
                self.command(&text);
                self.levels.last_mut().expect("a level").declared.push(v);
            }
        }
    }

    fn assert(&mut self, t: Term) {
        self.declare_vars(t);
        let text = format!("(assert {})", self.writer.term(t));
        self.command(&text);
    }

    fn pop(&mut self, count: usize) {
        for _ in 0..count {
            let level = self.levels.pop().expect("the bottom level is never popped");
            for v in level.declared {
                self.declared.remove(&v);
            }
            for f in level.proxies {
                self.proxies.remove(&f);
            }
        }
        self.command(&format!("(pop {count})"));
    }

    /// Tells the process what was asserted since the last query.
    fn synchronize(&mut self, scopes: &[Vec<Term>]) {
        for (i, scope) in scopes.iter().enumerate() {
            if i == self.levels.len() {
                self.command("(push 1)");
                self.levels.push(Level::default());
            }
            // New formulas below the top level cannot be: a scope only grows while it is the top one.
            let from = self.levels[i].asserted;
            debug_assert!(from == scope.len() || i + 1 == self.levels.len());
            for &t in &scope[from..] {
                self.assert(t);
            }
            self.levels[i].asserted = scope.len();
        }
    }

    /// The literal by which a formula is assumed.
    fn literal(&mut self, t: Term) -> String {
        let pool = self.writer.pool();
        let (negated, atom) = pool.strip_not(t);
        if pool.is_var(atom) {
            self.declare_vars(atom);
            let name = self.writer.var(atom);
            return if negated { format!("(not {name})") } else { name };
        }
        if let Some(name) = self.proxies.get(&t) {
            return name.clone();
        }
        self.declare_vars(t);
        let name = self.writer.names.reserve(&format!("assume!{}", self.proxies.len()));
        let formula = self.writer.term(t);
        self.command(&format!("(declare-fun {name} () Bool)"));
        self.command(&format!("(assert (=> {name} {formula}))"));
        self.proxies.insert(t, name.clone());
        self.levels.last_mut().expect("a level").proxies.push(t);
        name
    }

    fn check(
        &mut self,
        scopes: &[Vec<Term>],
        assumptions: &[Term],
        patience: &Patience,
    ) -> Result<Answer, Failure> {
        self.synchronize(scopes);
        let literals: Vec<String> = assumptions.iter().map(|&a| self.literal(a)).collect();
        let question = match literals.len() {
            0 => "(check-sat)".to_string(),
            _ => format!("(check-sat-assuming ({}))", literals.join(" ")),
        };
        let answer = self.ask(&question, patience)?;
        match answer.as_str() {
            "sat" => self.model(scopes, assumptions, patience),
            "unsat" if assumptions.is_empty() => Ok(Answer::Unsat(Vec::new())),
            "unsat" => self.core(assumptions, &literals, patience),
            "unknown" => self.why_unknown(patience),
            other => Err(nonsense("`sat`, `unsat` or `unknown`", other)),
        }
    }

    /// The model of all variables declared, checked against everything asserted and assumed.
    fn model(
        &mut self,
        scopes: &[Vec<Term>],
        assumptions: &[Term],
        patience: &Patience,
    ) -> Result<Answer, Failure> {
        const CHUNK: usize = 500;
        let pool = self.writer.pool();
        let vars: Vec<Term> = self.levels.iter().flat_map(|l| l.declared.iter().copied()).collect();
        let mut model = Assignment::new();
        for chunk in vars.chunks(CHUNK) {
            let names: Vec<String> = chunk.iter().map(|&v| self.writer.var(v)).collect();
            let answer = self.ask(&format!("(get-value ({}))", names.join(" ")), patience)?;
            let tree =
                Tree::parse(&answer).map_err(|e| Failure::Broken(format!("an unreadable model: {e}")))?;
            let pairs = tree.roots().next().and_then(|s| s.list()).filter(|l| l.len() == chunk.len());
            let Some(pairs) = pairs else { return Err(nonsense("a model", &answer)) };
            for (&v, pair) in chunk.iter().zip(pairs.iter()) {
                let Some([_, text]) = pair.items().exactly() else {
                    return Err(nonsense("a model", &answer));
                };
                match value::read_value(pool, pool.sort(v), text) {
                    Ok(value) => model.set(v, value),
                    Err(why) => {
                        let why = format!("a value that cannot be read: {why}");
                        return Ok(Answer::Unknown(UnknownReason::Incomplete(why)));
                    }
                }
            }
        }
        let mut evaluator = Evaluator::new(pool, &model);
        for &t in scopes.iter().flatten().chain(assumptions) {
            if !evaluator.holds(t) {
                return Err(Failure::Broken(format!("its model does not satisfy {}", pool.infix(t))));
            }
        }
        Ok(Answer::Sat(model))
    }

    fn core(
        &mut self,
        assumptions: &[Term],
        literals: &[String],
        patience: &Patience,
    ) -> Result<Answer, Failure> {
        let answer = self.ask("(get-unsat-assumptions)", patience)?;
        let tree = Tree::parse(&answer).map_err(|e| Failure::Broken(format!("an unreadable core: {e}")))?;
        let list = tree.roots().next().and_then(|s| s.list());
        let Some(list) = list.filter(|l| !l.first().is_some_and(|h| h.is_symbol("error"))) else {
            // A solver without this command: all assumptions are a core.
            return Ok(Answer::Unsat(assumptions.to_vec()));
        };
        let used: FxHashSet<String> = list.iter().map(|s| s.to_string()).collect();
        if let Some(stray) = used.iter().find(|u| !literals.contains(u)) {
            return Err(nonsense("a core of the assumptions", stray));
        }
        let core = assumptions.iter().zip(literals).filter(|(_, l)| used.contains(*l)).map(|(&a, _)| a);
        let mut seen = FxHashSet::default();
        Ok(Answer::Unsat(core.filter(|&a| seen.insert(a)).collect()))
    }

    fn why_unknown(&mut self, patience: &Patience) -> Result<Answer, Failure> {
        let answer = self.ask("(get-info :reason-unknown)", patience)?;
        let why =
            answer.trim_start_matches("(:reason-unknown").trim_end_matches(')').trim().trim_matches('"');
        Ok(Answer::Unknown(match why {
            "timeout" | "canceled" | "memout" => UnknownReason::Limit,
            _ => UnknownReason::Incomplete(why.to_string()),
        }))
    }

    /// Interpolants of named assertions.
    fn interpolants(&mut self, parts: &[Term], patience: &Patience) -> Result<Vec<Term>, Failure> {
        let mut names = Vec::new();
        for (i, &t) in parts.iter().enumerate() {
            self.declare_vars(t);
            let name = self.writer.names.reserve(&format!("part!{i}"));
            let text = format!("(assert (! {} :named {name}))", self.writer.term(t));
            self.command(&text);
            names.push(name);
        }
        let answer = self.ask("(check-sat)", patience)?;
        if answer != "unsat" {
            return Err(nonsense("`unsat`", &answer));
        }
        let answer = self.ask(&format!("(get-interpolants {})", names.join(" ")), patience)?;
        let pool = self.writer.pool();
        let tree =
            Tree::parse(&answer).map_err(|e| Failure::Broken(format!("unreadable interpolants: {e}")))?;
        let list = tree.roots().next().and_then(|s| s.list()).filter(|l| l.len() + 1 == parts.len());
        let Some(list) = list else { return Err(nonsense("interpolants", &answer)) };
        let mut context = Context::new(pool);
        for &v in &self.declared {
            let text = self.writer.var(v);
            context.define_name(text.trim_matches('|'), v);
        }
        let read = list.iter().map(|s| context.formula(s)).collect::<Result<Vec<Term>, _>>();
        read.map_err(|e| Failure::Broken(format!("unreadable interpolants: {e}")))
    }
}

impl Solver for PipeSolver<'_> {
    fn pool(&self) -> &TermPool {
        self.pool
    }

    fn push(&mut self) {
        self.scopes.push(Vec::new());
    }

    fn pop(&mut self, scopes: usize) {
        assert!(scopes < self.scopes.len(), "no more scopes are popped than were pushed");
        self.scopes.truncate(self.scopes.len() - scopes);
        if let Some(session) = &mut self.session
            && session.levels.len() > self.scopes.len()
        {
            session.pop(session.levels.len() - self.scopes.len());
        }
    }

    fn assert(&mut self, formula: Term) {
        assert_eq!(*self.pool.sort(formula), Sort::Bool, "an asserted formula");
        self.scopes.last_mut().expect("the bottom scope").push(formula);
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        let fls = self.pool.fls();
        if assumptions.contains(&fls) {
            return Answer::Unsat(vec![fls]);
        }
        let assumptions: Vec<Term> = assumptions.iter().copied().filter(|&a| a != self.pool.tru()).collect();
        self.guarded(|session, scopes, patience| session.check(scopes, &assumptions, patience))
            .unwrap_or_else(Answer::Unknown)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn stats(&self) -> Stats {
        Stats { queries: self.queries, ..Stats::default() }
    }
}
