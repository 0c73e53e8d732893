//! Random programs of csmith, asked both ways: the verdict must be what the compiled program does.
//!
//! `cargo run --release -p palisade-tools --bin csmith -- PALISADE FIRST_SEED COUNT [SECONDS]`
//!
//! csmith (Yang, Chen, Eide, Regehr: Finding and Understanding Bugs in C Compilers, 2011) makes programs
//! without undefined behaviour that end in a checksum of their globals. Each is compiled with gcc and run
//! (undefined behaviour of arithmetic traps). Then `PALISADE verify` is asked whether the checksum can be
//! another one, where TRUE is right, and whether it can be this one, where FALSE is right. Seeds take turns
//! in the data models and in `--int c` and `bv`. A wrong verdict and an exit code that is no verdict (a
//! crash, exit 70) are printed with the seed and the command of csmith. The last line has the counts; the
//! exit code is 1 if anything was wrong.
//!
//! The runtime of csmith is replaced by a smaller one: its checksum is a polynomial, since a table for CRC is
//! most of the work otherwise. Programs are compiled without a C library, so that 32-bit programs run too;
//! that needs Linux on x86.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Programs of modest size.
const SIZE: &[&str] = &[
    "--no-argc",
    "--no-volatiles",
    "--max-funcs",
    "3",
    "--max-block-depth",
    "2",
    "--max-block-size",
    "3",
    "--max-expr-complexity",
    "4",
    "--max-array-dim",
    "2",
    "--max-array-len-per-dim",
    "4",
    "--max-struct-fields",
    "4",
    "--max-union-fields",
    "3",
];

/// What the compiled program needs instead of a C library.
const SYSTEM: &str = concat!(
    r#"
static long call(long n, long a, long b, long c) {
  long r;
#ifdef __LP64__
  __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
#else
  __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b), "d"(c) : "memory");
#endif
  return r;
}
#ifdef __LP64__
enum { WRITE = 1, EXIT = 60 };
#else
enum { WRITE = 4, EXIT = 1 };
#define WEAK __attribute__((weak))
"#,
    include_str!("../../../front-c/src/crosscheck/divide.c"),
    r#"
#endif
void *memset(void *to, int c, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) ((volatile char *)to)[i] = c;
  return to;
}
void *memcpy(void *to, const void *from, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
int printf(const char *format, ...) { return 0; }
static void platform_main_end(uint32_t crc, int flag) {
  char text[8];
  for (int i = 0; i < 8; i++) text[i] = "0123456789abcdef"[crc >> (28 - 4 * i) & 15];
  call(WRITE, 1, (long)text, 8);
  call(EXIT, 0, 0, 0);
}
int main(void);
__attribute__((used)) void begin(void) { main(); }
__asm__(".globl _start\n_start: and $-16, %" STACK "\n call begin\n");
"#
);

/// The types and the arithmetic that csmith's programs use. Operations that would be undefined give the left
/// operand.
fn runtime(wide: bool) -> String {
    let long = if wide { "long" } else { "long long" };
    let mut out = format!(
        "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef {long} int64_t;\n\
         typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;\n\
         typedef unsigned {long} uint64_t;\n\
         static uint32_t crc32_context = 0xFFFFFFFFu;\n\
         static void transparent_crc(uint64_t v, char *name, int flag) {{\n\
           crc32_context = crc32_context * 31u + (uint32_t)v + 7u * (uint32_t)(v >> 32);\n}}\n\
         int printf(const char *, ...);\n\
         static void platform_main_begin(void) {{ }}\n\
         static void crc32_gentab(void) {{ }}\n"
    );
    for bits in [8, 16, 32, 64] {
        let (s, u) = (format!("int{bits}_t"), format!("uint{bits}_t"));
        let max = (1u128 << (bits - 1)) - 1;
        let min = format!("(-{max}{} - 1)", if bits == 64 { "LL" } else { "" });
        let max = format!("{max}{}", if bits == 64 { "LL" } else { "" });
        let mut add = |t: &str, name: &str, kinds: &str, parameters: &str, body: String| {
            out.push_str(&format!(
                "static {t} safe_{name}_func_{t}_{kinds}({parameters}) {{ return {body}; }}\n"
            ));
        };
        let two = |t: &str| format!("{t} a, {t} b");
        add(&s, "unary_minus", "s", &format!("{s} a"), format!("a == {min} ? a : -a"));
        let over = |op: &str| match op {
            "+" => format!("(a > 0 && b > 0 && a > {max} - b) || (a < 0 && b < 0 && a < {min} - b)"),
            _ => format!("(a >= 0 && b < 0 && a > {max} + b) || (a < 0 && b > 0 && a < {min} + b)"),
        };
        add(&s, "add", "s_s", &two(&s), format!("({}) ? a : (a + b)", over("+")));
        add(&s, "sub", "s_s", &two(&s), format!("({}) ? a : (a - b)", over("-")));
        add(
            &s,
            "mul",
            "s_s",
            &two(&s),
            format!(
                "((a > 0 && b > 0 && a > {max} / b) || (a > 0 && b <= 0 && b < {min} / a) || \
                 (a <= 0 && b > 0 && a < {min} / b) || (a < 0 && b < 0 && b < {max} / a)) ? a : a * b"
            ),
        );
        for (name, op) in [("mod", "%"), ("div", "/")] {
            add(&s, name, "s_s", &two(&s), format!("(b == 0 || (a == {min} && b == -1)) ? a : (a {op} b)"));
            add(&u, name, "u_u", &two(&u), format!("b == 0 ? a : (a {op} b)"));
        }
        add(&u, "unary_minus", "u", &format!("{u} a"), "-a".into());
        for (name, op) in [("add", "+"), ("sub", "-"), ("mul", "*")] {
            // Short operands are promoted to `int`, which a product may overflow.
            let left = if bits == 64 { "(unsigned long long)a" } else { "(unsigned)a" };
            add(&u, name, "u_u", &two(&u), format!("({u})({left} {op} b)"));
        }
        for (kinds, right) in [("s", "int"), ("u", "unsigned")] {
            let (b, low) = ("b", if kinds == "s" { "b < 0 || " } else { "" });
            let parameters = |t: &str| format!("{t} a, {right} {b}");
            let bad = format!("{low}b >= {}", bits.max(32));
            let lost = format!("a < 0 || {bad} || a > ({max} >> b)");
            add(&s, "lshift", &format!("s_{kinds}"), &parameters(&s), format!("({lost}) ? a : (a << b)"));
            add(
                &s,
                "rshift",
                &format!("s_{kinds}"),
                &parameters(&s),
                format!("(a < 0 || {bad}) ? a : (a >> b)"),
            );
            let top = format!("(({u})-1 >> b)");
            let lost = format!("{bad} || a > {top}");
            add(&u, "lshift", &format!("u_{kinds}"), &parameters(&u), format!("({lost}) ? a : (a << b)"));
            add(&u, "rshift", &format!("u_{kinds}"), &parameters(&u), format!("({bad}) ? a : (a >> b)"));
        }
    }
    out
}

/// The checksum that the compiled program prints; an error says why there is none.
fn checksum(program: &str, wide: bool, folder: &Path) -> Result<u32, &'static str> {
    let (file, binary) = (folder.join("compiled.c"), folder.join("compiled"));
    let stack = if wide { "rsp" } else { "esp" };
    let text = format!("#define STACK \"{stack}\"\n{}{SYSTEM}{program}", runtime(wide));
    std::fs::write(&file, text).map_err(|_| "not written")?;
    let flags = ["-w", "-O0", "-nostdlib", "-static", "-ffreestanding", "-fno-pic", "-fno-stack-protector"];
    let compiled = Command::new("gcc")
        .args(flags)
        .args([if wide { "-m64" } else { "-m32" }, "-fsanitize=undefined"])
        .args(["-fno-sanitize=alignment", "-fsanitize-undefined-trap-on-error", "-o"])
        .args([&binary, &file])
        .stdin(Stdio::null())
        .output()
        .map_err(|_| "no gcc")?;
    if !compiled.status.success() {
        return Err("not compiled");
    }
    let run = Command::new("timeout").arg("2").arg(&binary).output().map_err(|_| "not started")?;
    let printed = String::from_utf8_lossy(&run.stdout).trim().to_string();
    u32::from_str_radix(&printed, 16).map_err(|_| "slow or undefined")
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [palisade, first, count, rest @ ..] = &args[..] else {
        eprintln!("usage: csmith PALISADE FIRST_SEED COUNT [SECONDS]");
        return ExitCode::from(2);
    };
    let (Ok(first), Ok(count)) = (first.parse::<u64>(), count.parse::<u64>()) else {
        eprintln!("the seed and the count are numbers");
        return ExitCode::from(2);
    };
    let seconds = rest.first().map_or("3", String::as_str);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut programs, mut right, mut wrong, mut open, mut not_run) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let (wide, mode) = (seed % 2 == 0, if seed / 2 % 2 == 0 { "c" } else { "bv" });
        let made = Command::new("csmith")
            .args(SIZE)
            .args(["--seed", &seed.to_string()])
            .current_dir(folder.path()) // it leaves a file there
            .output();
        let made = made.expect("csmith is installed");
        let program = String::from_utf8_lossy(&made.stdout).replace("#include \"csmith.h\"", "");
        let sum = match checksum(&program, wide, folder.path()) {
            Ok(sum) => sum,
            Err(why) => {
                not_run += 1;
                println!("seed {seed}: {why}");
                continue;
            }
        };
        programs += 1;
        for (operator, expected) in [("!=", 0), ("==", 10)] {
            let file = folder.path().join("asked.c");
            let question = format!(
                "void reach_error(void);\n\
                 static void platform_main_end(uint32_t crc, int flag) {{\n\
                 if (crc {operator} {sum}u) reach_error(); }}\n"
            );
            std::fs::write(&file, format!("{}{question}{program}", runtime(wide))).expect("written");
            let out = Command::new(palisade)
                .args(["verify", if wide { "--64" } else { "--32" }, "--int", mode, "--timeout", seconds])
                .arg(&file)
                .output()
                .expect("palisade starts");
            match out.status.code() {
                Some(code) if code == expected => right += 1,
                Some(3 | 20) => open += 1,
                code => {
                    wrong += 1;
                    let last = String::from_utf8_lossy(&out.stdout).lines().last().unwrap_or("").to_string();
                    println!(
                        "WRONG seed {seed}: `crc {operator} {sum}u` gives {code:?} {last}; \
                         csmith {} --seed {seed}",
                        SIZE.join(" ")
                    );
                }
            }
        }
        if programs % 10 == 0 {
            println!("{programs} programs: {right} right, {wrong} wrong, {open} open, {not_run} not run");
        }
    }
    println!("{programs} programs: {right} right, {wrong} wrong, {open} open, {not_run} not run");
    ExitCode::from(u8::from(wrong > 0))
}
