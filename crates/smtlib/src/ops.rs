//! The operators of the theories Core, Ints, Reals, ArraysEx and FixedSizeBitVectors: names, sort rules, and
//! how each is built from the pool's own operators.
//!
//! Integers are promoted to rationals where a rational is expected, as widespread solvers do; nothing else is
//! converted.

use num_traits::Zero;
use palisade_term::{Integer, Op, Rational, Sort, Term, TermPool};

use crate::sexpr::{Sexpr, shorten};
use crate::{Error, Pos, numbers};

/// An operator, with its indices.
#[derive(Clone, Debug)]
pub(crate) enum Operator {
    Not,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Equal,
    Distinct,
    Ite,
    Plus,
    Minus,
    Times,
    Divide,
    IntDiv,
    Mod,
    Abs,
    ToReal,
    ToInt,
    IsInt,
    Divisible(u32),
    Le,
    Lt,
    Ge,
    Gt,
    Select,
    Store,
    ConstArray(Sort),
    Concat,
    Extract(u32, u32),
    Repeat(u32),
    ZeroExtend(u32),
    SignExtend(u32),
    RotateLeft(u32),
    RotateRight(u32),
    /// Unary on bit-vectors.
    Bv1(Bv1),
    /// Binary on bit-vectors of one width; left-associative where the flag says so.
    Bv2(Bv2, bool),
    /// Comparisons and overflow predicates of bit-vectors of one width.
    BvCmp(BvCmp),
    BvComp,
    NegOverflow,
    BvToInt,
    SignedBvToInt,
    IntToBv(u32),
}

type Bv1 = fn(&TermPool, Term) -> Term;
type Bv2 = fn(&TermPool, Term, Term) -> Term;
type BvCmp = fn(&TermPool, Term, Term) -> Term;

/// The operator of that name, if it takes no indices.
pub(crate) fn named(name: &str) -> Option<Operator> {
    use Operator as O;
    Some(match name {
        "not" => O::Not,
        "and" => O::And,
        "or" => O::Or,
        "xor" => O::Xor,
        "=>" | "implies" => O::Implies,
        "iff" => O::Iff,
        "=" => O::Equal,
        "distinct" => O::Distinct,
        "ite" | "if" => O::Ite,
        "+" => O::Plus,
        "-" => O::Minus,
        "*" => O::Times,
        "/" => O::Divide,
        "div" => O::IntDiv,
        "mod" => O::Mod,
        "abs" => O::Abs,
        "to_real" => O::ToReal,
        "to_int" => O::ToInt,
        "is_int" => O::IsInt,
        "<=" => O::Le,
        "<" => O::Lt,
        ">=" => O::Ge,
        ">" => O::Gt,
        "select" => O::Select,
        "store" => O::Store,
        "concat" => O::Concat,
        "bvnot" => O::Bv1(TermPool::bv_not),
        "bvneg" => O::Bv1(TermPool::bv_neg),
        "bvredor" => O::Bv1(|p, a| bit(p, p.not(p.eq(a, p.bitvec(0, p.width(a)))))),
        "bvredand" => O::Bv1(|p, a| bit(p, p.eq(a, p.bitvec(-1, p.width(a))))),
        "bvand" => O::Bv2(TermPool::bv_and, true),
        "bvor" => O::Bv2(TermPool::bv_or, true),
        "bvxor" => O::Bv2(TermPool::bv_xor, true),
        "bvadd" => O::Bv2(TermPool::bv_add, true),
        "bvmul" => O::Bv2(TermPool::bv_mul, true),
        "bvsub" => O::Bv2(TermPool::bv_sub, true),
        "bvnand" => O::Bv2(|p, a, b| p.bv_not(p.bv_and(a, b)), false),
        "bvnor" => O::Bv2(|p, a, b| p.bv_not(p.bv_or(a, b)), false),
        "bvxnor" => O::Bv2(|p, a, b| p.bv_not(p.bv_xor(a, b)), true),
        "bvudiv" => O::Bv2(TermPool::bv_udiv, false),
        "bvurem" => O::Bv2(TermPool::bv_urem, false),
        "bvsdiv" => O::Bv2(TermPool::bv_sdiv, false),
        "bvsrem" => O::Bv2(TermPool::bv_srem, false),
        "bvsmod" => O::Bv2(TermPool::bv_smod, false),
        "bvshl" => O::Bv2(TermPool::bv_shl, false),
        "bvlshr" => O::Bv2(TermPool::bv_lshr, false),
        "bvashr" => O::Bv2(TermPool::bv_ashr, false),
        "bvult" => O::BvCmp(TermPool::bv_ult),
        "bvule" => O::BvCmp(TermPool::bv_ule),
        "bvugt" => O::BvCmp(|p, a, b| p.bv_ult(b, a)),
        "bvuge" => O::BvCmp(|p, a, b| p.bv_ule(b, a)),
        "bvslt" => O::BvCmp(TermPool::bv_slt),
        "bvsle" => O::BvCmp(TermPool::bv_sle),
        "bvsgt" => O::BvCmp(|p, a, b| p.bv_slt(b, a)),
        "bvsge" => O::BvCmp(|p, a, b| p.bv_sle(b, a)),
        "bvcomp" => O::BvComp,
        "bvnego" => O::NegOverflow,
        "bvuaddo" => O::BvCmp(|p, a, b| overflows(p, a, b, false, 1, TermPool::bv_add)),
        "bvsaddo" => O::BvCmp(|p, a, b| overflows(p, a, b, true, 1, TermPool::bv_add)),
        "bvusubo" => O::BvCmp(TermPool::bv_ult),
        "bvssubo" => O::BvCmp(|p, a, b| overflows(p, a, b, true, 1, TermPool::bv_sub)),
        "bvumulo" => O::BvCmp(|p, a, b| overflows(p, a, b, false, p.width(a), TermPool::bv_mul)),
        "bvsmulo" => O::BvCmp(|p, a, b| overflows(p, a, b, true, p.width(a), TermPool::bv_mul)),
        "bvsdivo" => O::BvCmp(|p, a, b| {
            let w = p.width(a);
            p.and([p.eq(a, least(p, w)), p.eq(b, p.bitvec(-1, w))])
        }),
        "bv2nat" | "bv2int" | "ubv_to_int" => O::BvToInt,
        "sbv_to_int" => O::SignedBvToInt,
        _ => return None,
    })
}

/// A formula as a single bit.
fn bit(pool: &TermPool, f: Term) -> Term {
    pool.ite(f, pool.bitvec(1, 1), pool.bitvec(0, 1))
}

/// The least signed value.
fn least(pool: &TermPool, width: u32) -> Term {
    pool.bitvec(Integer::from(1) << (width - 1), width)
}

/// Does the result of `op` differ from that of the same operation on arguments extended by `by` bits?
fn overflows(pool: &TermPool, a: Term, b: Term, signed: bool, by: u32, op: Bv2) -> Term {
    let extend = |t| if signed { pool.sign_extend(by, t) } else { pool.zero_extend(by, t) };
    let exact = op(pool, extend(a), extend(b));
    pool.not(pool.eq(exact, extend(op(pool, a, b))))
}

/// The operator `(_ name index ...)`.
pub(crate) fn indexed(s: Sexpr<'_>) -> Result<Operator, Error> {
    let Some(items) = s.form("_") else {
        return Err(Error::malformed(s.pos(), "a function was expected here"));
    };
    let name = items.get(1).and_then(Sexpr::symbol).unwrap_or("");
    let unary = |make: fn(u32) -> Operator| match items.exactly() {
        Some([_, _, n]) => numbers::index(n).map(make),
        None => Err(Error::malformed(s.pos(), format!("`{name}` needs one index"))),
    };
    match name {
        "extract" => match items.exactly() {
            Some([_, _, hi, lo]) => Ok(Operator::Extract(numbers::index(hi)?, numbers::index(lo)?)),
            None => Err(Error::malformed(s.pos(), "`extract` needs two indices")),
        },
        "repeat" => unary(Operator::Repeat),
        "zero_extend" => unary(Operator::ZeroExtend),
        "sign_extend" => unary(Operator::SignExtend),
        "rotate_left" => unary(Operator::RotateLeft),
        "rotate_right" => unary(Operator::RotateRight),
        "divisible" => unary(Operator::Divisible),
        "int2bv" | "int_to_bv" | "nat2bv" => match items.exactly() {
            Some([_, _, w]) => Ok(Operator::IntToBv(numbers::width(w)?)),
            None => Err(Error::malformed(s.pos(), format!("`{name}` needs one index"))),
        },
        _ => Err(Error::unsupported(s.pos(), format!("the function `{}`", shorten(&s.to_string())))),
    }
}

/// The constant `(_ bvN width)`.
pub(crate) fn indexed_constant(pool: &TermPool, s: Sexpr<'_>) -> Result<Term, Error> {
    if let Some([_, name, w]) = s.items().exactly()
        && let Some(digits) = name.symbol().and_then(|n| n.strip_prefix("bv"))
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
    {
        return Ok(pool.bitvec(numbers::numeral(digits, name.pos())?, numbers::width(w)?));
    }
    Err(Error::unsupported(s.pos(), format!("the constant `{}`", shorten(&s.to_string()))))
}

// ---- sort rules ----------------------------------------------------------------------------------------

/// Fails unless the term has this sort.
pub(crate) fn expect_sort(pool: &TermPool, t: Term, sort: &Sort, s: Sexpr<'_>) -> Result<(), Error> {
    match pool.sort(t) {
        found if found == sort => Ok(()),
        found => {
            Err(Error::malformed(s.pos(), format!("a term of sort {sort} was expected here, not {found}")))
        }
    }
}

/// The term as one of this sort: itself, or an integer promoted to a rational.
pub(crate) fn coerce(pool: &TermPool, t: Term, sort: &Sort, s: Sexpr<'_>) -> Result<Term, Error> {
    if *sort == Sort::Real && *pool.sort(t) == Sort::Int {
        return Ok(pool.to_real(t));
    }
    expect_sort(pool, t, sort, s)?;
    Ok(t)
}

/// Fails unless it is a number.
pub(crate) fn expect_number(pool: &TermPool, t: Term, pos: Pos) -> Result<(), Error> {
    match pool.sort(t) {
        sort if sort.is_arith() => Ok(()),
        sort => Err(Error::malformed(pos, format!("a number was expected here, not {sort}"))),
    }
}

/// Where the `i`th of `n` arguments stands. Summands handed up from nested sums have no place of their own.
fn arg_pos(node: Sexpr<'_>, i: usize, n: usize) -> Pos {
    let items = node.items();
    if items.len() == n + 1 { items.get(i + 1).expect("counted").pos() } else { node.pos() }
}

/// One application being built.
struct Build<'a, 't> {
    pool: &'a TermPool,
    args: &'a [Term],
    node: Sexpr<'t>,
}

impl Build<'_, '_> {
    fn error(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.node.pos(), message)
    }

    fn name(&self) -> String {
        let head = self.node.items().first().map(|h| h.to_string()).unwrap_or_default();
        shorten(&head).into_owned()
    }

    /// Exactly `N` arguments.
    fn exactly<const N: usize>(&self) -> Result<[Term; N], Error> {
        self.args.try_into().map_err(|_| {
            let (n, s) = (self.args.len(), if N == 1 { "" } else { "s" });
            self.error(format!("`{}` takes {N} argument{s} and is given {n}", self.name()))
        })
    }

    /// At least `n` arguments.
    fn at_least(&self, n: usize) -> Result<(), Error> {
        if self.args.len() >= n {
            return Ok(());
        }
        Err(self.error(format!("`{}` takes {n} or more arguments", self.name())))
    }

    fn expect(&self, i: usize, sort: &Sort) -> Result<Term, Error> {
        let (t, found) = (self.args[i], self.pool.sort(self.args[i]));
        if found == sort {
            return Ok(t);
        }
        let pos = arg_pos(self.node, i, self.args.len());
        Err(Error::malformed(pos, format!("a term of sort {sort} was expected here, not {found}")))
    }

    fn bools(&self) -> Result<&[Term], Error> {
        for i in 0..self.args.len() {
            self.expect(i, &Sort::Bool)?;
        }
        Ok(self.args)
    }

    /// All arguments as numbers of one sort: rationals if any is.
    fn numbers(&self) -> Result<Vec<Term>, Error> {
        for (i, &a) in self.args.iter().enumerate() {
            expect_number(self.pool, a, arg_pos(self.node, i, self.args.len()))?;
        }
        let real = self.args.iter().any(|&a| *self.pool.sort(a) == Sort::Real);
        Ok(self.args.iter().map(|&a| if real { self.pool.to_real(a) } else { a }).collect())
    }

    /// The arguments from `first` on as terms of one sort.
    fn one_sort(&self, first: usize) -> Result<Vec<Term>, Error> {
        let args = &self.args[first..];
        if args.iter().all(|&a| self.pool.sort(a).is_arith()) {
            let real = args.iter().any(|&a| *self.pool.sort(a) == Sort::Real);
            return Ok(args.iter().map(|&a| if real { self.pool.to_real(a) } else { a }).collect());
        }
        let sort = self.pool.sort(args[0]);
        for i in first + 1..self.args.len() {
            self.expect(i, sort)?;
        }
        Ok(args.to_vec())
    }

    /// The width that all arguments have.
    fn one_width(&self) -> Result<u32, Error> {
        let w = self.width(0)?;
        for i in 1..self.args.len() {
            self.expect(i, &Sort::BitVec(w))?;
        }
        Ok(w)
    }

    fn width(&self, i: usize) -> Result<u32, Error> {
        let sort = self.pool.sort(self.args[i]);
        sort.width().ok_or_else(|| {
            let pos = arg_pos(self.node, i, self.args.len());
            Error::malformed(pos, format!("a bit-vector was expected here, not {sort}"))
        })
    }

    fn chain(&self, args: &[Term], relation: impl Fn(Term, Term) -> Term) -> Term {
        self.pool.and(args.windows(2).map(|w| relation(w[0], w[1])).collect::<Vec<_>>())
    }

    /// Refuses products whose size would get out of hand: repeated squaring through `let` is exponential.
    fn product(&self, a: Term, b: Term) -> Result<Term, Error> {
        const MAX_DEGREE: usize = 1 << 10;
        const MAX_BITS: u64 = 1 << 15;
        let size = |t: Term| {
            let l = self.pool.linear(t);
            let bits = |r: &Rational| r.numer().bits() + r.denom().bits();
            let degree = |(u, _): &(Term, Rational)| match self.pool.op(*u) {
                Op::Mul => self.pool.args(*u).len(),
                _ => 1,
            };
            let degree = l.coeffs.iter().map(degree).max().unwrap_or(0);
            (degree, l.coeffs.iter().map(|(_, c)| bits(c)).max().unwrap_or(0).max(bits(&l.constant)))
        };
        let ((da, ba), (db, bb)) = (size(a), size(b));
        if da + db > MAX_DEGREE || ba + bb > MAX_BITS {
            return Err(Error::unsupported(self.node.pos(), "a product of this size"));
        }
        Ok(self.pool.mul(a, b))
    }
}

/// Builds an application.
pub(crate) fn build(pool: &TermPool, op: &Operator, args: &[Term], node: Sexpr<'_>) -> Result<Term, Error> {
    use Operator as O;
    let b = Build { pool, args, node };
    match op {
        O::Not => Ok(pool.not(b.exactly::<1>().and(b.bools())?[0])),
        O::And => Ok(pool.and(b.bools()?.iter().copied())),
        O::Or => Ok(pool.or(b.bools()?.iter().copied())),
        O::Xor => {
            b.at_least(2)?;
            Ok(b.bools()?[1..].iter().fold(args[0], |x, &y| pool.xor(x, y)))
        }
        O::Iff => {
            b.at_least(2)?;
            Ok(b.chain(b.bools()?, |x, y| pool.eq(x, y)))
        }
        O::Implies => {
            b.at_least(2)?;
            let (last, rest) = b.bools()?.split_last().expect("two or more");
            let negated: Vec<Term> = rest.iter().map(|&a| pool.not(a)).collect();
            Ok(pool.or(negated.into_iter().chain([*last])))
        }
        O::Equal => {
            b.at_least(2)?;
            let args = b.one_sort(0)?;
            Ok(b.chain(&args, |x, y| pool.eq(x, y)))
        }
        O::Distinct => {
            const MAX: usize = 2000;
            b.at_least(2)?;
            if args.len() > MAX {
                return Err(Error::unsupported(node.pos(), format!("`distinct` of more than {MAX} terms")));
            }
            Ok(pool.distinct(&b.one_sort(0)?))
        }
        O::Ite => build_ite(&b),
        O::Select | O::Store | O::ConstArray(_) => build_array(op, &b),
        O::Plus | O::Minus | O::Times | O::Divide | O::IntDiv | O::Mod | O::Abs => build_arith(op, &b),
        O::ToReal | O::ToInt | O::IsInt | O::Divisible(_) | O::Le | O::Lt | O::Ge | O::Gt => {
            build_arith(op, &b)
        }
        _ => build_bitvec(op, &b),
    }
}

fn build_ite(b: &Build<'_, '_>) -> Result<Term, Error> {
    let pool = b.pool;
    let [c, _, _] = b.exactly()?;
    b.expect(0, &Sort::Bool)?;
    let branches = b.one_sort(1)?;
    let (x, y) = (branches[0], branches[1]);
    // The writer spells out division by zero; this is its way back.
    if let (Op::IntDiv | Op::Mod | Op::Div, [n, d]) = (pool.op(y), pool.args(y)) {
        let zero = pool.number(Rational::zero(), pool.sort(*d));
        let at_zero = if matches!(pool.op(y), Op::Mod) { *n } else { zero };
        if x == at_zero && c == pool.eq(*d, zero) {
            return Ok(y);
        }
    }
    Ok(pool.ite(c, x, y))
}

fn build_array(op: &Operator, b: &Build<'_, '_>) -> Result<Term, Error> {
    let pool = b.pool;
    let item = |i: usize| b.node.items().get(i + 1).unwrap_or(b.node);
    if let Operator::ConstArray(sort) = op {
        let [value] = b.exactly()?;
        let (_, element) = sort.array_parts().expect("checked when read");
        return Ok(pool.const_array(sort, coerce(pool, value, element, item(0))?));
    }
    b.at_least(2)?;
    let sort = pool.sort(b.args[0]);
    let Some((index, element)) = sort.array_parts() else {
        return Err(Error::malformed(item(0).pos(), format!("an array was expected here, not {sort}")));
    };
    if matches!(op, Operator::Select) {
        let [array, i] = b.exactly()?;
        return Ok(pool.select(array, coerce(pool, i, index, item(1))?));
    }
    let [array, i, v] = b.exactly()?;
    Ok(pool.store(array, coerce(pool, i, index, item(1))?, coerce(pool, v, element, item(2))?))
}

fn build_arith(op: &Operator, b: &Build<'_, '_>) -> Result<Term, Error> {
    use Operator as O;
    let pool = b.pool;
    let args = b.numbers()?;
    let ints =
        |n: usize| -> Result<(), Error> { (0..n).try_for_each(|i| b.expect(i, &Sort::Int).map(|_| ())) };
    let unary = || b.exactly::<1>().map(|_| args[0]);
    match op {
        O::Plus => Ok(pool.add(args)),
        O::Minus if args.len() == 1 => Ok(pool.neg(args[0])),
        O::Minus => {
            let rest: Vec<Term> = args[1..].iter().map(|&a| pool.neg(a)).collect();
            Ok(pool.add([args[0]].into_iter().chain(rest)))
        }
        O::Times => args[1..].iter().try_fold(args[0], |x, &y| b.product(x, y)),
        O::Divide => {
            b.at_least(2)?;
            args[1..].iter().try_fold(pool.to_real(args[0]), |x, &y| {
                let y = pool.to_real(y);
                match pool.as_number(y) {
                    Some(d) if !d.is_zero() => b.product(pool.real(d.recip()), x),
                    _ => Ok(pool.div(x, y)),
                }
            })
        }
        O::IntDiv | O::Mod => {
            let modulo = matches!(op, O::Mod);
            if modulo {
                b.exactly::<2>().map(|_| ())?
            } else {
                b.at_least(2)?
            }
            ints(args.len())?;
            let op = if modulo { TermPool::int_mod } else { TermPool::int_div };
            Ok(args[1..].iter().fold(args[0], |x, &y| op(pool, x, y)))
        }
        O::Abs => Ok(pool.abs(unary()?)),
        O::ToReal => Ok(pool.to_real(unary()?)),
        O::ToInt => Ok(if *pool.sort(unary()?) == Sort::Int { args[0] } else { pool.to_int(args[0]) }),
        O::IsInt => Ok(if *pool.sort(unary()?) == Sort::Int { pool.tru() } else { pool.is_int(args[0]) }),
        O::Divisible(n) => {
            unary()?;
            ints(1)?;
            if *n == 0 {
                return Err(b.error("`divisible` needs a positive index"));
            }
            Ok(pool.eq(pool.int_mod(args[0], pool.int(*n)), pool.int(0)))
        }
        O::Le | O::Lt | O::Ge | O::Gt => {
            b.at_least(2)?;
            let relation = match op {
                O::Le => TermPool::le,
                O::Lt => TermPool::lt,
                O::Ge => TermPool::ge,
                _ => TermPool::gt,
            };
            Ok(b.chain(&args, |x, y| relation(pool, x, y)))
        }
        _ => unreachable!("not an arithmetic operator: {op:?}"),
    }
}

fn build_bitvec(op: &Operator, b: &Build<'_, '_>) -> Result<Term, Error> {
    use Operator as O;
    let pool = b.pool;
    let unary = || -> Result<(Term, u32), Error> { Ok((b.exactly::<1>()?[0], b.width(0)?)) };
    let sized = |w: u64| numbers::checked_width(w, b.node.pos());
    match op {
        O::Bv1(f) => Ok(f(pool, unary()?.0)),
        O::Bv2(f, associative) => {
            if *associative {
                b.at_least(2)?
            } else {
                b.exactly::<2>().map(|_| ())?
            }
            b.one_width()?;
            Ok(b.args[1..].iter().fold(b.args[0], |x, &y| f(pool, x, y)))
        }
        O::BvCmp(f) => {
            let [x, y] = b.exactly()?;
            b.one_width()?;
            Ok(f(pool, x, y))
        }
        O::BvComp => {
            let [x, y] = b.exactly()?;
            b.one_width()?;
            Ok(bit(pool, pool.eq(x, y)))
        }
        O::NegOverflow => {
            let (x, w) = unary()?;
            Ok(pool.eq(x, least(pool, w)))
        }
        O::Concat => {
            b.at_least(2)?;
            let total = (0..b.args.len()).map(|i| b.width(i).map(u64::from)).sum::<Result<u64, _>>()?;
            sized(total)?;
            Ok(b.args[1..].iter().fold(b.args[0], |x, &y| pool.concat(x, y)))
        }
        O::Extract(hi, lo) => {
            let (x, w) = unary()?;
            if lo > hi || *hi >= w {
                return Err(b.error(format!("bits {hi} down to {lo} of a bit-vector of {w} bits")));
            }
            Ok(pool.extract(*hi, *lo, x))
        }
        O::Repeat(n) => {
            let (x, w) = unary()?;
            if *n == 0 {
                return Err(b.error("`repeat` needs a positive index"));
            }
            sized(u64::from(w) * u64::from(*n))?;
            Ok((1..*n).fold(x, |acc, _| pool.concat(acc, x)))
        }
        O::ZeroExtend(n) | O::SignExtend(n) => {
            let (x, w) = unary()?;
            sized(u64::from(w) + u64::from(*n))?;
            Ok(if matches!(op, O::ZeroExtend(_)) { pool.zero_extend(*n, x) } else { pool.sign_extend(*n, x) })
        }
        O::RotateLeft(n) | O::RotateRight(n) => {
            let (x, w) = unary()?;
            let left = if matches!(op, O::RotateLeft(_)) { n % w } else { (w - n % w) % w };
            Ok(match left {
                0 => x,
                k => pool.concat(pool.extract(w - k - 1, 0, x), pool.extract(w - 1, w - k, x)),
            })
        }
        O::BvToInt => Ok(pool.bv_to_int(unary()?.0)),
        O::SignedBvToInt => {
            let (x, w) = unary()?;
            let unsigned = pool.bv_to_int(x);
            let negative = pool.bv_slt(x, pool.bitvec(0, w));
            Ok(pool.ite(negative, pool.sub(unsigned, pool.int(Integer::from(1) << w)), unsigned))
        }
        O::IntToBv(w) => {
            let [x] = b.exactly()?;
            b.expect(0, &Sort::Int)?;
            Ok(pool.int_to_bv(*w, x))
        }
        _ => unreachable!("not a bit-vector operator: {op:?}"),
    }
}
