/* Allocated blocks whose size is no multiple of their type's: a struct, and bytes behind it. */
#include <stdlib.h>
#include <string.h>

struct node { unsigned hash; void *value; struct node *next; };
struct head { short kind; int count; };
struct big { long long a, b, c, d; };

static struct node *make(const char *key, const void *value, int size) {
  int length = (int)strlen(key) + 1;
  int offset = length + (int)((sizeof(void *) - length) % sizeof(void *));
  struct node *n = malloc(sizeof *n + offset + size);
  if (!n) return 0;
  memcpy(n + 1, key, length);
  n->hash = 7;
  n->value = (char *)(n + 1) + offset;
  n->next = 0;
  memcpy(n->value, value, size);
  return n;
}

int main(void) {
  int answer = 42;
  struct node *n = make("key", &answer, sizeof answer);
  if (!n) return 0;
  CHECK(n->hash == 7 && n->next == 0)
  CHECK(strcmp((char *)(n + 1), "key") == 0)
  CHECK(*(int *)n->value == 42)
  ((char *)(n + 1))[1] = 'a';
  CHECK(((char *)(n + 1))[0] == 'k' && ((char *)(n + 1))[1] == 'a')
  CHECK(n->hash == 7 && *(int *)n->value == 42)
  n->next = n;
  CHECK(n->next->hash == 7 && (char *)(n + 1) - (char *)n == sizeof *n)
  free(n);

  /* What is behind the struct is larger than the struct. */
  struct big b = {1, 2, 3, 4};
  struct node *m = make("long key", &b, sizeof b);
  if (!m) return 0;
  struct big *copy = m->value;
  CHECK(copy->a == 1 && copy->d == 4 && m->hash == 7)
  copy->b = -1;
  CHECK(((unsigned char *)copy)[8] == 255 && ((unsigned char *)copy)[16] == 3)
  free(m);

  /* Bytes that are a struct at the front. */
  unsigned n1 = (unsigned)answer + 3;
  unsigned char *raw = malloc(n1);
  if (!raw) return 0;
  memset(raw, 1, n1);
  struct head *h = (struct head *)raw;
  CHECK(h->kind == 0x101 && h->count == 0x1010101)
  h->count = 0x04030201;
  CHECK(raw[4] == 1 && raw[7] == 4 && raw[8] == 1 && raw[n1 - 1] == 1)
  raw[5] = 0;
  CHECK(h->count == 0x04030001)
  free(raw);

  /* Structs that the size does not speak of. */
  struct head *few = malloc(2 * sizeof *few + n1);
  if (!few) return 0;
  few[1].count = 5;
  few[0].count = 6;
  ((char *)few)[2 * sizeof *few + 1] = 9;
  CHECK(few[1].count == 5 && few->count == 6 && ((char *)(few + 2))[1] == 9)
  free(few);

  /* Only the struct is used. */
  struct head *one = malloc(sizeof *one + n1);
  if (!one) return 0;
  one->kind = 3;
  CHECK(one->kind == 3)
  free(one);

  /* A number, and bytes behind it. */
  int *length = malloc(sizeof(int) + n1);
  if (!length) return 0;
  *length = 3;
  char *text = (char *)(length + 1);
  text[0] = 'a'; text[n1 - 1] = 'b';
  CHECK(*length == 3 && text[0] == 'a' && ((char *)length)[sizeof(int) + n1 - 1] == 'b')
  free(length);

  /* The struct begins with a byte. */
  struct tag { unsigned char kind; short size; } *tag = malloc(n1);
  if (!tag) return 0;
  memset(tag, 1, n1);
  tag->kind = 3;
  CHECK(((unsigned char *)tag)[n1 - 1] == 1 && tag->size == 0x101 && *(char *)tag == 3)
  free(tag);
  struct two { unsigned char a, b; } *two = malloc(18);
  if (!two) return 0;
  memset(two, 1, 18);
  two->a = 2;
  CHECK(((unsigned char *)two)[17] == 1 && two[8].b == 1 && *(char *)two == 2)
  free(two);

  /* Several blocks of different lengths. */
  struct node *list = 0;
  const char *keys[3] = {"a", "bc", "def"};
  for (int i = 0; i < 3; i++) {
    struct node *next = make(keys[i], &i, sizeof i);
    if (!next) return 0;
    next->next = list;
    list = next;
  }
  CHECK(*(int *)list->value == 2 && *(int *)list->next->next->value == 0)
  CHECK(strcmp((char *)(list + 1), "def") == 0 && strcmp((char *)(list->next + 1), "bc") == 0)
  ((char *)(list->next + 1))[0] = 'x';
  CHECK(((char *)(list + 1))[0] == 'd' && ((char *)(list->next + 1))[0] == 'x')
  return __VERIFIER_nondet_end();
}
