//! `palisade verify --all`: a verdict for every claim ([`crate::claims`]), one line each.
//!
//! Verification begins at `main`, at the function that is asked for, or, where there is no `main`, at every
//! function of the input in turn ([`palisade_front_c::Entry`]). All claims of one entry are tried together
//! first. A proof decides all of them; a violation decides one, and the others are tried again; where there
//! is no answer, each claim is tried alone. So most of the work is shared, and a hard claim spoils no other.
//! An assertion that no edge violates is told, too.
//!
//! Each verdict is certified like any other. `--certificate DIR` keeps the certificate of each claim, which
//! `palisade check` accepts by itself. Results are kept by content: those of a function whose text has not
//! changed ([`crate::outcome`]), and below that the certificates of automata ([`crate::cache`]).
//!
//! A claim is decided under the assumption that no other claim is violated before it. If all hold, the
//! program violates nothing.
//!
//! Entry point: [`verify`].

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use palisade_engines::{Budget, Silent, Stop};
use palisade_front_c::{Assumption, COptions, Confirmation, Input, Outline};
use palisade_program::{Program, Property};
use palisade_report::{ClaimResult, Evidence};
use palisade_term::TermPool;
use palisade_verify::{Language, Loaded, Settings, Solvers, Verdict};

use crate::args::{FrontArgs, VerifyArgs};
use crate::cache::{self, Cache, Entry};
use crate::claims::{self, Claim};
use crate::drive::{self, Plan};
use crate::failure::Failure;
use crate::files;
use crate::outcome::{self, Outcome};
use crate::report::{self, Report};
use crate::result::Final;
use crate::session::Session;
use crate::{front, resources};

/// CPU seconds for one attempt, unless `--claim-timeout` says another number.
const PATIENCE: f64 = 10.0;

/// `palisade verify --all`.
pub fn verify(
    args: &VerifyArgs,
    plan: &Plan,
    session: &Arc<Session>,
) -> Result<(Arc<Session>, Report), Failure> {
    if let Some(folder) = &args.certificate {
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::usage(format!("cannot write {}: {e}", folder.display())))?;
    }
    let cache = match &args.cache {
        Some(folder) if folder.as_os_str() == "none" => None,
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .map_err(|e| Failure::usage(format!("cannot keep results in {}: {e}", folder.display())))?;
            Some(Cache::new(folder))
        }
        None => Cache::usual().map(|folder| Cache::new(&folder)),
    };
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} claims, {elapsed}, {msg}");
    let bar = ProgressBar::new(0);
    if let Ok(style) = style {
        bar.set_style(style);
    }
    if plan.c_options.checks.termination {
        return Err(Failure::usage("--all: `termination` is one question about the whole program"));
    }
    let inputs = drive::sources(&args.inputs, &plan.c_options)?;
    let text = Text::new(&inputs.0, &inputs.1)?;
    let entries = entries(args, &text.outline);
    let mut all = All {
        args,
        plan,
        session,
        cache,
        bar,
        lines: Vec::new(),
        details: Vec::new(),
        assumptions: Vec::new(),
        confirmed: false,
        accepted: false,
        apart: Vec::new(),
        text,
    };
    session.phase("reading the whole text");
    all.accept(&inputs.1)?;
    for function in entries {
        if session.budget.check().is_err() {
            break;
        }
        let told = all.lines.len();
        session.phase(format!("at {}; {told} claims are told", function.as_deref().unwrap_or("main")));
        if function.is_none() {
            all.apart = all.text.outline.apart_from("main");
        }
        all.entry(function)?;
    }
    all.bar.finish_and_clear();
    Ok((Arc::clone(session), all.report()))
}

/// Functions that are named at the end, at most.
const MANY: usize = 10;

/// The functions where verification begins; `None` is `main`.
fn entries(args: &VerifyArgs, outline: &Outline) -> Vec<Option<String>> {
    if args.front.function.is_some() {
        return vec![args.front.function.clone()];
    }
    if outline.functions.iter().any(|f| f == "main") {
        return vec![None];
    }
    outline.functions.iter().cloned().map(Some).collect()
}

/// The inputs, read once.
struct Text {
    /// The inputs as they were given: annotations of the function where verification begins are woven in.
    given: Vec<Input>,
    outline: Outline,
    /// The hashes of the parts.
    hashes: Vec<String>,
}

impl Text {
    fn new(given: &[Input], c_options: &COptions) -> Result<Text, Failure> {
        let outline = palisade_front_c::outline(given, c_options).map_err(palisade_verify::Error::C)?;
        let hashes = outcome::hashes(&outline);
        Ok(Text { given: given.to_vec(), outline, hashes })
    }

    fn inputs(&self) -> Vec<Input> {
        self.outline.sources.iter().cloned().map(Input::Read).collect()
    }
}

/// Are these the same inputs?
fn same(a: &[Input], b: &[Input]) -> bool {
    let same = |pair: (&Input, &Input)| match pair {
        (Input::Path(a), Input::Path(b)) => a == b,
        (Input::Text(a, s), Input::Text(b, t)) | (Input::Piped(a, s), Input::Piped(b, t)) => a == b && s == t,
        _ => false,
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

struct All<'a> {
    args: &'a VerifyArgs,
    plan: &'a Plan,
    session: &'a Session,
    cache: Option<Cache>,
    bar: ProgressBar,
    lines: Vec<ClaimResult>,
    /// The reports of violated claims.
    details: Vec<Report>,
    assumptions: Vec<Assumption>,
    /// The user's compiler has confirmed what the translation relies on.
    confirmed: bool,
    /// The text is accepted as a whole: what is known of one function may be told.
    accepted: bool,
    /// The functions that are not looked at, since `main` does not lead to them.
    apart: Vec<String>,
    text: Text,
}

/// One entry function, loaded.
struct At<'a> {
    pool: &'a TermPool,
    loaded: &'a Loaded,
    function: &'a str,
    /// The options of certificates.
    options: Vec<String>,
}

impl All<'_> {
    /// Is the text C that the front-end accepts, and does the compiler confirm it? What was found out about a
    /// function is no use if the text around it is not. The answer is kept, too.
    fn accept(&mut self, c_options: &COptions) -> Result<(), Failure> {
        let all: Vec<usize> = (0..self.text.hashes.len()).collect();
        // A function that depends on all parts has other words, or it would be told to have no claims.
        let words = [self.words(), vec!["accepted".into()]].concat();
        let key = outcome::key(&words, c_options, &self.text.hashes, &all);
        if let Some(cache) = &self.cache
            && outcome::find(cache, &key, &self.text.outline, &all, false).is_some()
        {
            (self.accepted, self.confirmed) = (true, c_options.confirm);
            return Ok(());
        }
        match palisade_front_c::accept(&self.text.inputs(), c_options) {
            Ok(Confirmation::Confirmed { .. }) => (self.accepted, self.confirmed) = (true, true),
            Ok(Confirmation::Off) => self.accepted = true,
            // Whoever loads a function says so.
            Ok(_) => return Ok(()),
            Err(diagnostics) => return Err(palisade_verify::Error::C(diagnostics).into()),
        }
        if let Some(cache) = &self.cache {
            outcome::store(cache, &key, &self.text.outline, &all, &Outcome::default());
        }
        Ok(())
    }

    /// One entry: from what is kept, or anew.
    fn entry(&mut self, function: Option<String>) -> Result<(), Failure> {
        let mut front = self.args.front.clone();
        front.function = function;
        let name = front.function.clone().unwrap_or_else(|| "main".into());
        self.bar.set_message(format!("at {name}"));
        let (inputs, c_options) = drive::sources(&self.args.inputs, &front.c_options()?)?;
        if !same(&self.text.given, &inputs) {
            self.text = Text::new(&inputs, &c_options)?;
            self.accepted = false;
            self.accept(&c_options)?;
        }
        let keeps = self.accepted && !self.args.recheck && self.args.certificate.is_none();
        let Some(cache) = self.cache.clone().filter(|_| keeps) else {
            return self.anew(&name, &front, c_options);
        };
        let parts = self.text.outline.parts_of(&name);
        let key = outcome::key(&self.words(), &c_options, &self.text.hashes, &parts);
        let detailed = self.session.outputs.sarif.is_some();
        if let Some(outcome) = outcome::find(&cache, &key, &self.text.outline, &parts, detailed) {
            self.session.known().language = Some(Language::C);
            self.bar.inc_length(outcome.claims.len() as u64);
            self.bar.inc(outcome.claims.len() as u64);
            self.assume(outcome.assumptions());
            outcome.details().for_each(|d| self.detail(d));
            outcome.claims.into_iter().for_each(|c| self.tell(c));
            return Ok(());
        }
        // What it adds is its own, also what another function assumed before.
        let earlier = std::mem::take(&mut self.assumptions);
        let (lines, details) = (self.lines.len(), self.details.len());
        let done = self.anew(&name, &front, c_options);
        if done.is_ok() && self.session.budget.check().is_ok() {
            let outcome = Outcome::new(&self.lines[lines..], &self.details[details..], &self.assumptions);
            outcome::store(&cache, &key, &self.text.outline, &parts, &outcome);
        }
        let added = std::mem::replace(&mut self.assumptions, earlier);
        self.assume(added);
        done
    }

    /// Notes what verdicts rest on: the same thing once, with all its places.
    fn assume(&mut self, assumptions: impl IntoIterator<Item = Assumption>) {
        for a in assumptions {
            match self.assumptions.iter_mut().find(|known| known.what == a.what) {
                Some(known) => {
                    let new = |list: &[String], place: &String| !list.contains(place);
                    known
                        .places
                        .extend(a.places.into_iter().filter(|p| new(&known.places, p)).collect::<Vec<_>>());
                    known.dead.extend(a.dead.into_iter().filter(|p| new(&known.dead, p)).collect::<Vec<_>>());
                }
                None => self.assumptions.push(a),
            }
        }
    }

    fn anew(&mut self, name: &str, front: &FrontArgs, mut c_options: COptions) -> Result<(), Failure> {
        let pool = TermPool::new();
        let inputs = self.text.inputs();
        // The facts that the compiler confirms are those of the whole text: once is enough.
        c_options.confirm &= !self.confirmed;
        let loaded = match drive::load(&pool, &inputs, &c_options, None, self.session) {
            Ok(loaded) => loaded,
            Err(refused) if refused.code == Failure::INPUT => {
                let claim = Claim { property: "translation".into(), place: name.into(), text: String::new() };
                let why = refused.message.lines().next().unwrap_or_default().to_string();
                self.line(&claim, name, &Final::Unknown(why), None);
                return Ok(());
            }
            Err(other) => return Err(other),
        };
        self.confirmed |= matches!(loaded.confirmation, Some(Confirmation::Confirmed { .. }));
        self.assume(loaded.assumptions.iter().cloned());
        let at =
            At { pool: &pool, loaded: &loaded, function: name, options: front::recorded(front, &c_options) };
        let story = loaded.story.as_ref();
        let mut open = claims::of(&loaded.program, story);
        let without_edge = claims::without_edge(story, &open);
        self.bar.inc_length((open.len() + without_edge.len()) as u64);
        let no_claims = open.is_empty();
        let mut together = true;
        while let Some(first) = open.first().cloned() {
            let group = if together { open.clone() } else { vec![first] };
            let program = claims::restrict(&pool, &loaded.program, story, &|c| {
                group.iter().any(|g| g.key() == c.key())
            });
            let verdict = self.decide(&at, &program)?;
            let decided = self.decided(&at, &program, &group, &verdict);
            together &= !decided.is_empty();
            if decided.is_empty() && group.len() == 1 {
                self.record(&at, &group[0], &verdict);
                open.remove(0);
            }
            for claim in decided {
                self.record(&at, &claim, &verdict);
                open.retain(|c| c.key() != claim.key());
            }
        }
        if no_claims || !without_edge.is_empty() {
            self.nothing_else(&at, &without_edge)?;
        }
        Ok(())
    }

    /// What no edge violates holds, unless the entry can come to anything unsupported or undefined before it.
    fn nothing_else(&mut self, at: &At<'_>, claims: &[Claim]) -> Result<(), Failure> {
        let program = claims::restrict(at.pool, &at.loaded.program, at.loaded.story.as_ref(), &|_| false);
        let translated = program.edges.iter().all(|e| e.target != program.error || e.guard == at.pool.fls());
        if translated && claims.is_empty() {
            return Ok(());
        }
        let verdict = self.decide(at, &program)?;
        for claim in claims {
            self.record(at, claim, &verdict);
        }
        if claims.is_empty() && !matches!(verdict, Ok(Verdict::Safe(_))) {
            let (property, place) = ("translation".into(), at.function.into());
            self.bar.inc_length(1);
            self.record(at, &Claim { property, place, text: String::new() }, &verdict);
        }
        Ok(())
    }

    /// The claims of a group that a verdict decides.
    fn decided(
        &self,
        at: &At<'_>,
        program: &Program,
        group: &[Claim],
        verdict: &Result<Verdict, String>,
    ) -> Vec<Claim> {
        match verdict {
            Ok(Verdict::Safe(_)) => group.to_vec(),
            Ok(Verdict::Unsafe(cex)) if matches!(cex.property(program), Some(Property::Violated(_))) => {
                let (program, story) = (&at.loaded.program, at.loaded.story.as_ref());
                let last = cex.run().steps.last();
                let violated = last.and_then(|s| Claim::of_edge(program, story, s.edge));
                violated.into_iter().filter(|v| group.iter().any(|g| g.key() == v.key())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The verdict about a program of some claims, or why there is none: known from an earlier run, or new.
    fn decide(&self, at: &At<'_>, program: &Program) -> Result<Result<Verdict, String>, Failure> {
        let numbered = cache::numbered(program);
        let key = self.cache.as_ref().map(|_| cache::key(at.pool, program, &self.words()));
        if let (Some(cache), Some(key)) = (&self.cache, &key) {
            match cache.find(key) {
                Some(Entry::Unknown(why)) => return Ok(Err(why)),
                Some(Entry::Certificate(text)) => {
                    if let Some(verdict) = self.check(at, &numbered, &text) {
                        return Ok(Ok(verdict));
                    }
                }
                None => {}
            }
        }
        let verdict = self.run(at, program)?;
        let entry = match &verdict {
            Verdict::Safe(proof) => {
                Entry::Certificate(palisade_certify::write_proof(at.pool, &numbered, proof.invariants(), &[]))
            }
            Verdict::Unsafe(cex) => {
                Entry::Certificate(palisade_certify::write_run(at.pool, &numbered, cex.run(), &[]))
            }
            Verdict::Unknown(why) => Entry::Unknown(why.reason.to_string()),
        };
        // What the user interrupted says nothing about the program.
        if let (Some(cache), Some(key), Ok(())) = (&self.cache, &key, self.session.budget.check()) {
            cache.store(key, &entry);
        }
        Ok(match verdict {
            Verdict::Unknown(why) => Err(why.reason.to_string()),
            answer => Ok(answer),
        })
    }

    /// What decides a run besides its program.
    fn words(&self) -> Vec<String> {
        let settings = self.args.settings.iter().map(|(n, v)| format!("{n}={v}"));
        let fixed = [
            concat!(env!("CARGO_PKG_VERSION"), " ", env!("PALISADE_COMMIT")).to_string(),
            self.args.engine.clone(),
            self.args.solver.clone(),
            format!("{:?} {:?} {}", self.args.preset, self.args.seed, self.patience()),
            self.args.check_with.clone(),
        ];
        fixed.into_iter().chain(settings).collect()
    }

    fn patience(&self) -> f64 {
        self.args.claim_timeout.unwrap_or(PATIENCE)
    }

    /// An earlier certificate, checked again.
    fn check(&self, at: &At<'_>, numbered: &Program, text: &str) -> Option<Verdict> {
        let loaded = Loaded {
            language: at.loaded.language,
            program: numbered.clone(),
            calls: None,
            confirmation: None,
            hardware: None,
            assumptions: Vec::new(),
            story: None,
            sliced: None,
            open: None,
            ends: false,
        };
        let budget = Budget::unlimited();
        let work = || palisade_verify::check(at.pool, &loaded, text, &self.plan.checker, &budget);
        match self.limited(&budget, work) {
            Ok(verdict @ (Verdict::Safe(_) | Verdict::Unsafe(_))) => Some(verdict),
            _ => None,
        }
    }

    /// Verifies a program within the limit for one attempt.
    fn run(&self, at: &At<'_>, program: &Program) -> Result<Verdict, Failure> {
        let settings = Settings {
            engine: palisade_verify::find_engine(&self.args.engine)?,
            options: self.plan.options.clone(),
            solvers: Solvers {
                engine: &self.plan.solver,
                transform: &self.plan.solver,
                check: &self.plan.checker,
            },
            ..Settings::for_language(at.loaded.language)
        };
        let budget = Budget::unlimited();
        let work = || palisade_verify::verify(at.pool, program, &settings, &budget, &mut Silent);
        Ok(self.limited(&budget, work)?)
    }

    /// Does some work that ends with its budget: at the limit for one attempt, or with the whole run.
    fn limited<T>(&self, budget: &Budget, work: impl FnOnce() -> T) -> T {
        let until = resources::usage().cpu.as_secs_f64() + self.patience();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let watch = scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    thread::park_timeout(Duration::from_millis(20));
                    if let Err(stop) = self.session.budget.check() {
                        budget.stop(stop);
                    } else if resources::usage().cpu.as_secs_f64() >= until {
                        budget.stop(Stop::Timeout);
                    }
                }
            });
            let out = work();
            done.store(true, Ordering::SeqCst);
            watch.thread().unpark();
            out
        })
    }

    /// Tells the verdict about a claim, and keeps its certificate.
    fn record(&mut self, at: &At<'_>, claim: &Claim, verdict: &Result<Verdict, String>) {
        let program = &at.loaded.program;
        let mut options = at.options.clone();
        options.push(format!("claim={}", claim.key()));
        // Texts of certificates are long: they are made only if someone wants them.
        let wanted = self.args.certificate.is_some();
        let (result, certificate) = match verdict {
            Ok(Verdict::Safe(proof)) => {
                let text = || palisade_certify::write_proof(at.pool, program, proof.invariants(), &options);
                (Final::True, wanted.then(|| (text(), "smt2")))
            }
            Ok(answer @ Verdict::Unsafe(cex)) => {
                let mut report =
                    report::verdict(at.pool, program, answer, at.loaded.story.as_ref(), self.session);
                let result = report.result.clone();
                if matches!(result, Final::False(_)) {
                    report.assume(&at.loaded.assumptions, at.function);
                    if at.function != "main" {
                        let what =
                            "that each function can be called in the state in which a run of it begins";
                        let (places, dead) = (Vec::new(), Vec::new());
                        self.assume([Assumption { what: what.into(), places, dead }]);
                    }
                    self.detail(report);
                }
                let text = || palisade_certify::write_run(at.pool, program, cex.run(), &options);
                let is_violation = matches!(result, Final::False(_));
                (result, (wanted && is_violation).then(|| (text(), "json")))
            }
            Ok(Verdict::Unknown(why)) => (Final::Unknown(why.reason.to_string()), None),
            Err(why) => (Final::Unknown(why.clone()), None),
        };
        let path = certificate.and_then(|(text, extension)| {
            let path = self.certificate_path(claim, at.function, extension)?;
            files::write("certificate", &path, text.as_bytes());
            Some(path.display().to_string())
        });
        self.bar.inc(1);
        self.line(claim, at.function, &result, path);
    }

    fn certificate_path(&self, claim: &Claim, function: &str, extension: &str) -> Option<PathBuf> {
        let folder = self.args.certificate.as_ref()?;
        let line: String = claim
            .place
            .rsplit(':')
            .take(2)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
            .join("-");
        let number = self.lines.len() + 1;
        let function = function.replace(['/', ':'], "-");
        Some(folder.join(format!("{number:03}-{function}-{}-{line}.{extension}", claim.property)))
    }

    fn line(&mut self, claim: &Claim, function: &str, result: &Final, certificate: Option<String>) {
        self.tell(ClaimResult {
            claim: claim.key(),
            function: function.into(),
            statement: claim.text.clone(),
            result: match result {
                Final::True => palisade_report::Verdict::True,
                Final::False(_) => palisade_report::Verdict::False,
                Final::Unknown(_) => palisade_report::Verdict::Unknown,
            },
            reason: if let Final::Unknown(why) = result { Some(why.clone()) } else { None },
            certificate,
        });
    }

    fn tell(&mut self, line: ClaimResult) {
        let word = match line.result {
            palisade_report::Verdict::True => "TRUE",
            palisade_report::Verdict::False => "FALSE",
            palisade_report::Verdict::Unknown => "UNKNOWN",
        };
        let (property, place) = line.claim.split_once('@').unwrap_or((&line.claim, ""));
        let mut text = format!("{word:<8} {place}: {property} in {}", line.function);
        if !line.statement.is_empty() {
            let _ = write!(text, ": {}", line.statement);
        }
        if let Some(why) = &line.reason {
            let _ = write!(text, "  ({})", crate::result::one_line(why));
        }
        self.bar.suspend(|| {
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        });
        self.session.known().claims.push(line.clone());
        self.lines.push(line);
    }

    /// Keeps the report of a violated claim.
    fn detail(&mut self, report: Report) {
        if self.session.outputs.sarif.is_some() {
            self.session.known().details.push(report.clone());
        }
        self.details.push(report);
    }

    /// The end: how many claims have which verdict.
    fn report(self) -> Report {
        let count = |v| self.lines.iter().filter(|l| l.result == v).count();
        let (holds, violated, open) = (
            count(palisade_report::Verdict::True),
            count(palisade_report::Verdict::False),
            count(palisade_report::Verdict::Unknown),
        );
        let total = self.lines.len();
        let mut text = format!("{total} claims: {holds} TRUE, {violated} FALSE, {open} UNKNOWN\n");
        if violated > 0 && holds > 0 {
            text.push_str("each claim is decided on runs that violate no other claim before\n");
        }
        if !self.apart.is_empty() {
            let names: Vec<String> = self.apart.iter().take(MANY).map(|f| format!("`{f}`")).collect();
            let names = names.join(", ");
            let more = self.apart.len().saturating_sub(MANY);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = writeln!(text, "no claims of functions that `main` does not lead to: {names}{more}");
        }
        for a in &self.assumptions {
            let _ = writeln!(text, "assuming {}{}", a.what, report::places(a));
        }
        let first = self.lines.iter().find(|l| l.result == palisade_report::Verdict::False);
        let result = match (first, self.session.budget.check()) {
            (Some(line), _) => Final::False(line.claim.split('@').next().unwrap_or_default().into()),
            (None, Err(stop)) => Final::Unknown(stop.to_string()),
            (None, Ok(())) if open > 0 => Final::Unknown(format!("{open} of {total} claims are not decided")),
            (None, Ok(())) => Final::True,
        };
        let assumption = |a: &Assumption| palisade_report::Assumption {
            what: a.what.clone(),
            places: a.places.clone(),
            dead: a.dead.clone(),
        };
        let assumptions = self.assumptions.iter().map(assumption).collect();
        let evidence = Evidence { assumptions, ..Evidence::default() };
        Report { claims: self.lines, details: self.details, ..Report::new(result, text, evidence) }
    }
}
