// `cleanup` calls a function wherever the scope of a variable is left, but not at the end of the program.
// run: palisade verify --timeout 20 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --timeout 20 -D WRONG=1 $FILE
// exit: 10
// run: palisade verify --timeout 20 -D WRONG=2 $FILE
// exit: 10
// run: palisade verify --timeout 20 -D WRONG=3 $FILE
// exit: 10
// run: palisade verify --timeout 20 -D WRONG=4 $FILE
// exit: 10
// run: palisade verify --timeout 20 -D WRONG=5 $FILE
// exit: 10
// run: palisade verify --timeout 20 --check memory -D BLOCKS $FILE
// exit: 0
// run: palisade verify --timeout 20 --check memory -D BLOCKS -D WRONG=6 $FILE
// exit: 10
// run: palisade verify -D OUTSIDE $FILE
// exit: 20
// stdout: attribute `cleanup` with `outside`, a function without a body
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#ifndef WRONG
#define WRONG 0
#endif
extern int __VERIFIER_nondet_int(void);

static int log;
static void note(int *p) { log = log * 10 + *p; }
#define NOTED __attribute__((cleanup(note))) int

#ifdef BLOCKS
static void release(char **p) { free(*p); }
#define OWNED __attribute__((__cleanup__(release))) char *
static char first(int n) {
  OWNED a = malloc(4);
  a[0] = 'x';
  if (n > 3) return a[0];
  OWNED b = malloc(2);
  b[1] = a[0];
  if (n == 3) free(WRONG == 6 ? b : 0);
  return b[1];
}
int main(void) {
  assert(first(__VERIFIER_nondet_int()) == 'x');
  return 0;
}
#elif defined OUTSIDE
extern void outside(int *);
int main(void) {
  int a __attribute__((cleanup(outside))) = 1;
  assert(a == 1);
  return 0;
}
#else
static int ways(int k) {
  NOTED a = 1;
  for (int i = 0; i < 2; i++) {
    int b __attribute__((cleanup(note))) = 2;
    if (k == 1) break;
    if (k == 2) continue;
    if (k == 3) goto out;
    if (k == 4) return a;
    b = 3;
  }
  a = 5;
out:
  return a;
}

// Not armed before it is initialised, nor where a jump passes over it.
static int armed(int k) {
  {
    if (k == 0) goto end;
    NOTED a = ({
      if (k == 1) return 7;
      4;
    });
  again:;
    NOTED b = 6;
    if (k-- == 3) goto again;
  }
end:
  return 8;
}

// What is returned was computed before; the value of a statement expression, too.
static void clear(int *p) { *p = 0; }
static int values(void) {
  __attribute__((cleanup(clear))) int x = 2;
  int y = ({
    __attribute__((cleanup(clear))) int z = 3;
    z;
  });
  return x + y;
}

static jmp_buf back;
static void jump(void) {
  NOTED a = 3;
  longjmp(back, 1);
}

static int selected(int k) {
  switch (k) {
  case 0: {
    NOTED a = 1;
    break;
  }
  case 1:;
    NOTED b = 2;
  default:
    return 4;
  }
  return 5;
}

int main(void) {
  int k = __VERIFIER_nondet_int();
  if (k < 0 || k > 4) return 0;
  int r = ways(k);
  if (k == 0) assert(log == 335 + (WRONG == 1) && r == 5);
  if (k == 1) assert(log == 25 && r == 5 + (WRONG == 2));
  if (k == 2) assert(log == 225 && r == 5);
  if (k == 3) assert(log == 21 + (WRONG == 3) && r == 1);
  if (k == 4) assert(log == 21 && r == 1);
  log = 0;
  r = armed(k);
  if (k == 0) assert(log == 0 && r == 8);
  if (k == 1) assert(log == 0 && r == 7);
  if (k == 2) assert(log == 64 && r == 8);
  if (k == 3) assert(log == 664 + (WRONG == 4) && r == 8);
  log = 0;
  r = selected(k);
  if (k == 0) assert(log == 1 && r == 5);
  if (k == 1) assert(log == 2 && r == 4);
  assert(values() == 5);
  log = 0;
  if (setjmp(back) == 0) jump();
  assert(log == 0 + (WRONG == 5));
  NOTED late = 4;
  if (k == 2) exit(0);
  return 0;
}
#endif
