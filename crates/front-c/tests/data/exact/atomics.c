// Atomic builtins in a program with one thread.
int x = 5, got;
unsigned char small = 250;
long long wide = -1;
_Bool locked;
int *pointer;
static int next(void) { return x++; }
int main(void) {
  CHECK(__atomic_load_n(&x, __ATOMIC_SEQ_CST) == 5)
  __atomic_store_n(&x, 7, __ATOMIC_RELEASE);
  CHECK(x == 7)
  CHECK(__atomic_fetch_add(&x, 3, __ATOMIC_RELAXED) == 7 && x == 10)
  CHECK(__atomic_add_fetch(&small, 10, 0) == 4)
  CHECK(small == 4)
  CHECK(__sync_fetch_and_sub(&small, 5) == 4)
  CHECK(small == 255)
  CHECK(__atomic_sub_fetch(&x, 11, 5) == -1)
  CHECK(__atomic_fetch_xor(&x, 5, 5) == -1 && x == -6)
  CHECK(__sync_or_and_fetch(&x, 4) == -2)
  CHECK(__atomic_and_fetch(&x, 0xf0, 5) == 0xf0)
  x = 2147483647;
  CHECK(__sync_add_and_fetch(&x, 1) < 0)
  CHECK(__atomic_exchange_n(&x, 3, 5) < 0 && x == 3)
  CHECK(!__sync_bool_compare_and_swap(&x, 4, 9) && x == 3)
  CHECK(__sync_bool_compare_and_swap(&x, 3, 9) && x == 9)
  CHECK(__sync_val_compare_and_swap(&x, 9, 1) == 9 && x == 1)
  got = 2;
  CHECK(!__atomic_compare_exchange_n(&x, &got, 8, 0, 5, 5) && got == 1)
  CHECK(x == 1)
  CHECK(__atomic_compare_exchange_n(&x, &got, 8, 0, 5, 5) && got == 1)
  CHECK(x == 8)
  int from = 12, to = 0;
  __atomic_exchange(&x, &from, &to, 5);
  CHECK(x == 12 && to == 8 && from == 12)
  __atomic_load(&x, &to, 5);
  CHECK(to == 12)
  from = 4;
  __atomic_store(&x, &from, 5);
  CHECK(x == 4)
  from = 6;
  CHECK(!__atomic_compare_exchange(&x, &to, &from, 1, 5, 5) && to == 4)
  CHECK(__atomic_compare_exchange(&x, &to, &from, 0, 5, 5) && x == 6)
  CHECK(__sync_lock_test_and_set(&wide, 1) == -1 && wide == 1)
  __sync_lock_release(&wide);
  CHECK(wide == 0)
  CHECK(!__atomic_exchange_n(&locked, 1, 5) && locked)
  __atomic_clear(&locked, 5);
  CHECK(!locked)
  __atomic_store_n(&pointer, &x, 5);
  CHECK(*__atomic_load_n(&pointer, 5) == 6)
  CHECK(__sync_bool_compare_and_swap(&pointer, &x, 0) && !pointer)
  __atomic_thread_fence(5);
  __sync_synchronize();
  got = __atomic_fetch_add(&wide, next(), 5);
  CHECK(got == 0 && wide == 6 && x == 7)
  __auto_type copy = (
    &x
  );
  CHECK(*copy == 7)
  int both = 12;
  CHECK(__atomic_fetch_nand(&both, 10, 5) == 12 && both == ~8)
  unsigned char byte = 0xf3;
  CHECK(__sync_nand_and_fetch(&byte, 0x33) == 0xcc && byte == 0xcc)
  short minus = -1;
  CHECK(__sync_fetch_and_nand(&minus, 5) == -1 && minus == ~5)
  unsigned long long long_one = 7;
  CHECK(__atomic_nand_fetch(&long_one, 3, 0) == ~3ULL)
  return __VERIFIER_nondet_end();
}
