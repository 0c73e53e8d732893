//! What the property tests share: random small programs, their exhaustive exploration, and z3 as the oracle.
#![allow(dead_code)]

pub mod generate;
pub mod oracle;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use palisade_fuzzing::Random;
use palisade_program::{EdgeId, Invariants, Loc, Program, Run, State, Step, take};
use palisade_term::{Sort, Term, TermPool, Value};

/// The values tried for inputs and initial variables; generated programs confine inputs to `0..=2` and
/// initial values to `0..=3`.
fn domain(sort: &Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Int => (-1..=4).map(|i| Value::Int(i.into())).collect(),
        s => panic!("no small domain for {s}"),
    }
}

/// All tuples of values for the variables; `None` when there are too many.
fn tuples(pool: &TermPool, vars: &[Term], limit: usize) -> Option<Vec<Vec<Value>>> {
    let mut out = vec![Vec::new()];
    for &v in vars {
        let values = domain(pool.sort(v));
        if out.len() * values.len() > limit {
            return None;
        }
        out = out
            .into_iter()
            .flat_map(|t| {
                values.iter().map(move |x| {
                    let mut t = t.clone();
                    t.push(x.clone());
                    t
                })
            })
            .collect();
    }
    Some(out)
}

/// The reachable states of a program with small domains, and a run to the error if there is one.
pub struct Explored {
    pub states: BTreeSet<(Loc, State)>,
    pub error_run: Option<Run>,
}

/// Explores exhaustively; `None` when that is too much work.
pub fn explore(pool: &TermPool, program: &Program) -> Option<Explored> {
    let initial = tuples(pool, program.vars(program.entry), 2_000)?;
    explore_from(pool, program, initial.into_iter().map(|s| (program.entry, s)).collect())
}

/// Explores from given states.
pub fn explore_from(pool: &TermPool, program: &Program, starts: Vec<(Loc, State)>) -> Option<Explored> {
    let inputs: Vec<Vec<Vec<Value>>> =
        program.edges.iter().map(|e| tuples(pool, &e.inputs, 3_000)).collect::<Option<_>>()?;
    let outgoing = program.outgoing();
    type Parent = Option<((Loc, State), Step)>;
    let mut parent: BTreeMap<(Loc, State), Parent> = BTreeMap::new();
    let mut queue = VecDeque::new();
    for s in starts {
        parent.insert(s.clone(), None);
        queue.push_back(s);
    }
    let mut work = 0;
    while let Some((l, state)) = queue.pop_front() {
        for &e in &outgoing[l.index()] {
            for values in &inputs[e.index()] {
                work += 1;
                if work > 400_000 {
                    return None;
                }
                let Some(next) = take(pool, program, &state, e, values) else { continue };
                let node = (program.edge(e).target, next);
                if !parent.contains_key(&node) {
                    let step = Step { edge: e, inputs: values.clone() };
                    parent.insert(node.clone(), Some(((l, state.clone()), step)));
                    queue.push_back(node);
                }
            }
        }
    }
    let error = (program.error, Vec::new());
    let error_run = parent.contains_key(&error).then(|| {
        let mut steps = Vec::new();
        let mut at = error;
        while let Some((before, step)) = &parent[&at] {
            steps.push(step.clone());
            at = before.clone();
        }
        steps.reverse();
        Run { initial: at.1, steps }
    });
    Some(Explored { states: parent.into_keys().collect(), error_run })
}

/// The formula that says: one of these states.
pub fn one_of(pool: &TermPool, program: &Program, l: Loc, states: &BTreeSet<(Loc, State)>) -> Term {
    pool.or(states
        .iter()
        .filter(|(m, _)| *m == l)
        .map(|(_, s)| pool.and(program.vars(l).iter().zip(s).map(|(&v, x)| pool.eq(v, x.to_term(pool))))))
}

/// An inductive invariant of a safe program: its reachable states, with some more that do not lead to the
/// error either.
pub fn invariant(pool: &TermPool, program: &Program, rng: &mut Random, reachable: &Explored) -> Invariants {
    let mut states = reachable.states.clone();
    for _ in 0..rng.below(6) {
        let l = Loc(rng.below(program.locations.len()) as u32);
        if l == program.error || l == program.entry {
            continue;
        }
        let state: State = program
            .vars(l)
            .iter()
            .map(|&v| match pool.sort(v) {
                Sort::Bool => Value::Bool(rng.chance(50)),
                // A program counter has more values; those that mean nothing lead nowhere.
                _ => Value::Int(rng.below(4).into()),
            })
            .collect();
        if let Some(more) = explore_from(pool, program, vec![(l, state)])
            && more.error_run.is_none()
        {
            states.extend(more.states);
        }
    }
    let mut invariants = Invariants::trivial(pool, program);
    for l in program.locs().filter(|&l| l != program.entry && l != program.error) {
        invariants.set(l, one_of(pool, program, l, &states));
    }
    invariants
}

/// What must be valid for a certificate: entry true, error false, every edge inductive.
pub fn obligations(pool: &TermPool, program: &Program, invariants: &Invariants) -> Vec<(String, Term)> {
    let mut out = vec![
        ("entry".to_string(), invariants.at(program.entry)),
        ("error".to_string(), pool.not(invariants.at(program.error))),
    ];
    for e in program.edge_ids() {
        let edge = program.edge(e);
        let before = pool.and2(invariants.at(edge.source), edge.guard);
        let after = program.after(pool, e, invariants.at(edge.target));
        out.push((format!("edge {}", e.0), pool.implies(before, after)));
    }
    for l in program.locs() {
        let scope: BTreeSet<Term> = program.vars(l).iter().copied().collect();
        let free = pool.free_vars(invariants.at(l));
        assert!(free.is_subset(&scope), "formula of {} leaves its scope", program.location(l).name);
    }
    out
}

/// A program as text, for failure messages.
pub fn show(pool: &TermPool, program: &Program) -> String {
    let mut out = format!("entry {} error {}\n", program.entry.0, program.error.0);
    for l in program.locs() {
        let vars: Vec<String> = program.vars(l).iter().map(|&v| pool.infix(v).to_string()).collect();
        out += &format!("  loc {} {} ({})\n", l.0, program.location(l).name, vars.join(", "));
    }
    for e in program.edge_ids() {
        let edge = program.edge(e);
        let inputs: Vec<String> = edge.inputs.iter().map(|&v| pool.infix(v).to_string()).collect();
        let update: Vec<String> = edge.update.iter().map(|&v| pool.infix(v).to_string()).collect();
        out += &format!(
            "  edge {}: {} -> {} inputs ({}) [{}] ({})\n",
            e.0,
            edge.source.0,
            edge.target.0,
            inputs.join(", "),
            pool.infix(edge.guard),
            update.join(", ")
        );
    }
    out
}

/// The last location of a run, by execution.
pub fn ends_in_error(pool: &TermPool, program: &Program, run: &Run) -> Result<(), String> {
    let replay = palisade_program::interpret(pool, program, run).map_err(|e| e.to_string())?;
    let (l, _) = replay.states.last().expect("never empty");
    if *l == program.error { Ok(()) } else { Err(format!("ends in location {}", l.0)) }
}

/// All edges of a program (for tests that walk at random).
pub fn edges(program: &Program) -> Vec<EdgeId> {
    program.edge_ids().collect()
}
