//! The single-loop encoding: one location with all variables and a program counter.
//!
//! This is the transition system of the classical IC3: `entry -> loop`, `loop -> loop`, `loop -> error`, one edge for each edge of the old program
//! ([`lbe`](fn@crate::lbe) with its default options merges them into one where that is wanted). Variables of different locations that are one term are one variable.
//! Where a variable does not live, the encoding fixes it to the default value of its sort.
//!
//! Way back: `inv(l)` is the loop's formula with the program counter fixed to `l` and the variables that do not live at `l` to their
//! default. That is exact because entering `l` gives them that value.

use palisade_program::{CutInvariants, Edge, EdgeId, Loc, Location, Program, Run, Step};
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
    let inside: Vec<Loc> = old.locs().filter(|&l| l != old.entry && l != old.error).collect();
    let counter = Counter::new(pool, encoding, inside.len());
    let mut vars = counter.vars.clone();
    let mut seen = FxHashSet::default();
    vars.extend(inside.iter().flat_map(|&l| old.vars(l).iter().copied()).filter(|&v| seen.insert(v)));
    let defaults: Vec<Term> = vars.iter().map(|&v| Value::default_of(pool.sort(v)).to_term(pool)).collect();
    let mut code = vec![None; old.locations.len()];
    for (k, l) in inside.iter().enumerate() {
        code[l.index()] = Some(k);
    }

    let mut program = Program::new();
    program.locations[0] = old.location(old.entry).clone();
    program.locations[1] = old.location(old.error).clone();
    let names: FxHashSet<&str> = program.locations.iter().map(|l| l.name.as_str()).collect();
    let mut name = "loop".to_string();
    while names.contains(name.as_str()) {
        name.push('!');
    }
    let head = program.add_location(Location { name, position: None, vars: vars.clone() });
    let place = |l: Loc| {
        if l == old.entry {
            Loc(0)
        } else if l == old.error {
            Loc(1)
        } else {
            head
        }
    };
    for id in old.edge_ids() {
        let e = old.edge(id);
        // An input may be the variable of another location: give it another name.
        let renaming: FxHashMap<Term, Term> = (e.inputs.iter().copied())
            .filter(|i| seen.contains(i) || counter.vars.contains(i))
            .map(|i| (i, pool.fresh_var(pool.var_name(i), pool.sort(i).clone())))
            .collect();
        let rename = |t: Term| pool.substitute(t, &renaming);
        let at_source = code[e.source.index()].map_or(pool.tru(), |k| counter.is(pool, k));
        let update = match code[e.target.index()] {
            None => Vec::new(),
            Some(k) => {
                let values: FxHashMap<Term, Term> = old.update_map(id);
                let rest = vars.iter().zip(&defaults).skip(counter.vars.len());
                let rest = rest.map(|(v, &d)| values.get(v).map_or(d, |&u| rename(u)));
                counter.values(pool, k).into_iter().chain(rest).collect()
            }
        };
        program.add_edge(Edge {
            source: place(e.source),
            target: place(e.target),
            inputs: e.inputs.iter().map(|&i| rename(i)).collect(),
            guard: pool.and2(at_source, rename(e.guard)),
            update,
            origin: e.origin.clone(),
        });
    }
    Transformed { program, back: Box::new(PcBack { counter, code, head, vars, defaults }) }
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
    /// The code of each old location; `None` for entry and error.
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
            None if l == old.entry => new.formulas[0],
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
        Ok(CutInvariants { formulas: old.locs().map(at).collect() })
    }

    fn run(&self, _: &TermPool, _: &Program, new: &Run) -> Back<Run> {
        // Edges correspond one to one, in order.
        let steps =
            new.steps.iter().map(|s| Step { edge: EdgeId(s.edge.0), inputs: s.inputs.clone() }).collect();
        Ok(Run { initial: new.initial.clone(), steps })
    }
}
