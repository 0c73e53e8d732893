//! The parts of a type that end where it ends. The address behind such a part is the one behind the whole,
//! but it may have other cells: members of a union have cells of their own, and so have parts without bytes.
//!
//! Entry point: [`Layouts::ends`].

use std::ops::Range;

use super::Layouts;
use crate::types::{Len, Type};

/// The end of a part.
pub struct End {
    /// The slots of the part.
    pub slots: Range<u32>,
    /// The cell behind it. All cells of a part without bytes are there.
    pub first: i128,
    pub last: i128,
}

impl End {
    fn moved(self, slot: u32, cells: i128) -> End {
        let slots = self.slots.start + slot..self.slots.end + slot;
        End { slots, first: self.first + cells, last: self.last + cells }
    }
}

impl Layouts<'_> {
    /// The ends of a type, and of the parts that end where it ends.
    pub fn ends(&self, ty: &Type) -> Vec<End> {
        let size = |ty: &Type| self.size(ty).unwrap_or_default();
        let last = self.cells(ty);
        let first = if size(ty) == 0 { 0 } else { last };
        let mut out = vec![End { slots: 0..self.slots(ty), first, last }];
        match ty {
            Type::Array(element, Len::Fixed(n)) if *n > 0 => {
                let before = self.cells(element) * (i128::from(*n) - 1);
                out.extend(self.ends(element).into_iter().map(|e| e.moved(0, before)));
            }
            Type::Record(r) => {
                for (k, f) in (0..).zip(self.unit.records.fields(*r)) {
                    if f.bit_field || i128::from(f.offset) + size(&f.ty) != size(ty) {
                        continue;
                    }
                    let (slot, first) = self.field(*r, k);
                    out.extend(self.ends(&f.ty).into_iter().map(|e| e.moved(slot, first)));
                }
            }
            _ => {}
        }
        out
    }
}
