//! Small arrays as variables: one for each element.
//!
//! A ring buffer of four elements, a pool of five timers: an array of which the program says that it has only
//! these elements ([`Program::cells`]). As variables, the elements can be generalised over, interpolated and
//! projected like all others; as an array they are one value, and every lemma is about one state of it. A
//! read at an index that is not constant becomes a choice among the elements, a write becomes a choice for
//! each of them. A read elsewhere gives a new input: so every proof about the new program is one about the
//! old one, also where it has not proved that indices stay inside.
//!
//! Arrays that are copied into each other become cells together or not at all: all variables of such a group
//! must have the same indices. An array that is compared as a whole, or is an element of another array,
//! stays.
//!
//! Invariant: where the program's word about the indices is true (no run reads or writes elsewhere), the
//! verdict is preserved. Where it is not, a run of the new program may be none of the old one; that shows
//! when it is replayed. Way back: a cell is a read at its index; inputs that were arrays are put together
//! again.
//!
//! Entry point: [`cells`](fn@cells).

use palisade_program::{CutInvariants, Edge, EdgeId, Location, Program, Run, State, Step};
use palisade_term::{Op, Sort, Substitution, Term, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::back::{Back, BackTranslation, Transformed, Untranslatable};

/// Replaces arrays of at most so many elements by their elements; `None` when there are none.
pub fn cells(pool: &TermPool, old: &Program, most: usize) -> Option<Transformed> {
    let groups = Groups::of(pool, old, most);
    if groups.indices.is_empty() {
        return None;
    }
    let mut split = Split { pool, groups, cells: FxHashMap::default() };
    let mut program = Program { cells: FxHashMap::default(), ..old.clone() };
    for location in &mut program.locations {
        *location = Location { vars: split.variables(&location.vars), ..location.clone() };
    }
    for edge in &mut program.edges {
        *edge = split.edge(edge);
    }
    let reads = split.reads(old);
    Some(Transformed { program, back: Box::new(CellsBack { reads, split: split.of_variables() }) })
}

/// Arrays that flow into each other, and the indices of those that become cells.
struct Groups {
    /// A term of the same group, nearer to its representative; none for the representative.
    parent: FxHashMap<Term, Term>,
    /// The indices of each group that becomes cells, by representative.
    indices: FxHashMap<Term, Vec<i64>>,
}

impl Groups {
    fn of(pool: &TermPool, program: &Program, most: usize) -> Groups {
        let mut groups = Groups { parent: FxHashMap::default(), indices: FxHashMap::default() };
        let is_array = |t: Term| pool.sort(t).array_parts().is_some();
        let mut arrays: Vec<Term> = Vec::new();
        let mut whole: Vec<Term> = Vec::new();
        let terms = program.edges.iter().flat_map(|e| e.update.iter().chain([&e.guard])).copied();
        pool.visit(terms, |t| {
            arrays.extend(is_array(t).then_some(t));
            let args = pool.args(t);
            match pool.op(t) {
                Op::Var(..) | Op::ConstArray => {}
                Op::Store => groups.join(t, args[0]),
                Op::Ite if is_array(t) => {
                    groups.join(t, args[1]);
                    groups.join(t, args[2]);
                }
                Op::Select if !is_array(t) => {}
                _ => whole.extend(args.iter().copied().chain([t]).filter(|a| is_array(*a))),
            }
        });
        for edge in &program.edges {
            for (&v, &u) in program.vars(edge.target).iter().zip(&edge.update) {
                if is_array(v) {
                    groups.join(v, u);
                }
            }
        }
        // The indices of a group are those of its variables, if they agree. Inputs have none of their own.
        let whole: FxHashSet<Term> = whole.into_iter().map(|t| groups.find(t)).collect();
        let mut stay = whole;
        let variables =
            program.locations.iter().flat_map(|l| l.vars.iter().copied()).filter(|v| is_array(*v));
        for v in variables.collect::<FxHashSet<Term>>() {
            let group = groups.find(v);
            let of_elements = pool.sort(v).array_parts().is_some_and(|(_, e)| e.array_parts().is_none());
            let own = program.cells.get(&v).filter(|k| of_elements && !k.is_empty() && k.len() <= most);
            match own {
                Some(own) if groups.indices.get(&group).is_none_or(|k| k == own) => {
                    groups.indices.insert(group, own.clone());
                }
                _ => {
                    stay.insert(group);
                }
            }
        }
        groups.indices.retain(|group, _| !stay.contains(group));
        groups
    }

    fn find(&self, mut t: Term) -> Term {
        while let Some(&up) = self.parent.get(&t) {
            t = up;
        }
        t
    }

    /// Puts the group of `a` under that of `b`.
    fn join(&mut self, a: Term, b: Term) {
        let (top_a, top_b) = (self.find(a), self.find(b));
        if top_a != top_b {
            self.parent.insert(top_a, top_b);
        }
        // Ways to the top stay short.
        for t in [a, b].into_iter().filter(|t| *t != top_b) {
            self.parent.insert(t, top_b);
        }
    }

    /// The indices of an array that becomes cells.
    fn indices(&self, array: Term) -> Option<&[i64]> {
        self.indices.get(&self.find(array)).map(Vec::as_slice)
    }
}

/// The new terms of an edge.
#[derive(Default)]
struct NewTerms {
    /// Of those that stay one term.
    whole: FxHashMap<Term, Term>,
    /// Of those that become cells.
    parts: FxHashMap<Term, Vec<Term>>,
    /// What is read at other indices.
    elsewhere: Vec<Term>,
}

/// Terms with cells instead of arrays.
struct Split<'p> {
    pool: &'p TermPool,
    groups: Groups,
    /// The cells of each variable that is split.
    cells: FxHashMap<Term, Vec<Term>>,
}

impl Split<'_> {
    /// The cells of a variable, in the order of the indices; `None` if it stays.
    fn of_variable(&mut self, v: Term) -> Option<&[Term]> {
        let indices = self.groups.indices(v)?;
        let pool = self.pool;
        Some(self.cells.entry(v).or_insert_with(|| {
            let (_, element) = pool.sort(v).array_parts().expect("an array");
            let name = pool.var_name(v);
            indices.iter().map(|i| pool.fresh_var(&format!("{name}[{i}]"), element.clone())).collect()
        }))
    }

    fn variables(&mut self, vars: &[Term]) -> Vec<Term> {
        vars.iter().flat_map(|&v| self.of_variable(v).map_or_else(|| vec![v], <[Term]>::to_vec)).collect()
    }

    fn edge(&mut self, old: &Edge) -> Edge {
        let NewTerms { whole, parts, elsewhere } = self.rewrite(old);
        let new = |t: &Term| parts.get(t).cloned().unwrap_or_else(|| vec![whole[t]]);
        let inputs = self.variables(&old.inputs);
        Edge {
            inputs: inputs.into_iter().chain(elsewhere).collect(),
            guard: whole[&old.guard],
            update: old.update.iter().flat_map(new).collect(),
            ..old.clone()
        }
    }

    fn rewrite(&mut self, edge: &Edge) -> NewTerms {
        let pool = self.pool;
        let NewTerms { mut whole, mut parts, mut elsewhere } = NewTerms::default();
        pool.visit(edge.update.iter().copied().chain([edge.guard]), |t| {
            let args = pool.args(t);
            if let Some(indices) = self.groups.indices(t).map(<[i64]>::to_vec) {
                let cells = match pool.op(t) {
                    Op::Store => {
                        let (at, value) = (whole[&args[1]], whole[&args[2]]);
                        let old = parts[&args[0]].iter().zip(&indices);
                        old.map(|(&cell, &k)| pool.ite(is(pool, at, k), value, cell)).collect()
                    }
                    Op::Ite => {
                        let sides = parts[&args[1]].iter().zip(&parts[&args[2]]);
                        sides.map(|(&a, &b)| pool.ite(whole[&args[0]], a, b)).collect()
                    }
                    Op::ConstArray => vec![whole[&args[0]]; indices.len()],
                    _ => self.of_variable(t).expect("the group is split").to_vec(),
                };
                parts.insert(t, cells);
                return;
            }
            let new = match (pool.op(t), args.first().and_then(|a| parts.get(a))) {
                (Op::Select, Some(cells)) => {
                    let indices = self.groups.indices(args[0]).expect("the group is split");
                    read(pool, cells, indices, whole[&args[1]], &mut elsewhere)
                }
                _ => {
                    let new: Vec<Term> = args.iter().map(|a| whole[a]).collect();
                    if new[..] == *args { t } else { pool.rebuild(pool.op(t), &new, pool.sort(t)) }
                }
            };
            whole.insert(t, new);
        });
        NewTerms { whole, parts, elsewhere }
    }

    /// What each cell of the state is in the old program.
    fn reads(&self, old: &Program) -> FxHashMap<Term, Term> {
        let pool = self.pool;
        let mut out = FxHashMap::default();
        for &v in old.locations.iter().flat_map(|l| &l.vars) {
            if let (Some(cells), Some(indices)) = (self.cells.get(&v), self.groups.indices(v)) {
                let (sort, _) = pool.sort(v).array_parts().expect("an array");
                out.extend(
                    cells.iter().zip(indices).map(|(&c, &k)| (c, pool.select(v, number(pool, sort, k)))),
                );
            }
        }
        out
    }

    /// The indices of each variable that is split.
    fn of_variables(self) -> FxHashMap<Term, Vec<i64>> {
        let indices = |v: &Term| self.groups.indices(*v).map(<[i64]>::to_vec);
        self.cells.keys().filter_map(|v| Some((*v, indices(v)?))).collect()
    }
}

/// The element at an index; at any other index than these it is an input.
fn read(pool: &TermPool, cells: &[Term], indices: &[i64], at: Term, elsewhere: &mut Vec<Term>) -> Term {
    let mut each = cells.iter().zip(indices).rev();
    let other = if stays_inside(pool, at, indices) {
        *each.next().expect("at least one cell").0
    } else {
        pool.fresh_var("elsewhere", pool.sort(cells[0]).clone())
    };
    let value = each.fold(other, |rest, (&cell, &k)| pool.ite(is(pool, at, k), cell, rest));
    if !cells.contains(&other) && pool.free_vars(value).contains(&other) {
        elsewhere.push(other);
    }
    value
}

/// Is the term one of the indices, whatever its variables are? Remainders are looked at, no more.
fn stays_inside(pool: &TermPool, at: Term, indices: &[i64]) -> bool {
    let divisor = match (pool.op(at), pool.args(at)) {
        (Op::Mod, [_, d]) => pool.as_number(*d).map(|d| d.to_integer()),
        (Op::BvUrem, [_, d]) => match pool.op(*d) {
            Op::BitVec(d) => Some(d.clone()),
            _ => None,
        },
        _ => None,
    };
    let Some(divisor) = divisor.and_then(|d| i64::try_from(d).ok()) else { return false };
    divisor > 0
        && indices.len() as i64 >= divisor
        && indices.iter().copied().take(divisor as usize).eq(0..divisor)
}

fn is(pool: &TermPool, at: Term, index: i64) -> Term {
    pool.eq(at, number(pool, pool.sort(at), index))
}

/// An index as a term.
fn number(pool: &TermPool, sort: &Sort, index: i64) -> Term {
    match sort {
        Sort::BitVec(width) => pool.bitvec(index, *width),
        _ => pool.int(index),
    }
}

struct CellsBack {
    /// What each cell of the state is in the old program.
    reads: FxHashMap<Term, Term>,
    /// The variables and inputs that are split, with their indices.
    split: FxHashMap<Term, Vec<i64>>,
}

impl CellsBack {
    /// Values of the old variables from those of their cells.
    fn together(&self, pool: &TermPool, old: &[Term], new: &[Value]) -> Option<State> {
        let mut rest = new.iter();
        let whole = |v: &Term| {
            let Some(indices) = self.split.get(v) else { return rest.next().cloned() };
            let mut value = Value::default_of(pool.sort(*v));
            let Value::Array(array) = &mut value else { unreachable!("only arrays are split") };
            for &k in indices {
                let index = match &array.index_sort {
                    Sort::BitVec(width) => Value::BitVec(*width, k.into()),
                    _ => Value::Int(k.into()),
                };
                array.set(index, rest.next()?.clone());
            }
            Some(value)
        };
        old.iter().map(whole).collect()
    }
}

impl BackTranslation for CellsBack {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        if new.formulas.len() != old.locations.len() {
            return Err(Untranslatable::WrongLength);
        }
        let mut read = Substitution::new(pool, &self.reads);
        let formulas = new.formulas.iter().map(|f| f.map(|f| read.apply(f))).collect();
        Ok(CutInvariants { formulas, ..new.clone() })
    }

    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        let wrong = |step| Untranslatable::NotARun(palisade_program::ReplayError::WrongSource { step });
        let step = |(i, step): (usize, &Step)| {
            let edge: EdgeId = step.edge;
            let inputs = old.edges.get(edge.index()).map(|e| &e.inputs).ok_or(wrong(i))?;
            Ok(Step { edge, inputs: self.together(pool, inputs, &step.inputs).ok_or(wrong(i))? })
        };
        Ok(Run {
            initial: self.together(pool, old.vars(old.entry), &new.initial).ok_or(wrong(0))?,
            steps: new.steps.iter().enumerate().map(step).collect::<Back<_>>()?,
        })
    }
}
