//! Predecessors: from the model of a query to a cube of states that all take the same step.
//!
//! First by justification: starting at what must be true, a conjunction that is false needs one false
//! argument, one that is true needs all. What is reached this way forces the targets by ternary simulation.
//! The model has the values of gates that have a variable; those of others follow from them. Where only
//! clauses of one polarity are there, a gate's value may be another one than that of its function, but only
//! if no literal that is reached depends on it.
//! Then by the core of a query that cannot be satisfied: these inputs, these latches, and a target that is
//! not reached.

use palisade_sat::{Lit, Var};

use crate::marks::Marks;
use crate::model::{Gate, Model};
use crate::options::Options;
use crate::step::Step;
use crate::{Control, Stopped};

/// Makes predecessors.
pub(crate) struct Lifter<'m> {
    solver: Step<'m>,
    ternary: bool,
    core: bool,
    /// `seen[v] == stamp`: the variable is justified, or about to be.
    seen: Vec<u32>,
    stamp: u32,
    work: Vec<Var>,
    extended: Extended,
    latches: Vec<Lit>,
    inputs: Vec<Lit>,
    /// The core of the last query.
    marks: Marks,
    /// Latches that ternary simulation removed from predecessors, and those that cores removed after it.
    pub(crate) by_ternary: u64,
    pub(crate) by_core: u64,
}

impl<'m> Lifter<'m> {
    pub(crate) fn new(model: &'m Model, options: &Options, control: &Control) -> Self {
        Lifter {
            solver: Step::new(model, control, options.domain, false),
            ternary: options.ternary,
            core: options.lift,
            seen: vec![0; model.vars()],
            stamp: 0,
            work: Vec::new(),
            extended: Extended::new(model),
            latches: Vec::new(),
            inputs: Vec::new(),
            marks: Marks::default(),
            by_ternary: 0,
            by_core: 0,
        }
    }

    pub(crate) fn solver(&self) -> &Step<'m> {
        &self.solver
    }

    /// A sorted cube of the states that reach all `targets` with the inputs of the model that `frame` holds,
    /// and satisfy the constraints; and those inputs.
    pub(crate) fn predecessor(
        &mut self,
        model: &Model,
        frame: &Step<'_>,
        targets: &[Lit],
        activity: &[f64],
    ) -> Result<(Vec<Lit>, Box<[u64]>), Stopped> {
        if self.ternary {
            self.justify(model, frame, targets);
            self.by_ternary += (model.latches - self.latches.len()) as u64;
        } else {
            self.whole_state(model, frame);
        }
        let mut inputs = vec![0u64; model.inputs.div_ceil(64)].into_boxed_slice();
        for l in &self.inputs {
            let i = l.var().index() - model.latches;
            inputs[i / 64] |= u64::from(l.is_positive()) << (i % 64);
        }
        if self.core {
            let before = self.latches.len();
            self.shrink(model, targets, activity)?;
            self.by_core += (before - self.latches.len()) as u64;
        }
        self.latches.sort_unstable();
        Ok((self.latches.clone(), inputs))
    }

    /// All that the model says about latches and inputs.
    fn whole_state(&mut self, model: &Model, frame: &Step<'_>) {
        let known = |v: Var| frame.value(v.positive()).map(|b| v.lit(b));
        self.latches = (0..model.latches).filter_map(|i| known(Var::new(i))).collect();
        self.inputs = (0..model.inputs).filter_map(|i| known(Var::new(model.latches + i))).collect();
    }

    /// What the targets and constraints need of the model.
    fn justify(&mut self, model: &Model, frame: &Step<'_>, targets: &[Lit]) {
        self.latches.clear();
        self.inputs.clear();
        self.stamp += 1;
        self.work.clear();
        for l in targets.iter().chain(&model.constraints) {
            self.need(l.var());
        }
        self.extended.begin();
        while let Some(v) = self.work.pop() {
            model.arguments(v, |a| self.extended.evaluate(model, frame, a));
            let value = self.extended.value(frame, v.positive());
            match model.gate(v) {
                Some(Gate::And(start, len)) => {
                    let args = model.children(start, len);
                    if value == Some(true) {
                        args.iter().for_each(|a| self.need(a.var()));
                    } else {
                        let refutes = |a: &&Lit| self.extended.value(frame, **a) == Some(false);
                        let mut refuting = args.iter().filter(refutes);
                        let first = refuting.clone().next();
                        let known = refuting.find(|a| self.seen[a.var().index()] == self.stamp);
                        if known.is_none() {
                            first.iter().for_each(|a| self.need(a.var()));
                        }
                    }
                }
                Some(Gate::Xor(a, b)) => [a, b].iter().for_each(|a| self.need(a.var())),
                Some(Gate::Mux(c, a, b)) => {
                    self.need(c.var());
                    let holds = self.extended.value(frame, c) == Some(true);
                    self.need(if holds { a.var() } else { b.var() });
                }
                None => {
                    let Some(value) = value else { continue };
                    if model.is_latch(v) {
                        self.latches.push(v.lit(value));
                    } else if v != model.constant().var() {
                        self.inputs.push(v.lit(value));
                    }
                }
            }
        }
    }

    #[inline]
    fn need(&mut self, v: Var) {
        if self.seen[v.index()] != self.stamp {
            self.seen[v.index()] = self.stamp;
            self.work.push(v);
        }
    }

    /// Keeps the latches that the core of `inputs and latches and not (targets and constraints)` needs.
    fn shrink(&mut self, model: &Model, targets: &[Lit], activity: &[f64]) -> Result<(), Stopped> {
        // The solver blames earlier assumptions rather than later ones: those that occurred in lemmas first.
        self.latches.sort_by(|a, b| {
            let (x, y) = (activity[a.var().index()], activity[b.var().index()]);
            y.total_cmp(&x).then(a.cmp(b))
        });
        let assumptions: Vec<Lit> = self.inputs.iter().chain(&self.latches).copied().collect();
        let missed: Vec<Lit> = targets.iter().chain(&model.constraints).map(|&l| !l).collect();
        if self.solver.solve(&assumptions, &missed)? {
            // Only if the model was not a model. The cube without lifting is always right.
            debug_assert!(false, "a state and its inputs determine the step");
            return Ok(());
        }
        self.marks.set(self.solver.core());
        let marks = &self.marks;
        self.latches.retain(|&l| marks.contains(l));
        Ok(())
    }
}

/// A model, with the values of eliminated gates as far as they were asked for.
struct Extended {
    kept: usize,
    /// `stamps[g] == stamp`: the value of eliminated gate `g` is of this model.
    stamps: Vec<u32>,
    stamp: u32,
    values: Vec<Option<bool>>,
    work: Vec<Var>,
}

impl Extended {
    fn new(model: &Model) -> Extended {
        let gone = model.vars() - model.kept;
        Extended {
            kept: model.kept,
            stamps: vec![0; gone],
            stamp: 0,
            values: vec![None; gone],
            work: Vec::new(),
        }
    }

    /// There is a new model.
    fn begin(&mut self) {
        self.stamp += 1;
    }

    /// The value of a literal; that of an eliminated gate must have been computed.
    #[inline]
    fn value(&self, frame: &Step<'_>, l: Lit) -> Option<bool> {
        match l.var().index().checked_sub(self.kept) {
            None => frame.value(l),
            Some(g) => self.values[g].map(|value| value == l.is_positive()),
        }
    }

    #[inline]
    fn is_missing(&self, v: Var) -> bool {
        v.index() >= self.kept && self.stamps[v.index() - self.kept] != self.stamp
    }

    /// Computes the value of a gate, if it is an eliminated one.
    #[inline]
    fn evaluate(&mut self, model: &Model, frame: &Step<'_>, v: Var) {
        if self.is_missing(v) {
            self.evaluate_gate(model, frame, v);
        }
    }

    fn evaluate_gate(&mut self, model: &Model, frame: &Step<'_>, v: Var) {
        let mut work = std::mem::take(&mut self.work);
        work.push(v);
        while let Some(&v) = work.last() {
            let before = work.len();
            model.arguments(v, |a| {
                if self.is_missing(a) {
                    work.push(a);
                }
            });
            if work.len() > before {
                continue;
            }
            work.pop();
            let value = |l: Lit| self.value(frame, l);
            let g = v.index() - self.kept;
            self.values[g] = model.gate(v).and_then(|gate| model.evaluate(gate, value));
            self.stamps[g] = self.stamp;
        }
        self.work = work;
    }
}

#[cfg(test)]
mod tests {
    use palisade_aig::Circuit;

    use super::*;

    /// The example to ternary simulation in a thesis on PDR: a shift register of three bits, whose first one
    /// comes from an input. Of `x1, !x2, !x3`, which goes to `x1, x2, !x3`, `x1, !x2` is needed.
    #[test]
    fn ternary_simulation_and_cores_keep_what_the_step_needs() {
        let mut c = Circuit::default();
        let i = c.add_input();
        let x: Vec<_> = (0..3).map(|_| c.add_latch(Some(false))).collect();
        (c.latches[0].next, c.latches[1].next, c.latches[2].next) = (i, x[0], x[1]);
        c.bads = vec![c.aig.and_all(x)];
        let model = Model::new(&c, false, &Options::default());
        let control = Control::default();
        let latch = |k: usize, value: bool| Var::new(k).lit(value);
        let targets = model.after(&[latch(0, true), latch(1, true), latch(2, false)]);
        for (ternary, lift, removed) in
            [(false, false, (0, 0)), (true, false, (1, 0)), (false, true, (0, 1)), (true, true, (1, 0))]
        {
            let options = Options { ternary, lift, ..Options::default() };
            let mut frame = Step::new(&model, &control, crate::Domain::None, true);
            let mut assumptions = vec![latch(0, true), latch(1, false), latch(2, false)];
            assumptions.extend(&targets);
            assert_eq!(frame.solve(&assumptions, &[]), Ok(true));
            let mut lifter = Lifter::new(&model, &options, &control);
            let (cube, inputs) = lifter.predecessor(&model, &frame, &targets, &[0.0; 3]).unwrap();
            let needed = [latch(0, true), latch(1, false), latch(2, false)];
            let kept = if ternary || lift { &needed[..2] } else { &needed[..] };
            assert_eq!((&cube[..], inputs[0]), (kept, 1), "ternary {ternary}, core {lift}");
            assert_eq!((lifter.by_ternary, lifter.by_core), removed, "ternary {ternary}, core {lift}");
        }
    }
}
