//! Pushing: lemmas move to higher levels, and frames that repeat are inductive.
//!
//! Pushing is *triggered* (Suda 2013): a lemma that failed to move remembers the state that stopped it and is asked again only when a
//! later lemma excludes that state. It goes on beyond the frontier: where every lemma of a level moves up, the lemmas above are inductive by
//! themselves and are promoted to all levels at once, whatever they say about the property.

use palisade_program::{EdgeId, Invariants};
use palisade_term::{Assignment, TermPool, eval::Evaluator};
use rustc_hash::FxHashMap;

use crate::consecution::{Consecution, CubeAnswer};
use crate::frames::{ALWAYS, Frames, LemmaId};
use crate::{Budget, Event, Observer};

/// The transition that kept a lemma from moving.
struct Witness {
    edge: EdgeId,
    source: Assignment,
}

/// The pushing phase with its memory.
#[derive(Default)]
pub struct Pusher {
    witnesses: FxHashMap<LemmaId, Witness>,
    /// Lemmas moved.
    pub pushed: u64,
    /// Lemmas promoted to all levels.
    pub promoted: u64,
    /// Attempts saved by a remembered witness.
    pub skipped: u64,
}

impl Pusher {
    /// Moves lemmas up as far as they go. Returns a level, at most the frontier, whose frames are inductive.
    pub fn push(
        &mut self,
        q: &mut Consecution<'_>,
        frames: &mut Frames,
        frontier: u32,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Option<u32> {
        let diameter = frames.diameter();
        let mut level = 1;
        loop {
            let here = frames.exactly(level);
            if here.is_empty() && level > frontier {
                return None;
            }
            for id in here {
                if budget.check().is_err() {
                    return None;
                }
                self.push_one(q, frames, id, level, observer);
            }
            if frames.exactly(level).is_empty() && level >= diameter {
                if level <= frontier {
                    return Some(level);
                }
                self.promote(q.pool(), frames, level, observer);
                return None;
            }
            level += 1;
        }
    }

    fn push_one(
        &mut self,
        q: &mut Consecution<'_>,
        frames: &mut Frames,
        id: LemmaId,
        level: u32,
        observer: &mut dyn Observer,
    ) {
        let lemma = frames.lemma(id);
        if lemma.subsumed || lemma.level != level {
            return;
        }
        if let Some(w) = self.witnesses.get(&id) {
            let source = q.program().edge(w.edge).source;
            let mut before = Evaluator::new(q.pool(), &w.source);
            let alive = frames.at(source).all(|(_, m)| m.level < level || before.holds(m.formula));
            if alive && !frames.unreachable(source, level) {
                self.skipped += 1;
                return;
            }
        }
        let (location, cube, formula) = (lemma.location, lemma.cube.clone(), lemma.formula);
        match q.cube(frames, location, &cube, level + 1) {
            CubeAnswer::Predecessor(edge, source) => {
                self.witnesses.insert(id, Witness { edge, source });
            }
            CubeAnswer::Blocked(core) => {
                self.witnesses.remove(&id);
                self.pushed += 1;
                if core.len() < cube.len() && frames.add(q.pool(), location, core, level + 1).is_some() {
                    return; // the stronger lemma has replaced it
                }
                if !frames.lemma(id).subsumed {
                    frames.raise(q.pool(), id, level + 1);
                    if observer.wants_detail() {
                        observer.event(Event::Push { level: Some(level + 1), location, formula });
                    }
                }
            }
            CubeAnswer::Unknown(_) => {}
        }
    }

    /// Every lemma above `level` is inductive together with the others above it.
    fn promote(&mut self, pool: &TermPool, frames: &mut Frames, level: u32, observer: &mut dyn Observer) {
        let mut above = Vec::new();
        let mut next = level + 1;
        loop {
            let ids = frames.exactly(next);
            if ids.is_empty() {
                break;
            }
            above.extend(ids);
            next += 1;
        }
        for id in above {
            if frames.lemma(id).subsumed {
                continue;
            }
            frames.raise(pool, id, ALWAYS);
            self.promoted += 1;
            if observer.wants_detail() {
                let m = frames.lemma(id);
                observer.event(Event::Push { level: None, location: m.location, formula: m.formula });
            }
        }
    }
}

/// The invariants of inductive frames.
pub fn invariants(q: &Consecution<'_>, frames: &Frames, level: u32) -> Invariants {
    let program = q.program();
    let mut out = Invariants::trivial(q.pool(), program);
    for l in program.locs() {
        if l != program.entry && l != program.error {
            out.set(l, frames.formula(q.pool(), l, level));
        }
    }
    out
}
