//! Pointers that move: blocks of one allocation that is executed repeatedly, and pointers that leave their
//! object.
//!
//! Addresses are made up, so a pointer that moves too far could arrive in another object, and an access
//! through it would look like one to that object. This must not happen where a pointer may point to several
//! objects, or to one of many blocks: there a pointer that leaves its object (or the address behind it)
//! becomes [`NOWHERE`]. Each access through it is one outside all objects. To move on from there, or to
//! compare it, is unsupported: C leaves it undefined, but the machine would come back. Objects that pointers
//! see as bytes, but for blocks that are allocated repeatedly, have a margin around them that no other object
//! has a part of. A pointer that leaves one of them for its margin keeps its address, and may come back: so
//! do lists of the Linux kernel, whose head is taken for a part of an element. There it is compared with
//! pointers to the same object only.
//!
//! The blocks of an object that holds many begin at multiples of [`Object::block`](crate::memory::Object)
//! cells, and each is shorter than that.
//!
//! Entry points: [`Encoder::moved`] for arithmetic, [`Encoder::offset_in_block`] and
//! [`Encoder::block_length`] for accesses.

use palisade_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::state::Otherwise;
use super::{Encoder, VarKey};
use crate::inline::InstanceId;
use crate::ir::{Expr, ExprKind, Part, Place, PlaceKind, Span};
use crate::memory::{Dim, NOWHERE, ObjectId};
use crate::numbers::becomes_pointer;
use crate::options::UndefinedMemory;
use crate::points_to::Target;
use crate::types::Len;

/// What the program does with pointers into objects.
pub(super) struct Motions {
    /// There is arithmetic on pointers into them.
    walked: FxHashSet<ObjectId>,
    /// So is there on pointers to memory of the environment; they move forward.
    outside: bool,
    /// A pointer that is used for accesses may point to them or to something else.
    mixed: FxHashSet<ObjectId>,
    /// All arithmetic moves pointers into them by multiples of so many cells.
    steps: FxHashMap<ObjectId, i128>,
}

impl Encoder<'_> {
    /// Is there arithmetic on pointers into the object? Only then can one point behind it.
    pub(super) fn is_walked(&mut self, o: ObjectId) -> bool {
        self.motions().walked.contains(&o)
    }

    /// Do pointers to memory of the environment move forward? Only then can one point behind an object there.
    pub(super) fn is_environment_walked(&mut self) -> bool {
        self.motions().outside
    }

    /// May a pointer into the object become [`NOWHERE`]? If the object ends, one that has left it must not
    /// come back.
    pub(super) fn may_leave(&mut self, o: ObjectId) -> bool {
        self.options.undefined != UndefinedMemory::Assume
            && self.is_walked(o)
            && (self.memory.is_many(o) || self.may_hide(o) || self.motions().mixed.contains(&o))
    }

    /// Can a pointer to a member of an element, which moves over elements of another size, be at another
    /// member, or at another array inside of the element?
    pub(super) fn may_be_between(&mut self, o: ObjectId, dims: &[Dim]) -> bool {
        let Some(step) = self.motions().steps.get(&o).copied() else { return false };
        dims.iter().enumerate().any(|(k, d)| {
            let inner = match dims.get(k + 1) {
                None => 1,
                Some(Dim { len: Len::Fixed(n), stride, .. }) => i128::from(*n) * stride,
                // Rows of variable length are as long as an element.
                Some(_) => d.stride,
            };
            d.stride > inner && step % d.stride != 0
        })
    }

    fn motions(&mut self) -> &Motions {
        if self.motions.is_none() {
            self.motions = Some(self.find_motions());
        }
        self.motions.as_ref().expect("just made")
    }

    fn find_motions(&self) -> Motions {
        let (walked, mixed, steps) = Default::default();
        let mut out = Motions { walked, outside: false, mixed, steps };
        let targets = |e: &Expr, i| self.points_to.targets(e, i, self.instances, self.memory);
        let mut note = |part: Part<'_>, i: InstanceId| match part {
            Part::Expr(e) => {
                let moves = match &e.kind {
                    ExprKind::PtrAdd(_, by, _) => by.as_const() != Some(0),
                    ExprKind::Address(p) => is_indexed(p) || self.may_be_behind(p),
                    // The integer may have been computed.
                    ExprKind::Cast(_) => becomes_pointer(e).is_some(),
                    _ => false,
                };
                // What is indexed from a named object has an index in range, or is not accessed.
                let step = match &e.kind {
                    ExprKind::PtrAdd(base, by, _) => {
                        let cells = base.ty.pointee().map_or(1, |t| self.memory.layouts.cells(t));
                        Some(cells * by.as_const().unwrap_or(1))
                    }
                    ExprKind::Cast(_) => Some(1),
                    _ => None,
                };
                if moves {
                    let targets = targets(e, i);
                    let back =
                        matches!(&e.kind, ExprKind::PtrAdd(_, by, _) if by.as_const().is_some_and(|n| n < 0));
                    out.outside |=
                        !back && targets.iter().any(|t| matches!(t, Target::Unknown | Target::Foreign));
                    let objects: Vec<ObjectId> = targets.into_iter().filter_map(object).collect();
                    for (o, step) in objects.iter().filter_map(|o| Some((*o, step?))) {
                        let known = out.steps.entry(o).or_insert(0);
                        *known = gcd(*known, step.abs());
                    }
                    out.walked.extend(objects);
                } else if matches!(e.kind, ExprKind::Address(_)) {
                    // In bytes, the members of another type may lie beyond the object.
                    let objects = targets(e, i).into_iter().filter_map(object);
                    out.walked.extend(objects.filter(|o| self.memory.get(*o).as_bytes));
                }
            }
            Part::Place(Place { kind: PlaceKind::Deref(e), .. }) => {
                let all = targets(e, i);
                let others = all.iter().any(|t| object(*t) != all.first().and_then(|t| object(*t)));
                if others {
                    out.mixed.extend(all.into_iter().filter_map(object));
                }
            }
            Part::Place(_) => {}
        };
        for (_, value) in self.unit.globals.iter().flat_map(|g| &g.init) {
            Part::Expr(value).visit(&mut |part| note(part, InstanceId(0)));
        }
        for i in (0..self.instances.all.len() as u32).map(InstanceId) {
            for node in &self.unit.function(self.instances.get(i).function).nodes {
                node.kind.visit(&mut |part| note(part, i));
            }
        }
        out
    }

    /// Is it a part of an object that has no bytes, or may have none? If it is the last one, its address is
    /// the one behind the object.
    fn may_be_behind(&self, p: &Place) -> bool {
        match &p.kind {
            PlaceKind::Field(base, _) => {
                self.memory.layouts.size(&p.ty).is_none_or(|n| n == 0) || self.may_be_behind(base)
            }
            PlaceKind::Index(base, _) => self.may_be_behind(base),
            PlaceKind::Var(_) | PlaceKind::Deref(_) => false,
        }
    }

    /// The address that a pointer has after it was moved from one address to another.
    pub(super) fn moved(&mut self, targets: &[Target], from: Term, to: Term, span: Span) -> Term {
        let mut objects: Vec<ObjectId> = targets.iter().copied().filter_map(object).collect();
        objects.dedup();
        objects.retain(|o| self.may_leave(*o));
        if objects.is_empty() || from == to {
            return to;
        }
        let nowhere = self.domain.address(NOWHERE);
        let what = format!("arithmetic on a pointer that has left its object, {}", self.position(span));
        let there = self.pool.not(self.pool.eq(from, nowhere));
        self.require(there, &Otherwise::Unsupported(what.into()));
        let mut leaves = Vec::new();
        for o in objects {
            let (here, stays) = if self.memory.is_many(o) {
                let length = self.block_length(o, from);
                let offset = self.offset_in_block(o, from);
                let by = self.domain.address_sub(to, from);
                let d = &self.domain;
                let new = d.address_add(offset, by);
                let stays = self.pool.and2(d.address_le(d.address(0), new), d.address_le(new, length));
                (self.inside(o, from), stays)
            } else {
                (self.in_margin(o, from), self.in_margin(o, to))
            };
            leaves.push(self.pool.and2(here, self.pool.not(stays)));
        }
        self.pool.ite(self.pool.or(leaves), nowhere, to)
    }

    /// Is an address in an object, or so near to it that no other object can be there?
    pub(super) fn in_margin(&self, o: ObjectId, address: Term) -> Term {
        let object = self.memory.get(o);
        if object.margin == 0 {
            return self.in_reach(o, address);
        }
        let (first, last) = (object.base - object.margin, object.base + object.extent + object.margin);
        let d = &self.domain;
        self.pool.and2(d.address_le(d.address(first), address), d.address_le(address, d.address(last)))
    }

    /// How many cells an address in an object with many blocks is behind the beginning of its block.
    pub(super) fn offset_in_block(&self, o: ObjectId, address: Term) -> Term {
        let object = self.memory.get(o);
        let offset = self.domain.address_sub(address, self.domain.address(object.base));
        self.domain.address_mod(offset, object.block)
    }

    /// Where the block of an address begins, in cells from the beginning of the object.
    pub(super) fn start_of_block(&self, o: ObjectId, address: Term) -> Term {
        let offset = self.domain.address_sub(address, self.domain.address(self.memory.get(o).base));
        self.domain.address_sub(offset, self.offset_in_block(o, address))
    }

    /// The number of bytes of an allocated block that pointers see as bytes, and that is not one of many.
    pub(super) fn byte_length(&mut self, o: ObjectId) -> Term {
        match self.memory.get(o).bytes {
            Some(n) => self.domain.address(i128::from(n)),
            None => {
                let length = self.counter(VarKey::Length(o));
                self.get(length)
            }
        }
    }

    /// The number of cells of the block, of many, that an address is in; of bytes, if pointers see it as
    /// bytes.
    pub(super) fn block_length(&mut self, o: ObjectId, address: Term) -> Term {
        let start = self.start_of_block(o, address);
        self.length_from(o, start)
    }

    /// The same for the block that begins so many cells behind the beginning of the object.
    pub(super) fn length_from(&mut self, o: ObjectId, start: Term) -> Term {
        let object = self.memory.get(o);
        let cells = if object.as_bytes { 1 } else { self.memory.element_cells(o) };
        let count = if object.as_bytes { object.bytes } else { object.each };
        if let Some(n) = count {
            return self.domain.address(cells * i128::from(n));
        }
        let lengths = self.counter(VarKey::Lengths(o));
        self.domain.address_scale(self.pool.select(self.get(lengths), start), cells)
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn object(t: Target) -> Option<ObjectId> {
    match t {
        Target::Object(o, _) => Some(o),
        _ => None,
    }
}

/// Is there an index other than 0 on the way to a place?
fn is_indexed(p: &Place) -> bool {
    match &p.kind {
        PlaceKind::Index(base, by) => by.as_const() != Some(0) || is_indexed(base),
        PlaceKind::Field(base, _) => is_indexed(base),
        PlaceKind::Var(_) | PlaceKind::Deref(_) => false,
    }
}
