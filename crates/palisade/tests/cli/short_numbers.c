// A text of six characters: over integers, too, unwinding says what no invariant says shortly.
// run: palisade verify --int c --timeout 10 $FILE
// exit: 0
// run: palisade verify --int c --timeout 10 -D MOST=999998 $FILE
// exit: 10
#include <assert.h>
#ifndef MOST
#define MOST 999999
#endif
extern unsigned char __VERIFIER_nondet_uchar(void);
static int parse(const char *s, int *out) {
  int v = 0, negative = 0;
  if (*s == '-') {
    negative = 1;
    s++;
  }
  if (!*s) return 0;
  while (*s) {
    if (*s < '0' || *s > '9') return 0;
    v = v * 10 + (*s - '0');
    s++;
  }
  *out = negative ? -v : v;
  return 1;
}
int main(void) {
  char text[7];
  for (int i = 0; i < 6; i++) text[i] = (char)__VERIFIER_nondet_uchar();
  text[6] = 0;
  int value = 0;
  if (parse(text, &value)) assert(value <= MOST && value >= -99999);
  return 0;
}
