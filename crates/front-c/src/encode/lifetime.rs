//! Objects that end: variables of blocks and functions, and blocks that are freed.
//!
//! When an object ends, every pointer to it becomes indeterminate (C11 6.2.4p2). So all variables of the
//! automaton that may hold its address (found by the points-to analysis, backwards) get an address where
//! nothing is, one for each object, if they hold it: each access through them is one outside all objects.
//! Elements of SMT arrays cannot be found like that. If one may hold the address, the object has a flag that
//! says that it has ended, and every access through a pointer looks at it.
//!
//! Blocks of one allocation that is executed repeatedly have an SMT array of flags, by the first cell of the
//! block. Those of `alloca` end all at once, when the function returns: a number says before which cell all
//! blocks have ended.
//!
//! Limits: where an SMT array may hold a pointer to a variable that has ended, the variable cannot exist
//! again: the pointer would be taken for one to the new variable. With `--undefined arbitrary` freed memory
//! is only seen with `--check bounds` and the properties of memory, and where blocks are resized.
//!
//! Entry points: [`Encoder::find_ends`] at the start, [`Encoder::change_scope`], [`Encoder::end_instance`],
//! [`Encoder::free`], and [`Encoder::exists`] for accesses.

use std::collections::BTreeSet;

use palisade_term::{Sort, Term};
use rustc_hash::FxHashMap;

use super::state::Otherwise;
use super::{Encoder, VarKey};
use crate::inline::InstanceId;
use crate::ir::{Expr, Instr, NodeKind, Place, Span, Storage};
use crate::memory::{DANGLING, FIXED, Kind, ObjectId};
use crate::points_to::Target;
use crate::types::{IntType, Type};

/// The objects that end while pointers to them may be left, see [`Encoder::find_ends`].
#[derive(Default)]
pub(super) struct Ends {
    /// The leaves that may then hold their addresses.
    holders: FxHashMap<ObjectId, Vec<(ObjectId, u32)>>,
    /// Those that have a flag.
    flagged: BTreeSet<ObjectId>,
    /// Variables whose addresses an SMT array may hold.
    in_arrays: BTreeSet<ObjectId>,
    /// Leaves that may hold the addresses of several objects or functions.
    undecided: BTreeSet<(ObjectId, u32)>,
}

impl Encoder<'_> {
    /// Does a block end when it is freed?
    fn sees_free(&self) -> bool {
        self.unit.moves || self.options.sees_free()
    }

    /// Finds out which objects end while pointers to them are left.
    pub(super) fn find_ends(&mut self) {
        let mut freed = rustc_hash::FxHashSet::default();
        if self.sees_free() {
            for k in 0..self.instances.all.len() as u32 {
                let i = InstanceId(k);
                for node in &self.unit.function(self.instances.get(i).function).nodes {
                    if let NodeKind::Instr(Instr::Free(e), _) = &node.kind {
                        let targets = self.points_to.targets(e, i, self.instances, self.memory);
                        freed.extend(targets.into_iter().filter_map(|t| match t {
                            Target::Object(o, _) => Some(o),
                            _ => None,
                        }));
                    }
                }
            }
        }
        self.ends.undecided = self.points_to.undecided(self.memory);
        for (o, holder, slot) in self.points_to.holders(self.memory) {
            let object = self.memory.get(o);
            let left = match object.kind {
                Kind::Local(owner) => object.exposed && self.outlives(holder, o, owner),
                Kind::Heap { storage: Storage::Stack, instance, .. } => instance.0 > 0,
                Kind::Heap { .. } => freed.contains(&o),
                Kind::Global(_) => false,
            };
            if left {
                self.ends.holders.entry(o).or_default().push((holder, slot));
            }
        }
        let ending: Vec<ObjectId> = self.ends.holders.keys().copied().collect();
        for o in ending {
            let in_array = |&(h, slot): &(ObjectId, u32)| {
                let object = self.memory.get(h);
                let leaf = self.memory.layouts.leaf(&object.ty, slot);
                !object.split && leaf.is_some_and(|l| !l.dims.is_empty())
            };
            let many = self.memory.is_many(o);
            let outside = self.points_to.environment_holds(o);
            let in_array = self.ends.holders[&o].iter().any(in_array);
            if many || outside || in_array {
                self.ends.flagged.insert(o);
            }
            if in_array && matches!(self.memory.get(o).kind, Kind::Local(_)) {
                self.ends.in_arrays.insert(o);
            }
        }
    }

    /// Can a pointer to a local variable be left in this object when the variable ends?
    fn outlives(&self, holder: ObjectId, o: ObjectId, owner: InstanceId) -> bool {
        let function = self.unit.function(self.instances.get(owner).function);
        let first = self.instances.get(owner).first_var;
        let variable = &function.vars[(o.0 - first) as usize];
        // Those of the first function end with the program.
        if owner.0 == 0 && variable.scope == 0 && !variable.ty.is_variable() {
            return false;
        }
        let Kind::Local(instance) = self.memory.get(holder).kind else { return true };
        if instance == owner {
            // Its declaration may be executed again without an end of the block.
            if variable.ty.is_variable() {
                return true;
            }
            let block = variable.scope;
            let mut at = function.vars[(holder.0 - first) as usize].scope;
            while at != block && at != 0 {
                at = function.scopes[at as usize];
            }
            return at != block;
        }
        let mut at = self.instances.get(owner).caller;
        while let Some((caller, _)) = at {
            if caller == instance {
                return true;
            }
            at = self.instances.get(caller).caller;
        }
        false
    }

    /// Can pointers to the object be left when it ends?
    pub(super) fn may_end(&self, o: ObjectId) -> bool {
        self.ends.holders.contains_key(&o)
    }

    /// Does a change of blocks matter to anything?
    pub(super) fn is_idle(&self, i: InstanceId, left: &[u32], entered: &[u32]) -> bool {
        let object = |v: &u32| ObjectId(self.instances.get(i).first_var + v);
        !left.iter().any(|v| self.may_end(object(v)))
            && !entered.iter().any(|v| self.ends.flagged.contains(&object(v)))
    }

    /// Can a pointer that has left the object not be found when the object ends, because it may be one to
    /// another object?
    pub(super) fn may_hide(&self, o: ObjectId) -> bool {
        let holders = self.ends.holders.get(&o);
        holders.is_some_and(|all| all.iter().any(|leaf| self.ends.undecided.contains(leaf)))
    }

    /// The flag of an object, or the array of flags of one that holds many blocks; `None` if it has none.
    fn ended_flag(&mut self, o: ObjectId) -> Option<Term> {
        if !self.ends.flagged.contains(&o) {
            return None;
        }
        let key = VarKey::Ended(o);
        if let Some(&t) = self.vars.get(&key) {
            return Some(t);
        }
        let object = self.memory.get(o);
        let name = format!("{}#ended", object.name);
        let many = matches!(object.kind, Kind::Heap { many: true, .. });
        let sort = if many { self.array_sort(Sort::Bool) } else { Sort::Bool };
        Some(self.new_var(key, &name, sort))
    }

    /// At the start nothing has ended.
    pub(super) fn start_flags(&mut self) {
        for o in self.ends.flagged.clone() {
            self.begin_object(o);
        }
    }

    fn begin_object(&mut self, o: ObjectId) {
        let Some(flag) = self.ended_flag(o) else { return };
        let no = self.pool.fls();
        let value = match self.pool.sort(flag) {
            Sort::Bool => no,
            sort => self.pool.const_array(&sort.clone(), no),
        };
        self.set(flag, value);
    }

    /// A variable begins to exist, perhaps not for the first time.
    fn begin_again(&mut self, o: ObjectId) {
        if self.ends.in_arrays.contains(&o)
            && let Some(flag) = self.ended_flag(o)
        {
            let what = format!(
                "an array that may hold a pointer to an earlier `{}`, {}",
                self.memory.get(o).name,
                self.position(self.span)
            );
            self.require(self.pool.not(self.get(flag)), &Otherwise::Unsupported(what.into()));
        }
        self.begin_object(o);
    }

    /// Blocks are left and entered.
    pub(super) fn change_scope(&mut self, left: &[u32], entered: &[u32]) {
        let first = self.instances.get(self.instance).first_var;
        for v in left {
            self.end_object(ObjectId(first + v), self.pool.tru());
        }
        for v in entered {
            self.begin_again(ObjectId(first + v));
        }
    }

    /// A function begins.
    pub(super) fn begin_instance(&mut self, i: InstanceId) {
        let instance = self.instances.get(i);
        let count = self.unit.function(instance.function).vars.len() as u32;
        let locals = ObjectId(instance.first_var)..ObjectId(instance.first_var + count);
        for o in self.ends.flagged.range(locals).copied().collect::<Vec<_>>() {
            self.begin_again(o);
        }
    }

    /// A function ends, and its variables with it.
    pub(super) fn end_instance(&mut self, i: InstanceId) {
        if self.ends.holders.is_empty() {
            return;
        }
        let instance = self.instances.get(i);
        let count = self.unit.function(instance.function).vars.len() as u32;
        for v in instance.first_var..instance.first_var + count {
            self.end_object(ObjectId(v), self.pool.tru());
        }
        for site in 0..self.unit.function(instance.function).sites {
            let o = self.memory.block(self.instances, i, site);
            let Kind::Heap { storage: Storage::Stack, many, .. } = self.memory.get(o).kind else { continue };
            if many {
                let (floor, next) = (self.counter(VarKey::Floor(o)), self.counter(VarKey::Next(o)));
                let now = self.get(next);
                self.set(floor, now);
            } else {
                self.end_object(o, self.pool.tru());
            }
        }
    }

    /// Is it the address of an object of the program, or of what is around one?
    fn is_of_an_object(&self, address: Term) -> Term {
        let (p, d) = (self.pool, &self.domain);
        let below = d.address_le(address, d.address(0));
        p.and2(p.not(below), p.not(d.address_le(d.address(DANGLING), address)))
    }

    /// An object that is one block or variable ends, if a condition holds.
    fn end_object(&mut self, o: ObjectId, condition: Term) {
        let Some(holders) = self.ends.holders.get(&o).cloned() else { return };
        for (holder, slot) in holders {
            let Some(leaf) = self.leaf(holder, slot) else { continue };
            if !matches!(leaf.ty, Type::Pointer(_)) {
                continue;
            }
            let split = self.memory.get(holder).split;
            let vars = match (leaf.dims.is_empty(), split) {
                (true, _) => vec![self.leaf_var(holder, &leaf)],
                (false, true) => {
                    let cells = super::exec::cells_of(&leaf).unwrap_or_default();
                    cells.into_iter().map(|c| self.cell_var(holder, &leaf, c)).collect()
                }
                (false, false) => continue, // the flag says it
            };
            for var in vars {
                let now = self.get(var);
                let here = match self.ends.undecided.contains(&(holder, slot)) {
                    true => self.in_margin(o, now),
                    false => self.is_of_an_object(now), // perhaps outside of it
                };
                let ended = self.pool.and2(condition, here);
                let nothing = self.domain.address(DANGLING + i128::from(o.0));
                self.set(var, self.pool.ite(ended, nothing, now));
            }
        }
        if let Some(flag) = self.ended_flag(o) {
            let new = self.pool.or2(self.get(flag), condition);
            self.set(flag, new);
        }
    }

    /// `free`.
    pub(super) fn free(&mut self, e: &Expr, span: Span) {
        if !self.sees_free() {
            return;
        }
        let (p, at) = (self.pool, self.pointer(e));
        let mut legal = vec![p.eq(at, self.domain.address(0))];
        let mut ended: Vec<(ObjectId, Term)> = Vec::new();
        let targets = self.points_to.targets(e, self.instance, self.instances, self.memory);
        for t in &targets {
            match *t {
                Target::Object(o, _) => {
                    let Kind::Heap { storage: Storage::Allocated, many, .. } = self.memory.get(o).kind else {
                        continue;
                    };
                    let start = |t: &Target| matches!(t, Target::Object(x, s) if *x != o || *s == 0);
                    let here = match many {
                        true => self.is_start_of_block(o, at, targets.iter().all(start)),
                        false => p.eq(at, self.domain.address(self.memory.get(o).base)),
                    };
                    let exists = match many {
                        true => self.is_not_freed(o, self.offset_in(o, at)),
                        false => self.exists(o, at),
                    };
                    legal.push(p.and2(here, exists));
                    ended.push((o, here));
                }
                Target::Unknown | Target::Foreign => {
                    let outside = self.domain.address_le(at, self.domain.address(-1));
                    self.free_unknown(outside, span);
                    legal.push(outside);
                }
                Target::Fixed if self.options.checks.free => {}
                Target::Fixed => legal.push(self.domain.address_le(self.domain.address(FIXED), at)),
                Target::Function(_) => {}
            }
        }
        let legal = p.or(legal);
        if self.options.checks.free {
            self.require(legal, &Otherwise::Violates("valid-free"));
        } else {
            self.require_meaning(legal, "`free` of something that is not allocated", span);
        }
        for (o, here) in ended {
            self.count_free(o, here);
            if !self.memory.is_many(o) {
                self.end_object(o, here);
            } else if let Some(flags) = self.ended_flag(o) {
                let index = self.offset_in(o, at);
                let now = self.get(flags);
                let new = p.store(now, index, p.tru());
                self.set(flags, p.ite(here, new, now));
            }
        }
    }

    /// Remembers the size of a block that is allocated, where the program asks for it.
    pub(super) fn keep_size(&mut self, o: ObjectId, count: &Expr) {
        if !self.sized || self.memory.get(o).bytes.is_some() {
            return;
        }
        let bytes = self.int(count);
        let bytes = self.domain.to_address(bytes, count.ty.as_int().unwrap_or(IntType::UINT));
        if self.memory.is_many(o) {
            let (sizes, next) = (self.counter(VarKey::Sizes(o)), self.counter(VarKey::Next(o)));
            let new = self.pool.store(self.get(sizes), self.get(next), bytes);
            self.set(sizes, new);
        } else {
            let size = self.counter(VarKey::Size(o));
            self.set(size, bytes);
        }
    }

    /// The bytes of the block that begins at an address, if it is allocated and not freed; otherwise 0, and
    /// what is done with the block then (`free`) is an error.
    pub(super) fn block_size(&mut self, dest: &Place, e: &Expr) {
        let (p, at) = (self.pool, self.pointer(e));
        let mut size = self.domain.address(0);
        let targets = self.points_to.targets(e, self.instance, self.instances, self.memory);
        for t in &targets {
            match *t {
                Target::Object(o, _) => {
                    let object = self.memory.get(o);
                    let Kind::Heap { storage: Storage::Allocated, many, .. } = object.kind else { continue };
                    let (bytes, base) = (object.bytes, object.base);
                    let (here, exists) = match many {
                        true => (
                            self.is_start_of_block(o, at, false),
                            self.is_not_freed(o, self.offset_in(o, at)),
                        ),
                        false => (p.eq(at, self.domain.address(base)), self.exists(o, at)),
                    };
                    let own = match (bytes, many) {
                        (Some(n), _) => self.domain.address(i128::from(n)),
                        (None, true) => {
                            let sizes = self.counter(VarKey::Sizes(o));
                            p.select(self.get(sizes), self.offset_in(o, at))
                        }
                        (None, false) => {
                            let size = self.counter(VarKey::Size(o));
                            self.get(size)
                        }
                    };
                    size = p.ite(p.and2(here, exists), own, size);
                }
                Target::Unknown | Target::Foreign | Target::Fixed => {
                    let d = &self.domain;
                    let outside = p.or2(d.address_le(at, d.address(-1)), d.address_le(d.address(FIXED), at));
                    let what = format!(
                        "`realloc` of memory that the program did not allocate, {}",
                        self.position(e.span)
                    );
                    self.require(p.not(outside), &Otherwise::Unsupported(what.into()));
                }
                Target::Function(_) => {}
            }
        }
        let ty = dest.ty.as_int().unwrap_or(IntType::UINT);
        let value = self.domain.address_to_int(size, ty).term;
        let access = self.resolve(dest, false);
        self.store(&access, &dest.ty, value);
    }

    /// The functions that `qsort` calls must change nothing: C leaves open how often it calls them.
    pub(super) fn check_comparison(&mut self, e: &Expr) {
        let targets = self.points_to.targets(e, self.instance, self.instances, self.memory);
        let pure = |t: &Target| match t {
            Target::Function(f) => !crate::lower::changes(self.unit, *f),
            _ => false,
        };
        if !targets.iter().all(pure) {
            let what = format!("a comparison that may change something, {}", self.position(e.span));
            self.require(self.pool.fls(), &Otherwise::Unsupported(what.into()));
        }
    }

    /// Nobody knows whether memory of the environment may be freed.
    fn free_unknown(&mut self, outside: Term, span: Span) {
        if self.options.checks.memory() {
            let what = format!("`free` of memory that the program did not allocate, {}", self.position(span));
            self.require(self.pool.not(outside), &Otherwise::Unsupported(what.into()));
        }
    }

    /// The cells from the beginning of an object to an address.
    fn offset_in(&self, o: ObjectId, address: Term) -> Term {
        self.domain.address_sub(address, self.domain.address(self.memory.get(o).base))
    }

    /// Does one of many blocks begin at an address? `only`: the pointer has never been to a member.
    fn is_start_of_block(&mut self, o: ObjectId, address: Term, only: bool) -> Term {
        let next = self.counter(VarKey::Next(o));
        let (offset, next) = (self.offset_in(o, address), self.get(next));
        let d = &self.domain;
        let mut all = vec![d.address_le(d.address(0), offset), self.pool.not(d.address_le(next, offset))];
        if !only || self.is_walked(o) {
            all.push(self.pool.eq(self.offset_in_block(o, address), self.domain.address(0)));
        }
        self.pool.and(all)
    }

    /// An allocation begins an object that may have been freed before.
    pub(super) fn begin_block(&mut self, o: ObjectId) {
        if !self.memory.is_many(o) {
            self.begin_object(o);
        }
    }

    /// Does the object at an address still exist?
    pub(super) fn exists(&mut self, o: ObjectId, address: Term) -> Term {
        if self.memory.is_many(o) {
            let start = self.start_of_block(o, address);
            return self.is_not_freed(o, start);
        }
        let Some(flag) = self.ended_flag(o) else { return self.pool.tru() };
        self.pool.not(self.get(flag))
    }

    /// Is the block, of many, that begins at an offset neither freed nor at its end?
    pub(super) fn is_not_freed(&mut self, o: ObjectId, start: Term) -> Term {
        if matches!(self.memory.get(o).kind, Kind::Heap { storage: Storage::Stack, .. }) {
            if !self.may_end(o) {
                return self.pool.tru();
            }
            let floor = self.counter(VarKey::Floor(o));
            return self.domain.address_le(self.get(floor), start);
        }
        match self.ended_flag(o) {
            Some(flags) => self.pool.not(self.pool.select(self.get(flags), start)),
            None => self.pool.tru(),
        }
    }
}
