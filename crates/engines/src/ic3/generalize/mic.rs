//! `mic` and `ctgDown`: fewer literals in a blocked cube, for every flavour.
//!
//! After Bradley, "SAT-Based Model Checking without Unrolling" (VMCAI 2011), and Hassan, Bradley and Somenzi,
//! "Better Generalization in IC3" (FMCAD 2013). `mic` drops literals one at a time, those least active in
//! earlier lemmas first. Where a drop fails, `down` first tries to block the state that made it fail (a
//! counterexample to generalisation) one step before, then to join the cube with that state. A literal that
//! cannot be dropped may be replaced by a weaker one that the flavour knows: geometric generalisation, after
//! Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU Wien
//! 2013), algorithm 9.
//!
//! Entry point: [`Mic::mic`]. What comes out is blocked at its place.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::ic3::{Answer, Flavour};

/// The limits of `ctgDown`.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Counterexamples to generalisation that are blocked for one dropped literal.
    pub max_ctgs: usize,
    /// How deep their blocking may nest.
    pub max_depth: usize,
    /// Joins for one dropped literal.
    pub max_joins: usize,
    /// Weaker literals tried for one cube.
    pub max_geo: usize,
}

/// `mic` with what it remembers.
pub struct Mic<L> {
    limits: Limits,
    activity: FxHashMap<L, f64>,
    bump: f64,
    /// Literals dropped.
    pub dropped: u64,
    /// Counterexamples to generalisation that were blocked.
    pub ctgs: u64,
    /// Joins made.
    pub joins: u64,
    /// Literals replaced by weaker ones.
    pub weakened: u64,
}

impl<L: Copy + Ord + Hash> Mic<L> {
    /// Nothing remembered yet.
    pub fn new(limits: Limits) -> Mic<L> {
        Mic { limits, activity: FxHashMap::default(), bump: 1.0, dropped: 0, ctgs: 0, joins: 0, weakened: 0 }
    }

    /// Literals of lemmas become more active: they are dropped last.
    pub fn reward(&mut self, cube: &[L]) {
        for &l in cube {
            *self.activity.entry(l).or_insert(0.0) += self.bump;
        }
        self.bump *= 1.05;
        if self.bump > 1e100 {
            self.activity.values_mut().for_each(|a| *a *= 1e-100);
            self.bump *= 1e-100;
        }
    }

    /// A minimal (up to one pass) part of the cube that is still blocked.
    pub fn mic<F: Flavour<Literal = L>>(&mut self, flavour: &mut F, at: F::Place, cube: Vec<L>) -> Vec<L> {
        self.mic_at_depth(flavour, at, cube, 0)
    }

    fn mic_at_depth<F: Flavour<Literal = L>>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        mut cube: Vec<L>,
        depth: usize,
    ) -> Vec<L> {
        let mut order = cube.clone();
        order.sort_by(|a, b| {
            let activity = |l: &L| self.activity.get(l).copied().unwrap_or(0.0);
            activity(a).total_cmp(&activity(b)).then(a.cmp(b))
        });
        let mut attempts = self.limits.max_geo;
        for lit in order {
            if !cube.contains(&lit) {
                continue;
            }
            if cube.len() > 1 {
                let smaller: Vec<L> = cube.iter().copied().filter(|&x| x != lit).collect();
                if let Some(core) = self.down(flavour, at, smaller, depth) {
                    self.dropped += (cube.len() - core.len()) as u64;
                    cube = core;
                    continue;
                }
            }
            cube = self.weaken(flavour, at, cube, lit, depth, &mut attempts);
        }
        cube
    }

    /// Geometric generalisation: replaces a literal by weaker ones, step by step.
    fn weaken<F: Flavour<Literal = L>>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        mut cube: Vec<L>,
        mut lit: L,
        depth: usize,
        attempts: &mut usize,
    ) -> Vec<L> {
        'weaker: while *attempts > 0 {
            for weaker in flavour.weaker(lit) {
                if *attempts == 0 || cube.contains(&weaker) {
                    continue;
                }
                *attempts -= 1;
                let candidate = cube.iter().copied().filter(|&x| x != lit).chain([weaker]).collect();
                if let Some(core) = self.down(flavour, at, candidate, depth) {
                    self.weakened += 1;
                    cube = core;
                    lit = weaker;
                    continue 'weaker;
                }
            }
            break;
        }
        cube
    }

    /// `ctgDown`: a blocked part of the cube, possibly after blocking a few counterexamples to
    /// generalisation.
    fn down<F: Flavour<Literal = L>>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        mut cube: Vec<L>,
        depth: usize,
    ) -> Option<Vec<L>> {
        let (mut ctgs, mut joins) = (0, 0);
        loop {
            let model = match flavour.blocked(at, &cube) {
                Answer::Yes(core) => return Some(core),
                Answer::Undecided(_) => return None,
                Answer::No(model) => model,
            };
            if depth >= self.limits.max_depth {
                return None;
            }
            if ctgs < self.limits.max_ctgs && self.block_ctg(flavour, at, &cube, &model, depth) {
                self.ctgs += 1;
                ctgs += 1;
                continue;
            }
            if joins == self.limits.max_joins {
                return None;
            }
            let joined = flavour.join(at, &cube, &model)?;
            if joined.is_empty() || joined.len() == cube.len() {
                return None;
            }
            (cube, ctgs, joins) = (joined, 0, joins + 1);
            self.joins += 1;
        }
    }

    /// Blocks the states of a counterexample to generalisation where they are, if one query shows how.
    fn block_ctg<F: Flavour<Literal = L>>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        cube: &[L],
        model: &F::Model,
        depth: usize,
    ) -> bool {
        let Some((below, states)) = flavour.counterexample(at, cube, model) else { return false };
        let Answer::Yes(core) = flavour.blocked(below, &states) else { return false };
        let blocked = self.mic_at_depth(flavour, below, core, depth + 1);
        flavour.learn(below, blocked)
    }
}
