//! Tables: arrays that never change, read at any index.
//!
//! A table of constants (the S-box of a cipher, a table for checksums) is an array variable that every edge
//! carries along, with one write for each of its elements. A solver that reads it at an unknown index learns
//! the elements one by one. Here the variable goes away: where all assignments to an array are the same
//! constant elements, and all its uses are reads, each read becomes a term over the index alone.
//!
//! - Where the table has few runs of equal elements and integers are mathematical: comparisons of the index
//!   with the ends of the runs.
//! - Otherwise the elements lie side by side in one constant word. Each bit of the index, the highest first,
//!   chooses a half of what is left; the last half is the element. That is a term of a few nodes for every
//!   bit of the index, whatever the size of the table, and bits that are the same function of the index share
//!   one gate.
//!
//! Both are equal to the read at every index, also outside of the table: nothing depends on checks of bounds.
//!
//! Limits: tables of floating-point numbers in the integer modes, and tables whose word would have more than
//! `MOST_BITS` bits, stay arrays; in mode `math`, so do tables with many runs.
//!
//! Entry point: [`Encoder::fold_tables`].

use palisade_term::{Integer, Linear, Op, Rational, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Encoder;
use super::state::RawEdge;
use crate::options::IntMode;

/// The longest word that elements are put into.
const MOST_BITS: u64 = 1 << 23;
/// The last index of a table.
const LAST: i64 = (1 << 20) - 1;
/// Tables of mathematical integers with at most so many runs are read by comparisons.
const FEW_RUNS: usize = 16;
/// The same where there are no words.
const MANY_RUNS: usize = 64;

/// Constant elements, and the one that all other indices have.
struct Table {
    elements: FxHashMap<i64, Term>,
    default: Term,
    /// The last index that was given an element.
    last: i64,
}

/// The value of a number that fits an index.
fn number(pool: &TermPool, t: Term) -> Option<i64> {
    match pool.op(t) {
        Op::Int(v) | Op::BitVec(v) => i64::try_from(v).ok(),
        _ => None,
    }
}

impl Table {
    /// The table that an array of constants is; `None` if it is not one, or too large.
    fn of(pool: &TermPool, mut array: Term) -> Option<Table> {
        let constant = |t: Term| pool.is_const(t) && !matches!(pool.sort(t), Sort::Array(_));
        let mut elements = FxHashMap::default();
        let mut last = 0;
        while let (Op::Store, [inner, index, element]) = (pool.op(array), pool.args(array)) {
            let index = number(pool, *index).filter(|i| (0..=LAST).contains(i))?;
            if !constant(*element) {
                return None;
            }
            elements.entry(index).or_insert(*element);
            last = last.max(index);
            array = *inner;
        }
        let Op::ConstArray = pool.op(array) else { return None };
        let default = pool.args(array)[0];
        (constant(default) && !elements.is_empty()).then_some(Table { elements, default, last })
    }

    fn at(&self, index: i64) -> Term {
        self.elements.get(&index).copied().unwrap_or(self.default)
    }

    /// Every `step`th element, from `first` on.
    fn thinned(&self, first: i64, step: i64) -> Table {
        let kept = self.elements.iter().filter(|(i, _)| **i >= first && (**i - first) % step == 0);
        let elements: FxHashMap<i64, Term> = kept.map(|(i, t)| ((i - first) / step, *t)).collect();
        let last = elements.keys().copied().max().unwrap_or(0);
        Table { elements, default: self.default, last }
    }

    /// The runs of equal elements from index 0 on: the last index of each, and its element. What follows the
    /// last one is the default.
    fn runs(&self) -> Vec<(i64, Term)> {
        let mut runs: Vec<(i64, Term)> = Vec::new();
        for i in 0..=self.last {
            let element = self.at(i);
            match runs.last_mut() {
                Some(run) if run.1 == element => run.0 = i,
                _ => runs.push((i, element)),
            }
        }
        runs
    }

    /// The element at an index; `None` if the table stays an array.
    fn read(&self, pool: &TermPool, index: Term, words: bool) -> Option<Term> {
        if *pool.sort(index) != Sort::Int {
            return self.read_word(pool, index);
        }
        // An index `step * x + first` only sees every `step`th element.
        let sum = pool.linear(index);
        let step = sum.coeffs.iter().fold(Integer::from(0), |g, (_, k)| gcd(g, k.numer().clone()));
        let (thin, table, index) = match i64::try_from(&step).ok().filter(|s| (2..=LAST).contains(s)) {
            None => (false, None, index),
            Some(step) => {
                let constant = i64::try_from(&sum.constant.numer()).ok()?;
                let first = constant.rem_euclid(step);
                let rest = Linear { constant: Rational::from_integer((constant - first).into()), ..sum };
                let rest = rest.scaled(&Rational::new(1.into(), step.into()));
                (true, Some(self.thinned(first, step)), pool.from_linear(&rest, &Sort::Int))
            }
        };
        let table = if thin { table.as_ref()? } else { self };
        let runs = table.runs();
        match runs.len() {
            n if n <= if words { FEW_RUNS } else { MANY_RUNS } => Some(table.read_runs(pool, index, &runs)),
            _ if words => table.read_integer(pool, index),
            _ => None,
        }
    }

    /// By comparisons of an integer.
    fn read_runs(&self, pool: &TermPool, index: Term, runs: &[(i64, Term)]) -> Term {
        fn among(pool: &TermPool, index: Term, runs: &[(i64, Term)]) -> Term {
            match runs {
                [(_, element)] => *element,
                _ => {
                    let (low, high) = runs.split_at(runs.len() / 2);
                    let below = pool.le(index, pool.int(low[low.len() - 1].0));
                    pool.ite(below, among(pool, index, low), among(pool, index, high))
                }
            }
        }
        let inside = pool.and2(pool.le(pool.int(0), index), pool.le(index, pool.int(self.last)));
        pool.ite(inside, among(pool, index, runs), self.default)
    }

    /// How many bits of the index matter.
    fn index_bits(&self) -> u32 {
        (64 - self.last.leading_zeros()).max(1)
    }

    /// The element at an index of words.
    fn read_word(&self, pool: &TermPool, index: Term) -> Option<Term> {
        let bits = self.index_bits();
        let width = pool.width(index);
        if bits >= width {
            return None;
        }
        let value = |t: Term| match pool.op(t) {
            Op::BitVec(v) => Some(v.clone()),
            Op::Bool(b) => Some(Integer::from(u8::from(*b))),
            _ => None,
        };
        let sort = pool.sort(self.default);
        let found = self.choose(pool, pool.extract(bits - 1, 0, index), sort.width().unwrap_or(1), value)?;
        let found = if *sort == Sort::Bool { pool.eq(found, pool.bitvec(1, 1)) } else { found };
        let high = pool.extract(width - 1, bits, index);
        Some(pool.ite(pool.eq(high, pool.bitvec(0, width - bits)), found, self.default))
    }

    /// The element at an index that is a mathematical integer.
    fn read_integer(&self, pool: &TermPool, index: Term) -> Option<Term> {
        let sort = pool.sort(self.default);
        let whole = |t: Term| match pool.op(t) {
            Op::Int(v) => Some(v.clone()),
            Op::Bool(b) => Some(Integer::from(u8::from(*b))),
            _ => None,
        };
        let values: Option<Vec<Integer>> =
            self.elements.values().copied().chain([self.default]).map(whole).collect();
        let values = values?;
        let (least, most) = (values.iter().min()?, values.iter().max()?);
        // Words have no sign: they say how much more than the least element it is.
        let width = u32::try_from((most - least).bits().max(1)).ok()?;
        let bits = self.index_bits();
        let found = self.choose(pool, pool.int_to_bv(bits, index), width, |t| whole(t).map(|v| v - least))?;
        let found = if *sort == Sort::Bool {
            pool.eq(found, pool.bitvec(1, 1))
        } else {
            pool.add2(pool.bv_to_int(found), pool.int(least.clone()))
        };
        let limit = pool.int((1i64 << bits) - 1);
        let inside = pool.and2(pool.le(pool.int(0), index), pool.le(index, limit));
        Some(pool.ite(inside, found, self.default))
    }

    /// Halves the word of all elements by the bits of the index, which are all bits of a word.
    fn choose(
        &self,
        pool: &TermPool,
        index: Term,
        width: u32,
        value: impl Fn(Term) -> Option<Integer>,
    ) -> Option<Term> {
        let bits = pool.width(index);
        let all = Some(u64::from(width) << bits).filter(|n| *n <= MOST_BITS)?;
        // Bytes of the word, the least significant first.
        let mut bytes = vec![0u8; all.div_ceil(8) as usize + 1];
        for i in 0..1i64 << bits {
            let element = value(self.at(i))?;
            debug_assert!(element.bits() <= u64::from(width), "it fits");
            for (k, byte) in element.to_bytes_le().1.into_iter().enumerate() {
                let first = i as u64 * u64::from(width) + 8 * k as u64;
                let (at, shift) = ((first / 8) as usize, first % 8);
                let shifted = u16::from(byte) << shift;
                bytes[at] |= shifted as u8;
                if shifted >> 8 != 0 {
                    bytes[at + 1] |= (shifted >> 8) as u8;
                }
            }
        }
        let mut word = pool.bitvec(Integer::from_signed_bytes_le(&bytes), all as u32);
        for k in (0..bits).rev() {
            let (size, half) = (pool.width(word), pool.width(word) / 2);
            let bit = pool.eq(pool.extract(k, k, index), pool.bitvec(1, 1));
            word = pool.ite(bit, pool.extract(size - 1, half, word), pool.extract(half - 1, 0, word));
        }
        Some(word)
    }
}

fn gcd(a: Integer, b: Integer) -> Integer {
    let (mut a, mut b) = (a, b);
    while b != Integer::from(0) {
        (a, b) = (b.clone(), a % b);
    }
    if a < Integer::from(0) { -a } else { a }
}

impl Encoder<'_> {
    /// Replaces the reads of tables; says whether there were any. Variables that have no value at the
    /// beginning of the program (`unset`) stay.
    pub(super) fn fold_tables(&self, edges: &mut [RawEdge], unset: impl Fn(Term) -> bool) -> bool {
        let pool = self.pool;
        let mut constant = self.constant_arrays(edges);
        constant.retain(|v, _| !unset(*v));
        let roots = |e: &RawEdge| e.values.values().copied().chain([e.guard]).collect::<Vec<Term>>();
        let mut tables: FxHashMap<Term, Option<Table>> = FxHashMap::default();
        let mut new: FxHashMap<Term, Term> = FxHashMap::default();
        let words = self.options.int_mode != IntMode::Math;
        let mut found = false;
        pool.visit(edges.iter().flat_map(roots).collect::<Vec<_>>(), |t| {
            let node = pool.node(t);
            let args: Vec<Term> = node.args.iter().map(|a| new[a]).collect();
            if node.op == Op::Select {
                let array = constant.get(&args[0]).copied().unwrap_or(args[0]);
                let table = tables.entry(array).or_insert_with(|| Table::of(pool, array));
                if let Some(element) = table.as_ref().and_then(|table| table.read(pool, args[1], words)) {
                    found = true;
                    new.insert(t, element);
                    return;
                }
            }
            let same = args[..] == node.args[..];
            new.insert(t, if same { t } else { pool.rebuild(&node.op, &args, &node.sort) });
        });
        if found {
            for e in edges {
                e.guard = new[&e.guard];
                e.values.values_mut().for_each(|t| *t = new[t]);
            }
        }
        found
    }

    /// The array variables that are only read, and to which all edges assign the same constant array.
    fn constant_arrays(&self, edges: &[RawEdge]) -> FxHashMap<Term, Term> {
        let pool = self.pool;
        let mut constant: FxHashMap<Term, Term> = FxHashMap::default();
        let mut others: FxHashSet<Term> = FxHashSet::default();
        for e in edges {
            for (v, t) in e.values.iter().filter(|(v, t)| v != t && matches!(pool.sort(**v), Sort::Array(_)))
            {
                if *constant.entry(*v).or_insert(*t) != *t || !matches!(pool.op(*t), Op::Store) {
                    others.insert(*v);
                }
            }
        }
        // Anything but reading them.
        let roots = |e: &RawEdge| e.values.values().copied().chain([e.guard]).collect::<Vec<Term>>();
        for e in edges {
            others.extend(e.values.iter().filter(|(v, t)| v != t).map(|(_, t)| *t));
        }
        pool.visit(edges.iter().flat_map(roots).collect::<Vec<_>>(), |t| {
            let rest = usize::from(*pool.op(t) == Op::Select);
            others.extend(pool.args(t)[rest..].iter().filter(|a| constant.contains_key(a)));
        });
        constant.retain(|v, _| !others.contains(v));
        constant
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palisade_random::Random;
    use palisade_term::eval::Evaluator;
    use palisade_term::{Assignment, Value};

    /// Reads at all indices around a random table are those of the array.
    #[test]
    fn reads_are_those_of_the_array() {
        let mut random = Random::new(7);
        for round in 0..60 {
            let pool = TermPool::new();
            let words = round % 2 == 0;
            let (index_sort, element_sort) =
                if words { (Sort::BitVec(64), Sort::BitVec(13)) } else { (Sort::Int, Sort::Int) };
            let index = |i: i64| if words { pool.bitvec(i, 64) } else { pool.int(i) };
            let element = |v: i64| if words { pool.bitvec(v, 13) } else { pool.int(v) };
            let sort = Sort::array(index_sort.clone(), element_sort);
            let mut array = pool.const_array(&sort, element(0));
            let (size, values) = ([1, 2, 3, 17, 64, 100][round % 6], [2, 5, 4000][round % 3]);
            for i in 0..size {
                let skipped = random.below(8) == 0;
                if !skipped {
                    let v = random.below(values) as i64 - if words { 0 } else { 1500 };
                    array = pool.store(array, index(i), element(v));
                }
            }
            let Some(table) = Table::of(&pool, array) else { continue };
            let x = pool.var("x", index_sort);
            let at = match (words, round % 5) {
                (false, 1) => pool.add2(pool.scale(&Rational::from_integer(3.into()), x), pool.int(2)),
                _ => x,
            };
            let read = table.read(&pool, at, true).expect("a read without arrays");
            let plain = pool.select(array, at);
            for i in -3..=140 {
                let mut values = Assignment::new();
                let value =
                    if words { Value::BitVec(64, Integer::from(i as u64)) } else { Value::Int(i.into()) };
                values.set(x, value);
                let mut evaluator = Evaluator::new(&pool, &values);
                assert_eq!(evaluator.eval(read), evaluator.eval(plain), "round {round}, index {i}");
            }
        }
    }
}
