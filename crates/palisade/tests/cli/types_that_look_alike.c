// Types of one width can be different all the same: a function that is called through a pointer to another
// type is undefined, and files must declare the same. Pointers are passed alike, which the verdict tells.
// run: palisade verify -D CASE=1 --32 $FILE
// exit: 20
// stdout: call of `f` through a pointer to another function type, $FILE:25:3)
// run: palisade verify -D CASE=2 --64 $FILE
// exit: 20
// stdout: call of `g` through a pointer to another function type, $FILE:28:3)
// run: palisade verify -D CASE=3 $FILE
// exit: 0
// stdout: that pointers to all types are passed alike
// run: palisade verify -D CASE=4 --32 $FILE
// exit: 0
extern void reach_error(void);
enum e { A = 1, B };
long f(long n) { return n; }
long long g(void) { return 1; }
void h(int *p) { *p = 1; }
enum e i(enum e a) { return a; }

int main(void) {
  int n = 0;
#if CASE == 1
  int (*p)(int) = (int (*)(int))f;
  n = p(1);
#elif CASE == 2
  long (*p)(void) = (long (*)(void))g;
  n = p();
#elif CASE == 3
  void (*p)(unsigned *) = (void (*)(unsigned *))h;
  p((unsigned *)&n);
#elif CASE == 4
  unsigned (*p)(unsigned) = i;
  n = p(A);
#endif
  if (n != 1) reach_error();
}
