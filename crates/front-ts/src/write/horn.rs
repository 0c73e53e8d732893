//! A program as Horn clauses: every location but entry and error is a predicate over its variables, every
//! edge a clause.

use std::fmt::Write as _;

use palisade_program::{Loc, Program};
use palisade_smtlib::Writer;
use palisade_term::{Term, TermPool};

use super::origin_text;

/// Horn clauses as text, with the symbols that were given to the locations.
#[derive(Clone, Debug)]
pub struct HornText {
    /// The script.
    pub text: String,
    /// The predicate of each location, as written; `None` for entry and error.
    pub predicates: Vec<Option<String>>,
}

/// The program as an SMT-LIB script of logic `HORN`, satisfiable if and only if the error location is
/// unreachable.
pub fn horn(pool: &TermPool, program: &Program) -> String {
    horn_text(pool, program).text
}

/// As [`horn`], with the names of the predicates.
pub fn horn_text(pool: &TermPool, program: &Program) -> HornText {
    let mut writer = Writer::new(pool);
    let mut out = String::from("(set-logic HORN)\n\n");
    let mut predicates: Vec<Option<String>> = Vec::new();
    for l in program.locs() {
        let is_predicate = l != program.entry && l != program.error;
        predicates.push(is_predicate.then(|| writer.names.reserve(&program.location(l).name)));
    }
    for l in program.locs() {
        if let Some(name) = &predicates[l.index()] {
            let sorts: Vec<String> = program.sorts(pool, l).map(ToString::to_string).collect();
            let _ = writeln!(out, "(declare-fun {name} ({}) Bool)", sorts.join(" "));
        }
    }
    for edge in &program.edges {
        let apply = |writer: &mut Writer<'_>, l: Loc, args: &[Term]| match &predicates[l.index()] {
            Some(name) if args.is_empty() => name.clone(),
            Some(name) => {
                let args: Vec<String> = args.iter().map(|&a| writer.term(a)).collect();
                format!("({name} {})", args.join(" "))
            }
            None if l == program.error => "false".to_string(),
            None => "true".to_string(),
        };
        let vars: Vec<Term> = program.vars(edge.source).iter().chain(&edge.inputs).copied().collect();
        let bound = writer.sorted_vars(&vars);
        let body = apply(&mut writer, edge.source, program.vars(edge.source));
        let head = apply(&mut writer, edge.target, &edge.update);
        let guard = writer.term(edge.guard);
        let body = match (body.as_str(), guard.as_str()) {
            ("true", _) => guard,
            (_, "true") => body,
            _ => format!("(and {body} {guard})"),
        };
        let _ = writeln!(out, "\n; {}", origin_text(edge));
        let clause = format!("(=> {body}\n      {head})");
        let _ = if vars.is_empty() {
            writeln!(out, "(assert\n  {clause})")
        } else {
            writeln!(out, "(assert (forall {bound}\n  {clause}))")
        };
    }
    out.push_str("\n(check-sat)\n");
    HornText { text: out, predicates }
}
