//! The single-loop encoding: one location with all variables and a program counter.
//!
//! This is the transition system of the classical IC3: one edge from the entry into the loop, an edge of the
//! loop for each edge of the old program, and edges from the loop to the error. The entry is a value of the
//! counter, so the initial states are exactly `pc = 0`: the first edge sets the counter and leaves all other
//! variables open. [`lbe`](fn@crate::lbe) with its default options merges the edges of the loop into one
//! where that is wanted. Variables of different locations that are one term are one variable. Where a
//! variable does not live, the encoding fixes it to the default value of its sort.
//!
//! Way back: `inv(l)` is the loop's formula with the program counter fixed to `l` and the variables that do
//! not live at `l` to their default. That is exact because entering `l` gives them that value. At the entry
//! the formula holds for all values, so it is `true`. A run loses its first step, whose inputs are the
//! initial state.
//!
//! Entry point: [`single_loop`].

use palisade_program::{CutInvariants, Edge, EdgeId, Loc, Location, Program, ReplayError, Run, Step};
use palisade_term::{Sort, Term, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::back::{Back, BackTranslation, Transformed, Untranslatable};

/// How the program counter is represented.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PcEncoding {
    /// One integer variable.
    #[default]
    Integer,
    /// As many Booleans as the binary code needs.
    Booleans,
}

/// Encodes the program with a single loop.
pub fn single_loop(pool: &TermPool, old: &Program, encoding: PcEncoding) -> Transformed {
    let code = codes(old);
    let counter = Counter::new(pool, encoding, old.locations.len() - 1);
    let mut vars = counter.vars.clone();
    let mut seen = FxHashSet::default();
    vars.extend(old.locs().flat_map(|l| old.vars(l).iter().copied()).filter(|&v| seen.insert(v)));
    let defaults: Vec<Term> = vars.iter().map(|&v| Value::default_of(pool.sort(v)).to_term(pool)).collect();

    let mut program = Program::new();
    program.locations[0] = Location { vars: Vec::new(), ..old.location(old.entry).clone() };
    program.locations[1] = old.location(old.error).clone();
    let name = free_name(&program);
    let head = program.add_location(Location { name, position: None, vars: vars.clone() });
    let counted = counter.vars.len();
    let open: Vec<Term> =
        vars[counted..].iter().map(|&v| pool.fresh_var(pool.var_name(v), pool.sort(v).clone())).collect();
    let start = counter.values(pool, 0).into_iter().chain(open.iter().copied()).collect::<Vec<_>>();
    program.add_edge(Edge::new(program.entry, head, &open, pool.tru(), &start));
    for id in old.edge_ids() {
        let e = old.edge(id);
        // An input may be the variable of another location: give it another name.
        let renaming: FxHashMap<Term, Term> = (e.inputs.iter().copied())
            .filter(|i| seen.contains(i) || counter.vars.contains(i))
            .map(|i| (i, pool.fresh_var(pool.var_name(i), pool.sort(i).clone())))
            .collect();
        let rename = |t: Term| pool.substitute(t, &renaming);
        let at_source = code[e.source.index()].map_or(pool.fls(), |k| counter.is(pool, k));
        let (target, update) = match code[e.target.index()] {
            None => (program.error, Vec::new()),
            Some(k) => {
                let values: FxHashMap<Term, Term> = old.update_map(id);
                let rest = vars.iter().zip(&defaults).skip(counted);
                let rest = rest.map(|(v, &d)| values.get(v).map_or(d, |&u| rename(u)));
                (head, counter.values(pool, k).into_iter().chain(rest).collect())
            }
        };
        program.add_edge(Edge {
            source: head,
            target,
            inputs: e.inputs.iter().map(|&i| rename(i)).collect(),
            guard: pool.and2(at_source, rename(e.guard)),
            update,
            origin: e.origin.clone(),
        });
    }
    Transformed { program, back: Box::new(PcBack { counter, code, head, vars, defaults }) }
}

/// The code of each location: the entry is 0, the others count from 1, the error has none.
fn codes(old: &Program) -> Vec<Option<usize>> {
    let mut code = vec![None; old.locations.len()];
    code[old.entry.index()] = Some(0);
    let inside = old.locs().filter(|&l| l != old.entry && l != old.error);
    for (k, l) in inside.enumerate() {
        code[l.index()] = Some(k + 1);
    }
    code
}

/// `loop`, with marks until no location has that name.
fn free_name(program: &Program) -> String {
    let mut name = "loop".to_string();
    while program.locations.iter().any(|l| l.name == name) {
        name.push('!');
    }
    name
}

/// The program counter.
struct Counter {
    encoding: PcEncoding,
    vars: Vec<Term>,
}

impl Counter {
    fn new(pool: &TermPool, encoding: PcEncoding, locations: usize) -> Counter {
        let vars = match encoding {
            PcEncoding::Integer => vec![pool.fresh_var("pc", Sort::Int)],
            PcEncoding::Booleans => {
                let bits = usize::BITS - locations.saturating_sub(1).leading_zeros();
                (0..bits).map(|_| pool.fresh_var("pc", Sort::Bool)).collect()
            }
        };
        Counter { encoding, vars }
    }

    /// The values of the counter's variables at code `k`.
    fn values(&self, pool: &TermPool, k: usize) -> Vec<Term> {
        match self.encoding {
            PcEncoding::Integer => vec![pool.int(k)],
            PcEncoding::Booleans => (0..self.vars.len()).map(|b| pool.bool(k >> b & 1 == 1)).collect(),
        }
    }

    /// The counter has code `k`.
    fn is(&self, pool: &TermPool, k: usize) -> Term {
        pool.and(self.vars.iter().zip(self.values(pool, k)).map(|(&v, c)| pool.eq(v, c)))
    }
}

struct PcBack {
    counter: Counter,
    /// The code of each old location; `None` for the error.
    code: Vec<Option<usize>>,
    head: Loc,
    vars: Vec<Term>,
    defaults: Vec<Term>,
}

impl BackTranslation for PcBack {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        if new.formulas.len() != 3 {
            return Err(Untranslatable::WrongLength);
        }
        let at = |l: Loc| match self.code[l.index()] {
            Some(0) => Some(pool.tru()),
            None => new.formulas[1],
            Some(k) => {
                let mut map: FxHashMap<Term, Term> =
                    self.vars.iter().copied().zip(self.defaults.iter().copied()).collect();
                for v in old.vars(l) {
                    map.remove(v);
                }
                map.extend(self.counter.vars.iter().copied().zip(self.counter.values(pool, k)));
                new.at(self.head).map(|f| pool.substitute(f, &map))
            }
        };
        let formulas = old.locs().map(at).collect();
        Ok(CutInvariants { formulas, rounds: None, forall: new.forall.clone() })
    }

    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        // The inputs of the first step are the values of all variables but the counter's. A run without a
        // step has not chosen them yet.
        let open = &self.vars[self.counter.vars.len()..];
        let value = |v: &Term| match new.steps.first() {
            None => Ok(Value::default_of(pool.sort(*v))),
            Some(first) => open
                .iter()
                .position(|w| w == v)
                .and_then(|i| first.inputs.get(i).cloned())
                .ok_or(Untranslatable::NotARun(ReplayError::WrongInputs { step: 0 })),
        };
        let initial = old.vars(old.entry).iter().map(value).collect::<Back<_>>()?;
        // The other edges correspond one to one, in order.
        let step = |(i, s): (usize, &Step)| {
            let edge = s.edge.0.checked_sub(1);
            let edge = edge.ok_or(Untranslatable::NotARun(ReplayError::WrongSource { step: i }))?;
            Ok(Step { edge: EdgeId(edge), inputs: s.inputs.clone() })
        };
        let steps = new.steps.iter().enumerate().skip(1).map(step).collect::<Back<_>>()?;
        Ok(Run { initial, steps })
    }
}
