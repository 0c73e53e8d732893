//! BTOR2 files in small: what they mean, by the interpreter, and what is refused.

use palisade_program::{Step, interpret};
use palisade_term::Value;

use super::*;

/// A counter of four bits that counts while the input is on; bad at 2.
const COUNTER: &str = "; comment
1 sort bitvec 1
2 sort bitvec 4
3 zero 2
4 state 2 count
5 init 2 4 3
6 one 2
7 add 2 4 6
8 input 1 on
9 ite 2 8 7 4
10 next 2 4 9
11 constd 2 2
12 eq 1 4 11
13 bad 12
";

fn value(n: i64, w: u32) -> Value {
    Value::BitVec(w, Integer::from(n))
}

#[test]
fn a_counter_runs_and_its_witness_is_written() {
    let pool = TermPool::new();
    let b = read_btor2(&pool, "f.btor2", COUNTER).unwrap();
    let step =
        |edge: u32, on: bool| Step { edge: palisade_program::EdgeId(edge), inputs: vec![Value::Bool(on)] };
    let first = Step { edge: palisade_program::EdgeId(0), inputs: Vec::new() };
    let run = palisade_program::Run {
        initial: Vec::new(),
        steps: vec![first, step(1, true), step(1, false), step(1, true), step(2, false)],
    };
    let replay = interpret(&pool, &b.program, &run).unwrap();
    assert_eq!(replay.states[4].1, [value(2, 4)]);
    assert_eq!(replay.states[5].0, b.program.error);
    let witness = write_btor2_witness(&b.map, &run).unwrap();
    assert_eq!(witness, "sat\nb0\n#0\n@0\n0 1 on@0\n@1\n0 0 on@1\n@2\n0 1 on@2\n@3\n0 0 on@3\n.\n");
    assert_eq!(read_btor2_witness(&pool, &b.program, &b.map, &witness), Ok(run));
    for (wrong, why) in [
        ("unsat\nb0\n.\n", "line 1"),
        ("sat\nb1\n#0\n@0\n.\n", "line 2"),
        ("sat\nb0\n.\n", "no step"),
        ("sat\nb0\n#0\n0 0001\n@0\n.\n", "line 4"),
        ("sat\nb0\n#0\n@0\n0 11\n.\n", "line 5"),
        ("sat\nb0\n#0\n@0\n1 1\n.\n", "line 5"),
        ("sat\nb0\n#0\n@2\n.\n", "line 4"),
        ("sat\nb0\n#0\n@0\n", "final dot"),
    ] {
        let e = read_btor2_witness(&pool, &b.program, &b.map, wrong).expect_err(wrong);
        assert!(e.contains(why), "{wrong}: {e}");
    }
}

#[test]
fn witnesses_state_what_is_chosen_arrays_too() {
    let pool = TermPool::new();
    // `mem` starts with any contents, `free` has no next value: it is chosen in every step.
    let text = "1 sort bitvec 1\n2 sort bitvec 2\n3 sort array 2 2\n4 state 3 mem\n5 next 3 4 4\n\
        6 state 2 free\n\
                7 read 2 4 6\n8 constd 2 2\n9 eq 1 7 8\n10 redand 1 6\n11 and 1 9 10\n12 bad 11\n";
    let b = read_btor2(&pool, "f", text).unwrap();
    let mut memory = Value::default_of(&Sort::array(Sort::BitVec(2), Sort::BitVec(2)));
    let Value::Array(array) = &mut memory else { panic!() };
    array.set(value(3, 2), value(2, 2));
    let step = |edge: u32, inputs: Vec<Value>| Step { edge: palisade_program::EdgeId(edge), inputs };
    let steps = |memory: Value| {
        vec![step(0, vec![memory, value(1, 2)]), step(1, vec![value(3, 2)]), step(2, Vec::new())]
    };
    let run = palisade_program::Run { initial: Vec::new(), steps: steps(memory.clone()) };
    let end = interpret(&pool, &b.program, &run).unwrap().states.last().unwrap().0;
    assert_eq!(end, b.program.error);
    let witness = write_btor2_witness(&b.map, &run).unwrap();
    assert_eq!(witness, "sat\nb0\n#0\n0 [11] 10 mem#0\n1 01 free#0\n@0\n#1\n1 11 free#1\n@1\n.\n");
    assert_eq!(read_btor2_witness(&pool, &b.program, &b.map, &witness), Ok(run));
    // An array that is not 0 almost everywhere is stated element by element.
    let Value::Array(array) = &mut memory else { panic!() };
    array.default = value(1, 2);
    let run = palisade_program::Run { initial: Vec::new(), steps: steps(memory) };
    let witness = write_btor2_witness(&b.map, &run).unwrap();
    let again = read_btor2_witness(&pool, &b.program, &b.map, &witness).unwrap();
    assert!(witness.contains("0 [00] 01 mem#0\n0 [01] 01 mem#0\n0 [10] 01 mem#0\n0 [11] 10 mem#0\n"));
    assert_eq!(interpret(&pool, &b.program, &again).unwrap().states.last().unwrap().0, b.program.error);
}

#[test]
fn operators_mean_what_the_paper_says() {
    let pool = TermPool::new();
    // Constants of four bits; each row: operator, operands, sort of the result, result.
    let rows = [
        ("add", 9, 8, 4, 1),
        ("sub", 3, 5, 4, 14),
        ("mul", 5, 7, 4, 3),
        ("udiv", 9, 0, 4, 15),
        ("urem", 9, 0, 4, 9),
        ("sdiv", 8, 2, 4, 12),
        ("srem", 9, 2, 4, 15),
        ("smod", 9, 2, 4, 1),
        ("sll", 3, 2, 4, 12),
        ("srl", 12, 2, 4, 3),
        ("sra", 12, 2, 4, 15),
        ("rol", 9, 1, 4, 3),
        ("ror", 9, 1, 4, 12),
        ("rol", 9, 4, 4, 9),
        ("ror", 9, 7, 4, 3),
        ("and", 12, 10, 4, 8),
        ("nand", 12, 10, 4, 7),
        ("nor", 12, 10, 4, 1),
        ("xnor", 12, 10, 4, 9),
        ("concat", 9, 5, 8, 0x95),
        ("uaddo", 9, 8, 1, 1),
        ("uaddo", 7, 8, 1, 0),
        ("saddo", 7, 1, 1, 1),
        ("saddo", 15, 1, 1, 0),
        ("usubo", 3, 4, 1, 1),
        ("ssubo", 8, 1, 1, 1),
        ("umulo", 4, 4, 1, 1),
        ("smulo", 3, 3, 1, 1),
        ("smulo", 14, 2, 1, 0),
        ("sdivo", 8, 15, 1, 1),
        ("sdivo", 8, 1, 1, 0),
        ("slt", 8, 1, 1, 1),
        ("ult", 8, 1, 1, 0),
        ("sgte", 1, 8, 1, 1),
        ("ugt", 8, 1, 1, 1),
        ("neq", 1, 1, 1, 0),
    ];
    for (op, a, b, width, result) in rows {
        let text = format!(
            "1 sort bitvec 1\n2 sort bitvec 4\n3 sort bitvec 8\n4 constd 2 {a}\n5 constd 2 {b}\n6 {op} {} 4 \
             5\n7 constd {} {result}\n8 neq 1 6 7\n9 bad 8\n",
            [1, 2, 3][usize::from(width > 1) + usize::from(width > 4)],
            [1, 2, 3][usize::from(width > 1) + usize::from(width > 4)],
        );
        let btor2 = read_btor2(&pool, "f", &text).unwrap_or_else(|e| panic!("{op}: {e}"));
        assert_eq!(btor2.program.edges[2].guard, pool.fls(), "{op} {a} {b} is not {result}");
    }
}

#[test]
fn width_one_and_arrays() {
    let pool = TermPool::new();
    let text = "1 sort bitvec 1\n2 sort bitvec 2\n3 sort array 2 1\n4 state 3 mem\n5 zero 1\n6 init 3 4 5\n\
                7 input 2 at\n8 input 1 v\n9 write 3 4 7 8\n10 next 3 4 9\n11 read 1 4 7\n12 redxor 1 7\n\
                13 implies 1 11 12\n14 bad -13\n15 state 1 free\n16 constraint -15\n";
    let b = read_btor2(&pool, "f", text).unwrap();
    let state = |name: &str, initial, next| Btor2State { symbol: Some(name.into()), initial, next };
    assert_eq!(b.map.states, [state("mem", true, true), state("free", false, false)]);
    assert_eq!(b.program.edges[1].inputs.len(), 3, "a state without next is chosen in every step");
}

#[test]
fn an_initial_value_may_be_that_of_a_state_that_starts_with_any() {
    let pool = TermPool::new();
    // `a` starts with any value, `b` with the same, `c` with one more, whatever the order of the lines.
    let text = "1 sort bitvec 1\n2 sort bitvec 4\n3 state 2 a\n4 state 2 b\n5 state 2 c\n6 one 2\n\
                7 add 2 4 6\n8 init 2 5 7\n9 init 2 4 3\n10 next 2 3 3\n11 next 2 4 4\n12 next 2 5 5\n\
                13 neq 1 3 4\n14 ult 1 5 4\n15 bad 13\n16 bad 14\n";
    let b = read_btor2(&pool, "f", text).unwrap();
    assert_eq!(b.program.edges[0].inputs.len(), 1, "one choice");
    let run = |start: i64, edge: u32| palisade_program::Run {
        initial: Vec::new(),
        steps: vec![
            Step { edge: palisade_program::EdgeId(0), inputs: vec![value(start, 4)] },
            Step { edge: palisade_program::EdgeId(edge), inputs: Vec::new() },
        ],
    };
    let replay = interpret(&pool, &b.program, &run(15, 3)).unwrap();
    assert_eq!(replay.states[1].1, [value(15, 4), value(15, 4), value(0, 4)]);
    assert_eq!(replay.states[2].0, b.program.error);
    assert!(interpret(&pool, &b.program, &run(15, 2)).is_err(), "a and b are equal");
    let witness = write_btor2_witness(&b.map, &run(15, 3)).unwrap();
    assert_eq!(witness, "sat\nb1\n#0\n0 1111 a#0\n@0\n.\n");
    assert_eq!(read_btor2_witness(&pool, &b.program, &b.map, &witness), Ok(run(15, 3)));
}

#[test]
fn what_is_wrong_is_refused_with_its_line() {
    let pool = TermPool::new();
    for (text, line, what) in [
        ("1 sort bitvec 0\n", 1, "at least one bit"),
        ("1 sort bitvec 99999999\n", 1, "more than"),
        ("1 sort bitvec 4\n2 input 1\n3 add 1 2 9\n", 3, "not defined"),
        ("1 sort bitvec 4\n2 input 1\n3 frob 1 2 2\n", 3, "no operator"),
        ("1 sort bitvec 4\n2 input 1\n3 bad 2\n", 3, "width 1"),
        ("1 sort bitvec 4\n1 input 1\n", 2, "comes after"),
        ("1 sort bitvec 4\n2 input 1\n3 slice 1 2 4 0\n", 3, "no slice"),
        ("1 sort bitvec 1\n2 input 1\n3 justice 1 2\n", 3, "safety"),
        ("1 sort bitvec 4\n2 state 1\n3 input 1\n4 init 1 2 3\n", 4, "depends on an input"),
        ("1 sort bitvec 4\n2 state 1\n3 state 1\n4 init 1 2 3\n", 4, "depends on a later state"),
        ("1 sort bitvec 1\n", 1, "no property"),
        ("1 sort bitvec 4\n2 constd 1 16\n", 2, "no constant"),
        ("1 sort bitvec 4\n2 sort bitvec 5\n3 input 1\n4 input 2\n5 add 1 3 4\n", 5, "different sorts"),
        ("1 sort bitvec 4\n2 sort bitvec 5\n3 input 1\n5 add 2 3 3\n", 4, "another sort"),
    ] {
        let e = read_btor2(&pool, "f", text).expect_err(text);
        assert!(e.position.line == line && e.message.contains(what), "{text}: {e}");
    }
}
