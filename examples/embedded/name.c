// A name is copied into a field of eight characters: the terminator has no room.
//   palisade verify --check bounds examples/embedded/name.c        RESULT: FALSE(bounds)
#include <string.h>

extern char __VERIFIER_nondet_char(void);

struct record {
    char name[8];
    int id;
};

static void set_name(struct record *r, const char *name) {
    size_t n = strlen(name);
    if (n > sizeof r->name) n = sizeof r->name;
    memcpy(r->name, name, n);
    r->name[n] = '\0';
}

int main(void) {
    char input[10];
    for (int i = 0; i < 9; i++) input[i] = __VERIFIER_nondet_char();
    input[9] = '\0';
    struct record r;
    r.id = 1;
    set_name(&r, input);
    return r.id;
}
