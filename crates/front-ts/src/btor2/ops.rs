//! The operators of BTOR2 as terms.

use palisade_smtlib::{Error, Pos};
use palisade_term::{Sort, Term, TermPool};

use super::{Reader, Words, parse_constant};

/// A term as a vector: a Boolean is one of width 1.
pub(super) fn vector(pool: &TermPool, t: Term) -> Term {
    if *pool.sort(t) == Sort::Bool { pool.ite(t, pool.bitvec(1, 1), pool.bitvec(0, 1)) } else { t }
}

/// A vector as a term of the reader: one of width 1 is a Boolean.
fn scalar(pool: &TermPool, t: Term) -> Term {
    if *pool.sort(t) == Sort::BitVec(1) { pool.eq(t, pool.bitvec(1, 1)) } else { t }
}

impl Reader<'_> {
    /// A node that is a constant or an operator.
    pub(super) fn operator(&mut self, op: &str, pos: Pos, words: &mut Words<'_>) -> Result<Term, Error> {
        let sort = self.sort_of(words)?;
        let width = sort.width().unwrap_or(1);
        let t = match op {
            "const" | "constd" | "consth" => self.constant(op, width, words)?,
            "zero" => self.pool.bitvec(0, width),
            "one" => self.pool.bitvec(1, width),
            "ones" => self.pool.bv_not(self.pool.bitvec(0, width)),
            "sext" | "uext" => self.extension(op, words)?,
            "slice" => self.slice(words)?,
            "not" | "inc" | "dec" | "neg" | "redand" | "redor" | "redxor" => {
                let a = self.operand(words)?;
                self.unary(op, a)
            }
            "ite" => {
                let c = self.condition(words)?;
                let pos = words.pos();
                let (a, b) = (self.node(words)?, self.node(words)?);
                if self.pool.sort(a) != self.pool.sort(b) {
                    return Err(Error::malformed(pos, "the branches are of different sorts"));
                }
                self.pool.ite(c, a, b)
            }
            "read" => {
                let (array, index) = self.cell(words)?;
                self.pool.select(array, index)
            }
            "write" => {
                let (array, index) = self.cell(words)?;
                let pos = words.pos();
                let value = self.operand(words)?;
                if self.pool.sort(array).array_parts().map(|p| p.1) != Some(self.pool.sort(value)) {
                    return Err(Error::malformed(pos, "the array has elements of another sort"));
                }
                self.pool.store(array, index, value)
            }
            _ => self.binary(op, pos, words)?,
        };
        let t = scalar(self.pool, t);
        if *self.pool.sort(t) == sort {
            Ok(t)
        } else {
            Err(Error::malformed(pos, format!("`{op}` has another sort than the one that is given")))
        }
    }

    /// A node as a vector.
    fn operand(&mut self, words: &mut Words<'_>) -> Result<Term, Error> {
        let pos = words.pos();
        let t = vector(self.pool, self.node(words)?);
        if matches!(self.pool.sort(t), Sort::Array(_)) {
            return Err(Error::malformed(pos, "a vector is needed"));
        }
        Ok(t)
    }

    /// An array and an index.
    fn cell(&mut self, words: &mut Words<'_>) -> Result<(Term, Term), Error> {
        let pos = words.pos();
        let array = self.node(words)?;
        let Some((index_sort, _)) = self.pool.sort(array).array_parts() else {
            return Err(Error::malformed(pos, "an array is needed"));
        };
        let pos = words.pos();
        let index = self.operand(words)?;
        if self.pool.sort(index) != index_sort {
            return Err(Error::malformed(pos, "the array has indices of another sort"));
        }
        Ok((array, index))
    }

    fn constant(&mut self, op: &str, width: u32, words: &mut Words<'_>) -> Result<Term, Error> {
        let base = match op {
            "const" => 2,
            "constd" => 10,
            _ => 16,
        };
        let pos = words.pos();
        let word = words.word("a constant")?;
        match parse_constant(word, base, width) {
            Some(n) => Ok(self.pool.bitvec(n, width)),
            None => Err(Error::malformed(pos, format!("`{word}` is no constant of {width} bits"))),
        }
    }

    fn extension(&mut self, op: &str, words: &mut Words<'_>) -> Result<Term, Error> {
        let a = self.operand(words)?;
        let pos = words.pos();
        let n: u32 = words.number("a number of bits")?;
        if n > super::MAX_WIDTH {
            return Err(Error::unsupported(pos, format!("vectors of more than {} bits", super::MAX_WIDTH)));
        }
        Ok(if op == "sext" { self.pool.sign_extend(n, a) } else { self.pool.zero_extend(n, a) })
    }

    fn slice(&mut self, words: &mut Words<'_>) -> Result<Term, Error> {
        let a = self.operand(words)?;
        let pos = words.pos();
        let (high, low): (u32, u32) = (words.number("the upper bit")?, words.number("the lower bit")?);
        if low > high || high >= self.pool.width(a) {
            return Err(Error::malformed(pos, format!("there is no slice {high} {low}")));
        }
        Ok(self.pool.extract(high, low, a))
    }

    fn unary(&self, op: &str, a: Term) -> Term {
        let p = self.pool;
        let w = p.width(a);
        match op {
            "not" => p.bv_not(a),
            "inc" => p.bv_add(a, p.bitvec(1, w)),
            "dec" => p.bv_sub(a, p.bitvec(1, w)),
            "neg" => p.bv_neg(a),
            "redand" => p.eq(a, p.bv_not(p.bitvec(0, w))),
            "redor" => p.not(p.eq(a, p.bitvec(0, w))),
            _ => (0..w).fold(p.fls(), |parity, i| p.xor(parity, p.eq(p.extract(i, i, a), p.bitvec(1, 1)))),
        }
    }

    fn binary(&mut self, op: &str, pos: Pos, words: &mut Words<'_>) -> Result<Term, Error> {
        let place = words.pos();
        let (x, y) = (self.node(words)?, self.node(words)?);
        let p = self.pool;
        if matches!(op, "eq" | "neq") && p.sort(x) == p.sort(y) {
            let equal = p.eq(x, y);
            return Ok(if op == "eq" { equal } else { p.not(equal) });
        }
        let (a, b) = (vector(p, x), vector(p, y));
        if [a, b].iter().any(|&t| matches!(p.sort(t), Sort::Array(_))) {
            return Err(Error::malformed(place, "a vector is needed"));
        }
        if op == "concat" {
            if p.width(a) + p.width(b) > super::MAX_WIDTH {
                return Err(Error::unsupported(
                    pos,
                    format!("vectors of more than {} bits", super::MAX_WIDTH),
                ));
            }
            return Ok(p.concat(a, b));
        }
        let known = self.arithmetic(op, a, b).or_else(|| self.logic(op, x, y, a, b));
        if known.is_none() && !is_operator(op) {
            return Err(Error::malformed(pos, format!("there is no operator `{op}`")));
        }
        if p.sort(a) != p.sort(b) {
            return Err(Error::malformed(place, "the operands are of different sorts"));
        }
        known.ok_or_else(|| Error::malformed(place, "the operands are of the wrong sort"))
    }

    /// Bitwise operators and comparisons; those of width 1 are Boolean connectives.
    fn logic(&self, op: &str, x: Term, y: Term, a: Term, b: Term) -> Option<Term> {
        let p = self.pool;
        if p.sort(a) != p.sort(b) {
            return None;
        }
        if *p.sort(x) == Sort::Bool {
            match op {
                "and" => return Some(p.and2(x, y)),
                "or" => return Some(p.or2(x, y)),
                "xor" | "neq" => return Some(p.xor(x, y)),
                "xnor" | "iff" | "eq" => return Some(p.eq(x, y)),
                "nand" => return Some(p.not(p.and2(x, y))),
                "nor" => return Some(p.not(p.or2(x, y))),
                "implies" => return Some(p.implies(x, y)),
                _ => {}
            }
        }
        Some(match op {
            "and" => p.bv_and(a, b),
            "or" => p.bv_or(a, b),
            "xor" => p.bv_xor(a, b),
            "nand" => p.bv_not(p.bv_and(a, b)),
            "nor" => p.bv_not(p.bv_or(a, b)),
            "xnor" => p.bv_not(p.bv_xor(a, b)),
            "eq" => p.eq(a, b),
            "neq" => p.not(p.eq(a, b)),
            "ult" => p.bv_ult(a, b),
            "ulte" => p.bv_ule(a, b),
            "ugt" => p.bv_ult(b, a),
            "ugte" => p.bv_ule(b, a),
            "slt" => p.bv_slt(a, b),
            "slte" => p.bv_sle(a, b),
            "sgt" => p.bv_slt(b, a),
            "sgte" => p.bv_sle(b, a),
            _ => return None,
        })
    }

    fn arithmetic(&self, op: &str, a: Term, b: Term) -> Option<Term> {
        let p = self.pool;
        if p.sort(a) != p.sort(b) {
            return None;
        }
        Some(match op {
            "add" => p.bv_add(a, b),
            "sub" => p.bv_sub(a, b),
            "mul" => p.bv_mul(a, b),
            "udiv" => p.bv_udiv(a, b),
            "urem" => p.bv_urem(a, b),
            "sdiv" => p.bv_sdiv(a, b),
            "srem" => p.bv_srem(a, b),
            "smod" => p.bv_smod(a, b),
            "sll" => p.bv_shl(a, b),
            "srl" => p.bv_lshr(a, b),
            "sra" => p.bv_ashr(a, b),
            "rol" | "ror" => self.rotation(op, a, b),
            "uaddo" | "saddo" | "usubo" | "ssubo" | "umulo" | "smulo" | "sdivo" => self.overflow(op, a, b),
            _ => return None,
        })
    }

    /// A rotation by an amount modulo the width.
    fn rotation(&self, op: &str, a: Term, b: Term) -> Term {
        let p = self.pool;
        let w = p.width(a);
        // The width itself may not be representable in w bits only for w = 1, where rotation does nothing.
        if w == 1 {
            return a;
        }
        let by = p.bv_urem(b, p.bitvec(w, w));
        let rest = p.bv_sub(p.bitvec(w, w), by);
        let (left, right) = if op == "rol" { (by, rest) } else { (rest, by) };
        p.bv_or(p.bv_shl(a, left), p.bv_lshr(a, right))
    }

    /// Does the operation leave the range of its width?
    fn overflow(&self, op: &str, a: Term, b: Term) -> Term {
        let p = self.pool;
        let w = p.width(a);
        let signed = op.starts_with('s');
        if op == "sdivo" {
            let least = p.concat(p.bitvec(1, 1), p.bitvec(0, w));
            let least = p.extract(w, 1, least);
            return p.and([p.eq(a, least), p.eq(b, p.bv_not(p.bitvec(0, w)))]);
        }
        // In twice the width nothing is lost.
        let wide = |t| if signed { p.sign_extend(w, t) } else { p.zero_extend(w, t) };
        let (x, y) = (wide(a), wide(b));
        let exact = match &op[1..] {
            "addo" => p.bv_add(x, y),
            "subo" => p.bv_sub(x, y),
            _ => p.bv_mul(x, y),
        };
        p.not(p.eq(exact, wide(p.extract(w - 1, 0, exact))))
    }
}

/// Is this the name of an operator with two operands?
fn is_operator(op: &str) -> bool {
    matches!(
        op,
        "and"
            | "or"
            | "xor"
            | "nand"
            | "nor"
            | "xnor"
            | "iff"
            | "implies"
            | "eq"
            | "neq"
            | "ult"
            | "ulte"
            | "ugt"
            | "ugte"
            | "slt"
            | "slte"
            | "sgt"
            | "sgte"
            | "add"
            | "sub"
            | "mul"
            | "udiv"
            | "urem"
            | "sdiv"
            | "srem"
            | "smod"
            | "sll"
            | "srl"
            | "sra"
            | "rol"
            | "ror"
            | "uaddo"
            | "saddo"
            | "usubo"
            | "ssubo"
            | "umulo"
            | "smulo"
            | "sdivo"
    )
}
