//! Random circuits by way of BTOR2: as programs, written, read again and made circuits again, they are safe
//! or not as explicit search says.

mod common;

use common::{Explicit, random_circuit};
use palisade_aig::{Circuit, finite, program};
use palisade_bits::{Control, Deaf, Options, Verdict, ic3};
use palisade_front_ts::{read_btor2, write};
use palisade_fuzzing::{Random, scale};
use palisade_program::{Edge, Program};
use palisade_term::TermPool;

/// The circuit of what is read of what is written of a program.
fn through_btor2(pool: &TermPool, program: &Program) -> (Circuit, String) {
    let text = write::btor2(pool, program).unwrap_or_else(|e| panic!("{e}"));
    let again = read_btor2(pool, "again", &text).unwrap_or_else(|e| panic!("{e}\n{text}")).program;
    let finite = finite::encode(pool, &again).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (finite.circuit, text)
}

#[test]
fn random_systems_are_written_with_the_same_meaning() {
    let mut random = Random::new(8);
    let (mut safe, mut flagged) = (0, 0);
    for n in 0..100 * scale() {
        let c = random_circuit(&mut random, 5);
        let shortest = Explicit::new(&c).shortest();
        let pool = TermPool::new();
        let mut p = program::translate(&pool, &c, "random").program;
        for changed in [false, true] {
            if changed {
                // A second edge of the loop that changes nothing: not the shape of a file of BTOR2.
                let head = p.edges[0].target;
                let vars = p.vars(head).to_vec();
                p.add_edge(Edge::new(head, head, &[], pool.tru(), &vars));
            }
            let (again, text) = through_btor2(&pool, &p);
            flagged += usize::from(text.contains(" alive"));
            let options = Options { simulate: 10_000, ..Options::default() };
            match ic3::run(&again, &options, &Control::default(), &mut Deaf) {
                Verdict::Safe(_) => assert_eq!(shortest, None, "circuit {n}\n{text}"),
                Verdict::Unsafe(trace) => {
                    assert!(again.replay(&trace).is_ok());
                    assert!(shortest.is_some(), "circuit {n}\n{text}");
                }
                Verdict::Unknown(why) => panic!("circuit {n}: {why:?}"),
            }
            safe += usize::from(shortest.is_none());
        }
    }
    assert!(safe > 20 && flagged >= 100, "{safe} safe, {flagged} not of the shape");
}

/// `i` counts up to `n`, which is arbitrary: the comparison is the lemma, where bits alone need many.
#[test]
fn comparisons_of_words_are_lemmas() {
    let text = "1 sort bitvec 1\n2 sort bitvec 16\n3 zero 2\n4 one 2\n5 state 2 i\n6 state 2 n\n\
        7 init 2 5 3\n\
        8 next 2 6 6\n9 ult 1 5 6\n10 add 2 5 4\n11 ite 2 9 10 5\n12 next 2 5 11\n13 ult 1 6 5\n\
        14 bad 13\n";
    let pool = TermPool::new();
    let program = read_btor2(&pool, "count", text).unwrap_or_else(|e| panic!("{e}")).program;
    let mut finite = finite::encode(&pool, &program).unwrap_or_else(|e| panic!("{e}"));
    finite.watch(&pool, &program);
    assert_eq!(finite.circuit.watched.len(), 3);
    // The property itself is in the frames otherwise, and is inductive.
    let options = Options { simulate: 0, property_frames: false, ..Options::default() };
    let Verdict::Safe(invariant) = ic3::run(&finite.circuit, &options, &Control::default(), &mut Deaf) else {
        panic!("safe");
    };
    let latches = finite.circuit.latches.len();
    assert_eq!(invariant.clauses.len(), 1, "{invariant:?}");
    assert!(invariant.clauses[0].iter().all(|&(v, _)| v >= latches), "{invariant:?}");
    let formula = finite.invariants(&pool, &program, &invariant.clauses, invariant.predicate.as_ref());
    let shown: Vec<String> = program.locs().map(|l| pool.infix(formula.at(l)).to_string()).collect();
    assert!(shown.iter().any(|f| f.contains("i") && !f.contains("extract")), "{shown:?}");
}

#[test]
fn an_array_that_is_too_large_is_refused_with_its_line() {
    let text = "1 sort bitvec 1\n2 sort bitvec 32\n3 sort array 2 1\n; memory\n4 state 3 mem\n5 input 2 at\n\
        6 read 1 4 5\n7 bad 6\n";
    let pool = TermPool::new();
    let program = read_btor2(&pool, "large.btor2", text).unwrap_or_else(|e| panic!("{e}")).program;
    let refusal = finite::encode(&pool, &program).expect_err("2^32 elements").to_string();
    assert!(refusal.contains("`mem` is not small") && refusal.contains("large.btor2:5:"), "{refusal}");
}
