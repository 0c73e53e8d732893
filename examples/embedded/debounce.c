// A button is pressed only after eight equal readings: the state changes by no other way.
//   palisade verify examples/embedded/debounce.c        RESULT: TRUE
#include <assert.h>
#include <stdint.h>

extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    uint8_t history = 0;
    int equal = 0;
    _Bool pressed = 0, last = 0;
    for (;;) {
        _Bool reading = __VERIFIER_nondet_bool();
        equal = reading == last ? equal + (equal < 8) : 1;
        last = reading;
        history = (uint8_t)(history << 1 | reading);
        _Bool before = pressed;
        if (history == 0xff) pressed = 1;
        if (history == 0x00) pressed = 0;
        if (pressed && !before) assert(equal >= 8);
    }
}
