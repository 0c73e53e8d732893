//! Models of further functions: numbers in strings, copies of strings, tokens, input, formatted strings.
//!
//! They follow glibc where C leaves things open that programs rely on: `strtol` of a base that does not
//! exist, `atoi` of a number that is too large. Input is arbitrary. `sprintf` and its kind know the flags
//! `-`, `0`, `+`, blank and `#`, widths and precisions, and the conversions `d i u x X o c s %` with the
//! lengths `hh h l ll z j t`; others are unsupported. `sscanf` knows `d i u x X o c s [ n %` with widths and
//! `*`, and returns what glibc returns; a number out of range, on which C says nothing, is unsupported.

/// `strtol` and its kind: the type, the type of its absolute value, and what a value out of range becomes.
macro_rules! number {
    ($name:literal, $ty:literal, $natural:literal, $result:expr) => {
        number!(
            $name,
            $ty,
            $natural,
            $result,
            "(const char *s, char **end, int base) {\n",
            "if (end) *end = any ? (char *)s + i : (char *)s;\n"
        )
    };
    ($name:literal, $ty:literal, $natural:literal, $result:expr, $begin:literal, $end:literal) => {
        (
            $name,
            concat!(
                "extern signed int __palisade_errno;\n",
                $ty,
                " ",
                $name,
                $begin,
                "SIZE i = 0; int negative = 0, any = 0, over = 0; ",
                $natural,
                " value = 0, most = -1;\n",
                "if (base < 0 || base == 1 || base > 36) { __palisade_errno = 22; return 0; }\n",
                "while (s[i] == ' ' || (s[i] >= 9 && s[i] <= 13)) i++;\n",
                "if (s[i] == '-') { negative = 1; i++; } else if (s[i] == '+') i++;\n",
                "if ((base == 0 || base == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X')) {\n",
                "  char c = s[i + 2];\n",
                "  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))\n",
                "  { i += 2; base = 16; } }\n",
                "if (base == 0) base = s[i] == '0' ? 8 : 10;\n",
                "while (1) { char c = s[i]; int d = 99;\n",
                "  if (c >= '0' && c <= '9') d = c - '0'; else if (c >= 'a' && c <= 'z') d = c - 'a' + 10;\n",
                "  else if (c >= 'A' && c <= 'Z') d = c - 'A' + 10;\n",
                "  if (d >= base) break;\n",
                "  any = 1; if (over || value > (most - d) / base) over = 1;\n",
                "  else value = value * base + d;\n",
                "  i++; }\n",
                $end,
                $result,
                " }"
            ),
        )
    };
}

/// `atol` and `atoll`: as `strtol`, but nothing is written, so that the order of two calls does not matter.
macro_rules! decimal {
    ($name:literal, $ty:literal, $natural:literal) => {
        number!($name, $ty, $natural, signed!(), "(const char *s) { int base = 10;\n", "")
    };
}

/// The result of a signed number.
macro_rules! signed {
    () => {
        "most = most / 2; if (over || value > most + negative) { __palisade_errno = 34;\n\
         return negative ? -most - 1 : most; }\n\
         if (negative) return value > most ? -most - 1 : -value; return value;"
    };
}

/// The result of an unsigned number.
macro_rules! natural {
    () => {
        "if (over) { __palisade_errno = 34; return most; } return negative ? 0 - value : value;"
    };
}

/// Name and definition, as in the table of [`super`].
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    number!("strtol", "long", "unsigned long", signed!()),
    number!("strtoll", "long long", "unsigned long long", signed!()),
    number!("strtoul", "unsigned long", "unsigned long", natural!()),
    number!("strtoull", "unsigned long long", "unsigned long long", natural!()),
    number!("strtoimax", "long long", "unsigned long long", signed!()),
    number!("strtoumax", "unsigned long long", "unsigned long long", natural!()),
    (
        "atof",
        "double __palisade_strtod(const char *s, char **end);\n\
      double atof(const char *s) { return __palisade_strtod(s, 0); }",
    ),
    decimal!("atol", "long", "unsigned long"),
    decimal!("atoll", "long long", "unsigned long long"),
    ("atoi", "int atoi(const char *s) { return (int)__palisade_atol(s); }"),
    (
        "strdup",
        "char *strdup(const char *s) { SIZE n = 0, i; char *t; while (s[n] != 0) n++; t = malloc(n + 1);\n\
         if (t == 0) return 0; for (i = 0; i <= n; i++) t[i] = s[i]; return t; }",
    ),
    (
        "strndup",
        "char *strndup(const char *s, SIZE m) { SIZE n = 0, i; char *t; while (n < m && s[n] != 0) n++;\n\
         t = malloc(n + 1); if (t == 0) return 0; for (i = 0; i < n; i++) t[i] = s[i]; t[n] = 0; return t; }",
    ),
    (
        "strtok_r",
        "char *strtok_r(char *s, const char *t, char **state) { SIZE i = 0, k; char *begin;\n\
         if (s == 0) s = *state;\n\
         while (s[i] != 0) { k = 0; while (t[k] != 0 && t[k] != s[i]) k++; if (t[k] == 0) break; i++; }\n\
         if (s[i] == 0) { *state = s + i; return 0; }\n\
         begin = s + i;\n\
         while (s[i] != 0) { k = 0; while (t[k] != 0 && t[k] != s[i]) k++; if (t[k] != 0) break; i++; }\n\
         if (s[i] == 0) { *state = s + i; return begin; }\n\
         s[i] = 0; *state = s + i + 1; return begin; }",
    ),
    (
        "strtok",
        "char *__palisade_token; char *strtok(char *s, const char *t) {\n\
         return __palisade_strtok_r(s, t, &__palisade_token); }",
    ),
    (
        "strsep",
        "char *strsep(char **s, const char *t) { SIZE i = 0, k; char *begin = *s; if (begin == 0) return 0;\n\
         while (begin[i] != 0) { k = 0; while (t[k] != 0 && t[k] != begin[i]) k++;\n\
         if (t[k] != 0) { begin[i] = 0; *s = begin + i + 1; return begin; } i++; }\n\
         *s = 0; return begin; }",
    ),
    (
        "stpcpy",
        "char *stpcpy(char *to, const char *from) { SIZE i = 0; while ((to[i] = from[i]) != 0) i++;\n\
         APART(to, i + 1, from, i + 1); return to + i; }",
    ),
    (
        "strchrnul",
        "char *strchrnul(const char *s, int c) { SIZE i = 0; while (s[i] != 0 && s[i] != (char)c) i++;\n\
         return (char *)s + i; }",
    ),
    (
        "strcasecmp",
        "int strcasecmp(const char *a, const char *b) { SIZE i = 0; int x, y;\n\
         while (1) { x = (unsigned char)a[i]; y = (unsigned char)b[i];\n\
         if (x >= 'A' && x <= 'Z') x += 32; if (y >= 'A' && y <= 'Z') y += 32;\n\
         if (x != y || x == 0) break; i++; }\n\
         return ORDER(x - y); }",
    ),
    (
        "strncasecmp",
        "int strncasecmp(const char *a, const char *b, SIZE n) { SIZE i = 0; int x = 0, y = 0;\n\
         while (i < n) { x = (unsigned char)a[i]; y = (unsigned char)b[i];\n\
         if (x >= 'A' && x <= 'Z') x += 32; if (y >= 'A' && y <= 'Z') y += 32;\n\
         if (x != y || x == 0) break; i++; }\n\
         return i == n ? 0 : ORDER(x - y); }",
    ),
    (
        "strcasestr",
        "char *strcasestr(const char *s, const char *t) { SIZE i = 0, k; int x, y;\n\
         while (1) { k = 0;\n\
         while (t[k] != 0) { x = (unsigned char)s[i + k]; y = (unsigned char)t[k];\n\
         if (x >= 'A' && x <= 'Z') x += 32; if (y >= 'A' && y <= 'Z') y += 32; if (x != y) break; k++; }\n\
         if (t[k] == 0) return (char *)s + i; if (s[i] == 0) return 0; i++; } }",
    ),
    (
        "strcoll",
        "int __palisade_strcmp(const char *a, const char *b);\n\
         int strcoll(const char *a, const char *b) { return __palisade_strcmp(a, b); }",
    ),
    (
        "strlcpy",
        "SIZE strlcpy(char *to, const char *from, SIZE n) { SIZE i = 0, length = 0;\n\
         while (from[length] != 0) length++; if (n == 0) return length;\n\
         while (i < n - 1 && i < length) { to[i] = from[i]; i++; } to[i] = 0;\n\
         APART(to, i + 1, from, length + 1); return length; }",
    ),
    (
        "strlcat",
        "SIZE strlcat(char *to, const char *from, SIZE n) { SIZE d = 0, i = 0, length = 0;\n\
         while (d < n && to[d] != 0) d++; while (from[length] != 0) length++;\n\
         if (d == n) return n + length;\n\
         while (i < n - 1 - d && i < length) { to[d + i] = from[i]; i++; } to[d + i] = 0;\n\
         APART(to + d, i + 1, from, length + 1); return d + length; }",
    ),
    (
        "memmem",
        "char *memmem(const char *s, SIZE m, const char *t, SIZE n) { SIZE i = 0, k;\n\
         while (n <= m && i <= m - n) { k = 0; while (k < n && s[i + k] == t[k]) k++;\n\
         if (k == n) return (char *)s + i; i++; } return 0; }",
    ),
    (
        "memrchr",
        "char *memrchr(const char *s, int c, SIZE n) {\n\
         while (n > 0) { n--; if (s[n] == (char)c) return (char *)s + n; } return 0; }",
    ),
    ("bzero", "void bzero(char *to, SIZE n) { SIZE i = 0; while (i < n) { to[i] = 0; i++; } }"),
    (
        "explicit_bzero",
        "void __palisade_bzero(char *to, SIZE n);\n\
         void explicit_bzero(char *to, SIZE n) { __palisade_bzero(to, n); }",
    ),
    (
        "bcmp",
        "int __palisade_memcmp(const char *a, const char *b, SIZE n);\n\
         int bcmp(const char *a, const char *b, SIZE n) { return __palisade_memcmp(a, b, n); }",
    ),
    (
        "bcopy",
        "char *__palisade_memmove(char *to, const char *from, SIZE n);\n\
         void bcopy(const char *from, char *to, SIZE n) { __palisade_memmove(to, from, n); }",
    ),
    (
        "mempcpy",
        "char *__palisade_memcpy(char *to, const char *from, SIZE n);\n\
         char *mempcpy(char *to, const char *from, SIZE n) { return __palisade_memcpy(to, from, n) + n; }",
    ),
    (
        "memccpy",
        "char *memccpy(char *to, const char *from, int c, SIZE n) { SIZE i = 0; char *end = 0;\n\
         while (i < n && end == 0) { to[i] = from[i]; if (from[i] == (char)c) end = to + i + 1; i++; }\n\
         APART(to, i, from, i); return end; }",
    ),
    (
        "rawmemchr",
        "char *rawmemchr(const char *s, int c) { SIZE i = 0; while (s[i] != (char)c) i++;\n\
         return (char *)s + i; }",
    ),
    (
        "stpncpy",
        "char *stpncpy(char *to, const char *from, SIZE n) { SIZE i = 0, read; char *end;\n\
         while (i < n && from[i] != 0) { to[i] = from[i]; i++; } read = i < n ? i + 1 : n; end = to + i;\n\
         while (i < n) { to[i] = 0; i++; } APART(to, n, from, read); return end; }",
    ),
    (
        "index",
        "char *__palisade_strchr(const char *s, int c);\n\
         char *index(const char *s, int c) { return __palisade_strchr(s, c); }",
    ),
    (
        "rindex",
        "char *__palisade_strrchr(const char *s, int c);\n\
         char *rindex(const char *s, int c) { return __palisade_strrchr(s, c); }",
    ),
    ("isascii", "int isascii(int c) { return c >= 0 && c <= 127; }"),
    ("toascii", "int toascii(int c) { return c & 127; }"),
    ("fgetc", "int fgetc(void *f) { int c; __VERIFIER_assume(c >= -1 && c <= 255); return c; }"),
    (
        "getchar_unlocked",
        "int getchar_unlocked(void) { int c; __VERIFIER_assume(c >= -1 && c <= 255); return c; }",
    ),
    (
        "getc_unlocked",
        "int getc_unlocked(void *f) { int c; __VERIFIER_assume(c >= -1 && c <= 255); return c; }",
    ),
    ("getc", "int getc(void *f) { int c; __VERIFIER_assume(c >= -1 && c <= 255); return c; }"),
    (
        "fgets",
        "char *fgets(char *to, int n, void *f) { int i = 0; _Bool error; if (n <= 0) return 0;\n\
         while (i < n - 1) { int c; __VERIFIER_assume(c >= -1 && c <= 255); if (c == -1) break;\n\
         to[i] = c; i++; if (c == '\\n') break; }\n\
         if ((i == 0 && n > 1) || error) return 0; to[i] = 0; return to; }",
    ),
    (
        "vsnprintf",
        "int vsnprintf(char *to, SIZE n, const char *f, __builtin_va_list ap) { SIZE at = 0, i = 0;\n\
         char digits[24];\n\
         while (f[i] != 0) {\n\
         int left = 0, zero = 0, plus = 0, blank = 0, alternate = 0, width = 0, precision = -1, size = 2;\n\
         int count = 0, k, prefix = 0; char sign = 0, first = 0; const char *text = 0;\n\
         unsigned long long value; long long number; int base = 10, upper = 0; char c;\n\
         if (f[i] != '%') { if (at + 1 < n) to[at] = f[i]; at++; i++; continue; }\n\
         i++;\n\
         while (1) { c = f[i]; if (c == '-') left = 1; else if (c == '0') zero = 1;\n\
         else if (c == '+') plus = 1; else if (c == ' ') blank = 1;\n\
         else if (c == '#') alternate = 1; else break; i++; }\n\
         if (f[i] == '*') { width = __builtin_va_arg(ap, int); i++;\n\
         if (width < 0) { left = 1; width = -width; } }\n\
         else while (f[i] >= '0' && f[i] <= '9') { width = width * 10 + (f[i] - '0'); i++; }\n\
         if (f[i] == '.') { i++; precision = 0;\n\
         if (f[i] == '*') { precision = __builtin_va_arg(ap, int); i++; }\n\
         else while (f[i] >= '0' && f[i] <= '9') { precision = precision * 10 + (f[i] - '0'); i++; } }\n\
         if (f[i] == 'h') { size = 1; i++; if (f[i] == 'h') { size = 0; i++; } }\n\
         else if (f[i] == 'l') { size = 3; i++; if (f[i] == 'l') { size = 4; i++; } }\n\
         else if (f[i] == 'z' || f[i] == 't') { size = 3; i++; } else if (f[i] == 'j') { size = 4; i++; }\n\
         c = f[i]; i++;\n\
         if (c == '%') { if (at + 1 < n) to[at] = c; at++; continue; }\n\
         if (c == 'c') { if (size != 2) __palisade_no_format();\n\
         digits[0] = (char)__builtin_va_arg(ap, int); text = digits; count = 1; zero = 0; }\n\
         else if (c == 's' && size == 2) { text = __builtin_va_arg(ap, const char *); zero = 0;\n\
         if (text == 0) __palisade_no_format();\n\
         while ((precision < 0 || count < precision) && text[count] != 0) count++; }\n\
         else if (c == 'd' || c == 'i') {\n\
         if (size == 4) number = __builtin_va_arg(ap, long long);\n\
         else if (size == 3) number = __builtin_va_arg(ap, long);\n\
         else { number = __builtin_va_arg(ap, int);\n\
         if (size == 1) number = (short)number; else if (size == 0) number = (signed char)number; }\n\
         if (number < 0) sign = '-'; else if (plus) sign = '+'; else if (blank) sign = ' ';\n\
         value = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number; }\n\
         else if (c == 'u' || c == 'x' || c == 'X' || c == 'o') {\n\
         if (size == 4) value = __builtin_va_arg(ap, unsigned long long);\n\
         else if (size == 3) value = __builtin_va_arg(ap, unsigned long);\n\
         else { value = __builtin_va_arg(ap, unsigned);\n\
         if (size == 1) value = (unsigned short)value; else if (size == 0) value = (unsigned char)value; }\n\
         base = c == 'u' ? 10 : c == 'o' ? 8 : 16; upper = c == 'X';\n\
         if (alternate && base == 16 && value != 0) { first = '0'; prefix = c; } }\n\
         else __palisade_no_format();\n\
         if (text == 0) { int most = 24;\n\
         while (value != 0) { int d = (int)(value % (unsigned)base); most--;\n\
         digits[most] = (char)(d < 10 ? '0' + d : (upper ? 'A' : 'a') + d - 10); value /= (unsigned)base; }\n\
         count = 24 - most; text = digits + most; if (precision >= 0) zero = 0; else precision = 1;\n\
         if (precision < count) precision = count;\n\
         if (alternate && base == 8 && precision == count) precision++; } else precision = count;\n\
         k = width - precision - (sign != 0) - (first != 0 ? 2 : 0);\n\
         if (!left && !zero) for (; k > 0; k--) { if (at + 1 < n) to[at] = ' '; at++; }\n\
         if (sign != 0) { if (at + 1 < n) to[at] = sign; at++; }\n\
         if (first != 0) { if (at + 1 < n) to[at] = first; at++;\n\
         if (at + 1 < n) to[at] = (char)prefix; at++; }\n\
         if (!left && zero) for (; k > 0; k--) { if (at + 1 < n) to[at] = '0'; at++; }\n\
         for (; precision > count; precision--) { if (at + 1 < n) to[at] = '0'; at++; }\n\
         { int j = 0; while (j < count) { if (at + 1 < n) to[at] = text[j]; at++; j++; } }\n\
         if (c == 's' && n > 0 && text < to + (at < n ? at : n - 1) && to < text + count)\n\
         __palisade_no_overlap();\n\
         for (; k > 0; k--) { if (at + 1 < n) to[at] = ' '; at++; } }\n\
         if (n > 0) to[at < n ? at : n - 1] = 0; return (int)at; }",
    ),
    (
        "snprintf",
        "int snprintf(char *to, SIZE n, const char *f, ...) { __builtin_va_list ap; int r;\n\
         __builtin_va_start(ap, f); r = __palisade_vsnprintf(to, n, f, ap); return r; }",
    ),
    (
        "sprintf",
        "int sprintf(char *to, const char *f, ...) { __builtin_va_list ap; int r;\n\
         __builtin_va_start(ap, f); r = __palisade_vsnprintf(to, (SIZE)-1 / 2, f, ap); return r; }",
    ),
    (
        "vsprintf",
        "int vsprintf(char *to, const char *f, __builtin_va_list ap) {\n\
         return __palisade_vsnprintf(to, (SIZE)-1 / 2, f, ap); }",
    ),
    (
        "vasprintf",
        "int vasprintf(char **to, const char *f, __builtin_va_list ap) { __builtin_va_list copy;\n\
         char *t; int n; __builtin_va_copy(copy, ap); n = __palisade_vsnprintf(0, 0, f, copy);\n\
         t = malloc((SIZE)n + 1); if (t == 0) { char *any; *to = any; return -1; }\n\
         __palisade_vsnprintf(t, (SIZE)n + 1, f, ap); *to = t; return n; }",
    ),
    (
        "asprintf",
        "int asprintf(char **to, const char *f, ...) { __builtin_va_list ap;\n\
         __builtin_va_start(ap, f); return __palisade_vasprintf(to, f, ap); }",
    ),
    (
        "reallocarray",
        "extern signed int __palisade_errno; void *reallocarray(void *p, SIZE n, SIZE m) {\n\
         if (m != 0 && n > (SIZE)-1 / m) { __palisade_errno = 12; return 0; }\n\
         return realloc(p, n * m); }",
    ),
    (
        "vsscanf",
        "int vsscanf(const char *s, const char *f, __builtin_va_list ap) { SIZE i = 0, k = 0; int\n\
         done = 0, skipped = 0;\n\
         while (f[k] != 0) {\n\
         int drop = 0, size = 2, count = 0, negative = 0, base = 10; SIZE width = 0; char c = f[k];\n\
         unsigned long long value = 0, most;\n\
         if (c == ' ' || (c >= 9 && c <= 13)) { while (s[i] == ' ' || (s[i] >= 9 && s[i] <= 13))\n\
         i++; k++; continue; }\n\
         if (c != '%') { if (s[i] == 0) { if (skipped) __palisade_no_format(); return done ? done :\n\
         -1; }\n\
         if (s[i] != c) return done; i++; k++; continue; }\n\
         k++; if (f[k] == '*') { drop = 1; k++; }\n\
         while (f[k] >= '0' && f[k] <= '9') { width = width * 10 + (SIZE)(f[k] - '0'); k++; }\n\
         if (f[k] == 'h') { size = 1; k++; if (f[k] == 'h') { size = 0; k++; } }\n\
         else if (f[k] == 'l') { size = 3; k++; if (f[k] == 'l') { size = 4; k++; } }\n\
         else if (f[k] == 'z' || f[k] == 't') { size = 3; k++; } else if (f[k] == 'j') { size = 4;\n\
         k++; }\n\
         c = f[k]; k++;\n\
         if (c == 'n') { if (drop || width != 0) __palisade_no_format();\n\
         if (size == 2) *__builtin_va_arg(ap, int *) = (int)i; else __palisade_no_format();\n\
         continue; }\n\
         if (c != 'c' && c != '[') while (s[i] == ' ' || (s[i] >= 9 && s[i] <= 13)) i++;\n\
         if (c == '%') { if (drop || width != 0 || size != 2) __palisade_no_format();\n\
         if (s[i] == 0) { if (skipped) __palisade_no_format(); return done ? done : -1; } if (s[i]\n\
         != c) return done; i++; continue; }\n\
         if (s[i] == 0) { if (skipped) __palisade_no_format(); return done ? done : -1; }\n\
         if (c == '[') { char *to = 0; SIZE n = 0, from, end; int inverse = 0;\n\
         if (size != 2) __palisade_no_format(); if (f[k] == '^') { inverse = 1; k++; }\n\
         from = k; if (f[k] == ']') k++;\n\
         while (f[k] != ']') { if (f[k] == 0) __palisade_no_format(); k++; } end = k; k++;\n\
         if (!drop) to = __builtin_va_arg(ap, char *);\n\
         while ((width == 0 || n < width) && s[i] != 0) { SIZE j = from; int in = 0;\n\
         unsigned char d = (unsigned char)s[i];\n\
         while (j < end) { if (j + 2 < end && f[j + 1] == '-') {\n\
         if ((unsigned char)f[j] > (unsigned char)f[j + 2]) __palisade_no_format();\n\
         if (d >= (unsigned char)f[j] && d <= (unsigned char)f[j + 2]) in = 1; j += 3;\n\
         if (j + 1 < end && f[j] == '-') __palisade_no_format(); }\n\
         else { if (s[i] == f[j]) in = 1; j++; } }\n\
         if (in == inverse) break; if (!drop) to[n] = s[i]; n++; i++; }\n\
         if (n == 0) return done; if (drop) skipped = 1; else { to[n] = 0; done++; } continue; }\n\
         if (c == 'c' || c == 's') { char *to = 0; SIZE n = 0; if (size != 2) __palisade_no_format();\n\
         if (c == 'c' && width == 0) width = 1; if (!drop) to = __builtin_va_arg(ap, char *);\n\
         while ((width == 0 || n < width) && s[i] != 0 && (c == 'c' || !(s[i] == ' ' || (s[i] >= 9\n\
         && s[i] <= 13)))) {\n\
         if (!drop) to[n] = s[i]; n++; i++; }\n\
         if (c == 'c' && n < width) __palisade_no_format(); if (c == 's' && !drop) to[n] = 0;\n\
         if (drop) skipped = 1; else done++; continue; }\n\
         if (c == 'x' || c == 'X') base = 16; else if (c == 'o') base = 8; else if (c == 'i') base =\n\
         0;\n\
         else if (c != 'd' && c != 'u') __palisade_no_format();\n\
         if (width == 0) width = (SIZE)-1;\n\
         if (s[i] == '-' || s[i] == '+') { negative = s[i] == '-'; i++; width--; }\n\
         if ((base == 0 || base == 16) && width > 0 && s[i] == '0') {\n\
         if (width > 1 && (s[i + 1] == 'x' || s[i + 1] == 'X')) { char d = s[i + 2];\n\
         if (width < 3 || !((d >= '0' && d <= '9') || (d >= 'a' && d <= 'f') || (d >= 'A' && d <=\n\
         'F'))) __palisade_no_format();\n\
         i += 2; width -= 2; base = 16; } else if (base == 0) base = 8; }\n\
         if (base == 0) base = 10;\n\
         most = size == 0 ? 255 : size == 1 ? 65535 : size == 2 ? (unsigned)-1 : size == 3 ?\n\
         (unsigned long)-1 : (unsigned long long)-1;\n\
         while (width > 0) { int d = 99; char e = s[i];\n\
         if (e >= '0' && e <= '9') d = e - '0'; else if (e >= 'a' && e <= 'f') d = e - 'a' + 10;\n\
         else if (e >= 'A' && e <= 'F') d = e - 'A' + 10;\n\
         if (d >= base) break; if (value > (most - (unsigned)d) / (unsigned)base)\n\
         __palisade_no_format();\n\
         value = value * (unsigned)base + (unsigned)d; count = 1; i++; width--; }\n\
         if (!count) return done;\n\
         if (c == 'd' || c == 'i') { if (value > most / 2 + (unsigned)negative)\n\
         __palisade_no_format(); }\n\
         if (negative) value = 0 - value;\n\
         if (drop) { skipped = 1; continue; }\n\
         if (c == 'd' || c == 'i') {\n\
         if (size == 0) *__builtin_va_arg(ap, signed char *) = (signed char)value;\n\
         else if (size == 1) *__builtin_va_arg(ap, short *) = (short)value;\n\
         else if (size == 2) *__builtin_va_arg(ap, int *) = (int)value;\n\
         else if (size == 3) *__builtin_va_arg(ap, long *) = (long)value;\n\
         else *__builtin_va_arg(ap, long long *) = (long long)value; }\n\
         else if (size == 0) *__builtin_va_arg(ap, unsigned char *) = (unsigned char)value;\n\
         else if (size == 1) *__builtin_va_arg(ap, unsigned short *) = (unsigned short)value;\n\
         else if (size == 2) *__builtin_va_arg(ap, unsigned *) = (unsigned)value;\n\
         else if (size == 3) *__builtin_va_arg(ap, unsigned long *) = (unsigned long)value;\n\
         else *__builtin_va_arg(ap, unsigned long long *) = value;\n\
         done++; }\n\
         return done; }",
    ),
    (
        "sscanf",
        "int sscanf(const char *s, const char *f, ...) { __builtin_va_list ap;\n\
         __builtin_va_start(ap, f); return __palisade_vsscanf(s, f, ap); }",
    ),
];
