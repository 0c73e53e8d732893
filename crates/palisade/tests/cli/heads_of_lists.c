// Lists as in the Linux kernel: at the end of a loop the head is taken for a part of an element, which leaves
// the head, and comes back.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --64 --check memory $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D READ $FILE
// exit: 20
// stdout: undefined behaviour: access outside an object
// run: palisade verify -D READ --check memory $FILE
// exit: 10
// stdout: RESULT: FALSE(valid-deref)
// run: palisade verify -D COMPARED $FILE
// exit: 20
// stdout: comparison of a pointer that has left `queue`
// run: palisade verify -D ENDED --check memory $FILE
// exit: 10
// stdout: RESULT: FALSE(valid-deref)
#include <stddef.h>
#include <stdlib.h>
extern void reach_error(void);
struct list_head { struct list_head *next, *prev; };
#define list_entry(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define list_next(p, member) list_entry((p)->member.next, __typeof__(*(p)), member)
#define list_for_each_entry(p, head, member) \
  for (p = list_entry((head)->next, __typeof__(*p), member); &p->member != (head); p = list_next(p, member))
#define list_for_each_entry_safe(p, n, head, member)                                       \
  for (p = list_entry((head)->next, __typeof__(*p), member), n = list_next(p, member);     \
       &p->member != (head); p = n, n = list_next(n, member))
static void list_init(struct list_head *h) { h->next = h->prev = h; }
static void list_add_tail(struct list_head *n, struct list_head *h) {
  n->prev = h->prev;
  n->next = h;
  h->prev->next = n;
  h->prev = n;
}
static void list_del(struct list_head *e) {
  e->next->prev = e->prev;
  e->prev->next = e->next;
}
struct item { int value; char name[3]; struct list_head link; };
static struct list_head queue = {&queue, &queue};
static struct item first = {1}, second = {2}, *kept;
static int sum(struct list_head *head) {
  int s = 0;
  struct item *p;
  list_for_each_entry(p, head, link) s = 10 * s + p->value;
  return s;
}
static int on_heap(void) {
  struct list_head *head = malloc(sizeof *head);
  list_init(head);
  list_add_tail(&second.link, head);
  kept = list_entry(head, struct item, link);
  int s = 10 * sum(head) + (kept->link.prev == &second.link);
  free(head);
  return s;
}
static int on_stack(void) {
  struct list_head head;
  list_init(&head);
  list_add_tail(&first.link, &head);
  list_add_tail(&second.link, &head);
  kept = list_entry(&head, struct item, link);
  return sum(&head);
}
int main(void) {
  struct item *p, *n;
#ifdef READ
  list_for_each_entry(p, &queue, link);
  return p->value;
#elif defined COMPARED
  list_for_each_entry(p, &queue, link);
  if (p == &first) reach_error();
#elif defined ENDED
  on_stack();
  return kept->link.next == 0;
#else
  if (on_stack() != 12 || on_heap() != 21) reach_error();
  for (int i = 3; i < 6; i++) {
    p = malloc(sizeof *p);
    p->value = i;
    list_add_tail(&p->link, &queue);
  }
  if (sum(&queue) != 345) reach_error();
  list_for_each_entry_safe(p, n, &queue, link) {
    if (p->value == 4) continue;
    list_del(&p->link);
    free(p);
  }
#ifdef WRONG
  if (sum(&queue) == 4) reach_error();
#else
  if (sum(&queue) != 4) reach_error();
#endif
#endif
}
