//! The memory model: objects, their leaves, and abstract addresses.
//!
//! An object (variable or allocated block) is a sequence of **cells**, one for every scalar in it. An address
//! counts cells. Objects lie one after the other with gaps between them. So pointer arithmetic is linear, and
//! two pointers are equal exactly when they point to the same cell. Null is 0; negative addresses are memory
//! of the environment (what unknown pointers point to).
//!
//! A **leaf** is a scalar member, with all array indices left open; leaves are numbered by **slots** (cells
//! with every array counted as one element). A leaf outside arrays is one variable of the program; a leaf
//! inside arrays is one SMT array, indexed by the cell offset that the indices make up. So `a[i]` of an `int
//! a[10]` is `select(a, i)`. A union has the leaves of all its members and one more, its tag, that says which
//! member was written last: [`ALL_ZERO`] and [`INDETERMINATE`] where that was none, [`MIXED`] where it was
//! more than one. Every access to a leaf, by name or through a pointer, sees the tags of unions around it.
//! `layout` computes all that for types; `uses` finds out which variables need an address at all.
//!
//! An object that the program sees through pointers of other types ([`views`]) has the same leaves. Only its
//! addresses are different: they count bytes, so that pointers of all types can move in it. All such objects
//! lie together ([`Memory::byte_region`]).

pub mod blocks;
mod ends;
pub mod foreign;
mod layout;
mod plain;
mod uses;
pub mod views;

use palisade_float::Format;

use crate::inline::{InstanceId, Instances};
use crate::ir::{Instr, NodeId, NodeKind, Part, Storage, Unit, VarRef, Variable};
use crate::options::{COptions, DataModel};
use crate::points_to::PointsTo;
use crate::types::{IntType, Len, RecordId, Type};
pub use layout::{Dim, Layouts, Leaf, Motion, Room, UnionStep};
pub use plain::{Element, Plain, bits_of, gaps};
use uses::{Uses, function_uses, note};

/// Index of an object: variables first (globals, then the locals of all instances), allocation sites after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// Addresses of unknown objects are negative multiples of this: environment objects are disjoint and have at
/// most so many cells.
pub const ENVIRONMENT_STRIDE: i128 = 1 << 20;

/// Integer constants as pointers (except null) lie around here: equal to each other, never equal to an
/// object.
pub const CONSTANTS: i128 = 1 << 60;

/// Addresses from here on were integers: what is there belongs to the environment, and every read gives
/// another value.
pub const FIXED: i128 = 1 << 59;

/// Addresses from here on belong to nothing: pointers to an object that has ended become one of them.
pub const DANGLING: i128 = 1 << 58;

/// The address of no object: what a pointer becomes that leaves its object, and what uninitialised pointers
/// may be.
pub const NOWHERE: i128 = DANGLING - 1;

/// The largest margin around an object, and the most cells that all of them have together.
const LARGEST_MARGIN: i128 = 1 << 24;
const ALL_MARGINS: i128 = 1 << 50;

/// The cells that all objects with many blocks can have together.
const ROOM: i128 = DANGLING / 2;

/// The tag of a union that is zero throughout: every member can be read.
pub const ALL_ZERO: i128 = -2;
/// The tag of a union that holds nothing known: any member can be written in part.
pub const INDETERMINATE: i128 = -1;
/// The tag of a union of which a part of a member was written after another member.
pub const MIXED: i128 = -3;

/// The most bytes of a block that is one struct, and then bytes.
pub fn tail_size(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => 1 << 31,
        DataModel::Lp64 => 1 << 33,
    }
}

/// The address of a function: functions come first, right after null.
pub fn function_address(f: crate::ir::FuncId) -> i128 {
    1 + i128::from(f.0)
}

/// The numbers below this one, and as many of the last ones, have addresses of their own in 64 bits.
const FAR: i128 = 1 << 58;

/// The number of addresses with 64 bits.
const LAST: i128 = 1 << 64;

/// Has an integer constant an address of its own also where addresses have 64 bits?
pub fn has_address(v: i128) -> bool {
    !(FAR..LAST - FAR).contains(&v)
}

/// The address an integer constant stands for. The last ones, `(void *)-1`, come before the others.
pub fn constant_address(v: i128) -> i128 {
    match v {
        0 => 0,
        v if v >= LAST - FAR => CONSTANTS + v - LAST,
        v => CONSTANTS + v,
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
        /// The allocation may be executed more than once: the object holds all its blocks, one after the
        /// other, [`Object::block`] cells from one to the next.
        many: bool,
        /// Who frees it.
        storage: Storage,
    },
}

/// A variable of an instance, a global, or what an allocation site allocates: a sequence of cells.
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
    /// Every read gives another value.
    pub volatile: bool,
    /// It cannot be changed.
    pub constant: bool,
    /// The size of every block that an allocation makes, in bytes, if it is constant.
    pub bytes: Option<u64>,
    /// The number of elements of every such block.
    pub each: Option<u64>,
    /// Of an object that holds many blocks: the cells from one block to the next. A block is shorter than
    /// that, so that the address behind it does not belong to the next one.
    pub block: i128,
    /// The cells that are reserved for it.
    pub extent: i128,
    /// So many cells before and behind it are no other object's: a pointer that leaves it for them can come
    /// back.
    pub margin: i128,
    /// Pointers see it as bytes: addresses in it count bytes, see [`views`].
    pub as_bytes: bool,
    /// It cannot be seen as bytes.
    pub only_cells: bool,
    /// The program sees it as bytes, and it cannot be had as bytes: pointers must not leave its members.
    pub seen_as_bytes: bool,
    /// Pointers to scalars in it move, and may come to the end of a member.
    pub left: bool,
    /// It is an allocated block of bytes, because no type fits its uses.
    pub untyped: bool,
    /// It is an allocated block that is one struct, and then bytes.
    pub tail: bool,
    /// It is an array of bytes in which the program stores pointers, see [`views`].
    pub pool: bool,
    /// The size of an allocated block is written as a number of elements of its type.
    pub whole: bool,
    /// How many parts of an allocated block the points-to analysis tells apart, where the type of the block
    /// is known: at least as many as that has. All that is behind them is one more.
    pub parts: Option<u32>,
}

/// All objects of a program, with their addresses and the layouts of their types.
pub struct Memory<'u> {
    /// Indexed by [`ObjectId`].
    pub objects: Vec<Object>,
    /// Slots and cells.
    pub layouts: Layouts<'u>,
    /// The first allocated object.
    pub heap: u32,
    /// The addresses that count bytes: the first one, and the one behind the last.
    pub byte_region: (i128, i128),
    /// The program sees memory of the environment as more than one type.
    pub mixed: bool,
    /// The slots of the largest struct or union.
    most_slots: u32,
}

impl<'u> Memory<'u> {
    /// The variable that an object is.
    pub fn variable(&self, o: ObjectId, instances: &Instances) -> Option<&'u Variable> {
        let unit = self.layouts.unit();
        match self.get(o).kind {
            Kind::Global(_) => Some(&unit.globals[o.0 as usize].var),
            Kind::Local(i) => {
                let instance = instances.get(i);
                unit.function(instance.function).vars.get((o.0 - instance.first_var) as usize)
            }
            Kind::Heap { .. } => None,
        }
    }

    /// Collects the objects of a program.
    pub fn new(unit: &'u Unit, instances: &Instances, options: &COptions) -> Memory<'u> {
        let layouts = Layouts::new(unit, options);
        let records = (0..unit.records.all.len() as u32).map(|r| Type::Record(RecordId(r)));
        let most_slots = records.map(|ty| layouts.slots(&ty)).max().unwrap_or(1);
        let mut globals =
            Uses { exposed: vec![false; unit.globals.len()], varying: vec![false; unit.globals.len()] };
        let locals: Vec<Uses> = unit.functions.iter().map(|f| function_uses(f, &mut globals)).collect();
        for g in &unit.globals {
            for (p, e) in &g.init {
                let mut none = Uses::default();
                let mut note = |part| note(part, &mut globals, &mut none);
                Part::Place(p).visit(&mut note);
                Part::Expr(e).visit(&mut note);
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
                margin: 0,
                indeterminate: g.external,
                volatile: g.var.volatile,
                constant: g.var.constant,
                bytes: None,
                each: None,
                block: 0,
                extent: 1,
                as_bytes: false,
                only_cells: false,
                seen_as_bytes: false,
                left: false,
                untyped: false,
                tail: false,
                pool: false,
                whole: false,
                parts: None,
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
                    margin: 0,
                    indeterminate: true,
                    volatile: var.volatile,
                    constant: var.constant,
                    bytes: None,
                    each: None,
                    block: 0,
                    extent: 1,
                    as_bytes: false,
                    only_cells: false,
                    seen_as_bytes: false,
                    left: false,
                    untyped: false,
                    tail: false,
                    pool: false,
                    whole: false,
                    parts: None,
                });
            }
        }
        for o in &mut objects {
            let fixed = layouts.cells(&o.ty);
            o.split &=
                matches!(o.ty, Type::Array(..) | Type::Record(_)) && fixed <= i128::from(options.scalarise);
        }
        let heap = objects.len() as u32;
        let (byte_region, mixed) = ((0, 0), false);
        let mut memory = Memory { objects, layouts, heap, most_slots, byte_region, mixed };
        memory.add_heap(unit, instances);
        memory.name_locals(unit, instances);
        memory
    }

    fn add_heap(&mut self, unit: &Unit, instances: &Instances) {
        let cyclic: Vec<Vec<bool>> =
            unit.functions.iter().map(|f| crate::ends::on_cycles(f, &vec![false; f.nodes.len()])).collect();
        let mut repeated: Vec<bool> = Vec::new();
        // The parts that a block of so many bytes can have. A larger type raises the bound.
        let records = (0..unit.records.all.len() as u32).map(|r| Type::Record(RecordId(r)));
        let sizes: Vec<(i128, u32)> =
            records.filter_map(|ty| Some((self.layouts.size(&ty)?, self.layouts.slots(&ty)))).collect();
        let parts_within = |bytes: i128| {
            let fitting = sizes.iter().filter(|(size, _)| *size <= bytes);
            fitting.map(|(_, slots)| *slots).max().unwrap_or(1)
        };
        for (i, instance) in instances.all.iter().enumerate() {
            let again = instance.caller.is_some_and(|(c, n)| {
                let f = instances.get(c).function;
                repeated[c.0 as usize] || cyclic[f.0 as usize][n.0 as usize]
            });
            repeated.push(again);
            let f = unit.function(instance.function);
            let mut sites: Vec<(bool, bool, Storage, bool, Option<u32>)> =
                vec![Default::default(); f.sites as usize];
            for (n, node) in f.nodes.iter().enumerate() {
                if let NodeKind::Instr(Instr::Alloc { dest, zero, site, storage, count, .. }, _) = &node.kind
                {
                    let many = again || cyclic[instance.function.0 as usize][n];
                    let place = (InstanceId(i as u32), NodeId(n as u32));
                    let parts = crate::sizes::constant(unit, instances, count, place).map(parts_within);
                    sites[*site as usize] = (*zero, many, *storage, dest.ty.points_to_volatile(), parts);
                }
            }
            for (k, (zero, many, storage, volatile, parts)) in sites.into_iter().enumerate() {
                self.objects.push(Object {
                    name: match f.block_names.get(k) {
                        Some(name) => name.clone(),
                        None => format!("{}::block{}", instance.name, k + 1),
                    },
                    ty: Type::Void,
                    kind: Kind::Heap { instance: InstanceId(i as u32), zero, many, storage },
                    exposed: true,
                    split: false,
                    base: 0,
                    margin: 0,
                    indeterminate: !zero,
                    // What the program allocates does not change by itself, what it is given may.
                    volatile: volatile && f.block_names.get(k).is_some(),
                    constant: false,
                    bytes: None,
                    each: None,
                    block: 0,
                    extent: 1,
                    as_bytes: false,
                    only_cells: false,
                    seen_as_bytes: false,
                    left: false,
                    untyped: false,
                    tail: false,
                    pool: false,
                    whole: false,
                    parts,
                });
            }
        }
    }

    /// Gives locals names that tell them apart: `x` in the entry function, `f::x` elsewhere, `f#2::x` in
    /// further instances.
    fn name_locals(&mut self, unit: &Unit, instances: &Instances) {
        let mut taken: rustc_hash::FxHashSet<String> =
            unit.globals.iter().map(|g| g.var.name.clone()).collect();
        // For each name the least number that may be free: thousands of variables may have one name.
        let mut next: rustc_hash::FxHashMap<String, usize> = rustc_hash::FxHashMap::default();
        for (i, instance) in instances.all.iter().enumerate() {
            let count = unit.function(instance.function).vars.len();
            for v in 0..count {
                let o = &mut self.objects[instance.first_var as usize + v];
                let plain = o.name.clone();
                let mut name = if i == 0 { plain.clone() } else { format!("{}::{plain}", instance.name) };
                if i == 0 && taken.contains(&name) {
                    name = format!("{}::{plain}", instance.name);
                }
                if !taken.insert(name.clone()) {
                    let k = next.entry(name.clone()).or_insert(2);
                    loop {
                        let numbered = format!("{name}~{k}");
                        *k += 1;
                        if taken.insert(numbered.clone()) {
                            name = numbered;
                            break;
                        }
                    }
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

    /// Are there pointers in an object, by its type?
    pub fn may_hold_pointers(&self, o: ObjectId) -> bool {
        let pointer = |t: &Type| matches!(t, Type::Pointer(_) | Type::Void);
        self.get(o).ty.has(&self.layouts.unit.records, &pointer)
    }

    /// Is it a pointer to what looks like registers?
    pub fn leads_to_registers(&self, ty: &Type) -> bool {
        self.layouts.unit.records.leads_to_registers(ty)
    }

    /// The object of a number.
    pub fn get(&self, o: ObjectId) -> &Object {
        &self.objects[o.0 as usize]
    }

    /// The first address that is no function's, and the first of an object.
    pub fn between_functions_and_objects(&self) -> (i128, i128) {
        let functions = self.layouts.unit().functions.len() as i128;
        (1 + functions, 16 + functions)
    }

    /// Lays out the objects whose address matters, once all types are known.
    pub fn place_objects(&mut self) {
        let (_, mut next) = self.between_functions_and_objects();
        let groups = self.objects.iter().filter(|o| matches!(o.kind, Kind::Heap { many: true, .. })).count();
        for o in self.objects.iter_mut().filter(|o| o.exposed && !o.as_bytes) {
            o.base = next;
            o.extent = self.layouts.cells(&o.ty).max(1);
            if let (Kind::Heap { many: true, .. }, Type::Array(element, _)) = (o.kind, &o.ty) {
                let most = o.each.map_or(1 << 31, i128::from);
                o.block = self.layouts.cells(element) * (most as u128 + 1).next_power_of_two() as i128;
                let room = (ROOM / groups as i128 / o.block).max(1);
                o.extent = o.block * room.min(self.layouts.span());
            }
            next += o.extent + 16;
        }
        // Multiples of 16, as the machine has them, so that offsets say whether an address is aligned.
        let first = (next + 15) / 16 * 16;
        next = first;
        let margin = self.margin();
        for o in self.objects.iter_mut().filter(|o| o.as_bytes) {
            o.margin = if matches!(o.kind, Kind::Heap { many: true, .. }) { 0 } else { margin };
            o.base = next + o.margin;
            o.extent = self.layouts.size(&o.ty).unwrap_or(self.layouts.span()).max(1);
            if let (Kind::Heap { many: true, .. }, Type::Array(element, _)) = (o.kind, &o.ty) {
                let most = o.each.map_or(1 << 31, i128::from);
                let size = self.layouts.size(element).unwrap_or(1);
                o.block = size * (most as u128 + 1).next_power_of_two() as i128;
                let room = (ROOM / groups as i128 / o.block).max(1);
                o.extent = o.block * room.min(self.layouts.span());
            }
            next = (o.base + o.extent + o.margin + 31) / 16 * 16;
        }
        self.byte_region = (first, next);
    }

    /// How far a pointer to the head of a list, as one to a struct around it, is from the head: no more than
    /// the largest struct, if that is not too much for all objects together.
    fn margin(&self) -> i128 {
        let records = 0..self.layouts.unit().records.all.len() as u32;
        let sizes = records.filter_map(|r| self.layouts.size(&Type::Record(RecordId(r))));
        let largest = sizes.filter(|n| *n <= LARGEST_MARGIN).max().unwrap_or(0);
        let margin = (largest + 15) / 16 * 16;
        let objects = self.objects.iter().filter(|o| o.as_bytes).count() as i128;
        if margin * objects <= ALL_MARGINS { margin } else { 0 }
    }

    /// The slot of a part of an object, for the points-to analysis: all parts of an object that pointers see
    /// as bytes are one, and so is all that is outside of an object. Without that, `p = &p->member` in a loop
    /// would lead further and further away from an object of another type.
    pub fn part_of(&self, o: ObjectId, slot: u32) -> u32 {
        let object = self.get(o);
        let inside = match object.kind {
            _ if object.as_bytes => return 0,
            // Its type is found by this analysis.
            Kind::Heap { .. } => object.parts.unwrap_or(self.most_slots),
            Kind::Global(_) | Kind::Local(_) => self.layouts.slots(&object.ty),
        };
        slot.min(inside.max(1))
    }

    /// Bounds the parts of allocated blocks by their types, where the analysis has found pointers to what is
    /// behind these. Returns whether that is new: then the analysis must be repeated. A type that grows
    /// raises its bound, so in the end no bound is below the type of its block.
    pub fn bound_parts(&mut self, points_to: &PointsTo) -> bool {
        let most = points_to.last_parts();
        let mut changed = false;
        for (k, o) in self.objects.iter_mut().enumerate().skip(self.heap as usize) {
            if o.ty == Type::Void {
                continue;
            }
            let slots = self.layouts.slots(&o.ty).max(1);
            let beyond = most.get(&ObjectId(k as u32)).is_some_and(|last| *last > slots);
            if o.parts.is_none_or(|n| n < slots) && (o.parts.is_some() || beyond) {
                o.parts = Some(slots);
                changed = true;
            }
        }
        changed
    }

    /// Has each block of an object a length of its own?
    pub fn has_lengths(&self, o: ObjectId) -> bool {
        let object = self.get(o);
        if object.as_bytes { object.bytes.is_none() } else { object.each.is_none() }
    }

    /// Does the object hold many blocks?
    pub fn is_many(&self, o: ObjectId) -> bool {
        matches!(self.get(o).kind, Kind::Heap { many: true, .. })
    }

    /// The addresses of one element of an object that is an array of unknown length, or of the whole object.
    pub fn element_cells(&self, o: ObjectId) -> i128 {
        let object = self.get(o);
        let ty = match &object.ty {
            Type::Array(element, Len::Unknown) => element,
            ty => ty,
        };
        match object.as_bytes {
            true => self.layouts.size(ty).unwrap_or(1),
            false => self.layouts.cells(ty),
        }
    }
}

/// The type of cells in memory of the environment: integers by width and signedness, or addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// An integer.
    Int(IntType),
    /// A floating-point number.
    Float(Format),
    /// A pointer.
    Address,
}

impl Cell {
    /// The cell of a scalar type.
    pub fn of(ty: &Type) -> Option<Cell> {
        match ty {
            Type::Int(t) => Some(Cell::Int(*t)),
            Type::Ieee(f) => Some(Cell::Float(*f)),
            Type::Pointer(_) => Some(Cell::Address),
            _ => None,
        }
    }
}
