//! The evidence for people: what stands on stdout before the result line. Made from the evidence of the
//! document.

use std::fmt::Write as _;

use palisade_report::{Evidence, Run, Step, StepKind, Valued};

/// States of a run that are told with what matters of them.
const MAX_LIFTED: usize = 12;

/// A proof: the invariants at the loops.
pub fn proof(evidence: &Evidence, edges: usize) -> String {
    let loops: Vec<_> = evidence.invariants.iter().filter(|i| i.is_loop).collect();
    let mut text = match (loops.len(), evidence.rounds) {
        (_, Some(rounds)) => format!(
            "proof: every run leaves each loop within {rounds} rounds; checked by unwinding {edges} edges\n"
        ),
        (0, None) => format!("proof: no loop is reachable; checked on all {edges} edges\n"),
        (_, None) => format!("proof: inductive invariants, checked on all {edges} edges\n"),
    };
    for i in loops {
        let _ = match &i.position {
            Some(p) => writeln!(text, "  {p} ({}):", i.location),
            None => writeln!(text, "  {}:", i.location),
        };
        for conjunct in &i.conjuncts {
            let _ = writeln!(text, "    {conjunct}");
        }
        if i.conjuncts.is_empty() {
            let _ = writeln!(text, "    true");
        }
    }
    text
}

/// A proof that every run ends: what goes down in each loop.
pub fn ends(evidence: &Evidence, edges: usize) -> String {
    let by_rounds = evidence.measures.iter().all(|m| m.terms.is_empty());
    let mut text = match evidence.rounds {
        _ if evidence.measures.is_empty() => {
            format!("proof: no loop is there; checked on all {edges} edges\n")
        }
        Some(rounds) => format!(
            "proof: every run leaves each loop within {rounds} rounds; checked by unwinding {edges} edges\n"
        ),
        None if by_rounds => {
            format!("proof: every run ends, by the values that it has; checked on all {edges} edges\n")
        }
        None => format!("proof: every loop has a measure that goes down, checked on all {edges} edges\n"),
    };
    for m in evidence.measures.iter().filter(|m| !m.terms.is_empty()) {
        let at = m.position.as_ref().map_or_else(|| m.location.clone(), |p| format!("{p} ({})", m.location));
        let _ = writeln!(text, "  {at}:\n    {}", m.terms.join(", then "));
    }
    text
}

/// The steps of a run, one line each: the statement, what came from outside, what changed.
pub fn run(text: &mut String, run: &Run) {
    if !run.initial.is_empty() {
        let _ = writeln!(text, "      initially {}", join(&run.initial, None));
    }
    let width = run.steps.last().map_or(0, |s| s.step).to_string().len().max(4);
    let (first, last) = run.ends();
    for (i, step) in first.iter().chain(last).enumerate() {
        if i > 0 && i == first.len() {
            let between = last[0].step - first[i - 1].step - 1;
            let told = run.steps.len() - first.len() - last.len();
            let _ =
                writeln!(text, "{:>width$}  {between} steps, {told} of them with values from outside", "...");
        }
        let position = step.position.as_ref().map_or(String::new(), |p| format!("{p}: "));
        let _ = write!(text, "{:>width$}  {position}{}", step.step, shown(step));
        if !step.answers.is_empty() {
            let answers: Vec<String> =
                step.answers.iter().map(|a| format!("{} = {}", a.function, a.value)).collect();
            let _ = write!(text, "  with {}", answers.join(", "));
        }
        if !step.changed.is_empty() {
            let _ = write!(text, "  => {}", join(&step.changed, step.function.as_deref()));
        }
        text.push('\n');
    }
    if let Some(last) = run.steps.last().filter(|s| s.kind != StepKind::Edge && !s.values.is_empty()) {
        let _ = writeln!(text, "{:>width$}  where {}", "", join(&last.values, last.function.as_deref()));
    }
    lifted(text, run, width);
}

/// What matters on the way, at loops and other places with a name, once for what stays the same.
fn lifted(text: &mut String, run: &Run, width: usize) {
    let mut before = String::new();
    let mut lines = Vec::new();
    for state in &run.lifted {
        let here = state.values.first().and_then(|v| v.function.as_deref());
        let same = state.values.iter().all(|v| v.function.as_deref() == here);
        let values = join(&state.values, here.filter(|_| same));
        if !values.is_empty() && values != before {
            let place = state.position.as_ref().map_or(state.location.clone(), ToString::to_string);
            lines.push(format!("{:>width$}  {place}: {}", "", values));
            before = values;
        }
    }
    if !lines.is_empty() && lines.len() <= MAX_LIFTED {
        let _ = writeln!(text, "{:>width$}  what matters on the way:", "");
        let _ = writeln!(text, "{}", lines.join("\n"));
    }
}

fn shown(step: &Step) -> String {
    match (step.kind, step.outcome) {
        (StepKind::Condition, Some(true)) => format!("[{}]", step.text),
        (StepKind::Condition, _) => format!("[!({})]", step.text),
        (StepKind::Return, _) => format!("return to {}", step.text),
        _ => step.text.clone(),
    }
}

/// Variables of other functions than the one at hand are told with their function.
fn join(values: &[Valued], here: Option<&str>) -> String {
    let one = |v: &Valued| match &v.function {
        Some(f) if here != Some(f) => format!("{f}::{} = {}", v.variable, v.value),
        _ => format!("{} = {}", v.variable, v.value),
    };
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}
