// Pointers that something else than an assignment changes: slices keep what is stored through them.
// run: palisade verify --undefined arbitrary --slice careful -D CASE=1 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=2 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=3 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=4 $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice on -D CASE=5 -D LARGE $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --slice careful -D CASE=6 $FILE
// exit: 0
// stdout: comes back through a file
extern void reach_error(void);
#define TEN(s) s s s s s s s s s s
static unsigned padding;
static void pad(void) {
#ifdef LARGE
  TEN(TEN(TEN(padding = padding = padding = 1;)))
#endif
}
#if CASE == 1
// What a function without body stores.
struct request {
  void *context;
  void (*done)(void *);
};
extern void init(struct request *r, void *context);
static void set(void *context) { *(int *)context = 8; }
int main(void) {
  int n;
  struct request r = {0, set};
  init(&r, &n);
  n = 1;
  r.done(r.context);
  if (n == 8) reach_error();
}
#elif CASE == 2
struct list {
  struct list *next;
  int v;
};
extern void add(struct list *head, struct list *e);
struct list head, e;
int main(void) {
  add(&head, &e);
  e.v = 1;
  if (head.next) head.next->v = 8;
  if (e.v == 8) reach_error();
}
#elif CASE == 3
// A byte of a pointer.
struct parts {
  int a, b;
} s __attribute__((aligned(256)));
int main(void) {
  int *p = &s.a;
  *(unsigned char *)&p = 4;
  *p = 5;
  if (s.b == 5) reach_error();
}
#elif CASE == 4
// What lies at a fixed address.
int x = 1;
int main(void) {
  *(int **)0x20000000 = &x;
  int *p = *(int **)0x20000000;
  *p = 8;
  if (x == 8) reach_error();
}
#elif CASE == 5
// An argument that is not supported.
int x = 1;
static void set(int *p) { *p = 8; }
int main(void) {
  pad();
  unsigned long n = (unsigned long)&x;
  long double d = n;
  set((int *)(unsigned long)d);
  if (x == 8) reach_error();
}
#else
int noise, x;
int main(void) {
  noise = 3;
  if (x != 0) reach_error();
}
#endif
