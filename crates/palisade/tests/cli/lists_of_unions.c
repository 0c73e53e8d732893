// An initialiser sets the rest of a union to zero: gcc does so before version 15, and the answer says it.
// run: palisade verify $FILE
// exit: 0
// stdout: assuming that an initialiser sets the rest of a union to zero
// run: palisade verify -D EVALUATED $FILE
// exit: 0
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
union both { unsigned char c; unsigned w; };
static int calls;
static int one(void) { calls++; return 1; }
int main(void) {
#ifdef EVALUATED
  // The operand of `_Alignof` is not.
  if (_Alignof(int[one()]) != 4 || calls) reach_error();
#else
  union both u = {.c = __VERIFIER_nondet_int()};
  if (u.w > 255) reach_error();
#endif
}
