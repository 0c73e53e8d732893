//! The part of the C library that is modelled by C: functions on strings and bytes, as ISO C 7.24 describes them.
//!
//! A program that calls one of them without defining it gets the definition below, under a name of its own, in a translation unit that is linked in front; the call goes
//! there ([`internal_name`]). So the library needs no semantics of its own: bounds, wrap-around and unsupported accesses are those of any C. Objects are accessed as
//! `char`, which makes copies of other objects unsupported, like any such access. Where C leaves a result open (the value of `strcmp` beyond its sign), it
//! is arbitrary.

use lang_c::ast::TranslationUnit;
use rustc_hash::FxHashSet;

use crate::types::DataModel;

/// Name and definition; `SIZE` is `size_t`, and the name is replaced by the internal one.
const FUNCTIONS: &[(&str, &str)] = &[
    ("strlen", "SIZE strlen(const char *s) { SIZE n = 0; while (s[n] != 0) n++; return n; }"),
    (
        "strnlen",
        "SIZE strnlen(const char *s, SIZE m) { SIZE n = 0; while (n < m && s[n] != 0) n++; return n; }",
    ),
    (
        "strcpy",
        "char *strcpy(char *to, const char *from) { SIZE i = 0; while ((to[i] = from[i]) != 0) i++; return to; }",
    ),
    (
        "strncpy",
        "char *strncpy(char *to, const char *from, SIZE n) { SIZE i = 0;\n\
         while (i < n && from[i] != 0) { to[i] = from[i]; i++; } while (i < n) { to[i] = 0; i++; } return to; }",
    ),
    (
        "strcat",
        "char *strcat(char *to, const char *from) { SIZE n = 0, i = 0;\n\
         while (to[n] != 0) n++; while ((to[n + i] = from[i]) != 0) i++; return to; }",
    ),
    (
        "strncat",
        "char *strncat(char *to, const char *from, SIZE m) { SIZE n = 0, i = 0;\n\
         while (to[n] != 0) n++; while (i < m && from[i] != 0) { to[n + i] = from[i]; i++; } to[n + i] = 0; return to; }",
    ),
    (
        "strcmp",
        "int strcmp(const char *a, const char *b) { SIZE i = 0; int result;\n\
         while (a[i] != 0 && a[i] == b[i]) i++;\n\
         if (a[i] == b[i]) return 0;\n\
         __VERIFIER_assume((result < 0) == ((unsigned char)a[i] < (unsigned char)b[i]) && result != 0); return result; }",
    ),
    (
        "strncmp",
        "int strncmp(const char *a, const char *b, SIZE n) { SIZE i = 0; int result;\n\
         while (i < n && a[i] != 0 && a[i] == b[i]) i++;\n\
         if (i == n || a[i] == b[i]) return 0;\n\
         __VERIFIER_assume((result < 0) == ((unsigned char)a[i] < (unsigned char)b[i]) && result != 0); return result; }",
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
        "memcmp",
        "int memcmp(const char *a, const char *b, SIZE n) { SIZE i = 0; int result;\n\
         while (i < n && a[i] == b[i]) i++;\n\
         if (i == n) return 0;\n\
         __VERIFIER_assume((result < 0) == ((unsigned char)a[i] < (unsigned char)b[i]) && result != 0); return result; }",
    ),
    (
        "memset",
        "char *memset(char *to, int c, SIZE n) { SIZE i = 0; while (i < n) { to[i] = (char)c; i++; } return to; }",
    ),
    (
        "memcpy",
        "char *memcpy(char *to, const char *from, SIZE n) { SIZE i = 0; while (i < n) { to[i] = from[i]; i++; } return to; }",
    ),
    (
        "memmove",
        "char *memmove(char *to, const char *from, SIZE n) { SIZE i = 0;\n\
         if (to <= from) { while (i < n) { to[i] = from[i]; i++; } }\n\
         else { i = n; while (i > 0) { i--; to[i] = from[i]; } } return to; }",
    ),
    ("toupper", "int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; }"),
    ("tolower", "int tolower(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }"),
];

/// The name of the model of a library function.
pub(crate) fn internal_name(name: &str) -> Option<String> {
    FUNCTIONS.iter().any(|f| f.0 == name).then(|| format!("__palisade_{name}"))
}

/// The models of the functions that occur in these texts and are not defined there; `None` if there are none.
pub(crate) fn needed(texts: &[&str], defined: &FxHashSet<String>, model: DataModel) -> Option<String> {
    let mentioned = |name: &str| texts.iter().any(|text| has_word(text, name));
    let size = match model {
        DataModel::Ilp32 => "unsigned int",
        DataModel::Lp64 => "unsigned long",
    };
    let wanted = FUNCTIONS.iter().filter(|f| !defined.contains(f.0) && mentioned(f.0));
    let text: Vec<String> = wanted
        .map(|(name, text)| {
            let named = text.replacen(&format!("{name}("), &format!("__palisade_{name}("), 1);
            named.replace("SIZE", size)
        })
        .collect();
    (!text.is_empty()).then(|| text.join("\n"))
}

/// Does the text have this identifier?
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(i, _)| !part(text[..i].chars().next_back()) && !part(text[i + word.len()..].chars().next()))
}

/// The functions that some of these trees define.
pub(crate) fn defined(trees: &[TranslationUnit]) -> FxHashSet<String> {
    trees.iter().flat_map(crate::lower::defined_functions).collect()
}
