//! The measures of a proof that every run ends: they say what its program is, as options do.
//!
//! ```smt2
//! (set-info :palisade-measure (main:10 ((i Int) (n Int)) ((- n i))))
//! (set-info :palisade-measure (main:20 100))
//! ```
//! The head of a loop, its variables and the terms that go down, the first one first; or the number of rounds
//! that are left at first. The formulas of the proof are about the program that watches these measures
//! ([`Measures::watch`]).

use std::fmt::Write as _;

use palisade_program::{Loc, Measure, Measures, Program};
use palisade_smtlib::names::quote;
use palisade_smtlib::{Context, Sexpr, Tree, Writer};
use palisade_term::{Sort, TermPool};

use crate::FileError;
use crate::proof_file::{at, bind, symbols};

const KEYWORD: &str = "palisade-measure";

/// The lines that stand before a proof.
pub fn write_measures(pool: &TermPool, program: &Program, measures: &Measures) -> String {
    let symbols = symbols(program);
    let mut out = String::new();
    for (head, measure) in &measures.of {
        let Some((_, symbol)) = symbols.iter().find(|(l, _)| l == head) else { continue };
        let _ = write!(out, "(set-info :{KEYWORD} ({} ", quote(symbol));
        match measure {
            Measure::Rounds(n) => {
                let _ = write!(out, "{n}");
            }
            Measure::Terms(terms) => {
                let mut writer = Writer::new(pool);
                let params = writer.sorted_vars(program.vars(*head));
                let _ = write!(out, "{params} (");
                for (i, &t) in terms.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { " " });
                    writer.write_term(&mut out, t);
                }
                out.push(')');
            }
        }
        out.push_str("))\n");
    }
    out
}

/// The measures that a certificate names, of loops of the program as the front-end gave it.
pub fn read_measures(pool: &TermPool, program: &Program, text: &str) -> Result<Measures, FileError> {
    let tree = Tree::parse(text).map_err(|e| FileError(e.to_string()))?;
    Context::new(pool).reserve_names(&tree);
    let symbols = symbols(program);
    let mut measures = Measures::default();
    for root in tree.roots() {
        let Some([_, name, value]) = root.form("set-info").and_then(|items| items.exactly()) else {
            continue;
        };
        if name.keyword().map(|k| k.trim_start_matches(':')) != Some(KEYWORD) {
            continue;
        }
        let form = || at(value, "a measure is (HEAD ROUNDS) or (HEAD (VARIABLES) (TERMS))");
        let items = value.list().ok_or_else(form)?;
        let symbol = items.iter().next().and_then(|s| s.symbol().map(String::from)).ok_or_else(form)?;
        let Some((head, _)) = symbols.iter().find(|(_, s)| *s == symbol) else {
            return Err(at(value, &format!("there is no location `{symbol}`")));
        };
        if measures.of.iter().any(|(l, _)| l == head) {
            return Err(at(value, &format!("`{symbol}` has two measures")));
        }
        let measure = match (items.exactly(), items.exactly()) {
            (Some([_, rounds]), _) => Measure::Rounds(rounds.index().ok_or_else(form)?),
            (_, Some([_, params, terms])) => read_terms(pool, program, *head, params, terms)?,
            _ => return Err(form()),
        };
        measures.of.push((*head, measure));
    }
    Ok(measures)
}

fn read_terms(
    pool: &TermPool,
    program: &Program,
    head: Loc,
    params: Sexpr<'_>,
    terms: Sexpr<'_>,
) -> Result<Measure, FileError> {
    let mut context = Context::new(pool);
    bind(pool, &mut context, program.vars(head), params)?;
    let mut out = Vec::new();
    for s in terms.list().ok_or_else(|| at(terms, "a list of terms was expected here"))?.iter() {
        let term = context.term(s).map_err(|e| FileError(e.to_string()))?;
        if !matches!(pool.sort(term), Sort::Int | Sort::BitVec(_)) || !context.opaques_of(term).is_empty() {
            return Err(at(s, "a measure is an integer or a word, without quantifiers"));
        }
        out.push(term);
    }
    Ok(Measure::Terms(out))
}
