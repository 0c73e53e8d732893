// The other file of own_functions_of_files.c. By itself it has nothing that can be violated.
// run: palisade verify --function through $FILE
// exit: 0
// last: RESULT: TRUE
static int unknown(int *p) { return *p + 4; }
int through(void) {
  int one = 1;
  return unknown(&one);
}
