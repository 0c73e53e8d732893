//! From a blocked cube to a larger one that is blocked at the same level.
//!
//! `mic` drops one literal after the other, those of little activity first. `ctg_down` tries to rescue an
//! attempt that fails: it blocks the counterexample to generalisation, or gives up the literals that exclude
//! it (a join).

use palisade_sat::Lit;

use super::frames::Cube;
use super::{Answer, Ic3};
use crate::Stopped;

/// From this effort on, counterexamples to generalisation are blocked.
const CTG_EFFORT: u32 = 1;
/// From this effort on, one level deeper.
const DEEP_EFFORT: u32 = 40;
/// Predictions for one cube.
const MAX_PREDICTIONS: usize = 4;

impl Ic3<'_> {
    /// Generalises the cube, which is blocked at `level`. `effort` says how hard the obligations after it
    /// were to block.
    pub(super) fn generalize(
        &mut self,
        level: usize,
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
        let depth = match (self.options.ctg, self.options.dynamic) {
            (false, _) => 0,
            (true, false) => self.options.ctg_depth,
            // What was easy so far is worth no more than plain dropping; what is hard is worth depth.
            (true, true) if effort < CTG_EFFORT => 0,
            (true, true) if effort < DEEP_EFFORT => self.options.ctg_depth,
            (true, true) => self.options.ctg_depth + 1,
        };
        self.mic(level, cube, depth)
    }

    /// A lemma of the level below that excludes the cube could not be pushed. With one more literal, which is
    /// false after the step that prevented that, it may hold here.
    fn predict(&mut self, level: usize, cube: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        if level < 2 {
            return Ok(None);
        }
        let Some(parent) = self.frames.parent(level - 1, &Cube::new(cube.to_vec())).cloned() else {
            return Ok(None);
        };
        let Some(obstacle) = self.obstacles.get(&parent) else { return Ok(None) };
        self.marks.set(&obstacle.after);
        let extra: Vec<Lit> = cube.iter().copied().filter(|&l| self.marks.contains(!l)).collect();
        for l in extra.into_iter().take(MAX_PREDICTIONS) {
            self.stats.predictions += 1;
            let candidate: Vec<Lit> = parent.lits.iter().copied().chain([l]).collect();
            if let Some(core) = self.down(level, candidate)? {
                self.stats.predicted += 1;
                return Ok(Some(core));
            }
        }
        Ok(None)
    }

    /// Makes the cube minimal, as far as the order of attempts shows it.
    fn mic(&mut self, level: usize, mut cube: Vec<Lit>, depth: usize) -> Result<Vec<Lit>, Stopped> {
        let order = self.order(level, &cube);
        let mut failures = 0;
        let mut kept: Vec<Lit> = Vec::new();
        for l in order {
            if !cube.contains(&l) {
                continue;
            }
            let candidate: Vec<Lit> = cube.iter().copied().filter(|&m| m != l).collect();
            let smaller = if depth > 0 {
                self.ctg_down(level, candidate, &kept, depth)?
            } else {
                self.down(level, candidate)?
            };
            match smaller {
                Some(smaller) => {
                    self.stats.mic_drops += (cube.len() - smaller.len()) as u64;
                    cube = smaller;
                    failures = 0;
                }
                None => {
                    self.stats.mic_failures += 1;
                    kept.push(l);
                    failures += 1;
                    if failures == self.options.mic_attempts {
                        break;
                    }
                }
            }
        }
        Ok(cube)
    }

    /// The order in which literals are tried.
    fn order(&mut self, level: usize, cube: &[Lit]) -> Vec<Lit> {
        let mut order = cube.to_vec();
        let activity = &self.activity;
        order.sort_by(|a, b| {
            let (x, y) = (activity[a.var().index()], activity[b.var().index()]);
            x.total_cmp(&y).then(a.cmp(b))
        });
        if self.options.parent_lemmas
            && level > 1
            && let Some(parent) = self.frames.parent(level - 1, &Cube::new(cube.to_vec()))
        {
            order.sort_by_key(|l| parent.lits.contains(l));
            self.stats.parents += 1;
        }
        order
    }

    /// The core of the cube, if it is blocked as it is.
    fn down(&mut self, level: usize, cube: Vec<Lit>) -> Result<Option<Vec<Lit>>, Stopped> {
        if self.model.is_initial(&cube) {
            return Ok(None);
        }
        self.relative_unlifted(level - 1, &cube)
    }

    /// As `down`, but deals with what prevents it. Literals of `kept` are not given up.
    fn ctg_down(
        &mut self,
        level: usize,
        mut cube: Vec<Lit>,
        kept: &[Lit],
        depth: usize,
    ) -> Result<Option<Vec<Lit>>, Stopped> {
        let mut ctgs = 0;
        loop {
            if self.model.is_initial(&cube) {
                return Ok(None);
            }
            let ctg = match self.relative(level - 1, &cube, true)? {
                Answer::Blocked(core) => return Ok(Some(core)),
                Answer::Predecessor(ctg, _) => ctg,
            };
            if ctgs < self.options.max_ctgs
                && level > 1
                && !self.model.is_initial(&ctg.lits)
                && let Some(core) = self.relative_unlifted(level - 2, &ctg.lits)?
            {
                ctgs += 1;
                self.stats.ctgs += 1;
                self.block_ctg(level - 1, core, depth)?;
                continue;
            }
            if !self.options.joins {
                return Ok(None);
            }
            // The states of the cube that the counterexample's cube does not contradict.
            ctgs = 0;
            let before = cube.len();
            if cube.iter().any(|l| ctg.lits.contains(&!*l) && kept.contains(l)) {
                return Ok(None);
            }
            cube.retain(|l| !ctg.lits.contains(&!*l));
            if cube.len() == before {
                return Ok(None);
            }
            self.stats.joins += 1;
        }
    }

    /// Adds the lemma of a counterexample to generalisation that is blocked at `level`, as high as it holds.
    fn block_ctg(&mut self, mut level: usize, mut core: Vec<Lit>, depth: usize) -> Result<(), Stopped> {
        while level < self.frontier {
            match self.relative_unlifted(level, &core)? {
                Some(smaller) => core = smaller,
                None => break,
            }
            level += 1;
        }
        let lemma = self.mic(level, core, depth - 1)?;
        self.add_lemma(level, Cube::new(lemma));
        Ok(())
    }
}
