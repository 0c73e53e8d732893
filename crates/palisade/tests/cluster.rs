//! `palisade bench --on hq|slurm`, with schedulers that lose workers: stand-ins for `hq` and `sbatch` that
//! start what they are given, some of it twice and some of it not at all.

#![cfg(unix)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use common::{output, palisade};

/// Runs the command for each line of the list: every third one twice; a line 7 only in a second submission.
const HQ: &str = r#"#!/bin/sh
while [ "$1" != "--" ]; do
    [ "$1" = --each-line ] && list=$2
    shift
done
shift
echo "$@" >> "$STAND_IN/submitted"
while read -r line; do
    if [ "$line" = 7 ] && [ ! -e "$STAND_IN/again" ]; then continue; fi
    HQ_ENTRY=$line "$@" > /dev/null < /dev/null
    [ $((line % 3)) = 0 ] && HQ_ENTRY=$line "$@" > /dev/null < /dev/null
done < "$list"
touch "$STAND_IN/again"
"#;

const SBATCH: &str = r#"#!/bin/sh
while [ "${1#*start.sh}" = "$1" ]; do
    case $1 in
        --array=*) range=${1#--array=} ;;
        --export=ALL,*) export "${1#--export=ALL,}" ;;
    esac
    shift
done
for task in $(seq "${range%-*}" "${range#*-}"); do
    # An array of 5 for 12 jobs: each task has several lines. Task 2 is started twice.
    PALISADE_BENCH_STEP=5
    [ "$task" -ge 5 ] && continue
    [ "$task" = 2 ] && SLURM_ARRAY_TASK_ID=$task sh "$@" > /dev/null < /dev/null
    SLURM_ARRAY_TASK_ID=$task sh "$@" > /dev/null < /dev/null
done
"#;

fn stand_in(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn submitted(dir: &Path, scheduler: &str) -> Command {
    let mut command = palisade();
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
    command.current_dir(dir).env("PATH", path).env("STAND_IN", dir);
    command.args(["bench", "suite", "--timeout", "20", "--csv", "rows.csv"]);
    command.args(["--on", scheduler, "--submit", "--name palisade"]);
    command
}

fn bench(dir: &Path, scheduler: &str) -> Output {
    let mut command = submitted(dir, scheduler);
    command.args(["--engines", "bmc,kind"]);
    output(command)
}

#[test]
fn every_job_gives_one_row_though_the_scheduler_loses_and_doubles_some() {
    for scheduler in ["hq", "slurm"] {
        let tmp = tempfile::tempdir().unwrap();
        stand_in(tmp.path(), "hq", HQ);
        stand_in(tmp.path(), "sbatch", SBATCH);
        let suite = tmp.path().join("suite");
        fs::create_dir(&suite).unwrap();
        let mut table = "file,verdict,property,source\n".to_string();
        for i in 0..6 {
            let clauses = format!(
                "(set-logic HORN)\n(declare-fun p (Int) Bool)\n(assert (p {i}))\n\
                 (assert (forall ((x Int)) (=> (and (p x) (> x {i})) false)))\n(check-sat)\n"
            );
            fs::write(suite.join(format!("t{i}.smt2")), clauses).unwrap();
            table.push_str(&format!("t{i}.smt2,true,horn,test\n"));
        }
        fs::write(suite.join("tasks.csv"), table).unwrap();
        let first = bench(tmp.path(), scheduler);
        let told = String::from_utf8_lossy(&first.stderr).to_string();
        if scheduler == "hq" {
            assert!(!first.status.success() && told.contains("1 jobs have no row"), "{told}");
            // The second run submits what is missing, and nothing else.
            let second = bench(tmp.path(), scheduler);
            assert!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
            let list = fs::read_to_string(tmp.path().join("rows.csv.rows/list")).unwrap();
            assert_eq!(list, "7\n");
        } else {
            assert!(first.status.success(), "{told}");
        }
        let csv = fs::read_to_string(tmp.path().join("rows.csv")).unwrap();
        let rows: Vec<&str> = csv.lines().filter(|l| l.contains(".smt2")).collect();
        let distinct: BTreeSet<&str> = rows.iter().copied().collect();
        assert_eq!((rows.len(), distinct.len()), (12, 12), "{csv}");
    }
}

/// Who stops a task may stop the run before the process that waits for it: that gives no row.
#[test]
fn a_run_that_was_stopped_from_outside_gives_no_row() {
    let tmp = tempfile::tempdir().unwrap();
    // Each task once.
    stand_in(tmp.path(), "hq", &HQ.replace("[ $((line % 3)) = 0 ]", "false"));
    // The first time of each task the run is stopped.
    let palisade = format!(
        "#!/bin/sh\nfor last; do :; done\n\
         if [ ! -e \"$last.seen\" ]; then touch \"$last.seen\"; kill -TERM $$; fi\nexec {} \"$@\"\n",
        env!("CARGO_BIN_EXE_palisade")
    );
    stand_in(tmp.path(), "stopped", &palisade);
    let suite = tmp.path().join("suite");
    fs::create_dir(&suite).unwrap();
    let clauses = "(set-logic HORN)\n(declare-fun p (Int) Bool)\n(assert (p 0))\n(check-sat)\n";
    fs::write(suite.join("t.smt2"), clauses).unwrap();
    fs::write(suite.join("tasks.csv"), "file,verdict,property,source\nt.smt2,true,horn,test\n").unwrap();
    let run = || {
        let mut command = submitted(tmp.path(), "hq");
        command.args(["--engines", "ic3-cfa", "--exe", "./stopped", "--no-recheck"]);
        output(command)
    };
    let first = run();
    assert!(String::from_utf8_lossy(&first.stderr).contains("1 jobs have no row"), "{first:?}");
    let second = run();
    assert!(second.status.success(), "{second:?}");
    let csv = fs::read_to_string(tmp.path().join("rows.csv")).unwrap();
    assert!(csv.contains("t.smt2,true,ic3-cfa,true"), "{csv}");
}
