// An array of no elements lies where the next member does.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D CASE=1 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary -D CASE=1 $FILE
// exit: 20
// run: palisade verify -D CASE=2 $FILE
// exit: 20
// run: palisade verify --64 -D CASE=3 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=4 $FILE
// exit: 20
#include <stdlib.h>
extern void reach_error(void);
struct parts {
  int a;
  int z[0];
  int m;
} x[3];
struct head {
  int n;
  int d[0];
};
struct packet {
  struct head h;
  int data[2];
} p[2];
static void put(int *q) { *q = 5; }
int main(void) {
#if CASE == 1
  int *q = x[1].z;
  *q = 5;
  if (x[1].m == 5) reach_error();
#elif CASE == 2
  struct head *s = calloc(1, sizeof *s + 8);
  if (!s) return 0;
  put(s->d);
  if (*(int *)(s + 1) == 5) reach_error();
#elif CASE == 3
  put(p[1].h.d);
  if (p[1].data[0] == 5) reach_error();
#elif CASE == 4
  *(int *)&x[0].z = 5;
  if (x[0].m == 5) reach_error();
#else
  put(&x[1].m);
  put(p[1].data);
  if (x[1].m != 5 || p[1].data[0] != 5 || sizeof x[0].z != 0) reach_error();
#endif
}
