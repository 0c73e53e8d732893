// What the parser does not know by itself and is rewritten before parsing.
#include <stddef.h>
int a$b = 3; int $c = 1; int größe = 4; int caf\u00e9 = 5;
int (plain)(int x) { return x + 1; }
static int (*(chosen)(int up))(int);
static int minus(int x) { return x - 1; }
static int (*(chosen)(int up))(int) { return up ? plain : minus; }
void die(void) __attribute__( ( noreturn ) );
struct __attribute__( ( packed ) ) tight { char c; int i; };
struct looser { char c; int i; } __attribute__( ( packed , aligned ( 2 ) ) );
struct wide { char c; _Alignas(8) char d; _Alignas(int) char e; };
_Thread_local int own = 3; static __thread int other = 4;
int digits<:2:> = <%1, 2%>;;
_Static_assert(sizeof(int) == 4);
enum e { A __attribute__((unused)), B [[deprecated]] = 4 };
[[nodiscard]] static int same(int x) { return x; }
[[maybe_unused, gnu::noinline]] static int unused(void) { return 0; }
int calls;
int once(int n) { calls++; return n; }
#define OR(a, b) ((a) ?: (b))
#define MAX(a, b) ({ __auto_type x = (a); __auto_type y = (b); x > y ? x : y; })
int label_end(int n) { if (n) goto end; n = 5; end: return n; }
int ends(int n) { if (n > 2) goto out; n++; { goto out; out: } return n; }
int declared(int n) { switch (n) { case 1: int x = 7; return x; default: ; } l: const int y = 8; return y; }
int local_labels(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    __label__ again, done;
    int k = 0;
  again:
    if (k >= i) goto done;
    k++; sum++;
    { __label__ done; if (k == 2) goto done; sum += 10; done: ; }
    goto again;
  done: ;
  }
  return sum;
}
struct empty_able { int a, b; };
static int sum(struct empty_able s) { return s.a + s.b; }
int main(void) {
  int i, y$ = 4;
  CHECK(a$b + $c + y$ == 8) CHECK(größe == 4 && caf\u00e9 == 5)
  CHECK(plain(1) == 2 && chosen(1)(5) == 6 && chosen(0)(5) == 4)
  CHECK(sizeof(struct tight) == 5 && sizeof(struct looser) == 6)
  CHECK(offsetof(struct wide, d) == 8 && sizeof(struct wide) == 16 && offsetof(struct wide, e) == 12)
  CHECK(own + other == 7) own++; CHECK(own == 4)
  CHECK(digits<:0:> == 1 && digits[1] == 2 && B == 4 && same(2) == 2)
  i = once(5) ?: once(6); CHECK(i == 5 && calls == 1)
  i = once(0) ?: once(6); CHECK(i == 6 && calls == 3)
  i = OR(OR(0, once(0)), 9); CHECK(i == 9 && calls == 4)
  for (i = 0; i < 3; i++) CHECK((i ?: 7) == (i == 0 ? 7 : i))
  const char *s = 0; s = s ?: "ab"; CHECK(s[1] == 'b')
  unsigned char small = 200; CHECK(sizeof(small ?: 1) == 4 && (small ?: -1) == 200)
  __auto_type big = 3L; CHECK(sizeof big == sizeof(long) && big == 3)
  char letters[] = "xyz"; __auto_type p = letters; CHECK(sizeof p == sizeof(char *) && p[2] == 'z')
  CHECK(MAX(3, 4L) == 4 && sizeof MAX(3, 4L) == sizeof(long) && MAX(MAX(1, 2), 0) == 2)
  CHECK(label_end(0) == 5 && label_end(2) == 2 && ends(1) == 2 && ends(3) == 3)
  CHECK(declared(1) == 7 && declared(2) == 8)
  CHECK(local_labels(4) == 6 + 10 * 4)
  struct empty_able e = { 3, 4 }; CHECK(sum(e) == 7) e = (struct empty_able){}; CHECK(sum(e) == 0)
  CHECK(sum((struct empty_able){}) == 0)
  if (calls > 100) die();
  switch (i) { case 3: i = 4; [[fallthrough]]; case 9: i++; }
  CHECK(i == 5)
  return __VERIFIER_nondet_end();
}
void die(void) { for (;;) ; }
