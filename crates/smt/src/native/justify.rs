//! Which literals matter: decisions by justification.
//!
//! A query is satisfied as soon as each of its clauses has one true literal whose own meaning is satisfied in
//! turn. So decisions are taken only where a clause or a gate that counts still lacks its reason (Barrett and
//! Donham, "Combining SAT Methods with Non-Clausal Decision Heuristics", 2004; the "justification" heuristic
//! of CVC4): an edge of the program that was not taken is never looked at, its constraints never reach
//! simplex, and a disequality is split only if it has to hold. The literal chosen is one that the current
//! assignment of arithmetic satisfies already, if there is one: most queries resemble the last.
//!
//! Demands are worked off in a queue whose head is remembered per decision level, so that each is looked
//! at once per descent.

use palisade_sat::{Context, Lit, Var};

use super::encode::Encoder;
use super::gates::Gate;

/// What has to be seen to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// The literal is true; so must be what it stands for.
    True(Lit),
    /// Some literal of the clause (a range of the gates' children) must be true.
    Clause(u32, u32),
    /// The variable must have a value.
    Assign(Var),
    /// The clauses of a definition must hold.
    Definition(u32),
}

#[derive(Clone, Copy, Default)]
struct Mark {
    head: u32,
    len: u32,
    root: u32,
}

/// The demands of a query.
#[derive(Default)]
pub(crate) struct Demands {
    /// What the query starts from; grows during the query.
    roots: Vec<Demand>,
    next_root: usize,
    queue: Vec<Demand>,
    head: usize,
    marks: Vec<Mark>,
    /// Literals in the queue, by code; definitions likewise.
    queued: Vec<bool>,
    queued_defs: Vec<bool>,
}

/// What became of a demand.
enum Step {
    Done,
    Decide(Lit),
}

impl Demands {
    /// Forgets everything but the levels.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.roots.clear();
        self.next_root = 0;
        self.head = 0;
        self.marks.fill(Mark::default());
    }

    /// Adds a demand of the query; at any time.
    pub fn add_root(&mut self, o: Demand) {
        self.roots.push(o);
    }

    /// The demands that have been worked off, and those that wait.
    pub fn queue(&self) -> &[Demand] {
        &self.queue
    }

    /// What the query starts from.
    pub fn roots(&self) -> &[Demand] {
        &self.roots
    }

    pub fn new_level(&mut self) {
        self.marks.push(Mark {
            head: self.head as u32,
            len: self.queue.len() as u32,
            root: self.next_root as u32,
        });
    }

    pub fn backtrack(&mut self, levels: usize) {
        let keep = self.marks.len() - levels;
        let Mark { head, len, root } = self.marks[keep];
        self.marks.truncate(keep);
        self.truncate(len as usize);
        self.head = head as usize;
        self.next_root = root as usize;
    }

    fn truncate(&mut self, len: usize) {
        for o in self.queue.drain(len..) {
            match o {
                Demand::True(l) => self.queued[l.code()] = false,
                Demand::Definition(d) => self.queued_defs[d as usize] = false,
                Demand::Clause(..) | Demand::Assign(_) => {}
            }
        }
    }

    fn push(&mut self, o: Demand) {
        let (flags, at) = match o {
            Demand::True(l) => (&mut self.queued, l.code()),
            Demand::Definition(d) => (&mut self.queued_defs, d as usize),
            _ => {
                self.queue.push(o);
                return;
            }
        };
        if flags.len() <= at {
            flags.resize(at + 1, false);
        }
        if !flags[at] {
            flags[at] = true;
            self.queue.push(o);
        }
    }

    fn is_queued(&self, l: Lit) -> bool {
        self.queued.get(l.code()).copied().unwrap_or(false)
    }

    /// The next literal to decide, or `None` if everything is justified.
    pub fn decide(&mut self, enc: &Encoder<'_>, cx: &Context<'_>) -> Option<Lit> {
        loop {
            if let Some(&o) = self.queue.get(self.head) {
                match self.step(enc, cx, o) {
                    Step::Done => self.head += 1,
                    Step::Decide(l) => return Some(l),
                }
            } else if let Some(&o) = self.roots.get(self.next_root) {
                self.next_root += 1;
                self.push(o);
            } else {
                return None;
            }
        }
    }

    fn step(&mut self, enc: &Encoder<'_>, cx: &Context<'_>, o: Demand) -> Step {
        match o {
            Demand::True(l) => self.expand(enc, cx, l),
            Demand::Assign(v) => match cx.value(v.positive()) {
                Some(b) => {
                    self.push(Demand::True(v.lit(b)));
                    Step::Done
                }
                None => Step::Decide(v.lit(phase(enc, cx, v))),
            },
            Demand::Clause(start, len) => self.one_of(enc, cx, start, len, false),
            Demand::Definition(d) => {
                for i in 0..enc.gates.def_clauses(d).len() {
                    let (start, len) = enc.gates.def_clauses(d)[i];
                    self.push(Demand::Clause(start, len));
                }
                Step::Done
            }
        }
    }

    /// What a true literal stands for.
    fn expand(&mut self, enc: &Encoder<'_>, cx: &Context<'_>, l: Lit) -> Step {
        match enc.gates.get(l.var()) {
            Gate::Free | Gate::Bit(..) | Gate::Equal(..) | Gate::AtMost(..) => {}
            Gate::Defined(start, len) | Gate::Linear(_, start, len) => {
                for &d in enc.gates.def_refs(start, len) {
                    self.push(Demand::Definition(d));
                }
            }
            Gate::And(start, len) if l.is_positive() => {
                for &c in enc.gates.children(start, len) {
                    self.push(Demand::True(c));
                }
            }
            Gate::And(start, len) => return self.one_of(enc, cx, start, len, true),
            Gate::Iff(a, b) => {
                self.push(Demand::Assign(a.var()));
                self.push(Demand::Assign(b.var()));
            }
            Gate::Ite(c, a, b) => {
                let Some(value) = cx.value(c) else {
                    let v = c.var();
                    return Step::Decide(v.lit(phase(enc, cx, v)));
                };
                self.push(Demand::True(if value { c } else { !c }));
                let branch = if value { a } else { b };
                self.push(Demand::True(if l.is_positive() { branch } else { !branch }));
            }
        }
        Step::Done
    }

    /// One literal of a list (negated, if so asked) must be true: one that counts already, or is true, or
    /// else is to be decided.
    fn one_of(&mut self, enc: &Encoder<'_>, cx: &Context<'_>, start: u32, len: u32, negated: bool) -> Step {
        let lits = enc.gates.children(start, len);
        let sign = |l: Lit| if negated { !l } else { l };
        let mut chosen = None;
        for &l in lits {
            let l = sign(l);
            if cx.value(l) == Some(true) {
                if self.is_queued(l) {
                    return Step::Done;
                }
                chosen = chosen.or(Some(l));
            }
        }
        if let Some(l) = chosen {
            self.push(Demand::True(l));
            return Step::Done;
        }
        let mut best: Option<(Lit, f64)> = None;
        for &l in lits {
            let l = sign(l);
            if cx.value(l).is_some() {
                continue;
            }
            if holds(enc, cx, l, 2) {
                return Step::Decide(l);
            }
            let activity = cx.activity(l.var());
            if best.is_none_or(|(_, a)| activity > a) {
                best = Some((l, activity));
            }
        }
        let (l, _) = best.expect("propagation leaves no clause false");
        Step::Decide(l)
    }
}

/// The value that a variable would be tried with.
fn phase(enc: &Encoder<'_>, cx: &Context<'_>, v: Var) -> bool {
    match enc.gates.get(v) {
        Gate::Linear(alit, ..) => enc.arith.holds(alit),
        Gate::And(..) => holds(enc, cx, v.positive(), 2),
        _ => cx.phase(v),
    }
}

/// Would the literal be true if arithmetic stayed as it is and variables kept their last values? Looks
/// `depth` gates deep.
fn holds(enc: &Encoder<'_>, cx: &Context<'_>, l: Lit, depth: u32) -> bool {
    if let Some(value) = cx.value(l) {
        return value;
    }
    let v = l.var();
    let value = match enc.gates.get(v) {
        Gate::Linear(alit, ..) => enc.arith.holds(alit),
        Gate::And(start, len) if depth > 0 => {
            enc.gates.children(start, len).iter().all(|&c| holds(enc, cx, c, depth - 1))
        }
        _ => cx.phase(v),
    };
    value == l.is_positive()
}
