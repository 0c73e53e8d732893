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

/// One row of the table: an option that `--set` knows.
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

const fn flag(name: &'static str, default: &'static str, about: &'static str) -> OptionSpec {
    OptionSpec { name, kind: OptionKind::Bool, default, about }
}

const fn number(name: &'static str, default: &'static str, about: &'static str) -> OptionSpec {
    OptionSpec { name, kind: OptionKind::Number, default, about }
}

const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    default: &'static str,
    about: &'static str,
) -> OptionSpec {
    OptionSpec { name, kind: OptionKind::Choice(words), default, about }
}

/// Every option there is.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "seed",
        kind: OptionKind::Number,
        default: "0",
        about: "the seed of the native solver's first guesses (`--seed`; 0: no randomness)",
    },
    OptionSpec {
        name: "transform",
        kind: OptionKind::Choice(&["full", "light", "none"]),
        default: "full",
        about: "how the program is prepared: with large blocks, without them, not at all",
    },
    flag(
        "control",
        "true",
        "turn Booleans that are a program counter into locations when the program is prepared",
    ),
    flag("phases", "true", "give each phase of a loop a location of its own when the program is prepared"),
    OptionSpec {
        name: "solvers",
        kind: OptionKind::Choice(&["edge", "location"]),
        default: "edge",
        about: "IC3: one incremental solver for each edge, or one that the edges leaving a location share",
    },
    flag("background.affine", "true", "find affine equalities before the engine starts"),
    flag("background.congruence", "true", "find congruences before the engine starts"),
    flag(
        "background.houdini",
        "true",
        "find inductive comparisons from the program's text before the engine starts",
    ),
    flag("background.parity", "true", "find affine relations modulo two before the engine starts"),
    number("bmc.bound", "0", "stop after this many unrollings (0: never)"),
    flag("generalize.cache", "true", "try a known lemma of a lower level before generalising anew"),
    flag("generalize.core", "true", "keep only the literals that the blocking queries needed"),
    flag("generalize.ctg", "true", "block counterexamples to generalisation"),
    flag("generalize.farkas", "true", "replace pairs of inequalities by positive combinations"),
    flag("generalize.interpolants", "false", "try interpolants of the blocking queries as lemmas"),
    flag("generalize.mic", "true", "drop literals one at a time"),
    flag("generalize.relax", "false", "move the constants of inequalities outward"),
    flag("generalize.split-equalities", "true", "split equalities into two inequalities"),
    flag(
        "generalize.variables",
        "true",
        "drop the literals over variables that the weakest precondition does not mention, in one query",
    ),
    flag("ic3.guidance", "true", "conjecture hulls and relations of lemmas that differ in constants"),
    choice(
        "ic3.predecessor",
        &["project", "wp", "state"],
        "project",
        "predecessors: projected implicant, exact weakest precondition, or lifted state",
    ),
    flag("ic3.progressions", "true", "conjecture the step of lemmas whose coefficients grow"),
    flag("ic3.reenqueue", "true", "ask blocked obligations again at higher levels"),
    flag(
        "ic3.walk",
        "true",
        "run the program in search of a long counterexample whenever the work has doubled",
    ),
    flag("kind.simple-path", "false", "require the states of an induction path to be pairwise distinct"),
    flag("pdr-cfg.core", "true", "reduce blocked obligations to the literals their queries needed"),
    flag(
        "pdr-cfg.dnf",
        "true",
        "one obligation per cube of the weakest precondition's disjunctive normal form",
    ),
    flag("pdr-cfg.interpolants", "false", "learn interpolants between frames and obligations"),
    flag("pdr-cfg.syntactic", "true", "drop parts of obligations that the frame already contains"),
];

/// The values of all options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    set: BTreeMap<String, String>,
}

impl Options {
    /// Every option at its default.
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

    /// The word chosen for an option that takes one of several.
    pub fn choice(&self, name: &str) -> &str {
        self.raw(name)
    }
}
