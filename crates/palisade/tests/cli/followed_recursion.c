// A recursion whose run has no inputs is followed further. How far is said in the certificate.
// run: palisade verify --certificate $TMP/c.smt2 $FILE
// exit: 0
// run: palisade check $FILE $TMP/c.smt2
// exit: 0
// stderr: recursion=400
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify --recursion 24 $FILE
// exit: 20
// stdout: RESULT: UNKNOWN(unsupported: recursion of `
// run: palisade verify -D INPUT $FILE
// exit: 20
// run: palisade check --recursion 24 $FILE $TMP/c.smt2
// exit: 2
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#ifdef WRONG
#define SUM 1831
#else
#define SUM 1830
#endif
static int sum(int n) { return n + (n == 0 ? 0 : sum(n - 1)); }
static unsigned fact(unsigned n) { return n <= 1 ? 1 : n * fact(n - 1); }
int main(void) {
#ifdef INPUT
  int n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
  assert(sum(n) >= 0);
#endif
  assert(sum(60) == SUM);
  assert(fact(10) == 3628800);
  return 0;
}
