//! A run that reaches the error becomes a C file that makes the compiled program reach it.

mod common;

use std::process::Command;

use common::execute::execute_run;
use palisade_front_c::{COptions, DataModel, ERROR_EXIT, Input, IntMode, translate};
use palisade_term::TermPool;

const PROGRAM: &str = "extern void __VERIFIER_error(void); extern void __VERIFIER_assume(int);\n\
    extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void); \
    extern _Bool __VERIFIER_nondet_bool(void);\n\
    int main(void) {\n\
      int x = __VERIFIER_nondet_int(), unused = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n\
      __VERIFIER_assume(x < 0);\n\
      int n = 0; while (__VERIFIER_nondet_bool()) n++;\n\
      if (x == -7 && y == 12 && n == 3 && __VERIFIER_nondet_uchar() == 200) __VERIFIER_error();\n\
      return 0; }\n";

#[test]
fn a_harness_repeats_the_run() {
    let dir = std::env::temp_dir().join(format!("palisade-harness-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    for int_mode in [IntMode::C, IntMode::Bv] {
        let pool = TermPool::new();
        let options = COptions { int_mode, data_model: DataModel::Lp64, ..COptions::default() };
        let c = translate(&pool, &[Input::Text("p.c".into(), PROGRAM.into())], &options).expect("translated");
        let run = execute_run(&pool, &c, |f, k| match (f, k) {
            ("__VERIFIER_nondet_int", 0) => -7,
            ("__VERIFIER_nondet_int", 1) => 99,
            ("__VERIFIER_nondet_int", 2) => 12,
            ("__VERIFIER_nondet_bool", k) => i128::from(k < 3),
            _ => 200,
        });
        let replay = palisade_program::interpret(&pool, &c.program, &run).expect("the run executes");
        assert_eq!(replay.states.last().map(|s| s.0), Some(c.program.error), "the run reaches the error");
        assert_eq!(c.calls.returned(&run).len(), 8);

        let (program, harness, binary) = (dir.join("p.c"), dir.join("h.c"), dir.join("p"));
        std::fs::write(&program, PROGRAM).expect("writing");
        std::fs::write(&harness, c.calls.harness(&run)).expect("writing");
        let status = Command::new("gcc")
            .args(["-w", "-o"])
            .args([&binary, &program, &harness])
            .status()
            .expect("gcc runs");
        assert!(status.success(), "the harness does not compile:\n{}", c.calls.harness(&run));
        let out = Command::new(&binary).output().expect("the program runs");
        assert_eq!(out.status.code(), Some(ERROR_EXIT), "the compiled program reaches the error too");
    }
    let _ = std::fs::remove_dir_all(&dir);
}
