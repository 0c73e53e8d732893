//! A program as text for people.

use std::fmt::Write as _;

use palisade_program::Program;
use palisade_smtlib::Writer;
use palisade_term::{Term, TermPool};

use super::{origin_text, short_infix};

/// Formulas longer than this in infix notation are written in SMT-LIB notation, which shares subterms.
const INFIX: usize = 2000;

/// The locations with their variables, and the edges below the location they leave.
pub fn cfa(pool: &TermPool, program: &Program) -> String {
    let mut writer = Writer::new(pool);
    let mut show = |t: Term| short_infix(pool, t, INFIX).unwrap_or_else(|| writer.term(t));
    let mut out = String::new();
    let outgoing = program.outgoing();
    let _ = writeln!(out, "program: {} locations, {} edges", program.locations.len(), program.edges.len());
    for l in program.locs() {
        let location = program.location(l);
        let mark = match l {
            l if l == program.entry => " (entry)",
            l if l == program.error => " (error)",
            _ => "",
        };
        let vars: Vec<String> =
            location.vars.iter().map(|&v| format!("{}: {}", pool.var_display(v), pool.sort(v))).collect();
        let _ = write!(out, "\nlocation {}{mark}({})", location.name, vars.join(", "));
        if let Some(p) = &location.position {
            let _ = write!(out, "  at {p}");
        }
        out.push('\n');
        for &e in &outgoing[l.index()] {
            let edge = program.edge(e);
            let _ = writeln!(
                out,
                "  -> {}    ; edge {}: {}",
                program.location(edge.target).name,
                e.0,
                origin_text(edge)
            );
            if !edge.inputs.is_empty() {
                let inputs: Vec<String> = edge
                    .inputs
                    .iter()
                    .map(|&v| format!("{}: {}", pool.var_display(v), pool.sort(v)))
                    .collect();
                let _ = writeln!(out, "       input {}", inputs.join(", "));
            }
            if edge.guard != pool.tru() {
                for c in pool.conjuncts(edge.guard) {
                    let _ = writeln!(out, "       assume {}", show(c));
                }
            }
            for (&v, &u) in program.vars(edge.target).iter().zip(&edge.update) {
                if u != v {
                    let _ = writeln!(out, "       {} := {}", pool.var_display(v), show(u));
                }
            }
        }
    }
    out
}
