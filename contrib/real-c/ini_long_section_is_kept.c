// expect: false
// library: ini
// files: ini.c
/* Names of sections are cut after 49 characters. */
#include "harness.h"
#include "ini.h"
#include <string.h>

static int handler(void *user, const char *section, const char *name, const char *value) {
    (void)user, (void)name, (void)value;
    assert(strlen(section) == 56);
    return 1;
}

int main(void) {
    ini_parse_string("[12345678901234567890123456789012345678901234567890123456]\nx=1\n", handler, 0);
    return 0;
}
