//! The proof format.

use std::fmt;

use palisade_term::{Rational, Term, TermPool};

/// A literal: a variable of the proof or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The literal of a variable.
    pub fn new(var: usize, positive: bool) -> Lit {
        let var = u32::try_from(var).expect("fewer than 2^31 variables");
        Lit(var << 1 | u32::from(!positive))
    }

    /// The variable, an index of [`Proof::meaning`].
    pub fn var(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Is it the variable itself?
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// Twice the variable, plus one if negated; for side tables.
    pub fn code(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", if self.is_positive() { "" } else { "-" }, self.var())
    }
}

/// The number of a step, from 0 on.
pub type StepId = u32;

/// A step: a clause, and why it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The literals.
    pub clause: Box<[Lit]>,
    /// The justification.
    pub rule: Rule,
}

/// Why a clause holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It follows by Boolean structure from a conjunct of the canonical form of an asserted formula.
    Input {
        /// The number of the formula.
        formula: usize,
        /// The conjunct, or the whole canonical form.
        conjunct: Term,
    },
    /// It holds by the Boolean structure of the terms that its literals mean.
    Structure,
    /// It follows by Boolean structure from the definition of a term.
    Definition(Term),
    /// It follows by Boolean structure from a fact about arrays.
    Array(ArrayFact),
    /// It follows by Boolean structure from a fact about a product.
    Product(ProductFact),
    /// The negations of some of its literals, which are inequalities, add up to a contradiction; the last sum
    /// is the contradiction.
    Sums(Vec<Sum>),
    /// It is what resolving these steps gives: the first with the second, the result with the third, and so
    /// on, each time on the one literal that clashes.
    Resolution(Vec<StepId>),
}

/// A new variable of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The variable.
    pub var: Term,
    /// What it stands for.
    pub meaning: Meaning,
}

/// What a new variable stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A term; where it occurs in asserted formulas, the variable replaces it.
    Term(Term),
    /// An index at which two arrays differ, if they do.
    Difference(Term, Term),
}

/// What holds of arrays. Arrays and indices are over new variables, with nothing left in them that is
/// defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrayFact {
    /// Arrays are equal if they are equal at the variable, which is defined as their difference.
    Extensionality(Term),
    /// The variable, defined as a choice, is one array if the condition holds and the other if not.
    Choice(Term),
    /// An element is the same at both ends of a walk.
    Walk(Walk),
}

/// A walk from array to array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The first array.
    pub start: Term,
    /// The steps, each with the array it leads to.
    pub hops: Vec<(Hop, Term)>,
    /// The index at which the first array is read, if it is not constant; it must equal `at`.
    pub first: Option<Term>,
    /// The index at which the last array is read, likewise.
    pub last: Option<Term>,
    /// The index that the walk is about, which the writes on it spare. `None`: any that they spare, if there
    /// is one; both ends are constant arrays then.
    pub at: Option<Term>,
}

/// A step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    /// One array is the other with a write.
    Write,
    /// The arrays are equal, by a literal of the clause.
    Equality,
}

/// What holds of a product of two factors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductFact {
    /// The first factor.
    pub x: Term,
    /// The second factor.
    pub y: Term,
    /// What holds.
    pub kind: ProductKind,
}

/// The facts about products.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProductKind {
    /// It is zero if and only if a factor is.
    Zero,
    /// Factors of these signs give a product of that sign.
    Signs {
        /// Is the first factor positive, or negative?
        x_positive: bool,
        /// Is the second?
        y_positive: bool,
    },
    /// Where `x` and `y` are above or below `a` and `b` as given, the product is above or below the plane
    /// `b·x + a·y - a·b`.
    Plane {
        /// The point of contact.
        a: Rational,
        /// Its other coordinate.
        b: Rational,
        /// Is `x` at least `a`, or at most?
        x_above: bool,
        /// Is `y` at least `b`, or at most?
        y_above: bool,
    },
    /// A square is above its tangent at a number.
    Tangent(Rational),
    /// Between two numbers a square is below its secant.
    Secant {
        /// The lower number.
        low: Rational,
        /// The higher number.
        high: Rational,
    },
    /// If `x` is this number, the product is that multiple of `y`.
    Fixed(Rational),
}

/// A weighted sum of inequalities, rounded or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// What is added, with positive factors.
    pub terms: Vec<(Source, Rational)>,
    /// Round the right side down? Needs integer coefficients on integer terms.
    pub round: bool,
}

/// A summand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The inequality that a literal means; its negation is in the clause.
    Literal(Lit),
    /// An earlier sum of the same step.
    Sum(usize),
}

/// A refutation of a list of asserted formulas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// New variables, in the order of their definitions.
    pub definitions: Vec<Definition>,
    /// What each variable stands for: a Boolean term.
    pub meaning: Vec<Term>,
    /// The steps; each refers only to earlier ones.
    pub steps: Vec<Step>,
}

impl Proof {
    /// The term that a literal means.
    pub fn term(&self, pool: &TermPool, lit: Lit) -> Term {
        let t = self.meaning[lit.var()];
        if lit.is_positive() { t } else { pool.not(t) }
    }

    /// Adds a step and returns its number.
    pub fn add(&mut self, clause: &[Lit], rule: Rule) -> StepId {
        self.steps.push(Step { clause: clause.into(), rule });
        (self.steps.len() - 1) as StepId
    }
}
