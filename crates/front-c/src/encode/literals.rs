//! Which literals a compiler may put into one place: strings (C11 6.4.5p7), and compound literals of
//! constants (6.5.2.5p7). Two strings share bytes only where these are equal; gcc does that for equal
//! strings, and for one that is the end of another one. clang also puts a literal where a `const` variable of
//! the same type has the same value.
//!
//! Entry point: [`Encoder::check_literals`].

use palisade_term::Term;

use super::Encoder;
use super::state::Otherwise;
use crate::ir::{Expr, Place, PlaceKind, Span, VarRef};
use crate::memory::ObjectId;
use crate::types::{Len, Type};

/// The most pairs of literals that are looked at for one comparison.
const MOST_PAIRS: usize = 10_000;

/// The most characters that are compared.
const LONGEST: u64 = 4096;

impl Encoder<'_> {
    /// Demands that pointers into two literals that may share bytes are not compared. The objects are what
    /// the two pointers may point to.
    pub(super) fn check_literals(&mut self, objects: [&[ObjectId]; 2], at: [Term; 2], span: Span) {
        let p = self.pool;
        let constants = |all: &[ObjectId]| {
            let all = all.iter().copied();
            all.filter(|o| self.is_literal(*o) || self.is_constant(*o)).collect::<Vec<_>>()
        };
        let (first, second) = (constants(objects[0]), constants(objects[1]));
        let all = first.len() * second.len() > MOST_PAIRS;
        let mut unclear = Vec::new();
        for &a in &first {
            let others = second.iter().copied().filter(|&b| {
                let literal = self.is_literal(a) || self.is_literal(b);
                a != b && literal && (all || self.may_share(a, b))
            });
            let others = p.or(others.map(|b| self.in_reach(b, at[1])).collect::<Vec<_>>());
            if others != p.fls() {
                unclear.push(p.and2(self.in_reach(a, at[0]), others));
            }
        }
        let what = format!("comparison of two literals, {}", self.position(span));
        self.require(p.not(p.or(unclear)), &Otherwise::Unsupported(what.into()));
    }

    /// Is it a literal that may be in one place with others?
    pub(super) fn is_literal(&self, o: ObjectId) -> bool {
        let text = self.unit.globals.get(o.0 as usize).is_some_and(|g| g.literal);
        text || self.memory.variable(o, self.instances).is_some_and(|var| var.shared)
    }

    /// Is it a `const` variable of the program, whose value the compiler sees?
    fn is_constant(&self, o: ObjectId) -> bool {
        self.unit.globals.get(o.0 as usize).is_some_and(|g| g.var.constant && !g.external)
    }

    /// May two literals share bytes, or a literal and a constant variable?
    fn may_share(&self, a: ObjectId, b: ObjectId) -> bool {
        let literals = self.is_literal(a) && self.is_literal(b);
        if !literals && self.memory.get(a).ty != self.memory.get(b).ty {
            return false;
        }
        let (Some((width, a)), Some((other, b))) = (self.characters(a), self.characters(b)) else {
            return true;
        };
        // The second begins so many characters behind the first, or the other way round.
        let overlaps =
            |a: &[i128], b: &[i128]| (0..a.len()).any(|by| a[by..].iter().zip(b).all(|(x, y)| x == y));
        width != other || overlaps(&a, &b) || overlaps(&b, &a)
    }

    /// The characters of a string, or of a constant array, with their width.
    fn characters(&self, o: ObjectId) -> Option<(u32, Vec<i128>)> {
        let global = self.unit.globals.get(o.0 as usize)?;
        let Type::Array(element, Len::Fixed(n)) = &global.var.ty else { return None };
        let Type::Int(ty) = **element else { return None };
        if *n > LONGEST {
            return None;
        }
        let mut out = vec![0; usize::try_from(*n).ok()?];
        for (place, value) in &global.init {
            let (k, value) = character(place, value)?;
            *out.get_mut(k)? = value;
        }
        Some((ty.bits, out))
    }
}

/// The element of a string that is initialised, and its value.
fn character(place: &Place, value: &Expr) -> Option<(usize, i128)> {
    let PlaceKind::Index(base, index) = &place.kind else { return None };
    let PlaceKind::Var(VarRef::Global(_)) = base.kind else { return None };
    Some((usize::try_from(index.as_const()?).ok()?, value.as_const()?))
}
