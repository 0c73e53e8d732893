//! Literals of the theories: numerals, decimals, bit-vector constants, widths.

use num_traits::Num;
use palisade_term::{Integer, Rational, Term, TermPool};

use crate::sexpr::{Kind, Sexpr, shorten};
use crate::{Error, Pos};

/// Wider bit-vectors than this are refused: nothing could be done with them in practice, and a typo should
/// not exhaust memory.
pub(crate) const MAX_WIDTH: u32 = 1 << 16;

/// Longer numerals than this (in characters) are refused, for the same reason.
const MAX_DIGITS: usize = 10_000;

/// A width: a positive numeral.
pub(crate) fn width(s: Sexpr<'_>) -> Result<u32, Error> {
    if s.kind() != Kind::Numeral {
        return Err(Error::malformed(s.pos(), "a bit-width (a positive numeral) was expected here"));
    }
    match s.index() {
        Some(0) => Err(Error::malformed(s.pos(), "a bit-vector has at least one bit")),
        Some(w) => checked_width(u64::from(w), s.pos()),
        None => Err(too_wide(s.pos())),
    }
}

/// The width, if it is not too large.
pub(crate) fn checked_width(w: u64, pos: Pos) -> Result<u32, Error> {
    if w <= u64::from(MAX_WIDTH) { Ok(w as u32) } else { Err(too_wide(pos)) }
}

fn too_wide(pos: Pos) -> Error {
    Error::unsupported(pos, format!("bit-vectors wider than {MAX_WIDTH} bits"))
}

/// An index of an indexed operator.
pub(crate) fn index(s: Sexpr<'_>) -> Result<u32, Error> {
    s.index().ok_or_else(|| Error::malformed(s.pos(), "an index (a numeral) was expected here"))
}

fn digits(text: &str, radix: u32, pos: Pos) -> Result<Integer, Error> {
    if text.len() > MAX_DIGITS {
        return Err(Error::unsupported(pos, format!("numbers with more than {MAX_DIGITS} digits")));
    }
    Integer::from_str_radix(text, radix)
        .map_err(|_| Error::malformed(pos, format!("`{}` is not a number", shorten(text))))
}

/// A decimal numeral of any size.
pub(crate) fn numeral(text: &str, pos: Pos) -> Result<Integer, Error> {
    digits(text, 10, pos)
}

/// The constant a literal means; `None` for symbols and everything else that is no literal.
pub(crate) fn literal(pool: &TermPool, s: Sexpr<'_>) -> Result<Option<Term>, Error> {
    let text = s.text();
    Ok(Some(match s.kind() {
        Kind::Numeral => pool.int(numeral(text, s.pos())?),
        Kind::Decimal => pool.real(decimal(text, s.pos())?),
        Kind::Hex => pool.bitvec(digits(text, 16, s.pos())?, checked_width(4 * text.len() as u64, s.pos())?),
        Kind::Binary => pool.bitvec(digits(text, 2, s.pos())?, checked_width(text.len() as u64, s.pos())?),
        _ => return Ok(None),
    }))
}

fn decimal(text: &str, pos: Pos) -> Result<Rational, Error> {
    let (whole, fraction) = text.split_once('.').expect("a decimal has a point");
    let number = digits(&format!("{whole}{fraction}"), 10, pos)?;
    Ok(Rational::new(number, Integer::from(10).pow(fraction.len() as u32)))
}
