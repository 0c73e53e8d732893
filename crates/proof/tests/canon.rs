//! What the checker rewrites must mean the same: canonical forms, definitions and circuits against the
//! evaluator of terms.

use palisade_fuzzing::Random;
use palisade_proof::{Canon, circuit};
use palisade_term::{Assignment, Integer, Op, Rational, Sort, Term, TermPool, Value};

#[test]
fn circuits_compute_what_terms_mean() {
    let p = TermPool::new();
    let binary: [fn(&TermPool, Term, Term) -> Term; 15] = [
        TermPool::bv_and,
        TermPool::bv_or,
        TermPool::bv_xor,
        TermPool::bv_add,
        TermPool::bv_sub,
        TermPool::bv_mul,
        TermPool::bv_udiv,
        TermPool::bv_urem,
        TermPool::bv_sdiv,
        TermPool::bv_srem,
        TermPool::bv_smod,
        TermPool::bv_shl,
        TermPool::bv_lshr,
        TermPool::bv_ashr,
        TermPool::concat,
    ];
    let compare: [fn(&TermPool, Term, Term) -> Term; 5] =
        [TermPool::bv_ule, TermPool::bv_ult, TermPool::bv_sle, TermPool::bv_slt, TermPool::eq];
    for w in 1..=4 {
        let (x, y) = (p.var(&format!("x{w}"), Sort::BitVec(w)), p.var(&format!("y{w}"), Sort::BitVec(w)));
        let mut words: Vec<Term> = binary.iter().map(|f| f(&p, x, y)).collect();
        words.extend([
            p.bv_neg(x),
            p.bv_not(y),
            p.zero_extend(2, x),
            p.sign_extend(3, y),
            p.extract(w - 1, 0, x),
        ]);
        for c in 0..1 << w {
            words.push(p.bv_mul(x, p.bitvec(c, w)));
            words.push(p.bv_udiv(x, p.bitvec(c, w)));
            words.push(p.bv_shl(p.bitvec(c, w), y));
        }
        let facts: Vec<Term> = compare.iter().map(|f| f(&p, x, y)).collect();
        let mut canon = Canon::new(&p);
        for a in 0..1u32 << w {
            for b in 0..1u32 << w {
                let mut m = Assignment::new();
                m.set(x, Value::BitVec(w, a.into()));
                m.set(y, Value::BitVec(w, b.into()));
                for &t in &words {
                    let Value::BitVec(_, expected) = p.eval(t, &m) else { panic!("a bit-vector") };
                    let bits = canon.bits(t).to_vec();
                    for (i, bit) in bits.into_iter().enumerate() {
                        let got = p.eval(bit, &m).as_bool();
                        assert_eq!(got, expected.bit(i as u64), "bit {i} of {} at {a}, {b}", p.infix(t));
                    }
                }
                for &f in &facts {
                    let c = canon.formula(f);
                    assert_eq!(p.eval(c, &m), p.eval(f, &m), "{} at {a}, {b}", p.infix(f));
                }
            }
        }
    }
    assert_eq!(circuit::apply(&p, &Op::Add, &[&[p.tru()]]), None);
}

/// Random arithmetic terms: integers first, rationals second.
fn arithmetic(
    p: &TermPool,
    rng: &mut Random,
    ints: &mut Vec<Term>,
    reals: &mut Vec<Term>,
    bools: &mut Vec<Term>,
) {
    let k = p.int(rng.below(7) as i64 - 3);
    let (a, b) = (rng.pick(ints), rng.pick(ints));
    let c = rng.pick(bools);
    match rng.below(12) {
        0 => ints.push(p.add2(a, b)),
        1 => ints.push(p.sub(a, p.mul(k, b))),
        2 => ints.push(p.int_div(a, k)),
        3 => ints.push(p.int_mod(a, k)),
        4 => ints.push(p.int_div(a, b)),
        5 => ints.push(p.int_mod(a, b)),
        6 => ints.push(p.ite(c, a, b)),
        7 => ints.push(p.ite(c, k, p.int(1))),
        8 => {
            reals.push(p.to_real(a));
            let r = rng.pick(reals);
            ints.push(p.to_int(r));
        }
        9 => {
            let (r, s) = (rng.pick(reals), rng.pick(reals));
            reals.push(p.add2(r, p.scale(&Rational::new(Integer::from(1), Integer::from(2)), s)));
            reals.push(p.div(r, s));
        }
        10 => ints.push(p.bv_to_int(p.int_to_bv(3, a))),
        _ => ints.push(p.abs(a)),
    }
    let (a, b) = (rng.pick(ints), rng.pick(ints));
    let (r, s) = (rng.pick(reals), rng.pick(reals));
    bools.push(match rng.below(5) {
        0 => p.le(a, b),
        1 => p.eq(a, b),
        2 => p.lt(r, s),
        3 => p.eq(r, s),
        _ => p.ge(p.to_real(a), r),
    });
    let (f, g, h) = (rng.pick(bools), rng.pick(bools), rng.pick(bools));
    bools.push(match rng.below(5) {
        0 => p.and([f, g, h]),
        1 => p.or([f, p.not(g), h]),
        2 => p.eq(f, g),
        3 => p.ite(f, g, h),
        _ => p.not(f),
    });
}

#[test]
fn canonical_forms_and_definitions_hold() {
    let mut rng = Random::new(1);
    for _ in 0..300 {
        let p = TermPool::new();
        let mut ints: Vec<Term> = ["x", "y", "z"].iter().map(|n| p.var(n, Sort::Int)).collect();
        let mut reals: Vec<Term> = ["r", "s"].iter().map(|n| p.var(n, Sort::Real)).collect();
        let mut bools = vec![p.var("b", Sort::Bool)];
        for _ in 0..8 {
            arithmetic(&p, &mut rng, &mut ints, &mut reals, &mut bools);
        }
        let mut canon = Canon::new(&p);
        let forms: Vec<(Term, Term)> = bools.iter().map(|&f| (f, canon.formula(f))).collect();
        let mut definitions = Vec::new();
        for &(_, c) in &forms {
            let mut terms = Vec::new();
            p.visit([c], |t| terms.push(t));
            definitions.extend(terms.into_iter().filter_map(|t| Some((t, canon.definition(t)?))));
        }
        for _ in 0..10 {
            let mut m = Assignment::new();
            for &v in &ints[..3] {
                m.set(v, Value::Int((rng.below(9) as i64 - 4).into()));
            }
            for &v in &reals[..2] {
                m.set(v, Value::Real(Rational::new((rng.below(17) as i64 - 8).into(), 2.into())));
            }
            m.set(bools[0], Value::Bool(rng.below(2) == 0));
            for &(f, c) in &forms {
                assert_eq!(p.eval(f, &m), p.eval(c, &m), "{} and {}", p.infix(f), p.infix(c));
            }
            for &(t, d) in &definitions {
                assert!(p.eval(d, &m).as_bool(), "{} of {}", p.infix(d), p.infix(t));
            }
        }
    }
}
