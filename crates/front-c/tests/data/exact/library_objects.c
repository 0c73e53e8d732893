// Functions of the library on objects of any type, and formatted input from strings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct point { int x; short y; char tag; };
static int by_value(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b; return x < y ? -1 : x > y; }
static int downwards(const void *a, const void *b) { return by_value(b, a); }
static int by_x(const void *a, const void *b) {
  const struct point *p = a, *q = b; return (p->x > q->x) - (p->x < q->x); }
static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }
static int by_byte(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }
static void sort_by(int *a, size_t n, int (*order)(const void *, const void *)) { qsort(a, n, sizeof *a, order); }
static int *grown(int *p, unsigned n) { return realloc(p, n * sizeof *p); }
int main(void) {
  int n = __VERIFIER_nondet_end(), i, k; unsigned u; long l; char c, d, s[8], t[8];
  int *p = malloc(3 * sizeof *p); p[0] = 5; p[1] = 6; p[2] = 7;
  p = realloc(p, 5 * sizeof *p); p[3] = 8; p[4] = 9; CHECK(p[0] == 5 && p[2] == 7 && p[3] == 8 && p[4] == 9)
  p = realloc(p, (n + 2) * sizeof(int)); CHECK(p[0] == 5 && p[1] == 6) p = grown(p, n + 4); p[3] = 1;
  CHECK(p[1] == 6 && p[3] == 1) p[2] = 3; p = grown(p, 6); CHECK(p[0] == 5 && p[2] == 3 && p[3] == 1) free(p);
  int *q = 0; for (i = 1; i < 6; i++) { q = realloc(q, i * sizeof *q); q[i - 1] = i * i; }
  CHECK(q[0] == 1 && q[2] == 9 && q[4] == 25) free(q);
  struct point *r = realloc(NULL, 2 * sizeof *r); r[0].x = 1; r[1].y = 4; r[1].tag = 'z';
  r = realloc(r, 3 * sizeof *r); r[2].x = 2; CHECK(r[0].x == 1 && r[1].y == 4 && r[1].tag == 'z' && r[2].x == 2) free(r);
  char *w = malloc(4); strcpy(w, "abc"); w = realloc(w, n + 8); strcat(w, "def"); CHECK(strcmp(w, "abcdef") == 0)
  w = realloc(w, 2); w[1] = 0; CHECK(strcmp(w, "a") == 0) free(w);
  char **list = malloc(sizeof *list); list[0] = s; list = realloc(list, 2 * sizeof *list); list[1] = t;
  CHECK(list[0] == s && list[1] == t) free(list);
  int a[] = { 5, -3, 9, 0, 7, -3, 2 }; qsort(a, 7, sizeof a[0], by_value);
  CHECK(a[0] == -3 && a[1] == -3 && a[2] == 0 && a[3] == 2 && a[4] == 5 && a[5] == 7 && a[6] == 9)
  sort_by(a + 1, 4 + n, downwards); CHECK(a[0] == -3 && a[1] == 5 && a[2] == 2 && a[3] == 0 && a[4] == -3 && a[5] == 7)
  sort_by(a, 7, by_value); CHECK(a[0] == -3 && a[6] == 9 && a[2] == 0) sort_by(a, n, by_value); sort_by(a, n + 1, by_value);
  struct point ps[] = { { 3, 1, 'a' }, { 1, 2, 'b' }, { 2, 3, 'c' } }; qsort(ps, 3, sizeof *ps, by_x);
  CHECK(ps[0].tag == 'b' && ps[1].tag == 'c' && ps[2].tag == 'a' && ps[2].y == 1)
  const char *names[] = { "pear", "fig", "apple", "kiwi" }; qsort(names, 4, sizeof names[0], by_name);
  CHECK(names[0][0] == 'a' && names[1][0] == 'f' && names[2][0] == 'k' && names[3][0] == 'p')
  unsigned char bytes[] = { 200, 3, 150, 3 }; qsort(bytes, 4, 1, by_byte); CHECK(bytes[0] == 3 && bytes[1] == 3 && bytes[3] == 200)
  int key = 7, *at = bsearch(&key, a, 7, sizeof *a, by_value); CHECK(at == a + 5 && *at == 7)
  key = n + 4; CHECK(bsearch(&key, a, 7, sizeof *a, by_value) == 0) key = 99; CHECK(!bsearch(&key, a, 7, sizeof *a, by_value))
  key = 9; at = bsearch(&key, a, 7, sizeof *a, by_value); CHECK(at == a + 6) CHECK(!bsearch(&key, a, n, sizeof *a, by_value))
  struct point want = { 2 }, *found = bsearch(&want, ps, 3, sizeof *ps, by_x); CHECK(found && found->tag == 'c')
  div_t v = div(-7 + n, 2); CHECK(v.quot == -3 && v.rem == -1) ldiv_t lv = ldiv(17, -5); CHECK(lv.quot == -3 && lv.rem == 2)
  CHECK(lldiv(100, 7).rem == 2 && div(9, 3).quot == 3) CHECK(abs(n - 4) == 4 && labs(-5L) == 5)
  CHECK(sscanf("12 -7", "%d%d", &i, &k) == 2 && i == 12 && k == -7) CHECK(sscanf("x", "%d", &i) == 0 && sscanf("", "%d", &i) == -1)
  CHECK(sscanf("ff,1A", "%x,%X", &u, &i) == 2 && u == 255 && i == 26) CHECK(sscanf("1234", "%2d%d", &i, &k) == 2 && i == 12 && k == 34)
  CHECK(sscanf(" ab cd", "%s %c%c", s, &c, &d) == 3 && strcmp(s, "ab") == 0 && c == 'c' && d == 'd')
  CHECK(sscanf("hello", "%3s%s", s, t) == 2 && strcmp(s, "hel") == 0 && strcmp(t, "lo") == 0)
  CHECK(sscanf("10:20:30", "%d:%*d:%ld%n", &i, &l, &k) == 2 && i == 10 && l == 30 && k == 8)
  CHECK(sscanf("0x1f 017 9", "%i %i %i", &i, &k, &n) == 3 && i == 31 && k == 15 && n == 9) n = 0;
  CHECK(sscanf("5%", "%d%%", &i) == 1 && i == 5) CHECK(sscanf("4294967295", "%u", &u) == 1 && u == 4294967295u)
  strcpy(s, "abcdef"); memmove(s + 2, s, 4); CHECK(strcmp(s, "ababcd") == 0) memmove(s, s + 1, 5); CHECK(strcmp(s, "babcdd") == 0)
  strcpy(t, "ab"); strncat(t, "cdefgh", 3); CHECK(strcmp(t, "abcde") == 0)
  int m[5] = { 1, 2, 3, 4, 5 }; memmove(m + 1, m, 3 * sizeof *m); CHECK(m[0] == 1 && m[1] == 1 && m[3] == 3 && m[4] == 5)
  int *on_stack = __builtin_alloca((n + 3) * sizeof(int)); on_stack[2] = 8; CHECK(on_stack[n + 2] == 8)
  return n;
}
