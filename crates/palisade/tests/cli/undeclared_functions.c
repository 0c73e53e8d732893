// A function of the library that is not declared is `int f()`, unless gcc knows its type; one that is declared
// without parameters gets what it is given.
// run: palisade verify -D CASE=1 --int bv $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: call of `atof`, which is not declared, $FILE:31:14)
// run: palisade verify -D CASE=2 --64 $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: call of `strtol`, which is not declared, $FILE:36:11)
// run: palisade verify -D CASE=3 --int bv $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: an argument of another type than the parameter of `sqrt`, $FILE:42:12)
// run: palisade verify -D CASE=4 $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: call of `fopen`, which is not declared, $FILE:46:8)
// run: palisade verify -D CASE=5 --64 $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: call of `strcasestr`, which is not declared, $FILE:51:29)
// run: palisade verify -D CASE=6 --64 --int bv $FILE
// exit: 0
// run: palisade verify -D CASE=6 --std c11 --64 --int bv $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: call of `strdup`, which is not declared, $FILE:61:13)
// run: palisade verify -D CASE=7 --int bv $FILE
// exit: 0
// run: palisade verify -D CASE=8 --64 $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: an argument of another type than the parameter of `malloc`, $FILE:80:20)
extern void reach_error(void);
#if CASE == 1
int main(void) {
  double d = atof("2.5");
  if (d != 2.5) reach_error();
}
#elif CASE == 2
int main(void) {
  int n = strtol("5", 0, 10);
  return n;
}
#elif CASE == 3
double sqrt();
int main(void) {
  if (sqrt(4) != 2) reach_error();
}
#elif CASE == 4
int main(void) {
  if (!fopen("a", "r")) return 1;
  reach_error();
}
#elif CASE == 5
int main(void) {
  if (sizeof(int) == sizeof strcasestr("a", "a")) return 1;
  reach_error();
}
#elif CASE == 6
// gcc knows these.
int main(void) {
  char *p = malloc(4);
  if (strlen("abc") != 3 || sqrt(4) != 2 || labs(-5000000000) != 5000000000) reach_error();
  if (atoi("12") != 12) reach_error();
  free(p);
  char *t = strdup("a");
  if (t && *t != 'a') reach_error();
}
#elif CASE == 7
// Arguments that have the types of the parameters.
double sqrt();
char *malloc();
unsigned strlen();
int abs();
int main(void) {
  int n = 4;
  char *p = malloc(n);
  if (sqrt(4.0) != 2 || strlen("ab") != 2 || abs(-3) != 3) reach_error();
  *p = 0;
}
#elif CASE == 8
char *malloc();
int main(void) {
  int n = 4;
  char *p = malloc(n);
  *p = 0;
}
#endif
