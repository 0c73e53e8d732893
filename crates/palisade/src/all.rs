//! `palisade verify --all`: a verdict for every claim ([`crate::claims`]), one line each.
//!
//! Verification begins at `main`, at the function that is asked for, or, where there is no `main`, at every
//! function of the input in turn ([`palisade_front_c::Entry`]). All claims of one entry are tried together
//! first. A proof decides all of them; a violation decides one, and the others are tried again; where there
//! is no answer, each claim is tried alone. So most of the work is shared, and a hard claim spoils no other.
//!
//! Each verdict is certified like any other. `--certificate DIR` keeps the certificate of each claim, which
//! `palisade check` accepts by itself. Results are kept by content ([`crate::cache`]).
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
use palisade_front_c::{Assumption, Confirmation};
use palisade_program::{Program, Property};
use palisade_report::{ClaimResult, Evidence};
use palisade_term::TermPool;
use palisade_verify::{Loaded, Settings, Solvers, Verdict};

use crate::args::VerifyArgs;
use crate::cache::{self, Cache, Entry};
use crate::claims::{self, Claim};
use crate::drive::{self, Plan};
use crate::failure::Failure;
use crate::report::{self, Report, write_output};
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
        Some(folder) => Some(Cache::new(folder)),
        None => Cache::usual().map(|folder| Cache::new(&folder)),
    };
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} claims, {elapsed}, {msg}");
    let bar = ProgressBar::new(0);
    if let Ok(style) = style {
        bar.set_style(style);
    }
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
    };
    for function in entries(args, plan)? {
        if session.budget.check().is_err() {
            break;
        }
        all.entry(function)?;
    }
    all.bar.finish_and_clear();
    Ok((Arc::clone(session), all.report()))
}

/// The functions where verification begins; `None` is `main`.
fn entries(args: &VerifyArgs, plan: &Plan) -> Result<Vec<Option<String>>, Failure> {
    if args.front.function.is_some() {
        return Ok(vec![args.front.function.clone()]);
    }
    let (inputs, c_options) = drive::sources(&args.inputs, &plan.c_options)?;
    let all = palisade_front_c::functions(&inputs, &c_options).map_err(palisade_verify::Error::C)?;
    if all.iter().any(|f| f == "main") {
        return Ok(vec![None]);
    }
    Ok(all.into_iter().map(Some).collect())
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
    fn entry(&mut self, function: Option<String>) -> Result<(), Failure> {
        let mut front = self.args.front.clone();
        front.function = function;
        let name = front.function.clone().unwrap_or_else(|| "main".into());
        self.bar.set_message(format!("at {name}"));
        let c_options = front.c_options()?;
        let pool = TermPool::new();
        let (inputs, mut c_options) = drive::sources(&self.args.inputs, &c_options)?;
        // The facts that the compiler confirms are those of the whole text: once is enough.
        c_options.confirm &= !self.confirmed;
        let loaded = match drive::load(&pool, &inputs, &c_options, None, self.session) {
            Ok(loaded) => loaded,
            Err(refused) if refused.code == Failure::INPUT => {
                let claim =
                    Claim { property: "translation".into(), place: name.clone(), text: String::new() };
                let why = refused.message.lines().next().unwrap_or_default().to_string();
                self.line(&claim, &name, &Final::Unknown(why), None);
                return Ok(());
            }
            Err(other) => return Err(other),
        };
        self.confirmed |= matches!(loaded.confirmation, Some(Confirmation::Confirmed { .. }));
        for a in &loaded.assumptions {
            if !self.assumptions.contains(a) {
                self.assumptions.push(a.clone());
            }
        }
        let at = At {
            pool: &pool,
            loaded: &loaded,
            function: &name,
            options: front::recorded(&front, &c_options),
        };
        let mut open = claims::of(&loaded.program);
        self.bar.inc_length(open.len() as u64);
        if open.is_empty() {
            return self.nothing_else(&at);
        }
        let mut together = true;
        while let Some(first) = open.first().cloned() {
            let group = if together { open.clone() } else { vec![first] };
            let program =
                claims::restrict(&pool, &loaded.program, &|c| group.iter().any(|g| g.key() == c.key()));
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
        Ok(())
    }

    /// An entry without claims: it must not come to anything unsupported or undefined before they would be.
    fn nothing_else(&mut self, at: &At<'_>) -> Result<(), Failure> {
        let program = &at.loaded.program;
        if program.edges.iter().all(|e| e.target != program.error) {
            return Ok(());
        }
        let claim = Claim { property: "translation".into(), place: at.function.into(), text: String::new() };
        let verdict = self.decide(at, program)?;
        if !matches!(verdict, Ok(Verdict::Safe(_))) {
            self.bar.inc_length(1);
            self.record(at, &claim, &verdict);
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
                let edge = cex.run().steps.last().map(|s| at.loaded.program.edge(s.edge));
                let violated = edge.and_then(|e| Claim::of_edge(&at.loaded.program, e));
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
            scope.spawn(|| {
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
            out
        })
    }

    /// Tells the verdict about a claim, and keeps its certificate.
    fn record(&mut self, at: &At<'_>, claim: &Claim, verdict: &Result<Verdict, String>) {
        let program = &at.loaded.program;
        let mut options = at.options.clone();
        options.push(format!("claim={}", claim.key()));
        let (result, certificate) = match verdict {
            Ok(Verdict::Safe(proof)) => {
                let text = palisade_certify::write_proof(at.pool, program, proof.invariants(), &options);
                (Final::True, Some((text, "smt2")))
            }
            Ok(answer @ Verdict::Unsafe(cex)) => {
                let report =
                    report::verdict(at.pool, program, answer, at.loaded.story.as_ref(), self.session);
                let result = report.result.clone();
                if matches!(result, Final::False(_)) {
                    self.details.push(report);
                }
                let text = palisade_certify::write_run(at.pool, program, cex.run(), &options);
                let is_violation = matches!(result, Final::False(_));
                (result, is_violation.then_some((text, "json")))
            }
            Ok(Verdict::Unknown(why)) => (Final::Unknown(why.reason.to_string()), None),
            Err(why) => (Final::Unknown(why.clone()), None),
        };
        let path = certificate.and_then(|(text, extension)| {
            let path = self.certificate_path(claim, at.function, extension)?;
            write_output("certificate", &path, text.as_bytes());
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
        Some(folder.join(format!("{number:03}-{function}-{}-{line}.{extension}", claim.property)))
    }

    fn line(&mut self, claim: &Claim, function: &str, result: &Final, certificate: Option<String>) {
        let word = match result {
            Final::True => "TRUE",
            Final::False(_) => "FALSE",
            Final::Unknown(_) => "UNKNOWN",
        };
        let mut text = format!("{word:<8} {}: {}", claim.place, claim.property);
        let _ = write!(text, " in {function}");
        if !claim.text.is_empty() {
            let _ = write!(text, ": {}", claim.text);
        }
        if let Final::Unknown(why) = result {
            let _ = write!(text, "  ({})", crate::result::one_line(why));
        }
        self.bar.suspend(|| {
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        });
        self.lines.push(ClaimResult {
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
        for a in &self.assumptions {
            let more = if a.places.len() > 1 {
                format!(" and {} more places", a.places.len() - 1)
            } else {
                String::new()
            };
            let _ = writeln!(text, "assuming {} at {}{more}", a.what, a.places.first().map_or("", |p| p));
        }
        let first = self.lines.iter().find(|l| l.result == palisade_report::Verdict::False);
        let result = match (first, self.session.budget.check()) {
            (Some(line), _) => Final::False(line.claim.split('@').next().unwrap_or_default().into()),
            (None, Err(stop)) => Final::Unknown(stop.to_string()),
            (None, Ok(())) if open > 0 => Final::Unknown(format!("{open} of {total} claims are not decided")),
            (None, Ok(())) => Final::True,
        };
        Report { claims: self.lines, details: self.details, ..Report::new(result, text, Evidence::default()) }
    }
}
