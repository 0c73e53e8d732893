//! The lazy-abstraction engines on small programs worked by hand: the tree, the clauses, covers, uncovers and
//! the nodes between.

mod common;

use common::Tree::{Covered, Node, PathBlocked, Predicate, Strengthened, Uncovered};
use common::{Native, Recorder, edge, location, verdict};
use palisade_engines::impact::Impact;
use palisade_engines::predabs::PredAbs;
use palisade_engines::tree_ic3::{TreeIc3, TreeIc3Itp, TreeIc3ItpMono};
use palisade_engines::{Budget, Engine, Event, Observer, Options, Outcome, Stop, Task};
use palisade_program::{Loc, Program};
use palisade_term::{Sort, Term, TermPool};

/// Only the engine itself: no analyses before.
const ALONE: (&str, &str) = ("art.background", "false");

fn int(pool: &TermPool, name: &str) -> Term {
    pool.var(name, Sort::Int)
}

fn at_least_zero(pool: &TermPool, x: Term) -> Term {
    pool.ge(x, pool.int(0))
}

/// `x = 0; loop x++; assert(x >= 0)`: entry, loop location, error.
fn counter(pool: &TermPool) -> (Program, Loc, Term) {
    let x = int(pool, "x");
    let mut p = Program::new();
    let l = location(&mut p, "l", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l, l, &[], pool.tru(), &[pool.add2(x, pool.int(1))]);
    edge(&mut p, l, error, &[], pool.lt(x, pool.int(0)), &[]);
    (p, l, x)
}

/// Node 2 is the loop location, 3 the loop location once more, 4 the error. The path to 4 teaches node 2 `x
/// >= 0`; node 3 gets it from node 2 along the loop and is covered.
#[test]
fn a_clause_of_the_ancestor_closes_the_loop() {
    let pool = TermPool::new();
    let (p, l, x) = counter(&pool);
    let positive = at_least_zero(&pool, x);
    for engine in [&TreeIc3 as &dyn Engine, &TreeIc3Itp, &TreeIc3ItpMono] {
        let (safe, record) = verdict(engine, &pool, &p, &[ALONE]);
        assert!(safe);
        let expected = [
            Node(1, None, p.entry),
            Node(2, Some(1), l),
            Node(3, Some(2), l),
            Node(4, Some(2), p.error),
            PathBlocked(4),
            Strengthened(2, positive),
            Strengthened(4, pool.fls()),
            Strengthened(3, positive),
            Covered(3, 2),
        ];
        assert_eq!(record.tree, expected, "{}", engine.name());
    }
}

/// The same tree by forced covering. The interpolant of "node 2, then the loop" against "not `x >= 0`"
/// strengthens node 3; it is the strongest one, `x >= 1`.
#[test]
fn a_forced_cover_closes_the_loop() {
    let pool = TermPool::new();
    let (p, _, x) = counter(&pool);
    let positive = at_least_zero(&pool, x);
    let (safe, record) = verdict(&Impact, &pool, &p, &[ALONE]);
    assert!(safe);
    let changes: Vec<_> = record.tree.into_iter().filter(|t| !matches!(t, Node(..))).collect();
    let expected = [
        PathBlocked(4),
        Strengthened(2, positive),
        Strengthened(4, pool.fls()),
        Strengthened(3, pool.ge(x, pool.int(1))),
        Covered(3, 2),
    ];
    assert_eq!(changes, expected);
}

/// Without forced covering node 3 is unwound once more, and its own path teaches it `x >= 0`, too.
#[test]
fn without_forced_covering_another_path_is_refuted() {
    let pool = TermPool::new();
    let (p, ..) = counter(&pool);
    let (safe, record) = verdict(&Impact, &pool, &p, &[ALONE, ("impact.force", "0")]);
    assert!(safe);
    let refuted = record.tree.iter().filter(|t| matches!(t, PathBlocked(_))).count();
    assert_eq!(refuted, 2);
    assert!(matches!(record.tree.last(), Some(Covered(..))), "{:?}", record.tree.last());
}

/// The predicate `x >= 0` at the loop location; the subtree below node 2 is built again with it: 5 is the
/// loop location, 6 the error, which is false at once.
#[test]
fn a_predicate_rebuilds_the_subtree() {
    let pool = TermPool::new();
    let (p, l, x) = counter(&pool);
    let positive = at_least_zero(&pool, x);
    let (_, atom) = pool.strip_not(positive);
    for abstraction in ["boolean", "cartesian"] {
        let set = [ALONE, ("predabs.abstraction", abstraction)];
        let (safe, record) = verdict(&PredAbs, &pool, &p, &set);
        assert!(safe);
        let expected = [
            Node(1, None, p.entry),
            Node(2, Some(1), l),
            Node(3, Some(2), l),
            Node(4, Some(2), p.error),
            PathBlocked(4),
            Predicate(l, atom),
            Strengthened(2, positive),
            Node(5, Some(2), l),
            Node(6, Some(2), p.error),
            Strengthened(5, positive),
            Strengthened(6, pool.fls()),
            Covered(5, 2),
        ];
        assert_eq!(record.tree, expected);
    }
}

/// The loop goes through a second location: `l: y = x + 1; m: x = y`. Node 3 (`m`) lies between the two nodes
/// of `l` and has to learn `y >= 0` before node 5 may get `x >= 0`.
#[test]
fn the_nodes_between_are_strengthened_first() {
    let pool = TermPool::new();
    let (x, y) = (int(&pool, "x"), int(&pool, "y"));
    let mut p = Program::new();
    let l = location(&mut p, "l", &[x]);
    let m = location(&mut p, "m", &[y]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l, m, &[], pool.tru(), &[pool.add2(x, pool.int(1))]);
    edge(&mut p, m, l, &[], pool.tru(), &[y]);
    edge(&mut p, l, error, &[], pool.lt(x, pool.int(0)), &[]);
    for engine in [&TreeIc3 as &dyn Engine, &TreeIc3Itp, &TreeIc3ItpMono, &Impact] {
        let (safe, record) = verdict(engine, &pool, &p, &[ALONE]);
        assert!(safe);
        let nodes: Vec<_> = record.tree.iter().filter(|t| matches!(t, Node(..))).collect();
        assert_eq!(nodes.len(), 5, "{}: entry, l, m, error, l", engine.name());
        let between: Vec<Term> = (record.tree.iter())
            .filter_map(|t| match t {
                Strengthened(3, c) => Some(*c),
                _ => None,
            })
            .collect();
        let [c] = between[..] else { panic!("{}: {between:?}", engine.name()) };
        // `x >= 0` gives `y >= 1`, and `y >= 0` is what node 5 needs.
        let bounds: Vec<Term> = (0..=1).map(|k| pool.ge(y, pool.int(k))).collect();
        assert!(bounds.contains(&c), "{}: {}", engine.name(), pool.infix(c));
        assert_eq!(record.tree.last(), Some(&Covered(5, 2)), "{}", engine.name());
    }
}

/// Breadth first, node 3 (the loop location again) is covered by node 2 while both are true. The path over
/// node 4 strengthens node 2, which uncovers node 3; strengthened itself, it is covered again.
#[test]
fn strengthening_uncovers() {
    let pool = TermPool::new();
    let x = int(&pool, "x");
    let mut p = Program::new();
    let l = location(&mut p, "l", &[x]);
    let m = location(&mut p, "m", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l, l, &[], pool.tru(), &[pool.add2(x, pool.int(1))]);
    edge(&mut p, l, m, &[], pool.tru(), &[x]);
    edge(&mut p, m, error, &[], pool.lt(x, pool.int(0)), &[]);
    for (engine, bound) in
        [(&TreeIc3 as &dyn Engine, 0), (&TreeIc3Itp, 0), (&TreeIc3ItpMono, 0), (&Impact, 1)]
    {
        let (safe, record) = verdict(engine, &pool, &p, &[ALONE, ("art.order", "bfs")]);
        assert!(safe);
        let about_3: Vec<_> = (record.tree.iter())
            .filter(|t| matches!(t, Covered(3, _) | Uncovered(3) | Strengthened(3, _)))
            .cloned()
            .collect();
        let clause = pool.ge(x, pool.int(bound));
        let expected = [Covered(3, 2), Uncovered(3), Strengthened(3, clause), Covered(3, 2)];
        assert_eq!(about_3, expected, "{}", engine.name());
    }
}

/// What an engine says when it is stopped at an event of its run: where it was, and its notes. `None` if it
/// had ended before.
fn stopped_at(
    engine: &dyn Engine,
    pool: &TermPool,
    p: &Program,
    event: usize,
) -> Option<(Option<Loc>, Vec<String>)> {
    struct Stopper(Budget, usize);
    impl Observer for Stopper {
        fn event(&mut self, _: Event<'_>) {
            self.1 = self.1.saturating_sub(1);
            if self.1 == 0 {
                self.0.stop(Stop::Timeout);
            }
        }
        fn wants_detail(&self) -> bool {
            true
        }
    }
    let mut options = Options::new();
    options.set("art.background", "false").expect("an option");
    let budget = Budget::unlimited();
    let task = Task { pool, program: p, solvers: &Native, options: &options };
    match engine.run(&task, &budget, &mut Stopper(budget.clone(), event)) {
        Outcome::Unknown(_, partial) => Some((partial.stuck_at, partial.notes)),
        _ => None,
    }
}

/// Wherever a run is stopped, the loop is named: also right after its nodes were removed or made false. The
/// note counts what there is of the tree.
#[test]
fn a_stopped_run_names_the_loop() {
    let pool = TermPool::new();
    let (mut p, l, x) = counter(&pool);
    // No shorter path than that of 32 edges can be run.
    p.edges[2].guard = pool.eq(x, pool.int(30));
    for engine in [&TreeIc3 as &dyn Engine, &TreeIc3Itp, &TreeIc3ItpMono, &Impact, &PredAbs] {
        let stopped: Vec<_> = (5..40).filter_map(|n| stopped_at(engine, &pool, &p, n)).collect();
        assert!(stopped.len() > 20, "{}", engine.name());
        assert_eq!(stopped.iter().find(|(at, _)| *at != Some(l)), None, "{}", engine.name());
        let first = &stopped[0].1;
        assert_eq!(first[..], ["4 nodes (0 removed), 0 covers, longest path 2"], "{}", engine.name());
    }
}

fn counter_value(record: &Recorder, name: &str) -> u64 {
    record.counters.iter().find(|(n, _)| *n == name).map_or(0, |(_, v)| *v)
}

/// A chain of `n` edges along which `x` and `y` grow together, by one or, with `branches`, by one or two; the
/// error is `x != y` at the end.
fn chain(pool: &TermPool, n: usize, branches: bool) -> Program {
    let (x, y, b) = (int(pool, "x"), int(pool, "y"), pool.var("b", Sort::Bool));
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let mut here = location(&mut p, "l0", &[x, y]);
    edge(&mut p, entry, here, &[], pool.tru(), &[pool.int(0), pool.int(0)]);
    for k in 1..n - 1 {
        let next = location(&mut p, &format!("l{k}"), &[x, y]);
        let grown = |v: Term, by: i64| pool.add2(v, pool.int(by));
        let both = |v: Term| match branches {
            true => pool.ite(b, grown(v, 1), grown(v, 2)),
            false => grown(v, 1),
        };
        let inputs: &[Term] = if branches { &[b] } else { &[] };
        edge(&mut p, here, next, inputs, pool.tru(), &[both(x), both(y)]);
        here = next;
    }
    edge(&mut p, here, error, &[], pool.not(pool.eq(x, y)), &[]);
    p
}

#[test]
fn a_path_of_200_edges_is_interpolated() {
    let pool = TermPool::new();
    let p = chain(&pool, 200, false);
    for engine in [&Impact as &dyn Engine, &TreeIc3Itp, &PredAbs] {
        let (safe, record) = verdict(engine, &pool, &p, &[ALONE]);
        assert!(safe);
        assert_eq!(counter_value(&record, "paths refuted by interpolants"), 1, "{}", engine.name());
        assert_eq!(counter_value(&record, "longest path"), 200);
    }
}

/// One query about 200 branches is exponential: the step limit ends it, and the path is refuted edge by edge.
#[test]
fn a_path_of_200_branches_is_blocked_edge_by_edge() {
    let pool = TermPool::new();
    let p = chain(&pool, 200, true);
    for engine in [&TreeIc3 as &dyn Engine, &TreeIc3Itp] {
        let (safe, record) = verdict(engine, &pool, &p, &[ALONE]);
        assert!(safe);
        assert_eq!(counter_value(&record, "paths refuted edge by edge"), 1, "{}", engine.name());
    }
}

/// A path that can be run gives a run of exactly its length.
#[test]
fn a_feasible_path_is_a_run() {
    let pool = TermPool::new();
    let (mut p, _, x) = counter(&pool);
    p.edges[2].guard = pool.eq(x, pool.int(3));
    for engine in [&TreeIc3 as &dyn Engine, &TreeIc3Itp, &TreeIc3ItpMono, &Impact, &PredAbs] {
        let (safe, record) = verdict(engine, &pool, &p, &[ALONE]);
        assert!(!safe, "{}", engine.name());
        assert_eq!(record.counterexample.map(|edges| edges.len()), Some(5), "{}", engine.name());
    }
}
