//! Atoms: registered bounds whose truth the caller wants to know.
//!
//! Every atom is `x <= h`; its negation is the bound just above. A variable's atoms are sorted by `h`, so a
//! bound decides a contiguous run of them. An atom has a *mark* once it is asserted or implied; marks are
//! undone with their level, and those that are implied are reported once, in order, and explained on demand.

use crate::delta::Delta;
use crate::proof::Farkas;
use crate::solver::{Arith, Form, TrailEntry};
use crate::tableau::NONE;
use crate::types::{ALit, AtomId, Bound, BoundKind, Reason, Var};
use palisade_number::{Int, Rational};

/// What a comparison of a form with a constant comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The form has no variables and the comparison holds.
    True,
    /// The form has no variables and the comparison does not hold.
    False,
    /// It depends.
    Literal(ALit),
}

/// An atom in the list of its variable, sorted by `high`.
#[derive(Clone, Debug)]
pub(crate) struct AtomRef {
    /// The atom is `x <= high`.
    pub high: Delta,
    pub id: AtomId,
}

#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub var: Var,
    pub high: Delta,
    /// Its value if asserted or implied.
    pub mark: Option<bool>,
    /// For an implied atom: `UNATE | trail index` or an index into `explanations`.
    pub explanation: u32,
    /// Given up by the caller; its number is free once it has no value.
    pub released: bool,
}

/// Marks an explanation that is a single trail index.
pub(crate) const UNATE: u32 = 1 << 31;

/// The premises of an atom implied by a row: `premises[start..end]`, and the coefficient of the negated atom.
#[derive(Clone, Debug)]
pub(crate) struct Explanation {
    pub start: u32,
    pub end: u32,
    pub conclusion: Int,
}

impl Arith {
    /// The literal for `var >= value` or `var <= value`; `value`'s infinitesimal part says whether it is
    /// strict.
    pub fn atom(&mut self, var: Var, kind: BoundKind, value: &Delta) -> ALit {
        let value = self.tighten(var, kind, value);
        let (high, positive) = match kind {
            BoundKind::Upper => (value, true),
            BoundKind::Lower => (self.just_below(var, &value), false),
        };
        let list = &self.atoms_of[var.index()];
        let at = list.partition_point(|a| a.high < high);
        if let Some(found) = list.get(at)
            && found.high == high
        {
            return ALit::new(found.id, positive);
        }
        let atom = Atom { var, high: high.clone(), mark: None, explanation: NONE, released: false };
        let id = match self.free_atoms.pop() {
            Some(id) => {
                self.atoms[id.index()] = atom;
                id
            }
            None => {
                self.atoms.push(atom);
                AtomId((self.atoms.len() - 1) as u32)
            }
        };
        self.atoms_of[var.index()].insert(at, AtomRef { high, id });
        self.mark_if_implied(id);
        ALit::new(id, positive)
    }

    /// A new atom may be decided by bounds that are there already.
    fn mark_if_implied(&mut self, id: AtomId) {
        let Atom { var, high, .. } = &self.atoms[id.index()];
        let (lower, upper) = (self.lower[var.index()], self.upper[var.index()]);
        if upper != NONE && self.trail[upper as usize].bound.value <= *high {
            self.mark_implied(ALit::new(id, true), UNATE | upper);
        } else if lower != NONE && self.trail[lower as usize].bound.value > *high {
            self.mark_implied(ALit::new(id, false), UNATE | lower);
        }
    }

    /// The bound that a literal stands for.
    pub fn literal_bound(&self, lit: ALit) -> (Var, BoundKind, Delta) {
        let atom = &self.atoms[lit.atom().index()];
        if lit.positive() {
            (atom.var, BoundKind::Upper, atom.high.clone())
        } else {
            (atom.var, BoundKind::Lower, self.just_above(atom.var, &atom.high))
        }
    }

    /// Forgets an atom: it is not reported any more, and its number may come back as another atom.
    ///
    /// A bound asserted through it stays until its level is popped, under the reason it was asserted with.
    pub fn release_atom(&mut self, id: AtomId) {
        let atom = &mut self.atoms[id.index()];
        debug_assert!(!atom.released, "an atom is released once");
        atom.released = true;
        let list = &mut self.atoms_of[atom.var.index()];
        let at = list.iter().position(|a| a.id == id).expect("an atom is in the list of its variable");
        list.remove(at);
        if atom.mark.is_none() {
            self.free_atoms.push(id);
        }
    }

    /// The literal for `form <= rhs`, `form < rhs`, `form >= rhs` or `form > rhs`: the form is normalised and
    /// shared, the bound scaled and, over the integers, tightened.
    pub fn comparison(&mut self, form: &Form, kind: BoundKind, strict: bool, rhs: &Rational) -> Comparison {
        let Some((var, factor)) = self.define(form) else {
            let order = Rational::ZERO.cmp(rhs);
            let holds = match kind {
                BoundKind::Upper => order.is_lt() || (!strict && order.is_eq()),
                BoundKind::Lower => order.is_gt() || (!strict && order.is_eq()),
            };
            return if holds { Comparison::True } else { Comparison::False };
        };
        let kind = if factor.is_positive() { kind } else { kind.opposite() };
        let value = rhs / &Rational::from(&factor);
        let value = match (strict, kind) {
            (false, _) => Delta::real(value),
            (true, BoundKind::Upper) => Delta::below(value),
            (true, BoundKind::Lower) => Delta::above(value),
        };
        Comparison::Literal(self.atom(var, kind, &value))
    }

    /// The number of registered atoms, released ones included until their numbers are used again.
    pub fn num_atoms(&self) -> usize {
        self.atoms.len()
    }

    fn just_below(&self, var: Var, value: &Delta) -> Delta {
        if self.is_int(var) {
            Delta::real(&value.real - &Rational::ONE)
        } else {
            Delta { real: value.real.clone(), inf: &value.inf - &Rational::ONE }
        }
    }

    fn just_above(&self, var: Var, value: &Delta) -> Delta {
        if self.is_int(var) {
            Delta::real(&value.real + &Rational::ONE)
        } else {
            Delta { real: value.real.clone(), inf: &value.inf + &Rational::ONE }
        }
    }

    /// The tightest bound equivalent to the given one: an integer, or an infinitesimal part of unit size.
    pub(crate) fn tighten(&self, var: Var, kind: BoundKind, value: &Delta) -> Delta {
        if self.is_int(var) {
            if value.is_integer() {
                return value.clone();
            }
            return Delta::from(if kind == BoundKind::Upper { value.floor() } else { value.ceil() });
        }
        let strict = match kind {
            BoundKind::Upper => value.inf.is_negative(),
            BoundKind::Lower => value.inf.is_positive(),
        };
        match (strict, kind) {
            (false, _) => Delta::real(value.real.clone()),
            (true, BoundKind::Upper) => Delta::below(value.real.clone()),
            (true, BoundKind::Lower) => Delta::above(value.real.clone()),
        }
    }

    #[inline]
    pub(crate) fn mark_implied(&mut self, lit: ALit, explanation: u32) {
        let atom = &mut self.atoms[lit.atom().index()];
        if atom.mark.is_none() {
            atom.mark = Some(lit.positive());
            atom.explanation = explanation;
            self.marks.push((lit, true));
        }
    }

    /// The next literal implied by what has been asserted, each once; `None` when all have been reported.
    ///
    /// A bound implies the weaker atoms over its variable at once; [`Arith::propagate`] adds what rows imply.
    pub fn next_implied(&mut self) -> Option<ALit> {
        while let Some((lit, news)) = self.marks.get(self.reported) {
            self.reported += 1;
            if *news && !self.atoms[lit.atom().index()].released {
                return Some(*lit);
            }
        }
        None
    }

    /// Why a reported literal is implied: a certificate made of the asserted bounds that imply it and, last,
    /// the bound of its negation with the given reason. Valid until the level of the report is popped.
    ///
    /// # Panics
    /// If the literal has not been reported as implied.
    pub fn explain(&self, lit: ALit, negation: Reason) -> Farkas {
        let mut farkas = Farkas { premises: Vec::new() };
        let atom = &self.atoms[lit.atom().index()];
        assert!(atom.mark == Some(lit.positive()) && atom.explanation != NONE, "the literal is implied");
        let bound_at = |index: u32| self.trail[index as usize].bound.clone();
        let mut conclusion = Int::ONE;
        if atom.explanation & UNATE != 0 {
            farkas.premises.push((bound_at(atom.explanation & !UNATE), Int::ONE));
        } else {
            let explanation = &self.explanations[atom.explanation as usize];
            let premises = &self.premises[explanation.start as usize..explanation.end as usize];
            farkas.premises.extend(premises.iter().map(|(i, c)| (bound_at(*i), c.clone())));
            conclusion = explanation.conclusion.clone();
        }
        let (var, kind, value) = self.literal_bound(!lit);
        farkas.premises.push((Bound { var, kind, value, reason: negation }, conclusion));
        farkas
    }

    /// The reasons of the bounds that imply a reported literal, appended to `out`. Same validity as
    /// [`Arith::explain`].
    ///
    /// # Panics
    /// If the literal has not been reported as implied.
    pub fn explain_reasons(&self, lit: ALit, out: &mut Vec<Reason>) {
        let atom = &self.atoms[lit.atom().index()];
        assert!(atom.mark == Some(lit.positive()) && atom.explanation != NONE, "the literal is implied");
        if atom.explanation & UNATE != 0 {
            out.push(self.trail[(atom.explanation & !UNATE) as usize].bound.reason);
        } else {
            let explanation = &self.explanations[atom.explanation as usize];
            let premises = &self.premises[explanation.start as usize..explanation.end as usize];
            out.extend(premises.iter().map(|(i, _)| self.trail[*i as usize].bound.reason));
        }
    }

    /// Marks the atoms that a new bound decides and the bound it replaced did not.
    pub(crate) fn propagate_unate(&mut self, index: u32) {
        let TrailEntry { bound, previous } = &self.trail[index as usize];
        let list = &self.atoms_of[bound.var.index()];
        let old = (*previous != NONE).then(|| &self.trail[*previous as usize].bound.value);
        let at = list.partition_point(|a| a.high < bound.value);
        let (range, positive) = match bound.kind {
            BoundKind::Upper => {
                let end =
                    old.map_or(list.len(), |o| at + list[at..].iter().take_while(|a| a.high < *o).count());
                (at..end, true)
            }
            BoundKind::Lower => {
                let count = old.map_or(at, |o| list[..at].iter().rev().take_while(|a| a.high >= *o).count());
                (at - count..at, false)
            }
        };
        let var = bound.var.index();
        for i in range {
            let id = self.atoms_of[var][i].id;
            if self.atoms[id.index()].mark.is_none() {
                self.stats.unate_propagations += 1;
                self.mark_implied(ALit::new(id, positive), UNATE | index);
            }
        }
    }

    /// The value an atom has by assertion or implication at this point.
    pub fn atom_mark(&self, atom: AtomId) -> Option<bool> {
        self.atoms[atom.index()].mark
    }

    /// Is the literal true under the current assignment? (A good phase for a decision.)
    pub fn holds(&self, lit: ALit) -> bool {
        let atom = &self.atoms[lit.atom().index()];
        let value = self.evaluate(atom.var);
        // Any negative infinitesimal, not only -δ, is below a strict bound.
        let order = value.real.cmp(&atom.high.real).then_with(|| {
            let value = value.inf.cmp(&Rational::ZERO);
            value.cmp(&atom.high.inf.cmp(&Rational::ZERO))
        });
        order.is_le() == lit.positive()
    }
}
