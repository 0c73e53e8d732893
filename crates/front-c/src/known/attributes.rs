//! The attributes of gcc 12 (its manual, sections 6.33 to 6.39), by what they can change.

use super::Status::{self, Handled, Harmless, Refused};
use super::{Entry, find};

/// Every known attribute, without underscores around it. One that is not here is refused.
pub(crate) const TABLE: &[Entry] = &[
    (Handled, &["packed", "aligned", "mode", "noreturn", "weak", "cleanup", "constructor", "destructor"]),
    (
        Harmless("it only produces or silences warnings"),
        &[
            "deprecated",
            "unavailable",
            "unused",
            "maybe_unused",
            "warn_unused_result",
            "nodiscard",
            "warning",
            "error",
            "format",
            "format_arg",
            "sentinel",
            "nonstring",
            "fallthrough",
            "designated_init",
            "warn_if_not_aligned",
            "access",
            "fd_arg",
            "fd_arg_read",
            "fd_arg_write",
            "tainted_args",
            "artificial",
            "bnd_variable_size",
            "bnd_legacy",
            "bnd_instrument",
        ],
    ),
    (
        Harmless("a promise to the optimiser; a program that keeps it means the same without it"),
        &[
            "const",
            "pure",
            "malloc",
            "alloc_size",
            "alloc_align",
            "assume_aligned",
            "nonnull",
            "returns_nonnull",
            "nothrow",
            "leaf",
            "may_alias",
            "null_terminated_string_arg",
        ],
    ),
    (
        Harmless("it only guides inlining, code generation and instrumentation"),
        &[
            "always_inline",
            "gnu_inline",
            "noinline",
            "noclone",
            "noipa",
            "no_icf",
            "flatten",
            "cold",
            "hot",
            "no_instrument_function",
            "no_profile_instrument_function",
            "no_reorder",
            "no_sanitize",
            "no_sanitize_address",
            "no_sanitize_thread",
            "no_sanitize_undefined",
            "no_sanitize_coverage",
            "no_address_safety_analysis",
            "no_split_stack",
            "no_stack_limit",
            "no_stack_protector",
            "stack_protect",
            "patchable_function_entry",
            "zero_call_used_regs",
            // See `status_with`.
            "target",
            "target_clones",
            "indirect_branch",
            "indirect_return",
            "function_return",
            "fentry_name",
            "fentry_section",
            "nodirect_extern_access",
            "nocf_check",
            "cf_check",
            "noplt",
            "simd",
            "ms_hook_prologue",
            "force_align_arg_pointer",
            "no_caller_saved_registers",
            "speculation_safe",
        ],
    ),
    (
        Harmless("it only says where the linker puts an object or who sees its name"),
        &[
            // But see `status_with`.
            "section",
            "visibility",
            "externally_visible",
            "used",
            "retain",
            "common",
            "nocommon",
            "tls_model",
            "dllexport",
            "dllimport",
            "shared",
            "selectany",
        ],
    ),
    (
        Harmless("a calling convention: both sides of a call use the same one, or the program is undefined"),
        &["cdecl", "stdcall", "fastcall", "thiscall", "regparm", "sseregparm", "ms_abi", "sysv_abi"],
    ),
    (Harmless("the default on this target"), &["gcc_struct"]),
    (
        Harmless("a mark of the Linux Driver Verification project, which compilers ignore"),
        &["ldv_model", "ldv_model_inline"],
    ),
    (Refused("it runs code before or after `main`"), &["init_priority"]),
    (
        Refused("it makes one name stand for another"),
        &["alias", "weakref", "ifunc", "symver", "copy", "asm label"],
    ),
    (Refused("vectors"), &["vector_size"]),
    (
        Refused("it changes how an object is laid out"),
        &["scalar_storage_order", "transparent_union", "ms_struct", "noinit", "persistent", "uninitialized"],
    ),
    (Refused("it changes control flow"), &["returns_twice", "interrupt", "naked", "signal"]),
    // `optimize("O2")` is harmless, `optimize("wrapv")` is not: see `status_with`.
    (Refused("it may change the meaning of operators"), &["optimize", "optnone", "no_builtin"]),
];

/// `__packed__` is `packed`.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).filter(|n| !n.is_empty()).unwrap_or(name)
}

/// What is known of an attribute.
pub(crate) fn status(name: &str) -> Status {
    find(TABLE, plain(name))
}

/// What is known of an attribute with these arguments, as they are written.
pub(crate) fn status_with(name: &str, arguments: &str) -> Status {
    let level = |a: &str| {
        let a = a.trim().trim_matches('"').trim_start_matches('-');
        let level = a.strip_prefix('O').unwrap_or(a);
        matches!(level, "s" | "g" | "z" | "0" | "1" | "2" | "3")
    };
    match plain(name) {
        "optimize" if arguments.split(',').all(level) => Harmless("a level of optimisation"),
        "section" => section(arguments.trim().trim_matches('"')).unwrap_or(status(name)),
        "target" | "target_clones" if changes_floats(arguments) => Refused("it may change how numbers round"),
        _ => status(name),
    }
}

/// Sections whose content is run, or not initialised, when the program starts.
fn section(name: &str) -> Option<Status> {
    let runs = ["init_array", "fini_array", "preinit_array", "ctors", "dtors"];
    let is_run = |s: &str| name.trim_start_matches('.').split('.').next() == Some(s);
    let kept = ["noinit", "uninit", "persist"].iter().any(|word| name.contains(word));
    match name {
        ".init" | ".fini" => Some(Refused("it runs code before or after `main`")),
        _ if runs.into_iter().any(is_run) => Some(Refused("it runs code before or after `main`")),
        _ if kept => Some(Refused("its objects are not initialised")),
        _ => None,
    }
}

/// Can the options for the processor change the result of floating-point operations: other units, or products
/// and sums as one operation?
pub(crate) fn changes_floats(options: &str) -> bool {
    let known = [
        "default",
        "mmx",
        "sse",
        "sse2",
        "sse3",
        "ssse3",
        "sse4",
        "sse4.1",
        "sse4.2",
        "avx",
        "avx2",
        "popcnt",
        "bmi",
        "bmi2",
        "lzcnt",
        "aes",
        "pclmul",
        "rdrnd",
        "rdseed",
        "sha",
        "crc32",
        "movbe",
        "adx",
        "general-regs-only",
    ];
    let words = options.split([',', '"', '(', ')', ' ', '\t']).filter(|w| !w.is_empty());
    words.into_iter().any(|w| !known.contains(&w))
}
