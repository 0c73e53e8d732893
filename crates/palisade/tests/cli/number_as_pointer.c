// A number that comes from no address leads to no object, where undefined accesses continue with any value.
// run: palisade verify --64 --undefined arbitrary $FILE
// exit: 0
// stdout: assuming that numbers that come from no address lead to no object at $FILE:36:19
// last: RESULT: TRUE
// run: palisade verify --64 --undefined arbitrary -D SAME $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on a number that is used as a pointer)
// run: palisade verify --64 --undefined arbitrary -D ADDRESS $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify --64 --undefined arbitrary -D GIVEN $FILE
// exit: 20
// run: palisade verify --64 --undefined arbitrary -D ASSEMBLY $FILE
// exit: 20
// run: palisade verify --64 $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: an integer used as a pointer, $FILE:36:19)
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
extern unsigned long given(int *);
int g = 3;
unsigned long address(int *p) { return (unsigned long)p; }
int main(void) {
  int local = 3;
  unsigned long x = __VERIFIER_nondet_ulong();
#ifdef ADDRESS
  if (x) x = address(&local);
#endif
#ifdef GIVEN
  x = given(&local);
#endif
#ifdef ASSEMBLY
  __asm__("mov %1,%0" : "=r"(x) : "r"(&local));
#endif
  int *p = (int *)x;
#ifdef SAME
  if (p != (int *)x) reach_error();
#endif
  if (p) *p = 1;
  if (g != 3 || local != 3 || (x == 0 && p)) reach_error();
  return 0;
}
