//! Random programs that compute with `float` and `double`: each is compiled with gcc and compared with its
//! translation, value by value (`--cross-check`).
//!
//! `PALISADE_TEST_SCALE=50 PALISADE_TEST_SEED=100 cargo test -p palisade-front-c --test floats` runs 50 times
//! as many others.

use palisade_front_c::{COptions, CrossCheck, DataModel, Input, IntMode, cross_check};
use palisade_fuzzing::{Random, seeds};

const FLOATS: [&str; 6] = ["f0", "f1", "f2", "d0", "d1", "d2"];
const INTEGERS: [&str; 3] = ["i0", "i1", "u0"];
const LITERALS: [&str; 14] = [
    "0.0",
    "1.0",
    "-1.5",
    "0.1",
    "0.1f",
    "2.0f",
    "1e10",
    "1e-10",
    "0.5f",
    "1e300",
    "1e-40f",
    "16777217.0f",
    "7",
    "-3",
];
const FUNCTIONS: [&str; 10] =
    ["fabs", "floor", "ceil", "trunc", "rint", "round", "sqrt", "fabsf", "rintf", "sqrtf"];

const HEAD: &str =
    "double fabs(double), floor(double), ceil(double), trunc(double), rint(double), round(double);
double sqrt(double); float fabsf(float), rintf(float), sqrtf(float);
extern double __VERIFIER_nondet_double(void); extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);
static int clamp(double x) { return x > -1000.0 && x < 1000.0 ? (int)x : 0; }
struct s { float f; double d; int i; } g; double arr[3];
int main(void) {
  float f0 = __VERIFIER_nondet_float(), f1 = __VERIFIER_nondet_float(), f2 = __VERIFIER_nondet_float();
  double d0 = __VERIFIER_nondet_double(), d1 = __VERIFIER_nondet_double(), d2 = __VERIFIER_nondet_double();
  int i0 = __VERIFIER_nondet_int(), i1 = __VERIFIER_nondet_int(); unsigned u0 = __VERIFIER_nondet_int();
";

/// Writes random programs.
struct Author {
    random: Random,
}

impl Author {
    fn number(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(5) {
            return match self.random.below(10) {
                0..=5 => self.random.pick(&FLOATS).into(),
                6 => self.random.pick(&INTEGERS).into(),
                _ => self.random.pick(&LITERALS).into(),
            };
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.random.below(14) {
            0..=2 => format!("({a} + {b})"),
            3 | 4 => format!("({a} - {b})"),
            5 | 6 => format!("({a} * {b})"),
            7 | 8 => format!("((double){a} / {b})"),
            9 => format!("(- {a})"),
            10 => format!("((float){a})"),
            11 => format!("({} ? {a} : {b})", self.condition(depth - 1)),
            12 => format!("{}({a})", self.random.pick(&FUNCTIONS)),
            _ => format!("((float){})", self.integer(depth - 1)),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        let (a, b) = (self.number(depth.saturating_sub(1)), self.number(depth.saturating_sub(1)));
        match self.random.below(9) {
            0..=5 => format!("({a} {} {b})", self.random.pick(&["<", "<=", ">", ">=", "==", "!="])),
            6 => format!("__builtin_isnan((double){a})"),
            7 => format!("(__builtin_isfinite((double){a}) && {b})"),
            _ => format!("!{a}"),
        }
    }

    fn integer(&mut self, depth: u32) -> String {
        match self.random.below(4) {
            0 => self.random.pick(&INTEGERS).into(),
            1 => format!("({} & 255)", self.random.pick(&INTEGERS)),
            2 => self.condition(depth),
            _ => format!("clamp((double){})", self.number(depth.saturating_sub(1))),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let variable = self.random.pick(&FLOATS);
        match self.random.below(10) {
            4 => format!("{variable} {} {};", self.random.pick(&["+=", "-=", "*=", "/="]), self.number(2)),
            5 => format!("{} = {};", self.random.pick(&INTEGERS), self.integer(2)),
            6 => format!("{} = {};", self.random.pick(&["g.f", "g.d", "arr[1]", "arr[2]"]), self.number(2)),
            7 if depth > 0 => {
                let (c, a) = (self.condition(2), self.statement(depth - 1));
                format!("if ({c}) {{ {a} }} else {{ {} }}", self.statement(depth - 1))
            }
            8 if depth > 0 => {
                let rounds = self.random.range(1, 3);
                format!("for (int k = 0; k < {rounds}; k++) {{ {} }}", self.statement(depth - 1))
            }
            9 => format!("{variable}{} {variable} += g.f - arr[1];", self.random.pick(&["++;", "--;"])),
            _ => format!("{variable} = {};", self.number(3)),
        }
    }

    fn program(&mut self) -> String {
        let body: Vec<String> = (0..10).map(|_| self.statement(2)).collect();
        format!("{HEAD}  {}\n  return 0;\n}}\n", body.join("\n  "))
    }
}

#[test]
fn random_programs_compute_what_the_compiled_ones_do() {
    if std::process::Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("no gcc: not tested");
        return;
    }
    let options = COptions { int_mode: IntMode::Bv, data_model: DataModel::Lp64, ..COptions::default() };
    let (mut compared, mut programs) = (0, 0);
    for seed in seeds(0..4) {
        let text = Author { random: Random::new(seed) }.program();
        let input = Input::Text("t.c".into(), text.clone());
        match cross_check(&[input], &options, 6, seed).expect("translated") {
            CrossCheck::Agree { values, .. } => compared += values,
            other => panic!("seed {seed}: {other}\n{text}"),
        }
        programs += 1;
    }
    assert!(compared > 40 * programs, "{compared} values of {programs} programs");
}
