// check: memory
// expect: FALSE(valid-deref)
struct mode { unsigned low : 3, high : 5; int limits[2]; };
static const struct mode fixed = {1, 2, {3, 4}};

int main(void) {
  ((struct mode *)&fixed)->high = 6;
  return fixed.limits[1];
}
