// The elements of a flexible array are no part of its struct where that is assigned or set.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D PADDING $FILE
// exit: 20
// stdout: a flexible array that begins in the padding of its struct
extern void reach_error(void);
struct whole { int n; int data[]; };
struct padded { int n; char c; char data[]; };
static struct whole s = {5}, t = {1, {7, 8}};
static struct padded p = {1, 2, "ab"}, q = {3, 4, "cd"};
int main(void) {
#ifdef PADDING
  p = q;
  if (p.data[0] == 'a') reach_error();
#else
  t = s;
#ifdef WRONG
  if (t.n == 5 && t.data[1] == 8) reach_error();
#else
  if (t.n != 5 || t.data[0] != 7) reach_error();
  __builtin_memset(&t, 0, sizeof t);
  if (t.n != 0 || t.data[1] != 8) reach_error();
#endif
#endif
}
