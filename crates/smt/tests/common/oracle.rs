//! A solver process as oracle.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use palisade_smtlib::Writer;
use palisade_term::{Term, TermPool};

/// `z3 -in`, asked about terms of a pool.
pub struct Oracle<'p> {
    process: Process,
    writer: Writer<'p>,
    declared: Vec<Term>,
    pub queries: u64,
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What the oracle says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Sat,
    Unsat,
    Unknown,
}

// Counted in its own steps: a limit in time would cost it a thread for every question.
const START: &str = "(set-option :rlimit 20000000)";
/// Questions asked before the answers are read; more than this many could fill the pipe.
const BATCH: usize = 2000;

impl<'p> Oracle<'p> {
    /// Starts the process; `None` if there is none.
    pub fn start(pool: &'p TermPool) -> Option<Oracle<'p>> {
        Oracle::spawn(pool, &[])
    }

    fn spawn(pool: &'p TermPool, options: &[&str]) -> Option<Oracle<'p>> {
        let mut command = Command::new("z3");
        let mut child =
            command.args(options).arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let process = Process { child, input, output };
        let mut o = Oracle { process, writer: Writer::new(pool), declared: Vec::new(), queries: 0 };
        o.send(START);
        Some(o)
    }

    /// The process between two pools: starting one may cost more than many questions.
    pub fn rest(self) -> Resting {
        Resting(self.process)
    }

    fn send(&mut self, text: &str) {
        writeln!(self.process.input, "{text}").expect("the oracle listens");
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
        self.conjunctions(&[formulas])[0]
    }

    /// Which of the conjunctions are satisfiable?
    pub fn conjunctions(&mut self, questions: &[&[Term]]) -> Vec<Verdict> {
        let mut out = Vec::with_capacity(questions.len());
        for batch in questions.chunks(BATCH) {
            for formulas in batch {
                self.ask(formulas);
            }
            self.process.input.flush().expect("the oracle listens");
            for _ in batch {
                out.push(self.answer());
            }
        }
        out
    }

    /// Has the oracle, which says that the conjunction is satisfiable, a model of it? A new process has to
    /// say so again, and its model is checked: z3 5.4 can be wrong about equalities of constant arrays with
    /// few indices, and more often in a process that has seen other questions.
    pub fn has_model(&self, formulas: &[Term]) -> bool {
        let pool = self.writer.pool();
        let Some(mut fresh) = Oracle::spawn(pool, &["model_validate=true"]) else { return true };
        fresh.ask(formulas);
        let Process { child, input, output } = &mut fresh.process;
        input.write_all(b"(exit)\n").expect("the oracle listens");
        let mut said = String::new();
        output.read_to_string(&mut said).expect("the oracle answers");
        let _ = child.wait();
        said.trim() == "sat"
    }

    fn ask(&mut self, formulas: &[Term]) {
        self.queries += 1;
        for &f in formulas {
            self.declare(f);
        }
        let mut text = String::from("(push 1)");
        for &f in formulas {
            text += &format!("(assert {})", self.writer.term(f));
        }
        text += "(check-sat)(pop 1)";
        self.send(&text);
    }

    fn answer(&mut self) -> Verdict {
        let mut line = String::new();
        self.process.output.read_line(&mut line).expect("the oracle answers");
        match line.trim() {
            "sat" => Verdict::Sat,
            "unsat" => Verdict::Unsat,
            "unknown" | "timeout" => Verdict::Unknown,
            other => panic!("the oracle says {other:?}"),
        }
    }
}

/// A process that waits for a pool.
pub struct Resting(Process);

impl Resting {
    /// Goes on with another pool.
    pub fn wake(self, pool: &TermPool) -> Oracle<'_> {
        let mut o = Oracle { process: self.0, writer: Writer::new(pool), declared: Vec::new(), queries: 0 };
        o.send("(reset)");
        o.send(START);
        o
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
