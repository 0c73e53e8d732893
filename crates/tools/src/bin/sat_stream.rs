//! Measures what the solver is made for, and prints tables.
//!
//! 1. A stream of small queries as IC3 asks them, on a random sequential circuit: push, the negated cube as
//!    temporary clause, the frames and the primed cube as assumptions, pop; a lemma every five queries. The
//!    time per query must not grow with the number of queries beyond what the lemmas themselves ask for.
//! 2. Random 3-SAT near the threshold and pigeonholes.
//!
//! `cargo run --release -p palisade-tools --bin sat_stream [queries] [latches] [proof] [search]`; `search`
//! skips the streams.

use palisade_fuzzing::Random;
use palisade_sat::{Lit, Options, SolveResult, Solver, Var};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

fn flip(rng: &mut Random) -> bool {
    rng.bits() & 1 == 1
}

/// CPU time of this thread where the system tells it (the machine may be busy with other things), else the
/// time of day.
fn cpu_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let on_cpu = std::fs::read_to_string("/proc/self/schedstat").ok();
    match on_cpu.and_then(|s| s.split_whitespace().next()?.parse().ok()) {
        Some(nanos) => Duration::from_nanos(nanos),
        None => START.get_or_init(Instant::now).elapsed(),
    }
}

/// A random and-inverter circuit with latches.
struct Circuit {
    latches: Vec<Var>,
    /// The next value of each latch.
    next: Vec<Lit>,
    /// For each variable the inputs of its gate, if it is one.
    fanin: Vec<Option<[Lit; 2]>>,
}

fn circuit(s: &mut Solver, rng: &mut Random, latches: usize) -> Circuit {
    let latch_vars: Vec<Var> = (0..latches).map(|_| s.new_var()).collect();
    let inputs: Vec<Var> = (0..latches / 2).map(|_| s.new_var()).collect();
    let mut fanin = vec![None; s.num_vars()];
    let mut next = Vec::new();
    for i in 0..latches {
        // Each latch has a small cone over its neighbours.
        let mut pool: Vec<Lit> =
            (0..5).map(|k| latch_vars[(i + k * k + rng.below(3)) % latches].lit(flip(rng))).collect();
        pool.push(inputs[rng.below(inputs.len())].lit(flip(rng)));
        while pool.len() > 1 {
            let a = pool.swap_remove(rng.below(pool.len()));
            let b = pool.swap_remove(rng.below(pool.len()));
            let g = s.new_var();
            fanin.push(Some([a, b]));
            let g = g.positive();
            s.add_clause(&[!g, a]);
            s.add_clause(&[!g, b]);
            s.add_clause(&[g, !a, !b]);
            pool.push(if flip(rng) { g } else { !g });
        }
        next.push(pool[0]);
    }
    Circuit { latches: latch_vars, next, fanin }
}

impl Circuit {
    /// Marks everything that the literals depend on.
    fn cone(&self, seen: &mut [u32], epoch: u32, roots: &[Lit], out: &mut Vec<Var>) {
        let mut stack: Vec<Var> = roots.iter().map(|l| l.var()).collect();
        while let Some(v) = stack.pop() {
            if seen[v.index()] != epoch {
                seen[v.index()] = epoch;
                out.push(v);
                stack.extend(self.fanin[v.index()].into_iter().flatten().map(Lit::var));
            }
        }
    }
}

/// Number of frames; a lemma belongs to one, and a query assumes one and all above it.
const FRAMES: usize = 10;
/// Cubes and lemmas are about the first so many latches: those the property is about.
const WINDOW: usize = 60;

fn stream(queries: usize, latches: usize, domain: bool, last_lemma: usize, proof: bool) {
    let mut s = Solver::new(Options { proof, ..Options::default() });
    let mut rng = Random::new(7);
    let c = circuit(&mut s, &mut rng, latches);
    let frames: Vec<Lit> = (0..FRAMES).map(|_| s.new_var().positive()).collect();
    // All lemmas hold in this state, so that no frame ever becomes empty.
    let state: Vec<bool> = (0..WINDOW).map(|_| flip(&mut rng)).collect();
    let mut seen = vec![0; s.num_vars()];
    println!("\n{latches} latches, {} variables, domain: {domain}, proof: {proof}", s.num_vars());
    println!(
        "{:>8} {:>9} {:>8} {:>6} {:>8} {:>9} {:>9} {:>8} {:>8} {:>6}",
        "queries", "us/query", "ns/prop", "sat %", "confl/q", "props/q", "decis/q", "lemmas", "learned", "MB"
    );
    let block = queries / 10;
    let (mut sat, mut lemmas) = (0, 0);
    let mut before = s.stats().clone();
    let mut start = cpu_time();
    let mut assumptions = Vec::new();
    for q in 1..=queries {
        let (size, at, frame) = (4 + rng.below(6), rng.below(WINDOW), rng.below(FRAMES));
        let mut cube: Vec<(usize, bool)> =
            (0..size).map(|k| ((at + k * 3 + rng.below(3)) % WINDOW, flip(&mut rng))).collect();
        cube.sort();
        cube.dedup_by_key(|c| c.0);
        let outside = rng.below(cube.len());
        cube[outside].1 = !state[cube[outside].0];
        let negated: Vec<Lit> = cube.iter().map(|&(i, b)| c.latches[i].lit(!b)).collect();
        let primed: Vec<Lit> = cube.iter().map(|&(i, b)| if b { c.next[i] } else { !c.next[i] }).collect();
        if domain {
            let mut vars = Vec::new();
            c.cone(&mut seen, q as u32, &primed, &mut vars);
            s.set_domain(vars);
            for &v in &c.latches[..WINDOW] {
                s.extend_domain(v);
            }
        }
        assumptions.clear();
        assumptions.extend_from_slice(&frames[frame..]);
        assumptions.extend_from_slice(&primed);
        s.push();
        s.add_clause(&negated);
        let answer = s.solve(&assumptions);
        let core = if answer == SolveResult::Unsat { s.core().to_vec() } else { Vec::new() };
        s.pop();
        sat += usize::from(answer == SolveResult::Sat);
        if q % 5 == 0 && q <= last_lemma {
            // What the core leaves of the cube, if that keeps the state and is not too strong; else the whole
            // negated cube.
            let mut lemma: Vec<Lit> =
                primed.iter().zip(&negated).filter(|(p, _)| core.contains(p)).map(|(_, &n)| n).collect();
            lemma.push(negated[outside]);
            lemma.dedup();
            if lemma.len() < 4 {
                lemma = negated;
            }
            lemma.push(!frames[frame]);
            s.add_clause(&lemma);
            lemmas += 1;
        }
        if q % block == 0 {
            let t = s.stats();
            let per = |a: u64, b: u64| (a - b) as f64 / block as f64;
            let micros = (cpu_time() - start).as_secs_f64() * 1e6 / block as f64;
            let props = per(t.propagations, before.propagations);
            println!(
                "{q:>8} {micros:>9.1} {:>8.0} {:>6} {:>8.1} {props:>9.1} {:>9.1} {lemmas:>8} {:>8} {:>6.1}",
                micros * 1e3 / props,
                100 * sat / block,
                per(t.conflicts, before.conflicts),
                per(t.decisions, before.decisions),
                s.num_clauses().1,
                s.memory_bytes() as f64 / 1e6
            );
            before = t.clone();
            start = cpu_time();
            sat = 0;
        }
    }
}

fn random_3sat(vars: usize, ratio: f64, seed: u64) -> (usize, Vec<Vec<Lit>>) {
    let mut rng = Random::new(seed);
    let clauses = (0..(vars as f64 * ratio) as usize)
        .map(|_| (0..3).map(|_| Var::new(rng.below(vars)).lit(flip(&mut rng))).collect())
        .collect();
    (vars, clauses)
}

fn pigeonhole(holes: usize) -> (usize, Vec<Vec<Lit>>) {
    let at = |pigeon: usize, hole: usize| Var::new(pigeon * holes + hole);
    let mut clauses: Vec<Vec<Lit>> =
        (0..=holes).map(|p| (0..holes).map(|h| at(p, h).positive()).collect()).collect();
    for h in 0..holes {
        for p in 0..=holes {
            clauses.extend((0..p).map(|q| vec![at(p, h).negative(), at(q, h).negative()]));
        }
    }
    ((holes + 1) * holes, clauses)
}

fn search(name: &str, (vars, clauses): (usize, Vec<Vec<Lit>>)) {
    for proof in [false, true] {
        let mut s = Solver::new(Options { proof, ..Options::default() });
        for _ in 0..vars {
            s.new_var();
        }
        for c in &clauses {
            s.add_clause(c);
        }
        let start = cpu_time();
        let answer = s.solve(&[]);
        let seconds = (cpu_time() - start).as_secs_f64();
        let t = s.stats();
        println!(
            "{:<22} {:>6} {:>7} {:>9.3} {:>9} {:>11.2} {:>9} {:>7.1}",
            name,
            if proof { "yes" } else { "no" },
            format!("{answer:?}"),
            seconds,
            t.conflicts,
            t.propagations as f64 / 1e6 / seconds,
            t.restarts,
            s.memory_bytes() as f64 / 1e6
        );
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (queries, latches) = (number(0, 20_000), number(1, 200));
    let proof = args.iter().any(|a| a == "proof");
    if !args.iter().any(|a| a == "search") {
        for (latches, domain) in [(latches, false), (latches, true), (latches * 10, true)] {
            stream(queries, latches, domain, queries, proof);
        }
        // Without new lemmas the queries do not get harder, and what is left is what the solver itself costs.
        stream(queries, latches, true, queries / 5, proof);
        stream(queries, latches * 10, true, queries / 5, proof);
    }
    println!(
        "\n{:<22} {:>6} {:>7} {:>9} {:>9} {:>11} {:>9} {:>7}",
        "instance", "proof", "answer", "seconds", "conflicts", "Mprops/s", "restarts", "MB"
    );
    for seed in 1..=3 {
        search(&format!("3-SAT 200 x 4.26 #{seed}"), random_3sat(200, 4.26, seed));
    }
    search("3-SAT 250 x 4.26", random_3sat(250, 4.26, 1));
    search("3-SAT 300 x 4.0", random_3sat(300, 4.0, 1));
    search("3-SAT 1000 x 3.4", random_3sat(1000, 3.4, 1));
    search("pigeonhole 8", pigeonhole(8));
}
