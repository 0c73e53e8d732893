//! Runs SMT-LIB 2 scripts on the native solver.
//!
//! Commands of the standard that make sense for ground formulas over Booleans, integers, rationals,
//! bit-vectors, floating-point numbers and arrays. Named assertions take part in queries as assumptions,
//! which is where unsatisfiable cores come from. `get-interpolants` takes names, or conjunctions of names, in
//! the order of the sequence.
//!
//! Nothing is printed here: the caller gets the replies one by one. An error is a reply too, as the standard
//! wants it; the script goes on. Once a command failed in a way that may have changed the meaning of the
//! script (an assertion that was not understood), `check-sat` answers `unknown` for as long as that command's
//! scope is open.
//!
//! Declared sorts are read as the integers: without quantifiers and functions, and with equality and arrays
//! as all that speaks of their elements, only the number of elements could make a difference, and more of
//! them never hurt.

use std::fmt::{self, Write};
use std::ops::ControlFlow;

use palisade_smtlib::{Context, Error, Read, Reading, Sexpr, Tree, Writer};
use palisade_term::{Assignment, Sort, Term, TermPool};
use rustc_hash::FxHashSet;

use crate::interpolate::{Interpolation, Interpolator, NativeInterpolator, Settings};
use crate::native::NativeSolver;
use crate::solver::{Answer, Limits, Solver, UnknownReason};

/// What a script gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The answers of its queries: satisfiable or not, `None` if unknown.
    pub answers: Vec<Option<bool>>,
    /// Commands that failed.
    pub errors: usize,
    /// Answers that contradict a `(set-info :status ...)`.
    pub wrong: usize,
}

/// What a command has to say.
pub enum Reply<'a> {
    /// An answer.
    Text(&'a str),
    /// The command failed.
    Error(&'a Error),
}

impl fmt::Display for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Text(text) => f.write_str(text),
            Reply::Error(e) => write!(f, "(error \"{}\")", e.to_string().replace('"', "\"\"")),
        }
    }
}

/// Runs a script; every reply is handed over as soon as it is known, and may end the script.
///
/// # Errors
/// If the text is not a sequence of S-expressions. Everything else is a reply.
pub fn run(
    pool: &TermPool,
    text: &str,
    limits: &Limits,
    reply: &mut dyn FnMut(Reply<'_>) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    let tree = Tree::parse(text)?;
    let mut script = Script::new(pool, limits.clone());
    script.context.reserve_names(&tree);
    for command in tree.roots() {
        let mut text = String::new();
        let flow = match script.command(command, &mut text) {
            Ok(Flow::Exit) => break,
            Ok(Flow::Go) if !text.is_empty() => reply(Reply::Text(&text)),
            Ok(Flow::Go) if script.print_success => reply(Reply::Text("success")),
            Ok(Flow::Go) => ControlFlow::Continue(()),
            Err(e) => {
                script.summary.errors += 1;
                reply(Reply::Error(&e))
            }
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(script.summary)
}

enum Flow {
    Go,
    Exit,
}

#[derive(Default)]
struct Frame {
    asserted: usize,
    named: usize,
    declared: usize,
    broken: bool,
}

/// The last query.
enum Last {
    None,
    Sat(Assignment),
    Unsat { core: Vec<Term>, assumptions: Vec<(Term, String)> },
    Unknown(UnknownReason),
}

struct Script<'p> {
    pool: &'p TermPool,
    limits: Limits,
    context: Context<'p>,
    writer: Writer<'p>,
    solver: NativeSolver<'p>,
    /// All assertions, named ones included.
    asserted: Vec<Term>,
    named: Vec<(String, Term)>,
    declared: Vec<(String, Read)>,
    ever_declared: FxHashSet<String>,
    frames: Vec<Frame>,
    broken: bool,
    last: Last,
    status: Option<bool>,
    print_success: bool,
    /// Declarations outlive their scope.
    global: bool,
    summary: Summary,
}

impl<'p> Script<'p> {
    fn new(pool: &'p TermPool, limits: Limits) -> Self {
        let mut solver = NativeSolver::new(pool);
        solver.set_limits(limits.clone());
        let mut context = Context::new(pool);
        context.leave_open();
        Script {
            pool,
            limits,
            context,
            writer: Writer::new(pool),
            solver,
            asserted: Vec::new(),
            named: Vec::new(),
            declared: Vec::new(),
            ever_declared: FxHashSet::default(),
            frames: Vec::new(),
            broken: false,
            last: Last::None,
            status: None,
            print_success: false,
            global: false,
            summary: Summary::default(),
        }
    }

    fn command(&mut self, command: Sexpr<'_>, out: &mut String) -> Result<Flow, Error> {
        let items = command.items();
        let Some(head) = items.first().and_then(|h| h.symbol()) else {
            return Err(Error::malformed(command.pos(), "a command was expected here"));
        };
        match head {
            "assert" => {
                let result = self.assert(command);
                if result.is_err() {
                    self.broken = true;
                }
                result?;
            }
            "check-sat" => self.check(Vec::new(), out),
            "check-sat-assuming" => self.check_assuming(command, out)?,
            "push" => {
                self.last = Last::None;
                for _ in 0..count(command)? {
                    self.solver.push();
                    self.frames.push(Frame {
                        asserted: self.asserted.len(),
                        named: self.named.len(),
                        declared: self.declared.len(),
                        broken: self.broken,
                    });
                }
            }
            "pop" => self.pop(command)?,
            "declare-fun" | "declare-const" => self.declare(command)?,
            "define-fun" | "define-const" => {
                self.context.define_fun(command, &mut Vec::new())?;
            }
            "define-sort" => self.define_sort(command)?,
            "declare-sort" => self.declare_sort(command)?,
            "get-model" => self.get_model(command, out)?,
            "get-value" => self.get_value(command, out)?,
            "get-unsat-core" => self.get_core(command, out, true)?,
            "get-unsat-assumptions" => self.get_core(command, out, false)?,
            "get-assertions" => {
                let parts: Vec<String> = self.asserted.iter().map(|&t| self.writer.term(t)).collect();
                let _ = write!(out, "({})", parts.join("\n "));
            }
            "get-interpolants" | "get-interpolant" => self.get_interpolants(command, out)?,
            "set-info" => self.set_info(command),
            "set-option" => self.set_option(command, out),
            "set-logic" => {}
            "get-info" => self.get_info(command, out),
            "get-option" => out.push_str("unsupported"),
            "echo" => {
                let text = items.get(1).and_then(|s| s.string());
                let text = text.ok_or_else(|| Error::malformed(command.pos(), "echo wants a string"))?;
                let _ = write!(out, "\"{}\"", text.replace('"', "\"\""));
            }
            "reset" => {
                let summary = std::mem::take(&mut self.summary);
                *self = Script { summary, ..Script::new(self.pool, self.limits.clone()) };
            }
            "reset-assertions" => {
                self.solver = NativeSolver::new(self.pool);
                self.solver.set_limits(self.limits.clone());
                self.asserted.clear();
                self.named.clear();
                self.frames.clear();
                self.broken = false;
                self.last = Last::None;
            }
            "exit" => return Ok(Flow::Exit),
            other => {
                return Err(Error::unsupported(command.pos(), format!("the command `{other}`")));
            }
        }
        Ok(Flow::Go)
    }

    // ---- declarations and assertions -----------------------------------------------------------

    fn declare(&mut self, command: Sexpr<'_>) -> Result<(), Error> {
        let items = command.items();
        let (name, params, sort) = match (items.exactly::<4>(), items.exactly::<3>()) {
            (Some([_, name, params, sort]), _) => (name, params.items().len(), sort),
            (_, Some([_, name, sort])) => (name, 0, sort),
            _ => return Err(Error::malformed(command.pos(), "a name and a sort were expected")),
        };
        if params > 0 {
            return Err(Error::unsupported(name.pos(), "functions with arguments"));
        }
        let (sort, reading) = self.context.any_sort(sort)?;
        let text = name.symbol().unwrap_or_default().to_string();
        if self.declared.iter().any(|(n, _)| *n == text) {
            return Err(Error::malformed(name.pos(), format!("`{text}` is declared already")));
        }
        // A name of a scope that was closed may be declared anew.
        let var = Read { term: self.pool.var(&text, sort), reading };
        if self.ever_declared.insert(text.clone()) {
            self.context.define(name, var)?;
        } else {
            self.context.define_name(&text, var);
        }
        self.declared.push((text, var));
        Ok(())
    }

    fn define_sort(&mut self, command: Sexpr<'_>) -> Result<(), Error> {
        let Some([_, name, params, sort]) = command.items().exactly() else {
            return Err(Error::malformed(command.pos(), "a name, parameters and a sort were expected"));
        };
        if !params.items().is_empty() {
            return Err(Error::unsupported(params.pos(), "sorts with parameters"));
        }
        let sort = self.context.any_sort(sort)?;
        self.context.define_sort(name, sort)
    }

    fn declare_sort(&mut self, command: Sexpr<'_>) -> Result<(), Error> {
        let Some([_, name, arity]) = command.items().exactly() else {
            return Err(Error::malformed(command.pos(), "a name and a number of parameters were expected"));
        };
        if arity.index() != Some(0) {
            return Err(Error::unsupported(arity.pos(), "sorts with parameters"));
        }
        self.context.define_sort(name, (Sort::Int, Reading::Plain))
    }

    fn assert(&mut self, command: Sexpr<'_>) -> Result<(), Error> {
        let Some([_, body]) = command.items().exactly() else {
            return Err(Error::malformed(command.pos(), "one formula was expected"));
        };
        let mut notes = Vec::new();
        let t = self.context.annotated_term(body, &mut notes)?;
        self.ground(t, body)?;
        self.asserted.push(t);
        self.last = Last::None;
        // Only a name on the whole assertion makes it part of cores.
        let name = notes.iter().rev().find(|n| n.term == t && n.attribute.keyword() == Some(":named"));
        match name.and_then(|n| n.value).and_then(|v| v.symbol()) {
            Some(name) if body.form("!").is_some() => self.named.push((name.to_string(), t)),
            _ => self.solver.assert(t),
        }
        Ok(())
    }

    /// Only ground Boolean terms are formulas here.
    fn ground(&self, t: Term, at: Sexpr<'_>) -> Result<(), Error> {
        if *self.pool.sort(t) != Sort::Bool {
            return Err(Error::malformed(at.pos(), "a formula was expected, of sort Bool"));
        }
        if self.context.opaques_of(t).is_empty() {
            return Ok(());
        }
        Err(Error::unsupported(at.pos(), "quantifiers and uninterpreted predicates"))
    }

    fn pop(&mut self, command: Sexpr<'_>) -> Result<(), Error> {
        let n = count(command)?;
        if n > self.frames.len() {
            return Err(Error::malformed(command.pos(), "more scopes are closed than are open"));
        }
        self.solver.pop(n);
        for _ in 0..n {
            let f = self.frames.pop().expect("counted");
            self.asserted.truncate(f.asserted);
            self.named.truncate(f.named);
            if !self.global {
                self.declared.truncate(f.declared);
            }
            self.broken = f.broken;
        }
        self.last = Last::None;
        Ok(())
    }

    // ---- queries -------------------------------------------------------------------------------

    fn check_assuming(&mut self, command: Sexpr<'_>, out: &mut String) -> Result<(), Error> {
        let Some([_, list]) = command.items().exactly() else {
            return Err(Error::malformed(command.pos(), "a list of assumptions was expected"));
        };
        let mut assumptions = Vec::new();
        for s in list.items().iter() {
            let t = self.context.formula(s)?;
            self.ground(t, s)?;
            assumptions.push((t, s.to_string()));
        }
        self.check(assumptions, out);
        Ok(())
    }

    fn check(&mut self, assumptions: Vec<(Term, String)>, out: &mut String) {
        let mut terms: Vec<Term> = self.named.iter().map(|(_, t)| *t).collect();
        terms.extend(assumptions.iter().map(|(t, _)| *t));
        let answer = if self.broken {
            Answer::Unknown(UnknownReason::Incomplete("an assertion was not understood".into()))
        } else {
            self.solver.check(&terms)
        };
        let (text, value, last) = match answer {
            Answer::Sat(model) => ("sat", Some(true), Last::Sat(model)),
            Answer::Unsat(core) => ("unsat", Some(false), Last::Unsat { core, assumptions }),
            Answer::Unknown(reason) => ("unknown", None, Last::Unknown(reason)),
        };
        out.push_str(text);
        if let (Some(expected), Some(value)) = (self.status.take(), value) {
            self.summary.wrong += usize::from(expected != value);
        }
        self.summary.answers.push(value);
        self.last = last;
    }

    fn get_model(&mut self, command: Sexpr<'_>, out: &mut String) -> Result<(), Error> {
        let Last::Sat(model) = &self.last else {
            return Err(Error::malformed(command.pos(), "there is no model: the last answer was not `sat`"));
        };
        out.push('(');
        for (name, var) in &self.declared {
            let _ = write!(
                out,
                "\n  (define-fun {} () {} {})",
                palisade_smtlib::names::quote(name),
                var.reading.sort_name(self.pool.sort(var.term)),
                shown(self.pool, &mut self.writer, *var, model)
            );
        }
        out.push_str("\n)");
        Ok(())
    }

    fn get_value(&mut self, command: Sexpr<'_>, out: &mut String) -> Result<(), Error> {
        let Some([_, list]) = command.items().exactly() else {
            return Err(Error::malformed(command.pos(), "a list of terms was expected"));
        };
        let mut terms = Vec::new();
        for s in list.items().iter() {
            terms.push((self.context.read(s)?, s.to_string()));
        }
        let Last::Sat(model) = &self.last else {
            return Err(Error::malformed(command.pos(), "there is no model: the last answer was not `sat`"));
        };
        let mut parts = Vec::new();
        for (t, text) in terms {
            parts.push(format!("({text} {})", shown(self.pool, &mut self.writer, t, model)));
        }
        let _ = write!(out, "({})", parts.join(" "));
        Ok(())
    }

    fn get_core(&mut self, command: Sexpr<'_>, out: &mut String, named: bool) -> Result<(), Error> {
        let Last::Unsat { core, assumptions } = &self.last else {
            return Err(Error::malformed(command.pos(), "there is no core: the last answer was not `unsat`"));
        };
        let parts: Vec<String> = if named {
            let names = self.named.iter().filter(|(_, t)| core.contains(t));
            names.map(|(n, _)| palisade_smtlib::names::quote(n).into_owned()).collect()
        } else {
            assumptions.iter().filter(|(t, _)| core.contains(t)).map(|(_, text)| text.clone()).collect()
        };
        let _ = write!(out, "({})", parts.join(" "));
        Ok(())
    }

    fn get_interpolants(&mut self, command: Sexpr<'_>, out: &mut String) -> Result<(), Error> {
        let mut parts = Vec::new();
        for s in command.items().from(1).iter() {
            parts.push(self.context.formula(s)?);
        }
        // What is asserted without a name, or named and not in the sequence, belongs to the first part.
        let rest: Vec<Term> = self.asserted.iter().copied().filter(|t| !parts.contains(t)).collect();
        let Some(first) = parts.first_mut() else {
            return Err(Error::malformed(command.pos(), "a sequence of names was expected"));
        };
        *first = self.pool.and(rest.into_iter().chain([*first]));
        let settings = Settings { limits: self.limits.clone(), ..Settings::default() };
        match NativeInterpolator::new(self.pool).interpolate(&parts, &settings) {
            Interpolation::Interpolants(list) => {
                let texts: Vec<String> = list.iter().map(|&t| self.writer.term(t)).collect();
                let _ = write!(out, "({})", texts.join("\n "));
                Ok(())
            }
            Interpolation::Sat(_) => {
                Err(Error::malformed(command.pos(), "the parts are satisfiable together: no interpolants"))
            }
            Interpolation::Unknown(reason) => {
                Err(Error::unsupported(command.pos(), format!("no interpolants: {}", describe(&reason))))
            }
        }
    }

    // ---- information ---------------------------------------------------------------------------

    fn set_info(&mut self, command: Sexpr<'_>) {
        if let Some([_, key, value]) = command.items().exactly()
            && key.keyword() == Some(":status")
        {
            self.status = match value.symbol() {
                Some("sat") => Some(true),
                Some("unsat") => Some(false),
                _ => None,
            };
        }
    }

    fn set_option(&mut self, command: Sexpr<'_>, out: &mut String) {
        let items = command.items();
        let value = items.get(2);
        match items.get(1).and_then(|k| k.keyword()) {
            Some(":print-success") => self.print_success = value.is_some_and(|v| v.is_symbol("true")),
            Some(":global-declarations") => self.global = value.is_some_and(|v| v.is_symbol("true")),
            Some(":reproducible-resource-limit") => {
                let n = value.and_then(|v| v.text().parse::<u64>().ok()).filter(|&n| n > 0);
                self.limits.steps = n;
                self.solver.set_limits(self.limits.clone());
            }
            Some(k) if k.starts_with(":produce-") || k == ":random-seed" || k == ":verbosity" => {}
            _ => out.push_str("unsupported"),
        }
    }

    fn get_info(&mut self, command: Sexpr<'_>, out: &mut String) {
        let stats = self.solver.stats();
        let text = match command.items().get(1).and_then(|k| k.keyword()) {
            Some(":name") => "(:name \"palisade\")".to_string(),
            Some(":version") => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            Some(":error-behavior") => "(:error-behavior continued-execution)".to_string(),
            Some(":assertion-stack-levels") => format!("(:assertion-stack-levels {})", self.frames.len()),
            Some(":reason-unknown") => match &self.last {
                Last::Unknown(reason) => format!("(:reason-unknown \"{}\")", describe(reason)),
                _ => "(:reason-unknown none)".to_string(),
            },
            Some(":all-statistics") => format!(
                "(:queries {} :conflicts {} :decisions {} :propagations {} :pivots {} :memory {})",
                stats.queries,
                stats.conflicts,
                stats.decisions,
                stats.propagations,
                stats.pivots,
                stats.memory
            ),
            _ => "unsupported".to_string(),
        };
        out.push_str(&text);
    }
}

/// The value of a term, as text.
fn shown(pool: &TermPool, writer: &mut Writer<'_>, t: Read, model: &Assignment) -> String {
    let value = pool.eval(t.term, model);
    t.reading.value(&value).unwrap_or_else(|| writer.value(&value))
}

fn describe(reason: &UnknownReason) -> String {
    match reason {
        UnknownReason::Interrupted => "interrupted".into(),
        UnknownReason::Limit => "limit reached".into(),
        UnknownReason::Incomplete(what) => format!("incomplete: {what}"),
        UnknownReason::Failed(what) => format!("failed: {what}"),
    }
}

/// The number of a `push` or `pop`; one if it is left out.
fn count(command: Sexpr<'_>) -> Result<usize, Error> {
    match command.items().get(1) {
        None => Ok(1),
        Some(n) => {
            let n = n.index().ok_or_else(|| Error::malformed(n.pos(), "a number of scopes was expected"))?;
            Ok(n as usize)
        }
    }
}
