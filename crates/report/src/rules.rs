//! What each property of a C program is about, for formats that explain it: one row for each name that a
//! result line can have.
//!
//! Entry point: [`find`].

/// A property in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name in result lines. It never changes.
    pub id: &'static str,
    /// What a violation is, in a few words.
    pub violation: &'static str,
    /// What it means.
    pub about: &'static str,
    /// The entry of the Common Weakness Enumeration that fits best: number and name.
    pub cwe: Option<(u32, &'static str)>,
}

const REACHABLE_ASSERTION: Option<(u32, &str)> = Some((617, "Reachable Assertion"));
const BUFFER: Option<(u32, &str)> =
    Some((119, "Improper Restriction of Operations within the Bounds of a Memory Buffer"));

/// All properties that have a name of their own.
pub const RULES: &[Rule] = &[
    Rule {
        id: "assert",
        violation: "assertion fails",
        about: "The condition of an assertion is false in some run.",
        cwe: REACHABLE_ASSERTION,
    },
    Rule {
        id: "unreach-call",
        violation: "error function is called",
        about: "A function that must not be called is called in some run.",
        cwe: REACHABLE_ASSERTION,
    },
    Rule {
        id: "unreach-label",
        violation: "error label is reached",
        about: "A label that must not be reached is reached in some run.",
        cwe: REACHABLE_ASSERTION,
    },
    Rule {
        id: "annotation",
        violation: "annotation is wrong",
        about: "An invariant or contract that the text states does not hold in some run.",
        cwe: REACHABLE_ASSERTION,
    },
    Rule {
        id: "overflow",
        violation: "signed integer overflow",
        about: "The result of a signed operation does not fit its type, which C leaves undefined.",
        cwe: Some((190, "Integer Overflow or Wraparound")),
    },
    Rule {
        id: "div-by-zero",
        violation: "division by zero",
        about: "The divisor of a division or remainder is zero in some run.",
        cwe: Some((369, "Divide By Zero")),
    },
    Rule {
        id: "bounds",
        violation: "access outside an object",
        about: "An access through a pointer or index is outside the object that it is meant for.",
        cwe: BUFFER,
    },
    Rule {
        id: "valid-deref",
        violation: "invalid dereference",
        about: "A pointer is dereferenced that does not point into a living object.",
        cwe: BUFFER,
    },
    Rule {
        id: "valid-free",
        violation: "invalid free",
        about: "A pointer is freed that does not point to the start of a living block.",
        cwe: Some((763, "Release of Invalid Pointer or Reference")),
    },
    Rule {
        id: "valid-memtrack",
        violation: "lost memory",
        about: "The last pointer to an allocated block is lost.",
        cwe: Some((401, "Missing Release of Memory after Effective Lifetime")),
    },
    Rule {
        id: "valid-memcleanup",
        violation: "memory is not freed",
        about: "The program ends before it has freed all allocated blocks.",
        cwe: Some((401, "Missing Release of Memory after Effective Lifetime")),
    },
    Rule {
        id: "termination",
        violation: "a run need not end",
        about: "A run comes to a state in which it was before, and may repeat what it did for ever.",
        cwe: Some((835, "Loop with Unreachable Exit Condition ('Infinite Loop')")),
    },
    Rule {
        id: "shift",
        violation: "undefined shift",
        about: "A shift amount is out of range, or a signed left shift loses value bits.",
        cwe: Some((1335, "Incorrect Bitwise Shift of Integer")),
    },
];

/// A violated property whose name says nothing in general: of a Horn clause, a circuit.
const OTHER: Rule = Rule {
    id: "property",
    violation: "property is violated",
    about: "Some run violates a property that the input states.",
    cwe: None,
};

/// The row of a property.
pub fn find(property: &str) -> Rule {
    RULES.iter().copied().find(|r| r.id == property).unwrap_or(OTHER)
}
