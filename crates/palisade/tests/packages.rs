//! What surrounds the binary: packages, the Python module, the module for BenchExec. A test says so where a
//! tool is absent.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BINARY: &str = env!("CARGO_BIN_EXE_palisade");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn told(result: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr))
}

/// Each package is unpacked in a clean folder and tried there.
#[test]
fn packages_work_where_they_are_installed() {
    let tmp = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.arg(root().join("contrib/release")).args(["--binary", BINARY, "--out"]).arg(tmp.path());
    let result = command.args(["archive", "deb"]).output().unwrap();
    let said = told(&result);
    assert!(result.status.success(), "{said}");
    assert!(said.contains("linux-gnu.tar.gz") && said.contains("good"), "{said}");
    if said.contains("left out") {
        eprintln!("skipped: {said}");
    } else {
        assert!(said.contains(".deb"), "{said}");
    }
    // A binary that does not work makes the script fail.
    let broken = tmp.path().join("broken");
    std::fs::copy("/bin/true", &broken).unwrap();
    let mut command = Command::new("sh");
    command.arg(root().join("contrib/release")).arg("--binary").arg(&broken).arg("--out").arg(tmp.path());
    assert!(!command.arg("archive").output().unwrap().status.success());
}

#[test]
fn the_python_module_gives_verdicts() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3 here");
        return;
    }
    let python = root().join("contrib/python");
    let mut command = Command::new("python3");
    command.args(["-m", "unittest", "discover", "-s"]).arg(python.join("tests"));
    command.env("PYTHONPATH", python.join("python")).env("PALISADE", BINARY);
    let result = command.env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
    let said = told(&result);
    assert!(result.status.success() && said.contains("Ran 5 tests") && said.ends_with("OK\n"), "{said}");
}

#[test]
fn the_python_module_is_typed() {
    let tmp = tempfile::tempdir().unwrap();
    let python = root().join("contrib/python");
    let mut command = Command::new("mypy");
    command.args(["--strict", "--cache-dir"]).arg(tmp.path());
    command.arg(python.join("python/palisade")).arg(python.join("tests"));
    let Ok(result) = command.env("MYPYPATH", python.join("python")).output() else {
        eprintln!("skipped: there is no mypy here");
        return;
    };
    assert!(result.status.success(), "{}", told(&result));
}

fn has_benchexec() -> bool {
    let installed = Command::new("python3").args(["-c", "import benchexec"]).output();
    let is_there = installed.is_ok_and(|o| o.status.success());
    if !is_there {
        eprintln!("skipped: there is no BenchExec here");
    }
    is_there
}

/// A safe and an unsafe task give three points.
#[test]
fn the_demo_of_benchexec_has_its_score() {
    if !has_benchexec() {
        return;
    }
    let tmp = tempfile::tempdir().unwrap();
    let mut command = Command::new("python3");
    command.args(["-m", "benchexec.benchexec"]).arg(root().join("contrib/benchexec/demo.xml"));
    command
        .args(["--no-container", "-o", "out/", "--tool-directory"])
        .arg(Path::new(BINARY).parent().unwrap());
    let result = command.current_dir(tmp.path()).env("PYTHONPATH", root()).output().unwrap();
    let said = told(&result);
    if !said.contains("executing run set") && said.contains("cgroup") {
        eprintln!("skipped: BenchExec cannot run here: {said}");
        return;
    }
    assert!(said.contains("Score:                 3 (max: 3)"), "{said}");
    assert!(said.contains("false(unreach-call)") && said.contains("correct true:        1"), "{said}");
}

#[test]
fn benchexec_accepts_its_module() {
    if !has_benchexec() {
        return;
    }
    let folder = Path::new(BINARY).parent().unwrap();
    let mut command = Command::new("python3");
    command.args(["-m", "benchexec.test_tool_info", "contrib.benchexec.palisade", "--no-container"]);
    // An absolute path is warned about.
    command.arg("--tool-directory").arg(folder.file_name().unwrap()).env("PYTHONPATH", root());
    command.current_dir(folder.parent().unwrap());
    let result = command.output().unwrap();
    let said = told(&result);
    assert!(result.status.success(), "{said}");
    assert!(!said.contains("ERROR") && !said.contains("WARNING"), "{said}");
    assert!(said.contains("Palisade") && said.contains(env!("CARGO_PKG_VERSION")), "{said}");
}
