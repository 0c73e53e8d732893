//! How the transformations and their ways back scale: prints a table of times and sizes over families of
//! synthetic programs.
//!
//! Each family has the shape of a class of large programs: `diamonds` and `coins` are event loops that run
//! through many tasks, `switch` is a protocol state machine, `straight` is initialisation code, `loops` is
//! many loops one after the other. Arguments: the size (default 500).

use std::time::Instant;

use palisade_program::{Edge, Invariants, Loc, Location, Program};
use palisade_term::{Sort, Term, TermPool};
use palisade_transform::{Context, Options, prepare};

struct Builder<'a> {
    pool: &'a TermPool,
    program: Program,
    vars: Vec<Term>,
}

impl<'a> Builder<'a> {
    fn new(pool: &'a TermPool, n: usize) -> Self {
        let vars = (0..n).map(|i| pool.var(&format!("x{i}"), Sort::Int)).collect();
        Builder { pool, program: Program::new(), vars }
    }

    fn location(&mut self) -> Loc {
        let name = format!("l{}", self.program.locations.len());
        self.program.add_location(Location { name, position: None, vars: self.vars.clone() })
    }

    /// An edge that assigns some variables; from the entry, the others start at zero.
    fn edge(&mut self, source: Loc, target: Loc, inputs: &[Term], guard: Term, assign: &[(usize, Term)]) {
        let zero = self.pool.int(0);
        let mut update = match () {
            () if target == self.program.error => Vec::new(),
            () if source == self.program.entry => vec![zero; self.vars.len()],
            () => self.vars.clone(),
        };
        for &(i, t) in assign {
            update[i] = t;
        }
        let inputs = inputs.to_vec();
        self.program.add_edge(Edge::new(source, target, &inputs, guard, &update));
    }
}

/// A loop through `n` branches, each of which sets a flag or clears it depending on the one before; asserts
/// something about all flags.
fn diamonds(pool: &TermPool, n: usize, coins: bool) -> Program {
    let mut b = Builder::new(pool, n);
    let (zero, one) = (pool.int(0), pool.int(1));
    let head = b.location();
    b.edge(b.program.entry, head, &[], pool.tru(), &[]);
    let mut at = head;
    for i in 0..n {
        let (yes, no, join) = (b.location(), b.location(), b.location());
        if coins {
            let coin = pool.var("coin", Sort::Int);
            let condition = pool.eq(coin, zero);
            b.edge(at, yes, &[coin], condition, &[]);
            b.edge(at, no, &[coin], pool.not(condition), &[]);
        } else {
            let condition = pool.eq(b.vars[(i + 1) % n], zero);
            b.edge(at, yes, &[], condition, &[]);
            b.edge(at, no, &[], pool.not(condition), &[]);
        }
        b.edge(yes, join, &[], pool.tru(), &[(i, one)]);
        b.edge(no, join, &[], pool.tru(), &[(i, zero)]);
        at = join;
    }
    let bad = pool.gt(pool.add(b.vars.iter().copied()), pool.int(n));
    b.edge(at, b.program.error, &[], bad, &[]);
    b.edge(at, head, &[], pool.not(bad), &[]);
    b.program
}

/// A state machine with `n` states, tested by a ladder of ifs.
fn switch(pool: &TermPool, n: usize) -> Program {
    let mut b = Builder::new(pool, 20);
    let head = b.location();
    let state = b.vars[0];
    b.edge(b.program.entry, head, &[], pool.tru(), &[]);
    let mut at = head;
    for i in 0..n {
        let (case, next) = (b.location(), b.location());
        let here = pool.eq(state, pool.int(i));
        b.edge(at, case, &[], here, &[]);
        b.edge(at, next, &[], pool.not(here), &[]);
        let k = 1 + i % 19;
        b.edge(
            case,
            head,
            &[],
            pool.tru(),
            &[(0, pool.int((i * 7 + 1) % n)), (k, pool.add2(b.vars[k], state))],
        );
        at = next;
    }
    b.edge(at, b.program.error, &[], pool.tru(), &[]);
    b.program
}

/// `n` assignments in a row, then a loop.
fn straight(pool: &TermPool, n: usize) -> Program {
    let mut b = Builder::new(pool, 50);
    let mut at = b.location();
    b.edge(b.program.entry, at, &[], pool.tru(), &[]);
    for i in 0..n {
        let next = b.location();
        let input = pool.var("input", Sort::Int);
        let (from, to) = (b.vars[i % 50], (i * 13 + 5) % 50);
        if i % 10 == 0 {
            b.edge(at, next, &[input], pool.tru(), &[(to, input)]);
        } else {
            b.edge(at, next, &[], pool.tru(), &[(to, pool.add2(from, pool.int(1)))]);
        }
        at = next;
    }
    let head = at;
    let bad = pool.gt(b.vars[0], b.vars[1]);
    b.edge(head, b.program.error, &[], bad, &[]);
    b.edge(head, head, &[], pool.not(bad), &[(1, pool.add2(b.vars[1], pool.int(1)))]);
    b.program
}

/// `n` counting loops one after the other.
fn loops(pool: &TermPool, n: usize) -> Program {
    let mut b = Builder::new(pool, n);
    let mut at = b.location();
    b.edge(b.program.entry, at, &[], pool.tru(), &[]);
    for i in 0..n {
        let (body, next) = (b.location(), b.location());
        let x = b.vars[i];
        let more = pool.lt(x, pool.int(10));
        b.edge(at, body, &[], more, &[]);
        b.edge(body, at, &[], pool.tru(), &[(i, pool.add2(x, pool.int(1)))]);
        b.edge(at, next, &[], pool.not(more), &[]);
        at = next;
    }
    let bad = pool.not(pool.eq(b.vars[0], b.vars[n - 1]));
    b.edge(at, b.program.error, &[], bad, &[]);
    b.program
}

/// Some formula at every cut point that mentions every variable; what it says is not the point.
fn formulas(pool: &TermPool, program: &Program) -> Invariants {
    let mut invariants = Invariants::trivial(pool, program);
    for l in program.locs().filter(|&l| l != program.entry && l != program.error) {
        let parts = program.vars(l).iter().map(|&v| {
            if *pool.sort(v) == Sort::Int {
                pool.and2(pool.ge(v, pool.int(0)), pool.le(v, pool.int(1)))
            } else {
                v
            }
        });
        invariants.set(l, pool.and(parts));
    }
    invariants
}

fn report(name: &str, pool: &TermPool, program: &Program) {
    let start = Instant::now();
    let prepared = prepare(pool, program, &Options::default());
    let forward = start.elapsed();
    let terms = pool.len();
    let edge_size: usize = prepared.program.edges.iter().map(|e| pool.dag_size(pool.and([e.guard]))).sum();
    let new = formulas(pool, &prepared.program);
    let start = Instant::now();
    let back = prepared.invariants(&mut Context::new(pool), program, &new);
    let backward = start.elapsed();
    println!(
        "{name:10} {:7} {:7} {:6} {:6} {terms:9} {edge_size:9} {:9.3} {:9.3}  {}",
        program.locations.len(),
        program.edges.len(),
        prepared.program.locations.len(),
        prepared.program.edges.len(),
        forward.as_secs_f64(),
        backward.as_secs_f64(),
        match &back {
            Ok(i) => format!(
                "{} terms, largest {}",
                pool.len(),
                i.formulas.iter().map(|&f| pool.dag_size(f)).max().unwrap_or(0)
            ),
            Err(e) => e.to_string(),
        }
    );
}

fn main() {
    let n: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(500);
    println!("family        locs   edges   locs'  edges'    terms    guards   prepare[s] back[s]  result");
    type Family = (&'static str, fn(&TermPool, usize) -> Program);
    let families: [Family; 5] = [
        ("diamonds", |p, n| diamonds(p, n, false)),
        ("coins", |p, n| diamonds(p, n, true)),
        ("switch", switch),
        ("straight", |p, n| straight(p, 10 * n)),
        ("loops", loops),
    ];
    for (name, family) in families {
        let pool = TermPool::new();
        let program = family(&pool, n);
        program.check(&pool).expect("well-formed");
        report(name, &pool, &program);
    }
}
