//! S-expressions: what is read can be written and read again; the stream reader finds the same ends.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_smtlib::{Framer, Tree};

fuzz_target!(|text: &str| {
    let Ok(tree) = Tree::parse(text) else { return };
    let shown: Vec<String> = tree.roots().map(|s| s.to_string()).collect();
    let all = shown.join("\n") + "\n";
    let again = Tree::parse(&all).expect("what is written can be read");
    assert_eq!(again.roots().map(|s| s.to_string()).collect::<Vec<_>>(), shown);
    let mut rest = all.as_bytes();
    let mut framer = Framer::new();
    for s in &shown {
        let n = framer.feed(rest).expect("a complete expression");
        assert_eq!(std::str::from_utf8(&rest[..n]).expect("characters are whole").trim(), s.trim());
        rest = &rest[n..];
    }
});
