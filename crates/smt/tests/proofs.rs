//! Every refutation of the native solver has a proof that the checker accepts, and a proof that was tampered
//! with does not pass for one of something else.

mod common;

use common::{Command, Gen, Logic, Oracle, Random, Verdict, script};
use palisade_proof::{ArrayFact, Hop, Lit, Meaning, ProductKind, Proof, Rule, Source, Step};
use palisade_smt::native::{NativeSolver, Options, Refutation};
use palisade_smt::{Answer, Limits, Solver};
use palisade_term::{Integer, Rational, Sort, Term, TermPool};

fn proving(pool: &TermPool) -> NativeSolver<'_> {
    let mut s = NativeSolver::with_options(pool, Options { proofs: true, ..Options::default() });
    s.set_limits(Limits { steps: Some(20_000), interrupt: None });
    s
}

fn refute(pool: &TermPool, formulas: &[Term], assumptions: &[Term]) -> Refutation {
    let mut s = proving(pool);
    for &f in formulas {
        s.assert(f);
    }
    assert!(s.check(assumptions).is_unsat());
    let r = s.last_refutation().expect("a refutation").expect("a complete proof").clone();
    r.check(pool).expect("the checker accepts");
    r
}

/// Plays random scripts; every `Unsat` must come with a proof that is accepted.
fn scripts(logic: Logic, seeds: std::ops::Range<u64>, at_least: u64) {
    let mut refuted = 0;
    for seed in palisade_fuzzing::seeds(seeds) {
        let pool = TermPool::new();
        let mut s = proving(&pool);
        let mut open = 0;
        for command in script(&pool, logic, seed, 40) {
            match command {
                Command::Push => {
                    s.push();
                    open += 1;
                }
                Command::Pop => {
                    if open > 0 {
                        s.pop(1);
                        open -= 1;
                    }
                }
                Command::Assert(t) => s.assert(t),
                Command::Check { temporary, assumptions } => {
                    if s.check_with(&temporary, &assumptions).is_unsat() {
                        let r = s.last_refutation().expect("proofs are on");
                        let r = r.unwrap_or_else(|why| panic!("{logic:?}, seed {seed}: {why}"));
                        if let Err(e) = r.check(&pool) {
                            panic!("{logic:?}, seed {seed}: {e}: {}", describe(&pool, &r.proof, e.step));
                        }
                        refuted += 1;
                    } else {
                        assert!(s.last_refutation().is_none());
                    }
                }
            }
        }
    }
    assert!(refuted >= at_least, "{logic:?}: only {refuted} refutations");
}

fn describe(pool: &TermPool, proof: &Proof, step: usize) -> String {
    let Some(s) = proof.steps.get(step) else { return "the end".into() };
    // Circuits are large as trees.
    let show = |t: Term| if pool.dag_size(t) < 60 { pool.infix(t).to_string() } else { format!("{t:?}") };
    let clause: Vec<String> = s.clause.iter().map(|&l| show(proof.term(pool, l))).collect();
    let premise = match &s.rule {
        Rule::Input { conjunct, .. } => show(*conjunct),
        Rule::Definition(t) => show(*t),
        _ => String::new(),
    };
    format!("{} from {:?} {premise}", clause.join(" | "), s.rule)
}

#[test]
fn booleans() {
    scripts(Logic::Bool, 0..40, 60);
}

#[test]
fn integers() {
    scripts(Logic::Lia, 0..40, 60);
    scripts(Logic::Idl, 0..40, 60);
    scripts(Logic::Huge, 0..40, 50);
}

#[test]
fn rationals() {
    scripts(Logic::Lra, 0..40, 60);
    scripts(Logic::Lira, 0..40, 60);
}

#[test]
fn division() {
    scripts(Logic::DivMod, 0..40, 60);
}

#[test]
fn bit_vectors() {
    scripts(Logic::Bv, 0..40, 60);
}

#[test]
fn conversions() {
    scripts(Logic::Convert, 0..6, 10);
}

#[test]
fn arrays() {
    scripts(Logic::Arrays, 0..12, 20);
    scripts(Logic::BvArrays, 0..12, 20);
}

#[test]
fn products() {
    scripts(Logic::Nonlinear, 0..12, 20);
}

#[test]
fn certified_answers() {
    let pool = TermPool::new();
    let mut s = NativeSolver::with_options(&pool, Options { certified: true, ..Options::default() });
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    s.assert(pool.le(x, y));
    assert!(s.check(&[]).is_sat());
    let low = pool.lt(y, x);
    match s.check(&[pool.le(x, pool.int(3)), low]) {
        Answer::Unsat(core) => assert_eq!(core, [low]),
        other => panic!("{other:?}"),
    }
    // The proof refutes what was asserted together with the core, no more.
    let r = s.last_refutation().expect("a refutation").expect("complete");
    assert_eq!(r.formulas, [pool.le(x, y), low]);
}

#[test]
fn parity_needs_rounding() {
    let pool = TermPool::new();
    let (x, y, z) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int), pool.var("z", Sort::Int));
    let two = |t| pool.scale(&Rational::from_integer(Integer::from(2)), t);
    let odd = pool.eq(x, pool.add2(two(z), pool.int(1)));
    let r = refute(&pool, &[pool.eq(x, two(y)), odd], &[]);
    assert!(
        r.proof.steps.iter().any(|s| matches!(&s.rule, Rule::Sums(sums) if sums.iter().any(|s| s.round)))
    );
}

/// Where a divisor is a choice between constants, its sign is a choice between truth values.
#[test]
fn divisors_that_are_choices() {
    for (a, b) in [(3, 2), (-3, 2), (0, 5), (1, 0), (-4, -7)] {
        let p = TermPool::new();
        let x = p.var("x", Sort::Int);
        let divisor = p.ite(p.gt(x, p.int(5)), p.int(a), p.int(b));
        let (quotient, rest) = (p.int_div(x, divisor), p.int_mod(x, divisor));
        let bound = if a == 0 || b == 0 { 5 } else { 6 };
        let in_range = p.and([p.ge(rest, p.int(0)), p.le(rest, p.int(bound))]);
        let defined = p.not(p.eq(divisor, p.int(0)));
        refute(&p, &[defined, p.not(in_range)], &[]);
        let back = p.eq(p.add2(p.mul(divisor, quotient), rest), x);
        refute(&p, &[p.ge(x, p.int(-40)), p.le(x, p.int(40)), p.not(back)], &[]);
    }
}

#[test]
fn assumptions_that_contradict_each_other() {
    let pool = TermPool::new();
    let b = pool.var("b", Sort::Bool);
    refute(&pool, &[], &[b, pool.not(b)]);
    refute(&pool, &[], &[pool.fls()]);
    refute(&pool, &[pool.fls()], &[]);
}

// ---- tampering ---------------------------------------------------------------------------------

const TAMPERED: [Logic; 8] = [
    Logic::Bool,
    Logic::Lia,
    Logic::Lra,
    Logic::DivMod,
    Logic::Bv,
    Logic::Arrays,
    Logic::BvArrays,
    Logic::Nonlinear,
];

/// The terms that a fact mentions.
fn terms_of(rule: &Rule) -> Vec<Term> {
    match rule {
        Rule::Array(ArrayFact::Extensionality(t) | ArrayFact::Choice(t)) => vec![*t],
        Rule::Array(ArrayFact::Walk(w)) => {
            let ends = w.first.into_iter().chain(w.last).chain(w.at);
            w.hops.iter().map(|h| h.1).chain([w.start]).chain(ends).collect()
        }
        Rule::Product(f) => vec![f.x, f.y],
        _ => Vec::new(),
    }
}

/// Changes one thing in a fact about arrays or products.
fn tamper_fact(rule: &mut Rule, terms: &[Term], rng: &mut Random) {
    let other = *rng.one_of(terms);
    match rule {
        Rule::Array(ArrayFact::Extensionality(t) | ArrayFact::Choice(t)) => *t = other,
        Rule::Array(ArrayFact::Walk(w)) => match rng.below(7) {
            0 => w.start = other,
            1 => w.first = w.first.is_none().then_some(other),
            2 => w.last = w.last.is_none().then_some(other),
            3 => w.at = w.at.is_none().then_some(other),
            4 => w.at = Some(other),
            _ if w.hops.is_empty() => w.hops.push((Hop::Write, other)),
            n => {
                let i = rng.below(w.hops.len());
                match n {
                    5 => {
                        w.hops.remove(i);
                    }
                    _ if rng.one_in(2) => w.hops[i].1 = other,
                    _ => {
                        let hop = &mut w.hops[i].0;
                        *hop = if *hop == Hop::Write { Hop::Equality } else { Hop::Write };
                    }
                }
            }
        },
        Rule::Product(f) => match (&mut f.kind, rng.below(3)) {
            (_, 0) => f.x = other,
            (ProductKind::Signs { x_positive, .. }, _) => *x_positive = !*x_positive,
            (ProductKind::Plane { x_above, .. }, 1) => *x_above = !*x_above,
            (ProductKind::Plane { a, .. } | ProductKind::Tangent(a) | ProductKind::Fixed(a), _) => {
                *a += Rational::from_integer(Integer::from(1));
            }
            (ProductKind::Secant { high, .. }, _) => *high += Rational::from_integer(Integer::from(1)),
            (kind @ ProductKind::Zero, _) => {
                *kind = ProductKind::Fixed(Rational::from_integer(Integer::from(0)))
            }
        },
        _ => {}
    }
}

/// Changes one thing in a proof. `None` if there is nothing of the chosen kind at the chosen place.
fn tamper(proof: &Proof, rng: &mut Random) -> Option<Proof> {
    let mut out = proof.clone();
    let at = rng.below(out.steps.len());
    // Facts are rare among the steps; look for one.
    let facts: Vec<usize> = (0..proof.steps.len())
        .filter(|&i| matches!(proof.steps[i].rule, Rule::Array(_) | Rule::Product(_)))
        .collect();
    if !facts.is_empty() && rng.one_in(2) {
        let at = *rng.one_of(&facts);
        let terms: Vec<Term> = facts.iter().flat_map(|&i| terms_of(&proof.steps[i].rule)).collect();
        tamper_fact(&mut out.steps[at].rule, &terms, rng);
        return (out != *proof).then_some(out);
    }
    let step = &mut out.steps[at];
    match rng.below(6) {
        // Drop a literal.
        0 if !step.clause.is_empty() => {
            let i = rng.below(step.clause.len());
            let mut lits = step.clause.to_vec();
            lits.remove(i);
            step.clause = lits.into();
        }
        // Negate a literal.
        1 if !step.clause.is_empty() => {
            let i = rng.below(step.clause.len());
            step.clause[i] = !step.clause[i];
        }
        // Change a factor, or what it multiplies.
        2 | 3 => {
            let Rule::Sums(sums) = &mut step.rule else { return None };
            let sum = &mut sums[0];
            let i = rng.below(sum.terms.len());
            if rng.one_in(2) {
                sum.terms[i].1 += Rational::from_integer(Integer::from(rng.range(1, 3)));
            } else {
                let Source::Literal(l) = sum.terms[i].0 else { return None };
                sum.terms[i].0 = Source::Literal(Lit::new(l.var(), !l.is_positive()));
            }
        }
        // Replace, drop or swap antecedents.
        4 => {
            let Rule::Resolution(chain) = &mut step.rule else { return None };
            let i = rng.below(chain.len());
            match rng.below(3) {
                0 => chain[i] = rng.below(at.max(1)) as u32,
                1 => {
                    chain.remove(i);
                }
                _ => {
                    let j = rng.below(chain.len());
                    chain.swap(i, j);
                }
            }
        }
        // Claim another rule.
        5 => {
            let from = proof.steps[rng.below(proof.steps.len())].rule.clone();
            step.rule = from;
        }
        _ => return None,
    }
    (out != *proof).then_some(out)
}

/// Does the clause of the step really hold, given the formulas (for inputs) or the antecedents (for
/// resolvents)?
fn holds(pool: &TermPool, formulas: &[Term], proof: &Proof, step: &Step, oracle: &mut Oracle<'_>) -> bool {
    let mut question: Vec<Term> = step.clause.iter().map(|&l| proof.term(pool, !l)).collect();
    match &step.rule {
        Rule::Input { formula, .. } => question.push(formulas[*formula]),
        Rule::Resolution(chain) => {
            let clause =
                |i: &u32| pool.or(proof.steps[*i as usize].clause.iter().map(|&l| proof.term(pool, l)));
            question.extend(chain.iter().map(clause));
        }
        _ => {}
    }
    // What new variables mean; arrays agree everywhere if they do where they are said to differ.
    for d in &proof.definitions {
        question.push(match d.meaning {
            Meaning::Term(t) => pool.eq(d.var, t),
            Meaning::Difference(a, b) => {
                let agree = pool.eq(pool.select(a, d.var), pool.select(b, d.var));
                pool.or2(pool.eq(a, b), pool.not(agree))
            }
        });
    }
    question.push(pool.tru());
    oracle.conjunction(&question) != Verdict::Sat
}

#[test]
fn tampered_proofs_are_rejected_or_harmless() {
    let (mut rejected, mut harmless) = (0, 0);
    for (i, logic) in TAMPERED.into_iter().enumerate() {
        let pool = TermPool::new();
        let Some(mut oracle) = Oracle::start(&pool) else {
            eprintln!("skipped: z3 is not installed");
            return;
        };
        let mut rng = Random::new(i as u64 + 1);
        for seed in 0..8 {
            let Some(r) = random_refutation(&pool, logic, seed) else { continue };
            for _ in 0..60 {
                let Some(mutant) = tamper(&r.proof, &mut rng) else { continue };
                match palisade_proof::check(&pool, &r.formulas, &mutant) {
                    Err(_) => rejected += 1,
                    Ok(()) => {
                        harmless += 1;
                        for (a, b) in mutant.steps.iter().zip(&r.proof.steps).filter(|(a, b)| a != b) {
                            assert!(
                                holds(&pool, &r.formulas, &mutant, a, &mut oracle),
                                "{logic:?}, seed {seed}: {a:?} was accepted for {b:?}"
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(rejected > 500 && rejected > 4 * harmless, "{rejected} rejected, {harmless} harmless");
}

/// Asserts random formulas until they are unsatisfiable.
fn random_refutation(pool: &TermPool, logic: Logic, seed: u64) -> Option<Refutation> {
    let mut g = Gen::new(pool, logic, seed);
    let mut s = proving(pool);
    for _ in 0..20 {
        s.assert(g.formula(2));
        match s.check(&[]) {
            Answer::Sat(_) => {}
            Answer::Unsat(_) => return s.last_refutation()?.ok().cloned(),
            Answer::Unknown(_) => return None,
        }
    }
    None
}

/// Some bits of `x >> x` are constant as terms, where conjunctions merge, and not as literals of the solver.
/// The two must build the same product all the same.
#[test]
fn products_with_bits_that_only_terms_know() {
    for w in 2..=6 {
        let pool = TermPool::new();
        let (x, y) = (pool.var("x", Sort::BitVec(w)), pool.var("y", Sort::BitVec(w)));
        for factor in [x, y] {
            let product = pool.bv_mul(factor, pool.bv_lshr(x, x));
            refute(&pool, &[pool.bv_ult(pool.bitvec(0, w), product)], &[]);
        }
    }
}

/// The bit that a number of arithmetic is made of can itself be a constraint; its definition is still that of
/// the bit's number.
#[test]
fn digits_of_constraints() {
    let pool = TermPool::new();
    let (i, j) = (pool.var("i", Sort::Int), pool.var("j", Sort::Int));
    let small = pool.le(i, pool.int(3));
    let bits = pool.ite(small, pool.bitvec(1, 2), pool.bitvec(2, 2));
    let number = pool.bv_to_int(bits);
    refute(&pool, &[pool.eq(number, j), pool.le(j, pool.int(1)), pool.gt(i, pool.int(3))], &[]);
    refute(&pool, &[pool.eq(number, j), pool.ge(j, pool.int(2)), small], &[]);
    refute(&pool, &[pool.ge(pool.add2(number, number), pool.int(5))], &[]);
}

/// Bits that are constant as terms, or equal to others, and not as literals: the digits of numbers must be
/// those of the terms.
#[test]
fn digits_that_only_terms_know() {
    for w in 2..=8 {
        let pool = TermPool::new();
        let x = pool.var("x", Sort::BitVec(w));
        let zero = pool.bv_to_int(pool.bv_lshr(x, x));
        refute(&pool, &[pool.ge(zero, pool.int(1))], &[]);
        refute(&pool, &[pool.le(zero, pool.int(-2))], &[]);
        let (ones, most) = (pool.bitvec((1 << (w - 1)) - 1, w), pool.bitvec((1 << w) - 1, w));
        let (small, large) = (pool.bv_to_int(pool.bv_ashr(ones, x)), pool.bv_to_int(pool.bv_lshr(most, x)));
        refute(&pool, &[pool.ge(small, pool.add2(large, pool.int(1)))], &[]);
    }
}

#[test]
fn a_proof_does_not_refute_what_is_satisfiable() {
    let mut tried = 0;
    for (i, logic) in TAMPERED.into_iter().enumerate() {
        let pool = TermPool::new();
        let mut rng = Random::new(100 + i as u64);
        for seed in 0..12 {
            let Some(r) = random_refutation(&pool, logic, seed) else { continue };
            // All but the last formula are satisfiable.
            let mut fewer = r.formulas.clone();
            *fewer.last_mut().expect("not empty") = pool.tru();
            assert!(palisade_proof::check(&pool, &fewer, &r.proof).is_err(), "{logic:?}, seed {seed}");
            for _ in 0..40 {
                if let Some(mutant) = tamper(&r.proof, &mut rng) {
                    assert!(palisade_proof::check(&pool, &fewer, &mutant).is_err(), "{logic:?}, seed {seed}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 300, "only {tried} tried");
}
