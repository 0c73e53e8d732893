//! Records what the translation relies on, so that the compiler can confirm it ([`crate::confirm`]).
//!
//! Every method here adds facts and changes nothing else. A fact needs a site: a place in the text where its
//! expression means the same. Before a statement names mean what they do in it; behind a declaration, what
//! they do in its initialisers. A `for` loop with a declaration has its facts in a block around its body. In
//! parameter lists there is no site.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::fold;
use super::{Lowerer, Symbol};
use crate::confirm::{Claim, Site, is_named};
use crate::ir::{Expr, ExprKind, Place, PlaceKind};
use crate::types::{IntType, RecordId, Type};

/// Expressions that are longer than this, in bytes, are not copied.
const LONGEST: usize = 1000;

/// Where facts about what is being lowered can be stated.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sites {
    /// About expressions here.
    here: Option<Site>,
    /// About what the current declaration declares.
    after: Option<Site>,
}

impl Sites {
    /// Before a statement. Types that it defines are not known there.
    pub(super) fn statement(at: AstSpan) -> Sites {
        Sites { here: Some(Site::Offset(at.start as u32)), after: None }
    }

    /// A declaration in a block.
    pub(super) fn declaration(at: AstSpan) -> Sites {
        Sites { here: Some(Site::Offset(at.start as u32)), after: Some(Site::Offset(at.end as u32)) }
    }

    /// Behind a declaration at file scope, or behind the brace of a function.
    pub(super) fn behind(at: AstSpan) -> Sites {
        let site = Some(Site::Offset(at.end as u32));
        Sites { here: site, after: site }
    }

    /// The body of a `for` loop that declares variables.
    pub(super) fn body(at: AstSpan) -> Sites {
        let site = Some(Site::Around(at.start as u32, at.end as u32));
        Sites { here: site, after: site }
    }
}

impl Lowerer<'_> {
    /// Does something with other sites.
    pub(super) fn stating<T>(&mut self, sites: Sites, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.sites, sites);
        let out = f(self);
        self.sites = outer;
        out
    }

    /// A type is defined here: before the statement or declaration, names may mean something else than behind
    /// the definition.
    pub(super) fn defines(&mut self) {
        if self.scopes.last().is_some_and(|s| s.narrow) {
            self.sites = Sites::default();
        } else if self.sites.here != self.sites.after {
            self.sites.here = None;
        }
    }

    /// The sites of an initialiser, or of anything else that sees what the current declaration declares.
    pub(super) fn sites_after(&self) -> Sites {
        Sites { here: self.sites.after, after: self.sites.after }
    }

    /// The type of an expression, and its value if it is a constant.
    pub(super) fn rely_on_value(&mut self, e: &Ast<ast::Expression>, value: &Expr) {
        use ast::Expression as E;
        let (Type::Int(t), true) = (&value.ty, self.options.confirm) else { return };
        let literal = match &e.node {
            // What declares a variable or an enumerator states its type.
            E::Identifier(_) | E::Statement(_) | E::Comma(_) | E::CompoundLiteral(_) | E::VaArg(_) => return,
            E::BinaryOperator(b) if super::constant::is_assignment(&b.node.operator.node) => return,
            E::UnaryOperator(u) if is_step(&u.node.operator.node) => return,
            E::Constant(_) => true,
            _ => false,
        };
        if let ExprKind::Unsupported(_) = value.kind {
            return;
        }
        if let ExprKind::Load(place) = &value.kind
            && self.is_bit_field(place)
        {
            return;
        }
        let Some(text) = self.copied(e.span) else { return self.facts.leave_out() };
        // A literal means the same everywhere.
        let scope = if literal { 0 } else { self.generation };
        self.state_type(scope, e.span, text.clone(), *t);
        if let (Some(v), true) = (fold(value), self.is_constant(&e.node)) {
            self.state(scope, self.sites.here, e.span, text, Claim::Value(v));
        }
    }

    /// The type of an object.
    pub(super) fn rely_on_place(&mut self, e: &Ast<ast::Expression>, place: &Place) {
        let (Type::Int(t), true) = (&place.ty, self.options.confirm) else { return };
        if matches!(e.node, ast::Expression::Identifier(_)) || self.is_bit_field(place) {
            return;
        }
        match self.copied(e.span) {
            Some(text) => self.state_type(self.generation, e.span, text, *t),
            None => self.facts.leave_out(),
        }
    }

    /// The value of a constant expression.
    pub(super) fn rely_on_constant(&mut self, e: &Ast<ast::Expression>, v: i128) {
        if !self.options.confirm || !self.is_constant(&e.node) {
            return;
        }
        match self.copied(e.span) {
            Some(text) => self.state(self.generation, self.sites.here, e.span, text, Claim::Value(v)),
            None => self.facts.leave_out(),
        }
    }

    /// The association that a generic selection takes, by its number.
    pub(super) fn rely_on_selection(&mut self, g: &ast::GenericSelection, taken: usize, at: AstSpan) {
        if !self.options.confirm {
            return;
        }
        let mut parts = vec![self.copied(g.expression.span)];
        for (i, association) in g.associations.iter().enumerate() {
            let ty = match &association.node {
                ast::GenericAssociation::Default(_) => Some("default".to_string()),
                ast::GenericAssociation::Type(t) => self.copied(t.node.type_name.span),
            };
            parts.push(ty.map(|ty| format!("{ty}: {i}")));
        }
        match parts.into_iter().collect::<Option<Vec<_>>>() {
            Some(parts) => {
                let text = format!("_Generic({})", parts.join(", "));
                self.state(self.generation, self.sites.here, at, text, Claim::Value(taken as i128));
            }
            None => self.facts.leave_out(),
        }
    }

    /// The type and size of a declared object.
    pub(super) fn rely_on_variable(&mut self, name: &str, ty: &Type, at: AstSpan) {
        if !self.options.confirm || name.is_empty() {
            return;
        }
        let here = std::mem::replace(&mut self.sites.here, self.sites.after);
        self.generation += 1;
        match ty {
            Type::Int(t) => self.state_type(self.generation, at, name.into(), *t),
            Type::Void | Type::Function(_) => {}
            _ => {
                if let Some(size) = self.unit.records.size_of(ty, self.options.data_model) {
                    self.state_size(at, format!("sizeof({name})"), size);
                }
            }
        }
        self.name_records(name.to_string(), ty, at);
        self.sites.here = here;
    }

    /// The structs without a tag that a typedef gives a name to. One that sets an alignment is another type
    /// than the struct, whose own alignment then has no name.
    pub(super) fn rely_on_typedef(&mut self, name: &str, ty: &Type, aligned: bool, at: AstSpan) {
        self.generation += 1;
        match ty {
            _ if !self.options.confirm => {}
            Type::Record(r) if aligned && self.is_unnamed(*r) => {
                self.named.insert(*r);
                self.state_members(*r, name, 0, at);
            }
            _ if aligned => {}
            _ => self.name_records(format!("(*({name} *)0)"), ty, at),
        }
    }

    /// The values and the type of an enum.
    pub(super) fn rely_on_enum(
        &mut self,
        tag: Option<&str>,
        constants: &[(String, i128)],
        ty: IntType,
        at: AstSpan,
    ) {
        if !self.options.confirm {
            return;
        }
        let here = std::mem::replace(&mut self.sites.here, self.sites.after);
        self.generation += 1;
        for (name, value) in constants {
            let of_constant = if IntType::INT.contains(*value) { IntType::INT } else { ty };
            self.state(self.generation, self.sites.after, at, name.clone(), Claim::Value(*value));
            self.state_type(self.generation, at, name.clone(), of_constant);
        }
        if let Some(tag) = tag {
            self.state_type(self.generation, at, format!("(enum {tag})0"), ty);
        }
        self.sites.here = here;
    }

    /// The layout of a struct or union, if it has a tag. Others are named by what is declared with them.
    pub(super) fn rely_on_record(&mut self, r: RecordId, tag: Option<&str>, at: AstSpan) {
        if let (Some(tag), true) = (tag, self.options.confirm) {
            let keyword = if self.unit.records.get(r).union { "union" } else { "struct" };
            self.generation += 1;
            self.state_layout(r, &format!("{keyword} {tag}"), at);
        }
    }

    /// States the layout of structs without a tag in a type; `object` is an expression of the type.
    fn name_records(&mut self, object: String, ty: &Type, at: AstSpan) {
        match ty {
            Type::Pointer(t) => self.name_records(format!("(*{object})"), t, at),
            Type::Array(t, _) => self.name_records(format!("{object}[0]"), t, at),
            Type::Record(r) if self.is_unnamed(*r) => {
                self.named.insert(*r);
                self.state_layout(*r, &format!("__typeof__({object})"), at);
            }
            _ => {}
        }
    }

    /// A struct without a tag whose layout was not stated yet.
    fn is_unnamed(&self, r: RecordId) -> bool {
        let record = self.unit.records.get(r);
        record.name == super::typename::ANONYMOUS && record.fields.is_some() && !self.named.contains(&r)
    }

    fn state_layout(&mut self, r: RecordId, name: &str, at: AstSpan) {
        let record = self.unit.records.get(r);
        let (size, align) = (record.size, record.align);
        self.state_size(at, format!("sizeof({name})"), size);
        self.state_size(at, format!("_Alignof({name})"), align);
        self.state_members(r, name, 0, at);
    }

    /// The offsets and types of members; those of a struct without a name are members of the struct around
    /// it.
    fn state_members(&mut self, r: RecordId, name: &str, base: u64, at: AstSpan) {
        let fields = self.unit.records.fields(r).to_vec();
        for f in fields {
            match &f.ty {
                Type::Record(inner) if f.name.is_empty() => {
                    self.state_members(*inner, name, base + f.offset, at)
                }
                _ if f.bit_field || f.name.is_empty() => self.facts.leave_out(),
                ty => {
                    self.state_size(at, format!("__builtin_offsetof({name}, {})", f.name), base + f.offset);
                    let object = format!("(({name} *)0)->{}", f.name);
                    match ty {
                        Type::Int(t) => {
                            let here = std::mem::replace(&mut self.sites.here, self.sites.after);
                            self.state_type(self.generation, at, object, *t);
                            self.sites.here = here;
                        }
                        _ => self.name_records(object, ty, at),
                    }
                }
            }
        }
    }

    fn state_size(&mut self, at: AstSpan, text: String, size: u64) {
        self.state(self.generation, self.sites.after, at, text, Claim::Value(i128::from(size)));
    }

    fn state_type(&mut self, scope: u32, at: AstSpan, text: String, t: IntType) {
        if is_named(t) {
            self.state(scope, self.sites.here, at, text, Claim::Type(t));
        } else {
            self.facts.leave_out();
        }
    }

    fn state(&mut self, scope: u32, site: Option<Site>, at: AstSpan, text: String, claim: Claim) {
        match site {
            Some(site) => self.facts.add(scope, self.unit_index, site, at.start as u32, text, claim),
            None => self.facts.leave_out(),
        }
    }

    /// The text of an expression on one line; `None` where a copy would define something again, or is long.
    fn copied(&self, at: AstSpan) -> Option<String> {
        let text = self.source().text.get(at.start..at.end)?;
        if text.len() > LONGEST || text.contains('{') {
            return None;
        }
        let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        Some(code.map(str::trim).collect::<Vec<_>>().join(" "))
    }

    /// Is this a constant expression for every compiler?
    pub(super) fn is_constant(&self, e: &ast::Expression) -> bool {
        use ast::Expression as E;
        use ast::UnaryOperator as U;
        match e {
            E::Constant(c) => !matches!(c.node, ast::Constant::Float(_)),
            E::Identifier(i) => matches!(self.lookup(&i.node.name), Some(Symbol::Constant(..))),
            E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) => true,
            E::OffsetOf(o) => super::constant::indices(&o.node).all(|i| self.is_constant(&i.node)),
            E::UnaryOperator(u) => {
                let plain = matches!(u.node.operator.node, U::Plus | U::Minus | U::Complement | U::Negate);
                plain && self.is_constant(&u.node.operand.node)
            }
            E::BinaryOperator(b) => {
                let op = &b.node.operator.node;
                *op != ast::BinaryOperator::Index
                    && !super::constant::is_assignment(op)
                    && self.is_constant(&b.node.lhs.node)
                    && self.is_constant(&b.node.rhs.node)
            }
            E::Cast(c) => self.is_constant(&c.node.expression.node),
            E::Conditional(c) => [&c.node.condition, &c.node.then_expression, &c.node.else_expression]
                .into_iter()
                .all(|x| self.is_constant(&x.node)),
            _ => false,
        }
    }

    pub(super) fn is_bit_field(&self, place: &Place) -> bool {
        let PlaceKind::Field(base, k) = &place.kind else { return false };
        let Type::Record(r) = base.ty else { return false };
        self.unit.records.fields(r)[*k as usize].bit_field
    }
}

fn is_step(op: &ast::UnaryOperator) -> bool {
    use ast::UnaryOperator as U;
    matches!(op, U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement)
}
