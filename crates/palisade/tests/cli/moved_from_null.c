// A pointer that was moved from null is compared with a number, or a number that was moved to null.
// run: palisade verify $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: a comparison of a pointer that was moved from or to null, $FILE:30:7)
// run: palisade verify -D OTHER $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: a comparison of a pointer that was moved from or to null, $FILE:28:7)
// run: palisade verify -D BACK $FILE
// exit: 20
// run: palisade verify -D BACK -D OTHER $FILE
// exit: 20
// run: palisade verify -D NUMBERS $FILE
// exit: 0
extern void reach_error(void);
struct s { int a, b; };
#ifdef OTHER
#define IS ==
#else
#define IS !=
#endif
int main(void) {
#ifdef NUMBERS
  if (&((struct s *)0)->b == 0 || (char *)&((struct s *)0)->b - (char *)0 != 4) reach_error();
  if ((int *)8 - 1 != (int *)4) reach_error();
#elif defined BACK
  if ((char *)8 - 8 IS 0) reach_error();
#elif defined OTHER
  if (&((struct s *)0)->b != (int *)4) reach_error();
#else
  if (&((struct s *)0)->b == (int *)4) reach_error();
#endif
  return 0;
}
