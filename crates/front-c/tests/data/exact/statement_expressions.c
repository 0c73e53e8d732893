/* Statement expressions whose type is asked for before they are evaluated, with labels and jumps in them. */
#define FIND(v, limit) ({ __label__ found; int i; \
    for (i = 0; i < (limit); i++) if (i * i >= (v)) goto found; i = -1; found: i; })
static int early(int c) { __auto_type q = ({ if (c) return 50; 7; }); return q; }
int main(void) {
  int x = ({ __label__ l; int i = 0; l: i++; if (i < 3) goto l; i; });
  CHECK(x == 3)
  typeof(({ int i = 0; outer: i++; if (i < 3) goto outer; i; })) y = 5;
  int size = sizeof(({ int i = 0; inner: i++; if (i < 3) goto inner; (char)i; }));
  CHECK(y == 5 && size == 1)
  int z = ({ void *p = &&q; goto *p; q: 7; });
  CHECK(z == 7)
  int a = FIND(10, 10), b = FIND(26, 9), c = FIND(99, 5);
  CHECK(a == 4 && b == 6 && c == -1)
  int s = 0;
  for (int i = 0; i < 5; i++) {
    __auto_type t = ({ if (i == 1) continue; if (i == 3) break; i; });
    s = s * 10 + t;
  }
  CHECK(s == 2)
  int first = early(1), second = early(0);
  CHECK(first == 50 && second == 7)
  int w = 0;
  switch (3) {
    case 3: {
      __auto_type v = ({ int u = 3; switch (u) { case 3: u = 30; break; default: u = 9; } u; });
      w = v;
    } break;
    case 4: w = 1;
  }
  CHECK(w == 30)
  int v = 3;
  int part = sizeof(v++) + sizeof(({ v++; 'c' + 0; }));
  CHECK(part == 8 && v == 3)
  int no = 0, n = 3;
  int kept = no ? sizeof(int[n++]) : 7;
  CHECK(kept == 7 && n == 3)
  if (no && sizeof(int[n++])) kept = 8;
  CHECK(n == 3 && kept == 7)
  (void)sizeof(char[n++]);
  CHECK(n == 4)
  int done = 1, k = 1;
  if (k++ && done) k = 7;
  CHECK(k == 7)
  if (k == 0) goto done;
  done:
  __VERIFIER_nondet_end();
}
