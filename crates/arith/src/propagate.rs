//! Bound propagation along rows.
//!
//! If all variables of a row but at most one are bounded on the relevant side, the row bounds the rest. A
//! derived bound is not asserted; it only decides registered atoms, and its premises are recorded as trail
//! indices then and there (a copy of a short list), because later pivots change the row while the indices
//! keep their meaning.

use crate::atoms::Explanation;
use crate::delta::Delta;
use crate::solver::Arith;
use crate::tableau::{Entry, NONE};
use crate::types::{ALit, BoundKind};
use palisade_number::Int;

impl Arith {
    /// Derives atoms from the rows touched by bounds asserted since the last call; read them with
    /// [`Arith::next_implied`].
    ///
    /// To be called after a check that answered `Sat`.
    pub fn propagate(&mut self) {
        let from = self.propagated as usize;
        self.propagated = self.checked;
        if self.atoms.is_empty() {
            return;
        }
        self.scratch.row_stamp += 1;
        for i in from..self.checked as usize {
            let var = self.trail[i].bound.var;
            // A basic variable's column is its own row.
            for j in 0..self.tableau.column(var).len() {
                let row = self.tableau.column(var)[j].row;
                if self.scratch.row_seen.len() <= row as usize {
                    self.scratch.row_seen.resize(row as usize + 1, 0);
                    self.scratch.row_gaps.resize(row as usize + 1, [(0, 0); 2]);
                }
                if self.scratch.row_seen[row as usize] != self.scratch.row_stamp {
                    self.scratch.row_seen[row as usize] = self.scratch.row_stamp;
                    self.propagate_row(row);
                }
            }
        }
    }

    fn propagate_row(&mut self, row: u32) {
        let entries = self.tableau.row(row);
        if entries.len() > self.config.propagation_row_limit {
            return;
        }
        if self.is_blocked(row, entries) {
            return;
        }
        // Where bounds are missing for the least and the greatest value of each term.
        let (mut missing_min, mut missing_max) = ((0, 0), (0, 0));
        let mut gaps = [(0, 0); 2];
        for (i, entry) in entries.iter().enumerate() {
            let v = entry.var.index();
            let (least, greatest) = match entry.coeff.is_positive() {
                true => (self.lower[v], self.upper[v]),
                false => (self.upper[v], self.lower[v]),
            };
            if least == NONE {
                gaps[0] = (missing_min.1 as u32, i as u32);
                missing_min = (missing_min.0 + 1, i);
            }
            if greatest == NONE {
                gaps[1] = (missing_max.1 as u32, i as u32);
                missing_max = (missing_max.0 + 1, i);
            }
            if missing_min.0 > 1 && missing_max.0 > 1 {
                self.scratch.row_gaps[row as usize] = gaps;
                return;
            }
        }
        for (minimum, (missing, at)) in [(true, missing_min), (false, missing_max)] {
            let length = self.tableau.row(row).len();
            match missing {
                0 if self.tableau.row(row).iter().any(|e| !self.atoms_of[e.var.index()].is_empty()) => {
                    let sum = self.extreme(row, minimum, usize::MAX);
                    for target in 0..length {
                        self.derive(row, minimum, target, Some(&sum));
                    }
                }
                1 => self.derive(row, minimum, at, None),
                _ => {}
            }
        }
    }

    /// Are the bounds still missing that were missing last time, two on either side? A guess that is checked:
    /// pivots change rows.
    #[inline]
    fn is_blocked(&self, row: u32, entries: &[Entry]) -> bool {
        let missing = |pos: u32, least: bool| {
            entries.get(pos as usize).is_some_and(|e| {
                let bounds = if e.coeff.is_positive() == least { &self.lower } else { &self.upper };
                bounds[e.var.index()] == NONE
            })
        };
        let [(a, b), (c, d)] = self.scratch.row_gaps[row as usize];
        a != b && c != d && missing(a, true) && missing(b, true) && missing(c, false) && missing(d, false)
    }

    /// The bound index that limits the term at `pos` from below (`minimum`) or above.
    fn limit(&self, row: u32, minimum: bool, pos: usize) -> u32 {
        let entry = &self.tableau.row(row)[pos];
        if entry.coeff.is_positive() == minimum {
            self.lower[entry.var.index()]
        } else {
            self.upper[entry.var.index()]
        }
    }

    /// The least (or greatest) value of the row's sum without the term at `skip`.
    fn extreme(&self, row: u32, minimum: bool, skip: usize) -> Delta {
        let mut sum = Delta::ZERO;
        for (i, entry) in self.tableau.row(row).iter().enumerate() {
            if i != skip {
                let limit = self.limit(row, minimum, i);
                sum.add_mul_int(&entry.coeff, &self.trail[limit as usize].bound.value);
            }
        }
        sum
    }

    /// Derives the bound on the term at `pos` from the least (or greatest) values of the others, and the
    /// atoms it decides.
    fn derive(&mut self, row: u32, minimum: bool, pos: usize, total: Option<&Delta>) {
        let entry = &self.tableau.row(row)[pos];
        let v = entry.var.index();
        if self.atoms_of[v].is_empty() {
            return;
        }
        let rest = match total {
            None => self.extreme(row, minimum, pos),
            Some(total) => {
                let mut rest = total.clone();
                let limit = self.limit(row, minimum, pos);
                rest.add_mul_int(&-&entry.coeff, &self.trail[limit as usize].bound.value);
                rest
            }
        };
        // a·x = -rest; the rest is at least its minimum, so a·x is at most -rest.
        let kind = if entry.coeff.is_positive() == minimum { BoundKind::Upper } else { BoundKind::Lower };
        let derived = self.tighten(entry.var, kind, &rest.div_int(&entry.coeff).neg());
        let current = match kind {
            BoundKind::Lower => self.lower[v],
            BoundKind::Upper => self.upper[v],
        };
        let current = (current != NONE).then(|| &self.trail[current as usize].bound.value);
        if current.is_some_and(|c| if kind == BoundKind::Upper { derived >= *c } else { derived <= *c }) {
            return;
        }
        let list = &self.atoms_of[v];
        let at = list.partition_point(|a| a.high < derived);
        let (range, positive) = match kind {
            BoundKind::Upper => {
                let end = current
                    .map_or(list.len(), |o| at + list[at..].iter().take_while(|a| a.high < *o).count());
                (at..end, true)
            }
            BoundKind::Lower => {
                let count =
                    current.map_or(at, |o| list[..at].iter().rev().take_while(|a| a.high >= *o).count());
                (at - count..at, false)
            }
        };
        let mut explanation = NONE;
        for i in range {
            let id = self.atoms_of[v][i].id;
            if self.atoms[id.index()].mark.is_none() {
                if explanation == NONE {
                    explanation = self.record(row, minimum, pos);
                }
                self.stats.row_propagations += 1;
                self.mark_implied(ALit::new(id, positive), explanation);
            }
        }
    }

    /// Records the premises of a derivation.
    fn record(&mut self, row: u32, minimum: bool, pos: usize) -> u32 {
        let start = self.premises.len() as u32;
        let mut conclusion = Int::ONE;
        for i in 0..self.tableau.row(row).len() {
            let coeff = self.tableau.row(row)[i].coeff.abs();
            if i == pos {
                conclusion = coeff;
            } else {
                self.premises.push((self.limit(row, minimum, i), coeff));
            }
        }
        self.explanations.push(Explanation { start, end: self.premises.len() as u32, conclusion });
        (self.explanations.len() - 1) as u32
    }
}
