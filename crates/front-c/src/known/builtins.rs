//! The builtin functions of gcc, by what is known of them. `__builtin_f` for a function `f` of the library is
//! handled like `f`.

use super::Status::{self, Handled, Harmless, Refused};
use super::{Entry, functions};

/// Every known builtin that is no library function. One that is not here is refused.
pub(crate) const TABLE: &[Entry] = &[
    // Given their meaning by `lower/builtin.rs`.
    (
        Handled,
        &[
            "__builtin_expect",
            "__builtin_expect_with_probability",
            "__builtin_constant_p",
            "__builtin_unreachable",
            "__builtin_trap",
            "__builtin_assume_aligned",
            "__builtin_choose_expr",
            "__builtin_add_overflow",
            "__builtin_sub_overflow",
            "__builtin_mul_overflow",
            "__builtin_add_overflow_p",
            "__builtin_sub_overflow_p",
            "__builtin_mul_overflow_p",
            "__builtin_sadd_overflow",
            "__builtin_saddl_overflow",
            "__builtin_saddll_overflow",
            "__builtin_uadd_overflow",
            "__builtin_uaddl_overflow",
            "__builtin_uaddll_overflow",
            "__builtin_ssub_overflow",
            "__builtin_ssubl_overflow",
            "__builtin_ssubll_overflow",
            "__builtin_usub_overflow",
            "__builtin_usubl_overflow",
            "__builtin_usubll_overflow",
            "__builtin_smul_overflow",
            "__builtin_smull_overflow",
            "__builtin_smulll_overflow",
            "__builtin_umul_overflow",
            "__builtin_umull_overflow",
            "__builtin_umulll_overflow",
        ],
    ),
    // The parser knows it.
    (Handled, &["__builtin_offsetof"]),
    // C definitions in `library.rs`.
    (
        Handled,
        &[
            "__builtin_bswap16",
            "__builtin_bswap32",
            "__builtin_bswap64",
            "__builtin_popcount",
            "__builtin_popcountl",
            "__builtin_popcountll",
            "__builtin_parity",
            "__builtin_parityl",
            "__builtin_parityll",
            "__builtin_ffs",
            "__builtin_ffsl",
            "__builtin_ffsll",
            "__builtin_clz",
            "__builtin_clzl",
            "__builtin_clzll",
            "__builtin_ctz",
            "__builtin_ctzl",
            "__builtin_ctzll",
            "__builtin_clrsb",
            "__builtin_clrsbl",
            "__builtin_clrsbll",
        ],
    ),
    (
        Harmless("it only guides the processor"),
        &[
            "__builtin_prefetch",
            "__builtin_ia32_pause",
            "__builtin___clear_cache",
            "__sync_synchronize",
            "__atomic_thread_fence",
            "__atomic_signal_fence",
        ],
    ),
    // `lower/atomics.rs`.
    (
        Handled,
        &[
            "__atomic_load_n",
            "__atomic_load",
            "__atomic_store_n",
            "__atomic_store",
            "__atomic_exchange_n",
            "__atomic_exchange",
            "__atomic_compare_exchange_n",
            "__atomic_compare_exchange",
            "__atomic_clear",
            "__atomic_test_and_set",
            "__atomic_add_fetch",
            "__atomic_sub_fetch",
            "__atomic_and_fetch",
            "__atomic_xor_fetch",
            "__atomic_or_fetch",
            "__atomic_fetch_add",
            "__atomic_fetch_sub",
            "__atomic_fetch_and",
            "__atomic_fetch_xor",
            "__atomic_fetch_or",
            "__atomic_fetch_nand",
            "__atomic_nand_fetch",
            "__sync_fetch_and_nand",
            "__sync_nand_and_fetch",
            "__sync_fetch_and_add",
            "__sync_fetch_and_sub",
            "__sync_fetch_and_or",
            "__sync_fetch_and_and",
            "__sync_fetch_and_xor",
            "__sync_add_and_fetch",
            "__sync_sub_and_fetch",
            "__sync_or_and_fetch",
            "__sync_and_and_fetch",
            "__sync_xor_and_fetch",
            "__sync_bool_compare_and_swap",
            "__sync_val_compare_and_swap",
            "__sync_lock_test_and_set",
            "__sync_lock_release",
        ],
    ),
    // `lower/variadic.rs`.
    (Handled, &["__builtin_va_start", "__builtin_va_end", "__builtin_va_copy", "__builtin_va_arg"]),
    (Refused("variable arguments"), &["__builtin_next_arg"]),
    (
        Refused("it looks at the stack"),
        &[
            "__builtin_return_address",
            "__builtin_frame_address",
            "__builtin_extract_return_addr",
            "__builtin_apply",
            "__builtin_apply_args",
            "__builtin_return",
            "__builtin_stack_address",
        ],
    ),
    (
        Refused("its value depends on the optimiser"),
        &["__builtin_object_size", "__builtin_dynamic_object_size"],
    ),
];

/// Is this the name of a builtin?
pub(crate) fn is_builtin(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| name.starts_with(prefix))
}

/// What is known of a builtin.
pub(crate) fn status(name: &str) -> Status {
    let entry = TABLE.iter().find(|(_, names)| names.contains(&name));
    let library = || name.strip_prefix("__builtin_").and_then(functions::status);
    entry.map(|(status, _)| *status).or_else(library).unwrap_or(Refused("unknown"))
}

/// Does gcc replace calls of this function by instructions, even if the program defines it (with external
/// linkage)?
pub(crate) fn is_replaced(name: &str) -> bool {
    matches!(name, "abs" | "labs" | "llabs" | "imaxabs" | "isdigit" | "isascii" | "toascii")
}

/// Functions of the library that gcc computes itself where it sees the arguments, unless it is told
/// `-fno-builtin`, even if the program defines them. (Measured with gcc 12 without optimisation.)
#[rustfmt::skip]
const COMPUTED: &[&str] = &[
    "bcmp", "bcopy", "bzero", "exit", "ffs", "ffsl", "ffsll", "finite", "fprintf", "fputs", "ilogb", "index",
    "isinf", "isnan", "lround", "memchr", "memcmp", "memcpy", "memmove", "mempcpy", "memset", "printf",
    "puts", "rindex", "signbit", "sprintf", "stpcpy", "strcasecmp", "strcat", "strchr", "strcmp", "strcpy",
    "strcspn", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strnlen", "strpbrk", "strrchr",
    "strspn", "strstr", "vfprintf", "vprintf",
];

/// The same for functions that are also there for `float`.
#[rustfmt::skip]
const COMPUTED_FLOATS: &[&str] = &[
    "atan2", "cbrt", "ceil", "copysign", "cos", "drem", "erf", "exp", "exp10", "exp2", "fabs", "fdim",
    "floor", "fma", "fmax", "fmin", "fmod", "hypot", "ldexp", "log", "log10", "log2", "logb", "pow", "pow10",
    "remainder", "round", "roundeven", "scalbn", "significand", "sin", "sqrt", "tgamma", "trunc",
];

/// May compilers compute this function of the program as if it were the library's?
pub(crate) fn is_computed(name: &str) -> bool {
    let float = name.strip_suffix('f').unwrap_or(name);
    COMPUTED.contains(&name) || COMPUTED_FLOATS.contains(&name) || COMPUTED_FLOATS.contains(&float)
}
