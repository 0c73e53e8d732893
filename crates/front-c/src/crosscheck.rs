//! The compiled program and the automaton, run side by side.
//!
//! In the preprocessed text, every assignment, initialiser and `return` of a number is wrapped into a
//! call of a function of its own. In the compiled program these functions record the value. The program runs
//! on random and boundary inputs. Then the same text is translated, with functions that compare the value
//! with the recorded one, and the automaton is executed on the same inputs. For each place in the text, both
//! sides must assign the same values in the same order, and both must end in the same way. Values are
//! compared place by place because C leaves open in which order operands are evaluated.
//!
//! Uninitialised memory is zero on both sides. Three kinds of runs are skipped and counted: runs with
//! undefined behaviour (as the sanitizers see it), runs that take too long, and runs that the automaton does
//! not model.
//!
//! Where there is no 32-bit C library, a 32-bit program is compiled without any (`crosscheck/alone.c`, for
//! Linux on x86): undefined behaviour of arithmetic traps, and there are only the most usual functions.
//!
//! Entry point: [`cross_check`]. Limits: programs that begin in `main`, modes `c` and `bv`; no `volatile`
//! objects, no addresses as numbers, no library functions whose results C leaves open. Values of pointers are
//! not compared.

mod walk;

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use palisade_float::{Format, Rounding, exact};
use palisade_program::Position;
use palisade_random::mix;
use palisade_term::TermPool;

use crate::harness::deciding;
use crate::options::{COptions, Checks, DataModel, IntMode};
use crate::preprocess::Input;
use crate::scratch::Folder;
use crate::source::{Source, bytes_of};
use crate::types::{IntType, Type};
use crate::{CProgram, Diagnostics, ERROR_EXIT, translate};
use walk::{End, Walk};

/// A value of the program that can be observed: an integer or floating-point expression that is stored or
/// returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observable {
    pub(crate) unit: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) ty: Type,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub enum CrossCheck {
    /// The comparison was not possible. The reason.
    Impossible(String),
    /// The two agree.
    Agree {
        /// Runs that were compared to their end.
        runs: usize,
        /// Runs of which the automaton models only the first part.
        partial: usize,
        /// Runs that were not compared: undefined behaviour, or too long.
        skipped: usize,
        /// Values that were compared.
        values: usize,
        /// Runs that were compared up to arithmetic that C does not define and the sanitizer does not see.
        unseen: Unseen,
    },
    /// They differ: where, and how.
    Differ(Option<Position>, String),
}

/// Arithmetic that C does not define and gcc's sanitizer does not see: gcc computes `a * b` of two `unsigned
/// short` without overflow where only the low bits are kept.
#[derive(Clone, Debug, Default)]
pub struct Unseen {
    /// In how many runs.
    pub runs: usize,
    /// Where, for the last of them.
    pub last: Option<Position>,
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(last) = &self.last else { return Ok(()) };
        // Columns are those of the text with the comparisons.
        let (runs, file, line) = (self.runs, &last.file, last.line);
        write!(f, ", {runs} up to an overflow that the sanitizer does not see, {file}:{line}")
    }
}

impl fmt::Display for CrossCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CrossCheck::Impossible(why) => write!(f, "not possible: {why}"),
            CrossCheck::Agree { runs, partial, skipped, values, unseen } => write!(
                f,
                "{values} values in {runs} runs of the compiled program are those of the automaton \
                 ({partial} runs in part, {skipped} skipped{unseen})"
            ),
            CrossCheck::Differ(Some(p), what) => write!(f, "{p}: {what}"),
            CrossCheck::Differ(None, what) => f.write_str(what),
        }
    }
}

/// The exit status after a false assumption, and after too many recorded values.
const ASSUMED: i32 = 108;
const ENOUGH: i32 = 109;
/// The harness for programs without a C library. Its numbers are those of the constants here.
const ALONE: &str = concat!(
    include_str!("crosscheck/inputs.c"),
    include_str!("crosscheck/alone.c"),
    include_str!("crosscheck/divide.c"),
    "\n"
);
/// At most this many values are recorded in a run.
const MOST_VALUES: usize = 20_000;
/// A compiled program has one second of CPU time, and this long on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Compares the translation of a program with the compiled program on `n` runs.
pub fn cross_check(
    files: &[Input],
    options: &COptions,
    n: usize,
    seed: u64,
) -> Result<CrossCheck, Diagnostics> {
    let impossible = |why: &str| Ok(CrossCheck::Impossible(why.into()));
    if options.int_mode == IntMode::Math {
        return impossible("unbounded integers are not those of a compiled program");
    }
    if options.checks.error_label.is_some() {
        return impossible("a label does not stop a compiled program");
    }
    if options.function != "main" {
        return impossible("the program does not begin in `main`");
    }
    let plain = COptions { confirm: false, ..options.clone() };
    let first = translate(&TermPool::new(), files, &plain)?;
    if first.volatile {
        return impossible("the program has `volatile` objects");
    }
    if first.numbers {
        return impossible("the program computes with addresses");
    }
    if first.outside || first.sources[..first.ours].iter().any(|s| s.text.contains("extern int")) {
        return impossible("C leaves open what a library function returns");
    }
    // The compiled program is watched from the beginning of `main` on.
    let ours = &first.sources[..first.ours];
    if ours.iter().any(|s| s.text.contains("constructor") || s.text.contains("destructor")) {
        return impossible("functions run before or after `main`");
    }
    match Folder::new("cross") {
        Ok(folder) => compare(&first, &plain, n, seed, folder.path()),
        Err(e) => impossible(&format!("no temporary folder: {e}")),
    }
}

fn compare(
    first: &CProgram,
    options: &COptions,
    n: usize,
    seed: u64,
    folder: &Path,
) -> Result<CrossCheck, Diagnostics> {
    let compiled = match compile(first, options, folder) {
        Ok(compiled) => compiled,
        Err(why) => return Ok(CrossCheck::Impossible(why)),
    };
    let user = first.sources.iter().enumerate().skip(first.ours);
    let texts: Vec<Input> =
        user.map(|(u, s)| Input::Text(format!("{u}.i"), instrumented(s, first, u, &comparing))).collect();
    let pool = TermPool::new();
    let mut checks = options.checks.clone();
    checks.error_functions.insert(DIFFERS.into());
    let automaton = translate(&pool, &texts, &COptions { checks, ..options.clone() })?;
    // In the compiled program, an error function with a body may do anything.
    let without_body = |f: &String| first.calls.undefined.iter().any(|(name, _)| name == f);
    let mentioned = |f: &String| first.sources.iter().any(|s| s.text.contains(f.as_str()));
    let own_errors = options.checks.error_functions.iter().any(|f| mentioned(f) && !without_body(f));
    let sanitized = compiled.sanitized;
    let both = Both { first, options, texts, pool: &pool, automaton, own_errors, sanitized };
    let (mut runs, mut partial, mut skipped, mut values) = (0, 0, 0, 0);
    let mut unseen = Unseen::default();
    for k in 0..n as u64 {
        let seed = mix(seed ^ mix(k));
        let Some((code, recorded)) = compiled.run(seed, folder) else {
            skipped += 1;
            continue;
        };
        let (said, compared) = both.judge(seed, code, &recorded, 0)?;
        values += compared;
        match said {
            Said::Agree => runs += 1,
            Said::Partial => partial += 1,
            Said::Unseen(place) => unseen = Unseen { runs: unseen.runs + 1, last: Some(place) },
            Said::Differ(at, what) => {
                // What is left open may be otherwise in the compiled program.
                let same = |other: Said| matches!(other, Said::Differ(a, w) if a == at && w == what);
                if same(both.judge(seed, code, &recorded, 1)?.0)
                    && same(both.judge(seed, code, &recorded, -1)?.0)
                {
                    return Ok(CrossCheck::Differ(at, what));
                }
                partial += 1;
            }
        }
    }
    Ok(CrossCheck::Agree { runs, partial, skipped, values, unseen })
}

/// The two sides of a comparison.
struct Both<'a> {
    /// The program without comparisons.
    first: &'a CProgram,
    options: &'a COptions,
    /// The texts of the program with comparisons.
    texts: Vec<Input>,
    pool: &'a TermPool,
    /// Their translation.
    automaton: CProgram,
    /// The program has error functions of its own.
    own_errors: bool,
    /// The compiled program stops where its behaviour is undefined.
    sanitized: bool,
}

/// What a run says.
enum Said {
    Agree,
    /// They agree in the first part.
    Partial,
    /// They agree up to here, see [`Unseen`].
    Unseen(Position),
    Differ(Option<Position>, String),
}

impl Both<'_> {
    /// Executes the automaton on the inputs of a run of the compiled program, which ended with this code.
    /// Also returned: how many values were compared.
    fn judge(
        &self,
        seed: u64,
        code: i32,
        recorded: &BTreeMap<usize, Vec<i64>>,
        free: i128,
    ) -> Result<(Said, usize), Diagnostics> {
        let mut walk = Walk { pool: self.pool, c: &self.automaton, seed, recorded, probe: None, free };
        let (end, asked) = walk.run();
        let missing = recorded.iter().find(|(id, list)| asked.get(id).copied().unwrap_or(0) < list.len());
        let differ = |id: usize, what: String| {
            let o = &self.first.observables[id];
            Said::Differ(Some(self.first.sources[o.unit as usize].position(o.start as usize)), what)
        };
        let said = match end {
            End::Differs(id) => {
                let index = asked.get(&id).map_or(0, |n| n - 1);
                let theirs = recorded.get(&id).and_then(|list| list.get(index)).copied().unwrap_or(0);
                let what = match carried(&self.first.observables[id].ty) {
                    Type::Ieee(f) => {
                        let theirs = palisade_float::literal::decimal(f, theirs as u64);
                        format!("the compiled program has the value {theirs}, the automaton another")
                    }
                    ty => {
                        let ty = if let Type::Int(ty) = ty { ty } else { IntType::INT };
                        let (ours, theirs) = (walk.find_value(ty), ty.wrap(i128::from(theirs)));
                        format!("the automaton has the value {ours}, the compiled program {theirs}")
                    }
                };
                differ(id, what)
            }
            End::Exhausted(_) if code == ENOUGH => Said::Partial,
            End::Exhausted(id) => {
                differ(id, "the automaton assigns a value here, the compiled program none".into())
            }
            End::Ambiguous(at) => {
                Said::Differ(None, format!("at {at} the automaton can go on in two ways on the same inputs"))
            }
            End::Endless | End::NoMeaning => Said::Partial,
            _ if code == ENOUGH => Said::Partial,
            End::Violated(_) if code != ERROR_EXIT && self.own_errors => Said::Partial,
            End::Violated(_) if code != ERROR_EXIT => {
                Said::Differ(None, "only the automaton reaches an error".into())
            }
            End::Exit if code == ERROR_EXIT && !self.options.checks.assertions => Said::Partial,
            End::Exit if code == ERROR_EXIT => {
                Said::Differ(None, "only the compiled program reaches an error".into())
            }
            End::Stuck(at) if code != ASSUMED && self.sanitized => {
                match undefined_arithmetic(&self.texts, self.options, seed, recorded)? {
                    Some(place) => Said::Unseen(place),
                    None => {
                        let what = "the automaton has no way to go on, the compiled program has";
                        Said::Differ(None, format!("at {at} {what}"))
                    }
                }
            }
            End::Stuck(_) => Said::Partial,
            End::Exit | End::Violated(_) => match missing {
                Some((&id, _)) => {
                    differ(id, "the compiled program assigns a value here, the automaton does not".into())
                }
                None => Said::Agree,
            },
        };
        Ok((said, asked.values().sum()))
    }
}

/// Does the automaton stop on these inputs because C does not define an operation? Then its own checks are
/// violated there. The values that go in were compared, the types are confirmed by the compiler.
fn undefined_arithmetic(
    texts: &[Input],
    options: &COptions,
    seed: u64,
    recorded: &BTreeMap<usize, Vec<i64>>,
) -> Result<Option<Position>, Diagnostics> {
    let pool = TermPool::new();
    let checks = Checks { overflow: true, division: true, shift: true, ..options.checks.clone() };
    let automaton = translate(&pool, texts, &COptions { checks, ..options.clone() })?;
    let mut walk = Walk { pool: &pool, c: &automaton, seed, recorded, probe: None, free: 0 };
    Ok(match walk.run().0 {
        End::Violated(place) => place,
        _ => None,
    })
}

/// The error function of a comparison that fails.
const DIFFERS: &str = "__palisade_differs";
/// Its input functions begin with this: the recorded values, and the bound that finds out the automaton's
/// value.
const RECORDED: &str = "__VERIFIER_nondet_palisade_";
const PROBE: &str = "__VERIFIER_nondet_palisade_probe";

/// The definition of the function around an observed value, for the compiler.
fn recording(id: usize, ty: &Type) -> String {
    if let Type::Ieee(f) = ty {
        return format!(
            "void __palisade_record(unsigned, long long);\n\
             static {ty} __palisade_{id}({ty} v) {{ union {{ {ty} f; unsigned long long u; }} b; b.u = 0; \
             b.f = v; __palisade_record({id}, v != v ? {}ull : b.u); return v; }}\n",
            f.nan()
        );
    }
    let ty = c_name(ty);
    format!(
        "void __palisade_record(unsigned, long long);\n\
         static {ty} __palisade_{id}({ty} v) {{ __palisade_record({id}, v); return v; }}\n"
    )
}

/// The same for the translation.
fn comparing(id: usize, ty: &Type) -> String {
    if let Type::Ieee(_) = ty {
        // Zeros have signs, and any NaN is as good as another.
        return format!(
            "void {DIFFERS}(void); void __VERIFIER_assume(int);\n\
             {ty} {RECORDED}{id}(void); int {PROBE}_{id}(void);\n\
             static {ty} __palisade_{id}({ty} v) {{ {ty} r = {RECORDED}{id}();\n\
             if (v != v ? r == r : r != v || !__builtin_signbit(r) != !__builtin_signbit(v))\n\
             {{ if (0 < {PROBE}_{id}()) {DIFFERS}(); __VERIFIER_assume(0); }} return v; }}\n"
        );
    }
    let ty = c_name(ty);
    format!(
        "void {DIFFERS}(void); void __VERIFIER_assume(int);\n\
         {ty} {RECORDED}{id}(void); {ty} {PROBE}_{id}(void);\n\
         static {ty} __palisade_{id}({ty} v) {{ if ({RECORDED}{id}() != v) \
         {{ if (v < {PROBE}_{id}()) {DIFFERS}(); __VERIFIER_assume(0); }} return v; }}\n"
    )
}

/// The text of a unit with its observed values wrapped.
fn instrumented(
    source: &Source,
    c: &CProgram,
    unit: usize,
    define: &dyn Fn(usize, &Type) -> String,
) -> String {
    let mine = || c.observables.iter().enumerate().filter(|(_, o)| o.unit as usize == unit);
    // Of two that begin at the same place the longer one is outside.
    let mut opening: BTreeMap<(u32, u32), String> = BTreeMap::new();
    let mut closing: BTreeMap<u32, usize> = BTreeMap::new();
    let mut out = String::new();
    for (id, o) in mine() {
        out.push_str(&define(id, &carried(&o.ty)));
        opening.insert((o.start, u32::MAX - o.end), format!(" __palisade_{id}(("));
        *closing.entry(o.end).or_default() += 1;
    }
    let mut marks: BTreeMap<u32, (usize, String)> = BTreeMap::new();
    for (at, count) in closing {
        marks.entry(at).or_default().0 = count;
    }
    for ((at, _), text) in opening {
        marks.entry(at).or_default().1.push_str(&text);
    }
    // Lines are those of the program, as far as it has them.
    let _ = writeln!(out, "# 1 \"{}\"", source.name());
    let mut done = 0;
    for (at, (closed, opened)) in marks {
        out.push_str(&source.text[done..at as usize]);
        out.push_str(&"))".repeat(closed));
        out.push_str(&opened);
        done = at as usize;
    }
    out.push_str(&source.text[done..]);
    out
}

/// The type of the function around a value: that of the value; of a bit-field one that holds all its values.
fn carried(ty: &Type) -> Type {
    let Type::Int(t) = *ty else { return ty.clone() };
    Type::Int(match t.bits {
        8 | 16 | 32 | 64 => t,
        _ if t.boolean => t,
        0..32 => IntType::INT,
        _ => IntType::new(64, t.signed),
    })
}

fn c_name(ty: &Type) -> &'static str {
    ty.as_int().unwrap_or(IntType::INT).c_name()
}

struct Compiled {
    binary: PathBuf,
    sanitized: bool,
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// With the sanitizers for undefined behaviour and for addresses.
    Sanitized,
    /// With no library at all, for 32-bit programs where there is none: undefined behaviour traps.
    Alone,
    /// Without sanitizers, where there are none.
    Plain,
}

fn compile(c: &CProgram, options: &COptions, folder: &Path) -> Result<Compiled, String> {
    let mut files = Vec::new();
    for (u, source) in c.sources.iter().enumerate().skip(c.ours) {
        let text = instrumented(source, c, u, &recording);
        let text = crate::dialect::for_compiler(&text);
        let bytes = bytes_of(&text);
        let file = folder.join(format!("unit{u}.i"));
        std::fs::write(&file, bytes).map_err(|e| e.to_string())?;
        files.push(file);
    }
    let binary = folder.join("program");
    let (width, narrow) = match options.data_model {
        DataModel::Lp64 => ("-m64", false),
        DataModel::Ilp32 => ("-m32", true),
    };
    let std = format!("-std={}", options.std.as_deref().unwrap_or("gnu17"));
    let mut message = String::new();
    for way in [Way::Sanitized, Way::Alone, Way::Plain] {
        let harness = folder.join(format!("harness{}.c", way as u8));
        let text = match way {
            Way::Alone if !narrow => continue,
            Way::Alone => format!("{ALONE}{}", undefined_functions(c)),
            _ => format!("{}{}", hosted(), undefined_functions(c)),
        };
        std::fs::write(&harness, text).map_err(|e| e.to_string())?;
        let mut command = Command::new(&options.preprocessor);
        command.args(["-w", "-O0", width, &std, "-ftrivial-auto-var-init=zero", "-fno-builtin"]);
        // Each floating-point operation has the precision of its type, and the rounding mode of the program.
        command.args(["-msse2", "-mfpmath=sse", "-ffp-contract=off", "-frounding-math"]);
        if options.signed_wrap {
            command.arg("-fwrapv");
        }
        match way {
            Way::Sanitized => {
                command
                    .args(["-fsanitize=undefined,address,float-cast-overflow", "-fno-sanitize-recover=all"]);
            }
            Way::Alone => {
                command.args(["-fsanitize=undefined,float-cast-overflow", "-nostdlib"]);
                command.arg("-fsanitize-undefined-trap-on-error");
                command.args(["-static", "-ffreestanding", "-fno-pic", "-fno-stack-protector"]);
            }
            Way::Plain => {}
        }
        if way != Way::Alone {
            let wrapped = ["malloc", "main", "abort", "exit", "_Exit"];
            command.args(wrapped.map(|f| format!("-Wl,--wrap={f}")));
        }
        command.arg("-o").arg(&binary).args(&files).arg(&harness);
        if way != Way::Alone {
            command.arg("-lm");
        }
        let out = command.stdin(Stdio::null()).output();
        let out = out.map_err(|e| format!("`{}` does not start: {e}", options.preprocessor))?;
        if out.status.success() {
            return Ok(Compiled { binary, sanitized: way != Way::Plain });
        }
        let text = String::from_utf8_lossy(&out.stderr);
        let line =
            text.lines().find(|l| l.contains("error") || l.contains("cannot") || l.contains("undefined"));
        message = line.unwrap_or("no message").trim().to_string();
    }
    Err(format!("the program does not compile and link ({message})"))
}

/// What the harnesses share: the inputs.
const INPUTS: &str = include_str!("crosscheck/inputs.c");

/// The harness that is linked with the C library.
fn hosted() -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/resource.h>\n\
         {INPUTS}static FILE *out;\n\
         static void end(int code) {{ if (out) fclose(out); out = 0; _exit(code); }}\n\
         static void flush(void) {{ if (out) fclose(out); out = 0; }}\n\
         void __palisade_record(unsigned id, long long v) {{\n\
           if (!out) return;\n  fprintf(out, \"%x %llx\\n\", id, (unsigned long long)v);\n\
           if (++count >= {MOST_VALUES}) end({ENOUGH});\n}}\n\
         void *__wrap_malloc(unsigned long n) {{ return calloc(1, n); }}\n\
         void __wrap_abort(void) {{ end({ASSUMED}); }}\n\
         void __wrap_exit(int code) {{ (void)code; end(0); }}\n\
         void __wrap__Exit(int code) {{ (void)code; end(0); }}\n\
         int __real_main(int, char **, char **);\n\
         int __wrap_main(int argc, char **argv, char **envp) {{\n\
           seed = strtoull(argv[1], 0, 16); out = fopen(argv[2], \"w\"); atexit(flush);\n\
           struct rlimit limit = {{ 1, 1 }}; setrlimit(RLIMIT_CPU, &limit);\n\
           argv[1] = 0; __real_main(0, argv + 1, envp);\n\
           return 0; /* the value may be one of the harness's own */\n}}\n"
    )
}

/// The functions that the program leaves undefined: inputs, errors, assumptions.
fn undefined_functions(c: &CProgram) -> String {
    let mut out = String::new();
    let asked: std::collections::BTreeSet<&str> =
        c.calls.nondets.iter().flatten().map(|call| call.function.as_str()).collect();
    for (name, ty) in &c.calls.undefined {
        let Type::Function(signature) = ty else { continue };
        if let Some((asserts, c)) = deciding(name, ty) {
            let status = if asserts { ERROR_EXIT } else { ASSUMED };
            let _ = writeln!(out, "void {name}({c} c) {{ if (!c) end({status}); }}");
            continue;
        }
        let _ = match name.as_str() {
            "__VERIFIER_error" | "reach_error" => {
                writeln!(out, "void {name}(void) {{ end({ERROR_EXIT}); }}")
            }
            "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_func" | "__assert_perror_fail" => {
                writeln!(out, "void {name}() {{ end({ERROR_EXIT}); }}")
            }
            _ if crate::known::function(name).is_some() => Ok(()),
            // No edge of the automaton calls it: what follows a call cannot be compared. A header of the
            // harness may declare it.
            _ if !asked.contains(name.as_str()) => {
                let ours = format!("__palisade_uncalled_{name}");
                writeln!(out, "void {ours}() __asm__(\"{name}\"); void {ours}() {{ end({ENOUGH}); }}")
            }
            _ => match &signature.result {
                Type::Void => writeln!(out, "void {name}() {{}}"),
                Type::Pointer(_) => writeln!(out, "void *{name}() {{ return 0; }}"),
                Type::Ieee(_) => {
                    let (ty, f) = (&signature.result, name_hash(name));
                    writeln!(
                        out,
                        "{ty} {name}() {{ static unsigned long long k; return {ty}_of(value({f}ull, k++)); }}"
                    )
                }
                Type::Int(t) => {
                    let (ty, f) = (t.c_name(), name_hash(name));
                    writeln!(
                        out,
                        "{ty} {name}() {{ static unsigned long long k; return ({ty})value({f}ull, k++); }}"
                    )
                }
                _ => writeln!(out, "void {name}() {{ end({ENOUGH}); }}"),
            },
        };
    }
    out
}

fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0, |h, b| mix(h ^ u64::from(b)))
}

/// A floating-point input, from the value that an integer input would be: integers, eighths, any bits.
fn float_of(f: Format, v: u64) -> u64 {
    // No input is rounded: the program may have changed how.
    let (n, least) = (v as i64, 1 << f.significand);
    let n = if n >= least || n < -least { n >> (64 - f.significand) } else { n };
    let integer = exact::from_int(f, Rounding::NearestEven, i128::from(n));
    let eighth = exact::div(f, Rounding::NearestEven, f.one(), exact::from_int(f, Rounding::Zero, 8));
    match mix(v ^ 1) & 3 {
        0 => mix(v) & (u64::MAX >> (64 - f.width())),
        1 => integer,
        _ => exact::mul(f, Rounding::NearestEven, integer, eighth),
    }
}

/// The k-th value that an input function returns, before it is converted to its type: small numbers, powers
/// of two, anything.
fn value(seed: u64, function: &str, k: usize) -> u64 {
    let r = mix(seed ^ mix(name_hash(function) ^ mix(k as u64)));
    let low = mix(r);
    match r & 7 {
        0..=2 => low & 7,
        3 => (low & 7).wrapping_sub(4),
        4 => low & 63,
        5 => (1u64 << (low & 63)).wrapping_sub(1).wrapping_add((low >> 32) & 3),
        6 => low & 1,
        _ => low,
    }
}

impl Compiled {
    /// Runs the program: its exit status, and the recorded values by place. `None` for undefined behaviour
    /// and what takes too long.
    fn run(&self, seed: u64, folder: &Path) -> Option<(i32, BTreeMap<usize, Vec<i64>>)> {
        let file = folder.join("values");
        let _ = std::fs::remove_file(&file);
        let mut command = Command::new(&self.binary);
        command.arg(format!("{seed:x}")).arg(&file).env("ASAN_OPTIONS", "detect_leaks=0:exitcode=110");
        command.env("UBSAN_OPTIONS", "exitcode=110").current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait().ok()? {
                Some(status) => break status,
                None if start.elapsed() > PATIENCE => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return None;
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let code = status.code().filter(|&c| c != 110)?;
        let mut recorded: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
        for line in std::fs::read_to_string(&file).ok()?.lines() {
            let (id, v) = line.split_once(' ')?;
            let (id, v) = (usize::from_str_radix(id, 16).ok()?, u64::from_str_radix(v, 16).ok()?);
            recorded.entry(id).or_default().push(v as i64);
        }
        Some((code, recorded))
    }
}
