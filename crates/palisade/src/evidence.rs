//! The evidence of a verdict, in words of the source: what the document of a run holds.
//!
//! A counterexample of a C program is told statement by statement ([`palisade_front_c::story`]); of another
//! input, edge by edge. The exact certificate goes to `--certificate`.
//!
//! Entry points: [`proof`], [`counterexample`], [`unknown`].

use std::collections::BTreeSet;

use palisade_certify::{Counterexample, Proof};
use palisade_front_c::Story;
use palisade_front_c::story::{Kind, Told, Valued as ToldValue};
use palisade_program::{CutInvariants, Graph, Loc, Measure, Measures, Program, State};
use palisade_report::{
    Answer, Automaton, AutomatonEdge, AutomatonLocation, Evidence, Invariant, Lifted, Position, Run, Step,
    StepKind, Valued,
};
use palisade_term::{Term, TermPool, Value};
use palisade_verify::{Unknown, Verdict, what_matters};
use rustc_hash::FxHashMap;

/// A location as a person would look for it.
pub fn place(program: &Program, l: Loc) -> String {
    let location = program.location(l);
    match &location.position {
        Some(p) => format!("{p} ({})", location.name),
        None => location.name.clone(),
    }
}

/// The evidence of a proof.
pub fn proof(pool: &TermPool, program: &Program, proof: &Proof, story: Option<&Story>) -> Evidence {
    let loops: BTreeSet<Loc> = Graph::new(program).loop_heads().collect();
    let mut evidence = Evidence { rounds: proof.invariants().rounds, ..Evidence::default() };
    for l in program.locs().filter(|&l| l != program.entry && l != program.error) {
        if let Some(formula) = proof.invariants().at(l) {
            let formula = Quantified::of(pool, proof.invariants(), formula);
            evidence.invariants.push(invariant(pool, program, l, &formula, loops.contains(&l), story));
        }
    }
    if let Some(story) = story {
        evidence.c_invariants = story.invariants(pool, program, proof.invariants());
    }
    evidence
}

/// What goes down in each loop of a program.
pub fn measures(
    pool: &TermPool,
    program: &Program,
    measures: &Measures,
    story: Option<&Story>,
) -> Vec<palisade_report::Measure> {
    let text = |&t: &Term| story.map_or_else(|| pool.infix(t).to_string(), |s| s.formula(pool, t));
    let measure = |(head, measure): &(Loc, Measure)| palisade_report::Measure {
        location: program.location(*head).name.clone(),
        position: program.location(*head).position.as_ref().map(Position::from),
        terms: match measure {
            Measure::Terms(terms) => terms.iter().map(text).collect(),
            Measure::Rounds(_) => Vec::new(),
        },
    };
    measures.of.iter().map(measure).collect()
}

fn invariant(
    pool: &TermPool,
    program: &Program,
    l: Loc,
    formula: &Quantified,
    is_loop: bool,
    story: Option<&Story>,
) -> Invariant {
    let text = |t: Term| {
        let text = story.map_or_else(|| pool.infix(t).to_string(), |s| s.formula(pool, t));
        format!("{}{text}", formula.prefix(pool, t))
    };
    Invariant {
        location: program.location(l).name.clone(),
        position: program.location(l).position.as_ref().map(Position::from),
        is_loop,
        formula: text(formula.formula),
        conjuncts: pool.conjuncts(formula.formula).into_iter().map(text).collect(),
    }
}

/// A formula with names that can be read for the variables that it holds for all values of.
struct Quantified {
    formula: Term,
    forall: Vec<Term>,
}

impl Quantified {
    fn plain(formula: Term) -> Quantified {
        Quantified { formula, forall: Vec::new() }
    }

    fn of(pool: &TermPool, invariants: &CutInvariants, formula: Term) -> Quantified {
        let bound = invariants.forall_of(pool, formula);
        if bound.is_empty() {
            return Quantified::plain(formula);
        }
        let free = pool.free_vars(formula);
        // A variable `main::k` is told as `k`.
        let taken: BTreeSet<&str> =
            free.iter().filter_map(|&v| pool.var_name(v).rsplit("::").next()).collect();
        let mut names =
            ["k", "j", "m", "n"].map(str::to_owned).into_iter().chain((1..).map(|i| format!("k{i}")));
        let renamed = bound.iter().map(|&v| {
            let name = names.by_ref().find(|n| !taken.contains(n.as_str())).expect("infinitely many");
            (v, pool.var(&name, pool.sort(v).clone()))
        });
        let map: FxHashMap<Term, Term> = renamed.collect();
        let forall = bound.iter().map(|v| map[v]).collect();
        Quantified { formula: pool.substitute(formula, &map), forall }
    }

    /// What stands before a part of the formula.
    fn prefix(&self, pool: &TermPool, part: Term) -> String {
        let free = if self.forall.is_empty() { BTreeSet::new() } else { pool.free_vars(part) };
        let names: Vec<&str> =
            self.forall.iter().filter(|v| free.contains(v)).map(|&v| pool.var_name(v)).collect();
        if names.is_empty() { String::new() } else { format!("for all {}: ", names.join(", ")) }
    }
}

/// The evidence of a counterexample.
pub fn counterexample(
    pool: &TermPool,
    program: &Program,
    cex: &Counterexample,
    story: Option<&Story>,
) -> Evidence {
    let mut run = match story {
        Some(story) => statements(pool, program, cex, story),
        None => edges(pool, program, cex),
    };
    run.lifted = lifted(pool, program, cex, story);
    Evidence { run: Some(run), ..Evidence::default() }
}

/// The states of a run with only the variables that matter.
fn lifted(pool: &TermPool, program: &Program, cex: &Counterexample, story: Option<&Story>) -> Vec<Lifted> {
    let Some(matters) = what_matters(pool, program, cex) else { return Vec::new() };
    let states = cex.replay().states.iter().zip(matters).enumerate();
    let state = |(i, ((l, values), matters)): (usize, (&(Loc, State), Vec<Term>))| {
        let location = program.location(*l);
        let important = program.vars(*l).iter().zip(values).filter(|(v, _)| matters.contains(v));
        let valued = |(&v, value): (&Term, &Value)| match story {
            Some(story) => story.told_value(v, value).map(valued),
            None => Some(plain(pool, v, value)),
        };
        Lifted {
            edge: i + 1,
            location: location.name.clone(),
            position: location.position.as_ref().map(Position::from),
            values: important.filter_map(valued).collect(),
        }
    };
    states.map(state).collect()
}

fn statements(pool: &TermPool, program: &Program, cex: &Counterexample, story: &Story) -> Run {
    let telling = story.tell(pool, program, cex.run(), cex.replay());
    let steps = telling.steps.into_iter().map(statement).collect();
    Run {
        edges: cex.run().steps.len(),
        initial: telling.initial.into_iter().map(valued).collect(),
        steps,
        lifted: Vec::new(),
    }
}

fn statement(told: Told) -> Step {
    let (kind, outcome) = match told.kind {
        Kind::Statement => (StepKind::Statement, None),
        Kind::Condition(outcome) => (StepKind::Condition, Some(outcome)),
        Kind::Return => (StepKind::Return, None),
    };
    let answer = |a: palisade_front_c::story::Answer| Answer {
        function: a.function,
        ty: Some(a.ty),
        value: a.value,
        closing: a.closing.as_ref().map(Position::from),
        expanded: a.expanded.as_ref().map(Position::from),
    };
    Step {
        step: told.number,
        edge: told.step + 1,
        kind,
        text: told.text,
        position: Some((&told.begin).into()),
        end: Some((&told.end).into()),
        in_input: Some((&told.in_input).into()),
        function: Some(told.function),
        depth: told.depth,
        outcome,
        answers: told.answers.into_iter().map(answer).collect(),
        changed: told.changed.into_iter().map(valued).collect(),
        values: told.values.into_iter().map(valued).collect(),
        violation: told.violation,
    }
}

fn valued(v: ToldValue) -> Valued {
    Valued { variable: v.variable, function: v.function, ty: Some(v.ty), value: v.value }
}

fn edges(pool: &TermPool, program: &Program, cex: &Counterexample) -> Run {
    let states = &cex.replay().states;
    let count = cex.run().steps.len();
    let step = |(i, step): (usize, &palisade_program::Step)| {
        let edge = program.edge(step.edge);
        let statements: Vec<&str> = edge.origin.statements.iter().map(|s| &*s.text).collect();
        let (from, to) = (&program.location(edge.source).name, &program.location(edge.target).name);
        let text = if statements.is_empty() { format!("{from} -> {to}") } else { statements.join("; ") };
        let place = edge.origin.statements.iter().find_map(|s| s.position.as_ref()).map(Position::from);
        let inputs = edge.inputs.iter().zip(&step.inputs).map(|(&v, x)| Answer {
            function: pool.var_display(v),
            ty: None,
            value: x.to_string(),
            closing: None,
            expanded: None,
        });
        Step {
            step: i + 1,
            edge: i + 1,
            kind: StepKind::Edge,
            text,
            position: place.clone(),
            end: None,
            in_input: place,
            function: None,
            depth: 0,
            outcome: None,
            answers: inputs.collect(),
            changed: changes(pool, program, &states[i], &states[i + 1]),
            values: named(pool, program.vars(edge.target), &states[i + 1].1),
            violation: i + 1 == count,
        }
    };
    Run {
        edges: count,
        initial: named(pool, program.vars(program.entry), &states[0].1),
        steps: cex.run().steps.iter().enumerate().map(step).collect(),
        lifted: Vec::new(),
    }
}

/// The variables that an edge gave a new value, or that began to live.
fn changes(pool: &TermPool, program: &Program, before: &(Loc, State), after: &(Loc, State)) -> Vec<Valued> {
    let old = |v: Term| program.vars(before.0).iter().position(|&w| w == v).map(|i| &before.1[i]);
    let pairs = program.vars(after.0).iter().zip(&after.1);
    pairs.filter(|(v, x)| old(**v) != Some(x)).map(|(&v, x)| plain(pool, v, x)).collect()
}

fn named(pool: &TermPool, vars: &[Term], values: &[Value]) -> Vec<Valued> {
    vars.iter().zip(values).map(|(&v, x)| plain(pool, v, x)).collect()
}

fn plain(pool: &TermPool, v: Term, x: &Value) -> Valued {
    Valued { variable: pool.var_display(v), function: None, ty: None, value: x.to_string() }
}

/// What is known without an answer.
pub fn unknown(pool: &TermPool, unknown: &Unknown, story: Option<&Story>) -> Evidence {
    let Unknown { partial, program, .. } = unknown;
    let known = partial.invariants.iter();
    Evidence {
        invariants: known
            .map(|&(l, f)| invariant(pool, program, l, &Quantified::plain(f), false, story))
            .collect(),
        safe_bound: partial.safe_bound,
        stuck_at: partial.stuck_at.map(|l| place(program, l)),
        notes: partial.notes.iter().map(ToString::to_string).collect(),
        ..Evidence::default()
    }
}

/// The automaton of a program, with the path of a counterexample.
pub fn automaton(program: &Program, verdict: &Verdict) -> Automaton {
    let loops: BTreeSet<Loc> = Graph::new(program).loop_heads().collect();
    let location = |l: Loc| AutomatonLocation {
        name: program.location(l).name.clone(),
        position: program.location(l).position.as_ref().map(Position::from),
        is_loop: loops.contains(&l),
    };
    let edge = |e: &palisade_program::Edge| AutomatonEdge {
        from: e.source.index(),
        to: e.target.index(),
        text: e.origin.statements.iter().map(|s| &*s.text).collect::<Vec<_>>().join("; "),
    };
    let path = match verdict {
        Verdict::Unsafe(cex) => cex.run().steps.iter().map(|s| s.edge.index()).collect(),
        Verdict::Safe(_) | Verdict::Unknown(_) => Vec::new(),
    };
    Automaton {
        locations: program.locs().map(location).collect(),
        edges: program.edges.iter().map(edge).collect(),
        entry: program.entry.index(),
        error: program.error.index(),
        path,
    }
}
