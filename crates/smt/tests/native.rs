//! The native solver on what can break: overflow, strictness, scopes, contradictory assumptions, limits.

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use palisade_smt::native::Options;
use palisade_smt::{Answer, Limits, NativeSolver, Solver, UnknownReason};
use palisade_term::{Integer, Rational, Sort, Term, TermPool, Value};

fn checked(pool: &TermPool) -> NativeSolver<'_> {
    NativeSolver::with_options(pool, Options { checked: true, ..Options::default() })
}

fn ints<const N: usize>(p: &TermPool) -> [Term; N] {
    std::array::from_fn(|i| p.var(&format!("x{i}"), Sort::Int))
}

#[track_caller]
fn core(answer: Answer) -> Vec<Term> {
    match answer {
        Answer::Unsat(core) => core,
        other => panic!("unsat expected, not {other:?}"),
    }
}

#[test]
fn core_has_only_what_is_needed_and_keeps_the_order() {
    let p = TermPool::new();
    let [x, y, z] = ints(&p);
    let mut s = checked(&p);
    s.assert(p.le(x, y));
    let a = [p.le(z, p.int(5)), p.le(y, p.int(1)), p.ge(z, p.int(0)), p.ge(x, p.int(2))];
    assert_eq!(core(s.check(&a)), [a[1], a[3]]);
}

#[test]
fn contradictory_and_false_assumptions() {
    let p = TermPool::new();
    let [x] = ints(&p);
    let b = p.var("b", Sort::Bool);
    let mut s = checked(&p);
    assert_eq!(core(s.check(&[b, p.not(b)])).len(), 2);
    assert_eq!(core(s.check(&[p.fls()])), [p.fls()]);
    assert_eq!(core(s.check(&[b, p.le(x, p.int(1)), p.gt(x, p.int(1))])).len(), 2);
    s.assert(p.not(b));
    assert_eq!(core(s.check(&[p.tru(), b])), [b]);
    // The same assumption twice is one literal.
    assert_eq!(core(s.check(&[b, b])), [b]);
    assert!(s.check(&[]).is_sat());
}

#[test]
fn an_unsatisfiable_base_has_an_empty_core() {
    let p = TermPool::new();
    let [x] = ints(&p);
    let mut s = checked(&p);
    s.push();
    s.assert(p.le(x, p.int(0)));
    s.assert(p.ge(x, p.int(1)));
    assert_eq!(core(s.check(&[p.le(x, p.int(3))])), []);
    s.pop(1);
    assert!(s.check(&[]).is_sat());
}

#[test]
fn strict_bounds_have_concrete_models() {
    let p = TermPool::new();
    let r: Vec<Term> = (0..4).map(|i| p.var(&format!("r{i}"), Sort::Real)).collect();
    let mut s = checked(&p);
    for w in r.windows(2) {
        s.assert(p.lt(w[0], w[1]));
    }
    let tiny = Rational::new(1.into(), Integer::from(10).pow(30));
    let Answer::Sat(m) =
        s.check(&[p.gt(r[0], p.real(Rational::from_integer(0.into()))), p.lt(r[3], p.real(tiny))])
    else {
        panic!("there is room between 0 and anything")
    };
    let v = |t: Term| p.eval(t, &m).as_rational().unwrap();
    assert!(v(r[0]) < v(r[1]) && v(r[1]) < v(r[2]) && v(r[2]) < v(r[3]));
    let zero = p.real(Rational::from_integer(0.into()));
    assert!(s.check(&[p.gt(r[0], zero), p.le(r[3], zero)]).is_unsat());
}

#[test]
fn numbers_beyond_machine_words() {
    let p = TermPool::new();
    let [x, y] = ints(&p);
    let big = Integer::from(i64::MAX);
    let mut s = checked(&p);
    s.assert(
        p.eq(p.scale(&Rational::from_integer(big.clone()), x), p.scale(&Rational::from_integer(&big - 1), y)),
    );
    s.assert(p.gt(x, p.int(0)));
    let Answer::Sat(m) = s.check(&[]) else { panic!("x = MAX - 1, y = MAX") };
    assert!(p.eval(y, &m).as_int() >= &big);
    assert!(s.check(&[p.lt(y, p.int(big))]).is_unsat());
}

#[test]
fn integers_between_neighbours() {
    let p = TermPool::new();
    let [x, y] = ints(&p);
    let mut s = checked(&p);
    let k = |n: i64, t: Term| p.scale(&Rational::from_integer(n.into()), t);
    // 3x + 6y is a multiple of 3.
    let sum = p.add2(k(3, x), k(6, y));
    assert!(s.check(&[p.ge(sum, p.int(1)), p.le(sum, p.int(2))]).is_unsat());
    // 2x = 2y + 1 has no solution, also when it comes in two halves.
    let odd = p.sub(k(4, x), k(6, y));
    assert!(s.check(&[p.le(odd, p.int(1)), p.ge(odd, p.int(1))]).is_unsat());
    // A thin wedge without integer points, unbounded.
    let wedge = [p.lt(k(7, x), p.add2(k(11, y), p.int(1))), p.gt(k(7, x), k(11, y))];
    assert!(s.check(&wedge).is_unsat());
}

#[test]
fn pop_forgets_what_was_learned_inside() {
    let p = TermPool::new();
    let [x, y] = ints(&p);
    let b: Vec<Term> = (0..6).map(|i| p.var(&format!("b{i}"), Sort::Bool)).collect();
    let mut s = checked(&p);
    s.assert(p.or([b[0], b[1], p.le(x, y)]));
    for round in 0..50 {
        s.push();
        s.assert(p.or([p.not(b[round % 6]), p.gt(x, y)]));
        s.assert(p.ge(y, p.int(round as i64)));
        s.assert(p.le(x, p.int(0)));
        s.check(&[b[round % 6]]);
        s.pop(1);
        assert!(s.check(&[p.lt(x, y), p.eq(y, p.int(-3))]).is_sat(), "round {round}");
    }
}

#[test]
fn thousands_of_scopes() {
    let p = TermPool::new();
    let [x] = ints(&p);
    let mut s = checked(&p);
    for i in 0..3000 {
        s.push();
        if i % 10 == 0 {
            s.assert(p.ge(x, p.int(i)));
        }
    }
    assert!(s.check(&[p.le(x, p.int(2989))]).is_unsat());
    s.pop(2000);
    assert!(s.check(&[p.le(x, p.int(990))]).is_sat());
    assert!(s.check(&[p.le(x, p.int(989))]).is_unsat());
    s.pop(1000);
    assert!(s.check(&[p.le(x, p.int(-1))]).is_sat());
}

#[test]
fn temporary_formulas_leave_no_trace() {
    let p = TermPool::new();
    let [x, y] = ints(&p);
    let mut s = checked(&p);
    s.assert(p.le(p.int(0), x));
    for i in 0..200 {
        let t = p.or([p.lt(x, p.int(0)), p.eq(y, p.int(i))]);
        assert!(s.check_with(&[t], &[p.eq(y, p.int(i + 1))]).is_unsat());
        assert!(s.check(&[p.eq(y, p.int(i + 1))]).is_sat());
    }
}

#[test]
fn deep_formulas_do_not_recurse() {
    let p = TermPool::new();
    let [x] = ints(&p);
    let b = p.var("b", Sort::Bool);
    let mut t = x;
    let mut f = b;
    for i in 0..20_000 {
        t = p.ite(p.eq(f, p.le(t, p.int(i))), p.add2(t, p.int(1)), p.int(i));
        f = p.or([p.and([f, p.le(x, p.int(i))]), p.not(f)]);
    }
    let mut s = NativeSolver::new(&p);
    s.set_limits(Limits { steps: Some(1), interrupt: None });
    s.assert(p.le(t, p.int(3)));
    s.assert(f);
    let _ = s.check(&[]);
}

#[test]
fn limits_and_interrupts_give_unknown() {
    let p = TermPool::new();
    // A pigeonhole formula with arithmetic on top: hard for any small budget.
    let holes = 9;
    let pigeons: Vec<Term> = (0..=holes).map(|i| p.var(&format!("p{i}"), Sort::Int)).collect();
    let mut s = NativeSolver::new(&p);
    for &x in &pigeons {
        s.assert(p.or((0..holes).map(|h| p.eq(x, p.int(h)))));
    }
    s.assert(p.distinct(&pigeons));
    s.set_limits(Limits { steps: Some(200), interrupt: None });
    assert!(matches!(s.check(&[]), Answer::Unknown(UnknownReason::Limit)));
    let flag = Arc::new(AtomicBool::new(true));
    s.set_limits(Limits { steps: None, interrupt: Some(flag) });
    assert!(matches!(s.check(&[]), Answer::Unknown(UnknownReason::Interrupted)));
    // An unknown answer does no harm to what follows.
    s.set_limits(Limits::default());
    assert!(s.check(&[p.eq(pigeons[0], p.int(holes))]).is_unsat());
}

#[test]
fn the_same_queries_give_the_same_answers() {
    let play = || {
        let p = TermPool::new();
        let commands = common::script(&p, common::Logic::Lia, 77, 60);
        let mut s = NativeSolver::new(&p);
        let mut out = Vec::new();
        for c in commands {
            match c {
                common::Command::Push => s.push(),
                common::Command::Pop => s.pop(1),
                common::Command::Assert(t) => s.assert(t),
                common::Command::Check { temporary, assumptions } => {
                    match s.check_with(&temporary, &assumptions) {
                        Answer::Sat(m) => out.push(format!("{:?}", m.sorted())),
                        Answer::Unsat(c) => out.push(format!("{c:?}")),
                        Answer::Unknown(_) => out.push("unknown".into()),
                    }
                }
            }
        }
        (out, s.stats())
    };
    assert_eq!(play(), play());
}

#[test]
fn products_are_decided_where_bounds_allow() {
    let p = TermPool::new();
    let [x, y, z] = ints(&p);
    let mut s = checked(&p);
    let range = |t: Term, a: i64, b: i64| p.and([p.ge(t, p.int(a)), p.le(t, p.int(b))]);
    s.assert(range(x, 2, 12));
    s.assert(range(y, 2, 12));
    let Answer::Sat(m) = s.check(&[p.eq(p.mul(x, y), p.int(77))]) else { panic!("7 * 11") };
    assert_eq!(*p.eval(p.mul(x, y), &m).as_int(), 77.into());
    assert!(s.check(&[p.eq(p.mul(x, y), p.int(13))]).is_unsat(), "13 is prime");
    assert!(s.check(&[p.lt(p.mul(z, z), p.int(0))]).is_unsat(), "squares are not negative");
    assert!(s.check(&[p.eq(p.int_div(x, y), p.int(7))]).is_unsat());
    assert!(s.check(&[p.eq(p.int_mod(x, y), p.int(5)), p.eq(y, p.int(6))]).is_sat());
}

#[test]
fn arrays_read_what_was_written() {
    let p = TermPool::new();
    let sort = Sort::array(Sort::Int, Sort::Int);
    let (a, b) = (p.var("a", sort.clone()), p.var("b", sort.clone()));
    let [i, j] = ints(&p);
    let mut s = checked(&p);
    let w = p.store(a, i, p.int(7));
    assert!(s.check(&[p.eq(i, j), p.not(p.eq(p.select(w, j), p.int(7)))]).is_unsat());
    let Answer::Sat(m) = s.check(&[p.eq(b, w), p.not(p.eq(p.select(b, j), p.int(7)))]) else {
        panic!("i and j differ")
    };
    assert!(p.holds(p.eq(b, w), &m) && !p.holds(p.eq(i, j), &m));
    assert!(s.check(&[p.eq(b, w), p.eq(i, j), p.not(p.eq(p.select(b, j), p.int(7)))]).is_unsat());
    // Swapping twice is the identity.
    let swap = |t: Term| p.store(p.store(t, i, p.select(t, j)), j, p.select(t, i));
    assert!(s.check(&[p.not(p.eq(swap(swap(a)), a))]).is_unsat());
    // Constant arrays differ where nothing is written.
    let k = |n: i64| p.const_array(&sort, p.int(n));
    assert!(s.check(&[p.eq(p.store(k(0), i, p.int(3)), p.store(k(1), j, p.int(4)))]).is_unsat());
    let Answer::Sat(m) = s.check(&[p.eq(a, p.store(k(5), i, p.int(3)))]) else {
        panic!("a is nearly constant")
    };
    let Value::Array(v) = p.eval(a, &m) else { panic!("an array") };
    assert_eq!(v.default, Value::Int(5.into()));
}

#[test]
fn every_bit_vector_operator_agrees_with_evaluation() {
    let p = TermPool::new();
    type Op = fn(&TermPool, Term, Term) -> Term;
    let ops: [(&str, Op); 16] = [
        ("and", TermPool::bv_and),
        ("or", TermPool::bv_or),
        ("xor", TermPool::bv_xor),
        ("add", TermPool::bv_add),
        ("sub", TermPool::bv_sub),
        ("mul", TermPool::bv_mul),
        ("udiv", TermPool::bv_udiv),
        ("urem", TermPool::bv_urem),
        ("sdiv", TermPool::bv_sdiv),
        ("srem", TermPool::bv_srem),
        ("smod", TermPool::bv_smod),
        ("shl", TermPool::bv_shl),
        ("lshr", TermPool::bv_lshr),
        ("ashr", TermPool::bv_ashr),
        ("concat", |p, a, b| p.extract(4, 2, p.concat(a, b))),
        ("extend", |p, a, b| p.extract(4, 2, p.bv_add(p.sign_extend(3, a), p.zero_extend(3, b)))),
    ];
    let w = 3;
    let (x, y) = (p.var("x", Sort::BitVec(w)), p.var("y", Sort::BitVec(w)));
    let mut s = checked(&p);
    for (name, op) in ops {
        let t = op(&p, x, y);
        let unfolded = p.eq(t, p.var("z", p.sort(t).clone()));
        for a in 0..1u64 << w {
            for b in 0..1u64 << w {
                let (ca, cb) = (p.bitvec(a, w), p.bitvec(b, w));
                let expected = op(&p, ca, cb); // folded by evaluation
                let at = [p.eq(x, ca), p.eq(y, cb), unfolded];
                let z = p.var("z", p.sort(t).clone());
                let mut good = at.to_vec();
                good.push(p.eq(z, expected));
                assert!(s.check(&good).is_sat(), "{name} {a} {b}");
                let mut bad = at.to_vec();
                bad.push(p.not(p.eq(z, expected)));
                assert!(s.check(&bad).is_unsat(), "{name} {a} {b}");
            }
        }
    }
}

#[test]
fn held_back_clauses_count_only_under_their_guard() {
    let p = TermPool::new();
    let [x, y] = ints(&p);
    let act: Vec<Term> = (0..20).map(|i| p.var(&format!("act{i}"), Sort::Bool)).collect();
    for hold_back in [true, false] {
        let mut s =
            NativeSolver::with_options(&p, Options { checked: true, hold_back, ..Options::default() });
        for (i, &a) in act.iter().enumerate() {
            let i = i as i64;
            s.assert(p.or([p.not(a), p.gt(x, p.int(i)), p.gt(y, p.int(10))]));
            s.assert(p.or([p.not(a), p.lt(x, p.int(i + 30)), p.lt(y, p.int(-10))]));
        }
        assert!(s.check(&[p.eq(x, p.int(5)), p.eq(y, p.int(0))]).is_sat());
        assert!(s.check(&[act[3], p.eq(x, p.int(5)), p.eq(y, p.int(0))]).is_sat());
        let answer = s.check(&[act[3], act[7], act[19], p.eq(x, p.int(18)), p.eq(y, p.int(0))]);
        assert_eq!(core(answer), [act[19], p.eq(x, p.int(18)), p.eq(y, p.int(0))]);
        s.push();
        s.assert(p.or([p.lt(x, p.int(0)), p.gt(x, p.int(100))]));
        assert!(s.check(&[act[0], p.le(y, p.int(0)), p.ge(y, p.int(0))]).is_unsat());
        s.pop(1);
        assert!(s.check(&[act[0], p.le(y, p.int(0)), p.ge(y, p.int(0))]).is_sat());
    }
}

#[test]
fn variables_given_away_by_equalities_stay_in_models_and_cores() {
    let p = TermPool::new();
    let [x, y, z] = ints(&p);
    let (b, c) = (p.var("b", Sort::Bool), p.var("c", Sort::Bool));
    let mut s = checked(&p);
    // z is fresh, then y (in terms of x), then c; the model is evaluated on all of it.
    s.assert(p.and([p.eq(z, p.int(7)), p.eq(y, p.add2(p.scale(&Rational::from_integer(2.into()), x), z))]));
    s.assert(p.not(p.eq(b, c)));
    let Answer::Sat(model) = s.check(&[p.ge(y, p.int(10)), c]) else { panic!("satisfiable") };
    assert_eq!(model.get(z), Some(&Value::Int(7.into())));
    assert_eq!(model.get(c), Some(&Value::Bool(true)));
    assert_ne!(model.get(b), Some(&Value::Bool(true)));
    // y is odd, and what is assumed about it comes back in its own words.
    let a = [p.ge(z, p.int(0)), p.eq(y, p.int(10))];
    assert_eq!(core(s.check(&a)), [a[1]]);
    assert_eq!(core(s.check(&[b, p.le(x, p.int(3)), c])), [b, c]);
    // An equality in a scope is gone with it.
    let w = p.var("w", Sort::Int);
    s.push();
    s.assert(p.eq(w, p.add2(x, p.int(1))));
    assert!(s.check(&[p.gt(x, w)]).is_unsat());
    s.pop(1);
    assert!(s.check(&[p.gt(x, w)]).is_sat());
    // A variable that was mentioned keeps its constraints.
    s.assert(p.ge(w, p.int(5)));
    s.assert(p.eq(w, x));
    assert!(s.check(&[p.le(y, p.int(16))]).is_unsat());
    assert!(s.check(&[p.le(y, p.int(17))]).is_sat());
}

#[test]
fn equalities_without_integer_solutions_are_not_solved() {
    let p = TermPool::new();
    let [x, y] = ints(&p);
    let two = |t| p.scale(&Rational::from_integer(2.into()), t);
    let mut s = checked(&p);
    s.assert(p.eq(two(x), p.add2(two(y), p.int(1))));
    assert!(s.check(&[]).is_unsat());
    let mut s = checked(&p);
    s.assert(p.eq(two(x), p.add2(y, p.int(1))));
    assert!(s.check(&[p.eq(y, p.int(3))]).is_sat());
    assert!(s.check(&[p.eq(y, p.int(4))]).is_unsat());
}

/// A case split `x <= k` is a literal of its query only. A lemma about the product `x * y` is for good, and
/// may well be about `x <= k`: it must not take the literal of the split, which later stands for something
/// else.
#[test]
fn lemmas_about_products_do_not_use_the_literals_of_case_splits() {
    let splits_only = Options { cuts: false, equations: false, ..Options::default() };
    for (a, b, c) in (2..5).flat_map(|a| (2..6).flat_map(move |b| (3..6).map(move |c| (a, b, c)))) {
        let p = TermPool::new();
        let [x, y, z] = ints(&p);
        let mut s = NativeSolver::with_options(&p, splits_only.clone());
        s.set_limits(Limits { steps: Some(2_000), interrupt: None });
        let scaled = |k: i64, t: Term| p.scale(&Rational::from_integer(k.into()), t);
        let sum = p.sub(scaled(a, x), scaled(b, y));
        let product = p.mul(x, y);
        s.check(&[
            p.ge(sum, p.int(1)),
            p.le(sum, p.int(c)),
            p.ge(product, p.int(20)),
            p.le(product, p.int(23)),
        ]);
        for (var, k) in [x, y].into_iter().flat_map(|v| (-6..7).map(move |k| (v, k))) {
            for side in [p.le(var, p.int(k)), p.gt(var, p.int(k))] {
                let assumptions = [side, p.ge(z, p.int(100))];
                let Answer::Sat(model) = s.check(&assumptions) else {
                    panic!("{a}, {b}, {c}: {} can be true", p.infix(side));
                };
                assert!(assumptions.iter().all(|&t| p.holds(t, &model)), "{a}, {b}, {c}: {}", p.infix(side));
            }
        }
    }
}

/// A strict bound on a sum of integers and rationals leaves an integer variable with an infinitesimal part,
/// if simplex so chooses. No split helps then; moving a rational variable does.
#[test]
fn rationals_take_up_the_fractions_of_integers() {
    let p = TermPool::new();
    let [i, j, k] = ints(&p);
    let [r, s, t] = ["r", "s", "t"].map(|n| p.var(n, Sort::Real));
    let mut solver = checked(&p);
    solver.set_limits(Limits { steps: Some(500), interrupt: None });
    let four = Rational::from_integer((-4).into());
    let floor = p.to_int(p.scale(&four, r));
    solver.assert(p.distinct(&[p.add([i, floor, p.int(2)]), p.add2(p.scale(&four, j), k)]));
    solver.assert(p.lt(p.add([s, t, p.to_real(i)]), p.to_real(k)));
    assert!(solver.check(&[]).is_sat());
}

/// Integers that only come from bits, or only go there, cost no arithmetic: the conversion commutes with
/// sums.
#[test]
fn conversions_between_bits_and_integers_are_cheap() {
    let p = TermPool::new();
    let [x, y] = ints(&p);
    let [v, w] = ["v", "w"].map(|n| p.var(n, Sort::BitVec(16)));
    let mut solver = checked(&p);
    solver.set_limits(Limits { steps: Some(2_000), interrupt: None });
    let sum = p.sub(x, p.scale(&Rational::from_integer(7.into()), y));
    let back = p.int_to_bv(16, p.add2(p.bv_to_int(v), p.bv_to_int(w)));
    solver.assert(p.bv_ult(p.int_to_bv(16, sum), back));
    solver.assert(p.not(p.eq(p.bv_sub(back, w), p.bitvec(3, 16))));
    assert!(solver.check(&[p.bv_ult(p.bitvec(77, 16), p.int_to_bv(16, x))]).is_sat());
    assert_eq!(core(solver.check(&[p.eq(v, p.bitvec(3, 16))])).len(), 1);
}
