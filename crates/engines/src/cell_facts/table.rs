//! What executions show of arrays: the states at each location, and which cells belong together.

use num_integer::Integer as _;
use num_traits::ToPrimitive;
use palisade_program::{Edge, Loc, Program, State};
use palisade_term::{Assignment, Op, Sort, Term, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::walk::{Taken, wander};
use crate::{Budget, Task};

/// How often and how long the program is run.
const WALKS: usize = 80;
const STEPS: usize = 120;
/// States kept of a location, and of one execution.
const MAX_STATES: usize = 150;
const MAX_OF_A_WALK: usize = 20;
/// Distances of an index to a variable that are tried on other variables.
const MAX_OFFSETS: usize = 4;
/// Larger arrays are cut off: what holds of some cells is tried for all.
const MAX_KEYS: usize = STEPS + 40;

/// Arrays whose cells are touched at the same indices: the members of one object.
pub struct Groups {
    of: FxHashMap<Term, usize>,
    /// What indices of the group are more than a variable, the commonest first.
    pub offsets: Vec<Vec<i64>>,
}

impl Groups {
    /// Those of a program.
    pub fn new(pool: &TermPool, program: &Program) -> Groups {
        let mut parents = Parents::default();
        let mut offsets: Vec<(Term, i64)> = Vec::new();
        for edge in &program.edges {
            let mut by_index: FxHashMap<Term, Term> = FxHashMap::default();
            pool.visit(edge.update.iter().copied().chain([edge.guard]), |t| {
                if !matches!(pool.op(t), Op::Select | Op::Store) {
                    return;
                }
                let (array, index) = (pool.args(t)[0], pool.args(t)[1]);
                let bases = bases(pool, array);
                for pair in bases.windows(2) {
                    parents.join(pair[0], pair[1]);
                }
                if let Some(&base) = bases.first() {
                    parents.join(*by_index.entry(index).or_insert(base), base);
                    offsets.extend(offset(pool, index).map(|c| (base, c)));
                }
            });
            for (&u, &v) in edge.update.iter().zip(program.vars(edge.target)) {
                if is_cells(pool, v) {
                    bases(pool, u).into_iter().for_each(|base| parents.join(base, v));
                }
            }
        }
        let (mut of, mut number) = (FxHashMap::default(), FxHashMap::default());
        for v in program.locs().flat_map(|l| program.vars(l).iter().copied()) {
            if is_cells(pool, v) {
                let next = number.len();
                of.insert(v, *number.entry(parents.root(v)).or_insert(next));
            }
        }
        let mut counts: Vec<FxHashMap<i64, usize>> = vec![FxHashMap::default(); number.len()];
        for (base, c) in offsets {
            if let Some(&group) = number.get(&parents.root(base)) {
                *counts[group].entry(c).or_default() += 1;
            }
        }
        let commonest = |counts: FxHashMap<i64, usize>| {
            let mut all: Vec<(i64, usize)> = counts.into_iter().collect();
            all.sort_by_key(|&(c, n)| (std::cmp::Reverse(n), c));
            // A variable that tells where cells end is often one of the indices, if only of those to come.
            let all: Vec<i64> = all.into_iter().map(|(c, _)| c).take(MAX_OFFSETS).collect();
            if all.contains(&0) { all } else { all.into_iter().chain([0]).collect() }
        };
        Groups { of, offsets: counts.into_iter().map(commonest).collect() }
    }

    /// The group of an array.
    pub fn of(&self, array: Term) -> Option<usize> {
        self.of.get(&array).copied()
    }

    /// The group of an array that is made by writes and choices.
    pub fn of_term(&self, pool: &TermPool, array: Term) -> Option<usize> {
        bases(pool, array).into_iter().find_map(|base| self.of(base))
    }
}

/// Sets that are joined.
#[derive(Default)]
struct Parents(FxHashMap<Term, Term>);

impl Parents {
    fn root(&self, mut t: Term) -> Term {
        while let Some(&parent) = self.0.get(&t) {
            t = parent;
        }
        t
    }

    fn join(&mut self, a: Term, b: Term) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.0.insert(a.max(b), a.min(b));
        }
    }
}

/// Is the variable an array of integers or truth values that integers are the indices of?
pub fn is_cells(pool: &TermPool, v: Term) -> bool {
    let parts = pool.sort(v).array_parts();
    parts.is_some_and(|(i, e)| *i == Sort::Int && matches!(e, Sort::Int | Sort::Bool))
}

/// The variables that an array is made of by writes and choices.
fn bases(pool: &TermPool, array: Term) -> Vec<Term> {
    let (mut out, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![array]);
    while let Some(t) = stack.pop() {
        match pool.op(t) {
            _ if !seen.insert(t) => {}
            Op::Store => stack.push(pool.args(t)[0]),
            Op::Ite => stack.extend(&pool.args(t)[1..]),
            Op::Var(..) => out.push(t),
            _ => {}
        }
    }
    out
}

/// What an index is more than a variable, or than what was read from memory.
fn offset(pool: &TermPool, index: Term) -> Option<i64> {
    let form = pool.linear(index);
    match form.coeffs.as_slice() {
        [(_, c)] if *c == palisade_term::Rational::from_integer(1.into()) => {
            form.constant.to_integer().to_i64()
        }
        _ => None,
    }
}

/// The variables of a location whose values are looked at.
pub struct Variables {
    /// Integers and Booleans.
    pub scalars: Vec<Term>,
    /// Arrays, with their groups.
    pub arrays: Vec<(Term, usize)>,
}

/// One array in one state.
pub struct Cells {
    default: i64,
    entries: FxHashMap<i64, i64>,
}

/// One state. Truth values are 0 and 1.
pub struct Snapshot {
    /// The execution that it is of.
    pub walk: usize,
    /// The values of [`Variables::scalars`].
    pub scalars: Vec<i64>,
    arrays: Vec<Cells>,
    /// The cells of each group that have been written.
    written: Vec<FxHashSet<i64>>,
}

impl Snapshot {
    /// Of a state with these values of variables; `None` if a number is too large. Large arrays are cut off.
    pub fn new(of: &Variables, value: impl Fn(Term) -> Value) -> Option<Snapshot> {
        Snapshot::with(of, MAX_KEYS, value)
    }

    /// The same, with all cells.
    pub fn exact(of: &Variables, value: impl Fn(Term) -> Value) -> Option<Snapshot> {
        Snapshot::with(of, usize::MAX, value)
    }

    /// A value as a number.
    pub fn number(value: &Value) -> Option<i64> {
        small(value)
    }

    fn with(of: &Variables, most: usize, value: impl Fn(Term) -> Value) -> Option<Snapshot> {
        let scalars = of.scalars.iter().map(|&v| small(&value(v))).collect::<Option<Vec<i64>>>()?;
        let arrays = of.arrays.iter().map(|&(v, _)| {
            let Value::Array(array) = value(v) else { return None };
            let entries = array.entries.iter().take(most);
            let entries = entries.map(|(i, x)| Some((small(i)?, small(x)?))).collect::<Option<_>>()?;
            Some(Cells { default: small(&array.default)?, entries })
        });
        let arrays = arrays.collect::<Option<Vec<Cells>>>()?;
        Some(Snapshot { walk: 0, arrays, scalars, written: Vec::new() })
    }

    /// The cell of an array.
    pub fn cell(&self, array: usize, index: i64) -> i64 {
        let cells = &self.arrays[array];
        cells.entries.get(&index).copied().unwrap_or(cells.default)
    }

    /// The cells of an array that differ from most others.
    fn keys(&self, array: usize) -> impl Iterator<Item = i64> {
        self.arrays[array].entries.keys().copied()
    }
}

fn small(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Int(n) => n.to_i64().filter(|n| n.unsigned_abs() < 1 << 60),
        _ => None,
    }
}

/// What is known of one location.
pub struct Table {
    pub variables: Variables,
    pub states: Vec<Snapshot>,
}

/// Runs the program; one table for each location.
pub fn tables(task: &Task<'_>, budget: &Budget, groups: &Groups) -> Vec<Table> {
    let (pool, program) = (task.pool, task.program);
    let mut out: Vec<Table> = program.locs().map(|l| Table::empty(pool, program, l, groups)).collect();
    let mut known: FxHashSet<(Loc, State)> = FxHashSet::default();
    let stores: Vec<Stores> = program.edges.iter().map(|e| Stores::of(pool, program, e, groups)).collect();
    let mut written: Vec<FxHashSet<i64>> = vec![FxHashSet::default(); groups.offsets.len()];
    let mut walk = 0;
    wander(task, budget, WALKS, STEPS, &mut |step| {
        if program.edge(step.edge).source == program.entry {
            written.iter_mut().for_each(FxHashSet::clear);
            walk += 1;
        }
        stores[step.edge.index()].note(pool, program, step, &mut written);
        let (l, state) = (step.at, step.state);
        let table = &mut out[l.index()];
        let of_this_walk = table.states.iter().rev().take_while(|s| s.walk == walk).count();
        if table.states.len() < MAX_STATES && of_this_walk < MAX_OF_A_WALK && known.insert((l, state.clone()))
        {
            let at = |v: Term| program.vars(l).iter().position(|&w| w == v).expect("a variable of it");
            let snapshot = Snapshot::new(&table.variables, |v| state[at(v)].clone());
            let few = |w: &FxHashSet<i64>| w.len() <= MAX_KEYS;
            if let Some(snapshot) = snapshot.filter(|_| written.iter().all(few)) {
                table.states.push(Snapshot { walk, written: written.clone(), ..snapshot });
            }
        }
    });
    out
}

/// What an edge writes to arrays, whatever the state: also what was there before.
struct Stores {
    /// Groups with indices.
    written: Vec<(usize, Term)>,
    /// Groups that begin anew.
    new: Vec<usize>,
}

impl Stores {
    fn of(pool: &TermPool, program: &Program, edge: &Edge, groups: &Groups) -> Stores {
        let mut out = Stores { written: Vec::new(), new: Vec::new() };
        for (&u, &v) in edge.update.iter().zip(program.vars(edge.target)) {
            let Some(group) = groups.of(v) else { continue };
            let mut array = u;
            while *pool.op(array) == Op::Store {
                out.written.push((group, pool.args(array)[1]));
                array = pool.args(array)[0];
            }
            if *pool.op(array) == Op::ConstArray || edge.inputs.contains(&array) {
                out.new.push(group);
            }
        }
        out
    }

    fn note(&self, pool: &TermPool, program: &Program, step: &Taken<'_>, written: &mut [FxHashSet<i64>]) {
        self.new.iter().for_each(|&group| written[group].clear());
        let edge = program.edge(step.edge);
        let before = program.vars(edge.source).iter().zip(step.before);
        let values: Assignment =
            before.chain(edge.inputs.iter().zip(step.inputs)).map(|(&v, x)| (v, x.clone())).collect();
        for &(group, index) in &self.written {
            written[group].extend(small(&pool.eval(index, &values)));
        }
    }
}

impl Table {
    fn empty(pool: &TermPool, program: &Program, l: Loc, groups: &Groups) -> Table {
        let vars = program.vars(l).iter().copied();
        let scalars = vars.clone().filter(|&v| matches!(pool.sort(v), Sort::Int | Sort::Bool)).collect();
        let arrays = vars.filter_map(|v| Some((v, groups.of(v)?))).collect();
        Table { variables: Variables { scalars, arrays }, states: Vec::new() }
    }

    /// The arrays of a group.
    pub fn members(&self, group: usize) -> impl Iterator<Item = usize> {
        let arrays = self.variables.arrays.iter().enumerate();
        arrays.filter(move |(_, (_, g))| *g == group).map(|(i, _)| i)
    }

    /// The cells of a group that have been written in a state.
    pub fn written(&self, state: &Snapshot, group: usize) -> FxHashSet<i64> {
        let known = state.written.get(group).into_iter().flatten().copied();
        self.members(group).flat_map(|a| state.keys(a)).chain(known).collect()
    }

    /// The first cell of a group that was ever written, and the distance of such cells, if there are others.
    pub fn grid(&self, group: usize) -> Option<(i64, i64)> {
        let written = || self.states.iter().flat_map(|s| self.written(s, group));
        let first = written().min()?;
        Some((first, written().fold(0_i64, |d, k| d.gcd(&(k - first)))))
    }
}

/// The grid on which all of some grids lie.
pub fn common_grid(all: &[(i64, i64)]) -> Option<(i64, i64)> {
    let first = all.iter().map(|(first, _)| *first).min()?;
    let step = all.iter().fold(0_i64, |d, (f, step)| d.gcd(&(f - first)).gcd(step));
    Some((first, step.max(1)))
}
