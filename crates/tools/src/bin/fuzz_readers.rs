//! A byte and token mutation fuzzer for the readers, on stable Rust: no crash, no hang, and what is read can
//! be written and read again.
//!
//! `cargo run --release -p palisade-tools --bin fuzz_readers -- READER CPU_SECONDS SEED SAVE_FOLDER
//! SEED_FOLDER...`
//!
//! READER is `smtlib` (expressions, frames, terms), `horn`, `vmt`, `aiger` (ASCII, with witnesses),
//! `aiger-binary` (what is saved of it has a character for each byte, as in Latin-1), `btor2` (with
//! witnesses) or `certificates` (proofs and runs of two small systems; the seed folders are not needed).
//!
//! The input being tried is kept in `SAVE_FOLDER/current`, so that it is there even after a stack overflow;
//! inputs that panic, break an invariant or take more than two seconds of CPU are kept as
//! `SAVE_FOLDER/panic-*`, `slow-*`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use palisade_front_ts::{
    Btor2, Program, read_btor2, read_btor2_witness, read_horn, read_vmt, write, write_btor2_witness,
};
use palisade_fuzzing::{Campaign, Syntax, texts_below};
use palisade_program::{Run, Step};
use palisade_smtlib::{Context, Framer, Tree, Writer};
use palisade_term::{Sort, TermPool, Value};

/// Apart by two blanks: one belongs to the word.
const WORDS: &str = "(  )  ((  ))  |  \"  ;  #b  #x  #b1  #xff  0  1  -1  (- 1)  2147483648  1.5  0.0  (/ 1 \
    3)  \
    18446744073709551616  true  false  not  and  or  xor  =>  =  distinct  ite  let  forall  exists  !  _  \
    as  +  \
    -  *  /  div  mod  abs  <=  <  >=  >  to_real  to_int  is_int  select  store  const  \
    (as const (Array Int Int))  Int  Bool  Real  (_ BitVec 8)  (_ BitVec 1)  (Array Int Bool)  (_ bv3 8)  \
    (_ extract 3 1)  (_ zero_extend 4)  (_ sign_extend 2)  (_ rotate_left 9)  (_ repeat 3)  (_ int2bv 8)  \
    (_ divisible 3)  bv2nat  sbv_to_int  concat  bvadd  bvmul  bvsub  bvudiv  bvurem  bvsdiv  bvsrem  \
    bvsmod  \
    bvshl  bvlshr  bvashr  bvnot  bvneg  bvand  bvxnor  bvcomp  bvult  bvsge  bvsmulo  bvnego  :next  :init  \
    :trans  :invar-property  :live-property  :named  :predicate  assert  declare-fun  declare-const  \
    declare-rel  \
    declare-var  rule  query  define-fun  define-sort  check-sat  exit  set-logic  x  y  p  inv  ()  (x \
    Int)  \
    ((x Int) (y Bool))  palisade-options  (set-info :palisade-options (\"int=c\"))  [  ]  {  }  ,  \
    null  \"1/0\"  \
    \"steps\":  \u{e9}  \u{0}  ~  '";

struct Lisp {
    words: Vec<&'static str>,
}

impl Syntax for Lisp {
    fn words(&self) -> &[&str] {
        &self.words
    }

    fn in_word(&self, byte: u8) -> bool {
        !b"() \n\t".contains(&byte)
    }

    /// The balanced expression that begins at the token.
    fn phrase_end(&self, text: &[u8], token: Range<usize>) -> usize {
        let mut depth = 0usize;
        for (i, &b) in text.iter().enumerate().skip(token.start) {
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

    fn brackets(&self) -> &[(&str, &str)] {
        &[
            ("(not ", ")"),
            ("(+ 1 ", ")"),
            ("(! ", ")"),
            ("(let ((q x)) ", ")"),
            ("(", ")"),
            ("(and true ", ")"),
            ("(store ", ")"),
        ]
    }

    fn depth(&self) -> usize {
        20_000
    }

    fn longest(&self) -> usize {
        300_000
    }
}

/// Words of AIGER, BTOR2 and their witnesses.
const CIRCUIT_WORDS: &str = "0  1  2  3  4  5  6  7  8  9  10  11  12  13  14  15  16  17  -1  -4  x  .  \
    aag  aig  c  \
    i0  l0  b0  b1  j0  sat  #0  #1  @0  @1  sort  bitvec  array  input  state  init  next  bad  constraint  \
    fair  justice  \
    output  const  constd  consth  zero  one  ones  not  inc  dec  neg  redand  redor  redxor  slice  uext  \
    sext  \
    iff  implies  eq  neq  ugt  sgte  ult  slt  and  nand  or  xor  xnor  sll  sra  srl  rol  ror  add  mul  \
    udiv  \
    sdiv  urem  srem  smod  sub  uaddo  saddo  sdivo  umulo  smulo  usubo  concat  ite  read  write  ;  \
    65536  65537  \
    4294967295  18446744073709551616  -9223372036854775808  [0]  [11]  \n  \u{e9}  \u{0}";

/// One definition on each line.
struct Lines {
    words: Vec<&'static str>,
}

impl Syntax for Lines {
    fn words(&self) -> &[&str] {
        &self.words
    }

    fn in_word(&self, byte: u8) -> bool {
        !byte.is_ascii_whitespace()
    }

    /// The rest of the line.
    fn phrase_end(&self, text: &[u8], token: Range<usize>) -> usize {
        text[token.start..].iter().position(|&b| b == b'\n').map_or(text.len(), |n| token.start + n + 1)
    }

    fn brackets(&self) -> &[(&str, &str)] {
        &[("1 ", "\n"), ("\n", " 2"), ("0 ", " 3 ")]
    }

    fn depth(&self) -> usize {
        100
    }

    fn longest(&self) -> usize {
        100_000
    }
}

/// A circuit and a witness, in this order, are both in the text for `aiger` and `btor2`: apart by a line of
/// dashes.
const DASHES: &str = "\n---\n";

const AIGER_SEEDS: [&str; 3] = [
    "aag 5 1 1 0 3 1 1\n2\n4 11 0\n4\n3\n10 7 9\n6 4 2\n8 5 3\ni0 enable\nl0 \
     toggle\n---\n1\nb0\n0\n1\n0\n.\n",
    "aag 1 0 1 0 0 1\n2 3\n2\n---\n1\nb0\n0\n\n\n.\n",
    "aag 3 1 2 1 0\n2\n4 2 4\n6 4 1\n7\n---\n1\nb0\nx1\n1\n0\nx\n.\n",
];

const BTOR2_SEEDS: [&str; 2] = [
    "1 sort bitvec 1\n2 sort bitvec 4\n3 zero 2\n4 state 2 count\n5 init 2 4 3\n6 one 2\n7 add 2 4 6\n8 \
     input 1 on\n9 ite 2 8 7 4\n\
     10 next 2 4 9\n11 constd 2 2\n12 eq 1 4 11\n13 bad 12\n---\nsat\nb0\n#0\n@0\n0 1 on@0\n@1\n0 1 \
     on@1\n@2\n.\n",
    "1 sort bitvec 1\n2 sort bitvec 2\n3 sort array 2 2\n4 state 3 mem\n5 next 3 4 4\n6 state 2 free\n7 read \
     2 4 6\n8 constd 2 2\n\
     9 eq 1 7 8\n10 slice 1 6 1 1\n11 and 1 9 -10\n12 bad 11\n13 constraint 10\n---\nsat\nb0\n#0\n0 [11] \
     10\n1 01\n@0\n#1\n1 11\n@1\n.\n",
];

/// What is written of a circuit means the same, and witnesses are executed or refused.
fn try_aiger(text: &str) -> usize {
    let (circuit, witness) = text.split_once(DASHES).unwrap_or((text, ""));
    try_circuit(circuit.as_bytes(), witness)
}

/// The same for bytes that are characters of the text.
fn try_aiger_binary(text: &str) -> usize {
    let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
    try_circuit(&bytes, "")
}

/// Bytes as a text with a character for each.
fn as_text(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|&b| char::from(b)).collect::<String>().into_bytes()
}

fn try_circuit(bytes: &[u8], witness: &str) -> usize {
    match palisade_aig::aiger::read(bytes) {
        Ok(circuit) => {
            let written = palisade_aig::aiger::write_ascii(&circuit);
            for bytes in [written.clone(), palisade_aig::aiger::write_binary(&circuit)] {
                let again = palisade_aig::aiger::read(&bytes).unwrap_or_else(|e| panic!("our own text: {e}"));
                assert_eq!(palisade_aig::aiger::write_ascii(&again), written);
            }
            if let Ok((trace, bad)) = palisade_aig::read_witness(&circuit, witness) {
                let _ = circuit.replay_bad(&trace, bad);
                return 3;
            }
            2
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            0
        }
    }
}

/// Programs are well-formed, and a witness is the same when it is written and read again.
fn try_btor2(text: &str) -> usize {
    let (circuit, witness) = text.split_once(DASHES).unwrap_or((text, ""));
    let pool = TermPool::new();
    match read_btor2(&pool, "fuzz", circuit) {
        Ok(Btor2 { program, map }) => {
            program.check(&pool).expect("well-formed");
            let Ok(run) = read_btor2_witness(&pool, &program, &map, witness) else { return 2 };
            let _ = palisade_program::interpret(&pool, &program, &run);
            if let Some(written) = write_btor2_witness(&map, &run) {
                assert_eq!(
                    read_btor2_witness(&pool, &program, &map, &written).as_ref(),
                    Ok(&run),
                    "{written}"
                );
            }
            3
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            0
        }
    }
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
        "aiger" => Some(Box::new(try_aiger)),
        "aiger-binary" => Some(Box::new(try_aiger_binary)),
        "btor2" => Some(Box::new(try_btor2)),
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
    "(set-logic HORN)(declare-fun p (Bool Real (_ BitVec 8) (Array Int Int)) Bool)(declare-fun |q r| (Int) \
     Bool)
(assert (forall ((b Bool) (r Real) (v (_ BitVec 8)) (a (Array Int Int))) (=> (> r 0.5) (p b r v a))))
(assert (forall ((b Bool) (r Real) (v (_ BitVec 8)) (a (Array Int Int)) (i Int))
  (=> (and (p b r v a) b (= v #x07)) (|q r| (select a i)))))
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

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = "fuzz_readers READER CPU_SECONDS SEED SAVE_FOLDER SEED_FOLDER...";
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok()).expect(usage);
    let name = args.first().map_or("", String::as_str);
    let reader = reader(name).expect(usage);
    let lisp = Lisp { words: WORDS.split("  ").collect() };
    let circuits = Lines { words: CIRCUIT_WORDS.split("  ").collect() };
    let campaign = Campaign {
        name,
        syntax: if matches!(name, "aiger" | "aiger-binary" | "btor2") { &circuits } else { &lisp },
        time: Duration::from_secs(number(1)),
        seed: number(2),
        save: PathBuf::from(args.get(3).expect(usage)),
        ending: "",
        patience: Duration::from_secs(2),
    };
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    if name == "certificates" {
        seeds.extend(SYSTEMS.iter().flat_map(|s| System::new(s).certificates).map(String::into_bytes));
    }
    match name {
        "aiger" => seeds.extend(AIGER_SEEDS.map(|s| s.as_bytes().to_vec())),
        "aiger-binary" => {
            let circuits = AIGER_SEEDS.map(|s| s.split(DASHES).next().unwrap_or_default().as_bytes());
            let read = |text| palisade_aig::aiger::read(text).expect("a circuit");
            seeds.extend(circuits.map(|text| as_text(&palisade_aig::aiger::write_binary(&read(text)))));
        }
        "btor2" => seeds.extend(BTOR2_SEEDS.map(|s| s.as_bytes().to_vec())),
        _ => {}
    }
    let endings: &[&str] = match name {
        "aiger" => &["aag"],
        "aiger-binary" => &["aig"],
        "btor2" => &["btor2"],
        _ => &["smt2", "vmt"],
    };
    let found = texts_below(args[4..].iter().map(Path::new), endings);
    seeds.extend(found.into_iter().map(|t| if name == "aiger-binary" { as_text(&t) } else { t }));
    assert!(!seeds.is_empty(), "no seeds: {usage}");
    // Something beyond the outermost parentheses must have been understood.
    let tally = campaign.run(seeds, &|text, _| reader(text) > 1);
    println!("{tally}");
    ExitCode::from(u8::from(tally.panics > 0))
}
