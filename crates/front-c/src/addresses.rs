//! What addresses are called: `&buf[3]` and `&pool[1].next` instead of the numbers that stand for them.
//!
//! The cells of an object have consecutive numbers in the automaton. [`Addresses::place`] gives the name of
//! one as a pointer of some type sees it. [`Addresses::worded`] words comparisons of pointers and the cells
//! of arrays in formulas: `p < &pool[i]`, `p->next->value`. What has no such name keeps its number. The texts
//! are for people: nothing reads them again.
//!
//! Entry points: [`Addresses::place`], [`Addresses::worded`].

use palisade_term::{Linear, Op, Rational, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::memory::Layouts;
use crate::records::Records;
use crate::story::Name;
use crate::types::Type;

/// How the cells of a type are named.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Scalar,
    /// Cells are bytes of something else than bytes.
    Bytes,
    /// Elements.
    Array(Box<Part>),
    /// Members, with their name and first cell.
    Record(Vec<(String, i128, Part)>),
}

/// A type with its cells.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) ty: Type,
    /// The name of a struct or union.
    tag: String,
    cells: i128,
    shape: Shape,
}

impl Part {
    pub(crate) fn new(ty: &Type, layouts: &Layouts<'_>, records: &Records) -> Part {
        let (mut tag, mut cells) = (String::new(), 1);
        let shape = match ty {
            Type::Array(element, _) => {
                cells = layouts.cells(ty).max(1);
                let element = Part::new(element, layouts, records);
                Shape::Array(Box::new(element))
            }
            Type::Record(r) if records.get(*r).fields.is_some() => {
                (tag, cells) = (records.get(*r).name.clone(), layouts.cells(ty));
                let fields = records.fields(*r).iter().enumerate();
                let member = fields.map(|(k, f)| {
                    (f.name.clone(), layouts.field(*r, k as u32).1, Part::new(&f.ty, layouts, records))
                });
                Shape::Record(member.collect())
            }
            _ => Shape::Scalar,
        };
        Part { ty: ty.clone(), tag, cells, shape }
    }

    /// The same for an object whose cells are its bytes.
    pub(crate) fn of_bytes(ty: &Type, bytes: i128, layouts: &Layouts<'_>) -> Part {
        let part = |ty: &Type, cells, shape| Part { ty: ty.clone(), tag: String::new(), cells, shape };
        let shape = match ty {
            Type::Array(element, _) if layouts.size(element) == Some(1) => {
                Shape::Array(Box::new(part(element, 1, Shape::Scalar)))
            }
            _ => Shape::Bytes,
        };
        part(ty, bytes, shape)
    }

    /// Is it the same type, as other files may have declared it?
    fn is(&self, other: &Part) -> bool {
        self.ty == other.ty || !self.tag.is_empty() && self.tag == other.tag
    }

    /// The way to a cell, as far as what a pointer points to: `[3].next`.
    fn path(&self, cell: i128, pointee: Option<&Part>) -> Option<String> {
        if cell == 0 && pointee.is_none_or(|p| self.is(p)) {
            return Some(String::new());
        }
        self.within(cell, &|part, rest| part.path(rest, pointee))
    }

    /// The way to the scalar at a cell.
    fn leaf(&self, cell: i128) -> Option<String> {
        self.within(cell, &Part::leaf)
    }

    /// The way into the part at a cell, and on from there.
    fn within(&self, cell: i128, on: &dyn Fn(&Part, i128) -> Option<String>) -> Option<String> {
        match &self.shape {
            Shape::Scalar => (cell == 0).then(String::new),
            Shape::Bytes => None,
            Shape::Array(element) => {
                let (index, rest) = (cell.div_euclid(element.cells), cell.rem_euclid(element.cells));
                Some(format!("[{index}]{}", on(element, rest)?))
            }
            Shape::Record(members) => {
                let here = |m: &&(String, i128, Part)| m.1 <= cell && cell < m.1 + m.2.cells;
                // Behind the last element of a member at the end.
                let behind = |m: &&(String, i128, Part)| matches!(m.2.shape, Shape::Array(_));
                let (name, first, part) =
                    members.iter().find(here).or_else(|| members.last().filter(behind))?;
                let rest = on(part, cell - first)?;
                Some(if name.is_empty() { rest } else { format!(".{name}{rest}") })
            }
        }
    }
}

/// An object that pointers can point to.
#[derive(Clone, Debug)]
pub(crate) struct Pointee {
    pub(crate) name: String,
    /// The number of its first cell.
    pub(crate) base: i128,
    pub(crate) part: Part,
}

/// What pointers can point to, and what their types look like.
#[derive(Clone, Debug, Default)]
pub(crate) struct Addresses {
    pub(crate) objects: Vec<Pointee>,
    /// The numbers of functions, with their names.
    pub(crate) functions: Vec<(i128, String)>,
    pub(crate) types: Vec<Part>,
}

impl Addresses {
    /// The place that a number is the address of, for a pointer to this type.
    pub(crate) fn place(&self, number: i128, pointee: &Type) -> Option<String> {
        if number == 0 {
            return Some("NULL".into());
        }
        if let Type::Function(_) = pointee {
            return self.functions.iter().find(|f| f.0 == number).map(|f| f.1.clone());
        }
        let inside = |p: &&Pointee| p.base <= number && number <= p.base + p.part.cells;
        // Behind an object may be another one.
        let object = self.objects.iter().filter(inside).max_by_key(|p| p.base)?;
        let cell = number - object.base;
        let name = &object.name;
        match (object.part.path(cell, self.part(pointee)), &object.part.shape) {
            (Some(path), _) => Some(format!("&{name}{path}")),
            _ if cell == object.part.cells => Some(format!("&{name} + 1")),
            (None, Shape::Bytes) => Some(format!("(char *)&{name} + {cell}")),
            (None, _) => None,
        }
    }

    fn part(&self, ty: &Type) -> Option<&Part> {
        self.types.iter().find(|p| p.ty == *ty)
    }

    /// The words for a comparison, or its negation, or for a cell of an array; `None` for other terms, and
    /// for those that are as well without.
    pub(crate) fn worded(
        &self,
        pool: &TermPool,
        names: &FxHashMap<Term, Name>,
        t: Term,
        negated: bool,
    ) -> Option<String> {
        let words = Words { addresses: self, pool, names };
        match pool.op(t) {
            Op::Le | Op::Eq => words.comparison(t, negated),
            Op::BvSle => words.comparison(t, negated),
            Op::Select if !negated => words.cell(t),
            _ => None,
        }
    }
}

struct Words<'a> {
    addresses: &'a Addresses,
    pool: &'a TermPool,
    names: &'a FxHashMap<Term, Name>,
}

impl Words<'_> {
    fn text(&self, t: Term) -> String {
        let worded = |t: Term, negated: bool| self.addresses.worded(self.pool, self.names, t, negated);
        self.pool.infix_by(t, &worded).to_string()
    }

    /// What a term points to, if it is a pointer.
    fn pointee(&self, t: Term) -> Option<&Type> {
        let variable = match self.pool.op(t) {
            Op::Select => self.pool.args(t)[0],
            _ => t,
        };
        let name = self.names.get(&variable)?;
        match &name.ty {
            Type::Pointer(to) if name.strides.is_empty() == (variable == t) => Some(to),
            _ => None,
        }
    }

    fn comparison(&self, t: Term, negated: bool) -> Option<String> {
        let args = self.pool.args(t);
        if let Some(words) = self.strict(t, negated) {
            return Some(words);
        }
        let (pointer, mut number, rest, mut op) = match self.pool.sort(args[0]) {
            Sort::Int => self.linear(t)?,
            Sort::BitVec(_) => self.words(t)?,
            _ => return None,
        };
        let to = self.pointee(pointer)?.clone();
        if negated {
            (op, number) = match op {
                "<=" => (">=", number + 1),
                ">=" => ("<=", number - 1),
                _ => ("!=", number),
            };
        }
        let exact = |n: i128| self.addresses.place(n, &to).filter(|_| n != 0 || rest.coeffs.is_empty());
        let (op, place) = match (op, exact(number)) {
            ("<=" | ">=", _) if number == 0 => return None,
            (op, Some(place)) => (op, place),
            ("<=", None) => ("<", exact(number + 1)?),
            (">=", None) if number > 1 => (">", exact(number - 1)?),
            _ => return None,
        };
        let place = self.moved(place, &rest, &to)?;
        Some(format!("{} {op} {place}", self.text(pointer)))
    }

    /// A comparison of two pointers that is best told as `<` or `>`.
    fn strict(&self, t: Term, negated: bool) -> Option<String> {
        let args = self.pool.args(t);
        if *self.pool.op(t) != Op::Le || *self.pool.sort(args[0]) != Sort::Int {
            return None;
        }
        let sum = self.pool.linear(args[0]).minus(&self.pool.linear(args[1]));
        let [(a, k), (b, l)] = &sum.coeffs[..] else { return None };
        let units = k.abs().is_one() && l.abs().is_one() && k.is_negative() != l.is_negative();
        if !units || self.pointee(*a).is_none() || self.pointee(*b).is_none() {
            return None;
        }
        let (low, high) = if k.is_negative() { (b, a) } else { (a, b) };
        let (low, high) = (self.text(*low), self.text(*high));
        match (whole(&sum.constant)?, negated) {
            (1, false) => Some(format!("{low} < {high}")),
            (0, true) => Some(format!("{low} > {high}")),
            (1, true) => Some(format!("{low} >= {high}")),
            _ => None,
        }
    }

    /// A comparison of one pointer: `pointer op number + rest`.
    fn linear(&self, t: Term) -> Option<(Term, i128, Linear, &'static str)> {
        let args = self.pool.args(t);
        let sum = self.pool.linear(args[0]).minus(&self.pool.linear(args[1]));
        let mut pointers = sum.coeffs.iter().filter(|(t, _)| self.pointee(*t).is_some());
        let (pointer, sign) = pointers.next().cloned()?;
        if pointers.next().is_some() || !sign.abs().is_one() {
            return None;
        }
        let mut rest = Linear::constant(Rational::from(0));
        for (t, k) in sum.coeffs.iter().filter(|(t, _)| *t != pointer) {
            rest.coeffs.push((*t, if sign.is_negative() { k.clone() } else { -k.clone() }));
        }
        let number = whole(&sum.constant)?;
        let number = if sign.is_negative() { number } else { -number };
        let op = match (self.pool.op(t), sign.is_negative()) {
            (Op::Eq, _) => "==",
            (_, false) => "<=",
            (_, true) => ">=",
        };
        Some((pointer, number, rest, op))
    }

    /// A comparison of a pointer with a number, as bit-vectors.
    fn words(&self, t: Term) -> Option<(Term, i128, Linear, &'static str)> {
        let args = self.pool.args(t);
        let number = |t: Term| match (self.pool.op(t), self.pool.sort(t)) {
            (Op::BitVec(v), Sort::BitVec(64)) => {
                u64::try_from(v.to_string().parse::<u128>().ok()?).ok().map(|v| i128::from(v as i64))
            }
            _ => None,
        };
        let none = Linear::constant(Rational::from(0));
        match (number(args[0]), number(args[1]), self.pool.op(t)) {
            (None, Some(n), Op::Eq) => Some((args[0], n, none, "==")),
            (Some(n), None, Op::Eq) => Some((args[1], n, none, "==")),
            (None, Some(n), _) => Some((args[0], n, none, "<=")),
            (Some(n), None, _) => Some((args[1], n, none, ">=")),
            _ => None,
        }
    }

    /// A place that is a number of elements behind another one: `&buf[n + 3]`.
    fn moved(&self, place: String, by: &Linear, to: &Type) -> Option<String> {
        if by.coeffs.is_empty() {
            return Some(place);
        }
        let each = self.addresses.part(to)?.cells;
        let (array, index) = place.strip_suffix(']')?.rsplit_once('[')?;
        let index: i128 = index.parse().ok()?;
        Some(format!("{array}[{}]", self.divided(by, each, index)?))
    }

    /// The text of a sum, divided by what divides it, plus a constant.
    fn divided(&self, sum: &Linear, by: i128, plus: i128) -> Option<String> {
        let mut out = Linear::constant(Rational::from(i64::try_from(plus).ok()?));
        for (t, k) in &sum.coeffs {
            let k = whole(k)?;
            if k % by != 0 {
                return None;
            }
            out.coeffs.push((*t, Rational::from(i64::try_from(k / by).ok()?)));
        }
        Some(self.text(self.pool.from_linear(&out, &Sort::Int)))
    }

    /// A cell of an array: behind a pointer, or by its indices.
    fn cell(&self, t: Term) -> Option<String> {
        let args = self.pool.args(t);
        let name = self.names.get(&args[0]).filter(|n| !n.strides.is_empty())?;
        if *self.pool.sort(args[1]) != Sort::Int {
            return None;
        }
        let index = self.pool.linear(args[1]);
        let mut pointers = index.coeffs.iter().filter(|(t, _)| self.pointee(*t).is_some());
        match (pointers.next(), pointers.next()) {
            (Some((pointer, one)), None) if one.is_one() && index.coeffs.len() == 1 => {
                let to = self.addresses.part(self.pointee(*pointer)?)?;
                let cell = whole(&index.constant)? + name.origin?;
                let (element, rest) = (cell.div_euclid(to.cells), cell.rem_euclid(to.cells));
                let path = to.leaf(rest)?;
                let pointer = self.text(*pointer);
                Some(match (element, path.strip_prefix('.')) {
                    (0, Some(member)) => format!("{pointer}->{member}"),
                    (0, None) if path.is_empty() => format!("*{pointer}"),
                    _ => format!("{pointer}[{element}]{path}"),
                })
            }
            (None, None) => {
                let [stride] = &name.strides[..] else { return None };
                let constant = whole(&index.constant)?;
                if constant % stride != 0 {
                    return None;
                }
                let index = self.divided(&index, *stride, constant / stride)?;
                let full = self.pool.var_display(args[0]);
                let scope = full.rsplit_once("::").map_or(String::new(), |(scope, _)| format!("{scope}::"));
                let bare = name.text.rsplit_once("::").map_or(&name.text[..], |(_, bare)| bare);
                Some(format!("{scope}{}", bare.replacen("[]", &format!("[{index}]"), 1)))
            }
            _ => None,
        }
    }
}

fn whole(r: &Rational) -> Option<i128> {
    r.to_string().parse().ok()
}
