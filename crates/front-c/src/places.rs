//! Invariants of a proof as C expressions, each at a place of the source where it holds and can be evaluated.
//!
//! The formula of a loop head holds each time the condition of a `while` or `for` is about to be evaluated:
//! it is a *loop* invariant at the keyword. Variables that a `for` declares have no name at its keyword; if
//! the condition has no side effect, the whole formula holds at the first statement of the body too, and
//! becomes a *location* invariant there. The head of a `do` loop is before its body, and not before its
//! condition: its formula is a location invariant at the first statement of the body. Loops made of `goto`
//! have none.
//!
//! A function that is called from several places has a formula for each call; the invariant is their
//! disjunction.
//!
//! Entry point: [`Story::invariants`].

use std::collections::{BTreeMap, BTreeSet};

use palisade_program::{CutInvariants, Loc, Program};
use palisade_report::{CInvariant, PlaceKind, is_pure};
use palisade_term::{Term, TermPool};

use crate::c_expr;
use crate::source::Source;
use crate::story::{Name, Story};
use crate::types::Type;

/// Kind, translation unit and offset.
type Key = (PlaceKind, u32, usize);

impl Story {
    /// The invariants of a proof that can be said in C.
    pub fn invariants(&self, pool: &TermPool, program: &Program, proof: &CutInvariants) -> Vec<CInvariant> {
        // For each place the formulas of all calls; one that says nothing is there as an empty list.
        let mut found: BTreeMap<Key, (String, Vec<Vec<String>>)> = BTreeMap::new();
        for l in program.locs() {
            let Some(site) = self.sites.get(l.index()).copied().flatten().filter(|s| s.head) else {
                continue;
            };
            let function = self.frames[site.frame as usize].function.clone();
            for (kind, offset) in self.places(site.span.unit, site.span.start as usize) {
                let said = match proof.at(l) {
                    // The loop of this call is never reached.
                    Some(f) if f == pool.fls() => continue,
                    Some(f) => {
                        c_expr::conjuncts(pool, f, &|t| self.name_at(t, site.span.unit, offset, site.frame))
                    }
                    None => Vec::new(),
                };
                let entry = found.entry((kind, site.span.unit, offset)).or_default();
                entry.0.clone_from(&function);
                if !entry.1.contains(&said) {
                    entry.1.push(said);
                }
            }
        }
        let loops: BTreeSet<Vec<String>> = found
            .iter()
            .filter(|(k, _)| k.0 == PlaceKind::Loop)
            .flat_map(|(_, (_, said))| said.iter().cloned())
            .collect();
        let mut out = Vec::new();
        for ((kind, unit, offset), (function, said)) in found {
            let conjuncts = match &said[..] {
                [one] => one.clone(),
                many if many.iter().any(Vec::is_empty) => continue,
                many => {
                    let each = many.iter().map(|c| format!("({})", c_expr::conjunction(c)));
                    vec![each.collect::<Vec<_>>().join(" || ")]
                }
            };
            // The body of a loop need not repeat what is said at its keyword.
            let repeated = kind == PlaceKind::Location && loops.contains(&conjuncts);
            if conjuncts.is_empty() || repeated {
                continue;
            }
            let source = &self.sources[unit as usize];
            out.push(CInvariant {
                kind,
                position: (&source.position(offset)).into(),
                in_input: (&source.place_in_input(offset)).into(),
                function,
                expression: c_expr::conjunction(&conjuncts),
                conjuncts,
            });
        }
        out
    }

    /// The places where the formula of a loop head holds: where the loop begins, and in its body.
    fn places(&self, unit: u32, start: usize) -> Vec<(PlaceKind, usize)> {
        let source = &self.sources[unit as usize];
        if source.in_expansion(start) {
            return Vec::new();
        }
        let text = &*source.text;
        let rest = text.get(start..).unwrap_or("");
        let word: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let mut out = Vec::new();
        match word.as_str() {
            "while" | "for" => {
                out.push((PlaceKind::Loop, start));
                let open = blank(text, start + word.len());
                if let Some(close) = closing(text, open) {
                    let header = &text[open + 1..close];
                    let condition =
                        if word == "for" { header.split(';').nth(1).unwrap_or("") } else { header };
                    if is_pure(condition) {
                        out.extend(first_statement(source, close + 1).map(|at| (PlaceKind::Location, at)));
                    }
                }
            }
            "do" => out.extend(first_statement(source, start + 2).map(|at| (PlaceKind::Location, at))),
            _ => {}
        }
        out
    }

    /// The name of a variable of the automaton at a place, in a call.
    fn name_at(&self, variable: Term, unit: u32, offset: usize, frame: u32) -> Option<(String, Type)> {
        let name = self.names.get(&variable)?;
        let plain = name.text.chars().all(|c| c.is_alphanumeric() || "_$.[]".contains(c));
        let scope = name.scope?;
        let here = |n: &Name| {
            n.scope.is_some_and(|s| s.unit == unit && s.start as usize <= offset && offset < s.end as usize)
        };
        let nameable = plain && name.strides.is_empty() && !name.internal && here(name);
        if !nameable || name.frame.is_some_and(|f| f != frame) {
            return None;
        }
        let base = |n: &Name| n.text.split(['.', '[']).next().unwrap_or("").to_string();
        let inner = |n: &Name| {
            let later = n.scope.is_some_and(|s| s.start > scope.start);
            n.frame == Some(frame) && here(n) && (name.frame.is_none() || later)
        };
        let own = base(name);
        let hidden = self.names.values().any(|n| inner(n) && base(n) == own);
        (!hidden).then(|| (name.text.clone(), name.ty.clone()))
    }
}

/// The site of a location: the statement it is at, in a call, and whether that is a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) span: crate::ir::Span,
    pub(crate) frame: u32,
    pub(crate) head: bool,
}

/// All locations' sites.
pub(crate) fn sites(program: &Program, of: &dyn Fn(Loc) -> Option<Site>) -> Vec<Option<Site>> {
    program.locs().map(of).collect()
}

/// The first offset from here on that is neither blank nor in a line marker.
fn blank(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(b) = bytes.get(at) {
        let line_start = at == 0 || bytes[at - 1] == b'\n';
        if *b == b'#' && line_start {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
        } else if b.is_ascii_whitespace() {
            at += 1;
        } else {
            break;
        }
    }
    at
}

/// The parenthesis that closes the one at this offset.
fn closing(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.get(open) != Some(&b'(') {
        return None;
    }
    let (mut depth, mut i) = (0, open);
    while i < bytes.len() {
        match bytes[i] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'"' | b'\'' => i = crate::source::literal_end(bytes, i),
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// The first statement of the block that begins here.
fn first_statement(source: &Source, at: usize) -> Option<usize> {
    let text = &*source.text;
    let open = blank(text, at);
    if text.as_bytes().get(open) != Some(&b'{') {
        return None;
    }
    let first = blank(text, open + 1);
    let ends = matches!(text.as_bytes().get(first), None | Some(b'}' | b'{' | b';'));
    (!ends && !source.in_expansion(first)).then_some(first)
}
