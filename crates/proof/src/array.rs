//! Facts about arrays: formulas that hold whatever the arrays are, over the variables of an [`Extension`].
//!
//! - Extensionality: arrays that are equal at the index defined as their difference are equal.
//! - A choice between arrays is the array that its condition says.
//! - Walks (after Christ and Hoenicke, "Weakly equivalent arrays", FroCoS 2015): along writes at other
//!   indices and along equalities an element does not change. A walk without steps is the congruence of
//!   reads; one over a write is "read over write"; constant arrays are read at any index.
//!
//! The formulas are made here from the arrays alone; a proof only says which arrays.

use palisade_term::{Op, Term, TermPool};

use crate::extension::{Extension, has_more_values};
use crate::format::{ArrayFact, Hop, Meaning, Walk};

/// The formula of a fact, without arrays; an error if the fact is malformed.
pub(crate) fn formula(
    pool: &TermPool,
    extension: &mut Extension<'_>,
    fact: &ArrayFact,
) -> Result<Term, String> {
    match fact {
        ArrayFact::Extensionality(w) => {
            let Some(&Meaning::Difference(a, b)) = extension.meaning(*w) else {
                return Err(format!("{w:?} is not defined as a difference"));
            };
            let differ = (extension.select(a, *w), extension.select(b, *w));
            let (Some(x), Some(y)) = differ else { return Err("an index of the wrong sort".into()) };
            let parts = [extension.equal(a, b), extension.equal(x, y)];
            let [Some(same), Some(agree)] = parts else { return Err("sorts do not fit".into()) };
            Ok(pool.or2(same, pool.not(agree)))
        }
        ArrayFact::Choice(v) => {
            let choice = match extension.meaning(*v) {
                Some(&Meaning::Term(t)) if *pool.op(t) == Op::Ite => t,
                _ => return Err(format!("{v:?} is not defined as a choice")),
            };
            let [c, a, b] = *pool.args(choice) else { return Err("a choice has three arguments".into()) };
            let c = extension.apply(c);
            let parts = [extension.equal(*v, a), extension.equal(*v, b)];
            let [Some(then), Some(other)] = parts else { return Err("sorts do not fit".into()) };
            Ok(pool.and2(pool.or2(pool.not(c), then), pool.or2(c, other)))
        }
        ArrayFact::Walk(walk) => of_walk(pool, extension, walk),
    }
}

/// `first = last` or something on the way changes it, where these are the elements at the ends.
fn of_walk(pool: &TermPool, extension: &mut Extension<'_>, walk: &Walk) -> Result<Term, String> {
    let Some((index_sort, _)) = pool.sort(walk.start).array_parts() else {
        return Err("a walk starts at no array".into());
    };
    let fits = |t: Term| pool.sort(t) == index_sort;
    if !walk.at.into_iter().chain(walk.first).chain(walk.last).all(fits) {
        return Err("an index of the wrong sort".into());
    }
    let mut disjuncts = Vec::new();
    let (mut here, mut writes) = (walk.start, 0);
    for &(hop, next) in &walk.hops {
        if pool.sort(next) != pool.sort(here) {
            return Err("a walk leads to an array of another sort".into());
        }
        match hop {
            Hop::Write => {
                let index = written(pool, here, next).or_else(|| written(pool, next, here));
                let index = index.ok_or("a walk takes a write that is not one")?;
                writes += 1;
                disjuncts.extend(walk.at.map(|at| pool.eq(index, at)));
            }
            Hop::Equality => {
                let equal = extension.equal(here, next).ok_or("sorts do not fit")?;
                disjuncts.push(pool.not(equal));
            }
        }
        here = next;
    }
    let ends = match walk.at {
        Some(at) => {
            let mut read = |array: Term, index: Option<Term>| {
                disjuncts.extend(index.map(|i| pool.not(pool.eq(i, at))));
                extension.select(array, index.unwrap_or(at))
            };
            (read(walk.start, walk.first), read(here, walk.last))
        }
        None => {
            // At some index that is nowhere written.
            if walk.first.is_some() || walk.last.is_some() || !has_more_values(index_sort, writes) {
                return Err("a walk may have written everywhere".into());
            }
            (constant(pool, walk.start), constant(pool, here))
        }
    };
    let (Some(x), Some(y)) = ends else { return Err("the ends of a walk have no elements".into()) };
    disjuncts.push(extension.equal(x, y).ok_or("sorts do not fit")?);
    Ok(pool.or(disjuncts))
}

/// The index if `a` is `b` with a write.
fn written(pool: &TermPool, a: Term, b: Term) -> Option<Term> {
    match pool.args(a) {
        [from, index, _] if *pool.op(a) == Op::Store && *from == b => Some(*index),
        _ => None,
    }
}

/// The element of a constant array.
fn constant(pool: &TermPool, a: Term) -> Option<Term> {
    match pool.op(a) {
        Op::ConstArray => Some(pool.args(a)[0]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Definition;
    use palisade_term::Sort;

    fn walk(start: Term, hops: Vec<(Hop, Term)>, ends: [Option<Term>; 2], at: Option<Term>) -> ArrayFact {
        ArrayFact::Walk(Walk { start, hops, first: ends[0], last: ends[1], at })
    }

    #[test]
    fn walks() {
        let p = TermPool::new();
        let sort = Sort::array(Sort::Int, Sort::Int);
        let (a, b) = (p.var("a", sort.clone()), p.var("b", sort.clone()));
        let (i, j, v) = (p.var("i", Sort::Int), p.var("j", Sort::Int), p.var("v", Sort::Int));
        let mut none = Extension::new(&p, &[], &[]).unwrap();
        let mut fact = |f: &ArrayFact| formula(&p, &mut none, f);
        let w = p.store(a, i, v);
        // Read over write.
        let over = fact(&walk(w, vec![(Hop::Write, a)], [Some(j), Some(j)], Some(j))).unwrap();
        assert_eq!(over, p.or2(p.eq(i, j), p.eq(p.select(w, j), p.select(a, j))));
        // The write itself is read where it was written, in both directions.
        let same = fact(&walk(w, vec![], [Some(i), Some(j)], Some(j))).unwrap();
        assert_eq!(same, p.or2(p.not(p.eq(i, j)), p.eq(v, p.select(w, j))));
        // An equality has to hold.
        let joined = fact(&walk(a, vec![(Hop::Equality, b)], [Some(i), Some(i)], Some(i))).unwrap();
        assert_eq!(joined, p.or2(p.not(p.eq(a, b)), p.eq(p.select(a, i), p.select(b, i))));
        // Not every pair of arrays is a write.
        assert!(fact(&walk(a, vec![(Hop::Write, b)], [Some(i), Some(i)], Some(i))).is_err());
        assert!(fact(&walk(a, vec![(Hop::Write, p.store(w, j, v))], [None, None], Some(i))).is_err());
        // Elsewhere, but not of arrays that are no constants.
        assert!(fact(&walk(w, vec![(Hop::Write, a)], [None, None], None)).is_err());
        let k = p.const_array(&sort, v);
        let (x, y) = (p.store(k, i, j), p.const_array(&sort, i));
        let elsewhere =
            fact(&walk(k, vec![(Hop::Write, x), (Hop::Equality, y)], [None, None], None)).unwrap();
        assert_eq!(elsewhere, p.or2(p.not(p.eq(x, y)), p.eq(v, i)));
        assert!(fact(&walk(a, vec![], [Some(a), None], Some(i))).is_err());
    }

    #[test]
    fn a_small_index_sort_may_be_written_everywhere() {
        let p = TermPool::new();
        let bit = Sort::BitVec(1);
        let sort = Sort::array(bit.clone(), Sort::Int);
        let (i, j) = (p.var("i", bit.clone()), p.var("j", bit));
        let (zero, one) = (p.const_array(&sort, p.int(0)), p.const_array(&sort, p.int(1)));
        let once = p.store(zero, i, p.int(1));
        let twice = p.store(once, j, p.int(1));
        let mut none = Extension::new(&p, &[], &[]).unwrap();
        let mut fact = |hops: Vec<(Hop, Term)>| formula(&p, &mut none, &walk(zero, hops, [None, None], None));
        assert!(fact(vec![(Hop::Write, once), (Hop::Equality, one)]).is_ok());
        assert!(fact(vec![(Hop::Write, once), (Hop::Write, twice), (Hop::Equality, one)]).is_err());
    }

    #[test]
    fn definitions_must_be_new() {
        let p = TermPool::new();
        let sort = Sort::array(Sort::Int, Sort::Int);
        let (a, b, i) = (p.var("a", sort.clone()), p.var("b", sort), p.var("i", Sort::Int));
        let (r, w) = (p.var("r", Sort::Int), p.var("w", Sort::Int));
        let read = Definition { var: r, meaning: Meaning::Term(p.select(a, i)) };
        let differ = Definition { var: w, meaning: Meaning::Difference(a, b) };
        let asserted = [p.eq(p.select(a, i), p.int(1))];
        let sound = |asserted: &[Term], d: &[Definition]| Extension::new(&p, asserted, d).is_ok();
        assert!(sound(&asserted, &[read.clone(), differ.clone()]));
        // In an asserted formula, twice, of another sort, no variable.
        assert!(!sound(&[p.eq(r, p.int(1))], std::slice::from_ref(&read)));
        assert!(!sound(&asserted, &[read.clone(), read.clone()]));
        assert!(!sound(&asserted, &[Definition { var: b, ..read.clone() }]));
        assert!(!sound(&asserted, &[Definition { var: p.int(3), ..read.clone() }]));
        // In its own definition, and in an earlier one.
        assert!(!sound(&asserted, &[Definition { var: i, meaning: Meaning::Term(p.select(b, i)) }]));
        let early = Definition { var: i, meaning: Meaning::Term(p.select(b, w)) };
        assert!(sound(&[], &[differ.clone(), early.clone()]));
        assert!(!sound(&[], &[early, differ]));
        assert!(!sound(&[], &[Definition { var: w, meaning: Meaning::Difference(a, i) }]));
    }
}
