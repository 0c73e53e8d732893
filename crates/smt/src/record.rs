//! A solver that writes down what it is asked.
//!
//! [`Recorder`] passes everything on to another solver and makes an SMT-LIB 2 script of it: the same
//! declarations, assertions, scopes and queries in the same order, each decided query with its answer as
//! `:status`, so that a replay ([`crate::script`], or another solver) checks itself. It is how the queries of
//! an engine are measured and handed to other solvers.
//!
//! A query that was not decided is left as a comment. A model or core belongs to every answer here; the
//! script does not ask for it. Interpolation is not recorded: it does not go through a solver.

use palisade_smtlib::Writer;
use palisade_term::{Term, TermPool};
use rustc_hash::FxHashSet;

use crate::solver::{Answer, Limits, Solver, Stats};

/// Text is handed over in pieces of about this size.
const PIECE: usize = 1 << 16;

/// See the [module](self).
pub struct Recorder<'p> {
    inner: Box<dyn Solver + 'p>,
    sink: Box<dyn FnMut(&str) + 'p>,
    writer: Writer<'p>,
    text: String,
    /// Variables that are declared, and terms all of whose variables are.
    declared: FxHashSet<Term>,
}

impl<'p> Recorder<'p> {
    /// Records what `inner` is asked; `sink` gets the text, piece by piece, the last one when the recorder is
    /// dropped. `pool` is the pool of `inner`.
    pub fn new(pool: &'p TermPool, inner: Box<dyn Solver + 'p>, sink: Box<dyn FnMut(&str) + 'p>) -> Self {
        Recorder {
            inner,
            sink,
            writer: Writer::new(pool),
            text: "(set-option :global-declarations true)\n(set-logic ALL)\n".into(),
            declared: FxHashSet::default(),
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        if self.text.len() >= PIECE {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        (self.sink)(&self.text);
        self.text.clear();
    }

    /// The text of a formula, after the declarations it needs.
    fn formula(&mut self, t: Term) -> String {
        let pool = self.writer.pool();
        let mut fresh = Vec::new();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            if self.declared.insert(t) {
                if pool.is_var(t) {
                    fresh.push(t);
                }
                work.extend(pool.args(t));
            }
        }
        for v in fresh {
            let declaration = self.writer.declare(v);
            self.line(&declaration);
        }
        self.writer.term(t)
    }

    fn record_assert(&mut self, formula: Term) {
        let text = self.formula(formula);
        self.line(&format!("(assert {text})"));
    }

    /// Notes a query and its answer.
    fn record_check(&mut self, assumptions: &[Term], answer: &Answer) {
        let literals: Vec<String> = assumptions.iter().map(|&t| self.formula(t)).collect();
        let query = match literals.len() {
            0 => "(check-sat)".to_string(),
            _ => format!("(check-sat-assuming ({}))", literals.join(" ")),
        };
        match answer {
            Answer::Sat(_) => self.line("(set-info :status sat)"),
            Answer::Unsat(_) => self.line("(set-info :status unsat)"),
            Answer::Unknown(why) => {
                let why = format!("; not decided: {why}");
                return self.line(&why.replace('\n', " "));
            }
        }
        self.line(&query);
    }
}

impl Solver for Recorder<'_> {
    fn pool(&self) -> &TermPool {
        self.inner.pool()
    }

    fn push(&mut self) {
        self.line("(push 1)");
        self.inner.push();
    }

    fn pop(&mut self, scopes: usize) {
        self.line(&format!("(pop {scopes})"));
        self.inner.pop(scopes);
    }

    fn assert(&mut self, formula: Term) {
        self.record_assert(formula);
        self.inner.assert(formula);
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        let answer = self.inner.check(assumptions);
        self.record_check(assumptions, &answer);
        answer
    }

    fn check_with(&mut self, temporary: &[Term], assumptions: &[Term]) -> Answer {
        let answer = self.inner.check_with(temporary, assumptions);
        self.line("(push 1)");
        for &t in temporary {
            self.record_assert(t);
        }
        self.record_check(assumptions, &answer);
        self.line("(pop 1)");
        answer
    }

    fn set_limits(&mut self, limits: Limits) {
        self.inner.set_limits(limits);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        self.hand_over();
    }
}
