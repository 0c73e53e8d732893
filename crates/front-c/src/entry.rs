//! Verification that begins at a function other than `main`: a start function that calls it in any state.
//!
//! Arguments have any value. A pointer argument points to the first of some elements of a fresh object of its
//! own, whose content is arbitrary; of as many as its declaration says, if that is more (`int a[3]`).
//! Pointers in there, in structs and small arrays of them, have objects of their own too, so many levels deep
//! as [`crate::options::Entry`] says; below, they point to nothing known: to memory outside of the program's
//! objects, whose use is a violation where memory safety is the property. Where it says so, each of these
//! pointers can also be null. Global variables have any value or their initial ones ([`Globals`]); a global
//! pointer is treated like an argument. Constant objects keep their values.
//!
//! An object has the name of the pointer that it was made for, with the value that it has on entry:
//! `*p@entry` (debuggers write it so), also when `p` points elsewhere later.
//!
//! A union holds any number in its first member that has all its bits: it was written last. One without such
//! a member was not written.
//!
//! What is left out is told as an assumption of the proof: pointers that are null, that share an object, that
//! point into its middle, or that have none and point to an object of the program. Unions get no objects, and
//! of one state no more than [`MOST`].
//!
//! Entry point: [`start`].

use crate::encode::Assumption;
use crate::ir::{
    Callee, Expr, ExprKind, FuncId, Function, Instr, Node, NodeId, NodeKind, Nondet, Place, PlaceKind, Span,
    Storage, Unit, VarRef, Variable,
};
use crate::library::{ERRNO, PREFIX};
use crate::options::{COptions, DataModel, Entry, Globals};
use crate::source::Source;
use crate::types::{FunctionType, IntType, Len, Records, Type};

/// The name of the start function.
pub(crate) const START: &str = "__palisade_start";
/// So many objects are made for pointers.
const MOST: usize = 40;
/// A declared length is believed up to this one.
const MOST_ELEMENTS: u64 = 1 << 16;
/// The pointers in an array get objects if it has no more elements.
const SMALL_ARRAY: u64 = 4;

/// Adds the start function for a function; returns it, and what it leaves out.
pub(crate) fn start(
    unit: &mut Unit,
    f: FuncId,
    sources: &[Source],
    options: &COptions,
) -> (FuncId, Vec<Assumption>) {
    let callee = unit.function(f).clone();
    let signature =
        Type::Function(FunctionType { result: Type::Void, params: Some(Vec::new()), variadic: false }.into());
    let start = unit.declare(START, signature, callee.span);
    let mut maker = Maker {
        function: Function::declared(START, unit.function(start).ty.clone(), callee.span),
        span: callee.span,
        entry: options.entry,
        elements: options.entry.elements,
        data_model: options.data_model,
        pointers: Vec::new(),
        others: false,
    };
    // The arguments first: the globals of headers may need more objects than there are.
    let mut args = Vec::new();
    for (k, &v) in callee.params.iter().enumerate() {
        let parameter = &callee.vars[v as usize];
        let local = maker.function.vars.len() as u32;
        maker.function.vars.push(Variable { temporary: true, scope: 0, visible: None, ..parameter.clone() });
        let place = Place::var(VarRef::Local(local), parameter.ty.clone(), callee.span);
        let declared = callee.lengths.get(k).copied().flatten().filter(|&n| n <= MOST_ELEMENTS);
        maker.elements = options.entry.elements.max(declared.unwrap_or(1));
        maker.any(&unit.records, place.clone(), &parameter.name, 0);
        args.push(place.load());
    }
    maker.elements = options.entry.elements;
    if options.entry.globals == Globals::Any {
        for (g, global) in unit.globals.iter().enumerate() {
            let ours = global.var.name.starts_with(PREFIX) && global.var.name != ERRNO;
            if !global.var.constant && !global.literal && !ours {
                let place = Place::var(VarRef::Global(g as u32), global.var.ty.clone(), callee.span);
                maker.any(&unit.records, place, &global.var.name, 0);
            }
        }
    }
    maker.emit(Instr::Call { dest: None, callee: Callee::Direct(f), args });
    let left_out = maker.left_out(&callee.name, sources);
    maker.push(NodeKind::Exit);
    unit.functions[start.0 as usize] = maker.function;
    (start, left_out)
}

struct Maker {
    function: Function,
    span: Span,
    entry: Entry,
    /// The elements of the next object.
    elements: u64,
    data_model: DataModel,
    /// The names of pointers that got an object, and its elements.
    pointers: Vec<(String, u64)>,
    /// There are pointers to objects that got none.
    others: bool,
}

impl Maker {
    fn push(&mut self, kind: NodeKind) {
        self.function.nodes.push(Node { kind, span: self.span, loop_head: false, scope: 0 });
    }

    fn emit(&mut self, instr: Instr) {
        let next = NodeId(self.function.nodes.len() as u32 + 1);
        self.push(NodeKind::Instr(instr, next));
    }

    /// Gives a place any value. So many objects are around it.
    fn any(&mut self, records: &Records, place: Place, name: &str, depth: u32) {
        let element = match &place.ty {
            Type::Pointer(target) => match &**target {
                Type::Void => Some(Type::Int(IntType::CHAR)),
                Type::Int(_) | Type::Ieee(_) | Type::Pointer(_) | Type::Record(_) => Some((**target).clone()),
                Type::Array(_, Len::Fixed(_)) => Some((**target).clone()),
                Type::Float(_) | Type::Array(..) | Type::Function(_) => None,
            },
            _ => None,
        };
        // A type that is declared only has no size, and nothing can be known behind such a pointer.
        let size = element.as_ref().and_then(|t| records.size_of(t, self.data_model));
        let (Some(element), Some(size)) = (element, size) else {
            self.emit(Instr::Havoc(place.clone()));
            match &place.ty {
                Type::Pointer(target) => self.others |= !matches!(**target, Type::Function(_)),
                _ => self.inside(records, &place, name, depth),
            }
            return;
        };
        if depth >= self.entry.depth || self.pointers.len() >= MOST {
            self.others = true;
            return self.emit(Instr::Havoc(place));
        }
        // What is inside has the usual number.
        let elements = std::mem::replace(&mut self.elements, self.entry.elements);
        let bytes = i128::from(elements) * i128::from(size);
        let count = Expr::constant(bytes, Type::Int(IntType::UINT), self.span);
        let site = self.function.sites;
        self.function.sites += 1;
        self.pointers.push((name.to_string(), elements));
        let stem = if depth == 0 { format!("{name}@entry") } else { name.to_string() };
        let whole = if elements == 1 { format!("(*{stem})") } else { stem.clone() };
        self.function.block_names.push(whole);
        let dest = if self.entry.null { self.temporary("object", place.ty.clone()) } else { place.clone() };
        self.emit(Instr::Alloc {
            dest: dest.clone(),
            element: element.clone(),
            count,
            zero: false,
            storage: Storage::Allocated,
            by_malloc: true,
            site,
        });
        self.others |= elements > SMALL_ARRAY && element.has_pointers(records);
        for i in 0..elements.min(SMALL_ARRAY) {
            let mut address = dest.clone().load();
            if i > 0 {
                let ty = address.ty.clone();
                let index = Expr::constant(i128::from(i), Type::Int(IntType::INT), self.span);
                let kind = ExprKind::PtrAdd(Box::new(address), Box::new(index), false);
                address = Expr { ty, kind, span: self.span };
            }
            let kind = PlaceKind::Deref(Box::new(address));
            let target = Place { ty: element.clone(), kind, span: self.span };
            let name = if elements == 1 { format!("(*{stem})") } else { format!("{stem}[{i}]") };
            self.inside(records, &target, &name, depth + 1);
        }
        if self.entry.null {
            let int = Type::Int(IntType::INT);
            let choice = self.temporary("choice", int.clone());
            self.emit(Instr::Nondet(Some(choice.clone()), Nondet::value(None, int, self.span)));
            let null = Expr::constant(0, place.ty.clone(), self.span);
            let kind = ExprKind::Cond(Box::new(choice.load()), Box::new(dest.load()), Box::new(null));
            self.emit(Instr::Assign(place.clone(), Expr { ty: place.ty, kind, span: self.span }));
        }
    }

    /// Gives the pointers in an object of any content objects of their own.
    fn inside(&mut self, records: &Records, place: &Place, name: &str, depth: u32) {
        let span = self.span;
        let part = |ty: &Type, kind| Place { ty: ty.clone(), kind, span };
        match &place.ty {
            Type::Record(r) if !records.get(*r).union => {
                for (k, field) in records.fields(*r).iter().enumerate().filter(|(_, f)| !f.bit_field) {
                    let member = part(&field.ty, PlaceKind::Field(Box::new(place.clone()), k as u32));
                    let dot = if field.name.is_empty() { "" } else { "." };
                    self.pointer_inside(records, member, &joined(name, dot, &field.name), depth);
                }
            }
            Type::Record(r) => {
                let size = records.size_of(&place.ty, self.data_model);
                let whole = |t: &Type| matches!(t, Type::Int(_) | Type::Ieee(_));
                let fields = records.fields(*r).iter().enumerate().filter(|(_, f)| !f.bit_field);
                let mut fields = fields.map(|(k, f)| (k as u32, &f.ty));
                self.others |= place.ty.has_pointers(records);
                if let Some((k, ty)) =
                    fields.find(|(_, t)| whole(t) && records.size_of(t, self.data_model) == size)
                {
                    let value = self.temporary("value", ty.clone());
                    let any = Nondet::value(None, ty.clone(), span);
                    self.emit(Instr::Nondet(Some(value.clone()), any));
                    let member = part(ty, PlaceKind::Field(Box::new(place.clone()), k));
                    self.emit(Instr::Assign(member, value.load()));
                }
            }
            Type::Array(element, Len::Fixed(n)) if *n <= SMALL_ARRAY => {
                for i in 0..*n {
                    let index = Expr::constant(i128::from(i), Type::Int(IntType::INT), self.span);
                    let kind = PlaceKind::Index(Box::new(place.clone()), Box::new(index));
                    let cell = part(element, kind);
                    self.pointer_inside(records, cell, &format!("{name}[{i}]"), depth);
                }
            }
            Type::Pointer(_) if depth > 0 => self.pointer_inside(records, place.clone(), name, depth),
            other => self.others |= other.has_pointers(records),
        }
    }

    fn pointer_inside(&mut self, records: &Records, place: Place, name: &str, depth: u32) {
        match &place.ty {
            Type::Pointer(target) if matches!(**target, Type::Function(_)) => {}
            Type::Pointer(_) if depth < self.entry.depth => self.any(records, place, name, depth),
            Type::Record(_) | Type::Array(..) => self.inside(records, &place, name, depth),
            other => self.others |= other.has_pointers(records),
        }
    }

    fn temporary(&mut self, name: &str, ty: Type) -> Place {
        let local = self.function.vars.len() as u32;
        self.function.vars.push(Variable { temporary: true, ..Variable::new(name, ty.clone()) });
        Place::var(VarRef::Local(local), ty, self.span)
    }

    fn left_out(&self, name: &str, sources: &[Source]) -> Vec<Assumption> {
        if self.pointers.is_empty() && !self.others {
            return Vec::new();
        }
        let place = sources[self.span.unit as usize].position(self.span.start as usize).to_string();
        let mut groups: Vec<(u64, Vec<String>)> = Vec::new();
        for (pointer, n) in &self.pointers {
            let shown = pointer.replace("@entry", "");
            match groups.iter_mut().find(|(m, _)| m == n) {
                Some((_, names)) => names.push(shown),
                None => groups.push((*n, vec![shown])),
            }
        }
        let alone = self.pointers.len() == 1;
        let told = |(n, names): &(u64, Vec<String>)| {
            let elements = format!("{n} element{}", if *n == 1 { "" } else { "s" });
            match &names[..] {
                [one] if alone => format!("{one} points to an object of its own, of {elements}"),
                [one] => format!("{one} points to a separate object of {elements}"),
                more => format!("{} point to separate objects of {elements}", more.join(", ")),
            }
        };
        let null = match (self.entry.null, alone) {
            (false, _) => "",
            (true, true) => ", or is null",
            (true, false) => ", or are null",
        };
        let mut told = groups.iter().map(told).collect::<Vec<_>>().join("; ") + null;
        if self.others {
            let (and, other) = if told.is_empty() { ("", "") } else { ("; ", "other ") };
            told = format!("{told}{and}{other}pointers point to no object of the program");
        }
        let what = format!("that on entry of `{name}` {told}");
        vec![Assumption { what, places: vec![place], dead: Vec::new() }]
    }
}

/// The name of a member: `p->a` for `(*p).a`.
pub(crate) fn joined(object: &str, dot: &str, member: &str) -> String {
    match object.strip_prefix("(*").and_then(|o| o.strip_suffix(')')) {
        Some(pointer) if dot == "." => format!("{pointer}->{member}"),
        _ => format!("{object}{dot}{member}"),
    }
}
