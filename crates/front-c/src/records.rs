//! Structs and unions, and their layout in bytes and bits (System V i386 and x86-64, as gcc does it).
//!
//! A member is placed at the next multiple of its alignment. `packed`, `aligned` and `#pragma pack` change
//! that alignment. A bit-field goes to the next bit, unless it would then span more units of its type's
//! alignment than the type itself does. On i386 an 8-byte integer or `double` has alignment 4 as a member, so
//! a 64-bit bit-field may begin in the middle of an 8-byte unit.
//!
//! Entry point: [`Records::complete`]. The layouts that a program relies on are compared with the compiler's
//! by `confirm`.

use palisade_float::Format;

use crate::types::{DataModel, IntType, Len, Qualifiers, RecordId, Type};

/// A member of a struct or union.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; empty for an anonymous member.
    pub name: String,
    /// Its type; for a bit-field the integer type of its width.
    pub ty: Type,
    /// Byte offset (of the byte with its first bit, for a bit-field).
    pub offset: u64,
    /// Is it a bit-field?
    pub bit_field: bool,
    /// Its first bit, counted from the start of the struct. The bits of a byte are counted from the least
    /// significant one.
    pub bit_offset: u64,
    /// Declared `volatile`.
    pub volatile: bool,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
    /// Its alignment in the struct.
    pub align: u64,
}

impl Field {
    /// A member of a type that no program has.
    fn made_up(name: &str, ty: Type, offset: u64) -> Field {
        let (name, bit_offset) = (name.to_string(), 8 * offset);
        let (bit_field, volatile, qualifiers, align) = (false, false, Qualifiers::OPEN, 1);
        Field { name, ty, offset, bit_field, bit_offset, volatile, qualifiers, align }
    }
}

/// How an argument is passed to a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// As it is.
    Always,
    /// As it is, if its value fits both types, of which one is signed.
    Positive,
    /// As it is, since all pointers are alike; C demands the same type.
    Alike,
    /// The behaviour is undefined.
    Never,
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
    /// For each struct, a struct that begins with it and goes on with bytes, see [`Records::add_tails`].
    tails: Vec<Option<RecordId>>,
    /// A byte that may be one of a pointer, see [`Records::add_pools`].
    pool: Option<RecordId>,
    /// The structs and unions with such bytes in place of numbers in arrays.
    pooled: Vec<Option<Type>>,
}

/// A member as declared.
pub struct Member {
    /// Its name; empty for an anonymous member or an unnamed bit-field.
    pub name: String,
    /// The declared type.
    pub ty: Type,
    /// Bit-field width.
    pub width: Option<u32>,
    /// `aligned` on the member.
    pub align: Option<u64>,
    /// The alignment of its type, if a typedef set it.
    pub type_align: Option<u64>,
    /// `packed` on the member.
    pub packed: bool,
    /// Declared `volatile`.
    pub volatile: bool,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
}

/// What attributes and pragmas say about a whole struct or union.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    /// `packed`.
    pub packed: bool,
    /// `aligned`, in bytes.
    pub align: Option<u64>,
    /// `#pragma pack(n)`: no member has a larger alignment.
    pub limit: Option<u64>,
}

impl Records {
    /// Do objects of these types have the same cells in the same places? Struct types of two files are
    /// compared by their members.
    pub fn same_shape(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Int(x), Type::Int(y)) => x.bits == y.bits && x.boolean == y.boolean,
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (Type::Record(x), Type::Record(y)) => {
                let (r, s) = (self.get(*x), self.get(*y));
                let (f, g) = (self.fields(*x), self.fields(*y));
                let same = |a: &Field, b: &Field| {
                    let place = |f: &Field| (f.bit_offset, f.bit_field);
                    a.name == b.name && place(a) == place(b) && self.same_shape(&a.ty, &b.ty)
                };
                let outside = |r: &Record| (r.union, r.size);
                x == y
                    || outside(r) == outside(s)
                        && f.len() == g.len()
                        && f.iter().zip(g).all(|(a, b)| same(a, b))
            }
            (Type::Array(x, m), Type::Array(y, n)) => m == n && self.same_shape(x, y),
            (Type::Float(x), Type::Float(y)) => x == y,
            (Type::Ieee(x), Type::Ieee(y)) => x == y,
            _ => false,
        }
    }

    /// Can declarations with these types, in two files, be about one object or function (C11 6.2.7)? Structs
    /// are compared member by member; what is incomplete fits everything of its kind.
    pub fn compatible(&self, a: &Type, b: &Type) -> bool {
        self.fit(a, b, &mut Vec::new())
    }

    /// How an argument is passed to a parameter where no prototype has converted it (C11 6.5.2.2p6).
    pub fn passed(&self, given: &Type, param: &Type) -> Passed {
        match (given, param) {
            (Type::Int(a), Type::Int(b)) if IntType { signed: b.signed, ..*a }.differs(*b) => Passed::Never,
            (Type::Int(a), Type::Int(b)) if a.signed != b.signed => Passed::Positive,
            (Type::Pointer(a), Type::Pointer(b)) => {
                let any = |t: &Type| matches!(t, Type::Void | Type::Int(IntType { bits: 8, .. }));
                let same = any(a) && any(b) || self.compatible(a, b);
                if same { Passed::Always } else { Passed::Alike }
            }
            (Type::Float(_), Type::Float(_)) => Passed::Always,
            (Type::Record(_), Type::Record(_)) if self.compatible(given, param) => Passed::Always,
            _ if given == param => Passed::Always,
            _ => Passed::Never,
        }
    }

    /// `known` holds the pairs that are being compared: structs that point to themselves.
    fn fit(&self, a: &Type, b: &Type, known: &mut Vec<(RecordId, RecordId)>) -> bool {
        match (a, b) {
            (Type::Pointer(a), Type::Pointer(b)) => self.fit(a, b, known),
            (Type::Array(a, m), Type::Array(b, n)) => {
                let lengths = !matches!((m, n), (Len::Fixed(m), Len::Fixed(n)) if m != n);
                lengths && self.fit(a, b, known)
            }
            (Type::Record(a), Type::Record(b)) => {
                if a == b || known.contains(&(*a, *b)) {
                    return true;
                }
                known.push((*a, *b));
                let (a, b) = (self.get(*a), self.get(*b));
                let (Some(left), Some(right)) = (&a.fields, &b.fields) else { return a.union == b.union };
                let mut fields = left.iter().zip(right);
                (a.union, a.size, left.len()) == (b.union, b.size, right.len())
                    && fields.all(|(x, y)| {
                        (&x.name, x.bit_offset, x.bit_field) == (&y.name, y.bit_offset, y.bit_field)
                            && self.fit(&x.ty, &y.ty, known)
                    })
            }
            (Type::Function(a), Type::Function(b)) => {
                let params = match (&a.params, &b.params) {
                    (Some(left), Some(right)) => {
                        a.variadic == b.variadic
                            && left.len() == right.len()
                            && left.iter().zip(right).all(|(x, y)| self.fit(&x.ty, &y.ty, known))
                    }
                    _ => true,
                };
                params && self.fit(&a.result, &b.result, known)
            }
            (Type::Int(a), Type::Int(b)) => !a.differs(*b),
            _ => a == b,
        }
    }

    /// Adds an incomplete type.
    pub fn declare(&mut self, name: String, union: bool) -> RecordId {
        self.all.push(Record { name, union, fields: None, size: 0, align: 1 });
        RecordId(u32::try_from(self.all.len() - 1).expect("few records"))
    }

    /// Adds a struct for each struct of the program: one of them, and then bytes, `size` bytes together. In
    /// place of an array of unknown length at its end there are bytes. Blocks whose size is no multiple of
    /// their type's are laid out like that.
    pub fn add_tails(&mut self, size: u64) {
        let byte = std::sync::Arc::new(Type::Int(IntType::new(8, false)));
        for k in 0..self.all.len() {
            let head = &self.all[k];
            let last = head.fields.as_ref().and_then(|all| all.split_last());
            let open = last.filter(|(last, _)| matches!(last.ty, Type::Array(_, Len::Unknown)));
            let (mut fields, begin) = match open {
                Some((last, others)) => (others.to_vec(), last.offset),
                None => (vec![Field::made_up("head", Type::Record(RecordId(k as u32)), 0)], head.size),
            };
            if head.union || head.fields.is_none() || head.size == 0 || head.size >= size {
                self.tails.push(None);
                continue;
            }
            let (name, align) = (format!("{} and bytes", head.name), head.align);
            let rest = Type::Array(byte.clone(), Len::Fixed(size - begin));
            fields.push(Field::made_up("rest", rest, begin));
            self.all.push(Record { name, union: false, fields: Some(fields), size, align });
            self.tails.push(Some(RecordId(self.all.len() as u32 - 1)));
        }
    }

    /// Adds a byte of memory that the program gives out itself: a number, or a byte of a pointer. Which of
    /// them, the tag says: 0 is a number, and `k` the `k`-th byte of a pointer. The pointer is in the member
    /// of its first byte. For each struct and union of the program there is one with such bytes, see
    /// [`Records::pooled`].
    pub fn add_pools(&mut self, model: DataModel) {
        let byte = Field::made_up("", Type::Int(IntType::new(8, false)), 0);
        let pointer = Field::made_up("pointer", Type::Void.pointer_to(), 0);
        let (name, fields) = ("byte of a pool".to_string(), Some(vec![byte, pointer]));
        self.all.push(Record { name, union: true, fields, size: 1, align: 1 });
        self.pool = Some(RecordId(self.all.len() as u32 - 1));
        let mut done = vec![false; self.tails.len()];
        self.pooled = vec![None; done.len()];
        for r in 0..done.len() {
            self.add_pool(RecordId(r as u32), model, &mut done);
        }
    }

    fn add_pool(&mut self, r: RecordId, model: DataModel, done: &mut [bool]) {
        if std::mem::replace(&mut done[r.0 as usize], true) {
            return;
        }
        let record = self.get(r).clone();
        let Some(mut fields) = record.fields.filter(|_| record.size > 0) else { return };
        if record.union {
            let plain = !self.holds_volatile(&Type::Record(r));
            self.pooled[r.0 as usize] = plain.then(|| self.pool_of(record.size)).flatten();
            return;
        }
        let mut changed = false;
        for field in fields.iter_mut().filter(|f| !f.bit_field) {
            let mut inner = &field.ty;
            while let Type::Array(element, _) = inner {
                inner = element;
            }
            if let Type::Record(inner) = inner {
                self.add_pool(*inner, model, done);
            }
            if let Some(ty) = self.pooled(&field.ty, model) {
                (field.ty, changed) = (ty, true);
            }
        }
        if changed {
            let name = format!("{} as a pool", record.name);
            self.all.push(Record { name, union: false, fields: Some(fields), ..record });
            self.pooled[r.0 as usize] = Some(Type::Record(RecordId(self.all.len() as u32 - 1)));
        }
    }

    /// So many such bytes.
    pub fn pool_of(&self, bytes: u64) -> Option<Type> {
        let byte = std::sync::Arc::new(Type::Record(self.pool?));
        Some(Type::Array(byte, Len::Fixed(bytes)))
    }

    /// The type with bytes that may be those of pointers in place of numbers in arrays, and of unions. `None`
    /// if it has neither.
    pub fn pooled(&self, ty: &Type, model: DataModel) -> Option<Type> {
        match ty {
            Type::Record(r) => self.pooled.get(r.0 as usize).cloned().flatten(),
            Type::Array(element, len) => {
                let mut scalar = &**element;
                while let Type::Array(inner, Len::Fixed(_)) = scalar {
                    scalar = inner;
                }
                match scalar {
                    Type::Int(t) if !t.boolean => self.pool_of(self.size_of(ty, model).filter(|n| *n > 0)?),
                    // Bytes in a row are one array.
                    _ => match (self.pooled(element, model)?, len) {
                        (Type::Array(_, Len::Fixed(n)), Len::Fixed(k)) if self.is_pool(element, model) => {
                            self.pool_of(n.checked_mul(*k)?)
                        }
                        (element, _) => Some(Type::Array(element.into(), *len)),
                    },
                }
            }
            _ => None,
        }
    }

    /// Is all of the type bytes of a pool, if it is one?
    fn is_pool(&self, ty: &Type, model: DataModel) -> bool {
        let byte = self.pool.map(Type::Record);
        matches!(self.pooled(ty, model), Some(Type::Array(element, _)) if Some(&*element) == byte.as_ref())
    }

    /// Has a struct bytes between its members, or behind them?
    pub fn has_gaps(&self, ty: &Type, model: DataModel) -> bool {
        match ty {
            Type::Array(element, _) => self.has_gaps(element, model),
            Type::Record(r) if !self.get(*r).union => {
                let mut end = 0;
                let gap = self.fields(*r).iter().any(|f| {
                    let begins = std::mem::replace(&mut end, f.offset);
                    let size = match &f.ty {
                        Type::Int(t) if f.bit_field => u64::from(t.bits).div_ceil(8),
                        ty => self.size_of(ty, model).unwrap_or(0),
                    };
                    end += size;
                    f.offset > begins || self.has_gaps(&f.ty, model)
                });
                gap || end < self.get(*r).size
            }
            _ => false,
        }
    }

    /// Is there a `volatile` member?
    pub fn holds_volatile(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(element, _) => self.holds_volatile(element),
            Type::Record(r) => self.fields(*r).iter().any(|f| f.volatile || self.holds_volatile(&f.ty)),
            _ => false,
        }
    }

    /// The byte that may be one of a pointer.
    pub fn pool(&self) -> Option<RecordId> {
        self.pool
    }

    /// The struct that begins with this one and goes on with bytes.
    pub fn tailed(&self, ty: &Type) -> Option<RecordId> {
        let Type::Record(r) = ty else { return None };
        self.tails.get(r.0 as usize).copied().flatten()
    }

    /// The record of a number.
    pub fn get(&self, r: RecordId) -> &Record {
        &self.all[r.0 as usize]
    }

    /// The members; none while the type is incomplete.
    pub fn fields(&self, r: RecordId) -> &[Field] {
        self.get(r).fields.as_deref().unwrap_or(&[])
    }

    /// Is it a struct or union with arrays inside?
    pub fn holds_array(&self, ty: &Type) -> bool {
        let Type::Record(r) = ty else { return false };
        self.fields(*r).iter().any(|f| matches!(f.ty, Type::Array(..)) || self.holds_array(&f.ty))
    }

    /// Is it a pointer to what looks like registers of a device: something `volatile`, or a struct with such
    /// members?
    pub fn leads_to_registers(&self, ty: &Type) -> bool {
        let Type::Pointer(target) = ty else { return false };
        match &**target {
            Type::Record(r) => target.volatile || self.fields(*r).iter().any(|f| f.volatile),
            _ => target.volatile,
        }
    }

    /// The member that stands for this one: all pointers of a union are the first one, since they have the
    /// same representation.
    pub fn representative(&self, r: RecordId, member: u32) -> u32 {
        let is_pointer = |f: &Field| matches!(f.ty, Type::Pointer(_)) && !f.volatile;
        let fields = self.fields(r);
        if !self.get(r).union || !is_pointer(&fields[member as usize]) {
            return member;
        }
        fields.iter().position(is_pointer).map_or(member, |k| k as u32)
    }

    /// Lays out the members.
    pub fn complete(&mut self, r: RecordId, members: Vec<Member>, packing: Packing, model: DataModel) {
        let union = self.get(r).union;
        let (mut bit, mut align, mut size) = (0u64, 1u64, 0u64);
        let mut fields = Vec::new();
        for m in members {
            if union {
                bit = 0;
            }
            let natural = self.field_align(&m.ty, model);
            let mut own = 1;
            let (offset, ty) = match (m.width, &m.ty) {
                (Some(w), Type::Int(t)) => {
                    let placed = self.bit_field(&m, *t, w, bit, packing, model);
                    bit = placed.first + u64::from(w);
                    // An unnamed bit-field affects only the alignment of what follows it.
                    if !m.name.is_empty() {
                        align = align.max(placed.align);
                    }
                    let width = if t.boolean { *t } else { IntType::new(w.max(1), t.signed) };
                    (placed.first, Type::Int(width))
                }
                _ => {
                    let a = member_align(&m, natural, packing);
                    (align, own) = (align.max(a), a);
                    let first = bit.next_multiple_of(8 * a);
                    bit = first + 8 * self.size_of(&m.ty, model).unwrap_or(0);
                    (first, m.ty.clone())
                }
            };
            size = size.max(bit.div_ceil(8));
            if m.width.is_some() && m.name.is_empty() {
                continue; // padding
            }
            let bit_field = m.width.is_some();
            let (bit_offset, volatile) = (offset, m.volatile);
            let (name, qualifiers, offset) = (m.name, m.qualifiers, offset / 8);
            let align = own;
            fields.push(Field { name, ty, offset, bit_field, bit_offset, volatile, qualifiers, align });
        }
        let record = &mut self.all[r.0 as usize];
        record.fields = Some(fields);
        record.align = align.max(packing.align.unwrap_or(1));
        record.size = size.next_multiple_of(record.align);
    }

    /// Where a bit-field of `w` bits goes when `bit` is the next free bit.
    fn bit_field(
        &self,
        m: &Member,
        t: IntType,
        w: u32,
        bit: u64,
        packing: Packing,
        model: DataModel,
    ) -> Placed {
        let packed = m.packed || packing.packed;
        let natural = 8 * m.type_align.unwrap_or_else(|| self.field_align(&m.ty, model));
        if w == 0 {
            // Ends the unit; neither `packed` nor the pragma changes that.
            let unit = natural.max(8 * m.align.unwrap_or(1));
            return Placed { first: bit.next_multiple_of(unit), align: 1 };
        }
        let own = m.align.map(|a| packing.limit.map_or(a, |limit| a.min(limit)));
        let mut first = own.map_or(bit, |a| bit.next_multiple_of(8 * a));
        let unit_bits = 8 * t.size();
        let spans = (first % natural + u64::from(w)).div_ceil(natural) > unit_bits / natural;
        if packing.limit.is_none() && !packed && spans {
            first = first.next_multiple_of(natural);
        }
        let align = match packing.limit {
            Some(limit) => (natural / 8).min(limit),
            None if packed => 1,
            None => natural / 8,
        };
        Placed { first, align: align.max(own.unwrap_or(1)) }
    }

    /// Has it a pointer in it?
    pub fn holds_pointer(&self, r: RecordId) -> bool {
        self.fields(r).iter().any(|f| {
            let mut ty = &f.ty;
            while let Type::Array(element, _) = ty {
                ty = element;
            }
            match ty {
                Type::Pointer(_) => true,
                Type::Record(inner) => self.holds_pointer(*inner),
                _ => false,
            }
        })
    }

    /// The size in bytes of a complete type of fixed size.
    pub fn size_of(&self, ty: &Type, model: DataModel) -> Option<u64> {
        Some(match ty {
            Type::Void | Type::Function(_) => 1, // as gcc has it
            Type::Int(t) => t.size(),
            Type::Float(n) => *n,
            Type::Ieee(f) => u64::from(f.width() / 8),
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
                if matches!(ty, Type::Float(16)) {
                    return 16; // `_Float128`, and `long double` on x86-64
                }
                if model == DataModel::Ilp32 { s.min(4) } else { s.min(16) }
            }
        }
    }

    /// The alignment that `_Alignof` gives.
    pub fn align_of(&self, ty: &Type, model: DataModel) -> u64 {
        self.field_align(ty, model)
    }

    /// The alignment that gcc's `__alignof__` gives: that of variables, which is 8 for 8-byte scalars on i386
    /// too.
    pub fn preferred_align_of(&self, ty: &Type, model: DataModel) -> u64 {
        match ty {
            Type::Array(t, _) => self.preferred_align_of(t, model),
            Type::Int(t) => t.size(),
            Type::Float(8) | Type::Ieee(Format::BINARY64) => 8,
            _ => self.field_align(ty, model),
        }
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

/// A bit-field's first bit, and the alignment in bytes that it gives the struct.
struct Placed {
    first: u64,
    align: u64,
}

/// The alignment of a member that is no bit-field.
fn member_align(m: &Member, natural: u64, packing: Packing) -> u64 {
    let of_type = m.type_align.unwrap_or(natural);
    let align = match m.align {
        // `aligned` raises the alignment; only together with `packed` can it lower it.
        Some(a) if m.packed || packing.packed => a,
        Some(a) => a.max(of_type),
        None if m.packed || packing.packed => 1,
        None => of_type,
    };
    packing.limit.map_or(align, |limit| align.min(limit))
}
