// Questions about types look at qualifiers: at the top they do not matter, inside they do. Constants are made
// of such questions, too.
// run: palisade verify --64 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 --confirm off $FILE
// exit: 0
// run: palisade verify --32 $FILE
// exit: 0
// run: palisade verify --64 -D WRONG=1 $FILE
// exit: 10
// run: palisade verify --64 -D WRONG=2 $FILE
// exit: 10
// run: palisade verify --64 -D WRONG=3 $FILE
// exit: 10
// run: palisade verify --64 -D WRONG=4 $FILE
// exit: 10
// run: palisade verify --64 -D WRONG=5 $FILE
// exit: 10
// run: palisade verify --64 -D OPEN $FILE
// exit: 20
// stdout: generic selection between these types
#include <assert.h>
#ifndef WRONG
#define WRONG 0
#endif
#define SAME(a, b) __builtin_types_compatible_p(a, b)
#define BUG_ON_ZERO(e) (sizeof(struct { int : -!!(e); }))
#define NOT(e) (sizeof(char[1 - 2 * !!(e)]) - 1)
#define IS_POINTER(a) SAME(__typeof__(a), __typeof__(&(a)[0]))
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]) + BUG_ON_ZERO(IS_POINTER(a)))
#define KIND(x) \
  _Generic((x), int: 1, const int: 2, int *: 3, const int *: 4, char *: 5, const char *: 6, \
      int (*)(void): 7, volatile int *: 8, default: 0)

struct s {
  const int m;
  int a[2];
  struct {
    volatile int flag;
  };
};
typedef const int constant;
typedef int function(void);

static int f(void) { return 1; }
static int numbers[7];
static const int table[3];
static constant one = 1;
static int *const fixed = numbers;
static const int *moving = table;
static struct s s;
static const struct s *const p = &s;
static short v __attribute__((aligned(16)));
static struct {
  char c;
  double d;
} __attribute__((packed)) packed;
enum { SEVEN = LENGTH(numbers) + NOT(!SAME(int, const int)), ALIGNMENT = __alignof__(v) };

int main(void) {
  assert(SEVEN == 7 + (WRONG == 1));
  // The value of a variable has no qualifiers, but what it points to has.
  assert(KIND(one) == 1 + (WRONG == 2) && KIND(fixed) == 3 && KIND(moving) == 4);
  assert(KIND(&one) == 4 && KIND(&fixed[0]) == 3 && KIND(table) == 4 && KIND(&table[1]) == 4);
  assert(KIND("a") == 5 && KIND((const char *)"a") == 6 && KIND(f) == 7 && KIND(&f) == 7 && KIND(*f) == 7);
  assert(KIND(&s.m) == 4 && KIND(s.m) == 1 && KIND(s.a) == 3 && KIND(p->a) == 4 && KIND(&s.flag) == 8);
  assert(KIND(1 ? &numbers[0] : &one) == 4 && KIND(1 ? numbers : (void *)0) == 3 && KIND(numbers + 1) == 3);
  assert(_Generic(&numbers, int (*)[7]: 1, const int (*)[7]: 2) == 1);
  assert(_Generic(&table, int (*)[3]: 1, const int (*)[3]: 2) == 2);
  assert(_Generic(&fixed, int **: 1, int *const *: 2) == 2 + (WRONG == 3));
  // Compatible types.
  assert(SAME(int, const int) && SAME(constant, int) && !SAME(constant *, int *));
  assert(!SAME(int *, const int *) && SAME(int *const, int *) && !SAME(int **, int *const *));
  assert(SAME(int[], int[5]) && !SAME(int[4], int[5]) && SAME(const int[5], int[5]) && !SAME(int[5], int *));
  assert(SAME(int(const int), int(int)) && !SAME(int(const int *), int(int *)) && SAME(function, int(void)));
  assert(SAME(int(), int(int)) && !SAME(int(), int(char)) && !SAME(int(), int(int, ...)));
  assert(SAME(__typeof__(one), int) && SAME(__typeof__(&one), const int *) && !SAME(char, signed char));
  __typeof__(one) copy = 1;
  __typeof__(one + 0) plain = 1;
  assert(KIND(&copy) == 4 + (WRONG == 4) && KIND(&plain) == 3);
  // Alignments of declarations and of types.
  assert(ALIGNMENT == 16 - (WRONG == 5) && __alignof__(short) == 2 && __alignof__(numbers[0]) == 4);
  assert(__alignof__(packed.d) == 1 && __alignof__ packed == 1 && __alignof__ *moving == 4);
#ifdef OPEN
  static volatile int w;
  // gcc and clang differ.
  return _Generic((__typeof__(w = 1) *)0, int *: 1, volatile int *: 2);
#endif
  return plain - 1;
}
