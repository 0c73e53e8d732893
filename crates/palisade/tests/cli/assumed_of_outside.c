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
// run: palisade verify --undefined arbitrary -D SHOWN $FILE
// exit: 0
// stdout: assuming that functions without a body neither change nor return what is constant for them at
// run: palisade verify $FILE
// exit: 20
// stdout: what a function without body may have changed
extern void reach_error(void);
int shared;
static int own;
void ext(void);
void change(void) { own = 1; }

#ifdef SHOWN
const int *look(const int *);
#endif

int main(void) {
#ifdef SHOWN
  int x = 1;
  if (look(&x) == &x) reach_error();
#endif
  ext();
  if (shared || own) reach_error();
  return 0;
}
