//! Partial interpolants: one formula for every step of the proof and every cut of the sequence.
//!
//! Cut `k` has the parts before `k` on its left and the others on its right. At each cut a literal is
//! labelled left or right; a partial interpolant `I` of a clause `C` keeps the invariant of labelled
//! interpolation systems (D'Silva, Kroening, Purandare and Weissenbacher, "Interpolant Strength", 2010): the
//! left side implies `I` or a left literal of `C`, and the right side and `I` imply a right literal of `C`. A
//! literal that occurs on one side only is of that side, even if its symbols are shared: so `x = 0` of the
//! left enters the sums of the lemmas it is used in rather than the interpolant. One that occurs on both goes
//! right for stronger interpolants, left for weaker ones.
//!
//! A symbol is known by the first and last part it occurs in, a term by the latest first and the earliest
//! last of its symbols, and so is a literal by the parts whose clauses contain it. So "is it left at cut `k`"
//! is a comparison of numbers, and monotone in `k`: the sums of all cuts for one Farkas lemma are the
//! prefixes of one sum.

use num_integer::Integer as _;
use palisade_proof::{Inequality, Lit, Meaning, Proof, Rule, Source, Sum};
use palisade_term::{Integer, Linear, Rational, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Strength;

/// Where the symbols of a term occur. It can be on the left of cut `k` if `first < k`, on the right if `last
/// >= k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    /// The latest first part of a symbol.
    first: usize,
    /// The earliest last part of a symbol.
    last: usize,
}

impl Range {
    const EVERYWHERE: Range = Range { first: 0, last: usize::MAX };

    /// Of the symbols of both.
    fn and(self, other: Range) -> Range {
        Range { first: self.first.max(other.first), last: self.last.min(other.last) }
    }
}

/// The interpolants at the cuts `1 .. parts.len()`.
pub(super) fn interpolants(
    pool: &TermPool,
    parts: &[Term],
    proof: &Proof,
    strength: Strength,
) -> Result<Vec<Term>, String> {
    let mut system = System::new(pool, parts, proof, strength);
    system.label_variables()?;
    for step in &proof.steps {
        let partial = match &step.rule {
            Rule::Input { formula, .. } => system.clause(*formula, &step.clause),
            Rule::Structure | Rule::Definition(_) => {
                let part = system.home(&step.clause);
                system.clause(part, &step.clause)
            }
            Rule::Array(_) | Rule::Product(_) => system.valid_lemma(&step.clause)?,
            Rule::Sums(sums) => system.lemma(sums, &step.clause)?,
            Rule::Resolution(chain) => system.resolve(chain),
        };
        system.partial.push(partial);
    }
    let sequence = system.partial.pop().ok_or("the proof is empty")?;
    expand(pool, proof, sequence)
}

/// The interpolants with what new variables stand for in their place.
fn expand(pool: &TermPool, proof: &Proof, sequence: Vec<Term>) -> Result<Vec<Term>, String> {
    if proof.definitions.is_empty() {
        return Ok(sequence);
    }
    let mut map: FxHashMap<Term, Term> = FxHashMap::default();
    let mut differences: FxHashSet<Term> = FxHashSet::default();
    for d in &proof.definitions {
        match d.meaning {
            Meaning::Term(t) => {
                let t = pool.substitute(t, &map);
                map.insert(d.var, t);
            }
            Meaning::Difference(..) => {
                differences.insert(d.var);
            }
        }
    }
    let sequence: Vec<Term> = sequence.into_iter().map(|t| pool.substitute(t, &map)).collect();
    if sequence.iter().any(|&t| pool.free_vars(t).iter().any(|v| differences.contains(v))) {
        return Err("an index at which arrays differ is no term of the parts".into());
    }
    Ok(sequence)
}

struct System<'a> {
    pool: &'a TermPool,
    proof: &'a Proof,
    strength: Strength,
    /// The number of parts.
    parts: usize,
    ranges: FxHashMap<Term, Range>,
    /// By variable of the proof: where its symbols occur.
    range: Vec<Range>,
    /// By variable of the proof: the first and last part that it occurs in.
    occurs: Vec<Range>,
    /// By step and cut.
    partial: Vec<Vec<Term>>,
    /// By literal code: the number of the chain that has it in its resolvent.
    present: Vec<u32>,
    stamp: u32,
}

impl<'a> System<'a> {
    fn new(pool: &'a TermPool, parts: &[Term], proof: &'a Proof, strength: Strength) -> Self {
        let mut ranges: FxHashMap<Term, Range> = FxHashMap::default();
        for (k, &part) in parts.iter().enumerate() {
            pool.visit([part], |t| {
                if pool.is_var(t) {
                    ranges.entry(t).or_insert(Range { first: k, last: k }).last = k;
                }
            });
        }
        let present = vec![0; 2 * proof.meaning.len()];
        let mut system = System {
            pool,
            proof,
            strength,
            parts: parts.len(),
            ranges,
            range: Vec::new(),
            occurs: Vec::new(),
            partial: Vec::with_capacity(proof.steps.len()),
            present,
            stamp: 0,
        };
        // A new variable is where all that it stands for is.
        for d in &proof.definitions {
            let range = match d.meaning {
                Meaning::Term(t) => system.range_of(t),
                Meaning::Difference(a, b) => match (system.range_of(a), system.range_of(b)) {
                    (Some(a), Some(b)) => Some(a.and(b)),
                    _ => None,
                },
            };
            if let Some(range) = range {
                system.ranges.insert(d.var, range);
            }
        }
        system
    }

    fn cuts(&self) -> std::ops::Range<usize> {
        1..self.parts
    }

    /// Where the symbols of a term occur; `None` if one of them occurs nowhere.
    fn range_of(&mut self, root: Term) -> Option<Range> {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.ranges.contains_key(&t) {
                stack.pop();
                continue;
            }
            if self.pool.is_var(t) {
                return None;
            }
            let args = self.pool.args(t);
            let before = stack.len();
            stack.extend(args.iter().filter(|a| !self.ranges.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let range = args.iter().fold(Range::EVERYWHERE, |range, a| range.and(self.ranges[a]));
            self.ranges.insert(t, range);
            stack.pop();
        }
        Some(self.ranges[&root])
    }

    fn label_variables(&mut self) -> Result<(), String> {
        for i in 0..self.proof.meaning.len() {
            let t = self.proof.meaning[i];
            let range = self.range_of(t).ok_or("the proof uses a symbol that is in no part")?;
            if range.first > range.last {
                return Err("a literal of the proof mixes parts".into());
            }
            self.range.push(range);
        }
        let occurrences = self.occurrences();
        for (t, range) in self.proof.meaning.iter().zip(&self.range) {
            // What only lemmas speak of can go wherever its symbols allow.
            self.occurs.push(occurrences.get(t).copied().unwrap_or(*range));
        }
        Ok(())
    }

    /// The first and last part in which a formula occurs, as far as the proof uses the parts.
    fn occurrences(&self) -> FxHashMap<Term, Range> {
        let pool = self.pool;
        let mut out: FxHashMap<Term, Range> = FxHashMap::default();
        let mut seen: FxHashSet<(usize, Term)> = FxHashSet::default();
        for step in &self.proof.steps {
            let Rule::Input { formula: part, conjunct } = step.rule else { continue };
            let mut work = vec![conjunct];
            while let Some(t) = work.pop() {
                let t = pool.strip_not(t).1;
                if !seen.insert((part, t)) {
                    continue;
                }
                let range = out.entry(t).or_insert(Range { first: part, last: part });
                *range = Range { first: range.first.min(part), last: range.last.max(part) };
                if !pool.is_atom(t) {
                    work.extend(pool.args(t));
                }
            }
        }
        out
    }

    /// The part that a clause which is valid by itself is counted to: one whose symbols include all of its
    /// own, the last one that speaks of it for stronger interpolants, the first for weaker ones.
    fn home(&self, clause: &[Lit]) -> usize {
        let over =
            |table: &[Range]| clause.iter().fold(Range::EVERYWHERE, |range, l| range.and(table[l.var()]));
        let (symbols, occurs) = (over(&self.range), over(&self.occurs));
        let wanted = match self.strength {
            Strength::Stronger => occurs.last,
            Strength::Weaker => occurs.first,
        };
        wanted.min(symbols.last).max(symbols.first)
    }

    fn is_left(&self, l: Lit, cut: usize) -> bool {
        self.left_from(l) <= cut
    }

    /// The first cut at which the literal is labelled left.
    fn left_from(&self, l: Lit) -> usize {
        let range = self.occurs[l.var()];
        match self.strength {
            Strength::Stronger => range.last.saturating_add(1),
            Strength::Weaker => range.first + 1,
        }
    }

    // ---- the Boolean part ----------------------------------------------------------------------

    /// A clause of a part: its right literals if the part is left, else the negations of its left ones.
    fn clause(&self, part: usize, clause: &[Lit]) -> Vec<Term> {
        let at = |cut: usize| {
            let is_left_part = part < cut;
            let other = clause.iter().filter(|l| self.is_left(**l, cut) != is_left_part);
            if is_left_part {
                self.pool.or(other.map(|&l| self.proof.term(self.pool, l)))
            } else {
                self.pool.and(other.map(|&l| self.proof.term(self.pool, !l)))
            }
        };
        self.cuts().map(at).collect()
    }

    /// A clause that is valid by itself: as one of the part that knows all its symbols, if there is one.
    fn valid_lemma(&self, clause: &[Lit]) -> Result<Vec<Term>, String> {
        let symbols = clause.iter().fold(Range::EVERYWHERE, |range, l| range.and(self.range[l.var()]));
        if symbols.first <= symbols.last {
            return Ok(self.clause(self.home(clause), clause));
        }
        self.one_sided(clause).ok_or_else(|| "a lemma about arrays or products combines parts".into())
    }

    fn resolve(&mut self, chain: &[u32]) -> Vec<Term> {
        self.stamp += 1;
        let mut result = self.partial[chain[0] as usize].clone();
        for &l in &*self.proof.steps[chain[0] as usize].clause {
            self.present[l.code()] = self.stamp;
        }
        for &antecedent in &chain[1..] {
            let lits = &self.proof.steps[antecedent as usize].clause;
            let pivot = lits.iter().find(|l| self.present[(!**l).code()] == self.stamp);
            let &pivot = pivot.expect("the proof resolves on a literal");
            self.present[(!pivot).code()] = 0;
            for &l in lits.iter().filter(|l| **l != pivot) {
                self.present[l.code()] = self.stamp;
            }
            let other = &self.partial[antecedent as usize];
            for (k, (mine, theirs)) in result.iter_mut().zip(other).enumerate() {
                *mine = join(self.pool, *mine, *theirs, !self.is_left(pivot, k + 1));
            }
        }
        result
    }

    // ---- arithmetic ----------------------------------------------------------------------------

    fn lemma(&self, sums: &[Sum], clause: &[Lit]) -> Result<Vec<Term>, String> {
        if let [sum] = sums
            && !sum.round
        {
            return self.farkas(sum);
        }
        if let Some(partial) = self.one_sided(clause) {
            return Ok(partial);
        }
        self.congruence(sums).ok_or_else(|| "a cut combines parts".into())
    }

    /// At every cut the sum of the left literals, or the negation of the sum of the right ones. Both are over
    /// shared terms, since the two sums contradict each other, and the first implies the second.
    fn farkas(&self, sum: &Sum) -> Result<Vec<Term>, String> {
        let mut terms: Vec<(usize, &Source, &Rational)> = Vec::with_capacity(sum.terms.len());
        for (source, factor) in &sum.terms {
            let Source::Literal(l) = source else { return Err("a sum refers to nothing".into()) };
            terms.push((self.left_from(*l), source, factor));
        }
        let weaker = self.strength == Strength::Weaker;
        terms.sort_by_key(|(from, ..)| *from);
        let mut cuts: Vec<usize> = self.cuts().collect();
        if weaker {
            terms.reverse();
            cuts.reverse();
        }
        let summed = |from: usize, cut: usize| (from <= cut) != weaker;
        let mut total = Inequality::default();
        let mut out = Vec::with_capacity(self.parts);
        let mut next = 0;
        for cut in cuts {
            let before = next;
            while next < terms.len() && summed(terms[next].0, cut) {
                let inequality = self.inequality(terms[next].1);
                total.add(&inequality.ok_or("a summand is no inequality")?, terms[next].2);
                next += 1;
            }
            match out.last() {
                Some(&same) if before == next => out.push(same),
                _ if weaker => out.push(self.pool.not(total.to_term(self.pool))),
                _ => out.push(total.to_term(self.pool)),
            }
        }
        if weaker {
            out.reverse();
        }
        Ok(out)
    }

    fn inequality(&self, source: &Source) -> Option<Inequality> {
        match source {
            Source::Literal(l) => Inequality::of_literal(self.pool, self.proof.term(self.pool, *l)),
            Source::Sum(_) => None,
        }
    }

    /// A lemma all of whose literals are on one side, at every cut.
    fn one_sided(&self, clause: &[Lit]) -> Option<Vec<Term>> {
        self.cuts()
            .map(|cut| {
                let left = clause.iter().filter(|l| self.is_left(**l, cut)).count();
                match left {
                    0 => Some(self.pool.tru()),
                    n if n == clause.len() => Some(self.pool.fls()),
                    _ => None,
                }
            })
            .collect()
    }

    /// A conflict between integer equalities: a combination of them has integer coefficients and a fractional
    /// constant. The left ones say that what they have in shared terms is, up to a constant, an integer: `Σ
    /// aᵢ·tᵢ - c` in units of the common denominator, modulo that.
    fn congruence(&self, sums: &[Sum]) -> Option<Vec<Term>> {
        let [upper, lower, both] = sums else { return None };
        let adds_both = both
            .terms
            .iter()
            .map(|(s, f)| (s, f.is_one()))
            .eq([(&Source::Sum(0), true), (&Source::Sum(1), true)]);
        if !adds_both || both.round {
            return None;
        }
        self.cuts().map(|cut| self.congruence_at(upper, lower, cut)).collect()
    }

    fn congruence_at(&self, upper: &Sum, lower: &Sum, cut: usize) -> Option<Term> {
        let left = |sum: &Sum| {
            let mut total = Inequality::default();
            for (source, factor) in &sum.terms {
                let Source::Literal(l) = source else { return None };
                if self.is_left(*l, cut) {
                    total.add(&self.inequality(source)?, factor);
                }
            }
            Some(total)
        };
        let (le, ge) = (left(upper)?, left(lower)?);
        // Together they must be an equality.
        let opposite = le.rhs == -&ge.rhs
            && le.coeffs.len() == ge.coeffs.len()
            && le.coeffs.iter().zip(&ge.coeffs).all(|((t, a), (u, b))| t == u && *a == -b);
        if !opposite || le.strict || ge.strict {
            return None;
        }
        let pool = self.pool;
        let mut shared: Vec<(Term, Rational)> = Vec::new();
        for (&t, c) in &le.coeffs {
            if *pool.sort(t) != Sort::Int {
                return None;
            }
            if !c.is_integer() {
                // Fractions only cancel against the other side, which knows the term then.
                let range = self.ranges.get(&t)?;
                if range.first >= cut || range.last < cut {
                    return None;
                }
                shared.push((t, c.to_rational()));
            }
        }
        let mut unit: Integer = le.rhs.denom();
        for (_, c) in &shared {
            unit = unit.lcm(&c.denom());
        }
        let factor = Rational::from_integer(unit.clone());
        let scaled = |r: &Rational| Rational::from_integer((r * &factor).to_integer().mod_floor(&unit));
        let l = Linear {
            coeffs: shared.iter().map(|(t, c)| (*t, scaled(c))).filter(|(_, c)| !c.is_zero()).collect(),
            constant: scaled(&(-&le.rhs).to_rational()),
        };
        let sum = pool.from_linear(&l, &Sort::Int);
        Some(pool.eq(pool.int_mod(sum, pool.int(unit)), pool.int(0)))
    }
}

/// Conjunction or disjunction of two, with the constants seen to first.
fn join(pool: &TermPool, a: Term, b: Term, conjunction: bool) -> Term {
    let (unit, zero) = (pool.bool(conjunction), pool.bool(!conjunction));
    if a == b || b == unit || a == zero {
        a
    } else if a == unit || b == zero {
        b
    } else if conjunction {
        pool.and2(a, b)
    } else {
        pool.or2(a, b)
    }
}
