//! Certificate files: what is written is read back; what is malformed is refused with a message that says
//! where and why.

mod common;

use common::{Proved, counters, door, lock};
use palisade_certify::{FileError, FileKind, file_kind, read_options, read_run, write_run};
use palisade_program::{CutInvariants, Edge, EdgeId, Invariants, Loc, Location, Origin, Program, Run, Step};
use palisade_term::{ArrayValue, Integer, Rational, Sort, TermPool, Value};

/// The file of a proof for all locations.
fn write_proof(pool: &TermPool, program: &Program, invariants: &Invariants) -> String {
    palisade_certify::write_proof(pool, program, &invariants.clone().into(), &[])
}

/// Reads a proof for all locations.
fn read_proof(pool: &TermPool, program: &Program, text: &str) -> Result<Invariants, FileError> {
    let read = palisade_certify::read_proof(pool, program, text)?;
    palisade_certify::all_defined(program, &read)?;
    Ok(read.complete().expect("that is what was asked"))
}

#[test]
fn proofs_survive_the_file() {
    let pool = TermPool::new();
    for Proved { program, invariants } in [counters(&pool), lock(&pool)] {
        let text = write_proof(&pool, &program, &invariants);
        assert_eq!(file_kind(&text), FileKind::Proof);
        assert_eq!(read_proof(&pool, &program, &text).unwrap(), invariants);
        for wrapped in [format!("sat\n{text}"), format!("(model {text})"), format!("sat (\n{text})")] {
            assert_eq!(read_proof(&pool, &program, &wrapped).unwrap(), invariants);
        }
    }
}

#[test]
fn locations_without_a_formula_are_absent_from_the_file() {
    let pool = TermPool::new();
    let Proved { program, invariants } = lock(&pool);
    for (interior, name) in [(Loc(2), "idle"), (Loc(3), "busy")] {
        let mut partial: palisade_program::CutInvariants = invariants.clone().into();
        partial.formulas[interior.index()] = None;
        let text = palisade_certify::write_proof(&pool, &program, &partial, &[]);
        assert!(!text.contains(name), "{text}");
        let read = palisade_certify::read_proof(&pool, &program, &text).unwrap();
        assert_eq!(read, partial);
        let e = palisade_certify::all_defined(&program, &read).unwrap_err().to_string();
        assert!(e.contains(&format!("no definition of `{name}`")), "{e}");
    }
}

/// A proof by unwinding says how often; a file that says it twice, or badly, is refused.
#[test]
fn rounds_are_written_and_read() {
    let pool = TermPool::new();
    let Proved { program, .. } = lock(&pool);
    let claim = CutInvariants { rounds: Some(9), ..CutInvariants::bare(&pool, &program) };
    let text = palisade_certify::write_proof(&pool, &program, &claim, &[]);
    assert_eq!(palisade_certify::read_proof(&pool, &program, &text).unwrap(), claim, "{text}");
    let line = "(set-info :palisade-rounds 9)\n";
    assert!(text.contains(line), "{text}");
    for bad in [line.repeat(2), line.replace('9', "many"), line.replace('9', "-1")] {
        let bad = text.replace(line, &bad);
        palisade_certify::read_proof(&pool, &program, &bad).expect_err(&bad);
    }
}

#[test]
fn parameters_are_positional_and_helpers_are_read() {
    let pool = TermPool::new();
    let Proved { program, invariants } = lock(&pool);
    let text = "(define-fun even ((n (_ BitVec 2))) Bool (= ((_ extract 0 0) n) #b0))
        (define-fun idle ((a Bool) (b (_ BitVec 2))) Bool (and (not a) (or (= b #b00) (= b #b10))))
        (define-fun busy ((t Bool) (held (_ BitVec 2))) Bool (and t (or (= held #b01) (= held #b11))))";
    assert_eq!(read_proof(&pool, &program, text).unwrap(), invariants);
    let text = text.replace("(or (= b #b00) (= b #b10))", "(even b)");
    let read = read_proof(&pool, &program, &text).unwrap();
    common::check(&pool, &program, &read).unwrap();
}

#[test]
fn odd_names_survive_the_file() {
    let pool = TermPool::new();
    let mut program = Program::new();
    let x = pool.var("main::x", Sort::Int);
    for name in ["", "a|b", "a b", "a\\", "a~7c.b", "let", "|", "é\n", "-1"] {
        program.add_location(Location { name: name.into(), position: None, vars: vec![x] });
    }
    let mut invariants = Invariants::trivial(&pool, &program);
    for (i, l) in program.locs().enumerate().skip(2) {
        invariants.set(l, pool.le(x, pool.int(i)));
    }
    let text = write_proof(&pool, &program, &invariants);
    assert_eq!(read_proof(&pool, &program, &text).unwrap(), invariants, "{text}");
}

#[test]
fn malformed_proofs_are_refused_with_a_reason() {
    let pool = TermPool::new();
    let Proved { program, invariants } = lock(&pool);
    let good = write_proof(&pool, &program, &invariants);
    let idle = |body: &str| good.replace("(define-fun idle ((held Bool) (t (_ BitVec 2)))", body);
    let cases = [
        ("", "no definition of `idle`"),
        ("unsat", "definition was expected"),
        ("(define-fun idle", "never closed"),
        ("(define-fun idle ((held Bool)) Bool true)", "1 parameters are given, 2 are needed"),
        (&idle("(define-fun idle ((held Bool) (t Int))"), "sort Int"),
        (&good.replace("define-fun idle", "define-fun other"), "no definition of `idle`"),
        (&good.replace("define-fun idle", "define-fun busy"), "defined twice"),
        (&good.replace("Bool\n", "Int\n"), "sort Bool"),
        (&good.replace("define-fun", "declare-fun"), "definition was expected"),
        (&good.replace("held)", "nobody)"), "nobody"),
        ("(define-fun busy ((held Bool) (t (_ BitVec 2))) Bool (exists ((z Int)) (> z 0)))", "quantifiers"),
        (
            "(define-fun busy ((held Bool) (t (_ BitVec 2))) Bool (not (forall ((z Int)) (> z 0))))",
            "quantifiers",
        ),
        ("(define-fun busy ((held Bool) (t (_ BitVec 2))) Bool (forall (z Int) (> z 0)))", "its sort"),
        ("(define-fun busy ((held Bool) (t (_ BitVec 2))) Bool (forall ((z Int))))", "has the form"),
    ];
    for (text, message) in cases {
        let e = read_proof(&pool, &program, text).expect_err(text).to_string();
        assert!(e.contains(message), "{text}\n{e}");
    }
}

#[test]
fn runs_survive_the_file_with_exact_values() {
    let pool = TermPool::new();
    let array = Sort::array(Sort::Int, Sort::Real);
    let inputs = vec![
        pool.var("b", Sort::Bool),
        pool.var("i", Sort::Int),
        pool.var("r", Sort::Real),
        pool.var("v", Sort::BitVec(64)),
        pool.var("a", array),
    ];
    let mut program = Program::new();
    program.add_edge(Edge {
        source: program.entry,
        target: program.error,
        inputs,
        guard: pool.tru(),
        update: vec![],
        origin: Origin {
            property: Some(palisade_program::Property::Violated("assert".into())),
            ..Origin::default()
        },
    });
    let big: Integer = "-123456789012345678901234567890".parse().unwrap();
    let third = Rational::new(Integer::from(-1), Integer::from(3));
    let mut a = ArrayValue {
        index_sort: Sort::Int,
        default: Value::Real(third.clone()),
        entries: Default::default(),
    };
    a.set(Value::Int(big.clone()), Value::Real(Rational::from_integer(7.into())));
    let values = vec![
        Value::Bool(true),
        Value::Int(big),
        Value::Real(third),
        Value::BitVec(64, Integer::from(u64::MAX)),
        Value::Array(Box::new(a)),
    ];
    let run = Run { initial: vec![], steps: vec![Step { edge: EdgeId(0), inputs: values }] };
    let text = write_run(&pool, &program, &run, &[]);
    assert_eq!(file_kind(&text), FileKind::Run);
    assert_eq!(read_run(&pool, &program, &text).unwrap(), run, "{text}");
}

/// The options a certificate was made under come back as they were, and are no part of its claim.
#[test]
fn options_survive_the_file() {
    let pool = TermPool::new();
    let options = ["int=c", "define=A=\"x y\"", "include=/a b;c"].map(String::from);
    let Proved { program, invariants } = counters(&pool);
    let text = palisade_certify::write_proof(&pool, &program, &invariants.clone().into(), &options);
    assert_eq!(read_options(&text).unwrap(), options);
    assert_eq!(read_proof(&pool, &program, &text).unwrap(), invariants);
    assert_eq!(read_options(&write_proof(&pool, &program, &invariants)).unwrap(), [""; 0]);

    let (program, run) = door(&pool);
    let text = write_run(&pool, &program, &run, &options);
    assert_eq!(read_options(&text).unwrap(), options);
    assert_eq!(read_run(&pool, &program, &text).unwrap(), run);
    assert_eq!(read_options(&write_run(&pool, &program, &run, &[])).unwrap(), [""; 0]);

    for bad in [
        "(set-info :palisade-options 5)",
        "(set-info :palisade-options (a))",
        "(set-info :palisade-options (",
        "{",
    ] {
        assert!(read_options(bad).is_err(), "{bad}");
    }
    let twice = "(set-info :palisade-options (\"a=b\"))(set-info :palisade-options ())";
    assert!(read_options(twice).unwrap_err().to_string().contains("twice"));
}

#[test]
fn malformed_runs_are_refused_with_a_reason() {
    let pool = TermPool::new();
    let (program, run) = door(&pool);
    let good = write_run(&pool, &program, &run, &[]);
    let cases = [
        ("{".to_string(), "not a run file"),
        ("{}".to_string(), "not a run file"),
        (good.replace("palisade-run", "other"), "other version 1"),
        (good.replace("\"version\": 1", "\"version\": 2"), "version 2"),
        (good.replace("\"edge\": 2", "\"edge\": 9"), "there is no edge 9"),
        (good.replace("\"edge\": 2", "\"edge\": 1"), "leads from first to second"),
        (good.replace("\"edge\": 2", "\"edge\": -1"), "not a run file"),
        (good.replace("\"key\"", "\"k\""), "`key`"),
        (good.replace("\"7\"", "\"8\""), "not of sort"),
        (good.replace("\"7\"", "\"-1\""), "not of sort"),
        (good.replace("\"7\"", "\"seven\""), "not of sort"),
        (good.replace("\"7\"", "7"), "not a run file"),
        (good.replacen("\"initial\"", "\"property\": \"assert\", \"initial\"", 1), "said to end in assert"),
        (
            good.replace(
                "\"initial\": []",
                "\"initial\": [{\"name\":\"x\",\"sort\":\"Int\",\"value\":\"1\"}]",
            ),
            "initial",
        ),
    ];
    for (text, message) in cases {
        let e = read_run(&pool, &program, &text).expect_err(&text).to_string();
        assert!(e.contains(message), "{text}\n{e}");
    }
}
