//! Proofs as SMT-LIB: one `define-fun` for every annotated location but entry and error, named like the
//! location, with its variables as parameters in their order. A location that is not in the file has no
//! formula: consecution holds along the paths through it. Where such locations are on a cycle, `(set-info
//! :palisade-rounds 9)` says how often a path comes back to the head of one, at most, before it leaves it.
//!
//! For a Horn system locations are predicates, so the file of a proof for all of them is a model in the form
//! of CHC-COMP: put it in place of the declarations of the input, and any solver can validate the clauses.
//!
//! ```smt2
//! (set-info :palisade-options ("int=c" "signed=undefined" "width=32" "check=assert" "undefined=report"))
//! (define-fun loop ((x Int) (n Int)) Bool
//!   (<= x n))
//! ```
//! A formula about all cells of an array begins with `(forall ((k Int)) ...)`.
//!
//! The options are there for C only, where they decide what the program is. The reader takes what other Horn
//! solvers print, too: a leading `sat`, the definitions inside one pair of parentheses (with or without
//! `model`), auxiliary functions defined before their use. The formulas of entry and error are not in the
//! file: they are true and false.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use palisade_program::{CutInvariants, Loc, Program};
use palisade_smtlib::names::{encode, quote};
use palisade_smtlib::{Context, Sexpr, Tree, Writer};
use palisade_term::{Term, TermPool, Version};

use crate::{FileError, options};

/// The keyword of the number of rounds.
const ROUNDS: &str = "palisade-rounds";

/// The file of a proof for the program that the front-end makes under these options
/// ([`crate::read_options`]).
pub fn write_proof(
    pool: &TermPool,
    program: &Program,
    invariants: &CutInvariants,
    options: &[String],
) -> String {
    let mut out = String::from(match invariants.first_interior() {
        Some(_) if invariants.rounds.is_some() => {
            "; Every run ends, by Palisade: no path through locations without a formula comes back to the\n\
             ; head of a loop more often than the number of rounds says before it leaves that loop.\n"
        }
        None => "; An inductive invariant for every location, by Palisade.\n",
        Some(_) => {
            "; Inductive invariants for locations that cut every cycle, by Palisade.\n\
             ; Every path from one of them (or the entry) to the next preserves them. Other locations have \
             none.\n"
        }
    });
    out.push_str(&options::line(options));
    if let Some(rounds) = invariants.rounds {
        let _ = writeln!(out, "(set-info :{ROUNDS} {rounds})");
    }
    for (l, symbol) in symbols(program) {
        let Some(formula) = invariants.at(l) else { continue };
        // A writer of its own: parameters of different locations may have the same names.
        let mut writer = Writer::new(pool);
        let params = writer.sorted_vars(program.vars(l));
        if let Some(position) = &program.location(l).position {
            let _ = writeln!(out, "; {}", position.to_string().replace(['\n', '\r'], " "));
        }
        let _ = write!(out, "(define-fun {} {params} Bool\n  ", quote(&symbol));
        let bound = invariants.forall_of(pool, formula);
        if !bound.is_empty() {
            let _ = write!(out, "(forall {} ", writer.sorted_vars(&bound));
        }
        writer.write_term(&mut out, formula);
        out.push_str(if bound.is_empty() { ")\n" } else { "))\n" });
    }
    out
}

/// Reads the file of a proof for this program. What it claims is not checked yet; nor is that it has a
/// formula for every location, which a model of Horn clauses must have ([`all_defined`]).
pub fn read_proof(pool: &TermPool, program: &Program, text: &str) -> Result<CutInvariants, FileError> {
    let error = |e: palisade_smtlib::Error| FileError(e.to_string());
    let tree = Tree::parse(text).map_err(error)?;
    Context::new(pool).reserve_names(&tree);
    let forms = definitions(&tree)?;
    let symbols = symbols(program);
    let by_symbol: BTreeMap<&str, Loc> = symbols.iter().map(|(l, s)| (s.as_str(), *l)).collect();
    let mut invariants = CutInvariants::bare(pool, program);
    invariants.rounds = read_rounds(&tree)?;
    let mut auxiliary: Vec<Sexpr<'_>> = Vec::new();
    for form in forms {
        let items = form.items();
        let Some([_, name, params, sort, body]) = items.exactly() else {
            return Err(at(form, "a definition has the form (define-fun name (params) Bool formula)"));
        };
        let Some(l) = name.symbol().and_then(|s| by_symbol.get(s)) else {
            auxiliary.push(form);
            continue;
        };
        if invariants.at(*l).is_some() {
            return Err(at(form, &format!("`{}` is defined twice", name.text())));
        }
        let mut context = Context::new(pool);
        for &form in &auxiliary {
            context.define_fun(form, &mut Vec::new()).map_err(error)?;
        }
        if !sort.is_symbol("Bool") {
            return Err(at(sort, "an invariant has the sort Bool"));
        }
        bind(pool, &mut context, program.vars(*l), params)?;
        let body = for_all(pool, &mut context, body, &mut invariants.forall)?;
        let formula = context.formula(body).map_err(error)?;
        if !context.opaques_of(formula).is_empty() {
            return Err(at(
                body,
                "an invariant may begin with `forall`; other quantifiers are not supported",
            ));
        }
        invariants.set(*l, formula);
    }
    Ok(invariants)
}

/// What a formula says for all values of some variables, if it begins with `forall`. These become the first
/// variables of their sort in `forall`, which serve all formulas.
fn for_all<'t>(
    pool: &TermPool,
    context: &mut Context<'_>,
    formula: Sexpr<'t>,
    forall: &mut Vec<Term>,
) -> Result<Sexpr<'t>, FileError> {
    let Some(items) = formula.form("forall") else { return Ok(formula) };
    let Some([_, bound, body]) = items.exactly() else {
        return Err(at(formula, "a quantifier has the form (forall ((name Sort) ...) formula)"));
    };
    let given = context.sorted_vars(bound).map_err(|e| FileError(e.to_string()))?;
    let mut taken: Vec<Term> = Vec::new();
    for (name, sort) in given {
        let known = forall.iter().copied().find(|v| *pool.sort(*v) == sort && !taken.contains(v));
        let var = known.unwrap_or_else(|| {
            let fresh = pool.fresh_var(name, sort.clone());
            forall.push(fresh);
            fresh
        });
        taken.push(var);
        context.define_name(name, var);
    }
    Ok(body)
}

/// The number of rounds that a certificate claims.
fn read_rounds(tree: &Tree<'_>) -> Result<Option<u32>, FileError> {
    let mut found = None;
    for root in tree.roots() {
        let Some([_, name, value]) = root.form("set-info").and_then(|items| items.exactly()) else {
            continue;
        };
        if name.keyword().map(|k| k.trim_start_matches(':')) != Some(ROUNDS) {
            continue;
        }
        let Some(rounds) = value.index() else {
            return Err(at(value, "a number of rounds was expected here"));
        };
        if found.replace(rounds).is_some() {
            return Err(at(root, "the rounds are given twice"));
        }
    }
    Ok(found)
}

/// Is there a formula for every location, as in a model of Horn clauses?
pub fn all_defined(program: &Program, invariants: &CutInvariants) -> Result<(), FileError> {
    match symbols(program).into_iter().find(|(l, _)| invariants.at(*l).is_none()) {
        Some((_, symbol)) => Err(FileError(format!("there is no definition of `{symbol}`"))),
        None => Ok(()),
    }
}

/// Lets the parameters mean the variables of the location.
pub(crate) fn bind(
    pool: &TermPool,
    context: &mut Context<'_>,
    vars: &[Term],
    params: Sexpr<'_>,
) -> Result<(), FileError> {
    let given = context.sorted_vars(params).map_err(|e| FileError(e.to_string()))?;
    if given.len() != vars.len() {
        return Err(at(params, &format!("{} parameters are given, {} are needed", given.len(), vars.len())));
    }
    for ((name, sort), &v) in given.into_iter().zip(vars) {
        if sort != *pool.sort(v) {
            return Err(at(params, &format!("the parameter `{name}` has sort {sort}, not {}", pool.sort(v))));
        }
        context.define_name(name, v);
    }
    Ok(())
}

/// The definitions of a file, with what solvers put around them taken away.
fn definitions<'t>(tree: &'t Tree<'_>) -> Result<Vec<Sexpr<'t>>, FileError> {
    let mut out = Vec::new();
    for root in tree.roots() {
        if root.is_symbol("sat") || root.form("set-info").is_some() {
            continue;
        }
        if root.form("define-fun").is_some() {
            out.push(root);
            continue;
        }
        let Some(items) = root.list() else {
            return Err(at(root, "a definition was expected here"));
        };
        let inner = if root.form("model").is_some() { items.from(1) } else { items };
        for item in inner.iter() {
            if item.form("define-fun").is_none() {
                return Err(at(item, "a definition was expected here"));
            }
            out.push(item);
        }
    }
    Ok(out)
}

pub(crate) fn at(s: Sexpr<'_>, message: &str) -> FileError {
    FileError(format!("{}: {message}", s.pos()))
}

/// The symbol of every location but entry and error: its name, encoded only if it cannot be a symbol.
pub(crate) fn symbols(program: &Program) -> Vec<(Loc, String)> {
    let is_symbol =
        |name: &str| !name.is_empty() && !name.contains(['|', '\\']) && !name.chars().any(char::is_control);
    let others = || program.locs().filter(|&l| l != program.entry && l != program.error);
    let name = |l: Loc| program.location(l).name.as_str();
    // Names are unique, but an encoding could meet another location's name.
    let taken: BTreeSet<&str> = others().map(name).collect();
    let encoded = |text: &str| {
        let mut symbol = encode(text, Version::Plain);
        while taken.contains(symbol.as_str()) {
            symbol.push('~');
        }
        symbol
    };
    others().map(|l| (l, if is_symbol(name(l)) { name(l).into() } else { encoded(name(l)) })).collect()
}
