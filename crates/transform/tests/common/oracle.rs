//! z3 as the oracle, over a pipe, with a writer that is independent of the rest of the tool.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use num_traits::Signed;
use palisade_term::{Op, Sort, Term, TermPool};

/// A running z3.
pub struct Z3 {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Drop for Z3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Z3 {
    /// Starts z3; says so and returns `None` when there is none.
    pub fn start() -> Option<Z3> {
        let child =
            Command::new("z3").args(["-in", "-smt2"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = child else {
            eprintln!("z3 is not installed: the part of this test that needs it is skipped");
            return None;
        };
        let stdin = child.stdin.take().expect("piped");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut z3 = Z3 { child, stdin, stdout };
        // A limit on work, not on time: the same answer on every machine.
        z3.send("(set-option :rlimit 20000000)");
        Some(z3)
    }

    fn send(&mut self, text: &str) {
        writeln!(self.stdin, "{text}").expect("z3 reads");
    }

    fn answer(&mut self) -> String {
        self.stdin.flush().expect("z3 reads");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("z3 answers");
        line.trim().to_string()
    }

    /// Is the formula valid? Panics when z3 cannot tell.
    pub fn valid(&mut self, pool: &TermPool, f: Term) -> bool {
        self.decide(pool, f).unwrap_or_else(|| panic!("z3 cannot decide {}", pool.infix(f)))
    }

    /// Is the formula valid? `None` when z3 cannot tell.
    pub fn decide(&mut self, pool: &TermPool, f: Term) -> Option<bool> {
        let mut text = String::from("(push)\n");
        define(pool, f, &mut text);
        text += &format!("(assert (not n{}))\n(check-sat)\n(pop)", f.index());
        self.send(&text);
        match self.answer().as_str() {
            "unsat" => Some(true),
            "sat" => Some(false),
            "unknown" | "timeout" => None,
            other => panic!("z3 says {other} to {}", pool.infix(f)),
        }
    }
}

fn name(pool: &TermPool, v: Term) -> String {
    format!("|{}|", pool.var_display(v))
}

/// Declares the variables and defines every subterm, so that sharing survives.
fn define(pool: &TermPool, f: Term, text: &mut String) {
    pool.visit([f], |t| {
        if pool.is_var(t) {
            *text += &format!("(declare-const {} {})\n", name(pool, t), pool.sort(t));
        }
        let body = node(pool, t, &|a| format!("n{}", a.index()));
        *text += &format!("(define-fun n{} () {} {body})\n", t.index(), pool.sort(t));
    });
}

fn node(pool: &TermPool, t: Term, sub: &dyn Fn(Term) -> String) -> String {
    let args: Vec<String> = pool.args(t).iter().map(|&a| sub(a)).collect();
    let app = |op: &str| format!("({op} {})", args.join(" "));
    let number = |i: &palisade_term::Integer| {
        if i.is_negative() { format!("(- {})", -i) } else { i.to_string() }
    };
    match pool.op(t) {
        Op::Var(..) => name(pool, t),
        Op::Bool(b) => b.to_string(),
        Op::Int(i) => number(i),
        Op::Real(r) => format!("(/ (to_real {}) (to_real {}))", number(&r.numer()), number(&r.denom())),
        Op::BitVec(v) => format!("(_ bv{v} {})", pool.width(t)),
        Op::Not => app("not"),
        Op::And => app("and"),
        Op::Or => app("or"),
        Op::Eq => app("="),
        Op::Ite => app("ite"),
        Op::Add => app("+"),
        Op::Mul => app("*"),
        Op::IntDiv => app("div"),
        Op::Mod => app("mod"),
        Op::Le => app("<="),
        Op::Lt => app("<"),
        Op::BvNeg => app("bvneg"),
        Op::BvNot => app("bvnot"),
        Op::BvAdd => app("bvadd"),
        Op::BvMul => app("bvmul"),
        Op::BvUle => app("bvule"),
        Op::BvSle => app("bvsle"),
        Op::Select => app("select"),
        Op::Store => app("store"),
        Op::ConstArray => match pool.sort(t) {
            s @ Sort::Array(_) => format!("((as const {s}) {})", args[0]),
            _ => unreachable!("constant arrays are arrays"),
        },
        other => panic!("the oracle's writer lacks {other:?}"),
    }
}
