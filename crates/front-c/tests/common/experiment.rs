//! The experiment around random programs: where their inputs come from, compiled and translated, and how what
//! they observe is compared.

use palisade_random::mix;

/// The input functions: name, C type, bits, signed.
pub const INPUTS: &[(&str, &str, u32, bool)] = &[
    ("int", "int", 32, true),
    ("uint", "unsigned int", 32, false),
    ("char", "char", 8, true),
    ("uchar", "unsigned char", 8, false),
    ("short", "short", 16, true),
    ("ushort", "unsigned short", 16, false),
    ("long", "long", 64, true),
    ("ulong", "unsigned long", 64, false),
    ("bool", "_Bool", 1, false),
];

/// The k-th value of an input function. The C text of [`prelude`] computes the same.
pub fn input(seed: u64, function: usize, k: usize) -> i128 {
    let h = mix(seed.wrapping_mul(1_000_003).wrapping_add((function as u64) << 32).wrapping_add(k as u64));
    let raw = match h & 3 {
        0 => (h >> 8) & 7,
        1 => ((h >> 8) & 255).wrapping_sub(128),
        _ => h >> 3,
    };
    let (_, _, bits, signed) = INPUTS[function];
    let raw = i128::from(raw);
    if bits == 1 {
        return i128::from(raw != 0);
    }
    let m = raw & ((1i128 << bits) - 1);
    if signed && m >> (bits - 1) != 0 { m - (1i128 << bits) } else { m }
}

/// The C side of the experiment for programs with these numbers: inputs from a seed, observed values printed.
pub fn prelude(numbers: &[u64]) -> String {
    let mut out = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n\
         static unsigned long long seed, counts[16];\n\
         static unsigned long long mix(unsigned long long x) {\n\
         unsigned long long z = x + 0x9E3779B97F4A7C15ULL; z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;\n\
         z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL; return z ^ (z >> 31); }\n\
         static unsigned long long raw(int f) {\n\
         unsigned long long h = mix(seed * 1000003ULL + ((unsigned long long)f << 32) + counts[f]++);\n\
         switch (h & 3) { case 0: return (h >> 8) & 7; case 1: return ((h >> 8) & 255) - 128; \
         default: return h >> 3; } }\n\
         void observe(long long v) { printf(\"%lld\\n\", v); }\n",
    );
    for (i, (name, ty, ..)) in INPUTS.iter().enumerate() {
        out.push_str(&format!("{ty} __VERIFIER_nondet_{name}(void) {{ return ({ty})raw({i}); }}\n"));
    }
    let declared: Vec<String> = numbers.iter().map(|n| format!("int program{n}(void);\n")).collect();
    let cases: Vec<String> = numbers.iter().map(|n| format!("case {n}: program{n}(); break;\n")).collect();
    out.push_str(&declared.concat());
    out.push_str(
        "int main(int c, char **v) {\nseed = strtoull(v[1], 0, 10);\nswitch (strtoull(v[2], 0, 10)) {\n",
    );
    out.push_str(&cases.concat());
    out.push_str("}\nprintf(\"end\\n\"); return 0; }\n");
    out
}

/// The declarations that all programs share.
pub fn header() -> String {
    let inputs = INPUTS.iter().map(|(name, ty, ..)| format!("extern {ty} __VERIFIER_nondet_{name}(void);\n"));
    let mut out: String = inputs.collect();
    out.push_str("enum color { RED, GREEN = 5, BLUE };\n");
    out.push_str("struct inner { short u; unsigned char v; };\n");
    out.push_str(
        "struct point { int x; unsigned int y; signed char z[4]; struct inner in; int bits : 5; \
        unsigned flag : 3; };\n",
    );
    out
}

/// The declarations the program starts with when it is translated: an observed value must be the next
/// expected one.
pub const TRANSLATED: &str = "extern long long __VERIFIER_nondet_expected(void);\n\
    extern void reach_error(void);\n\
    void observe(long long v) { if (v != __VERIFIER_nondet_expected()) reach_error(); }\n";

/// A program with these inputs as its own: calls of input functions read tables, and so does the comparison
/// of what is observed. `asked` is how often each function is called.
#[allow(dead_code)] // not every test file needs it
pub fn closed(program: &str, seed: u64, asked: impl Fn(&str) -> usize, expected: &[i128]) -> String {
    let mut out = String::new();
    let mut table = |name: &str, ty: &str, values: Vec<i128>| {
        let list: Vec<String> = values.iter().map(|v| format!("{}ULL", *v as u64)).collect();
        let (n, list) = if list.is_empty() { (1, "0".into()) } else { (list.len(), list.join(", ")) };
        out.push_str(&format!(
            "{ty} next_{name}(void) {{ static unsigned long long values[{n}] = {{ {list} }}; \
                static unsigned k;\n\
             return ({ty})values[k++]; }}\n"
        ));
    };
    for (f, (name, ty, ..)) in INPUTS.iter().enumerate() {
        let calls = asked(&format!("__VERIFIER_nondet_{name}"));
        table(name, ty, (0..calls).map(|k| input(seed, f, k)).collect());
    }
    table("expected", "long long", expected.to_vec());
    out + &format!("{TRANSLATED}{}{program}", header()).replace("__VERIFIER_nondet_", "next_")
}
