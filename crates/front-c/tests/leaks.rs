//! Which loops are counted for `valid-memtrack`.

use palisade_front_c::{COptions, Checks, Input, translate};
use palisade_program::Property;
use palisade_term::TermPool;

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\n\
    extern void *malloc(unsigned long); extern void __VERIFIER_assume(int); int n;\n";

/// The lines of loops in which memory might be lost for ever: their rounds are counted.
fn counted_loops(text: &str) -> Vec<u32> {
    let pool = TermPool::new();
    let options = COptions { checks: Checks::parse("memory,leaks").unwrap(), ..COptions::default() };
    let input =
        Input::Text("t.c".into(), format!("{PRELUDE}int main(void) {{ int *p = 0;\n{text}\nreturn 0; }}\n"));
    let program =
        translate(&pool, &[input], &options).unwrap_or_else(|e| panic!("{}", e.render(false))).program;
    let mut lines: Vec<u32> = Vec::new();
    for edge in &program.edges {
        if let Some(Property::Unsupported(what)) = &edge.origin.property
            && what.contains("in a loop that may not end")
        {
            let place = what.rsplit(", ").next().unwrap();
            lines.push(place.split(':').nth(1).unwrap().parse().unwrap());
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// A loop that asks the environment whether to go on may be left, and what was lost is seen then.
#[test]
fn rounds_are_counted_where_no_choice_leaves_the_loop() {
    let free: [&str; 6] = [
        "while (__VERIFIER_nondet_int()) { p = malloc(4); }",
        "do { p = malloc(4); } while (__VERIFIER_nondet_int() != 0);",
        "for (;;) { p = malloc(4); if (__VERIFIER_nondet_int() == 0) break; }",
        "for (;;) { p = malloc(4); if (!__VERIFIER_nondet_int()) return 1; }",
        "for (;;) { p = malloc(4); int go = __VERIFIER_nondet_int(); if (go) continue; break; }",
        "while (__VERIFIER_nondet_int()) while (__VERIFIER_nondet_int()) { p = malloc(4); }",
    ];
    for body in free {
        assert!(counted_loops(body).is_empty(), "{body}");
    }
    // The condition is not the environment's alone.
    assert_eq!(counted_loops("while (__VERIFIER_nondet_int() || n) { p = malloc(4); }"), [4]);
    assert_eq!(counted_loops("while (__VERIFIER_nondet_int() + n) { p = malloc(4); }"), [4]);
    assert_eq!(counted_loops("while (1) { p = malloc(4); }"), [4]);
    // Leaving the inner loop is no way out of the outer one (whose rounds begin the inner one, too), and the
    // other way round.
    assert_eq!(counted_loops("while (n < 9)\nwhile (__VERIFIER_nondet_int()) { p = malloc(4); }"), [4, 5]);
    assert_eq!(counted_loops("while (__VERIFIER_nondet_int())\nwhile (n < 9) { p = malloc(4); }"), [5]);
    // Both ways stay in the loop.
    assert_eq!(
        counted_loops("while (1) { p = malloc(4); if (__VERIFIER_nondet_int()) n = 1; else n = 2; }"),
        [4]
    );
    // Behind the loop, runs end without a look at what was lost.
    assert_eq!(
        counted_loops("while (__VERIFIER_nondet_int()) { p = malloc(4); }\n__VERIFIER_assume(n);"),
        [4]
    );
    assert_eq!(counted_loops("while (__VERIFIER_nondet_int()) { p = malloc(4); }\nwhile (1) ;"), [5]);
}
