//! Implicants: literals of a formula that are true in a model and together imply the formula.

use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// A cube that is true in the model and implies the formula. The formula must be true in the model.
///
/// Disjunctions contribute one true disjunct (one already chosen if possible, else the smallest). Conditional
/// terms inside atoms are resolved by the model; their conditions join the cube. Disequalities over numbers
/// become the strict inequality that the model satisfies.
pub fn implicant(pool: &TermPool, formula: Term, model: &Assignment) -> Vec<Term> {
    let mut walk = Walk {
        pool,
        ev: Evaluator::new(pool, model),
        seen: FxHashSet::default(),
        work: vec![(formula, true)],
        cube: Vec::new(),
    };
    walk.run();
    let mut cube = walk.cube;
    cube.sort_unstable();
    cube.dedup();
    cube.retain(|&l| l != pool.tru());
    debug_assert!(cube.iter().all(|&l| pool.holds(l, model)), "an implicant holds in its model");
    cube
}

struct Walk<'p, 'm> {
    pool: &'p TermPool,
    ev: Evaluator<'p, 'm>,
    seen: FxHashSet<(Term, bool)>,
    /// Formulas with the truth value they have in the model.
    work: Vec<(Term, bool)>,
    cube: Vec<Term>,
}

impl Walk<'_, '_> {
    fn run(&mut self) {
        while let Some((t, value)) = self.work.pop() {
            debug_assert_eq!(self.ev.holds(t), value, "the model decides {}", self.pool.infix(t));
            if self.seen.insert((t, value)) {
                self.step(t, value);
            }
        }
    }

    fn step(&mut self, t: Term, value: bool) {
        let args = self.pool.args(t);
        match self.pool.op(t) {
            Op::Bool(_) => {}
            Op::Not => self.work.push((args[0], !value)),
            Op::And if value => self.work.extend(args.iter().map(|&a| (a, true))),
            Op::Or if !value => self.work.extend(args.iter().map(|&a| (a, false))),
            Op::And | Op::Or => {
                let a = self.choose(args, value);
                self.work.push((a, value));
            }
            Op::Eq if *self.pool.sort(args[0]) == Sort::Bool => {
                for &a in args {
                    let v = self.ev.holds(a);
                    self.work.push((a, v));
                }
            }
            Op::Ite if *self.pool.sort(t) == Sort::Bool => {
                let c = self.ev.holds(args[0]);
                self.work.push((args[0], c));
                self.work.push((if c { args[1] } else { args[2] }, value));
            }
            _ => self.atom(t, value),
        }
    }

    /// One argument with the wanted value: one already chosen, else an atom, else the one with the fewest
    /// arguments.
    fn choose(&mut self, args: &[Term], value: bool) -> Term {
        let mut best: Option<(usize, Term)> = None;
        for &a in args {
            if self.ev.holds(a) != value {
                continue;
            }
            if self.seen.contains(&(a, value)) {
                return a;
            }
            let (_, atom) = self.pool.strip_not(a);
            let cost = if self.pool.is_atom(atom) { 0 } else { 1 + self.pool.args(atom).len() };
            if best.is_none_or(|(c, _)| cost < c) {
                best = Some((cost, a));
            }
        }
        best.expect("an argument has the value of the whole").1
    }

    fn atom(&mut self, t: Term, value: bool) {
        let resolved = self.resolve(t);
        if resolved != t {
            // The atom may have simplified to something with structure again.
            self.work.push((resolved, value));
            return;
        }
        let args = self.pool.args(t);
        let lit = match self.pool.op(t) {
            Op::Eq if !value && self.pool.sort(args[0]).is_arith() => {
                let below = self.pool.lt(args[0], args[1]);
                if self.ev.holds(below) { below } else { self.pool.gt(args[0], args[1]) }
            }
            _ if value => t,
            _ => self.pool.not(t),
        };
        self.cube.push(lit);
    }

    /// Replaces conditional subterms by their branch in the model; the conditions are queued.
    fn resolve(&mut self, t: Term) -> Term {
        let pool = self.pool;
        let mut has_ite = false;
        pool.visit([t], |u| has_ite |= *pool.op(u) == Op::Ite);
        if !has_ite {
            return t;
        }
        let mut conditions = Vec::new();
        // Innermost branches are reached by repeating: a branch may itself be conditional.
        let mut chosen: FxHashMap<Term, Term> = FxHashMap::default();
        let ev = &mut self.ev;
        let out = pool.transform(t, |pool, u| {
            if *pool.op(u) != Op::Ite {
                return None;
            }
            if let Some(&b) = chosen.get(&u) {
                return Some(b);
            }
            let mut branch = u;
            while *pool.op(branch) == Op::Ite {
                let args = pool.args(branch);
                let c = ev.holds(args[0]);
                conditions.push((args[0], c));
                branch = if c { args[1] } else { args[2] };
            }
            chosen.insert(u, branch);
            Some(branch)
        });
        self.work.extend(conditions);
        // Conditionals below the chosen branches.
        if out == t { t } else { self.resolve(out) }
    }
}
