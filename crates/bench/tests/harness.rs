//! The harness against a stand-in for `palisade` that sleeps, burns, allocates, crashes, lies and errs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use palisade_bench::counters::Measure;
use palisade_bench::record::{Answer, Certificate, Class, Existing, Row};
use palisade_bench::{BenchOptions, Contestant, Density, Scatter, Summary, run_until};
use tempfile::TempDir;

/// A suite whose tasks have a behaviour of the stand-in each; `table` gives file, behaviour and expected
/// verdict.
fn suite(table: &[(&str, &str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut csv = "file,verdict,property,source\n".to_owned();
    for (file, behaviour, verdict) in table {
        fs::write(dir.path().join(file), format!("{behaviour}\n")).unwrap();
        csv += &format!("{file},{verdict},assert,test\n");
    }
    fs::write(dir.path().join("tasks.csv"), csv).unwrap();
    dir
}

fn options(suite: &Path, engines: &[&str]) -> BenchOptions {
    let contestants = engines.iter().map(|engine| Contestant::engine(engine)).collect();
    let mut options = BenchOptions::new(vec![suite.to_path_buf()], contestants);
    options.executable = Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fake-palisade.sh"));
    options.timeout = Duration::from_secs(20);
    options.check_timeout = Duration::from_secs(20);
    options.memory_mb = 1024;
    options.jobs = 2;
    options
}

fn run(options: &BenchOptions) -> Summary {
    run_until(options, &AtomicBool::new(false)).unwrap()
}

fn calls(suite: &TempDir) -> Vec<String> {
    let text = fs::read_to_string(suite.path().join("calls.log")).unwrap_or_default();
    let mut lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
    lines.sort();
    lines
}

fn named<'a>(summary: &'a Summary, file: &str) -> &'a Row {
    summary.rows.iter().find(|row| row.file.ends_with(file)).unwrap()
}

#[test]
fn verdicts_are_compared_and_certificates_checked_again() {
    let suite = suite(&[
        ("a.smt2", "true", "true"),
        ("b.smt2", "false", "false"),
        ("c.smt2", "false", "true"),
        ("d.smt2", "nocertificate", "true"),
        ("e.smt2", "badcertificate", "true"),
        ("f.smt2", "true", "unknown"),
    ]);
    let summary = run(&options(suite.path(), &["ic3"]));
    let seen: Vec<(Class, Certificate)> =
        summary.rows.iter().map(|row| (row.class(), row.certificate)).collect();
    assert_eq!(
        seen,
        [
            (Class::Solved, Certificate::Ok),
            (Class::Solved, Certificate::Ok),
            (Class::Wrong, Certificate::Ok),
            (Class::BadCertificate, Certificate::Missing),
            (Class::BadCertificate, Certificate::Bad),
            (Class::Solved, Certificate::Ok),
        ]
    );
    assert_eq!((summary.wrong, summary.bad_certificates, summary.exit_code()), (1, 2, 1));
    assert!(named(&summary, "e.smt2").reason.contains("not inductive"));
    let text = summary.markdown();
    assert!(
        text.contains("WRONG VERDICTS")
            && text.contains("c.smt2: false (unreach-call), expected true; its certificate checks"),
        "{text}"
    );
}

#[test]
fn without_the_second_check_nothing_is_checked() {
    let suite = suite(&[("a.smt2", "true", "true"), ("e.smt2", "badcertificate", "true")]);
    let mut options = options(suite.path(), &["ic3"]);
    options.recheck = false;
    let summary = run(&options);
    assert_eq!(summary.exit_code(), 0);
    assert_eq!(calls(&suite), ["verify ic3 a.smt2", "verify ic3 e.smt2"]);
}

#[test]
fn what_breaks_the_contract_is_an_error_and_what_is_refused_is_not() {
    let suite = suite(&[
        ("crash.c", "crash", "true"),
        ("internal.c", "internal", "true"),
        ("liar.c", "liar", "true"),
        ("twice.c", "twice", "true"),
        ("usage.c", "nonsense", "true"),
        ("refused.c", "unsupported", "true"),
        ("unknown.c", "unknown", "true"),
        ("clean.c", "timeout", "true"),
    ]);
    let summary = run(&options(suite.path(), &["ic3"]));
    let class = |file| (named(&summary, file).class(), named(&summary, file).exit.as_str());
    assert_eq!(class("crash.c"), (Class::Error, "signal 11"));
    assert_eq!(class("internal.c"), (Class::Error, "70"));
    assert_eq!(class("liar.c"), (Class::Error, "10"));
    assert_eq!(class("twice.c"), (Class::Error, "0"));
    assert_eq!(class("usage.c"), (Class::Error, "2"));
    assert_eq!(class("refused.c"), (Class::Unsupported, "3"));
    assert_eq!(class("unknown.c"), (Class::Unknown, "20"));
    assert_eq!(class("clean.c"), (Class::Timeout, "20"));
    assert!(named(&summary, "internal.c").reason.contains("edge 3"));
    assert_eq!(summary.engines[0].errors, 5);
    assert_eq!(summary.exit_code(), 0);
}

#[test]
fn cpu_and_memory_limits_hold_whatever_the_tool_does() {
    let suite =
        suite(&[("burn.c", "burn", "true"), ("allocate.c", "allocate", "true"), ("late.c", "late", "true")]);
    let mut options = options(suite.path(), &["ic3"]);
    options.timeout = Duration::from_secs(1);
    // Far away, so that a busy machine does not change what is tested.
    options.wall = Some(Duration::from_secs(50));
    options.memory_mb = 100;
    options.jobs = 3;
    let summary = run(&options);
    let burn = named(&summary, "burn.c");
    assert_eq!(burn.class(), Class::Timeout);
    assert!(burn.cpu > 1.0 && burn.cpu < 5.0 && burn.reason.contains("CPU limit"), "{burn:?}");
    let allocate = named(&summary, "allocate.c");
    assert_eq!(allocate.class(), Class::Memout, "{allocate:?}");
    assert!(allocate.memory_mb > 100.0, "{allocate:?}");
    // This one answers within the grace, but after the limit.
    let late = named(&summary, "late.c");
    assert_eq!(
        (late.verdict, late.class(), late.exit.as_str()),
        (Answer::Unknown, Class::Timeout, "0"),
        "{late:?}"
    );
    assert_eq!(summary.engines[0].solved(), 0);
}

#[test]
fn a_tool_that_waits_ends_at_the_wall() {
    let suite = suite(&[("sleep.c", "sleep", "true")]);
    let mut options = options(suite.path(), &["ic3"]);
    options.wall = Some(Duration::from_millis(500));
    let summary = run(&options);
    let sleep = named(&summary, "sleep.c");
    assert_eq!(sleep.class(), Class::Timeout);
    assert!(sleep.cpu < 1.0 && sleep.wall >= 0.5 && sleep.wall < 30.0, "{sleep:?}");
    assert_eq!(summary.engines[0].wall_timeouts, 1);
}

#[test]
fn a_stopped_run_continues_and_measures_nothing_twice() {
    let files: Vec<String> = (0..12).map(|i| format!("t{i:02}.smt2")).collect();
    let table: Vec<(&str, &str, &str)> = files.iter().map(|file| (file.as_str(), "slow", "true")).collect();
    let suite = suite(&table);
    let out = tempfile::tempdir().unwrap();
    let mut options = options(suite.path(), &["ic3"]);
    options.csv = Some(out.path().join("r.csv"));
    let interrupt = AtomicBool::new(false);
    let first = thread::scope(|scope| {
        scope.spawn(|| {
            // Until some rows are on disk while the run goes on: they are flushed one by one.
            let rows = || fs::read_to_string(out.path().join("r.csv")).map_or(0, |text| text.lines().count());
            let start = Instant::now();
            while rows() < 5 && start.elapsed() < Duration::from_secs(60) {
                thread::sleep(Duration::from_millis(10));
            }
            interrupt.store(true, Ordering::Relaxed);
        });
        run_until(&options, &interrupt).unwrap()
    });
    assert!(first.interrupted && first.exit_code() == 130);
    assert!(first.measured >= 3 && first.measured < 12, "{}", first.measured);
    assert_eq!(first.rows.len(), first.measured);

    let complete: Vec<String> = first.rows.iter().map(|row| row.file.clone()).collect();
    fs::remove_file(suite.path().join("calls.log")).unwrap();
    let second = run(&options);
    assert_eq!((second.measured, second.rows.len()), (12 - first.measured, 12));
    let repeated = calls(&suite);
    for file in &complete {
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        assert!(!repeated.iter().any(|call| call.ends_with(name)), "{name} was run again");
    }
    assert_eq!(
        &second.rows.iter().filter(|row| complete.contains(&row.file)).cloned().collect::<Vec<_>>(),
        &first.rows
    );

    fs::remove_file(suite.path().join("calls.log")).unwrap();
    assert_eq!(run(&options).measured, 0);
    assert!(calls(&suite).is_empty());

    // Another engine extends the file, another limit is another experiment.
    options.contestants.push(Contestant::engine("bmc"));
    options.selection.limit = Some(2);
    assert_eq!(run(&options).measured, 2);
    options.timeout = Duration::from_secs(30);
    let refused = run_until(&options, &AtomicBool::new(false)).unwrap_err().to_string();
    assert!(refused.contains("another configuration"), "{refused}");
    options.existing = Existing::Overwrite;
    assert_eq!(run(&options).measured, 4);
}

#[test]
fn the_finished_file_is_sorted_whatever_ends_first() {
    let suite = suite(&[("a.c", "slow", "true"), ("b.c", "true", "true"), ("c.c", "false", "false")]);
    let out = tempfile::tempdir().unwrap();
    let mut options = options(suite.path(), &["z", "a"]);
    options.csv = Some(out.path().join("r.csv"));
    options.table = Some(out.path().join("t.md"));
    options.plot = Some(out.path().join("p.svg"));
    options.scatter = vec![Scatter { x: "z".into(), y: "a".into(), file: out.path().join("s.svg") }];
    options.matrix = Some(out.path().join("m.svg"));
    let measure = Measure::parse("lemmas/frontier").unwrap();
    options.counters = vec![measure.clone()];
    options.density = vec![Density { measure, file: out.path().join("d.svg") }];
    let summary = run(&options);
    let text = fs::read_to_string(out.path().join("r.csv")).unwrap();
    let mut lines = text.lines();
    assert!(
        lines.next().unwrap().starts_with("# palisade-bench 1 timeout=20 wall=40 memory=1024 check=20 exe=")
    );
    let columns =
        "suite,family,file,expected,engine,verdict,reason,correct,cpu,wall,memory_mb,certificate,exit,args,";
    assert!(lines.next().unwrap().starts_with(columns));
    let order: Vec<(String, String)> = lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[2].rsplit('/').next().unwrap().to_owned(), fields[4].to_owned())
        })
        .collect();
    let expected = [("a.c", "a"), ("a.c", "z"), ("b.c", "a"), ("b.c", "z"), ("c.c", "a"), ("c.c", "z")];
    assert_eq!(order, expected.map(|(file, engine)| (file.to_owned(), engine.to_owned())));
    // Tables keep the order the engines were given in.
    assert_eq!(summary.engines.iter().map(|score| score.engine.as_str()).collect::<Vec<_>>(), ["z", "a"]);
    assert_eq!((summary.engines[0].solved_true, summary.engines[0].solved_false), (2, 1));
    assert_eq!(fs::read_to_string(out.path().join("t.md")).unwrap(), summary.markdown());
    assert!(fs::read_to_string(out.path().join("p.svg")).unwrap().contains("z (3)"));
    assert!(fs::read_to_string(out.path().join("s.svg")).unwrap().contains("true (2)"));
    // The counters come from the reports of the runs, and are in the file.
    assert!(summary.markdown().contains("| lemmas / frontier | z | 3 | 4 | 4 | 0 | 4 |"));
    assert_eq!(text.matches("frontier=3;lemmas=12").count(), 6);
    assert!(fs::read_to_string(out.path().join("m.svg")).unwrap().contains(">z<"));
    assert!(fs::read_to_string(out.path().join("d.svg")).unwrap().contains("z (3)"));
}

#[test]
fn other_tools_read_our_dump_made_once() {
    let suite = suite(&[
        ("a.c", "true", "true"),
        ("b.c", "false", "false"),
        ("c.c", "unsupported", "true"),
        ("d.c", "false", "true"),
        ("e.c", "internal", "true"),
        ("f.c", "other", "true"),
    ]);
    let mut options = options(suite.path(), &[]);
    options.args = vec!["--int".into(), "math".into(), "--seed".into(), "3".into()];
    options.contestants = vec![
        Contestant::external("cat=cat {horn}").unwrap(),
        Contestant::external("head=head -n 1 {horn}").unwrap(),
    ];
    let summary = run(&options);
    let cat = |file: &str| {
        let row = summary.rows.iter().find(|row| row.file.ends_with(file) && row.engine == "cat").unwrap();
        (row.class(), row.verdict)
    };
    assert_eq!(cat("a.c"), (Class::Solved, Answer::True));
    assert_eq!(cat("b.c"), (Class::Solved, Answer::False));
    assert_eq!(cat("c.c"), (Class::Unsupported, Answer::Unknown));
    assert_eq!(cat("d.c"), (Class::Wrong, Answer::False));
    assert_eq!(cat("e.c"), (Class::Error, Answer::Error));
    assert_eq!(cat("f.c"), (Class::Unknown, Answer::Unknown));
    assert_eq!(summary.wrong, 2);
    assert!(summary.engines.iter().all(|score| score.dump_cpu > 0.0));
    assert_eq!(summary.rows[0].args, "cat {horn} # --int math");
    let dumps: Vec<String> =
        ["a", "b", "c", "d", "e", "f"].map(|f| format!("dump --as horn --int math {f}.c")).to_vec();
    assert_eq!(calls(&suite), dumps);
}

#[test]
fn mistakes_are_found_before_the_first_run() {
    let suite = suite(&[("a.c", "true", "true")]);
    let refused = |change: &dyn Fn(&mut BenchOptions)| {
        let mut options = options(suite.path(), &["ic3"]);
        change(&mut options);
        run_until(&options, &AtomicBool::new(false)).unwrap_err().to_string()
    };
    assert!(refused(&|o| o.contestants.push(Contestant::engine("ic3"))).contains("two engines"));
    assert!(
        refused(&|o| o.contestants.push(Contestant::external("x=no-such-tool {file}").unwrap()))
            .contains("no program")
    );
    assert!(refused(&|o| o.selection.filter = Some("zzz".parse().unwrap())).contains("no tasks"));
    assert!(refused(&|o| o.csv = Some("/no/such/folder/r.csv".into())).contains("no folder"));
    assert!(refused(&|o| o.suites = vec!["/no/such/suite".into()]).contains("suite /no/such/suite"));
    assert!(calls(&suite).is_empty());
}

#[test]
fn engines_that_contradict_each_other_fail_the_run() {
    let suite = suite(&[("a.vmt", "true", "unknown"), ("b.vmt", "unknown", "unknown")]);
    let summary = run(&options(suite.path(), &["ic3", "wrong"]));
    assert_eq!((summary.wrong, summary.contradictions.len(), summary.exit_code()), (0, 1, 1));
}
