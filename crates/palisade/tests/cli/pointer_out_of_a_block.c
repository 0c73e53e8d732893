// The value of a statement expression may point to a variable of its block, which does not exist any more.
// run: palisade verify --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify $FILE
// exit: 20
// stdout: undefined behaviour
// run: palisade verify --check memory -D STORAGE=static $FILE
// exit: 0
// last: RESULT: TRUE
#ifndef STORAGE
#define STORAGE
#endif

int main(void) {
  int *p = ({
    STORAGE int x = 3;
    &x;
  });
  return *p - 3;
}
