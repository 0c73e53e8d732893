//! Models of functions on wide strings. `wchar_t` is a signed number of 32 bits on Linux.

/// Name and definition, as in the table of [`super`].
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    ("wcslen", "SIZE wcslen(const int *s) { SIZE n = 0; while (s[n] != 0) n++; return n; }"),
    (
        "wcsnlen",
        "SIZE wcsnlen(const int *s, SIZE m) { SIZE n = 0; while (n < m && s[n] != 0) n++; return n; }",
    ),
    (
        "wcscpy",
        "int *wcscpy(int *to, const int *from) { SIZE i = 0; while ((to[i] = from[i]) != 0) i++;\n\
         APART((char *)to, 4 * (i + 1), (const char *)from, 4 * (i + 1)); return to; }",
    ),
    (
        "wcsncpy",
        "int *wcsncpy(int *to, const int *from, SIZE n) { SIZE i = 0, read;\n\
         while (i < n && from[i] != 0) { to[i] = from[i]; i++; } read = i < n ? i + 1 : n;\n\
         while (i < n) { to[i] = 0; i++; } APART((char *)to, 4 * n, (const char *)from, 4 * read);\n\
         return to; }",
    ),
    (
        "wcscat",
        "int *wcscat(int *to, const int *from) { SIZE n = 0, i = 0;\n\
         while (to[n] != 0) n++; while ((to[n + i] = from[i]) != 0) i++;\n\
         APART((char *)(to + n), 4 * (i + 1), (const char *)from, 4 * (i + 1)); return to; }",
    ),
    (
        "wcscmp",
        "int wcscmp(const int *a, const int *b) { SIZE i = 0; while (a[i] != 0 && a[i] == b[i]) i++;\n\
         return ORDER((a[i] > b[i]) - (a[i] < b[i])); }",
    ),
    (
        "wcsncmp",
        "int wcsncmp(const int *a, const int *b, SIZE n) { SIZE i = 0;\n\
         while (i < n && a[i] != 0 && a[i] == b[i]) i++;\n\
         return i == n ? 0 : ORDER((a[i] > b[i]) - (a[i] < b[i])); }",
    ),
    (
        "wcschr",
        "int *wcschr(const int *s, int c) { SIZE i = 0;\n\
         while (s[i] != c) { if (s[i] == 0) return 0; i++; } return (int *)s + i; }",
    ),
    (
        "wcsrchr",
        "int *wcsrchr(const int *s, int c) { SIZE i = 0; int *last = 0;\n\
         while (1) { if (s[i] == c) last = (int *)s + i; if (s[i] == 0) return last; i++; } }",
    ),
    (
        "wmemset",
        "int *wmemset(int *to, int c, SIZE n) { SIZE i = 0; while (i < n) { to[i] = c; i++; } return to; }",
    ),
    (
        "wmemcpy",
        "int *wmemcpy(int *to, const int *from, SIZE n) { SIZE i = 0;\n\
         while (i < n) { to[i] = from[i]; i++; }\n\
         APART((char *)to, 4 * n, (const char *)from, 4 * n); return to; }",
    ),
    (
        "wmemcmp",
        "int wmemcmp(const int *a, const int *b, SIZE n) { SIZE i = 0; int last;\n\
         if (n > 0) { last = a[n - 1]; last = b[n - 1]; } while (i < n && a[i] == b[i]) i++;\n\
         return i == n ? 0 : ORDER((a[i] > b[i]) - (a[i] < b[i])); }",
    ),
];
