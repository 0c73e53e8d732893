// Objects without size may have one address.
struct e {};
static struct e a, b;
__attribute__((noinline)) static int same(void *p, void *q) { return p == q; }
int main(void) { if (same(&a, &b)) reach_error(); return 0; }
