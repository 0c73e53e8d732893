// Blocks with an array of unknown length at the end, as many as a loop allocates.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --64 $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D OUTSIDE --check memory $FILE
// exit: 10
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
struct entry { struct entry *next; int length; char name[]; };
int main(void) {
  struct entry *head = NULL;
  const char *names[] = { "ab", "c", "def" };
  for (int i = 0; i < 3; i++) {
    size_t n = strlen(names[i]);
    struct entry *e = malloc(sizeof *e + n + 1);
    if (!e) return 1;
    e->length = n;
    memcpy(e->name, names[i], n + 1);
    e->next = head;
    head = e;
  }
  int all = 0;
  for (struct entry *e = head; e; e = e->next) {
    if (strlen(e->name) != e->length) reach_error();
    all += e->length;
  }
  if (all != 6 || strcmp(head->name, "def")) reach_error();
#ifdef WRONG
  if (head->next->name[0] == 'c') reach_error();
#elif defined OUTSIDE
  head->name[4] = 0;
#endif
  return 0;
}
