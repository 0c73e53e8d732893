//! The user's compiler confirms what the translation relied on: sizes, alignments, offsets, values of
//! constants, types of integer expressions.
//!
//! While it lowers a program, `lower::relied` writes down `Fact`s: a C expression together with its value or
//! its integer type, and a place in the program where that expression means the same. Here every fact becomes
//! a `_Static_assert` at its place in the preprocessed text, and the compiler checks the result
//! (`-fsyntax-only`). Each assertion has a line of its own; a line marker gives that line the number of the
//! fact. An assertion that fails is a difference. Further assertions then find out the compiler's value or
//! type, bit by bit.
//!
//! Invariants: the inserted text declares nothing, so the rest of the program means what it did. A program
//! that the compiler rejects confirms nothing, but is not a difference either. Assertions that the compiler
//! cannot evaluate are not differences; they are counted.
//!
//! Entry point: `confirm`. Not checked: the bits that a bit-field occupies, types whose width has no name
//! (bit-fields of 40 bits), expressions that contain braces (a copy of them would define things twice), and
//! parameter lists.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{ErrorKind, Write as _};
use std::process::{Command, Output, Stdio};

use palisade_program::Position;
use rustc_hash::FxHashSet;

use crate::dialect::for_compiler;
use crate::options::{COptions, DataModel};
use crate::source::{Source, bytes_of};
use crate::types::IntType;

/// What the front-end claims about an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Claim {
    /// An integer constant expression has this value.
    Value(i128),
    /// An expression has this integer type.
    Type(IntType),
}

/// Where an assertion can stand so that names mean what they do in its expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Site {
    /// Between declarations or statements.
    Offset(u32),
    /// In a new block around the statement between these offsets.
    Around(u32, u32),
}

/// Something the front-end relied on.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    unit: u32,
    site: Site,
    /// What it is about, for messages.
    at: u32,
    text: String,
    claim: Claim,
}

/// All that a translation relied on.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    list: Vec<Fact>,
    left_out: usize,
    seen: FxHashSet<(u32, String, Claim)>,
}

impl Facts {
    /// Adds a fact, unless it was added in this scope before.
    pub(crate) fn add(&mut self, scope: u32, unit: u32, site: Site, at: u32, text: String, claim: Claim) {
        if self.seen.insert((scope, text.clone(), claim)) {
            self.list.push(Fact { unit, site, at, text, claim });
        }
    }

    /// How many facts there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Drops the facts after the first `len`: what they are about is refused, and nothing relies on it.
    pub(crate) fn forget(&mut self, len: usize) {
        self.left_out += self.list.len() - len;
        self.list.truncate(len);
        // A later fact must not be left out because one that is forgotten said the same.
        let kept: FxHashSet<&str> = self.list.iter().map(|f| f.text.as_str()).collect();
        self.seen.retain(|(_, text, _)| kept.contains(text.as_str()));
    }

    /// Counts something that cannot be asked.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }
}

/// What the compiler said about the translation.
#[derive(Clone, Debug)]
pub enum Confirmation {
    /// It was not asked.
    Off,
    /// No compiler was found.
    NoCompiler,
    /// The compiler rejects the program. Its first message.
    NotAccepted(String, String),
    /// All facts that could be checked are confirmed.
    Confirmed {
        /// The compiler, with its version.
        compiler: String,
        /// Facts that were confirmed.
        facts: usize,
        /// Facts that could not be checked.
        left_out: usize,
    },
    /// The compiler gives some expressions another value or type.
    Different(String, Vec<Difference>),
}

/// An expression for which the front-end and the compiler have different values or types.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where it stands.
    pub position: Position,
    /// The expression.
    pub text: String,
    /// The value or type in the front-end.
    pub ours: String,
    /// The value or type in the compiler.
    pub theirs: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { position, text, ours, theirs } = self;
        let text = for_compiler(text);
        write!(f, "{position}: `{text}` is {ours} in the translation, {theirs} for the compiler")
    }
}

impl fmt::Display for Confirmation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Confirmation::Off => write!(f, "the translation was not compared with a compiler"),
            Confirmation::NoCompiler => write!(f, "the translation was not confirmed: no compiler was found"),
            Confirmation::NotAccepted(compiler, why) => {
                write!(f, "the translation was not confirmed: {compiler} does not accept the program ({why})")
            }
            Confirmation::Confirmed { compiler, facts, left_out } => {
                write!(f, "{compiler} confirms {facts} facts about types, layouts and constants")?;
                if *left_out > 0 {
                    write!(f, "; {left_out} could not be asked")?;
                }
                Ok(())
            }
            Confirmation::Different(compiler, list) => {
                write!(f, "the translation differs from {compiler}")?;
                list.iter().try_for_each(|d| write!(f, "\n  {d}"))
            }
        }
    }
}

/// At most this many differences are looked into.
const SHOWN: usize = 5;
/// The name of the file that assertions pretend to be in.
const FILE: &str = "<palisade>";

/// Facts that hold for every program of a data model. They are stated at the end of each text.
fn basics(model: DataModel) -> Vec<(String, Claim)> {
    let word = i128::from(model.word() / 8);
    let values: [(&str, i128); 14] = [
        ("(unsigned char)-1", 255),
        ("(char)-1", -1),
        ("sizeof(short)", 2),
        ("sizeof(int)", 4),
        ("sizeof(long)", word),
        ("sizeof(long long)", 8),
        ("sizeof(void *)", word),
        ("sizeof(_Bool)", 1),
        ("-1 >> 1", -1),
        ("-5 / 2", -2),
        ("-5 % 2", -1),
        ("(signed char)200", -56),
        ("(int)4294967295u", -1),
        ("(_Bool)256", 1),
    ];
    values.iter().map(|(text, value)| (text.to_string(), Claim::Value(*value))).collect()
}

/// Asks a compiler about all facts. `skip` is the number of units at the front that are not the user's.
pub(crate) fn confirm(facts: &Facts, sources: &[Source], skip: usize, options: &COptions) -> Confirmation {
    let Some(compiler) = Compiler::find(options) else { return Confirmation::NoCompiler };
    let (mut asked, mut left_out, mut differences) = (0, facts.left_out, Vec::new());
    for (i, source) in sources.iter().enumerate().skip(skip) {
        let end = source.text.len() as u32;
        let mut list: Vec<Fact> = facts.list.iter().filter(|f| f.unit as usize == i).cloned().collect();
        list.extend(basics(options.data_model).into_iter().map(|(text, claim)| Fact {
            unit: i as u32,
            site: Site::Offset(end),
            at: 0,
            text,
            claim,
        }));
        let all: Vec<usize> = (0..list.len()).collect();
        let answer = compiler.ask(&with_assertions(source, &list, &all, options.data_model));
        if let Some(why) = answer.refused {
            return Confirmation::NotAccepted(compiler.name(), why);
        }
        asked += list.len() - answer.unclear.len() - answer.failed.len();
        left_out += answer.unclear.len();
        for &n in &answer.failed {
            if differences.len() >= SHOWN {
                break;
            }
            match list.get(n).and_then(|fact| compiler.difference(source, fact, options.data_model)) {
                Some(difference) => differences.push(difference),
                None => asked += 1,
            }
        }
    }
    if differences.is_empty() {
        Confirmation::Confirmed { compiler: compiler.name(), facts: asked, left_out }
    } else {
        Confirmation::Different(compiler.name(), differences)
    }
}

/// The program with the assertions of some facts, each on the line of its number.
fn with_assertions(source: &Source, facts: &[Fact], which: &[usize], model: DataModel) -> Vec<u8> {
    insert(source, facts, which, |fact| vec![assertion(&fact.text, fact.claim, model)])
}

/// The program with lines at the places of facts. A fact's lines have its number; if it is alone, they are
/// numbered from 0 on.
fn insert(source: &Source, facts: &[Fact], which: &[usize], lines: impl Fn(&Fact) -> Vec<String>) -> Vec<u8> {
    let alone = which.len() == 1;
    // Text by offset; openings of blocks come before plain lines at the same offset, and closings before
    // both.
    let mut inserted: BTreeMap<(u32, u8), String> = BTreeMap::new();
    let mut opened = BTreeSet::new();
    for &n in which {
        let fact = &facts[n];
        let mut text = String::new();
        for (k, line) in lines(fact).into_iter().enumerate() {
            text.push_str(&format!("\n# {} \"{FILE}\"\n{line}\n", if alone { k } else { n } + 1));
        }
        match fact.site {
            Site::Offset(at) => inserted.entry((at, 2)).or_default().push_str(&text),
            Site::Around(from, to) => {
                if opened.insert((from, to)) {
                    inserted.entry((from, 1)).or_default().insert(0, '{');
                    inserted.entry((to, 0)).or_default().push('}');
                }
                inserted.entry((from, 1)).or_default().push_str(&text);
            }
        }
    }
    let mut out = String::with_capacity(source.text.len() + 64 * which.len());
    let mut done = 0;
    for ((at, _), text) in inserted {
        let at = at as usize;
        out.push_str(&source.text[done..at]);
        out.push_str(&text);
        if text.contains('\n') {
            out.push_str("\n# 1 \"program\"\n");
        }
        done = at;
    }
    out.push_str(&source.text[done..]);
    bytes_of(&for_compiler(&out))
}

fn assertion(text: &str, claim: Claim, model: DataModel) -> String {
    match claim {
        Claim::Value(v) => format!("_Static_assert(({text}) == {}, \"\");", literal(v)),
        Claim::Type(t) => {
            let names: String = names(t, model).iter().map(|name| format!("{name}: 1, ")).collect();
            format!("_Static_assert(_Generic(({text}), {names}default: 0), \"\");")
        }
    }
}

fn literal(v: i128) -> String {
    match i64::try_from(v) {
        Ok(i64::MIN) => "(-9223372036854775807LL - 1)".into(),
        Ok(v) => format!("({v}LL)"),
        Err(_) if u64::try_from(v).is_ok() => format!("{v}ULL"),
        Err(_) => {
            let (high, low) = ((v >> 64) as u64, v as u64);
            format!("(__int128)((unsigned __int128){high}ULL << 64 | {low}ULL)")
        }
    }
}

/// The C types that an integer type stands for.
fn names(t: IntType, model: DataModel) -> &'static [&'static str] {
    match (t.boolean, t.bits, t.signed, model) {
        (true, ..) => &["_Bool"],
        (_, 8, true, _) => &["char", "signed char"],
        (_, 8, false, _) => &["unsigned char"],
        (_, 16, true, _) => &["short"],
        (_, 16, false, _) => &["unsigned short"],
        (_, 32, true, DataModel::Ilp32) => &["int", "long"],
        (_, 32, true, DataModel::Lp64) => &["int"],
        (_, 32, false, DataModel::Ilp32) => &["unsigned int", "unsigned long"],
        (_, 32, false, DataModel::Lp64) => &["unsigned int"],
        (_, 64, true, DataModel::Ilp32) => &["long long"],
        (_, 64, true, DataModel::Lp64) => &["long", "long long"],
        (_, 64, false, DataModel::Ilp32) => &["unsigned long long"],
        (_, 64, false, DataModel::Lp64) => &["unsigned long", "unsigned long long"],
        (_, 128, true, DataModel::Lp64) => &["__int128"],
        (_, 128, false, DataModel::Lp64) => &["unsigned __int128"],
        _ => &[],
    }
}

/// Does the integer type have a name in C?
pub(crate) fn is_named(t: IntType) -> bool {
    !names(t, DataModel::Lp64).is_empty()
}

/// Candidates for the type of an expression whose type in the front-end was wrong.
const TYPES: [&str; 16] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
    "float",
    "double",
    "long double",
    "void *",
];

/// What the compiler said about one text.
#[derive(Default)]
struct Answer {
    /// Its first error outside assertions.
    refused: Option<String>,
    /// Assertions that failed.
    failed: BTreeSet<usize>,
    /// Assertions that it could not evaluate.
    unclear: BTreeSet<usize>,
}

struct Compiler {
    command: String,
    version: String,
    options: Vec<String>,
}

impl Compiler {
    /// The first compiler that can be started: that of the preprocessor, then the usual names.
    fn find(options: &COptions) -> Option<Compiler> {
        let width = match options.data_model {
            DataModel::Ilp32 => "-m32",
            DataModel::Lp64 => "-m64",
        };
        let std = format!("-std={}", options.std.as_deref().unwrap_or("gnu17"));
        let flags = ["-fsyntax-only", "-w", width, &std, "-x", "cpp-output"].map(String::from).to_vec();
        for command in [options.preprocessor.as_str(), "cc", "gcc", "clang"] {
            match Command::new(command).arg("-dumpversion").stdin(Stdio::null()).output() {
                Ok(out) if out.status.success() => {
                    let version = String::from_utf8_lossy(&out.stdout).trim().to_string();
                    return Some(Compiler { command: command.into(), version, options: flags });
                }
                _ => {}
            }
        }
        None
    }

    fn name(&self) -> String {
        format!("{} {}", self.command, self.version)
    }

    /// Runs the compiler on a text.
    fn ask(&self, text: &[u8]) -> Answer {
        match self.start(text) {
            Ok(out) => read(&String::from_utf8_lossy(&out.stderr), out.status.success()),
            Err(e) => Answer { refused: Some(e.to_string()), ..Answer::default() },
        }
    }

    fn start(&self, text: &[u8]) -> std::io::Result<Output> {
        let mut command = Command::new(&self.command);
        command.args(&self.options).arg("-").env("LC_ALL", "C");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut stdin = child.stdin.take();
        std::thread::scope(|scope| {
            // A thread writes the input, so that neither side waits for the other.
            scope.spawn(move || match stdin.take().map(|mut pipe| pipe.write_all(text)) {
                Some(Err(e)) if e.kind() != ErrorKind::BrokenPipe => Err(e),
                _ => Ok(()),
            });
            child.wait_with_output()
        })
    }

    /// Finds out the value or type that the compiler gives the expression of a fact. `None` if it is the same
    /// after all: an enum whose width is set by an attribute has no other name.
    fn difference(&self, source: &Source, fact: &Fact, model: DataModel) -> Option<Difference> {
        let text = &fact.text;
        let probes: Vec<String> = match fact.claim {
            Claim::Value(_) => (0..64)
                .map(|k| format!("!((unsigned long long)({text}) >> {k} & 1)"))
                .chain([format!("({text}) >= 0")])
                .collect(),
            Claim::Type(t) => {
                let (size, sign) = (t.size(), if t.signed { "<" } else { ">" });
                let cast = format!("(__typeof__({text}))");
                let same = format!("sizeof({text}) == {size} && {cast}-1 {sign} 0 && {cast}1 / 2 == 0");
                TYPES
                    .iter()
                    .map(|t| format!("_Generic(({text}), {t}: 0, default: 1)"))
                    .chain([format!("!({same})")])
                    .collect()
            }
        };
        let lines = |_: &Fact| probes.iter().map(|p| format!("_Static_assert({p}, \"\");")).collect();
        let answer = self.ask(&insert(source, std::slice::from_ref(fact), &[0], lines));
        let (ours, theirs) = match fact.claim {
            Claim::Value(v) => {
                let bits = answer.failed.iter().filter(|&&k| k < 64).fold(0u64, |v, &k| v | 1 << k);
                let negative = answer.failed.contains(&64);
                let theirs = if negative { (bits as i64).to_string() } else { bits.to_string() };
                (v.to_string(), theirs)
            }
            Claim::Type(t) => {
                if !t.boolean && answer.failed.iter().eq([&TYPES.len()]) {
                    return None;
                }
                let found = answer.failed.first().and_then(|&k| TYPES.get(k));
                let theirs = found.map_or("another type".into(), |t| format!("of type {t}"));
                (format!("of type {}", names(t, model).join(" or ")), theirs)
            }
        };
        let position = source.position(fact.at as usize);
        Some(Difference { position, text: text.clone(), ours, theirs })
    }
}

/// Reads the messages of a compiler.
fn read(messages: &str, success: bool) -> Answer {
    let mut answer = Answer::default();
    for line in messages.lines().filter(|l| l.contains("error:")) {
        let ours = line.strip_prefix(FILE).and_then(|rest| rest.strip_prefix(':'));
        let number = ours.and_then(|rest| rest.split(':').next()).and_then(|n| n.parse::<usize>().ok());
        match number.and_then(|n| n.checked_sub(1)) {
            // gcc: "static assertion failed", older clang: "static_assert failed".
            Some(n) if line.contains("static assertion failed") || line.contains("static_assert failed") => {
                answer.failed.insert(n);
            }
            Some(n) => {
                answer.unclear.insert(n);
            }
            None if answer.refused.is_none() => answer.refused = Some(line.trim().to_string()),
            None => {}
        }
    }
    if !success && answer.failed.is_empty() && answer.unclear.is_empty() && answer.refused.is_none() {
        answer.refused = Some(messages.lines().next().unwrap_or("no message").trim().to_string());
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let text = "<palisade>:3:1: error: static assertion failed: \"\"\n\
                    <palisade>:5:9: error: expression in static assertion is not an integer constant \
                    expression\n";
        let answer = read(text, false);
        assert_eq!(answer.failed, BTreeSet::from([2]));
        assert_eq!(answer.unclear, BTreeSet::from([4]));
        assert!(answer.refused.is_none());
        assert!(read("program:4:2: error: unknown type name 'x'\n", false).refused.is_some());
        assert!(read("gcc: fatal error: no input files\n", false).refused.is_some());
        assert!(read("", true).refused.is_none());
    }

    /// A claim that is wrong is a difference, with both values.
    #[test]
    fn wrong_facts_are_found() {
        let options = COptions::default();
        if Compiler::find(&options).is_none() {
            eprintln!("no compiler: not tested");
            return;
        }
        let text =
            "struct s { char c; int i; };\nint f(int n) { for (int k = 0; k < n; k++) n--; return n; }\n";
        let source = [Source::new("t.i", text)];
        let body = text.find("n--").unwrap() as u32;
        let line_end = text.find('\n').unwrap() as u32;
        let cases = [
            (Site::Offset(line_end), "sizeof(struct s)", Claim::Value(5), "8"),
            (Site::Offset(line_end), "-(int)sizeof(struct s)", Claim::Value(7), "-8"),
            (Site::Around(body, body + 4), "k + n", Claim::Type(IntType::UINT), "of type int"),
            (Site::Around(body, body + 4), "(char)k", Claim::Type(IntType::INT), "of type char"),
        ];
        for (site, text, claim, theirs) in cases {
            let mut facts = Facts::default();
            facts.add(0, 0, site, 0, text.into(), claim);
            match confirm(&facts, &source, 0, &options) {
                Confirmation::Different(_, list) => assert_eq!(list[0].theirs, theirs, "{text}"),
                other => panic!("{text}: {other}"),
            }
        }
        let mut facts = Facts::default();
        facts.add(0, 0, Site::Offset(line_end), 0, "sizeof(struct s)".into(), Claim::Value(8));
        facts.add(0, 0, Site::Offset(line_end), 0, "sizeof(struct t)".into(), Claim::Value(8));
        match confirm(&facts, &source, 0, &options) {
            Confirmation::Confirmed { left_out, .. } => assert_eq!(left_out, 1),
            other => panic!("{other}"),
        }
        let broken = [Source::new("t.i", "int f( { }\n")];
        assert!(matches!(confirm(&Facts::default(), &broken, 0, &options), Confirmation::NotAccepted(..)));
    }
}
