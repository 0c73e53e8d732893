//! Clauses that are held back until the search runs into them.
//!
//! IC3's frames are hundreds to thousands of clauses over the same few variables, of which a query needs a
//! handful. So an asserted clause of literals is not given to the search: it is evaluated under each
//! candidate model, and only one that is violated becomes a clause and a demand, for the rest of the
//! query. A core that kept all the clauses it ever needed would end up with everything.
//!
//! Evaluation is what keeps queries flat in the number of clauses, and it is made cheap: clauses are filed by
//! their guard (the activation literal of a frame) and under it by the literal that most of them share (often
//! a location), so that whole groups need not be looked at while that literal holds. Equal literals are
//! evaluated once per model, and each clause remembers the literal that satisfied it last.

use palisade_arith::Rational;
use palisade_sat::Lit;
use palisade_term::Term;
use rustc_hash::FxHashMap;

use super::encode::Encoder;
use super::gates::fls;
use super::relation::Relation;
use super::words::Words;

/// How a literal is evaluated.
#[derive(Clone, Debug)]
pub(crate) enum View {
    /// A Boolean variable or its negation. Unassigned variables are false in models.
    Bool(Lit),
    /// A comparison of an arithmetic variable (slack or structural) with a number.
    Linear(palisade_arith::Var, Relation, Rational),
    /// Any other atom, evaluated by its term; true if negated.
    Word(Term, bool),
}

struct Held {
    bucket: u32,
    group: u32,
    /// Literals: a range of `lits`.
    start: u32,
    len: u32,
    /// Position in the range of the literal that held last.
    watch: u32,
    scope: u32,
    /// The clause in the core (a range of the gates' children) in the query `attached_in`.
    clause: (u32, u32),
    attached_in: u32,
    /// The query in which it last became a demand.
    demand_in: u32,
}

/// Clauses of a bucket that share a literal.
struct Group {
    view: u32,
    clauses: Vec<u32>,
    /// Clauses of the bucket that ever had the literal, in this group or in others.
    uses: u32,
}

/// The clauses with the same guard.
struct Bucket {
    guard: Lit,
    /// The groups that have members.
    groups: Vec<u32>,
}

/// The clauses held back.
#[derive(Default)]
pub(crate) struct HeldBack {
    held: Vec<Held>,
    /// Indices of views.
    lits: Vec<u32>,
    views: Vec<View>,
    terms: Vec<Term>,
    words: bool,
    view_of: FxHashMap<Term, u32>,
    buckets: Vec<Bucket>,
    bucket_of: FxHashMap<Lit, u32>,
    groups: Vec<Group>,
    /// The group of a literal in a bucket.
    group_of: FxHashMap<(u32, u32), u32>,
    /// Truth of a view in the candidate model number `stamp`.
    truth: Vec<(u32, bool)>,
    /// Values of arithmetic variables in the candidate model.
    values: Vec<(u32, Rational)>,
    stamp: u32,
}

/// A candidate model, as far as evaluation needs it.
pub(crate) struct Candidate<'a, 'p> {
    pub enc: &'a Encoder<'p>,
    pub epsilon: &'a Rational,
    pub value: &'a dyn Fn(Lit) -> Option<bool>,
    pub words: &'a mut Words<'p>,
}

impl HeldBack {
    /// The number of clauses held.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// The number of literals with a view.
    pub fn parts(&self) -> usize {
        self.views.len()
    }

    /// Are there literals about bit-vectors?
    pub fn has_words(&self) -> bool {
        self.words
    }

    /// Bytes held, roughly.
    pub fn memory(&self) -> usize {
        self.held.capacity() * size_of::<Held>()
            + 4 * self.lits.capacity()
            + 4 * self.held.len()
            + self.groups.capacity() * (size_of::<Group>() + 24)
            + self.views.capacity() * (size_of::<View>() + 32)
            + self.values.capacity() * size_of::<(u32, Rational)>()
    }

    /// The view of a literal, if it has been made.
    pub fn view(&self, t: Term) -> Option<u32> {
        self.view_of.get(&t).copied()
    }

    /// Notes how a literal is evaluated.
    pub fn add_view(&mut self, t: Term, view: View) -> u32 {
        let i = self.views.len() as u32;
        self.words |= matches!(view, View::Word(..));
        self.views.push(view);
        self.terms.push(t);
        self.truth.push((0, false));
        self.view_of.insert(t, i);
        i
    }

    /// Holds a clause back. `guard` is the negation of one of its literals, if that is a Boolean variable's;
    /// that literal is not among `views`.
    pub fn add(&mut self, guard: Option<Lit>, views: &[u32], scope: usize) {
        let guard = guard.unwrap_or(!fls());
        let bucket = *self.bucket_of.entry(guard).or_insert_with(|| {
            self.buckets.push(Bucket { guard, groups: Vec::new() });
            (self.buckets.len() - 1) as u32
        });
        let group = self.most_common(bucket, views);
        let g = &mut self.groups[group as usize];
        if g.clauses.is_empty() {
            self.buckets[bucket as usize].groups.push(group);
        }
        g.clauses.push(self.held.len() as u32);
        let start = self.lits.len() as u32;
        self.lits.extend_from_slice(views);
        self.held.push(Held {
            bucket,
            group,
            start,
            len: views.len() as u32,
            watch: 0,
            scope: scope as u32,
            clause: (0, 0),
            attached_in: 0,
            demand_in: 0,
        });
    }

    /// The group of the literal that occurs most in the bucket.
    fn most_common(&mut self, bucket: u32, views: &[u32]) -> u32 {
        let mut best: Option<(u32, u32)> = None;
        for &view in views {
            let group = *self.group_of.entry((bucket, view)).or_insert_with(|| {
                self.groups.push(Group { view, clauses: Vec::new(), uses: 0 });
                (self.groups.len() - 1) as u32
            });
            let uses = &mut self.groups[group as usize].uses;
            *uses += 1;
            if best.is_none_or(|(most, _)| *uses > most) {
                best = Some((*uses, group));
            }
        }
        best.expect("a clause has literals besides its guard").1
    }

    /// Forgets the clauses of scopes deeper than `depth`.
    pub fn pop(&mut self, depth: usize) {
        while let Some(last) = self.held.last() {
            if last.scope as usize <= depth {
                break;
            }
            self.lits.truncate(last.start as usize);
            let group = &mut self.groups[last.group as usize];
            group.clauses.pop();
            if group.clauses.is_empty() {
                // It joined with this clause, and those that joined later are gone.
                let gone = self.buckets[last.bucket as usize].groups.pop();
                debug_assert_eq!(gone, Some(last.group));
            }
            self.held.pop();
        }
    }

    /// The clauses that the candidate violates and that are no demands of this query yet.
    pub fn violated(&mut self, mut candidate: Candidate<'_, '_>, query: u32, out: &mut Vec<u32>) {
        self.stamp += 1;
        let (buckets, groups) = (std::mem::take(&mut self.buckets), std::mem::take(&mut self.groups));
        for b in &buckets {
            if (candidate.value)(b.guard) != Some(true) {
                continue;
            }
            for g in b.groups.iter().map(|&g| &groups[g as usize]) {
                if !self.holds(g.view, &mut candidate) {
                    self.violated_of(&g.clauses, &mut candidate, query, out);
                }
            }
        }
        (self.buckets, self.groups) = (buckets, groups);
    }

    fn violated_of(
        &mut self,
        clauses: &[u32],
        candidate: &mut Candidate<'_, '_>,
        query: u32,
        out: &mut Vec<u32>,
    ) {
        for &i in clauses {
            let Held { start, len, watch, demand_in, .. } = self.held[i as usize];
            if demand_in == query || self.holds(self.lits[(start + watch) as usize], candidate) {
                continue;
            }
            let mut others = (0..len).filter(|&k| k != watch);
            match others.find(|&k| self.holds(self.lits[(start + k) as usize], candidate)) {
                Some(k) => self.held[i as usize].watch = k,
                None => out.push(i),
            }
        }
    }

    /// The clauses under a guard that counts which are no demands of this query yet.
    pub fn waiting(&self, query: u32, counts: impl Fn(Lit) -> bool, out: &mut Vec<u32>) {
        let waits = |h: &Held| h.demand_in != query && counts(self.buckets[h.bucket as usize].guard);
        out.extend(self.held.iter().enumerate().filter(|(_, h)| waits(h)).map(|(i, _)| i as u32));
    }

    #[inline]
    fn holds(&mut self, view: u32, candidate: &mut Candidate<'_, '_>) -> bool {
        let view = view as usize;
        let (stamp, truth) = self.truth[view];
        if stamp == self.stamp {
            return truth;
        }
        let truth = match &self.views[view] {
            View::Bool(l) => (candidate.value)(*l).unwrap_or(!l.is_positive()),
            View::Linear(var, relation, bound) => {
                let i = var.index();
                if self.values.len() <= i {
                    self.values.resize(i + 1, (0, Rational::ZERO));
                }
                if self.values[i].0 != self.stamp {
                    self.values[i] = (self.stamp, candidate.enc.arith.evaluate(*var).at(candidate.epsilon));
                }
                relation.holds(&self.values[i].1, bound)
            }
            View::Word(atom, negated) => {
                candidate.words.holds(*atom, candidate.enc, candidate.value) != *negated
            }
        };
        self.truth[view] = (self.stamp, truth);
        truth
    }

    /// A clause in the core, if it is there in this query; else its literals: guard and terms.
    pub fn clause(&self, id: u32, query: u32) -> Result<(u32, u32), (Lit, Vec<Term>)> {
        let h = &self.held[id as usize];
        if h.attached_in == query {
            return Ok(h.clause);
        }
        let lits = &self.lits[h.start as usize..(h.start + h.len) as usize];
        let guard = self.buckets[h.bucket as usize].guard;
        Err((!guard, lits.iter().map(|&v| self.terms[v as usize]).collect()))
    }

    /// Notes that the core has the clause in this query.
    pub fn attach(&mut self, id: u32, clause: (u32, u32), query: u32) {
        let h = &mut self.held[id as usize];
        h.clause = clause;
        h.attached_in = query;
    }

    /// Notes that the clause is a demand of this query.
    pub fn demand(&mut self, id: u32, query: u32) {
        self.held[id as usize].demand_in = query;
    }
}
