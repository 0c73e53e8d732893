//! The unrolling benchmark: single hard queries instead of a stream of easy ones, ours beside `z3`'s.
//!
//! Every transition system of the given folders (VMT) gives two queries for each depth `k`:
//! - `path`: is there a run of `k` steps from an initial state whose last state is the first that violates
//!   the property?
//! - `step`: is there such a run from *any* state? (The induction step of k-induction.)
//!
//! Each query is written as an SMT-LIB file and solved by two processes under the same CPU limit: this
//! program with the native solver (reading the file included), and `z3`. An answer that `z3` contradicts
//! makes the program fail.
//!
//! `cargo run --release -p palisade-tools --bin unrollings -- [--depths 5,10,20] [--every N] [--from I]
//! [--limit SECONDS] [--csv FILE] [--keep DIR] FOLDER...`

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use palisade_bench::limits::{self, Limits};
use palisade_front_ts::read_vmt;
use palisade_program::{Edge, Loc, Program};
use palisade_smt::script;
use palisade_smtlib::Writer;
use palisade_term::{Sort, Term, TermPool};

#[derive(Parser)]
struct Args {
    /// The depths, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "5,10,20")]
    depths: Vec<u32>,
    /// Take every n-th file only.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// The first file to take.
    #[arg(long, default_value_t = 0)]
    from: usize,
    /// CPU seconds for each query and solver.
    #[arg(long, default_value_t = 20)]
    limit: u64,
    /// Memory for each solver, in megabytes.
    #[arg(long, default_value_t = 4000)]
    memory: u64,
    /// Where to write a line for each query.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Where to keep the queries.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// The other solver.
    #[arg(long, default_value = "z3")]
    other: String,
    /// Solve one query file with the native solver.
    #[arg(long)]
    solve: Option<PathBuf>,
    /// Folders with VMT files.
    folders: Vec<PathBuf>,
}

/// One transition system, as the formulas that a query is made of.
struct System<'p> {
    pool: &'p TermPool,
    program: &'p Program,
    state: Loc,
}

impl<'p> System<'p> {
    fn edges(&self, source: Loc, target: Loc) -> impl Iterator<Item = &'p Edge> {
        self.program.edges.iter().filter(move |e| e.source == source && e.target == target)
    }

    /// `(define-fun name (variables) Bool formula)`.
    fn define(&self, writer: &mut Writer<'p>, name: &str, formula: Term) -> (String, Vec<Term>) {
        let vars: Vec<Term> = self.pool.free_vars(formula).into_iter().collect();
        let text =
            format!("(define-fun {name} {} Bool {})\n", writer.sorted_vars(&vars), writer.term(formula));
        (text, vars)
    }

    /// The relation of all edges between two locations, over plain and primed variables.
    fn relation(&self, source: Loc, target: Loc) -> Term {
        let pool = self.pool;
        pool.or(self.edges(source, target).map(|e| {
            let assigned = self.program.vars(target).iter().zip(&e.update);
            pool.and(assigned.map(|(&v, &u)| pool.eq(pool.primed(v), u)).chain([e.guard]))
        }))
    }

    /// The query of a depth as a script.
    fn query(&self, depth: u32, initial: bool, integers: bool) -> String {
        let (pool, program) = (self.pool, self.program);
        let mut writer = Writer::new(pool);
        let mut out = format!("(set-logic {})\n", if integers { "QF_LIA" } else { "QF_LRA" });
        let (init, init_vars) = self.define(&mut writer, ".init", self.relation(program.entry, self.state));
        let (trans, trans_vars) = self.define(&mut writer, ".trans", self.relation(self.state, self.state));
        let bad = pool.or(self.edges(self.state, program.error).map(|e| e.guard));
        let (bad, bad_vars) = self.define(&mut writer, ".bad", bad);
        let inputs: Vec<Term> =
            self.edges(self.state, program.error).flat_map(|e| e.inputs.clone()).collect();

        // A variable of a definition at a step; what is primed is a step later. So the initial state is that
        // of step 1.
        let at = |v: Term, k: u32| {
            let plain = pool.unprime(v);
            pool.at_step(plain, if plain == v { k } else { k + 1 })
        };
        let mut declared: BTreeSet<Term> = BTreeSet::new();
        let mut body = String::new();
        let mut apply = |body: &mut String, name: &str, vars: &[Term], k: u32| {
            let mut call = name.to_string();
            for &v in vars {
                let v = at(v, k);
                declared.insert(v);
                let _ = write!(call, " {}", writer.var(v));
            }
            let _ = write!(body, "{}", if vars.is_empty() { name.to_string() } else { format!("({call})") });
        };
        if initial {
            body.push_str("(assert ");
            apply(&mut body, ".init", &init_vars, 0);
            body.push_str(")\n");
        }
        for k in 1..=depth {
            // An input of the property could be chosen otherwise: then its negation says too much.
            if inputs.is_empty() {
                body.push_str("(assert (not ");
                apply(&mut body, ".bad", &bad_vars, k);
                body.push_str("))\n");
            }
            body.push_str("(assert ");
            apply(&mut body, ".trans", &trans_vars, k);
            body.push_str(")\n");
        }
        body.push_str("(assert ");
        apply(&mut body, ".bad", &bad_vars, depth + 1);
        body.push_str(")\n");
        for v in &declared {
            let _ = writeln!(out, "{}", writer.declare(*v));
        }
        if initial {
            out.push_str(&init);
        }
        out.push_str(&trans);
        out.push_str(&bad);
        out.push_str(&body);
        out.push_str("(check-sat)\n");
        out
    }
}

/// What a solver said, and the CPU seconds it took.
struct Solved {
    answer: Option<bool>,
    cpu: f64,
}

fn solve(mut command: Command, file: &Path, dir: &Path, limits: &Limits) -> Result<Solved> {
    let (stdout, stderr) = (dir.join("out"), dir.join("err"));
    command.arg(file);
    let usage = limits::run(command, &stdout, &stderr, limits, &AtomicBool::new(false))?;
    let text = fs::read_to_string(&stdout)?;
    let answer = match text.trim() {
        "sat" => Some(true),
        "unsat" => Some(false),
        _ => None,
    };
    if answer.is_none() && usage.stop.is_none() && text.contains("error") {
        eprintln!("{}: {}", file.display(), text.lines().next().unwrap_or(""));
    }
    Ok(Solved { answer, cpu: usage.cpu.as_secs_f64() })
}

#[derive(Default)]
struct Score {
    queries: u32,
    ours: u32,
    other: u32,
    /// Solved by the other, and by us.
    common: u32,
    contradictions: u32,
    ours_cpu: f64,
    other_cpu: f64,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if let Some(file) = &args.solve {
        return solve_here(file);
    }
    let scratch = tempfile::tempdir()?;
    let dir = args.keep.clone().unwrap_or_else(|| scratch.path().to_path_buf());
    fs::create_dir_all(&dir)?;
    let limits = Limits {
        cpu: Duration::from_secs(args.limit),
        wall: Duration::from_secs(60 * args.limit),
        memory: args.memory << 20,
    };
    let mut csv = args.csv.as_ref().map(fs::File::create).transpose()?;
    if let Some(csv) = &mut csv {
        writeln!(csv, "suite,file,logic,query,depth,native,native_cpu,other,other_cpu")?;
    }
    let mut scores: BTreeMap<(&str, &str), Score> = BTreeMap::new();
    let executable = std::env::current_exe()?;
    for folder in &args.folders {
        let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
        let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        files.retain(|f| f.extension().is_some_and(|e| e == "vmt"));
        files.sort();
        let suite = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in files.iter().skip(args.from).step_by(args.every.max(1)) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let pool = TermPool::new();
            let text = fs::read_to_string(file)?;
            let vmt = match read_vmt(&pool, &name, &text, None) {
                Ok(vmt) => vmt,
                Err(e) => bail!("{}: {e}", file.display()),
            };
            let system = System { pool: &pool, program: &vmt.program, state: vmt.map.location };
            let reals = vmt.program.sorts(&pool, vmt.map.location).any(|s| *s == Sort::Real);
            let logic = if reals { "LRA" } else { "LIA" };
            for &depth in &args.depths {
                for (kind, initial) in [("path", true), ("step", false)] {
                    let query = dir.join(format!("{suite}.{name}.{kind}.{depth}.smt2"));
                    fs::write(&query, system.query(depth, initial, !reals))?;
                    let mut ours = Command::new(&executable);
                    ours.arg("--solve");
                    let ours = solve(ours, &query, &dir, &limits)?;
                    let other = solve(Command::new(&args.other), &query, &dir, &limits)?;
                    if args.keep.is_none() {
                        fs::remove_file(&query)?;
                    }
                    let score = scores.entry((logic, kind)).or_default();
                    score.queries += 1;
                    score.ours += u32::from(ours.answer.is_some());
                    score.other += u32::from(other.answer.is_some());
                    score.common += u32::from(ours.answer.is_some() && other.answer.is_some());
                    score.ours_cpu += ours.cpu;
                    score.other_cpu += other.cpu;
                    if let (Some(a), Some(b)) = (ours.answer, other.answer)
                        && a != b
                    {
                        score.contradictions += 1;
                        eprintln!("contradiction: {suite}/{name} {kind} {depth}");
                    }
                    if let Some(csv) = &mut csv {
                        let word = |a: Option<bool>| a.map_or("-", |sat| if sat { "sat" } else { "unsat" });
                        writeln!(
                            csv,
                            "{suite},{name},{logic},{kind},{depth},{},{:.3},{},{:.3}",
                            word(ours.answer),
                            ours.cpu,
                            word(other.answer),
                            other.cpu
                        )?;
                    }
                }
            }
        }
    }
    println!(
        "| logic | query | queries | native solved | {} solved | of those by native | contradictions | \
         native CPU s | {} CPU s |",
        args.other, args.other
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for ((logic, kind), s) in &scores {
        println!(
            "| {logic} | {kind} | {} | {} | {} | {} | {} | {:.1} | {:.1} |",
            s.queries, s.ours, s.other, s.common, s.contradictions, s.ours_cpu, s.other_cpu
        );
    }
    let wrong = scores.values().any(|s| s.contradictions > 0);
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn solve_here(file: &Path) -> Result<ExitCode> {
    let text = fs::read_to_string(file)?;
    let pool = TermPool::new();
    let print = &mut |reply: script::Reply<'_>| {
        println!("{reply}");
        ControlFlow::Continue(())
    };
    match script::run(&pool, &text, &palisade_smt::Limits::default(), print) {
        Ok(_) => Ok(ExitCode::SUCCESS),
        Err(e) => bail!("{}: {e}", file.display()),
    }
}
