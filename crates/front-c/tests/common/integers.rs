//! The integer types that random programs use.

/// By the names that the random programs give them.
pub const INTEGERS: &[&str] = &[
    "int",
    "unsigned int",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
    "_Bool",
    "char",
    "long long",
];
