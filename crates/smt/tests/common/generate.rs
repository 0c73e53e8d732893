//! Random formulas by logic.

use palisade_term::{Integer, Rational, Sort, Term, TermPool};

use super::Random;

/// What formulas are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// Booleans only.
    Bool,
    /// Linear integer arithmetic with `ite`.
    Lia,
    /// Linear rational arithmetic with `ite`.
    Lra,
    /// Differences of integers.
    Idl,
    /// Differences of rationals.
    Rdl,
    /// Integers with `div` and `mod` by constants.
    DivMod,
    /// Integers and rationals mixed by `to_real` and `to_int`.
    Lira,
    /// Bit-vectors of a few bits.
    Bv,
    /// Arrays of integers.
    Arrays,
    /// Arrays of bit-vectors with writes, equalities and choices between arrays.
    BvArrays,
    /// Products and non-constant divisions.
    Nonlinear,
    /// Bit-vectors and integers converted into each other.
    Convert,
    /// Linear arithmetic with huge constants.
    Huge,
    /// Integers with division, rationals, bit-vectors and conversions together.
    Mixed,
}

pub const LOGICS: [Logic; 14] = [
    Logic::Bool,
    Logic::Lia,
    Logic::Lra,
    Logic::Idl,
    Logic::Rdl,
    Logic::DivMod,
    Logic::Lira,
    Logic::Bv,
    Logic::Arrays,
    Logic::BvArrays,
    Logic::Nonlinear,
    Logic::Convert,
    Logic::Huge,
    Logic::Mixed,
];

/// A generator of formulas.
pub struct Gen<'p> {
    pub pool: &'p TermPool,
    pub rng: Random,
    logic: Logic,
    bools: Vec<Term>,
    ints: Vec<Term>,
    reals: Vec<Term>,
    bvs: Vec<Term>,
    arrays: Vec<Term>,
    width: u32,
}

impl<'p> Gen<'p> {
    pub fn new(pool: &'p TermPool, logic: Logic, seed: u64) -> Gen<'p> {
        let mut rng = Random::new(seed);
        for _ in 0..8 {
            rng.bits();
        }
        let n = 2 + rng.below(4);
        let width = if logic == Logic::Bv && rng.one_in(3) {
            *rng.one_of(&[7, 16, 32, 33, 64, 65])
        } else {
            *rng.one_of(&[1, 2, 3, 4, 5, 8])
        };
        let name = |kind: &str, sort: Sort| -> Vec<Term> {
            (0..n)
                .map(|i| {
                    pool.var(
                        &format!("{kind}{i}_{}", if kind == "v" || kind == "m" { width } else { 0 }),
                        sort.clone(),
                    )
                })
                .collect()
        };
        let bv = Sort::BitVec(width);
        let array = if logic == Logic::Arrays {
            Sort::array(Sort::Int, Sort::Int)
        } else {
            Sort::array(bv.clone(), bv.clone())
        };
        Gen {
            pool,
            bools: name("b", Sort::Bool),
            ints: name("i", Sort::Int),
            reals: name("r", Sort::Real),
            bvs: name("v", bv),
            arrays: name(if logic == Logic::Arrays { "a" } else { "m" }, array),
            rng,
            logic,
            width,
        }
    }

    pub fn formula(&mut self, depth: u32) -> Term {
        let p = self.pool;
        if depth == 0 || self.rng.one_in(6) {
            return self.literal();
        }
        match self.rng.below(10) {
            0..=2 => {
                let n = 2 + self.rng.below(3);
                let args: Vec<Term> = (0..n).map(|_| self.formula(depth - 1)).collect();
                p.and(args)
            }
            3..=6 => {
                let n = 2 + self.rng.below(3);
                let args: Vec<Term> = (0..n).map(|_| self.formula(depth - 1)).collect();
                p.or(args)
            }
            7 => {
                let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
                p.eq(a, b)
            }
            8 => {
                let (c, a, b) = (self.formula(depth - 1), self.formula(depth - 1), self.formula(depth - 1));
                p.ite(c, a, b)
            }
            _ => {
                let a = self.formula(depth - 1);
                p.not(a)
            }
        }
    }

    pub fn literal(&mut self) -> Term {
        let t = self.atom();
        if self.rng.one_in(2) { t } else { self.pool.not(t) }
    }

    fn atom(&mut self) -> Term {
        let p = self.pool;
        if self.logic == Logic::Bool || self.rng.one_in(5) {
            return *self.rng.one_of(&self.bools);
        }
        match self.logic {
            Logic::Bool => unreachable!(),
            Logic::Bv => self.bv_atom(),
            Logic::BvArrays => {
                if self.rng.one_in(3) {
                    let (a, b) = (self.array(2), self.array(2));
                    p.eq(a, b)
                } else {
                    self.bv_atom()
                }
            }
            Logic::Arrays if self.rng.one_in(3) => {
                let (a, b) = (self.array(2), self.array(2));
                p.eq(a, b)
            }
            Logic::Lra | Logic::Rdl => self.compare(Sort::Real),
            Logic::Mixed if self.rng.one_in(3) => self.bv_atom(),
            Logic::Lira | Logic::Mixed => {
                let sort = if self.rng.one_in(2) { Sort::Real } else { Sort::Int };
                self.compare(sort)
            }
            Logic::Convert if self.rng.one_in(2) => self.bv_atom(),
            _ => self.compare(Sort::Int),
        }
    }

    fn compare(&mut self, sort: Sort) -> Term {
        let p = self.pool;
        let (a, b) = match self.logic {
            Logic::Idl | Logic::Rdl => {
                let vars = if sort == Sort::Int { &self.ints } else { &self.reals };
                let (x, y) = (*self.rng.one_of(vars), *self.rng.one_of(vars));
                (p.sub(x, y), self.constant(&sort))
            }
            _ => (self.number(&sort, 2), self.number(&sort, 1)),
        };
        match self.rng.below(4) {
            0 => p.eq(a, b),
            1 => p.lt(a, b),
            _ => p.le(a, b),
        }
    }

    fn constant(&mut self, sort: &Sort) -> Term {
        let p = self.pool;
        if self.logic == Logic::Huge && self.rng.one_in(2) {
            let near = *self.rng.one_of(&[i64::MAX, i64::MIN + 1, 1 << 62, -(1 << 62), i64::MAX / 3]);
            let n = Integer::from(near) + self.rng.range(-2, 2);
            let n = if self.rng.one_in(4) { &n * &n } else { n };
            return p.number(Rational::from_integer(n), sort);
        }
        let n = self.rng.range(-8, 8);
        if *sort == Sort::Real && self.rng.one_in(2) {
            let d = self.rng.range(1, 4);
            return p.real(Rational::new(n.into(), d.into()));
        }
        p.number(Rational::from_integer(n.into()), sort)
    }

    /// An arithmetic term.
    fn number(&mut self, sort: &Sort, depth: u32) -> Term {
        let p = self.pool;
        let leaf = |me: &mut Self| -> Term {
            if me.rng.one_in(4) {
                return me.constant(sort);
            }
            let vars = if *sort == Sort::Int { &me.ints } else { &me.reals };
            let v = *me.rng.one_of(vars);
            if me.rng.one_in(3) {
                let k = if me.logic == Logic::Huge && me.rng.one_in(3) {
                    i64::MAX - me.rng.range(0, 3)
                } else {
                    me.rng.range(-4, 4)
                };
                return p.scale(&Rational::from_integer(k.into()), v);
            }
            v
        };
        if depth == 0 {
            return leaf(self);
        }
        let int = *sort == Sort::Int;
        match self.rng.below(12) {
            0..=4 => {
                let n = 2 + self.rng.below(2);
                let args: Vec<Term> = (0..n).map(|_| self.number(sort, depth - 1)).collect();
                p.add(args)
            }
            5 => {
                let c = self.literal_shallow();
                let (a, b) = (self.number(sort, depth - 1), self.number(sort, depth - 1));
                p.ite(c, a, b)
            }
            6 if int && matches!(self.logic, Logic::DivMod | Logic::Mixed) => {
                let a = self.number(sort, depth - 1);
                let k = p.int(self.rng.range(-5, 7));
                if self.rng.one_in(2) { p.int_div(a, k) } else { p.int_mod(a, k) }
            }
            7 if self.logic == Logic::DivMod => {
                let a = self.number(sort, depth - 1);
                let k = p.int(self.rng.range(-9, 12));
                if self.rng.one_in(2) { p.int_div(a, k) } else { p.int_mod(a, k) }
            }
            6 | 7 if self.logic == Logic::Lira || self.logic == Logic::Mixed => {
                if int {
                    let a = self.number(&Sort::Real, depth - 1);
                    p.to_int(a)
                } else {
                    let a = self.number(&Sort::Int, depth - 1);
                    p.to_real(a)
                }
            }
            6..=8 if self.logic == Logic::Arrays => {
                let a = self.array(1);
                let i = self.number(&Sort::Int, 0);
                p.select(a, i)
            }
            6 | 7 if self.logic == Logic::Nonlinear => {
                let (a, b) = (self.number(sort, depth - 1), self.number(sort, 0));
                match self.rng.below(4) {
                    0 => p.int_div(a, b),
                    1 => p.int_mod(a, b),
                    _ => p.mul(a, b),
                }
            }
            6..=8 if int && matches!(self.logic, Logic::Convert | Logic::Mixed) => {
                let v = self.bv(1);
                p.bv_to_int(v)
            }
            _ => leaf(self),
        }
    }

    fn literal_shallow(&mut self) -> Term {
        if self.rng.one_in(2) {
            return *self.rng.one_of(&self.bools);
        }
        self.literal()
    }

    fn bv_atom(&mut self) -> Term {
        let p = self.pool;
        let (a, b) = (self.bv(2), self.bv(2));
        match self.rng.below(5) {
            0 => p.bv_ule(a, b),
            1 => p.bv_ult(a, b),
            2 => p.bv_sle(a, b),
            3 => p.bv_slt(a, b),
            _ => p.eq(a, b),
        }
    }

    fn bv(&mut self, depth: u32) -> Term {
        let p = self.pool;
        let w = self.width;
        if depth == 0 || self.rng.one_in(4) {
            return if self.rng.one_in(3) {
                let mut value = Integer::from(self.rng.below(1 << w.min(8)));
                if w > 8 && self.rng.one_in(2) {
                    // Near a power of two, mostly the last.
                    let shift = if self.rng.one_in(2) { w - 1 } else { self.rng.below(w as usize) as u32 };
                    value = (Integer::from(1) << shift) - 2 + self.rng.below(4);
                    value = if value < Integer::from(0) { Integer::from(0) } else { value };
                }
                p.bitvec(value, w)
            } else {
                *self.rng.one_of(&self.bvs)
            };
        }
        let a = self.bv(depth - 1);
        if self.logic == Logic::BvArrays && self.rng.one_in(3) {
            let m = self.array(1);
            return p.select(m, a);
        }
        if matches!(self.logic, Logic::Convert | Logic::Mixed) && self.rng.one_in(3) {
            let i = self.number(&Sort::Int, 1);
            return p.int_to_bv(w, i);
        }
        let b = self.bv(depth - 1);
        match self.rng.below(20) {
            // Circuits of wide products and quotients are too large to solve many of.
            8..=13 if w > 8 => p.bv_add(a, b),
            0 => p.bv_not(a),
            1 => p.bv_neg(a),
            2 => p.bv_and(a, b),
            3 => p.bv_or(a, b),
            4 => p.bv_xor(a, b),
            5 | 6 => p.bv_add(a, b),
            7 => p.bv_sub(a, b),
            8 => p.bv_mul(a, b),
            9 => p.bv_udiv(a, b),
            10 => p.bv_urem(a, b),
            11 => p.bv_sdiv(a, b),
            12 => p.bv_srem(a, b),
            13 => p.bv_smod(a, b),
            14 => p.bv_shl(a, b),
            15 => p.bv_lshr(a, b),
            16 => p.bv_ashr(a, b),
            17 => {
                let c = self.literal_shallow();
                p.ite(c, a, b)
            }
            18 => {
                let k = self.rng.below(w as usize) as u32;
                p.extract(w - 1 + k, k, p.concat(a, b))
            }
            _ => {
                let wide = if self.rng.one_in(2) { p.sign_extend(w, a) } else { p.zero_extend(w, a) };
                let k = self.rng.below(w as usize + 1) as u32;
                p.extract(w - 1 + k, k, wide)
            }
        }
    }

    fn array(&mut self, depth: u32) -> Term {
        let p = self.pool;
        if depth == 0 || self.rng.one_in(3) {
            return *self.rng.one_of(&self.arrays);
        }
        let element =
            |me: &mut Self| if me.logic == Logic::Arrays { me.number(&Sort::Int, 0) } else { me.bv(0) };
        match self.rng.below(6) {
            0 => {
                let sort = p.sort(self.arrays[0]).clone();
                let v = element(self);
                p.const_array(&sort, v)
            }
            1 => {
                let c = self.literal_shallow();
                let (a, b) = (self.array(depth - 1), self.array(depth - 1));
                p.ite(c, a, b)
            }
            _ => {
                let a = self.array(depth - 1);
                let (i, v) = (element(self), element(self));
                p.store(a, i, v)
            }
        }
    }
}
