//! The memory model: objects, their leaves, and abstract addresses.
//!
//! An object (variable or allocated block) is a sequence of **cells**, one for every scalar in it. An address is a number of cells;
//! objects lie one after the other with gaps between them, so pointer arithmetic is linear and two pointers are equal exactly when they point
//! to the same cell. Null is 0; negative addresses are memory of the environment (what unknown pointers point to).
//!
//! A **leaf** is a scalar member, with all array indices left open; leaves are numbered by **slots** (cells with every array counted as one
//! element). A leaf outside arrays is one variable of the program; a leaf inside arrays is one SMT array, indexed by the cell offset that the indices make up.
//! So `a[i]` of an `int a[10]` is `select(a, i)`. A union has the leaves of all its members and one more that says which member
//! was written last.

use std::cell::RefCell;
use std::sync::Arc;

use crate::inline::{InstanceId, Instances};
use crate::ir::{Callee, Expr, ExprKind, Function, Instr, NodeKind, Place, PlaceKind, Unit, VarRef};
use crate::options::{COptions, DataModel, IntMode};
use crate::types::{IntType, Len, RecordId, Type};

/// Index of an object: variables first (globals, then the locals of all instances), allocation sites after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// Addresses of unknown objects are negative multiples of this: environment objects are disjoint and have at most so many cells.
pub const ENVIRONMENT_STRIDE: i128 = 1 << 20;

/// Integer constants as pointers (except null) lie here: equal to each other, never equal to an object.
const CONSTANTS: i128 = 1 << 60;

/// The address of a function: functions come first, right after null.
pub fn function_address(f: crate::ir::FuncId) -> i128 {
    1 + i128::from(f.0)
}

/// The address an integer constant stands for.
pub fn constant_address(v: i128) -> i128 {
    if v == 0 { 0 } else { CONSTANTS + v }
}

/// An array dimension around a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Dim {
    /// Cells from one element to the next.
    pub stride: i128,
    /// How many elements.
    pub len: Len,
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
    /// A scalar type (or floating point, which is never accessed).
    pub ty: Type,
    /// The path to it, for names: `.f`, `.g.h`.
    pub path: String,
}

struct RecordLayout {
    slots: u32,
    cells: i128,
    fields: Vec<(u32, i128)>,
}

/// Slots and cells of types.
pub struct Layouts<'u> {
    unit: &'u Unit,
    /// The number of cells reserved for an array of unknown length: no object has more elements than this.
    span: i128,
    records: RefCell<Vec<Option<Arc<RecordLayout>>>>,
}

impl<'u> Layouts<'u> {
    fn new(unit: &'u Unit, options: &COptions) -> Self {
        // Objects are not larger than half the address space.
        let bits =
            if options.int_mode == IntMode::Math || options.data_model == DataModel::Lp64 { 47 } else { 31 };
        Layouts { unit, span: 1 << bits, records: RefCell::new(vec![None; unit.records.all.len()]) }
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
    pub fn leaves(&self, ty: &Type) -> Vec<Leaf> {
        let mut out = Vec::new();
        self.collect(ty, 0, 0, &mut Vec::new(), "", &mut out);
        out
    }

    fn collect(
        &self,
        ty: &Type,
        slot: u32,
        offset: i128,
        dims: &mut Vec<Dim>,
        path: &str,
        out: &mut Vec<Leaf>,
    ) {
        match ty {
            Type::Array(t, len) => {
                dims.push(Dim { stride: self.cells(t), len: *len });
                self.collect(t, slot, offset, dims, path, out);
                dims.pop();
            }
            Type::Record(r) => {
                for (k, f) in self.unit.records.fields(*r).iter().enumerate() {
                    let (s, c) = self.field(*r, k as u32);
                    let name =
                        if f.name.is_empty() { path.to_string() } else { format!("{path}.{}", f.name) };
                    self.collect(&f.ty, slot + s, offset + c, dims, &name, out);
                }
                if self.unit.records.get(*r).union {
                    let (s, c) = self.tag(*r);
                    self.push(slot + s, offset + c, dims, &Type::INT, format!("{path}.#member"), out);
                }
            }
            _ => self.push(slot, offset, dims, ty, path.to_string(), out),
        }
    }

    fn push(&self, slot: u32, offset: i128, dims: &[Dim], ty: &Type, path: String, out: &mut Vec<Leaf>) {
        out.push(Leaf { slot, offset, dims: dims.to_vec(), ty: ty.clone(), path });
    }

    /// The leaf at a slot.
    pub fn leaf(&self, ty: &Type, slot: u32) -> Option<Leaf> {
        let mut dims = Vec::new();
        let (mut ty, mut slot, mut offset, mut base) = (ty.clone(), slot, 0, 0);
        let mut path = String::new();
        loop {
            match &ty {
                Type::Array(t, len) => {
                    dims.push(Dim { stride: self.cells(t), len: *len });
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
                        path.push_str(".#member");
                        offset += layout.cells - 1;
                        let ty = Type::INT;
                        return Some(Leaf { slot: base + slot, offset, dims, ty, path });
                    }
                    let k = layout.fields.partition_point(|f| f.0 <= slot).checked_sub(1)?;
                    let field = &self.unit.records.fields(r)[k];
                    let (s, c) = layout.fields[k];
                    if !field.name.is_empty() {
                        path.push('.');
                        path.push_str(&field.name);
                    }
                    slot -= s;
                    base += s;
                    offset += c;
                    ty = field.ty.clone();
                }
                _ => {
                    return (slot == 0).then_some(Leaf { slot: base, offset, dims, ty, path });
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
                let fields = self.unit.records.fields(*r);
                layout.fields.iter().zip(fields).any(|((s, _), f)| {
                    slot >= *s && slot - s < self.slots(&f.ty) && self.steps(&f.ty, slot - s, pointee)
                })
            }
            _ => false,
        }
    }

    /// Have objects of these types the same cells in the same places? Struct types of two files are compared by their members.
    fn same_shape(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Int(x), Type::Int(y)) => x.bits == y.bits && x.boolean == y.boolean,
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (Type::Record(x), Type::Record(y)) => {
                let (r, s) = (self.unit.records.get(*x), self.unit.records.get(*y));
                let (f, g) = (self.unit.records.fields(*x), self.unit.records.fields(*y));
                x == y
                    || (r.union == s.union
                        && f.len() == g.len()
                        && f.iter().zip(g).all(|(a, b)| a.name == b.name && self.same_shape(&a.ty, &b.ty)))
            }
            (Type::Array(x, m), Type::Array(y, n)) => m == n && self.same_shape(x, y),
            (Type::Float(x), Type::Float(y)) => x == y,
            _ => false,
        }
    }
}

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A global variable. The flag: its initial value is unknown.
    Global(bool),
    /// A local variable of an instance.
    Local(InstanceId),
    /// An allocated block.
    Heap {
        /// The instance that allocates it.
        instance: InstanceId,
        /// Zeroed.
        zero: bool,
        /// The allocation may be executed more than once: the object holds all its blocks, one after the other.
        many: bool,
    },
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name, for the variables made from it.
    pub name: String,
    /// Its type; that of an allocated block is found out from its uses.
    pub ty: Type,
    /// Where it comes from.
    pub kind: Kind,
    /// Its address is used.
    pub exposed: bool,
    /// Its arrays are only indexed by constants and small: every cell is a variable.
    pub split: bool,
    /// The address of its first cell.
    pub base: i128,
    /// The value of its arrays is, or may be, indeterminate.
    pub indeterminate: bool,
}

/// All objects.
pub struct Memory<'u> {
    /// Indexed by [`ObjectId`].
    pub objects: Vec<Object>,
    /// Slots and cells.
    pub layouts: Layouts<'u>,
    /// The first allocated object.
    pub heap: u32,
}

/// How a function uses its variables.
#[derive(Clone, Debug, Default)]
struct Uses {
    exposed: Vec<bool>,
    varying: Vec<bool>,
}

impl<'u> Memory<'u> {
    /// Collects the objects of a program.
    pub fn new(unit: &'u Unit, instances: &Instances, options: &COptions) -> Memory<'u> {
        let layouts = Layouts::new(unit, options);
        let mut globals =
            Uses { exposed: vec![false; unit.globals.len()], varying: vec![false; unit.globals.len()] };
        let locals: Vec<Uses> = unit.functions.iter().map(|f| function_uses(f, &mut globals)).collect();
        for g in &unit.globals {
            for (p, e) in &g.init {
                let mut none = Uses::default();
                place_uses(p, &mut globals, &mut none);
                expr_uses(e, &mut globals, &mut none);
            }
        }
        let mut objects = Vec::with_capacity(instances.vars as usize);
        for (i, g) in unit.globals.iter().enumerate() {
            objects.push(Object {
                name: g.var.name.clone(),
                ty: g.var.ty.clone(),
                kind: Kind::Global(g.external),
                exposed: globals.exposed[i],
                split: !globals.exposed[i] && !globals.varying[i],
                base: 0,
                indeterminate: g.external,
            });
        }
        for (i, instance) in instances.all.iter().enumerate() {
            let uses = &locals[instance.function.0 as usize];
            for (v, var) in unit.function(instance.function).vars.iter().enumerate() {
                objects.push(Object {
                    name: var.name.clone(),
                    ty: var.ty.clone(),
                    kind: Kind::Local(InstanceId(i as u32)),
                    exposed: uses.exposed[v],
                    split: !uses.exposed[v] && !uses.varying[v],
                    base: 0,
                    indeterminate: true,
                });
            }
        }
        for o in &mut objects {
            let fixed = layouts.cells(&o.ty);
            o.split &=
                matches!(o.ty, Type::Array(..) | Type::Record(_)) && fixed <= i128::from(options.scalarise);
        }
        let heap = objects.len() as u32;
        let mut memory = Memory { objects, layouts, heap };
        memory.add_heap(unit, instances);
        memory.name_locals(unit, instances);
        memory
    }

    fn add_heap(&mut self, unit: &Unit, instances: &Instances) {
        let cyclic: Vec<Vec<bool>> = unit.functions.iter().map(nodes_in_cycles).collect();
        let mut repeated: Vec<bool> = Vec::new();
        for (i, instance) in instances.all.iter().enumerate() {
            let again = instance.caller.is_some_and(|(c, n)| {
                let f = instances.get(c).function;
                repeated[c.0 as usize] || cyclic[f.0 as usize][n.0 as usize]
            });
            repeated.push(again);
            let f = unit.function(instance.function);
            let mut sites: Vec<Option<(bool, bool)>> = vec![None; f.sites as usize];
            for (n, node) in f.nodes.iter().enumerate() {
                if let NodeKind::Instr(Instr::Alloc { zero, site, .. }, _) = &node.kind {
                    sites[*site as usize] = Some((*zero, again || cyclic[instance.function.0 as usize][n]));
                }
            }
            for (k, s) in sites.into_iter().enumerate() {
                let (zero, many) = s.unwrap_or((false, false));
                self.objects.push(Object {
                    name: format!("{}::block{}", instance.name, k + 1),
                    ty: Type::Void,
                    kind: Kind::Heap { instance: InstanceId(i as u32), zero, many },
                    exposed: true,
                    split: false,
                    base: 0,
                    indeterminate: !zero,
                });
            }
        }
    }

    /// Gives locals names that tell them apart: `x` in the entry function, `f::x` elsewhere, `f#2::x` in further instances.
    fn name_locals(&mut self, unit: &Unit, instances: &Instances) {
        let mut taken: rustc_hash::FxHashSet<String> =
            unit.globals.iter().map(|g| g.var.name.clone()).collect();
        for (i, instance) in instances.all.iter().enumerate() {
            let count = unit.function(instance.function).vars.len();
            for v in 0..count {
                let o = &mut self.objects[instance.first_var as usize + v];
                let plain = o.name.clone();
                let mut name = if i == 0 { plain.clone() } else { format!("{}::{plain}", instance.name) };
                if i == 0 && taken.contains(&name) {
                    name = format!("{}::{plain}", instance.name);
                }
                let stem = name.clone();
                let mut k = 2;
                while !taken.insert(name.clone()) {
                    name = format!("{stem}~{k}");
                    k += 1;
                }
                o.name = name;
            }
        }
    }

    /// The object of a variable.
    pub fn object_of(&self, v: VarRef, instances: &Instances, i: InstanceId) -> ObjectId {
        match v {
            VarRef::Global(g) => ObjectId(g),
            VarRef::Local(l) => ObjectId(instances.get(i).first_var + l),
        }
    }

    /// The object of an allocation site.
    pub fn block(&self, instances: &Instances, i: InstanceId, site: u32) -> ObjectId {
        ObjectId(self.heap + instances.get(i).first_site + site)
    }

    /// An object.
    pub fn get(&self, o: ObjectId) -> &Object {
        &self.objects[o.0 as usize]
    }

    /// Lays out the objects whose address matters, once all types are known.
    pub fn place_objects(&mut self) {
        let mut next = 16 + self.layouts.unit.functions.len() as i128;
        for o in self.objects.iter_mut().filter(|o| o.exposed) {
            o.base = next;
            let many = matches!(o.kind, Kind::Heap { many: true, .. });
            next += self.layouts.cells(&o.ty).max(if many { self.layouts.span } else { 1 }) + 16;
        }
    }

    /// Does the type contain a pointer at this slot?
    pub fn pointer_slots(&self, ty: &Type) -> Vec<u32> {
        self.layouts
            .leaves(ty)
            .into_iter()
            .filter(|l| matches!(l.ty, Type::Pointer(_)))
            .map(|l| l.slot)
            .collect()
    }
}

/// The type of cells in memory of the environment: integers by width and signedness, or addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// An integer.
    Int(IntType),
    /// A pointer.
    Address,
}

impl Cell {
    /// The cell of a scalar type.
    pub fn of(ty: &Type) -> Option<Cell> {
        match ty {
            Type::Int(t) => Some(Cell::Int(*t)),
            Type::Pointer(_) => Some(Cell::Address),
            _ => None,
        }
    }
}

fn function_uses(f: &Function, globals: &mut Uses) -> Uses {
    let mut uses = Uses { exposed: vec![false; f.vars.len()], varying: vec![false; f.vars.len()] };
    for node in &f.nodes {
        match &node.kind {
            NodeKind::Instr(instr, _) => match instr {
                Instr::Nop => {}
                Instr::Assign(p, e) => {
                    place_uses(p, globals, &mut uses);
                    expr_uses(e, globals, &mut uses);
                }
                Instr::Zero(p) | Instr::Havoc(p) | Instr::Nondet(Some(p), _) => {
                    place_uses(p, globals, &mut uses)
                }
                Instr::Nondet(None, _) => {}
                Instr::Assume(e) => expr_uses(e, globals, &mut uses),
                Instr::Alloc { dest, count, .. } => {
                    place_uses(dest, globals, &mut uses);
                    expr_uses(count, globals, &mut uses);
                }
                Instr::Call { dest, callee, args } => {
                    if let Some(p) = dest {
                        place_uses(p, globals, &mut uses);
                    }
                    if let Callee::Indirect(e) = callee {
                        expr_uses(e, globals, &mut uses);
                    }
                    for a in args {
                        expr_uses(a, globals, &mut uses);
                    }
                }
            },
            NodeKind::Branch(e, ..) | NodeKind::Switch(e, ..) => expr_uses(e, globals, &mut uses),
            _ => {}
        }
    }
    uses
}

fn place_uses(p: &Place, globals: &mut Uses, locals: &mut Uses) {
    match &p.kind {
        PlaceKind::Var(_) => {}
        PlaceKind::Deref(e) => expr_uses(e, globals, locals),
        PlaceKind::Field(base, _) => place_uses(base, globals, locals),
        PlaceKind::Index(base, i) => {
            expr_uses(i, globals, locals);
            if i.as_const().is_none()
                && let Some(v) = root(base)
            {
                match v {
                    VarRef::Global(g) => globals.varying[g as usize] = true,
                    VarRef::Local(l) => locals.varying[l as usize] = true,
                }
            }
            place_uses(base, globals, locals);
        }
    }
}

/// The variable a place is part of.
fn root(p: &Place) -> Option<VarRef> {
    match &p.kind {
        PlaceKind::Var(v) => Some(*v),
        PlaceKind::Deref(_) => None,
        PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root(base),
    }
}

fn expr_uses(e: &Expr, globals: &mut Uses, locals: &mut Uses) {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Function(_) | ExprKind::Unsupported(_) => {}
        ExprKind::Load(p) => place_uses(p, globals, locals),
        ExprKind::Address(p) => {
            match root(p) {
                Some(VarRef::Global(g)) => globals.exposed[g as usize] = true,
                Some(VarRef::Local(l)) => locals.exposed[l as usize] = true,
                None => {}
            }
            place_uses(p, globals, locals);
        }
        ExprKind::Neg(a) | ExprKind::BitNot(a) | ExprKind::Not(a) | ExprKind::Cast(a) => {
            expr_uses(a, globals, locals)
        }
        ExprKind::Binary(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::PtrAdd(a, b, _)
        | ExprKind::PtrSub(a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b) => {
            expr_uses(a, globals, locals);
            expr_uses(b, globals, locals);
        }
        ExprKind::Cond(c, a, b) => {
            for x in [c, a, b] {
                expr_uses(x, globals, locals);
            }
        }
    }
}

/// Which nodes lie on a cycle of the function's graph (Tarjan's strongly connected components, iteratively).
fn nodes_in_cycles(f: &Function) -> Vec<bool> {
    let n = f.nodes.len();
    let successors = |v: usize| -> Vec<usize> {
        let all: Vec<_> = match &f.nodes[v].kind {
            NodeKind::Instr(_, next) => vec![*next],
            NodeKind::Branch(_, a, b) => vec![*a, *b],
            NodeKind::Switch(_, cases, default) => cases.iter().map(|c| c.2).chain([*default]).collect(),
            _ => Vec::new(),
        };
        all.into_iter().map(|x| x.0 as usize).filter(|&x| x < n).collect()
    };
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let (mut on_stack, mut out) = (vec![false; n], vec![false; n]);
    let (mut stack, mut counter) = (Vec::new(), 0);
    for start in 0..n {
        if index[start] != usize::MAX {
            continue;
        }
        let mut work: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(v) = enter.take() {
                index[v] = counter;
                low[v] = counter;
                counter += 1;
                stack.push(v);
                on_stack[v] = true;
                work.push((v, successors(v)));
            }
            let Some((v, rest)) = work.last_mut() else { break };
            let v = *v;
            match rest.pop() {
                Some(w) if index[w] == usize::MAX => enter = Some(w),
                Some(w) => {
                    if on_stack[w] {
                        low[v] = low[v].min(index[w]);
                        out[v] |= w == v;
                    }
                }
                None => {
                    work.pop();
                    if let Some((u, _)) = work.last() {
                        low[*u] = low[*u].min(low[v]);
                    }
                    if low[v] == index[v] {
                        let at = stack.iter().rposition(|&w| w == v).expect("on the stack");
                        let component = stack.split_off(at);
                        let cycle = component.len() > 1;
                        for w in component {
                            on_stack[w] = false;
                            out[w] |= cycle;
                        }
                    }
                }
            }
        }
    }
    out
}
