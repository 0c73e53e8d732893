//! What is stored in sets of places, remembered and brought up to date when it is asked for.
//!
//! Entry point: [`Contents`].

use rustc_hash::FxHashMap;

use super::{Holder, Set};

/// What is stored in sets of places. Few sets are asked about, and each of them often.
#[derive(Default)]
pub(super) struct Contents {
    /// By set: what was stored there when it was asked about last, and what came since then.
    pub(super) known: FxHashMap<Set, (Set, Vec<Set>)>,
    /// The sets that have a place in them.
    pub(super) with: FxHashMap<Holder, Vec<Set>>,
}

impl Contents {
    /// More is stored at a place now: `held`, and what was there before. `news`: gets the sets that have it
    /// in them, if that is the first news of them since they were asked about.
    pub(super) fn grow(&mut self, at: Holder, held: Set, news: &mut Vec<Set>) {
        let Some(with) = self.with.get_mut(&at) else { return };
        with.retain(|places| {
            let Some((_, more)) = self.known.get_mut(places) else { return false };
            if more.is_empty() {
                news.push(*places);
            }
            if more.last() != Some(&held) {
                more.push(held);
            }
            true
        });
    }

    /// Nobody asks about a set any more. Who does all the same gets what is stored there then.
    pub(super) fn forget(&mut self, places: Set) {
        self.known.remove(&places);
    }
}
