// What the macro `isinf` of `<math.h>` becomes.
int main(void) { float f = 1.0f; if (!__builtin_isinf_sign(f)) reach_error(); return 0; }
