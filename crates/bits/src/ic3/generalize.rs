//! From a blocked cube to a larger one that is blocked at the same level.
//!
//! [`palisade_ic3::mic`] drops one literal after the other; here is what it asks of a circuit. With
//! `dynamic`, the effort depends on how often the obligations that the cube leads to could not be blocked
//! (DynAMic). Before that, a lemma of the level below may predict one (see `push`).

use std::cell::OnceCell;

use palisade_ic3::mic::{Limits, Mic};
use palisade_ic3::{Answer, Flavour};
use palisade_sat::Lit;

use super::{Ic3, frames};
use crate::Stopped;

/// From this effort on, counterexamples to generalisation are blocked.
const CTG_EFFORT: u32 = 10;
/// From this effort on, by way of their predecessors.
const EXTENDED_EFFORT: u32 = 40;
/// Predictions for one cube.
const MAX_PREDICTIONS: usize = 4;

/// The limits for a cube whose obligations failed so often (Su et al. 2025, section IV, with their
/// constants).
fn dynamic(effort: u32) -> Limits {
    match effort {
        ..CTG_EFFORT => Limits::PLAIN,
        CTG_EFFORT..EXTENDED_EFFORT => {
            Limits { max_ctgs: (effort - CTG_EFFORT) as usize / 10 + 2, max_depth: 1, ..Limits::PLAIN }
        }
        _ => {
            let more = f64::from(effort - EXTENDED_EFFORT).powf(0.3) * 2.0;
            Limits { max_ctgs: 5, max_obligations: more.round() as usize + 5, max_depth: 1, ..Limits::PLAIN }
        }
    }
}

/// How a cube can be entered.
pub(super) enum Way {
    /// It has an initial state.
    Initial,
    /// By the step of the solver's model. Its states are lifted when somebody asks for them, which must be
    /// before the next query.
    Step(OnceCell<Vec<Lit>>),
}

impl Flavour for Ic3<'_> {
    /// The level of the frame from which the cube is excluded.
    type Place = usize;
    type Literal = Lit;
    type Model = Way;

    fn blocked(&mut self, level: usize, cube: &[Lit]) -> Answer<Lit, Way> {
        if self.model.is_initial(cube) {
            return Answer::No(Way::Initial);
        }
        match self.refute(level - 1, cube) {
            Ok(Some(core)) => Answer::Yes(core),
            Ok(None) => Answer::No(Way::Step(OnceCell::new())),
            Err(Stopped) => {
                self.stopped = true;
                Answer::Undecided(String::new())
            }
        }
    }

    fn counterexample(&mut self, level: usize, cube: &[Lit], way: &Way) -> Option<(usize, Vec<Lit>)> {
        if level == 1 {
            return None;
        }
        let states = self.states(level, cube, way)?;
        (!self.model.is_initial(states)).then(|| (level - 1, states.to_vec()))
    }

    fn learn(&mut self, level: usize, cube: Vec<Lit>) -> bool {
        self.add_lemma(level, cube);
        true
    }

    fn highest(&mut self, level: usize, cube: Vec<Lit>) -> (usize, Vec<Lit>) {
        self.raised(level, cube.clone()).unwrap_or_else(|Stopped| {
            self.stopped = true;
            (level, cube)
        })
    }

    fn join(&mut self, level: usize, cube: &[Lit], kept: &[Lit], way: &Way) -> Option<Vec<Lit>> {
        let states = self.states(level, cube, way)?;
        let given_up = |l: &Lit| states.binary_search(&!*l).is_ok();
        if cube.iter().any(|l| given_up(l) && kept.contains(l)) {
            return None;
        }
        Some(cube.iter().copied().filter(|l| !given_up(l)).collect())
    }

    fn shortcut(&mut self, _level: usize, states: &[Lit], core: &[Lit]) -> Option<Vec<Lit>> {
        self.signals.without_words(self.model, states, core)
    }

    fn order(&mut self, level: usize, cube: &[Lit]) -> Option<Vec<Lit>> {
        let mut order = cube.to_vec();
        let activity = &self.activity;
        order.sort_by(|a, b| {
            let (x, y) = (activity[a.var().index()], activity[b.var().index()]);
            let bits_first = self.model.is_latch(b.var()).cmp(&self.model.is_latch(a.var()));
            bits_first.then(x.total_cmp(&y)).then(a.cmp(b))
        });
        if self.options.reverse_order {
            order.reverse();
        }
        if self.options.parent_lemmas
            && level > 1
            && let Some(parent) = frames::parent(&self.frames, level - 1, &frames::sorted(cube.to_vec()))
        {
            let parent = &self.frames.lemma(parent).cube;
            order.sort_by_key(|l| parent.binary_search(l).is_ok());
            self.stats.parents += 1;
        }
        Some(order)
    }
}

impl Ic3<'_> {
    /// The states of a way into a cube; `None` if it has an initial state, or when the run is stopped.
    fn states<'w>(&mut self, level: usize, cube: &[Lit], way: &'w Way) -> Option<&'w [Lit]> {
        let Way::Step(states) = way else { return None };
        if states.get().is_none() {
            match self.lifted(level - 1, cube) {
                Ok((lifted, _)) => states.set(lifted).expect("it was empty"),
                Err(Stopped) => {
                    self.stopped = true;
                    return None;
                }
            }
        }
        states.get().map(|states| &states[..])
    }

    /// Generalises the cube of states, of which `cube` is a part that is blocked at `level`. `effort` says
    /// how hard the obligations after it were to block.
    pub(super) fn generalize(
        &mut self,
        level: usize,
        states: &[Lit],
        cube: Vec<Lit>,
        effort: u32,
    ) -> Result<Vec<Lit>, Stopped> {
        if !self.options.mic || cube.len() < 2 {
            return Ok(cube);
        }
        if self.options.predict
            && let Some(predicted) = self.predict(level, &cube)?
        {
            return Ok(predicted);
        }
        let options = &self.options;
        let limits = match (options.ctg, options.dynamic) {
            (false, _) => Limits::PLAIN,
            (true, true) => dynamic(effort),
            (true, false) => Limits {
                max_ctgs: options.max_ctgs,
                max_obligations: options.ctg_limit,
                max_depth: options.ctg_depth,
                ..Limits::PLAIN
            },
        };
        let mut mic = std::mem::replace(&mut self.mic, Mic::new(limits));
        mic.limits = Limits {
            max_failures: options.mic_attempts,
            max_joins: if options.joins { usize::MAX } else { 0 },
            ..limits
        };
        let smaller = mic.mic_of(self, level, states, cube);
        self.mic = mic;
        if std::mem::take(&mut self.stopped) { Err(Stopped) } else { Ok(smaller) }
    }

    /// A lemma of the level below that excludes the cube could not be pushed. With one more literal, which is
    /// false after the step that prevented that, it may hold here.
    fn predict(&mut self, level: usize, cube: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        if level < 2 {
            return Ok(None);
        }
        let sorted = frames::sorted(cube.to_vec());
        let Some(id) = frames::parent(&self.frames, level - 1, &sorted) else { return Ok(None) };
        let Some(obstacle) = self.obstacles.get(&id) else { return Ok(None) };
        self.marks.set(&obstacle.after);
        let extra: Vec<Lit> = cube.iter().copied().filter(|&l| self.marks.contains(!l)).collect();
        for l in extra.into_iter().take(MAX_PREDICTIONS) {
            self.stats.predictions += 1;
            let parent = self.frames.lemma(id).cube.iter().copied();
            let candidate: Vec<Lit> = parent.chain([l]).collect();
            if !self.model.is_initial(&candidate)
                && let Some(core) = self.refute(level - 1, &candidate)?
            {
                self.stats.predicted += 1;
                return Ok(Some(core));
            }
        }
        Ok(None)
    }
}
