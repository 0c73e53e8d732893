// One `mov` is an assignment. Other instructions on memory may change what they have the address of, and
// nothing else; what follows from their results is open.
// run: palisade verify --64 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 -D CHANGED $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify --64 -D BITS $FILE
// exit: 20
// run: palisade verify --64 -D SEGMENT $FILE
// exit: 20
// run: palisade verify --64 -D NAMED $FILE
// exit: 20
extern void reach_error(void);
static inline unsigned get(volatile unsigned *p) {
  unsigned r;
  __asm__ volatile("movl %1,%0" : "=r"(r) : "m"(*p) : "memory");
  return r;
}
static inline void put(unsigned v, volatile unsigned *p) {
  __asm__ volatile("movl %0,%1" : : "r"(v), "m"(*p) : "memory");
}
static inline int set_bit(int n, volatile unsigned long *word) {
  int old;
  __asm__ volatile("lock; bts %2,%1\n\tsbb %0,%0" : "=r"(old), "+m"(*word) : "Ir"(n) : "memory");
  return old;
}
unsigned long flags;
static int kept = 3;
int main(void) {
  unsigned x = 5, y = 7;
  put(6, &x);
#if defined CHANGED
  if (get(&x) == 6) reach_error();
#elif defined BITS
  set_bit(3, &flags);
  if (flags == 8) reach_error();
#elif defined SEGMENT
  unsigned long r;
  __asm__("movq %%gs:%P1,%0" : "=r"(r) : "p"(&kept));
  if (r == 1) reach_error();
#elif defined NAMED
  __asm__ volatile("incl kept(%%rip)" : : : "memory");
  if (kept == 4) reach_error();
#else
  int old = set_bit(3, &flags);
  if (get(&x) != 6 || y != 7 || kept != 3 || (old && old != -1 && kept != 3)) reach_error();
#endif
  return 0;
}
