//! Linear constraints with integer coefficients.

use std::fmt;

use crate::types::Var;
use palisade_number::{Int, Rational};

/// How the left side of a [`LinCon`] relates to its right side.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rel {
    /// `left = rhs`
    Eq,
    /// `left < rhs`
    Lt,
    /// `left <= rhs`
    Le,
    /// `left != rhs`
    Ne,
    /// `k` divides `left - rhs`; over integer variables only
    Divides(Int),
    /// `k` does not divide `left - rhs`; over integer variables only
    NotDivides(Int),
}

/// The constraint `Σ coeffs REL rhs`.
///
/// Any order of coefficients is accepted and repeated variables are added up; [`LinCon::normalise`] sorts
/// them. The derived order groups constraints with the same left side.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LinCon {
    /// The left side.
    pub coeffs: Vec<(Var, Int)>,
    /// The relation.
    pub rel: Rel,
    /// The right side.
    pub rhs: Int,
}

/// A constraint in normal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Normal {
    /// It holds for all values.
    True,
    /// It holds for none.
    False,
    /// It depends.
    Constraint(LinCon),
}

impl PartialOrd for LinCon {
    fn partial_cmp(&self, other: &LinCon) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LinCon {
    fn cmp(&self, other: &LinCon) -> std::cmp::Ordering {
        // Inequalities over one left side by strength: smaller right side first, strict before weak.
        let class = |c: &LinCon| match c.rel {
            Rel::Eq => 0,
            Rel::Lt | Rel::Le => 1,
            Rel::Ne => 2,
            Rel::Divides(_) => 3,
            Rel::NotDivides(_) => 4,
        };
        self.coeffs
            .cmp(&other.coeffs)
            .then_with(|| class(self).cmp(&class(other)))
            .then_with(|| self.rhs.cmp(&other.rhs))
            .then_with(|| self.rel.cmp(&other.rel))
    }
}

impl LinCon {
    /// The constraint `Σ coeffs REL rhs`.
    pub fn new(coeffs: Vec<(Var, Int)>, rel: Rel, rhs: Int) -> LinCon {
        LinCon { coeffs, rel, rhs }
    }

    /// The coefficient of a variable, if it occurs (in a normalised constraint).
    pub fn coeff(&self, var: Var) -> Option<&Int> {
        self.coeffs.iter().find(|(v, _)| *v == var).map(|(_, c)| c)
    }

    /// The value of the left side.
    pub fn left(&self, model: &dyn Fn(Var) -> Rational) -> Rational {
        let mut sum = Rational::ZERO;
        for (var, coeff) in &self.coeffs {
            sum.add_mul_int(coeff, &model(*var));
        }
        sum
    }

    /// Is the constraint true in the model?
    pub fn holds(&self, model: &dyn Fn(Var) -> Rational) -> bool {
        let difference = &self.left(model) - &Rational::from(&self.rhs);
        let divisible = |k: &Int| difference.to_int().is_some_and(|d| k.divides(&d));
        match &self.rel {
            Rel::Eq => difference.is_zero(),
            Rel::Lt => difference.is_negative(),
            Rel::Le => !difference.is_positive(),
            Rel::Ne => !difference.is_zero(),
            Rel::Divides(k) => divisible(k),
            Rel::NotDivides(k) => !divisible(k),
        }
    }

    /// The same relation with both sides negated: for `<=`, the opposite bound.
    #[must_use]
    pub(crate) fn negated_left(&self) -> LinCon {
        let coeffs = self.coeffs.iter().map(|(v, c)| (*v, -c)).collect();
        LinCon { coeffs, rel: self.rel.clone(), rhs: -&self.rhs }
    }

    /// The normal form: variables sorted and distinct, coefficients coprime; over the integers no strict
    /// inequalities and rounded right sides; equalities with a positive first coefficient; divisibility with
    /// reduced residues.
    #[must_use]
    pub fn normalise(mut self, is_int: &dyn Fn(Var) -> bool) -> Normal {
        self.coeffs.sort_by_key(|(v, _)| *v);
        self.coeffs.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += &next.1;
            }
            same
        });
        self.coeffs.retain(|(_, c)| !c.is_zero());
        if let Rel::Divides(k) | Rel::NotDivides(k) = &self.rel
            && !k.is_zero()
        {
            let k = k.abs();
            return self.normalise_divisibility(k);
        }
        // Zero divides only zero.
        match self.rel {
            Rel::Divides(_) => self.rel = Rel::Eq,
            Rel::NotDivides(_) => self.rel = Rel::Ne,
            _ => {}
        }
        if self.coeffs.is_empty() {
            return if self.holds(&|_| Rational::ZERO) { Normal::True } else { Normal::False };
        }
        let integral = self.coeffs.iter().all(|(v, _)| is_int(*v));
        if integral && self.rel == Rel::Lt {
            self.rel = Rel::Le;
            self.rhs -= &Int::ONE;
        }
        let mut gcd = Int::ZERO;
        for (_, coeff) in &self.coeffs {
            gcd = gcd.gcd(coeff);
        }
        if !integral {
            gcd = gcd.gcd(&self.rhs);
        }
        if !gcd.divides(&self.rhs) {
            match self.rel {
                Rel::Eq => return Normal::False,
                Rel::Ne => return Normal::True,
                _ => {}
            }
        }
        if matches!(self.rel, Rel::Eq | Rel::Ne) && self.coeffs[0].1.is_negative() {
            gcd = -gcd;
        }
        if !gcd.is_one() {
            for (_, coeff) in &mut self.coeffs {
                *coeff = coeff.div_floor(&gcd);
            }
            self.rhs = self.rhs.div_floor(&gcd);
        }
        Normal::Constraint(self)
    }

    fn normalise_divisibility(mut self, mut k: Int) -> Normal {
        let positive = matches!(self.rel, Rel::Divides(_));
        let known = |truth: bool| if truth == positive { Normal::True } else { Normal::False };
        for (_, coeff) in &mut self.coeffs {
            *coeff = coeff.mod_floor(&k);
        }
        self.coeffs.retain(|(_, c)| !c.is_zero());
        let mut gcd = k.clone();
        for (_, coeff) in &self.coeffs {
            gcd = gcd.gcd(coeff);
        }
        // gcd divides k and the left side, so it must divide the right side.
        if !gcd.divides(&self.rhs) {
            return known(false);
        }
        k = k.div_floor(&gcd);
        if k.is_one() {
            return known(true);
        }
        for (_, coeff) in &mut self.coeffs {
            *coeff = coeff.div_floor(&gcd);
        }
        self.rhs = self.rhs.div_floor(&gcd);
        // Residues of least size, with a positive first one.
        let least = |c: &Int| if (c + c) > k { c - &k } else { c.clone() };
        for (_, coeff) in &mut self.coeffs {
            *coeff = least(coeff);
        }
        if self.coeffs[0].1.is_negative() {
            self = self.negated_left();
            // The negation of exactly half the modulus is itself.
            for (_, coeff) in &mut self.coeffs {
                *coeff = least(&coeff.mod_floor(&k));
            }
        }
        self.rhs = self.rhs.mod_floor(&k);
        self.rel = if positive { Rel::Divides(k) } else { Rel::NotDivides(k) };
        Normal::Constraint(self)
    }

    /// Replaces `var` where `a·var = Σ terms + constant`, `a > 0`; the constraint is multiplied by `a`.
    #[must_use]
    pub(crate) fn substitute(&self, var: Var, a: &Int, terms: &[(Var, Int)], constant: &Int) -> LinCon {
        let mut coeffs = Vec::with_capacity(self.coeffs.len() + terms.len());
        let mut rhs = &self.rhs * a;
        for (v, c) in &self.coeffs {
            if *v == var {
                coeffs.extend(terms.iter().map(|(t, d)| (*t, d * c)));
                rhs.add_mul(&-c, constant);
            } else {
                coeffs.push((*v, c * a));
            }
        }
        let rel = match &self.rel {
            Rel::Divides(k) => Rel::Divides(k * a),
            Rel::NotDivides(k) => Rel::NotDivides(k * a),
            other => other.clone(),
        };
        LinCon { coeffs, rel, rhs }
    }
}

impl fmt::Display for LinCon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (var, coeff)) in self.coeffs.iter().enumerate() {
            write!(f, "{}{coeff}*{var:?}", if i == 0 { "" } else { " + " })?;
        }
        if self.coeffs.is_empty() {
            write!(f, "0")?;
        }
        match &self.rel {
            Rel::Eq => write!(f, " = {}", self.rhs),
            Rel::Lt => write!(f, " < {}", self.rhs),
            Rel::Le => write!(f, " <= {}", self.rhs),
            Rel::Ne => write!(f, " != {}", self.rhs),
            Rel::Divides(k) => write!(f, " = {} (mod {k})", self.rhs),
            Rel::NotDivides(k) => write!(f, " != {} (mod {k})", self.rhs),
        }
    }
}
