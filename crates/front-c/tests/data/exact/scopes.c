// Types and enumerators end with their scope.
int A = 3;
enum { B = 3, C };
struct S { int x; };
struct holder { int a; enum kind { K = 3, L }; struct Q { int q; }; int b; struct { int c; union { int d; }; }; };
struct tail { struct Q; int q; };
static int in_if(void) { if (sizeof(enum { B = 9 }) == B) return 0; else return B; }
static int in_loop(void) {
  int k = 20;
  while (k-- > sizeof(enum { B = 4 })) if (B != 4) break;
  do k += sizeof(enum { B = 50 }); while (k < 30);
  for (; k > 0; k--) if (1) sizeof(enum { B = 8 });
  switch (sizeof(enum { B = 5, A })) { case 4: k = A; break; default: k = 0; }
  return 10 * k + B + A;
}
static int forward(void) {
  struct S;
  struct S *p;
  struct S { int a; int x; } s = {1, 2};
  p = &s;
  { struct S; struct W { struct S *p; } w; struct S { char c[9]; } t; w.p = &t; if (sizeof *w.p != 9) return 0; }
  return p->x + sizeof *p;
}
static int hidden(void) { enum { B = B + 5, C = B + C }; return 100 * B + C; }
int main(void) {
  CHECK(in_if() == 9) CHECK(B == 3 && A == 3)
  CHECK(in_loop() == 66)
  CHECK(forward() == 10) CHECK(sizeof(struct S) == 4)
  CHECK(hidden() == 812) CHECK(C == 4)
  struct holder h = {1, 2, {3, {4}}};
  CHECK(sizeof h == 16) CHECK(h.b == 2 && h.c == 3 && h.d == 4) CHECK(L == 4)
  CHECK(sizeof(struct tail) == 4) CHECK(sizeof(struct Q) == 4)
  CHECK(sizeof(main) == 1) CHECK(sizeof(&main) == sizeof(void *))
  int A = 5;
  if (sizeof(enum { A = 7 }) == 4) { CHECK(A == 7) }
  CHECK(A == 5)
  {
    (void)sizeof(enum { A = 7 });
    CHECK(A == 7)
  }
  {
    int r = (sizeof(enum { A = 8 }), A + sizeof(struct S { char c[A]; }) * 100 + sizeof(struct S));
    CHECK(r == 816)
    enum { L = 3 } a[L];
    CHECK(sizeof a == 12 && sizeof(struct S) == 8)
  }
  {
    for (A = sizeof(enum { L = 2 }); A < L + 3; A++) CHECK(L == 2)
    CHECK(A == 5 && L == 4)
    for (int i = 0; i < 2; i++) if (sizeof(enum { L = 11 }) && L != 11) A = 0;
    A += (sizeof(struct S { char c; }) == 1) - sizeof(struct S);
    CHECK(A == 5 && sizeof(struct S) == 1)
  }
  return __VERIFIER_nondet_end();
}
