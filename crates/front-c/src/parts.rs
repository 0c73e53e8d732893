//! The parts of C files: what the translation of one function depends on, and where it stands.
//!
//! `palisade verify --all` keeps the results of a function together with the parts that decided them. After
//! an edit, the parts tell which functions are as they were, without a translation.
//!
//! A part is a declaration or function definition outside of functions, with the text before it: pragmas
//! count. The parts of a function ([`Outline::parts_of`]) are
//! - every declaration, of headers too;
//! - every definition that declares more than its function: with a brace in its head, with a `static` object
//!   in its body, which is a global variable, or with a pragma in it or before it;
//! - the function, and every function that the body of one of them names;
//! - if one of them calls through a pointer, every function whose name stands somewhere without a parenthesis
//!   behind it, since the pointer may lead there. A call is direct if the name of what is called has a
//!   parenthesis behind it wherever it stands, and is no name of a parameter. Library functions that call
//!   what they are given (`qsort`) count as calls through a pointer.
//!
//! A name that is shadowed, or in a branch that is never taken, brings in more than is needed, never less.
//!
//! The content of a part has its text, columns, and lines relative to its first one: it stays the same when
//! lines are inserted before it. It also has the lines of the file as they were before preprocessing, which
//! reports quote.
//!
//! Entry point: [`outline`].

use std::borrow::Cow;
use std::fmt::Write as _;

use lang_c::ast;
use lang_c::span::Span;
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::Diagnostics;
use crate::options::COptions;
use crate::preprocess::{self, Input};
use crate::source::{Source, text_of};
use crate::tokens::tokens;
use crate::{lower, on_large_stack, parse};

/// Where a part stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The file of its first line.
    pub file: String,
    /// Its first line.
    pub first: u32,
    /// Its last line in that file.
    pub last: u32,
}

/// A declaration or definition.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its text, with places relative to its first line.
    pub content: String,
    /// Where it stands.
    pub extent: Extent,
    /// The function that it defines.
    function: Option<String>,
    /// It matters for every function.
    common: bool,
    /// The names in it.
    names: FxHashSet<String>,
    /// What it calls.
    calls: Calls,
}

/// Functions that call a function that they are given, with a meaning of their own or not yet.
const CALL_BACK: &[&str] = &[
    "qsort",
    "bsearch",
    "qsort_r",
    "qsort_s",
    "bsearch_s",
    "lsearch",
    "lfind",
    "tsearch",
    "tfind",
    "tdelete",
    "twalk",
    "tdestroy",
    "ftw",
    "nftw",
    "scandir",
    "glob",
    "atexit",
    "at_quick_exit",
    "on_exit",
    "signal",
    "sigaction",
    "pthread_create",
    "pthread_once",
    "thrd_create",
    "call_once",
];

/// The function that `assert` of the system calls. Where the program itself names it, its arguments matter.
const ASSERT_FAIL: &str = "__assert_fail";

/// What the calls of a part lead to.
#[derive(Clone, Debug, Default)]
struct Calls {
    /// Names that are called.
    names: FxHashSet<String>,
    /// There is a call of something that is no name, or the name of a parameter.
    pointer: bool,
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_call_expression(&mut self, call: &'ast ast::CallExpression, span: &'ast Span) {
        match &call.callee.node {
            ast::Expression::Identifier(name) => drop(self.names.insert(name.node.name.clone())),
            _ => self.pointer = true,
        }
        visit::visit_call_expression(self, call, span);
    }
}

/// C files in parts.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The functions that the files define, in the order of their texts; not those of headers. Where several
    /// files have one of a name, `FILE:NAME`.
    pub functions: Vec<String>,
    /// All parts, in the order of the text.
    pub parts: Vec<Part>,
    /// The files, preprocessed.
    pub sources: Vec<Source>,
    /// Names that stand somewhere without a call.
    addressed: FxHashSet<String>,
}

impl Outline {
    /// The indices of the parts that the translation of a function depends on.
    pub fn parts_of(&self, function: &str) -> Vec<usize> {
        let function = function.rsplit(':').next().unwrap_or(function);
        let mut defined: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (i, part) in self.parts.iter().enumerate() {
            if let Some(f) = &part.function {
                defined.entry(f).or_default().push(i);
            }
        }
        let mut wanted = vec![false; self.parts.len()];
        let is_root = |p: &Part| p.common || p.function.as_deref().is_none_or(|f| f == function);
        let mut todo: Vec<usize> = (0..self.parts.len()).filter(|&i| is_root(&self.parts[i])).collect();
        let mut by_pointer = false;
        while let Some(i) = todo.pop() {
            let part = &self.parts[i];
            // A declaration calls nothing; the functions that its initializers name are addressed.
            if std::mem::replace(&mut wanted[i], true) || part.function.is_none() {
                continue;
            }
            let named = part.names.iter().filter_map(|n| defined.get(n.as_str()));
            todo.extend(named.flatten());
            if !by_pointer && self.calls_by_pointer(part) {
                by_pointer = true;
                let addressed = defined.iter().filter(|(f, _)| self.addressed.contains(**f));
                todo.extend(addressed.flat_map(|(_, parts)| parts));
            }
        }
        (0..wanted.len()).filter(|&i| wanted[i]).collect()
    }

    /// The functions to which nothing leads that begins in this one.
    pub fn apart_from(&self, function: &str) -> Vec<String> {
        let parts = self.parts_of(function);
        let reached = |f: &&String| {
            let name = f.rsplit(':').next();
            parts.iter().any(|&i| self.parts[i].function.as_deref() == name)
        };
        self.functions.iter().filter(|f| !reached(f)).cloned().collect()
    }

    /// Can a call of a part lead to a function that it does not name?
    fn calls_by_pointer(&self, part: &Part) -> bool {
        let leads_on = |name: &str| {
            let plain = name.strip_prefix("__builtin_").unwrap_or(name);
            self.addressed.contains(name) || CALL_BACK.contains(&plain)
        };
        part.calls.pointer || part.calls.names.iter().any(|n| leads_on(n))
    }
}

/// Divides C files into parts.
pub fn outline(files: &[Input], options: &COptions) -> Result<Outline, Diagnostics> {
    let load = |f: &Input| preprocess::load(f, options).map(Source::with_tree);
    let sources = files.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    let work = || -> Result<(Vec<Defined>, Vec<Part>), Diagnostics> {
        let (mut functions, mut parts) = (Vec::new(), Vec::new());
        let mut files = FxHashMap::default();
        let asserts = !sources.iter().any(|s| s.writes(ASSERT_FAIL));
        for (unit, source) in sources.iter().enumerate() {
            let (tree, _) = parse(source)?;
            let here = |at| *source.position(at).file == *source.name();
            let named = lower::functions_of(&tree, &here).into_iter();
            functions.extend(named.map(|(name, own)| Defined { file: source.name().to_string(), name, own }));
            let mut behind = 0;
            for item in &tree.0 {
                let span = item.span;
                let end = source.trimmed_end(span.start, span.end);
                let gap = source.lines_of(behind, span.start);
                let gap: Vec<&str> = gap.iter().map(|l| l.3).collect();
                let mut part = part(source, &item.node, span.start, end, &mut files, asserts);
                let _ = write!(part.content, "\nin {unit}, behind {gap:?}");
                // A pragma counts for what follows.
                part.common |= !gap.is_empty();
                parts.push(part);
                behind = end;
            }
            let rest: Vec<&str> = source.lines_of(behind, source.text.len()).iter().map(|l| l.3).collect();
            if let (Some(last), false) = (parts.last_mut(), rest.is_empty()) {
                last.common = true;
                let _ = write!(last.content, "\nbefore {rest:?}");
            }
        }
        Ok((functions, parts))
    };
    let (functions, parts) = on_large_stack(work)?;
    let mut count: FxHashMap<&str, usize> = FxHashMap::default();
    // A function that several files define (weak, inline) is one function.
    let several = |f: &Defined| !f.own && !functions.iter().any(|g| g.own && g.name == f.name);
    functions.iter().for_each(|f| *count.entry(&f.name).or_default() += 1);
    let full = |f: &Defined| match count[&*f.name] {
        1 => f.name.clone(),
        _ if several(f) => f.name.clone(),
        _ => format!("{}:{}", f.file, f.name),
    };
    let mut seen = FxHashSet::default();
    let functions = functions.iter().map(full).filter(|name| seen.insert(name.clone())).collect();
    let addressed = sources.iter().flat_map(|s| addressed(&s.text)).collect();
    Ok(Outline { functions, parts, sources, addressed })
}

/// Names that are not followed by a parenthesis.
fn addressed(text: &str) -> FxHashSet<String> {
    let tokens = tokens(text);
    let behind = tokens.iter().skip(1).map(|t| t.text).chain([""]);
    let pairs = tokens.iter().zip(behind);
    pairs.filter(|(t, next)| t.is_name() && *next != "(").map(|(t, _)| t.text.to_string()).collect()
}

/// A file and a function that it defines.
struct Defined {
    file: String,
    name: String,
    /// `static`.
    own: bool,
}

/// The lines of files as they are before preprocessing.
type Files = FxHashMap<String, Option<Vec<String>>>;

fn part(
    source: &Source,
    item: &ast::ExternalDeclaration,
    start: usize,
    end: usize,
    files: &mut Files,
    asserts: bool,
) -> Part {
    let names_in = |from: usize, to: usize| -> FxHashSet<String> {
        let all = tokens(source.text.get(from..to).unwrap_or("")).into_iter();
        all.filter(|t| t.is_name()).map(|t| t.text.to_string()).collect()
    };
    let (mut function, mut common, mut calls) = (None, true, Calls::default());
    if let ast::ExternalDeclaration::FunctionDefinition(f) = item {
        let body = f.node.statement.span.start;
        let head = source.text.get(start..body);
        function = lower::declared_name(&f.node.declarator);
        calls.visit_function_definition(&f.node, &f.span);
        // `int f(int g(int)) { return g(1); }` calls what it is given.
        let before = names_in(start, body);
        calls.pointer |= calls.names.iter().any(|n| Some(n) != function.as_ref() && before.contains(n));
        // What has linkage in a body is the same object everywhere, and may get its type there.
        let inside = names_in(body, end);
        let linked = ["static", "extern"].iter().any(|word| inside.contains(*word));
        common = head.is_none_or(|h| h.contains('{')) || linked;
    }
    let at = source.position(start);
    let mut extent = Extent { file: at.file.to_string(), first: at.line, last: at.line };
    // A macro over several lines may end behind the line that its expansion has.
    let behind = source.end_position(end);
    if behind.file == at.file {
        extent.last = extent.last.max(behind.line);
    }
    let mut content = format!("column {}", at.column);
    for (file, line, system, text) in source.lines_of(start, end) {
        let text = if system && asserts { without_line(text, line) } else { text.into() };
        common |= text.trim_start().starts_with('#');
        if *file == *extent.file && line >= extent.first {
            extent.last = extent.last.max(line);
            let _ = write!(content, "\n{}: {text}", line - extent.first);
        } else {
            let _ = write!(content, "\n{file}:{line}: {text}");
        }
    }
    if !source.is_as_given() && !source.in_system_header(start) {
        let lines = files.entry(extent.file.clone()).or_insert_with_key(|file| {
            Some(text_of(&std::fs::read(file).ok()?).lines().map(str::to_string).collect())
        });
        let range = (extent.first as usize).saturating_sub(1)..extent.last as usize;
        if let Some(written) = lines.as_ref().and_then(|l| l.get(range)) {
            let _ = write!(content, "\nas written {written:?}");
        }
    }
    if !source.is_unchanged(start, end) {
        let _ = write!(content, "\nparsed {}", source.parsed(start, end));
    }
    Part { content, extent, function, common, names: names_in(start, end), calls }
}

/// A line of an `assert` without the number of the line that the macro expands to: it is for a message, and
/// changes when the function is moved.
fn without_line(text: &str, line: u32) -> Cow<'_, str> {
    let end = [", __extension__ __PRETTY_FUNCTION__)", ", __func__)"];
    for end in end {
        let (number, without) = (format!("\", {line}{end}"), format!("\", LINE{end}"));
        if text.contains(&number) {
            return text.replace(&number, &without).into();
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(text: &str, function: &str) -> Vec<String> {
        let input = Input::Text("a.i".into(), text.into());
        let outline = outline(&[input], &COptions::default()).unwrap();
        let parts = outline.parts_of(function);
        parts.into_iter().filter_map(|i| outline.parts[i].function.clone()).collect()
    }

    #[test]
    fn a_function_depends_on_what_it_may_call() {
        let text = "int g(int);\nint h(int x) { return x; }\nint f(int x) { return g(x); }\n\
                    int g(int x) { return x + 1; }\n";
        assert_eq!(parts_of(text, "f"), ["f", "g"]);
        assert_eq!(parts_of(text, "h"), ["h"]);
        // A call through a pointer may lead to whatever is used without being called.
        let text = format!("{text}int (*p)(int) = h; struct s {{ int (*m)(int); }} *s;\n");
        assert_eq!(parts_of(&text, "f"), ["f", "g"]);
        for (caller, more) in [
            ("int k(int x) { return p(x); }", ""),
            ("int k(int x) { return (*p)(x); }", ""),
            ("int k(int x) { return (1 ? p : p)(x); }", ""),
            ("int k(int x) { return s->m(x); }", ""),
            ("int k(int x) { int (*g)(int) = p; return g(x); }", "g"),
            ("int k(int g(int)) { return g(1); }", "g"),
            ("int k(int *a) { qsort(a, 2, 4, p); return *a; }", ""),
            ("int l(int x) { return (int)(x) + p(x); } int k(int x) { return sizeof(int) + l(x); }", "l"),
        ] {
            let found = parts_of(&format!("{text}{caller}\n"), "k");
            assert!(found.contains(&"h".to_string()), "{caller}: {found:?}");
            assert!(more.is_empty() || found.contains(&more.to_string()), "{caller}: {found:?}");
        }
        for caller in [
            "int k(int x) { return (int)(x) + sizeof(int); }",
            "int k(int x) { if (x) return (x); while (x) (void)(x); return undefined(x); }",
            "int k(int (*q)(int)) { return q == p; }",
        ] {
            assert_eq!(parts_of(&format!("{text}{caller}\n"), "k"), ["k"], "{caller}");
        }
        // A static object is a global variable, and a struct in a head is known behind it.
        let text = "int c(void) { static int n; return n++; }\nstruct s { int a; } r(void) { }\n\
                    int f(void) { }\n\
                    #pragma pack(1)\nint k(void) { }\nint l(void) { }\n";
        assert_eq!(parts_of(text, "f"), ["c", "r", "f", "k"]);
    }

    #[test]
    fn the_line_of_an_assertion_does_not_matter() {
        let text = |line: u32| format!(", \"a.c\", {line}, __extension__ __PRETTY_FUNCTION__); }}))");
        assert_eq!(without_line(&text(17), 17), without_line(&text(20), 20));
        assert_eq!(without_line(&text(17), 20), text(17));
        assert_eq!(without_line("f(\"a\", 17, 1)", 17), "f(\"a\", 17, 1)");
    }

    #[test]
    fn the_content_of_a_part_stays_when_it_is_moved() {
        let of = |text: &str| {
            let input = Input::Text("a.i".into(), text.into());
            outline(&[input], &COptions::default()).unwrap().parts
        };
        let text = "int f(void) {\n  return 1;\n}\nint g(void) { return 2; }\n";
        let (here, there) = (of(text), of(&format!("\n\n{text}")));
        for (a, b) in here.iter().zip(&there) {
            assert_eq!(a.content, b.content);
            assert_eq!((a.extent.first + 2, a.extent.last + 2), (b.extent.first, b.extent.last));
        }
        assert_eq!((here[0].extent.first, here[0].extent.last), (1, 3));
        assert_ne!(of(&text.replace("  return 1", "   return 1"))[0].content, here[0].content);
        assert_ne!(of(&text.replace("int g", " int g"))[1].content, here[1].content);
    }
}
