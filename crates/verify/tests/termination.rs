//! Whether runs end, on random finite programs, against explicit-state search: programs that watch their
//! loops, with any measures, and the answers that are found.
//!
//! `PALISADE_TEST_SCALE=N` runs N times as many programs.

#[path = "../../engines/tests/common/finite.rs"]
#[allow(dead_code, reason = "the tests of the engines use more of it")]
mod finite;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use finite::{random_program, random_ring};
use palisade_certify::{read_measures, write_measures};
use palisade_fuzzing::{Random, scale};
use palisade_program::{Loc, Measure, Measures, Program, Property, State, loops, take, watch_repetition};
use palisade_term::{Sort, TermPool, Value};
use palisade_verify::{Budget, Ended, Settings, Silent, Verdict, terminates};

/// The states that a program comes to, each with those that follow.
type Graph = BTreeMap<(Loc, State), Vec<(Loc, State)>>;

fn explore(pool: &TermPool, p: &Program) -> Graph {
    let values = |sort: &Sort| match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        _ => (0..4).map(|v| Value::BitVec(2, v.into())).collect(),
    };
    let mut graph = Graph::new();
    let mut open = vec![(p.entry, vec![])];
    while let Some((l, state)) = open.pop() {
        if graph.contains_key(&(l, state.clone())) {
            continue;
        }
        let mut next = Vec::new();
        for e in p.edge_ids().filter(|&e| p.edge(e).source == l) {
            let mut inputs = vec![Vec::new()];
            for &input in &p.edge(e).inputs {
                let longer = |i: &Vec<Value>| {
                    let values = values(pool.sort(input)).into_iter();
                    values.map(|v| i.iter().cloned().chain([v]).collect()).collect::<Vec<Vec<Value>>>()
                };
                inputs = inputs.iter().flat_map(longer).collect();
            }
            let states = inputs.iter().filter_map(|i| take(pool, p, &state, e, i));
            next.extend(states.map(|s| (p.edge(e).target, s)));
        }
        open.extend(next.iter().cloned());
        graph.insert((l, state), next);
    }
    graph
}

/// Does no run go on for ever? States without successors that are left are taken away, until none are.
fn ends(mut graph: Graph) -> bool {
    loop {
        let left: BTreeSet<_> = graph.keys().cloned().collect();
        graph.retain(|_, next| next.iter().any(|s| left.contains(s)));
        if graph.len() == left.len() {
            return graph.is_empty();
        }
    }
}

fn reaches_error(pool: &TermPool, p: &Program) -> bool {
    explore(pool, p).keys().any(|(l, _)| *l == p.error)
}

/// A program without edges to the error location.
fn program(pool: &TermPool, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut p = if seed.is_multiple_of(3) {
        random_ring(pool, &mut random)
    } else {
        random_program(pool, &mut random)
    };
    let error = p.error;
    p.edges.retain(|e| e.target != error);
    p
}

#[test]
fn no_measures_prove_that_an_endless_program_ends() {
    let (mut endless, mut proofs) = (0, 0);
    for seed in 0..1500 * scale() as u64 {
        let pool = TermPool::new();
        let p = program(&pool, seed);
        let ends = ends(explore(&pool, &p));
        endless += usize::from(!ends);
        let random = &mut Random::new(seed);
        for _ in 0..3 {
            let mut measure = |head: Loc| {
                if random.one_in(4) {
                    return Measure::Rounds(1 + random.below(20) as u32);
                }
                let vars = p.vars(head);
                let term = |random: &mut Random| match random.below(3) {
                    0 => random.pick(vars),
                    1 => pool.bv_neg(random.pick(vars)),
                    _ => pool.bv_sub(random.pick(vars), random.pick(vars)),
                };
                Measure::Terms((0..1 + random.below(2)).map(|_| term(random)).collect())
            };
            let measures = Measures { of: loops(&p).iter().map(|l| (l.head, measure(l.head))).collect() };
            let watched = measures.watch(&pool, &p);
            watched.program.check(&pool).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let proved = !reaches_error(&pool, &watched.program);
            assert!(ends || !proved, "seed {seed}: {measures:?} prove that an endless program ends");
            proofs += usize::from(proved && !measures.of.is_empty());
        }
        // More rounds than there are states: then the measure goes down if the program ends.
        let rounds = loops(&p).iter().map(|l| (l.head, Measure::Rounds(400))).collect();
        let watched = Measures { of: rounds }.watch(&pool, &p);
        assert!(!ends || !reaches_error(&pool, &watched.program), "seed {seed}: few rounds are enough");
    }
    assert!(endless > 300 && proofs > 100, "{endless}, {proofs}");
}

#[test]
fn a_state_is_repeated_exactly_if_a_program_is_endless() {
    let mut endless = 0;
    for seed in 0..600 * scale() as u64 {
        let pool = TermPool::new();
        let p = program(&pool, seed);
        let ends = ends(explore(&pool, &p));
        let violated = Property::Violated("termination".into());
        let watched = watch_repetition(&pool, &p, &violated).program;
        watched.check(&pool).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let repeats = reaches_error(&pool, &watched);
        assert_eq!(repeats, !ends, "seed {seed}");
        endless += usize::from(!ends);
    }
    assert!(endless > 150, "{endless}");
}

#[test]
fn answers_are_those_of_search() {
    let (mut proved, mut refuted, mut undecided) = (0, 0, 0);
    for seed in 0..150 * scale() as u64 {
        let pool = TermPool::new();
        let p = program(&pool, seed);
        let ends = ends(explore(&pool, &p));
        let part = Budget::unlimited().part(Duration::from_secs(2));
        let answer = terminates(&pool, &p, None, &Settings::default(), &part.budget, &mut Silent);
        let Ended { verdict, measures, .. } = answer.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        match verdict {
            Verdict::Safe(_) => {
                assert!(ends, "seed {seed}: {measures:?}");
                assert_eq!(measures.missing(&p), [], "seed {seed}");
                let text = write_measures(&pool, &p, &measures);
                assert_eq!(read_measures(&pool, &p, &text), Ok(measures), "seed {seed}: {text}");
                proved += 1;
            }
            Verdict::Unsafe(_) => {
                assert!(!ends, "seed {seed}");
                refuted += 1;
            }
            Verdict::Unknown(_) => undecided += 1,
        }
    }
    assert!(proved > 50 && refuted > 30 && undecided < 20, "{proved}, {refuted}, {undecided}");
}
