//! Pragmas, by their first words. gcc ignores those of other compilers; here they are refused unless they are
//! known to be of that kind.

use super::Entry;
use super::Status::{self, Handled, Harmless, Refused};
use super::attributes::{changes_floats, status_with};

/// Every known pragma: its first word or words. One that is not here is refused.
pub(crate) const TABLE: &[Entry] = &[
    (Handled, &["pack"]),
    (
        Harmless("it only produces or silences warnings"),
        &[
            "GCC diagnostic",
            "GCC warning",
            "GCC error",
            "GCC poison",
            "GCC dependency",
            "GCC system_header",
            "message",
            "region",
            "endregion",
            "warning",
            "mark",
        ],
    ),
    (Harmless("the preprocessor has done it"), &["once", "push_macro", "pop_macro", "GCC push_macro"]),
    (
        Harmless("it only guides optimisation"),
        &[
            "GCC ivdep",
            "GCC unroll",
            "GCC target",
            "GCC push_options",
            "GCC pop_options",
            "GCC reset_options",
        ],
    ),
    (Harmless("it only says who sees a name"), &["GCC visibility"]),
    (
        Harmless("gcc ignores it"),
        &[
            "clang",
            "omp",
            "acc",
            "unroll",
            "nounroll",
            "ident",
            "simd",
            "function",
            "alloc_text",
            "intrinsic",
        ],
    ),
    (Refused("it changes the type of constants"), &["STDC FLOAT_CONST_DECIMAL64"]),
    (Harmless("CIL notes which file a part comes from"), &["merger"]),
    (Harmless("gcc ignores it"), &["STDC"]),
    (Refused("it renames functions"), &["redefine_extname", "weak", "extern_prefix"]),
    (Refused("it changes how objects are laid out"), &["scalar_storage_order", "ms_struct", "options"]),
    (Refused("it may change the meaning of operators"), &["GCC optimize"]),
];

/// What is known of a pragma, by what follows the word `pragma`.
pub(crate) fn status(text: &str) -> Status {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c == '(').filter(|w| !w.is_empty()).collect();
    if let ["GCC", "optimize", levels @ ..] = &words[..]
        && let Harmless(why) = status_with("optimize", &levels.concat().replace(')', ""))
    {
        return Harmless(why);
    }
    if let ["GCC", "target", options @ ..] = &words[..]
        && options.iter().any(|o| changes_floats(o))
    {
        return Refused("it may change how numbers round");
    }
    let two = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
    let first = words.first().copied().unwrap_or_default();
    let entry = TABLE.iter().find(|(_, names)| names.contains(&two.as_str()) || names.contains(&first));
    entry.map_or(Refused("unknown"), |(status, _)| *status)
}
