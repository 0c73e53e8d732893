// The number of an address is a multiple of the alignment that the declaration asks for.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --64 --int bv $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D PLAIN $FILE
// exit: 20
// stdout: depends on an address as a number
// run: palisade verify -D MORE $FILE
// exit: 20
// stdout: depends on an address as a number
extern void reach_error(void);
static char buf[16] __attribute__((aligned(8)));
typedef int wide __attribute__((aligned(32)));
static wide w;
static char plain[16];
static int ok(const void *p, unsigned long n) { return ((unsigned long)p & (n - 1)) == 0; }
int main(void) {
  char local[4] __attribute__((aligned(4)));
#ifdef PLAIN
  if (!ok(plain, 2)) reach_error();
#elif defined WRONG
  if (ok(buf, 8)) reach_error();
#elif defined MORE
  if (!ok(buf, 16)) reach_error();
#else
  if ((unsigned long)&buf & 7) reach_error();
  if (!ok(buf, 8)) reach_error();
  if (!ok(&w, 32)) reach_error();
  if (!ok(local, 4)) reach_error();
  if (((unsigned long)(buf + 3) & 7) != 3) reach_error();
#endif
}
