//! When the parts of an expression are evaluated: only where they are reached, after what comes before them,
//! and in every order that C allows.
//!
//! Each case is asked both ways (`common::asked`).

mod common;

use common::asked::{no_answer, no_violation, open, right};

const ADD: &str = "int h(int a, int b) { return a * 100 + b; }";

/// What is not written as an effect is evaluated at its time all the same: the lengths of arrays in types,
/// structs and unions that are made.
#[test]
fn parts_without_effects_have_their_time() {
    right("", "int n = 2, m = (n = 3) ? (int)sizeof(int[n]) : 0;", "m == 12");
    right("", "int n = 0, r = n > 0 ? (int)sizeof(int[10 / n]) : 3;", "r == 3");
    right("", "int n = 0, r = n && sizeof(int[10 / n]);", "r == 0");
    let u = "union U { int i; char c[4]; };";
    right(u, "int x = 2, r = (x = 5) ? ((union U)x).i : 0;", "r == 5");
    right(u, "int x = 1, z = 0, r = z ? ((union U)(x / z)).i : 4;", "r == 4");
    let s = "struct S { int a, b; } x = { 1, 2 }, y = { 3, 4 }; int k = 1, z;";
    right(s, "int r = (x.a = 5) ? (k ? x : y).a : 0;", "r == 5");
    right(s, "int r = z && (10 / z ? x : y).a;", "r == 0");
    right(s, "int r = z || (k ? x : y).a;", "r == 1");
    right(s, "struct S t = (k = 0) ? x : (k ? x : y);", "t.a == 3");
}

#[test]
fn orders_of_evaluation() {
    let f = "int n = 2; int f(void) { n = 4; return 1; }";
    no_violation(&format!("{ADD} {f}"), "", "h(sizeof(char[n]), f()) == 201");
    let s =
        "struct S { int a, b; } x = { 1, 2 }, y = { 3, 4 }; int k = 1; int f(void) { x.a = 7; return 1; }";
    no_violation(&format!("{ADD} {s}"), "", "h((k ? x : y).a, f()) == 101");
    // The function is one that a variable points to.
    let g = "int i; int g(void) { i = 1; return 5; }";
    no_violation(g, "int a[2] = { 7, 8 }; int (*f)(void) = g; a[i] = f();", "a[0] == 5");
    // Members of a union, and structs of one shape.
    let u = "union U { int i; short s; } u; int f(int *p) { *p = 0x10002; return 1; } \
             int g(short *q) { return *q; }";
    no_violation(&format!("{ADD} {u}"), "u.i = 7;", "h(f(&u.i), g(&u.s)) == 102");
    let two = "struct A { int x, y; } a; struct B { int x, y; }; \
               int f(struct A *p) { p->y = 3; return 1; } int g(struct B *q) { return q->y; }";
    no_violation(&format!("{ADD} {two}"), "a.y = 7;", "h(f(&a), g((struct B *)&a)) == 103");
    right(&format!("{ADD} {two}"), "struct B b = { 5, 6 };", "h(f(&a), g(&b)) == 106");
    // The indices are different variables.
    let copy = "int in[3] = { 1, 2, 3 }, out[3], r, w; \
                void copy(int *to, int *from) { unsigned i = 0, k = 0; while (i < 3) to[k++] = from[i++]; }";
    right(copy, "copy(out, in);", "out[0] == 1 && out[2] == 3");
    right(copy, "int s = in[r++] + in[w++];", "s == 2 && r == 1 && w == 1");
    right(copy, "out[w++] = in[2 - r++]; out[w++] = in[2 - r];", "out[0] == 3 && out[1] == 2 && w == 2");
    // A violation in one operand, and what happens before it or not.
    let err = "int x = 1; int f(void) { assert(!x); return 1; } int g(void) { x = 0; return 2; }";
    no_answer(&format!("{ADD} {err}"), "int r = h(f(), g());", "r == 102");
}

/// What an initialiser list sees of the object that it initialises is left open; its address is not.
#[test]
fn initialisers_that_use_their_object() {
    let s = "struct S { int n; struct S *self; int k; char text[4]; char *at; }; \
             int count; int next(void) { return ++count; } \
             int see(struct S *p) { return p->n + 1; } int set(struct S *p) { p->n = 9; return 1; } \
             int sum(int *p) { return p[0] + p[1]; } int length(char *p) { return p[0] != 0; }";
    for (statements, expression) in [
        ("struct S s = { .n = 7, .k = see(&s) };", "s.k == 8"),
        ("struct S s = { .n = 3, .self = &s, .k = set(&s) };", "s.n == 3"),
        ("struct S s = { .k = (&s)->n, .n = 3 };", "s.k == 3"),
        ("struct S s = { .n = 1, .text = \"ab\", .k = length(s.text) };", "s.k == 1"),
        ("struct S s = { .n = next(), .k = s.n + 4 };", "s.k == 5"),
        ("struct S s = { .k = 3, .n = s.k };", "s.n == 3"),
        ("int a[3] = { 1, 2, sum(a) };", "a[2] == 3"),
        ("int a[2] = { next(), a[0] + 1 };", "a[1] == 2"),
        ("int a[2] = { 1, *a };", "a[1] == 1"),
        ("int *q, a[2] = { (q = a) != 0, *q };", "a[1] == 1"),
    ] {
        no_answer(s, statements, expression);
    }
    right(s, "struct S s = { .n = sizeof s, .self = &s, .at = s.text };", "s.self == &s && s.at == s.text");
    right(s, "struct S s = { .self = &s, .k = next(), .at = &s.text[1] };", "s.self->k == 1 && s.n == 0");
    right(s, "int s = 1; { struct S t = { .n = s, .k = see(&(struct S){ 4 }) }; s = t.k; }", "s == 5");
}

/// Numbers that become pointers have the bits of an address.
#[test]
fn numbers_as_addresses() {
    right("", "void *p = (void *)0x100000000ULL;", "p == 0");
    right("", "void *p = (void *)0xffffffffUL, *q = (void *)-1;", "p == q");
    right("", "char *p = (char *)-1, *q = (char *)8;", "p > q && q < p");
    right("", "", "(char *)0xffffffffU - (char *)0 == -1 && (void *)-1 > (void *)8");
    right("", "", "(long long)(void *)0x80000000U == -2147483648LL");
    right("", "int *p = 0;", "sizeof(*(1 ? (void *)(void *)0 : p)) == 1");
    right("", "int *p = 0;", "sizeof(*(1 ? (void *)0 : p)) == 4 && sizeof(*(1 ? 0 : p)) == 4");
}

/// The length belongs to what the parameter points to.
#[test]
fn pointers_to_arrays_as_parameters() {
    let f = "int f(int (*p)[4]) { return p[1][0] + sizeof *p + ((char *)(p + 1) - (char *)p); }";
    right(f, "int a[2][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };", "f(a) == 37");
    right("int f(int (a)[4]) { return sizeof a; }", "int a[4] = { 1 };", "f(a) == 4");
    right(
        "int f(int (*a[3])(void)) { return a[1] != 0; } int g(void) { return 1; }",
        "int (*a[3])(void) = { g, g, g };",
        "f(a)",
    );
}

/// In its list an enumerator that does not fit `int` has the type of its value, behind it that of the enum.
#[test]
fn enumerators_in_their_list() {
    let list = "enum { A = 0x80000000u, B = A - A - 1 > 0, C = 0x80000000LL, D, E = sizeof D, F = 5ull,
                       G = sizeof F, H = 0xfffffffeu, I, J = I - I - 1 > 0 };";
    right(list, "", "B == 1 && E == 8 && G == 4 && J == 1 && sizeof D == 4 && D - D - 1 > 0");
}

/// In a chain of assignments of structs the order of the stores does not matter.
#[test]
fn chains_of_structs() {
    let types = "struct S { int a, b; char c[3]; }; union U { int i; char c[4]; };";
    let objects = "struct S s[3] = { { 1, 2, \"ab\" } }, *p = s + 1, *q = s + 2;";
    right(types, &format!("{objects} *p = *q = s[0];"), "p->a == 1 && q->b == 2 && p->c[1] == 'b'");
    right(types, &format!("{objects} q = p; *p = *q = s[0];"), "s[1].a == 1 && s[2].a == 0");
    right(types, &format!("{objects} *p = *p = *q = s[0]; s[0].a = 7;"), "s[1].a == 1 && s[2].c[0] == 'a'");
    right(types, "union U x = { 258 }, y, z[2]; z[0] = z[1] = y = x;", "z[0].c[0] == 2 && z[1].i == 258");
    // The index is read before or after it changes.
    no_answer(types, "struct S s[3] = { { 1 }, { 2 } }; int i = 0; s[i] = s[i = 1] = s[2];", "s[0].a == 0");
}

/// What a compiler without optimisation takes for a constant.
#[test]
fn constants_by_their_form() {
    let known = "__builtin_constant_p(3 + sizeof(int)) && __builtin_constant_p(\"abc\")";
    right("enum { E = 3 }; int f(void) { return 1; }", "int x = 1, *p = &x;", known);
    let not = "!__builtin_constant_p(x) && !__builtin_constant_p(*p) && !__builtin_constant_p(x + 1) \
               && !__builtin_constant_p(f())";
    right("int f(void) { return 1; }", "int x = 1, *p = &x;", not);
    for e in ["x * 0", "x - x", "x == x", "&x == 0"] {
        no_answer("", "int x = 1;", &format!("__builtin_constant_p({e})"));
    }
}

/// Functions without body may change what they can reach.
#[test]
fn changed_by_others() {
    // A struct that is copied as a whole, after something may have changed it.
    let s = "struct S { int *p; int n; }; void change(struct S *);";
    no_answer(s, "int x = 1; struct S s = { &x, 1 }, *q = &s; change(q); struct S b = *q;", "b.p == &x");
    // What is `const` is the pointer.
    let p = "typedef int *P; void change(const P);";
    open(p, "int x = 1; change(&x);", "x == 1");
}

/// A variable exists as long as its block: what a jump leads back to may read what it was, and what passes
/// over its declaration finds nothing in it.
#[test]
fn jumps_and_declarations() {
    let s = "struct S { int v; };";
    let back = "if (p->v < 3 && n++ < 10) goto L;";
    right(
        s,
        &format!("struct S *p = 0; int n = 0; L: p = &(struct S){{ p ? p->v + 1 : 0 }}; {back}"),
        "p->v == 3",
    );
    let declared = "struct S *p = 0; int n = 0; L:; struct S s = { p ? p->v + 1 : 0 }; p = &s;";
    right(s, &format!("{declared} {back}"), "s.v == 3");
    no_answer(s, "int n = 0; L:; struct S s = { n ? s.v + 1 : 0 }; if (n++ < 3) goto L;", "s.v == 3");
    let f = "int f(int k) { return k + 1; }";
    right(f, "int *a = (int[2]){ f(1), 3 };", "a[0] == 2 && a[1] == 3");
    right(f, "L:; int a[2] = { f(1), 3 }, x[2] = { a[1] }; if (x[1]) goto L;", "a[0] == 2 && x[0] == 3");
    let case =
        "int r = 0; for (int i = 0; i < 2; i++) switch (i) { int x; case 0: x = 5; break; case 1: r = x; }";
    open("", case, "r == 5");
    open("", "int r = 0; for (int i = 0; i < 2; i++) { if (i) goto L; int x; x = 5; L: r = x; }", "r == 5");
    open("int f(int k) { if (k) goto L; int x; x = 3; L: return x; }", "int r = f(0); r = f(1);", "r == 3");
    let kept = "int r = 0, i = 0; { L:; int x; if (i) r = x; x = 5; if (!i++) goto L; }";
    open("", kept, "r == 5");
    right(
        "",
        "int r = 0; for (int i = 0; i < 2; i++) switch (i) { int x; case 0: x = 5; r += x; }",
        "r == 5",
    );
}

/// Reads through bad pointers, also of numbers that are not modelled or that nobody uses.
#[test]
fn reads_without_use() {
    no_answer("", "double *p = 0; double d = *p;", "1");
    no_answer("void f(double d) {}", "double *p = 0; f(*p);", "1");
    no_answer("double g;", "double *p = 0; g = *p * 2 + 1;", "1");
    no_answer("", "int *p = 0; *p;", "1");
    no_answer("struct S { int n; char *s; };", "struct S *p = 0; p->s;", "1");
    right("double a[3];", "int i = 2; double d = a[i] + 1; a[i] = d; (void)a[i];", "i == 2");
    right("", "int x, *p = &x; (void)x; *p = 3;", "x == 3");
}

/// Names whose scope begins behind the initialiser, and statements that begin with `asm`.
#[test]
fn names_and_statements_of_gnu() {
    right("", "int x = 5, r; { __auto_type x = x + 1; r = x; }", "r == 6 && x == 5");
    right("int g = 3;", "__auto_type g = ({ __auto_type g = 2L; g + 1; });", "g == 3 && sizeof g == 4");
    right("struct S { int x; } s = { 4 };", "__auto_type x = s.x;", "x == 4");
    right("", "int x = 1; if (x) __asm__ volatile(\"\" ::: \"memory\"); while (!x) __asm__(\"\");", "x == 1");
    no_answer("", "", "__func__ == __FUNCTION__");
    right("", "const char *p = __func__;", "p == __func__");
}

/// Decimal constants that no type of the standard holds.
#[test]
fn large_constants() {
    right("", "", "9223372036854775808 < 0 && sizeof 9223372036854775808 == 8");
}
