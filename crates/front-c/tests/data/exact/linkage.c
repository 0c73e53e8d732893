/* `extern` of what the file declared `static` is that one. */
static int inner = 5;
static int again = 7;
extern int again;
static int from_block(void) { extern int inner; return inner; }
static int through(int x) { extern int later(int); return later(x); }
int later(int x) { return x * 2; }
int outer = 9;
static int shadowed(int outer) { { extern int outer; outer++; } return outer; }
int main(void) {
  CHECK(from_block() == 5)
  inner = 6;
  CHECK(from_block() == 6)
  again++;
  CHECK(again == 8)
  CHECK(through(4) == 8)
  int kept = shadowed(3);
  CHECK(kept == 3 && outer == 10)
  __VERIFIER_nondet_end();
}
