// A certificate may be for a program with other macros: the evidence says so.
// run: palisade verify -D NDEBUG --certificate $TMP/proof.smt2 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade check $FILE $TMP/proof.smt2
// exit: 0
// stdout: the program as read with int=c signed=undefined width=32 check=assert
// stdout: undefined=report malloc=succeed define=NDEBUG
// last: RESULT: TRUE
// run: palisade check -D OTHER $FILE $TMP/proof.smt2
// exit: 2
// stderr: -D contradicts
// run: palisade verify $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
extern void reach_error(void);
int main(void) {
#ifndef NDEBUG
  reach_error();
#endif
  return 0;
}
