//! Equalities over the integers.
//!
//! The fixed integer variables (equal bounds) are linear equations over the structural variables. They are
//! solved by elimination: an equation with a unit coefficient defines a variable; in one without, a change of
//! variables `t = xₖ + Σ qᵢ·xᵢ` shrinks the coefficients as Euclid's algorithm does (Pugh's Omega test, Knuth
//! 4.5.2). Changes of variables are unimodular, so divisibility is not affected; only additions of equations
//! need a proof, and their factors are tracked.
//!
//! The system yields (1) a conflict when an equation's gcd does not divide its constant, (2) the residue
//! class of any other bounded form: if the system implies `f ≡ c (mod g)`, the bounds of `f` shrink to
//! members of the class.

use std::collections::BTreeMap;

use crate::Stop;
use crate::delta::Delta;
use crate::integer::{Cut, FixedSum};
use crate::proof::{CutProof, CutStep, Source};
use crate::solver::Arith;
use crate::types::{BoundKind, Var};
use palisade_number::{Int, Rational};

/// A linear expression that, modulo the equations of `from`, equals the one it started as:
/// `start = Σ terms + constant` where `constant = Σ λ·value` over `from`.
#[derive(Clone, Debug, Default)]
struct Expression {
    terms: BTreeMap<u32, Int>,
    constant: Rational,
    /// Fixed variables and the factors of their equations.
    from: BTreeMap<Var, Rational>,
}

impl Expression {
    fn add_term(&mut self, var: u32, coeff: &Int) {
        let slot = self.terms.entry(var).or_default();
        *slot += coeff;
        if slot.is_zero() {
            self.terms.remove(&var);
        }
    }

    fn gcd(&self) -> Int {
        let mut gcd = Int::ZERO;
        for coeff in self.terms.values() {
            gcd = gcd.gcd(coeff);
            if gcd.is_one() {
                break;
            }
        }
        gcd
    }
}

enum Step {
    /// `var = other` where `other` does not contain it.
    Eliminate(u32, Expression),
    /// `var = Σ terms` over other and new variables, without premises.
    Rename(u32, Vec<(u32, Int)>),
}

impl Step {
    fn apply(&self, e: &mut Expression) {
        match self {
            Step::Eliminate(var, other) => {
                let Some(coeff) = e.terms.remove(var) else { return };
                for (v, c) in &other.terms {
                    e.add_term(*v, &(c * &coeff));
                }
                e.constant.add_mul_int(&coeff, &other.constant);
                for (v, factor) in &other.from {
                    e.from.entry(*v).or_default().add_mul_int(&coeff, factor);
                }
            }
            Step::Rename(var, terms) => {
                let Some(coeff) = e.terms.remove(var) else { return };
                for (v, c) in terms {
                    e.add_term(*v, &(c * &coeff));
                }
            }
        }
    }
}

impl Arith {
    /// A conflict (`Ok`) or a violated cut (`Err`) that the equalities imply over the integers.
    pub(crate) fn solve_equalities(&mut self) -> Result<Option<Result<CutProof, Cut>>, Stop> {
        let slacks = self.active_slacks.iter().filter(|v| self.is_int(**v));
        let (fixed, open): (Vec<Var>, Vec<Var>) =
            self.int_vars.iter().chain(slacks).partition(|v| self.fixed_value(**v).is_some());
        if fixed.is_empty() {
            return Ok(None);
        }
        let steps = match self.eliminate(&fixed)? {
            Ok(steps) => steps,
            Err(sum) => {
                self.stats.diophantine += 1;
                return Ok(Some(Ok(self.fractional_equality(&sum))));
            }
        };
        for var in open {
            if self.bound(var, BoundKind::Lower).is_none() && self.bound(var, BoundKind::Upper).is_none() {
                continue;
            }
            self.charge(1 + steps.len() as u64 / 8)?;
            let mut e = self.expression(var);
            for step in &steps {
                step.apply(&mut e);
            }
            let gcd = e.gcd();
            if gcd.is_zero() || gcd.is_one() {
                continue;
            }
            if let Some(result) = self.shrink(var, &e, &gcd) {
                self.stats.diophantine += 1;
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// Solves `var = value` for all of `vars`, integers that stand at one of their bounds. The steps of the
    /// elimination; or, if there is no solution, factors of the equations that add up to integer coefficients
    /// and a fractional constant.
    fn eliminate(&mut self, vars: &[Var]) -> Result<Result<Vec<Step>, FixedSum>, Stop> {
        let mut steps = Vec::new();
        let mut fresh = self.vars.len() as u32;
        for &var in vars {
            // The equation as `0 = form - value`.
            let mut equation = self.expression(var);
            equation.constant = -&self.value[var.index()].real;
            equation.from.insert(var, Rational::MINUS_ONE);
            self.charge(1 + steps.len() as u64 / 8)?;
            for step in &steps {
                Step::apply(step, &mut equation);
            }
            if let Some(sum) = solve(equation, &mut steps, &mut fresh) {
                return Ok(Err(sum));
            }
        }
        Ok(Ok(steps))
    }

    /// A variable, most often a new slack, to split on at `k`: the bounds at which the assignment stands,
    /// taken as equations, give a form with integer coefficients and a fractional value (Dillig, Dillig,
    /// Aiken, "Cuts from Proofs", CAV 2009). Where solutions run along a strip without end, splits on single
    /// variables follow it without end; a split on such a form cuts it lengthwise.
    pub(crate) fn split_on_form(&mut self) -> Result<Option<(Var, Int)>, Stop> {
        let at_bound = |v: &Var| {
            let at = |kind| self.bound(*v, kind).is_some_and(|bound| bound.value == self.value[v.index()]);
            self.is_int(*v) && (at(BoundKind::Lower) || at(BoundKind::Upper))
        };
        let mut tight: Vec<Var> =
            self.int_vars.iter().chain(&self.active_slacks).copied().filter(at_bound).collect();
        tight.sort_by_key(|v| self.fixed_value(*v).is_none());
        let Err(sum) = self.eliminate(&tight)? else { return Ok(None) };
        let mut coeffs: BTreeMap<Var, Rational> = BTreeMap::new();
        for (var, factor) in &sum {
            for (v, c) in self.expression(*var).terms {
                coeffs.entry(Var(v)).or_default().add_mul_int(&c, factor);
            }
        }
        let form: Vec<(Var, Int)> =
            coeffs.into_iter().filter(|(_, c)| !c.is_zero()).map(|(v, c)| (v, c.num())).collect();
        if form.iter().any(|(_, c)| c.bits() > self.config.cut_max_bits) {
            return Ok(None);
        }
        let Some((var, _)) = self.define(&form) else { return Ok(None) };
        let value = self.evaluate(var);
        Ok((!value.is_integer()).then(|| (var, value.floor())))
    }

    fn expression(&self, var: Var) -> Expression {
        let mut e = Expression::default();
        match self.form(var) {
            Some(form) => e.terms.extend(form.iter().map(|(v, c)| (v.0, c.clone()))),
            None => {
                e.terms.insert(var.0, Int::ONE);
            }
        }
        e
    }

    /// `var ≡ e.constant (mod gcd)`: shrinks its bounds to the class.
    fn shrink(&self, var: Var, e: &Expression, gcd: &Int) -> Option<Result<CutProof, Cut>> {
        // var = gcd·h + Σ λ·(fixed), so h = (var - Σ λ·fixed) / gcd is an integer form.
        let scale = Rational::of(&Int::ONE, gcd);
        let fixed: FixedSum = e.from.iter().map(|(v, f)| (*v, f.clone())).collect();
        let scaled = |by: &Rational| -> FixedSum { fixed.iter().map(|(v, f)| (*v, f * by)).collect() };
        // `h <= floor((u - c) / gcd)` or its mirror image.
        let rounded = |kind: BoundKind| -> Option<(CutStep, Rational)> {
            let bound = self.bound(var, kind)?;
            let distance = &(&bound.value.real - &e.constant) * &scale;
            let multiple = if kind == BoundKind::Upper { distance.floor() } else { distance.ceil() };
            let mut premises = vec![(Source::Bound(bound.clone()), scale.clone())];
            // Upper: -Σ λ·fixed <= ...; lower: the same from the other side.
            premises.extend(self.fixed_premises(&scaled(&-&scale), kind));
            let limit = &e.constant + &Rational::from(&multiple * gcd);
            Some((CutStep { premises, round: true }, limit))
        };
        let (upper, lower) = (rounded(BoundKind::Upper), rounded(BoundKind::Lower));
        if let (Some((up, u)), Some((low, l))) = (&upper, &lower)
            && u < l
        {
            let both = vec![(Source::Step(0), Rational::ONE), (Source::Step(1), Rational::ONE)];
            let steps = vec![up.clone(), low.clone(), CutStep { premises: both, round: false }];
            return Some(Ok(CutProof { steps }));
        }
        for (kind, side) in [(BoundKind::Upper, upper), (BoundKind::Lower, lower)] {
            let Some((step, limit)) = side else { continue };
            let value = &self.value[var.index()];
            let limit = Delta::real(limit);
            let violated = if kind == BoundKind::Upper { *value > limit } else { *value < limit };
            if violated {
                // Back from `h` to `var`: a bound on a variable that is there, rather than a new form.
                let mut premises = vec![(Source::Step(0), Rational::from(gcd))];
                premises.extend(self.fixed_premises(&fixed, kind));
                let steps = vec![step, CutStep { premises, round: false }];
                return self.cut_from(CutProof { steps }).map(Err);
            }
        }
        None
    }
}

/// Solves `0 = equation` for one of its variables, appending the steps. The factors of a conflict, if it has
/// no integer solution.
fn solve(mut equation: Expression, steps: &mut Vec<Step>, fresh: &mut u32) -> Option<FixedSum> {
    loop {
        let gcd = equation.gcd();
        if gcd.is_zero() {
            // Dependent on earlier equations; consistent, because the rational relaxation is.
            return None;
        }
        let scale = Rational::of(&Int::ONE, &gcd);
        let from = equation.from.iter().map(|(v, f)| (*v, f * &scale));
        if !(&equation.constant * &scale).is_integer() {
            return Some(from.collect());
        }
        equation.from = from.collect();
        equation.constant *= &scale;
        for coeff in equation.terms.values_mut() {
            *coeff = coeff.div_floor(&gcd);
        }
        let (&var, coeff) =
            equation.terms.iter().min_by_key(|(v, c)| (c.abs(), **v)).expect("there are terms");
        let coeff = coeff.clone();
        if coeff.is_unit() {
            // var = -coeff·(the rest)
            equation.terms.remove(&var);
            let factor = -coeff;
            let mut other = Expression {
                constant: &equation.constant * &Rational::from(&factor),
                ..Expression::default()
            };
            other.terms = equation.terms.iter().map(|(v, c)| (*v, c * &factor)).collect();
            let factor = Rational::from(factor);
            other.from = equation.from.iter().map(|(v, f)| (*v, f * &factor)).collect();
            steps.push(Step::Eliminate(var, other));
            return None;
        }
        // var = t - Σ qᵢ·xᵢ with qᵢ = floor(aᵢ / coeff)
        let t = *fresh;
        *fresh += 1;
        let mut terms = vec![(t, Int::ONE)];
        for (v, c) in &equation.terms {
            let quotient = c.div_floor(&coeff);
            if *v != var && !quotient.is_zero() {
                terms.push((*v, -quotient));
            }
        }
        let step = Step::Rename(var, terms);
        step.apply(&mut equation);
        steps.push(step);
    }
}
