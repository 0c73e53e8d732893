//! The tables of the shared benchmarks, where they are present: all are readable, and tell how their tasks
//! must be read.

use std::path::PathBuf;

use palisade_bench::suite::{self, Task};
use palisade_bench::taskargs;

fn tasks(below: &str) -> Option<Vec<Task>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks").join(below);
    if !folder.is_dir() {
        eprintln!("SKIPPED: {} is not there", folder.display());
        return None;
    }
    Some(suite::load(&[folder]).unwrap())
}

fn arguments(task: &Task) -> String {
    taskargs::arguments(task, true, &[], &[]).join(" ")
}

#[test]
fn every_table_is_readable_and_its_files_are_there() {
    let Some(tasks) = tasks("") else { return };
    assert!(tasks.len() > 1000, "{}", tasks.len());
    let missing: Vec<String> = tasks.iter().filter(|task| !task.file.is_file()).map(Task::name).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn ctigar_is_about_mathematical_integers() {
    let Some(tasks) = tasks("c/ctigar") else { return };
    assert_eq!(tasks.len(), 110);
    assert!(tasks.iter().all(|task| arguments(task) == "--int math"));
}

#[test]
fn svcomp_tasks_get_the_property_file_of_their_error_function() {
    let Some(tasks) = tasks("c/svcomp") else { return };
    for task in &tasks {
        let arguments = arguments(task);
        let file = if task.property == "no-overflow" { "no-overflow.prp" } else { "unreach-call-2019.prp" };
        assert!(
            arguments.starts_with("--32 --property ") && arguments.ends_with(file),
            "{}: {arguments}",
            task.name()
        );
    }
}

#[test]
fn other_formats_carry_their_property() {
    for below in ["chc", "vmt", "aiger", "btor2"] {
        let Some(tasks) = tasks(below) else { return };
        assert!(tasks.iter().all(|task| arguments(task).is_empty()), "{below}");
    }
}
