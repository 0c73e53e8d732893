// `getopt` may find no arguments at all, and it moves arguments that are no options to the end. Where the
// program uses its variables only, they have their first values.
// run: palisade verify $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on what the library knows of earlier calls)
// run: palisade verify -D MOVED --timeout 20 $FILE
// exit: 20
// run: palisade verify -D BACK --timeout 20 $FILE
// exit: 20
// run: palisade verify -D STAYS --timeout 20 $FILE
// exit: 0
// run: palisade verify -D IN_ORDER --timeout 20 $FILE
// exit: 20
// run: palisade verify -D MISSING --timeout 20 $FILE
// exit: 20
// run: palisade verify -D NO_CALL $FILE
// exit: 0
// run: palisade verify -D NO_CALL -D WRONG $FILE
// exit: 10
#include <unistd.h>
extern void reach_error(void);

#ifdef MOVED
int main(void) {
  char p[] = "p", x[] = "x", a[] = "-a", *v[] = { p, x, a, 0 };
  if (getopt(3, v, "a") != 'a' || getopt(3, v, "a") != -1) return 0;
  if (v[1] != x) reach_error();
  return 0;
}
#elif defined BACK
int main(void) {
  char p[] = "p", x[] = "x", a[] = "-a", *v[] = { p, x, a, 0 };
  if (getopt(3, v, "a") != 'a') return 0;
  int before = optind;
  if (getopt(3, v, "a") == -1 && optind < before) reach_error();
  return 0;
}
#elif defined STAYS
int main(void) {
  char p[] = "p", x[] = "x", a[] = "-a", *v[] = { p, x, a, 0 };
  if (getopt(3, v, "+a") == -1 && v[1] != x) reach_error();
  if (v[0] != p || optind < 1 || optind > 3) reach_error();
  return 0;
}
#elif defined IN_ORDER
int main(void) {
  char p[] = "p", x[] = "x", *v[] = { p, x, 0 };
  if (getopt(2, v, "-a") == 1) reach_error();
  return 0;
}
#elif defined MISSING
int main(void) {
  char p[] = "p", x[] = "-a", *v[] = { p, x, 0 };
  if (getopt(2, v, "+:a:") == ':') reach_error();
  return 0;
}
#elif defined NO_CALL
int main(void) {
#ifdef WRONG
  optind = 2;
#endif
  if (optind != 1 || optarg != 0) reach_error();
  return 0;
}
#else
int main(int argc, char **argv) {
  if (argc < 1 || argc > 2) return 0;
  argc--;
  argv++;
  getopt(argc, argv, "a");
  if (argc == 0) reach_error();
  return 0;
}
#endif
