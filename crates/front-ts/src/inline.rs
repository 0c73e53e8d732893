//! Making clauses linear by inlining predicates that are not recursive.
//!
//! A clause with several predicates in its body is still linear in disguise when all but one of them have
//! finite definitions: such a *closed* predicate depends on no cycle, so it is equal to a formula
//!
//! ```text
//! R(x)  =  exists v. (constraint_1 and x = t_1) or (constraint_2 and x = t_2) or ...
//! ```
//!
//! with one disjunct per clause that concludes it, and the formula can stand in its place. The existential
//! variables become variables of the clause. Only clauses that need it are changed; the predicates keep their
//! locations.

use palisade_smtlib::{Context, Opaque, PredId};
use palisade_term::{Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clause::Clause;

/// Larger definitions than this (in nodes) are not inlined.
const MAX_SIZE: usize = 300_000;

/// A predicate as a formula: `exists vars. formula`, over its parameters.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The existentially quantified variables.
    pub vars: Vec<Term>,
    /// The formula over `vars` and the parameters.
    pub formula: Term,
}

/// Why a clause cannot be made linear.
pub(crate) enum NotLinear {
    /// More than one of its predicates is recursive.
    Recursive,
    /// The definition of this predicate is too large.
    TooLarge(PredId),
}

pub(crate) struct Inliner<'c, 'p> {
    pool: &'p TermPool,
    context: &'c Context<'p>,
    clauses: &'c [Clause],
    /// The parameters of each predicate.
    params: &'c [Vec<Term>],
    /// The clauses that conclude each predicate.
    by_head: Vec<Vec<usize>>,
    /// The closed predicates, each after all it depends on.
    closed: Vec<PredId>,
    is_closed: FxHashSet<PredId>,
    pub definitions: FxHashMap<PredId, Definition>,
}

impl<'c, 'p> Inliner<'c, 'p> {
    pub fn new(context: &'c Context<'p>, clauses: &'c [Clause], params: &'c [Vec<Term>]) -> Self {
        let mut by_head = vec![Vec::new(); params.len()];
        for (i, c) in clauses.iter().enumerate() {
            if let Some(&h) = c.heads.first() {
                by_head[application(context, h).0.0 as usize].push(i);
            }
        }
        let mut inliner = Inliner {
            pool: context.pool(),
            context,
            clauses,
            params,
            by_head,
            closed: Vec::new(),
            is_closed: FxHashSet::default(),
            definitions: FxHashMap::default(),
        };
        inliner.find_closed();
        inliner
    }

    /// The predicates of a clause's body.
    fn body<'a>(&'a self, clause: &'a Clause) -> impl Iterator<Item = PredId> + 'a {
        clause.body.iter().map(|&t| application(self.context, t).0)
    }

    /// The least set of predicates whose clauses mention only predicates of the set.
    fn find_closed(&mut self) {
        // For every predicate, how many clauses still wait for one of their body predicates.
        let mut waiting: Vec<usize> = vec![0; self.params.len()];
        let mut missing: Vec<usize> = Vec::with_capacity(self.clauses.len());
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.params.len()];
        let head = |c: &Clause| c.heads.first().map(|&h| application(self.context, h).0.0 as usize);
        for (i, c) in self.clauses.iter().enumerate() {
            let below: FxHashSet<PredId> = self.body(c).collect();
            missing.push(below.len());
            below.iter().for_each(|p| users[p.0 as usize].push(i));
            if let (Some(h), false) = (head(c), below.is_empty()) {
                waiting[h] += 1;
            }
        }
        let mut ready: Vec<usize> = (0..waiting.len()).rev().filter(|&p| waiting[p] == 0).collect();
        let mut closed = Vec::new();
        while let Some(p) = ready.pop() {
            closed.push(PredId(p as u32));
            for &i in &users[p] {
                missing[i] -= 1;
                if let (Some(h), 0) = (head(&self.clauses[i]), missing[i]) {
                    waiting[h] -= 1;
                    if waiting[h] == 0 {
                        ready.push(h);
                    }
                }
            }
        }
        self.is_closed = closed.iter().copied().collect();
        self.closed = closed;
    }

    /// The applications in a clause's body that cannot be inlined.
    pub fn recursive<'a>(&'a self, clause: &'a Clause) -> impl Iterator<Item = Term> + 'a {
        clause.body.iter().copied().filter(|&t| !self.is_closed.contains(&application(self.context, t).0))
    }

    /// The clause with its closed body predicates replaced by their definitions.
    pub fn linear(&mut self, clause: &Clause) -> Result<Clause, NotLinear> {
        if self.recursive(clause).count() > 1 {
            return Err(NotLinear::Recursive);
        }
        self.define(self.body(clause).filter(|p| self.is_closed.contains(p)).collect())?;
        let mut out = clause.clone();
        out.body.retain(|&t| !self.is_closed.contains(&application(self.context, t).0));
        for &t in &clause.body {
            let (id, args) = application(self.context, t);
            if self.is_closed.contains(&id) {
                let instance = self.instance(id, args, &mut out.vars);
                out.free.push(self.pool.not(instance));
            }
        }
        Ok(out)
    }

    /// The definition of a predicate for these arguments, its variables made anew and added to `vars`.
    fn instance(&self, id: PredId, args: &[Term], vars: &mut Vec<Term>) -> Term {
        let definition = &self.definitions[&id];
        let params = &self.params[id.0 as usize];
        let mut map: FxHashMap<Term, Term> = params.iter().copied().zip(args.iter().copied()).collect();
        for &v in &definition.vars {
            let fresh = another(self.pool, v);
            map.insert(v, fresh);
            vars.push(fresh);
        }
        self.pool.substitute(definition.formula, &map)
    }

    /// Defines these closed predicates and all they depend on.
    fn define(&mut self, roots: Vec<PredId>) -> Result<(), NotLinear> {
        let mut needed: FxHashSet<PredId> = FxHashSet::default();
        let mut work = roots;
        while let Some(p) = work.pop() {
            if !self.definitions.contains_key(&p) && needed.insert(p) {
                for &i in &self.by_head[p.0 as usize] {
                    work.extend(self.body(&self.clauses[i]));
                }
            }
        }
        for p in self.closed.clone() {
            if needed.contains(&p) {
                let definition = self.definition(p);
                if self.pool.dag_size(definition.formula) > MAX_SIZE {
                    return Err(NotLinear::TooLarge(p));
                }
                self.definitions.insert(p, definition);
            }
        }
        Ok(())
    }

    /// The disjunction over all clauses that conclude the predicate; what they depend on is already defined.
    fn definition(&self, p: PredId) -> Definition {
        let pool = self.pool;
        let mut vars = Vec::new();
        let mut cases = Vec::new();
        for &i in &self.by_head[p.0 as usize] {
            let clause = &self.clauses[i];
            let mut own = clause.vars.clone();
            let mut parts: Vec<Term> = clause.free.iter().map(|&f| pool.not(f)).collect();
            for &t in &clause.body {
                let (id, args) = application(self.context, t);
                parts.push(self.instance(id, args, &mut own));
            }
            // A head argument that is a variable of the clause is the parameter.
            let (_, args) = application(self.context, clause.heads[0]);
            let bound: FxHashSet<Term> = own.iter().copied().collect();
            let mut map: FxHashMap<Term, Term> = FxHashMap::default();
            for (&x, &arg) in self.params[p.0 as usize].iter().zip(args) {
                if bound.contains(&arg) && !map.contains_key(&arg) {
                    map.insert(arg, x);
                } else {
                    parts.push(pool.eq(x, arg));
                }
            }
            // Clauses use the same names: the others become the definition's own.
            own.retain(|v| !map.contains_key(v));
            for v in own {
                let fresh = another(pool, v);
                map.insert(v, fresh);
                vars.push(fresh);
            }
            cases.push(pool.substitute(pool.and(parts), &map));
        }
        let formula = pool.or(cases);
        let used = pool.free_vars(formula);
        vars.retain(|v| used.contains(v));
        Definition { vars, formula }
    }
}

/// A fresh variable like this one, whose name does not grow from copy to copy.
fn another(pool: &TermPool, v: Term) -> Term {
    let name = pool.var_name(v);
    let base = match name.rsplit_once('!') {
        Some((base, digits)) if !base.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => name,
    };
    pool.fresh_var(base, pool.sort(v).clone())
}

/// The predicate and the arguments of an application.
pub(crate) fn application<'a>(context: &'a Context<'_>, t: Term) -> (PredId, &'a [Term]) {
    match context.opaque(t) {
        Some(Opaque::Apply { predicate, args, .. }) => (*predicate, args),
        _ => unreachable!("clauses hold applications"),
    }
}
