//! What single constructs become: small programs, executed on given inputs.

mod common;

use common::execute::{End, execute};
use palisade_front_c::{COptions, CProgram, Checks, DataModel, Input, IntMode, UndefinedMemory, translate};
use palisade_program::Property;
use palisade_term::TermPool;

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void); \
    extern unsigned __VERIFIER_nondet_uint(void);\n\
    extern void *malloc(unsigned long); extern void __VERIFIER_assume(int); void reach_error(void);\n";

fn build(pool: &TermPool, text: &str, options: &COptions) -> CProgram {
    let c = translate(pool, &[Input::Text("t.c".into(), format!("{PRELUDE}{text}"))], options)
        .unwrap_or_else(|e| panic!("refused: {}", e.render(false)));
    c.program.check(pool).expect("a well-formed program");
    c
}

/// Runs a program in a mode on a list of inputs.
fn run_with(text: &str, options: &COptions, inputs: &[i128]) -> End {
    let pool = TermPool::new();
    let c = build(&pool, text, options);
    execute(&pool, &c, |_, k| inputs.get(k).copied().unwrap_or(0)).0
}

/// The end of a program is the same in the modes `c` and `bv`.
fn run(text: &str, inputs: &[i128]) -> End {
    let ends: Vec<End> = [IntMode::C, IntMode::Bv]
        .map(|int_mode| run_with(text, &COptions { int_mode, ..COptions::default() }, inputs))
        .into();
    assert_eq!(ends[0], ends[1], "the modes differ");
    ends.into_iter().next().expect("two ends")
}

fn error(name: &str) -> End {
    End::Error(Property::Violated(name.into()))
}

fn check(list: &str, text: &str, inputs: &[i128]) -> End {
    let ends: Vec<End> = [IntMode::C, IntMode::Bv]
        .map(|int_mode| {
            let checks = Checks::parse(list).expect("known checks");
            run_with(text, &COptions { int_mode, checks, ..COptions::default() }, inputs)
        })
        .into();
    assert_eq!(ends[0], ends[1], "the modes differ");
    ends.into_iter().next().expect("two ends")
}

#[test]
fn errors_and_assumptions() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 3); \
        if (x == 5) reach_error(); return 0; }";
    assert_eq!(run(text, &[5]), error("unreach-call"));
    assert_eq!(run(text, &[6]), End::Exit);
    assert_eq!(run(text, &[1]), End::Exit);
    let text = "void assert(int); int main(void) { assert(__VERIFIER_nondet_int() < 7); return 0; }";
    assert_eq!(run(text, &[7]), error("assert"));
    assert_eq!(run(text, &[6]), End::Exit);
}

#[test]
fn signed_overflow_is_cut_checked_or_wrapped() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); int y = x + 1; if (y < x) reach_error(); \
        return 0; }";
    assert!(matches!(run(text, &[2_147_483_647]), End::Stuck(_)));
    assert_eq!(run(text, &[2_147_483_646]), End::Exit);
    assert_eq!(check("overflow", text, &[2_147_483_647]), error("overflow"));
    for int_mode in [IntMode::C, IntMode::Bv] {
        let options = COptions { signed_wrap: true, int_mode, ..COptions::default() };
        assert_eq!(run_with(text, &options, &[2_147_483_647]), error("unreach-call"));
    }
    let math = COptions { int_mode: IntMode::Math, ..COptions::default() };
    assert_eq!(run_with(text, &math, &[1 << 90]), End::Exit);
}

/// Also where a compiler computes the value.
#[test]
fn constants_are_checked() {
    let cases = [
        ("overflow", "2147483647 + 1 < 0"),
        ("overflow", "-(-2147483647 - 1) < 0"),
        ("overflow", "(-2147483647 - 1) % -1"),
        ("overflow", "1 << 31"),
        ("shift", "1 << 40"),
        ("shift", "(1 << 40) == 3"),
        ("div-by-zero", "1 / 0"),
    ];
    for (what, condition) in cases {
        let text = format!("int main(void) {{ return {condition} ? 1 : 0; }}");
        assert_eq!(check(what, &text, &[]), error(what), "{condition}");
        let unseen = format!("int main(void) {{ return 0 && ({condition}); }}");
        assert_eq!(check(what, &unseen, &[]), End::Exit, "{condition}");
    }
}

#[test]
fn checks_name_what_is_violated() {
    let divide = "int main(void) { int x = __VERIFIER_nondet_int(); return 10 / x; }";
    assert_eq!(check("div-by-zero", divide, &[0]), error("div-by-zero"));
    assert_eq!(check("div-by-zero", divide, &[-1]), End::Exit);
    assert!(matches!(run(divide, &[0]), End::Stuck(_)));
    let index = "int main(void) { int a[4] = { 0 }; int i = __VERIFIER_nondet_int(); a[i] = 1; return 0; }";
    assert_eq!(check("bounds", index, &[4]), error("bounds"));
    assert_eq!(check("bounds", index, &[-1]), error("bounds"));
    assert_eq!(check("bounds", index, &[3]), End::Exit);
    let pointer = "int main(void) { int a[4]; int *p = a; p += __VERIFIER_nondet_int(); *p = 3; return 0; }";
    assert_eq!(check("bounds", pointer, &[4]), error("bounds"));
    assert_eq!(check("bounds", pointer, &[2]), End::Exit);
    let null = "int x; int main(void) { int *p = __VERIFIER_nondet_int() ? &x : 0; *p = 3; return 0; }";
    assert_eq!(check("bounds", null, &[0]), error("bounds"));
    assert_eq!(check("bounds", null, &[1]), End::Exit);
    let shift = "int main(void) { return 1 << __VERIFIER_nondet_int(); }";
    assert_eq!(check("shift", shift, &[32]), error("shift"));
    assert_eq!(check("shift", shift, &[31]), error("shift"));
    assert_eq!(check("shift", shift, &[30]), End::Exit);
    let unused = "int main(void) { int x = __VERIFIER_nondet_int(); x + 1; double d = x + 1; return 0; }";
    assert_eq!(check("overflow", unused, &[2_147_483_647]), error("overflow"));
}

#[test]
fn short_circuit_guards_what_it_guards() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); if (x != 0 && 10 / x > 3) reach_error(); \
        return 0; }";
    assert_eq!(check("div-by-zero", text, &[0]), End::Exit);
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); int y = x ? 10 / x : 7; \
        if (y == 7) reach_error(); return 0; }";
    assert_eq!(run(text, &[0]), error("unreach-call"));
}

#[test]
fn where_the_order_is_open_no_violation_rests_on_it() {
    let text = "int g, a[3]; int f(void) { g = 1; return 5; }\n\
        int main(void) { a[g] = f(); if (a[0] == 5 && a[1] == 0) reach_error(); return 0; }";
    let End::Error(Property::Open(what)) = run(text, &[]) else { panic!("the order is open") };
    assert!(what.starts_with("the order of evaluation, t.c:"), "{what}");
}

#[test]
fn recursion_is_cut_off_as_unknown() {
    let text = "int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); }\n\
                int main(void) { int n = __VERIFIER_nondet_int(); if (f(n) != n) reach_error(); return 0; }";
    assert_eq!(run(text, &[5]), End::Exit);
    let End::Error(property) = run(text, &[500]) else { panic!("the bound is met") };
    let reason = property.unsupported().expect("an unsupported property");
    assert!(reason.starts_with("recursion of `f` deeper than the bound, t.c:3:"), "{reason}");
}

#[test]
fn unsupported_constructs_only_matter_where_they_are_reached() {
    let text = "int main(void) { long double d = 1.5; \
        if (__VERIFIER_nondet_int()) { if (d > 1.0L) reach_error(); } return 0; }";
    assert_eq!(run(text, &[0]), End::Exit);
    let End::Error(property) = run(text, &[1]) else { panic!("floating point is reached") };
    assert!(property.unsupported().is_some_and(|r| r.contains("floating")), "{property}");
    // The other variables of the declaration are declared all the same.
    let text = "int main(void) { if (__VERIFIER_nondet_int()) { long double d = 1.5, e = d * 2; int i = 1; \
        if (e > i) reach_error(); } return 0; }";
    assert_eq!(run(text, &[0]), End::Exit);
    let End::Error(property) = run(text, &[1]) else { panic!("floating point is reached") };
    assert!(property.unsupported().is_some_and(|r| r.contains("floating")), "{property}");
}

#[test]
fn heap_lists() {
    let text = "struct n { int v; struct n *next; };\n\
        int main(void) { struct n *list = 0; int k = __VERIFIER_nondet_int(); if (k < 0 || k > 4) return 0;\n\
        for (int i = 1; i <= k; i++) { struct n *p = malloc(sizeof(struct n)); p->v = i; p->next = list; \
        list = p; }\n\
        int s = 0; while (list) { s = s * 10 + list->v; list = list->next; } if (s == 4321) reach_error(); \
        return 0; }";
    assert_eq!(run(text, &[4]), error("unreach-call"));
    assert_eq!(run(text, &[3]), End::Exit);
}

#[test]
fn function_pointers_and_tables() {
    let text = "int inc(int x) { return x + 1; } int dbl(int x) { return x * 2; }\n\
        int (*table[2])(int) = { inc, &dbl };\n\
        int main(void) { int i = __VERIFIER_nondet_int(); if (i < 0 || i > 1) return 0;\n\
        if ((*table[i])(21) == 42) reach_error(); return 0; }";
    assert_eq!(run(text, &[1]), error("unreach-call"));
    assert_eq!(run(text, &[0]), End::Exit);
}

#[test]
fn unions_with_pointers_or_padding_have_one_member_at_a_time() {
    for member in ["char *c", "struct { char a; int b; } c"] {
        let text = format!(
            "union u {{ int i; {member}; }};\n\
             int main(void) {{ union u x, y; x.i = 5; if (x.i != 5) reach_error(); \
             if (__VERIFIER_nondet_int()) {{ y.c = x.c; }} return 0; }}"
        );
        assert_eq!(run(&text, &[0]), End::Exit);
        let End::Error(property) = run(&text, &[1]) else { panic!("another member is read") };
        assert!(property.unsupported().is_some(), "{property}");
    }
    let text = "union u { int i; unsigned char c; };\n\
        int main(void) { union u x; if (__VERIFIER_nondet_int()) { x.i = 5; } return x.c; }";
    assert_eq!(run(text, &[1]), End::Exit);
    let End::Error(property) = run(text, &[0]) else { panic!("nothing was written") };
    assert!(property.unsupported().is_some(), "{property}");
}

/// Memory that the program did not allocate is separate for each type. Seen as two types it has any values,
/// and a violation that follows is open.
#[test]
fn memory_of_the_environment_has_one_type() {
    for view in ["int", "unsigned char"] {
        let text = format!(
            "extern char *given(void); int main(void) {{ char *p = given(); if (!p) return 0; \
             *({view} *)p = 0; if (p[0] == 0) reach_error(); return 0; }}"
        );
        let end = run(&text, &[1]);
        assert!(matches!(end, End::Error(Property::Open(_))), "{end:?}");
    }
}

/// Nor is it seen as two types by way of `void *`; as one type it is.
#[test]
fn memory_of_the_environment_has_one_type_behind_void_pointers() {
    let twice = [
        "extern void *given(void); int main(void) { void *p = given(); if (!p) return 0; int *i = p; \
         unsigned char *c = p; *i = 0; if (*c == 0) reach_error(); return 0; }",
        "struct s { int a; }; extern struct s *given(void); int main(void) { struct s *p = given(); \
         if (!p) return 0; void *v = p; p->a = 0; unsigned char *c = v; if (*c == 0) reach_error(); \
         return 0; }",
    ];
    for text in twice {
        let end = run(text, &[1]);
        assert!(matches!(end, End::Error(Property::Open(_))), "{end:?}");
    }
    let once = "struct s { int a; char c; }; struct t { int b; }; extern void *given(void); int main(void) { \
        struct s *p = given(); struct t *q = given(); if (!p || !q) return 0; p->a = 1; q->b = 2; p->c = 3; \
        if (p->c != 3) reach_error(); return 0; }";
    assert_eq!(run(once, &[1, 2]), End::Exit);
}

#[test]
fn pointers_to_other_types_see_the_bytes() {
    let text =
        "int main(void) { int x = 258; char *p = (char *)&x; if (p[1] == 1) reach_error(); return 0; }";
    assert_eq!(run(text, &[]), error("unreach-call"));
    let text = "struct a { int x[2]; int y; }; struct b { int x, y, z; };\n\
        int main(void) { struct a s = { { 1, 2 }, 3 }; struct b *p = (struct b *)&s; \
        if (p->y == 2) reach_error(); return 0; }";
    assert_eq!(run(text, &[]), error("unreach-call"));
}

#[test]
fn pointers_compared_as_integers() {
    let text = "int x; int main(void) { int *p = __VERIFIER_nondet_int() ? &x : (void *)0; \
        int k = __VERIFIER_nondet_int();\n\
        if ((unsigned long)p != (unsigned long)((void *)0) && \
        (unsigned long)k == (unsigned long)((void *)0)) reach_error(); return 0; }";
    assert_eq!(run(text, &[1, 0]), error("unreach-call"));
    assert_eq!(run(text, &[0, 0]), End::Exit);
    assert_eq!(run(text, &[1, 1]), End::Exit);
}

#[test]
fn variable_length_arrays_and_blocks() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 9) return 0; int a[n]; \
        int *b = malloc(n * sizeof(int));\n\
        for (int i = 0; i < n; i++) { a[i] = i; b[i] = a[i] * 2; } \
        if (b[n - 1] == 8 && sizeof(a) == 20) reach_error(); return 0; }";
    assert_eq!(run(text, &[5]), error("unreach-call"));
    assert_eq!(run(text, &[4]), End::Exit);
    assert_eq!(check("bounds", &text.replace("i < n", "i <= n"), &[5]), error("bounds"));
}

#[test]
fn errors_are_located() {
    let pool = TermPool::new();
    let text = "int main(void) {\n  return y;\n}\n";
    let e = translate(&pool, &[Input::Text("bad.c".into(), text.into())], &COptions::default())
        .err()
        .expect("refused");
    assert_eq!(e.to_string(), "bad.c:2:10: `y` is not declared");
    assert!(e.render(false).contains("2 |   return y;"), "{}", e.render(false));
    let e = translate(&pool, &[Input::Text("bad.c".into(), "int x = ;".into())], &COptions::default())
        .err()
        .expect("refused");
    assert!(e.to_string().starts_with("bad.c:1:9: syntax error"), "{e}");
    let e = translate(&pool, &[Input::Text("bad.c".into(), "int x;".into())], &COptions::default())
        .err()
        .expect("refused");
    let hint = "; --function F begins at another one, --all at each";
    assert_eq!(e.to_string(), format!("there is no function `main`{hint}"));
}

#[test]
fn files_are_linked() {
    let pool = TermPool::new();
    let one = "extern int shared; int twice(int); void reach_error(void); static int hidden = 1;\n\
        int main(void) { shared = hidden; if (twice(3) == 8) reach_error(); return 0; }";
    let two = "int shared = 4; static int hidden = 2; int twice(int x) { return hidden * x + shared + 1; }";
    let files = [Input::Text("one.c".into(), one.into()), Input::Text("two.c".into(), two.into())];
    let c = translate(&pool, &files, &COptions::default()).expect("translated");
    assert_eq!(execute(&pool, &c, |_, _| 0).0, error("unreach-call"));
}

/// An inline function of a header is in every file that includes it; with another body it is refused.
#[test]
fn inline_functions_of_headers() {
    let pool = TermPool::new();
    let header = "inline int twice(int x)\n{ return 2 * x; }";
    let one = |relation: &str| {
        format!(
            "{header} int f(void); void reach_error(void);\n\
            int main(void) {{ if (twice(3) + f() {relation} 14) reach_error(); return 0; }}"
        )
    };
    for (two, linked) in [
        (format!("{header} int f(void) {{ return twice(4); }}"), true),
        (format!("extern {header} int f(void) {{ return twice(4); }}"), true),
        ("int twice(int x) { return 2 * x; } int f(void) { return 8; }".into(), true),
        ("inline int twice(int x) { return 3 * x; } int f(void) { return 8; }".into(), false),
    ] {
        for (relation, end) in [("==", error("unreach-call")), ("!=", End::Exit)] {
            let files =
                [Input::Text("one.c".into(), one(relation)), Input::Text("two.c".into(), two.clone())];
            match translate(&pool, &files, &COptions::default()) {
                Ok(c) => assert!(linked && execute(&pool, &c, |_, _| 0).0 == end, "{two}"),
                Err(e) => {
                    assert!(!linked && e.to_string().ends_with("`twice` is defined twice"), "{two}: {e}");
                }
            }
        }
    }
}

/// A definition takes the place of a weak one, in whichever file.
#[test]
fn weak_definitions_give_way() {
    let pool = TermPool::new();
    let weak = "__attribute__((weak)) int hook(void) { return 1; } int own(void) { return hook(); }";
    let strong = "int hook(void) { return 2; }";
    let main = "int hook(void), own(void); void reach_error(void);\n\
        int main(void) { if (hook() == 2 && own() == 2) reach_error(); return 0; }";
    let later = "int hook(void) { return 2; } __attribute__((weak)) int hook(void);";
    for (texts, end) in [
        ([weak, strong, main], Some(error("unreach-call"))),
        ([strong, main, weak], Some(error("unreach-call"))),
        ([main, weak, ""], Some(End::Exit)),
        ([main, weak, later], None),
        ([strong, strong, main], None),
    ] {
        let files = texts.map(|text| Input::Text("t.c".into(), text.into()));
        match translate(&pool, &files, &COptions::default()) {
            Ok(c) => assert_eq!(Some(execute(&pool, &c, |_, _| 0).0), end, "{texts:?}"),
            Err(e) => {
                assert!(
                    end.is_none() && e.to_string().ends_with("`hook` is defined twice"),
                    "{texts:?}: {e}"
                );
            }
        }
    }
}

/// Files that say different things about one object are refused; a function of which they do cannot be
/// called. A struct of one name may be another one in another file, as long as nothing is shared.
#[test]
fn files_that_contradict_each_other() {
    let pool = TermPool::new();
    let both = |one: &str, two: &str| {
        let one = format!("void reach_error(void); {one}");
        let files = [Input::Text("one.c".into(), one), Input::Text("two.c".into(), two.into())];
        translate(&pool, &files, &COptions::default())
    };
    let objects = [
        ("extern int v; int main(void) { v = 70000; return 0; }", "short v;"),
        ("extern unsigned v; int main(void) { v = -1; return 0; }", "int v;"),
        (
            "struct s { int a, b; }; extern struct s v; int main(void) { v.b = 5; return 0; }",
            "struct s { int b, a; }; struct s v;",
        ),
        ("extern int v[4]; int main(void) { v[3] = 1; return 0; }", "int v[2];"),
        ("extern long v; int main(void) { v = 1; return 0; }", "int v;"),
    ];
    for (one, two) in objects {
        let e = both(one, two).err().expect("refused");
        assert!(e.to_string().ends_with("`v` was declared with another type"), "{e}");
    }
    let functions = [
        (
            "int f(int); int main(void) { if (f(1) == 3) reach_error(); return 0; }",
            "long long f(int a) { return a + 0x100000002LL; }",
        ),
        (
            "int f(int, int); int main(void) { if (f(1, 2) == 2) reach_error(); return 0; }",
            "int f(int a) { return a + 1; }",
        ),
        (
            "int f(int); int main(void) { if (f(1) == 2) reach_error(); return 0; }",
            "int f(long a) { return a + 1; }",
        ),
        (
            "int main(void) { if (f(1) == 3) reach_error(); return 0; }",
            "long long f(int a) { return a + 0x100000002LL; }",
        ),
    ];
    let backwards = functions.map(|(one, two)| (two, one));
    for (one, two) in functions.into_iter().chain(backwards) {
        let c = both(one, two).expect("translated");
        let end = execute(&pool, &c, |_, _| 0).0;
        let refused = match &end {
            End::Error(Property::Unsupported(what)) => what.contains("in another file"),
            End::Error(Property::Undefined(what)) => what.contains("argument"),
            _ => false,
        };
        assert!(refused, "{end:?}");
    }
    // A prototype in another file converts nothing.
    let (one, two) = ("int f(); int main(void) { return f(-1); }", "int f(long long a) { return a < 0; }");
    for (one, two) in [(one, two), (two, one)] {
        let c = both(one, two).expect("translated");
        let end = execute(&pool, &c, |_, _| 0).0;
        assert!(
            matches!(&end, End::Error(Property::Undefined(what)) if what.contains("an argument")),
            "{end:?}"
        );
    }
    let e = both("int v = 1; int main(void) { return v; }", "int v = 0;").err().expect("refused");
    assert!(e.to_string().ends_with("`v` is defined twice"), "{e}");
    let shared = "struct n { struct n *next; int k[2]; }; struct n mk(int);";
    let one = format!(
        "{shared} extern struct n list[]; struct t {{ int a; }}; extern struct o *opaque;
         extern const int limit;
         int main(void) {{ struct t t = {{4}}; struct n n = mk(3); list[1] = n;
           if (list[1].k[1] == 3 && t.a == limit && opaque) reach_error(); return 0; }}"
    );
    let two = format!(
        "{shared} struct n list[2]; struct t {{ char c; }}; struct o {{ int x; }} first, *opaque = &first;
         int limit;
         struct n mk(int k) {{ struct n n = {{0}}; n.k[1] = k; limit = 4; return n; }}"
    );
    let c = both(&one, &two).expect("translated");
    assert_eq!(execute(&pool, &c, |_, _| 0).0, error("unreach-call"));
}

/// A block that is resized moves, or stays where it is: whether it does is open, however undefined accesses
/// are treated.
#[test]
fn resized_blocks_may_stay() {
    let text = "void *realloc(void *, unsigned long); void free(void *);\n\
        int main(void) { int *p = malloc(40), *q = realloc(p, 4); \
        if (q == p) reach_error(); free(q); return 0; }";
    for undefined in [UndefinedMemory::Report, UndefinedMemory::Arbitrary, UndefinedMemory::Assume] {
        let options = COptions { undefined, ..COptions::default() };
        let end = run_with(text, &options, &[]);
        let open = match undefined {
            UndefinedMemory::Report => matches!(&end, End::Error(Property::Undefined(_))),
            UndefinedMemory::Arbitrary => matches!(&end, End::Error(Property::Unsupported(_))),
            UndefinedMemory::Assume => matches!(&end, End::Stuck(_)),
        };
        assert!(open, "{undefined:?}: {end:?}");
    }
}

#[test]
fn data_models_differ() {
    let text = "int main(void) { unsigned long x = 4294967295u; x = x + 1; \
        if (x == 0 && sizeof(void *) == 4) reach_error(); return 0; }";
    assert_eq!(run(text, &[]), error("unreach-call"));
    let options = COptions { data_model: DataModel::Lp64, ..COptions::default() };
    assert_eq!(run_with(text, &options, &[]), End::Exit);
}

#[test]
fn names_are_those_of_the_source() {
    let pool = TermPool::new();
    let text = "int g; int f(int x) { int s = 0; while (x > 0) { s += x; x--; } return s; }\n\
        int main(void) { int x = __VERIFIER_nondet_int(); g = f(x) + f(x + 1); if (g == 3) reach_error(); \
        return 0; }";
    let c = build(&pool, text, &COptions::default());
    let names: Vec<&str> =
        c.program.locations.iter().flat_map(|l| &l.vars).map(|&v| pool.var_name(v)).collect();
    for expected in ["f::x", "f::s", "f#2::x", "f#2::s"] {
        assert!(names.contains(&expected), "{expected} in {names:?}");
    }
    let heads: Vec<&str> = c.program.locations.iter().map(|l| l.name.as_str()).collect();
    assert!(heads.contains(&"f:3") && heads.contains(&"f#2:3"), "{heads:?}");
}

/// Only what is reached is checked: the left operand of a comma in a branch that is not taken is not
/// evaluated.
#[test]
fn commas_are_evaluated_where_they_are_reached() {
    let conditional = "int main(void) { int x = __VERIFIER_nondet_int(); int y = x ? (1 / x, 2) : 3; \
        if (y == 2) reach_error(); return 0; }";
    assert_eq!(check("assert,div-by-zero", conditional, &[0]), End::Exit);
    assert_eq!(check("assert,div-by-zero", conditional, &[1]), error("unreach-call"));
    let logical =
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x && (1 / x, 1)) reach_error(); return 0; }";
    assert_eq!(check("assert,div-by-zero", logical, &[0]), End::Exit);
    assert_eq!(check("assert,div-by-zero", logical, &[1]), error("unreach-call"));
    let reached = "int main(void) { int x = __VERIFIER_nondet_int(); int y = x ? 3 : (1 / x, 2); return y; }";
    assert_eq!(check("assert,div-by-zero", reached, &[0]), error("div-by-zero"));
}

/// Conditional expressions nested in each other, with and without effects and values, take linear time.
#[test]
fn deep_conditional_expressions() {
    const DEPTH: usize = 200;
    let nested = |step: &str, last: &str| format!("{}{last}{}", step.repeat(DEPTH), ")".repeat(DEPTH));
    let pure = nested("x++ == 7 ? 5 : (", "6").replace("x++ == 7", "x == 7");
    let acting = nested("++x == 7 ? x++ : (", "x");
    let void = nested("++x == 7 ? (void)x++ : (", "(void)0");
    let program = |e: &str| {
        format!(
            "int main(void) {{ int x = __VERIFIER_nondet_int(), y = 0; {e}; \
                if (y == 5 || x == 8) reach_error(); return 0; }}"
        )
    };
    let hit = |e: &str, inputs: &[i128]| run(&program(e), inputs) == error("unreach-call");
    assert!(hit(&format!("y = {pure}"), &[7]) && !hit(&format!("y = {pure}"), &[1]));
    assert!(hit(&format!("y = {acting}"), &[1]) && !hit(&format!("y = {acting}"), &[100]));
    assert!(hit(&void, &[1]) && !hit(&void, &[100]));
}

/// Outside functions, expressions with effects are refused with a message; those without are constants.
#[test]
fn initialisers_outside_functions() {
    let given = |initialiser: &str| {
        let text = format!(
            "int f(void); int g; struct p {{ int v; }} p; int x = {initialiser}; \
                int main(void) {{ return x; }}"
        );
        let checks = Checks::parse("overflow,div-by-zero").expect("known checks");
        let options = COptions { checks, ..COptions::default() };
        translate(&TermPool::new(), &[Input::Text("t.c".into(), text)], &options).map(|_| ())
    };
    for good in ["1 + (0, 2)", "1 && (0, 2)", "1 ? (1, 2) : 3", "(1 / 1, 4)"] {
        assert!(given(good).is_ok(), "{good}");
    }
    for bad in [
        "1 + f()",
        "1 ? f() : 2",
        "f() && 1",
        "g++",
        "1 + g++",
        "g = 1",
        "({ 1; })",
        "(f(), 1)",
        "-f()",
        "(&g)[f()]",
    ] {
        let message = given(bad).expect_err(bad).to_string();
        assert!(message.starts_with("t.c:1:"), "{bad}: {message}");
    }
}

/// Questions for a type inside each other, valid or not, are answered in linear time.
#[test]
fn deep_questions_for_types() {
    const DEPTH: usize = 60;
    let nested = |open: &str, inner: &str, close: &str| {
        format!(
            "int main(void) {{ int x = 1; unsigned long y = {}{inner}{}; if (y == 4) reach_error(); \
                return 0; }}",
            open.repeat(DEPTH),
            close.repeat(DEPTH)
        )
    };
    assert_eq!(run(&nested("sizeof(", "x", ")"), &[]), error("unreach-call"));
    assert_eq!(run(&nested("sizeof(1, ", "x", ")"), &[]), error("unreach-call"));
    assert_eq!(run(&nested("(typeof(", "x", "))4"), &[]), error("unreach-call"));
    let text = nested("", "x", ".v");
    let refused = translate(&TermPool::new(), &[Input::Text("t.c".into(), text)], &COptions::default());
    assert!(refused.err().expect("no struct").to_string().contains("no struct"));
}

/// The size of an expression is that of its type before arrays become pointers; nothing is evaluated.
#[test]
fn sizes_of_expressions() {
    let text = "struct s { char c[6]; int v; }; int a[7]; char *f(void); int main(void) { int x = 0; \
        struct s t; struct s *p = &t; \
        int sum = sizeof(a) + sizeof(t.c) + sizeof(p->c) + sizeof(*p) + sizeof(\"text\") + sizeof((char)x) + \
        sizeof(f()) + sizeof(x = 1) \
        + sizeof((int[]){ 1, 2, 3 }) + sizeof(a[0]) + sizeof(x ? a : a) + sizeof(1, a); \
        if (sum == 28 + 6 + 6 + 12 + 5 + 1 + 4 + 4 + 12 + 4 + 4 + 4 && x == 0) reach_error(); return 0; }";
    assert_eq!(run(text, &[]), error("unreach-call"));
}
