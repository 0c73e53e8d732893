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
