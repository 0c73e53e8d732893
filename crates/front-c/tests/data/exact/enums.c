// Enums have the narrowest type that holds their values, and their constants the type `int` or that of the enum.
enum narrow { N0, N1 = 5 };
enum negative { M = -1, P = 7 };
enum wide { W0 = 1, W1 = 0x100000000LL };
enum wide_negative { X0 = -1, X1 = 0x80000000LL };
enum unsigned_only { U = 0x80000000u };
enum __attribute__((packed)) tiny { T0, T1 = 200 };
enum small { S0 = -3, S1 = 300 } __attribute__((packed));
enum all { A = 0xffffffffffffffffULL };
int main(void) {
  CHECK(sizeof(enum narrow) == 4 && sizeof(enum wide) == 8 && sizeof(enum wide_negative) == 8 && sizeof(enum all) == 8)
  CHECK(sizeof(enum tiny) == 1 && sizeof(enum small) == 2)
  CHECK((enum narrow)-1 > 0) CHECK((enum negative)-1 < 0) CHECK((enum wide)-1 > 0) CHECK((enum wide_negative)-1 < 0)
  CHECK(sizeof(W0) == 4 && sizeof(W1) == 8 && sizeof(X0) == 4 && sizeof(X1) == 8 && sizeof(U) == 4)
  CHECK(-U > 0) CHECK(X1 > X0) CHECK(A + 1 == 0)
  enum wide w = W1;
  CHECK(w == W1 && w != 0) CHECK(w >> 32 == 1)
  enum tiny t = T1;
  CHECK(t == 200) t++; CHECK(t == 201) t = 256; CHECK(t == 0)
  enum unsigned_only u = U; CHECK(u > 0) CHECK(u / 2 == 0x40000000)
  struct { enum narrow n : 3; enum negative m : 4; } b = { 7, -1 };
  CHECK(b.n == 7) CHECK(b.m == -1)
  return __VERIFIER_nondet_end();
}
