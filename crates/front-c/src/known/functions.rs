//! The functions of the C library (ISO C11, and what POSIX headers declare), by what is known of them.
//!
//! A function of this table that the program does not define itself is the library's. *Handled*:
//! `lower/call.rs` or the C text of `library.rs` is its meaning. *Harmless*: it changes nothing that the
//! program can see; its result, if it has one, is unsupported where it is used. *Refused*: its call is
//! unsupported. A function that is in no table but declared in a header of the system is refused too; any
//! other function without a body is part of the environment.

use super::Entry;
use super::Status::{self, Handled, Harmless, Refused};

/// Every known function.
#[rustfmt::skip]
pub(crate) const TABLE: &[Entry] = &[
    (
        Handled,
        &[
            "assert", "__assert_fail", "__assert", "__assert_rtn", "__assert_func", "__assert_perror_fail",
            "abort", "exit", "_exit", "_Exit", "quick_exit", "malloc", "alloca", "calloc", "memset",
            "setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "longjmp", "siglongjmp", "_longjmp",
            "memcpy", "free", "fopen", "realloc", "qsort", "bsearch", "div", "ldiv", "lldiv", "imaxdiv",
        ],
    ),
    (
        Handled,
        &[
            "strlen", "strnlen", "strcpy", "strncpy", "strcat", "strncat", "strcmp", "strncmp", "strchr",
            "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "memchr", "memcmp", "memmove",
            "toupper", "tolower", "isalnum", "isalpha", "isblank", "iscntrl",
            "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper",
            "isxdigit", "abs", "labs", "llabs", "imaxabs", "rand", "random", "srand", "srandom", "getchar",
            
            "__errno_location", "htonl", "htons", "ntohl", "ntohs", "fmod", "fmodf",
            "fegetround", "fesetround", "remainder", "remainderf", "fdim", "fdimf", "frexp", "frexpf", "modf",
            "modff", "logb", "logbf", "ilogb", "ilogbf", "ldexp", "ldexpf", "scalbn", "scalbnf", "scalbln",
            "scalblnf", "nextafter", "nextafterf", "strtod", "strtof", "atof",
            "fgetc", "fgets", "getc", "snprintf", "sprintf", "vsnprintf", "vsprintf", "atoi", "atol", "atoll",
            "strtol", "strtoll", "strtoul", "strtoull", "strtok", "strtok_r", "strsep", "strdup", "strndup",
            "scanf", "sscanf", "vsscanf", "strchrnul", "strcasecmp", "strncasecmp", "memrchr", "stpcpy",
            "bzero", "explicit_bzero", "bcmp", "bcopy", "mempcpy", "memccpy", "rawmemchr", "stpncpy",
            "index", "rindex", "isascii", "toascii", "ffs", "ffsl", "ffsll", "strtoimax", "strtoumax",
            "strcasestr", "strcoll", "strlcpy", "strlcat", "memmem", "getchar_unlocked", "getc_unlocked",
            "asprintf", "vasprintf", "reallocarray", "fscanf",
        ],
    ),
    // `library/inexact.rs`.
    (
        Handled,
        &[
            "sin", "sinf", "cos", "cosf", "tan", "tanf", "asin", "asinf", "acos", "acosf", "atan", "atanf",
            "atan2", "atan2f", "sinh", "sinhf", "cosh", "coshf", "tanh", "tanhf", "exp", "expf", "exp2",
            "exp2f", "expm1", "expm1f", "log", "logf", "log2", "log2f", "log10", "log10f", "log1p",
            "log1pf", "cbrt", "cbrtf", "hypot", "hypotf", "pow", "powf",
        ],
    ),
    // `lower/calendar.rs`.
    (Handled, &["localtime", "gmtime", "localtime_r", "gmtime_r", "mktime", "timegm", "signal"]),
    // `library/outside.rs` and `library/wide.rs`.
    (
        Handled,
        &[
            "strerror", "strsignal", "ctime", "asctime", "remove", "rename", "unlink", "rmdir", "chdir",
            "mkdir", "access", "fseek", "fsync", "feof", "ferror", "ftell", "fileno", "open", "creat",
            "dup", "socket", "read", "recv", "write", "send", "getpid", "getppid", "getuid", "geteuid",
            "time", "rewind", "clearerr", "lseek", "isatty", "system", "getenv", "clock", "clock_gettime",
            "gettimeofday", "difftime", "atexit", "strftime", "fread", "getline", "close", "getopt", "wcslen",
            "wcsnlen", "wmemset", "wcscpy", "wcsncpy", "wcscat", "wcscmp", "wcsncmp", "wcschr", "wcsrchr",
            "wmemcpy", "wmemcmp",
        ],
    ),
    (
        // Unless their format asks for more: see `lower/call.rs`.
        Harmless("it only writes to the outside"),
        &[
            "printf", "fprintf", "vprintf", "vfprintf", "dprintf", "puts", "putchar", "putchar_unlocked",
            "putc_unlocked", "fputs", "fputc", "fclose", "putc", "fflush", "perror", "fwrite",
            "syslog", "vsyslog", "openlog", "closelog", "printk", "__printf_chk", "__fprintf_chk",
            "__vprintf_chk", "__vfprintf_chk",
        ],
    ),
    (
        Harmless("time is not modelled; what depends on them is arbitrary"),
        &["tzset", "usleep", "sleep"],
    ),
    // assert.h, errno.h, locale.h, setjmp.h, signal.h
    (
        Refused("it has no model"),
        &[
            "setlocale", "localeconv", 
            "raise", "sigaction", "kill", "sigprocmask", "sigemptyset",
            "sigfillset", "sigaddset", "sigdelset", "sigismember", "sigsuspend", "sigpending", "alarm",
        ],
    ),
    // ctype.h and wctype.h
    (
        Refused("it has no model"),
        &[
            "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "iswalnum",
            "iswalpha", "iswblank", "iswcntrl", "iswctype", "iswdigit", "iswgraph", "iswlower", "iswprint",
            "iswpunct", "iswspace", "iswupper", "iswxdigit", "towctrans", "towlower", "towupper", "wctrans",
            "wctype",
        ],
    ),
    // fenv.h
    (
        Refused("it has no model"),
        &[
            "feclearexcept", "fegetexceptflag", "feraiseexcept", "fesetexceptflag", "fetestexcept",
            "fegetenv", "feholdexcept", "fesetenv", "feupdateenv",
        ],
    ),
    // inttypes.h
    (Refused("it has no model"), &["wcstoimax", "wcstoumax"]),
    // stdio.h
    (
        Refused("it has no model"),
        &[
            "tmpfile", "tmpnam", "freopen", "setbuf", "setvbuf",
            "vfscanf", "vscanf",
            "gets",
            "ungetc", "fgetpos", "fsetpos", 
            "popen", "pclose", "fdopen", "getdelim",
            "fseeko", "ftello", "fmemopen", "open_memstream",
        ],
    ),
    // stdlib.h
    (
        Refused("it has no model"),
        &[
            "strtold",
            "aligned_alloc", "posix_memalign", "memalign", "valloc",
            "at_quick_exit", "secure_getenv", "setenv", "unsetenv", "putenv", 
            "qsort_r", "mblen", "mbtowc", "wctomb", "mbstowcs",
            "wcstombs", "drand48", "erand48", "lrand48", "nrand48", "mrand48", "jrand48", "srand48",
            "rand_r", "mkstemp", "mktemp", "mkdtemp", "realpath", "on_exit", "random_r", "initstate",
            "setstate", "ecvt", "fcvt", "gcvt",
        ],
    ),
    // string.h
    (
        Refused("it has no model"),
        &[
            "strxfrm",
            "strerror_r",
            "strverscmp", "memfrob", "swab",
        ],
    ),
    // time.h and sys/time.h
    (
        Refused("it has no model"),
        &[
            "timespec_get", "asctime_r", "ctime_r", 
            "strptime", 
            "clock_settime", "clock_getres", "settimeofday", "nanosleep", "times",
            "getitimer", "setitimer",
        ],
    ),
    // wchar.h and uchar.h
    (
        Refused("it has no model"),
        &[
            "fwprintf", "fwscanf", "swprintf", "swscanf", "vfwprintf", "vfwscanf", "vswprintf", "vswscanf",
            "vwprintf", "vwscanf", "wprintf", "wscanf", "fgetwc", "fgetws", "fputwc", "fputws", "fwide",
            "getwc", "getwchar", "putwc", "putwchar", "ungetwc", "wcstod", "wcstof", "wcstold", "wcstol",
            "wcstoll", "wcstoul", "wcstoull", "wmemmove", 
            "wcsncat", "wcscoll", "wcsxfrm", "wcscspn", "wcspbrk",
            "wcsspn", "wcsstr", "wcstok", "wmemchr", "wcsftime", "btowc",
            "wctob", "mbsinit", "mbrlen", "mbrtowc", "wcrtomb", "mbsrtowcs", "wcsrtombs", "mbrtoc16",
            "c16rtomb", "mbrtoc32", "c32rtomb", "wcsdup", 
        ],
    ),
    // threads.h, pthread.h and semaphore.h
    (
        Refused("it has no model"),
        &[
            "call_once", "cnd_broadcast", "cnd_destroy", "cnd_init", "cnd_signal", "cnd_timedwait",
            "cnd_wait", "mtx_destroy", "mtx_init", "mtx_lock", "mtx_timedlock", "mtx_trylock", "mtx_unlock",
            "thrd_create", "thrd_current", "thrd_detach", "thrd_equal", "thrd_exit", "thrd_join",
            "thrd_sleep", "thrd_yield", "tss_create", "tss_delete", "tss_get", "tss_set", "sem_init",
            "sem_wait", "sem_trywait", "sem_post", "sem_destroy", "sem_getvalue", "sem_open", "sem_close",
        ],
    ),
    // unistd.h, fcntl.h, sys/*.h and other POSIX headers
    (
        Refused("it has no model"),
        &[
            "pread", "pwrite", "readv", "writev", "openat", 
            "dup2", "pipe", "fork", "vfork", "execl", "execlp", "execle", "execv", "execvp",
            "execve", "wait", "waitpid", "stat", "fstat", "lstat", "getcwd", 
            "link", "symlink", "readlink", "opendir", "readdir", "closedir", "rewinddir",
            "ttyname", "select", "poll", "ioctl", "fcntl", "mmap", "munmap", "mprotect", "msync",
            "brk", "sbrk", "bind", "listen", "accept", "connect", "sendto",
            "recvfrom", "sendmsg", "recvmsg", "shutdown", "setsockopt", "getsockopt", "getsockname",
            "getpeername", "gethostbyname", "gethostname", "getaddrinfo", "freeaddrinfo", "inet_addr",
            "inet_ntoa", "inet_aton", "inet_pton", "inet_ntop", "getopt_long", "uname", "sysconf",
            "pathconf", "getpwnam", "getpwuid", "getgrnam", "getgrgid", "getlogin", "crypt", "dlopen",
            "dlsym", "dlclose", "regcomp", "regexec", "regfree", "glob", "globfree", "fnmatch", "wordexp",
            "hcreate", "hsearch", "hdestroy", "tsearch", "tfind", "tdelete", "twalk", "lfind", "lsearch",
            "insque", "remque", "getrusage", "getrlimit", "setrlimit", "sched_yield", "chmod", "fchmod",
            "chown", "umask", "truncate", "ftruncate", "sync", "utime", "utimes", "mknod",
            "mkfifo", "flock", "lockf", "nice", "getpriority", "setpriority", "syscall",
        ],
    ),
    // math.h and complex.h, with what the headers make of the macros. Those that `lower/float.rs` or
    // `library.rs` gives a meaning are refused only where floating point is not modelled.
    (
        Refused("it has no model"),
        &[
            "acosl", "acosh", "acoshf", "acoshl", "asinl", "asinh",
            "asinhf", "asinhl", "atanl", "atan2l", "atanh", "atanhf",
            "atanhl", "cbrtl", "ceil", "ceilf", "ceill", "copysign", "copysignf",
            "copysignl", "cosl", "coshl", "erf", "erff", "erfl", "erfc",
            "erfcf", "erfcl", "expl", "exp2l", "exp10", "exp10f", "exp10l",
            "expm1l", "fabs", "fabsf", "fabsl", "fdiml", "floor",
            "floorf", "floorl", "fma", "fmaf", "fmal", "fmax", "fmaxf", "fmaxl", "fmin", "fminf", "fminl",
            "fmodl", "frexpl", "hypotl", 
            "ilogbl", "ldexpl", "lgamma", "lgammaf", "lgammal", "llrint",
            "llrintf", "llrintl", "llround", "llroundf", "llroundl", "logl", 
            "log10l", "log1pl", "log2l", 
            "logbl", "lrint", "lrintf", "lrintl", "lround", "lroundf", "lroundl", "modfl",
            "nan", "nanf", "nanl", "nearbyint", "nearbyintf", "nearbyintl", 
            "nextafterl", "nexttoward", "nexttowardf", "nexttowardl", "powl", "pow10",
            "pow10f", "pow10l", "remainderl", "remquo", "remquof", "remquol",
            "rint", "rintf", "rintl", "round", "roundf", "roundl", "scalblnl",
            "scalbnl", "sinl", "sincos", "sincosf", "sincosl", 
            "sinhl", "sqrt", "sqrtf", "sqrtl", "tanl", "tanhl",
            "tgamma", "tgammaf", "tgammal", "trunc", "truncf", "truncl", "j0", "j0f", "j0l", "j1", "j1f",
            "j1l", "jn", "jnf", "jnl", "y0", "y0f", "y0l", "y1", "y1f", "y1l", "yn", "ynf", "ynl", "gamma",
            "gammaf", "gammal", "drem", "dremf", "dreml", "significand", "significandf", "significandl",
            "finite", "finitef", "finitel", "isinf", "isinff", "isinfl", "isnan", "isnanf", "isnanl",
            "__isinf", "__isinff", "__isinfl", "__isnan", "__isnanf", "__isnanl", "__finite", "__finitef",
            "__finitel", "__signbit", "__signbitf", "__signbitl", "__fpclassify", "__fpclassifyf",
            "__fpclassifyl", "__iseqsig", "__iseqsigf", "__iseqsigl", "__issignaling", "__issignalingf",
            "__issignalingl", "cabs", "cabsf", "cabsl", "cacos", "cacosf", "cacosl", "cacosh", "cacoshf",
            "cacoshl", "carg", "cargf", "cargl", "casin", "casinf", "casinl", "casinh", "casinhf",
            "casinhl", "catan", "catanf", "catanl", "catanh", "catanhf", "catanhl", "ccos", "ccosf",
            "ccosl", "ccosh", "ccoshf", "ccoshl", "cexp", "cexpf", "cexpl", "cimag", "cimagf", "cimagl",
            "clog", "clogf", "clogl", "conj", "conjf", "conjl", "cpow", "cpowf", "cpowl", "cproj", "cprojf",
            "cprojl", "creal", "crealf", "creall", "csin", "csinf", "csinl", "csinh", "csinhf", "csinhl",
            "csqrt", "csqrtf", "csqrtl", "ctan", "ctanf", "ctanl", "ctanh", "ctanhf", "ctanhl",
        ],
    ),
];

/// What is known of a function; `None` if it is not the library's, by its name.
pub(crate) fn status(name: &str) -> Option<Status> {
    let entry = TABLE.iter().find(|(_, names)| names.contains(&name));
    let threads = || name.starts_with("pthread_").then_some(Refused("threads"));
    entry.map(|(status, _)| *status).or_else(threads)
}
