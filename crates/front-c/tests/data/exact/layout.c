// `packed`, `aligned`, `mode` and `#pragma pack` change sizes and offsets.
#define OFFSET(t, m) __builtin_offsetof(t, m)
struct __attribute__((packed)) front { char a; int b; long long c; };
struct behind { char a; int b; } __attribute__((packed));
struct member { char a; int b __attribute__((packed)); char c; long long d __attribute__((aligned(16))); };
struct __attribute__((aligned(32))) big { char a; };
struct aligned_default { char a; } __attribute__((aligned));
typedef int far_int __attribute__((aligned(16)));
typedef int near_int __attribute__((aligned(1)));
struct by_type { char a; far_int b; char c; near_int d; };
typedef int byte_int __attribute__((mode(QI)));
typedef unsigned int __attribute__((__mode__(__DI__))) wide_int;
typedef int word_int __attribute__((mode(word)));
#pragma pack(push, 1)
struct one { char a; int b; long long c; };
#pragma pack(2)
struct two { char a; int b; struct one o; int bits : 5; };
#pragma pack(pop)
struct none { char a; int b; };
struct __attribute__((packed)) bits { int a : 3; int b : 30; unsigned c : 31; char d; };
struct mixed { char a; int b : 4; int : 0; int c : 4; short d : 9; _Bool e : 1; };
struct wide_bits { long long a : 40; long long b : 30; int c : 20; };
struct tail { char a; long long b : 33; };
union __attribute__((packed)) onion { char a[5]; int b; };
int main(void) {
  CHECK(sizeof(struct front) == 13 && OFFSET(struct front, b) == 1 && OFFSET(struct front, c) == 5)
  CHECK(sizeof(struct behind) == 5)
  CHECK(OFFSET(struct member, b) == 1 && OFFSET(struct member, c) == 5 && OFFSET(struct member, d) == 16 && sizeof(struct member) == 32)
  CHECK(sizeof(struct big) == 32 && sizeof(struct aligned_default) == 16 && _Alignof(struct big) == 32)
  CHECK(OFFSET(struct by_type, b) == 16 && OFFSET(struct by_type, d) == 21 && sizeof(struct by_type) == 32)
  CHECK(_Alignof(far_int) == 16 && _Alignof(near_int) == 1)
  CHECK(sizeof(byte_int) == 1 && sizeof(wide_int) == 8 && sizeof(word_int) == sizeof(long))
  byte_int x = 127; x++; CHECK(x == -128)
  wide_int y = -1; CHECK(y == 0xffffffffffffffffULL)
  CHECK(sizeof(struct one) == 13 && sizeof(struct two) == 20 && OFFSET(struct two, b) == 2 && sizeof(struct none) == 8)
  CHECK(sizeof(struct bits) == 9) CHECK(sizeof(struct mixed) == 8) CHECK(sizeof(union onion) == 5)
  if (sizeof(long) == 4) {
    CHECK(sizeof(struct wide_bits) == 12) CHECK(_Alignof(long long) == 4 && __alignof__(long long) == 8 && __alignof__(double) == 8)
    CHECK(sizeof(struct tail) == 8)
  } else {
    CHECK(sizeof(struct wide_bits) == 16) CHECK(_Alignof(long long) == 8) CHECK(sizeof(struct tail) == 8)
  }
  struct front f = { 1, 2, 3 }, g = f; g.b = 7;
  CHECK(f.b == 2 && g.b == 7 && g.c == 3)
  return __VERIFIER_nondet_end();
}
