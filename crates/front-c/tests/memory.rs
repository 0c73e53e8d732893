//! What the memory model says about C that is easy to get wrong: objects seen through two types, blocks of
//! odd sizes, objects of the environment.
//!
//! Every case is a program whose value gcc knows, asked both ways: `assert(e)` must not fail and `assert(!e)`
//! must, or the run ends in something that is named as unsupported or undefined. No answer is never the wrong
//! one, but [`right`] demands the right one.

mod common;

use common::asked::{ends, never_wrong, no_answer, open, refused, right};
use common::execute::End;

const INT_OR_BYTES: &str = "union U { int i; char c[4]; };";

#[test]
fn unions_seen_through_two_types() {
    let cases = [
        ("union U u; char *p = u.c; u.i = 0; p[0] = 7;", "u.i == 7"),
        ("union U u; u.i = 0; char *p = &u.c[1]; *p = 1;", "u.i == 256"),
        ("union U u; u.i = 0; memset(u.c, 1, 4);", "u.i == 0x01010101"),
        ("union U u; u.i = 0x01020304;", "u.c[0] == 4"),
        ("union U u; u.i = 0x01020304; u.c[0] = 0;", "u.c[1] == 3"),
        ("union U u; u.i = 0x01020304; char *p = u.c;", "p[1] == 3"),
        ("union U a[3]; int k = 1; a[k].i = 0; a[k].c[0] = 3;", "a[k].i == 3"),
        ("union U a[3]; int k = 1; a[k].i = 0; char *p = a[k].c; p[k] = 3;", "a[k].i == 768"),
        ("union U u; int *p = &u.i; *p = 0; u.c[0] = 1;", "*p == 1"),
        ("union U u = { 5 };", "u.c[0] == 5"),
        ("union U u = { .c = { 1, 1 } };", "u.i == 257"),
        ("union U *p = malloc(sizeof *p); p->i = 0; p->c[1] = 1;", "p->i == 256"),
    ];
    for (statements, expression) in cases {
        never_wrong(INT_OR_BYTES, statements, expression);
    }
    let by_call = format!("{INT_OR_BYTES} void g(char *p) {{ p[0] = 5; }}");
    never_wrong(&by_call, "union U u; u.i = 0; g(u.c);", "u.i == 5");
    let nested = "struct S { int k; union { int i; struct { short a, b; } s; } u; };";
    never_wrong(nested, "struct S s; s.u.i = 0x00010002; s.u.s.a = 5;", "s.u.s.b == 1");
    let halves = "struct A { int x, y; }; union U { struct A a; int i; };";
    never_wrong(
        halves,
        "union U u; struct A s; u.a.x = 1; u.a.y = 2; u.i = 5; s = u.a;",
        "s.x == 5 && s.y == 2",
    );
}

/// The strides of the arrays around a union need not be multiples of each other.
/// A word beside bit-fields, some of which have no name: those bits stay where a member is written, and are
/// unspecified where the struct is.
#[test]
fn registers_with_bits_that_have_no_name() {
    let register = "typedef union { struct { unsigned on : 1, : 7, rate : 12, : 12; } b; unsigned w; } R; \
                    struct D { char id; R r; }; static R zero;";
    let cases = [
        ("R r; r.w = 0xfffffff1;", "r.b.on && r.b.rate == 0xfff"),
        ("R r; r.w = 0xffffffff; r.b.rate = 5;", "r.w == 0xfff005ff"),
        ("zero.b.rate = 5; zero.b.on = 1;", "zero.w == 0x501"),
        ("R r = { .w = 0xff }; R s = r; s.b.on = 0;", "s.w == 0xfe"),
        ("R r; r.w = 0xff; R *p = &r; p->b.rate = 1; unsigned *w = &r.w;", "*w == 0x1ff"),
        ("struct D d[2]; int k = 1; d[k].r.w = 0xf0; d[k].r.b.rate = 1; d[0] = d[k];", "d[0].r.w == 0x1f0"),
        ("R r = { .b = { 1, 3 } }, s; s.w = 0; s.b = r.b;", "s.b.rate == 3 && r.b.on"),
        ("R r = { .b = { 1, 3 } }; r.w = 7; r.b.rate = 1;", "r.w == 0x107"),
    ];
    cases.iter().for_each(|(statements, e)| right(register, statements, e));
    for statements in [
        "R r = { .b = { 1, 3 } };",
        "R r = { .w = 0 }, s; s.w = 0; s.b = r.b; s.b.on = 1;",
        "R r[2] = { { .b = { 1, 3 } } }, s = r[0];",
    ] {
        let e = if statements.contains(" s") { "s.w == 0x301" } else { "r.w == 0x301" };
        no_answer(register, statements, e);
    }
}

#[test]
fn unions_in_arrays_of_structs_that_begin_with_something_else() {
    let bank = "union U { unsigned w; unsigned char b[4]; }; struct S { int t; union U u[2]; } s[2];";
    right(bank, "s[1].u[1].b[3] = 128;", "s[1].u[1].w == 0x80000000u");
    right(bank, "s[1].u[1].w = 7;", "s[1].u[1].b[0] == 7 && s[1].u[0].w == 0 && s[0].u[1].w == 0");
    right(bank, "int i = 1, k = 1; s[i].u[k].b[i] = 1;", "s[1].u[1].w == 256");
    right(bank, "struct S *p = &s[1]; union U *q = p->u; q++; q->b[0] = 3;", "s[1].u[1].w == 3");
    let nested = "union U { unsigned w; unsigned char b[4]; }; struct A { char k; union U u; };
        struct B { short t; struct A a[3]; } x[2];";
    right(nested, "x[1].a[2].u.b[1] = 2;", "x[1].a[2].u.w == 512 && x[1].a[1].u.w == 0");
    right(nested, "int i = 1; x[i].a[i + 1].u.w = 512;", "x[1].a[2].u.b[1] == 2");
    let tagged = "union U { int *p; char s[8]; }; struct S { int t; union U u[2]; } s[2]; int g = 5;";
    never_wrong(tagged, "s[1].u[1].p = &g;", "*s[1].u[1].p == 5");
    for end in ends(tagged, "s[1].u[1].s[0] = 1; assert(s[1].u[1].p == 0);") {
        assert!(refused(&end), "{end:?}");
    }
}

/// A cast to a floating type ends a constant expression of integers.
#[test]
fn quotients_of_converted_constants() {
    for x in [
        "(double)(1LL << 40) / (1LL << 41) != (double)(1LL << 40) / (1LL << 42)",
        "(float)((1LL << 62) + 1) == (float)(1LL << 62)",
    ] {
        never_wrong("", &format!("int x = {x};"), "x");
        let answers = ends("", &format!("int x = {x}; assert(x);"));
        assert!(answers.contains(&End::Exit), "{x}: {answers:?}");
    }
}

/// `_Alignof` and `__alignof__` differ for 8-byte scalars on i386, with parentheses too.
#[test]
fn alignments_in_parentheses() {
    right("", "", "(_Alignof(long long)) == 4 && ((__alignof__(long long))) == 8");
    right("", "", "( _Alignof(double)) == 4 && _Alignof(long long) == 4");
}

#[test]
fn unions_used_as_their_last_written_member() {
    right(INT_OR_BYTES, "union U u; u.c[0] = 1; u.c[1] = 2;", "u.c[0] == 1 && u.c[1] == 2");
    right(INT_OR_BYTES, "union U u, v; u.c[0] = 1; u.c[1] = 2; v = u;", "v.c[1] == 2");
    right(INT_OR_BYTES, "union U u; char *p = u.c; p[2] = 3;", "u.c[2] == 3");
    right(
        INT_OR_BYTES,
        "union U a[3]; int k = 2; a[k].c[k] = 3; a[1].i = 5;",
        "a[2].c[2] == 3 && a[1].i == 5",
    );
    right("union U { int i; unsigned j; } g;", "", "g.i == 0 && g.j == 0");
    let halves = "struct A { int x, y; }; union U { struct A a; int i; };";
    right(halves, "union U u; struct A s = { 1, 2 }; u.i = 5; u.a = s;", "u.a.y == 2 && u.a.x == 1");
    right(halves, "union U u; struct A *p = &u.a; u.i = 5; *p = (struct A){ 1, 2 };", "u.a.y == 2");
}

#[test]
fn floating_point_members_overwrite_the_others() {
    let either = "union U { int i; float f; }; struct S { int k; union U u[2]; };";
    let cases = [
        ("union U u; u.i = 0; u.f = 1.0f;", "u.i != 0"),
        ("union U u; float *p = &u.f; u.i = 0; *p = 1.0f;", "u.i != 0"),
        ("union U u = { .f = 1.0f };", "u.i != 0"),
        ("static union U u = { .f = 1.0f };", "u.i != 0"),
        ("union U u = { .f = 1.0f }, v; v.i = 0; v = u;", "v.i != 0"),
        ("struct S s; s.u[1].i = 0; s.u[1].f = 2.0f;", "s.u[1].i != 0"),
        ("struct S s; int k = 1; s.u[k].i = 0; s.u[k].f = 2.0f;", "s.u[k].i != 0"),
        ("int i = 0; *(float *)&i = 1.0f;", "i != 0"),
    ];
    for (statements, expression) in cases {
        never_wrong(either, statements, expression);
    }
    right(either, "union U u; u.f = 1.0f; u.i = 3;", "u.i == 3");
    right("struct S { int i; float f; };", "struct S s; s.i = 3; s.f = 1.0f;", "s.i == 3");
}

#[test]
fn blocks_of_odd_sizes() {
    let flexible = "struct M { int n; char data[]; };";
    never_wrong(
        flexible,
        "struct M *m = malloc(sizeof *m + 3); m->n = 3; m->data[2] = 5;",
        "m->data[2] == 5",
    );
    never_wrong(flexible, "struct M *m = malloc(sizeof *m); m->n = 3;", "m->n == 3");
    never_wrong("struct M { int a, b, c; };", "struct M *m = malloc(8); m->a = 1; m->b = 2;", "m->b == 2");
    let short = "struct M { int n; char data[1]; };";
    never_wrong(short, "struct M *m = malloc(sizeof *m + 8); m->n = 3; m->data[2] = 5;", "m->data[2] == 5");
    right(
        short,
        "struct M *m = malloc(sizeof *m); m->n = 3; m->data[0] = 5;",
        "m->n == 3 && m->data[0] == 5",
    );
    right("", "int *p = malloc(10); p[1] = 4;", "p[1] == 4");
}

#[test]
fn volatile_objects_change_by_themselves() {
    // With all inputs zero, what was written is not what is read.
    for (scope, statements) in [
        ("volatile int v;", "v = 1;"),
        ("", "volatile int v = 1;"),
        ("const volatile int v = 1;", ""),
        ("typedef volatile int reg; reg v;", "v = 1;"),
        ("volatile int a[2]; int *const p = (int *)a;", "a[1] = 1; int v = p[1];"),
        ("struct S { int k; volatile int r; } s;", "s.r = 1; int v = s.r;"),
        ("volatile struct S { int k; } s;", "struct S *p = (struct S *)&s; p->k = 1; int v = p->k;"),
        ("int f(volatile int x) { return x; }", "int v = f(1);"),
        ("", "int v = *(volatile int *)0x1000;"),
    ] {
        open(scope, statements, "v == 1");
    }
    right("int *volatile p; volatile int *q; int x;", "x = 1; q = &x; *q = 2;", "x == 2");
    right("volatile int v;", "int a = (v = 3); int b = ++v;", "a == 3");
    right("", "int x = 1; *(volatile unsigned *)0x40020010u = 1;", "x == 1");
    right("", "int x = 1; volatile unsigned *r = (void *)0x4000; r[3] = 1; r[4] |= 2;", "x == 1");
    never_wrong("int g; int *volatile p;", "p = &g; *p = 2;", "g == 2");
}

/// With all inputs zero a function without body returns zero or null; it may still have changed what it can
/// get at.
#[test]
fn functions_without_body_change_what_they_can_get_at() {
    let refused_or_open = |scope: &str, statements: &str, expression: &str| {
        for end in ends(scope, &format!("{statements} assert({expression});")) {
            assert!(refused(&end), "{statements} {expression}: {end:?}");
        }
    };
    refused_or_open("void ext(void); int g;", "g = 1; ext();", "g == 1");
    refused_or_open("void ext(void); int a[3];", "a[1] = 1; ext();", "a[1] == 1");
    refused_or_open("void ext(void); int *p; static int s;", "p = &s; s = 1; ext();", "s == 1");
    refused_or_open("void ext(void); struct S { int k; } g, h;", "g.k = 1; ext(); h = g;", "h.k == 1");
    refused_or_open("int *ext(void); int g;", "int *p = ext(); g = 1; *p = 2;", "g == 1");
    right("void ext(void); int g;", "g = 1; ext(); g = 2;", "g == 2");
    right("void ext(void); static int g;", "g = 1; ext();", "g == 1");
    right("void ext(void); const int g = 1;", "ext();", "g == 1");
    right("int __VERIFIER_nondet_int(void); int g;", "g = 1; __VERIFIER_nondet_int();", "g == 1");
    right("void ext(void); int g;", "int x = 1; int *p = &x; *p = 3; ext();", "x == 3");
}

#[test]
fn calls_through_pointers_of_another_type() {
    never_wrong(
        "int f(int x) { return x; }",
        "int x = 1; void (*p)(void) = (void (*)(void))f; p(); x = 2;",
        "x == 2",
    );
}

#[test]
fn writes_to_constant_objects_are_undefined() {
    no_answer("", "char *s = \"ab\"; s[0] = 'c';", "s[0] == 'c'");
    no_answer("const int k = 1;", "int *p = (int *)&k; *p = 2;", "k == 2");
    no_answer("const int a[3] = { 1, 2, 3 };", "int *p = (int *)a; p[1] = 5;", "a[1] == 5");
    right("int n; const int k = 1;", "int *p = k ? &n : (int *)&k; *p = 2;", "n == 2 && k == 1");
    right("char b[3] = \"ab\";", "char *s = b; s[0] = 'c';", "b[0] == 'c'");
}

#[test]
fn calloc_counts_in_size_t() {
    let declared = "void *calloc(unsigned, unsigned); int nondet_int(void);";
    right(declared, "int *p = calloc(65536, 65536);", "p == 0");
    right(
        declared,
        "unsigned char n = 200; int *p = calloc(n, 4); p[199] = 1;",
        "p[199] == 1 && p[198] == 0",
    );
    right(
        declared,
        "unsigned n = nondet_int() + 3u; int *p = calloc(n, 4); p[2] = 1;",
        "p[2] == 1 && p[1] == 0",
    );
}
