// Memory that the program gives out itself, from arrays of bytes: structs with pointers in it.
#include <stddef.h>
#include <stdint.h>
#include <string.h>
struct node { struct node *next; int value; };
struct mixed { char tag; struct node *first; short count; void (*call)(int); };
static unsigned char pool[256] __attribute__((aligned(16)));
static size_t used;
static int called;
static void note(int x) { called = x; }
static void *give(size_t n) {
  void *p = &pool[used];
  used += (n + 7) & ~(size_t)7;
  return p;
}
static uint8_t blocks[4 * 16] __attribute__((aligned(8)));
static void *list;
static void release(void *p) { *(void **)p = list; list = p; }
static void *take(void) { void **p = list; if (p) list = *p; return p; }
struct message { int id, length; };
int main(void) {
  struct mixed *m = give(sizeof *m);
  CHECK(m->first == NULL && m->tag == 0 && m->call == NULL)
  m->tag = 'x'; m->count = 7; m->call = note;
  struct node *head = NULL;
  for (int i = 0; i < 3; i++) {
    struct node *n = give(sizeof *n);
    n->value = i + 5; n->next = head; head = n;
  }
  m->first = head;
  int sum = 0;
  for (struct node *n = m->first; n; n = n->next) sum = 10 * sum + n->value;
  CHECK(sum == 765)
  CHECK(m->tag == 'x' && m->count == 7)
  m->call(3);
  CHECK(called == 3)
  struct mixed copy = *m;
  CHECK(copy.first == head && copy.count == 7 && copy.call == note)
  struct mixed *second = give(sizeof *second);
  *second = copy;
  CHECK(second->first->next->value == 6)
  memcpy(&copy.first, &head->next, sizeof copy.first);
  CHECK(copy.first->value == 6)
  second->first = &copy.first->next[0];
  CHECK(second->first->value == 5 && second->first->next == NULL)
  // What was a pointer becomes numbers, and a pointer again.
  struct node *old = second->first;
  memset(&second->first, 0, sizeof second->first);
  CHECK(second->first == NULL)
  uint32_t *word = (uint32_t *)&second->first;
  word[0] = 0x01020304;
  CHECK(*(unsigned char *)word == 4 && ((unsigned char *)word)[3] == 1)
  second->first = old;
  CHECK(second->first == old)
  pool[255] = 9;
  CHECK(pool[255] == 9 && *(uint16_t *)(pool + 254) == 0x900)
  // A list of free blocks that goes through them.
  for (int i = 3; i >= 0; i--) release(blocks + 16 * i);
  struct message *a = take(), *b = take();
  CHECK((uint8_t *)a == blocks && (uint8_t *)b == blocks + 16)
  a->id = 1; a->length = 10; b->id = 2; b->length = 20;
  release(a);
  struct node *n = take();
  CHECK((void *)n == (void *)a)
  n->next = head; n->value = 8;
  CHECK(n->next->value == 7 && b->id == 2 && b->length == 20)
  CHECK(take() && take() && !take())
  // A local one, and a pointer at an odd place.
  char local[24];
  memset(local, 0, sizeof local);
  memcpy(local + 3, &n, sizeof n);
  struct node *again;
  memcpy(&again, local + 3, sizeof again);
  CHECK(again == n && again->value == 8)
  CHECK(local[0] == 0 && local[3 + sizeof n] == 0)
  return __VERIFIER_nondet_end();
}
