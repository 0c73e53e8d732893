//! Scripts over floating-point numbers: what the standard says of them, and random ones against z3.
//!
//! `PALISADE_TEST_SCALE=500 cargo test --release -p palisade-smt --test floats` asks 100,000 queries.

use std::ops::ControlFlow;

use palisade_fuzzing::{Random, scale, seed_shift, z3};
use palisade_smt::script;
use palisade_smt::{Limits, script::Reply};
use palisade_term::TermPool;

/// What a script answers, line by line.
fn answers(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut reply = |r: Reply<'_>| {
        out.push(r.to_string());
        ControlFlow::Continue(())
    };
    script::run(&TermPool::new(), text, &Limits::default(), &mut reply).expect("S-expressions");
    out
}

/// The formula has a model, or has none.
#[track_caller]
fn asked(formula: &str, expected: &str) {
    let declarations = "(declare-fun x () Float32)(declare-fun y () (_ FloatingPoint 8 24))\
        (declare-fun m () RoundingMode)(declare-fun w () (_ BitVec 32))";
    let said = answers(&format!("{declarations}(assert {formula})(check-sat)"));
    assert_eq!(said, [expected], "{formula}");
}

#[test]
fn the_theory_is_as_the_standard_says() {
    // One NaN, two zeros; `=` is identity, `fp.eq` is the comparison of numbers.
    asked("(not (= x x))", "unsat");
    asked("(not (fp.eq x x))", "sat");
    asked("(and (fp.isNaN x) (fp.isNaN y) (not (= x y)))", "unsat");
    asked("(= (_ +zero 8 24) (_ -zero 8 24))", "unsat");
    asked("(not (fp.eq (_ +zero 8 24) (_ -zero 8 24)))", "unsat");
    asked("(distinct x y (_ NaN 8 24))", "sat");
    asked("(and (fp.isNaN x) (or (fp.isNegative x) (fp.isPositive x)))", "unsat");
    // Constants.
    asked("(not (= ((_ to_fp 8 24) RNE 0.1) (fp #b0 #x7b #b10011001100110011001101)))", "unsat");
    asked("(not (= ((_ to_fp 8 24) RTZ (/ 1 10)) (fp #b0 #x7b #b10011001100110011001100)))", "unsat");
    asked("(not (= ((_ to_fp 8 24) RTP (- 0.1)) (fp #b1 #x7b #b10011001100110011001100)))", "unsat");
    asked("(not (= ((_ to_fp 8 24) #x3f800000) ((_ to_fp 8 24) RNA 1)))", "unsat");
    asked("(= ((_ to_fp_unsigned 8 24) RNE #xff) ((_ to_fp 8 24) RNE #xff))", "unsat");
    // A rounding mode that is a variable.
    asked("(not (= (fp.add m x y) (fp.add m y x)))", "unsat");
    asked("(distinct m RNE RNA RTP RTN RTZ)", "unsat");
    asked("(and (= x ((_ to_fp 8 24) m 0.1)) (= x ((_ to_fp 8 24) RTN 0.1)) (= m RTP))", "unsat");
    // What is open.
    asked("(not (= ((_ fp.to_ubv 8) RNE (_ NaN 8 24)) #x07))", "sat");
    asked("(and (= x y) (not (= ((_ fp.to_sbv 8) m x) ((_ fp.to_sbv 8) m y))))", "unsat");
    asked("(= (fp.min (_ +zero 8 24) (_ -zero 8 24)) (_ +zero 8 24))", "sat");
    asked("(not (fp.isZero (fp.max (_ -zero 8 24) (_ +zero 8 24))))", "unsat");
    // Definitions, `let`, `ite`, chains.
    asked("(let ((z (fp.neg x))) (and (fp.lt z x y) (fp.isNegative y)))", "unsat");
    asked("(= (ite (fp.isNaN x) y x) (_ NaN 8 24))", "sat");
}

#[test]
fn values_are_written_as_numbers() {
    let said = answers(
        "(declare-fun x () Float32)(declare-fun m () RoundingMode)
         (define-fun twice ((a Float32)) Float32 (fp.add RNE a a))
         (assert (= (twice x) ((_ to_fp 8 24) RNE 3.0)))(assert (distinct m RNE RNA RTP RTN))
         (check-sat)(get-value (x m (twice x) (fp.isNaN x) (_ -oo 5 11)))(get-model)",
    );
    let three = "(fp #b0 #b10000000 #b10000000000000000000000)";
    let half = "(fp #b0 #b01111111 #b10000000000000000000000)";
    let values =
        format!("((x {half}) (m RTZ) ((twice x) {three}) ((fp.isNaN x) false) ((_ -oo 5 11) (_ -oo 5 11)))");
    assert_eq!(said[..2], ["sat".to_string(), values]);
    assert!(said[2].contains(&format!("(define-fun x () (_ FloatingPoint 8 24) {half})")), "{}", said[2]);
    assert!(said[2].contains("(define-fun m () RoundingMode RTZ)"), "{}", said[2]);
}

#[test]
fn what_is_not_understood_is_refused() {
    let declared = "(declare-fun x () Float32)(declare-fun d () Float64)(declare-fun w () (_ BitVec 32))\
        (declare-fun r () Real)";
    for (formula, part) in [
        ("(= x w)", "was expected here"),
        ("(= x d)", "was expected here"),
        ("(bvult x w)", "is not for terms of sort"),
        ("(fp.lt w w)", "floating-point number was expected"),
        ("(fp.isNaN (fp.add x x))", "takes 3 arguments"),
        ("(fp.isNaN (fp.rem x x))", "fp.rem"),
        ("(fp.isNaN ((_ to_fp 8 24) RNE r))", "no constant"),
        ("(fp.isNaN ((_ to_fp 8 24) RNE true))", "cannot become"),
        ("(fp.isNaN (_ NaN 15 113))", "at most 64 bits"),
    ] {
        let said = answers(&format!("{declared}(assert {formula})(check-sat)"));
        assert!(said[0].starts_with("(error") && said[0].contains(part), "{formula}: {said:?}");
        assert_eq!(said[1], "unknown", "{formula}");
    }
    let said = answers("(declare-fun a () (Array Int Float32))");
    assert!(said[0].contains("arrays of floating-point numbers"), "{said:?}");
}

/// Random formulas.
struct Generator {
    random: Random,
    /// Exponent and significand.
    formats: [(u32, u32); 2],
}

impl Generator {
    fn mode(&mut self) -> String {
        self.random.pick(&["RNE", "RNA", "RTP", "RTN", "RTZ", "m"]).into()
    }

    fn float(&mut self, k: usize, depth: usize) -> String {
        let (e, s) = self.formats[k];
        let variable = format!("{}{k}", self.random.pick(&["x", "y"]));
        if depth == 0 || self.random.one_in(5) {
            return match self.random.below(6) {
                0 => format!(
                    "((_ to_fp {e} {s}) {} {})",
                    self.mode(),
                    self.random.pick(&["1.0", "0.3", "(- 7.5)"])
                ),
                1 => format!("(_ {} {e} {s})", self.random.pick(&["NaN", "+oo", "-oo", "+zero", "-zero"])),
                _ => variable,
            };
        }
        let one = |me: &mut Generator| me.float(k, depth - 1);
        match self.random.below(14) {
            0 => format!("(fp.abs {})", one(self)),
            1 => format!("(fp.neg {})", one(self)),
            op @ 2..=5 => {
                let name = ["add", "sub", "mul", "div"][op - 2];
                format!("(fp.{name} {} {} {})", self.mode(), one(self), one(self))
            }
            6 => format!("(fp.sqrt {} {})", self.mode(), one(self)),
            7 => format!("(fp.roundToIntegral {} {})", self.mode(), one(self)),
            8 => format!("({} {} {})", self.random.pick(&["fp.min", "fp.max"]), one(self), one(self)),
            9 => format!("(ite {} {} {})", self.formula(depth - 1), one(self), one(self)),
            10 => format!("((_ to_fp {e} {s}) {} {})", self.mode(), self.float(1 - k, depth - 1)),
            11 => format!("((_ to_fp {e} {s}) {} {})", self.mode(), self.word(depth - 1)),
            12 => format!("((_ to_fp_unsigned {e} {s}) {} {})", self.mode(), self.word(depth - 1)),
            _ => variable,
        }
    }

    fn word(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(2) {
            return "w".into();
        }
        let k = self.random.below(2);
        let name = self.random.pick(&["to_ubv", "to_sbv"]);
        format!("((_ fp.{name} 4) {} {})", self.mode(), self.float(k, depth - 1))
    }

    fn formula(&mut self, depth: usize) -> String {
        if depth > 0 && self.random.one_in(3) {
            return match self.random.below(4) {
                0 => format!("(not {})", self.formula(depth - 1)),
                1 => format!("(= {} {})", self.word(depth - 1), self.word(depth - 1)),
                2 => format!("(and {} {})", self.formula(depth - 1), self.formula(depth - 1)),
                _ => format!("(or {} {})", self.formula(depth - 1), self.formula(depth - 1)),
            };
        }
        let k = self.random.below(2);
        let a = self.float(k, depth.saturating_sub(1));
        if self.random.one_in(4) {
            let class = ["Normal", "Subnormal", "Zero", "Infinite", "NaN", "Negative", "Positive"];
            return format!("(fp.is{} {a})", self.random.pick(&class));
        }
        let b = self.float(k, depth.saturating_sub(1));
        let relation = self.random.pick(&["=", "distinct", "fp.eq", "fp.lt", "fp.leq", "fp.gt", "fp.geq"]);
        format!("({relation} {a} {b})")
    }

    fn declarations(&self) -> String {
        let mut out = "(declare-fun m () RoundingMode)(declare-fun w () (_ BitVec 4))".to_string();
        for (k, (e, s)) in self.formats.iter().enumerate() {
            out += &format!("(declare-fun x{k} () (_ FloatingPoint {e} {s}))");
            out += &format!("(declare-fun y{k} () (_ FloatingPoint {e} {s}))");
        }
        out
    }
}

#[test]
fn random_formulas_are_answered_as_by_z3() {
    const QUERIES: usize = 200;
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..scale() {
        let mut script = String::new();
        let mut texts = Vec::new();
        for i in 0..QUERIES {
            let seed = (round * QUERIES + i) as u64 ^ seed_shift();
            let mut random = Random::new(seed);
            let small = [(2, 2), (3, 3), (3, 4), (4, 3), (4, 5)];
            let formats = [random.pick(&small), random.pick(&small)];
            let mut g = Generator { random, formats };
            let parts: Vec<String> = (0..3).map(|_| format!("(assert {})", g.formula(3))).collect();
            let text = format!("{}{}(check-sat)", g.declarations(), parts.concat());
            script += &format!("(set-option :timeout 5000){text}(reset)\n");
            texts.push(text);
        }
        let Some(theirs) = z3(&script) else {
            eprintln!("skipped: there is no z3 here");
            return;
        };
        assert_eq!(theirs.len(), QUERIES, "an answer for each query: {theirs:?}");
        for (text, theirs) in texts.iter().zip(theirs) {
            let ours = answers(text);
            if theirs != "unknown" {
                assert_eq!(ours, [theirs], "{text}");
            }
            match ours[0].as_str() {
                "sat" => sat += 1,
                "unsat" => unsat += 1,
                _ => {}
            }
        }
    }
    assert!(sat > 0 && unsat > 0, "{sat} satisfiable, {unsat} not");
}
