// A pointer that a function without body returned may be one of the program's, and one that such functions
// were given; two of them may point into one object, which is assumed not to be.
// run: palisade verify $FILE
// exit: 20
// stdout: a comparison of a pointer from outside
// run: palisade verify -D FUNCTION $FILE
// exit: 20
// stdout: a comparison of a pointer from outside
// run: palisade verify -D NUMBER $FILE
// exit: 20
// stdout: a comparison of a pointer from outside
// run: palisade verify -D NUMBER --undefined arbitrary $FILE
// exit: 20
// stdout: a comparison of a pointer from outside
// run: palisade verify -D TWO $FILE
// exit: 0
// stdout: assuming that pointers from outside point to separate objects, or to one of their type
extern void reach_error(void);
typedef void handler(void);
extern int *find(int *, int);
extern handler *set(handler *);
extern void *map(void);
extern int *next(void);
static void f(void) {}
int main(void) {
#if defined FUNCTION
  if (set(f) == f) reach_error();
#elif defined NUMBER
  if (map() == (void *)-1) reach_error();
#elif defined TWO
  int *p = next(), *q = next();
  if (!p || !q) return 0;
  q[1] = 5;
  *p = 3;
  if (q[1] == 3) reach_error();
#else
  int a[3] = { 1, 2, 3 };
  if (find(a, 2) == a + 1) reach_error();
#endif
  return 0;
}
