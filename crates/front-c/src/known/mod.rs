//! What the front-end knows of C beyond the grammar: attributes, pragmas, builtins and library functions.
//!
//! Everything in these tables is **handled** (some other module gives it its meaning), **harmless** (it
//! cannot change what a program computes; the table gives the reason), or **refused**. Whatever is in no
//! table is refused too. `scan` finds all attributes and pragmas in the text, independently of the parser,
//! which drops some of them. The code that handles an attribute must *claim* it; an attribute that no code
//! claims is refused like an unknown one. So nothing is dropped silently.
//!
//! Entry points: `Scan::new`, `attributes::status`, `builtins::status`, `functions::status`. Keywords need no
//! table: the parser knows a fixed set of them and refuses the rest, and `lower` matches on all of its cases.

pub(crate) mod attributes;
pub(crate) mod builtins;
pub(crate) mod functions;
pub(crate) mod pragmas;
pub(crate) mod scan;

pub(crate) use scan::Scan;

/// What is known of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Another module gives it its meaning.
    Handled,
    /// It cannot change what a program computes. The reason.
    Harmless(&'static str),
    /// Not supported. The reason, if there is more to say than that.
    Refused(&'static str),
}

/// Several names that are known for one reason.
pub(crate) type Entry = (Status, &'static [&'static str]);

/// The status of a name in a table; refused if it has none.
fn find(table: &[Entry], name: &str) -> Status {
    let entry = table.iter().find(|(_, names)| names.contains(&name));
    entry.map_or(Status::Refused("unknown"), |(status, _)| *status)
}

/// Is this attribute, written with or without underscores, known, and how? For tests and documentation.
pub fn attribute(name: &str) -> Status {
    attributes::status(name)
}

/// Is this builtin function known, and how? For tests and documentation.
pub fn builtin(name: &str) -> Status {
    builtins::status(name)
}

/// Is this a function of the C library, and how is it known? For tests and documentation.
pub fn function(name: &str) -> Option<Status> {
    functions::status(name)
}

/// All names of the tables, each with the kind of its table. For tests.
pub fn names() -> Vec<(&'static str, &'static str)> {
    let tables = [
        ("attribute", attributes::TABLE),
        ("pragma", pragmas::TABLE),
        ("builtin", builtins::TABLE),
        ("function", functions::TABLE),
    ];
    let entries = tables.iter().flat_map(|(kind, table)| table.iter().map(|entry| (*kind, entry.1)));
    entries.flat_map(|(kind, names)| names.iter().map(move |name| (kind, *name))).collect()
}

/// Is it a name that linkers define: the beginning or end of a section, where objects of the program are?
pub(crate) fn is_of_linker(name: &str) -> bool {
    let ends =
        ["__start_", "__stop_", "__init_array_", "__fini_array_", "__preinit_array_", "__bss_", "__data_"];
    let names = [
        "_end",
        "__end__",
        "edata",
        "_edata",
        "etext",
        "_etext",
        "__etext",
        "data_start",
        "__executable_start",
        "_sdata",
        "_sbss",
        "_ebss",
        "_sidata",
        "_estack",
    ];
    ends.iter().any(|prefix| name.starts_with(prefix)) || names.contains(&name)
}
