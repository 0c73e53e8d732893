// Memory of the environment may be changed by every function of the environment.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D CHANGED $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on what a function without body may have changed)
extern void reach_error(void);
int *get(void);
void other(void);
int main(void) {
  int *p = get();
  if (!p) return 0;
  *p = 1;
#ifdef CHANGED
  other();
#endif
  if (*p == 3) reach_error();
}
