//! The builders simplify; these tests hold what they build against direct evaluation of what was asked for.

use palisade_term::{Assignment, Integer, Op, Rational, Sort, Term, TermPool, Value};
use proptest::prelude::*;
use rustc_hash::FxHashMap;

const WIDTH: u32 = 5;

/// An expression as written, before any simplification. Variables are numbered; each sort has its own.
#[derive(Clone, Debug)]
enum Int {
    Const(i64),
    Var(usize),
    Add(Box<Int>, Box<Int>),
    Sub(Box<Int>, Box<Int>),
    Neg(Box<Int>),
    Mul(Box<Int>, Box<Int>),
    Div(Box<Int>, Box<Int>),
    Mod(Box<Int>, Box<Int>),
    Abs(Box<Int>),
    Ite(Box<Bool>, Box<Int>, Box<Int>),
    OfBv(Box<Bv>),
}

#[derive(Clone, Debug)]
enum Bv {
    Const(u64),
    Var(usize),
    Unary(u8, Box<Bv>),
    Binary(u8, Box<Bv>, Box<Bv>),
    /// Bits `hi..=lo` extended back to the width, with zeros or the sign.
    Slice(u32, u32, bool, Box<Bv>),
    Ite(Box<Bool>, Box<Bv>, Box<Bv>),
    OfInt(Box<Int>),
}

#[derive(Clone, Debug)]
enum Bool {
    Const(bool),
    Var(usize),
    Not(Box<Bool>),
    And(Vec<Bool>),
    Or(Vec<Bool>),
    Iff(Box<Bool>, Box<Bool>),
    Ite(Box<Bool>, Box<Bool>, Box<Bool>),
    Le(Box<Int>, Box<Int>),
    Lt(Box<Int>, Box<Int>),
    Eq(Box<Int>, Box<Int>),
    Compare(u8, Box<Bv>, Box<Bv>),
}

/// The values of the variables.
#[derive(Clone, Debug)]
struct Values {
    ints: [i64; 3],
    bools: [bool; 3],
    bvs: [u64; 3],
}

fn expressions() -> impl Strategy<Value = Bool> {
    bool_expr(4)
}

fn bool_expr(depth: u32) -> BoxedStrategy<Bool> {
    let leaf = prop_oneof![any::<bool>().prop_map(Bool::Const), (0..3usize).prop_map(Bool::Var)];
    if depth == 0 {
        return leaf.boxed();
    }
    let b = || bool_expr(depth - 1).prop_map(Box::new);
    let i = || int_expr(depth - 1).prop_map(Box::new);
    let v = || bv_expr(depth - 1).prop_map(Box::new);
    prop_oneof![
        1 => leaf,
        2 => b().prop_map(Bool::Not),
        2 => prop::collection::vec(bool_expr(depth - 1), 0..4).prop_map(Bool::And),
        2 => prop::collection::vec(bool_expr(depth - 1), 0..4).prop_map(Bool::Or),
        1 => (b(), b()).prop_map(|(x, y)| Bool::Iff(x, y)),
        1 => (b(), b(), b()).prop_map(|(x, y, z)| Bool::Ite(x, y, z)),
        2 => (i(), i()).prop_map(|(x, y)| Bool::Le(x, y)),
        2 => (i(), i()).prop_map(|(x, y)| Bool::Lt(x, y)),
        2 => (i(), i()).prop_map(|(x, y)| Bool::Eq(x, y)),
        3 => (0..5u8, v(), v()).prop_map(|(o, x, y)| Bool::Compare(o, x, y)),
    ]
    .boxed()
}

fn int_expr(depth: u32) -> BoxedStrategy<Int> {
    let leaf = prop_oneof![(-5..6i64).prop_map(Int::Const), (0..3usize).prop_map(Int::Var)];
    if depth == 0 {
        return leaf.boxed();
    }
    let i = || int_expr(depth - 1).prop_map(Box::new);
    prop_oneof![
        2 => leaf,
        3 => (i(), i()).prop_map(|(x, y)| Int::Add(x, y)),
        2 => (i(), i()).prop_map(|(x, y)| Int::Sub(x, y)),
        1 => i().prop_map(Int::Neg),
        2 => (i(), i()).prop_map(|(x, y)| Int::Mul(x, y)),
        2 => (i(), i()).prop_map(|(x, y)| Int::Div(x, y)),
        2 => (i(), i()).prop_map(|(x, y)| Int::Mod(x, y)),
        1 => i().prop_map(Int::Abs),
        1 => (bool_expr(depth - 1).prop_map(Box::new), i(), i()).prop_map(|(c, x, y)| Int::Ite(c, x, y)),
        1 => bv_expr(depth - 1).prop_map(|v| Int::OfBv(Box::new(v))),
    ]
    .boxed()
}

fn bv_expr(depth: u32) -> BoxedStrategy<Bv> {
    // Extreme values are where the rewrites are.
    let mask = (1u64 << WIDTH) - 1;
    let leaf = prop_oneof![
        prop_oneof![Just(0), Just(1), Just(mask), Just(1 << (WIDTH - 1)), 0..=mask].prop_map(Bv::Const),
        (0..3usize).prop_map(Bv::Var)
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let v = || bv_expr(depth - 1).prop_map(Box::new);
    prop_oneof![
        2 => leaf,
        1 => (0..2u8, v()).prop_map(|(o, x)| Bv::Unary(o, x)),
        5 => (0..14u8, v(), v()).prop_map(|(o, x, y)| Bv::Binary(o, x, y)),
        2 => (0..WIDTH, 0..WIDTH, any::<bool>(), v())
            .prop_map(|(a, b, s, x)| Bv::Slice(a.max(b), a.min(b), s, x)),
        1 => (bool_expr(depth - 1).prop_map(Box::new), v(), v()).prop_map(|(c, x, y)| Bv::Ite(c, x, y)),
        1 => int_expr(depth - 1).prop_map(|i| Bv::OfInt(Box::new(i))),
    ]
    .boxed()
}

// ---- building ------------------------------------------------------------------------------------------

struct Build<'p>(&'p TermPool);

impl Build<'_> {
    fn int_var(&self, i: usize) -> Term {
        self.0.var(&format!("i{i}"), Sort::Int)
    }

    fn bool_var(&self, i: usize) -> Term {
        self.0.var(&format!("b{i}"), Sort::Bool)
    }

    fn bv_var(&self, i: usize) -> Term {
        self.0.var(&format!("v{i}"), Sort::BitVec(WIDTH))
    }

    fn bool(&self, e: &Bool) -> Term {
        let p = self.0;
        match e {
            Bool::Const(b) => p.bool(*b),
            Bool::Var(i) => self.bool_var(*i),
            Bool::Not(a) => p.not(self.bool(a)),
            Bool::And(a) => p.and(a.iter().map(|x| self.bool(x)).collect::<Vec<_>>()),
            Bool::Or(a) => p.or(a.iter().map(|x| self.bool(x)).collect::<Vec<_>>()),
            Bool::Iff(a, b) => p.eq(self.bool(a), self.bool(b)),
            Bool::Ite(c, a, b) => p.ite(self.bool(c), self.bool(a), self.bool(b)),
            Bool::Le(a, b) => p.le(self.int(a), self.int(b)),
            Bool::Lt(a, b) => p.lt(self.int(a), self.int(b)),
            Bool::Eq(a, b) => p.eq(self.int(a), self.int(b)),
            Bool::Compare(o, a, b) => {
                let (a, b) = (self.bv(a), self.bv(b));
                match o {
                    0 => p.eq(a, b),
                    1 => p.bv_ule(a, b),
                    2 => p.bv_ult(a, b),
                    3 => p.bv_sle(a, b),
                    _ => p.bv_slt(a, b),
                }
            }
        }
    }

    fn int(&self, e: &Int) -> Term {
        let p = self.0;
        match e {
            Int::Const(i) => p.int(*i),
            Int::Var(i) => self.int_var(*i),
            Int::Add(a, b) => p.add2(self.int(a), self.int(b)),
            Int::Sub(a, b) => p.sub(self.int(a), self.int(b)),
            Int::Neg(a) => p.neg(self.int(a)),
            Int::Mul(a, b) => p.mul(self.int(a), self.int(b)),
            Int::Div(a, b) => p.int_div(self.int(a), self.int(b)),
            Int::Mod(a, b) => p.int_mod(self.int(a), self.int(b)),
            Int::Abs(a) => p.abs(self.int(a)),
            Int::Ite(c, a, b) => p.ite(self.bool(c), self.int(a), self.int(b)),
            Int::OfBv(v) => p.bv_to_int(self.bv(v)),
        }
    }

    fn bv(&self, e: &Bv) -> Term {
        let p = self.0;
        match e {
            Bv::Const(v) => p.bitvec(*v, WIDTH),
            Bv::Var(i) => self.bv_var(*i),
            Bv::Unary(0, a) => p.bv_not(self.bv(a)),
            Bv::Unary(_, a) => p.bv_neg(self.bv(a)),
            Bv::Ite(c, a, b) => p.ite(self.bool(c), self.bv(a), self.bv(b)),
            Bv::OfInt(i) => p.int_to_bv(WIDTH, self.int(i)),
            Bv::Slice(hi, lo, signed, a) => {
                let t = p.extract(*hi, *lo, self.bv(a));
                let n = WIDTH - (hi - lo + 1);
                if *signed { p.sign_extend(n, t) } else { p.zero_extend(n, t) }
            }
            Bv::Binary(o, a, b) => {
                let (a, b) = (self.bv(a), self.bv(b));
                match o {
                    0 => p.bv_and(a, b),
                    1 => p.bv_or(a, b),
                    2 => p.bv_xor(a, b),
                    3 => p.bv_add(a, b),
                    4 => p.bv_sub(a, b),
                    5 => p.bv_mul(a, b),
                    6 => p.bv_udiv(a, b),
                    7 => p.bv_urem(a, b),
                    8 => p.bv_sdiv(a, b),
                    9 => p.bv_srem(a, b),
                    10 => p.bv_smod(a, b),
                    11 => p.bv_shl(a, b),
                    12 => p.bv_lshr(a, b),
                    _ => p.bv_ashr(a, b),
                }
            }
        }
    }
}

// ---- direct evaluation, from the definitions of SMT-LIB ------------------------------------------------

fn signed(v: u64) -> i64 {
    if v >> (WIDTH - 1) & 1 == 1 { v as i64 - (1 << WIDTH) } else { v as i64 }
}

fn wrap(v: i64) -> u64 {
    v.rem_euclid(1 << WIDTH) as u64
}

impl Values {
    fn bool(&self, e: &Bool) -> bool {
        match e {
            Bool::Const(b) => *b,
            Bool::Var(i) => self.bools[*i],
            Bool::Not(a) => !self.bool(a),
            Bool::And(a) => a.iter().all(|x| self.bool(x)),
            Bool::Or(a) => a.iter().any(|x| self.bool(x)),
            Bool::Iff(a, b) => self.bool(a) == self.bool(b),
            Bool::Ite(c, a, b) => self.bool(if self.bool(c) { a } else { b }),
            Bool::Le(a, b) => self.int(a) <= self.int(b),
            Bool::Lt(a, b) => self.int(a) < self.int(b),
            Bool::Eq(a, b) => self.int(a) == self.int(b),
            Bool::Compare(o, a, b) => {
                let (a, b) = (self.bv(a), self.bv(b));
                match o {
                    0 => a == b,
                    1 => a <= b,
                    2 => a < b,
                    3 => signed(a) <= signed(b),
                    _ => signed(a) < signed(b),
                }
            }
        }
    }

    /// Values stay far below the limits of 128 bits: depth 4 gives at most the 8th power of small numbers.
    fn int(&self, e: &Int) -> i128 {
        match e {
            Int::Const(i) => i128::from(*i),
            Int::Var(i) => i128::from(self.ints[*i]),
            Int::Add(a, b) => self.int(a) + self.int(b),
            Int::Sub(a, b) => self.int(a) - self.int(b),
            Int::Neg(a) => -self.int(a),
            Int::Mul(a, b) => self.int(a) * self.int(b),
            Int::Div(a, b) => self.int(a).checked_div_euclid(self.int(b)).unwrap_or(0),
            Int::Mod(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                a.checked_rem_euclid(b).unwrap_or(a)
            }
            Int::Abs(a) => self.int(a).abs(),
            Int::Ite(c, a, b) => self.int(if self.bool(c) { a } else { b }),
            Int::OfBv(v) => i128::from(self.bv(v)),
        }
    }

    fn bv(&self, e: &Bv) -> u64 {
        match e {
            Bv::Const(v) => *v,
            Bv::Var(i) => self.bvs[*i],
            Bv::Unary(0, a) => wrap(!(self.bv(a) as i64)),
            Bv::Unary(_, a) => wrap(-(self.bv(a) as i64)),
            Bv::Ite(c, a, b) => self.bv(if self.bool(c) { a } else { b }),
            Bv::OfInt(i) => self.int(i).rem_euclid(1 << WIDTH) as u64,
            Bv::Slice(hi, lo, sign, a) => {
                let width = hi - lo + 1;
                let part = self.bv(a) >> lo & ((1 << width) - 1);
                if *sign && part >> (width - 1) == 1 { wrap(part as i64 - (1 << width)) } else { part }
            }
            Bv::Binary(o, a, b) => {
                let (a, b) = (self.bv(a), self.bv(b));
                let (x, y) = (signed(a), signed(b));
                let s = b.min(63) as u32;
                match o {
                    0 => a & b,
                    1 => a | b,
                    2 => a ^ b,
                    3 => wrap((a + b) as i64),
                    4 => wrap(a as i64 - b as i64),
                    5 => wrap((a * b) as i64),
                    6 => a.checked_div(b).unwrap_or((1 << WIDTH) - 1),
                    7 => a.checked_rem(b).unwrap_or(a),
                    8 if y == 0 => {
                        if x < 0 {
                            1
                        } else {
                            (1 << WIDTH) - 1
                        }
                    }
                    8 => wrap(x / y),
                    9 => wrap(x.checked_rem(y).unwrap_or(x)),
                    10 if y == 0 => a,
                    10 => wrap(x - y * (x as f64 / y as f64).floor() as i64),
                    11 => {
                        if s >= WIDTH {
                            0
                        } else {
                            wrap((a << s) as i64)
                        }
                    }
                    12 => {
                        if s >= WIDTH {
                            0
                        } else {
                            a >> s
                        }
                    }
                    _ => wrap(x >> s),
                }
            }
        }
    }

    fn assignment(&self, build: &Build<'_>) -> Assignment {
        let mut out = Assignment::new();
        for i in 0..3 {
            out.set(build.int_var(i), Value::Int(self.ints[i].into()));
            out.set(build.bool_var(i), Value::Bool(self.bools[i]));
            out.set(build.bv_var(i), Value::BitVec(WIDTH, self.bvs[i].into()));
        }
        out
    }
}

fn values() -> impl Strategy<Value = Values> {
    (prop::array::uniform3(-6..7i64), any::<[bool; 3]>(), prop::array::uniform3(0..1u64 << WIDTH))
        .prop_map(|(ints, bools, bvs)| Values { ints, bools, bvs })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn simplification_preserves_meaning(e in expressions(), sigma in values()) {
        let pool = TermPool::new();
        let build = Build(&pool);
        let t = build.bool(&e);
        prop_assert_eq!(pool.holds(t, &sigma.assignment(&build)), sigma.bool(&e), "{}", pool.infix(t));
    }

    #[test]
    fn negation_normal_form(e in expressions(), sigma in values()) {
        let pool = TermPool::new();
        let build = Build(&pool);
        let t = build.bool(&e);
        let n = pool.nnf(t);
        prop_assert_eq!(pool.holds(n, &sigma.assignment(&build)), sigma.bool(&e));
        // Only conjunctions and disjunctions above the literals.
        let mut stack = vec![n];
        while let Some(u) = stack.pop() {
            match pool.op(u) {
                Op::And | Op::Or => stack.extend(pool.args(u)),
                _ => prop_assert!(pool.is_literal(u) || pool.as_bool(u).is_some(), "{}", pool.infix(u)),
            }
        }
    }

    #[test]
    fn substitution_is_evaluation(
        e in expressions(), into in int_expr(3), cond in bool_expr(3), sigma in values()
    ) {
        let pool = TermPool::new();
        let build = Build(&pool);
        let (t, u, c) = (build.bool(&e), build.int(&into), build.bool(&cond));
        let map = FxHashMap::from_iter([(build.int_var(0), u), (build.bool_var(1), c)]);
        let mut changed = sigma.assignment(&build);
        let (value, truth) = (pool.eval(u, &changed), pool.eval(c, &changed));
        let before = pool.holds(pool.substitute(t, &map), &changed);
        changed.set(build.int_var(0), value);
        changed.set(build.bool_var(1), truth);
        prop_assert_eq!(before, pool.holds(t, &changed));
    }

    #[test]
    fn priming_is_undone_by_unpriming(e in expressions()) {
        let pool = TermPool::new();
        let t = Build(&pool).bool(&e);
        let primed = pool.version_all(t, palisade_term::Version::Primed);
        prop_assert_eq!(pool.unprime(primed), t);
        prop_assert_eq!(pool.free_vars(primed).len(), pool.free_vars(t).len());
    }

    #[test]
    fn rebuilding_changes_nothing(e in expressions()) {
        // Terms are in normal form: building a node again from its own arguments gives the same node.
        let pool = TermPool::new();
        let t = Build(&pool).bool(&e);
        let mut all = Vec::new();
        pool.visit([t], |u| all.push(u));
        for u in all {
            let node = pool.node(u);
            prop_assert_eq!(pool.rebuild(&node.op, &node.args, &node.sort), u, "{}", pool.infix(u));
        }
    }

    #[test]
    fn equal_constraints_are_equal_terms(
        a in prop::array::uniform3(-4..5i64), b in prop::array::uniform3(-4..5i64),
        (c, d) in (-9..10i64, -9..10i64), k in 1..6i64, real in any::<bool>(),
    ) {
        let pool = TermPool::new();
        let sort = if real { Sort::Real } else { Sort::Int };
        let number = |i: i64| Rational::from_integer(i.into());
        let vars: Vec<Term> = (0..3).map(|i| pool.var(&format!("x{i}"), sort.clone())).collect();
        let side = |coeffs: &[i64; 3], constant: i64, k: i64| {
            let parts = vars.iter().zip(coeffs).map(|(&x, &c)| pool.scale(&number(c * k), x));
            pool.add(parts.chain([pool.number(number(constant * k), &sort)]).collect::<Vec<_>>())
        };
        let (l, r) = (side(&a, c, 1), side(&b, d, 1));
        let (kl, kr) = (side(&a, c, k), side(&b, d, k));
        let zero = pool.number(number(0), &sort);
        // Scaling, moving to one side, turning around.
        prop_assert_eq!(pool.le(l, r), pool.le(kl, kr));
        prop_assert_eq!(pool.eq(l, r), pool.eq(kr, kl));
        prop_assert_eq!(pool.le(l, r), pool.le(pool.sub(l, r), zero));
        prop_assert_eq!(pool.le(l, r), pool.ge(r, l));
        prop_assert_eq!(pool.le(l, r), pool.le(pool.neg(r), pool.neg(l)));
        // The opposite half-space is the negation.
        prop_assert_eq!(pool.not(pool.le(l, r)), pool.gt(l, r));
        if !real {
            prop_assert_eq!(pool.lt(l, r), pool.le(pool.add2(l, pool.int(1)), r));
        }
    }

    #[test]
    fn linear_views_round_trip(e in int_expr(4)) {
        let pool = TermPool::new();
        let t = Build(&pool).int(&e);
        prop_assert_eq!(pool.from_linear(&pool.linear(t), &Sort::Int), t);
        prop_assert_eq!(pool.sub(t, t), pool.int(0));
    }

    #[test]
    fn arrays_read_what_was_written(
        writes in prop::collection::vec((0..4i64, 0..9i64), 0..6), index in 0..4i64,
        symbolic in any::<[bool; 6]>()
    ) {
        let pool = TermPool::new();
        let sort = Sort::array(Sort::Int, Sort::Int);
        let mut array = pool.const_array(&sort, pool.int(-1));
        let mut model = Assignment::new();
        for (k, ((i, x), name)) in writes.iter().zip(symbolic).enumerate() {
            // Some indices are variables that have the value, so that reads cannot be resolved while
            // building.
            let at = if name {
                let v = pool.var(&format!("at{k}"), Sort::Int);
                model.set(v, Value::Int((*i).into()));
                v
            } else {
                pool.int(*i)
            };
            array = pool.store(array, at, pool.int(*x));
        }
        let expected = writes.iter().rev().find(|(i, _)| *i == index).map_or(-1, |(_, x)| *x);
        let read = pool.select(array, pool.int(index));
        prop_assert_eq!(pool.eval(read, &model), Value::Int(expected.into()));
        let value = pool.eval(array, &model);
        prop_assert_eq!(pool.eval(value.to_term(&pool), &Assignment::new()), value);
    }
}

/// The cells of arrays that differ at constant indices are those of the first array whose condition holds.
#[test]
fn cells_are_chosen_as_arrays_are() {
    let pool = TermPool::new();
    let sort = Sort::array(Sort::BitVec(4), Sort::BitVec(8));
    let index = |i: u32| pool.bitvec(i, 4);
    let base = pool.store(pool.var("a", sort.clone()), pool.var("i", Sort::BitVec(4)), pool.bitvec(9, 8));
    let write = |array, i, name: &str| pool.store(array, index(i), pool.var(name, Sort::BitVec(8)));
    let arrays = [write(write(base, 1, "x"), 2, "y"), write(write(base, 2, "z"), 3, "x"), base];
    let [p, q] = ["p", "q"].map(|n| pool.var(n, Sort::Bool));
    let ways = [(p, arrays[0]), (q, arrays[1]), (pool.tru(), arrays[2])];
    let chosen = pool.choose_cells(&ways).expect("one base");
    for k in 0..64u32 {
        let mut model = Assignment::new();
        model.set(pool.var("i", Sort::BitVec(4)), pool.eval(index(k % 16), &Assignment::new()));
        model.set(p, Value::Bool(k & 16 != 0));
        model.set(q, Value::Bool(k & 32 != 0));
        for (n, name) in ["x", "y", "z"].iter().enumerate() {
            let value = pool.eval(pool.bitvec(k * 7 + n as u32 * 50, 8), &Assignment::new());
            model.set(pool.var(name, Sort::BitVec(8)), value);
        }
        let expected = ways.iter().find(|(c, _)| pool.holds(*c, &model)).expect("the last one").1;
        for i in 0..16 {
            let [a, b] = [chosen, expected].map(|array| pool.eval(pool.select(array, index(i)), &model));
            assert_eq!(a, b, "{k}, cell {i}");
        }
    }
    let other = pool.var("b", sort);
    assert_eq!(pool.choose_cells(&[(p, base), (q, write(other, 1, "x"))]), None);
}

#[test]
fn a_hundred_thousand_nested_nodes() {
    const DEPTH: usize = 100_000;
    let pool = TermPool::new();
    let x = pool.var("x", Sort::Int);
    let a = pool.var("a", Sort::array(Sort::Int, Sort::Int));
    let b: Vec<Term> = (0..64).map(|i| pool.var(&format!("b{i}"), Sort::Bool)).collect();
    let mut formula = pool.le(x, pool.int(0));
    let mut number = x;
    let mut array = a;
    for k in 0..DEPTH {
        let p = b[k % 64];
        formula = match k % 4 {
            0 => pool.and2(p, formula),
            1 => pool.or2(p, formula),
            2 => pool.not(formula),
            _ => pool.eq(p, formula),
        };
        number = pool.ite(p, pool.add2(number, pool.int(1)), pool.int_div(number, pool.int(3)));
        array = pool.store(array, pool.add2(x, pool.int(k)), pool.int(k));
    }
    let model: Assignment = [(x, Value::Int(Integer::from(7)))].into_iter().collect();
    let read = pool.select(array, pool.int(12));
    let whole = pool.and([formula, pool.le(number, x), pool.eq(read, x)]);
    pool.holds(whole, &model);
    assert_eq!(pool.eval(read, &model), Value::Int(5.into()));
    assert!(pool.dag_size(whole) > DEPTH);
    assert_eq!(pool.free_vars(whole).len(), 2 + 64);
    let map = FxHashMap::from_iter([(x, pool.int(7))]);
    assert!(!pool.free_vars(pool.substitute(whole, &map)).contains(&x));
    let primed = pool.version_all(whole, palisade_term::Version::Primed);
    assert_eq!(pool.unprime(primed), whole);
    assert_eq!(pool.holds(pool.nnf(formula), &model), pool.holds(formula, &model));
    assert!(!pool.atoms(whole).is_empty());
    assert!(!pool.conjuncts(whole).is_empty());
    assert!(pool.infix(whole).to_string().len() > 100);
}

#[test]
fn fresh_names_are_fresh() {
    let pool = TermPool::new();
    let x = pool.var("x!1", Sort::Int);
    let y = pool.fresh_var("x", Sort::Int);
    let z = pool.fresh_var("x", Sort::Bool);
    assert!(x != y && y != z && pool.var_name(y) != pool.var_name(z));
}

#[test]
fn conversions_to_bits_commute_with_sums() {
    let p = TermPool::new();
    let [x, y] = ["x", "y"].map(|n| p.var(n, Sort::Int));
    let v = p.var("v", Sort::BitVec(8));
    let of_bits = p.bv_to_int(v);
    assert_eq!(p.int_to_bv(8, of_bits), v);
    assert_eq!(p.int_to_bv(5, of_bits), p.extract(4, 0, v));
    assert_eq!(p.int_to_bv(12, of_bits), p.zero_extend(4, v));
    let [a, b] = [x, y].map(|t| p.int_to_bv(8, t));
    assert_eq!(p.int_to_bv(8, p.sub(x, y)), p.bv_sub(a, b));
    // 256 * x vanishes, and 259 is 3.
    let many = p.add([p.mul(p.int(256), x), y, p.int(259)]);
    assert_eq!(p.int_to_bv(8, many), p.bv_add(b, p.bitvec(3, 8)));
}
