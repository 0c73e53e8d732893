//! The proof log: a list of clauses, each an input, a theory lemma, or derived from earlier ones.
//!
//! A derived step carries its *resolution chain* (as LRAT does with its hints, but in strict order): start
//! with the first antecedent and resolve with each next one on the only literal that clashes; the result is
//! exactly the clause of the step. That is enough both for a checker that replays the proof line by line and
//! for interpolation, which needs every resolution step and its pivot.
//!
//! Steps only refer to earlier steps. A step that depends on nothing of a popped scope never refers to a step
//! that does, so a variable that was released and used again means one thing within any single (trimmed)
//! proof.

use crate::lit::Lit;

/// Number of a proof step, from 1 on. 0 stands for "no step": logging was off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StepId(pub(crate) u32);

impl StepId {
    pub(crate) const NONE: StepId = StepId(0);

    /// The position of the step in the proof, from 0 on.
    pub fn index(self) -> usize {
        self.0 as usize - 1
    }
}

/// What a caller attaches to a clause to recognise it in the proof: a partition, a formula, a Farkas
/// certificate.
pub type Tag = u64;

/// A proof step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// A clause the caller added.
    Input {
        /// The literals, sorted and without duplicates.
        lits: &'a [Lit],
        /// The caller's tag.
        tag: Tag,
    },
    /// A clause the theory vouches for: lemma, conflict or explanation.
    Theory {
        /// The literals, sorted and without duplicates.
        lits: &'a [Lit],
        /// The theory's tag.
        tag: Tag,
    },
    /// A resolvent.
    Derived {
        /// The literals, in no particular order.
        lits: &'a [Lit],
        /// The antecedents in resolution order; never empty. A single antecedent is a copy.
        chain: &'a [StepId],
    },
}

impl<'a> Step<'a> {
    /// The literals of the step's clause.
    pub fn lits(self) -> &'a [Lit] {
        match self {
            Step::Input { lits, .. } | Step::Theory { lits, .. } | Step::Derived { lits, .. } => lits,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Input,
    Theory,
    Derived,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    kind: Kind,
    lits: u32,
    lits_len: u32,
    chain: u32,
    chain_len: u32,
    tag: Tag,
}

/// A proof in memory. See the [module](self) for what its steps mean.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Proof {
    entries: Vec<Entry>,
    lits: Vec<Lit>,
    chains: Vec<StepId>,
}

impl Proof {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// One step.
    pub fn step(&self, id: StepId) -> Step<'_> {
        let e = &self.entries[id.index()];
        let lits = &self.lits[e.lits as usize..][..e.lits_len as usize];
        match e.kind {
            Kind::Input => Step::Input { lits, tag: e.tag },
            Kind::Theory => Step::Theory { lits, tag: e.tag },
            Kind::Derived => {
                Step::Derived { lits, chain: &self.chains[e.chain as usize..][..e.chain_len as usize] }
            }
        }
    }

    /// All steps in order; the antecedents of a step come before it.
    pub fn steps(&self) -> impl Iterator<Item = (StepId, Step<'_>)> {
        (1..=self.entries.len() as u32).map(|i| (StepId(i), self.step(StepId(i))))
    }

    /// The part of the proof that `root` rests on, renumbered; `root` becomes the last step.
    pub fn trim(&self, root: StepId) -> Proof {
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        self.trimmed(&mut needed).0
    }

    /// Keeps the steps marked in `needed` and what they rest on. Also returns the new number of each old
    /// step.
    pub(crate) fn trimmed(&self, needed: &mut [bool]) -> (Proof, Vec<StepId>) {
        for i in (0..needed.len()).rev() {
            if needed[i]
                && let Step::Derived { chain, .. } = self.step(StepId(i as u32 + 1))
            {
                for a in chain {
                    needed[a.index()] = true;
                }
            }
        }
        let mut out = Proof::default();
        let mut number = vec![StepId::NONE; needed.len()];
        let mut chain = Vec::new();
        for i in (0..needed.len()).filter(|&i| needed[i]) {
            number[i] = match self.step(StepId(i as u32 + 1)) {
                Step::Input { lits, tag } => out.input(lits, tag),
                Step::Theory { lits, tag } => out.theory(lits, tag),
                Step::Derived { lits, chain: old } => {
                    chain.clear();
                    chain.extend(old.iter().map(|a| number[a.index()]));
                    out.derived(lits, &chain)
                }
            };
        }
        (out, number)
    }

    /// Estimated heap use in bytes.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + 4 * (self.lits.capacity() + self.chains.capacity())
    }

    pub(crate) fn input(&mut self, lits: &[Lit], tag: Tag) -> StepId {
        self.add(Kind::Input, lits, &[], tag)
    }

    pub(crate) fn theory(&mut self, lits: &[Lit], tag: Tag) -> StepId {
        self.add(Kind::Theory, lits, &[], tag)
    }

    pub(crate) fn derived(&mut self, lits: &[Lit], chain: &[StepId]) -> StepId {
        debug_assert!(
            !chain.is_empty() && chain.iter().all(|c| *c != StepId::NONE && c.index() < self.len())
        );
        self.add(Kind::Derived, lits, chain, 0)
    }

    fn add(&mut self, kind: Kind, lits: &[Lit], chain: &[StepId], tag: Tag) -> StepId {
        let offset = |n: usize| u32::try_from(n).expect("proof log is full");
        self.entries.push(Entry {
            kind,
            lits: offset(self.lits.len()),
            lits_len: lits.len() as u32,
            chain: offset(self.chains.len()),
            chain_len: chain.len() as u32,
            tag,
        });
        self.lits.extend_from_slice(lits);
        self.chains.extend_from_slice(chain);
        StepId(offset(self.entries.len()))
    }
}
