//! A witness woven into the text of its C program.
//!
//! The instrumented program is an ordinary one, so that any engine can decide it and the checker checks the
//! answer.
//!
//! *Violation witnesses.* A counter says how many segments the run has gone through. A run that comes to the
//! waypoint that it is to follow next, and does not satisfy the constraint there, ends; so does one that
//! meets a waypoint to avoid in its segment. The target statement arms the error function: it is an error
//! only there, and only in the last segment. So the instrumented program has an error exactly if some run
//! that violates the property goes through the waypoints.
//!
//! *Correctness witnesses.* Each invariant is checked where it is claimed, as an error of its own.
//!
//! Calls of error functions are replaced in the text, and in the macros that it defines; failing assertions
//! wherever the preprocessor puts them. Who verifies the result must also ask for the errors themselves: one
//! that is still there, in a macro of a header say, is out of reach of the witness.
//!
//! What is woven in stands between marks ([`WOVEN`]), which say what it replaces. The front-end takes them
//! away and tells places, texts and runs of the program as its author wrote it.
//!
//! Lines stay as they are. Limits: positions inside macros and statements whose end cannot be found are
//! refused.
//!
//! Entry points: [`violation`], [`invariants`].

use std::fmt::Write as _;

use crate::scan::{Scan, is_one_expression};
use crate::witness_reader::{Constraint, Invariant, Location, Waypoint};

/// The function that stands for the call of an error function along the witness.
pub const VIOLATION: &str = "__palisade_violation";
/// The function that stands for an assertion that fails along the witness.
pub const ASSERTION: &str = "__palisade_violated_assertion";
/// The function that stands for an invariant that does not hold.
pub const WRONG: &str = "__palisade_wrong_invariant";

/// The function around an expression that is not of the program: the front-end refuses one that has an
/// effect, and a run in which it is undefined does not end there unseen.
pub const CLAIM: &str = "__palisade_claim";

/// The variable that says how many segments of a witness a run has gone through.
pub const SEGMENT: &str = "__palisade_at";

/// The variable that holds what a function returns.
pub const RESULT: &str = "__palisade_result";

/// The variable that holds what a call has returned, while that is looked at.
pub const RETURNED: &str = "__palisade_returned";

/// The declaration of [`CLAIM`].
pub(crate) const CLAIM_DECLARATION: &str = "extern int __palisade_claim(int, ...); ";

/// A mark before what is woven in: a name that ends with what it replaces, in hexadecimal digits.
pub const WOVEN: &str = "__palisade_woven_";

/// The mark behind what is woven in.
pub const WOVEN_END: &str = "__palisade_end_woven";

/// A text between marks, in place of another one.
fn marked(replaced: &str, text: &str) -> String {
    let mut out = format!(" {WOVEN}");
    for byte in replaced.bytes() {
        let _ = write!(out, "{byte:02x}");
    }
    let _ = write!(out, " {text} {WOVEN_END} ");
    out
}

/// The truth of an expression that is not of the program.
pub(crate) fn claim(expression: &str) -> Result<String, String> {
    if !is_one_expression(expression) {
        return Err(format!("`{expression}` is not one expression"));
    }
    Ok(format!("{CLAIM}(!!({expression}))"))
}

/// What violates the property of a violation witness.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    /// Calls of these functions.
    pub functions: Vec<String>,
    /// Assertions that fail.
    pub assertions: bool,
}

/// A file of the program.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name.
    pub name: String,
    /// What stands in it.
    pub text: String,
    /// It is preprocessed already.
    pub preprocessed: bool,
}

/// Which of the files a place is in. Of one file everything is: tools disagree about its name.
fn file_of(files: &[File], l: &Location) -> Result<usize, String> {
    if files.len() == 1 {
        return Ok(0);
    }
    let name = l.file_name.as_deref().ok_or("no file is named")?;
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_string();
    let mut alike = (0..files.len()).filter(|&i| last(&files[i].name) == last(name));
    let exact = (0..files.len()).find(|&i| files[i].name == name);
    match (exact, alike.next(), alike.next()) {
        (Some(i), _, _) | (None, Some(i), None) => Ok(i),
        (None, None, _) => Err(format!("{name} is none of the files")),
        (None, Some(_), Some(_)) => Err(format!("several files can be {name}")),
    }
}

/// The files of a program that has an error exactly if a run along the segments violates the property.
///
/// # Errors
/// Says which waypoint has no place in the files.
pub fn violation(files: &[File], errors: &Errors, segments: &[Vec<Waypoint>]) -> Result<Vec<String>, String> {
    let target = segments.len() - 1;
    let mut weavers = weavers(files, |first| {
        // Code that is not there cannot touch the state of one file.
        let state = match (files.len(), first) {
            (1, _) => "static ",
            (_, true) => "",
            (_, false) => "extern ",
        };
        format!(
            "extern void {VIOLATION}(void); extern void abort(void); \
             {state}int {SEGMENT}; {state}int __palisade_armed; \
             static int __palisade_arrived(void) {{ return __palisade_armed && {SEGMENT} == {target}; }} \
             static void __palisade_hit(void) {{ if (__palisade_arrived()) {VIOLATION}(); abort(); }} "
        )
    });
    // What is wrapped around an expression first is evaluated last, what is put before a statement first. At
    // one visit of a place only one segment may end, and what is to be avoided comes before what is to be
    // followed. A condition that is a call is decided after the call has returned.
    let all = || segments.iter().enumerate();
    let around = |kind: &'static str| {
        all().flat_map(move |(k, s)| s.iter().rev().filter(move |w| w.kind == kind).map(move |w| (k, w)))
    };
    let wraps = |w: &&Waypoint| matches!(w.kind.as_str(), "branching" | "function_return");
    let before = all().rev().flat_map(|(k, s)| s.iter().filter(|w| !wraps(w)).map(move |w| (k, w)));
    for (k, w) in around("branching").chain(around("function_return")).chain(before) {
        let woven = file_of(files, &w.location).and_then(|i| weavers[i].waypoint(w, k));
        woven.map_err(|e| format!("line {}: {e}", w.location.line))?;
    }
    for (weaver, file) in weavers.iter_mut().zip(files) {
        for f in &errors.functions {
            for at in weaver.scan.calls_of(f).into_iter().chain(weaver.scan.calls_in_macros(f)) {
                weaver.replace(at..at + f.len(), "__palisade_hit");
            }
        }
        if errors.assertions {
            weaver.assertions(&file.text, file.preprocessed);
        }
    }
    Ok(finish(weavers, files))
}

/// The files of a program in which each invariant is checked where it is claimed.
///
/// # Errors
/// Says which invariant has no place in the files.
pub fn invariants(files: &[File], list: &[Invariant]) -> Result<Vec<String>, String> {
    let mut weavers = weavers(files, |_| {
        format!("extern void {WRONG}(void); static void __palisade_check(int c) {{ if (!c) {WRONG}(); }} ")
    });
    for i in list {
        let woven = file_of(files, &i.location).and_then(|file| weavers[file].invariant(i));
        woven.map_err(|e| format!("line {}: {e}", i.location.line))?;
    }
    Ok(finish(weavers, files))
}

fn weavers(files: &[File], prelude: impl Fn(bool) -> String) -> Vec<Weaver<'_>> {
    let mut out: Vec<Weaver<'_>> = files.iter().map(|f| Weaver::new(&f.text)).collect();
    for (i, weaver) in out.iter_mut().enumerate() {
        weaver.declare(CLAIM_DECLARATION);
        weaver.declare(&prelude(i == 0));
    }
    out
}

fn finish(weavers: Vec<Weaver<'_>>, files: &[File]) -> Vec<String> {
    weavers.into_iter().zip(files).map(|(weaver, file)| weaver.finish(&file.name)).collect()
}

/// Collects edits of a text.
pub(crate) struct Weaver<'t> {
    pub(crate) scan: Scan<'t>,
    prelude: String,
    /// What is inserted where, and how many bytes it replaces; in the order in which it was asked for.
    edits: Vec<(usize, usize, String)>,
    count: usize,
}

impl<'t> Weaver<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Weaver { scan: Scan::new(text), prelude: String::new(), edits: Vec::new(), count: 0 }
    }

    /// Adds to the head of the text, before its first line.
    pub(crate) fn declare(&mut self, text: &str) {
        self.prelude.push_str(text);
    }

    pub(crate) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.edits.push((at, 0, text.into()));
    }

    /// Puts text around a part of the program, inside of what is around it already.
    fn wrap(&mut self, range: std::ops::Range<usize>, before: impl Into<String>, behind: impl Into<String>) {
        self.insert(range.start, before);
        self.edits.insert(0, (range.end, 0, behind.into()));
    }

    pub(crate) fn replace(&mut self, range: std::ops::Range<usize>, text: &str) {
        self.edits.push((range.start, range.len(), text.into()));
    }

    pub(crate) fn finish(mut self, name: &str) -> String {
        self.edits.sort_by_key(|e| e.0);
        self.prelude.push('\n');
        let mut out = format!("{}\n# 1 \"{name}\"\n", marked("", &self.prelude));
        let mut from = 0;
        for (at, replaced, text) in self.edits {
            if at >= from {
                out.push_str(&self.scan.text[from..at]);
                from = at;
            }
            let end = from.max(at + replaced);
            out.push_str(&marked(&self.scan.text[from..end], &text));
            from = end;
        }
        out.push_str(&self.scan.text[from..]);
        out
    }

    /// What happens at a waypoint when its condition holds.
    fn passing(w: &Waypoint, k: usize, condition: &str) -> Result<String, String> {
        let condition = claim(condition)?;
        if w.action == "avoid" {
            return Ok(format!("if ({SEGMENT} == {k} && {condition}) abort(); "));
        }
        let next = k + 1;
        Ok(format!("if ({SEGMENT} == {k}) {{ if (!{condition}) abort(); {SEGMENT} = {next}; }} "))
    }

    /// Failing assertions are violations along the witness.
    fn assertions(&mut self, text: &str, preprocessed: bool) {
        let _ = write!(
            self.prelude,
            "extern void {ASSERTION}(void); \
             static void __palisade_wrong(void) {{ if (__palisade_arrived()) {ASSERTION}(); abort(); }} \
             static void __palisade_assert(_Bool c) {{ if (!c) __palisade_wrong(); }} \
             static void __palisade_fail(const char *a, const char *f, unsigned l, const char *g) \
             {{ __palisade_wrong(); }} "
        );
        let is_macro = text.contains("assert.h") || text.contains("define assert");
        let mut replace = |word: &str, ours: &str| {
            for at in self.scan.calls_of(word) {
                self.edits.push((at, word.len(), ours.into()));
            }
        };
        if preprocessed || !is_macro {
            replace("assert", "__palisade_assert");
        }
        if preprocessed {
            replace("__assert_fail", "__palisade_fail");
        } else {
            // What the macro of the header expands to, wherever it is used.
            self.prelude.push_str("\n#define __assert_fail __palisade_fail");
        }
    }

    fn waypoint(&mut self, w: &Waypoint, k: usize) -> Result<(), String> {
        let constraint = w.constraint.as_ref().map(Constraint::text);
        match w.kind.as_str() {
            "assumption" => {
                let (start, end) = self.scan.statement(&w.location)?;
                let code = Self::passing(w, k, &constraint.ok_or("an assumption without a constraint")?)?;
                self.before_statement(start, end, &code, "")
            }
            "target" => {
                let start = self.scan.start_of_statement(self.scan.statement(&w.location)?.0);
                let end = self.scan.end_of_statement(start);
                // The last waypoints may be inside of the statement.
                let disarm = if end.is_some() { " __palisade_armed = 0;" } else { "" };
                self.before_statement(start, end, "__palisade_armed = 1; ", disarm)
            }
            "branching" => self.branching(w, k, &constraint.ok_or("a branching without a constraint")?),
            "function_enter" => {
                let (start, close) = self.scan.call(&w.location)?;
                let name = self.function(&Self::passing(w, k, "1")?, "void", "void");
                self.wrap(start..close + 1, format!("({name}(), "), ")");
                Ok(())
            }
            "function_return" => self.function_return(w, k, &constraint.unwrap_or_else(|| "1".into())),
            other => Err(format!("waypoints of type `{other}` are not supported")),
        }
    }

    fn function_return(&mut self, w: &Waypoint, k: usize, constraint: &str) -> Result<(), String> {
        let names_result = constraint.contains("\\result");
        let condition = claim(&constraint.replace("\\result", RETURNED))?;
        // At other visits the constraint is not asked for, and may be undefined.
        let code = Self::passing(w, k, "c")?;
        let check = self.function(&code, "void", "int c");
        let check = format!("{check}({SEGMENT} != {k} || {condition})");
        if w.location.column.is_none() && self.return_in_macro(&check, w.location.line) {
            return Ok(());
        }
        let (start, close) = self.scan.call(&w.location)?;
        let callee = self.scan.word_at(start);
        match (self.scan.returns_nothing(callee), names_result) {
            (true, true) => return Err(format!("`{callee}` returns nothing")),
            (true, false) => {
                self.wrap(start..close + 1, "(", format!(", {check})"));
            }
            (false, _) => self.behind_call(start..close + 1, &check),
        }
        Ok(())
    }

    /// Puts a check behind a call, which keeps its value and its type.
    fn behind_call(&mut self, call: std::ops::Range<usize>, check: &str) {
        let kept = format!("({{ __auto_type {RETURNED} = ");
        self.wrap(call, kept, format!("; {check}; {RETURNED}; }})"));
    }

    /// A macro that is used in this line asks for an input: in its body, where the line is asked for, or in
    /// its arguments. False if none does.
    fn return_in_macro(&mut self, check: &str, line: u32) -> bool {
        let uses = self.scan.macros_in_line(line);
        let inside: Vec<(usize, usize)> =
            uses.iter().flat_map(|range| self.scan.inputs_in(range.clone())).collect();
        for (start, close) in &inside {
            self.behind_call(*start..*close + 1, check);
        }
        let calls = if uses.is_empty() { Vec::new() } else { self.scan.inputs_in_macros() };
        for call in &calls {
            self.behind_call(call.clone(), &format!("if (__LINE__ == {line}) {check}"));
        }
        !calls.is_empty() || !inside.is_empty()
    }

    fn branching(&mut self, w: &Waypoint, k: usize, constraint: &str) -> Result<(), String> {
        let (from, to, is_switch) = self.scan.branch(&w.location)?;
        let condition = match (is_switch, constraint) {
            (false, "true") => "c".to_string(),
            (false, "false") => "!c".to_string(),
            (true, "default") => {
                let labels = self.scan.case_labels(to + 1);
                labels.iter().fold("1".to_string(), |all, label| format!("{all} && c != ({label})"))
            }
            (true, label) => format!("c == ({label})"),
            (false, other) => return Err(format!("a branch cannot be `{other}`")),
        };
        let ty = if is_switch { "long long" } else { "int" };
        let code = format!("{}return c; ", Self::passing(w, k, &condition)?);
        let name = self.function(&code, ty, &format!("{ty} c"));
        let empty = self.scan.text[from..to].trim().is_empty();
        let truth = if is_switch { "" } else { "!!" };
        self.wrap(from..to, format!("{name}({truth}({}", if empty { "1" } else { "" }), "))");
        Ok(())
    }

    /// Defines a function at the head of the program.
    fn function(&mut self, body: &str, result: &str, parameters: &str) -> String {
        self.count += 1;
        let name = format!("__palisade_w{}", self.count);
        let _ = write!(self.prelude, "static {result} {name}({parameters}) {{ {body}}} ");
        name
    }

    /// Puts code before (and behind) a statement, with braces where it is not in a block.
    pub(crate) fn before_statement(
        &mut self,
        start: usize,
        end: Option<usize>,
        before: &str,
        after: &str,
    ) -> Result<(), String> {
        let in_block = self.scan.follows_statement(start);
        match (in_block, end) {
            (true, Some(end)) if !after.is_empty() => {
                self.insert(start, before);
                self.insert(end, after);
            }
            (true, _) => self.insert(start, before),
            (false, Some(end)) => {
                self.insert(start, format!("{{ {before}"));
                self.insert(end, format!("{after} }}"));
            }
            (false, None) => return Err("the end of the statement is not found".into()),
        }
        Ok(())
    }

    fn invariant(&mut self, i: &Invariant) -> Result<(), String> {
        if i.format.as_deref().is_some_and(|f| f != "c_expression") {
            return Err("invariants other than C expressions are not supported".into());
        }
        let check = format!("__palisade_check({})", claim(&i.value)?);
        match i.kind.as_str() {
            "loop_invariant" => {
                let (from, to, is_switch) = self.scan.branch(&i.location)?;
                if is_switch {
                    return Err("there is no loop".into());
                }
                let empty = self.scan.text[from..to].trim().is_empty();
                self.wrap(from..to, format!("({check}, ({}", if empty { "1" } else { "" }), "))");
                Ok(())
            }
            "location_invariant" => {
                let (start, end) = self.scan.statement(&i.location)?;
                self.before_statement(start, end, &format!("{check}; "), "")
            }
            other => Err(format!("invariants of type `{other}` are not supported")),
        }
    }
}
