// Columns count characters, also behind a comment with letters that are several bytes.
// run: palisade verify --witness $TMP/w.yml $FILE
// exit: 10
// stdout: letters_in_comments.c:12:18: assert(n == 3)
// run: palisade validate $TMP/w.yml $FILE
// exit: 10
// last: RESULT: FALSE(assert)
#include <assert.h>

int main(void) {
  int n = 1;
  /* öäü */ n++; assert(n == 3);
  return 0;
}
