//! Writing and reading again gives the same term; the text is linear in the term graph.

use palisade_smtlib::{Context, Tree, Writer, names};
use palisade_term::{Integer, Rational, Sort, Term, TermPool, Value, Version};
use proptest::prelude::*;

/// A recipe for a term: a stack program whose instructions take what they need from the stack, modulo its
/// size.
type Recipe = Vec<(u8, u8, u8, i16)>;

/// Builds terms of all sorts from a recipe; returns a formula.
fn build(pool: &TermPool, recipe: &Recipe) -> Term {
    let array = Sort::array(Sort::Int, Sort::Int);
    let odd = ["x", "x'", "x@3", "a b", "and", "|", "~", "$1", "", "ü"];
    let version = |k: i16| match k % 3 {
        0 => Version::Plain,
        1 => Version::Primed,
        _ => Version::Step(k.unsigned_abs().into()),
    };
    let var = |k: i16, sort: Sort| {
        pool.with_version(pool.var(odd[k.unsigned_abs() as usize % odd.len()], sort), version(k / 16))
    };
    let mut bools = vec![var(0, Sort::Bool), pool.var("b", Sort::Bool)];
    let mut ints = vec![var(1, Sort::Int), pool.var("i", Sort::Int)];
    let mut reals = vec![var(2, Sort::Real)];
    let mut bvs = vec![var(3, Sort::BitVec(8)), pool.bitvec(5, 8)];
    let mut arrays = vec![var(4, array.clone())];
    for &(op, a, b, k) in recipe {
        let pick = |from: &[Term], n: u8| from[from.len() - 1 - n as usize % from.len().min(8)];
        let (p, q) = (pick(&bools, a), pick(&bools, b));
        let (x, y) = (pick(&ints, a), pick(&ints, b));
        let (r, s) = (pick(&reals, a), pick(&reals, b));
        let (u, v) = (pick(&bvs, a), pick(&bvs, b));
        let m = pick(&arrays, a);
        match op % 46 {
            0 => bools.push(pool.not(p)),
            1 => bools.push(pool.and2(p, q)),
            2 => bools.push(pool.or2(p, q)),
            3 => bools.push(pool.eq(p, q)),
            4 => bools.push(pool.ite(p, q, bools[0])),
            5 => bools.push(pool.le(x, y)),
            6 => bools.push(pool.eq(x, y)),
            7 => bools.push(pool.lt(r, s)),
            8 => bools.push(pool.eq(r, s)),
            9 => bools.push(pool.bv_ule(u, v)),
            10 => bools.push(pool.bv_slt(u, v)),
            11 => bools.push(pool.eq(u, v)),
            12 => bools.push(pool.eq(m, pick(&arrays, b))),
            13 => ints.push(pool.int(k)),
            14 => ints.push(pool.add2(x, y)),
            15 => ints.push(pool.scale(&Rational::from_integer(k.into()), x)),
            16 => ints.push(pool.sub(x, y)),
            17 if pool.args(x).len() + pool.args(y).len() < 6 => ints.push(pool.mul(x, y)),
            18 => ints.push(pool.int_div(x, y)),
            19 => ints.push(pool.int_mod(x, y)),
            20 => ints.push(pool.int_div(x, pool.int(k))),
            21 => ints.push(pool.int_mod(x, pool.int(k))),
            22 => ints.push(pool.to_int(r)),
            23 => ints.push(pool.ite(p, x, y)),
            24 => ints.push(pool.bv_to_int(u)),
            25 => ints.push(pool.select(m, x)),
            26 => reals.push(pool.real(Rational::new(k.into(), (i32::from(b) + 1).into()))),
            27 => reals.push(pool.to_real(x)),
            28 => reals.push(pool.add2(r, s)),
            29 => reals.push(pool.div(r, s)),
            30 => reals.push(pool.ite(p, r, s)),
            31 => bvs.push(pool.bitvec(k, 8)),
            32 => bvs.push(pool.bv_add(u, v)),
            33 => bvs.push(pool.bv_mul(u, v)),
            34 => bvs.push(pool.bv_neg(u)),
            35 => bvs.push(pool.bv_udiv(u, v)),
            36 => bvs.push(pool.bv_smod(u, v)),
            37 => bvs.push(pool.extract(9, 2, pool.concat(u, v))),
            38 => bvs.push(pool.extract(7, 0, pool.sign_extend(3, pool.bv_xor(u, v)))),
            39 => bvs.push(pool.bv_ashr(u, v)),
            40 => bvs.push(pool.int_to_bv(8, x)),
            41 => arrays.push(pool.store(m, x, y)),
            42 => arrays.push(pool.const_array(&array, x)),
            43 => bools.push(var(k, Sort::Bool)),
            44 => ints.push(var(k, Sort::Int)),
            45 => bvs.push(pool.ite(p, u, v)),
            _ => reals.push(var(k, Sort::Real)),
        }
    }
    // Everything takes part in the result.
    let mut parts: Vec<Term> = bools.clone();
    parts.extend(ints.windows(2).map(|w| pool.le(w[0], w[1])));
    parts.extend(reals.windows(2).map(|w| pool.le(w[0], w[1])));
    parts.extend(bvs.windows(2).map(|w| pool.bv_ule(w[0], w[1])));
    parts.extend(arrays.windows(2).map(|w| pool.eq(w[0], w[1])));
    let chunks: Vec<Term> = parts.chunks(3).map(|c| pool.or(c.iter().copied())).collect();
    pool.and(chunks)
}

/// Writes a term and reads it back, its variables by the names they were given.
fn read_back(pool: &TermPool, t: Term) -> Term {
    let mut writer = Writer::new(pool);
    let text = writer.term(t);
    let declarations: String = pool.free_vars(t).into_iter().map(|v| writer.declare(v) + "\n").collect();
    let all = format!("{declarations}{text}");
    let tree = Tree::parse(&all).expect("well-formed");
    let mut context = Context::new(pool);
    let mut result = None;
    for s in tree.roots() {
        if let Some([_, name, _, sort]) = s.form("declare-fun").and_then(|items| items.exactly()) {
            let sort = context.sort(sort).expect("a sort");
            let (text, version) = names::decode(name.text()).expect("an encoded name");
            let var = pool.with_version(pool.var(&text, sort), version);
            context.define(name, var).expect("a new name");
        } else {
            result = Some(context.term(s).unwrap_or_else(|e| panic!("{e}\n{all}")));
        }
    }
    result.expect("a term")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn terms(recipe in prop::collection::vec(any::<(u8, u8, u8, i16)>(), 1..60)) {
        let pool = TermPool::new();
        let t = build(&pool, &recipe);
        let back = read_back(&pool, t);
        prop_assert_eq!(back, t, "{} became {}", pool.infix(t), pool.infix(back));
    }

    #[test]
    fn numbers(n in any::<i64>(), d in 1..i64::MAX, w in 1..80u32) {
        let pool = TermPool::new();
        for t in [pool.int(n), pool.real(Rational::new(n.into(), d.into())), pool.bitvec(n, w)] {
            prop_assert_eq!(read_back(&pool, t), t);
        }
    }
}

#[test]
fn values() {
    let pool = TermPool::new();
    let sort = Sort::array(Sort::Int, Sort::array(Sort::BitVec(3), Sort::Real));
    let Value::Array(mut a) = Value::default_of(&sort) else { unreachable!() };
    let Value::Array(mut inner) = a.default.clone() else { unreachable!() };
    inner.set(Value::BitVec(3, Integer::from(5)), Value::Real(Rational::new((-1).into(), 2.into())));
    a.set(Value::Int(Integer::from(-7)), Value::Array(inner));
    let text = Writer::new(&pool).value(&Value::Array(a.clone()));
    let tree = Tree::parse(&text).unwrap();
    let t = Context::new(&pool).term(tree.roots().next().unwrap()).unwrap();
    assert_eq!(pool.eval(t, &Default::default()), Value::Array(a));
}

#[test]
fn text_is_linear_in_the_graph() {
    let pool = TermPool::new();
    let mut t = pool.var("a", Sort::Bool);
    for i in 0..2000 {
        let (x, y) = (pool.var(&format!("x{i}"), Sort::Bool), pool.var(&format!("y{i}"), Sort::Bool));
        t = pool.or2(pool.and2(t, x), pool.and2(pool.not(t), y));
    }
    let text = Writer::new(&pool).term(t);
    assert!(text.len() < 60 * pool.dag_size(t), "{} characters", text.len());
    assert_eq!(read_back(&pool, t), t);
}

#[test]
fn deep_terms() {
    let pool = TermPool::new();
    let i = pool.var("i", Sort::Int);
    let mut t = i;
    for k in 0..100_000 {
        t = pool.ite(pool.le(i, pool.int(k)), t, pool.int(k));
    }
    assert_eq!(read_back(&pool, t), t);
}

#[test]
fn division_by_zero_is_spelled_out() {
    let pool = TermPool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let mut w = Writer::new(&pool);
    assert_eq!(w.term(pool.int_div(x, y)), "(ite (= y 0) 0 (div x y))");
    assert_eq!(w.term(pool.int_mod(x, y)), "(ite (= y 0) x (mod x y))");
    assert_eq!(w.term(pool.int_div(x, pool.int(3))), "(div x 3)");
    let r = pool.var("r", Sort::Real);
    assert_eq!(w.term(pool.div(r, r)), "(ite (= r 0.0) 0.0 (/ r r))");
    assert_eq!(w.term(pool.real(Rational::new((-1).into(), 2.into()))), "(- (/ 1.0 2.0))");
}
