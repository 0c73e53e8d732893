/* Designators: behind one the list goes on in the innermost aggregate, and later entries override. */
struct nested { int a; struct { int b, c; } d; int e; };
struct hidden { int a; struct { int b, c; }; int e; };
struct array { int a; int e[2]; int f; };
struct point { int x, y; };
union either { struct point p; int k; };
struct holder { int a; union either u; int z; };
static int table[3][2] = {[1][0] = 1, 2, 3};
static struct nested replaced = {.d.b = 3, .d = {.c = 4}};
static struct point points[3] = {[1] = 1, 2, 3};
static union either last = {.p = {1, 2}, .k = 7};
static int ranges[6] = {[1 ... 3] = 7, 8, [0 ... 1] = 2};
int main(void) {
  struct nested n = {.d.b = 1, 2, 3};
  CHECK(n.a == 0 && n.d.b == 1 && n.d.c == 2 && n.e == 3)
  int m[2][2] = {[0][0] = 1, 2, 3, 4};
  CHECK(m[0][0] == 1 && m[0][1] == 2 && m[1][0] == 3 && m[1][1] == 4)
  CHECK(table[1][0] == 1 && table[1][1] == 2 && table[2][0] == 3 && table[2][1] == 0)
  struct hidden h = {.b = 1, 2, 3};
  CHECK(h.a == 0 && h.b == 1 && h.c == 2 && h.e == 3)
  struct array a = {.e = 1, 2, 3};
  CHECK(a.a == 0 && a.e[0] == 1 && a.e[1] == 2 && a.f == 3)
  struct array b = {.e[1] = 1, 2};
  CHECK(b.e[0] == 0 && b.e[1] == 1 && b.f == 2)
  struct point p[2] = {[0].y = 1, 2, 3};
  CHECK(p[0].x == 0 && p[0].y == 1 && p[1].x == 2 && p[1].y == 3)
  CHECK(points[0].x == 0 && points[1].x == 1 && points[1].y == 2 && points[2].x == 3)
  CHECK(replaced.d.b == 0 && replaced.d.c == 4)
  CHECK(last.k == 7)
  CHECK(ranges[0] == 2 && ranges[1] == 2 && ranges[2] == 7 && ranges[3] == 7 && ranges[4] == 8)
  int o[2][2] = {{1, 2}, [0] = {[1] = 5}};
  CHECK(o[0][0] == 0 && o[0][1] == 5 && o[1][0] == 0)
  struct holder q = {.u.p.y = 1, 2};
  CHECK(q.a == 0 && q.u.p.y == 1 && q.z == 2)
  char s[2][4] = {"abc", [0][1] = 'x', 'd'};
  CHECK(s[0][0] == 'a' && s[0][1] == 'x' && s[0][2] == 'd')
  __VERIFIER_nondet_end();
}
