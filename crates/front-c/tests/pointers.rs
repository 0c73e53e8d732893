//! Pointers that C says little about: to objects that have ended, behind objects, compared with others.
//!
//! Each case is asked both ways. Where compilers differ or the behaviour is undefined there must be no
//! answer; beside it stand programs that look alike and have a meaning.

mod common;

use common::asked::{ends, no_answer, no_violation, open, refused, right};
use common::execute::{End, execute};
use palisade_front_c::options::{Slicing, UndefinedMemory};
use palisade_front_c::{COptions, Checks, Input, translate};
use palisade_program::Property;
use palisade_term::TermPool;

#[test]
fn variables_of_blocks_end() {
    no_answer("", "int *p; { int x = 5; p = &x; } { int y = 6; p += 0 * y; }", "*p == 5");
    no_answer(
        "",
        "int *p = 0, r = 0; for (int i = 0; i < 2; i++) { int a[3] = { i }; if (i == 0) p = a; \
               else r = p[0]; }",
        "r == 0",
    );
    no_answer(
        "",
        "int n = 0, r = 0, *p = 0; again: { int x = n; if (p) r = *p; p = &x; n++; if (n < 2) goto again; }",
        "r == 1",
    );
    no_answer("", "int *p; { p = (int[]){ 1, 2 }; }", "p[1] == 2");
    no_answer(
        "int *g; void f(int n) { int x = n; if (n) g = &x; else assert(*g == 3); }",
        "for (int i = 1; i >= 0; i--) f(i);",
        "1",
    );
    no_answer("struct S { int *p; } s;", "{ int x = 4; s.p = &x; }", "*s.p == 4");
    no_answer("int *a[9];", "int k = 3; { int x = 4; a[k] = &x; }", "*a[k] == 4");
    no_answer("int *f(void) { int x = 5; int *p = &x; return p; }", "int *p = f();", "*p == 5");
}

/// An array may hold a pointer to the variable of an earlier round, which is not told from one to the new
/// variable: then there is no answer, even where there is a meaning.
#[test]
fn arrays_keep_pointers_to_earlier_variables() {
    no_answer(
        "int *a[40];",
        "int r = 0; for (int i = 0; i < 2; i++) { int y = 5; a[20 + i] = &y; if (i == 1) r = *a[20]; }",
        "r == 5",
    );
    no_answer(
        "int *a[9]; int f(int k) { int x = k; a[k] = &x; return *a[k / 2]; }",
        "int r = f(1); r = f(2);",
        "r == 2",
    );
    no_answer(
        "int *a[9];",
        "int k = 3, r = 0; for (int i = 0; i < 2; i++) { int x = i; a[k] = &x; r += *a[k]; }",
        "r == 1",
    );
    right(
        "",
        "int k = 3, r = 0; for (int i = 0; i < 2; i++) { int *a[9]; int x = i; a[k] = &x; r += *a[k]; }",
        "r == 1",
    );
}

#[test]
fn variables_of_blocks_exist() {
    right("", "int r = 0; { int x = 5; int *p = &x; *p = 6; r = x; }", "r == 6");
    right("", "int r = 0; for (int i = 0; i < 3; i++) { int x = i, *p = &x; *p += 1; r += x; }", "r == 6");
    right("int *f(void) { static int x = 5; return &x; }", "", "*f() == 5");
    right(
        "int f(int *p) { { int y = *p; p = &y; *p = 3; return y + *p; } }",
        "int x = 1;",
        "f(&x) + f(&x) == 12",
    );
    right(
        "int f(int **p) { int x = 4; *p = &x; int r = **p; *p = 0; return r; }",
        "int *p;",
        "f(&p) == 4 && p == 0",
    );
    right("", "int x = 1, *p = &x; { int y = 2; p = &y; p = &x; }", "*p == 1");
}

#[test]
fn freed_blocks() {
    no_answer("", "int *p = malloc(4); *p = 5; free(p);", "*p == 5");
    no_answer("", "int *p = malloc(4), *q = p; *p = 5; free(q);", "*p == 5");
    no_answer("", "int *p = malloc(4); free(p); free(p);", "1");
    no_answer("", "int x, *p = &x; free(p);", "1");
    no_answer("", "char *p = malloc(4); free(p); char *q = malloc(4);", "p == q");
    no_answer(
        "struct N { int v; struct N *n; };",
        "struct N *l = 0; for (int i = 0; i < 2; i++) { \
               struct N *n = malloc(sizeof *n); n->v = i; n->n = l; l = n; } struct N *k = l->n; free(k);",
        "l->n->v == 0",
    );
    right(
        "struct N { int v; struct N *n; };",
        "struct N *l = 0; for (int i = 0; i < 2; i++) { \
           struct N *n = malloc(sizeof *n); n->v = i; n->n = l; l = n; } struct N *k = l->n; free(l);",
        "k->v == 0",
    );
    right("", "int *p = malloc(4); *p = 5; int r = *p; free(p);", "r == 5 && p != 0");
    right(
        "",
        "int s = 0; for (int i = 0; i < 2; i++) { int *p = malloc(4); *p = i; s += *p; free(p); }",
        "s == 1",
    );
    right("", "free(0);", "1");
}

#[test]
fn blocks_of_one_allocation_are_separate() {
    let two = "int *p[2]; for (int i = 0; i < 2; i++) { p[i] = malloc(4); *p[i] = i + 1; }";
    no_answer("", two, "p[0][2] == 2");
    for size in ["2", "0", "i", "sizeof(char)"] {
        no_answer("", &format!("for (int i = 0; i < 2; i++) {{ int *p = malloc({size}); *p = 1; }}"), "1");
    }
    no_answer("", two, "p[0][1] == 2");
    right("", two, "*p[0] == 1 && p[1][0] == 2");
    let compared = "int *p, *q = 0; for (int i = 0; i < 2; i++) { p = q; q = malloc(8); }";
    no_answer("", compared, "p < q");
    right("", compared, "p != q && q < q + 1");
    no_answer("", compared, "p + 2 == q");
    no_answer(
        "",
        "char *p, *q = 0; for (int i = 0; i < 2; i++) { p = q; q = __builtin_alloca(32); }",
        "q + 32 == p",
    );
    no_answer(
        "",
        "int *p[2]; for (int i = 0; i < 2; i++) { p[i] = malloc(12); free(p[i]); }",
        "p[0] == p[1]",
    );
    no_answer(
        "",
        "int *p = 0, same = 0; for (int i = 0; i < 2; i++) { \
           int *q = malloc(12); if (i && q == p) same = 1; p = q; free(q); }",
        "same",
    );
    right(
        "",
        "int *p, *q = 0; for (int i = 0; i < 2; i++) { p = q; q = malloc(8); q[1] = i; }",
        "p[1] == 0 && q[1] == 1",
    );
}

#[test]
fn comparisons() {
    no_answer("int a, b;", "", "&a < &b");
    no_answer("int a, b;", "", "&a >= &b");
    no_answer("int a, b;", "", "&a - &b == 1");
    no_answer("int a[2], b[2];", "", "a + 2 == b || b + 2 == a");
    no_answer("int a[2], b[2], *e = a + 2, *f = b;", "", "e == f");
    no_answer("", "const char *p = \"abc\", *q = \"abc\";", "p == q");
    no_answer("", "const char *p = \"abc\", *q = \"bc\";", "p + 1 == q");
    right("int a[3];", "int *p = a, *q = a + 3;", "p < q && q > p && q - p == 3 && p != q");
    right("int a[3], b;", "int *p = a + 1, *q = &b;", "p != q && p != 0 && q == &b");
    right("", "const char *p = \"abc\", *q = p + 1;", "q != p && q > p && q - 1 == p");
    right(
        "",
        "char a[6] = \"abcd\", b[6]; memmove(b, a, 5); memmove(a + 1, a, 3);",
        "b[3] == 'd' && a[3] == 'c'",
    );
}

/// Parts of one object whose cells are not in the order of their bytes.
#[test]
fn comparisons_in_one_object() {
    no_answer("union U { int a; int b; int *p; } u;", "int *p = &u.a, *q = &u.b;", "p == q");
    no_answer("union U { int a; short b; } u;", "", "(void *)&u.a < (void *)&u.b");
    no_answer("union U { int a; int b; } u;", "", "(unsigned long)&u.a == (unsigned long)&u.b");
    no_answer("struct S { char a[3]; int b; } s;", "", "(void *)&s.a[3] == (void *)&s.b");
    no_answer("struct S { int a; unsigned : 5; int b; } s;", "", "&s.a + 1 == &s.b");
    no_answer("struct S { int a; struct { } e; int b; } s;", "", "(void *)&s.e == (void *)&s.b");
    no_answer("struct E { } a[3];", "", "&a[0] == &a[2]");
    no_answer(
        "struct S { int a; int b[]; };",
        "struct S *p = malloc(sizeof *p + 8);",
        "(void *)p->b == (void *)(p + 1)",
    );
    right("struct S { int a, b, c; } s;", "int *p = &s.a, *q = &s.b;", "p != q && p < q && q == &s.b");
    right("union U { int a[3]; int b; } u;", "int *p = u.a, *q = p + 2;", "p < q && q - p == 2");
}

/// A pointer to what has ended, in an array or outside of its object when that happened.
#[test]
fn pointers_that_are_left() {
    let array = "int *a[40], k = 3; for (int i = 0; i < 40; i++) a[i] = 0; a[k] = malloc(4); free(a[k]);";
    no_answer("", &format!("{array} int *q = malloc(4);"), "a[k] == q");
    no_answer("", &format!("{array} int *q = malloc(4);"), "(unsigned long)a[k] == (unsigned long)q");
    no_answer("", "int *p = malloc(8), *q = p - 1; free(p); q++;", "*q == 1");
    // An address of a function is none of an object.
    right(
        "void f(void) { }",
        "void *p = f; int x = 0, *q = malloc(4); if (x) p = q; free(q);",
        "p == (void *)f",
    );
    no_answer("int x;", "int *p = malloc(8), *q = &x; q = p - 1; free(p); q++;", "*q == 1");
    no_answer("", "int *q; { int x[3] = { 1, 2, 3 }; q = x - 1; }", "q[1] == 1");
    no_answer(
        "",
        "int n = 3, *p = 0, same = 2; L:; int v[n]; if (!p) { p = v; n = 50; goto L; } same = p == v;",
        "same == 1",
    );
    right("", "int n = 3; int s = 0; L:; int v[n]; v[0] = n; s += v[0]; if (n-- > 1) goto L;", "s == 6");
}

/// The same members at other places, or in a struct of another size.
#[test]
fn structs_of_other_layouts() {
    let a = "struct A { char c; int x; }; struct __attribute__((packed)) B { char c; int x; };";
    no_answer(a, "struct A a; memset(&a, 0, sizeof a); a.x = 7; struct B *p = (struct B *)&a;", "p->x == 7");
    let a = "struct A { int x, y; }; struct B { int x, y; } __attribute__((aligned(16)));";
    let s = "struct A a[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 } }; struct B *p = (struct B *)a;";
    right(a, s, "p[1].x == 5");
    // Padding is written, too.
    let padded = "struct S { int a; char b; };";
    let two = "int m[2] = { -1, -1 }; struct S *p = (struct S *)m, t = { 1, 2 };";
    right(padded, &format!("{two} memset(p, 0, sizeof *p);"), "m[1] == 0");
    open(padded, &format!("{two} memcpy(p, &t, sizeof t);"), "m[1] == 2");
    right(padded, &format!("{two} memcpy(p, &t, sizeof t);"), "m[0] == 1 && *(char *)(m + 1) == 2");
    no_answer(
        padded,
        "int n = 5; char *m = malloc(n); struct S *p = (struct S *)m, t = { 1, 2 }; *p = t;",
        "m[0]",
    );
    right(
        padded,
        "char m[8]; struct S t = { 1, 2 }, *p = &t; memset(p, 0, sizeof t);",
        "t.a == 0 && p->b == 0",
    );
}

/// Rows of variable length lie beside each other where the array is used as a pointer.
#[test]
fn rows_of_variable_length() {
    let square = "int n = 3; int a[n][n]; a[0][2] = 1; a[1][1] = 5;";
    right("", square, "a[1][1] == 5 && a[0][2] == 1");
    no_answer("", square, "&a[1][0] - &a[0][0] == 3");
    right("", square, "(int *)(a + 1) - (int *)a == 3");
    right("", &format!("{square} int *p = *a; p[4] = 9;"), "a[1][1] == 9");
    right("", &format!("{square} int *p = a[0];"), "p + 3 == a[1]");
    no_answer("", "int n = 3; typedef int R[n]; R x[2];", "(char *)(x + 1) - (char *)x == 12");
    right("", "int n = 3; int a[2][n]; int (*p)[n] = a; p++;", "(int *)p == a[1]");
    right("", "int n = 3; int a[n][2]; a[1][0] = 4; int *p = a[1];", "*p == 4 && &a[1][0] - &a[0][0] == 2");
}

/// What is no access to memory is no violation of `--check bounds`; an access to what has ended is one.
#[test]
fn violations_of_bounds() {
    let end = |body: &str| {
        let text = format!("int a, b; void free(void *);\nint main(void) {{ {body} return 0; }}");
        let checks = Checks::parse("bounds").expect("a check");
        let options = COptions { checks, ..COptions::default() };
        let pool = TermPool::new();
        let c = translate(&pool, &[Input::Text("t.c".into(), text)], &options).expect("translated");
        execute(&pool, &c, |_, _| 0).0
    };
    for body in ["int *p = &a; a = p < &b;", "int *p = &a; a = p - &b;", "free(&a);"] {
        assert!(refused(&end(body)), "{body}: {:?}", end(body));
    }
    let ended = end("int *p = &a; { int x = 1; p = &x; } a = *p;");
    assert!(matches!(ended, End::Error(Property::Violated(_))), "{ended:?}");
}

/// A pointer behind an object is kept in memory like others.
#[test]
fn pointers_behind_objects_are_stored() {
    right(
        "int a[2];",
        "int *p[20]; for (int i = 0; i < 3; i++) p[i] = a + 2; int *q = p[1];",
        "q - a == 2 && q[-1] == 0",
    );
    right(
        "int a[2]; struct S { int *p; struct S *n; };",
        "struct S *s = 0; for (int i = 0; i < 2; i++) { \
           struct S *t = malloc(sizeof *t); t->p = a + 2; t->n = s; s = t; }",
        "s->n->p == a + 2",
    );
}

/// What a function changes through a pointer to the struct, seen as one to its first member.
#[test]
fn order_sees_casts_to_the_first_member() {
    let f = "int f(int *q) { *q = 50; return 0; } struct S { int x, y; } s = { 1, 5 };";
    no_violation(f, "", "s.x + f((int *)&s) == 1");
    no_violation(f, "struct S *p = malloc(sizeof *p); p->x = 1;", "p->x + f((int *)p) == 1");
    no_violation(
        "int f(void *v) { int *q = v; *q = 50; return 0; } struct S { int x, y; } s = { 1, 5 };",
        "",
        "s.x + f(&s) == 1",
    );
    right(f, "", "s.y + f((int *)&s) == 5");
}

/// `*p = *q = v` stores the same value twice, so it does not matter whether `p` is `q`; with another type or
/// another value it does.
#[test]
fn order_of_chained_assignments() {
    let two = "void f(char *p, char *q, int n) { p[0] = q[0] = n; p[n] = *q = p[1] = 'x'; }";
    right(two, "char a[4] = {0}, b[4] = {0}; f(a, b, 2);", "a[0] == 2 && b[0] == 'x' && a[2] == 'x'");
    right(two, "char a[4] = {0}; f(a, a, 2);", "a[0] == 'x' && a[1] == 'x'");
    let member = "struct S { int a[4]; char c; };";
    right(
        member,
        "struct S *p = malloc(sizeof *p); int n = 2; p->a[0] = p->a[1] = n; \
         p->a[2] = p->a[3] = p->c = n + 255;",
        "p->a[0] == 2 && p->a[1] == 2 && p->a[2] == 1 && p->c == 1",
    );
    for (set, call) in [
        ("void f(int *p, int *q) { *p = (*q = 2) + 1; }", "int x = 0; f(&x, &x);"),
        ("void f(int *p, int *q) { *p = *q = 2, *p += *q = 3; }", "int x = 0; f(&x, &x);"),
        ("union U { int i; short s[2]; }; void f(union U *u) { u->i = u->s[0] = 7; }", "union U u; f(&u);"),
        ("void f(int *p, int *q, int c) { *p = c ? 3 + 0 * (*q = 2) : 2; }", "int x = 0; f(&x, &x, 1);"),
    ] {
        for end in ends(set, call) {
            assert!(refused(&end), "{set}: {end:?}");
        }
    }
}

/// Members of two structs are in two objects, so their order does not matter; other objects may be seen as
/// bytes, and so may these, if they are not the same one.
#[test]
fn order_by_type_leaves_other_objects_as_bytes() {
    let f = "struct A { unsigned x, q; }; struct B { unsigned y, r; }; \
             int f(struct A *a, struct B *b) { return ++a->x > b->y; }";
    right(
        f,
        "struct A a = {1, 2}; struct B b = {2, 2}; unsigned char *c = (unsigned char *)&a; \
         int was = c[0]; int more = f(&a, &b);",
        "was == 1 && !more && c[0] == 2",
    );
    no_answer(
        f,
        "unsigned char *c = malloc(8); for (int i = 0; i < 8; i++) c[i] = 0; \
         int more = f((struct A *)c, (struct B *)c);",
        "more == 0 || more == 1",
    );
}

/// Orders that were chosen by type are known after slicing, which gives nodes other numbers.
#[test]
fn order_by_type_is_known_after_slicing() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
                struct S { int a, b; } s; int z, k;\n\
                static int g(unsigned char *q) { q[4] = 3; return 1; }\n\
                int main(void) { s.b = 1; z = 1; z = 2; s.b += g((unsigned char *)&s);\n\
                k = __VERIFIER_nondet_int(); if (k > 5) k = 5; if (k > 5) k = 5;\n\
                if (s.b == 4 && k <= 5) reach_error(); return 0; }";
    for slice in [Slicing::On, Slicing::Careful, Slicing::Off] {
        let options = COptions { slice, ..COptions::default() };
        let pool = TermPool::new();
        let input = [Input::Text("t.c".into(), text.into())];
        let c = translate(&pool, &input, &options).expect("translated");
        let ended = execute(&pool, &c, |_, _| 0).0;
        assert!(refused(&ended), "{ended:?}");
    }
}

/// The address of a struct is that of its first member, and who moves from there as bytes, or as another
/// scalar, comes to the next members.
#[test]
fn pointers_to_structs_leave_the_first_member() {
    let fill = "void fill(void *p, int n) { unsigned char *c = p; for (int i = 0; i < n; i++) c[i] = 3; }";
    let s = format!("struct S {{ unsigned char b[2], y; int n; }} s; {fill}");
    right(&s, "fill(&s, 3);", "s.y == 3 && s.n == 0");
    right(&s, "struct S t[2] = {0}; fill(t + 1, 3);", "t[1].y == 3 && t[0].y == 0");
    right("struct S { int a[2], b, c[3]; } s;", "void *v = &s; int *p = v; p[2] = 3;", "s.b == 3");
    // What cannot be had as bytes is not left, whatever undefined behaviour means.
    let end = |head: &str, body: &str| {
        let text = format!("{head}\n{fill}\nint main(void) {{ {body} return 0; }}");
        [UndefinedMemory::Arbitrary, UndefinedMemory::Assume, UndefinedMemory::Report].map(|undefined| {
            let options = COptions { undefined, ..COptions::default() };
            let pool = TermPool::new();
            let input = [Input::Text("t.c".into(), text.clone())];
            let c = translate(&pool, &input, &options).expect("translated");
            execute(&pool, &c, |_, _| 0).0
        })
    };
    for (head, body) in [
        ("struct S { unsigned char x, y; volatile int n; } s;", "unsigned char *c = (void *)&s; c[1] = 3;"),
        ("struct S { unsigned char x[2], y; union { int i; int *p; } u; } s;", "fill(&s, 3);"),
    ] {
        for ended in end(head, body) {
            assert!(refused(&ended), "{body}: {ended:?}");
        }
    }
    // A pointer to a member that leaves it is undefined, but changes the next one.
    let [arbitrary, ..] = end("struct S { int a, b; } s;", "int *p = &s.a; p[1] = 3;");
    assert!(refused(&arbitrary), "{arbitrary:?}");
}

/// gcc never calls such functions.
#[test]
fn own_definitions_of_functions_that_compilers_know() {
    let declared = "long long llabs(long long);";
    no_answer(
        &format!("{declared} long long llabs(long long n) {{ assert(0); return n; }}"),
        "",
        "llabs(-1) == 1",
    );
    no_answer(&format!("{declared} long long llabs(long long n) {{ return n; }}"), "", "llabs(-1) == 1");
    right("int abs(int n) { return n > 0 ? n : -n; }", "", "abs(-3) == 3");
    right("static int abs(int n) { return 7; }", "", "abs(-3) == 7");
    right("int isdigit(int c) { return c >= '0' && c <= '9'; }", "", "isdigit('7') == 1");
    no_answer("int isdigit(int c) { return c == '7'; }", "", "isdigit('0')");
    no_answer("int toascii(int c) { return c; }", "", "toascii(200) == 200");
    no_answer("int g; int isascii(int c) { g = 1; return 1; }", "isascii(1);", "g == 0");
}
