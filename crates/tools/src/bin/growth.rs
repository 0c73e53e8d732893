//! Does one solver stay small and fast over very many queries?
//!
//! An IC3 run asks one solver hundreds of thousands of queries, each with constants that never come again.
//! This program plays such a stream: a small relation asserted for good, cubes over the next state with fresh
//! constants as assumptions, their negation over the current state as a temporary clause. After every tenth
//! of the stream it prints the CPU time per query of that tenth, what the solver says it holds, and how much
//! the process has grown (all terms are made before, so they do not count).
//!
//! `cargo run --release -p palisade-tools --bin growth -- [lia|lra|bv|forms|terms|all] [QUERIES]`

use palisade_fuzzing::Random;
use palisade_smt::native::Options;
use palisade_smt::{NativeSolver, Solver};
use palisade_term::{Rational, Sort, Term, TermPool};

const VARS: usize = 6;
const CUBE: usize = 4;

/// What the literals of a cube are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Bounds on variables and differences of integers, constants fresh.
    Lia,
    /// The same over the rationals.
    Lra,
    /// Comparisons of 32-bit vectors with fresh constants.
    Bv,
    /// Linear forms over the rationals that never come again.
    Forms,
    /// Quotients, remainders and choices that never come again.
    Terms,
}

struct Stream {
    relation: Vec<Term>,
    /// Cubes: the literals over the next state, and the clause of their negations over the current one.
    cubes: Vec<(Vec<Term>, Term)>,
}

fn stream(p: &TermPool, kind: Kind, queries: usize) -> Stream {
    let sort = match kind {
        Kind::Lra | Kind::Forms => Sort::Real,
        Kind::Bv => Sort::BitVec(32),
        _ => Sort::Int,
    };
    let number = |n: i64| match &sort {
        Sort::BitVec(w) => p.bitvec(n, *w),
        s => p.number(Rational::from_integer(n.into()), s),
    };
    let arith = sort.is_arith();
    let add = |a: Term, b: Term| if arith { p.add2(a, b) } else { p.bv_add(a, b) };
    let le = |a: Term, b: Term| if arith { p.le(a, b) } else { p.bv_sle(a, b) };
    let now: Vec<Term> = (0..VARS).map(|i| p.var(&format!("x{i}"), sort.clone())).collect();
    let next: Vec<Term> = now.iter().map(|&x| p.primed(x)).collect();
    // Two edges: the first variable counts, the others are rotated or kept.
    let edge = |rotate: bool| {
        let mut parts = vec![le(now[0], number(1000)), p.eq(next[0], add(now[0], number(1)))];
        parts.extend((1..VARS).map(|i| {
            let from = if rotate { 1 + i % (VARS - 1) } else { i };
            p.eq(next[i], now[from])
        }));
        p.and(parts)
    };
    let mut rng = Random::new(1);
    let mut fresh = 0;
    let cubes = (0..queries)
        .map(|_| {
            let cube: Vec<Term> = (0..CUBE)
                .map(|_| {
                    fresh += 1;
                    let x = next[rng.below(VARS)];
                    let y = next[rng.below(VARS)];
                    let c = number(if rng.below(2) == 0 { fresh } else { -fresh });
                    let scaled = |k: i64, t: Term| p.scale(&Rational::from_integer(k.into()), t);
                    let lhs = match kind {
                        Kind::Forms => p.add2(scaled(1 + fresh % 97, x), scaled(1 + fresh / 97 % 89, y)),
                        Kind::Terms if rng.below(2) == 0 => p.int_mod(add(x, c), p.int(3 + fresh % 7)),
                        Kind::Terms => p.ite(p.le(x, c), y, c),
                        _ if x == y || rng.below(2) == 0 => x,
                        _ if kind == Kind::Bv => x,
                        _ => add(x, y),
                    };
                    if rng.below(2) == 0 { le(lhs, c) } else { le(c, lhs) }
                })
                .collect();
            let clause = p.or(cube.iter().map(|&l| p.not(p.unprime(l))));
            (cube, clause)
        })
        .collect();
    Stream { relation: vec![p.or([edge(true), edge(false)])], cubes }
}

/// CPU seconds of this process.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    fields.get(11..13).map_or(0.0, |f| f.iter().filter_map(|t| t.parse::<f64>().ok()).sum::<f64>() / 100.0)
}

/// Resident memory in KiB.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn run(kind: Kind, queries: usize) {
    let p = TermPool::new();
    let s = stream(&p, kind, queries);
    let base = resident();
    let mut solver = NativeSolver::with_options(&p, Options { checked: false, ..Options::default() });
    s.relation.iter().for_each(|&t| solver.assert(t));
    let (mut start, mut sat) = (cpu(), 0u64);
    for (i, (cube, clause)) in s.cubes.iter().enumerate() {
        sat += u64::from(solver.check_with(&[*clause], cube).is_sat());
        if (i + 1) % (queries / 10).max(1) == 0 {
            let now = cpu();
            println!(
                "{:<6} {:>8} {:>7} {:>14.1} {:>12} {:>14}",
                format!("{kind:?}").to_lowercase(),
                i + 1,
                sat,
                (now - start) * 1e6 / (queries / 10).max(1) as f64,
                solver.stats().memory / 1024,
                resident() - base,
            );
            start = now;
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let what = args.first().map_or("all", |s| s.as_str()).to_lowercase();
    let queries: usize = args.get(1).and_then(|s| s.parse().ok()).unwrap_or(100_000);
    println!("kind    queries     sat  CPU us / query  solver KiB  resident + KiB");
    for kind in [Kind::Lia, Kind::Lra, Kind::Bv, Kind::Forms, Kind::Terms] {
        if what == "all" || format!("{kind:?}").to_lowercase() == what {
            run(kind, queries);
        }
    }
}
