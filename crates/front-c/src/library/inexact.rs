//! Models of functions of `<math.h>` whose results are rounded as the library likes: any number within what
//! mathematics and C11 F.10 say. Whatever is proved holds for every library that keeps to that; a violation
//! behind such a number is open.
//!
//! The texts are written like those of [`super::floats`]. What is exact (zero, infinities, NaN, `cos(0)`)
//! comes first, and leaves nothing open. Bounds by pi are a little larger than the nearest `float`.

/// `r`, of the sign of `x`, where this holds.
macro_rules! like {
    ($exact:literal, $bound:literal) => {
        concat!(
            "REAL NAME(REAL x) { REAL r; if (x != x) return x + x; if (x == 0) return x; ",
            $exact,
            "\n__palisade_unknown(); __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0); __VERIFIER_assume(",
            $bound,
            "); return r; }"
        )
    };
}

/// A logarithm.
const LOG: &str = "REAL NAME(REAL x) { REAL r; if (x != x) return x + x;\n\
    if (x == 0) return -__builtin_infF();\n\
    if (x < 0) return (x - x) / (x - x); if (x == 1) return 0; if (!(x - x == 0)) return x;\n\
    __palisade_unknown(); __VERIFIER_assume(x > 1 ? r >= 0 : r <= 0); __VERIFIER_assume(r - r == 0);\n\
    return r; }";

/// A power of a number above one.
const EXP: &str = "REAL NAME(REAL x) { REAL r; if (x != x) return x + x; if (x == 0) return 1;\n\
    if (!(x - x == 0)) return x > 0 ? x : 0;\n\
    __palisade_unknown(); __VERIFIER_assume(x > 0 ? r >= 1 : r >= 0 && r <= 1); return r; }";

/// The names that are of type `double`, those of type `float`, and texts.
pub(super) const FUNCTIONS: &[(&str, &str, &str)] = &[
    (
        "sin",
        "sinf",
        "REAL NAME(REAL x) { REAL r; if (x == 0) return x; if (!(x - x == 0)) return x - x;\n\
         __palisade_unknown(); __VERIFIER_assume(r >= -1 && r <= 1); return r; }",
    ),
    (
        "cos",
        "cosf",
        "REAL NAME(REAL x) { REAL r; if (x == 0) return 1; if (!(x - x == 0)) return x - x;\n\
         __palisade_unknown(); __VERIFIER_assume(r >= -1 && r <= 1); return r; }",
    ),
    (
        "tan",
        "tanf",
        "REAL NAME(REAL x) { REAL r; if (x == 0) return x; if (!(x - x == 0)) return x - x;\n\
         __palisade_unknown(); __VERIFIER_assume(r - r == 0); return r; }",
    ),
    (
        "asin",
        "asinf",
        like!("if (x < -1 || x > 1) return (x - x) / (x - x);", "r >= -1.5707964 && r <= 1.5707964"),
    ),
    (
        "acos",
        "acosf",
        "REAL NAME(REAL x) { REAL r; if (x == 1) return 0;\n\
         if (!(x >= -1 && x <= 1)) return (x - x) / (x - x);\n\
         __palisade_unknown(); __VERIFIER_assume(r >= 0 && r <= 3.1415928); return r; }",
    ),
    ("atan", "atanf", like!("", "r >= -1.5707964 && r <= 1.5707964")),
    (
        "atan2",
        "atan2f",
        "REAL NAME(REAL y, REAL x) { REAL r; if (x != x || y != y) return x + y;\n\
         __palisade_unknown(); __VERIFIER_assume(r >= -3.1415928 && r <= 3.1415928);\n\
         __VERIFIER_assume(y > 0 ? r >= 0 : y == 0 || r <= 0); return r; }",
    ),
    ("sinh", "sinhf", like!("if (!(x - x == 0)) return x;", "r == r")),
    (
        "cosh",
        "coshf",
        "REAL NAME(REAL x) { REAL r; if (x != x) return x + x; if (x == 0) return 1;\n\
         if (!(x - x == 0)) return x * x; __palisade_unknown(); __VERIFIER_assume(r >= 1); return r; }",
    ),
    ("tanh", "tanhf", like!("if (!(x - x == 0)) return x > 0 ? 1 : -1;", "r >= -1 && r <= 1")),
    ("exp", "expf", EXP),
    ("exp2", "exp2f", EXP),
    ("expm1", "expm1f", like!("if (!(x - x == 0)) return x > 0 ? x : -1;", "r >= -1")),
    ("log", "logf", LOG),
    ("log2", "log2f", LOG),
    ("log10", "log10f", LOG),
    (
        "log1p",
        "log1pf",
        like!(
            "if (x == -1) return -__builtin_infF(); if (x < -1) return (x - x) / (x - x);\n\
             if (!(x - x == 0)) return x;",
            "r - r == 0"
        ),
    ),
    ("cbrt", "cbrtf", like!("if (!(x - x == 0)) return x;", "r - r == 0")),
    (
        "hypot",
        "hypotf",
        "REAL NAME(REAL x, REAL y) { REAL r, i = __builtin_infF();\n\
         if (x == i || x == -i || y == i || y == -i) return i; if (x != x || y != y) return x + y;\n\
         __palisade_unknown(); __VERIFIER_assume(r >= 0); return r; }",
    ),
    (
        "pow",
        "powf",
        "REAL NAME(REAL x, REAL y) { REAL r; if (y == 0 || x == 1) return 1;\n\
         if (x != x || y != y) return x + y;\n\
         __palisade_unknown(); if (x > 0) __VERIFIER_assume(r >= 0); return r; }",
    ),
];

/// Is the result of this function one of these?
pub(crate) fn is_inexact(name: &str) -> bool {
    FUNCTIONS.iter().any(|(double, single, _)| *double == name || *single == name)
}
