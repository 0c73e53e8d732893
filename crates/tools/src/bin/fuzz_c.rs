//! A token mutation fuzzer for the C front-end: a text is translated into a well-formed program, or refused
//! with a message; it never panics.
//!
//! `cargo run --release -p palisade-tools --bin fuzz_c -- CPU_SECONDS SEED SAVE_FOLDER FILE_OR_FOLDER...`
//!
//! Files are `.c` and `.i` texts that need no preprocessor. The input being tried is kept in
//! `SAVE_FOLDER/current.c`; inputs that panic, make a malformed program or take more than five seconds of CPU
//! are kept as `panic-*.c`, `slow-*.c`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use palisade_front_c::{COptions, Checks, DataModel, Input, IntMode, translate};
use palisade_fuzzing::{Campaign, Syntax, texts_below};
use palisade_term::TermPool;

const WORDS: &str = "( ) { } [ ] ; , . -> ++ -- & * + - ~ ! / % << >> < > <= >= == != ^ | && || ? : = += -= \
    *= /= %= <<= >>= &= ^= |= ... \
    0 1 2 -1 2147483647 2147483648 4294967295u 0x7fffffffffffffffLL 18446744073709551615ULL 1.5 'a' \
    '\\n' \"text\" \
    int char short long unsigned signed _Bool void float double struct union enum typedef static extern \
    const volatile sizeof \
    if else while do for switch case default break continue return goto x y z i n a p s f g main \
    __VERIFIER_nondet_int() __VERIFIER_assume(x) reach_error() abort() malloc(8) memset(&x,0,sizeof(x)) \
    memcpy(&x,&y,4) free(p) \
    __attribute__((unused)) __builtin_expect(x,1) ({x;}) (int) (unsigned\u{20}char) (char*)&x *p &x a[i] s.x \
    p->x (*f)(x) &&l goto\u{20}l;";

struct C {
    words: Vec<&'static str>,
}

impl Syntax for C {
    fn words(&self) -> &[&str] {
        &self.words
    }

    fn in_word(&self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte == b'_'
    }

    /// A statement, a bracketed part, or the token.
    fn phrase_end(&self, text: &[u8], token: Range<usize>) -> usize {
        let mut depth = 0usize;
        for (i, &b) in text.iter().enumerate().skip(token.start) {
            match b {
                b'(' | b'{' | b'[' => depth += 1,
                b')' | b'}' | b']' if depth <= 1 => return if depth == 0 { i.max(token.end) } else { i + 1 },
                b')' | b'}' | b']' => depth -= 1,
                b';' | b',' if depth == 0 => return i.max(token.end),
                _ => {}
            }
        }
        text.len()
    }

    fn brackets(&self) -> &[(&str, &str)] {
        &[("(", ")"), ("{", "}"), ("!(", ")"), ("-(", ")"), ("a[", "]")]
    }

    fn depth(&self) -> usize {
        2_000
    }

    fn longest(&self) -> usize {
        60_000
    }
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
        confirm: false,
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

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = "fuzz_c CPU_SECONDS SEED SAVE_FOLDER FILE_OR_FOLDER...";
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok()).expect(usage);
    let campaign = Campaign {
        name: "C",
        syntax: &C { words: WORDS.split(' ').filter(|w| !w.is_empty()).collect() },
        time: Duration::from_secs(number(0)),
        seed: number(1),
        save: PathBuf::from(args.get(2).expect(usage)),
        ending: ".c",
        patience: Duration::from_secs(5),
    };
    let seeds = texts_below(args[3..].iter().map(Path::new), &["c", "i"]);
    assert!(!seeds.is_empty(), "no seeds: {usage}");
    let tally = campaign.run(seeds, &attempt);
    println!("{tally}");
    ExitCode::from(u8::from(tally.panics > 0))
}
