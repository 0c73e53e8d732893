// Functions on strings that search, and `fopen`.
#include <stdio.h>
#include <string.h>
int main(void) {
  char b[6] = "ab\0cd", *p;
  p = memchr(b, 'c', 6); CHECK(p == b + 3) *p = 'x'; CHECK(b[3] == 'x')
  CHECK(memchr(b, 'c', 6) == 0 && memchr(b, 0, 6) == b + 2 && memchr(b, 'a', 0) == 0)
  char s[] = "hello";
  CHECK(strstr(s, "ll") == s + 2 && strstr(s, "") == s && strstr(s, "lo!") == 0 && strstr(s, "o") == s + 4)
  CHECK(strspn(s, "he") == 2 && strspn(s, "") == 0 && strspn(s, "hello") == 5)
  CHECK(strcspn(s, "lo") == 2 && strcspn(s, "z") == 5 && strcspn(s, "") == 5)
  CHECK(strpbrk(s, "ol") == s + 2 && strpbrk(s, "xyz") == 0)
  FILE *f = fopen("/dev/null", "r"), *g = fopen("/dev/null", "r");
  CHECK(f == 0 || f != g)
  if (f) fclose(f);
  __VERIFIER_nondet_end();
}
