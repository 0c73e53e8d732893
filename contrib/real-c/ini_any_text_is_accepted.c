// expect: false
// library: ini
// files: ini.c
// input: 97 98
/* A line without `=` is an error. */
#include "harness.h"
#include "ini.h"

static int handler(void *user, const char *section, const char *name, const char *value) {
    (void)user, (void)section, (void)name, (void)value;
    return 1;
}

int main(void) {
    char text[3];
    any_string(text, 2);
    assert(ini_parse_string(text, handler, 0) == 0);
    return 0;
}
