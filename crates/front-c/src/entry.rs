//! Verification that begins at a function other than `main`: a start function that calls it in any state.
//!
//! Arguments have any value. A pointer argument points to the first of some elements of a fresh object of its
//! own, whose content is arbitrary; pointers in there point to nothing known. Global variables have any value
//! or their initial ones ([`Globals`]); a global pointer is treated like an argument. Constant objects keep
//! their values.
//!
//! What is left out is told as an assumption of the proof: pointers that are null, that share an object, or
//! that point into its middle.
//!
//! Entry point: [`start`].

use crate::encode::Assumption;
use crate::ir::{
    Callee, Expr, FuncId, Function, Instr, Node, NodeId, NodeKind, Place, Span, Storage, Unit, VarRef,
    Variable,
};
use crate::options::{COptions, DataModel, Globals};
use crate::source::Source;
use crate::types::{FunctionType, IntType, Records, Type};

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
    let start = unit.declare("__palisade_start", signature, callee.span);
    let mut maker = Maker {
        function: Function::declared("__palisade_start", unit.function(start).ty.clone(), callee.span),
        span: callee.span,
        elements: options.entry.elements,
        data_model: options.data_model,
        pointers: Vec::new(),
    };
    if options.entry.globals == Globals::Any {
        for (g, global) in unit.globals.iter().enumerate() {
            let ours = global.var.name.starts_with("__palisade_");
            if !global.var.constant && !global.literal && !ours {
                let place = Place::var(VarRef::Global(g as u32), global.var.ty.clone(), callee.span);
                maker.any(&unit.records, place, &global.var.name);
            }
        }
    }
    let mut args = Vec::new();
    for &v in &callee.params {
        let parameter = &callee.vars[v as usize];
        let local = maker.function.vars.len() as u32;
        maker.function.vars.push(Variable { temporary: true, scope: 0, visible: None, ..parameter.clone() });
        let place = Place::var(VarRef::Local(local), parameter.ty.clone(), callee.span);
        maker.any(&unit.records, place.clone(), &parameter.name);
        args.push(place.load());
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
    elements: u64,
    data_model: DataModel,
    /// The names of pointers that got an object.
    pointers: Vec<String>,
}

impl Maker {
    fn push(&mut self, kind: NodeKind) {
        self.function.nodes.push(Node { kind, span: self.span, loop_head: false, scope: 0 });
    }

    fn emit(&mut self, instr: Instr) {
        let next = NodeId(self.function.nodes.len() as u32 + 1);
        self.push(NodeKind::Instr(instr, next));
    }

    /// Gives a place any value.
    fn any(&mut self, records: &Records, place: Place, name: &str) {
        let element = match &place.ty {
            Type::Pointer(target) => match &**target {
                Type::Void => Some(Type::Int(IntType::CHAR)),
                Type::Int(_) | Type::Ieee(_) | Type::Pointer(_) | Type::Record(_) => Some((**target).clone()),
                Type::Float(_) | Type::Array(..) | Type::Function(_) => None,
            },
            _ => None,
        };
        // A type that is declared only has no size, and nothing can be known behind such a pointer.
        let size = element.as_ref().and_then(|t| records.size_of(t, self.data_model));
        let (Some(element), Some(size)) = (element, size) else {
            return self.emit(Instr::Havoc(place));
        };
        let bytes = i128::from(self.elements) * i128::from(size);
        let count = Expr::constant(bytes, Type::Int(IntType::UINT), self.span);
        let site = self.function.sites;
        self.function.sites += 1;
        self.pointers.push(name.to_string());
        self.emit(Instr::Alloc {
            dest: place,
            element,
            count,
            zero: false,
            storage: Storage::Allocated,
            by_malloc: true,
            site,
        });
    }

    fn left_out(&self, name: &str, sources: &[Source]) -> Vec<Assumption> {
        if self.pointers.is_empty() {
            return Vec::new();
        }
        let place = sources[self.span.unit as usize].position(self.span.start as usize).to_string();
        let elements = format!("{} element{}", self.elements, if self.elements == 1 { "" } else { "s" });
        let what = match &self.pointers[..] {
            [one] => format!("that on entry of `{name}` {one} points to an object of its own, of {elements}"),
            more => format!(
                "that on entry of `{name}` {} point to separate objects of {elements}",
                more.join(", ")
            ),
        };
        vec![Assumption { what, places: vec![place], dead: Vec::new() }]
    }
}
