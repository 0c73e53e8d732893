//! Certificates: refused, or read and the same when they are written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_certify::{read_options, read_proof, read_run, write_proof, write_run};
use palisade_front_ts::read_horn;
use palisade_term::TermPool;

const SYSTEM: &str = "(set-logic HORN)(declare-fun loop (Int Int) Bool)(assert (loop 0 0))
(assert (forall ((x Int) (y Int) (k Int)) (=> (and (loop x y) (< k 5)) (loop (+ x 1) (+ y k)))))
(assert (forall ((x Int) (y Int)) (=> (and (loop x y) (< x 0)) false)))";

fuzz_target!(|text: &str| {
    let pool = TermPool::new();
    let program = read_horn(&pool, "system", SYSTEM).expect("a Horn system").program;
    let Ok(options) = read_options(text) else { return };
    if let Ok(proof) = read_proof(&pool, &program, text) {
        let written = write_proof(&pool, &program, &proof, &options);
        assert_eq!(read_proof(&pool, &program, &written), Ok(proof));
        assert_eq!(read_options(&written), Ok(options.clone()));
    }
    if let Ok(run) = read_run(&pool, &program, text) {
        let written = write_run(&pool, &program, &run, &options);
        assert_eq!(read_run(&pool, &program, &written), Ok(run));
    }
});
