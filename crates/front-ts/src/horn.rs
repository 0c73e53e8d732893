//! Linear constrained Horn clauses: SMT-LIB scripts of logic `HORN`, and z3's `rule`/`query` scripts.
//!
//! A predicate is a location whose variables are its parameters; a clause `P(s) and constraint => Q(t)` is an
//! edge from `P` to `Q` that assigns `t`; clauses without a body predicate leave the entry, clauses without a
//! head predicate (queries) enter the error location. The clauses are satisfiable if and only if the error
//! location is unreachable.
//!
//! Any shape of assertion is read that has Horn clauses as its conjunctive form: see `clause.rs`. Clauses
//! with several body predicates are made linear by inlining the predicates that are not recursive: see
//! `inline.rs`. Not read, because they are something else: clauses with two recursive body predicates, two
//! head predicates, existential quantifiers, free constants.

use std::sync::Arc;

use palisade_program::{Edge, Loc, Location, Origin, Parts, Position, Program, Property, solve_inputs};
use palisade_smtlib::{AnySort, Context, Error, Opaque, Pos, PredId, Read, Sexpr, Tree};
use palisade_term::{Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ReadError;
use crate::clause::{Clause, Clausifier};
pub use crate::inline::Definition;
use crate::inline::{Inliner, NotLinear, application};
use crate::script::{command, declaration, define_sort, sorts, uninterpreted, unknown_command};

/// Which of the two languages a script is written in. They state their answers differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `assert` and `check-sat`: `sat` means that the error location is unreachable.
    Assertions,
    /// `rule` and `query`: `sat` means that the query can be derived, so the error location is reachable.
    Rules,
}

/// A Horn script as a program.
#[derive(Clone, Debug)]
pub struct Horn {
    /// The program.
    pub program: Program,
    /// The way back to the script.
    pub map: HornMap,
}

/// What is needed to state a result in the words of the script.
#[derive(Clone, Debug)]
pub struct HornMap {
    /// The script's language.
    pub dialect: Dialect,
    /// All predicates, in the order of their declarations.
    pub predicates: Vec<HornPredicate>,
}

/// A predicate of the script.
#[derive(Clone, Debug)]
pub struct HornPredicate {
    /// Its name as declared.
    pub name: String,
    /// The sorts of its parameters.
    pub sorts: Vec<Sort>,
    /// Its location, whose variables are its parameters in order. An invariant of the location is an
    /// interpretation of the predicate, unless there is a definition.
    pub location: Loc,
    /// For a predicate that was inlined somewhere: the formula it is equal to, over the location's variables.
    /// A model of the script must interpret it so.
    pub definition: Option<Definition>,
}

/// Reads a Horn script. `file` is how positions name it.
pub fn read_horn(pool: &TermPool, file: &str, text: &str) -> Result<Horn, ReadError> {
    let in_file = |e| ReadError::new(file, text, e);
    let tree = Tree::parse(text).map_err(in_file)?;
    if tree.roots().len() == 0 {
        return Err(in_file(Error::malformed(Pos::START, "an empty script")));
    }
    let mut reader = Reader::new(pool, file, &tree);
    for s in tree.roots() {
        if reader.ended {
            break;
        }
        reader.command(s).map_err(in_file)?;
    }
    let horn = reader.finish().map_err(in_file)?;
    debug_assert_eq!(horn.program.check(pool), Ok(()));
    Ok(horn)
}

struct Reader<'p, 't> {
    pool: &'p TermPool,
    file: Arc<str>,
    context: Context<'p>,
    program: Program,
    /// The location of each predicate.
    locations: Vec<Loc>,
    /// Names of the text, which no location's variable may have.
    names: FxHashSet<&'t str>,
    /// Variables that are universally quantified in every rule.
    rule_vars: FxHashSet<Term>,
    /// Constants that are not quantified at all, with their names and declarations.
    constants: FxHashMap<Term, (String, Pos)>,
    dialect: Dialect,
    /// The clauses, and for each the number and the place of its command.
    clauses: Vec<Clause>,
    places: Vec<(usize, Pos)>,
    /// How many commands gave clauses.
    commands: usize,
    checked: bool,
    ended: bool,
}

impl<'p, 't> Reader<'p, 't> {
    fn new(pool: &'p TermPool, file: &str, tree: &'t Tree<'_>) -> Reader<'p, 't> {
        let context = Context::new(pool);
        context.reserve_names(tree);
        let names = tree.all_nodes().filter_map(|s| s.symbol()).collect();
        Reader {
            pool,
            file: file.into(),
            context,
            program: Program::new(),
            locations: Vec::new(),
            names,
            rule_vars: FxHashSet::default(),
            constants: FxHashMap::default(),
            dialect: Dialect::Assertions,
            clauses: Vec::new(),
            places: Vec::new(),
            commands: 0,
            checked: false,
            ended: false,
        }
    }

    fn command(&mut self, s: Sexpr<'_>) -> Result<(), Error> {
        let items = s.items();
        match command(s)? {
            "set-logic" | "set-info" | "set-option" | "get-model" | "get-proof" | "get-unsat-core"
            | "get-info" | "echo" => Ok(()),
            "exit" => {
                self.ended = true;
                Ok(())
            }
            "check-sat" => {
                self.checked = true;
                Ok(())
            }
            "define-sort" => define_sort(&mut self.context, s),
            "declare-fun" | "declare-const" => {
                let d = declaration(&self.context, s)?;
                let (sort, reading) = d.sort;
                if sort == Sort::Bool {
                    self.declare_predicate(d.name, d.params)
                } else if d.params.is_empty() {
                    // Not the plain variable: an earlier clause may have bound that name.
                    let term = self.pool.fresh_var(d.name.text(), sort);
                    self.constants.insert(term, (d.name.text().to_string(), d.name.pos()));
                    self.context.define(d.name, Read { term, reading })
                } else {
                    Err(uninterpreted(d.name))
                }
            }
            "declare-rel" => match (items.get(1), items.get(2)) {
                (Some(name), Some(params)) => {
                    let params = sorts(&self.context, params)?;
                    self.declare_predicate(name, params)
                }
                _ => {
                    Err(Error::malformed(s.pos(), "a relation is declared by (declare-rel name (Sort ...))"))
                }
            },
            "declare-var" => match items.exactly() {
                Some([_, name, sort]) => {
                    let sort = self.context.any_sort(sort)?;
                    let var = self.context.declare_var(name, sort)?;
                    self.rule_vars.insert(var);
                    Ok(())
                }
                None => Err(Error::malformed(s.pos(), "a variable is declared by (declare-var name Sort)")),
            },
            "define-fun" | "define-const" => self.context.define_fun(s, &mut Vec::new()).map(|_| ()),
            "assert" => match items.exactly() {
                Some([_, formula]) => self.assert(s, formula),
                None => Err(Error::malformed(s.pos(), "an assertion has the form (assert formula)")),
            },
            "rule" => match items.get(1) {
                Some(formula) if items.len() <= 3 => {
                    self.dialect = Dialect::Rules;
                    self.assert(s, formula)
                }
                _ => Err(Error::malformed(s.pos(), "a rule has the form (rule formula)")),
            },
            "query" => match items.get(1) {
                Some(formula) => self.query(s, formula),
                None => Err(Error::malformed(s.pos(), "a query has the form (query predicate)")),
            },
            name => Err(unknown_command(s, name)),
        }
    }

    fn declare_predicate(&mut self, name: Sexpr<'_>, params: Vec<AnySort>) -> Result<(), Error> {
        self.context.declare_predicate(name, params.clone())?;
        let predicate = name.text();
        let mut separator = "!".to_string();
        while (0..params.len()).any(|i| self.names.contains(format!("{predicate}{separator}{i}").as_str())) {
            separator.push('!');
        }
        let var = |(i, (sort, _))| self.pool.var(&format!("{predicate}{separator}{i}"), sort);
        let vars: Vec<Term> = params.into_iter().enumerate().map(var).collect();
        let position = Some(self.position(name.pos()));
        let location = Location { name: predicate.to_string(), position, vars };
        self.locations.push(self.program.add_location(location));
        Ok(())
    }

    fn position(&self, pos: Pos) -> Position {
        Position { file: Arc::clone(&self.file), line: pos.line, column: pos.column }
    }

    fn assert(&mut self, s: Sexpr<'_>, formula: Sexpr<'_>) -> Result<(), Error> {
        if self.checked {
            return Err(Error::unsupported(s.pos(), "clauses after the first check-sat"));
        }
        self.commands += 1;
        self.context.forget_bound_names();
        let t = self.context.formula(formula)?;
        self.add_clauses(s, t)
    }

    fn add_clauses(&mut self, s: Sexpr<'_>, formula: Term) -> Result<(), Error> {
        let mut clauses = Clausifier::new(&mut self.context, s.pos()).clauses(formula)?;
        for c in &mut clauses {
            let used = self.rule_vars_of(c);
            c.vars.extend(used);
            if c.heads.len() > 1 {
                let what = |a: &str, b: &str| format!("not Horn: it concludes `{a}` or `{b}`");
                return Err(self
                    .two_predicates((self.commands, s.pos()), &c.heads, what)
                    .hint("a Horn clause concludes at most one predicate"));
            }
        }
        self.places.extend(clauses.iter().map(|_| (self.commands, s.pos())));
        self.clauses.extend(clauses);
        Ok(())
    }

    /// The declared variables that a clause mentions: they are its own, as if quantified.
    fn rule_vars_of(&self, clause: &Clause) -> Vec<Term> {
        if self.rule_vars.is_empty() {
            return Vec::new();
        }
        let applied = clause.body.iter().chain(&clause.heads).flat_map(|&t| application(&self.context, t).1);
        let mut used = Vec::new();
        self.pool.visit(applied.chain(&clause.free).copied(), |t| {
            if self.rule_vars.contains(&t) {
                used.push(t);
            }
        });
        used
    }

    /// `(query P)` asks for any derivable instance of a predicate, `(query formula)` for one of the formula.
    fn query(&mut self, s: Sexpr<'_>, formula: Sexpr<'_>) -> Result<(), Error> {
        self.dialect = Dialect::Rules;
        self.commands += 1;
        self.context.forget_bound_names();
        let named = formula.symbol().and_then(|n| self.context.predicate_named(n));
        let t = match named {
            Some(id) => {
                let fresh = |sort: &Sort| self.pool.fresh_var("any", sort.clone());
                let args: Vec<Term> = self.context.predicate(id).sorts.iter().map(fresh).collect();
                self.rule_vars.extend(&args);
                self.context.apply(id, args, formula.pos())
            }
            None => self.context.formula(formula)?,
        };
        self.add_clauses(s, self.pool.not(t))
    }

    fn location_of(&self, t: Term) -> (Loc, &[Term]) {
        let (id, args) = application(&self.context, t);
        (self.locations[id.0 as usize], args)
    }

    /// Two predicates where there may be one.
    fn two_predicates(
        &self,
        place: (usize, Pos),
        found: &[Term],
        what: impl Fn(&str, &str) -> String,
    ) -> Error {
        let named = |&t: &Term| match self.context.opaque(t) {
            Some(Opaque::Apply { predicate, pos, .. }) => {
                (*pos, self.context.predicate(*predicate).name.as_str())
            }
            _ => unreachable!("clauses hold applications"),
        };
        let mut found: Vec<(Pos, &str)> = found.iter().map(named).collect();
        found.sort_unstable();
        let (number, pos) = place;
        // An application inside a macro stands elsewhere.
        let pos = found[1].0.max(pos);
        Error::unsupported(pos, format!("clause {number}: {}", what(found[0].1, found[1].1)))
    }

    /// Inlines what must be inlined.
    fn make_linear(&mut self) -> Result<FxHashMap<PredId, Definition>, Error> {
        if self.clauses.iter().all(|c| c.body.len() <= 1) {
            return Ok(FxHashMap::default());
        }
        let params: Vec<Vec<Term>> = self.locations.iter().map(|&l| self.program.vars(l).to_vec()).collect();
        let clauses = std::mem::take(&mut self.clauses);
        let mut inliner = Inliner::new(&self.context, &clauses, &params);
        for (clause, &place) in clauses.iter().zip(&self.places) {
            if clause.body.len() <= 1 {
                self.clauses.push(clause.clone());
                continue;
            }
            match inliner.linear(clause) {
                Ok(clause) => self.clauses.push(clause),
                Err(NotLinear::Recursive) => {
                    let what = |a: &str, b: &str| format!("not linear: its body has both `{a}` and `{b}`");
                    let recursive: Vec<Term> = inliner.recursive(clause).collect();
                    return Err(self
                        .two_predicates(place, &recursive, what)
                        .hint("of the predicates in the body of a linear clause, at most one is recursive"));
                }
                Err(NotLinear::TooLarge(id)) => {
                    let name = &self.context.predicate(id).name;
                    let message = format!(
                        "clause {}: not linear, and the definition of `{name}` is too large to inline",
                        place.0
                    );
                    return Err(Error::unsupported(place.1, message));
                }
            }
        }
        Ok(inliner.definitions)
    }

    /// Adds the edge of a linear clause.
    fn add_edge(&mut self, clause: &Clause, place: (usize, Pos)) -> Result<(), Error> {
        let pool = self.pool;
        let (source, body_args) = match clause.body.first() {
            Some(&p) => self.location_of(p),
            None => (self.program.entry, &[][..]),
        };
        let (target, head_args) = match clause.heads.first() {
            Some(&p) => self.location_of(p),
            None => (self.program.error, &[][..]),
        };
        // A body argument that is a variable is the source's variable; any other is an equation.
        let bound: FxHashSet<Term> = clause.vars.iter().copied().collect();
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        let mut guard: Vec<Term> = clause.free.iter().map(|&f| pool.not(f)).collect();
        for (&x, &arg) in self.program.vars(source).iter().zip(body_args) {
            if bound.contains(&arg) && !map.contains_key(&arg) {
                map.insert(arg, x);
            } else {
                guard.push(pool.eq(x, arg));
            }
        }
        let mut substitution = palisade_term::Substitution::new(pool, &map);
        let guard = substitution.apply(pool.and(guard));
        let update: Vec<Term> = head_args.iter().map(|&t| substitution.apply(t)).collect();
        let inputs = self.inputs(source, guard, &update)?;
        let (parts, _) = solve_inputs(pool, Parts { inputs, guard, update });
        if parts.guard == pool.fls() {
            return Ok(());
        }
        let origin = Origin::statement(Some(self.position(place.1)), format!("clause {}", place.0));
        let Parts { inputs, guard, update } = parts;
        self.program.add_edge(Edge { source, target, inputs, guard, update, origin });
        Ok(())
    }

    /// The variables of an edge that are not the source's.
    fn inputs(&self, source: Loc, guard: Term, update: &[Term]) -> Result<Vec<Term>, Error> {
        let own: FxHashSet<Term> = self.program.vars(source).iter().copied().collect();
        let mut inputs = Vec::new();
        let mut constant = None;
        self.pool.visit(update.iter().copied().chain([guard]), |t| {
            if self.pool.is_var(t) && !own.contains(&t) {
                inputs.push(t);
                constant = constant.or(self.constants.get(&t));
            }
        });
        if let Some((name, pos)) = constant {
            return Err(Error::unsupported(*pos, format!("the free constant `{name}` in a clause"))
                .hint("bind it by forall if the clauses must hold for all its values"));
        }
        inputs.sort_unstable();
        Ok(inputs)
    }

    fn finish(mut self) -> Result<Horn, Error> {
        let mut definitions = self.make_linear()?;
        let clauses = std::mem::take(&mut self.clauses);
        let places = std::mem::take(&mut self.places);
        clauses.iter().zip(places).try_for_each(|(c, place)| self.add_edge(c, place))?;
        self.name_own_locations();
        self.name_queries();
        let predicate = |(id, p): (PredId, &palisade_smtlib::Predicate)| HornPredicate {
            name: p.name.clone(),
            sorts: p.sorts.clone(),
            location: self.locations[id.0 as usize],
            definition: definitions.remove(&id),
        };
        let predicates = self.context.predicates().map(predicate).collect();
        Ok(Horn { map: HornMap { dialect: self.dialect, predicates }, program: self.program })
    }

    /// The predicates have the first claim to their names.
    fn name_own_locations(&mut self) {
        for own in [self.program.entry, self.program.error] {
            let mut name = self.program.location(own).name.clone();
            while self.context.predicate_named(&name).is_some() {
                name.push('!');
            }
            self.program.locations[own.index()].name = name;
        }
    }

    fn name_queries(&mut self) {
        let error = self.program.error;
        let queries: Vec<&mut Edge> = self.program.edges.iter_mut().filter(|e| e.target == error).collect();
        let several = queries.len() > 1;
        for (n, edge) in queries.into_iter().enumerate() {
            let name = if several { format!("query {}", n + 1) } else { "query".to_string() };
            edge.origin.property = Some(Property::Violated(name.into()));
        }
    }
}
