//! Dates and signals: `localtime`, `gmtime`, `mktime` and `signal`.
//!
//! The parts of a date are any within their ranges (C11 7.27.1); how they depend on the time and on each
//! other is not known, so a violation behind them is open. `localtime` and `gmtime` share one object.
//!
//! A handler may run at any time. One that only writes `volatile` variables, with values that are defined
//! whatever it reads, changes nothing that a read does
//! not leave open anyway, and its values are inputs there; it must be defined before the call. Others are
//! unsupported, and so is `raise`. Of what `signal` returns it is only known whether it failed.
//!
//! Entry points: [`Lowerer::calendar`], [`Lowerer::set_handler`].

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::call::Args;
use super::constant::{fold, has_effects};
use super::{Lowerer, Res};
use crate::inline::reachable_nodes;
use crate::ir::{
    CmpOp, Expr, ExprKind, FuncId, Global, Instr, NodeKind, Nondet, Part, Place, PlaceKind, VarRef, Variable,
};
use crate::library::PREFIX;
use crate::types::{IntType, RecordId, Type};

/// The ranges of the parts of a date.
const PARTS: [(&str, i128, i128); 7] = [
    ("tm_sec", 0, 60),
    ("tm_min", 0, 59),
    ("tm_hour", 0, 23),
    ("tm_mday", 1, 31),
    ("tm_mon", 0, 11),
    ("tm_wday", 0, 6),
    ("tm_yday", 0, 365),
];

impl Lowerer<'_> {
    /// A value of the library that nobody knows, though it is not arbitrary.
    pub(super) fn unknown(&mut self, ty: Type) -> Expr {
        let dest = self.b().temp("tmp", ty.clone());
        let nondet = Nondet { open: true, ..Nondet::value(None, ty, Default::default()) };
        self.b().emit(Instr::Nondet(Some(dest.clone()), nondet));
        self.opens();
        self.unit.outside = true;
        self.value_of(dest)
    }

    /// What follows in this function is open because of the library.
    pub(super) fn opens(&mut self) {
        let name = self.b().name.clone();
        self.unit.unknown_results.insert(name);
    }

    /// A function about dates. `None`: it is not declared as in the library.
    pub(super) fn calendar(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        let reserved = matches!(name, "localtime" | "gmtime" | "mktime");
        if !reserved && !f.is_some_and(|f| self.in_system_header(f)) {
            return self.unsupported(at, &format!("`{name}` that is not declared as in the library"));
        }
        let result = self.declared_result(f).unwrap_or(Type::INT);
        let mut values = Vec::new();
        for a in args {
            values.push(self.expr(a)?);
        }
        let values: Vec<Expr> = values.into_iter().map(|v| self.b().save(v)).collect();
        self.touch_errno(at);
        let place = match (name, &values[..]) {
            ("localtime" | "gmtime", [time]) => {
                self.read_time(time.clone(), at)?;
                let Some(&Type::Record(r)) = result.pointee() else { return self.undeclared_date(name, at) };
                self.date_object(r, at)
            }
            ("localtime_r" | "gmtime_r", [time, to]) => {
                self.read_time(time.clone(), at)?;
                self.deref(to.clone(), at)?
            }
            ("mktime" | "timegm", [to]) => self.deref(to.clone(), at)?,
            _ => return self.undeclared_date(name, at),
        };
        let Type::Record(r) = place.ty else { return self.undeclared_date(name, at) };
        if self.linked.contains_key(&format!("{PREFIX}ctime")) {
            return self.unsupported(at, &format!("`{name}` beside `ctime`, which has the same object"));
        }
        self.unit.outside = true;
        let fails = self.outside(Type::Int(IntType::BOOL)).expect("a value");
        let fails = self.b().save(fails);
        self.any_date(&place, &fails, r, name, at)?;
        if !matches!(result, Type::Pointer(_)) {
            let ty = Type::Int(IntType::new(self.options.data_model.word(), true));
            let time = self.unknown(ty);
            let time = self.convert(time, result);
            return Ok(Some(self.or_failure(fails, time, -1)));
        }
        let span = self.span(at);
        let address =
            Expr { ty: place.ty.clone().pointer_to(), kind: ExprKind::Address(Box::new(place)), span };
        let address = self.convert(address, result.clone());
        Ok(Some(self.or_failure(fails, address, 0)))
    }

    fn undeclared_date<T>(&self, name: &str, at: AstSpan) -> Res<T> {
        self.unsupported(at, &format!("`{name}` that is not declared as in the library"))
    }

    /// The value, or a number that says that the function failed.
    fn or_failure(&mut self, fails: Expr, value: Expr, failure: i128) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        let failure = Expr::constant(failure, Type::Int(IntType::word(self.options.data_model, true)), span);
        let failure = self.convert(failure, ty.clone());
        let kind = ExprKind::Cond(Box::new(fails), Box::new(failure), Box::new(value));
        self.b().save(Expr { ty, kind, span })
    }

    /// The time is read through the pointer.
    fn read_time(&mut self, pointer: Expr, at: AstSpan) -> Res<()> {
        let place = self.deref(pointer, at)?;
        let value = self.value_of(place);
        self.b().save(value);
        Ok(())
    }

    /// The object of `localtime` and `gmtime`.
    fn date_object(&mut self, r: RecordId, at: AstSpan) -> Place {
        let (name, ty) = (format!("{PREFIX}date"), Type::Record(r));
        let same = |g: &Global| g.var.name == name && g.var.ty == ty;
        let g = match self.unit.globals.iter().position(same) {
            Some(g) => g,
            None => {
                let var = Variable::new(name, ty.clone());
                let init = Vec::new();
                self.unit.globals.push(Global { var, init, external: false, exported: true, literal: false });
                self.unit.globals.len() - 1
            }
        };
        Place::var(VarRef::Global(g as u32), ty, self.span(at))
    }

    /// A date that the library computes. If it cannot, nothing is known of the object.
    fn any_date(&mut self, place: &Place, fails: &Expr, r: RecordId, name: &str, at: AstSpan) -> Res<()> {
        let span = self.span(at);
        self.b().emit(Instr::Open);
        self.opens();
        self.b().emit(Instr::Havoc(place.clone()));
        for (part, least, most) in PARTS {
            let fields = self.unit.records.fields(r);
            let Some(k) = fields.iter().position(|f| f.name == part && f.ty == Type::INT) else {
                return self.undeclared_date(name, at);
            };
            let kind = PlaceKind::Field(Box::new(place.clone()), k as u32);
            let value = Place { ty: Type::INT, kind, span }.load();
            for (op, bound) in [(CmpOp::Ge, least), (CmpOp::Le, most)] {
                let bound = Box::new(Expr::constant(bound, Type::INT, span));
                let kind = ExprKind::Compare(op, Box::new(value.clone()), bound);
                let inside = Expr { ty: Type::INT, kind, span };
                let kind = ExprKind::Or(Box::new(fails.clone()), Box::new(inside));
                self.b().emit(Instr::Assume(Expr { ty: Type::INT, kind, span }));
            }
        }
        Ok(())
    }

    /// `signal`
    pub(super) fn set_handler(
        &mut self,
        f: Option<FuncId>,
        [signal, handler]: [&Ast<ast::Expression>; 2],
        at: AstSpan,
    ) -> Res<Expr> {
        let Some(result) = self.declared_result(f).filter(|r| matches!(r, Type::Pointer(_))) else {
            return self.unsupported(at, "`signal` that is not declared as in the library");
        };
        let [_, value] = self.values([signal, handler], at)?;
        let mut plain = &value;
        while let ExprKind::Cast(inner) = &plain.kind {
            plain = inner;
        }
        let known = match plain.kind {
            ExprKind::Function(h) => self.only_sets_flags(h),
            // SIG_DFL and SIG_IGN.
            _ => matches!(fold(plain).or(plain.as_const()), Some(0 | 1)),
        };
        if !known {
            return self
                .unsupported(at, "a handler of signals that does more than write `volatile` variables");
        }
        self.touch_errno(at);
        let span = self.span(at);
        let what = self.located(at, "the handler that `signal` returns");
        Ok(Expr { ty: result, kind: ExprKind::Unsupported(what.into()), span })
    }

    /// `signal(..) == SIG_ERR`, the use of its result that needs no more.
    pub(super) fn failed_signal(
        &mut self,
        b: &ast::BinaryOperatorExpression,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        use ast::BinaryOperator as B;
        let ast::Expression::Call(call) = &b.lhs.node else { return Ok(None) };
        let named =
            |e: &ast::Expression| matches!(e, ast::Expression::Identifier(i) if i.node.name == "signal");
        let equal = b.operator.node == B::Equals;
        if !named(&call.node.callee.node) || !(equal || b.operator.node == B::NotEquals) {
            return Ok(None);
        }
        if self.is_defined("signal") || has_effects(&b.rhs.node) {
            return Ok(None);
        }
        let error = self.dry(|me| me.expr(&b.rhs))?;
        let mut plain = &error;
        while let ExprKind::Cast(inner) = &plain.kind {
            plain = inner;
        }
        let word = IntType::new(self.options.data_model.word(), true);
        if fold(plain).or(plain.as_const()).map(|v| word.wrap(v)) != Some(-1) {
            return Ok(None);
        }
        self.expr(&b.lhs)?;
        self.unit.outside = true;
        let fails = self.outside(Type::Int(IntType::BOOL)).expect("a value");
        let fails = self.b().save(fails);
        let fails = self.convert(fails, Type::INT);
        if let Some(errno) = self.errno(at) {
            // C11 7.14.1.1p8
            let zero = || Box::new(Expr::constant(0, Type::INT, fails.span));
            let of = |kind| Expr { ty: Type::INT, kind, span: fails.span };
            let done = of(ExprKind::Compare(CmpOp::Eq, Box::new(fails.clone()), zero()));
            let says = of(ExprKind::Compare(CmpOp::Gt, Box::new(errno.load()), zero()));
            self.b().emit(Instr::Assume(of(ExprKind::Or(Box::new(done), Box::new(says)))));
        }
        Ok(Some(if equal { fails } else { self.truth(fails, at, true) }))
    }

    /// Does a function that is defined above only write `volatile` variables, and return?
    fn only_sets_flags(&self, f: FuncId) -> bool {
        let function = self.unit.function(f);
        let flag = |p: &Place| match &p.kind {
            PlaceKind::Var(VarRef::Local(_)) => true,
            PlaceKind::Var(VarRef::Global(g)) => self.unit.globals[*g as usize].var.volatile,
            _ => false,
        };
        let plain = |kind: &NodeKind| {
            let mut plain = true;
            kind.visit(&mut |part| match part {
                Part::Place(p) => plain &= flag(p),
                Part::Expr(e) => plain &= is_harmless(e),
            });
            plain
        };
        let nodes = function.nodes.iter().zip(reachable_nodes(function)).filter(|(_, reachable)| *reachable);
        function.defined()
            && nodes.map(|(node, _)| node).all(|node| {
                let simple = matches!(
                    &node.kind,
                    NodeKind::Instr(Instr::Nop | Instr::Scope { .. } | Instr::Assign(..), _)
                        | NodeKind::Branch(..)
                        | NodeKind::Switch(..)
                        | NodeKind::Exit
                );
                simple && !node.loop_head && plain(&node.kind)
            })
    }
}

/// Is an expression defined whatever its operands are?
fn is_harmless(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::FloatConst(_) | ExprKind::Load(_) => true,
        ExprKind::Not(_) | ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Cond(..) => true,
        ExprKind::Compare(_, a, _) => a.ty.as_int().is_some(),
        ExprKind::Cast(from) => from.ty.as_int().is_some(),
        _ => false,
    }
}

/// Is it a function about dates?
pub(super) fn is_calendar(name: &str) -> bool {
    matches!(name, "localtime" | "gmtime" | "localtime_r" | "gmtime_r" | "mktime" | "timegm")
}
