//! VMT-LIB: symbolic transition systems as annotated SMT-LIB definitions.
//!
//! `(! x :next y)` makes `x` a state variable whose next value is `y`; all other variables are inputs, chosen
//! anew in every step. An input that the initial formula shares with a step or a property has one value in
//! the first state, so it is read as a state variable whose next values are open. `:init`, `:trans` and
//! `:invar-property` mark the formulas. Only annotated terms and what they contain have a meaning.
//!
//! The program has one location, `loop`, with the state variables: the entry edge chooses an initial state,
//! the loop edge takes a transition, and one edge per property leads into the error location.

use std::sync::Arc;

use palisade_program::{Edge, Loc, Location, Origin, Parts, Position, Program, Property, solve_inputs};
use palisade_smtlib::{Annotation, Context, Error, Kind, Pos, Sexpr, Tree};
use palisade_term::{Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ReadError;
use crate::script::{command, declaration, define_sort, expect_plain, uninterpreted, unknown_command};

/// A VMT script as a program.
#[derive(Clone, Debug)]
pub struct Vmt {
    /// The program.
    pub program: Program,
    /// The way back to the script.
    pub map: VmtMap,
}

/// What is needed to state a result in the words of the script.
#[derive(Clone, Debug)]
pub struct VmtMap {
    /// The location whose variables are the state variables, under their names in the script.
    pub location: Loc,
    /// The state variables with their next-state names.
    pub state: Vec<(Term, Term)>,
    /// The properties that the program's error edges stand for.
    pub properties: Vec<VmtProperty>,
    /// Formulas over the state that the script's author thought helpful (`:predicate`).
    pub predicates: Vec<Term>,
}

/// An invariant property.
#[derive(Clone, Debug)]
pub struct VmtProperty {
    /// Its index in the script.
    pub index: u64,
    /// The formula that must hold in every reachable state.
    pub formula: Term,
}

/// Reads a VMT script. `file` is how positions name it; `property` selects one invariant property by its
/// index, otherwise all of them must hold.
pub fn read_vmt(pool: &TermPool, file: &str, text: &str, property: Option<u64>) -> Result<Vmt, ReadError> {
    let read = || {
        let tree = Tree::parse(text)?;
        let mut reader = Reader::new(pool, &tree);
        let mut end = Pos::START;
        for s in tree.roots() {
            end = s.pos();
            if !reader.command(s)? {
                break;
            }
        }
        reader.build(file, property, end)
    };
    let vmt = read().map_err(|e| ReadError::new(file, text, e))?;
    debug_assert_eq!(vmt.program.check(pool), Ok(()));
    Ok(vmt)
}

/// A formula with its place.
#[derive(Clone, Copy)]
struct Placed {
    term: Term,
    pos: Pos,
}

struct Reader<'p> {
    pool: &'p TermPool,
    context: Context<'p>,
    declared: FxHashSet<Term>,
    /// Current and next variables of `:next`, in order.
    state: Vec<(Term, Term)>,
    next_of: FxHashMap<Term, Term>,
    nexts: FxHashSet<Term>,
    init: Option<Placed>,
    trans: Option<Placed>,
    properties: Vec<(u64, Placed)>,
    liveness: Option<Pos>,
    predicates: Vec<Term>,
}

impl<'p> Reader<'p> {
    fn new(pool: &'p TermPool, tree: &Tree<'_>) -> Reader<'p> {
        let context = Context::new(pool);
        context.reserve_names(tree);
        Reader {
            pool,
            context,
            declared: FxHashSet::default(),
            state: Vec::new(),
            next_of: FxHashMap::default(),
            nexts: FxHashSet::default(),
            init: None,
            trans: None,
            properties: Vec::new(),
            liveness: None,
            predicates: Vec::new(),
        }
    }

    /// Reads a command; `false` when it ends the script.
    fn command<'t>(&mut self, s: Sexpr<'t>) -> Result<bool, Error> {
        let mut notes: Vec<Annotation<'t>> = Vec::new();
        match command(s)? {
            "set-logic" | "set-info" | "set-option" | "check-sat" => {}
            "exit" => return Ok(false),
            "define-sort" => define_sort(&mut self.context, s)?,
            "declare-fun" | "declare-const" => {
                let d = declaration(&self.context, s)?;
                if !d.params.is_empty() {
                    return Err(uninterpreted(d.name));
                }
                self.declared.insert(self.context.declare_var(d.name, d.sort)?);
            }
            "define-fun" | "define-const" => {
                let params = s.items().get(2).is_some_and(|p| !p.items().is_empty()) && s.items().len() == 5;
                self.context.define_fun(s, &mut notes)?;
                if params && let Some(note) = notes.iter().find(|n| is_vmt(n)) {
                    let message = format!("`{}` inside a definition with parameters", note.attribute.text());
                    return Err(Error::unsupported(note.attribute.pos(), message));
                }
            }
            "assert" => {
                let Some([_, formula]) = s.items().exactly() else {
                    return Err(Error::malformed(s.pos(), "an assertion has the form (assert formula)"));
                };
                if self.context.annotated_term(formula, &mut notes)? != self.pool.tru() {
                    return Err(Error::unsupported(s.pos(), "assertions other than `true` in VMT")
                        .hint("annotate the formula as :init, :trans or :invar-property"));
                }
            }
            name => return Err(unknown_command(s, name)),
        }
        notes.iter().try_for_each(|note| self.annotation(note))?;
        Ok(true)
    }

    fn annotation(&mut self, note: &Annotation<'_>) -> Result<(), Error> {
        let (term, attribute, pos) = (note.term, note.attribute, note.attribute.pos());
        let name = attribute.text();
        if is_vmt(note) && name != ":next" {
            if *self.pool.sort(term) != Sort::Bool {
                return Err(Error::malformed(
                    pos,
                    format!("`{name}` marks a formula, not a term of sort {}", self.pool.sort(term)),
                ));
            }
            expect_plain(&self.context, term, attribute)?;
        }
        let placed = Placed { term, pos };
        if matches!(name, ":init" | ":trans")
            && let Some(value) = note.value.filter(|v| v.text() != "true")
        {
            return Err(Error::malformed(value.pos(), format!("`{name}` has the value `true`")));
        }
        match name {
            ":next" => return self.next(note),
            ":init" => set_once(&mut self.init, placed, name)?,
            ":trans" => set_once(&mut self.trans, placed, name)?,
            ":invar-property" => {
                let index = index_of(note)?;
                if self.properties.iter().any(|(i, old)| *i == index && old.term != term) {
                    return Err(Error::malformed(pos, format!("a second property with the index {index}")));
                }
                self.properties.push((index, placed));
            }
            ":live-property" => {
                index_of(note)?;
                self.liveness = self.liveness.or(Some(pos));
            }
            ":predicate" => self.predicates.push(term),
            _ => {}
        }
        Ok(())
    }

    fn next(&mut self, note: &Annotation<'_>) -> Result<(), Error> {
        let pos = note.attribute.pos();
        let current = note.term;
        let Some(name) = note.value else {
            return Err(Error::malformed(pos, "`:next` needs the name of the next-state variable"));
        };
        let next = self.context.term(name)?;
        if !self.declared.contains(&current) {
            return Err(Error::malformed(pos, "`:next` marks a declared variable, not a term"));
        }
        if !self.declared.contains(&next) {
            return Err(Error::malformed(name.pos(), "the next-state name must be a declared variable"));
        }
        let (sort, next_sort) = (self.pool.sort(current), self.pool.sort(next));
        if sort != next_sort {
            let message = format!("the next-state variable has the sort {next_sort}, not {sort}");
            return Err(Error::malformed(name.pos(), message));
        }
        match self.next_of.insert(current, next) {
            Some(old) if old == next => return Ok(()),
            Some(_) => return Err(Error::malformed(pos, "a second `:next` for this variable")),
            None => {}
        }
        if !self.nexts.insert(next) {
            return Err(Error::malformed(name.pos(), "this is the next-state variable of two variables"));
        }
        self.state.push((current, next));
        Ok(())
    }

    /// The variables of a formula that are not current state variables.
    fn others(&self, terms: &[Term]) -> Vec<Term> {
        let mut out = Vec::new();
        self.pool.visit(terms.iter().copied(), |t| {
            if self.pool.is_var(t) && !self.next_of.contains_key(&t) {
                out.push(t);
            }
        });
        out.sort_unstable();
        out
    }

    fn expect_no_next(&self, what: &str, f: Placed) -> Result<(), Error> {
        match self.others(&[f.term]).into_iter().find(|v| self.nexts.contains(v)) {
            Some(v) => {
                let message = format!(
                    "the {what} formula mentions the next-state variable `{}`",
                    self.pool.var_name(v)
                );
                Err(Error::malformed(f.pos, message))
            }
            None => Ok(()),
        }
    }

    fn selected(&self, property: Option<u64>, end: Pos) -> Result<Vec<(u64, Placed)>, Error> {
        let mut all = self.properties.clone();
        if let Some(index) = property {
            all.retain(|(i, _)| *i == index);
            if all.is_empty() {
                return Err(Error::malformed(
                    end,
                    format!("there is no invariant property with the index {index}"),
                ));
            }
        } else if let Some(pos) = self.liveness {
            return Err(Error::unsupported(pos, "liveness properties").hint("select an invariant property"));
        }
        if all.is_empty() {
            return Err(Error::malformed(end, "there is no invariant property")
                .hint("annotate a formula with :invar-property 0"));
        }
        all.sort_by_key(|(i, _)| *i);
        all.dedup_by_key(|(i, _)| *i);
        Ok(all)
    }

    /// Makes state variables of the inputs that the initial formula shares with a step or a property: in the
    /// first state they have one value, in later ones any.
    fn keep_first_inputs(&mut self, init: Placed, trans: Placed, properties: &[(u64, Placed)]) {
        let later: Vec<Term> = properties.iter().map(|(_, p)| p.term).chain([trans.term]).collect();
        let later = self.others(&later);
        for v in self.others(&[init.term]).into_iter().filter(|v| later.contains(v)) {
            let next = self.pool.fresh_var(self.pool.var_name(v), self.pool.sort(v).clone());
            self.next_of.insert(v, next);
            self.nexts.insert(next);
            self.state.push((v, next));
        }
    }

    fn build(mut self, file: &str, property: Option<u64>, end: Pos) -> Result<Vmt, Error> {
        let pool = self.pool;
        if let Some((v, _)) = self.state.iter().find(|(v, _)| self.nexts.contains(v)) {
            let message =
                format!("`{}` is both a state variable and a next-state variable", pool.var_name(*v));
            return Err(Error::malformed(end, message));
        }
        let properties = self.selected(property, end)?;
        let missing = |what: &str| Error::malformed(end, format!("there is no `:{what}` formula"));
        let init = self.init.ok_or_else(|| missing("init"))?;
        let trans = self.trans.ok_or_else(|| missing("trans"))?;
        self.expect_no_next("init", init)?;
        for (_, p) in &properties {
            self.expect_no_next("property", *p)?;
        }

        self.keep_first_inputs(init, trans, &properties);

        let file: Arc<str> = file.into();
        let position = |pos: Pos| Position { file: Arc::clone(&file), line: pos.line, column: pos.column };
        let mut program = Program::new();
        let vars: Vec<Term> = self.state.iter().map(|(v, _)| *v).collect();
        let nexts: Vec<Term> = self.state.iter().map(|(_, n)| *n).collect();
        let location =
            program.add_location(Location { name: "loop".into(), position: None, vars: vars.clone() });
        let mut add = |source, target, parts: Parts, text: String, pos, property: Option<String>| {
            let (Parts { inputs, guard, update }, _) = solve_inputs(pool, parts);
            if guard != pool.fls() {
                let mut origin = Origin::statement(Some(position(pos)), text);
                origin.property = property.map(|p| Property::Violated(p.into()));
                program.add_edge(Edge { source, target, inputs, guard, update, origin });
            }
        };
        let (entry, error) = (Loc(0), Loc(1));
        // On the way in, the state variables themselves are the inputs.
        let mut inputs = vars.clone();
        inputs.extend(self.others(&[init.term]));
        add(
            entry,
            location,
            Parts { inputs, guard: init.term, update: vars.clone() },
            "init".into(),
            init.pos,
            None,
        );
        let mut all = nexts.clone();
        all.push(trans.term);
        let parts = Parts { inputs: self.others(&all), guard: trans.term, update: nexts };
        add(location, location, parts, "trans".into(), trans.pos, None);
        for (index, p) in &properties {
            let bad = pool.not(p.term);
            let parts = Parts { inputs: self.others(&[bad]), guard: bad, update: Vec::new() };
            let name = format!("invar-property {index}");
            add(location, error, parts, format!("violation of property {index}"), p.pos, Some(name));
        }
        let known = |t: &Term| self.others(&[*t]).is_empty();
        self.predicates = self.predicates.iter().copied().filter(known).collect();
        let properties =
            properties.iter().map(|(index, p)| VmtProperty { index: *index, formula: p.term }).collect();
        let map = VmtMap { location, state: self.state, properties, predicates: self.predicates };
        Ok(Vmt { program, map })
    }
}

/// A script has one formula of a kind.
fn set_once(slot: &mut Option<Placed>, new: Placed, what: &str) -> Result<(), Error> {
    match slot.replace(new) {
        Some(old) if old.term != new.term => {
            Err(Error::malformed(new.pos, format!("a second `{what}` formula"))
                .hint("write their conjunction"))
        }
        _ => Ok(()),
    }
}

/// Is this one of the annotations that give a term a role?
fn is_vmt(note: &Annotation<'_>) -> bool {
    matches!(
        note.attribute.text(),
        ":next" | ":init" | ":trans" | ":invar-property" | ":live-property" | ":predicate"
    )
}

fn index_of(note: &Annotation<'_>) -> Result<u64, Error> {
    let pos = note.attribute.pos();
    let value = note.value.filter(|v| v.kind() == Kind::Numeral);
    value.and_then(|v| v.text().parse().ok()).ok_or_else(|| {
        Error::malformed(pos, format!("`{}` needs an index (a numeral)", note.attribute.text()))
    })
}
