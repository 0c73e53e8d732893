// Where no prototype is visible, arguments are only promoted, and must have the types of the parameters: the
// definition that comes later, or has the old form, converts nothing.
// run: palisade verify -D CASE=1 --64 --int bv $FILE
// exit: 20
// stdout: an argument of another type than the parameter of `f`, $FILE:36:9)
// run: palisade verify -D CASE=2 $FILE
// exit: 20
// stdout: an argument of another type than the parameter of `g`, $FILE:40:9)
// run: palisade verify -D CASE=3 --undefined arbitrary $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: an argument of another type than the parameter of `old`, $FILE:45:11)
// run: palisade verify -D CASE=4 $FILE
// exit: 20
// stdout: an argument of another type than the parameter of `f`, $FILE:50:32)
// run: palisade verify -D CASE=5 $FILE
// exit: 20
// last: RESULT: UNKNOWN(undefined behaviour: a call of `two` with another number of arguments, $FILE:55:7)
// run: palisade verify -D CASE=6 $FILE
// exit: 20
// stdout: an argument of another type than the parameter of `narrow`, $FILE:62:9)
// run: palisade verify -D CASE=7 $FILE
// exit: 20
// stdout: an argument of another type than the parameter of `u`, $FILE:68:9)
// run: palisade verify -D CASE=8 $FILE
// exit: 0
// run: palisade verify -D CASE=8 -D WRONG $FILE
// exit: 10
// run: palisade verify -D CASE=9 --int bv $FILE
// exit: 0
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

#if CASE == 1
int f();
int main(void) {
  if (f(-1) != 1) reach_error();
}
#elif CASE == 2
int main(void) {
  if (g(-1) != 1) reach_error();
}
#elif CASE == 3
int old(a) long long a; { return a < 0; }
int main(void) {
  if (old(-1) != 1) reach_error();
}
#elif CASE == 4
int f(long long);
struct { int (*run)(); } table = { f };
int main(void) { if (table.run(-1) != 1) reach_error(); }
#elif CASE == 5
int two();
int main(void) {
  int n = 3;
  if (two(n, 2) != 3) reach_error();
}
int two(int n) { return n; }
#elif CASE == 6
int narrow(char c) { return c; }
int main(void) {
  int (*p)() = (int (*)())narrow;
  if (p(1) != 1) reach_error();
}
#elif CASE == 7
int u(unsigned n) { return n > 5; }
int main(void) {
  int (*p)() = u;
  if (p(-1) != 1) reach_error();
}
#elif CASE == 8
// What fits, and what is only declared again inside of a function.
int u(unsigned n) { return n > 5; }
int old(c, x, p) char c; int *p; { return c + x + *p; }
int wide(long long n) { return n < 0; }
int main(void) {
  int (*p)() = u, (*q)() = old, three = 3;
  if (p(6) != 1) reach_error();
  if (old('b', -'a', &three) + q(258, -2, &three) != 7) reach_error();
  int wide();
  if (wide(-1) != 1) reach_error();
  if (later(4) != 5) reach_error();
  nothing(1);
#ifdef WRONG
  if (p(__VERIFIER_nondet_int() == 1) == 0) reach_error();
#endif
}
later(n) { return n + 1; }
void nothing(int n) { if (n != 1) reach_error(); }
#elif CASE == 9
int old(x) float x; { return x == 1.5f; }
int main(void) {
  float x = 1.5f;
  if (old(x) != 1) reach_error();
}
#endif

#if CASE == 1 || CASE == 4
int f(long long x) { return x < 0; }
#elif CASE == 2
int g(long long x) { return x < 0; }
#endif
