//! Watched literals and unit propagation.
//!
//! Two watched literals with blockers (Moskewicz, Madigan, Zhao, Zhang and Malik, "Chaff: Engineering an
//! Efficient SAT Solver", 2001; blockers as in MiniSat 2.1): a watcher carries some other literal of its
//! clause, and if that is true the clause is not even opened. Binary clauses are never opened.
//!
//! With `propagate_in_domain`, a clause with an open variable outside the domain may be passed by, and keep
//! false watches. That is no harm as long as the variable stays open: it gets a value only at level 0, where
//! everything is propagated, or when the domain is extended, and that begins at level 0 too.

use crate::arena::CRef;
use crate::core::{Core, Reason, VarInfo};
use crate::lit::Lit;

/// An entry of a watch list.
#[derive(Clone, Copy)]
pub(crate) struct Watcher {
    /// Some other literal of the clause; *the* other literal if it is binary.
    pub(crate) blocker: Lit,
    /// Clause address shifted by one, with a bit for binary.
    tagged: u32,
}

impl Watcher {
    #[inline]
    pub(crate) fn new(blocker: Lit, c: CRef, binary: bool) -> Self {
        Watcher { blocker, tagged: c.0 << 1 | u32::from(binary) }
    }

    /// The same entry for a clause that moved.
    pub(crate) fn at(self, c: CRef) -> Self {
        Watcher::new(self.blocker, c, self.is_binary())
    }

    #[inline]
    pub(crate) fn cref(self) -> CRef {
        CRef(self.tagged >> 1)
    }

    #[inline]
    pub(crate) fn is_binary(self) -> bool {
        self.tagged & 1 != 0
    }
}

impl Core {
    pub(crate) fn attach(&mut self, c: CRef) {
        let lits = self.arena.lits(c);
        let (a, b, binary) = (lits[0], lits[1], lits.len() == 2);
        self.watches[a.code()].push(Watcher::new(b, c, binary));
        self.watches[b.code()].push(Watcher::new(a, c, binary));
    }

    /// Takes a clause out of its watch lists. Lists are searched from the end, where young clauses are.
    pub(crate) fn detach(&mut self, c: CRef) {
        for k in 0..2 {
            let list = &mut self.watches[self.arena.lit(c, k).code()];
            let at = list
                .iter()
                .rposition(|w| w.cref() == c)
                .expect("a clause is watched by its first two literals");
            list.remove(at);
        }
    }

    /// Unit propagation. Returns a clause that is false, if any.
    pub(crate) fn propagate(&mut self) -> Option<CRef> {
        let (visited, assigned) = (self.qhead, self.trail.len());
        let conflict = self.propagate_clauses();
        self.stats.propagations += (self.qhead - visited) as u64;
        if self.levels.is_empty() {
            self.settle_roots(assigned);
        }
        conflict
    }

    /// Turns the reasons of level-0 literals from trail position `from` on into what they rest on.
    fn settle_roots(&mut self, from: usize) {
        for i in from..self.trail.len() {
            let lit = self.trail[i];
            if let Reason::Clause(c) = self.vars[lit.var().index()].reason {
                self.roots[lit.var().index()] = self.root_of(c, Some(lit));
                self.vars[lit.var().index()].reason = Reason::None;
            }
        }
    }

    /// The inner loop of the solver. It works on separate borrows of the fields so that their addresses stay
    /// in registers.
    fn propagate_clauses(&mut self) -> Option<CRef> {
        let Core { values, vars, trail, watches, arena, levels, qhead, domain, options, .. } = self;
        let local = options.propagate_in_domain && domain.is_on() && !levels.is_empty();
        let (members, epoch) = domain.members();
        let outside = |l: Lit| local && members[l.var().index()] != epoch;
        let (values, vars, watches) = (&mut values[..], &mut vars[..], &mut watches[..]);
        let level = levels.len() as u32;
        let mut conflict = None;
        while conflict.is_none() && *qhead < trail.len() {
            let false_lit = !trail[*qhead];
            *qhead += 1;
            let mut list = std::mem::take(&mut watches[false_lit.code()]);
            let (mut read, mut write) = (0, 0);
            'watchers: while read < list.len() {
                let w = list[read];
                read += 1;
                let blocker_value = values[w.blocker.code()];
                if blocker_value > 0 {
                    list[write] = w;
                    write += 1;
                    continue;
                }
                if blocker_value == 0 && outside(w.blocker) {
                    list[write] = w;
                    write += 1;
                    continue;
                }
                let c = w.cref();
                let implied = if w.is_binary() {
                    list[write] = w;
                    write += 1;
                    if blocker_value < 0 {
                        conflict = Some(c);
                        break;
                    }
                    w.blocker
                } else {
                    let lits = arena.lits_mut(c);
                    let first = Lit(lits[0].0 ^ lits[1].0 ^ false_lit.0);
                    let first_value = values[first.code()];
                    let kept = Watcher::new(first, c, false);
                    if first_value > 0 {
                        list[write] = kept;
                        write += 1;
                        continue;
                    }
                    for k in 2..lits.len() {
                        let l = lits[k];
                        if values[l.code()] >= 0 {
                            lits[0] = first;
                            lits[1] = l;
                            lits[k] = false_lit;
                            watches[l.code()].push(kept);
                            continue 'watchers;
                        }
                    }
                    list[write] = kept;
                    write += 1;
                    if first_value < 0 {
                        conflict = Some(c);
                        break;
                    }
                    if outside(first) {
                        continue;
                    }
                    lits[0] = first;
                    lits[1] = false_lit;
                    first
                };
                values[implied.code()] = 1;
                values[(!implied).code()] = -1;
                vars[implied.var().index()] =
                    VarInfo { reason: Reason::Clause(c), level, position: trail.len() as u32 };
                trail.push(implied);
            }
            if write < read {
                list.copy_within(read.., write);
                list.truncate(list.len() - (read - write));
            }
            watches[false_lit.code()] = list;
        }
        conflict
    }
}
