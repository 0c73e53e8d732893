//! Bounds of variables that follow from bounds of others by equations, carried along edges.
//!
//! A counter that is bounded where it grows bounds what is a multiple of it there, and keeps that bound in
//! the loops that follow, where nothing compares it with a number any more: after `n <= 1000` and `m == 4n`,
//! `m <= 4000` holds as long as nobody changes `m`, whatever becomes of `n`. IC3 finds such a bound by
//! walking back through the loops only if some cube speaks of `m`.
//!
//! Candidates for guess and check ([`super::houdini`]): bounds of one variable in guards; what equations of
//! two variables make of them; and both wherever the variable is handed on unchanged.
//!
//! Entry point: [`candidates`].

use palisade_program::{Edge, Loc, Program};
use palisade_term::{Linear, Op, Rational, Sort, Term, TermPool};
use rustc_hash::FxHashSet;

use crate::Task;
use crate::literal::HalfSpace;

/// Candidates per location, at most.
const MAX_CANDIDATES: usize = 200;

/// Candidate literals for every location, indexed by location; `known` are invariants already found.
pub fn candidates(task: &Task<'_>, known: &[(Loc, Term)]) -> Vec<Vec<Term>> {
    let (pool, program) = (task.pool, task.program);
    let equations = equations(pool, program, known);
    let outgoing = program.outgoing();
    let mut out: Vec<Vec<Term>> = vec![Vec::new(); program.locations.len()];
    let mut seen: FxHashSet<(Loc, Term)> = FxHashSet::default();
    let mut work = bounds_of_guards(pool, program);
    while let Some((l, bound)) = work.pop() {
        let literal = bound.literal(pool);
        let list = &mut out[l.index()];
        let at_an_end = l == program.entry || l == program.error;
        if at_an_end || list.len() == MAX_CANDIDATES || !seen.insert((l, literal)) {
            continue;
        }
        list.push(literal);
        let [(v, c)] = bound.expr.coeffs.as_slice() else { continue };
        for equation in &equations[l.index()] {
            let factor = equation.coeff(*v);
            if factor != Rational::from_integer(0.into()) {
                let expr = bound.expr.add_scaled(&-(c / &factor), equation);
                work.push((l, HalfSpace { expr, ..bound.clone() }));
            }
        }
        for &e in &outgoing[l.index()] {
            work.extend(handed_on(program, program.edge(e), &bound));
        }
    }
    out
}

/// Equations of two integers, as forms that are zero, by location: those that are known, and those that all
/// edges from there demand.
fn equations(pool: &TermPool, program: &Program, known: &[(Loc, Term)]) -> Vec<Vec<Linear>> {
    let mut out: Vec<Vec<Linear>> = vec![Vec::new(); program.locations.len()];
    let outgoing = program.outgoing();
    let demanded = program.locs().flat_map(|l| {
        let mut guards = outgoing[l.index()].iter().map(|&e| pool.conjuncts(program.edge(e).guard));
        let mut common = guards.next().unwrap_or_default();
        guards.for_each(|guard| common.retain(|t| guard.contains(t)));
        common.into_iter().map(move |t| (l, t))
    });
    for (l, t) in known.iter().copied().chain(demanded) {
        if *pool.op(t) == Op::Eq && *pool.sort(pool.args(t)[0]) == Sort::Int {
            let form = pool.linear(pool.args(t)[0]).minus(&pool.linear(pool.args(t)[1]));
            if form.coeffs.len() == 2 && form.coeffs.iter().all(|(t, _)| pool.is_var(*t)) {
                out[l.index()].push(form);
            }
        }
    }
    out
}

/// Bounds of one variable in the guards of the edges that leave its location, and the next weaker ones: a
/// counter that may grow while it is below a bound stops there. Bounds of inputs are those of variables that
/// get them.
fn bounds_of_guards(pool: &TermPool, program: &Program) -> Vec<(Loc, HalfSpace)> {
    let mut out = Vec::new();
    for edge in &program.edges {
        for literal in pool.conjuncts(edge.guard) {
            let Some(bound) = HalfSpace::of(pool, literal).filter(|b| b.sort == Sort::Int) else { continue };
            let [(v, c)] = bound.expr.coeffs.as_slice() else { continue };
            if program.vars(edge.source).contains(v) {
                let size = if *c < Rational::from_integer(0.into()) { -c.clone() } else { c.clone() };
                out.push((edge.source, bound.with_constant(&bound.expr.constant - &size)));
                out.push((edge.source, bound));
            } else {
                out.extend(handed_on(program, edge, &bound));
            }
        }
    }
    out
}

/// The bound of a variable or input as one of the variables that get it.
fn handed_on(program: &Program, edge: &Edge, bound: &HalfSpace) -> Vec<(Loc, HalfSpace)> {
    let [(v, c)] = bound.expr.coeffs.as_slice() else { return Vec::new() };
    let mut out = Vec::new();
    for (u, &w) in edge.update.iter().zip(program.vars(edge.target)) {
        if u == v {
            let expr = Linear::constant(bound.expr.constant.clone()).add_scaled(c, &Linear::term(w));
            out.push((edge.target, HalfSpace { expr, ..bound.clone() }));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use palisade_program::{Edge, Location, Program};
    use palisade_term::{Sort, TermPool};

    use super::candidates;
    use crate::background::{affine, houdini};
    use crate::tests::Native;
    use crate::{Budget, Options, Task};

    /// `n <= 7` where `n` grows, and `m == 4n`; then `n` becomes anything, and `m <= 32` stays.
    #[test]
    fn a_bound_goes_through_an_equation_and_stays() {
        let pool = TermPool::new();
        let [n, m] = ["n", "m"].map(|name| pool.var(name, Sort::Int));
        let any = pool.var("any", Sort::Int);
        let mut program = Program::new();
        let at = |name: &str| Location { name: name.to_owned(), position: None, vars: vec![n, m] };
        let (first, second) = (program.add_location(at("first")), program.add_location(at("second")));
        let (entry, zero, yes) = (program.entry, pool.int(0), pool.tru());
        program.add_edge(Edge::new(entry, first, &[], yes, &[zero, zero]));
        let grown = [pool.add2(n, pool.int(1)), pool.add2(m, pool.int(4))];
        program.add_edge(Edge::new(first, first, &[], pool.le(n, pool.int(7)), &grown));
        program.add_edge(Edge::new(first, second, &[], yes, &[n, m]));
        program.add_edge(Edge::new(second, second, &[any], yes, &[any, m]));
        let options = Options::new();
        let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
        let budget = Budget::unlimited();
        let known = affine::analyse(&task, &budget);
        let found = houdini::analyse(&task, &budget, candidates(&task, &known), &known);
        assert!(found.contains(&(second, pool.le(m, pool.int(32)))), "{found:?}");
        assert!(!found.contains(&(second, pool.le(n, pool.int(8)))), "{found:?}");
    }
}
