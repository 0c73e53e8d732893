//! The part of the C library that is modelled by C code: functions on strings, bytes, characters and numbers,
//! and builtins on bits.
//!
//! A program that calls one of them without defining it gets the definition below, under a name of its own,
//! in a translation unit that is linked in front; the call goes there ([`internal_name`]). So the library
//! needs no semantics of its own: bounds, wrap-around and unsupported accesses are handled as in any C code.
//! Objects are accessed as `char`, which makes copies of other objects unsupported, like any such access.
//! Where C leaves a result open, it is arbitrary: the value of `strcmp` beyond its sign in each call, the
//! nonzero value of `isdigit` once for all calls, where more than its truth is looked at. Characters are
//! those of the "C" locale.
//!
//! Functions without body may call the library too. What they can change of its state is in objects with
//! external linkage (`OUTSIDE`), so that it is changed like the globals of the program.

mod floats;
mod formats;
mod inexact;
mod more;
mod outside;
mod truth;
mod wide;

use std::sync::Arc;

use lang_c::ast::{Expression, TranslationUnit};
use lang_c::span::Span;
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;

use crate::types::DataModel;
pub(crate) use floats::{is_rounded, may_change_errno};
pub(crate) use formats::{Format, place as format_place};
pub(crate) use inexact::is_inexact;
pub(crate) use outside::{is_reserved, used_arguments};

/// The object that `errno` stands for.
pub(crate) const ERRNO: &str = "__palisade_errno";

/// The object that holds the rounding mode: 0 to the nearest, 1 down, 2 up, 3 towards zero, in the order of
/// the constants of `<fenv.h>` on x86.
pub(crate) const ROUNDING: &str = "__palisade_rounding";

/// The function that runs what `atexit` was given.
pub(crate) const HANDLERS: &str = "__palisade_run_handlers";

/// What the names of the models begin with.
pub(crate) const PREFIX: &str = "__palisade_";

/// A function of `<ctype.h>`: nonzero if the condition on `c` holds. C leaves open which value; it is the
/// same value in all calls. `CHOSEN` is this value, or 1 where only the truth matters.
macro_rules! character {
    ($name:literal, $condition:literal) => {
        (
            concat!("is", $name),
            concat!(
                "int is",
                $name,
                "(int c) { if (c < -128 || c > 255) __palisade_no_result(); if (!(",
                $condition,
                ")) return 0;\nreturn CHOSEN; }"
            ),
        )
    };
}

/// The bits behind the first that are equal to it.
macro_rules! sign_bits {
    ($name:literal, $ty:literal) => {
        (
            $name,
            concat!(
                "int ",
                $name,
                "(",
                $ty,
                " x) { int n = 8 * (int)sizeof(x) - 1;\n",
                "if (x < 0) x = -1 - x; while (x > 0) { x /= 2; n--; } return n; }"
            ),
        )
    };
}

/// A function on the bits of a number of this type, which is `x` in the body with 64 bits.
macro_rules! bits {
    ($name:literal, $ty:literal, $body:expr) => {
        (
            $name,
            concat!(
                "int ",
                $name,
                "(",
                $ty,
                " given) { unsigned long long x = given; int n = 0;\n",
                $body,
                " return n; }"
            ),
        )
    };
}

/// `n` is the number of ones.
macro_rules! count {
    () => {
        "x = x - ((x >> 1) & 0x5555555555555555ull);\n\
         x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);\n\
         x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full; n = (x * 0x0101010101010101ull) >> 56;"
    };
}

/// `n` is the number of zeros below the lowest one.
macro_rules! trailing {
    () => {
        "if (x % 0x100000000ull == 0) { n += 32; x /= 0x100000000ull; }\n\
         if (x % 65536 == 0) { n += 16; x /= 65536; }\n\
         if (x % 256 == 0) { n += 8; x /= 256; } if (x % 16 == 0) { n += 4; x /= 16; }\n\
         if (x % 4 == 0) { n += 2; x /= 4; } if (x % 2 == 0) n += 1;"
    };
}

/// `n` is the number of zeros above the highest one, of 64 bits.
macro_rules! leading {
    () => {
        "if (x == 0) __palisade_no_result();\n\
         if (x < 0x100000000ull) { n += 32; x *= 0x100000000ull; }\n\
         if (x < 0x1000000000000ull) { n += 16; x *= 65536; }\n\
         if (x < 0x100000000000000ull) { n += 8; x *= 256; }\n\
         if (x < 0x1000000000000000ull) { n += 4; x *= 16; }\n\
         if (x < 0x4000000000000000ull) { n += 2; x *= 4; } if (x < 0x8000000000000000ull) n += 1;"
    };
}

/// Four bytes in the other order.
macro_rules! swap {
    ($name:literal) => {
        (
            $name,
            concat!(
                "unsigned ",
                $name,
                "(unsigned x) { return x % 256 * 0x1000000u + x / 256 % 256 * 0x10000u\n",
                "+ x / 0x10000u % 256 * 256 + x / 0x1000000u; }"
            ),
        )
    };
}

/// Two bytes in the other order.
macro_rules! swap_short {
    ($name:literal) => {
        ($name, concat!("unsigned short ", $name, "(unsigned short x) { return x % 256 * 256 + x / 256; }"))
    };
}

/// Whether the random numbers have begun.
const SEED: &str = "static int __palisade_seeded;";

/// The rounding mode.
const MODE: &str = "unsigned char __palisade_rounding;";

/// Another number when functions without body may have changed the state of the library: then a model forgets
/// what it kept.
const OUTSIDE: &str = "unsigned char __palisade_outside;";

/// The result of a comparison, given the difference of two characters: only its sign is known. Where a
/// compiler computes one call itself and not another, even equal arguments give different results.
const ORDER: &str = "__palisade_order";
const ORDER_DEFINITION: &str = "static int __palisade_order(int d) { int r; if (d == 0) return 0;\n\
    if (d < 0) return r < 0 ? r : d; return r > 0 ? r : d; }";

/// Demands that two parts of memory, of which one was copied to the other, do not overlap: what such a copy
/// does is undefined (C11 7.24.2). Parts that begin at the same place are harmless.
const APART: &str = "__palisade_apart";
const APART_DEFINITION: &str = "static void __palisade_apart(const char *a, SIZE m,\n\
    const char *b, SIZE n) { if (a < b) { if (b < a + m) __palisade_no_overlap(); }\n\
    else if (b < a) { if (a < b + n) __palisade_no_overlap(); } }";

/// Name and definition; `SIZE` is `size_t`, and the name is replaced by the internal one. `SEED`, `MODE`,
/// `ORDER` and `APART` are above.
const FUNCTIONS: &[(&str, &str)] = &[
    ("strlen", "SIZE strlen(const char *s) { SIZE n = 0; while (s[n] != 0) n++; return n; }"),
    (
        "strnlen",
        "SIZE strnlen(const char *s, SIZE m) { SIZE n = 0; while (n < m && s[n] != 0) n++; return n; }",
    ),
    (
        "strcpy",
        "char *strcpy(char *to, const char *from) { SIZE i = 0; while ((to[i] = from[i]) != 0) i++;\n\
         APART(to, i + 1, from, i + 1); return to; }",
    ),
    (
        "strncpy",
        "char *strncpy(char *to, const char *from, SIZE n) { SIZE i = 0, read;\n\
         while (i < n && from[i] != 0) { to[i] = from[i]; i++; } read = i < n ? i + 1 : n;\n\
         while (i < n) { to[i] = 0; i++; } APART(to, n, from, read); return to; }",
    ),
    (
        "strcat",
        "char *strcat(char *to, const char *from) { SIZE n = 0, i = 0;\n\
         while (to[n] != 0) n++; while ((to[n + i] = from[i]) != 0) i++;\n\
         APART(to + n, i + 1, from, i + 1); return to; }",
    ),
    (
        "strncat",
        "char *strncat(char *to, const char *from, SIZE m) { SIZE n = 0, i = 0;\n\
         while (to[n] != 0) n++; while (i < m && from[i] != 0) { to[n + i] = from[i]; i++; } to[n + i] = 0;\n\
         APART(to + n, i + 1, from, i < m ? i + 1 : m); return to; }",
    ),
    (
        "strcmp",
        "int strcmp(const char *a, const char *b) { SIZE i = 0;\n\
         while (a[i] != 0 && a[i] == b[i]) i++;\n\
         return ORDER((unsigned char)a[i] - (unsigned char)b[i]); }",
    ),
    (
        "strncmp",
        "int strncmp(const char *a, const char *b, SIZE n) { SIZE i = 0;\n\
         while (i < n && a[i] != 0 && a[i] == b[i]) i++;\n\
         return i == n ? 0 : ORDER((unsigned char)a[i] - (unsigned char)b[i]); }",
    ),
    (
        "strchr",
        "char *strchr(const char *s, int c) { SIZE i = 0;\n\
         while (s[i] != (char)c) { if (s[i] == 0) return 0; i++; } return (char *)s + i; }",
    ),
    (
        "strrchr",
        "char *strrchr(const char *s, int c) { SIZE i = 0; char *last = 0;\n\
         while (1) { if (s[i] == (char)c) last = (char *)s + i; if (s[i] == 0) return last; i++; } }",
    ),
    (
        "strstr",
        "char *strstr(const char *s, const char *t) { SIZE i = 0, k;\n\
         while (1) { k = 0; while (t[k] != 0 && s[i + k] == t[k]) k++;\n\
         if (t[k] == 0) return (char *)s + i; if (s[i] == 0) return 0; i++; } }",
    ),
    (
        "strspn",
        "SIZE strspn(const char *s, const char *t) { SIZE i = 0, k;\n\
         while (s[i] != 0) { k = 0; while (t[k] != 0 && t[k] != s[i]) k++; if (t[k] == 0) return i; i++; }\n\
         return i; }",
    ),
    (
        "strcspn",
        "SIZE strcspn(const char *s, const char *t) { SIZE i = 0, k;\n\
         while (s[i] != 0) { k = 0; while (t[k] != 0 && t[k] != s[i]) k++; if (t[k] != 0) return i; i++; }\n\
         return i; }",
    ),
    (
        "strpbrk",
        "char *strpbrk(const char *s, const char *t) { SIZE i = 0, k;\n\
         while (s[i] != 0) { k = 0; while (t[k] != 0 && t[k] != s[i]) k++;\n\
         if (t[k] != 0) return (char *)s + i; i++; } return 0; }",
    ),
    (
        "memchr",
        "char *memchr(const char *s, int c, SIZE n) { SIZE i = 0;\n\
         while (i < n) { if (s[i] == (char)c) return (char *)s + i; i++; } return 0; }",
    ),
    (
        "memcmp",
        "int memcmp(const char *a, const char *b, SIZE n) { SIZE i = 0; char last;\n\
         if (n > 0) { last = a[n - 1]; last = b[n - 1]; }\n\
         while (i < n && a[i] == b[i]) i++;\n\
         return i == n ? 0 : ORDER((unsigned char)a[i] - (unsigned char)b[i]); }",
    ),
    (
        "memset",
        "char *memset(char *to, int c, SIZE n) { SIZE i = 0; while (i < n) { to[i] = (char)c; i++; }\n\
         return to; }",
    ),
    (
        "memcpy",
        "char *memcpy(char *to, const char *from, SIZE n) { SIZE i = 0;\n\
         while (i < n) { to[i] = from[i]; i++; } APART(to, n, from, n); return to; }",
    ),
    (
        "memmove",
        "char *memmove(char *to, const char *from, SIZE n) { SIZE i = 0;\n\
         if (to <= from) { while (i < n) { to[i] = from[i]; i++; } }\n\
         else { i = n; while (i > 0) { i--; to[i] = from[i]; } } return to; }",
    ),
    (
        "toupper",
        "int toupper(int c) { if (c < -128 || c > 255) __palisade_no_result();\n\
         return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c < -1 ? c + 256 : c; }",
    ),
    (
        "tolower",
        "int tolower(int c) { if (c < -128 || c > 255) __palisade_no_result();\n\
         return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c < -1 ? c + 256 : c; }",
    ),
    character!("alnum", "c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'"),
    character!("alpha", "c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'"),
    character!("blank", "c == ' ' || c == 9"),
    character!("cntrl", "c >= 0 && c <= 31 || c == 127"),
    character!("digit", "c >= '0' && c <= '9'"),
    character!("graph", "c >= 33 && c <= 126"),
    character!("lower", "c >= 'a' && c <= 'z'"),
    character!("print", "c >= 32 && c <= 126"),
    character!(
        "punct",
        "c >= 33 && c <= 47 || c >= 58 && c <= 64 || c >= 91 && c <= 96 || c >= 123 && c <= 126"
    ),
    character!("space", "c >= 9 && c <= 13 || c == ' '"),
    character!("upper", "c >= 'A' && c <= 'Z'"),
    character!("xdigit", "c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'"),
    ("abs", "int abs(int n) { return n < 0 ? -n : n; }"),
    ("labs", "long labs(long n) { return n < 0 ? -n : n; }"),
    ("llabs", "long long llabs(long long n) { return n < 0 ? -n : n; }"),
    ("imaxabs", "long long imaxabs(long long n) { return n < 0 ? -n : n; }"),
    ("rand", "SEED int rand(void) { int n; __VERIFIER_assume(n >= 0); __palisade_seeded = 1; return n; }"),
    (
        "random",
        "SEED long random(void) { int n; __VERIFIER_assume(n >= 0); __palisade_seeded = 1; return n; }",
    ),
    // The same numbers come again after a second seed: refused.
    (
        "srand",
        "SEED void srand(unsigned s) { if (__palisade_seeded) __palisade_no_seed(); __palisade_seeded = 1; }",
    ),
    (
        "srandom",
        "SEED void srandom(unsigned s) {\n\
         if (__palisade_seeded) __palisade_no_seed(); __palisade_seeded = 1; }",
    ),
    ("getchar", "int getchar(void) { int c; __VERIFIER_assume(c >= -1 && c <= 255); return c; }"),
    ("__errno_location", "int __palisade_errno; int *__errno_location(void) { return &__palisade_errno; }"),
    swap!("htonl"),
    swap!("ntohl"),
    swap!("__builtin_bswap32"),
    swap_short!("htons"),
    swap_short!("ntohs"),
    swap_short!("__builtin_bswap16"),
    (
        "__builtin_bswap64",
        "unsigned long long __builtin_bswap64(unsigned long long x) { unsigned long long y = 0; int i = 0;\n\
         while (i < 8) { y = y * 256 + x % 256; x /= 256; i++; } return y; }",
    ),
    (
        "fesetround",
        "MODE int fesetround(int mode) { \n\
         if (mode != 0 && mode != 0x400 && mode != 0x800 && mode != 0xc00) __palisade_no_mode();\n\
         __palisade_rounding = mode / 0x400; return 0; }",
    ),
    ("fegetround", "MODE int fegetround(void) { return __palisade_rounding % 4 * 0x400; }"),
    bits!("__builtin_popcount", "unsigned", count!()),
    bits!("__builtin_popcountl", "unsigned long", count!()),
    bits!("__builtin_popcountll", "unsigned long long", count!()),
    bits!("__builtin_parity", "unsigned", concat!(count!(), " n %= 2;")),
    bits!("__builtin_parityl", "unsigned long", concat!(count!(), " n %= 2;")),
    bits!("__builtin_parityll", "unsigned long long", concat!(count!(), " n %= 2;")),
    bits!("__builtin_ctz", "unsigned", concat!("if (x == 0) __palisade_no_result(); ", trailing!())),
    bits!("__builtin_ctzl", "unsigned long", concat!("if (x == 0) __palisade_no_result(); ", trailing!())),
    bits!(
        "__builtin_ctzll",
        "unsigned long long",
        concat!("if (x == 0) __palisade_no_result(); ", trailing!())
    ),
    bits!("__builtin_ffs", "unsigned", concat!("if (x == 0) return 0; ", trailing!(), " n++;")),
    bits!("__builtin_ffsl", "unsigned long", concat!("if (x == 0) return 0; ", trailing!(), " n++;")),
    bits!("__builtin_ffsll", "unsigned long long", concat!("if (x == 0) return 0; ", trailing!(), " n++;")),
    bits!("ffs", "unsigned", concat!("if (x == 0) return 0; ", trailing!(), " n++;")),
    bits!("ffsl", "unsigned long", concat!("if (x == 0) return 0; ", trailing!(), " n++;")),
    bits!("ffsll", "unsigned long long", concat!("if (x == 0) return 0; ", trailing!(), " n++;")),
    bits!("__builtin_clz", "unsigned", concat!(leading!(), " n -= 32;")),
    bits!("__builtin_clzl", "unsigned long", concat!(leading!(), " n -= 64 - 8 * (int)sizeof(long);")),
    bits!("__builtin_clzll", "unsigned long long", leading!()),
    sign_bits!("__builtin_clrsb", "int"),
    sign_bits!("__builtin_clrsbl", "long"),
    sign_bits!("__builtin_clrsbll", "long long"),
];

/// The models that there is one of each.
fn plain_functions() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    FUNCTIONS.iter().chain(more::FUNCTIONS).chain(outside::FUNCTIONS).chain(wide::FUNCTIONS)
}

/// All models: names and texts.
fn models() -> Vec<(&'static str, String)> {
    let plain = plain_functions().map(|(name, text)| (*name, text.to_string()));
    let floats = floats::FUNCTIONS.iter().chain(inexact::FUNCTIONS).flat_map(|(double, single, text)| {
        [(*double, floats::instance(double, false, text)), (*single, floats::instance(single, true, text))]
    });
    plain.chain(floats).collect()
}

/// The name of the model of a library function.
pub(crate) fn internal_name(name: &str) -> Option<String> {
    let mut plain = plain_functions();
    let of_floats = |f: &(&str, &str, &str)| f.0 == name || f.1 == name;
    let known =
        plain.any(|f| f.0 == name) || floats::FUNCTIONS.iter().chain(inexact::FUNCTIONS).any(of_floats);
    known.then(|| format!("{PREFIX}{name}"))
}

/// The models of the functions that are used, not only declared, and not defined; `None` if there are none.
pub(crate) fn needed(trees: &[Arc<TranslationUnit>], model: DataModel) -> Option<String> {
    let (used, defined) = (used(trees), defined(trees));
    let mentioned = |name: &str| used.contains(name) || used.contains(format!("__builtin_{name}").as_str());
    let size = match model {
        DataModel::Ilp32 => "unsigned int",
        DataModel::Lp64 => "unsigned long",
    };
    let models = models();
    let mut wanted: FxHashSet<&str> =
        models.iter().filter(|f| !defined.contains(f.0) && mentioned(f.0)).map(|f| f.0).collect();
    // Models call each other.
    loop {
        let called: FxHashSet<&str> =
            models.iter().filter(|f| wanted.contains(f.0)).flat_map(|f| self::words(&f.1)).collect();
        let is_called = |name: &str| called.contains(format!("__palisade_{name}").as_str());
        let more: Vec<&str> =
            models.iter().filter(|f| !wanted.contains(f.0) && is_called(f.0)).map(|f| f.0).collect();
        if more.is_empty() {
            break;
        }
        wanted.extend(more);
    }
    let valued = truth::valued(trees);
    let chosen = |name: &str, text: &str| {
        let value = format!("__palisade_is_{}", name.trim_start_matches("is"));
        match valued.contains(name) || valued.contains(format!("__builtin_{name}").as_str()) {
            false => text.replace("CHOSEN", "1"),
            true => {
                let text = text
                    .replace("return CHOSEN", &format!("__VERIFIER_assume({value} != 0); return {value}"));
                format!("extern int {value}; {text}")
            }
        }
    };
    let text: Vec<String> = models
        .iter()
        .filter(|f| wanted.contains(f.0))
        .map(|(name, text)| {
            let named = text.replacen(&format!("{name}("), &format!("__palisade_{name}("), 1);
            let named = named.replace("FILES", outside::FILES).replace("TEXT", outside::TEXT);
            let named = named.replace("SIZE", size).replace("SEED", SEED).replace("MODE", MODE);
            let named = named.replace("ORDER", ORDER).replace("APART", APART);
            let named = if named.contains("CHOSEN") { chosen(name, &named) } else { named };
            named.replace("OUTSIDE", OUTSIDE)
        })
        .collect();
    let mut text = text.join("\n");
    if wanted.contains("vsnprintf") {
        text = format!("{text}\n{}", formats::definitions(trees).replace("SIZE", size));
    }
    if text.contains(ORDER) {
        text = format!("{ORDER_DEFINITION}\n{text}");
    }
    if text.contains("__palisade_getopt(") || outside::asks_for_options(trees, &used) {
        text = format!("{}\n{text}", outside::OPTIONS);
    }
    if text.contains(APART) {
        text = format!("{}\n{text}", APART_DEFINITION.replace("SIZE", size));
    }
    if text.contains("__palisade_spells(") {
        text = format!("{}\n{text}", floats::SPELLS.replace("SIZE", size));
    }
    (!text.is_empty()).then_some(text)
}

/// The identifiers and numbers of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The names that stand in expressions.
pub(crate) fn used(trees: &[Arc<TranslationUnit>]) -> FxHashSet<&str> {
    struct Names<'ast>(FxHashSet<&'ast str>);
    impl<'ast> Visit<'ast> for Names<'ast> {
        fn visit_expression(&mut self, e: &'ast Expression, span: &'ast Span) {
            if let Expression::Identifier(i) = e {
                self.0.insert(&i.node.name);
            }
            visit::visit_expression(self, e, span);
        }

        // `__attribute__((malloc(free, 1)))` calls nothing.
        fn visit_extension(&mut self, _: &'ast lang_c::ast::Extension, _: &'ast Span) {}
    }
    let mut names = Names(FxHashSet::default());
    trees.iter().for_each(|t| names.visit_translation_unit(t));
    names.0
}

/// The functions that some of these trees define.
fn defined(trees: &[Arc<TranslationUnit>]) -> FxHashSet<String> {
    trees.iter().flat_map(|t| crate::lower::defined_functions(t)).collect()
}
