// expect: false
// library: ini
// options: --check memory
// input: 65 65 65 0 0 65
/* A zero byte after a line that is too long: the parser looks at the byte before its buffer. */
#define INI_MAX_LINE 4
#include "harness.h"
#include "ini.c"

static int handler(void *user, const char *section, const char *name, const char *value) {
    (void)user, (void)section, (void)name, (void)value;
    return 1;
}

int main(void) {
    char data[6];
    any_bytes(data, 6);
    ini_parse_string_length(data, 6, handler, 0);
    return 0;
}
