//! Why a clause is there: the tags of the proof log.

use palisade_sat::Tag;

/// Why a clause is there; the high half of its proof tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Rule {
    /// The constant true.
    True,
    /// Part of an asserted formula; the tag's low half is the formula.
    Input,
    /// Definition of a conjunction.
    And,
    /// Definition of an equivalence.
    Iff,
    /// Definition of a Boolean if-then-else.
    Ite,
    /// Definition of a bit gate.
    Bit,
    /// Definition of an arithmetic term (if-then-else, division, conversion); the low half is the term.
    Term,
    /// Definition of the 0/1 variable of a bit; the low half is the variable of arithmetic.
    Digit,
    /// An axiom of arrays.
    Array,
    /// A valid fact about a product or quotient.
    Nonlinear,
    /// A theory lemma of arithmetic; the low half is the number of its certificate, if certificates are kept.
    Arith,
    /// A split `x <= k or x >= k + 1`.
    Split,
}

impl Rule {
    /// The proof tag for this rule and a detail.
    pub fn tag(self, detail: u32) -> Tag {
        (self as u64) << 32 | u64::from(detail)
    }

    /// Splits a proof tag.
    pub fn of_tag(tag: Tag) -> (Rule, u32) {
        const RULES: [Rule; 12] = [
            Rule::True,
            Rule::Input,
            Rule::And,
            Rule::Iff,
            Rule::Ite,
            Rule::Bit,
            Rule::Term,
            Rule::Digit,
            Rule::Array,
            Rule::Nonlinear,
            Rule::Arith,
            Rule::Split,
        ];
        (RULES[(tag >> 32) as usize], tag as u32)
    }
}
