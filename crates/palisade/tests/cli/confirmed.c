// run: palisade verify --certificate $TMP/proof.smt2 $FILE
// exit: 0
// stdout: facts about types, layouts and constants
// last: RESULT: TRUE
// run: palisade check $FILE $TMP/proof.smt2
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --confirm off $FILE
// exit: 0
// stdout: translation: not compared with a compiler
// last: RESULT: TRUE
// run: palisade verify -D WRONG --certificate $TMP/run.json $FILE
// exit: 10
// stdout: facts about types, layouts and constants
// last: RESULT: FALSE(unreach-call)
// run: palisade check $FILE $TMP/run.json
// exit: 10
// last: RESULT: FALSE(unreach-call)
void reach_error(void);
struct s { char c; long long l; };
int main(void) {
#ifdef WRONG
  reach_error();
#endif
  if (sizeof(struct s) != 12) reach_error();
}
