//! Refinement of candidate models: arrays and products.
//!
//! The search knows neither. When it has a model, the model is looked at here: either it is one of the
//! formulas as they were given, or instances of axioms exclude it, or it is given up. A model is only ever
//! returned after the original formulas have been evaluated under it.

use palisade_sat::{Lit, SolveResult};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Op, Rational, Term};

use super::arrays::{Finding, Scene};
use super::gates::Rule;
use super::justify::Demand;
use super::{NativeSolver, nonlinear};
use crate::solver::UnknownReason;

/// Rounds of instances of axioms about products before a query is given up.
const PRODUCT_ROUNDS: u32 = 40;

/// What a query is about, for refinement.
pub(super) struct Goal {
    /// The formulas as given: what a model must satisfy.
    pub given: Vec<Term>,
    pub scene: Option<Scene>,
    pub products: Vec<Term>,
    rounds: u32,
}

impl NativeSolver<'_> {
    /// What has to be refined in a query, if anything. `rewritten` are the formulas without arrays.
    pub(super) fn goal(&mut self, given: Vec<Term>, rewritten: &[Term]) -> Option<Goal> {
        let arrays = self.arrays.is_used();
        let products = self.products(rewritten);
        if !arrays && products.is_empty() {
            return None;
        }
        let scene = arrays.then(|| self.arrays.scene(rewritten));
        Some(Goal { given, scene, products, rounds: 0 })
    }

    /// The products that a query is about, all known to arithmetic together with their factors.
    fn products(&mut self, rewritten: &[Term]) -> Vec<Term> {
        if self.sat.theory().enc().products.is_empty() {
            return Vec::new();
        }
        let pool = self.pool;
        let mut work = nonlinear::products(pool, rewritten);
        let mut out = Vec::new();
        while let Some(m) = work.pop() {
            if out.contains(&m) {
                continue;
            }
            out.push(m);
            let (x, y) = nonlinear::split(pool, m);
            self.encode(|enc, sink| {
                for t in [x, y, m] {
                    for (u, _) in pool.linear(t).coeffs {
                        if !matches!(pool.op(u), Op::ToReal | Op::Mod | Op::BvToInt) {
                            enc.arith_var(sink, u);
                        }
                    }
                }
            });
            if *pool.op(y) == Op::Mul && !pool.is_const(pool.args(y)[0]) {
                work.push(y);
            }
        }
        out.sort_unstable();
        out
    }

    /// Solves and refines until there is an answer.
    pub(super) fn solve_refining(&mut self, assumed: &[Lit], goal: &mut Goal) -> Result<Assignment, Stopped> {
        if let Some(scene) = &goal.scene {
            let axioms = scene.axioms.clone();
            if scene.unsupported {
                return Err(Stopped::Unknown(UnknownReason::Incomplete(
                    "arrays indexed by arrays or Booleans".into(),
                )));
            }
            for a in axioms {
                self.add_instance(a);
            }
            // Instances of earlier queries about the same arrays.
            let Some(scene) = &goal.scene else { unreachable!("just looked at") };
            for (vars, roots) in self.instances.values() {
                if vars.iter().all(|v| scene.mentions(*v)) {
                    let demands = &mut self.sat.theory_mut().demands;
                    roots.iter().for_each(|&o| demands.add_root(o));
                }
            }
        }
        loop {
            match self.solve_within_limits(assumed) {
                SolveResult::Sat => {}
                SolveResult::Unsat => return Err(Stopped::Unsat),
                SolveResult::Unknown(s) => return Err(Stopped::Unknown(self.reason(s))),
            }
            let mut model = self.model();
            if let Some(scene) = &goal.scene {
                match self.arrays.examine(scene, &model) {
                    Finding::Instances(instances) => {
                        for l in instances {
                            debug_assert!(
                                !self.pool.holds(l, &model),
                                "a lemma excludes the candidate: {}",
                                self.pool.infix(l)
                            );
                            self.add_instance(l);
                        }
                        continue;
                    }
                    Finding::Values(values) => {
                        for (t, v) in values {
                            model.set(t, v);
                        }
                    }
                }
            }
            let holds = {
                let mut ev = Evaluator::new(self.pool, &model);
                goal.given.iter().all(|&t| ev.holds(t))
            };
            if holds {
                return Ok(self.without_fresh(model));
            }
            if goal.products.is_empty() {
                return Err(Stopped::Unknown(UnknownReason::Incomplete("no array model was found".into())));
            }
            goal.rounds += 1;
            if goal.rounds > PRODUCT_ROUNDS {
                return Err(Stopped::Unknown(UnknownReason::Incomplete("nonlinear arithmetic".into())));
            }
            if !self.refine_products(assumed, goal)? {
                return Err(Stopped::Unknown(UnknownReason::Incomplete("nonlinear arithmetic".into())));
            }
        }
    }

    /// Adds instances of axioms that exclude the values of the products; false if there are none to add.
    fn refine_products(&mut self, assumed: &[Lit], goal: &Goal) -> Result<bool, Stopped> {
        let pool = self.pool;
        let mut instances = Vec::new();
        let mut fixed = Vec::new();
        for &m in &goal.products {
            let (x, y) = nonlinear::split(pool, m);
            let (Some(a), Some(b), Some(v)) = (self.number(x), self.number(y), self.number(m)) else {
                continue;
            };
            if &a * &b == v {
                continue;
            }
            instances.extend(nonlinear::instances(pool, m, (x, &a), (y, &b), &v));
            // Fix the factor that is smaller in the candidate: more likely a bounded one.
            let small = |r: &Rational| r.numer().bits() + r.denom().bits();
            let (eq, linear) = if small(&a) <= small(&b) || x == y {
                nonlinear::fix(pool, m, (x, &a), y)
            } else {
                nonlinear::fix(pool, m, (y, &b), x)
            };
            instances.push(linear);
            fixed.push(eq);
        }
        if instances.is_empty() {
            return Ok(false);
        }
        for (l, fact) in instances {
            if self.options.proofs {
                self.product_facts.entry(l).or_insert(fact);
            }
            self.add_lemma(l, Rule::Nonlinear);
        }
        // With the factors fixed the query is linear: a model of it is one of the original.
        let mut guess = assumed.to_vec();
        for f in fixed {
            let l = self.encode(|enc, sink| {
                let l = enc.literal(sink, f);
                enc.gates.require_both(sink, l);
                l
            });
            self.demand(Demand::Assign(l.var()));
            guess.push(l);
        }
        if self.solve_within_limits(&guess) == SolveResult::Sat {
            let model = self.model();
            let mut ev = Evaluator::new(pool, &model);
            if goal.scene.is_none() && goal.given.iter().all(|&t| ev.holds(t)) {
                return Err(Stopped::Model(model));
            }
        }
        Ok(true)
    }

    /// The value of an arithmetic term in the candidate, products being variables.
    fn number(&self, t: Term) -> Option<Rational> {
        let l = self.pool.linear(t);
        let mut sum = l.constant;
        for (u, c) in l.coeffs {
            let v = match self.value_of(u) {
                Some(v) => v.as_rational()?,
                None if self.pool.is_var(u) => Rational::from_integer(0.into()),
                None => return None,
            };
            sum += c * v;
        }
        Some(sum)
    }

    /// Adds a valid formula for good, and as a demand of the running query.
    fn add_lemma(&mut self, formula: Term, rule: Rule) {
        let mut roots = Vec::new();
        self.add_permanent(formula, rule, &mut roots);
        for o in roots {
            self.demand(o);
        }
    }

    /// Adds a fact about arrays, unless it is there already; either way it is a demand of the running
    /// query.
    fn add_instance(&mut self, lemma: Term) {
        self.sat.backtrack();
        if !self.instances.contains_key(&lemma) {
            let mut roots = Vec::new();
            self.add_permanent(lemma, Rule::Array, &mut roots);
            let vars = self.pool.free_vars(lemma).into_iter().collect();
            self.instances.insert(lemma, (vars, roots));
        }
        let demands = &mut self.sat.theory_mut().demands;
        self.instances[&lemma].1.iter().for_each(|&o| demands.add_root(o));
    }

    fn demand(&mut self, o: Demand) {
        self.sat.backtrack();
        self.sat.theory_mut().demands.add_root(o);
    }

    fn without_fresh(&self, model: Assignment) -> Assignment {
        if !self.arrays.is_used() {
            return model;
        }
        model
            .sorted()
            .into_iter()
            .filter(|(t, _)| !self.arrays.is_fresh(*t))
            .map(|(t, v)| (t, v.clone()))
            .collect()
    }
}

/// Why refinement ended without a model of its own.
pub(super) enum Stopped {
    Unsat,
    Unknown(UnknownReason),
    /// A model found on the way.
    Model(Assignment),
}
