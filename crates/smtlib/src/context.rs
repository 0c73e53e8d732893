//! What names mean while a script is read: variables, macros, predicates, sorts; and the formulas the pool
//! cannot hold.
//!
//! Predicate applications and quantifiers have no place in the term language. A [`Context`] keeps each one
//! behind a fresh Boolean variable, its *opaque* variable, with an entry in a table: formulas with predicates
//! are then ordinary terms, and `let`, macros and every simplification work on them unchanged. Whoever reads
//! such a formula looks the variables up ([`Context::opaque`]).

use palisade_term::{Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::floats::{self, AnySort, Open, Read, Reading};
use crate::position::Pos;
use crate::sexpr::{Kind, Sexpr, Tree, shorten};
use crate::{Error, numbers};

/// Index of a declared predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredId(pub u32);

/// A declared predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: String,
    /// The sorts of its arguments.
    pub sorts: Vec<Sort>,
    /// What they stand for.
    pub(crate) readings: Vec<Reading>,
    /// Where it is declared.
    pub pos: Pos,
}

/// What an opaque variable stands for.
#[derive(Clone, Debug)]
pub enum Opaque {
    /// A predicate applied to terms.
    Apply {
        /// The predicate.
        predicate: PredId,
        /// Its arguments.
        args: Vec<Term>,
        /// Where it is applied first.
        pos: Pos,
    },
    /// A quantified formula.
    Quantified {
        /// `forall`? Otherwise `exists`.
        universal: bool,
        /// The bound variables. Copies of one macro's quantifier share them; no other two quantifiers of a
        /// formula do.
        vars: Vec<Term>,
        /// The formula below.
        body: Term,
        /// Where it stands.
        pos: Pos,
    },
}

/// What a global name means.
#[derive(Clone)]
pub(crate) enum Binding {
    /// A term.
    Term(Read),
    /// A function with a definition.
    Macro { params: Vec<Read>, body: Read },
    /// A predicate.
    Predicate(PredId),
}

/// An attribute of a term: `(! term :name value)`.
#[derive(Clone, Copy, Debug)]
pub struct Annotation<'t> {
    /// The term.
    pub term: Term,
    /// The attribute, with its colon.
    pub attribute: Sexpr<'t>,
    /// Its value, if it has one.
    pub value: Option<Sexpr<'t>>,
}

/// Sorts with more parts than this are refused: sorts are compared and dropped recursively.
const SORT_SIZE: usize = 200;

/// The meaning of names, and the table of opaque variables.
pub struct Context<'p> {
    pub(crate) pool: &'p TermPool,
    globals: FxHashMap<String, Binding>,
    sorts: FxHashMap<String, AnySort>,
    predicates: Vec<Predicate>,
    opaque: FxHashMap<Term, Opaque>,
    applied: FxHashMap<(PredId, Vec<Term>), Term>,
    /// Names of variables bound by quantifiers since [`Context::forget_bound_names`].
    bound: FxHashSet<String>,
    /// A definition is being read: what it binds must stay apart from everything it is inlined into.
    pub(crate) defining: bool,
    /// The variables of values that the standard leaves open, where a script may have them.
    open: Option<FxHashMap<Open, Term>>,
}

impl<'p> Context<'p> {
    /// A context in which only the theories' own symbols are known.
    pub fn new(pool: &'p TermPool) -> Context<'p> {
        Context {
            pool,
            globals: FxHashMap::default(),
            sorts: FxHashMap::default(),
            predicates: Vec::new(),
            opaque: FxHashMap::default(),
            applied: FxHashMap::default(),
            bound: FxHashSet::default(),
            defining: false,
            open: None,
        }
    }

    /// The pool of its terms.
    pub fn pool(&self) -> &'p TermPool {
        self.pool
    }

    /// Makes every name of a text known to the pool, so that no fresh variable made while it is read can take
    /// one. Call it before reading the first term of a script.
    pub fn reserve_names(&self, tree: &Tree<'_>) {
        for s in tree.all_nodes() {
            if let Some(name) = s.symbol() {
                self.pool.symbol(name);
            }
        }
    }

    // ---- declarations ------------------------------------------------------------------------------

    fn bind(&mut self, name: Sexpr<'_>, binding: Binding) -> Result<(), Error> {
        let Some(text) = name.symbol() else {
            return Err(Error::malformed(name.pos(), "a name was expected here"));
        };
        if crate::terms::is_builtin(text) {
            return Err(Error::malformed(
                name.pos(),
                format!("`{}` is a symbol of the logic and cannot be declared", shorten(text)),
            ));
        }
        if self.globals.contains_key(text) {
            return Err(Error::malformed(name.pos(), format!("`{}` is declared twice", shorten(text))));
        }
        self.globals.insert(text.to_string(), binding);
        Ok(())
    }

    /// Lets a symbol of the script mean a term.
    pub fn define(&mut self, name: Sexpr<'_>, term: impl Into<Read>) -> Result<(), Error> {
        self.bind(name, Binding::Term(term.into()))
    }

    /// Lets a text mean a term, whatever it meant before. For callers that choose the names themselves.
    pub fn define_name(&mut self, name: &str, term: impl Into<Read>) {
        self.globals.insert(name.to_string(), Binding::Term(term.into()));
    }

    /// Declares a variable: the pool's plain variable of that name.
    pub fn declare_var(&mut self, name: Sexpr<'_>, (sort, reading): AnySort) -> Result<Term, Error> {
        let term = self.pool.var(name.text(), sort);
        self.define(name, Read { term, reading })?;
        Ok(term)
    }

    /// Declares a predicate.
    pub fn declare_predicate(
        &mut self,
        name: Sexpr<'_>,
        sorts: impl IntoIterator<Item = AnySort>,
    ) -> Result<PredId, Error> {
        let id = PredId(u32::try_from(self.predicates.len()).expect("fewer than 2^32 predicates"));
        self.bind(name, Binding::Predicate(id))?;
        let (sorts, readings) = sorts.into_iter().unzip();
        self.predicates.push(Predicate { name: name.text().to_string(), sorts, readings, pos: name.pos() });
        Ok(id)
    }

    /// Defines a function; `params` are variables of the pool that nothing else uses. The definition is
    /// inlined at every use.
    pub(crate) fn define_macro(
        &mut self,
        name: Sexpr<'_>,
        params: Vec<Read>,
        body: Read,
    ) -> Result<(), Error> {
        self.bind(name, if params.is_empty() { Binding::Term(body) } else { Binding::Macro { params, body } })
    }

    /// Where the standard leaves a value open, it becomes a variable that nothing else speaks of. Only for
    /// scripts without quantifiers and predicates, whose variables are all free.
    pub fn leave_open(&mut self) {
        self.open = Some(FxHashMap::default());
    }

    /// The variable of a value that the standard leaves open.
    pub(crate) fn open(&mut self, what: Open, sort: Sort) -> Option<Term> {
        let pool = self.pool;
        Some(*self.open.as_mut()?.entry(what).or_insert_with(|| pool.fresh_var(what.0, sort)))
    }

    /// Lets a symbol mean a sort.
    pub fn define_sort(&mut self, name: Sexpr<'_>, sort: AnySort) -> Result<(), Error> {
        let Some(text) = name.symbol() else {
            return Err(Error::malformed(name.pos(), "a name was expected here"));
        };
        let known = matches!(text, "Bool" | "Int" | "Real" | "Array" | "BitVec" | "FloatingPoint");
        if known || floats::sort(name).is_some() || self.sorts.contains_key(text) {
            return Err(Error::malformed(
                name.pos(),
                format!("the sort `{}` is declared twice", shorten(text)),
            ));
        }
        self.sorts.insert(text.to_string(), sort);
        Ok(())
    }

    pub(crate) fn global(&self, name: &str) -> Option<&Binding> {
        self.globals.get(name)
    }

    // ---- predicates and quantifiers ----------------------------------------------------------------

    /// What is known of a predicate: its name and the sorts of its arguments.
    pub fn predicate(&self, id: PredId) -> &Predicate {
        &self.predicates[id.0 as usize]
    }

    /// All predicates, in the order of their declarations.
    pub fn predicates(&self) -> impl ExactSizeIterator<Item = (PredId, &Predicate)> {
        self.predicates.iter().enumerate().map(|(i, p)| (PredId(i as u32), p))
    }

    /// The predicate of that name.
    pub fn predicate_named(&self, name: &str) -> Option<PredId> {
        match self.globals.get(name) {
            Some(Binding::Predicate(id)) => Some(*id),
            _ => None,
        }
    }

    /// What an opaque variable stands for; `None` for all other terms.
    pub fn opaque(&self, t: Term) -> Option<&Opaque> {
        self.opaque.get(&t)
    }

    /// The opaque variable of an application; the arguments have the right sorts.
    pub fn apply(&mut self, predicate: PredId, args: Vec<Term>, pos: Pos) -> Term {
        if let Some(&t) = self.applied.get(&(predicate, args.clone())) {
            return t;
        }
        let t = self.pool.fresh_var(&self.predicates[predicate.0 as usize].name, Sort::Bool);
        self.applied.insert((predicate, args.clone()), t);
        self.opaque.insert(t, Opaque::Apply { predicate, args, pos });
        t
    }

    /// The opaque variable of a quantified formula.
    pub(crate) fn quantify(&mut self, universal: bool, vars: Vec<Term>, body: Term, pos: Pos) -> Term {
        let t = self.pool.fresh_var("quantifier", Sort::Bool);
        self.opaque.insert(t, Opaque::Quantified { universal, vars, body, pos });
        t
    }

    /// The variable for a name bound by a quantifier: the plain variable of that name the first time, a fresh
    /// one afterwards.
    pub(crate) fn bound_var(&mut self, name: &str, sort: Sort) -> Term {
        if !self.defining && !self.globals.contains_key(name) && self.bound.insert(name.to_string()) {
            self.pool.var(name, sort)
        } else {
            self.pool.fresh_var(name, sort)
        }
    }

    /// Quantifiers read from here on may use the plain names of earlier ones again: nothing read before is
    /// combined with what is read next.
    pub fn forget_bound_names(&mut self) {
        self.bound.clear();
    }

    /// The opaque variables in a formula, and in what they stand for, innermost first.
    pub fn opaques_of(&self, t: Term) -> Vec<Term> {
        let mut found = FxHashSet::default();
        let mut work = vec![t];
        while let Some(u) = work.pop() {
            self.pool.visit([u], |v| {
                if self.opaque.contains_key(&v) && found.insert(v) {
                    match &self.opaque[&v] {
                        Opaque::Apply { args, .. } => work.extend(args),
                        Opaque::Quantified { body, .. } => work.push(*body),
                    }
                }
            });
        }
        let mut all: Vec<Term> = found.into_iter().collect();
        all.sort_unstable(); // an opaque variable is made after everything it stands for
        all
    }

    /// Replaces variables, also inside what opaque variables stand for.
    pub fn substitute(&mut self, t: Term, map: &FxHashMap<Term, Term>) -> Term {
        let inner = self.opaques_of(t);
        if inner.is_empty() {
            return self.pool.substitute(t, map);
        }
        let mut map = map.clone();
        for o in inner {
            let new = match self.opaque[&o].clone() {
                Opaque::Apply { predicate, args, pos } => {
                    let new: Vec<Term> = args.iter().map(|&a| self.pool.substitute(a, &map)).collect();
                    if new == args { o } else { self.apply(predicate, new, pos) }
                }
                Opaque::Quantified { universal, vars, body, pos } => {
                    let new = self.pool.substitute(body, &map);
                    if new == body { o } else { self.quantify(universal, vars, new, pos) }
                }
            };
            if new != o {
                map.insert(o, new);
            }
        }
        self.pool.substitute(t, &map)
    }

    // ---- sorts -------------------------------------------------------------------------------------

    /// Reads a sort that stands for itself.
    pub fn sort(&self, s: Sexpr<'_>) -> Result<Sort, Error> {
        match self.any_sort(s)? {
            (sort, Reading::Plain) => Ok(sort),
            _ => Err(Error::unsupported(s.pos(), "floating point here")),
        }
    }

    /// Reads a sort, also of floating-point numbers: its terms have the sort in the pool, and that reading.
    pub fn any_sort(&self, s: Sexpr<'_>) -> Result<AnySort, Error> {
        self.sort_at(s, SORT_SIZE)
    }

    fn sort_at(&self, s: Sexpr<'_>, depth: usize) -> Result<AnySort, Error> {
        let too_large = || Error::unsupported(s.pos(), format!("a sort with more than {SORT_SIZE} parts"));
        let plain = |sort: Sort| Ok((sort, Reading::Plain));
        if depth == 0 {
            return Err(too_large());
        }
        if s.kind() == Kind::Symbol {
            return match s.text() {
                "Bool" => plain(Sort::Bool),
                "Int" => plain(Sort::Int),
                "Real" => plain(Sort::Real),
                name => match (self.sorts.get(name), floats::sort(s)) {
                    (Some(sort), _) => Ok(sort.clone()),
                    (None, Some(sort)) => sort,
                    (None, None) => Err(unknown_sort(s)),
                },
            };
        }
        let items = s.items();
        if let Some([u, name, w]) = items.exactly()
            && u.is_symbol("_")
            && name.is_symbol("BitVec")
        {
            return plain(Sort::BitVec(numbers::width(w)?));
        }
        if let Some([a, index, element]) = items.exactly()
            && a.is_symbol("Array")
        {
            let part = |s: Sexpr<'_>| match self.sort_at(s, depth - 1)? {
                (sort, Reading::Plain) => Ok(sort),
                _ => Err(Error::unsupported(s.pos(), "arrays of floating-point numbers")),
            };
            let sort = Sort::array(part(index)?, part(element)?);
            return if sort_size(&sort) > SORT_SIZE { Err(too_large()) } else { plain(sort) };
        }
        floats::sort(s).unwrap_or_else(|| Err(unknown_sort(s)))
    }
}

/// Defined sorts can be larger than their text.
fn sort_size(sort: &Sort) -> usize {
    match sort.array_parts() {
        Some((i, e)) => 1 + sort_size(i) + sort_size(e),
        None => 1,
    }
}

fn unknown_sort(s: Sexpr<'_>) -> Error {
    match s.kind() {
        Kind::Symbol | Kind::List => {
            Error::unsupported(s.pos(), format!("the sort `{}`", shorten(&s.to_string())))
                .hint("supported are Bool, Int, Real, (_ BitVec n), (_ FloatingPoint e s) and (Array s t)")
        }
        _ => Error::malformed(s.pos(), "a sort was expected here"),
    }
}
