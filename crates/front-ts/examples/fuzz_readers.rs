//! A byte and token mutation fuzzer for the readers, on stable Rust: no crash, no hang, and what is read can be written and read again.
//!
//! `cargo run --release -p palisade-front-ts --example fuzz_readers -- READER CPU_SECONDS SEED SAVE_FOLDER SEED_FOLDER...`
//!
//! READER is `smtlib` (expressions, frames, terms), `horn`, `vmt` or `certificates` (proofs and runs of two small systems; the seed folders are not needed).
//!
//! The input being tried is kept in `SAVE_FOLDER/current`, so that it is there even after a stack overflow; inputs that panic, break an
//! invariant or take more than two seconds of CPU are kept as `SAVE_FOLDER/panic-*`, `slow-*`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use palisade_front_ts::{Program, read_horn, read_vmt, write};
use palisade_program::{Run, Step};
use palisade_smtlib::{Context, Framer, Tree, Writer};
use palisade_term::{Sort, TermPool, Value};

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

const WORDS: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    "|",
    "\"",
    ";",
    "#b",
    "#x",
    "#b1",
    "#xff",
    "0",
    "1",
    "-1",
    "(- 1)",
    "2147483648",
    "1.5",
    "0.0",
    "(/ 1 3)",
    "18446744073709551616",
    "true",
    "false",
    "not",
    "and",
    "or",
    "xor",
    "=>",
    "=",
    "distinct",
    "ite",
    "let",
    "forall",
    "exists",
    "!",
    "_",
    "as",
    "+",
    "-",
    "*",
    "/",
    "div",
    "mod",
    "abs",
    "<=",
    "<",
    ">=",
    ">",
    "to_real",
    "to_int",
    "is_int",
    "select",
    "store",
    "const",
    "(as const (Array Int Int))",
    "Int",
    "Bool",
    "Real",
    "(_ BitVec 8)",
    "(_ BitVec 1)",
    "(Array Int Bool)",
    "(_ bv3 8)",
    "(_ extract 3 1)",
    "(_ zero_extend 4)",
    "(_ sign_extend 2)",
    "(_ rotate_left 9)",
    "(_ repeat 3)",
    "(_ int2bv 8)",
    "(_ divisible 3)",
    "bv2nat",
    "sbv_to_int",
    "concat",
    "bvadd",
    "bvmul",
    "bvsub",
    "bvudiv",
    "bvurem",
    "bvsdiv",
    "bvsrem",
    "bvsmod",
    "bvshl",
    "bvlshr",
    "bvashr",
    "bvnot",
    "bvneg",
    "bvand",
    "bvxnor",
    "bvcomp",
    "bvult",
    "bvsge",
    "bvsmulo",
    "bvnego",
    ":next",
    ":init",
    ":trans",
    ":invar-property",
    ":live-property",
    ":named",
    ":predicate",
    "assert",
    "declare-fun",
    "declare-const",
    "declare-rel",
    "declare-var",
    "rule",
    "query",
    "define-fun",
    "define-sort",
    "check-sat",
    "exit",
    "set-logic",
    "x",
    "y",
    "p",
    "inv",
    "()",
    "(x Int)",
    "((x Int) (y Bool))",
    "palisade-options",
    "(set-info :palisade-options (\"int=c\"))",
    "[",
    "]",
    "{",
    "}",
    ",",
    "null",
    "\"1/0\"",
    "\"steps\":",
    "\u{e9}",
    "\u{0}",
    "~",
    "'",
];

/// Where tokens begin and end, roughly.
fn tokens(text: &[u8]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < text.len() {
        let begin = i;
        i += 1;
        if !b"() \n\t".contains(&text[begin]) {
            while i < text.len() && !b"() \n\t".contains(&text[i]) {
                i += 1;
            }
        }
        if !text[begin].is_ascii_whitespace() {
            out.push((begin, i));
        }
    }
    out
}

/// The extent of the balanced expression that begins at a token.
fn expression(text: &[u8], begin: usize) -> usize {
    let mut depth = 0usize;
    for (i, &b) in text.iter().enumerate().skip(begin) {
        match b {
            b'(' => depth += 1,
            b')' if depth <= 1 => return i + 1,
            b')' => depth -= 1,
            b' ' | b'\n' if depth == 0 => return i,
            _ => {}
        }
    }
    text.len()
}

fn mutate(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut text = corpus[random.below(corpus.len())].clone();
    let rounds = [1, 1, 1, 2, 4][random.below(5)];
    for _ in 0..rounds {
        let places = tokens(&text);
        if places.is_empty() {
            return text;
        }
        let (a, b) = places[random.below(places.len())];
        match random.below(9) {
            0 => text[a] = (random.next() & 0xff) as u8,
            1 => drop(text.splice(a..b, WORDS[random.below(WORDS.len())].bytes())),
            2 => drop(text.splice(a..a, [WORDS[random.below(WORDS.len())], " "].concat().bytes())),
            3 => drop(text.drain(a..b)),
            4 => {
                // another place's expression over this one
                let (c, _) = places[random.below(places.len())];
                let other = text[c..expression(&text, c)].to_vec();
                let end = expression(&text, a);
                text.splice(a..end, other);
            }
            5 => {
                // an expression of another file
                let donor = &corpus[random.below(corpus.len())];
                let spots = tokens(donor);
                if !spots.is_empty() {
                    let (c, _) = spots[random.below(spots.len())];
                    let other = donor[c..expression(donor, c)].to_vec();
                    let end = expression(&text, a);
                    text.splice(a..end, other);
                }
            }
            6 => {
                // the expression twice, or very often
                let end = expression(&text, a);
                let times = if random.below(50) == 0 { 300 } else { 1 };
                let mut copy = vec![b' '];
                copy.extend_from_slice(&text[a..end]);
                text.splice(end..end, copy.repeat(times));
            }
            7 => {
                // nested deep
                let end = expression(&text, a);
                let depth = if random.below(50) == 0 { 20_000 } else { 3 };
                let open =
                    ["(not ", "(+ 1 ", "(! ", "(let ((q x)) ", "(", "(and true ", "(store "][random.below(7)];
                text.splice(end..end, vec![b')'; depth]);
                text.splice(a..a, open.repeat(depth).bytes());
            }
            _ => {
                let end = expression(&text, a);
                text.drain(a..end);
            }
        }
        text.truncate(300_000);
    }
    text
}

/// What is written of a program can be read, and the program is well-formed.
fn check_program(pool: &TermPool, program: &Program) {
    program.check(pool).expect("well-formed");
    let script = write::horn(pool, program);
    let again_pool = TermPool::new();
    let again = read_horn(&again_pool, "again", &script).unwrap_or_else(|e| panic!("our own text: {e}"));
    assert!(again.program.edges.len() <= program.edges.len());
    write::cfa(pool, program);
    write::dot(pool, program);
    if let Ok(script) = write::vmt(pool, program) {
        read_vmt(&TermPool::new(), "again", &script, None).unwrap_or_else(|e| panic!("our own text: {e}"));
    }
}

/// A reader: how many things in the text it accepts.
type Reader = Box<dyn Fn(&str) -> usize>;

fn reader(name: &str) -> Option<Reader> {
    match name {
        "smtlib" => Some(Box::new(try_smtlib)),
        "horn" => Some(Box::new(try_horn)),
        "vmt" => Some(Box::new(try_vmt)),
        "certificates" => {
            let systems = SYSTEMS.map(System::new);
            Some(Box::new(move |text| systems.iter().map(|s| s.try_certificate(text)).sum()))
        }
        _ => None,
    }
}

/// Two systems that certificates speak about, the second with every sort.
const SYSTEMS: [&str; 2] = [
    "(set-logic HORN)(declare-fun loop (Int Int) Bool)(assert (loop 0 0))
(assert (forall ((x Int) (y Int) (k Int)) (=> (and (loop x y) (< k 5)) (loop (+ x 1) (+ y k)))))
(assert (forall ((x Int) (y Int)) (=> (and (loop x y) (< x 0)) false)))",
    "(set-logic HORN)(declare-fun p (Bool Real (_ BitVec 8) (Array Int Int)) Bool)(declare-fun |q r| (Int) Bool)
(assert (forall ((b Bool) (r Real) (v (_ BitVec 8)) (a (Array Int Int))) (=> (> r 0.5) (p b r v a))))
(assert (forall ((b Bool) (r Real) (v (_ BitVec 8)) (a (Array Int Int)) (i Int)) (=> (and (p b r v a) b (= v #x07)) (|q r| (select a i)))))
(assert (forall ((x Int)) (=> (and (|q r| x) (= x 3)) false)))",
];

/// A program with certificates of both kinds; that they are true is not needed.
struct System {
    pool: TermPool,
    program: Program,
    certificates: [String; 2],
}

impl System {
    fn new(text: &str) -> System {
        let pool = TermPool::new();
        let program = read_horn(&pool, "system", text).expect("a Horn system").program;
        let options = ["int=c".to_string(), "define=A=\"b\"".to_string()];
        let mut invariants = palisade_program::CutInvariants::bare(&pool, &program);
        for l in program.locs() {
            let parts = program.vars(l).iter().map(|&v| pool.eq(v, v)).collect::<Vec<_>>();
            invariants.set(l, pool.and(parts));
        }
        let proof = palisade_certify::write_proof(&pool, &program, &invariants, &options);
        let values =
            |vars: &[palisade_term::Term]| vars.iter().map(|&v| Value::default_of(pool.sort(v))).collect();
        let steps =
            program.edge_ids().map(|e| Step { edge: e, inputs: values(&program.edge(e).inputs) }).collect();
        let run = Run { initial: values(program.vars(program.entry)), steps };
        let run = palisade_certify::write_run(&pool, &program, &run, &options);
        System { pool, program, certificates: [proof, run] }
    }

    /// What is read of a certificate is the same when it is written and read again.
    fn try_certificate(&self, text: &str) -> usize {
        let System { pool, program, .. } = self;
        let mut accepted = 0;
        let Ok(options) = palisade_certify::read_options(text) else { return 0 };
        if let Ok(proof) = palisade_certify::read_proof(pool, program, text) {
            let written = palisade_certify::write_proof(pool, program, &proof, &options);
            assert_eq!(
                palisade_certify::read_proof(pool, program, &written).as_ref(),
                Ok(&proof),
                "{written}"
            );
            assert_eq!(palisade_certify::read_options(&written), Ok(options.clone()), "{written}");
            accepted += 2;
        }
        if let Ok(run) = palisade_certify::read_run(pool, program, text) {
            let written = palisade_certify::write_run(pool, program, &run, &options);
            assert_eq!(palisade_certify::read_run(pool, program, &written).as_ref(), Ok(&run), "{written}");
            let _ = palisade_program::interpret(pool, program, &run);
            accepted += 2;
        }
        accepted
    }
}

fn try_smtlib(text: &str) -> usize {
    let mut accepted = 0;
    let mut framer = Framer::new();
    let mut rest = text.as_bytes();
    while let Some(n) = framer.feed(rest) {
        assert!(n > 0 || rest.is_empty() || n <= rest.len());
        rest = &rest[n.max(1)..];
    }
    if let Ok(tree) = Tree::parse(text) {
        accepted += 1;
        let pool = TermPool::new();
        let mut context = Context::new(&pool);
        for (name, sort) in [("x", Sort::Int), ("y", Sort::Bool), ("v", Sort::BitVec(8)), ("r", Sort::Real)] {
            context.define_name(name, pool.var(name, sort));
        }
        for s in tree.roots().take(50) {
            let shown = s.to_string();
            assert!(Tree::parse(&shown).is_ok(), "{shown}");
            if let Ok(t) = context.term(s) {
                Writer::new(&pool).term(t);
                accepted += 1;
            }
        }
    }
    accepted
}

fn try_horn(text: &str) -> usize {
    let pool = TermPool::new();
    match read_horn(&pool, "fuzz", text) {
        Ok(horn) => {
            check_program(&pool, &horn.program);
            write::horn_model(&pool, &horn, |_| pool.tru());
            2
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            0
        }
    }
}

fn try_vmt(text: &str) -> usize {
    let pool = TermPool::new();
    match read_vmt(&pool, "fuzz", text, None) {
        Ok(vmt) => {
            check_program(&pool, &vmt.program);
            2
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            0
        }
    }
}

/// The CPU time of this thread where the system tells it: other work on the machine must not look like slowness.
fn busy(since: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match text.split_whitespace().next().and_then(|n| n.parse().ok()) {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => since.elapsed(),
    }
}

fn seeds(at: &Path, out: &mut Vec<Vec<u8>>) {
    if at.is_dir() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(at).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        entries.iter().for_each(|e| seeds(e, out));
    } else if at.extension().is_some_and(|e| e == "smt2" || e == "vmt")
        && let Ok(text) = std::fs::read(at)
        && text.len() < 20_000
    {
        out.push(text);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = "fuzz_readers READER CPU_SECONDS SEED SAVE_FOLDER SEED_FOLDER...";
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok()).expect(usage);
    let name = args.first().map_or("", String::as_str);
    let try_reader = reader(name).expect(usage);
    let (seconds, seed) = (number(1), number(2));
    let save = PathBuf::from(args.get(3).expect(usage));
    std::fs::create_dir_all(&save).expect("a folder to save in");
    let mut corpus = Vec::new();
    if name == "certificates" {
        corpus.extend(SYSTEMS.iter().flat_map(|s| System::new(s).certificates).map(String::into_bytes));
    }
    args[4..].iter().for_each(|a| seeds(Path::new(a), &mut corpus));
    assert!(!corpus.is_empty(), "no seeds: {usage}");
    let originals = corpus.len();
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let begin = Instant::now();
    let (mut runs, mut accepted, mut panics, mut slow) = (0u64, 0u64, 0u64, 0u64);
    std::panic::set_hook(Box::new(|info| eprintln!("{info}")));
    while busy(begin) < Duration::from_secs(seconds) {
        let bytes = mutate(&mut random, &corpus);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let _ = std::fs::write(save.join("current"), &text);
        runs += 1;
        let start = busy(begin);
        match catch_unwind(AssertUnwindSafe(|| try_reader(&text))) {
            Ok(n) => {
                accepted += u64::from(n > 1);
                // What gets far is a good start for getting further.
                if n > 1 && bytes.len() < 20_000 && random.below(20) == 0 {
                    if corpus.len() < originals + 500 {
                        corpus.push(bytes);
                    } else {
                        let i = originals + random.below(500);
                        corpus[i] = bytes;
                    }
                }
            }
            Err(_) => {
                panics += 1;
                let _ = std::fs::write(save.join(format!("panic-{runs}")), &text);
            }
        }
        let time = busy(begin) - start;
        if time > Duration::from_secs(2) {
            slow += 1;
            eprintln!("slow: run {runs}, {} bytes, {time:?}", text.len());
            let _ = std::fs::write(save.join(format!("slow-{runs}")), &text);
        }
    }
    println!(
        "{name}: {runs} inputs from {originals} seeds, {accepted} accepted, {panics} panics, {slow} slow"
    );
    std::process::exit(i32::from(panics > 0));
}
