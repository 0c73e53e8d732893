//! BTOR2 files: refused, or read into a well-formed program. Witnesses of a small counter: refused, or read
//! into a run that is the same when it is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_front_ts::{read_btor2, read_btor2_witness, write_btor2_witness};
use palisade_program::interpret;
use palisade_term::TermPool;

const COUNTER: &str = "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 2 2\n4 state 2 count\n5 state 3 mem\n\
    6 one 2\n\
    7 add 2 4 6\n8 input 1 on\n9 ite 2 8 7 4\n10 next 2 4 9\n11 read 2 5 4\n12 eq 1 4 11\n13 bad 12\n";

fuzz_target!(|text: &str| {
    let pool = TermPool::new();
    match read_btor2(&pool, "fuzz", text) {
        Ok(btor2) => btor2.program.check(&pool).expect("well-formed"),
        Err(e) => assert!(!e.to_string().is_empty()),
    }
    let counter = read_btor2(&pool, "counter", COUNTER).expect("a circuit");
    if let Ok(run) = read_btor2_witness(&pool, &counter.program, &counter.map, text) {
        let _ = interpret(&pool, &counter.program, &run);
        if let Some(written) = write_btor2_witness(&counter.map, &run) {
            assert_eq!(read_btor2_witness(&pool, &counter.program, &counter.map, &written), Ok(run));
        }
    }
});
