//! Formulas over variables of the automaton as C expressions that mean the same.
//!
//! A formula of a proof speaks of mathematical integers. As C text it must not overflow, convert silently or
//! read out of bounds, whatever values the variables have: each atom is written with its terms on the sides
//! where they are positive, in `int` where every intermediate value fits, else widened to `long long` by
//! casts. Differences of two 64-bit variables are written with a test in front that keeps the sum in range.
//! What cannot be written like that (64-bit sums of more variables, cells of arrays at indices that are not
//! constant, bit-vectors, anything that has no name at the place) makes its conjunct disappear: what remains
//! is weaker, and still true.
//!
//! Entry point: [`conjuncts`].

use palisade_term::{Op, Sort, Term, TermPool};

use crate::types::{IntType, Type};

/// Names for variables at some place: the text and the type, or nothing if the variable cannot be named
/// there.
pub type Naming<'n> = dyn Fn(Term) -> Option<(String, Type)> + 'n;

/// The conjuncts of a formula that can be written, as C expressions.
pub fn conjuncts(pool: &TermPool, formula: Term, naming: &Naming<'_>) -> Vec<String> {
    let writer = Writer { pool, naming };
    let mut out = Vec::new();
    for c in pool.conjuncts(formula) {
        // Whatever holds by the types alone is no news.
        if let Some(text) = writer.formula(c)
            && text != "1"
            && !out.contains(&text)
        {
            out.push(text);
        }
    }
    out
}

/// The expression of all conjuncts together; `1` if there is none.
pub fn conjunction(parts: &[String]) -> String {
    match parts {
        [] => "1".into(),
        [one] => one.clone(),
        many => many.iter().map(|p| enclosed(p)).collect::<Vec<_>>().join(" && "),
    }
}

fn enclosed(text: &str) -> String {
    let simple = !text.contains(" && ") && !text.contains(" || ") && !text.contains(" ? ");
    if simple || is_enclosed(text) { text.into() } else { format!("({text})") }
}

/// Is the whole text in one pair of parentheses?
fn is_enclosed(text: &str) -> bool {
    let mut depth = 0;
    text.starts_with('(')
        && text.char_indices().all(|(i, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth > 0 || i + 1 == text.len()
        })
}

/// An integer expression: its text (as a primary expression), what values it has, and its type if it is a
/// variable.
#[derive(Clone)]
struct Number {
    text: String,
    low: i128,
    high: i128,
    ty: Option<IntType>,
}

const LONG: IntType = IntType::new(64, true);
/// A choice among more cases than this one is a list.
const LONG_LIST: usize = 3;

struct Writer<'a> {
    pool: &'a TermPool,
    naming: &'a Naming<'a>,
}

/// A side of a comparison: coefficients that are positive, and a constant that is not negative.
#[derive(Default)]
struct Side {
    terms: Vec<(i128, Number)>,
    constant: i128,
}

impl Writer<'_> {
    fn formula(&self, t: Term) -> Option<String> {
        let args = self.pool.args(t);
        let join = |word: &str| -> Option<String> {
            let parts = args.iter().map(|&a| self.formula(a)).collect::<Option<Vec<_>>>()?;
            Some(parts.iter().map(|p| enclosed(p)).collect::<Vec<_>>().join(word))
        };
        match self.pool.op(t) {
            Op::Bool(b) => Some(u8::from(*b).to_string()),
            Op::And => join(" && "),
            Op::Or if args.len() > LONG_LIST => self.list(args),
            Op::Or => join(" || "),
            Op::Not => match self.pool.op(args[0]) {
                Op::Eq if *self.pool.sort(self.pool.args(args[0])[0]) != Sort::Bool => {
                    self.comparison(args[0], "!=")
                }
                Op::Le => self.comparison(args[0], ">="),
                _ => Some(format!("!({})", self.formula(args[0])?)),
            },
            Op::Eq if *self.pool.sort(args[0]) == Sort::Bool => {
                let (a, b) = (self.formula(args[0])?, self.formula(args[1])?);
                Some(format!("!({a}) == !({b})"))
            }
            Op::Eq => self.comparison(t, "=="),
            Op::Le => self.comparison(t, "<="),
            Op::Ite => {
                let [c, a, b] = [self.formula(args[0])?, self.formula(args[1])?, self.formula(args[2])?];
                Some(format!("({} ? {} : {})", enclosed(&c), enclosed(&a), enclosed(&b)))
            }
            _ => None,
        }
    }

    /// `sum op constant`, with everything on the side where it is positive.
    fn comparison(&self, t: Term, op: &str) -> Option<String> {
        let args = self.pool.args(t);
        if *self.pool.sort(args[0]) != Sort::Int {
            return None;
        }
        let sum = self.pool.linear(self.pool.sub(args[0], args[1]));
        let (mut left, mut right) = (Side::default(), Side::default());
        let whole = |r: &palisade_term::Rational| r.to_string().parse::<i128>().ok();
        for (term, k) in &sum.coeffs {
            let (k, number) = (whole(k)?, self.number(*term)?);
            let side = if k > 0 { &mut left } else { &mut right };
            side.terms.push((k.checked_abs()?, number));
        }
        // Not `sum <= constant` is `sum >= constant + 1`.
        let constant = whole(&sum.constant)?.checked_sub(i128::from(op == ">="))?;
        if constant > 0 {
            left.constant = constant
        } else {
            right.constant = constant.checked_neg()?
        }
        if let Some(text) = pointer_test(&left, &right, op) {
            return Some(text);
        }
        compare(left, op, right)
    }

    fn number(&self, t: Term) -> Option<Number> {
        let args = self.pool.args(t);
        match self.pool.op(t) {
            Op::Var(..) => {
                let (text, ty) = (self.naming)(t)?;
                match ty {
                    Type::Int(ty) if !ty.is_int128() => {
                        Some(Number { text, low: ty.min(), high: ty.max(), ty: Some(ty) })
                    }
                    // Only null has a value in C.
                    Type::Pointer(_) => Some(Number { text, low: 0, high: 0, ty: None }),
                    _ => None,
                }
            }
            Op::Int(i) => {
                let v = i.to_string().parse::<i128>().ok()?;
                Some(Number { text: literal(v, LONG)?, low: v, high: v, ty: None })
            }
            Op::Mod if self.modular(args[0], args[1]).is_some() => self.modular(args[0], args[1]),
            Op::Mod | Op::IntDiv => {
                let k = self.pool.as_number(args[1])?.to_string().parse::<i128>().ok().filter(|k| *k > 0)?;
                let n = self.sum(args[0])?;
                if k > LONG.max() || n.low < LONG.min() + k || n.high > LONG.max() - k {
                    return None;
                }
                let (x, k_text) = (wide(&n), literal(k, LONG)?);
                Some(match (self.pool.op(t), n.low >= 0) {
                    (Op::Mod, true) => made(format!("({x} % {k_text})"), 0, k - 1),
                    (Op::Mod, false) => made(format!("(({x} % {k_text} + {k_text}) % {k_text})"), 0, k - 1),
                    (_, true) => made(format!("({x} / {k_text})"), n.low.div_euclid(k), n.high.div_euclid(k)),
                    (_, false) => {
                        let down = format!("-((-{x} + {k_text} - 1LL) / {k_text})");
                        let text = format!("({x} >= 0 ? {x} / {k_text} : {down})");
                        made(text, n.low.div_euclid(k), n.high.div_euclid(k))
                    }
                })
            }
            Op::Mul => {
                let (a, b) = (self.sum(args[0])?, self.sum(args[1])?);
                let all = [a.low, a.high].into_iter().flat_map(|x| [b.low, b.high].map(|y| x.checked_mul(y)));
                let all = all.collect::<Option<Vec<i128>>>()?;
                let (low, high) = (*all.iter().min()?, *all.iter().max()?);
                fits(LONG, low, high).then(|| made(format!("({} * {})", wide(&a), wide(&b)), low, high))
            }
            Op::Ite if self.in_c(args).is_some() => self.in_c(args),
            Op::Ite => {
                let c = self.formula(args[0])?;
                let (a, b) = (self.sum(args[1])?, self.sum(args[2])?);
                let text = format!("({} ? {} : {})", enclosed(&c), wide(&a), wide(&b));
                Some(made(text, a.low.min(b.low), a.high.max(b.high)))
            }
            _ => None,
        }
    }

    /// The remainder of a sum by a power of two: unsigned arithmetic computes it exactly, wherever it wraps
    /// around.
    fn modular(&self, sum: Term, k: Term) -> Option<Number> {
        let k = self.pool.as_number(k)?.to_string().parse::<i128>().ok()?;
        if k < 2 || k.count_ones() != 1 || k > 1 << 64 {
            return None;
        }
        let ty = IntType::new(if k > 1 << 32 { 64 } else { 32 }, false);
        let word = if ty.bits == 64 { "unsigned long long" } else { "unsigned" };
        let all = ty.max() + 1;
        let linear = self.pool.linear(sum);
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for (term, factor) in &linear.coeffs {
            let n = self.number(*term).filter(|n| !is_pointer(n))?;
            let factor = factor.to_string().parse::<i128>().ok()?;
            let name = if n.ty == Some(ty) { n.text } else { format!("({word}){}", simple(&n.text)) };
            let times = factor.checked_abs()?.rem_euclid(all);
            let text = if times == 1 { name } else { format!("{} * {name}", literal(times, ty)?) };
            if factor > 0 { plus.push(text) } else { minus.push(text) }
        }
        let constant = linear.constant.to_string().parse::<i128>().ok()?.rem_euclid(all);
        if constant > all / 2 {
            minus.push(literal(all - constant, ty)?);
        } else if constant > 0 || plus.is_empty() {
            plus.push(literal(constant, ty)?);
        }
        let less: String = minus.iter().map(|m| format!(" - {m}")).collect();
        let text = format!("{}{less}", plus.join(" + "));
        let single = plus.len() + minus.len() == 1 && !text.contains(' ');
        let text = match (k == all, single) {
            (true, true) => text,
            (true, false) => format!("({text})"),
            (false, true) => format!("({text} % {})", literal(k, ty)?),
            (false, false) => format!("(({text}) % {})", literal(k, ty)?),
        };
        Some(Number { text, low: 0, high: k - 1, ty: Some(ty) })
    }

    /// A long list of cases: in the order of their numbers, each with its variables in one order.
    fn list(&self, cases: &[Term]) -> Option<String> {
        let written = |case: &Term| -> Option<String> {
            if *self.pool.op(*case) != Op::And {
                return self.formula(*case).map(|text| enclosed(&text));
            }
            let facts = self.pool.args(*case).iter().map(|&f| self.formula(f).map(|text| enclosed(&text)));
            let mut facts = facts.collect::<Option<Vec<_>>>()?;
            facts.sort_by(|a, b| natural(a).cmp(&natural(b)));
            Some(enclosed(&facts.join(" && ")))
        };
        let mut cases = cases.iter().map(written).collect::<Option<Vec<_>>>()?;
        cases.sort_by(|a, b| natural(a).cmp(&natural(b)));
        Some(cases.join(" || "))
    }

    /// A choice that means one operation of C: `%` and `/`, whose results have the sign of the left side, and
    /// sums and differences of unsigned numbers that wrap around once.
    fn in_c(&self, args: &[Term]) -> Option<Number> {
        let (pool, [test, yes, no]) = (self.pool, args) else { return None };
        let (test, yes, no) = (*test, *yes, *no);
        if let Op::Mod | Op::IntDiv = pool.op(no) {
            let (x, k) = (pool.args(no)[0], pool.args(no)[1]);
            let (minus, rest) = (pool.neg(x), *pool.op(no) == Op::Mod);
            let mirrored = if rest { pool.int_mod(minus, k) } else { pool.int_div(minus, k) };
            if test == pool.le(x, pool.int(-1)) && yes == pool.neg(mirrored) {
                return self.quotient(x, k, rest);
            }
        }
        let linear = pool.linear(pool.sub(no, yes));
        let more = linear.constant.to_string().parse::<i128>().ok().filter(|_| linear.coeffs.is_empty())?;
        let all = more.checked_abs().filter(|all| all.count_ones() == 1)?;
        let last = pool.int(all - 1);
        // Without wrapping around it is one of the two; the other one is larger or smaller by `all`.
        let (below, above) = match more > 0 {
            true => (test == pool.le(pool.int(0), yes), test == pool.not(pool.le(no, last))),
            false => (test == pool.le(no, pool.int(-1)), test == pool.le(yes, last)),
        };
        let sum = if (more > 0) == below { yes } else { no };
        // Once is enough for what it can be.
        let (low, high) = self.range(sum)?;
        let once = (below && low >= -all && high < all) || (above && low >= 0 && high < 2 * all);
        once.then(|| self.modular(sum, pool.int(all)))?
    }

    /// `x % k` or `x / k` of C for a constant that is positive.
    fn quotient(&self, x: Term, k: Term, rest: bool) -> Option<Number> {
        let k = self.pool.as_number(k)?.to_string().parse::<i128>().ok().filter(|k| *k > 0)?;
        let n = self.sum(x)?;
        let ty = match n.ty {
            Some(ty) if ty.promoted() == IntType::INT && k <= IntType::INT.max() => IntType::INT,
            _ => LONG,
        };
        let (text, k_text) = (if ty == LONG { wide(&n) } else { n.text.clone() }, literal(k, ty)?);
        let (word, low, high) = match rest {
            true => ("%", n.low.max(1 - k).min(0), n.high.min(k - 1).max(0)),
            false => ("/", n.low / k, n.high / k),
        };
        Some(Number { text: format!("({text} {word} {k_text})"), low, high, ty: Some(ty) })
    }

    /// What a sum can be, by the types of its variables.
    fn range(&self, sum: Term) -> Option<(i128, i128)> {
        let linear = self.pool.linear(sum);
        let whole = |r: &palisade_term::Rational| r.to_string().parse::<i128>().ok();
        let constant = whole(&linear.constant)?;
        linear.coeffs.iter().try_fold((constant, constant), |(low, high), (term, factor)| {
            let (n, factor) = (self.number(*term).filter(|n| !is_pointer(n))?, whole(factor)?);
            let (a, b) = (n.low.checked_mul(factor)?, n.high.checked_mul(factor)?);
            Some((low.checked_add(a.min(b))?, high.checked_add(a.max(b))?))
        })
    }

    /// An integer term in `long long`; its values fit.
    fn sum(&self, t: Term) -> Option<Number> {
        if !matches!(self.pool.op(t), Op::Add | Op::Mul) {
            return self.number(t).filter(|n| fits(LONG, n.low, n.high) && !is_pointer(n));
        }
        let linear = self.pool.linear(t);
        if linear.coeffs.iter().any(|(part, _)| *part == t) {
            return self.number(t);
        }
        let (mut text, mut low, mut high) = (String::new(), 0i128, 0i128);
        for (term, k) in &linear.coeffs {
            let n = self.number(*term).filter(|n| !is_pointer(n))?;
            let k = k.to_string().parse::<i128>().ok()?;
            let ends = [n.low.checked_mul(k)?, n.high.checked_mul(k)?];
            (low, high) = (low + ends[0].min(ends[1]), high + ends[0].max(ends[1]));
            let ends_fit = fits(LONG, ends[0].min(ends[1]), ends[0].max(ends[1]));
            if !ends_fit || !fits(LONG, n.low, n.high) || !fits(LONG, low, high) {
                return None;
            }
            let plus = if text.is_empty() { "" } else { " + " };
            let factor = if k == 1 { String::new() } else { format!("{} * ", literal(k, LONG)?) };
            text.push_str(&format!("{plus}{factor}{}", wide(&n)));
        }
        let constant = linear.constant.to_string().parse::<i128>().ok()?;
        (low, high) = (low + constant, high + constant);
        if constant != 0 {
            text.push_str(&format!(" + {}", literal(constant, LONG)?));
        }
        fits(LONG, low, high).then(|| made(format!("({text})"), low, high))
    }
}

/// A key that orders texts by the numbers in them.
fn natural(text: &str) -> Vec<(&str, u128)> {
    let mut key = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let words = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(words);
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let (number, behind) = behind.split_at(digits);
        key.push((word, number.parse().unwrap_or(0)));
        rest = behind;
    }
    key
}

fn made(text: String, low: i128, high: i128) -> Number {
    Number { text, low, high, ty: None }
}

fn fits(ty: IntType, low: i128, high: i128) -> bool {
    ty.contains(low) && ty.contains(high)
}

/// A number as `long long`.
fn wide(n: &Number) -> String {
    match n.ty {
        Some(t) if t != LONG => {
            format!("(long long)({})", n.text).replace(&format!("({})", n.text), &simple(&n.text))
        }
        _ => n.text.clone(),
    }
}

/// An operand of a cast: a name or a path needs no parentheses.
fn simple(text: &str) -> String {
    let path = text.chars().all(|c| c.is_alphanumeric() || "_$.[]".contains(c));
    if path || is_enclosed(text) { text.into() } else { format!("({text})") }
}

/// A constant of at least the rank of the type.
fn literal(v: i128, ty: IntType) -> Option<String> {
    let suffix = match (ty.bits, ty.signed) {
        (64, true) => "LL",
        (64, false) => "ULL",
        (_, false) => "U",
        _ => "",
    };
    // There are no constants of 128 bits.
    if !ty.contains(v) || ty.is_int128() {
        return None;
    }
    // The least value has no literal of its own.
    if v == ty.min() && ty.signed && ty.bits >= 32 {
        return Some(format!("(-{}{suffix} - 1{suffix})", ty.max()));
    }
    Some(if v < 0 { format!("({v}{suffix})") } else { format!("{v}{suffix}") })
}

/// `p == NULL` or `p != NULL`: the only statements about pointers.
fn pointer_test(left: &Side, right: &Side, op: &str) -> Option<String> {
    let (terms, other) = if left.terms.is_empty() { (right, left) } else { (left, right) };
    match (&terms.terms[..], op) {
        ([(_, n)], "==" | "!=")
            if n.ty.is_none()
                && n.low == 0
                && n.high == 0
                && other.terms.is_empty()
                && terms.constant == 0
                && other.constant == 0 =>
        {
            Some(format!("{} {op} 0", n.text))
        }
        _ => None,
    }
}

/// Only null has a value in C.
fn is_pointer(n: &Number) -> bool {
    n.ty.is_none() && n.low == 0 && n.high == 0
}

fn compare(left: Side, op: &str, right: Side) -> Option<String> {
    if left.terms.iter().chain(&right.terms).any(|(_, n)| is_pointer(n)) {
        return None;
    }
    if left.terms.is_empty() && right.terms.len() == 1 && right.terms[0].0 == 1 {
        let flipped = match op {
            "<=" => ">=",
            ">=" => "<=",
            same => same,
        };
        return compare(right, flipped, left);
    }
    // A variable and a constant: by the values of its type.
    if let ([(1, n)], []) = (&left.terms[..], &right.terms[..])
        && let Some(ty) = n.ty
        && let Some(constant) = right.constant.checked_sub(left.constant)
    {
        return against_constant(n, ty, op, constant);
    }
    let int_sized = |side: &Side| {
        side.terms.iter().all(|(_, n)| n.ty.is_some_and(|t| t.promoted() == IntType::INT))
            && side.fits(IntType::INT)
    };
    if int_sized(&left) && int_sized(&right) {
        return Some(format!("{} {op} {}", left.text(IntType::INT)?, right.text(IntType::INT)?));
    }
    // Two of one type.
    if let ([(1, x)], [(1, y)], 0, 0) = (&left.terms[..], &right.terms[..], left.constant, right.constant)
        && let (Some(a), Some(b)) = (x.ty, y.ty)
        && a.promoted() == b.promoted()
    {
        return Some(format!("{} {op} {}", x.text, y.text));
    }
    if left.fits(LONG) && right.fits(LONG) {
        return Some(format!("{} {op} {}", left.text(LONG)?, right.text(LONG)?));
    }
    difference(&left, op, &right)
}

/// `x op constant` for a variable; what holds by the type is `1` or `0`.
fn against_constant(n: &Number, ty: IntType, op: &str, constant: i128) -> Option<String> {
    let always = match op {
        "<=" if constant >= ty.max() => Some(true),
        "<=" if constant < ty.min() => Some(false),
        ">=" if constant <= ty.min() => Some(true),
        ">=" if constant > ty.max() => Some(false),
        "==" if !ty.contains(constant) => Some(false),
        "!=" if !ty.contains(constant) => Some(true),
        _ => None,
    };
    match always {
        Some(b) => Some(u8::from(b).to_string()),
        None => Some(format!("{} {op} {}", n.text, literal(constant, ty.promoted())?)),
    }
}

/// Two variables of one 64-bit type that differ by a constant: no sum that could overflow is evaluated.
fn difference(left: &Side, op: &str, right: &Side) -> Option<String> {
    let ([(1, x)], [(1, y)]) = (&left.terms[..], &right.terms[..]) else { return None };
    let ty = x.ty.filter(|t| x.ty == y.ty && t.bits == 64)?;
    let (x, y) = (&x.text, &y.text);
    // `x + c op y` and `x op y + c`: the same with the sides exchanged.
    let (low, high, c, flipped) = match (left.constant, right.constant) {
        (0, 0) => return Some(format!("{x} {op} {y}")),
        (c, 0) => (x, y, c, false),
        (0, c) => (y, x, c, true),
        _ => return None,
    };
    let (least, c_text) = (literal(ty.min().checked_add(c)?, ty)?, literal(c, ty)?);
    let holds = |op: &str| format!("{high} >= {least} && {low} {op} {high} - {c_text}");
    let fails = |op: &str| format!("{high} < {least} || {low} {op} {high} - {c_text}");
    // In terms of `low + c` and `high`.
    Some(match (op, flipped) {
        ("==", _) => holds("=="),
        ("!=", _) => fails("!="),
        ("<=", false) => holds("<="),
        (">=", false) | ("<=", true) => fails(">="),
        (">=", true) => holds("<="),
        _ => return None,
    })
}

impl Side {
    /// Do all intermediate values fit into the type?
    fn fits(&self, ty: IntType) -> bool {
        let (mut low, mut high) = (0i128, 0i128);
        let terms_fit = self.terms.iter().all(|(k, n)| {
            let (Some(a), Some(b)) = (n.low.checked_mul(*k), n.high.checked_mul(*k)) else { return false };
            (low, high) = (low + a, high + b);
            fits(ty, n.low, n.high) && ty.contains(*k) && fits(ty, a, b) && fits(ty, low, high)
        });
        terms_fit && ty.contains(self.constant) && fits(ty, low + self.constant, high + self.constant)
    }

    fn text(&self, ty: IntType) -> Option<String> {
        let mut parts = Vec::new();
        for (k, n) in &self.terms {
            let name = if ty == LONG { wide(n) } else { n.text.clone() };
            parts.push(if *k == 1 { name } else { format!("{} * {name}", literal(*k, ty)?) });
        }
        if self.constant != 0 || parts.is_empty() {
            parts.push(literal(self.constant, ty)?);
        }
        Some(parts.join(" + "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(make: impl Fn(&TermPool) -> Term) -> Vec<String> {
        let pool = TermPool::new();
        let formula = make(&pool);
        conjuncts(&pool, formula, &|t| {
            let name = pool.var_name(t).to_string();
            let ty = match name.as_str() {
                "x" | "y" => IntType::INT,
                "u" | "v" => IntType::UINT,
                "p" | "q" => LONG,
                "c" => IntType::CHAR,
                _ => return None,
            };
            Some((name, Type::Int(ty)))
        })
    }

    fn var(pool: &TermPool, name: &str) -> Term {
        pool.var(name, Sort::Int)
    }

    #[test]
    fn atoms_are_written_where_they_do_not_overflow() {
        let sum = |p: &TermPool, a: &str, k: i64, b: &str| p.le(p.add2(var(p, a), p.int(k)), var(p, b));
        assert_eq!(written(|p| sum(p, "x", 0, "y")), ["x <= y"]);
        assert_eq!(written(|p| sum(p, "c", 5, "x")), ["c + 5 <= x"]);
        assert_eq!(written(|p| sum(p, "x", 5, "y")), ["(long long)x + 5LL <= (long long)y"]);
        assert_eq!(
            written(|p| sum(p, "u", 4_294_967_280, "v")),
            ["(long long)u + 4294967280LL <= (long long)v"]
        );
        assert_eq!(written(|p| sum(p, "p", 1, "q")), ["q >= (-9223372036854775807LL) && p <= q - 1LL"]);
        assert_eq!(
            written(|p| p.le(var(p, "p"), p.add2(var(p, "q"), p.int(1)))),
            ["p < (-9223372036854775807LL) || q >= p - 1LL"]
        );
    }

    #[test]
    fn what_the_type_says_is_not_written() {
        assert!(written(|p| p.ge(var(p, "u"), p.int(0))).is_empty());
        assert_eq!(written(|p| p.ge(var(p, "x"), p.int(0))), ["x >= 0"]);
        assert_eq!(written(|p| p.le(var(p, "u"), p.int(7))), ["u <= 7U"]);
        assert_eq!(written(|p| p.not(p.eq(var(p, "x"), p.int(8)))), ["x != 8"]);
    }

    #[test]
    fn what_has_no_name_weakens_the_formula() {
        let both = |p: &TermPool| p.and2(p.ge(var(p, "x"), p.int(1)), p.ge(var(p, "hidden"), p.int(1)));
        assert_eq!(written(both), ["x >= 1"]);
        let either = |p: &TermPool| p.or2(p.ge(var(p, "x"), p.int(1)), p.ge(var(p, "hidden"), p.int(1)));
        assert!(written(either).is_empty());
    }

    #[test]
    fn remainders_are_never_negative() {
        let even = |name: &'static str| move |p: &TermPool| p.eq(p.int_mod(var(p, name), p.int(2)), p.int(0));
        assert_eq!(written(even("u")), ["(u % 2U) == 0U"]);
        assert_eq!(written(even("x")), ["((unsigned)x % 2U) == 0U"]);
        let third = |p: &TermPool| p.eq(p.int_mod(var(p, "x"), p.int(3)), p.int(0));
        assert_eq!(written(third), ["(((long long)x % 3LL + 3LL) % 3LL) == 0LL"]);
    }

    #[test]
    fn choices_that_are_operations_of_c_are_written_as_these() {
        let minus = |p: &TermPool, t: Term| p.int_mod(p.neg(t), p.int(3));
        let rest =
            |p: &TermPool, t: Term| p.ite(p.le(t, p.int(-1)), p.neg(minus(p, t)), p.int_mod(t, p.int(3)));
        assert_eq!(written(|p| p.eq(rest(p, var(p, "x")), p.int(0))), ["(x % 3) == 0"]);
        assert_eq!(written(|p| p.eq(rest(p, var(p, "p")), p.int(2))), ["(p % 3LL) == 2LL"]);
        let quotient = |p: &TermPool, t: Term| {
            let down = p.neg(p.int_div(p.neg(t), p.int(7)));
            p.ite(p.le(t, p.int(-1)), down, p.int_div(t, p.int(7)))
        };
        assert_eq!(written(|p| p.le(quotient(p, var(p, "c")), var(p, "x"))), ["(c / 7) <= x"]);
        // Differences and sums that wrap around; one that wraps elsewhere is none.
        let all = |p: &TermPool| p.int(1_i64 << 32);
        let difference = |p: &TermPool| p.sub(var(p, "u"), var(p, "v"));
        let wrapped = |p: &TermPool, test: Term| p.ite(test, difference(p), p.add2(difference(p), all(p)));
        let below = |p: &TermPool| p.le(wrapped(p, p.le(var(p, "v"), var(p, "u"))), p.int(16));
        assert_eq!(written(below), ["(u - v) <= 16U"]);
        let elsewhere = |p: &TermPool| p.le(wrapped(p, p.lt(var(p, "v"), var(p, "u"))), p.int(16));
        assert!(written(elsewhere)[0].contains('?'));
        let next = |p: &TermPool| {
            let (one, last) = (p.add2(var(p, "u"), p.int(1)), p.int((1_i64 << 32) - 2));
            p.eq(p.ite(p.le(var(p, "u"), last), one, p.sub(one, all(p))), var(p, "v"))
        };
        assert_eq!(written(next), ["(u + 1U) == v"]);
        // A sum that may wrap around twice.
        let twice = |p: &TermPool| {
            let sum = p.add2(difference(p), p.neg(var(p, "v")));
            p.le(p.ite(p.le(p.int(0), sum), sum, p.add2(sum, all(p))), p.int(16))
        };
        assert!(written(twice)[0].contains('?'));
    }

    #[test]
    fn lists_are_ordered_by_their_numbers() {
        let case =
            |p: &TermPool, n: i64| p.and2(p.eq(var(p, "y"), p.int(n + 1)), p.eq(var(p, "x"), p.int(n)));
        let list = written(|p| p.or([11, 2, 9, 30, 1].iter().map(|&n| case(p, n)).collect::<Vec<_>>()));
        let cases = [1, 2, 9, 11, 30].map(|n| format!("(x == {n} && y == {})", n + 1));
        assert_eq!(list, [cases.join(" || ")]);
    }

    #[test]
    fn what_wraps_around_is_unsigned_arithmetic() {
        let all = |p: &TermPool| p.int(1_i64 << 32);
        let sum = |p: &TermPool, k: i64| p.add2(p.sub(var(p, "u"), var(p, "v")), p.int(k));
        let distance = |p: &TermPool| p.eq(p.int_mod(sum(p, 0), all(p)), p.int(4_294_967_280_i64));
        assert_eq!(written(distance), ["(u - v) == 4294967280U"]);
        let below = |p: &TermPool| p.le(p.int_mod(sum(p, -3), all(p)), p.int(16));
        assert_eq!(written(below), ["(u - v - 3U) <= 16U"]);
        let mixed = |p: &TermPool| p.eq(p.int_mod(p.add2(var(p, "c"), var(p, "x")), p.int(256)), var(p, "y"));
        assert_eq!(written(mixed), ["(long long)(((unsigned)c + (unsigned)x) % 256U) == (long long)y"]);
        assert_eq!(written(|p| p.eq(var(p, "u"), var(p, "v"))), ["u == v"]);
    }
}
