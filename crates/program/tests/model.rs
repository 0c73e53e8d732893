//! The program model: the checker finds every broken invariant, the interpreter and the relation agree.

use palisade_program::{
    Edge, EdgeId, Invariants, Loc, Location, Origin, Program, Property, ReplayError, Run, Statement, Step,
    interpret, take,
};
use palisade_term::{Assignment, Sort, TermPool, Value};

fn int(i: i64) -> Value {
    Value::Int(i.into())
}

/// `x = 0; while (x < 3) x += input; if (x > 4) error`, with the input in `0..=2`.
fn counter(pool: &TermPool) -> Program {
    let (x, input) = (pool.var("x", Sort::Int), pool.var("input", Sort::Int));
    let mut p = Program::new();
    let head = p.add_location(Location { name: "head".into(), position: None, vars: vec![x] });
    let origin = Origin::default();
    let edge = |source, target, inputs: &[_], guard, update: &[_]| Edge {
        source,
        target,
        inputs: inputs.to_vec(),
        guard,
        update: update.to_vec(),
        origin: origin.clone(),
    };
    p.add_edge(edge(p.entry, head, &[], pool.tru(), &[pool.int(0)]));
    let step = pool.and([pool.lt(x, pool.int(3)), pool.ge(input, pool.int(0)), pool.le(input, pool.int(2))]);
    p.add_edge(edge(head, head, &[input], step, &[pool.add2(x, input)]));
    p.add_edge(edge(head, p.error, &[], pool.gt(x, pool.int(4)), &[]));
    p
}

fn step(edge: u32, inputs: &[i64]) -> Step {
    Step { edge: EdgeId(edge), inputs: inputs.iter().map(|&i| int(i)).collect() }
}

#[test]
fn runs_are_executed() {
    let pool = TermPool::new();
    let p = counter(&pool);
    p.check(&pool).expect("well-formed");
    let run = Run { initial: vec![], steps: vec![step(0, &[]), step(1, &[2]), step(1, &[1])] };
    let replay = interpret(&pool, &p, &run).expect("executes");
    let values: Vec<_> = replay.states.iter().map(|(l, s)| (l.0, s.clone())).collect();
    assert_eq!(values, [(0, vec![]), (2, vec![int(0)]), (2, vec![int(2)]), (2, vec![int(3)])]);
}

#[test]
fn runs_that_do_not_execute_say_why() {
    let pool = TermPool::new();
    let p = counter(&pool);
    let fails =
        |initial: Vec<Value>, steps: Vec<Step>| interpret(&pool, &p, &Run { initial, steps }).unwrap_err();
    assert_eq!(fails(vec![int(1)], vec![]), ReplayError::Initial);
    assert_eq!(fails(vec![], vec![step(1, &[0])]), ReplayError::WrongSource { step: 0 });
    assert_eq!(fails(vec![], vec![step(9, &[])]), ReplayError::WrongSource { step: 0 });
    assert_eq!(fails(vec![], vec![step(0, &[]), step(1, &[])]), ReplayError::WrongInputs { step: 1 });
    let coin = Step { edge: EdgeId(1), inputs: vec![Value::Bool(true)] };
    assert_eq!(fails(vec![], vec![step(0, &[]), coin]), ReplayError::WrongInputs { step: 1 });
    assert_eq!(fails(vec![], vec![step(0, &[]), step(1, &[3])]), ReplayError::GuardFalse { step: 1 });
    assert_eq!(fails(vec![], vec![step(0, &[]), step(2, &[])]), ReplayError::GuardFalse { step: 1 });
}

/// `relation`, `pre` and `after` say of every state and input what taking the edge does.
#[test]
fn formulas_agree_with_execution() {
    let pool = TermPool::new();
    let p = counter(&pool);
    let x = p.vars(Loc(2))[0];
    let post = pool.eq(x, pool.int(3));
    let (relation, pre) = (p.relation(&pool, EdgeId(1)), p.pre(&pool, EdgeId(1), post));
    let input = p.edge(EdgeId(1)).inputs[0];
    for before in -1..6 {
        for i in -1..4 {
            let next = take(&pool, &p, &vec![int(before)], EdgeId(1), &[int(i)]);
            let mut model: Assignment = [(x, int(before)), (input, int(i))].into_iter().collect();
            assert_eq!(pool.holds(pre, &model), next == Some(vec![int(3)]));
            for after in -1..8 {
                model.set(pool.primed(x), int(after));
                assert_eq!(pool.holds(relation, &model), next == Some(vec![int(after)]));
            }
        }
    }
}

#[test]
fn adjacency() {
    let pool = TermPool::new();
    let p = counter(&pool);
    assert_eq!(p.outgoing()[2], [EdgeId(1), EdgeId(2)]);
    assert_eq!(p.incoming()[2], [EdgeId(0), EdgeId(1)]);
    assert!(p.incoming()[p.entry.index()].is_empty() && p.outgoing()[p.error.index()].is_empty());
    assert_eq!(p.sorts(&pool, Loc(2)).collect::<Vec<_>>(), [&Sort::Int]);
    let trivial = Invariants::trivial(&pool, &p);
    assert_eq!((trivial.at(p.entry), trivial.at(p.error)), (pool.tru(), pool.fls()));
}

/// Each way to break the model, and a word the complaint must contain.
#[test]
fn malformed_programs_are_found() {
    let pool = TermPool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    type Break<'a> = Box<dyn Fn(&mut Program) + 'a>;
    let ways: Vec<(&str, Break<'_>)> = vec![
        ("error location has variables", Box::new(|p| p.locations[1].vars.push(x))),
        ("two locations are named", Box::new(|p| p.locations[2].name = "entry".into())),
        ("bad variable", Box::new(|p| p.locations[2].vars = vec![x, x])),
        ("bad variable", Box::new(|p| p.locations[2].vars = vec![pool.primed(x)])),
        ("bad variable", Box::new(|p| p.locations[2].vars = vec![pool.int(1)])),
        ("leaves the error", Box::new(|p| p.edges[1].source = p.error)),
        ("enters the entry", Box::new(|p| p.edges[2].target = p.entry)),
        ("bad input", Box::new(|p| p.edges[1].inputs = vec![x])),
        ("not a formula", Box::new(|p| p.edges[1].guard = x)),
        ("updates for", Box::new(|p| p.edges[1].update.clear())),
        ("another sort", Box::new(|p| p.edges[1].update = vec![pool.tru()])),
        ("not in scope", Box::new(|p| p.edges[1].update = vec![y])),
        ("not in scope", Box::new(|p| p.edges[2].guard = pool.le(y, x))),
    ];
    for (complaint, change) in ways {
        let mut p = counter(&pool);
        change(&mut p);
        let found = p.check(&pool).expect_err(complaint).to_string();
        assert!(found.contains(complaint), "{found} instead of {complaint}");
    }
}

#[test]
fn origins_are_joined_in_order() {
    let one = |text: &str| Statement { position: None, text: text.into() };
    let mut a = Origin::statement(None, "a");
    a.property = Some(Property::Violated("assert".into()));
    let b = Origin::statement(None, "b");
    let joined = a.then(&b);
    assert_eq!(joined.statements, [one("a"), one("b")]);
    assert_eq!(joined.property.as_ref().and_then(Property::violated), Some("assert"));
}
