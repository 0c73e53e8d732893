// expect: true
// library: ini
/* After stripping, the text is empty or ends with a character that is no blank. */
#include "harness.h"
#include "ini.c"

int main(void) {
    char text[6];
    any_string(text, 5);
    size_t length = strlen(text);
    ini_rstrip(text, text + length);
    length = strlen(text);
    assert(length == 0 || !isspace((unsigned char)text[length - 1]));
    return 0;
}
