// Functions of the library that the program declares with types of its own: refused, unless the machine does
// the same with both types.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --64 $FILE
// exit: 0
// run: palisade verify -D CUT_BYTES $FILE
// exit: 20
// stdout: call of `memset`, which is declared with other types
// run: palisade verify -D UNSIGNED_ABS $FILE
// exit: 20
// stdout: call of `llabs`, which is declared with other types
// run: palisade verify -D WIDE_ABS $FILE
// exit: 20
// stdout: call of `abs`, which is declared with other types
// run: palisade verify -D SHORT_LENGTH $FILE
// exit: 20
// stdout: call of `memset`, which is declared with other types
// run: palisade verify --check memory -D SHORT_SIZE $FILE
// exit: 20
// stdout: call of `malloc`, which is declared with other types
// run: palisade verify -D REM_FIRST $FILE
// exit: 20
// stdout: `div` that is not declared as in the library
// run: palisade verify -D BOOL_CHAR $FILE
// exit: 20
// stdout: call of `putchar`, which is declared with other types
// run: palisade verify -D ISINF_CHAR $FILE
// exit: 20
// stdout: call of `isinf`, which is declared with other types
// run: palisade verify -D SQRT_FLOAT $FILE
// exit: 20
// stdout: call of `sqrt`, which is declared with other types
// run: palisade verify -D FABS_INT $FILE
// exit: 20
// stdout: call of `fabs`, which is declared with other types
extern void reach_error(void);
#if defined CUT_BYTES
void *memset(void *, long long, unsigned);
int main(void) {
  char b[2];
  memset(b, 7, 2);
  if (b[1] != 7) reach_error();
}
#elif defined UNSIGNED_ABS
// gcc makes this the number itself, a function of the library 5.
unsigned long long llabs(unsigned long long);
int main(void) {
  if (llabs(-5ull) != 5) reach_error();
}
#elif defined WIDE_ABS
int abs(long long);
int main(void) {
  if (abs(0x100000005ll) != 5) reach_error();
}
#elif defined SHORT_LENGTH
void *memset(void *, int, unsigned char);
int main(void) {
  static char b[300];
  memset(b, 7, 258);
  if (b[2]) reach_error();
}
#elif defined SHORT_SIZE
void *malloc(unsigned char);
int main(void) {
  char *p = malloc(260);
  if (p) p[5] = 1;
  return 0;
}
#elif defined REM_FIRST
typedef struct {
  int rem, quot;
} div_t;
div_t div(int, int);
int main(void) {
  div_t d = div(7, 2);
  if (d.quot != 3) reach_error();
}
#elif defined BOOL_CHAR
int putchar(_Bool);
int main(void) {
  if (putchar(65) != 1) reach_error();
}
#elif defined ISINF_CHAR
char isinf(double);
int main(void) {
  if (isinf(1.0)) reach_error();
}
#elif defined SQRT_FLOAT
float sqrt(float);
int main(void) {
  if (sqrt(4.0f) != 2.0f) reach_error();
}
#elif defined FABS_INT
int fabs(int);
int main(void) {
  if (fabs(-4) != 4) reach_error();
}
#else
void *malloc(unsigned int);
void exit(int);
int isdigit(int);
void *memcpy(char *, const char *, unsigned);
void *bsearch(const void *, const void *, int, int, int (*)(const void *, const void *));
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int t[3] = {1, 2, 3}, k = 2;
  char *p = malloc(2);
  if (!p) exit(1);
  p[0] = '7';
  memcpy(p + 1, p, 1);
  if (!isdigit(p[1])) reach_error();
  if (bsearch(&k, t, 3, 4, order) != t + 1) reach_error();
}
#endif
