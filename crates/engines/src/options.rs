//! The one table of engine options: it feeds `--set`, `palisade options` and the documentation.

use std::collections::BTreeMap;

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Bool,
    /// A whole number from 0.
    Number,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Its name, `engine-or-part.option`.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// The value without `--set`.
    pub default: &'static str,
    /// One line for people.
    pub about: &'static str,
}

/// Every option there is.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "bmc.bound",
        kind: OptionKind::Number,
        default: "0",
        about: "stop after this many unrollings (0: never)",
    },
    OptionSpec {
        name: "kind.simple-path",
        kind: OptionKind::Bool,
        default: "false",
        about: "require the states of an induction path to be pairwise distinct",
    },
];

/// The values of all options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    set: BTreeMap<String, String>,
}

impl Options {
    /// All defaults.
    pub fn new() -> Options {
        Options::default()
    }

    /// Sets one option; an error says what is wrong with name or value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let Some(spec) = OPTIONS.iter().find(|o| o.name == name) else {
            return Err(format!("there is no option `{name}`; `palisade options` lists them"));
        };
        let good = match spec.kind {
            OptionKind::Bool => matches!(value, "true" | "false"),
            OptionKind::Number => value.parse::<u64>().is_ok(),
            OptionKind::Choice(words) => words.contains(&value),
        };
        if !good {
            return Err(format!("`{value}` is not a value for option `{name}` ({})", spec.about));
        }
        self.set.insert(name.into(), value.into());
        Ok(())
    }

    fn raw(&self, name: &str) -> &str {
        if let Some(v) = self.set.get(name) {
            return v;
        }
        OPTIONS
            .iter()
            .find(|o| o.name == name)
            .unwrap_or_else(|| panic!("option {name} is in the table"))
            .default
    }

    /// A Boolean option.
    pub fn bool(&self, name: &str) -> bool {
        self.raw(name) == "true"
    }

    /// A numeric option.
    pub fn number(&self, name: &str) -> u64 {
        self.raw(name).parse().expect("checked when set")
    }

    /// A choice.
    pub fn choice(&self, name: &str) -> &str {
        self.raw(name)
    }
}
