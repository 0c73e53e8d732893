// Jumps out of functions.
#include <setjmp.h>
static jmp_buf env; static int depth, effects;
static void inner(int n) { if (n > 3) longjmp(env, 42); depth++; inner(n + 1); depth = 100; }
static int global(void) {
  int r = setjmp(env);
  if (r == 0) { inner(0); return -1; }
  return r;
}
// Zero becomes one.
static int zero(void) { switch (setjmp(env)) { case 0: longjmp(env, 0); case 1: return 7; } return 8; }
// What is `volatile` keeps its value, and so does what was not changed.
static int kept(int a) {
  volatile int x = 1; int y = a + 1;
  if (setjmp(env)) return x * 100 + y * 10 + a;
  x = 2;
  longjmp(env, 1);
}
// Several times, by one buffer.
static int again(void) {
  volatile int n = 0;
  int r = setjmp(env);
  if (r < 3) { n++; longjmp(env, r + 1); }
  return n * 10 + r;
}
// The inner one first, each by its own buffer.
static int parse(jmp_buf *failed, const char *s) {
  int v = 0;
  for (; *s; s++) { if (*s < '0' || *s > '9') longjmp(*failed, *s); v = v * 10 + (*s - '0'); }
  return v;
}
static int attempt(const char *s, int *out) {
  jmp_buf failed; int c = setjmp(failed);
  if (c != 0) return c;
  *out = parse(&failed, s);
  return 0;
}
static int nested(void) {
  int v = 0;
  if (setjmp(env) != 0) return 2;
  if (attempt("12x", &v) != 'x') return 3;
  if (attempt("345", &v) != 0 || v != 345) return 4;
  longjmp(env, 9);
}
// Through a pointer to a function, and out of a loop.
static void raise(int n) { if (n == 2) longjmp(env, n); effects += n; }
static int called(void (*f)(int)) {
  if (setjmp(env) == 0) for (int i = 0; i < 5; i++) f(i);
  return effects;
}
// In a struct that says where the next one is.
struct frame { struct frame *outer; jmp_buf buffer; }; static struct frame *frames;
static void throw(int v) { struct frame *f = frames; frames = f->outer; longjmp(f->buffer, v); }
static int caught(int a, int b) {
  struct frame own; int r;
  own.outer = frames; frames = &own;
  r = setjmp(own.buffer);
  if (r == 0) { if (b == 0) throw(a); frames = own.outer; return a / b; }
  return r + 1000;
}
static int outer(int a) {
  struct frame own; own.outer = frames; frames = &own;
  if (setjmp(own.buffer) == 0) { int r = caught(a, 0); throw(r); }
  return frames == 0;
}
// Nothing of the expression behind it is evaluated.
static int jumps(int v) { longjmp(env, v); return 1; }
static int part(void) { if (setjmp(env) == 0) effects = jumps(3) + 5; return effects; }
int main(void) {
  CHECK(global() == 42) CHECK(depth == 4)
  CHECK(zero() == 7) CHECK(kept(3) == 243) CHECK(again() == 33)
  CHECK(nested() == 2) CHECK(called(raise) == 1)
  CHECK(caught(8, 2) == 4) CHECK(caught(5, 0) == 1005) CHECK(outer(6) == 1)
  CHECK(part() == 1)
  return __VERIFIER_nondet_end();
}
