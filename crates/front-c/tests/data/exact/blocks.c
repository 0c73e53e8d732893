/* Allocated blocks: arrays of unknown length at the end of structs, blocks that are seen as several types. */
#include <stdlib.h>
#include <string.h>
#include <stddef.h>

struct message { int length; char text[]; };
struct samples { char kind; short count; int value[]; };
struct pair { short a, b; };
struct list { struct list *next; int value; };

static struct message *make(const char *from, unsigned n) {
  struct message *m = malloc(sizeof *m + n);
  if (!m) return 0;
  m->length = (int)n;
  memcpy(m->text, from, n);
  return m;
}

static unsigned sum(const void *p, unsigned n) {
  const unsigned char *q = p;
  unsigned s = 0;
  while (n--) s += *q++;
  return s;
}

int main(void) {
  struct message *m = make("abc", 4);
  if (!m) return 0;
  CHECK(m->length == 4 && m->text[0] == 'a' && m->text[3] == 0)
  m->text[1] = 'x';
  CHECK(strcmp(m->text, "axc") == 0)
  CHECK(m->length == 4)
  free(m);

  struct samples *s = malloc(sizeof *s + 3 * sizeof(int));
  if (!s) return 0;
  s->kind = 1; s->count = 3;
  for (int i = 0; i < s->count; i++) s->value[i] = i * i;
  int total = 0;
  for (int i = 0; i < s->count; i++) total += s->value[i];
  CHECK(total == 5 && s->kind == 1)
  int *last = &s->value[2];
  CHECK(*last == 4 && last - s->value == 2)
  free(s);

  unsigned char *raw = malloc(8);
  if (!raw) return 0;
  *(unsigned *)raw = 0x04030201;
  *(unsigned *)(raw + 4) = 0x08070605;
  for (int i = 0; i < 8; i++) CHECK(raw[i] == i + 1)
  struct pair *pairs = (struct pair *)raw;
  CHECK(pairs[1].a == 0x0605 && pairs[0].b == 0x0403)
  pairs[1].b = -1;
  CHECK(raw[6] == 255 && raw[7] == 255 && raw[5] == 6)
  free(raw);

  char *odd = malloc(sizeof(int) + 3);
  if (!odd) return 0;
  *(int *)odd = 0x01020304;
  odd[4] = odd[0];
  odd[5] = 0;
  odd[6] = 1;
  CHECK(odd[4] == 4 && *(short *)(odd + 5) == 0x100)
  free(odd);

  unsigned n = 3;
  unsigned *words = malloc(n * sizeof(unsigned));
  if (!words) return 0;
  for (unsigned i = 0; i < n; i++) words[i] = 0x01010101 * (i + 1);
  CHECK(sum(words, n * sizeof *words) == 4 * (1 + 2 + 3))
  ((unsigned char *)words)[5] = 0;
  CHECK(words[1] == 0x02020002 && words[0] == 0x01010101)
  free(words);

  struct list *head = 0;
  for (int i = 0; i < 3; i++) {
    struct list *l = malloc(sizeof *l);
    if (!l) return 0;
    l->next = head; l->value = 256 * i + 7;
    head = l;
  }
  unsigned char *low = (unsigned char *)&head->value;
  CHECK(low[0] == 7 && low[1] == 2)
  low[1] = 9;
  CHECK(head->value == 9 * 256 + 7)
  struct list *again = (struct list *)(low - offsetof(struct list, value));
  CHECK(again == head && again->next->value == 256 + 7 && again->next->next->value == 7)
  return __VERIFIER_nondet_end();
}
