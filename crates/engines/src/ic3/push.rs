//! Pushing: lemmas move to higher levels, and frames that repeat are inductive.
//!
//! Pushing is *triggered* (Suda, "Triggered Clause Pushing for IC3", 2013): a lemma that failed to move
//! remembers the state that stopped it and is asked again only when a later lemma excludes that state. It
//! goes on beyond the frontier: where every lemma of a level moves up, the lemmas above are inductive by
//! themselves and are promoted to all levels at once, whatever they say about the property.
//!
//! Entry point: [`Pusher::push`].

use palisade_ic3::frames::{ALWAYS, Frames, Language, LemmaId};
use palisade_program::Loc;
use palisade_term::Term;
use rustc_hash::FxHashMap;

use super::{Answer, Flavour, FrameId};
use crate::{Budget, Event, Observer, learned};

/// A flavour that keeps its lemmas in frames.
pub trait Framed: Flavour<Place = FrameId> {
    /// What its literals are.
    type Language: Language<Place = Loc, Literal = Self::Literal, Formula = Term>;

    /// The language of its literals.
    fn language(&self) -> &Self::Language;

    /// The frames.
    fn frames(&self) -> &Frames<Self::Language>;

    /// The frames, to be changed, with the language.
    fn frames_and_language(&mut self) -> (&mut Frames<Self::Language>, &Self::Language);

    /// Does the frame of this level at the model's source still admit the model?
    fn still_admitted(&self, model: &Self::Model, level: u32) -> bool;
}

/// The pushing phase with its memory: the transitions that kept lemmas from moving.
pub struct Pusher<M> {
    witnesses: FxHashMap<LemmaId, M>,
    /// Lemmas moved.
    pub pushed: u64,
    /// Lemmas promoted to all levels.
    pub promoted: u64,
    /// Attempts saved by a remembered witness.
    pub skipped: u64,
}

impl<M> Default for Pusher<M> {
    fn default() -> Self {
        Pusher { witnesses: FxHashMap::default(), pushed: 0, promoted: 0, skipped: 0 }
    }
}

impl<M> Pusher<M> {
    /// Moves lemmas up as far as they go. Returns a level, at most the frontier, whose frames are inductive.
    pub fn push<F: Framed<Model = M>>(
        &mut self,
        flavour: &mut F,
        frontier: u32,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Option<u32> {
        let diameter = flavour.frames().diameter();
        let mut level = 1;
        loop {
            let here = flavour.frames().exactly(level);
            if here.is_empty() && level > frontier {
                return None;
            }
            for id in here {
                if budget.check().is_err() {
                    return None;
                }
                self.push_one(flavour, id, level, observer);
            }
            if flavour.frames().exactly(level).is_empty() && level >= diameter {
                if level <= frontier {
                    return Some(level);
                }
                self.promote(flavour, level, observer);
                return None;
            }
            level += 1;
        }
    }

    /// The counters by name.
    pub fn counters(&self) -> [(&'static str, u64); 3] {
        [("lemmas pushed", self.pushed), ("lemmas promoted", self.promoted), ("pushes skipped", self.skipped)]
    }

    fn push_one<F: Framed<Model = M>>(
        &mut self,
        flavour: &mut F,
        id: LemmaId,
        level: u32,
        observer: &mut dyn Observer,
    ) {
        let lemma = flavour.frames().lemma(id);
        if lemma.subsumed || lemma.level != level {
            return;
        }
        if self.witnesses.get(&id).is_some_and(|w| flavour.still_admitted(w, level)) {
            self.skipped += 1;
            return;
        }
        let (location, cube) = (lemma.place, lemma.cube.clone());
        let above = level + 1;
        match flavour.blocked(FrameId { location, level: above }, &cube) {
            Answer::No(way) => {
                self.witnesses.insert(id, way);
            }
            Answer::Yes(core) => {
                self.witnesses.remove(&id);
                self.pushed += 1;
                let (frames, language) = flavour.frames_and_language();
                if core.len() < cube.len()
                    && let Some(stronger) = frames.add(language, location, core, above)
                {
                    // The stronger lemma has replaced it.
                    if observer.wants_detail() {
                        let formula = frames.lemma(stronger).formula;
                        learned(observer, Some(above), location, formula, "push");
                    }
                } else if !frames.lemma(id).subsumed {
                    frames.raise(language, id, above);
                    if observer.wants_detail() {
                        let formula = frames.lemma(id).formula;
                        observer.event(Event::Push { level: Some(above), location, formula });
                    }
                }
            }
            Answer::Undecided(_) => {}
        }
    }

    /// Every lemma above `level` is inductive together with the others above it.
    fn promote<F: Framed<Model = M>>(&mut self, flavour: &mut F, level: u32, observer: &mut dyn Observer) {
        let (frames, language) = flavour.frames_and_language();
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
            frames.raise(language, id, ALWAYS);
            self.promoted += 1;
            if observer.wants_detail() {
                let m = frames.lemma(id);
                observer.event(Event::Push { level: None, location: m.place, formula: m.formula });
            }
        }
    }
}
