//! Names in SMT-LIB text: quoting, and an injective encoding of variables.
//!
//! A variable of the pool is a name, a version (`x`, `x'`, `x@3`) and a sort, and the name may be any text.
//! [`Names`] gives each variable a symbol of its own, and plain names that need no help stay as they are. The
//! encoding:
//! - a primed variable ends in `'`, the copy at step `k` in `@k`;
//! - `~<hex>.` stands for the character with that code: `|` and `\`, which no symbol can contain, `~` itself,
//!   control characters;
//! - `~.` at the end of a name is nothing; it keeps a plain name apart from a version mark, an operator, a
//!   reserved word or a shared-subterm name (`$1`) of the writer;
//! - `~s<n>.` at the end tells apart variables that differ in their sort alone.

use std::borrow::Cow;

use palisade_term::{Term, TermPool, Version};
use rustc_hash::{FxHashMap, FxHashSet};

/// Symbols with a meaning of their own in SMT-LIB or in widespread solvers, which may refuse to declare them
/// again.
const TAKEN: &[&str] = &[
    "!",
    "_",
    "as",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
    "exists",
    "forall",
    "let",
    "match",
    "par",
    "lambda",
    "choice",
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "declare-rel",
    "declare-var",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "exit",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-proof",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "pop",
    "push",
    "query",
    "reset",
    "reset-assertions",
    "rule",
    "set-info",
    "set-logic",
    "set-option",
    "Bool",
    "Int",
    "Real",
    "Array",
    "BitVec",
    "String",
    "RegLan",
    "Seq",
    "Set",
    "Unicode",
    "RoundingMode",
    "FloatingPoint",
    "Float16",
    "Float32",
    "Float64",
    "Float128",
    "true",
    "false",
    "not",
    "=>",
    "and",
    "or",
    "xor",
    "=",
    "distinct",
    "ite",
    "if",
    "iff",
    "implies",
    "-",
    "+",
    "*",
    "/",
    "div",
    "mod",
    "rem",
    "abs",
    "<=",
    "<",
    ">=",
    ">",
    "to_real",
    "to_int",
    "is_int",
    "divisible",
    "^",
    "select",
    "store",
    "const",
    "map",
    "default",
    "concat",
    "extract",
    "repeat",
    "zero_extend",
    "sign_extend",
    "rotate_left",
    "rotate_right",
    "ext_rotate_left",
    "ext_rotate_right",
    "bvnot",
    "bvneg",
    "bvand",
    "bvor",
    "bvxor",
    "bvnand",
    "bvnor",
    "bvxnor",
    "bvcomp",
    "bvadd",
    "bvsub",
    "bvmul",
    "bvudiv",
    "bvurem",
    "bvsdiv",
    "bvsrem",
    "bvsmod",
    "bvshl",
    "bvlshr",
    "bvashr",
    "bvult",
    "bvule",
    "bvugt",
    "bvuge",
    "bvslt",
    "bvsle",
    "bvsgt",
    "bvsge",
    "bvredor",
    "bvredand",
    "bvnego",
    "bvuaddo",
    "bvsaddo",
    "bvumulo",
    "bvsmulo",
    "bvusubo",
    "bvssubo",
    "bvsdivo",
    "bv2nat",
    "bv2int",
    "nat2bv",
    "int2bv",
    "ubv_to_int",
    "sbv_to_int",
    "int_to_bv",
    "bit2bool",
    "is",
    "update-field",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "sqrt",
    "pi",
    "euler",
    "csc",
    "sec",
    "cot",
    "root-obj",
    "union",
    "intersection",
    "setminus",
    "subset",
    "member",
    "singleton",
    "emptyset",
    "complement",
    "card",
    "insert",
    "at-most",
    "at-least",
    "pble",
    "pbge",
    "pbeq",
    "tuple",
    "NaN",
    "RNE",
    "RNA",
    "RTP",
    "RTN",
    "RTZ",
    "fp",
    "to_fp",
    "int-pow2",
    "int.pow2",
    "iand",
    "char",
    "sat",
    "unsat",
    "unknown",
    "success",
    "error",
    "unsupported",
    "proof",
];

/// May this character stand in a symbol without bars?
fn is_simple(c: char) -> bool {
    c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c)
}

/// A symbol as it is written: with bars where it needs them. The text must not contain `|`.
pub fn quote(symbol: &str) -> Cow<'_, str> {
    let simple = symbol.chars().all(is_simple)
        && symbol.chars().next().is_some_and(|c| !c.is_ascii_digit())
        // `-5` is a symbol in the standard and a number in some solvers.
        && !symbol.strip_prefix(['-', '+']).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    if simple { Cow::Borrowed(symbol) } else { Cow::Owned(format!("|{symbol}|")) }
}

/// Would a plain name of this text be read as something else?
fn is_ambiguous(name: &str) -> bool {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    name.is_empty()
        || name.ends_with('\'')
        || name.rsplit_once('@').is_some_and(|(_, k)| digits(k))
        || name.strip_prefix('$').is_some_and(digits)
        || TAKEN.contains(&name)
        || name.starts_with("str.")
        || name.starts_with("re.")
        || name.starts_with("seq.")
        || name.starts_with("fp.")
        || name.starts_with("set.")
        || name.starts_with("bag.")
        || name.strip_prefix("bv").is_some_and(digits)
        || name.starts_with(['-', '+']) && name[1..].starts_with(|c: char| c.is_ascii_digit())
}

/// The text of a variable of this name and version, not yet quoted. Different arguments give different texts.
pub fn encode(name: &str, version: Version) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        if matches!(c, '|' | '\\' | '~') || c.is_control() {
            out.push_str(&format!("~{:x}.", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    match version {
        Version::Plain if is_ambiguous(name) => out.push_str("~."),
        Version::Plain => {}
        Version::Primed => out.push('\''),
        Version::Step(k) => out.push_str(&format!("@{k}")),
    }
    out
}

/// Undoes [`encode`] (and a sort mark); `None` for a text it never gives.
pub fn decode(text: &str) -> Option<(String, Version)> {
    let body = match text.rsplit_once("~s") {
        Some((head, mark)) => {
            let n = mark.strip_suffix('.')?;
            n.parse::<u32>().ok().filter(|k| k.to_string() == n)?;
            head
        }
        None => text,
    };
    let (mut rest, version) = if let Some(head) = body.strip_suffix("~.") {
        (head, Version::Plain)
    } else if let Some(head) = body.strip_suffix('\'') {
        (head, Version::Primed)
    } else if let Some((head, k)) = body.rsplit_once('@')
        && let Ok(step) = k.parse::<u32>()
    {
        (head, Version::Step(step))
    } else {
        (body, Version::Plain)
    };
    let mut name = String::with_capacity(rest.len());
    while let Some((head, tail)) = rest.split_once('~') {
        name.push_str(head);
        let (code, after) = tail.split_once('.')?;
        name.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
        rest = after;
    }
    name.push_str(rest);
    // Only what `encode` gives is accepted: decoding is injective too.
    (encode(&name, version) == body).then_some((name, version))
}

/// Gives variables symbols: one symbol per variable, one variable per symbol.
#[derive(Default)]
pub struct Names {
    of: FxHashMap<Term, String>,
    used: FxHashSet<String>,
}

impl Names {
    /// No names given yet.
    pub fn new() -> Names {
        Names::default()
    }

    /// The symbol of a variable, as it is written (quoted where needed).
    pub fn var(&mut self, pool: &TermPool, var: Term) -> &str {
        if !self.of.contains_key(&var) {
            let (symbol, version) = pool.var_parts(var).expect("a variable");
            let symbol = self.unused(encode(pool.symbol_text(symbol), version));
            self.of.insert(var, symbol);
        }
        &self.of[&var]
    }

    /// A symbol for something else than a variable (a predicate, say), as close to `name` as possible.
    pub fn reserve(&mut self, name: &str) -> String {
        self.unused(encode(name, Version::Plain))
    }

    fn unused(&mut self, text: String) -> String {
        let mut symbol = text.clone();
        let mut n = 1;
        while !self.used.insert(symbol.clone()) {
            symbol = format!("{text}~s{n}.");
            n += 1;
        }
        quote(&symbol).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palisade_term::Sort;
    use proptest::prelude::*;

    #[test]
    fn plain_names_stay() {
        for n in ["x", "main.i", "a!1", ".def_3", "f$unknown:2", "bvalue", "x@y"] {
            assert_eq!(encode(n, Version::Plain), n);
        }
        assert_eq!(encode("x", Version::Primed), "x'");
        assert_eq!(encode("x", Version::Step(3)), "x@3");
    }

    #[test]
    fn look_alikes_are_kept_apart() {
        for n in ["x'", "x@3", "and", "select", "$7", "bv12", "", "-5", "true"] {
            assert_eq!(encode(n, Version::Plain), format!("{n}~."));
        }
        assert_eq!(encode("a|b", Version::Plain), "a~7c.b");
    }

    #[test]
    fn quoting() {
        assert_eq!(quote("x@3"), "x@3");
        assert_eq!(quote("x'"), "|x'|");
        assert_eq!(quote(""), "||");
        assert_eq!(quote("3x"), "|3x|");
        assert_eq!(quote("a b"), "|a b|");
    }

    #[test]
    fn sorts_alone_tell_apart() {
        let pool = TermPool::new();
        let (a, b) = (pool.var("x", Sort::Int), pool.var("x", Sort::Bool));
        let mut names = Names::new();
        assert_eq!(names.var(&pool, a), "x");
        assert_eq!(names.var(&pool, b), "x~s1.");
        assert_eq!(names.var(&pool, a), "x");
        assert_eq!(decode("x~s1."), Some(("x".into(), Version::Plain)));
        assert_eq!(names.reserve("x"), "x~s2.");
    }

    fn version() -> impl Strategy<Value = Version> {
        prop_oneof![Just(Version::Plain), Just(Version::Primed), (0..20u32).prop_map(Version::Step)]
    }

    fn name() -> impl Strategy<Value = String> {
        prop_oneof![".{0,6}", "[x'@0-9~.$s|\\\\-]{0,7}", "(and|let|x|bv)(@[0-9]|'|~\\.)?"]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn encoding_is_undone(n in name(), v in version()) {
            let text = encode(&n, v);
            prop_assert!(!text.contains(['|', '\\']));
            prop_assert_eq!(decode(&text), Some((n, v)));
        }

        #[test]
        fn decoding_is_injective(a in name(), b in name()) {
            if a != b && let (Some(x), Some(y)) = (decode(&a), decode(&b)) {
                // Texts that differ in a sort mark alone mean one name.
                prop_assert!(x != y || a.contains("~s") || b.contains("~s"));
            }
        }
    }
}
