//! Harnesses: a counterexample as C code.
//!
//! The harness defines the functions the program leaves undefined: the nondeterministic ones return the
//! values of the run, in order; the error functions say so and exit with [`ERROR_EXIT`]. Compiled and linked
//! with the program, it repeats the run. It sets the values of such calls and the first contents of allocated
//! memory. It does not set uninitialised variables, memory of the environment, which is all zero, and what
//! functions of the library return: [`Calls::left_open`] says which run depends on that.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use palisade_float::{Class, Format};
use palisade_program::{EdgeId, Run};
use palisade_term::{ArrayValue, Value};

use crate::memory::Leaf;
use crate::types::{IntType, Len, Type};
use crate::{NewBlock, NondetCall};

/// The function of a harness that says whether the next allocation fails.
pub(crate) const MALLOC_FAILS: &str = "malloc_fails";

/// The exit status of a program that reaches an error in a harness.
pub const ERROR_EXIT: i32 = 107;

/// The values a run gets from nondeterministic functions: name, type and value, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The function.
    pub function: String,
    /// Its type.
    pub ty: Type,
    /// What it returned; for a pointer 0 is null and anything else an object, for floating point the bits.
    pub value: i128,
}

/// The calls by which a program meets its environment.
#[derive(Clone, Debug)]
pub struct Calls {
    /// For every edge of the automaton, its calls of nondeterministic functions in the order in which they
    /// happen.
    pub nondets: Vec<Vec<NondetCall>>,
    /// For every edge of the automaton, the blocks of memory with open contents that it allocates, in order.
    pub blocks: Vec<Vec<NewBlock>>,
    /// For every edge of the automaton, the names of what else it gets from outside.
    pub others: Vec<Vec<Arc<str>>>,
    /// The functions that are declared and have no body.
    pub undefined: Vec<(String, Type)>,
    /// Pointers in allocated memory that was never written point nowhere, instead of to some object.
    pub strict: bool,
}

impl Calls {
    /// The values a run gets from nondeterministic functions. Values that do not matter are 0.
    pub fn returned(&self, run: &Run) -> Vec<Returned> {
        let steps = run.steps.iter().flat_map(|s| self.on(s.edge).iter().map(move |n| (s, n)));
        steps
            .map(|(step, n)| {
                let value = n.input.map_or(0, |i| number(&step.inputs[i], n.ty.as_int()));
                Returned { function: n.function.clone(), ty: n.ty.clone(), value }
            })
            .collect()
    }

    /// The calls of nondeterministic functions on an edge.
    pub fn on(&self, e: EdgeId) -> &[NondetCall] {
        self.nondets.get(e.index()).map_or(&[], Vec::as_slice)
    }

    /// The names of what a run depends on and a harness does not set: uninitialised variables, the command
    /// line, results of the library.
    pub fn left_open(&self, run: &Run) -> BTreeSet<&str> {
        let others = run.steps.iter().filter_map(|s| self.others.get(s.edge.index()));
        others.flatten().map(|name| &**name).collect()
    }

    /// A C file that makes the program repeat the run.
    pub fn harness(&self, run: &Run) -> String {
        let mut values: Vec<(String, Type, Vec<i128>)> = Vec::new();
        let is_nondet = |n: &str| {
            n.starts_with("__VERIFIER_nondet_") || n.starts_with("__nondet_") || n.starts_with("nondet_")
        };
        for (name, ty) in &self.undefined {
            if let (true, Type::Function(f)) = (is_nondet(name), ty) {
                values.push((name.clone(), f.result.clone(), Vec::new()));
            }
        }
        for r in self.returned(run) {
            match values.iter_mut().find(|v| v.0 == r.function) {
                Some(v) => v.2.push(r.value),
                None => values.push((r.function, r.ty, vec![r.value])),
            }
        }
        let mut out = String::from("/* Repeats a counterexample: link with the program. */\n");
        out.push_str(
            "void exit(int);\nvoid *realloc(void *, __SIZE_TYPE__);\nint printf(const char *, ...);\n",
        );
        out.push_str(ZEROED);
        let _ = writeln!(
            out,
            "static void error_reached(void) {{ printf(\"error reached\\n\"); exit({ERROR_EXIT}); }}"
        );
        for (name, ty, list) in &values {
            define(&mut out, name, ty, list);
        }
        let fails = values.iter().any(|v| v.0 == MALLOC_FAILS);
        if self.undefined.iter().any(|f| f.0 == "malloc") {
            self.define_malloc(&mut out, run, fails);
        }
        if fails && self.undefined.iter().any(|f| f.0 == "calloc") {
            out.push_str(concat!(
                "void *calloc(__SIZE_TYPE__ count, __SIZE_TYPE__ size) {\n",
                "  return malloc_fails() ? 0 : zeroed(count * size);\n}\n",
            ));
        }
        for (name, ty) in &self.undefined {
            match name.as_str() {
                "__VERIFIER_error" | "reach_error" => {
                    let _ = writeln!(out, "void {name}(void) {{ error_reached(); }}");
                }
                // What the `assert` of <assert.h> calls when it fails.
                "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_func" | "__assert_perror_fail" => {
                    let _ = writeln!(out, "void {name}() {{ error_reached(); }}");
                }
                _ => {
                    let _ = match deciding(name, ty) {
                        Some((true, c)) => writeln!(out, "void {name}({c} c) {{ if (!c) error_reached(); }}"),
                        Some((false, c)) => writeln!(out, "void {name}({c} c) {{ if (!c) exit(0); }}"),
                        None => Ok(()),
                    };
                }
            }
        }
        out
    }
}

/// Is this function without body an assertion (or an assumption), and of what type is its argument? Names
/// that every program may use are one where there is no result.
pub(crate) fn deciding(name: &str, ty: &Type) -> Option<(bool, String)> {
    let Type::Function(signature) = ty else { return None };
    let asserts = match name {
        "assert" | "__VERIFIER_assert" => true,
        "assume" | "__VERIFIER_assume" | "assume_abort_if_not" => false,
        _ => return None,
    };
    if signature.result != Type::Void && !name.starts_with("__") {
        return None;
    }
    let argument = match signature.params.as_ref().and_then(|p| p.first()).map(|p| &p.ty) {
        Some(Type::Int(t)) => t.c_name().to_string(),
        Some(ty @ Type::Ieee(_)) => ty.to_string(),
        _ => "int".into(),
    };
    Some((asserts, argument))
}

/// Allocation that neither `malloc` nor `calloc` of the harness takes part in. The compiler would replace
/// `realloc(0, size)` by `malloc(size)`.
const ZEROED: &str = "static void *zeroed(__SIZE_TYPE__ size) {
  void *volatile none = 0;
  char *block = realloc(none, size);
  for (__SIZE_TYPE__ i = 0; i < size; i++) block[i] = 0;
  return block;
}
";

impl Calls {
    /// `malloc` returns blocks with the contents of the run, one after the other.
    fn define_malloc(&self, out: &mut String, run: &Run, fails: bool) {
        let steps = run.steps.iter();
        let blocks =
            steps.flat_map(|s| self.blocks.get(s.edge.index()).into_iter().flatten().map(move |b| (s, b)));
        out.push_str(concat!("void *malloc(__SIZE_TYPE__ size) {\n", "  static unsigned next;\n",));
        if fails {
            out.push_str("  if (malloc_fails()) return 0;\n");
        }
        out.push_str("  char *block = zeroed(size);\n  switch (next++) {\n");
        for (k, (step, block)) in blocks.enumerate() {
            let _ = writeln!(out, "  case {k}:");
            for (offset, ty, input) in &block.contents {
                let value = number(&step.inputs[*input], ty.as_int());
                let _ = match typed(ty, value) {
                    _ if value == 0 => Ok(()),
                    Some((ty, value)) => {
                        let fits = format!("if (size >= {offset} + sizeof({ty}))");
                        writeln!(out, "    {fits} *({ty} *)(block + {offset}) = {value};")
                    }
                    None if self.strict => writeln!(out, "    *(void **)(block + {offset}) = (void *)1;"),
                    None => writeln!(out, "    *(void **)(block + {offset}) = zeroed(65536);"),
                };
            }
            for (leaf, input) in &block.arrays {
                if let Value::Array(values) = &step.inputs[*input] {
                    fill(out, leaf, values);
                }
            }
            out.push_str("    break;\n");
        }
        out.push_str("  }\n  return block;\n}\n");
    }
}

/// Sets the elements of an array in a block, as far as the block reaches.
fn fill(out: &mut String, leaf: &Leaf, values: &ArrayValue) {
    let of = |v: &Value| typed(&leaf.ty, number(v, leaf.ty.as_int()));
    let Some((ty, default)) = of(&values.default) else { return };
    let Some(dim) = leaf.dims.first().filter(|d| d.bytes > 0) else { return };
    let first = leaf.bit / 8;
    if number(&values.default, leaf.ty.as_int()) != 0 {
        let end = match dim.len {
            Len::Fixed(n) => format!("at < {} && ", first + i128::from(n) * dim.bytes),
            _ => String::new(),
        };
        let bytes = dim.bytes;
        let _ = writeln!(
            out,
            "    for (__SIZE_TYPE__ at = {first}; {end}at + sizeof({ty}) <= size; at += {bytes})\n      \
             *({ty} *)(block + at) = {default};"
        );
    }
    for (index, value) in values.entries.iter() {
        let index = number(index, None);
        let (Some((_, value)), 0..=0x7fff_ffff) = (of(value), index) else { continue };
        let at = leaf.bit_at(leaf.offset + index) / 8;
        let _ = writeln!(out, "    if (size >= {at} + sizeof({ty})) *({ty} *)(block + {at}) = {value};");
    }
}

/// A number of the model as C: its type, and the constant. `None` for pointers.
fn typed(ty: &Type, value: i128) -> Option<(String, String)> {
    match ty {
        Type::Ieee(f) => Some((ty.to_string(), float_literal(*f, value))),
        Type::Int(t) if t.is_int128() => Some((t.c_name().to_string(), wide_literal(value))),
        Type::Int(t) => Some((t.c_name().to_string(), literal(value))),
        _ => None,
    }
}

/// One function that returns the values of a list, and zero after its end.
fn define(out: &mut String, name: &str, ty: &Type, list: &[i128]) {
    let body: Vec<String> = match ty {
        Type::Ieee(f) => list.iter().map(|v| float_literal(*f, *v)).collect(),
        Type::Int(t) if t.is_int128() => list.iter().map(|v| wide_literal(*v)).collect(),
        _ => list.iter().map(|v| literal(*v)).collect(),
    };
    let body = if body.is_empty() { "0".to_string() } else { body.join(", ") };
    let result = match ty {
        Type::Int(t) => t.c_name().to_string(),
        Type::Ieee(_) => ty.to_string(),
        Type::Pointer(_) => "void *".to_string(),
        Type::Void => {
            let _ = writeln!(out, "void {name}() {{}}");
            return;
        }
        _ => return, // structs and `long double` are not part of a run
    };
    let n = list.len();
    let next = format!("next < {n} ? values[next++] : 0");
    let value = match ty {
        Type::Pointer(_) => format!("({next}) ? zeroed(65536) : 0"),
        _ => format!("({result})({next})"),
    };
    let held = match ty {
        Type::Ieee(_) => &result,
        Type::Int(t) if t.is_int128() => &result,
        _ => "long long",
    };
    let _ = writeln!(
        out,
        "{result} {name}() {{\n  static const {held} values[] = {{ {body} }};\n  \
         static unsigned next;\n  return {value};\n}}"
    );
}

fn literal(v: i128) -> String {
    // The least value has no literal of its own.
    if v == i128::from(i64::MIN) { "(-9223372036854775807LL - 1)".into() } else { format!("{}LL", v as i64) }
}

/// The bits of a number of 128 bits as a C constant.
fn wide_literal(v: i128) -> String {
    format!("((unsigned __int128){}ULL << 64 | {}ULL)", (v >> 64) as u64, v as u64)
}

/// A floating-point number as a C constant, exactly.
pub(crate) fn float_literal(f: Format, bits: i128) -> String {
    let bits = bits as u64;
    let suffix = if f == Format::BINARY32 { "f" } else { "" };
    palisade_float::literal::hexadecimal(f, bits).unwrap_or_else(|| {
        let sign = if f.sign(bits) { "-" } else { "" };
        match f.class(bits) {
            Class::Nan => format!("__builtin_nan{suffix}(\"\")"),
            _ => format!("{sign}__builtin_inf{suffix}()"),
        }
    })
}

/// The C value of a model value; of 128 bits the bits, as a signed number.
fn number(v: &Value, ty: Option<IntType>) -> i128 {
    let raw = match v {
        Value::Bool(b) => i128::from(*b),
        Value::Int(i) | Value::BitVec(_, i) => {
            i128::try_from(i).or_else(|_| u128::try_from(i).map(|v| v as i128)).unwrap_or(0)
        }
        _ => 0,
    };
    match (v, ty) {
        (Value::BitVec(..), Some(t)) if t.is_int128() => raw,
        (Value::BitVec(..), Some(t)) => t.wrap(raw),
        _ => raw,
    }
}
