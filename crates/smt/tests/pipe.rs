//! The process back-end, with z3 where it is installed and with processes that misbehave in every way.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use palisade_smt::interpolate::{Interpolation, Interpolator, Settings};
use palisade_smt::{Answer, Limits, PipeInterpolator, PipeOptions, PipeSolver, Solver, UnknownReason};
use palisade_term::{Rational, Sort, Term, TermPool, Value};

/// Runs a test with z3, or says that it is absent.
fn with_z3(test: impl FnOnce(&TermPool, PipeSolver<'_>)) {
    if Command::new("z3").arg("--version").output().is_err() {
        eprintln!("skipped: z3 is not installed");
        return;
    }
    let pool = TermPool::new();
    let solver = PipeSolver::new(&pool, "z3 -in").expect("a command line");
    test(&pool, solver);
}

fn ints<const N: usize>(pool: &TermPool, names: [&str; N]) -> [Term; N] {
    names.map(|n| pool.var(n, Sort::Int))
}

#[track_caller]
fn unsat(answer: Answer) -> Vec<Term> {
    match answer {
        Answer::Unsat(core) => core,
        other => panic!("expected unsat, got {other:?}"),
    }
}

#[test]
fn scopes_assumptions_and_cores() {
    with_z3(|pool, mut s| {
        let [x, y, z] = ints(pool, ["x", "y", "z"]);
        s.assert(pool.lt(x, y));
        s.push();
        s.assert(pool.lt(y, z));
        let (cyclic, other) = (pool.lt(z, x), pool.eq(pool.var("w", Sort::Int), pool.int(3)));
        let b = pool.var("b", Sort::Bool);
        assert_eq!(unsat(s.check(&[other, b, cyclic, pool.tru()])), [cyclic]);
        assert!(s.check(&[other, b]).is_sat());
        assert_eq!(unsat(s.check(&[pool.not(b), b])).len(), 2);
        s.pop(1);
        assert!(s.check(&[cyclic]).is_sat());
        s.push();
        s.push();
        s.assert(pool.fls());
        assert_eq!(unsat(s.check(&[b])), []);
        s.pop(2);
        assert!(s.check(&[]).is_sat());
        assert_eq!(s.stats().queries, 6);
    });
}

#[test]
fn models_of_every_sort() {
    with_z3(|pool, mut s| {
        let [x, y] = ints(pool, ["x", "y'"]);
        let array = Sort::array(Sort::Int, Sort::Int);
        let (a, b) = (pool.var("a", array.clone()), pool.primed(pool.var("a", array.clone())));
        let r = pool.var("r|~", Sort::Real);
        let v = pool.var("and", Sort::BitVec(8));
        s.assert(pool.eq(pool.add2(x, pool.scale(&Rational::from_integer(2.into()), y)), pool.int(-7)));
        s.assert(pool.eq(b, pool.store(a, x, pool.int(5))));
        s.assert(pool.not(pool.eq(pool.select(a, x), pool.int(5))));
        s.assert(pool.not(pool.eq(pool.select(a, pool.int(100)), pool.select(b, pool.int(101)))));
        s.assert(pool.eq(
            pool.scale(&Rational::from_integer(3.into()), r),
            pool.real(Rational::from_integer(1.into())),
        ));
        s.assert(pool.bv_ult(pool.bitvec(250, 8), v));
        // Our fixed values of division by zero hold there too.
        s.assert(pool.eq(pool.int_div(x, y), pool.int(0)));
        s.assert(pool.eq(pool.int_mod(x, y), x));
        s.assert(pool.lt(x, pool.int(0)));
        let Answer::Sat(model) = s.check(&[]) else { panic!("satisfiable") };
        assert_eq!(model.get(r), Some(&Value::Real(Rational::new(1.into(), 3.into()))));
        assert_eq!(model.get(y), Some(&Value::Int(0.into())));
        assert_eq!(model.get(x), Some(&Value::Int((-7).into())));
    });
}

#[test]
fn names_that_look_alike() {
    with_z3(|pool, mut s| {
        let plain = pool.var("x", Sort::Int);
        let vars = [
            plain,
            pool.primed(plain),
            pool.at_step(plain, 3),
            pool.var("x'", Sort::Int),
            pool.var("x@3", Sort::Int),
            pool.var("", Sort::Int),
            pool.var("let", Sort::Int),
            pool.var("a b\\|", Sort::Int),
            pool.var("assume!0", Sort::Int),
        ];
        s.assert(pool.distinct(&vars));
        s.assert(pool.not(pool.var("x", Sort::Bool)));
        let assumption = pool.le(plain, pool.int(-9));
        let Answer::Sat(model) = s.check(&[assumption]) else { panic!("satisfiable") };
        assert_eq!(model.len(), vars.len() + 1);
    });
}

#[test]
fn interpolation_says_when_it_cannot() {
    with_z3(|pool, solver| {
        let mut s = PipeInterpolator::new(solver);
        let settings = Settings::default();
        let [x, y] = ints(pool, ["x", "y"]);
        let parts = [pool.eq(x, pool.int(1)), pool.eq(y, x), pool.lt(y, pool.int(1))];
        assert!(matches!(
            s.interpolate(&parts, &settings),
            Interpolation::Unknown(UnknownReason::Incomplete(_))
        ));
        assert!(matches!(s.interpolate(&parts[..2], &settings), Interpolation::Sat(_)));
    });
}

#[test]
fn a_query_that_takes_too_long_is_ended_and_the_next_one_works() {
    with_z3(|pool, mut s| {
        let [x, y, z] = ints(pool, ["x", "y", "z"]);
        let cube = |t| pool.mul(t, pool.mul(t, t));
        s.assert(pool.lt(pool.int(0), x));
        s.push();
        // Sums of three cubes: 114 is an open case.
        s.assert(pool.eq(pool.add([cube(x), cube(y), cube(z)]), pool.int(114)));
        s.set_limits(Limits { steps: Some(300_000), interrupt: None });
        let begin = Instant::now();
        let answer = s.check(&[]);
        assert!(matches!(answer, Answer::Unknown(UnknownReason::Limit)), "{answer:?}");
        assert!(begin.elapsed() < Duration::from_secs(20));
        let flag = Arc::new(AtomicBool::new(false));
        s.set_limits(Limits { steps: None, interrupt: Some(Arc::clone(&flag)) });
        let raise = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            flag.store(true, Ordering::Relaxed);
        });
        let answer = s.check(&[]);
        assert!(matches!(answer, Answer::Unknown(UnknownReason::Interrupted)), "{answer:?}");
        raise.join().unwrap();
        s.set_limits(Limits::default());
        s.pop(1);
        assert_eq!(unsat(s.check(&[pool.lt(x, pool.int(0))])).len(), 1);
    });
}

// ---- processes that misbehave --------------------------------------------------------------------------

/// A solver that is this shell script.
fn fake<'p>(pool: &'p TermPool, script: &str, timeout: Duration) -> PipeSolver<'p> {
    let options = PipeOptions { timeout: Some(timeout), interpolation: true, ..PipeOptions::default() };
    PipeSolver::with_options(pool, &format!("sh -c '{script}'"), options).expect("a command line")
}

/// A script that acknowledges commands, and answers `check-sat`, `get-value` and the rest as told.
fn polite(check: &str, other: &str) -> String {
    format!(
        "while read -r line; do case \"$line\" in \"(check\"*) {check};; \"(get\"*) {other};; *) echo \
         success;; esac; done"
    )
}

#[track_caller]
fn fails(script: &str, part: &str) {
    let pool = TermPool::new();
    let mut s = fake(&pool, script, Duration::from_secs(20));
    let x = pool.var("x", Sort::Int);
    s.assert(pool.lt(x, pool.int(3)));
    let begin = Instant::now();
    for _ in 0..2 {
        match s.check(&[pool.lt(pool.int(0), x)]) {
            Answer::Unknown(UnknownReason::Failed(why)) => assert!(why.contains(part), "{why}"),
            other => panic!("expected a failure, got {other:?}"),
        }
    }
    assert!(begin.elapsed() < Duration::from_secs(15), "hung for {:?}", begin.elapsed());
}

#[test]
fn a_process_that_cannot_start() {
    let pool = TermPool::new();
    let mut s = PipeSolver::new(&pool, "/no/such/solver -in").unwrap();
    let Answer::Unknown(UnknownReason::Failed(why)) = s.check(&[]) else { panic!("no answer is possible") };
    assert!(why.contains("cannot start the solver `/no/such/solver`"), "{why}");
    assert!(PipeSolver::new(&pool, "  ").is_err());
    assert!(PipeSolver::new(&pool, "z3 \"-in").is_err());
}

#[test]
fn a_process_that_dies() {
    fails("exit 3", "exit status: 3");
    fails("echo oh no >&2; exit 1", "oh no");
    fails("read -r line; echo success; kill -9 $$", "signal: 9");
    fails(&polite("exit 0", "exit 0"), "the solver ended");
    fails(&polite("printf sa; exit 0", "exit 0"), "got `sa`");
    fails(&polite("echo sat; exit 0", "exit 0"), "the solver ended");
    fails("exec 1>&-; sleep 60", "the solver ended");
}

#[test]
fn a_process_that_talks_nonsense() {
    fails("yes", "got `y`");
    fails("cat /dev/zero", "more than 64 MB");
    fails(&polite("echo maybe", "echo maybe"), "got `maybe`");
    fails(&polite("echo sat", "echo maybe"), "expected a model, got `maybe`");
    fails(&polite("echo sat", "echo \"(error \\\"no model\\\")\""), "no model");
    fails(&polite("echo sat", "echo \"((x 7))\""), "does not satisfy");
    fails(&polite("echo unsat", "echo \"(foo)\""), "core");
    fails(&polite("echo \")))\"", "echo"), "got `)`");
    fails(&polite("echo \"(error \\\"line 1: unknown constant\\\")\"", "echo"), "unknown constant");
    fails("while read -r l; do echo \"(error \\\"bad\\\")\"; done", "bad");
}

#[test]
fn a_model_that_cannot_be_read_is_no_model() {
    let pool = TermPool::new();
    let mut s = fake(&pool, &polite("echo sat", "echo \"((x (root-obj 2)))\""), Duration::from_secs(10));
    s.assert(pool.lt(pool.var("x", Sort::Real), pool.real(Rational::from_integer(3.into()))));
    assert!(matches!(s.check(&[]), Answer::Unknown(UnknownReason::Incomplete(_))));
}

#[test]
fn a_core_is_optional() {
    let pool = TermPool::new();
    let mut s = fake(&pool, &polite("echo unsat", "echo unsupported"), Duration::from_secs(10));
    let (a, b) = (pool.var("a", Sort::Bool), pool.var("b", Sort::Bool));
    assert_eq!(unsat(s.check(&[a, b])), [a, b]);
}

#[test]
fn wrong_interpolants_are_not_believed() {
    let pool = TermPool::new();
    let (a, b) = (pool.var("a", Sort::Bool), pool.var("b", Sort::Bool));
    let parts = [a, pool.and2(b, pool.not(a))];
    let interpolate = |text: &str| {
        let get = format!("case \"$line\" in *interpolants*) echo \"{text}\";; *) echo unsupported;; esac");
        let solver = fake(&pool, &polite("echo unsat", &get), Duration::from_secs(10));
        PipeInterpolator::new(solver).interpolate(&parts, &Settings::default())
    };
    let answer = interpolate("(b)");
    let Interpolation::Unknown(UnknownReason::Failed(why)) = answer else { panic!("{answer:?}") };
    assert!(why.contains("not shared"), "{why}");
    assert!(matches!(interpolate("(a a)"), Interpolation::Unknown(UnknownReason::Failed(_))));
    let answer = interpolate("(a)");
    assert!(matches!(&answer, Interpolation::Interpolants(i) if *i == [a]), "{answer:?}");
}

/// Is a process with this mark on its command line alive, and stays so? A killed process takes a moment to
/// vanish.
fn alive(mark: &str) -> bool {
    let begin = Instant::now();
    while listed(mark) {
        if begin.elapsed() > Duration::from_secs(20) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn listed(mark: &str) -> bool {
    let ps = Command::new("sh")
        .args(["-c", "cat /proc/[0-9]*/cmdline | tr \"\\0\" \" \""])
        .output()
        .expect("a shell");
    String::from_utf8_lossy(&ps.stdout).contains(mark)
}

#[test]
fn a_process_that_hangs_is_ended() {
    for (mark, script) in [
        ("86421", "sleep 86421; echo done"), // says nothing, in a child of the shell
        ("86422", "read -r line; echo success; sleep 86422; :"), // stops reading
        ("86423", "trap \"\" TERM INT HUP; sleep 86423; :"), // will not be asked
    ] {
        let pool = TermPool::new();
        let mut s = fake(&pool, script, Duration::from_millis(300));
        // More than a pipe holds, so that writing blocks too.
        for i in 0..2000 {
            s.assert(pool.lt(pool.var(&format!("a_rather_long_name_{i}"), Sort::Int), pool.int(3)));
        }
        let begin = Instant::now();
        assert!(matches!(s.check(&[]), Answer::Unknown(UnknownReason::Limit)));
        assert!(begin.elapsed() < Duration::from_secs(10));
        drop(s);
        if std::path::Path::new("/proc/self/cmdline").exists() {
            assert!(!alive(&format!("sleep {mark}")), "the child survived: {script}");
        }
    }
}

#[test]
fn dropping_ends_the_process() {
    let pool = TermPool::new();
    let mut s = fake(
        &pool,
        &format!("{}; sleep 86424", polite("echo unknown", "echo \"(:reason-unknown \\\"x\\\")\"")),
        Duration::from_secs(10),
    );
    assert!(matches!(s.check(&[]), Answer::Unknown(UnknownReason::Incomplete(why)) if why == "x"));
    drop(s);
    if std::path::Path::new("/proc/self/cmdline").exists() {
        assert!(!alive("sleep 86424;"));
        assert!(!alive("; sleep 86424"));
    }
}
