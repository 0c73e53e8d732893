// The strings of the command line are as long as they like. A null pointer is behind them.
// run: palisade verify $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --check memory $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify -D LONG --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify -D FREE --check memory $FILE
// exit: 10
// last: RESULT: FALSE(valid-free)
// run: palisade verify -D OPTION $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// run: palisade verify -D MANY $FILE
// exit: 20
// stdout: more than 4 arguments of the program
// run: palisade verify -D AGAIN $FILE
// exit: 20
// stdout: `main` with a command line, called by the program
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int verbose = 0;
#ifdef MANY
  assert(argv[argc] == NULL);
#endif
  if (argc != 2)
    return 1;
  assert(argv[2] == NULL && argv[0] && argv[1]);
#ifdef FREE
  free(argv[1]);
#endif
#ifdef LONG
  return argv[1][1];
#endif
#ifdef AGAIN
  main(1, argv);
#endif
  if (strcmp(argv[1], "-v") == 0)
    verbose = 1;
#ifdef OPTION
  assert(!verbose);
#endif
  argv++;
  argv[0][0] = 'x';
  assert(argv[0][0] == 'x' && verbose <= 1);
  return 0;
}
