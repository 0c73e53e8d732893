// Outputs with `+` are inputs, too; operands with some modifiers are memory; a narrower input leaves the rest
// of a register open.
// run: palisade verify --64 --undefined arbitrary -D PLUS $FILE
// exit: 20
// run: palisade verify --64 --undefined arbitrary -D STRING $FILE
// exit: 20
// run: palisade verify --64 -D ADDRESS $FILE
// exit: 20
// run: palisade verify --64 -D NARROW $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on inline assembly)
// run: palisade verify --64 -D WHOLE $FILE
// exit: 0
// last: RESULT: TRUE
extern void reach_error(void);
int main(void) {
  int x = 0, *p = &x;
#if defined PLUS
  __asm__ volatile("addq $0,%0" : "+r"(p));
  *p = 1;
  if (x == 1) reach_error();
#elif defined STRING
  long n = 1;
  __asm__ volatile("cld; rep; stosl" : "+D"(p), "+c"(n) : "a"(1) : "memory");
  if (x == 1) reach_error();
#elif defined ADDRESS
  __asm__ volatile("incl %a0" : : "r"(p) : "memory");
  if (x == 1) reach_error();
#elif defined NARROW
  long wide;
  int narrow = -1;
  __asm__("" : "=r"(wide) : "0"(narrow));
  if (wide != -1) reach_error();
#elif defined WHOLE
  int same, other = 5;
  __asm__("" : "=r"(same) : "0"(other));
  if (same != 5) reach_error();
#endif
  return 0;
}
