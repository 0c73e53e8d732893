//! Calls of `sprintf` and `snprintf` whose format is a literal, see [`crate::library::Format`].
//!
//! Only arguments that have exactly the types that the format asks for go to the model for the format. Others
//! go to the model that reads the format, which knows what C says of them.
//!
//! Entry point: [`Lowerer::for_format`].

use super::call::Args;
use super::{Lowerer, Symbol};
use crate::ir::{Expr, FuncId};
use crate::library::{Format, format_place};
use crate::types::Type;

impl Lowerer<'_> {
    /// The model for the format of a call, and its arguments.
    pub(super) fn for_format(
        &self,
        name: &str,
        args: Args<'_>,
        values: &[Expr],
    ) -> Option<(FuncId, Vec<Expr>)> {
        let (place, _) = format_place(name)?;
        let Some(Symbol::Func(model)) = self.linked.get(&Format::of_call(name, args)?.model()) else {
            return None;
        };
        let mut given = values.to_vec();
        given.remove(place);
        let signature = self.unit.function(*model).signature();
        let params = signature.params.as_ref()?;
        given.truncate(params.len());
        let fits = |(value, wanted): (&Expr, &Type)| match (&value.ty, wanted) {
            (Type::Int(a), Type::Int(b)) => a == b,
            (Type::Pointer(a), Type::Pointer(_)) => {
                **a == Type::Void || a.as_int().is_some_and(|t| t.bits == 8)
            }
            _ => false,
        };
        let all = given.len() == params.len() && given.iter().zip(params.iter().map(|p| &p.ty)).all(fits);
        all.then_some((*model, given))
    }
}
