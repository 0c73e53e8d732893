//! Models of functions that ask or change the outside: files, time, the process, the command line.
//!
//! What the outside decides is arbitrary, within what POSIX says of one call. What several calls must agree
//! on is kept in static objects: numbers of open files differ, `clock` and `CLOCK_MONOTONIC` do not go back.
//! Where that is not enough (whether a stream is at its end, the text of an error, parts of a date, options),
//! a violation behind the call is open: `__palisade_unknown` says so. `__palisade_block`
//! is memory of the library. The program's files are not modelled: what is read does not depend on what was
//! written.

use std::sync::Arc;

use lang_c::ast::{DeclarationSpecifier, ExternalDeclaration, StorageClassSpecifier, TranslationUnit};
use lang_c::span::Node;
use rustc_hash::FxHashSet;

/// The numbers of the files that are open.
pub(super) const FILES: &str = "OUTSIDE static int __palisade_files[8], __palisade_files_open;\n\
    static unsigned char __palisade_files_seen;";

/// The last text of each function of the library that returns one.
pub(super) const TEXT: &str = "static char *__palisade_texts[4]; static SIZE __palisade_sizes[4];";

/// What the program has from the header that declares `getopt`.
pub(super) const OPTIONS: &str = "char *optarg; signed int optind = 1, opterr = 1, optopt = '?';";

/// A number for a file that is opened, or -1.
macro_rules! descriptor {
    ($name:literal, $parameters:literal) => {
        (
            $name,
            concat!(
                "FILES int ",
                $name,
                $parameters,
                " { int fd, i = 0; if (fd < 0) return -1;\n",
                "if (__palisade_files_seen != __palisade_outside) __palisade_files_open = 0;\n",
                "__palisade_files_seen = __palisade_outside;\n",
                "while (i < __palisade_files_open) { __VERIFIER_assume(fd != __palisade_files[i]); i++; }\n",
                "if (__palisade_files_open == 8) __palisade_no_file();\n",
                "__palisade_files[__palisade_files_open] = fd; __palisade_files_open++; return fd; }"
            ),
        )
    };
}

/// 0, or -1 for a failure.
macro_rules! done_or_not {
    ($name:literal, $parameters:literal) => {
        ($name, concat!("int ", $name, $parameters, " { _Bool fails; return fails ? -1 : 0; }"))
    };
}

/// Stores up to `n` bytes, after what is done first.
macro_rules! receive {
    ($name:literal, $parameters:literal, $first:literal) => {
        (
            $name,
            concat!(
                "long ",
                $name,
                $parameters,
                " { long r; SIZE i = 0; ",
                $first,
                "\n",
                "__VERIFIER_assume(r >= -1 && (r < 0 || (SIZE)r <= n));\n",
                "if (r > 0) while (i < (SIZE)r) { char c; to[i] = c; i++; } return r; }"
            ),
        )
    };
}

/// Uses `n` bytes.
macro_rules! send {
    ($name:literal, $parameters:literal) => {
        (
            $name,
            concat!(
                "long ",
                $name,
                $parameters,
                " { long r; char used; if (n > 0) { used = from[0]; used = from[n - 1]; }\n",
                "__VERIFIER_assume(r >= -1 && (r < 0 || (SIZE)r <= n)); return r; }"
            ),
        )
    };
}

/// Something about a stream that earlier calls decide.
macro_rules! about_stream {
    ($name:literal, $ty:literal, $condition:literal) => {
        (
            $name,
            concat!(
                $ty,
                " ",
                $name,
                "(void *f) { ",
                $ty,
                " r; __palisade_unknown(); __VERIFIER_assume(",
                $condition,
                "); return r; }"
            ),
        )
    };
}

/// A text of the library, in a new object or in that of the last text of one of these functions, which is
/// gone then.
macro_rules! text {
    ($name:literal, $parameters:literal, $k:literal) => {
        (
            $name,
            concat!(
                "TEXT char *",
                $name,
                $parameters,
                " { SIZE n, i = 0; char *t; _Bool again; unsigned k; __palisade_unknown();\n",
                "__VERIFIER_assume(n >= 1 && n <= 1024 && k < 4);\n",
                "if (again && __palisade_texts[k]) { __VERIFIER_assume(n <= __palisade_sizes[k]);\n",
                "t = __palisade_texts[k]; __palisade_sizes[",
                $k,
                "] = __palisade_sizes[k]; while (i < n) { char c; t[i] = c; i++; } }\n",
                "else { t = __palisade_block(n); __palisade_sizes[",
                $k,
                "] = n; }\n__palisade_texts[",
                $k,
                "] = t; t[n - 1] = 0; return t; }"
            ),
        )
    };
}

/// A number of the process or the user: the same in all calls.
macro_rules! identity {
    ($name:literal, $condition:literal) => {
        (
            $name,
            concat!(
                "OUTSIDE int ",
                $name,
                "(void) { static int id; static _Bool known; static unsigned char seen; int n;\n",
                "if (known && seen == __palisade_outside) return id; __VERIFIER_assume(",
                $condition,
                "); known = 1; id = n; seen = __palisade_outside; return n; }"
            ),
        )
    };
}

/// Name and definition, as in the table of [`super`]; `FILES` is above.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    // The number stands for the name, which is a literal.
    (
        "getenv",
        "OUTSIDE char *getenv(int k) { static char *values[8]; static _Bool known[8];\n\
         static unsigned char seen[8]; _Bool there; SIZE n; char *t = 0;\n\
         if (known[k] && seen[k] == __palisade_outside) return values[k];\n\
         if (there) { __VERIFIER_assume(n >= 1 && n <= 0x7fffffff); t = __palisade_block(n);\n\
         t[n - 1] = 0; }\n\
         known[k] = 1; values[k] = t; seen[k] = __palisade_outside; return t; }",
    ),
    ("time", "long time(long *to) { long now; if (to) *to = now; return now; }"),
    (
        "clock",
        "long clock(void) { static long last; long now; __VERIFIER_assume(now == -1 || now >= last);\n\
         if (now != -1) last = now; return now; }",
    ),
    (
        "clock_gettime",
        "int clock_gettime(int id, long *to) { static long last, part; long s, n; _Bool fails;\n\
         if (fails) return -1; if (id != 0 && id != 1) __palisade_no_clock();\n\
         __VERIFIER_assume(n >= 0 && n < 1000000000);\n\
         if (id == 1) { __VERIFIER_assume(s > last || (s == last && n >= part)); last = s; part = n; }\n\
         to[0] = s; to[1] = n; return 0; }",
    ),
    (
        "gettimeofday",
        "int gettimeofday(long *to, void *zone) { long s, n; if (zone) __palisade_no_clock();\n\
         __VERIFIER_assume(n >= 0 && n < 1000000); to[0] = s; to[1] = n; return 0; }",
    ),
    (
        "difftime",
        "double difftime(long a, long b) {\n\
         return a >= b ? (double)((unsigned long)a - (unsigned long)b)\n\
         : -(double)((unsigned long)b - (unsigned long)a); }",
    ),
    (
        "strftime",
        "SIZE strftime(char *to, SIZE n, const char *f, const void *t) { SIZE r, i = 0;\n\
         __palisade_unknown();\n\
         __VERIFIER_assume(r == 0 || r < n); while (i < n) { char c; to[i] = c; i++; }\n\
         if (r > 0) to[r] = 0; return r; }",
    ),
    text!("strerror", "(int e)", "0"),
    text!("strsignal", "(int e)", "1"),
    text!("ctime", "(const void *t)", "2"),
    text!("asctime", "(const void *t)", "3"),
    done_or_not!("remove", "(const char *path)"),
    done_or_not!("rename", "(const char *old, const char *path)"),
    done_or_not!("unlink", "(const char *path)"),
    done_or_not!("rmdir", "(const char *path)"),
    done_or_not!("chdir", "(const char *path)"),
    done_or_not!("mkdir", "(const char *path, unsigned mode)"),
    done_or_not!("access", "(const char *path, int mode)"),
    done_or_not!("fseek", "(void *f, long to, int from)"),
    done_or_not!("fsync", "(int fd)"),
    ("rewind", "void rewind(void *f) { }"),
    ("clearerr", "void clearerr(void *f) { }"),
    about_stream!("feof", "int", "r == 0 || r == 1"),
    about_stream!("ferror", "int", "r == 0 || r == 1"),
    about_stream!("ftell", "long", "r >= -1"),
    about_stream!("fileno", "int", "r >= -1"),
    (
        "fread",
        "SIZE fread(char *to, SIZE size, SIZE n, void *f) { SIZE k, i = 0;\n\
         if (size == 0 || n == 0) return 0;\n\
         __VERIFIER_assume(k <= size * n); while (i < k) { char c; to[i] = c; i++; } return k / size; }",
    ),
    // How large a block is made is open, and whether there is one where nothing can be read (glibc: yes).
    (
        "getline",
        "long getline(char **line, SIZE *n, void *f) { SIZE m, size, i = 0; _Bool end, early; char *t;\n\
         __VERIFIER_assume(m >= 1 && m < size && size <= 0x7fffffff);\n\
         if (end && (*line != 0 || !early)) return -1;\n\
         if (*line == 0 || *n < m + 1) { t = malloc(size); if (t == 0) return -1; free(*line); *line = t;\n\
         *n = size; if (end) return -1; } else t = *line;\n\
         while (i < m) { char c; __VERIFIER_assume(c != '\\n' || i == m - 1); t[i] = c; i++; }\n\
         t[m] = 0; return m; }",
    ),
    descriptor!("open", "(const char *path, int flags, ...)"),
    descriptor!("creat", "(const char *path, unsigned mode)"),
    descriptor!("dup", "(int other)"),
    descriptor!("socket", "(int domain, int type, int protocol)"),
    (
        "close",
        "FILES int close(int fd) { int i = 0; _Bool fails; while (i < __palisade_files_open) {\n\
         if (__palisade_files[i] == fd) { __palisade_files_open--;\n\
         __palisade_files[i] = __palisade_files[__palisade_files_open]; break; } i++; }\n\
         return fails ? -1 : 0; }",
    ),
    receive!("read", "(int fd, char *to, SIZE n)", ""),
    // `MSG_TRUNC` gives the length of what did not fit; with `MSG_PEEK` the same comes again.
    receive!("recv", "(int fd, char *to, SIZE n, int flags)", "if (flags & 0x22) __palisade_no_flags();"),
    send!("write", "(int fd, const char *from, SIZE n)"),
    send!("send", "(int fd, const char *from, SIZE n, int flags)"),
    ("lseek", "long lseek(int fd, long to, int from) { long r; __VERIFIER_assume(r >= -1); return r; }"),
    ("isatty", "int isatty(int fd) { _Bool terminal; return terminal; }"),
    ("system", "int system(const char *command) { int r; return r; }"),
    identity!("getpid", "n >= 1"),
    // The parent may end, and then it is another process.
    ("getppid", "int getppid(void) { int n; __VERIFIER_assume(n >= 0); return n; }"),
    // Users have numbers of 32 bits without sign; the largest is none.
    identity!("getuid", "n != -1"),
    identity!("geteuid", "n != -1"),
    // `lower/named.rs` runs them where the program ends.
    (
        "atexit",
        "static void (*__palisade_handlers[32])(void); static int __palisade_handler;\n\
         int atexit(void (*f)(void)) { if (__palisade_handler == 32) __palisade_no_handler();\n\
         __palisade_handlers[__palisade_handler] = f; __palisade_handler++; return 0; }\n\
         void __palisade_run_handlers(void) { while (__palisade_handler > 0) { __palisade_handler--;\n\
         __palisade_handlers[__palisade_handler](); } }",
    ),
    // A word that `scanf` reads. Has it all its characters, so that anything may follow?
    (
        "scanf",
        "_Bool scanf(char *to, SIZE most) { SIZE n, i = 0; __VERIFIER_assume(n >= 1 && n <= most);\n\
         while (i < n) { char c; __VERIFIER_assume(c != ' ' && (c < 9 || c > 13)); to[i] = c; i++; }\n\
         to[n] = 0; return n == most; }",
    ),
    (
        "fscanf",
        "_Bool __palisade_scanf(char *to, SIZE most);\n\
         _Bool fscanf(char *to, SIZE most) { return __palisade_scanf(to, most); }",
    ),
    // It may put the elements of `argv` in another order, unless the format forbids it. `inside`: the next
    // option may be in the same element. What belongs to an option may be an element or the end of one.
    (
        "getopt",
        "int getopt(int argc, char *const *argv, const char *f) { static _Bool inside;\n\
         SIZE i = 0, k; int next, e, j = 1; char *t; _Bool stays, ends, plain, missing, given, further;\n\
         __palisade_unknown(); if (argc < 1) { if (!stays) optarg = 0; return -1; }\n\
         if (optind == 0) { optind = 1; inside = 0; }\n\
         if (optind < 0 || optind > argc || (optind == argc && inside)) __palisade_no_options();\n\
         if (f[0] != '+' && f[0] != '-') while (j < argc) { int m; __VERIFIER_assume(m >= j && m < argc);\n\
         if (m != j) { char **all = (char **)argv, *one = all[j]; all[j] = all[m]; all[m] = one; } j++; }\n\
         optarg = 0; __VERIFIER_assume(next >= 1 && next <= argc);\n\
         if (ends || optind == argc) { __VERIFIER_assume(next >= optind || (f[0] != '+' && f[0] != '-'));\n\
         optind = next; inside = 0; return -1; }\n\
         __VERIFIER_assume(next >= optind); optind = next; inside = next < argc;\n\
         while (f[i] != 0) i++; __VERIFIER_assume(k <= i);\n\
         __VERIFIER_assume(e >= 1 && e < argc); t = argv[e];\n\
         if (f[0] == '-' && plain) { optarg = t; return 1; }\n\
         if (k == i || f[k] == ':' || (k == 0 && (f[k] == '+' || f[k] == '-'))) { char c; optopt = c;\n\
         return missing && f[f[0] == '+' || f[0] == '-'] == ':' ? ':' : '?'; }\n\
         if (f[k + 1] == ':') { if (f[k + 2] == ':' && !given) return f[k];\n\
         while (*t && further) { _Bool b; t++; further = b; } optarg = t; }\n\
         return f[k]; }",
    ),
];

/// Does the program use one of `OPTIONS` as a header declares it, and no file define it?
pub(super) fn asks_for_options(trees: &[Arc<TranslationUnit>], used: &FxHashSet<&str>) -> bool {
    ["optarg", "optind", "opterr", "optopt"].iter().filter(|name| used.contains(*name)).any(|name| {
        let items = trees.iter().flat_map(|t| &t.0);
        let declared: Vec<bool> = items.filter_map(|item| declares(&item.node, name)).collect();
        !declared.is_empty() && declared.iter().all(|is_extern| *is_extern)
    })
}

/// Does a part of a file declare a variable of this name, and is that no definition?
fn declares(item: &ExternalDeclaration, name: &str) -> Option<bool> {
    let ExternalDeclaration::Declaration(d) = item else { return None };
    let found =
        d.node.declarators.iter().find(|x| {
            crate::lower::declared_name(&x.node.declarator).is_some_and(|declared| declared == name)
        })?;
    let is_extern = |s: &Node<DeclarationSpecifier>| match &s.node {
        DeclarationSpecifier::StorageClass(c) => c.node == StorageClassSpecifier::Extern,
        _ => false,
    };
    Some(d.node.specifiers.iter().any(is_extern) && found.node.initializer.is_none())
}

/// Which arguments a model uses itself, where it has pointers to memory of the program; `None`: it is no
/// function of this module. Other arguments are only passed on to the outside.
pub(crate) fn used_arguments(name: &str) -> Option<&'static [usize]> {
    FUNCTIONS.iter().any(|f| f.0 == name).then_some(match name {
        "clock_gettime" | "read" | "recv" | "write" | "send" => &[1],
        "getline" => &[0, 1],
        "time" | "gettimeofday" | "fread" => &[0],
        "strftime" => &[0],
        "getopt" => &[1, 2],
        _ => &[],
    })
}

/// Is it a name that C itself reserves? Those of POSIX a program may use for functions of its own.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "getenv"
            | "time"
            | "clock"
            | "difftime"
            | "strftime"
            | "strerror"
            | "ctime"
            | "asctime"
            | "remove"
            | "rename"
            | "fseek"
            | "rewind"
            | "clearerr"
            | "feof"
            | "ferror"
            | "ftell"
            | "fread"
            | "system"
            | "atexit"
    )
}
