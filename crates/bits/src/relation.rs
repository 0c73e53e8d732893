//! The transition relation as clauses: by polarity, and without the gates that are not worth a variable.
//!
//! The clauses of a gate are those that hold when it is true (they contain its negation) and those that hold
//! when it is false. A query that wants a literal needs the first kind for it, and so on for the literals of
//! those clauses (Plaisted, Greenbaum: A Structure-Preserving Clause Form Translation, 1986). Which gates are
//! treated so, and which always get both kinds, is [`Polarity`]'s to say.
//!
//! A gate is eliminated when its definition, substituted into the gates that use it, gives no more clauses
//! than were there before (Een, Biere: Effective Preprocessing in SAT through Variable and Clause
//! Elimination, 2005). Substitution keeps the order of the gates: the resolvents define the gate that used
//! the other one. So the relation can still be loaded cone by cone.
//!
//! # Invariants
//! - Latches, inputs, next states, bad states and constraints keep their variables.
//! - For values of the variables that are left, the clauses of a literal hold if and only if the function of
//!   the gate has the literal's value: its own arguments have the given values, eliminated ones are computed.
//!   This is how models extend to eliminated gates (`Lifter` does it, where it needs one).
//! - `needs` of a literal has every variable that this function is computed from, also where no clause is
//!   left of it: otherwise a model of the cone might not determine the gate.
//!
//! Entry point: [`Relation::new`].

use palisade_sat::{Lit, Var};

use crate::model::Model;
use crate::options::{Options, Polarity};

/// Literals of a clause that elimination may make.
const MAX_LITERALS: usize = 20;
/// Literals that a gate may need after elimination.
const MAX_NEEDS: usize = 24;
/// A gate that more gates use stays.
const MAX_USERS: usize = 20;
/// Times that all gates are looked at.
const ROUNDS: usize = 4;

/// Slices of one length after another.
#[derive(Clone, Debug)]
struct Rows<T> {
    items: Vec<T>,
    ends: Vec<u32>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows { items: Vec::new(), ends: vec![0] }
    }
}

impl<T> Rows<T> {
    fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.ends.push(self.items.len() as u32);
    }

    #[inline]
    fn row(&self, i: usize) -> &[T] {
        &self.items[self.ends[i] as usize..self.ends[i + 1] as usize]
    }

    fn len(&self) -> usize {
        self.ends.len() - 1
    }
}

/// How large the relation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) variables: usize,
    pub(crate) clauses: usize,
}

/// The clauses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relation {
    first_gate: usize,
    /// The clauses, and by code of a gate's literal the number of the first one that it needs.
    clauses: Rows<Lit>,
    sides: Vec<u32>,
    /// By code of a gate's literal: what it needs.
    needs: Rows<Lit>,
    /// Gates whose clauses are always added in both polarities.
    both: Vec<bool>,
    /// Before and after elimination.
    pub(crate) sizes: [Size; 2],
}

impl Relation {
    /// The relation of a model, and which of its gates are eliminated. The model's numbers are used: they are
    /// to be changed by [`Relation::renumber`] when the model's are.
    pub(crate) fn new(model: &Model, options: &Options) -> (Relation, Vec<bool>) {
        let mut work = Work::new(model);
        let before = Size { variables: model.vars(), clauses: work.clauses() };
        if options.eliminate {
            work.eliminate();
        }
        let both = work.both(model, options.polarity);
        let gone = work.gone.iter().filter(|&&g| g).count();
        let after = Size { variables: model.vars() - gone, clauses: work.clauses() };
        let mut relation =
            Relation { first_gate: work.first_gate, both, sizes: [before, after], ..Relation::default() };
        for g in 0..work.gone.len() {
            for value in [true, false] {
                let own = work.literal(g, value);
                relation.sides.push(relation.clauses.len() as u32);
                let side = &work.gates[g][usize::from(!value)];
                for clause in &side.clauses {
                    relation.clauses.push([!own].into_iter().chain(clause.iter().copied()));
                }
                relation.needs.push(side.needs.iter().copied());
            }
        }
        relation.sides.push(relation.clauses.len() as u32);
        (relation, work.gone)
    }

    /// Gives the gates other numbers: `order` lists the old numbers of those that are left, `rename` is what
    /// becomes of a literal.
    pub(crate) fn renumber(&mut self, order: &[Var], rename: impl Fn(Lit) -> Lit) {
        let mut new = Relation { first_gate: self.first_gate, sizes: self.sizes, ..Relation::default() };
        for &v in order {
            new.both.push(self.both[v.index() - self.first_gate]);
            for l in [v.positive(), v.negative()] {
                new.sides.push(new.clauses.len() as u32);
                for i in self.side(l) {
                    new.clauses.push(self.clauses.row(i).iter().map(|&l| rename(l)));
                }
                new.needs.push(self.needs_of(l).iter().map(|&l| rename(l)));
            }
        }
        new.sides.push(new.clauses.len() as u32);
        *self = new;
    }

    /// The literal under which a literal is loaded: of a gate that always has both polarities, and of a latch
    /// or an input, the positive one.
    #[inline]
    pub(crate) fn key(&self, l: Lit) -> Lit {
        let gate = l.var().index().checked_sub(self.first_gate);
        if gate.is_none_or(|g| self.both[g]) { l.var().positive() } else { l }
    }

    fn side(&self, l: Lit) -> std::ops::Range<usize> {
        let at = l.code() - 2 * self.first_gate;
        self.sides[at] as usize..self.sides[at + 1] as usize
    }

    fn needs_of(&self, l: Lit) -> &[Lit] {
        self.needs.row(l.code() - 2 * self.first_gate)
    }

    /// Calls `emit` with each clause that a key needs.
    pub(crate) fn clauses(&self, key: Lit, mut emit: impl FnMut(&[Lit])) {
        let Some(g) = key.var().index().checked_sub(self.first_gate) else { return };
        let other = self.both[g].then_some(!key);
        for l in [key].into_iter().chain(other) {
            self.side(l).for_each(|i| emit(self.clauses.row(i)));
        }
    }

    /// Calls `f` with the key of each literal that a key needs.
    #[inline]
    pub(crate) fn needs(&self, key: Lit, mut f: impl FnMut(Lit)) {
        let Some(g) = key.var().index().checked_sub(self.first_gate) else { return };
        self.needs_of(key).iter().for_each(|&l| f(self.key(l)));
        if self.both[g] {
            self.needs_of(!key).iter().for_each(|&l| f(self.key(l)));
        }
    }
}

/// What a gate's literal needs.
#[derive(Clone, Debug, Default)]
struct Side {
    /// The clauses, each without the negation of the literal, sorted.
    clauses: Vec<Vec<Lit>>,
    /// The literals that the clauses are about, and those of clauses that turned out to be superfluous.
    needs: Vec<Lit>,
}

/// The relation while gates are eliminated. The sides of a gate are those of its positive and its negative
/// literal.
struct Work {
    first_gate: usize,
    gates: Vec<[Side; 2]>,
    /// The gates that use a gate, and some that did so once.
    users: Vec<Vec<usize>>,
    frozen: Vec<bool>,
    gone: Vec<bool>,
}

impl Work {
    fn new(model: &Model) -> Work {
        let first_gate = model.first_gate();
        let count = model.vars() - first_gate;
        let mut work = Work {
            first_gate,
            gates: vec![Default::default(); count],
            users: vec![Vec::new(); count],
            frozen: vec![false; count],
            gone: vec![false; count],
        };
        for l in model.roots() {
            if let Some(g) = l.var().index().checked_sub(first_gate) {
                work.frozen[g] = true;
            }
        }
        for g in 0..count {
            let v = Var::new(first_gate + g);
            model.clauses(v, |clause| {
                let (own, mut rest) = (clause[0], clause[1..].to_vec());
                rest.sort_unstable();
                rest.dedup();
                let side = &mut work.gates[g][usize::from(own.is_positive())];
                side.needs.extend(&rest);
                if !is_tautology(&rest) {
                    side.clauses.push(rest);
                }
            });
            for side in &mut work.gates[g] {
                side.needs.sort_unstable();
                side.needs.dedup();
                tidy(&mut side.clauses);
            }
            model.arguments(v, |a| work.use_in(a, g));
        }
        work
    }

    fn literal(&self, gate: usize, value: bool) -> Lit {
        Var::new(self.first_gate + gate).lit(value)
    }

    fn clauses(&self) -> usize {
        let count =
            |(g, gone): (&[Side; 2], &bool)| if *gone { 0 } else { g[0].clauses.len() + g[1].clauses.len() };
        self.gates.iter().zip(&self.gone).map(count).sum()
    }

    /// Notes that a gate is used in another one.
    fn use_in(&mut self, v: Var, gate: usize) {
        if let Some(g) = v.index().checked_sub(self.first_gate)
            && self.users[g].last() != Some(&gate)
        {
            self.users[g].push(gate);
        }
    }

    fn eliminate(&mut self) {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for g in 0..self.gates.len() {
                if !self.frozen[g] && !self.gone[g] {
                    changed |= self.eliminate_gate(g);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Eliminates a gate, unless that makes the relation larger.
    fn eliminate_gate(&mut self, g: usize) -> bool {
        let variable = Var::new(self.first_gate + g);
        let mut users = std::mem::take(&mut self.users[g]);
        users.retain(|&u| !self.gone[u]);
        users.sort_unstable();
        users.dedup();
        if users.len() > MAX_USERS {
            self.users[g] = users;
            return false;
        }
        let mut removed = self.gates[g][0].clauses.len() + self.gates[g][1].clauses.len();
        for &u in &users {
            let with = |side: &Side| side.clauses.iter().filter(|c| mentions(c, variable)).count();
            removed += self.gates[u].iter().map(with).sum::<usize>();
        }
        let mut made = 0;
        let mut new = Vec::with_capacity(users.len());
        for &u in &users {
            let mut sides = [Side::default(), Side::default()];
            for (side, old) in sides.iter_mut().zip(&self.gates[u]) {
                let Some(count) = self.substitute(variable, old, side, removed - made) else {
                    self.users[g] = users;
                    return false;
                };
                made += count;
            }
            new.push(sides);
        }
        self.gone[g] = true;
        let arguments: Vec<Var> = self.gates[g].iter().flat_map(|s| &s.needs).map(|l| l.var()).collect();
        for (&u, sides) in users.iter().zip(new) {
            self.gates[u] = sides;
            arguments.iter().for_each(|&a| self.use_in(a, u));
        }
        true
    }

    /// Puts the definition of a variable into a side, if that takes at most `most` clauses. How many.
    fn substitute(&self, v: Var, old: &Side, new: &mut Side, most: usize) -> Option<usize> {
        let definition = |l: Lit| &self.gates[v.index() - self.first_gate][usize::from(!l.is_positive())];
        for &l in &old.needs {
            if l.var() == v { new.needs.extend(&definition(l).needs) } else { new.needs.push(l) }
        }
        new.needs.sort_unstable();
        new.needs.dedup();
        if new.needs.len() > MAX_NEEDS.max(old.needs.len()) {
            return None;
        }
        let mut made = 0;
        for clause in &old.clauses {
            let Some(at) = clause.iter().position(|l| l.var() == v) else {
                new.clauses.push(clause.clone());
                continue;
            };
            for other in &definition(clause[at]).clauses {
                let mut resolvent = [&clause[..at], &clause[at + 1..], other].concat();
                resolvent.sort_unstable();
                resolvent.dedup();
                if is_tautology(&resolvent) {
                    continue;
                }
                if resolvent.len() > MAX_LITERALS.max(clause.len()) || made == most {
                    return None;
                }
                new.clauses.push(resolvent);
                made += 1;
            }
        }
        if made > 0 {
            tidy(&mut new.clauses);
        }
        Some(made)
    }

    /// The gates that always get the clauses of both polarities.
    fn both(&self, model: &Model, polarity: Polarity) -> Vec<bool> {
        let mut both = vec![polarity == Polarity::None; self.gates.len()];
        if polarity == Polarity::Property {
            let signals = model.signals.iter().flat_map(|s| [s.now.var(), s.next.var()]);
            let mut work: Vec<Var> = model.next.iter().map(|l| l.var()).chain(signals).collect();
            while let Some(v) = work.pop() {
                let Some(g) = v.index().checked_sub(self.first_gate) else { continue };
                if !std::mem::replace(&mut both[g], true) {
                    work.extend(self.gates[g].iter().flat_map(|s| &s.needs).map(|l| l.var()));
                }
            }
        }
        both
    }
}

fn mentions(clause: &[Lit], v: Var) -> bool {
    clause.iter().any(|l| l.var() == v)
}

/// Is a variable in a sorted clause in both polarities?
fn is_tautology(clause: &[Lit]) -> bool {
    clause.windows(2).any(|w| w[0].var() == w[1].var())
}

/// Drops clauses that others imply.
fn tidy(clauses: &mut Vec<Vec<Lit>>) {
    clauses.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut kept: Vec<Vec<Lit>> = Vec::with_capacity(clauses.len());
    for clause in clauses.drain(..) {
        let implied = |k: &Vec<Lit>| k.iter().all(|l| clause.binary_search(l).is_ok());
        if !kept.iter().any(implied) {
            kept.push(clause);
        }
    }
    *clauses = kept;
}

#[cfg(test)]
mod tests {
    use palisade_aig::simulate::Simulator;
    use palisade_aig::{Circuit, Lit as Edge};
    use palisade_fuzzing::Random;

    use super::*;
    use crate::ic3::Lifter;
    use crate::step::Step;
    use crate::{Control, Domain};

    const LATCHES: usize = 4;
    const INPUTS: usize = 3;

    /// A circuit of nested conjunctions, choices and exclusive disjunctions.
    fn circuit(random: &mut Random) -> Circuit {
        let mut c = Circuit::default();
        let mut lits: Vec<Edge> = (0..LATCHES).map(|_| c.add_latch(Some(false))).collect();
        lits.extend((0..INPUTS).map(|_| c.add_input()));
        for _ in 0..5 + random.below(60) {
            let mut pick = || random.pick(&lits) ^ (random.below(2) == 1);
            let (a, b, d) = (pick(), pick(), pick());
            let gate = match random.below(5) {
                0 => c.aig.xor(a, b),
                1 => c.aig.ite(a, b, d),
                _ => c.aig.and(a, b),
            };
            lits.push(gate);
        }
        let mut last = || lits[lits.len() - 1 - random.below(5)] ^ (random.below(2) == 1);
        for i in 0..LATCHES {
            c.latches[i].next = last();
        }
        c.bads = vec![last(), last()];
        let (a, b, d) = (last(), last(), last());
        c.constraints = vec![c.aig.or_all([a, b, d])];
        c
    }

    /// The options that matter here.
    fn variants() -> Vec<Options> {
        let polarities = [Polarity::None, Polarity::Property, Polarity::All];
        let one = |eliminate, domain: Domain| {
            polarities.map(|polarity| Options { eliminate, polarity, domain, ..Options::default() })
        };
        [(false, Domain::Decide), (true, Domain::Propagate), (true, Domain::None)]
            .into_iter()
            .flat_map(|(e, d)| one(e, d))
            .collect()
    }

    /// Values of the latches and inputs, as bits; then those of next states, bad states and the constraint.
    fn simulated(c: &mut Circuit, leaves: usize) -> (Vec<bool>, bool, bool) {
        let (bad, constraint) = (c.bad(), c.constraint());
        let mut simulator = Simulator::new(c);
        let words = |from: usize, n: usize| -> Vec<u64> {
            (from..from + n).map(|i| if leaves >> i & 1 == 1 { u64::MAX } else { 0 }).collect()
        };
        simulator.evaluate(c, &words(0, LATCHES), &words(LATCHES, INPUTS));
        let next = c.latches.iter().map(|l| simulator.value(l.next) != 0).collect();
        (next, simulator.value(bad) != 0, simulator.value(constraint) != 0)
    }

    #[test]
    fn the_relation_has_the_same_steps_however_it_is_made() {
        let mut random = Random::new(11);
        let (mut eliminated, mut fewer) = (0, 0);
        for n in 0..30 {
            let mut c = circuit(&mut random);
            for options in variants() {
                let model = Model::new(&c, false, &options);
                let [before, after] = model.relation.sizes;
                assert!(after.clauses <= before.clauses && after.variables <= before.variables);
                eliminated += before.variables - after.variables;
                fewer += before.clauses - after.clauses;
                let control = Control::default();
                let mut step = Step::new(&model, &control, options.domain, true);
                for leaves in 0..1usize << (LATCHES + INPUTS) {
                    let (next, bad, constraint) = simulated(&mut c, leaves);
                    let leaf = |i| Var::new(i).lit(leaves >> i & 1 == 1);
                    let fixed: Vec<Lit> = (0..LATCHES + INPUTS).map(leaf).collect();
                    let roots = model.next.iter().zip(&next).map(|(&l, &v)| (l, v)).chain([(model.bad, bad)]);
                    for (root, value) in roots {
                        for wanted in [root, !root] {
                            let possible = constraint && value == (wanted == root);
                            let mut asked = fixed.clone();
                            asked.push(wanted);
                            let what = format!("circuit {n}, {options:?}, leaves {leaves}, {wanted:?}");
                            assert_eq!(step.solve(&asked, &[]), Ok(possible), "{what}");
                        }
                    }
                }
            }
        }
        assert!(eliminated > 200 && fewer > 400, "{eliminated} gates and {fewer} clauses are gone");
    }

    #[test]
    fn every_state_of_a_predecessor_takes_its_step() {
        let mut random = Random::new(12);
        let mut partial = 0;
        for n in 0..100 {
            let mut c = circuit(&mut random);
            for mut options in variants() {
                options.lift = random.below(2) == 1;
                let model = Model::new(&c, false, &options);
                let control = Control::default();
                let mut step = Step::new(&model, &control, options.domain, true);
                let mut lifter = Lifter::new(&model, &options, &control);
                for _ in 0..4 {
                    let mut targets = Vec::new();
                    for &next in &model.next {
                        if random.below(2) == 1 {
                            targets.push(if random.below(2) == 1 { next } else { !next });
                        }
                    }
                    if random.below(3) == 0 {
                        targets.push(model.bad);
                    }
                    if targets.is_empty() || !step.solve(&targets, &[]).unwrap() {
                        continue;
                    }
                    let (cube, inputs) =
                        lifter.predecessor(&model, &step, &targets, &[0.0; LATCHES]).unwrap();
                    partial += usize::from(cube.len() < LATCHES);
                    for state in 0..1usize << LATCHES {
                        if cube.iter().any(|l| (state >> l.var().index() & 1 == 1) != l.is_positive()) {
                            continue;
                        }
                        let leaves = state | (inputs[0] as usize) << LATCHES;
                        let (next, bad, constraint) = simulated(&mut c, leaves);
                        let mut roots =
                            model.next.iter().zip(&next).map(|(&l, &v)| (l, v)).collect::<Vec<_>>();
                        roots.push((model.bad, bad));
                        let missed = |&t: &Lit| roots.iter().any(|&(l, v)| t == if v { !l } else { l });
                        assert!(
                            constraint && !targets.iter().any(missed),
                            "circuit {n}, {options:?}, {cube:?}"
                        );
                    }
                }
            }
        }
        assert!(partial > 200, "{partial} cubes of more than one state");
    }
}
