//! Small arrays as variables: one for each element.
//!
//! An array whose indices are bit-vectors has finitely many elements. If they are few, a program over arrays
//! is a program over their elements: a read is a choice by the bits of the index, a write changes the element
//! whose number is the index, and two arrays are equal if all elements are.
//!
//! The way back: an element is a read at a constant ([`Elements::formula`]), and the values of the elements
//! make the value of the array ([`Elements::values`]).
//!
//! Entry point: [`blast`].

use std::rc::Rc;

use palisade_program::{Edge, Program};
use palisade_proof::circuit as gates;
use palisade_term::{Op, Sort, Term, TermPool, Value};
use rustc_hash::FxHashMap;

use crate::finite::NotFinite;

/// Bits of an array that is blasted, at most.
const MAX_BITS: u64 = 4096;

/// The elements of the arrays of a program.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    /// The program over elements.
    pub(crate) program: Program,
    /// The elements of each array variable.
    of: FxHashMap<Term, Rc<[Term]>>,
    /// Each element as a read.
    reads: FxHashMap<Term, Term>,
}

/// The number of elements of a small array; `None` for other sorts.
pub(crate) fn small(sort: &Sort) -> Option<u64> {
    let (index, element) = sort.array_parts()?;
    let width = match element {
        Sort::Bool => 1,
        Sort::BitVec(w) => u64::from(*w),
        _ => return None,
    };
    match index {
        Sort::BitVec(w) if *w < 32 && width << *w <= MAX_BITS => Some(1 << *w),
        _ => None,
    }
}

/// The program over the elements of its arrays; `None` if it has no arrays.
///
/// # Errors
/// If an array is not small, or something is done to arrays that elements cannot tell.
pub(crate) fn blast(pool: &TermPool, program: &Program) -> Result<Option<Elements>, NotFinite> {
    let state = program.locations.iter().flat_map(|l| &l.vars);
    let inputs = program.edges.iter().flat_map(|e| &e.inputs);
    let arrays: Vec<Term> =
        state.chain(inputs).copied().filter(|&v| pool.sort(v).array_parts().is_some()).collect();
    if arrays.is_empty() {
        return Ok(None);
    }
    let (mut of, mut reads) = (FxHashMap::default(), FxHashMap::default());
    for a in arrays {
        if of.contains_key(&a) {
            continue;
        }
        let sort = pool.sort(a).clone();
        let (Some(count), Some((Sort::BitVec(w), element))) = (small(&sort), sort.array_parts()) else {
            let at = program.declared.get(&a).map_or_else(String::new, |at| format!(", {at}"));
            return Err(NotFinite(format!("the array `{}` is not small: {sort}{at}", pool.var_display(a))));
        };
        let elements: Rc<[Term]> = (0..count)
            .map(|k| {
                let e = pool.fresh_var(&format!("{}[{k}]", pool.var_name(a)), element.clone());
                reads.insert(e, pool.select(a, pool.bitvec(k, *w)));
                e
            })
            .collect();
        of.insert(a, elements);
    }
    let mut blaster = Blaster { pool, of: &of, scalars: FxHashMap::default(), arrays: FxHashMap::default() };
    let mut new = program.clone();
    let spread = |vars: &[Term]| -> Vec<Term> {
        vars.iter().flat_map(|v| of.get(v).map_or_else(|| vec![*v], |e| e.to_vec())).collect()
    };
    for l in &mut new.locations {
        l.vars = spread(&l.vars);
    }
    for e in &mut new.edges {
        let mut update = Vec::new();
        for &u in &e.update {
            blaster.visit(u)?;
            match blaster.arrays.get(&u) {
                Some(elements) => update.extend(elements.iter()),
                None => update.push(blaster.scalars[&u]),
            }
        }
        blaster.visit(e.guard)?;
        *e = Edge { guard: blaster.scalars[&e.guard], inputs: spread(&e.inputs), update, ..e.clone() };
    }
    Ok(Some(Elements { program: new, of, reads }))
}

impl Elements {
    /// A formula over elements as one over arrays.
    pub(crate) fn formula(&self, pool: &TermPool, formula: Term) -> Term {
        pool.substitute(formula, &self.reads)
    }

    /// The values of variables from those of their elements, in the same order.
    pub(crate) fn values(&self, pool: &TermPool, vars: &[Term], elements: &[Value]) -> Vec<Value> {
        let mut rest = elements.iter();
        let mut next = || rest.next().cloned().expect("a value for each element");
        let value = |v: &Term| {
            let (Some(elements), Sort::Array(_)) = (self.of.get(v), pool.sort(*v)) else { return next() };
            let mut value = Value::default_of(pool.sort(*v));
            let Value::Array(array) = &mut value else { unreachable!("the sort is that of an array") };
            let width = pool.sort(*v).array_parts().and_then(|(index, _)| index.width()).unwrap_or(1);
            for k in 0..elements.len() {
                array.set(Value::BitVec(width, k.into()), next());
            }
            value
        };
        vars.iter().map(value).collect()
    }
}

struct Blaster<'a> {
    pool: &'a TermPool,
    of: &'a FxHashMap<Term, Rc<[Term]>>,
    /// Terms that are no arrays, over elements.
    scalars: FxHashMap<Term, Term>,
    /// The elements of terms that are arrays.
    arrays: FxHashMap<Term, Rc<[Term]>>,
}

impl Blaster<'_> {
    /// Translates a term and all that it is made of.
    fn visit(&mut self, root: Term) -> Result<(), NotFinite> {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.scalars.contains_key(&t) || self.arrays.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let open = |a: &Term| !self.scalars.contains_key(a) && !self.arrays.contains_key(a);
            stack.extend(self.pool.args(t).iter().copied().filter(open));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if self.pool.sort(t).array_parts().is_some() {
                let elements = self.array(t)?;
                self.arrays.insert(t, elements);
            } else {
                let scalar = self.scalar(t);
                self.scalars.insert(t, scalar);
            }
        }
        Ok(())
    }

    fn array(&self, t: Term) -> Result<Rc<[Term]>, NotFinite> {
        let (pool, args) = (self.pool, self.pool.args(t));
        let too_large = || NotFinite(format!("an array is not small: {}", pool.sort(t)));
        let count = small(pool.sort(t)).ok_or_else(too_large)?;
        Ok(match pool.op(t) {
            Op::Var(..) => self.of[&t].clone(),
            Op::ConstArray => (0..count).map(|_| self.scalars[&args[0]]).collect(),
            Op::Store => {
                let (index, value) = (self.scalars[&args[1]], self.scalars[&args[2]]);
                let width = pool.sort(index).width().unwrap_or(1);
                let at = |k: usize| pool.eq(index, pool.bitvec(k, width));
                let old = self.arrays[&args[0]].iter().enumerate();
                old.map(|(k, &e)| pool.ite(at(k), value, e)).collect()
            }
            Op::Ite => {
                let (a, b) = (&self.arrays[&args[1]], &self.arrays[&args[2]]);
                a.iter().zip(b.iter()).map(|(&a, &b)| pool.ite(self.scalars[&args[0]], a, b)).collect()
            }
            op => return Err(NotFinite(format!("arrays are made by {op:?}"))),
        })
    }

    fn scalar(&self, t: Term) -> Term {
        let (pool, args) = (self.pool, self.pool.args(t));
        match pool.op(t) {
            Op::Select => {
                let index = self.scalars[&args[1]];
                let mut elements = self.arrays[&args[0]].to_vec();
                for i in 0..pool.sort(index).width().unwrap_or(1) {
                    let bit = gates::bit(pool, index, i);
                    elements = elements.chunks(2).map(|c| pool.ite(bit, c[1], c[0])).collect();
                }
                elements[0]
            }
            Op::Eq if self.arrays.contains_key(&args[0]) => {
                let (a, b) = (&self.arrays[&args[0]], &self.arrays[&args[1]]);
                pool.and(a.iter().zip(b.iter()).map(|(&a, &b)| pool.eq(a, b)))
            }
            _ if args.is_empty() => t,
            op => {
                let args: Vec<Term> = args.iter().map(|a| self.scalars[a]).collect();
                pool.rebuild(op, &args, pool.sort(t))
            }
        }
    }
}
