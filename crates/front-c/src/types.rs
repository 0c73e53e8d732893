//! C types and their layout under a data model.
//!
//! Integer types are described by what decides their arithmetic: width, signedness and whether they are `_Bool`. Ranks are not
//! needed: between two integer types of one width the usual conversions always end in the unsigned one, whatever their names.

use std::fmt;
use std::sync::Arc;

/// The sizes of the C types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits (the default of SV-COMP tasks).
    #[default]
    Ilp32,
    /// `int` has 32 bits, `long` and pointers 64.
    Lp64,
}

impl DataModel {
    /// The width of `long` and of pointers, in bits.
    pub fn word(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// Value bits, with the sign bit.
    pub bits: u32,
    /// Two's complement, or unsigned.
    pub signed: bool,
    /// `_Bool`: conversion to it compares with zero.
    pub boolean: bool,
}

impl IntType {
    /// `int`.
    pub const INT: IntType = IntType { bits: 32, signed: true, boolean: false };
    /// `unsigned int`.
    pub const UINT: IntType = IntType { bits: 32, signed: false, boolean: false };
    /// `_Bool`.
    pub const BOOL: IntType = IntType { bits: 1, signed: false, boolean: true };
    /// `char`: signed, as on x86.
    pub const CHAR: IntType = IntType { bits: 8, signed: true, boolean: false };

    /// A type by width and signedness.
    pub fn new(bits: u32, signed: bool) -> IntType {
        IntType { bits, signed, boolean: false }
    }

    /// The least value.
    pub fn min(self) -> i128 {
        if self.signed { -(1i128 << (self.bits - 1)) } else { 0 }
    }

    /// The greatest value.
    pub fn max(self) -> i128 {
        if self.signed { (1i128 << (self.bits - 1)) - 1 } else { (1i128 << self.bits) - 1 }
    }

    /// Is the value representable?
    pub fn contains(self, v: i128) -> bool {
        self.min() <= v && v <= self.max()
    }

    /// The conversion of a value to this type.
    pub fn wrap(self, v: i128) -> i128 {
        if self.boolean {
            return i128::from(v != 0);
        }
        let m = v & ((1i128 << self.bits) - 1);
        if self.signed && m >> (self.bits - 1) != 0 { m - (1i128 << self.bits) } else { m }
    }

    /// Integer promotion.
    pub fn promoted(self) -> IntType {
        if IntType::INT.min() <= self.min() && self.max() <= IntType::INT.max() { IntType::INT } else { self }
    }

    /// The usual arithmetic conversions.
    pub fn common(self, other: IntType) -> IntType {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Equal => IntType::new(a.bits, a.signed && b.signed),
        }
    }

    /// Its size in bytes.
    pub fn size(self) -> u64 {
        u64::from(self.bits.div_ceil(8).next_power_of_two())
    }

    /// A name for messages and generated C.
    pub fn c_name(self) -> &'static str {
        match (self.boolean, self.bits, self.signed) {
            (true, _, _) => "_Bool",
            (_, 8, true) => "signed char",
            (_, 8, false) => "unsigned char",
            (_, 16, true) => "short",
            (_, 16, false) => "unsigned short",
            (_, 64, true) => "long long",
            (_, 64, false) => "unsigned long long",
            (_, _, true) => "int",
            (_, _, false) => "unsigned int",
        }
    }
}

/// Index of a struct or union in [`Records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// The number of elements of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Len {
    /// Known.
    Fixed(u64),
    /// In a hidden local variable that was set when the declaration was executed.
    Variable(u32),
    /// Not given (`int a[]`).
    Unknown,
}

/// A C type, without qualifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `void`.
    Void,
    /// Integers, `_Bool`, enumerations.
    Int(IntType),
    /// Floating point of the given size in bytes (not supported beyond declarations).
    Float(u64),
    /// Pointer.
    Pointer(Arc<Type>),
    /// Array.
    Array(Arc<Type>, Len),
    /// Struct or union.
    Record(RecordId),
    /// Function.
    Function(Arc<FunctionType>),
}

/// A function type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionType {
    /// What it returns.
    pub result: Type,
    /// Its parameters; `None` when the declaration does not say (`f()`).
    pub params: Option<Vec<Param>>,
    /// `...`.
    pub variadic: bool,
}

/// A parameter of a function type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The type after adjustment (arrays and functions become pointers).
    pub ty: Type,
    /// A pointer to a `const` type: the function does not write through it.
    pub readonly: bool,
}

impl Type {
    /// `int`.
    pub const INT: Type = Type::Int(IntType::INT);

    /// A pointer to this type.
    pub fn pointer_to(self) -> Type {
        Type::Pointer(Arc::new(self))
    }

    /// The integer type, if it is one.
    pub fn as_int(&self) -> Option<IntType> {
        match self {
            Type::Int(t) => Some(*t),
            _ => None,
        }
    }

    /// The target of a pointer type.
    pub fn pointee(&self) -> Option<&Type> {
        match self {
            Type::Pointer(t) => Some(t),
            _ => None,
        }
    }

    /// Integer or pointer: what one variable of the model can hold.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Int(_) | Type::Pointer(_))
    }

    /// Does an object of this type contain a floating-point number?
    pub fn has_float(&self, records: &Records) -> bool {
        match self {
            Type::Float(_) => true,
            Type::Array(t, _) => t.has_float(records),
            Type::Record(r) => records.fields(*r).iter().any(|f| f.ty.has_float(records)),
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => write!(f, "void"),
            Type::Int(t) => write!(f, "{}", t.c_name()),
            Type::Float(4) => write!(f, "float"),
            Type::Float(_) => write!(f, "double"),
            Type::Pointer(t) => write!(f, "{t} *"),
            Type::Array(t, Len::Fixed(n)) => write!(f, "{t} [{n}]"),
            Type::Array(t, _) => write!(f, "{t} []"),
            Type::Record(_) => write!(f, "struct"),
            Type::Function(t) => write!(f, "{} (...)", t.result),
        }
    }
}

/// A member of a struct or union.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; empty for an anonymous member.
    pub name: String,
    /// Its type; for a bit-field the integer type of its width.
    pub ty: Type,
    /// Byte offset (of the storage unit, for a bit-field).
    pub offset: u64,
    /// Is it a bit-field?
    pub bit_field: bool,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// The tag, or a made-up name.
    pub name: String,
    /// Members overlap.
    pub union: bool,
    /// `None` while the type is incomplete.
    pub fields: Option<Vec<Field>>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// All structs and unions of a program.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Indexed by [`RecordId`].
    pub all: Vec<Record>,
}

/// A member as declared: name, declared type, and the width if it is a bit-field.
pub struct Member {
    /// Its name; empty for an anonymous member or an unnamed bit-field.
    pub name: String,
    /// The declared type.
    pub ty: Type,
    /// Bit-field width.
    pub width: Option<u32>,
}

impl Records {
    /// Adds an incomplete type.
    pub fn declare(&mut self, name: String, union: bool) -> RecordId {
        self.all.push(Record { name, union, fields: None, size: 0, align: 1 });
        RecordId(u32::try_from(self.all.len() - 1).expect("few records"))
    }

    /// The record of a number.
    pub fn get(&self, r: RecordId) -> &Record {
        &self.all[r.0 as usize]
    }

    /// The members; none while the type is incomplete.
    pub fn fields(&self, r: RecordId) -> &[Field] {
        self.get(r).fields.as_deref().unwrap_or(&[])
    }

    /// Lays out the members (System V i386 / x86-64 rules, as gcc does).
    pub fn complete(&mut self, r: RecordId, members: Vec<Member>, model: DataModel) {
        let union = self.get(r).union;
        let (mut bit, mut align, mut size) = (0u64, 1u64, 0u64);
        let mut fields = Vec::new();
        for m in members {
            let (s, a) = (self.size_of(&m.ty, model).unwrap_or(0), self.field_align(&m.ty, model));
            if union {
                bit = 0;
            }
            let (offset, ty) = match (m.width, &m.ty) {
                (Some(0), _) => {
                    bit = bit.next_multiple_of(8 * a);
                    continue;
                }
                (Some(w), Type::Int(t)) => {
                    let unit = 8 * s;
                    if bit % unit + u64::from(w) > unit {
                        bit = bit.next_multiple_of(unit);
                    }
                    let offset = bit / unit * s;
                    bit += u64::from(w);
                    (offset, Type::Int(if t.boolean { *t } else { IntType::new(w, t.signed) }))
                }
                _ => {
                    bit = bit.next_multiple_of(8 * a);
                    let offset = bit / 8;
                    bit += 8 * s;
                    (offset, m.ty.clone())
                }
            };
            size = size.max(bit.div_ceil(8));
            if m.width.is_some() && m.name.is_empty() {
                continue; // padding: an unnamed bit-field aligns nothing
            }
            align = align.max(a);
            fields.push(Field { name: m.name, ty, offset, bit_field: m.width.is_some() });
        }
        let record = &mut self.all[r.0 as usize];
        record.fields = Some(fields);
        record.align = align;
        record.size = size.next_multiple_of(align);
    }

    /// The size in bytes of a complete type of fixed size.
    pub fn size_of(&self, ty: &Type, model: DataModel) -> Option<u64> {
        Some(match ty {
            Type::Void | Type::Function(_) => 1, // as gcc has it
            Type::Int(t) => t.size(),
            Type::Float(n) => *n,
            Type::Pointer(_) => u64::from(model.word() / 8),
            Type::Array(t, Len::Fixed(n)) => self.size_of(t, model)?.checked_mul(*n)?,
            Type::Array(..) => return None,
            Type::Record(r) => {
                self.get(*r).fields.as_ref()?;
                self.get(*r).size
            }
        })
    }

    /// The alignment of a member of this type.
    fn field_align(&self, ty: &Type, model: DataModel) -> u64 {
        match ty {
            Type::Array(t, _) => self.field_align(t, model),
            Type::Record(r) => self.get(*r).align,
            _ => {
                let s = self.size_of(ty, model).unwrap_or(1);
                if model == DataModel::Ilp32 { s.min(4) } else { s.min(16) }
            }
        }
    }

    /// The alignment that `_Alignof` gives.
    pub fn align_of(&self, ty: &Type, model: DataModel) -> u64 {
        self.field_align(ty, model)
    }

    /// Finds a member, also inside anonymous members: the path of field indices.
    pub fn find(&self, r: RecordId, name: &str) -> Option<Vec<u32>> {
        for (i, f) in self.fields(r).iter().enumerate() {
            if f.name == name {
                return Some(vec![i as u32]);
            }
            if let (true, Type::Record(inner)) = (f.name.is_empty(), &f.ty)
                && let Some(mut rest) = self.find(*inner, name)
            {
                rest.insert(0, i as u32);
                return Some(rest);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_follow_the_standard() {
        let uchar = IntType::new(8, false);
        assert_eq!(uchar.promoted(), IntType::INT);
        assert_eq!(IntType::INT.common(IntType::UINT), IntType::UINT);
        assert_eq!(IntType::new(64, true).common(IntType::UINT), IntType::new(64, true));
        assert_eq!(IntType::UINT.wrap(-1), 4_294_967_295);
        assert_eq!(IntType::CHAR.wrap(200), -56);
        assert_eq!(IntType::BOOL.wrap(256), 1);
    }

    #[test]
    fn structs_are_laid_out_as_gcc_does() {
        let mut records = Records::default();
        let r = records.declare("s".into(), false);
        let member = |name: &str, bits, width| Member {
            name: name.into(),
            ty: Type::Int(IntType::new(bits, true)),
            width,
        };
        records.complete(
            r,
            vec![
                member("a", 8, None),
                member("b", 64, None),
                member("c", 32, Some(3)),
                member("d", 32, Some(30)),
            ],
            DataModel::Ilp32,
        );
        assert_eq!(records.get(r).size, 20); // 1 + pad 3 + 8 + two storage units of 4
        assert_eq!(records.fields(r)[1].offset, 4);
        assert_eq!(records.fields(r)[3].offset, 16);
    }
}
