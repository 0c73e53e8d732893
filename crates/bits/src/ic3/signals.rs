//! Signals: comparisons of words in cubes, beside the latches.
//!
//! The invariant of a program that counts up to `n` is `i <= n`, which takes many clauses over the bits of
//! `i` and `n`. So cubes get the signals that their latches determine: the states are the same, and
//! generalisation can keep the comparison and drop the bits (Dureja, Gurfinkel, Ivrii, Vizel: IC3 with
//! Internal Signals, 2021, do this with gates of circuits; ours come from the program).
//!
//! # Invariants
//! - The signals of an obligation's cube follow from its latches.
//! - A lemma over signals holds for the gates: a solver that has it has their clauses (`Step::add_lemma`).
//!
//! Entry point: [`Signals::extend`].

use palisade_sat::{Lit, Var};

use crate::model::Model;

/// Computes signals from latches.
#[derive(Default)]
pub(super) struct Signals {
    /// The gates that they are made of, arguments first.
    gates: Vec<Var>,
    /// The values of variables; those of latches are unknown between calls.
    values: Vec<Option<bool>>,
    /// The latches that signals are made of.
    of_words: Vec<bool>,
    /// Signals that were added to cubes.
    pub(super) added: u64,
}

impl Signals {
    pub(super) fn new(model: &Model) -> Signals {
        if model.signals.is_empty() {
            return Signals::default();
        }
        let mut values = vec![None; model.vars()];
        values[model.constant().var().index()] = Some(true);
        let gates = cone(model);
        let mut of_words = vec![false; model.latches];
        for &v in &gates {
            model.arguments(v, |a| {
                if model.is_latch(a) {
                    of_words[a.index()] = true;
                }
            });
        }
        Signals { gates, values, of_words, ..Signals::default() }
    }

    /// Adds the signals that the latches of a sorted cube determine; it stays sorted.
    pub(super) fn extend(&mut self, model: &Model, cube: &mut Vec<Lit>) {
        if model.signals.is_empty() {
            return;
        }
        for l in &*cube {
            self.values[l.var().index()] = Some(l.is_positive());
        }
        for &v in &self.gates {
            let value = |l: Lit| self.values[l.var().index()].map(|b| b == l.is_positive());
            self.values[v.index()] = model.gate(v).and_then(|gate| model.evaluate(gate, value));
        }
        for l in &*cube {
            self.values[l.var().index()] = None;
        }
        let known = |v: Var| self.values[v.index()].map(|b| v.lit(b));
        let before = cube.len();
        cube.extend(model.signals.iter().filter_map(|s| known(s.now.var())));
        self.added += (cube.len() - before) as u64;
        cube.sort_unstable();
    }

    /// What a blocked cube may be without the bits of words: what its core has of other latches, and all
    /// signals. None where no signal is.
    pub(super) fn without_words(&self, model: &Model, states: &[Lit], core: &[Lit]) -> Option<Vec<Lit>> {
        let is_bit = |l: &Lit| self.of_words.get(l.var().index()) == Some(&true);
        let is_signal = |l: &&Lit| !model.is_latch(l.var());
        if !states.iter().any(|l| is_signal(&l)) || !core.iter().any(is_bit) {
            return None;
        }
        let others = core.iter().filter(|l| model.is_latch(l.var()) && !is_bit(l));
        Some(others.chain(states.iter().filter(is_signal)).copied().collect())
    }
}

/// The gates of the signals, arguments first.
fn cone(model: &Model) -> Vec<Var> {
    let mut done = vec![false; model.vars()];
    let mut order = Vec::new();
    let mut work: Vec<Var> = model.signals.iter().map(|s| s.now.var()).collect();
    while let Some(&v) = work.last() {
        if done[v.index()] || model.gate(v).is_none() {
            work.pop();
            continue;
        }
        let before = work.len();
        model.arguments(v, |a| {
            if !done[a.index()] && model.gate(a).is_some() {
                work.push(a);
            }
        });
        if work.len() == before {
            done[v.index()] = true;
            order.push(v);
            work.pop();
        }
    }
    order
}
