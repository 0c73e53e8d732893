//! A circuit unrolled in time, as one and-inverter graph: what is equal at several steps, or constant from
//! the reset, is one node.

use palisade_aig::{Aig, Circuit, Lit, Node};
use palisade_sat::{Lit as SatLit, Solver, Tag, Var};

/// The unrolling.
pub(crate) struct Unrolling<'c> {
    circuit: &'c Circuit,
    pub(crate) aig: Aig,
    /// The latches at the step that comes next.
    state: Vec<Lit>,
    /// The inputs of each step.
    pub(crate) inputs: Vec<Vec<Lit>>,
    /// Is the state bad, at each step?
    pub(crate) bad: Vec<Lit>,
    /// Do the constraints hold, at each step?
    pub(crate) constraint: Vec<Lit>,
}

impl<'c> Unrolling<'c> {
    /// An unrolling of no steps from a state, whose latches are literals of the graph.
    pub(crate) fn from(circuit: &'c Circuit, aig: Aig, state: Vec<Lit>) -> Self {
        Unrolling { circuit, aig, state, inputs: Vec::new(), bad: Vec::new(), constraint: Vec::new() }
    }

    /// An unrolling of no steps from the resets. Also returns the first state.
    pub(crate) fn from_reset(circuit: &'c Circuit) -> (Self, Vec<Lit>) {
        let mut aig = Aig::new();
        let state: Vec<Lit> =
            circuit.latches.iter().map(|l| l.reset.map_or_else(|| aig.leaf(), Lit::constant)).collect();
        (Unrolling::from(circuit, aig, state.clone()), state)
    }

    /// What is unrolled.
    pub(crate) fn circuit(&self) -> &Circuit {
        self.circuit
    }

    /// Takes one more step.
    pub(crate) fn extend(&mut self) {
        let c = self.circuit;
        let mut map = vec![Lit::FALSE; c.aig.len()];
        for (l, &now) in c.latches.iter().zip(&self.state) {
            map[l.lit.node()] = now;
        }
        let inputs: Vec<Lit> = c.inputs.iter().map(|_| self.aig.leaf()).collect();
        for (l, &now) in c.inputs.iter().zip(&inputs) {
            map[l.node()] = now;
        }
        c.aig.copy_into(&mut self.aig, &vec![true; c.aig.len()], &mut map);
        let image = |l: Lit| map[l.node()] ^ l.is_negated();
        let bads: Vec<Lit> = c.bads.iter().map(|&b| image(b)).collect();
        let constraints: Vec<Lit> = c.constraints.iter().map(|&b| image(b)).collect();
        self.bad.push(self.aig.or_all(bads));
        self.constraint.push(self.aig.and_all(constraints));
        self.inputs.push(inputs);
        self.state = c.latches.iter().map(|l| image(l.next)).collect();
    }

    /// The latches after the last step.
    pub(crate) fn state(&self) -> &[Lit] {
        &self.state
    }
}

/// Gates of a graph as clauses of a solver, made when they are first needed.
#[derive(Default)]
pub(crate) struct Clauses {
    vars: Vec<Option<Var>>,
}

impl Clauses {
    /// The solver's literal of a literal of the graph. New clauses get the tag.
    pub(crate) fn literal(&mut self, aig: &Aig, l: Lit, sat: &mut Solver, tag: Tag) -> SatLit {
        self.vars.resize(self.vars.len().max(aig.len()), None);
        let mut stack = vec![l.node()];
        while let Some(&n) = stack.last() {
            if self.vars[n].is_some() {
                stack.pop();
                continue;
            }
            if let Node::And(a, b) = aig.node(n) {
                let before = stack.len();
                stack.extend([a.node(), b.node()].into_iter().filter(|&m| self.vars[m].is_none()));
                if stack.len() > before {
                    continue;
                }
            }
            stack.pop();
            let v = sat.new_var();
            self.vars[n] = Some(v);
            let g = v.positive();
            match aig.node(n) {
                Node::Leaf => {}
                Node::False => sat.add_tagged_clause(&[!g], tag),
                Node::And(a, b) => {
                    let (a, b) = (self.known(a), self.known(b));
                    sat.add_tagged_clause(&[!g, a], tag);
                    sat.add_tagged_clause(&[!g, b], tag);
                    sat.add_tagged_clause(&[g, !a, !b], tag);
                }
            }
        }
        self.known(l)
    }

    fn known(&self, l: Lit) -> SatLit {
        self.vars[l.node()].expect("arguments come first").lit(!l.is_negated())
    }

    /// Gives a leaf a variable that is there already.
    pub(crate) fn bind(&mut self, aig: &Aig, leaf: Lit, var: Var) {
        self.vars.resize(self.vars.len().max(aig.len()), None);
        self.vars[leaf.node()] = Some(var);
    }

    /// The value of a literal in the solver's model; false for what it does not know.
    pub(crate) fn value(&self, l: Lit, sat: &Solver) -> bool {
        match (l.as_constant(), self.vars.get(l.node()).copied().flatten()) {
            (Some(value), _) => value,
            (None, Some(v)) => sat.value(v.lit(!l.is_negated())).unwrap_or(false),
            (None, None) => false,
        }
    }
}
