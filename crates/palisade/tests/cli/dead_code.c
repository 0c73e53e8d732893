// A location that an analysis before the run finds unreachable: what it found elsewhere is inductive only with that.
// run: palisade verify --timeout 60 $FILE
// exit: 0
// last: RESULT: TRUE
extern int nd(void);
extern void reach_error(void);
int main(void) {
  int g = 0;
  while (nd()) {
    int v = nd();
    if (v < 3 && v > 5) { while (nd()); g = 1; }
  }
  if (g) reach_error();
  return 0;
}
