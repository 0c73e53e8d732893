//! Pointers as integers, and integers as pointers.
//!
//! `crate::numbers` says which objects have a number. A pointer into one is the number of the object plus the
//! bytes before the place. An integer is a pointer into the object whose bytes have that number; one that is
//! in none of the objects that it may have been computed from is not supported. One that comes from no
//! address is the place of registers, if it becomes a pointer to `volatile` objects. With `--undefined
//! arbitrary`, if no pointer becomes an integer or is given to functions without body or assembly, integers
//! lead to no object.
//!
//! Entry points: [`Encoder::start_numbers`], [`Encoder::number_of`], [`Encoder::pointer_from`].

use palisade_term::Term;

use super::state::Otherwise;
use super::{Encoder, VarKey};
use crate::domain::Val;
use crate::ir::{CmpOp, Expr, OpenChoice};
use crate::memory::{CONSTANTS, ObjectId};
use crate::numbers::{ANY_ADDRESS, Numbered};
use crate::options::UndefinedMemory;
use crate::points_to::Target;
use crate::types::IntType;

/// The highest address of a register that is computed.
const MOST_REGISTERS: i128 = 1 << 40;

impl Encoder<'_> {
    /// The type of numbers that hold an address.
    fn number_type(&self) -> IntType {
        IntType::new(self.options.data_model.word(), false)
    }

    /// The number of the first byte of an object.
    fn first_number(&mut self, n: &Numbered) -> Val {
        let multiple = self.counter(VarKey::Number(n.object));
        let number = self.domain.address_scale(self.get(multiple), n.align);
        Val { zeros: n.align.trailing_zeros(), ..self.domain.address_to_int(number, self.number_type()) }
    }

    /// The number behind the last byte of an object.
    fn last_number(&mut self, n: &Numbered) -> Val {
        let first = self.first_number(n);
        let first = self.domain.to_address(first, self.number_type());
        let last = self.domain.address_add(first, self.domain.address(n.size));
        self.domain.address_to_int(last, self.number_type())
    }

    /// Chooses the numbers of objects: aligned, not null, disjoint.
    pub(super) fn start_numbers(&mut self) {
        let (word, all) = (self.number_type(), self.numbers.all.clone());
        let at_most = |s: &Self, a: Val, b: Val| s.domain.compare(CmpOp::Le, word, a, b);
        for (k, n) in all.iter().enumerate() {
            let first = self.first_number(n);
            let legal = self.domain.range(first.term, word).unwrap_or(self.pool.tru());
            let least = at_most(self, self.domain.constant(1, word), first);
            let most = at_most(self, first, self.domain.constant(word.max() - n.size, word));
            let fits = self.pool.and([legal, least, most]);
            self.require(fits, &Otherwise::Chosen);
            self.placement = self.pool.and2(self.placement, fits);
            for other in &all[..k] {
                let second = self.first_number(other);
                let (end, second_end) = (self.last_number(n), self.last_number(other));
                let apart = self.pool.or2(at_most(self, end, second), at_most(self, second_end, first));
                self.require(apart, &Otherwise::Chosen);
                self.placement = self.pool.and2(self.placement, apart);
            }
        }
    }

    /// A pointer as an integer.
    pub(super) fn number_of(&mut self, pointer: &Expr, e: &Expr, ty: IntType) -> Val {
        let address = self.pointer(pointer);
        if self.placed_flag().is_none() {
            self.unsupported("a pointer used as an integer", e.span);
        }
        // Null is 0 here and on the machine; what has no number may have any.
        let is_null = self.pool.eq(address, self.domain.address(0));
        let any = self.arbitrary(ANY_ADDRESS, &crate::types::Type::Int(ty));
        let zero = self.domain.constant(0, ty);
        let mut value = self.pool.ite(is_null, zero.term, any);
        let (mut known, mut fewest_zeros) = (vec![is_null], None::<u32>);
        let targets = self.targets_of(pointer);
        for n in self.among(&targets) {
            let inside = self.in_reach(n.object, address);
            let first = self.first_number(&n);
            let first = self.domain.to_address(first, self.number_type());
            let cells = self.domain.address_sub(address, self.domain.address(self.memory.get(n.object).base));
            let bytes = self.domain.address_scale(cells, n.unit);
            let number = self.domain.address_add(first, bytes);
            let number = self.domain.address_to_int(number, self.number_type());
            let number = self.domain.convert(number, self.number_type(), ty);
            value = self.pool.ite(inside, number.term, value);
            known.push(inside);
            let zeros = (n.unit.trailing_zeros()).min(n.align.trailing_zeros());
            fewest_zeros = Some(fewest_zeros.map_or(zeros, |z| z.min(zeros)));
        }
        let unknown = self.pool.not(self.pool.or(known));
        let open = if self.numbers.followed { unknown } else { self.pool.not(is_null) };
        self.set_placed(open);
        let value = self.domain.variable(value, ty);
        // Only if there is nothing but objects of which that is known.
        let all_known = targets.iter().all(|t| self.is_numbered(*t)) && unknown == self.pool.fls();
        Val { zeros: fewest_zeros.filter(|_| all_known).unwrap_or(0), ..value }
    }

    /// An integer as a pointer.
    pub(super) fn pointer_from(&mut self, number: &Expr, e: &Expr) -> Term {
        let ty = number.ty.as_int().unwrap_or(IntType::INT);
        let targets = self.targets_of(e);
        if self.memory.leads_to_registers(&e.ty) && targets.iter().all(|t| *t == Target::Fixed) {
            return self.register(number, ty, e);
        }
        let objects = self.among(&targets);
        // If no address is a number or given away, it comes from none, and what is there is not of the
        // program. (Where some are, conditions may carry an address to a number bit by bit.)
        let assembly = |c: &OpenChoice| matches!(c, OpenChoice::Assembly(_));
        let strange = !self.placed
            && targets.is_empty()
            && self.points_to.escaped().is_empty()
            && !self.unit.open.iter().any(assembly)
            && self.options.undefined == UndefinedMemory::Arbitrary
            && !self.options.checks.memory();
        if ty.bits < self.number_type().bits || (objects.is_empty() && !strange) {
            self.unsupported("an integer used as a pointer", e.span);
            return self.domain.address(0);
        }
        let value = self.int(number);
        let value = self.domain.convert(value, ty, self.number_type());
        let at = self.domain.to_address(value, self.number_type());
        let null = self.domain.address(0);
        let is_null = self.pool.eq(at, null);
        if strange {
            let anywhere = self.unknown_pointer("pointer");
            let somewhere = self.pool.not(self.pool.eq(anywhere, null));
            self.require(self.pool.or2(is_null, somewhere), &Otherwise::Chosen);
            self.set_open(self.pool.not(is_null));
            self.note("that numbers that come from no address lead to no object", e.span);
            return self.pool.ite(is_null, null, anywhere);
        }
        let (mut address, mut known) = (null, vec![is_null]);
        for n in objects {
            let (first, last) = (self.first_number(&n), self.last_number(&n));
            let first = self.domain.to_address(first, self.number_type());
            let last = self.domain.to_address(last, self.number_type());
            let bytes = self.domain.address_sub(at, first);
            let zero = self.domain.address(0);
            let size = self.domain.address(n.size);
            let mut inside =
                self.pool.and2(self.domain.address_le(zero, bytes), self.domain.address_le(bytes, size));
            // The number behind an object may be the first of another one.
            for other in self.numbers.all.clone().iter().filter(|o| o.object != n.object) {
                let second = self.first_number(other);
                let second = self.domain.to_address(second, self.number_type());
                let both = self.pool.and2(self.pool.eq(at, last), self.pool.eq(at, second));
                inside = self.pool.and2(inside, self.pool.not(both));
            }
            let mut cells = bytes;
            if n.unit > 1 {
                cells = self.domain.address_div(bytes, n.unit);
                let whole = self.pool.eq(self.domain.address_scale(cells, n.unit), bytes);
                inside = self.pool.and2(inside, whole);
            }
            let base = self.domain.address(self.memory.get(n.object).base);
            address = self.pool.ite(inside, self.domain.address_add(base, cells), address);
            known.push(inside);
        }
        let what = format!("an integer used as a pointer, {}", self.position(e.span));
        self.require(self.pool.or(known), &Otherwise::Unsupported(what.into()));
        self.pool.ite(is_null, null, address)
    }

    /// A number that comes from no address as a pointer to a register, like a constant.
    fn register(&mut self, number: &Expr, ty: IntType, e: &Expr) -> Term {
        let value = self.int(number);
        let value = self.domain.convert(value, ty, self.number_type());
        let at = self.domain.to_address(value, self.number_type());
        let (null, first) = (self.domain.address(0), self.domain.address(CONSTANTS));
        let is_null = self.pool.eq(at, null);
        let near = self.domain.address_le(at, self.domain.address(MOST_REGISTERS));
        let what = format!("a pointer to a register at this address, {}", self.position(e.span));
        self.require(near, &Otherwise::Unsupported(what.into()));
        self.note("that no object of the program lies at an address that it computes as a number", e.span);
        self.pool.ite(is_null, null, self.domain.address_add(first, at))
    }

    fn targets_of(&self, e: &Expr) -> Vec<Target> {
        self.points_to.targets(e, self.instance, self.instances, self.memory)
    }

    fn is_numbered(&self, t: Target) -> bool {
        matches!(t, Target::Object(o, _) if self.numbers.all.iter().any(|n| n.object == o))
    }

    /// The objects with numbers among the targets of a pointer.
    fn among(&self, targets: &[Target]) -> Vec<Numbered> {
        let is = |o: ObjectId, t: &Target| matches!(t, Target::Object(x, _) if *x == o);
        let all = self.numbers.all.iter().filter(|n| targets.iter().any(|t| is(n.object, t)));
        all.copied().collect()
    }
}
