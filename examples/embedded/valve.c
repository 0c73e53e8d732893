// A controller with two valves and a pump: both valves are never open, and the pump runs only into an open one.
//   palisade verify examples/embedded/valve.c        RESULT: TRUE
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

enum state { IDLE, FILLING, DRAINING, FAULT };

int main(void) {
    enum state state = IDLE;
    int inlet = 0, outlet = 0, pump = 0, level = 0;
    for (;;) {
        int event = __VERIFIER_nondet_int();
        switch (state) {
        case IDLE:
            if (event == 1 && level < 100) { inlet = 1; pump = 1; state = FILLING; }
            if (event == 2 && level > 0) { outlet = 1; pump = 1; state = DRAINING; }
            break;
        case FILLING:
            level++;
            if (level == 100 || event == 0) { pump = 0; inlet = 0; state = IDLE; }
            break;
        case DRAINING:
            level--;
            if (level == 0 || event == 0) { pump = 0; outlet = 0; state = IDLE; }
            break;
        case FAULT:
            break;
        }
        if (event == 9) { pump = 0; inlet = 0; outlet = 0; state = FAULT; }
        assert(!(inlet && outlet));
        assert(!pump || inlet || outlet);
        assert(level >= 0 && level <= 100);
    }
}
