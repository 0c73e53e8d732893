//! Reading terms: an explicit stack machine over S-expressions.
//!
//! A [`Frame`] is a form whose parts are being read; finished parts wait on a value stack. Names resolve in
//! the order bound (`let`, quantifiers, parameters), declared, built in.

use palisade_term::{Sort, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::context::{Annotation, Binding, Context, PredId};
use crate::floats::{self, AnySort, FloatOp, Read, Reading};
use crate::ops::{self, Operator};
use crate::sexpr::{Items, Kind, Sexpr, shorten};
use crate::{Error, numbers};

/// What stands at the head of an application.
enum Head<'t> {
    Operator(Operator),
    Float(FloatOp),
    Predicate(PredId),
    Macro(&'t str),
}

/// A form whose parts are being read.
enum Frame<'t> {
    /// Arguments are on the value stack from `base` on; `next` is the index of the next one in the node.
    Apply { head: Head<'t>, node: Sexpr<'t>, next: usize, base: usize },
    /// The values of `let` bindings are being read.
    Let { node: Sexpr<'t>, bindings: Items<'t>, next: usize, base: usize },
    /// The body below `let`: these names go out of scope after it.
    LetBody { bindings: Items<'t> },
    /// The body below a quantifier.
    Quantifier { node: Sexpr<'t>, universal: bool, names: Vec<&'t str>, vars: Vec<Term> },
    /// The term below `!`.
    Annotated { node: Sexpr<'t> },
    /// The term below `(as term sort)`.
    Ascribed { node: Sexpr<'t>, sort: AnySort },
}

/// Is this a name whose meaning is fixed and that no script may declare?
pub(crate) fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "true"
            | "false"
            | "not"
            | "and"
            | "or"
            | "xor"
            | "=>"
            | "="
            | "distinct"
            | "ite"
            | "let"
            | "forall"
            | "exists"
            | "!"
            | "_"
            | "as"
            | "par"
            | "match"
            | "+"
            | "-"
            | "*"
            | "/"
            | "<"
            | "<="
            | ">"
            | ">="
    )
}

/// One term being read.
struct Machine<'c, 'p, 't> {
    context: &'c mut Context<'p>,
    pool: &'p TermPool,
    notes: &'c mut Vec<Annotation<'t>>,
    locals: FxHashMap<&'t str, Vec<Read>>,
    frames: Vec<Frame<'t>>,
    values: Vec<Read>,
}

impl<'p> Context<'p> {
    /// Reads a term. Its attributes are dropped; a `:named` one defines the name.
    pub fn term(&mut self, s: Sexpr<'_>) -> Result<Term, Error> {
        self.annotated_term(s, &mut Vec::new())
    }

    /// Reads a term, with what it stands for.
    pub fn read(&mut self, s: Sexpr<'_>) -> Result<Read, Error> {
        self.read_under(s, [], &mut Vec::new())
    }

    /// Reads a term and collects its attributes, inner ones first. A `:named` attribute also defines the
    /// name.
    pub fn annotated_term<'t>(
        &mut self,
        s: Sexpr<'t>,
        notes: &mut Vec<Annotation<'t>>,
    ) -> Result<Term, Error> {
        Ok(self.read_under(s, [], notes)?.term)
    }

    /// Reads a term of sort `Bool`.
    pub fn formula(&mut self, s: Sexpr<'_>) -> Result<Term, Error> {
        let t = self.term(s)?;
        ops::expect_sort(self.pool, t, &Sort::Bool, s)?;
        Ok(t)
    }

    /// Reads a term in which these names stand for these terms.
    fn read_under<'t>(
        &mut self,
        s: Sexpr<'t>,
        locals: impl IntoIterator<Item = (&'t str, Read)>,
        notes: &mut Vec<Annotation<'t>>,
    ) -> Result<Read, Error> {
        let locals = locals.into_iter().map(|(n, t)| (n, vec![t])).collect();
        let pool = self.pool;
        let mut machine =
            Machine { context: self, pool, notes, locals, frames: Vec::new(), values: Vec::new() };
        machine.run(s)
    }

    /// Reads `((x Sort) ...)`: names with their sorts, which stand for themselves; the names are distinct.
    pub fn sorted_vars<'t>(&self, s: Sexpr<'t>) -> Result<Vec<(&'t str, Sort)>, Error> {
        let vars = self.any_vars(s)?;
        if vars.iter().any(|(_, (_, reading))| *reading != Reading::Plain) {
            return Err(Error::unsupported(s.pos(), "floating point here"));
        }
        Ok(vars.into_iter().map(|(name, (sort, _))| (name, sort)).collect())
    }

    /// The same for all sorts.
    fn any_vars<'t>(&self, s: Sexpr<'t>) -> Result<Vec<(&'t str, AnySort)>, Error> {
        let Some(items) = s.list() else {
            return Err(Error::malformed(s.pos(), "a list of variables with their sorts was expected here"));
        };
        let mut out: Vec<(&'t str, AnySort)> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for item in items.iter() {
            let Some([name, sort]) = item.items().exactly() else {
                return Err(Error::malformed(
                    item.pos(),
                    "a variable and its sort were expected: (name Sort)",
                ));
            };
            let Some(text) = name.symbol() else {
                return Err(Error::malformed(name.pos(), "a name was expected here"));
            };
            if !seen.insert(text) {
                return Err(Error::malformed(name.pos(), format!("`{}` is bound twice", shorten(text))));
            }
            out.push((text, self.any_sort(sort)?));
        }
        Ok(out)
    }

    /// Reads `(define-fun name (params) sort body)` (all items of the form) and defines it.
    pub fn define_fun<'t>(
        &mut self,
        form: Sexpr<'t>,
        notes: &mut Vec<Annotation<'t>>,
    ) -> Result<Term, Error> {
        let items = form.items();
        let (name, params, sort, body) = match (items.exactly::<5>(), items.exactly::<4>()) {
            (Some([_, name, params, sort, body]), _) => (name, self.any_vars(params)?, sort, body),
            // define-const
            (_, Some([head, name, sort, body])) if head.is_symbol("define-const") => {
                (name, Vec::new(), sort, body)
            }
            _ => {
                return Err(Error::malformed(
                    form.pos(),
                    "a definition has the form (define-fun name (params) Sort body)",
                ));
            }
        };
        let sort = self.any_sort(sort)?;
        // Parameters are fresh: nothing an application passes can be captured.
        let fresh =
            |(n, (s, r)): &(&str, AnySort)| Read { term: self.pool.fresh_var(n, s.clone()), reading: *r };
        let vars: Vec<Read> = params.iter().map(fresh).collect();
        let locals: Vec<_> = params.iter().map(|(n, _)| *n).zip(vars.iter().copied()).collect();
        self.defining = true;
        let t = self.read_under(body, locals, notes);
        self.defining = false;
        let t = coerce(self.pool, t?, &sort, body)?;
        self.define_macro(name, vars, t)?;
        Ok(t.term)
    }
}

impl<'t> Machine<'_, '_, 't> {
    fn run(&mut self, root: Sexpr<'t>) -> Result<Read, Error> {
        let mut next = Some(root);
        loop {
            next = match next {
                Some(s) => self.enter(s)?,
                None => match self.frames.pop() {
                    Some(frame) => self.resume(frame)?,
                    None => break,
                },
            }
        }
        Ok(self.values.pop().expect("the value of the root"))
    }

    /// Begins to read a term: pushes its value, or a frame. Returns the part to read next.
    fn enter(&mut self, s: Sexpr<'t>) -> Result<Option<Sexpr<'t>>, Error> {
        let Some(items) = s.list() else {
            let t = self.atom(s)?;
            self.values.push(t);
            return Ok(None);
        };
        let Some(head) = items.first() else {
            return Err(Error::malformed(s.pos(), "a term was expected here, not ()"));
        };
        let frame = match head.symbol() {
            Some("let") => self.enter_let(s, items)?,
            Some(q @ ("forall" | "exists")) => return self.enter_quantifier(s, items, q == "forall"),
            Some("!") => {
                let Some(term) = items.get(1) else {
                    return Err(Error::malformed(
                        s.pos(),
                        "an annotated term has the form (! term :attribute value)",
                    ));
                };
                self.frames.push(Frame::Annotated { node: s });
                return Ok(Some(term));
            }
            Some("_") => {
                let t = match floats::constant(self.pool, s) {
                    Some(t) => t?,
                    None => ops::indexed_constant(self.pool, s)?.into(),
                };
                self.values.push(t);
                return Ok(None);
            }
            Some("as") => {
                let Some([_, term, sort]) = items.exactly() else {
                    return Err(Error::malformed(s.pos(), "a qualified name has the form (as name Sort)"));
                };
                let sort = self.context.any_sort(sort)?;
                self.frames.push(Frame::Ascribed { node: term, sort });
                return Ok(Some(term));
            }
            _ => {
                if items.len() == 1 {
                    return Err(Error::malformed(s.pos(), "an application needs arguments")
                        .hint("write a constant without parentheses"));
                }
                let head = self.head(head)?;
                Frame::Apply { head, node: s, next: 1, base: self.values.len() }
            }
        };
        self.frames.push(frame);
        Ok(None)
    }

    fn enter_let(&mut self, s: Sexpr<'t>, items: Items<'t>) -> Result<Frame<'t>, Error> {
        let form = "a let has the form (let ((name term) ...) term)";
        let Some([_, bindings, _]) = items.exactly() else { return Err(Error::malformed(s.pos(), form)) };
        let Some(bindings) = bindings.list() else { return Err(Error::malformed(bindings.pos(), form)) };
        let mut seen = rustc_hash::FxHashSet::default();
        for b in bindings.iter() {
            let name = b.items().exactly::<2>().and_then(|[n, _]| n.symbol());
            let Some(name) = name else { return Err(Error::malformed(b.pos(), form)) };
            if !seen.insert(name) {
                return Err(Error::malformed(
                    b.pos(),
                    format!("`{}` is bound twice in one let", shorten(name)),
                ));
            }
        }
        Ok(Frame::Let { node: s, bindings, next: 0, base: self.values.len() })
    }

    fn enter_quantifier(
        &mut self,
        s: Sexpr<'t>,
        items: Items<'t>,
        universal: bool,
    ) -> Result<Option<Sexpr<'t>>, Error> {
        let Some([_, bound, body]) = items.exactly() else {
            return Err(Error::malformed(
                s.pos(),
                "a quantifier has the form (forall ((name Sort) ...) formula)",
            ));
        };
        let bound = self.context.any_vars(bound)?;
        let mut names = Vec::with_capacity(bound.len());
        let mut vars = Vec::with_capacity(bound.len());
        for (name, (sort, reading)) in bound {
            let var = self.context.bound_var(name, sort);
            self.locals.entry(name).or_default().push(Read { term: var, reading });
            names.push(name);
            vars.push(var);
        }
        self.frames.push(Frame::Quantifier { node: s, universal, names, vars });
        Ok(Some(body))
    }

    /// Continues a form whose latest part is on the value stack. Returns the part to read next.
    fn resume(&mut self, frame: Frame<'t>) -> Result<Option<Sexpr<'t>>, Error> {
        match frame {
            Frame::Apply { head, node, next, base } => match node.items().get(next) {
                Some(arg) => {
                    self.check_summand(&head, node, next - 1, base)?;
                    self.frames.push(Frame::Apply { head, node, next: next + 1, base });
                    Ok(Some(arg))
                }
                None => {
                    self.check_summand(&head, node, next - 1, base)?;
                    self.apply(head, node, base).map(|()| None)
                }
            },
            Frame::Let { node, bindings, next, base } => match bindings.get(next) {
                Some(binding) => {
                    self.frames.push(Frame::Let { node, bindings, next: next + 1, base });
                    Ok(binding.items().get(1))
                }
                None => {
                    for (b, t) in bindings.iter().zip(self.values.drain(base..)) {
                        let name = b.items().first().expect("checked in enter_let").text();
                        self.locals.entry(name).or_default().push(t);
                    }
                    self.frames.push(Frame::LetBody { bindings });
                    Ok(node.items().get(2))
                }
            },
            Frame::LetBody { bindings } => {
                for b in bindings.iter() {
                    self.unbind(b.items().first().expect("checked in enter_let").text());
                }
                Ok(None)
            }
            Frame::Quantifier { node, universal, names, vars } => {
                for name in names {
                    self.unbind(name);
                }
                let body = self.values.pop().expect("the body's value").term;
                ops::expect_sort(self.pool, body, &Sort::Bool, node)?;
                let t = if self.pool.as_bool(body).is_some() {
                    body
                } else {
                    self.context.quantify(universal, vars, body, node.pos())
                };
                self.values.push(t.into());
                Ok(None)
            }
            Frame::Annotated { node } => self.annotate(node).map(|()| None),
            Frame::Ascribed { node, sort } => {
                let t = self.values.pop().expect("the term's value");
                let t = coerce(self.pool, t, &sort, node)?;
                self.values.push(t);
                Ok(None)
            }
        }
    }

    /// Summands are handed up from nested sums, so they are checked one by one as they come, while their
    /// place is known.
    fn check_summand(&self, head: &Head<'t>, node: Sexpr<'t>, i: usize, base: usize) -> Result<(), Error> {
        match (head, self.values[base..].last()) {
            (Head::Operator(Operator::Plus), Some(t)) => {
                ops::expect_number(self.pool, t.term, node.items().get(i).unwrap_or(node).pos())
            }
            _ => Ok(()),
        }
    }

    fn unbind(&mut self, name: &'t str) {
        self.locals.get_mut(name).expect("it was bound").pop();
    }

    fn local(&self, name: &str) -> Option<Read> {
        self.locals.get(name).and_then(|stack| stack.last().copied())
    }

    fn annotate(&mut self, node: Sexpr<'t>) -> Result<(), Error> {
        let term = *self.values.last().expect("the term's value");
        let attributes = node.items().from(2);
        let mut i = 0;
        while let Some(attribute) = attributes.get(i) {
            if attribute.kind() != Kind::Keyword {
                return Err(Error::malformed(attribute.pos(), "an attribute (:name) was expected here"));
            }
            i += 1;
            let value = attributes.get(i).filter(|v| v.kind() != Kind::Keyword);
            i += usize::from(value.is_some());
            if attribute.text() == ":named" {
                let Some(name) = value else {
                    return Err(Error::malformed(attribute.pos(), "`:named` needs a name"));
                };
                self.context.define(name, term)?;
            }
            self.notes.push(Annotation { term: term.term, attribute, value });
        }
        Ok(())
    }

    /// A constant, variable or other name without arguments.
    fn atom(&mut self, s: Sexpr<'t>) -> Result<Read, Error> {
        if let Some(t) = numbers::literal(self.pool, s)? {
            return Ok(t.into());
        }
        let Some(name) = s.symbol() else {
            return Err(match s.kind() {
                Kind::String => Error::unsupported(s.pos(), "strings"),
                _ => Error::malformed(s.pos(), "a term was expected here"),
            });
        };
        if let Some(t) = self.local(name) {
            return Ok(t);
        }
        match self.context.global(name) {
            Some(Binding::Term(t)) => return Ok(*t),
            Some(Binding::Predicate(id)) => {
                let id = *id;
                return match self.context.predicate(id).sorts.len() {
                    0 => Ok(self.context.apply(id, Vec::new(), s.pos()).into()),
                    n => Err(Error::malformed(s.pos(), format!("`{}` needs {n} arguments", shorten(name)))),
                };
            }
            Some(Binding::Macro { params, .. }) => {
                let n = params.len();
                return Err(Error::malformed(s.pos(), format!("`{}` needs {n} arguments", shorten(name))));
            }
            None => {}
        }
        match name {
            "true" => Ok(self.pool.tru().into()),
            "false" => Ok(self.pool.fls().into()),
            _ if let Some(mode) = floats::mode(self.pool, name) => Ok(mode),
            _ => match name.strip_prefix('-') {
                // Not in the standard, but some tools print negative numbers so.
                Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                    Ok(self.pool.int(-numbers::numeral(digits, s.pos())?).into())
                }
                _ => Err(unknown(s)),
            },
        }
    }

    /// What the head of an application means.
    fn head(&mut self, s: Sexpr<'t>) -> Result<Head<'t>, Error> {
        let Some(name) = s.symbol() else {
            if s.kind() != Kind::List {
                return Err(Error::malformed(s.pos(), "a function was expected here"));
            }
            if let Some([_, constant, sort]) = s.form("as").and_then(Items::exactly) {
                if !constant.is_symbol("const") {
                    return Err(unknown(constant));
                }
                let array = self.context.sort(sort)?;
                if array.array_parts().is_none() {
                    return Err(Error::malformed(
                        sort.pos(),
                        format!("a constant array has an array sort, not {array}"),
                    ));
                }
                return Ok(Head::Operator(Operator::ConstArray(array)));
            }
            if let Some(op) = floats::indexed(s) {
                return op.map(Head::Float);
            }
            return ops::indexed(s).map(Head::Operator);
        };
        if self.local(name).is_some() {
            return Err(Error::malformed(
                s.pos(),
                format!("`{}` is a variable, not a function", shorten(name)),
            ));
        }
        match self.context.global(name) {
            Some(Binding::Predicate(id)) => Ok(Head::Predicate(*id)),
            Some(Binding::Macro { .. }) => Ok(Head::Macro(name)),
            Some(Binding::Term(_)) => {
                Err(Error::malformed(s.pos(), format!("`{}` is a constant, not a function", shorten(name))))
            }
            None => match (ops::named(name), floats::named(s)) {
                (Some(op), _) => Ok(Head::Operator(op)),
                (None, Some(op)) => op.map(Head::Float),
                (None, None) => Err(unknown(s)),
            },
        }
    }

    /// All arguments are on the value stack: builds the application.
    fn apply(&mut self, head: Head<'t>, node: Sexpr<'t>, base: usize) -> Result<(), Error> {
        let t: Read = match head {
            Head::Float(op) => floats::build(self.context, &op, &self.values[base..], node)?,
            Head::Operator(op) if self.values[base..].iter().any(|v| v.reading != Reading::Plain) => {
                floats::build_other(self.context, &op, &self.values[base..], node)?
            }
            Head::Operator(op) => {
                // A sum below a sum leaves its summands to the outer one: building every partial sum of a
                // long nest would take quadratic space.
                if matches!(op, Operator::Plus)
                    && matches!(
                        self.frames.last(),
                        Some(Frame::Apply { head: Head::Operator(Operator::Plus), .. })
                    )
                {
                    return Ok(());
                }
                let args: Vec<Term> = self.values[base..].iter().map(|v| v.term).collect();
                ops::build(self.pool, &op, &args, node)?.into()
            }
            Head::Predicate(id) => {
                let predicate = self.context.predicate(id);
                let readings = predicate.readings.iter().copied();
                let sorts: Vec<_> = predicate.sorts.iter().cloned().zip(readings).collect();
                let args = self.coerce_all(&sorts, node, base)?;
                self.context.apply(id, args, node.pos()).into()
            }
            Head::Macro(name) => {
                let Some(Binding::Macro { params, body }) = self.context.global(name).cloned() else {
                    unreachable!("resolved in head")
                };
                let sorts: Vec<_> =
                    params.iter().map(|p| (self.pool.sort(p.term).clone(), p.reading)).collect();
                let args = self.coerce_all(&sorts, node, base)?;
                let map = params.into_iter().map(|p| p.term).zip(args).collect();
                Read { term: self.context.substitute(body.term, &map), ..body }
            }
        };
        self.values.truncate(base);
        self.values.push(t);
        Ok(())
    }

    fn coerce_all(&self, sorts: &[AnySort], node: Sexpr<'t>, base: usize) -> Result<Vec<Term>, Error> {
        let args = &self.values[base..];
        let items = node.items();
        if args.len() != sorts.len() {
            let name = items.first().map_or("", Sexpr::text);
            let message =
                format!("`{}` needs {} arguments and is given {}", shorten(name), sorts.len(), args.len());
            return Err(Error::malformed(node.pos(), message));
        }
        let pairs = args.iter().zip(sorts).zip(items.from(1).iter());
        pairs.map(|((&a, sort), s)| Ok(coerce(self.pool, a, sort, s)?.term)).collect()
    }
}

/// The term as one of this sort and reading.
fn coerce(pool: &TermPool, t: Read, sort: &AnySort, s: Sexpr<'_>) -> Result<Read, Error> {
    let (sort, reading) = sort;
    if t.reading == *reading {
        return Ok(Read { term: ops::coerce(pool, t.term, sort, s)?, reading: *reading });
    }
    let (wanted, found) = (reading.sort_name(sort), t.reading.sort_name(pool.sort(t.term)));
    Err(Error::malformed(s.pos(), format!("a term of sort {wanted} was expected here, not {found}")))
}

fn unknown(s: Sexpr<'_>) -> Error {
    let text = s.to_string();
    match s.text() {
        "lambda" | "match" | "choice" | "par" | "map" => {
            Error::unsupported(s.pos(), format!("`{}`", shorten(&text)))
        }
        _ => Error::malformed(s.pos(), format!("`{}` is not declared", shorten(&text))),
    }
}
