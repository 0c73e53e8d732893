//! Counting: per engine, over all and per family, as a Markdown table that also reads well on a terminal.
//!
//! PAR2 is the mean over all tasks of the CPU time of the solved ones and twice the limit for the others. CPU
//! times in the table are those of solved tasks only. A verdict with a rejected certificate, and a wrong one,
//! solves nothing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use crate::counters::{self, Measure};
use crate::record::{Answer, Certificate, Class, Correct, Row, WALL_TIMEOUT};
use crate::taskargs::front_end;

/// The counts of one engine over some tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// The engine.
    pub engine: String,
    /// Rows counted.
    pub tasks: usize,
    /// Proofs.
    pub solved_true: usize,
    /// Counterexamples.
    pub solved_false: usize,
    /// Verdicts against the table.
    pub wrong: usize,
    /// Verdicts with a missing or rejected certificate.
    pub bad_certificates: usize,
    /// Honest answers without verdict.
    pub unknown: usize,
    /// Out of time.
    pub timeouts: usize,
    /// Of those, killed at the wall-clock limit while CPU time was left.
    pub wall_timeouts: usize,
    /// Out of memory.
    pub memouts: usize,
    /// Inputs refused.
    pub unsupported: usize,
    /// Crashes and broken contracts.
    pub errors: usize,
    /// Solved, but the second check ran into its limits.
    pub unchecked: usize,
    /// Mean of CPU seconds, twice the limit for what was not solved.
    pub par2: f64,
    /// CPU seconds of the solved tasks.
    pub cpu: f64,
    /// Median CPU seconds of the solved tasks.
    pub median: Option<f64>,
    /// CPU seconds of the second checks.
    pub check_cpu: f64,
    /// CPU seconds of dumps.
    pub dump_cpu: f64,
}

impl Score {
    /// Counts the rows of an engine.
    pub fn of<'a>(engine: &str, rows: impl Iterator<Item = &'a Row>, timeout: Duration) -> Score {
        let mut score = Score { engine: engine.to_owned(), ..Score::default() };
        let mut times = Vec::new();
        for row in rows.filter(|row| row.engine == engine) {
            score.tasks += 1;
            score.check_cpu += row.check_cpu;
            score.dump_cpu += row.dump_cpu;
            match row.class() {
                Class::Solved => {
                    times.push(row.cpu);
                    score.unchecked += usize::from(row.certificate == Certificate::Limit);
                    *(if row.verdict == Answer::True {
                        &mut score.solved_true
                    } else {
                        &mut score.solved_false
                    }) += 1;
                }
                Class::Wrong => score.wrong += 1,
                Class::BadCertificate => score.bad_certificates += 1,
                Class::Unknown => score.unknown += 1,
                Class::Timeout => {
                    score.timeouts += 1;
                    score.wall_timeouts += usize::from(row.reason == WALL_TIMEOUT);
                }
                Class::Memout => score.memouts += 1,
                Class::Unsupported => score.unsupported += 1,
                Class::Error => score.errors += 1,
            }
        }
        times.sort_by(f64::total_cmp);
        // `sum` of nothing is -0.0, which would show.
        score.cpu = times.iter().fold(0.0, |sum, time| sum + time);
        score.median = median(&times);
        let unsolved = (score.tasks - times.len()) as f64;
        score.par2 = (score.cpu + unsolved * 2.0 * timeout.as_secs_f64()) / (score.tasks.max(1) as f64);
        score
    }

    /// Proofs and counterexamples.
    pub fn solved(&self) -> usize {
        self.solved_true + self.solved_false
    }
}

fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// What a run found.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Over all tasks, one per engine, in the order they were given.
    pub engines: Vec<Score>,
    /// The same per family.
    pub families: BTreeMap<String, Vec<Score>>,
    /// The rows of the selected tasks and engines, sorted; those of earlier runs included.
    pub rows: Vec<Row>,
    /// Rows measured by this run.
    pub measured: usize,
    /// Rows the selection asks for.
    pub planned: usize,
    /// Verdicts against the table.
    pub wrong: usize,
    /// Verdicts with a missing or rejected certificate.
    pub bad_certificates: usize,
    /// Tasks of unknown verdict that some proved and others refuted.
    pub contradictions: Vec<String>,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// The CPU limit the rows were measured under.
    pub timeout: Duration,
    /// The counters to tabulate.
    pub counters: Vec<Measure>,
}

impl Summary {
    /// Counts sorted rows.
    pub fn new(engines: &[String], rows: Vec<Row>, timeout: Duration) -> Summary {
        let mut by_family: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
        for row in &rows {
            // Two suites may have families of the same name.
            let family = if row.suite == row.family {
                row.family.clone()
            } else {
                format!("{}/{}", row.suite, row.family)
            };
            by_family.entry(family).or_default().push(row);
        }
        let families = by_family
            .into_iter()
            .map(|(family, rows)| {
                let scores =
                    engines.iter().map(|engine| Score::of(engine, rows.iter().copied(), timeout)).collect();
                (family, scores)
            })
            .collect();
        let scores: Vec<Score> =
            engines.iter().map(|engine| Score::of(engine, rows.iter(), timeout)).collect();
        Summary {
            families,
            measured: 0,
            planned: rows.len(),
            wrong: scores.iter().map(|score| score.wrong).sum(),
            bad_certificates: scores.iter().map(|score| score.bad_certificates).sum(),
            contradictions: contradictions(&rows),
            interrupted: false,
            engines: scores,
            rows,
            timeout,
            counters: Vec::new(),
        }
    }

    /// Whether something is wrong, as opposed to merely unsolved.
    pub fn failed(&self) -> bool {
        self.wrong > 0 || self.bad_certificates > 0 || !self.contradictions.is_empty()
    }

    /// The exit code of `palisade bench`: 1 if something is wrong, 130 if stopped, else 0.
    pub fn exit_code(&self) -> u8 {
        match (self.failed(), self.interrupted) {
            (true, _) => 1,
            (false, true) => 130,
            (false, false) => 0,
        }
    }

    /// The tables and what is wrong, as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "## All ({} of {} runs)\n", self.rows.len(), self.planned);
        text += &table(&self.engines);
        let _ = writeln!(
            text,
            "\nCPU limit {} s. PAR2: mean CPU seconds, twice the limit for what is not solved. CPU and \
             median: seconds of the solved.",
            self.timeout.as_secs_f64()
        );
        for score in &self.engines {
            let mut notes = Vec::new();
            if score.check_cpu > 0.0 {
                notes.push(format!("{:.1} s checking certificates again", score.check_cpu));
            }
            if score.dump_cpu > 0.0 {
                notes.push(format!("{:.1} s dumping", score.dump_cpu));
            }
            if score.unchecked > 0 {
                notes.push(format!("{} certificates too big for the second check's limits", score.unchecked));
            }
            if !notes.is_empty() {
                let _ = writeln!(text, "{}: {} (not in the table).", score.engine, notes.join(", "));
            }
            if score.wall_timeouts > 0 {
                let _ = writeln!(
                    text,
                    "{}: {} of the timeouts by the wall clock, with CPU time left: the machine was busy \
                     (fewer --jobs, or a longer \
                     --wall-timeout) or the tool waited.",
                    score.engine, score.wall_timeouts
                );
            }
        }
        // One family is the whole.
        if self.families.len() > 1 {
            for (family, scores) in &self.families {
                let _ = writeln!(text, "\n### {family}\n\n{}", table(scores).trim_end());
            }
        }
        if !self.counters.is_empty() {
            let engines: Vec<&str> = self.engines.iter().map(|score| score.engine.as_str()).collect();
            let table = counters::table(&self.counters, &self.rows, &engines);
            let _ = writeln!(text, "\n## Counters over the solved tasks\n\n{}", table.trim_end());
        }
        self.problems(&mut text);
        text
    }

    fn problems(&self, text: &mut String) {
        for (class, title) in [(Class::Wrong, "WRONG VERDICTS"), (Class::BadCertificate, "BAD CERTIFICATES")]
        {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.class() == class).collect();
            if !rows.is_empty() {
                let _ = writeln!(text, "\n## {title}\n");
                for row in rows {
                    let _ = writeln!(text, "- {}", describe(row));
                }
            }
        }
        if !self.contradictions.is_empty() {
            let _ = writeln!(text, "\n## CONTRADICTIONS\n");
            for line in &self.contradictions {
                let _ = writeln!(text, "- {line}");
            }
        }
    }
}

/// A row in a line, for a person.
pub fn describe(row: &Row) -> String {
    let reason = if row.reason.is_empty() { String::new() } else { format!(" ({})", row.reason) };
    let problem = match row.class() {
        // Tables can be wrong too.
        Class::Wrong if row.certificate == Certificate::Ok => {
            format!(", expected {}; its certificate checks, which speaks against the table", row.expected)
        }
        Class::Wrong => format!(", expected {}", row.expected),
        Class::BadCertificate if row.certificate == Certificate::Missing => {
            ", without a certificate".to_owned()
        }
        Class::BadCertificate => ", with a certificate that does not check".to_owned(),
        _ => String::new(),
    };
    let verdict = format!("{:?}", row.verdict).to_lowercase();
    format!("{} on {}: {verdict}{reason}{problem} [{}]", row.engine, row.file, row.args)
}

/// Tasks without a known verdict on which two engines contradict each other.
fn contradictions(rows: &[Row]) -> Vec<String> {
    // The same file read in another way (--int bv, say) is another question.
    let question = |row: &Row| front_end(&shell_words::split(&row.args).unwrap_or_default()).join(" ");
    let mut verdicts: BTreeMap<(&str, String), [Vec<&str>; 2]> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.class() == Class::Solved && row.correct == Correct::Unconfirmed) {
        let side = usize::from(row.verdict == Answer::False);
        verdicts.entry((&row.file, question(row))).or_default()[side].push(&row.engine);
    }
    verdicts
        .into_iter()
        .filter(|(_, [safe, broken])| !safe.is_empty() && !broken.is_empty())
        .map(|((file, _), [safe, broken])| {
            format!("{file}: true by {}, false by {}", safe.join(", "), broken.join(", "))
        })
        .collect()
}

const HEADINGS: [&str; 15] = [
    "engine", "tasks", "solved", "true", "false", "wrong", "bad cert", "unknown", "timeout", "memout",
    "unsupp", "error", "PAR2", "CPU", "median",
];

/// A Markdown table whose columns are padded to equal width.
fn table(scores: &[Score]) -> String {
    let cells: Vec<[String; HEADINGS.len()]> = scores
        .iter()
        .map(|s| {
            let counts = [
                s.tasks,
                s.solved(),
                s.solved_true,
                s.solved_false,
                s.wrong,
                s.bad_certificates,
                s.unknown,
                s.timeouts,
                s.memouts,
                s.unsupported,
                s.errors,
            ];
            let mut row: [String; HEADINGS.len()] = Default::default();
            row[0] = s.engine.replace('|', "\\|");
            for (cell, count) in row[1..].iter_mut().zip(counts) {
                *cell = count.to_string();
            }
            row[12] = format!("{:.2}", s.par2);
            row[13] = format!("{:.1}", s.cpu);
            row[14] = s.median.map_or_else(|| "-".to_owned(), |median| format!("{median:.3}"));
            row
        })
        .collect();
    let widths: Vec<usize> = (0..HEADINGS.len())
        .map(|i| cells.iter().map(|row| row[i].chars().count()).max().unwrap_or(0).max(HEADINGS[i].len()))
        .collect();
    let mut text = String::new();
    let mut line = |cells: &[&str]| {
        for (i, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
            let _ = if i == 0 { write!(text, "| {cell:width$} ") } else { write!(text, "| {cell:>width$} ") };
        }
        text += "|\n";
    };
    line(&HEADINGS);
    let rules: Vec<String> = widths
        .iter()
        .enumerate()
        .map(|(i, &width)| if i == 0 { "-".repeat(width) } else { "-".repeat(width - 1) + ":" })
        .collect();
    line(&rules.iter().map(String::as_str).collect::<Vec<_>>());
    for row in &cells {
        line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::row;
    use crate::suite::Expected;

    fn rows() -> Vec<Row> {
        let other = |file: &str, engine: &str, verdict, reason: &str, correct| Row {
            verdict,
            reason: reason.into(),
            correct,
            certificate: Certificate::None,
            family: "g".into(),
            ..row(file, engine, 10.0)
        };
        vec![
            row("a", "x", 1.0),
            row("b", "x", 4.0),
            Row { verdict: Answer::False, expected: Expected::False, ..row("c", "x", 2.0) },
            other("d", "x", Answer::Unknown, "timeout", Correct::None),
            other("e", "x", Answer::False, "p", Correct::No),
            row("a", "y", 3.0),
        ]
    }

    #[test]
    fn scores_add_up() {
        let summary = Summary::new(&["x".into(), "y".into()], rows(), Duration::from_secs(10));
        let x = &summary.engines[0];
        assert_eq!((x.tasks, x.solved_true, x.solved_false, x.wrong, x.timeouts), (5, 2, 1, 1, 1));
        assert_eq!((x.cpu, x.median), (7.0, Some(2.0)));
        assert!((x.par2 - (7.0 + 2.0 * 20.0) / 5.0).abs() < 1e-9);
        assert_eq!(summary.families["s/g"][0].tasks, 2);
        assert_eq!(summary.families["s/g"][1].median, None);
        assert_eq!((summary.wrong, summary.exit_code()), (1, 1));
    }

    #[test]
    fn the_table_is_aligned_and_names_what_is_wrong() {
        let mut rows = rows();
        rows[3].reason = WALL_TIMEOUT.to_owned();
        let text = Summary::new(&["x".into(), "y".into()], rows, Duration::from_secs(10)).markdown();
        assert!(text.contains("x: 1 of the timeouts by the wall clock") && !text.contains("-0.0"), "{text}");
        let table: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).take(4).collect();
        assert!(table.iter().all(|line| line.len() == table[0].len()), "{text}");
        assert!(
            text.contains("### s/g")
                && text.contains("WRONG VERDICTS")
                && text.contains("x on e: false (p), expected true"),
            "{text}"
        );
    }

    #[test]
    fn contradicting_engines_fail_without_a_table() {
        let unconfirmed = |engine: &str, verdict| Row {
            verdict,
            expected: Expected::Unknown,
            correct: Correct::Unconfirmed,
            ..row("a", engine, 1.0)
        };
        let rows = vec![unconfirmed("x", Answer::True), unconfirmed("y", Answer::False)];
        let summary = Summary::new(&["x".into(), "y".into()], rows, Duration::from_secs(10));
        assert_eq!(summary.contradictions, ["a: true by x, false by y"]);
        assert!(summary.failed() && summary.wrong == 0);
        assert_eq!(median(&[1.0, 2.0, 3.0, 10.0]), Some(2.5));
    }
}
