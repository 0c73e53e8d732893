// Copies of strings that know how much fits, as the BSDs and Linux have them.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D SAME $FILE
// exit: 20
#include <assert.h>
#include <stddef.h>
size_t strlcpy(char *, const char *, size_t);
size_t strlcat(char *, const char *, size_t);
int main(void) {
  char b[6] = "zzzzz";
  assert(strlcpy(b, "abcdefgh", 4) == 8 && b[2] == 'c' && b[3] == 0 && b[4] == 'z');
  assert(strlcpy(b, "x", 0) == 1 && b[0] == 'a');
  assert(strlcpy(b, "", 6) == 0 && b[0] == 0);
  assert(strlcpy(b, "hi", 6) == 2 && b[1] == 'i' && b[2] == 0);
  assert(strlcat(b, "there", 6) == 7 && b[2] == 't' && b[4] == 'e' && b[5] == 0);
  assert(strlcat(b, "!", 3) == 4 && b[2] == 't');
  assert(strlcat(b, "", 6) == 5 && b[4] == 'e');
#ifdef WRONG
  assert(strlcat(b, "!", 6) == 5);
#elif defined SAME // they overlap
  strlcpy(b + 1, b, 5);
#endif
  return 0;
}
