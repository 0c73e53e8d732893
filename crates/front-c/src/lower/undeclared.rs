//! Functions of the library that are called without a prototype: not declared at all, or as `double f()`.
//!
//! A function that is not declared is `int f()` (C90 6.3.2.2), unless gcc knows its type. Arguments are then
//! only promoted, and must have the types of the parameters (C11 6.5.2.2p6).
//!
//! Entry point: [`Lowerer::check_without_prototype`].

use lang_c::span::Span as AstSpan;

use super::call::Args;
use super::constant::has_effects;
use super::{Lowerer, Res, float};
use crate::ir::{CmpOp, Expr, ExprKind, FuncId};
use crate::known::builtins;
use crate::types::{IntType, Passed, Type};

/// The functions of the library with a meaning here whose type gcc 12 does not know without a declaration
/// (asked with `__has_builtin`).
#[rustfmt::skip]
const UNKNOWN: &[&str] = &[
    "__errno_location", "access", "asctime", "asprintf", "atexit", "atof", "atoi", "atol", "atoll", "bsearch",
    "chdir", "clearerr", "clock", "clock_gettime", "close", "creat", "ctime", "difftime", "div", "dup",
    "explicit_bzero", "feof", "ferror", "fgetc", "fgets", "fileno", "fopen", "fread", "fseek", "fsync",
    "ftell", "getc", "getc_unlocked", "getchar", "getchar_unlocked", "getenv", "geteuid", "getline", "getopt",
    "getpid", "getppid", "gettimeofday", "getuid", "gmtime", "gmtime_r", "htonl", "htons", "imaxdiv",
    "isatty", "ldiv", "lldiv", "localtime", "localtime_r", "lseek", "memccpy", "memmem", "memrchr", "mkdir",
    "mktime", "ntohl", "ntohs", "open", "qsort", "rand", "random", "rawmemchr", "read", "reallocarray",
    "recv", "remove", "rename", "rewind", "rmdir", "send", "signal", "socket", "srand", "srandom",
    "strcasestr", "strchrnul", "strcoll", "strerror", "strlcat", "strlcpy", "strsep", "strsignal", "strtod",
    "strtof", "strtoimax", "strtok", "strtok_r", "strtol", "strtoll", "strtoul", "strtoull", "strtoumax",
    "system", "time", "timegm", "unlink", "vasprintf", "wcscat", "wcschr", "wcscmp", "wcscpy", "wcslen",
    "wcsncmp", "wcsncpy", "wcsnlen", "wcsrchr", "wmemcmp", "wmemcpy", "wmemset", "write",
];

/// Those that it knows, but not with `-std=c11` or the like.
#[rustfmt::skip]
const GNU: &[&str] = &[
    "alloca", "bcmp", "bcopy", "bzero", "ffs", "ffsl", "ffsll", "finite", "index", "mempcpy", "rindex",
    "stpcpy", "stpncpy", "strcasecmp", "strdup", "strncasecmp", "strndup", "strnlen",
];

/// Those that it knows with `-std=c90`; that it knows the others, too, which return `int`, does not matter.
#[rustfmt::skip]
const C90: &[&str] = &[
    "abs", "acos", "asin", "atan", "atan2", "calloc", "ceil", "cos", "cosh", "exp", "fabs", "floor", "fmod",
    "free", "frexp", "labs", "ldexp", "log", "log10", "malloc", "memchr", "memcmp", "memcpy", "memmove",
    "memset", "modf", "pow", "realloc", "sin", "sinh", "sqrt", "strcat", "strchr", "strcmp", "strcpy",
    "strcspn", "strlen", "strncat", "strncmp", "strncpy", "strpbrk", "strrchr", "strspn", "strstr", "tan",
    "tanh",
];

impl Lowerer<'_> {
    /// Refuses a call of a function of the library that would do something else without the prototype.
    pub(super) fn check_without_prototype(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<()> {
        let ours = self.source().is_named(crate::LIBRARY) || builtins::is_builtin(name);
        let known = match f {
            Some(_) => self.has_prototype(name),
            None => self.is_known_to_compilers(name),
        };
        if ours || known {
            return Ok(());
        }
        let (result, params) = match self.own_types(name) {
            Some(own) => (own.result, own.params),
            None => match float::parameter(name) {
                Some(format) if self.models_floats() => (None, vec![Type::Ieee(format); args.len()]),
                None if !UNKNOWN.contains(&name) => return Ok(()),
                _ => (None, Vec::new()),
            },
        };
        let is_int = |t: &Type| matches!(t, Type::Int(t) if !t.differs(IntType::INT));
        if f.is_none() && !result.is_some_and(|r| r == Type::Void || is_int(&r)) {
            return self.unsupported(at, &format!("call of `{name}`, which is not declared"));
        }
        for (a, param) in args.iter().zip(&params) {
            let what = format!("an argument of another type than the parameter of `{name}`");
            let given = self.dry(|me| me.expr(a))?.ty.promoted();
            match self.unit.records.passed(&given, param) {
                Passed::Always | Passed::Alike => {}
                Passed::Positive if !has_effects(&a.node) => {
                    let value = self.expr(a)?;
                    let value = self.convert(value, given.clone());
                    let bits = given.as_int().map_or(32, |t| t.bits);
                    let value = self.convert(value, Type::Int(IntType::new(bits, true)));
                    let zero = Expr::constant(0, value.ty.clone(), value.span);
                    let span = value.span;
                    let kind = ExprKind::Compare(CmpOp::Lt, Box::new(value), Box::new(zero));
                    self.refuse_if(Expr { ty: Type::INT, kind, span }, &what, a.span);
                }
                Passed::Positive | Passed::Never => return self.unsupported(a.span, &what),
            }
        }
        Ok(())
    }

    /// Does gcc know the type of a function of the library without a declaration?
    fn is_known_to_compilers(&self, name: &str) -> bool {
        let strict = self.options.std.as_deref().is_some_and(|s| !s.starts_with("gnu"));
        match strict {
            true if self.options.is_c90() => C90.contains(&name),
            true => !UNKNOWN.contains(&name) && !GNU.contains(&name),
            false => !UNKNOWN.contains(&name),
        }
    }
}
