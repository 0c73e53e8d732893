//! Bad cubes, reduced by the dual-rail encoding and by a core.

mod common;

use common::Native;
use palisade_engines::ic3::bad::{core, dual_rail};
use palisade_engines::{Budget, Options, Task};
use palisade_program::Program;
use palisade_term::{Assignment, Sort, TermPool, Value};

/// `(x >= 3 and b) or (x >= 1 and c) or y <= 0` at x = 5, y = 2, with b and c true: one disjunct suffices,
/// and the atom about y is never needed.
#[test]
fn one_reason_is_enough() {
    let pool = TermPool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let (b, c) = (pool.var("b", Sort::Bool), pool.var("c", Sort::Bool));
    let formula = pool.or([
        pool.and2(pool.ge(x, pool.int(3)), b),
        pool.and2(pool.ge(x, pool.int(1)), c),
        pool.le(y, pool.int(0)),
    ]);
    let (yes, number) = (Value::Bool(true), |n: i64| Value::Int(n.into()));
    let model: Assignment =
        [(x, number(5)), (y, number(2)), (b, yes.clone()), (c, yes)].into_iter().collect();
    let (program, options, budget) = (Program::new(), Options::new(), Budget::unlimited());
    let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
    for found in [dual_rail(&task, &budget, formula, &model), core(&task, &budget, formula, &model)] {
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|&l| pool.holds(l, &model) && !pool.free_vars(l).contains(&y)));
    }
    // Only the core sees that x >= 3 implies x >= 1.
    let both = pool.and2(pool.ge(x, pool.int(3)), pool.ge(x, pool.int(1)));
    assert_eq!(core(&task, &budget, both, &model).len(), 1);
    assert_eq!(dual_rail(&task, &budget, both, &model).len(), 2);
}
