// A compound literal ends with its block, and a branch or the body of a loop is one, with or without braces.
// run: palisade verify --check memory $FILE
// exit: 0
// run: palisade verify -D CASE=1 --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify -D CASE=2 --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify -D CASE=3 --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify -D CASE=4 --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify -D CASE=5 --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify -D CASE=6 --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify -D CASE=7 --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify -D CASE=1 $FILE
// exit: 20
#ifdef CASE
int main(void) {
  int *p;
#if CASE == 1
  if (1) p = (int[]){0};
#elif CASE == 2
  if (0) ; else p = (int[]){0};
#elif CASE == 3
  switch (1) case 1: p = (int[]){0};
#elif CASE == 4
  int n = 1; while (n--) p = (int[]){0};
#elif CASE == 5
  do p = (int[]){0}; while (0);
#elif CASE == 6
  if ((p = (int[]){0})) ;
#elif CASE == 7
  while (!(p = (int[]){0})) ;
#endif
  return *p;
}
#else
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
struct s { int a, b; };
static int sum(const struct s *p) { return p->a + p->b; }
int main(void) {
  int n = __VERIFIER_nondet_int(), r = 0; struct s *p; int *q = 0;
  if (n < 0 || n > 5) return 0;
  if ((p = &(struct s){n, 2}) && n > 1) r = sum(p);
  else r = p->a;
  if (n > 1) r += sum(&(struct s){1, 2}), p = &(struct s){3, 4}, r += p->b;
  while ((q = (int[]){n, 1}) && q[0] > 0) n -= q[1];
  do r += (p = &(struct s){1, n})->a ? p->a : p->b; while (n-- > 3);
  switch ((p = &(struct s){r, 0})->a) { case 0: r = p->b; break; default: r = p->a + 0; }
  for (int i = 0; i < 2; i++) r += ((int[]){1, 2})[i];
  if (r < 0) reach_error();
  return 0;
}
#endif
