// A builtin of gcc that stands for an error function is a call of it.
// run: palisade verify --check call(abort) -D CALLED=__builtin_abort() $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify --check call(abort) -D CALLED=__builtin_trap() $FILE
// exit: 0
// run: palisade verify --check call(exit) -D CALLED=__builtin_abort() $FILE
// exit: 0
// run: palisade verify --check call(exit) -D CALLED=__builtin_exit(1) $FILE
// exit: 10
int main(void) {
  CALLED;
  return 0;
}
