//! The sums of variables that a program computes or compares, such as `rounds + 64 * live` where
//! `rounds := -64 * live`. They often have bounds where their parts have none, nor their differences.
//!
//! Entry point: [`of`].

use num_integer::Integer as _;
use num_traits::ToPrimitive;
use palisade_program::Program;
use palisade_term::{Op, Sort, Term, TermPool};

/// Variables with coefficients.
pub type Sum = Vec<(i64, Term)>;

/// So many sums at the most, of so many variables, with coefficients up to a limit.
const MAX_SUMS: usize = 12;
const MAX_PARTS: usize = 4;
const MAX_COEFFICIENT: i64 = 1000;

/// Those of a program, but differences of two variables.
pub fn of(pool: &TermPool, program: &Program) -> Vec<Sum> {
    let mut out: Vec<Sum> = Vec::new();
    let mut add = |left: Term, right: Term| {
        let sum = sum(pool, pool.sub(left, right));
        out.extend(sum.filter(|s| out.len() < MAX_SUMS && !out.contains(s)));
    };
    for edge in &program.edges {
        for (&u, &v) in edge.update.iter().zip(program.vars(edge.target)) {
            if *pool.sort(v) == Sort::Int {
                pool.visit([u], |t| {
                    if *pool.sort(t) == Sort::Int && matches!(pool.op(t), Op::Add | Op::Mul) {
                        add(v, t);
                    }
                });
            }
        }
        pool.visit([edge.guard], |t| {
            let compares = matches!(pool.op(t), Op::Le | Op::Lt | Op::Eq);
            if compares && *pool.sort(pool.args(t)[0]) == Sort::Int {
                add(pool.args(t)[0], pool.args(t)[1]);
            }
        });
    }
    out
}

/// A term as such a sum, with its constant left out.
fn sum(pool: &TermPool, t: Term) -> Option<Sum> {
    let form = pool.linear(t);
    let parts = form.coeffs.iter().map(|(v, c)| {
        let c = c.is_integer().then(|| c.to_integer().to_i64())??;
        (matches!(pool.op(*v), Op::Var(..)) && c.abs() <= MAX_COEFFICIENT).then_some((c, *v))
    });
    let parts: Sum = parts.collect::<Option<_>>()?;
    let divisor = parts.iter().fold(0_i64, |d, (c, _)| d.gcd(c)) * parts.first()?.0.signum();
    let parts: Sum = parts.into_iter().map(|(c, v)| (c / divisor, v)).collect();
    let is_difference = parts.len() == 2 && parts[0].0 == 1 && parts[1].0 == -1;
    ((2..=MAX_PARTS).contains(&parts.len()) && !is_difference).then_some(parts)
}
