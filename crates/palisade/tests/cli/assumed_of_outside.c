// With `--undefined arbitrary`, functions without body leave alone what they are given no pointers to. The
// result says so, also if the call is sliced away.
// run: palisade verify --undefined arbitrary $FILE
// exit: 0
// stdout: assuming that functions without a body use only what they are given pointers to at
// stdout: assuming that functions without a body call none of the program at
// run: palisade verify --undefined arbitrary --slice on $FILE
// exit: 0
// stdout: assuming that functions without a body use only what they are given pointers to at
// stdout: assuming that functions without a body call none of the program at
// run: palisade verify --undefined assume $FILE
// exit: 0
// stdout: assuming that functions without a body use only what they are given pointers to at
// run: palisade verify $FILE
// exit: 20
// stdout: what a function without body may have changed
extern void reach_error(void);
int shared;
static int own;
void ext(void);
void change(void) { own = 1; }

int main(void) {
  ext();
  if (shared || own) reach_error();
  return 0;
}
