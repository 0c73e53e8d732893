// A block has no elements where it was not allocated.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --undefined arbitrary --64 $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D SETTER $FILE
// exit: 0
// run: palisade verify --check memory -D INDEX $FILE
// exit: 0
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
struct vector {
  int *a;
  int n, capacity;
};
static void push(struct vector *v, int x) {
  if (v->n == v->capacity) {
    v->capacity += 2;
    v->a = realloc(v->a, v->capacity * sizeof *v->a);
  }
  v->a[v->n++] = x;
}
static char *name;
static void set(const char *s) {
  if (!s) return;
  char *n = malloc(strlen(s) + 1);
  strcpy(n, s);
  free(name);
  name = n;
}
int main(void) {
#ifdef SETTER
  set("ab");
  set(0);
  set("cde");
  if (name[2] != 'e') reach_error();
  free(name);
#else
  struct vector v = {0, 0, 0};
  push(&v, 1);
  push(&v, 1);
  push(&v, 1);
#ifdef INDEX
  int b[2] = {0, 0};
  b[v.a[0]] = 3;
#elif defined WRONG
  if (v.a[0] == 1) reach_error();
#else
  if (v.a[0] != 1) reach_error();
#endif
  free(v.a);
#endif
}
