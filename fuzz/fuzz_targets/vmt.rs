//! VMT scripts: refused, or read into a well-formed program that can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_front_ts::{read_vmt, write};
use palisade_term::TermPool;

fuzz_target!(|text: &str| {
    let pool = TermPool::new();
    match read_vmt(&pool, "fuzz", text, None) {
        Ok(vmt) => {
            vmt.program.check(&pool).expect("well-formed");
            let script = write::vmt(&pool, &vmt.program).expect("a single loop");
            read_vmt(&TermPool::new(), "again", &script, None).expect("what is written can be read");
        }
        Err(e) => assert!(!e.to_string().is_empty()),
    }
});
