//! Splitting asserted formulas into clauses.
//!
//! A formula over opaque variables (predicate applications, quantifiers; see [`Context`]) is brought into
//! clauses `body and constraint => head`. Only the parts that contain predicates are taken apart; everything
//! else stays one constraint, so the number of clauses grows with the predicates alone. Quantifiers that are
//! universal in the clause are dropped and their variables become the clause's own.

use palisade_smtlib::{Context, Error, Opaque, Pos};
use palisade_term::{Op, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// One assertion may become at most this many clauses.
const MAX_CLAUSES: usize = 10_000;

/// A clause: the disjunction of the negated `body`, the `heads` and the `free` formulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clause {
    /// Predicate applications that occur negatively.
    pub body: Vec<Term>,
    /// Predicate applications that occur positively.
    pub heads: Vec<Term>,
    /// Formulas without predicates.
    pub free: Vec<Term>,
    /// The variables that its quantifiers bind.
    pub vars: Vec<Term>,
}

/// A formula with its polarity: `false` for its negation.
type Signed = (Term, bool);

/// A clause in the making.
#[derive(Clone, Default)]
struct Draft {
    clause: Clause,
    /// Disjuncts still to be looked at.
    todo: Vec<Signed>,
    /// Conjunctions: in each, the clause has to be continued once for every conjunct. Kept for last, so that
    /// the copies have little left to do.
    splits: Vec<Vec<Signed>>,
}

/// Splits formulas into clauses.
pub(crate) struct Clausifier<'c, 'p> {
    context: &'c mut Context<'p>,
    /// Does the term contain opaque variables?
    tainted: FxHashMap<Term, bool>,
    pos: Pos,
}

impl<'c, 'p> Clausifier<'c, 'p> {
    /// For one assertion at this position.
    pub fn new(context: &'c mut Context<'p>, pos: Pos) -> Self {
        Clausifier { context, tainted: FxHashMap::default(), pos }
    }

    /// The clauses whose conjunction, universally closed, is the formula.
    pub fn clauses(&mut self, formula: Term) -> Result<Vec<Clause>, Error> {
        let mut drafts = vec![Draft { todo: vec![(formula, true)], ..Draft::default() }];
        let mut out = Vec::new();
        while let Some(mut draft) = drafts.pop() {
            while let Some((t, positive)) = draft.todo.pop() {
                self.step(&mut draft, t, positive)?;
            }
            let Some(conjuncts) = draft.splits.pop() else {
                out.push(draft.clause);
                continue;
            };
            for &part in conjuncts.iter().rev() {
                let mut copy = draft.clone();
                copy.todo.push(part);
                drafts.push(copy);
            }
            if out.len() + drafts.len() > MAX_CLAUSES {
                return Err(Error::unsupported(
                    self.pos,
                    format!("an assertion of more than {MAX_CLAUSES} clauses"),
                ));
            }
        }
        Ok(out)
    }

    /// Takes one disjunct apart.
    fn step(&mut self, draft: &mut Draft, t: Term, positive: bool) -> Result<(), Error> {
        let pool = self.context.pool();
        let signed = |u: Term| if positive { u } else { pool.not(u) };
        if !self.is_tainted(t) {
            draft.clause.free.push(signed(t));
            return Ok(());
        }
        let args = pool.args(t);
        match pool.op(t) {
            Op::Var(..) => self.step_opaque(draft, t, positive)?,
            Op::Not => draft.todo.push((args[0], !positive)),
            // A disjunction, seen with its sign.
            Op::Or | Op::And if positive == matches!(pool.op(t), Op::Or) => {
                draft.todo.extend(args.iter().map(|&a| (a, positive)));
            }
            Op::Or | Op::And => {
                // The conjuncts without predicates need not be told apart.
                let (tainted, plain): (Vec<Term>, Vec<Term>) =
                    args.iter().partition(|&&a| self.is_tainted(a));
                let mut parts: Vec<Signed> = tainted.into_iter().map(|a| (a, positive)).collect();
                if !plain.is_empty() {
                    parts.push((pool.and(plain.into_iter().map(signed)), true));
                }
                draft.splits.push(parts);
            }
            Op::Eq if *pool.sort(args[0]) == Sort::Bool => {
                // (not a or b) and (a or not b), or with the sign (a or b) and (not a or not b)
                let (a, b) = (args[0], args[1]);
                let b = signed(b);
                draft.splits.push(vec![(pool.or([pool.not(a), b]), true), (pool.or([a, pool.not(b)]), true)]);
            }
            Op::Ite if *pool.sort(t) == Sort::Bool => {
                let (c, a, b) = (args[0], signed(args[1]), signed(args[2]));
                draft.splits.push(vec![(pool.or([pool.not(c), a]), true), (pool.or([c, b]), true)]);
            }
            _ => return Err(self.inside_a_term(t)),
        }
        Ok(())
    }

    fn step_opaque(&mut self, draft: &mut Draft, t: Term, positive: bool) -> Result<(), Error> {
        match self.context.opaque(t).expect("a tainted variable is opaque").clone() {
            Opaque::Apply { args, .. } => {
                if let Some(&a) = args.iter().find(|&&a| self.is_tainted(a)) {
                    return Err(self.inside_a_term(a));
                }
                let side = if positive { &mut draft.clause.heads } else { &mut draft.clause.body };
                if !side.contains(&t) {
                    side.push(t);
                }
            }
            Opaque::Quantified { universal, pos, .. } if universal != positive => {
                let what = if universal { "forall" } else { "exists" };
                return Err(Error::unsupported(
                    pos,
                    format!("this `{what}`: in its clause it is an existential quantifier"),
                )
                .hint("in a Horn clause every variable is universally quantified"));
            }
            Opaque::Quantified { vars, body, .. } => {
                // A second copy of a quantifier needs variables of its own.
                let used: FxHashSet<Term> = draft.clause.vars.iter().copied().collect();
                let pool = self.context.pool();
                let mut renaming = FxHashMap::default();
                for v in vars {
                    let own = if used.contains(&v) {
                        let fresh = pool.fresh_var(pool.var_name(v), pool.sort(v).clone());
                        renaming.insert(v, fresh);
                        fresh
                    } else {
                        v
                    };
                    draft.clause.vars.push(own);
                }
                let body = if renaming.is_empty() { body } else { self.context.substitute(body, &renaming) };
                draft.todo.push((body, positive));
            }
        }
        Ok(())
    }

    /// A predicate where only terms may stand.
    fn inside_a_term(&self, t: Term) -> Error {
        let inner = self.context.opaques_of(t);
        match inner.first().and_then(|&o| self.context.opaque(o)) {
            Some(Opaque::Apply { predicate, pos, .. }) => {
                let name = &self.context.predicate(*predicate).name;
                Error::unsupported(*pos, format!("the predicate `{name}` inside a term"))
                    .hint("predicates may stand below Boolean connectives only")
            }
            Some(Opaque::Quantified { pos, .. }) => Error::unsupported(*pos, "a quantifier inside a term"),
            None => unreachable!("called on tainted terms"),
        }
    }

    fn is_tainted(&mut self, root: Term) -> bool {
        let pool = self.context.pool();
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.tainted.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(pool.args(t).iter().filter(|a| !self.tainted.contains_key(*a)));
            if stack.len() == before {
                let tainted =
                    self.context.opaque(t).is_some() || pool.args(t).iter().any(|a| self.tainted[a]);
                self.tainted.insert(t, tainted);
                stack.pop();
            }
        }
        self.tainted[&root]
    }
}
