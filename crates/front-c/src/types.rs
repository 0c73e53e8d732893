//! C types and their layout under a data model.
//!
//! Integer types are described by what decides their arithmetic: width, signedness and whether they are
//! `_Bool`. Their names do not matter there: between two integer types of one width the usual conversions
//! always end in the unsigned one. Only `_Generic` and the like can tell `int` from `long` ([`Name`]).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use palisade_float::Format;

pub use crate::records::{Field, Member, Packing, Passed, Record, Records};

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
    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }

    /// The width of `long` and of pointers, in bits.
    pub const fn word(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }
}

/// Which of the integer types with one width and signedness a type is, without `signed` and `unsigned`.
/// Standard types are in the order of their ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// Not known: any of them.
    Unknown,
    /// `char`, neither `signed` nor `unsigned`.
    Char,
    /// `signed char` and `unsigned char`.
    Byte,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `long long`.
    LongLong,
    /// The enumeration that is defined at this offset of its file.
    Enum(u32),
}

/// An integer type. Two types with different names are equal, since all but `_Generic` treats them alike.
#[derive(Clone, Copy, Debug)]
pub struct IntType {
    /// Value bits, with the sign bit.
    pub bits: u32,
    /// Two's complement, or unsigned.
    pub signed: bool,
    /// `_Bool`: conversion to it compares with zero.
    pub boolean: bool,
    /// What the program calls it.
    pub name: Name,
}

impl PartialEq for IntType {
    fn eq(&self, other: &IntType) -> bool {
        (self.bits, self.signed, self.boolean) == (other.bits, other.signed, other.boolean)
    }
}

impl Eq for IntType {}

impl Hash for IntType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.bits, self.signed, self.boolean).hash(state);
    }
}

impl IntType {
    /// `int`.
    pub const INT: IntType = IntType::new(32, true).called(Name::Int);
    /// `unsigned int`.
    pub const UINT: IntType = IntType::new(32, false).called(Name::Int);
    /// `_Bool`.
    pub const BOOL: IntType = IntType { bits: 1, signed: false, boolean: true, name: Name::Unknown };
    /// `char`: signed, as on x86.
    pub const CHAR: IntType = IntType::new(8, true).called(Name::Char);

    /// A type by width and signedness.
    pub const fn new(bits: u32, signed: bool) -> IntType {
        IntType { bits, signed, boolean: false, name: Name::Unknown }
    }

    /// `long` or `unsigned long`.
    pub const fn long(model: DataModel, signed: bool) -> IntType {
        IntType::new(model.word(), signed).called(Name::Long)
    }

    /// `ptrdiff_t` or `size_t`.
    pub const fn word(model: DataModel, signed: bool) -> IntType {
        match model {
            DataModel::Ilp32 => IntType::new(32, signed).called(Name::Int),
            DataModel::Lp64 => IntType::new(64, signed).called(Name::Long),
        }
    }

    /// The same type with a name.
    pub const fn called(self, name: Name) -> IntType {
        IntType { name, ..self }
    }

    /// Is it compatible with another type, in the sense of C? `None`: it depends on a name that is not known.
    pub fn compatible(self, other: IntType, model: DataModel) -> Option<bool> {
        if self != other || self.boolean || self.is_int128() {
            return Some(self == other);
        }
        match (self.name, other.name) {
            (Name::Unknown, _) | (_, Name::Unknown) => None,
            (Name::Enum(a), Name::Enum(b)) => Some(a == b),
            (a, b) => Some(self.standard(a, model) == other.standard(b, model)),
        }
    }

    /// Is it known to be another type than a type that may be of another file? Enumerations are the integers
    /// of their width there.
    pub fn differs(self, other: IntType) -> bool {
        let standard = |t: IntType| !matches!(t.name, Name::Unknown | Name::Enum(_));
        self != other || standard(self) && standard(other) && self.name != other.name
    }

    /// The name of the standard type that an enumeration is compatible with; others as they are.
    fn standard(self, name: Name, model: DataModel) -> Name {
        match (name, self.bits, model) {
            (Name::Enum(_), 8, _) => Name::Byte,
            (Name::Enum(_), 16, _) => Name::Short,
            (Name::Enum(_), 32, _) => Name::Int,
            (Name::Enum(_), _, DataModel::Lp64) => Name::Long,
            (Name::Enum(_), _, DataModel::Ilp32) => Name::LongLong,
            _ => name,
        }
    }

    /// The least value.
    pub fn min(self) -> i128 {
        if self.signed { i128::MIN >> (128 - self.bits) } else { 0 }
    }

    /// The greatest value; of `unsigned __int128` the greatest that an `i128` holds (see [`Self::most`]).
    pub fn max(self) -> i128 {
        if self.signed {
            i128::MAX >> (128 - self.bits)
        } else {
            (u128::MAX >> (128 - self.bits)).try_into().unwrap_or(i128::MAX)
        }
    }

    /// The greatest value, if an `i128` holds it.
    pub fn most(self) -> Option<i128> {
        (self.signed || self.bits < 128).then(|| self.max())
    }

    /// `__int128` or `unsigned __int128`.
    pub fn is_int128(self) -> bool {
        self.bits == 128
    }

    /// Is the value representable?
    pub fn contains(self, v: i128) -> bool {
        self.min() <= v && v <= self.max()
    }

    /// The conversion of a value to this type, which must not be `unsigned __int128`.
    pub fn wrap(self, v: i128) -> i128 {
        self.wrapped(v).expect("an i128 holds the values of the type")
    }

    /// The conversion of a value to this type, if an `i128` holds the result.
    pub fn wrapped(self, v: i128) -> Option<i128> {
        if self.boolean {
            return Some(i128::from(v != 0));
        }
        let rest = 128 - self.bits;
        if self.signed {
            return Some((v << rest) >> rest);
        }
        i128::try_from(((v as u128) << rest) >> rest).ok()
    }

    /// Integer promotion.
    pub fn promoted(self) -> IntType {
        match self.name {
            _ if IntType::INT.min() < self.min() && self.max() <= IntType::INT.max() => IntType::INT,
            Name::Enum(_) if self.bits == 32 => self.called(Name::Int),
            Name::Enum(_) => self.called(Name::Unknown),
            _ => self,
        }
    }

    /// The usual arithmetic conversions.
    pub fn common(self, other: IntType) -> IntType {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Equal => {
                let known = a.name != Name::Unknown && b.name != Name::Unknown;
                let name = if known { a.name.max(b.name) } else { Name::Unknown };
                IntType::new(a.bits, a.signed && b.signed).called(name)
            }
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
            (_, 128, true) => "__int128",
            (_, 128, false) => "unsigned __int128",
            (_, _, true) => "int",
            (_, _, false) => "unsigned int",
        }
    }
}

/// Index of a struct or union in [`Records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// The number of elements of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Len {
    /// Known.
    Fixed(u64),
    /// In a hidden local variable that was set when the declaration was executed.
    Variable(u32),
    /// Not given (`int a[]`).
    Unknown,
}

/// The qualifiers of a type, as far as they are known. Only questions about types depend on them, and
/// whether an access is `volatile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Qualifiers(Option<u8>);

impl Qualifiers {
    /// None.
    pub const NONE: Qualifiers = Qualifiers(Some(0));
    /// `const`.
    pub const CONST: Qualifiers = Qualifiers(Some(1));
    /// `volatile`.
    pub const VOLATILE: Qualifiers = Qualifiers(Some(2));
    /// `restrict`.
    pub const RESTRICT: Qualifiers = Qualifiers(Some(4));
    /// `_Atomic`.
    pub const ATOMIC: Qualifiers = Qualifiers(Some(8));
    /// Not known.
    pub const OPEN: Qualifiers = Qualifiers(None);

    /// These and others.
    pub fn and(self, other: Qualifiers) -> Qualifiers {
        Qualifiers(self.0.zip(other.0).map(|(a, b)| a | b))
    }

    /// Are they the same? `None`: some are not known.
    pub fn same(self, other: Qualifiers) -> Option<bool> {
        self.0.zip(other.0).map(|(a, b)| a == b)
    }

    /// Are all of these among them? False if that is not known.
    pub fn include(self, others: Qualifiers) -> bool {
        self.and(others).same(self) == Some(true)
    }
}

/// What a pointer points to. Pointers are equal whatever its qualifiers are.
#[derive(Clone, Debug)]
pub struct Pointee {
    ty: Arc<Type>,
    /// Accesses through the pointer are to a `volatile` object, unless it points to one of the program that
    /// is known not to be.
    pub volatile: bool,
    /// The qualifiers of the type that it points to; of an array, those of its elements.
    pub qualifiers: Qualifiers,
}

impl Deref for Pointee {
    type Target = Type;

    fn deref(&self) -> &Type {
        &self.ty
    }
}

impl PartialEq for Pointee {
    fn eq(&self, other: &Pointee) -> bool {
        self.ty == other.ty
    }
}

impl Eq for Pointee {}

/// A C type, without qualifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `void`.
    Void,
    /// Integers, `_Bool`, enumerations.
    Int(IntType),
    /// Floating point of the given size in bytes that is not modelled: `long double`, and all floating point
    /// where integers are not bit-vectors.
    Float(u64),
    /// Floating point that is modelled: `float` and `double` as their bits.
    Ieee(Format),
    /// Pointer.
    Pointer(Pointee),
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

    /// Is it an array whose length, or that of its elements, is variable?
    pub fn is_variable(&self) -> bool {
        match self {
            Type::Array(element, len) => matches!(len, Len::Variable(_)) || element.is_variable(),
            _ => false,
        }
    }

    /// A pointer to this type.
    pub fn pointer_to(self) -> Type {
        self.pointer_to_qualified(false, Qualifiers::OPEN)
    }

    /// A pointer to this type, which is `volatile` or not and has these qualifiers.
    pub fn pointer_to_qualified(self, volatile: bool, qualifiers: Qualifiers) -> Type {
        Type::Pointer(Pointee { ty: Arc::new(self), volatile, qualifiers })
    }

    /// Is it a pointer to something `volatile`?
    pub fn points_to_volatile(&self) -> bool {
        matches!(self, Type::Pointer(t) if t.volatile)
    }

    /// Does it have such pointers, or lead to them?
    pub fn leads_to_volatile(&self) -> bool {
        match self {
            Type::Pointer(t) => t.volatile || t.leads_to_volatile(),
            Type::Array(t, _) => t.leads_to_volatile(),
            _ => false,
        }
    }

    /// The integer type, if it is one.
    pub fn as_int(&self) -> Option<IntType> {
        match self {
            Type::Int(t) => Some(*t),
            _ => None,
        }
    }

    /// The type of an argument that no prototype converts.
    pub fn promoted(&self) -> Type {
        match self {
            Type::Int(t) => Type::Int(t.promoted()),
            Type::Ieee(_) => Type::Ieee(Format::BINARY64),
            other => other.clone(),
        }
    }

    /// The target of a pointer type.
    pub fn pointee(&self) -> Option<&Type> {
        match self {
            Type::Pointer(t) => Some(t),
            _ => None,
        }
    }

    /// The format of a modelled floating-point type.
    pub fn as_float(&self) -> Option<Format> {
        match self {
            Type::Ieee(f) => Some(*f),
            _ => None,
        }
    }

    /// Integer, floating point that is modelled, or pointer: what one variable of the model can hold.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Int(_) | Type::Ieee(_) | Type::Pointer(_))
    }

    /// Does an object of this type contain a floating-point number?
    pub fn has_float(&self, records: &Records) -> bool {
        self.has(records, &|t| matches!(t, Type::Float(_) | Type::Ieee(_)))
    }

    /// Does an object of this type contain a pointer to an object?
    pub fn has_pointers(&self, records: &Records) -> bool {
        self.has(records, &|t| matches!(t, Type::Pointer(to) if !matches!(**to, Type::Function(_))))
    }

    /// Does an object of this type contain one of these scalars?
    pub fn has(&self, records: &Records, scalar: &dyn Fn(&Type) -> bool) -> bool {
        match self {
            Type::Array(t, _) => t.has(records, scalar),
            Type::Record(r) => records.fields(*r).iter().any(|f| f.ty.has(records, scalar)),
            other => scalar(other),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => write!(f, "void"),
            Type::Int(t) => write!(f, "{}", t.c_name()),
            Type::Float(4) => write!(f, "float"),
            Type::Float(12 | 16) => write!(f, "long double"),
            Type::Float(_) => write!(f, "double"),
            Type::Ieee(Format::BINARY32) => write!(f, "float"),
            Type::Ieee(_) => write!(f, "double"),
            Type::Pointer(t) => write!(f, "{} *", **t),
            Type::Array(t, Len::Fixed(n)) => write!(f, "{t} [{n}]"),
            Type::Array(t, _) => write!(f, "{t} []"),
            Type::Record(_) => write!(f, "struct"),
            Type::Function(t) => write!(f, "{} (...)", t.result),
        }
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
        let (wide, unsigned) = (IntType::new(128, true), IntType::new(128, false));
        assert_eq!((wide.min(), wide.max(), wide.wrap(-1)), (i128::MIN, i128::MAX, -1));
        assert_eq!((unsigned.min(), unsigned.most(), unsigned.wrapped(-1)), (0, None, None));
        assert_eq!(unsigned.wrapped(7), Some(7));
    }
}
