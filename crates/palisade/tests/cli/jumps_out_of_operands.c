// Statements in operands that jump elsewhere, or do not end: it matters what is evaluated before them.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D JUMP $FILE
// exit: 20
// stdout: the order of evaluation
// run: palisade verify -D AWAY $FILE
// exit: 20
// stdout: the order of evaluation
// run: palisade verify -D LOOP $FILE
// exit: 20
// stdout: the order of evaluation
// run: palisade verify -D BACK $FILE
// exit: 20
// stdout: the order of evaluation
// run: palisade verify -D LENGTH $FILE
// exit: 20
// stdout: lengths of arrays whose order of evaluation is open
// run: palisade verify -D READ $FILE
// exit: 10
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int g = 1;
static int fails(void) { reach_error(); return 1; }
static int set(void) { g = 3; return 2; }
static int two(int a, int b) { return a + b; }
static const int table[3] = { 2, 3, 5 };
static int index(void) { int i = __VERIFIER_nondet_int(); return i < 0 || i > 2 ? 0 : i; }
int main(void) {
#ifdef JUMP
  two(({ if (g) return 0; 1; }), fails());
#elif defined AWAY
  two(({ goto out; 1; }), set());
out:
  if (g == 3) reach_error();
#elif defined LOOP
  two(({ while (g) {} 1; }), fails());
#elif defined BACK
  two(({ again: if (g) goto again; 1; }), fails());
#elif defined LENGTH
  int a[g][set()];
  if (sizeof a == 2 * sizeof(int)) reach_error();
#elif defined READ
  if (table[index()] + table[index()] == 8) reach_error();
#else
  int sum = two(({ int k = 0; do k++; while (0); for (int i = 0; i < 3; i++) k += i; k; }), set());
  while (1) { sum += two(({ switch (g) { case 3: break; } 1; }), 2); break; }
  if (sum != 9) reach_error();
#endif
  return 0;
}
