//! Annotations of a C program, woven into its text as checks.
//!
//! | annotation | place | becomes |
//! |---|---|---|
//! | `//@ loop invariant E;` | before a loop | a check each time its condition is about to be evaluated |
//! | `__CPROVER_loop_invariant(E)` | behind the head of a loop | the same |
//! | `//@ requires E;` | before a function | a check on entry; assumed where verification begins |
//! | `//@ ensures E;` | before a function | a check at every return, with `\result` |
//! | `//@ assert E;` | before a statement | a check |
//!
//! `/*@ ... */` is the same as `//@`. A check that fails is a violation of the property `annotation`: nothing
//! is trusted. What follows a check may use it, since a run that fails it has ended. Parameters in `ensures`
//! have the values of the call. An annotation whose value is undefined in some run is unsupported there: it
//! must not end a run that the program itself goes on with. `A ==> B` is understood at the outside of an
//! expression.
//!
//! Invariants: lines stay as they are; an expression with a side effect is refused, and so is what is not
//! understood, with its line.
//!
//! Entry point: [`weave`].

use std::ops::Range;

use crate::instrument::{CLAIM, CLAIM_DECLARATION, RESULT, WOVEN, Weaver};
use crate::scan::{Scan, is_one_expression, is_pure, is_word};

/// The function that stands for an annotation that does not hold.
pub const WRONG: &str = "__palisade_wrong_annotation";

/// The function that is called at the beginning of one with `ensures`: from there on the front-end refuses a
/// `return` that is not woven, which a macro has made.
pub const ENSURES: &str = "__palisade_ensures";

/// The beginning of the variables that hold what parameters were at the call.
pub const OLD: &str = "__palisade_old_";

/// One clause of an annotation.
struct Clause {
    /// `loop invariant`, `requires`, `ensures`, `assert`.
    kind: &'static str,
    /// The expression in C.
    expression: String,
    /// Where the annotation begins.
    start: usize,
    /// Behind the annotation.
    end: usize,
    line: usize,
}

const KINDS: [&str; 4] = ["loop invariant", "requires", "ensures", "assert"];
const CPROVER: &str = "__CPROVER_loop_invariant";

/// A text with its annotations as checks.
#[derive(Clone, Debug)]
pub struct Woven {
    /// The text.
    pub text: String,
    /// The lines of `requires` clauses that are assumed: those of the function where verification begins.
    pub assumed: Vec<usize>,
}

/// The line of the first annotation of a text.
pub fn first(text: &str) -> Option<usize> {
    if !text.contains("//@") && !text.contains("/*@") {
        return None;
    }
    match comments(text) {
        Ok(clauses) => clauses.first().map(|c| c.line),
        Err((line, _)) => Some(line),
    }
}

/// The text with its annotations as checks; `None` if it has none. Verification begins at `entry`.
///
/// # Errors
/// Says which annotation is not understood.
pub fn weave(name: &str, text: &str, entry: &str) -> Result<Option<Woven>, String> {
    let at_line = |(line, e): (usize, String)| format!("{name}:{line}: {e}");
    if let Some(at) = text.find(WOVEN) {
        let line = text[..at].matches('\n').count() + 1;
        return Err(at_line((line, format!("names that begin with `{WOVEN}` are reserved"))));
    }
    if !text.contains("//@") && !text.contains("/*@") && !text.contains(CPROVER) {
        return Ok(None);
    }
    let mut weaver = Weaver::new(text);
    let mut clauses = comments(text).map_err(at_line)?;
    clauses.extend(cprover(&mut weaver).map_err(at_line)?);
    if clauses.is_empty() {
        return Ok(None);
    }
    weaver.declare(&format!("{CLAIM_DECLARATION}extern void {WRONG}(void); extern void abort(void); "));
    let mut contracts: Vec<(usize, Vec<&Clause>)> = Vec::new();
    for clause in &clauses {
        let at = weaver.scan.skip_blank(clause.end);
        let located = |e: String| at_line((clause.line, e));
        match clause.kind {
            "loop invariant" => loop_invariant(&mut weaver, clause, at).map_err(located)?,
            "assert" => assertion(&mut weaver, clause, at).map_err(located)?,
            _ => match contracts.iter_mut().find(|(place, _)| *place == at) {
                Some((_, list)) => list.push(clause),
                None => contracts.push((at, vec![clause])),
            },
        }
    }
    let mut assumed = Vec::new();
    for (at, list) in contracts {
        let line = list.first().map_or(0, |c| c.line);
        assumed.extend(contract(&mut weaver, at, &list, entry).map_err(|e| at_line((line, e)))?);
    }
    Ok(Some(Woven { text: weaver.finish(name), assumed }))
}

/// A check as a statement of its own: an `else` that follows does not belong to it.
fn check(expression: &str) -> String {
    format!("{{ if (!{CLAIM}(!!({expression}))) {WRONG}(); }} ")
}

/// A check whose names are those of the whole file, not of the block where it stands: a second argument says
/// so.
fn check_outside(expression: &str) -> String {
    format!("{{ if (!{CLAIM}(!!({expression}), 1)) {WRONG}(); }} ")
}

/// An `assert` before the statement at `at`.
fn assertion(weaver: &mut Weaver<'_>, clause: &Clause, at: usize) -> Result<(), String> {
    let code = check(&clause.expression);
    let scan = &weaver.scan;
    if has_directive(&scan.text[clause.end..at]) {
        // The statement may be there when the annotation is not.
        if !scan.follows_statement(clause.start) {
            return Err("a line of the preprocessor stands between the annotation and its statement".into());
        }
        weaver.insert(clause.start, code);
        return Ok(());
    }
    if scan.word_at(at) == "else" {
        return Err("an assertion stands before a statement, not before `else`".into());
    }
    if scan.is_label(at) {
        return Err("an assertion stands behind a label, not before it".into());
    }
    let end = if scan.follows_statement(at) { None } else { scan.end_of_statement(at) };
    weaver
        .before_statement(at, end, &code, "")
        .map_err(|_| "this is the body of a branch or loop: put the assertion and it into braces".to_string())
}

/// Is there a line of the preprocessor?
fn has_directive(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with('#'))
}

/// The clauses in comments.
fn comments(text: &str) -> Result<Vec<Clause>, (usize, String)> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let rest = &bytes[i..];
        if bytes[i] == b'"' || bytes[i] == b'\'' {
            let quote = bytes[i];
            i += 1;
            while i < bytes.len() && bytes[i] != quote && bytes[i] != b'\n' {
                i += if bytes[i] == b'\\' { 2 } else { 1 };
            }
            i += 1;
            continue;
        }
        let end = if rest.starts_with(b"//") {
            text[i..].find('\n').map_or(text.len(), |n| i + n)
        } else if rest.starts_with(b"/*") {
            text[i + 2..].find("*/").map_or(text.len(), |n| i + 2 + n + 2)
        } else {
            i += 1;
            continue;
        };
        if bytes.get(i + 2) == Some(&b'@') {
            let line = text[..i].matches('\n').count() + 1;
            let body = text[i + 3..end].trim_end_matches("*/");
            for part in body.split(';').map(str::trim).filter(|p| !p.is_empty()) {
                out.push(clause(part, i..end, line).map_err(|e| (line, e))?);
            }
        }
        i = end;
    }
    Ok(out)
}

fn clause(text: &str, place: Range<usize>, line: usize) -> Result<Clause, String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_start_matches('@').trim_start();
    let found = KINDS.iter().find_map(|k| text.strip_prefix(k).map(|rest| (*k, rest)));
    let Some((kind, rest)) = found.filter(|(_, rest)| !rest.starts_with(|c: char| c.is_alphanumeric()))
    else {
        return Err(format!("the annotation `{text}` is not supported"));
    };
    Ok(Clause { kind, expression: expression(rest, kind)?, start: place.start, end: place.end, line })
}

/// An expression in C.
fn expression(text: &str, kind: &str) -> Result<String, String> {
    // Lines stay as they are, wherever it is put.
    let text = &text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((left, right)) = implication(text)? {
        return Ok(format!("!({}) || ({})", expression(left, kind)?, expression(right, kind)?));
    }
    let plain = text.replace("\\result", if kind == "ensures" { RESULT } else { "\\result" });
    if plain.is_empty() || plain.contains('\\') {
        return Err(format!("the expression `{text}` is not supported"));
    }
    if !is_one_expression(&plain) {
        return Err(format!("`{text}` is not one expression"));
    }
    if !is_pure(&plain) {
        return Err(format!("the expression `{text}` has a side effect or a call"));
    }
    Ok(plain)
}

/// The two sides of `A ==> B`.
fn implication(text: &str) -> Result<Option<(&str, &str)>, String> {
    if !text.contains("==>") {
        return Ok(None);
    }
    let mut depth = 0;
    let outside = text.char_indices().find(|&(i, c)| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        depth == 0 && text[i..].starts_with("==>")
    });
    match outside {
        Some((i, _)) if !text.contains(['?', '"', '\'']) && !text.contains("<==>") => {
            Ok(Some((&text[..i], &text[i + "==>".len()..])))
        }
        _ => Err(format!("in `{text}`, `==>` is only understood at the outside of an expression")),
    }
}

/// The clauses in the notation of CBMC; they are blanked.
fn cprover(weaver: &mut Weaver<'_>) -> Result<Vec<Clause>, (usize, String)> {
    let mut out = Vec::new();
    for at in weaver.scan.calls_of(CPROVER) {
        let text = weaver.scan.text;
        let line = text[..at].matches('\n').count() + 1;
        let open = weaver.scan.skip_blank(at + CPROVER.len());
        let located = |e: &str| (line, e.to_string());
        let close = weaver.scan.closing(open).ok_or_else(|| located("no closing parenthesis"))?;
        let inside = expression(&text[open + 1..close], "loop invariant").map_err(|e| located(&e))?;
        // The loop is the one whose head ends before.
        let start = loop_before(&weaver.scan, at).ok_or_else(|| located("there is no loop"))?;
        out.push(Clause { kind: "loop invariant", expression: inside, start, end: start, line });
        let lines = text[at..=close].matches('\n').count();
        weaver.replace(at..close + 1, &"\n".repeat(lines));
    }
    Ok(out)
}

/// The keyword of the loop whose head ends before an offset.
fn loop_before(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let mut last = scan.before(at)?;
    // Behind another clause of the same loop.
    while scan.at(last) == b')' {
        let open = scan.opening(last)?;
        let end = scan.before(open)?;
        let start = (0..=end).rev().take_while(|&j| is_word(scan.at(j))).last()?;
        match scan.word_at(start) {
            "while" | "for" => return Some(start),
            word if word == CPROVER => last = scan.before(start)?,
            _ => return None,
        }
    }
    None
}

fn loop_invariant(weaver: &mut Weaver<'_>, clause: &Clause, at: usize) -> Result<(), String> {
    let scan = &weaver.scan;
    if clause.end <= at && has_directive(&scan.text[clause.end..at]) {
        return Err("a line of the preprocessor stands between the annotation and its loop".into());
    }
    let word = scan.word_at(at).to_string();
    let open = scan.skip_blank(at + word.len());
    match word.as_str() {
        "do" if scan.at(open) == b'{' => weaver.insert(open + 1, format!(" {}", check(&clause.expression))),
        "while" | "for" => {
            let (from, to, _) = scan.condition_behind(at)?;
            let empty = scan.text[from..to].trim().is_empty();
            let test = format!("({CLAIM}(!!({})) ? (void)0 : {WRONG}()), (", clause.expression);
            weaver.insert(from, format!("({test}{}", if empty { "1" } else { "" }));
            weaver.insert(to, "))");
        }
        _ => return Err("a loop invariant stands before a loop".into()),
    }
    Ok(())
}

/// `requires` and `ensures` of the function that is defined here.
fn contract(weaver: &mut Weaver<'_>, at: usize, list: &[&Clause], entry: &str) -> Result<Vec<usize>, String> {
    let scan = &weaver.scan;
    let no_function = || "`requires` and `ensures` stand before the definition of a function".to_string();
    let open = (at..scan.text.len()).find(|&i| scan.at(i) == b'(').ok_or_else(no_function)?;
    let last = scan.before(open).filter(|&i| is_word(scan.at(i))).ok_or_else(no_function)?;
    let start = (0..=last).rev().take_while(|&j| is_word(scan.at(j))).last().ok_or_else(no_function)?;
    let name = scan.word_at(start).to_string();
    let close = scan.closing(open).ok_or_else(no_function)?;
    let body = scan.skip_blank(close + 1);
    if scan.at(body) != b'{' || scan.text[at..start].contains([';', '=', '}']) {
        return Err(no_function());
    }
    let end = scan.closing(body).ok_or_else(no_function)?;
    if list.iter().any(|c| has_directive(&scan.text[c.end..body])) {
        return Err("a line of the preprocessor stands between the annotation and its function".into());
    }
    let words = scan.text[at..start].split_whitespace();
    let result = words.filter(|w| !["static", "inline", "extern"].contains(w)).collect::<Vec<_>>().join(" ");
    let parameters = parameters(&scan.text[open + 1..close]);
    let (mut head, mut assumed) = (String::new(), Vec::new());
    for c in list.iter().filter(|c| c.kind == "requires") {
        let about_parameters = parameters.iter().any(|p| replace_word(&c.expression, p, "") != c.expression);
        if name == entry && (name != "main" || about_parameters) {
            // Only the first call is the one that verification begins with. A program begins with known
            // values of its variables: for them there is nothing to assume.
            assumed.push(c.line);
            head.push_str(&format!(
                " if (!__palisade_entered) {{ if (!{CLAIM}(!!({e}))) abort(); }} else {}",
                check(&c.expression),
                e = c.expression
            ));
        } else {
            head.push_str(&format!(" {}", check(&c.expression)));
        }
    }
    if name == entry && !head.is_empty() {
        weaver.declare("static int __palisade_entered; ");
        head.push_str(" __palisade_entered = 1; ");
    }
    let ensures: Vec<&&Clause> = list.iter().filter(|c| c.kind == "ensures").collect();
    let mut checks = String::new();
    for c in &ensures {
        let mut expression = c.expression.clone();
        for p in &parameters {
            let renamed = replace_word(&expression, p, &format!("{OLD}{p}"));
            if renamed != expression {
                let copy = format!(" __typeof__({p}) {OLD}{p} = {p};");
                if !head.contains(&copy) {
                    head.push_str(&copy);
                }
            }
            expression = renamed;
        }
        checks.push_str(&check_outside(&expression));
    }
    if !checks.is_empty() {
        head.push_str(&format!(" {ENSURES}(); "));
        weaver.declare(&format!("extern void {ENSURES}(void); "));
        for at in returns(&weaver.scan, body, end) {
            let stop = (at..end).find(|&i| weaver.scan.at(i) == b';').ok_or("a `return` without end")?;
            let value = weaver.scan.text[at + "return".len()..stop].trim().to_string();
            let lines = "\n".repeat(weaver.scan.text[at..=stop].matches('\n').count());
            let woven = if value.is_empty() {
                format!("{{ {checks}return; }}{lines}")
            } else {
                format!("{{ {result} {RESULT} = ({value}); {checks}return {RESULT}; }}{lines}")
            };
            weaver.replace(at..stop + 1, &woven);
        }
        // Behind its last statement, `main` returns zero; other functions, nobody knows what.
        let value = if name == "main" { " = 0" } else { "" };
        let at_end = match result.as_str() {
            "void" => format!(" {checks}"),
            _ if ends_with_return(&weaver.scan, body, end) => String::new(),
            _ => format!(" {{ {result} {RESULT}{value}; {checks}}}"),
        };
        weaver.insert(end, at_end);
    }
    weaver.insert(body + 1, head);
    Ok(assumed)
}

/// The `return`s between two offsets.
fn returns(scan: &Scan<'_>, from: usize, to: usize) -> Vec<usize> {
    (from..to).filter(|&i| scan.starts_word(i) && scan.word_at(i) == "return").collect()
}

/// Is the last statement of a block a `return`, whatever comes before it?
fn ends_with_return(scan: &Scan<'_>, open: usize, close: usize) -> bool {
    let is_end = |i: usize| matches!(scan.at(i), b';' | b'{' | b'}');
    let Some(last) = scan.before(close).filter(|&i| scan.at(i) == b';') else { return false };
    returns(scan, open, last)
        .last()
        .is_some_and(|&at| scan.before(at).is_some_and(is_end) && !(at..last).any(is_end))
}

/// The names of parameters.
fn parameters(text: &str) -> Vec<String> {
    let name = |p: &str| {
        let p = p.split('[').next().unwrap_or(p).trim_end();
        let start = p.bytes().rposition(|b| !is_word(b)).map_or(0, |i| i + 1);
        p[start..].to_string()
    };
    text.split(',').map(name).filter(|n| !n.is_empty() && n != "void").collect()
}

/// A text with one word replaced by another.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let before = rest[..at].bytes().last().is_some_and(|b| is_word(b) || b == b'.' || b == b'>');
        let after = rest[at + word.len()..].bytes().next().is_some_and(is_word);
        out.push_str(&rest[..at]);
        out.push_str(if before || after { word } else { by });
        rest = &rest[at + word.len()..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::WOVEN_END;

    fn woven(text: &str, entry: &str) -> String {
        let all = weave("a.c", text, entry).unwrap().expect("there are annotations").text;
        let text = all.split_once("# 1 \"a.c\"\n").unwrap().1;
        assert_eq!(text.matches(WOVEN).count(), text.matches(WOVEN_END).count());
        // Without the marks, and blanks as they come.
        let is_mark = |w: &str| w.starts_with(WOVEN) || w == WOVEN_END;
        let line = |l: &str| l.split_whitespace().filter(|w| !is_mark(w)).collect::<Vec<_>>().join(" ");
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn loops_are_checked_at_their_condition() {
        let text = "//@ loop invariant x <= n;\nwhile (x < n) x++;\n";
        let check = format!("({CLAIM}(!!(x <= n)) ? (void)0 : {WRONG}())");
        assert_eq!(
            woven(text, "main"),
            format!("//@ loop invariant x <= n;\nwhile ( ({check}, ( x < n )) ) x++;")
        );
        let text = "for (;;)\n  __CPROVER_loop_invariant(i >= 0 &&\n j)\n{ }\n";
        let check = format!("({CLAIM}(!!(i >= 0 && j)) ? (void)0 : {WRONG}())");
        assert_eq!(woven(text, "main"), format!("for (; ({check}, (1 )) ;)\n\n\n{{ }}"));
    }

    #[test]
    fn contracts_are_checked_or_assumed() {
        let text = "//@ requires a > 0; ensures \\result > a;\nint f(int a) { a++; return a; }\n";
        let out = woven(text, "main");
        assert!(
            out.contains(&format!(
                "{{ {{ if (!{CLAIM}(!!(a > 0))) {WRONG}(); }} __typeof__(a) {OLD}a = a; {ENSURES}(); a++;"
            )),
            "{out}"
        );
        assert!(out.contains(&format!("if (!{CLAIM}(!!({RESULT} > {OLD}a), 1)) {WRONG}();")), "{out}");
        assert!(
            woven(text, "f")
                .contains(&format!("if (!__palisade_entered) {{ if (!{CLAIM}(!!(a > 0))) abort(); }}"))
        );
        assert_eq!(out.lines().count(), text.lines().count());
    }

    #[test]
    fn functions_that_end_without_a_return_are_checked_there() {
        let checks = |body: &str| {
            let text = format!("//@ ensures \\result == 1;\nint main(void) {{ {body} }}\n");
            woven(&text, "main").matches(&format!("{RESULT} == 1), 1)")).count()
        };
        assert_eq!(checks("return (1);"), 1);
        assert_eq!(checks("if (x) return 1;"), 2);
        assert_eq!(checks("x = 3;"), 1);
        assert_eq!(checks("if (x) { return 1; } else { return 2; }"), 3);
        assert_eq!(checks("{ x = 3; } return 1;"), 1);
        assert_eq!(checks(""), 1);
    }

    #[test]
    fn implications_are_understood_at_the_outside() {
        let of = |text: &str| expression(text, "assert");
        assert_eq!(of("x ==> y && z").unwrap(), "!(x) || (y && z)");
        assert!(of("1))) {} while/**/(1) {} while/**/(((1").is_err());
        assert_eq!(of("(a || b) ==> c ==> d").unwrap(), "!((a || b)) || (!(c) || (d))");
        assert!(
            of("(x ==> y) && z").is_err() && of("z && (x ==> y)").is_err() && of("a ? b ==> c : d").is_err()
        );
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for bad in [
            "//@ loop invariant x++ < n;\nwhile (1);",
            "//@ loop invariant \\forall int i; a[i];\nwhile (1);",
            "//@ frees p;\nvoid f(void) {}",
            "//@ requires x;\nint y;",
            "//@ loop invariant x;\nx = 1;",
            "void f(void) { \n//@ assert (x ==> y) && z;\n; }",
            "void f(void) { \n//@ assert x <==> y;\n; }",
            "void f(int x) { switch (x) { case 1: break; \n//@ assert x == 7;\n case 3: ; } }",
            "int f(int x) { return 0; \n//@ assert x == 7;\n l: return 1; }",
        ] {
            assert!(weave("a.c", bad, "main").is_err(), "{bad}");
        }
        assert!(weave("a.c", "char *s = \"//@ frees\"; // x", "main").unwrap().is_none());
    }
}
