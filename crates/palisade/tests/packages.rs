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

/// A program with one violated claim of three.
const QUEUE: &str = "#include <assert.h>
unsigned length(unsigned head, unsigned tail) { assert(head == head); return tail - head; }
int scale(int x) { return x * 3; }
int half(int x) { return x > 0 ? x - 1 : 0; }
";

/// Runs a step of a pipeline in a folder, as the service does.
fn step(folder: &Path, script: &str, variables: &[(&str, &str)]) -> Output {
    let path =
        format!("{}:{}", Path::new(BINARY).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(folder);
    command.env("PATH", path).envs(variables.iter().copied()).output().unwrap()
}

/// The step of the action for GitHub fails for a violated claim, and hands the result on.
#[test]
fn the_action_for_github_verifies() {
    let action = std::fs::read_to_string(root().join("contrib/github/action.yml")).unwrap();
    let (_, block) = action.split_once("      run: |\n").unwrap();
    let script: String =
        block.lines().map(|l| format!("{}\n", l.strip_prefix("        ").unwrap_or(l))).collect();
    let tmp = tempfile::tempdir().unwrap();
    std::fs::write(tmp.path().join("queue.c"), QUEUE).unwrap();
    let verify = |options: &str, files: &str| {
        let variables =
            [("FILES", files), ("OPTIONS", options), ("SARIF", "a.sarif"), ("GITHUB_OUTPUT", "output")];
        let result = step(tmp.path(), &script, &variables);
        let said = std::fs::read_to_string(tmp.path().join("output")).unwrap();
        std::fs::remove_file(tmp.path().join("output")).unwrap();
        (result.status.code(), said, told(&result))
    };
    let (code, output, said) = verify("--64 --check assert,overflow", "queue.c");
    assert_eq!((code, output.as_str()), (Some(10), "result=FALSE(overflow)\n"), "{said}");
    assert!(tmp.path().join("a.sarif").exists() && tmp.path().join(".palisade-cache").exists());
    let (code, output, said) = verify("--64", "queue.c");
    assert_eq!((code, output.as_str()), (Some(0), "result=TRUE\n"), "{said}");
    // A claim that is not decided is a warning.
    let (code, _, said) = verify("--engine bmc --set bmc.bound=2", "loop.c");
    assert_eq!(code, Some(3), "{said}");
    let endless =
        "#include <assert.h>\nint main(void) { for (int i = 0; ; i = (i + 2) % 10) assert(i != 5); }\n";
    std::fs::write(tmp.path().join("loop.c"), endless).unwrap();
    let (code, _, said) = verify("--engine bmc --set bmc.bound=2", "loop.c");
    assert!(code == Some(0) && said.contains("::warning::UNKNOWN"), "{code:?} {said}");
    // What to verify may be in the project.
    std::fs::write(tmp.path().join("palisade.toml"), "[verify]\ninputs = [\"queue.c\"]\n").unwrap();
    let (code, output, said) = verify("", "");
    assert_eq!((code, output.as_str()), (Some(0), "result=TRUE\n"), "{said}");
}

/// The job of the template for GitLab has the exit code of the command, and leaves the reports.
#[test]
fn the_template_for_gitlab_verifies() {
    let template = std::fs::read_to_string(root().join("contrib/gitlab/palisade.yml")).unwrap();
    let (_, rest) = template.split_once("  script:\n    - ").unwrap();
    let (script, rest) = rest.split_once("\n  allow_failure:").unwrap();
    assert!(rest.starts_with("\n    exit_codes: 20\n"));
    let tmp = tempfile::tempdir().unwrap();
    std::fs::write(tmp.path().join("queue.c"), QUEUE).unwrap();
    let script = script.replace("\n     ", "");
    for (options, code) in [("--64 --check assert,overflow", 10), ("--64", 0)] {
        let variables = [("PALISADE_INPUTS", "queue.c"), ("PALISADE_OPTIONS", options)];
        let result = step(tmp.path(), &script, &variables);
        assert_eq!(result.status.code(), Some(code), "{}", told(&result));
        assert!(tmp.path().join("palisade.sarif").exists() && tmp.path().join("palisade.json").exists());
    }
}

/// The action, the template, and the uses of both that their heads show.
#[test]
fn pipelines_follow_their_schemas() {
    let tmp = tempfile::tempdir().unwrap();
    let shown = |file: &str| -> String {
        let text = std::fs::read_to_string(root().join("contrib").join(file)).unwrap();
        text.lines().filter_map(|l| l.strip_prefix("#   ")).map(|l| format!("{l}\n")).collect()
    };
    let indented: String = shown("github/action.yml").lines().map(|l| format!("    {l}\n")).collect();
    let workflow = format!("on: [push]\njobs:\n  verify:\n    runs-on: ubuntu-latest\n{indented}");
    assert!(workflow.contains("      - uses: actions/checkout"), "{workflow}");
    let (used, included) = (tmp.path().join("workflow.yml"), tmp.path().join("pipeline.yml"));
    std::fs::write(&used, workflow).unwrap();
    std::fs::write(&included, shown("gitlab/palisade.yml")).unwrap();
    for (schema, file) in [
        ("vendor.github-actions", root().join("contrib/github/action.yml")),
        ("vendor.github-workflows", used),
        ("vendor.gitlab-ci", root().join("contrib/gitlab/palisade.yml")),
        ("vendor.gitlab-ci", included),
    ] {
        let mut command = Command::new("check-jsonschema");
        let Ok(result) = command.args(["--builtin-schema", schema]).arg(&file).output() else {
            eprintln!("skipped: there is no check-jsonschema here");
            return;
        };
        assert!(result.status.success(), "{}: {}", file.display(), told(&result));
    }
}
