// Large blocks with `volatile` members: what is beside those members is what was written.
#include <stdlib.h>
struct device {
  volatile unsigned status[100];
  int a[100];
  int *volatile registers[100];
};
struct device *fresh(void) { return calloc(1, sizeof(struct device)); }
static struct device all[3];

int main(void) {
  struct device *list[3];
  for (int i = 0; i < 3; i++) {
    list[i] = fresh();
    if (!list[i]) return 0;
    list[i]->status[i] = 7;
    list[i]->a[50] = i + 1;
    all[i].status[5] = 1;
    all[i].a[99] = i;
  }
  CHECK(list[0]->a[50] == 1);
  CHECK(list[2]->a[50] == 3);
  CHECK(list[1]->a[49] == 0);
  CHECK(all[2].a[99] == 2);
  CHECK(all[2].a[98] == 0);
  __VERIFIER_nondet_end();
  return 0;
}
