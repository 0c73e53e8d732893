//! `mic` and `ctgDown`: fewer literals in a blocked cube, for every flavour.
//!
//! After Bradley, "SAT-Based Model Checking without Unrolling" (VMCAI 2011), and Hassan, Bradley and Somenzi,
//! "Better Generalization in IC3" (FMCAD 2013). `mic` drops literals one at a time, those least active in
//! earlier lemmas first. Where a drop fails, `down` first tries to block the state that made it fail (a
//! counterexample to generalisation) one step before, then to join the cube with that state. A literal that
//! cannot be dropped may be replaced by a weaker one that the flavour knows: geometric generalisation, after
//! Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU Wien
//! 2013), algorithm 9. With `max_obligations` above 1, predecessors of a counterexample to generalisation are
//! blocked too where that helps to block it: EXCTG, after Su et al., "Extended Counterexamples to
//! Generalization and Dynamic Adjustment" (2025).
//!
//! Entry point: [`Mic::mic`]. What comes out is blocked at its place.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::{Answer, Flavour};

/// The limits of `mic` and `ctgDown`.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Literals that could not be dropped, one after the other, before `mic` stops.
    pub max_failures: usize,
    /// Counterexamples to generalisation that are blocked for one dropped literal.
    pub max_ctgs: usize,
    /// Sets of states that are asked about to block one of them.
    pub max_obligations: usize,
    /// How deep their blocking may nest.
    pub max_depth: usize,
    /// Joins for one dropped literal.
    pub max_joins: usize,
    /// Weaker literals tried for one cube.
    pub max_geo: usize,
}

impl Limits {
    /// Every literal is tried once, by one query.
    pub const PLAIN: Limits = Limits {
        max_failures: usize::MAX,
        max_ctgs: 0,
        max_obligations: 1,
        max_depth: 0,
        max_joins: 0,
        max_geo: 0,
    };
}

/// `mic` with what it remembers.
pub struct Mic<L> {
    /// The limits, which may change from cube to cube.
    pub limits: Limits,
    activity: FxHashMap<L, f64>,
    bump: f64,
    /// Literals dropped.
    pub dropped: u64,
    /// Literals that could not be dropped.
    pub kept: u64,
    /// Counterexamples to generalisation that were blocked.
    pub ctgs: u64,
    /// Counterexamples to generalisation that were tried to block.
    pub attempted: u64,
    /// Their predecessors that were met.
    pub extended: u64,
    /// Joins made.
    pub joins: u64,
    /// Literals replaced by weaker ones.
    pub weakened: u64,
    /// Shortcuts that were right.
    pub shortcuts: u64,
}

/// Questions about one counterexample to a shortcut.
const SHORTCUT_OBLIGATIONS: usize = 3;

impl<L: Copy + Ord + Hash> Mic<L> {
    /// Nothing remembered yet.
    pub fn new(limits: Limits) -> Mic<L> {
        Mic {
            limits,
            activity: FxHashMap::default(),
            bump: 1.0,
            dropped: 0,
            kept: 0,
            ctgs: 0,
            attempted: 0,
            extended: 0,
            joins: 0,
            weakened: 0,
            shortcuts: 0,
        }
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
        self.mic_of(flavour, at, &cube.clone(), cube)
    }

    /// The same for states of which `core` is a part that is blocked.
    pub fn mic_of<F: Flavour<Literal = L>>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        states: &[L],
        core: Vec<L>,
    ) -> Vec<L> {
        self.mic_at_depth(flavour, at, states, core, 0)
    }

    fn mic_at_depth<F: Flavour<Literal = L>>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        states: &[L],
        mut cube: Vec<L>,
        depth: usize,
    ) -> Vec<L> {
        if let Some(candidate) = flavour.shortcut(at, states, &cube) {
            // It is worth more than one literal, and so is the way there.
            let usual = self.limits;
            if depth == 0 && usual.max_ctgs > 0 {
                self.limits.max_obligations = usual.max_obligations.max(SHORTCUT_OBLIGATIONS);
            }
            let shorter = self.down(flavour, at, candidate, &[], depth);
            self.limits = usual;
            if let Some(core) = shorter {
                self.dropped += cube.len().saturating_sub(core.len()) as u64;
                self.shortcuts += 1;
                cube = core;
            }
        }
        let order = flavour.order(at, &cube).unwrap_or_else(|| self.order(&cube));
        let mut attempts = self.limits.max_geo;
        let (mut kept, mut failures) = (Vec::new(), 0);
        for lit in order {
            if !cube.contains(&lit) {
                continue;
            }
            if cube.len() > 1 {
                let smaller: Vec<L> = cube.iter().copied().filter(|&x| x != lit).collect();
                if let Some(core) = self.down(flavour, at, smaller, &kept, depth) {
                    self.dropped += (cube.len() - core.len()) as u64;
                    cube = core;
                    failures = 0;
                    continue;
                }
            }
            self.kept += 1;
            failures += 1;
            if failures == self.limits.max_failures {
                break;
            }
            kept.push(lit);
            cube = self.weaken(flavour, at, cube, lit, depth, &mut attempts);
        }
        cube
    }

    /// The literals, least active first.
    fn order(&self, cube: &[L]) -> Vec<L> {
        let mut order = cube.to_vec();
        order.sort_by(|a, b| {
            let activity = |l: &L| self.activity.get(l).copied().unwrap_or(0.0);
            activity(a).total_cmp(&activity(b)).then(a.cmp(b))
        });
        order
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
                if let Some(core) = self.down(flavour, at, candidate, &[], depth) {
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
    /// generalisation. `kept` are literals that could not be dropped before.
    fn down<F: Flavour<Literal = L>>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        mut cube: Vec<L>,
        kept: &[L],
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
            let joined = flavour.join(at, &cube, kept, &model)?;
            if joined.is_empty() || joined.len() == cube.len() {
                return None;
            }
            (cube, ctgs, joins) = (joined, 0, joins + 1);
            self.joins += 1;
        }
    }

    /// Blocks the states of a counterexample to generalisation where they are.
    fn block_ctg<F: Flavour<Literal = L>>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        cube: &[L],
        model: &F::Model,
        depth: usize,
    ) -> bool {
        let Some((below, states)) = flavour.counterexample(at, cube, model) else { return false };
        self.attempted += 1;
        self.exclude(flavour, below, &states, depth, &mut { self.limits.max_obligations })
    }

    /// Blocks states that lead into a cube, if that takes no more than `left` questions about them and about
    /// the states before them.
    fn exclude<F: Flavour<Literal = L>>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        states: &[L],
        depth: usize,
        left: &mut usize,
    ) -> bool {
        while *left > 0 {
            *left -= 1;
            match flavour.blocked(at, states) {
                Answer::Yes(core) => {
                    let (at, core) = flavour.highest(at, core);
                    let lemma = self.mic_at_depth(flavour, at, states, core, depth + 1);
                    return flavour.learn(at, lemma);
                }
                Answer::No(model) if *left > 0 => {
                    let Some((below, before)) = flavour.counterexample(at, states, &model) else {
                        return false;
                    };
                    self.extended += 1;
                    if !self.exclude(flavour, below, &before, depth, left) {
                        return false;
                    }
                }
                Answer::No(_) | Answer::Undecided(_) => return false,
            }
        }
        false
    }
}
