//! Every engine on small C, Horn and VMT programs in every encoding: certified verdicts.

mod common;

use common::{bounded, settings};
use palisade_engines::{Options, Pc, Shape};
use palisade_smt::NativeSolver;
use palisade_verify::{COptions, Input, Loaded, TermPool, Verdict, find_engine, load, prepare, wanted_shape};

const ENCODINGS: &[&str] = &["cfa", "pc-int", "pc-bool", "as-is"];

/// A counter to 3, then one that turns back; the error is `n == BAD` while it does.
const C: &str = "void reach_error(void);
    int main(void) {
        int n = 0;
        while (n < 3) n++;
        while (n > 0) n--;
        if (n == BAD) reach_error();
    }";
const HORN: &str = "(set-logic HORN)
    (declare-fun up (Int) Bool) (declare-fun down (Int) Bool)
    (assert (up 0))
    (assert (forall ((n Int)) (=> (and (up n) (< n 3)) (up (+ n 1)))))
    (assert (forall ((n Int)) (=> (and (up n) (>= n 3)) (down n))))
    (assert (forall ((n Int)) (=> (and (down n) (> n 0)) (down (- n 1)))))
    (assert (forall ((n Int)) (=> (and (down n) (= n BAD)) false)))";
/// Two Booleans are a program counter: control-flow recovery finds it.
const VMT: &str = "(declare-fun n () Int) (declare-fun n1 () Int)
    (declare-fun a () Bool) (declare-fun a1 () Bool)
    (define-fun .n () Int (! n :next n1)) (define-fun .a () Bool (! a :next a1))
    (define-fun init () Bool (! (and (= n 0) (not a)) :init true))
    (define-fun trans () Bool (! (or
        (and (not a) (< n 3) (= n1 (+ n 1)) (not a1))
        (and (not a) (>= n 3) (= n1 n) a1)
        (and a (> n 0) (= n1 (- n 1)) a1)) :trans true))
    (define-fun prop () Bool (! (not (and a (= n BAD))) :invar-property 0))";

fn loaded(pool: &TermPool, name: &str, text: &str, safe: bool) -> Loaded {
    let unreached = if name.ends_with(".c") { "-1" } else { "(- 1)" };
    let input = Input::Text(name.into(), text.replace("BAD", if safe { unreached } else { "0" }));
    load(pool, &[input], &COptions::default()).unwrap()
}

fn verdicts(name: &str, text: &str) {
    for safe in [true, false] {
        let pool = TermPool::new();
        let program = loaded(&pool, name, text, safe).program;
        for engine in palisade_engines::all() {
            for encoding in ENCODINGS {
                let options = [("encoding", *encoding)];
                let settings = settings(find_engine(engine.name()).unwrap(), &options);
                let shown = format!("{name}, {}, {encoding}, safe: {safe}", engine.name());
                match bounded(&pool, &program, &settings, 40).0 {
                    Verdict::Safe(_) => assert!(safe, "{shown}"),
                    Verdict::Unsafe(_) => assert!(!safe, "{shown}"),
                    // An unrolling proves nothing about loops, known values do not decide what depends on
                    // inputs, and these programs are not finite.
                    Verdict::Unknown(u) => {
                        let why = u.reason.to_string();
                        let refused = match engine.name() {
                            "fsis" => why.contains("not a finite program"),
                            "imc" => {
                                why.contains("not a finite program")
                                    || *encoding == "cfa" && why.contains("works on one loop")
                            }
                            "values" => why.contains("known values"),
                            "bmc" => safe,
                            _ => false,
                        };
                        assert!(refused, "{shown}: {why}");
                    }
                }
            }
        }
    }
}

#[test]
fn c_in_every_shape() {
    verdicts("a.c", C);
}

#[test]
fn horn_clauses_in_every_shape() {
    verdicts("a.smt2", HORN);
}

#[test]
fn transition_systems_in_every_shape() {
    verdicts("a.vmt", VMT);
}

/// No variable is infinite, but the input of a step is.
#[test]
fn an_input_that_is_a_number_makes_no_circuit() {
    let text = "(set-logic HORN) (declare-fun p (Bool) Bool)
        (assert (p true))
        (assert (forall ((b Bool) (n Int)) (=> (and (p b) (< n 0)) (p (not b)))))
        (assert (forall ((b Bool) (n Int)) (=> (and (p b) (not b) (= n 5)) false)))";
    for (engine, backend) in [
        ("fsis", None),
        ("ic3", Some("ic3.backend")),
        ("imc", Some("imc.backend")),
        ("bmc", Some("bmc.backend")),
    ] {
        let pool = TermPool::new();
        let program = loaded(&pool, "a.smt2", text, false).program;
        let mut options = vec![("transform", "none")];
        options.extend(backend.map(|b| (b, "sat")));
        match bounded(&pool, &program, &settings(find_engine(engine).unwrap(), &options), 40).0 {
            Verdict::Unknown(u) => {
                assert!(u.reason.to_string().contains("not a finite program"), "{engine}: {}", u.reason)
            }
            _ => panic!("{engine} decides it"),
        }
    }
}

/// The loop is still there when nothing was prepared, and no run comes to it.
#[test]
fn a_system_without_initial_states_is_safe() {
    let text = VMT.replace("(and (= n 0) (not a)) :init", "false :init");
    let pool = TermPool::new();
    let program = loaded(&pool, "a.vmt", &text, false).program;
    for engine in ["bmc", "values", "ic3-cfa", "ic3", "impact"] {
        let settings = settings(find_engine(engine).unwrap(), &[("transform", "none")]);
        assert!(matches!(bounded(&pool, &program, &settings, 40).0, Verdict::Safe(_)), "{engine}");
    }
}

#[test]
fn a_loop_shape_is_one_loop_from_pc_zero() {
    let pool = TermPool::new();
    let solver = || Box::new(NativeSolver::new(&pool));
    for (name, text) in [("a.c", C), ("a.smt2", HORN), ("a.vmt", VMT)] {
        let program = loaded(&pool, name, text, true).program;
        for pc in [Pc::Int, Pc::Bool] {
            let options = Options::new();
            let one = prepare(&pool, &program, Shape::Loop { pc, merged: false }, &options, solver()).program;
            assert_eq!(one.locations.len(), 3, "{name}, {pc:?}");
            let first: Vec<_> = one.edges.iter().filter(|e| e.source == one.entry).collect();
            let [first] = first[..] else { panic!("{name}, {pc:?}: {} first edges", first.len()) };
            assert_eq!(first.guard, pool.tru());
            // The counter is set; everything else is open.
            let fixed = first.update.iter().filter(|u| !first.inputs.contains(u)).count();
            assert!(fixed >= 1 && first.update.len() == fixed + first.inputs.len(), "{name}, {pc:?}");
            let counted = if pc == Pc::Int { 1 } else { fixed };
            assert_eq!(fixed, counted);
            assert!(first.update[..fixed].iter().all(|&u| u == pool.int(0) || u == pool.fls()));
        }
    }
}

#[test]
fn merged_edges_are_one_edge() {
    let pool = TermPool::new();
    let program = loaded(&pool, "a.c", C, true).program;
    let mut options = Options::new();
    let shape = |engine: &str, options: &Options| {
        wanted_shape(&*find_engine(engine).expect("exists"), &pool, &program, options)
    };
    let own_edges = |options: &Options, shape: Shape| {
        let one = prepare(&pool, &program, shape, options, Box::new(NativeSolver::new(&pool))).program;
        assert_eq!(one.locations.len(), 3);
        one.edges.iter().filter(|e| e.source == e.target).count()
    };
    assert_eq!(shape("ic3", &options), Shape::Loop { pc: Pc::Int, merged: false });
    assert!(own_edges(&options, shape("ic3", &options)) > 1);
    // What an engine asks for, and what the user does.
    assert_eq!(shape("imc", &options), Shape::Loop { pc: Pc::AsIs, merged: true });
    assert_eq!(own_edges(&options, shape("imc", &options)), 1);
    options.set("merge-edges", "true").expect("an option");
    assert_eq!(own_edges(&options, shape("ic3", &options)), 1);
    options.set("merge-edges", "false").expect("an option");
    assert!(own_edges(&options, shape("imc", &options)) > 1);
}

#[test]
fn a_transition_system_stays_as_it_is() {
    let pool = TermPool::new();
    let program = loaded(&pool, "a.vmt", VMT, true).program;
    let shape = Shape::Loop { pc: Pc::AsIs, merged: false };
    let same = prepare(&pool, &program, shape, &Options::new(), Box::new(NativeSolver::new(&pool))).program;
    let names = |p: &palisade_verify::Program| p.locations.iter().map(|l| l.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&program), names(&same));
    let blocks =
        prepare(&pool, &program, Shape::Blocks, &Options::new(), Box::new(NativeSolver::new(&pool))).program;
    assert!(blocks.locations.len() > same.locations.len(), "control flow is recovered for blocks only");
}
