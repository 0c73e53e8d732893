//! Guesses: which implications hold in all states that executions reach.
//!
//! A guess is `guards ==> body` with at most [`MOST_GUARDS`] guards, for every index of a group of arrays
//! that lies on its grid: from the first cell on, at its distance, and before the variable that tells where
//! the written cells end, if there is one. Where several guesses hold, the strongest are taken: those with
//! the fewest guards and the strongest body. When one of them turns out to be no invariant, its weaker
//! neighbours take its place ([`Guesses::instead`]).

use std::collections::BTreeMap;

use palisade_term::{Rational, Sort, Term, TermPool};
use rustc_hash::FxHashSet;

use super::language::{Atom, Number, Relation, value};
use super::sums::Sum;
use super::table::{Groups, Snapshot, Table, Variables};
use crate::abstraction::mining;
use crate::walk::GARBAGE;

/// Guards of a guess, at most.
pub const MOST_GUARDS: usize = 2;
/// So many states and indices must satisfy the guards.
const SUPPORT: usize = 4;
/// Rows, guards and bodies that are looked at.
const MAX_ROWS: usize = 3000;
const MAX_GUARDS: usize = 40;
const MAX_BODIES: usize = 400;
/// Equations are of interest from so many states on that they do not determine.
const MORE_POINTS: usize = 2;
/// Numbers in an equation that is looked for.
const MAX_UNKNOWNS: usize = 12;
/// Pairs of guards of one body.
const MAX_PAIRS: usize = 8;
/// Guesses of one group of arrays.
const MAX_GUESSES: usize = 300;
/// A bound of one number is reached in one of so many executions.
const OFTEN: usize = 2;
/// Values that a variable has which tells what a program is doing.
const FEW: usize = 3;
/// A special value is that of a variable in one of so many executions.
const SPECIAL: usize = 3;

/// `guards ==> body`, of one group of arrays or of none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guess {
    /// Ascending.
    pub guards: Vec<Atom>,
    pub body: Atom,
}

impl Guess {
    pub fn holds(&self, state: &Snapshot, k: i64) -> bool {
        !self.guards.iter().all(|g| g.holds(state, k)) || self.body.holds(state, k)
    }

    fn term(&self, pool: &TermPool, of: &Variables, k: Term) -> Term {
        let guards = pool.and(self.guards.iter().map(|g| g.term(pool, of, k)));
        pool.implies(guards, self.body.term(pool, of, k))
    }

    /// Does the other one follow from this one, by its form?
    fn implies(&self, other: &Guess) -> bool {
        self.guards.iter().all(|g| other.guards.contains(g))
            && (self.body == other.body || consequences(&self.body).contains(&other.body))
    }
}

/// All that follows from an atom by its form.
fn consequences(atom: &Atom) -> Vec<Atom> {
    let mut all = atom.weaker();
    let mut next = 0;
    while next < all.len() {
        let more = all[next].weaker();
        all.extend(more);
        next += 1;
    }
    all
}

/// Guesses about one group of arrays at one location, or about its variables alone.
pub struct Guesses {
    /// What all indices satisfy that the guesses are about.
    domain: Vec<Atom>,
    /// The guards there are.
    guards: Vec<Atom>,
    /// In the order in which they are told.
    pub all: Vec<Guess>,
    /// Those that were dropped.
    dropped: FxHashSet<Guess>,
    rows: Vec<(usize, i64)>,
}

impl Guesses {
    /// Is an index one that they are about?
    pub fn covers(&self, state: &Snapshot, k: i64) -> bool {
        self.domain.iter().all(|a| a.holds(state, k))
    }

    /// A guess as a formula.
    pub fn term(&self, pool: &TermPool, of: &Variables, guess: &Guess, k: Term) -> Term {
        let domain = pool.and(self.domain.iter().map(|a| a.term(pool, of, k)));
        pool.implies(domain, guess.term(pool, of, k))
    }

    /// Drops the guesses that a state refutes, and takes their weaker neighbours that it does not refute.
    /// The number of guesses that were dropped.
    pub fn instead(&mut self, table: &Table, state: &Snapshot, k: i64) -> usize {
        if !self.covers(state, k) {
            return 0;
        }
        let (kept, wrong): (Vec<Guess>, Vec<Guess>) =
            std::mem::take(&mut self.all).into_iter().partition(|g| g.holds(state, k));
        self.all = kept;
        for guess in &wrong {
            self.dropped.insert(guess.clone());
        }
        for guess in &wrong {
            let more_guards = self.guards.iter().filter(|a| !a.holds(state, k) && !guess.guards.contains(a));
            let mut next: Vec<Guess> = Vec::new();
            if guess.guards.len() < MOST_GUARDS {
                next.extend(more_guards.map(|a| {
                    let mut guards = guess.guards.clone();
                    guards.push(a.clone());
                    guards.sort();
                    Guess { guards, body: guess.body.clone() }
                }));
            }
            let bodies = guess.body.weaker().into_iter().filter(|b| b.holds(state, k));
            next.extend(bodies.map(|body| Guess { body, ..guess.clone() }));
            for new in next {
                if self.all.len() < MAX_GUESSES
                    && !self.dropped.contains(&new)
                    && !self.all.iter().any(|g| g.implies(&new))
                    && self.support(table, &new) >= SUPPORT
                {
                    self.all.push(new);
                }
            }
        }
        wrong.len()
    }

    /// Drops a guess of which nothing is known.
    pub fn drop_at(&mut self, i: usize) {
        let guess = self.all.remove(i);
        self.dropped.insert(guess);
    }

    /// How many rows satisfy the guards.
    fn support(&self, table: &Table, guess: &Guess) -> usize {
        let satisfies = |&&(s, k): &&(usize, i64)| guess.guards.iter().all(|g| g.holds(&table.states[s], k));
        self.rows.iter().filter(satisfies).take(SUPPORT).count()
    }
}

/// Where the cells of a group begin, and their distance.
pub type Grid = (i64, i64);

/// An index: a variable and what is added to it.
type Place = (Number, i64);

/// Guesses about the cells of a group, those that have been written and truth values behind them; none if
/// nothing is known of them.
pub fn about_cells(
    pool: &TermPool,
    table: &Table,
    groups: &Groups,
    grids: &[Option<Grid>],
    group: usize,
) -> Vec<Guesses> {
    let Some((first, step)) = grids[group] else { return Vec::new() };
    let written: Vec<FxHashSet<i64>> = table.states.iter().map(|s| table.written(s, group)).collect();
    if written.iter().all(|w| w.is_empty()) {
        return Vec::new();
    }
    let ints = || ints(pool, table);
    let indices: Vec<Place> =
        ints().flat_map(|s| groups.offsets[group].iter().map(move |&c| (Number::Scalar(s), c))).collect();
    let at = |state: &Snapshot, (n, c): Place| value(n, state, 0) + c;
    let ends = |&index: &Place| {
        table.states.iter().zip(&written).all(|(s, w)| match w.iter().max() {
            Some(last) => at(s, index) == last + step,
            None => at(s, index) <= first,
        })
    };
    let end = indices.iter().copied().find(ends);
    let mut domain = vec![Atom::ge(Number::Index, None, first)];
    if step > 1 {
        domain.push(Atom::multiple(Number::Index, step, first));
    }
    if let Some((n, c)) = end {
        domain.push(Atom::le(Number::Index, Some(n), c - 1));
    }
    let likely: Vec<Place> = indices
        .into_iter()
        .filter(|&index| {
            let states = table.states.iter().zip(&written).filter(|(_, w)| !w.is_empty());
            let near = |w: &FxHashSet<i64>, i| [i, i - step, i + step].iter().any(|i| w.contains(i));
            let (all, there) = states
                .fold((0, 0), |(all, there), (s, w)| (all + 1, there + usize::from(near(w, at(s, index)))));
            there * 5 >= all
        })
        .collect();
    let mut rows = Vec::new();
    for (i, (state, w)) in table.states.iter().zip(&written).enumerate() {
        let mut keys: Vec<i64> = w.iter().copied().collect();
        keys.extend(w.iter().max().map(|last| last + step));
        keys.extend(likely.iter().map(|&index| at(state, index)));
        keys.sort_unstable();
        keys.dedup();
        rows.extend(keys.into_iter().filter(|&k| domain.iter().all(|a| a.holds(state, k))).map(|k| (i, k)));
    }
    rows.truncate(MAX_ROWS);
    let likely: Vec<Place> = likely.into_iter().filter(|index| Some(*index) != end).collect();
    let found = Finder { pool, table, groups, grids, rows };
    let last = end.map(|(n, c)| (n, c - step));
    let guards = found.guards_of_cells(group, first, last, &likely);
    let bodies = found.bodies_of_cells(group, &guards);
    let behind = end.map(|end| found.behind(group, end, step));
    std::iter::once(found.guesses(domain, guards, bodies)).chain(behind).collect()
}

/// Guesses about the variables of a location, and about sums of them.
pub fn about_variables(
    pool: &TermPool,
    table: &Table,
    groups: &Groups,
    grids: &[Option<Grid>],
    sums: &[Sum],
) -> Guesses {
    let rows = (0..table.states.len()).map(|i| (i, 0)).collect();
    let found = Finder { pool, table, groups, grids, rows };
    let guards = found.kinds();
    let bodies = found.bodies_of_variables(&guards, sums);
    found.guesses(Vec::new(), guards, bodies)
}

/// The variables that are integers.
fn ints<'t>(pool: &'t TermPool, table: &'t Table) -> impl Iterator<Item = usize> + 't {
    let scalars = table.variables.scalars.iter().enumerate();
    scalars.filter(|&(_, &v)| *pool.sort(v) == Sort::Int).map(|(i, _)| i)
}

/// No guard, and each of them alone.
fn none_or_one(guards: &[Atom]) -> Vec<Vec<&Atom>> {
    std::iter::once(Vec::new()).chain(guards.iter().map(|g| vec![g])).collect()
}

/// The rows as a set of bits.
type Bits = Vec<u64>;

fn within(a: &Bits, b: &Bits) -> bool {
    a.iter().zip(b).all(|(x, y)| x & !y == 0)
}

fn both(a: &Bits, b: &Bits) -> Bits {
    a.iter().zip(b).map(|(x, y)| x & y).collect()
}

fn size(a: &Bits) -> usize {
    a.iter().map(|x| x.count_ones() as usize).sum()
}

struct Finder<'a> {
    pool: &'a TermPool,
    table: &'a Table,
    groups: &'a Groups,
    grids: &'a [Option<Grid>],
    rows: Vec<(usize, i64)>,
}

impl Finder<'_> {
    fn bits(&self, atom: &Atom) -> Bits {
        let mut out = vec![0_u64; self.rows.len().div_ceil(64)];
        for (i, &(s, k)) in self.rows.iter().enumerate() {
            out[i / 64] |= u64::from(atom.holds(&self.table.states[s], k)) << (i % 64);
        }
        out
    }

    fn values(&self, number: Number) -> impl Iterator<Item = i64> {
        self.rows.iter().map(move |&(s, k)| value(number, &self.table.states[s], k))
    }

    fn is_bool(&self, array: usize) -> bool {
        let sort = self.pool.sort(self.table.variables.arrays[array].0);
        sort.array_parts().is_some_and(|(_, e)| *e == Sort::Bool)
    }

    /// Variables with few values, and whether pointers are null.
    fn kinds(&self) -> Vec<Atom> {
        let mut out = Vec::new();
        let scalars = || (0..self.table.variables.scalars.len()).map(Number::Scalar);
        scalars().for_each(|n| self.kind(n, &mut out));
        scalars().for_each(|n| self.special(n, &mut out));
        out
    }

    /// What it is, if it is one of few values, or whether it is zero.
    fn kind(&self, number: Number, out: &mut Vec<Atom>) {
        let is_truth = match number {
            Number::Scalar(s) => *self.pool.sort(self.table.variables.scalars[s]) == Sort::Bool,
            Number::Cell(a) => self.is_bool(a),
            _ => false,
        };
        if is_truth {
            return out.extend([true, false].map(|x| Atom::is(number, x)));
        }
        let values = self.counts(number);
        if (2..=FEW).contains(&values.len()) {
            out.extend(values.keys().map(|&x| Atom::eq(number, None, x)));
        }
        if values.len() > 2 && values.contains_key(&0) {
            out.extend([Atom::eq(number, None, 0), Atom::ne(number, None, 0)]);
        }
    }

    /// Whether it has a value that is common for it, such as that of a pointer to an object outside of an
    /// array.
    fn special(&self, number: Number, out: &mut Vec<Atom>) {
        let values = self.counts(number);
        let all: FxHashSet<usize> = values.values().flatten().copied().collect();
        let common = values.iter().filter(|&(&x, walks)| x != 0 && walks.len() * SPECIAL >= all.len());
        let Some((&x, walks)) = common.max_by_key(|(_, walks)| walks.len()) else { return };
        if values.len() > 2 && walks.len() >= SUPPORT {
            out.extend([Atom::eq(number, None, x), Atom::ne(number, None, x)]);
        }
    }

    /// The values of a number, with the executions where it has them.
    fn counts(&self, number: Number) -> BTreeMap<i64, FxHashSet<usize>> {
        let mut counts: BTreeMap<i64, FxHashSet<usize>> = BTreeMap::new();
        for (&(s, _), x) in self.rows.iter().zip(self.values(number)) {
            if x != GARBAGE {
                counts.entry(x).or_default().insert(self.table.states[s].walk);
            }
        }
        counts
    }

    fn guards_of_cells(&self, group: usize, first: i64, last: Option<Place>, indices: &[Place]) -> Vec<Atom> {
        let (k, mut out) = (Number::Index, Vec::new());
        for &(n, c) in indices {
            let n = Some(n);
            out.extend([Atom::le(k, n, c - 1), Atom::ge(k, n, c + 1), Atom::eq(k, n, c), Atom::ne(k, n, c)]);
        }
        out.extend([Atom::eq(k, None, first), Atom::ne(k, None, first)]);
        out.extend(last.into_iter().flat_map(|(n, c)| [Atom::eq(k, Some(n), c), Atom::ne(k, Some(n), c)]));
        for a in self.table.members(group) {
            self.kind(Number::Cell(a), &mut out);
        }
        out.extend(self.kinds());
        out
    }

    /// Comparisons of a number with others, or with constants, that many rows satisfy.
    fn comparisons(
        &self,
        left: Number,
        rights: &[Option<Number>],
        or_zero: Option<Number>,
        out: &mut Vec<Atom>,
    ) {
        self.comparisons_of_sum(&[(1, left)], rights, or_zero, OFTEN, out);
    }

    /// The same of a sum, with bounds that are reached in one of so many executions.
    fn comparisons_of_sum(
        &self,
        left: &[(i64, Number)],
        rights: &[Option<Number>],
        or_zero: Option<Number>,
        often: usize,
        out: &mut Vec<Atom>,
    ) {
        for &right in rights {
            // The differences, with the number of rows and the executions where they occur.
            let mut counts: BTreeMap<i64, (usize, FxHashSet<usize>)> = BTreeMap::new();
            let mut walks: FxHashSet<usize> = FxHashSet::default();
            for &(s, k) in &self.rows {
                let state = &self.table.states[s];
                let known = |n: Number| Some(value(n, state, k)).filter(|&x| x != GARBAGE);
                let x =
                    left.iter().try_fold(0_i64, |sum, &(c, n)| sum.checked_add(c.checked_mul(known(n)?)?));
                let difference = || x?.checked_sub(right.map_or(Some(0), known)?);
                let Some(difference) = difference() else { continue };
                if or_zero.is_none_or(|n| value(n, state, k) != 0) {
                    let (rows, there) = counts.entry(difference).or_default();
                    *rows += 1;
                    there.insert(state.walk);
                    walks.insert(state.walk);
                }
            }
            let all: usize = counts.values().map(|(rows, _)| rows).sum();
            let mut common: Vec<(i64, usize)> = (counts.iter().map(|(&c, (rows, _))| (c, *rows)))
                .filter(|&(_, rows)| rows >= SUPPORT && rows * 8 >= all)
                .collect();
            common.sort_by_key(|&(_, rows)| std::cmp::Reverse(rows));
            let atom = |relation, c| Atom::of_sum(relation, left, right, c);
            out.extend(common.iter().take(FEW).map(|&(c, _)| atom(Relation::Zero, c).or_zero(or_zero)));
            // A bound that is rarely reached is none.
            let reached = |(c, (_, there)): (&i64, &(usize, FxHashSet<usize>))| {
                (there.len().saturating_mul(often) >= walks.len()).then_some(*c)
            };
            if counts.len() > 1 {
                let least = counts.first_key_value().and_then(reached);
                let most = counts.last_key_value().and_then(reached);
                out.extend(least.map(|c| atom(Relation::AtLeast, c).or_zero(or_zero)));
                out.extend(most.map(|c| atom(Relation::AtLeast, c).negated_sum().or_zero(or_zero)));
            }
        }
    }

    /// Equations of several numbers that all rows satisfy, or those for which some guards hold.
    fn equations(&self, numbers: &[Number], guards: &[Vec<&Atom>], out: &mut Vec<Atom>) {
        if numbers.len() < 2 || numbers.len() > MAX_UNKNOWNS {
            return;
        }
        for guards in guards {
            let rows = self.rows.iter().map(|&(s, k)| (&self.table.states[s], k));
            let there = rows.filter(|&(state, k)| guards.iter().all(|g| g.holds(state, k)));
            let point = |(state, k)| numbers.iter().map(|&n| value(n, state, k)).collect::<Vec<i64>>();
            let mut points: Vec<Vec<i64>> = there.map(point).filter(|p| !p.contains(&GARBAGE)).collect();
            points.sort_unstable();
            points.dedup();
            // One comes first: a number that depends on others and a constant is told by these.
            let one = || std::iter::once(Rational::ONE);
            let rational =
                |p: &Vec<i64>| one().chain(p.iter().map(|&x| Rational::from_integer(x.into()))).collect();
            let points: Vec<Vec<Rational>> = points.iter().map(rational).collect();
            if points.is_empty() {
                continue;
            }
            let found = mining::equations(&points.iter().collect::<Vec<_>>()).unwrap_or_default();
            // What few points have in common may be chance.
            let rank = numbers.len() + 2 - found.len();
            if points.len() < rank + MORE_POINTS {
                continue;
            }
            for coefficients in found {
                let [first, parts @ .., last] = coefficients.as_slice() else { continue };
                out.extend(Atom::equation(numbers, parts, &(first + last)));
            }
        }
    }

    /// The groups that the values of a number are pointers to: offset and group.
    fn leads_to(&self, number: Number) -> Vec<(i64, usize)> {
        let mut out = Vec::new();
        for (group, grid) in self.grids.iter().enumerate() {
            let (Some((first, step)), Some(_)) = (grid, self.table.members(group).next()) else { continue };
            for &c in &self.groups.offsets[group] {
                let pointers: Vec<(usize, i64)> = self
                    .rows
                    .iter()
                    .map(|&(s, k)| (s, value(number, &self.table.states[s], k)))
                    .filter(|&(_, x)| x != 0 && x != GARBAGE)
                    .collect();
                let there = pointers.iter().filter(|&&(s, x)| {
                    let state = &self.table.states[s];
                    let i = x + c;
                    i >= *first && (i - first) % step == 0 && self.table.written(state, group).contains(&i)
                });
                let there = there.count();
                if there >= SUPPORT && there * 2 >= pointers.len() {
                    out.push((c, group));
                }
            }
        }
        out
    }

    fn bodies_of_cells(&self, group: usize, guards: &[Atom]) -> Vec<Atom> {
        let mut out = Vec::new();
        let scalars = || ints(self.pool, self.table).map(Number::Scalar);
        let cells = || self.table.members(group).filter(|&a| !self.is_bool(a));
        for a in self.table.members(group) {
            let cell = Number::Cell(a);
            if self.is_bool(a) {
                out.extend([true, false].map(|x| Atom::is(cell, x)));
                continue;
            }
            let mut rights = vec![None, Some(Number::Index)];
            rights.extend(scalars().map(Some));
            rights.extend(cells().filter(|&b| b > a).map(|b| Some(Number::Cell(b))));
            self.comparisons(cell, &rights, None, &mut out);
            if self.values(cell).any(|x| x == 0) {
                self.comparisons(cell, &rights, Some(cell), &mut out);
            }
            for (c, to) in self.leads_to(cell) {
                let (first, step) = self.grids[to].expect("a group with cells");
                if step > 1 {
                    out.push(Atom::multiple(cell, step, first - c).unless_zero(cell));
                }
                for b in self.table.members(to) {
                    let behind = Number::Behind(a, c, b);
                    if self.is_bool(b) {
                        out.extend([true, false].map(|x| Atom::is(behind, x).unless_zero(cell)));
                    } else {
                        self.comparisons(behind, &[None, Some(Number::Index)], Some(cell), &mut out);
                    }
                }
            }
        }
        for a in cells() {
            let numbers: Vec<Number> =
                std::iter::once(Number::Index).chain(scalars()).chain([Number::Cell(a)]).collect();
            let before = out.len();
            self.equations(&numbers, &none_or_one(guards), &mut out);
            let mut i = before;
            while i < out.len() {
                if out[i].numbers().any(|n| n == Number::Cell(a)) {
                    i += 1
                } else {
                    out.swap_remove(i);
                }
            }
        }
        out
    }

    fn bodies_of_variables(&self, guards: &[Atom], sums: &[Sum]) -> Vec<Atom> {
        let mut out = Vec::new();
        let all: Vec<Number> = ints(self.pool, self.table).map(Number::Scalar).collect();
        let mut cases = none_or_one(guards);
        for (i, a) in guards.iter().enumerate() {
            cases.extend(guards[i + 1..].iter().map(|b| vec![a, b]));
        }
        self.equations(&all, &cases, &mut out);
        let at = |v: &Term| self.table.variables.scalars.iter().position(|s| s == v).map(Number::Scalar);
        for sum in sums {
            let numbers: Option<Vec<(i64, Number)>> = sum.iter().map(|(c, v)| Some((*c, at(v)?))).collect();
            if let Some(left) = &numbers {
                self.comparisons_of_sum(left, &[None], None, usize::MAX, &mut out);
            }
        }
        for (i, &left) in all.iter().enumerate() {
            let others = |from: usize| all[from..].iter().filter(move |&&n| n != left).map(|&n| Some(n));
            let rights: Vec<Option<Number>> = std::iter::once(None).chain(others(i)).collect();
            self.comparisons(left, &rights, None, &mut out);
            if self.values(left).any(|x| x == 0) {
                let rights: Vec<Option<Number>> = std::iter::once(None).chain(others(0)).collect();
                self.comparisons(left, &rights, Some(left), &mut out);
            }
            for (c, to) in self.leads_to(left) {
                let (first, step) = self.grids[to].expect("a group with cells");
                if step > 1 {
                    let on_grid = Atom::multiple(left, step, first - c);
                    out.extend([on_grid.clone().unless_zero(left), on_grid]);
                }
            }
        }
        out
    }

    /// Guesses about truth values behind the cells that have been written.
    fn behind(&self, group: usize, (n, c): Place, step: i64) -> Guesses {
        let states = self.table.states.iter().enumerate();
        let rows = states.flat_map(|(i, s)| [0, 1].map(|more| (i, value(n, s, 0) + c + more * step)));
        let finder = Finder { rows: rows.collect(), ..*self };
        let truths = self.table.members(group).filter(|&a| self.is_bool(a));
        let bodies = truths.flat_map(|a| [true, false].map(|x| Atom::is(Number::Cell(a), x))).collect();
        finder.guesses(vec![Atom::ge(Number::Index, Some(n), c)], Vec::new(), bodies)
    }

    /// The strongest implications that all rows satisfy.
    fn guesses(self, domain: Vec<Atom>, mut guards: Vec<Atom>, mut bodies: Vec<Atom>) -> Guesses {
        // The most useful ones come first.
        let mut known: FxHashSet<Atom> = FxHashSet::default();
        guards.retain(|g| known.insert(g.clone()));
        guards.truncate(MAX_GUARDS);
        guards.sort();
        bodies.truncate(MAX_BODIES);
        let of_guards: Vec<Bits> = guards.iter().map(|g| self.bits(g)).collect();
        let everything: Bits =
            (0..self.rows.len()).fold(vec![0; self.rows.len().div_ceil(64)], |mut out, i| {
                out[i / 64] |= 1 << (i % 64);
                out
            });
        let mut all: Vec<Guess> = Vec::new();
        let k = self.pool.var("k", Sort::Int);
        let mut seen: FxHashSet<Atom> = FxHashSet::default();
        for body in bodies {
            if !seen.insert(body.clone()) {
                continue;
            }
            let wanted = self.bits(&body);
            let mut found: Vec<Vec<Atom>> = Vec::new();
            if within(&everything, &wanted) {
                found.push(Vec::new());
            } else {
                let mut open = Vec::new();
                for (i, bits) in of_guards.iter().enumerate() {
                    if size(bits) < SUPPORT {
                        continue;
                    }
                    if within(bits, &wanted) { found.push(vec![guards[i].clone()]) } else { open.push(i) }
                }
                let mut pairs: Vec<(usize, Vec<Atom>)> = Vec::new();
                for (n, &i) in open.iter().enumerate() {
                    for &j in &open[n + 1..] {
                        let bits = both(&of_guards[i], &of_guards[j]);
                        let support = size(&bits);
                        if support >= SUPPORT && within(&bits, &wanted) {
                            pairs.push((support, vec![guards[i].clone(), guards[j].clone()]));
                        }
                    }
                }
                pairs.sort_by_key(|(support, _)| std::cmp::Reverse(*support));
                found.extend(pairs.into_iter().map(|(_, pair)| pair).take(MAX_PAIRS));
            }
            let is_trivial =
                |g: &Guess| self.pool.as_bool(g.term(self.pool, &self.table.variables, k)) == Some(true);
            let found = found.into_iter().map(|guards| Guess { guards, body: body.clone() });
            all.extend(found.filter(|g| !is_trivial(g)));
        }
        // Those that follow from another one wait until that is dropped.
        all.sort_by_key(|g| (g.guards.len(), g.body.relation, g.body.or_zero.is_some()));
        let mut strongest: Vec<Guess> = Vec::new();
        for guess in all {
            if strongest.len() < MAX_GUESSES && !strongest.iter().any(|g| g.implies(&guess)) {
                strongest.push(guess);
            }
        }
        Guesses { domain, guards, all: strongest, dropped: FxHashSet::default(), rows: self.rows }
    }
}
