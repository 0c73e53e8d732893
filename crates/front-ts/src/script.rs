//! The commands that Horn and VMT scripts share.

use palisade_smtlib::{AnySort, Context, Error, Sexpr};
use palisade_term::Term;

/// The head symbol of a command.
pub(crate) fn command(s: Sexpr<'_>) -> Result<&str, Error> {
    s.items()
        .first()
        .and_then(|h| h.symbol())
        .ok_or_else(|| Error::malformed(s.pos(), "a command was expected here"))
}

/// `(declare-fun name (sorts) sort)` or `(declare-const name sort)`, taken apart.
pub(crate) struct Declaration<'t> {
    pub name: Sexpr<'t>,
    pub params: Vec<AnySort>,
    pub sort: AnySort,
}

pub(crate) fn declaration<'t>(context: &Context<'_>, s: Sexpr<'t>) -> Result<Declaration<'t>, Error> {
    let items = s.items();
    if let Some([head, name, sort]) = items.exactly()
        && head.is_symbol("declare-const")
    {
        return Ok(Declaration { name, params: Vec::new(), sort: context.any_sort(sort)? });
    }
    let Some([_, name, params, sort]) = items.exactly() else {
        return Err(Error::malformed(
            s.pos(),
            "a declaration has the form (declare-fun name (Sort ...) Sort)",
        ));
    };
    Ok(Declaration { name, params: sorts(context, params)?, sort: context.any_sort(sort)? })
}

/// A list of sorts.
pub(crate) fn sorts(context: &Context<'_>, s: Sexpr<'_>) -> Result<Vec<AnySort>, Error> {
    match s.list() {
        Some(items) => items.iter().map(|p| context.any_sort(p)).collect(),
        None => Err(Error::malformed(s.pos(), "a list of sorts was expected here")),
    }
}

/// `(define-sort name () sort)`.
pub(crate) fn define_sort(context: &mut Context<'_>, s: Sexpr<'_>) -> Result<(), Error> {
    match s.items().exactly() {
        Some([_, name, params, sort]) if params.list().is_some_and(|p| p.is_empty()) => {
            let sort = context.any_sort(sort)?;
            context.define_sort(name, sort)
        }
        Some(_) => Err(Error::unsupported(s.pos(), "sort definitions with parameters")),
        None => Err(Error::malformed(s.pos(), "a sort definition has the form (define-sort name () Sort)")),
    }
}

/// Uninterpreted functions: what to say about them.
pub(crate) fn uninterpreted(name: Sexpr<'_>) -> Error {
    Error::unsupported(name.pos(), format!("the uninterpreted function `{}`", name.text()))
        .hint("use define-fun, or an array")
}

/// Commands that neither language has a use for.
pub(crate) fn unknown_command(s: Sexpr<'_>, name: &str) -> Error {
    match name {
        "declare-sort" => Error::unsupported(s.pos(), "declared sorts"),
        "declare-datatypes" | "declare-datatype" => Error::unsupported(s.pos(), "algebraic data types"),
        "define-fun-rec" | "define-funs-rec" => Error::unsupported(s.pos(), "recursive definitions"),
        "push" | "pop" | "reset" | "reset-assertions" | "check-sat-assuming" => {
            Error::unsupported(s.pos(), format!("incremental scripts (`{name}`)"))
        }
        _ => Error::malformed(
            s.pos(),
            format!("unknown command `{}`", name.chars().take(60).collect::<String>()),
        ),
    }
}

/// Refuses formulas in which predicates or quantifiers occur.
pub(crate) fn expect_plain(context: &Context<'_>, t: Term, s: Sexpr<'_>) -> Result<(), Error> {
    match context.opaques_of(t).first() {
        None => Ok(()),
        Some(_) => Err(Error::unsupported(s.pos(), "quantifiers")),
    }
}
