// What `<math.h>` makes of a macro.
#include <math.h>
int main(void) { float f = 1.0f; if (!isinf(f)) reach_error(); return 0; }
