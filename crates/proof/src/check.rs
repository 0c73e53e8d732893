//! The checker.

use std::fmt;

use palisade_term::{Op, Rational, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::canon::Canon;
use crate::extension::Extension;
use crate::format::{Lit, Proof, Rule, Source, Step, StepId, Sum};
use crate::inequality::Inequality;
use crate::structure::follows;
use crate::{array, product};

/// Which step of a proof does not hold, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The number of the step; the number of steps if it is the proof as a whole.
    pub step: usize,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of the proof: {}", self.step, self.why)
    }
}

impl std::error::Error for Rejected {}

/// Accepts the proof if it refutes the conjunction of the asserted formulas.
///
/// # Errors
/// If it does not: the first step that does not hold.
pub fn check(pool: &TermPool, asserted: &[Term], proof: &Proof) -> Result<(), Rejected> {
    let extension = Extension::new(pool, asserted, &proof.definitions)
        .map_err(|why| Rejected { step: proof.steps.len(), why })?;
    let mut checker = Checker::new(pool, asserted, proof, extension);
    for (i, step) in proof.steps.iter().enumerate() {
        checker.step(i, step).map_err(|why| Rejected { step: i, why })?;
    }
    match proof.steps.last() {
        Some(last) if last.clause.is_empty() => Ok(()),
        _ => Err(Rejected { step: proof.steps.len(), why: "the last clause is not empty".into() }),
    }
}

struct Checker<'a> {
    pool: &'a TermPool,
    asserted: &'a [Term],
    proof: &'a Proof,
    extension: Extension<'a>,
    canon: Canon<'a>,
    /// The conjuncts of the canonical form of an asserted formula, and that form itself.
    conjuncts: FxHashMap<usize, FxHashSet<Term>>,
    definitions: FxHashMap<Term, Option<Term>>,
    /// For resolution: the literals of the clause in the making carry the stamp.
    present: Vec<u32>,
    stamp: u32,
}

impl<'a> Checker<'a> {
    fn new(pool: &'a TermPool, asserted: &'a [Term], proof: &'a Proof, extension: Extension<'a>) -> Self {
        Checker {
            pool,
            asserted,
            proof,
            extension,
            canon: Canon::new(pool),
            conjuncts: FxHashMap::default(),
            definitions: FxHashMap::default(),
            present: vec![0; 2 * proof.meaning.len()],
            stamp: 0,
        }
    }

    fn step(&mut self, number: usize, step: &Step) -> Result<(), String> {
        for l in &step.clause {
            match self.proof.meaning.get(l.var()) {
                Some(t) if *self.pool.sort(*t) == Sort::Bool => {}
                Some(_) => return Err(format!("{l:?} means something that is not a formula")),
                None => return Err(format!("{l:?} means nothing")),
            }
        }
        match &step.rule {
            Rule::Input { formula, conjunct } => self.input(*formula, *conjunct, &step.clause),
            Rule::Structure => self.structure(None, &step.clause),
            Rule::Definition(t) => {
                let definition = match self.definitions.get(t) {
                    Some(d) => *d,
                    None => {
                        let d = self.canon.definition(*t);
                        self.definitions.insert(*t, d);
                        d
                    }
                };
                let definition = definition.ok_or_else(|| format!("{t:?} has no definition"))?;
                self.structure(Some(definition), &step.clause)
            }
            Rule::Array(fact) => {
                let fact = array::formula(self.pool, &mut self.extension, fact)?;
                let fact = self.canon.formula(fact);
                self.structure(Some(fact), &step.clause)
            }
            Rule::Product(fact) => {
                let fact = self.canon.formula(product::formula(self.pool, fact)?);
                self.structure(Some(fact), &step.clause)
            }
            Rule::Sums(sums) => self.sums(sums, &step.clause),
            Rule::Resolution(chain) => self.resolution(number, chain, &step.clause),
        }
    }

    fn structure(&self, premise: Option<Term>, clause: &[Lit]) -> Result<(), String> {
        if follows(self.pool, premise, clause.iter().map(|&l| self.proof.term(self.pool, l))) {
            Ok(())
        } else {
            Err("the clause does not follow by Boolean structure".into())
        }
    }

    fn input(&mut self, formula: usize, conjunct: Term, clause: &[Lit]) -> Result<(), String> {
        let Some(&asserted) = self.asserted.get(formula) else {
            return Err(format!("there is no formula {formula}"));
        };
        let (pool, canon, extension) = (self.pool, &mut self.canon, &mut self.extension);
        let conjuncts = self.conjuncts.entry(formula).or_insert_with(|| {
            let whole = canon.formula(extension.apply(asserted));
            let mut all: FxHashSet<Term> = FxHashSet::default();
            let mut work = vec![whole];
            while let Some(t) = work.pop() {
                if all.insert(t) && *pool.op(t) == Op::And {
                    work.extend(pool.args(t));
                }
            }
            all
        });
        if !conjuncts.contains(&conjunct) {
            return Err(format!("formula {formula} has no such conjunct"));
        }
        self.structure(Some(conjunct), clause)
    }

    fn sums(&self, sums: &[Sum], clause: &[Lit]) -> Result<(), String> {
        let mut results: Vec<Inequality> = Vec::with_capacity(sums.len());
        for sum in sums {
            let mut result = Inequality::default();
            for (source, factor) in &sum.terms {
                if !Rational::is_positive(factor) {
                    return Err("a factor is not positive".into());
                }
                match source {
                    Source::Sum(i) => {
                        result.add(results.get(*i).ok_or("a sum refers to a later one")?, factor)
                    }
                    Source::Literal(l) => {
                        if !clause.contains(&!*l) {
                            return Err(format!("the negation of {l:?} is not in the clause"));
                        }
                        let t = self.proof.term(self.pool, *l);
                        let inequality = Inequality::of_literal(self.pool, t)
                            .ok_or_else(|| format!("{l:?} is no inequality"))?;
                        result.add(&inequality, factor);
                    }
                }
            }
            if sum.round && !result.round(self.pool) {
                return Err("a sum with fractional parts is rounded".into());
            }
            results.push(result);
        }
        match results.last() {
            Some(last) if last.is_contradiction() => Ok(()),
            _ => Err("the inequalities do not add up to a contradiction".into()),
        }
    }

    fn resolution(&mut self, number: usize, chain: &[StepId], clause: &[Lit]) -> Result<(), String> {
        self.stamp += 1;
        let mut current: Vec<Lit> = Vec::new();
        for (i, &antecedent) in chain.iter().enumerate() {
            if antecedent as usize >= number {
                return Err("it is derived from a later step".into());
            }
            let lits = &self.proof.steps[antecedent as usize].clause;
            let mut pivots = lits.iter().filter(|l| self.present[(!**l).code()] == self.stamp);
            match (pivots.next(), pivots.next()) {
                (None, None) if i == 0 => {}
                (Some(&pivot), None) if i > 0 => {
                    self.present[(!pivot).code()] = 0;
                    self.add_literals(&mut current, lits, Some(pivot));
                    continue;
                }
                _ => return Err(format!("antecedent {i} does not clash in exactly one literal")),
            }
            self.add_literals(&mut current, lits, None);
        }
        if chain.is_empty() {
            return Err("it is derived from nothing".into());
        }
        let in_clause: FxHashSet<Lit> = clause.iter().copied().collect();
        match current.iter().find(|l| self.present[l.code()] == self.stamp && !in_clause.contains(l)) {
            Some(l) => Err(format!("the resolvent contains {l:?}, the clause does not")),
            None => Ok(()),
        }
    }

    fn add_literals(&mut self, current: &mut Vec<Lit>, lits: &[Lit], except: Option<Lit>) {
        for &l in lits {
            if Some(l) != except && self.present[l.code()] != self.stamp {
                self.present[l.code()] = self.stamp;
                current.push(l);
            }
        }
    }
}
