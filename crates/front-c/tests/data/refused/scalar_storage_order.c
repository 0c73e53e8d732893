// Bytes in the other order.
struct s { int x; } __attribute__((scalar_storage_order("big-endian")));
int main(void) { struct s s = { 1 }; if (*(char *)&s.x == 0) reach_error(); return 0; }
