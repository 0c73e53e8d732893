//! Random formulas and random incremental scripts, and the oracle they are compared with.
//!
//! A script is generated once as data ([`Command`]s) and then played: to the native solver, to the oracle, or again after parts of it were
//! cut out when a failure is being shrunk.

#![allow(dead_code, missing_docs)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};

use palisade_smt::native::Options;
use palisade_smt::{Answer, Limits, NativeSolver, Solver};
use palisade_smtlib::Writer;
use palisade_term::{Rational, Sort, Term, TermPool};

/// A small deterministic generator (xorshift).
#[derive(Clone)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// Below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Between the limits, both included.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// What formulas are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// Booleans only.
    Bool,
    /// Linear integer arithmetic with `ite`.
    Lia,
    /// Linear rational arithmetic with `ite`.
    Lra,
    /// Differences of integers.
    Idl,
    /// Integers with `div` and `mod` by constants.
    DivMod,
    /// Integers and rationals mixed by `to_real` and `to_int`.
    Lira,
    /// Bit-vectors of a few bits.
    Bv,
    /// Arrays of integers.
    Arrays,
    /// Arrays of bit-vectors with writes, equalities and choices between arrays.
    BvArrays,
    /// Products and non-constant divisions.
    Nonlinear,
    /// Bit-vectors and integers converted into each other.
    Convert,
    /// Linear arithmetic with huge constants.
    Huge,
}

pub const LOGICS: [Logic; 12] = [
    Logic::Bool,
    Logic::Lia,
    Logic::Lra,
    Logic::Idl,
    Logic::DivMod,
    Logic::Lira,
    Logic::Bv,
    Logic::Arrays,
    Logic::BvArrays,
    Logic::Nonlinear,
    Logic::Convert,
    Logic::Huge,
];

/// A generator of formulas.
pub struct Gen<'p> {
    pub pool: &'p TermPool,
    pub rng: Rng,
    logic: Logic,
    bools: Vec<Term>,
    ints: Vec<Term>,
    reals: Vec<Term>,
    bvs: Vec<Term>,
    arrays: Vec<Term>,
    width: u32,
}

impl<'p> Gen<'p> {
    pub fn new(pool: &'p TermPool, logic: Logic, seed: u64) -> Gen<'p> {
        let mut rng = Rng::new(seed);
        for _ in 0..8 {
            rng.next();
        }
        let n = 2 + rng.below(4);
        let width = *rng.pick(&[1, 2, 3, 4, 5, 8]);
        let name = |kind: &str, sort: Sort| -> Vec<Term> {
            (0..n)
                .map(|i| {
                    pool.var(
                        &format!("{kind}{i}_{}", if kind == "v" || kind == "m" { width } else { 0 }),
                        sort.clone(),
                    )
                })
                .collect()
        };
        let bv = Sort::BitVec(width);
        let array = if logic == Logic::Arrays {
            Sort::array(Sort::Int, Sort::Int)
        } else {
            Sort::array(bv.clone(), bv.clone())
        };
        Gen {
            pool,
            bools: name("b", Sort::Bool),
            ints: name("i", Sort::Int),
            reals: name("r", Sort::Real),
            bvs: name("v", bv),
            arrays: name(if logic == Logic::Arrays { "a" } else { "m" }, array),
            rng,
            logic,
            width,
        }
    }

    pub fn formula(&mut self, depth: u32) -> Term {
        let p = self.pool;
        if depth == 0 || self.rng.one_in(6) {
            return self.literal();
        }
        match self.rng.below(10) {
            0..=2 => {
                let n = 2 + self.rng.below(3);
                let args: Vec<Term> = (0..n).map(|_| self.formula(depth - 1)).collect();
                p.and(args)
            }
            3..=6 => {
                let n = 2 + self.rng.below(3);
                let args: Vec<Term> = (0..n).map(|_| self.formula(depth - 1)).collect();
                p.or(args)
            }
            7 => {
                let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
                p.eq(a, b)
            }
            8 => {
                let (c, a, b) = (self.formula(depth - 1), self.formula(depth - 1), self.formula(depth - 1));
                p.ite(c, a, b)
            }
            _ => {
                let a = self.formula(depth - 1);
                p.not(a)
            }
        }
    }

    pub fn literal(&mut self) -> Term {
        let t = self.atom();
        if self.rng.one_in(2) { t } else { self.pool.not(t) }
    }

    fn atom(&mut self) -> Term {
        let p = self.pool;
        if self.logic == Logic::Bool || self.rng.one_in(5) {
            return *self.rng.pick(&self.bools);
        }
        match self.logic {
            Logic::Bool => unreachable!(),
            Logic::Bv => self.bv_atom(),
            Logic::BvArrays => {
                if self.rng.one_in(3) {
                    let (a, b) = (self.array(2), self.array(2));
                    p.eq(a, b)
                } else {
                    self.bv_atom()
                }
            }
            Logic::Arrays if self.rng.one_in(3) => {
                let (a, b) = (self.array(2), self.array(2));
                p.eq(a, b)
            }
            Logic::Lra => self.compare(Sort::Real),
            Logic::Lira => {
                let sort = if self.rng.one_in(2) { Sort::Real } else { Sort::Int };
                self.compare(sort)
            }
            Logic::Convert if self.rng.one_in(2) => self.bv_atom(),
            _ => self.compare(Sort::Int),
        }
    }

    fn compare(&mut self, sort: Sort) -> Term {
        let p = self.pool;
        let (a, b) = match self.logic {
            Logic::Idl => {
                let (x, y) = (*self.rng.pick(&self.ints), *self.rng.pick(&self.ints));
                (p.sub(x, y), self.constant(&sort))
            }
            _ => (self.number(&sort, 2), self.number(&sort, 1)),
        };
        match self.rng.below(4) {
            0 => p.eq(a, b),
            1 => p.lt(a, b),
            _ => p.le(a, b),
        }
    }

    fn constant(&mut self, sort: &Sort) -> Term {
        let p = self.pool;
        if self.logic == Logic::Huge && self.rng.one_in(2) {
            let near = *self.rng.pick(&[i64::MAX, i64::MIN + 1, 1 << 62, -(1 << 62), i64::MAX / 3]);
            let n = palisade_term::Integer::from(near) + self.rng.range(-2, 2);
            let n = if self.rng.one_in(4) { &n * &n } else { n };
            return p.number(Rational::from_integer(n), sort);
        }
        let n = self.rng.range(-8, 8);
        if *sort == Sort::Real && self.rng.one_in(2) {
            let d = self.rng.range(1, 4);
            return p.real(Rational::new(n.into(), d.into()));
        }
        p.number(Rational::from_integer(n.into()), sort)
    }

    /// An arithmetic term.
    fn number(&mut self, sort: &Sort, depth: u32) -> Term {
        let p = self.pool;
        let leaf = |me: &mut Self| -> Term {
            if me.rng.one_in(4) {
                return me.constant(sort);
            }
            let vars = if *sort == Sort::Int { &me.ints } else { &me.reals };
            let v = *me.rng.pick(vars);
            if me.rng.one_in(3) {
                let k = if me.logic == Logic::Huge && me.rng.one_in(3) {
                    i64::MAX - me.rng.range(0, 3)
                } else {
                    me.rng.range(-4, 4)
                };
                return p.scale(&Rational::from_integer(k.into()), v);
            }
            v
        };
        if depth == 0 {
            return leaf(self);
        }
        let int = *sort == Sort::Int;
        match self.rng.below(12) {
            0..=4 => {
                let n = 2 + self.rng.below(2);
                let args: Vec<Term> = (0..n).map(|_| self.number(sort, depth - 1)).collect();
                p.add(args)
            }
            5 => {
                let c = self.literal_shallow();
                let (a, b) = (self.number(sort, depth - 1), self.number(sort, depth - 1));
                p.ite(c, a, b)
            }
            6 | 7 if int && self.logic == Logic::DivMod => {
                let a = self.number(sort, depth - 1);
                let k = p.int(self.rng.range(-5, 7));
                if self.rng.one_in(2) { p.int_div(a, k) } else { p.int_mod(a, k) }
            }
            6 | 7 if self.logic == Logic::Lira => {
                if int {
                    let a = self.number(&Sort::Real, depth - 1);
                    p.to_int(a)
                } else {
                    let a = self.number(&Sort::Int, depth - 1);
                    p.to_real(a)
                }
            }
            6..=8 if self.logic == Logic::Arrays => {
                let a = self.array(1);
                let i = self.number(&Sort::Int, 0);
                p.select(a, i)
            }
            6 | 7 if self.logic == Logic::Nonlinear => {
                let (a, b) = (self.number(sort, depth - 1), self.number(sort, 0));
                match self.rng.below(4) {
                    0 => p.int_div(a, b),
                    1 => p.int_mod(a, b),
                    _ => p.mul(a, b),
                }
            }
            6 | 7 if int && self.logic == Logic::Convert => {
                let v = self.bv(1);
                p.bv_to_int(v)
            }
            _ => leaf(self),
        }
    }

    fn literal_shallow(&mut self) -> Term {
        if self.rng.one_in(2) {
            return *self.rng.pick(&self.bools);
        }
        self.literal()
    }

    fn bv_atom(&mut self) -> Term {
        let p = self.pool;
        let (a, b) = (self.bv(2), self.bv(2));
        match self.rng.below(5) {
            0 => p.bv_ule(a, b),
            1 => p.bv_ult(a, b),
            2 => p.bv_sle(a, b),
            3 => p.bv_slt(a, b),
            _ => p.eq(a, b),
        }
    }

    fn bv(&mut self, depth: u32) -> Term {
        let p = self.pool;
        let w = self.width;
        if depth == 0 || self.rng.one_in(4) {
            return if self.rng.one_in(3) {
                p.bitvec(self.rng.below(1 << w.min(8)), w)
            } else {
                *self.rng.pick(&self.bvs)
            };
        }
        let a = self.bv(depth - 1);
        if self.logic == Logic::BvArrays && self.rng.one_in(3) {
            let m = self.array(1);
            return p.select(m, a);
        }
        if self.logic == Logic::Convert && self.rng.one_in(3) {
            let i = self.number(&Sort::Int, 1);
            return p.int_to_bv(w, i);
        }
        let b = self.bv(depth - 1);
        match self.rng.below(20) {
            0 => p.bv_not(a),
            1 => p.bv_neg(a),
            2 => p.bv_and(a, b),
            3 => p.bv_or(a, b),
            4 => p.bv_xor(a, b),
            5 | 6 => p.bv_add(a, b),
            7 => p.bv_sub(a, b),
            8 => p.bv_mul(a, b),
            9 => p.bv_udiv(a, b),
            10 => p.bv_urem(a, b),
            11 => p.bv_sdiv(a, b),
            12 => p.bv_srem(a, b),
            13 => p.bv_smod(a, b),
            14 => p.bv_shl(a, b),
            15 => p.bv_lshr(a, b),
            16 => p.bv_ashr(a, b),
            17 => {
                let c = self.literal_shallow();
                p.ite(c, a, b)
            }
            18 => {
                let k = self.rng.below(u64::from(w)) as u32;
                p.extract(w - 1 + k, k, p.concat(a, b))
            }
            _ => {
                let wide = if self.rng.one_in(2) { p.sign_extend(w, a) } else { p.zero_extend(w, a) };
                let k = self.rng.below(u64::from(w) + 1) as u32;
                p.extract(w - 1 + k, k, wide)
            }
        }
    }

    fn array(&mut self, depth: u32) -> Term {
        let p = self.pool;
        if depth == 0 || self.rng.one_in(3) {
            return *self.rng.pick(&self.arrays);
        }
        let element =
            |me: &mut Self| if me.logic == Logic::Arrays { me.number(&Sort::Int, 0) } else { me.bv(0) };
        match self.rng.below(6) {
            0 => {
                let sort = p.sort(self.arrays[0]).clone();
                let v = element(self);
                p.const_array(&sort, v)
            }
            1 => {
                let c = self.literal_shallow();
                let (a, b) = (self.array(depth - 1), self.array(depth - 1));
                p.ite(c, a, b)
            }
            _ => {
                let a = self.array(depth - 1);
                let (i, v) = (element(self), element(self));
                p.store(a, i, v)
            }
        }
    }
}

/// One step of a script.
#[derive(Clone, Debug)]
pub enum Command {
    Push,
    Pop,
    Assert(Term),
    Check { temporary: Vec<Term>, assumptions: Vec<Term> },
}

/// A random script; pops never exceed pushes.
pub fn script(pool: &TermPool, logic: Logic, seed: u64, length: usize) -> Vec<Command> {
    let mut g = Gen::new(pool, logic, seed);
    let mut open = 0;
    let mut out = Vec::new();
    let guards: Vec<Term> = (0..3).map(|i| pool.var(&format!("act{i}"), Sort::Bool)).collect();
    let depth = 1 + g.rng.below(3) as u32;
    for _ in 0..length {
        match g.rng.below(10) {
            0 => {
                out.push(Command::Push);
                open += 1;
            }
            1 if open > 0 => {
                out.push(Command::Pop);
                open -= 1;
            }
            2 | 3 => {
                let f = g.formula(depth);
                out.push(Command::Assert(f));
            }
            // A guarded clause: what IC3 asserts.
            4 | 5 => {
                let n = 1 + g.rng.below(3);
                let mut lits: Vec<Term> = (0..n).map(|_| g.literal()).collect();
                if !g.rng.one_in(4) {
                    lits.push(pool.not(*g.rng.pick(&guards)));
                }
                out.push(Command::Assert(pool.or(lits)));
            }
            _ => {
                let mut assumptions: Vec<Term> = (0..g.rng.below(5)).map(|_| g.literal()).collect();
                for &a in &guards {
                    if g.rng.one_in(2) {
                        assumptions.push(a);
                    }
                }
                if g.rng.one_in(5) {
                    let f = g.formula(1);
                    assumptions.push(f);
                }
                let mut temporary = Vec::new();
                if g.rng.one_in(2) {
                    let n = 1 + g.rng.below(4);
                    let lits: Vec<Term> = (0..n).map(|_| g.literal()).collect();
                    temporary.push(pool.or(lits));
                }
                out.push(Command::Check { temporary, assumptions });
            }
        }
    }
    out
}

/// A solver process used as oracle.
pub struct Oracle<'p> {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    writer: Writer<'p>,
    declared: Vec<Term>,
    pub queries: u64,
}

/// What the oracle says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Sat,
    Unsat,
    Unknown,
}

impl<'p> Oracle<'p> {
    /// Starts `z3 -in`; `None` if there is none.
    pub fn start(pool: &'p TermPool) -> Option<Oracle<'p>> {
        let mut child =
            Process::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut o =
            Oracle { child, input, output, writer: Writer::new(pool), declared: Vec::new(), queries: 0 };
        o.send("(set-option :timeout 3000)\n(set-option :rlimit 20000000)");
        Some(o)
    }

    fn send(&mut self, text: &str) {
        writeln!(self.input, "{text}").expect("the oracle listens");
    }

    pub fn reset(&mut self) {
        self.send("(reset)\n(set-option :timeout 3000)\n(set-option :rlimit 20000000)");
        self.declared.clear();
    }

    fn assert(&mut self, t: Term) {
        let text = self.writer.term(t);
        self.send(&format!("(assert {text})"));
    }

    fn declare(&mut self, t: Term) {
        for v in self.writer.pool().free_vars(t) {
            if !self.declared.contains(&v) {
                self.declared.push(v);
                let d = self.writer.declare(v);
                self.send(&d);
            }
        }
    }

    /// Is the conjunction satisfiable?
    pub fn conjunction(&mut self, formulas: &[Term]) -> Verdict {
        self.queries += 1;
        for &f in formulas {
            self.declare(f);
        }
        self.send("(push 1)");
        for &f in formulas {
            self.assert(f);
        }
        self.send("(check-sat)\n(pop 1)");
        self.input.flush().expect("the oracle listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the oracle answers");
        match line.trim() {
            "sat" => Verdict::Sat,
            "unsat" => Verdict::Unsat,
            "unknown" | "timeout" => Verdict::Unknown,
            other => panic!("the oracle says {other:?}"),
        }
    }
}

impl Drop for Oracle<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Counts of what a script's queries gave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub oracle_unknown: u64,
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.oracle_unknown += other.oracle_unknown;
    }

    pub fn queries(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }
}

/// Plays a script to a fresh native solver and checks every answer: models by evaluation, cores and `unsat` by the oracle (or, without
/// one, by a fresh solver on the conjunction). Returns what went wrong, if anything.
pub fn play(
    pool: &TermPool,
    script: &[Command],
    options: Options,
    oracle: &mut Option<Oracle<'_>>,
) -> Result<Counts, String> {
    let mut solver = NativeSolver::with_options(pool, options);
    solver.set_limits(Limits { steps: Some(2_000_000), interrupt: None });
    let mut stack: Vec<Vec<Term>> = vec![Vec::new()];
    let mut counts = Counts::default();
    for (at, command) in script.iter().enumerate() {
        match command {
            Command::Push => {
                solver.push();
                stack.push(Vec::new());
            }
            Command::Pop => {
                if stack.len() > 1 {
                    solver.pop(1);
                    stack.pop();
                }
            }
            Command::Assert(t) => {
                solver.assert(*t);
                stack.last_mut().expect("never empty").push(*t);
            }
            Command::Check { temporary, assumptions } => {
                let answer = solver.check_with(temporary, assumptions);
                let base: Vec<Term> = stack.iter().flatten().chain(temporary).copied().collect();
                let all: Vec<Term> = base.iter().chain(assumptions).copied().collect();
                match &answer {
                    Answer::Sat(model) => {
                        counts.sat += 1;
                        for &t in &all {
                            if !pool.holds(t, model) {
                                return Err(format!("command {at}: the model falsifies {}", pool.infix(t)));
                            }
                        }
                    }
                    Answer::Unsat(core) => {
                        counts.unsat += 1;
                        let mut rest = assumptions.iter();
                        if !core.iter().all(|c| rest.any(|a| a == c)) {
                            return Err(format!("command {at}: the core is no sublist of the assumptions"));
                        }
                        let claim: Vec<Term> = base.iter().chain(core).copied().collect();
                        match oracle {
                            Some(o) => match o.conjunction(&claim) {
                                Verdict::Unsat => {}
                                Verdict::Sat => {
                                    return Err(format!("command {at}: unsat, but the oracle says sat"));
                                }
                                Verdict::Unknown => counts.oracle_unknown += 1,
                            },
                            None => {
                                let mut fresh = NativeSolver::new(pool);
                                for &t in &claim {
                                    fresh.assert(t);
                                }
                                if fresh.check(&[]).is_sat() {
                                    return Err(format!(
                                        "command {at}: unsat, but satisfiable for a fresh solver"
                                    ));
                                }
                            }
                        }
                    }
                    Answer::Unknown(_) => counts.unknown += 1,
                }
            }
        }
    }
    Ok(counts)
}

/// Cuts a failing script down as long as it fails: whole commands first, then assumptions and temporaries.
pub fn shrink(script: &[Command], fails: &mut dyn FnMut(&[Command]) -> bool) -> Vec<Command> {
    let mut best = script.to_vec();
    let mut chunk = best.len() / 2;
    while chunk > 0 {
        let mut at = 0;
        while at < best.len() {
            let mut candidate = best.clone();
            candidate.drain(at..(at + chunk).min(best.len()));
            if fails(&candidate) {
                best = candidate;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    for at in 0..best.len() {
        loop {
            let mut smaller = Vec::new();
            if let Command::Check { temporary, assumptions } = &best[at] {
                for i in 0..assumptions.len() {
                    let mut a = assumptions.clone();
                    a.remove(i);
                    smaller.push(Command::Check { temporary: temporary.clone(), assumptions: a });
                }
                for i in 0..temporary.len() {
                    let mut t = temporary.clone();
                    t.remove(i);
                    smaller.push(Command::Check { temporary: t, assumptions: assumptions.clone() });
                }
            }
            let found = smaller.into_iter().find(|c| {
                let mut candidate = best.clone();
                candidate[at] = c.clone();
                fails(&candidate)
            });
            match found {
                Some(c) => best[at] = c,
                None => break,
            }
        }
    }
    best
}

/// A script as text.
pub fn show(pool: &TermPool, script: &[Command]) -> String {
    let list = |ts: &[Term]| ts.iter().map(|&t| pool.infix(t).to_string()).collect::<Vec<_>>().join(", ");
    let line = |c: &Command| match c {
        Command::Push => "push".to_string(),
        Command::Pop => "pop".to_string(),
        Command::Assert(t) => format!("assert {}", pool.infix(*t)),
        Command::Check { temporary, assumptions } => {
            format!("check with [{}] assuming [{}]", list(temporary), list(assumptions))
        }
    };
    script.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Plays a script, catching panics as failures.
pub fn fails(
    pool: &TermPool,
    script: &[Command],
    options: &Options,
    oracle: &mut Option<Oracle<'_>>,
) -> Result<Counts, String> {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        play(pool, script, options.clone(), oracle)
    }));
    match result {
        Ok(r) => r,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_string()));
            Err(format!("panic: {}", text.unwrap_or_default()))
        }
    }
}
