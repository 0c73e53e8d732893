//! From the inlined program to the control-flow automaton: symbolic execution of basic blocks.
//!
//! A block starts at a location and runs to the next one: straight-line statements are executed on symbolic
//! values, so that the edge is one simultaneous assignment. What must hold for the statements to be defined
//! is collected on the way: it becomes part of the guard (assumed) or an edge to the error location (checked,
//! or unsupported).
//!
//! Modules: `state` (values, requirements, edges under construction), `value` (expressions), `compare`
//! (comparisons of pointers), `behind` (addresses behind objects), `literals` (which of them may be in one
//! place), `numbers` (pointers as integers), `moves` (pointers that move), `lifetime` (objects that end),
//! `leaks` (blocks that are lost), `clear` (memory of unknown type), `access` (places and memory), `exec`
//! (instructions), `allocate` (blocks), `flow` (blocks and locations), `tables` (arrays that never change),
//! `finish` (liveness, the final program).

mod access;
mod allocate;
mod behind;
mod clear;
mod compare;
mod exec;
mod finish;
mod float;
mod flow;
mod leaks;
mod lifetime;
mod literals;
mod moves;
mod numbers;
mod state;
mod tables;
mod told;
mod value;

use std::sync::Arc;

use palisade_program::{Position, Statement};
use palisade_term::{Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::domain::{Domain, bits::Bits, int::Ints};
use crate::inline::{InstanceId, Instances};
use crate::ir::{FuncId, Function, Instr, NodeId, NodeKind, Span, Unit};
use crate::memory::{Cell, Kind, Leaf, Memory, ObjectId};
use crate::numbers::{AS_NUMBER, Numbers};
use crate::options::{COptions, IntMode, UndefinedMemory};
use crate::points_to::PointsTo;
use crate::source::Source;
use crate::story::Event;
use crate::types::Type;
use state::{RawEdge, State};

pub(crate) use finish::Finished;
pub use finish::{Assumption, NewBlock, NondetCall};

/// A node of the inlined program.
type Node = (InstanceId, NodeId);

/// What a variable of the automaton stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum VarKey {
    /// A leaf of an object: a scalar, or an SMT array.
    Leaf(ObjectId, u32),
    /// A cell of an object whose arrays are split.
    Cell(ObjectId, i128),
    /// Memory of the environment, by kind of cell.
    Environment(Cell),
    /// The number of elements of an allocated block; of bytes, if pointers see it as bytes.
    Length(ObjectId),
    /// The number of bytes of an allocated block, where the program asks.
    Size(ObjectId),
    /// This number of each block of an object that holds many, by its first cell.
    Sizes(ObjectId),
    /// The next free cell of an object that holds many blocks.
    Next(ObjectId),
    /// The `Length` of each block of an object that holds many, by its first cell; else 0.
    Lengths(ObjectId),
    /// The object has ended. Of an object that holds many blocks: which ones have.
    Ended(ObjectId),
    /// Of an object that holds many blocks on the stack: those before this cell have ended.
    Floor(ObjectId),
    /// The number of the first byte of an object, divided by its alignment.
    Number(ObjectId),
    /// How many blocks of an object are allocated and not freed.
    Live(ObjectId),
    /// How often loops that may run for ever began another round.
    Rounds,
    /// A function without body was called that may have changed the object, and it was not overwritten since.
    Stale(ObjectId),
    /// The same of memory of the environment; it stays so.
    StaleOutside,
    /// A violation may be due to a choice that C or the environment has, see `Unit::open`.
    Open,
    /// A violation may be due to where objects lie.
    Placed,
}

/// Everything a translation works on.
pub(crate) struct Encoder<'a> {
    pool: &'a TermPool,
    domain: Box<dyn Domain + 'a>,
    unit: &'a Unit,
    instances: &'a Instances,
    memory: &'a Memory<'a>,
    points_to: &'a PointsTo,
    options: &'a COptions,
    sources: &'a [Source],
    numbers: Numbers,

    vars: FxHashMap<VarKey, Term>,
    leaves: FxHashMap<(ObjectId, u32), Option<Arc<Leaf>>>,
    /// What a violation may depend on that C leaves open, other than addresses.
    open: Option<Arc<str>>,
    /// It may depend on addresses.
    placed: bool,
    /// What is known of the numbers of objects.
    placement: Term,
    /// The bytes of objects that pointers see as bytes.
    positions: FxHashMap<ObjectId, Arc<[access::Position]>>,
    /// As what memory of the environment is seen through `void *`, once somebody asked.
    statements: FxHashMap<(u32, u32, u32), Statement>,

    locations: Vec<Option<Node>>,
    location_of: FxHashMap<Node, u32>,
    cut: Vec<bool>,
    edges: Vec<RawEdge>,
    /// What happens in each block.
    logs: Vec<Vec<Event>>,
    /// Where the property is violated, when that is not at the statement at hand.
    fault: Option<(Span, InstanceId)>,

    state: State,
    instance: InstanceId,
    span: Span,
    /// What is assumed, and where; the flag says that nothing but the assumption keeps what follows from
    /// being executed.
    assumptions: finish::Assumptions,
    /// The objects into which pointers move, once somebody asked.
    motions: Option<moves::Motions>,
    /// The objects that end while pointers to them are left.
    ends: lifetime::Ends,
    /// The nodes that stand for loops that may not end, by function, once somebody asked.
    endless: FxHashMap<FuncId, crate::ends::Loops>,
    /// May loops be left where the environment is asked?
    free_to_leave: Option<bool>,
    /// Nodes behind loops in which a run may stay, if that is a question.
    behind_loops: Vec<bool>,
    /// The node that is executed.
    here: Option<Node>,
    /// Does the program ask for the size of a block?
    sized: bool,
    /// Could a function without a body call one of the program that changes something?
    called_back: bool,
    /// The variables of numbers that functions without body can change, with their types; arrays are marked.
    havocked: Vec<(Term, Type, bool)>,
    /// The same variables.
    is_changed: FxHashSet<Term>,
    /// What they can change in memory of the environment.
    outside: Vec<Cell>,
}

/// The whole program, before encoding.
pub(crate) struct Model<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) instances: &'a Instances,
    pub(crate) memory: &'a Memory<'a>,
    pub(crate) points_to: &'a PointsTo,
}

/// Encodes a program.
pub(crate) fn encode(pool: &TermPool, model: &Model<'_>, sources: &[Source], options: &COptions) -> Finished {
    let domain: Box<dyn Domain + '_> = match options.int_mode {
        IntMode::Math => Box::new(Ints { pool, math: true, signed_wrap: false }),
        IntMode::C => Box::new(Ints { pool, math: false, signed_wrap: options.signed_wrap }),
        IntMode::Bv => Box::new(Bits { pool, signed_wrap: options.signed_wrap }),
    };
    let outside = changing_outside(model, options);
    let reasons = reasons(model, options, !outside.is_empty());
    let mut encoder = Encoder {
        pool,
        domain,
        unit: model.unit,
        instances: model.instances,
        memory: model.memory,
        points_to: model.points_to,
        options,
        sources,
        numbers: Numbers::new(model.unit, model.instances, model.memory, model.points_to, options),
        vars: FxHashMap::default(),
        leaves: FxHashMap::default(),
        open: open_reasons(&reasons),
        placed: reasons.iter().any(|r| **r == *AS_NUMBER),
        placement: pool.tru(),
        positions: FxHashMap::default(),
        statements: FxHashMap::default(),
        locations: Vec::new(),
        location_of: FxHashMap::default(),
        cut: Vec::new(),
        edges: Vec::new(),
        logs: Vec::new(),
        fault: None,
        state: State::default(),
        instance: InstanceId(0),
        span: Span::default(),
        assumptions: finish::Assumptions::new(),
        motions: None,
        ends: lifetime::Ends::default(),
        endless: FxHashMap::default(),
        free_to_leave: None,
        behind_loops: Vec::new(),
        here: None,
        sized: asks_for_sizes(model.unit),
        called_back: options.undefined == UndefinedMemory::Report && has_callbacks(model.unit, options),
        havocked: Vec::new(),
        is_changed: FxHashSet::default(),
        outside,
    };
    encoder.run();
    encoder.finish()
}

fn asks_for_sizes(unit: &Unit) -> bool {
    let asks = |n: &crate::ir::Node| matches!(n.kind, NodeKind::Instr(Instr::BlockSize(..), _));
    unit.functions.iter().any(|f| f.nodes.iter().any(asks))
}

/// What a violation may depend on that C leaves open.
fn open_reasons(reasons: &[Arc<str>]) -> Option<Arc<str>> {
    let others: Vec<&str> = reasons.iter().map(|r| &**r).filter(|r| *r != AS_NUMBER).collect();
    (!others.is_empty()).then(|| others.join(" or ").into())
}

/// Are functions of the environment called?
fn calls_outside(unit: &Unit) -> bool {
    let foreign =
        |n: &crate::ir::Node| matches!(&n.kind, NodeKind::Instr(Instr::Nondet(_, n), _) if n.foreign);
    unit.functions.iter().any(|f| f.nodes.iter().any(foreign))
}

/// The scalars in memory of the environment that functions of the environment may change. Elsewhere it is
/// assumed that they use only what they are given pointers to.
fn changing_outside(model: &Model<'_>, options: &COptions) -> Vec<Cell> {
    if options.undefined != UndefinedMemory::Report || model.memory.mixed || !calls_outside(model.unit) {
        return Vec::new();
    }
    crate::memory::foreign::cells(model.unit, model.instances, model.memory, model.points_to)
}

/// All that a violation may depend on.
fn reasons(model: &Model<'_>, options: &COptions, outside_changes: bool) -> Vec<Arc<str>> {
    let leaves_open = |o: &crate::memory::Object| {
        let leaves = model.memory.layouts.leaves(&o.ty);
        o.as_bytes
            && (o.pool
                || leaves.iter().any(|l| l.ty.as_float().is_some())
                || model.memory.layouts.is_padded(&o.ty))
    };
    let bytes = model.memory.objects.iter().any(leaves_open);
    let bytes = bytes.then(|| Arc::from("bytes that C leaves open"));
    let changed = options.undefined != UndefinedMemory::Assume
        && !model.points_to.escaped().is_empty()
        && calls_outside(model.unit);
    let changed =
        (changed || outside_changes).then(|| Arc::from("what a function without body may have changed"));
    let executed: FxHashSet<FuncId> = model.instances.all.iter().map(|i| i.function).collect();
    let strange = options.undefined == UndefinedMemory::Arbitrary
        && crate::numbers::directions(model.unit, model.instances).1;
    let strange = strange.then(|| Arc::from("a number that is used as a pointer"));
    let odd = |o: &crate::memory::Object| matches!(o.kind, Kind::Heap { .. }) && !o.whole;
    let parts = options.goes_on() && model.memory.objects.iter().any(odd);
    let parts = parts.then(|| Arc::from("a block whose size is no multiple of its type's"));
    let mixed =
        model.memory.mixed.then(|| Arc::from("memory that the program did not allocate, seen as two types"));
    let mut reasons = crate::order::reasons(model.unit, &|f| executed.contains(&f));
    reasons.extend(bytes.into_iter().chain(changed).chain(strange).chain(parts).chain(mixed));
    reasons
}

/// Is there a function, beside the first one, that functions without a body could call to change something?
pub(crate) fn has_callbacks(unit: &Unit, options: &COptions) -> bool {
    let named = |f: &Function| {
        f.name == options.function
            || f.name.starts_with("__palisade_")
            || options.checks.error_functions.contains(&f.name)
    };
    let callable = |f: &Function| f.defined() && (f.exported || f.address_taken) && !named(f);
    // What a pointer that it returns points to can be changed too.
    let changes = |f: &Function| crate::lower::acts(f) || matches!(f.signature().result, Type::Pointer(_));
    unit.functions.iter().any(|f| callable(f) && changes(f))
}

impl Encoder<'_> {
    fn sort_of(&self, ty: &Type) -> Sort {
        match ty {
            Type::Int(t) => self.domain.sort(*t),
            Type::Ieee(f) => Sort::BitVec(f.width()),
            _ => self.domain.address_sort(),
        }
    }

    fn array_sort(&self, element: Sort) -> Sort {
        Sort::array(self.domain.address_sort(), element)
    }

    fn position(&self, span: Span) -> Position {
        self.sources[span.unit as usize].position(span.start as usize)
    }

    /// The statement of a span, made once.
    fn statement(&mut self, span: Span) -> Statement {
        let key = (span.unit, span.start, span.end);
        if let Some(s) = self.statements.get(&key) {
            return s.clone();
        }
        let text: Arc<str> =
            self.sources[span.unit as usize].snippet(span.start as usize, span.end as usize).into();
        let s = Statement { position: Some(self.position(span)), text };
        self.statements.insert(key, s.clone());
        s
    }

    fn leaf(&mut self, o: ObjectId, slot: u32) -> Option<Arc<Leaf>> {
        if let Some(l) = self.leaves.get(&(o, slot)) {
            return l.clone();
        }
        let leaf = self.memory.layouts.leaf(&self.memory.get(o).ty, slot).map(Arc::new);
        self.leaves.insert((o, slot), leaf.clone());
        leaf
    }

    /// The variable of a leaf: an array if the leaf lies in arrays.
    fn leaf_var(&mut self, o: ObjectId, leaf: &Leaf) -> Term {
        let key = VarKey::Leaf(o, leaf.slot);
        if let Some(&t) = self.vars.get(&key) {
            return t;
        }
        let element = self.sort_of(&leaf.ty);
        let sort = if leaf.dims.is_empty() { element } else { self.array_sort(element) };
        let name = format!("{}{}", self.memory.get(o).name, leaf.path);
        self.new_var(key, &name, sort)
    }

    /// The variable of one cell of a split object.
    fn cell_var(&mut self, o: ObjectId, leaf: &Leaf, cell: i128) -> Term {
        let key = VarKey::Cell(o, cell);
        if let Some(&t) = self.vars.get(&key) {
            return t;
        }
        let mut rest = cell - leaf.offset;
        let mut indices = String::new();
        for d in &leaf.dims {
            indices.push_str(&format!("[{}]", rest / d.stride));
            rest %= d.stride;
        }
        let name = format!("{}{indices}{}", self.memory.get(o).name, leaf.path);
        let sort = self.sort_of(&leaf.ty);
        self.new_var(key, &name, sort)
    }

    fn environment(&mut self, cell: Cell) -> Term {
        let key = VarKey::Environment(cell);
        if let Some(&t) = self.vars.get(&key) {
            return t;
        }
        let (name, element) = match cell {
            Cell::Int(t) => (format!("environment.{}", t.c_name().replace(' ', "_")), self.domain.sort(t)),
            Cell::Float(f) => (format!("environment.float{}", f.width()), Sort::BitVec(f.width())),
            Cell::Address => ("environment.pointer".to_string(), self.domain.address_sort()),
        };
        let sort = self.array_sort(element);
        self.new_var(key, &name, sort)
    }

    fn counter(&mut self, key: VarKey) -> Term {
        if let Some(&t) = self.vars.get(&key) {
            return t;
        }
        let name = match key {
            VarKey::Length(o) => format!("{}#length", self.memory.get(o).name),
            VarKey::Size(o) => format!("{}#size", self.memory.get(o).name),
            VarKey::Sizes(o) => format!("{}#sizes", self.memory.get(o).name),
            VarKey::Next(o) => format!("{}#next", self.memory.get(o).name),
            VarKey::Lengths(o) => format!("{}#lengths", self.memory.get(o).name),
            VarKey::Floor(o) => format!("{}#floor", self.memory.get(o).name),
            VarKey::Live(o) => format!("{}#live", self.memory.get(o).name),
            VarKey::Number(o) => format!("{}#number", self.memory.get(o).name),
            VarKey::Rounds => "rounds#".into(),
            _ => unreachable!("a counter"),
        };
        let sort = match key {
            VarKey::Lengths(_) | VarKey::Sizes(_) => self.array_sort(self.domain.address_sort()),
            _ => self.domain.address_sort(),
        };
        self.new_var(key, &name, sort)
    }

    /// The flag of an object that functions without body can access; `None` if that does not matter.
    fn stale(&mut self, o: ObjectId) -> Option<Term> {
        if self.options.undefined == UndefinedMemory::Assume || !self.points_to.escaped().contains(&o) {
            return None;
        }
        let key = VarKey::Stale(o);
        if let Some(&t) = self.vars.get(&key) {
            return Some(t);
        }
        let name = format!("{}#stale", self.memory.get(o).name);
        Some(self.new_var(key, &name, Sort::Bool))
    }

    /// The flag that a violation may be due to a choice; `None` if there is none in the program.
    fn open_flag(&mut self) -> Option<Term> {
        self.open.as_ref()?;
        match self.vars.get(&VarKey::Open) {
            Some(&t) => Some(t),
            None => Some(self.new_var(VarKey::Open, "open#", Sort::Bool)),
        }
    }

    /// The flag that a violation may be due to addresses; `None` if no pointer becomes an integer.
    fn placed_flag(&mut self) -> Option<Term> {
        if !self.placed {
            return None;
        }
        match self.vars.get(&VarKey::Placed) {
            Some(&t) => Some(t),
            None => Some(self.new_var(VarKey::Placed, "placed#", Sort::Bool)),
        }
    }

    /// From here on, where a condition holds, a violation may be due to a choice.
    fn set_open(&mut self, condition: Term) {
        let flag = self.open_flag();
        self.set_flag(flag, condition);
    }

    /// From here on, where a condition holds, a violation may be due to addresses.
    fn set_placed(&mut self, condition: Term) {
        let flag = self.placed_flag();
        self.set_flag(flag, condition);
    }

    fn set_flag(&mut self, flag: Option<Term>, condition: Term) {
        if let Some(flag) = flag {
            let path = self.pool.and(self.state.path.iter().copied().chain([condition]));
            let new = self.pool.or2(self.get(flag), path);
            self.set(flag, new);
        }
    }

    /// The flag of memory of the environment.
    fn stale_outside(&mut self) -> Term {
        match self.vars.get(&VarKey::StaleOutside) {
            Some(&t) => t,
            None => self.new_var(VarKey::StaleOutside, "environment#stale", Sort::Bool),
        }
    }

    /// Sets the flags of all objects that functions without body can access.
    fn set_stale(&mut self, value: bool) {
        let value = if value { self.pool.tru() } else { self.pool.fls() };
        if !self.outside.is_empty() {
            let flag = self.stale_outside();
            self.set(flag, value);
        }
        for o in self.points_to.escaped().iter().copied().collect::<Vec<_>>() {
            if let Some(flag) = self.stale(o) {
                self.set(flag, value);
            }
        }
    }

    fn new_var(&mut self, key: VarKey, name: &str, sort: Sort) -> Term {
        // Two objects may have one name (static variables of two files): names are told apart by a number.
        let mut unique = name.to_string();
        let mut k = 2;
        while self.names_clash(&unique) {
            unique = format!("{name}~{k}");
            k += 1;
        }
        let t = self.pool.var(&unique, sort);
        self.vars.insert(key, t);
        self.state.names.insert(unique);
        t
    }

    fn names_clash(&self, name: &str) -> bool {
        self.state.names.contains(name)
    }
}
