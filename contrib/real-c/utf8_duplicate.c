// expect: true
// library: utf8
// options: --check assert,memory
/* A copy on the heap has the same content. */
#include "harness.h"
#include "utf8.h"
#include <stdlib.h>

int main(void) {
    char text[4];
    any_string(text, 3);
    char *copy = utf8dup(text);
    if (copy) {
        for (int i = 0; i < 4; i++) {
            assert(copy[i] == text[i]);
            if (text[i] == 0)
                break;
        }
        free(copy);
    }
    return 0;
}
