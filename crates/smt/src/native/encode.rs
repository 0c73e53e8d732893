//! From terms to literals: each term once, and for good.
//!
//! Terms are hash-consed, so a cache from term to literal is structural hashing. What a term needs besides
//! its literal is made with it and is permanent:
//!
//! - Boolean connectives become skeleton gates, whose clauses appear when a polarity is first asked for
//!   ([`Gates::require`]).
//! - A linear constraint becomes a bound on a variable of [`palisade_arith`]; forms equal up to a factor
//!   share one. An equality is the conjunction of two bounds, so that a false one is a case split like any
//!   other, taken where the current assignment suggests.
//! - Terms that are not linear (`ite`, `div`, `to_int`, ...) are variables of arithmetic with a *definition*:
//!   clauses which count only in queries in which the term occurs. Products of variables stay undefined here;
//!   see the module `nonlinear`.
//! - Bit-vector terms become vectors of bits. `bv2int` and `int2bv` tie bits to 0/1 variables of arithmetic.
//! - Arrays do not occur: the module `arrays` replaces reads and equalities by fresh variables first.

mod define;
mod linear;

use palisade_arith::{self as arith, Arith, Rational};
use palisade_proof::Canon;
use palisade_sat::{Lit, Var};
use palisade_term::{Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::blast::{Blaster, constant};
use super::gates::{ClauseSink, Gate, Gates, fls, tru};
use super::relation::Relation;

/// A linear constraint that more queries than this were about stays.
const OFTEN: u32 = 8;

/// The caches, and the tables that the search reads.
pub(crate) struct Encoder<'p> {
    pool: &'p TermPool,
    pub gates: Gates,
    pub arith: Arith,
    /// Code of the literal of an arithmetic atom, or `NONE`.
    lit_of_atom: Vec<u32>,
    /// Variables of the core for atoms that go with the query.
    scoped_atoms: FxHashSet<Var>,
    /// Definition of an arithmetic variable, or `NONE`.
    def_of_var: Vec<u32>,
    scratch: Vec<u32>,
    /// Literal code by term index, or `NONE`.
    lits: Vec<u32>,
    bits: FxHashMap<Term, Box<[Lit]>>,
    vars: FxHashMap<Term, arith::Var>,
    /// 0/1 variables of bits.
    bit_vars: FxHashMap<Lit, arith::Var>,
    /// With proofs: the bits of numbers as terms, and for each term the literal whose 0/1 variable stands for
    /// it.
    canon: Canon<'p>,
    bit_of_term: FxHashMap<Term, Lit>,
    /// May encodings for a query be forgotten after it?
    pub forget: bool,
    /// Comparisons of plain variables, if the atom is one.
    views: FxHashMap<Term, Option<(arith::Var, Relation, Rational)>>,
    /// Queries that were about a linear constraint.
    uses: FxHashMap<Term, u32>,
    /// Terms encoded for the running query only.
    scoped_terms: Vec<Term>,
    /// Terms whose definition is reserved and not yet built.
    pending: Vec<(Term, u32)>,
    /// Variables, in order of appearance.
    pub variables: Vec<Term>,
    /// Products of non-constants, in order of appearance.
    pub products: Vec<Term>,
}

const NONE: u32 = u32::MAX;

impl<'p> Encoder<'p> {
    pub fn new(pool: &'p TermPool, config: arith::Config) -> Self {
        Encoder {
            pool,
            gates: Gates::default(),
            arith: Arith::new(config),
            lit_of_atom: Vec::new(),
            scoped_atoms: FxHashSet::default(),
            def_of_var: Vec::new(),
            scratch: Vec::new(),
            lits: Vec::new(),
            bits: FxHashMap::default(),
            vars: FxHashMap::default(),
            bit_vars: FxHashMap::default(),
            canon: Canon::new(pool),
            bit_of_term: FxHashMap::default(),
            forget: true,
            views: FxHashMap::default(),
            uses: FxHashMap::default(),
            scoped_terms: Vec::new(),
            pending: Vec::new(),
            variables: Vec::new(),
            products: Vec::new(),
        }
    }

    /// The literal of a formula, if it has been encoded.
    #[inline]
    pub fn known(&self, t: Term) -> Option<Lit> {
        match self.lits.get(t.index()) {
            Some(&code) if code != NONE => Some(Lit::from_code(code as usize)),
            _ => None,
        }
    }

    /// The bits of a bit-vector term, if it has been encoded.
    pub fn known_bits(&self, t: Term) -> Option<&[Lit]> {
        self.bits.get(&t).map(|b| &**b)
    }

    /// The arithmetic variable of a variable or opaque term, if it has one.
    pub fn known_var(&self, t: Term) -> Option<arith::Var> {
        self.vars.get(&t).copied()
    }

    /// The terms that are variables of arithmetic, in no particular order.
    pub fn arith_vars(&self) -> impl Iterator<Item = (Term, arith::Var)> {
        self.vars.iter().map(|(&t, &v)| (t, v))
    }

    /// The bits that are 0/1 variables of arithmetic, in no particular order.
    pub fn digits(&self) -> impl Iterator<Item = (Lit, arith::Var)> {
        self.bit_vars.iter().map(|(&l, &v)| (l, v))
    }

    /// The bit-vector terms that are encoded, with their bits, in no particular order.
    pub fn bit_vectors(&self) -> impl Iterator<Item = (Term, &[Lit])> {
        self.bits.iter().map(|(&t, b)| (t, &**b))
    }

    /// Variables of arithmetic, forms, and views: what grows with the terms that were encoded.
    pub fn parts(&self) -> usize {
        self.arith.num_vars() + self.views.len()
    }

    /// Bytes held, roughly.
    pub fn memory(&self) -> usize {
        4 * self.lits.capacity()
            + 40 * self.bits.capacity()
            + (size_of::<(Term, Option<(arith::Var, Relation, Rational)>)>() + 1) * self.views.capacity()
            + 9 * self.uses.capacity()
            + 16 * (self.vars.capacity() + self.bit_vars.capacity())
    }

    fn remember(&mut self, t: Term, lit: Lit) {
        if self.lits.len() <= t.index() {
            self.lits.resize((t.index() + 1).max(self.pool.len()), NONE);
        }
        self.lits[t.index()] = lit.code() as u32;
    }

    /// The literal of a formula, encoded if need be, together with everything it rests on.
    pub fn literal(&mut self, sink: &mut impl ClauseSink, t: Term) -> Lit {
        if let Some(l) = self.known(t) {
            return l;
        }
        self.encode(sink, t);
        self.define_pending(sink);
        self.known(t).expect("just encoded")
    }

    /// The literal of a formula that is to be true somewhere: with the clauses by which it forces its
    /// meaning.
    pub fn required(&mut self, sink: &mut impl ClauseSink, t: Term) -> Lit {
        let l = self.literal(sink, t);
        self.gates.require(sink, l);
        l
    }

    /// The arithmetic variable of a term that is not a sum, made if need be.
    pub fn arith_var(&mut self, sink: &mut impl ClauseSink, t: Term) -> arith::Var {
        let v = self.leaf(t);
        self.define_pending(sink);
        v
    }

    // ---- for one query -------------------------------------------------------------------------

    /// As [`Encoder::required`], but what has to be made is forgotten after the query if it is a literal or
    /// about Booleans and bit-vectors only. The cubes of IC3 come and go; atoms and circuits that stayed
    /// would be propagated through for ever.
    pub fn required_for_query(&mut self, sink: &mut impl ClauseSink, t: Term) -> Lit {
        self.gates.scoped = self.forget && self.is_forgettable(t);
        if !self.gates.scoped && !self.done(t) {
            self.hide_scoped();
        }
        let l = self.required(sink, t);
        self.gates.scoped = false;
        l
    }

    /// A new Boolean for the running query.
    pub fn free_for_query(&mut self, sink: &mut impl ClauseSink) -> Lit {
        let scoped = std::mem::replace(&mut self.gates.scoped, true);
        let l = self.gates.free(sink);
        self.gates.scoped = scoped;
        l
    }

    /// Does a formula need nothing that has to stay: a definition, a term of arithmetic, a constraint that
    /// comes often?
    pub fn is_forgettable(&mut self, t: Term) -> bool {
        let (_, atom) = self.pool.strip_not(t);
        if self.has_linear_view(atom) {
            self.uses.get(&atom).is_none_or(|&n| n <= OFTEN)
        } else {
            self.is_pure_bits(atom)
        }
    }

    /// Notes that a query is about a formula. A constraint that comes again and again stays: what is learned
    /// about it is worth more than it costs.
    pub fn note_use(&mut self, t: Term) {
        let (_, atom) = self.pool.strip_not(t);
        if self.has_linear_view(atom) {
            *self.uses.entry(atom).or_insert(0) += 1;
        }
    }

    /// Has the term only Booleans and bit-vectors in it?
    fn is_pure_bits(&self, t: Term) -> bool {
        let mut stack = vec![t];
        // A bounded look: a large formula is worth keeping.
        for _ in 0..64 {
            let Some(u) = stack.pop() else { return true };
            if !matches!(self.pool.sort(u), Sort::Bool | Sort::BitVec(_)) {
                return false;
            }
            stack.extend(self.pool.args(u));
        }
        false
    }

    /// Forgets what was made for the query.
    pub fn end_query(&mut self) {
        self.hide_scoped();
        self.gates.forget_scoped();
    }

    /// What is made from now on does not rest on what was made for the query, which stays until its end:
    /// gates that stay longer must not.
    fn hide_scoped(&mut self) {
        self.gates.hide_scoped();
        for t in self.scoped_terms.drain(..) {
            if *self.pool.sort(t) == Sort::Bool {
                self.lits[t.index()] = NONE;
            } else {
                self.bits.remove(&t);
            }
        }
    }

    /// Variables are for good.
    fn permanently<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let scoped = std::mem::replace(&mut self.gates.scoped, false);
        let result = f(self);
        self.gates.scoped = scoped;
        result
    }

    // ---- terms ---------------------------------------------------------------------------------

    fn done(&self, t: Term) -> bool {
        match self.pool.sort(t) {
            Sort::Bool => self.known(t).is_some(),
            Sort::BitVec(_) => self.bits.contains_key(&t),
            _ => true,
        }
    }

    /// Encodes a Boolean or bit-vector term and all it rests on, except the definitions that it puts on
    /// `pending`.
    fn encode(&mut self, sink: &mut impl ClauseSink, root: Term) {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.done(t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.prerequisites(t, &mut stack);
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if *self.pool.sort(t) == Sort::Bool {
                let lit = self.build_lit(sink, t);
                self.remember(t, lit);
            } else {
                let bits = self.build_bits(sink, t);
                self.bits.insert(t, bits.into());
            }
            if self.gates.scoped && !self.pool.is_var(t) {
                self.scoped_terms.push(t);
            }
        }
    }

    /// Pushes what must be encoded before `t`.
    fn prerequisites(&self, t: Term, stack: &mut Vec<Term>) {
        let pool = self.pool;
        let args = pool.args(t);
        match pool.op(t) {
            Op::Le | Op::Lt => self.linear_prerequisites(t, args[0], stack),
            Op::Eq if pool.sort(args[0]).is_arith() => self.linear_prerequisites(t, args[0], stack),
            Op::IntToBv(_) => {}
            _ => stack.extend(args.iter().filter(|&&a| !self.done(a))),
        }
    }

    fn build_lit(&mut self, sink: &mut impl ClauseSink, t: Term) -> Lit {
        let pool = self.pool;
        let args = pool.args(t);
        let lit = |me: &Self, u: Term| me.known(u).expect("arguments are encoded first");
        match pool.op(t) {
            Op::Bool(b) => {
                if *b {
                    tru()
                } else {
                    fls()
                }
            }
            Op::Var(..) => self.permanently(|me| {
                me.variables.push(t);
                me.gates.free(sink)
            }),
            Op::Not => !lit(self, args[0]),
            Op::And => {
                let mut lits = args.iter().map(|&a| lit(self, a)).collect();
                self.gates.and_gate(sink, &mut lits)
            }
            Op::Or => {
                let mut lits = args.iter().map(|&a| !lit(self, a)).collect();
                !self.gates.and_gate(sink, &mut lits)
            }
            Op::Ite => self.gates.ite_gate(sink, lit(self, args[0]), lit(self, args[1]), lit(self, args[2])),
            Op::Le | Op::Lt => self.linear_atom(sink, t),
            Op::Eq => match pool.sort(args[0]) {
                Sort::Bool => self.gates.iff_gate(sink, lit(self, args[0]), lit(self, args[1])),
                Sort::Int | Sort::Real => self.linear_atom(sink, t),
                Sort::BitVec(_) => {
                    let (a, b) = (&self.bits[&args[0]], &self.bits[&args[1]]);
                    Blaster { gates: &mut self.gates, sink }.compare(&Op::Eq, a, b)
                }
                Sort::Array(_) => unreachable!("formulas are freed of arrays first"),
            },
            op => {
                let (a, b) = (&self.bits[&args[0]], &self.bits[&args[1]]);
                Blaster { gates: &mut self.gates, sink }.compare(op, a, b)
            }
        }
    }

    fn build_bits(&mut self, sink: &mut impl ClauseSink, t: Term) -> Vec<Lit> {
        let pool = self.pool;
        let args = pool.args(t);
        match pool.op(t) {
            Op::BitVec(v) => constant(v, pool.width(t)),
            Op::Var(..) => self.permanently(|me| {
                me.variables.push(t);
                Blaster { gates: &mut me.gates, sink }.fresh(pool.width(t))
            }),
            Op::Ite => {
                let c = self.known(args[0]).expect("arguments are encoded first");
                self.gates.require_both(sink, c);
                let (a, b) = (&self.bits[&args[1]], &self.bits[&args[2]]);
                Blaster { gates: &mut self.gates, sink }.select(c, a, b)
            }
            Op::IntToBv(_) => {
                let bits = Blaster { gates: &mut self.gates, sink }.fresh(pool.width(t));
                let def = self.gates.reserve_def();
                let (start, len) = self.gates.store_defs(&[def]);
                for b in &bits {
                    self.gates.set(b.var(), Gate::Defined(start, len));
                }
                self.pending.push((t, def));
                bits
            }
            op => {
                let inputs: Vec<&[Lit]> = args.iter().map(|a| &*self.bits[a]).collect();
                Blaster { gates: &mut self.gates, sink }.apply(op, &inputs)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use palisade_sat::Tag;

    use super::*;

    /// Keeps which variables are for a query only, and all clauses.
    #[derive(Default)]
    struct Recorder {
        scoped: Vec<bool>,
        clauses: Vec<Vec<Lit>>,
    }

    impl ClauseSink for Recorder {
        const FORGETS_ATOMS: bool = true;

        fn new_var(&mut self, _theory: bool, scoped: bool) -> Var {
            self.scoped.push(scoped);
            Var::new(self.scoped.len() - 1)
        }

        fn clause(&mut self, lits: &[Lit], _tag: Tag) {
            self.clauses.push(lits.to_vec());
        }
    }

    /// A large formula stays, also when it comes after what a query is about and shares terms with it.
    #[test]
    fn what_stays_does_not_rest_on_what_goes() {
        let pool = TermPool::new();
        let var = |name: &str| pool.var(name, Sort::BitVec(8));
        let (x, y) = (var("x"), var("y"));
        let sum = pool.bv_add(x, y);
        let small = pool.bv_ult(sum, pool.bitvec(9, 8));
        let other = |k: u64| pool.bv_ult(pool.bv_xor(sum, pool.bitvec(k, 8)), var(&format!("z{k}")));
        let large = pool.or((1..20).map(other).chain([small]));
        let mut sink = Recorder::default();
        let mut enc = Encoder::new(&pool, arith::Config::default());
        enc.gates.init(&mut sink);
        assert!(enc.is_forgettable(small) && !enc.is_forgettable(large));
        enc.required_for_query(&mut sink, small);
        assert!(sink.scoped.contains(&true));
        let before = sink.clauses.len();
        let stays = enc.required_for_query(&mut sink, large);
        let scoped = |l: &Lit| sink.scoped[l.var().index()];
        assert!(!scoped(&stays) && !sink.clauses[before..].iter().flatten().any(scoped));
        enc.end_query();
        assert_eq!(enc.known(large), Some(stays));
    }
}
