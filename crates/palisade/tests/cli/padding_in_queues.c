// A struct with padding goes through an array of bytes: nothing depends on the padding, unless it is read.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify --int bv --64 -D WRONG $FILE
// exit: 10
// run: palisade verify -D PADDING $FILE
// exit: 20
// stdout: bytes that C leaves open
#include <string.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct message { char kind; int value; };
static unsigned char queue[4 * sizeof(struct message)];
static unsigned first, last;
static void send(const struct message *m) {
  memcpy(queue + last % 4 * sizeof *m, m, sizeof *m);
  last++;
}
static void receive(struct message *m) {
  memcpy(m, queue + first % 4 * sizeof *m, sizeof *m);
  first++;
}
int main(void) {
  struct message m, n;
  for (int i = 0; i < 3; i++) {
    m.kind = i;
    m.value = __VERIFIER_nondet_int();
    send(&m);
  }
  for (int i = 0; i < 3; i++) receive(&n);
  if (n.kind != 2 || n.value != m.value) reach_error();
#ifdef WRONG
  if (n.value == 7) reach_error();
#elif defined PADDING
  if (queue[1] == 7) reach_error();
#endif
  return 0;
}
