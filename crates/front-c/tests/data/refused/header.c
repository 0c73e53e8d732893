// A function that only a header of the system knows.
#include <string.h>
#include <strings.h>
int main(void) { if (strcasecmp("a", "A") == 0) reach_error(); return 0; }
