//! Horn scripts: refused, or read into a well-formed program that can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_front_ts::{read_horn, write};
use palisade_term::TermPool;

fuzz_target!(|text: &str| {
    let pool = TermPool::new();
    match read_horn(&pool, "fuzz", text) {
        Ok(horn) => {
            horn.program.check(&pool).expect("well-formed");
            let script = write::horn(&pool, &horn.program);
            read_horn(&TermPool::new(), "again", &script).expect("what is written can be read");
            write::cfa(&pool, &horn.program);
            write::dot(&pool, &horn.program);
            write::horn_model(&pool, &horn, |_| pool.tru());
        }
        Err(e) => assert!(!e.to_string().is_empty()),
    }
});
