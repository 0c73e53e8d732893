// Contracts hold at every end of a function, and are about the names of the file.
// run: palisade verify -D CASE=1 $FILE
// exit: 10
// stdout: \result == 1 does not hold
// run: palisade verify -D CASE=2 $FILE
// exit: 0
// run: palisade verify -D CASE=3 $FILE
// exit: 20
// stdout: `ensures` about a name that is declared again in the function
// run: palisade verify -D CASE=4 $FILE
// exit: 10
int g;
#if CASE == 1
//@ ensures \result == 1;
int main(void) { int x = 3; }
#elif CASE == 2
//@ ensures \result == 0;
int main(void) {
  int x = 3;
  //@ assert g == 0 ==> x == 3;
}
#elif CASE == 3
//@ ensures g == 1;
int f(void) {
  g = 2;
  int g = 1;
  return g - 1;
}
int main(void) { return f(); }
#elif CASE == 4
//@ ensures g == 1;
int f(int x) { if (x) return g = 1; }
int main(void) { f(0); return 0; }
#endif
