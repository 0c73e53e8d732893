//! AIGER files and witnesses: refused, or read into a circuit that means the same when it is written and read
//! again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_aig::{aiger, read_witness};

fuzz_target!(|bytes: &[u8]| {
    // A header may ask for more memory than a fuzzer has.
    match aiger::read(bytes) {
        Ok(circuit) => {
            let text = aiger::write_ascii(&circuit);
            for written in [text.clone(), aiger::write_binary(&circuit)] {
                let again = aiger::read(&written).expect("what is written can be read");
                assert_eq!(aiger::write_ascii(&again), text);
            }
            if let Ok(witness) = std::str::from_utf8(bytes) {
                let _ = read_witness(&circuit, witness).map(|(trace, bad)| circuit.replay_bad(&trace, bad));
            }
        }
        Err(e) => assert!(!e.to_string().is_empty()),
    }
});
