//! Quantifier elimination against z3: the result is equivalent to the quantified formula.
//!
//! z3 is asked quantifier-free questions only. `g` implies `forall v. f` when `g and not f` is unsatisfiable.
//! The other direction is sampled: wherever `g` is false, `not f` must have a solution in `v`.

#[path = "../../transform/tests/common/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use oracle::Z3;
use palisade_eliminate::{exists, forall};
use palisade_fuzzing::Random;
use palisade_term::{Rational, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

/// Random formulas over bound and free variables of one sort (and a bound Boolean).
struct Formulas<'a> {
    pool: &'a TermPool,
    rng: Random,
    vars: Vec<Term>,
    quotients: bool,
}

impl Formulas<'_> {
    fn formula(&mut self, depth: usize) -> Term {
        let pool = self.pool;
        match self.rng.below(if depth == 0 { 2 } else { 8 }) {
            0 | 1 => self.atom(depth),
            2 => pool.not(self.formula(depth - 1)),
            3 | 4 => pool.and2(self.formula(depth - 1), self.formula(depth - 1)),
            5 | 6 => pool.or2(self.formula(depth - 1), self.formula(depth - 1)),
            _ => pool.ite(self.formula(depth - 1), self.formula(depth - 1), self.formula(depth - 1)),
        }
    }

    /// A constant of the sort.
    fn value(&mut self, sort: &Sort) -> Term {
        match sort {
            Sort::BitVec(w) => self.pool.bitvec(self.rng.bits(), *w),
            _ => self.pool.number(Rational::from_integer((self.rng.below(17) as i64 - 8).into()), sort),
        }
    }

    fn atom(&mut self, depth: usize) -> Term {
        let pool = self.pool;
        let (a, b) = (self.term(depth), self.term(depth));
        match (pool.sort(a), self.rng.below(3)) {
            (Sort::BitVec(_), 0) => pool.bv_ule(a, b),
            (Sort::BitVec(_), 1) => pool.bv_sle(a, b),
            (Sort::Int | Sort::Real, 0) => pool.le(a, b),
            (Sort::Int | Sort::Real, 1) => pool.lt(a, b),
            _ => pool.eq(a, b),
        }
    }

    fn term(&mut self, depth: usize) -> Term {
        let pool = self.pool;
        let v = self.rng.pick(&self.vars);
        match pool.sort(v).clone() {
            Sort::BitVec(w) => match self.rng.below(3) {
                0 => pool.bitvec(self.rng.bits(), w),
                1 => v,
                _ => pool.bv_add(v, self.rng.pick(&self.vars)),
            },
            sort => {
                let k = Rational::from_integer(self.rng.pick(&[-3, -2, -1, 1, 1, 2]).into());
                let c = pool.number(Rational::from_integer(self.rng.pick(&[-2, 0, 1, 5]).into()), &sort);
                let other = self.rng.pick(&self.vars);
                let t = pool.add([pool.scale(&k, v), other, c]);
                if self.quotients && self.rng.chance(30) {
                    let m = pool.int(self.rng.pick(&[2, 3, 4, 100]));
                    let u = pool.add2(v, self.rng.pick(&self.vars));
                    return if self.rng.chance(50) { pool.int_mod(u, m) } else { pool.int_div(u, m) };
                }
                if depth > 0 && self.rng.chance(15) {
                    return pool.ite(self.formula(depth - 1), t, v);
                }
                t
            }
        }
    }
}

/// Eliminates the first `bound` of four variables from each formula and checks the result; returns how many
/// there were and how many were refused.
fn compare(sort: &Sort, seeds: std::ops::Range<u64>, bound: usize, quotients: bool) -> (usize, usize) {
    let mut z3 = Z3::start();
    let (mut total, mut refused, mut refuted, mut undecided) = (0, 0, 0, 0);
    for seed in seeds {
        let pool = TermPool::new();
        let vars: Vec<Term> = ["v", "w", "x", "y"].iter().map(|n| pool.var(n, sort.clone())).collect();
        let (quantified, free) = (vars[..bound].to_vec(), vars[bound..].to_vec());
        let mut formulas = Formulas { pool: &pool, rng: Random::new(seed), vars, quotients };
        // Quotients in deep formulas are more than z3 can take.
        let f = formulas.formula(if quotients { 2 } else { 3 });
        total += 1;
        let Ok(g) = forall(&pool, &quantified, f) else {
            refused += 1;
            continue;
        };
        assert!(pool.free_vars(g).iter().all(|v| free.contains(v)), "seed {seed}: still there");
        let Some(z3) = &mut z3 else { continue };
        let wrong = || format!("seed {seed}: forall {} is not {}", pool.infix(f), pool.infix(g));
        match z3.decide(&pool, pool.implies(g, f)) {
            Some(implied) => assert!(implied, "too weak: {}", wrong()),
            None => undecided += 1,
        }
        for _ in 0..6 {
            let sample: FxHashMap<Term, Term> = free.iter().map(|&x| (x, formulas.value(sort))).collect();
            if pool.substitute(g, &sample) == pool.fls() {
                refuted += 1;
                assert!(!z3.valid(&pool, pool.substitute(f, &sample)), "too strong: {}", wrong());
            }
        }
    }
    println!(
        "{sort} {bound} {quotients}: {total} formulas, {refused} refused, {refuted} samples false, \
         {undecided} undecided"
    );
    assert!(undecided * 10 <= total, "z3 decided too little");
    assert!(z3.is_none() || refuted > total / 2, "the samples show nothing");
    (total, refused)
}

#[test]
fn integers() {
    assert_eq!(compare(&Sort::Int, 0..400, 1, false), (400, 0));
    assert_eq!(compare(&Sort::Int, 400..600, 2, false), (200, 0));
}

#[test]
fn integer_quotients() {
    let (total, refused) = compare(&Sort::Int, 1000..1200, 1, true);
    assert!(refused * 4 < total, "{refused} of {total}");
}

#[test]
fn rationals() {
    assert_eq!(compare(&Sort::Real, 2000..2400, 1, false), (400, 0));
    assert_eq!(compare(&Sort::Real, 2400..2600, 2, false), (200, 0));
}

#[test]
fn bit_vectors() {
    assert_eq!(compare(&Sort::BitVec(3), 3000..3300, 1, false), (300, 0));
    let (total, refused) = compare(&Sort::BitVec(8), 3300..3600, 1, false);
    assert!(refused * 3 < total, "{refused} of {total}");
}

/// Inside an extension the variable is a number of another width: refused, never mixed up.
#[test]
fn an_extended_bit_vector_is_refused() {
    let pool = TermPool::new();
    let (v, x) = (pool.var("v", Sort::BitVec(8)), pool.var("x", Sort::BitVec(32)));
    let wide = pool.bv_add(pool.sign_extend(24, v), pool.bitvec(1, 32));
    assert!(forall(&pool, &[v], pool.bv_sle(wide, x)).is_err());
}

/// The same for a variable that is an element of an array.
#[test]
fn a_stored_bit_vector_is_refused() {
    let pool = TermPool::new();
    let array = Sort::array(Sort::BitVec(64), Sort::BitVec(8));
    let (v, a, b) = (pool.var("v", Sort::BitVec(8)), pool.var("a", array.clone()), pool.var("b", array));
    let stored = pool.store(a, pool.bitvec(3, 64), v);
    assert!(forall(&pool, &[v], pool.eq(stored, b)).is_err());
}

#[test]
fn booleans() {
    let pool = TermPool::new();
    let [p, q, r] = ["p", "q", "r"].map(|n| pool.var(n, Sort::Bool));
    assert_eq!(forall(&pool, &[p], pool.or2(p, q)), Ok(q));
    assert_eq!(forall(&pool, &[p], pool.ite(p, q, r)), Ok(pool.and2(q, r)));
    assert_eq!(exists(&pool, &[p, q], pool.and([p, q, r])), Ok(r));
    assert_eq!(forall(&pool, &[p], pool.eq(p, q)), Ok(pool.fls()));
}

#[test]
fn the_shapes_of_c_programs_stay_small() {
    let pool = TermPool::new();
    let [x, i] = ["x", "i"].map(|n| pool.var(n, Sort::Int));
    let (zero, ten) = (pool.int(0), pool.int(10));
    let [p, q] = ["p", "q"].map(|n| pool.var(n, Sort::Bool));
    // if (nondet()) p else q
    let branch = pool.ite(pool.eq(i, zero), q, p);
    assert_eq!(forall(&pool, &[i], branch), Ok(pool.and2(p, q)));
    // 0 <= i <= 10, then x + i <= 10
    let range = pool.and2(pool.ge(i, zero), pool.le(i, ten));
    let bounded = pool.implies(range, pool.le(pool.add2(x, i), ten));
    assert_eq!(forall(&pool, &[i], bounded), Ok(pool.le(x, zero)));
    // i == x assumed: the one-point rule
    let point = pool.implies(pool.eq(i, x), pool.le(i, ten));
    assert_eq!(forall(&pool, &[i], point), Ok(pool.le(x, ten)));
}

#[test]
fn unsigned_wrap_around() {
    // i arbitrary in its type, then (x + i) mod 2^32 <= 7 is false: some i gives 8.
    let pool = TermPool::new();
    let [x, i] = ["x", "i"].map(|n| pool.var(n, Sort::Int));
    let m = pool.int(1u64 << 32);
    let sum = pool.int_mod(pool.add2(x, i), m);
    let range = pool.and2(pool.ge(i, pool.int(0)), pool.lt(i, m));
    let f = pool.implies(range, pool.le(sum, pool.int(7)));
    let g = forall(&pool, &[i], f).expect("within reach");
    if let Some(mut z3) = Z3::start() {
        assert!(z3.valid(&pool, pool.not(g)), "{}", pool.infix(g));
    }
}

#[test]
fn arrays_that_are_read() {
    let pool = TermPool::new();
    let a = pool.var("a", Sort::array(Sort::Int, Sort::Int));
    let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(n, Sort::Int));
    let (ax, ay) = (pool.select(a, x), pool.select(a, y));
    // a[x] = a[y] for all a: exactly when x = y.
    assert_eq!(
        forall(&pool, &[a], pool.eq(ax, ay)).map(|g| {
            let same = pool.eq(x, y);
            Z3::start().is_none_or(|mut z3| z3.valid(&pool, pool.eq(g, same)))
        }),
        Ok(true)
    );
    // Read over a write: a[z := 1][x] <= 1 for all a exactly when x = z.
    let written = pool.select(pool.store(a, z, pool.int(1)), x);
    let g = forall(&pool, &[a], pool.le(written, pool.int(1))).expect("within reach");
    let same = pool.eq(x, z);
    assert!(Z3::start().is_none_or(|mut z3| z3.valid(&pool, pool.eq(g, same))), "{}", pool.infix(g));
}

#[test]
fn deep_formulas_do_not_recurse() {
    let pool = TermPool::new();
    let [i, x] = ["i", "x"].map(|n| pool.var(n, Sort::Int));
    let mut f = pool.le(i, x);
    for k in 0..50_000 {
        let p = pool.var(&format!("p{}", k % 100), Sort::Bool);
        f = if k % 2 == 0 { pool.or2(p, f) } else { pool.and2(p, f) };
    }
    let g = forall(&pool, &[i], f).expect("one literal");
    assert!(!pool.free_vars(g).contains(&i));
}
