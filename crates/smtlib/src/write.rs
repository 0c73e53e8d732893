//! Writing terms, sorts and values as SMT-LIB text.
//!
//! Subterms that occur more than once are bound by `let` to the names `$1`, `$2`, ..., so that the text is
//! linear in the size of the term graph. Bindings that do not need each other share one `let`, which keeps
//! the nesting shallow.

use std::borrow::Cow;
use std::fmt::Write as _;

use num_traits::{One, Signed};
use palisade_term::{Integer, Op, Rational, Term, TermPool, Value};
use rustc_hash::FxHashMap;

use crate::Names;

/// Part of the text of a node.
enum Piece {
    Text(Cow<'static, str>),
    Term(Term),
}

/// Writes terms of one pool, with names that stay the same from one term to the next.
pub struct Writer<'p> {
    pool: &'p TermPool,
    /// The symbols of the variables.
    pub names: Names,
}

impl<'p> Writer<'p> {
    /// A writer that has named nothing yet.
    pub fn new(pool: &'p TermPool) -> Writer<'p> {
        Writer { pool, names: Names::new() }
    }

    /// The pool of the terms.
    pub fn pool(&self) -> &'p TermPool {
        self.pool
    }

    /// The symbol of a variable.
    pub fn var(&mut self, var: Term) -> String {
        self.names.var(self.pool, var).to_string()
    }

    /// `(name Sort)` for each variable, as quantifiers and definitions want them: `((x Int) (y Bool))`.
    pub fn sorted_vars(&mut self, vars: &[Term]) -> String {
        let parts: Vec<String> = vars
            .iter()
            .map(|&v| format!("({} {})", self.names.var(self.pool, v), self.pool.sort(v)))
            .collect();
        format!("({})", parts.join(" "))
    }

    /// The declaration of a variable.
    pub fn declare(&mut self, var: Term) -> String {
        format!("(declare-fun {} () {})", self.names.var(self.pool, var), self.pool.sort(var))
    }

    /// A value. Values are written as the constant terms they are equal to.
    pub fn value(&mut self, value: &Value) -> String {
        self.term(value.to_term(self.pool))
    }

    /// The text of a term, with `let` for what occurs repeatedly.
    pub fn term(&mut self, t: Term) -> String {
        let mut out = String::new();
        self.write_term(&mut out, t);
        out
    }

    /// Appends a term to a text.
    pub fn write_term(&mut self, out: &mut String, root: Term) {
        let levels = self.shared(root);
        let mut bound: FxHashMap<Term, usize> = FxHashMap::default();
        let mut count = 0;
        for level in &levels {
            out.push_str("(let (");
            for (i, &t) in level.iter().enumerate() {
                let _ = write!(out, "{}(${} ", if i > 0 { " " } else { "" }, count + i + 1);
                self.write_tree(out, t, &bound);
                out.push(')');
            }
            out.push_str(") ");
            for &t in level {
                count += 1;
                bound.insert(t, count);
            }
        }
        match bound.get(&root) {
            Some(n) => {
                let _ = write!(out, "${n}");
            }
            None => self.write_tree(out, root, &bound),
        }
        out.extend(std::iter::repeat_n(')', levels.len()));
    }

    /// The subterms that are worth a name, by level: the terms of a level mention names of earlier levels
    /// only.
    fn shared(&mut self, root: Term) -> Vec<Vec<Term>> {
        let mut order: Vec<Term> = Vec::new();
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        let mut children: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        let mut stack = vec![(root, false)];
        while let Some((t, done)) = stack.pop() {
            if done {
                order.push(t);
                continue;
            }
            if children.contains_key(&t) {
                continue;
            }
            let below: Vec<Term> = (pieces(self.pool, t).into_iter())
                .filter_map(|p| match p {
                    Piece::Term(u) if !self.pool.args(u).is_empty() => Some(u),
                    _ => None,
                })
                .collect();
            stack.push((t, true));
            for &u in &below {
                *uses.entry(u).or_default() += 1;
                stack.push((u, false));
            }
            children.insert(t, below);
        }
        let is_shared = |t: &Term| uses.get(t).is_some_and(|&n| n > 1);
        let mut depth: FxHashMap<Term, usize> = FxHashMap::default();
        let mut levels: Vec<Vec<Term>> = Vec::new();
        for t in order {
            let d = children[&t].iter().map(|u| depth[u] + usize::from(is_shared(u))).max().unwrap_or(0);
            depth.insert(t, d);
            if is_shared(&t) {
                if levels.len() <= d {
                    levels.resize_with(d + 1, Vec::new);
                }
                levels[d].push(t);
            }
        }
        levels
    }

    /// Writes a term as a tree down to the names already bound.
    fn write_tree(&mut self, out: &mut String, root: Term, bound: &FxHashMap<Term, usize>) {
        let mut stack: Vec<Piece> = self.node_pieces(root);
        stack.reverse();
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(t) => out.push_str(&t),
                Piece::Term(t) => match bound.get(&t) {
                    Some(n) => {
                        let _ = write!(out, "${n}");
                    }
                    None => stack.extend(self.node_pieces(t).into_iter().rev()),
                },
            }
        }
    }

    fn node_pieces(&mut self, t: Term) -> Vec<Piece> {
        match self.pool.op(t) {
            Op::Var(..) => vec![Piece::Text(Cow::Owned(self.names.var(self.pool, t).to_string()))],
            _ => pieces(self.pool, t),
        }
    }
}

/// The text of a node around its subterms. A variable has none here: its symbol is the writer's choice.
fn pieces(pool: &TermPool, t: Term) -> Vec<Piece> {
    let args = pool.args(t);
    let text = |s: String| vec![Piece::Text(Cow::Owned(s))];
    let apply = |head: Cow<'static, str>| {
        let mut out = vec![Piece::Text("(".into()), Piece::Text(head)];
        for &a in args {
            out.push(Piece::Text(" ".into()));
            out.push(Piece::Term(a));
        }
        out.push(Piece::Text(")".into()));
        out
    };
    let name: &'static str = match pool.op(t) {
        Op::Var(..) => return Vec::new(),
        Op::Bool(b) => return text(b.to_string()),
        Op::Int(i) => return text(integer(i)),
        Op::Real(r) => return text(rational(r)),
        Op::BitVec(v) => return text(bitvec(v, pool.width(t))),
        Op::IntDiv | Op::Mod | Op::Div => return division(pool, t),
        Op::Extract(h, l) => return apply(format!("(_ extract {h} {l})").into()),
        Op::ZeroExtend(n) => return apply(format!("(_ zero_extend {n})").into()),
        Op::SignExtend(n) => return apply(format!("(_ sign_extend {n})").into()),
        Op::IntToBv(w) => return apply(format!("(_ int2bv {w})").into()),
        Op::ConstArray => return apply(format!("(as const {})", pool.sort(t)).into()),
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Eq => "=",
        Op::Ite => "ite",
        Op::Add => "+",
        Op::Mul => "*",
        Op::ToReal => "to_real",
        Op::ToInt => "to_int",
        Op::Le => "<=",
        Op::Lt => "<",
        Op::Concat => "concat",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvAdd => "bvadd",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvSmod => "bvsmod",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUlt => "bvult",
        Op::BvUle => "bvule",
        Op::BvSlt => "bvslt",
        Op::BvSle => "bvsle",
        Op::BvToInt => "bv2nat",
        Op::Select => "select",
        Op::Store => "store",
    };
    apply(name.into())
}

/// Division, with our values for a zero divisor spelled out unless the divisor is a constant other than zero.
fn division(pool: &TermPool, t: Term) -> Vec<Piece> {
    let (n, d) = (pool.args(t)[0], pool.args(t)[1]);
    let (head, zero) = match pool.op(t) {
        Op::IntDiv => ("div", "0"),
        Op::Mod => ("mod", "0"),
        _ => ("/", "0.0"),
    };
    let plain = |close: &'static str| {
        [
            Piece::Text("(".into()),
            Piece::Text(head.into()),
            Piece::Text(" ".into()),
            Piece::Term(n),
            Piece::Text(" ".into()),
            Piece::Term(d),
            Piece::Text(close.into()),
        ]
    };
    if pool.as_number(d).is_some_and(|d| !d.is_zero()) {
        return plain(")").into();
    }
    let mut out =
        vec![Piece::Text("(ite (= ".into()), Piece::Term(d), Piece::Text(format!(" {zero}) ").into())];
    out.push(if head == "mod" { Piece::Term(n) } else { Piece::Text(zero.into()) });
    out.push(Piece::Text(" ".into()));
    out.extend(plain("))"));
    out
}

fn integer(i: &Integer) -> String {
    if i.is_negative() { format!("(- {})", -i) } else { i.to_string() }
}

fn rational(r: &Rational) -> String {
    let magnitude = if r.denom().is_one() {
        format!("{}.0", r.numer().abs())
    } else {
        format!("(/ {}.0 {}.0)", r.numer().abs(), r.denom())
    };
    if r.is_negative() { format!("(- {magnitude})") } else { magnitude }
}

fn bitvec(v: &Integer, width: u32) -> String {
    let (radix, mark, digits) = if width.is_multiple_of(4) { (16, 'x', width / 4) } else { (2, 'b', width) };
    let text = v.to_str_radix(radix);
    format!("#{mark}{}{text}", "0".repeat(digits as usize - text.len()))
}
