//! The command line as a user meets it: signals, solvers that misbehave, recorded queries. Inputs with the
//! expected output are files: see `files.rs`.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use common::{output, palisade};

/// In place of the declarations, the proof of a Horn system is a model that any solver can validate.
#[test]
fn a_horn_proof_is_a_model_for_other_solvers() {
    if Command::new("z3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no z3 here");
        return;
    }
    let tmp = tempfile::tempdir().unwrap();
    let example = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/counter.smt2");
    let proof = tmp.path().join("proof.smt2");
    let mut command = palisade();
    command.args(["verify", "--certificate"]).arg(&proof).arg(&example);
    assert_eq!(output(command).status.code(), Some(0));
    let clauses = fs::read_to_string(&example).unwrap();
    let clauses = clauses.lines().filter(|l| !l.contains("declare-fun") && !l.contains("set-logic"));
    let model = fs::read_to_string(&proof).unwrap();
    let judge = |model: &str| {
        let script = tmp.path().join("script.smt2");
        fs::write(&script, format!("{model}{}\n", clauses.clone().collect::<Vec<_>>().join("\n"))).unwrap();
        let result = Command::new("z3").arg(&script).output().unwrap();
        String::from_utf8_lossy(&result.stdout).trim().to_string()
    };
    assert_eq!(judge(&model), "sat", "{model}");
    let mut command = palisade();
    command.args(["verify", "--format", "chc"]).arg(&example);
    let said = String::from_utf8(output(command).stdout).unwrap();
    let model = said.strip_prefix("sat\n(\n").and_then(|m| m.strip_suffix(")\n")).expect(&said);
    assert_eq!(judge(model), "sat", "{model}");
    let wrong = "(define-fun loop ((x Int) (y Int) (n Int)) Bool (<= x n))\n";
    assert_eq!(judge(wrong), "unsat");
}

const ENDLESS: &str = "(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))
(check-sat)
";

fn endless(dir: &Path) -> PathBuf {
    let file = dir.join("endless.smt2");
    fs::write(&file, ENDLESS).unwrap();
    file
}

fn last_line(result: &Output) -> String {
    String::from_utf8_lossy(&result.stdout).lines().last().unwrap_or("").to_string()
}

#[test]
fn an_interrupted_run_says_what_it_knows() {
    let tmp = tempfile::tempdir().unwrap();
    let json = tmp.path().join("report.json");
    for (signal, reason) in [("-INT", "interrupted"), ("-TERM", "interrupted"), ("-XCPU", "timeout")] {
        let mut command = palisade();
        command.args(["verify", "--engine", "bmc", "--json"]).arg(&json).arg(endless(tmp.path()));
        let child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_secs(2));
        let pid = child.id().to_string();
        // Twice, as `timeout` does it: signals that come together are one wish.
        for _ in 0..2 {
            assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        }
        let result = child.wait_with_output().unwrap();
        assert_eq!(result.status.code(), Some(20), "{signal}");
        assert_eq!(last_line(&result), format!("RESULT: UNKNOWN({reason})"));
        let stdout = String::from_utf8_lossy(&result.stdout);
        assert!(stdout.contains("no run of up to"), "{stdout}");
        let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
        assert_eq!(report["reason"], reason);
        assert!(report["bound"].as_u64().unwrap() > 0);
    }
}

/// At a hard limit of CPU time the kernel kills without a signal that could be handled: the answer comes
/// before.
#[test]
fn the_result_comes_before_a_hard_limit() {
    let tmp = tempfile::tempdir().unwrap();
    // The last one has a soft limit first, at which there is a signal.
    for limit in ["ulimit -t 1", "ulimit -t 3", "ulimit -H -t 4; ulimit -S -t 1"] {
        let script = format!("{limit}; exec \"$0\" verify --engine bmc {}", endless(tmp.path()).display());
        let words = ["-c", &script, env!("CARGO_BIN_EXE_palisade")];
        let result = Command::new("sh").args(words).output().unwrap();
        let end = (result.status.code(), last_line(&result));
        assert_eq!(end, (Some(20), "RESULT: UNKNOWN(timeout)".to_string()), "{limit}");
    }
}

/// A compiler in a folder of its own.
fn compiler(dir: &Path, script: &str) -> String {
    let folder = dir.join("bin");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("gcc");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

/// Whoever stops a group of processes stops the preprocessor, too. That is no error of the input.
#[test]
fn a_preprocessor_that_is_stopped_with_the_run_is_no_error_of_the_input() {
    let tmp = tempfile::tempdir().unwrap();
    let path = compiler(tmp.path(), "exec sleep 60");
    let write = |name: &str, text: &str| fs::write(tmp.path().join(name), text).unwrap();
    write("a.c", "int main(void) { return 0; }\n");
    write("proof.smt2", "; palisade proof\n");
    let task = "{input_files: [a.c], input_file_hashes: {}, specification: 'G ! call(reach_error())', \
                data_model: ILP32, language: C}";
    let producer = "{name: test, version: '1'}";
    write(
        "a.yml",
        &format!(
            "- entry_type: invariant_set\n  metadata: {{format_version: '2.0', uuid: '0', \
             creation_time: '2026-01-01T00:00:00Z', producer: {producer}, task: {task}}}\n  content: []\n"
        ),
    );
    for words in ["verify a.c", "verify --all --cache none a.c", "check a.c proof.smt2", "validate a.yml a.c"]
    {
        let mut command = Command::new("timeout");
        command.args(["--preserve-status", "-s", "TERM", "2", env!("CARGO_BIN_EXE_palisade")]);
        command.args(words.split(' ')).env("PATH", &path).current_dir(tmp.path());
        let result = command.output().unwrap();
        let errors = String::from_utf8_lossy(&result.stderr);
        let end = (result.status.code(), last_line(&result));
        assert_eq!(end, (Some(20), "RESULT: UNKNOWN(interrupted)".to_string()), "{words}: {errors}");
    }
    // Without a signal it is one.
    compiler(tmp.path(), "exit 1");
    let mut command = palisade();
    command.args(["verify", "a.c"]).env("PATH", &path).current_dir(tmp.path());
    assert_eq!(output(command).status.code(), Some(3));
}

/// What `--all` was busy with when it did not come to an end by itself.
#[test]
fn all_claims_interrupted_say_where() {
    let tmp = tempfile::tempdir().unwrap();
    let real = "case \"$*\" in *-E*) exec /usr/bin/gcc \"$@\";; esac; exec sleep 20";
    let path = compiler(tmp.path(), real);
    fs::write(tmp.path().join("a.c"), "int f(int x) { return x + 1; }\n").unwrap();
    let mut command = palisade();
    command.args(["verify", "--all", "--cache", "none", "--check", "overflow", "--json", "r.json", "a.c"]);
    let child = command.env("PATH", &path).current_dir(tmp.path()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let result = child.wait_with_output().unwrap();
    assert_eq!(last_line(&result), "RESULT: UNKNOWN(interrupted)");
    let said = String::from_utf8_lossy(&result.stdout);
    assert!(said.contains("while reading the whole text"), "{said}");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(tmp.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(report["evidence"]["phase"], "reading the whole text");
}

/// `palisade verify -- -x.c`: the compiler would take that name for an option.
#[test]
fn a_file_may_have_the_name_of_an_option() {
    let tmp = tempfile::tempdir().unwrap();
    fs::write(tmp.path().join("-x.c"), "int main(void) { return 0; }\n").unwrap();
    let mut command = palisade();
    command.args(["verify", "--", "-x.c"]).current_dir(tmp.path());
    assert_eq!(last_line(&output(command)), "RESULT: TRUE");
}

/// Of the states of a counterexample only some values matter (Birgmeier 2013, section 3.2).
#[test]
fn a_counterexample_says_what_matters() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n\
                int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(), k = 7;\n\
                while (m < n) { m = m + 1; k = __VERIFIER_nondet_int(); }\n\
                if (m == n) reach_error();\nreturn k; }\n";
    fs::write(tmp.path().join("a.c"), text).unwrap();
    let mut command = palisade();
    command.args(["verify", "--engine", "ic3-cegar", "--int", "math", "--json", "a.json", "a.c"]);
    let result = output({
        command.current_dir(tmp.path());
        command
    });
    let said = String::from_utf8_lossy(&result.stdout).into_owned();
    assert!(said.contains("what matters on the way:\n"), "{said}");
    let report = fs::read_to_string(tmp.path().join("a.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let lifted = report["evidence"]["run"]["lifted"].as_array().unwrap();
    let names = |state: &serde_json::Value| {
        let values = state["values"].as_array().unwrap().iter();
        values.map(|v| v["variable"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert!(lifted.iter().any(|s| names(s) == ["m", "n"]), "{lifted:?}");
    assert!(lifted.iter().all(|s| !names(s).contains(&"k".to_string())), "{lifted:?}");
}

/// The property of a task is found above the folder in which `bench` is started.
#[test]
fn bench_started_inside_a_suite_asks_its_property() {
    let tmp = tempfile::tempdir().unwrap();
    let folder = tmp.path().join("suite/family");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(tmp.path().join("properties")).unwrap();
    let property = "CHECK( init(main()), LTL(G valid-free) )\n\
                    CHECK( init(main()), LTL(G valid-deref) )\n\
                    CHECK( init(main()), LTL(G valid-memtrack) )\n";
    fs::write(tmp.path().join("properties/valid-memsafety.prp"), property).unwrap();
    fs::write(folder.join("a.c"), "int main(void) { int *p = 0; return *p; }\n").unwrap();
    let table = "file,verdict,property,source\na.c,false,valid-memsafety (valid-deref),ours\n";
    fs::write(folder.join("tasks.csv"), table).unwrap();
    let mut command = palisade();
    command.args(["bench", "family", "--csv", "rows.csv", "--engines", "auto"]);
    command.current_dir(tmp.path().join("suite"));
    assert_eq!(output(command).status.code(), Some(0));
    let rows = fs::read_to_string(tmp.path().join("suite/rows.csv")).unwrap();
    assert!(rows.contains(",false,valid-deref,yes,"), "{rows}");
}

#[test]
fn the_version_says_what_the_binary_is_made_of() {
    let mut command = palisade();
    command.arg("--version");
    let said = String::from_utf8(output(command).stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], concat!("palisade ", env!("CARGO_PKG_VERSION")));
    let commit = lines.iter().find_map(|l| l.strip_prefix("commit: ")).unwrap();
    assert!(commit == "unknown" || commit.chars().all(|c| c.is_ascii_hexdigit()), "{said}");
    assert!(said.contains("target: ") && said.contains("inputs: C, HORN"), "{said}");
    assert!(said.contains("\nfeatures: none\n") || said.contains("\nfeatures: mimalloc\n"), "{said}");
}

#[test]
fn shells_and_man_understand_what_is_made_for_them() {
    let tmp = tempfile::tempdir().unwrap();
    for (shell, check) in [("bash", &["bash", "-n"][..]), ("zsh", &["zsh", "-n"]), ("fish", &["fish", "-n"])]
    {
        let mut command = palisade();
        command.args(["completion", shell]);
        let script = output(command).stdout;
        assert!(String::from_utf8_lossy(&script).contains("witness-version"), "{shell}");
        let file = tmp.path().join(shell);
        fs::write(&file, script).unwrap();
        match Command::new(check[0]).args(&check[1..]).arg(&file).output() {
            Ok(judged) => assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stderr)),
            Err(_) => eprintln!("skipped: there is no {shell} here"),
        }
    }
    let mut command = palisade();
    command.args(["man", "--folder"]).arg(tmp.path());
    assert_eq!(output(command).status.code(), Some(0));
    let page = fs::read_to_string(tmp.path().join("palisade-verify.1")).unwrap();
    assert!(page.starts_with(".ie") || page.starts_with(".TH"), "{page}");
    assert!(page.contains("certificate"), "{page}");
}

#[test]
fn the_demonstration_shows_all_three_answers() {
    let mut command = palisade();
    command.arg("demo");
    let result = output(command);
    let said = String::from_utf8(result.stdout).unwrap();
    assert_eq!(result.status.code(), Some(0), "{said}");
    let answers: Vec<&str> = said.lines().filter(|l| l.starts_with("RESULT: ")).collect();
    assert_eq!(answers.len(), 3, "{said}");
    assert_eq!(answers[..2], ["RESULT: TRUE", "RESULT: FALSE(assert)"]);
    assert!(answers[2].starts_with("RESULT: UNKNOWN("), "{said}");
    // What the explanations point at is there.
    let seen = ["x == y", "with __VERIFIER_nondet_int", "=> i = 1", "no run of up to"];
    // Also at its place, wherever the demonstration is started.
    for text in seen.into_iter().chain(["off_by_one.c:11:9: assert(i < length)"]) {
        assert!(said.contains(text), "{text}: {said}");
    }
}

/// A solver that never answers uses no CPU time: only the interruption ends it. The run must end all the
/// same, and leave no process behind.
#[test]
fn a_silent_solver_does_not_survive_the_interruption() {
    let tmp = tempfile::tempdir().unwrap();
    let mut command = palisade();
    command.args(["verify", "--engine", "bmc", "--solver", "sleep 4242"]).arg(endless(tmp.path()));
    let child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let result = child.wait_with_output().unwrap();
    assert_eq!(result.status.code(), Some(20));
    assert_eq!(last_line(&result), "RESULT: UNKNOWN(interrupted)");
}

/// Many runs reach this error. The seed chooses among them, and nothing else does.
#[test]
fn the_seed_decides_and_nothing_else() {
    let tmp = tempfile::tempdir().unwrap();
    let file = tmp.path().join("choices.smt2");
    let names: Vec<String> = (0..12).map(|i| format!("b{i}")).collect();
    let bound: String = names.iter().map(|b| format!("({b} Bool)")).collect();
    let text = format!(
        "(set-logic HORN)\n(declare-fun p ({}) Bool)\n(assert (forall ({bound}) (p {})))\n\
         (assert (forall ({bound}) (=> (and (p {}) (or {})) false)))\n(check-sat)\n",
        "Bool ".repeat(12),
        names.join(" "),
        names.join(" "),
        names.join(" "),
    );
    fs::write(&file, text).unwrap();
    let run = |seed: usize| {
        let mut command = palisade();
        command
            .args(["verify", "--engine", "bmc", "--set", "bmc.backend=smt", "--set", "transform=none"])
            .args(["--seed", &seed.to_string()])
            .arg(&file);
        let result = output(command);
        assert_eq!(result.status.code(), Some(10), "{seed}: {}", String::from_utf8_lossy(&result.stderr));
        result.stdout
    };
    let runs: Vec<Vec<u8>> = (0..6).map(run).collect();
    assert!(runs.iter().any(|r| *r != runs[0]), "six seeds, one run: {}", String::from_utf8_lossy(&runs[0]));
    for (seed, first) in runs.iter().enumerate() {
        assert!(run(seed) == *first, "two runs with seed {seed} differ");
    }
}

#[test]
fn the_time_limit_is_cpu_time_and_is_kept() {
    let tmp = tempfile::tempdir().unwrap();
    let json = tmp.path().join("report.json");
    let mut command = palisade();
    command
        .args(["verify", "--engine", "bmc", "--timeout", "1", "--json"])
        .arg(&json)
        .arg(endless(tmp.path()));
    let result = output(command);
    assert_eq!(result.status.code(), Some(20));
    assert_eq!(last_line(&result), "RESULT: UNKNOWN(timeout)");
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let cpu = report["cpu_seconds"].as_f64().unwrap();
    assert!((0.9..4.0).contains(&cpu), "{cpu}");
}

#[test]
fn the_memory_limit_is_kept() {
    let tmp = tempfile::tempdir().unwrap();
    let mut command = palisade();
    command.args(["verify", "--engine", "bmc", "--memory", "40"]).arg(endless(tmp.path()));
    let result = output(command);
    assert_eq!(last_line(&result), "RESULT: UNKNOWN(memory)");
    assert_eq!(result.status.code(), Some(20));
}

/// A full disk costs a message, never the verdict.
#[test]
fn a_full_disk_does_not_cost_the_verdict() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full here");
        return;
    }
    let example = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/leak.smt2");
    for option in ["--json", "--certificate", "--trace"] {
        let mut command = palisade();
        command.args(["verify", "--engine", "bmc", option, "/dev/full"]).arg(&example);
        let result = output(command);
        assert_eq!(last_line(&result), "RESULT: FALSE(query)", "{option}");
        assert_eq!(result.status.code(), Some(10), "{option}");
        let stderr = String::from_utf8_lossy(&result.stderr).to_string();
        assert!(stderr.contains("/dev/full"), "{option}: {stderr}");
    }
    // Standard output itself: the exit code and stderr still tell.
    let mut command = palisade();
    command.args(["verify", "--engine", "bmc"]).arg(&example);
    command.stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let result = command.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(result.status.code(), Some(10));
    assert!(String::from_utf8_lossy(&result.stderr).contains("RESULT: FALSE(query)"));
}

/// A solver that lies makes the engine claim what is not so. The checker notices: that is an internal error,
/// never a verdict.
#[test]
fn a_lying_solver_does_not_get_a_verdict() {
    let tmp = tempfile::tempdir().unwrap();
    let liar = tmp.path().join("liar.sh");
    let script = r#"while read -r line; do
case "$line" in
  *check-sat*) echo unsat;;
  *get-unsat-assumptions*) echo "()";;
  *exit*) exit 0;;
  *) echo success;;
esac
done
"#;
    fs::write(&liar, script).unwrap();
    let example = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/leak.smt2");
    let mut command = palisade();
    command.args(["verify", "--engine", "kind", "--set", "transform=none", "--solver"]);
    command.arg(format!("sh {}", liar.display())).arg(&example);
    let result = output(command);
    let stderr = String::from_utf8_lossy(&result.stderr).to_string();
    assert_eq!(result.status.code(), Some(70), "{}{stderr}", String::from_utf8_lossy(&result.stdout));
    assert!(stderr.contains("internal error: the certificate is wrong"), "{stderr}");
    assert_eq!(last_line(&result), "");
}

/// The scripts of a recorded run answer as the run did, by themselves and with another solver.
#[test]
fn recorded_queries_can_be_replayed() {
    let tmp = tempfile::tempdir().unwrap();
    let example = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/counter.smt2");
    let stem = tmp.path().join("queries");
    let mut command = palisade();
    command.args(["verify", "--engine", "ic3-cfa", "--record"]).arg(&stem).arg(&example);
    assert_eq!(last_line(&output(command)), "RESULT: TRUE");
    let (mut scripts, mut queries) = (0, 0);
    loop {
        let script = tmp.path().join(format!("queries.{scripts}.smt2"));
        let Ok(text) = fs::read_to_string(&script) else { break };
        scripts += 1;
        let expected: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("(set-info :status ")).collect();
        let expected: Vec<&str> = expected.iter().map(|l| l.trim_end_matches(')')).collect();
        queries += expected.len();
        let mut command = palisade();
        command.arg("smt").arg(&script);
        let result = output(command);
        assert_eq!(result.status.code(), Some(0), "{}", String::from_utf8_lossy(&result.stderr));
        assert_eq!(String::from_utf8_lossy(&result.stdout).lines().collect::<Vec<_>>(), expected);
        match Command::new("z3").arg(&script).output() {
            Ok(z3) => assert_eq!(String::from_utf8_lossy(&z3.stdout).lines().collect::<Vec<_>>(), expected),
            Err(e) => eprintln!("z3 is absent, its replay is not compared: {e}"),
        }
    }
    assert!(scripts > 0 && queries > 5, "{scripts} scripts with {queries} queries");
}

/// What a report counts does not depend on whether a trace is written.
#[test]
fn a_trace_changes_no_counter() {
    let tmp = tempfile::tempdir().unwrap();
    let json = tmp.path().join("report.json");
    for engine in ["tree-ic3", "tree-ic3-itp", "impact", "predabs"] {
        let count = |traced: bool| {
            let mut command = palisade();
            command
                .args(["verify", "--engine", engine, "--set", "art.background=false", "--json"])
                .arg(&json);
            if traced {
                command.arg("--trace").arg(tmp.path().join("trace.jsonl"));
            }
            command.arg(endless(tmp.path()));
            assert_eq!(output(command).status.code(), Some(0));
            let text = fs::read_to_string(&json).unwrap();
            let report: serde_json::Value = serde_json::from_str(&text).unwrap();
            ["lemmas", "queries"].map(|name| report[name].as_u64().unwrap())
        };
        let [lemmas, queries] = count(false);
        assert!(lemmas > 0 && queries > 0, "{engine}: {lemmas} lemmas, {queries} queries");
        assert_eq!(count(true), [lemmas, queries], "{engine}");
    }
}
