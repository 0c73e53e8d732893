//! Linear constraints: from sums to bounds on variables of arithmetic, and from bounds to literals.
//!
//! A sum is expanded over variables of [`palisade_arith`]: plain variables, terms that have a definition, and
//! the bits under `bv2int` as 0/1 variables. Forms equal up to a factor share one variable. A constraint over
//! plain variables only is also known as a *view*, a comparison that can be evaluated without making an atom.
//!
//! Invariant: while an atom has a variable of the core that goes with the query, what stays never uses it;
//! the atom gets another variable then.

use num_traits::One;
use palisade_arith::{self as arith, ALit, BoundKind, Delta, Int, Rational};
use palisade_sat::{Lit, Var};
use palisade_term::{Op, Sort, Term, TermPool};

use super::{Encoder, NONE};
use crate::native::gates::{ClauseSink, Gate, Rule, fls, tru};
use crate::native::relation::Relation;

/// Constants under nested `ite`s up to this many leaves are compared case by case instead of by an arithmetic
/// variable.
const ITE_LEAVES: usize = 16;

/// A linear form over arithmetic variables, with a constant.
#[derive(Default)]
struct Expansion {
    coeffs: Vec<(arith::Var, Rational)>,
    constant: Rational,
}

impl Encoder<'_> {
    pub(super) fn linear_prerequisites(&self, t: Term, sum: Term, stack: &mut Vec<Term>) {
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

    pub(super) fn sum_prerequisites(&self, sum: Term, stack: &mut Vec<Term>) {
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

    /// The literal of a comparison between a sum and a constant.
    pub(super) fn linear_atom(&mut self, sink: &mut impl ClauseSink, t: Term) -> Lit {
        if let Some((var, relation, bound)) = self.linear_view(t) {
            return self.relation_literal(sink, var, relation, bound);
        }
        if let Some(cases) = self.by_cases(t) {
            return self.known(cases).expect("cases are encoded first");
        }
        let args = self.pool.args(t);
        let mut e = self.expand(sink, args[0]);
        let bound = self.pool.as_number(args[1]).expect("a constant on the right");
        e.constant = &bound - &e.constant;
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
        let scale = Rational::from(&den);
        let form: Vec<(arith::Var, Int)> =
            e.coeffs.iter().map(|(v, c)| (*v, (c * &scale).to_int().expect("scaled to integers"))).collect();
        let bound = &e.constant * &scale;
        let arith = &mut self.arith;
        let Some((var, factor)) = arith.define(&form) else {
            let zero = Rational::ZERO;
            let holds = match op {
                Op::Le => zero <= bound,
                Op::Lt => zero < bound,
                _ => zero == bound,
            };
            return if holds { tru() } else { fls() };
        };
        let bound = &bound / &Rational::from(&factor);
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
        bound: Rational,
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

    /// A linear constraint over plain variables as a comparison of one arithmetic variable with a number;
    /// makes no atom. `None` if it has other terms, or is constant.
    pub fn linear_view(&mut self, atom: Term) -> Option<(arith::Var, Relation, Rational)> {
        if self.has_linear_view(atom) { self.views[&atom].clone() } else { None }
    }

    /// Is there such a comparison?
    pub fn has_linear_view(&mut self, atom: Term) -> bool {
        let pool = self.pool;
        let relation = match pool.op(atom) {
            Op::Le => Relation::Le,
            Op::Lt => Relation::Lt,
            Op::Eq if pool.sort(pool.args(atom)[0]).is_arith() => Relation::Eq,
            _ => return false,
        };
        if let Some(view) = self.views.get(&atom) {
            return view.is_some();
        }
        let view = self.make_view(atom, relation);
        let exists = view.is_some();
        self.views.insert(atom, view);
        exists
    }

    fn make_view(&mut self, atom: Term, relation: Relation) -> Option<(arith::Var, Relation, Rational)> {
        let pool = self.pool;
        let args = pool.args(atom);
        let l = pool.linear(args[0]);
        if l.coeffs.iter().any(|(t, c)| !pool.is_var(*t) || !c.is_integer()) {
            return None;
        }
        let form: Vec<(arith::Var, Int)> = l.coeffs.iter().map(|(t, c)| (self.leaf(*t), c.num())).collect();
        let bound = &pool.as_number(args[1])? - &l.constant;
        let (var, factor) = self.arith.define(&form)?;
        let bound = &bound / &Rational::from(&factor);
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
    pub(super) fn leaf(&mut self, t: Term) -> arith::Var {
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
        self.gates.define(sink, def, &clauses, Rule::Digit.tag(v.index() as u32));
        v
    }

    /// The bits of a vector that is used as a number. Terms know of more bits that they are constant, or
    /// equal to others, than literals do; the checker of proofs goes by terms, and forms over different
    /// digits would not have the same factors.
    fn bits_of_number(&mut self, vector: Term) -> Vec<Lit> {
        let mut bits = self.bits[&vector].to_vec();
        if !self.gates.direct {
            for (b, &t) in bits.iter_mut().zip(self.canon.bits(vector)) {
                *b = match self.pool.as_bool(t) {
                    Some(true) => tru(),
                    Some(false) => fls(),
                    None => *self.bit_of_term.entry(t).or_insert(*b),
                };
            }
        }
        bits
    }

    /// A sum over arithmetic variables.
    fn expand(&mut self, sink: &mut impl ClauseSink, sum: Term) -> Expansion {
        let mut out = Expansion::default();
        let mut work: Vec<(Term, Rational)> = vec![(sum, Rational::ONE)];
        while let Some((t, k)) = work.pop() {
            let l = self.pool.linear(t);
            if !l.constant.is_zero() {
                out.constant.add_mul(&k, &l.constant);
            }
            for (u, c) in &l.coeffs {
                let c = &k * c;
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
                        let bits = self.bits_of_number(args[0]);
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

    /// The literal of `a op b`, without looking at cases.
    pub(super) fn difference(&mut self, sink: &mut impl ClauseSink, op: &Op, a: Term, b: Term) -> Lit {
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
}
