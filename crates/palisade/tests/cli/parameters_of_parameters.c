// A parameter is known to the rest of the list: a length that mentions one means that one, any other type
// that does is refused, and neither is read with another object of the same name. So is a type that is
// defined in the list.
// run: palisade verify -D CASE=1 $FILE
// exit: 10
// run: palisade verify -D CASE=2 $FILE
// exit: 20
// run: palisade verify -D CASE=3 --undefined assume $FILE
// exit: 20
// run: palisade verify -D CASE=4 $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: a type that is defined in a list of parameters, $FILE:38:7)
// run: palisade verify -D CASE=5 $FILE
// exit: 20
// run: palisade verify -D CASE=6 $FILE
// exit: 20
// run: palisade verify -D CASE=7 $FILE
// exit: 10
// run: palisade verify -D CASE=7 -D RIGHT $FILE
// exit: 0
extern void reach_error(void);
enum { A = 1 };
int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
#if CASE < 4
char n;
#endif
#if CASE == 1
int f(int n, int y[][sizeof n]) { return y[0][3]; }
int main(void) { if (f(3, (int (*)[4])a) == 4) reach_error(); }
#elif CASE == 2
int f(n, y) int n; int y[][sizeof n]; { return y[0][3]; }
int main(void) { if (f(3, (int (*)[4])a) == 4) reach_error(); }
#elif CASE == 3
int f(int n, int (*g)(__typeof__(n))) { return g(300); }
int id(int x) { return x; }
int main(void) { if (f(3, id) == 300) reach_error(); }
#elif CASE == 4
int f(int (*x)[sizeof(enum { A = 6 })], int y) { return A; }
int main(void) { if (f(0, 1) == 6) reach_error(); }
#elif CASE == 5
int f(int x[sizeof(enum { A = 6 })], int y) { return A; }
int main(void) { if (f(0, 1) == 6) reach_error(); }
#elif CASE == 6
int f(int x[sizeof(struct s { int b; })], int y) { return sizeof(struct s); }
int main(void) { if (f(0, 1) == 4) reach_error(); }
#else // the outermost length does not matter
int f(int n, int y[n], int z[n + 1][3]) { return y[1] + z[1][0]; }
#ifdef RIGHT
int main(void) { if (f(2, a[1], a) != 9) reach_error(); }
#else
int main(void) { if (f(2, a[1], a) == 9) reach_error(); }
#endif
#endif
