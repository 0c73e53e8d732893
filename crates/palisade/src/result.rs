//! The result line and its exit code. These words never change.

use std::fmt;

use palisade_front_ts::Dialect;
use palisade_verify::Language;

use crate::args::Format;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Final {
    /// The property holds.
    True,
    /// The named property is violated.
    False(String),
    /// Not decided, and why.
    Unknown(String),
}

impl Final {
    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Final::True => 0,
            Final::False(_) => 10,
            Final::Unknown(_) => 20,
        }
    }

    /// The last line of the output.
    pub fn line(&self, format: Format, language: Option<Language>) -> String {
        match (format, language) {
            (Format::Native | Format::Chc, Some(Language::Horn(dialect))) => match (self, dialect) {
                (Final::Unknown(_), _) => "unknown".into(),
                (Final::True, Dialect::Assertions) | (Final::False(_), Dialect::Rules) => "sat".into(),
                (Final::False(_), Dialect::Assertions) | (Final::True, Dialect::Rules) => "unsat".into(),
            },
            // The rest of the witness comes before.
            (Format::Hwmcc, _) if !matches!(self, Final::Unknown(_)) => ".".into(),
            (Format::Hwmcc, Some(Language::Btor2)) => "unknown".into(),
            (Format::Hwmcc, _) => "2".into(),
            (Format::Chc, _) => "unknown".into(),
            (Format::Svcomp, _) => match self {
                Final::True => "true".into(),
                Final::False(property) => format!("false({})", in_svcomp(property)),
                Final::Unknown(_) => "unknown".into(),
            },
            _ => format!("RESULT: {self}"),
        }
    }
}

impl fmt::Display for Final {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Final::True => write!(f, "TRUE"),
            Final::False(property) => write!(f, "FALSE({})", one_line(property)),
            Final::Unknown(reason) => write!(f, "UNKNOWN({})", one_line(reason)),
        }
    }
}

/// The name of a violated property in SV-COMP, where it has one.
fn in_svcomp(property: &str) -> String {
    match property {
        "assert" => "unreach-call".into(),
        "overflow" => "no-overflow".into(),
        "bounds" => "valid-deref".into(),
        other => one_line(other),
    }
}

/// The result is one line, whatever a solver or a file put into its reason.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_fixed() {
        let horn = Some(Language::Horn(Dialect::Assertions));
        let word = |f: &Final| f.line(Format::Palisade, horn);
        assert_eq!(word(&Final::True), "RESULT: TRUE");
        assert_eq!(word(&Final::False("assert".into())), "RESULT: FALSE(assert)");
        assert_eq!(word(&Final::Unknown("solver:\n died".into())), "RESULT: UNKNOWN(solver: died)");
        assert_eq!(Final::True.line(Format::Native, horn), "sat");
        assert_eq!(Final::False("x".into()).line(Format::Native, horn), "unsat");
        assert_eq!(Final::True.line(Format::Native, Some(Language::Horn(Dialect::Rules))), "unsat");
        assert_eq!(Final::True.line(Format::Native, Some(Language::C)), "RESULT: TRUE");
        assert_eq!(Final::Unknown("x".into()).line(Format::Hwmcc, Some(Language::Aiger)), "2");
        let svcomp = |f: Final| f.line(Format::Svcomp, Some(Language::C));
        assert_eq!(svcomp(Final::True), "true");
        assert_eq!(svcomp(Final::False("unreach-call".into())), "false(unreach-call)");
        assert_eq!(svcomp(Final::False("overflow".into())), "false(no-overflow)");
        assert_eq!(svcomp(Final::Unknown("timeout".into())), "unknown");
        assert_eq!(Final::True.line(Format::Chc, horn), "sat");
        assert_eq!(Final::Unknown("x".into()).line(Format::Chc, horn), "unknown");
        assert_eq!(Final::Unknown("x".into()).line(Format::Hwmcc, Some(Language::Btor2)), "unknown");
    }
}
