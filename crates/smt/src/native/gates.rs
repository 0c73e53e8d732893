//! The graph of Boolean variables: what each SAT variable stands for, and the clauses that say so.
//!
//! There are two kinds of gates. *Skeleton gates* (`And`, `Iff`, `Ite`) come from the Boolean structure of
//! formulas. Their clauses are emitted per polarity, and only when a polarity is first needed (Plaisted and
//! Greenbaum, "A Structure-Preserving Clause Form Translation", 1986): a gate that only ever has to be true
//! needs no clauses for being false. *Bit gates* come from bit-blasting; they are structurally hashed as in
//! an and-inverter graph, with exclusive-or, majority and multiplexer as further primitives because they
//! propagate better than their expansions, and have all their clauses from the start. Equalities of vectors
//! and comparisons with constants lie between the two: they constrain bits directly, per polarity, so that
//! one that does not have to hold costs nothing when bits change.
//!
//! Everything here is a conservative extension: the clauses of a gate constrain only the gate's own variable.
//! So they are permanent, and caches survive every pop.

mod bit;
mod rule;
mod vector;

use palisade_arith::ALit;
use palisade_sat::{Lit, Tag, Var};
use rustc_hash::FxHashMap;

pub(crate) use bit::BitGate;
use bit::CacheKey;
pub use rule::Rule;

/// Where clauses and variables go: the SAT core, or a test.
pub(crate) trait ClauseSink {
    /// A fresh variable; `theory` if arithmetic is to hear of it, `scoped` if it is to be forgotten after the
    /// query.
    fn new_var(&mut self, theory: bool, scoped: bool) -> Var;
    /// Adds a clause that lives as long as all its variables do.
    fn clause(&mut self, lits: &[Lit], tag: Tag);
    /// Are variables of arithmetic that are asked for as scoped really forgotten?
    const FORGETS_ATOMS: bool;
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Nothing further: a Boolean variable, a bit, an equality between arrays.
    Free,
    /// As `Free`, with a range of definitions to observe.
    Defined(u32, u32),
    /// The conjunction of `children[start..start + len]`.
    And(u32, u32),
    /// The equivalence of two literals.
    Iff(Lit, Lit),
    /// If the first then the second else the third.
    Ite(Lit, Lit, Lit),
    /// An arithmetic bound, and the range of definitions of the terms in it.
    Linear(ALit, u32, u32),
    /// A bit gate over up to three literals (the last repeated when there are fewer).
    Bit(Lit, Lit, Lit),
    /// Equality of two vectors: children `start..start + len` and the next `len`.
    Equal(u32, u32),
    /// Unsigned `<=` between a vector and a constant: children `start..start + len` and the next `len`, which
    /// are constants.
    AtMost(u32, u32),
}

/// Marks a range of children that is forgotten after the query.
const SCOPED: u32 = 1 << 31;
/// Has all clauses for the literal being true.
const POSITIVE: u8 = 1;
/// Has all clauses for the literal being false.
const NEGATIVE: u8 = 2;

/// The table of gates.
#[derive(Default)]
pub(crate) struct Gates {
    gates: Vec<Gate>,
    emitted: Vec<u8>,
    children: Vec<Lit>,
    /// Definitions mentioned by `Linear` gates.
    def_refs: Vec<u32>,
    /// Definitions: ranges of `def_clauses`.
    defs: Vec<(u32, u32)>,
    /// Clauses of definitions: ranges of `children`.
    def_clauses: Vec<(u32, u32)>,
    and_cache: FxHashMap<(Lit, Lit), Lit>,
    xor_cache: FxHashMap<(Lit, Lit), Lit>,
    xor3_cache: FxHashMap<(Lit, Lit, Lit), Lit>,
    maj_cache: FxHashMap<(Lit, Lit, Lit), Lit>,
    mux_cache: FxHashMap<(Lit, Lit, Lit), Lit>,
    /// Variables that occur in clauses of the skeleton: only they are worth propagating.
    mentioned: Vec<bool>,
    work: Vec<Lit>,
    clause: Vec<Lit>,
    /// Are gates made for the running query only?
    pub scoped: bool,
    /// May equalities and comparisons constrain bits directly? Proofs want functions of bits.
    pub direct: bool,
    /// Variables that are mentioned for the running query only.
    scoped_mentions: Vec<Var>,
    scoped_vars: Vec<bool>,
    /// Children of gates, and clauses, of the running query.
    scoped_children: Vec<Lit>,
    /// Cache entries made for the running query.
    scoped_keys: Vec<CacheKey>,
}

/// The constant true: variable 0 of every solver.
pub(crate) fn tru() -> Lit {
    Var::new(0).positive()
}

/// The constant false.
pub(crate) fn fls() -> Lit {
    !tru()
}

impl Gates {
    /// Makes the constant, which must be the first variable.
    pub fn init(&mut self, sink: &mut impl ClauseSink) {
        let t = self.free(sink);
        assert_eq!(t, tru(), "the constant is the first variable");
        sink.clause(&[t], Rule::True.tag(0));
    }

    /// Notes what a variable stands for. Variables that were made elsewhere and not noted are `Free`.
    pub fn set(&mut self, var: Var, gate: Gate) {
        if self.gates.len() <= var.index() {
            self.gates.resize(var.index() + 1, Gate::Free);
            self.emitted.resize(var.index() + 1, 0);
            self.mentioned.resize(var.index() + 1, false);
            self.scoped_vars.resize(var.index() + 1, false);
        }
        self.scoped_vars[var.index()] = self.scoped;
        self.gates[var.index()] = gate;
        self.emitted[var.index()] = 0;
        self.mentioned[var.index()] = false;
    }

    /// Notes that a clause mentions these literals.
    pub fn mention(&mut self, lits: &[Lit]) {
        for l in lits {
            self.mention_var(l.var());
        }
    }

    fn mention_var(&mut self, v: Var) {
        if !std::mem::replace(&mut self.mentioned[v.index()], true) && self.scoped {
            self.scoped_mentions.push(v);
        }
    }

    /// Does a clause of the skeleton mention the variable?
    #[inline]
    pub fn is_mentioned(&self, var: Var) -> bool {
        self.mentioned[var.index()]
    }

    /// What a variable stands for.
    #[inline]
    pub fn get(&self, var: Var) -> Gate {
        self.gates.get(var.index()).copied().unwrap_or(Gate::Free)
    }

    /// The children of a conjunction.
    #[inline]
    pub fn children(&self, start: u32, len: u32) -> &[Lit] {
        if start & SCOPED == 0 {
            &self.children[start as usize..(start + len) as usize]
        } else {
            let start = start & !SCOPED;
            &self.scoped_children[start as usize..(start + len) as usize]
        }
    }

    /// The definitions of a `Linear` gate.
    #[inline]
    pub fn def_refs(&self, start: u32, len: u32) -> &[u32] {
        &self.def_refs[start as usize..(start + len) as usize]
    }

    /// The clauses of a definition, as ranges for [`Gates::children`].
    #[inline]
    pub fn def_clauses(&self, def: u32) -> &[(u32, u32)] {
        let (start, len) = self.defs[def as usize];
        &self.def_clauses[start as usize..(start + len) as usize]
    }

    /// Stores a list of literals; the range is for [`Gates::children`].
    pub fn store(&mut self, lits: &[Lit]) -> (u32, u32) {
        let (arena, mark) =
            if self.scoped { (&mut self.scoped_children, SCOPED) } else { (&mut self.children, 0) };
        let start = arena.len() as u32;
        arena.extend_from_slice(lits);
        (start | mark, lits.len() as u32)
    }

    /// As [`Gates::store`], until the query ends.
    pub fn store_for_query(&mut self, lits: &[Lit]) -> (u32, u32) {
        let scoped = std::mem::replace(&mut self.scoped, true);
        let range = self.store(lits);
        self.scoped = scoped;
        range
    }

    /// Bytes held, roughly.
    pub fn memory(&self) -> usize {
        self.gates.capacity() * size_of::<Gate>()
            + 4 * (self.children.capacity() + self.def_refs.capacity())
            + 8 * (self.defs.capacity() + self.def_clauses.capacity())
            + 16 * (self.and_cache.capacity() + self.xor_cache.capacity())
            + 20 * (self.xor3_cache.capacity() + self.maj_cache.capacity() + self.mux_cache.capacity())
    }

    /// A fresh variable that stands for nothing further.
    pub fn free(&mut self, sink: &mut impl ClauseSink) -> Lit {
        let v = sink.new_var(false, self.scoped);
        self.set(v, Gate::Free);
        v.positive()
    }

    /// A definition that is still without clauses.
    pub fn reserve_def(&mut self) -> u32 {
        self.defs.push((0, 0));
        (self.defs.len() - 1) as u32
    }

    /// Gives a reserved definition its clauses, which are added.
    pub fn define(&mut self, sink: &mut impl ClauseSink, def: u32, clauses: &[Vec<Lit>], tag: Tag) {
        let first = self.def_clauses.len() as u32;
        for c in clauses {
            for &l in c {
                self.require(sink, l);
            }
            self.mention(c);
            sink.clause(c, tag);
            let range = self.store(c);
            self.def_clauses.push(range);
        }
        self.defs[def as usize] = (first, clauses.len() as u32);
    }

    /// Stores the list of definitions of a `Linear` gate.
    pub fn store_defs(&mut self, defs: &[u32]) -> (u32, u32) {
        let start = self.def_refs.len() as u32;
        self.def_refs.extend_from_slice(defs);
        (start, defs.len() as u32)
    }

    // ---- skeleton ------------------------------------------------------------------------------

    /// The conjunction of literals. No clauses yet: see [`Gates::require`].
    pub fn and_gate(&mut self, sink: &mut impl ClauseSink, lits: &mut Vec<Lit>) -> Lit {
        lits.retain(|&l| l != tru());
        lits.sort_unstable();
        lits.dedup();
        if lits.contains(&fls()) || lits.windows(2).any(|w| w[0] == !w[1]) {
            return fls();
        }
        match lits.as_slice() {
            [] => tru(),
            [l] => *l,
            _ => {
                let v = sink.new_var(false, self.scoped);
                let (start, len) = self.store(lits);
                self.set(v, Gate::And(start, len));
                v.positive()
            }
        }
    }

    /// The equivalence of two literals.
    pub fn iff_gate(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        for (x, y) in [(a, b), (b, a)] {
            if x.var() == tru().var() {
                return if x == tru() { y } else { !y };
            }
        }
        if a.var() == b.var() {
            return if a == b { tru() } else { fls() };
        }
        let v = sink.new_var(false, self.scoped);
        self.set(v, Gate::Iff(a, b));
        v.positive()
    }

    /// If-then-else of literals.
    pub fn ite_gate(&mut self, sink: &mut impl ClauseSink, c: Lit, a: Lit, b: Lit) -> Lit {
        if c == tru() || a == b {
            return a;
        }
        if c == fls() {
            return b;
        }
        if a == !b {
            return self.iff_gate(sink, c, a);
        }
        let v = sink.new_var(false, self.scoped);
        self.set(v, Gate::Ite(c, a, b));
        v.positive()
    }

    /// Makes sure that all clauses are there by which `lit`, if true, forces what it stands for; likewise for
    /// what it rests on.
    pub fn require(&mut self, sink: &mut impl ClauseSink, lit: Lit) {
        debug_assert!(self.work.is_empty());
        self.work.push(lit);
        while let Some(l) = self.work.pop() {
            let v = l.var();
            let polarity = if l.is_positive() { POSITIVE } else { NEGATIVE };
            match self.emitted.get(v.index()) {
                Some(e) if e & polarity == 0 => {}
                _ => continue,
            }
            self.emitted[v.index()] |= polarity;
            let g = v.positive();
            let pushed = self.work.len();
            match self.get(v) {
                Gate::Free | Gate::Defined(..) | Gate::Linear(..) | Gate::Bit(..) => {}
                Gate::Equal(start, len) => self.emit_equal(sink, l, start, len),
                Gate::AtMost(start, len) => self.emit_at_most(sink, l, start, len),
                Gate::And(start, len) => {
                    let tag = Rule::And.tag(v.index() as u32);
                    let mut clause = std::mem::take(&mut self.clause);
                    clause.clear();
                    clause.extend_from_slice(self.children(start, len));
                    if l.is_positive() {
                        for &c in &clause {
                            sink.clause(&[!g, c], tag);
                            self.work.push(c);
                        }
                    } else {
                        for c in &mut clause {
                            *c = !*c;
                        }
                        self.work.extend_from_slice(&clause);
                        clause.push(g);
                        sink.clause(&clause, tag);
                    }
                    self.clause = clause;
                }
                Gate::Iff(a, b) => {
                    self.work.extend([a, !a, b, !b]);
                    let tag = Rule::Iff.tag(v.index() as u32);
                    if l.is_positive() {
                        sink.clause(&[!g, !a, b], tag);
                        sink.clause(&[!g, a, !b], tag);
                    } else {
                        sink.clause(&[g, a, b], tag);
                        sink.clause(&[g, !a, !b], tag);
                    }
                }
                Gate::Ite(c, a, b) => {
                    self.work.extend([c, !c]);
                    let tag = Rule::Ite.tag(v.index() as u32);
                    if l.is_positive() {
                        self.work.extend([a, b]);
                        sink.clause(&[!g, !c, a], tag);
                        sink.clause(&[!g, c, b], tag);
                    } else {
                        self.work.extend([!a, !b]);
                        sink.clause(&[g, !c, !a], tag);
                        sink.clause(&[g, c, !b], tag);
                    }
                }
            }
            for i in pushed..self.work.len() {
                self.mention_var(self.work[i].var());
            }
        }
    }

    /// Both polarities of a literal: for what is an input of a bit gate.
    pub fn require_both(&mut self, sink: &mut impl ClauseSink, lit: Lit) {
        self.require(sink, lit);
        self.require(sink, !lit);
    }
}
