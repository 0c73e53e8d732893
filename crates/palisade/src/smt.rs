//! `palisade smt`: runs an SMT-LIB 2 script on the native solver.
//!
//! Declarations stay known after `pop`. What is not supported ends the script with a located error: an ignored command could change the meaning of an answer.

use std::io::{self, Write as _};

use palisade_engines::SolverFactory;
use palisade_smt::{Answer, Solver};
use palisade_smtlib::names::quote;
use palisade_smtlib::{Context, Error, Sexpr, Tree, Writer};
use palisade_term::{Assignment, Term, TermPool, Value, eval::Evaluator};

use crate::args::SmtArgs;
use crate::failure::Failure;
use crate::input;
use crate::solvers::SolverChoice;

/// Runs the script; exit code 0 when it was understood to its end.
pub fn run(args: &SmtArgs) -> Result<u8, Failure> {
    let text = input::read_text(&args.file)?;
    let located = |e: Error| Failure::input(input::located(&args.file, &e));
    let tree = Tree::parse(&text).map_err(located)?;
    let pool = TermPool::new();
    let context = Context::new(&pool);
    context.reserve_names(&tree);
    let solver = SolverChoice::Native(0).solver(&pool);
    let mut script =
        Script { pool: &pool, context, solver, declared: Vec::new(), depth: 0, last: Last::Nothing };
    for command in tree.roots() {
        match script.command(command).map_err(located)? {
            Effect::Quiet => {}
            Effect::Say(line) => {
                let mut out = io::stdout().lock();
                if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                    break;
                }
            }
            Effect::Exit => break,
        }
    }
    Ok(0)
}

enum Effect {
    Quiet,
    Say(String),
    Exit,
}

/// What the last query left behind.
enum Last {
    Nothing,
    Model(Assignment),
    Core(Vec<String>),
}

struct Script<'p> {
    pool: &'p TermPool,
    context: Context<'p>,
    solver: Box<dyn Solver + 'p>,
    declared: Vec<(String, Term)>,
    depth: usize,
    last: Last,
}

impl Script<'_> {
    fn command(&mut self, command: Sexpr<'_>) -> Result<Effect, Error> {
        let items = command.items();
        let Some(head) = items.first().and_then(|h| h.symbol()) else {
            return Err(Error::malformed(command.pos(), "a command was expected here"));
        };
        let wrong = |form: &str| Error::malformed(command.pos(), format!("the form is {form}"));
        let argument = |form: &str| items.get(1).filter(|_| items.len() == 2).ok_or_else(|| wrong(form));
        match head {
            "set-logic" | "set-option" | "set-info" => Ok(Effect::Quiet),
            "declare-const" | "declare-fun" => {
                let (name, sort) = match (head, items.exactly::<3>(), items.exactly::<4>()) {
                    ("declare-const", Some([_, name, sort]), _) => (name, sort),
                    ("declare-fun", _, Some([_, name, params, sort]))
                        if params.list().is_some_and(|p| p.is_empty()) =>
                    {
                        (name, sort)
                    }
                    ("declare-fun", _, Some(_)) => {
                        return Err(Error::unsupported(command.pos(), "uninterpreted functions"));
                    }
                    _ => return Err(wrong("(declare-const name Sort) or (declare-fun name () Sort)")),
                };
                let sort = self.context.sort(sort)?;
                let Some(text) = name.symbol() else {
                    return Err(Error::malformed(name.pos(), "a name was expected here"));
                };
                let var = self.pool.var(text, sort);
                self.context.define_name(text, var);
                self.declared.retain(|(n, _)| n != text);
                self.declared.push((text.into(), var));
                Ok(Effect::Quiet)
            }
            "define-fun" | "define-const" => {
                self.context.define_fun(command, &mut Vec::new()).map(|_| Effect::Quiet)
            }
            "define-sort" => match items.exactly::<4>() {
                Some([_, name, params, sort]) if params.list().is_some_and(|p| p.is_empty()) => {
                    let sort = self.context.sort(sort)?;
                    self.context.define_sort(name, sort).map(|()| Effect::Quiet)
                }
                _ => Err(Error::unsupported(command.pos(), "sorts with parameters")),
            },
            "assert" => {
                let formula = self.formula(argument("(assert formula)")?)?;
                self.solver.assert(formula);
                Ok(Effect::Quiet)
            }
            "push" | "pop" => {
                let n = match items.get(1) {
                    Some(n) => n.index().ok_or_else(|| wrong("(push n) or (pop n)"))? as usize,
                    None => 1,
                };
                self.scopes(head, n)
                    .ok_or_else(|| Error::malformed(command.pos(), "more scopes are closed than are open"))
            }
            "check-sat" => Ok(self.check(&[])),
            "check-sat-assuming" => {
                let list = argument("(check-sat-assuming (literals))")?.items();
                let mut assumptions = Vec::new();
                for item in list.iter() {
                    assumptions.push((self.formula(item)?, item.to_string()));
                }
                Ok(self.check(&assumptions))
            }
            "get-model" => self
                .model()
                .ok_or_else(|| Error::malformed(command.pos(), "there is no model"))
                .map(Effect::Say),
            "get-value" => self.values(argument("(get-value (terms))")?).map(Effect::Say),
            "get-unsat-assumptions" => match &self.last {
                Last::Core(core) => Ok(Effect::Say(format!("({})", core.join(" ")))),
                _ => Err(Error::malformed(command.pos(), "the last answer was not unsat")),
            },
            "echo" => {
                let text = argument("(echo \"text\")")?;
                Ok(Effect::Say(text.string().map_or_else(|| text.to_string(), |s| s.into_owned())))
            }
            "exit" => Ok(Effect::Exit),
            other => Err(Error::unsupported(command.pos(), format!("the command `{other}`"))),
        }
    }

    /// Reads a formula without quantifiers.
    fn formula(&mut self, s: Sexpr<'_>) -> Result<Term, Error> {
        let t = self.context.formula(s)?;
        match self.context.opaques_of(t).is_empty() {
            true => Ok(t),
            false => Err(Error::unsupported(s.pos(), "quantifiers")),
        }
    }

    fn scopes(&mut self, head: &str, n: usize) -> Option<Effect> {
        self.last = Last::Nothing;
        if head == "push" {
            (0..n).for_each(|_| self.solver.push());
            self.depth += n;
        } else {
            self.depth = self.depth.checked_sub(n)?;
            self.solver.pop(n);
        }
        Some(Effect::Quiet)
    }

    fn check(&mut self, assumptions: &[(Term, String)]) -> Effect {
        let terms: Vec<Term> = assumptions.iter().map(|(t, _)| *t).collect();
        match self.solver.check(&terms) {
            Answer::Sat(model) => {
                self.last = Last::Model(model);
                Effect::Say("sat".into())
            }
            Answer::Unsat(core) => {
                let kept = assumptions.iter().filter(|(t, _)| core.contains(t));
                self.last = Last::Core(kept.map(|(_, text)| text.clone()).collect());
                Effect::Say("unsat".into())
            }
            Answer::Unknown(why) => {
                eprintln!("palisade: {why}");
                self.last = Last::Nothing;
                Effect::Say("unknown".into())
            }
        }
    }

    fn model(&self) -> Option<String> {
        let Last::Model(model) = &self.last else { return None };
        let mut writer = Writer::new(self.pool);
        let mut out = String::from("(");
        for (name, var) in &self.declared {
            let sort = self.pool.sort(*var);
            let value = model.get(*var).cloned().unwrap_or_else(|| Value::default_of(sort));
            out.push_str(&format!("\n  (define-fun {} () {sort} {})", quote(name), writer.value(&value)));
        }
        out.push_str("\n)");
        Some(out)
    }

    fn values(&mut self, list: Sexpr<'_>) -> Result<String, Error> {
        let Last::Model(model) = &self.last else {
            return Err(Error::malformed(list.pos(), "there is no model"));
        };
        let mut ev = Evaluator::new(self.pool, model);
        let mut writer = Writer::new(self.pool);
        let mut parts = Vec::new();
        for item in list.items().iter() {
            let t = self.context.term(item)?;
            parts.push(format!("({item} {})", writer.value(&ev.eval(t))));
        }
        Ok(format!("({})", parts.join(" ")))
    }
}
