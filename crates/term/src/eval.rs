//! Evaluation of terms under an assignment: the reference semantics of every operator.
//!
//! Numbers are exact and of any size. The cases SMT-LIB leaves open are fixed here, once, for the whole tool:
//! `(div x 0) = 0`, `(mod x 0) = x`, `(/ x 0) = 0`. Writers make this explicit for other solvers.

use num_integer::Integer as _;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

use crate::arith::{euclid_div, euclid_mod};
use crate::op::Op;
use crate::{ArrayValue, Assignment, Integer, Rational, Sort, Term, TermPool, Value};

/// Evaluates many terms under one assignment, sharing the work on common subterms.
pub struct Evaluator<'p, 'a> {
    pool: &'p TermPool,
    assignment: &'a Assignment,
    memo: FxHashMap<Term, Value>,
    stack: Vec<Term>,
}

impl<'p, 'a> Evaluator<'p, 'a> {
    /// An evaluator for one assignment.
    pub fn new(pool: &'p TermPool, assignment: &'a Assignment) -> Self {
        Evaluator { pool, assignment, memo: FxHashMap::default(), stack: Vec::new() }
    }

    /// The pool of its terms.
    pub fn pool(&self) -> &'p TermPool {
        self.pool
    }

    /// The value of a term.
    pub fn eval(&mut self, t: Term) -> Value {
        self.stack.push(t);
        while let Some(&t) = self.stack.last() {
            if self.memo.contains_key(&t) {
                self.stack.pop();
                continue;
            }
            let node = self.pool.node(t);
            let value = match &node.op {
                Op::Var(..) => Some(match self.assignment.get(t) {
                    Some(v) => v.clone(),
                    None => Value::default_of(&node.sort),
                }),
                Op::Ite => self.eval_ite(&node.args),
                Op::And => self.eval_junction(&node.args, true),
                Op::Or => self.eval_junction(&node.args, false),
                Op::Select => self.eval_select(&node.args),
                Op::Store => self.eval_store(t),
                _ => {
                    let before = self.stack.len();
                    for a in &node.args {
                        if !self.memo.contains_key(a) {
                            self.stack.push(*a);
                        }
                    }
                    if self.stack.len() > before {
                        None
                    } else {
                        let args: Vec<&Value> = node.args.iter().map(|a| &self.memo[a]).collect();
                        Some(apply(&node.op, &node.sort, &args))
                    }
                }
            };
            if let Some(v) = value {
                self.memo.insert(t, v);
                self.stack.pop();
            }
        }
        self.memo[&t].clone()
    }

    /// The truth value of a formula.
    pub fn holds(&mut self, t: Term) -> bool {
        self.eval(t).as_bool()
    }

    /// Only the chosen branch is evaluated.
    fn eval_ite(&mut self, args: &[Term]) -> Option<Value> {
        let Some(c) = self.memo.get(&args[0]) else {
            self.stack.push(args[0]);
            return None;
        };
        let branch = if c.as_bool() { args[1] } else { args[2] };
        match self.memo.get(&branch) {
            Some(v) => Some(v.clone()),
            None => {
                self.stack.push(branch);
                None
            }
        }
    }

    /// Puts terms on the stack that have no value yet; were there any?
    fn demand(&mut self, terms: impl IntoIterator<Item = Term>) -> bool {
        let before = self.stack.len();
        for t in terms {
            if !self.memo.contains_key(&t) {
                self.stack.push(t);
            }
        }
        self.stack.len() > before
    }

    /// The stores on top of an array term, outermost first, and what is below them (or has a value already).
    fn stores(&self, mut array: Term) -> (Vec<Term>, Term) {
        let mut stores = Vec::new();
        while *self.pool.op(array) == Op::Store && !self.memo.contains_key(&array) {
            stores.push(array);
            array = self.pool.args(array)[0];
        }
        (stores, array)
    }

    /// Looks for the index among the stores; the arrays in between are never built.
    fn eval_select(&mut self, args: &[Term]) -> Option<Value> {
        let pool = self.pool;
        let (stores, base) = self.stores(args[0]);
        if self.demand(stores.iter().map(|&s| pool.args(s)[1]).chain([args[1]])) {
            return None;
        }
        let index = &self.memo[&args[1]];
        let hit = stores.iter().map(|&s| pool.args(s)).find(|s| self.memo[&s[1]] == *index);
        let wanted = hit.map_or(base, |s| s[2]);
        if self.demand([wanted]) {
            return None;
        }
        Some(match (hit, &self.memo[&wanted]) {
            (Some(_), v) => v.clone(),
            (None, Value::Array(a)) => a.get(&self.memo[&args[1]]).clone(),
            (None, v) => panic!("an array value, not {v}"),
        })
    }

    /// Builds the array of a whole chain of stores at once.
    fn eval_store(&mut self, t: Term) -> Option<Value> {
        let pool = self.pool;
        let (stores, base) = self.stores(t);
        let parts = stores.iter().flat_map(|&s| pool.args(s)[1..].iter().copied());
        if self.demand(parts.chain([base])) {
            return None;
        }
        let Value::Array(mut array) = self.memo[&base].clone() else { panic!("an array value") };
        for &s in stores.iter().rev() {
            let args = pool.args(s);
            array.set(self.memo[&args[1]].clone(), self.memo[&args[2]].clone());
        }
        Some(Value::Array(array))
    }

    /// Stops at the first argument that decides.
    fn eval_junction(&mut self, args: &[Term], unit: bool) -> Option<Value> {
        for a in args {
            match self.memo.get(a) {
                Some(v) if v.as_bool() == unit => {}
                Some(_) => return Some(Value::Bool(!unit)),
                None => {
                    self.stack.push(*a);
                    return None;
                }
            }
        }
        Some(Value::Bool(unit))
    }
}

impl TermPool {
    /// The value of a term under an assignment.
    pub fn eval(&self, t: Term, assignment: &Assignment) -> Value {
        Evaluator::new(self, assignment).eval(t)
    }

    /// The truth value of a formula under an assignment.
    pub fn holds(&self, t: Term, assignment: &Assignment) -> bool {
        self.eval(t, assignment).as_bool()
    }
}

/// The two's complement reading of an unsigned value of the given width.
pub fn to_signed(v: &Integer, w: u32) -> Integer {
    if v.bit(u64::from(w) - 1) { v - (Integer::one() << w) } else { v.clone() }
}

/// Reduction modulo 2^w into the unsigned range.
pub fn wrap(v: &Integer, w: u32) -> Integer {
    v.mod_floor(&(Integer::one() << w))
}

fn rat(v: &Value) -> Rational {
    v.as_rational().expect("a number")
}

fn bv(v: &Value) -> (u32, &Integer) {
    match v {
        Value::BitVec(w, i) => (*w, i),
        v => panic!("a bit-vector value, not {v}"),
    }
}

/// Applies an operator to values. `sort` is the sort of the result.
pub(crate) fn apply(op: &Op, sort: &Sort, args: &[&Value]) -> Value {
    let number = |r: Rational| match sort {
        Sort::Int => Value::Int(r.to_integer()),
        _ => Value::Real(r),
    };
    match op {
        Op::Var(..) => unreachable!("variables have no arguments to apply"),
        Op::Bool(b) => Value::Bool(*b),
        Op::Int(i) => Value::Int(i.clone()),
        Op::Real(r) => Value::Real(r.clone()),
        Op::BitVec(v) => Value::BitVec(sort.width().expect("a bit-vector sort"), v.clone()),
        Op::Not => Value::Bool(!args[0].as_bool()),
        Op::And => Value::Bool(args.iter().all(|v| v.as_bool())),
        Op::Or => Value::Bool(args.iter().any(|v| v.as_bool())),
        Op::Eq => Value::Bool(args[0] == args[1]),
        Op::Ite => (if args[0].as_bool() { args[1] } else { args[2] }).clone(),
        Op::Add if *sort == Sort::Int => Value::Int(args.iter().map(|v| v.as_int()).sum()),
        Op::Add => number(args.iter().map(|v| rat(v)).sum()),
        Op::Mul if *sort == Sort::Int => Value::Int(args.iter().map(|v| v.as_int()).product()),
        Op::Mul => number(args.iter().map(|v| rat(v)).product()),
        Op::Div => {
            let d = rat(args[1]);
            Value::Real(if d.is_zero() { Rational::zero() } else { rat(args[0]) / d })
        }
        Op::IntDiv => Value::Int(euclid_div(args[0].as_int(), args[1].as_int())),
        Op::Mod => Value::Int(euclid_mod(args[0].as_int(), args[1].as_int())),
        Op::ToReal => Value::Real(rat(args[0])),
        Op::ToInt => Value::Int(rat(args[0]).floor().to_big()),
        Op::Le => Value::Bool(match (args[0], args[1]) {
            (Value::Int(a), Value::Int(b)) => a <= b,
            (a, b) => rat(a) <= rat(b),
        }),
        Op::Lt => Value::Bool(rat(args[0]) < rat(args[1])),
        Op::Select => match args[0] {
            Value::Array(a) => a.get(args[1]).clone(),
            v => panic!("an array value, not {v}"),
        },
        Op::Store => match args[0] {
            Value::Array(a) => {
                let mut a = a.clone();
                a.set(args[1].clone(), args[2].clone());
                Value::Array(a)
            }
            v => panic!("an array value, not {v}"),
        },
        Op::ConstArray => {
            let (i, _) = sort.array_parts().expect("an array sort");
            Value::Array(Box::new(ArrayValue {
                index_sort: i.clone(),
                default: args[0].clone(),
                entries: Default::default(),
            }))
        }
        _ => apply_bitvec(op, sort, args),
    }
}

/// The bit-vector operators.
fn apply_bitvec(op: &Op, sort: &Sort, args: &[&Value]) -> Value {
    if let Op::IntToBv(w) = op {
        return Value::BitVec(*w, wrap(args[0].as_int(), *w));
    }
    let (w, a) = bv(args[0]);
    if *op == Op::BvToInt {
        return Value::Int(a.clone());
    }
    let out = |v: Integer| {
        let w = sort.width().expect("a bit-vector result");
        Value::BitVec(w, wrap(&v, w))
    };
    match op {
        Op::Extract(_, lo) => return out(a >> *lo),
        Op::ZeroExtend(_) => return out(a.clone()),
        Op::SignExtend(_) => return out(to_signed(a, w)),
        Op::BvNot => return out(-a - 1),
        Op::BvNeg => return out(-a),
        _ => {}
    }
    let (v, b) = bv(args[1]);
    let (sa, sb) = (to_signed(a, w), to_signed(b, v));
    // Shifts by the width or more have the same result as a shift by the width.
    let shift = b.to_u32().map_or(w, |s| s.min(w));
    match op {
        Op::Concat => out((a << v) | b),
        Op::BvAnd => out(a & b),
        Op::BvOr => out(a | b),
        Op::BvXor => out(a ^ b),
        Op::BvAdd => out(a + b),
        Op::BvMul => out(a * b),
        Op::BvUdiv if b.is_zero() => out(-Integer::one()),
        Op::BvUdiv => out(a / b),
        Op::BvUrem if b.is_zero() => out(a.clone()),
        Op::BvUrem => out(a % b),
        Op::BvSdiv if b.is_zero() => out(if sa.is_negative() { Integer::one() } else { -Integer::one() }),
        Op::BvSdiv => out(&sa / &sb), // truncates towards zero
        Op::BvSrem if b.is_zero() => out(sa),
        Op::BvSrem => out(&sa % &sb), // sign of the dividend
        Op::BvSmod if b.is_zero() => out(sa),
        Op::BvSmod => out(sa.mod_floor(&sb)), // sign of the divisor
        Op::BvShl => out(a << shift),
        Op::BvLshr => out(a >> shift),
        Op::BvAshr => out(sa >> shift),
        Op::BvUlt => Value::Bool(a < b),
        Op::BvUle => Value::Bool(a <= b),
        Op::BvSlt => Value::Bool(sa < sb),
        Op::BvSle => Value::Bool(sa <= sb),
        other => unreachable!("not a bit-vector operator: {other:?}"),
    }
}
