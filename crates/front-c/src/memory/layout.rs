//! Slots and cells of types, and the leaves they have. See the [module above](super) for what these are.
//!
//! An array of unknown length (an allocated block, a flexible member) takes as many cells as any object can
//! have elements, so that addresses inside it never run into the next object.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::plain::Plain;
use crate::ir::Unit;
use crate::options::{COptions, DataModel, IntMode};
use crate::records::Field;
use crate::types::{Len, RecordId, Type};

/// An array dimension around a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Cells from one element to the next.
    pub stride: i128,
    /// How many elements.
    pub len: Len,
    /// Bytes from one element to the next; 0 if that is not constant.
    pub bytes: i128,
}

/// A union around a leaf.
#[derive(Clone, Copy, Debug)]
pub struct UnionStep {
    /// The slot of its tag, from the start of the outermost type.
    pub slot: u32,
    /// The member that the leaf is in.
    pub member: u32,
    /// The leaf is all of that member.
    pub whole: bool,
    /// The union.
    pub record: RecordId,
    /// Its first slot, from the start of the outermost type.
    pub first: u32,
    /// Its first bit when all indices are zero, from the start of the outermost type.
    pub bit: i128,
}

/// A scalar part of a type.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its slot, from the start of the type.
    pub slot: u32,
    /// Its cell when all indices are zero.
    pub offset: i128,
    /// The arrays around it, outermost first.
    pub dims: Vec<Dim>,
    /// A scalar type (or floating point that is not modelled, which is never accessed).
    pub ty: Type,
    /// The path to it, for names: `.f`, `.g.h`.
    pub path: String,
    /// The unions around it, outermost first.
    pub unions: Vec<UnionStep>,
    /// It is the tag of a union.
    pub tag: bool,
    /// A member on the way to it is `volatile`.
    pub volatile: bool,
    /// Its first bit when all indices are zero, from the start of the type.
    pub bit: i128,
    /// The bits that it takes in memory.
    pub width: u32,
    /// It is a bit-field.
    pub bit_field: bool,
}

impl Leaf {
    /// Is it in an array without elements? Then it lies where the next scalar does.
    pub fn is_nowhere(&self) -> bool {
        self.dims.iter().any(|d| d.len == Len::Fixed(0))
    }

    /// The first bit of the element at a cell, from the start of the type.
    pub fn bit_at(&self, cell: i128) -> i128 {
        let (mut rest, mut bit) = (cell - self.offset, self.bit);
        for d in &self.dims {
            bit += 8 * d.bytes * rest.div_euclid(d.stride);
            rest = rest.rem_euclid(d.stride);
        }
        bit
    }
}

/// Where a pointer may move so that counting cells is the same as counting bytes.
#[derive(Clone, Copy, Debug)]
pub enum Motion {
    /// In the whole object.
    Whole,
    /// In a part of a record.
    Inside(Room),
    /// Not known: there are several arrays around the record, or nothing of the pointee's type is there.
    Unknown,
}

/// A part of a record.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The cell where the array of the record begins (without an array, the object), from the start of the
    /// object.
    pub start: i128,
    /// The first cell of the part, from the start of the record.
    pub offset: i128,
    /// Its cells; the address behind the last belongs to it.
    pub cells: i128,
    /// The array around the record.
    pub repeats: Option<Dim>,
}

struct RecordLayout {
    slots: u32,
    cells: i128,
    fields: Vec<(u32, i128)>,
}

/// The leaves of records, and of arrays of them.
type LeavesOf = FxHashMap<(RecordId, Vec<Len>), Arc<[Leaf]>>;

/// Slots and cells of types.
pub struct Layouts<'u> {
    pub(super) unit: &'u Unit,
    /// The number of cells reserved for an array of unknown length: no object has more elements than this.
    span: i128,
    pub(super) model: DataModel,
    /// Integers have no bits.
    pub(super) math: bool,
    /// The unions that were asked about.
    pub(super) plain: RefCell<FxHashMap<RecordId, Option<Arc<Plain>>>>,
    records: RefCell<Vec<Option<Arc<RecordLayout>>>>,
    /// The leaves of records, and of arrays of them, that were asked about, and which of those of records are
    /// pointers: a struct of a driver has thousands.
    leaves: RefCell<LeavesOf>,
    pointers: RefCell<FxHashMap<RecordId, Arc<[u32]>>>,
}

impl<'u> Layouts<'u> {
    pub(super) fn new(unit: &'u Unit, options: &COptions) -> Self {
        // Objects are not larger than half the address space.
        let bits =
            if options.int_mode == IntMode::Math || options.data_model == DataModel::Lp64 { 47 } else { 31 };
        let records = RefCell::new(vec![None; unit.records.all.len()]);
        let math = options.int_mode == IntMode::Math;
        let (model, plain) = (options.data_model, RefCell::default());
        let (leaves, pointers) = (RefCell::default(), RefCell::default());
        Layouts { unit, span: 1 << bits, model, math, plain, records, leaves, pointers }
    }

    /// The program whose types these are.
    pub(super) fn unit(&self) -> &'u Unit {
        self.unit
    }

    /// The most elements an array of unknown length can have.
    pub fn span(&self) -> i128 {
        self.span
    }

    fn record(&self, r: RecordId) -> Arc<RecordLayout> {
        if let Some(l) = &self.records.borrow()[r.0 as usize] {
            return l.clone();
        }
        let (mut slots, mut cells) = (0, 0);
        let mut fields = Vec::new();
        for f in self.unit.records.fields(r) {
            fields.push((slots, cells));
            slots += self.slots(&f.ty);
            cells += self.cells(&f.ty);
        }
        if self.unit.records.get(r).union {
            slots += 1;
            cells += 1;
        }
        let layout = Arc::new(RecordLayout { slots: slots.max(1), cells: cells.max(1), fields });
        self.records.borrow_mut()[r.0 as usize] = Some(layout.clone());
        layout
    }

    /// The number of slots of a type.
    pub fn slots(&self, ty: &Type) -> u32 {
        match ty {
            Type::Array(t, _) => self.slots(t),
            Type::Record(r) => self.record(*r).slots,
            _ => 1,
        }
    }

    /// The number of cells of a type.
    pub fn cells(&self, ty: &Type) -> i128 {
        match ty {
            Type::Array(t, Len::Fixed(n)) => self.cells(t) * i128::from(*n),
            Type::Array(t, _) => self.cells(t) * self.span,
            Type::Record(r) => self.record(*r).cells,
            _ => 1,
        }
    }

    /// The size of a type in bytes, if it is constant.
    pub fn size(&self, ty: &Type) -> Option<i128> {
        self.unit.records.size_of(ty, self.model).map(i128::from)
    }

    /// The member of unknown length that a struct ends in: where it begins in bytes and cells, and its
    /// elements.
    pub fn flexible(&self, ty: &Type) -> Option<(i128, i128, Type)> {
        let Type::Record(r) = ty else { return None };
        let k = self.unit.records.fields(*r).len().checked_sub(1)?;
        let last = &self.unit.records.fields(*r)[k];
        match &last.ty {
            Type::Array(element, Len::Unknown) if !self.unit.records.get(*r).union => {
                let (_, cells) = self.field(*r, k as u32);
                Some((i128::from(last.offset), cells, (**element).clone()))
            }
            _ => None,
        }
    }

    /// Does a type of constant size have bits that belong to no scalar? Its unions are plain.
    pub fn is_padded(&self, ty: &Type) -> bool {
        let ty = match ty {
            Type::Array(element, Len::Unknown) => element,
            ty => ty,
        };
        let count = |l: &Leaf| {
            let each = |d: &Dim| match d.len {
                Len::Fixed(n) => i128::from(n),
                _ => 1,
            };
            i128::from(l.width) * l.dims.iter().map(each).product::<i128>()
        };
        let bits: i128 = self.byte_leaves(ty).unwrap_or_default().iter().map(count).sum();
        self.size(ty).is_some_and(|n| bits < 8 * n)
    }

    /// The alignment of a type in bytes.
    pub fn align(&self, ty: &Type) -> i128 {
        i128::from(self.unit.records.align_of(ty, self.model))
    }

    /// Slot and cell of a member.
    pub fn field(&self, r: RecordId, k: u32) -> (u32, i128) {
        self.record(r).fields[k as usize]
    }

    /// Slot and cell of the tag of a union.
    pub fn tag(&self, r: RecordId) -> (u32, i128) {
        let l = self.record(r);
        (l.slots - 1, l.cells - 1)
    }

    /// All leaves of a type.
    pub fn leaves(&self, ty: &Type) -> Arc<[Leaf]> {
        let all = || (0..self.slots(ty)).filter_map(|slot| self.leaf(ty, slot)).collect();
        let (mut element, mut lengths) = (ty, Vec::new());
        while let Type::Array(t, n) = element {
            lengths.push(*n);
            element = t;
        }
        let Type::Record(r) = element else { return all() };
        let key = (*r, lengths);
        if let Some(known) = self.leaves.borrow().get(&key) {
            return Arc::clone(known);
        }
        let leaves: Arc<[Leaf]> = all();
        self.leaves.borrow_mut().insert(key, Arc::clone(&leaves));
        leaves
    }

    /// The slots of a type that are pointers.
    pub fn pointer_slots(&self, ty: &Type) -> Arc<[u32]> {
        match ty {
            Type::Array(element, _) => self.pointer_slots(element),
            Type::Record(r) => {
                if let Some(known) = self.pointers.borrow().get(r) {
                    return Arc::clone(known);
                }
                let leaves = self.leaves(ty);
                let pointers = leaves.iter().filter(|l| matches!(l.ty, Type::Pointer(_)));
                let slots: Arc<[u32]> = pointers.map(|l| l.slot).collect();
                self.pointers.borrow_mut().insert(*r, Arc::clone(&slots));
                slots
            }
            Type::Pointer(_) => Arc::from([0]),
            _ => Arc::from([]),
        }
    }

    /// The first slot of the outermost union that a slot is in; the slot itself outside of unions.
    pub fn joined(&self, ty: &Type, slot: u32) -> u32 {
        let (mut ty, mut rest, mut first) = (ty, slot, 0);
        loop {
            match ty {
                Type::Array(t, _) => ty = t,
                Type::Record(r) => {
                    let layout = self.record(*r);
                    if rest >= layout.slots {
                        return slot;
                    }
                    if self.unit.records.get(*r).union {
                        return first;
                    }
                    let Some(k) = layout.fields.partition_point(|f| f.0 <= rest).checked_sub(1) else {
                        return slot;
                    };
                    rest -= layout.fields[k].0;
                    first += layout.fields[k].0;
                    ty = &self.unit.records.fields(*r)[k].ty;
                }
                _ => return slot,
            }
        }
    }

    /// The leaf at a slot.
    pub fn leaf(&self, ty: &Type, slot: u32) -> Option<Leaf> {
        self.descend(ty, slot, None)
    }

    /// The unions around the outermost part of this type at the slot; `None` if there is no such part.
    pub fn around(&self, ty: &Type, slot: u32, part: &Type) -> Option<Vec<UnionStep>> {
        self.descend(ty, slot, Some(part)).map(|found| found.unions)
    }

    /// The bits of a member, if its size is constant.
    pub fn field_bits(&self, f: &Field) -> Option<i128> {
        match &f.ty {
            Type::Int(t) if f.bit_field => Some(i128::from(t.bits)),
            ty => self.size(ty).map(|n| 8 * n),
        }
    }

    /// Does a leaf lie behind all other members of a union around it, so that they share no bit with it?
    pub fn is_behind(&self, leaf: &Leaf, u: &UnionStep) -> bool {
        let fields = self.unit.records.fields(u.record).iter().enumerate();
        fields.filter(|(k, _)| *k != u.member as usize).all(|(_, f)| {
            let end = self.field_bits(f).map(|bits| i128::from(f.bit_offset) + bits);
            end.is_some_and(|end| end <= leaf.bit - u.bit)
        })
    }

    /// Goes down to a slot, to the scalar there or to the first part of the type `until`.
    fn descend(&self, ty: &Type, slot: u32, until: Option<&Type>) -> Option<Leaf> {
        let (mut ty, mut slot) = (ty.clone(), slot);
        let mut leaf = Leaf {
            slot: 0,
            offset: 0,
            dims: Vec::new(),
            ty: Type::Void,
            path: String::new(),
            unions: Vec::new(),
            tag: false,
            volatile: false,
            bit: 0,
            width: 0,
            bit_field: false,
        };
        loop {
            if until.is_some_and(|t| slot == 0 && self.same_shape(&ty, t)) {
                return Some(leaf);
            }
            if let (Type::Array(..) | Type::Record(_), Some(u)) = (&ty, leaf.unions.last_mut()) {
                u.whole = false;
            }
            match &ty {
                Type::Array(t, len) => {
                    let bytes = self.size(t).unwrap_or(0);
                    leaf.dims.push(Dim { stride: self.cells(t), len: *len, bytes });
                    ty = (**t).clone();
                }
                Type::Record(r) => {
                    let r = *r;
                    let layout = self.record(r);
                    if slot >= layout.slots {
                        return None;
                    }
                    let union = self.unit.records.get(r).union;
                    if union && slot == layout.slots - 1 {
                        leaf.path.push_str(".#member");
                        leaf.offset += layout.cells - 1;
                        let slot = leaf.slot + slot;
                        return until.is_none().then_some(Leaf { slot, ty: Type::INT, tag: true, ..leaf });
                    }
                    let k = layout.fields.partition_point(|f| f.0 <= slot).checked_sub(1)?;
                    let field = &self.unit.records.fields(r)[k];
                    let (s, c) = layout.fields[k];
                    if union {
                        let tag = leaf.slot + layout.slots - 1;
                        let (member, first, bit) = (k as u32, leaf.slot, leaf.bit);
                        leaf.unions.push(UnionStep { slot: tag, member, whole: true, record: r, first, bit });
                    }
                    if !field.name.is_empty() {
                        leaf.path.push('.');
                        leaf.path.push_str(&field.name);
                    }
                    leaf.volatile |= field.volatile;
                    leaf.bit += i128::from(field.bit_offset);
                    leaf.bit_field = field.bit_field;
                    slot -= s;
                    leaf.slot += s;
                    leaf.offset += c;
                    ty = field.ty.clone();
                }
                _ => {
                    let width = match &ty {
                        Type::Int(t) if leaf.bit_field => t.bits,
                        ty => 8 * self.size(ty).unwrap_or(0) as u32,
                    };
                    return (slot == 0 && until.is_none()).then_some(Leaf { ty, width, ..leaf });
                }
            }
        }
    }

    /// Is there a part of this type at the slot that pointer arithmetic on `pointee` steps through correctly?
    pub fn steps(&self, ty: &Type, slot: u32, pointee: &Type) -> bool {
        if slot == 0 && self.same_shape(ty, pointee) {
            return true;
        }
        match ty {
            Type::Array(t, _) => self.steps(t, slot, pointee),
            Type::Record(r) => {
                let layout = self.record(*r);
                let Some(k) = layout.fields.partition_point(|f| f.0 <= slot).checked_sub(1) else {
                    return false;
                };
                let (field, rest) = (&self.unit.records.fields(*r)[k], slot - layout.fields[k].0);
                rest < self.slots(&field.ty) && self.steps(&field.ty, rest, pointee)
            }
            _ => false,
        }
    }

    /// Where arithmetic on a pointer to the slot may move. Inside a record, cells and bytes count the same
    /// only in an array member of the pointee's type, in a single member, and in an inner record that
    /// consists of such elements without padding.
    pub fn motion(&self, ty: &Type, slot: u32, pointee: &Type) -> Motion {
        let (mut ty, mut slot) = (ty, slot);
        let mut room = Room { start: 0, offset: 0, cells: 0, repeats: None };
        let (mut in_record, mut arrays) = (false, 0);
        loop {
            let mut element = ty;
            while let Type::Array(t, _) = element {
                element = t;
            }
            let fits = slot == 0 && (self.same_shape(ty, pointee) || self.same_shape(element, pointee));
            if fits || self.is_even(ty, pointee) {
                room.cells = self.cells(ty);
                return match (in_record, arrays) {
                    (false, _) => Motion::Whole,
                    (true, 0 | 1) => Motion::Inside(room),
                    (true, _) => Motion::Unknown,
                };
            }
            match ty {
                Type::Array(t, len) => {
                    arrays += 1;
                    room.start += room.offset;
                    room.offset = 0;
                    let bytes = self.size(t).unwrap_or(0);
                    room.repeats = Some(Dim { stride: self.cells(t), len: *len, bytes });
                    ty = t;
                }
                Type::Record(r) => {
                    in_record = true;
                    let layout = self.record(*r);
                    let k = layout.fields.partition_point(|f| f.0 <= slot).checked_sub(1);
                    let Some((k, &(s, c))) = k.and_then(|k| Some((k, layout.fields.get(k)?))) else {
                        return Motion::Unknown;
                    };
                    slot -= s;
                    room.offset += c;
                    ty = &self.unit.records.fields(*r)[k].ty;
                }
                _ => return Motion::Unknown,
            }
        }
    }

    /// May arithmetic on a pointer to the slot lead to other slots? In a record that consists of such
    /// elements it may.
    pub fn strays(&self, ty: &Type, slot: u32, pointee: &Type) -> bool {
        let (mut ty, mut slot) = (ty, slot);
        loop {
            let mut element = ty;
            while let Type::Array(t, _) = element {
                element = t;
            }
            if slot == 0 && (self.same_shape(ty, pointee) || self.same_shape(element, pointee)) {
                return false;
            }
            if self.is_even(ty, pointee) {
                return true;
            }
            match ty {
                Type::Array(t, _) => ty = t,
                Type::Record(r) => {
                    let layout = self.record(*r);
                    let k = layout.fields.partition_point(|f| f.0 <= slot).checked_sub(1);
                    let Some((k, &(s, _))) = k.and_then(|k| Some((k, layout.fields.get(k)?))) else {
                        return true;
                    };
                    slot -= s;
                    ty = &self.unit.records.fields(*r)[k].ty;
                }
                _ => return true,
            }
        }
    }

    /// Does a record consist of elements of this type without padding?
    fn is_even(&self, ty: &Type, element: &Type) -> bool {
        let (Type::Record(r), Type::Int(t)) = (ty, element) else { return false };
        let bytes = i128::from(self.unit.records.get(*r).size);
        i128::from(t.bits / 8) * self.cells(ty) == bytes
            && self.leaves(ty).iter().all(|l| self.same_shape(&l.ty, element))
    }

    /// Do the addresses of all parts compare like their bytes? In a union parts are at one place. `behind`:
    /// pointers move, so that one may be behind an array and in front of padding.
    pub fn is_in_order(&self, ty: &Type, behind: bool) -> bool {
        match ty {
            Type::Array(element, len) => *len != Len::Fixed(0) && self.is_in_order(element, behind),
            Type::Record(r) => {
                let (record, fields) = (self.unit.records.get(*r), self.unit.records.fields(*r));
                let open = fields.iter().any(|f| matches!(f.ty, Type::Array(_, Len::Unknown)));
                let mut end = 0;
                let dense = fields.iter().all(|f| {
                    let begins = std::mem::replace(&mut end, f.bit_offset);
                    end += self.field_bits(f).unwrap_or(0) as u64;
                    begins == f.bit_offset
                });
                let fits = !behind || dense && end == record.size * 8;
                !record.union
                    && !open
                    && record.size > 0
                    && fits
                    && fields.iter().all(|f| self.is_in_order(&f.ty, behind))
            }
            _ => true,
        }
    }

    /// Where a struct is in a type, outside of unions: its first byte where all indices are zero, and the
    /// arrays around it.
    pub fn places_of(&self, ty: &Type, part: &Type) -> Vec<(i128, Vec<Dim>)> {
        let mut out = Vec::new();
        let mut work = vec![(ty, 0, Vec::new())];
        while let Some((ty, first, dims)) = work.pop() {
            if self.same_shape(ty, part) {
                out.push((first, dims));
                continue;
            }
            match ty {
                Type::Array(element, len) => {
                    let (stride, bytes) = (self.cells(element), self.size(element).unwrap_or(0));
                    let dims = dims.into_iter().chain([Dim { stride, len: *len, bytes }]).collect();
                    work.push((&**element, first, dims));
                }
                Type::Record(r) if !self.unit.records.get(*r).union => {
                    let parts = self.unit.records.fields(*r).iter().filter(|f| !f.bit_field);
                    work.extend(parts.map(|f| (&f.ty, first + i128::from(f.offset), dims.clone())));
                }
                _ => {}
            }
        }
        out
    }

    fn same_shape(&self, a: &Type, b: &Type) -> bool {
        self.unit.records.same_shape(a, b)
    }
}
