//! Invariants as a model of the Horn script they were found for, in the form of the CHC competition.

use std::fmt::Write as _;

use palisade_program::Loc;
use palisade_smtlib::Writer;
use palisade_term::{Term, TermPool};

use crate::Horn;

/// The interpretation of every predicate of the script: `((define-fun P ((x Int)) Bool ...) ...)`.
/// `invariant` gives the formula of a location over its variables. Predicates that were inlined are
/// interpreted by their definitions.
pub fn horn_model(pool: &TermPool, horn: &Horn, invariant: impl Fn(Loc) -> Term) -> String {
    let mut out = String::from("(\n");
    for p in &horn.map.predicates {
        // Parameters and bound variables are local: names may be used again in the next definition.
        let mut writer = Writer::new(pool);
        let params = writer.sorted_vars(horn.program.vars(p.location));
        let name = palisade_smtlib::names::quote(&p.name);
        let body = match &p.definition {
            Some(d) if d.vars.is_empty() => writer.term(d.formula),
            Some(d) => {
                let bound = writer.sorted_vars(&d.vars);
                format!("(exists {bound} {})", writer.term(d.formula))
            }
            None => writer.term(invariant(p.location)),
        };
        let _ = writeln!(out, "  (define-fun {name} {params} Bool {body})");
    }
    out.push_str(")\n");
    out
}
