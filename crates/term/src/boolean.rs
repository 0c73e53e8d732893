//! Builders of the Boolean structure: connectives, equality, if-then-else.
//!
//! `and` and `or` are flat (but for very long arguments), sorted, free of duplicates, units and complementary
//! pairs; negations move outward of equalities. So formulas that differ in order or repetition are one term.

use crate::op::Op;
use crate::{Sort, Term, TermPool};

/// Nested conjunctions (disjunctions) up to this size are merged into the outer one; larger ones stay nested,
/// so that building a long chain one argument at a time stays linear.
const FLATTEN_LIMIT: usize = 16;

impl TermPool {
    /// Negation.
    pub fn not(&self, t: Term) -> Term {
        match self.op(t) {
            Op::Bool(b) => self.bool(!b),
            Op::Not => self.args(t)[0],
            _ => {
                assert_eq!(*self.sort(t), Sort::Bool, "negation of a Boolean");
                self.intern(Op::Not, &[t], Sort::Bool)
            }
        }
    }

    /// Conjunction.
    pub fn and(&self, args: impl IntoIterator<Item = Term>) -> Term {
        self.junction(args, true)
    }

    /// Disjunction.
    pub fn or(&self, args: impl IntoIterator<Item = Term>) -> Term {
        self.junction(args, false)
    }

    /// Conjunction of two.
    pub fn and2(&self, a: Term, b: Term) -> Term {
        self.and([a, b])
    }

    /// Disjunction of two.
    pub fn or2(&self, a: Term, b: Term) -> Term {
        self.or([a, b])
    }

    /// Implication.
    pub fn implies(&self, a: Term, b: Term) -> Term {
        self.or([self.not(a), b])
    }

    /// Exclusive or.
    pub fn xor(&self, a: Term, b: Term) -> Term {
        self.not(self.eq(a, b))
    }

    /// `unit` = true: conjunction; false: disjunction. Sorts, deduplicates, detects complements and
    /// constants.
    fn junction(&self, args: impl IntoIterator<Item = Term>, unit: bool) -> Term {
        let (op, zero) = if unit { (Op::And, self.fls()) } else { (Op::Or, self.tru()) };
        let mut flat: Vec<Term> = Vec::new();
        for a in args {
            match self.op(a) {
                Op::Bool(b) if *b == unit => {}
                Op::Bool(_) => return zero,
                o if *o == op && self.args(a).len() <= FLATTEN_LIMIT => flat.extend(self.args(a)),
                _ => {
                    assert_eq!(*self.sort(a), Sort::Bool, "connective over Booleans");
                    flat.push(a);
                }
            }
        }
        flat.sort_unstable();
        flat.dedup();
        for &a in &flat {
            if *self.op(a) == Op::Not && flat.binary_search(&self.args(a)[0]).is_ok() {
                return zero;
            }
        }
        match flat.len() {
            0 => self.bool(unit),
            1 => flat[0],
            _ => self.intern(op, &flat, Sort::Bool),
        }
    }

    /// Equality of two terms of one sort (equivalence on Booleans).
    pub fn eq(&self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "equality needs one sort");
        if a == b {
            return self.tru();
        }
        match self.sort(a) {
            Sort::Bool => self.iff(a, b),
            Sort::Int | Sort::Real => self.arith_eq(a, b),
            _ => {
                if self.is_const(a) && self.is_const(b) && !matches!(self.sort(a), Sort::Array(_)) {
                    return self.fls(); // distinct interned constants
                }
                if matches!(self.sort(a), Sort::Array(_))
                    && let Some(equal) = self.arrays_equal(a, b)
                {
                    return self.bool(equal);
                }
                if matches!(self.sort(a), Sort::BitVec(_))
                    && let Some(equal) = self.bv_equal(a, b)
                {
                    return self.bool(equal);
                }
                let (a, b) = if a < b { (a, b) } else { (b, a) };
                self.intern(Op::Eq, &[a, b], Sort::Bool)
            }
        }
    }

    fn iff(&self, a: Term, b: Term) -> Term {
        match (self.op(a), self.op(b)) {
            (Op::Bool(true), _) => return b,
            (Op::Bool(false), _) => return self.not(b),
            (_, Op::Bool(true)) => return a,
            (_, Op::Bool(false)) => return self.not(a),
            _ => {}
        }
        // Negations move outward, so that `a = b` and `(not a) = (not b)` are one term.
        let (na, a) = self.strip_not(a);
        let (nb, b) = self.strip_not(b);
        if a == b {
            return self.bool(na == nb);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let t = self.intern(Op::Eq, &[a, b], Sort::Bool);
        if na == nb { t } else { self.not(t) }
    }

    /// Splits a literal into its sign (true: negated) and its atom.
    pub fn strip_not(&self, t: Term) -> (bool, Term) {
        if *self.op(t) == Op::Not { (true, self.args(t)[0]) } else { (false, t) }
    }

    /// Pairwise distinctness.
    pub fn distinct(&self, args: &[Term]) -> Term {
        let mut parts = Vec::new();
        for (i, &a) in args.iter().enumerate() {
            for &b in &args[i + 1..] {
                parts.push(self.not(self.eq(a, b)));
            }
        }
        self.and(parts)
    }

    /// If-then-else.
    pub fn ite(&self, c: Term, a: Term, b: Term) -> Term {
        assert_eq!(*self.sort(c), Sort::Bool, "condition of ite");
        assert_eq!(self.sort(a), self.sort(b), "branches of ite have one sort");
        if a == b {
            return a;
        }
        match self.op(c) {
            Op::Bool(true) => return a,
            Op::Bool(false) => return b,
            Op::Not => return self.ite(self.args(c)[0], b, a),
            _ => {}
        }
        if *self.sort(a) == Sort::Bool {
            match (self.op(a), self.op(b)) {
                (Op::Bool(true), _) => return self.or([c, b]),
                (Op::Bool(false), _) => return self.and([self.not(c), b]),
                (_, Op::Bool(true)) => return self.or([self.not(c), a]),
                (_, Op::Bool(false)) => return self.and([c, a]),
                _ => {}
            }
            if self.not(a) == b {
                return self.eq(c, a);
            }
        }
        // Nested ite on the same condition.
        let a = if *self.op(a) == Op::Ite && self.args(a)[0] == c { self.args(a)[1] } else { a };
        let b = if *self.op(b) == Op::Ite && self.args(b)[0] == c { self.args(b)[2] } else { b };
        if a == b {
            return a;
        }
        let sort = self.sort(a).clone();
        self.intern(Op::Ite, &[c, a, b], sort)
    }
}
