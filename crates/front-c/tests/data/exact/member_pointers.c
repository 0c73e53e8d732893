// Pointers that move inside an array member of a struct.
struct s { int k; char name[8]; int x; } g[3];
int len(const char *q) { const char *r = q; while (*r) r++; return r - q; }
int main(void) {
  struct s *p = &g[1];
  p->name[0] = 'a';
  p->name[1] = 'b';
  p->name[2] = 0;
  char *q = p->name + 1;
  CHECK(*q == 'b');
  CHECK(len(p->name) == 2);
  CHECK(&p->name[2] - q == 1);
  CHECK(p->name + 8 - q == 7);
  __VERIFIER_nondet_end();
  return 0;
}
