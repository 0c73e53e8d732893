// What may lead from one part of an object to another one makes them one part.
// run: palisade verify --undefined arbitrary --slice careful -D CASE=1 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful --64 -D CASE=1 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=2 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful --64 -D CASE=2 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=3 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=4 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=5 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice on -D CASE=5 -D LARGE $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=6 $FILE
// exit: 0
// run: palisade verify --undefined arbitrary --slice on -D CASE=6 -D LARGE $FILE
// exit: 0
// stdout: sliced away
#include <stdlib.h>
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
#define TEN(s) s s s s s s s s s s
static unsigned padding;
static void pad(void) {
#ifdef LARGE
  TEN(TEN(TEN(padding = padding = padding = 1;)))
#endif
}
#if CASE == 1
// Behind a struct is its last array.
struct open {
  int n;
  int d[];
};
int main(void) {
  struct open *f = calloc(1, 20);
  int *p = (int *)(f + 1);
  *p = 6;
  if (f->d[0] == 6) reach_error();
}
#elif CASE == 2
// A number that leaves an array.
struct parts {
  int a[2];
  int b, c;
} s;
int main(void) {
  short i = 2;
  *(int *)((unsigned long)&s + (unsigned long)i * 4) = 9;
  if (s.b == 9) reach_error();
}
#elif CASE == 3
struct none {
  int n;
  int d[0];
};
int main(void) {
  struct none *z = calloc(1, sizeof *z + 8);
  z->d[0] = 6;
  if (*(int *)(z + 1) == 6) reach_error();
}
#elif CASE == 4
struct one {
  int n;
  int d[1];
};
int main(void) {
  struct one *g = calloc(2, sizeof *g);
  g->d[1] = 5;
  if ((g + 1)->n == 5) reach_error();
}
#elif CASE == 5
// Nobody knows how the number is computed.
int x = 1;
int main(void) {
  pad();
  unsigned long n = (unsigned long)&x;
  long double d = n;
  unsigned long m = (unsigned long)d;
  *(int *)m = 8;
  if (x == 8) reach_error();
}
#elif CASE == 6
// Indices that stay in their arrays leave the other parts alone.
struct table {
  int a[8];
  int b;
} t;
long double noise;
int main(void) {
  pad();
  unsigned i = __VERIFIER_nondet_uint();
  t.a[i & 7] = 1;
  t.a[i % 8] = 2;
  t.a[3] = 3;
  noise = 1.5L;
  if (t.b != 0) reach_error();
}
#endif
