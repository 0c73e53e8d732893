// No proof rests on undefined behaviour unless that is asked for.
// run: palisade verify --certificate $TMP/run.json $FILE
// exit: 20
// last: RESULT: UNKNOWN(undefined behaviour: null dereference, $FILE:29:3)
// run: palisade check $FILE $TMP/run.json
// exit: 20
// last: RESULT: UNKNOWN(undefined behaviour: null dereference, $FILE:29:3)
// run: palisade verify --undefined assume --certificate $TMP/proof.smt2 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade check $FILE $TMP/proof.smt2
// exit: 0
// stdout: undefined=assume
// last: RESULT: TRUE
// run: palisade verify --undefined arbitrary $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify -D VIOLATED $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
extern void *calloc(unsigned, unsigned);
extern int nd(void);
extern void reach_error(void);
int main(void) {
  int x, **p = calloc(1, sizeof *p);
#ifdef VIOLATED
  if (nd()) *p = &x;
#endif
  **p = 1;
  reach_error();
  return 0;
}
