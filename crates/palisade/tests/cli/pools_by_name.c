// Memory that the program gives out itself, as it is copied, cleared and written by its name.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --64 --int c $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D COPIED $FILE
// exit: 20
// stdout: the number of a byte that a pointer has
// run: palisade verify -D LISTED $FILE
// exit: 20
// stdout: a list for what is seen as bytes
// run: palisade verify -D UNION $FILE
// exit: 20
// stdout: a struct or union in memory that is seen as bytes
// run: palisade verify -D OPEN $FILE
// exit: 20
// stdout: depends on bytes that C leaves open
// run: palisade verify -D BITS $FILE
// exit: 20
// stdout: depends on bytes that C leaves open
// run: palisade verify -D ADDRESS $FILE
// exit: 20
// stdout: the number of a byte that a pointer has
// run: palisade verify -D PARTLY $FILE
// exit: 20
// stdout: a struct with padding in `outer`, which is something else
// run: palisade verify -D ELSEWHERE $FILE
// exit: 20
// stdout: a struct with padding in `message`, which is something else
// run: palisade verify -D BLOCK $FILE
// exit: 20
// stdout: a struct with padding in `main::block1`, which is something else
extern void reach_error(void);
void *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
struct node { struct node *next; };
struct arena { char buf[32]; unsigned used; };
static struct arena a, b;
struct S { char c; int n; };
struct V { char c; int *q; };
union both { struct S s; struct V v; };
static union both u;
static int get(void *p) { return ((struct V *)p)->c; }
struct ka { char type; int *target; };
struct kb { char type; short x; int *where; };
union event { struct ka k; struct kb m; };
static union event to;
static int type_of(void *e) { return ((struct kb *)e)->type; }
struct pad { char c; int i; };
struct bits { char c; unsigned char f : 3, g : 5; short s; int i; };
static _Alignas(8) char pool[16];
static _Alignas(256) int x[128];
struct P { int *p; };
struct low { unsigned char f : 3, g : 5; };
struct inner { unsigned a : 3; };
struct outer { struct inner in; int z; char pool[64]; };
static struct outer outer;
static struct { struct pad h; unsigned char body[32]; } message;
static int first_is_null(struct arena copy) { return ((struct node *)copy.buf)->next == 0; }
int main(void) {
  struct node *p = (struct node *)a.buf, *q = (struct node *)b.buf;
#if defined UNION
  struct ka made = {5, x};
  to = (union event){.k = made};
  if (type_of(&to) != 5) reach_error();
#elif defined OPEN
  static struct S s;
  __builtin_memset(&u, 0, sizeof u);
  __builtin_memset(&s, 0xff, sizeof s);
  u.s = s;
  if (get(&u) != -1) return 0;
  if (((unsigned char *)&u)[1] == 0) reach_error();
#elif defined BITS
  struct pad s;
  __builtin_memset(&s, 0xff, sizeof s);
  *(struct pad *)pool = s;
  struct bits *f = (struct bits *)pool;
  f->f = 0;
  if (f->g != 31) reach_error();
#elif defined ADDRESS
  ((struct P *)pool)->p = x + 62;
  struct low *f = (struct low *)pool;
  f->f = 1;
  if (f->g != 31) reach_error();
#elif defined PARTLY
  ((struct P *)(outer.pool + 16))->p = 0;
  struct inner s;
  __builtin_memset(&s, 0xff, sizeof s);
  *(struct inner *)(outer.pool + 8) = s;
  if (outer.pool[9] != -1) reach_error();
#elif defined ELSEWHERE
  struct pad s;
  __builtin_memset(&s, 0xff, sizeof s);
  unsigned char *bytes = (unsigned char *)&message;
  bytes[3] = 0;
  *(struct pad *)(bytes + sizeof(struct pad)) = s;
  if (message.body[1] != 255) reach_error();
#elif defined BLOCK
  struct pad s;
  __builtin_memset(&s, 0xff, sizeof s);
  struct pad *all = calloc(4, sizeof *all);
  all[3].i = 1;
  *(struct pad *)((char *)all + 4) = s;
  if (((unsigned char *)all)[5] != 255) reach_error();
#else
  p->next = p;
  q->next = 0;
#ifdef COPIED
  b = a;
  if (first_is_null(b)) reach_error();
#elif defined LISTED
  struct ka made = {5, x};
  union event event = {.k = made};
  if (type_of(&event) != 5) reach_error();
#else
  __builtin_memset(a.buf, 0, sizeof a.buf);
  if (p->next != 0) reach_error();
  a.buf[sizeof(struct node)] = 3;
  b = a;
  if (b.buf[sizeof(struct node)] != 3 || q->next != 0) reach_error();
#endif
#ifdef WRONG
  if (q->next == 0) reach_error();
#endif
#endif
}
