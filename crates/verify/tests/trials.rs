//! Programs that read floating-point numbers: violations that many numbers have are found by trying some.

use std::time::Duration;

use palisade_engines::Options;
use palisade_verify::{
    Budget, COptions, Input, Settings, Silent, TermPool, Verdict, find_engine, load, verify,
};

/// A step of Newton's method for the sine, from two constants and compared with a third one.
fn newton(bound: &str, limit: &str) -> String {
    format!(
        "float __VERIFIER_nondet_float(void); void __VERIFIER_assume(int); void reach_error(void);
        int main(void) {{
          float in = __VERIFIER_nondet_float();
          __VERIFIER_assume(in > -{bound}f && in < {bound}f);
          float x = in - (in - in * in * in / 6.0f) / (1 - in * in / 2.0f);
          if (!(x < {limit}f && x > -{limit}f)) reach_error();
          return 0;
        }}"
    )
}

#[test]
fn numbers_near_the_bounds_violate() {
    for (bound, limit) in [("1.2", "0.1"), ("0.9", "0.2"), ("3.0", "100.0")] {
        let pool = TermPool::new();
        let options = COptions { int_mode: palisade_front_c::IntMode::Bv, ..COptions::default() };
        let program = load(&pool, &[Input::Text("n.c".into(), newton(bound, limit))], &options);
        let program = program.unwrap_or_else(|e| panic!("{e}")).program;
        // Without unwinding, which would ask a solver.
        let mut engine_options = Options::new();
        engine_options.set("unroll-short", "false").expect("an option");
        let settings = Settings {
            engine: find_engine("auto").expect("an engine"),
            options: engine_options,
            ..Settings::default()
        };
        let part = Budget::unlimited().part(Duration::from_secs(60));
        let verdict = verify(&pool, &program, &settings, &part.budget, &mut Silent);
        assert!(matches!(verdict, Ok(Verdict::Unsafe(_))), "{bound}, {limit}");
    }
}
