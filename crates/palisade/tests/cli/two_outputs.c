// run: palisade verify --json $TMP/out --sarif $TMP/./out $FILE
// exit: 2
// last: -
// stderr: two outputs are
// run: palisade verify --json /dev/null --sarif /dev/null $FILE
// exit: 0
// last: RESULT: TRUE
int main(void) { return 0; }
