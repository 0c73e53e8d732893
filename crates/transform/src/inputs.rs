//! Solves the equations of guards for inputs: what is not a choice stops being an input.
//!
//! Relations specialised to a part of their cases ([`control`](mod@crate::control)) determine next values
//! that they did not determine before. The front-ends have done the same for whole relations
//! ([`solve_inputs`]).
//!
//! Way back: formulas stay as they are, and the value of a solved input is the value of its solution.

use palisade_program::{CutInvariants, Parts, Program, Run, Solutions, Step, interpret, solve_inputs};
use palisade_term::{Assignment, Term, TermPool, Value, eval::Evaluator};

use crate::back::{Back, BackTranslation, Transformed, Untranslatable};

/// Replaces inputs by what guards say they are equal to.
pub fn inputs(pool: &TermPool, old: &Program) -> Transformed {
    let mut program = old.clone();
    let mut solutions = Vec::with_capacity(old.edges.len());
    for e in &mut program.edges {
        if e.inputs.is_empty() {
            solutions.push(Solutions::new());
            continue;
        }
        let parts = Parts { inputs: e.inputs.clone(), guard: e.guard, update: e.update.clone() };
        let (parts, solved) = solve_inputs(pool, parts);
        (e.inputs, e.guard, e.update) = (parts.inputs, parts.guard, parts.update);
        solutions.push(solved);
    }
    Transformed { back: Box::new(InputsBack { new: program.clone(), solutions }), program }
}

struct InputsBack {
    new: Program,
    /// For every edge.
    solutions: Vec<Solutions>,
}

impl BackTranslation for InputsBack {
    fn cut_invariants(&self, _: &TermPool, _: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        Ok(new.clone())
    }

    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        let replay = interpret(pool, &self.new, new).map_err(Untranslatable::NotARun)?;
        let mut run = Run { initial: new.initial.clone(), steps: Vec::with_capacity(new.steps.len()) };
        for (step, (source, state)) in new.steps.iter().zip(&replay.states) {
            let edge = self.new.edge(step.edge);
            let mut values: Assignment = (self.new.vars(*source).iter().copied().zip(state.iter().cloned()))
                .chain(edge.inputs.iter().copied().zip(step.inputs.iter().cloned()))
                .collect();
            // A solution may mention inputs that were solved after it.
            for &(input, solution) in self.solutions[step.edge.index()].iter().rev() {
                let value = Evaluator::new(pool, &values).eval(solution);
                values.set(input, value);
            }
            // What no longer occurs may have any value.
            let value =
                |i: &Term| values.get(*i).cloned().unwrap_or_else(|| Value::default_of(pool.sort(*i)));
            let inputs = old.edge(step.edge).inputs.iter().map(value).collect();
            run.steps.push(Step { edge: step.edge, inputs });
        }
        Ok(run)
    }
}
