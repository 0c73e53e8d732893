//! Reading the values that solvers print in models.

use palisade_smtlib::{Context, Sexpr};
use palisade_term::{Assignment, Op, Sort, TermPool, Value};

/// The value of this sort that an expression of a model means. Arrays may be constant arrays with stores, or
/// `lambda`s that only compare their index with constants.
pub(super) fn read_value(pool: &TermPool, sort: &Sort, s: Sexpr<'_>) -> Result<Value, String> {
    let shown = || s.to_string().chars().take(200).collect::<String>();
    let value = match s.form("lambda").and_then(|items| items.exactly()) {
        Some([_, params, body]) => {
            lambda(pool, sort, params, body).map_err(|e| format!("{e}: {}", shown()))?
        }
        None => {
            let t = Context::new(pool).term(s).map_err(|e| format!("{} in {}", e.message, shown()))?;
            pool.eval(t, &Assignment::new())
        }
    };
    match (sort, value) {
        (Sort::Real, Value::Int(i)) => Ok(Value::Real(i.into())),
        (sort, v) if v.sort() == *sort => Ok(v),
        _ => Err(format!("not a value of sort {sort}: {}", shown())),
    }
}

fn lambda(pool: &TermPool, sort: &Sort, params: Sexpr<'_>, body: Sexpr<'_>) -> Result<Value, String> {
    let mut context = Context::new(pool);
    let params = context.sorted_vars(params).map_err(|e| e.message)?;
    let ([(name, param_sort)], Some((index_sort, _))) = (&params[..], sort.array_parts()) else {
        return Err("an array value of an unknown form".into());
    };
    if param_sort != index_sort {
        return Err("an array value of another sort".into());
    }
    let index = pool.fresh_var(name, index_sort.clone());
    context.define_name(name, index);
    let body = context.term(body).map_err(|e| e.message)?;
    // The body may only compare the index with constants: then it has one value at every index it does not
    // name.
    let mut named = Vec::new();
    let mut known = true;
    pool.visit([body], |t| {
        let mentions = pool.args(t).contains(&index);
        match (pool.op(t), pool.args(t)) {
            (Op::Eq, &[_, b]) if mentions && pool.is_const(b) => named.push(pool.eval(b, &Assignment::new())),
            (Op::Eq, &[a, _]) if mentions && pool.is_const(a) => named.push(pool.eval(a, &Assignment::new())),
            _ if mentions => known = false,
            _ => {}
        }
    });
    let other = unnamed(index_sort, &named);
    let (true, Some(other)) = (known && body != index, other) else {
        return Err("an array value of an unknown form".into());
    };
    let at = |v: Value| pool.eval(body, &[(index, v)].into_iter().collect());
    let Value::Array(mut array) = Value::default_of(sort) else { unreachable!("an array sort") };
    array.default = at(other);
    for v in named {
        array.set(v.clone(), at(v));
    }
    Ok(Value::Array(array))
}

/// A value of the sort that is not among these.
fn unnamed(sort: &Sort, named: &[Value]) -> Option<Value> {
    let candidates = (0..=named.len()).map(|k| match sort {
        Sort::Bool => Value::Bool(k % 2 == 1),
        Sort::Int => Value::Int(k.into()),
        Sort::Real => Value::Real(palisade_term::Integer::from(k).into()),
        Sort::BitVec(w) => Value::BitVec(*w, palisade_term::eval::wrap(&k.into(), *w)),
        Sort::Array(_) => Value::default_of(sort),
    });
    // When every value of a small sort is named, the default does not matter.
    let mut last = None;
    for c in candidates {
        if !named.contains(&c) {
            return Some(c);
        }
        last = Some(c);
    }
    match sort {
        Sort::Bool | Sort::BitVec(_) => last,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palisade_smtlib::Tree;

    fn value(sort: &Sort, text: &str) -> Result<String, String> {
        let tree = Tree::parse(text).unwrap();
        read_value(&TermPool::new(), sort, tree.roots().next().unwrap()).map(|v| v.to_string())
    }

    #[test]
    fn numbers() {
        assert_eq!(value(&Sort::Int, "(- 3)").unwrap(), "-3");
        assert_eq!(value(&Sort::Real, "(- (/ 1 2))").unwrap(), "-1/2");
        assert_eq!(value(&Sort::Real, "(/ (- 1) 2)").unwrap(), "-1/2");
        assert_eq!(value(&Sort::Real, "3").unwrap(), "3");
        assert_eq!(value(&Sort::BitVec(4), "#xa").unwrap(), "10");
        assert_eq!(value(&Sort::BitVec(4), "(_ bv10 4)").unwrap(), "10");
        assert!(value(&Sort::BitVec(4), "#b101").is_err());
        assert!(value(&Sort::Int, "1.5").is_err());
        assert!(value(&Sort::Real, "(root-obj (+ (^ x 2) (- 2)) 2)").is_err());
    }

    #[test]
    fn arrays() {
        let sort = Sort::array(Sort::Int, Sort::Int);
        assert_eq!(value(&sort, "(store ((as const (Array Int Int)) 7) 2 5)").unwrap(), "[7 else; 2 -> 5]");
        let l = "(lambda ((x Int)) (ite (= x 0) 5 (ite (or (= x 2) (= 3 x)) 6 7)))";
        assert_eq!(value(&sort, l).unwrap(), "[7 else; 0 -> 5; 2 -> 6; 3 -> 6]");
        assert!(value(&sort, "(lambda ((x Int)) (ite (<= x 0) 5 6))").is_err());
        assert!(value(&sort, "(lambda ((x Int)) x)").is_err());
        assert!(value(&sort, "(_ as-array k!0)").is_err());
        let bits = Sort::array(Sort::BitVec(1), Sort::Bool);
        assert_eq!(value(&bits, "(lambda ((x (_ BitVec 1))) (= x #b1))").unwrap(), "[false else; 1 -> true]");
    }
}
