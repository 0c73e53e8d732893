//! Models of functions of `<math.h>` and of `strtod`, for both types: `REAL` is the type, `WORD` the integer
//! of its size, `NAME` the name, and a name with an `F` behind it is that of the same function or builtin of
//! the type. The other capitals are the numbers of the format.
//!
//! Every operation in them is exact, or is the last one, which rounds the result; products that underflow
//! before the last one are explained at [`SCALE`]. The text of a number is read only if its digits are a
//! number that the type holds and the power of ten is one, too: then one product or quotient is the result,
//! correctly rounded (Clinger, "How to Read Floating Point Numbers Accurately", 1990). Other texts are
//! unsupported.

/// The names of the models that are of type `double`, with their texts. The others have an `f` more.
pub(super) const FUNCTIONS: &[(&str, &str, &str)] = &[
    (
        "fmod",
        "fmodf",
        // By subtracting multiples: every operation is exact. `a - t >= t` holds exactly if it does before
        // rounding, and then `t + t` is at most `a`; the last difference needs no more bits than `a`.
        "REAL NAME(REAL x, REAL y) { REAL a = __builtin_fabsF(x), b = __builtin_fabsF(y), t;\n\
         if (!(b > 0) || !(a < __builtin_infF())) return (x * y) / (x * y);\n\
         if (a < b) return x;\n\
         while (a >= b) { t = b; while (a - t >= t) t = t + t; a = a - t; }\n\
         return x < 0 ? -a : a; }",
    ),
    (
        "remainder",
        "remainderf",
        // As in fdlibm (Sun Microsystems, 1993): what is left is less than twice the divisor.
        "REAL NAME(REAL x, REAL y) { REAL a = __builtin_fabsF(x), b = __builtin_fabsF(y), h;\n\
         if (!(b > 0) || !(a < __builtin_infF())) return (x * y) / (x * y);\n\
         if (b <= LARGE) a = __palisade_fmodF(a, b + b);\n\
         if (b < SMALL) { if (a + a > b) { a -= b; if (a + a >= b) a -= b; } }\n\
         else { h = b / 2; if (a > h) { a -= b; if (a >= h) a -= b; } }\n\
         return __builtin_signbit(x) ? -a : a; }",
    ),
    (
        "fdim",
        "fdimf",
        "REAL NAME(REAL x, REAL y) { if (x != x || y != y) return x + y; return x > y ? x - y : 0; }",
    ),
    (
        "frexp",
        "frexpf",
        "REAL NAME(REAL x, int *e) { union { REAL f; WORD u; } b; int k;\n\
         if (x == 0) { *e = 0; return x; } if (!(x - x == 0)) __palisade_no_exponent();\n\
         b.f = x; k = (int)(b.u >> FRACTION & FIELD);\n\
         if (k == 0) { b.f = x * NORMAL; k = (int)(b.u >> FRACTION & FIELD) - SHIFT; }\n\
         *e = k - (BIAS - 1); b.u = (b.u & KEPT) | HALF; return b.f; }",
    ),
    (
        "modf",
        "modff",
        "REAL NAME(REAL x, REAL *whole) { REAL t = __builtin_truncF(x); *whole = t; if (x != x) return x;\n\
         if (t == x) return __builtin_copysignF(0, x); return x - t; }",
    ),
    (
        "logb",
        "logbf",
        "REAL NAME(REAL x) { int e; if (x == 0) return -__builtin_infF(); if (!(x - x == 0)) return x * x;\n\
         __palisade_frexpF(x, &e); return e - 1; }",
    ),
    (
        "ilogb",
        "ilogbf",
        // With the numbers that glibc has on x86 for zero, infinities and NaN.
        "int NAME(REAL x) { int e; if (x == 0 || x != x) return -2147483647 - 1;\n\
         if (!(x - x == 0)) return 2147483647; __palisade_frexpF(x, &e); return e - 1; }",
    ),
    ("ldexp", "ldexpf", SCALE),
    ("scalbn", "scalbnf", SCALE),
    ("scalbln", "scalblnf", SCALE),
    (
        "nextafter",
        "nextafterf",
        "REAL NAME(REAL x, REAL y) { union { REAL f; WORD u; } b; if (x != x || y != y) return x + y;\n\
         if (x == y) return y; if (x == 0) { b.u = 1; return y > 0 ? b.f : -b.f; }\n\
         b.f = x; if ((x < y) == (x > 0)) b.u = b.u + 1; else b.u = b.u - 1; return b.f; }",
    ),
    (
        "strtod",
        "strtof",
        "REAL NAME(const char *s, char **end) { SIZE i = 0, k; unsigned long long m = 0;\n\
         int minus = 0, any = 0, p = 0, x = 0, below = 0; REAL r = 0, t = 1;\n\
         while (s[i] == ' ' || (s[i] >= 9 && s[i] <= 13)) i++;\n\
         if (s[i] == '-') { minus = 1; i++; } else if (s[i] == '+') i++;\n\
         if (__palisade_spells(s + i, \"inf\")) { i += __palisade_spells(s + i, \"infinity\") ? 8 : 3;\n\
           if (end) *end = (char *)s + i; return minus ? -__builtin_infF() : __builtin_infF(); }\n\
         if (__palisade_spells(s + i, \"nan\")) { i += 3; if (s[i] == '(') __palisade_no_number();\n\
           if (end) *end = (char *)s + i; return __builtin_nanF(\"\"); }\n\
         if (s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X')) __palisade_no_number();\n\
         while (s[i] >= '0' && s[i] <= '9')\n\
           { m = m * 10 + (s[i] - '0'); if (m > MOST) __palisade_no_number(); any = 1; i++; }\n\
         if (s[i] == '.' && (any || (s[i + 1] >= '0' && s[i + 1] <= '9'))) { i++;\n\
           while (s[i] >= '0' && s[i] <= '9')\n\
             { m = m * 10 + (s[i] - '0'); if (m > MOST) __palisade_no_number(); any = 1; i++; p--; } }\n\
         if (!any) { if (end) *end = (char *)s; return 0; }\n\
         if (s[i] == 'e' || s[i] == 'E') { k = i + 1;\n\
           if (s[k] == '-') { below = 1; k++; } else if (s[k] == '+') k++;\n\
           if (s[k] >= '0' && s[k] <= '9') {\n\
             while (s[k] >= '0' && s[k] <= '9') { if (x < 10000) x = x * 10 + (s[k] - '0'); k++; }\n\
             p += below ? -x : x; i = k; } }\n\
         if (end) *end = (char *)s + i;\n\
         if (m == 0) return minus ? -r : r;\n\
         if (p > TENS || p < -TENS) __palisade_no_number();\n\
         r = m; if (minus) r = -r; x = p < 0 ? -p : p; while (x > 0) { t = t * 10; x--; }\n\
         return p < 0 ? r / t : r * t; }",
    ),
];

/// `x * 2^n`. Large factors go in steps. Up, every product is exact or overflows, and then all the others do.
/// Down, a product that is not a normal number is below half of the least number after the last one, which is
/// by less than `2^-53`: rounding it first does not matter.
const SCALE: &str = "REAL NAME(REAL x, LENGTH n) { union { REAL f; WORD u; } b;\n\
    if (n > BIAS) { x *= HIGH; n -= BIAS; if (n > BIAS) { x *= HIGH; n -= BIAS; if (n > BIAS) n = BIAS; } }\n\
    else if (n < 1 - BIAS) { x *= LOW; n += STEP;\n\
      if (n < 1 - BIAS) { x *= LOW; n += STEP; if (n < 1 - BIAS) n = 1 - BIAS; } }\n\
    b.u = (WORD)(BIAS + n) << FRACTION; return x * b.f; }";

/// Does a text begin with a word in small letters?
pub(super) const SPELLS: &str = "static int __palisade_spells(const char *s, const char *word) {\n\
    SIZE i = 0; while (word[i] != 0) { char c = s[i]; if (c >= 'A' && c <= 'Z') c = c + ('a' - 'A');\n\
    if (c != word[i]) return 0; i++; } return 1; }";

/// The models whose result is rounded in the rounding mode of the program.
const ROUNDED: &[&str] = &["fdim", "ldexp", "scalbn", "scalbln", "strtod"];

/// The models that may change `errno` in the library.
const ERRNO: &[&str] =
    &["fmod", "remainder", "fdim", "logb", "ilogb", "ldexp", "scalbn", "scalbln", "nextafter"];

/// Is the result of a model rounded in the mode of the program?
pub(crate) fn is_rounded(name: &str) -> bool {
    of_list(name, ROUNDED)
}

/// May the function change `errno`?
pub(crate) fn may_change_errno(name: &str) -> bool {
    of_list(name, ERRNO)
}

fn of_list(name: &str, list: &[&str]) -> bool {
    FUNCTIONS.iter().any(|(d, f, _)| (*d == name || *f == name) && list.contains(d))
}

/// The model of a function for its type.
pub(super) fn instance(name: &str, single: bool, text: &str) -> String {
    let length = if name.starts_with("scalbln") { "long" } else { "int" };
    let mut text = text.replace("NAME", name).replace("LENGTH", length);
    let words: &[(&str, &str, &str)] = &[
        ("REAL", "double", "float"),
        ("WORD", "unsigned long long", "unsigned"),
        ("FRACTION", "52", "23"),
        ("FIELD", "0x7ff", "0xff"),
        ("BIAS", "1023", "127"),
        ("KEPT", "0x800fffffffffffffull", "0x807fffffu"),
        ("HALF", "0x3fe0000000000000ull", "0x3f000000u"),
        ("NORMAL", "0x1p54", "0x1p25f"),
        ("SHIFT", "54", "25"),
        ("HIGH", "0x1p1023", "0x1p127f"),
        ("LOW", "0x1p-969", "0x1p-102f"),
        ("STEP", "969", "102"),
        ("LARGE", "0x1.fffffffffffffp1022", "0x1.fffffep126f"),
        ("SMALL", "0x1p-1021", "0x1p-125f"),
        ("MOST", "9007199254740992", "16777216"),
        ("TENS", "22", "10"),
        ("F(", "(", "f("),
    ];
    for (word, double, float) in words {
        text = text.replace(word, if single { float } else { double });
    }
    text
}
