//! Declarations without a type, as C89 allows them: `main() { ... }`, `static count;`, `register i;`.
//!
//! The type is `int`. The parser wants to see it, so it is written into the text before parsing; positions
//! are corrected by [`crate::source::Source`]. A word is written only where a declaration begins, has no type
//! among its specifiers, and goes on with a declarator whose name no `typedef` of the text mentions. So a
//! text that the parser accepts is not changed, and one that is not understood here stays as it is: then the
//! parser refuses it.
//!
//! Entry point: [`missing`].

use rustc_hash::FxHashSet;

use crate::tokens::{Token, tokens, typedef_names};

/// What is written into the text.
pub(crate) const WORD: &str = "int ";

/// Specifiers that do not say a type.
const NO_TYPE: [&str; 30] = [
    "static",
    "extern",
    "register",
    "auto",
    "typedef",
    "inline",
    "__inline",
    "__inline__",
    "const",
    "__const",
    "__const__",
    "volatile",
    "__volatile",
    "__volatile__",
    "restrict",
    "__restrict",
    "__restrict__",
    "_Noreturn",
    "_Thread_local",
    "__thread",
    "__extension__",
    "_Alignas",
    "__attribute__",
    "__attribute",
    "__asm__",
    "asm",
    "__asm",
    "thread_local",
    "constexpr",
    "alignas",
];

/// Words that are no specifier and no name of a declarator: a statement or something else begins.
const STATEMENTS: [&str; 17] = [
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "return",
    "goto",
    "break",
    "continue",
    "sizeof",
    "_Static_assert",
    "static_assert",
    "__label__",
    "_Generic",
];

/// The offsets before which `int` is missing.
pub(crate) fn missing(text: &str) -> Vec<usize> {
    let tokens = tokens(text);
    let types = typedef_names(&tokens);
    let mut scan = Scan { tokens: &tokens, types: &types, out: Vec::new() };
    scan.external(0);
    scan.out
}

struct Scan<'a, 't> {
    tokens: &'a [Token<'t>],
    types: &'a FxHashSet<&'t str>,
    out: Vec<usize>,
}

impl Scan<'_, '_> {
    fn text(&self, i: usize) -> &str {
        self.tokens.get(i).map_or("", |t| t.text)
    }

    /// Declarations outside functions, from a token on.
    fn external(&mut self, mut i: usize) {
        while i < self.tokens.len() {
            i = match self.text(i) {
                // What follows the parameters' declarations in the old style.
                "{" => self.block(i),
                ";" => i + 1,
                _ => {
                    let i = self.specifiers(i, true);
                    self.declarators(i)
                }
            };
        }
    }

    /// Goes over the specifiers of a declaration, and notes where its type is missing. Returns the first
    /// token behind them.
    fn specifiers(&mut self, begin: usize, external: bool) -> usize {
        // `__extension__` says nothing: it stands before expressions, too.
        let (mut i, mut typed, mut specified) = (begin, false, false);
        loop {
            let word = self.text(i);
            if word == "struct" || word == "union" || word == "enum" {
                typed = true;
                i = self.record(i + 1);
            } else if NO_TYPE.contains(&word) {
                specified |= word != "__extension__";
                i = self.behind_parentheses(i + 1);
            } else if self.tokens.get(i).is_some_and(|t| t.is_name()) && !STATEMENTS.contains(&word) {
                let (next, is_type) = (self.text(i + 1).to_string(), self.is_type(word));
                if typed && !is_keyword(word) {
                    return i; // the declarator
                }
                if !is_type {
                    // With specifiers before it, any declarator; without, only outside functions.
                    let declared = matches!(next.as_str(), "(" | "[" | ";" | "," | "=");
                    if declared && (specified || external) {
                        self.note(i);
                    }
                    return i;
                }
                typed = true;
                i = self.behind_parentheses(i + 1);
            } else {
                if !typed && specified && word == "*" {
                    self.note(i);
                }
                return i;
            }
        }
    }

    fn note(&mut self, i: usize) {
        self.out.push(self.tokens[i].at);
    }

    fn is_type(&self, word: &str) -> bool {
        is_keyword(word) || self.types.contains(word)
    }

    /// Behind the arguments of a word that has some: attributes, `typeof`, `_Alignas`.
    fn behind_parentheses(&self, i: usize) -> usize {
        let takes = matches!(
            self.text(i - 1),
            "__attribute__"
                | "__attribute"
                | "typeof"
                | "__typeof__"
                | "__typeof"
                | "_Alignas"
                | "alignas"
                | "_Atomic"
                | "__asm__"
                | "asm"
                | "__asm"
                | "typeof_unqual"
                | "_BitInt"
        );
        if takes && self.text(i) == "(" { self.balanced(i) } else { i }
    }

    /// Behind the tag and the body of a structure.
    fn record(&self, mut i: usize) -> usize {
        while matches!(self.text(i), "__attribute__" | "__attribute") {
            i = self.behind_parentheses(i + 1);
        }
        if self.tokens.get(i).is_some_and(|t| t.is_name()) {
            i += 1;
        }
        if self.text(i) == "{" { self.balanced(i) } else { i }
    }

    /// Behind the bracket that closes this one.
    fn balanced(&self, mut i: usize) -> usize {
        let mut depth = 0usize;
        while i < self.tokens.len() {
            match self.text(i) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            i += 1;
            if depth == 0 {
                break;
            }
        }
        i
    }

    /// Behind the declarators of a declaration, and behind the body of a function.
    fn declarators(&mut self, mut i: usize) -> usize {
        while i < self.tokens.len() {
            match self.text(i) {
                ";" => return i + 1,
                "{" if i > 0 && self.text(i - 1) == "=" => i = self.balanced(i),
                "{" => return self.block(i),
                "(" | "[" => i = self.balanced(i),
                // Parameters are declared behind the declarator in the old style.
                "register" | "const" | "volatile" if self.text(i - 1) == ")" => return i,
                _ => i += 1,
            }
        }
        i
    }

    /// Behind a block: declarations in it that begin with a specifier.
    fn block(&mut self, begin: usize) -> usize {
        let end = self.balanced(begin);
        let mut i = begin;
        while i < end {
            let starts = i > begin && matches!(self.text(i - 1), "{" | "}" | ";");
            if starts && NO_TYPE.contains(&self.text(i)) {
                i = self.specifiers(i, false).max(i + 1);
            } else {
                i += 1;
            }
        }
        end
    }
}

/// Keywords that are a type or begin one.
pub(crate) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "__signed__"
            | "__signed"
            | "_Bool"
            | "bool"
            | "_Complex"
            | "__complex__"
            | "typeof"
            | "__typeof__"
            | "__typeof"
            | "typeof_unqual"
            | "_Atomic"
            | "__int128"
            | "__int128_t"
            | "__uint128_t"
            | "_BitInt"
            | "__auto_type"
            | "__builtin_va_list"
            | "__float128"
            | "__float80"
            | "__ibm128"
            | "_Imaginary"
            | "_Decimal32"
            | "_Decimal64"
            | "_Decimal128"
            | "__bf16"
            | "__fp16"
            | "__label__"
    ) || word.starts_with("_Float")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with `int` where it is missing.
    fn completed(text: &str) -> String {
        let mut out = text.to_string();
        missing(text).into_iter().rev().for_each(|at| out.insert_str(at, WORD));
        out
    }

    #[test]
    fn the_type_is_written_where_it_is_missing() {
        for (text, expected) in [
            ("main() { return 0; }", "int main() { return 0; }"),
            ("static f(a, b) char b; { }\ng() {}", "static int f(a, b) char b; { }\nint g() {}"),
            ("f(a) register a; { g(a); }", "int f(a) register int a; { g(a); }"),
            ("static n, *p; extern *q;", "static int n, *p; extern int *q;"),
            (
                "void f(void) { register i; const k = 1; i = k; }",
                "void f(void) { register int i; const int k = 1; i = k; }",
            ),
            ("static a[2] = { 1, 2 };", "static int a[2] = { 1, 2 };"),
            ("extern n; n = 3; a[2], b;", "extern int n; int n = 3; int a[2], b;"),
        ] {
            assert_eq!(completed(text), expected);
        }
    }

    #[test]
    fn complete_declarations_stay() {
        for text in [
            "typedef int T; T (f)(void); T (*g)(int); static T x; const T y = 1;",
            "typedef int (*F)(int a); F f; static F h(void); volatile F k;",
            "struct S { int a; } s; static struct S t; struct S u(void) { struct S v = { 1 }; return v; }",
            "static const unsigned char c[2] = { 1, 2 }; extern long long int n;",
            "enum { A, B = 2 } e; static inline void f(void) { f(); (f)(); }",
            "__attribute__((noinline)) void f(void) { static int i; for (;;) { i++; } }",
            "static __typeof__(int) x; extern __inline__ int g(void); _Static_assert(1, \"\");",
            "int f(a, b) int a; char *b; { return a; }",
            "# 1 \"x.c\"\nint x = 'a';\nvoid g(void) { auto int y; const struct S *p; static enum E e; }",
            "void f(int n) { switch (n) { case 1: f(2); default: g(n); } l: h(); }",
            "void f(int n) { __extension__ n = 5; __extension__ *p = n; { __extension__ a[1] = 7; } }",
        ] {
            assert_eq!(completed(text), text);
        }
    }
}
