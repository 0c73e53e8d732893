//! Random C programs about memory: unions, also in arrays of arrays, bit-fields, packed and aligned structs,
//! enums of all widths, pointer casts, signed and unsigned `char`, function pointers, library calls, null and
//! dangling pointers.
//!
//! A program has four inputs (calls of `__VERIFIER_nondet_...`), and at its end it calls `report` with a sum
//! of all that it can name. `report` is declared and not defined: that is for those who ask something about
//! the sum. All else is `static`, so that many programs can be linked into one. Some programs are undefined
//! for some inputs.
//!
//! Entry point: [`layouts()`].

use palisade_random::Random;

/// The integer types that random programs use, by the names that they give them.
pub const INTEGERS: &[&str] = &[
    "int",
    "unsigned int",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
    "_Bool",
    "char",
    "long long",
];

const HEAD: &str = r#"
int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
long __VERIFIER_nondet_long(void);
void reach_error(void);
void *memset(void *, int, unsigned long);
void *memcpy(void *, const void *, unsigned long);
unsigned long strlen(const char *);
char *strchr(const char *, int);
void *malloc(unsigned long);
void free(void *);
int abs(int);
void report(unsigned);
enum tiny { T0, T1 = 100 } __attribute__((packed));
enum negative { N0 = -1, N1 = 200 } __attribute__((packed));
enum plain { P0, P1 = 70000 };
enum wide { W0 = -3, W1 = 5000000000 };
typedef int function(int);
static int increment(int n) { return n & 255 ? n - 1 : 7; }
static int negate(int n) { return ~n; }
static int third(int n) { return n / 3; }
"#;

/// The program of a seed.
pub fn layouts(seed: u64) -> String {
    Generator::program(seed)
}

struct Generator {
    random: Random,
    out: String,
    /// Integer lvalues.
    places: Vec<String>,
    /// Two members of one union each: a word, and a byte of it.
    twins: Vec<(String, String)>,
}

impl Generator {
    fn program(seed: u64) -> String {
        let mut g =
            Generator { random: Random::new(seed), out: HEAD.into(), places: Vec::new(), twins: Vec::new() };
        for k in 0..3 {
            g.record(k);
        }
        g.banks();
        g.out.push_str("int main(void) {\n  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();\n");
        g.out.push_str("  unsigned char c = __VERIFIER_nondet_uchar(); signed char s = c;\n");
        g.out.push_str("  long w = __VERIFIER_nondet_long();\n");
        g.out.push_str("  char text[8] = \"ab\"; unsigned char bytes[4];\n");
        g.out.push_str("  function *f = increment; int *p = &a, *null = 0;\n");
        g.out.push_str("  enum tiny t = T1; enum negative n = N1; enum plain e = P1; enum wide l = W1;\n");
        g.places.extend(["a", "b", "c", "s", "w", "text[1]", "t", "n", "e", "l", "*p"].map(String::from));
        for _ in 0..14 {
            g.statement();
        }
        g.out.push_str("  unsigned sum = 0;\n");
        for place in &g.places {
            g.out.push_str(&format!("  sum = sum * 31 + (unsigned){place};\n"));
        }
        g.out.push_str("  report(sum);\n  return a;\n}\n");
        g.out
    }

    /// A struct or union with all that decides its layout, and a global of it.
    fn record(&mut self, k: usize) {
        let union = self.random.chance(30);
        let keyword = if union { "union" } else { "struct" };
        if self.random.chance(15) {
            self.out.push_str("#pragma pack(push, 2)\n");
        } else {
            self.out.push_str("#pragma pack(push)\n");
        }
        self.out.push_str(&format!("static {keyword} r{k} {{\n"));
        for m in 0..2 + self.random.below(4) {
            let ty = *self.random.one_of(INTEGERS);
            let marks = *self.random.one_of(&[
                "",
                "",
                "",
                " __attribute__((packed))",
                " __attribute__((aligned(8)))",
                " __attribute__((aligned(2), packed))",
            ]);
            match self.random.below(6) {
                0 | 1 if ty != "_Bool" => {
                    let most = match ty {
                        "char" | "signed char" | "unsigned char" => 8,
                        "short" | "unsigned short" => 16,
                        _ => 32,
                    };
                    let width = 1 + self.random.below(most);
                    let marks = if self.random.chance(30) { marks } else { "" };
                    self.out.push_str(&format!("  {ty} m{m} : {width}{marks};\n"));
                    if self.random.chance(15) {
                        self.out.push_str(&format!("  {ty} : 0;\n"));
                    }
                    self.places.push(format!("g{k}.m{m}"));
                }
                2 => {
                    self.out.push_str(&format!("  {ty} m{m}[3]{marks};\n"));
                    let i = self.random.below(3);
                    self.places.push(format!("g{k}.m{m}[{i}]"));
                }
                3 => {
                    let of = *self.random.one_of(&["enum tiny", "enum negative", "enum plain", "enum wide"]);
                    self.out.push_str(&format!("  {of} m{m};\n"));
                    self.places.push(format!("g{k}.m{m}"));
                }
                4 if !union => {
                    self.out.push_str(&format!("  union {{ {ty} u{m}; char v{m}[2]; }};\n"));
                    self.places.push(format!("g{k}.u{m}"));
                }
                _ => {
                    self.out.push_str(&format!("  {ty} m{m}{marks};\n"));
                    self.places.push(format!("g{k}.m{m}"));
                }
            }
        }
        let marks =
            *self.random.one_of(&["", "", " __attribute__((packed))", " __attribute__((aligned(16)))"]);
        self.out.push_str(&format!("}}{marks} g{k}, *q{k} = &g{k};\n#pragma pack(pop)\n"));
    }

    /// Arrays of structs with arrays of unions inside, and places in them by constants and variables.
    fn banks(&mut self) {
        let first = *self.random.one_of(&["", "char t;", "int t;", "short t[3];"]);
        let last = *self.random.one_of(&["", "char z;", "long z;"]);
        let (word, bytes) = *self.random.one_of(&[("unsigned", 4), ("short", 2), ("long long", 8)]);
        let member = format!("union {{ {word} w; unsigned char b[{bytes}]; }} u[2];");
        let inner =
            if self.random.chance(40) { format!("struct {{ short k; {member} }} i[2];") } else { member };
        self.out.push_str(&format!(
            "static struct bank {{ {first} {inner} {last} }} bank[2], *row = bank + 1;\n"
        ));
        let index =
            |random: &mut Random| (*random.one_of(&["0", "1", "1", "(a & 1)", "(c & 1)"])).to_string();
        for _ in 0..4 {
            let outer = format!("bank[{}]", index(&mut self.random));
            let outer = if self.random.chance(30) { "(*row)".into() } else { outer };
            let middle = if inner.starts_with("struct") {
                format!("{outer}.i[{}]", index(&mut self.random))
            } else {
                outer
            };
            let union = format!("{middle}.u[{}]", index(&mut self.random));
            let (word, byte) = (format!("{union}.w"), format!("{union}.b[{}]", index(&mut self.random)));
            self.places.extend([word.clone(), byte.clone()]);
            self.twins.push((word, byte));
        }
    }

    fn place(&mut self) -> String {
        let i = self.random.below(self.places.len());
        self.places[i].clone()
    }

    fn value(&mut self) -> String {
        let (x, y) = (self.place(), self.place());
        match self.random.below(10) {
            0 => format!("({x} ^ {y})"),
            1 => format!("({x} & 15) + ({y} & 1023)"),
            2 => format!("({x} < {y})"),
            3 => format!("(unsigned char){x}"),
            4 => format!("(signed char){x} >> 1"),
            5 => format!("({x} % 7)"),
            6 => format!("((unsigned){x} >> 3)"),
            7 => "sizeof(g0) * 2 + sizeof(enum wide)".into(),
            8 => format!("~{x}"),
            _ => x,
        }
    }

    fn statement(&mut self) {
        let (x, y, e, k) = (self.place(), self.place(), self.value(), self.random.below(3));
        let (word, byte) = self.twins[self.random.below(self.twins.len())].clone();
        let text = match self.random.below(24) {
            0 => format!("{x}++;"),
            1 => format!("{x} = f({e});"),
            2 => format!("f = {e} ? negate : third;"),
            3 => format!("r_swap({k});"),
            4 => format!("memset(bytes, {e}, sizeof bytes); a = bytes[2];"),
            5 => "memcpy(bytes, text, 4); c = bytes[1];".into(),
            6 => "text[7] = 0; b = strlen(text);".into(),
            7 => format!("if ({e}) p = &b;"),
            8 => format!("a = abs((short){e});"),
            9 => format!("*(unsigned *)&a = {e};"),
            10 => format!("b = (char)*(unsigned char *)&{};", if k == 0 { "s" } else { "c" }),
            11 => format!("if (({e} & 15) == 5) b = *null;"),
            12 => format!("{{ int inner = {e}; if ((inner & 7) == 3) p = &inner; b = inner + *p % 3; }}"),
            13 => {
                format!("{{ char *bytes = (char *)&{}; b = *bytes; }}", if k == 0 { "s" } else { "text[1]" })
            }
            14 => format!(
                "{{ int *cell = malloc(2 * sizeof *cell); cell[k & 1] = {e}; b = cell[k & 1]; {} a ^= b; }}",
                if self.random.chance(30) { "free(cell); a = cell[k & 1];" } else { "" }
            )
            .replace("k & 1", if k == 0 { "0" } else { "1" }),
            15 => format!("{{ char *end = text + 8, *at = strchr(text, {x}); b = at ? end - at : -1; }}"),
            16 | 17 => format!("{word} = {e}; b = {byte};"),
            18 => format!("{byte} = {e}; w = {word};"),
            19 | 20 => format!("{x} = {y} = {e};"),
            _ => format!("{x} = {e};"),
        };
        // Copies of whole structs and unions, and their sizes.
        let text = match text.as_str() {
            "r_swap(0);" => "{ __typeof__(g0) copy = *q0; g0 = copy; a = sizeof copy; }".into(),
            "r_swap(1);" => {
                "{ __typeof__(g1) copy = g1; *q1 = copy; a = sizeof copy + _Alignof(__typeof__(g1)); }".into()
            }
            "r_swap(2);" => "a = (char *)(q2 + 1) - (char *)q2;".into(),
            _ => text,
        };
        self.out.push_str(&format!("  {text}\n"));
    }
}
