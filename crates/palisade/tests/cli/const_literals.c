// Compilers may put compound literals that are `const` where a string literal is, or another one, and a string
// literal where a `const` array is.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D STRINGS $FILE
// exit: 20
// stdout: comparison of two literals
// run: palisade verify -D ARRAYS $FILE
// exit: 20
// stdout: comparison of two literals
// run: palisade verify -D NAMED $FILE
// exit: 20
// stdout: comparison of two literals
// run: palisade verify -D LOCAL $FILE
// exit: 20
// stdout: comparison of two literals
extern void reach_error(void);
#if defined STRINGS
static const char *const s = (const char[]){"abc"}, *const t = "abc";
int main(void) {
  if (s == t) reach_error();
}
#elif defined ARRAYS
static const int *s = (const int[]){1, 2}, *t = (const int[]){1, 2};
int main(void) {
  if (s == t) reach_error();
}
#elif defined NAMED
static const char name[] = "abc", other[] = "abcd";
int main(void) {
  const char *s = "abc";
  if (s == other) reach_error();
  if (s == name) reach_error();
}
#elif defined LOCAL
typedef const struct {
  int a;
} pair;
int main(void) {
  const void *s = &(pair){1}, *t = &(pair){1};
  if (s == t) reach_error();
}
#else
static int *s = (int[]){1, 2}, *t = (int[]){1, 2};
int main(void) {
  if (s == t) reach_error();
  const int *u = (const int[]){3};
  if (u == s || *u != 3) reach_error();
}
#endif
