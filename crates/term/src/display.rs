//! Infix notation for people: `x + 2*y <= 3 && b`. SMT-LIB notation is in the `smtlib` crate.
//!
//! Parentheses stand only where precedence needs them, and comparisons are shown the way people write them
//! (`x <= y` for `x - y <= 0`). The text is not meant to be read back.

use std::cell::Cell;
use std::fmt;

use num_traits::{One, Zero};

use crate::op::{Op, Version};
use crate::{Integer, Rational, Sort, Term, TermPool};

/// Displays a term in infix notation.
pub struct Infix<'p> {
    pool: &'p TermPool,
    term: Term,
    wording: Option<&'p Wording<'p>>,
}

/// Other words for a term, or for its negation; `None` for the usual ones. Comparisons and atoms only: the
/// words are put into parentheses as a comparison is.
pub type Wording<'p> = dyn Fn(Term, bool) -> Option<String> + 'p;

impl TermPool {
    /// The term in infix notation, for messages.
    pub fn infix(&self, t: Term) -> Infix<'_> {
        Infix { pool: self, term: t, wording: None }
    }

    /// The same with other words for some terms.
    pub fn infix_by<'p>(&'p self, t: Term, wording: &'p Wording<'p>) -> Infix<'p> {
        Infix { pool: self, term: t, wording: Some(wording) }
    }

    /// The name of a variable with its version mark: `x`, `x'`, `x@3`.
    pub fn var_display(&self, t: Term) -> String {
        match self.var_parts(t).expect("a variable") {
            (s, Version::Plain) => self.symbol_text(s).to_string(),
            (s, Version::Primed) => format!("{}'", self.symbol_text(s)),
            (s, Version::Step(k)) => format!("{}@{k}", self.symbol_text(s)),
        }
    }
}

/// Terms nested deeper than this are shown as `...`: the text is for people.
const DEPTH: usize = 200;

/// At most this many nodes are written. Terms are shared graphs: as trees they can be exponentially large.
const NODES: usize = 20_000;

/// How much may still be written.
#[derive(Clone, Copy)]
struct Left<'a> {
    depth: usize,
    nodes: &'a Cell<usize>,
    wording: Option<&'a Wording<'a>>,
}

impl Left<'_> {
    fn is_nothing(&self) -> bool {
        self.depth == 0 || self.nodes.get() == 0
    }

    /// What is left after one node, for what is below it.
    fn below(self) -> Self {
        self.nodes.set(self.nodes.get() - 1);
        Left { depth: self.depth - 1, ..self }
    }
}

/// Binding strengths, as in C.
const OR: u8 = 1;
const AND: u8 = 2;
const CMP: u8 = 3;
const SUM: u8 = 4;
const PROD: u8 = 5;
const ATOM: u8 = 6;

impl fmt::Display for Infix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = Left { depth: DEPTH, nodes: &Cell::new(NODES), wording: self.wording };
        write(self.pool, self.term, 0, left, f)
    }
}

fn paren(
    f: &mut fmt::Formatter<'_>,
    outer: u8,
    own: u8,
    body: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    if own < outer {
        write!(f, "(")?;
        body(f)?;
        write!(f, ")")
    } else {
        body(f)
    }
}

fn write(p: &TermPool, t: Term, outer: u8, left: Left<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if left.is_nothing() {
        return write!(f, "...");
    }
    let d = left.below();
    if let Some(words) = d.wording.and_then(|w| w(t, false)) {
        return worded(p, t, &words, outer, f);
    }
    let args = p.args(t);
    match p.op(t) {
        Op::Var(..) => write!(f, "{}", p.var_display(t)),
        Op::Bool(b) => write!(f, "{b}"),
        Op::Int(i) => write!(f, "{i}"),
        Op::Real(r) => write!(f, "{r}"),
        Op::BitVec(v) => write!(f, "{v}"),
        Op::Not => write_not(p, args[0], outer, d, f),
        Op::And => join(p, args, " && ", outer, AND, d, f),
        Op::Or => join(p, args, " || ", outer, OR, d, f),
        Op::Eq => compare(p, args, "==", outer, d, f),
        Op::Le => compare(p, args, "<=", outer, d, f),
        Op::Lt => compare(p, args, "<", outer, d, f),
        Op::BvUle => join(p, args, " <=u ", outer, CMP, d, f),
        Op::BvSle => join(p, args, " <= ", outer, CMP, d, f),
        Op::Ite => paren(f, outer, 0, |f| {
            write(p, args[0], OR, d, f)?;
            write!(f, " ? ")?;
            write(p, args[1], OR, d, f)?;
            write!(f, " : ")?;
            write(p, args[2], OR, d, f)
        }),
        Op::Add => sum(p, t, outer, d, f),
        Op::Mul => join(p, args, "*", outer, PROD, d, f),
        Op::Div => join(p, args, " / ", outer, PROD, d, f),
        Op::IntDiv => join(p, args, " div ", outer, PROD, d, f),
        Op::Mod => join(p, args, " mod ", outer, PROD, d, f),
        Op::Select => {
            write(p, args[0], ATOM, d, f)?;
            write!(f, "[")?;
            write(p, args[1], 0, d, f)?;
            write!(f, "]")
        }
        other => {
            write!(f, "{}(", name(other))?;
            for (i, &a) in args.iter().enumerate() {
                if i > 0 {
                    write!(f, ", ")?;
                }
                write(p, a, 0, d, f)?;
            }
            write!(f, ")")
        }
    }
}

/// Other words for a term: a comparison, or something that needs no parentheses.
fn worded(p: &TermPool, t: Term, words: &str, outer: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let own = if *p.sort(t) == Sort::Bool { CMP } else { ATOM };
    paren(f, outer, own, |f| f.write_str(words))
}

fn name(op: &Op) -> String {
    match op {
        Op::Extract(h, l) => format!("extract[{h}:{l}]"),
        Op::ZeroExtend(n) => format!("zext{n}"),
        Op::SignExtend(n) => format!("sext{n}"),
        Op::IntToBv(w) => format!("int2bv{w}"),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn join(
    p: &TermPool,
    args: &[Term],
    sep: &str,
    outer: u8,
    own: u8,
    d: Left<'_>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    paren(f, outer, own, |f| {
        for (i, &a) in args.iter().enumerate() {
            if i > 0 {
                write!(f, "{sep}")?;
            }
            write(p, a, own + 1, d, f)?;
            if d.is_nothing() {
                break;
            }
        }
        Ok(())
    })
}

/// Negated comparisons are turned around: `!(x <= 2)` over the integers is `x >= 3`.
fn write_not(p: &TermPool, a: Term, outer: u8, d: Left<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(words) = d.wording.and_then(|w| w(a, true)) {
        return worded(p, a, &words, outer, f);
    }
    let args = p.args(a);
    match p.op(a) {
        Op::Le if *p.sort(args[0]) == Sort::Int => {
            let Op::Int(c) = p.op(args[1]) else { return compare(p, args, ">", outer, d, f) };
            compare(p, &[args[0], p.int(c + Integer::one())], ">=", outer, d, f)
        }
        Op::Le => compare(p, args, ">", outer, d, f),
        Op::Lt => compare(p, args, ">=", outer, d, f),
        Op::Eq => compare(p, args, "!=", outer, d, f),
        Op::BvUle => join(p, args, " >u ", outer, CMP, d, f),
        Op::BvSle => join(p, args, " > ", outer, CMP, d, f),
        _ => {
            write!(f, "!")?;
            write(p, a, ATOM, d, f)
        }
    }
}

/// Moves negative monomials to the other side: `x - y <= 0` reads `x <= y`.
fn compare(
    p: &TermPool,
    args: &[Term],
    op: &str,
    outer: u8,
    d: Left<'_>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let sort = p.sort(args[0]);
    let (mut lhs, mut rhs) = (args[0], args[1]);
    if sort.is_arith() {
        let diff = p.linear(lhs).minus(&p.linear(rhs));
        let (mut l, mut r) =
            (crate::Linear::constant(Rational::zero()), crate::Linear::constant(Rational::zero()));
        for (t, c) in diff.coeffs {
            if c.is_negative() { r.coeffs.push((t, -c)) } else { l.coeffs.push((t, c)) }
        }
        if diff.constant.is_negative() || l.coeffs.is_empty() {
            r.constant = -diff.constant;
        } else if !r.coeffs.is_empty() || diff.constant.is_zero() {
            l.constant = diff.constant;
        } else {
            r.constant = -diff.constant;
        }
        lhs = p.from_linear(&l, sort);
        rhs = p.from_linear(&r, sort);
    }
    paren(f, outer, CMP, |f| {
        write(p, lhs, SUM, d, f)?;
        write!(f, " {op} ")?;
        write(p, rhs, SUM, d, f)
    })
}

fn sum(p: &TermPool, t: Term, outer: u8, d: Left<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let l = p.linear(t);
    paren(f, outer, SUM, |f| {
        let mut first = true;
        let mut parts = l.coeffs;
        parts.sort_by_key(|(_, c)| c.is_negative()); // stable: positive monomials first
        for (m, c) in &parts {
            let (sign, mag) = (c.is_negative(), c.abs());
            match (first, sign) {
                (true, true) => write!(f, "-")?,
                (true, false) => {}
                (false, true) => write!(f, " - ")?,
                (false, false) => write!(f, " + ")?,
            }
            if !mag.is_one() {
                write!(f, "{mag}*")?;
            }
            write(p, *m, PROD, d, f)?;
            first = false;
        }
        if !l.constant.is_zero() {
            let sign = if l.constant.is_negative() { " - " } else { " + " };
            write!(f, "{sign}{}", l.constant.abs())?;
        }
        Ok(())
    })
}
