//! The C front-end: C programs to control-flow automata.
//!
//! The stages, one module each:
//! 1. [`preprocess`]: reading and preprocessing, by the system's compiler; [`source`]: the way back from
//!    preprocessed text to file, line and column;
//! 2. parsing, by the `lang-c` crate; `nesting` refuses what is nested too deep for it;
//! 3. `library`: C definitions of the string functions that are called; `lower`: names, types, conversions
//!    and sequencing; every function becomes a graph of simple instructions ([`ir`]);
//! 4. [`slice`](mod@slice): leaves out what the property cannot see; [`inline`]: the tree of call instances;
//! 5. [`memory`] and [`points_to`]: objects, abstract addresses, and what pointers may point to;
//! 6. `encode`: symbolic execution of basic blocks over one of the integer semantics of [`domain`]; liveness.
//!
//! Beside these, [`confirm`](mod@confirm) lets the user's compiler confirm the types, layouts and constants
//! that the lowering relied on.
//!
//! What cannot be modelled becomes an edge to the error location whose property is
//! [`Property::Unsupported`](palisade_program::Property): a counterexample that ends in such an edge gives
//! UNKNOWN; a proof that no such edge can be reached is a proof for the whole program.
//!
//! Entry point: [`translate`]. What the translation assumes about C is in `docs/C-FRONTEND.md`.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod addresses;
pub mod c_expr;
mod chosen;
mod columns;
pub mod confirm;
pub mod crosscheck;
mod detours;
pub mod diagnostics;
mod dialect;
pub mod domain;
mod encode;
mod ends;
mod entry;
mod harness;
mod implicit_int;
pub mod inline;
pub mod ir;
mod jumps;
pub mod known;
mod lead;
mod library;
mod lifetime;
mod lower;
pub mod memory;
mod nesting;
mod numbers;
pub mod options;
mod order;
pub mod parts;
pub mod places;
pub mod points_to;
pub mod preprocess;
pub mod records;
pub mod scratch;
mod sizes;
pub mod slice;
pub mod source;
mod spelling;
pub mod story;
mod tokens;
pub mod types;
mod woven;

use std::sync::Arc;

use palisade_program::Program;
use palisade_term::TermPool;

pub use confirm::{Confirmation, Difference};
pub use crosscheck::{CrossCheck, Observable, cross_check};
pub use diagnostics::{Diagnostic, Diagnostics};
pub use encode::{Assumption, NewBlock, NondetCall};
pub use harness::{Calls, ERROR_EXIT, Returned};
pub use numbers::{ANY_ADDRESS, AS_NUMBER};
pub use options::{
    COptions, Checks, DataModel, Entry, FileFlags, Globals, IntMode, Slicing, UndefinedMemory,
};
pub use parts::{Extent, Outline, Part, outline};
pub use preprocess::Input;
pub use slice::Slice;
pub use source::{Source, bytes_of, text_of};
pub use story::Story;

/// A translated program.
pub struct CProgram {
    /// The automaton.
    pub program: Program,
    /// The preprocessed sources.
    pub sources: Vec<Source>,
    /// Its calls of functions that have no body.
    pub calls: Calls,
    /// What the user's compiler says about types, layouts and constants.
    pub confirmation: Confirmation,
    /// How many sources, at the front, are models of the library.
    pub ours: usize,
    /// Does it have `volatile` objects?
    pub volatile: bool,
    /// Does it use what the outside decides in functions of the library?
    pub outside: bool,
    /// Do objects have numbers as addresses, which the environment chooses?
    pub numbers: bool,
    /// What can be compared with the compiled program.
    pub observables: Vec<Observable>,
    /// The options of the translation.
    pub assumptions: Vec<Assumption>,
    /// What its edges do, statement by statement.
    pub story: Story,
    /// What was left out because the property cannot see it, if the program was sliced.
    pub sliced: Option<Slice>,
    /// What decides some runs that C or the environment leaves open, if anything does.
    pub open: Option<Arc<str>>,
}

/// The name of the source with the models of the library.
const LIBRARY: &str = "<string.h>";

/// How the reason ends where a recursion is not followed any further.
pub const TOO_DEEP: &str = "deeper than the bound";

/// How deep the parser and the lowering may recurse: real programs nest deeply (CIL output, machine-made
/// conditions).
const STACK: usize = 1 << 30;

/// Reads C files, links them together and lowers them.
fn lowered(files: &[Input], options: &COptions) -> Result<Lowered, Diagnostics> {
    let given = files.iter().map(|f| preprocess::load(f, options)).collect::<Result<Vec<_>, _>>()?;
    let work = || -> Result<Lowered, Diagnostics> {
        let parsed = given.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let (mut trees, mut scans): (Vec<_>, Vec<_>) = parsed.into_iter().unzip();
        let (mut sources, mut ours) = (given, 0);
        if let Some(text) = library::needed(&trees, options.data_model) {
            // In front, so that calls find it.
            let source = Source::new(LIBRARY, &text);
            let (tree, scan) = parse(&source)?;
            trees.insert(0, tree);
            scans.insert(0, scan);
            sources.insert(0, source);
            ours = 1;
        }
        let (unit, facts) = lower::lower(&trees, &sources, &scans, options)?;
        Ok(Lowered { unit, facts, sources, ours })
    };
    on_large_stack(work)
}

/// Says whether C files are accepted, whichever function verification begins at: what the user's compiler
/// says about them.
pub fn accept(files: &[Input], options: &COptions) -> Result<Confirmation, Diagnostics> {
    let Lowered { facts, sources, ours, .. } = lowered(files, options)?;
    Ok(match options.confirm {
        true => confirm::confirm(&facts, &sources, ours, options),
        false => Confirmation::Off,
    })
}

/// The function of a name, or of `FILE:NAME` where several files have one.
fn entry_named(unit: &ir::Unit, sources: &[Source], wanted: &str) -> Result<ir::FuncId, Diagnostics> {
    let (file, name) = wanted.rsplit_once(':').map_or((None, wanted), |(file, name)| (Some(file), name));
    let place = |f: &ir::Function| {
        let span = f.nodes.first().map(|n| n.span)?;
        Some(sources[span.unit as usize].name().to_string())
    };
    let is_named = |f: &ir::Function| {
        let written = || sources.iter().any(|s| s.respelled(f.name.clone()) == name);
        let is_there = file.is_none_or(|file| place(f).is_some_and(|p| p == file));
        f.defined() && (f.name == name || written()) && is_there
    };
    let found: Vec<usize> = (0..unit.functions.len()).filter(|&i| is_named(&unit.functions[i])).collect();
    match found[..] {
        [one] => Ok(ir::FuncId(one as u32)),
        [] => {
            let hint =
                if wanted == "main" { "; --function F begins at another one, --all at each" } else { "" };
            Err(Diagnostic::plain(format!("there is no function `{wanted}`{hint}")).into())
        }
        _ => {
            let files = found.iter().filter_map(|&i| place(&unit.functions[i]));
            let names: Vec<String> = files.map(|file| format!("`{file}:{name}`")).collect();
            let what = format!("several functions are called `{name}`; say {}", names.join(" or "));
            Err(Diagnostic::plain(what).into())
        }
    }
}

/// Translates C files, linked together, into one program.
pub fn translate(pool: &TermPool, files: &[Input], options: &COptions) -> Result<CProgram, Diagnostics> {
    let Lowered { mut unit, facts, sources, ours } = lowered(files, options)?;
    let mut entry = entry_named(&unit, &sources, &options.function)?;
    let mut left_out = Vec::new();
    if options.function != "main" {
        if options.checks.leaks() {
            let what =
                "whether blocks are lost or freed depends on the callers of a function: begin at `main`";
            return Err(Diagnostic::plain(what).into());
        }
        (entry, left_out) = entry::start(&mut unit, entry, &sources, options);
    }
    let undefined =
        unit.functions.iter().filter(|f| !f.defined()).map(|f| (f.name.clone(), f.ty.clone())).collect();
    left_out.extend(chosen::about_outside(&unit, entry, &sources, options));
    detours::straighten(&mut unit, options);
    let sliced = slice::is_possible(options).then(|| slice::slice(&mut unit, entry, options));
    if sliced.as_ref().is_some_and(|s| s.statements > 0) {
        left_out.push(slice::assumption());
    }
    slice::forget_unused(&mut unit, entry);
    let pointer_calls = slice::pointer_calls(&unit, entry, options);
    let instances = inline::Instances::expand(&unit, entry, &pointer_calls, &sources, options)?;
    unit.records.add_tails(memory::tail_size(options.data_model));
    unit.records.add_pools(options.data_model);
    let mut memory = memory::Memory::new(&unit, &instances, options);
    let points_to = loop {
        let found = points_to::PointsTo::new(&unit, &instances, &memory, options);
        memory::blocks::type_blocks(&unit, &instances, &mut memory, &found, options.data_model);
        let seen = memory::views::choose(&unit, &instances, &mut memory, &found, options);
        let mixed = memory::foreign::mix(&unit, &instances, &mut memory, &found);
        let bounded = memory.bound_parts(&found);
        if !mixed && !seen && !bounded {
            break found;
        }
    };
    memory.place_objects();
    left_out.extend(chosen::assumptions(&unit, &instances, &sources, options));
    let model = encode::Model { unit: &unit, instances: &instances, memory: &memory, points_to: &points_to };
    let finished = encode::encode(pool, &model, &sources, options);
    debug_assert_eq!(finished.program.check(pool), Ok(()));
    let strict = options.checks.memory();
    let (nondets, blocks, others) = (finished.nondets, finished.blocks, finished.others);
    let calls = Calls { nondets, blocks, others, undefined, strict };
    let confirmation = match options.confirm {
        true => confirm::confirm(&facts, &sources, ours, options),
        false => Confirmation::Off,
    };
    let (volatile, outside) = (unit.is_volatile(), unit.outside);
    let observables = unit.observables;
    let story = finished.story.of(&sources);
    Ok(CProgram {
        story,
        program: finished.program,
        sources,
        calls,
        confirmation,
        ours,
        volatile,
        outside,
        numbers: finished.numbers,
        open: finished.open,
        observables,
        assumptions: left_out.into_iter().chain(finished.assumptions).collect(),
        sliced,
    })
}

/// Does work that may recurse deeply.
fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Diagnostics> + Send) -> Result<T, Diagnostics> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|e| Diagnostic::plain(format!("cannot start a thread: {e}")))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// A lowered program.
struct Lowered {
    unit: ir::Unit,
    facts: confirm::Facts,
    sources: Vec<Source>,
    /// How many sources, at the front, are models of the library.
    ours: usize,
}

fn parse(source: &Source) -> Result<(Arc<lang_c::ast::TranslationUnit>, known::Scan), Diagnostics> {
    nesting::check(source)?;
    let (scan, text) = known::Scan::new(&source.text);
    if let Some((range, what)) = scan.refused.first() {
        return Err(Diagnostic::at(source, range.start, range.end, format!("unsupported: {what}")).into());
    }
    let tree = source.tree(|| parse_text(source, text))?;
    Ok((tree, scan))
}

fn parse_text(source: &Source, text: String) -> Result<lang_c::ast::TranslationUnit, Diagnostics> {
    let config = lang_c::driver::Config::with_gcc();
    match lang_c::driver::parse_preprocessed(&config, text) {
        Ok(parsed) => Ok(parsed.unit),
        Err(e) => {
            let rest = source.text.get(e.offset..).unwrap_or("").trim_start();
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let found: String = match rest.chars().next() {
                None => "the end of the file".into(),
                Some(c) if word == 0 => format!("`{c}`"),
                Some(_) => format!("`{}`", &rest[..word]),
            };
            let mut message = format!("syntax error at {found}");
            // A long list of what could stand here helps nobody.
            let mut expected: Vec<&str> = e.expected.iter().copied().collect();
            expected.sort_unstable();
            if matches!(expected.len(), 1..=3) && expected.iter().all(|w| !w.starts_with(['[', '<'])) {
                message.push_str(&format!(": expected {}", expected.join(" or ")));
            }
            let before = source.text.get(..e.offset).unwrap_or("").trim_end();
            if rest.starts_with('{') && before.ends_with(')') {
                message.push_str(" (functions inside functions are not supported)");
            }
            let assembly = ["asm", "__asm__", "__asm", "volatile", "__volatile__", "inline"];
            if found == "`goto`" && assembly.iter().any(|w| before.ends_with(w)) {
                message.push_str(" (`asm goto` is not supported)");
            }
            Err(Diagnostic::at(source, e.offset, e.offset + word.max(1), message).into())
        }
    }
}
