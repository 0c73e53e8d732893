//! From the log of the core to a proof that the checker accepts.
//!
//! Every variable of the core gets the term it means, from the table of gates: inputs are variables, bits and
//! reads, atoms of arithmetic are inequalities, gates are connectives. These terms are the ones that the
//! checker's canonical forms are made of, so the clauses of an asserted formula follow from its canonical
//! form by Boolean structure, whatever the encoder did to it. Lemmas about arrays and products carry the fact
//! they are instances of; the variables that replace reads, equalities and choices of arrays become
//! definitions of the proof. The rest is renumbering.

use palisade_arith::{self as arith, Int};
use palisade_proof::{
    ArrayFact, Canon, Exact, Inequality, Lit as ProofLit, Meaning, ProductFact, Proof, Rejected, Source,
    StepId, Sum, circuit,
};
use palisade_sat::{Lit, Step, Var};
use palisade_term::{Op, Rational, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::NativeSolver;
use super::arrays::Arrays;
use super::encode::Encoder;
use super::gates::{BitGate, Gate, Rule};
use super::theory::Certificate;

/// A refutation of a list of formulas.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The formulas: all that were asserted, and the assumptions of the core.
    pub formulas: Vec<Term>,
    /// The proof that they have no model.
    pub proof: Proof,
}

impl Refutation {
    /// Has the proof checked.
    ///
    /// # Errors
    /// If a step of it does not hold.
    pub fn check(&self, pool: &TermPool) -> Result<(), Rejected> {
        palisade_proof::check(pool, &self.formulas, &self.proof)
    }
}

impl NativeSolver<'_> {
    /// The proof of the query that was just refuted, or why there is none. `core` are the failed assumptions
    /// with their literals.
    pub(super) fn refutation(&self, temporary: &[Term], core: &[(Term, Lit)]) -> Result<Refutation, String> {
        let formulas: Vec<Term> =
            self.asserted.iter().chain(temporary).copied().chain(core.iter().map(|&(t, _)| t)).collect();
        let assumptions = formulas.len() - core.len();
        let mut tr = Translation::new(self, formulas);
        let mut last = None;
        if let Some(root) = self.sat.final_step() {
            let log = self.sat.proof().ok_or("no proof was logged")?.trim(root);
            let certificates =
                self.sat.theory().certificates.as_deref().ok_or("no certificates were kept")?;
            for (_, step) in log.steps() {
                last = Some(tr.step(step, certificates)?);
            }
        }
        // Resolve the assumptions away.
        let mut chain: Vec<StepId> = last.into_iter().collect();
        for (i, &(_, lit)) in core.iter().enumerate() {
            chain.push(tr.input(assumptions + i, &[lit])?);
        }
        if chain.len() > 1 {
            tr.proof.add(&[], palisade_proof::Rule::Resolution(chain));
        }
        tr.define_new_variables();
        Ok(Refutation { formulas: tr.formulas, proof: tr.proof })
    }
}

/// The translation of one log.
struct Translation<'a, 'p> {
    pool: &'p TermPool,
    enc: &'a Encoder<'p>,
    arrays: &'a Arrays<'p>,
    product_facts: &'a FxHashMap<Term, ProductFact>,
    formulas: Vec<Term>,
    /// Number of a formula by the index of its term without arrays.
    formula_of: FxHashMap<u32, usize>,
    /// Instances of axioms about arrays and products, by index.
    instances: FxHashMap<u32, Term>,
    /// Terms whose new variables need definitions.
    mentioned: Vec<Term>,
    canon: Canon<'p>,
    conjuncts: FxHashMap<usize, FxHashSet<Term>>,
    /// Terms by index, of those that have definitions.
    defined: FxHashMap<u32, Term>,
    /// The term of an arithmetic variable, or the bit it is a digit for.
    leaves: Vec<Option<Leaf>>,
    inputs: FxHashMap<Var, Term>,
    circuits: FxHashMap<Var, BitGate>,
    /// By variable of the core.
    meaning: Vec<Option<Term>>,
    number: Vec<Option<usize>>,
    proof: Proof,
}

#[derive(Clone, Copy)]
enum Leaf {
    Term(Term),
    Digit(Lit),
}

impl<'a, 'p> Translation<'a, 'p> {
    fn new(solver: &'a NativeSolver<'p>, formulas: Vec<Term>) -> Self {
        let (pool, enc) = (solver.pool, solver.sat.theory().enc());
        let instances = solver.instances.keys().chain(solver.product_facts.keys());
        let mut tr = Translation {
            pool,
            enc,
            arrays: &solver.arrays,
            product_facts: &solver.product_facts,
            instances: instances.map(|&t| (t.index() as u32, t)).collect(),
            mentioned: Vec::new(),
            formula_of: FxHashMap::default(),
            canon: Canon::new(pool),
            conjuncts: FxHashMap::default(),
            defined: FxHashMap::default(),
            leaves: Vec::new(),
            inputs: FxHashMap::default(),
            circuits: enc.gates.bit_gates().collect(),
            meaning: Vec::new(),
            number: Vec::new(),
            proof: Proof::default(),
            formulas,
        };
        for (i, t) in tr.formulas.iter().enumerate() {
            tr.formula_of.entry(solver.arrays.rewritten(*t).index() as u32).or_insert(i);
        }
        tr.leaves.resize(enc.arith.num_vars(), None);
        for (t, v) in enc.arith_vars() {
            tr.leaves[v.index()] = Some(Leaf::Term(t));
            tr.defined.insert(t.index() as u32, t);
        }
        for (bit, v) in enc.digits() {
            tr.leaves[v.index()] = Some(Leaf::Digit(bit));
        }
        for &t in &enc.variables {
            if *pool.sort(t) == Sort::Bool
                && let Some(l) = enc.known(t)
            {
                tr.inputs.insert(l.var(), t);
            }
        }
        for (t, bits) in enc.bit_vectors() {
            if matches!(pool.op(t), Op::Var(..) | Op::Select | Op::IntToBv(_)) {
                tr.defined.insert(t.index() as u32, t);
                for (i, b) in bits.iter().enumerate() {
                    tr.inputs.insert(b.var(), circuit::bit(pool, t, i as u32));
                }
            }
        }
        tr
    }

    // ---- meanings ------------------------------------------------------------------------------

    /// The proof's literal for a literal of the core.
    fn lit(&mut self, l: Lit) -> Result<ProofLit, String> {
        let v = l.var();
        if self.number.len() <= v.index() {
            self.number.resize(v.index() + 1, None);
        }
        let n = match self.number[v.index()] {
            Some(n) => n,
            None => {
                let t = self.term_of_var(v)?;
                self.proof.meaning.push(t);
                let n = self.proof.meaning.len() - 1;
                self.number[v.index()] = Some(n);
                n
            }
        };
        Ok(ProofLit::new(n, l.is_positive()))
    }

    fn clause(&mut self, lits: &[Lit]) -> Result<Vec<ProofLit>, String> {
        lits.iter().map(|&l| self.lit(l)).collect()
    }

    fn term_of_var(&mut self, root: Var) -> Result<Term, String> {
        let mut stack = vec![root];
        while let Some(&v) = stack.last() {
            if self.known(v).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for u in self.needed(v) {
                if self.known(u).is_none() {
                    stack.push(u);
                }
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let t = self.make(v)?;
            if self.meaning.len() <= v.index() {
                self.meaning.resize(v.index() + 1, None);
            }
            self.meaning[v.index()] = Some(t);
        }
        Ok(self.known(root).expect("just made"))
    }

    fn known(&self, v: Var) -> Option<Term> {
        self.meaning.get(v.index()).copied().flatten()
    }

    fn known_lit(&self, l: Lit) -> Term {
        let t = self.known(l.var()).expect("what a gate rests on is made first");
        if l.is_positive() { t } else { self.pool.not(t) }
    }

    /// The variables whose meanings the meaning of `v` is made of.
    fn needed(&self, v: Var) -> Vec<Var> {
        let gates = &self.enc.gates;
        match gates.get(v) {
            Gate::Free | Gate::Defined(..) => Vec::new(),
            Gate::And(start, len) => gates.children(start, len).iter().map(|l| l.var()).collect(),
            Gate::Iff(a, b) => vec![a.var(), b.var()],
            Gate::Ite(a, b, c) => vec![a.var(), b.var(), c.var()],
            Gate::Linear(alit, ..) => {
                let (var, ..) = self.enc.arith.literal_bound(alit);
                let digit = |x: arith::Var| match self.leaves[x.index()] {
                    Some(Leaf::Digit(bit)) => Some(bit.var()),
                    _ => None,
                };
                match self.enc.arith.form(var) {
                    None => digit(var).into_iter().collect(),
                    Some(form) => form.iter().filter_map(|(x, _)| digit(*x)).collect(),
                }
            }
            _ => match self.circuits.get(&v) {
                None => Vec::new(),
                Some(BitGate::And(a, b) | BitGate::Xor(a, b)) => vec![a.var(), b.var()],
                Some(BitGate::Parity(a, b, c) | BitGate::Majority(a, b, c) | BitGate::Choice(a, b, c)) => {
                    vec![a.var(), b.var(), c.var()]
                }
            },
        }
    }

    fn make(&self, v: Var) -> Result<Term, String> {
        let p = self.pool;
        let lit = |l: Lit| self.known_lit(l);
        let gates = &self.enc.gates;
        Ok(match gates.get(v) {
            Gate::Free | Gate::Defined(..) if v.index() == 0 => p.tru(),
            Gate::Free | Gate::Defined(..) => {
                *self.inputs.get(&v).ok_or("a variable of the core stands for no term")?
            }
            Gate::And(start, len) => circuit::all(p, gates.children(start, len).iter().map(|&l| lit(l))),
            Gate::Iff(a, b) => p.eq(lit(a), lit(b)),
            Gate::Ite(c, a, b) => p.ite(lit(c), lit(a), lit(b)),
            Gate::Linear(alit, ..) => {
                // A positive literal is `var <= high`.
                let (var, _, high) = self.enc.arith.literal_bound(alit);
                let mut inequality = Inequality {
                    rhs: Exact::of(&high.real),
                    strict: !high.inf.is_zero(),
                    ..Inequality::default()
                };
                match self.enc.arith.form(var) {
                    None => {
                        inequality.coeffs.insert(self.leaf(var)?, Exact::small(1));
                    }
                    Some(form) => {
                        for (x, c) in form {
                            inequality.coeffs.insert(self.leaf(*x)?, Exact::of(&number(c)));
                        }
                    }
                }
                inequality.to_term(p)
            }
            _ => match self.circuits.get(&v).ok_or("a gate of the core stands for no term")? {
                BitGate::And(a, b) => circuit::and(p, lit(*a), lit(*b)),
                BitGate::Xor(a, b) => circuit::xor(p, lit(*a), lit(*b)),
                BitGate::Parity(a, b, c) => circuit::parity(p, lit(*a), lit(*b), lit(*c)),
                BitGate::Majority(a, b, c) => circuit::majority(p, lit(*a), lit(*b), lit(*c)),
                BitGate::Choice(c, a, b) => circuit::choose(p, lit(*c), lit(*a), lit(*b)),
            },
        })
    }

    fn leaf(&self, v: arith::Var) -> Result<Term, String> {
        self.leaf_at(v.index())
    }

    fn leaf_at(&self, index: usize) -> Result<Term, String> {
        let p = self.pool;
        match self.leaves[index] {
            Some(Leaf::Term(t)) => Ok(t),
            Some(Leaf::Digit(bit)) => Ok(p.ite(self.known_lit(bit), p.int(1), p.int(0))),
            None => Err("a variable of arithmetic stands for no term".into()),
        }
    }

    // ---- steps ---------------------------------------------------------------------------------

    fn step(&mut self, step: Step<'_>, certificates: &[Certificate]) -> Result<StepId, String> {
        use palisade_proof::Rule as R;
        let (lits, tag) = match step {
            Step::Input { lits, tag } | Step::Theory { lits, tag } => (lits, tag),
            Step::Derived { lits, chain } => {
                let clause = self.clause(lits)?;
                let chain = chain.iter().map(|a| a.index() as StepId).collect();
                return Ok(self.proof.add(&clause, R::Resolution(chain)));
            }
        };
        let (rule, detail) = Rule::of_tag(tag);
        match rule {
            Rule::Input => {
                let formula = self.formula_of.get(&detail).copied();
                self.input(formula.ok_or("a clause of no asserted formula is used")?, lits)
            }
            Rule::True | Rule::And | Rule::Iff | Rule::Ite | Rule::Bit => {
                let clause = self.clause(lits)?;
                Ok(self.proof.add(&clause, R::Structure))
            }
            Rule::Term => {
                let clause = self.clause(lits)?;
                let term = *self.defined.get(&detail).ok_or("a definition is of no term")?;
                Ok(self.proof.add(&clause, R::Definition(term)))
            }
            Rule::Digit => {
                let clause = self.clause(lits)?;
                let digit = self.leaf_at(detail as usize)?;
                Ok(self.proof.add(&clause, R::Definition(digit)))
            }
            Rule::Arith => {
                let clause = self.clause(lits)?;
                let certificate = certificates.get(detail as usize).ok_or("a lemma has no certificate")?;
                let sums = self.sums(certificate, &clause)?;
                Ok(self.proof.add(&clause, R::Sums(sums)))
            }
            Rule::Array | Rule::Nonlinear => {
                let clause = self.clause(lits)?;
                let lemma = *self.instances.get(&detail).ok_or("a lemma is unknown")?;
                let rule = match self.product_facts.get(&lemma) {
                    Some(fact) if rule == Rule::Nonlinear => R::Product(fact.clone()),
                    _ => R::Array(self.array_fact(lemma).ok_or("a lemma has no reason")?),
                };
                Ok(self.proof.add(&clause, rule))
            }
            Rule::Split => Err("a split is no clause".into()),
        }
    }

    /// A clause of an asserted formula.
    fn input(&mut self, formula: usize, lits: &[Lit]) -> Result<StepId, String> {
        let clause = self.clause(lits)?;
        let p = self.pool;
        let (canon, asserted) = (&mut self.canon, self.arrays.rewritten(self.formulas[formula]));
        let whole = canon.formula(asserted);
        self.mentioned.push(asserted);
        let conjuncts =
            self.conjuncts.entry(formula).or_insert_with(|| p.conjuncts(whole).into_iter().collect());
        let mut conjunct = circuit::any(p, clause.iter().map(|&l| self.proof.term(p, l)));
        if !conjuncts.contains(&conjunct) {
            conjunct = whole;
        }
        Ok(self.proof.add(&clause, palisade_proof::Rule::Input { formula, conjunct }))
    }

    fn array_fact(&mut self, lemma: Term) -> Option<ArrayFact> {
        let fact = self.arrays.fact(lemma)?.clone();
        self.mentioned.push(lemma);
        match &fact {
            ArrayFact::Extensionality(v) | ArrayFact::Choice(v) => self.mentioned.push(*v),
            ArrayFact::Walk(walk) => {
                self.mentioned.push(walk.start);
                self.mentioned.extend(walk.hops.iter().map(|&(_, array)| array));
            }
        }
        Some(fact)
    }

    /// The definitions of all new variables that the proof mentions, in the order in which they were made.
    fn define_new_variables(&mut self) {
        if !self.arrays.is_used() {
            return;
        }
        let mut work = std::mem::take(&mut self.mentioned);
        work.extend(&self.proof.meaning);
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            work.extend(self.pool.args(t));
            if !self.arrays.is_fresh(t) {
                continue;
            }
            let Some(definition) = self.arrays.definition(t) else { continue };
            match definition.meaning {
                // An operator on arrays is all that is new; its arguments may mention other new variables.
                Meaning::Term(u) => work.push(u),
                Meaning::Difference(a, b) => work.extend([a, b]),
            }
            self.proof.definitions.push(definition);
        }
        // Variables are younger than what they stand for.
        self.proof.definitions.sort_unstable_by_key(|d| d.var);
    }

    fn sums(&mut self, certificate: &Certificate, clause: &[ProofLit]) -> Result<Vec<Sum>, String> {
        let mut premise =
            |reason: u32| Ok::<_, String>(Source::Literal(self.lit(Lit::from_code(reason as usize))?));
        match certificate {
            Certificate::Farkas(farkas) => {
                let mut terms = Vec::with_capacity(farkas.premises.len());
                for (bound, factor) in &farkas.premises {
                    terms.push((premise(bound.reason)?, number(factor)));
                }
                Ok(vec![Sum { terms, round: false }])
            }
            Certificate::Cuts(cuts) => {
                let mut sums = Vec::with_capacity(cuts.steps.len() + 1);
                for step in &cuts.steps {
                    let mut terms = Vec::with_capacity(step.premises.len());
                    for (source, factor) in &step.premises {
                        let source = match source {
                            arith::Source::Bound(b) => premise(b.reason)?,
                            arith::Source::Step(i) => Source::Sum(*i),
                        };
                        terms.push((source, factor.clone()));
                    }
                    sums.push(Sum { terms, round: step.round });
                }
                self.conclude(&mut sums, clause);
                Ok(sums)
            }
        }
    }

    /// If the last sum is not a contradiction, it is one together with the literal of the clause that it
    /// implies.
    fn conclude(&self, sums: &mut Vec<Sum>, clause: &[ProofLit]) {
        let p = self.pool;
        let literal = |l: ProofLit| Inequality::of_literal(p, self.proof.term(p, l)).unwrap_or_default();
        let mut results: Vec<Inequality> = Vec::with_capacity(sums.len());
        for sum in sums.iter() {
            let mut result = Inequality::default();
            for (source, factor) in &sum.terms {
                match source {
                    Source::Literal(l) => result.add(&literal(*l), factor),
                    Source::Sum(i) => result.add(&results[*i].clone(), factor),
                }
            }
            if sum.round {
                result.round(p);
            }
            results.push(result);
        }
        let Some(last) = results.last().filter(|r| !r.is_contradiction()) else { return };
        for &l in clause {
            let negation = literal(!l);
            let factor = match (last.coeffs.iter().next(), negation.coeffs.iter().next()) {
                (Some((t, a)), Some((u, b))) if t == u => (-(a / b)).to_rational(),
                _ => continue,
            };
            let mut total = last.clone();
            if factor.is_positive() {
                total.add(&negation, &factor);
                if total.is_contradiction() {
                    let one = Rational::ONE;
                    let terms = vec![(Source::Sum(results.len() - 1), one), (Source::Literal(!l), factor)];
                    sums.push(Sum { terms, round: false });
                    return;
                }
            }
        }
    }
}

fn number(i: &Int) -> Rational {
    Rational::from(i)
}
