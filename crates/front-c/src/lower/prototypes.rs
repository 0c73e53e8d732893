//! Functions of the library that the program declares itself, with types of its own.
//!
//! What a call does is then up to the machine: the caller passes what its declaration says, and the function
//! takes what its own type says. Only what has the same effect everywhere is accepted: numbers that are cut,
//! those that the caller extends to `int`, and pointers of any type. Headers of the system are trusted.
//!
//! Entry points: [`Lowerer::check_prototype`], and [`Lowerer::own_types`] for the types of the library.

use lang_c::span::Span as AstSpan;

use super::call::Args;
use super::{Lowerer, Res, Symbol, float, fold};
use crate::ir::{Expr, FuncId};
use crate::known::builtins;
use crate::library::internal_name;
use crate::types::{DataModel, FunctionType, IntType, Type};

/// Functions that no C text models, or one with other parameters: the letters of the result and of the
/// parameters. `v` is nothing, `p` a pointer, `i` and `L` are `int` and `long long`, `l` is `long`, `s`
/// `size_t`, `r` a struct; what is variable is not there.
#[rustfmt::skip]
const OTHERS: &[(&str, &str)] = &[
    ("malloc", "ps"), ("calloc", "pss"), ("realloc", "pps"), ("alloca", "ps"), ("free", "vp"),
    ("memset", "ppis"), ("memcpy", "ppps"), ("memmove", "ppps"),
    ("qsort", "vpssp"), ("bsearch", "pppssp"),
    ("div", "rii"), ("ldiv", "rll"), ("lldiv", "rLL"), ("imaxdiv", "rLL"),
    ("abort", "v"), ("exit", "vi"), ("_exit", "vi"), ("_Exit", "vi"), ("quick_exit", "vi"),
    ("fopen", "ppp"), ("getenv", "pp"), ("atexit", "ip"), ("system", "ip"),
    ("printf", "ip"), ("fprintf", "ipp"), ("vprintf", "ip"), ("vfprintf", "ipp"), ("dprintf", "iip"),
    ("puts", "ip"), ("putchar", "ii"), ("putchar_unlocked", "ii"), ("putc", "iip"), ("fputc", "iip"),
    ("putc_unlocked", "iip"), ("fputs", "ipp"), ("fclose", "ip"), ("fflush", "ip"), ("perror", "vp"),
    ("fwrite", "spssp"), ("scanf", "ip"), ("fscanf", "ipp"), ("longjmp", "vpi"), ("_longjmp", "vpi"),
    ("siglongjmp", "vpi"),
];

/// Functions that compilers replace by what the declared type says: `abs` of an unsigned number is the
/// number.
const BY_SIGN: &[&str] = &["abs", "labs", "llabs", "imaxabs"];

/// The type of a function of the library.
pub(super) struct OwnTypes {
    /// `None`: a struct.
    pub(super) result: Option<Type>,
    pub(super) params: Vec<Type>,
    /// A C text models it: arguments are converted to what the program declares before it gets them.
    modelled: bool,
}

impl Lowerer<'_> {
    /// The type of a function of the library, as the library has it; `None` if that is not known here.
    pub(super) fn own_types(&self, name: &str) -> Option<OwnTypes> {
        if let Some((_, letters)) = OTHERS.iter().find(|o| o.0 == name) {
            let mut types = letters.chars().map(|letter| self.spelled(letter));
            let result = types.next().flatten();
            return Some(OwnTypes { result, params: types.flatten().collect(), modelled: false });
        }
        let Symbol::Func(model) = self.linked.get(&internal_name(name)?)? else { return None };
        let model = self.unit.function(*model).signature();
        let params = model.params.iter().flatten().map(|p| p.ty.clone()).collect();
        Some(OwnTypes { result: Some(model.result.clone()), params, modelled: true })
    }

    /// Refuses a call of a function of the library by a declaration that does not fit it.
    pub(super) fn check_prototype(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<()> {
        let ours = self.source().is_named(crate::LIBRARY) || builtins::is_builtin(name);
        let Some(f) = f.filter(|f| !ours && self.has_prototype(name) && !self.in_system_header(*f)) else {
            return Ok(());
        };
        let declared = self.unit.function(f).signature();
        let fits = match self.own_types(name) {
            None => true,
            Some(own) => {
                let result = match &own.result {
                    None => matches!(declared.result, Type::Record(_)),
                    Some(ty) => self.is_read_as(ty, &declared.result),
                };
                result && self.are_passed_as(&declared, &own.params, args, own.modelled)?
            }
        };
        let unsigned = |ty: &Type| ty.as_int().is_some_and(|t| !t.signed);
        let by_sign = BY_SIGN.contains(&name)
            && (unsigned(&declared.result) || declared.params.iter().flatten().any(|p| unsigned(&p.ty)));
        if fits && !by_sign {
            return Ok(());
        }
        self.unsupported(at, &format!("call of `{name}`, which is declared with other types"))
    }

    /// The same for functions of floating-point numbers, whose type is that of the translation.
    pub(super) fn check_float_prototype(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        result: Option<&Expr>,
        at: AstSpan,
    ) -> Res<()> {
        let Some(f) = f.filter(|f| self.has_prototype(name) && !self.in_system_header(*f)) else {
            return Ok(());
        };
        let declared = self.unit.function(f).signature();
        let format = float::parameter(name);
        let params = declared.params.iter().flatten();
        let same = |p: &Type| format.is_none_or(|format| *p == Type::Ieee(format));
        let fits = result.is_none_or(|e| self.unit.records.compatible(&e.ty, &declared.result))
            && params.filter(|p| p.ty.as_int().is_some() || p.ty.as_float().is_some()).all(|p| same(&p.ty));
        if fits {
            return Ok(());
        }
        self.unsupported(at, &format!("call of `{name}`, which is declared with other types"))
    }

    fn spelled(&self, letter: char) -> Option<Type> {
        Some(match letter {
            'r' => return None,
            'v' => Type::Void,
            'p' => Type::Void.pointer_to(),
            'i' => Type::INT,
            'l' => Type::Int(IntType::word(self.options.data_model, true)),
            'L' => Type::Int(IntType::new(64, true)),
            _ => self.size_type(),
        })
    }

    /// Is a result of one type the right value where it is taken for another one?
    fn is_read_as(&self, own: &Type, declared: &Type) -> bool {
        *declared == Type::Void || self.is_cut(own, declared)
    }

    /// Are arguments, passed as the program declares it, what a function with these types gets? `converts`:
    /// they are converted to the declared types first.
    fn are_passed_as(
        &mut self,
        declared: &FunctionType,
        own: &[Type],
        args: Args<'_>,
        converts: bool,
    ) -> Res<bool> {
        let given: Vec<Type> = declared.params.iter().flatten().map(|p| p.ty.clone()).collect();
        for (k, (given, own)) in given.iter().zip(own).enumerate() {
            let (Some(a), Some(b)) = (given.as_int(), own.as_int()) else {
                if self.is_cut(given, own) {
                    continue;
                }
                return Ok(false);
            };
            // An argument on the stack has one word or two.
            let words = |t: IntType| t.bits.div_ceil(self.options.data_model.word());
            let extended = !a.signed && !a.boolean && b.bits <= 32;
            let fits = words(a) == words(b) && (self.is_cut(given, own) || extended && converts);
            if fits {
                continue;
            }
            // The upper half of a register is zero behind a computation with the lower one.
            let Some(arg) = args.get(k).filter(|_| self.options.data_model == DataModel::Lp64) else {
                return Ok(false);
            };
            let value = self.dry(|me| me.expr(arg))?;
            let small = fold(&value).is_some_and(|v| (0..1 << 31).contains(&v));
            let natural = value.ty.as_int().is_some_and(|t| t.bits == 32 && !t.signed && !a.signed);
            if (a.bits, b.bits) != (32, 64) || !(small || natural) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Is a value of one type the right one where only its lower bits are looked at?
    fn is_cut(&self, from: &Type, to: &Type) -> bool {
        match (from, to) {
            (Type::Int(a), Type::Int(b)) => a.boolean == b.boolean && a.bits >= b.bits,
            (Type::Pointer(_), Type::Pointer(_)) => true,
            _ => self.unit.records.compatible(from, to),
        }
    }
}
