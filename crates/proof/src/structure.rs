//! Boolean structure: does a clause hold because of how its terms are made from each other?
//!
//! All literals of the clause are assumed false (and a premise, if there is one, true), and values are
//! propagated through the connectives up and down to a fixed point; the clause holds if that meets a
//! contradiction, or if both values of a condition do. This is incomplete, and complete for what it is needed
//! for: a clause of a Tseitin encoding mentions a connective together with its arguments, and a clause of a
//! formula all the branches at which propagation could stop.

use palisade_term::{Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Levels of connectives that are looked at first.
const NEIGHBOURHOOD: usize = 4;
/// With more connectives than this no cases are tried.
const MAX_CASES: usize = 100;

/// Does the premise imply the clause, by Boolean structure alone?
pub(crate) fn follows(
    pool: &TermPool,
    premise: Option<Term>,
    clause: impl IntoIterator<Item = Term>,
) -> bool {
    let mut p = Propagation { pool, value: FxHashMap::default(), nodes: Vec::new() };
    let assumed = clause.into_iter().map(|t| (t, false)).chain(premise.map(|t| (t, true)));
    let mut roots = Vec::new();
    for (t, value) in assumed {
        roots.push(t);
        if p.set(t, value).is_err() {
            return true;
        }
    }
    // A clause of a gate needs a look at its neighbourhood only, and circuits are deep.
    let mut looked_at = 0;
    for depth in [NEIGHBOURHOOD, usize::MAX] {
        p.collect(&roots, depth);
        if p.nodes.len() > looked_at && (p.run().is_err() || p.by_cases()) {
            return true;
        }
        looked_at = p.nodes.len();
    }
    false
}

/// A term has both values.
struct Contradiction;

struct Propagation<'p> {
    pool: &'p TermPool,
    value: FxHashMap<Term, bool>,
    /// The connectives, arguments before what is made of them.
    nodes: Vec<Term>,
}

impl Propagation<'_> {
    fn get(&self, t: Term) -> Option<bool> {
        let (negated, t) = self.pool.strip_not(t);
        let value = self.pool.as_bool(t).or_else(|| self.value.get(&t).copied());
        value.map(|v| v != negated)
    }

    /// Whether this is news.
    fn set(&mut self, t: Term, value: bool) -> Result<bool, Contradiction> {
        match self.get(t) {
            Some(v) if v == value => Ok(false),
            Some(_) => Err(Contradiction),
            None => {
                let (negated, t) = self.pool.strip_not(t);
                self.value.insert(t, value != negated);
                Ok(true)
            }
        }
    }

    /// The connectives below the roots, down to a depth. Conditions inside arithmetic or bit-vector terms do
    /// not count.
    fn collect(&mut self, roots: &[Term], depth: usize) {
        let pool = self.pool;
        self.nodes.clear();
        let mut seen = FxHashSet::default();
        let mut level: Vec<Term> = roots.to_vec();
        for _ in 0..depth {
            let mut next = Vec::new();
            for t in level {
                let t = pool.strip_not(t).1;
                let connective = match pool.op(t) {
                    Op::And | Op::Or => true,
                    Op::Eq => *pool.sort(pool.args(t)[0]) == Sort::Bool,
                    Op::Ite => *pool.sort(t) == Sort::Bool,
                    _ => false,
                };
                if connective && seen.insert(t) {
                    self.nodes.push(t);
                    next.extend(pool.args(t));
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        self.nodes.sort_unstable(); // terms are numbered arguments first
    }

    fn run(&mut self) -> Result<(), Contradiction> {
        loop {
            let mut news = false;
            for i in 0..self.nodes.len() {
                news |= self.visit(self.nodes[i])?; // up
            }
            for i in (0..self.nodes.len()).rev() {
                news |= self.visit(self.nodes[i])?; // down
            }
            if !news {
                return Ok(());
            }
        }
    }

    /// Does some condition contradict the rest whichever value it has?
    fn by_cases(&mut self) -> bool {
        if self.nodes.len() > MAX_CASES {
            return false;
        }
        for i in 0..self.nodes.len() {
            let t = self.nodes[i];
            if *self.pool.op(t) != Op::Ite || self.get(self.pool.args(t)[0]).is_some() {
                continue;
            }
            let condition = self.pool.args(t)[0];
            let before = self.value.clone();
            let both = [true, false].into_iter().all(|value| {
                let refuted = self.set(condition, value).is_err() || self.run().is_err();
                self.value.clone_from(&before);
                refuted
            });
            if both {
                return true;
            }
        }
        false
    }

    fn visit(&mut self, t: Term) -> Result<bool, Contradiction> {
        let pool = self.pool;
        let args = pool.args(t);
        match pool.op(t) {
            Op::And => self.junction(t, args, true),
            Op::Or => self.junction(t, args, false),
            Op::Eq => match (self.get(t), self.get(args[0]), self.get(args[1])) {
                (_, Some(a), Some(b)) => self.set(t, a == b),
                (Some(v), Some(a), None) => self.set(args[1], v == a),
                (Some(v), None, Some(b)) => self.set(args[0], v == b),
                _ => Ok(false),
            },
            _ => self.choice(t, args[0], args[1], args[2]),
        }
    }

    /// A conjunction (`unit` = true) or disjunction (false): it is `!unit` if an argument is, and `unit` if
    /// all are.
    fn junction(&mut self, t: Term, args: &[Term], unit: bool) -> Result<bool, Contradiction> {
        if self.get(t) == Some(unit) {
            let mut news = false;
            for &a in args {
                news |= self.set(a, unit)?;
            }
            return Ok(news);
        }
        let mut open = None;
        for &a in args {
            match self.get(a) {
                Some(v) if v == unit => {}
                Some(_) => return self.set(t, !unit),
                None if open.is_some() => return Ok(false),
                None => open = Some(a),
            }
        }
        match (open, self.get(t)) {
            (None, _) => self.set(t, unit),
            (Some(a), Some(_)) => self.set(a, !unit),
            (Some(_), None) => Ok(false),
        }
    }

    fn choice(&mut self, t: Term, c: Term, a: Term, b: Term) -> Result<bool, Contradiction> {
        let same = |me: &mut Self, x: Term, y: Term| match (me.get(x), me.get(y)) {
            (Some(v), _) => me.set(y, v),
            (None, Some(v)) => me.set(x, v),
            (None, None) => Ok(false),
        };
        match self.get(c) {
            Some(true) => same(self, t, a),
            Some(false) => same(self, t, b),
            None => match (self.get(t), self.get(a), self.get(b)) {
                (_, Some(x), Some(y)) if x == y => self.set(t, x),
                (Some(v), Some(x), _) if v != x => self.set(c, false),
                (Some(v), _, Some(y)) if v != y => self.set(c, true),
                _ => Ok(false),
            },
        }
    }
}
