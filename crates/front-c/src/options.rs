//! What the caller decides: data model, integer semantics, properties, preprocessor settings.
//!
//! Everything that decides what the program *means* is here, and is written into certificates of C programs;
//! see [`COptions`].

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

pub use crate::types::DataModel;

/// How C integers are modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IntMode {
    /// Mathematical integers: types are ignored, nothing wraps, nothing is out of range.
    Math,
    /// Exact C values over mathematical integers.
    #[default]
    C,
    /// Bit-vectors throughout.
    Bv,
}

/// What an access to memory means that C leaves undefined: through a null, dangling or uninitialised pointer,
/// outside an object, a call through a bad function pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UndefinedMemory {
    /// An edge of its own kind into the error location: no proof assumes that it cannot be taken.
    #[default]
    Report,
    /// A read gives any value, a write changes nothing that the program owns. This is how SV-COMP interprets
    /// `unreach-call`.
    Arbitrary,
    /// Such runs do not exist.
    Assume,
}

impl UndefinedMemory {
    /// Its name on command lines and in certificates.
    pub fn name(self) -> &'static str {
        match self {
            UndefinedMemory::Report => "report",
            UndefinedMemory::Arbitrary => "arbitrary",
            UndefinedMemory::Assume => "assume",
        }
    }
}

/// What is left out because the property cannot see it; see [`crate::slice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Slicing {
    /// Nothing.
    #[default]
    Off,
    /// Only what comes to its end in every run: violations of the slice are violations of the program.
    Careful,
    /// Everything, of a large program; others carefully.
    On,
}

impl Slicing {
    /// Its name on command lines and in certificates.
    pub fn name(self) -> &'static str {
        match self {
            Slicing::Off => "off",
            Slicing::Careful => "careful",
            Slicing::On => "on",
        }
    }
}

/// Which violations are errors. What is not checked is assumed absent (a path with such an undefined
/// behaviour is cut).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Functions whose call is an error.
    pub error_functions: BTreeSet<String>,
    /// `assert`, `__assert_fail`: an error; otherwise a failed assertion ends the program.
    pub assertions: bool,
    /// A label that must not be reached, in any function.
    pub error_label: Option<String>,
    /// Signed overflow.
    pub overflow: bool,
    /// Division and remainder by zero.
    pub division: bool,
    /// Accesses outside arrays and objects, null dereference.
    pub bounds: bool,
    /// Shift amounts out of range, left shifts that lose value bits of signed numbers.
    pub shift: bool,
    /// Every access to memory is to an object that exists, and inside it. As `bounds`, with the name that
    /// SV-COMP has for it, and beside it: memory that nobody knows to be valid is unsupported.
    pub deref: bool,
    /// Only blocks that are allocated are freed, and only once.
    pub free: bool,
    /// No block is lost: until it is freed, the program can reach it.
    pub track: bool,
    /// Every block is freed before the program ends.
    pub cleanup: bool,
    /// Every run ends. It is asked about alone: nothing is an error then but what is unsupported or
    /// undefined.
    pub termination: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            error_functions: BTreeSet::from(["reach_error".into(), "__VERIFIER_error".into()]),
            assertions: true,
            error_label: None,
            overflow: false,
            division: false,
            bounds: false,
            shift: false,
            deref: false,
            free: false,
            track: false,
            cleanup: false,
            termination: false,
        }
    }
}

impl Checks {
    /// No property at all.
    pub fn none() -> Checks {
        Checks { error_functions: BTreeSet::new(), assertions: false, ..Checks::default() }
    }

    /// Is a property of memory safety among them, in the sense of SV-COMP?
    pub fn memory(&self) -> bool {
        self.deref || self.free || self.leaks()
    }

    /// Does it matter whether blocks are freed?
    pub fn leaks(&self) -> bool {
        self.track || self.cleanup
    }

    /// The property that an undefined access to memory violates.
    pub fn access(&self) -> Option<&'static str> {
        match (self.deref, self.bounds) {
            (true, _) => Some("valid-deref"),
            (false, true) => Some("bounds"),
            _ => None,
        }
    }

    /// Reads a list such as `assert,overflow,div-by-zero,bounds,shift,memory,leaks,call(f)`. What
    /// [`Display`](fmt::Display) writes is read as the same.
    pub fn parse(list: &str) -> Result<Checks, String> {
        let mut checks = Checks::none();
        for word in list.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            match word {
                "assert" => {
                    checks.assertions = true;
                    checks.error_functions.extend(Checks::default().error_functions);
                }
                "overflow" => checks.overflow = true,
                "div-by-zero" => checks.division = true,
                "bounds" => checks.bounds = true,
                "shift" => checks.shift = true,
                "memory" => (checks.deref, checks.free) = (true, true),
                "leaks" | "valid-memtrack" => checks.track = true,
                "valid-deref" => checks.deref = true,
                "valid-free" => checks.free = true,
                "valid-memcleanup" => checks.cleanup = true,
                "termination" => checks.termination = true,
                other => match (argument(other, "call("), argument(other, "label(")) {
                    (Some(function), _) => drop(checks.error_functions.insert(function.into())),
                    (_, Some(label)) => checks.error_label = Some(label.into()),
                    _ => {
                        return Err(format!(
                            "unknown check `{other}` (known: assert, overflow, div-by-zero, bounds, shift, \
                                memory, leaks, valid-deref, valid-free, valid-memtrack, valid-memcleanup, \
                                termination, call(FUNCTION), label(NAME))"
                        ));
                    }
                },
            }
        }
        if checks == Checks::none() {
            return Err("no check is named: everything would hold".into());
        }
        checks.alone()
    }

    /// Whether runs end is another question than what happens in them.
    fn alone(self) -> Result<Checks, String> {
        let termination = Checks { termination: true, ..Checks::none() };
        if self.termination && self != termination {
            return Err("`termination` is checked alone, without other properties".into());
        }
        Ok(self)
    }

    /// The properties in the notation of SV-COMP, as far as it has one: `G ! call(reach_error())`.
    pub fn specification(&self) -> String {
        let flags = [
            (self.assertions, "G assert"),
            (self.overflow, "G ! overflow"),
            (self.division, "G ! div-by-zero"),
            (self.free, "G valid-free"),
            (self.deref || self.bounds, "G valid-deref"),
            (self.track, "G valid-memtrack"),
            (self.cleanup, "G valid-memcleanup"),
            (self.shift, "G ! shift"),
            (self.termination, "F end"),
        ];
        let functions = self.error_functions.iter().map(|f| format!("G ! call({f}())"));
        let label = self.error_label.iter().map(|l| format!("G ! label({l})"));
        let flags = flags.iter().filter(|x| x.0).map(|x| x.1.to_string());
        functions.chain(label).chain(flags).collect::<Vec<_>>().join(" && ")
    }

    /// Reads the text of an SV-COMP property file: `unreach-call` for any function, `unreach-label`,
    /// `no-overflow`, `valid-deref`, `valid-free`, `valid-memtrack`, `valid-memcleanup` or `termination`, one
    /// on each line.
    pub fn from_property_file(text: &str) -> Result<Checks, String> {
        let mut checks = Checks::none();
        let mut any = false;
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            any = true;
            let formula = compact
                .strip_prefix("CHECK(init(main()),LTL(")
                .and_then(|s| s.strip_suffix("))"))
                .ok_or_else(|| format!("neither a safety property of main nor termination: `{line}`"))?;
            checks.add(formula).ok_or_else(|| format!("unsupported property `{line}`"))?;
        }
        if any { checks.alone() } else { Err("the property file states no property".into()) }
    }

    /// Reads what [`Checks::specification`] writes: formulas that are joined by `&&`, alone or each in
    /// `CHECK( init(f()), LTL(...) )`. With it comes the function where runs begin, if it is named.
    pub fn from_specification(text: &str) -> Result<(Checks, Option<String>), String> {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let unknown = || format!("unsupported specification `{}`", text.trim());
        let (mut checks, mut entry, mut formulas) = (Checks::none(), None, Vec::new());
        let mut rest = compact.as_str();
        while let Some(inner) = rest.strip_prefix("CHECK(init(") {
            let (function, inner) = inner.split_once("()),LTL(").ok_or_else(unknown)?;
            // A formula ends where the next one begins, or with the text.
            let end = inner.find("CHECK(").unwrap_or(inner.len());
            formulas.push(inner[..end].strip_suffix("))").ok_or_else(unknown)?);
            if entry.replace(function.to_string()).is_some_and(|e| e != function) {
                return Err(unknown());
            }
            rest = &inner[end..];
        }
        if !rest.is_empty() || formulas.is_empty() {
            formulas.push(rest);
        }
        for formula in formulas.iter().flat_map(|f| f.split("&&")) {
            checks.add(formula).ok_or_else(unknown)?;
        }
        Ok((checks.alone()?, entry))
    }

    /// Adds a formula of SV-COMP, without white space; `None` if it is not known.
    fn add(&mut self, formula: &str) -> Option<()> {
        match formula {
            "Fend" => self.termination = true,
            "Gassert" => self.assertions = true,
            "G!overflow" => self.overflow = true,
            "G!div-by-zero" => self.division = true,
            "G!shift" => self.shift = true,
            "Gvalid-deref" => self.deref = true,
            "Gvalid-free" => self.free = true,
            "Gvalid-memtrack" => self.track = true,
            "Gvalid-memcleanup" => self.cleanup = true,
            _ => {
                let is_name = |f: &&str| !f.is_empty() && !f.contains(['(', ')', '|', '&', '!']);
                let function = formula.strip_prefix("G!call(").and_then(|s| s.strip_suffix("())"));
                match (function.filter(is_name), argument(formula, "G!label(").filter(is_name)) {
                    (Some(f), _) => drop(self.error_functions.insert(f.to_string())),
                    (_, Some(label)) => self.error_label = Some(label.to_string()),
                    _ => return None,
                }
            }
        }
        Some(())
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let implied = if self.assertions { Checks::default().error_functions } else { BTreeSet::new() };
        let flags = [
            (self.assertions, "assert"),
            (self.overflow, "overflow"),
            (self.division, "div-by-zero"),
            (self.bounds, "bounds"),
            (self.shift, "shift"),
            (self.deref && self.free, "memory"),
            (self.deref && !self.free, "valid-deref"),
            (self.free && !self.deref, "valid-free"),
            (self.track, "leaks"),
            (self.cleanup, "valid-memcleanup"),
            (self.termination, "termination"),
        ];
        let mut words: Vec<String> = flags.iter().filter(|x| x.0).map(|x| x.1.to_string()).collect();
        let others = self.error_functions.iter().filter(|name| !implied.contains(*name));
        words.extend(others.map(|name| format!("call({name})")));
        words.extend(self.error_label.iter().map(|name| format!("label({name})")));
        f.write_str(&words.join(","))
    }
}

/// What is between the parentheses of a word such as `call(f)`.
fn argument<'w>(word: &'w str, head: &str) -> Option<&'w str> {
    word.strip_prefix(head)?.strip_suffix(')').map(str::trim)
}

/// What global variables hold when verification begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Globals {
    /// Their initial values, as the program starts.
    Zero,
    /// Any values: the function may be called at any time.
    Any,
}

impl Globals {
    /// Its name on command lines and in certificates.
    pub fn name(self) -> &'static str {
        match self {
            Globals::Zero => "zero",
            Globals::Any => "any",
        }
    }
}

/// The state in which verification begins, of a function other than `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Global variables.
    pub globals: Globals,
    /// How many elements the object of a pointer argument has.
    pub elements: u64,
    /// So many levels of pointers have objects: 1 are the arguments, 2 also the pointers in their objects.
    pub depth: u32,
    /// These pointers can also be null.
    pub null: bool,
}

impl Default for Entry {
    fn default() -> Self {
        Entry { globals: Globals::Any, elements: 1, depth: 2, null: false }
    }
}

/// How a build preprocesses a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFlags {
    /// The file.
    pub file: PathBuf,
    /// Its words for the preprocessor, in order.
    pub words: Vec<String>,
}

/// Settings of a translation.
#[derive(Clone, Debug)]
pub struct COptions {
    /// Sizes of types.
    pub data_model: DataModel,
    /// Integer semantics.
    pub int_mode: IntMode,
    /// Signed arithmetic wraps around instead of being assumed (or checked) not to overflow.
    pub signed_wrap: bool,
    /// The properties.
    pub checks: Checks,
    /// Undefined accesses to memory.
    pub undefined: UndefinedMemory,
    /// `malloc` and `calloc` may return a null pointer.
    pub malloc_fails: bool,
    /// Places of annotations that are assumed about the first call.
    pub required: Vec<String>,
    /// `-I` for the preprocessor.
    pub include_dirs: Vec<PathBuf>,
    /// `-D` for the preprocessor.
    pub defines: Vec<String>,
    /// More words for the preprocessor, for each file: where a build is told from.
    pub flags: Vec<FileFlags>,
    /// `--std` for the preprocessor.
    pub std: Option<String>,
    /// The preprocessor command.
    pub preprocessor: String,
    /// The user's compiler is asked to confirm what the translation relied on.
    pub confirm: bool,
    /// Where execution begins.
    pub function: String,
    /// The state there, of a function other than `main`.
    pub entry: Entry,
    /// How often a function may be on the call stack at once before the path is given up (as unknown).
    pub recursion_bound: u32,
    /// Recursive calls are not expanded further once the program has this many statements.
    pub recursion_budget: usize,
    /// Instead, those of a function are not expanded once all calls of it have this many.
    pub recursion_apart: bool,
    /// A program that has more statements than this after inlining is refused.
    pub max_nodes: usize,
    /// At most this many statements are joined into one edge.
    pub statements_per_edge: usize,
    /// What the property cannot see is left out, where that is possible.
    pub slice: Slicing,
    /// Arrays of at most this many cells that are only indexed by constants become separate variables.
    pub scalarise: u64,
}

impl COptions {
    /// The words of the build for a file. The flags of a single file are those of the input, whatever its
    /// name is now.
    pub(crate) fn flags_of(&self, path: &Path) -> &[String] {
        let same = |f: &&FileFlags| {
            f.file == path || matches!((f.file.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b)
        };
        match (self.flags.iter().find(same), &self.flags[..]) {
            (Some(flags), _) | (None, [flags]) => &flags.words,
            (None, _) => &[],
        }
    }

    /// Is the text C23? Some of its keywords are names in earlier standards.
    pub(crate) fn is_c23(&self) -> bool {
        let newest = ["c2x", "gnu2x", "c23", "gnu23", "iso9899:2024"];
        self.std.as_deref().is_some_and(|s| newest.contains(&s))
    }

    /// Is the text C90? Its integer constants have other types, and its `if` and loops are no blocks.
    pub(crate) fn is_c90(&self) -> bool {
        let oldest = ["c89", "c90", "gnu89", "gnu90", "iso9899:1990", "iso9899:199409"];
        self.std.as_deref().is_some_and(|s| oldest.contains(&s))
    }

    /// Does a run go on after an undefined access to memory, which reads any value and changes nothing that
    /// the program owns?
    pub(crate) fn goes_on(&self) -> bool {
        self.checks.access().is_none() && self.undefined == UndefinedMemory::Arbitrary
    }

    /// Is no undefined behaviour a violation, and do runs go on after an undefined access?
    pub(crate) fn ignores_undefined(&self) -> bool {
        let checks = &self.checks;
        let checked = checks.overflow || checks.division || checks.bounds || checks.shift || checks.memory();
        !checked && self.undefined == UndefinedMemory::Arbitrary
    }

    /// Does a block end when it is freed? Otherwise it is assumed that nobody uses it any more.
    pub(crate) fn sees_free(&self) -> bool {
        let checked = self.checks.access().is_some() || self.checks.memory();
        checked || self.undefined != UndefinedMemory::Arbitrary
    }
}

impl Default for COptions {
    fn default() -> Self {
        COptions {
            data_model: DataModel::default(),
            int_mode: IntMode::default(),
            signed_wrap: false,
            checks: Checks::default(),
            undefined: UndefinedMemory::default(),
            malloc_fails: false,
            required: Vec::new(),
            include_dirs: Vec::new(),
            defines: Vec::new(),
            flags: Vec::new(),
            std: None,
            preprocessor: "gcc".into(),
            confirm: true,
            function: "main".into(),
            entry: Entry::default(),
            recursion_bound: 24,
            recursion_budget: 6_000,
            recursion_apart: false,
            max_nodes: 2_000_000,
            statements_per_edge: 16,
            slice: Slicing::Off,
            scalarise: 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_properties() {
        let c = Checks::from_property_file("CHECK( init(main()), LTL(G ! call(reach_error())) )\n").unwrap();
        assert_eq!(c.to_string(), "call(reach_error)");
        let c = Checks::from_property_file("CHECK( init(main()), LTL(G ! label(ERROR)) )\n").unwrap();
        assert_eq!(c.error_label.as_deref(), Some("ERROR"));
        assert!(!c.assertions && !c.overflow);
        assert!(Checks::from_property_file("CHECK( init(main()), LTL(G ! overflow) )").unwrap().overflow);
        let ends = Checks::from_property_file("CHECK( init(main()), LTL(F end) )").unwrap();
        assert_eq!((ends.to_string(), ends.specification()), ("termination".into(), "F end".into()));
        assert!(Checks::from_property_file("CHECK( init(main()), LTL(GF end) )").is_err());
        assert!(Checks::parse("termination,overflow").is_err());
        assert!(Checks::from_property_file("").is_err());
        assert!(Checks::parse("assert,bounds").unwrap().bounds);
        assert!(Checks::parse("asserts").is_err());
        for list in [
            "assert",
            "overflow",
            "call(f)",
            "call(f),assert,div-by-zero,bounds,shift",
            "label(L)",
            "memory,leaks",
            "valid-free",
            "valid-deref,valid-memcleanup",
            "termination",
        ] {
            let checks = Checks::parse(list).unwrap();
            assert_eq!(Checks::parse(&checks.to_string()), Ok(checks), "{list}");
        }
        assert_eq!(Checks::default().to_string(), "assert");
        for list in [
            "overflow,div-by-zero",
            "call(f),label(L)",
            "memory,leaks",
            "valid-memcleanup,shift",
            "termination",
        ] {
            let checks = Checks::parse(list).unwrap();
            assert_eq!(Checks::from_specification(&checks.specification()), Ok((checks, None)), "{list}");
        }
        assert!(Checks::parse("").is_err() && Checks::parse(" ,").is_err());
    }

    #[test]
    fn specifications_are_read_or_refused() {
        let read = |text: &str| Checks::from_specification(text).map(|c| c.0.to_string());
        assert_eq!(read("G ! call(reach_error())").unwrap(), "call(reach_error)");
        let all = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )";
        assert_eq!(read(all).unwrap(), "memory");
        assert_eq!(read("G valid-memtrack && G ! overflow && G assert").unwrap(), "assert,overflow,leaks");
        let (other, entry) = Checks::from_specification("CHECK( init(f()), LTL(G ! call(g())) )").unwrap();
        assert_eq!((entry.as_deref(), other.to_string()), (Some("f"), "call(g)".into()));
        for wrong in [
            "",
            "hello",
            "G asert",
            "G ! call(reach_error)",
            "G valid-memsafety",
            "G ! data-race",
            "G def-behavior",
            "CHECK( init(main()), LTL(G assert)",
            "G assert && ",
            "G ! call(f()) || G assert",
            "CHECK( init(f()), LTL(G assert) ) CHECK( init(g()), LTL(G assert) )",
            "F end && G assert",
        ] {
            assert!(Checks::from_specification(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn reads_properties_of_memory() {
        let line = |name: &str| format!("CHECK( init(main()), LTL(G {name}) )\n");
        let all = line("valid-free") + &line("valid-deref") + &line("valid-memtrack");
        assert_eq!(Checks::from_property_file(&all).unwrap().to_string(), "memory,leaks");
        let cleanup = Checks::from_property_file(&line("valid-memcleanup")).unwrap();
        assert_eq!(cleanup.to_string(), "valid-memcleanup");
        assert!(cleanup.leaks() && cleanup.memory() && cleanup.access().is_none());
        let deref = Checks::from_property_file(&line("valid-deref")).unwrap();
        assert_eq!((deref.access(), deref.to_string()), (Some("valid-deref"), "valid-deref".into()));
        assert_eq!(Checks::parse("bounds").unwrap().access(), Some("bounds"));
        for wrong in ["valid-everything", "! valid-deref", "bounds", "leaks"] {
            assert!(Checks::from_property_file(&line(wrong)).is_err(), "{wrong}");
        }
    }
}
