//! More of the lazy-abstraction engines by hand: what their options change, on programs of two and three
//! variables.

mod common;

use common::Tree::{Covered, Node, PathBlocked, Predicate, Strengthened, Uncovered};
use common::{Recorder, Tree, edge, location, verdict};
use palisade_engines::Engine;
use palisade_engines::impact::Impact;
use palisade_engines::predabs::PredAbs;
use palisade_engines::tree_ic3::{TreeIc3, TreeIc3Itp, TreeIc3ItpMono};
use palisade_program::{Loc, Program};
use palisade_term::{Sort, Term, TermPool};

/// A safe program is proved by an engine without analyses before it.
fn proved(engine: &dyn Engine, pool: &TermPool, p: &Program, set: &[(&str, &str)]) -> Recorder {
    let set = [&[("art.background", "false")], set].concat();
    let (safe, record) = verdict(engine, pool, p, &set);
    assert!(safe, "{}", engine.name());
    record
}

fn ints<const N: usize>(pool: &TermPool, names: [&str; N]) -> [Term; N] {
    names.map(|n| pool.var(n, Sort::Int))
}

fn counter(record: &Recorder, name: &str) -> u64 {
    record.counters.iter().find(|(n, _)| *n == name).map_or(0, |(_, v)| *v)
}

fn paths(record: &Recorder) -> usize {
    record.tree.iter().filter(|t| matches!(t, PathBlocked(_))).count()
}

/// `f = z = y = 0; loop { f = 1; z = *; y++ }`, at `l`, from where `m` keeps `y` alone. Errors:
/// `f == 0 && z > 0` at `l`, `y < 0` at `m`.
fn two_errors(pool: &TermPool) -> (Program, [Loc; 2], [Term; 3]) {
    let [f, z, y, h] = ints(pool, ["f", "z", "y", "h"]);
    let mut p = Program::new();
    let l = location(&mut p, "l", &[f, z, y]);
    let m = location(&mut p, "m", &[y]);
    let (entry, error) = (p.entry, p.error);
    let zero = pool.int(0);
    edge(&mut p, entry, l, &[], pool.tru(), &[zero, zero, zero]);
    edge(&mut p, l, l, &[h], pool.tru(), &[pool.int(1), h, pool.add2(y, pool.int(1))]);
    edge(&mut p, l, m, &[], pool.tru(), &[y]);
    edge(&mut p, l, error, &[], pool.and2(pool.eq(f, zero), pool.gt(z, zero)), &[]);
    edge(&mut p, m, error, &[], pool.lt(y, zero), &[]);
    (p, [l, m], [f, z, y])
}

/// The whole tree. Depth first, the newest leaf first, which is the one nearest to the error.
///
/// - Node 2 (`l`) has the children 3 (`m`), 4 (`l` again) and 5 (error), which teaches it `z <= 0`.
/// - Node 4 cannot keep that (`z` gets any value). Its children are 6 (`m`), 7 (`l`) and 8 (error), which
///   teaches it `f >= 1`; node 7 takes that and is covered by node 4. Node 6 is true like node 3.
/// - Node 9, the error below 3, teaches nodes 2 and 3 `y >= 0`, so node 6 is uncovered. Node 4 takes the
///   clause from node 2, which uncovers node 7.
/// - Node 10, the error below 6, teaches it the same. Node 7 takes the clause from node 4 and is covered.
///
/// When clauses are propagated again, node 6 takes the clause from node 4, too, and node 3 covers it again.
#[test]
fn a_whole_tree() {
    let pool = TermPool::new();
    let (p, [l, m], [f, z, y]) = two_errors(&pool);
    let (zero, fls) = (pool.int(0), pool.fls());
    let positive = pool.ge(y, zero);
    let flagged = pool.ge(f, pool.int(1));
    let expected = [
        Node(1, None, p.entry),
        Node(2, Some(1), l),
        Node(3, Some(2), m),
        Node(4, Some(2), l),
        Node(5, Some(2), p.error),
        PathBlocked(5),
        Strengthened(2, pool.le(z, zero)),
        Strengthened(5, fls),
        Node(6, Some(4), m),
        Node(7, Some(4), l),
        Node(8, Some(4), p.error),
        PathBlocked(8),
        Strengthened(4, flagged),
        Strengthened(8, fls),
        Strengthened(7, flagged),
        Covered(7, 4),
        Covered(6, 3),
        Node(9, Some(3), p.error),
        PathBlocked(9),
        Strengthened(2, positive),
        Strengthened(3, positive),
        Uncovered(6),
        Strengthened(9, fls),
        Strengthened(4, positive),
        Uncovered(7),
        Node(10, Some(6), p.error),
        PathBlocked(10),
        Strengthened(6, positive),
        Strengthened(10, fls),
        Strengthened(7, positive),
        Covered(7, 4),
    ];
    assert_eq!(proved(&TreeIc3, &pool, &p, &[("tree-ic3.propagate-again", "false")]).tree, expected);
    let again = proved(&TreeIc3, &pool, &p, &[("tree-ic3.propagate-again", "true")]).tree;
    let end = [Strengthened(6, positive), Covered(6, 3), Strengthened(7, positive), Covered(7, 4)];
    assert_eq!(again, [&expected[..25], &end].concat());
}

/// Node 4 may take `y >= 0` from node 2, but not what node 2 says about `z`. Clause by clause it does, right
/// after node 2 has learned it; all or nothing, it has to learn it from a path of its own.
#[test]
fn monolithic_strengthening_takes_nothing() {
    let pool = TermPool::new();
    let (p, _, [_, _, y]) = two_errors(&pool);
    let about_y = |t: &Tree| match t {
        Strengthened(4, c) => pool.free_vars(*c).into_iter().eq([y]),
        _ => false,
    };
    let paths_before = |engine: &dyn Engine| {
        let record = proved(engine, &pool, &p, &[]);
        let at = record.tree.iter().position(about_y).expect("node 4 learns about y");
        record.tree[..at].iter().filter(|t| matches!(t, PathBlocked(_))).count()
    };
    assert_eq!(paths_before(&TreeIc3Itp), 3);
    assert_eq!(paths_before(&TreeIc3ItpMono), 4);
}

/// `a` and `b` change places and `t` flips: what node 2 says of `a` holds two rounds later at node 5, not at
/// node 3. With all ancestors node 5 takes it, node 3 between learns it of `b`, and node 2 covers node 5.
#[test]
fn an_ancestor_that_is_not_the_nearest() {
    let pool = TermPool::new();
    let [a, b, t, i] = ints(&pool, ["a", "b", "t", "i"]);
    let mut p = Program::new();
    let l = location(&mut p, "l", &[a, b, t]);
    let (entry, error) = (p.entry, p.error);
    let zero = pool.int(0);
    edge(&mut p, entry, l, &[i], pool.tru(), &[zero, i, zero]);
    edge(&mut p, l, l, &[], pool.tru(), &[b, a, pool.sub(pool.int(1), t)]);
    edge(&mut p, l, error, &[], pool.and2(pool.eq(t, zero), pool.gt(a, zero)), &[]);
    let all = proved(&TreeIc3, &pool, &p, &[("tree-ic3.ancestors", "all")]);
    assert!(all.tree.contains(&Strengthened(3, pool.le(b, zero))), "{:?}", all.tree);
    assert!(all.tree.contains(&Strengthened(5, pool.le(a, zero))), "{:?}", all.tree);
    assert_eq!(all.tree.last(), Some(&Covered(5, 2)));
    assert_eq!(paths(&all), 2);
    for ancestors in ["nearest", "none"] {
        let other = proved(&TreeIc3, &pool, &p, &[("tree-ic3.ancestors", ancestors)]);
        assert!(paths(&other) > 2, "{ancestors}");
    }
}

/// Two ways into `l`; node 2 is that of the second edge. Breadth first, node 3 is covered by
/// node 2 while both are true, and uncovered when the error below node 2 is refuted. They are
/// siblings; their nearest common ancestor is the root.
#[test]
fn a_forced_cover_by_a_sibling() {
    let pool = TermPool::new();
    let [x] = ints(&pool, ["x"]);
    let mut p = Program::new();
    let l = location(&mut p, "l", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(5)]);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l, error, &[], pool.lt(x, pool.int(0)), &[]);
    let record = proved(&Impact, &pool, &p, &[("art.order", "bfs")]);
    let about_3: Vec<_> =
        record.tree.iter().filter(|t| matches!(t, Covered(3, _) | Uncovered(3))).cloned().collect();
    assert_eq!(about_3, [Covered(3, 2), Uncovered(3), Covered(3, 2)]);
    assert_eq!((counter(&record, "forced covers"), paths(&record)), (1, 1));
    assert_eq!(counter(&record, "forced covers by interpolants"), 1);
}

/// `(x, y)` is `(0, 1)` or `(1, 0)`; the error is `x <= 0 && y <= 0`.
fn either(pool: &TermPool) -> (Program, Loc) {
    let [x, y] = ints(pool, ["x", "y"]);
    let b = pool.var("b", Sort::Bool);
    let mut p = Program::new();
    let l = location(&mut p, "l", &[x, y]);
    let (entry, error) = (p.entry, p.error);
    let [zero, one] = [0, 1].map(|k| pool.int(k));
    edge(&mut p, entry, l, &[b], pool.tru(), &[pool.ite(b, zero, one), pool.ite(b, one, zero)]);
    edge(&mut p, l, error, &[], pool.and2(pool.le(x, zero), pool.le(y, zero)), &[]);
    (p, l)
}

/// The best Boolean combination of the predicates about `x` and about `y` is a disjunction of
/// two cubes, which excludes the error. The best conjunction says nothing: the path comes
/// back, and the interpolant itself becomes a predicate.
#[test]
fn a_disjunction_of_cubes() {
    let pool = TermPool::new();
    let (p, l) = either(&pool);
    let boolean = proved(&PredAbs, &pool, &p, &[]);
    let formulas = |record: &Recorder| -> Vec<Term> {
        let of_2 = |t: &Tree| match t {
            Strengthened(2, c) => Some(*c),
            _ => None,
        };
        record.tree.iter().filter_map(of_2).collect()
    };
    let [formula] = formulas(&boolean)[..] else { panic!("{:?}", boolean.tree) };
    assert_eq!(pool.disjuncts(formula).len(), 2, "{}", pool.infix(formula));
    assert_eq!(paths(&boolean), 1);
    let cartesian = proved(&PredAbs, &pool, &p, &[("predabs.abstraction", "cartesian")]);
    assert_eq!(paths(&cartesian), 2);
    let whole = |t: &&Tree| matches!(t, Predicate(at, q) if *at == l && pool.atoms(*q).len() > 1);
    assert_eq!(cartesian.tree.iter().filter(whole).count(), 1);
    assert_ne!(boolean.tree, cartesian.tree);
}

/// `x = 0` at `l`, kept at `m`, which may be left for the error. The predicate of `m` is tracked there, or at
/// `l`, too; after a refinement the subtree of the first node that changes is built again, or all.
#[test]
fn scope_and_restart() {
    let pool = TermPool::new();
    let [x] = ints(&pool, ["x"]);
    let mut p = Program::new();
    let l = location(&mut p, "f:1", &[x]);
    let m = location(&mut p, "f:2", &[x]);
    let k = location(&mut p, "g:1", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l, m, &[], pool.tru(), &[pool.add2(x, pool.int(1))]);
    edge(&mut p, m, k, &[], pool.tru(), &[x]);
    edge(&mut p, k, error, &[], pool.lt(x, pool.int(0)), &[]);
    // Every location has its own interpolant, and `x >= 0` at the last.
    let per_location = proved(&PredAbs, &pool, &p, &[]);
    let function = proved(&PredAbs, &pool, &p, &[("predabs.scope", "function")]);
    let global = proved(&PredAbs, &pool, &p, &[("predabs.scope", "global")]);
    let predicates = [&per_location, &function, &global].map(|r| counter(r, "predicates"));
    assert!(predicates[0] < predicates[1] && predicates[1] < predicates[2], "{predicates:?}");
    let below_root = |record: &Recorder| {
        let of_root = |t: &&Tree| matches!(t, Node(_, Some(1), at) if *at == l);
        record.tree.iter().filter(of_root).count()
    };
    assert_eq!(below_root(&per_location), 1);
    assert_eq!(below_root(&proved(&PredAbs, &pool, &p, &[("predabs.restart", "true")])), 2);
}

/// With a factor of 0 every interpolant has too many clauses: the path is blocked edge by edge.
#[test]
fn interpolants_with_too_many_clauses_are_given_up() {
    let pool = TermPool::new();
    let (p, _) = either(&pool);
    let record = proved(&TreeIc3Itp, &pool, &p, &[("path.cnf-factor", "0")]);
    let counters =
        ["interpolants with too many clauses", "paths refuted by interpolants", "paths refuted edge by edge"];
    assert_eq!(counters.map(|name| counter(&record, name)), [1, 0, 1]);
    let record = proved(&TreeIc3Itp, &pool, &p, &[]);
    assert_eq!(counters.map(|name| counter(&record, name)), [0, 1, 0]);
}

/// The obligations of a program whose error has one preimage at `l`, for one kind of preimage.
fn obligations(pool: &TermPool, bad: Term, preimage: &str) -> Vec<Vec<Term>> {
    let [x, y] = ints(pool, ["x", "y"]);
    let mut p = Program::new();
    let l = location(&mut p, "l", &[x, y]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0), pool.int(0)]);
    edge(&mut p, l, error, &[], bad, &[]);
    let record = proved(&TreeIc3, pool, &p, &[("path.preimage", preimage), ("path.preimage-cubes", "2")]);
    record.obligations.into_iter().map(|(_, _, cube)| cube).collect()
}

/// The preimage of the error has three cubes, which become obligations one after the other, two at a time, or
/// all at once. One state at a time ends only where there are few.
#[test]
fn four_preimages() {
    let pool = TermPool::new();
    let [x, y] = ints(&pool, ["x", "y"]);
    let is = |v: Term, k: i64| pool.eq(v, pool.int(k));
    let bad = [pool.lt(x, pool.int(0)), pool.gt(x, pool.int(10)), pool.lt(y, pool.int(0))];
    for preimage in ["first", "some", "all"] {
        let mut found = obligations(&pool, pool.or(bad), preimage).concat();
        found.sort_unstable();
        let mut expected = bad.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{preimage}");
    }
    let states = [[is(x, 7), is(y, 1)], [is(x, 8), is(y, 2)]];
    let either = pool.or(states.map(|state| pool.and(state)));
    let found = obligations(&pool, either, "point");
    assert_eq!(found.len(), 2);
    assert!(states.iter().all(|s| found.iter().any(|f| f[..] == s[..])), "{found:?}");
}

/// `x = 0; loop { l: x = x; m: x++ }`, errors `x < 0` at both.
fn two_checks(pool: &TermPool) -> (Program, [Loc; 2], Term) {
    let [x] = ints(pool, ["x"]);
    let mut p = Program::new();
    let [l, m] = ["l", "m"].map(|name| location(&mut p, name, &[x]));
    let (entry, error) = (p.entry, p.error);
    let negative = pool.lt(x, pool.int(0));
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l, m, &[], pool.tru(), &[x]);
    edge(&mut p, m, l, &[], pool.tru(), &[pool.add2(x, pool.int(1))]);
    edge(&mut p, l, error, &[], negative, &[]);
    edge(&mut p, m, error, &[], negative, &[]);
    (p, [l, m], x)
}

/// Node 3 (`m`) was made before node 2 (`l`) learned `x >= 0`. It gets that before it is expanded, so its
/// children start with what follows: node 5 (`l`) is covered, node 6 (error) is false. Otherwise the path to
/// node 6 has to be refuted, too.
#[test]
fn clauses_that_the_parent_learned_later_are_propagated() {
    let pool = TermPool::new();
    let (p, [l, m], x) = two_checks(&pool);
    let (positive, fls) = (pool.ge(x, pool.int(0)), pool.fls());
    let expected = [
        Node(1, None, p.entry),
        Node(2, Some(1), l),
        Node(3, Some(2), m),
        Node(4, Some(2), p.error),
        PathBlocked(4),
        Strengthened(2, positive),
        Strengthened(4, fls),
        Strengthened(3, positive),
        Node(5, Some(3), l),
        Node(6, Some(3), p.error),
        Strengthened(5, positive),
        Strengthened(6, fls),
        Covered(5, 2),
    ];
    for engine in [&TreeIc3 as &dyn Engine, &TreeIc3Itp, &TreeIc3ItpMono] {
        let again = ("tree-ic3.propagate-again", "true");
        assert_eq!(proved(engine, &pool, &p, &[again]).tree, expected, "{}", engine.name());
        for set in [&[("tree-ic3.propagate", "false"), again][..], &[("tree-ic3.propagate-again", "false")]] {
            assert_eq!(paths(&proved(engine, &pool, &p, set)), 2, "{}", engine.name());
        }
    }
}

/// The path to the second error is blocked by what node 2 knows, or from the beginning.
#[test]
fn the_formulas_of_the_nodes_are_assumed() {
    let pool = TermPool::new();
    let (p, ..) = two_checks(&pool);
    let obligations = |assume: &str| {
        let set = [("tree-ic3.propagate", "false"), ("path.assume-nodes", assume)];
        let record = proved(&TreeIc3, &pool, &p, &set);
        record.obligations.iter().map(|(level, at, _)| (*level, p.location(*at).name.clone())).collect()
    };
    let told = |list: &[(u32, &str)]| -> Vec<_> { list.iter().map(|(k, n)| (*k, n.to_string())).collect() };
    let assumed: Vec<(u32, String)> = obligations("true");
    assert_eq!(assumed, told(&[(1, "l"), (2, "m")]));
    assert_eq!(obligations("false")[..3], told(&[(1, "l"), (2, "m"), (1, "l")]));
}

/// Of the interpolants of "node 2, then the loop" against "not `x >= 0`", the strongest is `x >= 1` and the
/// weakest `x >= 0`.
#[test]
fn the_strength_of_interpolants() {
    let pool = TermPool::new();
    let [x] = ints(&pool, ["x"]);
    let mut p = Program::new();
    let l = location(&mut p, "l", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l, l, &[], pool.tru(), &[pool.add2(x, pool.int(1))]);
    edge(&mut p, l, error, &[], pool.lt(x, pool.int(0)), &[]);
    for (strength, bound) in [("stronger", 1), ("weaker", 0)] {
        let record = proved(&Impact, &pool, &p, &[("path.strength", strength)]);
        assert!(record.tree.contains(&Strengthened(3, pool.ge(x, pool.int(bound)))), "{strength}");
    }
}

/// The children of the entry are node 2 (`a`, two edges from the error) and node 3 (`m`, one edge), whose
/// children are node 4 (`z`, three edges) and node 5, the error. After that, depth first goes on with node 4,
/// the nearest to the error is node 2, and breadth first has expanded that before node 3.
#[test]
fn three_orders() {
    let pool = TermPool::new();
    let [x] = ints(&pool, ["x"]);
    let mut p = Program::new();
    let [m, a, b, z] = ["m", "a", "b", "z"].map(|name| location(&mut p, name, &[x]));
    let (entry, error) = (p.entry, p.error);
    let negative = pool.lt(x, pool.int(0));
    for first in [m, a] {
        edge(&mut p, entry, first, &[], pool.tru(), &[pool.int(0)]);
    }
    for (source, target) in [(m, z), (z, a), (a, b)] {
        edge(&mut p, source, target, &[], pool.tru(), &[x]);
    }
    for source in [m, b] {
        edge(&mut p, source, error, &[], negative, &[]);
    }
    for (order, parents) in [("dfs", [1, 3, 4]), ("distance", [1, 3, 2]), ("bfs", [1, 2, 3])] {
        let record = proved(&Impact, &pool, &p, &[("art.order", order)]);
        let mut expanded: Vec<u64> = record.tree.iter().filter_map(parent).collect();
        expanded.dedup();
        assert_eq!(expanded[..3], parents, "{order}");
    }
}

/// The parent of a node that was made.
fn parent(event: &Tree) -> Option<u64> {
    match event {
        Node(_, parent, _) => *parent,
        _ => None,
    }
}
