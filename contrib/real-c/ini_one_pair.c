// expect: true
// library: ini
// files: ini.c
/* Section, name and value of a small file arrive without blanks and comments. */
#include "harness.h"
#include "ini.h"
#include <string.h>

static int calls;

static int handler(void *user, const char *section, const char *name, const char *value) {
    (void)user;
    calls++;
    assert(strcmp(section, "can") == 0);
    assert(strcmp(name, "rate") == 0);
    assert(strcmp(value, "250") == 0);
    return 1;
}

int main(void) {
    int error = ini_parse_string("[can]\n rate = 250 ;kbit\n", handler, 0);
    assert(error == 0);
    assert(calls == 1);
    return 0;
}
