// Sets of characters in formats of `sscanf`.
#include <stdio.h>
#include <string.h>
int main(void) {
  char k[16], v[16]; int n = 0;
  CHECK(sscanf("key = val x", "%15[a-z] = %15[^\n]", k, v) == 2) CHECK(!strcmp(k, "key")) CHECK(!strcmp(v, "val x"))
  CHECK(sscanf("ab-]c1", "%[]a-c-]%d", k, &n) == 2) CHECK(!strcmp(k, "ab-]c")) CHECK(n == 1)
  CHECK(sscanf("xyz", "%2[xyz]%[^]]", k, v) == 2) CHECK(!strcmp(k, "xy") && !strcmp(v, "z"))
  CHECK(sscanf("12", "%[a-z]", k) == 0)
  CHECK(sscanf(" a", "%[a]", k) == 0)
  CHECK(sscanf("aab7", "%*[ab]%d", &n) == 1) CHECK(n == 7)
  CHECK(sscanf("", "%[a]", k) == -1)
  return __VERIFIER_nondet_end();
}
