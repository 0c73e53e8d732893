// expect: true
// library: ini
// files: ini.c
// options: --check assert,memory
/* Three arbitrary characters: no access outside of the buffers, and the error is the number of a line. */
#include "harness.h"
#include "ini.h"

static int handler(void *user, const char *section, const char *name, const char *value) {
    (void)user, (void)section;
    return name[0] != 0 && value[0] != 0;
}

int main(void) {
    char text[4];
    any_string(text, 3);
    int error = ini_parse_string(text, handler, 0);
    assert(error >= 0 && error <= 3);
    return 0;
}
