//! The theory FloatingPoint: sorts, constants and operators, read as bit-vectors.
//!
//! A floating-point number is its bits, a rounding mode a word of three bits; the operators become circuits
//! ([`palisade_float::Circuits`]). So the sort of a term no longer says all: its [`Reading`] tells a number
//! from the word that it is, and every operator looks at it.
//!
//! Invariants: SMT-LIB has one NaN, and a word with the bits of another one may stand for it. So `=` takes
//! all NaNs for equal, and no operator lets their bits be seen.
//!
//! Where the standard leaves a value open (`fp.to_ubv` and `fp.to_sbv` of a number that does not fit, the
//! smaller of two zeros), any choice is a model. A ground script gets a variable for it
//! ([`Context::leave_open`]); elsewhere such an operator is refused.
//!
//! Limits: formats of at most 64 bits. `fp.rem`, `fp.fma`, `fp.to_real` and `to_fp` of a number that is no
//! constant are refused, as are arrays of floating-point numbers.

use palisade_float::{Circuits, Class, Format, Rounding, literal};
use palisade_term::{Integer, Rational, Sort, Term, TermPool, Value};

use crate::context::Context;
use crate::ops::Operator;
use crate::sexpr::{Sexpr, shorten};
use crate::{Error, numbers};

/// What a term stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// What its sort says.
    #[default]
    Plain,
    /// A bit-vector: a floating-point number.
    Float(Format),
    /// A bit-vector of three bits: a rounding mode. Words above the last one mean the last one.
    Rounding,
}

/// A term with what it stands for.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The term.
    pub term: Term,
    /// Its reading.
    pub reading: Reading,
}

impl From<Term> for Read {
    fn from(term: Term) -> Read {
        Read { term, reading: Reading::Plain }
    }
}

/// A sort of the pool, and what its terms stand for.
pub type AnySort = (Sort, Reading);

/// The rounding modes in the order of their words.
const MODES: [Rounding; 5] = Rounding::ALL;

/// Values that the standard leaves open: what is asked, of which format, to how many bits.
pub(crate) type Open = (&'static str, Format, u32);

/// An operator of the theory, with its indices.
#[derive(Clone, Debug)]
pub(crate) enum FloatOp {
    /// `(fp sign exponent significand)`.
    Parts,
    ToFloat {
        format: Format,
        unsigned: bool,
    },
    ToInt {
        width: u32,
        signed: bool,
    },
    Unary(fn(&Circuits<'_>, Term) -> Term),
    Rounded1(fn(&Circuits<'_>, Rounding, Term) -> Term),
    Rounded2(fn(&Circuits<'_>, Rounding, Term, Term) -> Term),
    Least(bool),
    Compare(fn(&Circuits<'_>, Term, Term) -> Term),
    Is(fn(&Circuits<'_>, &TermPool, Term) -> Term),
}

impl Reading {
    /// The sort of SMT-LIB that a term of this sort and reading has.
    pub fn sort_name(self, sort: &Sort) -> String {
        match self {
            Reading::Plain => sort.to_string(),
            Reading::Float(f) => format!("(_ FloatingPoint {} {})", f.exponent, f.significand),
            Reading::Rounding => "RoundingMode".into(),
        }
    }

    /// A value of this reading as SMT-LIB writes it; `None` if the sort says it all.
    pub fn value(self, value: &Value) -> Option<String> {
        let Value::BitVec(_, bits) = value else { return None };
        let bits = u64::try_from(bits).ok()?;
        match self {
            Reading::Plain => None,
            Reading::Float(f) => Some(float_text(f, bits)),
            Reading::Rounding => {
                let names = ["RNE", "RNA", "RTP", "RTN", "RTZ"];
                Some(names[(bits as usize).min(4)].into())
            }
        }
    }
}

fn float_text(f: Format, bits: u64) -> String {
    let (e, s) = (f.exponent, f.significand);
    let sign = if f.sign(bits) { '-' } else { '+' };
    match f.class(bits) {
        Class::Nan => format!("(_ NaN {e} {s})"),
        Class::Infinite => format!("(_ {sign}oo {e} {s})"),
        Class::Zero => format!("(_ {sign}zero {e} {s})"),
        Class::Subnormal | Class::Normal => {
            let magnitude = f.magnitude(bits);
            let (field, fraction) = (magnitude >> f.fraction(), magnitude & ((1 << f.fraction()) - 1));
            let (e, s) = (e as usize, f.fraction() as usize);
            format!("(fp #b{} #b{field:0e$b} #b{fraction:0s$b})", u8::from(f.sign(bits)))
        }
    }
}

// ---- sorts and names -----------------------------------------------------------------------------------

/// The format of `(_ FloatingPoint e s)`, and of everything else with these two indices.
fn format(e: Sexpr<'_>, s: Sexpr<'_>) -> Result<Format, Error> {
    let (exponent, significand) = (numbers::index(e)?, numbers::index(s)?);
    if exponent < 2 || significand < 2 {
        return Err(Error::malformed(e.pos(), "a floating-point format has two indices above 1"));
    }
    Format::new(exponent, significand).ok_or_else(|| {
        let message = format!("floating-point numbers of {exponent} and {significand} bits");
        Error::unsupported(e.pos(), message)
            .hint("supported are formats of at most 64 bits whose greatest number is an integer, as Float64")
    })
}

/// The sort of the theory that this is.
pub(crate) fn sort(s: Sexpr<'_>) -> Option<Result<AnySort, Error>> {
    let float = |f: Format| (Sort::BitVec(f.width()), Reading::Float(f));
    if let Some([u, name, e, m]) = s.items().exactly()
        && u.is_symbol("_")
        && name.is_symbol("FloatingPoint")
    {
        return Some(format(e, m).map(float));
    }
    Some(Ok(match s.symbol()? {
        "Float16" => float(Format::new(5, 11).expect("a small format")),
        "Float32" => float(Format::BINARY32),
        "Float64" => float(Format::BINARY64),
        "Float128" => return Some(Err(Error::unsupported(s.pos(), "floating-point numbers of 128 bits"))),
        "RoundingMode" => (Sort::BitVec(3), Reading::Rounding),
        _ => return None,
    }))
}

/// A rounding mode by its name.
pub(crate) fn mode(pool: &TermPool, name: &str) -> Option<Read> {
    let k = match name {
        "RNE" | "roundNearestTiesToEven" => 0,
        "RNA" | "roundNearestTiesToAway" => 1,
        "RTP" | "roundTowardPositive" => 2,
        "RTN" | "roundTowardNegative" => 3,
        "RTZ" | "roundTowardZero" => 4,
        _ => return None,
    };
    Some(Read { term: pool.bitvec(k, 3), reading: Reading::Rounding })
}

/// `(_ NaN e s)` and the like.
pub(crate) fn constant(pool: &TermPool, s: Sexpr<'_>) -> Option<Result<Read, Error>> {
    let [_, name, e, m] = s.items().exactly()?;
    let bits = |f: Format| match name.symbol()? {
        "NaN" => Some(f.nan()),
        "+oo" => Some(f.infinity()),
        "-oo" => Some(f.infinity() | f.sign_bit()),
        "+zero" => Some(0),
        "-zero" => Some(f.sign_bit()),
        _ => None,
    };
    bits(Format::BINARY32)?;
    Some(format(e, m).map(|f| Read {
        term: pool.bitvec(bits(f).expect("a known name"), f.width()),
        reading: Reading::Float(f),
    }))
}

/// The operator of that name, if it takes no indices.
pub(crate) fn named(s: Sexpr<'_>) -> Option<Result<FloatOp, Error>> {
    use FloatOp as O;
    Some(Ok(match s.symbol()? {
        "fp" => O::Parts,
        "fp.abs" => O::Unary(|c, a| c.abs(a)),
        "fp.neg" => O::Unary(|c, a| c.neg(a)),
        "fp.add" => O::Rounded2(|c, r, a, b| c.add(r, a, b)),
        "fp.sub" => O::Rounded2(|c, r, a, b| c.sub(r, a, b)),
        "fp.mul" => O::Rounded2(|c, r, a, b| c.mul(r, a, b)),
        "fp.div" => O::Rounded2(|c, r, a, b| c.div(r, a, b)),
        "fp.sqrt" => O::Rounded1(|c, r, a| c.sqrt(r, a)),
        "fp.roundToIntegral" => O::Rounded1(|c, r, a| c.round_to_integral(r, a)),
        "fp.min" => O::Least(true),
        "fp.max" => O::Least(false),
        "fp.leq" => O::Compare(|c, a, b| c.le(a, b)),
        "fp.lt" => O::Compare(|c, a, b| c.lt(a, b)),
        "fp.geq" => O::Compare(|c, a, b| c.le(b, a)),
        "fp.gt" => O::Compare(|c, a, b| c.lt(b, a)),
        "fp.eq" => O::Compare(|c, a, b| c.eq(a, b)),
        "fp.isNormal" => O::Is(|c, _, a| c.is_normal(a)),
        "fp.isSubnormal" => O::Is(|c, _, a| c.is_subnormal(a)),
        "fp.isZero" => O::Is(|c, _, a| c.is_zero(a)),
        "fp.isInfinite" => O::Is(|c, _, a| c.is_infinite(a)),
        "fp.isNaN" => O::Is(|c, _, a| c.is_nan(a)),
        "fp.isNegative" => O::Is(|c, p, a| p.and2(p.not(c.is_nan(a)), c.is_negative(a))),
        "fp.isPositive" => O::Is(|c, p, a| p.and2(p.not(c.is_nan(a)), p.not(c.is_negative(a)))),
        name @ ("fp.rem" | "fp.fma" | "fp.to_real" | "fp.to_ieee_bv") => {
            return Some(Err(Error::unsupported(s.pos(), format!("`{name}`"))));
        }
        _ => return None,
    }))
}

/// The operator `(_ name index ...)`.
pub(crate) fn indexed(s: Sexpr<'_>) -> Option<Result<FloatOp, Error>> {
    let items = s.form("_")?;
    let name = items.get(1)?.symbol()?;
    let two = |make: fn(Format) -> FloatOp| match items.exactly() {
        Some([_, _, e, m]) => format(e, m).map(make),
        None => Err(Error::malformed(s.pos(), format!("`{name}` needs two indices"))),
    };
    let one = |signed: bool| match items.exactly() {
        Some([_, _, w]) => numbers::width(w).map(|width| FloatOp::ToInt { width, signed }),
        None => Err(Error::malformed(s.pos(), format!("`{name}` needs one index"))),
    };
    Some(match name {
        "to_fp" => two(|format| FloatOp::ToFloat { format, unsigned: false }),
        "to_fp_unsigned" => two(|format| FloatOp::ToFloat { format, unsigned: true }),
        "fp.to_ubv" => one(false),
        "fp.to_sbv" => one(true),
        _ => return None,
    })
}

// ---- applications --------------------------------------------------------------------------------------

/// One application being built.
struct Build<'a, 'p, 't> {
    context: &'a mut Context<'p>,
    pool: &'p TermPool,
    args: &'a [Read],
    node: Sexpr<'t>,
}

/// An application of an operator of the theory.
pub(crate) fn build(
    context: &mut Context<'_>,
    op: &FloatOp,
    args: &[Read],
    node: Sexpr<'_>,
) -> Result<Read, Error> {
    let pool = context.pool;
    Build { context, pool, args, node }.application(op)
}

/// An operator of the other theories on terms of this one: only what is there for every sort.
pub(crate) fn build_other(
    context: &mut Context<'_>,
    op: &Operator,
    args: &[Read],
    node: Sexpr<'_>,
) -> Result<Read, Error> {
    let pool = context.pool;
    let b = Build { context, pool, args, node };
    match op {
        Operator::Equal => {
            let reading = b.same(0)?;
            let pairs = args.windows(2).map(|w| equal(pool, reading, w[0].term, w[1].term));
            Ok(pool.and(pairs.collect::<Vec<_>>()).into())
        }
        Operator::Distinct => {
            let reading = b.same(0)?;
            let mut parts = Vec::new();
            for (i, x) in args.iter().enumerate() {
                parts.extend(args[..i].iter().map(|y| pool.not(equal(pool, reading, x.term, y.term))));
            }
            Ok(pool.and(parts).into())
        }
        Operator::Ite => {
            let [c, x, y] = b.exactly()?;
            if *pool.sort(c.term) != Sort::Bool {
                return Err(b.error("the condition of `ite` is a formula"));
            }
            let reading = b.same(1)?;
            Ok(Read { term: pool.ite(c.term, x.term, y.term), reading })
        }
        _ => {
            let i = args.iter().position(|a| a.reading != Reading::Plain).unwrap_or(0);
            let found = args[i].reading.sort_name(pool.sort(args[i].term));
            Err(b.at(i, format!("`{}` is not for terms of sort {found}", b.name())))
        }
    }
}

/// SMT-LIB's `=`.
fn equal(pool: &TermPool, reading: Reading, a: Term, b: Term) -> Term {
    match reading {
        Reading::Plain => pool.eq(a, b),
        Reading::Float(f) => {
            let c = Circuits::new(pool, f);
            pool.or2(pool.eq(a, b), pool.and2(c.is_nan(a), c.is_nan(b)))
        }
        Reading::Rounding => pool.eq(known_mode(pool, a), known_mode(pool, b)),
    }
}

/// The word of a rounding mode, at most 4.
fn known_mode(pool: &TermPool, mode: Term) -> Term {
    let last = pool.bitvec(4, 3);
    pool.ite(pool.bv_ult(mode, last), mode, last)
}

impl<'p> Build<'_, 'p, '_> {
    fn error(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.node.pos(), message)
    }

    /// An error at an argument.
    fn at(&self, i: usize, message: impl Into<String>) -> Error {
        Error::malformed(self.node.items().get(i + 1).unwrap_or(self.node).pos(), message)
    }

    fn name(&self) -> String {
        let head = self.node.items().first().map(|h| h.to_string()).unwrap_or_default();
        shorten(&head).into_owned()
    }

    fn exactly<const N: usize>(&self) -> Result<[Read; N], Error> {
        self.args.try_into().map_err(|_| {
            self.error(format!("`{}` takes {N} arguments and is given {}", self.name(), self.args.len()))
        })
    }

    /// The reading that all arguments from the `first` on have, and one sort.
    fn same(&self, first: usize) -> Result<Reading, Error> {
        let args = &self.args[first.min(self.args.len())..];
        let Some(one) = args.first().filter(|_| args.len() >= 2) else {
            return Err(self.error(format!("`{}` takes more arguments", self.name())));
        };
        for (i, a) in args.iter().enumerate() {
            if a.reading != one.reading || self.pool.sort(a.term) != self.pool.sort(one.term) {
                let wanted = one.reading.sort_name(self.pool.sort(one.term));
                let found = a.reading.sort_name(self.pool.sort(a.term));
                return Err(
                    self.at(first + i, format!("a term of sort {wanted} was expected here, not {found}"))
                );
            }
        }
        Ok(one.reading)
    }

    /// An argument that is a floating-point number.
    fn float(&self, i: usize) -> Result<(Format, Term), Error> {
        match self.args.get(i) {
            Some(Read { term, reading: Reading::Float(f) }) => Ok((*f, *term)),
            _ => Err(self.at(i, "a floating-point number was expected here")),
        }
    }

    /// An argument that is a floating-point number of a format.
    fn float_of(&self, i: usize, f: Format) -> Result<Term, Error> {
        match self.float(i)? {
            (g, t) if g == f => Ok(t),
            _ => {
                let name = Reading::Float(f).sort_name(&Sort::Bool);
                Err(self.at(i, format!("a term of sort {name} was expected here")))
            }
        }
    }

    /// An argument that is an ordinary bit-vector.
    fn word(&self, i: usize) -> Result<Term, Error> {
        match self.args.get(i) {
            Some(a) if a.reading == Reading::Plain && self.pool.sort(a.term).width().is_some() => Ok(a.term),
            _ => Err(self.at(i, "a bit-vector was expected here")),
        }
    }

    /// A result that depends on the rounding mode of the first argument.
    fn rounded(&self, result: impl Fn(Rounding) -> Term) -> Result<Term, Error> {
        let Some(Read { term: mode, reading: Reading::Rounding }) = self.args.first() else {
            return Err(self.at(0, "a rounding mode was expected here"));
        };
        let p = self.pool;
        if let Some(k) = p.as_bitvec(*mode) {
            let k = usize::try_from(k).map_or(4, |k| k.min(4));
            return Ok(result(MODES[k]));
        }
        let mut out = result(MODES[4]);
        for k in (0..4usize).rev() {
            out = p.ite(p.eq(*mode, p.bitvec(k as u32, 3)), result(MODES[k]), out);
        }
        Ok(out)
    }

    fn application(mut self, op: &FloatOp) -> Result<Read, Error> {
        let p = self.pool;
        let number = |f: Format, term: Term| Ok(Read { term, reading: Reading::Float(f) });
        match *op {
            FloatOp::Parts => self.parts(),
            FloatOp::ToFloat { format, unsigned } => {
                let term = self.number(format, unsigned)?;
                number(format, term)
            }
            FloatOp::ToInt { width, signed } => self.integer(width, signed),
            FloatOp::Unary(make) => {
                self.exactly::<1>()?;
                let (f, a) = self.float(0)?;
                number(f, make(&Circuits::new(p, f), a))
            }
            FloatOp::Rounded1(make) => {
                self.exactly::<2>()?;
                let (f, a) = self.float(1)?;
                let c = Circuits::new(p, f);
                number(f, self.rounded(|r| make(&c, r, a))?)
            }
            FloatOp::Rounded2(make) => {
                self.exactly::<3>()?;
                let (f, a) = self.float(1)?;
                let b = self.float_of(2, f)?;
                let c = Circuits::new(p, f);
                number(f, self.rounded(|r| make(&c, r, a, b))?)
            }
            FloatOp::Least(least) => self.least(least),
            FloatOp::Compare(make) => {
                let Reading::Float(f) = self.same(0)? else {
                    return Err(self.at(0, "a floating-point number was expected here"));
                };
                let c = Circuits::new(p, f);
                let pairs = self.args.windows(2).map(|w| make(&c, w[0].term, w[1].term));
                Ok(p.and(pairs.collect::<Vec<_>>()).into())
            }
            FloatOp::Is(make) => {
                self.exactly::<1>()?;
                let (f, a) = self.float(0)?;
                Ok(make(&Circuits::new(p, f), p, a).into())
            }
        }
    }

    /// `(fp sign exponent significand)`.
    fn parts(&self) -> Result<Read, Error> {
        self.exactly::<3>()?;
        let [sign, exponent, fraction] = [self.word(0)?, self.word(1)?, self.word(2)?];
        let p = self.pool;
        if p.width(sign) != 1 {
            return Err(self.at(0, "a sign has one bit"));
        }
        let (e, s) = (p.width(exponent), p.width(fraction) + 1);
        let Some(f) = Format::new(e, s) else {
            let what = format!("floating-point numbers of {e} and {s} bits");
            return Err(Error::unsupported(self.node.pos(), what));
        };
        let bits = p.concat(sign, p.concat(exponent, fraction));
        Ok(Read { term: bits, reading: Reading::Float(f) })
    }

    fn number(&self, f: Format, unsigned: bool) -> Result<Term, Error> {
        let p = self.pool;
        let c = Circuits::new(p, f);
        match *self.args {
            [_] if !unsigned => {
                let bits = self.word(0)?;
                if p.width(bits) != f.width() {
                    let message = format!("a bit-vector of {} bits was expected here", f.width());
                    return Err(self.at(0, message));
                }
                Ok(bits)
            }
            [_, Read { term, reading: Reading::Float(from) }] if !unsigned => {
                self.rounded(|r| c.from_float(r, from, term))
            }
            [_, Read { term, reading: Reading::Plain }] if p.sort(term).width().is_some() => {
                self.rounded(|r| c.from_int(r, term, !unsigned))
            }
            [_, Read { term, reading: Reading::Plain }] if !unsigned && p.sort(term).is_arith() => {
                let Some(value) = p.as_number(term) else {
                    return Err(Error::unsupported(
                        self.node.pos(),
                        "`to_fp` of a number that is no constant",
                    ));
                };
                self.rounded(|r| c.constant(nearest(f, r, &value)))
            }
            [_, _] => Err(self.at(1, "this sort cannot become a floating-point number")),
            _ => Err(self.error("`to_fp` takes a bit-vector, or a rounding mode and a number")),
        }
    }

    fn integer(&mut self, width: u32, signed: bool) -> Result<Read, Error> {
        self.exactly::<2>()?;
        let p = self.pool;
        let (f, a) = self.float(1)?;
        let c = Circuits::new(p, f);
        let value = self.rounded(|r| c.to_int(r, a, width, signed).0)?;
        let fits = self.rounded(|r| {
            let fits = c.to_int(r, a, width, signed).1;
            p.ite(fits, p.bitvec(1, 1), p.bitvec(0, 1))
        })?;
        let fits = p.eq(fits, p.bitvec(1, 1));
        if fits == p.tru() {
            return Ok(value.into());
        }
        let name = if signed { "fp.to_sbv" } else { "fp.to_ubv" };
        // A function of the mode and the number; there is one NaN.
        let mode = known_mode(p, self.args[0].term);
        let index = p.concat(mode, p.ite(c.is_nan(a), c.constant(f.nan()), a));
        let sort = Sort::array(Sort::BitVec(p.width(index)), Sort::BitVec(width));
        let other = self.open((name, f, width), sort)?;
        Ok(p.ite(fits, value, p.select(other, index)).into())
    }

    /// `fp.min` and `fp.max`.
    fn least(&mut self, least: bool) -> Result<Read, Error> {
        self.exactly::<2>()?;
        let p = self.pool;
        let (f, a) = self.float(0)?;
        let b = self.float_of(1, f)?;
        let c = Circuits::new(p, f);
        let known = if least { c.min(a, b) } else { c.max(a, b) };
        let differ = p.not(p.eq(c.is_negative(a), c.is_negative(b)));
        let zeros = p.and([c.is_zero(a), c.is_zero(b), differ]);
        let reading = Reading::Float(f);
        if zeros == p.fls() {
            return Ok(Read { term: known, reading });
        }
        // Which of the two zeros it is may depend on their order.
        let name = if least { "fp.min" } else { "fp.max" };
        let sort = Sort::array(Sort::BitVec(1), Sort::BitVec(1));
        let other = self.open((name, f, 1), sort)?;
        let index = p.ite(c.is_negative(a), p.bitvec(1, 1), p.bitvec(0, 1));
        let sign = p.eq(p.select(other, index), p.bitvec(1, 1));
        let zero = p.ite(sign, c.constant(f.sign_bit()), c.constant(0));
        Ok(Read { term: p.ite(zeros, zero, known), reading })
    }

    /// The variable of what the standard leaves open.
    fn open(&mut self, what: Open, sort: Sort) -> Result<Term, Error> {
        let name = what.0;
        self.context.open(what, sort).ok_or_else(|| {
            let message = format!("`{name}`, whose value the standard leaves open for some arguments");
            Error::unsupported(self.node.pos(), message)
        })
    }
}

/// A rational number, rounded.
fn nearest(f: Format, r: Rounding, value: &Rational) -> u64 {
    let (n, d) = (value.numer(), value.denom());
    let zero = Integer::from(0);
    if n == zero {
        return 0;
    }
    if n > zero {
        return literal::ratio(f, r, n, d, 0);
    }
    let mirrored = match r {
        Rounding::Up => Rounding::Down,
        Rounding::Down => Rounding::Up,
        other => other,
    };
    f.sign_bit() | literal::ratio(f, mirrored, -n, d, 0)
}
