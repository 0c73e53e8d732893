//! Small programs asked both ways: what a run with all inputs zero says about an expression.

use palisade_front_c::{COptions, Input, IntMode, translate};
use palisade_program::Property;
use palisade_term::TermPool;

use super::execute::{End, execute};

const PRELUDE: &str = "void assert(int); void *malloc(unsigned); void *memset(void *, int, unsigned);\n\
    void free(void *); void *memmove(void *, const void *, unsigned);\n";

#[allow(dead_code)] // not every test file needs it
/// How a run with all inputs zero ends, in both exact modes.
pub fn ends(file_scope: &str, body: &str) -> Vec<End> {
    let text = format!("{PRELUDE}{file_scope}\nint main(void) {{ {body} return 0; }}");
    let modes = [IntMode::C, IntMode::Bv].into_iter();
    modes
        .map(|int_mode| {
            let options = COptions { int_mode, ..COptions::default() };
            let pool = TermPool::new();
            let program = translate(&pool, &[Input::Text("t.c".into(), text.clone())], &options)
                .unwrap_or_else(|e| panic!("refused: {}\n{text}", e.render(false)));
            program.program.check(&pool).expect("a well-formed program");
            execute(&pool, &program, |_, _| 0).0
        })
        .collect()
}

#[allow(dead_code)] // not every test file needs it
/// Is it right that the assertion holds, or no answer?
pub fn refused(end: &End) -> bool {
    matches!(end, End::Error(Property::Unsupported(_) | Property::Undefined(_) | Property::Open(_)))
}

#[allow(dead_code)] // not every test file needs it
/// The expression is true after the statements: no other answer may be given.
pub fn never_wrong(file_scope: &str, statements: &str, expression: &str) {
    for end in ends(file_scope, &format!("{statements} assert({expression});")) {
        assert!(end == End::Exit || refused(&end), "{statements} {expression}: {end:?}");
    }
    for end in ends(file_scope, &format!("{statements} assert(!({expression}));")) {
        let violated = matches!(end, End::Error(Property::Violated(_)));
        assert!(violated || refused(&end), "{statements} !({expression}): {end:?}");
    }
}

#[allow(dead_code)] // not every test file needs it
/// The expression is true after the statements, and that is known.
pub fn right(file_scope: &str, statements: &str, expression: &str) {
    never_wrong(file_scope, statements, expression);
    for end in ends(file_scope, &format!("{statements} assert({expression});")) {
        assert_eq!(end, End::Exit, "{statements} {expression}");
    }
}

#[allow(dead_code)] // not every test file needs it
/// Both values of the expression are possible or it is refused: a run in which it is false exists.
pub fn open(file_scope: &str, statements: &str, expression: &str) {
    for end in ends(file_scope, &format!("{statements} assert(!({expression}));")) {
        assert!(end == End::Exit || refused(&end), "{statements} {expression}: {end:?}");
    }
}

#[allow(dead_code)] // not every test file needs it
/// What the expression is after the statements is undefined behaviour or left open by C: no answer.
pub fn no_answer(file_scope: &str, statements: &str, expression: &str) {
    for asked in [format!("assert({expression});"), format!("assert(!({expression}));")] {
        for end in ends(file_scope, &format!("{statements} {asked}")) {
            assert!(refused(&end), "{statements} {asked}: {end:?}");
        }
    }
}

#[allow(dead_code)] // not every test file needs it
/// The expression is true in one order of evaluation: that it is not false in all is no violation.
pub fn no_violation(file_scope: &str, statements: &str, expression: &str) {
    for end in ends(file_scope, &format!("{statements} assert(!({expression}));")) {
        assert!(refused(&end), "{statements} !({expression}): {end:?}");
    }
}
