//! Facts about all cells of an array, from facts about any one of them: arrays are replaced by the cell at an
//! index that is chosen before the run begins and never changes (Monniaux and Gonnord, "Cell Morphing: From
//! Array Programs to Array-Free Horn Clauses", 2016; the index is a prophecy variable as in Mann, Irfan,
//! Griggio, Padon and Barrett, "Counterexample-Guided Prophecy for Model Checking Modulo the Theory of
//! Arrays", 2021).
//!
//! `for (i = 0; i < n; i++) a[i] = 42; for (x = 0; x < n; x++) assert(a[x] == 42);` needs `forall k. 0 <= k <
//! i ==> a[k] == 42`. With `k` as a variable that keeps its value, `a[k]` is an ordinary variable, which a
//! write at `i` changes if `i == k`; a read at `i` has its value if `i == k`, and is an input otherwise. The
//! new program has no arrays of scalars any more.
//!
//! The error is reached with some value of the index that is read there. So edges into the error location
//! demand that `k` is that index: the run of the old program is a run of the new one for the `k` that guessed
//! it. An edge that reads two indices wants two such variables ([`MOST`]); of further ones it learns nothing.
//!
//! **Parameters.** `for (i = 0; i < 100000; i++)` has the same invariant for every bound, and an engine that
//! sees the number counts up to it. So numbers that indices are compared with become variables that keep
//! their value, too, and the proof is one for all their values; on the way back they are the numbers again.
//! It is the caller's choice, since some properties hold for the one number only.
//!
//! **Facts.** What is already known of all cells ([`Facts`]) holds for every cell that an edge reads, also
//! where that is not prophesied. It may be enough: then no cell is followed at all, and the new program has
//! only the other variables.
//!
//! Invariants:
//! - Every run of the old program to the error is one of the new program, for some values of the prophecies.
//!   So a proof is a proof. A run of the new program need not be one of the old program.
//! - The prophecies are variables of every location but the error, with any values at the entry.
//!
//! Way back: a formula speaks of `a[k]`, and holds for all values of `k` ([`CutInvariants::forall`]): no edge
//! but those into the error tells anything about `k`. There is none for runs.
//!
//! Limits: at other edges a read tells nothing of cells that are not prophesied but what was known before;
//! properties that speak of three cells, or of the order of all (sortedness needs two), of sums over
//! all cells, and of arrays that are compared as a whole.
//!
//! Entry point: [`prophecy`](fn@prophecy).

use num_traits::Signed;
use palisade_program::{CutInvariants, Edge, Location, Program, Run};
use palisade_term::{Integer, Op, Sort, Substitution, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::back::{Back, BackTranslation, Transformed, Untranslatable};

/// How many cells are followed, for each sort of index.
pub const MOST: usize = 2;

/// What is known of all cells of a program's arrays.
pub struct Facts {
    /// The variable that stands for any index, an integer.
    pub index: Term,
    /// What holds for all its values, by location.
    pub formulas: Vec<Term>,
}

impl Facts {
    /// The guard of an edge, with what is known of the cells that it touches and of those at these indices.
    fn assumed(&self, pool: &TermPool, edge: &Edge, indices: &[Term]) -> Term {
        let known = self.formulas[edge.source.index()];
        let mut at: Vec<Term> = indices.iter().copied().filter(|&k| *pool.sort(k) == Sort::Int).collect();
        pool.visit(edge.update.iter().copied().chain([edge.guard]), |t| {
            if matches!(pool.op(t), Op::Select | Op::Store) {
                let index = pool.args(t)[1];
                if *pool.sort(index) == Sort::Int && !at.contains(&index) {
                    at.push(index);
                }
            }
        });
        let instance = |index| pool.substitute(known, &[(self.index, index)].into_iter().collect());
        pool.and(at.into_iter().map(instance).chain([edge.guard]))
    }
}

/// A program over cells at prophesied indices.
pub struct Prophesied {
    /// The program, and the way back for its formulas.
    pub step: Transformed,
    /// The prophecies, and the index of what was known: the formulas hold for all their values.
    pub indices: Vec<Term>,
}

/// Smaller numbers stay numbers.
const LEAST: i32 = 10;
/// Numbers that differ by no more are one parameter.
const NEAR: i32 = 4;

/// What takes the place of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// The cells that edges into the error location read.
    Any,
    /// The same, and numbers that indices are compared with become parameters.
    AnySize,
    /// No cells, but what is known of all.
    None,
}

/// Replaces arrays of scalars by some of their cells; `None` if the edges into the error location read no
/// array, or nothing is known where no cell is followed.
///
/// What is known holds at the prophesied cells and at all others that an edge touches, and becomes a part of
/// what comes back.
pub fn prophecy(pool: &TermPool, old: &Program, cells: Cells, facts: Option<&Facts>) -> Option<Prophesied> {
    let mut wanted = wanted(pool, old);
    let most = if cells == Cells::None {
        wanted.clear();
        facts.map(|_| 0)?
    } else {
        let reads = wanted.values().flatten().map(|(_, reads)| reads.len()).max();
        reads.or(facts.map(|_| 1))?.min(MOST)
    };
    let mut sorts: Vec<Sort> = Vec::new();
    for sort in old.locs().flat_map(|l| old.sorts(pool, l)).filter_map(index_of_scalars) {
        if !sorts.contains(sort) {
            sorts.push(sort.clone());
        }
    }
    let name = |i: usize| if i == 0 { "k".to_owned() } else { format!("k{}", i + 1) };
    let known_index = facts.map(|f| f.index);
    let of_sort = |s: &Sort| {
        let first = known_index.filter(|&k| pool.sort(k) == s);
        let fresh =
            |i: usize| first.filter(|_| i == 0).unwrap_or_else(|| pool.fresh_var(&name(i), s.clone()));
        (0..most).map(fresh).collect()
    };
    let indices: Vec<(Sort, Vec<Term>)> = sorts.iter().map(|s| (s.clone(), of_sort(s))).collect();
    let parameters = if cells == Cells::AnySize { Parameters::of(pool, old) } else { Parameters::default() };
    let mut morph = Morph { pool, indices, parameters, cells: FxHashMap::default() };
    let mut all = morph.all_indices();
    let kept: Vec<Term> = all.iter().copied().chain(morph.parameters.all()).collect();
    let mut program = Program { cells: FxHashMap::default(), ..old.clone() };
    for l in old.locs().filter(|&l| l != old.error) {
        let location = &mut program.locations[l.index()];
        let vars = kept.iter().copied().chain(morph.variables(&location.vars));
        *location = Location { vars: vars.collect(), ..location.clone() };
    }
    for (i, edge) in program.edges.iter_mut().enumerate() {
        let keep: &[Term] = if edge.target == old.error { &[] } else { &kept };
        let guard = facts.map_or(edge.guard, |f| f.assumed(pool, edge, &all));
        *edge = morph.edge(&Edge { guard, ..edge.clone() }, keep, wanted.get(&i));
    }
    let reads = morph.cells.iter().flat_map(|(&array, cells)| {
        let at = morph.at(array).iter();
        cells.iter().zip(at).map(move |(&cell, &k)| (cell, pool.select(array, k)))
    });
    let numbers = morph.parameters.known.iter().map(|(number, p)| (*p, pool.int(number.clone())));
    let facts = facts.map_or(Vec::new(), |f| f.formulas.clone());
    let back = ProphecyBack { reads: reads.chain(numbers).collect(), facts };
    all.extend(known_index.filter(|k| !all.contains(k)));
    Some(Prophesied { step: Transformed { program, back: Box::new(back) }, indices: all })
}

/// The sort of the indices of an array of scalars.
fn index_of_scalars(sort: &Sort) -> Option<&Sort> {
    let (index, element) = sort.array_parts()?;
    (index.array_parts().is_none() && element.array_parts().is_none()).then_some(index)
}

/// The indices that edges into the error location read, by the number of the edge and the sort of the index.
type Wanted = FxHashMap<usize, Vec<(Sort, Vec<Term>)>>;

fn wanted(pool: &TermPool, program: &Program) -> Wanted {
    let mut out = Wanted::default();
    for (i, edge) in program.edges.iter().enumerate().filter(|(_, e)| e.target == program.error) {
        let mut reads: Vec<(Sort, Vec<Term>)> = Vec::new();
        pool.visit([edge.guard], |t| {
            if *pool.op(t) != Op::Select {
                return;
            }
            let [array, at] = pool.args(t) else { return };
            let Some(sort) = index_of_scalars(pool.sort(*array)) else { return };
            match reads.iter_mut().find(|(s, _)| s == sort) {
                Some((_, indices)) if !indices.contains(at) => indices.push(*at),
                Some(_) => {}
                None => reads.push((sort.clone(), vec![*at])),
            }
        });
        if !reads.is_empty() {
            // A cell at a constant index is rarely what a fact about all cells is wanted for.
            reads.iter_mut().for_each(|(_, indices)| indices.sort_by_key(|&i| pool.is_const(i)));
            out.insert(i, reads);
        }
    }
    out
}

/// Numbers that become variables.
#[derive(Default)]
struct Parameters {
    /// The variables that indices are made of.
    of_indices: FxHashSet<Term>,
    /// In ascending order, and not near each other.
    known: Vec<(Integer, Term)>,
}

impl Parameters {
    fn of(pool: &TermPool, program: &Program) -> Parameters {
        let terms = || program.edges.iter().flat_map(|e| e.update.iter().chain([&e.guard])).copied();
        let mut out = Parameters::default();
        pool.visit(terms(), |t| {
            if matches!(pool.op(t), Op::Select | Op::Store) {
                out.of_indices.extend(pool.free_vars(pool.args(t)[1]));
            }
        });
        let mut numbers: Vec<Integer> = Vec::new();
        pool.visit(terms(), |t| numbers.extend(out.number(pool, t).filter(|_| out.is_of_index(pool, t))));
        numbers.sort();
        for number in numbers {
            if out.known.last().is_none_or(|(last, _)| &number - last > NEAR.into()) {
                out.known.push((number, pool.fresh_var("n", Sort::Int)));
            }
        }
        out
    }

    fn all(&self) -> impl Iterator<Item = Term> {
        self.known.iter().map(|(_, p)| *p)
    }

    /// The number that something other than a cell is compared with, if it may be a parameter: not small, and
    /// not the bound of a type.
    fn number(&self, pool: &TermPool, atom: Term) -> Option<Integer> {
        let (Op::Le | Op::Lt | Op::Eq, [form, bound]) = (pool.op(atom), pool.args(atom)) else { return None };
        let number = pool.as_number(*bound).filter(|_| *pool.sort(*form) == Sort::Int)?.to_integer();
        let size = number.abs();
        let is_of_type = [7_u32, 8, 15, 16, 31, 32, 63, 64]
            .into_iter()
            .any(|bits| Signed::abs(&(&size - (Integer::from(1) << bits))) <= Integer::from(NEAR));
        let is_of_cell = || {
            let mut found = false;
            pool.visit([*form], |t| found |= *pool.op(t) == Op::Select);
            found
        };
        (size >= LEAST.into() && !is_of_type && !is_of_cell()).then_some(number)
    }

    /// Is the comparison about an index?
    fn is_of_index(&self, pool: &TermPool, atom: Term) -> bool {
        pool.free_vars(atom).iter().any(|v| self.of_indices.contains(v))
    }

    /// What takes the place of the number: also where no index is compared with it (`n <= 1000`), since other
    /// comparisons follow from that.
    fn bound(&self, pool: &TermPool, atom: Term) -> Option<Term> {
        if self.known.is_empty() {
            return None;
        }
        let number = self.number(pool, atom)?;
        let (base, parameter) = self.known.iter().rev().find(|(base, _)| *base <= number)?;
        let more = number - base;
        (more <= NEAR.into()).then(|| pool.add2(*parameter, pool.int(more)))
    }
}

/// Terms with cells instead of arrays of scalars.
struct Morph<'p> {
    pool: &'p TermPool,
    /// The prophecies of each sort.
    indices: Vec<(Sort, Vec<Term>)>,
    parameters: Parameters,
    /// The cells of each variable that is an array of scalars, one for each prophecy.
    cells: FxHashMap<Term, Vec<Term>>,
}

/// The new terms of an edge.
#[derive(Default)]
struct NewTerms {
    /// Of those that stay one term.
    whole: FxHashMap<Term, Term>,
    /// Of arrays: their cells.
    parts: FxHashMap<Term, Vec<Term>>,
    /// What is read elsewhere, by array and index.
    elsewhere: FxHashMap<(Term, Term), Term>,
    /// The new inputs.
    inputs: Vec<Term>,
}

impl Morph<'_> {
    fn all_indices(&self) -> Vec<Term> {
        self.indices.iter().flat_map(|(_, indices)| indices.iter().copied()).collect()
    }

    /// The prophecies for an array.
    fn at(&self, array: Term) -> &[Term] {
        let sort = index_of_scalars(self.pool.sort(array)).expect("an array of scalars");
        let found = self.indices.iter().find(|(s, _)| s == sort);
        found.map_or(&[], |(_, indices)| indices)
    }

    /// Is the term an array that becomes cells?
    fn is_morphed(&self, t: Term) -> bool {
        index_of_scalars(self.pool.sort(t)).is_some_and(|s| self.indices.iter().any(|(i, _)| i == s))
    }

    /// Variables with the cells instead of arrays.
    fn variables(&mut self, vars: &[Term]) -> Vec<Term> {
        let mut out = Vec::new();
        for &v in vars {
            if self.is_morphed(v) { out.extend(self.of_variable(v)) } else { out.push(v) }
        }
        out
    }

    /// The cells of a variable.
    fn of_variable(&mut self, v: Term) -> Vec<Term> {
        if let Some(known) = self.cells.get(&v) {
            return known.clone();
        }
        let cells = self.fresh_cells(v, self.pool.var_name(v));
        self.cells.insert(v, cells.clone());
        cells
    }

    fn fresh_cells(&self, array: Term, name: &str) -> Vec<Term> {
        let (_, element) = self.pool.sort(array).array_parts().expect("an array");
        let cell = |_| self.pool.fresh_var(name, element.clone());
        self.at(array).iter().map(cell).collect()
    }

    fn edge(&mut self, old: &Edge, keep: &[Term], reads: Option<&Vec<(Sort, Vec<Term>)>>) -> Edge {
        let mut new = NewTerms::default();
        let inputs: FxHashSet<Term> = old.inputs.iter().copied().collect();
        for &input in &old.inputs {
            if !self.is_morphed(input) {
                new.inputs.push(input);
            }
        }
        self.rewrite(old, &inputs, &mut new);
        let mut guard = vec![new.whole[&old.guard]];
        for (sort, wanted) in reads.into_iter().flatten() {
            let Some((_, prophecies)) = self.indices.iter().find(|(s, _)| s == sort) else { continue };
            guard.extend(prophecies.iter().zip(wanted).map(|(&k, i)| self.pool.eq(k, new.whole[i])));
        }
        let mut update = keep.to_vec();
        for u in &old.update {
            match new.parts.get(u) {
                Some(cells) => update.extend(cells),
                None => update.push(new.whole[u]),
            }
        }
        Edge { inputs: new.inputs, guard: self.pool.and(guard), update, ..old.clone() }
    }

    fn rewrite(&mut self, edge: &Edge, inputs: &FxHashSet<Term>, new: &mut NewTerms) {
        let pool = self.pool;
        pool.visit(edge.update.iter().copied().chain([edge.guard]), |t| {
            let args = pool.args(t);
            if self.is_morphed(t) {
                let cells = match pool.op(t) {
                    Op::Store => {
                        let (at, value) = (new.whole[&args[1]], new.whole[&args[2]]);
                        let old = new.parts[&args[0]].iter().zip(self.at(t));
                        old.map(|(&cell, &k)| pool.ite(pool.eq(at, k), value, cell)).collect()
                    }
                    Op::Ite => {
                        let sides = new.parts[&args[1]].iter().zip(&new.parts[&args[2]]);
                        sides.map(|(&a, &b)| pool.ite(new.whole[&args[0]], a, b)).collect()
                    }
                    Op::ConstArray => vec![new.whole[&args[0]]; self.at(t).len()],
                    Op::Var(..) if !inputs.contains(&t) => self.of_variable(t),
                    // An input, or part of an array of arrays: any cells.
                    _ => {
                        let cells = self.fresh_cells(t, "cell");
                        new.inputs.extend(&cells);
                        cells
                    }
                };
                new.parts.insert(t, cells);
                return;
            }
            let of_array = args.iter().any(|a| new.parts.contains_key(a));
            let term = match pool.op(t) {
                Op::Select if new.parts.contains_key(&args[0]) => {
                    self.read(args[0], new.whole[&args[1]], new)
                }
                // What is asked of an array as a whole has any answer.
                _ if of_array => {
                    let any = pool.fresh_var("any", pool.sort(t).clone());
                    new.inputs.push(any);
                    any
                }
                Op::Le | Op::Lt | Op::Eq if let Some(bound) = self.parameters.bound(pool, t) => {
                    pool.rebuild(pool.op(t), &[new.whole[&args[0]], bound], pool.sort(t))
                }
                op => {
                    let args_new: Vec<Term> = args.iter().map(|a| new.whole[a]).collect();
                    if args_new[..] == *args { t } else { pool.rebuild(op, &args_new, pool.sort(t)) }
                }
            };
            new.whole.insert(t, term);
        });
    }

    /// What is read of an array at an index: the value of the write there, a prophesied cell, or anything.
    fn read(&self, array: Term, at: Term, new: &mut NewTerms) -> Term {
        let pool = self.pool;
        // The arrays that it is made of, each behind its parts.
        let (mut order, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![(array, false)]);
        while let Some((a, done)) = stack.pop() {
            if done {
                order.push(a);
            } else if seen.insert(a) {
                stack.push((a, true));
                let args = pool.args(a);
                match pool.op(a) {
                    Op::Store => stack.push((args[0], false)),
                    Op::Ite => stack.extend([(args[1], false), (args[2], false)]),
                    _ => {}
                }
            }
        }
        let mut value: FxHashMap<Term, Term> = FxHashMap::default();
        for a in order {
            let args = pool.args(a);
            let read = match pool.op(a) {
                Op::Store => {
                    let here = pool.eq(at, new.whole[&args[1]]);
                    pool.ite(here, new.whole[&args[2]], value[&args[0]])
                }
                Op::Ite => pool.ite(new.whole[&args[0]], value[&args[1]], value[&args[2]]),
                Op::ConstArray => new.whole[&args[0]],
                _ => {
                    let (cells, indices) = (new.parts[&a].clone(), self.at(a));
                    let elsewhere = *new.elsewhere.entry((a, at)).or_insert_with(|| {
                        let (_, element) = pool.sort(a).array_parts().expect("an array");
                        let any = pool.fresh_var("elsewhere", element.clone());
                        new.inputs.push(any);
                        any
                    });
                    let known = cells.iter().zip(indices);
                    known.fold(elsewhere, |rest, (&cell, &k)| pool.ite(pool.eq(at, k), cell, rest))
                }
            };
            value.insert(a, read);
        }
        value[&array]
    }
}

struct ProphecyBack {
    /// What each cell is in the old program.
    reads: FxHashMap<Term, Term>,
    /// What was known, by location; nothing if there is nothing.
    facts: Vec<Term>,
}

impl BackTranslation for ProphecyBack {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        if new.formulas.len() != old.locations.len() {
            return Err(Untranslatable::WrongLength);
        }
        let mut read = Substitution::new(pool, &self.reads);
        let mut formulas: Vec<Option<Term>> = new.formulas.iter().map(|f| f.map(|f| read.apply(f))).collect();
        for (formula, &known) in formulas.iter_mut().zip(&self.facts) {
            *formula = formula.map(|f| pool.and2(f, known));
        }
        Ok(CutInvariants { formulas, ..new.clone() })
    }

    fn run(&self, _: &TermPool, _: &Program, _: &Run) -> Back<Run> {
        Err(Untranslatable::Abstract)
    }
}
