//! The tables of attributes, builtins and library functions: every name has one status, and the translation
//! keeps to it. Programs with these names are files: see `known_files.rs`.

mod common;

use common::execute::{End, execute};
use palisade_front_c::known::{self, Status};
use palisade_front_c::{COptions, Input, translate};
use palisade_term::TermPool;

/// The names of a list in `tests/data`; `#` begins a comment.
fn listed(text: &str) -> Vec<&str> {
    text.lines().flat_map(|l| l.split('#').next().unwrap_or_default().split_whitespace()).collect()
}

#[test]
fn every_name_of_the_tables_is_there_once() {
    let mut names = known::names();
    names.sort_unstable();
    let twice = names.windows(2).find(|w| w[0] == w[1]);
    assert_eq!(twice, None);
}

/// An attribute of gcc's manual has exactly one status, and the translation keeps to it.
#[test]
fn every_attribute_of_the_manual_is_known_or_refused() {
    let names = listed(include_str!("data/gcc-attributes.txt"));
    assert!(names.len() > 150, "{}", names.len());
    for name in names {
        let pool = TermPool::new();
        let text = format!("struct s {{ int x; }} __attribute__(({name})); int main(void) {{ return 0; }}");
        let result = translate(&pool, &[Input::Text("t.i".into(), text)], &COptions::default());
        match (known::attribute(name), result) {
            (Status::Harmless(reason), Ok(_)) => assert!(!reason.is_empty()),
            (Status::Refused(_), Err(e)) => assert!(e.0[0].position.is_some(), "{name}: {e}"),
            (Status::Handled, _) => {}
            (status, Ok(_)) => panic!("{name} is {status:?}, but the program is translated"),
            (status, Err(e)) => panic!("{name} is {status:?}, but the program is refused: {e}"),
        }
    }
}

/// A builtin of gcc's manual has exactly one status, and the run that calls it keeps to it.
#[test]
fn every_builtin_of_the_manual_is_known_or_refused() {
    let names = listed(include_str!("data/gcc-builtins.txt"));
    assert!(names.len() > 200, "{}", names.len());
    for name in names {
        let pool = TermPool::new();
        let text = format!("int main(void) {{ {name}(); return 0; }}");
        let result = translate(&pool, &[Input::Text("t.i".into(), text)], &COptions::default());
        let end = result.map(|c| execute(&pool, &c, |_, _| 0).0);
        let refused = match &end {
            Err(e) => e.0[0].position.is_some(),
            // Reaching `__builtin_unreachable` is undefined.
            Ok(End::Error(p)) => p.violated().is_none(),
            Ok(_) => false,
        };
        match known::builtin(name) {
            Status::Harmless(_) => assert!(matches!(end, Ok(End::Exit)), "{name}: {end:?}"),
            Status::Refused(_) => assert!(refused, "{name}: {end:?}"),
            // Handled, but not without arguments, or it ends the program.
            Status::Handled => assert!(refused || matches!(end, Ok(End::Exit)), "{name}: {end:?}"),
        }
    }
}

/// Library functions by name: what is refused is refused also where the program declares it itself.
#[test]
fn library_functions_are_known_by_name() {
    for (_, name) in known::names().into_iter().filter(|(kind, _)| *kind == "function") {
        let Some(Status::Refused(_)) = known::function(name) else { continue };
        let pool = TermPool::new();
        let text = format!("int {name}(); int main(void) {{ {name}(); return 0; }}");
        let c =
            translate(&pool, &[Input::Text("t.i".into(), text)], &COptions::default()).expect("translated");
        let End::Error(p) = execute(&pool, &c, |_, _| 0).0 else { panic!("{name} is not refused") };
        assert!(p.unsupported().is_some(), "{name}: {p}");
    }
}
