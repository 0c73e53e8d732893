//! The intermediate program: every function a control-flow graph of simple, typed instructions.
//!
//! Expressions here have no side effects: calls, assignments and increments inside C expressions have been
//! sequenced into instructions with temporaries. Conversions are explicit. `&&`, `||` and `?:` over pure
//! operands remain expressions; what their right-hand sides must satisfy (no overflow, no bad pointer) is
//! only required when they are evaluated.

mod visit;

use std::ops::Range;
use std::sync::Arc;

use palisade_float::Rounding;
use rustc_hash::FxHashSet;

use crate::crosscheck::Observable;
use crate::types::{FunctionType, Records, Type};

pub use visit::{Part, PartMut};

/// A span of a translation unit: which one, first and last offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Index of the translation unit.
    pub unit: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A variable as a function sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarRef {
    /// Index into [`Unit::globals`] (static locals and string literals are globals too).
    Global(u32),
    /// Index into [`Function::vars`].
    Local(u32),
}

/// Index into [`Unit::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(pub u32);

/// Index of a node of a function's graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// A pure expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its type; never an array or function type.
    pub ty: Type,
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// Binary arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

/// The comparisons; signed or unsigned by the type of their operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CmpOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<` of addresses, defined for all pointers; false for two that cannot point into one object
    Before,
}

/// The functions of floating-point numbers that are expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatOp {
    /// `fabs`
    Abs,
    /// `sqrt`
    Sqrt,
    /// `floor`, `ceil`, `trunc`, `round`, `rint`: rounded to an integer
    Round(Rounding),
    /// `fmin`
    Min,
    /// `fmax`
    Max,
    /// `copysign`
    CopySign,
    /// `isnan`; this and what follows gives `int`, 0 or 1
    IsNan,
    /// `isinf`
    IsInfinite,
    /// `isfinite`
    IsFinite,
    /// `isnormal`
    IsNormal,
    /// Is it a subnormal number?
    IsSubnormal,
    /// `signbit`
    SignBit,
    /// `isunordered`
    Unordered,
    /// `lrint`, `lround`: rounded to an integer of the type of the expression
    ToInt(Rounding),
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer constant, in the range of its type; as a pointer: the null pointer or a made-up address.
    Const(i128),
    /// A floating-point constant: its bits.
    FloatConst(u64),
    /// The value of a place.
    Load(Box<Place>),
    /// The address of a place.
    Address(Box<Place>),
    /// The address of a function.
    Function(FuncId),
    /// `-e`
    Neg(Box<Expr>),
    /// `~e`
    BitNot(Box<Expr>),
    /// `!e`
    Not(Box<Expr>),
    /// Arithmetic; both operands have the type of the result, except the right operand of a shift.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// A function of floating-point numbers of one type.
    Float(FloatOp, Vec<Expr>),
    /// The outermost operation of the second expression, rounded as the last two bits of the first one say:
    /// 0 to the nearest, 1 down, 2 up, 3 towards zero. Only in programs that change the rounding mode.
    Rounded(Box<Expr>, Box<Expr>),
    /// Comparison of two numbers of one type or two pointers; gives `int`.
    Compare(CmpOp, Box<Expr>, Box<Expr>),
    /// Pointer plus (or minus, when the flag is set) a number of elements.
    PtrAdd(Box<Expr>, Box<Expr>, bool),
    /// Difference of two pointers, in elements.
    PtrSub(Box<Expr>, Box<Expr>),
    /// `a && b`
    And(Box<Expr>, Box<Expr>),
    /// `a || b`
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Conversion to the type of this expression.
    Cast(Box<Expr>),
    /// Something that cannot be modelled: reaching it makes the result unknown.
    Unsupported(Arc<str>),
}

/// An object or a part of one.
#[derive(Clone, Debug)]
pub struct Place {
    /// The type of what is there.
    pub ty: Type,
    /// What it is.
    pub kind: PlaceKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of places.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// A variable.
    Var(VarRef),
    /// What a pointer points to.
    Deref(Box<Expr>),
    /// An element of an array place.
    Index(Box<Place>, Box<Expr>),
    /// A member of a struct or union place.
    Field(Box<Place>, u32),
}

/// What a call invokes.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A known function with a body.
    Direct(FuncId),
    /// A function pointer.
    Indirect(Expr),
}

/// A value from outside: a call of an undefined function, or `argc`.
#[derive(Clone, Debug)]
pub struct Nondet {
    /// The function that is asked; `None` for values that no function returns.
    pub function: Option<Arc<str>>,
    /// The type it returns.
    pub ty: Type,
    /// It is code of the environment, which may change what it can access; otherwise it only returns a value.
    pub foreign: bool,
    /// The pointers that it is given, as far as it may change what is there.
    pub pointers: Vec<Expr>,
    /// The numbers and structs that it is given: addresses may be in them.
    pub values: Vec<Expr>,
    /// It is given pointers through which it could write, whatever else it can access.
    pub writes: bool,
    /// It is given pointers to what is constant for it.
    pub trusts: bool,
    /// The call.
    pub call: Span,
    /// The value is some definite one that nobody knows: what follows from it is open, see [`Unit::open`].
    pub open: bool,
}

impl Nondet {
    /// A value, and nothing else.
    pub fn value(function: Option<Arc<str>>, ty: Type, call: Span) -> Nondet {
        Nondet {
            function,
            ty,
            foreign: false,
            pointers: Vec::new(),
            values: Vec::new(),
            writes: false,
            trusts: false,
            call,
            open: false,
        }
    }
}

/// The bits that belong to no scalar, where an object is set to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// They are zero: `memset`.
    Zero,
    /// C leaves them open: a list of initial values.
    Open,
}

/// A simple instruction.
#[derive(Clone, Debug)]
pub enum Instr {
    /// Nothing.
    Nop,
    /// Assignment of a scalar, or of a whole struct (then the value is a load).
    Assign(Place, Expr),
    /// All scalars of the place become zero.
    Zero(Place, Padding),
    /// The place becomes indeterminate.
    Havoc(Place),
    /// A value from outside is stored (or dropped).
    Nondet(Option<Place>, Nondet),
    /// Blocks are left and entered: the variables (of this function, with their address taken) that end and
    /// begin to exist.
    Scope {
        /// Those of the blocks that are left.
        left: Vec<u32>,
        /// Those of the blocks that are entered.
        entered: Vec<u32>,
    },
    /// So many bytes from an address on become zero, whatever is there.
    Clear(Expr, Expr),
    /// `free`.
    Free(Expr),
    /// The number of bytes of the allocated block that begins at an address is stored; 0 if there is none.
    BlockSize(Place, Expr),
    /// What a pointer to a function leads to must change nothing.
    ChangesNothing(Expr),
    /// From here on a violation may be due to a choice that C leaves to the compiler, see [`Unit::open`].
    Open,
    /// Execution continues only where this holds.
    Assume(Expr),
    /// The program ends here, by `exit` or by `abort` (the flag).
    Quit {
        /// By `abort`.
        abort: bool,
        /// The block in which that is written.
        scope: u32,
    },
    /// Memory is allocated: the address, the element type, how many elements; zeroed or indeterminate.
    Alloc {
        /// Receives the address.
        dest: Place,
        /// The element type.
        element: Type,
        /// The number of elements.
        count: Expr,
        /// Zeroed.
        zero: bool,
        /// Who frees it.
        storage: Storage,
        /// It is a call of `malloc`, whose contents a harness can choose.
        by_malloc: bool,
        /// Which allocation this is, among those of the function.
        site: u32,
    },
    /// A function call.
    Call {
        /// Receives the result.
        dest: Option<Place>,
        /// What is called.
        callee: Callee,
        /// The arguments, converted for a direct call.
        args: Vec<Expr>,
    },
}

/// Where allocated memory comes from, and so when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Storage {
    /// `malloc` and the like: until `free`.
    #[default]
    Allocated,
    /// `alloca`: until the function returns.
    Stack,
    /// The library keeps it, as the object of an open file.
    Library,
}

/// A node of a function's graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does and where it leads.
    pub kind: NodeKind,
    /// Where it stands.
    pub span: Span,
    /// The innermost loop it is the head of begins here (for the names of locations).
    pub loop_head: bool,
    /// The block that it is in.
    pub scope: u32,
}

/// The forms of nodes.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// An instruction and its successor.
    Instr(Instr, NodeId),
    /// Two-way branch: condition, successor if true, successor if false.
    Branch(Expr, NodeId, NodeId),
    /// Multi-way branch: value ranges (inclusive) with their successors, and the default.
    Switch(Expr, Vec<(i128, i128, NodeId)>, NodeId),
    /// The function returns (its value is in [`Function::result`]).
    Exit,
    /// The program ends.
    Halt,
    /// The named property is violated.
    Error(Arc<str>),
    /// What is here must not be reached: that is undefined behaviour.
    Undefined(&'static str),
    /// Something that cannot be modelled.
    Unsupported(Arc<str>),
}

impl NodeKind {
    /// The nodes that may come next.
    pub fn successors(&self) -> Vec<NodeId> {
        match self {
            NodeKind::Instr(_, next) => vec![*next],
            NodeKind::Branch(_, a, b) => vec![*a, *b],
            NodeKind::Switch(_, cases, default) => {
                cases.iter().map(|c| c.2).chain(std::iter::once(*default)).collect()
            }
            NodeKind::Exit
            | NodeKind::Halt
            | NodeKind::Error(_)
            | NodeKind::Undefined(_)
            | NodeKind::Unsupported(_) => Vec::new(),
        }
    }

    /// Leads to another node wherever it led to this one.
    pub fn redirect(&mut self, from: NodeId, to: NodeId) {
        let change = |n: &mut NodeId| {
            if *n == from {
                *n = to;
            }
        };
        match self {
            NodeKind::Instr(_, next) => change(next),
            NodeKind::Branch(_, a, b) => [a, b].into_iter().for_each(change),
            NodeKind::Switch(_, cases, default) => {
                cases.iter_mut().for_each(|c| change(&mut c.2));
                change(default);
            }
            NodeKind::Exit
            | NodeKind::Halt
            | NodeKind::Error(_)
            | NodeKind::Undefined(_)
            | NodeKind::Unsupported(_) => {}
        }
    }
}

/// A parameter, local, temporary or global: its name and type.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the source, or a made-up one.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Made by the translation: arguments, temporaries.
    pub temporary: bool,
    /// Declared `volatile`: every read gives another value.
    pub volatile: bool,
    /// Declared `const`.
    pub constant: bool,
    /// The block that declares it, of a local variable.
    pub scope: u32,
    /// Of a local variable: where its name stands for it, if that is known.
    pub visible: Option<Span>,
    /// The alignment in bytes that its declaration asks for, if it is more than its type's.
    pub align: u64,
    /// A compound literal: a temporary that the program can change.
    pub literal: bool,
    /// A compound literal that is `const`: compilers may put two of them, or one and a string literal, into
    /// one place (C11 6.5.2.5p7).
    pub shared: bool,
}

impl Variable {
    /// A variable of the outermost block that nothing else is said about.
    pub fn new(name: impl Into<String>, ty: Type) -> Variable {
        Variable {
            name: name.into(),
            ty,
            temporary: false,
            volatile: false,
            constant: false,
            scope: 0,
            visible: None,
            align: 1,
            literal: false,
            shared: false,
        }
    }
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name and type.
    pub var: Variable,
    /// Constant initialisers: path into the object and value. What is not mentioned is zero.
    pub init: Vec<(Place, Expr)>,
    /// Declared `extern` and defined nowhere: its initial value is unknown.
    pub external: bool,
    /// It has external linkage: functions without body know its name.
    pub exported: bool,
    /// A string literal, one for each place where one stands.
    pub literal: bool,
}

/// A function with its graph.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Parameters, locals and temporaries.
    pub vars: Vec<Variable>,
    /// The parameters, as indices into `vars`.
    pub params: Vec<u32>,
    /// It is defined without a prototype: what is passed has the promoted types of the parameters.
    pub old_style: bool,
    /// The length of each that is declared as an array of a constant one.
    pub lengths: Vec<Option<u64>>,
    /// Where the result is put.
    pub result: Option<u32>,
    /// The graph; empty for a function without body.
    pub nodes: Vec<Node>,
    /// The first node.
    pub entry: NodeId,
    /// How many allocation sites there are.
    pub sites: u32,
    /// Names for the blocks of the first of them; of others they are made up.
    pub block_names: Vec<String>,
    /// Where it is defined.
    pub span: Span,
    /// Its address is taken somewhere.
    pub address_taken: bool,
    /// It has external linkage: functions without a body could call it.
    pub exported: bool,
    /// It does not return: `noreturn`.
    pub noreturn: bool,
    /// The orders of evaluation that are open; none after `crate::order`.
    pub orders: Vec<Order>,
    /// Orders that were chosen because accesses of different types are to different memory.
    pub ordered_by_type: Vec<ByType>,
    /// Nodes of operands that are there twice: the copies that come first.
    pub early: Vec<Range<u32>>,
    /// The blocks: the one around each. The first is the function itself.
    pub scopes: Vec<u32>,
}

/// An order of evaluation that was chosen because accesses of different types are to different memory: what
/// both sides access. `None` if that may be anything.
#[derive(Clone, Debug)]
pub struct ByType {
    /// The side that comes first.
    pub left: Option<Vec<Place>>,
    /// The other one.
    pub right: Option<Vec<Place>>,
}

/// Parts of the graph that C leaves open to be executed in either order.
#[derive(Clone, Debug)]
pub struct Order {
    /// The node before all of them.
    pub gate: NodeId,
    /// What comes first, usually.
    pub left: Vec<Side>,
    /// What comes after it, usually.
    pub right: Vec<Side>,
    /// Nodes that choose the order, with the successor of each if the order does not matter; and nodes that
    /// become [`Instr::Open`] if it does. `None` if the graph has only the usual order.
    #[allow(clippy::type_complexity)]
    pub choice: Option<(Vec<(NodeId, NodeId)>, Vec<NodeId>)>,
    /// What a result depends on, and where.
    pub what: Arc<str>,
}

/// A part of the program that has an order among others.
#[derive(Clone, Debug)]
pub enum Side {
    /// Nodes of the graph.
    Nodes(Range<u32>),
    /// An expression.
    Reads(Expr),
    /// A store after values and calls, but not after other side effects.
    Store(Place),
    /// Statements that may jump to other statements: then the rest of the expression is not evaluated.
    Leaves,
    /// Statements that may not end.
    Loops,
}

impl Function {
    /// A function without body.
    pub fn declared(name: &str, ty: Type, span: Span) -> Function {
        Function {
            name: name.to_string(),
            ty,
            vars: Vec::new(),
            params: Vec::new(),
            old_style: false,
            lengths: Vec::new(),
            result: None,
            nodes: Vec::new(),
            entry: NodeId(0),
            sites: 0,
            block_names: Vec::new(),
            span,
            address_taken: false,
            exported: false,
            noreturn: false,
            orders: Vec::new(),
            ordered_by_type: Vec::new(),
            early: Vec::new(),
            scopes: vec![0],
        }
    }

    /// Its type, taken apart.
    pub fn signature(&self) -> Arc<FunctionType> {
        match &self.ty {
            Type::Function(signature) => signature.clone(),
            _ => unreachable!("a function has a function type"),
        }
    }

    /// Does it have a body?
    pub fn defined(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Is a block the other one, or around it?
    pub fn is_around(&self, outer: u32, mut inner: u32) -> bool {
        while inner != outer && inner != 0 {
            inner = self.scopes[inner as usize];
        }
        inner == outer
    }

    /// The node of a number.
    pub fn node(&self, n: NodeId) -> &Node {
        &self.nodes[n.0 as usize]
    }
}

/// The name of the object in which a caller has variable arguments, while the called function runs.
pub const ARGUMENTS: &str = "arguments";

/// Does a global variable stand for a label whose address is taken?
pub fn is_label(g: &Global) -> bool {
    g.var.name.starts_with("&&")
}

/// A choice that C leaves open, with the function where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenChoice {
    /// The order of evaluations.
    Order(FuncId, Arc<str>),
    /// What inline assembly does.
    Assembly(FuncId),
    /// What a function of the library returns.
    Library(FuncId),
    /// Whether code ends that is not there any more.
    Sliced,
}

/// All translation units, linked.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Structs and unions.
    pub records: Records,
    /// Global variables.
    pub globals: Vec<Global>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Numbers that are stored or returned, for the comparison with a compiled program.
    pub observables: Vec<Observable>,
    /// What a violation may depend on that other compilers or environments do differently.
    pub open: Vec<OpenChoice>,
    /// Where expressions stand that are not of the program: annotations and witnesses.
    pub claims: FxHashSet<Span>,
    /// Calls of functions without body that are taken for the verifier's `assume` by their names alone.
    pub assumed: Vec<Span>,
    /// Elements are sorted or searched, and C leaves open which are compared, and how equal ones are ordered.
    pub sorts: bool,
    /// A typedef has a smaller alignment than its type: objects may lie anywhere.
    pub loosely_aligned: bool,
    /// Blocks are freed, also where a slice does not show it.
    pub frees: bool,
    /// Blocks are resized, and move or stay where they are: a pointer to the old block, which has ended, must
    /// not be compared with one to the new block.
    pub moves: bool,
    /// The functions in which a result of the library is used that nobody knows.
    pub(crate) unknown_results: FxHashSet<String>,
    /// What functions of the library return is decided outside.
    pub outside: bool,
    /// The globals for jumps out of functions, if there are any.
    pub(crate) jumps: Option<crate::jumps::Jumps>,
}

impl Unit {
    /// Does it have objects or members that are `volatile`?
    pub fn is_volatile(&self) -> bool {
        let fields = self.records.all.iter().flat_map(|r| r.fields.iter().flatten());
        self.globals.iter().any(|g| g.var.volatile)
            || self.functions.iter().any(|f| f.vars.iter().any(|v| v.volatile))
            || fields.into_iter().any(|f| f.volatile)
    }

    /// Adds a function without body.
    pub fn declare(&mut self, name: &str, ty: Type, span: Span) -> FuncId {
        self.functions.push(Function::declared(name, ty, span));
        FuncId(u32::try_from(self.functions.len() - 1).expect("few functions"))
    }

    /// The function of a number.
    pub fn function(&self, f: FuncId) -> &Function {
        &self.functions[f.0 as usize]
    }
}

impl Expr {
    /// A constant.
    pub fn constant(value: i128, ty: Type, span: Span) -> Expr {
        Expr { ty, kind: ExprKind::Const(value), span }
    }

    /// A conversion; nothing when the type is the same already.
    pub fn cast(self, ty: Type) -> Expr {
        if self.ty == ty {
            return self;
        }
        let span = self.span;
        // Only if the value does not change: the conversion of a value out of range depends on the integer
        // mode.
        if let (ExprKind::Const(v), Type::Int(t), Type::Int(_)) = (&self.kind, &ty, &self.ty)
            && (t.contains(*v) || t.boolean)
        {
            return Expr::constant(if t.boolean { t.wrap(*v) } else { *v }, ty, span);
        }
        Expr { ty, kind: ExprKind::Cast(Box::new(self)), span }
    }

    /// The constant value, if it is a constant.
    pub fn as_const(&self) -> Option<i128> {
        match self.kind {
            ExprKind::Const(v) => Some(v),
            _ => None,
        }
    }
}

impl Place {
    /// A whole variable as a place.
    pub fn var(v: VarRef, ty: Type, span: Span) -> Place {
        Place { ty, kind: PlaceKind::Var(v), span }
    }

    /// The variable that it is a part of.
    pub fn root(&self) -> Option<VarRef> {
        match &self.kind {
            PlaceKind::Var(v) => Some(*v),
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => base.root(),
        }
    }

    /// The value there.
    pub fn load(self) -> Expr {
        Expr { ty: self.ty.clone(), span: self.span, kind: ExprKind::Load(Box::new(self)) }
    }
}
