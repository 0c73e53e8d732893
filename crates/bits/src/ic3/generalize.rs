//! From a blocked cube to a larger one that is blocked at the same level.
//!
//! `mic` drops one literal after the other, those of little activity first. `ctg_down` tries to rescue an
//! attempt that fails: it blocks the counterexample to generalisation, or gives up the literals that exclude
//! it (a join). With `ctg_limit` above 1, predecessors of a counterexample to generalisation are blocked too
//! when that helps to block it (EXCTG). With `dynamic`, the effort depends on how often the obligations that
//! the cube leads to could not be blocked (DynAMic).

use palisade_sat::Lit;

use super::frames::Cube;
use super::{Answer, Ic3};
use crate::Stopped;

/// From this effort on, counterexamples to generalisation are blocked.
const CTG_EFFORT: u32 = 10;
/// From this effort on, by way of their predecessors.
const EXTENDED_EFFORT: u32 = 40;
/// Predictions for one cube.
const MAX_PREDICTIONS: usize = 4;

/// What may be done for one literal.
#[derive(Clone, Copy, Debug)]
struct Strategy {
    /// Counterexamples to generalisation that are blocked.
    ctgs: usize,
    /// Obligations that are handled to block one of them.
    limit: usize,
    /// How deep such lemmas are generalised in the same way.
    depth: usize,
}

impl Strategy {
    const PLAIN: Strategy = Strategy { ctgs: 0, limit: 0, depth: 0 };

    /// For a cube whose obligations failed so often (Su et al. 2025, section IV, with their constants).
    fn dynamic(effort: u32) -> Strategy {
        match effort {
            ..CTG_EFFORT => Strategy::PLAIN,
            CTG_EFFORT..EXTENDED_EFFORT => {
                Strategy { ctgs: (effort - CTG_EFFORT) as usize / 10 + 2, limit: 1, depth: 1 }
            }
            _ => {
                let more = f64::from(effort - EXTENDED_EFFORT).powf(0.3) * 2.0;
                Strategy { ctgs: 5, limit: more.round() as usize + 5, depth: 1 }
            }
        }
    }

    fn below(self) -> Strategy {
        Strategy { depth: self.depth - 1, ..self }
    }
}

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
        let options = &self.options;
        let strategy = match (options.ctg, options.dynamic) {
            (false, _) => Strategy::PLAIN,
            (true, true) => Strategy::dynamic(effort),
            (true, false) => {
                Strategy { ctgs: options.max_ctgs, limit: options.ctg_limit, depth: options.ctg_depth }
            }
        };
        self.mic(level, cube, strategy)
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
    fn mic(&mut self, level: usize, mut cube: Vec<Lit>, strategy: Strategy) -> Result<Vec<Lit>, Stopped> {
        let order = self.order(level, &cube);
        let mut failures = 0;
        let mut kept: Vec<Lit> = Vec::new();
        for l in order {
            if !cube.contains(&l) {
                continue;
            }
            let candidate: Vec<Lit> = cube.iter().copied().filter(|&m| m != l).collect();
            let smaller = if strategy.depth > 0 {
                self.ctg_down(level, candidate, &kept, strategy)?
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
        if self.options.reverse_order {
            order.reverse();
        }
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
        strategy: Strategy,
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
            if ctgs < strategy.ctgs && self.block_ctg(level - 1, &ctg, strategy, &mut { strategy.limit })? {
                ctgs += 1;
                self.stats.ctgs += 1;
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

    /// Blocks a cube that leads into one that is generalised, if that takes no more than `limit` obligations.
    /// Is it blocked?
    fn block_ctg(
        &mut self,
        level: usize,
        ctg: &Cube,
        strategy: Strategy,
        limit: &mut usize,
    ) -> Result<bool, Stopped> {
        if level == 0 || self.model.is_initial(&ctg.lits) {
            return Ok(false);
        }
        while *limit > 0 {
            *limit -= 1;
            let extended = *limit > 0 && level > 1;
            let answer = if extended {
                self.relative(level - 1, &ctg.lits, true)?
            } else {
                match self.relative_unlifted(level - 1, &ctg.lits)? {
                    Some(core) => Answer::Blocked(core),
                    None => return Ok(false),
                }
            };
            match answer {
                Answer::Blocked(core) => {
                    self.learn_ctg(level, core, strategy)?;
                    return Ok(true);
                }
                Answer::Predecessor(pre, _) => {
                    self.stats.extended += 1;
                    if !self.block_ctg(level - 1, &pre, strategy, limit)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Adds the lemma of a counterexample to generalisation that is blocked at `level`, as high as it holds.
    fn learn_ctg(&mut self, mut level: usize, mut core: Vec<Lit>, strategy: Strategy) -> Result<(), Stopped> {
        while level < self.frontier {
            match self.relative_unlifted(level, &core)? {
                Some(smaller) => core = smaller,
                None => break,
            }
            level += 1;
        }
        let lemma = self.mic(level, core, strategy.below())?;
        self.add_lemma(level, Cube::new(lemma));
        Ok(())
    }
}
