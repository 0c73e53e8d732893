//! A token mutation fuzzer for the C front-end: a text is translated into a well-formed program, or refused with a message; it never panics.
//!
//! `cargo run --release -p palisade-front-c --example fuzz_c -- CPU_SECONDS SEED SAVE_FOLDER FILE_OR_FOLDER...`
//!
//! Files are `.c` and `.i` texts that need no preprocessor. The input being tried is kept in `SAVE_FOLDER/current.c`; inputs that panic, make a malformed
//! program or take more than five seconds of CPU are kept as `panic-*.c`, `slow-*.c`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use palisade_front_c::{COptions, Checks, DataModel, Input, IntMode, translate};
use palisade_term::TermPool;

/// xorshift64*: the same seed gives the same inputs everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

const WORDS: &str = "( ) { } [ ] ; , . -> ++ -- & * + - ~ ! / % << >> < > <= >= == != ^ | && || ? : = += -= *= /= %= <<= >>= &= ^= |= ... \
    0 1 2 -1 2147483647 2147483648 4294967295u 0x7fffffffffffffffLL 18446744073709551615ULL 1.5 'a' '\\n' \"text\" \
    int char short long unsigned signed _Bool void float double struct union enum typedef static extern const volatile sizeof \
    if else while do for switch case default break continue return goto x y z i n a p s f g main \
    __VERIFIER_nondet_int() __VERIFIER_assume(x) reach_error() abort() malloc(8) memset(&x,0,sizeof(x)) memcpy(&x,&y,4) free(p) \
    __attribute__((unused)) __builtin_expect(x,1) ({x;}) (int) (unsigned\u{20}char) (char*)&x *p &x a[i] s.x p->x (*f)(x) &&l goto\u{20}l;";

/// Where tokens begin and end, roughly.
fn tokens(text: &[u8]) -> Vec<(usize, usize)> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut out = Vec::new();
    let mut i = 0;
    while i < text.len() {
        let begin = i;
        i += 1;
        while word(text[begin]) && i < text.len() && word(text[i]) {
            i += 1;
        }
        if !text[begin].is_ascii_whitespace() {
            out.push((begin, i));
        }
    }
    out
}

/// The end of what begins at a token: a statement, a bracketed part, or the token.
fn phrase(text: &[u8], begin: usize, end: usize) -> usize {
    let mut depth = 0usize;
    for (i, &b) in text.iter().enumerate().skip(begin) {
        match b {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' if depth <= 1 => return if depth == 0 { i.max(end) } else { i + 1 },
            b')' | b'}' | b']' => depth -= 1,
            b';' | b',' if depth == 0 => return i.max(end),
            _ => {}
        }
    }
    text.len()
}

fn mutate(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let words: Vec<&str> = WORDS.split(' ').filter(|w| !w.is_empty()).collect();
    let mut text = corpus[random.below(corpus.len())].clone();
    for _ in 0..[1, 1, 2, 4][random.below(4)] {
        let places = tokens(&text);
        if places.is_empty() {
            return text;
        }
        let (a, b) = places[random.below(places.len())];
        match random.below(8) {
            0 => text[a] = (random.next() & 0x7f) as u8,
            1 => drop(text.splice(a..b, words[random.below(words.len())].bytes())),
            2 => drop(text.splice(a..a, format!(" {} ", words[random.below(words.len())]).bytes())),
            3 => drop(text.drain(a..b)),
            4 => {
                let (c, d) = places[random.below(places.len())];
                let other = text[c..phrase(&text, c, d)].to_vec();
                let end = phrase(&text, a, b);
                text.splice(a..end, other);
            }
            5 => {
                let donor = &corpus[random.below(corpus.len())];
                let spots = tokens(donor);
                if !spots.is_empty() {
                    let (c, d) = spots[random.below(spots.len())];
                    let other = donor[c..phrase(donor, c, d)].to_vec();
                    let end = phrase(&text, a, b);
                    text.splice(a..end, other);
                }
            }
            6 => {
                let end = phrase(&text, a, b);
                let deep = if random.below(40) == 0 { 2_000 } else { 2 };
                let (open, close) =
                    [("(", ")"), ("{", "}"), ("!(", ")"), ("-(", ")"), ("a[", "]")][random.below(5)];
                text.splice(end..end, close.repeat(deep).bytes());
                text.splice(a..a, open.repeat(deep).bytes());
            }
            _ => {
                let end = phrase(&text, a, b);
                text.drain(a..end);
            }
        }
        text.truncate(60_000);
    }
    text
}

/// Translates under options drawn from the seed. Is it accepted?
fn attempt(text: &str, choice: u64) -> bool {
    let options = COptions {
        int_mode: [IntMode::Math, IntMode::C, IntMode::Bv][(choice % 3) as usize],
        data_model: [DataModel::Ilp32, DataModel::Lp64][(choice / 3 % 2) as usize],
        signed_wrap: choice / 6 % 2 == 1,
        checks: match choice / 12 % 3 {
            0 => Checks::default(),
            1 => Checks::parse("assert,overflow,div-by-zero,bounds,shift").expect("known checks"),
            _ => Checks::parse("overflow,label(ERROR)").expect("known checks"),
        },
        max_nodes: 20_000,
        recursion_budget: 500,
        ..COptions::default()
    };
    let pool = TermPool::new();
    match translate(&pool, &[Input::Text("fuzz.i".into(), text.into())], &options) {
        Ok(c) => {
            c.program.check(&pool).expect("well-formed");
            true
        }
        Err(e) => {
            assert!(!e.to_string().is_empty() && !e.render(false).is_empty());
            false
        }
    }
}

/// The CPU time of the process: translation uses threads.
fn busy() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(") ").next().unwrap_or("").split(' ').collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

fn seeds(at: &Path, out: &mut Vec<Vec<u8>>) {
    if at.is_dir() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(at).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        entries.iter().for_each(|e| seeds(e, out));
    } else if at.extension().is_some_and(|e| e == "c" || e == "i")
        && let Ok(text) = std::fs::read(at)
        && text.len() < 20_000
    {
        out.push(text);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = "fuzz_c CPU_SECONDS SEED SAVE_FOLDER FILE_OR_FOLDER...";
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok()).expect(usage);
    let (seconds, seed) = (number(0), number(1));
    let save = PathBuf::from(args.get(2).expect(usage));
    std::fs::create_dir_all(&save).expect("a folder to save in");
    let mut corpus = Vec::new();
    args[3..].iter().for_each(|a| seeds(Path::new(a), &mut corpus));
    assert!(!corpus.is_empty(), "no seeds: {usage}");
    let originals = corpus.len();
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut runs, mut accepted, mut panics, mut slow) = (0u64, 0u64, 0u64, 0u64);
    std::panic::set_hook(Box::new(|info| eprintln!("{info}")));
    while busy() < Duration::from_secs(seconds) {
        let bytes = mutate(&mut random, &corpus);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let _ = std::fs::write(save.join("current.c"), &text);
        runs += 1;
        let (start, choice) = (busy(), random.next() >> 8);
        match catch_unwind(AssertUnwindSafe(|| attempt(&text, choice))) {
            Ok(true) => {
                accepted += 1;
                // What gets far is a good start for getting further.
                if bytes.len() < 20_000 && random.below(10) == 0 {
                    let i = originals + random.below(500);
                    if i < corpus.len() { corpus[i] = bytes } else { corpus.push(bytes) }
                }
            }
            Ok(false) => {}
            Err(_) => {
                panics += 1;
                let _ = std::fs::write(save.join(format!("panic-{runs}.c")), &text);
            }
        }
        let time = busy() - start;
        if time > Duration::from_secs(5) {
            slow += 1;
            eprintln!("slow: run {runs}, {} bytes, {time:?}", text.len());
            let _ = std::fs::write(save.join(format!("slow-{runs}.c")), &text);
        }
    }
    println!("C: {runs} inputs from {originals} seeds, {accepted} accepted, {panics} panics, {slow} slow");
    std::process::exit(i32::from(panics > 0));
}
