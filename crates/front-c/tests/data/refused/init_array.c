// A function that runs before `main`.
static void before(void) { reach_error(); }
__attribute__((section(".init_array"), used)) static void (*entry)(void) = before;
int main(void) { return 0; }
