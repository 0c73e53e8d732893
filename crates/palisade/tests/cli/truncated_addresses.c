// The lower half of an address: two objects may have the same one. The whole of it they have not.
// run: palisade verify --64 --timeout 20 $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 --timeout 20 -D WHOLE $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 --timeout 20 -D NULL_TOO $FILE
// exit: 20
// run: palisade verify --32 --timeout 20 $FILE
// exit: 0
// last: RESULT: TRUE
extern void reach_error(void);
#ifdef WHOLE
typedef unsigned long number;
#else
typedef unsigned number;
#endif
int a[2], b[2];
int main(void) {
  int *p = a, *q = b;
#ifdef NULL_TOO
  if ((number)p == 0) reach_error();
#else
  if ((number)p == (number)q) reach_error();
#endif
  return 0;
}
