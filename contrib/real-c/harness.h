/* What the harnesses ask of the verifier. `judge.py` links a version that draws random values. */
#ifndef REAL_C_HARNESS_H
#define REAL_C_HARNESS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int condition);

/* Fills `n` bytes with any values. */
static inline void any_bytes(void *to, unsigned n) {
    unsigned char *bytes = to;
    for (unsigned i = 0; i < n; i++)
        bytes[i] = __VERIFIER_nondet_uchar();
}

/* Makes any string of at most `n` characters; `to` has `n + 1` bytes. */
static inline void any_string(char *to, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        to[i] = __VERIFIER_nondet_char();
    to[n] = 0;
}

#endif
