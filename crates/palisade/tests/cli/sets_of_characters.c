// What a set of `sscanf` means with a range that is none, or with `-` behind a range, is up to the library.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D CHAIN $FILE
// exit: 20
// stdout: this conversion of a format
// run: palisade verify -D DOWN $FILE
// exit: 20
// stdout: this conversion of a format
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  char b[9];
#ifdef CHAIN
  if (sscanf("d", "%[a-c-e]", b) == 1) reach_error();
#elif defined DOWN
  if (sscanf("-", "%[z-a]", b) == 1) reach_error();
#else
  if (sscanf("d", "%[a-ce-f-]", b) == 1 || sscanf("-", "%[a-c-]", b) != 1) reach_error();
  if (sscanf("-", "%[-a]", b) != 1 || sscanf("b", "%[^a-c]", b) == 1) reach_error();
#endif
  return 0;
}
