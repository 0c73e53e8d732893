//! A new engine is one `impl Engine`. This toy runs the program with default inputs; then it guesses that the
//! states from which an error edge is open never occur, and drops guesses until the rest is inductive
//! (Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java", 2001). It runs on C, Horn clauses
//! and VMT, and its claims are checked, like those of any engine.

use std::collections::BTreeMap;

use palisade_engines::options::Transform;
use palisade_engines::{Budget, Engine, Observer, Outcome, Partial, Reason, Task};
use palisade_program::{Invariants, Loc, Run, Step, take};
use palisade_smt::Answer;
use palisade_term::{Term, Value};
use palisade_verify::{COptions, Input, Settings, Silent, TermPool, Verdict, load, verify};

struct Toy;

impl Engine for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn about(&self) -> &'static str {
        "default inputs, then guesses from the error edges"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, _: &mut dyn Observer) -> Outcome {
        let (pool, program) = (task.pool, task.program);
        let default = |v: &Term| Value::default_of(pool.sort(*v));
        let initial: Vec<Value> = program.vars(program.entry).iter().map(default).collect();
        let (mut at, mut state, mut steps) = (program.entry, initial.clone(), Vec::new());
        while at != program.error && steps.len() < 100 {
            let go = |e| {
                let inputs: Vec<Value> = program.edge(e).inputs.iter().map(default).collect();
                let next = (program.edge(e).source == at).then(|| take(pool, program, &state, e, &inputs))?;
                Some((next?, Step { edge: e, inputs }))
            };
            let error_first = program.edge_ids().filter(|&e| program.edge(e).target == program.error);
            let Some((next, step)) = error_first.chain(program.edge_ids()).find_map(go) else { break };
            (at, state) = (program.edge(step.edge).target, next);
            steps.push(step);
        }
        if at == program.error {
            return Outcome::Unsafe(Run { initial, steps });
        }
        let mut guesses: BTreeMap<Loc, Vec<Term>> = BTreeMap::from([(program.error, vec![pool.fls()])]);
        for at in program.locs().filter(|&l| l != program.entry && l != program.error) {
            let bad = program.edges.iter().filter(|e| e.target == program.error).map(|e| e.guard);
            let known = |g: &Term| pool.free_vars(*g).iter().all(|v| program.vars(at).contains(v));
            guesses.insert(at, bad.filter(known).map(|g| pool.not(g)).collect());
        }
        let formula = |g: &BTreeMap<Loc, Vec<Term>>, l| pool.and(g.get(&l).cloned().unwrap_or_default());
        let mut solver = task.solvers.solver(pool);
        while budget.check().is_ok() {
            let wrong = program.edge_ids().find_map(|id| {
                let (edge, from) = (program.edge(id), formula(&guesses, program.edge(id).source));
                let lost = |&g: &Term| {
                    let after = pool.not(program.after(pool, id, g));
                    !matches!(solver.check(&[from, edge.guard, after]), Answer::Unsat(_))
                };
                Some((edge.target, guesses.get(&edge.target)?.iter().position(lost)?))
            });
            match wrong {
                Some((at, _)) if at == program.error => break,
                Some((at, i)) => drop(guesses.get_mut(&at).expect("it was found there").remove(i)),
                None => {
                    return Outcome::Safe(Invariants {
                        formulas: program.locs().map(|l| formula(&guesses, l)).collect(),
                    });
                }
            }
        }
        Outcome::Unknown(Reason::Incomplete("no guess is left".into()), Partial::default())
    }
}

fn toy(name: &str, text: &str) -> Verdict {
    let pool = TermPool::new();
    let input = Input::Text(name.into(), text.into());
    let loaded = load(&pool, &[input], &COptions::default()).unwrap();
    let mut settings = Settings { engine: Box::new(Toy), ..Settings::for_language(loaded.language) };
    // Large blocks have inputs that choose among their paths; the toy guesses no inputs.
    settings.options.general.transform = Transform::Light;
    verify(&pool, &loaded.program, &settings, &Budget::unlimited(), &mut Silent).unwrap()
}

/// `x` starts at `from` and grows; the error is a negative `x`.
fn programs(from: i32) -> [(&'static str, String); 3] {
    let c = format!(
        "void reach_error(void);
         int main(void) {{ int x = {from}; for (;;) {{ if (x < 0) reach_error(); x = x + 1; }} }}"
    );
    let horn = format!(
        "(set-logic HORN) (declare-fun p (Int) Bool)
         (assert (p {}))
         (assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
         (assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))",
        smt(from)
    );
    let vmt = format!(
        "(declare-fun x () Int) (declare-fun y () Int)
         (define-fun sv () Int (! x :next y))
         (define-fun init () Bool (! (= x {}) :init true))
         (define-fun trans () Bool (! (= y (+ x 1)) :trans true))
         (define-fun prop () Bool (! (>= x 0) :invar-property 0))",
        smt(from)
    );
    [("a.c", c), ("a.smt2", horn), ("a.vmt", vmt)]
}

fn smt(n: i32) -> String {
    if n < 0 { format!("(- {})", -n) } else { n.to_string() }
}

#[test]
fn a_toy_proves_programs_of_all_languages() {
    for (name, text) in programs(0) {
        assert!(matches!(toy(name, &text), Verdict::Safe(_)), "{name}");
    }
}

#[test]
fn a_toy_refutes_programs_of_all_languages() {
    for (name, text) in programs(-1) {
        assert!(matches!(toy(name, &text), Verdict::Unsafe(_)), "{name}");
    }
}
