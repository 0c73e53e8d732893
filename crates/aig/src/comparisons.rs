//! The comparisons of words that a program makes, as hints for invariants over bits.
//!
//! A loop that tests `i < n` has an invariant like `i <= n`. So for each two words that are compared
//! somewhere both orders are of interest, and equality; the same for the words without added constants, since
//! a step may compare `i + 1`. Only comparisons of what the state determines count.
//!
//! Entry point: [`of_program`].

use palisade_program::Program;
use palisade_term::{Op, Sort, Term, TermPool};
use rustc_hash::FxHashSet;

/// Comparisons of the program that are looked at, and that are watched, at most.
const MAX_COMPARISONS: usize = 128;

/// The comparisons, without duplicates: those of the program's own first.
pub(crate) fn of_program(pool: &TermPool, program: &Program, state: &FxHashSet<Term>) -> Vec<Term> {
    let terms = program.edges.iter().flat_map(|e| e.update.iter().copied().chain([e.guard]));
    let mut pairs: Vec<(Op, Term, Term)> = Vec::new();
    pool.visit(terms, |t| {
        let op = pool.op(t);
        if let (Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, &[a, b]) = (op, pool.args(t))
            && matches!(pool.sort(a), Sort::BitVec(w) if *w > 1)
            && pool.free_vars(t).iter().all(|v| state.contains(v))
        {
            pairs.push((op.clone(), a, b));
        }
    });
    let bare: Vec<(Op, Term, Term)> = pairs
        .iter()
        .map(|(op, a, b)| (op.clone(), without_constant(pool, *a), without_constant(pool, *b)))
        .collect();
    let mut seen = FxHashSet::default();
    let mut out = Vec::new();
    for (op, a, b) in pairs.into_iter().chain(bare).take(MAX_COMPARISONS) {
        let (signed, unsigned) =
            ([pool.bv_slt(a, b), pool.bv_slt(b, a)], [pool.bv_ult(a, b), pool.bv_ult(b, a)]);
        let mut new: Vec<Term> = match op {
            Op::BvSlt | Op::BvSle => signed.to_vec(),
            Op::BvUlt | Op::BvUle => unsigned.to_vec(),
            _ if pool.is_const(a) || pool.is_const(b) => Vec::new(),
            _ => signed.into_iter().chain(unsigned).collect(),
        };
        new.push(pool.eq(a, b));
        out.extend(new.into_iter().filter(|&t| pool.as_bool(t).is_none() && seen.insert(t)));
    }
    out.truncate(MAX_COMPARISONS);
    out
}

/// A sum without its constant.
fn without_constant(pool: &TermPool, t: Term) -> Term {
    match (pool.op(t), pool.args(t)) {
        (Op::BvAdd, &[a, b]) if pool.is_const(b) => a,
        (Op::BvAdd, &[a, b]) if pool.is_const(a) => b,
        _ => t,
    }
}
