//! Addresses that are computed as numbers on their way to a member.
//!
//! CIL, and what imitates it, writes `p->next` as
//!
//! ```c
//! t = (unsigned long)p;
//! u = t + 8;
//! n = *((struct item **)u);
//! ```
//!
//! Compilers compute the same address for both. So the number becomes a member or an element of what `p`
//! points to, of the type that is wanted or the largest one that begins there; if there is none, bytes are
//! counted (`(char *)p + 8`). The variables on the way keep their values, and slicing drops them where nobody
//! reads them.
//!
//! A number is followed through variables of the function along nodes with one predecessor, as long as
//! nothing that it was computed from is written.
//!
//! **When.** Where undefined behaviour is no violation and an undefined access has the meaning of
//! `--undefined arbitrary`. Elsewhere the member of a null pointer is undefined behaviour, which the sum of
//! numbers is not.
//!
//! **Limits**: sums with constants, and with one element of an array whose index has at most 32 bits where
//! addresses have 64, so that the product is in range; no members of unions and no bit-fields.
//!
//! Entry point: [`straighten`].

use rustc_hash::FxHashMap;

use crate::ir::{BinOp, Expr, ExprKind, Function, Instr, Node, NodeKind, Part, PartMut, Place, PlaceKind};
use crate::ir::{Unit, VarRef};
use crate::options::COptions;
use crate::records::Records;
use crate::types::{DataModel, IntType, Len, Type};

/// A number: a pointer, plus an index times a number of bytes, plus a constant.
#[derive(Clone)]
struct Sum {
    pointer: Option<Expr>,
    index: Option<(Expr, i128)>,
    constant: i128,
}

/// Turns numbers that were pointers to structs or arrays into pointers to members and elements.
pub(crate) fn straighten(unit: &mut Unit, options: &COptions) {
    if !options.ignores_undefined() {
        return;
    }
    let mut functions = std::mem::take(&mut unit.functions);
    for function in &mut functions {
        let mut detours = Detours::new(unit, function, options.data_model);
        detours.walk(&mut function.nodes, function.entry.0);
    }
    unit.functions = functions;
}

struct Detours<'u> {
    unit: &'u Unit,
    model: DataModel,
    /// The numbers that go through these variables may be followed: not volatile, and only this function
    /// writes them.
    own: Vec<bool>,
    volatile: Vec<bool>,
}

impl<'u> Detours<'u> {
    fn new(unit: &'u Unit, function: &Function, model: DataModel) -> Detours<'u> {
        let mut own: Vec<bool> = function.vars.iter().map(|v| !v.volatile).collect();
        for node in &function.nodes {
            node.kind.visit(&mut |part| {
                if let Part::Expr(Expr { kind: ExprKind::Address(p), .. }) = part
                    && let Some(VarRef::Local(v)) = p.root()
                {
                    own[v as usize] = false;
                }
            });
        }
        Detours { unit, model, own, volatile: function.vars.iter().map(|v| v.volatile).collect() }
    }

    /// Follows numbers from every node that is reached in more than one way.
    fn walk(&mut self, nodes: &mut [Node], entry: u32) {
        let mut ways = vec![0_u32; nodes.len()];
        for node in nodes.iter() {
            node.kind.successors().iter().for_each(|s| ways[s.0 as usize] += 1);
        }
        if let Some(first) = ways.get_mut(entry as usize) {
            *first += 2;
        }
        let starts = (0..nodes.len() as u32).filter(|n| ways[*n as usize] > 1);
        let mut work: Vec<(u32, FxHashMap<u32, Sum>)> = starts.map(|n| (n, FxHashMap::default())).collect();
        while let Some((n, mut known)) = work.pop() {
            let node = &mut nodes[n as usize];
            node.kind.visit_mut(&mut |part| self.replace(part, &known));
            self.step(&node.kind, &mut known);
            let mut next = node.kind.successors();
            next.retain(|s| ways[s.0 as usize] == 1);
            let last = next.pop();
            work.extend(next.into_iter().map(|s| (s.0, known.clone())));
            work.extend(last.map(|s| (s.0, known)));
        }
    }

    fn replace(&self, part: PartMut<'_>, known: &FxHashMap<u32, Sum>) {
        match part {
            PartMut::Expr(e) => {
                let ExprKind::Cast(number) = &e.kind else { return };
                let is_address = matches!(&e.ty, Type::Pointer(t) if !matches!(**t, Type::Function(_)));
                if is_address
                    && matches!(number.ty, Type::Int(_))
                    && let Some(sum) = self.sum(number, known)
                    && let Some(address) = self.address(sum, e)
                {
                    *e = address;
                }
            }
            // A member through the pointer that it is found through: `*&p->next`.
            PartMut::Place(place) => {
                if let PlaceKind::Deref(e) = &mut place.kind
                    && !e.ty.points_to_volatile()
                    && let ExprKind::Address(inner) = &mut e.kind
                    && inner.ty == place.ty
                    && inner.root().is_none()
                {
                    place.kind = inner.kind.clone();
                }
            }
        }
    }

    // ---- numbers -------------------------------------------------------------------------------

    fn word(&self, ty: &Type) -> bool {
        ty.as_int().is_some_and(|t| t.bits == self.model.word() && !t.boolean)
    }

    /// A number of the size of an address as a sum.
    fn sum(&self, e: &Expr, known: &FxHashMap<u32, Sum>) -> Option<Sum> {
        if !self.word(&e.ty) {
            return None;
        }
        let constant = |constant| Sum { pointer: None, index: None, constant };
        Some(match &e.kind {
            ExprKind::Const(c) => constant(*c),
            ExprKind::Load(place) => match place.kind {
                PlaceKind::Var(VarRef::Local(v)) => known.get(&v)?.clone(),
                _ => return None,
            },
            ExprKind::Cast(inner) => match &inner.ty {
                Type::Pointer(t) if !matches!(**t, Type::Function(_)) => {
                    Sum { pointer: Some((**inner).clone()), ..constant(0) }
                }
                Type::Int(t) if !t.boolean && t.bits <= 32 && t.bits < self.model.word() => {
                    match inner.as_const() {
                        Some(c) => constant(c),
                        None => Sum { index: Some(((**inner).clone(), 1)), ..constant(0) },
                    }
                }
                _ => self.sum(inner, known)?,
            },
            ExprKind::Binary(BinOp::Add, a, b) => {
                let (a, b) = (self.sum(a, known)?, self.sum(b, known)?);
                let one = |a: bool, b: bool| !(a && b);
                let fits = one(a.pointer.is_some(), b.pointer.is_some())
                    && one(a.index.is_some(), b.index.is_some());
                fits.then(|| Sum {
                    pointer: a.pointer.or(b.pointer),
                    index: a.index.or(b.index),
                    constant: self.wrapped(a.constant + b.constant),
                })?
            }
            ExprKind::Binary(BinOp::Sub, a, b) => {
                let (a, b) = (self.sum(a, known)?, self.sum(b, known)?);
                let plain = b.pointer.is_none() && b.index.is_none();
                plain.then(|| Sum { constant: self.wrapped(a.constant - b.constant), ..a })?
            }
            ExprKind::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.sum(a, known)?, self.sum(b, known)?);
                let plain = |s: &Sum| s.pointer.is_none() && s.index.is_none();
                let (sum, times) = if plain(&b) { (a, b.constant) } else { (b, a.constant) };
                let sizes = 0..=i128::from(u32::MAX >> 1);
                if sum.pointer.is_some() || !plain(&constant(times)) || !sizes.contains(&times) {
                    return None;
                }
                let index = match sum.index {
                    None => None,
                    Some((_, by)) if by != 1 => return None,
                    Some((index, _)) => Some((index, times)),
                };
                Sum { pointer: None, index, constant: self.wrapped(sum.constant * times) }
            }
            _ => return None,
        })
    }

    /// A constant within the signed numbers of the size of an address.
    fn wrapped(&self, constant: i128) -> i128 {
        IntType::word(self.model, true).wrap(constant)
    }

    /// What is known after an instruction.
    fn step(&self, kind: &NodeKind, known: &mut FxHashMap<u32, Sum>) {
        let NodeKind::Instr(instr, _) = kind else { return };
        match instr {
            Instr::Nop | Instr::Open | Instr::Assume(_) | Instr::ChangesNothing(_) => {}
            Instr::Assign(place, e) => {
                let sum = self.sum(e, known).filter(|s| self.is_followed(s));
                self.written(place, known);
                if let (PlaceKind::Var(VarRef::Local(v)), Some(sum)) = (&place.kind, sum)
                    && self.own[*v as usize]
                    && self.word(&place.ty)
                    && !mentions(&sum, |u| u == VarRef::Local(*v))
                {
                    known.insert(*v, sum);
                }
            }
            Instr::Zero(place, _) | Instr::Havoc(place) | Instr::BlockSize(place, _) => {
                self.written(place, known)
            }
            Instr::Alloc { dest, .. } => self.written(dest, known),
            Instr::Nondet(dest, n) => {
                if n.foreign || !n.pointers.is_empty() {
                    self.shared_written(known);
                }
                dest.iter().for_each(|p| self.written(p, known));
            }
            Instr::Call { dest, .. } => {
                self.shared_written(known);
                dest.iter().for_each(|p| self.written(p, known));
            }
            Instr::Clear(..) | Instr::Free(_) | Instr::Scope { .. } | Instr::Quit { .. } => {
                known.clear();
            }
        }
    }

    fn written(&self, place: &Place, known: &mut FxHashMap<u32, Sum>) {
        match place.root() {
            Some(root) => known.retain(|v, s| root != VarRef::Local(*v) && !mentions(s, |u| u == root)),
            None => self.shared_written(known),
        }
    }

    /// What others than this function can write has changed.
    fn shared_written(&self, known: &mut FxHashMap<u32, Sum>) {
        known.retain(|_, s| !mentions(s, |u| !matches!(u, VarRef::Local(v) if self.own[v as usize])));
    }

    /// Is it computed from variables only, which are not volatile?
    fn is_followed(&self, s: &Sum) -> bool {
        s.pointer.iter().chain(s.index.as_ref().map(|i| &i.0)).all(|e| self.reads_variables(e))
    }

    fn reads_variables(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Const(_) => true,
            ExprKind::Load(p) => p.root().is_some() && self.is_variable(p),
            ExprKind::Address(p) => self.is_variable(p),
            ExprKind::Cast(a) => self.reads_variables(a),
            ExprKind::PtrAdd(a, b, _) => self.reads_variables(a) && self.reads_variables(b),
            _ => false,
        }
    }

    fn is_variable(&self, p: &Place) -> bool {
        match &p.kind {
            PlaceKind::Var(VarRef::Local(v)) => !self.volatile[*v as usize],
            PlaceKind::Var(VarRef::Global(g)) => !self.unit.globals[*g as usize].var.volatile,
            PlaceKind::Deref(e) => self.reads_variables(e),
            PlaceKind::Field(base, k) => {
                let Type::Record(r) = base.ty else { return false };
                !self.unit.records.fields(r)[*k as usize].volatile && self.is_variable(base)
            }
            PlaceKind::Index(base, i) => self.is_variable(base) && self.reads_variables(i),
        }
    }

    // ---- addresses -----------------------------------------------------------------------------

    fn records(&self) -> &Records {
        &self.unit.records
    }

    /// The pointer that a number becomes where `wanted` stands.
    fn address(&self, sum: Sum, wanted: &Expr) -> Option<Expr> {
        let pointer = sum.pointer?;
        let (span, signed) = (wanted.span, IntType::word(self.model, true));
        let number = |n: i128| Expr::constant(n, Type::Int(signed), span);
        let converted = |e: Expr, ty: Type| Expr { ty, kind: ExprKind::Cast(Box::new(e)), span };
        if sum.constant == 0 && sum.index.is_none() {
            return Some(converted(pointer, wanted.ty.clone()));
        }
        let moved = |p: Expr, n: Expr| Expr {
            ty: p.ty.clone(),
            kind: ExprKind::PtrAdd(Box::new(p), Box::new(n), false),
            span,
        };
        let pointee = pointer.ty.pointee()?.clone();
        let size = match pointee {
            Type::Void | Type::Function(_) => None,
            _ => self.records().size_of(&pointee, self.model).filter(|s| *s > 0).map(i128::from),
        };
        if let Some(size) = size.filter(|_| sum.constant >= 0) {
            let (mut first, mut index) = (pointer.clone(), sum.index.clone());
            if let Some((i, _)) = index.take_if(|(_, by)| *by == size) {
                first = moved(first, i.cast(Type::Int(signed)));
            }
            if sum.constant >= size {
                first = moved(first, number(sum.constant / size));
            }
            let place = Place { ty: pointee, kind: PlaceKind::Deref(Box::new(first)), span };
            let rest = u64::try_from(sum.constant % size).ok()?;
            let target = wanted.ty.pointee()?;
            let inner = self.member(place.clone(), rest, index.clone(), Some(target));
            if let Some(inner) = inner.or_else(|| self.member(place, rest, index, None)) {
                let ty = inner.ty.clone().pointer_to();
                let plain = ty == wanted.ty && !wanted.ty.points_to_volatile();
                let address = Expr { ty, kind: ExprKind::Address(Box::new(inner)), span };
                return Some(if plain { address } else { converted(address, wanted.ty.clone()) });
            }
        }
        if sum.index.is_some() {
            return None;
        }
        let bytes = converted(pointer, Type::Int(IntType::CHAR).pointer_to());
        Some(converted(moved(bytes, number(sum.constant)), wanted.ty.clone()))
    }

    /// The part of a place at an offset, with an index that counts elements of a size: of a type, or the
    /// largest one.
    fn member(
        &self,
        place: Place,
        offset: u64,
        index: Option<(Expr, i128)>,
        wanted: Option<&Type>,
    ) -> Option<Place> {
        let fits = wanted.is_none_or(|ty| self.records().compatible(&place.ty, ty));
        if offset == 0 && index.is_none() && fits {
            return Some(place);
        }
        let span = place.span;
        match place.ty.clone() {
            Type::Record(r) if !self.records().get(r).union => {
                let fields = self.records().fields(r).iter().enumerate();
                let size = |ty: &Type| match ty {
                    Type::Array(_, Len::Unknown) => Some(u64::MAX),
                    _ => self.records().size_of(ty, self.model),
                };
                let (k, field) = fields
                    .filter(|(_, f)| !f.bit_field && f.offset <= offset)
                    .rfind(|(_, f)| size(&f.ty).is_some_and(|s| offset - f.offset < s))?;
                let kind = PlaceKind::Field(Box::new(place), k as u32);
                let inner = Place { ty: field.ty.clone(), kind, span };
                self.member(inner, offset - field.offset, index, wanted)
            }
            Type::Array(element, _) => {
                let size = self.records().size_of(&element, self.model).filter(|s| *s > 0)?;
                let signed = Type::Int(IntType::word(self.model, true));
                let constant = Expr::constant(i128::from(offset / size), signed.clone(), span);
                let (at, rest) = match index {
                    Some((i, by)) if by == i128::from(size) => {
                        let i = i.cast(signed.clone());
                        let sum = ExprKind::Binary(BinOp::Add, Box::new(i), Box::new(constant));
                        (Expr { ty: signed, kind: sum, span }, None)
                    }
                    rest => (constant, rest),
                };
                let kind = PlaceKind::Index(Box::new(place), Box::new(at));
                self.member(Place { ty: (*element).clone(), kind, span }, offset % size, rest, wanted)
            }
            _ => None,
        }
    }
}

/// Is a sum computed from some variable?
fn mentions(sum: &Sum, is: impl Fn(VarRef) -> bool) -> bool {
    let mut found = false;
    for e in sum.pointer.iter().chain(sum.index.as_ref().map(|i| &i.0)) {
        Part::Expr(e).visit(&mut |part| {
            found |= matches!(part, Part::Place(Place { kind: PlaceKind::Var(v), .. }) if is(*v));
        });
    }
    found
}
