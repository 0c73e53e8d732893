//! From terms to literals: each term once, and for good.
//!
//! Terms are hash-consed, so a cache from term to literal is structural hashing. What a term needs besides its literal is made with it and is permanent:
//!
//! - Boolean connectives become skeleton gates, whose clauses appear when a polarity is first asked for ([`Gates::require`]).
//! - A linear constraint becomes a bound on a variable of [`palisade_arith`]; forms equal up to a factor share one. An equality is the conjunction of two
//!   bounds, so that a false one is a case split like any other, taken where the current assignment suggests.
//! - Terms that are not linear (`ite`, `div`, `to_int`, ...) are variables of arithmetic with a *definition*: clauses which count only in queries
//!   in which the term occurs. Products of variables stay undefined here; see the module `nonlinear`.
//! - Bit-vector terms become vectors of bits. `bv2int` and `int2bv` tie bits to 0/1 variables of arithmetic.
//! - Arrays do not occur: the module `arrays` replaces reads and equalities by fresh variables first.

use num_traits::{One, Signed, Zero};
use palisade_arith::{self as arith, ALit, Arith, BoundKind, Delta, Int, Rat};
use palisade_sat::{Lit, Var};
use palisade_term::{Integer, Op, Rational, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::blast::{Blaster, constant};
use super::gates::{ClauseSink, Gate, Gates, Rule, fls, tru};
use super::lemmas::Relation;
use crate::numbers::{int, rat};

/// Constants under nested `ite`s up to this many leaves are compared case by case instead of by an arithmetic variable.
const ITE_LEAVES: usize = 16;

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
    /// May encodings for a query be forgotten after it?
    pub forget: bool,
    /// Comparisons of plain variables, if the atom is one.
    views: FxHashMap<Term, Option<(arith::Var, Relation, Rat)>>,
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

/// A linear form over arithmetic variables, with a constant.
#[derive(Default)]
struct Expansion {
    coeffs: Vec<(arith::Var, Rat)>,
    constant: Rat,
}

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
            forget: true,
            views: FxHashMap::default(),
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
            + (size_of::<(Term, Option<(arith::Var, Relation, Rat)>)>() + 1) * self.views.capacity()
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

    /// The literal of a formula that is to be true somewhere: with the clauses by which it forces its meaning.
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

    /// As [`Encoder::required`], but what has to be made is forgotten after the query if it is a literal or about Booleans and bit-vectors only. The
    /// cubes of IC3 come and go; atoms and circuits that stayed would be propagated through for ever.
    pub fn required_for_query(&mut self, sink: &mut impl ClauseSink, t: Term) -> Lit {
        self.gates.scoped = self.forget && self.is_forgettable(t);
        let l = self.required(sink, t);
        self.gates.scoped = false;
        l
    }

    /// Does a formula need nothing that has to stay: a definition, a term of arithmetic?
    pub fn is_forgettable(&mut self, t: Term) -> bool {
        let (_, atom) = self.pool.strip_not(t);
        self.linear_view(atom).is_some() || self.is_pure_bits(atom)
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
        self.gates.forget_scoped();
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

    /// Encodes a Boolean or bit-vector term and all it rests on, except the definitions that it puts on `pending`.
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

    fn linear_prerequisites(&self, t: Term, sum: Term, stack: &mut Vec<Term>) {
        if self.views.get(&t).is_some_and(|v| v.is_some()) {
            return;
        }
        if let Some(cases) = self.by_cases(t) {
            if !self.done(cases) {
                stack.push(cases);
            }
            return;
        }
        self.sum_prerequisites(sum, stack);
    }

    fn sum_prerequisites(&self, sum: Term, stack: &mut Vec<Term>) {
        let mut work = vec![sum];
        while let Some(u) = work.pop() {
            match self.pool.op(u) {
                Op::Add | Op::Mul | Op::ToReal | Op::Mod => work.extend(self.pool.args(u)),
                Op::BvToInt => stack.extend(self.pool.args(u).iter().filter(|&&a| !self.done(a))),
                _ => {}
            }
        }
    }

    /// `ite(c, 1, 0) <= 0` as `c ? 1 <= 0 : 0 <= 0`: comparisons of nested choices between few constants.
    fn by_cases(&self, t: Term) -> Option<Term> {
        let pool = self.pool;
        let args = pool.args(t);
        let (sum, bound) = (args[0], args[1]);
        let leaf = match pool.op(sum) {
            Op::Ite => sum,
            Op::Mul if pool.is_const(pool.args(sum)[0]) && pool.args(sum).len() == 2 => pool.args(sum)[1],
            _ => return None,
        };
        if *pool.op(leaf) != Op::Ite {
            return None;
        }
        let mut leaves = 0;
        let mut work = vec![leaf];
        while let Some(u) = work.pop() {
            leaves += 1;
            if leaves > 2 * ITE_LEAVES {
                return None;
            }
            match pool.op(u) {
                Op::Ite => work.extend(&pool.args(u)[1..]),
                _ if pool.is_const(u) => {}
                _ => return None,
            }
        }
        // Small and bounded: recursion is fine.
        fn compare(pool: &TermPool, op: &Op, coeff: &Rational, u: Term, bound: Term) -> Term {
            if *pool.op(u) == Op::Ite {
                let a = pool.args(u);
                let (x, y) = (compare(pool, op, coeff, a[1], bound), compare(pool, op, coeff, a[2], bound));
                return pool.ite(a[0], x, y);
            }
            let value = pool.scale(coeff, u);
            match op {
                Op::Le => pool.le(value, bound),
                Op::Lt => pool.lt(value, bound),
                _ => pool.eq(value, bound),
            }
        }
        let coeff = if leaf == sum { Rational::one() } else { pool.as_number(pool.args(sum)[0])? };
        Some(compare(pool, pool.op(t), &coeff, leaf, bound))
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

    // ---- arithmetic ----------------------------------------------------------------------------

    /// The literal of a comparison between a sum and a constant.
    fn linear_atom(&mut self, sink: &mut impl ClauseSink, t: Term) -> Lit {
        if let Some((var, relation, bound)) = self.linear_view(t) {
            return self.relation_literal(sink, var, relation, bound);
        }
        if let Some(cases) = self.by_cases(t) {
            return self.known(cases).expect("cases are encoded first");
        }
        let args = self.pool.args(t);
        let mut e = self.expand(sink, args[0]);
        let bound = self.pool.as_number(args[1]).expect("a constant on the right");
        e.constant = &rat(&bound) - &e.constant;
        let op = self.pool.op(t).clone();
        self.compare(sink, &op, e)
    }

    /// `form op constant` as a literal.
    fn compare(&mut self, sink: &mut impl ClauseSink, op: &Op, e: Expansion) -> Lit {
        // Integer coefficients for the form; the bound is scaled along.
        let mut den = Int::ONE;
        for (_, c) in &e.coeffs {
            den = den.lcm(&c.den());
        }
        let scale = Rat::from(&den);
        let form: Vec<(arith::Var, Int)> =
            e.coeffs.iter().map(|(v, c)| (*v, (c * &scale).to_int().expect("scaled to integers"))).collect();
        let bound = &e.constant * &scale;
        let arith = &mut self.arith;
        let Some((var, factor)) = arith.define(&form) else {
            let zero = Rat::ZERO;
            let holds = match op {
                Op::Le => zero <= bound,
                Op::Lt => zero < bound,
                _ => zero == bound,
            };
            return if holds { tru() } else { fls() };
        };
        let bound = &bound / &Rat::from(&factor);
        let relation = match (op, factor.is_negative()) {
            (Op::Lt, false) => Relation::Lt,
            (Op::Lt, true) => Relation::Gt,
            (Op::Le, false) => Relation::Le,
            (Op::Le, true) => Relation::Ge,
            _ => Relation::Eq,
        };
        self.relation_literal(sink, var, relation, bound)
    }

    /// The literal of a comparison between a variable of arithmetic and a number.
    fn relation_literal(
        &mut self,
        sink: &mut impl ClauseSink,
        var: arith::Var,
        relation: Relation,
        bound: Rat,
    ) -> Lit {
        match relation {
            Relation::Lt => self.bound_literal(sink, var, BoundKind::Upper, &Delta::below(bound)),
            Relation::Le => self.bound_literal(sink, var, BoundKind::Upper, &Delta::real(bound)),
            Relation::Gt => self.bound_literal(sink, var, BoundKind::Lower, &Delta::above(bound)),
            Relation::Ge => self.bound_literal(sink, var, BoundKind::Lower, &Delta::real(bound)),
            Relation::Eq => {
                if self.arith.is_int(var) && !bound.is_integer() {
                    return fls();
                }
                let at = Delta::real(bound);
                let le = self.bound_literal(sink, var, BoundKind::Upper, &at);
                let ge = self.bound_literal(sink, var, BoundKind::Lower, &at);
                self.gates.and_gate(sink, &mut vec![le, ge])
            }
            Relation::Ne => !self.relation_literal(sink, var, Relation::Eq, bound),
        }
    }

    /// A linear constraint over plain variables as a comparison of one arithmetic variable with a number; makes no atom. `None` if it
    /// has other terms, or is constant.
    pub fn linear_view(&mut self, atom: Term) -> Option<(arith::Var, Relation, Rat)> {
        let pool = self.pool;
        let relation = match pool.op(atom) {
            Op::Le => Relation::Le,
            Op::Lt => Relation::Lt,
            Op::Eq if pool.sort(pool.args(atom)[0]).is_arith() => Relation::Eq,
            _ => return None,
        };
        if let Some(view) = self.views.get(&atom) {
            return view.clone();
        }
        let view = self.make_view(atom, relation);
        self.views.insert(atom, view.clone());
        view
    }

    fn make_view(&mut self, atom: Term, relation: Relation) -> Option<(arith::Var, Relation, Rat)> {
        let pool = self.pool;
        let args = pool.args(atom);
        let l = pool.linear(args[0]);
        if l.coeffs.iter().any(|(t, c)| !pool.is_var(*t) || !c.is_integer()) {
            return None;
        }
        let form: Vec<(arith::Var, Int)> =
            l.coeffs.iter().map(|(t, c)| (self.leaf(*t), int(&c.numer()))).collect();
        let bound = &rat(&pool.as_number(args[1])?) - &rat(&l.constant);
        let (var, factor) = self.arith.define(&form)?;
        let bound = &bound / &Rat::from(&factor);
        let relation = match (relation, factor.is_negative()) {
            (Relation::Le, true) => Relation::Ge,
            (Relation::Lt, true) => Relation::Gt,
            (r, _) => r,
        };
        Some((var, relation, bound))
    }

    /// The literal of a bound.
    pub fn bound_literal<S: ClauseSink>(
        &mut self,
        sink: &mut S,
        var: arith::Var,
        kind: BoundKind,
        value: &Delta,
    ) -> Lit {
        let alit = self.arith.atom(var, kind, value);
        let scoped = self.gates.scoped && S::FORGETS_ATOMS;
        if let Some(l) = self.literal_of(alit)
            && (self.gates.scoped || !self.scoped_atoms.contains(&l.var()))
        {
            return l;
        }
        // A variable that goes with the query is of no use to what stays: the atom gets another.
        let v = sink.new_var(true, self.gates.scoped);
        self.set_atom(v, ALit::new(alit.atom(), true), var, scoped);
        if alit.positive() { v.positive() } else { v.negative() }
    }

    /// Ties a variable of the core to an atom over `var`; `scoped` if it goes with the query.
    pub fn set_atom(&mut self, v: Var, positive: ALit, var: arith::Var, scoped: bool) {
        if scoped {
            self.scoped_atoms.insert(v);
        }
        let mut defs = std::mem::take(&mut self.scratch);
        defs.clear();
        let def = |x: arith::Var| self.def_of_var.get(x.index()).copied().filter(|&d| d != NONE);
        match self.arith.form(var) {
            None => defs.extend(def(var)),
            Some(form) => defs.extend(form.iter().filter_map(|(x, _)| def(*x))),
        }
        let (start, len) = self.gates.store_defs(&defs);
        self.scratch = defs;
        self.gates.set(v, Gate::Linear(positive, start, len));
        let at = positive.atom().index();
        if self.lit_of_atom.len() <= at {
            self.lit_of_atom.resize(at + 1, NONE);
        }
        self.lit_of_atom[at] = v.positive().code() as u32;
    }

    /// A variable of the core ceases to exist.
    pub fn release(&mut self, v: Var) {
        self.scoped_atoms.remove(&v);
        if let Gate::Linear(alit, ..) = self.gates.get(v) {
            let lit = &mut self.lit_of_atom[alit.atom().index()];
            if *lit == v.positive().code() as u32 {
                *lit = NONE;
                self.arith.release_atom(alit.atom());
            }
        }
        self.gates.set(v, Gate::Free);
    }

    /// The literal of the core for a literal of arithmetic, if there is one.
    #[inline]
    pub fn literal_of(&self, alit: ALit) -> Option<Lit> {
        match self.lit_of_atom.get(alit.atom().index()) {
            Some(&code) if code != NONE => {
                let l = Lit::from_code(code as usize);
                Some(if alit.positive() { l } else { !l })
            }
            _ => None,
        }
    }

    /// The arithmetic variable of a term that is not a sum; its definition is put on `pending`.
    fn leaf(&mut self, t: Term) -> arith::Var {
        if let Some(&v) = self.vars.get(&t) {
            return v;
        }
        let v = self.arith.new_var(*self.pool.sort(t) == Sort::Int);
        self.vars.insert(t, v);
        match self.pool.op(t) {
            Op::Var(..) => self.variables.push(t),
            Op::Mul => self.products.push(t),
            _ => {
                let def = self.gates.reserve_def();
                self.set_def(v, def);
                self.pending.push((t, def));
            }
        }
        v
    }

    /// From now on atoms over the variable depend on the definition.
    fn set_def(&mut self, v: arith::Var, def: u32) {
        if self.def_of_var.len() <= v.index() {
            self.def_of_var.resize(v.index() + 1, NONE);
        }
        self.def_of_var[v.index()] = def;
    }

    /// The 0/1 variable of a bit.
    fn bit_var(&mut self, sink: &mut impl ClauseSink, bit: Lit) -> arith::Var {
        if let Some(&v) = self.bit_vars.get(&bit) {
            return v;
        }
        let v = self.arith.new_var(true);
        self.bit_vars.insert(bit, v);
        let def = self.gates.reserve_def();
        self.set_def(v, def);
        let low = self.bound_literal(sink, v, BoundKind::Lower, &Delta::from(0));
        let high = self.bound_literal(sink, v, BoundKind::Upper, &Delta::from(1));
        let one = self.bound_literal(sink, v, BoundKind::Lower, &Delta::from(1));
        let zero = self.bound_literal(sink, v, BoundKind::Upper, &Delta::from(0));
        let clauses = [vec![low], vec![high], vec![!bit, one], vec![bit, zero]];
        self.gates.define(sink, def, &clauses, Rule::Term.tag(0));
        v
    }

    /// A sum over arithmetic variables.
    fn expand(&mut self, sink: &mut impl ClauseSink, sum: Term) -> Expansion {
        let mut out = Expansion::default();
        let mut work: Vec<(Term, Rat)> = vec![(sum, Rat::ONE)];
        while let Some((t, k)) = work.pop() {
            let l = self.pool.linear(t);
            if !l.constant.is_zero() {
                out.constant.add_mul(&k, &rat(&l.constant));
            }
            for (u, c) in &l.coeffs {
                let c = &k * &rat(c);
                let args = self.pool.args(*u);
                match self.pool.op(*u) {
                    Op::ToReal => work.push((args[0], c)),
                    Op::Mod => {
                        // x mod y = x - y * (x div y), also for y = 0.
                        let quotient = self.pool.int_div(args[0], args[1]);
                        let product = self.pool.mul(args[1], quotient);
                        work.push((args[0], c.clone()));
                        work.push((product, -c));
                    }
                    Op::BvToInt => {
                        let bits = self.bits[&args[0]].to_vec();
                        let mut weight = c;
                        for b in bits {
                            if b == tru() {
                                out.constant += &weight;
                            } else if b != fls() {
                                let v = self.bit_var(sink, b);
                                out.coeffs.push((v, weight.clone()));
                            }
                            weight = &weight + &weight;
                        }
                    }
                    _ => {
                        let v = self.leaf(*u);
                        out.coeffs.push((v, c));
                    }
                }
            }
        }
        out
    }

    // ---- definitions ---------------------------------------------------------------------------

    fn define_pending(&mut self, sink: &mut impl ClauseSink) {
        while let Some((t, def)) = self.pending.pop() {
            if *self.pool.op(t) == Op::Ite {
                self.define_ite(sink, t, def);
                continue;
            }
            let terms = self.definition(t);
            let mut clauses: Vec<Vec<Lit>> = Vec::with_capacity(terms.len());
            for c in &terms {
                for &l in c {
                    self.encode(sink, l);
                }
                clauses.push(c.iter().map(|&l| self.known(l).expect("just encoded")).collect());
            }
            self.gates.define(sink, def, &clauses, Rule::Term.tag(t.index() as u32));
        }
    }

    /// `c -> t = a`, `not c -> t = b`. Not by way of terms: those would compare the cases of `t`.
    fn define_ite(&mut self, sink: &mut impl ClauseSink, t: Term, def: u32) {
        let args = self.pool.args(t);
        self.encode(sink, args[0]);
        let c = self.known(args[0]).expect("just encoded");
        let then = self.difference(sink, &Op::Eq, t, args[1]);
        let other = self.difference(sink, &Op::Eq, t, args[2]);
        let mut clauses = vec![vec![!c, then], vec![c, other]];
        if let (Some(x), Some(y)) = (self.pool.as_number(args[1]), self.pool.as_number(args[2])) {
            let (low, high) = if x < y { (args[1], args[2]) } else { (args[2], args[1]) };
            clauses.push(vec![self.difference(sink, &Op::Le, low, t)]);
            clauses.push(vec![self.difference(sink, &Op::Le, t, high)]);
        }
        self.gates.define(sink, def, &clauses, Rule::Term.tag(t.index() as u32));
    }

    /// The literal of `a op b`, without looking at cases.
    fn difference(&mut self, sink: &mut impl ClauseSink, op: &Op, a: Term, b: Term) -> Lit {
        let sum = self.pool.sub(a, b);
        let mut first = Vec::new();
        self.sum_prerequisites(sum, &mut first);
        for t in first {
            self.encode(sink, t);
        }
        let mut e = self.expand(sink, sum);
        e.constant = -e.constant;
        self.compare(sink, op, e)
    }

    /// The clauses that define a term which is a variable for arithmetic.
    fn definition(&self, t: Term) -> Vec<Vec<Term>> {
        let p = self.pool;
        let args = p.args(t);
        let zero = |sort: &Sort| p.number(Rational::zero(), sort);
        match p.op(t) {
            Op::IntDiv => {
                let (x, y) = (args[0], args[1]);
                let rest = p.sub(x, p.mul(y, t));
                let zero = zero(&Sort::Int);
                if let Op::Int(k) = p.op(y) {
                    // 0 <= x - k * q <= k - 1; the builders made k positive.
                    debug_assert!(k.is_positive());
                    return vec![vec![p.ge(rest, zero)], vec![p.le(rest, p.int(k - 1))]];
                }
                let (positive, negative) = (p.gt(y, zero), p.lt(y, zero));
                vec![
                    vec![positive, negative, p.eq(t, zero)],
                    vec![p.eq(y, zero), p.ge(rest, zero)],
                    vec![p.not(positive), p.lt(rest, y)],
                    vec![p.not(negative), p.lt(rest, p.neg(y))],
                ]
            }
            Op::Div => {
                let (x, y) = (args[0], args[1]);
                let zero = zero(&Sort::Real);
                let is_zero = p.eq(y, zero);
                vec![vec![p.not(is_zero), p.eq(t, zero)], vec![is_zero, p.eq(p.mul(y, t), x)]]
            }
            Op::ToInt => {
                let floor = p.to_real(t);
                let above = p.add2(floor, p.real(Rational::one()));
                vec![vec![p.le(floor, args[0])], vec![p.lt(args[0], above)]]
            }
            Op::IntToBv(w) => {
                let modulus = p.int(Integer::one() << *w);
                vec![vec![p.eq(p.int_mod(args[0], modulus), p.bv_to_int(t))]]
            }
            other => unreachable!("{other:?} has no arithmetic definition"),
        }
    }
}
