// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int length_of(const char *text) {
  const char *s = text;
  while (*s) s++;
  return (int)(s - text);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) n = 1;
  char *text = malloc(n);
  for (int i = 0; i < n - 1; i++) text[i] = (char)__VERIFIER_nondet_int();
  text[n - 1] = 1;
  length_of(text);
  free(text);
  return 0;
}
