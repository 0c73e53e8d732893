//! Instructions: what each does to the symbolic state of its block.
//!
//! Assignments, whole and by parts; objects set to zero or to arbitrary values; nondeterministic values;
//! passing arguments to an inlined call and taking its result; and the state in which a program
//! starts. Fresh values become inputs of the edge. Those that a harness must know (results of
//! nondeterministic functions, first contents of allocated blocks) are recorded with the edge.
//!
//! Entry points: [`Encoder::execute`] for everything but calls, [`Encoder::enter`] and [`Encoder::leave`]
//! around an instance, [`Encoder::start`].

use palisade_term::Term;
use rustc_hash::FxHashSet;

use super::Encoder;
use super::access::Access;
use super::state::{Otherwise, RawBlock, RawNondet};
use crate::inline::InstanceId;
use crate::ir::{CmpOp, Expr, ExprKind, Function, Instr, Nondet, Padding, Place};
use crate::lower::HIDDEN;
use crate::memory::{ALL_ZERO, ENVIRONMENT_STRIDE, INDETERMINATE, Kind, Leaf, MIXED, ObjectId, UnionStep};
use crate::story::Event;
use crate::types::{IntType, Len, Passed, Type};

/// Arrays inside structs are copied element by element up to this size, where they cannot be copied as a
/// whole.
const LARGEST_COPY: i128 = 64;

/// An assumption about pointers to other types in calls.
const ALIKE: &str = "that pointers to all types are passed alike";

/// What is assumed of pointers that the environment gives.
const SEPARATE: &str = "that pointers from outside point to separate objects, or to one of their type";

/// What all scalars of a place become.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    Zero,
    /// Zero, but for padding: what an initialiser does not name.
    Listed,
    Arbitrary,
}

impl Encoder<'_> {
    /// Executes an instruction other than a call.
    pub(super) fn execute(&mut self, instr: &Instr) {
        match instr {
            Instr::Nop => return,
            Instr::Open | Instr::Scope { .. } | Instr::Quit { .. } => {}
            Instr::Havoc(p) if self.is_temporary(p) => {}
            _ => self.record(self.span),
        }
        match instr {
            Instr::Nop | Instr::Call { .. } => {}
            Instr::Open => self.set_open(self.pool.tru()),
            Instr::Scope { left, entered } => self.change_scope(left, entered),
            Instr::Free(e) => self.free(e, e.span),
            Instr::BlockSize(p, e) => self.block_size(p, e),
            Instr::ChangesNothing(e) => self.check_comparison(e),
            Instr::Clear(e, bytes) => self.clear(e, bytes),
            Instr::Quit { abort, scope } => self.quit(*abort, *scope),
            Instr::Assign(p, e) => self.assign(p, e),
            Instr::Zero(p, Padding::Zero) => self.fill(p, Fill::Zero),
            Instr::Zero(p, Padding::Open) => self.fill(p, Fill::Listed),
            Instr::Havoc(p) => {
                self.fill(p, Fill::Arbitrary);
                self.check_length(p);
            }
            Instr::Nondet(p, n) => self.nondet(p.as_ref(), n),
            Instr::Assume(e) => {
                let c = self.condition(e);
                self.require(c, &Otherwise::Cut);
            }
            Instr::Alloc { dest, count, by_malloc, site, .. } => {
                self.allocate(dest, count, *by_malloc, *site);
            }
        }
    }

    fn is_temporary(&self, p: &Place) -> bool {
        match p.kind {
            crate::ir::PlaceKind::Var(crate::ir::VarRef::Local(v)) => {
                self.unit.function(self.instances.get(self.instance).function).vars[v as usize].temporary
            }
            _ => false,
        }
    }

    /// An array of variable length has at least one element, and not more than fit into the address space.
    fn check_length(&mut self, p: &Place) {
        let mut ty = &p.ty;
        while let Type::Array(element, len) = ty {
            if let Len::Variable(v) = len {
                let n = self.int(
                    &Place::var(crate::ir::VarRef::Local(*v), Type::Int(IntType::new(64, true)), p.span)
                        .load(),
                );
                let n = self.domain.to_address(n, IntType::new(64, true));
                let d = &self.domain;
                let legal = self.pool.and2(
                    d.address_le(d.address(1), n),
                    d.address_le(n, d.address(self.memory.layouts.span())),
                );
                self.require_sane(legal, "an array of no length", p.span);
            }
            ty = element;
        }
    }

    fn assign(&mut self, p: &Place, e: &Expr) {
        match &p.ty {
            Type::Int(_) | Type::Ieee(_) | Type::Pointer(_) => {
                let value = self.scalar(e);
                let access = self.resolve(p, false);
                self.store(&access, &p.ty, value);
            }
            Type::Record(_) => match &e.kind {
                ExprKind::Load(q) => {
                    let from = self.resolve(q, false);
                    let to = self.resolve(p, false);
                    self.copy(&to, &from, &p.ty, p.span);
                }
                ExprKind::Unsupported(what) => self.unsupported_located(what.clone()),
                _ => self.unsupported("this assignment of a struct", p.span),
            },
            Type::Float(_) => {
                let access = self.resolve(p, false);
                self.enter_unions(&access, &p.ty, true);
            }
            _ => {}
        }
    }

    /// Copies all scalars of an object.
    pub(super) fn copy(&mut self, to: &Access, from: &Access, ty: &Type, span: crate::ir::Span) {
        self.enter_unions(from, ty, false);
        self.check_fresh(from);
        let leaves = self.memory.layouts.leaves(ty);
        self.check_whole(from, ty, &leaves, span);
        self.check_whole(to, ty, &leaves, span);
        let mut writes: Vec<(Access, Type, Term)> = Vec::new();
        let mut arrays: Vec<(Term, Term)> = Vec::new();
        for leaf in leaves.iter() {
            if !leaf.ty.is_scalar() || self.is_behind_the_struct(ty, leaf, span) {
                continue;
            }
            if !leaf.dims.is_empty() {
                let (a, b) = (self.part(to, leaf, leaf.offset), self.part(from, leaf, leaf.offset));
                if let (Some(x), Some(y)) = (self.whole_array(&a, leaf), self.whole_array(&b, leaf)) {
                    arrays.push((x, self.get(y)));
                    continue;
                }
            }
            let Some(cells) = cells_of(leaf) else {
                self.unsupported("copy of a struct that contains a large array", span);
                return;
            };
            for cell in cells {
                let source = self.part(from, leaf, cell);
                let value = match leaf.tag {
                    true => self.copied_tag(&source, span),
                    false => self.load_scalar(&source, &leaf.ty, span),
                };
                writes.push((self.copied_part(to, leaf, cell), leaf.ty.clone(), value));
            }
        }
        for (var, value) in arrays {
            self.set(var, value);
        }
        for (access, ty, value) in writes {
            self.store(&access, &ty, value);
        }
        self.touch_padding(from, ty, None);
        self.touch_padding(to, ty, Some(INDETERMINATE));
        self.enter_unions(to, ty, true);
    }

    fn load_scalar(&mut self, a: &Access, ty: &Type, span: crate::ir::Span) -> Term {
        match ty {
            Type::Int(t) => self.load_int(a, *t, span).term,
            Type::Ieee(f) => self.load_float(a, *f, span),
            _ => self.load_moved(a, ty),
        }
    }

    /// Sets all scalars of a place to zero.
    pub(super) fn set_to_zero(&mut self, p: &Place) {
        self.fill(p, Fill::Zero);
    }

    fn fill(&mut self, p: &Place, with: Fill) {
        let access = self.resolve(p, false);
        let name = match self.named_object(&access) {
            Some(o) => self.memory.get(o).name.clone(),
            None => "value".to_string(),
        };
        self.fill_access(&access, &p.ty, (with, false), &name, p.span);
        self.enter_unions(&access, &p.ty, true);
    }

    /// `elements`: those of a flexible array, too.
    pub(super) fn fill_access(
        &mut self,
        access: &Access,
        ty: &Type,
        (with, elements): (Fill, bool),
        name: &str,
        span: crate::ir::Span,
    ) -> RawBlock {
        // What is declared as an array of numbers may hold pointers.
        let pool = self.whole_pool(access, ty);
        let (declared, ty) = (ty, &pool.map_or(ty.clone(), |o| self.memory.get(o).ty.clone()));
        let mut arbitrary = RawBlock::default();
        let mut done: FxHashSet<i128> = FxHashSet::default();
        let mut leaves = self.memory.layouts.leaves(ty).to_vec();
        if pool.is_none() {
            self.check_whole(access, ty, &leaves, span);
        }
        if with == Fill::Arbitrary {
            // Where they share bits, a number that is not written yet is bits, not a NaN.
            leaves.sort_by_key(|l| l.ty.as_float().is_some());
        }
        // The tags of unions with bits that a list leaves unspecified.
        let mut padded: FxHashSet<u32> = FxHashSet::default();
        if with == Fill::Listed {
            let unions = leaves.iter().flat_map(|l| &l.unions);
            padded.extend(unions.filter(|u| self.is_padded(u.record)).map(|u| u.slot));
            if leaves.iter().any(|l| self.may_be_longer(l)) {
                self.note("that an initialiser sets the rest of a union to zero", span);
            }
        }
        for leaf in leaves {
            if !leaf.ty.is_scalar() || !elements && self.is_behind_the_struct(declared, &leaf, span) {
                continue;
            }
            let tag = match with {
                _ if pool.is_some() => 0, // a number
                Fill::Arbitrary => INDETERMINATE,
                Fill::Listed if padded.contains(&leaf.slot) => MIXED,
                Fill::Zero | Fill::Listed => ALL_ZERO,
            };
            let tag = self.domain.constant(tag, IntType::INT).term;
            let name = format!("{name}{}", leaf.path);
            let first = self.part(access, &leaf, leaf.offset);
            let shared = with == Fill::Arbitrary && self.fills_shared_bits(&first, &leaf);
            // A harness sets what has a place in bytes of its own.
            let apart = with == Fill::Arbitrary && !leaf.tag && leaf.unions.is_empty() && !leaf.bit_field;
            let storage = match pool {
                Some(o) => (!leaf.dims.is_empty()).then(|| self.leaf_var(o, &leaf)),
                None => self.whole_storage(&first, &leaf),
            };
            if let Some(var) = storage.filter(|_| !shared) {
                let value = self.filled_array(&leaf, tag, with, &name);
                self.set(var, value);
                if apart && leaf.dims.len() == 1 && !matches!(leaf.ty, Type::Pointer(_)) {
                    arbitrary.arrays.push((leaf, value));
                }
                continue;
            }
            let Some(cells) = cells_of(&leaf) else {
                self.unsupported(&format!("initialisation of the large array `{name}`"), span);
                return arbitrary;
            };
            for cell in cells {
                if shared {
                    let bits = leaf.bit_at(cell)..leaf.bit_at(cell) + i128::from(leaf.width);
                    // The scalars before it may have brought all its bits.
                    if bits.clone().all(|b| done.contains(&b)) {
                        continue;
                    }
                    done.extend(bits);
                }
                let value = match with {
                    _ if leaf.tag => tag,
                    Fill::Zero | Fill::Listed => self.zero(&leaf.ty),
                    Fill::Arbitrary => {
                        let value = self.arbitrary(&name, &leaf.ty);
                        if let Some(input) = self.state.inputs.last().filter(|_| apart) {
                            let at = u64::try_from(leaf.bit_at(cell) / 8).unwrap_or_default();
                            arbitrary.contents.push((at, leaf.ty.clone(), input.term));
                        }
                        value
                    }
                };
                let part = self.part(access, &leaf, cell);
                self.store(&part, &leaf.ty, value);
            }
        }
        if pool.is_some() && with == Fill::Listed && self.padding_bytes(declared).is_none() {
            self.unsupported("a list for what is seen as bytes, and has padding that is not known", span);
        }
        match with {
            Fill::Zero => self.touch_padding(access, declared, Some(0)),
            // A block is any value, padding or not.
            Fill::Arbitrary if pool.is_some() => {}
            Fill::Listed | Fill::Arbitrary => self.touch_padding(access, declared, Some(INDETERMINATE)),
        }
        arbitrary
    }

    /// Is a scalar in a plain union with a member that is shorter? C leaves the rest open when a list sets
    /// that one.
    fn may_be_longer(&self, leaf: &Leaf) -> bool {
        let layouts = &self.memory.layouts;
        let uneven = |u: &UnionStep| {
            let size = layouts.size(&Type::Record(u.record)).map(|n| 8 * n);
            let mut fields = self.unit.records.fields(u.record).iter();
            layouts.plain(u.record).is_some() && fields.any(|f| layouts.field_bits(f) < size)
        };
        leaf.unions.iter().any(uneven)
    }

    /// The elements of a flexible array are no part of its struct: they stay as they are when that is
    /// assigned or set, unless they lie in its padding.
    fn is_behind_the_struct(&mut self, ty: &Type, leaf: &Leaf, span: crate::ir::Span) -> bool {
        let Some((begin, ..)) = self.memory.layouts.flexible(ty) else { return false };
        if leaf.dims.first().is_none_or(|d| d.len != Len::Unknown) {
            return false;
        }
        if self.memory.layouts.size(ty).is_some_and(|size| begin < size) {
            self.unsupported("a flexible array that begins in the padding of its struct", span);
        }
        true
    }

    pub(super) fn zero(&self, ty: &Type) -> Term {
        match ty {
            Type::Int(t) => self.domain.constant(0, *t).term,
            Type::Ieee(f) => self.pool.bitvec(0, f.width()),
            _ => self.domain.address(0),
        }
    }

    fn filled_array(&mut self, leaf: &Leaf, tag: Term, with: Fill, name: &str) -> Term {
        let sort = self.array_sort(self.sort_of(&leaf.ty));
        match with {
            _ if leaf.tag => self.pool.const_array(&sort, tag),
            Fill::Zero | Fill::Listed => self.pool.const_array(&sort, self.zero(&leaf.ty)),
            Fill::Arbitrary => self.input(name, sort),
        }
    }

    fn nondet(&mut self, p: Option<&Place>, n: &Nondet) {
        if n.foreign {
            if self.options.checks.termination {
                self.note("that functions without a body return", n.call);
            }
            self.havoc_escaped();
            self.set_stale(true);
            if n.writes && self.points_to.environment_escapes() {
                let name = n.function.as_deref().unwrap_or("value");
                let what = format!("pointer passed to the undefined function `{name}`");
                self.unsupported(&what, n.call);
            }
            if n.writes {
                self.note("that functions without a body use pointers only as C allows", n.call);
            }
            let block = |o: &ObjectId| matches!(self.memory.get(*o).kind, Kind::Heap { .. });
            if self.points_to.escaped().iter().any(block) {
                self.note("that functions without a body free nothing that is used later", n.call);
            }
            if self.called_back {
                self.note("that functions without a body call none of the program", n.call);
            }
        }
        if n.open {
            self.set_open(self.pool.tru());
        }
        let name = n.function.as_deref().unwrap_or("value").to_string();
        let mut input = None;
        if let Some(p) = p {
            match &p.ty {
                Type::Int(_) | Type::Ieee(_) => {
                    let value = self.arbitrary(&name, &p.ty);
                    input = Some(value);
                    let access = self.resolve(p, false);
                    self.store(&access, &p.ty, value);
                }
                Type::Pointer(_) => {
                    self.note(SEPARATE, n.call);
                    let value = self.unknown_pointer(&name);
                    input = self.state.inputs.last().map(|i| i.term);
                    let access = self.resolve(p, false);
                    self.store(&access, &p.ty, value);
                }
                Type::Float(_) => {}
                _ => self.fill(p, Fill::Arbitrary),
            }
        }
        if let Some(function) = &n.function {
            self.log(Event::Returned(function.clone(), n.ty.clone(), input, n.call));
            let nondet = RawNondet { function: function.clone(), ty: n.ty.clone(), input };
            self.state.nondets.push(nondet);
        }
    }

    /// Null, or the address of an object of the environment.
    pub(super) fn unknown_pointer(&mut self, name: &str) -> Term {
        let sort = self.domain.address_sort();
        let k = self.input(name, sort);
        let d = &self.domain;
        let most = 1i128 << 40;
        let range = self.pool.and2(d.address_le(d.address(0), k), d.address_le(k, d.address(most)));
        let value = d.address_scale(k, -ENVIRONMENT_STRIDE);
        self.state.inputs.last_mut().expect("just pushed").range = Some(range);
        value
    }

    // ---- calls and the start of the program ----------------------------------------------------

    /// Passes arguments to an instance; its result is indeterminate until it is set.
    pub(super) fn enter(&mut self, callee: InstanceId, args: &[Expr]) {
        self.begin_instance(callee);
        let instance = self.instances.get(callee);
        let f = self.unit.function(instance.function);
        self.check_arguments(f, args);
        let mut scalars: Vec<(ObjectId, Type, Term)> = Vec::new();
        let mut records: Vec<(ObjectId, Type, Access)> = Vec::new();
        for (&v, a) in f.params.iter().zip(args) {
            let o = ObjectId(instance.first_var + v);
            let ty = f.vars[v as usize].ty.clone();
            match (&ty, &a.kind) {
                (Type::Int(_), _) => {
                    let from = a.ty.as_int();
                    let v = self.int_or_unsupported(a);
                    let to = ty.as_int().expect("an integer");
                    let value = self.domain.convert(v, from.unwrap_or(to), to).term;
                    scalars.push((o, ty, value));
                }
                (Type::Pointer(_), _) => {
                    let value = match a.ty {
                        Type::Pointer(_) => self.pointer(a),
                        _ => self.domain.address(0),
                    };
                    scalars.push((o, ty, value));
                }
                (Type::Ieee(f), _) => {
                    let value = match &a.kind {
                        _ if a.ty == ty => self.float(a, *f),
                        ExprKind::Cast(before) if before.ty == ty => self.float(before, *f), // promoted
                        _ => {
                            self.unsupported("this argument", a.span);
                            self.zero(&ty)
                        }
                    };
                    scalars.push((o, ty, value));
                }
                (Type::Record(_), ExprKind::Load(p)) => records.push((o, ty, self.resolve(p, false))),
                _ => {}
            }
        }
        let missing: Vec<u32> = f.params.iter().skip(args.len()).chain(f.result.iter()).copied().collect();
        for (o, ty, value) in scalars {
            let access = self.object_access(o, self.span);
            self.store(&access, &ty, value);
        }
        for (o, ty, from) in records {
            let to = self.object_access(o, self.span);
            self.copy(&to, &from, &ty, self.span);
        }
        for v in missing {
            let o = ObjectId(instance.first_var + v);
            let ty = self.memory.get(o).ty.clone();
            let name = self.memory.get(o).name.clone();
            let access = self.object_access(o, self.span);
            self.fill_access(&access, &ty, (Fill::Arbitrary, true), &name, self.span);
        }
    }

    /// What no prototype has converted must have the type of the parameter (C11 6.5.2.2p6).
    fn check_arguments(&mut self, f: &Function, args: &[Expr]) {
        let never = self.pool.fls();
        // A call that does not know that the function is variadic has no slots.
        if let Some(k) = f.params.iter().position(|&v| f.vars[v as usize].name == HIDDEN)
            && args.get(k).is_none_or(|a| a.ty != f.vars[f.params[k] as usize].ty)
        {
            return self.unsupported("a call of a variadic function that is not declared as one", self.span);
        }
        if args.len() != f.params.len() {
            let what = format!("a call of `{}` with another number of arguments", f.name);
            return self.require_meaning(never, &what, self.span);
        }
        for (&v, a) in f.params.iter().zip(args) {
            let own = &f.vars[v as usize].ty;
            let param = if f.old_style { own.promoted() } else { own.clone() };
            let fits = match self.unit.records.passed(&a.ty, &param) {
                Passed::Always => continue,
                Passed::Alike => {
                    self.note(ALIKE, self.span);
                    continue;
                }
                Passed::Positive => {
                    let t = a.ty.as_int().expect("an integer");
                    let most = t.max().min(param.as_int().expect("an integer").max());
                    let (value, zero) = (self.int(a), self.domain.constant(0, t));
                    let most = self.domain.constant(most, t);
                    let positive = self.domain.compare(CmpOp::Ge, t, value, zero);
                    self.pool.and2(positive, self.domain.compare(CmpOp::Le, t, value, most))
                }
                Passed::Never => never,
            };
            let what = format!("an argument of another type than the parameter of `{}`", f.name);
            self.require_meaning(fits, &what, a.span);
        }
    }

    /// A function that is called through a pointer must return what the type of the pointer says.
    pub(super) fn check_result(&mut self, f: &Function, pointer: &Type) {
        let Some(Type::Function(wanted)) = pointer.pointee() else { return };
        match self.unit.records.passed(&f.signature().result, &wanted.result) {
            Passed::Always => {}
            Passed::Alike => self.note(ALIKE, self.span),
            Passed::Positive | Passed::Never => {
                let what = format!("call of `{}` through a pointer to another function type", f.name);
                self.require_meaning(self.pool.fls(), &what, self.span);
            }
        }
    }

    fn int_or_unsupported(&mut self, e: &Expr) -> crate::domain::Val {
        if e.ty.as_int().is_some() {
            return self.int(e);
        }
        self.unsupported("this argument", e.span);
        self.domain.constant(0, IntType::INT)
    }

    /// Takes over the result of an instance.
    pub(super) fn leave(&mut self, callee: InstanceId, dest: &Place) {
        let instance = self.instances.get(callee);
        let f = self.unit.function(instance.function);
        // An implicit declaration said `int` where there is no result.
        let Some(r) = f.result else { return self.fill(dest, Fill::Arbitrary) };
        let o = ObjectId(instance.first_var + r);
        let from = self.object_access(o, dest.span);
        let to = self.resolve(dest, false);
        self.copy(&to, &from, &dest.ty, dest.span);
    }

    /// Sets all globals to their initial values and the parameters of the entry function to arbitrary ones.
    pub(super) fn start(&mut self) {
        let unit = self.unit;
        for flag in [self.open_flag(), self.placed_flag()].into_iter().flatten() {
            self.set(flag, self.pool.fls());
        }
        self.start_numbers();
        for (g, global) in unit.globals.iter().enumerate() {
            let o = ObjectId(g as u32);
            let access = self.object_access(o, self.span);
            let with = if global.external { Fill::Arbitrary } else { Fill::Zero };
            let name = global.var.name.clone();
            self.fill_access(&access, &global.var.ty, (with, true), &name, self.span);
            let pointer = |t: &Type| matches!(t, Type::Pointer(_));
            let stream = ["stdin", "stdout", "stderr"].contains(&name.as_str());
            if global.external && !stream && global.var.ty.has(&unit.records, &pointer) {
                self.note(SEPARATE, self.span);
            }
            for (p, e) in &global.init {
                self.span = p.span;
                self.assign(p, e);
            }
        }
        self.start_blocks();
        self.start_counting();
        self.set_stale(false);
        self.find_havocked();
        self.start_flags();
        let entry = self.instances.get(InstanceId(0));
        let f = unit.function(entry.function);
        self.span = f.span;
        for (k, &v) in f.params.iter().enumerate() {
            let o = ObjectId(entry.first_var + v);
            let ty = self.memory.get(o).ty.clone();
            let name = self.memory.get(o).name.clone();
            let value = match &ty {
                Type::Int(t) => {
                    let value = self.arbitrary(&name, &ty);
                    if k == 0 {
                        // `argc` is not negative.
                        let (v, zero) = (self.domain.variable(value, *t), self.domain.constant(0, *t));
                        let legal = self.domain.compare(CmpOp::Ge, *t, v, zero);
                        self.require(legal, &Otherwise::Chosen);
                    }
                    value
                }
                Type::Ieee(_) => self.arbitrary(&name, &ty),
                Type::Pointer(_) => self.unknown_pointer(&name),
                _ => continue,
            };
            let access = self.object_access(o, self.span);
            self.store(&access, &ty, value);
        }
    }
}

/// The cells of a leaf inside its type; `None` when there are too many.
pub(super) fn cells_of(leaf: &Leaf) -> Option<Vec<i128>> {
    let mut cells = vec![leaf.offset];
    for d in &leaf.dims {
        let Len::Fixed(n) = d.len else { return None };
        if i128::from(n) * cells.len() as i128 > LARGEST_COPY {
            return None;
        }
        cells = cells.iter().flat_map(|c| (0..i128::from(n)).map(move |i| c + i * d.stride)).collect();
    }
    Some(cells)
}
