//! The graph of Boolean variables: what each SAT variable stands for, and the clauses that say so.
//!
//! Two kinds of gates live here. *Skeleton gates* (`And`, `Iff`, `Ite`) come from the Boolean structure of formulas. Their clauses are
//! emitted per polarity, and only when a polarity is first needed (Plaisted and Greenbaum, 1986): a gate that only ever
//! has to be true needs no clauses for being false. *Bit gates* come from bit-blasting; they are structurally hashed as in an and-inverter
//! graph, with exclusive-or, majority and multiplexer as further primitives because they propagate better than their
//! expansions, and have all their clauses from the start. Equalities of vectors and comparisons with constants lie between the two: they constrain
//! bits directly, per polarity, so that one that does not have to hold costs nothing when bits change.
//!
//! Everything here is a conservative extension: the clauses of a gate constrain only the gate's own variable. So they are permanent, and
//! caches survive every pop.

use palisade_arith::ALit;
use palisade_sat::{Lit, Tag, Var};
use rustc_hash::FxHashMap;

/// Why a clause is there; the high half of its proof tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Rule {
    /// The constant true.
    True,
    /// Part of an asserted formula; the tag's low half is the formula.
    Input,
    /// Definition of a conjunction.
    And,
    /// Definition of an equivalence.
    Iff,
    /// Definition of a Boolean if-then-else.
    Ite,
    /// Definition of a bit gate.
    Bit,
    /// Definition of an arithmetic term (if-then-else, division, conversion); the low half is the term.
    Term,
    /// An axiom of arrays.
    Array,
    /// A valid fact about a product or quotient.
    Nonlinear,
    /// A theory lemma of arithmetic; the low half is the number of its certificate, if certificates are kept.
    Arith,
    /// A split `x <= k or x >= k + 1`.
    Split,
}

impl Rule {
    /// The proof tag for this rule and a detail.
    pub fn tag(self, detail: u32) -> Tag {
        (self as u64) << 32 | u64::from(detail)
    }

    /// Splits a proof tag.
    pub fn of_tag(tag: Tag) -> (Rule, u32) {
        const RULES: [Rule; 11] = [
            Rule::True,
            Rule::Input,
            Rule::And,
            Rule::Iff,
            Rule::Ite,
            Rule::Bit,
            Rule::Term,
            Rule::Array,
            Rule::Nonlinear,
            Rule::Arith,
            Rule::Split,
        ];
        (RULES[(tag >> 32) as usize], tag as u32)
    }
}

/// Where clauses and variables go: the SAT core, or a test.
pub(crate) trait ClauseSink {
    /// A fresh variable; `theory` if arithmetic is to hear of it, `scoped` if it is to be forgotten after the query.
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
    /// Unsigned `<=` between a vector and a constant: children `start..start + len` and the next `len`, which are constants.
    AtMost(u32, u32),
}

/// The function of a bit gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitGate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Parity(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
    Choice(Lit, Lit, Lit),
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

/// A key of one of the caches.
enum CacheKey {
    And((Lit, Lit)),
    Xor((Lit, Lit)),
    Xor3((Lit, Lit, Lit)),
    Maj((Lit, Lit, Lit)),
    Mux((Lit, Lit, Lit)),
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

    /// The bit gates, in no particular order.
    pub fn bit_gates(&self) -> impl Iterator<Item = (Var, BitGate)> {
        let and = self.and_cache.iter().map(|(&(a, b), g)| (g.var(), BitGate::And(a, b)));
        let xor = self.xor_cache.iter().map(|(&(a, b), g)| (g.var(), BitGate::Xor(a, b)));
        let parity = self.xor3_cache.iter().map(|(&(a, b, c), g)| (g.var(), BitGate::Parity(a, b, c)));
        let majority = self.maj_cache.iter().map(|(&(a, b, c), g)| (g.var(), BitGate::Majority(a, b, c)));
        let choice = self.mux_cache.iter().map(|(&(c, a, b), g)| (g.var(), BitGate::Choice(c, a, b)));
        and.chain(xor).chain(parity).chain(majority).chain(choice)
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

    /// Makes sure that all clauses are there by which `lit`, if true, forces what it stands for; likewise for what it rests on.
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

    // ---- bits ----------------------------------------------------------------------------------

    fn note(&mut self, key: CacheKey) {
        if self.scoped {
            self.scoped_keys.push(key);
        }
    }

    /// Forgets the gates that were made for a query.
    pub fn forget_scoped(&mut self) {
        self.scoped_children.clear();
        for v in self.scoped_mentions.drain(..) {
            self.mentioned[v.index()] = false;
        }
        for key in self.scoped_keys.drain(..) {
            match key {
                CacheKey::And(k) => self.and_cache.remove(&k),
                CacheKey::Xor(k) => self.xor_cache.remove(&k),
                CacheKey::Xor3(k) => self.xor3_cache.remove(&k),
                CacheKey::Maj(k) => self.maj_cache.remove(&k),
                CacheKey::Mux(k) => self.mux_cache.remove(&k),
            };
        }
    }

    /// Equality of two vectors. No clauses yet: see [`Gates::require`].
    pub fn equal_gate(&mut self, sink: &mut impl ClauseSink, a: &[Lit], b: &[Lit]) -> Lit {
        // Bits that agree or differ for certain.
        let mut pairs: Vec<(Lit, Lit)> = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            if x == !y {
                return fls();
            }
            // Constants to the right.
            let pair = if x.var() == tru().var() { (y, x) } else { (x, y) };
            if x != y && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        match pairs[..] {
            [] => return tru(),
            [(x, y)] => return !self.xor2(sink, x, y),
            _ => {}
        }
        let lits: Vec<Lit> = pairs.iter().map(|p| p.0).chain(pairs.iter().map(|p| p.1)).collect();
        let (start, _) = self.store(&lits);
        let v = sink.new_var(false, self.scoped);
        self.set(v, Gate::Equal(start, pairs.len() as u32));
        v.positive()
    }

    /// Unsigned `a <= k` for a constant that is not the greatest. No clauses yet.
    pub fn at_most_gate(&mut self, sink: &mut impl ClauseSink, a: &[Lit], k: &[Lit]) -> Lit {
        debug_assert!(k.contains(&fls()));
        let (start, _) = self.store(&[a, k].concat());
        let v = sink.new_var(false, self.scoped);
        self.set(v, Gate::AtMost(start, a.len() as u32));
        v.positive()
    }

    fn emit_equal(&mut self, sink: &mut impl ClauseSink, l: Lit, start: u32, len: u32) {
        let tag = Rule::Bit.tag(l.var().index() as u32);
        let lits = self.children(start, 2 * len).to_vec();
        let (left, right) = lits.split_at(len as usize);
        if l.is_positive() {
            for (&x, &y) in left.iter().zip(right) {
                if y.var() == tru().var() {
                    sink.clause(&[!l, if y == tru() { x } else { !x }], tag);
                } else {
                    sink.clause(&[!l, !x, y], tag);
                    sink.clause(&[!l, x, !y], tag);
                }
            }
            return;
        }
        let mut clause = vec![!l];
        for (&x, &y) in left.iter().zip(right) {
            if y.var() == tru().var() {
                clause.push(if y == tru() { !x } else { x });
                continue;
            }
            // Not from the cache: the difference must live exactly as long as the equality.
            let v = sink.new_var(false, self.scoped_vars[l.var().index()]);
            let scoped = std::mem::replace(&mut self.scoped, self.scoped_vars[l.var().index()]);
            self.set(v, Gate::Bit(x, y, y));
            self.scoped = scoped;
            let d = v.positive();
            sink.clause(&[!d, x, y], tag);
            sink.clause(&[!d, !x, !y], tag);
            sink.clause(&[d, !x, y], tag);
            sink.clause(&[d, x, !y], tag);
            clause.push(d);
        }
        sink.clause(&clause, tag);
    }

    fn emit_at_most(&mut self, sink: &mut impl ClauseSink, l: Lit, start: u32, len: u32) {
        let tag = Rule::Bit.tag(l.var().index() as u32);
        let x = self.children(start, len).to_vec();
        let mut k: Vec<bool> = self.children(start + len, len).iter().map(|&b| b == tru()).collect();
        let len = len as usize;
        let mut clause = Vec::with_capacity(len + 1);
        if l.is_positive() {
            // A one where the constant has a zero needs a zero above where the constant has a one.
            for i in (0..len).filter(|&i| !k[i]) {
                clause.clear();
                clause.extend([!l, !x[i]]);
                clause.extend((i + 1..len).filter(|&j| k[j]).map(|j| !x[j]));
                sink.clause(&clause, tag);
            }
            return;
        }
        // Otherwise x is at least k + 1: a zero where that has a one needs a one above where it has a zero.
        let carry = k.iter().position(|&b| !b).expect("the constant is not the greatest");
        k[..carry].fill(false);
        k[carry] = true;
        for i in (0..len).filter(|&i| k[i]) {
            clause.clear();
            clause.extend([!l, x[i]]);
            clause.extend((i + 1..len).filter(|&j| !k[j]).map(|j| x[j]));
            sink.clause(&clause, tag);
        }
    }

    fn bit_gate(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit, c: Lit) -> Lit {
        let v = sink.new_var(false, self.scoped);
        self.set(v, Gate::Bit(a, b, c));
        v.positive()
    }

    /// The conjunction of two bits.
    pub fn and2(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        if a == fls() || b == fls() || a == !b {
            return fls();
        }
        if a == tru() || a == b {
            return b;
        }
        if b == tru() {
            return a;
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(&g) = self.and_cache.get(&key) {
            return g;
        }
        let g = self.bit_gate(sink, key.0, key.1, key.1);
        let tag = Rule::Bit.tag(g.var().index() as u32);
        sink.clause(&[!g, a], tag);
        sink.clause(&[!g, b], tag);
        sink.clause(&[g, !a, !b], tag);
        self.and_cache.insert(key, g);
        self.note(CacheKey::And(key));
        g
    }

    /// The disjunction of two bits.
    pub fn or2(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        !self.and2(sink, !a, !b)
    }

    /// Exclusive or of two bits.
    pub fn xor2(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        for (x, y) in [(a, b), (b, a)] {
            if x.var() == tru().var() {
                return if x == tru() { !y } else { y };
            }
        }
        if a.var() == b.var() {
            return if a == b { fls() } else { tru() };
        }
        let negate = a.is_positive() != b.is_positive();
        let (a, b) = (a.var().positive(), b.var().positive());
        let key = if a < b { (a, b) } else { (b, a) };
        let g = match self.xor_cache.get(&key) {
            Some(&g) => g,
            None => {
                let g = self.bit_gate(sink, key.0, key.1, key.1);
                let tag = Rule::Bit.tag(g.var().index() as u32);
                sink.clause(&[!g, a, b], tag);
                sink.clause(&[!g, !a, !b], tag);
                sink.clause(&[g, !a, b], tag);
                sink.clause(&[g, a, !b], tag);
                self.xor_cache.insert(key, g);
                self.note(CacheKey::Xor(key));
                g
            }
        };
        if negate { !g } else { g }
    }

    /// Exclusive or of three bits: the sum of a full adder.
    pub fn xor3(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit, c: Lit) -> Lit {
        let constant = [a, b, c].iter().any(|l| l.var() == tru().var());
        if constant || a.var() == b.var() || b.var() == c.var() || a.var() == c.var() {
            let ab = self.xor2(sink, a, b);
            return self.xor2(sink, ab, c);
        }
        let negate = [a, b, c].iter().filter(|l| !l.is_positive()).count() % 2 == 1;
        let mut k = [a.var().positive(), b.var().positive(), c.var().positive()];
        k.sort_unstable();
        let [a, b, c] = k;
        let g = match self.xor3_cache.get(&(a, b, c)) {
            Some(&g) => g,
            None => {
                let g = self.bit_gate(sink, a, b, c);
                let tag = Rule::Bit.tag(g.var().index() as u32);
                for bits in 0..8u32 {
                    // Under a = bits.0, b = bits.1, c = bits.2 the gate is their parity.
                    let off = |l: Lit, i: u32| if bits >> i & 1 == 1 { !l } else { l };
                    let out = if bits.count_ones() % 2 == 1 { g } else { !g };
                    sink.clause(&[off(a, 0), off(b, 1), off(c, 2), out], tag);
                }
                self.xor3_cache.insert((a, b, c), g);
                self.note(CacheKey::Xor3((a, b, c)));
                g
            }
        };
        if negate { !g } else { g }
    }

    /// Majority of three bits: the carry of a full adder.
    pub fn maj(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit, c: Lit) -> Lit {
        for (x, y, z) in [(a, b, c), (b, a, c), (c, a, b)] {
            if x == tru() {
                return self.or2(sink, y, z);
            }
            if x == fls() {
                return self.and2(sink, y, z);
            }
            if y == z {
                return y;
            }
            if y == !z {
                return x;
            }
        }
        let mut k = [a, b, c];
        k.sort_unstable();
        // Majority is self-dual: at most one negation among three, by turning all around.
        let negate = k.iter().filter(|l| !l.is_positive()).count() >= 2;
        if negate {
            k = k.map(|l| !l);
        }
        let [a, b, c] = k;
        let g = match self.maj_cache.get(&(a, b, c)) {
            Some(&g) => g,
            None => {
                let g = self.bit_gate(sink, a, b, c);
                let tag = Rule::Bit.tag(g.var().index() as u32);
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    sink.clause(&[!x, !y, g], tag);
                    sink.clause(&[x, y, !g], tag);
                }
                self.maj_cache.insert((a, b, c), g);
                self.note(CacheKey::Maj((a, b, c)));
                g
            }
        };
        if negate { !g } else { g }
    }

    /// A multiplexer: `c ? a : b`.
    pub fn mux(&mut self, sink: &mut impl ClauseSink, c: Lit, a: Lit, b: Lit) -> Lit {
        if c == tru() || a == b {
            return a;
        }
        if c == fls() {
            return b;
        }
        if !c.is_positive() {
            return self.mux(sink, !c, b, a);
        }
        if a == tru() || a == c {
            return self.or2(sink, c, b);
        }
        if a == fls() || a == !c {
            return self.and2(sink, !c, b);
        }
        if b == tru() || b == !c {
            return self.or2(sink, !c, a);
        }
        if b == fls() || b == c {
            return self.and2(sink, c, a);
        }
        if a == !b {
            return !self.xor2(sink, c, a);
        }
        if !a.is_positive() {
            return !self.mux(sink, c, !a, !b);
        }
        if let Some(&g) = self.mux_cache.get(&(c, a, b)) {
            return g;
        }
        let g = self.bit_gate(sink, c, a, b);
        let tag = Rule::Bit.tag(g.var().index() as u32);
        sink.clause(&[!c, !a, g], tag);
        sink.clause(&[!c, a, !g], tag);
        sink.clause(&[c, !b, g], tag);
        sink.clause(&[c, b, !g], tag);
        // Redundant, but they propagate when both branches agree.
        sink.clause(&[!a, !b, g], tag);
        sink.clause(&[a, b, !g], tag);
        self.mux_cache.insert((c, a, b), g);
        self.note(CacheKey::Mux((c, a, b)));
        g
    }
}
