// Parameters and pointers that lead to arrays of variable length.
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
// run: palisade verify --timeout 20 -D LOCAL $FILE
// exit: 0
// run: palisade verify --timeout 20 -D LOCAL -D WRONG=5 $FILE
// exit: 10
// run: palisade verify --timeout 20 -D LOCAL -D WRONG=6 $FILE
// exit: 10
// run: palisade verify --timeout 20 -D BEHIND_ROW $FILE
// exit: 20
// stdout: an index outside of an array of variable length
// run: palisade verify --timeout 20 -D BEHIND_ALL $FILE
// exit: 20
// stdout: undefined behaviour: access outside an object
#include <assert.h>
#ifndef WRONG
#define WRONG 0
#endif
extern int __VERIFIER_nondet_int(void);

int sum(int n, int a[n][n]);
int sum(int n, int a[n][n]) {
  int s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) s += a[i][j];
  return s;
}
static int last(int n, int a[static n]) { return a[n - 1]; }
static int corner(int n, int m, int (*p)[m]) { return p[n - 1][m - 1] + (int)sizeof(*p); }
static int cube(int n, int m, short (*p)[n][m], int i, int j) { return (*p)[i][j]; }
static int inner(int n, int a[][n + 1][2], int i) { return a[1][i][1]; }
static int prototype(int n, int a[*][*]);
static int prototype(int n, int a[n][n]) { return (*a)[1] + *a[1]; }
static void fill(int n, int a[n][n], int v) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = v + i * n + j;
}
static int moved(int n, char a[n][n]) {
  char(*p)[n] = a + 1;
  n = 7; // the length is what it was
  p--;
  ++p;
  return (*p)[0] + (p == a + 1) + (int)sizeof(*a);
}

int main(void) {
#ifdef LOCAL
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 3) return 0;
  int a[n][n];
  fill(n, a, 5);
  assert(a[n - 1][n - 1] == 5 + n * n - 1 + (WRONG == 5));
  int(*p)[n] = a;
  p++;
  assert(sizeof(*p) == n * sizeof(int) && sizeof(a) == n * n * sizeof(int));
  if (n > 1) assert((*p)[0] == 5 + n && p[0][1] == a[1][1] + (WRONG == 6));
#else
  int square[2][2] = {{1, 2}, {3, 4}}, b[2][3] = {{1, 2, 3}, {4, 5, 6}};
  short s[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int c[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
  char d[2][2] = {{1, 2}, {3, 4}};
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 1) return 0;
  assert(sum(2, square) == 10 + (WRONG == 1));
  assert(last(2, square[i]) == 2 + 2 * i);
  assert(corner(2, 3, b) == 6 + 12 + (WRONG == 2));
  assert(cube(2, 3, &s, i, 2) == 3 + 3 * i + (WRONG == 3));
  assert(inner(2, c, i) == 8 + 2 * i + (WRONG == 4));
  assert(prototype(2, square) == 5);
  assert(moved(2, d) == 6);
#ifdef BEHIND_ROW
  i = cube(2, 3, &s, 0, 3 + i);
#elif defined BEHIND_ALL
  i = cube(3, 3, &s, 2, i);
#endif
#endif
  return 0;
}
