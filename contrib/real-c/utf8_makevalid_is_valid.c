// expect: true
// library: utf8
/* After the repair the text is valid, for every four bytes. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char text[5];
    any_string(text, 4);
    assert(utf8makevalid(text, '?') == 0);
    assert(utf8valid(text) == 0);
    return 0;
}
