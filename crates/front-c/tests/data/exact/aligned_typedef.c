/* A struct whose only name is a typedef that sets an alignment. */
typedef struct { char c[8]; } V __attribute__((aligned(8)));
struct around { char first; V v; };
V v;
int main(void) {
  V *w = &v;
  w->c[1] = 3;
  CHECK(v.c[1] == 3)
  CHECK(sizeof(V) == 8 && sizeof(struct around) == 16)
  __VERIFIER_nondet_end();
}
