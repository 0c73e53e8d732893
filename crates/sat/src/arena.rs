//! The clause arena: all clauses in one flat vector of words.
//!
//! A clause is a header of [`HEADER`] words followed by its literals. Words are typed as [`Lit`] so that a
//! clause can be lent out as `&[Lit]`; header words are plain numbers in the same wrapper.
//!
//! | word | content |
//! |---|---|
//! | 0 | number of literals |
//! | 1 | bits: 0 learned, 1 deleted, 2 moved, 3-4 recent use, 5 loose, 6-12 glue, 13.. scope |
//! | 2 | proof step, or the new address once moved |
//!
//! Freed clauses at the very end give their space back at once, so that the clauses of a popped scope cost no
//! collection; others are counted in `wasted` until [`Arena::relocate`] copies the living ones out.

use crate::lit::Lit;
use crate::proof::StepId;

/// Address of a clause in the arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CRef(pub(crate) u32);

const HEADER: usize = 3;
const LEARNED: u32 = 1;
const DELETED: u32 = 2;
const MOVED: u32 = 4;
const USED_SHIFT: u32 = 3;
const LOOSE: u32 = 1 << 5;
const GLUE_SHIFT: u32 = 6;
const GLUE_MAX: u32 = 127;
const SCOPE_SHIFT: u32 = 13;
/// Deepest scope that a clause header can name.
pub(crate) const MAX_SCOPE: u32 = (1 << (32 - SCOPE_SHIFT)) - 1;

#[derive(Default)]
pub(crate) struct Arena {
    words: Vec<Lit>,
    wasted: usize,
    /// Loose clauses in the order of their addresses; those on top are not deleted.
    loose: Vec<CRef>,
}

impl Arena {
    pub(crate) fn alloc(&mut self, lits: &[Lit], learned: bool, glue: u32, scope: u32, id: StepId) -> CRef {
        let at = self.words.len();
        assert!(at + HEADER + lits.len() < (u32::MAX >> 1) as usize, "clause arena is full");
        let flags = u32::from(learned) | glue.min(GLUE_MAX) << GLUE_SHIFT | scope << SCOPE_SHIFT;
        self.words.extend_from_slice(&[Lit(lits.len() as u32), Lit(flags), Lit(id.0)]);
        self.words.extend_from_slice(lits);
        CRef(at as u32)
    }

    /// Stores a clause that no list and no watcher refers to.
    pub(crate) fn alloc_loose(&mut self, lits: &[Lit], scope: u32, id: StepId) -> CRef {
        let c = self.alloc(lits, false, 0, scope, id);
        *self.header_mut(c) |= LOOSE;
        self.loose.push(c);
        c
    }

    /// Frees a loose clause. They die in about the reverse order of their birth, so the end of the arena
    /// comes back soon.
    pub(crate) fn free_loose(&mut self, c: CRef) {
        debug_assert!(self.is_loose(c));
        self.delete(c);
        while let Some(&top) = self.loose.last()
            && self.is_deleted(top)
        {
            self.loose.pop();
            self.free(top);
        }
    }

    #[inline]
    pub(crate) fn is_loose(&self, c: CRef) -> bool {
        self.header(c) & LOOSE != 0
    }

    #[inline]
    fn header(&self, c: CRef) -> u32 {
        self.words[c.0 as usize + 1].0
    }

    #[inline]
    fn header_mut(&mut self, c: CRef) -> &mut u32 {
        &mut self.words[c.0 as usize + 1].0
    }

    #[inline]
    pub(crate) fn len(&self, c: CRef) -> usize {
        self.words[c.0 as usize].0 as usize
    }

    #[inline]
    pub(crate) fn lits(&self, c: CRef) -> &[Lit] {
        let at = c.0 as usize;
        &self.words[at + HEADER..at + HEADER + self.words[at].0 as usize]
    }

    #[inline]
    pub(crate) fn lits_mut(&mut self, c: CRef) -> &mut [Lit] {
        let at = c.0 as usize;
        let len = self.words[at].0 as usize;
        &mut self.words[at + HEADER..at + HEADER + len]
    }

    /// One literal, for loops that cannot hold a borrow of the whole clause.
    #[inline]
    pub(crate) fn lit(&self, c: CRef, k: usize) -> Lit {
        self.words[c.0 as usize + HEADER + k]
    }

    #[inline]
    pub(crate) fn is_learned(&self, c: CRef) -> bool {
        self.header(c) & LEARNED != 0
    }

    #[inline]
    pub(crate) fn is_deleted(&self, c: CRef) -> bool {
        self.header(c) & DELETED != 0
    }

    #[inline]
    pub(crate) fn scope(&self, c: CRef) -> u32 {
        self.header(c) >> SCOPE_SHIFT
    }

    #[inline]
    pub(crate) fn glue(&self, c: CRef) -> u32 {
        self.header(c) >> GLUE_SHIFT & GLUE_MAX
    }

    pub(crate) fn set_glue(&mut self, c: CRef, glue: u32) {
        let h = self.header_mut(c);
        *h = *h & !(GLUE_MAX << GLUE_SHIFT) | glue.min(GLUE_MAX) << GLUE_SHIFT;
    }

    #[inline]
    pub(crate) fn used(&self, c: CRef) -> u32 {
        self.header(c) >> USED_SHIFT & 3
    }

    #[inline]
    pub(crate) fn set_used(&mut self, c: CRef, used: u32) {
        let h = self.header_mut(c);
        *h = *h & !(3 << USED_SHIFT) | used << USED_SHIFT;
    }

    #[inline]
    pub(crate) fn id(&self, c: CRef) -> StepId {
        StepId(self.words[c.0 as usize + 2].0)
    }

    pub(crate) fn set_id(&mut self, c: CRef, id: StepId) {
        self.words[c.0 as usize + 2] = Lit(id.0);
    }

    /// Drops the literals from position `len` on.
    pub(crate) fn shrink(&mut self, c: CRef, len: usize) {
        self.wasted += self.len(c) - len;
        self.words[c.0 as usize] = Lit(len as u32);
    }

    /// Marks the clause as deleted. Its words stay readable until the next collection.
    pub(crate) fn delete(&mut self, c: CRef) {
        debug_assert!(!self.is_deleted(c));
        *self.header_mut(c) |= DELETED;
        self.wasted += HEADER + self.len(c);
    }

    /// Deletes a clause that nothing refers to any more; takes the space back at once if it is at the end.
    pub(crate) fn free(&mut self, c: CRef) {
        let end = c.0 as usize + HEADER + self.len(c);
        if end == self.words.len() {
            if self.is_deleted(c) {
                self.wasted -= end - c.0 as usize;
            }
            self.words.truncate(c.0 as usize);
        } else if !self.is_deleted(c) {
            self.delete(c);
        }
    }

    /// Moves a clause into `to` (once) and returns its new address.
    pub(crate) fn relocate(&mut self, c: CRef, to: &mut Arena) -> CRef {
        let at = c.0 as usize;
        if self.words[at + 1].0 & MOVED != 0 {
            return CRef(self.words[at + 2].0);
        }
        let new = CRef(to.words.len() as u32);
        to.words.extend_from_slice(&self.words[at..at + HEADER + self.len(c)]);
        self.words[at + 1].0 |= MOVED;
        self.words[at + 2] = Lit(new.0);
        new
    }

    /// An empty arena with room for what is alive in this one.
    pub(crate) fn successor(&self) -> Arena {
        let room = self.words.len() - self.wasted + self.wasted / 2;
        Arena { words: Vec::with_capacity(room), wasted: 0, loose: Vec::new() }
    }

    /// Moves all loose clauses into `to`.
    pub(crate) fn relocate_loose(&mut self, to: &mut Arena) {
        for c in std::mem::take(&mut self.loose) {
            if !self.is_deleted(c) {
                let moved = self.relocate(c, to);
                to.loose.push(moved);
            }
        }
    }

    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn wasted(&self) -> usize {
        self.wasted
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<Lit>()
    }
}
