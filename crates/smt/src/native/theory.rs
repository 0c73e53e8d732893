//! The theory that the SAT core consults: arithmetic, the decisions by justification, and the clauses held
//! back.
//!
//! The core hands over bounds as literals; they go to [`Arith`] at once, with the literal as reason, so every
//! conflict and explanation comes back as a clause. Integer splits are fresh atoms that live until the query
//! ends. The final check goes from cheap to expensive: bits that count and are undecided, integrality,
//! held-back clauses under the candidate model.

use palisade_arith::{ALit, BoundKind, Check, Conflict, Delta, Farkas, Final, Rational, Stop};
use palisade_sat::{Context, FinalCheck, Lifetime, Lit, Tag, Theory, Var};
use palisade_term::Term;

use super::encode::Encoder;
use super::gates::{ClauseSink, Gate, Rule};
use super::held_back::{Candidate, HeldBack};
use super::justify::{Demand, Demands};
use super::words::Words;

/// Backjumps of a query after which decisions are left to the activities of the core, and held-back clauses
/// given to it.
const HARD: u32 = 400;
/// The same for a query whose conflicts follow upon each other. Where a conflict comes only after many
/// decisions, much of the query is beside the point, and justification keeps away from that.
const DENSE: u32 = 40;
/// Decisions for each backjump that are many.
const MANY: u32 = 24;

/// The search as a sink of clauses.
pub(crate) struct SearchSink<'a, 'c>(pub &'a mut Context<'c>);

impl ClauseSink for SearchSink<'_, '_> {
    const FORGETS_ATOMS: bool = true;

    fn new_var(&mut self, theory: bool, scoped: bool) -> Var {
        self.0.new_var(theory, if scoped { Lifetime::Scope } else { Lifetime::Permanent })
    }

    fn clause(&mut self, lits: &[Lit], tag: Tag) {
        self.0.input_clause(lits, Lifetime::Permanent, tag);
    }
}

/// A certificate of a theory clause.
#[derive(Clone, Debug)]
pub enum Certificate {
    /// A weighted sum.
    Farkas(Farkas),
    /// A cutting-plane derivation.
    Cuts(palisade_arith::CutProof),
}

struct Raised {
    level: usize,
    clause: Vec<Lit>,
    tag: Tag,
}

/// Why the theory gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GaveUp {
    Limit,
    Interrupted,
}

/// The theory.
pub(crate) struct Theories<'p> {
    /// Taken out only while the core is added to.
    enc: Option<Box<Encoder<'p>>>,
    pub demands: Demands,
    pub held_back: HeldBack,
    pub words: Words<'p>,
    level: usize,
    raised: Option<Raised>,
    /// Number of the query, from 1 on.
    query: u32,
    backjumps: u32,
    /// Decisions after the first conflict.
    decisions: u32,
    /// Are decisions left to the core?
    by_activity: bool,
    /// Has the core got the held-back clauses?
    hard: bool,
    /// Variables whose cone has been looked at in this query.
    cone_seen: Vec<u32>,
    cone_work: Vec<Var>,
    pub gave_up: Option<GaveUp>,
    /// The number for the infinitesimal in the last candidate model.
    pub epsilon: Rational,
    /// Certificates of theory clauses, if they are kept; the tag's detail is the index.
    pub certificates: Option<Vec<Certificate>>,
    violated: Vec<u32>,
    clause: Vec<Lit>,
    reasons: Vec<u32>,
    /// Held-back clauses that became demands.
    pub activations: u64,
    pub splits: u64,
}

impl<'p> Theories<'p> {
    pub fn new(enc: Encoder<'p>, words: Words<'p>, proofs: bool) -> Self {
        Theories {
            enc: Some(Box::new(enc)),
            demands: Demands::default(),
            held_back: HeldBack::default(),
            words,
            level: 0,
            raised: None,
            query: 0,
            backjumps: 0,
            decisions: 0,
            by_activity: false,
            hard: false,
            cone_seen: Vec::new(),
            cone_work: Vec::new(),
            gave_up: None,
            epsilon: Rational::ONE,
            certificates: proofs.then(Vec::new),
            violated: Vec::new(),
            clause: Vec::new(),
            reasons: Vec::new(),
            activations: 0,
            splits: 0,
        }
    }

    /// The encoder.
    #[inline]
    pub fn enc(&self) -> &Encoder<'p> {
        self.enc.as_ref().expect("the encoder is here during search")
    }

    /// The encoder, to be changed.
    #[inline]
    pub fn enc_mut(&mut self) -> &mut Encoder<'p> {
        self.enc.as_mut().expect("the encoder is here during search")
    }

    /// Takes the encoder out, to add to the core with it.
    pub fn take_encoder(&mut self) -> Box<Encoder<'p>> {
        self.enc.take().expect("the encoder is taken once")
    }

    /// Puts the encoder back.
    pub fn put_encoder(&mut self, enc: Box<Encoder<'p>>) {
        self.enc = Some(enc);
    }

    /// Begins a query: no demands yet.
    pub fn begin_query(&mut self) {
        self.demands.clear();
        self.query += 1;
        self.backjumps = 0;
        self.decisions = 0;
        self.by_activity = false;
        self.hard = false;
        self.gave_up = None;
    }

    fn certify(&mut self, make: impl FnOnce() -> Certificate) -> Tag {
        match &mut self.certificates {
            None => Rule::Arith.tag(0),
            Some(log) => {
                log.push(make());
                Rule::Arith.tag((log.len() - 1) as u32)
            }
        }
    }

    /// The clause of arithmetic's conflict, into `self.clause`.
    fn conflict_clause(&mut self) -> Tag {
        let conflict = self.enc().arith.conflict().clone();
        let mut clause = std::mem::take(&mut self.clause);
        clause.clear();
        clause.extend(conflict.reasons().into_iter().map(|r| !Lit::from_code(r as usize)));
        self.clause = clause;
        self.certify(|| match conflict {
            Conflict::Farkas(f) => Certificate::Farkas(f),
            Conflict::Cuts(c) => Certificate::Cuts(c),
        })
    }

    fn report_implied(&mut self, cx: &mut Context<'_>) {
        let enc = self.enc.as_mut().expect("the encoder is here during search");
        while let Some(alit) = enc.arith.next_implied() {
            if let Some(l) = enc.literal_of(alit)
                && enc.gates.is_mentioned(l.var())
            {
                cx.propagate(l, alit.code());
            }
        }
    }

    /// Gives the core the held-back clauses that this query has to satisfy: a long search learns more from a
    /// clause that propagates than from the candidates that violate it.
    fn attach_held_back(&mut self, cx: &mut Context<'_>) {
        let mut waiting = std::mem::take(&mut self.violated);
        waiting.clear();
        self.held_back.waiting(self.query, |guard| cx.value(guard) == Some(true), &mut waiting);
        for &id in &waiting {
            self.demand(cx, id);
        }
        self.violated = waiting;
    }

    /// If the query has turned out to be hard: decisions by activity from now on, and all held-back clauses
    /// for the core; later, if they need circuits, which are expensive.
    fn leave_to_activity(&mut self, cx: &mut Context<'_>) {
        let late = self.backjumps > HARD;
        let dense = self.backjumps > DENSE && self.decisions < MANY * self.backjumps;
        let before = (self.by_activity, self.hard);
        self.by_activity |= dense || late;
        self.hard |= late || (self.by_activity && !self.held_back.has_words());
        if self.hard && !before.1 {
            self.attach_held_back(cx);
        }
        if before != (self.by_activity, self.hard) {
            self.extend_domain_to_cone(cx);
        }
    }

    /// Lets the core decide everything the query can depend on.
    fn extend_domain_to_cone(&mut self, cx: &mut Context<'_>) {
        for i in 0..self.demands.roots().len() {
            match self.demands.roots()[i] {
                Demand::True(l) => self.cone_work.push(l.var()),
                Demand::Assign(v) => self.cone_work.push(v),
                Demand::Clause(s, n) => {
                    let lits = self.enc.as_ref().expect("present").gates.children(s, n);
                    self.cone_work.extend(lits.iter().map(|l| l.var()));
                }
                Demand::Definition(_) => {}
            }
        }
        let mut seen: Vec<bool> = Vec::new();
        let enc = self.enc.as_ref().expect("the encoder is here during search");
        while let Some(v) = self.cone_work.pop() {
            if seen.len() <= v.index() {
                seen.resize(v.index() + 1, false);
            }
            if std::mem::replace(&mut seen[v.index()], true) {
                continue;
            }
            cx.extend_domain(v);
            match enc.gates.get(v) {
                Gate::Free => {}
                Gate::Bit(a, b, c) | Gate::Ite(a, b, c) => self.cone_work.extend([a.var(), b.var(), c.var()]),
                Gate::Iff(a, b) => self.cone_work.extend([a.var(), b.var()]),
                Gate::And(s, n) => self.cone_work.extend(enc.gates.children(s, n).iter().map(|l| l.var())),
                Gate::Equal(s, n) | Gate::AtMost(s, n) => {
                    self.cone_work.extend(enc.gates.children(s, 2 * n).iter().map(|l| l.var()));
                }
                Gate::Defined(s, n) | Gate::Linear(_, s, n) => {
                    for &d in enc.gates.def_refs(s, n) {
                        for &(s, n) in enc.gates.def_clauses(d) {
                            self.cone_work.extend(enc.gates.children(s, n).iter().map(|l| l.var()));
                        }
                    }
                }
            }
        }
    }

    /// When the core decides by itself: is a demand still without its reason? What it lacks joins the
    /// domain.
    fn undecided(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.by_activity {
            return false;
        }
        let enc = self.enc.as_ref().expect("the encoder is here during search");
        match self.demands.decide(enc, cx) {
            Some(l) => {
                cx.extend_domain(l.var());
                true
            }
            None => false,
        }
    }

    /// Brings the bits that count into the domain. True if some of them, or what they rest on, are undecided.
    fn extend_to_bits(&mut self, cx: &mut Context<'_>) -> bool {
        let enc = self.enc.as_ref().expect("the encoder is here during search");
        for o in self.demands.queue() {
            if let Demand::True(l) = o
                && let Gate::Bit(..) | Gate::Equal(..) | Gate::AtMost(..) = enc.gates.get(l.var())
            {
                self.cone_work.push(l.var());
            }
        }
        let mut open = false;
        while let Some(v) = self.cone_work.pop() {
            if self.cone_seen.len() <= v.index() {
                self.cone_seen.resize(v.index() + 1, 0);
            }
            if self.cone_seen[v.index()] == self.query {
                continue;
            }
            self.cone_seen[v.index()] = self.query;
            let assigned = cx.value(v.positive()).is_some();
            match enc.gates.get(v) {
                // It follows from its inputs, but deciding only those makes refutations of circuits
                // exponential.
                Gate::Bit(a, b, c) => {
                    cx.extend_domain(v);
                    open |= !assigned;
                    self.cone_work.extend([a.var(), b.var(), c.var()]);
                }
                Gate::Free => {
                    cx.extend_domain(v);
                    open |= !assigned;
                }
                Gate::Equal(s, n) | Gate::AtMost(s, n) => {
                    cx.extend_domain(v);
                    open |= !assigned;
                    self.cone_work.extend(enc.gates.children(s, 2 * n).iter().map(|l| l.var()));
                }
                _ => {
                    self.demands.add_root(Demand::Assign(v));
                    open = true;
                }
            }
        }
        open
    }

    /// Makes demands of the held-back clauses that the candidate violates; true if there were any.
    fn add_violated(&mut self, cx: &mut Context<'_>) -> bool {
        if self.held_back.len() == 0 {
            return false;
        }
        let enc = self.enc.as_ref().expect("the encoder is here during search");
        self.violated.clear();
        let value = |l: Lit| cx.value(l);
        self.words.new_candidate();
        self.held_back.violated(
            Candidate { enc, epsilon: &self.epsilon, value: &value, words: &mut self.words },
            self.query,
            &mut self.violated,
        );
        for i in 0..self.violated.len() {
            let id = self.violated[i];
            self.demand(cx, id);
        }
        !self.violated.is_empty()
    }

    /// Makes a held-back clause a demand of this query.
    fn demand(&mut self, cx: &mut Context<'_>, id: u32) {
        let range = match self.held_back.clause(id, self.query) {
            Ok(range) => range,
            Err((guard, terms)) => self.attach(cx, id, guard, &terms),
        };
        self.demands.add_root(Demand::Clause(range.0, range.1));
        self.held_back.demand(id, self.query);
        self.activations += 1;
    }

    /// Gives a held-back clause to the core.
    fn attach(&mut self, cx: &mut Context<'_>, id: u32, guard: Lit, terms: &[Term]) -> (u32, u32) {
        let mut enc = self.take_encoder();
        let mut clause = vec![guard];
        for &t in terms {
            clause.push(enc.required_for_query(&mut SearchSink(cx), t));
        }
        // For this query only: a core that keeps all it ever needed ends up with everything.
        cx.input_clause(&clause, Lifetime::Scope, Rule::Input.tag(0));
        let range = enc.gates.store_for_query(&clause);
        enc.gates.scoped = true;
        enc.gates.mention(&clause);
        enc.gates.scoped = false;
        self.put_encoder(enc);
        self.held_back.attach(id, range, self.query);
        range
    }

    /// A case split `x <= k or x >= k + 1` on a fresh atom, or on one that is there.
    fn split(&mut self, cx: &mut Context<'_>, var: palisade_arith::Var, value: &Delta) {
        self.splits += 1;
        let enc = self.enc_mut();
        let alit = enc.arith.atom(var, BoundKind::Upper, value);
        match enc.literal_of(alit) {
            Some(l) => self.demands.add_root(Demand::Assign(l.var())),
            None => {
                let v = cx.new_var(true, Lifetime::Scope);
                enc.set_atom(v, ALit::new(alit.atom(), true), var, true);
                self.demands.add_root(Demand::Assign(v));
            }
        }
    }

    /// Adds a cut: its premises imply a new bound.
    fn cut(&mut self, cx: &mut Context<'_>, cut: palisade_arith::Cut) {
        let enc = self.enc_mut();
        let (var, factor) = enc.arith.define(&cut.form).expect("a cut is not constant");
        let bound = Delta::real(&Rational::from(&cut.bound) / &Rational::from(&factor));
        let kind = if factor.is_negative() { BoundKind::Lower } else { BoundKind::Upper };
        let alit = enc.arith.atom(var, kind, &bound);
        let l = match enc.literal_of(alit) {
            Some(l) => l,
            None => {
                let v = cx.new_var(true, Lifetime::Scope);
                enc.set_atom(v, ALit::new(alit.atom(), true), var, true);
                v.lit(alit.positive())
            }
        };
        let mut clause: Vec<Lit> =
            cut.proof.reasons().into_iter().map(|r| !Lit::from_code(r as usize)).collect();
        clause.push(l);
        self.enc_mut().gates.mention(&clause);
        let tag = self.certify(|| Certificate::Cuts(cut.proof));
        cx.lemma(&clause, Lifetime::Scope, true, tag);
    }

    fn arith_final(&mut self, cx: &mut Context<'_>) -> Option<FinalCheck> {
        match self.enc_mut().arith.final_check() {
            Final::Sat => return None,
            Final::Unsat => {
                let tag = self.conflict_clause();
                cx.conflict(&self.clause, tag);
            }
            Final::Split { var, k } => self.split(cx, var, &Delta::from(k)),
            Final::SplitDisequality { var, value, .. } => self.split(cx, var, &Delta::real(value)),
            Final::Cut(cut) => self.cut(cx, cut),
            Final::Unknown(stop) => {
                self.give_up(stop);
                return Some(FinalCheck::Unknown);
            }
        }
        Some(FinalCheck::Progress)
    }

    fn give_up(&mut self, stop: Stop) {
        self.gave_up = Some(match stop {
            Stop::Budget => GaveUp::Limit,
            Stop::Interrupt => GaveUp::Interrupted,
        });
    }

    /// Bytes held, roughly.
    pub fn memory(&self) -> usize {
        let enc = self.enc();
        enc.memory() + enc.gates.memory() + enc.arith.memory() + self.held_back.memory()
    }
}

impl Theory for Theories<'_> {
    fn assert(&mut self, lit: Lit) {
        let enc = self.enc.as_mut().expect("the encoder is here during search");
        let Gate::Linear(positive, ..) = enc.gates.get(lit.var()) else { return };
        let alit = if lit.is_positive() { positive } else { !positive };
        if enc.arith.atom_mark(alit.atom()) == Some(alit.positive()) {
            return; // implied by what was asserted before
        }
        if !enc.arith.assert_lit(alit, lit.code() as u32) && self.raised.is_none() {
            let tag = self.conflict_clause();
            self.raised = Some(Raised { level: self.level, clause: self.clause.clone(), tag });
        }
    }

    fn new_level(&mut self) {
        self.level += 1;
        self.decisions += u32::from(self.backjumps > 0); // the first descent is long in any case
        self.enc_mut().arith.push_level();
        self.demands.new_level();
    }

    fn backtrack(&mut self, levels: usize) {
        self.level -= levels;
        self.backjumps += 1;
        self.enc_mut().arith.pop_levels(levels);
        self.demands.backtrack(levels);
        if self.raised.as_ref().is_some_and(|r| r.level > self.level) {
            self.raised = None;
        }
    }

    fn propagate(&mut self, cx: &mut Context<'_>) {
        if let Some(r) = &self.raised {
            cx.conflict(&r.clause, r.tag);
            return;
        }
        if self.gave_up.is_some() {
            return;
        }
        self.leave_to_activity(cx);
        match self.enc_mut().arith.check() {
            Check::Sat => {
                self.enc_mut().arith.propagate();
                self.report_implied(cx);
            }
            Check::Unsat => {
                let tag = self.conflict_clause();
                cx.conflict(&self.clause, tag);
            }
            Check::Unknown(stop) => self.give_up(stop),
        }
    }

    fn final_check(&mut self, cx: &mut Context<'_>) -> FinalCheck {
        if self.gave_up.is_some() {
            return FinalCheck::Unknown;
        }
        let answer = if self.undecided(cx) || self.extend_to_bits(cx) {
            FinalCheck::Progress
        } else if let Some(answer) = self.arith_final(cx) {
            answer
        } else {
            self.epsilon = self.enc().arith.epsilon();
            if self.add_violated(cx) { FinalCheck::Progress } else { FinalCheck::Consistent }
        };
        if self.by_activity && answer == FinalCheck::Progress {
            self.extend_domain_to_cone(cx); // the new demands must be in the domain
        }
        answer
    }

    fn explain(&mut self, lit: Lit, payload: u32, clause: &mut Vec<Lit>) -> Tag {
        let alit = alit_of_code(payload);
        let mut reasons = std::mem::take(&mut self.reasons);
        reasons.clear();
        let enc = self.enc();
        enc.arith.explain_reasons(alit, &mut reasons);
        clause.extend(reasons.iter().map(|&r| !Lit::from_code(r as usize)));
        let tag = if self.certificates.is_some() {
            let farkas = enc.arith.explain(alit, (!lit).code() as u32);
            self.certify(|| Certificate::Farkas(farkas))
        } else {
            Rule::Arith.tag(0)
        };
        self.reasons = reasons;
        tag
    }

    fn decide(&mut self, cx: &Context<'_>) -> Option<Lit> {
        if self.by_activity {
            return None;
        }
        let enc = self.enc.as_ref().expect("the encoder is here during search");
        self.demands.decide(enc, cx)
    }

    fn phase(&mut self, var: Var) -> Option<bool> {
        match self.enc().gates.get(var) {
            Gate::Linear(alit, ..) => Some(self.enc().arith.holds(alit)),
            _ => None,
        }
    }

    fn release(&mut self, var: Var) {
        self.enc_mut().release(var);
    }
}

fn alit_of_code(code: u32) -> ALit {
    ALit::new(palisade_arith::AtomId(code >> 1), code & 1 == 0)
}
