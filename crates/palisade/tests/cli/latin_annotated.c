// Bytes that are not UTF-8 stay what they are, also where annotations are woven into the text.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
#include <assert.h>
int main(void) {
  const char *s = "éÿ";
  unsigned char c = s[0];
  int i = 0;
  //@ assert c == 0xe9;
  i++;
#ifdef WRONG
  assert(c == 0xc3);
#endif
  return i - 1;
}
