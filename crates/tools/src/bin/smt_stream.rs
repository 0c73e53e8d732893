//! The stream benchmark: CPU per query on an IC3-like stream of queries, ours and `z3`'s.
//!
//! One transition relation (10 current and 10 next variables and a program counter, 5 locations, 9 edges as
//! one disjunction), 10 frames by activation literals that are assumed, a primed cube of 6 literals besides,
//! a model or a core wanted each time, and a lemma (a negated part of a cube) every 5 queries. Seeded; the
//! stream does not depend on the answers.
//!
//! There are three styles, by how a query says what it is about:
//! - `direct`: the literals of the cube are assumed as they are. An engine with scopes and temporary clauses
//!   asks like this.
//! - `named`: each literal of a cube gets a new Boolean that implies it, and the Booleans are assumed. They
//!   are never assumed again, and nobody says so.
//! - `relative`: besides, the negated cube is a clause behind another new Boolean, which is asserted to be
//!   false after the query. This is how monolithic IC3 asks for relative induction on one solver with
//!   assumptions.
//!
//! Each stream is played several times, ours and z3's in turn, and the least time of each counts: what else
//! the machine does only adds to it. The last two columns are our time per query in the first and in the last
//! tenth of the stream.
//!
//! `cargo run --release -p palisade-tools --bin smt_stream -- [lia|lra|bv|all] [QUERIES,QUERIES,...] [SEED]
//! [ROUNDS] [--style=direct|named|relative] [--no-z3]`

use std::fmt::Write as _;
use std::process::Command;

use palisade_smt::native::Options;
use palisade_smt::{Answer, NativeSolver, Solver, Stats};
use palisade_smtlib::Writer;
use palisade_term::{Rational, Sort, Term, TermPool};

/// xorshift, not `palisade_fuzzing::Random`: the published figures are about the streams that it gives.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 20) % n
    }

    fn range(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }
}

const VARS: usize = 10;
const LOCATIONS: i64 = 5;
const EDGES: usize = 9;
const FRAMES: usize = 10;
const CUBE: usize = 6;

/// How a query says what it is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Direct,
    Named,
    Relative,
}

const STYLES: [(&str, Style); 3] =
    [("direct", Style::Direct), ("named", Style::Named), ("relative", Style::Relative)];

enum Item {
    Query { assumptions: Vec<Term> },
    Assert(Term),
}

struct Stream {
    relation: Term,
    items: Vec<Item>,
}

struct Builder<'p> {
    p: &'p TermPool,
    sort: Sort,
    rng: Rng,
    now: Vec<Term>,
    next: Vec<Term>,
}

impl Builder<'_> {
    fn number(&self, n: i64) -> Term {
        match &self.sort {
            Sort::BitVec(w) => self.p.bitvec(n, *w),
            s => self.p.number(Rational::from_integer(n.into()), s),
        }
    }

    fn add(&self, a: Term, b: Term) -> Term {
        if self.sort.is_arith() { self.p.add2(a, b) } else { self.p.bv_add(a, b) }
    }

    fn le(&self, a: Term, b: Term) -> Term {
        if self.sort.is_arith() { self.p.le(a, b) } else { self.p.bv_sle(a, b) }
    }

    /// A literal over the given copy of the variables: a bound, a difference, or an equality.
    fn literal(&mut self, primed: bool) -> Term {
        let i = self.rng.below(VARS as u64) as usize;
        let j = self.rng.below(VARS as u64) as usize;
        let vars = if primed { &self.next } else { &self.now };
        let (x, y) = (vars[i], vars[j]);
        let n = self.rng.range(-20, 20);
        let c = self.number(n);
        match self.rng.below(6) {
            0 | 1 => self.le(x, c),
            2 | 3 => self.le(c, x),
            4 if i != j => self.le(x, self.add(y, c)),
            4 => self.p.eq(x, c),
            _ => self.p.eq(x, c),
        }
    }

    fn edge(&mut self, source: i64, target: i64, pc: Term, pc2: Term) -> Term {
        let p = self.p;
        let mut parts = vec![p.eq(pc, self.number(source)), p.eq(pc2, self.number(target))];
        for _ in 0..2 {
            let guard = self.literal(false);
            let (_, atom) = p.strip_not(guard);
            if *p.op(atom) != palisade_term::Op::Eq {
                parts.push(guard);
            }
        }
        for i in 0..VARS {
            let x = self.now[i];
            let value = match self.rng.below(8) {
                0 | 1 => {
                    let n = self.rng.range(-3, 3);
                    self.add(x, self.number(n))
                }
                2 => {
                    let j = self.rng.below(VARS as u64) as usize;
                    self.add(x, self.now[j])
                }
                3 => {
                    let n = self.rng.range(0, 5);
                    self.number(n)
                }
                _ => x,
            };
            parts.push(p.eq(self.next[i], value));
        }
        p.and(parts)
    }
}

fn stream(p: &TermPool, sort: Sort, style: Style, queries: usize, seed: u64) -> Stream {
    let now: Vec<Term> = (0..VARS).map(|i| p.var(&format!("x{i}"), sort.clone())).collect();
    let next: Vec<Term> = now.iter().map(|&x| p.primed(x)).collect();
    let pc = p.var("pc", sort.clone());
    let pc2 = p.primed(pc);
    let frames: Vec<Term> = (0..FRAMES).map(|i| p.var(&format!("frame{i}"), Sort::Bool)).collect();
    let mut b = Builder { p, sort, rng: Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1), now, next };
    let mut edges = Vec::new();
    for e in 0..EDGES {
        // A cycle through all locations, and chords.
        let source = e as i64 % LOCATIONS;
        let target =
            if (e as i64) < LOCATIONS { (source + 1) % LOCATIONS } else { b.rng.range(0, LOCATIONS - 1) };
        edges.push(b.edge(source, target, pc, pc2));
    }
    let relation = p.or(edges);
    let mut items = Vec::new();
    for q in 0..queries {
        let level = b.rng.below(FRAMES as u64) as usize;
        let target = b.rng.range(0, LOCATIONS - 1);
        let target = b.number(target);
        let mut cube = vec![p.eq(pc2, target)];
        while cube.len() < CUBE {
            let l = b.literal(true);
            if p.as_bool(l).is_none() && !cube.contains(&l) {
                cube.push(l);
            }
        }
        let mut assumptions: Vec<Term> = frames[level..].to_vec();
        let mut temporary = None;
        if style == Style::Relative {
            let guard = p.var(&format!("clause{q}"), Sort::Bool);
            let negated = p.or(cube.iter().map(|&l| p.not(p.unprime(l))));
            items.push(Item::Assert(p.implies(guard, negated)));
            assumptions.push(guard);
            temporary = Some(guard);
        }
        for (i, &l) in cube.iter().enumerate() {
            if style == Style::Direct {
                assumptions.push(l);
                continue;
            }
            let name = p.var(&format!("literal{q}.{i}"), Sort::Bool);
            items.push(Item::Assert(p.implies(name, l)));
            assumptions.push(name);
        }
        items.push(Item::Query { assumptions });
        items.extend(temporary.map(|guard| Item::Assert(p.not(guard))));
        if q % 5 == 4 {
            // The location and two to four literals.
            let n = 3 + b.rng.below(3) as usize;
            let lits: Vec<Term> = cube[..n].iter().map(|&l| p.not(p.unprime(l))).collect();
            let frame = frames[b.rng.below(FRAMES as u64) as usize];
            items.push(Item::Assert(p.or([p.not(frame), p.or(lits)])));
        }
    }
    Stream { relation, items }
}

/// CPU seconds of this thread.
fn own_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// CPU seconds of the finished children of this process.
fn children_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks: f64 = fields.get(13..15).map_or(0.0, |f| f.iter().filter_map(|t| t.parse::<f64>().ok()).sum());
    ticks / 100.0
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let z3 = !std::env::args().any(|a| a == "--no-z3");
    let what = args.first().map_or("all", |s| s.as_str());
    let sizes: Vec<usize> = args
        .get(1)
        .map_or("300,1000,5000", |s| s.as_str())
        .split(',')
        .filter_map(|s| s.parse().ok())
        .collect();
    let seed: u64 = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(1);
    let rounds: u32 = args.get(3).and_then(|s| s.parse().ok()).unwrap_or(1);
    let style = std::env::args().find_map(|a| a.strip_prefix("--style=").map(str::to_string));
    println!(
        "style    logic queries     sat   unsat unknown  ours us/query  z3 us/query   ratio  decisions \
         conflicts   \
         pivots  (per query)  first tenth us  last tenth us"
    );
    for (name, sort) in [("lia", Sort::Int), ("lra", Sort::Real), ("bv", Sort::BitVec(32))] {
        if what != "all" && what != name {
            continue;
        }
        for (called, kind) in STYLES {
            if style.as_deref().is_some_and(|s| s != called) {
                continue;
            }
            for &n in &sizes {
                run((name, &sort), (called, kind), n, seed, rounds, z3);
            }
        }
    }
}

fn run(
    (name, sort): (&str, &Sort),
    (called, style): (&str, Style),
    queries: usize,
    seed: u64,
    rounds: u32,
    z3: bool,
) {
    let p = TermPool::new();
    let s = stream(&p, sort.clone(), style, queries, seed);
    let (mut ours, mut theirs) = (f64::INFINITY, None);
    let mut first: Option<Played> = None;
    for _ in 0..rounds.max(1) {
        let start = own_cpu();
        let played = play(&p, &s);
        ours = f64::min(ours, (own_cpu() - start) * 1e6 / queries as f64);
        if z3 && let Some(t) = z3_time(&p, &s, &played.answers, name, queries) {
            theirs = Some(theirs.map_or(t, |least: f64| least.min(t)));
        }
        let tenths = played.tenths;
        let best = first.get_or_insert(played);
        for (least, now) in best.tenths.iter_mut().zip(tenths) {
            *least = least.min(now);
        }
    }
    let Played { answers, sat, unsat, stats, tenths } = first.expect("there is a round");
    let unknown = answers.len() - sat - unsat;
    let per = |x: u64| x as f64 / queries as f64;
    let (t, ratio) =
        theirs.map_or(("-".into(), "-".into()), |t| (format!("{t:.1}"), format!("{:.1}", t / ours.max(0.1))));
    println!(
        "{called:<8} {name:<5} {queries:>7} {sat:>7} {unsat:>7} {unknown:>7} {ours:>14.1} {t:>12} {ratio:>7} \
         {:>10.1} {:>9.2} {:>8.1}              {:>15.1} {:>14.1}",
        per(stats.decisions),
        per(stats.conflicts),
        per(stats.pivots),
        tenths[0],
        tenths[1],
    );
}

struct Played {
    answers: Vec<bool>,
    sat: usize,
    unsat: usize,
    stats: Stats,
    /// CPU microseconds per query in the first and in the last tenth.
    tenths: [f64; 2],
}

/// Plays the stream to the native solver.
fn play(p: &TermPool, s: &Stream) -> Played {
    let mut solver = NativeSolver::with_options(p, Options { checked: false, ..Options::default() });
    solver.assert(s.relation);
    let mut answers = Vec::new();
    let (mut sat, mut unsat) = (0, 0);
    let mut used = 0;
    let queries = s.items.iter().filter(|i| matches!(i, Item::Query { .. })).count();
    let tenth = (queries / 10).max(1);
    let begin = own_cpu();
    let mut tenths = [begin; 2];
    for item in &s.items {
        match item {
            Item::Assert(formula) => solver.assert(*formula),
            Item::Query { assumptions } => {
                if answers.len() == tenth {
                    tenths[0] = own_cpu();
                } else if answers.len() == queries - tenth {
                    tenths[1] = own_cpu();
                }
                let answer = solver.check(assumptions);
                match &answer {
                    Answer::Sat(m) => {
                        sat += 1;
                        used += m.len();
                    }
                    Answer::Unsat(core) => {
                        unsat += 1;
                        used += core.len();
                    }
                    Answer::Unknown(_) => {}
                }
                answers.push(answer.is_sat());
            }
        }
    }
    std::hint::black_box(used);
    let tenths = [tenths[0] - begin, own_cpu() - tenths[1]].map(|t| t * 1e6 / tenth as f64);
    Played { answers, sat, unsat, stats: solver.stats(), tenths }
}

/// Writes the stream as a script, runs `z3` on it, compares the answers; CPU microseconds per query.
fn z3_time(p: &TermPool, s: &Stream, answers: &[bool], name: &str, queries: usize) -> Option<f64> {
    let mut w = Writer::new(p);
    let mut out =
        String::from("(set-option :produce-models true)\n(set-option :produce-unsat-assumptions true)\n");
    // With its logic, z3 is up to twice as fast.
    let _ = writeln!(out, "(set-logic QF_{})", name.to_uppercase());
    // Variables are declared when they are first used, and a model is wanted of the state only: of names that
    // are dead nobody wants to hear.
    let mut declared = p.free_vars(s.relation);
    for &v in &declared {
        let _ = writeln!(out, "{}", w.declare(v));
    }
    let state: Vec<String> = declared.iter().map(|&v| w.term(v)).collect();
    let model = format!("(get-value ({}))", state.join(" "));
    let _ = writeln!(out, "(assert {})", w.term(s.relation));
    let mut k = 0;
    for item in &s.items {
        let formulas = match item {
            Item::Assert(formula) => std::slice::from_ref(formula),
            Item::Query { assumptions } => assumptions,
        };
        for v in formulas.iter().flat_map(|&f| p.free_vars(f)) {
            if declared.insert(v) {
                let _ = writeln!(out, "{}", w.declare(v));
            }
        }
        match item {
            Item::Assert(formula) => {
                let _ = writeln!(out, "(assert {})", w.term(*formula));
            }
            Item::Query { assumptions } => {
                let lits: Vec<String> = assumptions.iter().map(|&a| w.term(a)).collect();
                let want = if answers[k] { &model } else { "(get-unsat-assumptions)" };
                let _ = writeln!(out, "(check-sat-assuming ({}))\n{want}", lits.join(" "));
                k += 1;
            }
        }
    }
    let path =
        std::env::temp_dir().join(format!("palisade-stream-{name}-{queries}-{}.smt2", std::process::id()));
    std::fs::write(&path, out).ok()?;
    let before = children_cpu();
    let output = Command::new("z3").arg(&path).output().ok()?;
    let theirs = (children_cpu() - before) * 1e6 / queries as f64;
    let _ = std::fs::remove_file(&path);
    let text = String::from_utf8_lossy(&output.stdout);
    let said: Vec<bool> = text.lines().filter(|l| *l == "sat" || *l == "unsat").map(|l| l == "sat").collect();
    if said != answers {
        let at = said.iter().zip(answers).position(|(a, b)| a != b);
        println!("DISAGREEMENT at query {at:?} ({} answers of {})", said.len(), answers.len());
    }
    Some(theirs)
}
