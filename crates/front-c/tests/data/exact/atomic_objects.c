/* Objects that are `_Atomic`, in a program with one thread. */
#include <stdatomic.h>
typedef _Atomic long long counter_t;
struct s { char c; _Atomic long long n; char d; counter_t m; _Atomic short h; };
struct ring { atomic_uint head, tail; _Atomic(unsigned char) data[4]; };
static _Atomic int total = 5;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static struct ring ring;
static int put(struct ring *r, unsigned char v) {
  unsigned h = atomic_load_explicit(&r->head, memory_order_relaxed);
  unsigned t = atomic_load_explicit(&r->tail, memory_order_acquire);
  if (h - t == 4) return 0;
  r->data[h % 4] = v;
  atomic_store_explicit(&r->head, h + 1, memory_order_release);
  return 1;
}
int main(void) {
  _Atomic unsigned char c = 250;
  int x = 3;
  int *_Atomic p = &x;
  _Atomic(int) y = 1;
  atomic_int z;
  int expected = 4;
  struct s s = { 1, 2, 3, 4, 5 };
  CHECK(sizeof(struct s) == 40 && _Alignof(_Atomic long long) == 8 && _Alignof(counter_t) == 8)
  CHECK(__builtin_offsetof(struct s, n) == 8 && __builtin_offsetof(struct s, m) == 24)
  c += 10; CHECK(c == 4) c++; CHECK(c == 5 && c-- == 5 && c == 4)
  *p = 7; CHECK(x == 7) p = 0; CHECK(!p)
  total += 2; CHECK(total == 7 && ++total == 8 && (total = 9) == 9)
  atomic_init(&z, 6); CHECK(z == 6 && atomic_load(&z) == 6)
  atomic_store(&z, 4); CHECK(atomic_exchange(&z, 3) == 4 && z == 3)
  CHECK(!atomic_compare_exchange_strong(&z, &expected, 8) && expected == 3 && z == 3)
  CHECK(atomic_compare_exchange_strong(&z, &expected, 8) && expected == 3 && z == 8)
  CHECK(atomic_fetch_add(&z, 2) == 8 && atomic_fetch_sub(&z, 1) == 10 && z == 9)
  CHECK(atomic_fetch_or(&z, 6) == 9 && atomic_fetch_and(&z, 7) == 15 && atomic_fetch_xor(&z, 1) == 7 && z == 6)
  CHECK(!atomic_flag_test_and_set(&lock) && atomic_flag_test_and_set(&lock))
  atomic_flag_clear(&lock); CHECK(!atomic_flag_test_and_set(&lock))
  s.n += s.h; s.m = s.n * 2; CHECK(s.n == 7 && s.m == 14 && s.c == 1 && s.d == 3)
  CHECK(put(&ring, 7) && put(&ring, 8) && put(&ring, 9) && put(&ring, 10) && !put(&ring, 11))
  CHECK(ring.data[0] == 7 && ring.data[3] == 10 && ring.head == 4 && ring.tail == 0)
  CHECK(_Generic(y, int: 1, default: 2) == 1 && _Generic(y, _Atomic int: 1, default: 2) == 2)
  CHECK(_Generic(x, const int: 1, default: 2) == 2)
  atomic_thread_fence(memory_order_seq_cst);
  return __VERIFIER_nondet_end();
}
