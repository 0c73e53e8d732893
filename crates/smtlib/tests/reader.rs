//! Reading S-expressions and terms: what comes out, and where errors point.

use palisade_smtlib::{Context, Error, ErrorKind, Pos, Tree};
use palisade_term::{Rational, Sort, Term, TermPool};

/// Reads the last expression as a term; the ones before are `(declare-fun x () Sort)` or `define-fun`.
fn read(pool: &TermPool, text: &str) -> Result<Term, Error> {
    let tree = Tree::parse(text)?;
    let mut context = Context::new(pool);
    context.reserve_names(&tree);
    let mut last = None;
    for s in tree.roots() {
        if s.form("declare-fun").is_some() {
            let [_, name, params, sort] = s.items().exactly().expect("a declaration");
            let sort = context.any_sort(sort)?;
            if params.items().is_empty() {
                context.declare_var(name, sort)?;
            } else {
                let sorts = params.items().iter().map(|p| context.any_sort(p));
                let sorts: Vec<_> = sorts.collect::<Result<_, _>>()?;
                context.declare_predicate(name, sorts)?;
            }
        } else if s.form("define-fun").is_some() {
            context.define_fun(s, &mut Vec::new())?;
        } else if let Some([_, name, _, sort]) = s.form("define-sort").and_then(|i| i.exactly()) {
            let sort = context.any_sort(sort)?;
            context.define_sort(name, sort)?;
        } else {
            last = Some(context.term(s)?);
        }
    }
    Ok(last.expect("a term"))
}

const INTS: &str = "(declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)\n";
const REALS: &str = "(declare-fun x () Real)(declare-fun y () Real)\n";
const BVS: &str = "(declare-fun x () (_ BitVec 8))(declare-fun y () (_ BitVec 8))\n";

/// Both texts mean the same term.
#[track_caller]
fn same(declarations: &str, a: &str, b: &str) {
    let pool = TermPool::new();
    let (s, t) = (read(&pool, &format!("{declarations}{a}")), read(&pool, &format!("{declarations}{b}")));
    let (s, t) = (s.expect("readable"), t.expect("readable"));
    assert_eq!(s, t, "{} is not {}", pool.infix(s), pool.infix(t));
}

#[track_caller]
fn refused(text: &str, kind: ErrorKind, pos: (u32, u32), part: &str) {
    let error = read(&TermPool::new(), text).expect_err("refused");
    assert_eq!(error.kind, kind, "{error}");
    assert_eq!(error.pos, Pos { line: pos.0, column: pos.1 }, "{error}");
    assert!(error.message.contains(part), "{error}");
}

#[test]
fn positions_count_characters() {
    let tree = Tree::parse("; first\n(a |ö b|\n  \"s\"\"t\" #x0F\t#b01 1.50 07 :k)").unwrap();
    let list = tree.roots().next().unwrap();
    assert_eq!(list.pos(), Pos { line: 2, column: 1 });
    let seen: Vec<(String, u32, u32)> =
        list.items().iter().map(|s| (s.text().to_string(), s.pos().line, s.pos().column)).collect();
    let expect = [
        ("a", 2, 2),
        ("ö b", 2, 4),
        ("s\"\"t", 3, 3),
        ("0F", 3, 10),
        ("01", 3, 15),
        ("1.50", 3, 20),
        ("07", 3, 25),
        (":k", 3, 28),
    ];
    assert_eq!(seen, expect.map(|(t, l, c)| (t.to_string(), l, c)));
    assert_eq!(list.items().get(2).unwrap().string().unwrap(), "s\"t");
    assert_eq!(list.to_string(), "(a |ö b| \"s\"\"t\" #x0F #b01 1.50 07 :k)");
}

#[test]
fn broken_expressions() {
    use ErrorKind::Malformed as M;
    refused("(and true\n  (or false", M, (2, 3), "never closed");
    refused("true)", M, (1, 5), "closing parenthesis");
    refused("(f |abc\n)", M, (1, 4), "quoted symbol is never closed");
    refused("\"abc", M, (1, 1), "string is never closed");
    refused("(= 12a 0)", M, (1, 4), "`12a` is not a number");
    refused("(= #xyz 0)", M, (1, 4), "bit-vector constant");
    refused("(= 1. 0)", M, (1, 4), "not a number");
}

#[test]
fn core() {
    let d = "(declare-fun a () Bool)(declare-fun b () Bool)(declare-fun c () Bool)";
    same(d, "(=> a b c)", "(or (not a) (not b) c)");
    same(d, "(= a b c)", "(and (= a b) (= b c))");
    same(d, "(xor a b)", "(not (= a b))");
    same(d, "(distinct a b)", "(xor a b)");
    same(d, "(distinct a b c)", "(and (not (= a b)) (not (= a c)) (not (= b c)))");
    same(d, "(ite a b true)", "(or (not a) b)");
    same(d, "(let ((a b) (b a)) (=> a b))", "(=> b a)");
    same(d, "(let ((a b)) (let ((a c) (b a)) (and a b)))", "(and b c)");
    same(d, "(! (and a (! b :foo)) :named n :pattern (a b))", "(and a b)");
    same(d, "(implies a b)", "(=> a b)");
}

#[test]
fn arithmetic() {
    same(INTS, "(- x)", "(* (- 1) x)");
    same(INTS, "(- x y z)", "(+ x (* -1 y) (- z))");
    same(INTS, "(< x y z)", "(and (< x y) (< y z))");
    same(INTS, "(>= x y)", "(<= y x)");
    same(INTS, "(* 2 x 3)", "(* 6 x)");
    same(INTS, "(abs x)", "(ite (>= x 0) x (- x))");
    same(INTS, "((_ divisible 3) x)", "(= 0 (mod x 3))");
    same(INTS, "(div x 0)", "0");
    same(INTS, "(div 7 (- 2))", "(- 3)");
    same(INTS, "(mod (- 7) 2)", "1");
    same(INTS, "(ite (= y 0) 0 (div x y))", "(div x y)");
    same(INTS, "(ite (= y 0) x (mod x y))", "(mod x y)");
    same(REALS, "(ite (= y 0.0) 0.0 (/ x y))", "(/ x y)");
    same(REALS, "(= x 1)", "(= x 1.0)");
    same(REALS, "(+ x (/ 1 3))", "(+ x (/ 2.0 6.0))");
    same(REALS, "(/ x 2 2)", "(* 0.25 x)");
    same("(declare-fun i () Int)(declare-fun x () Real)", "(< x i)", "(< x (to_real i))");
    same("(declare-fun x () Real)", "(is_int x)", "(= x (to_real (to_int x)))");
}

#[test]
fn bitvectors() {
    same(BVS, "(bvsub x y)", "(bvadd x (bvneg y))");
    same(BVS, "(bvnand x y)", "(bvnot (bvand x y))");
    same(BVS, "(bvnor x y)", "(bvnot (bvor x y))");
    same(BVS, "(bvxnor x y)", "(bvnot (bvxor x y))");
    same(BVS, "(= (bvcomp x y) #b1)", "(= #b1 (ite (= x y) #b1 #b0))");
    same(BVS, "(bvugt x y)", "(bvult y x)");
    same(BVS, "(bvsge x y)", "(bvsle y x)");
    same(BVS, "((_ rotate_left 11) x)", "(concat ((_ extract 4 0) x) ((_ extract 7 5) x))");
    same(BVS, "((_ rotate_right 3) x)", "(concat ((_ extract 2 0) x) ((_ extract 7 3) x))");
    same(BVS, "((_ repeat 3) x)", "(concat x x x)");
    same(BVS, "(_ bv255 8)", "#xff");
    same(BVS, "(_ bv257 8)", "#b00000001");
    same(BVS, "(bv2nat x)", "(ubv_to_int x)");
    same(BVS, "((_ int2bv 4) 17)", "((_ int_to_bv 4) 1)");
    same(BVS, "(sbv_to_int #xff)", "(- 1)");
    same(BVS, "(bvadd x y #x01)", "(bvadd (bvadd x y) #x01)");
    same(BVS, "(bvuaddo #xff #x01)", "true");
    same(BVS, "(bvsaddo #x7f #x01)", "true");
    same(BVS, "(bvsaddo #xff #x01)", "false");
    same(BVS, "(bvsmulo #x40 #x02)", "true");
    same(BVS, "(bvumulo #x40 #x02)", "false");
    same(BVS, "(bvssubo #x80 #x01)", "true");
    same(BVS, "(bvsdivo #x80 #xff)", "true");
    same(BVS, "(bvnego #x80)", "true");
}

#[test]
fn arrays() {
    let d = "(declare-fun a () (Array Int Real))(declare-fun i () Int)";
    same(d, "(select (store a i 2) i)", "2.0");
    same(d, "(select ((as const (Array Int Real)) 3) i)", "3.0");
    same("(define-sort M () (Array Int Int))", "((as const M) 0)", "((as const (Array Int Int)) 0)");
}

#[test]
fn macros_are_inlined_without_capture() {
    let d = "(declare-fun x () Int)(define-fun f ((x Int) (y Int)) Int (- x y))(define-fun c () Real 1)";
    same(d, "(f (+ x 1) x)", "1");
    same(d, "(let ((y x)) (f y 2))", "(- x 2)");
    same(d, "(= c 1.0)", "true");
}

#[test]
fn sort_errors_point_at_the_argument() {
    use ErrorKind::{Malformed as M, Unsupported as U};
    refused("(and true 1)", M, (1, 11), "sort Bool was expected here, not Int");
    refused("(+ 1\n   true)", M, (2, 4), "a number was expected here, not Bool");
    refused("(= 1 true)", M, (1, 6), "sort Int was expected");
    refused("(bvadd #x0 #b1)", M, (1, 12), "sort (_ BitVec 4)");
    refused("(ite true 1 #b1)", M, (1, 13), "sort Int");
    refused("(div 1.5 2)", M, (1, 6), "sort Int");
    refused("((_ extract 8 0) #xff)", M, (1, 1), "bits 8 down to 0");
    refused("(f 1)", M, (1, 2), "`f` is not declared");
    refused("(and x)", M, (1, 6), "`x` is not declared");
    refused("(not true false)", M, (1, 1), "takes 1 argument and is given 2");
    refused("(declare-fun p (Int) Bool) (p 1 2)", M, (1, 28), "needs 1 arguments");
    refused("(declare-fun p (Int) Bool) (p true)", M, (1, 31), "sort Int");
    refused("(select 1 2)", M, (1, 9), "an array was expected");
    refused("(let ((x 1) (x 2)) x)", M, (1, 13), "bound twice");
    refused("(declare-fun x () String) true", U, (1, 19), "sort `String`");
    refused("\"abc\"", U, (1, 1), "strings");
    refused("(declare-fun x () (_ BitVec 0)) true", M, (1, 29), "at least one bit");
    refused("(declare-fun x () (_ BitVec 99999999999)) true", U, (1, 29), "wider");
    refused("(declare-fun and () Bool) true", M, (1, 14), "cannot be declared");
    refused("(declare-fun a () Bool)(declare-fun a () Int) true", M, (1, 37), "declared twice");
    refused("()", M, (1, 1), "not ()");
    refused("(lambda ((x Int)) x)", U, (1, 2), "lambda");
}

#[test]
fn deep_nesting() {
    const N: usize = 100_000;
    let pool = TermPool::new();
    let nest = |open: &str, core: &str, close: &str| format!("{}{core}{}", open.repeat(N), close.repeat(N));
    let d = "(declare-fun x () Int)(declare-fun a () Bool)";
    let read = |text: String| read(&pool, &format!("{d}{text}")).expect("readable");
    assert_eq!(read(nest("(not ", "a", ")")), pool.var("a", Sort::Bool));
    assert_eq!(read(nest("(! ", "a", " :k v)")), pool.var("a", Sort::Bool));
    assert_eq!(read(nest("(let ((b a)) ", "a", ")")), pool.var("a", Sort::Bool));
    assert_eq!(read(nest("(let ((b ", "a", ")) b)")), pool.var("a", Sort::Bool));
    let sum = read(nest("(+ x ", "1", ")"));
    assert_eq!(pool.linear(sum).coeffs[0].1, Rational::from_integer(N.into()));
    let bits =
        format!("(declare-fun b () (_ BitVec 1))((_ extract 40000 40000) (concat{}))", " b".repeat(50_000));
    assert_eq!(read(bits), pool.var("b", Sort::BitVec(1)));
    // Not a term, but still an S-expression that must not overflow the stack.
    assert!(Tree::parse(&nest("(", "", ")")).is_ok());
    assert!(Tree::parse(&"(".repeat(N)).is_err());
    let tree_text = nest("(f ", "a", ")");
    let tree = Tree::parse(&tree_text).unwrap();
    assert_eq!(tree.roots().next().unwrap().to_string(), tree_text);
}

/// Without care, the partial sums of a nested sum of different variables take quadratic space.
#[test]
fn long_nested_sums_are_linear() {
    const N: usize = 30_000;
    let mut text: String = (0..N).map(|i| format!("(declare-fun x{i} () Int)")).collect();
    for i in 0..N {
        text.push_str(&format!("(+ x{i} "));
    }
    text.push('0');
    text.push_str(&")".repeat(N));
    let pool = TermPool::new();
    let t = read(&pool, &text).expect("readable");
    assert_eq!(pool.args(t).len(), N);
    assert!(pool.len() < 3 * N);
}

/// Repeated squaring through `let` must be refused, not exhaust memory.
#[test]
fn exploding_products_are_refused() {
    let squares: String = (1..60).map(|i| format!("(let ((x{i} (* x{} x{})) ) ", i - 1, i - 1)).collect();
    let text =
        |first: &str| format!("(declare-fun x () Int)(let ((x0 {first})) {squares}x59{}", ")".repeat(60));
    for first in ["x", "123456789"] {
        let error = read(&TermPool::new(), &text(first)).expect_err("refused");
        assert!(error.message.contains("product of this size"), "{error}");
    }
}
