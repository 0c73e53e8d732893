//! Places: from C lvalues to variables, array elements, and case splits over what a pointer may point to.
//!
//! A place is resolved in two steps. `Encoder::resolve` makes an [`Access`]: a root (a named object, or a
//! pointer with its points-to set) and the way from there, as a slot and a cell offset whose constant and
//! varying parts are kept apart. Loads and stores then list the cases. A named object has one case, its
//! variable or array element. A pointer has one case per target, under the condition that the address lies in
//! that target.
//!
//! Invariants:
//! - The conditions of the cases exclude each other. One of them must hold: this is checked, reported or
//!   assumed, as the options say. So the last case of a read needs no condition. If undefined accesses
//!   continue with any value, no case has to hold, and a read has one more case.
//! - Objects whose type cannot hold a value of the accessed type are skipped: an access that reaches one is
//!   unsupported.
//! - Members of a plain union share their bits (`overlap`): any of them can be read once one was written.
//! - A read of a leaf inside another union requires that its member was written last, or that all of the
//!   union is zero. A write sets the union's tag. A write to a part of a member that was not written last is
//!   unsupported, because the rest of the member would be bytes of another member. Parts of a place that is
//!   handled as a whole (`raw`) skip this: their tags are ordinary leaves, and `Encoder::enter_unions` checks
//!   the unions around the whole.
//! - A read of a `volatile` leaf, or at a fixed address, is an input; so is one of memory of the environment
//!   through a pointer to `volatile`.
//! - Pointers into objects that are seen as bytes (`memory::views`) count bytes: an access finds the scalar
//!   of its type that begins there, or else the bytes of those that are there (`bytes`).
//! - What is read from indeterminate memory (of the environment, of arrays without initial values) is
//!   confined to the range of its type.
//!
//! Modules: `place` (resolution and addresses), `cases` (what an access may mean), `bytes` (objects as
//! bytes), `pool` (pointers in arrays of bytes), `whole` (places as a whole), `unions` (tags), `overlap`
//! (bits that members share), `load_store`.

mod bytes;
mod cases;
mod havoc;
mod load_store;
mod overlap;
mod place;
mod pool;
mod unions;
mod whole;

use std::sync::Arc;

use palisade_term::Term;

use crate::ir::Span;
use crate::memory::ObjectId;
use crate::points_to::Target;
use crate::types::Type;
use bytes::Patch;
pub(super) use bytes::Position;
use overlap::Padding;
use overlap::Twin;
use pool::Pooled;

/// The name of the violation "access outside an object".
const OUTSIDE: &str = "access outside an object";
/// The same through a pointer that may be left from an object that is gone.
const OUTSIDE_OR_ENDED: &str = "access outside an object, or to one that has ended";

/// An offset in cells: a constant and a varying part.
type Offset = (i128, Option<Term>);

/// Where a place starts.
#[derive(Clone)]
enum Root {
    /// A named object.
    Object(ObjectId),
    /// What a pointer points to: its value, and what it may be.
    Pointer(Term, Arc<[Target]>),
}

/// A place, resolved: a root and the way from there.
#[derive(Clone)]
pub(super) struct Access {
    root: Root,
    slot: u32,
    offset: i128,
    /// The part of the offset that is not constant.
    dynamic: Option<Term>,
    /// The way in bits, where the place may be in an object that pointers see as bytes; `None` if it cannot
    /// be counted: then such objects are not supported.
    way: Option<ByteWay>,
    /// The unions on the way: what leads to the tag, and the member chosen. Only memory of the environment
    /// needs them: elsewhere the leaf knows the unions around it.
    unions: Vec<PathUnion>,
    /// A part of a place that is handled as a whole: tags are neither checked nor set.
    raw: bool,
    /// Of a part of a place that is copied as a whole: how many unions are around it in that place.
    copied: usize,
    /// What the pointer at the root points to.
    pointee: Type,
    /// The pointer at the root, or a member on the way, is declared `volatile`.
    volatile: bool,
    /// There is a constant index other than 0 on the way.
    stepped: bool,
    /// The indices are inside their arrays. Otherwise the access does not take place.
    valid: Term,
    /// They do not lead around the address space.
    near: Term,
    span: Span,
}

#[derive(Clone)]
struct PathUnion {
    offset: i128,
    dynamic: Option<Term>,
    member: u32,
}

/// A way in bits and bytes.
#[derive(Clone, Copy)]
struct ByteWay {
    /// The constant part, in bits.
    bits: i128,
    /// The varying part, in bytes.
    dynamic: Option<Term>,
    /// It leads to a bit-field.
    bit_field: bool,
}

/// A scalar in memory.
#[derive(Clone, PartialEq)]
enum Spot {
    /// A variable.
    Var(Term),
    /// An element of an array; the flag says that its value may be indeterminate.
    Element(Term, Term, bool),
    /// Not stored: a read is an input, a write changes nothing.
    Nowhere,
    /// Mixed memory of the environment: a read is an input that nothing is known of, a write is forgotten.
    Mixed,
    /// Stored in the inner spot, but a read is an input.
    Volatile(Box<Spot>),
    /// Bytes of other scalars.
    Bytes(Box<Patch>),
    /// A pointer in an array of bytes.
    Pooled(Box<Pooled>),
}

/// The tag of a union around a scalar.
struct Tag {
    spot: Spot,
    member: u32,
    /// The access covers the whole member.
    whole: bool,
    /// The tag is memory of the environment and may be any number.
    foreign: bool,
    /// The other members that are numbers of the same size: what was written there can be read here.
    views: Vec<View>,
    /// The members share their bits: whichever was written last, any can be read, or written in part.
    plain: bool,
    /// No other member has a bit where the scalar is: it does not matter which was written last.
    alone: bool,
    /// The union is a byte of a pool, which may be padding.
    pool: bool,
    /// Of a plain union with padding: what the access means for that.
    padding: Padding,
}

/// A member of a union that is a number.
struct View {
    member: u32,
    spot: Spot,
    ty: Type,
}

/// All possibilities for a place.
struct Cases {
    list: Vec<Case>,
    /// One of the cases always applies. If false, there may be none: then a read gives any value, and a write
    /// changes nothing.
    total: bool,
}

/// One possibility for a place: the condition under which it applies, and the type the scalar has there.
struct Case {
    condition: Term,
    spot: Spot,
    ty: Type,
    tags: Vec<Tag>,
    /// The object, and whether the scalar is all of it.
    object: Option<(ObjectId, bool)>,
    /// What shares bits with the scalar.
    twins: Vec<Twin>,
}
